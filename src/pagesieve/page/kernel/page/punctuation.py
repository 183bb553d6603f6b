# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""What texts are made of: characters, words, numbers and marks, counted in one pass."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel.common import *
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.page.view import PageView, view_of

from pagesieve.page.kernel.constants import SIGNS

_SIGNS = cython.declare(cython.const[cython.uchar][::1], SIGNS)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_date(digits: cython.int, number: cython.int, minutes: cython.bint) -> cython.bint:
    """Whether a number is a year, or the minutes of a time."""
    return (digits == 4 and 1900 <= number < 2100) or (digits == 2 and minutes)


class CharCounter:
    """Count what texts are made of; the fields are in the `.pxd`."""

    def __init__(self) -> None:
        self.clear()

    def clear(self):
        """Begin again."""
        self.letters = self.capitals = self.digits = self.wide_digits = 0
        self.ideographs = self.words = self.marks = self.prices = 0
        self.dates = self.joined_dates = 0
        self.ended = False

    def read(self, text, start, stop):
        """Count what stands in a text. Words and numbers end with it."""
        data: cython.p_const_uchar = cython.address(text[0])
        i: cython.Py_ssize_t = start
        capitals: cython.int = 0
        letters: cython.int = 0
        self.in_word = self.minutes = self.joined_minutes = False
        self.joined = self.joined_number = 0
        while i < stop:
            c = data[i]
            if is_letter(c):
                if self.joined or self.joined_minutes:
                    self.end_joined(c)
                begin = i
                while i < stop and is_letter(data[i]):
                    capitals += data[i] <= UPPER_Z
                    i += 1
                letters += i - begin
                self.ended = False
                self.begin_word()
            elif c == SPACE and not self.joined:  # letters and spaces are the most frequent ones: without a call
                self.in_word = self.minutes = self.joined_minutes = False
                i += 1
            elif is_digit(c):
                i = self.read_digits(data, i, stop)
            elif c < 128:
                self.read_ascii(c)
                i += 1
            else:
                self.read_wide(utf8_code(text, i, stop))
                i += utf8_width(c)
        self.capitals += capitals
        self.letters += letters
        self.end_joined(0)

    def read_digits(self, text, i, stop):
        """Read digits and return where they end."""
        start: cython.Py_ssize_t = i
        number: cython.int = 0  # its last four digits
        while i < stop and is_digit(text[i]):
            number = (10 * number + text[i] - DIGIT_0) % 10_000
            self.joined_number = (10 * self.joined_number + text[i] - DIGIT_0) % 10_000
            i += 1
        self.digits += i - start
        self.joined += i - start
        self.dates += _is_date(i - start, number, self.minutes)
        self.minutes = i < stop and text[i] == COLON
        self.ended = False
        self.begin_word()
        return i

    def read_ascii(self, c):
        """Read another character of ASCII."""
        self.end_joined(c)
        self.minutes = self.minutes and c == COLON
        self.in_word = False
        if c > SPACE:
            self.read_sign(_SIGNS[c])

    def read_wide(self, code):
        """Read a character beyond ASCII."""
        sort: cython.int = _SIGNS[code]
        if not is_wide_space(code):
            if self.joined:
                self.end_joined(NO_CHARACTER)
            self.wide_digits += WIDE_DIGIT_0 <= code <= WIDE_DIGIT_9
            if sort:
                self.read_sign(sort)
            else:
                self.ended = False
        if CJK <= code < SURROGATES and not sort & (
            IS_MARK | IS_STOP
        ):  # the ideographic space too: models were trained so
            self.ideographs += 1
            self.words += self.ideographs & 1
            self.in_word = False
        elif not sort and code != NO_BREAK_SPACE:
            self.begin_word()

    def read_sign(self, sort):
        """Count a character that is neither a letter nor a digit of ASCII, by its bits."""
        self.marks += sort & IS_MARK != 0
        self.prices += sort & IS_PRICE != 0
        if sort & IS_STOP:
            self.ended = True
        elif not sort & IS_CLOSING:
            self.ended = False

    def begin_word(self):
        """Count a word, unless it has begun before."""
        if not self.in_word:
            self.in_word = True
            self.words += 1

    def end_joined(self, following):
        """End a number that may go on after wide spaces, given the character after it."""
        if self.joined == 0:  # there is none
            self.joined_minutes = self.joined_minutes and following >= 128
            return
        if following < 128:
            self.joined_dates += _is_date(self.joined, self.joined_number, self.joined_minutes)
            self.joined_minutes = following == COLON and self.joined <= 2
        else:
            self.joined_dates += _is_date(self.joined, self.joined_number, False)
        self.joined = self.joined_number = 0


def count(page: Any, rows: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Return of each of these text rows: marks, digits, whether it ends as a sentence does, prices, dates."""
    view: PageView = view_of(page)
    texts: cython.const[cython.int][::1] = as_column(rows)
    texts_count: cython.Py_ssize_t = len(texts)
    marks: cython.int[::1] = zeros("i", texts_count)
    digits: cython.int[::1] = zeros("i", texts_count)
    stops: cython.uchar[::1] = bytearray(texts_count)
    prices: cython.int[::1] = zeros("i", texts_count)
    dates: cython.int[::1] = zeros("i", texts_count)
    counter: CharCounter = CharCounter()
    for k in range(texts_count):
        counter.clear()
        counter.read(view.text, view.text_at[texts[k]], view.text_at[texts[k] + 1])
        marks[k] = counter.marks
        digits[k] = counter.digits + counter.wide_digits
        stops[k] = counter.ended
        prices[k] = counter.prices
        dates[k] = counter.joined_dates
    return marks, digits, stops, prices, dates
