"""The types of `kinds`."""

cimport cython
from pagesieve.page.kernel.page.view cimport PageView


@cython.final
cdef class _Chunk:
    cdef long long text, most

    cdef void add(self, int text, bint border) noexcept nogil


@cython.final
cdef class LineSums:
    cdef int long, title  # characters outside links that make a line long; of a link that may be a title
    cdef readonly int lines
    cdef readonly long long chars, linked
    # Characters outside links: the most in a line; how many lines have many, and with how many in all; very many.
    cdef readonly int longest, long_lines, very_long_lines
    cdef readonly long long long_chars, very_long_chars
    cdef int run
    cdef readonly int longest_run  # of lines that are nearly long
    cdef readonly int link_lines, short_link_lines  # lines that are nothing but links: titles, or shorter
    cdef readonly long long link_line_chars  # of the titles
    cdef readonly int headings, linked_headings  # lines in headings, and those that are links
    cdef readonly int titles  # links outside of navigation that may be titles
    cdef readonly long long title_chars
    cdef readonly int numbers  # lines with a link that are nothing but a number
    cdef readonly list asked  # lines that may be such, which the kernel cannot tell
    cdef _Chunk between_titles, between_headings

    cdef void add_text(self, int chars, int linked) noexcept nogil
    cdef void add_title(self, int chars, int linked, bint heading, bint chrome) noexcept nogil


@cython.final
cdef class SignSums:
    cdef readonly int texts, stops  # how many texts were read, and how many of them end as sentences do
    cdef readonly int marks, digits, prices, dates

    cdef void read(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil


cdef enum:
    # What is added up of siblings of one name: the row above, one on, and their name; how many they are; their
    # characters, the sum of the squares of those, the characters in links; how many have an image, a link, a long text.
    PARENT, NAME, SIZE, CHARS, SQUARES, LINKED, IMAGES, LINKS, LONG, FIELDS
    GROUPS = 3


@cython.final
cdef class Siblings:
    cdef double[::1] sums  # by name
    cdef int[::1] met  # the names of the children of one row
    cdef int count  # of them
    cdef int least, long, title
    # The groups with the most text; and the size and the characters of the largest of which most link, have an image,
    # or are long.
    cdef double[30] best
    cdef double[3] sizes
    cdef double[3] chars

    cdef void read(self, PageSums page) noexcept
    cdef void add(self, PageSums page, int parent, int row) noexcept nogil
    cdef void offer(self, const double* group) noexcept nogil
    cdef bint is_before(self, const double* one, const double* other) noexcept nogil


@cython.final
cdef class PageSums:
    cdef PageView view
    cdef unsigned char[::1] within  # bits of what each row is inside of
    # What stands before each row, and before the end: characters that are there to be read, those in links, images,
    # links.
    cdef int[::1] chars_at, linked_at, images_at, links_at
    cdef float[::1] values
    cdef int count

    cdef void read(self) noexcept
    cdef void put(self, double value) noexcept nogil
    cdef void put_text(self, LineSums lines, SignSums signs) noexcept nogil
    cdef void put_elements(self, tuple columns, const unsigned char[::1] counted, double total)
    cdef void put_groups(self, Siblings siblings) noexcept nogil
    cdef void put_titles(self, LineSums lines, int numbers) noexcept nogil
