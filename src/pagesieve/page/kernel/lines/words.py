# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, infer_types=True
"""The words of classes, ids, roles and the text, by their digests; and what the block model knows of them."""

from __future__ import annotations

from array import array
from typing import Any

import cython
from cython.cimports.libc.stdlib import free
from cython.cimports.libc.string import memset
from cython.cimports.pagesieve.page.kernel.common import (
    as_column,
    fnv_seed,
    is_digit,
    is_letter,
    mix,
    room_for,
    utf8_code,
    utf8_width,
    zeros,
)
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.lines import feature_table as column
from cython.cimports.pagesieve.page.kernel.page.attributes import labels_of
from cython.cimports.pagesieve.page.kernel.page.view import PageView, view_of
from cython.cimports.pagesieve.page.kernel.tags import ATTR_CLASS, ATTR_ID, ATTR_ROLE

from pagesieve.page.kernel.constants import SIGNS

_SIGNS = cython.declare(cython.const[cython.uchar][::1], SIGNS)
_SEEN_BITS = cython.declare(cython.longlong, 1 << 20)  # a power of two


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _as_key(digest: cython.ulonglong) -> cython.longlong:
    """Return a digest as a table of words has it: above 0, because 0 is an empty slot."""
    return cython.cast(cython.longlong, (digest >> 1) | 1)


