"""What a method answers: the rows that it keeps, and a decision about every block."""

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
_BYTES = (bytes, bytearray)

# What becomes of a block, or of a part of a record: it is kept as the article or a record, or it is dropped
Fate = Literal[
    "article",
    "record",
    "item",  # one thing that a record holds
    "headline",  # which is not part of the body
    "comment",  # what readers wrote
    "template",  # a template that the site library knows
    "sibling",  # stands on other pages of the site too
    "model",  # the model says so
    "list",  # a list or table that is dropped whole
    "other",  # another article on the page
    "control",  # not shown, or a form control
    "rule",  # any other rule of the method
]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a block was kept or dropped: in words, as a kind, and by the numbers that decided."""

    text: str
    fate: Fate
    numbers: Mapping[str, float] = field(default_factory=dict)  # likelihood, threshold, margin, share, pages …


Reasons = Callable[[int], Reason]  # why a block, by its number, was kept or dropped


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of one block of the page, and why."""

    first: int  # the block's rows: from this one
    last: int  # to this one
    kept: bool
    reason: str
    text: str = ""  # how the block begins
    part: int = 0  # the number of its page, in an article of several
    fate: Fate = "rule"  # what became of it, as a kind
    numbers: Mapping[str, float] = field(default_factory=dict, hash=False)  # what decided


@dataclass(frozen=True, slots=True, eq=False)
class PostRows:
    """One post of a thread, or one comment, by its rows."""

    root: int  # the element that holds it
    rows: NDArray[np.intp]  # the text rows of what was written, in order
    author: str | None
    date: str | None  # in ISO 8601
    parent: int | None  # the number of the post that it stands inside of
    depth: int  # how many posts it stands inside of


@dataclass(frozen=True, eq=False, init=False)
class Selection:
    """What a method answers: the text rows it keeps, and why each block of the page was kept or dropped.

    The two masks over the page's rows are given as arrays or as bytes, and become arrays where they are asked for.
    """

    blocks: Blocks
    rows: Bools  # the text rows that are kept
    comments: Bools  # text rows that readers wrote below the article
    reason: Reasons  # why a block, by its number, was kept or dropped
    parts: tuple[tuple[int, ...], ...] = ()  # rows (each with what is below) that plain text separates: records
    posts: tuple[PostRows, ...] = ()  # of a thread; what else is kept stands before the first

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
        row_marks = rows if type(rows) in _BYTES else as_marks(rows)
        comment_marks = comments if type(comments) in _BYTES else as_marks(comments)
        given = {"blocks": blocks, "row_marks": row_marks, "comment_marks": comment_marks}
        self.__dict__.update(given, reason=reason, parts=parts, posts=posts)

    @property
    def kept(self) -> Bools:
        """Which blocks are kept, at least in part."""
        return self.blocks.any(self.rows)

    def without(self, dropped: frozenset[int], reason: Reason) -> Selection:
        """Return the selection without some of its blocks, dropped for one more reason."""
        rows = bytearray(self.row_marks)
        for block in dropped:
            for row in self.blocks.row_numbers(block):
                rows[row] = False
        reasons = _Also(dropped, reason, self.reason)
        return Selection(self.blocks, rows, self.comment_marks, reasons, self.parts, self.posts)

    def decisions(self) -> Iterator[Decision]:
        """Yield what became of each block, in order."""
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
    """The reasons there were, except for some blocks. Not a closure, so that an article can be pickled."""

    def __init__(self, dropped: frozenset[int], reason: Reason, before: Reasons) -> None:
        self.dropped = dropped
        self.reason = reason
        self.before = before

    def __call__(self, block: int) -> Reason:
        return self.reason if block in self.dropped else self.before(block)
