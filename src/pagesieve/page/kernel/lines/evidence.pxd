"""What the block model knows of a page's own statements: which lines repeat its title, its data, its description."""

cimport cython
from pagesieve.page.kernel.lines.features cimport Lines
from pagesieve.page.kernel.page.view cimport PageView
from pagesieve.page.kernel.lines.words cimport LineWords, WordReader


@cython.final
cdef class Runs:
    cdef const unsigned char[::1] text
    cdef WordReader words
    cdef unsigned long long *known  # a hash set: 0 where a slot is empty
    cdef Py_ssize_t mask

    cdef int read(self) except -1 nogil
    cdef Py_ssize_t slot(self, unsigned long long digest) noexcept nogil
    cdef void add(self, unsigned long long digest) noexcept nogil
    # The share of the runs of a line that the text has, given those of all lines.
    cdef double share(self, LineWords words, const unsigned long long *runs, int line) noexcept nogil


@cython.final
cdef class Titles:
    cdef long long[::1] known  # a hash table: 0 where a slot is empty
    cdef int[::1] bits
    cdef Py_ssize_t mask
    cdef int[::1] sizes, common  # by title
    cdef int count, found

    cdef Py_ssize_t slot(self, long long digest) noexcept nogil
    cdef void compare(self, LineWords words, int line) noexcept nogil
    cdef double tell(self, Lines lines, LineWords words, int line) noexcept nogil
    cdef int describe(self, PageView view, Lines lines, LineWords words) noexcept nogil


@cython.final
cdef class Stated:
    cdef Runs body, other, description  # None for texts that are not there
    cdef unsigned long long *runs  # of the lines

    cdef int set_up(self, tuple texts) except -1
    cdef int describe(self, Lines lines, LineWords words) except -1 nogil
    cdef int read_runs(self, LineWords words) except -1 nogil
    cdef int tell(self, Lines lines, LineWords words, Runs known, int at, int page_at) except -1 nogil
