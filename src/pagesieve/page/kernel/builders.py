# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""The two builders of the node table that read static HTML.

`from_source` reads a page as it was written, by the rules of the HTML standard, as long as it is sure: it gives up
(returns None) where the standard repairs a page in ways that move nodes about. Most pages are clean enough, and then
nothing is faster. `from_serialised` reads what the parser (lexbor) has repaired and written out again: every tag
written out, every value in double quotes, four entities.
"""

from __future__ import annotations

from array import array
from html.entities import html5

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import cython_shim as cython

if cython.compiled:
    from cython.cimports.libc.string import memchr, memcmp, memcpy

from pagesieve.page.kernel.tags import ATTRIBUTES, SVG_ATTRIBUTES, SVG_TAGS, TAG_FLAGS, TAG_ID, TAGS, TREE_RULES

VOID = cython.declare(cython.int, 1)
RAW = cython.declare(cython.int, 2)
FOREIGN = cython.declare(cython.int, 64)
HTML_INSIDE = cython.declare(cython.int, 128)

TEXT = cython.declare(cython.int, 1)
COMMENT = cython.declare(cython.int, 2)
DOCTYPE = cython.declare(cython.int, 3)

SLOTS = 2048
SLOT_MASK = cython.declare(cython.uint, 2047)
OTHERS = 256
OTHER_MASK = cython.declare(cython.uint, 255)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _mix(h: cython.uint, c: cython.uint) -> cython.uint:
    if cython.compiled:
        return (h ^ c) * 16777619
    else:
        return ((h ^ c) * 16777619) & 0xFFFFFFFF


def _name_hash(name: bytes) -> int:
    h: cython.uint = 2166136261
    for byte in name:
        h = _mix(h, byte)
    return int(h)


def _table(names: tuple[str, ...]) -> tuple[array[int], array[int], bytes]:
    """An open-addressing table of the known names: slots, where each name starts, the names in a row."""
    slots = array("i", [-1] * SLOTS)
    starts = array("i", [0])
    total = 0
    for number, name in enumerate(names):
        encoded = name.encode()
        slot = _name_hash(encoded) % SLOTS
        while slots[slot] >= 0:
            slot = (slot + 1) % SLOTS
        slots[slot] = number
        total += len(encoded)
        starts.append(total)
    return slots, starts, "".join(names).encode()


_TAG_TABLE = _table(TAGS)
_ATTRIBUTE_TABLE = _table(ATTRIBUTES)
_KNOWN_TAGS = {name.encode(): number for number, name in enumerate(TAGS)}
_KNOWN_ATTRIBUTES = {name.encode(): number for number, name in enumerate(ATTRIBUTES)}


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _find(
    source: cython.const[cython.uchar][::1],
    byte: cython.int,
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Where the byte stands next, or `stop`."""
    if start >= stop:
        return stop
    if cython.compiled:
        first: cython.p_uchar = cython.cast(cython.p_uchar, cython.address(source[0]))
        hit: cython.p_uchar = cython.cast(cython.p_uchar, memchr(first + start, byte, stop - start))
        return stop if hit == cython.NULL else hit - first
    else:
        at: cython.Py_ssize_t = source.find(byte, start, stop)
        return stop if at < 0 else at


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _copy(
    target: cython.uchar[::1],
    at: cython.Py_ssize_t,
    source: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Copies a span; returns where the next one goes."""
    if stop > start:
        if cython.compiled:
            memcpy(cython.address(target[at]), cython.address(source[start]), stop - start)
        else:
            target[at : at + stop - start] = source[start:stop]
        return at + stop - start
    return at


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _known(
    source: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    h: cython.uint,
    slots: cython.int[::1],
    starts: cython.int[::1],
    names: cython.const[cython.uchar][::1],
) -> cython.int:
    """The number of a known name, or -1."""
    slot: cython.uint = h & SLOT_MASK
    while slots[slot] >= 0:
        number: cython.int = slots[slot]
        first: cython.int = starts[number]
        if starts[number + 1] - first == stop - start:
            if cython.compiled:
                if memcmp(cython.address(names[first]), cython.address(source[start]), stop - start) == 0:
                    return number
            else:
                if names[first : starts[number + 1]] == source[start:stop]:
                    return number
        slot = (slot + 1) & SLOT_MASK
    return -1


class Columns:
    """What a builder hands back: the columns of a page and its two buffers, as plain arrays and bytes."""

    __slots__ = (
        "attribute_at",
        "attribute_name",
        "depth",
        "end",
        "more_attributes",
        "more_tags",
        "parent",
        "tag",
        "text",
        "text_at",
        "value_at",
        "values",
    )


def _ints(count: int) -> array[int]:
    return array("i", bytes(4 * count))


@cython.cclass
class _Rows:
    """The columns while they grow, and the element that is open."""

    tag: cython.int[::1]
    parent: cython.int[::1]
    end: cython.int[::1]
    depth: cython.int[::1]
    text_at: cython.int[::1]
    attribute_at: cython.int[::1]
    foreign: cython.int[::1]
    attribute_name: cython.int[::1]
    value_at: cython.int[::1]
    text: cython.uchar[::1]
    values: cython.uchar[::1]
    arrays: list
    buffers: list
    room: cython.int
    pairs: cython.int
    count: cython.int
    attributes: cython.int
    here: cython.int
    text_end: cython.Py_ssize_t
    value_end: cython.Py_ssize_t

    def __init__(self, size: cython.Py_ssize_t):
        self.room = size // 40 + 64
        self.pairs = size // 60 + 64
        self.arrays = [_ints(self.room) for _ in range(7)] + [_ints(self.pairs) for _ in range(2)]
        # An entity may come to one byte more than it was written with, never to more than twice as many.
        self.buffers = [bytearray(size + 64), bytearray(size + 64)]
        self.look_again()
        self.count = 0
        self.attributes = 0
        self.here = 0
        self.text_end = 0
        self.value_end = 0
        self.add(0)
        self.parent[0] = -1
        self.depth[0] = 0

    @cython.cfunc
    def look_again(self) -> cython.void:
        """The views of the arrays, after they were made or have grown."""
        self.tag, self.parent, self.end, self.depth, self.text_at, self.attribute_at, self.foreign = self.arrays[:7]
        self.attribute_name, self.value_at = self.arrays[7:]
        self.text, self.values = self.buffers

    @cython.cfunc
    def grow(self) -> cython.void:
        self.arrays = [*(old + _ints(self.room) for old in self.arrays[:7]), *self.arrays[7:]]
        self.room += self.room
        self.look_again()

    @cython.cfunc
    def grow_attributes(self) -> cython.void:
        self.arrays = [*self.arrays[:7], *(old + _ints(self.pairs) for old in self.arrays[7:])]
        self.pairs += self.pairs
        self.look_again()

    @cython.cfunc
    @cython.inline
    def add(self, tag: cython.int) -> cython.int:
        """A new row below the open element; it ends where it begins until it is closed."""
        row: cython.int = self.count
        if row + 2 > self.room:
            self.grow()
        self.tag[row] = tag
        self.parent[row] = self.here
        self.depth[row] = self.depth[self.here] + 1
        self.end[row] = row + 1
        self.text_at[row] = cython.cast(cython.int, self.text_end)
        self.attribute_at[row] = self.attributes
        self.foreign[row] = 0
        self.count = row + 1
        return row

    @cython.cfunc
    @cython.inline
    def add_attribute(self, name: cython.int) -> cython.void:
        """A new attribute of the last row; its value is what is put into the buffer from now on."""
        if self.attributes + 2 > self.pairs:
            self.grow_attributes()
        self.attribute_name[self.attributes] = name
        self.value_at[self.attributes] = cython.cast(cython.int, self.value_end)
        self.attributes += 1

    @cython.cfunc
    @cython.inline
    def close(self) -> cython.void:
        """Closes the open element."""
        self.end[self.here] = self.count
        if self.here > 0:
            self.here = self.parent[self.here]

    def columns(self, more_tags: dict[bytes, int], more_attributes: dict[bytes, int]) -> Columns:
        """The finished columns; whatever is still open ends here."""
        while self.here > 0:
            self.close()
        rows: cython.int = self.count
        self.end[0] = rows
        self.text_at[rows] = cython.cast(cython.int, self.text_end)
        self.attribute_at[rows] = self.attributes
        self.value_at[self.attributes] = cython.cast(cython.int, self.value_end)
        done = Columns()
        tag, parent, end, depth, text_at, attribute_at, _, attribute_name, value_at = self.arrays
        done.tag, done.parent, done.end, done.depth = tag[:rows], parent[:rows], end[:rows], depth[:rows]
        done.text_at, done.attribute_at = text_at[: rows + 1], attribute_at[: rows + 1]
        done.attribute_name, done.value_at = attribute_name[: self.attributes], value_at[: self.attributes + 1]
        done.text = bytes(memoryview(self.buffers[0])[: self.text_end])
        done.values = bytes(memoryview(self.buffers[1])[: self.value_end])
        done.more_tags = tuple(name.decode("utf-8", "replace") for name in more_tags)
        done.more_attributes = tuple(name.decode("utf-8", "replace") for name in more_attributes)
        return done


# Whether bytes need to be decoded at all


def is_utf8(data: bytes) -> bool:
    """Whether bytes are UTF-8 as they are: no text is made of them to find out."""
    source: cython.const[cython.uchar][::1] = data
    stop: cython.Py_ssize_t = len(data)
    at: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t
    byte: cython.int
    second: cython.int
    size: cython.int
    together: cython.uchar
    if not cython.compiled:
        return _is_decoded(data)
    while at < stop:
        byte = source[at]
        if byte < 0x80:
            # Many bytes at once: a number that the C compiler sees, so that it can do as the processor likes best.
            if at + 128 > stop:
                at += 1
                continue
            together = 0
            for k in range(128):
                together |= source[at + k]
            if together < 0x80:
                at += 128
            else:
                while source[at] < 0x80:
                    at += 1
            continue
        size = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
        if byte < 0xC2 or byte > 0xF4 or at + size > stop:
            return False
        second = source[at + 1]
        # What could be written shorter, halves of surrogate pairs, and what is beyond Unicode.
        if (
            (byte == 0xE0 and second < 0xA0)
            or (byte == 0xED and second > 0x9F)
            or (byte == 0xF0 and second < 0x90)
            or (byte == 0xF4 and second > 0x8F)
        ):
            return False
        for k in range(at + 1, at + size):
            if source[k] & 0xC0 != 0x80:
                return False
        at += size
    return True


def _is_decoded(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


# Reading what the parser wrote


@cython.cfunc
@cython.exceptval(check=False)
def _unescape(
    target: cython.uchar[::1],
    at: cython.Py_ssize_t,
    source: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Copies a span with its entities resolved: the five that the parser writes, and no others."""
    i: cython.Py_ssize_t = start
    while True:
        amp: cython.Py_ssize_t = _find(source, 38, i, stop)
        at = _copy(target, at, source, i, amp)
        if amp >= stop:
            return at
        c: cython.int = source[amp + 1] if amp + 3 < stop else 0
        if c == 97:  # &amp;
            target[at] = 38
            i = amp + 5
        elif c == 108:  # &lt;
            target[at] = 60
            i = amp + 4
        elif c == 103:  # &gt;
            target[at] = 62
            i = amp + 4
        elif c == 113:  # &quot;
            target[at] = 34
            i = amp + 6
        elif c == 110:  # &nbsp;
            target[at] = 0xC2
            at += 1
            target[at] = 0xA0
            i = amp + 6
        else:
            target[at] = 38
            i = amp + 1
        at += 1


@cython.cfunc
@cython.exceptval(check=False)
def _names(
    source: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    word: cython.const[cython.uchar][::1],
) -> cython.bint:
    """Whether a word (in lower case) stands at a place, letter case aside, as the whole of a tag's name."""
    length: cython.Py_ssize_t = len(word)
    if at + length >= stop:
        return False
    i: cython.Py_ssize_t
    c: cython.int
    for i in range(length):
        c = source[at + i]
        if 65 <= c <= 90:
            c += 32
        if c != word[i]:
            return False
    c = source[at + length]
    return c == 62 or c == 47 or c == 32 or c == 9 or c == 10 or c == 12 or c == 13


@cython.cfunc
@cython.exceptval(check=False)
def _script_end(
    source: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    script: cython.const[cython.uchar][::1],
) -> cython.Py_ssize_t:
    """Where a script's end tag stands: not one inside a comment that opened a script of its own."""
    i: cython.Py_ssize_t = start
    escaped: cython.bint = False
    double: cython.bint = False
    while True:
        mark: cython.Py_ssize_t = _find(source, 60, i, stop)
        if escaped:
            dash: cython.Py_ssize_t = _find(source, 62, i, mark)
            while dash < mark:
                if dash - 2 >= start and source[dash - 1] == 45 and source[dash - 2] == 45:
                    escaped = False
                    double = False
                    break
                dash = _find(source, 62, dash + 1, mark)
        if mark + 1 >= stop:
            return stop
        i = mark + 1
        if source[i] == 47:
            if _names(source, i + 1, stop, script):
                if not double:
                    return mark
                double = False
        elif source[i] == 33 and i + 2 < stop and source[i + 1] == 45 and source[i + 2] == 45:
            # Two dashes may open and close at once, as in `<!-->`, so they are looked at again.
            escaped = True
            i += 1
        elif escaped and not double and _names(source, i, stop, script):
            double = True


@cython.cfunc
@cython.exceptval(check=False)
def _raw_end(
    source: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    name: cython.const[cython.uchar][::1],
) -> cython.Py_ssize_t:
    """Where the end tag of a text-only element stands."""
    i: cython.Py_ssize_t = start
    while True:
        i = _find(source, 60, i, stop)
        if i + 2 >= stop:
            return stop
        if source[i + 1] == 47 and _names(source, i + 2, stop, name):
            return i
        i += 1


@cython.cfunc
@cython.exceptval(check=False)
def _comment_end(
    source: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Where the `-->` of a comment stands whose text begins at `start`."""
    i: cython.Py_ssize_t = start + 2
    while True:
        i = _find(source, 62, i, stop)
        if i >= stop:
            return stop
        if source[i - 1] == 45 and source[i - 2] == 45:
            return i - 2
        i += 1


def from_serialised(html: bytes) -> Columns:
    """The node table of a page that the parser has written out as UTF-8."""
    source: cython.const[cython.uchar][::1] = html
    stop: cython.Py_ssize_t = len(html)
    rows: _Rows = _Rows(stop)
    more_tags: dict[bytes, int] = {}
    more_attributes: dict[bytes, int] = {}
    tag_slots: cython.int[::1] = _TAG_TABLE[0]
    tag_starts: cython.int[::1] = _TAG_TABLE[1]
    tag_names: cython.const[cython.uchar][::1] = _TAG_TABLE[2]
    attribute_slots: cython.int[::1] = _ATTRIBUTE_TABLE[0]
    attribute_starts: cython.int[::1] = _ATTRIBUTE_TABLE[1]
    attribute_names: cython.const[cython.uchar][::1] = _ATTRIBUTE_TABLE[2]
    sorts: cython.int[::1] = TAG_FLAGS
    script: cython.const[cython.uchar][::1] = b"script"
    known_tags: cython.int = len(TAGS)
    known_attributes: cython.int = len(ATTRIBUTES)
    script_tag: cython.int = TAG_ID["script"]
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t
    c: cython.int
    h: cython.uint
    number: cython.int
    sort: cython.int
    row: cython.int
    foreign: cython.bint

    while i < stop:
        j = _find(source, 60, i, stop)
        if j > i:
            rows.add(TEXT)
            rows.text_end = _unescape(rows.text, rows.text_end, source, i, j)
        if j + 1 >= stop:
            break
        c = source[j + 1]
        if c == 47:
            rows.close()
            i = _find(source, 62, j, stop) + 1
            continue
        if c == 33 or c == 63:
            if c == 63:
                rows.add(COMMENT)
                i = j + 1
                j = _find(source, 62, i, stop)
                rows.text_end = _copy(rows.text, rows.text_end, source, i, j)
                i = j + 1
            elif source[j + 2] == 45:
                rows.add(COMMENT)
                i = j + 4
                j = _comment_end(source, i, stop)
                rows.text_end = _copy(rows.text, rows.text_end, source, i, j)
                i = j + 3
            else:
                rows.add(DOCTYPE)
                i = j + 2
                j = _find(source, 62, i, stop)
                rows.text_end = _copy(rows.text, rows.text_end, source, i, j)
                i = j + 1
            continue

        i = j + 1
        j = i
        h = 2166136261
        while j < stop and source[j] != 32 and source[j] != 62:
            h = _mix(h, source[j])
            j += 1
        number = _known(source, i, j, h, tag_slots, tag_starts, tag_names)
        if number < 0:
            number = more_tags.setdefault(html[i:j], known_tags + len(more_tags))
        sort = sorts[number] if number < known_tags else 0
        row = rows.add(number)
        name: cython.Py_ssize_t = i
        name_end: cython.Py_ssize_t = j

        while j < stop and source[j] == 32:
            i = j + 1
            j = i
            h = 2166136261
            # A name may begin with `=`, so its first byte is taken whatever it is.
            while j < stop and (source[j] != 61 or j == i):
                h = _mix(h, source[j])
                j += 1
            number = _known(source, i, j, h, attribute_slots, attribute_starts, attribute_names)
            if number < 0:
                number = more_attributes.setdefault(html[i:j], known_attributes + len(more_attributes))
            rows.add_attribute(number)
            i = j + 2
            j = _find(source, 34, i, stop)
            rows.value_end = _unescape(rows.values, rows.value_end, source, i, j)
            j += 1
        i = j + 1

        # Inside svg and math nothing is void and nothing is raw, until HTML begins again.
        foreign = sort & FOREIGN != 0
        if not foreign and rows.foreign[rows.here] != 0:
            number = rows.tag[rows.here]
            foreign = number >= known_tags or sorts[number] & HTML_INSIDE == 0
        rows.foreign[row] = foreign
        if not foreign and sort & VOID:
            continue
        rows.here = row
        if not foreign and sort & RAW:
            if rows.tag[row] == script_tag:
                j = _script_end(source, i, stop, script)
            else:
                j = _raw_end(source, i, stop, html[name:name_end])
            if j > i:
                rows.add(TEXT)
                rows.text_end = _copy(rows.text, rows.text_end, source, i, j)
            i = j

    return rows.columns(more_tags, more_attributes)


# Reading a page as it was written

SPECIAL = cython.declare(cython.int, 1)
CLOSES_P = cython.declare(cython.int, 2)
FORMATTING = cython.declare(cython.int, 4)
SCOPE = cython.declare(cython.int, 8)
IMPLIED = cython.declare(cython.int, 16)
HEADING = cython.declare(cython.int, 32)
HEAD = cython.declare(cython.int, 64)
TABLE_PART = cython.declare(cython.int, 128)
UNSURE = cython.declare(cython.int, 256)
BREAKS_OUT = cython.declare(cython.int, 512)
CONTAINER = cython.declare(cython.int, 1024)
MARKER = cython.declare(cython.int, 2048)
ESCAPABLE = cython.declare(cython.int, 4096)

# The stages of a page, as the standard has them.
BEFORE_HTML = cython.declare(cython.int, 0)
BEFORE_HEAD = cython.declare(cython.int, 1)
IN_HEAD = cython.declare(cython.int, 2)
AFTER_HEAD = cython.declare(cython.int, 3)
IN_BODY = cython.declare(cython.int, 4)
AFTER_BODY = cython.declare(cython.int, 5)
AFTER_HTML = cython.declare(cython.int, 6)

DEEPEST = cython.declare(cython.int, 500)
MOST_ATTRIBUTES = cython.declare(cython.int, 500)

HTML = cython.declare(cython.int, TAG_ID["html"])
HEAD_TAG = cython.declare(cython.int, TAG_ID["head"])
BODY = cython.declare(cython.int, TAG_ID["body"])
P = cython.declare(cython.int, TAG_ID["p"])
LI = cython.declare(cython.int, TAG_ID["li"])
DD = cython.declare(cython.int, TAG_ID["dd"])
DT = cython.declare(cython.int, TAG_ID["dt"])
UL = cython.declare(cython.int, TAG_ID["ul"])
OL = cython.declare(cython.int, TAG_ID["ol"])
DIV = cython.declare(cython.int, TAG_ID["div"])
ADDRESS = cython.declare(cython.int, TAG_ID["address"])
A = cython.declare(cython.int, TAG_ID["a"])
NOBR = cython.declare(cython.int, TAG_ID["nobr"])
BUTTON = cython.declare(cython.int, TAG_ID["button"])
FORM = cython.declare(cython.int, TAG_ID["form"])
TABLE = cython.declare(cython.int, TAG_ID["table"])
TBODY = cython.declare(cython.int, TAG_ID["tbody"])
THEAD = cython.declare(cython.int, TAG_ID["thead"])
TFOOT = cython.declare(cython.int, TAG_ID["tfoot"])
TR = cython.declare(cython.int, TAG_ID["tr"])
TD = cython.declare(cython.int, TAG_ID["td"])
TH = cython.declare(cython.int, TAG_ID["th"])
CAPTION = cython.declare(cython.int, TAG_ID["caption"])
COL = cython.declare(cython.int, TAG_ID["col"])
COLGROUP = cython.declare(cython.int, TAG_ID["colgroup"])
SELECT = cython.declare(cython.int, TAG_ID["select"])
OPTION = cython.declare(cython.int, TAG_ID["option"])
OPTGROUP = cython.declare(cython.int, TAG_ID["optgroup"])
SCRIPT = cython.declare(cython.int, TAG_ID["script"])
STYLE = cython.declare(cython.int, TAG_ID["style"])
NOSCRIPT = cython.declare(cython.int, TAG_ID["noscript"])
NOFRAMES = cython.declare(cython.int, TAG_ID["noframes"])
LINK = cython.declare(cython.int, TAG_ID["link"])
META = cython.declare(cython.int, TAG_ID["meta"])
PRE = cython.declare(cython.int, TAG_ID["pre"])
LISTING = cython.declare(cython.int, TAG_ID["listing"])
TEXTAREA = cython.declare(cython.int, TAG_ID["textarea"])
TITLE = cython.declare(cython.int, TAG_ID["title"])
TEMPLATE = cython.declare(cython.int, TAG_ID["template"])
DESC = cython.declare(cython.int, TAG_ID["desc"])
BR = cython.declare(cython.int, TAG_ID["br"])

_LEGACY = {name.encode(): text.encode() for name, text in html5.items() if not name.endswith(";")}
_NAMED = {name.encode(): text.encode() for name, text in html5.items() if name.endswith(";")}
_LONGEST_LEGACY = max(map(len, _LEGACY))
_WINDOWS = bytes(range(128, 160)).decode("windows-1252", "replace")


def _number_reference(number: int) -> bytes:
    """The character of a numeric reference, by the standard's rules for those that are none."""
    if number == 0 or number > 0x10FFFF or 0xD800 <= number < 0xE000:
        return "\ufffd".encode()
    if 128 <= number < 160 and _WINDOWS[number - 128] != "\ufffd":
        return _WINDOWS[number - 128].encode()
    return chr(number).encode()


def _reference(data: bytes, in_attribute: bool) -> tuple[bytes, int]:
    """What a character reference at the start of `data` stands for, and how long it is; length 0 for none."""
    if data[1:2] == b"#":
        hexadecimal = data[2:3] in (b"x", b"X")
        start = 3 if hexadecimal else 2
        allowed = b"0123456789abcdefABCDEF" if hexadecimal else b"0123456789"
        end = start
        while end < len(data) and data[end] in allowed:
            end += 1
        if end == start:
            return b"", 0
        number = int(data[start:end].lstrip(b"0")[:8] or b"0", 16 if hexadecimal else 10)
        return _number_reference(number), end + (data[end : end + 1] == b";")
    end = 1
    while end < len(data) and chr(data[end]).isascii() and chr(data[end]).isalnum():
        end += 1
    if data[end : end + 1] == b";" and data[1 : end + 1] in _NAMED:
        return _NAMED[data[1 : end + 1]], end + 1
    for size in range(min(end, _LONGEST_LEGACY + 1), 2, -1):
        if data[1:size] in _LEGACY:
            # In a value, `&copy=1` is a parameter.
            if in_attribute and (size < end or data[size : size + 1] == b"="):
                return b"", 0
            return _LEGACY[data[1:size]], size
    return b"", 0


@cython.cfunc
@cython.exceptval(check=False)
def _common_reference(
    source: cython.const[cython.uchar][::1],
    amp: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    target: cython.uchar[::1],
    at: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Puts what one of the most common references stands for; 4 times its length plus how many bytes, 0 for others.

    Whole data sets stand in values with `&quot;` for every quote, and numbers are all that some pages know.
    """
    i: cython.Py_ssize_t = amp + 1
    c: cython.int
    number: cython.int = 0
    if i + 2 >= stop:
        return 0
    c = source[i]
    if c == 35:  # decimal, closed, and of the characters that stand for themselves
        i += 1
        while i < stop and i < amp + 7 and 48 <= source[i] <= 57:
            number = 10 * number + source[i] - 48
            i += 1
        if i >= stop or source[i] != 59 or number < 32 or 127 <= number < 160 or number >= 0xD800:
            return 0
    elif c == 113 and _spells(source, amp, stop, 0x746F7571):  # quot
        number, i = 34, amp + 5
    elif c == 110 and _spells(source, amp, stop, 0x7073626E):  # nbsp
        number, i = 160, amp + 5
    elif c == 97 and _spells(source, amp, stop, 0x736F7061):  # apos
        number, i = 39, amp + 5
    elif c == 97 and source[i + 1] == 109 and i + 3 < stop and source[i + 2] == 112 and source[i + 3] == 59:
        number, i = 38, amp + 4
    elif c == 108 and source[i + 1] == 116 and source[i + 2] == 59:
        number, i = 60, amp + 3
    elif c == 103 and source[i + 1] == 116 and source[i + 2] == 59:
        number, i = 62, amp + 3
    else:
        return 0
    i = (i + 1 - amp) << 2
    if number < 128:
        target[at] = number
        return i + 1
    if number < 2048:
        target[at] = 192 | number >> 6
        target[at + 1] = 128 | number & 63
        return i + 2
    target[at] = 224 | number >> 12
    target[at + 1] = 128 | number >> 6 & 63
    target[at + 2] = 128 | number & 63
    return i + 3


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _spells(
    source: cython.const[cython.uchar][::1],
    amp: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    letters: cython.uint,
) -> cython.bint:
    """Whether a reference of four letters, the first one lowest, and its semicolon stand at `amp`."""
    k: cython.int
    if amp + 6 > stop or source[amp + 5] != 59:
        return False
    for k in range(4):
        if source[amp + 1 + k] != letters >> 8 * k & 255:
            return False
    return True


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _is_blank(c: cython.int) -> cython.bint:
    return c == 32 or c == 10 or c == 9 or c == 12


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _is_alphanumeric(c: cython.int) -> cython.bint:
    return 97 <= (c | 32) <= 122 or 48 <= c <= 57


def _with_plain_line_ends(html: bytes) -> bytes:
    """A page with every CR LF and every lone CR as LF."""
    source: cython.const[cython.uchar][::1] = html
    stop: cython.Py_ssize_t = len(html)
    plain_ = bytearray(stop)
    plain: cython.uchar[::1] = plain_
    at: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t = 0
    while True:
        j: cython.Py_ssize_t = _find(source, 13, i, stop)
        at = _copy(plain, at, source, i, j)
        if j >= stop:
            return bytes(memoryview(plain_)[:at])
        plain[at] = 10
        at += 1
        i = j + 2 if j + 1 < stop and source[j + 1] == 10 else j + 1


@cython.cclass
class _Tree(_Rows):
    """The rows of a page while its source is read, and the standard's rules for what closes what."""

    rules: cython.int[::1]
    known: cython.int
    open_p: cython.int
    open_formatting: cython.int
    open_templates: cython.int
    form: cython.int
    references: dict
    why: str  # why it is not sure any more

    def __init__(self, size: cython.Py_ssize_t):
        super().__init__(size)
        self.rules = TREE_RULES
        self.known = len(TAGS)
        self.open_p = 0
        self.open_formatting = 0
        self.open_templates = 0
        self.form = -1
        self.references = {}
        self.why = ""

    @cython.cfunc
    @cython.inline
    def rule(self, row: cython.int) -> cython.int:
        """The rules of a row's element; none of those of the same name in svg."""
        number: cython.int = self.tag[row]
        if number >= self.known or self.foreign[row] != 0:
            return 0
        return self.rules[number]

    @cython.cfunc
    @cython.inline
    def open(self, number: cython.int) -> cython.int:
        """A new element; it is the open one from now on."""
        row: cython.int = self.add(number)
        self.here = row
        if number == P:
            self.open_p += 1
        elif number == TEMPLATE:
            self.open_templates += 1
        elif number < self.known and self.rules[number] & FORMATTING:
            self.open_formatting += 1
        if self.depth[row] > DEEPEST:
            self.why = "nested too deep"
        return row

    @cython.cfunc
    def pop(self) -> cython.void:
        """Closes the open element."""
        if self.tag[self.here] == P:
            self.open_p -= 1
        elif self.tag[self.here] == TEMPLATE:
            self.open_templates -= 1
        elif self.rule(self.here) & FORMATTING:
            self.open_formatting -= 1
        self.close()

    @cython.cfunc
    def pop_to(self, row: cython.int) -> cython.void:
        """Closes everything down to a row, and the row itself."""
        loose: cython.bint = False  # formatting that would be opened again after the row
        while True:
            rule: cython.int = self.rule(self.here)
            if rule & FORMATTING:
                loose = loose or self.here != row
            elif rule & MARKER:
                loose = False
                tag: cython.int = self.tag[self.here]
                if self.here != row and tag != TD and tag != TH:
                    self.why = "an object that is not closed"
            if self.here == row:
                break
            self.pop()
        self.pop()
        if loose:
            self.why = "formatting that is not closed where it was opened"

    @cython.cfunc
    def pop_implied(self, but: cython.int) -> cython.void:
        """Closes the elements whose end tags may be left away."""
        while self.rule(self.here) & IMPLIED and self.tag[self.here] != but:
            self.pop()

    @cython.cfunc
    def in_scope(self, number: cython.int, barrier: cython.int, barrier2: cython.int) -> cython.int:
        """The row of the nearest open element of a name that is in reach, or -1."""
        row: cython.int = self.here
        while row > 0:
            if self.foreign[row] != 0:
                self.why = "an end tag inside svg"
                return -1
            if self.tag[row] == number:
                return row
            if self.rule(row) & SCOPE or self.tag[row] == barrier or self.tag[row] == barrier2:
                return -1
            row = self.parent[row]
        return -1

    @cython.cfunc
    def close_p(self) -> cython.void:
        """Closes the p that is open, if one is in reach."""
        if self.open_p == 0:
            return
        row: cython.int = self.in_scope(P, BUTTON, BUTTON)
        if row >= 0:
            self.pop_to(row)

    @cython.cfunc
    def close_item(self, number: cython.int, other: cython.int) -> cython.void:
        """Closes the list item (or term, or definition) that the next one follows."""
        row: cython.int = self.here
        while row > 0:
            tag: cython.int = self.tag[row]
            if tag == number or tag == other:
                self.pop_implied(tag)
                self.pop_to(row)
                return
            if self.rule(row) & SPECIAL and tag != ADDRESS and tag != DIV and tag != P:
                return
            row = self.parent[row]

    @cython.cfunc
    def table_row(self) -> cython.int:
        """The nearest open element that says where in a table we are (cell, caption, row, section, table), or -1."""
        row: cython.int = self.here
        while row > 0:
            tag: cython.int = self.tag[row]
            if tag == TABLE or (tag < self.known and self.rules[tag] & TABLE_PART):
                return row
            if tag == TEMPLATE:
                return -1
            row = self.parent[row]
        return -1

    @cython.cfunc
    @cython.inline
    def in_table(self) -> cython.bint:
        """Whether the open element takes nothing but parts of a table."""
        tag: cython.int = self.tag[self.here]
        return tag == TABLE or tag == TBODY or tag == THEAD or tag == TFOOT or tag == TR or tag == COLGROUP

    @cython.cfunc
    def make_room(self, number: cython.int) -> cython.bint:
        """Closes and opens what must be for a part of a table; False where the part is to be left out."""
        row: cython.int = self.table_row()
        if row < 0:
            return False
        tag: cython.int = self.tag[row]
        if tag == CAPTION:
            self.why = "a caption that is not closed"
            return False
        if tag == TD or tag == TH:
            self.pop_to(row)
        elif row != self.here:
            self.why = "something else in a table"
            return False
        if self.tag[self.here] == COLGROUP and number != COL:
            self.pop()
        if self.tag[self.here] == TR and number != TD and number != TH:
            self.pop()
        tag = self.tag[self.here]
        if tag == TBODY or tag == THEAD or tag == TFOOT:
            if number == TD or number == TH:
                self.open(TR)
            elif number != TR:
                self.pop()
        if self.tag[self.here] == TABLE:
            if number == TR or number == TD or number == TH:
                self.open(TBODY)
                if number != TR:
                    self.open(TR)
            elif number == COL:
                self.open(COLGROUP)
        return True

    @cython.cfunc
    def start(self, number: cython.int) -> cython.bint:
        """Makes way for a start tag in the body; False where it is to be left out."""
        rule: cython.int = self.rules[number] if number < self.known else 0
        tag: cython.int = self.tag[self.here]
        if rule & UNSURE:
            self.why = "an element only the parser is sure of"
            return False
        if rule & TABLE_PART:
            if self.open_templates > 0:
                self.why = "a part of a table in a template"
            return self.make_room(number)
        if self.in_table():
            if number != SCRIPT and number != STYLE:
                self.why = "something else in a table"
            return True
        if tag == SELECT or tag == OPTION or tag == OPTGROUP:
            return self.start_in_select(number)
        if rule == 0 or rule & HEAD:
            return True
        if rule & CLOSES_P:
            if number == LI:
                self.close_item(LI, LI)
            elif number == DD or number == DT:
                self.close_item(DD, DT)
            self.close_p()
            if rule & HEADING and self.rule(self.here) & HEADING:
                self.pop()
        elif rule & FORMATTING:
            if (number == A or number == NOBR) and self.open_formatting > 0:
                self.refuse_nested(number)
        elif number == TABLE:
            if self.open_p > 0 and self.in_scope(P, BUTTON, BUTTON) >= 0:
                self.why = "a table in a paragraph"
        elif number == BUTTON:
            if self.in_scope(BUTTON, BUTTON, BUTTON) >= 0:
                self.why = "a button in a button"
        if number == FORM:
            if self.form >= 0 or self.open_templates > 0:
                self.why = "a form in a form"
            self.form = self.count
        return True

    @cython.cfunc
    def start_in_select(self, number: cython.int) -> cython.bint:
        """A start tag where options stand."""
        if number == OPTION or number == OPTGROUP:
            if self.tag[self.here] == OPTION:
                self.pop()
            if number == OPTGROUP and self.tag[self.here] == OPTGROUP:
                if self.tag[self.parent[self.here]] != SELECT:
                    self.why = "a group of options in a group of options"
                self.pop()
        elif number != SCRIPT:
            self.why = "something else among options"
        return True

    @cython.cfunc
    def refuse_nested(self, number: cython.int) -> cython.void:
        """A link in a link moves nodes about, unless a cell or the like stands between."""
        row: cython.int = self.here
        while row > 0 and self.rule(row) & MARKER == 0:
            if self.tag[row] == number and self.foreign[row] == 0:
                self.why = "a link in a link"
                return
            row = self.parent[row]

    @cython.cfunc
    def finish(self, number: cython.int) -> cython.void:
        """An end tag in the body."""
        rule: cython.int = self.rules[number] if number < self.known else 0
        tag: cython.int = self.tag[self.here]
        row: cython.int
        if tag == number and not rule & (TABLE_PART | FORMATTING) and number != FORM:
            self.pop()
            return
        if rule & UNSURE or (number == BR and self.in_table()):
            self.why = "an end tag only the parser is sure of"
            return
        if tag == COLGROUP and number != COLGROUP:
            self.why = "a group of columns that is not closed"
            return
        if tag == TEMPLATE:
            self.why = "an end tag only the parser is sure of"
            return
        if number == BR and tag != SELECT and tag != OPTION and tag != OPTGROUP:
            self.add(BR)
            return
        if rule & TABLE_PART or number == TABLE:
            self.finish_table(number)
            return
        if tag == SELECT or tag == OPTION or tag == OPTGROUP or number == SELECT:
            self.finish_in_select(number)
            return
        if self.in_table():
            # Nothing outside of the table is in reach from here.
            if number == P:
                self.why = "the end of a paragraph that never began"
            elif number == FORM:
                self.form = -1
            return
        if rule & FORMATTING:
            self.finish_formatting(number)
        elif number == P:
            row = self.in_scope(P, BUTTON, BUTTON)
            if row < 0:  # the end of a paragraph that never began is an empty one
                self.open(P)
                self.pop()
            else:
                self.pop_implied(P)
                self.pop_to(row)
        elif number == LI:
            self.finish_scoped(LI, UL, OL)
        elif number == DD or number == DT:
            self.finish_scoped(number, number, number)
        elif rule & HEADING:
            self.finish_heading()
        elif rule & CONTAINER:
            self.finish_scoped(number, number, number)
        elif number == FORM:
            self.finish_form()
        elif number == TEMPLATE:
            self.finish_template()
        else:
            self.finish_other(number)

    @cython.cfunc
    def finish_scoped(self, number: cython.int, barrier: cython.int, barrier2: cython.int) -> cython.void:
        row: cython.int = self.in_scope(number, barrier, barrier2)
        if row >= 0:
            self.pop_implied(number if number == LI or number == DD or number == DT else -1)
            self.pop_to(row)

    @cython.cfunc
    def finish_heading(self) -> cython.void:
        """The end tag of any heading closes the one that is open."""
        row: cython.int = self.here
        while row > 0 and self.rule(row) & HEADING == 0:
            if self.rule(row) & SCOPE or self.foreign[row] != 0:
                return
            row = self.parent[row]
        if row > 0:
            self.pop_implied(-1)
            self.pop_to(row)

    @cython.cfunc
    def finish_template(self) -> cython.void:
        row: cython.int = self.here
        if self.open_templates == 0:
            return
        while self.tag[row] != TEMPLATE:
            row = self.parent[row]
        self.pop_to(row)

    @cython.cfunc
    def finish_form(self) -> cython.void:
        row: cython.int = self.form
        self.form = -1
        if row < 0:
            return
        if self.in_scope(FORM, FORM, FORM) != row:
            self.why = "a form that is closed elsewhere"
            return
        self.pop_implied(-1)
        if self.here != row:
            self.why = "a form that is closed elsewhere"
            return
        self.pop()

    @cython.cfunc
    def finish_formatting(self, number: cython.int) -> cython.void:
        row: cython.int = self.here
        if self.tag[row] == number:
            self.pop()
            return
        while row > 0 and self.rule(row) & MARKER == 0:
            if self.tag[row] == number and self.foreign[row] == 0:
                self.why = "formatting that is not closed where it was opened"
                return
            row = self.parent[row]
        self.finish_other(number)

    @cython.cfunc
    def finish_other(self, number: cython.int) -> cython.void:
        row: cython.int = self.here
        while row > 0:
            if self.foreign[row] != 0:
                self.why = "an end tag inside svg"
                return
            if self.tag[row] == number:
                self.pop_implied(number)
                self.pop_to(row)
                return
            if self.rule(row) & SPECIAL:
                return
            row = self.parent[row]

    @cython.cfunc
    def finish_in_select(self, number: cython.int) -> cython.void:
        row: cython.int = self.here
        if number == SELECT:
            while row > 0 and self.tag[row] != SELECT:
                if self.tag[row] != OPTION and self.tag[row] != OPTGROUP:
                    self.why = "the end of a list of options that never began"
                    return
                row = self.parent[row]
            if row > 0:
                self.pop_to(row)
        elif number == OPTGROUP and self.tag[row] == OPTION and self.tag[self.parent[row]] == OPTGROUP:
            self.pop()
            self.pop()
        else:
            self.why = "something else among options"

    @cython.cfunc
    def finish_table(self, number: cython.int) -> cython.void:
        """The end tag of a table or of a part of one."""
        around: cython.int = self.table_row()
        if around < 0 or number == COL:
            return
        tag: cython.int = self.tag[around]
        row: cython.int = around
        if tag == CAPTION and number != CAPTION:
            self.why = "a caption that is not closed"
            return
        if self.here != around and tag != TD and tag != TH and tag != CAPTION:
            self.why = "something else in a table"
            return
        # In a cell the names of cells count only for the cell itself; the others close it first.
        while row > 0 and self.tag[row] != number:
            tag = self.tag[row]
            if tag == TABLE or ((number == TD or number == TH) and (tag == TD or tag == TH)):
                return
            row = self.parent[row]
        if row > 0:
            if self.here != row and (number == TD or number == TH or number == CAPTION):
                self.pop_implied(-1)
            self.pop_to(row)

    # Text

    @cython.cfunc
    def resolve(
        self,
        html: bytes,
        source: cython.const[cython.uchar][::1],
        start: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
        in_attribute: cython.bint,
    ) -> cython.void:
        """Puts a span into the texts or the values, its character references resolved."""
        target: cython.uchar[::1] = self.values if in_attribute else self.text
        at: cython.Py_ssize_t = self.value_end if in_attribute else self.text_end
        i: cython.Py_ssize_t = start
        size: cython.Py_ssize_t
        while True:
            amp: cython.Py_ssize_t = _find(source, 38, i, stop)
            at = _copy(target, at, source, i, amp)
            if amp >= stop:
                break
            common: cython.Py_ssize_t = _common_reference(source, amp, stop, target, at)
            if common:
                at += common & 3
                i = amp + (common >> 2)
                continue
            size = amp + 1
            while size < stop and (_is_alphanumeric(source[size]) or source[size] == 35):
                size += 1
            # What a reference means depends on its letters and the sign after them: the same ones come again.
            written: bytes = html[amp : size + 1 if size < stop else stop]
            known: tuple[bytes, int] | None = self.references.get((written, in_attribute))
            if known is None:
                known = _reference(written, in_attribute)
                self.references[(written, in_attribute)] = known
            meant: bytes = known[0]
            size = known[1]
            if size == 0:
                target[at] = 38
                at += 1
                i = amp + 1
            elif len(meant) > size:
                self.why = "a character reference longer than it was written"
                break
            else:
                for byte in meant:
                    target[at] = byte
                    at += 1
                i = amp + size
        if in_attribute:
            self.value_end = at
        else:
            self.text_end = at

    @cython.cfunc
    def put_text(
        self,
        html: bytes,
        source: cython.const[cython.uchar][::1],
        start: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
    ) -> cython.void:
        """Text where we are; what follows a text directly is part of it."""
        if self.in_table():
            if _after_blanks(source, start, stop) < stop:
                self.why = "text in a table"
                return
        last: cython.int = self.count - 1
        if self.tag[last] != TEXT or self.parent[last] != self.here:
            self.add(TEXT)
        self.resolve(html, source, start, stop, False)

    @cython.cfunc
    def put_comment(
        self,
        source: cython.const[cython.uchar][::1],
        start: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
    ) -> cython.void:
        self.add(COMMENT)
        self.text_end = _copy(self.text, self.text_end, source, start, stop)

    # Attributes

    @cython.cfunc
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

    def move_attributes(self, row: int, first: int, first_value: int) -> None:
        """Gives the attributes from `first` on to an earlier row: html and body may be opened twice."""
        *_, attribute_at, _, names, value_at = self.arrays
        values, last, last_value = self.buffers[1], self.attributes, self.value_end
        place = attribute_at[row + 1]
        place_value = value_at[place] if place < first else first_value
        added, size = last - first, last_value - first_value
        names[place:last] = names[first:last] + names[place:first]
        moved = [start - first_value + place_value for start in value_at[first:last]]
        shifted = [start + size for start in value_at[place:first]]
        value_at[place:last] = array("i", moved + shifted)
        values[place_value:last_value] = values[first_value:last_value] + values[place_value:first_value]
        for later in range(row + 1, self.count):
            attribute_at[later] += added


@cython.cfunc
@cython.exceptval(check=False)
def _after_blanks(
    source: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    while start < stop and _is_blank(source[start]):
        start += 1
    return start


@cython.cfunc
@cython.exceptval(check=False)
def _source_comment_end(
    source: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Where the `>` of a comment stands whose text begins at `start`; `stop` where it has none."""
    i: cython.Py_ssize_t = start
    while True:
        i = _find(source, 62, i, stop)
        if i >= stop:
            return stop
        if i == start or (i == start + 1 and source[start] == 45):
            return i
        if i >= start + 2 and source[i - 1] == 45 and source[i - 2] == 45:
            return i
        if i >= start + 3 and source[i - 1] == 33 and source[i - 2] == 45 and source[i - 3] == 45:
            return i
        i += 1


@cython.cclass
class _Reader(_Tree):
    """Reads a source from its first byte to its last, and says why where it is not sure of it any more."""

    html: bytes
    source: cython.const[cython.uchar][::1]
    stop: cython.Py_ssize_t
    more_tags: dict
    more_attributes: dict
    others: cython.longlong[::1]  # where an attribute of the page's own stands, how long it is, its number; by hash
    tag_slots: cython.int[::1]
    tag_starts: cython.int[::1]
    tag_names: cython.const[cython.uchar][::1]
    attribute_slots: cython.int[::1]
    attribute_starts: cython.int[::1]
    attribute_names: cython.const[cython.uchar][::1]
    sorts: cython.int[::1]
    script: cython.const[cython.uchar][::1]
    known_attributes: cython.int
    below_html: list  # comments that stand after the body: (start, end)
    below_document: list  # and after html
    stage: cython.int
    doctype: cython.bint
    html_row: cython.int
    body_row: cython.int
    moves: cython.int
    again: cython.int  # the row of html or body, where a tag opens it a second time; else -1
    closes_itself: cython.bint  # whether the tag just read ended with a slash

    def __init__(self, html: bytes):
        super().__init__(len(html))
        self.html = html
        self.source = html
        self.stop = len(html)
        self.more_tags = {}
        self.more_attributes = {}
        self.others = array("q", bytes(8 * 3 * OTHERS))
        self.tag_slots, self.tag_starts, self.tag_names = _TAG_TABLE
        self.attribute_slots, self.attribute_starts, self.attribute_names = _ATTRIBUTE_TABLE
        self.sorts = TAG_FLAGS
        self.script = b"script"
        self.known_attributes = len(ATTRIBUTES)
        self.below_html = []
        self.below_document = []
        self.stage = BEFORE_HTML
        self.doctype = False
        self.html_row = 0
        self.body_row = 0
        self.moves = 0
        self.again = -1
        self.closes_itself = False

    def read(self) -> Columns | str:
        """The columns of the whole page, or why only the parser can be sure of it."""
        i: cython.Py_ssize_t = 0
        j: cython.Py_ssize_t
        c: cython.int
        while i < self.stop and not self.why:
            j = _find(self.source, 60, i, self.stop)
            c = self.source[j + 1] if j + 1 < self.stop else 0
            if j < self.stop and not (97 <= (c | 32) <= 122 or c == 47 or c == 33 or c == 63):
                j += 1  # a `<` that begins nothing is text
                c = 0
            if j > i:
                self.read_text(i, j)
            if c == 0:
                i = j
            elif self.why:
                break
            elif c == 33 or c == 63:
                i = self.read_declaration(j, c)
            else:
                i = self.read_tag(j, c == 47)
        if self.why:
            return self.why
        self.end_page()
        return self.columns(self.more_tags, self.more_attributes)

    @cython.cfunc
    def unsure(self, why: str) -> cython.Py_ssize_t:
        """Gives up; the place to go on is the end."""
        self.why = why
        return self.stop

    @cython.cfunc
    def read_text(self, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.void:
        """Text, wherever we are: before the body, blanks are left out or stay, and other text begins the body."""
        k: cython.Py_ssize_t
        if self.stage == BEFORE_HTML or self.stage == BEFORE_HEAD:
            i = _after_blanks(self.source, i, j)
        elif self.stage == IN_HEAD or self.stage == AFTER_HEAD:
            k = _after_blanks(self.source, i, j)
            if k > i:
                self.put_text(self.html, self.source, i, k)
            i = k
        if i == j:
            return
        if self.stage < IN_BODY:
            if self.source[i] == 38:
                self.why = "a character reference before the body"
                return
            self.begin_body()
        elif self.stage > IN_BODY and _after_blanks(self.source, i, j) < j:
            self.stage = IN_BODY
        if not self.why:
            self.put_text(self.html, self.source, i, j)

    @cython.cfunc
    def begin_body(self) -> cython.void:
        """Opens and closes what must stand before the body, and the body."""
        if self.stage == BEFORE_HTML:
            self.html_row = self.open(HTML)
        if self.stage <= BEFORE_HEAD:
            self.open(HEAD_TAG)
        if self.stage <= IN_HEAD:
            if self.tag[self.here] != HEAD_TAG:
                self.why = "text in the head"
                return
            self.pop()
        self.body_row = self.open(BODY)
        self.stage = IN_BODY

    @cython.cfunc
    def read_declaration(self, j: cython.Py_ssize_t, c: cython.int) -> cython.Py_ssize_t:
        """A comment, a doctype, or what is taken for a comment; returns the place after it."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        if c == 33 and j + 3 < self.stop and self.source[j + 2] == 45 and self.source[j + 3] == 45:
            i = j + 4
            j = _source_comment_end(self.source, i, self.stop)
            k = j
            # Of `-->`, `--!>`, `>` and `->` all but the text belongs to the end.
            if k >= i + 3 and self.source[k - 1] == 33:
                k -= 3
            elif k >= i + 2:
                k -= 2
            else:
                k = i
        elif c == 33 and _names(self.source, j + 2, self.stop, b"doctype"):
            return self.read_doctype(j + 9)
        elif self.foreign[self.here] != 0:
            return self.unsure("character data in svg")
        else:
            i = j + 1 if c == 63 else j + 2
            j = _find(self.source, 62, i, self.stop)
            k = j
        if j >= self.stop:
            return self.unsure("a comment that does not end")
        if self.stage == AFTER_BODY:
            self.below_html.append((i, k))
        elif self.stage == AFTER_HTML:
            self.below_document.append((i, k))
        else:
            self.put_comment(self.source, i, k)
        return j + 1

    @cython.cfunc
    def read_doctype(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """A doctype: only the first counts, and only at the very start."""
        i = _after_blanks(self.source, i, self.stop)
        j: cython.Py_ssize_t = i
        while j < self.stop and self.source[j] != 62 and not _is_blank(self.source[j]):
            j += 1
        if j == i:
            return self.unsure("a doctype without a name")
        if self.stage == BEFORE_HTML and not self.doctype:
            words: bytes = b"DOCTYPE " + self.html[i:j].lower()
            if j - i > 100 or not words.isascii():
                return self.unsure("a strange doctype")
            self.add(DOCTYPE)
            self.text_end = _copy(self.text, self.text_end, words, 0, len(words))
        self.doctype = True
        return _find(self.source, 62, j, self.stop) + 1

    # Tags

    @cython.cfunc
    def read_tag(self, j: cython.Py_ssize_t, closes: cython.bint) -> cython.Py_ssize_t:
        """A start or end tag; returns the place after it, or after its content where that is text."""
        i: cython.Py_ssize_t = j + 2 if closes else j + 1
        if closes and (i >= self.stop or not 97 <= (self.source[i] | 32) <= 122):
            return self.unsure("an end tag without a name")
        j = i
        h: cython.uint = 2166136261
        capital: cython.bint = False
        while j < self.stop:
            c: cython.int = self.source[j]
            if c == 62 or c == 47 or _is_blank(c):
                break
            capital = capital or 65 <= c <= 90
            h = _mix(h, c)
            j += 1
        number: cython.int = -1
        if not capital:
            number = _known(self.source, i, j, h, self.tag_slots, self.tag_starts, self.tag_names)
        if number < 0:
            number = self.number_of_tag(self.html[i:j].lower())
        if closes:
            return self.read_end_tag(j, number)
        return self.read_start_tag(j, number)

    @cython.cfunc
    def number_of_tag(self, name: bytes) -> cython.int:
        """The number of an element that is not known as it is written."""
        if self.foreign[self.here] != 0:
            name = SVG_TAGS.get(name, name)
        number: cython.int = _KNOWN_TAGS.get(name, -1)
        return number if number >= 0 else self.more_tags.setdefault(name, self.known + len(self.more_tags))

    @cython.cfunc
    def number_of_other(
        self, i: cython.Py_ssize_t, j: cython.Py_ssize_t, h: cython.uint, foreign: cython.bint
    ) -> cython.int:
        """The same by where the name stands: the page's own attributes come again and again, as they are written."""
        slot: cython.uint = (h & OTHER_MASK) * 3
        same: cython.bint = not foreign and self.others[slot + 1] == j - i
        if same:
            start: cython.Py_ssize_t = self.others[slot]
            if cython.compiled:
                same = memcmp(cython.address(self.source[start]), cython.address(self.source[i]), j - i) == 0
            else:
                same = self.source[start : start + j - i] == self.source[i:j]
        if same:
            return cython.cast(cython.int, self.others[slot + 2])
        number: cython.int = self.number_of_attribute(self.html[i:j].lower(), foreign)
        if not foreign:
            self.others[slot] = i
            self.others[slot + 1] = j - i
            self.others[slot + 2] = number
        return number

    @cython.cfunc
    def number_of_attribute(self, name: bytes, foreign: cython.bint) -> cython.int:
        """The number of an attribute that is not known as it is written."""
        if foreign:
            name = SVG_ATTRIBUTES.get(name, name)
        number: cython.int = _KNOWN_ATTRIBUTES.get(name, -1)
        if number >= 0:
            return number
        return self.more_attributes.setdefault(name, self.known_attributes + len(self.more_attributes))

    @cython.cfunc
    def read_end_tag(self, j: cython.Py_ssize_t, number: cython.int) -> cython.Py_ssize_t:
        rule: cython.int = self.rules[number] if number < self.known else 0
        i: cython.Py_ssize_t = _find(self.source, 62, j, self.stop)
        if i >= self.stop or _find(self.source, 34, j, i) < i or _find(self.source, 39, j, i) < i:
            return self.unsure("an end tag with attributes")
        if self.foreign[self.here] != 0:
            if number != self.tag[self.here]:
                return self.unsure("an end tag inside svg")
            self.close()
        elif number == BODY or number == HTML:
            self.end_body(number)
        elif self.stage < IN_BODY:
            if rule & UNSURE or number == BR or number == TEMPLATE or (number == HEAD_TAG and self.stage < IN_HEAD):
                return self.unsure("an end tag in the head")
            self.doctype = True  # one that comes later does not count
            if self.stage == IN_HEAD and self.tag[self.here] == number and (number == HEAD_TAG or number == NOSCRIPT):
                self.pop()
                if number == HEAD_TAG:
                    self.stage = AFTER_HEAD
        else:
            self.stage = IN_BODY
            self.finish(number)
        return i + 1

    @cython.cfunc
    def end_body(self, number: cython.int) -> cython.void:
        """The end tag of body or html: nothing closes, but what follows goes elsewhere."""
        if self.stage < IN_BODY or self.tag[self.here] == COLGROUP:
            self.why = "a page that ends in its head"
        elif self.stage == IN_BODY:
            if self.open_templates > 0:
                self.why = "a page that ends inside something"
                return
            if self.table_row() >= 0:
                return
            if self.in_scope(BODY, BODY, BODY) < 0 or self.in_scope(SELECT, SELECT, SELECT) >= 0:
                self.why = "a page that ends inside something"
        self.stage = AFTER_BODY if number == BODY else AFTER_HTML

    @cython.cfunc
    def read_start_tag(self, j: cython.Py_ssize_t, number: cython.int) -> cython.Py_ssize_t:
        foreign: cython.bint = self.foreign[self.here] != 0
        keep: cython.bint = self.place(number, foreign)
        if self.why:
            return self.stop
        sort: cython.int = self.sorts[number] if number < self.known else 0
        foreign = foreign or sort & FOREIGN != 0
        first: cython.int = self.attributes
        first_value: cython.Py_ssize_t = self.value_end
        row: cython.int
        if self.again >= 0:
            row = self.again
        elif not keep:
            row = self.count - 1
        elif foreign:
            row = self.add(number)
            self.foreign[row] = 1
            self.here = row
        elif sort & VOID:
            row = self.add(number)
        else:
            row = self.open(number)
            if number == HTML:
                self.html_row = row
            elif number == BODY:
                self.body_row = row
        j = self.read_attributes(j, row, foreign)
        if self.why:
            return self.stop
        if self.again >= 0:
            self.give_attributes(row, first, first_value)
        elif not keep:
            self.attributes = first
            self.value_end = first_value
        elif foreign:
            if self.closes_itself:
                self.close()
        elif self.here == row:
            return self.read_content(j, number, sort)
        return j

    @cython.cfunc
    def place(self, number: cython.int, foreign: cython.bint) -> cython.bint:
        """Makes way for a start tag: opens and closes what the standard says; False where it is to be left out."""
        rule: cython.int = self.rules[number] if number < self.known else 0
        self.again = -1
        if foreign and (number == HTML or number == HEAD_TAG or number == BODY):
            self.why = "html in svg"
            return False
        if self.stage == BEFORE_HTML:
            self.stage = BEFORE_HEAD
            if number == HTML:
                return True
            self.html_row = self.open(HTML)
        elif number == HTML:
            if self.open_templates > 0:
                self.why = "html in a template"
            self.again = self.html_row
            return True
        if self.stage == BEFORE_HEAD:
            self.stage = IN_HEAD
            if number == HEAD_TAG:
                return True
            self.open(HEAD_TAG)
        elif number == HEAD_TAG:
            if self.stage > IN_BODY:
                self.stage = IN_BODY
            return False
        if self.stage == IN_HEAD:
            if self.place_in_head(number, rule):
                return True
        if self.stage == AFTER_HEAD:
            if rule & HEAD or rule & UNSURE or number == TEMPLATE:
                self.why = "an element between head and body"
            self.stage = IN_BODY
            if number == BODY:
                return True
            self.body_row = self.open(BODY)
        elif number == BODY:
            if self.open_templates > 0:
                self.why = "body in a template"
            self.again = self.body_row
            self.stage = IN_BODY
            return True
        self.stage = IN_BODY
        if not foreign:
            return self.start(number)
        row: cython.int = self.tag[self.here]
        if rule & BREAKS_OUT or row == TITLE or row == DESC:
            self.why = "html in svg"
        return True

    @cython.cfunc
    def place_in_head(self, number: cython.int, rule: cython.int) -> cython.bint:
        """Whether a start tag belongs in the head; the head ends where not."""
        if self.tag[self.here] == NOSCRIPT:
            if number == NOSCRIPT:
                self.why = "noscript twice"
            if number != LINK and number != META and number != STYLE and number != NOFRAMES:
                self.pop()
        if rule & UNSURE or number == TEMPLATE:
            self.why = "an element only the parser is sure of"
        if rule & HEAD or number == NOSCRIPT:
            return True
        self.pop()
        self.stage = AFTER_HEAD
        return False

    @cython.cfunc
    def read_attributes(self, j: cython.Py_ssize_t, row: cython.int, foreign: cython.bint) -> cython.Py_ssize_t:
        """The attributes of a tag, the first of each name; returns the place after the tag."""
        i: cython.Py_ssize_t
        first: cython.int = self.attributes
        c: cython.int
        self.closes_itself = False
        while True:
            while j < self.stop and (self.source[j] == 47 or _is_blank(self.source[j])):
                self.closes_itself = self.source[j] == 47
                j += 1
            if j >= self.stop:
                return self.unsure("a tag that does not end")
            if self.source[j] == 62:
                return j + 1
            self.closes_itself = False
            i = j
            h: cython.uint = 2166136261
            capital: cython.bint = False
            while j < self.stop:
                c = self.source[j]
                if c == 62 or c == 47 or _is_blank(c) or (c == 61 and j > i):
                    break
                capital = capital or 65 <= c <= 90
                h = _mix(h, c)
                j += 1
            number: cython.int = -1
            if not capital:
                number = _known(self.source, i, j, h, self.attribute_slots, self.attribute_starts, self.attribute_names)
            if number < 0:
                number = self.number_of_other(i, j, h, foreign)
            is_new: cython.bint = not self.has_attribute(row, first, number)
            if is_new:
                if self.attributes - first >= MOST_ATTRIBUTES:
                    return self.unsure("too many attributes")
                self.add_attribute(number)
            j = _after_blanks(self.source, j, self.stop)
            if j < self.stop and self.source[j] == 61:
                j = self.read_value(_after_blanks(self.source, j + 1, self.stop), is_new)

    @cython.cfunc
    def read_value(self, i: cython.Py_ssize_t, wanted: cython.bint) -> cython.Py_ssize_t:
        """The value of the last attribute; returns the place after it."""
        if i >= self.stop:
            return self.unsure("a tag that does not end")
        c: cython.int = self.source[i]
        j: cython.Py_ssize_t = i
        after: cython.Py_ssize_t
        if c == 34 or c == 39:
            i += 1
            j = _find(self.source, c, i, self.stop)
            after = j + 1
        else:
            while j < self.stop and self.source[j] != 62 and not _is_blank(self.source[j]):
                j += 1
            after = j
        if wanted:
            self.resolve(self.html, self.source, i, j, True)
        return after

    @cython.cfunc
    def give_attributes(self, row: cython.int, first: cython.int, first_value: cython.Py_ssize_t) -> cython.void:
        """Gives the attributes just read to the html or body that is open already."""
        if row == self.count - 1:
            self.why = "html or body twice in a row"
        elif self.attributes > first:
            self.moves += 1
            if self.moves > 8:  # each costs as much as the page is long
                self.why = "html or body many times"
            else:
                self.move_attributes(row, first, first_value)

    @cython.cfunc
    def read_content(self, i: cython.Py_ssize_t, number: cython.int, sort: cython.int) -> cython.Py_ssize_t:
        """The content of an element that was just opened, where that is text; returns the place to go on."""
        escapable: cython.bint = self.rule(self.here) & ESCAPABLE != 0
        if not (escapable or sort & RAW):
            # A line end right after the tag is no text.
            return i + 1 if (number == PRE or number == LISTING) and i < self.stop and self.source[i] == 10 else i
        end: cython.Py_ssize_t
        if number == SCRIPT:
            end = _script_end(self.source, i, self.stop, self.script)
        else:
            end = _raw_end(self.source, i, self.stop, TAGS[number].encode())
        if end >= self.stop:
            return self.unsure("a text that does not end")
        if number == TEXTAREA and self.source[i] == 10:
            i += 1
        if end > i:
            self.add(TEXT)
            if escapable:
                self.resolve(self.html, self.source, i, end, False)
            else:
                self.text_end = _copy(self.text, self.text_end, self.source, i, end)
        self.pop()
        return _find(self.source, 62, end, self.stop) + 1

    @cython.cfunc
    def end_page(self) -> cython.void:
        """Opens what every page has, and puts the comments after it where they belong."""
        if self.stage == BEFORE_HTML:
            self.open(HTML)
        if self.stage <= BEFORE_HEAD:
            self.open(HEAD_TAG)
        if self.stage <= IN_HEAD:
            while self.tag[self.here] != HTML:
                self.pop()
        if self.stage <= AFTER_HEAD:
            self.open(BODY)
        while self.here > 0 and self.tag[self.here] != HTML:
            self.close()
        for start, end in self.below_html:
            self.put_comment(self.source, start, end)
        self.close()
        for start, end in self.below_document:
            self.put_comment(self.source, start, end)


def from_source(html: bytes) -> Columns | str:
    """The node table of a page as it was written, or why only the parser can be sure of it."""
    if b"\0" in html:
        return "a NUL byte"
    return _Reader(_with_plain_line_ends(html) if b"\r" in html else html).read()
