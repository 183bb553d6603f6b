# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""Find what readers see around the headline of a page: marked elements, texts with a year, lines, labels."""

from __future__ import annotations

from collections.abc import Callable
from json.encoder import encode_basestring
from typing import Any

import cython
from cython.cimports.cpython.unicode import PyUnicode_DATA, PyUnicode_KIND
from cython.cimports.libc.string import memcmp
from cython.cimports.pagesieve.page.kernel.common import count_below, is_digit, zeros
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.page.attributes import Labels, labels_of
from cython.cimports.pagesieve.page.kernel.page.stated import folded
from cython.cimports.pagesieve.page.kernel.page.view import PageView, view_of
from cython.cimports.pagesieve.page.kernel.tags import (
    ATTR_CLASS,
    ATTR_ID,
    IS_HIDDEN,
    IS_SEEN,
    IS_UNSEEN,
    KNOWN_TAGS,
    TEXT,
)

from pagesieve.page.kernel.tags import BLOCK, TAG_FLAGS, TAG_ID

MAX_LETTERS = 64  # of all words that are looked for at once
MAX_LABEL = 300  # characters of a class and an id: themes list everything in those of a whole page
_RING = cython.declare(cython.int, 64)  # lines that are remembered while others are found: a power of two


@cython.final
@cython.cclass
class Words:
    """Words of up to 64 letters in all, looked for at once; with `fold`, in either case of ASCII letters."""

    letters: cython.ulonglong[256]  # by byte: a bit for each letter of the words that it is
    begins: cython.ulonglong  # the bits that begin words,
    ends: cython.ulonglong  # and those that end them

    def __init__(self, *words: str, fold: bool = False) -> None:
        one: cython.ulonglong = 1
        place: cython.int = 0
        letter: cython.int
        if sum(len(word.encode()) for word in words) > MAX_LETTERS:
            raise ValueError(f"words of more than {MAX_LETTERS} letters")
        for word in words:
            self.begins |= one << place
            for letter in word.encode():
                self.letters[letter] |= one << place
                if fold and LOWER_A <= letter <= LOWER_Z:
                    self.letters[letter - 32] |= one << place
                place += 1
            self.ends |= one << (place - 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def found_in(self, text: cython.const[cython.uchar][::1], start: cython.int, stop: cython.int) -> cython.ulonglong:
        """Return the bits that end the words which a text contains."""
        read: cython.ulonglong = 0  # the letters up to which the last bytes are a word
        found: cython.ulonglong = 0
        at: cython.int
        for at in range(start, stop):
            read = ((read << 1) | self.begins) & self.letters[text[at]]
            found |= read & self.ends
        return found


@cython.final
@cython.cclass
class FactLabels:
    """Labels of two to 255 bytes that are looked for in one pass."""

    labels: tuple[str, ...]
    marks: list[bytes]
    first: cython.short[65536]  # by two bytes: the last label that begins with them, counted from 1, or 0
    other: cython.short[256]  # by label: another one that begins with the same bytes, or 0

    def __init__(self, *labels: str) -> None:
        pair: cython.int
        number: cython.int
        self.labels = tuple(dict.fromkeys(labels))
        self.marks = [label.encode() for label in self.labels]
        if len(self.marks) > 255 or not all(1 < len(mark) < 256 for mark in self.marks):
            raise ValueError("more than 255 labels, or one of a wrong size")
        for number in range(1, len(self.marks) + 1):
            mark = self.marks[number - 1]
            pair = mark[0] * 256 + mark[1]
            self.other[number] = self.first[pair]
            self.first[pair] = number

    def found_in(self, text: bytes) -> frozenset[str]:
        """Return the labels that a text contains."""
        start: cython.p_const_uchar = text
        size: cython.Py_ssize_t = len(text)
        at: cython.Py_ssize_t
        number: cython.int
        count: cython.int = len(self.marks)
        marks = cython.declare(cython.p_const_uchar[256])
        sizes = cython.declare(cython.Py_ssize_t[256])
        found = cython.declare(cython.uchar[256])
        for number in range(1, count + 1):
            mark: bytes = self.marks[number - 1]
            marks[number], sizes[number], found[number] = mark, len(mark), 0
        with cython.nogil:
            for at in range(size - 1):
                number = self.first[(start[at] << 8) | start[at + 1]]
                while number:
                    if sizes[number] <= size - at and memcmp(start + at, marks[number], sizes[number]) == 0:
                        found[number] = 1
                    number = self.other[number]
        return frozenset([self.labels[number - 1] for number in range(1, count + 1) if found[number]])


# What an element ends, by its number: a bit for a line, and one for a text, which the cells of a table end too.
_LINE = cython.declare(cython.int, 1)
_TEXT = cython.declare(cython.int, 2)


def _boundaries() -> bytearray:
    ends = bytearray(3 if flags & BLOCK else 0 for flags in TAG_FLAGS)
    ends[TAG_ID["br"]] = 3
    ends[TAG_ID["td"]] = ends[TAG_ID["th"]] = 2
    return ends


_ENDS = cython.declare(cython.const[cython.uchar][::1], _boundaries())


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_year(text: cython.const[cython.uchar][::1], start: cython.int, stop: cython.int) -> cython.bint:
    """Whether a text contains 19 or 20 and two more digits."""
    at: cython.int
    century: cython.int
    for at in range(start, stop - 3):
        if is_digit(text[at]) and is_digit(text[at + 1]) and is_digit(text[at + 2]) and is_digit(text[at + 3]):
            century = (text[at] - DIGIT_0) * 10 + text[at + 1] - DIGIT_0
            if 19 <= century <= 20:
                return True
    return False


def first_row(page: Any, tag: cython.int) -> int:
    """Return the first row of an element, or 0 where there is none."""
    view: PageView = view_of(page)
    row: cython.int
    for row in range(view.rows):
        if view.tag[row] == tag:
            return row
    return 0


def values_with(page: Any, name: cython.int, words: Words, most: cython.int) -> list[tuple[int, str]]:
    """Return those of the first `most` attributes of a name that contain a word: their rows and values."""
    view: PageView = view_of(page)
    k: cython.int
    row: cython.int = 0
    found: list[tuple[int, str]] = []
    for k in range(view.attributes):
        if view.attribute_name[k] != name:
            continue
        if most == 0:
            break
        most -= 1
        if words.found_in(view.values, view.value_at[k], view.value_at[k + 1]):
            while view.attribute_at[row + 1] <= k:
                row += 1
            found.append((row, view.value_of(k)))
    return found


@cython.final
@cython.cclass
class ShownRows:
    """A page and the rows of it that readers see, where what is hidden in some ways counts as seen."""

    view: PageView
    texts: bytes
    values: bytes
    visibility: cython.const[cython.uchar][::1]
    chars: cython.const[cython.int][::1]
    hidden_chars: cython.const[cython.int][::1]

    def __init__(self, page: Any, by_element: tuple[Any, Any, Any], ways: Any, shown_ways: bytes, last_soft: int):
        """Take a page, what its elements say of its rows, and why each of these is hidden.

        `shown_ways` marks those by their numbers that do not hide. Those up to `last_soft` make a row HIDDEN, the
        others UNSEEN.
        """
        self.view = view_of(page)
        self.texts, self.values = page.text_buffer, page.value_buffer
        self.visibility, self.chars = by_element[0], by_element[1]
        self.hidden_chars = self.chars
        if ways is not None:
            self._hide(ways, shown_ways, last_soft)

    @cython.cfunc
    def _hide(self, ways: cython.const[cython.uchar][::1], shown: bytes, last_soft: cython.int):
        """Leave out of what is seen what is hidden."""
        rows: cython.int = self.view.rows
        made = bytearray(rows)
        seen_chars, unseen_chars = zeros("i", rows), zeros("i", rows)
        visibility: cython.uchar[::1] = made
        chars: cython.int[::1] = seen_chars
        hidden_chars: cython.int[::1] = unseen_chars
        counts: cython.const[cython.uchar][::1] = shown
        row: cython.int
        way: cython.int
        with cython.nogil:
            for row in range(rows):
                way = ways[row]
                visibility[row] = self.visibility[row]
                if way == 0 or counts[way]:
                    chars[row] = self.chars[row]
                elif way > last_soft:
                    visibility[row] = IS_UNSEEN
                elif visibility[row] == IS_SEEN:
                    visibility[row] = IS_HIDDEN
                    hidden_chars[row] = self.chars[row]
        self.visibility, self.chars, self.hidden_chars = made, seen_chars, unseen_chars

    # Rows

    def is_seen(self, row: cython.int) -> bool:
        """Whether a row is seen."""
        return self.visibility[row] == IS_SEEN

    def end(self, row: cython.int) -> int:
        """Return the row after all that is below one."""
        return self.view.end[row]

    def place(self, row: cython.int) -> int:
        """Return where the text of a row begins in the text of the page; that of the row after the last one ends it."""
        return self.view.text_at[row]

    def rows_of(self, tag: cython.int, most: cython.int, first: cython.int = 0, stop: cython.int = -1) -> list[int]:
        """Return the first rows of an element among some."""
        found: list[int] = []
        row: cython.int
        for row in range(first, self.view.rows if stop < 0 else stop):
            if self.view.tag[row] == tag:
                if len(found) == most:
                    break
                found.append(row)
        return found

    def row_at(self, place: cython.int) -> int:
        """Return the row whose text has a place in the text of the page."""
        return count_below(cython.address(self.view.text_at[0]), self.view.rows + 1, place + 1) - 1

    def with_words(
        self, words: Words, names: bytes, first: cython.int, stop: cython.int, most: cython.int
    ) -> list[tuple[int, int]]:
        """Return the rows that are seen, among some, with an attribute that contains a word, and the attribute.

        `names` are the numbers of the attributes that are looked at. Of the attributes that contain a word, the first
        `most` count. Where a row has several, it is the one with the last of the words.
        """
        view: PageView = self.view
        left = cython.declare(cython.int[64])
        wanted = cython.declare(cython.uchar[256])
        labels: Labels = labels_of(view)
        has_none: cython.uchar[::1] = bytearray(labels.count + 1)  # by label: whether it is known to have no word
        label: cython.int
        row: cython.int = first
        last: cython.int = -1  # of the words that the row has, or -1
        word: cython.int
        k: cython.int
        name: cython.int
        bits: cython.ulonglong
        found: list[tuple[int, int]] = []
        for k in range(64):
            left[k] = most
        for k in range(256):
            wanted[k] = 0
        for name in names:
            wanted[name] = 1
        for k in range(view.attribute_at[first], view.attribute_at[stop]):
            name = view.attribute_name[k]
            if name > 255 or not wanted[name]:
                continue
            label = labels.number[k]
            if label >= 0 and has_none[label]:
                continue
            bits = words.found_in(view.values, view.value_at[k], view.value_at[k + 1])
            if bits == 0:
                if label >= 0:
                    has_none[label] = 1
                continue
            word = _last_left(bits, left)
            if word < 0:
                continue
            while view.attribute_at[row + 1] <= k:
                row += 1
                last = -1
            if self.visibility[row] == IS_SEEN and word >= last:
                if last >= 0:
                    found.pop()
                found.append((row, name))
                last = word
        return found

    def with_year(
        self, first: cython.int, stop: cython.int, hidden: cython.bint, least: cython.int, most: cython.int
    ) -> list[int]:
        """Return the text rows among some that contain a year and have `least` to `most` bytes: those that are seen,
        and if `hidden` those that an attribute hides.
        """
        view: PageView = self.view
        found: list[int] = []
        row: cython.int
        for row in range(first, stop):
            if not (self.chars[row] or (hidden and self.hidden_chars[row])):
                continue
            start: cython.int = view.text_at[row]
            end: cython.int = view.text_at[row + 1]
            if least <= end - start <= most and _has_year(view.text, start, end):
                found.append(row)
        return found

    def longest(self, first: cython.int, stop: cython.int) -> int:
        """Return how many characters the longest text has that is seen in some rows."""
        most: cython.int = 0
        row: cython.int
        for row in range(first, stop):
            most = max(most, self.chars[row])
        return most

    def is_aside(
        self,
        row: cython.int,
        headline: cython.int,
        most: cython.int,
        tags: bytes,
        words: Words,
        is_aside: Callable[[str], bool],
    ) -> bool:
        """Whether a row, or one of the nearest above it that do not hold the headline, is aside of the article.

        It is by its element, where `tags` marks that by its number, or by its class and id: `is_aside` is asked about
        those that contain one of the words, or letters beyond ASCII.
        """
        view: PageView = self.view
        marked: cython.const[cython.uchar][::1] = tags
        for _ in range(most):
            if row <= headline < view.end[row]:
                return False
            if view.tag[row] < len(marked) and marked[view.tag[row]]:
                return True
            if self._may_have(row, words) and is_aside(self.label(row)):
                return True
            row = view.parent[row]
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _may_have(self, row: cython.int, words: Words) -> cython.bint:
        """Whether the class or the id of a row contains a word, or letters beyond ASCII."""
        k: cython.int
        at: cython.int
        for k in range(self.view.attribute_at[row], self.view.attribute_at[row + 1]):
            if self.view.attribute_name[k] == ATTR_CLASS or self.view.attribute_name[k] == ATTR_ID:
                if words.found_in(self.view.values, self.view.value_at[k], self.view.value_at[k + 1]):
                    return True
                for at in range(self.view.value_at[k], self.view.value_at[k + 1]):
                    if self.view.values[at] >= 128:
                        return True
        return False

    # Texts, with blanks folded if not said otherwise

    @cython.cfunc
    def _value(self, row: cython.int, name: cython.int) -> str:
        k: cython.int = self.view.attribute(row, name)
        if k < 0:
            return ""
        return self.values[self.view.value_at[k] : self.view.value_at[k + 1]].decode("utf-8", "replace")

    @cython.ccall
    def label(self, row: cython.int) -> str:
        """Return the class and the id of a row, as far as they are read."""
        return f"{self._value(row, ATTR_CLASS)} {self._value(row, ATTR_ID)}"[:MAX_LABEL]

    def below(self, row: cython.int, most: cython.int) -> str:
        """Return all text below a row; empty where it has more than `most` bytes."""
        start: cython.int = self.view.text_at[row]
        stop: cython.int = self.view.text_at[self.view.end[row]]
        return "" if stop - start > most else folded(self.texts[start:stop])

    def before(self, row: cython.int, most: cython.int) -> str:
        """Return the last bytes of text before a row in the same element or the one around it, unchanged."""
        view: PageView = self.view
        stop: cython.int = view.text_at[row]
        above: cython.int = view.parent[row]
        if view.text_at[above] == stop:
            above = view.parent[above]
        return self.texts[max(view.text_at[above], stop - most) : stop].decode("utf-8", "replace")

    def after(self, row: cython.int, place: cython.int, most: cython.int, rows: cython.int, enough: cython.int) -> str:
        """Return the text of a row from a place on, and that of the next rows until there is enough, unchanged."""
        view: PageView = self.view
        text: str = self.texts[place : min(view.text_at[row + 1], place + most)].decode("utf-8", "ignore")
        below: cython.int
        for below in range(row + 1, min(row + rows, view.rows)):
            if len(text) > enough:
                break
            if self.chars[below] > 0:
                place = view.text_at[below]
                text += " " + self.texts[place : place + most].decode("utf-8", "ignore")
        return text

    def shown(self, row: cython.int, most_bytes: cython.int, most_rows: cython.int) -> str:
        """Return the text below a row that is seen, or hidden as the row is; empty where it is too long."""
        stop: cython.int = self.view.end[row]
        if self.view.text_at[stop] - self.view.text_at[row] > most_bytes or stop - row > most_rows:
            return ""
        return self._shown(row, stop)

    @cython.cfunc
    def _shown(self, start: cython.int, stop: cython.int) -> str:
        """Return the text that is seen in some rows, or hidden as the first is; a space where a line or cell ends."""
        view: PageView = self.view
        if stop - start == 1 and view.tag[start] == TEXT:  # the usual case
            return folded(self.texts[view.text_at[start] : view.text_at[stop]])
        ends: cython.uchar[::1] = bytearray(stop - start + 1)
        ended: cython.bint = False
        row: cython.int
        pieces: list[bytes] = []
        for row in range(start, stop):
            if view.tag[row] < KNOWN_TAGS and _ENDS[view.tag[row]] & _TEXT:
                ended = True
                ends[min(view.end[row], stop) - start] = 1
            elif ends[row - start]:
                ended = True
            if view.tag[row] == TEXT and (
                self.visibility[row] == IS_SEEN or self.visibility[row] == self.visibility[start]
            ):
                if ended:
                    pieces.append(b" ")
                    ended = False
                pieces.append(self.texts[view.text_at[row] : view.text_at[row + 1]])
        return folded(b"".join(pieces))

    def lines(self, row: cython.int, before: cython.int, after: cython.int, most: cython.int) -> list[str]:
        """Return the lines of at most so many characters around a row.

        First those that begin at it or after it, then those that begin before it, the nearest first.
        """
        view: PageView = self.view
        ends: cython.uchar[::1] = bytearray(view.rows + 1)
        first = cython.declare(cython.int[64])
        last = cython.declare(cython.int[64])
        size = cython.declare(cython.int[64])
        line: cython.int = -1
        at: cython.int = -1  # the first line that begins at the row or after it
        begins: cython.bint = True
        each: cython.int
        k: cython.int
        if before + after >= _RING:
            raise ValueError("too many lines")
        with cython.nogil:
            for each in range(view.rows):
                if view.tag[each] < KNOWN_TAGS and _ENDS[view.tag[each]] & _LINE:
                    begins = True
                    ends[view.end[each]] = 1
                elif ends[each]:
                    begins = True
                if not self.chars[each]:
                    continue
                if begins:
                    if at < 0 and each >= row:
                        at = line + 1
                    if at >= 0 and line + 1 >= at + after:
                        break
                    line += 1
                    k = line & (_RING - 1)
                    first[k] = each
                    size[k] = 0
                    begins = False
                k = line & (_RING - 1)
                last[k] = each
                size[k] += self.chars[each]
        if at < 0:
            at = line + 1
        places = [*range(at, line + 1), *range(at - 1, max(at - 1 - before, -1), -1)]
        found: list[str] = []
        for each in places:
            k = each & (_RING - 1)
            if size[k] <= most:
                found.append(self._shown(first[k], last[k] + 1))
        return found

    def following(self, first: cython.int) -> bytes:
        """Return the texts that are seen from a row on, with a zero where one that is not stands between them."""
        view: PageView = self.view
        start: cython.int = view.text_at[first]
        row: cython.int
        parts: list[bytes] = []
        for row in range(first, view.rows):
            if self.visibility[row] and view.text_at[row] < view.text_at[row + 1]:
                if start < view.text_at[row]:
                    parts.append(self.texts[start : view.text_at[row]])
                start = view.text_at[row + 1]
        parts.append(self.texts[start : view.text_at[view.rows]])
        return b"\0".join(parts)


# JSON


_Unit = cython.fused_type(cython.uchar, cython.ushort, cython.uint)  # a character, in the three ways of Python's texts


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _specials(characters: cython.pointer(cython.const[_Unit]), size: cython.Py_ssize_t) -> cython.int:
    """Return which special characters a text has: 1 for quotation marks and backslashes, 2 line ends, 4 other controls.

    There are no branches, so that compilers read many characters at once.
    """
    signs: cython.uchar = 0
    lines: cython.uchar = 0
    controls: cython.uchar = 0
    for at in range(size):
        signs |= (characters[at] == QUOTATION_MARK) | (characters[at] == BACKSLASH)
        lines |= characters[at] == LINE_FEED
        controls |= (characters[at] < SPACE) & (characters[at] != LINE_FEED)
    return signs | lines << 1 | controls << 2


@cython.cfunc
def _quoted(text: str) -> str:
    """Return a text as a string of JSON."""
    kind = PyUnicode_KIND(text)
    if kind == 1:
        special = _specials(cython.cast(cython.pointer(cython.const[cython.uchar]), PyUnicode_DATA(text)), len(text))
    elif kind == 2:
        special = _specials(cython.cast(cython.pointer(cython.const[cython.ushort]), PyUnicode_DATA(text)), len(text))
    else:
        special = _specials(cython.cast(cython.pointer(cython.const[cython.uint]), PyUnicode_DATA(text)), len(text))
    if special & 4:
        return encode_basestring(text)
    if special & 1:
        text = text.replace("\\", "\\\\").replace('"', '\\"')
    if special & 2:
        text = text.replace("\n", "\\n")
    return f'"{text}"'


@cython.cfunc
@cython.exceptval(-1, check=False)
def _write_json(value, pieces: list) -> cython.int:
    """Append a value to the pieces of a text."""
    separator = ""
    if isinstance(value, str):
        pieces.append(_quoted(value))
    elif value is None or value is True or value is False:
        pieces.append("null" if value is None else "true" if value is True else "false")
    elif isinstance(value, dict):
        pieces.append("{")
        for name, each in cython.cast(dict, value).items():
            pieces.append(f"{separator}{_quoted(name)}: ")
            _write_json(each, pieces)
            separator = ", "
        pieces.append("}")
    elif isinstance(value, (list, tuple)):
        pieces.append("[")
        for each in value:
            pieces.append(separator)
            _write_json(each, pieces)
            separator = ", "
        pieces.append("]")
    elif isinstance(value, int):
        pieces.append(str(value))
    else:
        raise TypeError(f"{type(value).__name__} is not written as JSON")
    return 0


def as_json(value: Any) -> str:
    """Return a value as JSON, as `json` writes it without escapes beyond ASCII, but quicker.

    It consists of dicts with names as keys, lists, tuples, texts, whole numbers, truth values and None.
    """
    pieces: list = []
    _write_json(value, pieces)
    return "".join(pieces)


@cython.cfunc
@cython.exceptval(check=False)
def _last_left(bits: cython.ulonglong, left: cython.p_int) -> cython.int:
    """Count some words; return the bit that ends the last of them of which more may count, or -1."""
    last: cython.int = -1
    place: cython.int = 0
    while bits:
        if bits & 1 and left[place]:
            left[place] -= 1
            last = place
        bits >>= 1
        place += 1
    return last
