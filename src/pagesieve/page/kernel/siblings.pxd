"""The types of `siblings`."""

cimport cython
from pagesieve.page.kernel.view cimport PageView


@cython.final
cdef class _Sums:
    cdef PageView view
    cdef const unsigned char[::1] readable  # the texts that are there to be read
    # What stands before each row, and before the end.
    cdef int[::1] chars, linked, images, links

    cdef void read(self) noexcept nogil


@cython.final
cdef class _Siblings:
    cdef _Sums sums
    cdef int long  # characters outside links that make a text long
    cdef int parent
    cdef int[::1] met  # the names of its children
    cdef int count  # of them
    # By name: the row whose children were added last, one on; how many they are; how many have an image, a link, a long
    # text; their characters, those in links, and the sum of the squares of the characters of each.
    cdef int[::1] owner, size, images, links, wordy
    cdef double[::1] chars, linked, squares

    cdef void read(self, int parent) noexcept
    cdef void add(self, int row, int tag, int end) noexcept nogil
    cdef tuple told(self, int tag)
