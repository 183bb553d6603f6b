"""The method of the paper to find the records of a rendered page: region focus, local noise, clusters of blocks.

The region is the smallest block that holds all records, by its position, its size and its share of the text. Noise at
both ends of the region is dropped; the other blocks directly inside it are compared by their composite attributes and
clustered by density (DBSCAN). The largest cluster holds the records.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagesieve.errors import NothingFound
from pagesieve.page.kernel.tags import DOCTYPE
from pagesieve.page.rendered import RenderedPage
from pagesieve.page.table import Bools, Ints
from pagesieve.records.regions import Floats
from pagesieve.records.results import Segmentation
from pagesieve.records.visual import (
    ALIGNED,
    NOISE_WORD,
    PAGE_NUMBER,
    BlockOptions,
    Boxes,
    VisualBlocks,
    build,
    offset_ratio,
)

MAX_WORD = 24  # characters of a noise word, with the signs around it
PAGE_NUMBERS = 3  # numbers, each alone in its element, make a list of pages
NEIGHBOURS = 32  # blocks before and after a block that are compared with it first

# The attributes of the paper's table 1, in its three parts; those marked True are countable, and compared by size.
CONTENT = (("length", True), ("links", True), ("images", True), ("multimedia", True), ("tag", False), ("text", False))
DOM = (("depth", True), ("children", True), ("siblings", True), ("path", False))
VISUAL_SIZES = (
    *("font-size", "font-weight", "width", "height"),
    *("relative left", "relative top", "absolute left", "absolute top"),
)
VISUAL_STYLES = (
    *("color", "font-style", "font-family", "padding", "border", "margin", "box-sizing"),
    *("display", "position", "float", "overflow", "vertical-align", "text-align"),
    *("background-color", "background-image", "background-position", "background-repeat", "background-size"),
)
VISUAL = (*((name, True) for name in VISUAL_SIZES), *((name, False) for name in VISUAL_STYLES))
PARTS = (CONTENT, DOM, VISUAL)
ATTRIBUTES = tuple(name for part in PARTS for name, _ in part)

COUNTABLE = np.array([countable for part in PARTS for _, countable in part], dtype=np.bool_)
WEIGHT = np.array([1 / (len(PARTS) * len(part)) for part in PARTS for _ in part])


@dataclass(frozen=True, slots=True)
class PaperOptions:
    """The thresholds of the paper; the radius and the least size of clusters, which it omits, were measured."""

    blocks: BlockOptions = BlockOptions()
    offset: float = 0.2  # T_o: the centre of a candidate for the region is nearer to the page's
    area: float = 0.4  # T_a: a candidate covers more of the page
    content: float = 0.4  # T_c: a candidate holds more of the page's text
    spacing: float = 0.2  # T_d, the spacing ratio: records of one region are closer to each other
    radius: float = 0.35  # r: the distance up to which blocks are neighbours
    least: int = 2  # MinPts: blocks within the radius, the block itself included, that make a cluster


def segment(page: RenderedPage, options: PaperOptions = PaperOptions()) -> list[Segmentation]:
    """Return the region of a page with its records. Raise NothingFound for a page without any."""
    blocks = build(page, options.blocks)
    region = paper_region(blocks, options)
    children = blocks.children(region)
    records = children[~local_noise(blocks, children)]
    if len(records):
        records = records[largest_cluster(blocks, records, options)]
    records = records[_longest_run(blocks.box[records], blocks.box[region], options.spacing)]
    if not len(records):
        raise NothingFound("no two blocks of the region are alike")
    roots = tuple((row,) for row in blocks.row[records].tolist())
    noise = tuple(blocks.row[np.setdiff1d(children, records)].tolist())
    return [Segmentation(int(blocks.inner[region]), roots, noise, 1.0)]


def _longest_run(boxes: Boxes, region: Boxes, most: float) -> Bools:
    """Mark the longest run of boxes without a gap of more than T_d of the region's height."""
    marked = np.ones(len(boxes), dtype=np.bool_)
    if len(boxes) > 1:
        order = np.argsort(boxes[:, 1], kind="stable")
        runs = np.concatenate([[0], np.cumsum(spacing_ratio(boxes, region[3] - region[1]) > most)])
        marked[order] = runs == np.bincount(runs).argmax()
    return marked


def largest_cluster(blocks: VisualBlocks, chosen: Ints, options: PaperOptions = PaperOptions()) -> Bools:
    """Mark the blocks in the largest cluster; the first of several clusters of that size."""
    labels = dbscan(attributes(blocks, chosen), WEIGHT, COUNTABLE, options.radius, options.least)
    if labels.max(initial=-1) < 0:
        return np.zeros(len(chosen), dtype=np.bool_)
    result: Bools = labels == np.bincount(labels[labels >= 0]).argmax()
    return result


