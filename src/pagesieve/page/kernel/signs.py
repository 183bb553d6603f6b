# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""What features are made of: the marks in each text, and the nearest element of a kind above each row."""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import shadow as cython

MARK = cython.declare(cython.int, 1)  # a comma, a colon, a stop
STOP = cython.declare(cython.int, 2)  # what ends a sentence
CLOSING = cython.declare(cython.int, 4)  # a quote or bracket that may follow a stop


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _sort(code: cython.int) -> cython.int:
    """What sort of sign a character is; 0 for a letter, a digit and the rest."""
    if code < 128:
        if code == 46 or code == 33 or code == 63:  # . ! ?
            return MARK | STOP
        if code == 44 or code == 58 or code == 59:  # , : ;
            return MARK
        if code == 34 or code == 39 or code == 41 or code == 93:  # " ' ) ]
            return CLOSING
        return 0
    if code < 0x2000:
        if code == 0x61F or code == 0x964 or code == 0x965 or code == 0x6D4 or code == 0x589 or code == 0x104B:
            return MARK | STOP  # Arabic, Devanagari, Urdu, Armenian, Burmese
        if code == 0x60C or code == 0x61B or code == 0x387:
            return MARK
        return CLOSING if code == 0xBB else 0
    if code == 0x2026 or code == 0x3002 or code == 0xFF01 or code == 0xFF1F or code == 0xFF0E or code == 0xFF61:
        return MARK | STOP  # the ellipsis and the stops of Chinese and Japanese
    if code == 0x3001 or code == 0xFF0C or code == 0xFF1A or code == 0xFF1B or code == 0xFF64:
        return MARK
    if code == 0x2019 or code == 0x201D or code == 0x300D or code == 0x300F or code == 0xFF09 or code == 0x3011:
        return CLOSING
    return 0


def signs(text_buffer: bytes, text_at_: Any, rows_: Any) -> tuple[array[int], array[int], bytearray]:
    """Of each text row asked for: its marks, its digits, and whether it ends with the end of a sentence."""
    text: cython.const[cython.uchar][::1] = text_buffer
    text_at: cython.const[cython.int][::1] = text_at_ if cython.compiled else text_at_.tolist()
    rows: cython.const[cython.int][::1] = rows_ if cython.compiled else rows_.tolist()
    count: cython.Py_ssize_t = len(rows)
    marks_ = array("i", bytes(4 * count))
    digits_ = array("i", bytes(4 * count))
    stops_ = bytearray(count)
    marks: cython.int[::1] = marks_
    digits: cython.int[::1] = digits_
    stops: cython.uchar[::1] = stops_
    k: cython.Py_ssize_t
    at: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    byte: cython.int
    code: cython.int
    sort: cython.int
    ended: cython.bint
    for k in range(count):
        at = text_at[rows[k]]
        stop = text_at[rows[k] + 1]
        ended = False
        while at < stop:
            byte = text[at]
            if byte < 128:
                code = byte
                at += 1
                if 48 <= byte <= 57:
                    digits[k] += 1
                elif byte <= 32:
                    continue
            elif at + (2 if byte < 0xE0 else 3 if byte < 0xF0 else 4) > stop:  # cut off
                break
            elif byte < 0xE0:
                code = ((byte & 31) << 6) | (text[at + 1] & 63)
                at += 2
                if code == 0xA0:
                    continue
            elif byte < 0xF0:
                code = ((byte & 15) << 12) | ((text[at + 1] & 63) << 6) | (text[at + 2] & 63)
                at += 3
                if 0xFF10 <= code <= 0xFF19:
                    digits[k] += 1
                elif code == 0x3000:
                    continue
            else:
                code = 0x10000
                at += 4
            sort = _sort(code)
            if sort & MARK:
                marks[k] += 1
            if sort & STOP:
                ended = True
            elif not sort & CLOSING:
                ended = False
        stops[k] = ended
    return marks_, digits_, stops_


def nearest(parent_: Any, marked_: Any) -> array[int]:
    """For each row the nearest one at or above it that is marked; 0, the document, where there is none."""
    parent: cython.const[cython.int][::1] = parent_ if cython.compiled else parent_.tolist()
    marked: cython.const[cython.uchar][::1] = marked_ if cython.compiled else marked_.tolist()
    count: cython.int = len(parent)
    found_ = array("i", bytes(4 * count))
    found: cython.int[::1] = found_
    row: cython.int
    for row in range(1, count):
        found[row] = row if marked[row] else found[parent[row]]
    return found_
