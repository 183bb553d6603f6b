# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""What a page states of itself, and the rows that may state something: elements with a telling attribute, texts with
a year.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import cython
from cython.cimports.cpython.unicode import (
    PyUnicode_DATA,
    PyUnicode_DecodeUTF8,
    PyUnicode_FromKindAndData,
    PyUnicode_KIND,
    PyUnicode_READ,
)
from cython.cimports.libc.string import memchr, memcmp, memcpy, memset
from cython.cimports.pagesieve.page.kernel.common import is_digit, is_letter, is_space, zeros
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.constants import KEYS
from cython.cimports.pagesieve.page.kernel.html.cleaning import has_suspect
from cython.cimports.pagesieve.page.kernel.page.view import PageView, measured, view_of
from cython.cimports.pagesieve.page.kernel.tags import (
    ATTR_CONTENT,
    ATTR_HREF,
    ATTR_HTTP_EQUIV,
    ATTR_ID,
    ATTR_ITEMPROP,
    ATTR_NAME,
    ATTR_PROPERTY,
    ATTR_REL,
    ATTR_TYPE,
    KNOWN_TAGS,
    TAG_BASE,
    TAG_LINK,
    TAG_META,
    TAG_SCRIPT,
    TAG_TITLE,
)

from pagesieve.page.kernel.constants import STATED_KEYS
from pagesieve.text.whitespace import clean, fold, squeeze

# By byte: whether it stands between the words of the name of a fact.
_IS_BETWEEN = cython.declare(cython.const[cython.uchar][::1], bytes(c in b" \t\n\r:._-" for c in range(256)))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _lower(byte: cython.int) -> cython.int:
    return byte + 32 if UPPER_A <= byte <= UPPER_Z else byte


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _among(number: cython.int, numbers: cython.const[cython.uchar][::1]) -> cython.bint:
    for k in range(len(numbers)):
        if numbers[k] == number:
            return True
    return False


def attribute(page: Any, row: cython.int, number: cython.int) -> str | None:
    """Return the value of an attribute of a row, given its number; None where the row has none."""
    view: PageView = view_of(page)
    if not 0 <= row < view.rows:
        raise IndexError(f"row {row} of a page of {view.rows} rows")
    for k in range(view.attribute_at[row], view.attribute_at[row + 1]):
        if view.attribute_name[k] == number:
            values: bytes = page.value_buffer
            return values[view.value_at[k] : view.value_at[k + 1]].decode("utf-8", "replace")
    return None


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _begins_with(view: PageView, k: cython.int, word: cython.const[cython.uchar][::1]) -> cython.bint:
    """Whether the value of an attribute begins with a word in lower case; case and leading space do not count."""
    at: cython.Py_ssize_t = view.value_at[k]
    stop: cython.Py_ssize_t = view.value_at[k + 1]
    while at < stop and view.values[at] <= SPACE:
        at += 1
    if stop - at < len(word):
        return False
    for j in range(len(word)):
        if _lower(view.values[at + j]) != word[j]:
            return False
    return True


def rows_with_value(page: Any, name: cython.int, word: cython.const[cython.uchar][::1]) -> list[int]:
    """Return the rows with an attribute that begins with a word."""
    view: PageView = view_of(page)
    row: cython.int = 0
    found: list[int] = []
    for k in range(view.attributes):
        if view.attribute_name[k] == name and _begins_with(view, k, word):
            while view.attribute_at[row + 1] <= k:
                row += 1
            found.append(row)
    return found


def rows_with_name(page: Any, names: set[str]) -> dict[str, int]:
    """Return the first row that each of some names names, by `id` or `name`."""
    view: PageView = view_of(page)
    row: cython.int = 0
    found: dict[str, int] = {}
    for k in range(view.attributes):
        if view.attribute_name[k] == ATTR_ID or view.attribute_name[k] == ATTR_NAME:
            name = view.value_of(k)
            if name in names and name not in found:
                while view.attribute_at[row + 1] <= k:
                    row += 1
                found[name] = row
    return found


