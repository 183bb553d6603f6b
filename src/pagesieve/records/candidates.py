"""Candidates for the records of a page: the groups that recur on it, each scored by the weighted sum of its features.

The weights were fitted on estuka_half (search, product and news lists of large sites) so that of all groups of a page
the one with the best F1 has the highest score. Each page was used as it is, without its classes and ids, and without
the elements around its records, so that no weight depends on what plainer pages lack.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.kernel.records.group_table import BAD_HINT, GOOD_HINT, GROUP_COLUMNS, GROUP_NAMES
from pagesieve.page.table import Ints, Page

Floats = NDArray[np.float64]

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


def _digests(words: str, bit: int) -> dict[int, int]:
    return {kernel.records.groups.word_digest(word): bit for word in words.split()}


_HINTS = _digests(GOOD_WORDS, GOOD_HINT) | _digests(BAD_WORDS, BAD_HINT)


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

WEIGHTS: dict[str, float] = {
    "records": 1.49,
    "free_text": 0.17,
    "text": 0.42,
    "share": 0.67,
    "uneven_text": -0.46,
    "alike": 2.07,
    "same_class": 0.36,
    "distinct": 2.37,
    "with_link": 0.58,
    "links": -1.00,
    "images": -0.89,
    "with_image": 1.11,
    "with_heading": 0.69,
    "cover": 1.70,
    "depth": 1.03,
    "bad_above": -1.04,
    "bad": -0.38,
    "good_above": 0.10,
    "good": -0.04,
    "controls": -0.26,
    "close": 0.48,
    "texts": 0.46,
    "uneven_texts": -0.96,
    "lead": -0.31,
    "headed": -0.00,
    "parted": -0.16,
    "with_long_text": 1.25,
    "head_with_link": 0.88,
    "inline": -0.29,
    "log_share": 1.07,
}

_WEIGHTS = np.array([WEIGHTS[name] for name in GROUP_NAMES])


def scores(candidates: Candidates) -> Floats:
    """Return the score of each group: the higher, the more it looks like the records of its page."""
    # Always summed in the same order, so that equal groups have equal scores.
    points: Floats = (candidates.values * _WEIGHTS).sum(axis=1)
    return points


def region_points(candidates: Candidates) -> Floats:
    """Return the points by which regions are chosen: the scores, with the cells of a grid raised above its rows."""
    points = scores(candidates)
    best = int(points.argmax())
    cells = _grid_cells(candidates, points, best)
    if cells is not None:
        points[cells] = np.nextafter(points[best], np.inf)
    return points


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
