"""The regions of a page that hold records, by its tree alone: the candidates that look most like records.

Also the method `records`, which extracts the text of a page record by record.
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
from pagesieve.records.candidates import Candidates, Floats, find_candidates, region_points
from pagesieve.records.cut import cut
from pagesieve.records.results import Segmentation
from pagesieve.selection import Reason, Selection

FEW = 3  # records: with fewer, it is unknown which lines repeat
OUTSIDE = -1  # the number of a line in no record
MAX_BEHIND = 1.5  # points by which a region of the text may be worse than the best
SLACK = 0.5  # points by which the best lists of a page and of its source may differ and be the same
FEWER = 0.9  # of the text of a list: with less, and with fewer records, something is missing


@dataclass(frozen=True, slots=True)
class RegionOptions:
    """How many regions a page has, how much worse than the best the others may be, and what is a list at all."""

    max_regions: int = 5
    max_behind: float = 9.0  # points
    min_score: float = -1.25  # of a list: its expected F1 is then .22


def segment(page: Page, options: RegionOptions = RegionOptions()) -> Regions:
    """Return the regions of a page with their records, the best first. No row is in two regions."""
    candidates = find_candidates(page)
    return Regions(candidates, list_points(candidates, options), options)


def list_points(candidates: Candidates, options: RegionOptions = RegionOptions()) -> Floats:
    """Return the points of each group. Raise NothingFound unless the best is a list, not the parts of one record."""
    if not len(candidates):
        raise NothingFound("nothing on the page recurs, so it holds no list of records")
    points = region_points(candidates)
    if points.max() < options.min_score:
        raise NothingFound("nothing on the page looks like a list of records")
    return points


class Regions(Sequence[Segmentation]):
    """The groups with the most points as regions with records, the best first; each is cut on first access.

    Raises NothingFound if the best region has no records. Other regions may have none.
    """

    def __init__(self, candidates: Candidates, points: Floats, options: RegionOptions = RegionOptions()) -> None:
        self._candidates, self._points, self._options = candidates, points, options
        self._groups = _chosen(candidates, points, options)
        self._regions: dict[int, Segmentation] = {}
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
        if group not in self._regions:
            self._regions[group] = cut(self._candidates, group, float(self._points[group]))
        return self._regions[group]


def _chosen(candidates: Candidates, points: Floats, options: RegionOptions) -> list[int]:
    """Return the best group, then the next best groups that do not overlap with the ones before."""
    near = np.flatnonzero(points >= points.max() - options.max_behind)
    near = near[np.argsort(-points[near], kind="stable")]
    begins, ends = candidates.extents(near)
    chosen: list[int] = []
    taken: list[tuple[int, int]] = []
    for group, begin, end in zip(near.tolist(), begins.tolist(), ends.tolist(), strict=True):
        if len(chosen) == options.max_regions:
            break
        if all(end <= before or after <= begin for before, after in taken):
            taken.append((begin, end))
            chosen.append(group)
    return chosen


@dataclass(frozen=True, slots=True)
class BestList:
    """The best list of a page by its tree alone: its score, the length of its text, and the rows of each record."""

    score: float
    chars: int
    records: tuple[tuple[int, ...], ...]

    def is_poorer_than(self, other: BestList) -> bool:
        """Whether this is a worse list than another, or lacks some of its records."""
        lacks = len(self.records) < len(other.records) and self.chars < FEWER * other.chars
        return lacks or self.score < other.score - SLACK


def best_list(page: Page) -> BestList | None:
    """Return the best list of a page, or None for a page without any."""
    try:
        best = segment(page)[0]
    except NothingFound:
        return None
    rows = np.array([row for record in best.records for row in record], dtype=np.intp)
    return BestList(best.score, int(page.text_chars[rows].sum()), best.records)


def records_text(page: Page) -> Selection:
    """Return the lines of all records without those that every record of a region repeats. Raises NothingFound."""
    blocks = split(page)
    regions = segment(page)
    near = (region for region in regions if region.score >= regions[0].score - MAX_BEHIND)
    record, static = np.full(len(blocks), OUTSIDE, dtype=np.int32), np.zeros(len(blocks), dtype=np.bool_)
    parts: list[tuple[int, ...]] = []
    for region in sorted(near, key=lambda region: region.records[0]):
        _mark_lines(blocks, region, len(parts), record, static)
        parts += region.records
    reasons = _Reasons(record, static, len(parts))
    selected = blocks.mask((record != OUTSIDE) & ~static)
    return Selection(blocks, selected, np.zeros(len(page), dtype=np.bool_), reasons, tuple(parts))


def _mark_lines(blocks: Blocks, region: Segmentation, number: int, record: Ints, static: Bools) -> None:
    """Set for each line of a region the number of its record, and whether all records repeat the line."""
    lines, holders = list[tuple[int, str]](), Counter[str]()
    spans = iter(blocks.below(list(chain.from_iterable(region.records))))
    for k, roots in enumerate(region.records):
        inside = [line for first, stop in islice(spans, len(roots)) for line in range(first, stop)]
        record[inside] = number + k
        texts = [blocks.text(line) for line in inside]
        lines += zip(inside, texts, strict=True)
        holders.update(set(texts))
    if len(region.records) >= FEW:
        static[[line for line, text in lines if holders[text] == len(region.records)]] = True


@dataclass(frozen=True, slots=True, eq=False)
class _Reasons:
    """The reason why each line is part of the text or not."""

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
