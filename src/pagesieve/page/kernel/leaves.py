# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The leaves of a page: the elements with text directly inside them, and that text with its blanks folded."""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import cython_shim as cython

COMMENT = cython.declare(cython.int, 2)
NO_CHARACTER = cython.declare(cython.uint, 0xFFFFFFFF)
REPLACED = cython.declare(cython.uint, 0xFFFD)  # what stands for bytes that are no character

PRIME = cython.declare(cython.ulonglong, 0x100000001B3)
SEED = cython.declare(cython.ulonglong, 0xCBF29CE484222325)


def _plain(column: Any) -> Any:
    """A column as the kernel reads it fastest: as it is when compiled, as a list when not."""
    return column if cython.compiled else column.tolist()


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _times(a: cython.ulonglong, b: cython.ulonglong) -> cython.ulonglong:
    if cython.compiled:
        return a * b
    else:
        return (a * b) & 0xFFFFFFFFFFFFFFFF


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _scatter(h: cython.ulonglong) -> cython.ulonglong:
    """Spreads a change of any bit over all bits."""
    h = _times(h ^ (h >> 32), 0xD6E8FEB86659FD93)
    h = _times(h ^ (h >> 32), 0xD6E8FEB86659FD93)
    return h ^ (h >> 32)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _digest(
    codes: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    of_tag: cython.ulonglong,
) -> cython.ulonglong:
    """The digest of an element's name and a text."""
    h: cython.ulonglong = SEED
    i: cython.Py_ssize_t
    for i in range(start, stop):
        h = _times(h ^ codes[i], PRIME)
    return _scatter(_scatter(h) ^ of_tag)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _size(c: cython.uint) -> cython.int:
    """How many bytes the character takes that begins with this byte; 0 where none does."""
    if c < 0x80:
        return 1
    if c < 0xC2:
        return 0
    if c < 0xE0:
        return 2
    if c < 0xF0:
        return 3
    return 4 if c < 0xF5 else 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _code(
    text: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, size: cython.int, stop: cython.Py_ssize_t
) -> cython.uint:
    """The character of so many bytes; NO_CHARACTER where they are not UTF-8."""
    if size == 0 or at + size > stop:
        return NO_CHARACTER
    c: cython.uint = text[at]
    if size == 1:
        return c
    k: cython.int
    c = c & (0x7F >> size)
    for k in range(1, size):
        if text[at + k] & 0xC0 != 0x80:
            return NO_CHARACTER
        c = (c << 6) | (text[at + k] & 0x3F)
    if c > 0x10FFFF or 0xD800 <= c <= 0xDFFF:
        return NO_CHARACTER
    return c


