"""What a method answers: the rows that it keeps, and a decision about every block.

Methods read a page with all its text, as they have learnt to: a label for screen readers tells a model what a line is.
What they keep of it is no content where the page does not show it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from pagesieve.errors import NothingFound
from pagesieve.page import kernel
from pagesieve.page.kernel.constants import LAST_SOFT
from pagesieve.page.kernel.page.cache import lazy
from pagesieve.page.lines import Blocks, as_marks, as_mask, both, either
from pagesieve.page.styles import WAYS
from pagesieve.page.table import Page
from pagesieve.stages import stage
from pagesieve.text.whitespace import cut

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pagesieve.page.table import Bools

SNIPPET = 80  # characters of a decision's text
_BYTES = (bytes, bytearray)

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
        row_marks = rows if type(rows) in _BYTES else as_marks(rows)
        comment_marks = comments if type(comments) in _BYTES else as_marks(comments)
        given = {"blocks": blocks, "row_marks": row_marks, "comment_marks": comment_marks}
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


# Without what no reader sees

_IS_SHOWN = bytes(way <= LAST_SOFT for way in range(256))  # what its attributes hide is for the method to judge


@stage("visibility")
def only_shown(found: Selection, page: Page) -> Selection:
    """Return a selection without the rows that a page does not show; raise NothingFound where nothing is left.

    `page` has the rows of the selection's own page. What its attributes hide is for the method to judge.
    """
    shown = page.showing(_all_rows(found))
    ways = None if shown is page.unveiled else shown.ways
    if ways is None or 0 not in (left := ways.translate(_IS_SHOWN)):
        reason = _NotShown(found.blocks, page, found.row_marks, found.reason)
        return Selection(found.blocks, found.row_marks, found.comment_marks, reason, found.parts, found.posts)
    rows = both(found.row_marks, left)
    if 1 in found.row_marks and 1 not in rows:
        raise NothingFound("what looks like content is not shown")
    blocks = _with_shown_rows(found.blocks, shown, ways)
    posts = tuple(_of_post(post, as_mask(left)) for post in found.posts)
    return Selection(
        blocks,
        rows,
        both(found.comment_marks, left),
        _NotShown(blocks, page, rows, found.reason),
        found.parts,
        tuple(post for post in posts if len(post.rows)),
    )


def _all_rows(found: Selection) -> Any:
    """Return the rows that are read for what is written: those selected, and all of a post, which tell its author."""
    rows = either(found.row_marks, found.comment_marks)
    if not found.posts:
        return rows
    marked = as_mask(bytearray(rows))
    for post in found.posts:
        marked[post.rows] = marked[post.root : found.blocks.page.end[post.root]] = True
    return as_marks(marked)


def _with_shown_rows(blocks: Blocks, page: Page, ways: bytearray) -> Blocks:
    """Return blocks without the rows that are hidden; a block that is hidden whole keeps its rows."""
    rows, starts, _ = blocks.buffers()
    places, count, begins = kernel.page.visibility.shown_rows(rows, starts, ways)
    return Blocks.of_columns(page, (places[:count] + begins, *blocks.columns[1:]))


def _of_post(post: PostRows, shown: Bools) -> PostRows:
    return replace(post, rows=post.rows[shown[post.rows]])


class _NotShown:
    """The reasons there were, but for blocks that are not shown. Not a closure, so that an article can be pickled."""

    def __init__(self, blocks: Blocks, page: Page, kept: Any, before: Reasons) -> None:
        self.blocks = blocks
        self.page = page
        self.kept = kept  # the rows that are kept, a byte each
        self.before = before

    def __call__(self, block: int) -> Reason:
        way = self._ways[block]
        return Reason(f"not shown: {WAYS[way]}", "control") if way else self.before(block)

    @cached_property
    def _ways(self) -> list[int]:
        """By which way each block is hidden of which nothing is kept; 0 for the others."""
        import numpy as np

        ways = self.page.hidden_by
        if ways is None or not len(self.blocks):
            return [0] * len(self.blocks)
        of_rows, starts = ways[self.blocks.rows], self.blocks.starts
        is_hidden = np.logical_and.reduceat(of_rows > 0, starts) & ~self.blocks.any(self.kept)
        found: list[int] = np.where(is_hidden, of_rows[starts], 0).tolist()
        return found
