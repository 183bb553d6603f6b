"""The classes, ids and roles of a page, each value once."""

cimport cython
from pagesieve.page.kernel.page.view cimport PageView


@cython.final
cdef class Labels:
    cdef readonly int count  # how many different values there are
    cdef int[::1] number  # by attribute: the number of its value; -1 where it is no class, id or role
    cdef int[::1] place  # by number: the first attribute with the value
    cdef int[::1] slots  # a hash table that is at most half full, until they are read
    cdef bint is_read

    cdef void read(self, PageView view) noexcept nogil
    cdef int find(self, PageView view, int place) noexcept nogil


# The labels of a page, read once for it and for those that hide other rows of it.
cdef Labels labels_of(PageView view)
# In two steps: they may still have to be read, and are kept after that.
cdef Labels labels_before(PageView view)
cdef int keep_labels(PageView view, Labels labels) except -1
