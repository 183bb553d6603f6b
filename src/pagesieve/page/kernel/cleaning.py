# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""The characters of a page that no reader sees, dropped before the page is made.

One pass over the bytes finds the texts and values that may hold such a character: few pages have any. Only these are
given to `pagesieve.text.invisible.clean`.
"""

from __future__ import annotations

import cython
from cython.cimports.libc.string import memcpy
from cython.cimports.pagesieve.page.kernel.constants import CARRIAGE_RETURN, LINE_FEED, NO_BREAK_SPACE, SPACE, TAB
from cython.cimports.pagesieve.page.kernel.tags import TAG_SCRIPT, TAG_STYLE, TEXT

from pagesieve.text.invisible import clean


def _leads() -> bytes:
    """Return by byte whether a character that is looked for may begin with it."""
    controls = [c for c in range(SPACE) if c not in (TAB, LINE_FEED, CARRIAGE_RETURN)]
    return bytes(c in (*controls, 127, 0xC2, 0xCD, 0xE1, 0xE2, 0xE3, 0xEF, 0xF0, 0xF3) for c in range(256))


_LEADS = cython.declare(cython.const[cython.uchar][::1], _leads())


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _equal(word: cython.ulonglong, byte: cython.ulonglong) -> cython.ulonglong:
    """Return the high bit of each byte of a word of ASCII that is this one."""
    ones: cython.ulonglong = 0x0101010101010101
    return ~((word ^ ones * byte) + ones * 0x7F)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_plain(data: cython.p_const_uchar) -> cython.bint:
    """Whether eight bytes are letters, digits, signs or white space of ASCII."""
    ones: cython.ulonglong = 0x0101010101010101
    word: cython.ulonglong = 0
    memcpy(cython.address(word), data, 8)
    above: cython.ulonglong = ((word & ones * 0x7F) + ones | word) & ones * 0x80  # 127 and all beyond ASCII
    below: cython.ulonglong = ~((word & ones * 0x7F) + ones * (0x80 - SPACE)) & ones * 0x80
    if above | below == 0:
        return True
    white: cython.ulonglong = _equal(word, LINE_FEED) | _equal(word, TAB) | _equal(word, CARRIAGE_RETURN)
    return above == 0 and below & ~white == 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_suspect(code: cython.int) -> cython.bint:
    """Whether a character of two or three bytes is one that is looked for."""
    if code < 0x2000:
        return (
            code < NO_BREAK_SPACE
            or code == 0xAD
            or code == 0x34F
            or 0x115F <= code <= 0x1160
            or 0x17B4 <= code <= 0x17B5
            or 0x180B <= code <= 0x180F
        )
    if code < 0x3000:
        return 0x200B <= code <= 0x200D or 0x202A <= code <= 0x202E or 0x2060 <= code <= 0x206F
    return code == 0x3164 or 0xFE00 <= code <= 0xFE0F or code == 0xFEFF or code == 0xFFA0 or 0xFFF0 <= code <= 0xFFFB


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _begins_suspect(data: cython.p_const_uchar, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether a character that is looked for may begin at a byte; of those of four bytes, by the first two."""
    lead: cython.int = data[at]
    if lead < 128:
        return True
    if lead >= 0xF0:
        return at + 1 < stop and (lead == 0xF3 or data[at + 1] == 0x9B or data[at + 1] == 0x9D)
    if lead < 0xE0:
        return at + 1 < stop and _is_suspect((lead & 0x1F) << 6 | (data[at + 1] & 0x3F))
    return at + 2 < stop and _is_suspect((lead & 0x0F) << 12 | (data[at + 1] & 0x3F) << 6 | (data[at + 2] & 0x3F))


def has_suspect(data, at, stop):
    """Whether a span of UTF-8 may hold a character that is looked for."""
    while at < stop:
        if at + 8 <= stop and _is_plain(data + at):
            at += 8
            continue
        last: cython.Py_ssize_t = min(at + 8, stop)
        while at < last:
            if _LEADS[data[at]] and _begins_suspect(data, at, stop):
                return True
            at += 1
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _next_text(
    row: cython.int,
    rows: cython.int,
    tag: cython.pointer(cython.const[cython.int]),
    parent: cython.pointer(cython.const[cython.int]),
    text_at: cython.pointer(cython.const[cython.int]),
    text: cython.p_const_uchar,
) -> cython.int:
    """Return the next row whose own text may hold such a character and is no script or style, or `rows`."""
    while row < rows:
        if (
            tag[row] == TEXT
            and tag[parent[row]] != TAG_SCRIPT
            and tag[parent[row]] != TAG_STYLE
            and has_suspect(text, text_at[row], text_at[row + 1])
        ):
            return row
        row += 1
    return rows


def cleaned_texts(rows, tag, parent, text_at, text):
    """Return a buffer with its texts cleaned, and change their offsets."""
    data: cython.p_const_uchar = text
    row: cython.int
    with cython.nogil:
        row = _next_text(1, rows, tag, parent, text_at, data)
    places: list[int] = []
    while row < rows:
        places.append(row)
        row = _next_text(row + 1, rows, tag, parent, text_at, data)
    return _cleaned(rows, text_at, text, places) if places else text


def cleaned_values(count, value_at, values):
    """Return a buffer with its values cleaned, and change their offsets."""
    data: cython.p_const_uchar = values
    is_clean: cython.bint
    with cython.nogil:
        is_clean = not has_suspect(data, 0, value_at[count])
    if is_clean:
        return values
    places = [k for k in range(count) if has_suspect(data, value_at[k], value_at[k + 1])]
    return _cleaned(count, value_at, values, places) if places else values


@cython.cfunc
def _cleaned(count: cython.int, offsets: cython.p_int, buffer: bytes, places: list) -> bytes:
    """Return a buffer with the spans at some places cleaned, and change the offsets of all."""
    pieces: list[bytes] = []
    copied: cython.int = 0
    longer: cython.int = 0  # by how many bytes the buffer is longer so far
    k: cython.int = 0
    for place in places:
        while k <= place:
            offsets[k] += longer
            k += 1
        start = offsets[place] - longer
        stop = offsets[k]
        text: bytes = clean(buffer[start:stop].decode("utf-8", "replace")).encode()
        pieces += [buffer[copied:start], text]
        copied = stop
        longer += cython.cast(cython.int, len(text)) - (stop - start)
    while k <= count:
        offsets[k] += longer
        k += 1
    pieces.append(buffer[copied:])
    return b"".join(pieces)


def texts(
    tag: cython.const[cython.int][::1],
    parent: cython.const[cython.int][::1],
    text_at: cython.int[::1],
    text: bytes,
) -> bytes:
    """Return the buffer of the texts of a page, cleaned; the offsets are changed in place."""
    return cleaned_texts(len(tag), cython.address(tag[0]), cython.address(parent[0]), cython.address(text_at[0]), text)


def values(value_at: cython.int[::1], values: bytes) -> bytes:
    """Return the buffer of the values of a page, cleaned; the offsets are changed in place."""
    return cleaned_values(len(value_at) - 1, cython.address(value_at[0]), values)
