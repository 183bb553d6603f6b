"""The document of a selection: a table of blocks in reading order, and a table of the marks in their text."""

cimport cython

cdef int _size(const unsigned char* text, Py_ssize_t at, Py_ssize_t stop) noexcept nogil
cdef int _class(const unsigned char* text, Py_ssize_t at, int size) noexcept nogil


@cython.final
cdef class Bytes:
    cdef object buffer
    cdef unsigned char[::1] data
    cdef unsigned char* raw  # the same
    cdef Py_ssize_t room, at

    cdef int make_room(self, Py_ssize_t more) except -1
    cdef int put(self, bytes words) except -1
    cdef int copy(self, const unsigned char[::1] source, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef void fold(self, Py_ssize_t start) noexcept nogil
    cdef bytes since(self, Py_ssize_t start)


@cython.final
cdef class BlockTable:
    """What `build` returns. `kernel/constants.py` names the kinds and the columns."""

    cdef readonly object blocks  # an array of BLOCK_COLUMNS numbers a block, block 0 being the document
    cdef readonly object marks  # an array of MARK_COLUMNS numbers a mark
    cdef readonly bytes text  # UTF-8
