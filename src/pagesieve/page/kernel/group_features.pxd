"""The types of `group_features`."""

cimport cython
from libc.math cimport log, log1p, sqrt
from pagesieve.page.kernel.view cimport PageView

cdef int _role(int tag) noexcept nogil


@cython.final
cdef class _Rows:
    cdef PageView view
    cdef const unsigned char[::1] hints  # what the class and id of each row say
    cdef const int[::1] chars  # of each row its own characters, if they count
    cdef const unsigned int[::1] texts  # a digest of its own text
    cdef int[::1] before  # what all rows before a row hold, HELD sums each
    cdef unsigned long long[::1] digests  # the sum of the digests of all rows before
    cdef unsigned char[::1] bad_above, good_above  # rows of such names at or above it, MOST_HINTS at most

    cdef void read(self) noexcept nogil
    cdef void count(self, int row) noexcept nogil
    cdef bint begins_link(self, int row) noexcept nogil
    cdef bint is_bad(self, int row) noexcept nogil
    cdef bint is_good(self, int row) noexcept nogil
    cdef int held(self, int what, int begin, int end) noexcept nogil


@cython.final
cdef class _Group:
    cdef _Rows rows
    # Of each group, as `recurring.find` returns them.
    cdef const int[::1] kind, region, first, lead, likeness, named
    cdef const int[::1] begin, end  # of each record
    cdef int groups, records
    # The texts that records of a group have, by digest: an open hash table.
    cdef int slots
    cdef unsigned long long[::1] met
    cdef int[::1] met_by  # the group, from 1 on
    # Of the group that was read last: its records,
    cdef int start, stop
    cdef long long sums[8]  # what they hold, HELD sums,
    cdef int having[8]  # and in how many of them there is some;
    cdef double log_text, log_text_squares, log_texts, log_texts_squares
    cdef long long all_rows
    cdef int bad, good  # with names of other things, of records
    cdef int heads_with_link  # that have a link in their first subtree
    cdef int different  # in their texts

    cdef void read(self, int group) noexcept nogil
    cdef void add(self, int record) noexcept nogil
    cdef bint is_new(self, int group, int record) noexcept nogil
    cdef void fill(self, int group, double[::1] values) noexcept nogil
    cdef void fill_text(self, int region, double count, double[::1] values) noexcept nogil

cdef double _spread(double mean, double squares) noexcept nogil