def leaves(
    page: Any, chars_: Any, tag_digests: Any
) -> tuple[array[int], array[int], array[int], array[int], array[int], array[int]]:
    """The text rows that are seen and not blank, the leaf of each; the leaves' rows, digests, offsets and characters.

    A leaf's text is that of its text rows, each run of blanks (control characters, no-break and wide spaces too) made
    one, none at the ends; and a blank where another element stood between two of them. There may be more room for
    characters than the last offset says.
    """
    rows: cython.int = len(page.tag)
    tag: cython.const[cython.int][::1] = _plain(page.tag)
    parent: cython.const[cython.int][::1] = _plain(page.parent)
    text_at: cython.const[cython.int][::1] = _plain(page.text_at)
    text: cython.const[cython.uchar][::1] = page.text_buffer
    chars: cython.const[cython.int][::1] = _plain(chars_)
    of_tag: cython.const[cython.ulonglong][::1] = _plain(tag_digests)
    held_ = array("i", bytes(4 * rows))  # of each row: how many texts it holds, then its number among the leaves
    held: cython.int[::1] = held_
    row: cython.int
    k: cython.int
    texts: cython.int = 0
    found: cython.int = 0
    most: cython.Py_ssize_t = 0  # characters
    for row in range(1, rows):
        if chars[row] > 0:
            if held[parent[row]] == 0:
                found += 1
            held[parent[row]] += 1
            texts += 1
            most += text_at[row + 1] - text_at[row] + 1
    rows_ = array("i", bytes(4 * found))
    next_ = array("i", bytes(4 * (found + 1)))
    text_rows_ = array("i", bytes(4 * texts))
    leaf_of_ = array("i", bytes(4 * texts))
    order_ = array("i", bytes(4 * texts))  # the text rows, leaf by leaf
    own_rows: cython.int[::1] = rows_
    following: cython.int[::1] = next_
    text_rows: cython.int[::1] = text_rows_
    leaf_of: cython.int[::1] = leaf_of_
    order: cython.int[::1] = order_
    leaf: cython.int = 0
    at: cython.int = 0
    for row in range(rows):
        if held[row] > 0:
            own_rows[leaf] = row
            following[leaf] = at
            at += held[row]
            held[row] = leaf
            leaf += 1
    following[found] = at
    k = 0
    for row in range(1, rows):
        if chars[row] > 0:
            leaf = held[parent[row]]
            text_rows[k] = row
            leaf_of[k] = leaf
            order[following[leaf]] = row
            following[leaf] += 1  # in the end where the next leaf's texts begin
            k += 1
    codes_ = array("I", bytes(4 * most))
    at_ = array("i", bytes(4 * (found + 1)))
    digests_ = array("Q", bytes(8 * found))
    codes: cython.uint[::1] = codes_
    code_at: cython.int[::1] = at_
    digests: cython.ulonglong[::1] = digests_
    written: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t
    i: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    c: cython.uint
    size: cython.int
    blank: cython.bint
    before: cython.int
    k = 0
    for leaf in range(found):
        start = written
        blank = False
        before = -1
        while k < following[leaf]:
            row = order[k]
            k += 1
            if before >= 0:
                before += 1
                while before < row and tag[before] == COMMENT:
                    before += 1
                if before < row:
                    blank = True
            before = row
            i = text_at[row]
            stop = text_at[row + 1]
            while i < stop:
                c = text[i]
                if c >= 0x80:
                    size = _size(c)
                    c = _code(text, i, size, stop)
                    if c == NO_CHARACTER:
                        c = REPLACED
                        size = 1
                    i += size
                else:
                    i += 1
                if c <= 32 or c == 0xA0 or c == 0x3000:
                    blank = True
                    continue
                if blank and written > start:
                    codes[written] = 32
                    written += 1
                codes[written] = c
                written += 1
                blank = False
        code_at[leaf + 1] = cython.cast(cython.int, written)
        digests[leaf] = _digest(codes, start, written, of_tag[tag[own_rows[leaf]]])
    return text_rows_, leaf_of_, rows_, digests_, at_, codes_


# Texts that are close: at most one edit for every EDIT characters of the shorter one. A text of m characters may be
# hit by m // EDIT edits, so of one piece more than that, anywhere in it and not overlapping, one is left intact.

