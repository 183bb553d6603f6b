"""Where texts may hold characters that no reader sees (see pagesieve.text.invisible)."""

cdef bint _is_suspect(int code) noexcept nogil
cdef bint _has_suspect(const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
