# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Find the rows of a page that may state something of it: elements with a telling attribute, texts with a year."""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import cython_shim as cython

from cython.cimports.pagesieve.page.kernel.ascii import DIGIT_0, DIGIT_9, SPACE, UPPER_A, UPPER_Z
from cython.cimports.pagesieve.page.kernel.tags import ATTR_CONTENT, TAG_META
from cython.cimports.pagesieve.page.kernel.view import PageView, measured, view_of

_BETWEEN_WORDS = b" \t\n\r:._-"  # of the name of a fact


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _lower(byte: cython.int) -> cython.int:
    return byte + 32 if UPPER_A <= byte <= UPPER_Z else byte


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _among(number: cython.int, numbers: cython.const[cython.uchar][::1]) -> cython.bint:
    k: cython.Py_ssize_t
    for k in range(len(numbers)):
        if numbers[k] == number:
            return True
    return False


# Attributes


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _begins_with(view: PageView, k: cython.int, word: cython.const[cython.uchar][::1]) -> cython.bint:
    """Whether the value of an attribute begins with a word in lower case; case and leading space do not count."""
    at: cython.Py_ssize_t = view.value_at[k]
    stop: cython.Py_ssize_t = view.value_at[k + 1]
    j: cython.Py_ssize_t
    while at < stop and view.values[at] <= SPACE:
        at += 1
    if stop - at < len(word):
        return False
    for j in range(len(word)):
        if _lower(view.values[at + j]) != word[j]:
            return False
    return True


def rows_with_value(page: Any, tag: int, name: int, word: bytes, most: int) -> list[int]:
    """Return the rows of an element with an attribute that begins with a word, among its first `most` rows."""
    view: PageView = view_of(page)
    wanted: cython.int = tag
    named: cython.int = name
    begin: cython.const[cython.uchar][::1] = word
    left: cython.Py_ssize_t = most
    row: cython.int
    k: cython.int
    found: list[int] = []
    for row in range(view.rows):
        if view.tag[row] != wanted:
            continue
        if left == 0:
            break
        left -= 1
        k = view.attribute(row, named)
        if k >= 0 and _begins_with(view, k, begin):
            found.append(row)
    return found


def meta_values(page: Any, names: bytes, most: cython.Py_ssize_t) -> list:
    """Return the names of the facts in `meta` elements, and where the value of each begins and ends.

    `names` are the numbers of the attributes that may hold a name. Names come in lower case, without what stands
    between their words: `article:published_time` and `Article.published-time` are the same. An element with two names
    is there twice. The first `most` elements are looked at.
    """
    view: PageView = view_of(page)
    held: cython.const[cython.uchar][::1] = names
    values: bytes = page.value_buffer
    row: cython.int
    k: cython.int
    content: cython.int
    found: list[tuple[bytes, int, int]] = []
    for row in range(view.rows):
        if view.tag[row] != TAG_META:
            continue
        if most == 0:
            break
        most -= 1
        content = view.attribute(row, ATTR_CONTENT)
        if content < 0:
            continue
        for k in range(view.attribute_at[row], view.attribute_at[row + 1]):
            if _among(view.attribute_name[k], held):
                name = values[view.value_at[k] : view.value_at[k + 1]].lower().translate(None, _BETWEEN_WORDS)
                found.append((name, view.value_at[content], view.value_at[content + 1]))
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
        at: cython.int
        j: cython.int = 0
        last: cython.int = -1
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


def rows_with_word(page: Any, words: bytes, names: bytes, first: int, stop: int, most: int) -> list[tuple[int, int]]:
    """Return the visible rows among some with an attribute that contains a word, and the number of the attribute.

    `names` are the numbers of the attributes that are looked at. The words are each ended by a zero, and have up to 64
    letters in all. Of the attributes that contain a word, the first `most` count. Where a row has several, it is the
    one with the last of the words.
    """
    view: PageView = measured(page)
    wanted: _Words = _Words(words, most)
    held: cython.const[cython.uchar][::1] = names
    row: cython.int
    k: cython.int
    last: cython.int
    word: cython.int
    name: cython.int
    found: list[tuple[int, int]] = []
    for row in range(first, stop):
        last = name = -1
        for k in range(view.attribute_at[row], view.attribute_at[row + 1]):
            if _among(view.attribute_name[k], held):
                word = wanted.last_in(view, k)
                if word >= 0 and word >= last:
                    last = word
                    name = view.attribute_name[k]
        if last >= 0 and view.visibility[row] == 0:
            found.append((row, name))
    return found


# Rows


def inside_any(page: Any, rows: list[int], tags: bytes) -> list[bool]:
    """Return which of some rows stand below an element of some names: `tags` marks them by their numbers."""
    view: PageView = view_of(page)
    wanted: cython.const[cython.uchar][::1] = tags
    row: cython.int
    inside: cython.bint
    found: list[bool] = []
    for row in rows:
        inside = False
        while row > 0 and not inside:
            row = view.parent[row]
            inside = view.tag[row] < len(wanted) and wanted[view.tag[row]] != 0
        found.append(inside)
    return found


# Texts


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _holds(view: PageView, row: cython.int, word: cython.const[cython.uchar][::1]) -> cython.bint:
    """Whether a text row contains a word."""
    at: cython.Py_ssize_t
    k: cython.Py_ssize_t
    for at in range(view.text_at[row], view.text_at[row + 1] - len(word) + 1):
        if view.text[at] == word[0]:
            k = 1
            while k < len(word) and view.text[at + k] == word[k]:
                k += 1
            if k == len(word):
                return True
    return False


def last_row_with(page: Any, word: bytes) -> int:
    """Return the last visible text row that contains a word, or -1."""
    view: PageView = measured(page)
    wanted: cython.const[cython.uchar][::1] = word
    row: cython.int
    for row in range(view.rows - 1, 0, -1):
        if view.chars[row] and _holds(view, row, wanted):
            return row
    return -1


def seen_from(page: Any, first: int) -> bytes:
    """Return the visible texts from a row on, with a zero where one that is not visible stands between them."""
    view: PageView = measured(page)
    text: bytes = page.text_buffer
    start: cython.int = view.text_at[first]
    row: cython.int
    parts: list[bytes] = []
    for row in range(first, view.rows):
        if view.visibility[row] and view.text_at[row] < view.text_at[row + 1]:
            if start < view.text_at[row]:
                parts.append(text[start : view.text_at[row]])
            start = view.text_at[row + 1]
    parts.append(text[start : view.text_at[view.rows]])
    return b"\0".join(parts)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_year(view: PageView, row: cython.int) -> cython.bint:
    """Whether a text row contains 19 or 20 and two more digits."""
    at: cython.int
    century: cython.int
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


def rows_with_year(page: Any, first: int, stop: int, hidden: bool, least: int, most: int) -> list[int]:
    """Return the text rows among some that contain a year and have `least` to `most` bytes: the visible ones, and
    with `hidden` those that an attribute hides.
    """
    view: PageView = measured(page)
    shortest: cython.int = least
    longest: cython.int = most
    also: cython.bint = hidden
    row: cython.int
    found: list[int] = []
    for row in range(first, stop):
        if not (view.chars[row] or (also and view.hidden_chars[row])):
            continue
        if shortest <= view.text_at[row + 1] - view.text_at[row] <= longest and _has_year(view, row):
            found.append(row)
    return found
