"""What the classes, ids and microdata of a page say of its elements; the bits are in `name_table`."""

cimport cython
from pagesieve.page.kernel.page.view cimport PageView

cdef enum:
    PAIRS = 1024  # of letters, of which five bits count


@cython.final
cdef class Screen:
    cdef unsigned long long[::1] letters  # by byte: which letters of the words it is
    cdef unsigned long long begins, ends  # the bits that begin words, and those that end them

    cdef bint is_in(self, PageView view, int k) noexcept nogil
    cdef bint has_any(self, PageView view, int row, int other) noexcept nogil


cdef unsigned int value_bits(PageView view, int k) noexcept nogil
cpdef unsigned int[::1] post_names_of(object page)
cpdef unsigned int[::1] names_among(object page, int first, int stop)
cpdef object texts_in(object page, unsigned int name, double share)