def area_ratio(boxes: Boxes, size: tuple[float, float]) -> Floats:
    """Return B_a, equations (5) and (6): the area of each box over the page's."""
    return areas(boxes) / max(size[0] * size[1], 1.0)


def areas(boxes: Boxes) -> Floats:
    """Return the area of each box: equation (5)."""
    result: Floats = np.prod(np.maximum(boxes[:, 2:] - boxes[:, :2], 0.0), axis=1)
    return result


def content_ratio(chars: Ints, page_chars: int) -> Floats:
    """Return B_c, equation (7): the length of each block's text over the page's."""
    return chars / max(page_chars, 1)


def spacing_ratio(boxes: Boxes, height: float) -> Floats:
    """Return the gap above each box but the first, in the order of their tops, over the height of the region."""
    boxes = boxes[np.argsort(boxes[:, 1], kind="stable")]
    reached = np.maximum.accumulate(boxes[:, 3])
    result: Floats = np.maximum(boxes[1:, 1] - reached[:-1], 0.0) / max(height, 1.0)
    return result


def candidates(blocks: VisualBlocks, options: PaperOptions = PaperOptions()) -> Ints:
    """Return the blocks that are near the centre, large, and rich in text."""
    size = blocks.page.size
    likely = offset_ratio(blocks.box, size) < options.offset
    likely &= area_ratio(blocks.box, size) > options.area
    likely &= content_ratio(blocks.chars, int(blocks.chars[0])) > options.content
    return np.flatnonzero(likely).astype(np.int32)


def paper_region(blocks: VisualBlocks, options: PaperOptions = PaperOptions()) -> int:
    """Return the innermost candidate; the largest of several innermost ones."""
    likely = candidates(blocks, options)
    if not len(likely):
        raise NothingFound("no block of the page is near its centre, large and rich in text")
    around = np.zeros(len(blocks), dtype=np.bool_)
    for block in likely.tolist():
        above = int(blocks.parent[block])
        while above >= 0 and not around[above]:
            around[above] = True
            above = int(blocks.parent[above])
    innermost = likely[~around[likely]]
    return int(innermost[areas(blocks.box[innermost]).argmax()])


def dbscan(values: Floats, weight: Floats, countable: Bools, radius: float, least: int) -> Ints:
    """Return the cluster of each block, numbered in the order of their first core blocks; -1 for noise.

    A core block has `least` blocks within the radius, itself included. A block that is none belongs to the first
    cluster that has a core block within the radius.
    """
    labels = np.full(len(values), -1, dtype=np.int32)

    def near(block: int, others: NDArray[np.intp] | slice) -> Bools:
        is_near: Bools = distance(values[block], values[others], weight, countable) <= radius
        return is_near

    def is_core(block: int) -> bool:
        around = slice(max(block - NEIGHBOURS, 0), block + NEIGHBOURS)
        return bool(near(block, around).sum() >= least or near(block, slice(None)).sum() >= least)

    for first in range(len(values)):
        if labels[first] >= 0 or not is_core(first):
            continue
        labels[first] = cluster = labels.max() + 1
        waiting = [first]
        while waiting:
            free = np.flatnonzero(labels < 0)
            block = waiting.pop()
            if len(free) and (reached := free[near(block, free)]).size and is_core(block):
                labels[reached] = cluster
                waiting += reached.tolist()
    return labels


def distance(block: Floats, others: Floats, weight: Floats, countable: Bools) -> Floats:
    """Return 1 minus equation (8) between a block and each of some others."""
    equal = others == block
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.where(others * block > 0, (others - block) ** 2 / (others**2 + block**2), 1.0)
    result: Floats = (np.where(equal, 0.0, np.where(countable, apart, 1.0)) * weight).sum(axis=1)
    return result


def attributes(blocks: VisualBlocks, chosen: Ints) -> Floats:
    """Return the composite attributes of some blocks, a row each, in the order of ATTRIBUTES.

    Attributes that are not numbers are codes: equal values have equal codes.
    """
    columns = _sizes(blocks, chosen) | _codes(blocks.page, blocks.row[chosen])
    return np.stack([columns[name] for name in ATTRIBUTES], axis=1).astype(np.float64)


