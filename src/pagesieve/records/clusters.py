"""Records of a rendered page: the visual mode as a whole, in two ways.

The paper's: of the region's child blocks, those at its ends that are noise go; the others are compared by their
composite attributes and clustered by density; the largest cluster holds the records. The default: what recurs on the
page, which may be records of several rows or cells of a grid, scored by its tree and by how it looks.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagesieve.errors import BadOption, NothingFound
from pagesieve.page import kernel
from pagesieve.page.kernel.tags import DOCTYPE, IMAGE
from pagesieve.page.rendered import RenderedPage
from pagesieve.page.table import Bools, Ints
from pagesieve.records.candidates import find
from pagesieve.records.looks import ALIGNED, scores
from pagesieve.records.region import RegionOptions, paper_region, spacing_ratio
from pagesieve.records.scoring import WEIGHTS, features, weighed
from pagesieve.records.segmentation import Segmentation
from pagesieve.records.static import refuse_lists_of_nothing, regions
from pagesieve.records.visual_blocks import BlockOptions, Boxes, VisualBlocks, build, is_visible

REGIONS = ("best", "paper")
LONGEST_WORD = 24  # characters of a noise word and what stands around it
LONGEST_PAGER = 300  # characters of a list of pages
PAGE_NUMBERS = 3  # numbers, each alone in its tag, make a list of pages

# What the paper's table 1 lists, in its three parts. Values of the first sort are countable: compared by size.
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

COUNTABLE = np.array([countable for part in PARTS for _, countable in part], dtype=np.uint8)
WEIGHT = np.array([1 / (len(PARTS) * len(part)) for part in PARTS for _ in part])

# Buttons that lead through a list: what they say when nothing else stands in their tag.
_NOISE_WORD = re.compile(
    r"[\s«»‹›<>←→|·.…\[\]()（）]*(?:"
    r"(?:go to )?(?:the )?(?:(?:next|prev|previous)(?: page| results?| \d+)?|(?:first|last) page)|older|newer|"
    r"(?:load|show|see) more|more results|back to top|"
    r"上一[页頁]|下一[页頁]|上[页頁]|下[页頁]|首[页頁]|尾[页頁]|末[页頁]|加载更多|查看更多|返回顶部|共\s*\d+\s*[页頁条條]|"
    r"前へ|次へ|前のページ|次のページ|이전|다음|"
    r"weiter|zurück|nächste(?: seite)?|vorherige(?: seite)?|mehr anzeigen|"
    r"suivante?|précédente?|page suivante|page précédente|"
    r"siguiente|anterior|próxim[ao]|seguinte|"
    r"successiv[ao]|precedente|avanti|indietro|volgende|vorige|nästa|föregående|næste|forrige|neste|seuraava|edellinen|"
    r"następna|poprzednia|další|předchozí|следующая|предыдущая|вперед|вперёд|назад|далее|наступна|попередня|"
    r"sonraki|önceki|επόμενη|προηγούμενη|التالي|السابق|הבא|הקודם|अगला|पिछला|ถัดไป|ก่อนหน้า|"
    r"tiếp|trước|berikutnya|selanjutnya|sebelumnya"
    r")[\s«»‹›<>←→|·.…\[\]()（）:：]*|[«»‹›<>←→]+",
    re.IGNORECASE,
)
_PAGE_NUMBER = re.compile(r"\s*[\[(（]?\d{1,5}[\])）]?\s*")


@dataclass(frozen=True, slots=True)
class VisualOptions:
    """How the region is chosen; the rest is the paper's, which prints neither radius nor least: they were measured."""

    region: str = "best"  # one of REGIONS
    blocks: BlockOptions = BlockOptions()
    thresholds: RegionOptions = RegionOptions()
    radius: float = 0.35  # r: the distance up to which blocks are neighbours
    least: int = 2  # MinPts: blocks within it, the block itself counted, that make a cluster

    def __post_init__(self) -> None:
        if self.region not in REGIONS:
            raise BadOption(f"no region {self.region!r}; there are: {', '.join(REGIONS)}")


def segment(page: RenderedPage, options: VisualOptions = VisualOptions()) -> list[Segmentation]:
    """The regions of a page and their records, the best first. A page without any raises NothingFound."""
    if options.region == "paper":
        return _by_paper(build(page, options.blocks), options)
    return _by_looks(page)


# By what recurs on the page, and how it looks


def _by_looks(page: RenderedPage) -> list[Segmentation]:
    candidates, visible = find(page), is_visible(page)
    if not len(candidates):
        raise NothingFound("nothing on the page recurs, so it holds no list of records")
    shows = page.below(np.where(visible & ((page.chars > 0) | ((page.tag_flags & IMAGE) > 0)), 1, 0)) > 0
    static = features(candidates)
    refuse_lists_of_nothing(weighed(static, WEIGHTS))  # by the tree, which tells it better than the looks
    found = regions(candidates, scores(candidates, page, visible, static))
    return [_without_noise(page, region, shows) for region in found]


