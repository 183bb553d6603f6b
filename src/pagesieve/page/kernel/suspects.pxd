"""Where a page may hold what no reader sees: characters (see pagesieve.text.invisible), and elements by their names."""

from pagesieve.page.kernel.view cimport PageView

cdef bint _is_suspect(int code) noexcept nogil
cdef bint _has_suspect(const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef void _add_words(PageView view, Py_ssize_t row, int name, unsigned char[::1] sieve) noexcept nogil
