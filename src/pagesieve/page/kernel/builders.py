# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""The two builders of the node table that read HTML; `builders.pxd` lists what they are made of.

`from_source` reads a page as it was written, by the rules of the HTML standard, as long as it is sure: it gives up, and
returns the reason, where the standard repairs a page in ways that move nodes about. Most pages are clean enough, and
nothing is faster then. `from_serialised` reads what the parser (lexbor) has repaired and written out again.
"""

from __future__ import annotations

import re

import cython
from cython.cimports.cpython.array import array, resize
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.libc.string import memcpy, memmove, memset
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.cleaning import cleaned_texts, cleaned_values
from cython.cimports.pagesieve.page.kernel.common import zeros
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.tokenizer import Buffer, Tokenizer, element_number, int_room, with_line_feeds
from cython.cimports.pagesieve.page.kernel.view import PageView

from pagesieve.page.kernel.tags import ATTRIBUTE_ID, SVG_ATTRIBUTES, SVG_TAGS, TAG_FLAGS, TAG_ID, TAGS, TREE_RULES

UNCLOSED_FORMATTING = "formatting that is not closed where it was opened"
# How much of a page that is not nested as the standard has it may be open at a time: elements, and formatting elements
# among them, each of which may be opened again in every paragraph that follows; then how many attributes an element may
# have, and how many options a page, for each of which the parser looks through all that its select holds.
LIMITS = (512, 16, 512, 2000)

OTHER_IN_TABLE = "something else in a table"
LONG_REFERENCE = "a character reference longer than it was written"

# What follows the name in the doctypes of XHTML 1 and HTML 4.01, which leave no quirks that matter here.
_NO_QUIRKS = re.compile(
    rb"""\s+PUBLIC\s+"-//W3C//DTD (?:XHTML 1|HTML 4\.01)[^">]*"\s+"http://www\.w3\.org/[^">]*"\s*""", re.IGNORECASE
)
_BYTES_A_ROW = cython.declare(cython.int, 100)  # few pages have fewer; room for more is made when it is needed
_MOST_REOPENED = cython.declare(cython.int, 4096)  # bytes of attributes of formatting that waited

_FLAGS = cython.declare(cython.int[::1], TAG_FLAGS)
_RULES = cython.declare(cython.int[::1], TREE_RULES)
_TAG_NUMBERS = {name.encode(): number for name, number in TAG_ID.items()}
_ATTRIBUTE_NUMBERS = {name.encode(): number for name, number in ATTRIBUTE_ID.items()}


def _flags_of(number):
    return _FLAGS[number] if number < tags.KNOWN_TAGS else 0


def _rules_of(number):
    return _RULES[number] if number < tags.KNOWN_TAGS else 0


# The table while it grows


def _room(count):
    """Return room for so many numbers, not cleared."""
    room: cython.p_int = cython.cast(cython.p_int, malloc(count * cython.sizeof(cython.int)))
    if room == cython.NULL:
        raise MemoryError
    return room


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _copy(target: cython.p_int, source: cython.p_int, count: cython.Py_ssize_t) -> cython.p_int:
    """Copy numbers; return the place after them."""
    if count:  # a column that has no room yet is no address, which C forbids even for nothing
        memmove(target, source, count * cython.sizeof(cython.int))
    return target + count


def _names(numbered: dict[bytes, int]) -> tuple[str, ...]:
    return tuple([name.decode("utf-8", "replace") for name in numbered]) if numbered else ()


