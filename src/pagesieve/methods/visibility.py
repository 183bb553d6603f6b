"""Remove hidden text from the selection of a method.

Methods read a page with all its text, since they were trained that way: labels for screen readers help a model to
recognise lines. But hidden text is not content.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pagesieve.errors import NothingFound
from pagesieve.page import kernel
from pagesieve.page.kernel.constants import LAST_SOFT
from pagesieve.page.lines import Blocks, as_marks, as_mask, both, either
from pagesieve.page.styles import WAYS
from pagesieve.page.table import Page
from pagesieve.selection import PostRows, Reason, Reasons, Selection
from pagesieve.stages import stage

if TYPE_CHECKING:
    from pagesieve.page.table import Bools

_IS_SHOWN = bytes(way <= LAST_SOFT for way in range(256))  # the method decides about text that attributes hide


@stage("visibility")
def only_shown(found: Selection, page: Page) -> Selection:
    """Return a selection without the rows that a page does not show. Raise NothingFound if nothing is left.

    `page` has the same rows as the page of the selection. Text that attributes hide is left to the method.
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
    """Return the rows that are needed for writing: the selected ones, and all rows of posts, which have the authors."""
    rows = either(found.row_marks, found.comment_marks)
    if not found.posts:
        return rows
    marked = as_mask(bytearray(rows))
    for post in found.posts:
        marked[post.rows] = marked[post.root : found.blocks.page.end[post.root]] = True
    return as_marks(marked)


def _with_shown_rows(blocks: Blocks, page: Page, ways: bytearray) -> Blocks:
    """Return blocks without hidden rows; a block that is hidden as a whole keeps its rows."""
    rows, starts, _ = blocks.buffers()
    places, count, begins = kernel.page.visibility.shown_rows(rows, starts, ways)
    return Blocks.of_columns(page, (places[:count] + begins, *blocks.columns[1:]))


def _of_post(post: PostRows, shown: Bools) -> PostRows:
    return replace(post, rows=post.rows[shown[post.rows]])


class _NotShown:
    """Reasons with another reason for hidden blocks. Not a closure, so that an article can be pickled."""

    def __init__(self, blocks: Blocks, page: Page, kept: Any, before: Reasons) -> None:
        self.blocks = blocks
        self.page = page
        self.kept = kept  # a mask of the kept rows, with a byte for each
        self.before = before

    def __call__(self, block: int) -> Reason:
        way = self._ways[block]
        return Reason(f"not shown: {WAYS[way]}", "control") if way else self.before(block)

    @cached_property
    def _ways(self) -> list[int]:
        """The way in which each block without kept rows is hidden, or 0."""
        import numpy as np

        ways = self.page.hidden_by
        if ways is None or not len(self.blocks):
            return [0] * len(self.blocks)
        of_rows, starts = ways[self.blocks.rows], self.blocks.starts
        is_hidden = np.logical_and.reduceat(of_rows > 0, starts) & ~self.blocks.any(self.kept)
        found: list[int] = np.where(is_hidden, of_rows[starts], 0).tolist()
        return found
