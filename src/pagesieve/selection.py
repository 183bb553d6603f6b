"""What a method answers: the rows that it keeps, and a decision about every block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pagesieve.page.lines import Blocks
from pagesieve.page.table import Bools

SNIPPET = 80  # characters of a decision's text


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of one block of the page, and why."""

    first: int  # the block's rows: from this one
    last: int  # to this one
    kept: bool
    reason: str
    text: str = ""  # how the block begins


@dataclass(frozen=True, slots=True, eq=False)
class PostRows:
    """One post of a thread, or one comment, by its rows."""

    root: int  # the element that holds it
    rows: NDArray[np.intp]  # the text rows of what was written, in order
    author: str | None
    date: str | None  # in ISO 8601
    parent: int | None  # the number of the post that it stands inside of
    depth: int  # how many posts it stands inside of


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """What a method answers: the text rows it keeps, and why each block of the page was kept or dropped."""

    blocks: Blocks
    rows: Bools  # the text rows that are kept, as a mask over the page's rows
    comments: Bools  # text rows that readers wrote below the article
    reason: Callable[[int], str]  # why a block, by its number, was kept or dropped
    parts: tuple[tuple[int, ...], ...] = ()  # rows (each with what is below) that plain text separates: records
    posts: tuple[PostRows, ...] = ()  # of a thread; what else is kept stands before the first

    @property
    def kept(self) -> Bools:
        """Which blocks are kept, at least in part."""
        return self.blocks.any(self.rows)

    def without(self, dropped: frozenset[int], reason: str) -> Selection:
        """Return the selection without some of its blocks, dropped for one more reason."""
        rows = self.rows.copy()
        for block in dropped:
            rows[self.blocks.rows_of(block)] = False
        return Selection(self.blocks, rows, self.comments, _Also(dropped, reason, self.reason), self.parts, self.posts)

    def decisions(self) -> Iterator[Decision]:
        """Yield what became of each block, in order."""
        blocks = self.blocks
        columns = (blocks.first.tolist(), blocks.last.tolist(), self.kept.tolist())
        for k, (first, last, kept) in enumerate(zip(*columns, strict=True)):
            text = blocks.text(k)
            shown = text if len(text) <= SNIPPET else text[: SNIPPET - 1] + "…"
            yield Decision(first, last, kept, self.reason(k), shown)


@dataclass(frozen=True, slots=True)
class _Also:
    """The reasons there were, except for some blocks. Not a closure, so that an article can be pickled."""

    dropped: frozenset[int]
    reason: str
    before: Callable[[int], str]

    def __call__(self, block: int) -> str:
        return self.reason if block in self.dropped else self.before(block)
