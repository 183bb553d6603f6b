# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""Where a list of records ends, and what else on the page is like its records (see `records.cutting`)."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import as_column, zeros
from cython.cimports.pagesieve.page.kernel.constants import PATHS, WORDS
from cython.cimports.pagesieve.page.kernel.view import PageView, measured


class _Held:
    """What each of some runs of rows holds."""

    def __init__(self, page: Any, classes: Any, begin: Any, end: Any) -> None:
        begins: cython.const[cython.int][::1] = as_column(begin)
        ends: cython.const[cython.int][::1] = as_column(end)
        names: cython.const[cython.uint][::1] = as_column(classes)
        self.count = len(begins)
        self.chars, self.texts, self.free, self.links = (zeros("i", self.count) for _ in range(4))
        self.names = zeros("I", self.count)
        for k in range(self.count):
            self.names[k] = names[begins[k]]
            self.read(measured(page), k, begins[k], ends[k])

    def read(self, view, run, begin, end):
        """Sum up the rows of a run."""
        for row in range(begin, end):
            chars = view.chars[row]
            if chars > 0:
                self.chars[run] += chars
                self.texts[run] += 1
                if not view.linked[row]:
                    self.free[run] += chars
            if view.linked[row] and (row == begin or not view.linked[row - 1]):
                self.links[run] += 1

    def up_to(self, column, most, first, last):
        """Return how many of some runs have no more of something than a number."""
        found: cython.int = 0
        for k in range(first, last):
            found += column[k] <= most
        return found

    def is_named_apart(self, run, first, last):
        """Whether none of some other runs has the class of a run, and they have few classes."""
        changes: cython.int = 0
        for k in range(first, last):
            if self.names[k] == self.names[run]:
                return False
            changes += k >= first + 2 and self.names[k] != self.names[k - 1] and self.names[k] != self.names[k - 2]
        return 4 * changes <= last - first

    def is_odd(self, run, first, last, odd):
        """Whether a run differs in several ways from others: it is short, has few texts, next to none outside of links.

        Or it has no link, or is of another class. One in ten of the others may be so too.
        """
        few = (last - first) // 10
        signs: cython.int = 0
        signs += self.up_to(self.chars, 2 * self.chars[run], first, last) == 0
        signs += self.up_to(self.texts, 2 * self.texts[run], first, last) <= few
        signs += self.up_to(self.free, 8 * self.free[run], first, last) <= few
        signs += self.links[run] == 0 and self.up_to(self.links, 0, first, last) <= few
        signs += self.is_named_apart(run, first, last)
        return signs >= odd


