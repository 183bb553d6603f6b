"""The types of `posts`."""

cimport cython
from pagesieve.page.kernel.view cimport PageView


@cython.final
cdef class MarkedRows:
    cdef const int[::1] rows  # in order
    cdef int[::1] places  # those of the rows that were found last, by their places in `rows`,
    cdef int[::1] stops  # and where the span that each stands in ends

    # The place of the first of the rows from a row on.
    cdef int first_from(self, int row) noexcept nogil
    # Find the rows in some spans; return how many they are.
    cdef int find(self, const int[::1] spans) noexcept nogil


@cython.final
cdef class PostMarks:
    cdef readonly MarkedRows bodies, authors, dates, years
    cdef PageView view
    cdef const int[::1] kept, chars  # by body: how many of its characters were kept, and how many it has
    cdef const int[::1] strengths  # by author: how sure it is
    cdef int sure  # the least strength of one that is
    cdef object is_date  # whether a row of `years` is little more than a date

    cdef bint is_more(self, int one, int other) noexcept nogil
    cdef int find_body(self, const int[::1] spans) except? -1
    cdef bint is_between(self, int row, int outer, int inner) noexcept nogil
    cdef bint is_marked(self, const int[::1] spans, int outer, int inner) except -1
