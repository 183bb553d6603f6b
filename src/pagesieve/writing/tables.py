"""Which tables hold data and which only lay a page out; and where the cells of a data table stand."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID, tag_ids
from pagesieve.page.table import Ints, Page
from pagesieve.writing.document import Cell, Table
from pagesieve.writing.rows import owners

# The HTML standard's own limits; what is beyond them is a mistake or an attack.
MOST_COLUMNS = 1000
MOST_ROWS = 65534
LARGEST_GRID = 400_000  # places: a table that would fill more is written without its empty ones

LONG_CELL = 600  # characters: cells of data tables are shorter, those of a layout hold whole articles
MEAN_CELL = 150
HEADED = 4  # times as long where the table says what its columns are

_TD, _TH, _THEAD = TAG_ID["td"], TAG_ID["th"], TAG_ID["thead"]
_NOT_DATA = np.array(sorted(tag_ids("table article section h1 h2 form")), dtype=np.int32)


def cells_of(page: Page, row: int) -> Ints:
    """The rows of a table's cells; nothing where a table or a section of an article stands in one of them."""
    inside = page.tag[row + 1 : page.end[row]]
    if any((inside == tag).any() for tag in _NOT_DATA):
        return np.zeros(0, dtype=np.int32)
    return (row + 1 + np.flatnonzero((inside == _TD) | (inside == _TH))).astype(np.int32)


def is_data_table(page: Page, row: int, cells: Ints, kept_chars: Ints) -> bool:
    """Whether a table is read by rows and columns: two of each at least, and small cells.

    `kept_chars` is the running sum of the characters that are kept.
    """
    if not len(cells) or page.attribute(row, "role") == "presentation":
        return False
    sizes = kept_chars[page.end[cells]] - kept_chars[cells]
    filled = sizes > 0
    if not filled.any():
        return False
    _, per_line = np.unique(page.parent[cells[filled]], return_counts=True)
    lines_of_two = int((per_line >= 2).sum())
    headed = bool((page.tag[cells] == _TH).any())
    if lines_of_two < 2 and not (lines_of_two and headed):
        return False
    times = HEADED if headed else 1
    return bool(sizes.max() <= times * LONG_CELL and sizes.sum() <= times * MEAN_CELL * filled.sum())


def skeleton(page: Page, cells: Ints) -> dict[int, list[tuple[int, Cell]]]:
    """The cells of a table by their lines, still empty: (row of the cell, the cell) by row of the line."""
    columns, rows = _spans(page, cells, "colspan", MOST_COLUMNS), _spans(page, cells, "rowspan", MOST_ROWS)
    lines: dict[int, list[tuple[int, Cell]]] = {}
    of_cells = zip(cells.tolist(), page.parent[cells].tolist(), page.tag[cells].tolist(), strict=True)
    heads: dict[int, bool] = {}
    for cell, line, tag in of_cells:
        if line not in heads:
            heads[line] = bool(page.tag[page.parent[line]] == _THEAD)
        made = Cell([], tag == _TH or heads[line], columns.get(cell, 1), rows.get(cell, 1))
        lines.setdefault(line, []).append((cell, made))
    return lines


def _spans(page: Page, cells: Ints, name: str, most: int) -> dict[int, int]:
    """How many columns or rows the cells say they span, within reason; those that say nothing are left out."""
    first, last = int(cells[0]), int(cells[-1])
    start, stop = int(page.attribute_at[first]), int(page.attribute_at[last + 1])
    named = start + np.flatnonzero(page.attribute_name[start:stop] == ATTRIBUTE_ID[name])
    rows = owners(page, named.astype(np.int32), first, last)
    return {row: _count(page.attribute(row, name), most) for row in rows.tolist()}


def _count(text: str | None, most: int) -> int:
    """A span; 0, which reaches to the end, is as many as there may be."""
    digits = (text or "").strip()
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        return 1
    return min(int(digits) or most, most)


def settle(table: Table) -> None:
    """Drops the lines in which nothing is kept; spans count the lines that are left."""
    left = [number for number, cells in enumerate(table.rows) if any(cell.blocks for cell in cells)]
    for number in left:
        for cell in table.rows[number]:
            if cell.rows > 1:
                cell.rows = bisect_left(left, number + cell.rows) - bisect_left(left, number)
    table.rows = [table.rows[number] for number in left]


def grid(table: Table) -> list[list[Cell | None]]:
    """The table as rows of equal columns, None where a cell beside or above reaches in.

    Columns in which no cell with text begins say nothing and are left out, so a cell that claims a thousand columns
    costs nothing. A table whose grid would still be huge is given as its bare rows.
    """
    reach = sum(cell.columns * cell.rows for cells in table.rows for cell in cells if cell.rows > 1)
    if reach > LARGEST_GRID:
        return [[*cells] for cells in table.rows]
    placed = _places(table)
    columns = sorted({column for line in placed for column, cell in line if cell.blocks})
    if len(columns) * len(placed) > LARGEST_GRID:
        return [[cell for _, cell in line] for line in placed]
    index = {column: number for number, column in enumerate(columns)}
    lines: list[list[Cell | None]] = []
    for line in placed:
        filled: list[Cell | None] = [None] * len(columns)
        for column, cell in line:
            if column in index:
                filled[index[column]] = cell
        lines.append(filled)
    return lines


def _places(table: Table) -> list[list[tuple[int, Cell]]]:
    """The column in which each cell begins, row by row: cells from above that reach down push it aside."""
    taken: dict[int, int] = {}  # column -> how many more rows it is taken from above
    placed: list[list[tuple[int, Cell]]] = []
    for cells in table.rows:
        column = 0
        line: list[tuple[int, Cell]] = []
        fresh: dict[int, int] = {}
        for cell in cells:
            while column in taken:
                column += 1
            line.append((column, cell))
            if cell.rows > 1:
                fresh.update(dict.fromkeys(range(column, column + cell.columns), cell.rows))
            column += cell.columns
        taken = {place: left - 1 for place, left in (taken | fresh).items() if left > 1}
        placed.append(line)
    return placed
