"""The blocks of a page: its rendered lines, each a run of text that no block element or line break cuts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.text.whitespace import fold


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The blocks of a page, in order, a column per property."""

    page: Page
    rows: NDArray[np.intp]  # the text rows that are seen and not blank
    starts: NDArray[np.intp]  # where in `rows` each block begins
    chars: Ints
    link_chars: Ints

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

    def text(self, block: int) -> str:
        """The text that is seen of a block, its blanks folded."""
        rows = self.rows_of(block)
        first, last = int(rows[0]), int(rows[-1])
        return fold(self.page.text(first)) if first == last else shown(self.page, first, last + 1)


def split(page: Page, hidden: bool = False) -> Blocks:
    """The blocks of a page. What is not seen is in none of them, unless what attributes hide is asked for too."""
    own = page.chars + page.hidden_chars if hidden else page.chars
    rows, starts, chars, link_chars = kernel.lines.split(page.tag, page.end, own, page.linked)
    return Blocks(
        page,
        np.frombuffer(rows, dtype=np.int64),
        np.frombuffer(starts, dtype=np.int64),
        np.frombuffer(chars, dtype=np.int32),
        np.frombuffer(link_chars, dtype=np.int32),
    )


def shown(page: Page, start: int, stop: int) -> str:
    """The text that is seen in some rows, or hidden as the first is; where a line or a cell ends is a blank."""
    return fold(kernel.lines.shown(page, start, stop).decode("utf-8", "replace"))
