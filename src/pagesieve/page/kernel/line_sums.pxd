"""The types of `line_sums`."""

cimport cython


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
    cdef _Chunk between_titles, between_headings
    cdef readonly list numbers  # lines with a link that may be nothing but a number

    cdef void add_text(self, int chars, int linked) noexcept nogil
    cdef void add_title(self, int chars, int linked, int heading, int chrome) noexcept nogil
