# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""The characters of a page that no reader sees, dropped before the page is made.

One pass over the bytes finds the texts and values that may hold such a character: few pages have any. Only these are
given to `pagesieve.text.whitespace.clean`.
"""

from __future__ import annotations

import cython
from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
from cython.cimports.pagesieve.page.kernel.constants import CARRIAGE_RETURN, LINE_FEED, NO_BREAK_SPACE, SPACE, TAB
from cython.cimports.pagesieve.page.kernel.tags import TAG_SCRIPT, TAG_STYLE, TEXT

from pagesieve.text.whitespace import clean


def _steps() -> bytes:
    """Return by byte how far the next character is, 0 where one that is looked for may begin with it."""
    controls = [c for c in range(SPACE) if c not in (TAB, LINE_FEED, CARRIAGE_RETURN)]
    suspects = (*controls, 127, 0xC2, 0xCD, 0xE1, 0xE2, 0xE3, 0xEF, 0xF0, 0xF3)  # as `is_plain` has them
    return bytes(0 if c in suspects else 1 if c < 0xC0 else 2 if c < 0xE0 else 3 if c < 0xF0 else 4 for c in range(256))


_STEPS = cython.declare(cython.const[cython.uchar][::1], _steps())
_BLOCK = cython.declare(cython.Py_ssize_t, 16)  # bytes that are looked at together,
_READ = cython.declare(cython.Py_ssize_t, 18)  # with those that end a character which begins there
_APART = cython.declare(cython.Py_ssize_t, 64)  # bytes between two such characters that are cleaned apart


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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def next_suspect(data: cython.p_const_uchar, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return where the next character stands in a span of UTF-8 that may be one that is looked for, or `stop`."""
    while at < stop:
        if at + _READ <= stop and is_plain(data + at):  # noqa: F821 (it is C, in cleaning.pxd)
            at += _BLOCK
            continue
        last: cython.Py_ssize_t = min(at + _BLOCK, stop)
        while at < last:
            if _STEPS[data[at]] > 0:
                at += _STEPS[data[at]]
            elif _begins_suspect(data, at, stop):
                return at
            else:
                at += 1
    return stop


def has_suspect(data, at, stop):
    """Whether a span of UTF-8 may hold a character that is looked for."""
    return next_suspect(data, at, stop) < stop


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _next_code(
    row: cython.int,
    rows: cython.int,
    tag: cython.pointer(cython.const[cython.int]),
    parent: cython.pointer(cython.const[cython.int]),
) -> cython.int:
    """Return the next row with the text of a script or style, or `rows`."""
    while row < rows and (tag[row] != TEXT or (tag[parent[row]] != TAG_SCRIPT and tag[parent[row]] != TAG_STYLE)):
        row += 1
    return row


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _next_text(
    row: cython.int,
    rows: cython.int,
    tag: cython.pointer(cython.const[cython.int]),
    parent: cython.pointer(cython.const[cython.int]),
    text_at: cython.p_int,
    text: cython.p_const_uchar,
    code: cython.p_int,
) -> cython.int:
    """Return the next row from one on whose text may hold a character that is looked for, or `rows`.

    `code` is the next one with a script or a style, as far as that is known.
    """
    while row < rows:  # what is between two scripts is looked at together: most texts are short
        if row > code[0]:
            code[0] = _next_code(row, rows, tag, parent)
        at: cython.Py_ssize_t = next_suspect(text, text_at[row], text_at[code[0]])
        while row < code[0] and text_at[row + 1] <= at:
            row += 1
        if row < code[0] and tag[row] == TEXT:
            return row
        row += 1
    return rows


def first_unclean(rows, tag, parent, text_at, text):
    """Return the first row whose text may have to be cleaned, or `rows`."""
    code: cython.int = 0
    return _next_text(1, rows, tag, parent, text_at, text, cython.address(code))


def cleaned_texts(rows, tag, parent, text_at, text, first):
    """Return the texts of a buffer cleaned, from the row `first` on, and change their offsets."""
    places: list[int] = []
    row: cython.int = first
    code: cython.int = 0
    while row < rows:
        places.append(row)
        row = _next_text(row + 1, rows, tag, parent, text_at, text, cython.address(code))
    return _cleaned(rows, text_at, text, places)


def cleaned_values(count, value_at, values, is_clean):
    """Return the values of a buffer cleaned, if it is not clean, and change their offsets."""
    places: list[int] = []
    if not is_clean:
        places = [k for k in range(count) if has_suspect(values, value_at[k], value_at[k + 1])]
    return _cleaned(count, value_at, values, places)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _after_character(data: cython.p_const_uchar, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return where the character ends that begins at a byte, if that is not the end of the text already."""
    if at < stop:
        at += 1
    while at < stop and data[at] & 0xC0 == 0x80:
        at += 1
    return at


@cython.cfunc
def _cleaned_span(data: cython.p_const_uchar, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> bytes:
    """Return a text cleaned: each place with such characters by itself, with the characters before and after it."""
    pieces: list[bytes] = []
    first: cython.Py_ssize_t = next_suspect(data, at, stop)
    while first < stop:
        last: cython.Py_ssize_t = first
        after: cython.Py_ssize_t = first
        while after < stop and after - last <= _APART:
            last = after
            after = next_suspect(data, after + 1, stop)
        last = _after_character(data, _after_character(data, last, stop), stop)
        if first > at:
            first -= 1
            while first > at and data[first] & 0xC0 == 0x80:
                first -= 1
        pieces += [data[at:first], clean(data[first:last].decode("utf-8", "replace")).encode()]
        at = last
        first = after
    pieces.append(data[at:stop])
    return b"".join(pieces)


@cython.cfunc
def _cleaned(count: cython.int, offsets: cython.p_int, buffer: cython.p_const_uchar, places: list) -> bytes:
    """Return a buffer with the spans at some places cleaned, and change the offsets of all."""
    pieces: list[bytes] = []
    copied: cython.int = 0
    longer: cython.int = 0  # by how many bytes the buffer is longer so far
    last: cython.int = offsets[count]
    k: cython.int = 0
    text: bytes
    if not places:
        return PyBytes_FromStringAndSize(cython.cast(cython.p_const_char, buffer), last)
    for place in places:
        while k <= place:
            offsets[k] += longer
            k += 1
        start: cython.int = offsets[place] - longer
        stop: cython.int = offsets[k]
        text = _cleaned_span(buffer, start, stop)
        pieces += [buffer[copied:start], text]
        copied = stop
        longer += cython.cast(cython.int, len(text)) - (stop - start)
    while k <= count:
        offsets[k] += longer
        k += 1
    pieces.append(buffer[copied:last])
    return b"".join(pieces)


def texts(
    tag: cython.const[cython.int][::1],
    parent: cython.const[cython.int][::1],
    text_at: cython.int[::1],
    text: bytes,
) -> bytes:
    """Return the buffer of the texts of a page, cleaned; the offsets are changed in place."""
    tags: cython.pointer(cython.const[cython.int]) = cython.address(tag[0])
    parents: cython.pointer(cython.const[cython.int]) = cython.address(parent[0])
    at: cython.p_int = cython.address(text_at[0])
    first = first_unclean(len(tag), tags, parents, at, text)
    return cleaned_texts(len(tag), tags, parents, at, text, first)


def values(value_at: cython.int[::1], values: bytes) -> bytes:
    """Return the buffer of the values of a page, cleaned; the offsets are changed in place."""
    count = len(value_at) - 1
    is_clean = not has_suspect(values, 0, value_at[count])
    return cleaned_values(count, cython.address(value_at[0]), values, is_clean)
