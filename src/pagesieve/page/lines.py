"""The blocks of a page: its rendered lines, which are runs of text without a block element or line break.

Also masks over the rows of a page (rows inside elements, and readable rows), and its units: tables, lists, figures,
quotations, sections and so on, each with its rows and lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from pagesieve.page import kernel
from pagesieve.page.kernel.lines import unit_table
from pagesieve.page.kernel.lines.unit_table import UNIT_COLUMNS
from pagesieve.page.kernel.tags import KNOWN_TAGS, tag_ids
from pagesieve.stages import stage
from pagesieve.text.whitespace import fold

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pagesieve.page.table import Bools, Ints, Page


CONTROLS = "select optgroup option datalist button textarea"  # form controls, which are not readable text


@dataclass(frozen=True, eq=False)
class Blocks:
    """The blocks of a page, in order, with a column per property; a column becomes an array on first access."""

    page: Page
    rows: NDArray[np.intp]  # the visible text rows that are not blank
    starts: NDArray[np.intp]  # the index in `rows` at which each block begins
    chars: Ints
    link_chars: Ints
    columns: tuple[Any, Any, int]  # the columns in the format of `kernel.lines.lines.split`

    @classmethod
    def of_columns(cls, page: Page, columns: tuple[Any, Any, int]) -> Blocks:
        """Create blocks from the columns of the kernel."""
        blocks = object.__new__(cls)
        blocks.__dict__.update(page=page, columns=columns)
        return blocks

    def __len__(self) -> int:
        return self.columns[2]

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
        """The number of text rows of each block."""
        import numpy as np

        sizes = np.empty_like(self.starts)
        sizes[:-1] = self.starts[1:]
        sizes[-1:] = len(self.rows)
        sizes -= self.starts
        return sizes

    def mask(self, kept: Bools) -> Bools:
        """Return the rows of the blocks that `kept` marks, as a mask over the rows of the page."""
        import numpy as np

        marked = np.zeros(len(self.page), dtype=np.bool_)
        marked[self.rows[np.repeat(kept, self._sizes)]] = True
        return marked

    def any(self, rows: Any) -> Bools:
        """Return the blocks with a marked row, as a mask."""
        import numpy as np

        if not len(self):
            return np.zeros(0, dtype=np.bool_)
        return np.logical_or.reduceat(as_mask(rows)[self.rows], self.starts)

    def rows_of(self, block: int) -> NDArray[np.intp]:
        """Return the text rows of one block."""
        return self.rows[self.starts[block] : self.starts[block + 1] if block + 1 < len(self) else None]

    def row_numbers(self, block: int) -> Sequence[int]:
        """Return the text rows of one block as numbers."""
        if "rows" in self.__dict__:  # which may be others than those of the columns
            numbers: list[int] = self.rows_of(block).tolist()
            return numbers
        places, _, count = self.columns
        end = len(places) - count
        start = places[end + block]
        found: Sequence[int] = places[start : places[end + block + 1] if block + 1 < count else end]
        return found

    def buffers(self) -> tuple[Any, Any, Any]:
        """Return the columns `rows`, `starts` and `chars` in the kernel's format."""
        if "rows" in self.__dict__:  # which may be others than those of the columns
            return self.rows, self.starts, self.chars
        places, sizes, count = memoryview(self.columns[0]), memoryview(self.columns[1]), self.columns[2]
        return places[: len(places) - count], places[len(places) - count :], sizes[:count]

    def below(self, rows: Sequence[int]) -> list[tuple[int, int]]:
        """Return for each row the range of the blocks that begin at or below it."""
        import numpy as np

        begins, firsts = np.array(rows, dtype=np.intp), self.first
        starts, stops = np.searchsorted(firsts, begins), np.searchsorted(firsts, self.page.end[begins])
        return list(zip(starts.tolist(), stops.tolist(), strict=True))

    def text(self, block: int) -> str:
        """Return the visible text of a block with blanks folded."""
        rows = self.row_numbers(block)
        first, last = rows[0], rows[-1]
        return fold(self.page.text(first)) if first == last else shown(self.page, first, last + 1)


