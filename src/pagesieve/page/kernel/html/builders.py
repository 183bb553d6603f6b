# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""The two builders of the node table that read HTML; `builders.pxd` lists what they are made of.

`from_source` reads a page as it was written, by the rules of the HTML standard, as long as it is sure: it gives up, and
returns the reason, where the standard repairs a page in ways that move nodes about. Most pages are clean enough, and
nothing is faster then. `from_serialised` reads what the parser (lexbor) has repaired and written out again.
"""

from __future__ import annotations

import re

import cython
from cython.cimports.cpython.array import array
from cython.cimports.libc.stdlib import free, realloc
from cython.cimports.libc.string import memchr, memcmp, memcpy, memmove, memset
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import zeros
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.constants import MAX_WAITING
from cython.cimports.pagesieve.page.kernel.html.cleaning import (
    cleaned_texts,
    cleaned_values,
    first_unclean,
    has_suspect,
)
from cython.cimports.pagesieve.page.kernel.html.tokenizer import (
    Buffer,
    Names,
    Tokenizer,
    element_number,
    int_room,
    is_word,
)
from cython.cimports.pagesieve.page.kernel.page.view import PageView

from pagesieve.page.kernel.tags import ATTRIBUTE_ID, SVG_ATTRIBUTES, SVG_TAGS, TAG_FLAGS, TAG_ID, TAGS, TREE_RULES

UNCLOSED_FORMATTING = cython.declare(cython.p_const_char, b"formatting that is not closed where it was opened")
OTHER_IN_TABLE = cython.declare(cython.p_const_char, b"something else in a table")
LONG_REFERENCE = cython.declare(cython.p_const_char, b"a character reference longer than it was written")
# How much of a page that is not nested as the standard has it may be open at a time: elements, and formatting elements
# among them, each of which may be opened again in every paragraph that follows; then how many attributes an element may
# have, and how many options a page, for each of which the parser looks through all that its select holds.
LIMITS = (512, 16, 512, 2000)

# What follows the name in the doctypes of XHTML 1 and HTML 4.01, which leave no quirks that matter here.
_NO_QUIRKS = re.compile(
    rb"""\s+PUBLIC\s+"-//W3C//DTD (?:XHTML 1|HTML 4\.01)[^">]*"\s+"http://www\.w3\.org/[^">]*"\s*""", re.IGNORECASE
)
_MAX_DOCTYPE_LENGTH = cython.declare(cython.int, 100)  # bytes of its name
_BYTES_A_ROW = cython.declare(cython.int, 100)  # few pages have fewer; room for more is made when it is needed
_MAX_REOPENED = cython.declare(cython.int, 4096)  # bytes of attributes of formatting that waited
_MAX_IDLE = cython.declare(cython.Py_ssize_t, 1 << 22)  # bytes of the source after which a reader is used again

_FLAGS = cython.declare(cython.int[::1], TAG_FLAGS)
_RULES = cython.declare(cython.int[::1], TREE_RULES)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _flags_of(number: cython.int) -> cython.int:
    return _FLAGS[number] if number < tags.KNOWN_TAGS else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rules_of(number: cython.int) -> cython.int:
    return _RULES[number] if number < tags.KNOWN_TAGS else 0


# The table while it grows


@cython.cfunc
@cython.nogil
def _room(before: cython.p_int, count: cython.Py_ssize_t) -> cython.p_int:
    """Return room for so many numbers that begins with what was there before."""
    room: cython.p_int = cython.cast(cython.p_int, realloc(before, count * cython.sizeof(cython.int)))
    if room == cython.NULL:
        with cython.gil:
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


@cython.final
@cython.cclass
class _SvgNames:
    """Names of svg that have capital letters: by those that are written, however they are, the ones that are meant."""

    written: Names
    held: bytes
    meant: cython.p_const_uchar  # all of them, one after the other; where each begins, `written` has
    numbers: cython.int[::1]

    def __init__(self, names: dict[bytes, bytes], numbers: dict[str, int]):
        self.written = Names(tuple([name.decode() for name in names]))
        self.held = b"".join(names.values())
        self.meant = self.held
        self.numbers = array("i", [numbers.get(name.decode(), -1) for name in names.values()])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def correct(self, name: cython.p_uchar, size: cython.Py_ssize_t, literal: cython.bint) -> cython.int:
        """Write a name as it is meant, unless it must be so already; return its number, or -1."""
        key: cython.ulonglong = 0
        k: cython.Py_ssize_t
        for k in range(size):
            key = key << 8 | name[k]
        found: cython.int = self.written.number(name, 0, size, key)
        if found < 0:
            return -1
        meant: cython.p_const_uchar = self.meant + self.written.starts[found]
        if literal and memcmp(name, meant, size) != 0:
            return -1
        memcpy(name, meant, size)
        return self.numbers[found]


_SVG_TAGS = cython.declare(_SvgNames, _SvgNames(SVG_TAGS, TAG_ID))
_SVG_ATTRIBUTES = cython.declare(_SvgNames, _SvgNames(SVG_ATTRIBUTES, ATTRIBUTE_ID))


@cython.final
@cython.cclass
class OwnNames:
    """The names of a page that are not known by number, in the order in which they were met: a table of hashes."""

    svg: _SvgNames
    known: cython.int  # how many numbers stand before theirs
    text: Buffer  # one after the other
    starts: cython.p_int  # where each begins in it, and where the last ends
    slots: cython.p_int  # four for each name that there is room for: by hash, its number from 1 on, or 0
    count: cython.int
    room: cython.Py_ssize_t

    def __init__(self, svg: _SvgNames, known: cython.int):
        self.svg = svg
        self.known = known
        self.text = Buffer()
        self.count = 0
        self.make_room(128)

    def __dealloc__(self):
        free(self.starts)
        free(self.slots)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def begin(self) -> cython.void:
        """Forget all names."""
        self.text.end = 0
        if self.count > 0:
            self.count = 0
            memset(self.slots, 0, 4 * self.room * cython.sizeof(cython.int))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def make_room(self, room: cython.Py_ssize_t) -> cython.int:
        """Make room for so many names, a power of 2, and find their slots again."""
        k: cython.int
        self.starts = _room(self.starts, room + 1)
        self.slots = _room(self.slots, 4 * room)
        self.room = room
        self.starts[0] = 0
        memset(self.slots, 0, 4 * room * cython.sizeof(cython.int))
        for k in range(self.count):
            self.slots[self.slot(self.text.data + self.starts[k], self.starts[k + 1] - self.starts[k])] = k + 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def slot(self, name: cython.p_const_uchar, size: cython.Py_ssize_t) -> cython.uint:
        """Return the slot of a name, or the one that it would have."""
        k: cython.Py_ssize_t
        h: cython.uint = 2166136261
        for k in range(size):
            h = (h ^ name[k]) * 16777619
        slot: cython.uint = (h ^ h >> 15) & (4 * self.room - 1)
        while self.slots[slot] != 0:
            at: cython.int = self.starts[self.slots[slot] - 1]
            if self.starts[self.slots[slot]] - at == size and memcmp(self.text.data + at, name, size) == 0:
                break
            slot = (slot + 1) & (4 * self.room - 1)
        return slot

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def number(
        self,
        source: cython.p_const_uchar,
        size: cython.Py_ssize_t,
        foreign: cython.bint,
        literal: cython.bint,
        adds: cython.bint,
    ) -> cython.int:
        """Return the number of a name; where it is a new one, it has that number from now on if it `adds`."""
        k: cython.Py_ssize_t
        self.text.reserve(size)
        name: cython.p_uchar = self.text.data + self.text.end
        for k in range(size):
            name[k] = source[k] + 32 if not literal and UPPER_A <= source[k] <= UPPER_Z else source[k]
        if foreign or literal:
            known: cython.int = self.svg.correct(name, size, literal)
            if known >= 0:
                return known
        slot: cython.uint = self.slot(name, size)
        found: cython.int = self.slots[slot]
        if found == 0:
            found = self.count + 1
            if adds:
                self.text.end += size
                self.slots[slot] = found
                self.starts[found] = cython.cast(cython.int, self.text.end)
                self.count = found
                if found == self.room:
                    self.make_room(2 * self.room)
        return self.known + found - 1

    @cython.cfunc
    def names(self) -> tuple:
        """Return all names."""
        if self.count == 0:
            return ()
        text: cython.p_uchar = self.text.data
        return tuple([text[self.starts[k] : self.starts[k + 1]].decode("utf-8", "replace") for k in range(self.count)])


