# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""The items of a list of articles: the element around each link, and the lines and times in it."""

from __future__ import annotations

import cython
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import is_digit, zeros
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.targets import Judge

from pagesieve.page.kernel.tags import TAGS

_LINKED = cython.declare(cython.double, 0.5)  # of a line in links: what has more is no summary
_MADE_FOR_ITEMS = bytes(name in ("article", "li", "tr", "section") for name in TAGS)


class Items:
    """The items of some articles; the columns are in the `.pxd`."""

    def __init__(self, judge: Judge, kept: bytes) -> None:
        """Find them, given what the links lead to, and which of that is in the list."""
        self.targets = judge.targets
        self.links = self.targets.links
        self.place = judge.places.of
        self.made_for_items = _MADE_FOR_ITEMS
        self.kept = kept
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

    def is_listed(self, k):
        """Whether a link leads to an article of the list."""
        return self.targets.target[k] >= 0 and self.kept[self.targets.target[k]] != 0

    def find_bounds(self):
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

    def find_tops(self, first):
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

    def find_usual(self, first, place):
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

    def find_items(self):
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

    def alone(self, row, top):
        """Return the item of a link that is alone in its place: the nearest element made for items, or blocks up."""
        blocks = 0
        while row > top and blocks < MOST_ABOVE_LINK:
            row = self.links.view.parent[row]
            tag = self.links.view.tag[row]
            if tag < tags.KNOWN_TAGS and self.made_for_items[tag]:
                break
            if self.links.view.flags(row) & tags.BLOCK:
                blocks += 1
        return row

    def first_line(self, row):
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

    def may_have_date(self, line):
        """Whether a line is short enough to be there for a date, and has the digits of a century."""
        if self.links.chars[line] > LONGEST_DATE_LINE:
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

    def find_times(self):
        """Find the `time` elements that are seen."""
        for row in range(self.links.view.rows):
            if self.links.view.tag[row] == tags.TAG_TIME and self.links.view.visibility[row] == tags.IS_SEEN:
                self.times[self.time_count] = row
                self.time_count += 1

    def first_time(self, row):
        """Return the number of the first `time` element that is not before a row."""
        low = 0
        high = self.time_count
        while low < high:
            middle = (low + high) // 2
            if self.times[middle] < row:
                low = middle + 1
            else:
                high = middle
        return low

    # For Python

    def beside(self, k: cython.int) -> tuple[list[int], list[int], list[int]]:
        """Return of the item of a link its `time` elements, the lines that may have a date, and be a summary."""
        dates, summaries = [], []
        row: cython.int = self.item[k]
        end: cython.int = self.links.view.end[row]
        time: cython.int = self.first_time(row)
        times = [self.times[i] for i in range(time, min(self.first_time(end), time + MOST_TIMES_BESIDE))]
        line: cython.int = self.first_line(row)
        stop: cython.int = min(self.first_line(end), line + MOST_LINES_BESIDE)
        while line < stop:
            if self.may_have_date(line):
                dates.append(line)
            chars = self.links.chars[line]
            if chars >= LEAST_SUMMARY_CHARS and self.links.link_chars[line] < _LINKED * chars:
                summaries.append(line)
            line += 1
        return times, dates, summaries
