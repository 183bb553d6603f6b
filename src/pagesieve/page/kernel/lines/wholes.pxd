"""What the block model knows of the wholes that a line is part of: a list, a table, an article, what has the title."""

cimport cython
from pagesieve.page.kernel.lines.features cimport Lines
from pagesieve.page.kernel.page.view cimport PageView
from pagesieve.page.kernel.lines.words cimport LineWords


@cython.final
cdef class Vocabulary:
    cdef long long[::1] known  # 0 where a slot is empty

    cdef void read(self, LineWords words, int line) noexcept nogil
    cdef Py_ssize_t slot(self, long long digest) noexcept nogil
    cdef bint has(self, long long digest) noexcept nogil


@cython.final
cdef class Wholes:
    cdef int *list_of
    cdef int *table_of
    cdef int *row_of
    cdef int *article_of
    cdef int *list_depth
    cdef int *table_depth
    cdef int *items  # of a list, by its row
    cdef int *table_rows  # of a table, by its row
    cdef int *columns
    cdef int *cells  # of a table row, by its row
    # The smallest elements with the row and the title, and with the first line of the text; 0 without one.
    cdef int *with_title
    cdef int *with_home
    cdef int *number  # of an article among the page's, by its row
    cdef unsigned char *header  # whether a row is in a header cell
    cdef int articles, largest
    cdef Vocabulary vocabulary

    cdef int make_columns(self, Py_ssize_t rows) except -1 nogil
    cdef void read(self, PageView view, Lines lines) noexcept nogil
    cdef void read_element(self, PageView view, Lines lines, int row) noexcept nogil
    cdef void read_cell(self, int row, bint is_header) noexcept nogil
    cdef void tell_list(self, Lines lines, int line, int row) noexcept nogil
    cdef void tell_table(self, Lines lines, int line, int row) noexcept nogil
    cdef void tell_article(self, Lines lines, int line, int row) noexcept nogil
    cdef void tell_wholes(self, Lines lines) noexcept nogil
    cdef int describe(self, PageView view, Lines lines, LineWords words, int title) except -1 nogil
