# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""Build the document of a selection: which rows form which paragraph, list, table, code block or quotation.

One pass marks the rows to visit: the kept texts, what stands among them, and what shapes them. A second pass walks
these with a stack of what is open, fills lines with words and marks, and links the finished lines to blocks. At last
the blocks are laid out as a table in reading order, which the writers of text, Markdown and HTML read.

Formulas, ruby, addresses and cells that span are rare: an object of `pagesieve.writing.document` is asked for them.
"""

from __future__ import annotations

from array import array
from typing import Any

import cython
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.libc.string import memcpy, memset
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import is_digit, is_space, zeros
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.document.roles import role_of
from cython.cimports.pagesieve.page.kernel.lines.tables import cells_of, has_data, is_cell
from cython.cimports.pagesieve.page.kernel.page.view import PageView, measured

from pagesieve.page.kernel.tags import BLOCK, TAG_FLAGS, TAG_ID, TAGS
from pagesieve.text.types import cents_joint, is_new_sum

_LOOKED_AT = cython.declare(cython.int, 24)  # bytes before and behind a text that may be a sum of money
_DOLLAR = cython.declare(cython.int, 0x24)
_POUND = cython.declare(cython.int, 0xC2)  # the first byte of the sign, and of that for yen
_ONES = cython.declare(cython.ulonglong, 0x0101010101010101)
_HIGH = cython.declare(cython.ulonglong, 0x8080808080808080)
_ENDS = cython.declare(cython.ulonglong, 0x8000000000000080)
_EURO = cython.declare(cython.int, 0xE2)  # the first byte of the sign, and of most others

PERMALINKS = frozenset("# ¶ § ⚓ 🔗 \uf0c1".split())
# What links beside a heading say that are for editors.
_EDITS = frozenset(
    "bearbeiten|bewerken|edit|edit source|editar|editar código|edytuj|modifica|modifier|permalink|quelltext bearbeiten|"
    "править|править код|编辑|編輯|編集".split("|")
)

_ACTIONS = {
    ON_BREAK: "br",
    ON_INPUT: "input",
    ON_IMAGE: "img",
    ON_STRONG: "strong b",
    ON_EMPHASIS: "em i cite",
    ON_STRIKE: "s strike del",
    ON_SUPERSCRIPT: "sup",
    ON_SUBSCRIPT: "sub",
    ON_QUOTE: "q",
    ON_INSERTION: "ins",
    ON_LINK: "a",
    ON_CODE: "code kbd samp tt",
    ON_PRE: "pre listing xmp plaintext",
    ON_BULLET_LIST: "ul menu dir",
    ON_NUMBERED_LIST: "ol",
    ON_ITEM: "li",
    ON_DEFINITIONS: "dl",
    ON_TERM: "dt",
    ON_DEFINITION: "dd",
    ON_HEADING: "h1 h2 h3 h4 h5 h6",
    ON_BLOCK_QUOTE: "blockquote",
    ON_CAPTION: "figcaption",
    ON_TABLE: "table",
    ON_CELL: "td th",
    ON_RUBY: "ruby",
    ON_RULE: "hr",
    ON_MATH: "math",
    ON_SCRIPT: "script",
}


def _by_tag(values: dict[int, str]) -> bytes:
    """Return a look-up by tag number; the last entry stands for all elements without a number of their own."""
    column = bytearray(len(TAGS) + 1)
    for value, names in values.items():
        for name in names.split():
            column[TAG_ID[name]] = value
    return bytes(column)


_KNOWN = cython.declare(cython.int, len(TAGS))
_ACTION = cython.declare(cython.const[cython.uchar][::1], _by_tag(_ACTIONS))
_IS_OBJECT = cython.declare(
    cython.const[cython.uchar][::1],
    _by_tag({1: " ".join(names for action, names in _ACTIONS.items() if action == ON_IMAGE or action >= FIRST_OBJECT)}),
)
_RAISED = cython.declare(cython.const[cython.uchar][::1], _by_tag({1: "sup sub rt rp"}))
# Line ends right inside of these are not shown: 2 in code, 1 in what only holds code.
_HIDES_LINE_ENDS = cython.declare(
    cython.const[cython.uchar][::1],
    _by_tag({1: "td div figure section article ol ul", 2: "table thead tbody tfoot tr"}),
)
_IS_BLOCK = cython.declare(
    cython.const[cython.uchar][::1], bytes([*(1 if flags & BLOCK else 0 for flags in TAG_FLAGS), 0])
)
_LINE = cython.declare(cython.const[cython.uchar][::1], b"line")
_TEX_TYPE = cython.declare(cython.const[cython.uchar][::1], b"math/tex")  # of the scripts that MathJax reads
_CHECKBOX_TYPE = cython.declare(cython.const[cython.uchar][::1], b"checkbox")


@cython.cfunc
def _longer(numbers: cython.int[::1], count: cython.int) -> object:
    """Return the numbers with as much room again."""
    longer = zeros("i", 2 * count)
    view: cython.int[::1] = longer
    for k in range(count):
        view[k] = numbers[k]
    return longer


# Characters


def _size(text, at, stop):
    """Return the bytes of a character by its first one; 1 where the text is not UTF-8."""
    byte = text[at]
    size = 1 if byte < 0xC0 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
    return 1 if byte >= 0xF8 or at + size > stop else size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _are_plain(eight: cython.ulonglong) -> cython.bint:
    """Whether eight bytes are visible ASCII with single spaces between, and none at either end.

    Each test leaves the highest bit of the bytes that fail it; that of a byte above one that fails may be wrong.
    """
    spaces: cython.ulonglong = eight ^ (_ONES * SPACE)
    spaces = (spaces - _ONES) & ~spaces & _HIGH
    odd: cython.ulonglong = (eight - _ONES * SPACE) | (eight + _ONES) | eight
    return ((odd & _HIGH) | (spaces & (spaces << 8)) | (spaces & _ENDS)) == 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _may_be_sign(byte: cython.int) -> cython.bint:
    """Whether a character that begins with a byte may be the sign of a currency."""
    return byte == _DOLLAR or byte == _POUND or byte == _EURO


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_blank(byte: cython.int) -> cython.bint:
    """Whether an ASCII character is white space."""
    return byte == SPACE or 9 <= byte <= 13


def _class(text, at, size):
    """Return the class of a character: WORD, BLANK or INVISIBLE.

    A page that was parsed has no control characters (see pagesieve.page.kernel.html.cleaning); one that was loaded
    may have some.
    """
    if size > 1:
        return _class_of_long(text, at, size)
    byte = text[at]
    if byte > SPACE and byte != 127:
        return WORD
    return BLANK if _is_blank(byte) else INVISIBLE


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _class_of_long(text: cython.p_const_uchar, at: cython.Py_ssize_t, size: cython.int) -> cython.int:
    """Return the class of a character of two bytes or more."""
    a = text[at]
    b = text[at + 1]
    if size == 2:
        if a != 0xC2:
            return WORD
        return BLANK if b == 0xA0 else WORD
    if size != 3:
        return WORD
    if a == 0xEE or (a == 0xEF and b <= 0xA3):  # private characters: the letters of icon fonts
        return INVISIBLE
    c = text[at + 2]
    if a == 0xE2 and b == 0x80:
        if 0x80 <= c <= 0x8A or c == 0xA8 or c == 0xA9 or c == 0xAF:
            return BLANK
        return WORD
    if a == 0xE2 and b == 0x81:
        return BLANK if c == 0x9F else WORD
    if (a == 0xE3 and b == 0x80 and c == 0x80) or (a == 0xE1 and b == 0x9A and c == 0x80):
        return BLANK
    return WORD


class Bytes:
    """Bytes that grow at their end."""

    def __init__(self, room: cython.Py_ssize_t):
        self.room = room
        self.at = 0
        self.buffer = bytearray(room)
        self.data = self.buffer
        self.raw = cython.address(self.data[0])

    def make_room(self, more):
        """Make sure that so many more bytes fit."""
        if self.at + more > self.room:
            self.room = 2 * self.room + more
            larger = bytearray(self.room)
            larger[: self.at] = memoryview(self.buffer)[: self.at]
            self.buffer = larger
            self.data = larger
            self.raw = cython.address(self.data[0])

    def put(self, words):
        """Add a few bytes."""
        size = len(words)
        if size:
            self.make_room(size)
            memcpy(self.raw + self.at, cython.cast(cython.p_char, words), size)
            self.at += size

    def copy(self, source, start, stop):
        """Add a span of others."""
        if start < stop:
            self.make_room(stop - start)
            memcpy(self.raw + self.at, cython.address(source[start]), stop - start)
            self.at += stop - start

    def fold(self, start):
        """Fold the white space of what was added since `start`, and strip it."""
        data = self.raw
        at = start
        i = start
        blank = False
        while i < self.at:
            size = _size(data, i, self.at)
            if _class(data, i, size) == BLANK:
                blank = True
                i += size
                continue
            if blank and at > start:
                data[at] = SPACE
                at += 1
            blank = False
            for k in range(size):
                data[at + k] = data[i + k]
            at += size
            i += size
        self.at = at

    def since(self, start):
        """Return what was added since `start`."""
        return bytes(memoryview(self.buffer)[start : self.at])


class BlockTable:
    """The blocks and marks of a document; `document.pxd` says what the columns are."""

    def __init__(self, blocks: Any, marks: Any, text: bytes):
        self.blocks = blocks
        self.marks = marks
        self.text = text


@cython.cclass
class _Visits:
    """The rows to visit: the kept texts, what stands among them, and what shapes them."""

    view: PageView
    page: object
    rare: object  # answers rare questions
    rows: cython.int
    images: cython.bint  # whether images are written
    marked: cython.const[cython.uchar][::1]
    has_formulas: cython.bint
    has_anchors: cython.bint  # whether short links lead to places on the page: they may be references to notes
    has_notes: cython.bint
    notes: cython.const[cython.int][::1]  # what each row is to a note, where there are notes
    copies: cython.const[cython.uchar][::1]  # the rows that repeat a formula for the eye, where there are formulas
    memory: cython.p_void  # of the columns that follow
    kept: cython.p_uchar
    kept_chars: cython.int[::1]  # running sums: of the characters kept,
    all_chars: cython.p_int  # of all that are seen,
    wanted: cython.p_int  # and of the rows to write
    visit: cython.p_int
    line: cython.p_int
    block_ends: cython.p_uchar  # whether a block ends before a row
    count: cython.int

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read_page(self, page: object, marked: object, rare: object) -> cython.int:
        """Take a page and the text rows that are marked."""
        self.page = page
        self.view = measured(page)
        self.rare = rare
        self.rows = self.view.rows
        self.marked = marked
        room: cython.Py_ssize_t = self.rows + 1
        self.kept_chars = zeros("i", room)
        self.memory = malloc((4 * cython.sizeof(cython.int) + 2) * room)
        if self.memory == cython.NULL:
            raise MemoryError
        self.all_chars = cython.cast(cython.p_int, self.memory)
        self.wanted = self.all_chars + room
        self.visit = self.wanted + room
        self.line = self.visit + room
        self.kept = cython.cast(cython.p_uchar, self.line + room)
        self.block_ends = self.kept + room
        self.all_chars[0] = self.wanted[0] = 0
        memset(self.kept, 0, 2 * room)
        return 0

    def __dealloc__(self):
        free(self.memory)

    @cython.cfunc
    def find_visits(self) -> cython.int:
        """List the rows to visit, each with the number of its line."""
        objects: cython.int
        with cython.nogil:
            objects = self._sum_up()
            if objects >= 0:
                self._add_objects(objects)
                self._walk()
        if objects < 0:
            self.has_formulas = True
            memset(self.kept, 0, self.rows)
            self.copies = self.rare.formula_copies()
            self._add_objects(self._sum_up())
            self._walk()
        if self.has_anchors:
            notes = self.rare.notes(self.kept_rows())
            if notes is not None:
                self.notes = notes
                self.has_notes = True
                self._walk()
        return 0

    @cython.cfunc
    def kept_rows(self) -> object:
        """Return which rows are kept, for Python."""
        return memoryview(self.kept[: self.rows])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _sum_up(self) -> cython.int:
        """Fill the running sums, and `visit` with the objects; return their number, -1 at the first formula."""
        tag, chars, visibility = self.view.tag, self.view.chars, self.view.visibility
        marked, is_kept = self.marked, self.kept
        kept_chars, all_chars, wanted = self.kept_chars, self.all_chars, self.wanted
        written = 0
        kept = 0
        seen = 0
        objects = 0
        for row in range(self.rows):
            number = tag[row]
            if number == tags.TEXT:
                seen += chars[row]
                if marked[row] and visibility[row] != 1 and not (self.has_formulas and self.copies[row]):
                    is_kept[row] = 1
                    kept += chars[row]
                    written += 1
            elif number < _KNOWN and _IS_OBJECT[number] and self._is_object(row):
                if number != tags.TAG_HR and number != tags.TAG_IMG and not self.has_formulas:
                    return -1
                self.visit[objects] = row
                objects += 1
            kept_chars[row + 1] = kept
            all_chars[row + 1] = seen
            wanted[row + 1] = written
        return objects

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_object(self, row: cython.int) -> cython.bint:
        """Whether a row is shown though there is no text in it: a rule, a formula, an image."""
        action = _ACTION[self.view.tag[row]]
        if action == ON_IMAGE:
            return self.images and self.view.visibility[row] == 0
        return action >= FIRST_OBJECT and (action != ON_SCRIPT or self._is_tex(row))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_tex(self, script: cython.int) -> cython.bint:
        """Whether a script holds TeX that MathJax reads."""
        k = self.view.attribute(script, tags.ATTR_TYPE)
        if k < 0 or self.view.value_at[k] == self.view.value_at[k + 1]:
            return False
        return self.view.values[self.view.value_at[k]] == LOWER_M and self.starts_with(k, _TEX_TYPE, 8)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _add_objects(self, count: cython.int) -> cython.void:
        """Count objects among the rows to write where they stand among kept texts."""
        more = 0
        objects = 0
        for k in range(count):
            if self._stands_among_kept(self.visit[k]):
                self.visit[objects] = self.visit[k]
                objects += 1
        if objects == 0:
            return
        for row in range(self.visit[0], self.rows):
            if more < objects and row == self.visit[more]:
                more += 1
            self.wanted[row + 1] += more

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _stands_among_kept(self, row: cython.int) -> cython.bint:
        """Whether at least half of the text next to a row is kept, or next to the figure that it is in."""
        figure = self.view.parent[row]
        if self.has_formulas and self.copies[row]:
            return False
        above = self._text_around(row, 0)
        if self._is_mostly_kept(above):
            return True
        while figure > 0 and self.view.tag[figure] != tags.TAG_FIGURE:
            figure = self.view.parent[figure]
        if figure <= 0 or figure > above:
            return False
        chars = self.all_chars[self.view.end[figure]] - self.all_chars[figure]
        return chars <= MAX_CAPTION_LENGTH and self._is_mostly_kept(self._text_around(figure, chars))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _text_around(self, row: cython.int, chars: cython.int) -> cython.int:
        """Return the closest row around one that has more than so many characters below it."""
        while row > 0 and self.all_chars[self.view.end[row]] - self.all_chars[row] <= chars:
            row = self.view.parent[row]
        return row

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_mostly_kept(self, row: cython.int) -> cython.bint:
        kept = self.chars_kept(row)
        seen = self.all_chars[self.view.end[row]] - self.all_chars[row]
        return 2 * kept >= seen > 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _walk(self) -> cython.void:
        """List the rows to visit with the numbers of their lines. Blocks without kept text are passed over."""
        tag, end, kept, sums = self.view.tag, self.view.end, self.kept, self.wanted
        visit, line, block_ends = self.visit, self.line, self.block_ends
        row = 0
        count = 0
        current = 0
        first = 0  # where the visits of this line begin
        telling = False  # whether the line has kept text, or shapes some
        while row < self.rows:
            number = tag[row] if tag[row] < _KNOWN else _KNOWN
            action = _ACTION[number]
            if block_ends[row] or _IS_BLOCK[number]:
                count = count if telling else first
                first = count
                telling = False
                current += 1
            if number == tags.TEXT:
                if kept[row]:
                    telling = True
                visited: cython.bint = kept[row] or self._is_shown(row)
            else:
                wanted: cython.bint = sums[end[row]] > sums[row]
                special: cython.bint = wanted and self._is_special(row, number, action)
                if _IS_BLOCK[number]:
                    block_ends[end[row]] = 1
                    if not wanted:
                        row = end[row]
                        continue
                if special or (wanted and action >= LAST_IN_LINE):
                    telling = True
                visited = special or (action > 0 and (wanted or (action <= LAST_IN_LINE and self._is_shown(row))))
            if visited:
                visit[count] = row
                line[count] = current
                count += 1
            row += 1
        self.count = count if telling else first

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_special(self, row: cython.int, number: cython.int, action: cython.int) -> cython.bint:
        """Whether a row is a caption by its class, or a note. What nobody reads is taken from the kept texts here."""
        role = role_of(self.view, row)
        if role & (ROLE_UNREAD | ROLE_ICON) and self._is_unread(row, role):
            for inner in range(row, self.view.end[row]):
                self.kept[inner] = 0
            return False
        if action == ON_LINK and not self.has_anchors and self.chars_kept(row) <= MAX_PERMALINK_LENGTH:
            k = self.view.attribute(row, tags.ATTR_HREF)
            if k >= 0 and self.view.value_at[k] < self.view.value_at[k + 1]:
                self.has_anchors = self.view.values[self.view.value_at[k]] == HASH
        if action or not _IS_BLOCK[number]:
            return False
        return (self.has_notes and self.notes[row] > 0) or (role & ROLE_CAPTION and self._is_caption(row))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_unread(self, row: cython.int, role: cython.int) -> cython.bint:
        """Whether an element that says so is short; an icon is a single letter of its font."""
        if role & ROLE_UNREAD:
            return self.chars_kept(row) <= MAX_UNREAD_LENGTH
        at = self.view.text_at[row]
        stop = self.view.text_at[self.view.end[row]]
        while at < stop and _is_blank(self.view.text[at]):
            at += 1
        while stop > at and _is_blank(self.view.text[stop - 1]):
            stop -= 1
        return stop - at == 1 and SPACE < self.view.text[at] < 128

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_caption(self, row: cython.int) -> cython.bint:
        """Whether what has the class of a caption is short, and an image stands close before it."""
        above = self.view.parent[row]
        before = row - 1
        if self.chars_kept(row) > MAX_CLASS_CAPTION_LENGTH:
            return False
        if above > 0:
            above = self.view.parent[above]
        while before > above and before > row - FAR_IMAGE and self.view.tag[before] != tags.TAG_IMG:
            before -= 1
        return self.view.tag[before] == tags.TAG_IMG

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_shown(self, row: cython.int) -> cython.bint:
        return self.view.visibility[row] == 0 and not (self.has_formulas and self.copies[row])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_wanted(self, row: cython.int) -> cython.bint:
        """Whether anything is to be written of a row."""
        return self.wanted[self.view.end[row]] > self.wanted[row]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def chars_kept(self, row: cython.int) -> cython.int:
        """Return the number of characters kept below a row."""
        return self.kept_chars[self.view.end[row]] - self.kept_chars[row]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def action(self, row: cython.int) -> cython.int:
        """Return what a row does."""
        return _ACTION[self.view.tag[row]] if self.view.tag[row] < _KNOWN else 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def starts_with(self, k: cython.int, word: cython.const[cython.uchar][::1], size: cython.int) -> cython.bint:
        """Whether the value of an attribute begins with a word."""
        at = self.view.value_at[k]
        if self.view.value_at[k + 1] - at < size:
            return False
        for i in range(size):
            if self.view.values[at + i] != word[i]:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_value(
        self, row: cython.int, name: cython.int, word: cython.const[cython.uchar][::1], size: cython.int
    ) -> cython.bint:
        """Whether a row has an attribute with this value."""
        k = self.view.attribute(row, name)
        return k >= 0 and self.view.value_at[k + 1] - self.view.value_at[k] == size and self.starts_with(k, word, size)

    @cython.cfunc
    def value(self, row: cython.int, name: cython.int) -> str:
        """Return the value of an attribute; nothing where there is no such attribute."""
        k = self.view.attribute(row, name)
        if k < 0:
            return ""
        found: bytes = self.page.value_buffer[self.view.value_at[k] : self.view.value_at[k + 1]]
        return found.decode("utf-8", "replace")


@cython.cclass
class _Line(_Visits):
    """The line that is being filled: white space folded, letters of icon fonts left out, marks around the words."""

    source: cython.p_const_uchar  # the text of the page
    words: Bytes  # the lines, one after the other
    begin: cython.Py_ssize_t  # where this one begins
    gap: cython.int
    begun: cython.bint  # whether there is a word yet
    started: cython.bint  # whether there is anything yet
    struck: cython.bint  # whether the last thing was the end of something struck out
    broken: cython.bint  # whether there was a line break, and only blanks since
    last_at: cython.Py_ssize_t  # where the text of the page ends that was the last thing, or -1
    level: cython.int  # of the heading that this is in, or 0
    mark_numbers: object  # the table of marks
    marks: cython.int[::1]
    mark_room: cython.int
    mark_end: cython.int
    first_mark: cython.int  # of this line
    open_kinds: cython.int[16]  # the marks that are open
    open_values: cython.int[16]
    open_marks: cython.int
    waiting: cython.int  # how many of them have no word yet
    link_before: cython.int  # the row of the link that has just ended

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def begin_lines(self) -> cython.int:
        """Make room for words and marks."""
        self.source = cython.address(self.view.text[0])
        self.words = Bytes(4096)
        self.mark_room = 64 * MARK_COLUMNS
        self.mark_numbers = zeros("i", self.mark_room)
        self.marks = self.mark_numbers
        self.new_line()
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def new_line(self) -> cython.void:
        """Begin a line. Marks that are open stay so."""
        self.begin = self.words.at
        self.first_mark = self.mark_end
        self.gap = NO_GAP
        self.begun = False
        self.started = self.open_marks > 0
        self.struck = False
        self.broken = False
        self.last_at = -1
        self.waiting = self.open_marks

    @cython.cfunc
    def end_line(self) -> cython.bint:
        """Close what is open; return whether there are words. They are those from `begin` to the end."""
        for k in range(self.open_marks - self.waiting - 1, -1, -1):
            self._put_mark(-self.open_kinds[k], self.open_values[k])
        self.link_before = 0
        return self.begun

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_words(self) -> cython.bint:
        """Whether the line is more than images."""
        for at in range(self.begin, self.words.at):
            if self.words.data[at] != SPACE and self.words.data[at] != LINE_FEED:
                return True
        return False

    @cython.cfunc
    def make_heading(self) -> cython.int:
        """Make one line of it, without bold: a heading needs none."""
        k = self.first_mark
        end = self.mark_end
        self.mark_end = k
        while k < end:
            kind = self.marks[k + MARK_KIND]
            if kind == BREAK:
                self.words.data[self.marks[k + MARK_AT]] = SPACE
            elif kind != STRONG and kind != -STRONG:
                self._put_mark_at(kind, self.marks[k + MARK_AT], self.marks[k + MARK_VALUE])
            k += MARK_COLUMNS
        return 0

    # Marks

    @cython.cfunc
    def _put_mark(self, kind: cython.int, value: cython.int) -> cython.int:
        return self._put_mark_at(kind, self.words.at, value)

    @cython.cfunc
    def _put_mark_at(self, kind: cython.int, at: cython.int, value: cython.int) -> cython.int:
        """Add a mark to the table; one that only opens again what has just closed takes the closing one away."""
        end = self.mark_end
        last = end - MARK_COLUMNS
        if last >= self.first_mark and (STRONG <= kind <= STRIKE or kind == LINK):
            if self.marks[last + MARK_KIND] == -kind and self.marks[last + MARK_AT] == at:
                if self.marks[last + MARK_VALUE] == value:
                    self.mark_end = last
                    return 0
        if end == self.mark_room:
            self.mark_numbers = _longer(self.marks, end)
            self.marks = self.mark_numbers
            self.mark_room = 2 * end
        self.marks[end + MARK_KIND] = kind
        self.marks[end + MARK_AT] = at
        self.marks[end + MARK_VALUE] = value
        self.mark_end = end + MARK_COLUMNS
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_open(self, kind: cython.int) -> cython.bint:
        """Whether a mark of a kind is open."""
        k = 0
        while k < self.open_marks and self.open_kinds[k] != kind:
            k += 1
        return k < self.open_marks

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def open_mark(self, kind: cython.int, value: cython.int) -> cython.bint:
        """Open a mark, unless it is open already; return whether it was not."""
        if kind == QUOTE and self.is_open(QUOTE):
            kind = INNER_QUOTE
        if self.is_open(kind):
            return False
        self.open_kinds[self.open_marks] = kind
        self.open_values[self.open_marks] = value
        self.open_marks += 1
        self.waiting += 1
        self.started = True
        self.struck = False
        return True

    @cython.cfunc
    def close_mark(self) -> cython.int:
        """Close the mark that was opened last. One without a word is dropped."""
        self.open_marks -= 1
        self.started = True
        self.struck = self.open_kinds[self.open_marks] == STRIKE
        if self.waiting:
            self.waiting -= 1
        else:
            self._put_mark(-self.open_kinds[self.open_marks], self.open_values[self.open_marks])
        return 0

    # Words

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def blank(self) -> cython.void:
        """Add a blank, by itself."""
        self.started = True
        self.struck = False
        self.last_at = -1
        if self.gap == NO_GAP:
            self.gap = BLANK_GAP

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def break_line(self) -> cython.bint:
        """Break the line; return False where it is the second time in a row, which ends the paragraph."""
        self.link_before = 0
        if self.broken and not self.level:
            return False
        self.started = True
        self.struck = False
        self.broken = True
        self.last_at = -1
        self.gap = LINE_GAP
        return True

    @cython.cfunc
    def _before_word(self) -> cython.int:
        """Add what comes before a word: the gap, then the marks that have opened."""
        if self.gap != NO_GAP and self.begun:
            if self.gap == LINE_GAP:
                self._put_mark(BREAK, -1)
                self.words.put(b"\n")
            else:
                self.words.put(b" ")
        for k in range(self.open_marks - self.waiting, self.open_marks):
            self._put_mark(self.open_kinds[k], self.open_values[k])
        self.gap = NO_GAP
        self.begun = True
        self.waiting = 0

    @cython.cfunc
    def begin_object(self, kind: cython.int, value: cython.int) -> cython.int:
        """Begin something among the words that is not a text."""
        self.started = True
        self.struck = False
        self.broken = False
        self.last_at = -1
        self._before_word()
        return self._put_mark(kind, value)

    @cython.cfunc
    def put_object(self, kind: cython.int, words: bytes) -> cython.int:
        """Add something among the words that has a text of its own."""
        self.begin_object(kind, -1)
        self.words.put(words)
        return self._put_mark(-kind, -1)

    @cython.cfunc
    def put_text(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """Add a text of the source."""
        self.started = True
        self.struck = False
        self.link_before = 0
        if start == stop:
            return 0
        self.last_at = stop
        self.words.make_room(stop - start + 16)
        text = self.source
        i = start
        while i < stop:
            size = _size(text, i, stop)
            kind = _class(text, i, size)
            if kind == BLANK:
                if self.gap == NO_GAP:
                    self.gap = BLANK_GAP
                i += size
                continue
            self.broken = False
            if kind == INVISIBLE:
                i += size
                continue
            if self.waiting or not self.begun or self.gap == LINE_GAP:
                self._before_word()
                self.words.make_room(stop - i + 16)
            i = self._put_words(i, stop)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _put_words(self, i: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Add what follows as far as it is words with single spaces between them; return where that ends."""
        text, data = self.source, self.words.raw
        at = self.words.at
        eight: cython.ulonglong = 0
        if self.gap == BLANK_GAP:
            data[at] = SPACE
            at += 1
            self.gap = NO_GAP
        while i < stop:
            byte = text[i]
            if SPACE < byte < 127 or (byte == SPACE and i + 1 < stop and SPACE < text[i + 1] < 127):
                data[at] = byte
                at += 1
                i += 1
                while i + 8 <= stop:
                    memcpy(cython.address(eight), text + i, 8)
                    if not _are_plain(eight):
                        break
                    memcpy(data + at, cython.address(eight), 8)
                    at += 8
                    i += 8
                continue
            size = _size(text, i, stop)
            if byte < 128 or (size > 1 and _class_of_long(text, i, size) != WORD):
                break
            for k in range(size):
                data[at + k] = text[i + k]
            at += size
            i += size
        self.words.at = at
        return i

    @cython.cfunc
    def is_new_word(self, row: cython.int) -> cython.bint:
        """Whether a text that touches the one before it, each in an element of its own, is meant as another word.

        Styles keep such elements apart on the screen. Of 2,000 on labelled pages, more than nine in ten are other words
        where the second begins with a capital or a digit; a small letter goes on with the word (drop caps, plurals),
        unless it says the word again ("By", "by Ann").
        """
        text = self.source
        start = self.view.text_at[row]
        stop = self.view.text_at[row + 1]
        before = self.last_at - 1
        if before < 0 or start == stop:
            return False
        byte = text[start]
        if LOWER_A <= byte <= LOWER_Z:
            return self._says_again(start, stop)
        if byte < DIGIT_0:
            return False
        first: str = self._character(start, start + _size(text, start, stop))
        if not (first.isupper() or first.isdigit()):
            return False
        while before > 0 and text[before] & 0xC0 == 0x80:
            before -= 1
        last: str = self._character(before, self.last_at)
        return last.isalnum() and ord(last) < FIRST_IDEOGRAPH

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _says_again(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        """Whether a text in small letters begins with the word that the line ends with."""
        text, data = self.source, self.words.raw
        size: cython.Py_ssize_t = 0
        while start + size < stop and LOWER_A <= text[start + size] <= LOWER_Z:
            size += 1
        first = self.words.at - size
        if size < 2 or first < self.begin or (start + size < stop and text[start + size] > SPACE):
            return False
        for k in range(size):
            if data[first + k] | 0x20 != text[start + k]:
                return False
        return first == self.begin or data[first - 1] <= SPACE

    @cython.cfunc
    def _character(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> str:
        found: bytes = self.page.text_buffer[start:stop]
        return found.decode("utf-8", "replace")[:1]


@cython.cclass
class _Blocks(_Line):
    """The blocks, linked, and what is open. A block is known by where its numbers begin."""

    blocks: cython.int[::1]
    block_end: cython.int
    block_room: cython.int
    target: cython.int  # the block that finished ones are added to
    last: cython.int  # the block that was added last, or -1
    last_stray: cython.int  # the last list made of items outside of any, or -1
    in_caption: cython.bint
    nesting: cython.int
    open: cython.int[::1]
    open_end: cython.int
    open_room: cython.int

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def begin_blocks(self) -> cython.int:
        """Make room for blocks, and for what is open."""
        self.block_room = 128 * LINKED_COLUMNS
        self.blocks = zeros("i", self.block_room)
        self.target = self.new_block(DOCUMENT)
        self.last = -1
        self.last_stray = -1
        self.open_room = 32 * OPEN_COLUMNS
        self.open = zeros("i", self.open_room)
        return 0

    @cython.cfunc
    def new_block(self, kind: cython.int) -> cython.int:
        """Return a new block without parts."""
        block = self.block_end
        if block == self.block_room:
            self.blocks = _longer(self.blocks, block)
            self.block_room = 2 * block
        self.blocks[block + KIND] = kind
        self.blocks[block + FIRST] = -1
        self.blocks[block + LAST] = -1
        self.blocks[block + NEXT] = -1
        self.block_end += LINKED_COLUMNS
        return block

    @cython.cfunc
    def new_text(self, kind: cython.int, begin: cython.Py_ssize_t, value: cython.int) -> cython.int:
        """Return a block of the words since `begin`."""
        block = self.new_block(kind)
        self.blocks[block + BEGIN] = begin
        self.blocks[block + STOP] = self.words.at
        self.blocks[block + MARKS] = self.first_mark // MARK_COLUMNS
        self.blocks[block + MARKS_END] = self.mark_end // MARK_COLUMNS
        self.blocks[block + VALUE] = value
        return block

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def append(self, above: cython.int, block: cython.int) -> cython.void:
        """Add a block at the end of another's parts."""
        last = self.blocks[above + LAST]
        if last < 0:
            self.blocks[above + FIRST] = block
        else:
            self.blocks[last + NEXT] = block
        self.blocks[above + LAST] = block
        self.blocks[block + NEXT] = -1
        self.blocks[block + PREVIOUS] = last

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_list(self, block: cython.int) -> cython.bint:
        """Whether there is a block, and it is a list."""
        return block >= 0 and (self.blocks[block + KIND] == BULLET_LIST or self.blocks[block + KIND] == NUMBERED_LIST)

    @cython.cfunc
    def flush(self) -> cython.int:
        """End the line: what has come together becomes a paragraph or a heading."""
        kind = CAPTION if self.in_caption else PARAGRAPH
        if self.end_line():
            if self.level and self.has_words():
                self.make_heading()
                kind = HEADING
            block = self.new_text(kind, self.begin, self.level)
            if self.last < 0 or self.blocks[self.last + KIND] != CODE_BLOCK or not self.is_tool_line(block):
                self.add(block)
        self.new_line()

    @cython.cfunc
    def is_tool_line(self, block: cython.int) -> cython.bint:
        """Whether a line beside code belongs to its tool bar."""
        begin = self.blocks[block + BEGIN]
        stop = self.blocks[block + STOP]
        if self.blocks[block + KIND] != PARAGRAPH or stop - begin > MAX_TOOL_LENGTH:
            return False
        line: bytes = bytes(self.words.data[begin:stop])
        return self.rare.is_tool_line(line)

    @cython.cfunc
    def add(self, block: cython.int) -> cython.int:
        """Add a finished block to the target."""
        target = self.target
        kind = self.blocks[target + KIND]
        if kind == BULLET_LIST or kind == NUMBERED_LIST:
            self._add_stray(block)
        elif kind == DEFINITIONS:
            part = self.new_block(DEFINITION)
            self.append(target, part)
            self.append(part, block)
        elif kind == TABLE:
            if self.blocks[block + KIND] <= HEADING:  # what stands in a table but in none of its cells
                self.append(self.blocks[target + MARKS], block)
            else:
                part = self.new_cell(self.new_table_row(target), CELL, 1, 1)
                self.append(part, block)
        else:
            self.append(target, block)
        self.last = block

    @cython.cfunc
    def _add_stray(self, block: cython.int) -> cython.int:
        """Add what stands in a list but in none of its items: a list goes with the item before it."""
        item = self.blocks[self.target + LAST]
        if not self.is_list(block) or item < 0 or self.blocks[item + FIRST] < 0:
            item = self.new_block(ITEM)
            self.append(item, block)
            self.append(self.target, item)
            return 0
        last = self.blocks[item + LAST]
        if self.is_list(last) and self.blocks[last + KIND] == self.blocks[block + KIND]:
            self.blocks[self.blocks[last + LAST] + NEXT] = self.blocks[block + FIRST]
            self.blocks[last + LAST] = self.blocks[block + LAST]
        else:
            self.append(item, block)
        return 0

    @cython.cfunc
    def new_table_row(self, table: cython.int) -> cython.int:
        """Add a row to a table."""
        block = self.new_block(TABLE_ROW)
        self.blocks[block + VALUE] = self.blocks[table + VALUE]  # its number, before empty ones are dropped
        self.blocks[table + VALUE] += 1
        self.append(table, block)
        return block

    @cython.cfunc
    def new_cell(self, line: cython.int, kind: cython.int, columns: cython.int, rows: cython.int) -> cython.int:
        """Add an empty cell to a row of a table."""
        block = self.new_block(kind)
        self.blocks[block + BEGIN] = columns
        self.blocks[block + STOP] = rows
        self.append(line, block)
        return block

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def drop_empty(self, block: cython.int) -> cython.void:
        """Drop the parts in which there is nothing; of a table, the rows in whose cells there is nothing."""
        part = self.blocks[block + FIRST]
        is_table: cython.bint = self.blocks[block + KIND] == TABLE
        self.blocks[block + FIRST] = -1
        self.blocks[block + LAST] = -1
        while part >= 0:
            following = self.blocks[part + NEXT]
            if self._has_filled_cell(part) if is_table else self.blocks[part + FIRST] >= 0:
                self.append(block, part)
            part = following

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _has_filled_cell(self, line: cython.int) -> cython.bint:
        """Whether there is anything in a row of a table."""
        cell = self.blocks[line + FIRST]
        while cell >= 0 and self.blocks[cell + FIRST] < 0:
            cell = self.blocks[cell + NEXT]
        return cell >= 0

    # What is open

    @cython.cfunc
    def push(self, row: cython.int, kind: cython.int, block: cython.int) -> cython.int:
        """Open something until the row ends."""
        at = self.open_end
        if at == self.open_room:
            self.open = _longer(self.open, at)
            self.open_room = 2 * at
        self.open[at + OPEN_UNTIL] = self.view.end[row]
        self.open[at + OPEN_KIND] = kind
        self.open[at + OPEN_BLOCK] = block
        self.open[at + OPEN_TARGET] = self.target
        self.open[at + OPEN_LEVEL] = self.level
        self.open[at + OPEN_IN_CAPTION] = self.in_caption
        self.open[at + OPEN_PREVIOUS] = self.last
        self.open_end = at + OPEN_COLUMNS

    @cython.cfunc
    def close_until(self, row: cython.int) -> cython.int:
        """Close what ends at or before a row."""
        while self.open_end and self.open[self.open_end - OPEN_COLUMNS] <= row:
            self.open_end -= OPEN_COLUMNS
            at = self.open_end
            kind = self.open[at + OPEN_KIND]
            if kind == OPEN_MARK:
                self.close_mark()
                continue
            if kind == OPEN_LINK:
                self.link_before = self.open[at + OPEN_BLOCK]
                continue
            self.flush()
            self.level = self.open[at + OPEN_LEVEL]
            self.in_caption = self.open[at + OPEN_IN_CAPTION] != 0
            if kind >= OPEN_PART:
                self.target = self.open[at + OPEN_TARGET]
                self.last = -1
            if kind > OPEN_PART:
                self._leave(kind, self.open[at + OPEN_BLOCK], self.open[at + OPEN_PREVIOUS])

    @cython.cfunc
    def _leave(self, kind: cython.int, block: cython.int, before: cython.int) -> cython.int:
        """Leave a container, and add what came of it."""
        self.nesting -= 1
        if kind == OPEN_STRAY_ITEM:
            block = self._leave_stray(block, before)
        elif kind == OPEN_LIST:
            block = self._settle(block)
        elif self.blocks[block + KIND] != BLOCK_QUOTE and self.blocks[block + KIND] != NOTE:
            self.drop_empty(block)
        if block >= 0 and self.blocks[block + FIRST] >= 0:
            self.add(block)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _settle(self, block: cython.int) -> cython.int:
        """Drop a list's empty items; return the list, its only part where that is a list too, -1 for an empty one."""
        if self.blocks[block + KIND] == NUMBERED_LIST:
            self._drop_numbers(block)
        self.drop_empty(block)
        item = self.blocks[block + FIRST]
        if item < 0:
            return -1
        inner = self.blocks[item + FIRST]
        if self.blocks[item + NEXT] < 0 and self.blocks[inner + NEXT] < 0 and self.is_list(inner):
            return inner
        return block

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _drop_numbers(self, block: cython.int) -> cython.void:
        """Drop the first lines of items that say nothing but the numbers which the list gives them anyway."""
        number = self.blocks[block + VALUE]
        item = self.blocks[block + FIRST]
        while item >= 0:
            first = self.blocks[item + FIRST]
            if first >= 0 and self.blocks[first + NEXT] >= 0 and self._says_number(first, number):
                self.blocks[item + FIRST] = self.blocks[first + NEXT]
            item = self.blocks[item + NEXT]
            number += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _says_number(self, block: cython.int, number: cython.int) -> cython.bint:
        """Whether a line is nothing but a number, maybe with a full stop after it."""
        kind = self.blocks[block + KIND]
        at = self.blocks[block + BEGIN]
        stop = self.blocks[block + STOP]
        if (kind != PARAGRAPH and kind != HEADING) or stop == at or stop - at > 5:
            return False
        if stop - at > 1 and self.words.data[stop - 1] == DOT:
            stop -= 1
        value = 0
        while at < stop:
            byte = self.words.data[at]
            if not DIGIT_0 <= byte <= DIGIT_9:
                return False
            value = 10 * value + byte - DIGIT_0
            at += 1
        return value == number

    @cython.cfunc
    def _leave_stray(self, item: cython.int, before: cython.int) -> cython.int:
        """Make one list of items outside of any: return the new list, -1 where the item went to the one before."""
        if self.is_list(before) and before == self.last_stray and self.blocks[item + FIRST] >= 0:
            self.append(before, item)
            self.last = before
            return -1
        block = self.new_block(BULLET_LIST)
        self.blocks[block + VALUE] = 1
        self.append(block, item)
        self.last_stray = self._settle(block)
        return self.last_stray

    @cython.cfunc
    def enter(self, row: cython.int, kind: cython.int, block: cython.int) -> cython.int:
        """Send what follows to another block until the row ends."""
        self.flush()
        self.push(row, kind, block)
        self.target = block
        self.level = 0
        self.in_caption = False
        self.last = -1

    @cython.cfunc
    def open_container(self, row: cython.int, kind: cython.int, made: cython.int) -> cython.int:
        """Open a container and return its block, -2 where containers are nested too deep already."""
        if self.nesting >= MAX_BLOCK_DEPTH:
            return -2
        self.nesting += 1
        block = self.new_block(made)
        self.enter(row, kind, block)
        return block

    @cython.cfunc
    def open_part(self, row: cython.int, made: cython.int) -> cython.int:
        """Open a part of a container: an item, an entry."""
        above = self.target
        block = self.new_block(made)
        self.enter(row, OPEN_PART, block)
        self.append(above, block)
        return 0


@cython.final
@cython.cclass
class _Builder(_Blocks):
    """Walks the rows once, in order, with a stack of what is open."""

    links: cython.bint  # whether the addresses of links are written
    tables: cython.bint  # whether data tables are written
    captions: cython.bint  # whether captions are
    heading: cython.int  # the row of the heading that this is in, where `level` says that it is in one
    skip: cython.int  # rows before this one are done
    code: Bytes  # the code that is being read
    ends_line: cython.bint  # whether its last piece ended with a line end
    awaits_line_end: cython.bint  # whether an element that is a line has ended, and no line end came yet
    code_begin: cython.Py_ssize_t  # where it begins and ends without the white space around it
    code_stop: cython.Py_ssize_t
    code_lines: cython.int
    cells: object  # the block of each cell's row, where there are tables
    cell_of: cython.int[::1]
    laid_out: cython.int[::1]
    laid_out_count: cython.int

    def __init__(self, page: Any, marked: Any, options: Any, rare: Any):
        self.images = options.images
        self.links = options.links
        self.tables = options.tables
        self.captions = options.captions
        self.read_page(page, marked, rare)
        self.begin_lines()
        self.begin_blocks()

    @cython.cfunc
    def build(self) -> BlockTable:
        """Return the document."""
        self.find_visits()
        self._visit_all()
        self._drop_idle_rules()
        blocks = zeros("i", (self.block_end // LINKED_COLUMNS) * BLOCK_COLUMNS)
        self.laid_out = blocks
        self._lay_out(0)
        self._place_all_cells()
        blocks = blocks[: self.laid_out_count * BLOCK_COLUMNS]
        return BlockTable(blocks, self.mark_numbers[: self.mark_end], self.words.since(0))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _drop_idle_rules(self) -> cython.void:
        """Keep lines across the page only between other blocks, and never two in a row."""
        block = self.blocks[FIRST]
        rule = -1  # waits for a block after it
        self.blocks[FIRST] = -1
        self.blocks[LAST] = -1
        while block >= 0:
            following = self.blocks[block + NEXT]
            if self.blocks[block + KIND] == RULE:
                rule = block if self.blocks[FIRST] >= 0 else -1
            else:
                if rule >= 0:
                    self.append(0, rule)
                    rule = -1
                self.append(0, block)
            block = following

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _lay_out(self, block: cython.int) -> cython.void:
        """Copy a block and its parts to the table; containers are not nested deeper than MAX_BLOCK_DEPTH."""
        at = self.laid_out_count * BLOCK_COLUMNS
        part = self.blocks[block + FIRST]
        self.laid_out_count += 1
        for k in range(BLOCK_COLUMNS):
            self.laid_out[at + k] = self.blocks[block + k]
        if self.blocks[block + KIND] == TABLE:
            self.laid_out[at + MARKS] = 0
            if self.blocks[self.blocks[block + MARKS] + FIRST] >= 0:
                self._lay_out(self.blocks[block + MARKS])  # the caption
        while part >= 0:
            self._lay_out(part)
            part = self.blocks[part + NEXT]
        self.laid_out[at + END] = self.laid_out_count

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _place_all_cells(self) -> cython.int:
        """Find the columns of the cells of all tables. No table is in a cell of another."""
        for table in range(self.laid_out_count if self.cells is not None else 0):
            if self.laid_out[table * BLOCK_COLUMNS + KIND] == TABLE:
                if self._number_cells(table):
                    self._place_spans(table)
                else:
                    self._place_cells(table)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _number_cells(self, table: cython.int) -> cython.bint:
        """Number the cells of each row; return whether any of them spans rows or columns."""
        spans = False
        column = 0
        for block in range(table, self._end_of(table)):
            at = block * BLOCK_COLUMNS
            if self.laid_out[at + KIND] == TABLE_ROW:
                column = 0
            elif self.laid_out[at + KIND] >= CELL:
                if self.laid_out[at + BEGIN] > 1 or self.laid_out[at + STOP] > 1:
                    spans = True
                self.laid_out[at + VALUE] = column
                column += 1
        return spans

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _end_of(self, block: cython.int) -> cython.int:
        return self.laid_out[block * BLOCK_COLUMNS + END]

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _place_cells(self, table: cython.int) -> cython.int:
        """Leave out the columns in which there is nothing, unless the table would be huge."""
        start = table * BLOCK_COLUMNS
        end = self._end_of(table)
        rows = 0
        width = 0
        places = array("i", bytes(4 * (end - table)))
        place: cython.int[::1] = places
        for block in range(table, end):
            at = block * BLOCK_COLUMNS
            if self.laid_out[at + KIND] == TABLE_ROW:
                rows += 1
            elif self.laid_out[at + KIND] >= CELL and self._is_filled(at):
                place[self.laid_out[at + VALUE]] = 1
        for column in range(len(place)):
            width += place[column]
            place[column] = width - 1 if place[column] else -1
        self.laid_out[start + VALUE] = width if width * rows <= MAX_GRID_SIZE else 0
        if self.laid_out[start + VALUE]:
            for block in range(table, end):
                at = block * BLOCK_COLUMNS
                if self.laid_out[at + KIND] >= CELL:
                    self.laid_out[at + VALUE] = place[self.laid_out[at + VALUE]]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_filled(self, at: cython.int) -> cython.bint:
        return self.laid_out[at + END] * BLOCK_COLUMNS > at + BLOCK_COLUMNS

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _place_spans(self, table: cython.int) -> cython.int:
        """Ask where the cells stand that reach into other rows and columns."""
        lines: list = []
        end = self._end_of(table)
        for block in range(table, end):
            at = block * BLOCK_COLUMNS
            if self.laid_out[at + KIND] == TABLE_ROW:
                cells: list = []
                lines.append((self.laid_out[at + VALUE], cells))
            elif self.laid_out[at + KIND] >= CELL:
                cells.append((self.laid_out[at + BEGIN], self.laid_out[at + STOP], bool(self._is_filled(at))))
        self.laid_out[table * BLOCK_COLUMNS + VALUE], places = self.rare.place_cells(lines)
        place = iter(places)
        for block in range(table, end):
            at = block * BLOCK_COLUMNS
            if self.laid_out[at + KIND] >= CELL:
                self.laid_out[at + VALUE], self.laid_out[at + BEGIN], self.laid_out[at + STOP] = next(place)

    @cython.cfunc
    def _visit_all(self) -> cython.int:
        view = self.view
        line_before = -1
        text_before = -1  # the text visited last, and its line
        text_line = -1
        for k in range(self.count):
            row = self.visit[k]
            seam = False
            edge = False  # an element has ended or begun
            if view.tag[row] == tags.TEXT:
                if text_line == self.line[k]:
                    seam = self._is_seam(text_before, row)
                    edge = view.parent[text_before] != view.parent[row] and not self._is_raised(view.parent[row])
                text_before = row
                text_line = self.line[k]
            if row < self.skip:
                continue
            if self.open_end and self.open[self.open_end - OPEN_COLUMNS] <= row:
                self.close_until(row)
            if self.line[k] != line_before:
                line_before = self.line[k]
                if self.started:
                    self.flush()
            if view.tag[row] != tags.TEXT:
                self._open(row, self.action(row))
            elif self.kept[row]:
                if not (edge and self._part_sums(k)) and seam and self.is_new_word(row):
                    self.blank()
                self.put_text(view.text_at[row], view.text_at[row + 1])
            elif view.text_at[row] < view.text_at[row + 1]:
                # Blanks, and texts left out: what stands around them is not run together.
                self.blank()
                self.link_before = 0
        self.close_until(self.rows)
        return self.flush()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_seam(self, before: cython.int, here: cython.int) -> cython.bint:
        """Whether one inline element has ended between two texts and another begun, neither raised."""
        above_before = self.view.parent[before]
        above = self.view.parent[here]
        if self.view.end[above_before] > here or above <= before:
            return False
        if self.view.tag[above_before] == self.view.tag[above] and self._has_word_break(before, here):
            return False
        return not self._is_raised(above_before) and not self._is_raised(above)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_raised(self, row: cython.int) -> cython.bint:
        return self.view.tag[row] < _KNOWN and _RAISED[self.view.tag[row]]

    @cython.cfunc
    def _part_sums(self, k: cython.int) -> cython.bint:
        """Part a text from the one it touches if both are sums of money, or it is the cents of one; return whether."""
        text = self.view.text
        row = self.visit[k]
        start = self.view.text_at[row]
        stop = self.view.text_at[row + 1]
        if self.last_at < 0 or self.gap != NO_GAP or self.words.at == self.begin or start == stop:
            return False
        byte = text[start]
        last = self.words.data[self.words.at - 1]
        if stop - start == 2 and is_digit(byte) and is_digit(text[start + 1]) and is_digit(last):
            sign: str = self._cents_joint(k)
            if sign == " ":
                self.blank()
            else:
                self.words.put(sign.encode())
            return len(sign) > 0
        if _may_be_sign(byte) or (is_digit(byte) and (last == _DOLLAR or last >= 0x80)):
            if is_new_sum(self._tail(), self._source(start, min(stop, start + _LOOKED_AT))):
                self.blank()
                return True
        return False

    def _cents_joint(self, k: cython.Py_ssize_t) -> str:
        """Return what parts two digits that are visited from the text before them in their line."""
        view = self.view
        before = k - 1
        while view.tag[self.visit[before]] != tags.TEXT:
            before -= 1
        names: list = []
        classes: list = []
        above = view.parent[self.visit[k]]
        while above > self.visit[before]:
            if view.tag[above] < _KNOWN:
                names.append(TAGS[view.tag[above]])
            classes.extend((self.page.attribute(above, "class") or "").split())
            above = view.parent[above]
        is_apart = is_digit(view.text[view.text_at[self.visit[before]]])
        return cents_joint(self._tail(), self._behind(k), is_apart, names, classes)

    @cython.cfunc
    def _tail(self) -> str:
        """Return the last characters of the line."""
        tail: bytes = bytes(self.words.data[max(self.begin, self.words.at - _LOOKED_AT) : self.words.at])
        return tail.decode("utf-8", "ignore")

    @cython.cfunc
    def _behind(self, k: cython.int) -> str:
        """Return how the line goes on behind a text that is visited."""
        stop = end = self.view.text_at[self.visit[k] + 1]
        for other in range(k + 1, min(k + _LOOKED_AT, self.count)):
            if self.line[other] != self.line[k]:
                break
            if self.view.tag[self.visit[other]] == tags.TEXT:
                end = self.view.text_at[self.visit[other] + 1]
        return self._source(stop, min(end, stop + _LOOKED_AT))

    @cython.cfunc
    def _source(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> str:
        found: bytes = self.page.text_buffer[start:stop]
        return found.decode("utf-8", "ignore")

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _has_word_break(self, before: cython.int, here: cython.int) -> cython.bint:
        """Whether a wbr stands between two texts: a word goes on after it."""
        for row in range(before + 1, here):
            if self.view.tag[row] == tags.TAG_WBR:
                return True
        return False

    @cython.cfunc
    def _open(self, row: cython.int, action: cython.int) -> cython.int:
        """Do what an element says; one that does nothing by its name is a caption or a note."""
        if action == 0:
            return self._open_special(row)
        if action == ON_LINK:
            return self._open_link(row)
        if action == ON_BREAK:
            if not self.break_line():
                self.flush()
        elif action == ON_IMAGE:
            self._image(row)
        elif action == ON_INPUT:
            self._checkbox(row)
        elif action <= ON_QUOTE:
            if self.open_mark(action - ON_STRONG + STRONG, -1):
                self.push(row, OPEN_MARK, 0)
        elif action == ON_INSERTION:
            if self.struck:  # what takes the place of something struck out is another word
                self.blank()
        elif action == ON_CODE:
            self._code(row)
        elif action == ON_PRE:
            self._code_block(row)
        elif action == ON_RUBY:
            self._ruby(row)
        elif action >= ON_MATH:
            self._formula(row)
        else:
            self._open_block(row, action)
        return 0

    @cython.cfunc
    def _open_block(self, row: cython.int, action: cython.int) -> cython.int:
        kind = self.blocks[self.target + KIND]
        if action == ON_BULLET_LIST or action == ON_NUMBERED_LIST:
            self._open_list(row, action)
        elif action == ON_ITEM:
            self._open_item(row)
        elif action == ON_DEFINITIONS:
            self.open_container(row, OPEN_CONTAINER, DEFINITIONS)
        elif action == ON_BLOCK_QUOTE:
            self.open_container(row, OPEN_CONTAINER, BLOCK_QUOTE)
        elif action == ON_TERM or action == ON_DEFINITION:
            if kind == DEFINITIONS:
                self.open_part(row, TERM if action == ON_TERM else DEFINITION)
        elif action == ON_HEADING:
            if self.chars_kept(row) <= MAX_HEADING_LENGTH:
                self.push(row, OPEN_HEADING, 0)
                self.level = self.view.tag[row] - tags.TAG_H1 + 1
                self.heading = row
        elif action == ON_CAPTION:
            self._open_caption(row)
        elif action == ON_TABLE:
            self._open_table(row)
        elif action == ON_CELL:
            self._open_cell(row)
        elif kind == DOCUMENT or kind == BLOCK_QUOTE:
            if self.wanted[row + 1] > self.wanted[row]:
                self.add(self.new_block(RULE))
        return 0

    @cython.cfunc
    def _open_caption(self, row: cython.int) -> cython.int:
        """Take what follows for the caption of a picture, or leave it out."""
        if not self.captions:
            self.skip = self.view.end[row]
            return 0
        self.push(row, OPEN_CAPTION, 0)
        self.in_caption = True
        return 0

    @cython.cfunc
    def _open_special(self, row: cython.int) -> cython.int:
        """Open a caption that is one by its class, or a note."""
        if not self.has_notes or self.notes[row] <= 0:
            return self._open_caption(row)
        block = self.open_container(row, OPEN_CONTAINER, NOTE)
        if block >= 0:
            self.blocks[block + VALUE] = self.notes[row]
        return 0

    # Lists

    @cython.cfunc
    def _open_list(self, row: cython.int, action: cython.int) -> cython.int:
        numbered: cython.bint = action == ON_NUMBERED_LIST
        start = self._first_number(row) if numbered else 1
        block = self.open_container(row, OPEN_LIST, NUMBERED_LIST if numbered else BULLET_LIST)
        if block >= 0:
            self.blocks[block + VALUE] = start

    @cython.cfunc
    def _first_number(self, row: cython.int) -> cython.int:
        """Return what a numbered list says it begins with."""
        try:
            number = int(self.value(row, tags.ATTR_START))
        except ValueError:
            return 1
        return number if abs(number) < 10**9 else 1

    @cython.cfunc
    def _open_item(self, row: cython.int) -> cython.int:
        if not self.is_list(self.target):
            if self.open_container(row, OPEN_STRAY_ITEM, ITEM) >= 0:
                self._number_note(row)
            return 0
        if self.blocks[self.target + KIND] == NUMBERED_LIST and self.blocks[self.target + FIRST] < 0:
            self.blocks[self.target + VALUE] += self._items_before(row)
        self.open_part(row, ITEM)
        return self._number_note(row)

    @cython.cfunc
    def _number_note(self, row: cython.int) -> cython.int:
        """Say of the item that has just been opened which note it is, if it is one."""
        if self.has_notes and self.notes[row] > 0:
            self.blocks[self.target + VALUE] = self.notes[row]
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _items_before(self, row: cython.int) -> cython.int:
        """Return how many items of the same list were left out before this one."""
        sibling = self.view.parent[row] + 1
        count = 0
        while sibling < row:
            if self.view.tag[sibling] == tags.TAG_LI:
                count += 1
            sibling = self.view.end[sibling]
        return count

    # Things among the words

    @cython.cfunc
    def _open_link(self, row: cython.int) -> cython.int:
        if not self.view.linked[row]:
            return 0
        if self._is_permalink(row) or (self.level and self._is_beside_heading(row)):
            self.skip = self.view.end[row]
            return 0
        if self.has_notes and self.notes[row]:
            self._open_reference(row, self.notes[row])
            if self.skip > row:
                return 0
        # Two links that touch are two things: their words are never one word.
        if self.link_before and self.value(self.link_before, tags.ATTR_HREF) != self.value(row, tags.ATTR_HREF):
            self.blank()
        self.push(row, OPEN_LINK, row)
        if self.links and not self.is_open(LINK):
            target = self.rare.link(row)
            if target >= 0:
                self.open_mark(LINK, target)
                self.push(row, OPEN_MARK, 0)
        return 0

    @cython.cfunc
    def _is_permalink(self, row: cython.int) -> cython.bint:
        """Whether a link is the sign beside a heading that leads to itself."""
        at = self.view.text_at[row]
        stop = self.view.text_at[self.view.end[row]]
        if stop - at > MAX_PERMALINK_LENGTH:
            return False
        while at < stop and _is_blank(self.view.text[at]):
            at += 1
        if at == stop or (self.view.text[at] < 128 and self.view.text[at] != HASH):
            return False
        sign: bytes = self.page.text_buffer[at:stop]
        return sign.decode("utf-8", "replace").strip() in PERMALINKS and "#" in self.value(row, tags.ATTR_HREF)

    @cython.cfunc
    def _is_beside_heading(self, row: cython.int) -> cython.bint:
        """Whether a link in a heading is not part of what it says: leads to the heading itself, or to an editor."""
        chars = self.chars_kept(row)
        if chars == 0 or chars >= self.chars_kept(self.heading):
            return False
        if role_of(self.view, row) & ROLE_ANCHOR and "#" in self.value(row, tags.ATTR_HREF):
            return True
        if chars > MAX_TOOL_LENGTH:
            return False
        words: bytes = self.page.text_buffer[self.view.text_at[row] : self.view.text_at[self.view.end[row]]]
        return words.decode("utf-8", "replace").strip().strip("[]()").strip().lower() in _EDITS

    @cython.cfunc
    def _open_reference(self, row: cython.int, note: cython.int) -> cython.int:
        """Mark a link to a note, or back from it; a link back that shows a sign alone is left out."""
        if note == LEADS_BACK and self.rare.is_sign(row):
            self.skip = self.view.end[row]
        elif note < 0 or note == LEADS_BACK:
            if self.open_mark(REFERENCE, self.rare.reference(note)):
                self.push(row, OPEN_MARK, 0)
        return 0

    @cython.cfunc
    def _image(self, row: cython.int) -> cython.int:
        self.blank()
        target = self.rare.image(row) if self.is_wanted(row) else -1
        if target >= 0:
            self.begin_object(IMAGE, target)
            self.blank()

    @cython.cfunc
    def _checkbox(self, row: cython.int) -> cython.int:
        """Add the box of an item of a to-do list."""
        above = self.view.parent[row]
        further = self.view.parent[above] if above > 0 else above
        if not self.has_value(row, tags.ATTR_TYPE, _CHECKBOX_TYPE, 8):
            return 0
        if self.view.tag[above] == tags.TAG_LI or (further >= 0 and self.view.tag[further] == tags.TAG_LI):
            self.put_object(CHECKBOX, b"[x]" if self.view.attribute(row, tags.ATTR_CHECKED) >= 0 else b"[ ]")
            self.blank()
        return 0

    @cython.cfunc
    def _ruby(self, row: cython.int) -> cython.int:
        self.skip = self.view.end[row]
        text: bytes = self.rare.ruby(row, self.kept_rows())
        self.source = text
        self.put_text(0, len(text))
        self.source = cython.address(self.view.text[0])
        self.last_at = -1

    @cython.cfunc
    def _formula(self, row: cython.int) -> cython.int:
        self.skip = self.view.end[row]
        text: bytes
        text, is_tex = self.rare.formula(row)
        if text:
            self.link_before = 0
            self.put_object(TEX if is_tex else FORMULA, text)
        return 0

    # Code

    @cython.cfunc
    def _code(self, row: cython.int) -> cython.int:
        """Add code within a line, or a block where it has lines enough."""
        broken = self._read_code(row)
        self.skip = self.view.end[row]
        self._strip_code()
        if self.code_begin == self.code_stop:
            return 0
        if self.code_lines >= CODE_LINES or (broken and self.code_lines > 1):
            self.flush()
            return self._add_code(row)
        self.link_before = 0
        if self.code_begin > 0:
            self.blank()
        self.begin_object(CODE, -1)
        at = self.words.at
        self.words.copy(self.code.data, self.code_begin, self.code_stop)
        self.words.fold(at)
        self._put_mark(-CODE, -1)
        if self.code_stop < self.code.at:
            self.blank()
        return 0

    @cython.cfunc
    def _code_block(self, row: cython.int) -> cython.int:
        self._read_code(row)
        self.skip = self.view.end[row]
        return self._add_code(row)

    @cython.cfunc
    def _read_code(self, row: cython.int) -> cython.bint:
        """Read the kept text below a row as it stands; return whether elements begin new lines in it.

        Blank texts are selected by nobody, and they hold the indentation: they are kept where they would be shown.
        """
        view = self.view
        broken = False
        least = 2 if self.action(row) == ON_PRE or self.action(row) == ON_CODE else 1
        closing: list[int] = []
        line_end = -1  # where an element that is one line of the code ends,
        line_begin: cython.Py_ssize_t = 0  # and where the code of it begins
        labels = MAX_LABELS  # rows that may still be one: none after the first word
        inner = row + 1
        if self.code is None:
            self.code = Bytes(256)
        self.code.at = 0
        self.ends_line = False
        self.awaits_line_end = False
        while inner < view.end[row]:
            while closing and closing[len(closing) - 1] <= inner:
                closing.pop()
                self._end_code_line()
            if 0 <= line_end <= inner:
                # Of an empty line there is nothing but its end, which is still to come.
                self.awaits_line_end = not self.ends_line or self.code.at == line_begin
                line_end = -1
            if view.tag[inner] == tags.TEXT:
                if view.chars[inner] > 0:
                    labels = 0
                self._put_text_in_code(inner, least)
            elif self.action(inner) == ON_BREAK:
                self.code.put(b"\n")
                self.ends_line = True
                self.awaits_line_end = False
                broken = True
            elif self._is_gutter(inner) or self._is_tool(inner) or (labels > 0 and self._is_label_in(inner, row)):
                inner = view.end[inner]
                continue
            elif view.tag[inner] < _KNOWN and _IS_BLOCK[view.tag[inner]]:
                self._end_code_line()
                closing.append(view.end[inner])
                broken = True
            elif line_end < 0 and self._is_code_line(inner):
                broken = self._begin_code_line() or broken
                line_begin = self.code.at
                line_end = view.end[inner]
            labels -= 1
            inner += 1
        if closing:
            self._end_code_line()
        return broken

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_tool(self, row: cython.int) -> cython.bint:
        """Whether a row in code belongs to its tool bar."""
        return self.view.tag[row] == tags.TAG_BUTTON or role_of(self.view, row) & (ROLE_TOOL | ROLE_UNREAD) != 0

    @cython.cfunc
    def _is_label_in(self, inner: cython.int, row: cython.int) -> cython.bint:
        """Whether an element at the beginning of code only names its language."""
        size = self.view.text_at[self.view.end[inner]] - self.view.text_at[inner]
        if not 0 < size <= MAX_TOOL_LENGTH or self.action(inner) == ON_CODE or self.action(inner) == ON_PRE:
            return False
        return self.rare.is_label_in(inner, row)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_code_line(self, row: cython.int) -> cython.bint:
        """Whether an element is one line of code by its class: a stylesheet may put it on a line of its own."""
        k = self.view.attribute(row, tags.ATTR_CLASS)
        if k < 0:
            return False
        at = self.view.value_at[k]
        stop = self.view.value_at[k + 1]
        while at < stop:
            start = at
            while at < stop and not is_space(self.view.values[at]):
                at += 1
            if self._ends_with_line(start, at):
                return True
            at += 1
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _ends_with_line(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        """Whether a word of an attribute is "line", or ends with it after a hyphen or an underscore."""
        size = stop - start
        values = self.view.values
        if size < 4 or (size > 4 and values[stop - 5] != HYPHEN and values[stop - 5] != UNDERSCORE):
            return False
        for i in range(4):
            if values[stop - 4 + i] != _LINE[i]:
                return False
        return True

    @cython.cfunc
    def _begin_code_line(self) -> cython.bint:
        """End the line before an element that is a line, where the page has no line end; return whether it had none."""
        if not self.awaits_line_end and (self.ends_line or self.code.at == 0):
            return False
        self.code.put(b"\n")
        self.ends_line = True
        self.awaits_line_end = False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_blank_in_code(self, row: cython.int, least: cython.int) -> cython.bint:
        """Whether a text is blank and shown in code; line ends between the parts of a table are not."""
        at = self.view.text_at[row]
        above = self.view.tag[self.view.parent[row]]
        if self.view.visibility[row] != 0 or self.view.chars[row] > 0:
            return False
        if above >= _KNOWN or _HIDES_LINE_ENDS[above] < least:
            return True
        while at < self.view.text_at[row + 1] and self.view.text[at] != LINE_FEED:
            at += 1
        return at == self.view.text_at[row + 1]

    @cython.cfunc
    def _end_code_line(self) -> cython.int:
        if not self.ends_line:
            self.code.put(b"\n")
            self.ends_line = True

    @cython.cfunc
    def _put_text_in_code(self, row: cython.int, least: cython.int) -> cython.int:
        """Add a text to the code where it is kept or blank, and a space for a visible text that is left out."""
        if self.kept[row] or self._is_blank_in_code(row, least):
            self._put_code(row)
        elif self.view.visibility[row] == 0 and self.view.chars[row] > 0:
            self.code.put(b" ")  # so that what stands around it is not run together
            self.ends_line = False

    @cython.cfunc
    def _put_code(self, row: cython.int) -> cython.int:
        """Add a text to the code without letters of icon fonts; no-break spaces become spaces."""
        text = self.source
        code = self.code
        i = self.view.text_at[row]
        stop = self.view.text_at[row + 1]
        if self.awaits_line_end and i < stop:
            self.awaits_line_end = False
            if text[i] != LINE_FEED:
                code.put(b"\n")
        start = code.at
        code.make_room(stop - i)
        while i < stop:
            size = _size(text, i, stop)
            if size == 2 and text[i] == 0xC2 and text[i + 1] == 0xA0:
                code.data[code.at] = SPACE
                code.at += 1
            elif _class(text, i, size) != INVISIBLE:
                for k in range(size):
                    code.data[code.at + k] = text[i + k]
                code.at += size
            i += size
        self.ends_line = code.at > start and code.data[code.at - 1] == LINE_FEED

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _strip_code(self) -> cython.void:
        """Find where the code begins and ends without the white space around it, and how many lines these are."""
        data = self.code.raw
        i = 0
        since = 0  # line ends since the last character that is not blank
        self.code_begin = 0
        self.code_stop = 0
        self.code_lines = 1
        while i < self.code.at:
            size = _size(data, i, self.code.at)
            if _class(data, i, size) == WORD:
                if self.code_stop == 0:
                    self.code_begin = i
                else:
                    self.code_lines += since
                self.code_stop = i + size
                since = 0
            elif data[i] == LINE_FEED:
                since += 1
            i += size

    @cython.cfunc
    def _add_code(self, row: cython.int) -> cython.int:
        """Add a block of code without blank lines around it and without blanks at the ends of its lines."""
        data = self.code.raw
        begin = self.words.at
        i = 0
        stop = self.code.at
        line_ends = 0
        while i < stop:
            start = i
            after = i  # where its last character ends that is not blank
            while i < stop and data[i] != LINE_FEED:
                size = _size(data, i, stop)
                if _class(data, i, size) == WORD:
                    after = i + size
                i += size
            i += 1
            if after > start:
                if self.words.at > begin:
                    self.words.put(b"\n" * line_ends)
                self.words.copy(self.code.data, start, after)
                line_ends = 0
            line_ends += 1
        if self.words.at > begin:
            self._drop_tool_lines(row)
            self.add(self.new_text(CODE_BLOCK, begin, row))
        self.begin = self.words.at
        return 0

    @cython.cfunc
    def _drop_tool_lines(self, row: cython.int) -> cython.int:
        """Drop the lines before a block of code that belong to its tool bar, or only name its language."""
        for _ in range(MAX_TOOL_LINES):
            last = self.blocks[self.target + LAST]
            if last < 0 or not (self.is_tool_line(last) or self._is_label(last, row)):
                return 0
            before = self.blocks[last + PREVIOUS]
            self.blocks[before + NEXT if before >= 0 else self.target + FIRST] = -1
            self.blocks[self.target + LAST] = before
        return 0

    @cython.cfunc
    def _is_label(self, block: cython.int, row: cython.int) -> cython.bint:
        """Whether the last block before code only names its language, or those of some tabs."""
        line: bytes = self._line_of(block)
        return len(line) > 0 and self.rare.is_label(line, row, self.blocks[block + KIND] > CAPTION)

    @cython.cfunc
    def _line_of(self, block: cython.int) -> bytes:
        """Return the words of a short paragraph or heading, or of a list of such items as one line; else nothing."""
        kind = self.blocks[block + KIND]
        if PARAGRAPH <= kind <= HEADING:
            begin, stop = self.blocks[block + BEGIN], self.blocks[block + STOP]
            return bytes(self.words.data[begin:stop]) if stop - begin <= MAX_TABS_LENGTH else b""
        line: bytes = b""
        item = self.blocks[block + FIRST] if kind == BULLET_LIST else -1
        while item >= 0:
            part = self.blocks[item + FIRST]
            if part < 0 or part != self.blocks[item + LAST] or self.blocks[part + KIND] != PARAGRAPH:
                return b""
            line += b" " + self._line_of(part)
            if len(line) > MAX_TABS_LENGTH:
                return b""
            item = self.blocks[item + NEXT]
        return line

    # Tables

    @cython.cfunc
    def _open_table(self, row: cython.int) -> cython.int:
        """Open a block for a data table; a table that only lays out a page is nothing by itself."""
        cells = cells_of(self.view, row)
        if cells == CELLS_LAYOUT:
            return 0
        if cells == CELLS_BARE and self._has_gutters(row):
            self._code_block(row)
        elif has_data(self.view, self.kept_chars, row, cells == CELLS_HEADED):
            if self.tables:
                self._open_data_table(row)
            else:
                self.skip = self.view.end[row]
        return 0

    @cython.cfunc
    def _has_gutters(self, row: cython.int) -> cython.bint:
        """Whether a third of the cells of a table or more hold nothing but line numbers."""
        count = 0
        gutters = 0
        for inner in range(row + 1, self.view.end[row]):
            if is_cell(self.view, inner):
                count += 1
                if self._is_gutter(inner):
                    gutters += 1
        return gutters > 0 and count <= 3 * gutters

    @cython.cfunc
    def _is_gutter(self, row: cython.int) -> cython.bint:
        """Whether a row holds nothing but line numbers."""
        if self.view.attribute(row, tags.ATTR_CLASS) < 0:
            return False
        for at in range(self.view.text_at[row], self.view.text_at[self.view.end[row]]):
            byte = self.view.text[at]
            if SPACE < byte < 128 and not DIGIT_0 <= byte <= DIGIT_9:
                return False
        return self.rare.is_gutter(row)

    @cython.cfunc
    def _open_data_table(self, row: cython.int) -> cython.int:
        """Open a table with all its cells, still empty."""
        view = self.view
        line = -1
        line_block = -1
        head: cython.bint = False
        table = self.open_container(row, OPEN_CONTAINER, TABLE)
        if table < 0:
            return 0
        if self.cells is None:
            self.cells = array("i", bytes(4 * self.rows))
            self.cell_of = self.cells
        caption = self.new_block(TABLE_CAPTION)
        self.blocks[table + MARKS] = caption
        self.blocks[table + VALUE] = 0
        lines: dict[int, int] = {}
        for inner in range(row + 1, view.end[row]):
            if self.action(inner) != ON_CELL:
                continue
            if view.parent[inner] != line:
                line = view.parent[inner]
                head = line > 0 and view.tag[view.parent[line]] == tags.TAG_THEAD
                if line not in lines:
                    lines[line] = self.new_table_row(table)
                line_block = lines[line]
            self.cell_of[inner] = self.new_cell(
                line_block,
                HEADER_CELL if head or view.tag[inner] == tags.TAG_TH else CELL,
                self._span(inner, tags.ATTR_COLSPAN, MAX_COLUMNS),
                self._span(inner, tags.ATTR_ROWSPAN, MAX_ROWS),
            )
        return 0

    @cython.cfunc
    def _span(self, cell: cython.int, name: cython.int, most: cython.int) -> cython.int:
        """Return how many columns or rows a cell spans; 0, which reaches to the end, is as many as there may be."""
        k = self.view.attribute(cell, name)
        if k < 0:
            return 1
        digits: str = self.value(cell, name).strip()
        if not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
            return 1
        return min(int(digits) or most, most)

    @cython.cfunc
    def _open_cell(self, row: cython.int) -> cython.int:
        if self.cells is not None and self.cell_of[row]:
            block = self.cell_of[row]
            self.cell_of[row] = 0
            self.enter(row, OPEN_PART, block)
        return 0


def build(page: Any, marked: Any, options: Any, rare: Any) -> BlockTable:
    """Return the document of the text rows that `marked` marks.

    `options` says what else is written: `links`, `images`, `tables`, `captions`. `rare` answers what Python is fast
    enough for: `formula_copies()`, `formula(row)`, `ruby(row, kept)`, `link(row)`, `image(row)`, `is_gutter(row)`,
    `place_cells(lines)`, `is_tool_line(line)`, `is_label(line, row, apart)`, `is_label_in(inner, row)`, `notes(kept)`,
    `reference(note)` and `is_sign(row)`.
    """
    builder: _Builder = _Builder(page, marked, options, rare)
    return builder.build()