def _without_noise(page: RenderedPage, found: Segmentation, shows: Bools) -> Segmentation:
    """A region without the records that nobody sees, and without those at its ends that are buttons."""
    seen = np.array([any(shows[row] for row in record) for record in found.records])
    if 2 * np.count_nonzero(seen) < len(seen):  # scripts were to show them
        seen[:] = True
    kept = _without_buttons(page, [record for record, is_seen in zip(found.records, seen, strict=True) if is_seen])
    if len(kept) == len(found.records):
        return found
    dropped = [row for record in set(found.records) - set(kept) for row in record]
    return replace(found, records=tuple(kept), noise=tuple(sorted((*found.noise, *dropped))))


def _without_buttons(page: RenderedPage, records: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Records without those at the ends that say nothing but page numbers and noise words; not all of them can be."""
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
            if _PAGE_NUMBER.fullmatch(said) or _NOISE_WORD.fullmatch(said):
                buttons += int(page.chars[text])
    return 2 * buttons >= left


# As the paper has it


def _by_paper(blocks: VisualBlocks, options: VisualOptions) -> list[Segmentation]:
    region = paper_region(blocks, options.thresholds)
    children = blocks.children(region)
    noise = local_noise(blocks, children)
    left = children[~noise]
    records = left[largest_cluster(blocks, left, options)] if len(left) else left
    records = records[_longest_run(blocks.box[records], blocks.box[region], options.thresholds.spacing)]
    if not len(records):
        raise NothingFound("no two blocks of the region are alike")
    dropped = np.setdiff1d(children, records)
    found = tuple((row,) for row in blocks.row[records].tolist())
    return [Segmentation(int(blocks.inner[region]), found, tuple(blocks.row[dropped].tolist()), 1.0)]


def _longest_run(boxes: Boxes, region: Boxes, most: float) -> Bools:
    """The most boxes that follow each other without a gap of more than T_d of the region's height."""
    kept = np.ones(len(boxes), dtype=np.bool_)
    if len(boxes) > 1:
        order = np.argsort(boxes[:, 1], kind="stable")
        runs = np.concatenate([[0], np.cumsum(spacing_ratio(boxes, region[3] - region[1]) > most)])
        kept[order] = runs == np.bincount(runs).argmax()
    return kept


def largest_cluster(blocks: VisualBlocks, chosen: Ints, options: VisualOptions) -> Bools:
    """Which of some blocks are in the largest cluster; of clusters of one size, in the first."""
    labels = np.frombuffer(
        kernel.clustering.dbscan(attributes(blocks, chosen), WEIGHT, COUNTABLE, options.radius, options.least),
        dtype=np.int32,
    )
    if labels.max(initial=-1) < 0:
        return np.zeros(len(chosen), dtype=np.bool_)
    found: Bools = labels == np.bincount(labels[labels >= 0]).argmax()
    return found


# How alike blocks are


@dataclass(frozen=True, slots=True)
class Similarity:
    """How alike two blocks are, and the three parts that it is the mean of."""

    content: float
    dom: float
    visual: float

    @property
    def total(self) -> float:
        """Equation (8)."""
        return (self.content + self.dom + self.visual) / 3


def similarity(blocks: VisualBlocks, a: int, b: int) -> Similarity:
    """Equations (8) to (12) for two blocks."""
    values = attributes(blocks, np.array([a, b], dtype=np.int32))
    parts, first = [], 0
    for part in PARTS:
        here = slice(first, first + len(part))
        weight = np.full(len(part), 1 / len(part))
        parts.append(1 - kernel.clustering.distances(values[:, here].copy(), weight, COUNTABLE[here].copy())[1])
        first += len(part)
    return Similarity(*parts)


def distances(blocks: VisualBlocks, chosen: Ints) -> NDArray[np.float64]:
    """Equation (13) for all pairs of some blocks."""
    found = kernel.clustering.distances(attributes(blocks, chosen), WEIGHT, COUNTABLE)
    return np.frombuffer(found, dtype=np.float64).reshape(len(chosen), len(chosen))


def attributes(blocks: VisualBlocks, chosen: Ints) -> NDArray[np.float64]:
    """The composite attributes of some blocks, a row each, in the order of ATTRIBUTES; what is no number as a code."""
    page, rows = blocks.page, blocks.row[chosen]
    values = np.empty((len(rows), len(ATTRIBUTES)))
    for k, (name, countable) in enumerate(attribute for part in PARTS for attribute in part):
        values[:, k] = _sizes(blocks, chosen, rows, name) if countable else _codes(page, rows, name)
    return values


def _sizes(blocks: VisualBlocks, chosen: Ints, rows: Ints, name: str) -> NDArray[np.float64]:
    """A countable attribute."""
    page = blocks.page
    found: NDArray[Any]
    box = blocks.box[chosen]
    around = page.box[np.maximum(page.parent[rows], 0)]
    match name:
        case "length":
            found = blocks.chars[chosen]
        case "links":
            found = page.links[rows]
        case "images":
            found = page.images[rows]
        case "multimedia":
            found = _counted(page.rows("audio", "video"), rows, page.end[rows])
        case "depth":
            found = page.depth[rows]
        case "children":
            found = _children(page)[rows]
        case "siblings":
            found = _children(page)[np.maximum(page.parent[rows], 0)] - 1
        case "font-size" | "font-weight":
            found = np.nan_to_num(page.pixels(name)[rows])
        case "width":
            found = box[:, 2] - box[:, 0]
        case "height":
            found = box[:, 3] - box[:, 1]
        case "relative left":
            found = np.nan_to_num(box[:, 0] - around[:, 0])
        case "relative top":
            found = np.nan_to_num(box[:, 1] - around[:, 1])
        case "absolute left":
            found = box[:, 0]
        case _:
            found = box[:, 1]
    return np.asarray(found, dtype=np.float64)


def _counted(marked: Ints, rows: Ints, ends: Ints) -> Ints:
    """How many of some rows lie below each of others."""
    return (np.searchsorted(marked, ends) - np.searchsorted(marked, rows)).astype(np.int32)


def _children(page: RenderedPage) -> Ints:
    """How many elements each row has directly below it."""
    elements = np.flatnonzero(page.tag > DOCTYPE)
    return np.bincount(np.maximum(page.parent[elements], 0), minlength=len(page)).astype(np.int32)


def _codes(page: RenderedPage, rows: Ints, name: str) -> NDArray[np.float64]:
    """An attribute that is the same or not, numbered from 0 without gaps."""
    found: NDArray[Any]
    match name:
        case "tag":
            found = page.tag[rows]
        case "text":
            found = _numbered([page.text_buffer[page.text_at[row] : page.text_at[page.end[row]]] for row in rows])
        case "path":
            found = _paths(page, rows)
        case "border":
            pair = [page.style_column(style)[rows].astype(np.int64) for style in ("border-width", "border-style")]
            found = pair[0] * (len(page.style_values) + 1) + pair[1]
        case _:
            found = page.style_column(name)[rows]
    numbers: NDArray[np.float64] = np.unique(found, return_inverse=True)[1].astype(np.float64)
    return numbers


def _numbered(things: Iterable[Hashable]) -> Ints:
    """Things as numbers: equal ones have the same."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(thing, len(numbers)) for thing in things], dtype=np.int32)


def _paths(page: RenderedPage, rows: Ints) -> Ints:
    """The elements from the root down to each row, as numbers: rows with the same path have the same."""
    known: dict[tuple[int, int], int] = {}
    of_row: dict[int, int] = {-1: 0}

    def number(row: int) -> int:
        chain = []
        while row not in of_row:
            chain.append(row)
            row = int(page.parent[row])
        found = of_row[row]
        for step in reversed(chain):
            found = of_row[step] = known.setdefault((found, int(page.tag[step])), len(known) + 1)
        return found

    return np.array([number(row) for row in rows.tolist()], dtype=np.int32)


# Local noise


def local_noise(blocks: VisualBlocks, chosen: Ints) -> Bools:
    """Which of a region's blocks, from both of its ends inwards to the first that is none, are noise."""
    odd = ~aligned(blocks.box[chosen]) | has_noise_words(blocks, chosen)
    noise = np.zeros(len(chosen), dtype=np.bool_)
    kept = np.flatnonzero(~odd)
    if len(kept):
        noise[: kept[0]] = noise[kept[-1] + 1 :] = True
    return noise


def aligned(boxes: Boxes) -> Bools:
    """Which boxes have both their left and their right edge in common with another."""
    shared = np.ones(len(boxes), dtype=np.bool_)
    if len(boxes) > 2:
        for edge in (boxes[:, 0], boxes[:, 2]):
            order = np.argsort(edge, kind="stable")
            near = np.diff(edge[order]) <= ALIGNED
            shared[order] &= np.concatenate([[False], near]) | np.concatenate([near, [False]])
    return shared


def has_noise_words(blocks: VisualBlocks, chosen: Ints) -> Bools:
    """Which blocks hold a button that leads through a list, or page numbers; where most do, it is no noise."""
    found = np.array([_is_pager(blocks.page, row) for row in blocks.row[chosen].tolist()], dtype=np.bool_)
    return found if 2 * np.count_nonzero(found) < len(found) else np.zeros_like(found)


def _is_pager(page: RenderedPage, row: int) -> bool:
    """Whether a noise word, or several page numbers, stand alone in their tags at or below a row."""
    numbers = 0
    for text in np.flatnonzero(page.chars[row : page.end[row]]).tolist():
        if page.chars[row + text] > LONGEST_WORD or not is_alone(page, row + text):
            continue
        said = page.text(row + text)
        numbers += _PAGE_NUMBER.fullmatch(said) is not None
        if numbers >= PAGE_NUMBERS or _NOISE_WORD.fullmatch(said):
            return True
    return False


def is_alone(page: RenderedPage, text: int) -> bool:
    """Whether a text is all that its tag holds."""
    return bool(page.text_chars[page.parent[text]] == page.chars[text])