@cython.cclass
class Rows:
    """The columns while they grow, and the element that is open. One page after the other is read into them."""

    # The columns, by row (see pagesieve.page.table.Page). A row is complete from the start but for its `end`.
    tag: cython.p_int
    parent: cython.p_int
    end: cython.p_int
    depth: cython.p_int
    text_at: cython.p_int
    attribute_at: cython.p_int
    foreign: cython.p_int  # whether the row is an element of svg or math
    # By attribute.
    attribute_name: cython.p_int
    value_at: cython.p_int
    room: cython.Py_ssize_t  # rows and attributes that there is room for
    attribute_room: cython.Py_ssize_t
    count: cython.int  # rows and attributes so far
    attributes: cython.int
    here: cython.int  # the open element: the standard's current node
    unclean_text: cython.int  # the first row whose text may have to be cleaned; `count` without one
    is_clean: cython.bint  # whether no value has to be cleaned
    text: Buffer
    values: Buffer
    lines: Buffer  # the source, where its line feeds are not as they were written
    # The source, and the names that are not known by number.
    tokens: Tokenizer
    literal: cython.bint  # whether names stand as they are meant, because the parser wrote them
    more_tags: OwnNames
    more_attributes: OwnNames

    def __init__(self):
        self.tokens = Tokenizer(b"")
        self.more_tags = OwnNames(_SVG_TAGS, tags.KNOWN_TAGS)
        self.more_attributes = OwnNames(_SVG_ATTRIBUTES, tags.KNOWN_ATTRIBUTES)
        self.text, self.values, self.lines = Buffer(), Buffer(), Buffer()
        self.room = self.attribute_room = 0

    def __dealloc__(self):
        free(self.tag)
        free(self.attribute_name)
        free(self.value_at)

    @cython.final
    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def begin(self, html: bytes, literal: cython.bint) -> cython.int:
        """Begin a page."""
        self.tokens.begin(html)
        if not literal and b"\r" in html:
            self.tokens.with_line_feeds(self.lines)
        size: cython.Py_ssize_t = self.tokens.stop
        self.literal = literal
        self.more_tags.begin()
        self.more_attributes.begin()
        self.count = self.attributes = 0
        # What a reference means is never longer than it is written: one that is ends the reading.
        self.text.begin(size + 64)
        self.values.begin(size // 3 + 64)
        self.grow_rows(size // _BYTES_A_ROW + 2 * MAX_ROWS_AT_ONCE)
        self.grow_attributes(size // _BYTES_A_ROW + 64)
        self.here = 0
        self.add(0)
        self.parent[0] = -1
        self.depth[0] = 0
        return 0

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def grow_rows(self, room: cython.Py_ssize_t) -> cython.int:
        """Make room for so many rows: the columns lie in one piece of memory, which begins with `tag`."""
        k: cython.Py_ssize_t
        if room <= self.room:
            return 0
        block: cython.p_int = _room(self.tag, COLUMNS * room)
        for k in range(COLUMNS - 1, 0, -1):  # the last first: each moves on
            _copy(block + k * room, block + k * self.room, self.count)
        self.tag, self.parent, self.end, self.depth = block, block + room, block + 2 * room, block + 3 * room
        self.text_at, self.attribute_at, self.foreign = block + 4 * room, block + 5 * room, block + 6 * room
        self.room = room
        return 0

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def grow_attributes(self, room: cython.Py_ssize_t) -> cython.int:
        """Make room for so many attributes."""
        if room > self.attribute_room:
            self.attribute_name = _room(self.attribute_name, room)
            self.value_at = _room(self.value_at, room)
            self.attribute_room = room
        return 0

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def reserve(self) -> cython.int:
        """Make sure of room for the rows of a text and a tag, and of all that must be opened before them."""
        if self.count + MAX_ROWS_AT_ONCE > self.room:
            self.grow_rows(2 * self.room)
        return 0

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add(self, tag: cython.int) -> cython.int:
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def add_attribute(self, name: cython.int, size: cython.Py_ssize_t) -> cython.int:
        """Add an attribute to the last row; its value is what is written to the buffer from now on, at most `size`."""
        if self.attributes + 2 > self.attribute_room:
            self.grow_attributes(2 * self.attribute_room)
        self.values.reserve(size)
        self.attribute_name[self.attributes] = name
        self.value_at[self.attributes] = cython.cast(cython.int, self.values.end)
        self.attributes += 1
        return 0

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def close(self) -> cython.void:
        """Close the open element, and around it a form whose end tag stood inside."""
        self.end[self.here] = self.count
        if self.here > 0:
            self.here = self.parent[self.here]
            while self.tag[self.here] == ENDED_FORM:
                self.tag[self.here] = tags.TAG_FORM
                self.end[self.here] = self.count
                self.here = self.parent[self.here]

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def finish(self) -> cython.void:
        """Finish the columns: whatever is still open ends here. Find the first text and value to clean, if any."""
        while self.here > 0:
            self.close()
        self.end[0] = self.count
        self.text_at[self.count] = cython.cast(cython.int, self.text.end)
        self.attribute_at[self.count] = self.attributes
        self.value_at[self.attributes] = cython.cast(cython.int, self.values.end)
        self.unclean_text = first_unclean(self.count, self.tag, self.parent, self.text_at, self.text.data)
        self.is_clean = not has_suspect(self.values.data, 0, self.values.end)

    @cython.final
    @cython.cfunc
    def columns(self) -> PageView:
        """Return the columns, which are finished."""
        rows: cython.int = self.count
        pairs: cython.int = self.attributes
        text: bytes = cleaned_texts(rows, self.tag, self.parent, self.text_at, self.text.data, self.unclean_text)
        values: bytes = cleaned_values(pairs, self.value_at, self.values.data, self.is_clean)
        # The columns that a page has are all but the last, and those of the attributes.
        numbers: array = int_room(6 * cython.cast(cython.Py_ssize_t, rows) + 2 * pairs + 3)
        at: cython.p_int = numbers.data.as_ints
        at = _copy(at, self.tag, rows)
        at = _copy(at, self.parent, rows)
        at = _copy(at, self.end, rows)
        at = _copy(at, self.depth, rows)
        at = _copy(at, self.text_at, rows + 1)
        at = _copy(at, self.attribute_at, rows + 1)
        at = _copy(at, self.attribute_name, pairs)
        _copy(at, self.value_at, pairs + 1)
        view: PageView = PageView()
        view.read_block(numbers, rows, pairs, text, values)
        view.more_tags = self.more_tags.names()
        view.more_attributes = self.more_attributes.names()
        view.unclosed = ()
        return view

    # Names

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def tag_number(self, foreign: cython.bint, opens: cython.bint) -> cython.int:
        """Return the number of the element whose tag was just read; an end tag may have one that no row has."""
        if self.tokens.tag < tags.KNOWN_TAGS:
            return self.tokens.tag
        size: cython.Py_ssize_t = self.tokens.last - self.tokens.first
        return self.more_tags.number(self.tokens.source + self.tokens.first, size, foreign, self.literal, opens)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def attribute_number(self, foreign: cython.bint) -> cython.int:
        """Return the number of the attribute that was just read."""
        if self.tokens.attribute >= 0:
            return self.tokens.attribute
        size: cython.Py_ssize_t = self.tokens.name_end - self.tokens.name
        return self.more_attributes.number(self.tokens.source + self.tokens.name, size, foreign, self.literal, True)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _rotate(
    data: cython.p_uchar, first: cython.Py_ssize_t, middle: cython.Py_ssize_t, last: cython.Py_ssize_t
) -> cython.int:
    """Let the bytes from `middle` to before `last` stand before those from `first` to before `middle`."""
    size: cython.Py_ssize_t = last - middle
    end: cython.p_uchar = cython.cast(cython.p_uchar, _room(cython.NULL, size // 4 + 1))
    memcpy(end, data + middle, size)
    memmove(data + first + size, data + first, middle - first)
    memcpy(data + first, end, size)
    free(end)
    return 0


# Reading what the parser wrote


@cython.final
@cython.cclass
class SerialisedReader(Rows):
    """Reads a page in which every element has its tags, every value its quotes, and every sign its reference."""

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read(self) -> cython.int:
        """Read the whole page."""
        kind: cython.int = -1
        while kind != TOKEN_NONE:
            kind = self.tokens.next()
            self.reserve()
            if self.tokens.start > self.tokens.text:
                self.add(tags.TEXT)
                self.tokens.put_resolved(self.text, self.tokens.text, self.tokens.start, False)
            if kind == TOKEN_START:
                self.read_start_tag()
            elif kind == TOKEN_END:
                if self.tokens.in_tag:
                    self.tokens.skip_attributes(-1)
                self.close()
            elif kind != TOKEN_NONE:
                self.add(tags.DOCTYPE if kind == TOKEN_DOCTYPE else tags.COMMENT)
                self.tokens.put(self.text, self.tokens.first, self.tokens.last)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read_start_tag(self) -> cython.int:
        """Read an element's start tag, and its content where that is text."""
        number: cython.int = self.tag_number(False, True)
        row: cython.int = self.add(number)
        flags: cython.int = _flags_of(number)
        while self.tokens.in_tag and self.tokens.next_attribute():
            self.add_attribute(self.attribute_number(False), self.tokens.value_end - self.tokens.value)
            self.tokens.put_resolved(self.values, self.tokens.value, self.tokens.value_end, True)
        # Inside svg and math nothing is void and nothing holds only text, until HTML begins again.
        self.foreign[row] = flags & tags.FOREIGN != 0 or (
            self.foreign[self.here] != 0 and not _flags_of(self.tag[self.here]) & tags.HTML_INSIDE
        )
        if self.foreign[row] == 0 and flags & tags.VOID:
            return 0
        self.here = row
        if self.foreign[row] == 0 and self.tokens.holds_text() and not _rules_of(number) & tags.ESCAPABLE:
            self.tokens.raw_text()
            if self.tokens.last > self.tokens.first:
                self.add(tags.TEXT)
                self.tokens.put(self.text, self.tokens.first, self.tokens.last)
            self.close()
        return 0


_IDLE_SERIALISED: list[SerialisedReader] = []  # readers with their memory, for the next page: one for each thread


def from_serialised(html: bytes) -> PageView:
    """Return the node table of a page that the parser has written out as UTF-8."""
    reader: SerialisedReader = _IDLE_SERIALISED.pop() if _IDLE_SERIALISED else SerialisedReader()
    reader.begin(html, True)
    with cython.nogil:
        reader.read()
        reader.finish()
    page: PageView = reader.columns()
    reader.tokens.begin(b"")
    if len(html) <= _MAX_IDLE:
        _IDLE_SERIALISED.append(reader)
    return page


# The tree: the standard's rules for what closes what


@cython.cclass
class Tree(Rows):
    """The rows of a page while its source is read, and the rules that the HTML standard has for them."""

    open_p: cython.int  # how many are open
    open_formatting: cython.int
    open_templates: cython.int
    waits: cython.int  # formatting elements that were closed with what they stood in, and wait to be opened again:
    waiting: cython.int[MAX_WAITING]  # their rows, the outermost first
    loose: cython.int[MAX_WAITING]  # those that are being closed
    forgotten: cython.int  # the last row that the standard forgot when a fourth like it was opened, or 0
    copied: cython.int  # bytes of attributes of formatting that was opened again
    moved: (
        cython.longlong
    )  # rows and attributes that moved, since formatting ended before a block and began again inside
    is_mended: cython.bint  # whether something was not nested as the standard has it
    form: cython.int  # the standard's form element pointer: a row, or -1
    quirks: cython.int  # what the doctype says of the quirks mode: QUIRKS_NONE, QUIRKS_ALL or QUIRKS_UNSURE
    why: cython.pointer(cython.const[cython.char])  # or NULL

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def begin_tree(self) -> cython.void:
        """Begin a page with nothing open."""
        self.open_p = 0
        self.open_formatting = 0
        self.waits = 0
        self.forgotten = 0
        self.copied = 0
        self.moved = 0
        self.is_mended = False
        self.open_templates = 0
        self.form = -1
        self.quirks = QUIRKS_ALL
        self.why = cython.NULL

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rules(self, row: cython.int) -> cython.int:
        """Return the rules of a row's element; an element of the same name in svg has none."""
        return 0 if self.foreign[row] != 0 else _rules_of(self.tag[row])

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def open(self, number: cython.int) -> cython.int:
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
        if self.depth[row] > MAX_LEVELS:
            self.why = b"nested too deep"
        return row

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def pop(self) -> cython.void:
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def pop_until(self, row: cython.int) -> cython.void:
        """Close everything down to a row, and the row itself; formatting inside of it waits to be opened again."""
        loose: cython.int = 0
        while True:
            rules: cython.int = self.rules(self.here)
            if rules & tags.FORMATTING:
                if self.here != row:
                    if loose < MAX_WAITING:
                        self.loose[loose] = self.here
                    loose += 1
            elif rules & tags.MARKER:
                loose = 0
                tag: cython.int = self.tag[self.here]
                if self.here != row and tag != tags.TAG_TD and tag != tags.TAG_TH:
                    self.why = b"an object that is not closed"
            if self.here == row:
                break
            self.pop()
        self.pop()
        if loose > 0:
            self.let_wait(loose)

    # The list of active formatting elements: those that are open, and then those that wait to be opened again

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def let_wait(self, count: cython.int) -> cython.void:
        """Let formatting wait that was closed with what it stood in, the innermost first in `loose`."""
        k: cython.int
        if count + self.waits > MAX_WAITING:
            self.why = UNCLOSED_FORMATTING
            return
        for k in range(self.waits - 1, -1, -1):
            self.waiting[k + count] = self.waiting[k]
        for k in range(count):
            self.waiting[k] = self.loose[count - 1 - k]
        self.waits += count
        for k in range(count):
            if self.loose[k] <= self.forgotten or self.same_formatting(self.tag[self.waiting[k]]) > 3:
                self.why = UNCLOSED_FORMATTING

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def same_formatting(self, number: cython.int) -> cython.int:
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def note_fourth(self, row: cython.int) -> cython.void:
        """Note which formatting element the standard forgets, if a new one is the fourth of its name and attributes."""
        found: cython.int = 0
        other: cython.int = self.parent[row]
        while other > 0 and self.rules(other) & tags.MARKER == 0:
            if self.tag[other] == self.tag[row] and self.foreign[other] == 0 and self.has_same_attributes(row, other):
                found += 1
                if found == 3:
                    self.forgotten = max(self.forgotten, other)
                    return
            other = self.parent[other]

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_same_attributes(self, row: cython.int, other: cython.int) -> cython.bint:
        """Whether the last row has the attributes of another one, in whatever order."""
        k: cython.int
        m: cython.int
        found: cython.int = 0
        if self.attributes - self.attribute_at[row] != self.attribute_at[other + 1] - self.attribute_at[other]:
            return False
        for k in range(self.attribute_at[row], self.attributes):
            start: cython.int = self.value_at[k]
            stop: cython.int = (
                self.value_at[k + 1] if k + 1 < self.attributes else cython.cast(cython.int, self.values.end)
            )
            for m in range(self.attribute_at[other], self.attribute_at[other + 1]):
                if self.attribute_name[m] == self.attribute_name[k]:
                    found += (
                        self.value_at[m + 1] - self.value_at[m] == stop - start
                        and memcmp(self.values.data + self.value_at[m], self.values.data + start, stop - start) == 0
                    )
        return found == self.attributes - self.attribute_at[row]

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def forget(self, number: cython.int) -> cython.bint:
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def reopen_formatting(self) -> cython.int:
        """Open the formatting that waits, with the attributes that it had."""
        k: cython.int
        count: cython.int = self.waits
        self.waits = 0
        for k in range(count):
            row: cython.int = self.waiting[k]
            self.open(self.tag[row])
            self.copy_attributes(row, self.attributes)
        if self.copied > _MAX_REOPENED:
            self.why = UNCLOSED_FORMATTING
        return 0

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def copy_attributes(self, row: cython.int, place: cython.int) -> cython.int:
        """Write the attributes of a row again, to a place in the attribute table; return how many they are."""
        k: cython.int
        first: cython.int = self.attributes
        first_value: cython.int = cython.cast(cython.int, self.values.end)
        for k in range(self.attribute_at[row], self.attribute_at[row + 1]):
            start: cython.int = self.value_at[k]
            stop: cython.int = self.value_at[k + 1] if k + 1 < first else first_value
            self.copied += stop - start
            if self.copied > MAX_COPIED:
                self.why = UNCLOSED_FORMATTING
                return 0
            self.add_attribute(self.attribute_name[k], stop - start)
            memcpy(self.values.data + self.values.end, self.values.data + start, stop - start)
            self.values.end += stop - start
        return self.move_attributes(place, first, first_value)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def move_attributes(self, place: cython.int, first: cython.int, first_value: cython.int) -> cython.int:
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def active_formatting(self, number: cython.int) -> cython.int:
        """Return the row of the formatting element of a name that was opened last and is open, or -1."""
        row: cython.int = self.here
        while row > 0 and self.rules(row) & tags.MARKER == 0:
            if self.tag[row] == number and self.foreign[row] == 0:
                return row
            row = self.parent[row]
        return -1

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def adopt(self, row: cython.int) -> cython.int:
        """Apply the adoption agency algorithm to a formatting element, if there is one.

        It ends before the outermost block that was opened inside of it, and begins again in the block, until no such
        block is left.
        """
        turns: cython.int = 0
        if row < 0:
            return 0
        block: cython.int = self.outermost_block(row)
        if block >= 0 and (row <= self.forgotten or self.same_formatting(self.tag[row]) > 3):
            self.why = UNCLOSED_FORMATTING
        while block >= 0 and self.why == cython.NULL:
            turns += 1
            if turns == MAX_TURNS:
                self.why = UNCLOSED_FORMATTING
                return 0
            self.is_mended = True
            self.move_into(row, block)
            row = block + 1
            block = self.outermost_block(row)
        if self.why == cython.NULL:
            self.pop_until(row)
        return 0

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def outermost_block(self, row: cython.int) -> cython.int:
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def move_into(self, row: cython.int, block: cython.int) -> cython.int:
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
        if self.why != cython.NULL or self.moved > self.tokens.stop:  # each costs as much as stands after the block
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def generate_implied_end_tags(self, but: cython.int) -> cython.void:
        """Close the elements whose end tags may be omitted, except for one of a name."""
        while self.rules(self.here) & tags.IMPLIED and self.tag[self.here] != but:
            self.pop()

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def in_specific_scope(self, number: cython.int, barrier: cython.int, barrier2: cython.int) -> cython.int:
        """Return the row of the nearest open element of a name with no barrier before it, or -1."""
        row: cython.int = self.here
        while row > 0:
            if self.foreign[row] != 0:
                self.why = b"an end tag inside svg"
                return -1
            if self.tag[row] == number:
                return row
            if self.rules(row) & tags.SCOPE or self.tag[row] == barrier or self.tag[row] == barrier2:
                return -1
            row = self.parent[row]
        return -1

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def in_scope(self, number: cython.int) -> cython.int:
        """Return the row of the element that the standard finds in scope, or -1."""
        return self.in_specific_scope(number, number, number)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def in_button_scope(self, number: cython.int) -> cython.int:
        """Return the row of the element that the standard finds in button scope, or -1."""
        return self.in_specific_scope(number, tags.TAG_BUTTON, tags.TAG_BUTTON)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def table_context(self) -> cython.int:
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def in_table(self) -> cython.bint:
        """Whether the open element takes nothing but parts of a table."""
        tag: cython.int = self.tag[self.here]
        return tag == tags.TAG_TABLE or tag == tags.TAG_TR or tag == tags.TAG_COLGROUP or _is_section(tag)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def in_select(self) -> cython.bint:
        """Whether the open element takes nothing but options."""
        tag: cython.int = self.tag[self.here]
        return tag == tags.TAG_SELECT or tag == tags.TAG_OPTION or tag == tags.TAG_OPTGROUP

    # Start tags: each makes way for the element, and returns INSERT, or IGNORE where it is to be left out

    # Start tags.
    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def start_tag_in_body(self, number: cython.int) -> cython.int:
        """Apply the "in body" insertion mode, and those of tables and lists of options."""
        rules: cython.int = _rules_of(number)
        if rules & tags.UNSURE:
            self.why = b"an element only the parser is sure of"
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
                    self.why = b"a table in a paragraph"
                elif self.quirks == QUIRKS_NONE:
                    self.close_p_element()
        return INSERT

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def opens_formatting(self, number: cython.int, rules: cython.int) -> cython.bint:
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def start_block(self, number: cython.int, rules: cython.int) -> cython.void:
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def close_p_element(self) -> cython.void:
        """Close the p that is open, if one is in button scope."""
        row: cython.int = self.in_button_scope(tags.TAG_P) if self.open_p > 0 else -1
        if row >= 0:
            self.pop_until(row)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def start_list_item(self, number: cython.int, other: cython.int) -> cython.void:
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def start_formatting(self, number: cython.int) -> cython.void:
        """Close the link that a link begins in."""
        if (number == tags.TAG_A or number == tags.TAG_NOBR) and self.open_formatting + self.waits > 0:
            if not self.forget(number):
                self.adopt(self.active_formatting(number))
        if self.waits > 0:
            self.reopen_formatting()

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def start_other_in_table(self, number: cython.int) -> cython.int:
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def start_tag_in_table(self, number: cython.int) -> cython.int:
        """Start a part of a table: close the cell, row or section before it."""
        row: cython.int = self.table_context()
        if row < 0:
            if self.open_templates > 0:
                self.why = b"a part of a table in a template"
            return IGNORE
        tag: cython.int = self.tag[row]
        if tag == tags.TAG_CAPTION:
            self.why = b"a caption that is not closed"
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def start_table_part(self, number: cython.int) -> cython.void:
        """Open the section, row or group of columns that a part of a table needs around it."""
        if self.tag[self.here] == tags.TAG_TABLE:
            if number == tags.TAG_TR or _is_cell(number):
                self.open(tags.TAG_TBODY)
            elif number == tags.TAG_COL:
                self.open(tags.TAG_COLGROUP)
        if _is_section(self.tag[self.here]) and _is_cell(number):
            self.open(tags.TAG_TR)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def start_tag_in_select(self, number: cython.int) -> cython.int:
        """Start an option or a group of options: close the one before it."""
        if number == tags.TAG_OPTION or number == tags.TAG_OPTGROUP:
            if self.tag[self.here] == tags.TAG_OPTION:
                self.pop()
            if number == tags.TAG_OPTGROUP and self.tag[self.here] == tags.TAG_OPTGROUP:
                if self.tag[self.parent[self.here]] != tags.TAG_SELECT:
                    self.why = b"a group of options in a group of options"
                self.pop()
        elif number != tags.TAG_SCRIPT:
            self.why = b"something else among options"
        return INSERT

    # End tags

    # End tags.
    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_tag_in_body(self, number: cython.int) -> cython.void:
        """Apply the "in body" insertion mode, and those of tables and lists of options."""
        rules: cython.int = _rules_of(number)
        tag: cython.int = self.tag[self.here]
        if tag == number and not rules & (tags.TABLE_PART | tags.FORMATTING) and number != tags.TAG_FORM:
            self.pop()
        elif rules & tags.UNSURE or tag == tags.TAG_TEMPLATE or (number == tags.TAG_BR and self.in_table()):
            self.why = b"an end tag only the parser is sure of"
        elif tag == tags.TAG_COLGROUP and number != tags.TAG_COLGROUP:
            self.why = b"a group of columns that is not closed"
        elif number == tags.TAG_BR and not self.in_select():
            self.add(tags.TAG_BR)
        elif rules & tags.TABLE_PART or number == tags.TAG_TABLE:
            self.end_tag_in_table(number)
        elif self.in_select() or number == tags.TAG_SELECT:
            self.end_tag_in_select(number)
        elif not self.in_table():
            self.end_body_element(number, rules)
        elif number == tags.TAG_P:  # nothing outside of the table is in reach from here
            self.why = b"the end of a paragraph that never began"
        elif number == tags.TAG_FORM:
            self.form = -1

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_body_element(self, number: cython.int, rules: cython.int) -> cython.void:
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_p(self) -> cython.void:
        """End a p; if none is open, an empty one is added."""
        row: cython.int = self.in_button_scope(tags.TAG_P)
        if row < 0:
            self.open(tags.TAG_P)
            self.pop()
        else:
            self.end_block(row, tags.TAG_P)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_block(self, row: cython.int, but: cython.int) -> cython.void:
        """End the element of a row, if there is one, with all that is open inside."""
        if row > 0:
            self.generate_implied_end_tags(but)
            self.pop_until(row)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_heading(self) -> cython.void:
        """End the heading that is open, of whatever level."""
        row: cython.int = self.here
        while row > 0 and self.rules(row) & tags.HEADING == 0:
            if self.rules(row) & tags.SCOPE or self.foreign[row] != 0:
                return
            row = self.parent[row]
        self.end_block(row, -1)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_form(self) -> cython.void:
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_template(self) -> cython.void:
        """End the template that is open."""
        row: cython.int = self.here
        if self.open_templates == 0:
            return
        while self.tag[row] != tags.TAG_TEMPLATE:
            row = self.parent[row]
        self.pop_until(row)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_formatting(self, number: cython.int) -> cython.void:
        """End the formatting of a name that was opened last."""
        if self.waits > 0 and self.forget(number):
            return
        row: cython.int = self.active_formatting(number)
        if row < 0:
            self.any_other_end_tag(number)
        else:
            self.adopt(row)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def any_other_end_tag(self, number: cython.int) -> cython.void:
        """End the nearest element of a name, unless a special element stands between."""
        row: cython.int = self.here
        while row > 0:
            if self.foreign[row] != 0:
                self.why = b"an end tag inside svg"
                return
            if self.tag[row] == number:
                self.end_block(row, number)
                return
            if self.rules(row) & tags.SPECIAL:
                return
            row = self.parent[row]

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_tag_in_select(self, number: cython.int) -> cython.void:
        """End a list of options, or a group of them."""
        row: cython.int = self.here
        if number == tags.TAG_SELECT:
            while row > 0 and self.tag[row] != tags.TAG_SELECT:
                if self.tag[row] != tags.TAG_OPTION and self.tag[row] != tags.TAG_OPTGROUP:
                    self.why = b"the end of a list of options that never began"
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
            self.why = b"something else among options"

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_tag_in_table(self, number: cython.int) -> cython.void:
        """End a table or a part of one."""
        row: cython.int = self.table_context()
        if row < 0 or number == tags.TAG_COL:
            return
        tag: cython.int = self.tag[row]
        if tag == tags.TAG_CAPTION and number != tags.TAG_CAPTION:
            self.why = b"a caption that is not closed"
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_cell(tag: cython.int) -> cython.bint:
    return tag == tags.TAG_TD or tag == tags.TAG_TH


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_section(tag: cython.int) -> cython.bint:
    return tag == tags.TAG_TBODY or tag == tags.TAG_THEAD or tag == tags.TAG_TFOOT


# Reading a page as it was written


@cython.final
@cython.cclass
class SourceReader(Tree):
    """Reads a source from its first byte to its last, and says why where it is not sure of it any more."""

    mode: cython.int  # the insertion mode (kernel/constants)
    doctype: cython.bint  # whether one that comes now does not count
    html_row: cython.int
    head_row: cython.int
    body_row: cython.int
    head_again: cython.int  # the row of an element between head and body, which goes to the head, or 0
    behind_head: cython.int  # the first row of what stands between
    again: cython.int  # of these the one whose start tag comes again
    merges: cython.int  # how often attributes were given to one of them
    unclosed: list  # the numbers of the elements of text that had no end tag
    has_comments_after: cython.bint
    below_html: list  # comments that stand after the body: (first, last)
    below_document: list  # and after html
    limits: _Limits

    def __init__(self):
        Tree.__init__(self)
        self.limits = _Limits(b"", *LIMITS)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def begin_source(self) -> cython.int:
        """Begin a page before its first tag."""
        self.begin_tree()
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
        self.has_comments_after = False
        self.below_html = []
        self.below_document = []
        self.limits.begin()
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read(self) -> cython.int:
        """Read the whole page, or to where `why` only the parser can be sure of it."""
        kind: cython.int = -1
        while kind != TOKEN_NONE:
            kind = self.tokens.next()
            self.reserve()
            if self.tokens.start > self.tokens.text:
                self.read_text()
            number: cython.int = self.tokens.tag
            if kind == TOKEN_START:
                self.read_start_tag()
                self.limits.count_start(number, self.tokens.self_closing)
            elif kind == TOKEN_END:
                self.read_end_tag()
                self.limits.count_end(number)
            elif kind == TOKEN_DOCTYPE:
                self.read_doctype()
            elif kind != TOKEN_NONE:
                self.read_comment(kind)
            if self.why != cython.NULL:
                return 0
        if self.is_mended and self.limits.leaves_out:  # so that a parser could not see all of the page
            self.why = b"tags beyond the limits"
            return 0
        return self.end_of_file()

    def page(self) -> PageView | str:
        """Return the columns of the page that was read, or why it was not."""
        if self.why != cython.NULL:
            return self.why.decode()
        done: PageView = self.columns()
        if self.unclosed:
            done.unclosed = tuple([TAGS[number] for number in self.unclosed])
        return done

    # Texts, comments and doctypes

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read_text(self) -> cython.int:
        """Read a text. Before the body, white space is left out or stays, and other text begins the body."""
        first: cython.Py_ssize_t = self.tokens.text
        last: cython.Py_ssize_t = self.tokens.start
        if self.mode < IN_BODY:
            blanks: cython.Py_ssize_t = self.tokens.after_blanks(first, last)
            if self.mode >= IN_HEAD and blanks > first:
                self.put_text(first, blanks)
            if blanks == last:
                return 0
            first = blanks
            if self.tokens.source[first] == AMPERSAND:
                self.why = b"a character reference before the body"
                return 0
            self.begin_body()
        elif self.mode > IN_BODY and self.tokens.after_blanks(first, last) < last:
            self.mode = IN_BODY
        if self.why == cython.NULL:
            self.put_text(first, last)
        return 0

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def put_text(self, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.int:
        """Write a text where we are; what follows a text directly is part of it."""
        if self.in_table() and self.tokens.after_blanks(first, last) < last:
            self.why = b"text in a table"
            return 0
        if self.waits > 0 and not self.in_table():
            self.reopen_formatting()
        row: cython.int = self.count - 1
        if self.tag[row] != tags.TEXT or self.parent[row] != self.here:
            self.add(tags.TEXT)
        if not self.tokens.put_resolved(self.text, first, last, False):
            self.why = LONG_REFERENCE
        return 0

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def begin_body(self) -> cython.void:
        """Open and close what must stand before the body, and open the body."""
        if self.mode == BEFORE_HTML:
            self.html_row = self.open(tags.TAG_HTML)
        if self.mode <= BEFORE_HEAD:
            self.open(tags.TAG_HEAD)
        if self.mode <= IN_HEAD:
            if self.tag[self.here] == tags.TAG_NOSCRIPT:
                self.pop()
            if self.tag[self.here] != tags.TAG_HEAD:
                self.why = b"text in the head"
                return
            self.pop()
        self.body_row = self.open(tags.TAG_BODY)
        self.mode = IN_BODY

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read_comment(self, kind: cython.int) -> cython.int:
        """Read a comment, or what is taken for one."""
        if (
            kind == TOKEN_BOGUS
            and self.tokens.source[self.tokens.start + 1] == SLASH
            and self.tokens.first == self.tokens.last
        ):
            self.is_mended = True  # `</>` means nothing
            if not self.tokens.closed:
                self.why = b"a tag that does not end"
        elif kind == TOKEN_BOGUS and self.foreign[self.here] != 0:
            self.why = b"character data in svg"
        elif not self.tokens.closed:
            self.why = b"a comment that does not end"
        elif self.mode == AFTER_BODY or self.mode == AFTER_HTML:
            self.keep_comment()
        else:
            self.add(tags.COMMENT)
            self.tokens.put(self.text, self.tokens.first, self.tokens.last)
        return 0

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read_doctype(self) -> cython.int:
        """Read a doctype: only the first counts, and only at the very start."""
        first: cython.Py_ssize_t = self.tokens.after_blanks(self.tokens.first + 7, self.tokens.last)
        last: cython.Py_ssize_t = first
        while last < self.tokens.last and self.tokens.after_blanks(last, last + 1) == last:
            last += 1
        if last == first:
            self.why = b"a doctype without a name"
        elif self.mode == BEFORE_HTML and not self.doctype:
            self.put_doctype(first, last)
        self.doctype = True
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def put_doctype(self, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.int:
        """Write a doctype by its name; what else it says tells of quirks."""
        k: cython.Py_ssize_t
        row: cython.int = self.add(tags.DOCTYPE)
        self.text.write(b"DOCTYPE ", 8)
        name: cython.p_uchar = self.text.data + self.text.end
        if last - first > _MAX_DOCTYPE_LENGTH:
            self.why = b"a strange doctype"
            return 0
        self.tokens.put(self.text, first, last)
        for k in range(last - first):
            if name[k] >= 0x80:
                self.why = b"a strange doctype"
            if UPPER_A <= name[k] <= UPPER_Z:
                name[k] += 32
        is_html: cython.bint = last - first == 4 and memcmp(name, cython.cast(cython.p_const_char, b"html"), 4) == 0
        self.quirks = QUIRKS_UNSURE
        if is_html and self.tokens.after_blanks(last, self.tokens.last) == self.tokens.last:
            self.quirks = QUIRKS_NONE
        elif is_html:
            with cython.gil:
                if _NO_QUIRKS.fullmatch(self.tokens.source[last : self.tokens.last]):
                    self.quirks = QUIRKS_NONE
        return row

    # End tags

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read_end_tag(self) -> cython.int:
        """Read an end tag, and close what it closes."""
        number: cython.int = self.tag_number(self.foreign[self.here] != 0, False)
        if self.tokens.in_tag:
            self.tokens.skip_attributes(-1)
        if not self.tokens.closed:
            self.why = b"a tag that does not end"
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_foreign(self, number: cython.int) -> cython.void:
        """End the nearest element of a name in svg, with all that is open inside."""
        row: cython.int = self.here
        while self.tag[row] != number and self.foreign[row] != 0:
            row = self.parent[row]
        if self.foreign[row] == 0:
            self.why = b"an end tag inside svg"
            return
        while self.here != row:
            self.is_mended = True
            self.close()
        self.close()

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_tag_in_head(self, number: cython.int) -> cython.void:
        """Apply the "in head" insertion mode, and those before and after it."""
        if (
            _rules_of(number) & tags.UNSURE
            or number == tags.TAG_BR
            or number == tags.TAG_TEMPLATE
            or (number == tags.TAG_HEAD and self.mode < IN_HEAD)
        ):
            self.why = b"an end tag in the head"
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_of_body(self, number: cython.int) -> cython.void:
        """Read the end tag of body or html: nothing closes, but what follows goes elsewhere."""
        if self.mode < IN_BODY or self.tag[self.here] == tags.TAG_COLGROUP:
            self.why = b"a page that ends in its head"
        elif self.mode == IN_BODY:
            if self.open_templates > 0:
                self.why = b"a page that ends inside something"
                return
            if self.table_context() >= 0:
                return
            if self.in_scope(tags.TAG_BODY) < 0 or self.in_scope(tags.TAG_SELECT) >= 0:
                self.why = b"a page that ends inside something"
        self.mode = AFTER_BODY if number == tags.TAG_BODY else AFTER_HTML

    # Start tags

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read_start_tag(self) -> cython.int:
        """Read a start tag, and the content of its element where that is text."""
        foreign: cython.bint = self.foreign[self.here] != 0
        number: cython.int = self.tag_number(foreign, True)
        verdict: cython.int = self.place(number, foreign)
        if self.why != cython.NULL:
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
        if self.why != cython.NULL:
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
            if self.open_formatting > 3 and _rules_of(number) & tags.FORMATTING:
                self.note_fourth(row)
            self.read_content(number)
        if self.head_again > 0 and self.why == cython.NULL:
            self.close_head_again()
        return 0

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def insert(self, number: cython.int, foreign: cython.bint) -> cython.int:
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def place(self, number: cython.int, foreign: cython.bint) -> cython.int:
        """Make way for a start tag by the insertion modes; return INSERT, IGNORE or MERGE."""
        verdict: cython.int = REPROCESS
        if foreign and (number == tags.TAG_HTML or number == tags.TAG_HEAD or number == tags.TAG_BODY):
            self.why = b"html in svg"
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def before_html(self, number: cython.int) -> cython.int:
        """Apply the "before html" insertion mode."""
        self.mode = BEFORE_HEAD
        if number == tags.TAG_HTML:
            return INSERT
        self.html_row = self.open(tags.TAG_HTML)
        return REPROCESS

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def before_head(self, number: cython.int) -> cython.int:
        """Apply the "before head" insertion mode."""
        self.mode = IN_HEAD
        if number == tags.TAG_HEAD:
            return INSERT
        self.head_row = self.open(tags.TAG_HEAD)
        return REPROCESS

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def in_head(self, number: cython.int) -> cython.int:
        """Apply the "in head" insertion mode: the head ends at what does not belong there."""
        if self.tag[self.here] == tags.TAG_NOSCRIPT:
            if number == tags.TAG_NOSCRIPT:
                self.why = b"noscript twice"
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
            self.why = b"an element only the parser is sure of"
        if _rules_of(number) & tags.HEAD or number == tags.TAG_NOSCRIPT:
            return INSERT
        self.pop()
        self.mode = AFTER_HEAD
        return REPROCESS

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def after_head(self, number: cython.int) -> cython.int:
        """Apply the "after head" insertion mode."""
        if _rules_of(number) & tags.UNSURE or number == tags.TAG_TEMPLATE:
            self.why = b"an element between head and body"
        elif _rules_of(number) & tags.HEAD:
            return self.reopen_head()
        self.mode = IN_BODY
        if number == tags.TAG_BODY:
            return INSERT
        self.body_row = self.open(tags.TAG_BODY)
        return REPROCESS

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def reopen_head(self) -> cython.int:
        """Let an element after the head be the last one in it."""
        if self.head_row == 0:
            self.why = b"an element between head and body"
            return IGNORE
        self.here = self.head_row
        self.behind_head = self.end[self.head_row]
        self.head_again = self.count
        return INSERT

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def close_head_again(self) -> cython.int:
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
            self.why = b"an element between head and body"
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def in_foreign_content(self, number: cython.int) -> cython.int:
        """Apply the rules for foreign content."""
        tag: cython.int = self.tag[self.here]
        if _rules_of(number) & tags.BREAKS_OUT or tag == tags.TAG_TITLE or tag == tags.TAG_DESC:
            self.why = b"html in svg"
        return INSERT

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def merge_into(self, row: cython.int) -> cython.int:
        """Let the html or body that is open already have the attributes of a start tag."""
        if self.open_templates > 0:
            self.why = b"html or body in a template"
        self.again = row
        return MERGE

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read_attributes(self, row: cython.int, foreign: cython.bint) -> cython.int:
        """Read the attributes of a tag, the first of each name."""
        first: cython.int = self.attributes
        left: cython.int = self.limits.attribute_limit
        while self.tokens.in_tag and self.tokens.next_attribute():
            if left == 0:
                self.limits.leaves_out = True
            left -= 1
            number: cython.int = self.attribute_number(foreign)
            if self.has_attribute(row, first, number):
                continue
            if self.attributes - first >= MAX_ATTRIBUTES:
                self.why = b"too many attributes"
                return 0
            self.add_attribute(number, self.tokens.value_end - self.tokens.value)
            if not self.tokens.put_resolved(self.values, self.tokens.value, self.tokens.value_end, True):
                self.why = LONG_REFERENCE
                return 0
        if not self.tokens.closed:
            self.why = b"a tag that does not end"
        return 0

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def is_hidden(self, first: cython.int) -> cython.bint:
        """Whether the attributes from `first` on say that an input is hidden."""
        k: cython.int
        for k in range(first, self.attributes):
            if self.attribute_name[k] == tags.ATTR_TYPE:
                stop: cython.Py_ssize_t = self.value_at[k + 1] if k + 1 < self.attributes else self.values.end
                return is_word(self.values.data, self.value_at[k], stop, b"hidden")
        return False

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_attribute(self, row: cython.int, first: cython.int, name: cython.int) -> cython.bint:
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

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def give_attributes(self, row: cython.int, first: cython.int, first_value: cython.int) -> cython.int:
        """Give the attributes from `first` on, which were just read, to an earlier row."""
        k: cython.int
        added: cython.int = self.attributes - first
        if row == self.count - 1:
            self.why = b"html or body twice in a row"
        if added == 0 or self.why != cython.NULL:
            return 0
        self.merges += 1
        if self.merges > 8:  # each costs as much as the page is long
            self.why = b"html or body many times"
            return 0
        self.move_attributes(self.attribute_at[row + 1], first, first_value)
        for k in range(row + 1, self.count):
            self.attribute_at[k] += added
        return 0

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read_content(self, number: cython.int) -> cython.int:
        """Read the content of the element that was just opened, where that is text, and close it."""
        if (
            number == tags.TAG_PRE or number == tags.TAG_LISTING or number == tags.TAG_TEXTAREA
        ) and self.may_begin_line():
            self.why = b"a reference right after a tag that takes no line feed"
        if not self.tokens.holds_text():
            if (number == tags.TAG_PRE or number == tags.TAG_LISTING) and self.tokens.at < self.tokens.stop:
                self.tokens.at += self.tokens.source[self.tokens.at] == LINE_FEED  # right after the tag it is no text
            return 0
        if not self.tokens.raw_text():
            if self.tokens.at >= self.tokens.stop:
                self.why = b"a text that does not end"
                return 0
            with cython.gil:
                self.unclosed.append(number)
        if number == tags.TAG_TEXTAREA:
            self.tokens.first += self.tokens.source[self.tokens.first] == LINE_FEED
        if self.tokens.last > self.tokens.first:
            self.add(tags.TEXT)
            if not _rules_of(number) & tags.ESCAPABLE:
                self.tokens.put(self.text, self.tokens.first, self.tokens.last)
            elif not self.tokens.put_resolved(self.text, self.tokens.first, self.tokens.last, False):
                self.why = LONG_REFERENCE
        self.pop()
        return 0

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def may_begin_line(self) -> cython.bint:
        """Whether a character reference comes next that may be a line feed: `&#10;`, `&#xA;`, `&NewLine;`."""
        if self.tokens.at + 2 >= self.tokens.stop or self.tokens.source[self.tokens.at] != AMPERSAND:
            return False
        first: cython.int = self.tokens.source[self.tokens.at + 1]
        second: cython.int = self.tokens.source[self.tokens.at + 2]
        if first == HASH:
            return second <= DIGIT_0 + 1 or second > DIGIT_9  # neither &#60; nor &#8217;, which are common
        return first == UPPER_A + 13

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def end_of_file(self) -> cython.int:
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
        if self.has_comments_after:
            with cython.gil:
                self.put_comments(self.below_html)
                self.put_comments(self.below_document)
        return 0

    @cython.cfunc
    @cython.with_gil
    @cython.exceptval(-1, check=False)
    def keep_comment(self) -> cython.int:
        """List a comment that stands after the body, or after html."""
        self.has_comments_after = True
        after: list = self.below_html if self.mode == AFTER_BODY else self.below_document
        after.append((self.tokens.first, self.tokens.last))
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_comments(self, comments: list) -> cython.int:
        """Write comments to the end of the open element, and close it."""
        for first, last in comments:
            self.reserve()
            self.add(tags.COMMENT)
            self.tokens.put(self.text, first, last)
        self.close()
        return 0


_IDLE: list[SourceReader] = []  # readers with their memory, for the next page: one for each thread


def from_source(html: bytes) -> PageView | str:
    """Return the node table of a page as it was written, or why only the parser can be sure of it.

    `unclosed` has the names of the elements of text that ended at the next tag, for want of an end tag.
    """
    reader: SourceReader = _IDLE.pop() if _IDLE else SourceReader()
    reader.begin(html, False)
    reader.begin_source()
    with cython.nogil:
        if memchr(reader.tokens.source, 0, reader.tokens.stop) != cython.NULL:
            reader.why = b"a NUL byte"
        else:
            reader.read()
        if reader.why == cython.NULL:
            reader.finish()
    page = reader.page()
    reader.tokens.begin(b"")
    if len(html) <= _MAX_IDLE:
        _IDLE.append(reader)
    return page


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


@cython.final
@cython.cclass
class _Limits:
    """Counts the elements that are open, and lists the edits that keep a parser out of trouble."""

    tokens: Tokenizer
    kinds: cython.int[::1]  # by element
    opened: cython.int[::1]  # how many of each element are open
    cut: cython.int[::1]  # how many start tags of each were left out
    last: cython.int  # the highest number of an element that was counted
    depth: cython.int
    formatting: cython.int
    roots: cython.int
    options: cython.int
    depth_limit: cython.int
    formatting_limit: cython.int
    attribute_limit: cython.int
    option_limit: cython.int
    option: cython.int  # the number of the element
    leaves_out: cython.bint  # whether something is left out
    edits: list  # where each begins and ends in the source, and the bytes that go there

    def __init__(self, html: bytes, depth: int, formatting: int, attributes: int, options: int):
        self.tokens = Tokenizer(html)
        self.kinds = _KINDS
        self.opened, self.cut = zeros("i", len(_KINDS)), zeros("i", len(_KINDS))
        self.last = 0
        self.depth_limit, self.formatting_limit, self.attribute_limit = depth, formatting, attributes
        self.option, self.option_limit = element_number(b"option"), options
        self.edits = []

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def begin(self) -> cython.void:
        """Begin a page."""
        size: cython.size_t = (self.last + 1) * cython.sizeof(cython.int)
        memset(cython.address(self.opened[0]), 0, size)
        memset(cython.address(self.cut[0]), 0, size)
        self.last = 0
        self.depth = self.formatting = self.roots = self.options = 0
        self.leaves_out = False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read(self) -> cython.int:
        """Find the edits of the whole source."""
        self.begin()
        kind: cython.int = self.tokens.next()
        while kind != TOKEN_NONE:
            if kind == TOKEN_START or kind == TOKEN_END:
                self.read_tag(kind)
                if kind == TOKEN_START and self.tokens.holds_text() and not self.tokens.raw_text():
                    self.give_end_tag()
            kind = self.tokens.next()
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read_tag(self, kind: cython.int) -> cython.int:
        """Read a tag to its end, and leave it out, or its attributes beyond the limit."""
        excess: cython.Py_ssize_t = self.tokens.skip_attributes(self.attribute_limit)
        number: cython.int = self.tokens.tag
        if self.count_end(number) if kind == TOKEN_END else self.count_start(number, self.tokens.self_closing):
            self.leave_out(self.tokens.start, self.tokens.at)
        elif excess >= 0:
            self.leave_out(excess, self.tokens.at - self.tokens.closed)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def leave_out(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """List a span that the parser must not see."""
        with cython.gil:
            self.edits.append((start, stop, b""))
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def give_end_tag(self) -> cython.int:
        """Give an element of text that is never closed its end tag. In svg and math it is one as any other."""
        if self.tokens.at < self.tokens.stop and self.opened[tags.TAG_SVG] + self.opened[tags.TAG_MATH] == 0:
            with cython.gil:
                self.edits.append((self.tokens.at, self.tokens.at, b"</%b>" % TAGS[self.tokens.tag].encode()))
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_start(self, number: cython.int, closes: cython.bint) -> cython.bint:
        """Count a start tag, which may close itself; return whether it is to be left out."""
        kind: cython.int = self.kinds[number]
        if kind == ROOT:
            self.roots += 1
            self.leaves_out = self.leaves_out or self.roots > MAX_ROOTS
            return self.roots > MAX_ROOTS
        if number == self.option:
            self.options += 1
            self.leaves_out = self.leaves_out or self.options > self.option_limit
            return self.options > self.option_limit
        if kind == FLAT or (kind == SHAPE and closes):
            return False
        self.last = max(self.last, number)
        if self.depth >= self.depth_limit or (kind == FORMATTED and self.formatting >= self.formatting_limit):
            self.cut[number] += 1
            self.leaves_out = True
            return True
        self.opened[number] += 1
        self.depth += 1
        self.formatting += kind == FORMATTED
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_end(self, number: cython.int) -> cython.bint:
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
    limits: _Limits = _Limits(html, depth_limit, formatting_limit, attribute_limit, option_limit)
    limits.read()
    return limits.edits
