"""Grids: where the rows of a layout look like records, but their cells are."""

from __future__ import annotations

import numpy as np

from pagesieve.page.kernel.group_table import GROUP_NAMES
from pagesieve.records.candidates import Candidates, Floats

LIKENESS = 70  # hundredths of their tag paths that neighbouring cells share
TEXTS = 1.9  # in a cell, on average: the cells of a table of data have one
COVER = 0.9  # of the text of the rows that is in cells
WIDEST = 2.0  # times the text of another column that a column has: those of a table of data differ more
BEHIND = 6.0  # points that cells may have less than rows
_TEXTS_COLUMN, _LEAST_TEXTS = GROUP_NAMES.index("texts"), np.log1p(TEXTS)


def cells_of(candidates: Candidates, points: Floats, rows: int) -> int | None:
    """Return the group of the cells of a grid whose rows are the records of a group, None where that is no grid.

    The cells of a grid are alike and have several texts each; there are equally many in all rows but the last, they
    hold all of the rows' text, and no column has much more of it than another.
    """
    begin, end = candidates.spans(rows)
    near = np.flatnonzero((candidates.likeness >= LIKENESS) & (points > points[rows] - BEHIND))
    near = near[candidates.values[near, _TEXTS_COLUMN] >= _LEAST_TEXTS]
    after = np.append(candidates.first, len(candidates.begin))[near + 1]
    first = candidates.first[near]
    likely = (after - first >= 2 * len(begin) - 1) & (after - first > 2)
    likely &= (candidates.begin[first] >= begin[0]) & (candidates.end[after - 1] <= end[-1])
    found = [group for group in near[likely].tolist() if _is_grid(candidates, rows, group)]
    return max(found, key=lambda group: float(points[group]), default=None)


def _is_grid(candidates: Candidates, rows: int, cells: int) -> bool:
    """Whether the records of a group are the cells of a grid, and those of another its rows."""
    (row_begin, row_end), (begin, end) = candidates.spans(rows), candidates.spans(cells)
    row = np.searchsorted(row_begin, begin, side="right") - 1
    in_row = np.bincount(row, minlength=len(row_begin))
    columns = int(in_row[0])
    if columns < 2 or (in_row[:-1] != columns).any() or in_row[-1] > columns or (end > row_end[row]).any():
        return False
    before = candidates.chars_before
    chars, of_rows = before[end] - before[begin], (before[row_end] - before[row_begin]).sum()
    wide = chars[: len(chars) // columns * columns].reshape(-1, columns).sum(axis=0)
    return bool(chars.sum() >= COVER * of_rows and wide.max() <= WIDEST * wide.min())
