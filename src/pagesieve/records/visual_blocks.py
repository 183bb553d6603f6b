"""Visual blocks: what a reader sees as a rectangle with text in it, and the tree that they form.

A row of a rendered page is no block if it is small (R1), has no text (R3), is not visible (R4) or is out of the flow of
the document (R5). An only child is one unit with its parent (R2). What is fine-grained, a link or a few words, belongs
to the block around it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pagesieve.page.kernel.tags import TAG_ID, TEXT, tag_ids
from pagesieve.page.lines import nearest as nearest_marked
from pagesieve.page.rendered import RenderedPage
from pagesieve.page.table import Bools, Ints

Boxes = NDArray[np.float64]  # n x 4: left, top, right, bottom

OPAQUE = 0.99  # the opacity from which on an element hides what is below it
OUTWARDS = np.array([1.0, 1.0, -1.0, -1.0])  # the directions in which the corners of a box stick out
ROUNDING = 1.0  # pixels of tolerance: browsers round

_TEXT_AREA = TAG_ID["textarea"]
_ROOTS = tag_ids("html body")  # their overflow is that of the window, which scrolls


@dataclass(frozen=True, slots=True)
class BlockOptions:
    """When a row is fine-grained."""

    short_text: int = 10  # characters: a block with no more merges into the one around it
    merge_inline: bool = True  # whether an inline element without blocks inside merges too


@dataclass(frozen=True, eq=False)
class VisualBlocks:
    """The visual block tree. Block 0 is the root; a block comes after its parent, in document order."""

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
    """Build the visual block tree of a page. For a page that shows nothing it is the root alone."""
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

    head: Ints  # of each row the outermost one of its unit
    inner: Ints  # of each outermost row the innermost one
    box: NDArray[np.float64]  # of each outermost row: its place, and the largest width and height of its unit


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
    """Mark the rows that are blocks: what the rules leave, without what is fine-grained. The root always is one."""
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
    """Mark the rows whose value of a style passes a test; those without layout never do."""
    column = page.style_column(name)
    used = np.zeros(len(page.style_values) + 1, dtype=np.bool_)
    used[column] = True
    passed = np.zeros_like(used)
    for number in np.flatnonzero(used[:-1]).tolist():
        passed[number] = test(page.style_values[number])
    found: Bools = passed[column]
    return found


def is_visible(page: RenderedPage) -> Bools:
    """Mark the rows that are laid out, not hidden, transparent, off the page, clipped or fully covered.

    What an element scrolls to can be seen if that element can.
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
    # The text of a text area is laid out in the browser's own parts of the element, which no page sees.
    shown[1:] |= (page.tag[page.parent[1:]] == _TEXT_AREA) & shown[page.parent[1:]]
    return shown


class _Above:
    """What the elements around a row do to it, found from the top, a level of the tree at a time."""

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
        self.scroller: Ints = np.zeros(rows, dtype=np.int32)  # the nearest element that scrolls a row; 0 for none
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
    """Mark the rows that are wholly below an opaque element that is painted later and is not inside them.

    What has a fixed position covers nothing, because the page scrolls below it; nor does an image, which may be
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
    """Return boxes by their corners instead of their sizes."""
    return np.concatenate([box[:, :2], box[:, :2] + box[:, 2:]], axis=1)
