"""The builders of the node table: its columns while they grow, and the standard's rules for building the tree."""

cimport cython
from cpython.array cimport array
from pagesieve.page.kernel.constants cimport MOST_WAITING
from pagesieve.page.kernel.tokenizer cimport Buffer, Tokenizer
from pagesieve.page.kernel.view cimport PageView

# Slots for the places of attributes that are not known by number.
cdef enum:
    RECENT = 256
    COLUMNS = 7  # that lie one after the other, by row


cdef class Rows:
    # The columns, by row (see pagesieve.page.table.Page). A row is complete from the start but for its `end`.
    cdef array numbers  # in which these lie
    cdef int* tag
    cdef int* parent
    cdef int* end
    cdef int* depth
    cdef int* text_at
    cdef int* attribute_at
    cdef int* foreign  # whether the row is an element of svg or math
    # By attribute.
    cdef int* attribute_name
    cdef int* value_at
    cdef Py_ssize_t room  # rows and attributes that there is room for
    cdef Py_ssize_t attribute_room
    cdef int count  # rows and attributes so far
    cdef int attributes
    cdef int here  # the open element: the standard's current node
    cdef Buffer text, values
    # The source, and the names that are not known by number.
    cdef Tokenizer tokens
    cdef bytes html
    cdef bint literal  # whether names stand as they are meant, because the parser wrote them
    cdef dict more_tags, more_attributes
    cdef long long recent[3 * RECENT]  # where such an attribute stands, how long it is, its number; by hash
    cdef long long recent_tags[3 * RECENT]  # the same for the start tags of such elements

    cdef int grow_rows(self, Py_ssize_t room) except -1
    cdef int grow_attributes(self, Py_ssize_t room) except -1
    @cython.final
    cdef int reserve(self) except -1
    @cython.final
    cdef int add(self, int tag) noexcept nogil
    @cython.final
    cdef void close(self) noexcept nogil
    @cython.final
    cdef int add_attribute(self, int name, Py_ssize_t size) except -1
    @cython.final
    cdef int tag_number(self, bint foreign, bint opens) except -1
    cdef int attribute_number(self, bint foreign) except -1
    cdef int look_up_attribute(self, bint foreign) except -1
    cdef PageView columns(self)


@cython.final
cdef class SerialisedReader(Rows):
    cdef int read_start_tag(self) except -1


cdef class Tree(Rows):
    """The stack of open elements is `here` and its parents. `why` is set where only a parser can go on."""
    cdef int open_p  # how many are open
    cdef int open_formatting, open_templates
    cdef int waits  # formatting elements that were closed with what they stood in, and wait to be opened again:
    cdef int waiting[MOST_WAITING]  # their rows, the outermost first
    cdef int loose[MOST_WAITING]  # those that are being closed
    cdef int copied  # bytes of attributes of formatting that was opened again
    cdef long long moved  # rows and attributes that moved, since formatting ended before a block and began again inside
    cdef bint is_mended  # whether something was not nested as the standard has it
    cdef int form  # the standard's form element pointer: a row, or -1
    cdef int quirks  # what the doctype says of the quirks mode: QUIRKS_NONE, QUIRKS_ALL or QUIRKS_UNSURE
    cdef str why

    # The stack of open elements.
    @cython.final
    cdef int rules(self, int row) noexcept nogil
    @cython.final
    cdef int open(self, int number) noexcept
    @cython.final
    cdef void pop(self) noexcept nogil
    cdef void pop_until(self, int row) noexcept
    cdef void let_wait(self, int count) noexcept
    cdef int same_formatting(self, int number) noexcept nogil
    cdef bint forget(self, int number) noexcept nogil
    cdef int reopen_formatting(self) except -1
    cdef int copy_attributes(self, int row, int place) except -1
    cdef int move_attributes(self, int place, int first, int first_value) except -1
    cdef int active_formatting(self, int number) noexcept nogil
    cdef int adopt(self, int row) except -1
    cdef int outermost_block(self, int row) noexcept
    cdef int move_into(self, int row, int block) except -1
    cdef void generate_implied_end_tags(self, int but) noexcept nogil
    cdef int in_specific_scope(self, int number, int barrier, int barrier2) noexcept
    cdef int in_scope(self, int number) noexcept
    cdef int in_button_scope(self, int number) noexcept
    cdef int table_context(self) noexcept nogil
    @cython.final
    cdef bint in_table(self) noexcept nogil
    @cython.final
    cdef bint in_select(self) noexcept nogil
    # Start tags.
    cdef int start_tag_in_body(self, int number) noexcept
    cdef bint opens_formatting(self, int number, int rules) noexcept
    cdef void start_block(self, int number, int rules) noexcept
    cdef void start_list_item(self, int number, int other) noexcept
    cdef void start_formatting(self, int number) noexcept
    cdef int start_other_in_table(self, int number) noexcept
    cdef int start_tag_in_table(self, int number) noexcept
    cdef void start_table_part(self, int number) noexcept
    cdef int start_tag_in_select(self, int number) noexcept
    cdef void close_p_element(self) noexcept
    # End tags.
    cdef void end_tag_in_body(self, int number) noexcept
    cdef void end_body_element(self, int number, int rules) noexcept
    cdef void end_p(self) noexcept
    cdef void end_block(self, int row, int but) noexcept
    cdef void end_heading(self) noexcept
    cdef void end_form(self) noexcept
    cdef void end_template(self) noexcept
    cdef void end_formatting(self, int number) noexcept
    cdef void any_other_end_tag(self, int number) noexcept
    cdef void end_tag_in_select(self, int number) noexcept
    cdef void end_tag_in_table(self, int number) noexcept


