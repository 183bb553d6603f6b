"""The words of classes, ids, roles and the text, by their digests; and what the block model knows of them."""

cimport cython
from pagesieve.page.kernel.page.attributes cimport Labels
from pagesieve.page.kernel.page.view cimport PageView


@cython.final
cdef class WordTable:
    cdef const long long[::1] known
    cdef const float[::1] scores
    cdef unsigned char[::1] seen  # a bit for some bits of a digest: most words are none, and the table is large

    cdef int may_know(self, long long digest) noexcept nogil
    cdef Py_ssize_t slot(self, long long digest) noexcept nogil


@cython.final
cdef class ElementWords:
    cdef long long[::1] digests
    cdef int count
    cdef double score  # what the words say in sum

    cdef void read(self, PageView view, int row) noexcept nogil
    cdef void read_value(self, const unsigned char[::1] values, Py_ssize_t i, Py_ssize_t stop) noexcept nogil
    cdef int add_up(self, WordTable table) noexcept nogil


@cython.final
cdef class WordReader:
    cdef long long *digests
    cdef Py_ssize_t size  # that there is room for
    cdef Py_ssize_t count, most
    # The word that is being read.
    cdef unsigned long long word
    cdef int letters, digits
    cdef int last  # the character of a script without spaces before, 0 without one

    cdef void read_whole(self, const unsigned char[::1] text) noexcept nogil
    cdef void read_text(self, const unsigned char[::1] text, Py_ssize_t i, Py_ssize_t stop) noexcept nogil
    cdef Py_ssize_t read_letters(self, const unsigned char[::1] text, Py_ssize_t i, Py_ssize_t stop) noexcept nogil
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
    cdef int *at
    cdef long long *digests
    cdef long long *whole
    cdef int *likely  # room for the words that a table may know

    cdef WordReader reader

    cdef int set_up(self, PageView view, const long long[::1] texts, const long long[::1] starts) except -1
    cdef int read_all(self, PageView view) except -1 nogil
    cdef Py_ssize_t stop(self, int line) noexcept nogil
    cdef Py_ssize_t bound(self, PageView view) noexcept nogil
    cdef void read(self, PageView view, int line) noexcept nogil


@cython.final
cdef class Scores:
    cdef Labels labels
    cdef ElementWords element  # the one that is read
    # By label: what its words say in sum, how many words it has, and how many of them the table knows.
    cdef double *said
    cdef int *words
    cdef int *known
    # By row; what is `faded` counts the less, the further up it stands.
    cdef float *own
    cdef float *sums
    cdef float *least
    cdef float *most
    cdef float *faded

    cdef int set_up(self, PageView view) except -1
    cdef int make_columns(self, Py_ssize_t rows) except -1 nogil
    cdef void read_label(self, PageView view, int label, ElementWords words, WordTable table) noexcept nogil
    cdef int read(self, PageView view, int row, ElementWords words, WordTable table) noexcept nogil
    cdef void fill(self, PageView view, ElementWords words, WordTable table) noexcept nogil
    cdef int describe(
        self, PageView view, const int[:, ::1] around, WordTable table, LineWords words, float[:, ::1] filled
    ) except -1 nogil
