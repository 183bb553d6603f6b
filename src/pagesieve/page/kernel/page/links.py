# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""The links of a page as they stand in it: what each shows and says, and what is around it."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import (
    as_column,
    fnv_seed,
    is_digit,
    is_letter,
    is_space,
    mix,
    zeros,
)
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.document.document import _class, _size
from cython.cimports.pagesieve.page.kernel.page.digests import KnownWords, Numbers
from cython.cimports.pagesieve.page.kernel.page.view import measured

_INLINE_SHARE = cython.declare(cython.double, 0.6)  # of a line in links: what has more is a list
_WIDE = cython.declare(cython.double, 2.5)  # a Chinese, Japanese or Korean character says as much as this many letters,
_WIDE_BYTES = cython.declare(cython.double, 2.4)  # and takes more bytes than this
_RELS = {"bookmark": IS_BOOKMARK, **dict.fromkeys("tag author category license sponsored".split(), IS_LABEL)}
_KNOWN_RELS = cython.declare(KnownWords, KnownWords(_RELS))

# What stands in a link next to its title, in an element of its own: a date, an age, a number of something, or what is
# said where there is no picture.
_OF_NUMBERS = cython.declare(cython.int, 1)  # a word that may stand with numbers in such a text
_OF_PICTURES = cython.declare(cython.int, 2)
_BEYOND_ASCII = cython.declare(cython.int, 0x80)
_LATIN_SIGNS = cython.declare(cython.int, 0xC2)  # as the no-break space and the middle dot,
_GENERAL_SIGNS = cython.declare(cython.int, 0xE2)  # and dashes and bullets
_PARENTHESIS = cython.declare(cython.int, 0x28)
_MAX_ASIDE_LENGTH = cython.declare(cython.int, 60)  # bytes
_MONTHS = (
    "january february march april may june july august september october november december jan feb mar apr jun jul "
    "aug sep sept oct nov dec januar februar märz mai juni juli oktober dezember jän mär dez janvier février mars "
    "avril juin juillet août septembre octobre novembre décembre janv févr avr juil déc enero febrero marzo abril "
    "mayo junio julio agosto septiembre octubre noviembre diciembre ene abr ago dic gennaio febbraio aprile maggio "
    "giugno luglio settembre ottobre dicembre gen mag giu lug set ott janeiro fevereiro março maio junho julho "
    "setembro outubro novembro dezembro fev out maart mei augustus okt января февраля марта апреля мая июня июля "
    "августа сентября октября ноября декабря stycznia lutego marca kwietnia maja czerwca lipca sierpnia września "
    "października listopada grudnia ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık "
    "januari februari augusti desember agustus"
)
_WITH_NUMBERS = (
    "mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday am pm gmt utc ist est edt "
    "pst pdt cet cest bst jst kst th st nd rd de del of the uhr h hr hrs hour hours min mins minute minutes sec secs "
    "second seconds day days d w wk week weeks month months mo y yr year years ago read reading time updated "
    "published posted on at k m comment comments view views share shares like likes reply replies kommentare "
    "kommentar commentaires commentaire comentarios comentario comentários commenti commento reacties vor stunden "
    "minuten tagen il y a heures jours hace horas hora días minutos fa ore giorni lesezeit назад часов часа минут "
    "комментариев 年 月 日 时 分 時 年前 月前 日前 天前 小时前 分钟前 時間前 分前 년 월 일"
)
_ASIDES = {
    **dict.fromkeys((_MONTHS + " " + _WITH_NUMBERS).split(), 1),
    **dict.fromkeys("no image images thumbnail thumb placeholder noimage nophoto available".split(), 2),
}
_KNOWN_ASIDES = cython.declare(KnownWords, KnownWords(_ASIDES))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def width_of(letters: cython.int, size: cython.Py_ssize_t) -> cython.double:
    """Return how much a text says, given its letters and its bytes: wide letters count more."""
    return letters * _WIDE if size > letters * _WIDE_BYTES else letters


def _first_from(sorted, row):
    """Return the number of the first of some rows, in order, that is not before a row."""
    low = 0
    high = cython.cast(cython.int, len(sorted))
    while low < high:
        middle = (low + high) // 2
        if sorted[middle] < row:
            low = middle + 1
        else:
            high = middle
    return low


