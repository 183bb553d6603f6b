"""The page's own list: which of the articles that a page links to stand in it."""

cimport cython
from pagesieve.page.kernel.items cimport Items
from pagesieve.page.kernel.links cimport Links
from pagesieve.page.kernel.places cimport Places
from pagesieve.page.kernel.targets cimport Targets
from pagesieve.page.kernel.view cimport PageView


@cython.final
cdef class MainList:
    cdef Items items
    cdef Links links
    cdef Targets targets
    cdef Places places
    cdef PageView view
    cdef bint is_front  # whether the page is the front page of its site
    cdef unsigned char[::1] beside  # by link: whether it stands below the heading of another part of the page
    # By place, of the links in it that may be titles.
    cdef int[::1] count  # articles,
    cdef int[::1] headed  # those that a heading names,
    cdef double[::1] free  # characters outside of links in their items
    cdef int[::1] flags  # of what is around the first of them
    cdef int[::1] stamps  # the last target that was counted
    cdef readonly int place  # of the list; 0 where there is none
    cdef int first, last  # its first link, and its last
    cdef int holder  # the innermost row that holds all its items
    cdef unsigned char[::1] above  # by row: whether it holds a link of the list,
    cdef unsigned char[::1] parts  # whether it is a heading of a part of the page,
    cdef unsigned char[::1] own, known  # and what it says of all in it, where that has been read
    cdef unsigned char[::1] flags_below  # by depth: the own flags of what is deeper around the first link
    cdef readonly unsigned char[::1] main  # by target

    cdef void put_beside(self, int heading) noexcept nogil
    cdef void measure(self) noexcept nogil
    cdef bint may_be_title(self, int k) noexcept nogil
    cdef int chars_from(self, int row, int end) noexcept nogil
    cdef int chars_in(self, int row) noexcept nogil
    cdef double free_chars(self, int k) noexcept nogil
    cdef int outer(self, int k) noexcept nogil
    cdef int own_flags(self, int row) noexcept nogil
    cdef int flags_around(self, int k) noexcept nogil
    cdef double worth(self, int place) noexcept nogil
    cdef double score(self, int place) noexcept nogil
    cdef void choose(self) noexcept nogil
    cdef void mark(self) noexcept nogil
    cdef void decide(self) noexcept nogil
    cdef bint is_main(self, int k) noexcept nogil
    cdef bint is_alike(self, int k, int join) noexcept nogil
    cdef int side_flags(self, int k, int join) noexcept nogil
