# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""What a page states of itself, and the rows that may state something: elements with a telling attribute, texts with
a year.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import cython
from cython.cimports.cpython.unicode import PyUnicode_DecodeUTF8
from cython.cimports.libc.string import memchr, memcmp, memcpy, memset
from cython.cimports.pagesieve.page.kernel.cleaning import has_suspect
from cython.cimports.pagesieve.page.kernel.common import is_digit, is_letter, is_space, zeros
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.tags import (
    ATTR_CONTENT,
    ATTR_HREF,
    ATTR_HTTP_EQUIV,
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
from cython.cimports.pagesieve.page.kernel.view import PageView, measured, view_of

from pagesieve.page.kernel.constants import STATED_KEYS
from pagesieve.text.invisible import clean
from pagesieve.text.whitespace import fold

# By byte: whether it stands between the words of the name of a fact.
_IS_BETWEEN = cython.declare(cython.const[cython.uchar][::1], bytes(c in b" \t\n\r:._-" for c in range(256)))


def _lower(byte):
    return byte + 32 if UPPER_A <= byte <= UPPER_Z else byte


def _among(number, numbers):
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


def _begins_with(view, k, word):
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


def rows_with_value(
    page: Any, tag: cython.int, name: cython.int, word: cython.const[cython.uchar][::1], most: cython.int
) -> list[int]:
    """Return the rows of an element with an attribute that begins with a word, among its first `most` rows."""
    view: PageView = view_of(page)
    found: list[int] = []
    for row in range(view.rows):
        if view.tag[row] != tag:
            continue
        if most == 0:
            break
        most -= 1
        k = view.attribute(row, name)
        if k >= 0 and _begins_with(view, k, word):
            found.append(row)
    return found


class _Words:
    """Some words that are looked for all at once: a bit for each of their letters."""

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

    def last_in(self, view, k):
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


def _has_year(view, row):
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


class _Word:
    """A word that is looked for, by the method of Horspool on pairs of bytes."""

    def look_for(self, data, size):
        """Look for some bytes from now on, which have to stay where they are."""
        self.data, self.size = data, size
        last: cython.int = min(self.size, 256) - 1
        memset(self.steps, max(last, 0), 256)
        for k in range(self.size - last, self.size):
            self.steps[_pair(self.data + k)] = self.size - 1 - k

    def is_in(self, data, start, stop):
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


def _pair(data):
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


def _word(text):
    """Return a text as a word that is looked for."""
    word: _Word = _Word()
    word.look_for(text, len(text))
    return word


def _is_of_word(c):
    return is_letter(c) or c >= 128 or c == APOSTROPHE or c == HYPHEN


def _after_words(data, start, stop):
    """Return where five to eight words end that begin at a byte, each after a space; `start` where there are fewer."""
    at: cython.Py_ssize_t = start
    words: cython.int = 0
    while words < MOST_SAID_WORDS and at + 1 < stop and data[at] == SPACE and _is_of_word(data[at + 1]):
        at += 2
        while at < stop and _is_of_word(data[at]):
            at += 1
        words += 1
    return at if words >= LEAST_SAID_WORDS else start


def _after_wide(data, start, stop):
    """Return where the bytes beyond ASCII end that begin at one, if they are enough for a phrase; else `start`."""
    at: cython.Py_ssize_t = start
    stop = min(stop, start + MOST_SAID_BYTES)
    while at < stop and data[at] >= 128:
        at += 1
    return at if at - start >= LEAST_SAID_BYTES else start


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


# Titles


def _after_blanks(text, at):
    """Return where the white space that begins at a character of a text ends."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _after_signs(title, at):
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


def _after_parting(title, start):
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


def _has_wide_space(data, stop):
    """Whether a text of UTF-8 may hold white space beyond ASCII."""
    for at in range(stop - 1):
        c = data[at]
        if c < 0xC2 or c > 0xE3:
            continue
        two = (c << 8) | data[at + 1]
        if two == 0xC2A0 or two == 0xE19A or two == 0xE281:
            return True
        last = data[at + 2] if at + 2 < stop else 0
        if (two == 0xE280 and (last <= 0x8A or last >= 0xA8)) or (two == 0xE380 and last == 0x80):
            return True
    return False


def _fold(data, stop, into):
    """Copy a text of UTF-8 with every run of blanks as one space, and none at its ends; return how long the copy is."""
    size: cython.Py_ssize_t = 0
    for at in range(stop):
        if data[at] > SPACE:
            if at > 0 and data[at - 1] <= SPACE and size > 0:
                into[size] = SPACE
                size += 1
            into[size] = data[at]
            size += 1
    return size


def folded(text: bytes) -> str:
    """Return a text of UTF-8 with its blanks folded, and without what cannot be seen."""
    data: cython.p_const_uchar = text
    if not text or has_suspect(data, 0, len(text)) or _has_wide_space(data, len(text)):
        return fold(text.decode("utf-8", "replace"))
    held = bytearray(len(text))
    into: cython.p_uchar = held
    return PyUnicode_DecodeUTF8(cython.cast(cython.p_const_char, into), _fold(data, len(text), into), b"replace")


def readable(text: str) -> str:
    """Return a text with its blanks folded and its entities resolved: many sites escape a text once too often."""
    return fold(_without_entities(text))


def _without_entities(text):
    if "&" not in text:
        return text
    from html import unescape

    return unescape(text)


def _read(text):
    """Return a text of UTF-8 as `readable` returns it."""
    return readable(text.decode("utf-8", "replace")) if b"&" in text else folded(text)


# Strings of JSON

_PLAIN_ESCAPES = cython.declare(bytes, b'"\\/bfnrt')
_ESCAPED = cython.declare(bytes, b'"\\/\b\f\n\r\t')


def _string_end(data, at, stop):
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


def _hex_number(data, at, stop):
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


def _write_code(into, code):
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


def _unescape(data, start, stop, into):
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


def _string(data, start, stop):
    """Return what the inside of a JSON string stands for, as UTF-8; None where it has a wrong escape."""
    if memchr(data + start, BACKSLASH, stop - start) == cython.NULL:
        return data[start:stop]
    held = bytearray(stop - start)
    into: cython.uchar[::1] = held
    size = _unescape(data, start, stop, cython.address(into[0]))
    return bytes(held[:size]) if size >= 0 else None


def _value_at(data, at, stop):
    """Return where the value after a key of JSON begins; -1 where no colon follows the key."""
    at = _after_space(data, at, stop)
    if at >= stop or data[at] != COLON:
        return -1
    return _after_space(data, at + 1, stop)


def _after_space(data, at, stop):
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


def _key_at(data, at, stop):
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


def _is_called(values, start, stop, name, size):
    """Whether a value is a name; upper case and what stands between words do not count."""
    k: cython.Py_ssize_t = 0
    for at in range(start, stop):
        if _IS_BETWEEN[values[at]]:
            continue
        while k < size and _IS_BETWEEN[name[k]]:
            k += 1
        if k == size or _lower(values[at]) != _lower(name[k]):
            return False
        k += 1
    while k < size and _IS_BETWEEN[name[k]]:
        k += 1
    return k == size


class _Script:
    """The strings that the keys of STATED_KEYS have in one script of JSON-LD."""

    def __init__(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t):
        self.start, self.stop = start, stop
        self.limit = min(stop, start + MOST_SCRIPT_BYTES)
        found: list[Any] = [[] for _ in STATED_KEYS]
        self.found = found
        for key in range(KEYS):
            self.after[key] = start
            self.left[key] = MOST_KEY_VALUES
        self.left[HEADLINE_KEY] = 1

    def read(self, data):
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

    def read_value(self, data, key, at):
        """Read the value of a key that stands at a byte. After one that is broken, the key does not count any more."""
        # Four bytes a character, and every one of them may be written as an escape of six.
        stop: cython.Py_ssize_t = min(self.stop, at + 6 * LONGEST_FACT) if key == HEADLINE_KEY else self.limit
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
        self.names = zeros("i", min(view.attributes, 4 * MOST_STATING))
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
            if seen[tag] < MOST_STATING:
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

    def places(self, name, is_property):
        """Return the places of the contents with a name, which is that of a `property` if `is_property`."""
        key: bytes = name.encode()
        found: list[int] = []
        for at in range(self.count):
            k = self.names[at]
            if (
                (self.is_property[at] or not is_property)
                and _is_called(self.value_data, self.value_at[k], self.value_at[k + 1], key, len(key))
                and len(found) < MOST_CONTENTS
            ):
                found.append(at)
        return found

    def content(self, at):
        """Return a content, of which the first 4,000 bytes count."""
        start: cython.int = self.value_at[self.contents[at]]
        stop: cython.int = self.value_at[self.contents[at] + 1]
        return self.value_buffer[start : min(stop, start + LONGEST_CONTENT)]

    def firsts(self, *names: str) -> list[tuple[str, str]]:
        """Return those of some names that the page has, in their order, with the first value that is no list."""
        found: list[tuple[str, str]] = []
        for name in names:
            for at in self.places(name, False):
                text: str = _read(self.content(at))
                if 0 < len(text) <= LONGEST_FACT:
                    found.append((name, text))
                    break
        return found

    def values(self, *names: str, longest: int = LONGEST_FACT, folded: bool = True) -> list[tuple[str, list[str]]]:
        """Return the same with all values of up to `longest` characters; they keep their lines if not `folded`."""
        found: list[tuple[str, list[str]]] = []
        for name in names:
            places: list[int] = self.places(name, False)
            if places:
                contents = [self.content(at) for at in places]
                texts = [
                    _read(text) if folded else _without_entities(text.decode("utf-8", "replace")) for text in contents
                ]
                found.append((name, [text for text in texts if 0 < len(text) <= longest]))
        return found

    @property
    def types(self) -> list[bytes]:
        """Each `og:type`; under another attribute than `property` it is not what models know."""
        return [self.content(at) for at in self.places("og:type", True)]

    # Titles

    @property
    def title(self) -> str:
        """The text of `<title>`; a drawing may have one too, so the first that is not empty."""
        if self.known_title is None:
            self.known_title = ""
            for start, stop in self.title_spans:
                text: str = _read(self.text_buffer[start:stop])
                if text:
                    self.known_title = text[:LONGEST_FACT]
                    break
        return self.known_title

    @property
    def headlines(self) -> list[str]:
        """The first `headline` of each script of JSON-LD."""
        self.read_scripts()
        return self.known_headlines

    @property
    def titles(self) -> list[str]:
        """The titles that the page states, each once: as they are, and the longest part of each."""
        if self.known_titles is None:
            whole: list[str] = [self.title]
            whole += [text for _, text in self.firsts("og:title", "twitter:title")]
            whole += self.headlines
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
        for start, stop in self.scripts[:MOST_SCRIPTS]:
            script: _Script = _Script(start, stop)
            script.read(self.text_data)
            for text in script.found[HEADLINE_KEY] or ():
                title: str = _read(_cleaned(text))
                if 0 < len(title) <= LONGEST_FACT:
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


def _cleaned(text):
    """Return a text of UTF-8 without what cannot be seen."""
    data: cython.p_const_uchar = text
    return clean(text.decode("utf-8", "replace")).encode() if has_suspect(data, 0, len(text)) else text


def _joined(texts):
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
