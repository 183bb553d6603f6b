# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, infer_types=True
"""The page's own list: which of the articles that a page links to are in it, and the item of each.

It is at the place whose links are worth most: there are many, in headings, with a text next to each, and not in a side
column. Other links belong to it unless an element around them is another part of the page.
"""

from __future__ import annotations

import cython
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import count_below, is_digit, zeros
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.page.links import Links, _first_from
from cython.cimports.pagesieve.page.kernel.page.places import Places
from cython.cimports.pagesieve.page.kernel.page.targets import Judge, Targets
from cython.cimports.pagesieve.page.kernel.page.view import PageView

from pagesieve.page.kernel.tags import TAGS

_HEADED = cython.declare(cython.double, 1.5)  # what a heading is worth next to a link
_TEXT = cython.declare(cython.double, 150.0)  # characters next to a link that are worth as much as a link,
_MAX_TEXT = cython.declare(cython.double, 3.0)  # at most so many times,
_MAX_TEXT_UNHEADED = cython.declare(cython.double, 2.0)  # and without a heading
_ALONE = cython.declare(cython.double, 0.1)  # a single link without a heading
_ASIDE = cython.declare(cython.double, 0.1)  # in a side column, in navigation
_IN_WIDGET = cython.declare(cython.double, 0.5)
_IN_MAIN = cython.declare(cython.double, 1.5)  # in an element for the main content
_MAX_SHARE = cython.declare(cython.double, 0.7)  # of the page's text: what holds more is no part of it
_ALIKE = cython.declare(cython.double, 0.7)  # of what a link of the list is worth
_MANY = cython.declare(cython.double, 0.25)  # of the score of the list: what has as much is alike,
_MAX_OF = cython.declare(cython.double, 0.5)  # or is the list too
_MAX_LEVELS = cython.declare(cython.int, 4)  # of elements between a heading and what holds its links too
_MIN_WIDTH = cython.declare(cython.double, 4.0)

_LINKED = cython.declare(cython.double, 0.5)  # of a line in links: with more, it is not a summary
_MADE_FOR_ITEMS = bytes(name in ("article", "li", "tr", "section") for name in TAGS)


