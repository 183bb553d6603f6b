"""What the class of an element says of how it is written."""

from pagesieve.page.kernel.page.view cimport PageView

# The roles of a row as bits: ROLE_UNREAD and the others of `constants`.
cdef int role_of(PageView view, int row) noexcept nogil
