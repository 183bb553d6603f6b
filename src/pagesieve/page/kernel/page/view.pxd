"""A page as the kernel reads it: its columns as C arrays."""

cimport cython


@cython.final
cdef class PageView:
    # The table, by row (see pagesieve.page.table.Page).
    cdef readonly int rows
    cdef readonly int attributes  # how many attributes all rows have
    cdef const int[::1] tag, parent, end, depth
    cdef const int[::1] text_at  # rows + 1 offsets into `text`
    cdef const int[::1] attribute_at  # rows + 1 offsets into the attribute table
    # The attribute table, by attribute.
    cdef const int[::1] attribute_name
    cdef const int[::1] value_at  # attributes + 1 offsets into `values`
    # The buffers: UTF-8.
    cdef const unsigned char[::1] text, values
    # What is derived of each row, there after `measure` (kernel/page/derive).
    cdef const unsigned char[::1] visibility, linked
    cdef const int[::1] chars, hidden_chars
    # What a page of a builder takes over: the array in which all columns lie, the buffers, and the page's own names.
    cdef readonly object numbers
    cdef readonly bytes text_buffer, value_buffer
    cdef readonly tuple more_tags, more_attributes
    # What the page states of itself (kernel/page/stated), once it was asked for; of a variant, its origin has that.
    cdef object stated
    cdef PageView origin
    cdef readonly tuple unclosed  # the elements of text that ended at the next tag, for want of an end tag

    cdef object labels  # the classes, ids and roles (kernel/page/attributes), once somebody has asked for them

    # The flags of a row's element (kernel/tags), 0 for an element that is not known by number.
    cdef int flags(self, int row) noexcept nogil
    # The place of an attribute of a row in the attribute table, or -1.
    cdef int attribute(self, int row, int name) noexcept nogil
    # Read the columns of a page that was made of arrays; or those that lie one after the other in `numbers`.
    cdef int read_arrays(self, object page) except -1
    cdef int read_block(self, object numbers, int rows, int attributes, bytes text, bytes values) except -1


cpdef PageView view_of(object page)
cpdef PageView measured(object page)
