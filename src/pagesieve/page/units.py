"""The units of a page: tables, lists, figures, quotations, sections and so on, each with its rows and lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagesieve.page import kernel
from pagesieve.page.kernel.lines import unit_table
from pagesieve.page.kernel.lines.unit_table import UNIT_COLUMNS
from pagesieve.page.lines import Blocks
from pagesieve.stages import stage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pagesieve.page.table import Ints

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
