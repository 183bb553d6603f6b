"""What the block model knows of a page's own statements: which lines repeat its title, its data, its description."""

cimport cython
from pagesieve.page.kernel.features cimport Lines
from pagesieve.page.kernel.view cimport PageView
from pagesieve.page.kernel.words cimport LineWords

cdef Py_ssize_t _slots(Py_ssize_t count) noexcept nogil
cdef unsigned long long _run(long long[::1] digests, Py_ssize_t at, int size) noexcept nogil


@cython.final
cdef class _Runs:
    cdef unsigned long long[::1] known  # 0 where a slot is empty
    cdef Py_ssize_t mask
    cdef int count

    cdef Py_ssize_t slot(self, unsigned long long digest) noexcept nogil
    cdef void add(self, unsigned long long digest) noexcept nogil
    cdef double share(self, LineWords words, int line) noexcept nogil


@cython.final
cdef class _Titles:
    cdef long long[::1] known  # 0 where a slot is empty
    cdef int[::1] bits
    cdef Py_ssize_t mask
    cdef int[::1] sizes, common  # by title
    cdef int count, found

    cdef Py_ssize_t slot(self, long long digest) noexcept nogil
    cdef void compare(self, LineWords words, int line) noexcept nogil
    cdef double tell(self, Lines lines, LineWords words, int line) noexcept nogil


cdef int tell_titles(PageView view, Lines lines, LineWords words, list titles) except -2
cdef int tell_stated(Lines lines, LineWords words, bytes text, int at, int page_at) except -1