def between_ends(
    page: Any, classes: Any, begin: Any, end: Any, ends: cython.int, inner: cython.int, odd: cython.int
) -> tuple[int, int]:
    """Return the first run that is a record, and one past the last, given the class of each row.

    Up to `ends` runs at either end are none if they differ in `odd` ways from those between, of which there are `inner`
    at least.
    """
    held: _Held = _Held(page, classes, begin, end)
    first = 0
    last = held.count
    if last <= inner:
        return 0, last
    at_ends = min(ends, max((last - inner) // 2, 1))
    stop = max(last - at_ends, at_ends + 1)
    while first < at_ends and held.is_odd(first, at_ends, stop, odd):
        first += 1
    while last > stop and held.is_odd(last - 1, at_ends, stop, odd):
        last -= 1
    return first, last


class _Likewise:
    """The rows in a region or beside it that are like those where its records begin, and are none of them."""

    def __init__(self, page: Any, found: Any, begin: Any, end: Any, region: cython.int) -> None:
        self.view = measured(page)
        self.names, self.before = as_column(found.classes), as_column(found.chars_before)
        self.sketch = as_column(found.sketch)
        self.begin, self.end = as_column(begin), as_column(end)
        self.count = len(self.begin)
        self.region = region
        self.head = self.begin[self.count // 2]
        self.holds = bytearray(self.count)
        self.common = zeros("Q", WORDS)

    def is_headed(self):
        """Whether two thirds of the records begin with one element and class."""
        same: cython.int = 0
        for k in range(self.count):
            same += self.is_like_head(self.begin[k])
        return self.view.tag[self.head] != tags.TEXT and 3 * same >= 2 * self.count

    def is_like_head(self, row):
        """Whether a row is of the element and the class that records begin with."""
        return self.view.tag[row] == self.view.tag[self.head] and self.names[row] == self.names[self.head]

    def rows(self):
        """Return the rows that may be records: deeper in one, or around none and in the region or right beside it."""
        view: PageView = self.view
        scope = max(view.parent[self.region], 0)
        k = 0
        found: list = []
        for row in range(scope + 1, view.end[scope]):
            while k < self.count and self.end[k] <= row:
                k += 1
            if not (self.is_like_head(row) or self.may_be_first(row)) or self.before[view.end[row]] == self.before[row]:
                continue
            if k < self.count and self.begin[k] <= row:
                if view.depth[row] > view.depth[self.begin[k]]:
                    self.holds[k] = True
                    found.append(row)
            elif (k == self.count or self.begin[k] >= view.end[row]) and (
                self.is_in_region(row) or view.parent[row] == view.parent[self.region]
            ):
                found.append(row)
        return found

    def may_be_first(self, row):
        """Whether a row of another class is where the first of the records may be: right before the region."""
        return (
            self.view.end[row] <= self.region
            and self.view.parent[row] == self.view.parent[self.region]
            and self.view.tag[row] == self.view.tag[self.head]
        )

    def is_in_region(self, row):
        """Whether a row is in the region of the records."""
        return self.region < row and row < self.view.end[self.region]

    def learn(self):
        """Learn the tag paths that half of the records have that hold none of the rows; return how many they are."""
        one: cython.ulonglong = 1
        having: cython.int[::1] = zeros("i", PATHS)
        records: cython.int = 0
        paths: cython.int = 0
        for k in range(self.count):
            if self.holds[k]:
                continue
            records += 1
            for bit in range(PATHS):
                if self.sketch[self.begin[k] * WORDS + bit // 64] & (one << (bit % 64)):
                    having[bit] += 1
        for bit in range(PATHS):
            if records >= 2 and 2 * having[bit] >= records:
                self.common[bit // 64] |= one << (bit % 64)
                paths += 1
        return paths

    def paths(self, row):
        """Return how many of the common tag paths a row has."""
        one: cython.ulonglong = 1
        found: cython.int = 0
        for bit in range(PATHS):
            if self.common[bit // 64] & self.sketch[row * WORDS + bit // 64] & (one << (bit % 64)):
                found += 1
        return found

    def is_in_record(self, row):
        """Whether a row is in one of the records."""
        low: cython.int = 0
        high = self.count
        while low < high:
            middle = (low + high) // 2
            if self.begin[middle] <= row:
                low = middle + 1
            else:
                high = middle
        return low > 0 and row < self.end[low - 1]


def likewise(
    page: Any,
    found: Any,
    begin: Any,
    end: Any,
    region: cython.int,
    shares: tuple[int, int, int, int],
    least: cython.int,
) -> list[int]:
    """Return the rows in a region or beside it that are like those where records begin, and in none or deeper in one.

    `found` are the candidates of the page. A row has so many hundredths of the tag paths that half of the records have:
    between records, elsewhere, where records have no class, and before the region and of another class. With fewer than
    `least` such paths there is none, and none of another class with fewer than twice as many.
    """
    like: _Likewise = _Likewise(page, found, begin, end, region)
    between: cython.int
    named: cython.int
    nameless: cython.int
    before: cython.int
    between, named, nameless, before = shares
    rows: list = like.rows() if like.is_headed() else []
    if not rows:
        return rows
    paths = like.learn()
    if paths < max(least, 1):
        return []
    result: list = []
    row: cython.int
    for row in rows:
        enough = named if like.is_in_record(row) or not like.is_in_region(row) else between
        if not like.is_like_head(row):
            enough = before if paths >= 2 * least else 101
        elif like.names[like.head] == 0:
            enough = nameless
        if 100 * like.paths(row) >= enough * paths:
            result.append(row)
    return result
