"""The blocks of a page: its rendered lines, each a run of text that no block element or line break cuts.

And masks over the rows of a page: what is inside of some elements, what is there to be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import KNOWN_TAGS, tag_ids
from pagesieve.page.table import Bools, Ints, Page, frozen
from pagesieve.stages import stage
from pagesieve.text.whitespace import fold

CONTROLS = "select optgroup option datalist button textarea"  # form controls: not there to be read


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The blocks of a page, in order, a column per property."""

    page: Page
    rows: NDArray[np.intp]  # the text rows that are seen and not blank
    starts: NDArray[np.intp]  # where in `rows` each block begins
    chars: Ints
    link_chars: Ints
    columns: tuple[Any, Any, int]  # the same as `kernel.lines.split` gave it

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def first(self) -> NDArray[np.intp]:
        """The first text row of each block."""
        return self.rows[self.starts]

    @property
    def last(self) -> NDArray[np.intp]:
        """The last text row of each block."""
        last: NDArray[np.intp] = self.rows[self.starts + self._sizes - 1]
        return last

    @property
    def _sizes(self) -> NDArray[np.intp]:
        """How many text rows each block has."""
        sizes = np.empty_like(self.starts)
        sizes[:-1] = self.starts[1:]
        sizes[-1:] = len(self.rows)
        sizes -= self.starts
        return sizes

    def mask(self, kept: Bools) -> Bools:
        """The rows of the blocks that `kept` marks, as a mask over the page's rows."""
        marked = np.zeros(len(self.page), dtype=np.bool_)
        marked[self.rows[np.repeat(kept, self._sizes)]] = True
        return marked

    def any(self, rows: Bools) -> Bools:
        """The blocks of which some row is marked."""
        if not len(self):
            return np.zeros(0, dtype=np.bool_)
        return np.logical_or.reduceat(rows[self.rows], self.starts)

    def rows_of(self, block: int) -> NDArray[np.intp]:
        """The text rows of one block."""
        return self.rows[self.starts[block] : self.starts[block + 1] if block + 1 < len(self) else None]

    def below(self, rows: Sequence[int]) -> list[tuple[int, int]]:
        """Where the blocks that begin at or below each of some rows start among all blocks, and where they stop."""
        begins, firsts = np.array(rows, dtype=np.intp), self.first
        starts, stops = np.searchsorted(firsts, begins), np.searchsorted(firsts, self.page.end[begins])
        return list(zip(starts.tolist(), stops.tolist(), strict=True))

    def text(self, block: int) -> str:
        """The text that is seen of a block, its blanks folded."""
        rows = self.rows_of(block)
        first, last = int(rows[0]), int(rows[-1])
        return fold(self.page.text(first)) if first == last else shown(self.page, first, last + 1)


@stage("lines")
def split(page: Page, hidden: bool = False) -> Blocks:
    """Return the blocks of a page, with the text that attributes hide if asked. They are found once for each page."""
    if hidden and not page.hidden_chars.any():
        return split(page)
    found = page.__dict__.setdefault("_lines", {})  # not the blocks: page and blocks would keep each other alive
    if hidden not in found:
        columns = places, sizes, count = kernel.lines.split(page, hidden)
        rows = frozen(np.frombuffer(places, dtype=np.int64))
        chars = frozen(np.frombuffer(sizes, dtype=np.int32))
        at = len(rows) - count
        found[hidden] = rows[:at], rows[at:], chars[:count], chars[count:], columns
    return Blocks(page, *found[hidden])


def shown(page: Page, start: int, stop: int) -> str:
    """Return the text that is seen in some rows, or hidden as the first is; a space where a line or a cell ends."""
    return kernel.stated.folded(kernel.lines.shown(page, start, stop))


# Masks over the rows


def inside(page: Page, names: str) -> Bools:
    """Return the rows at or below elements of these names, as a mask."""
    return np.frombuffer(kernel.lines.inside(page, marked_tags(names)), dtype=np.bool_)


def kept_rows(blocks: Blocks, kept: Bools, without: str, comments: Bools | None = None) -> tuple[Bools, int, int]:
    """Return the text rows of the blocks that are kept, but for those below elements of some names, as a mask.

    Without those that `comments` marks. And how many characters of them are seen, and how many hidden.
    """
    rows, seen, hidden = kernel.lines.kept_rows(
        blocks.page, blocks.rows, blocks.starts, kept.view(np.uint8), marked_tags(without), comments
    )
    return np.frombuffer(rows, dtype=np.bool_), seen, hidden


def marked(page: Page, names: str) -> Bools:
    """Return the elements of these names, as a mask."""
    tags = np.frombuffer(marked_tags(names) + b"\0", dtype=np.bool_)
    rows: Bools = tags[np.minimum(page.tag, KNOWN_TAGS)]
    return rows


@cache
def marked_tags(names: str) -> bytes:
    """Return a byte for each known element: 1 for those of these names."""
    numbers = tag_ids(names)
    return bytes(number in numbers for number in range(KNOWN_TAGS))


def nearest(page: Page, marked: Bools) -> Ints:
    """Return for each row the nearest marked one at or above it; 0 where there is none."""
    if not marked.any():
        return np.zeros(len(page), dtype=np.int32)
    return np.frombuffer(kernel.lines.nearest(page, marked.view(np.uint8)), dtype=np.int32)


def readable(page: Page) -> Bools:
    """Return the text rows that are there to be read, as a mask."""
    rows: Bools = page.chars > 0
    return rows & ~inside(page, CONTROLS)
