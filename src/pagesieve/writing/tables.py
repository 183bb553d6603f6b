"""Where the cells of a table stand whose cells span columns or rows."""

from __future__ import annotations

from bisect import bisect_left

from pagesieve.page.kernel.constants import LARGEST_GRID

Span = tuple[int, int, bool]  # the columns and rows of a cell, and whether there is text in it
Lines = list[tuple[int, list[Span]]]  # the number of each row that is not empty, and its cells


def place_cells(numbered: Lines) -> tuple[int, list[tuple[int, int, int]]]:
    """Return the width of a table, and (column, columns, rows) for each of its cells.

    Columns in which no cell with text begins say nothing and are left out: their cells have column -1, so a cell that
    claims a thousand columns costs nothing. Where the grid would still be huge, the width is 0 and the cells of each
    line are numbered. Rows are counted without the empty ones.
    """
    lines = _with_rows_left(numbered)
    columns = _columns(lines)
    if columns is None:
        return 0, [(number, cell[0], cell[1]) for line in lines for number, cell in enumerate(line)]
    cells = [cell for line in lines for cell in line]
    used = sorted({column for column, cell in zip(columns, cells, strict=True) if cell[2]})
    if len(used) * len(lines) > LARGEST_GRID:
        return 0, [(number, cell[0], cell[1]) for line in lines for number, cell in enumerate(line)]
    index = {column: number for number, column in enumerate(used)}
    return len(used), [(index.get(at, -1), cell[0], cell[1]) for at, cell in zip(columns, cells, strict=True)]


def _with_rows_left(numbered: Lines) -> list[list[Span]]:
    """Return the cells of each row, spanning only rows that are there."""
    left = [number for number, _ in numbered]

    def count(number: int, rows: int) -> int:
        return bisect_left(left, number + rows) - bisect_left(left, number) if rows > 1 else rows

    return [[(columns, count(number, rows), filled) for columns, rows, filled in line] for number, line in numbered]


def _columns(lines: list[list[Span]]) -> list[int] | None:
    """Return the column in which each cell begins; None where cells reach too far down to say."""
    if sum(columns * rows for line in lines for columns, rows, _ in line if rows > 1) > LARGEST_GRID:
        return None
    taken: dict[int, int] = {}  # column -> how many more rows it is taken from above
    found: list[int] = []
    for line in lines:
        column = 0
        fresh: dict[int, int] = {}
        for columns, rows, _ in line:
            while column in taken:
                column += 1
            found.append(column)
            if rows > 1:
                fresh.update(dict.fromkeys(range(column, column + columns), rows))
            column += columns
        taken = {place: left - 1 for place, left in (taken | fresh).items() if left > 1}
    return found
