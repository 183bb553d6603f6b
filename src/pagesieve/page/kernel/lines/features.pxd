"""What the block model knows of each line of a page, in a few passes over the rows and one over the text."""

cimport cython
from pagesieve.page.kernel.page.attributes cimport Labels
from pagesieve.page.kernel.page.view cimport PageView
from pagesieve.page.kernel.page.punctuation cimport CharCounter


@cython.final
cdef class Lines:
    cdef Labels labels  # the classes of the page
    cdef float[:, ::1] values
    cdef const long long[::1] texts  # the text rows of all lines
    cdef const long long[::1] starts  # where in them each line begins
    cdef int lines
    # By row: the nearest block at or above, the bits of what it is inside of, the digests of the elements above it,
    # and of those with their classes.
    cdef int *block
    cdef int *within
    cdef unsigned long long *paths
    cdef unsigned long long *styles
    # By row: the sums of what is at and below it; and the first line at or after it.
    cdef int *sum_chars
    cdef int *sum_links
    cdef int *sum_lines
    cdef int *sum_paragraphs
    cdef int *sum_images
    cdef int *sum_controls
    cdef int *lines_at
    # By line: its first row, and what it holds.
    cdef int *first
    cdef int *chars
    cdef int *link_chars
    cdef int *marks
    cdef unsigned char *stops
    cdef unsigned long long *digests  # of what is numbered
    cdef int *room  # to number rows or lines in
    cdef void *memory  # of these columns
    cdef CharCounter counter
    # Of the page: its characters; those outside of links; of the longest line, and the line with the most outside.
    cdef long long total, unlinked
    cdef int longest, richest

    cdef int set_up(
        self, PageView view, const long long[::1] texts, const long long[::1] starts, float[:, ::1] values
    ) except -1
    cdef int make_columns(self, Py_ssize_t rows) except -1 nogil
    cdef bint enters_article(self, PageView view, int row) noexcept nogil
    cdef void read_elements(self, PageView view) noexcept nogil
    cdef void read_element(self, PageView view, int row) noexcept nogil
    cdef void add_up(self, PageView view) noexcept nogil
    cdef void read(self, PageView view, int line) noexcept nogil
    cdef void tell_own(self, int line) noexcept nogil
    cdef void measure_page(self) noexcept nogil
    cdef void tell_place(self) noexcept nogil
    cdef void tell_headings(self, PageView view) noexcept nogil
    cdef int next_h1(self, PageView view, int line) noexcept nogil
    cdef void tell_page(self, const unsigned char[::1] comments) noexcept nogil
    cdef void tell_elements(self, PageView view) noexcept nogil
    cdef void tell_containers(self, PageView view, int[:, ::1] containers) noexcept nogil
    cdef void tell_neighbours(self, PageView view) noexcept nogil
    cdef void tell_neighbour(self, PageView view, int line, int other, int at) noexcept nogil
    cdef void tell_window(self, int size, int at) noexcept nogil
    cdef int *number(self, const unsigned long long *digests, int count) noexcept nogil
    cdef void tell_group(self, const unsigned long long *digests, int[:, ::1] groups, int which) noexcept nogil
    cdef void tell_same(self, PageView view) noexcept nogil
    cdef int length(self, PageView view, int line) noexcept nogil
    cdef void tell_alike(self, PageView view, int[:, ::1] containers) noexcept nogil
    cdef int describe(
        self, PageView view, const unsigned char[::1] commented, int[:, ::1] around, int[:, ::1] groups
    ) except -1 nogil


cdef int heading_level(PageView view, Lines lines, int line) noexcept nogil


@cython.final
cdef class Context:
    cdef float[:, ::1] values
    cdef const double[::1] first
    cdef int lines
    # Before each line, so that those of any stretch are two look-ups.
    cdef double *weight
    cdef double *yes
    cdef double *of_groups  # two such sums of each group

    cdef int set_up(self, const double[::1] first, float[:, ::1] values) except -1
    cdef int make_columns(self) except -1 nogil
    cdef void add_up(self) noexcept nogil
    cdef double size(self, int line) noexcept nogil
    cdef double near(self, int line, int by) noexcept nogil
    cdef void tell_near(self) noexcept nogil
    cdef void tell_around(self, PageView view, const int[:, ::1] containers, const int *lines_at) noexcept nogil
    cdef void tell_groups(self, const int[:, ::1] groups, int which) noexcept nogil
    cdef void tell_page(self) noexcept nogil
    cdef int describe(
        self, PageView view, Lines lines, const int[:, ::1] containers, const int[:, ::1] groups
    ) except -1 nogil
