"""The scanner of HTML source, by the tokenization rules of the HTML standard.

Only here is decided where a tag, a value, a comment, a script or a character reference ends. The builders of the table,
the limits on nesting and the tape of `reverse` read what it yields:

    kind = tokens.next()              # a text, a comment or a doctype: its text is source[first:last]
                                      # a tag: its name is source[first:last], its element `tag`
    while tokens.next_attribute():    # after a tag, or skip_attributes(): then `at` is behind the tag
        …
    tokens.raw_text()                 # after a start tag for which holds_text() is true: its content, up to the end tag

All offsets are bytes of the source. Nothing is copied until `put` or `put_resolved` is called.
"""

cdef class Buffer:
    """Bytes that are written one after the other: the texts of a page, or its values."""
    cdef bytearray held
    cdef unsigned char* data  # of `held`
    cdef Py_ssize_t end  # where the next byte goes

    cdef void write(self, bytes data) noexcept
    cdef bytes written(self)


# A source with every CR LF and every lone CR as LF: the standard's preprocessing of the input stream.
cpdef bytes with_line_feeds(bytes html)
# The number that a tag with this name has.
cpdef int element_number(bytes name)


cdef class Tokenizer:
    cdef bytes html
    cdef const unsigned char* source  # of `html`
    cdef Py_ssize_t stop  # its length
    cdef Py_ssize_t at  # the next byte to read

    # The last token.
    cdef Py_ssize_t start  # where its `<` stands, where it is markup
    cdef Py_ssize_t first  # its text, or the name of its element: first to before last
    cdef Py_ssize_t last
    cdef int tag  # the number of a tag's element: below KNOWN_TAGS one of TAGS, else one that a few names share
    cdef bint closed  # whether the tag, the comment or the doctype has its `>`; of a tag, after its attributes
    cdef bint self_closing  # whether a slash stands before the `>` of the tag

    # The last attribute; one without a value has an empty one.
    cdef int attribute  # its number in ATTRIBUTES, or -1
    cdef unsigned int hash  # of its name
    cdef Py_ssize_t name  # name to before name_end
    cdef Py_ssize_t name_end
    cdef Py_ssize_t value  # value to before value_end, without quotes
    cdef Py_ssize_t value_end

    cdef dict references  # the character references met so far: what each means

    # Read the next token and return what it is (kernel/syntax).
    cdef int next(self) noexcept nogil
    # Read the next attribute of the tag; False where the tag ends.
    cdef bint next_attribute(self) noexcept nogil
    # Read to the end of the tag.
    cdef void skip_attributes(self) noexcept nogil
    # Whether the content of the tag's element is text up to its end tag, in HTML (in svg it is not).
    cdef bint holds_text(self) noexcept nogil
    # Read such a content and the end tag behind it; False where there is no end tag.
    cdef bint raw_text(self) noexcept nogil
    # Copy a span of the source.
    cdef void put(self, Buffer target, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    # Copy it with its character references resolved; False where one means more bytes than it was written with.
    cdef bint put_resolved(self, Buffer target, Py_ssize_t start, Py_ssize_t stop, bint in_attribute) except -1
    # The first byte of a span that is not white space, or its end.
    cdef Py_ssize_t after_blanks(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    # Where a byte stands next in a span, or its end.
    cdef Py_ssize_t find(self, int byte, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    # Whether two spans of one length are the same.
    cdef bint same(self, Py_ssize_t one, Py_ssize_t two, Py_ssize_t length) noexcept nogil

    # Parts of these, one for each rule.
    cdef int read_markup(self, Py_ssize_t start) noexcept nogil
    cdef int read_tag_name(self, Py_ssize_t start, int kind) noexcept nogil
    cdef int read_comment(self, Py_ssize_t start) noexcept nogil
    cdef int read_to_greater(self, Py_ssize_t start, int kind) noexcept nogil
    cdef bint scan_attribute(self) noexcept nogil
    cdef Py_ssize_t scan_value(self, Py_ssize_t start) noexcept nogil
    cdef bint is_end_tag(self, Py_ssize_t start) noexcept nogil
    cdef bint has_name(self, Py_ssize_t start, int tag) noexcept nogil
    cdef Py_ssize_t raw_text_end(self) noexcept nogil
    cdef Py_ssize_t script_data_end(self) noexcept nogil
    cdef Py_ssize_t put_common_reference(self, Buffer target, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef Py_ssize_t put_reference(
        self, Buffer target, Py_ssize_t start, Py_ssize_t stop, bint in_attribute
    ) except -2


# Room for so many numbers, not cleared: to clear it may take as long as to read a page.
cpdef object int_room(Py_ssize_t count)
