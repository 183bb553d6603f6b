"""Plain text of a document."""

cimport cython
from pagesieve.page.kernel.document cimport BlockTable, Bytes


@cython.final
cdef class _Writer:
    cdef int[::1] blocks, marks
    cdef const unsigned char[::1] text
    cdef list targets
    cdef object raised  # the text of a superscript or subscript
    cdef Bytes out
    cdef Bytes spoken  # a line whose marks are written as text
    cdef int indent
    cdef bint fresh  # whether a line of the output has just begun
    cdef bint captions  # whether the captions of pictures are written

    cdef int _get(self, int block, int column) noexcept nogil
    cdef bint _is_gallery(self) noexcept nogil
    cdef str write(self)
    cdef int _indent_line(self) except? -1
    cdef int _end_line(self, bytes line_ends) except? -1
    cdef int _put_lines(self, const unsigned char[::1] text, Py_ssize_t at, Py_ssize_t stop) except? -1
    cdef int _put_text(self, int block) except? -1
    cdef bint _is_spoken(self, int block) noexcept nogil
    cdef int _speak(self, int block) except? -1
    cdef int _put_string(self, str text) except? -1
    cdef int _raise(self, int start, int stop, int kind) except? -1
    cdef int _write_parts(self, int above, bytes line_ends) except? -1
    cdef bint _write_block(self, int block) except? -1
    cdef int _write_items(self, int block) except? -1
    cdef int _write_item(self, int item, bytes marker, bint line_end) except? -1
    cdef int _write_table(self, int table) except? -1
    cdef int _write_caption(self, int caption) except? -1
    cdef bint _write_cells(self, int line) except? -1
    cdef bint _write_cell(self, int cell) except? -1
