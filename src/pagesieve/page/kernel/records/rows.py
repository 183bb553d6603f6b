# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""The rows of some records: what is below each of them, and their texts."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import as_column, is_space, zeros
from cython.cimports.pagesieve.page.kernel.page.view import measured

from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID, TAGS, tag_ids
from pagesieve.text.types import cents_joint, is_new_field, is_new_sum
from pagesieve.text.whitespace import fold

FORMATTING = tag_ids("b strong em i mark u font big small sub sup wbr q cite abbr tt code s del ins kbd var nobr bdi")
RAISED = tag_ids("sup sub rt rp")
ICONS = tag_ids("i span svg img picture")  # where they are empty
CONTEXT = 24  # characters on either side of the point where two texts touch

# The effect of an element on its words: no element, marked, none, raised or lowered.
_NOTHING, _MARKING, _PLAIN, _RAISING = range(4)
_SMALL_DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

_BR = cython.declare(cython.int, TAG_ID["br"])
_SUP = cython.declare(cython.int, TAG_ID["sup"])
_A = cython.declare(cython.int, TAG_ID["a"])
_CLASS = cython.declare(cython.int, ATTRIBUTE_ID["class"])
_HREF = cython.declare(cython.int, ATTRIBUTE_ID["href"])


class RecordRows:
    """The rows `start` to `stop` of a page. Row numbers are those of the page."""

    def __init__(self, page: Any, start: cython.int, stop: cython.int, lines: Any) -> None:
        """Read the rows; `lines` has the first row of each line of the page (page.lines)."""
        self.view = measured(page)
        self.start, self.stop = start, stop
        self.buffer, self.values = page.text_buffer, page.value_buffer
        self.texts_before, self.cuts_before, self.said_before = (zeros("i", stop - start + 1) for _ in range(3))
        self.texts, self.lines = zeros("i", stop - start), zeros("i", stop - start)
        self.link_around, self.next_link = (zeros("i", stop - start + 1) for _ in range(2))
        self._sum_up(self.view)
        self._find_links(self.view)
        self._find_lines(as_column(lines))
        self.class_names = {b"": ()}
        self.strings = {}
        self.words = {}
        self.has_cents = False

    def _sum_up(self, view):
        """Count the texts, cuts and visible contents before each row, and list the rows of the texts."""
        for k in range(self.stop - self.start):
            row = self.start + k
            flags = view.flags(row)
            text: cython.bint = view.chars[row] > 0
            image: cython.bint = (flags & tags.IMAGE) != 0 and view.visibility[row] == tags.IS_SEEN
            cut: cython.bint = (flags & tags.BLOCK) != 0 or view.tag[row] == _BR
            if text:
                self.texts[self.texts_before[k]] = row
            self.texts_before[k + 1] = self.texts_before[k] + text
            self.cuts_before[k + 1] = self.cuts_before[k] + cut
            self.said_before[k + 1] = self.said_before[k] + (text or image)

    def _find_links(self, view):
        """Find the nearest link at or above each row, -1 for none, and the first at or after it."""
        last = self.stop - self.start
        for k in range(last):
            row = self.start + k
            parent = view.parent[row]
            around = self.link_around[parent - self.start] if parent >= self.start else -1
            self.link_around[k] = row if view.tag[row] == _A else around
        self.next_link[last] = self.stop
        for k in range(last - 1, -1, -1):
            self.next_link[k] = self.start + k if view.tag[self.start + k] == _A else self.next_link[k + 1]

    def _find_lines(self, first):
        """Find the line of each text, given the first row of each line."""
        line = 0
        for k in range(self.texts_before[self.stop - self.start]):
            while line < len(first) and first[line] <= self.texts[k]:
                line += 1
            self.lines[k] = line

    def tag(self, row: cython.int) -> int:
        """Return the number of the row's element."""
        return self.view.tag[row]

    def end(self, row: cython.int) -> int:
        """Return one past the last row below."""
        return self.view.end[row]

    def parent(self, row: cython.int) -> int:
        """Return the row above."""
        return self.view.parent[row]

    def shows(self, row: cython.int) -> bool:
        """Whether there is a visible text or image at the row or below it."""
        end = min(self.view.end[row], self.stop)
        return self.said_before[end - self.start] > self.said_before[row - self.start]

    def cuts(self, row: cython.int) -> bool:
        """Whether a line begins or ends at the row or below it."""
        end = min(self.view.end[row], self.stop)
        return self.cuts_before[end - self.start] > self.cuts_before[row - self.start]

    def is_text(self, row: cython.int) -> bool:
        """Whether the row is a text."""
        return self.view.tag[row] == tags.TEXT

    def children(self, row: cython.int) -> list[int]:
        """Return the rows directly below."""
        found: list = []
        child = row + 1
        while child < self.view.end[row]:
            found.append(child)
            child = self.view.end[child]
        return found

    def class_of(self, row):
        """Return the row's attribute `class`; empty if it has none."""
        return self._value(row, _CLASS)

    def href(self, row: cython.int) -> str:
        """Return the row's attribute `href`; empty if it has none."""
        return self._value(row, _HREF).decode("utf-8", "replace").strip()

    def _value(self, row, name):
        k = self.view.attribute(row, name)
        return self.values[self.view.value_at[k] : self.view.value_at[k + 1]] if k >= 0 else b""

    def classes(self, row: cython.int) -> tuple[str, ...]:
        """Return the classes of the row's element, in their order."""
        value = self.class_of(row)
        found = self.class_names.get(value)
        if found is None:
            found = self.class_names[value] = tuple(value.decode("utf-8", "replace").split())
        return found

    def text_rows(self) -> list[int]:
        """Return the rows of all visible texts."""
        return list(self.texts[: self.texts_before[self.stop - self.start]])

    def first_text(self, row, stop):
        """Return the first visible text from a row on, before the row `stop`; -1 if there is none."""
        k = self.texts_before[row - self.start]
        return self.texts[k] if k < self.texts_before[stop - self.start] else -1

    def own(self, row: cython.int) -> str:
        """Return the text of a text row, with blanks folded."""
        found = self.strings.get(row)
        if found is None:
            found = self.strings[row] = _folded(self._trimmed(row))
        return found

    def is_word(self, row: cython.int) -> bool:
        """Whether the row is a text with a letter or a digit."""
        if self.view.tag[row] != tags.TEXT:
            return False
        found = self.words.get(row)
        if found is None:
            found = self.words[row] = _has_word(self.own(row))
        return found

    def _raw(self, row):
        begin, stop = self.view.text_at[row], self.view.text_at[row + 1]
        return self.buffer[begin:stop].decode("utf-8", "replace")

    def _trimmed(self, row):
        """Return the text of a row without the blanks at its ends."""
        begin, stop = self.view.text_at[row], self.view.text_at[row + 1]
        while begin < stop and is_space(self.view.text[begin]):
            begin += 1
        while begin < stop and is_space(self.view.text[stop - 1]):
            stop -= 1
        return self.buffer[begin:stop].decode("utf-8", "replace")

    def anchors(self, roots: tuple) -> list[int]:
        """Return the links around the first of some rows, from the inside out, and then the first in each of them."""
        found: list = []
        root: cython.int = roots[0]
        link = self.link_around[root - self.start]
        while link >= 0:
            found.append(link)
            parent = self.view.parent[link]
            link = self.link_around[parent - self.start] if parent >= self.start else -1
        for root in roots:
            link = self.next_link[root - self.start]
            if link < self.view.end[root]:
                found.append(link)
        return found

    def texts_of(self, parts: list, between: str) -> list[str]:
        """Return the visible text of each of some parts."""
        return [self.text(roots, between) for roots in parts]

    def text(self, roots: tuple, between: str = " ") -> str:
        """Return the visible text below some rows, its lines joined by `between`."""
        if len(roots) == 1:
            root: cython.int = roots[0]
            first = self.texts_before[root - self.start]
            if self.texts_before[self.view.end[root] - self.start] == first + 1:
                return self.own(self.texts[first])
        return self._joined(roots, between)

    def cents(self, roots: tuple) -> bool:
        """Whether the text below some rows has cents in an element of their own."""
        self.has_cents = False
        self._joined(roots, " ")
        return self.has_cents

    def _joined(self, roots, between):
        pieces: list = []
        current: list = []
        root: cython.int
        line = before = -1
        for root in roots:
            for k in range(self.texts_before[root - self.start], self.texts_before[self.view.end[root] - self.start]):
                row = self.texts[k]
                text = self._raw(row)
                if self.lines[k] != line and current:
                    pieces.append(_folded("".join(current)))
                    current = []
                elif current:
                    text = self._joint(current, before, row, text)
                line, before = self.lines[k], row
                current.append(text)
        if current:
            pieces.append(_folded("".join(current)))
        return between.join([piece for piece in pieces if piece])

    def _joint(self, current, before, row, text):
        """Return a text with its separator from those before it in its line: a blank, the sign of cents, or nothing."""
        last: str = current[len(current) - 1]
        is_apart: cython.bint = self._are_apart(before, row)
        touches: cython.bint = not is_apart and not last[len(last) - 1].isspace() and not text[0].isspace()
        if len(text) <= CONTEXT and _is_cents(text.strip()):
            sign = self._cents_sign(current, before, row, touches)
            if sign:
                return sign + text.strip()
        if not touches:
            return " " + text if is_apart else text
        if self._is_inside(before, row, _SUP) and last[len(last) - 1].isdigit() and text.strip().isdigit():
            return text.translate(_SMALL_DIGITS)
        return " " + text if self._is_new(before, row, _tail(current), text[:CONTEXT]) else text

    def _cents_sign(self, current, before, row, touches):
        """Return the sign between an amount and its cents, and drop the blanks before it; empty for other digits."""
        raised: cython.bint = self._is_inside(before, row, _SUP)
        if self.view.parent[row] == self.view.parent[before] or not (touches or raised):
            return ""
        is_apart: cython.bint = self.own(before)[:1].isdigit()
        names, classes = self._around(before, row)
        sign: str = cents_joint(_tail(current).rstrip(), self._behind(row), is_apart, names, classes)
        if sign == " " and raised:
            return ""
        if sign:
            self.has_cents = self.has_cents or sign != " "
            current[len(current) - 1] = current[len(current) - 1].rstrip()
        return sign

    def _behind(self, row):
        """Return the beginning of the rest of the line after a text."""
        k = self.texts_before[row - self.start]
        last = min(k + CONTEXT, self.texts_before[self.stop - self.start] - 1)
        behind: str = ""
        for other in range(k + 1, last + 1):
            if self.lines[other] != self.lines[k] or len(behind) >= CONTEXT:
                break
            behind += self._raw(self.texts[other])[:CONTEXT]
        return behind

    def _is_inside(self, before, row, tag):
        """Whether a text is inside an element that the text before it is not inside of."""
        above = self.view.parent[row]
        while above > before:
            if self.view.tag[above] == tag:
                return True
            above = self.view.parent[above]
        return False

    def _around(self, before, row):
        """Return the names and the classes of the elements around a text, but not around the one before it."""
        names: list = []
        classes: list = []
        above = self.view.parent[row]
        while above > before:
            if self.view.tag[above] < tags.KNOWN_TAGS:
                names.append(TAGS[self.view.tag[above]])
            classes.extend(self.classes(above))
            above = self.view.parent[above]
        return names, classes

    def _is_new(self, before, row, tail, head):
        """Whether a text that touches the one before it is another field, by the elements between them."""
        ended = self._ended(before, row)
        begun = self._begun(before, row)
        if is_new_sum(tail, head):
            return begun != _RAISING or not _is_cents(head[1:].strip())  # raised, €97 are the cents of 19
        if ended == _RAISING or begun == _RAISING:
            return False
        if self._has_icon(before, row):
            ended = begun = _PLAIN
        elif ended != _PLAIN and begun != _PLAIN:
            if ended and begun:
                if self.view.tag[self.view.parent[before]] == self.view.tag[self.view.parent[row]]:
                    return False  # a word of which several pieces are marked
            elif not ended or not self.own(before).rstrip("%").isdigit():
                return False
        if not is_new_field(tail, head, ended > 0 and begun > 0):
            return False
        return ended == begun == _PLAIN or not (tail[len(tail) - 1].isalpha() and head[0].islower())

    def _ended(self, before, row):
        """Return the strongest effect of the elements that end between two texts."""
        sort = _NOTHING
        above = self.view.parent[before]
        while above >= 0 and self.view.end[above] <= row:
            sort = max(sort, self._sort(above))
            above = self.view.parent[above]
        return sort

    def _begun(self, before, row):
        """Return the strongest effect of the elements that begin between two texts."""
        sort = _NOTHING
        above = self.view.parent[row]
        while above > before:
            sort = max(sort, self._sort(above))
            above = self.view.parent[above]
        return sort

    def _sort(self, row):
        tag = self.view.tag[row]
        if tag in RAISED:
            return _RAISING
        return _MARKING if tag in FORMATTING else _PLAIN

    def _has_icon(self, before, row):
        """Whether an image, or an empty element that may be an icon by its style, is between two texts."""
        for each in range(before + 1, row):
            if self.view.end[each] <= row and self.view.tag[each] in ICONS:
                return True
        return False

    def _are_apart(self, first, second):
        """Whether blank text or the border of a cell is between two texts of a line; comments do not count."""
        if self.cuts_before[second - self.start] > self.cuts_before[first + 1 - self.start]:
            return True
        if self.view.text_at[second] > self.view.text_at[first + 1]:
            for row in range(first + 1, second):
                if self.view.text_at[row + 1] > self.view.text_at[row] and self.view.tag[row] != tags.COMMENT:
                    return True
        return False


@cython.cfunc
def _folded(text: str) -> str:
    """Fold the blanks of a text; blanks other than the space are not printable."""
    if text.isprintable() and "  " not in text and not text.startswith(" ") and not text.endswith(" "):
        return text
    return fold(text)


@cython.cfunc
def _tail(pieces: list) -> str:
    """Return the last characters of a line."""
    tail: str = ""
    k = len(pieces)
    while k and len(tail) < CONTEXT:
        k -= 1
        piece: str = pieces[k]
        tail = piece[-CONTEXT:] + tail
    return tail


@cython.cfunc
@cython.exceptval(-1, check=False)
def _is_cents(text: str) -> cython.bint:
    return len(text) == 2 and text.isascii() and text.isdigit()


@cython.cfunc
@cython.exceptval(-1, check=False)
def _has_word(text: str) -> cython.bint:
    for character in text:
        if character.isalnum() or character == "_":
            return True
    return False
