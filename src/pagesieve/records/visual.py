"""Records of a page in a browser: the visual blocks that a reader sees, and the look of the candidates.

A row of a rendered page is not a block if it is small (R1), has no text (R3), is not visible (R4) or is out of the flow
of the document (R5). An only child is one unit with its parent (R2). What is fine-grained, a link or a few words,
belongs to the block around it.

The look of a group adds to the score of its tree (`records/regions.py`), so that both rank by one sum. The weights
are those of a softmax over the groups of each page of estuka_half, fitted to the groups that segment it best, on top of
tree scores whose weights were fitted without the page's site. The number of records, the visible share of their text,
area, spacing, evenness of sizes and colours add nothing on sites that were left out of the fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagesieve.page.kernel.tags import IMAGE, TAG_ID, TEXT, tag_ids
from pagesieve.page.lines import nearest as nearest_marked
from pagesieve.page.rendered import RenderedPage
from pagesieve.page.table import SEEN, Bools, Ints
from pagesieve.records.regions import Candidates, Floats, Regions, find_candidates, list_points
from pagesieve.records.results import Segmentation
from pagesieve.text.vocabulary import PAGER, pattern_of

Boxes = NDArray[np.float64]  # n x 4: left, top, right, bottom

OPAQUE = 0.99  # the opacity from which on an element hides what is below it
OUTWARDS = np.array([1.0, 1.0, -1.0, -1.0])  # the directions in which the corners of a box stick out
ROUNDING = 1.0  # pixels of tolerance: browsers round
ALIGNED = 2.0  # pixels by which aligned edges may differ
MAX_BEHIND = 3.0  # points by which the tree of a group may be worse than the best
MIN_WIDTH = 0.02  # of the page's width: narrower records are not less likely
FAR = 1e9
MAX_PAGER = 300  # characters of a list of pages
MIN_VISIBLE = 0.5  # of the records of a list

# The weight of each feature in the score of a group.
WEIGHTS: dict[str, float] = {
    "off_centre": -2.2,
    "aside": -3.1,
    "log_width": 0.57,
    "with_font_sizes": 2.0,
    "with_font_weights": 1.0,
    "lined_up": 1.5,
}

# Texts of links that lead through a list, if nothing else is in their element.
NOISE_WORD = re.compile(
    rf"[\s«»‹›<>←→|·.…\[\]()（）]*(?:{pattern_of(PAGER)})[\s«»‹›<>←→|·.…\[\]()（）:：]*|[«»‹›<>←→]+", re.IGNORECASE
)
PAGE_NUMBER = re.compile(r"\s*[\[(（]?\d{1,5}[\])）]?\s*")

_TEXT_AREA = TAG_ID["textarea"]
_ROOTS = tag_ids("html body")  # their overflow is that of the window, which scrolls


@dataclass(frozen=True, slots=True)
class BlockOptions:
    """Which rows are fine-grained."""

    short_text: int = 10  # characters: a block with no more is merged into the one around it
    merge_inline: bool = True  # whether an inline element without blocks inside is merged too


@dataclass(frozen=True, eq=False)
class VisualBlocks:
    """The visual block tree, in document order. Block 0 is the root."""

    page: RenderedPage = field(repr=False)
    row: Ints  # the outermost row of each block's unit
    inner: Ints  # the innermost row of the unit, with more than one child
    parent: Ints  # the block around it, -1 for the root
    box: Boxes
    chars: Ints  # visible characters
    visible: Bools = field(repr=False)  # the visible rows of the page

    def __len__(self) -> int:
        return len(self.row)

    def children(self, block: int) -> Ints:
        """Return the blocks directly inside one, in document order."""
        return np.flatnonzero(self.parent == block).astype(np.int32)


def build(page: RenderedPage, options: BlockOptions = BlockOptions()) -> VisualBlocks:
    """Build the visual block tree of a page; of a page that shows nothing, only the root."""
    visible, units = is_visible(page), _units(page)
    chars = page.below(np.where(visible, page.chars, 0))
    blocks = _blocks(page, units, visible, chars, options)
    rows = np.flatnonzero(blocks).astype(np.int32)
    nearest = nearest_marked(page, blocks)
    number = np.zeros(len(page), dtype=np.int32)
    number[rows] = np.arange(len(rows))
    parent = number[nearest[page.parent[rows]]]
    parent[0] = -1
    return VisualBlocks(page, rows, units.inner[rows], parent, corners(units.box[rows]), chars[rows], visible)


@dataclass(frozen=True, slots=True)
class _Units:
    """Only children as one with their parents (R2)."""

    head: Ints  # for each row the outermost row of its unit
    inner: Ints  # for each outermost row the innermost one
    box: NDArray[np.float64]  # for each outermost row its position, and the largest width and height of its unit


def _units(page: RenderedPage) -> _Units:
    # Children are elements with a box, and texts that are not blank.
    shown: Bools = page.laid_out & ((page.tag != TEXT) | (page.chars > 0))
    child = page.parent[1:][shown[1:]]
    children = np.bincount(child, minlength=len(page))
    only = shown & (page.tag != TEXT)
    only[0] = False
    only[1:] &= children[page.parent[1:]] == 1
    only &= page.parent > 0  # the document itself is no element
    head = nearest_marked(page, ~only)
    inner = np.arange(len(page), dtype=np.int32)
    members = np.flatnonzero(only)
    np.maximum.at(inner, head[members], members.astype(np.int32))
    box = page.box.astype(np.float64)
    np.fmax.at(box[:, 2], head[members], box[members, 2])
    np.fmax.at(box[:, 3], head[members], box[members, 3])
    return _Units(head, inner, box)


def _blocks(page: RenderedPage, units: _Units, visible: Bools, chars: Ints, options: BlockOptions) -> Bools:
    """Mark the rows that are blocks by the rules and not fine-grained. The root always is one."""
    base = page.base_font_size
    element = page.laid_out & (page.tag != TEXT) & (units.head == np.arange(len(page)))
    large = (units.box[:, 2] > base) & (units.box[:, 3] > base)  # R1
    blocks: Bools = element & large & (chars > options.short_text) & (chars > 0)  # R3
    blocks &= visible & ~has_style(page, "position", lambda value: value in ("absolute", "fixed"))  # R4, R5
    if options.merge_inline:
        leaf = page.below(blocks.astype(np.int32)) == 1
        blocks &= ~(leaf & has_style(page, "display", lambda value: value == "inline"))
    blocks[0] = not len(page.rows("html"))  # then the document is the root
    blocks[page.rows("html")[:1]] = True
    return blocks


def has_style(page: RenderedPage, name: str, test: Callable[[str], bool]) -> Bools:
    """Mark the rows that are laid out and whose value of a style passes a test."""
    column = page.style_column(name)
    used = np.zeros(len(page.style_values) + 1, dtype=np.bool_)
    used[column] = True
    passed = np.zeros_like(used)
    for number in np.flatnonzero(used[:-1]).tolist():
        passed[number] = test(page.style_values[number])
    marked: Bools = passed[column]
    return marked


def is_visible(page: RenderedPage) -> Bools:
    """Mark the rows that are laid out, not hidden, transparent, off the page, clipped or fully covered.

    What an element scrolls to is visible if that element is.
    """
    box = corners(page.box.astype(np.float64))
    above = _Above(page, box)
    shown = page.laid_out & has_style(page, "visibility", lambda value: value == "visible") & (above.opacity > 0)
    width, height = page.size
    with np.errstate(invalid="ignore"):
        inside = (box[:, 2] > 0) & (box[:, 3] > 0) & (box[:, 0] < width) & (box[:, 1] < height)
        shown &= inside | (above.scroller > 0)
        shown &= (np.minimum(box[:, 2:], above.clip[:, 2:]) > np.maximum(box[:, :2], above.clip[:, :2])).all(axis=1)
    shown &= shown[above.scroller] | (above.scroller == 0)
    shown[0] = True
    shown &= ~_covered(page, box, above, shown)
    # The text of a text area is laid out in internal parts of the element, which pages cannot read.
    shown[1:] |= (page.tag[page.parent[1:]] == _TEXT_AREA) & shown[page.parent[1:]]
    return shown


class _Above:
    """The effects on each row of the elements around it, computed one level of the tree after the other."""

    def __init__(self, page: RenderedPage, box: Boxes) -> None:
        rows = len(page)
        self.opacity = np.nan_to_num(page.pixels("opacity"), nan=1.0)
        self.fixed = has_style(page, "position", lambda value: value == "fixed")
        self.clip: Boxes = np.empty((rows, 4))
        self.clip[:] = (-np.inf, -np.inf, np.inf, np.inf)
        absolute = has_style(page, "position", lambda value: value == "absolute")
        positioned = has_style(page, "position", lambda value: value != "static")
        clips = has_style(page, "overflow", lambda value: "hidden" in value or "clip" in value)
        scrolls = has_style(page, "overflow", lambda value: "scroll" in value or "auto" in value)
        clips &= ~np.isin(page.tag, list(_ROOTS))
        scrolls &= ~np.isin(page.tag, list(_ROOTS))
        self.scroller: Ints = np.zeros(rows, dtype=np.int32)  # the nearest element that scrolls a row, or 0
        inside, from_positioned = self.clip.copy(), self.clip.copy()  # for children; for absolute ones
        own = np.where(clips[:, None], box, self.clip)
        order = np.argsort(page.depth, kind="stable").astype(np.int32)
        for first, last in pairwise(np.cumsum(np.bincount(page.depth)).tolist()):
            level = order[first:last]
            above = page.parent[level]
            self.opacity[level] *= self.opacity[above]
            self.fixed[level] |= self.fixed[above]
            clip = np.where(absolute[level, None], from_positioned[above], inside[above])
            clip[self.fixed[level]] = (-np.inf, -np.inf, np.inf, np.inf)
            self.clip[level] = clip
            self.scroller[level] = np.where(scrolls[above], above, self.scroller[above])
            inside[level, :2] = np.fmax(clip[:, :2], own[level, :2])
            inside[level, 2:] = np.fmin(clip[:, 2:], own[level, 2:])
            inside[level[scrolls[level]]] = (-np.inf, -np.inf, np.inf, np.inf)
            from_positioned[level] = np.where(positioned[level, None], inside[level], from_positioned[above])


def _covered(page: RenderedPage, box: Boxes, above: _Above, shown: Bools) -> Bools:
    """Mark the rows that an opaque element outside them, painted later, covers wholly.

    An element with a fixed position covers nothing, because the page scrolls below it; nor does an image, which may be
    transparent or missing.
    """
    covered = np.zeros(len(page), dtype=np.bool_)
    opaque = has_style(page, "background-color", _is_opaque)
    opaque &= shown & ~above.fixed & (above.opacity >= OPAQUE) & (page.tag != TEXT)
    lowest = page.paint[shown].min(initial=0)
    covers = np.flatnonzero(opaque & (page.paint > lowest) & (page.paint > 0))
    if not len(covers):
        return covered
    # An element can only cover what it overlaps: of the rows, those that begin within its height.
    rows = np.flatnonzero(shown)
    rows = rows[np.argsort(box[rows, 1], kind="stable")]
    tops = box[rows, 1]
    first = np.searchsorted(tops, box[covers, 1] - ROUNDING, side="left").tolist()
    last = np.searchsorted(tops, box[covers, 3], side="right").tolist()
    for cover, start, stop in zip(covers.tolist(), first, last, strict=True):
        below = rows[start:stop]
        below = below[page.paint[below] < page.paint[cover]]
        if len(below):
            around = (below < cover) & (page.end[below] > cover)
            beyond = ((box[cover] - box[below]) * OUTWARDS).max(axis=1)
            covered[below[(beyond <= ROUNDING) & ~around]] = True
    return covered


def _is_opaque(colour: str) -> bool:
    return colour.startswith("rgb(") or (colour.startswith("#") and len(colour) in (4, 7))


def corners(box: NDArray[np.float64]) -> Boxes:
    """Return boxes with their right and bottom edges in place of their sizes."""
    return np.concatenate([box[:, :2], box[:, :2] + box[:, 2:]], axis=1)


# Regions by their look


def segment(page: RenderedPage, visible: Bools | None = None) -> list[Segmentation]:
    """Return the regions of a page with their records, the best first. Raise NothingFound for a page without any.

    `visible` marks the visible rows, if they are computed already.
    """
    candidates = find_candidates(page)
    by_tree = list_points(candidates)
    if visible is None:
        visible = is_visible(page)
    shows = page.below(np.where(visible & ((page.chars > 0) | ((page.tag_flags & IMAGE) > 0)), 1, 0)) > 0
    regions = Regions(candidates, scores(candidates, page, visible, by_tree))
    return [_without_noise(page, region, shows) for region in regions]


def _without_noise(page: RenderedPage, region: Segmentation, shows: Bools) -> Segmentation:
    """Return a region without invisible records and without the buttons at its ends."""
    seen = np.array([any(shows[row] for row in record) for record in region.records])
    if 2 * np.count_nonzero(seen) < len(seen):  # scripts would show them
        seen[:] = True
    records = [record for record, is_seen in zip(region.records, seen, strict=True) if is_seen]
    first, last = 0, len(records)
    while first < last and _is_of_buttons(page, records[first]):
        first += 1
    while first < last and _is_of_buttons(page, records[last - 1]):
        last -= 1
    records = records[first:last] or records  # all of them, if all have nothing but buttons
    if len(records) == len(region.records):
        return region
    dropped = [row for record in set(region.records) - set(records) for row in record]
    return replace(region, records=tuple(records), noise=tuple(sorted((*region.noise, *dropped))))


def _is_of_buttons(page: RenderedPage, record: tuple[int, ...]) -> bool:
    """Whether a record has no text, or at least half of its text is page numbers and noise words."""
    left = sum(int(page.text_chars[row]) for row in record)
    if left > MAX_PAGER:
        return False
    buttons = 0
    for row in record:
        for text in (np.flatnonzero(page.chars[row : page.end[row]]) + row).tolist():
            if PAGE_NUMBER.fullmatch(page.text(text)) or NOISE_WORD.fullmatch(page.text(text)):
                buttons += int(page.chars[text])
    return 2 * buttons >= left


def flaw(page: RenderedPage, region: Segmentation, visible: Bools) -> str | None:
    """Return why the boxes of a page and its list mislead, or None if they can be relied on.

    A page without its style sheets is one column of links and texts. Scripts may blank a page, above all if what they
    load is missing.
    """
    if page.missing_styles:
        return f"{page.missing_styles} style sheet{'s' * (page.missing_styles > 1)} could not be had"
    seen = page.below(np.where(visible, page.chars, 0)) > 0
    if sum(any(seen[row] for row in record) for record in region.records) < MIN_VISIBLE * len(region.records):
        return "most of the list is not to be seen"
    return None


def scores(candidates: Candidates, page: RenderedPage, visible: Bools, by_tree: Floats) -> Floats:
    """Return the points of each group: the given points of the tree, and what its look adds.

    The look does not raise a group whose tree is far behind above the others. It chooses the region; the tree chooses
    among the groups of a region, since means over records rise where a group joins two different records.
    """
    shown = _Shown(candidates, page, visible)
    look = measured(candidates, page, visible, shown)
    points = by_tree + sum((weight * look[name] for name, weight in WEIGHTS.items()), np.zeros(len(by_tree)))
    behind = by_tree < by_tree.max() - MAX_BEHIND
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
        "log_width": np.log(np.maximum(_mean(boxes[:, 2] - boxes[:, 0], candidates) / width, MIN_WIDTH)),
        "with_font_sizes": _mean(shown.differ(size), candidates),
        "with_font_weights": _mean(shown.differ(weight), candidates),
        "lined_up": _lined_up(boxes, candidates),
    }


class _Shown:
    """The visible texts and images, and the boxes of the records by them."""

    def __init__(self, candidates: Candidates, page: RenderedPage, visible: Bools) -> None:
        shown = (page.chars > 0) | (((page.tag_flags & IMAGE) > 0) & (page.visibility == SEEN))
        self.rows = np.flatnonzero(shown & page.laid_out & visible)
        self.span = np.searchsorted(self.rows, np.stack([candidates.begin, candidates.end], axis=1))
        self.empty: Bools = self.span[:, 0] == self.span[:, 1]
        box = page.box[self.rows].astype(np.float64)
        edges = (self.over(np.minimum, box[:, :2]), self.over(np.maximum, box[:, :2] + box[:, 2:]))
        self.boxes: Boxes = np.concatenate(edges, axis=1)

    def over(self, function: np.ufunc, of_rows: NDArray[Any]) -> NDArray[Any]:
        """Return the least or the largest value of a column over the visible rows of each record, or 0."""
        if not len(of_rows):
            return np.zeros((len(self.empty), *of_rows.shape[1:]))
        padded = np.concatenate([of_rows, of_rows[-1:]])  # so that a record may end with the last row
        of_records: NDArray[Any] = function.reduceat(padded, self.span.ravel(), axis=0)[::2]
        of_records[self.empty] = 0
        return of_records

    def differ(self, of_rows: NDArray[Any]) -> Bools:
        """Return the records in which a column has more than one value."""
        differ: Bools = self.over(np.maximum, of_rows) > self.over(np.minimum, of_rows)
        return differ


def _mean(of_records: NDArray[Any], candidates: Candidates) -> Floats:
    """Return the mean over the records of each group."""
    of_groups: Floats = np.add.reduceat(of_records, candidates.first, dtype=np.float64) / candidates.sizes
    return of_groups


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
    of_groups: Floats = np.add.reduceat(near, candidates.first, dtype=np.float64) / np.maximum(candidates.sizes - 1, 1)
    return of_groups


def centres(boxes: Boxes) -> Floats:
    """Return the centre of each box: equations (1) and (2) of the paper."""
    points: Floats = (boxes[:, :2] + boxes[:, 2:]) / 2
    return points


def offset_ratio(boxes: Boxes, size: tuple[float, float]) -> Floats:
    """Return B_o, equations (3) and (4): the distance of each centre from the page's, over half the page's diagonal."""
    away = centres(boxes) - np.array(size) / 2
    ratio: Floats = np.hypot(away[:, 0], away[:, 1]) / max(np.hypot(*size) / 2, 1.0)
    return ratio
