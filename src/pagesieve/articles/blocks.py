"""The blocks of a page: its rendered lines, each a run of text that no block element or line break cuts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pagesieve.page.table import Bools, Ints, Page
from pagesieve.page.tags import BLOCK, TAG_ID


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The blocks of a page, in order, a column per property."""

    page: Page
    rows: Ints  # the text rows that are seen and not blank
    of_row: Ints  # the block of each of them
    first: Ints  # the first text row of each block
    last: Ints
    chars: Ints
    link_chars: Ints

    def __len__(self) -> int:
        return len(self.first)

    def mask(self, kept: Bools) -> Bools:
        """The rows of the blocks that `kept` marks, as a mask over the page's rows."""
        marked = np.zeros(len(self.page), dtype=np.bool_)
        marked[self.rows[kept[self.of_row]]] = True
        return marked


def split(page: Page) -> Blocks:
    """The blocks of a page. What is not seen is in none of them."""
    rows = np.flatnonzero(page.chars).astype(np.int32)
    lines = _line_numbers(page)[rows]
    starts = np.flatnonzero(np.diff(lines, prepend=-1))
    of_row = np.cumsum(np.diff(lines, prepend=-1) > 0).astype(np.int32) - 1
    chars = page.chars[rows]
    linked = chars * page.linked[rows]
    return Blocks(
        page=page,
        rows=rows,
        of_row=of_row,
        first=rows[starts],
        last=rows[np.append(starts[1:], len(rows)).astype(np.int64) - 1] if len(rows) else rows,
        chars=_sums(chars, starts),
        link_chars=_sums(linked, starts),
    )


def _line_numbers(page: Page) -> Ints:
    """For each row, how many line ends stand before it."""
    ends_line = (page.sort & BLOCK) > 0
    breaks = np.zeros(len(page) + 1, dtype=np.int32)
    breaks[:-1][ends_line | (page.tag == TAG_ID["br"])] = 1
    breaks[page.end[ends_line]] = 1
    return np.cumsum(breaks[:-1], dtype=np.int32)


def _sums(column: Ints, starts: NDArray[np.intp]) -> Ints:
    if not len(starts):
        return np.zeros(0, dtype=np.int32)
    return np.add.reduceat(column, starts).astype(np.int32)