class Folded:
    """A text that is read; there is room for so many bytes."""

    def __init__(self, room: int) -> None:
        self.buffer = bytearray(room)
        self.data = self.buffer
        self.size = 0
        self.begin()

    def begin(self):
        """Begin a line after what is there."""
        self.line = self.size
        self.letters = 0
        self.gap = False

    def add(self, text, start, stop):
        """Add a text to the line."""
        i = start
        while i < stop:
            size = _size(cython.address(text[0]), i, stop)
            sort = _class(cython.address(text[0]), i, size)
            if sort == BLANK:
                self.gap = True
            elif sort == WORD:
                if self.gap and self.size > self.line:
                    self.data[self.size] = SPACE
                    self.size += 1
                    self.letters += 1
                self.gap = False
                for k in range(size):
                    self.data[self.size + k] = text[i + k]
                self.size += size
                self.letters += 1
            i += size

    def keep(self, start, size):
        """Keep nothing but some of the bytes."""
        for k in range(size):
            self.data[k] = self.data[start + k]
        self.size = size

    def digest(self):
        """Return a digest of the whole."""
        digest: cython.ulonglong = fnv_seed()
        for k in range(self.size):
            digest = mix(digest, self.data[k])
        return digest

    def as_bytes(self):
        """Return the whole."""
        return bytes(memoryview(self.buffer)[: self.size])


