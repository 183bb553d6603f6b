# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""What features are made of: the marks in each text, and the nearest element of a kind above each row."""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import cython_shim as cython

from pagesieve.page.kernel.characters import SIGNS

# The bits of `characters`.
MARK = cython.declare(cython.int, 1)
STOP = cython.declare(cython.int, 2)
CLOSING = cython.declare(cython.int, 4)
PRICE = cython.declare(cython.int, 8)


def signs(
    text_buffer: bytes, text_at_: Any, rows_: Any
) -> tuple[array[int], array[int], bytearray, array[int], array[int]]:
    """Of each text row asked for: marks, digits, whether it ends with a sentence's end, signs of money, dates.

    Dates are numbers of four digits that begin with 19 or 20, and times of the day.
    """
    text: cython.const[cython.uchar][::1] = text_buffer
    sorts: cython.const[cython.uchar][::1] = SIGNS
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
                code = 0xFFFF  # no sign
                at += 4
            sort = sorts[code]
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
