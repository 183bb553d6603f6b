"""A page as the kernel reads it: its columns as C arrays, made once for each page."""

cimport cython


@cython.final
cdef class PageView:
    # The table, by row (see pagesieve.page.table.Page).
    cdef readonly int rows
    cdef const int[::1] tag, parent, end, depth
    cdef const int[::1] text_at  # rows + 1 offsets into `text`
    cdef const int[::1] attribute_at  # rows + 1 offsets into the attribute table
    # The attribute table, by attribute.
    cdef const int[::1] attribute_name
    cdef const int[::1] value_at  # attributes + 1 offsets into `values`
    # The buffers: UTF-8.
    cdef const unsigned char[::1] text, values
    # What is derived of each row, there after `measure` (kernel/derive).
    cdef const unsigned char[::1] visibility, linked
    cdef const int[::1] chars, hidden_chars

    # The flags of a row's element (kernel/tags), 0 for an element that is not known by number.
    cdef int flags(self, int row) noexcept nogil
    # The place of an attribute of a row in the attribute table, or -1.
    cdef int attribute(self, int row, int name) noexcept nogil


cpdef PageView view_of(object page)
cpdef PageView measured(object page)