class Links:
    """The links of a page with an address, in order; the columns are in the `.pxd`."""

    def __init__(self, page: Any, columns: tuple[Any, Any, Any, Any]) -> None:
        """Read the links, given the lines of the page: texts, where each line begins, characters, those in links."""
        self.view = measured(page)
        self.texts, self.starts, self.chars, self.link_chars = [as_column(column) for column in columns]
        self.rels, self.asides = _KNOWN_RELS, _KNOWN_ASIDES
        rows = self.view.rows
        self.blocks_before, self.headings = zeros("i", rows + 1), zeros("i", rows + 1)
        self.row = zeros("i", rows)
        self.href = zeros("i", rows)
        self.count = 0
        texts = len(self.texts)
        self.chars_before, self.line_of = zeros("i", texts + 1), zeros("i", texts + 1)
        with cython.nogil:
            self.read_rows()
            self.read_texts()
        self.title, self.first, self.last = (zeros("i", self.count) for _ in range(3))
        self.shown, self.width = zeros("i", self.count), zeros("d", self.count)
        self.text = zeros("Q", self.count)
        self.whole, self.flags = bytearray(self.count), bytearray(self.count)
        self.folded = Folded(max(len(self.view.text), len(self.view.values)) + 2 * MAX_TEXTS)
        with cython.nogil:
            self.read_links()

    def read_rows(self):
        """Find the links and the headings, and count the blocks."""
        blocks = 0
        headings = 0
        for row in range(self.view.rows):
            self.blocks_before[row] = blocks
            tag = self.view.tag[row]
            if self.view.flags(row) & tags.BLOCK:
                blocks += 1
            if tag == tags.TAG_A:
                href = self.view.attribute(row, tags.ATTR_HREF)
                if href >= 0:
                    self.row[self.count] = row
                    self.href[self.count] = href
                    self.count += 1
            elif tags.TAG_H1 <= tag <= tags.TAG_H6:
                self.headings[headings] = row
                headings += 1
        self.blocks_before[self.view.rows] = blocks
        self.headings[headings] = self.view.rows  # where the search for one ends

    def read_texts(self):
        """Sum up the characters, and find the line of each text."""
        line = -1
        for k in range(len(self.texts)):
            if line + 1 < len(self.starts) and self.starts[line + 1] == k:
                line += 1
            self.line_of[k] = line
            self.chars_before[k + 1] = self.chars_before[k] + self.view.chars[self.texts[k]]

    def read_links(self):
        """Read all links."""
        heading = 0  # the first after the link
        for k in range(self.count):
            while self.headings[heading] < self.row[k]:
                heading += 1
            self.read_link(k, heading)
            if self.width[k] == 0:
                self.width[k] = self.widest_said(k)

    def read_link(self, k, heading):
        """Read one link, given the number of the first heading after it. One around a heading says what that says."""
        row = self.row[k]
        after = self.headings[heading]
        first = _first_from(self.texts, row)
        last = _first_from(self.texts, self.view.end[row])
        self.shown[k] = self.chars_before[last] - self.chars_before[first]
        flags = self.rel_of(row)
        if last > first and self.is_inline(first):
            flags |= IN_TEXT
        self.whole[k] = self.blocks_before[self.view.end[row]] == self.blocks_before[row]
        if after < self.view.end[row]:
            flags |= IN_HEADING
            self.whole[k] = 1
            first = _first_from(self.texts, after)
            last = _first_from(self.texts, self.view.end[after])
        elif heading > 0 and row < self.view.end[self.headings[heading - 1]]:
            flags |= IN_HEADING
        while last - first > 1 and self.is_aside(self.texts[first]):
            first += 1
        while last - first > 1 and self.is_aside(self.texts[last - 1]):
            last -= 1
        self.first[k] = first
        self.last[k] = last
        self.flags[k] = flags
        self.title[k] = self.view.attribute(row, tags.ATTR_TITLE)
        self.width[k] = self.read_text(k)
        if self.folded.size:
            self.text[k] = mix(self.folded.digest(), self.shown[k])

    def is_aside(self, row):
        """Whether a text is but a date, an age, a number with its unit, or what is said where there is no picture."""
        i = self.view.text_at[row]
        stop = self.view.text_at[row + 1]
        text = self.view.text
        if stop - i > _MAX_ASIDE_LENGTH:
            return False
        numbers = 0
        joined = 0  # those that a point, a colon or the like joins to another
        known = _OF_NUMBERS | _OF_PICTURES  # what all words are
        words = 0
        while i < stop:
            begin = i
            if text[i] == _PARENTHESIS and numbers == 0:
                joined += 1  # a number in parentheses counts something
            if is_digit(text[i]):
                while i < stop and is_digit(text[i]):
                    i += 1
                numbers += 1
                if i + 1 < stop and is_digit(text[i + 1]) and text[i] != SPACE:
                    joined += 1
            elif self.is_in_word(text[i]):
                while i < stop and self.is_in_word(text[i]):
                    i += _size(cython.address(text[0]), i, stop)
                words += 1
                known &= self.asides.flags_in(text, begin, i)
            else:
                i += _size(cython.address(text[0]), i, stop)
        if words == 0:
            return numbers > 0 and joined > 0
        return known & (_OF_NUMBERS if numbers else _OF_PICTURES) != 0

    def is_in_word(self, lead):
        """Whether a character is a letter, by its first byte; punctuation begins with two of those beyond ASCII."""
        return is_letter(lead) or (lead >= _BEYOND_ASCII and lead != _LATIN_SIGNS and lead != _GENERAL_SIGNS)

    def is_inline(self, first):
        """Whether a link stands in running text, given its first text: after some, on a line not mostly of links."""
        line = self.line_of[first]
        before = self.chars_before[first] - self.chars_before[self.starts[line]]
        return before >= INLINE_BEFORE and self.link_chars[line] < _INLINE_SHARE * self.chars[line]

    def rel_of(self, row):
        """Return what the `rel` of a link says of it."""
        at = self.view.attribute(row, tags.ATTR_REL)
        flags = 0
        if at < 0:
            return flags
        i = self.view.value_at[at]
        stop = self.view.value_at[at + 1]
        while i < stop:
            begin = i
            while i < stop and not is_space(self.view.values[i]):
                i += 1
            flags |= self.rels.flags_in(self.view.values, begin, i)
            i += 1
        return flags

    # What a link shows

    def read_text(self, k):
        """Read the title that a link shows into `folded`; return its width."""
        self.folded.size = 0
        first = self.first[k]
        last = self.last[k]
        if last <= first:
            return 0
        return self.read_lines(first, min(last, first + MAX_TEXTS), self.whole[k] != 0)

    def read_lines(self, first, last, whole):
        """Read several texts as a title: all of them, or of several lines the first that says enough, else the longest.

        Return its width.
        """
        begin = first
        letters = 0
        best = 0
        best_size: cython.Py_ssize_t = 0
        while first < last:
            if whole and first > begin:
                self.folded.data[self.folded.size] = SPACE
                self.folded.size += 1
                letters += 1
            stop = self.read_line(first, last)
            size = self.folded.size - self.folded.line
            first = stop
            if whole:
                letters += self.folded.letters
                continue
            if width_of(self.folded.letters, size) >= MIN_LINE:
                letters = self.folded.letters
                self.folded.keep(self.folded.line, size)
                return width_of(letters, size)
            if self.folded.letters > letters:
                letters = self.folded.letters
                best = self.folded.line
                best_size = size
        if not whole:
            self.folded.keep(best, best_size)
        return width_of(letters, self.folded.size)

    def read_line(self, first, last):
        """Read the texts of one line, from a first one on, but none from the last on; return the text after it."""
        text = first
        self.folded.begin()
        while text < last and self.line_of[text] == self.line_of[first]:
            row = self.texts[text]
            if text > first and self.view.text_at[row] > self.view.text_at[self.texts[text - 1] + 1]:
                self.folded.gap = True  # a blank between two elements
            self.folded.add(self.view.text, self.view.text_at[row], self.view.text_at[row + 1])
            text += 1
        return text

    # What it says besides: its title attribute, and the alt texts of its pictures

    def widest_said(self, k):
        """Return the width of the widest text that a link says."""
        width = self.read_value(self.title[k]) if self.title[k] >= 0 else 0.0
        row = self.next_picture(k, self.row[k])
        while row >= 0:
            width = max(width, self.read_value(self.view.attribute(row, tags.ATTR_ALT)))
            row = self.next_picture(k, row)
        return width

    def read_value(self, attribute):
        """Read the value of an attribute into `folded`; return its width."""
        self.folded.size = 0
        self.folded.begin()
        self.folded.add(self.view.values, self.view.value_at[attribute], self.view.value_at[attribute + 1])
        return width_of(self.folded.letters, self.folded.size)

    def next_picture(self, k, row):
        """Return the next row of a picture with an alt text in a link, before the next link; -1 where there is none."""
        end = self.view.end[self.row[k]]
        if k + 1 < self.count:
            end = min(end, self.row[k + 1])
        row += 1
        while row < end:
            if self.view.flags(row) & tags.IMAGE and self.view.attribute(row, tags.ATTR_ALT) >= 0:
                return row
            row += 1
        return -1

    def spelling(self, k, fragment):
        """Return a digest of the address of a link as it stands there, with what is after `#` if asked."""
        digest: cython.ulonglong = fnv_seed()
        for i in range(self.view.value_at[self.href[k]], self.view.value_at[self.href[k] + 1]):
            if self.view.values[i] == HASH and not fragment:
                break
            digest = mix(digest, self.view.values[i])
        return digest

    def has_fragment(self, k):
        """Whether the address of a link has a fragment."""
        for i in range(self.view.value_at[self.href[k]], self.view.value_at[self.href[k] + 1]):
            if self.view.values[i] == HASH:
                return True
        return False

    # For Python

    def tell(self, k: cython.int) -> tuple[int, int, float, bytes, list[bytes], bool]:
        """Return what is known of a link: its row, its flags, the width of the title that it shows, that title, what it
        says besides, and whether it leads into the middle of a page.
        """
        width = self.read_text(k)
        text = self.folded.as_bytes()
        return self.row[k], self.flags[k], width, text, self.said_by(k), self.has_fragment(k)

    def said_by(self, k: cython.int) -> list[bytes]:
        """Return what a link says besides: its title attribute, and the alt texts of its pictures."""
        found = []
        if self.title[k] >= 0 and self.read_value(self.title[k]) > 0:
            found.append(self.folded.as_bytes())
        row = self.next_picture(k, self.row[k])
        while row >= 0:
            if self.read_value(self.view.attribute(row, tags.ATTR_ALT)) > 0:
                found.append(self.folded.as_bytes())
            row = self.next_picture(k, row)
        return found

    def labels(self) -> list[bytes]:
        """Return the title attributes that links to several pages share; the part of an address after `#` is none."""
        numbers: Numbers = Numbers(self.count)
        led: cython.ulonglong[::1] = zeros("Q", self.count + 1)
        found = []
        for k in range(self.count):
            if self.title[k] < 0:
                continue
            self.read_value(self.title[k])
            known = numbers.count
            number = numbers.number(self.folded.digest())
            leads = self.spelling(k, False)
            if numbers.count > known:
                led[number] = leads
            elif led[number] != leads:
                found.append(self.folded.as_bytes())
        return found
