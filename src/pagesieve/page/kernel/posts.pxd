"""The types of `posts`."""

cimport cython
from pagesieve.page.kernel.view cimport PageView

cdef enum:
    LEAST_POSTS = 2
    FEW_POSTS = 8  # that are looked at first
    MOST_ABOVE = 12  # elements around what was kept first that may be its post
    MOST_MARKS = 300  # elements of a post that are looked at
    MOST_ROWS = 3000  # of a post whose body is not named
    MOST_INSIDE = 200  # posts directly inside of one
    MOST_AROUND = 600  # characters around a post: a user card
    FEW_INSIDE = 2  # dates and the like inside of a post that look like posts
    LONGEST_FORM = 600  # characters of a form that asks who somebody is
    LONGEST_MARKED = 400  # bytes below an element that marks an author
    FEW_TEXTS = 4  # of such an element, of which one is the name
    # How sure an author is: as an attribute of the post states it, as microdata do, by a class, a link, a vaguer class.
    # What stands before the body of the post counts one more: what follows may be who changed or liked it.
    GIVEN = 12
    NAMED = 10
    STATED = 8
    SURE = 6
    LINKED = 4
    HINTED = 2

cdef bint _is_post(PageView view, unsigned int[::1] names, int row) noexcept nogil
cdef bint _is_seen_post(PageView view, unsigned int[::1] names, int row) noexcept nogil
cdef bint _links_away(PageView view, int row) noexcept nogil
cdef bint _lead_away(PageView view, const int[::1] roots, int count)
cdef bint _are_links(PageView view, const int[::1] roots, int count) noexcept nogil
cdef unsigned long long _digest_words(PageView view, int row, bint is_first) noexcept nogil


@cython.final
cdef class MarkedRows:
    cdef int[::1] rows  # in order,
    cdef int count  # so many
    cdef int[::1] places  # those of the rows that were found last, by their places in `rows`,
    cdef int[::1] stops  # and where the span that each stands in ends

    cdef void add(self, int row) noexcept nogil
    # The place of the first of the rows from a row on.
    cdef int first_from(self, int row) noexcept nogil
    # Find the rows in some spans; return how many they are.
    cdef int find(self, const int[::1] spans) noexcept nogil


@cython.final
cdef class _Post:
    cdef int place  # of its element among the roots
    cdef int root, end  # its element
    cdef list inner  # the posts inside of it
    cdef int[::1] spans  # where its own rows begin and end, by turns
    cdef int body  # the row of what was written, or -1
    cdef int stated  # the row of the date that it states, or -1
    cdef int strength  # how sure the author is
    cdef object author
    cdef object date  # None where it has none,
    cdef bint is_dated  # or was not read yet
    cdef bint is_whole  # whether it was read with this element, not in one inside of it
    cdef set sorts  # of the elements that are around nothing but it


@cython.final
cdef class Finder:
    cdef PageView view
    cdef object reader
    cdef dict given
    cdef const unsigned char[::1] kept
    cdef unsigned int[::1] names
    cdef readonly int first, stop  # the rows in which posts are looked for
    # By root, an element that is named as posts are: its row, what alike posts have in common, what equal ones have.
    cdef MarkedRows roots
    cdef unsigned long long[::1] sorts, kinds
    # By row.
    cdef long long[::1] sums, kept_sums  # characters before it
    cdef unsigned char[::1] asking  # whether it is in a form that asks who somebody is
    cdef int[::1] beside, furniture  # the nearest such element at or above it, or 0
    # What is marked.
    cdef MarkedRows bodies, authors, dates, years, seen, texts
    cdef int[::1] strengths  # by author
    cdef list author_names, stated_dates  # by author and by date, None where they were not read yet

    cdef void find_roots(self, unsigned int[::1] names, int first, int stop) noexcept nogil
    cdef void mark_forms(self, MarkedRows asking) noexcept nogil
    cdef bint asks(self, int row) noexcept nogil
    cdef void mark(self, const int[::1] dating) noexcept nogil
    cdef bint is_body(self, int row) noexcept nogil
    cdef bint is_mark(self, int row) noexcept nogil
    cdef bint may_be_dated(self, int row, const int[::1] dating) noexcept nogil
    cdef int strength_of(self, int row) noexcept nogil
    cdef void mark_texts(self) noexcept nogil
    cdef int[::1] nearest(self, unsigned int name)

    cdef str name_of(self, int place)
    cdef str date_of(self, int place)

    cdef _Post read(self, int place, list inner)
    cdef int find_who_and_when(self, _Post post) except -1
    cdef bint is_more(self, int one, int other) noexcept nogil
    cdef int find_body(self, const int[::1] spans) except? -1
    cdef bint is_between(self, int row, int outer, int inner) noexcept nogil
    cdef bint is_marked(self, const int[::1] spans, int outer, int inner) except -1
    cdef bint is_made_as(self, int place, list inner)
    cdef object read_date(self, _Post post)
    cdef bint has_text(self, _Post post)
    cdef bint has_words(self, list rows) except -1
    cdef list rows_of(self, _Post post)
    cdef list rows_without_body(self, _Post post)

    cdef list taken(self, int place, list inner)
    cdef _Post widened(self, int place, list inner)
    cdef _Post absorbing(self, int place, list inner)
    cdef bint is_like(self, _Post own)
    cdef bint is_answered(self, _Post own)
    cdef list written(self, list posts)
