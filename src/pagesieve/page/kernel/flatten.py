"""Turns the parser's serialised page into columns, in one pass over its bytes.

The serialised form has every tag written out, every value in double quotes and four entities only, so what is
left to do is small: cut it at the tags, look the names up, and unescape. It reads what selectolax (lexbor)
writes; it is no parser of pages.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import shadow as cython

if cython.compiled:
    from cython.cimports.libc.string import memchr, memcmp, memcpy

from pagesieve.page.tags import ATTRIBUTES, SORTS, TAGS

VOID = cython.declare(cython.int, 1)
RAW = cython.declare(cython.int, 2)
FOREIGN = cython.declare(cython.int, 64)
HTML_INSIDE = cython.declare(cython.int, 128)

TEXT = cython.declare(cython.int, 1)
COMMENT = cython.declare(cython.int, 2)
DOCTYPE = cython.declare(cython.int, 3)

SLOTS = 2048
SLOT_MASK = cython.declare(cython.uint, 2047)


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
    for number, name in enumerate(names):
        encoded = name.encode()
        slot = _name_hash(encoded) % SLOTS
        while slots[slot] >= 0:
            slot = (slot + 1) % SLOTS
        slots[slot] = number
        starts.append(starts[-1] + len(encoded))
    return slots, starts, "".join(names).encode()


_TAG_TABLE = _table(TAGS)
_ATTRIBUTE_TABLE = _table(ATTRIBUTES)


@cython.cfunc
@cython.inline
@cython.boundscheck(False)
@cython.wraparound(False)
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
@cython.boundscheck(False)
@cython.wraparound(False)
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


@cython.cfunc
@cython.inline
@cython.boundscheck(False)
@cython.wraparound(False)
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


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
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
@cython.boundscheck(False)
@cython.wraparound(False)
@cython.exceptval(check=False)
def _stands_at(
    source: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    word: cython.const[cython.uchar][::1],
) -> cython.bint:
    """Whether a word (in lower case) stands at a place, letter case aside, as the whole of a tag's name."""
    length: cython.Py_ssize_t = word.shape[0] if cython.compiled else len(word)
    if at + length >= stop:
        return False
    i: cython.Py_ssize_t
    for i in range(length):
        if (source[at + i] | 32) != word[i]:
            return False
    c: cython.int = source[at + length]
    return c == 62 or c == 47 or c == 32 or c == 9 or c == 10 or c == 12 or c == 13


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
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
            if _stands_at(source, i + 1, stop, script):
                if not double:
                    return mark
                double = False
        elif source[i] == 33 and i + 2 < stop and source[i + 1] == 45 and source[i + 2] == 45:
            # Two dashes may open and close at once, as in `<!-->`, so they are looked at again.
            escaped = True
            i += 1
        elif escaped and not double and _stands_at(source, i, stop, script):
            double = True


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
@cython.exceptval(check=False)
def _raw_end(
    source: cython.const[cython.uchar][::1],
    name: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Where the end tag of a text-only element stands; its name is the one at `name`."""
    i: cython.Py_ssize_t = start
    j: cython.Py_ssize_t
    while True:
        i = _find(source, 60, i, stop)
        if i + 2 + length >= stop:
            return stop
        if source[i + 1] == 47 and source[i + 2 + length] == 62:
            for j in range(length):
                if source[i + 2 + j] != source[name + j]:
                    break
            else:
                return i
        i += 1


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
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


class Columns:
    """What `flatten` hands back: the columns of a page and its two buffers, as plain arrays and bytes."""

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


@cython.boundscheck(False)
@cython.wraparound(False)
def flatten(html: bytes) -> Columns:
    """The node table of a page that the parser has written out as UTF-8."""
    source: cython.const[cython.uchar][::1] = html
    stop: cython.Py_ssize_t = len(html)
    rows: cython.int = stop // 40 + 64  # room; more is made when it is used up
    pairs: cython.int = stop // 60 + 64

    tag_: array[int] = _ints(rows)
    parent_: array[int] = _ints(rows)
    end_: array[int] = _ints(rows)
    depth_: array[int] = _ints(rows)
    text_at_: array[int] = _ints(rows)
    attribute_at_: array[int] = _ints(rows)
    foreign_: array[int] = _ints(rows)
    attribute_name_: array[int] = _ints(pairs)
    value_at_: array[int] = _ints(pairs)
    text_: bytearray = bytearray(stop + 1)
    values_: bytearray = bytearray(stop + 1)
    more_tags: dict[bytes, int] = {}
    more_attributes: dict[bytes, int] = {}

    tag: cython.int[::1] = tag_
    parent: cython.int[::1] = parent_
    end: cython.int[::1] = end_
    depth: cython.int[::1] = depth_
    text_at: cython.int[::1] = text_at_
    attribute_at: cython.int[::1] = attribute_at_
    attribute_name: cython.int[::1] = attribute_name_
    value_at: cython.int[::1] = value_at_
    text: cython.uchar[::1] = text_
    values: cython.uchar[::1] = values_
    foreign: cython.int[::1] = foreign_
    tag_slots: cython.int[::1] = _TAG_TABLE[0]
    tag_starts: cython.int[::1] = _TAG_TABLE[1]
    tag_names: cython.const[cython.uchar][::1] = _TAG_TABLE[2]
    attribute_slots: cython.int[::1] = _ATTRIBUTE_TABLE[0]
    attribute_starts: cython.int[::1] = _ATTRIBUTE_TABLE[1]
    attribute_names: cython.const[cython.uchar][::1] = _ATTRIBUTE_TABLE[2]
    sorts: cython.int[::1] = SORTS
    script: cython.const[cython.uchar][::1] = b"script"
    known_tags: cython.int = len(TAGS)
    known_attributes: cython.int = len(ATTRIBUTES)
    script_tag: cython.int = TAGS.index("script")

    row: cython.int = 1
    parent[0] = -1
    here: cython.int = 0  # the open element that the next row goes under
    text_end: cython.Py_ssize_t = 0
    value_end: cython.Py_ssize_t = 0
    attribute: cython.int = 0
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t
    c: cython.int
    h: cython.uint
    number: cython.int
    kind: cython.int

    while i < stop:
        if row + 4 > rows:  # a turn of this loop fills three rows at most, and one more offset is set at the end
            tag_, parent_, end_ = tag_ + _ints(rows), parent_ + _ints(rows), end_ + _ints(rows)
            depth_, text_at_ = depth_ + _ints(rows), text_at_ + _ints(rows)
            attribute_at_, foreign_ = attribute_at_ + _ints(rows), foreign_ + _ints(rows)
            tag, parent, end, depth = tag_, parent_, end_, depth_
            text_at, attribute_at, foreign = text_at_, attribute_at_, foreign_
            rows += rows
        j = _find(source, 60, i, stop)
        if j > i:
            tag[row] = TEXT
            parent[row] = here
            depth[row] = depth[here] + 1
            end[row] = row + 1
            text_at[row] = text_end
            attribute_at[row] = attribute
            text_end = _unescape(text, text_end, source, i, j)
            row += 1
        if j + 1 >= stop:
            break
        c = source[j + 1]
        if c == 47:
            end[here] = row
            if here > 0:
                here = parent[here]
            i = _find(source, 62, j, stop) + 1
            continue
        text_at[row] = text_end
        attribute_at[row] = attribute
        parent[row] = here
        depth[row] = depth[here] + 1
        if c == 33 or c == 63:
            end[row] = row + 1
            if c == 63:
                tag[row] = COMMENT
                i = j + 1
                j = _find(source, 62, i, stop)
                text_end = _copy(text, text_end, source, i, j)
                i = j + 1
            elif source[j + 2] == 45:
                tag[row] = COMMENT
                i = j + 4
                j = _comment_end(source, i, stop)
                text_end = _copy(text, text_end, source, i, j)
                i = j + 3
            else:
                tag[row] = DOCTYPE
                i = j + 2
                j = _find(source, 62, i, stop)
                text_end = _copy(text, text_end, source, i, j)
                i = j + 1
            row += 1
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
        tag[row] = number
        kind = sorts[number] if number < known_tags else 0
        name: cython.Py_ssize_t = i
        length: cython.Py_ssize_t = j - i

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
            if attribute + 2 > pairs:
                attribute_name_, value_at_ = attribute_name_ + _ints(pairs), value_at_ + _ints(pairs)
                attribute_name, value_at = attribute_name_, value_at_
                pairs += pairs
            attribute_name[attribute] = number
            value_at[attribute] = value_end
            attribute += 1
            i = j + 2
            j = _find(source, 34, i, stop)
            value_end = _unescape(values, value_end, source, i, j)
            j += 1
        i = j + 1

        # Inside svg and math nothing is void and nothing is raw, until HTML begins again.
        number = 0
        if foreign[here] != 0 and (sorts[tag[here]] & HTML_INSIDE == 0 if tag[here] < known_tags else True):
            number = 1
        if kind & FOREIGN:
            number = 1
        foreign[row] = number
        if number == 0 and kind & VOID:
            end[row] = row + 1
            row += 1
            continue
        here = row
        row += 1
        if number == 0 and kind & RAW:
            if tag[here] == script_tag:
                j = _script_end(source, i, stop, script)
            else:
                j = _raw_end(source, name, length, i, stop)
            if j > i:
                tag[row] = TEXT
                parent[row] = here
                depth[row] = depth[here] + 1
                end[row] = row + 1
                text_at[row] = text_end
                attribute_at[row] = attribute
                text_end = _copy(text, text_end, source, i, j)
                row += 1
            i = j

    while here > 0:
        end[here] = row
        here = parent[here]
    end[0] = row
    text_at[row] = text_end
    attribute_at[row] = attribute
    value_at[attribute] = value_end

    columns = Columns()
    columns.tag = tag_[:row]
    columns.parent = parent_[:row]
    columns.end = end_[:row]
    columns.depth = depth_[:row]
    columns.text_at = text_at_[: row + 1]
    columns.attribute_at = attribute_at_[: row + 1]
    columns.attribute_name = attribute_name_[:attribute]
    columns.value_at = value_at_[: attribute + 1]
    columns.text = bytes(memoryview(text_)[:text_end])
    columns.values = bytes(memoryview(values_)[:value_end])
    columns.more_tags = tuple(name.decode("utf-8", "replace") for name in more_tags)
    columns.more_attributes = tuple(name.decode("utf-8", "replace") for name in more_attributes)
    return columns
