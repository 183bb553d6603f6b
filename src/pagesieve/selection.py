"""The result of a method: the rows that it keeps, and a decision about every block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pagesieve.page.keeping import lazy
from pagesieve.page.lines import Blocks, as_marks, as_mask
from pagesieve.text.whitespace import cut

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pagesieve.page.table import Bools

SNIPPET = 80  # characters of a decision's text

# The category of a decision about a block, or about a part of a record
Fate = Literal[
    "article",
    "record",
    "item",  # one part of a record
    "headline",  # the headline, which is not part of the body
    "comment",  # a readers' comment
    "template",  # a template in the site library
    "sibling",  # a text that other pages of the site have too
    "model",  # the model decided
    "list",  # a list or table, dropped whole
    "other",  # another article on the page
    "control",  # a form control, or text that the page does not show
    "rule",  # any other rule of the method
]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a block was kept or dropped: in words, by category, and the numbers on which the decision rests."""

    text: str
    fate: Fate
    numbers: Mapping[str, float] = field(default_factory=dict)  # likelihood, threshold, margin, share, pages …


Reasons = Callable[[int], Reason]  # takes the number of a block and returns the reason of its decision


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision about one block of the page, and the reason for it."""

    first: int  # the first row of the block
    last: int  # the last row of the block
    kept: bool
    reason: str
    text: str = ""  # the beginning of the block's text
    part: int = 0  # the index of its page, in an article over several pages
    fate: Fate = "rule"  # the category of the decision
    numbers: Mapping[str, float] = field(default_factory=dict, hash=False)  # on which the decision rests


@dataclass(frozen=True, slots=True, eq=False)
class PostRows:
    """The rows of one post of a thread, or of one comment."""

    root: int  # the element that holds it
    rows: NDArray[np.intp]  # the rows of its text, in order
    author: str | None
    date: str | None  # in ISO 8601
    parent: int | None  # the number of the post in which the page nests it
    depth: int  # the number of posts in which it is nested


@dataclass(frozen=True, eq=False, init=False)
class Selection:
    """The result of a method: the text rows that it keeps, and the reason for each block to be kept or dropped.

    The two masks over the rows of the page may be arrays or bytes; the attributes return them as arrays.
    """

    blocks: Blocks
    rows: Bools  # the text rows that are kept
    comments: Bools  # the text rows of readers' comments below the article
    reason: Reasons  # returns the reason for a block, by its number
    parts: tuple[tuple[int, ...], ...] = ()  # the root rows of each record; plain text has an empty line between them
    posts: tuple[PostRows, ...] = ()  # the posts of a thread; all other kept rows precede them

    if TYPE_CHECKING:
        row_marks: Any = field(init=False)  # the masks as bytes
        comment_marks: Any = field(init=False)

    def __init__(
        self,
        blocks: Blocks,
        rows: Any,
        comments: Any,
        reason: Reasons,
        parts: tuple[tuple[int, ...], ...] = (),
        posts: tuple[PostRows, ...] = (),
    ) -> None:
        given = {"blocks": blocks, "row_marks": as_marks(rows), "comment_marks": as_marks(comments)}
        self.__dict__.update(given, reason=reason, parts=parts, posts=posts)

    @property
    def kept(self) -> Bools:
        """A mask of the blocks that are kept, at least in part."""
        return self.blocks.any(self.rows)

    def without(self, dropped: frozenset[int], reason: Reason) -> Selection:
        """Return a selection that also drops some blocks, for the given reason."""
        rows = bytearray(self.row_marks)
        for block in dropped:
            for row in self.blocks.row_numbers(block):
                rows[row] = False
        reasons = _Also(dropped, reason, self.reason)
        return Selection(self.blocks, rows, self.comment_marks, reasons, self.parts, self.posts)

    def decisions(self) -> Iterator[Decision]:
        """Yield the decision about each block, in order."""
        blocks = self.blocks
        columns = (blocks.first.tolist(), blocks.last.tolist(), self.kept.tolist(), blocks.any(self.comments).tolist())
        for k, (first, last, kept, commented) in enumerate(zip(*columns, strict=True)):
            reason = self.reason(k)
            fate = "comment" if commented and not kept else reason.fate
            text = cut(blocks.text(k), SNIPPET)
            yield Decision(first, last, kept, reason.text, text, fate=fate, numbers=reason.numbers)


def _rows(selection: Selection) -> Bools:
    return as_mask(selection.row_marks)


def _comments(selection: Selection) -> Bools:
    return as_mask(selection.comment_marks)


for _name, _read in {"rows": _rows, "comments": _comments}.items():  # after the dataclass, as in `page.lines`
    _read.__name__ = _name
    setattr(Selection, _name, lazy(_read))


class _Also:
    """Reasons with another reason for some blocks. Not a closure, so that an article can be pickled."""

    def __init__(self, dropped: frozenset[int], reason: Reason, before: Reasons) -> None:
        self.dropped = dropped
        self.reason = reason
        self.before = before

    def __call__(self, block: int) -> Reason:
        return self.reason if block in self.dropped else self.before(block)
