"""The places of some rows in the structure of a page: the same elements above, of the same first classes."""

cimport cython
from pagesieve.page.kernel.page.digests cimport KnownWords, Numbers
from pagesieve.page.kernel.page.view cimport PageView


@cython.final
cdef class Places:
    cdef PageView view
    cdef KnownWords words
    cdef const unsigned char[::1] tag_bits
    cdef unsigned char[::1] wanted  # the rows, and all above them
    cdef int count  # of the rows that are wanted
    cdef int[::1] of  # the number of the place of each row that is wanted; 0 is the document's
    cdef unsigned char[::1] flags  # of each place: the bits of PLACE_… in `constants`, its own and those above
    cdef Numbers numbers

    cdef void want(self, int row) noexcept nogil
    cdef void number_all(self) noexcept nogil
    cdef int number(self, int row, int above) noexcept nogil
    cdef unsigned long long with_name(self, unsigned long long digest, int row) noexcept nogil
    cdef int first_of(self, int attribute) noexcept nogil
    cdef int read(self, int row) noexcept nogil
    cdef int named(self, int attribute) noexcept nogil
