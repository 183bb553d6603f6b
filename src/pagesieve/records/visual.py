"""Records of a rendered page: what recurs on it, scored by its tree and by how a browser shows it.

The look of a group adds to the score of its tree (`records/candidates.py`), so that both rank by one sum. The weights
are those of a softmax over the groups of each page of estuka_half, fitted to the groups that segment it best, on top of
tree scores whose weights had not seen the page's site. How many records there are, the share of the text that can be
seen, area, spacing, evenness of sizes and colours add nothing on sites that were left out of the fit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagesieve.errors import NothingFound
from pagesieve.page.kernel.tags import IMAGE
from pagesieve.page.rendered import RenderedPage
from pagesieve.page.table import SEEN, Bools
from pagesieve.records.candidates import Candidates, find_candidates
from pagesieve.records.paper import ALIGNED, NOISE_WORD, PAGE_NUMBER, Floats, offset_ratio
from pagesieve.records.results import Segmentation
from pagesieve.records.static import Regions, ranked, refuse_lists_of_nothing
from pagesieve.records.visual_blocks import Boxes, is_visible

MOST_BEHIND = 3.0  # points by which the tree of a group may be worse than the best
NARROW = 0.02  # of the page's width: narrower records are no less likely
FAR = 1e9
LONGEST_PAGER = 300  # characters of a list of pages

# What each feature adds to a group's score, by its name.
WEIGHTS: dict[str, float] = {
    "off_centre": -2.2,
    "aside": -3.1,
    "log_width": 0.57,
    "with_font_sizes": 2.0,
    "with_font_weights": 1.0,
    "lined_up": 1.5,
}


def segment(page: RenderedPage, visible: Bools | None = None) -> list[Segmentation]:
    """Return the regions of a page with their records, the best first. Raise NothingFound for a page without any.

    `visible` marks the rows that can be seen, where that is known.
    """
    candidates = find_candidates(page)
    if visible is None:
        visible = is_visible(page)
    if not len(candidates):
        raise NothingFound("nothing on the page recurs, so it holds no list of records")
    shows = page.below(np.where(visible & ((page.chars > 0) | ((page.tag_flags & IMAGE) > 0)), 1, 0)) > 0
    by_tree = ranked(candidates)
    refuse_lists_of_nothing(by_tree)
    found = Regions(candidates, scores(candidates, page, visible, by_tree))
    return [_without_noise(page, region, shows) for region in found]


def _without_noise(page: RenderedPage, found: Segmentation, shows: Bools) -> Segmentation:
    """Return a region without the records that are not visible, and without the buttons at its ends."""
    seen = np.array([any(shows[row] for row in record) for record in found.records])
    if 2 * np.count_nonzero(seen) < len(seen):  # scripts would show them
        seen[:] = True
    kept = _without_buttons(page, [record for record, is_seen in zip(found.records, seen, strict=True) if is_seen])
    if len(kept) == len(found.records):
        return found
    dropped = [row for record in set(found.records) - set(kept) for row in record]
    return replace(found, records=tuple(kept), noise=tuple(sorted((*found.noise, *dropped))))


def _without_buttons(page: RenderedPage, records: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Drop records at the ends that have nothing but page numbers and noise words, unless all of them do."""
    first, last = 0, len(records)
    while first < last and _is_of_buttons(page, records[first]):
        first += 1
    while first < last and _is_of_buttons(page, records[last - 1]):
        last -= 1
    return records[first:last] if first < last else records


def _is_of_buttons(page: RenderedPage, record: tuple[int, ...]) -> bool:
    """Whether at least half of a record's text, if it has any, is page numbers and noise words."""
    left = sum(int(page.text_chars[row]) for row in record)
    if left > LONGEST_PAGER:
        return False
    buttons = 0
    for row in record:
        for text in (np.flatnonzero(page.chars[row : page.end[row]]) + row).tolist():
            said = page.text(text)
            if PAGE_NUMBER.fullmatch(said) or NOISE_WORD.fullmatch(said):
                buttons += int(page.chars[text])
    return 2 * buttons >= left


