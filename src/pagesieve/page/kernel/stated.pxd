"""The types of `stated`."""

cimport cython
from pagesieve.page.kernel.view cimport PageView

cdef int _lower(int byte) noexcept nogil
cdef bint _among(int number, const unsigned char[::1] numbers) noexcept nogil
cdef int _without_numbers(
    const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t stop, unsigned char[::1] copy
) noexcept nogil
cdef unsigned long long _digest(const unsigned char[::1] text, int size) noexcept nogil
cdef bint _begins_with(PageView view, int k, const unsigned char[::1] word) noexcept nogil


@cython.final
cdef class _Words:
    cdef unsigned long long[::1] letters  # by byte: which letters of the words it is
    cdef int[::1] left  # by the bit that ends a word: how many more of it count
    cdef unsigned long long begins  # the bits that begin words,
    cdef unsigned long long ends  # and those that end them

    cdef int last_in(self, PageView view, int k) noexcept nogil

cdef bint _holds(PageView view, int row, const unsigned char[::1] word) noexcept nogil
cdef bint _has_year(PageView view, int row) noexcept nogil
