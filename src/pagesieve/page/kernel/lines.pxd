"""The rules about lines and links that methods share, each in one or two passes over the rows of a page."""

cimport cython
from pagesieve.page.kernel.view cimport PageView

cpdef tuple split(object page, bint hidden)
cdef int[::1] lines_at(const long long[::1] texts, const long long[::1] starts, int rows)
cdef void _mark_inside(PageView view, const unsigned char[::1] wanted, unsigned char[::1] found) noexcept nogil
cdef tuple keep_rows(
    PageView view,
    const long long[::1] rows,
    const long long[::1] begins,
    const unsigned char[::1] lines,
    const unsigned char[::1] without,
    object comments,
)
cdef bint _separates(PageView view, int row) noexcept nogil


@cython.final
cdef class _LinkBlocks:
    cdef int[::1] chars, link_chars
    cdef int[::1] words  # texts outside of links that are more than separators
    cdef int[::1] links
    cdef unsigned char[::1] has_link  # a link with text, directly
    cdef unsigned char[::1] gone

    cdef void add_up(self, PageView view, const int[::1] chars) noexcept nogil
    cdef void drop(self, PageView view, double density, int spared) noexcept nogil


@cython.final
cdef class _Stretch:
    cdef const int[::1] weights
    cdef Py_ssize_t lines  # that make a block
    cdef long long weight
    cdef Py_ssize_t start, stop

    cdef void offer(self, Py_ssize_t start, Py_ssize_t last) noexcept nogil
    cdef void find(self, long long threshold, Py_ssize_t gap) noexcept nogil
    cdef void trim(self) noexcept nogil
