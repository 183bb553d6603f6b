"""Which blocks of a style sheet may hide something."""

cimport cython

cdef int _way(const unsigned char[::1] css, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef bint _has(const unsigned char[::1] css, Py_ssize_t start, Py_ssize_t stop, const unsigned char[::1] word) noexcept nogil
cdef bint _has_digits(const unsigned char[::1] css, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef bint _is_clear(const unsigned char[::1] css, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef bint _is_little(const unsigned char[::1] css, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef int _first(const unsigned char[::1] css, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef bint _is_name(int byte) noexcept nogil
cdef bint _is_present(const unsigned char[::1] css, Py_ssize_t start, Py_ssize_t stop, const unsigned char[::1] sieve) noexcept nogil
cdef bint _has_present(const unsigned char[::1] css, Py_ssize_t start, Py_ssize_t stop, const unsigned char[::1] sieve) noexcept nogil
cdef bint _is_at_rule(const unsigned char[::1] css, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef Py_ssize_t _block_end(const unsigned char[::1] css, Py_ssize_t at) noexcept nogil
cdef bint _may_hide(const unsigned char[::1] css, int way, Py_ssize_t start, Py_ssize_t stop) noexcept nogil


@cython.final
cdef class _Block:
    cdef bint hides
    cdef int colour  # the first digit
    cdef int behind

    cdef void start(self) noexcept nogil
    cdef void read(self, const unsigned char[::1] css, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef bint is_suspect(self) noexcept nogil


@cython.final
cdef class _Braces:
    cdef Py_ssize_t depth
    cdef Py_ssize_t top

    cdef bint open(self, Py_ssize_t at) noexcept nogil
    cdef void close(self) noexcept nogil
    cdef Py_ssize_t around(self) noexcept nogil
