"""Which tables hold data and which only lay a page out; and where the cells of a data table stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagesieve.page.table import Bools, Page
from pagesieve.page.tags import TAG_ID, tag_ids

if TYPE_CHECKING:
    from pagesieve.page.writer.document import Cell, Table

# The HTML standard's own limits; what is beyond them is a mistake or an attack.
MOST_COLUMNS = 1000
MOST_ROWS = 65534
LARGEST_GRID = 400_000  # cells: a table that would fill more is written without its empty places

LONG_CELL = 600  # characters: cells of data tables are shorter, those of a layout hold whole articles
MEAN_CELL = 150

_CELLS = tag_ids("td th")
_NOT_DATA = tag_ids("table pre article section h1 h2 form")


def is_data_table(page: Page, row: int, kept: Bools) -> bool:
    """Whether a table is read by rows and columns: two of each at least, small cells, nothing large inside."""
    end = int(page.end[row])
    if page.attribute(row, "role") == "presentation":
        return False
    inside = page.tag[row + 1 : end]
    if any(tag in _NOT_DATA for tag in set(inside.tolist())):
        return False
    kept_chars = page.below(page.chars * kept) if end - row > 2000 else None
    sizes: list[int] = []
    rows_of_two = 0
    for line in (row + 1 + i for i in (inside == TAG_ID["tr"]).nonzero()[0].tolist()):
        cells = _children(page, line)
        filled = [size for cell in cells if (size := _kept_chars(page, cell, kept, kept_chars)) > 0]
        sizes.extend(filled)
        rows_of_two += len(filled) >= 2
    if rows_of_two < 2 and not (rows_of_two and TAG_ID["th"] in inside):
        return False
    return max(sizes) <= LONG_CELL and sum(sizes) <= MEAN_CELL * len(sizes)


def _kept_chars(page: Page, cell: int, kept: Bools, kept_below: object) -> int:
    if kept_below is not None:
        return int(kept_below[cell])  # type: ignore[index]
    span = slice(cell, int(page.end[cell]))
    return int((page.chars[span] * kept[span]).sum())


def _children(page: Page, line: int) -> list[int]:
    cells, row = [], line + 1
    while row < page.end[line]:
        if page.tag[row] in _CELLS:
            cells.append(row)
        row = int(page.end[row])
    return cells


def span(page: Page, cell: int) -> tuple[int, int]:
    """How many columns and rows a cell says it spans, within reason."""
    columns = _count(page.attribute(cell, "colspan"))
    rows = _count(page.attribute(cell, "rowspan"))
    return min(columns, MOST_COLUMNS), min(rows, MOST_ROWS)


def _count(text: str | None) -> int:
    digits = (text or "").strip()
    return max(int(digits), 1) if digits.isascii() and digits.isdigit() and len(digits) < 10 else 1


def grid(table: Table) -> list[list[Cell | None]]:
    """The table as rows of equal columns, None where a cell beside or above reaches in.

    Columns in which no cell begins say nothing and are left out, so a cell that claims a thousand columns costs
    nothing. A table whose grid would still be huge is given as its bare rows.
    """
    placed = _places(table)
    columns = sorted({column for line in placed for column, _ in line})
    if len(columns) * len(placed) > LARGEST_GRID:
        return [[cell for _, cell in line] for line in placed]
    index = {column: number for number, column in enumerate(columns)}
    lines: list[list[Cell | None]] = []
    for line in placed:
        filled: list[Cell | None] = [None] * len(columns)
        for column, cell in line:
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
            while taken.get(column, 0) > 0:
                column += 1
            line.append((column, cell))
            if cell.rows > 1:
                fresh.update(dict.fromkeys(range(column, column + cell.columns), cell.rows))
            column += cell.columns
        taken = {place: left - 1 for place, left in (taken | fresh).items() if left > 1}
        placed.append(line)
    return placed
