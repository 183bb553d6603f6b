# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, infer_types=True
"""The page's own list: which of the articles that a page links to stand in it.

It is where the links of one place say most: many, in headings, with a text beside each, and in no side column. Other
links belong to it unless something on the way to them says that they are beside it.
"""

from __future__ import annotations

import cython
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import zeros
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.items import Items
from cython.cimports.pagesieve.page.kernel.links import _first_from
from cython.cimports.pagesieve.page.kernel.targets import Judge

_HEADED = cython.declare(cython.double, 1.5)  # what a heading is worth next to a link
_TEXT = cython.declare(cython.double, 150.0)  # characters beside a link that are worth as much as one,
_MOST_TEXT = cython.declare(cython.double, 3.0)  # at most so often,
_MOST_TEXT_UNHEADED = cython.declare(cython.double, 2.0)  # and without a heading
_ALONE = cython.declare(cython.double, 0.1)  # a single link without a heading
_ASIDE = cython.declare(cython.double, 0.1)  # in a side column, in navigation
_IN_WIDGET = cython.declare(cython.double, 0.5)
_IN_MAIN = cython.declare(cython.double, 1.5)  # in what says that it is the content
_MOST = cython.declare(cython.double, 0.7)  # of the page's text: what holds more is no part of it
_ALIKE = cython.declare(cython.double, 0.7)  # of what a link of the list is worth
_MANY = cython.declare(cython.double, 0.25)  # of the score of the list: what has as much is alike,
_MOST_OF = cython.declare(cython.double, 0.5)  # or is the list too
_MOST_LEVELS = cython.declare(cython.int, 4)  # of elements between a heading and what holds its links too
_LEAST_WIDTH = cython.declare(cython.double, 4.0)


