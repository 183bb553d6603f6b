"""The regions of a page that hold records, by its tree alone: the candidates that look most like records.

The groups of rows that recur on a page are the candidates. A forest of small trees judges each by its features
(`kernel/records/group_features`). It was trained to tell the F1 of the records that the group is cut into
(`research/fit_records.py`), on labelled lists, boards, threads and shops, and on pages without a list. Also the method
`records`, which extracts the text of a page record by record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from itertools import chain, islice
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from pagesieve.errors import NothingFound
from pagesieve.page import kernel
from pagesieve.page.forest import Forest
from pagesieve.page.kernel.constants import SAME_PATH, SAME_TAGS
from pagesieve.page.kernel.records.group_table import (
    BAD_HINT,
    GOOD_HINT,
    GROUP_COLUMNS,
    GROUP_NAMES,
    MAIN_HINT,
    NO_LIST_HINT,
    NO_LIST_ROLE,
    PAGER_HINT,
    PANEL_HINT,
)
from pagesieve.page.lines import Blocks, split
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.records.results import Segmentation
from pagesieve.selection import Reason, Selection

Floats = NDArray[np.float64]

SHIPPED = "models/lists.model"

PATH_KINDS = (SAME_PATH, SAME_TAGS)
PAIR, MIN_PAIR_SCORE, PAIR_PENALTY = 2, 0.0, 9.0
NO_LIST_POINTS = -30.0
MAX_BEHIND_PATH = 0.5  # points that siblings may have less than elements on one path
SAME_RECORDS = 0.8  # of the records of that group are siblings

# The cells of a grid
LIKENESS = 70  # hundredths of their tag paths that neighbouring cells share, at least
COVER = 0.9  # of the text of the rows is in cells, at least
MAX_WIDTH_RATIO = 2.0  # of the texts of two columns: those of a table of data differ more
MAX_BEHIND_ROWS = 6.0  # points that cells may have less than rows
_TEXTS_COLUMN = GROUP_NAMES.index("texts")
_MIN_TEXTS = np.log1p(1.9)  # in a cell, on average: the cells of a table of data have one

# Words in the classes and ids of pages in any language.
GOOD_WORDS = (
    "result results item items post posts product products listing listings list thread entry article story card row "
    "hit record review reviews topic message answer question content main feed stream tile teaser offer snippet"
)
BAD_WORDS = (
    "nav navigation menu footer foot sidebar side aside header breadcrumb breadcrumbs pagination pager paging filter "
    "filters facet facets refine refinement related widget ad ads sponsored social share tag tags category categories "
    "toolbar tab tabs dropdown login popular trending recommend recommended promo banner carousel cookie modal "
    "copyright links"
)


# Of what opens over a page or in it when asked for, and of what picks from many things.
PANEL_WORDS = (
    "cookie cookies consent gdpr modal dialog popup overlay menu submenu megamenu dropdown listbox tablist combobox "
    "calendar datepicker picker autocomplete suggest suggestions weather forecast ticker tooltip popover login signin "
    "drawer offcanvas lightbox language languages lang currency filter filters facet facets refine"
)
MAIN_WORDS = "main content primary results listing feed posts topics threads products catalog catalogue"
PAGER_WORDS = "pagination pager paging paginate pages pagenavi pagenav pageination"
# Of what holds no list of the page's own, by class, id or role.
NO_LIST_WORDS = (
    "cookie cookies consent gdpr onetrust cookiebot didomi usercentrics alertdialog listbox combobox datepicker "
    "autocomplete typeahead lightbox"
)
NO_LIST_ROLES = "dialog menu menubar tooltip"


def _digests(words: str, bit: int) -> dict[int, int]:
    return {kernel.records.groups.word_digest(word): bit for word in words.split()}


def _hints(words: Mapping[int, str]) -> dict[int, int]:
    hints = Counter[int]()
    for bit, names in words.items():
        hints.update(_digests(names, bit))
    return dict(hints)


_HINTS = _hints(
    {
        GOOD_HINT: GOOD_WORDS,
        BAD_HINT: BAD_WORDS,
        PANEL_HINT: PANEL_WORDS,
        MAIN_HINT: MAIN_WORDS,
        PAGER_HINT: PAGER_WORDS,
        NO_LIST_HINT: NO_LIST_WORDS,
        NO_LIST_ROLE: NO_LIST_ROLES,
    }
)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The groups that recur on a page. The records of a group are in order, disjoint, and inside its region."""

    page: Page
    kind: Ints  # for each group: the rule that formed it (kernel/constants)
    region: Ints  # the innermost row that holds its records
    first: Ints  # the number of its first record; those of the next group follow its last
    lead: Ints  # the number of children of the region before the first record
    likeness: Ints  # of neighbouring records, in hundredths: of their tag paths,
    named: Ints  # and of their classes
    begin: Ints  # for each record: its first row,
    end: Ints  # and the row after its last
    chars_before: Ints  # the characters of all rows before each row, and before the end
    values: Floats  # for each group its features, by the columns of kernel/records/group_table
    no_list: Bools  # for each group whether it is in a dialog, a picker, a note on cookies
    sketch: NDArray[np.uint64]  # for each row the tag paths below it, as bits of the kernel
    classes: NDArray[np.uint32]  # for each row a digest of its first class, 0 if it has none

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def sizes(self) -> Ints:
        """The number of records of each group."""
        return np.diff(np.append(self.first, len(self.begin))).astype(np.int32)

    def spans(self, group: int) -> tuple[Ints, Ints]:
        """Return the first rows and the ends of a group's records."""
        start = int(self.first[group])
        stop = int(self.first[group + 1]) if group + 1 < len(self) else len(self.begin)
        return self.begin[start:stop], self.end[start:stop]

    def extents(self, groups: NDArray[np.intp]) -> tuple[Ints, Ints]:
        """Return the first row of each of some groups, and the end of its last record."""
        after = np.append(self.first, len(self.begin))[groups + 1]
        return self.begin[self.first[groups]], self.end[after - 1]


