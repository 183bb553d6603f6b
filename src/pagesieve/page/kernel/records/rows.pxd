"""The rows of some records."""

cimport cython
from pagesieve.page.kernel.page.view cimport PageView


@cython.final
cdef class RecordRows:
    cdef PageView view
    cdef readonly int start, stop
    cdef bytes buffer, values  # of the page: its texts, and the values of its attributes
    # Counted before each row, from `start` on, and before the end: visible texts, cuts, visible texts and images.
    cdef int[::1] texts_before, cuts_before, said_before
    cdef int[::1] texts  # the rows of the visible texts
    cdef int[::1] lines  # the line of each of them
    # The nearest link at or above each row, or -1; the first link at or after each row, and the end, or `stop`.
    cdef int[::1] link_around, next_link
    # Caches: classes by the value of the attribute; folded texts and whether they have a word, by row.
    cdef dict class_names, strings, words
    cdef bint has_cents  # whether the last text has cents in an element of their own

    cdef void _sum_up(self, PageView view) noexcept nogil
    cdef void _find_links(self, PageView view) noexcept nogil
    cdef void _find_lines(self, const long long[::1] first) noexcept nogil
    cpdef int tag(self, int row) noexcept
    cpdef int end(self, int row) noexcept
    cpdef int parent(self, int row) noexcept
    cpdef bint shows(self, int row) noexcept
    cpdef bint cuts(self, int row) noexcept
    cpdef bint is_text(self, int row) noexcept
    cpdef list children(self, int row)
    cdef bytes class_of(self, int row)
    cpdef str href(self, int row)
    cdef bytes _value(self, int row, int name)
    cpdef tuple classes(self, int row)
    cpdef list text_rows(self)
    cdef int first_text(self, int row, int stop) noexcept
    cpdef str own(self, int row)
    cpdef bint is_word(self, int row) except -1
    cdef str _raw(self, int row)
    cdef str _trimmed(self, int row)
    cpdef list anchors(self, tuple roots)
    cpdef list texts_of(self, list parts, str between)
    cpdef str text(self, tuple roots, str between=*)
    cdef bint cents(self, tuple roots) except -1
    cdef str _joined(self, tuple roots, str between)
    cdef str _joint(self, list current, int before, int row, str text)
    cdef str _cents_sign(self, list current, int before, int row, bint touches)
    cdef str _behind(self, int row)
    cdef bint _is_inside(self, int before, int row, int tag) noexcept
    cdef tuple _around(self, int before, int row)
    cdef bint _is_new(self, int before, int row, str tail, str head) except -1
    cdef int _ended(self, int before, int row) except -1
    cdef int _begun(self, int before, int row) except -1
    cdef int _sort(self, int row) except -1
    cdef bint _has_icon(self, int before, int row) except -1
    cdef bint _are_apart(self, int first, int second) noexcept
