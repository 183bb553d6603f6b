"""What a method answers: the rows that it keeps, and a decision about every block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

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
class Selection:
    """What a method answers: the text rows it keeps, and why each block of the page was kept or dropped."""

    blocks: Blocks
    rows: Bools  # the text rows that are kept, as a mask over the page's rows
    comments: Bools  # text rows that readers wrote below the article
    reason: Callable[[int], str]  # why a block, by its number, was kept or dropped
    parts: tuple[tuple[int, ...], ...] = ()  # rows (each with what is below) that plain text separates: records

    @property
    def kept(self) -> Bools:
        """Which blocks are kept, at least in part."""
        return self.blocks.any(self.rows)

    def without(self, dropped: frozenset[int], reason: str) -> Selection:
        """Return the selection without some of its blocks, dropped for one more reason."""
        rows = self.rows.copy()
        for block in dropped:
            rows[self.blocks.rows_of(block)] = False
        return Selection(self.blocks, rows, self.comments, _Also(dropped, reason, self.reason), self.parts)

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
