"""Everything on a page that recurs, and how much it looks like the page's records: features and their weighted sum.

The weights were fitted on estuka_half (search, product and news lists of large sites) so that of all groups of a page
the one with the best F1 has the highest score. Each page was used as it is, without its classes and ids, and without
the elements around its records, so that no weight depends on what plainer pages lack.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.kernel.constants import HEADED, PARTED
from pagesieve.page.kernel.tags import IMAGE, TAGS, tag_ids
from pagesieve.page.table import SEEN, Ints, Page

Floats = NDArray[np.float64]

GOOD, BAD = 1, 2  # the bits of Candidates.hints

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


_HINTS = _digests(GOOD_WORDS, GOOD) | _digests(BAD_WORDS, BAD)


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
    hints: NDArray[np.uint8]  # of each row of the page: what its class and id say
    text_digest: NDArray[np.uint32]  # of each text row
    chars: Ints  # of each text row: its characters, if it is text of the page
    chars_before: Ints  # and those of all rows before each row, and before the end
    sketch: NDArray[np.uint64]  # of each row the tag paths below it, as the kernel keeps them

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


def find_candidates(page: Page) -> Candidates:
    """Find all groups of two or more alike runs of rows."""
    columns = kernel.recurring.find(page, _HINTS)
    return Candidates(page, **{name: np.asarray(column) for name, column in columns.items()})


# Scores

LONG_TEXT = 40  # characters of a text outside of links that is more than a label
ENOUGH_RECORDS = 30  # more of them tell no more
LEAST_SHARE = 0.02  # of the page's text: with less, a group is small however small it is
MOST_HINTS = 3
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # makes digests of texts so large that sums of them identify sets of texts

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

_HEADING, _CONTROL, _ASIDE, _INLINE = 1, 2, 4, 8


def _roles() -> NDArray[np.uint8]:
    """Return the roles that elements have in a record, by tag number; none for unknown names."""
    roles = np.zeros(len(TAGS) + 1, dtype=np.uint8)
    for bit, names in (
        (_HEADING, "h1 h2 h3 h4 h5 h6"),
        (_CONTROL, "input select option button textarea label"),
        (_ASIDE, "nav footer aside header"),
        (_INLINE, "a span b strong em i font p br"),
    ):
        roles[list(tag_ids(names))] |= bit
    return roles


_ROLES = _roles()


def scores(candidates: Candidates) -> Floats:
    """Return the score of each group: the higher, the more it looks like the records of its page."""
    return weighed(features(candidates), WEIGHTS)


def weighed(found: dict[str, NDArray[Any]], weights: dict[str, float]) -> Floats:
    """Return the sum of some features, each by its weight."""
    points: Floats = np.sum([weight * found[name] for name, weight in weights.items()], axis=0)
    return points


def features(candidates: Candidates) -> dict[str, NDArray[Any]]:
    """Return the features of the groups, by the names that `WEIGHTS` has."""
    page, region, first, count = candidates.page, candidates.region, candidates.first, candidates.sizes
    begin, end = candidates.begin, candidates.end
    role = _ROLES[np.minimum(page.tag, len(TAGS))]
    bad = (candidates.hints & BAD > 0) | (role & _ASIDE > 0)
    good = candidates.hints & GOOD > 0
    held, head_links = _held(candidates, role)
    text, free, links, images, texts, controls = _means(held[[0, 1, 2, 3, 4, 7]], first, count)
    has_link, has_image, has_long, has_heading = _means(held[[2, 3, 5, 6]] > 0, first, count)
    spread_text, spread_texts = _spreads(np.log1p(held[[0, 4]]), first, count)
    start, stop = begin[first], end[first + count - 1]
    heads = np.stack([end - begin, bad[begin], good[begin], head_links > 0])
    rows, is_bad, is_good, head_link = _means(heads, first, count)
    before = candidates.chars_before
    share = count * text / max(int(before[-1]), 1)
    return {
        "records": np.log(np.minimum(count, ENOUGH_RECORDS)),
        "free_text": np.log1p(free),
        "text": np.log1p(text),
        "share": share,
        "uneven_text": spread_text,
        "alike": candidates.likeness / 100,
        "same_class": candidates.named / 100,
        "distinct": _distinct(candidates, count),
        "with_link": has_link,
        "links": np.log1p(links),
        "images": np.log1p(images),
        "with_image": has_image,
        "with_heading": has_heading,
        "cover": count * text / np.maximum(before[page.end[region]] - before[region], 1),
        "depth": np.log1p(page.depth[region]),
        "bad_above": np.minimum(_above(page, bad)[region], MOST_HINTS),
        "bad": is_bad,
        "good_above": np.minimum(_above(page, good)[region], MOST_HINTS),
        "good": is_good,
        "controls": np.log1p(controls),
        "close": rows * count / (stop - start),
        "texts": np.log1p(texts),
        "uneven_texts": spread_texts,
        "lead": np.log1p(candidates.lead),
        "headed": candidates.kind == HEADED,
        "parted": candidates.kind == PARTED,
        "with_long_text": has_long,
        "head_with_link": head_link,
        "inline": role[start] & _INLINE > 0,
        "log_share": np.log(np.maximum(share, LEAST_SHARE)),
    }


def _held(candidates: Candidates, role: NDArray[np.uint8]) -> tuple[Ints, Ints]:
    """Return what each record holds, and the links in its first subtree.

    Counted are characters, those outside links, links, images, texts, long texts, headings and form controls.
    """
    page, chars = candidates.page, candidates.chars
    free = chars * (1 - page.linked)
    inside = np.concatenate([[0], page.linked[page.parent[1:]]])
    own = (
        chars,
        free,
        (page.linked > inside) & (page.visibility == SEEN),
        (page.tag_flags & IMAGE > 0) & (page.visibility == SEEN),
        chars > 0,
        free >= LONG_TEXT,
        role & _HEADING > 0,
        role & _CONTROL > 0,
    )
    sums = np.zeros((len(own), len(page) + 1), dtype=np.int32)
    for k, column in enumerate(own):
        np.cumsum(column, out=sums[k, 1:])
    before = sums[:, candidates.begin]
    return sums[:, candidates.end] - before, sums[2, page.end[candidates.begin]] - before[2]


def _means(of_records: NDArray[Any], first: Ints, count: Ints) -> Floats:
    """Return the means over the records of each group, of each line of values."""
    means: Floats = np.add.reduceat(of_records, first, axis=1, dtype=np.float64) / count
    return means


def _spreads(of_records: NDArray[Any], first: Ints, count: Ints) -> Floats:
    """Return the standard deviations over the records of each group, of each line of values."""
    means = _means(of_records, first, count)
    spreads: Floats = np.sqrt(np.maximum(_means(of_records * of_records, first, count) - means * means, 0))
    return spreads


def _above(page: Page, marked: NDArray[np.bool_]) -> Ints:
    """Return how many marked rows are at or above each row."""
    rows = np.flatnonzero(marked)
    steps = np.bincount(rows, minlength=len(page) + 1) - np.bincount(page.end[rows], minlength=len(page) + 1)
    return np.cumsum(steps[:-1]).astype(np.int32)


def _distinct(candidates: Candidates, count: Ints) -> Floats:
    """Return the share of the records of each group that differ in their text."""
    sums = np.zeros(len(candidates.page) + 1, dtype=np.uint64)
    np.cumsum(candidates.text_digest * SPREAD, out=sums[1:])
    digest = sums[candidates.end] - sums[candidates.begin]
    digest = digest[np.lexsort((digest, np.repeat(np.arange(len(count)), count)))]
    new = np.ones((1, len(digest)), dtype=bool)
    new[0, 1:] = digest[1:] != digest[:-1]
    new[0, candidates.first] = True
    share: Floats = _means(new, candidates.first, count)[0]
    return share
