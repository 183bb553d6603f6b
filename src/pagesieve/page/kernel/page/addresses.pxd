"""Addresses of links: made absolute where that is plain to see, and what they say of the page behind them."""

cimport cython
from pagesieve.page.kernel.page.digests cimport KnownWords


@cython.final
cdef class Joiner:
    """Addresses made absolute. `data[:size]` is the one that was joined last."""

    cdef const unsigned char[::1] origin  # scheme and host of the base; empty where nothing can be joined to it
    cdef const unsigned char[::1] folder  # the same with the path up to the last slash
    cdef const unsigned char[::1] signs  # IN_PATH and the others, by byte
    cdef KnownWords dropped  # parameters that an address is normal without, or that make it a button
    cdef KnownWords starts  # how such parameters begin
    cdef int longest_start
    cdef unsigned char[::1] data
    cdef readonly Py_ssize_t size

    cdef int join(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef void put(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef Py_ssize_t put_begin(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef Py_ssize_t put_host(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef Py_ssize_t put_path(
        self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t stop, bint relative
    ) noexcept nogil
    cdef bint put_query(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef bint is_kept(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef bint has_prefix(
        self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t stop, const unsigned char[::1] word
    ) noexcept nogil
    cdef bint starts_with_scheme(
        self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t stop
    ) noexcept nogil
    cdef bint has(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t stop, int sign) noexcept nogil


@cython.final
cdef class Shape:
    """What an address says of the page behind it. The bounds are of the last that was read; the slashes around the
    path are none of it.
    """

    cdef KnownWords words
    cdef const unsigned char[::1] text
    cdef Py_ssize_t start, host, host_end, path, path_end, query, query_end
    cdef Py_ssize_t name, last_end  # the last name of the path; where it ends without its ending
    cdef bint has_digit  # in the path
    # The page itself.
    cdef const unsigned char[::1] own
    cdef Py_ssize_t own_host, own_host_end, own_path, own_path_end, own_folder
    # What was found.
    cdef double points
    cdef bint strong  # it has a date or the number of an article
    cdef unsigned long long signature  # of what the articles of one site have in common; 0 where it is no article
    cdef unsigned long long key, above  # digests of the address without scheme and `www.`, and of that less a name

    cdef void split(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef unsigned long long host_digest(self) noexcept nogil
    cdef void read_key(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef bint may_be_numbered(self) noexcept nogil
    cdef bint numbers_in(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef bint is_home(self) noexcept nogil
    cdef bint is_above(self) noexcept nogil
    cdef bint is_archive(self) noexcept nogil
    cdef bint ends_archive(self, Py_ssize_t at) noexcept nogil
    cdef bint is_file(self) noexcept nogil
    cdef void weigh(self) noexcept nogil
    cdef void weigh_article(self) noexcept nogil
    cdef int count_marks(self) noexcept nogil
    cdef bint is_escape(self, Py_ssize_t at) noexcept nogil
    cdef double number_points(self) noexcept nogil
    cdef int longest_number(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef double folder_points(self) noexcept nogil
    cdef bint is_numbered_list(self) noexcept nogil
    cdef bint is_dated(self) noexcept nogil
    cdef bint is_month(self, Py_ssize_t at) noexcept nogil
    cdef double kin_points(self) noexcept nogil
    cdef bint shares(self, Py_ssize_t size) noexcept nogil
    cdef unsigned long long asked(self) noexcept nogil
