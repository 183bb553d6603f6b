"""What the classes, ids and microdata of a page say of its elements; the bits are in `name_table`."""

cimport cython
from pagesieve.page.kernel.view cimport PageView


cdef enum:
    PAIRS = 1024  # of letters, of which five bits count


@cython.final
cdef class _Pairs:
    cdef unsigned int[::1] first, second  # by pair: the words that may be there

    cdef bint may_have(self, const unsigned char* values, Py_ssize_t start, Py_ssize_t stop) noexcept nogil


@cython.final
cdef class Screen:
    cdef unsigned long long[::1] letters  # by byte: which letters of the words it is
    cdef unsigned long long begins, ends  # the bits that begin words, and those that end them

    cdef bint is_in(self, PageView view, int k) noexcept nogil
    cdef bint has_any(self, PageView view, int row, int other) noexcept nogil


@cython.final
cdef class Vocabulary:
    cdef readonly int states
    cdef const unsigned char[::1] symbols  # by byte
    cdef unsigned short[::1] steps  # by state and symbol: the next state, as its place here
    cdef unsigned int[::1] marks  # by state: the bits of the spellings that end there

    cdef int add(self, const unsigned char[::1] spelling)
    cdef void connect(self, int[::1] links) noexcept
    # The bits of a class or id, of all its words as they are, and of a text that is one word.
    cdef unsigned int read(self, const unsigned char* values, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef unsigned int scan(self, const unsigned char* values, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef unsigned int find(self, const unsigned char* values, Py_ssize_t start, Py_ssize_t stop) noexcept nogil


cdef unsigned int value_bits(PageView view, int k) noexcept nogil
cpdef unsigned int[::1] post_names_of(object page)
cpdef unsigned int[::1] names_among(object page, int first, int stop)