class MainList:
    """The page's own list; the columns are in the `.pxd`."""

    def __init__(self, judge: Judge, items: Items) -> None:
        self.items, self.links, self.targets, self.places = items, items.links, items.targets, judge.places
        self.view = self.links.view
        places = self.places.numbers.count + 1
        self.count, self.headed, self.stamps, self.flags = (zeros("i", places) for _ in range(4))
        self.free = zeros("d", places)
        self.above, self.known, self.own, self.parts = (bytearray(self.view.rows) for _ in range(4))
        self.flags_below = bytearray(self.view.rows + 2)
        self.main, self.beside = bytearray(self.targets.count), bytearray(self.links.count)
        self.place, self.first, self.last, self.holder = 0, -1, -1, 0

    def find(self, is_front: bool, headings: list[int]) -> bytes:
        """Mark the targets of the list, given whether the page is a front page, and which headings are above others."""
        self.is_front = is_front
        for heading in headings:
            self.put_beside(heading)
        with cython.nogil:
            self.measure()
            self.choose()
            if self.place > 0:
                self.mark()
                self.decide()
        return bytes(self.main if self.place > 0 else self.items.kept)

    # Headings without a link: what is below one is a part of the page

    def headings(self) -> list[int]:
        """Return the headings below the first level that are short and hold no link to an article."""
        found = []
        k = 0
        h = 0
        while self.links.headings[h] < self.view.rows:
            row = self.links.headings[h]
            h += 1
            while k < self.links.count and (self.links.row[k] < row or not self.items.is_listed(k)):
                k += 1
            is_linked: cython.bint = k < self.links.count and self.links.row[k] < self.view.end[row]
            if self.view.tag[row] != tags.TAG_H1 and not is_linked and 0 < self.chars_in(row) <= LONGEST_PART_HEADING:
                self.parts[row] = 1
                found.append(row)
        return found

    def put_beside(self, heading):
        """Mark the links below a heading: those in an element around it, up to the next heading of a part.

        Where that would be most of the page, the heading has lost what was below it.
        """
        k = 0
        while k < self.links.count and (self.links.row[k] <= heading or not self.items.is_listed(k)):
            k += 1
        part = self.view.parent[heading]
        levels = 1
        while k < self.links.count and self.view.end[part] <= self.links.row[k] and levels < _MOST_LEVELS:
            part = self.view.parent[part]
            levels += 1
        end = self.view.end[part]
        row = heading + 1
        while row < end and not (self.parts[row] and self.view.depth[row] <= self.view.depth[heading]):
            row += 1
        if self.chars_from(heading, row) <= _MOST * self.links.chars_before[len(self.links.texts)]:
            while k < self.links.count and self.links.row[k] < row:
                self.beside[k] = 1
                k += 1

    # The place of the list

    def measure(self):
        """Sum up the links of each place; of several to one article the first."""
        for k in range(self.links.count):
            place = self.places.of[self.links.row[k]]
            if self.may_be_title(k) and not self.beside[k] and self.stamps[place] != self.targets.target[k] + 1:
                self.stamps[place] = self.targets.target[k] + 1
                if self.count[place] == 0:
                    self.flags[place] = self.flags_around(k)
                self.count[place] += 1
                headed: cython.bint = self.links.flags[k] & IN_HEADING != 0
                self.headed[place] += headed
                self.free[place] += min(self.free_chars(k), _TEXT * (_MOST_TEXT if headed else _MOST_TEXT_UNHEADED))

    def may_be_title(self, k):
        """Whether a link to an article may say what that is called."""
        if not self.items.is_listed(k) or self.links.width[k] < _LEAST_WIDTH:
            return False
        flags = self.links.flags[k]
        if flags & IN_HEADING or flags & (IN_TEXT | IS_LABEL | IS_REPEATED):
            return flags & IN_HEADING != 0
        row = self.links.row[k]
        while row > self.items.item[k] and not self.own_flags(row) & PLACE_LABEL:
            row = self.view.parent[row]
        return row <= self.items.item[k]

    def chars_from(self, row, end):
        """Return the characters of all texts from a row on, up to another."""
        before = self.links.chars_before
        return before[_first_from(self.links.texts, end)] - before[_first_from(self.links.texts, row)]

    def chars_in(self, row):
        """Return the characters of all texts below a row."""
        return self.chars_from(row, self.view.end[row])

    def free_chars(self, k):
        """Return the characters of the item of a link that are in no link."""
        row = self.items.item[k]
        chars = self.chars_in(row)
        other = k
        while other > 0 and self.links.row[other - 1] >= row:
            other -= 1
        while other < self.links.count and self.links.row[other] < self.view.end[row]:
            chars -= self.links.shown[other]
            other += 1
        return chars

    def outer(self, k):
        """Return the innermost row around a link whose classes say where it is, and not what is in the item."""
        row = self.items.item[k]
        return self.view.parent[row] if self.items.usual[self.places.of[self.links.row[k]]] >= 0 else row

    def own_flags(self, row):
        """Return what a row says of all that is in it."""
        if not self.known[row]:
            flags = self.places.read(row)
            self.own[row] = flags & ~(PLACE_SIDE | PLACE_NAVIGATION) if flags & PLACE_AROUND else flags
            self.known[row] = 1
        return self.own[row]

    def flags_around(self, k):
        """Return what is known of all that is around the item of a link and is but a part of the page."""
        row = self.outer(k)
        most = _MOST * self.links.chars_before[len(self.links.texts)]
        flags = 0
        while row > 0 and self.chars_in(row) <= most:
            flags |= self.own_flags(row)
            row = self.view.parent[row]
        return flags

    def worth(self, place):
        """Return what a link of a place is worth: by its heading, and the text beside it."""
        count = self.count[place]
        return 1.0 + _HEADED * self.headed[place] / count + self.free[place] / (_TEXT * count)

    def score(self, place):
        """Return how much a place is like the page's own list."""
        points = self.worth(place) * self.worth(place) * self.count[place]
        if self.count[place] == 1 and not self.headed[place]:
            points *= _ALONE
        flags = self.flags[place]
        if flags & (PLACE_SIDE | PLACE_NAVIGATION | PLACE_HEADER):
            points *= _ASIDE
        if flags & PLACE_WIDGET:
            points *= _IN_WIDGET
        if flags & PLACE_MAIN:
            points *= _IN_MAIN
        return points

    def choose(self):
        """Choose the place of the list."""
        best = 0.0
        for place in range(1, len(self.count)):
            if self.count[place]:
                points = self.score(place)
                if points > best:
                    best = points
                    self.place = place

    # What belongs to it

    def mark(self):
        """Mark what is above the links of the list, and sum up what is known of that from its first link on."""
        for k in range(self.links.count):
            row = self.links.row[k]
            if self.places.of[row] == self.place and self.items.is_listed(k) and not self.beside[k]:
                if self.first < 0:
                    self.first = k
                self.last = k
                while row >= 0 and not self.above[row]:
                    self.above[row] = 1
                    row = self.view.parent[row]
        self.holder = self.view.parent[self.items.item[self.first]]
        while self.view.end[self.holder] <= self.links.row[self.last]:
            self.holder = self.view.parent[self.holder]
        row = self.outer(self.first)
        most = _MOST * self.links.chars_before[len(self.links.texts)]
        flags = 0
        while row > 0:
            if self.chars_in(row) <= most:
                flags |= self.own_flags(row)
            self.flags_below[self.view.depth[row]] = flags
            row = self.view.parent[row]

    def decide(self):
        """Mark the targets with a link in the list."""
        for k in range(self.links.count):
            if self.items.is_listed(k) and not self.beside[k] and not self.main[self.targets.target[k]]:
                self.main[self.targets.target[k]] = self.is_main(k)

    def is_main(self, k):
        """Whether a link stands in the list, or among what is alike, and nothing around it says that it is beside."""
        row = self.links.row[k]
        if self.places.of[row] == self.place:
            return True
        if not self.may_be_title(k):
            return False
        while not self.above[row]:
            row = self.view.parent[row]
        flags = self.side_flags(k, row) & ~self.flags_below[self.view.depth[row] + 1]
        if flags & (PLACE_SIDE | PLACE_NAVIGATION | PLACE_HEADER) or (flags & PLACE_WIDGET and not self.is_front):
            return False
        return self.is_alike(k, row)

    def is_alike(self, k, join):
        """Whether a link is much like those of the list, given what holds both it and one of them."""
        headed: cython.bint = self.links.flags[k] & IN_HEADING != 0
        place = self.places.of[self.links.row[k]]
        if self.view.depth[join] >= self.view.depth[self.items.item[self.first]]:
            return headed and self.count[place] > 1  # a list in an item
        if self.is_front or (headed and join >= self.holder):
            return True
        share = self.score(place) / self.score(self.place)
        if self.worth(place) < _ALIKE * self.worth(self.place):
            return share >= _MOST_OF
        return headed or join >= self.holder or share >= _MANY

    def side_flags(self, k, join):
        """Return what is known of all between an item and what holds the list too; of a header only before it."""
        row = self.outer(k)
        flags = 0
        while row > join:
            own = self.own_flags(row)
            if own & PLACE_HEADER and self.view.end[row] > self.links.row[self.first]:
                own &= ~PLACE_HEADER
            flags |= own
            row = self.view.parent[row]
        return flags
