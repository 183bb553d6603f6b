"""The units of a page: tables, lists, figures, quotations, sections and the like, in one pass over its rows."""

from pagesieve.page.kernel.page.view cimport PageView

# The table of the units of a page, given its lines: UNIT_COLUMNS numbers a unit, in document order.
cdef object read_units(PageView view, const long long[::1] texts, const long long[::1] starts)
