"""The words of classes, ids, roles and the text, by their digests; and what the block model knows of them."""

cimport cython
from pagesieve.page.kernel.view cimport PageView

cdef long long _as_key(unsigned long long digest) noexcept nogil


@cython.final
cdef class _Table:
    cdef const long long[::1] known
    cdef const float[::1] scores

    cdef Py_ssize_t slot(self, long long digest) noexcept nogil


@cython.final
cdef class _ElementWords:
    cdef long long[::1] digests
    cdef int count

    cdef void read(self, PageView view, int row) noexcept nogil
    cdef void read_value(self, const unsigned char[::1] values, Py_ssize_t i, Py_ssize_t stop) noexcept nogil


@cython.final
cdef class _Scores:
    cdef float[::1] own, sums, least, most
    cdef float[::1] faded  # the further up, the less

    cdef void fill(self, PageView view, _ElementWords words, _Table table) noexcept nogil

cdef unsigned long long _text_seed() noexcept nogil


@cython.final
cdef class WordReader:
    cdef long long[::1] digests
    cdef Py_ssize_t count, most
    # The word that is being read.
    cdef unsigned long long word
    cdef int letters, digits
    cdef int last  # the character of a script without spaces before, 0 without one

    cdef void read_whole(self, const unsigned char[::1] text) noexcept nogil
    cdef void read_text(self, const unsigned char[::1] text, Py_ssize_t i, Py_ssize_t stop) noexcept nogil
    cdef void read_ascii(self, int c) noexcept nogil
    cdef void read_wide(self, int code) noexcept nogil
    cdef void begin(self) noexcept nogil
    cdef void add_letter(self, int code) noexcept nogil
    cdef void add_ideograph(self, int code) noexcept nogil
    cdef void end(self) noexcept nogil


@cython.final
cdef class LineWords:
    cdef const long long[::1] texts, starts
    cdef readonly int lines
    cdef int[::1] at
    cdef long long[::1] digests, whole

    cdef Py_ssize_t stop(self, int line) noexcept nogil
    cdef Py_ssize_t bound(self, PageView view) noexcept nogil
    cdef void read(self, PageView view, WordReader reader, int line) noexcept nogil
