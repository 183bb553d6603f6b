"""The document of a selection: a table of blocks in reading order, and a table of the marks in their text."""

cimport cython
from pagesieve.page.kernel.view cimport PageView

cdef object _longer(int[::1] numbers, int count)
cdef int _size(const unsigned char[::1] text, Py_ssize_t at, Py_ssize_t stop) noexcept nogil
cdef bint _may_be_sign(int byte) noexcept nogil
cdef bint _is_blank(int byte) noexcept nogil
cdef int _class(const unsigned char[::1] text, Py_ssize_t at, int size) noexcept nogil
cdef int _class_of_long(const unsigned char[::1] text, Py_ssize_t at, int size) noexcept nogil


@cython.final
cdef class Bytes:
    cdef object buffer
    cdef unsigned char[::1] data
    cdef Py_ssize_t room, at

    cdef int make_room(self, Py_ssize_t more) except -1
    cdef int put(self, bytes words) except -1
    cdef int copy(self, const unsigned char[::1] source, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef void fold(self, Py_ssize_t start) noexcept nogil
    cdef bytes since(self, Py_ssize_t start)


@cython.final
cdef class BlockTable:
    """What `build` returns. `kernel/constants.py` names the kinds and the columns."""

    cdef readonly object blocks  # an array of BLOCK_COLUMNS numbers a block, block 0 being the document
    cdef readonly object marks  # an array of MARK_COLUMNS numbers a mark
    cdef readonly bytes text  # UTF-8


cdef class _Visits:
    cdef PageView view
    cdef object page
    cdef object rare  # answers rare questions
    cdef int rows
    cdef bint images  # whether images are written
    cdef const unsigned char[::1] marked
    cdef bint has_formulas
    cdef bint has_anchors  # whether short links lead to places on the page: they may be references to notes
    cdef bint has_notes
    cdef const int[::1] notes  # what each row is to a note, where there are notes
    cdef const unsigned char[::1] copies  # the rows that repeat a formula for the eye, where there are formulas
    cdef unsigned char[::1] kept
    cdef int[::1] kept_chars  # running sums: of the characters kept,
    cdef int[::1] all_chars  # of all that are seen,
    cdef int[::1] wanted  # and of the rows to write
    cdef int[::1] visit, line
    cdef unsigned char[::1] block_ends  # whether a block ends before a row
    cdef int count

    cdef int find_visits(self) except? -1
    cdef int _sum_up(self) noexcept nogil
    cdef bint _is_object(self, int row) noexcept nogil
    cdef bint _is_tex(self, int script) noexcept nogil
    cdef void _add_objects(self, int count) noexcept nogil
    cdef bint _stands_among_kept(self, int row) noexcept nogil
    cdef int _text_around(self, int row, int chars) noexcept nogil
    cdef bint _is_mostly_kept(self, int row) noexcept nogil
    cdef void _walk(self) noexcept nogil
    cdef bint _is_special(self, int row, int number, int action) noexcept nogil
    cdef bint _is_unread(self, int row, int role) noexcept nogil
    cdef bint _is_caption(self, int row) noexcept nogil
    cdef bint _is_shown(self, int row) noexcept nogil
    cdef bint is_wanted(self, int row) noexcept nogil
    cdef int chars_kept(self, int row) noexcept nogil
    cdef int action(self, int row) noexcept nogil
    cdef bint starts_with(self, int k, const unsigned char[::1] word, int size) noexcept nogil
    cdef bint has_value(self, int row, int name, const unsigned char[::1] word, int size) noexcept nogil
    cdef str value(self, int row, int name)


cdef class _Line(_Visits):
    cdef const unsigned char[::1] source  # the text of the page
    cdef Bytes words  # the lines, one after the other
    cdef Py_ssize_t begin  # where this one begins
    cdef int gap
    cdef bint begun  # whether there is a word yet
    cdef bint started  # whether there is anything yet
    cdef bint struck  # whether the last thing was the end of something struck out
    cdef bint broken  # whether there was a line break, and only blanks since
    cdef Py_ssize_t last_at  # where the text of the page ends that was the last thing, or -1
    cdef int level  # of the heading that this is in, or 0
    cdef object mark_numbers  # the table of marks
    cdef int[::1] marks
    cdef int mark_room, mark_end
    cdef int first_mark  # of this line
    cdef int[::1] open_kinds  # the marks that are open
    cdef int[::1] open_values
    cdef int open_marks
    cdef int waiting  # how many of them have no word yet
    cdef int link_before  # the row of the link that has just ended

    cdef void new_line(self) noexcept nogil
    cdef bint end_line(self) except? -1
    cdef bint has_words(self) noexcept nogil
    cdef int make_heading(self) except? -1
    cdef int _put_mark(self, int kind, int value) except? -1
    cdef int _put_mark_at(self, int kind, int at, int value) except? -1
    cdef bint is_open(self, int kind) noexcept nogil
    cdef bint open_mark(self, int kind, int value) noexcept nogil
    cdef int close_mark(self) except? -1
    cdef void blank(self) noexcept nogil
    cdef bint break_line(self) noexcept nogil
    cdef int _before_word(self) except? -1
    cdef int begin_object(self, int kind, int value) except? -1
    cdef int put_object(self, int kind, bytes words) except? -1
    cdef int put_text(self, Py_ssize_t start, Py_ssize_t stop) except? -1
    cdef Py_ssize_t _put_words(self, Py_ssize_t i, Py_ssize_t stop) noexcept nogil
    cdef bint is_new_word(self, int row) except? -1
    cdef bint _says_again(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef str _character(self, Py_ssize_t start, Py_ssize_t stop)


cdef class _Blocks(_Line):
    cdef int[::1] blocks
    cdef int block_end, block_room
    cdef int target  # the block that finished ones are added to
    cdef int last  # the block that was added last, or -1
    cdef int last_stray  # the last list made of items outside of any, or -1
    cdef bint in_caption
    cdef int nesting
    cdef int[::1] open
    cdef int open_end, open_room

    cdef int new_block(self, int kind) except? -1
    cdef int new_text(self, int kind, Py_ssize_t begin, int value) except? -1
    cdef void append(self, int above, int block) noexcept nogil
    cdef bint is_list(self, int block) noexcept nogil
    cdef int flush(self) except? -1
    cdef bint is_tool_line(self, int block) except? -1
    cdef int add(self, int block) except? -1
    cdef int _add_stray(self, int block) except? -1
    cdef int new_table_row(self, int table) except? -1
    cdef int new_cell(self, int line, int kind, int columns, int rows) except? -1
    cdef void drop_empty(self, int block) noexcept nogil
    cdef bint _has_filled_cell(self, int line) noexcept nogil
    cdef int push(self, int row, int kind, int block) except? -1
    cdef int close_until(self, int row) except? -1
    cdef int _leave(self, int kind, int block, int before) except? -1
    cdef int _settle(self, int block) noexcept nogil
    cdef void _drop_numbers(self, int block) noexcept nogil
    cdef bint _says_number(self, int block, int number) noexcept nogil
    cdef int _leave_stray(self, int item, int before) except? -1
    cdef int enter(self, int row, int kind, int block) except? -1
    cdef int open_container(self, int row, int kind, int made) except? -1
    cdef int open_part(self, int row, int made) except? -1


@cython.final
cdef class _Builder(_Blocks):
    cdef bint links  # whether the addresses of links are written
    cdef bint tables  # whether data tables are written
    cdef bint captions  # whether captions are
    cdef int heading  # the row of the heading that this is in, where `level` says that it is in one
    cdef int skip  # rows before this one are done
    cdef Bytes code  # the code that is being read
    cdef bint ends_line  # whether its last piece ended with a line end
    cdef bint awaits_line_end  # whether an element that is a line has ended, and no line end came yet
    cdef Py_ssize_t code_begin  # where it begins and ends without the white space around it
    cdef Py_ssize_t code_stop
    cdef int code_lines
    cdef object cells  # the block of each cell's row, where there are tables
    cdef int[::1] cell_of, laid_out
    cdef int laid_out_count

    cdef BlockTable build(self)
    cdef void _drop_idle_rules(self) noexcept nogil
    cdef void _lay_out(self, int block) noexcept nogil
    cdef int _place_all_cells(self) except -1
    cdef bint _number_cells(self, int table) noexcept nogil
    cdef int _end_of(self, int block) noexcept nogil
    cdef int _place_cells(self, int table) except -1
    cdef bint _is_filled(self, int at) noexcept nogil
    cdef int _place_spans(self, int table) except -1
    cdef int _visit_all(self) except? -1
    cdef bint _is_raised(self, int row) noexcept nogil
    cdef bint _is_seam(self, int before, int here) noexcept nogil
    cdef bint _part_sums(self, int k) except? -1
    cdef str _tail(self)
    cdef str _behind(self, int k)
    cdef str _source(self, Py_ssize_t start, Py_ssize_t stop)
    cdef bint _has_word_break(self, int before, int here) noexcept nogil
    cdef int _open(self, int row, int action) except? -1
    cdef int _open_block(self, int row, int action) except? -1
    cdef int _open_caption(self, int row) except? -1
    cdef int _open_special(self, int row) except? -1
    cdef int _open_list(self, int row, int action) except? -1
    cdef int _first_number(self, int row) except? -1
    cdef int _open_item(self, int row) except? -1
    cdef int _number_note(self, int row) except? -1
    cdef int _items_before(self, int row) noexcept nogil
    cdef int _open_link(self, int row) except? -1
    cdef bint _is_permalink(self, int row) except? -1
    cdef bint _is_beside_heading(self, int row) except? -1
    cdef int _open_reference(self, int row, int note) except? -1
    cdef int _image(self, int row) except? -1
    cdef int _checkbox(self, int row) except? -1
    cdef int _ruby(self, int row) except? -1
    cdef int _formula(self, int row) except? -1
    cdef int _code(self, int row) except? -1
    cdef int _code_block(self, int row) except? -1
    cdef bint _read_code(self, int row) except? -1
    cdef bint _is_tool(self, int row) noexcept nogil
    cdef bint _is_label_in(self, int inner, int row) except? -1
    cdef bint _is_code_line(self, int row) noexcept nogil
    cdef bint _ends_with_line(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef bint _begin_code_line(self) except? -1
    cdef bint _is_blank_in_code(self, int row, int least) noexcept nogil
    cdef int _end_code_line(self) except? -1
    cdef int _put_code(self, int row) except? -1
    cdef void _strip_code(self) noexcept nogil
    cdef int _add_code(self, int row) except? -1
    cdef int _drop_tool_lines(self, int row) except? -1
    cdef bint _is_label(self, int block, int row) except? -1
    cdef bytes _line_of(self, int block)
    cdef int _open_table(self, int row) except? -1
    cdef bint _has_gutters(self, int row) except? -1
    cdef bint _is_gutter(self, int row) except? -1
    cdef int _open_data_table(self, int row) except? -1
    cdef int _span(self, int cell, int name, int most) except? -1
    cdef int _open_cell(self, int row) except? -1
