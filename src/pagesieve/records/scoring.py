"""How much each group of candidates looks like the records of its page: features, and a weighted sum of them.

The weights were fitted on estuka_half (search, product and news lists of large sites) so that of all groups of a page
the one with the best F1 gets the highest score. Each page was used as it is, without its classes and ids, and with the
elements around its records taken away, so that no weight leans on what plainer pages do not have.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import IMAGE, TAGS, tag_ids
from pagesieve.page.table import SEEN, Ints, Page
from pagesieve.records.candidates import BAD, GOOD, Candidates

__all__ = ["WEIGHTS", "features", "scores", "weighed"]

Floats = NDArray[np.float64]

LONG_TEXT = 40  # characters of a text outside of links that is more than a label
ENOUGH_RECORDS = 30  # more of them say no more
LEAST_SHARE = 0.02  # of the page's text: with less, a group is small however small it is
MOST_HINTS = 3
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # makes digests of texts so large that their sums tell sets of texts apart

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
    """What the elements of each number are to a record; those of unknown names are nothing."""
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
    """The score of each group: the higher, the more it looks like the records. Only groups of one page compare."""
    return weighed(features(candidates), WEIGHTS)


def weighed(found: dict[str, NDArray[Any]], weights: dict[str, float]) -> Floats:
    """The sum of some features, each by its weight."""
    points: Floats = np.sum([weight * found[name] for name, weight in weights.items()], axis=0)
    return points


def features(candidates: Candidates) -> dict[str, NDArray[Any]]:
    """The features of the groups, by the names that `WEIGHTS` has."""
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
        "headed": candidates.sort == kernel.recurring.HEADED,
        "parted": candidates.sort == kernel.recurring.PARTED,
        "with_long_text": has_long,
        "head_with_link": head_link,
        "inline": role[start] & _INLINE > 0,
        "log_share": np.log(np.maximum(share, LEAST_SHARE)),
    }


def _held(candidates: Candidates, role: NDArray[np.uint8]) -> tuple[Ints, Ints]:
    """What a record holds: characters, those outside of links, links, images, texts, long ones, headings, controls.

    And the links in its first subtree.
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
    """The means over the records of each group, of each line of values."""
    means: Floats = np.add.reduceat(of_records, first, axis=1, dtype=np.float64) / count
    return means


def _spreads(of_records: NDArray[Any], first: Ints, count: Ints) -> Floats:
    """The standard deviations over the records of each group, of each line of values."""
    means = _means(of_records, first, count)
    spreads: Floats = np.sqrt(np.maximum(_means(of_records * of_records, first, count) - means * means, 0))
    return spreads


def _above(page: Page, marked: NDArray[np.bool_]) -> Ints:
    """How many marked rows are at or above each row."""
    rows = np.flatnonzero(marked)
    steps = np.bincount(rows, minlength=len(page) + 1) - np.bincount(page.end[rows], minlength=len(page) + 1)
    return np.cumsum(steps[:-1]).astype(np.int32)


def _distinct(candidates: Candidates, count: Ints) -> Floats:
    """The share of the records of each group that differ in their text."""
    sums = np.zeros(len(candidates.page) + 1, dtype=np.uint64)
    np.cumsum(candidates.text_digest * SPREAD, out=sums[1:])
    digest = sums[candidates.end] - sums[candidates.begin]
    digest = digest[np.lexsort((digest, np.repeat(np.arange(len(count)), count)))]
    new = np.ones((1, len(digest)), dtype=bool)
    new[0, 1:] = digest[1:] != digest[:-1]
    new[0, candidates.first] = True
    share: Floats = _means(new, candidates.first, count)[0]
    return share