@cython.final
@cython.cclass
class Items:
    """The items of some articles."""

    links: Links
    targets: Targets
    place: cython.int[::1]  # of each row
    made_for_items: cython.const[cython.uchar][::1]  # by the number of an element
    listed: cython.const[cython.uchar][::1]  # by target: whether it is in the list
    # By link: the last row before it, and the first after it, of a link of the list that leads elsewhere;
    before: cython.int[::1]
    after: cython.int[::1]
    top: cython.int[::1]  # the highest element without such a link,
    item: cython.int[::1]  # and the row of its item
    usual: cython.int[::1]  # by place: how deep its items begin; -1 where there is but one link
    times: cython.int[::1]  # the rows of the `time` elements that are seen
    time_count: cython.int
    next: cython.int[::1]  # the links of a place, and how many items begin at a depth
    depths: cython.int[::1]

    def __init__(self, judge: Judge, listed: bytes) -> None:
        """Find the items, given the targets of the links and which targets are in the list."""
        self.targets = judge.targets
        self.links = self.targets.links
        self.place = judge.places.of
        self.made_for_items = _MADE_FOR_ITEMS
        self.listed = listed
        count = self.links.count
        self.before, self.after = zeros("i", count), zeros("i", count)
        self.top, self.item, self.next = zeros("i", count), zeros("i", count), zeros("i", count)
        places = judge.places.numbers.count + 1
        self.usual = zeros("i", places)
        self.depths = zeros("i", self.links.view.rows + 1)
        first: cython.int[::1] = zeros("i", places)
        self.times = zeros("i", self.links.view.rows)
        self.time_count = 0
        self.find_times()
        self.find_bounds()
        self.find_tops(first)
        for place in range(places):
            self.find_usual(first[place] - 1, place)
        self.find_items()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_listed(self, k: cython.int) -> cython.bint:
        """Whether a link leads to an article of the list."""
        return self.targets.target[k] >= 0 and self.listed[self.targets.target[k]] != 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_bounds(self) -> cython.void:
        """Find the nearest links of the list on both sides of each that lead elsewhere."""
        bound = 0
        last = -1
        for k in range(self.links.count):
            if self.is_listed(k):
                if last >= 0 and self.targets.target[last] != self.targets.target[k]:
                    bound = self.links.row[last]
                self.before[k] = bound
                last = k
        bound = self.links.view.rows
        last = -1
        for k in range(self.links.count - 1, -1, -1):
            if self.is_listed(k):
                if last >= 0 and self.targets.target[last] != self.targets.target[k]:
                    bound = self.links.row[last]
                self.after[k] = bound
                last = k

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_tops(self, first: cython.int[::1]) -> cython.void:
        """Find the highest element around each link without one that leads elsewhere, and the links of each place.

        `first` is the last link of each place, from 1 on, and `next` the one before it.
        """
        for k in range(self.links.count):
            if self.is_listed(k):
                row = self.links.row[k]
                above = self.links.view.parent[row]
                while above > self.before[k] and self.links.view.end[above] <= self.after[k]:
                    row = above
                    above = self.links.view.parent[row]
                self.top[k] = row
                place = self.place[self.links.row[k]]
                self.next[k] = first[place] - 1
                first[place] = k + 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_usual(self, first: cython.int, place: cython.int) -> cython.void:
        """Find how deep the items of a place begin: as deep as half of them, or deeper."""
        count = 0
        deepest = 0
        k = first
        while k >= 0:
            depth = self.links.view.depth[self.top[k]]
            self.depths[depth] += 1
            deepest = max(deepest, depth)
            count += 1
            k = self.next[k]
        self.usual[place] = -1
        passed = 0
        for depth in range(deepest + 1):
            passed += self.depths[depth]
            self.depths[depth] = 0
            if self.usual[place] < 0 and count > 1 and passed > count // 2:
                self.usual[place] = depth

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_items(self) -> cython.void:
        """Find the item of each link. At the ends of a list the highest element may be too high."""
        for k in range(self.links.count):
            if self.is_listed(k):
                row = self.links.row[k]
                usual = self.usual[self.place[row]]
                if usual < 0:
                    row = self.alone(row, self.top[k])
                while usual >= 0 and self.links.view.depth[row] > usual:
                    row = self.links.view.parent[row]
                self.item[k] = row

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def alone(self, row: cython.int, top: cython.int) -> cython.int:
        """Return the item of a link that is alone in its place: the nearest element made for items, or blocks up."""
        blocks = 0
        while row > top and blocks < MAX_ABOVE_LINK:
            row = self.links.view.parent[row]
            tag = self.links.view.tag[row]
            if tag < tags.KNOWN_TAGS and self.made_for_items[tag]:
                break
            if self.links.view.flags(row) & tags.BLOCK:
                blocks += 1
        return row

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def first_line(self, row: cython.int) -> cython.int:
        """Return the number of the first line that does not begin before a row."""
        low = 0
        high = cython.cast(cython.int, len(self.links.starts))
        while low < high:
            middle = (low + high) // 2
            if self.links.texts[self.links.starts[middle]] < row:
                low = middle + 1
            else:
                high = middle
        return low

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def may_have_date(self, line: cython.int) -> cython.bint:
        """Whether a line is short enough to be there for a date, and has the digits of a century."""
        if self.links.chars[line] > MAX_DATE_LINE_LENGTH:
            return False
        seen = 0  # the digits, as bits
        text = self.links.starts[line]
        while text < len(self.links.texts) and self.links.line_of[text] == line:
            row = self.links.texts[text]
            for k in range(self.links.view.text_at[row], self.links.view.text_at[row + 1]):
                if is_digit(self.links.view.text[k]):
                    seen |= 1 << (self.links.view.text[k] - DIGIT_0)
            text += 1
        return (seen & 0b101) == 0b101 or (seen & 0b1000000010) == 0b1000000010

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_times(self) -> cython.void:
        """Find the `time` elements that are seen."""
        for row in range(self.links.view.rows):
            if self.links.view.tag[row] == tags.TAG_TIME and self.links.view.visibility[row] == tags.IS_SEEN:
                self.times[self.time_count] = row
                self.time_count += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def first_time(self, row: cython.int) -> cython.int:
        """Return the number of the first `time` element that is not before a row."""
        return count_below(cython.address(self.times[0]), self.time_count, row) if self.time_count > 0 else 0

    # For Python

    def beside(self, k: cython.int) -> tuple[list[int], list[int], list[int]]:
        """Return of the item of a link its `time` elements, the lines that may have a date, and be a summary."""
        dates, summaries = [], []
        row: cython.int = self.item[k]
        end: cython.int = self.links.view.end[row]
        time: cython.int = self.first_time(row)
        times = [self.times[i] for i in range(time, min(self.first_time(end), time + MAX_TIMES_BESIDE))]
        line: cython.int = self.first_line(row)
        stop: cython.int = min(self.first_line(end), line + MAX_LINES_BESIDE)
        while line < stop:
            if self.may_have_date(line):
                dates.append(line)
            chars = self.links.chars[line]
            if chars >= MIN_SUMMARY_CHARS and self.links.link_chars[line] < _LINKED * chars:
                summaries.append(line)
            line += 1
        return times, dates, summaries


