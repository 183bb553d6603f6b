"""The items of a list of articles: the element around each link, and the lines and times in it."""

cimport cython
from pagesieve.page.kernel.links cimport Links
from pagesieve.page.kernel.targets cimport Judge, Targets


@cython.final
cdef class Items:
    cdef Links links
    cdef Targets targets
    cdef int[::1] place  # of each row
    cdef const unsigned char[::1] made_for_items  # by the number of an element
    cdef const unsigned char[::1] kept  # by target: whether it is in the list
    # By link: the last row before it, and the first after it, of a link of the list that leads elsewhere;
    cdef int[::1] before, after
    cdef int[::1] top  # the highest element without such a link,
    cdef int[::1] item  # and the row of its item
    cdef int[::1] usual  # by place: how deep its items begin; -1 where there is but one link
    cdef int[::1] times  # the rows of the `time` elements that are seen
    cdef int time_count
    cdef int[::1] next, depths  # the links of a place, and how many items begin at a depth

    cdef bint is_listed(self, int k) noexcept nogil
    cdef void find_bounds(self) noexcept nogil
    cdef void find_tops(self, int[::1] first) noexcept nogil
    cdef void find_usual(self, int first, int place) noexcept nogil
    cdef void find_items(self) noexcept nogil
    cdef int alone(self, int row, int top) noexcept nogil
    cdef int first_line(self, int row) noexcept nogil
    cdef bint may_have_date(self, int line) noexcept nogil
    cdef void find_times(self) noexcept nogil
    cdef int first_time(self, int row) noexcept nogil
