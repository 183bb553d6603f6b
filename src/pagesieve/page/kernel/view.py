# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""A page as the kernel reads it: its columns as C arrays, made once for each page and kept with it."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel.common import as_column
from cython.cimports.pagesieve.page.kernel.tags import KNOWN_TAGS

from pagesieve.page.kernel.tags import TAG_FLAGS

_FLAGS = cython.declare(cython.int[::1], TAG_FLAGS)


class PageView:
    """The columns of one page."""

    def __init__(self, page: Any) -> None:
        self.rows = len(page.tag)
        self.tag = as_column(page.tag)
        self.parent = as_column(page.parent)
        self.end = as_column(page.end)
        self.depth = as_column(page.depth)
        self.text_at = as_column(page.text_at)
        self.attribute_at = as_column(page.attribute_at)
        self.attribute_name = as_column(page.attribute_name)
        self.value_at = as_column(page.value_at)
        self.text = page.text_buffer
        self.values = page.value_buffer
        self.visibility = None

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
    kept = page.__dict__.get("_view")
    if isinstance(kept, PageView):
        return kept
    made = PageView(page)
    page.__dict__["_view"] = made
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
