# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""The tags and texts of a source, one after the other, in one pass that skips what it need not look at.

No tree is built: a token is where it begins and ends, whose tag it is, and what it is. It can be read in both
directions, which is what parsing backwards needs.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import cython_shim as cython

if cython.compiled:
    from cython.cimports.libc.string import memchr

from pagesieve.page.kernel.tags import ESCAPABLE, RAW, TAG_FLAGS, TAG_ID, TAGS, TREE_RULES, VOID

# What a token is.
TEXT = cython.declare(cython.int, 0)
LINKED = cython.declare(cython.int, 1)  # a text in a link
START = cython.declare(cython.int, 2)
END = cython.declare(cython.int, 3)
ALONE = cython.declare(cython.int, 4)  # of an element without content

KNOWN = cython.declare(cython.int, len(TAGS))
LINK = cython.declare(cython.int, TAG_ID["a"])
SLOTS = cython.declare(cython.int, 4096)
BYTES_A_TOKEN = cython.declare(cython.int, 16)  # few pages have fewer
NAMES = cython.declare(cython.int, 16384)  # numbers for elements that are not known
PRIME = cython.declare(cython.ulonglong, 0x100000001B3)
SEED = cython.declare(cython.ulonglong, 0xCBF29CE484222325)
_MASK = 0xFFFFFFFFFFFFFFFF


def _name_digest(name: bytes) -> int:
    digest = 0xCBF29CE484222325
    for byte in name:
        digest = ((digest ^ byte) * 0x100000001B3) & _MASK
    return digest


def _slots() -> tuple[array[int], array[int]]:
    """Elements by the digests of their names: the digest and the number in each slot."""
    digests, numbers = array("Q", bytes(8 * 4096)), array("i", [-1]) * 4096
    for number, name in enumerate(TAGS):
        digest = _name_digest(name.lower().encode())
        slot = digest & 4095
        while digests[slot]:
            slot = (slot + 1) & 4095
        digests[slot], numbers[slot] = digest, number
    return digests, numbers


