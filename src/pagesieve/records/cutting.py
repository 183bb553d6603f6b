"""Cut the region of a group of what recurs into its records.

A group has runs of rows that are alike. Not all of them are records: some have little of what most have, and the head
of a table or a list of pages stands at the ends of many lists. Nor are all records among them: the first may stand
before the element that holds the others, some are wrapped together, and an answer stands within what it answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.records.candidates import Candidates
from pagesieve.records.results import Segmentation

LEAST_RECORDS = 2
ONE_SUBTREE = 2 / 3  # of the records are one subtree: then the others are too, and what follows them is not theirs
MANY = 3  # one record in so many has text: then those without text are no records
ENDS = 3  # records at either end that may be something else
LEAST_INNER = 3  # records that tell what one at an end lacks
NONE: Ints = np.empty(0, dtype=np.int32)
ODD = 2  # ways in which a record at an end differs from all others


@dataclass(frozen=True, slots=True)
class CutOptions:
    """How much of the tag paths that most records have a row needs to be a record, in hundredths."""

    common: int = 50  # one of the group,
    between: int = 35  # one in the region and not of the group, that has the element and the class of its records,
    named: int = 60  # one within a record or beside the region, that has them,
    nameless: int = 90  # or one that has the element, where records have no class
    least_paths: int = 3  # that records have in common: with fewer, nothing outside of the group is known as a record


class _Runs(NamedTuple):
    """Runs of rows: where each begins, and the row after its end."""

    begin: Ints
    end: Ints

    def where(self, kept: Bools) -> _Runs:
        return _Runs(self.begin[kept], self.end[kept])

    def holding(self, rows: Ints) -> Ints:
        """Return the number of the run that each of some rows is in; -1 where it is in none."""
        number = np.searchsorted(self.begin, rows, side="right").astype(np.int32) - 1
        inside = (number >= 0) & (rows < self.end[number])
        return np.where(inside, number, -1).astype(np.int32)


def cut(candidates: Candidates, group: int, score: float, options: CutOptions = CutOptions()) -> Segmentation:
    """Return a group as a region with records."""
    page, region = candidates.page, int(candidates.region[group])
    group_runs = _Runs(*candidates.spans(group))
    runs = group_runs.where(_fitting(candidates, group_runs, options))
    roots = kernel.record_rows.roots(page, runs.begin.tolist(), runs.end.tolist())
    single = sum(len(each) == 1 for each in roots) >= ONE_SUBTREE * len(roots)
    if single:
        ends = [int(page.end[each[0]]) if each else end for each, end in zip(roots, runs.end.tolist(), strict=True)]
        runs = _Runs(runs.begin, np.array(ends, dtype=np.int32))
    answers: dict[int, int] = {}
    others = np.setdiff1d(_likewise(candidates, runs, region, options), group_runs.begin)
    if len(others):
        runs, answers = _with_others(page, runs, others, single)
    runs = runs.where(_between_ends(candidates, runs))
    if runs.begin[0] < region or runs.end[-1] > page.end[region]:
        region = int(page.parent[region])
    begins, ends = runs.begin.tolist(), runs.end.tolist()
    records = kernel.record_rows.roots(page, begins, ends)
    noise = kernel.record_rows.outside(page, page.text_chars, region, begins, ends)
    return Segmentation(region, tuple(records), noise, score, answers)


def _fitting(candidates: Candidates, runs: _Runs, options: CutOptions) -> Bools:
    """Mark the runs of a group that have most of what most have, and text where many have it."""
    shares = kernel.recurring.common_shares(candidates.page, candidates.sketch, runs.begin, runs.end)
    fits: Bools = np.frombuffer(shares, dtype=np.int32) >= options.common
    has_text = candidates.chars_before[runs.end] > candidates.chars_before[runs.begin]
    if MANY * has_text.sum() >= len(fits):
        fits &= has_text
    return fits if fits.sum() >= LEAST_RECORDS else np.ones(len(fits), dtype=bool)


# Ends


def _between_ends(candidates: Candidates, runs: _Runs) -> Bools:
    """Mark the runs but for those at the ends of the list that lack what all others have: heads, pagers, counts."""
    count = len(runs.begin)
    kept: Bools = np.ones(count, dtype=bool)
    if count <= LEAST_INNER:
        return kept
    held, ends = _Held(candidates, runs), min(ENDS, max((count - LEAST_INNER) // 2, 1))
    inner = slice(ends, max(count - ends, ends + 1))
    first, last = 0, count
    while first < inner.start and held.is_odd(first, inner):
        first += 1
    while last > inner.stop and held.is_odd(last - 1, inner):
        last -= 1
    kept[:first] = kept[last:] = False
    return kept


class _Held:
    """What each run of rows holds."""

    def __init__(self, candidates: Candidates, runs: _Runs) -> None:
        page, start = candidates.page, int(runs.begin[0])
        rows = slice(start, int(runs.end[-1]))
        own, linked = page.chars[rows], page.linked[rows] > 0
        begins_link = linked.copy()
        begins_link[1:] &= ~linked[:-1]
        begin, end = runs.begin - start, runs.end - start
        self.chars, self.texts, self.free, self.links = (
            _sums(column, begin, end) for column in (own, own > 0, np.where(linked, 0, own), begins_link)
        )
        self.names: list[int] = candidates.classes[runs.begin].tolist()

    def is_odd(self, run: int, others: slice) -> bool:
        """Whether a run differs in several ways from all of some others."""
        names = self.names[others]
        signs = (
            2 * self.chars[run] < min(self.chars[others]),
            2 * self.texts[run] < _low(self.texts[others]),
            8 * self.free[run] < _low(self.free[others]),
            self.links[run] == 0 and _low(self.links[others]) > 0,
            self.names[run] not in names and len(set(names)) <= max(2, len(names) // 4),
        )
        return sum(signs) >= ODD


def _sums(column: NDArray[Any], begin: Ints, end: Ints) -> list[int]:
    """Return the sums of a column over some runs."""
    before = np.append(0, np.cumsum(column))
    found: list[int] = (before[end] - before[begin]).tolist()
    return found


def _low(numbers: list[int]) -> int:
    """Return a number that nine in ten are not below."""
    return sorted(numbers)[len(numbers) // 10]


# Records that are not in the group


def _likewise(candidates: Candidates, runs: _Runs, region: int, options: CutOptions) -> Ints:
    """Return the rows in the region or beside it that are no record of the group, but are like those that begin one."""
    page, names = candidates.page, candidates.classes
    scope = max(int(page.parent[region]), 0)
    head = int(runs.begin[len(runs.begin) // 2])
    same = (page.tag[runs.begin] == page.tag[head]) & (names[runs.begin] == names[head])
    if page.tag_name(head).startswith("#") or same.mean() < ONE_SUBTREE:
        return NONE
    inside = slice(scope + 1, int(page.end[scope]))
    alike = (page.tag[inside] == page.tag[head]) & (names[inside] == names[head])
    rows = np.flatnonzero(alike).astype(np.int32) + np.int32(inside.start)
    rows = rows[_may_be_records(candidates, runs, region, rows)]
    free: Ints = np.setdiff1d(np.arange(len(runs.begin)), runs.holding(rows)).astype(np.int32)
    if not len(rows) or len(free) < LEAST_RECORDS:  # where all records hold one, it is a part of them
        return NONE
    between = (runs.holding(rows) < 0) & (rows > region) & (rows < page.end[region])
    enough = np.where(between, options.between, options.named) if names[head] else options.nameless
    return rows[_shares(candidates, runs.begin[free], rows, options) >= enough]


def _may_be_records(candidates: Candidates, runs: _Runs, region: int, rows: Ints) -> Bools:
    """Mark the rows with text that are deeper in a record, or around none, and in the region or right beside it."""
    page = candidates.page
    number, next_number = runs.holding(rows), np.searchsorted(runs.begin, rows)
    outside = (number < 0) & (np.append(runs.begin, len(page))[next_number] >= page.end[rows])
    outside &= (rows > region) & (rows < page.end[region]) | (page.parent[rows] == page.parent[region])
    deeper = (number >= 0) & (page.depth[rows] > page.depth[runs.begin[number]])
    has_text = candidates.chars_before[page.end[rows]] > candidates.chars_before[rows]
    found: Bools = (outside | deeper) & has_text
    return found


def _shares(candidates: Candidates, of: Ints, rows: Ints, options: CutOptions) -> Ints:
    """Return how much of the tag paths that half of some rows have others have, in hundredths."""
    sketch = candidates.sketch.view(np.uint8).reshape(len(candidates.page), -1)
    common = np.packbits(2 * np.unpackbits(sketch[of], axis=1).sum(axis=0, dtype=np.int32) >= len(of))
    paths = int(np.unpackbits(common).sum())
    if paths < options.least_paths:
        return np.zeros(len(rows), dtype=np.int32)
    shares: Ints = 100 * np.unpackbits(sketch[rows] & common, axis=1).sum(axis=1, dtype=np.int32) // paths
    return shares


def _with_others(page: Page, runs: _Runs, others: Ints, single: bool) -> tuple[_Runs, dict[int, int]]:
    """Return the runs of the group and of other records, and for the first row of an answer that of what it answers."""
    outside = runs.holding(others) < 0
    if not single or outside.sum() > len(runs.begin):
        others, outside = others[~outside], outside[~outside]
    found = _Nest(page, runs, others, single)
    if not found.holds_records():
        found = _Nest(page, runs, others[outside], single)
        if not found.holds_records():
            return runs, {}
    return found.runs, found.answers


class _Nest:
    """Records that may hold others, in the order of the page; the own part of one ends where the first in it begins."""

    def __init__(self, page: Page, runs: _Runs, others: Ints, single: bool) -> None:
        ends = dict(zip(runs.begin.tolist(), runs.end.tolist(), strict=True))
        ends |= {row: int(page.end[row]) for row in others.tolist()}
        rows = sorted(ends)
        stops = [ends[row] for row in rows]
        self._above: list[int | None] = []  # of each the number of the one it is in
        around: list[int] = []
        for number, row in enumerate(rows):
            while around and ends[rows[around[-1]]] <= row:
                around.pop()
            self._above.append(around[-1] if around else None)
            if around:
                stops[around[-1]] = min(stops[around[-1]], row)
            around.append(number)
        self._outer = {above for above in self._above if above is not None}
        opened = single and bool(self._outer)  # so that those with and those without answers have the same parts
        begins = [row + 1 if opened and page.end[row] > row + 1 else row for row in rows]
        self._page = page
        self.runs = _Runs(np.array(begins, dtype=np.int32), np.array(stops, dtype=np.int32))

    def holds_records(self) -> bool:
        """Whether the own parts of records that hold others have half of the texts that the others have."""
        if not self._outer:
            return True
        start, stop = int(self.runs.begin[0]), int(self.runs.end.max())
        texts = _sums(self._page.chars[start:stop] > 0, self.runs.begin - start, self.runs.end - start)
        inner = sorted(count for number, count in enumerate(texts) if number not in self._outer)
        return all(texts[number] and 2 * texts[number] >= inner[len(inner) // 2] for number in self._outer)

    @property
    def answers(self) -> dict[int, int]:
        """The first row of each record that is in another, with the first row of that."""
        first = [rows[0] for rows in kernel.record_rows.roots(self._page, *(each.tolist() for each in self.runs))]
        return {first[number]: first[above] for number, above in enumerate(self._above) if above is not None}
