"""The records of a page without a browser: what recurs in its tree, and looks most like records.

Also the method `records`: the text of a page whose records are what a reader came for, record by record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import overload

import numpy as np

from pagesieve.errors import NothingFound
from pagesieve.page.lines import Blocks, split
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.records.candidates import Candidates, Floats, find_candidates, scores
from pagesieve.records.cutting import cut
from pagesieve.records.grids import cells_of
from pagesieve.records.results import Segmentation
from pagesieve.selection import Reason, Selection

FEW = 3  # records: fewer cannot tell what stays the same
OUTSIDE = -1  # of every record


@dataclass(frozen=True, slots=True)
class StaticOptions:
    """How many regions are given, and how much worse than the best the others may be."""

    most_regions: int = 5
    behind: float = 9.0  # in points
    least: float = 12.0  # the score of a list: the parts of one record have 11, lists that were measured 12.6


def segment(page: Page, options: StaticOptions = StaticOptions()) -> Regions:
    """Return the regions of a page with their records, the best first. Regions share no rows, and have two records."""
    candidates = find_candidates(page)
    if not len(candidates):
        raise NothingFound("nothing on the page recurs, so it holds no list of records")
    points = ranked(candidates)
    refuse_lists_of_nothing(points, options)
    return Regions(candidates, points, options)


def ranked(candidates: Candidates) -> Floats:
    """Return the points by which regions are chosen; the cells of a grid go before its rows."""
    found = scores(candidates)
    best = int(found.argmax())
    cells = cells_of(candidates, found, best)
    if cells is not None:
        found[cells] = np.nextafter(found[best], np.inf)
    return found


def refuse_lists_of_nothing(points: Floats, options: StaticOptions = StaticOptions()) -> None:
    """Raise NothingFound where what recurs is not a list of records, but for example the parts of one record."""
    if points.max() < options.least:
        raise NothingFound("nothing on the page looks like a list of records")


class Regions(Sequence[Segmentation]):
    """The groups with the most points, best first, as regions with records; each is cut when it is asked for.

    Raise NothingFound where the best has none. Of the others, some may have none.
    """

    def __init__(self, candidates: Candidates, points: Floats, options: StaticOptions = StaticOptions()) -> None:
        self._candidates, self._points, self._options = candidates, points, options
        self._groups = _chosen(candidates, points, options)
        self._found: dict[int, Segmentation] = {}
        if not self[0].records:
            raise NothingFound("what recurs on the page is not shown")

    def __len__(self) -> int:
        return len(self._groups)

    @overload
    def __getitem__(self, number: int) -> Segmentation: ...
    @overload
    def __getitem__(self, number: slice) -> list[Segmentation]: ...
    def __getitem__(self, number: int | slice) -> Segmentation | list[Segmentation]:
        groups = self._groups[number]
        return [self._cut(group) for group in groups] if isinstance(groups, list) else self._cut(groups)

    def _cut(self, group: int) -> Segmentation:
        if group not in self._found:
            score = float(self._points[group])
            self._found[group] = cut(self._candidates, group, score)
        return self._found[group]


def _chosen(candidates: Candidates, points: Floats, options: StaticOptions) -> list[int]:
    """Return the best group, then the next best of those whose records are elsewhere."""
    near = np.flatnonzero(points >= points.max() - options.behind)
    near = near[np.argsort(-points[near], kind="stable")]
    begins, ends = candidates.extents(near)
    chosen: list[int] = []
    taken: list[tuple[int, int]] = []
    for group, begin, end in zip(near.tolist(), begins.tolist(), ends.tolist(), strict=True):
        if len(chosen) == options.most_regions:
            break
        if all(end <= before or after <= begin for before, after in taken):
            taken.append((begin, end))
            chosen.append(group)
    return chosen


@dataclass(frozen=True, slots=True)
class TextOptions:
    """How much worse than the best region another may be and still belong to the text, in scores."""

    behind: float = 1.5


def records_text(page: Page, options: TextOptions = TextOptions()) -> Selection:
    """Return the lines of all records, but for those that every record of its region has. Raises NothingFound."""
    blocks = split(page)
    found = segment(page)
    chosen = sorted(
        (each for each in found if each.score >= found[0].score - options.behind), key=lambda each: each.records[0]
    )
    record, static = np.full(len(blocks), OUTSIDE, dtype=np.int32), np.zeros(len(blocks), dtype=np.bool_)
    parts: list[tuple[int, ...]] = []
    for each in chosen:
        _mark(blocks, each, len(parts), record, static)
        parts += each.records
    kept = (record != OUTSIDE) & ~static
    reasons = _Reasons(record, static, len(parts))
    return Selection(blocks, blocks.mask(kept), np.zeros(len(page), dtype=np.bool_), reasons, tuple(parts))


def _mark(blocks: Blocks, region: Segmentation, number: int, record: Ints, static: Bools) -> None:
    """Note for every line of a region the number of its record, and whether all records have it."""
    lines, holders = list[tuple[int, str]](), Counter[str]()
    spans = iter(blocks.below(list(chain.from_iterable(region.records))))
    for k, roots in enumerate(region.records):
        inside = [line for first, stop in islice(spans, len(roots)) for line in range(first, stop)]
        record[inside] = number + k
        texts = [blocks.text(line) for line in inside]
        lines += zip(inside, texts, strict=True)
        holders.update(set(texts))
    if len(region.records) >= FEW:
        same = [line for line, text in lines if holders[text] == len(region.records)]
        static[same] = True


@dataclass(frozen=True, slots=True, eq=False)
class _Reasons:
    """Why a line was kept or dropped."""

    record: Ints
    static: Bools
    records: int

    def __call__(self, block: int) -> Reason:
        if self.record[block] == OUTSIDE:
            return Reason("in no record", "rule")
        number = int(self.record[block]) + 1
        numbers = {"record": number, "of": self.records}
        if self.static[block]:
            return Reason("the same in all records: a button or a label", "rule", numbers)
        return Reason(f"record {number} of {self.records}", "record", numbers)