def _sizes(blocks: VisualBlocks, chosen: Ints) -> dict[str, NDArray[Any]]:
    """Return the countable attributes by name."""
    page, rows, box = blocks.page, blocks.row[chosen], blocks.box[chosen]
    above = np.maximum(page.parent[rows], 0)
    elements = np.flatnonzero(page.tag > DOCTYPE)
    children = np.bincount(np.maximum(page.parent[elements], 0), minlength=len(page))
    media = page.rows("audio", "video")
    left, top = np.nan_to_num(box[:, :2] - page.box[above, :2]).T
    return {
        "length": blocks.chars[chosen],
        "links": page.links[rows],
        "images": page.images[rows],
        "multimedia": np.searchsorted(media, page.end[rows]) - np.searchsorted(media, rows),
        "depth": page.depth[rows],
        "children": children[rows],
        "siblings": children[above] - 1,
        "font-size": np.nan_to_num(page.pixels("font-size")[rows]),
        "font-weight": np.nan_to_num(page.pixels("font-weight")[rows]),
        "width": box[:, 2] - box[:, 0],
        "height": box[:, 3] - box[:, 1],
        "relative left": left,
        "relative top": top,
        "absolute left": box[:, 0],
        "absolute top": box[:, 1],
    }


def _codes(page: RenderedPage, rows: Ints) -> dict[str, NDArray[Any]]:
    """Return the attributes that are only equal or different by name, as codes."""
    styles = {name: page.style_column(name)[rows] for name in VISUAL_STYLES if name != "border"}
    width, style = (page.style_column(name)[rows].astype(np.int64) for name in ("border-width", "border-style"))
    return {
        "tag": page.tag[rows],
        "text": _numbered(page.text_buffer[page.text_at[row] : page.text_at[page.end[row]]] for row in rows),
        "path": _paths(page, rows),
        "border": width * (len(page.style_values) + 1) + style,
        **styles,
    }


def _numbered(things: Iterable[Hashable]) -> Ints:
    """Return a number for each thing, the same for equal ones."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(thing, len(numbers)) for thing in things], dtype=np.int32)


def _paths(page: RenderedPage, rows: Ints) -> Ints:
    """Return a number for the path from the root down to each row, the same for equal paths of element names."""
    known: dict[tuple[int, int], int] = {}
    of_row: dict[int, int] = {-1: 0}

    def number(row: int) -> int:
        chain = []
        while row not in of_row:
            chain.append(row)
            row = int(page.parent[row])
        path = of_row[row]
        for step in reversed(chain):
            path = of_row[step] = known.setdefault((path, int(page.tag[step])), len(known) + 1)
        return path

    return np.array([number(row) for row in rows.tolist()], dtype=np.int32)


def local_noise(blocks: VisualBlocks, chosen: Ints) -> Bools:
    """Mark the noise among a region's blocks, from both ends up to the first block that is not noise."""
    odd = ~aligned(blocks.box[chosen]) | has_noise_words(blocks, chosen)
    noise = np.zeros(len(chosen), dtype=np.bool_)
    rest = np.flatnonzero(~odd)
    if len(rest):
        noise[: rest[0]] = noise[rest[-1] + 1 :] = True
    return noise


def aligned(boxes: Boxes) -> Bools:
    """Mark the boxes that share both their left and their right edge with another."""
    shared = np.ones(len(boxes), dtype=np.bool_)
    if len(boxes) > 2:
        for edge in (boxes[:, 0], boxes[:, 2]):
            order = np.argsort(edge, kind="stable")
            near = np.diff(edge[order]) <= ALIGNED
            shared[order] &= np.concatenate([[False], near]) | np.concatenate([near, [False]])
    return shared


def has_noise_words(blocks: VisualBlocks, chosen: Ints) -> Bools:
    """Mark the blocks with a noise word or page numbers; none if most blocks have them."""
    pagers = np.array([_is_pager(blocks.page, row) for row in blocks.row[chosen].tolist()], dtype=np.bool_)
    return pagers if 2 * np.count_nonzero(pagers) < len(pagers) else np.zeros_like(pagers)


def _is_pager(page: RenderedPage, row: int) -> bool:
    """Whether a noise word or several page numbers are alone in their elements at or below a row."""
    numbers = 0
    for text in np.flatnonzero(page.chars[row : page.end[row]]).tolist():
        text += row
        if page.chars[text] > MAX_WORD or page.text_chars[page.parent[text]] != page.chars[text]:
            continue
        numbers += PAGE_NUMBER.fullmatch(page.text(text)) is not None
        if numbers >= PAGE_NUMBERS or NOISE_WORD.fullmatch(page.text(text)):
            return True
    return False
