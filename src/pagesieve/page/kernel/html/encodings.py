# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Bytes of other encodings as UTF-8, and how far bytes are UTF-8, without a text in between."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cython.cimports.libc.string import memcpy
from cython.cimports.pagesieve.page.kernel.constants import GREATER, LESS
from cython.cimports.pagesieve.page.kernel.html.tokenizer import ascii_end

_NO_BREAK_SPACE = cython.declare(cython.int, 0xA0)


# The counts are made in blocks, in numbers of a byte: such loops the C compiler can vectorise.


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count_beyond_ascii(source: cython.p_const_uchar, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
    count: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t
    while at + 64 <= stop:
        block: cython.uchar = 0
        for k in range(64):
            block += source[at + k] >> 7
        count += block
        at += 64
    for k in range(at, stop):
        count += source[k] >> 7
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count_starts(source: cython.p_const_uchar, stop: cython.Py_ssize_t, apart: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Count the bytes that can only begin a character of UTF-8, and have another such byte so many bytes after."""
    count: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t
    while at + apart + 64 <= stop:
        block: cython.uchar = 0
        for k in range(64):
            both: cython.uchar = source[at + k] & source[at + apart + k]
            block += cython.cast(cython.uchar, both >= 0xC0)
        count += block
        at += 64
    for k in range(at, stop - apart):
        count += source[k] & source[k + apart] >= 0xC0
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _transcode(
    source: cython.p_const_uchar,
    stop: cython.Py_ssize_t,
    singles: cython.pointer(cython.const[cython.ushort]),
    doubles: cython.pointer(cython.const[cython.ushort]),
    target: cython.p_uchar,
) -> cython.Py_ssize_t:
    """Write a source as UTF-8; return how many bytes that takes, or -1 for what the tables do not have."""
    at: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = 0
    after: cython.Py_ssize_t
    code: cython.uint
    while at < stop:
        after = ascii_end(source, at, stop)
        if after > at:
            memcpy(target + end, source + at, after - at)
            end += after - at
            at = after
        while at < stop and source[at] >= 0x80:
            code = singles[source[at]]
            if code == 0:
                if at + 1 >= stop:
                    return -1
                code = doubles[(source[at] & 0x7F) << 8 | source[at + 1]]
                if code == 0:
                    return -1
                at += 1
            at += 1
            if code < 0x800:
                target[end] = 0xC0 | code >> 6
                target[end + 1] = 0x80 | code & 63
                end += 2
            else:
                target[end] = 0xE0 | code >> 12
                target[end + 1] = 0x80 | code >> 6 & 63
                target[end + 2] = 0x80 | code & 63
                end += 3
    return end


def transcode(data: bytes, singles: Any, doubles: Any) -> bytes | None:
    """Return a source in an encoding that has ASCII's characters in ASCII's bytes, as UTF-8.

    `singles` has the code point of each byte, 0 for one that is no character by itself; `doubles` that of each pair, by
    128 first and 256 second bytes. None where the source has bytes that these tables do not have, in which case it may
    be damaged.
    """
    of_byte: cython.const[cython.ushort][::1] = singles
    of_pair: cython.const[cython.ushort][::1] = doubles
    source: cython.p_const_uchar = data
    stop: cython.Py_ssize_t = len(data)
    room: cython.Py_ssize_t = stop + 2 * _count_beyond_ascii(source, stop)
    target: bytes = PyBytes_FromStringAndSize(cython.NULL, room)
    into: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(target))
    size: cython.Py_ssize_t
    with cython.nogil:
        size = _transcode(source, stop, cython.address(of_byte[0]), cython.address(of_pair[0]), into)
    return None if size < 0 else target[:size]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _continues(first: cython.int, place: cython.int, byte: cython.int) -> cython.bint:
    """Whether a byte may stand at a place, from 1, of a character of UTF-8 with this first byte."""
    if byte & 0xC0 != 0x80:
        return False
    if place > 1:
        return True
    # What could be written shorter, halves of surrogate pairs, and what is beyond Unicode.
    return not (
        (first == 0xE0 and byte < 0xA0)
        or (first == 0xED and byte > 0x9F)
        or (first == 0xF0 and byte < 0x90)
        or (first == 0xF4 and byte > 0x8F)
    )


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _after(source: cython.p_const_uchar, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return where the next byte beyond ASCII stands after this one, or `stop`."""
    at += 1
    return at if at < stop and source[at] >= 0x80 else ascii_end(source, at, stop)


def utf8_damage(data: bytes, most: cython.double) -> tuple[int, int]:
    """Return how many replacement characters take the place of bytes that are not UTF-8, and how many characters
    beyond ASCII there are then; ASCII is left out first, so that characters it stands in the middle of become whole.

    The counting may end early where it is certain that the share of the first in the second is above `most`.
    """
    source: cython.p_const_uchar = data
    stop: cython.Py_ssize_t = len(data)
    at: cython.Py_ssize_t = 0
    broken: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = 0
    first: cython.int
    size: cython.int
    place: cython.int
    left: cython.Py_ssize_t
    with cython.nogil:
        # A byte that begins a character is broken where another one follows: most other encodings are told by these.
        broken = _count_starts(source, stop, 1)
        count = _count_starts(source, stop, 0)
    if broken > most * count:
        return broken, count
    broken = count = 0
    with cython.nogil:
        left = _count_beyond_ascii(source, stop)
        at = ascii_end(source, 0, stop)
        while at < stop and broken <= most * (count + left // 2):  # what is left may all be whole, of two bytes or more
            first = source[at]
            size = 0
            if 0xC2 <= first <= 0xF4:
                size = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
            at = _after(source, at, stop)
            place = 1
            while place < size and at < stop and _continues(first, place, source[at]):
                at = _after(source, at, stop)
                place += 1
            left -= place
            count += 1
            broken += place != size
    return broken, count


def long_runs(data: bytes, least: cython.Py_ssize_t) -> tuple[int, int]:
    """Return how many bytes stand in runs beyond ASCII of `least` or more, and how many bytes are beyond ASCII.

    No-break spaces end a run, since pages indent with them; a byte repeated is no run, but a row of dots.
    """
    source: cython.p_const_uchar = data
    stop: cython.Py_ssize_t = len(data)
    at: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t
    long: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = 0
    differ: cython.bint
    with cython.nogil:
        while True:
            at = ascii_end(source, at, stop)
            if at >= stop:
                break
            if source[at] == _NO_BREAK_SPACE:
                count += 1
                at += 1
                continue
            start = at
            differ = False
            while at < stop and source[at] >= 0x80 and source[at] != _NO_BREAK_SPACE:
                differ = differ or source[at] != source[start]
                at += 1
            count += at - start
            if differ and at - start >= least:
                long += at - start
    return long, count


def sample(
    data: bytes, within: cython.Py_ssize_t, room: cython.Py_ssize_t, most: cython.int, before: cython.int
) -> list[bytes]:
    """Return pieces of text with characters beyond ASCII, without markup, until they have `room` bytes.

    A piece begins with up to `before` bytes of the text before such a character, and has `most` bytes after it; it then
    goes on to a byte that is no part of a longer character in any encoding, so as not to cut one in two.
    """
    source: cython.p_const_uchar = data
    stop: cython.Py_ssize_t = min(cython.cast(cython.Py_ssize_t, len(data)), within)
    pieces: list[bytes] = []
    end: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t
    start: cython.Py_ssize_t = ascii_end(source, 0, stop)
    while room > 0 and start < stop:
        begin = start
        while begin > end and begin > start - before and not _is_sign(source[begin - 1]):
            begin -= 1
        end = start + 1
        while end < stop and end <= start + most and not _is_sign(source[end]):
            end += 1
        while end < stop and source[end] >= 0x40:
            end += 1
        pieces.append(data[begin:end])
        room -= end - begin
        start = ascii_end(source, end, stop)
    return pieces


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_sign(c: cython.int) -> cython.bint:
    """Whether a byte begins or ends a tag."""
    return c == LESS or c == GREATER


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_control(c: cython.uchar) -> cython.uchar:
    """Return 1 for a control character that is no zero, white space or escape, else 0: without a jump."""
    is_low: cython.uchar = c < 32
    is_white: cython.uchar = cython.cast(cython.uchar, c - 9) < 5
    is_zero: cython.uchar = c == 0
    is_escape: cython.uchar = c == 27
    is_delete: cython.uchar = c == 127
    return is_low - is_white - is_zero - is_escape + is_delete


def count_controls(data: bytes, within: cython.Py_ssize_t) -> tuple[int, int]:
    """Count zeros, and other control characters but for white space and escapes, in the first bytes of a source."""
    source: cython.p_const_uchar = data
    stop: cython.Py_ssize_t = min(within, len(data))
    at: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t
    zeros: cython.Py_ssize_t = 0
    controls: cython.Py_ssize_t = 0
    while at + 64 <= stop:
        zeros_here: cython.uchar = 0
        controls_here: cython.uchar = 0
        for k in range(64):
            zeros_here += cython.cast(cython.uchar, source[at + k] == 0)
            controls_here += _is_control(source[at + k])
        zeros += zeros_here
        controls += controls_here
        at += 64
    for k in range(at, stop):
        zeros += source[k] == 0
        controls += _is_control(source[k])
    return zeros, controls
