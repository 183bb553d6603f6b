"""The scanner of HTML source, by the tokenization rules of the HTML standard.

Only here is decided where a tag, a value, a comment, a script or a character reference ends. The builders of the table,
the limits on nesting and the tape of `reverse` read what it yields:

    kind = tokens.next()              # the text source[text:start], and the markup after it:
                                      # a comment or doctype, which is source[first:last],
                                      # a tag, whose name is source[first:last] and whose element is `tag`,
                                      # or TOKEN_NONE: the text was the last
    while tokens.next_attribute():    # after a tag; or skip_attributes(-1)
        …
    tokens.raw_text()                 # then, if holds_text() after a start tag: its content, source[first:last]

All offsets are bytes of the source. Nothing is copied until `put` or `put_resolved` is called.
"""

cimport cython

cdef enum:
    MAX_LEGACY_LENGTH = 6  # letters of a reference that needs no semicolon
    # How many references a tokenizer knows, in values and in texts, and how much it knows of each: the last eight bytes
    # of what is written, how many bytes it means, how many of those that are written that takes, and what it means.
    KNOWN_REFERENCES = 64
    KNOWN_BYTES = 16


@cython.final
cdef class Buffer:
    """Bytes that are written one after the other: the texts of a page, or its values."""
    cdef unsigned char* data
    cdef Py_ssize_t end  # where the next byte goes
    cdef Py_ssize_t room

    cdef int begin(self, Py_ssize_t room) except -1 nogil
    cdef int reserve(self, Py_ssize_t size) except -1 nogil
    cdef void write(self, const unsigned char* data, Py_ssize_t size) noexcept nogil


# Where the next byte beyond ASCII stands, or `stop`.
cdef Py_ssize_t ascii_end(const unsigned char* source, Py_ssize_t at, Py_ssize_t stop) noexcept nogil
# Whether bytes are UTF-8 as they are.
cpdef bint is_utf8(bytes data)
# The number that a tag with this name has.
cpdef int element_number(bytes name)


@cython.final
cdef class Tokenizer:
    cdef bytes html
    cdef const unsigned char* source  # of `html`, or of a buffer where its line feeds differ
    cdef Py_ssize_t stop  # its length
    cdef Py_ssize_t at  # the next byte to read

    # The last token.
    cdef Py_ssize_t text  # where the text before it begins
    cdef Py_ssize_t start  # where its `<` stands
    cdef Py_ssize_t first  # what is written in it, or the name of its element: first to before last
    cdef Py_ssize_t last
    cdef int tag  # the number of a tag's element: below KNOWN_TAGS one of TAGS, else one that a few names share
    cdef bint in_tag  # whether the tag goes on, with attributes perhaps
    cdef bint closed  # whether the tag, the comment or the doctype has its `>`; of a tag, after its attributes
    cdef bint self_closing  # whether a slash stands before the `>` of the tag

    # The last attribute; one without a value has an empty one.
    cdef int attribute  # its number in ATTRIBUTES, or -1
    cdef unsigned long long key  # the last eight bytes of its name
    cdef Py_ssize_t name  # name to before name_end
    cdef Py_ssize_t name_end
    cdef Py_ssize_t value  # value to before value_end, without quotes
    cdef Py_ssize_t value_end

    cdef unsigned int endless  # a bit for each element of text that has no end tag in the rest of the source
    cdef unsigned char known[2 * KNOWN_REFERENCES * KNOWN_BYTES]  # the short references met so far, by hash

    cdef int begin(self, bytes html) except -1
    cdef int begin_again(self, Tokenizer tokens) except -1
    cdef int with_line_feeds(self, Buffer target) except -1 nogil

    # Read the next text, which may be empty, and the markup after it; return what that is (kernel/constants).
    cdef int next(self) noexcept nogil
    cdef bint next_attribute(self) noexcept nogil
    cdef Py_ssize_t skip_attributes(self, Py_ssize_t limit) noexcept nogil
    # Whether the content of the tag's element is text up to its end tag, in HTML (in svg it is not).
    cdef bint holds_text(self) noexcept nogil
    # Read such a content and the end tag behind it. False where there is no end tag: the content then ends at the next
    # tag, that of scripts and plaintext with the source.
    cdef bint raw_text(self) noexcept nogil
    cdef void put(self, Buffer target, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    # Copy it with its character references resolved; False where one means more bytes than it was written with.
    cdef bint put_resolved(self, Buffer target, Py_ssize_t start, Py_ssize_t stop, bint in_attribute) except -1 nogil
    cdef Py_ssize_t after_blanks(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef bint same(self, Py_ssize_t one, Py_ssize_t two, Py_ssize_t length) noexcept nogil


# Whether a span is a word of small letters, letter case aside.
cdef bint is_word(const unsigned char* data, Py_ssize_t start, Py_ssize_t stop, const char* word) noexcept nogil


@cython.final
cdef class Names:
    cdef bytes held
    cdef const unsigned char* names  # all of them, one after the other
    cdef int[::1] starts  # where each begins in them, and where the last ends
    cdef unsigned long long[::1] keys  # by slot: the key of a name, or 0
    cdef int[::1] numbers  # by slot: the number of the name, and 1024 times its length

    cdef void add(self, unsigned long long key, int number) noexcept
    cdef inline int exact(self, const unsigned char* source, Py_ssize_t start, Py_ssize_t stop, unsigned long long key) noexcept nogil
    cdef inline int number(self, const unsigned char* source, Py_ssize_t start, Py_ssize_t stop, unsigned long long key) noexcept nogil
    cdef bint spells(self, const unsigned char* source, Py_ssize_t start, int number) noexcept nogil


# Room for so many numbers, not cleared: to clear it may take as long as to read a page.
cpdef object int_room(Py_ssize_t count)
