"""Tell tables that are read by rows and columns from those that only lay out a page."""

from pagesieve.page.kernel.page.view cimport PageView

# Whether a row is the cell of a table.
cdef bint is_cell(PageView view, int row) noexcept nogil
# What the cells of a table say of it: CELLS_LAYOUT, CELLS_BARE or CELLS_HEADED.
cdef int cells_of(PageView view, int table) noexcept nogil
# Whether a table that is no layout is read by rows and columns, given running sums of the characters that count.
cdef bint has_data(PageView view, const int[::1] sums, int table, bint headed) noexcept nogil
