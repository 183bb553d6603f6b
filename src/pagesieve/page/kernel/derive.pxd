"""What is derived from the columns of a page: the digests of its rows; its leaves."""

cimport cython
from pagesieve.page.kernel.view cimport PageView

cdef unsigned long long _folded(const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t stop, bint digits) noexcept nogil


@cython.final
cdef class _Digests:
    cdef unsigned long long[::1] digests
    cdef const unsigned long long[::1] of_tag
    cdef const unsigned long long[::1] of_attribute  # 0 for those that do not count
    cdef bint digits  # whether those in texts and values count

    cdef void add(self, PageView view, int row) noexcept nogil
    cdef unsigned long long of_text(self, PageView view, int row) noexcept nogil
    cdef unsigned long long of_element(self, PageView view, int row) noexcept nogil


@cython.final
cdef class _Outline:
    cdef int[::1] chars  # of each text row outside of what is dropped
    cdef int[::1] below  # their sums
    cdef int[::1] sizes  # how many rows of each subtree count
    cdef unsigned char[::1] dropped

    cdef void drop(self, PageView view, const int[::1] chars, const unsigned char[::1] dropped) noexcept nogil
    cdef void add_up(self, PageView view, _Digests digests, const unsigned char[::1] kept) noexcept nogil

cdef int _body(PageView view) noexcept nogil


@cython.final
cdef class _Subtrees:
    cdef const unsigned int[::1] digests
    cdef const int[::1] sizes
    cdef int rows
    cdef int[::1] around  # the row around each row, or -1
    cdef unsigned char[::1] used
    # A hash table from a digest to the rows that have it, in order. A row is stored as row + 1, none as 0.
    cdef unsigned int slots  # a power of two
    cdef unsigned int[::1] keys
    cdef int[::1] first  # of a slot's rows: the first that may not be used up
    cdef int[::1] following  # the next row of the same digest

    cdef void fill(self) noexcept nogil
    cdef unsigned int slot(self, unsigned int digest) noexcept nogil
    cdef bint take(self, unsigned int digest, int size) noexcept nogil

cdef int _push(int[::1] stack, int depth, const int[::1] sizes, int row, int end) noexcept nogil
cdef int _code(const unsigned char[::1] text, int at, int stop) noexcept nogil
cdef unsigned long long _leaf_digest(const unsigned int[::1] codes, int start, int stop, unsigned long long tag) noexcept nogil


@cython.final
cdef class _Leaves:
    cdef PageView view
    cdef int leaves, texts
    cdef int[::1] number  # of each row: how many texts are directly inside, then its number among the leaves
    cdef int[::1] rows  # of each leaf its element
    cdef int[::1] ends  # of each leaf where its texts end in `order`
    cdef int[::1] order  # the text rows, leaf by leaf
    cdef int[::1] text_rows  # the text rows as they stand on the page,
    cdef int[::1] leaf_of  # and the leaf of each
    cdef unsigned int[::1] codes  # the characters of all leaves
    cdef int written  # characters so far

    cdef int count(self) noexcept nogil
    cdef void sort(self) noexcept nogil
    cdef void write(self, int leaf) noexcept nogil
    cdef bint is_parted(self, int first, int second) noexcept nogil
    cdef bint fold(self, int row, int start, bint blank) noexcept nogil
