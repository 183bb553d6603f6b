# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""What recurs on a page: groups of alike neighbours, of stretches of neighbours, of elements on the same path.

Every such group is a candidate for the records of the page. A record is a stretch of rows: one subtree, or several that
follow each other below one parent.
"""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import cython_shim as cython

from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_FLAGS, TAG_ID, TAGS

TEXT = cython.declare(cython.int, 1)
COMMENT = cython.declare(cython.int, 2)
IMAGE = cython.declare(cython.int, 32)
WORDS = cython.declare(cython.int, 4)  # of 64 bits, in the sketch of a subtree
REACH = cython.declare(cython.int, 6)  # levels down that a sketch sees
TEXT_SPAN = cython.declare(cython.int, 64)  # bytes of a text that its digest sees
WORD_SLOTS = cython.declare(cython.int, 512)
CLASS_SHARE = cython.declare(cython.int, 20)  # what the same class adds to the likeness of two children,
ENOUGH = cython.declare(cython.int, 50)  # of which so much is enough,
NEARLY_ALL = cython.declare(cython.int, 90)  # or so much, where titles and bodies of records are much alike
MOST_GROUPS = cython.declare(cython.int, 12)  # in which a row can begin a record
LEADERS = cython.declare(cython.int, 12)  # sorts of children that are told apart below one parent
SEED = cython.declare(cython.ulonglong, 0x811C9DC5)
PRIME = cython.declare(cython.ulonglong, 0x01000193)
BR = cython.declare(cython.int, TAG_ID["br"])
# Declared, or Cython would take constants of this size for Python's own numbers.
PAIRS = cython.declare(cython.ulonglong, 0x5555555555555555)
FOURS = cython.declare(cython.ulonglong, 0x3333333333333333)
EIGHTS = cython.declare(cython.ulonglong, 0x0F0F0F0F0F0F0F0F)
LOW = cython.declare(cython.ulonglong, 0xFFFFFFFF)

LEAST_PART = cython.declare(cython.int, 200)

# The sorts of candidates.
ALIKE = 0  # children that are alike
SAME_TAG = 1  # children of one element name
HEADED = 2  # stretches that begin with alike children
PARTED = 3  # stretches between alike children without text: lines, blank rows, breaks
SAME_PATH = 4  # elements on one path of element names and of one class, anywhere on the page
SAME_TAGS = 5  # elements on one path of element names
SAME_CLASS = 6  # children of one element name and class
EVERY = 7  # all children with text

_TRANSPARENT = bytearray(name in "b strong em i u font mark big small wbr".split() for name in TAGS)
_DIVIDERS = bytearray(name in ("br", "hr") for name in TAGS)
_MUTE = bytearray(name in ("textarea", "select", "datalist") for name in TAGS)  # what they hold is no text of the page


def _plain(column: Any) -> Any:
    """A column as the kernel reads it fastest: as it is when compiled, as a list when not."""
    return column if cython.compiled else column.tolist()


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _mix(h: cython.ulonglong, value: cython.ulonglong) -> cython.ulonglong:
    """A digest of 32 bits with one more value in it."""
    h = ((h ^ value) * PRIME) & LOW
    return h ^ (h >> 15)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _bits(x: cython.ulonglong) -> cython.int:
    """How many bits are set."""
    x = x - ((x >> 1) & PAIRS)
    x = (x & FOURS) + ((x >> 2) & FOURS)
    x = (x + (x >> 4)) & EIGHTS
    x = x + (x >> 8)
    x = x + (x >> 16)
    return cython.cast(cython.int, (x + (x >> 32)) & 127)


@cython.cfunc
@cython.exceptval(check=False)
def _alike(sketch: cython.ulonglong[::1], a: cython.int, b: cython.int) -> cython.int:
    """The share of the paths of two subtrees that both have, in hundredths."""
    both: cython.int = 0
    either: cython.int = 0
    k: cython.int
    x: cython.ulonglong
    y: cython.ulonglong
    for k in range(WORDS):
        x = sketch[a * WORDS + k]
        y = sketch[b * WORDS + k]
        both += _bits(x & y)
        either += _bits(x | y)
    return 100 * both // either if either > 0 else 100


@cython.cfunc
@cython.exceptval(check=False)
def _is_data(text: cython.const[cython.uchar][::1], start: cython.int, stop: cython.int) -> cython.bint:
    """Whether a text is meant for a script: it begins like an object or a list of objects of JSON."""
    i: cython.int = start
    while i < stop and (text[i] <= 32 or text[i] == 91):  # [
        i += 1
    if i == stop or text[i] != 123:  # {
        return False
    i += 1
    while i < stop and text[i] <= 32:
        i += 1
    return i < stop and text[i] == 34  # "


def sketches(page: Any, state_: Any, chars_: Any) -> tuple[array[int], bytearray, array[int]]:
    """Of each row the set of tag paths below it, as bits; whether it counts; and its own characters.

    What counts is seen: with text or an image (1), a divider (2), an empty element (3). Characters in controls and
    data for scripts do not.

    Elements that only change the look of letters stand on no path: a word that was searched for is bold in one record
    and absent in the next.
    """
    rows: cython.int = len(page.tag)
    tag: cython.const[cython.int][::1] = _plain(page.tag)
    parent: cython.const[cython.int][::1] = _plain(page.parent)
    state: cython.const[cython.uchar][::1] = _plain(state_)
    chars: cython.const[cython.int][::1] = _plain(chars_)
    text_at: cython.const[cython.int][::1] = _plain(page.text_at)
    text: cython.const[cython.uchar][::1] = page.text_buffer
    sorts: cython.int[::1] = TAG_FLAGS
    transparent: cython.uchar[::1] = _TRANSPARENT
    dividers: cython.uchar[::1] = _DIVIDERS
    known: cython.int = len(TAGS)
    sketch_ = array("Q", bytes(8 * WORDS * rows))
    counts_ = bytearray(rows)
    above_ = array("i", bytes(4 * rows))  # the nearest row above that stands on paths
    sketch: cython.ulonglong[::1] = sketch_
    counts: cython.uchar[::1] = counts_
    above: cython.int[::1] = above_
    mute: cython.uchar[::1] = _MUTE
    silent_ = bytearray(rows)
    silent: cython.uchar[::1] = silent_
    own_ = array("i", bytes(4 * rows))
    own: cython.int[::1] = own_
    row: cython.int
    up: cython.int
    _: cython.int
    number: cython.int
    h: cython.ulonglong
    for row in range(1, rows):
        silent[row] = silent[parent[row]] or (tag[row] < known and mute[tag[row]])
        if chars[row] > 0 and not silent[row] and not _is_data(text, text_at[row], text_at[row + 1]):
            own[row] = chars[row]
    for row in range(rows - 1, 0, -1):
        number = tag[row]
        if state[row] != 0:
            continue
        if number == TEXT:
            counts[row] = own[row] > 0
        elif number < known and (dividers[number] or sorts[number] & IMAGE):
            counts[row] = 2 if dividers[number] else 1
        elif counts[row] == 0 and number != COMMENT:
            counts[row] = 3
        if counts[row] == 1:
            counts[parent[row]] = 1
    for row in range(1, rows):
        number = tag[row]
        if number < known and transparent[number]:
            above[row] = above[parent[row]]
            continue
        above[row] = row
        if counts[row] != 1:
            continue
        up = row
        h = SEED
        # The path is digested from below: no path is kept, and rows on the same one still set the same bit.
        for _ in range(REACH):
            h = _mix(h, tag[up])
            sketch[up * WORDS + cython.cast(cython.int, (h >> 6) & (WORDS - 1))] |= cython.cast(
                cython.ulonglong, 1
            ) << (h & 63)
            up = above[parent[up]]
            if up <= 0:
                break
    return sketch_, counts_, own_


def names(page: Any, hints: dict[int, int]) -> tuple[array[int], bytearray, array[int]]:
    """Of each row a digest of its first class without digits, the hints in its class and id, a digest of its own text.

    `hints` gives bits to words, by their `word_digest`.
    """
    rows: cython.int = len(page.tag)
    tag: cython.const[cython.int][::1] = _plain(page.tag)
    text_at: cython.const[cython.int][::1] = _plain(page.text_at)
    attribute_at: cython.const[cython.int][::1] = _plain(page.attribute_at)
    attribute_name: cython.const[cython.int][::1] = _plain(page.attribute_name)
    value_at: cython.const[cython.int][::1] = _plain(page.value_at)
    text: cython.const[cython.uchar][::1] = page.text_buffer
    values: cython.const[cython.uchar][::1] = page.value_buffer
    class_name: cython.int = ATTRIBUTE_ID["class"]
    id_name: cython.int = ATTRIBUTE_ID["id"]
    class_ = array("I", bytes(4 * rows))
    hint_ = bytearray(rows)
    texts_ = array("I", bytes(4 * rows))
    classes: cython.uint[::1] = class_
    hint: cython.uchar[::1] = hint_
    texts: cython.uint[::1] = texts_
    words_, bits_ = _word_table(hints)
    words: cython.uint[::1] = words_
    bits: cython.uchar[::1] = bits_
    row: cython.int
    k: cython.int
    i: cython.int
    stop: cython.int
    c: cython.int
    h: cython.ulonglong
    for row in range(1, rows):
        if tag[row] == TEXT:
            h = SEED
            stop = min(text_at[row + 1], text_at[row] + TEXT_SPAN)
            for i in range(text_at[row], stop):
                c = text[i]
                if c > 32:
                    h = _mix(h, c)
            texts[row] = cython.cast(cython.uint, h)
            continue
        for k in range(attribute_at[row], attribute_at[row + 1]):
            if attribute_name[k] == class_name:
                classes[row] = cython.cast(cython.uint, _first_name(values, value_at[k], value_at[k + 1]))
                hint[row] |= _hints(values, value_at[k], value_at[k + 1], words, bits)
            elif attribute_name[k] == id_name:
                hint[row] |= _hints(values, value_at[k], value_at[k + 1], words, bits)
    return class_, hint_, texts_


def word_digest(word: str) -> int:
    """The digest by which `names` knows a word of small letters."""
    h: cython.ulonglong = SEED
    c: cython.int
    for c in word.encode():
        h = _mix(h, c)
    return int(h)


def _word_table(hints: dict[int, int]) -> tuple[array[int], bytearray]:
    """The words in an open table: digests, 0 where there is none, and their bits."""
    words, bits = array("I", bytes(4 * WORD_SLOTS)), bytearray(WORD_SLOTS)
    for digest, bit in hints.items():
        slot = digest % WORD_SLOTS
        while words[slot]:
            slot = (slot + 1) % WORD_SLOTS
        words[slot], bits[slot] = digest, bit
    return words, bits


@cython.cfunc
@cython.exceptval(check=False)
def _first_name(values: cython.const[cython.uchar][::1], start: cython.int, stop: cython.int) -> cython.ulonglong:
    """A digest of the first of the names in a value, without its digits; 0 where there is none."""
    h: cython.ulonglong = SEED
    i: cython.int
    for i in range(start, stop):
        if values[i] <= 32:
            if h != SEED:
                break
        elif not 48 <= values[i] <= 57:
            h = _mix(h, values[i])
    return 0 if h == SEED else h


@cython.cfunc
@cython.exceptval(check=False)
def _hints(
    values: cython.const[cython.uchar][::1],
    start: cython.int,
    stop: cython.int,
    words: cython.uint[::1],
    bits: cython.uchar[::1],
) -> cython.uchar:
    """The bits of the words in a value: runs of letters, which a capital letter after a small one ends."""
    found: cython.uchar = 0
    h: cython.ulonglong = SEED
    slot: cython.Py_ssize_t
    i: cython.int
    c: cython.int
    small: cython.bint = False
    for i in range(start, stop + 1):
        c = values[i] if i < stop else 32
        if h != SEED and (not (65 <= c <= 90 or 97 <= c <= 122) or (small and c <= 90)):
            slot = cython.cast(cython.Py_ssize_t, h & (WORD_SLOTS - 1))
            while words[slot] != 0:
                if words[slot] == h:
                    found |= bits[slot]
                slot = (slot + 1) & (WORD_SLOTS - 1)
            h = SEED
        small = 97 <= c <= 122
        if small:
            h = _mix(h, c)
        elif 65 <= c <= 90:
            h = _mix(h, c + 32)
    return found


@cython.cfunc
@cython.exceptval(check=False)
def _label(
    kids: cython.int[::1],
    count: cython.int,
    label: cython.int[::1],
    leaders: cython.int[::1],
    tag: cython.const[cython.int][::1],
    counts: cython.uchar[::1],
    classes: cython.const[cython.uint][::1],
    sketch: cython.ulonglong[::1],
    enough: cython.int,
) -> cython.int:
    """Gives each child the number of the leader that it is most like, -1 where it is like none; how many there are."""
    found: cython.int = 0
    i: cython.int
    k: cython.int
    kid: cython.int
    best: cython.int
    most: cython.int
    share: cython.int
    for i in range(count):
        kid = kids[i]
        best = -1
        most = -1
        for k in range(found):
            if tag[leaders[k]] != tag[kid]:
                continue
            if tag[kid] == TEXT or counts[kid] == 2:
                share = 100
            else:
                share = _alike(sketch, leaders[k], kid)
                if classes[kid] != 0 and classes[leaders[k]] == classes[kid]:
                    share += CLASS_SHARE
            if share > most:
                most = share
                best = k
        if most < enough:
            best = -1
            if found < LEADERS:
                best = found
                leaders[found] = kid
                found += 1
        label[i] = best
    return found


@cython.cfunc
@cython.exceptval(check=False)
def _label_by_class(
    kids: cython.int[::1],
    count: cython.int,
    label: cython.int[::1],
    leaders: cython.int[::1],
    tag: cython.const[cython.int][::1],
    classes: cython.const[cython.uint][::1],
) -> cython.int:
    """Gives each child the number of the first child of its element name and class, -1 beyond the limit; how many."""
    found: cython.int = 0
    i: cython.int
    k: cython.int
    for i in range(count):
        k = 0
        while k < found and (tag[leaders[k]] != tag[kids[i]] or classes[leaders[k]] != classes[kids[i]]):
            k += 1
        if k == found:
            if found == LEADERS:
                k = -1
            else:
                leaders[found] = kids[i]
                found += 1
        label[i] = k
    return found


@cython.cfunc
@cython.exceptval(check=False)
def _same(a: cython.int[::1], b: cython.int[::1], count: cython.int) -> cython.bint:
    """Whether two rows of labels are equal."""
    i: cython.int
    for i in range(count):
        if a[i] != b[i]:
            return False
    return True


@cython.cclass
class _Groups:
    """The candidates that were found: of each its sort, region and first record; of each record its rows."""

    sort: cython.int[::1]
    region: cython.int[::1]
    first: cython.int[::1]
    lead: cython.int[::1]
    begin: cython.int[::1]
    end: cython.int[::1]
    groups: cython.int
    records: cython.int
    before: cython.const[cython.int][::1]  # the characters before each row of the page
    least: cython.int  # characters that a candidate has


@cython.cfunc
@cython.exceptval(check=False)
def _open(into: _Groups, sort: cython.int, region: cython.int, lead: cython.int) -> cython.void:
    """Begins a candidate."""
    into.sort[into.groups] = sort
    into.region[into.groups] = region
    into.lead[into.groups] = lead
    into.first[into.groups] = into.records


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _add(into: _Groups, begin: cython.int, end: cython.int) -> cython.void:
    """Adds a record to the candidate."""
    into.begin[into.records] = begin
    into.end[into.records] = end
    into.records += 1


@cython.cfunc
@cython.exceptval(check=False)
def _close(into: _Groups) -> cython.void:
    """Ends a candidate; one of fewer than two records, or of little text, is forgotten."""
    first: cython.int = into.first[into.groups]
    i: cython.int
    held: cython.int = 0
    for i in range(first, into.records):
        held += into.before[into.end[i]] - into.before[into.begin[i]]
    if into.records - first < 2 or held < into.least:
        into.records = first
    else:
        into.groups += 1


@cython.cfunc
@cython.exceptval(check=False)
def _singles(
    into: _Groups,
    sort: cython.int,
    region: cython.int,
    kids: cython.int[::1],
    count: cython.int,
    key: cython.int[::1],
    wanted: cython.int,
    end: cython.const[cython.int][::1],
) -> cython.void:
    """The children of one key, each a record."""
    i: cython.int
    first: cython.int = 0
    while first < count and key[first] != wanted:
        first += 1
    _open(into, sort, region, first)
    for i in range(first, count):
        if key[i] == wanted:
            _add(into, kids[i], end[kids[i]])
    _close(into)


@cython.cfunc
@cython.exceptval(check=False)
def _regular(label: cython.int[::1], count: cython.int, head: cython.int) -> cython.bint:
    """Whether four in five stretches between children of a label are as long as the one before."""
    i: cython.int
    last: cython.int = -1
    before: cython.int = 0
    stretches: cython.int = 0
    equal: cython.int = 0
    for i in range(count):
        if label[i] != head:
            continue
        if before > 0:
            stretches += 1
            equal += i - last == before
        if last >= 0:
            before = i - last
        last = i
    return stretches > 0 and 5 * equal >= 4 * stretches


@cython.cfunc
@cython.exceptval(check=False)
def _headed(
    into: _Groups,
    region: cython.int,
    kids: cython.int[::1],
    count: cython.int,
    label: cython.int[::1],
    head: cython.int,
    regular: cython.bint,
    seen: cython.int[::1],
    end: cython.const[cython.int][::1],
) -> cython.void:
    """The stretches that begin with a child of one label. The last is not longer than the longest, nor of new parts.

    If `regular`, they are only taken where most are equally long.
    """
    i: cython.int
    start: cython.int = -1
    last: cython.int = -1
    longest: cython.int = 1
    for i in range(LEADERS + 1):
        seen[i] = 0
    for i in range(count):
        if label[i] == head:
            if last >= 0 and i - last > longest:
                longest = i - last
            if start < 0:
                start = i
            last = i
    if longest == 1 or (regular and not _regular(label, count, head)):
        return
    _open(into, HEADED, region, start)
    last = start
    for i in range(start + 1, count):
        if label[i] == head:
            _add(into, kids[last], end[kids[i - 1]])
            last = i
    for i in range(start, last):
        seen[label[i] + 1] = 1
    i = last + 1
    while i < count and i - last < longest and seen[label[i] + 1]:
        i += 1
    _add(into, kids[last], end[kids[i - 1]])
    _close(into)


@cython.cfunc
@cython.exceptval(check=False)
def _parted(
    into: _Groups,
    region: cython.int,
    kids: cython.int[::1],
    count: cython.int,
    label: cython.int[::1],
    divider: cython.int,
    doubled: cython.bint,
    end: cython.const[cython.int][::1],
) -> cython.void:
    """The stretches between children of one label; between two of them in a row, if `doubled`."""
    i: cython.int
    start: cython.int = -1  # of the stretch
    stop: cython.int = -1  # the last of its children that is no divider
    _open(into, PARTED, region, 0)
    for i in range(count):
        if label[i] == divider:
            if start >= 0 and (not doubled or i - stop >= 2):
                _add(into, kids[start], end[kids[stop]])
                start = -1
        else:
            if start < 0:
                start = i
            stop = i
    if start >= 0:
        _add(into, kids[start], end[kids[stop]])
    _close(into)


@cython.cfunc
@cython.exceptval(check=False)
def _alternate(
    kids: cython.int[::1],
    count: cython.int,
    label: cython.int[::1],
    alike: cython.int[::1],
    head: cython.int,
    chars: cython.int[::1],
) -> cython.bint:
    """Whether the children of a label take turns with alike ones of their length: odd and even rows of a list."""
    i: cython.int
    shape: cython.int = -1
    heads: cython.longlong = 0
    others: cython.longlong = 0
    in_heads: cython.longlong = 0
    in_others: cython.longlong = 0
    for i in range(count):
        if label[i] == head:
            shape = alike[i]
            heads += 1
            in_heads += chars[kids[i]]
    for i in range(count):
        if label[i] != head and alike[i] == shape and shape >= 0:
            others += 1
            in_others += chars[kids[i]]
    in_heads *= others
    in_others *= heads
    return 2 * others >= heads and in_others <= 2 * in_heads and in_heads <= 2 * in_others


@cython.cfunc
@cython.exceptval(check=False)
def _by_label(
    into: _Groups,
    sort: cython.int,
    region: cython.int,
    kids: cython.int[::1],
    count: cython.int,
    label: cython.int[::1],
    alike: cython.int[::1],
    labels: cython.int,
    leaders: cython.int[::1],
    seen: cython.int[::1],
    tag: cython.const[cython.int][::1],
    chars: cython.int[::1],
    counts: cython.uchar[::1],
    end: cython.const[cython.int][::1],
) -> cython.void:
    """The groups that labels make: stretches that begin with one; and unless `sort` is HEADED, children, and stretches
    between.
    """
    i: cython.int
    k: cython.int
    size: cython.int
    for k in range(labels):
        size = 0
        for i in range(count):
            size += label[i] == k
        if counts[leaders[k]] != 1:
            if sort != HEADED:
                _parted(into, region, kids, count, label, k, tag[leaders[k]] == BR, end)
        elif size >= 2:
            if tag[leaders[k]] != TEXT and sort != HEADED:
                _singles(into, sort, region, kids, count, label, k, end)
            if size < count and not _alternate(kids, count, label, alike, k, chars):
                _headed(into, region, kids, count, label, k, sort == HEADED, seen, end)


@cython.cfunc
@cython.exceptval(check=False)
def _by_tag(
    into: _Groups,
    region: cython.int,
    kids: cython.int[::1],
    count: cython.int,
    tags: cython.int[::1],
    tag: cython.const[cython.int][::1],
    chars: cython.int[::1],
    counts: cython.uchar[::1],
    end: cython.const[cython.int][::1],
) -> cython.void:
    """The children of the commonest element name with text, and all children where none is bare text."""
    i: cython.int
    votes: cython.int = 0
    common: cython.int = -1
    bare: cython.bint = False
    mixed: cython.bint = False
    # A name that more than half have survives; of the others one does, and costs a group too many.
    for i in range(count):
        if tags[i] == TEXT:
            bare = True
        if counts[kids[i]] != 1 or tags[i] == TEXT:
            continue
        if votes == 0:
            common = tags[i]
        votes += 1 if tags[i] == common else -1
    if common < 0:
        return
    for i in range(count):
        if counts[kids[i]] == 1 and tags[i] != common:
            mixed = True
    _open(into, SAME_TAG, region, 0)
    for i in range(count):
        if tags[i] == common and counts[kids[i]] == 1:
            _add(into, kids[i], end[kids[i]])
    _close(into)
    if mixed and not bare:
        _open(into, EVERY, region, 0)
        for i in range(count):
            if chars[kids[i]] > 0:
                _add(into, kids[i], end[kids[i]])
        _close(into)


def candidates(
    page: Any, chars_before: Any, counts_: Any, sketch_: Any, classes_: Any
) -> tuple[array[int], array[int], array[int], array[int], array[int], array[int]]:
    """The groups of a page: sort, region, first record, children before it; and of all records their first row and end.

    `chars_before` are the characters before each row, and before the end. The records of a group stand in order and do
    not overlap; they hold at least one part in LEAST_PART of the page's text.
    """
    rows: cython.int = len(page.tag)
    tag: cython.const[cython.int][::1] = _plain(page.tag)
    end: cython.const[cython.int][::1] = _plain(page.end)
    before: cython.const[cython.int][::1] = _plain(chars_before)
    counts: cython.uchar[::1] = counts_
    sketch: cython.ulonglong[::1] = sketch_
    classes: cython.const[cython.uint][::1] = classes_
    chars_ = array("i", bytes(4 * rows))
    chars: cython.int[::1] = chars_
    into = _Groups()
    into.before = before
    into.least = before[rows] // LEAST_PART
    columns = [array("i", bytes(4 * MOST_GROUPS * (rows + 1))) for _ in range(6)]
    into.sort, into.region, into.first, into.lead, into.begin, into.end = columns
    into.groups = into.records = 0
    kids_ = array("i", bytes(4 * rows))
    label_ = array("i", bytes(4 * rows))
    tags_ = array("i", bytes(4 * rows))
    leaders_ = array("i", bytes(4 * LEADERS))
    seen_ = array("i", bytes(4 * (LEADERS + 1)))
    other_ = array("i", bytes(4 * rows))
    kids: cython.int[::1] = kids_
    label: cython.int[::1] = label_
    tags: cython.int[::1] = tags_
    leaders: cython.int[::1] = leaders_
    seen: cython.int[::1] = seen_
    other: cython.int[::1] = other_
    row: cython.int
    kid: cython.int
    count: cython.int
    labels: cython.int
    for row in range(rows):
        chars[row] = before[end[row]] - before[row]
    for row in range(rows):
        if counts[row] != 1 or tag[row] == TEXT:
            continue
        count = 0
        kid = row + 1
        while kid < end[row]:
            # An empty element is a part of records if it could hold something: a cell, not an anchor or a field.
            if counts[kid] != 0 and (counts[kid] != 3 or end[kid] > kid + 1):
                kids[count] = kid
                tags[count] = tag[kid]
                count += 1
            kid = end[kid]
        if count < 2:
            continue
        _by_tag(into, row, kids, count, tags, tag, chars, counts, end)
        labels = _label(kids, count, label, leaders, tag, counts, classes, sketch, ENOUGH)
        _by_label(into, ALIKE, row, kids, count, label, label, labels, leaders, seen, tag, chars, counts, end)
        labels = _label_by_class(kids, count, other, leaders, tag, classes)
        if not _same(label, other, count):
            _by_label(into, SAME_CLASS, row, kids, count, other, label, labels, leaders, seen, tag, chars, counts, end)
        labels = _label(kids, count, other, leaders, tag, counts, classes, sketch, NEARLY_ALL)
        if not _same(label, other, count):
            _by_label(into, HEADED, row, kids, count, other, label, labels, leaders, seen, tag, chars, counts, end)
    _paths(into, page, counts, classes)
    sort, region, first, lead = (column[: into.groups] for column in columns[:4])
    begin, stop = (column[: into.records] for column in columns[4:])
    return sort, region, first, lead, begin, stop


@cython.cfunc
def _paths(
    into: _Groups,
    page: Any,
    counts: cython.uchar[::1],
    classes: cython.const[cython.uint][::1],
) -> cython.void:
    """The elements on the same path, where they have several parents: rows of several lists, cells of a grid."""
    rows: cython.int = len(page.tag)
    tag: cython.const[cython.int][::1] = _plain(page.tag)
    parent: cython.const[cython.int][::1] = _plain(page.parent)
    end: cython.const[cython.int][::1] = _plain(page.end)
    slots: cython.int = 64
    while slots < 2 * rows:
        slots *= 2
    path_ = array("Q", bytes(8 * rows))
    head_ = array("i", bytes(4 * slots))  # per slot the first row of a path
    last_ = array("i", bytes(4 * rows))  # per first row the last
    next_ = array("i", bytes(4 * rows))  # the next row of the same path
    path: cython.ulonglong[::1] = path_
    head: cython.int[::1] = head_
    last: cython.int[::1] = last_
    following: cython.int[::1] = next_
    row: cython.int
    region: cython.int
    slot: cython.int
    h: cython.ulonglong
    sort: cython.int
    for row in range(1, rows):
        path[row] = _mix(_mix(path[parent[row]], tag[row]), PRIME)
    for sort in (SAME_PATH, SAME_TAGS):
        for slot in range(slots):
            head[slot] = 0
        for row in range(1, rows):
            following[row] = 0
            last[row] = 0
            if counts[row] != 1 or tag[row] == TEXT:
                continue
            h = path[row]
            if sort == SAME_PATH:
                h = _mix(h, classes[row])
                path[row] = (path[row] & LOW) | (h << 32)
                h = path[row] >> 32
            else:
                h = path[row] & LOW
            slot = cython.cast(cython.int, h & (slots - 1))
            while head[slot] != 0 and (path[head[slot]] >> 32 if sort == SAME_PATH else path[head[slot]] & LOW) != h:
                slot = (slot + 1) & (slots - 1)
            if head[slot] == 0:
                head[slot] = row
            else:
                following[last[head[slot]]] = row
            last[head[slot]] = row
        for row in range(1, rows):
            if last[row] == 0 or following[row] == 0 or parent[last[row]] == parent[row]:
                continue
            region = parent[row]
            while end[region] < end[last[row]]:
                region = parent[region]
            _open(into, sort, region, 0)
            kid: cython.int = row
            while kid != 0:
                _add(into, kid, end[kid])
                kid = following[kid]
            _close(into)


def likeness(sketch_: Any, classes_: Any, begin_: Any, first_: Any) -> tuple[array[int], array[int]]:
    """How alike the first rows of neighbouring records of each group are, in hundredths: their paths, their classes."""
    sketch: cython.ulonglong[::1] = sketch_
    classes: cython.const[cython.uint][::1] = classes_
    begin: cython.const[cython.int][::1] = begin_
    first: cython.const[cython.int][::1] = first_
    groups: cython.int = len(first_)
    records: cython.int = len(begin_)
    alike_ = array("i", bytes(4 * groups))
    named_ = array("i", bytes(4 * groups))
    alike: cython.int[::1] = alike_
    named: cython.int[::1] = named_
    g: cython.int
    i: cython.int
    last: cython.int
    total: cython.longlong
    same: cython.longlong
    for g in range(groups):
        last = first[g + 1] if g + 1 < groups else records
        total = same = 0
        for i in range(first[g] + 1, last):
            total += _alike(sketch, begin[i - 1], begin[i])
            same += 100 * (classes[begin[i - 1]] == classes[begin[i]])
        alike[g] = cython.cast(cython.int, total // max(last - first[g] - 1, 1))
        named[g] = cython.cast(cython.int, same // max(last - first[g] - 1, 1))
    return alike_, named_


def common_share(sketch_: Any, end_: Any, begin_: Any, stop_: Any) -> array[int]:
    """Of each record of a group the share, in hundredths, that it has of the paths that half of the records have."""
    sketch: cython.ulonglong[::1] = sketch_
    end: cython.const[cython.int][::1] = _plain(end_)
    begin: cython.const[cython.int][::1] = _plain(begin_)
    stop: cython.const[cython.int][::1] = _plain(stop_)
    records: cython.int = len(begin_)
    paths_ = array("Q", bytes(8 * WORDS * max(records, 1)))
    paths: cython.ulonglong[::1] = paths_
    counts_ = array("i", bytes(4 * 64 * WORDS))
    counts: cython.int[::1] = counts_
    common_ = array("Q", bytes(8 * WORDS))
    common: cython.ulonglong[::1] = common_
    share_ = array("i", bytes(4 * records))
    share: cython.int[::1] = share_
    one: cython.ulonglong = 1
    r: cython.int
    k: cython.int
    bit: cython.int
    row: cython.int
    held: cython.int
    wanted: cython.int = 0
    for r in range(records):
        row = begin[r]
        while row < stop[r]:
            for k in range(WORDS):
                paths[r * WORDS + k] |= sketch[row * WORDS + k]
            row = end[row]
        for k in range(WORDS):
            for bit in range(64):
                counts[64 * k + bit] += cython.cast(cython.int, (paths[r * WORDS + k] >> bit) & 1)
    for k in range(64 * WORDS):
        if 2 * counts[k] >= records:
            common[k // 64] |= one << (k % 64)
            wanted += 1
    for r in range(records):
        held = 0
        for k in range(WORDS):
            held += _bits(paths[r * WORDS + k] & common[k])
        share[r] = 100 * held // wanted if wanted > 0 else 100
    return share_
