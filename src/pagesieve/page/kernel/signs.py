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
PRICE = cython.declare(cython.int, 8)  # a sign of money


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
        if code == 36:  # $
            return PRICE
        if code == 34 or code == 39 or code == 41 or code == 93:  # " ' ) ]
            return CLOSING
        return 0
    if code < 0x2000:
        if code == 0x61F or code == 0x964 or code == 0x965 or code == 0x6D4 or code == 0x589 or code == 0x104B:
            return MARK | STOP  # Arabic, Devanagari, Urdu, Armenian, Burmese
        if code == 0x60C or code == 0x61B or code == 0x387:
            return MARK
        return CLOSING if code == 0xBB else PRICE if 0xA2 <= code <= 0xA5 else 0  # ¢ £ ¤ ¥
    if code == 0x2026 or code == 0x3002 or code == 0xFF01 or code == 0xFF1F or code == 0xFF0E or code == 0xFF61:
        return MARK | STOP  # the ellipsis and the stops of Chinese and Japanese
    if code == 0x3001 or code == 0xFF0C or code == 0xFF1A or code == 0xFF1B or code == 0xFF64:
        return MARK
    if code == 0x2019 or code == 0x201D or code == 0x300D or code == 0x300F or code == 0xFF09 or code == 0x3011:
        return CLOSING
    if 0x20A0 <= code <= 0x20BF or code == 0x5143 or code == 0x5186 or code == 0xC6D0 or code == 0xFFE5:
        return PRICE  # € ₽ ₹ and their like, 元, 円, 원
    return 0


def signs(
    text_buffer: bytes, text_at_: Any, rows_: Any
) -> tuple[array[int], array[int], bytearray, array[int], array[int]]:
    """Of each text row asked for: marks, digits, whether it ends with a sentence's end, signs of money, dates.

    Dates are numbers of four digits that begin with 19 or 20, and times of the day.
    """
    text: cython.const[cython.uchar][::1] = text_buffer
    text_at: cython.const[cython.int][::1] = text_at_ if cython.compiled else text_at_.tolist()
    rows: cython.const[cython.int][::1] = rows_ if cython.compiled else rows_.tolist()
    count: cython.Py_ssize_t = len(rows)
    marks_ = array("i", bytes(4 * count))
    digits_ = array("i", bytes(4 * count))
    stops_ = bytearray(count)
    prices_ = array("i", bytes(4 * count))
    dates_ = array("i", bytes(4 * count))
    marks: cython.int[::1] = marks_
    digits: cython.int[::1] = digits_
    stops: cython.uchar[::1] = stops_
    prices: cython.int[::1] = prices_
    dates: cython.int[::1] = dates_
    k: cython.Py_ssize_t
    at: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    byte: cython.int
    code: cython.int
    sort: cython.int
    ended: cython.bint
    run: cython.int  # digits in a row, up to here
    number: cython.int  # what they say
    hour: cython.bint  # whether a colon stands before them, and a number before that
    for k in range(count):
        at = text_at[rows[k]]
        stop = text_at[rows[k] + 1]
        ended = False
        run = number = 0
        hour = False
        while at < stop:
            byte = text[at]
            if byte < 128:
                code = byte
                at += 1
                if 48 <= byte <= 57:
                    digits[k] += 1
                    run += 1
                    number = 10 * number + byte - 48 if run <= 4 else 0
                    ended = False
                    continue
                if (run == 4 and 1900 <= number < 2100) or (run == 2 and hour):
                    dates[k] += 1
                hour = byte == 58 and 0 < run <= 2
                run = number = 0
                if byte <= 32:
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
            if byte >= 128 and run:
                if run == 4 and 1900 <= number < 2100:
                    dates[k] += 1
                run = number = 0
            if sort & PRICE:
                prices[k] += 1
            if sort & MARK:
                marks[k] += 1
            if sort & STOP:
                ended = True
            elif not sort & CLOSING:
                ended = False
        if (run == 4 and 1900 <= number < 2100) or (run == 2 and hour):
            dates[k] += 1
        stops[k] = ended
    return marks_, digits_, stops_, prices_, dates_


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
