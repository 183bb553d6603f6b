"""What a method has kept, without what no reader sees.

Methods read a page with all its text, as they have learnt to: a label for screen readers tells a model what a line is.
What they keep of it is no content where the page does not show it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pagesieve.errors import NothingFound
from pagesieve.page.kernel.constants import LAST_SOFT
from pagesieve.page.lines import Blocks
from pagesieve.page.styles import WAYS
from pagesieve.page.table import Bools, Page
from pagesieve.selection import PostRows, Reason, Reasons, Selection
from pagesieve.stages import stage


@stage("visibility")
def only_shown(found: Selection, page: Page) -> Selection:
    """Return a selection without the rows that a page does not show; raise NothingFound where nothing is left.

    `page` has the rows of the selection's own page. What its attributes hide is for the method to judge.
    """
    shown = page.showing(_all_rows(found))
    ways = None if shown is page.unveiled else shown.hidden_by
    hidden = None if ways is None else ways > LAST_SOFT
    if hidden is None or not hidden.any():
        reason = _NotShown(found.blocks, page, found.rows, found.reason)
        return Selection(found.blocks, found.rows, found.comments, reason, found.parts, found.posts)
    rows = found.rows & ~hidden
    if found.rows.any() and not rows.any():
        raise NothingFound("what looks like content is not shown")
    blocks = _with_shown_rows(found.blocks, shown, hidden)
    posts = tuple(_of_post(post, hidden) for post in found.posts)
    return replace(
        found,
        blocks=blocks,
        rows=rows,
        comments=found.comments & ~hidden,
        reason=_NotShown(blocks, page, rows, found.reason),
        posts=tuple(post for post in posts if len(post.rows)),
    )


def _all_rows(found: Selection) -> Bools:
    """Return the rows that are read for what is written: those selected, and all of a post, which tell its author."""
    rows = found.rows | found.comments
    for post in found.posts:
        rows[post.rows] = rows[post.root : found.blocks.page.end[post.root]] = True
    return rows


def _with_shown_rows(blocks: Blocks, page: Page, hidden: Bools) -> Blocks:
    """Return blocks without the rows that are hidden; a block that is hidden whole keeps its rows."""
    if not len(blocks):
        return replace(blocks, page=page)
    is_hidden = hidden[blocks.rows]
    block = np.zeros(len(blocks.rows), dtype=np.intp)
    block[blocks.starts[1:]] = 1
    block = np.cumsum(block)
    some = np.logical_or.reduceat(~is_hidden, blocks.starts)
    stays = ~(is_hidden & some[block])
    starts = np.concatenate([[0], np.cumsum(np.bincount(block[stays], minlength=len(blocks)))[:-1]])
    return replace(blocks, page=page, rows=blocks.rows[stays], starts=starts.astype(blocks.starts.dtype))


def _of_post(post: PostRows, hidden: Bools) -> PostRows:
    return replace(post, rows=post.rows[~hidden[post.rows]])


@dataclass(frozen=True, eq=False)
class _NotShown:
    """The reasons there were, but for blocks that are not shown. Not a closure, so that an article can be pickled."""

    blocks: Blocks
    page: Page
    kept: Bools
    before: Reasons

    def __call__(self, block: int) -> Reason:
        way = self._ways[block]
        return Reason(f"not shown: {WAYS[way]}", "control") if way else self.before(block)

    @cached_property
    def _ways(self) -> list[int]:
        """By which way each block is hidden of which nothing is kept; 0 for the others."""
        ways = self.page.hidden_by
        if ways is None or not len(self.blocks):
            return [0] * len(self.blocks)
        of_rows, starts = ways[self.blocks.rows], self.blocks.starts
        is_hidden = np.logical_and.reduceat(of_rows > 0, starts) & ~self.blocks.any(self.kept)
        found: list[int] = np.where(is_hidden, of_rows[starts], 0).tolist()
        return found
