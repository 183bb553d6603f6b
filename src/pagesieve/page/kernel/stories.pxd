"""What is known of the headings of a page that may begin another article than the page's own."""

cimport cython
from pagesieve.page.kernel.features cimport Lines
from pagesieve.page.kernel.view cimport PageView


@cython.final
cdef class _Headings:
    cdef Lines lines
    cdef const unsigned char[::1] kept
    cdef const double[::1] likelihood
    cdef int[::1] levels  # of headings; 0 for other lines
    cdef int[::1] ends  # of the sections of headings
    # Before each line: the characters, those that are kept, those weighed by likelihood, the lines that are kept.
    cdef double[::1] held, taken, likely
    cdef int[::1] counts

    cdef int set_up(self, Lines lines, const unsigned char[::1] kept, const double[::1] likelihood) except -1
    cdef void read(self, PageView view) noexcept nogil
    cdef int end_of(self, int line) noexcept nogil
    cdef void find_ends(self) noexcept nogil
    cdef void tell(
        self, PageView view, const int[:, ::1] groups, int line, int title, int before, float[::1] filled
    ) noexcept nogil
    cdef void tell_line(self, float[:, ::1] values, int line, int before, float[::1] filled) noexcept nogil
    cdef int alike_before(self, const int[:, ::1] groups, int line) noexcept nogil


cdef tuple describe_headings(
    PageView view,
    Lines lines,
    const int[:, ::1] groups,
    const unsigned char[::1] kept,
    const double[::1] likelihood,
    int title,
)
