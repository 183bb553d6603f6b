# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""The ends of a list of records, the other rows of the page that are like its records, and their roots."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import as_column, zeros
from cython.cimports.pagesieve.page.kernel.constants import PATHS, WORDS
from cython.cimports.pagesieve.page.kernel.page.view import PageView, measured


@cython.final
@cython.cclass
class _Contents:
    """The contents of some runs of rows."""

    count: cython.int
    chars: cython.int[::1]  # for each run: characters, texts, characters outside of links, links,
    texts: cython.int[::1]
    free: cython.int[::1]
    links: cython.int[::1]
    names: cython.uint[::1]  # and a digest of the class of its first row

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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read(self, view: PageView, run: cython.int, begin: cython.int, end: cython.int) -> cython.void:
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def up_to(self, column: cython.int[::1], most: cython.int, first: cython.int, last: cython.int) -> cython.int:
        """Count the runs whose value in a column is at most a number."""
        found: cython.int = 0
        for k in range(first, last):
            found += column[k] <= most
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_odd_class(self, run: cython.int, first: cython.int, last: cython.int) -> cython.bint:
        """Whether a run has another class than some others, and these have few classes."""
        changes: cython.int = 0
        for k in range(first, last):
            if self.names[k] == self.names[run]:
                return False
            changes += k >= first + 2 and self.names[k] != self.names[k - 1] and self.names[k] != self.names[k - 2]
        return 4 * changes <= last - first

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_odd(self, run: cython.int, first: cython.int, last: cython.int, odd: cython.int) -> cython.bint:
        """Whether a run differs from others in several ways.

        It is short, has few texts, few characters outside of links, no link, or another class. One in ten of the others
        may be like it.
        """
        few = (last - first) // 10
        signs: cython.int = 0
        signs += self.up_to(self.chars, 2 * self.chars[run], first, last) == 0
        signs += self.up_to(self.texts, 2 * self.texts[run], first, last) <= few
        signs += self.up_to(self.free, 8 * self.free[run], first, last) <= few
        signs += self.links[run] == 0 and self.up_to(self.links, 0, first, last) <= few
        signs += self.has_odd_class(run, first, last)
        return signs >= odd


