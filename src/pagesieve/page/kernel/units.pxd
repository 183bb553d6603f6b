"""The units of a page: tables, lists, figures, quotations, sections and the like, in one pass over its rows."""

cimport cython
from pagesieve.page.kernel.view cimport PageView

cdef int[::1] _running_sum(PageView view)
cdef int _count_candidates(PageView view) noexcept nogil
cdef bint _is_named_post(const unsigned char[::1] values, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef bint _is_post(PageView view, int row) noexcept nogil


@cython.final
cdef class _Units:
    cdef PageView view
    cdef const long long[::1] texts  # the text rows of all lines
    cdef const long long[::1] starts  # where in them each line begins
    cdef int[::1] lines_at  # by row: the first line at or after it
    cdef int[::1] sums  # by row: the characters before it
    cdef object numbers  # the table, UNIT_COLUMNS numbers a unit
    cdef int[::1] table
    cdef int count
    # Stacks of the units that are open: those that are elements or groups, and sections.
    cdef int[::1] open, sections
    cdef int depth, section_depth
    cdef bint described  # whether the group on top of the stack has a description yet

    cdef int set_up(self, PageView view, const long long[::1] texts, const long long[::1] starts) except -1
    cdef int get(self, int unit, int column) noexcept nogil
    cdef void put(self, int unit, int column, int value) noexcept nogil
    cdef int add(self, int kind, int row, int end) noexcept nogil
    cdef void finish(self, int unit, int end) noexcept nogil
    cdef bint is_in(self, int kind) noexcept nogil
    cdef void close(self, int row) noexcept nogil
    cdef int kind_of(self, int row) noexcept nogil
    cdef bint is_data_table(self, int row) noexcept nogil
    cdef bint count_part(self, int kind) noexcept nogil
    cdef void open_row(self, int row) noexcept nogil
    cdef bint is_header(self, int row) noexcept nogil
    cdef void open_group(self, int term) noexcept nogil
    cdef int wrapper(self, int heading) noexcept nogil
    cdef bint has_same_lines(self, int row, int other) noexcept nogil
    cdef void open_section(self, int heading, int level) noexcept nogil
    cdef void end_sections(self, int row, int level) noexcept nogil
    cdef void open_pair(self, int line) noexcept nogil
    cdef int last_text(self, int line) noexcept nogil
    cdef bint is_label(self, int line) noexcept nogil
    cdef int block(self, int row) noexcept nogil
    cdef void read_row(self, int row) noexcept nogil
    cdef void read(self) noexcept nogil


# The table of the units of a page, given its lines: UNIT_COLUMNS numbers a unit, in document order.
cdef object read_units(PageView view, const long long[::1] texts, const long long[::1] starts)