class WordTable:
    """What words say, by their digests: a hash table whose size is a power of two, 0 where it is empty."""

    def __init__(self, known: Any, scores: Any):
        self.known = as_column(known)
        self.scores = as_column(scores)
        self.seen = bytearray(_SEEN_BITS // 8)
        for k in range(len(self.known)):
            if self.known[k]:
                bit = (self.known[k] >> 1) & (_SEEN_BITS - 1)
                self.seen[bit >> 3] |= 1 << (bit & 7)

    def may_know(self, digest):
        """Whether a digest may be known: most are not."""
        bit = (digest >> 1) & (_SEEN_BITS - 1)
        return self.seen[bit >> 3] >> (bit & 7) & 1

    def slot(self, digest):
        """Return where a digest stands; -1 where it does not."""
        if not self.may_know(digest):
            return -1
        mask = len(self.known) - 1
        slot = digest & mask
        while self.known[slot] and self.known[slot] != digest:
            slot = (slot + 1) & mask
        return slot if self.known[slot] else -1


def is_table(known: cython.const[cython.longlong][::1]) -> bool:
    """Whether some digests can be a table of words: none is negative, and there is an empty place."""
    has_place: cython.bint = False
    for k in range(known.shape[0]):
        if known[k] < 0:
            return False
        has_place = has_place or known[k] == 0
    return has_place


# Words of classes and ids


class ElementWords:
    """The digests of the words of an element's class, id and role: `count` of them.

    A word is letters of one case, a capital first. Single letters do not count.
    """

    def __init__(self) -> None:
        self.digests = zeros("q", column.MAX_CLASS_WORDS)

    def read(self, view, row):
        """Read the words of an element."""
        self.count = 0
        for k in range(view.attribute_at[row], view.attribute_at[row + 1]):
            name = view.attribute_name[k]
            if name == ATTR_CLASS or name == ATTR_ID or name == ATTR_ROLE:
                self.read_value(view.values, view.value_at[k], view.value_at[k + 1])

    def read_value(self, values, i, stop):
        """Read the words of an attribute."""
        digest: cython.ulonglong
        while i < stop and self.count < column.MAX_CLASS_WORDS:
            start = i
            digest = fnv_seed()
            # A capital after a small letter begins the next word.
            while i < stop and is_letter(values[i]) and not (i > start and values[i] <= UPPER_Z < values[i - 1]):
                if i - start < column.MAX_WORD_LENGTH:
                    digest = mix(digest, values[i] | 0x20)
                i += 1
            if i - start > 1:
                self.digests[self.count] = _as_key(digest)
                self.count += 1
            elif i == start:  # no letter
                i += 1

    def add_up(self, table):
        """Sum up in `score` what the words say; return how many of them the table knows."""
        known = 0
        self.score = 0
        for k in range(self.count):
            slot = table.slot(self.digests[k])
            if slot >= 0:
                self.score += table.scores[slot]
                known += 1
        return known


def class_word(word: bytes) -> int:
    """Return the digest of one word of a class or id; 0 where it is none."""
    found: ElementWords = ElementWords()
    found.count = 0
    found.read_value(word, 0, len(word))
    return found.digests[0] if found.count == 1 else 0


def class_score(word: bytes, table: WordTable) -> float:
    """Return what a table says of one word of a class or id; 0 where it does not know it."""
    slot = table.slot(class_word(word))
    return table.scores[slot] if slot >= 0 else 0.0


def words(page: Any) -> tuple[array[int], array[int]]:
    """Return the words of all classes, ids and roles: the row and the digest of each."""
    view: PageView = view_of(page)
    found: ElementWords = ElementWords()
    rows: array[int] = array("i")
    digests: array[int] = array("q")
    for row in range(view.rows):
        found.read(view, row)
        for k in range(found.count):
            rows.append(row)
            digests.append(found.digests[k])
    return rows, digests


class Scores:
    """What the words of each element say, and of those above it; 0 where nothing is in it."""

    def set_up(self, view):
        """Take over the labels of a page."""
        self.labels = labels_of(view)
        self.element = ElementWords()
        return 0

    def __dealloc__(self):
        free(self.said)

    def make_columns(self, rows):
        """Make room for the columns, in one piece; row 0 has nothing to say."""
        labels: cython.Py_ssize_t = self.labels.count
        size: cython.size_t = labels * (cython.sizeof(cython.double) + 2 * cython.sizeof(cython.int))
        self.said = cython.cast(cython.p_double, room_for(size + 5 * rows * cython.sizeof(cython.float)))
        self.words = cython.cast(cython.p_int, self.said + labels)
        self.known = self.words + labels
        self.own = cython.cast(cython.p_float, self.known + labels)
        self.sums, self.least, self.most = self.own + rows, self.own + 2 * rows, self.own + 3 * rows
        self.faded = self.own + 4 * rows
        self.own[0] = self.sums[0] = self.least[0] = self.most[0] = self.faded[0] = 0
        return 0

    def read_label(self, view, label, words, table):
        """Find what the words of one class, id or role say."""
        k = self.labels.place[label]
        words.count = 0
        words.read_value(view.values, view.value_at[k], view.value_at[k + 1])
        self.words[label] = words.count
        self.known[label] = words.add_up(table)
        self.said[label] = words.score

    def read(self, view, row, words, table):
        """Find what the words of an element say: their sum and how many are known, in `words`."""
        own = 0
        words.score = 0
        known = 0
        for k in range(view.attribute_at[row], view.attribute_at[row + 1]):
            label = self.labels.number[k]
            if label >= 0:
                own += self.words[label]
                known += self.known[label]
                words.score += self.said[label]
        if own > column.MAX_CLASS_WORDS:  # only the first of them count
            words.read(view, row)
            known = words.add_up(table)
        return known

    def fill(self, view, words, table):
        """Find what the words of all elements say."""
        score: cython.double
        for label in range(self.labels.count):
            self.read_label(view, label, words, table)
        for row in range(1, view.rows):
            if view.end[row] == row + 1:  # nothing is in it
                continue
            above = view.parent[row]
            found = self.read(view, row, words, table)
            score = words.score / found if found else 0
            self.own[row] = score
            self.sums[row] = self.sums[above] + score
            self.least[row] = min(self.least[above], score)
            self.most[row] = max(self.most[above], score)
            self.faded[row] = self.faded[above] * 0.7 + score if found else self.faded[above]

    def describe(self, view, around, table, words, filled):
        """Fill the columns about words: what those of the elements around each line say, and those it begins with."""
        self.make_columns(view.rows)
        self.fill(view, self.element, table)
        for line in range(words.lines):
            row = around[line, 0]
            filled[line, column.WORDS_1] = self.own[row]
            filled[line, column.WORDS_2] = self.own[around[line, 1]]
            filled[line, column.WORDS_3] = self.own[around[line, 2]]
            filled[line, column.WORDS_SUM] = self.sums[row]
            filled[line, column.WORDS_LEAST] = self.least[row]
            filled[line, column.WORDS_MOST] = self.most[row]
            filled[line, column.WORDS_FADED] = self.faded[row]
        _describe_text(words, table, filled)
        return 0


# Words of the text


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _text_seed() -> cython.ulonglong:
    """Return what the digest of a word of the text begins with: it is not that of the same word of a class."""
    return 0x9E3779B97F4A7C15


class WordReader:
    """The digests of the words that texts begin with: `count` of them, at most `most`.

    A word is letters, or how many digits there are; of a script without spaces, each two characters.
    """

    def __init__(self, size: cython.Py_ssize_t):
        self.size = size
        self.digests = cython.cast(cython.pointer(cython.longlong), room_for(size * cython.sizeof(cython.longlong)))
        self.count = self.most = 0

    def __dealloc__(self):
        free(self.digests)

    def read_whole(self, text):
        """Read a text of its own, as many words as there is place for."""
        self.count = 0
        self.most = self.size
        self.read_text(text, 0, len(text))

    def read_text(self, text, i, stop):
        """Read a part of a text; words end with it."""
        self.begin()
        self.last = 0
        while i < stop and self.count < self.most:
            c = text[i]
            if is_letter(c):
                i = self.read_letters(text, i, stop)
            elif c < 128:
                self.read_ascii(c)
                i += 1
            else:
                self.read_wide(utf8_code(text, i, stop))
                i += utf8_width(c)
        self.end()

    def read_letters(self, text, i, stop):
        """Read letters of ASCII, and return where they end."""
        if self.digits:
            self.end()
        word: cython.ulonglong = self.word
        letters: cython.int = self.letters
        while i < stop and is_letter(text[i]):
            if letters < column.MAX_WORD_LENGTH:
                word = mix(word, text[i] | 0x20)
            letters += 1
            i += 1
        self.word = word
        self.letters = letters
        self.last = 0
        return i

    def read_ascii(self, c):
        """Read another character of ASCII."""
        if is_digit(c):
            if self.letters:
                self.end()
            self.digits += 1
        else:
            self.end()
        self.last = 0

    def read_wide(self, code):
        """Read a character beyond ASCII."""
        if KANA <= code < YI:
            self.add_ideograph(code)
            return
        if _SIGNS[code] or code < LATIN_LETTERS or GENERAL_PUNCTUATION <= code < KANA or code >= SURROGATES:
            self.end()
        else:
            self.add_letter(code)
        self.last = 0

    def begin(self):
        """Begin a word."""
        self.word = _text_seed()
        self.letters = self.digits = 0

    def add_letter(self, code):
        """Add a letter to the word, or begin one after a number."""
        if self.digits:
            self.end()
        if self.letters < column.MAX_WORD_LENGTH:
            self.word = mix(self.word, code)
        self.letters += 1

    def add_ideograph(self, code):
        """Add a character of a script without spaces: with the one before it, it is a word."""
        self.end()
        if self.last and self.count < self.most:
            self.word = mix(mix(self.word, self.last), code)
            self.letters = 1
            self.end()
        self.last = code

    def end(self):
        """End a word, if there is one."""
        if not self.letters and not self.digits:
            return
        if self.digits:
            self.word = mix(self.word, min(self.digits, 5))
        if self.count < self.most:
            self.digests[self.count] = _as_key(self.word)
            self.count += 1
        self.begin()


class LineWords:
    """The words that each line begins with, by their digests: those of a line are from `at` of it to `at` of the next.

    `whole` is the digest of all of them where they are few, else 0.
    """

    def set_up(self, view, texts, starts):
        """Make room for the words of the lines, given their text rows and where in them each line begins."""
        self.lines = starts.shape[0]
        self.texts, self.starts = texts, starts
        self.reader = WordReader(self.bound(view))
        self.digests = self.reader.digests
        return 0

    def __dealloc__(self):
        free(self.whole)
        free(self.likely)

    def read_all(self, view):
        """Read the words of the lines."""
        longs: cython.size_t = self.lines * cython.sizeof(cython.longlong)
        self.whole = cython.cast(
            cython.pointer(cython.longlong), room_for(longs + (self.lines + 1) * cython.sizeof(cython.int))
        )
        self.at = cython.cast(cython.p_int, self.whole + self.lines)
        self.at[0] = 0
        memset(self.whole, 0, longs)
        for line in range(self.lines):
            self.read(view, line)
        self.likely = cython.cast(cython.p_int, room_for((self.at[self.lines] + 1) * cython.sizeof(cython.int)))
        return 0

    def stop(self, line):
        """Return where in the texts a line ends."""
        return self.starts[line + 1] if line + 1 < self.lines else self.texts.shape[0]

    def bound(self, view):
        """Return how many words there are at most: a byte has one, and a line so many."""
        most = 0
        for line in range(self.lines):
            own = 0
            for k in range(self.starts[line], self.stop(line)):
                own += view.text_at[self.texts[k] + 1] - view.text_at[self.texts[k]]
                if own >= column.MAX_TEXT_WORDS:
                    own = column.MAX_TEXT_WORDS
                    break
            most += own
        return most

    def read(self, view, line):
        """Read the words of a line."""
        start = self.reader.count
        digest: cython.ulonglong = _text_seed()
        self.reader.most = start + column.MAX_TEXT_WORDS
        for k in range(self.starts[line], self.stop(line)):
            self.reader.read_text(view.text, view.text_at[self.texts[k]], view.text_at[self.texts[k] + 1])
            if self.reader.count >= self.reader.most:
                break
        self.at[line + 1] = self.reader.count
        if 0 < self.reader.count - start <= column.MAX_WHOLE:
            for k in range(start, self.reader.count):
                digest = mix(digest, cython.cast(cython.ulonglong, self.reader.digests[k]))
            self.whole[line] = _as_key(digest)


def text_words(words: LineWords) -> tuple[array[int], array[int]]:
    """Return the words that the lines begin with, and short lines as a whole: the line and the digest of each."""
    lines: array[int] = array("i")
    digests: array[int] = array("q")
    for line in range(words.lines):
        for k in range(words.at[line], words.at[line + 1]):
            lines.append(line)
            digests.append(words.digests[k])
        if words.whole[line]:
            lines.append(line)
            digests.append(words.whole[line])
    return lines, digests


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _describe_text(words: LineWords, table: WordTable, filled: cython.float[:, ::1]) -> cython.void:
    """Fill the columns about the words of the text: what those say that a line begins with."""
    total: cython.double
    least: cython.double
    first: cython.double
    # First, those that may be known are listed without a branch, which nothing could foretell.
    likely: cython.p_int = words.likely
    count: cython.int = 0
    k: cython.int
    for k in range(words.at[words.lines]):
        likely[count] = k
        count += table.may_know(words.digests[k])
    likely[count] = words.at[words.lines]
    for line in range(words.lines):
        found = 0
        total = least = first = 0
        while likely[0] < words.at[line + 1]:
            k = likely[0]
            likely += 1
            slot = table.slot(words.digests[k])
            if slot >= 0:
                found += 1
                total += table.scores[slot]
                least = min(least, table.scores[slot])
                if k == words.at[line]:
                    first = table.scores[slot]
        filled[line, column.TEXT_MEAN] = total / found if found else 0
        filled[line, column.TEXT_LEAST] = least
        filled[line, column.TEXT_FIRST] = first
        slot = table.slot(words.whole[line]) if words.whole[line] else -1
        filled[line, column.TEXT_WHOLE] = table.scores[slot] if slot >= 0 else 0