def between_ends(
    page: Any, classes: Any, begin: Any, end: Any, ends: cython.int, inner: cython.int, odd: cython.int
) -> tuple[int, int]:
    """Return the first run that is a record, and one past the last, given the class of each row.

    Up to `ends` runs at either end are not records if they differ in `odd` ways from the runs in between, of which
    there are at least `inner`.
    """
    contents: _Contents = _Contents(page, classes, begin, end)
    first = 0
    last = contents.count
    if last <= inner:
        return 0, last
    at_ends = min(ends, max((last - inner) // 2, 1))
    stop = max(last - at_ends, at_ends + 1)
    while first < at_ends and contents.is_odd(first, at_ends, stop, odd):
        first += 1
    while last > stop and contents.is_odd(last - 1, at_ends, stop, odd):
        last -= 1
    return first, last


@cython.final
@cython.cclass
class _SimilarRows:
    """The rows in a region or next to it that are like the first rows of its records, but not among them."""

    view: PageView
    names: cython.const[cython.uint][::1]  # for each row a digest of its class
    before: cython.const[cython.int][::1]  # the characters before each row
    sketch: cython.const[cython.ulonglong][::1]
    begin: cython.const[cython.int][::1]  # of each record
    end: cython.const[cython.int][::1]
    count: cython.int
    region: cython.int
    head: cython.int  # the row that records begin like
    holds: cython.uchar[::1]  # of each record, whether one of the rows is in it
    common: cython.ulonglong[::1]  # the tag paths of records

    def __init__(self, page: Any, candidates: Any, begin: Any, end: Any, region: cython.int) -> None:
        self.view = measured(page)
        self.names, self.before = as_column(candidates.classes), as_column(candidates.chars_before)
        self.sketch = as_column(candidates.sketch)
        self.begin, self.end = as_column(begin), as_column(end)
        self.count = len(self.begin)
        self.region = region
        self.head = self.begin[self.count // 2]
        self.holds = bytearray(self.count)
        self.common = zeros("Q", WORDS)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_headed(self) -> cython.bint:
        """Whether two thirds of the records begin with one element and class."""
        same: cython.int = 0
        for k in range(self.count):
            same += self.is_like_head(self.begin[k])
        return self.view.tag[self.head] != tags.TEXT and 3 * same >= 2 * self.count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_like_head(self, row: cython.int) -> cython.bint:
        """Whether a row is of the element and the class that records begin with."""
        return self.view.tag[row] == self.view.tag[self.head] and self.names[row] == self.names[self.head]

    @cython.cfunc
    def rows(self) -> list:
        """Return the rows that may be records: deeper in one, or around none and in the region or next to it."""
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def may_be_first(self, row: cython.int) -> cython.bint:
        """Whether a row, perhaps of another class, may be the first record: it is before the region, at its level."""
        return (
            self.view.end[row] <= self.region
            and self.view.parent[row] == self.view.parent[self.region]
            and self.view.tag[row] == self.view.tag[self.head]
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_in_region(self, row: cython.int) -> cython.bint:
        """Whether a row is in the region of the records."""
        return self.region < row and row < self.view.end[self.region]

    @cython.cfunc
    @cython.exceptval(check=False)
    def mark_common(self) -> cython.int:
        """Count and mark the tag paths that half of the records without such rows have."""
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def paths(self, row: cython.int) -> cython.int:
        """Return how many of the common tag paths a row has."""
        one: cython.ulonglong = 1
        found: cython.int = 0
        for bit in range(PATHS):
            if self.common[bit // 64] & self.sketch[row * WORDS + bit // 64] & (one << (bit % 64)):
                found += 1
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_in_record(self, row: cython.int) -> cython.bint:
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


def similar_rows(
    page: Any,
    candidates: Any,
    begin: Any,
    end: Any,
    region: cython.int,
    shares: tuple[int, int, int, int],
    least: cython.int,
) -> list[int]:
    """Return the rows in a region or next to it that are like the first rows of records, in no record or deeper in one.

    `shares` are the hundredths of the tag paths of half of the records that a row needs: between records, elsewhere, if
    records have no class, and before the region with another class. There must be `least` such paths, and twice as many
    for a row with another class.
    """
    like: _SimilarRows = _SimilarRows(page, candidates, begin, end, region)
    between: cython.int
    named: cython.int
    nameless: cython.int
    before: cython.int
    between, named, nameless, before = shares
    rows: list = like.rows() if like.is_headed() else []
    if not rows:
        return rows
    paths = like.mark_common()
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


def roots(page: Any, begins: list, ends: list) -> list[tuple[int, ...]]:
    """Return the roots of the visible subtrees in each of some runs of rows, given their first rows and ends.

    A subtree that ends after its run is not part of it, but the subtrees in it that end before are.
    """
    view: PageView = measured(page)
    found: list = []
    for k in range(len(begins)):
        row: cython.int = begins[k]
        stop: cython.int = ends[k]
        rows: list = []
        while row < stop:
            if view.end[row] > stop:
                row += 1
                continue
            if view.visibility[row] == tags.IS_SEEN and (view.tag[row] != tags.TEXT or view.chars[row] > 0):
                rows.append(row)
            row = view.end[row]
        found.append(tuple(rows))
    return found


def outside(page: Any, text_chars: Any, region: cython.int, begins: list, ends: list) -> tuple[int, ...]:
    """Return the roots of the subtrees with text that are in a region and in none of its records."""
    view: PageView = measured(page)
    chars: cython.const[cython.int][::1] = as_column(text_chars)
    found: list = []
    count = len(begins)
    k = 0  # the next record
    row: cython.int = region + 1
    while row < view.end[region]:
        first: cython.int = begins[k] if k < count else view.rows
        if row == first:
            row = ends[k]
            k += 1
        elif first < view.end[row]:
            row += 1
        else:
            if chars[row] > 0:
                found.append(row)
            row = view.end[row]
    return tuple(found)
