"""Everything on a page that recurs, and how much it looks like the page's records: features and their weighted sum.

The weights were fitted on estuka_half (search, product and news lists of large sites) so that of all groups of a page
the one with the best F1 has the highest score. Each page was used as it is, without its classes and ids, and without
the elements around its records, so that no weight depends on what plainer pages lack.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.kernel.group_table import BAD_HINT, GOOD_HINT, GROUP_COLUMNS, GROUP_NAMES
from pagesieve.page.table import Ints, Page

Floats = NDArray[np.float64]

# Words in the classes and ids of pages, whatever their language.
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
    return {kernel.recurring.word_digest(word): bit for word in words.split()}


_HINTS = _digests(GOOD_WORDS, GOOD_HINT) | _digests(BAD_WORDS, BAD_HINT)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The groups of a page that recur. The records of a group are in order, disjoint, and inside its region."""

    page: Page
    kind: Ints  # of each group: how it was found (kernel/constants)
    region: Ints  # the innermost row that holds its records
    first: Ints  # the number of its first record; those of the next group follow its last
    lead: Ints  # how many children of the region stand before the first record
    likeness: Ints  # how alike neighbouring records are, in hundredths: their tag paths,
    named: Ints  # and their classes
    begin: Ints  # of each record: its first row,
    end: Ints  # and the row after its last
    chars_before: Ints  # the characters of all rows before each row, and before the end
    values: Floats  # of each group its features, by the columns of kernel/group_table
    sketch: NDArray[np.uint64]  # of each row the tag paths below it, as the kernel keeps them
    classes: NDArray[np.uint32]  # of each row a digest of its first class, 0 where it has none

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def sizes(self) -> Ints:
        """How many records each group has."""
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
    found = kernel.recurring.find(page, _HINTS)
    values = np.frombuffer(kernel.group_features.measure(page, found)).reshape(-1, GROUP_COLUMNS)
    columns = {name: np.asarray(found[name]) for name in _COLUMNS}
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
    # All in the same order, so that what is the same has the same score.
    points: Floats = (candidates.values * _WEIGHTS).sum(axis=1)
    return points
