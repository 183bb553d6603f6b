"""The types of `tape`. Columns are those of a tape, by token; an element's number is that of its tag."""

cimport cython
from pagesieve.page.kernel.tokenizer cimport Tokenizer

cdef Py_ssize_t _read(Tokenizer tokens, int[::1] at, int[::1] stops, int[::1] tag, unsigned char[::1] what, Py_ssize_t room) noexcept nogil
cdef int _read_tag(Tokenizer tokens, int kind) noexcept nogil
cdef int[::1] _long_texts(tuple tape, int least)


@cython.final
cdef class Stack:
    """Tags that wait for the other tag of their element, the innermost last."""
    cdef int[::1] names  # the numbers of their elements
    cdef int depth
    cdef int[::1] counts  # how many of each element are on the stack

    cdef void push(self, int tag) noexcept nogil
    cdef void pop_to(self, int depth) noexcept nogil
    # The place of the innermost tag on the stack that a tag belongs to, or -1.
    cdef int pair(self, int tag) noexcept nogil
    # End the elements that cannot hold a start tag, as far as their end tags may be omitted.
    cdef void make_way(self, int tag) noexcept nogil


@cython.final
cdef class BackwardTree:
    """A tree that grows from its last token to its first.

    A node is the token it was made of, counted from the first, but 0 is the root around all of them. The node of an end
    tag takes the place of its start tag when that is found.
    """
    cdef int[::1] token  # of each node; -1 until the start tag of an end tag is found
    cdef int[::1] name  # the number of its element, or -1
    cdef int[::1] child  # its first child, 0 where there is none
    cdef int[::1] last  # its last child, where it has one
    cdef int[::1] sibling  # the next one, or 0
    cdef int[::1] above  # the parent of nodes on the stack
    cdef Stack ends  # the end tags that wait for their start tags
    cdef int[::1] nodes  # theirs
    cdef int active  # the innermost of these, or the root

    cdef void put_first(self, int node) noexcept nogil
    cdef void read_end_tag(self, int node, int tag) noexcept nogil
    cdef void read_start_tag(self, int node, int tag, int token) noexcept nogil
    cdef bint holds_all(self, int tag) noexcept nogil
    cdef void adopt(self, int node) noexcept nogil
    cdef void dissolve_to(self, int depth) noexcept nogil


@cython.final
cdef class Surroundings:
    """The elements around a token: level 0 is the innermost."""
    cdef const int[::1] tags
    cdef const unsigned char[::1] whats
    cdef int count, token, levels
    cdef int[::1] start  # by level: the token of its start tag
    cdef int[::1] stop  # and before which token it ends
    cdef Stack stack
    cdef int outer  # how many tags on the stack are end tags that stand after the token
    # What each element found so far cannot stand in, the last one found last: those inside each end tag that waits, and
    # those around all of them.
    cdef int[::1] bars
    cdef int top
    cdef int[::1] base  # by depth of the stack: where the bars of what is inside begin
    cdef int[::1] around  # how many of each element are around the token and have not ended
    cdef int level  # the innermost that has not ended

    cdef int find(self) except -1
    cdef void wait_for_ends(self, int[::1] ends) noexcept nogil
    cdef void find_starts(self) noexcept nogil
    cdef void read_start_tag(self, int i, int tag) noexcept nogil
    cdef void add_level(self, int i) noexcept nogil
    cdef void bar(self, int tag) noexcept nogil
    cdef void find_ends(self) noexcept nogil
    cdef void start_after(self, int i, int tag) noexcept nogil
    cdef void end_after(self, int i, int tag) noexcept nogil
    cdef void end_level(self, int stop) noexcept nogil


cdef int _densest(int[::1] sizes, int window) noexcept nogil
cdef void _covered(int[::1] sizes, Surroundings found, int[::1] held) noexcept nogil
cdef int _worth_most(int[::1] held, int levels, double gain) noexcept nogil
