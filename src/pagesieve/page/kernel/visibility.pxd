"""What the elements and the style sheets of a page say of whether its rows are seen."""

cimport cython
from pagesieve.page.kernel.view cimport PageView

ctypedef const unsigned char* Bytes

cdef Py_ssize_t _next(Bytes css, Py_ssize_t at, Py_ssize_t stop, int byte) noexcept nogil

# Declarations
cdef int _way(Bytes css, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef bint _is_at(Bytes css, Py_ssize_t start, Py_ssize_t stop, Bytes word, Py_ssize_t size) noexcept nogil
cdef bint _may_scale(Bytes css, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef int _stated(Bytes css, Py_ssize_t start, Py_ssize_t stop, const unsigned char[::1] words) noexcept nogil
cdef bint _is_power(Bytes css, Py_ssize_t at, Py_ssize_t stop) noexcept nogil
cdef bint _has_digits(Bytes css, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef bint _is_clear(Bytes css, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef int _hundredths(Bytes css, Py_ssize_t at, Py_ssize_t stop) noexcept nogil
cdef bint _is_little(Bytes css, Py_ssize_t start, Py_ssize_t stop, int way) noexcept nogil
cdef bint _is_variable(Bytes css, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef bint _may_hide(Bytes css, int way, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef int _first(Bytes css, Py_ssize_t start, Py_ssize_t stop) noexcept nogil


@cython.final
cdef class _Block:
    cdef bint hides  # in other ways than by the next ones
    cdef bint cuts, is_flat  # which hide together
    cdef bint is_placed, is_far  # these too
    cdef int display, content, visibility  # which values are stated, as bits
    cdef int says  # the bits of what is inherited
    cdef int colour, behind  # the first digits

    cdef void start(self) noexcept nogil
    cdef void read(self, Bytes css, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef void read_all(self, Bytes css, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef bint hides_otherwise(self) noexcept nogil
    cdef bint is_suspect(self) noexcept nogil
    cdef bint is_gone(self, Bytes css, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef int bits(self, Bytes values, Py_ssize_t start, Py_ssize_t stop) noexcept nogil


# Rows
cdef int _chars(Bytes text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef bint _is_read_out(Bytes values, Py_ssize_t at, Py_ssize_t stop) noexcept nogil


@cython.final
cdef class Marks:
    cdef PageView view
    cdef object look
    cdef readonly tuple by_element
    cdef readonly object soft
    cdef readonly tuple rows
    cdef readonly list styles
    cdef readonly int said
    cdef readonly bint states_colour, states_behind
    cdef unsigned char[::1] visibility, linked, state
    cdef int[::1] chars, sums
    cdef int styles_left  # to be read
    cdef int boilerplate  # the number of the attribute of style sheets that scripts of AMP undo
    cdef bint hides_softly

    cdef int read(self, PageView view, _Block block) except -1 nogil
    cdef int read_element(self, PageView view, int row, _Block block) except -1 nogil
    cdef bint is_plain_sheet(self, PageView view, int row) noexcept nogil
    cdef int read_style(self, PageView view, int row, int k, _Block block) except -1 nogil
    cdef int looked_at(self, int k, int bits) except -1
    cdef int find(self, int sort, int row) except -1 nogil
    cdef int below(self, int row) noexcept nogil


@cython.final
cdef class Ways:
    cdef Marks marks
    cdef double most
    cdef readonly object column
    cdef readonly bint hides

    cdef unsigned char[::1] made(self)
    cdef bint is_most(self, long long chars)


# Style sheets
cdef unsigned int _place(Bytes data, Py_ssize_t start, Py_ssize_t stop, bint folds) noexcept nogil
cdef void _add_words(PageView view, int row, int name, unsigned char[::1] sieve) noexcept nogil
cdef Py_ssize_t _find(Bytes css, Py_ssize_t at, Py_ssize_t stop, int first, int second) noexcept nogil
cdef Py_ssize_t _add_sheet(unsigned char* found, Py_ssize_t written, Bytes css, Py_ssize_t stop) noexcept nogil
cdef bint _has_present(Bytes css, Py_ssize_t at, Py_ssize_t stop, const unsigned char[::1] sieve) noexcept nogil


@cython.final
cdef class _Braces:
    cdef Bytes css
    cdef Py_ssize_t size
    cdef Py_ssize_t start  # where the head of a block begins,
    cdef Py_ssize_t at  # and the block itself
    cdef Py_ssize_t depth
    cdef Py_ssize_t top  # where the block begins that is in no other one

    cdef bint next(self) noexcept nogil
    cdef Py_ssize_t end(self) noexcept nogil
    cdef void enter(self) noexcept nogil
    cdef void leave(self) noexcept nogil
    cdef bint is_outer(self) noexcept nogil
    cdef Py_ssize_t around(self) noexcept nogil
