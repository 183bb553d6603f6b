"""The types of `tape`. Columns are those of a tape, by token; an element's number is that of its tag."""

cimport cython
from pagesieve.page.kernel.html.tokenizer cimport Tokenizer

cdef class Surroundings

cdef int* _int_room(Py_ssize_t count) except NULL
cdef int* _counts() except NULL
cdef int _read_tag(Tokenizer tokens, int kind) noexcept nogil


@cython.final
cdef class Tape:
    """The tags and texts of a source, in order."""
    cdef readonly bytes source
    cdef int count
    cdef Py_ssize_t room  # for so many tokens
    cdef int* at  # by token: where it begins
    cdef int* stop  # and ends
    cdef int* tag  # the number of its element
    cdef int* what  # what it is (kernel/constants)

    # Both are False where there is no memory.
    cdef bint grow(self, Py_ssize_t room) noexcept nogil
    cdef bint read(self, Tokenizer tokens) noexcept nogil
    cdef int check(self, int first, int stop) except -1


@cython.final
cdef class LongTexts:
    """The texts of a tape, outside of links, that have a least size."""
    cdef Tape tape
    cdef int count
    cdef int* places  # their tokens
    cdef int* sizes  # and how many bytes they have

    cdef int densest(self, int window) noexcept nogil
    cdef int worth_most(self, Surroundings found, double gain) noexcept nogil
    cdef void weigh(self, Surroundings found) noexcept nogil


@cython.final
cdef class Stack:
    """Tags that wait for the other tag of their element, the innermost last."""
    cdef int* names  # the numbers of their elements
    cdef int depth
    cdef int* counts  # how many of each element are on the stack, as `_counts` has them

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
    cdef Tape tape
    cdef const int* tags
    cdef const int* whats
    cdef int count, token, levels
    cdef int* start  # by level: the token of its start tag
    cdef int* stop  # before which token it ends
    cdef int* held  # and how much long text it holds, once that is weighed
    cdef Stack stack
    cdef int outer  # how many tags on the stack are end tags that stand after the token
    # What each element found so far cannot stand in, the last one found last: those inside each end tag that waits, and
    # those around all of them.
    cdef int* bars
    cdef int top
    cdef int* ends  # the end tags after the token that close nothing opened after it
    cdef int* base  # by depth of the stack: where the bars of what is inside begin
    cdef int* around  # how many of each element are around the token and have not ended
    cdef int level  # the innermost that has not ended

    cdef void find(self) noexcept nogil
    cdef void wait_for_ends(self) noexcept nogil
    cdef void find_starts(self) noexcept nogil
    cdef void read_start_tag(self, int i, int tag) noexcept nogil
    cdef void add_level(self, int i) noexcept nogil
    cdef void bar(self, int tag) noexcept nogil
    cdef void find_ends(self) noexcept nogil
    cdef void start_after(self, int i, int tag) noexcept nogil
    cdef void end_after(self, int i, int tag) noexcept nogil
    cdef void end_level(self, int stop) noexcept nogil