@cython.final
cdef class SourceReader(Tree):
    cdef int mode  # the insertion mode (kernel/constants)
    cdef bint doctype  # whether one that comes now does not count
    cdef int html_row, head_row, body_row
    cdef int head_again  # the row of an element between head and body, which goes to the head, or 0
    cdef int behind_head  # the first row of what stands between
    cdef int again  # of these the one whose start tag comes again
    cdef int merges  # how often attributes were given to one of them
    cdef list unclosed  # the numbers of the elements of text that had no end tag
    cdef list below_html  # comments that stand after the body: (first, last)
    cdef list below_document  # and after html

    cdef int read_text(self) except -1
    cdef int put_text(self, Py_ssize_t first, Py_ssize_t last) except -1
    cdef void begin_body(self) noexcept
    cdef int read_comment(self, int kind) except -1
    cdef int read_doctype(self) except -1
    cdef int read_end_tag(self) except -1
    cdef void end_foreign(self, int number) noexcept
    cdef void end_tag_in_head(self, int number) noexcept
    cdef void end_of_body(self, int number) noexcept
    cdef int read_start_tag(self) except -1
    cdef int insert(self, int number, bint foreign) noexcept
    cdef int place(self, int number, bint foreign) noexcept
    cdef int before_html(self, int number) noexcept
    cdef int before_head(self, int number) noexcept
    cdef int in_head(self, int number) noexcept
    cdef int after_head(self, int number) noexcept
    cdef int reopen_head(self) noexcept
    cdef int close_head_again(self) except -1
    cdef int in_foreign_content(self, int number) noexcept
    cdef int merge_into(self, int row) noexcept
    cdef int read_attributes(self, int row, bint foreign) except -1
    cdef int give_attributes(self, int row, int first, int first_value) except -1
    cdef bint is_hidden(self, int first) except -1
    @cython.final
    cdef bint has_attribute(self, int row, int first, int name) noexcept nogil
    cdef int read_content(self, int number) except -1
    cdef bint may_begin_line(self) noexcept
    cdef int end_of_file(self) except -1


@cython.final
cdef class _Limits:
    cdef Tokenizer tokens
    cdef int[::1] kinds  # by element
    cdef int[::1] opened  # how many of each element are open
    cdef int[::1] cut  # how many start tags of each were left out
    cdef int depth, formatting, roots, options, depth_limit, formatting_limit, attribute_limit, option_limit
    cdef int option  # the number of the element
    cdef list edits  # where each begins and ends in the source, and the bytes that go there

    cdef int read_tag(self, int kind) except -1
    cdef int give_end_tag(self) except -1
    cdef bint start(self, int number) noexcept nogil
    cdef bint end(self, int number) noexcept nogil


# Room for so many numbers, not cleared.
cdef int* _room(Py_ssize_t count) except NULL
cdef int _flags_of(int number) noexcept nogil
cdef int _rules_of(int number) noexcept nogil
cdef bint _is_cell(int tag) noexcept nogil
cdef bint _is_section(int tag) noexcept nogil
