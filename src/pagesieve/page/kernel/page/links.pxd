"""The links of a page as they stand in it: what each shows and says, and what is around it."""

cimport cython
from pagesieve.page.kernel.page.digests cimport KnownWords
from pagesieve.page.kernel.page.view cimport PageView

cdef int _first_from(const long long[::1] sorted, int row) noexcept nogil


@cython.final
cdef class Folded:
    """A text with its white space folded, and without what cannot be seen."""

    cdef object buffer
    cdef unsigned char[::1] data
    cdef Py_ssize_t size
    cdef Py_ssize_t line  # where the line at hand begins
    cdef int letters  # of that line
    cdef bint gap  # before the next word

    cdef void begin(self) noexcept nogil
    cdef void add(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef void keep(self, Py_ssize_t start, Py_ssize_t size) noexcept nogil
    cdef unsigned long long digest(self) noexcept nogil
    cdef bytes as_bytes(self)


@cython.final
cdef class Links:
    cdef readonly PageView view
    # The texts of the page, the lines that they make, and the characters of the lines.
    cdef const long long[::1] texts, starts
    cdef const int[::1] chars, link_chars
    cdef int[::1] chars_before, line_of  # of each text
    cdef int[::1] blocks_before  # block elements, of each row
    cdef int[::1] headings
    cdef KnownWords rels, asides
    cdef Folded folded
    # By link.
    cdef readonly int count
    cdef readonly int[::1] row
    cdef int[::1] href, title  # attributes; -1 where there is no title
    cdef int[::1] first, last  # the texts that say what it is called
    cdef unsigned char[::1] whole  # whether they are all of it
    cdef readonly int[::1] shown  # characters of all that it shows, without blanks
    cdef readonly unsigned char[::1] flags  # IN_HEADING and the others of `constants`
    cdef readonly double[::1] width  # of its text, or the widest of what it says without one
    cdef unsigned long long[::1] text  # a digest of its text and `shown`; 0 without a text

    cdef void read_rows(self) noexcept nogil
    cdef void read_texts(self) noexcept nogil
    cdef void read_links(self) noexcept nogil
    cdef void read_link(self, int k, int heading) noexcept nogil
    cdef bint is_aside(self, int row) noexcept nogil
    cdef bint is_in_word(self, unsigned char lead) noexcept nogil
    cdef bint is_inline(self, int first) noexcept nogil
    cdef int rel_of(self, int row) noexcept nogil
    cdef double read_text(self, int k) noexcept nogil
    cdef double read_lines(self, int first, int last, bint whole) noexcept nogil
    cdef int read_line(self, int first, int last) noexcept nogil
    cdef double widest_said(self, int k) noexcept nogil
    cdef double read_value(self, int attribute) noexcept nogil
    cdef int next_picture(self, int k, int row) noexcept nogil
    cdef unsigned long long spelling(self, int k, bint fragment) noexcept nogil
    cdef bint has_fragment(self, int k) noexcept nogil