class _Column:
    """A column of blocks as an array over the memory of the kernel."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, blocks: Blocks | None, owner: type[Blocks]) -> Any:
        if blocks is None:
            return self
        import numpy as np

        from pagesieve.page.table import frozen

        places, sizes, count = blocks.columns
        rows, chars = frozen(np.frombuffer(places, dtype=np.int64)), frozen(np.frombuffer(sizes, dtype=np.int32))
        at = len(rows) - count
        blocks.__dict__.update(rows=rows[:at], starts=rows[at:], chars=chars[:count], link_chars=chars[count:])
        return blocks.__dict__[self.name]


for _name in ("rows", "starts", "chars", "link_chars"):  # after the dataclass, which would take them for defaults
    setattr(Blocks, _name, _Column(_name))


@stage("lines")
def split(page: Page, hidden: bool = False) -> Blocks:
    """Return the blocks of a page, computed once; if `hidden` is true, with text that attributes hide."""
    found = page.__dict__.setdefault("_lines", {})  # not the blocks: page and blocks would keep each other alive
    if hidden not in found:
        shows = hidden and kernel.lines.lines.has_hidden(page)
        if shows not in found:
            found[shows] = kernel.lines.lines.split(page, shows)
        found[hidden] = found[shows]
    return Blocks.of_columns(page, found[hidden])


def shown(page: Page, start: int, stop: int) -> str:
    """Return the text of a range of rows with the visibility of the first one, with a space after lines and cells."""
    return kernel.page.stated.folded(kernel.lines.lines.shown(page, start, stop))


# Masks over the rows


def as_mask(marks: Any) -> Bools:
    """Return a mask of bytes as an array."""
    import numpy as np

    return np.frombuffer(marks, dtype=np.bool_)


def as_marks(mask: Any) -> Any:
    """Return a mask as bytes, for the kernel."""
    return mask if type(mask) is bytearray or type(mask) is bytes else mask.view("uint8")


def either(some: Any, others: Any) -> Any:
    """Return the union of two masks of bytes."""
    if 1 not in others:  # the usual case
        return some
    return (int.from_bytes(some, "little") | int.from_bytes(others, "little")).to_bytes(len(some), "little")


def both(some: Any, others: Any) -> bytes:
    """Return the intersection of two masks of bytes."""
    return (int.from_bytes(some, "little") & int.from_bytes(others, "little")).to_bytes(len(some), "little")


def marks_inside(page: Page, names: str) -> bytearray:
    """Return the rows at or below elements with one of the names, as a mask of bytes."""
    found: bytearray = kernel.lines.lines.inside(page, marked_tags(names))
    return found


def inside(page: Page, names: str) -> Bools:
    """Return the rows at or below elements with one of the names, as a mask."""
    return as_mask(marks_inside(page, names))


def marked(page: Page, names: str) -> Bools:
    """Return the elements with one of the names, as a mask."""
    import numpy as np

    rows: Bools = as_mask(marked_tags(names) + b"\0")[np.minimum(page.tag, KNOWN_TAGS)]
    return rows


@cache
def marked_tags(names: str) -> bytes:
    """Return a byte for each known element: 1 if it has one of the names."""
    numbers = tag_ids(names)
    return bytes(number in numbers for number in range(KNOWN_TAGS))


def nearest(page: Page, marked: Bools) -> Ints:
    """Return for each row the nearest marked row at or above it, or 0."""
    import numpy as np

    if not marked.any():
        return np.zeros(len(page), dtype=np.int32)
    return np.frombuffer(kernel.lines.lines.nearest(page, marked.view(np.uint8)), dtype=np.int32)


def readable(page: Page) -> Bools:
    """Return the readable text rows, as a mask."""
    rows: Bools = page.chars > 0
    return rows & ~inside(page, CONTROLS)


# The names of the kinds, by number.
KINDS = (
    *("", "table", "row", "list", "definition list", "definition", "figure", "code", "quotation", "embedded post"),
    *("section", "article", "label and value"),
)


class Units:
    """The units of a page, in document order, with a column per property."""

    def __init__(self, table: NDArray[np.int32]) -> None:
        self.table = table  # a row for each unit; the columns are those of `kernel.lines.unit_table`

    @classmethod
    def of(cls, numbers: Any) -> Units:
        """Create units from a table of the kernel."""
        import numpy as np

        from pagesieve.page.table import frozen

        return cls(frozen(np.frombuffer(numbers, dtype=np.int32).reshape(-1, UNIT_COLUMNS)))

    def __len__(self) -> int:
        return len(self.table)

    @property
    def kind(self) -> Ints:
        """The kind of each unit, an index of `KINDS`."""
        return self.table[:, unit_table.UNIT_KIND]

    @property
    def first(self) -> Ints:
        """The first row of each unit."""
        return self.table[:, unit_table.UNIT_FIRST]

    @property
    def end(self) -> Ints:
        """The row after the last row of each unit."""
        return self.table[:, unit_table.UNIT_END]

    @property
    def line(self) -> Ints:
        """The first line of each unit."""
        return self.table[:, unit_table.UNIT_LINE]

    @property
    def line_end(self) -> Ints:
        """The line after the last line of each unit."""
        return self.table[:, unit_table.UNIT_LINE_END]

    @property
    def parent(self) -> Ints:
        """The number of the unit around each one, or -1. Sections are never parents."""
        return self.table[:, unit_table.UNIT_PARENT]

    @property
    def level(self) -> Ints:
        """The level of a section's heading; 1 for the header row of a table."""
        return self.table[:, unit_table.UNIT_LEVEL]

    @property
    def head_end(self) -> Ints:
        """The line after the heading of a section or the terms of a definition; the first line of other units."""
        return self.table[:, unit_table.UNIT_HEAD_END]


@stage("units")
def units_of(blocks: Blocks) -> Units:
    """Return the units of the page of some lines. They are computed once for each page and sort of lines."""
    found = blocks.page.__dict__.setdefault("_units", {})
    key = len(blocks.rows)  # there are more lines with hidden text than without
    if key not in found:
        found[key] = Units.of(kernel.lines.units.read(blocks.page, blocks.rows, blocks.starts)).table
    return Units(found[key])