class Rows:
    """The columns while they grow, and the element that is open."""

    def __init__(self, html: bytes, literal: cython.bint):
        size = len(html)
        self.html = html
        self.literal = literal
        self.tokens = Tokenizer(html)
        self.more_tags = {}
        self.more_attributes = {}
        memset(self.recent, 0, cython.sizeof(self.recent))
        memset(self.recent_tags, 0, cython.sizeof(self.recent_tags))
        self.count = 0
        self.attributes = 0
        self.grow_rows(size // _BYTES_A_ROW + 2 * MOST_ROWS_AT_ONCE)
        self.grow_attributes(size // _BYTES_A_ROW + 64)
        # What a reference means is never longer than it is written: one that is ends the reading.
        self.text = Buffer(size + 64)
        self.values = Buffer(size // 3 + 64)
        self.here = 0
        self.add(0)
        self.parent[0] = -1
        self.depth[0] = 0

    def __dealloc__(self):
        free(self.attribute_name)

    def grow_rows(self, room):
        """Make room for so many rows: the columns lie in one array, which begins with `tag`."""
        k: cython.Py_ssize_t
        before: array = self.numbers
        after: array = int_room(COLUMNS * room)
        block: cython.p_int = after.data.as_ints
        if before is not None:
            for k in range(COLUMNS):
                _copy(block + k * room, before.data.as_ints + k * self.room, self.count)
        self.numbers = after
        self.tag, self.parent, self.end, self.depth = block, block + room, block + 2 * room, block + 3 * room
        self.text_at, self.attribute_at, self.foreign = block + 4 * room, block + 5 * room, block + 6 * room
        self.room = room
        return 0

    def grow_attributes(self, room):
        """Make room for so many attributes: both columns lie in one piece of memory."""
        before: cython.p_int = self.attribute_name
        block: cython.p_int = _room(2 * room)
        _copy(block, self.attribute_name, self.attributes)
        _copy(block + room, self.value_at, self.attributes)
        self.attribute_name, self.value_at = block, block + room
        self.attribute_room = room
        free(before)
        return 0

    def reserve(self):
        """Make sure of room for the rows of a text and a tag, and of all that must be opened before them."""
        if self.count + MOST_ROWS_AT_ONCE > self.room:
            self.grow_rows(2 * self.room)
        return 0

    def add(self, tag):
        """Add a row below the open element; it ends where it begins until it is closed."""
        row: cython.int = self.count
        self.tag[row] = tag
        self.parent[row] = self.here
        self.depth[row] = self.depth[self.here] + 1
        self.end[row] = row + 1
        self.text_at[row] = cython.cast(cython.int, self.text.end)
        self.attribute_at[row] = self.attributes
        self.foreign[row] = 0
        self.count = row + 1
        return row

    def add_attribute(self, name, size):
        """Add an attribute to the last row; its value is what is written to the buffer from now on, at most `size`."""
        if self.attributes + 2 > self.attribute_room:
            self.grow_attributes(2 * self.attribute_room)
        if self.values.end + size > self.values.room:
            self.values.grow(2 * self.values.room + size)
        self.attribute_name[self.attributes] = name
        self.value_at[self.attributes] = cython.cast(cython.int, self.values.end)
        self.attributes += 1
        return 0

    def close(self):
        """Close the open element, and around it a form whose end tag stood inside."""
        self.end[self.here] = self.count
        if self.here > 0:
            self.here = self.parent[self.here]
            while self.tag[self.here] == ENDED_FORM:
                self.tag[self.here] = tags.TAG_FORM
                self.end[self.here] = self.count
                self.here = self.parent[self.here]

    def columns(self):
        """Return the finished columns; whatever is still open ends here."""
        while self.here > 0:
            self.close()
        rows: cython.int = self.count
        pairs: cython.int = self.attributes
        self.end[0] = rows
        self.text_at[rows] = cython.cast(cython.int, self.text.end)
        self.attribute_at[rows] = pairs
        self.value_at[pairs] = cython.cast(cython.int, self.values.end)
        text: bytes = cleaned_texts(rows, self.tag, self.parent, self.text_at, self.text.written())
        values: bytes = cleaned_values(pairs, self.value_at, self.values.written())
        # The columns move together, and those of the attributes after them.
        at: cython.p_int = _copy(self.tag + rows, self.parent, rows)
        at = _copy(at, self.end, rows)
        at = _copy(at, self.depth, rows)
        at = _copy(at, self.text_at, rows + 1)
        _copy(at, self.attribute_at, rows + 1)
        resize(self.numbers, 6 * cython.cast(cython.Py_ssize_t, rows) + 2 * pairs + 3)
        at = self.numbers.data.as_ints + 6 * cython.cast(cython.Py_ssize_t, rows) + 2
        at = _copy(at, self.attribute_name, pairs)
        _copy(at, self.value_at, pairs + 1)
        view: PageView = PageView()
        view.read_block(self.numbers, rows, pairs, text, values)
        view.more_tags = _names(self.more_tags)
        view.more_attributes = _names(self.more_attributes)
        view.unclosed = ()
        return view

    # Names

    def tag_number(self, foreign, opens):
        """Return the number of the element whose tag was just read; an end tag may have one that no row has."""
        tokens: Tokenizer = self.tokens
        if tokens.tag < tags.KNOWN_TAGS:
            return tokens.tag
        length: cython.Py_ssize_t = tokens.last - tokens.first
        recent: cython.pointer(cython.longlong) = self.recent_tags + 3 * (tokens.tag * 2 + foreign & RECENT - 1)
        if recent[1] == length and tokens.same(recent[0], tokens.first, length):
            return cython.cast(cython.int, recent[2])
        name: bytes = self.html[tokens.first : tokens.last]
        if not self.literal:
            name = name.lower()
            if foreign:
                name = SVG_TAGS.get(name, name)
        number: cython.int = _TAG_NUMBERS.get(name, -1)
        if number < 0:
            number = self.more_tags.get(name, tags.KNOWN_TAGS + len(self.more_tags))
            if opens:
                self.more_tags[name] = number
        if opens:
            recent[0], recent[1], recent[2] = tokens.first, length, number
        return number

    def attribute_number(self, foreign):
        """Return the number of an attribute that is not known. A page's own come again and again, written alike."""
        tokens: Tokenizer = self.tokens
        length: cython.Py_ssize_t = tokens.name_end - tokens.name
        slot: cython.uint = ((tokens.key ^ tokens.key >> 32 ^ tokens.key >> 13) * 2 + foreign & RECENT - 1) * 3
        if self.recent[slot + 1] == length and tokens.same(self.recent[slot], tokens.name, length):
            return cython.cast(cython.int, self.recent[slot + 2])
        number: cython.int = self.look_up_attribute(foreign)
        self.recent[slot] = tokens.name
        self.recent[slot + 1] = length
        self.recent[slot + 2] = number
        return number

    def look_up_attribute(self, foreign):
        """Return the number of an attribute by its name: one of the page's own, or one of svg with capital letters."""
        name: bytes = self.html[self.tokens.name : self.tokens.name_end]
        if not self.literal:
            name = name.lower()
            if foreign:
                name = SVG_ATTRIBUTES.get(name, name)
        number: cython.int = _ATTRIBUTE_NUMBERS.get(name, -1)
        if number >= 0:
            return number
        return self.more_attributes.setdefault(name, tags.KNOWN_ATTRIBUTES + len(self.more_attributes))


@cython.cfunc
@cython.exceptval(-1)
def _rotate(
    data: cython.p_uchar, first: cython.Py_ssize_t, middle: cython.Py_ssize_t, last: cython.Py_ssize_t
) -> cython.int:
    """Let the bytes from `middle` to before `last` stand before those from `first` to before `middle`."""
    end: bytes = data[middle:last]
    memmove(data + first + len(end), data + first, middle - first)
    memcpy(data + first, cython.cast(cython.p_uchar, end), len(end))
    return 0


# Reading what the parser wrote


class SerialisedReader(Rows):
    """Reads a page in which every element has its tags, every value its quotes, and every sign its reference."""

    def read(self) -> PageView:
        """Return the columns of the whole page."""
        tokens: Tokenizer = self.tokens
        kind: cython.int = -1
        while kind != TOKEN_NONE:
            kind = tokens.next()
            self.reserve()
            if tokens.start > tokens.text:
                self.add(tags.TEXT)
                tokens.put_resolved(self.text, tokens.text, tokens.start, False)
            if kind == TOKEN_START:
                self.read_start_tag()
            elif kind == TOKEN_END:
                if tokens.in_tag:
                    tokens.skip_attributes(-1)
                self.close()
            elif kind != TOKEN_NONE:
                self.add(tags.DOCTYPE if kind == TOKEN_DOCTYPE else tags.COMMENT)
                tokens.put(self.text, tokens.first, tokens.last)
        return self.columns()

    def read_start_tag(self):
        """Read an element's start tag, and its content where that is text."""
        tokens: Tokenizer = self.tokens
        name: cython.int
        number: cython.int = self.tag_number(False, True)
        row: cython.int = self.add(number)
        flags: cython.int = _flags_of(number)
        while tokens.in_tag and tokens.next_attribute():
            name = tokens.attribute if tokens.attribute >= 0 else self.attribute_number(False)
            self.add_attribute(name, tokens.value_end - tokens.value)
            tokens.put_resolved(self.values, tokens.value, tokens.value_end, True)
        # Inside svg and math nothing is void and nothing holds only text, until HTML begins again.
        self.foreign[row] = flags & tags.FOREIGN != 0 or (
            self.foreign[self.here] != 0 and not _flags_of(self.tag[self.here]) & tags.HTML_INSIDE
        )
        if self.foreign[row] == 0 and flags & tags.VOID:
            return 0
        self.here = row
        if self.foreign[row] == 0 and tokens.holds_text() and not _rules_of(number) & tags.ESCAPABLE:
            tokens.raw_text()
            if tokens.last > tokens.first:
                self.add(tags.TEXT)
                tokens.put(self.text, tokens.first, tokens.last)
            self.close()
        return 0


def from_serialised(html: bytes) -> PageView:
    """Return the node table of a page that the parser has written out as UTF-8."""
    return SerialisedReader(html, True).read()


# The tree: the standard's rules for what closes what


class Tree(Rows):
    """The rows of a page while its source is read, and the rules that the HTML standard has for them."""

    def __init__(self, html: bytes):
        super().__init__(html, False)
        self.open_p = 0
        self.open_formatting = 0
        self.waits = 0
        self.copied = 0
        self.moved = 0
        self.is_mended = False
        self.open_templates = 0
        self.form = -1
        self.quirks = QUIRKS_ALL
        self.why = None

    def rules(self, row):
        """Return the rules of a row's element; an element of the same name in svg has none."""
        return 0 if self.foreign[row] != 0 else _rules_of(self.tag[row])

    def open(self, number):
        """Add an element; it is the open one from now on."""
        row: cython.int = self.add(number)
        self.here = row
        if number == tags.TAG_P:
            self.open_p += 1
        elif number == tags.TAG_TEMPLATE:
            self.open_templates += 1
        elif _rules_of(number) & tags.FORMATTING:
            self.open_formatting += 1
        if self.waits > 0 and _rules_of(number) & tags.MARKER:
            self.why = UNCLOSED_FORMATTING
        if self.depth[row] > MOST_LEVELS:
            self.why = "nested too deep"
        return row

    def pop(self):
        """Close the open element."""
        if self.tag[self.here] == tags.TAG_P:
            self.open_p -= 1
        elif self.tag[self.here] == tags.TAG_TEMPLATE:
            self.open_templates -= 1
        elif self.rules(self.here) & tags.FORMATTING:
            self.open_formatting -= 1
        if self.rules(self.here) & tags.MARKER:
            self.waits = 0
        self.close()

    def pop_until(self, row):
        """Close everything down to a row, and the row itself; formatting inside of it waits to be opened again."""
        loose: cython.int = 0
        while True:
            rules: cython.int = self.rules(self.here)
            if rules & tags.FORMATTING:
                if self.here != row:
                    if loose < MOST_WAITING:
                        self.loose[loose] = self.here
                    loose += 1
            elif rules & tags.MARKER:
                loose = 0
                tag: cython.int = self.tag[self.here]
                if self.here != row and tag != tags.TAG_TD and tag != tags.TAG_TH:
                    self.why = "an object that is not closed"
            if self.here == row:
                break
            self.pop()
        self.pop()
        if loose > 0:
            self.let_wait(loose)

    # The list of active formatting elements: those that are open, and then those that wait to be opened again

    def let_wait(self, count):
        """Let formatting wait that was closed with what it stood in, the innermost first in `loose`."""
        k: cython.int
        if count + self.waits > MOST_WAITING:
            self.why = UNCLOSED_FORMATTING
            return
        for k in range(self.waits - 1, -1, -1):
            self.waiting[k + count] = self.waiting[k]
        for k in range(count):
            self.waiting[k] = self.loose[count - 1 - k]
        self.waits += count
        for k in range(count):
            if self.same_formatting(self.tag[self.waiting[k]]) > 3:  # the standard forgets the first of four
                self.why = UNCLOSED_FORMATTING

    def same_formatting(self, number):
        """Return how many formatting elements of a name are open, or wait."""
        k: cython.int
        found: cython.int = 0
        row: cython.int = self.here
        while row > 0:
            if self.tag[row] == number:
                found += 1
            row = self.parent[row]
        for k in range(self.waits):
            if self.tag[self.waiting[k]] == number:
                found += 1
        return found

    def forget(self, number):
        """Leave out the last of the formatting elements of a name that wait; say whether there was one."""
        later: cython.int
        k: cython.int = self.waits - 1
        while k >= 0 and self.tag[self.waiting[k]] != number:
            k -= 1
        if k < 0:
            return False
        for later in range(k + 1, self.waits):
            self.waiting[later - 1] = self.waiting[later]
        self.waits -= 1
        return True

    def reopen_formatting(self):
        """Open the formatting that waits, with the attributes that it had."""
        k: cython.int
        count: cython.int = self.waits
        self.waits = 0
        for k in range(count):
            row: cython.int = self.waiting[k]
            self.open(self.tag[row])
            self.copy_attributes(row, self.attributes)
        if self.copied > _MOST_REOPENED:
            self.why = UNCLOSED_FORMATTING
        return 0

    def copy_attributes(self, row, place):
        """Write the attributes of a row again, to a place in the attribute table; return how many they are."""
        k: cython.int
        first: cython.int = self.attributes
        first_value: cython.int = cython.cast(cython.int, self.values.end)
        for k in range(self.attribute_at[row], self.attribute_at[row + 1]):
            start: cython.int = self.value_at[k]
            stop: cython.int = self.value_at[k + 1] if k + 1 < first else first_value
            self.copied += stop - start
            if self.copied > MOST_COPIED:
                self.why = UNCLOSED_FORMATTING
                return 0
            self.add_attribute(self.attribute_name[k], stop - start)
            memcpy(self.values.data + self.values.end, self.values.data + start, stop - start)
            self.values.end += stop - start
        return self.move_attributes(place, first, first_value)

    def move_attributes(self, place, first, first_value):
        """Move the attributes from `first` on to an earlier place; return how many they are."""
        k: cython.int
        size: cython.int = cython.cast(cython.int, self.values.end) - first_value
        if place < first < self.attributes:
            place_value: cython.int = self.value_at[place]
            for k in range(first, self.attributes):
                self.value_at[k] += place_value - first_value
            for k in range(place, first):
                self.value_at[k] += size
            _rotate(cython.cast(cython.p_uchar, self.attribute_name), 4 * place, 4 * first, 4 * self.attributes)
            _rotate(cython.cast(cython.p_uchar, self.value_at), 4 * place, 4 * first, 4 * self.attributes)
            _rotate(self.values.data, place_value, first_value, self.values.end)
            self.moved += first - place
        return self.attributes - first

    def active_formatting(self, number):
        """Return the row of the formatting element of a name that was opened last and is open, or -1."""
        row: cython.int = self.here
        while row > 0 and self.rules(row) & tags.MARKER == 0:
            if self.tag[row] == number and self.foreign[row] == 0:
                return row
            row = self.parent[row]
        return -1

    def adopt(self, row):
        """Apply the adoption agency algorithm to a formatting element, if there is one.

        It ends before the outermost block that was opened inside of it, and begins again in the block, until no such
        block is left.
        """
        turns: cython.int = 0
        if row < 0:
            return 0
        block: cython.int = self.outermost_block(row)
        if block >= 0 and self.same_formatting(self.tag[row]) > 3:  # the standard forgets the first of four
            self.why = UNCLOSED_FORMATTING
        while block >= 0 and self.why is None:
            turns += 1
            if turns == MOST_TURNS:
                self.why = UNCLOSED_FORMATTING
                return 0
            self.is_mended = True
            self.move_into(row, block)
            row = block + 1
            block = self.outermost_block(row)
        if self.why is None:
            self.pop_until(row)
        return 0

    def outermost_block(self, row):
        """Return the row of the outermost open block inside a formatting element, or -1."""
        block: cython.int = -1
        between: cython.bint = False  # whether what is between would be opened again, too
        inner: cython.int = self.here
        while inner != row:
            if self.foreign[inner] != 0:
                self.why = UNCLOSED_FORMATTING
            if self.rules(inner) & tags.SPECIAL:
                block = inner
                between = False
            elif self.rules(inner) & tags.FORMATTING or self.tag[inner] == ENDED_FORM:
                between = True
            inner = self.parent[inner]
        if block >= 0 and (between or self.tag[self.parent[row]] == ENDED_FORM):
            self.why = UNCLOSED_FORMATTING
        return block

    def move_into(self, row, block):
        """End a formatting element before a block that is open inside, and open it again around what the block holds.

        The block stands beside it then. All rows after the block move on by one.
        """
        k: cython.int
        added: cython.int
        inner: cython.int = block
        deeper: cython.int = self.depth[row] + 1 - self.depth[block]
        place: cython.int = self.attribute_at[block + 1] if block + 1 < self.count else self.attributes
        while inner != row:
            inner = self.parent[inner]
            self.end[inner] = block
        self.parent[block] = self.parent[row]
        self.depth[block] = self.depth[row]
        added = self.copy_attributes(row, place)
        self.moved += self.count - block
        if self.why is not None or self.moved > self.tokens.stop:  # each costs as much as stands after the block
            self.why = UNCLOSED_FORMATTING
            return 0
        for k in range(self.count, block + 1, -1):
            self.tag[k] = self.tag[k - 1]
            self.parent[k] = self.parent[k - 1] + 1  # what stood in the block stands in the new row
            self.end[k] = self.end[k - 1] + 1
            self.depth[k] = self.depth[k - 1] + deeper
            self.text_at[k] = self.text_at[k - 1]
            self.attribute_at[k] = self.attribute_at[k - 1] + added
            self.foreign[k] = self.foreign[k - 1]
        k = block + 1
        if k == self.count:
            self.text_at[k] = cython.cast(cython.int, self.text.end)
        self.tag[k] = self.tag[row]
        self.parent[k] = block
        self.end[k] = k + 1
        self.depth[k] = self.depth[block] + 1
        self.attribute_at[k] = place
        self.foreign[k] = 0
        self.count += 1
        self.here += 1  # what was the open element, or in place of the block the new row
        self.form += self.form > block
        for k in range(self.waits):
            self.waiting[k] += self.waiting[k] > block
        return 0

    def generate_implied_end_tags(self, but):
        """Close the elements whose end tags may be omitted, except for one of a name."""
        while self.rules(self.here) & tags.IMPLIED and self.tag[self.here] != but:
            self.pop()

    def in_specific_scope(self, number, barrier, barrier2):
        """Return the row of the nearest open element of a name with no barrier before it, or -1."""
        row: cython.int = self.here
        while row > 0:
            if self.foreign[row] != 0:
                self.why = "an end tag inside svg"
                return -1
            if self.tag[row] == number:
                return row
            if self.rules(row) & tags.SCOPE or self.tag[row] == barrier or self.tag[row] == barrier2:
                return -1
            row = self.parent[row]
        return -1

    def in_scope(self, number):
        """Return the row of the element that the standard finds in scope, or -1."""
        return self.in_specific_scope(number, number, number)

    def in_button_scope(self, number):
        """Return the row of the element that the standard finds in button scope, or -1."""
        return self.in_specific_scope(number, tags.TAG_BUTTON, tags.TAG_BUTTON)

    def table_context(self):
        """Return the nearest open element that says where in a table we are (cell, row, section, table), or -1."""
        row: cython.int = self.here
        while row > 0:
            tag: cython.int = self.tag[row]
            if tag == tags.TAG_TABLE or _rules_of(tag) & tags.TABLE_PART:
                return row
            if tag == tags.TAG_TEMPLATE:
                return -1
            row = self.parent[row]
        return -1

    def in_table(self):
        """Whether the open element takes nothing but parts of a table."""
        tag: cython.int = self.tag[self.here]
        return tag == tags.TAG_TABLE or tag == tags.TAG_TR or tag == tags.TAG_COLGROUP or _is_section(tag)

    def in_select(self):
        """Whether the open element takes nothing but options."""
        tag: cython.int = self.tag[self.here]
        return tag == tags.TAG_SELECT or tag == tags.TAG_OPTION or tag == tags.TAG_OPTGROUP

    # Start tags: each makes way for the element, and returns INSERT, or IGNORE where it is to be left out

    def start_tag_in_body(self, number):
        """Apply the "in body" insertion mode, and those of tables and lists of options."""
        rules: cython.int = _rules_of(number)
        if rules & tags.UNSURE:
            self.why = "an element only the parser is sure of"
            return IGNORE
        if rules & tags.TABLE_PART:
            return self.start_tag_in_table(number)
        if number == tags.TAG_FORM and self.form >= 0 and self.open_templates == 0:
            self.is_mended = True
            return IGNORE
        if self.in_table():
            return self.start_other_in_table(number)
        if self.in_select():
            return self.start_tag_in_select(number)
        if number == tags.TAG_BUTTON and self.in_scope(number) >= 0:
            self.is_mended = True
            self.end_block(self.in_scope(number), -1)
        if self.waits > 0 and self.opens_formatting(number, rules):
            self.reopen_formatting()
        if rules == 0 or rules & tags.HEAD:
            return INSERT
        if rules & tags.CLOSES_P:
            self.start_block(number, rules)
        elif rules & tags.FORMATTING:
            self.start_formatting(number)
        elif number == tags.TAG_TABLE:
            if self.open_p > 0 and self.in_button_scope(tags.TAG_P) >= 0:
                if self.quirks == QUIRKS_UNSURE:
                    self.why = "a table in a paragraph"
                elif self.quirks == QUIRKS_NONE:
                    self.close_p_element()
        return INSERT

    def opens_formatting(self, number, rules):
        """Whether formatting that waits is opened again before a start tag."""
        if rules == 0 or number == tags.TAG_BUTTON or number == tags.TAG_INPUT or number == tags.TAG_SELECT:
            return True
        if (
            number == tags.TAG_BR
            or number == tags.TAG_IMG
            or number == tags.TAG_WBR
            or number == tags.TAG_EMBED
            or number == tags.TAG_AREA
        ):
            return True
        if rules & tags.FORMATTING:
            if number == tags.TAG_NOBR:
                self.why = UNCLOSED_FORMATTING
            return number != tags.TAG_A  # which asks for itself
        if not (rules & (tags.HEAD | tags.CLOSES_P) or number == tags.TAG_TABLE) or number == tags.TAG_XMP:
            self.why = UNCLOSED_FORMATTING
        return False

    def start_block(self, number, rules):
        """Start an element that closes an open p."""
        if number == tags.TAG_LI:
            self.start_list_item(tags.TAG_LI, tags.TAG_LI)
        elif number == tags.TAG_DD or number == tags.TAG_DT:
            self.start_list_item(tags.TAG_DD, tags.TAG_DT)
        self.close_p_element()
        if rules & tags.HEADING and self.rules(self.here) & tags.HEADING:
            self.pop()
        if number == tags.TAG_FORM and self.open_templates == 0:
            self.form = self.count

    def close_p_element(self):
        """Close the p that is open, if one is in button scope."""
        row: cython.int = self.in_button_scope(tags.TAG_P) if self.open_p > 0 else -1
        if row >= 0:
            self.pop_until(row)

    def start_list_item(self, number, other):
        """Close the list item (or term, or definition) that the next one follows."""
        row: cython.int = self.here
        while row > 0:
            tag: cython.int = self.tag[row]
            if tag == number or tag == other:
                self.generate_implied_end_tags(tag)
                self.pop_until(row)
                return
            if self.rules(row) & tags.SPECIAL and tag != tags.TAG_ADDRESS and tag != tags.TAG_DIV and tag != tags.TAG_P:
                return
            row = self.parent[row]

    def start_formatting(self, number):
        """Close the link that a link begins in."""
        if (number == tags.TAG_A or number == tags.TAG_NOBR) and self.open_formatting + self.waits > 0:
            if not self.forget(number):
                self.adopt(self.active_formatting(number))
        if self.waits > 0:
            self.reopen_formatting()

    def start_other_in_table(self, number):
        """Start what is no part of a table but may stand in it: a form then holds nothing, an input is hidden."""
        if number == tags.TAG_SCRIPT or number == tags.TAG_STYLE:
            return INSERT
        self.is_mended = True
        if (number != tags.TAG_FORM and number != tags.TAG_INPUT) or self.tag[self.here] == tags.TAG_COLGROUP:
            self.why = OTHER_IN_TABLE
        elif number == tags.TAG_FORM:
            if self.open_templates > 0:
                return IGNORE
            self.form = self.count
        return INSERT

    def start_tag_in_table(self, number):
        """Start a part of a table: close the cell, row or section before it."""
        row: cython.int = self.table_context()
        if row < 0:
            if self.open_templates > 0:
                self.why = "a part of a table in a template"
            return IGNORE
        tag: cython.int = self.tag[row]
        if tag == tags.TAG_CAPTION:
            self.why = "a caption that is not closed"
            return IGNORE
        if tag == tags.TAG_TD or tag == tags.TAG_TH:
            self.pop_until(row)
        elif row != self.here:
            self.why = OTHER_IN_TABLE
            return IGNORE
        if self.tag[self.here] == tags.TAG_COLGROUP and number != tags.TAG_COL:
            self.pop()
        if self.tag[self.here] == tags.TAG_TR and not _is_cell(number):
            self.pop()
        if _is_section(self.tag[self.here]) and number != tags.TAG_TR and not _is_cell(number):
            self.pop()
        self.start_table_part(number)
        return INSERT

    def start_table_part(self, number):
        """Open the section, row or group of columns that a part of a table needs around it."""
        if self.tag[self.here] == tags.TAG_TABLE:
            if number == tags.TAG_TR or _is_cell(number):
                self.open(tags.TAG_TBODY)
            elif number == tags.TAG_COL:
                self.open(tags.TAG_COLGROUP)
        if _is_section(self.tag[self.here]) and _is_cell(number):
            self.open(tags.TAG_TR)

    def start_tag_in_select(self, number):
        """Start an option or a group of options: close the one before it."""
        if number == tags.TAG_OPTION or number == tags.TAG_OPTGROUP:
            if self.tag[self.here] == tags.TAG_OPTION:
                self.pop()
            if number == tags.TAG_OPTGROUP and self.tag[self.here] == tags.TAG_OPTGROUP:
                if self.tag[self.parent[self.here]] != tags.TAG_SELECT:
                    self.why = "a group of options in a group of options"
                self.pop()
        elif number != tags.TAG_SCRIPT:
            self.why = "something else among options"
        return INSERT

    # End tags

    def end_tag_in_body(self, number):
        """Apply the "in body" insertion mode, and those of tables and lists of options."""
        rules: cython.int = _rules_of(number)
        tag: cython.int = self.tag[self.here]
        if tag == number and not rules & (tags.TABLE_PART | tags.FORMATTING) and number != tags.TAG_FORM:
            self.pop()
        elif rules & tags.UNSURE or tag == tags.TAG_TEMPLATE or (number == tags.TAG_BR and self.in_table()):
            self.why = "an end tag only the parser is sure of"
        elif tag == tags.TAG_COLGROUP and number != tags.TAG_COLGROUP:
            self.why = "a group of columns that is not closed"
        elif number == tags.TAG_BR and not self.in_select():
            self.add(tags.TAG_BR)
        elif rules & tags.TABLE_PART or number == tags.TAG_TABLE:
            self.end_tag_in_table(number)
        elif self.in_select() or number == tags.TAG_SELECT:
            self.end_tag_in_select(number)
        elif not self.in_table():
            self.end_body_element(number, rules)
        elif number == tags.TAG_P:  # nothing outside of the table is in reach from here
            self.why = "the end of a paragraph that never began"
        elif number == tags.TAG_FORM:
            self.form = -1

    def end_body_element(self, number, rules):
        """End an element that is in reach."""
        if rules & tags.FORMATTING:
            self.end_formatting(number)
        elif number == tags.TAG_P:
            self.end_p()
        elif number == tags.TAG_LI:
            self.end_block(self.in_specific_scope(tags.TAG_LI, tags.TAG_UL, tags.TAG_OL), tags.TAG_LI)
        elif number == tags.TAG_DD or number == tags.TAG_DT:
            self.end_block(self.in_scope(number), number)
        elif rules & tags.HEADING:
            self.end_heading()
        elif rules & tags.CONTAINER:
            self.end_block(self.in_scope(number), -1)
        elif number == tags.TAG_FORM:
            self.end_form()
        elif number == tags.TAG_TEMPLATE:
            self.end_template()
        else:
            self.any_other_end_tag(number)

    def end_p(self):
        """End a p; if none is open, an empty one is added."""
        row: cython.int = self.in_button_scope(tags.TAG_P)
        if row < 0:
            self.open(tags.TAG_P)
            self.pop()
        else:
            self.end_block(row, tags.TAG_P)

    def end_block(self, row, but):
        """End the element of a row, if there is one, with all that is open inside."""
        if row > 0:
            self.generate_implied_end_tags(but)
            self.pop_until(row)

    def end_heading(self):
        """End the heading that is open, of whatever level."""
        row: cython.int = self.here
        while row > 0 and self.rules(row) & tags.HEADING == 0:
            if self.rules(row) & tags.SCOPE or self.foreign[row] != 0:
                return
            row = self.parent[row]
        self.end_block(row, -1)

    def end_form(self):
        """End the form of the form element pointer; in a template, the one that is in reach."""
        row: cython.int = self.form
        if self.open_templates > 0:
            self.end_block(self.in_scope(tags.TAG_FORM), -1)
            return
        self.form = -1
        if row < 0:
            return
        is_open: cython.bint = self.in_scope(tags.TAG_FORM) == row
        if is_open:
            self.generate_implied_end_tags(-1)
        if self.here == row:
            self.pop()
            return
        self.is_mended = True
        if is_open:  # no more, but what is open inside stays there
            self.tag[row] = ENDED_FORM

    def end_template(self):
        """End the template that is open."""
        row: cython.int = self.here
        if self.open_templates == 0:
            return
        while self.tag[row] != tags.TAG_TEMPLATE:
            row = self.parent[row]
        self.pop_until(row)

    def end_formatting(self, number):
        """End the formatting of a name that was opened last."""
        if self.waits > 0 and self.forget(number):
            return
        row: cython.int = self.active_formatting(number)
        if row < 0:
            self.any_other_end_tag(number)
        else:
            self.adopt(row)

    def any_other_end_tag(self, number):
        """End the nearest element of a name, unless a special element stands between."""
        row: cython.int = self.here
        while row > 0:
            if self.foreign[row] != 0:
                self.why = "an end tag inside svg"
                return
            if self.tag[row] == number:
                self.end_block(row, number)
                return
            if self.rules(row) & tags.SPECIAL:
                return
            row = self.parent[row]

    def end_tag_in_select(self, number):
        """End a list of options, or a group of them."""
        row: cython.int = self.here
        if number == tags.TAG_SELECT:
            while row > 0 and self.tag[row] != tags.TAG_SELECT:
                if self.tag[row] != tags.TAG_OPTION and self.tag[row] != tags.TAG_OPTGROUP:
                    self.why = "the end of a list of options that never began"
                    return
                row = self.parent[row]
            if row > 0:
                self.pop_until(row)
        elif (
            number == tags.TAG_OPTGROUP
            and self.tag[row] == tags.TAG_OPTION
            and self.tag[self.parent[row]] == tags.TAG_OPTGROUP
        ):
            self.pop()
            self.pop()
        else:
            self.why = "something else among options"

    def end_tag_in_table(self, number):
        """End a table or a part of one."""
        row: cython.int = self.table_context()
        if row < 0 or number == tags.TAG_COL:
            return
        tag: cython.int = self.tag[row]
        if tag == tags.TAG_CAPTION and number != tags.TAG_CAPTION:
            self.why = "a caption that is not closed"
            return
        if self.here != row and tag != tags.TAG_CAPTION and not _is_cell(tag):
            self.why = OTHER_IN_TABLE
            return
        # In a cell the names of cells count only for the cell itself; the others close it first.
        while row > 0 and self.tag[row] != number:
            if self.tag[row] == tags.TAG_TABLE or (_is_cell(number) and _is_cell(self.tag[row])):
                return
            row = self.parent[row]
        if row > 0:
            if self.here != row and (_is_cell(number) or number == tags.TAG_CAPTION):
                self.generate_implied_end_tags(-1)
            self.pop_until(row)


def _is_cell(tag):
    return tag == tags.TAG_TD or tag == tags.TAG_TH


def _is_section(tag):
    return tag == tags.TAG_TBODY or tag == tags.TAG_THEAD or tag == tags.TAG_TFOOT


# Reading a page as it was written


class SourceReader(Tree):
    """Reads a source from its first byte to its last, and says why where it is not sure of it any more."""

    def __init__(self, html: bytes):
        super().__init__(html)
        self.mode = BEFORE_HTML
        self.doctype = False
        self.html_row = 0
        self.head_row = 0
        self.body_row = 0
        self.behind_head = 0
        self.head_again = 0
        self.again = -1
        self.merges = 0
        self.unclosed = []
        self.below_html = []
        self.below_document = []

    def read(self) -> PageView | str:
        """Return the columns of the whole page, or why only the parser can be sure of it."""
        kind: cython.int = -1
        while kind != TOKEN_NONE:
            kind = self.tokens.next()
            self.reserve()
            if self.tokens.start > self.tokens.text:
                self.read_text()
            if kind == TOKEN_START:
                self.read_start_tag()
            elif kind == TOKEN_END:
                self.read_end_tag()
            elif kind == TOKEN_DOCTYPE:
                self.read_doctype()
            elif kind != TOKEN_NONE:
                self.read_comment(kind)
            if self.why is not None:
                return self.why
        if self.is_mended and b"" in [instead for _, _, instead in edits(self.html, *LIMITS)]:
            return "tags beyond the limits"
        self.end_of_file()
        done: PageView = self.columns()
        if self.unclosed:
            done.unclosed = tuple([TAGS[number] for number in self.unclosed])
        return done

    # Texts, comments and doctypes

    def read_text(self):
        """Read a text. Before the body, white space is left out or stays, and other text begins the body."""
        tokens: Tokenizer = self.tokens
        first: cython.Py_ssize_t = tokens.text
        last: cython.Py_ssize_t = tokens.start
        if self.mode < IN_BODY:
            blanks: cython.Py_ssize_t = tokens.after_blanks(first, last)
            if self.mode >= IN_HEAD and blanks > first:
                self.put_text(first, blanks)
            if blanks == last:
                return 0
            first = blanks
            if tokens.source[first] == AMPERSAND:
                self.why = "a character reference before the body"
                return 0
            self.begin_body()
        elif self.mode > IN_BODY and tokens.after_blanks(first, last) < last:
            self.mode = IN_BODY
        if self.why is None:
            self.put_text(first, last)
        return 0

    def put_text(self, first, last):
        """Write a text where we are; what follows a text directly is part of it."""
        if self.in_table() and self.tokens.after_blanks(first, last) < last:
            self.why = "text in a table"
            return 0
        if self.waits > 0 and not self.in_table():
            self.reopen_formatting()
        row: cython.int = self.count - 1
        if self.tag[row] != tags.TEXT or self.parent[row] != self.here:
            self.add(tags.TEXT)
        if not self.tokens.put_resolved(self.text, first, last, False):
            self.why = LONG_REFERENCE
        return 0

    def begin_body(self):
        """Open and close what must stand before the body, and open the body."""
        if self.mode == BEFORE_HTML:
            self.html_row = self.open(tags.TAG_HTML)
        if self.mode <= BEFORE_HEAD:
            self.open(tags.TAG_HEAD)
        if self.mode <= IN_HEAD:
            if self.tag[self.here] == tags.TAG_NOSCRIPT:
                self.pop()
            if self.tag[self.here] != tags.TAG_HEAD:
                self.why = "text in the head"
                return
            self.pop()
        self.body_row = self.open(tags.TAG_BODY)
        self.mode = IN_BODY

    def read_comment(self, kind):
        """Read a comment, or what is taken for one."""
        tokens: Tokenizer = self.tokens
        if kind == TOKEN_BOGUS and tokens.source[tokens.start + 1] == SLASH and tokens.first == tokens.last:
            self.is_mended = True  # `</>` means nothing
            if not tokens.closed:
                self.why = "a tag that does not end"
        elif kind == TOKEN_BOGUS and self.foreign[self.here] != 0:
            self.why = "character data in svg"
        elif not tokens.closed:
            self.why = "a comment that does not end"
        elif self.mode == AFTER_BODY:
            self.below_html.append((tokens.first, tokens.last))
        elif self.mode == AFTER_HTML:
            self.below_document.append((tokens.first, tokens.last))
        else:
            self.add(tags.COMMENT)
            tokens.put(self.text, tokens.first, tokens.last)
        return 0

    def read_doctype(self):
        """Read a doctype: only the first counts, and only at the very start."""
        tokens: Tokenizer = self.tokens
        first: cython.Py_ssize_t = tokens.after_blanks(tokens.first + 7, tokens.last)
        last: cython.Py_ssize_t = first
        while last < tokens.last and tokens.after_blanks(last, last + 1) == last:
            last += 1
        if last == first:
            self.why = "a doctype without a name"
        elif self.mode == BEFORE_HTML and not self.doctype:
            name: bytes = self.html[first:last].lower()
            if len(name) > 100 or not name.isascii():
                self.why = "a strange doctype"
                return 0
            self.add(tags.DOCTYPE)
            self.text.write(b"DOCTYPE " + name)
            plain: cython.bint = name == b"html" and tokens.after_blanks(last, tokens.last) == tokens.last
            if plain or (name == b"html" and _NO_QUIRKS.fullmatch(self.html, last, tokens.last)):
                self.quirks = QUIRKS_NONE
            else:
                self.quirks = QUIRKS_UNSURE
        self.doctype = True
        return 0

    # End tags

    def read_end_tag(self):
        """Read an end tag, and close what it closes."""
        number: cython.int = self.tag_number(self.foreign[self.here] != 0, False)
        if self.tokens.in_tag:
            self.tokens.skip_attributes(-1)
        if not self.tokens.closed:
            self.why = "a tag that does not end"
        elif self.foreign[self.here] != 0:
            self.end_foreign(number)
        elif number == tags.TAG_BODY or number == tags.TAG_HTML:
            self.end_of_body(number)
        elif self.mode < IN_BODY:
            self.end_tag_in_head(number)
        else:
            self.mode = IN_BODY
            self.end_tag_in_body(number)
        return 0

    def end_foreign(self, number):
        """End the nearest element of a name in svg, with all that is open inside."""
        row: cython.int = self.here
        while self.tag[row] != number and self.foreign[row] != 0:
            row = self.parent[row]
        if self.foreign[row] == 0:
            self.why = "an end tag inside svg"
            return
        while self.here != row:
            self.is_mended = True
            self.close()
        self.close()

    def end_tag_in_head(self, number):
        """Apply the "in head" insertion mode, and those before and after it."""
        if (
            _rules_of(number) & tags.UNSURE
            or number == tags.TAG_BR
            or number == tags.TAG_TEMPLATE
            or (number == tags.TAG_HEAD and self.mode < IN_HEAD)
        ):
            self.why = "an end tag in the head"
            return
        self.doctype = True
        if (
            self.mode == IN_HEAD
            and self.tag[self.here] == number
            and (number == tags.TAG_HEAD or number == tags.TAG_NOSCRIPT)
        ):
            self.pop()
            if number == tags.TAG_HEAD:
                self.mode = AFTER_HEAD

    def end_of_body(self, number):
        """Read the end tag of body or html: nothing closes, but what follows goes elsewhere."""
        if self.mode < IN_BODY or self.tag[self.here] == tags.TAG_COLGROUP:
            self.why = "a page that ends in its head"
        elif self.mode == IN_BODY:
            if self.open_templates > 0:
                self.why = "a page that ends inside something"
                return
            if self.table_context() >= 0:
                return
            if self.in_scope(tags.TAG_BODY) < 0 or self.in_scope(tags.TAG_SELECT) >= 0:
                self.why = "a page that ends inside something"
        self.mode = AFTER_BODY if number == tags.TAG_BODY else AFTER_HTML

    # Start tags

    def read_start_tag(self):
        """Read a start tag, and the content of its element where that is text."""
        foreign: cython.bint = self.foreign[self.here] != 0
        number: cython.int = self.tag_number(foreign, True)
        verdict: cython.int = self.place(number, foreign)
        if self.why is not None:
            return 0
        foreign = foreign or _flags_of(number) & tags.FOREIGN != 0
        first: cython.int = self.attributes
        first_value: cython.Py_ssize_t = self.values.end
        row: cython.int = self.again if verdict == MERGE else self.count - 1
        if verdict == INSERT:
            row = self.insert(number, foreign)
        self.read_attributes(row, foreign)
        if number == tags.TAG_INPUT and self.in_table() and not self.is_hidden(first):
            self.why = OTHER_IN_TABLE
        if self.why is not None:
            return 0
        if verdict == MERGE:
            self.give_attributes(row, first, first_value)
        elif verdict == IGNORE:
            self.attributes = first
            self.values.end = first_value
        elif foreign:
            if self.tokens.self_closing:
                self.close()
        elif self.here == row:
            self.read_content(number)
        if self.head_again > 0 and self.why is None:
            self.close_head_again()
        return 0

    def insert(self, number, foreign):
        """Add the element of a start tag; it is the open one from now on, unless it is void."""
        row: cython.int
        if foreign:
            row = self.add(number)
            self.foreign[row] = 1
            self.here = row
        elif _flags_of(number) & tags.VOID or (number == tags.TAG_FORM and self.in_table()):
            row = self.add(number)
        else:
            row = self.open(number)
            if number == tags.TAG_HTML:
                self.html_row = row
            elif number == tags.TAG_HEAD:
                self.head_row = row
            elif number == tags.TAG_BODY:
                self.body_row = row
        return row

    def place(self, number, foreign):
        """Make way for a start tag by the insertion modes; return INSERT, IGNORE or MERGE."""
        verdict: cython.int = REPROCESS
        if foreign and (number == tags.TAG_HTML or number == tags.TAG_HEAD or number == tags.TAG_BODY):
            self.why = "html in svg"
            return IGNORE
        while verdict == REPROCESS:
            if self.mode == BEFORE_HTML:
                verdict = self.before_html(number)
            elif number == tags.TAG_HTML:
                verdict = self.merge_into(self.html_row)
            elif self.mode == BEFORE_HEAD:
                verdict = self.before_head(number)
            elif number == tags.TAG_HEAD:
                self.mode = min(self.mode, IN_BODY)
                verdict = IGNORE
            elif self.mode == IN_HEAD:
                verdict = self.in_head(number)
            elif self.mode == AFTER_HEAD:
                verdict = self.after_head(number)
            else:
                self.mode = IN_BODY
                if number == tags.TAG_BODY:
                    verdict = self.merge_into(self.body_row)
                elif foreign:
                    verdict = self.in_foreign_content(number)
                else:
                    verdict = self.start_tag_in_body(number)
        return verdict

    def before_html(self, number):
        """Apply the "before html" insertion mode."""
        self.mode = BEFORE_HEAD
        if number == tags.TAG_HTML:
            return INSERT
        self.html_row = self.open(tags.TAG_HTML)
        return REPROCESS

    def before_head(self, number):
        """Apply the "before head" insertion mode."""
        self.mode = IN_HEAD
        if number == tags.TAG_HEAD:
            return INSERT
        self.head_row = self.open(tags.TAG_HEAD)
        return REPROCESS

    def in_head(self, number):
        """Apply the "in head" insertion mode: the head ends at what does not belong there."""
        if self.tag[self.here] == tags.TAG_NOSCRIPT:
            if number == tags.TAG_NOSCRIPT:
                self.why = "noscript twice"
            if (
                number != tags.TAG_LINK
                and number != tags.TAG_META
                and number != tags.TAG_STYLE
                and number != tags.TAG_NOFRAMES
                and number != tags.TAG_BASEFONT
                and number != tags.TAG_BGSOUND
            ):
                self.pop()
        if _rules_of(number) & tags.UNSURE or number == tags.TAG_TEMPLATE:
            self.why = "an element only the parser is sure of"
        if _rules_of(number) & tags.HEAD or number == tags.TAG_NOSCRIPT:
            return INSERT
        self.pop()
        self.mode = AFTER_HEAD
        return REPROCESS

    def after_head(self, number):
        """Apply the "after head" insertion mode."""
        if _rules_of(number) & tags.UNSURE or number == tags.TAG_TEMPLATE:
            self.why = "an element between head and body"
        elif _rules_of(number) & tags.HEAD:
            return self.reopen_head()
        self.mode = IN_BODY
        if number == tags.TAG_BODY:
            return INSERT
        self.body_row = self.open(tags.TAG_BODY)
        return REPROCESS

    def reopen_head(self):
        """Let an element after the head be the last one in it."""
        if self.head_row == 0:
            self.why = "an element between head and body"
            return IGNORE
        self.here = self.head_row
        self.behind_head = self.end[self.head_row]
        self.head_again = self.count
        return INSERT

    def close_head_again(self):
        """Close the head after an element that stood behind it: blanks and comments that came before stand after it."""
        k: cython.int
        first: cython.int = self.behind_head
        element: cython.int = self.head_again
        between: cython.int = element - first
        size: cython.int = self.count - element
        self.head_again = 0
        self.close()
        self.end[self.head_row] = first + size
        if between == 0:
            return 0
        text: cython.int = self.text_at[first]
        element_text: cython.int = self.text_at[element]
        text_size: cython.int = cython.cast(cython.int, self.text.end) - element_text
        self.is_mended = self.is_mended or between > 1 or self.tag[first] != tags.TEXT
        self.moved += self.count - first + self.text.end - text
        if self.moved > self.tokens.stop:  # each costs as much as stands behind the head
            self.why = "an element between head and body"
            return 0
        for k in range(first, element):
            self.end[k] += size
            self.text_at[k] += text_size
            self.attribute_at[k] = self.attributes
        for k in range(element, self.count):
            self.end[k] -= between
            self.text_at[k] -= element_text - text
            if k > element:  # a text in it
                self.parent[k] = first
        for k in range(COLUMNS):
            _rotate(cython.cast(cython.p_uchar, self.tag + k * self.room), 4 * first, 4 * element, 4 * self.count)
        _rotate(self.text.data, text, element_text, self.text.end)
        return 0

    def in_foreign_content(self, number):
        """Apply the rules for foreign content."""
        tag: cython.int = self.tag[self.here]
        if _rules_of(number) & tags.BREAKS_OUT or tag == tags.TAG_TITLE or tag == tags.TAG_DESC:
            self.why = "html in svg"
        return INSERT

    def merge_into(self, row):
        """Let the html or body that is open already have the attributes of a start tag."""
        if self.open_templates > 0:
            self.why = "html or body in a template"
        self.again = row
        return MERGE

    def read_attributes(self, row, foreign):
        """Read the attributes of a tag, the first of each name."""
        tokens: Tokenizer = self.tokens
        first: cython.int = self.attributes
        while tokens.in_tag and tokens.next_attribute():
            number: cython.int = tokens.attribute if tokens.attribute >= 0 else self.attribute_number(foreign)
            if self.has_attribute(row, first, number):
                continue
            if self.attributes - first >= MOST_ATTRIBUTES:
                self.why = "too many attributes"
                return 0
            self.add_attribute(number, tokens.value_end - tokens.value)
            if not tokens.put_resolved(self.values, tokens.value, tokens.value_end, True):
                self.why = LONG_REFERENCE
                return 0
        if not tokens.closed:
            self.why = "a tag that does not end"
        return 0

    def is_hidden(self, first):
        """Whether the attributes from `first` on say that an input is hidden."""
        k: cython.int
        for k in range(first, self.attributes):
            if self.attribute_name[k] == tags.ATTR_TYPE:
                stop: cython.Py_ssize_t = self.value_at[k + 1] if k + 1 < self.attributes else self.values.end
                value: bytes = self.values.data[self.value_at[k] : stop]
                return value.lower() == b"hidden"
        return False

    def has_attribute(self, row, first, name):
        """Whether a row has an attribute: among its own, or among those that are being read for it."""
        k: cython.int
        for k in range(first, self.attributes):
            if self.attribute_name[k] == name:
                return True
        if row < self.count - 1:
            for k in range(self.attribute_at[row], self.attribute_at[row + 1]):
                if self.attribute_name[k] == name:
                    return True
        return False

    def give_attributes(self, row, first, first_value):
        """Give the attributes from `first` on, which were just read, to an earlier row."""
        k: cython.int
        added: cython.int = self.attributes - first
        if row == self.count - 1:
            self.why = "html or body twice in a row"
        if added == 0 or self.why is not None:
            return 0
        self.merges += 1
        if self.merges > 8:  # each costs as much as the page is long
            self.why = "html or body many times"
            return 0
        self.move_attributes(self.attribute_at[row + 1], first, first_value)
        for k in range(row + 1, self.count):
            self.attribute_at[k] += added
        return 0

    def read_content(self, number):
        """Read the content of the element that was just opened, where that is text, and close it."""
        tokens: Tokenizer = self.tokens
        if (
            number == tags.TAG_PRE or number == tags.TAG_LISTING or number == tags.TAG_TEXTAREA
        ) and self.may_begin_line():
            self.why = "a reference right after a tag that takes no line feed"
        if not tokens.holds_text():
            if (number == tags.TAG_PRE or number == tags.TAG_LISTING) and tokens.at < tokens.stop:
                tokens.at += tokens.source[tokens.at] == LINE_FEED  # right after the tag it is no text
            return 0
        if not tokens.raw_text():
            if tokens.at >= tokens.stop:
                self.why = "a text that does not end"
                return 0
            self.unclosed.append(number)
        if number == tags.TAG_TEXTAREA:
            tokens.first += tokens.source[tokens.first] == LINE_FEED
        if tokens.last > tokens.first:
            self.add(tags.TEXT)
            if not _rules_of(number) & tags.ESCAPABLE:
                tokens.put(self.text, tokens.first, tokens.last)
            elif not tokens.put_resolved(self.text, tokens.first, tokens.last, False):
                self.why = LONG_REFERENCE
        self.pop()
        return 0

    def may_begin_line(self):
        """Whether a character reference comes next that may be a line feed: `&#10;`, `&#xA;`, `&NewLine;`."""
        tokens: Tokenizer = self.tokens
        if tokens.at + 2 >= tokens.stop or tokens.source[tokens.at] != AMPERSAND:
            return False
        first: cython.int = tokens.source[tokens.at + 1]
        second: cython.int = tokens.source[tokens.at + 2]
        if first == HASH:
            return second <= DIGIT_0 + 1 or second > DIGIT_9  # neither &#60; nor &#8217;, which are common
        return first == UPPER_A + 13

    def end_of_file(self):
        """Open what every page has, and put the comments after it where they belong."""
        self.reserve()
        if self.mode == BEFORE_HTML:
            self.open(tags.TAG_HTML)
        if self.mode <= BEFORE_HEAD:
            self.open(tags.TAG_HEAD)
        if self.mode <= IN_HEAD:
            while self.tag[self.here] != tags.TAG_HTML:
                self.pop()
        if self.mode <= AFTER_HEAD:
            self.open(tags.TAG_BODY)
        while self.here > 0 and self.tag[self.here] != tags.TAG_HTML:
            self.close()
        for comments in (self.below_html, self.below_document):
            for first, last in comments:
                self.reserve()
                self.add(tags.COMMENT)
                self.tokens.put(self.text, first, last)
            self.close()
        return 0


def from_source(html: bytes) -> PageView | str:
    """Return the node table of a page as it was written, or why only the parser can be sure of it.

    `unclosed` has the names of the elements of text that ended at the next tag, for want of an end tag.
    """
    if b"\0" in html:
        return "a NUL byte"
    return SourceReader(with_line_feeds(html) if b"\r" in html else html).read()


# Limits on nesting: parsers walk their stack of open elements again and again, so 200,000 nested elements cost them
# minutes, and unclosed formatting elements are written anew into every paragraph that follows; for each option, all
# that its select holds is looked through. One pass over the source counts the open elements by name and finds the tags
# beyond the limits; text is never left out. The same pass finds the elements of text that are never closed: given an
# end tag before the next tag, they do not swallow the page.

_LIMITED = {
    # Elements that never nest without another element between them, or hold only text: they are not counted.
    FLAT: (
        "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr "
        "p li dt dd tr td th tbody thead tfoot option optgroup rt rp rb rtc caption colgroup "
        "script style textarea title xmp iframe noembed noframes plaintext"
    ),
    FORMATTED: "a b big code em font i nobr s small strike strong tt u",
    # Drawings and their shapes, closed with a slash; even outside of svg a parser has no trouble with many of them.
    SHAPE: "svg math path circle rect line polyline polygon ellipse use stop g text tspan animate image",
    # Opened again, they give their attributes to the one that is open, one by one.
    ROOT: "html head body",
}


def _kinds() -> array[int]:
    kinds = zeros("i", tags.KNOWN_TAGS + OTHER_NAMES)
    for kind, names in _LIMITED.items():
        for name in names.split():
            kinds[element_number(name.encode())] = kind
    return kinds


_KINDS = _kinds()


class _Limits:
    """Counts the elements that are open, and lists the edits that keep a parser out of trouble."""

    def __init__(self, html: bytes, depth: int, formatting: int, attributes: int, options: int):
        self.tokens = Tokenizer(html)
        self.kinds = _KINDS
        self.opened, self.cut = zeros("i", len(_KINDS)), zeros("i", len(_KINDS))
        self.depth = self.formatting = self.roots = self.options = 0
        self.depth_limit, self.formatting_limit, self.attribute_limit = depth, formatting, attributes
        self.option, self.option_limit = element_number(b"option"), options
        self.edits = []

    def read(self) -> list[tuple[int, int, bytes]]:
        """Return the edits of the whole source."""
        tokens: Tokenizer = self.tokens
        kind: cython.int = tokens.next()
        while kind != TOKEN_NONE:
            if kind == TOKEN_START or kind == TOKEN_END:
                self.read_tag(kind)
                if kind == TOKEN_START and tokens.holds_text() and not tokens.raw_text():
                    self.give_end_tag()
            kind = tokens.next()
        return self.edits

    def read_tag(self, kind):
        """Read a tag to its end, and leave it out, or its attributes beyond the limit."""
        tokens: Tokenizer = self.tokens
        excess: cython.Py_ssize_t = tokens.skip_attributes(self.attribute_limit)
        if self.end(tokens.tag) if kind == TOKEN_END else self.start(tokens.tag):
            self.edits.append((tokens.start, tokens.at, b""))
        elif excess >= 0:
            self.edits.append((excess, tokens.at - tokens.closed, b""))
        return 0

    def give_end_tag(self):
        """Give an element of text that is never closed its end tag. In svg and math it is one as any other."""
        tokens: Tokenizer = self.tokens
        if tokens.at < tokens.stop and self.opened[tags.TAG_SVG] + self.opened[tags.TAG_MATH] == 0:
            self.edits.append((tokens.at, tokens.at, b"</%b>" % TAGS[tokens.tag].encode()))
        return 0

    def start(self, number):
        """Count a start tag; return whether it is to be left out."""
        kind: cython.int = self.kinds[number]
        if kind == ROOT:
            self.roots += 1
            return self.roots > MOST_ROOTS
        if number == self.option:
            self.options += 1
            return self.options > self.option_limit
        if kind == FLAT or (kind == SHAPE and self.tokens.self_closing):
            return False
        if self.depth >= self.depth_limit or (kind == FORMATTED and self.formatting >= self.formatting_limit):
            self.cut[number] += 1
            return True
        self.opened[number] += 1
        self.depth += 1
        self.formatting += kind == FORMATTED
        return False

    def end(self, number):
        """Count an end tag; return whether it is to be left out, as its start tag was."""
        if self.cut[number] > 0:
            self.cut[number] -= 1
            return True
        if self.opened[number] > 0:
            self.opened[number] -= 1
            self.depth -= 1
            self.formatting -= self.kinds[number] == FORMATTED
        return False


def edits(
    html: bytes,
    depth_limit: cython.int,
    formatting_limit: cython.int,
    attribute_limit: cython.int,
    option_limit: cython.int,
) -> list[tuple[int, int, bytes]]:
    """Return the spans that a parser must not see as they are, and what it gets in their place.

    Nothing in place of what is beyond the limits: tags nested too deep, a tag's attributes past the limit, and options.
    An end tag, at an empty span, where an element of text has none. Empty for nearly every page. Spans are in order and
    do not overlap.
    """
    return _Limits(html, depth_limit, formatting_limit, attribute_limit, option_limit).read()
