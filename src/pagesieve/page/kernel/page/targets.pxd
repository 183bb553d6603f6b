"""Where the links of a page lead, and which of that are articles."""

cimport cython
from pagesieve.page.kernel.page.addresses cimport Joiner, Shape
from pagesieve.page.kernel.page.digests cimport Numbers
from pagesieve.page.kernel.document.document cimport Bytes
from pagesieve.page.kernel.page.links cimport Links
from pagesieve.page.kernel.page.places cimport Places


@cython.final
cdef class Targets:
    cdef readonly Links links
    cdef object rare  # answers what is not plain to see: addresses, keys, hosts, the numbers of pages
    cdef object values  # of the page
    cdef Joiner joiner
    cdef Shape shape
    cdef Numbers keys
    cdef Bytes addresses
    # By link.
    cdef readonly int[::1] target  # -1 where it leads to no other page
    cdef int[::1] next  # the next link with the same target, or -1
    # By target, in the order of the page.
    cdef readonly int count
    cdef readonly int[::1] first  # its first link,
    cdef int[::1] last  # and its last
    cdef int[::1] address  # count + 1 offsets into `addresses`
    cdef unsigned long long[::1] above  # a digest of the key less a name

    cdef int add_link(self, int k, Numbers hrefs, int[::1] known) except -1
    cdef int find(self, int k) except -2
    cdef int read_key(self) except -1
    cdef void find_repeated(self, Numbers texts, int[::1] said_of) noexcept nogil


@cython.final
cdef class Judge:
    cdef readonly Targets targets
    cdef Links links
    cdef Shape shape
    cdef Places places
    # By target.
    cdef readonly int count
    cdef readonly double[::1] points
    cdef readonly unsigned char[::1] outside  # of another site
    cdef readonly unsigned char[::1] is_article
    cdef readonly int[::1] page_number  # where it is a page of a longer list, else -1
    cdef unsigned char[::1] strong
    cdef int[::1] kin  # the number of its signature, or -1
    # By place.
    cdef double[::1] sums
    cdef int[::1] counts, stamps, own, others, sure_others

    cdef int weigh(self) except -1
    cdef void judge(self, int[::1] kin, int[::1] below) noexcept nogil
    cdef double link_points(self, int k) noexcept nogil
    cdef double best_of(self, int target) noexcept nogil
    cdef void learn_from_places(self) noexcept nogil
    cdef double best_place(self, int target) noexcept nogil
    cdef int learn_from_kin(self, int[::1] kin, int[::1] below) noexcept nogil
    cdef double kin_points(self, int target, double share) noexcept nogil
    cdef bint is_only_navigation(self, int target) noexcept nogil
    cdef void judge_outside(self, int sure) noexcept nogil
    cdef bint is_new(self, int target, int place) noexcept nogil
    cdef bint stands_in_list(self, int target, int sure) noexcept nogil
