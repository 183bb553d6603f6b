"""Cut the region of a group into its records.

A group has runs of rows that are alike. Not all of them are records: some lack most of what the others have, and many
lists begin with the head of a table or end with links to more pages. The group may also miss records: the first may
stand before the element that holds the others, some are wrapped together, and an answer stands inside the record that
it answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pagesieve.page import kernel
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.records.candidates import Candidates
from pagesieve.records.results import Segmentation

MIN_RECORDS = 2
ONE_SUBTREE = 2 / 3  # of the records are one subtree: then all are, and the rows after a subtree are not part of it
MANY = 3  # if one record in so many has text, those without text are no records
MAX_ENDS = 3  # records at either end that may be something else
MIN_INNER = 3  # records in between that show what one at an end lacks
MIN_ODD = 2  # ways in which a run at an end differs from the records


@dataclass(frozen=True, slots=True)
class CutOptions:
    """The share of the tag paths of most records that a row needs to be a record, in hundredths."""

    common: int = 50  # a row of the group
    between: int = 35  # a row in the region but not in the group, with the element and the class of the records
    named: int = 60  # the same, inside a record or next to the region
    nameless: int = 90  # a row with the same element, if the records have no class
    before: int = 75  # a row right before the region, with the same element and another class: what the others answer
    min_paths: int = 3  # paths that the records share: with fewer, only rows of the group can be records


class _Runs(NamedTuple):
    """Runs of rows: where each begins, and the row after its end."""

    begin: Ints
    end: Ints

    def where(self, mask: Bools | slice) -> _Runs:
        return _Runs(self.begin[mask], self.end[mask])

    def holding(self, rows: Ints) -> Ints:
        """Return for each row the number of the run that holds it, or -1."""
        number = np.searchsorted(self.begin, rows, side="right").astype(np.int32) - 1
        inside = (number >= 0) & (rows < self.end[number])
        return np.where(inside, number, -1).astype(np.int32)


def cut(candidates: Candidates, group: int, score: float, options: CutOptions = CutOptions()) -> Segmentation:
    """Return a group as a region with records."""
    page, region = candidates.page, int(candidates.region[group])
    group_runs = _Runs(*candidates.spans(group))
    runs = group_runs.where(_fitting(candidates, group_runs, options))
    roots = kernel.records.cuts.roots(page, runs.begin.tolist(), runs.end.tolist())
    single = sum(len(each) == 1 for each in roots) >= ONE_SUBTREE * len(roots)
    if single:
        ends = [int(page.end[each[0]]) if each else end for each, end in zip(roots, runs.end.tolist(), strict=True)]
        runs = _Runs(runs.begin, np.array(ends, dtype=np.int32))
    answers: dict[int, int] = {}
    shares = (options.between, options.named, options.nameless, options.before)
    others = kernel.records.cuts.similar_rows(page, candidates, runs.begin, runs.end, region, shares, options.min_paths)
    if others:
        rows = np.setdiff1d(np.array(others, dtype=np.int32), group_runs.begin)
        runs, answers = _with_others(page, runs, rows, single)
    first, stop = kernel.records.cuts.between_ends(page, candidates.classes, *runs, MAX_ENDS, MIN_INNER, MIN_ODD)
    runs = runs.where(slice(first, stop))
    if runs.begin[0] < region or runs.end[-1] > page.end[region]:
        region = int(page.parent[region])
    begins, ends = runs.begin.tolist(), runs.end.tolist()
    records = filter(None, kernel.records.cuts.roots(page, begins, ends))  # without those that show nothing
    noise = kernel.records.cuts.outside(page, page.text_chars, region, begins, ends)
    return Segmentation(region, tuple(records), noise, score, answers)


def _fitting(candidates: Candidates, runs: _Runs, options: CutOptions) -> Bools:
    """Mark the runs of a group that have most tag paths of the others, and text if many runs have text."""
    shares = kernel.records.groups.common_shares(candidates.page, candidates.sketch, runs.begin, runs.end)
    fits: Bools = np.frombuffer(shares, dtype=np.int32) >= options.common
    has_text = candidates.chars_before[runs.end] > candidates.chars_before[runs.begin]
    if MANY * has_text.sum() >= len(fits):
        fits &= has_text
    return fits if fits.sum() >= MIN_RECORDS else np.ones(len(fits), dtype=bool)


def _with_others(page: Page, runs: _Runs, others: Ints, single: bool) -> tuple[_Runs, dict[int, int]]:
    """Return the runs with the other records, and a map from the first row of each answer to that of its record."""
    outside = runs.holding(others) < 0
    if not single or outside.sum() > len(runs.begin):
        others, outside = others[~outside], outside[~outside]
    for rows in (others, others[outside]):
        nest = _Nest(page, runs, rows, single)
        if nest.holds_records():
            return nest.runs, nest.answers
    return runs, {}


class _Nest:
    """Records that may hold others, in document order. A record's own rows end where the first inner one begins."""

    def __init__(self, page: Page, runs: _Runs, others: Ints, single: bool) -> None:
        ends = dict(zip(runs.begin.tolist(), runs.end.tolist(), strict=True))
        ends |= {row: int(page.end[row]) for row in others.tolist()}
        rows = sorted(ends)
        stops = [ends[row] for row in rows]
        self._above: list[int | None] = []  # for each record the number of the one around it
        around: list[int] = []
        for number, row in enumerate(rows):
            while around and ends[rows[around[-1]]] <= row:
                around.pop()
            self._above.append(around[-1] if around else None)
            if around:
                stops[around[-1]] = min(stops[around[-1]], row)
            around.append(number)
        self._outer = {above for above in self._above if above is not None}
        opened = single and bool(self._outer)  # records with and without answers then have the same parts
        begins = [row + 1 if opened and page.end[row] > row + 1 else row for row in rows]
        self._page, self._roots = page, kernel.records.cuts.roots(page, begins, stops)
        self.runs = _Runs(np.array(begins, dtype=np.int32), np.array(stops, dtype=np.int32))

    def holds_records(self) -> bool:
        """Whether every record has rows of its own, and those that hold others half as many texts as the others."""
        if not self._outer or not all(self._roots):
            return all(self._roots)
        before = np.append(0, np.cumsum(self._page.chars > 0))
        texts = (before[self.runs.end] - before[self.runs.begin]).tolist()
        inner = sorted(count for number, count in enumerate(texts) if number not in self._outer)
        return all(texts[number] and 2 * texts[number] >= inner[len(inner) // 2] for number in self._outer)

    @property
    def answers(self) -> dict[int, int]:
        """A map from the first row of each inner record to the first row of the one around it."""
        pairs = ((number, above) for number, above in enumerate(self._above) if above is not None)
        return {self._roots[number][0]: self._roots[above][0] for number, above in pairs}