_DIGESTS, _NUMBERS = _slots()
# Elements without content, and those whose content is stepped over.
_EMPTY = bytearray(sorts & VOID > 0 for sorts in TAG_FLAGS)
_SKIPPED = bytearray(
    sorts & RAW > 0 or rules & ESCAPABLE > 0 for sorts, rules in zip(TAG_FLAGS, TREE_RULES, strict=True)
)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _find(
    source: cython.const[cython.uchar][::1], byte: cython.int, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
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
def _after_tag(
    source: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Just after the `>` that ends a tag; one in a quoted value does not."""
    i: cython.Py_ssize_t = start
    c: cython.int
    while i < stop:
        c = source[i]
        i += 1
        if c == 62:
            return i
        if c == 61:
            while i < stop and source[i] <= 32:
                i += 1
            if i < stop and (source[i] == 34 or source[i] == 39):
                i = _find(source, source[i], i + 1, stop) + 1
    return min(i, stop)


@cython.cfunc
@cython.exceptval(check=False)
def _after_markup(
    source: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Just after a comment, a doctype or what else begins with `<!` or `<?`."""
    i: cython.Py_ssize_t
    if start + 3 < stop and source[start + 1] == 33 and source[start + 2] == 45 and source[start + 3] == 45:
        i = start + 4
        if i < stop and source[i] == 62:
            return i + 1
        while True:
            i = _find(source, 62, i, stop)
            if i >= stop:
                return stop
            if source[i - 1] == 45 and source[i - 2] == 45:
                return i + 1
            if source[i - 1] == 33 and source[i - 2] == 45 and source[i - 3] == 45 and i - 3 >= start + 4:
                return i + 1
            i += 1
    return min(_find(source, 62, start, stop) + 1, stop)


@cython.cfunc
@cython.exceptval(check=False)
def _end_of_raw(
    source: cython.const[cython.uchar][::1],
    name: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Where the end tag of an element of nothing but text begins, given where its name stands; `stop` without one."""
    i: cython.Py_ssize_t = start
    k: cython.Py_ssize_t
    while True:
        i = _find(source, 60, i, stop)
        if i + 2 + length > stop:
            return stop
        if source[i + 1] == 47:
            k = 0
            while k < length and (source[i + 2 + k] | 32) == (source[name + k] | 32):
                k += 1
            if k == length and (i + 2 + length == stop or not _of_name(source[i + 2 + length])):
                return i
        i += 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _of_name(c: cython.int) -> cython.bint:
    """Whether a byte goes on with the name of an element."""
    return not (c <= 32 or c == 62 or c == 47)


def _room(count: int) -> Any:
    """Room for so many numbers, whatever they are now: to clear it would take as long as to read the page."""
    return np.empty(count, dtype=np.int32) if cython.compiled else array("i", bytes(4 * count))


def scan(source_: bytes, most: cython.Py_ssize_t = 0) -> tuple[int, Any, Any, Any, bytearray]:
    """The tokens of a source: how many, where each begins and ends, the number of its element, and what it is.

    Comments, and what stands in scripts, styles and other elements of raw text, are stepped over. Texts of nothing but
    blanks are no tokens; the others are without the blanks around them. `most` is how many tokens there is room for:
    to count the tags first would take longer than to read them all, so a page with more is read again.
    """
    source: cython.const[cython.uchar][::1] = source_
    stop: cython.Py_ssize_t = len(source_)
    if most == 0:
        most = stop // BYTES_A_TOKEN + 64
    at_, stop_, tag_ = _room(most), _room(most), _room(most)
    what_ = bytearray(most)
    at: cython.int[::1] = at_
    stops: cython.int[::1] = stop_
    tag: cython.int[::1] = tag_
    what: cython.uchar[::1] = what_
    digests: cython.const[cython.ulonglong][::1] = _DIGESTS
    numbers: cython.const[cython.int][::1] = _NUMBERS
    empty: cython.const[cython.uchar][::1] = _EMPTY
    skipped: cython.const[cython.uchar][::1] = _SKIPPED
    n: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    name: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    c: cython.int
    number: cython.int
    closing: cython.bint
    linked: cython.bint = False
    digest: cython.ulonglong
    while i < stop:
        if n + 2 > most:
            return scan(source_, 8 * most)
        j = _find(source, 60, i, stop)
        # A `<` that begins no tag is text.
        while j + 1 < stop:
            c = source[j + 1] | 32
            if 97 <= c <= 122 or source[j + 1] == 47 or source[j + 1] == 33 or source[j + 1] == 63:
                break
            j = _find(source, 60, j + 1, stop)
        if j + 1 >= stop:
            j = stop
        k = j
        while i < k and source[i] <= 32:
            i += 1
        while k > i and source[k - 1] <= 32:
            k -= 1
        if k > i:
            at[n] = i
            stops[n] = k
            tag[n] = 0
            what[n] = LINKED if linked else TEXT
            n += 1
        if j >= stop:
            break
        i = j
        if source[i + 1] == 33 or source[i + 1] == 63:
            i = _after_markup(source, i, stop)
            continue
        closing = source[i + 1] == 47
        name = i + 2 if closing else i + 1
        k = name
        digest = SEED
        while k < stop and _of_name(source[k]):
            c = source[k]
            if 65 <= c <= 90:
                c |= 32
            if cython.compiled:
                digest = (digest ^ c) * PRIME
            else:
                digest = ((digest ^ c) * PRIME) & _MASK
            k += 1
        if k == name or not 97 <= (source[name] | 32) <= 122:  # </> and its like are nothing
            i = min(_find(source, 62, i, stop) + 1, stop)
            continue
        slot = cython.cast(cython.Py_ssize_t, digest & (SLOTS - 1))
        while digests[slot] and digests[slot] != digest:
            slot = (slot + 1) & (SLOTS - 1)
        number = numbers[slot]
        if number < 0:
            number = KNOWN + cython.cast(cython.int, (digest >> 20) % NAMES)
        j = _after_tag(source, k, stop)
        at[n] = i
        stops[n] = j
        tag[n] = number
        if closing:
            what[n] = END
            if number == LINK:
                linked = False
        elif (number < KNOWN and empty[number]) or (source[j - 2] == 47 and number >= KNOWN):
            what[n] = ALONE
        else:
            what[n] = START
            if number == LINK:
                linked = True
            elif number < KNOWN and skipped[number]:
                i = _end_of_raw(source, name, k - name, j, stop)
                j = _after_tag(source, i, stop)
                stops[n] = j
                what[n] = ALONE
        n += 1
        i = j
    return n, at_, stop_, tag_, what_