@cython.final
@cython.cclass
class _Words:
    """Some words that are looked for all at once: a bit for each of their letters."""

    letters: cython.ulonglong[::1]  # by byte: which letters of the words it is
    left: cython.int[::1]  # by the bit that ends a word: how many more of it count
    begins: cython.ulonglong  # the bits that begin words,
    ends: cython.ulonglong  # and those that end them

    def __init__(self, words: bytes, most: int) -> None:
        one: cython.ulonglong = 1
        j: cython.int = 0
        if len(words.replace(b"\0", b"")) > 64:
            raise ValueError("words of more than 64 letters")
        self.letters = array("Q", bytes(8 * 256))
        self.left = array("i", [most]) * 64
        self.begins = self.ends = 0
        for word in words.removesuffix(b"\0").split(b"\0"):
            self.begins |= one << j
            for letter in word:
                self.letters[letter] |= one << j
                j += 1
            self.ends |= one << (j - 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def last_in(self, view: PageView, k: cython.int) -> cython.int:
        """Count the words in the value of an attribute; return the bit that ends the last of them, or -1."""
        read: cython.ulonglong = 0  # the letters up to which the last bytes are a word
        held: cython.ulonglong = 0
        j = 0
        last = -1
        for at in range(view.value_at[k], view.value_at[k + 1]):
            read = ((read << 1) | self.begins) & self.letters[view.values[at]]
            held |= read & self.ends
        while held:
            if held & 1 and self.left[j]:
                self.left[j] -= 1
                last = j
            held >>= 1
            j += 1
        return last


def rows_with_word(
    page: Any, words: bytes, names: bytes, first: cython.int, stop: cython.int, most: int
) -> list[tuple[int, int]]:
    """Return the visible rows among some with an attribute that contains a word, and the number of the attribute.

    `names` are the numbers of the attributes that are looked at. The words are each ended by a zero, and have up to 64
    letters in all. Of the attributes that contain a word, the first `most` count. Where a row has several, it is the
    one with the last of the words.
    """
    view: PageView = measured(page)
    wanted: _Words = _Words(words, most)
    held: cython.const[cython.uchar][::1] = names
    row: cython.int = first
    last: cython.int = -1  # of the words that the row has, or -1
    found: list[tuple[int, int]] = []
    for k in range(view.attribute_at[first], view.attribute_at[stop]):
        if not _among(view.attribute_name[k], held):
            continue
        word = wanted.last_in(view, k)
        if word < 0:
            continue
        while view.attribute_at[row + 1] <= k:
            row += 1
            last = -1
        if view.visibility[row] == 0 and word >= last:
            if last >= 0:
                found.pop()
            found.append((row, view.attribute_name[k]))
            last = word
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_year(view: PageView, row: cython.int) -> cython.bint:
    """Whether a text row contains 19 or 20 and two more digits."""
    for at in range(view.text_at[row], view.text_at[row + 1] - 3):
        century = (view.text[at] - DIGIT_0) * 10 + view.text[at + 1] - DIGIT_0
        if (
            19 <= century <= 20
            and DIGIT_0 <= view.text[at + 1] <= DIGIT_9
            and DIGIT_0 <= view.text[at + 2] <= DIGIT_9
            and DIGIT_0 <= view.text[at + 3] <= DIGIT_9
        ):
            return True
    return False


def rows_with_year(
    page: Any, first: cython.int, stop: cython.int, hidden: cython.bint, least: cython.int, most: cython.int
) -> list[int]:
    """Return the text rows among some that contain a year and have `least` to `most` bytes: the visible ones, and
    with `hidden` those that an attribute hides.
    """
    view: PageView = measured(page)
    found: list[int] = []
    for row in range(first, stop):
        if not (view.chars[row] or (hidden and view.hidden_chars[row])):
            continue
        if least <= view.text_at[row + 1] - view.text_at[row] <= most and _has_year(view, row):
            found.append(row)
    return found


# What a page shows, and what its scripts hold


def longest_shown(page: Any, kept: cython.const[cython.uchar][::1]) -> tuple[int, int]:
    """Return how many characters some rows have that are shown or that a script may show, and the row with most."""
    view: PageView = measured(page)
    shown: cython.longlong = 0
    longest: cython.int = 0
    row: cython.int = 0
    for k in range(min(len(kept), view.rows)):
        if kept[k]:
            chars = view.chars[k] + view.hidden_chars[k]
            shown += chars
            if chars > longest:
                longest = chars
                row = k
    return shown, row


def longest_plain(text: str) -> str:
    """Return the longest part of a text that data write as it is, but for letters beyond ASCII."""
    start: cython.Py_ssize_t = 0
    stop: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = 0
    while at < len(text):
        begin = at
        at += 1
        if text[begin] in "\"'\\&<>/" or text[begin].isspace():
            continue
        while at < len(text) and text[at] not in "\"'\\&<>/\n":
            at += 1
        if at - begin > stop - start:
            start, stop = begin, at
    return text[start:stop]


@cython.final
@cython.cclass
class _Word:
    """A word that is looked for, by the method of Horspool on pairs of bytes."""

    data: Bytes
    size: cython.Py_ssize_t
    steps: cython.uchar[256]  # by the number of a pair: how far the word may be, 0 where it may end

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def look_for(self, data: Bytes, size: cython.Py_ssize_t) -> cython.void:
        """Look for some bytes from now on, which have to stay where they are."""
        self.data, self.size = data, size
        last: cython.int = min(self.size, 256) - 1
        memset(self.steps, max(last, 0), 256)
        for k in range(self.size - last, self.size):
            self.steps[_pair(self.data + k)] = self.size - 1 - k

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_in(self, data: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        """Whether a span holds the word."""
        size: cython.Py_ssize_t = self.size
        if size < 2:
            return size == 0 or memchr(data + start, self.data[0], stop - start) != cython.NULL
        at = start + size - 1
        while at < stop:
            step = self.steps[_pair(data + at)]
            if step == 0 and memcmp(data + at - size + 1, self.data, size) == 0:
                return True
            at += max(step, 1)
        return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pair(data: Bytes) -> cython.int:
    """Return a number for a byte and the one before it."""
    return (data[0] ^ (data - 1)[0] << 3) & 255


def scripts_with(page: Any, words: list[bytes], least: cython.int) -> list[tuple[int, int]]:
    """Return where in the page's text the scripts with one of some words begin and end, those of `least` bytes."""
    view: PageView = view_of(page)
    data: cython.p_const_uchar = view.text_buffer
    wanted = [_word(each) for each in words]
    word: _Word
    found: list[tuple[int, int]] = []
    for row in range(view.rows):
        if view.tag[row] != TAG_SCRIPT:
            continue
        start, stop = view.text_at[row], view.text_at[view.end[row]]
        if stop - start < least:
            continue
        for word in wanted:
            if word.is_in(data, start, stop):
                found.append((start, stop))
                break
    return found


@cython.cfunc
def _word(text: bytes) -> _Word:
    """Return a text as a word that is looked for."""
    word: _Word = _Word()
    word.look_for(text, len(text))
    return word


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_of_word(c: cython.int) -> cython.bint:
    return is_letter(c) or c >= 128 or c == APOSTROPHE or c == HYPHEN


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _after_words(data: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return where five to eight words end that begin at a byte, each after a space; `start` where there are fewer."""
    at: cython.Py_ssize_t = start
    words: cython.int = 0
    while words < MAX_SAID_WORDS and at + 1 < stop and data[at] == SPACE and _is_of_word(data[at + 1]):
        at += 2
        while at < stop and _is_of_word(data[at]):
            at += 1
        words += 1
    return at if words >= MIN_SAID_WORDS else start


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _after_wide(data: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return where the bytes beyond ASCII end that begin at one, if they are enough for a phrase; else `start`."""
    at: cython.Py_ssize_t = start
    stop = min(stop, start + MAX_SAID_BYTES)
    while at < stop and data[at] >= 128:
        at += 1
    return at if at - start >= MIN_SAID_BYTES else start


def phrases(text: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> list[bytes]:
    """Return the pieces of prose in a part of a text: some words in a row, or as many letters beyond ASCII."""
    data: cython.p_const_uchar = text
    found: list[bytes] = []
    at: cython.Py_ssize_t = max(start, 0)
    stop = min(stop, len(text))
    while at < stop:
        end = at
        if data[at] == SPACE:
            end = _after_words(data, at, stop)
        elif data[at] >= 128:
            end = _after_wide(data, at, stop)
        if end > at:
            found.append(text[at:end])
        at = max(end, at + 1)
    return found


def count_in(phrases: list[bytes], text: bytes) -> int:
    """Count those of some phrases that a text holds."""
    data: cython.p_const_uchar = text
    word: _Word = _Word()
    phrase: bytes
    found: cython.int = 0
    for phrase in phrases:
        word.look_for(phrase, len(phrase))
        found += word.is_in(data, 0, len(text))
    return found


def signs_and_letters(text: str) -> tuple[int, int]:
    """Count the characters of a text, without blanks, and the letters among them."""
    signs: cython.Py_ssize_t = 0
    letters: cython.Py_ssize_t = 0
    character: cython.Py_UCS4
    for character in text:
        signs += not character.isspace()
        letters += character.isalpha()
    return signs, letters


# The data of scripts

MIN_TITLE = 8  # characters, blanks and punctuation not counted
_MIN_TITLE = cython.declare(cython.Py_ssize_t, MIN_TITLE)
_MAX_TITLE_LENGTH = cython.declare(cython.Py_ssize_t, 300)
_MAX_DISTANCE = cython.declare(cython.int, 4)  # objects between the one that has the page's headline and the text
_NAMES = cython.declare(tuple, ("title", "headline", "name"))


def is_title(value: Any, titles: tuple[str, ...]) -> bool:
    """Whether a value is one of some titles, or most of one: what stands before the name of the site.

    Titles are squeezed.
    """
    return isinstance(value, str) and _is_title(value, titles, _initials(titles))


# The data of scripts.
@cython.cfunc
def _initials(titles: tuple) -> str:
    return "".join([title[:1] for title in titles])


@cython.cfunc
@cython.exceptval(-1, check=False)
def _is_title(text: str, titles: tuple, initials: str) -> cython.bint:
    if not _MIN_TITLE <= len(text) <= _MAX_TITLE_LENGTH:
        return False
    first: cython.Py_UCS4 = text[0]
    if first < 128:  # a quick answer for most
        if first.lower() not in initials and first.isalnum():
            return False
    elif text[0].casefold()[0] not in initials and first.isalnum():
        return False
    called: str = squeeze(text)
    if len(called) < _MIN_TITLE:
        return False
    key: str
    for key in titles:
        if 2 * len(called) >= len(key) and key.startswith(called):
            return True
    return False


@cython.ccall
@cython.exceptval(-1, check=False)
def is_named(thing: dict) -> cython.bint:
    """Whether an object has a name of its own: if that is not the page's, it is about something else."""
    for name in _NAMES:
        if thing.get(name):
            return True
    return False


@cython.cfunc
@cython.exceptval(-1, check=False)
def _has_title(thing: dict, titles: tuple, initials: str) -> cython.bint:
    """Whether one of the values of an object is one of some titles."""
    for value in thing.values():
        if isinstance(value, str) and _is_title(value, titles, initials):
            return True
    return False


@cython.cfunc
@cython.exceptval(-1, check=False)
def _distance(thing: dict, above: cython.int, titles: tuple, initials: str) -> cython.int:
    """Return how far an object is from one that has a title, given how far the one around it is."""
    if _has_title(thing, titles, initials):
        return 0
    for value in thing.values():
        if isinstance(value, dict) and _has_title(value, titles, initials):
            return 0
    return _MAX_DISTANCE + 1 if is_named(thing) else above + 1


def objects_about(
    data: list[Any], titles: tuple[str, ...], unquoted: Callable[[str], list[Any]]
) -> list[tuple[int, dict[str, Any]]]:
    """Return the objects that have one of some titles and those that are in them, but for others with a name.

    Each after the number of objects between it and the one with the title. `unquoted` gives the data that are quoted in
    a text.
    """
    found: list[tuple[int, dict[str, Any]]] = []
    initials: str = _initials(titles)
    stack: list[tuple[Any, int]] = [(data, _MAX_DISTANCE + 1)]
    away: cython.int
    while stack:
        value, away = stack.pop()
        inside = value
        if isinstance(value, dict):
            away = _distance(value, away, titles, initials)
            if away <= _MAX_DISTANCE:
                found.append((away, value))
            inside = list(value.values())
        for each in cython.cast(list, inside):
            if isinstance(each, (dict, list)):
                stack.append((each, away))
            elif isinstance(each, str) and each and each[0] in "{[%" and (quoted := unquoted(each)):
                stack.append((quoted, away))
    return found


# Scripts, read token by token

_MAX_KEY_LENGTH = cython.declare(cython.Py_ssize_t, 61)  # characters, without quotes
_MAX_BLANKS = cython.declare(cython.Py_ssize_t, 20)  # within what is read as one
_LEFT_BRACKET = cython.declare(cython.int, ord("["))
_RIGHT_BRACKET = cython.declare(cython.int, ord("]"))
_RIGHT_BRACE = cython.declare(cython.int, ord("}"))
_BACKSLASH = cython.declare(cython.int, ord("\\"))
_DOLLAR = cython.declare(cython.int, ord("$"))
_LOWER_U = cython.declare(cython.uint, ord("u"))
_LOWER_X = cython.declare(cython.uint, ord("x"))
_NOTHING = cython.declare(cython.uint, 255)


def _controls() -> bytes:
    """Return what each character of ASCII stands for after a backslash."""
    found = bytearray(range(128))
    for name, value in zip(b"nrtbfv0", (10, 13, 9, 255, 255, 255, 255), strict=True):
        found[name] = value
    return bytes(found)


_CONTROLS = cython.declare(cython.const[cython.uchar][::1], _controls())


# Scripts
@cython.cfunc
@cython.exceptval(check=False)
def _is_word(c: cython.Py_UCS4) -> cython.bint:
    """Whether a character may be in a key without quotes."""
    return c == UNDERSCORE or c == _DOLLAR or (is_letter(c) or is_digit(c) if c < 128 else c.isalnum())


@cython.cfunc
@cython.exceptval(check=False)
def _hexadecimal(text: str, at: cython.Py_ssize_t, digits: cython.int) -> cython.int:
    """Return the number that so many hexadecimal digits stand for at a place; -1 without them."""
    found: cython.int = 0
    if at + digits > len(text):
        return -1
    for k in range(at, at + digits):
        c: cython.uint = text[k]
        if DIGIT_0 <= c <= DIGIT_9:
            found = found << 4 | c - DIGIT_0
        elif LOWER_A <= (c | 32) <= LOWER_A + 5:
            found = found << 4 | (c | 32) - LOWER_A + 10
        else:
            return -1
    return found


def text_in(raw: str) -> str:
    """Resolve the escapes of a text, and join or replace halves of surrogate pairs."""
    if "\\" not in raw:
        return raw
    characters: cython.uint[::1] = zeros("I", len(raw))
    size: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = 0
    has_surrogate: cython.bint = False
    while at < len(raw):
        c: cython.uint = raw[at]
        at += 1
        if c == _BACKSLASH and at < len(raw):
            c = raw[at]
            at += 1
            digits = 4 if c == _LOWER_U else 2 if c == _LOWER_X else 0
            code: cython.int = _hexadecimal(raw, at, digits) if digits else -1
            if code >= 0:
                c = code
                at += digits
            elif c < 128:
                c = _CONTROLS[c]
                if c == _NOTHING:
                    continue
        has_surrogate |= 0xD800 <= c < 0xE000
        characters[size] = c
        size += 1
    if size == 0:
        return ""
    text: str = PyUnicode_FromKindAndData(4, cython.address(characters[0]), size)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if has_surrogate else text


@cython.final
@cython.cclass
class _Data:
    """The data of one source while they are read, with a stack of what is open."""

    source: str
    kind: cython.int
    characters: cython.p_void
    size: cython.Py_ssize_t
    open: list
    deepest: cython.Py_ssize_t
    beyond: cython.Py_ssize_t  # brackets that are open too deep
    key: str

    def __init__(self, source: str, deepest: int) -> None:
        self.source = source
        self.kind = PyUnicode_KIND(source)
        self.characters = PyUnicode_DATA(source)
        self.size = len(source)
        self.open = [[]]
        self.deepest = deepest
        self.beyond = 0
        self.key = ""

    @cython.cfunc
    @cython.exceptval(check=False)
    def at(self, place: cython.Py_ssize_t) -> cython.Py_UCS4:
        """Return a character; a zero after the last one."""
        return PyUnicode_READ(self.kind, self.characters, place) if place < self.size else 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def after_blanks(self, place: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return where the white space ends that begins at a place, or a part of it."""
        stop = min(place + _MAX_BLANKS, self.size)
        while place < stop and self.at(place).isspace():
            place += 1
        return place

    @cython.cfunc
    @cython.exceptval(check=False)
    def end_of_text(self, place: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return where the quotation mark is that ends a text; -1 where it does not end in its line."""
        quote = self.at(place)
        place += 1
        while place < self.size:
            c = self.at(place)
            if c == quote:
                return place
            if c == _BACKSLASH:
                place += 1
                c = self.at(place)
            if c == LINE_FEED:
                return -1
            place += 1
        return -1

    @cython.cfunc
    @cython.exceptval(check=False)
    def end_of_key(self, place: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return where a word ends that begins at a place."""
        while place < self.size and _is_word(self.at(place)):
            place += 1
        return place

    @cython.cfunc
    @cython.exceptval(check=False)
    def may_be_json(self, place: cython.Py_ssize_t) -> cython.bint:
        """Whether what a bracket opens begins as JSON does."""
        c = self.at(self.after_blanks(place + 1))
        if c == QUOTATION_MARK:
            return True
        if self.at(place) == LEFT_BRACE:
            return c == _RIGHT_BRACE
        return c in "[{]-tfn" or c.isdecimal()

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put(self, value) -> cython.int:
        """Put a value into what is open."""
        key = self.key
        self.key = ""
        if self.beyond:
            return 0
        where = self.open[len(self.open) - 1]
        if isinstance(where, list):
            cython.cast(list, where).append(value)
        else:
            cython.cast(dict, where)[key or str(len(cython.cast(dict, where)))] = value
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def enter(self, is_object: cython.bint) -> cython.int:
        """Open an object or a list."""
        if self.beyond or len(self.open) >= self.deepest:
            self.beyond += 1
            return 0
        new: object = {} if is_object else []
        self.put(new)
        self.open.append(new)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def leave(self) -> cython.int:
        """Close what was opened last."""
        self.key = ""
        if self.beyond:
            self.beyond -= 1
        elif len(self.open) > 1:
            self.open.pop()
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def take_text(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Take a text in quotes, as a key before a colon; return where to go on."""
        text = text_in(self.source[start + 1 : end])
        colon = self.after_blanks(end + 1)
        if self.at(colon) == COLON:
            self.key = text
            return colon + 1
        self.put(text)
        return end + 1


def read_data(
    source: str, most: cython.Py_ssize_t, deepest: int, decode: Callable[[str, int], tuple[Any, int] | None]
) -> tuple[list[Any], int]:
    """Return the objects, lists and texts of a source that are not inside others, and how many more parts may be read.

    At most `most` texts, keys and brackets are read. `decode` gives the JSON that begins at a place, and where it ends;
    None where there is none.
    """
    data: _Data = _Data(source, deepest)
    at: cython.Py_ssize_t = 0
    while at < data.size and most > 0:
        c = data.at(at)
        if c == QUOTATION_MARK or c == APOSTROPHE:
            end = data.end_of_text(at)
            at = data.take_text(at, end) if end >= 0 else at + 1
            most -= end >= 0
        elif c == LEFT_BRACE or c == _LEFT_BRACKET:
            json = decode(source, at) if data.may_be_json(at) else None
            if json is None:
                data.enter(c == LEFT_BRACE)
                at += 1
            else:
                data.put(json[0])
                at = json[1]
            most -= 1
        elif c == _RIGHT_BRACE or c == _RIGHT_BRACKET:
            data.leave()
            at += 1
            most -= 1
        elif _is_word(c):
            end = data.end_of_key(at)
            if not is_digit(c) and c < 128 and end - at <= _MAX_KEY_LENGTH:
                colon = data.after_blanks(end)
                if data.at(colon) == COLON:
                    data.key = source[at:end]
                    end = colon + 1
                    most -= 1
            at = end
        else:
            at += 1
    return data.open[0], most


# Titles


@cython.cfunc
def _after_blanks(text: str, at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return where the white space that begins at a character of a text ends."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at


@cython.cfunc
def _after_signs(title: str, at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return where the signs end that part a title though no blank is around them; `at` where there are none."""
    while at < len(title):
        sign: cython.Py_UCS4 = title[at]
        run = at + 1
        if sign in "-:":
            while run < len(title) and title[run] == sign:
                run += 1
            if run == at + 1:
                break
        elif sign not in "|｜¦_»«›‹•·":
            break
        at = run
    return at


@cython.cfunc
def _after_parting(title: str, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return where what parts a title at a character ends; `start` where nothing does."""
    at: cython.Py_ssize_t = start
    if title[start].isspace():
        if start > 0 and title[start - 1].isspace():
            return start
        at = _after_blanks(title, start)
        stop = at
        while stop < len(title) and title[stop] in "-–—:~/<>→•·":
            stop += 1
        if stop > at and stop < len(title) and title[stop].isspace():
            return _after_blanks(title, stop)
    stop = _after_signs(title, at)
    return start if stop == at else _after_blanks(title, stop)


def partings(title: str) -> list[tuple[int, int]]:
    """Return where in a title the signs begin and end that sites put between the headline and their name.

    A hyphen or colon inside a word parts nothing. Blanks around the signs are part of them.
    """
    found: list[tuple[int, int]] = []
    at: cython.Py_ssize_t = 0
    while at < len(title):
        stop = _after_parting(title, at)
        if stop > at:
            found.append((at, stop))
        at = max(stop, at + 1)
    return found


@cython.cfunc
def _longest_part(title: str) -> str:
    """Return the longest of the parts of a title, the first of several."""
    longest: str = ""
    start: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = 0
    while at < len(title):
        stop = _after_parting(title, at)
        if stop > at:
            if at - start > len(longest):
                longest = title[start:at]
            start = stop
        at = max(stop, at + 1)
    return title[start:] if len(title) - start > len(longest) else longest


# Texts as a reader reads them


# Texts as a reader reads them.
@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _blank_size(data: Bytes, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
    """Return how many bytes the white space has that a text of UTF-8 has at a byte; 0 for another character."""
    c = data[at]
    if c <= SPACE:
        return 1
    if c < 0xC2 or c > 0xE3 or at + 1 >= stop:
        return 0
    two = (c << 8) | data[at + 1]
    if two == 0xC2A0:
        return 2
    last = data[at + 2] if at + 2 < stop else 0
    if two == 0xE280:
        return 3 if 0x80 <= last <= 0x8A or last == 0xA8 or last == 0xA9 or last == 0xAF else 0
    if (two == 0xE19A and last == 0x80) or (two == 0xE281 and last == 0x9F) or (two == 0xE380 and last == 0x80):
        return 3
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fold(data: Bytes, stop: cython.Py_ssize_t, into: cython.p_uchar) -> cython.Py_ssize_t:
    """Copy a text of UTF-8 with every run of blanks as one space, and none at its ends; return how long the copy is."""
    size: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = 0
    gap: cython.bint = False
    while at < stop:
        blank = _blank_size(data, at, stop)
        if blank:
            gap = size > 0
            at += blank
            continue
        if gap:
            into[size] = SPACE
            size += 1
            gap = False
        into[size] = data[at]
        size += 1
        at += 1
    return size


def folded(text: bytes) -> str:
    """Return a text of UTF-8 with its blanks folded, and without what cannot be seen."""
    data: cython.p_const_uchar = text
    if not text or has_suspect(data, 0, len(text)):
        return fold(text.decode("utf-8", "replace"))
    held = bytearray(len(text))
    into: cython.p_uchar = held
    return PyUnicode_DecodeUTF8(cython.cast(cython.p_const_char, into), _fold(data, len(text), into), b"replace")


def readable(text: str) -> str:
    """Return a text with its blanks folded and its entities resolved: many sites escape a text once too often."""
    return fold(_without_entities(text))


@cython.cfunc
def _without_entities(text: str) -> str:
    if "&" not in text:
        return text
    from html import unescape

    return unescape(text)


@cython.cfunc
def _read(text: bytes) -> str:
    """Return a text of UTF-8 as `readable` returns it."""
    return readable(text.decode("utf-8", "replace")) if b"&" in text else folded(text)


# Strings of JSON

_PLAIN_ESCAPES = cython.declare(bytes, b'"\\/bfnrt')
_ESCAPED = cython.declare(bytes, b'"\\/\b\f\n\r\t')


# Strings of JSON.
@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _string_end(data: Bytes, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return where the quote is that ends the string that begins with one; -1 where there is none."""
    start = at + 1
    at = start
    while at < stop:
        found = cython.cast(cython.p_const_uchar, memchr(data + at, QUOTATION_MARK, stop - at))
        if found == cython.NULL:
            return -1
        at = found - data
        before = at
        while before > start and data[before - 1] == BACKSLASH:
            before -= 1
        if (at - before) % 2 == 0:
            return at
        at += 1
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _hex_number(data: Bytes, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
    """Return the number that four hexadecimal digits stand for; -1 where they are none."""
    number: cython.int = 0
    if stop - at < 4:
        return -1
    for k in range(at, at + 4):
        c: cython.int = data[k]
        if is_digit(c):
            number = number * 16 + c - DIGIT_0
        elif LOWER_A <= (c | 0x20) <= LOWER_A + 5:
            number = number * 16 + (c | 0x20) - LOWER_A + 10
        else:
            return -1
    return number


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _write_code(into: cython.p_uchar, code: cython.int) -> cython.int:
    """Write a character as UTF-8, half of a surrogate pair as a question mark; return how many bytes it takes."""
    if SURROGATES <= code < 0xE000:
        code = QUESTION
    if code < 0x80:
        into[0] = code
        return 1
    if code < 0x800:
        into[0] = 0xC0 | code >> 6
        into[1] = 0x80 | code & 0x3F
        return 2
    if code < 0x10000:
        into[0] = 0xE0 | code >> 12
        into[1] = 0x80 | code >> 6 & 0x3F
        into[2] = 0x80 | code & 0x3F
        return 3
    into[0] = 0xF0 | code >> 18
    into[1] = 0x80 | code >> 12 & 0x3F
    into[2] = 0x80 | code >> 6 & 0x3F
    into[3] = 0x80 | code & 0x3F
    return 4


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _unescape(
    data: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, into: cython.p_uchar
) -> cython.Py_ssize_t:
    """Write what the inside of a JSON string stands for; return how many bytes that takes, -1 for a wrong escape."""
    size: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = start
    while at < stop:
        found = cython.cast(cython.p_const_uchar, memchr(data + at, BACKSLASH, stop - at))
        run = (found - data if found != cython.NULL else stop) - at
        memcpy(into + size, data + at, run)
        size += run
        at += run
        if at >= stop:
            break
        if at + 1 < stop and data[at + 1] == LOWER_U:
            code = _hex_number(data, at + 2, stop)
            if code < 0:
                return -1
            at += 6
            if SURROGATES <= code < 0xDC00 and at + 1 < stop and data[at] == BACKSLASH and data[at + 1] == LOWER_U:
                low = _hex_number(data, at + 2, stop)
                if 0xDC00 <= low < 0xE000:
                    code = 0x10000 + ((code - SURROGATES) << 10) + low - 0xDC00
                    at += 6
            size += _write_code(into + size, code)
            continue
        plain = -1
        for k in range(8):
            if at + 1 < stop and data[at + 1] == _PLAIN_ESCAPES[k]:
                plain = k
        if plain < 0:
            return -1
        into[size] = _ESCAPED[plain]
        size += 1
        at += 2
    return size


@cython.cfunc
def _string(data: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> bytes:
    """Return what the inside of a JSON string stands for, as UTF-8; None where it has a wrong escape."""
    if memchr(data + start, BACKSLASH, stop - start) == cython.NULL:
        return data[start:stop]
    held = bytearray(stop - start)
    into: cython.uchar[::1] = held
    size = _unescape(data, start, stop, cython.address(into[0]))
    return bytes(held[:size]) if size >= 0 else None


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _value_at(data: Bytes, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return where the value after a key of JSON begins; -1 where no colon follows the key."""
    at = _after_space(data, at, stop)
    if at >= stop or data[at] != COLON:
        return -1
    return _after_space(data, at + 1, stop)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _after_space(data: Bytes, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return where the white space at a byte ends."""
    while at < stop:
        if is_space(data[at]) or 28 <= data[at] <= 31:
            at += 1
        elif data[at] == 0xC2 and at + 1 < stop and data[at + 1] == NO_BREAK_SPACE:
            at += 2
        else:
            break
    return at


# What a page states

_CANONICAL = cython.declare(cython.const[cython.uchar][::1], b"canonical")
_LINKED_DATA = cython.declare(cython.const[cython.uchar][::1], b"application/ld+json")
_KEYS = cython.declare(cython.const[cython.uchar][::1], b"".join(STATED_KEYS))
_KEY_ENDS = cython.declare(cython.const[cython.int][::1], array("i", accumulate(map(len, STATED_KEYS))))
_BEGINS_KEY = cython.declare(
    cython.const[cython.uchar][::1], bytes(c in {key[1] for key in STATED_KEYS} for c in range(256))
)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _key_at(data: Bytes, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
    """Return the number of the key of STATED_KEYS that stands at a byte, which is a quote; or -1."""
    if at + 1 >= stop or not _BEGINS_KEY[data[at + 1]]:
        return -1
    start: cython.int = 0
    for key in range(len(_KEY_ENDS)):
        size = _KEY_ENDS[key] - start
        if at + size <= stop and memcmp(data + at, cython.address(_KEYS[start]), size) == 0:
            return key
        start = _KEY_ENDS[key]
    return -1


_MAX_NAME_LENGTH = cython.declare(cython.int, 64)  # bytes of the name of a fact
_KEYS_OF: dict[str, bytes] = {}  # by the name of a fact that somebody asks for: what it is looked up by


@cython.cfunc
def _key_of(data: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> bytes:
    """Return the name of a fact without what stands between its words, in lower case; empty where it is too long."""
    key = cython.declare(cython.uchar[64])
    size: cython.int = 0
    for at in range(start, stop):
        if _IS_BETWEEN[data[at]]:
            continue
        if size == _MAX_NAME_LENGTH:
            return b""
        key[size] = _lower(data[at])
        size += 1
    return key[:size]


@cython.final
@cython.cclass
class _Script:
    """The strings that the keys of STATED_KEYS have in one script of JSON-LD."""

    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    limit: cython.Py_ssize_t  # where the part ends that is read for texts
    found: list  # by key: its strings, or None where a value is a list, an object or a number
    after: cython.Py_ssize_t[KEYS]  # by key: where its last value ends,
    left: cython.int[KEYS]  # and how many more of its values are read

    def __init__(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t):
        self.start, self.stop = start, stop
        self.limit = min(stop, start + MAX_SCRIPT_BYTES)
        found: list[Any] = [[] for _ in STATED_KEYS]
        self.found = found
        for key in range(KEYS):
            self.after[key] = start
            self.left[key] = MAX_KEY_VALUES
        self.left[HEADLINE_KEY] = 1

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read(self, data: Bytes) -> cython.int:
        """Read the strings of all keys, in one pass."""
        at: cython.Py_ssize_t = self.start
        while at < self.stop:
            quote = cython.cast(cython.p_const_uchar, memchr(data + at, QUOTATION_MARK, self.stop - at))
            if quote == cython.NULL:
                break
            at = quote - data
            key = _key_at(data, at, self.stop)
            if key >= 0 and self.left[key] and at >= self.after[key]:
                self.left[key] -= 1
                self.read_value(data, key, at)
            at += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read_value(self, data: Bytes, key: cython.int, at: cython.Py_ssize_t) -> cython.int:
        """Read the value of a key that stands at a byte. After one that is broken, the key does not count any more."""
        # Four bytes a character, and every one of them may be written as an escape of six.
        stop: cython.Py_ssize_t = min(self.stop, at + 6 * MAX_FACT_LENGTH) if key == HEADLINE_KEY else self.limit
        self.after[key] = at + _KEY_ENDS[key] - (_KEY_ENDS[key - 1] if key else 0)
        start = _value_at(data, self.after[key], stop)
        if start < 0:
            return 0
        end: cython.Py_ssize_t = -1
        first = data[start] if start < stop else 0
        if first == QUOTATION_MARK:
            end = _string_end(data, start, stop)
            text = _string(data, start + 1, end) if end >= 0 else None
            if text is None:
                end = -1
            else:
                self.found[key].append(text)
        elif stop - start >= 5 and (memcmp(data + start, b"null", 4) == 0 or memcmp(data + start, b"true", 4) == 0):
            end = start + 3
        elif stop - start >= 5 and memcmp(data + start, b"false", 5) == 0:
            end = start + 4
        elif first == LEFT_BRACE or first == LEFT_BRACKET or first == HYPHEN or is_letter(first) or is_digit(first):
            self.found[key] = None
        if end < 0:
            self.left[key] = 0
        else:
            self.after[key] = end + 1
        return 0


class Statements:
    """What a page states of itself where no reader sees it.

    One pass over its rows finds where that is; texts are made when they are asked for. `scripts` has where in the text
    of the page the scripts of JSON-LD begin and end, `canonical` and `base` the page's own address and what others are
    relative to, as they stand there. `address` and `linked` keep what is made of all this elsewhere.
    """

    if TYPE_CHECKING:
        scripts: list[tuple[int, int]]
        canonical: str | None
        base: str | None
        address: str | None
        linked: Any

    def __init__(self, view: PageView):
        self.text_buffer, self.value_buffer = view.text_buffer, view.value_buffer
        self.text_data, self.value_data = self.text_buffer, self.value_buffer
        self.value_at = view.value_at
        self.names = zeros("i", min(view.attributes, 4 * MAX_STATING))
        self.contents, self.is_property = zeros("i", len(self.names)), bytearray(len(self.names))
        self.title_spans, self.scripts = [], []
        self.find(view)

    def find(self, view):
        """Find the rows that state something; the first ones of each element count."""
        seen = cython.declare(cython.int[KNOWN_TAGS])
        memset(seen, 0, cython.sizeof(seen))
        for row in range(view.rows):
            tag = view.tag[row]
            if tag != TAG_META and tag != TAG_TITLE and tag != TAG_LINK and tag != TAG_SCRIPT and tag != TAG_BASE:
                continue
            if seen[tag] < MAX_STATING:
                seen[tag] += 1
                self.add(view, row, tag)
        return 0

    def add(self, view, row, tag):
        """Add what a row may state, given its element."""
        if tag == TAG_META:
            self.add_fact(view, row)
        elif tag == TAG_TITLE and not self.has_title:
            self.add_title(view, row)
        elif tag == TAG_LINK and not self.has_canonical:
            self.add_link(view, row)
        elif tag == TAG_BASE and self.base is None:
            k = view.attribute(row, ATTR_HREF)
            self.base = (view.value_of(k) or None) if k >= 0 else None
        elif tag == TAG_SCRIPT:
            k = view.attribute(row, ATTR_TYPE)
            if k >= 0 and _begins_with(view, k, _LINKED_DATA):
                self.scripts.append((view.text_at[row], view.text_at[view.end[row]]))
        return 0

    def add_title(self, view, row):
        """Add a title; no more are needed after one that has a letter and no entity."""
        start, stop = view.text_at[row], view.text_at[view.end[row]]
        self.title_spans.append((start, stop))
        if memchr(self.text_data + start, AMPERSAND, stop - start) == cython.NULL:
            for at in range(start, stop):
                if is_letter(self.text_data[at]):
                    self.has_title = True
                    break
        return 0

    def add_link(self, view, row):
        """Add a link if it names the page's own address."""
        k = view.attribute(row, ATTR_REL)
        if k < 0 or not _begins_with(view, k, _CANONICAL) or view.value_of(k).strip().lower() != "canonical":
            return 0
        k = view.attribute(row, ATTR_HREF)
        self.canonical = (view.value_of(k).strip() or None) if k >= 0 else None
        self.has_canonical = True
        return 0

    def add_fact(self, view, row):
        """Add the names and the content of a `meta` element."""
        content = view.attribute(row, ATTR_CONTENT)
        if content < 0 or view.value_at[content] == view.value_at[content + 1]:
            return
        for k in range(view.attribute_at[row], view.attribute_at[row + 1]):
            name = view.attribute_name[k]
            if (
                name == ATTR_PROPERTY or name == ATTR_NAME or name == ATTR_ITEMPROP or name == ATTR_HTTP_EQUIV
            ) and self.count < len(self.names):
                self.names[self.count], self.contents[self.count] = k, content
                self.is_property[self.count] = name == ATTR_PROPERTY
                self.count += 1

    # Facts in `meta` elements. Upper case and what stands between the words of their names do not count.

    def places(self, name):
        """Return the places of the contents with a name; None where there are none, as of most names."""
        if self.places_of is None:
            self.sort_places()
        key = _KEYS_OF.get(name)
        if key is None:
            stated: bytes = name.encode()
            key = _KEYS_OF[name] = _key_of(stated, 0, len(stated))
        return self.places_of.get(key)

    def sort_places(self):
        """Find the places of the contents of each name."""
        self.places_of = {}
        for at in range(self.count):
            k = self.names[at]
            key: bytes = _key_of(self.value_data, self.value_at[k], self.value_at[k + 1])
            if key:
                known: list = self.places_of.get(key)
                if known is None:
                    self.places_of[key] = [at]
                else:
                    known.append(at)
        return 0

    def content(self, at):
        """Return a content, of which the first 4,000 bytes count."""
        start: cython.int = self.value_at[self.contents[at]]
        stop: cython.int = self.value_at[self.contents[at] + 1]
        return self.value_buffer[start : min(stop, start + MAX_CONTENT_LENGTH)]

    def firsts(self, *names: str) -> Iterator[tuple[str, str]]:
        """Yield those of some names that the page has, in their order, with the first value that is no list."""
        for name in names:
            for at in (self.places(name) or ())[:MAX_CONTENTS]:
                text: str = _read(self.content(at))
                if 0 < len(text) <= MAX_FACT_LENGTH:
                    yield name, text
                    break

    def values(
        self, *names: str, longest: int = MAX_FACT_LENGTH, folded: bool = True
    ) -> Iterator[tuple[str, list[str]]]:
        """Yield the same with all values of up to `longest` characters; they keep their lines if not `folded`."""
        for name in names:
            places: list[int] | None = self.places(name)
            if places:
                contents = [self.content(at) for at in places[:MAX_CONTENTS]]
                texts = [
                    _read(text) if folded else _without_entities(text.decode("utf-8", "replace")) for text in contents
                ]
                yield name, [text for text in texts if 0 < len(text) <= longest]

    @property
    def types(self) -> list[bytes]:
        """Each `og:type`; under another attribute than `property` it is not what models know."""
        stated = [at for at in self.places("og:type") or () if self.is_property[at]]
        return [self.content(at) for at in stated[:MAX_CONTENTS]]

    # Titles

    @property
    def title(self) -> str:
        """The text of `<title>`; a drawing may have one too, so the first that is not empty."""
        if self.known_title is None:
            self.known_title = ""
            for start, stop in self.title_spans:
                text: str = _read(self.text_buffer[start:stop])
                if text:
                    self.known_title = text[:MAX_FACT_LENGTH]
                    break
        return self.known_title

    @property
    def headlines(self) -> list[str]:
        """The first `headline` of each script of JSON-LD."""
        self.read_scripts()
        return self.known_headlines

    @property
    def declared(self) -> list[str]:
        """The titles in `meta` elements and JSON-LD."""
        return self.social_titles() + [text for _, text in self.firsts("headline")] + self.headlines

    def social_titles(self):
        """Return the titles for social networks, read once."""
        if self.known_social is None:
            self.known_social = [text for _, text in self.firsts("og:title", "twitter:title")]
        return self.known_social

    @property
    def titles(self) -> list[str]:
        """The titles that the page states, each once: as they are, and the longest part of each."""
        if self.known_titles is None:
            whole: list[str] = [self.title, *self.social_titles(), *self.headlines]
            whole += [_longest_part(title) for title in whole]
            self.known_titles = [title for title in dict.fromkeys(whole) if title]
        return self.known_titles

    # JSON-LD

    def read_scripts(self):
        """Read the strings of the scripts that are asked for."""
        if self.known_headlines is not None:
            return 0
        headlines: list[str] = []
        self.said = [[], [], []]
        for start, stop in self.scripts[:MAX_SCRIPTS]:
            script: _Script = _Script(start, stop)
            script.read(self.text_data)
            for text in script.found[HEADLINE_KEY] or ():
                title: str = _read(_cleaned(text))
                if 0 < len(title) <= MAX_FACT_LENGTH:
                    headlines.append(title)
            for key in range(HEADLINE_KEY):
                said: list = self.said[(key >= FIRST_PART_KEY) + (key >= FIRST_SUMMARY_KEY)]
                said += [(start, script.limit, STATED_KEYS[key])] if script.found[key] is None else script.found[key]
        self.known_headlines = headlines
        return 0

    def texts(self, read_key: Callable[[str, str], Iterable[str]]) -> tuple[bytes, bytes, bytes]:
        """Return the texts that the page states of its content: the body, its parts, and what sums it up.

        `read_key` yields the strings in lists and objects, given a script and one of its keys.
        """
        self.read_scripts()
        summary = [text.encode() for _, texts in self.values("description", "og:description") for text in texts]
        found = [self.strings(said, read_key) for said in self.said]
        return _joined(found[0]), _joined(found[1]), _joined(found[2] + summary)

    def strings(self, said, read_key):
        """Return the strings of some keys, with their entities resolved."""
        found: list[bytes] = []
        for each in said:
            if isinstance(each, bytes):
                found.append(_without_entities(each.decode("utf-8", "replace")).encode() if b"&" in each else each)
            else:
                start, stop, key = each
                script = self.text_buffer[start:stop].decode("utf-8", "replace")
                found += [_without_entities(text).encode("utf-8", "replace") for text in read_key(script, key.decode())]
        return found


@cython.cfunc
def _cleaned(text: bytes) -> bytes:
    """Return a text of UTF-8 without what cannot be seen."""
    data: cython.p_const_uchar = text
    return clean(text.decode("utf-8", "replace")).encode() if has_suspect(data, 0, len(text)) else text


@cython.cfunc
def _joined(texts: list | None) -> bytes:
    """Return some texts in one, each once."""
    return b"\n".join([_cleaned(text) for text in dict.fromkeys(texts)]) if texts else b""


def statements(page: Any) -> Statements:
    """Return what a page states of itself: it is found once, for a page and for those that hide other rows of it."""
    view: PageView = view_of(page)
    if view.origin is not None:
        view = view.origin
    if view.stated is None:
        view.stated = Statements(view)
    return view.stated
