"""The lines of a page as the block model sees them, from the table to what is kept."""

cimport cython
from pagesieve.page.kernel.features cimport Lines
from pagesieve.page.kernel.view cimport PageView
from pagesieve.page.kernel.words cimport LineWords


@cython.final
cdef class PageLines:
    cdef PageView view
    # What `lines.split` gave, and as columns.
    cdef readonly object places, sizes
    cdef readonly int count
    cdef const long long[::1] texts, starts
    cdef const int[::1] chars, linked
    cdef readonly object comments  # a byte a row: 1 for texts that look like readers' comments
    # Matrices, a row a line: the features, the block elements around it from the inside out, the numbers of its groups.
    cdef readonly object features, around, alike
    cdef float[:, ::1] values
    cdef int[:, ::1] containers, groups
    cdef readonly Lines lines
    cdef readonly LineWords words
    cdef readonly int title  # the line of the page's title, -1 without one

    cdef int read_lines(self, object split) except -1
    cdef int tell_statements(self, list titles, object types, object texts) except -1
