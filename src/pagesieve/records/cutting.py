"""Cut the region of a group of what recurs into its records.

A group has runs of rows that are alike. Not all of them are records: some have little of what most have, and the head
of a table or a list of pages stands at the ends of many lists. Nor are all records among them: the first may stand
before the element that holds the others, some are wrapped together, and an answer stands within what it answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pagesieve.page import kernel
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.records.candidates import Candidates
from pagesieve.records.results import Segmentation

LEAST_RECORDS = 2
ONE_SUBTREE = 2 / 3  # of the records are one subtree: then the others are too, and what follows them is not theirs
MANY = 3  # one record in so many has text: then those without text are no records
ENDS = 3  # records at either end that may be something else
LEAST_INNER = 3  # records that tell what one at an end lacks
ODD = 2  # ways in which a record at an end differs from all others


@dataclass(frozen=True, slots=True)
class CutOptions:
    """How much of the tag paths that most records have a row needs to be a record, in hundredths."""

    common: int = 50  # one of the group,
    between: int = 35  # one in the region and not of the group, that has the element and the class of its records,
    named: int = 60  # one within a record or beside the region, that has them,
    nameless: int = 90  # or one that has the element, where records have no class,
    before: int = 75  # or one right before the region that has the element and another class: what the others answer
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
    shares = (options.between, options.named, options.nameless, options.before)
    others = kernel.record_cuts.likewise(page, candidates, runs.begin, runs.end, region, shares, options.least_paths)
    if others:
        rows = np.setdiff1d(np.array(others, dtype=np.int32), group_runs.begin)
        runs, answers = _with_others(page, runs, rows, single)
    kept = slice(*kernel.record_cuts.between_ends(page, candidates.classes, *runs, ENDS, LEAST_INNER, ODD))
    runs = _Runs(runs.begin[kept], runs.end[kept])
    if runs.begin[0] < region or runs.end[-1] > page.end[region]:
        region = int(page.parent[region])
    begins, ends = runs.begin.tolist(), runs.end.tolist()
    records = filter(None, kernel.record_rows.roots(page, begins, ends))  # what shows nothing is no record
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
        self._page, self._roots = page, kernel.record_rows.roots(page, begins, stops)
        self.runs = _Runs(np.array(begins, dtype=np.int32), np.array(stops, dtype=np.int32))

    def holds_records(self) -> bool:
        """Whether all have something of their own: those that hold others half of the texts that the others have."""
        if not self._outer or not all(self._roots):
            return all(self._roots)
        before = np.append(0, np.cumsum(self._page.chars > 0))
        texts = (before[self.runs.end] - before[self.runs.begin]).tolist()
        inner = sorted(count for number, count in enumerate(texts) if number not in self._outer)
        return all(texts[number] and 2 * texts[number] >= inner[len(inner) // 2] for number in self._outer)

    @property
    def answers(self) -> dict[int, int]:
        """The first row of each record that is in another, with the first row of that."""
        pairs = ((number, above) for number, above in enumerate(self._above) if above is not None)
        return {self._roots[number][0]: self._roots[above][0] for number, above in pairs}
