# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""Find the rows of a page that may state something of it: elements with a telling attribute, texts with a year."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel.common import as_column, fnv_seed, is_digit, mix, zeros
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.digests import Numbers
from cython.cimports.pagesieve.page.kernel.tags import ATTR_CONTENT, TAG_H1, TAG_H6, TAG_META
from cython.cimports.pagesieve.page.kernel.view import PageView, measured, view_of

_BETWEEN_WORDS = b" \t\n\r:._-"  # of the name of a fact


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


def _without_numbers(text, start, stop, copy):
    """Copy a text as far as there is room, every number as 0; return how long the copy is."""
    size: cython.int = 0
    for at in range(start, stop):
        if size == len(copy):
            break
        if not is_digit(text[at]):
            copy[size] = text[at]
            size += 1
        elif at == start or not is_digit(text[at - 1]):
            copy[size] = DIGIT_0
            size += 1
    return size


def _digest(text, size):
    digest: cython.ulonglong = fnv_seed()
    for at in range(size):
        digest = mix(digest, text[at])
    return digest


def ask_values(page: Any, rows: Any, names: bytes, ask: Callable[[str], int]) -> Any:
    """Return for each of some rows the greatest answer to the values of some attributes, or 0.

    `names` are the numbers of the attributes. Numbers in values come as 0, because names and addresses recur but for
    them, and each distinct value is asked about once. The first 4,000 bytes of a value count.
    """
    view: PageView = view_of(page)
    asked: cython.const[cython.int][::1] = as_column(rows)
    held: cython.const[cython.uchar][::1] = names
    found: cython.int[::1] = zeros("i", len(asked))
    answers: cython.int[::1] = zeros("i", len(asked) * len(held))
    known: Numbers = Numbers(len(answers))
    copy = bytearray(4000)
    value: cython.uchar[::1] = copy
    for j in range(len(asked)):
        if not 0 <= asked[j] < view.rows:
            raise IndexError(f"row {asked[j]} of a page of {view.rows} rows")
        for name in range(len(held)):
            k = view.attribute(asked[j], held[name])
            if k < 0 or view.value_at[k] == view.value_at[k + 1]:
                continue
            size = _without_numbers(view.values, view.value_at[k], view.value_at[k + 1], value)
            count = known.count
            number = known.number(_digest(value, size))
            if number == count:
                answers[number] = ask(copy[:size].decode("utf-8", "replace"))
            found[j] = max(found[j], answers[number])
    return found


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


def meta_values(page: Any, names: bytes) -> dict:
    """Return the contents of `meta` elements by their names, which stand in one of some attributes.

    Names come in lower case, without what stands between their words: `article:published_time` and
    `Article.published-time` are the same. Attributes are given by their numbers. The first 1,000 elements are looked
    at; the first 50 contents of a name count, and the first 4,000 bytes of each.
    """
    view: PageView = view_of(page)
    held: cython.const[cython.uchar][::1] = names
    buffer: bytes = page.value_buffer
    left: cython.int = 1000
    values: list
    found: dict = {}
    for row in range(view.rows):
        if view.tag[row] != TAG_META:
            continue
        if left == 0:
            break
        left -= 1
        k = view.attribute(row, ATTR_CONTENT)
        if k < 0 or view.value_at[k] == view.value_at[k + 1]:
            continue
        start = view.value_at[k]
        stop = min(view.value_at[k + 1], start + 4000)
        for k in range(view.attribute_at[row], view.attribute_at[row + 1]):
            if _among(view.attribute_name[k], held):
                name = buffer[view.value_at[k] : view.value_at[k + 1]].lower().translate(None, _BETWEEN_WORDS)
                values = found.setdefault(name, [])
                if len(values) < 50:
                    values.append(buffer[start:stop])
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


def visible_headings(page: Any, most: cython.int) -> list[tuple[int, int, int, int, int]]:
    """Return the visible ones of the first headings: row, level, depth, and where the text begins and ends."""
    view: PageView = measured(page)
    found: list[tuple[int, int, int, int, int]] = []
    for row in range(view.rows):
        if not TAG_H1 <= view.tag[row] <= TAG_H6:
            continue
        if most == 0:
            break
        most -= 1
        if view.visibility[row] == 0:
            level = view.tag[row] - TAG_H1 + 1
            found.append((row, level, view.depth[row], view.text_at[row], view.text_at[view.end[row]]))
    return found


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


def _holds(view, row, word):
    """Whether a text row contains a word."""
    for at in range(view.text_at[row], view.text_at[row + 1] - len(word) + 1):
        if view.text[at] == word[0]:
            k = 1
            while k < len(word) and view.text[at + k] == word[k]:
                k += 1
            if k == len(word):
                return True
    return False


def last_row_with(page: Any, word: cython.const[cython.uchar][::1]) -> int:
    """Return the last visible text row that contains a word, or -1."""
    view: PageView = measured(page)
    for row in range(view.rows - 1, 0, -1):
        if view.chars[row] and _holds(view, row, word):
            return row
    return -1


def seen_from(page: Any, first: cython.int) -> bytes:
    """Return the visible texts from a row on, with a zero where one that is not visible stands between them."""
    view: PageView = measured(page)
    text: bytes = page.text_buffer
    start: cython.int = view.text_at[first]
    parts: list[bytes] = []
    for row in range(first, view.rows):
        if view.visibility[row] and view.text_at[row] < view.text_at[row + 1]:
            if start < view.text_at[row]:
                parts.append(text[start : view.text_at[row]])
            start = view.text_at[row + 1]
    parts.append(text[start : view.text_at[view.rows]])
    return b"\0".join(parts)


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
