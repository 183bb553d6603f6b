# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""The selected rows of a page as plain text, without a document in between.

What is written is what `pagesieve.writing` writes, to the letter: the same rows are visited, the same blocks come
together, only that a block is five numbers here and a line is bytes. Formulas, ruby, tables with cells that span and a
few rare things are not done here; the text of a page that has them is None, and the document's writer writes it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import cython_shim as cython

if cython.compiled:
    from cython.cimports.libc.string import memcpy

from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_FLAGS, TAG_ID, TAGS
from pagesieve.page.kernel.tags import BLOCK as BLOCK_SORT

DEEPEST = 40  # containers nested further are written as if they were not there
LONGEST_HEADING = 400  # characters: what is longer is an article in a heading that nobody closed
PERMALINKS = frozenset("# ¶ § ⚓ 🔗 \uf0c1".split())
LONGEST_PERMALINK = 8  # bytes
LARGEST_GRID = 400_000  # places of a table
LONG_CELL = 600  # characters: cells of data tables are shorter
MEAN_CELL = 150
HEADED = 4  # times as long where the table says what its columns are
CODE_LINES = 3  # code with as many lines is a block, also where the page does not say so
_FIRST_IDEOGRAPH = 0x2E80  # from here on, words are not set apart by blanks

TEXT = cython.declare(cython.int, 1)
UNSEEN = cython.declare(cython.int, 1)  # of a row's state
KNOWN = cython.declare(cython.int, len(TAGS))
BLOCK = cython.declare(cython.int, BLOCK_SORT)
DEEP = cython.declare(cython.int, DEEPEST)
CODE_BLOCK = cython.declare(cython.int, CODE_LINES)
LONG_HEADING = cython.declare(cython.int, LONGEST_HEADING)

HREF = cython.declare(cython.int, ATTRIBUTE_ID["href"])
TYPE = cython.declare(cython.int, ATTRIBUTE_ID["type"])
CLASS = cython.declare(cython.int, ATTRIBUTE_ID["class"])
ROLE = cython.declare(cython.int, ATTRIBUTE_ID["role"])
START = cython.declare(cython.int, ATTRIBUTE_ID["start"])
CHECKED = cython.declare(cython.int, ATTRIBUTE_ID["checked"])
COLSPAN = cython.declare(cython.int, ATTRIBUTE_ID["colspan"])
ROWSPAN = cython.declare(cython.int, ATTRIBUTE_ID["rowspan"])
LI = cython.declare(cython.int, TAG_ID["li"])
TH = cython.declare(cython.int, TAG_ID["th"])
MATH = cython.declare(cython.int, TAG_ID["math"])
SCRIPT = cython.declare(cython.int, TAG_ID["script"])

# What a row does. Up to LAST_AMONG: only among kept texts of its line; the others wherever kept text is below them.
BREAK = cython.declare(cython.int, 1)
BOX = cython.declare(cython.int, 2)
IMAGE = cython.declare(cython.int, 3)
LAST_AMONG = cython.declare(cython.int, 3)
STRONG = cython.declare(cython.int, 4)
EM = cython.declare(cython.int, 5)
STRIKE = cython.declare(cython.int, 6)
SUP = cython.declare(cython.int, 7)
SUB = cython.declare(cython.int, 8)
QUOTE = cython.declare(cython.int, 9)
INNER_QUOTE = cython.declare(cython.int, 10)
INSERTION = cython.declare(cython.int, 11)
LINK = cython.declare(cython.int, 12)
CODE = cython.declare(cython.int, 13)
PRE = cython.declare(cython.int, 14)
LIST = cython.declare(cython.int, 15)
NUMBERED = cython.declare(cython.int, 16)
ITEM = cython.declare(cython.int, 17)
DEFINITIONS = cython.declare(cython.int, 18)
TERM = cython.declare(cython.int, 19)
MEANING = cython.declare(cython.int, 20)
HEADING = cython.declare(cython.int, 21)
BLOCK_QUOTE = cython.declare(cython.int, 22)
CAPTION = cython.declare(cython.int, 23)
TABLE = cython.declare(cython.int, 24)
CELL = cython.declare(cython.int, 25)
RULE = cython.declare(cython.int, 26)
NOT_DONE = cython.declare(cython.int, 27)
# What else a block can be.
DOCUMENT = cython.declare(cython.int, 28)
PARAGRAPH = cython.declare(cython.int, 29)
LINES = cython.declare(cython.int, 30)  # code, as it stands
STRAY_ITEM = cython.declare(cython.int, 31)

_DOINGS = {
    1: "br",
    2: "input",
    3: "img",
    4: "strong b",
    5: "em i cite",
    6: "s strike del",
    7: "sup",
    8: "sub",
    9: "q",
    11: "ins",
    12: "a",
    13: "code kbd samp tt",
    14: "pre listing xmp plaintext",
    15: "ul menu dir",
    16: "ol",
    17: "li",
    18: "dl",
    19: "dt",
    20: "dd",
    21: "h1 h2 h3 h4 h5 h6",
    22: "blockquote",
    23: "figcaption",
    24: "table",
    25: "td th",
    26: "hr",
    27: "ruby math script",
}


def _by_tag(doings: dict[int, str]) -> bytes:
    """A look-up by tag number; the last entry stands for all the elements without a number of their own."""
    column = bytearray(len(TAGS) + 1)
    for doing, names in doings.items():
        for name in names.split():
            column[TAG_ID[name]] = doing
    return bytes(column)


_DOING = _by_tag(_DOINGS)
_RAISED = _by_tag({1: "sup sub rt rp"})
_NOT_DATA = _by_tag({1: "table article section h1 h2 form"})
# Line ends right inside of these are not shown: 2 in code, 1 in what only holds code.
_HIDING = _by_tag({1: "td div figure section article ol ul", 2: "table thead tbody tfoot tr"})
_BLOCKS = bytes([*(1 if sort & BLOCK_SORT else 0 for sort in TAG_FLAGS), 0])

# The numbers of a block: what it is, its first and last part, what follows it, and where its words begin and end. A
# list has its first number in place of where words begin, a cell the column it stands in.
KIND = cython.declare(cython.int, 0)
FIRST = cython.declare(cython.int, 1)
LAST = cython.declare(cython.int, 2)
NEXT = cython.declare(cython.int, 3)
BEGIN = cython.declare(cython.int, 4)
STOP = cython.declare(cython.int, 5)
BLOCK_SIZE = cython.declare(cython.int, 6)

# The numbers of what is open: the row where it closes, what it is, its block, and what was before it.
OPEN_SIZE = cython.declare(cython.int, 6)

NO_GAP = cython.declare(cython.int, 0)
BLANK_GAP = cython.declare(cython.int, 1)
LINE_GAP = cython.declare(cython.int, 2)


def _plain(column: Any) -> Any:
    """A column as the kernel reads it fastest: as it is when compiled, as a list when not."""
    return column if cython.compiled else column.tolist()


def _numbers(count: int) -> array[int]:
    return array("q", [0]) * count


