# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""Tell tables that are read by rows and columns from those that only lay out a page."""

from __future__ import annotations

import cython
from cython.cimports.pagesieve.page.kernel.constants import (
    CELLS_BARE,
    CELLS_HEADED,
    CELLS_LAYOUT,
    HEADED_TIMES,
    LONG_CELL,
    MEAN_CELL,
)
from cython.cimports.pagesieve.page.kernel.page.view import PageView
from cython.cimports.pagesieve.page.kernel.tags import ATTR_ROLE, KNOWN_TAGS, TAG_TD, TAG_TH

from pagesieve.page.kernel.tags import KNOWN_TAGS as _COUNT
from pagesieve.page.kernel.tags import tag_ids

# What stands in no data table, by element.
_NOT_DATA = cython.declare(
    cython.const[cython.uchar][::1],
    bytes(number in tag_ids("table article section h1 h2 form") for number in range(_COUNT)),
)
_PRESENTATION = cython.declare(cython.const[cython.uchar][::1], b"presentation")


def is_cell(view, row):
    """Whether a row is the cell of a table."""
    return view.tag[row] == TAG_TD or view.tag[row] == TAG_TH


def cells_of(view, table):
    """Return what the cells of a table say of it: CELLS_LAYOUT, CELLS_BARE, or CELLS_HEADED where some are headers."""
    found = CELLS_BARE
    for inner in range(table + 1, view.end[table]):
        if view.tag[inner] < KNOWN_TAGS and _NOT_DATA[view.tag[inner]]:
            return CELLS_LAYOUT
        if view.tag[inner] == TAG_TH:
            found = CELLS_HEADED
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_presentation(view: PageView, row: cython.int) -> cython.bint:
    """Whether a row says that it is there for its looks."""
    size = len(_PRESENTATION)
    k = view.attribute(row, ATTR_ROLE)
    if k < 0 or view.value_at[k + 1] - view.value_at[k] != size:
        return False
    for i in range(size):
        if view.values[view.value_at[k] + i] != _PRESENTATION[i]:
            return False
    return True


def has_data(view, sums, table, headed):
    """Whether a table has two rows and columns at least, and small cells, given running sums of the characters."""
    total = 0
    largest = 0
    filled = 0
    times = HEADED_TIMES if headed else 1
    lines = 0  # of two cells or more
    line = -1
    in_line = 0
    if _is_presentation(view, table):
        return False
    for inner in range(table + 1, view.end[table]):
        size = sums[view.end[inner]] - sums[inner] if is_cell(view, inner) else 0
        if size > 0:
            filled += 1
            total += size
            largest = size if size > largest else largest
            in_line = in_line + 1 if view.parent[inner] == line else 1
            line = view.parent[inner]
            if in_line == 2:
                lines += 1
    if lines == 0 or (lines < 2 and not headed):
        return False
    return largest <= times * LONG_CELL and total <= times * MEAN_CELL * filled
