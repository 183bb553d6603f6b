"""The types of `ways`."""

cimport cython
from pagesieve.page.kernel.view cimport PageView


@cython.final
cdef class _Ways:
    cdef PageView view
    cdef unsigned char[::1] wanted  # the rows, and all above them
    cdef int[::1] of  # the number of the way to each row that is wanted
    cdef int count  # of the ways
    cdef int[::1] first  # of each way the first row that it leads to,
    cdef int[::1] above  # the way above,
    cdef unsigned long long[::1] digests  # and a digest of all that it is made of
    cdef int slots
    cdef int[::1] table  # the ways by digest: an open hash table, 0 where a slot is free

    cdef void want(self, int row) noexcept nogil
    cdef void read(self) noexcept nogil
    cdef int number(self, int row, int above) noexcept nogil
    cdef unsigned long long with_value(self, unsigned long long digest, int at) noexcept nogil
    cdef bytes value(self, int row, int name, bytes values)