@cython.cfunc
def _longer(numbers: cython.longlong[::1], count: cython.Py_ssize_t) -> object:
    """The numbers, with as much room again."""
    longer = _numbers(2 * count)
    view: cython.longlong[::1] = longer
    k: cython.Py_ssize_t
    for k in range(count):
        view[k] = numbers[k]
    return longer


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _sort_of_signs(text: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, size: cython.int) -> cython.int:
    """Of a character of two bytes or more: 1 for a blank, 2 for one that is not to be seen, else 0."""
    a: cython.int = text[at]
    b: cython.int = text[at + 1]
    c: cython.int
    if size == 2:
        if a != 0xC2:
            return 0
        return 1 if b == 0xA0 or b == 0x85 else 2 if b == 0xAD else 0
    if size != 3:
        return 0
    c = text[at + 2]
    if a == 0xE2:
        if b == 0x80:
            if 0x80 <= c <= 0x8A or c == 0xA8 or c == 0xA9 or c == 0xAF:
                return 1
            return 2 if c == 0x8B else 0
        if b == 0x81:
            return 1 if c == 0x9F else 2 if c == 0xA0 else 0
        return 0
    if a == 0xE3:
        return 1 if b == 0x80 and c == 0x80 else 0
    if a == 0xE1:
        return 1 if b == 0x9A and c == 0x80 else 0
    if a == 0xEF:
        return 2 if b == 0xBB and c == 0xBF else 0
    return 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _size(text: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
    """How many bytes a character has by its first; 0 where that begins none, or it is cut off."""
    byte: cython.int = text[at]
    size: cython.int = 1 if byte < 128 else 0 if byte < 0xC0 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
    return 0 if byte >= 0xF8 or at + size > stop else size


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _is_blank(byte: cython.int) -> cython.bint:
    """Whether a byte of ASCII is a blank; the separators of files and records are, as for Python."""
    return byte == 32 or 9 <= byte <= 13 or 28 <= byte <= 31


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _sort(text: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, size: cython.int) -> cython.int:
    """Of a character: 1 for a blank, 2 for one that is not to be seen, else 0."""
    byte: cython.int = text[at]
    if size > 1:
        return _sort_of_signs(text, at, size)
    if byte > 32:
        return 2 if byte == 127 else 0
    return 1 if _is_blank(byte) else 2


@cython.cclass
class _Bytes:
    """Bytes that grow at their end."""

    buffer: object
    data: cython.uchar[::1]
    room: cython.Py_ssize_t
    at: cython.Py_ssize_t

    def __init__(self, room: cython.Py_ssize_t):
        self.room = room
        self.at = 0
        self.buffer = bytearray(room)
        self.data = self.buffer

    @cython.cfunc
    def make_room(self, more: cython.Py_ssize_t) -> cython.void:
        if self.at + more > self.room:
            self.room = 2 * self.room + more
            larger = bytearray(self.room)
            larger[: self.at] = self.buffer[: self.at]
            self.buffer = larger
            self.data = larger

    @cython.cfunc
    def put(self, words: bytes) -> cython.void:
        """Adds a few bytes."""
        size: cython.Py_ssize_t = len(words)
        if size == 0:
            return
        self.make_room(size)
        if cython.compiled:
            memcpy(cython.address(self.data[self.at]), cython.cast(cython.p_char, words), size)
        else:
            self.data[self.at : self.at + size] = words
        self.at += size

    @cython.cfunc
    def copy(self, other: _Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Adds a span of others."""
        if start >= stop:
            return
        self.make_room(stop - start)
        if cython.compiled:
            memcpy(cython.address(self.data[self.at]), cython.address(other.data[start]), stop - start)
        else:
            self.data[self.at : self.at + stop - start] = other.data[start:stop]
        self.at += stop - start

    @cython.cfunc
    def fold(self, start: cython.Py_ssize_t) -> cython.void:
        """Folds the blanks of what was added since, those at its ends away."""
        data: cython.uchar[::1] = self.data
        at: cython.Py_ssize_t = start
        i: cython.Py_ssize_t = start
        k: cython.int
        size: cython.int
        blank: cython.bint = False
        while i < self.at:
            size = _size(data, i, self.at)
            if size == 0:  # not UTF-8, which is found in the end
                size = 1
            elif _sort(data, i, size) == 1:
                blank = True
                i += size
                continue
            if blank and at > start:
                data[at] = 32
                at += 1
            blank = False
            for k in range(size):
                data[at + k] = data[i + k]
            at += size
            i += size
        self.at = at

    @cython.cfunc
    def since(self, start: cython.Py_ssize_t) -> object:
        return bytes(memoryview(self.buffer)[start : self.at])


@cython.cclass
class _Visits:
    """The columns of a page, and the rows that are visited: the kept texts, what is among them, what shapes them."""

    page: object
    rows: cython.int
    tag: cython.const[cython.int][::1]
    parent: cython.const[cython.int][::1]
    end: cython.const[cython.int][::1]
    text_at: cython.const[cython.int][::1]
    attribute_at: cython.const[cython.int][::1]
    attribute_name: cython.const[cython.int][::1]
    value_at: cython.const[cython.int][::1]
    visibility: cython.const[cython.uchar][::1]
    chars: cython.const[cython.int][::1]
    linked: cython.const[cython.uchar][::1]
    marked: cython.const[cython.uchar][::1]
    text: cython.const[cython.uchar][::1]
    values: cython.const[cython.uchar][::1]
    doing: cython.const[cython.uchar][::1]
    is_block: cython.const[cython.uchar][::1]
    kept_rows: object
    kept: cython.uchar[::1]
    kept_chars: cython.int[::1]  # running sums: of the characters kept,
    all_chars: cython.int[::1]  # of all that are seen,
    wanted: cython.int[::1]  # and of the rows that are to be written
    visit: cython.int[::1]
    line: cython.int[::1]
    count: cython.int

    def __init__(self, page: Any, marked: Any):
        self.page = page
        self.rows = len(page.tag)
        self.tag = _plain(page.tag)
        self.parent = _plain(page.parent)
        self.end = _plain(page.end)
        self.text_at = _plain(page.text_at)
        self.attribute_at = _plain(page.attribute_at)
        self.attribute_name = _plain(page.attribute_name)
        self.value_at = _plain(page.value_at)
        self.visibility = _plain(page.visibility)
        self.chars = _plain(page.chars)
        self.linked = _plain(page.linked)
        self.marked = _plain(marked)
        self.text = page.text_buffer
        self.values = page.value_buffer
        self.doing = _DOING
        self.is_block = _BLOCKS
        self.kept_rows = bytearray(self.rows)
        self.kept = self.kept_rows
        self.count = 0

    @cython.cfunc
    def find(self) -> cython.bint:
        """Finds the rows to visit; False where the page has formulas, whose copies for the eye are not looked for."""
        return self._sum_up() and self._walk()

    @cython.cfunc
    def _sum_up(self) -> cython.bint:
        rows: cython.int = self.rows
        kept_chars_ = array("i", bytes(4 * (rows + 1)))
        all_chars_ = array("i", bytes(4 * (rows + 1)))
        wanted_ = array("i", bytes(4 * (rows + 1)))
        kept_chars: cython.int[::1] = kept_chars_
        all_chars: cython.int[::1] = all_chars_
        wanted: cython.int[::1] = wanted_
        tag: cython.const[cython.int][::1] = self.tag
        chars: cython.const[cython.int][::1] = self.chars
        marked: cython.const[cython.uchar][::1] = self.marked
        state: cython.const[cython.uchar][::1] = self.visibility
        doings: cython.const[cython.uchar][::1] = self.doing
        is_kept: cython.uchar[::1] = self.kept
        row: cython.int
        number: cython.int
        doing: cython.int
        written: cython.int = 0
        kept: cython.int = 0
        seen: cython.int = 0
        rules: list[int] = []
        for row in range(rows):
            number = tag[row]
            if number == TEXT:
                seen += chars[row]
                if marked[row] and state[row] != UNSEEN:
                    is_kept[row] = 1
                    kept += chars[row]
                    written += 1
            elif number < KNOWN:
                doing = doings[number]
                if doing >= RULE:
                    if doing == RULE:
                        rules.append(row)
                    elif number == MATH or (number == SCRIPT and self._is_formula(row)):
                        return False
            kept_chars[row + 1] = kept
            all_chars[row + 1] = seen
            wanted[row + 1] = written
        self.kept_chars = kept_chars_
        self.all_chars = all_chars_
        self.wanted = wanted_
        self._add_rules([row for row in rules if self._stands_among_kept(row)])
        return True

    @cython.cfunc
    def _add_rules(self, rules: list) -> cython.void:
        """Lines across, where they stand among kept texts, are written too."""
        more: cython.int = 0
        row: cython.int
        if rules:
            rules.append(self.rows)
            for row in range(rules[0], self.rows):
                if row == rules[more]:
                    more += 1
                self.wanted[row + 1] += more

    @cython.cfunc
    def _stands_among_kept(self, row: cython.int) -> cython.bint:
        """Whether at least half of the text next to a row is kept."""
        above: cython.int = row
        while above > 0 and self.all_chars[self.end[above]] == self.all_chars[above]:
            above = self.parent[above]
        kept: cython.longlong = self.kept_chars[self.end[above]] - self.kept_chars[above]
        seen: cython.longlong = self.all_chars[self.end[above]] - self.all_chars[above]
        return 2 * kept >= seen > 0

    @cython.cfunc
    def _is_formula(self, row: cython.int) -> cython.bint:
        """Whether a script holds TeX that MathJax reads."""
        k: cython.int
        for k in range(self.attribute_at[row], self.attribute_at[row + 1]):
            if self.attribute_name[k] == TYPE and self.value_at[k + 1] - self.value_at[k] >= 8:
                if self.values[self.value_at[k]] == 109 and self.value(k)[:8] == b"math/tex":
                    return True
        return False

    @cython.cfunc
    def _walk(self) -> cython.bint:
        """Lists the rows to visit, each with the number of its line. Blocks without kept text are passed over."""
        rows: cython.int = self.rows
        visit_ = array("i", bytes(4 * rows))
        line_ = array("i", bytes(4 * rows))
        breaks_ = bytearray(rows + 1)
        visit: cython.int[::1] = visit_
        line: cython.int[::1] = line_
        breaks: cython.uchar[::1] = breaks_
        tag: cython.const[cython.int][::1] = self.tag
        end: cython.const[cython.int][::1] = self.end
        state: cython.const[cython.uchar][::1] = self.visibility
        kept: cython.const[cython.uchar][::1] = self.kept
        doings: cython.const[cython.uchar][::1] = self.doing
        is_block: cython.const[cython.uchar][::1] = self.is_block
        sums: cython.const[cython.int][::1] = self.wanted
        row: cython.int = 0
        number: cython.int
        doing: cython.int
        count: cython.int = 0
        current: cython.int = 0
        first: cython.int = 0  # where the visits of this line begin
        telling: cython.bint = False  # whether the line has kept text, or shapes some
        wanted: cython.bint
        while row < rows:
            number = tag[row]
            if number > KNOWN:
                number = KNOWN
            if breaks[row] or is_block[number]:
                if not telling:
                    count = first
                first = count
                telling = False
                current += 1
            if number == TEXT:
                if kept[row]:
                    telling = True
                elif state[row] != 0:
                    row += 1
                    continue
                visit[count] = row
                line[count] = current
                count += 1
                row += 1
                continue
            wanted = sums[end[row]] > sums[row]
            if is_block[number]:
                breaks[end[row]] = 1
                if not wanted:
                    row = end[row]
                    continue
            doing = doings[number]
            if doing > LAST_AMONG:
                if wanted:
                    if doing == NOT_DONE:
                        return False
                    telling = True
                    visit[count] = row
                    line[count] = current
                    count += 1
            elif doing > 0:
                if doing == IMAGE and wanted:
                    return False
                if state[row] == 0:
                    visit[count] = row
                    line[count] = current
                    count += 1
            row += 1
        self.count = count if telling else first
        self.visit = visit_
        self.line = line_
        return True

    @cython.cfunc
    def attribute(self, row: cython.int, name: cython.int) -> cython.int:
        """Where an attribute of a row stands in the attribute table, or -1."""
        k: cython.int
        for k in range(self.attribute_at[row], self.attribute_at[row + 1]):
            if self.attribute_name[k] == name:
                return k
        return -1

    @cython.cfunc
    def value(self, k: cython.int) -> object:
        """The bytes of an attribute's value; none where there is no such attribute."""
        return self.page.value_buffer[self.value_at[k] : self.value_at[k + 1]] if k >= 0 else b""


@cython.cclass
class _Line(_Visits):
    """The line that is being filled: blanks folded, what is not to be seen left out, marks around the words."""

    words: _Bytes  # the lines, one after the other
    raise_: object
    begin: cython.Py_ssize_t  # where this one begins
    gap: cython.int
    begun: cython.bint  # whether there is a word yet
    started: cython.bint  # whether there is anything yet
    struck: cython.bint  # whether the last thing was the end of something struck out
    broken: cython.bint  # whether there was a line break, and only blanks since
    last_at: cython.Py_ssize_t  # where the text ends that was the last thing, or -1
    heading: cython.bint
    marks: cython.int[::1]  # those that are open
    open_marks: cython.int
    waiting: cython.int  # how many of them have no word yet
    passed: cython.int  # how many of these stand before one that was closed without a word
    raised: cython.int
    unit: cython.Py_ssize_t  # where the raised words begin
    link_before: cython.int  # the row of the link that has just ended
    failed: cython.bint

    def __init__(self, page: Any, marked: Any, raise_: Any):
        super().__init__(page, marked)
        self.raise_ = raise_
        self.words = _Bytes(4096)
        self.marks = array("i", bytes(4 * 16))
        self.open_marks = 0
        self.heading = False
        self.failed = False
        self.link_before = 0
        self._new_line()

    @cython.cfunc
    def _new_line(self) -> cython.void:
        self.begin = self.words.at
        self.gap = NO_GAP
        self.begun = False
        self.started = self.open_marks > 0
        self.struck = False
        self.broken = False
        self.last_at = -1
        self.waiting = self.open_marks
        self.passed = 0
        self.raised = 0
        self.unit = 0

    @cython.cfunc
    def end_line(self) -> cython.bint:
        """Closes what is open; whether there are words. They are those from `begin` to the end."""
        k: cython.int
        for k in range(self.open_marks - self.waiting - 1, -1, -1):
            self._close_mark(self.marks[k])
        self.link_before = 0
        return self.begun

    # Marks

    @cython.cfunc
    def _open_mark(self, kind: cython.int) -> cython.void:
        if kind == QUOTE:
            self.words.put(b"\xe2\x80\x9c")
        elif kind == INNER_QUOTE:
            self.words.put(b"\xe2\x80\x98")
        elif kind == SUP or kind == SUB:
            self.raised = kind
            self.unit = self.words.at

    @cython.cfunc
    def _close_mark(self, kind: cython.int) -> cython.void:
        if kind == QUOTE:
            self.words.put(b"\xe2\x80\x9d")
        elif kind == INNER_QUOTE:
            self.words.put(b"\xe2\x80\x99")
        elif kind == SUP or kind == SUB:
            self._end_unit()
            self.raised = 0

    @cython.cfunc
    def _end_unit(self) -> cython.void:
        """Small digits and signs for the raised words since the unit began."""
        if self.raised and self.words.at > self.unit:
            words: bytes = self.words.since(self.unit)
            self.words.at = self.unit
            try:
                self.words.put(self.raise_(words.decode(), "sup" if self.raised == SUP else "sub").encode())
            except UnicodeDecodeError:
                self.failed = True
        self.unit = self.words.at

    @cython.cfunc
    def _is_open(self, kind: cython.int) -> cython.bint:
        k: cython.int = 0
        while k < self.open_marks and self.marks[k] != kind:
            k += 1
        return k < self.open_marks

    @cython.cfunc
    def mark(self, kind: cython.int) -> cython.bint:
        """Opens a mark, unless it is open already; whether it has."""
        if kind == QUOTE and self._is_open(QUOTE):
            kind = INNER_QUOTE
        if self._is_open(kind):
            return False
        if self._is_open(SUP) or self._is_open(SUB):
            self.failed = True  # raised words in pieces
        self.marks[self.open_marks] = kind
        self.open_marks += 1
        self.waiting += 1
        self.started = True
        self.struck = False
        return True

    @cython.cfunc
    def unmark(self) -> cython.void:
        """Closes the mark that was opened last. One without a word is as good as not there."""
        self.open_marks -= 1
        self.started = True
        self.struck = self.marks[self.open_marks] == STRIKE
        if self.waiting:
            self.waiting -= 1
            self.passed = self.waiting
        else:
            self._close_mark(self.marks[self.open_marks])

    # Words

    @cython.cfunc
    def blank(self) -> cython.void:
        """A blank, by itself."""
        self.started = True
        self.struck = False
        self.last_at = -1
        if self.gap == NO_GAP:
            self.gap = BLANK_GAP

    @cython.cfunc
    def break_line(self) -> cython.bint:
        """A line break; False where it is the second one in a row, which ends the paragraph."""
        self.link_before = 0
        if self.broken and not self.heading:
            return False
        self.started = True
        self.struck = False
        self.broken = True
        self.last_at = -1
        self.gap = LINE_GAP
        return True

    @cython.cfunc
    def _before_word(self) -> cython.void:
        """What comes before a word: the gap, and the marks that have opened. The gap is outside of them."""
        first: cython.int = self.open_marks - self.waiting
        k: cython.int
        for k in range(first, first + self.passed):
            self._open_mark(self.marks[k])
        if self.gap != NO_GAP and self.begun:
            if self.gap == LINE_GAP and not self.heading:
                self._end_unit()
                self.words.put(b"\n")
                self.unit = self.words.at
            else:
                self.words.put(b" ")
        for k in range(first + self.passed, self.open_marks):
            self._open_mark(self.marks[k])
        self.gap = NO_GAP
        self.begun = True
        self.waiting = 0
        self.passed = 0

    @cython.cfunc
    def put_object(self, words: bytes) -> cython.void:
        """Something among the words that is not a text."""
        self.started = True
        self.struck = False
        self.broken = False
        self.last_at = -1
        self._before_word()
        self._end_unit()
        self.words.put(words)
        self.unit = self.words.at

    @cython.cfunc
    def put_text(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """A text of the page."""
        words: _Bytes = self.words
        text: cython.const[cython.uchar][::1] = self.text
        data: cython.uchar[::1]
        i: cython.Py_ssize_t = start
        at: cython.Py_ssize_t
        k: cython.int
        byte: cython.uchar
        size: cython.int
        sort: cython.int
        self.started = True
        self.struck = False
        self.link_before = 0
        if start == stop:
            return
        self.last_at = stop
        words.make_room(stop - start + 16)
        data = words.data
        while i < stop:
            size = _size(text, i, stop)
            if size == 0:
                self.failed = True  # not UTF-8
                return
            sort = _sort(text, i, size)
            if sort == 1:
                if self.gap == NO_GAP:
                    self.gap = BLANK_GAP
                i += size
                continue
            self.broken = False
            if sort == 2:
                i += size
                continue
            if self.waiting or not self.begun or self.gap == LINE_GAP:
                self._before_word()
                words.make_room(stop - i + 16)
                data = words.data
            at = words.at
            if self.gap == BLANK_GAP:
                data[at] = 32
                at += 1
                self.gap = NO_GAP
            if size == 1:
                # As far as there are plain words with single blanks between them.
                while i < stop:
                    byte = text[i]
                    if not 32 < byte < 127 and not (byte == 32 and i + 1 < stop and 32 < text[i + 1] < 127):
                        break
                    data[at] = byte
                    at += 1
                    i += 1
            else:
                for k in range(size):
                    data[at + k] = text[i + k]
                at += size
                i += size
            words.at = at

    @cython.cfunc
    def is_new_word(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        """Whether a text that touches the one before it, each in an element of its own, is meant as another word."""
        before: cython.Py_ssize_t = self.last_at - 1
        if before < 0 or start == stop:
            return False
        after: cython.Py_ssize_t = start + 1
        byte: cython.int = self.text[start]
        if 97 <= byte <= 122 or byte < 48:
            return False
        while after < stop and self.text[after] & 0xC0 == 0x80:
            after += 1
        first: str = self.page.text_buffer[start:after].decode("utf-8", "replace")[:1]
        if not (first.isupper() or first.isdigit()):
            return False
        while before > 0 and self.text[before] & 0xC0 == 0x80:
            before -= 1
        last: str = self.page.text_buffer[before : self.last_at].decode("utf-8", "replace")[:1]
        return last.isalnum() and ord(last) < _FIRST_IDEOGRAPH


@cython.cclass
class _Writer(_Line):
    """Walks the rows once, in order, with a stack of what is open; then writes the blocks that came of it."""

    tables: cython.bint
    lines: _Bytes  # the code that is being read
    ends_line: cython.bint  # whether its last piece ended with a line end
    is_gutter: object  # whether a cell holds line numbers
    blocks: cython.longlong[::1]
    block_end: cython.Py_ssize_t
    block_room: cython.Py_ssize_t
    target: cython.Py_ssize_t  # the block that finished ones are added to
    last: cython.Py_ssize_t  # the block that was added last, or -1
    last_stray: cython.Py_ssize_t  # the last list made of items outside of any, or -1
    nesting: cython.int
    open: cython.longlong[::1]
    open_end: cython.Py_ssize_t
    open_room: cython.Py_ssize_t
    skip: cython.int  # rows before this one are done
    cells: object  # the block of each cell's row, where there are tables
    cell_of: cython.longlong[::1]
    out: _Bytes
    indent: cython.int
    fresh: cython.bint  # whether a line of the output has just begun

    def __init__(self, page: Any, marked: Any, tables: bool, is_gutter: Any, raise_: Any):
        super().__init__(page, marked, raise_)
        self.tables = tables
        self.lines = _Bytes(256)
        self.ends_line = False
        self.is_gutter = is_gutter
        self.blocks = _numbers(128 * BLOCK_SIZE)
        self.block_room = 128 * BLOCK_SIZE
        self.block_end = 0
        self.last = -1
        self.last_stray = -1
        self.nesting = 0
        self.open = _numbers(32 * OPEN_SIZE)
        self.open_room = 32 * OPEN_SIZE
        self.open_end = 0
        self.skip = 0
        self.cells = None
        self.indent = 0
        self.fresh = False

    @cython.cfunc
    def write(self) -> object:
        """The text; None where it is not to be had this way."""
        if not self.find():
            return None
        self.target = self._new_block(DOCUMENT)
        self._visit_all()
        if self.failed:
            return None
        self.out = _Bytes(self.words.at + self.words.at // 8 + 64)
        self._write_blocks(0, 2)
        try:
            return self.out.since(0).decode()
        except UnicodeDecodeError:
            return None

    # Walking

    @cython.cfunc
    def _visit_all(self) -> cython.void:
        k: cython.int
        row: cython.int
        line_before: cython.int = -1
        text_before: cython.int = -1  # the text visited last, and its line
        text_line: cython.int = -1
        seam: cython.bint
        for k in range(self.count):
            row = self.visit[k]
            if self.tag[row] == TEXT:
                seam = text_line == self.line[k] and self._is_seam(text_before, row)
                text_before = row
                text_line = self.line[k]
            else:
                seam = False
            if row < self.skip:
                continue
            if self.open_end and self.open[self.open_end - OPEN_SIZE] <= row:
                self._close_until(row)
            if self.line[k] != line_before:
                line_before = self.line[k]
                if self.started:
                    self.flush()
            if self.tag[row] != TEXT:
                self._open(row)
            elif self.kept[row]:
                if seam and self.is_new_word(self.text_at[row], self.text_at[row + 1]):
                    self.blank()
                self.put_text(self.text_at[row], self.text_at[row + 1])
            elif self.text_at[row] < self.text_at[row + 1]:
                # Blanks, and texts left out: what stands around them is not run together.
                self.blank()
                self.link_before = 0
            if self.failed:
                return
        self._close_until(self.rows)
        self.flush()

    @cython.cfunc
    def _is_seam(self, before: cython.int, here: cython.int) -> cython.bint:
        """Whether one inline element has ended between two texts and another begun, neither raised."""
        above_before: cython.int = self.parent[before]
        above: cython.int = self.parent[here]
        if self.end[above_before] > here or above <= before:
            return False
        raised: cython.const[cython.uchar][::1] = _RAISED
        return not (
            (self.tag[above_before] < KNOWN and raised[self.tag[above_before]])
            or (self.tag[above] < KNOWN and raised[self.tag[above]])
        )

    @cython.cfunc
    def flush(self) -> cython.void:
        """Ends the line: what has come together becomes a paragraph."""
        block: cython.Py_ssize_t
        if self.end_line():
            block = self._new_block(PARAGRAPH)
            self.blocks[block + BEGIN] = self.begin
            self.blocks[block + STOP] = self.words.at
            self._add(block)
        self._new_line()

    @cython.cfunc
    def _open(self, row: cython.int) -> cython.void:
        doing: cython.int = self.doing[self.tag[row]]
        if doing == LINK:
            self._open_link(row)
        elif doing == BREAK:
            if not self.break_line():
                self.flush()
        elif doing <= IMAGE:
            if doing == IMAGE:
                self.blank()
            else:
                self._box(row)
        elif doing <= QUOTE:
            if self.mark(doing):
                self._push(row, STRONG, 0)
        elif doing == INSERTION:
            if self.struck:  # what takes the place of something struck out is another word
                self.blank()
        elif doing == CODE:
            self._code(row)
        elif doing == PRE:
            self._code_block(row)
        elif doing == LIST or doing == NUMBERED:
            self._open_list(row, doing)
        elif doing == ITEM:
            self._open_item(row)
        elif doing == DEFINITIONS or doing == BLOCK_QUOTE:
            self._open_container(row, doing, doing)
        elif doing == TERM or doing == MEANING:
            if self._target_kind() == DEFINITIONS:
                self._open_part(row, doing)
        elif doing == HEADING:
            if self.kept_chars[self.end[row]] - self.kept_chars[row] <= LONG_HEADING:
                self._push(row, HEADING, self.heading)
                self.heading = True
        elif doing == CAPTION:
            self._push(row, CAPTION, 0)
        elif doing == TABLE:
            self._open_table(row)
        elif doing == CELL:
            self._open_cell(row)
        elif doing == RULE:
            if self._target_kind() == DOCUMENT or self._target_kind() == BLOCK_QUOTE:
                self._add(self._new_block(RULE))

    # What is open

    @cython.cfunc
    def _push(self, row: cython.int, kind: cython.int, block: cython.Py_ssize_t) -> cython.void:
        if self.open_end == self.open_room:
            self.open_room *= 2
            self.open = _longer(self.open, self.open_end)
        self.open[self.open_end] = self.end[row]
        self.open[self.open_end + 1] = kind
        self.open[self.open_end + 2] = block
        self.open[self.open_end + 3] = self.target
        self.open[self.open_end + 4] = self.heading
        self.open[self.open_end + 5] = self.last
        self.open_end += OPEN_SIZE

    @cython.cfunc
    def _close_until(self, row: cython.int) -> cython.void:
        kind: cython.int
        block: cython.Py_ssize_t
        while self.open_end and self.open[self.open_end - OPEN_SIZE] <= row:
            self.open_end -= OPEN_SIZE
            kind = self.open[self.open_end + 1]
            block = self.open[self.open_end + 2]
            if kind == STRONG:
                self.unmark()
            elif kind == LINK:
                self.link_before = block
            elif kind == CAPTION:
                self.flush()
            elif kind == HEADING:
                self.flush()
                self.heading = block != 0
            else:
                self._leave(kind, block)

    @cython.cfunc
    def _leave(self, kind: cython.int, block: cython.Py_ssize_t) -> cython.void:
        """Leaves a container or a part of one, and adds what came of it."""
        self.flush()
        before: cython.Py_ssize_t = self.open[self.open_end + 5]
        self.target = self.open[self.open_end + 3]
        self.heading = self.open[self.open_end + 4] != 0
        self.last = -1
        if kind == ITEM:  # a part of any sort
            return
        self.nesting -= 1
        if kind == STRAY_ITEM:
            block = self._left_stray(block, before)
        elif kind == LIST:
            block = self._settled(block)
        elif kind == DEFINITIONS or kind == TABLE:
            self._drop_empty(block)
        if block >= 0 and (kind == LIST or kind == STRAY_ITEM or self.blocks[block + FIRST] >= 0):
            self._add(block)

    @cython.cfunc
    def _enter(self, row: cython.int, kind: cython.int, block: cython.Py_ssize_t) -> cython.void:
        """Sends what follows to another block until the row ends."""
        self.flush()
        self._push(row, kind, block)
        self.target = block
        self.heading = False
        self.last = -1

    @cython.cfunc
    def _open_container(self, row: cython.int, kind: cython.int, made: cython.int) -> cython.Py_ssize_t:
        """Opens a container and gives its block, -1 where containers are nested too deep already."""
        if self.nesting >= DEEP:
            return -1
        self.nesting += 1
        block: cython.Py_ssize_t = self._new_block(made)
        self._enter(row, kind, block)
        return block

    @cython.cfunc
    def _open_part(self, row: cython.int, made: cython.int) -> cython.void:
        """Opens a part of a container: an item, an entry."""
        above: cython.Py_ssize_t = self.target
        block: cython.Py_ssize_t = self._new_block(made)
        self._enter(row, ITEM, block)
        self._append(above, block)

    # Blocks

    @cython.cfunc
    def _new_block(self, kind: cython.int) -> cython.Py_ssize_t:
        block: cython.Py_ssize_t = self.block_end
        if block == self.block_room:
            self.block_room *= 2
            self.blocks = _longer(self.blocks, block)
        self.blocks[block + KIND] = kind
        self.blocks[block + FIRST] = -1
        self.blocks[block + LAST] = -1
        self.blocks[block + NEXT] = -1
        self.block_end += BLOCK_SIZE
        return block

    @cython.cfunc
    def _append(self, above: cython.Py_ssize_t, block: cython.Py_ssize_t) -> cython.void:
        """Adds a block at the end of another's parts."""
        last: cython.Py_ssize_t = self.blocks[above + LAST]
        if last < 0:
            self.blocks[above + FIRST] = block
        else:
            self.blocks[last + NEXT] = block
        self.blocks[above + LAST] = block
        self.blocks[block + NEXT] = -1

    @cython.cfunc
    def _target_kind(self) -> cython.int:
        return self.blocks[self.target + KIND]

    @cython.cfunc
    def _is_list(self, block: cython.Py_ssize_t) -> cython.bint:
        return block >= 0 and (self.blocks[block + KIND] == LIST or self.blocks[block + KIND] == NUMBERED)

    @cython.cfunc
    def _add(self, block: cython.Py_ssize_t) -> cython.void:
        """Adds a finished block to the target."""
        kind: cython.int = self._target_kind()
        part: cython.Py_ssize_t
        if kind == LIST or kind == NUMBERED:
            self._add_stray(block)
        elif kind == DEFINITIONS:
            part = self._new_block(MEANING)
            self._append(self.target, part)
            self._append(part, block)
        elif kind == TABLE:
            if self.blocks[block + KIND] == PARAGRAPH:
                self._append(self.blocks[self.target + BEGIN], block)
            else:
                part = self._new_block(CELL)
                self.blocks[part + BEGIN] = 0
                self._append(part, block)
                self._append(self._new_table_row(self.target), part)
        else:
            self._append(self.target, block)
        self.last = block

    @cython.cfunc
    def _add_stray(self, block: cython.Py_ssize_t) -> cython.void:
        """What stands in a list but in none of its items: a list goes with the item before it."""
        item: cython.Py_ssize_t = self.blocks[self.target + LAST]
        last: cython.Py_ssize_t
        if not self._is_list(block) or item < 0 or self.blocks[item + FIRST] < 0:
            item = self._new_block(ITEM)
            self._append(item, block)
            self._append(self.target, item)
            return
        last = self.blocks[item + LAST]
        if self._is_list(last) and self.blocks[last + KIND] == self.blocks[block + KIND]:
            self.blocks[self.blocks[last + LAST] + NEXT] = self.blocks[block + FIRST]
            self.blocks[last + LAST] = self.blocks[block + LAST]
        else:
            self._append(item, block)

    @cython.cfunc
    def _drop_empty(self, block: cython.Py_ssize_t) -> cython.void:
        """Drops the parts in which there is nothing; of a table, the rows in whose cells there is nothing."""
        part: cython.Py_ssize_t = self.blocks[block + FIRST]
        following: cython.Py_ssize_t
        is_table: cython.bint = self.blocks[block + KIND] == TABLE
        self.blocks[block + FIRST] = -1
        self.blocks[block + LAST] = -1
        while part >= 0:
            following = self.blocks[part + NEXT]
            if self._has_filled_cell(part) if is_table else self.blocks[part + FIRST] >= 0:
                self._append(block, part)
            part = following

    @cython.cfunc
    def _settled(self, block: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """A list without empty items; a list that holds nothing but a list is that list; -1 for an empty one."""
        self._drop_empty(block)
        item: cython.Py_ssize_t = self.blocks[block + FIRST]
        if item < 0:
            return -1
        inner: cython.Py_ssize_t = self.blocks[item + FIRST]
        if self.blocks[item + NEXT] < 0 and self.blocks[inner + NEXT] < 0 and self._is_list(inner):
            return inner
        return block

    # Lists

    @cython.cfunc
    def _open_list(self, row: cython.int, kind: cython.int) -> cython.void:
        start: cython.longlong = self._first_number(row) if kind == NUMBERED else 1
        block: cython.Py_ssize_t = self._open_container(row, LIST, kind)
        if block >= 0:
            self.blocks[block + BEGIN] = start

    @cython.cfunc
    def _first_number(self, row: cython.int) -> cython.longlong:
        """What a numbered list says it begins with."""
        k: cython.int = self.attribute(row, START)
        if k < 0:
            return 1
        try:
            number = int(self.value(k).decode("utf-8", "replace"))
        except ValueError:
            return 1
        return number if abs(number) < 10**9 else 1

    @cython.cfunc
    def _open_item(self, row: cython.int) -> cython.void:
        if self._is_list(self.target):
            if self._target_kind() == NUMBERED and self.blocks[self.target + FIRST] < 0:
                self.blocks[self.target + BEGIN] += self._items_before(row)
            self._open_part(row, ITEM)
        else:
            self._open_container(row, STRAY_ITEM, ITEM)

    @cython.cfunc
    def _items_before(self, row: cython.int) -> cython.int:
        """How many items of the same list were left out before this one."""
        sibling: cython.int = self.parent[row] + 1
        count: cython.int = 0
        while sibling < row:
            if self.tag[sibling] == LI:
                count += 1
            sibling = self.end[sibling]
        return count

    @cython.cfunc
    def _left_stray(self, item: cython.Py_ssize_t, before: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Items outside of any list make one together: the new list, or -1 where the item went to the one before."""
        block: cython.Py_ssize_t
        if self._is_list(before) and before == self.last_stray and self.blocks[item + FIRST] >= 0:
            self._append(before, item)
            self.last = before
            return -1
        block = self._new_block(LIST)
        self.blocks[block + BEGIN] = 1
        self._append(block, item)
        self.last_stray = self._settled(block)
        return self.last_stray

    # Things among the words

    @cython.cfunc
    def _open_link(self, row: cython.int) -> cython.void:
        if not self.linked[row]:
            return
        if self._is_permalink(row):
            self.skip = self.end[row]
            return
        # Two links that touch are two things: their words are never one word.
        if self.link_before and self._href(self.link_before) != self._href(row):
            self.blank()
        self._push(row, LINK, row)

    @cython.cfunc
    def _href(self, row: cython.int) -> object:
        return self.value(self.attribute(row, HREF)).decode("utf-8", "replace")

    @cython.cfunc
    def _is_permalink(self, row: cython.int) -> cython.bint:
        """Whether a link is the sign beside a heading that leads to itself."""
        at: cython.int = self.text_at[row]
        stop: cython.int = self.text_at[self.end[row]]
        if stop - at > LONGEST_PERMALINK:
            return False
        while at < stop and _is_blank(self.text[at]):
            at += 1
        if at == stop or (self.text[at] < 128 and self.text[at] != 35):
            return False
        sign: str = self.page.text_buffer[at:stop].decode("utf-8", "replace").strip()
        return sign in PERMALINKS and "#" in self._href(row)

    @cython.cfunc
    def _box(self, row: cython.int) -> cython.void:
        """The box of an item of a to-do list."""
        above: cython.int = self.parent[row]
        further: cython.int = self.parent[above] if above > 0 else self.rows - 1
        if self.value(self.attribute(row, TYPE)) == b"checkbox" and (self.tag[above] == LI or self.tag[further] == LI):
            self.put_object(b"[x]" if self.attribute(row, CHECKED) >= 0 else b"[ ]")
            self.blank()

    # Code

    @cython.cfunc
    def _code(self, row: cython.int) -> cython.void:
        """Code within a line, unless it has lines enough to be a block."""
        broken: cython.bint = self._verbatim(row)
        start: cython.Py_ssize_t
        stop: cython.Py_ssize_t
        lines: cython.int
        self.skip = self.end[row]
        start, stop, lines = self._strip()
        if start == stop:
            return
        if lines >= CODE_BLOCK or (broken and lines > 1):
            self.flush()
            self._add_code()
            return
        self.link_before = 0
        if start > 0:
            self.blank()
        self.put_object(b"")
        self._put_folded(start, stop)
        if stop < self.lines.at:
            self.blank()

    @cython.cfunc
    def _code_block(self, row: cython.int) -> cython.void:
        self._verbatim(row)
        self.skip = self.end[row]
        self._add_code()

    @cython.cfunc
    def _verbatim(self, row: cython.int) -> cython.bint:
        """The kept text below a row as it stands, into `lines`, and whether elements begin new lines in it.

        Blank texts are nobody's to select, and they hold the indentation: they are kept where they would be shown.
        """
        broken: cython.bint = False
        hiding: cython.const[cython.uchar][::1] = _HIDING
        least: cython.int = 2 if self.doing[self.tag[row]] == PRE or self.doing[self.tag[row]] == CODE else 1
        closing: list[int] = []
        above: cython.int
        number: cython.int
        inner: cython.int = row + 1
        self.lines.at = 0
        self.ends_line = False
        while inner < self.end[row]:
            while closing and closing[len(closing) - 1] <= inner:
                closing.pop()
                self._end_code_line()
            number = self.tag[inner]
            if number == TEXT:
                above = self.tag[self.parent[inner]]
                if self.kept[inner]:
                    self._put_verbatim(inner)
                elif self.visibility[inner] == 0 and self.chars[inner] > 0:
                    self.lines.put(b" ")  # what stands around a text left out is not run together
                    self.ends_line = False
                elif self.visibility[inner] == 0 and (
                    above >= KNOWN or hiding[above] < least or not self._has_line_end(inner)
                ):
                    self._put_verbatim(inner)
            elif number < KNOWN and self.doing[number] == BREAK:
                self.lines.put(b"\n")
                self.ends_line = True
                broken = True
            elif self._is_gutter(inner):
                inner = self.end[inner]
                continue
            elif number < KNOWN and self.is_block[number]:
                self._end_code_line()
                closing.append(self.end[inner])
                broken = True
            inner += 1
        if closing:
            self._end_code_line()
        return broken

    @cython.cfunc
    def _end_code_line(self) -> cython.void:
        if not self.ends_line:
            self.lines.put(b"\n")
            self.ends_line = True

    @cython.cfunc
    def _has_line_end(self, row: cython.int) -> cython.bint:
        at: cython.int = self.text_at[row]
        while at < self.text_at[row + 1] and self.text[at] != 10:
            at += 1
        return at < self.text_at[row + 1]

    @cython.cfunc
    def _put_verbatim(self, row: cython.int) -> cython.void:
        """Adds a text to the code, without what is not to be seen; no-break spaces are blanks."""
        lines: _Bytes = self.lines
        i: cython.int = self.text_at[row]
        stop: cython.int = self.text_at[row + 1]
        start: cython.Py_ssize_t = lines.at
        size: cython.int
        k: cython.int
        lines.make_room(stop - i)
        while i < stop:
            size = _size(self.text, i, stop)
            if size == 0:
                self.failed = True  # not UTF-8
                return
            if size == 2 and self.text[i] == 0xC2 and self.text[i + 1] == 0xA0:
                lines.data[lines.at] = 32
                lines.at += 1
            elif _sort(self.text, i, size) != 2:
                for k in range(size):
                    lines.data[lines.at + k] = self.text[i + k]
                lines.at += size
            i += size
        self.ends_line = lines.at > start and lines.data[lines.at - 1] == 10

    @cython.cfunc
    def _strip(self) -> tuple[cython.Py_ssize_t, cython.Py_ssize_t, cython.int]:
        """Where the code begins and ends without the blanks around it, and how many lines these are."""
        data: cython.uchar[::1] = self.lines.data
        i: cython.Py_ssize_t = 0
        start: cython.Py_ssize_t = 0
        stop: cython.Py_ssize_t = 0
        size: cython.int
        lines: cython.int = 1
        since: cython.int = 0  # line ends since the last sign that is not blank
        while i < self.lines.at:
            size = _size(data, i, self.lines.at)
            if _sort(data, i, size) == 0:
                if stop == 0:
                    start = i
                else:
                    lines += since
                stop = i + size
                since = 0
            elif data[i] == 10:
                since += 1
            i += size
        return start, stop, lines

    @cython.cfunc
    def _put_folded(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Adds a piece of the code to the line, its blanks folded."""
        at: cython.Py_ssize_t = self.words.at
        self.words.copy(self.lines, start, stop)
        self.words.fold(at)
        self.unit = self.words.at

    @cython.cfunc
    def _add_code(self) -> cython.void:
        """Adds a block of code without blank lines around it and without blanks at the ends of its lines."""
        data: cython.uchar[::1] = self.lines.data
        begin: cython.Py_ssize_t = self.words.at
        i: cython.Py_ssize_t = 0
        stop: cython.Py_ssize_t = self.lines.at
        start: cython.Py_ssize_t  # of the line,
        after: cython.Py_ssize_t  # and where its last sign ends
        line_ends: cython.int = 0
        size: cython.int
        block: cython.Py_ssize_t
        while i < stop:
            start = after = i
            while i < stop and data[i] != 10:
                size = _size(data, i, stop)
                if _sort(data, i, size) == 0:
                    after = i + size
                i += size
            i += 1
            if after > start:
                if self.words.at > begin:
                    self.words.put(b"\n" * line_ends)
                self.words.copy(self.lines, start, after)
                line_ends = 0
            line_ends += 1
        self.begin = self.words.at
        if self.words.at > begin:
            block = self._new_block(LINES)
            self.blocks[block + BEGIN] = begin
            self.blocks[block + STOP] = self.words.at
            self._add(block)

    # Tables

    @cython.cfunc
    def _open_table(self, row: cython.int) -> cython.void:
        """A data table becomes a block; one that only lays out a page is nothing by itself."""
        count: cython.int
        gutters: cython.int
        headed: cython.bint
        inner: cython.int
        not_data: cython.const[cython.uchar][::1] = _NOT_DATA
        count = gutters = 0
        headed = False
        for inner in range(row + 1, self.end[row]):
            if self.tag[inner] < KNOWN:
                if not_data[self.tag[inner]]:
                    return
                if self.doing[self.tag[inner]] == CELL:
                    count += 1
                    headed = headed or self.tag[inner] == TH
        if not headed:
            for inner in range(row + 1, self.end[row]):
                if self.tag[inner] < KNOWN and self.doing[self.tag[inner]] == CELL:
                    gutters += self._is_gutter(inner)
        if gutters > 0 and count <= 3 * gutters:
            self._code_block(row)
        elif self._is_data_table(row, headed):
            if self.tables:
                self._open_data_table(row)
            else:
                self.skip = self.end[row]

    @cython.cfunc
    def _is_gutter(self, cell: cython.int) -> cython.bint:
        """Whether a cell holds nothing but line numbers."""
        at: cython.int
        byte: cython.int
        if self.attribute(cell, CLASS) < 0:
            return False
        for at in range(self.text_at[cell], self.text_at[self.end[cell]]):
            byte = self.text[at]
            if 32 < byte < 128 and not 48 <= byte <= 57:
                return False
        return self.is_gutter(self.page, cell)

    @cython.cfunc
    def _is_data_table(self, row: cython.int, headed: cython.bint) -> cython.bint:
        """Whether a table is read by rows and columns: two of each at least, and small cells."""
        inner: cython.int
        size: cython.longlong
        total: cython.longlong = 0
        largest: cython.longlong = 0
        filled: cython.longlong = 0
        times: cython.longlong = HEADED if headed else 1
        lines: cython.int = 0  # of two cells or more
        if self.value(self.attribute(row, ROLE)) == b"presentation":
            return False
        in_line: dict[int, int] = {}
        for inner in range(row + 1, self.end[row]):
            if self.tag[inner] < KNOWN and self.doing[self.tag[inner]] == CELL:
                size = self.kept_chars[self.end[inner]] - self.kept_chars[inner]
                if size > 0:
                    filled += 1
                    total += size
                    largest = size if size > largest else largest
                    in_line[self.parent[inner]] = in_line.get(self.parent[inner], 0) + 1
                    if in_line[self.parent[inner]] == 2:
                        lines += 1
        if lines == 0 or (lines < 2 and not headed):
            return False
        return largest <= times * LONG_CELL and total <= times * MEAN_CELL * filled

    @cython.cfunc
    def _open_data_table(self, row: cython.int) -> cython.void:
        """Opens a table with all its cells, still empty. Cells that span are not done here."""
        inner: cython.int
        line: cython.int = -1
        column: cython.int = 0
        cell: cython.Py_ssize_t
        caption: cython.Py_ssize_t
        line_block: cython.Py_ssize_t = -1
        block: cython.Py_ssize_t = self._open_container(row, TABLE, TABLE)
        if block < 0:
            return
        if self.cells is None:
            self.cells = _numbers(self.rows)
            self.cell_of = self.cells
        caption = self._new_block(PARAGRAPH)
        self.blocks[block + BEGIN] = caption
        for inner in range(row + 1, self.end[row]):
            if self.tag[inner] < KNOWN and self.doing[self.tag[inner]] == CELL:
                if self._spans(inner) or self.parent[inner] < line:
                    self.failed = True
                    return
                if self.parent[inner] != line:
                    line = self.parent[inner]
                    line_block = self._new_table_row(block)
                    column = 0
                cell = self._new_block(CELL)
                self.blocks[cell + BEGIN] = column
                self._append(line_block, cell)
                self.cell_of[inner] = cell
                column += 1

    @cython.cfunc
    def _spans(self, cell: cython.int) -> cython.bint:
        k: cython.int
        for k in range(self.attribute_at[cell], self.attribute_at[cell + 1]):
            if self.attribute_name[k] == COLSPAN or self.attribute_name[k] == ROWSPAN:
                if self.value(k) != b"1":
                    return True
        return False

    @cython.cfunc
    def _new_table_row(self, table: cython.Py_ssize_t) -> cython.Py_ssize_t:
        block: cython.Py_ssize_t = self._new_block(ITEM)
        self._append(table, block)
        return block

    @cython.cfunc
    def _open_cell(self, row: cython.int) -> cython.void:
        block: cython.Py_ssize_t
        if self.cells is not None and self.cell_of[row]:
            block = self.cell_of[row]
            self.cell_of[row] = 0
            self._enter(row, ITEM, block)

    @cython.cfunc
    def _has_filled_cell(self, line: cython.Py_ssize_t) -> cython.bint:
        cell: cython.Py_ssize_t = self.blocks[line + FIRST]
        while cell >= 0:
            if self.blocks[cell + FIRST] >= 0:
                return True
            cell = self.blocks[cell + NEXT]
        return False

    # Writing

    @cython.cfunc
    def _put(self, words: bytes) -> cython.void:
        self._indent()
        self.out.put(words)

    @cython.cfunc
    def _indent(self) -> cython.void:
        """Blanks before the first word of a line; a line without words has none."""
        k: cython.int
        if self.fresh:
            self.fresh = False
            self.out.make_room(self.indent)
            for k in range(self.indent):
                self.out.data[self.out.at + k] = 32
            self.out.at += self.indent

    @cython.cfunc
    def _end_lines(self, count: cython.int) -> cython.void:
        self.out.put(b"\n\n" if count == 2 else b"\n")
        self.fresh = True

    @cython.cfunc
    def _put_lines(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Words as they stand, indented line by line."""
        at: cython.Py_ssize_t = start
        after: cython.Py_ssize_t
        if self.indent == 0:
            self.fresh = False
            self.out.copy(self.words, start, stop)
            return
        while at < stop:
            after = at
            while after < stop and self.words.data[after] != 10:
                after += 1
            if after > at:
                self._indent()
                self.out.copy(self.words, at, after)
            if after < stop:
                self._end_lines(1)
            at = after + 1

    @cython.cfunc
    def _write_blocks(self, above: cython.Py_ssize_t, line_ends: cython.int) -> cython.void:
        """The parts of a block with line ends between them."""
        start: cython.Py_ssize_t = self.out.at
        before: cython.Py_ssize_t
        fresh: cython.bint
        block: cython.Py_ssize_t = self.blocks[above + FIRST]
        while block >= 0:
            before = self.out.at
            fresh = self.fresh
            if before > start:
                self._end_lines(line_ends)
            if not self._write_block(block):
                self.out.at = before
                self.fresh = fresh
            block = self.blocks[block + NEXT]

    @cython.cfunc
    def _write_block(self, block: cython.Py_ssize_t) -> cython.bint:
        """Whether anything was written of a block."""
        start: cython.Py_ssize_t = self.out.at
        kind: cython.int = self.blocks[block + KIND]
        if kind == PARAGRAPH or kind == LINES:
            self._put_lines(self.blocks[block + BEGIN], self.blocks[block + STOP])
        elif kind == BLOCK_QUOTE:
            self._write_blocks(block, 2)
        elif kind == LIST or kind == NUMBERED:
            self._write_items(block)
        elif kind == DEFINITIONS:
            self._write_entries(block)
        elif kind == TABLE:
            self._write_table(block)
        return self.out.at > start

    @cython.cfunc
    def _write_part(self, part: cython.Py_ssize_t, marker: bytes, line_end: cython.bint) -> cython.void:
        """An item or entry after its marker, its lines indented by the marker's width; nothing where it is empty."""
        before: cython.Py_ssize_t = self.out.at
        fresh: cython.bint = self.fresh
        start: cython.Py_ssize_t
        if line_end:
            self._end_lines(1)
        if marker:
            self._put(marker)
        start = self.out.at
        self.indent += len(marker)
        self._write_blocks(part, 1)
        self.indent -= len(marker)
        if self.out.at == start:
            self.out.at = before
            self.fresh = fresh

    @cython.cfunc
    def _write_items(self, block: cython.Py_ssize_t) -> cython.void:
        start: cython.Py_ssize_t = self.out.at
        number: cython.longlong = self.blocks[block + BEGIN]
        item: cython.Py_ssize_t = self.blocks[block + FIRST]
        numbered: cython.bint = self.blocks[block + KIND] == NUMBERED
        while item >= 0:
            self._write_part(item, b"%d. " % number if numbered else b"- ", self.out.at > start)
            number += 1
            item = self.blocks[item + NEXT]

    @cython.cfunc
    def _write_entries(self, block: cython.Py_ssize_t) -> cython.void:
        start: cython.Py_ssize_t = self.out.at
        entry: cython.Py_ssize_t = self.blocks[block + FIRST]
        while entry >= 0:
            self._write_part(entry, b"" if self.blocks[entry + KIND] == TERM else b"  ", self.out.at > start)
            entry = self.blocks[entry + NEXT]

    @cython.cfunc
    def _write_table(self, block: cython.Py_ssize_t) -> cython.void:
        """A table: its caption, then a line for each row, the cells between bars."""
        start: cython.Py_ssize_t = self.out.at
        before: cython.Py_ssize_t
        fresh: cython.bint
        line: cython.Py_ssize_t
        used = self._used_columns(block)
        caption: cython.Py_ssize_t = self.blocks[self.blocks[block + BEGIN] + FIRST]
        while caption >= 0:
            if self.out.at > start:
                self._put(b" ")
            self._put_lines(self.blocks[caption + BEGIN], self.blocks[caption + STOP])
            caption = self.blocks[caption + NEXT]
        line = self.blocks[block + FIRST]
        while line >= 0:
            before = self.out.at
            fresh = self.fresh
            if before > start:
                self._end_lines(1)
            if not self._write_cells(line, used):
                self.out.at = before
                self.fresh = fresh
            line = self.blocks[line + NEXT]

    @cython.cfunc
    def _used_columns(self, block: cython.Py_ssize_t) -> object:
        """Marks the columns in which there is anything; None for all, where the table would be huge."""
        widest: cython.Py_ssize_t = 0
        lines: cython.Py_ssize_t = 0
        cell: cython.Py_ssize_t
        line: cython.Py_ssize_t = self.blocks[block + FIRST]
        while line >= 0:
            lines += 1
            cell = self.blocks[line + LAST]
            if cell >= 0 and self.blocks[cell + BEGIN] >= widest:
                widest = self.blocks[cell + BEGIN] + 1
            line = self.blocks[line + NEXT]
        used_ = bytearray(widest)
        used: cython.uchar[::1] = used_
        line = self.blocks[block + FIRST]
        while line >= 0:
            cell = self.blocks[line + FIRST]
            while cell >= 0:
                if self.blocks[cell + FIRST] >= 0:
                    used[self.blocks[cell + BEGIN]] = 1
                cell = self.blocks[cell + NEXT]
            line = self.blocks[line + NEXT]
        return used_ if used_.count(1) * lines <= LARGEST_GRID else None

    @cython.cfunc
    def _write_cells(self, line: cython.Py_ssize_t, used: object) -> cython.bint:
        """Whether any cell of a row had something to write. Empty ones at its end are left out."""
        first: cython.bint = True
        start: cython.Py_ssize_t
        stop: cython.Py_ssize_t  # of the last cell with words
        cell: cython.Py_ssize_t = self.blocks[line + FIRST]
        self._indent()
        start = stop = self.out.at
        while cell >= 0:
            if used is None or used[self.blocks[cell + BEGIN]]:
                if not first:
                    # The blank before a bar is gone where the row begins with it.
                    self.out.put(b" | " if self.out.at > start else b"| ")
                first = False
                if self._write_cell(cell):
                    stop = self.out.at
            cell = self.blocks[cell + NEXT]
        self.out.at = stop
        return stop > start

    @cython.cfunc
    def _write_cell(self, cell: cython.Py_ssize_t) -> cython.bint:
        """Whether there is anything in a cell; what there is, is written in one line."""
        indent: cython.int = self.indent
        start: cython.Py_ssize_t = self.out.at
        self.indent = 0
        self._write_blocks(cell, 1)
        self.indent = indent
        self.fresh = False
        self.out.fold(start)
        return self.out.at > start


def text(
    page: Any,
    rows: Any,
    tables: bool,
    is_gutter: Callable[[Any, int], bool],
    raised: Callable[[str, str], str],
) -> str | None:
    """The rows of a page that `rows` marks as plain text; None where this writer cannot say.

    `is_gutter` says whether a row holds line numbers, `raised` writes a superscript or subscript: rare things, for
    which Python is fast enough.
    """
    writer: _Writer = _Writer(page, rows, tables, is_gutter, raised)
    return writer.write()