def scores(candidates: Candidates, page: RenderedPage, visible: Bools, by_tree: Floats) -> Floats:
    """Return the points of each group: those of the tree, which are given, and what its look adds to them.

    The look lifts no group above the others whose tree is far behind. It chooses the region; how that is cut into
    records is for the tree to say, since what is a mean over records rises where two unlike ones are taken as one.
    """
    shown = _Shown(candidates, page, visible)
    look = measured(candidates, page, visible, shown)
    points = by_tree + sum((weight * look[name] for name, weight in WEIGHTS.items()), np.zeros(len(by_tree)))
    behind = by_tree < by_tree.max() - MOST_BEHIND
    points[behind] = np.minimum(points[behind], np.nextafter(points[~behind].max(), -np.inf))
    top = points.max()
    same = np.flatnonzero(candidates.region == candidates.region[points.argmax()])
    best = int(same[by_tree[same].argmax()])
    points[best] = np.nextafter(top, np.inf)
    return points


def measured(
    candidates: Candidates, page: RenderedPage, visible: Bools, shown: _Shown | None = None
) -> dict[str, Floats]:
    """Return what a browser adds to the features of the groups, by name."""
    shown = shown or _Shown(candidates, page, visible)
    boxes = shown.boxes
    around = _around(boxes, shown.empty, candidates)
    width = max(page.size[0], 1.0)
    size, weight = (np.nan_to_num(page.pixels(name)[shown.rows]) for name in ("font-size", "font-weight"))
    return {
        "off_centre": offset_ratio(around, page.size),
        "aside": np.abs(around[:, 0] + around[:, 2] - width) / 2 / width,
        "log_width": np.log(np.maximum(_mean(boxes[:, 2] - boxes[:, 0], candidates) / width, NARROW)),
        "with_font_sizes": _mean(shown.differ(size), candidates),
        "with_font_weights": _mean(shown.differ(weight), candidates),
        "lined_up": _lined_up(boxes, candidates),
    }


class _Shown:
    """The texts and images that can be seen, and where the records stand by them."""

    def __init__(self, candidates: Candidates, page: RenderedPage, visible: Bools) -> None:
        shown = (page.chars > 0) | (((page.tag_flags & IMAGE) > 0) & (page.visibility == SEEN))
        self.rows = np.flatnonzero(shown & page.laid_out & visible)
        self.span = np.searchsorted(self.rows, np.stack([candidates.begin, candidates.end], axis=1))
        self.empty: Bools = self.span[:, 0] == self.span[:, 1]
        box = page.box[self.rows].astype(np.float64)
        edges = (self.over(np.minimum, box[:, :2]), self.over(np.maximum, box[:, :2] + box[:, 2:]))
        self.boxes: Boxes = np.concatenate(edges, axis=1)

    def over(self, function: np.ufunc, of_rows: NDArray[Any]) -> NDArray[Any]:
        """Return the least or the largest of a column over what is seen of each record; 0 where nothing is."""
        if not len(of_rows):
            return np.zeros((len(self.empty), *of_rows.shape[1:]))
        padded = np.concatenate([of_rows, of_rows[-1:]])  # so that a record may end with the last row
        found: NDArray[Any] = function.reduceat(padded, self.span.ravel(), axis=0)[::2]
        found[self.empty] = 0
        return found

    def differ(self, of_rows: NDArray[Any]) -> Bools:
        """Return the records in which a column has more than one value."""
        found: Bools = self.over(np.maximum, of_rows) > self.over(np.minimum, of_rows)
        return found


def _mean(of_records: NDArray[Any], candidates: Candidates) -> Floats:
    """Return the mean over the records of each group."""
    found: Floats = np.add.reduceat(of_records, candidates.first, dtype=np.float64) / candidates.sizes
    return found


def _around(boxes: Boxes, empty: Bools, candidates: Candidates) -> Boxes:
    """Return the box around all records of each group."""
    low = np.minimum.reduceat(np.where(empty[:, None], FAR, boxes[:, :2]), candidates.first, axis=0)
    high = np.maximum.reduceat(boxes[:, 2:], candidates.first, axis=0)
    return np.concatenate([np.minimum(low, high), high], axis=1)


def _lined_up(boxes: Boxes, candidates: Candidates) -> Floats:
    """Return the share of neighbouring records with the same left edge, as in a list, or top, as in a grid."""
    away = np.abs(np.roll(boxes, -1, axis=0)[:, :2] - boxes[:, :2])
    near = np.minimum(away[:, 0], away[:, 1]) <= ALIGNED
    near[candidates.first - 1] = False  # the last of a group has no neighbour
    found: Floats = np.add.reduceat(near, candidates.first, dtype=np.float64) / np.maximum(candidates.sizes - 1, 1)
    return found
