"""Digests of words, and what is known by them: numbers in the order in which they come, flags of known words."""

cimport cython

# The digest of a word in small letters of ASCII.
cdef unsigned long long word_digest(const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil


@cython.final
cdef class Numbers:
    cdef readonly int count
    cdef int mask
    cdef int[::1] table  # the numbers by digest, from 1 on: an open hash table, 0 where a slot is free
    cdef unsigned long long[::1] digests

    # The number of a digest, or -1.
    cdef int find(self, unsigned long long digest) noexcept nogil
    # The number of a digest; the next one where it is new.
    cdef int number(self, unsigned long long digest) noexcept nogil


@cython.final
cdef class KnownWords:
    cdef Numbers numbers
    cdef int[::1] flags

    # The flags of a word; 0 where it is not known.
    cdef int flags_of(self, unsigned long long digest) noexcept nogil
    cdef int flags_in(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
