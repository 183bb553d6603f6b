"""The types of `record_cuts`."""

cimport cython
from pagesieve.page.kernel.view cimport PageView


@cython.final
cdef class _Held:
    cdef int count
    cdef int[::1] chars, texts, free, links  # of each run: characters, texts, characters outside of links, links,
    cdef unsigned int[::1] names  # and a digest of the class of its first row

    cdef void read(self, PageView view, int run, int begin, int end) noexcept nogil
    cdef int up_to(self, int[::1] column, int most, int first, int last) noexcept nogil
    cdef bint is_named_apart(self, int run, int first, int last) noexcept nogil
    cdef bint is_odd(self, int run, int first, int last, int odd) noexcept nogil


@cython.final
cdef class _Likewise:
    cdef PageView view
    cdef const unsigned int[::1] names  # of each row a digest of its class
    cdef const int[::1] before  # the characters before each row
    cdef const unsigned long long[::1] sketch
    cdef const int[::1] begin, end  # of each record
    cdef int count, region
    cdef int head  # the row that records begin like
    cdef unsigned char[::1] holds  # of each record, whether one of the rows is in it
    cdef unsigned long long[::1] common  # the tag paths of records

    cdef bint is_headed(self) noexcept nogil
    cdef bint is_like_head(self, int row) noexcept nogil
    cdef list rows(self)
    cdef bint may_be_first(self, int row) noexcept nogil
    cdef bint is_in_region(self, int row) noexcept nogil
    cdef int learn(self) noexcept
    cdef int paths(self, int row) noexcept nogil
    cdef bint is_in_record(self, int row) noexcept nogil