@cython.final
@cython.cclass
class MainList:
    """The page's own list."""

    items: Items
    links: Links
    targets: Targets
    places: Places
    view: PageView
    is_front: cython.bint  # whether the page is the front page of its site
    beside: cython.uchar[::1]  # by link: whether it is below the heading of another part of the page
    # By place, of the links in it that may be titles.
    count: cython.int[::1]  # articles,
    headed: cython.int[::1]  # those that a heading names,
    free: cython.double[::1]  # characters outside of links in their items
    flags: cython.int[::1]  # of what is around the first of them
    stamps: cython.int[::1]  # the last target that was counted
    place = cython.declare(cython.int, visibility="readonly")  # of the list; 0 where there is none
    first: cython.int  # its first link, and its last
    last: cython.int
    holder: cython.int  # the innermost row that holds all its items
    above: cython.uchar[::1]  # by row: whether it holds a link of the list,
    parts: cython.uchar[::1]  # whether it is a heading of a part of the page,
    own: cython.uchar[::1]  # and its own flags, if they are known
    known: cython.uchar[::1]
    flags_below: cython.uchar[::1]  # by depth: the own flags of what is deeper around the first link
    main = cython.declare(cython.uchar[::1], visibility="readonly")  # by target

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
        return bytes(self.main if self.place > 0 else self.items.listed)

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
            if (
                self.view.tag[row] != tags.TAG_H1
                and not is_linked
                and 0 < self.chars_in(row) <= MAX_PART_HEADING_LENGTH
            ):
                self.parts[row] = 1
                found.append(row)
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def put_beside(self, heading: cython.int) -> cython.void:
        """Mark the links below a heading: those in an element around it, up to the next heading of a part.

        Where that would be most of the page, the heading has lost what was below it.
        """
        k = 0
        while k < self.links.count and (self.links.row[k] <= heading or not self.items.is_listed(k)):
            k += 1
        part = self.view.parent[heading]
        levels = 1
        while k < self.links.count and self.view.end[part] <= self.links.row[k] and levels < _MAX_LEVELS:
            part = self.view.parent[part]
            levels += 1
        end = self.view.end[part]
        row = heading + 1
        while row < end and not (self.parts[row] and self.view.depth[row] <= self.view.depth[heading]):
            row += 1
        if self.chars_from(heading, row) <= _MAX_SHARE * self.links.chars_before[len(self.links.texts)]:
            while k < self.links.count and self.links.row[k] < row:
                self.beside[k] = 1
                k += 1

    # The place of the list

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def measure(self) -> cython.void:
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
                self.free[place] += min(self.free_chars(k), _TEXT * (_MAX_TEXT if headed else _MAX_TEXT_UNHEADED))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def may_be_title(self, k: cython.int) -> cython.bint:
        """Whether a link to an article may say what that is called."""
        if not self.items.is_listed(k) or self.links.width[k] < _MIN_WIDTH:
            return False
        flags = self.links.flags[k]
        if flags & IN_HEADING or flags & (IN_TEXT | IS_LABEL | IS_REPEATED):
            return flags & IN_HEADING != 0
        row = self.links.row[k]
        while row > self.items.item[k] and not self.own_flags(row) & PLACE_LABEL:
            row = self.view.parent[row]
        return row <= self.items.item[k]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def chars_from(self, row: cython.int, end: cython.int) -> cython.int:
        """Return the characters of all texts from a row on, up to another."""
        before = self.links.chars_before
        return before[_first_from(self.links.texts, end)] - before[_first_from(self.links.texts, row)]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def chars_in(self, row: cython.int) -> cython.int:
        """Return the characters of all texts below a row."""
        return self.chars_from(row, self.view.end[row])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def free_chars(self, k: cython.int) -> cython.double:
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def outer(self, k: cython.int) -> cython.int:
        """Return the innermost row around a link whose classes say where it is, and not what is in the item."""
        row = self.items.item[k]
        return self.view.parent[row] if self.items.usual[self.places.of[self.links.row[k]]] >= 0 else row

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def own_flags(self, row: cython.int) -> cython.int:
        """Return the flags that a row gives to all rows in it."""
        if not self.known[row]:
            flags = self.places.read(row)
            self.own[row] = flags & ~(PLACE_SIDE | PLACE_NAVIGATION) if flags & PLACE_AROUND else flags
            self.known[row] = 1
        return self.own[row]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def flags_around(self, k: cython.int) -> cython.int:
        """Return what is known of all that is around the item of a link and is but a part of the page."""
        row = self.outer(k)
        most = _MAX_SHARE * self.links.chars_before[len(self.links.texts)]
        flags = 0
        while row > 0 and self.chars_in(row) <= most:
            flags |= self.own_flags(row)
            row = self.view.parent[row]
        return flags

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def worth(self, place: cython.int) -> cython.double:
        """Return the worth of a link of a place, by its heading and the text next to it."""
        count = self.count[place]
        return 1.0 + _HEADED * self.headed[place] / count + self.free[place] / (_TEXT * count)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def score(self, place: cython.int) -> cython.double:
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose(self) -> cython.void:
        """Choose the place of the list."""
        best = 0.0
        for place in range(1, len(self.count)):
            if self.count[place]:
                points = self.score(place)
                if points > best:
                    best = points
                    self.place = place

    # What belongs to it

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def mark(self) -> cython.void:
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
        most = _MAX_SHARE * self.links.chars_before[len(self.links.texts)]
        flags = 0
        while row > 0:
            if self.chars_in(row) <= most:
                flags |= self.own_flags(row)
            self.flags_below[self.view.depth[row]] = flags
            row = self.view.parent[row]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def decide(self) -> cython.void:
        """Mark the targets with a link in the list."""
        for k in range(self.links.count):
            if self.items.is_listed(k) and not self.beside[k] and not self.main[self.targets.target[k]]:
                self.main[self.targets.target[k]] = self.is_main(k)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_main(self, k: cython.int) -> cython.bint:
        """Whether a link is in the list or among links alike, and in no other part of the page."""
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_alike(self, k: cython.int, join: cython.int) -> cython.bint:
        """Whether a link is much like those of the list, given what holds both it and one of them."""
        headed: cython.bint = self.links.flags[k] & IN_HEADING != 0
        place = self.places.of[self.links.row[k]]
        if self.view.depth[join] >= self.view.depth[self.items.item[self.first]]:
            return headed and self.count[place] > 1  # a list in an item
        if self.is_front or (headed and join >= self.holder):
            return True
        share = self.score(place) / self.score(self.place)
        if self.worth(place) < _ALIKE * self.worth(self.place):
            return share >= _MAX_OF
        return headed or join >= self.holder or share >= _MANY

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def side_flags(self, k: cython.int, join: cython.int) -> cython.int:
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
