"""Candidates for the records of a page: the groups that recur on it, and how likely each is the page's own list.

A forest of small trees judges each group by its features (`kernel/records/group_features`). It was trained to tell the
F1 of the records that the group is cut into (`research/fit_records.py`), on labelled lists, boards, threads and shops,
and on pages without a list.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.forest import Forest
from pagesieve.page.kernel.constants import SAME_PATH, SAME_TAGS
from pagesieve.page.kernel.records.group_table import (
    BAD_HINT,
    GOOD_HINT,
    GROUP_COLUMNS,
    GROUP_NAMES,
    MAIN_HINT,
    PAGER_HINT,
    PANEL_HINT,
)
from pagesieve.page.table import Ints, Page

Floats = NDArray[np.float64]

SHIPPED = "models/lists.model"

PATH_KINDS = (SAME_PATH, SAME_TAGS)
MIN_RECORDS, MIN_PAIR_SCORE, PAIR_PENALTY = 3, 0.0, 9.0
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
    values = np.frombuffer(kernel.records.group_features.measure(page, groups)).reshape(-1, GROUP_COLUMNS)
    columns = {name: np.asarray(groups[name]) for name in _COLUMNS}
    return Candidates(page, values=values, **columns)


_COLUMNS = [each.name for each in fields(Candidates) if each.name not in ("page", "values")]

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
    """
    points = scores(candidates)
    points[(candidates.sizes < MIN_RECORDS) & (points < MIN_PAIR_SCORE)] -= PAIR_PENALTY
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
