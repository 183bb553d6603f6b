# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""A page as the kernel reads it: its columns as C arrays, made once for each page and kept with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cython
from cython.cimports.pagesieve.page.kernel.common import as_column, zeros
from cython.cimports.pagesieve.page.kernel.tags import DOCUMENT, KNOWN_TAGS

from pagesieve.page.kernel.tags import TAG_FLAGS

_FLAGS = cython.declare(cython.int[::1], TAG_FLAGS)
_NOTHING = b"\0"  # in place of a buffer without a byte, so that the address of its first one can be taken


class PageView:
    """The columns of one page; `view.pxd` lists them."""

    if TYPE_CHECKING:  # what Python reads of them
        rows: int
        text_buffer: bytes
        value_buffer: bytes
        more_tags: tuple[str, ...]
        more_attributes: tuple[str, ...]
        unclosed: tuple[str, ...]

    def read_arrays(self, page):
        """Read the columns of a page that was made of arrays."""
        self.rows = len(page.tag)
        self.attributes = len(page.attribute_name)
        self.tag = page.tag
        self.parent = page.parent
        self.end = page.end
        self.depth = page.depth
        self.text_at = page.text_at
        self.attribute_at = page.attribute_at
        self.attribute_name = page.attribute_name
        self.value_at = page.value_at
        self.text_buffer = page.text_buffer
        self.value_buffer = page.value_buffer
        self.text = self.text_buffer or _NOTHING
        self.values = self.value_buffer or _NOTHING
        self.visibility = None
        return 0

    def read_block(self, numbers, rows, attributes, text, values):
        """Read the columns that lie one after the other in an array, in the order of `pagesieve.page.table.COLUMNS`."""
        block: cython.const[cython.int][::1] = numbers
        at: cython.Py_ssize_t = 4 * cython.cast(cython.Py_ssize_t, rows)
        self.numbers = numbers
        self.rows = rows
        self.attributes = attributes
        self.tag = block[:rows]
        self.parent = block[rows : 2 * rows]
        self.end = block[2 * rows : 3 * rows]
        self.depth = block[3 * rows : at]
        self.text_at = block[at : at + rows + 1]
        at += rows + 1
        self.attribute_at = block[at : at + rows + 1]
        at += rows + 1
        self.attribute_name = block[at : at + attributes]
        at += attributes
        self.value_at = block[at : at + attributes + 1]
        self.text_buffer = text
        self.value_buffer = values
        self.text = text or _NOTHING
        self.values = values or _NOTHING
        self.visibility = None
        return 0

    def column(self, number: cython.int) -> tuple[Any, int, int]:
        """Return the array that holds a column of COLUMNS, how many numbers it has, and where in bytes it begins."""
        rows: cython.Py_ssize_t = self.rows
        if number < 4:
            return self.numbers, rows, 4 * number * rows
        if number < 6:
            return self.numbers, rows + 1, 4 * (number * rows + number - 4)
        at: cython.Py_ssize_t = 6 * rows + 2
        if number == 6:
            return self.numbers, self.attributes, 4 * at
        return self.numbers, self.attributes + 1, 4 * (at + self.attributes)

    def has_rows_of(self, other: PageView) -> bool:
        """Whether two views read the same columns."""
        return cython.address(self.tag[0]) == cython.address(other.tag[0])

    def with_own_measures(self) -> PageView | None:
        """Return a view of the same columns, for a page whose derived columns differ; None for a page of arrays."""
        if self.numbers is None:
            return None
        view: PageView = PageView()
        view.numbers, view.rows, view.attributes = self.numbers, self.rows, self.attributes
        view.tag, view.parent, view.end, view.depth = self.tag, self.parent, self.end, self.depth
        view.text_at, view.attribute_at = self.text_at, self.attribute_at
        view.attribute_name, view.value_at = self.attribute_name, self.value_at
        view.text_buffer, view.value_buffer, view.text, view.values = (
            self.text_buffer,
            self.value_buffer,
            self.text,
            self.values,
        )
        view.visibility = None
        view.origin = self.origin or self
        return view

    def part(self, row: cython.int) -> PageView:
        """Return the columns of an element and what is below it, as those of a page with the element as its row 1."""
        end: cython.int = self.end[row]
        rows: cython.int = end - row + 1
        first: cython.int = self.attribute_at[row]
        last: cython.int = self.attribute_at[end]
        text: cython.int = self.text_at[row]
        value: cython.int = self.value_at[first]
        before: cython.int = row - 1
        k: cython.int
        numbers = zeros("i", 6 * rows + 2 + 2 * (last - first) + 1)
        block: cython.int[::1] = numbers
        block[0], block[rows], block[2 * rows] = DOCUMENT, -1, rows
        for k in range(1, rows):
            block[k] = self.tag[before + k]
            block[rows + k] = self.parent[before + k] - before if k > 1 else 0
            block[2 * rows + k] = self.end[before + k] - before
            block[3 * rows + k] = self.depth[before + k] - self.depth[row] + 1
        for k in range(1, rows + 1):
            block[4 * rows + k] = self.text_at[before + k] - text
            block[5 * rows + 1 + k] = self.attribute_at[before + k] - first
        for k in range(last - first):
            block[6 * rows + 2 + k] = self.attribute_name[first + k]
        for k in range(last - first + 1):
            block[6 * rows + 2 + last - first + k] = self.value_at[first + k] - value
        made: PageView = PageView()
        texts, values = self.text_buffer[text : self.text_at[end]], self.value_buffer[value : self.value_at[last]]
        made.read_block(numbers, rows, last - first, texts, values)
        return made

    def tag_of(self, row: cython.Py_ssize_t) -> int:
        """Return the number of the element of a row."""
        if not 0 <= row < self.rows:
            raise IndexError(f"row {row} of a page of {self.rows} rows")
        return self.tag[row]

    def end_of(self, row: cython.Py_ssize_t) -> int:
        """Return one past the last row below a row."""
        if not 0 <= row < self.rows:
            raise IndexError(f"row {row} of a page of {self.rows} rows")
        return self.end[row]

    def text_within(self, row: cython.Py_ssize_t, most: cython.int) -> str:
        """Return all text below a row, or nothing if it has more than `most` bytes."""
        if not 0 <= row < self.rows:
            raise IndexError(f"row {row} of a page of {self.rows} rows")
        return "" if self.text_at[self.end[row]] - self.text_at[row] > most else self.text_of(row)

    def parent_of(self, row: cython.Py_ssize_t) -> int:
        """Return the row of the element around a row, -1 for the first."""
        if not 0 <= row < self.rows:
            raise IndexError(f"row {row} of a page of {self.rows} rows")
        return self.parent[row]

    def with_attribute(self, name: cython.int) -> list[tuple[int, int]]:
        """Return the rows that have an attribute, given its number, and its places in the attribute table."""
        found: list[tuple[int, int]] = []
        for row in range(self.rows):
            for k in range(self.attribute_at[row], self.attribute_at[row + 1]):
                if self.attribute_name[k] == name:
                    found.append((row, k))
        return found

    def text_of(self, row: cython.Py_ssize_t) -> str:
        """Return all text below a row."""
        if not 0 <= row < self.rows:
            raise IndexError(f"row {row} of a page of {self.rows} rows")
        return self.text_buffer[self.text_at[row] : self.text_at[self.end[row]]].decode("utf-8", "replace")

    def value_of(self, k: cython.Py_ssize_t) -> str:
        """Return the value of an attribute, given its place in the attribute table."""
        if not 0 <= k < self.attributes:
            raise IndexError(f"attribute {k} of a page of {self.attributes} attributes")
        return self.value_buffer[self.value_at[k] : self.value_at[k + 1]].decode("utf-8", "replace")

    def flags(self, row):
        """Return the flags of a row's element."""
        return _FLAGS[self.tag[row]] if self.tag[row] < KNOWN_TAGS else 0

    def attribute(self, row, name):
        """Return the place of an attribute of a row, or -1."""
        for k in range(self.attribute_at[row], self.attribute_at[row + 1]):
            if self.attribute_name[k] == name:
                return k
        return -1


def view_of(page):
    """Return the view of a page; the columns derived from its text may not be there yet."""
    known: dict = page.__dict__
    kept = known.get("_view")
    if isinstance(kept, PageView):
        return kept
    made: PageView = PageView()
    made.read_arrays(page)
    known["_view"] = made
    return made


def measured(page):
    """Return the view of a page with the columns that are derived from its text."""
    view: PageView = view_of(page)
    if view.visibility is None:
        columns = [as_column(column) for column in page.measures]
        # Another thread may have been first, and read its columns without the GIL: they have to stay.
        if view.visibility is None:
            view.chars, view.linked, view.hidden_chars = columns[1:]
            view.visibility = columns[0]
    return view