def find_candidates(page: Page) -> Candidates:
    """Find all groups of two or more alike runs of rows."""
    groups = kernel.records.groups.find(page, _HINTS)
    values, no_list = kernel.records.group_features.measure(page, groups)
    columns = {name: np.asarray(groups[name]) for name in _COLUMNS}
    table = np.frombuffer(values).reshape(-1, GROUP_COLUMNS)
    return Candidates(page, values=table, no_list=np.frombuffer(no_list, dtype=np.bool_), **columns)


_COLUMNS = [each.name for each in fields(Candidates) if each.name not in ("page", "values", "no_list")]

# Scores


def scores(candidates: Candidates) -> Floats:
    """Return the score of each group, the logit of its expected F1: the higher, the likelier it is the page's list."""
    points: Floats = ranker().scores(candidates.values.astype(np.float32))[:, 0]
    return points


@cache
def ranker() -> Forest:
    """Return the forest that comes with Pagesieve, read once."""
    return Forest.load(resources.files("pagesieve").joinpath(SHIPPED), "lists", GROUP_NAMES)


def region_points(candidates: Candidates) -> Floats:
    """Return the points by which regions are chosen: the scores, corrected where rules know better than the forest.

    Two parts of a page are often alike by chance, so a pair counts only if it is a list more likely than not. Siblings
    stand above the elements on one path that are nearly the same records, and the cells of a grid above its rows.
    What is in a dialog, a picker or a note on cookies is none.
    """
    points = scores(candidates)
    points[candidates.no_list] = NO_LIST_POINTS
    points[(candidates.sizes <= PAIR) & (points < MIN_PAIR_SCORE)] -= PAIR_PENALTY
    best = int(points.argmax())
    for group in (_siblings(candidates, points, best), _grid_cells(candidates, points, best)):
        if group is not None:
            points[group] = np.nextafter(points.max(), np.inf)
    return points


def _siblings(candidates: Candidates, points: Floats, best: int) -> int | None:
    """Return the group of siblings that is nearly the same as a group of elements on one path, and nearly as likely.

    On one path there may be more, such as the parts of the question before its answers.
    """
    if candidates.kind[best] not in PATH_KINDS:
        return None
    begin = candidates.spans(best)[0]
    near = np.flatnonzero((points > points[best] - MAX_BEHIND_PATH) & ~np.isin(candidates.kind, PATH_KINDS))
    for group in near[np.argsort(-points[near], kind="stable")].tolist():
        own = candidates.spans(group)[0]
        if SAME_RECORDS * len(begin) <= len(own) <= len(begin) and np.isin(own, begin).all():
            return int(group)
    return None


def _grid_cells(candidates: Candidates, points: Floats, rows: int) -> int | None:
    """Return the group of the cells of a grid whose rows are the records of a group; None if that is no grid.

    The cells of a grid are alike and have several texts each; there are equally many in all rows but the last, they
    hold all of the rows' text, and no column has much more of it than another.
    """
    begin, end = candidates.spans(rows)
    near = np.flatnonzero((candidates.likeness >= LIKENESS) & (points > points[rows] - MAX_BEHIND_ROWS))
    near = near[candidates.values[near, _TEXTS_COLUMN] >= _MIN_TEXTS]
    after = np.append(candidates.first, len(candidates.begin))[near + 1]
    first = candidates.first[near]
    likely = (after - first >= 2 * len(begin) - 1) & (after - first > 2)
    likely &= (candidates.begin[first] >= begin[0]) & (candidates.end[after - 1] <= end[-1])
    grids = [group for group in near[likely].tolist() if _is_grid(candidates, rows, group)]
    return max(grids, key=lambda group: float(points[group]), default=None)


def _is_grid(candidates: Candidates, rows: int, cells: int) -> bool:
    """Whether the records of a group are the cells of a grid, and those of another its rows."""
    (row_begin, row_end), (begin, end) = candidates.spans(rows), candidates.spans(cells)
    row = np.searchsorted(row_begin, begin, side="right") - 1
    in_row = np.bincount(row, minlength=len(row_begin))
    columns = int(in_row[0])
    if columns < 2 or (in_row[:-1] != columns).any() or in_row[-1] > columns or (end > row_end[row]).any():
        return False
    before = candidates.chars_before
    chars, of_rows = before[end] - before[begin], (before[row_end] - before[row_begin]).sum()
    wide = chars[: len(chars) // columns * columns].reshape(-1, columns).sum(axis=0)
    return bool(chars.sum() >= COVER * of_rows and wide.max() <= MAX_WIDTH_RATIO * wide.min())


# Cutting the region of a group into its records
#
# Not all runs of a group are records: some lack most of what the others have, and many lists begin with the head of a
# table or end with links to more pages. The group may also miss records: the first may stand before the element that
# holds the others, some are wrapped together, and an answer stands inside the record that it answers.

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


# Regions

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
    min_score: float = -1.0  # of a list: its expected F1 is then .27


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
