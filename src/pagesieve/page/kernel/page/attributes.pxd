"""The classes, ids and roles of a page, each value once."""

cimport cython
from pagesieve.page.kernel.page.view cimport PageView


@cython.final
cdef class Labels:
    cdef readonly int count  # how many different values there are
    cdef int[::1] number  # by attribute: the number of its value; -1 where it is no class, id or role
    cdef int[::1] place  # by number: the first attribute with the value

    cdef void read(self, PageView view, int[::1] slots) noexcept nogil
    cdef int find(self, PageView view, int place, int[::1] slots) noexcept nogil


cdef Labels labels_of(PageView view)
