"""The rules about lines and links that methods share, each in one or two passes over the rows of a page."""

from pagesieve.page.kernel.page.view cimport PageView

cdef void find_lines_at(
    const long long[::1] texts, const long long[::1] starts, int rows, int *found
) noexcept nogil
cpdef tuple split(object page, bint hidden)
cdef tuple keep_rows(
    PageView view,
    const long long[::1] rows,
    const long long[::1] begins,
    const unsigned char[::1] lines,
    const unsigned char[::1] without,
    object comments,
)