# Texts that one text is compared with letter by letter, at most: a page of thousands of texts that are nearly but not
# quite close to each other would take for ever. What real pages have is far below.
MOST_TRIED = cython.declare(cython.int, 64)
EDIT = cython.declare(cython.int, 8)
BLOCK = cython.declare(cython.int, 64)  # characters within which pieces are chosen, so that long texts cost no more
PIECES = cython.declare(cython.int, 16)  # at most in a block; the last one may be nearly twice as long
SHORT_BUCKETS = cython.declare(cython.int, 2)  # of lengths whose pieces have 4 characters,
MIDDLE_BUCKETS = cython.declare(cython.int, 4)  # and 5; the others' have 6
WORD = cython.declare(cython.Py_ssize_t, 8)  # slots that share a word of the filter
CROWDED = cython.declare(cython.int, 32)  # texts that share a piece: shorter pieces leave more choice, and are tried
SAMPLE = cython.declare(cython.int, 8)  # one text in so many shows whether a bucket is crowded
CROWDED_PIECE = cython.declare(cython.int, 3)
SEEN = cython.declare(cython.int, 1024)
MOST_COUNTERS = cython.declare(cython.Py_ssize_t, 1 << 22)
ODD = cython.declare(cython.ulonglong, 0x5555555555555555)
TWOS = cython.declare(cython.ulonglong, 0x3333333333333333)
FOURS = cython.declare(cython.ulonglong, 0x0F0F0F0F0F0F0F0F)
ONES = cython.declare(cython.ulonglong, 0x0101010101010101)
BASE = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _plus(a: cython.ulonglong, b: cython.ulonglong) -> cython.ulonglong:
    if cython.compiled:
        return a + b
    else:
        return (a + b) & 0xFFFFFFFFFFFFFFFF


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _gram(codes: cython.const[cython.uint][::1], at: cython.Py_ssize_t, length: cython.int) -> cython.ulonglong:
    """The characters of a piece as one number."""
    h: cython.ulonglong = length
    k: cython.int
    for k in range(length):
        h = _plus(_times(h, BASE), codes[at + k])
    return h


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _key(gram: cython.ulonglong, salt: cython.ulonglong, place: cython.int) -> cython.ulonglong:
    """What a piece is looked up by: its characters, the element and the bucket in the salt, and about where it is."""
    return _scatter(_plus(gram, _times(_plus(salt, place), PRIME)))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _salt(of_tag: cython.ulonglong, bucket: cython.int) -> cython.ulonglong:
    return _plus(of_tag, _times(BASE, bucket + 1))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _filter(key: cython.ulonglong) -> cython.ulonglong:
    """The bits of a word that say a piece may be there."""
    one: cython.ulonglong = 1
    return (one << ((key >> 40) & 63)) | (one << ((key >> 46) & 63))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _piece(bucket: cython.int) -> cython.int:
    """The length of the pieces of texts in a bucket."""
    if bucket < SHORT_BUCKETS:
        return 4
    return 5 if bucket < MIDDLE_BUCKETS else 6


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _bit(number: cython.ulonglong) -> cython.ulonglong:
    one: cython.ulonglong = 1
    return one << (_times(number, BASE) >> 58)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _of_characters(
    codes: cython.const[cython.uint][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.ulonglong:
    """Which characters a text has, in 64 bits: an edit puts in one at most and takes out one at most."""
    found: cython.ulonglong = 0
    i: cython.Py_ssize_t
    for i in range(start, stop):
        found |= _bit(codes[i])
    return found


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _of_pairs(
    codes: cython.const[cython.uint][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.ulonglong:
    """Which pairs of neighbours a text has, in 64 bits: an edit puts in two at most and takes out two at most."""
    found: cython.ulonglong = 0
    i: cython.Py_ssize_t
    for i in range(start, stop - 1):
        found |= _bit(_plus(_times(codes[i], PRIME), codes[i + 1]))
    return found


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _bits(x: cython.ulonglong) -> cython.int:
    """How many bits are set."""
    x = x - ((x >> 1) & ODD)
    x = (x & TWOS) + ((x >> 2) & TWOS)
    return cython.cast(cython.int, _times((x + (x >> 4)) & FOURS, ONES) >> 56)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _equal(
    one: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    two: cython.const[cython.uint][::1],
    other: cython.Py_ssize_t,
    other_stop: cython.Py_ssize_t,
) -> cython.bint:
    """Whether two spans hold the same characters."""
    if stop - start != other_stop - other:
        return False
    i: cython.Py_ssize_t = 0
    while start + i < stop and one[start + i] == two[other + i]:
        i += 1
    return start + i == stop


@cython.cfunc
@cython.exceptval(check=False)
def _within(
    one: cython.const[cython.uint][::1],
    start: cython.int,
    length: cython.int,
    two: cython.const[cython.uint][::1],
    other: cython.int,
    other_length: cython.int,
    most: cython.int,
    reached: cython.int[::1],
) -> cython.bint:
    """Whether so many edits can lead from one text to the other.

    With each edit more, `reached` has how far into the first text one can come on each diagonal: as far as the edits
    allow, and then on over what is equal.
    """
    middle: cython.int = most + 2
    target: cython.int = other_length - length
    edits: cython.int
    d: cython.int
    i: cython.int
    before: cython.int  # what the diagonals to the left and at this place had with an edit less
    here: cython.int
    if target > most or -target > most:
        return False
    for d in range(2 * middle + 1):
        reached[d] = -2
    for edits in range(most + 1):
        before = -2
        for d in range(-edits, edits + 1):
            here = reached[middle + d]
            i = 0 if edits == 0 else max(before, here + 1, reached[middle + d + 1] + 1)
            before = here
            if i < 0:  # nothing leads here yet
                continue
            i = min(i, length, other_length - d)
            while i < length and i + d < other_length and one[start + i] == two[other + i + d]:
                i += 1
            reached[middle + d] = i
            if d == target and i >= length:
                return True
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _rarest(
    costs: cython.longlong[::1],
    length: cython.int,
    piece: cython.int,
    pieces: cython.int,
    best: cython.longlong[::1],
    chosen: cython.int[::1],
) -> cython.longlong:
    """Chooses so many pieces of a block that do not overlap and that are least frequent taken together.

    `costs` has the frequency of the piece at each offset; the offsets chosen are written to `chosen`. Gives the sum.
    """
    width: cython.int = length + 1
    i: cython.int
    j: cython.int
    for i in range(width):
        best[i] = 0
    for j in range(1, pieces + 1):
        for i in range(width):
            best[j * width + i] = 0x1000000000000000
            if i >= j * piece:
                best[j * width + i] = best[j * width + i - 1]
                if best[(j - 1) * width + i - piece] + costs[i - piece] < best[j * width + i]:
                    best[j * width + i] = best[(j - 1) * width + i - piece] + costs[i - piece]
    i = length
    j = pieces
    while j > 0:
        while best[j * width + i] == best[j * width + i - 1] and i > j * piece:
            i -= 1
        i -= piece
        j -= 1
        chosen[j] = i
    return best[pieces * width + length]


@cython.cfunc
@cython.exceptval(check=False)
def _price(
    codes: cython.const[cython.uint][::1],
    start: cython.Py_ssize_t,
    block: cython.int,
    size: cython.int,
    piece: cython.int,
    salt: cython.ulonglong,
    width: cython.int,
    counts: cython.int[::1],
    counters: cython.Py_ssize_t,
    keys: cython.ulonglong[::1],
    costs: cython.longlong[::1],
) -> cython.void:
    """The key of the piece at each offset of a block, and how many there are of it."""
    k: cython.int
    for k in range(size - piece + 1):
        keys[k] = _key(_gram(codes, start + block + k, piece), salt, (block + k) // width)
        costs[k] = counts[cython.cast(cython.Py_ssize_t, keys[k] & (counters - 1))]


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _power(least: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The smallest power of two that is not less, and at least 64."""
    size: cython.Py_ssize_t = 64
    while size < least:
        size += size
    return size


def index(codes_: Any, at_: Any, tags_: Any, buckets_: Any, reach_: Any) -> tuple[Any, ...]:
    """Texts made ready to be found: their digests by hash, their pieces by hash, and the characters they have.

    Gives the digests, a table of texts by digest (-1 where empty), their signatures, two each; a filter of the pieces
    that there are, where the postings of each slot begin, and the postings: the piece's hash, its text, its offset, its
    text's length; and for each bucket a number above 0 where it is crowded and has shorter pieces too. `buckets_` has a
    number for each length that a text may have, the same for lengths that are much the same, and -1 for those that are
    too short to be anything but equal; longer texts are not found. `reach_` has the edits that the longest text of each
    bucket allows.
    """
    texts: cython.int = len(at_) - 1
    codes: cython.const[cython.uint][::1] = _plain(codes_)
    at: cython.const[cython.int][::1] = _plain(at_)
    tags: cython.const[cython.ulonglong][::1] = _plain(tags_)
    buckets: cython.const[cython.int][::1] = _plain(buckets_)
    reach: cython.const[cython.int][::1] = _plain(reach_)
    longest: cython.int = len(buckets_) - 1
    slots: cython.Py_ssize_t = _power(2 * texts)
    digests_ = array("Q", bytes(8 * texts))
    signatures_ = array("Q", bytes(16 * texts))
    table_ = array("i", [-1]) * slots
    digests: cython.ulonglong[::1] = digests_
    signatures: cython.ulonglong[::1] = signatures_
    table: cython.int[::1] = table_
    counters: cython.Py_ssize_t = _power(len(codes_))
    if counters > MOST_COUNTERS:
        counters = MOST_COUNTERS
    counts_ = array("i", bytes(4 * counters))
    counts: cython.int[::1] = counts_
    t: cython.int
    k: cython.int
    i: cython.Py_ssize_t
    length: cython.int
    piece: cython.int
    width: cython.int
    slot: cython.Py_ssize_t
    salt: cython.ulonglong
    key: cython.ulonglong
    pieces: cython.Py_ssize_t = 0
    for t in range(texts):
        length = at[t + 1] - at[t]
        digests[t] = _digest(codes, at[t], at[t + 1], tags[t])
        if length > longest:
            continue
        slot = cython.cast(cython.Py_ssize_t, digests[t] & (slots - 1))
        while table[slot] >= 0 and not (
            digests[table[slot]] == digests[t]
            and tags[table[slot]] == tags[t]
            and _equal(codes, at[table[slot]], at[table[slot] + 1], codes, at[t], at[t + 1])
        ):
            slot = (slot + 1) & (slots - 1)
        if table[slot] < 0:  # of equal texts the first is found
            table[slot] = t
        if buckets[length] < 0:
            continue
        signatures[2 * t] = _of_characters(codes, at[t], at[t + 1])
        signatures[2 * t + 1] = _of_pairs(codes, at[t], at[t + 1])
        pieces += length // EDIT + 1
        salt = _salt(tags[t], buckets[length])
        width = 2 * reach[buckets[length]] + 1
        for piece in (CROWDED_PIECE, _piece(buckets[length])):
            for k in range(length - piece + 1):
                key = _key(_gram(codes, at[t] + k, piece), salt, k // width)
                counts[cython.cast(cython.Py_ssize_t, key & (counters - 1))] += 1

    slots = _power(pieces)
    words: cython.Py_ssize_t = slots // WORD
    filter_ = array("Q", bytes(8 * words))
    start_ = array("i", bytes(4 * (slots + 2)))
    keys_ = array("Q", bytes(8 * pieces))
    made_ = array("i", bytes(8 * pieces))
    postings_ = array("i", bytes(16 * (pieces + 1)))  # one more, so that there is one where an empty slot begins
    filters: cython.ulonglong[::1] = filter_
    start: cython.int[::1] = start_
    keys: cython.ulonglong[::1] = keys_
    made: cython.int[::1] = made_
    postings: cython.int[::1] = postings_
    seen_ = array("Q", bytes(8 * 2 * BLOCK))
    costs_ = array("q", bytes(8 * 2 * BLOCK))
    best_ = array("q", bytes(8 * (PIECES + 1) * (2 * BLOCK + 1)))
    chosen_ = array("i", bytes(4 * (PIECES + 1)))
    seen: cython.ulonglong[::1] = seen_
    costs: cython.longlong[::1] = costs_
    best: cython.longlong[::1] = best_
    chosen: cython.int[::1] = chosen_
    crowd_ = array("q", bytes(8 * len(reach_)))
    crowd: cython.longlong[::1] = crowd_
    bucket: cython.int
    n: cython.Py_ssize_t = 0
    cost: cython.longlong
    block: cython.int
    size: cython.int
    wanted: cython.int
    for t in range(0, texts, SAMPLE):
        length = at[t + 1] - at[t]
        if length > longest or buckets[length] < 0:
            continue
        size = min(length, 2 * BLOCK - 1)
        wanted = size // EDIT + 1
        piece = _piece(buckets[length])
        width = 2 * reach[buckets[length]] + 1
        _price(codes, at[t], 0, size, piece, _salt(tags[t], buckets[length]), width, counts, counters, seen, costs)
        crowd[buckets[length]] += _rarest(costs, size, piece, wanted, best, chosen) - CROWDED * wanted
    for t in range(texts):
        length = at[t + 1] - at[t]
        if length > longest or buckets[length] < 0:
            continue
        bucket = buckets[length]
        salt = _salt(tags[t], bucket)
        width = 2 * reach[bucket] + 1
        block = 0
        while block < length:
            size = BLOCK
            wanted = BLOCK // EDIT
            if length - block < 2 * BLOCK:
                size = length - block
                wanted = size // EDIT + 1
            piece = _piece(bucket)
            _price(codes, at[t], block, size, piece, salt, width, counts, counters, seen, costs)
            cost = _rarest(costs, size, piece, wanted, best, chosen)
            if crowd[bucket] > 0 and cost > CROWDED * wanted:
                _price(codes, at[t], block, size, CROWDED_PIECE, salt, width, counts, counters, seen, costs)
                _rarest(costs, size, CROWDED_PIECE, wanted, best, chosen)
            for k in range(wanted):
                keys[n] = seen[chosen[k]]
                made[2 * n] = t
                made[2 * n + 1] = block + chosen[k]
                n += 1
            block += size
    for i in range(n):
        filters[cython.cast(cython.Py_ssize_t, keys[i] & (words - 1))] |= _filter(keys[i])
        start[cython.cast(cython.Py_ssize_t, keys[i] & (slots - 1)) + 2] += 1
    for i in range(slots):
        start[i + 2] += start[i + 1]
    for i in range(n):
        # The entry after a slot's goes from where its postings begin to where they end and the next one's begin.
        slot = cython.cast(cython.Py_ssize_t, keys[i] & (slots - 1)) + 1
        k = start[slot]
        start[slot] += 1
        postings[4 * k] = cython.cast(cython.int, keys[i] >> 33)
        postings[4 * k + 1] = made[2 * i]
        postings[4 * k + 2] = made[2 * i + 1]
        postings[4 * k + 3] = at[made[2 * i] + 1] - at[made[2 * i]]
    return digests_, table_, signatures_, filter_, start_, postings_, crowd_


def equal(
    codes_: Any, at_: Any, tags_: Any, digests_: Any, of_codes: Any, of_at: Any, of_tags: Any, of_index: Any
) -> array[int]:
    """For each text the number of the first of the index's that is equal to it, or -1."""
    texts: cython.int = len(at_) - 1
    codes: cython.const[cython.uint][::1] = _plain(codes_)
    at: cython.const[cython.int][::1] = _plain(at_)
    tags: cython.const[cython.ulonglong][::1] = _plain(tags_)
    digests: cython.const[cython.ulonglong][::1] = _plain(digests_)
    other: cython.const[cython.uint][::1] = _plain(of_codes)
    other_at: cython.const[cython.int][::1] = _plain(of_at)
    other_tags: cython.const[cython.ulonglong][::1] = _plain(of_tags)
    other_digests: cython.const[cython.ulonglong][::1] = of_index[0]
    table: cython.const[cython.int][::1] = of_index[1]
    slots: cython.Py_ssize_t = len(of_index[1])
    found_ = array("i", [-1]) * texts
    found: cython.int[::1] = found_
    k: cython.int
    t: cython.int
    slot: cython.Py_ssize_t
    for k in range(texts):
        slot = cython.cast(cython.Py_ssize_t, digests[k] & (slots - 1))
        while table[slot] >= 0:
            t = table[slot]
            if (
                other_digests[t] == digests[k]
                and other_tags[t] == tags[k]
                and _equal(codes, at[k], at[k + 1], other, other_at[t], other_at[t + 1])
            ):
                found[k] = t
                break
            slot = (slot + 1) & (slots - 1)
    return found_


def candidates(
    codes_: Any,
    at_: Any,
    tags_: Any,
    wanted_: Any,
    buckets_: Any,
    reach_: Any,
    of_codes: Any,
    of_at: Any,
    of_tags: Any,
    of_index: Any,
) -> tuple[array[int], array[int]]:
    """Pairs of a text and one of the index's that is close to it.

    They share an intact piece with no more edits before and after it than are allowed, and differ in no more
    characters and pairs of them. `wanted_` has the numbers of the texts to look for; the pairs come in their order, and
    one may come twice. After MOST_TRIED comparisons no more are found for a text.
    """
    codes: cython.const[cython.uint][::1] = _plain(codes_)
    at: cython.const[cython.int][::1] = _plain(at_)
    tags: cython.const[cython.ulonglong][::1] = _plain(tags_)
    wanted: cython.const[cython.int][::1] = _plain(wanted_)
    buckets: cython.const[cython.int][::1] = _plain(buckets_)
    reach: cython.const[cython.int][::1] = _plain(reach_)
    other: cython.const[cython.uint][::1] = _plain(of_codes)
    other_at: cython.const[cython.int][::1] = _plain(of_at)
    other_tags: cython.const[cython.ulonglong][::1] = _plain(of_tags)
    signatures: cython.const[cython.ulonglong][::1] = of_index[2]
    filters: cython.const[cython.ulonglong][::1] = of_index[3]
    start: cython.const[cython.int][::1] = of_index[4]
    postings: cython.const[cython.int][::1] = of_index[5]
    crowd: cython.const[cython.longlong][::1] = of_index[6]
    longest: cython.int = len(buckets_) - 1
    slots: cython.Py_ssize_t = len(of_index[4]) - 2
    words: cython.Py_ssize_t = slots // WORD
    seen_ = array("i", [-1]) * (2 * SEEN)  # pairs that were compared; one may be forgotten, and is compared again
    seen: cython.int[::1] = seen_
    reached_ = array("i", bytes(4 * (2 * (longest // EDIT) + 8)))
    reached: cython.int[::1] = reached_
    keys_ = array("Q", bytes(16 * (longest + 2)))
    offsets_ = array("i", bytes(8 * (longest + 2)))
    begins_ = array("i", bytes(8 * (longest + 2)))
    ends_ = array("i", bytes(8 * (longest + 2)))
    firsts_ = array("i", bytes(8 * (longest + 2)))
    keys: cython.ulonglong[::1] = keys_
    offsets: cython.int[::1] = offsets_
    begins: cython.int[::1] = begins_
    ends: cython.int[::1] = ends_
    firsts: cython.int[::1] = firsts_
    texts_: array[int] = array("i")
    found_: array[int] = array("i")
    tried: cython.int  # texts that this one was compared with letter by letter
    hits: cython.int
    h: cython.int
    spot: cython.int
    check: cython.int
    w: cython.Py_ssize_t
    k: cython.int
    t: cython.int
    i: cython.int
    p: cython.int
    slot: cython.Py_ssize_t
    length: cython.int
    low: cython.int
    high: cython.int
    bucket: cython.int
    piece: cython.int
    allowed: cython.int
    before: cython.int
    after: cython.int
    salt: cython.ulonglong
    key: cython.ulonglong
    gram: cython.ulonglong
    mask: cython.ulonglong
    characters: cython.ulonglong
    pairs: cython.ulonglong
    place: cython.int
    width: cython.int
    far: cython.int
    for w in range(len(wanted_)):
        k = wanted[w]
        length = at[k + 1] - at[k]
        if length > longest or buckets[length] < 0:
            continue
        low = length
        while low > EDIT and length - (low - 1) <= (low - 1) // EDIT:
            low -= 1
        high = min(length + length // EDIT, longest)
        characters = _of_characters(codes, at[k], at[k + 1])
        pairs = _of_pairs(codes, at[k], at[k + 1])
        tried = 0
        for bucket in range(buckets[low], buckets[high] + 1):
            salt = _salt(tags[k], bucket)
            width = 2 * reach[bucket] + 1
            far = min(reach[bucket], length // EDIT)
            for piece in (_piece(bucket), CROWDED_PIECE):
                if piece == CROWDED_PIECE and crowd[bucket] <= 0:
                    continue
                # The index is larger than the processor's caches. One loop after the other, each over places in memory
                # that do not depend on each other, so that it waits for many of them at once.
                hits = 0
                for i in range(length - piece + 1):
                    gram = _gram(codes, at[k] + i, piece)
                    for place in range(max(i - far, 0) // width, (i + far) // width + 1):
                        key = _key(gram, salt, place)
                        mask = _filter(key)
                        keys[hits] = key
                        offsets[hits] = i
                        hits += filters[cython.cast(cython.Py_ssize_t, key & (words - 1))] & mask == mask
                for h in range(hits):
                    slot = cython.cast(cython.Py_ssize_t, keys[h] & (slots - 1))
                    begins[h] = start[slot]
                    ends[h] = start[slot + 1]
                for h in range(hits):
                    firsts[h] = postings[4 * begins[h]]
                for h in range(hits):
                    check = cython.cast(cython.int, keys[h] >> 33)
                    if firsts[h] != check and ends[h] - begins[h] <= 1:
                        continue
                    for p in range(4 * begins[h], 4 * ends[h], 4):
                        if postings[p] != check:
                            continue
                        t = postings[p + 1]
                        before = abs(postings[p + 2] - offsets[h])
                        after = abs((postings[p + 3] - postings[p + 2]) - (length - offsets[h]))
                        allowed = min(length, postings[p + 3]) // EDIT
                        spot = 2 * (t & (SEEN - 1))
                        if before + after > allowed or (seen[spot] == k and seen[spot + 1] == t):
                            continue
                        seen[spot] = k
                        seen[spot + 1] = t
                        if (
                            _bits(characters & ~signatures[2 * t]) <= allowed
                            and _bits(signatures[2 * t] & ~characters) <= allowed
                            and _bits(pairs & ~signatures[2 * t + 1]) <= 2 * allowed
                            and _bits(signatures[2 * t + 1] & ~pairs) <= 2 * allowed
                            and other_tags[t] == tags[k]
                        ):
                            tried += 1
                            if tried > MOST_TRIED:
                                break
                            if _within(codes, at[k], length, other, other_at[t], postings[p + 3], allowed, reached):
                                texts_.append(k)
                                found_.append(t)
    return texts_, found_
