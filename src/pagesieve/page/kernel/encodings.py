# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Bytes of other encodings as UTF-8, and how far bytes are UTF-8, without a text in between."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cython.cimports.libc.string import memcpy
from cython.cimports.pagesieve.page.kernel.constants import GREATER, LESS

_HIGH_BITS = cython.declare(cython.ulonglong, 0x8080808080808080)
_NO_BREAK_SPACE = cython.declare(cython.int, 0xA0)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _ascii_end(source: cython.p_const_uchar, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return where the next byte beyond ASCII stands, or `stop`."""
    eight: cython.ulonglong = 0
    while at + 8 <= stop:
        memcpy(cython.address(eight), source + at, 8)
        if eight & _HIGH_BITS:
            break
        at += 8
    while at < stop and source[at] < 0x80:
        at += 1
    return at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _count_beyond_ascii(source: cython.p_const_uchar, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
    count: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t
    for k in range(stop):
        count += source[k] >> 7
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
        after = _ascii_end(source, at, stop)
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
    return at if at < stop and source[at] >= 0x80 else _ascii_end(source, at, stop)


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
    with cython.nogil:
        left: cython.Py_ssize_t = _count_beyond_ascii(source, stop)
        at = _ascii_end(source, 0, stop)
        while at < stop and broken <= most * (count + left):
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
            at = _ascii_end(source, at, stop)
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
    start: cython.Py_ssize_t = _ascii_end(source, 0, stop)
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
        start = _ascii_end(source, end, stop)
    return pieces


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_sign(c: cython.int) -> cython.bint:
    """Whether a byte begins or ends a tag."""
    return c == LESS or c == GREATER
