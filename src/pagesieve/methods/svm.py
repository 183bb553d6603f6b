"""The methods "template" and "svm": a support vector machine classifies the blocks that the site's templates leave.

    margin(x) = sum over i of coefficients[i] * exp(-gamma * |x - vectors[i]|^2) + offset

The margin is above 0 for text. Features are centred and scaled first, and the vectors are stored that way. Training is
in `pagesieve.training.svm`; `pagesieve.sites.templates` learns the templates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagesieve import arrayfile
from pagesieve.arrayfile import Spec
from pagesieve.errors import BadModel, NothingFound
from pagesieve.methods.lineblocks import among_paragraphs, edges, in_richest_stretch
from pagesieve.page import kernel
from pagesieve.page.kernel.tags import BLOCK, IMAGE, TAG_ID, tag_ids
from pagesieve.page.lines import Blocks, marked, nearest, readable, split
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.selection import Reason, Selection
from pagesieve.sites.templates import Templates, leaves
from pagesieve.text.whitespace import cut
from pagesieve.threads.comments import comment_rows

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Rows = NDArray[np.intp]

# The sets of features by name. In `paper`, as in the paper, the blocks are body, section and div, without nested
# blocks, and the features are R1 to R5. In `all`, the blocks are rendered lines, which never mix a paragraph of the
# article with the line below it, and the features describe the line, the lines around it, and its elements.

PAPER_BLOCKS = "body section div"
CONTAINERS = 3  # levels of block elements around a line
NEIGHBOURS = (1, -1)  # the line before, the line after
WINDOWS = (4, 10)  # lines on either side

# The elements that may contain a line, as parent and as ancestor.
DIRECTLY_IN = {
    "paragraph": "p",
    "item": "li dd dt",
    "cell": "td th",
    "heading": "h1 h2 h3 h4 h5 h6",
    "division": "div section article main body",
}
INSIDE = {
    "nav": "nav menu",
    "header": "header",
    "footer": "footer",
    "aside": "aside",
    "form": "form",
    "main": "article main",
    "list": "ul ol dl",
    "table": "table",
}


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """The features of blocks: the text rows, the block of each row, and the features of each block."""

    rows: Rows
    block: Rows
    values: NDArray[np.float32]

    def spread(self, page: Page, column: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
        """Convert a column of blocks to a column of the page's rows, with NaN for rows in no block."""
        found = np.full(len(page), np.nan, dtype=column.dtype)
        found[self.rows] = column[self.block]
        return found


def measure(features: str, page: Page, rows: Bools) -> Measured:
    """Return the features of the blocks that the text rows form, as if the page had no other rows."""
    return _MEASURES[features](page, rows)


# The paper's features


def paper_ratios(text: Floats, link_text: Floats, links: Floats, images: Floats, page: Floats) -> Floats:
    """Return R1 to R5 of blocks, from four counts of each block and of the page."""
    return np.stack(
        [
            text / (page[0] + 1),
            link_text / (page[1] + 1),
            links / (page[2] + 1),
            images / (page[3] + 1),
            link_text / (text + 1),
        ],
        axis=1,
    )


def _by_the_paper(page: Page, rows: Bools) -> Measured:
    block = nearest(page, marked(page, PAPER_BLOCKS))
    texts = np.flatnonzero(rows)
    blocks, of_text = np.unique(block[texts], return_inverse=True)
    number = np.full(len(page), -1, dtype=np.intp)
    number[blocks] = np.arange(len(blocks))

    def summed(items: Rows, weights: Ints | None = None) -> Floats:
        of_item = number[block[items]]
        own = of_item >= 0
        sums = np.bincount(of_item[own], None if weights is None else weights[own], len(blocks))
        return sums.astype(np.float64)

    chars = page.chars[texts]
    links = np.flatnonzero((page.tag == TAG_ID["a"]) & (page.below(rows) > 0))
    images = np.flatnonzero((page.tag_flags & IMAGE) > 0)
    sums = (summed(texts, chars), summed(texts, chars * page.linked[texts]), summed(links), summed(images))
    totals = np.array([sums[0].sum(), sums[1].sum(), len(links), len(images)], dtype=np.float64)
    return Measured(texts, of_text, paper_ratios(*sums, totals).astype(np.float32))


# Lines and their surroundings


def _by_lines(page: Page, rows: Bools) -> Measured:
    lines = _Lines(page, rows)
    if not len(lines.first):
        return Measured(lines.rows, lines.line, np.zeros((0, len(FEATURE_SETS["all"])), dtype=np.float32))
    columns = [*lines.own(), *lines.place(), *lines.elements(), *lines.containers(), *lines.around()]
    return Measured(lines.rows, lines.line, np.stack(columns, axis=1).astype(np.float32))


class _Lines:
    """The rendered lines of text rows, and their columns."""

    def __init__(self, page: Page, rows: Bools) -> None:
        blocks = split(page)
        wanted = rows[blocks.rows]
        sizes = np.diff(np.append(blocks.starts, len(blocks.rows)))
        numbers = np.repeat(np.arange(len(blocks)), sizes)[wanted]
        self.page = page
        self.rows = blocks.rows[wanted]
        begins = np.append(True, numbers[1:] != numbers[:-1])[: len(numbers)]
        self.line = np.cumsum(begins) - 1
        self.first = self.rows[begins]  # the first text row of each line
        marks, digits, stops, *_ = kernel.page.punctuation.count(page, self.rows.astype(np.int32))
        self.chars = self._sum(page.chars[self.rows])
        self.linked = self._sum(page.chars[self.rows] * page.linked[self.rows])
        self.marks = self._sum(np.frombuffer(marks, dtype=np.int32))
        self.digits = self._sum(np.frombuffer(digits, dtype=np.int32))
        last = np.append(begins[1:], True)[: len(numbers)]
        self.stop = np.frombuffer(stops, dtype=np.uint8)[last].astype(np.float64)

    def _sum(self, column: Ints) -> Floats:
        return np.bincount(self.line, column, len(self.first)).astype(np.float64)

    def own(self) -> list[Floats]:
        """Return the features of the lines themselves."""
        chars = self.chars
        return [
            np.log1p(chars),
            self.linked / (chars + 1),
            self.marks / (chars + 1),
            np.log1p(self.marks),
            self.stop,
            self.digits / (chars + 1),
            chars / (chars.sum() + 1),
            chars / chars.max(),
        ]

    def place(self) -> list[Floats]:
        """Return the positions in lines, text, text outside of links, and from the headline and the longest line."""
        count = np.arange(len(self.first), dtype=np.float64)
        text = self.chars - self.linked
        headlines = np.searchsorted(self.first, np.flatnonzero(self.page.tag == TAG_ID["h1"]))
        return [
            count / len(count),
            (np.cumsum(self.chars) - self.chars) / (self.chars.sum() + 1),
            (np.cumsum(text) - text / 2) / (text.sum() + 1),
            _signed_log(count - _closest(headlines, len(count))) if len(headlines) else np.zeros(len(count)),
            np.full(len(count), float(len(headlines) > 0)),
            _signed_log(count - float(text.argmax())),
            self.page.depth[self.first].astype(np.float64),
        ]

    def elements(self) -> list[Floats]:
        """Return the elements of the lines: the parents, links, and all ancestors."""
        page = self.page
        parent = page.parent[self.first]
        around = page.tag[self._blocks[parent]]
        directly = [np.isin(around, list(tag_ids(names))) for names in DIRECTLY_IN.values()]
        link = page.tag[parent] == TAG_ID["a"]
        inside = [nearest(page, marked(page, names))[self.first] > 0 for names in INSIDE.values()]
        return [column.astype(np.float64) for column in (*directly, link, *inside)]

    @cached_property
    def _blocks(self) -> Ints:
        """The nearest block element at or above each row."""
        return nearest(self.page, (self.page.tag_flags & BLOCK) > 0)

    def containers(self) -> list[Floats]:
        """Return the amount of text, the amount in links, and the number of lines of the surrounding block elements."""
        page = self.page
        text, linked, lines = (
            page.below(self._at_first(column)) for column in (self.chars, self.linked, np.ones(len(self.first)))
        )
        total = self.chars.sum() + 1
        columns = []
        container = self._blocks[page.parent[self.first]]
        for _ in range(CONTAINERS):
            own = text[container]
            columns += [np.log1p(own), linked[container] / (own + 1), own / total]
            columns += [np.log1p(own / np.maximum(lines[container], 1))]
            container = self._blocks[np.maximum(page.parent[container], 0)]
        return columns

    def _at_first(self, column: Floats) -> Ints:
        """Convert a column of lines to a column of the page's rows, with values at the first row of each line."""
        found = np.zeros(len(self.page), dtype=np.int32)
        found[self.first] = column
        return found

    def around(self) -> list[Floats]:
        """Return the features of the lines before and after each line."""
        chars, linked, marks, stop = np.log1p(self.chars), self.linked / (self.chars + 1), self.marks, self.stop
        columns = [_shifted(column, by) for by in NEIGHBOURS for column in (chars, linked, stop)]
        for size in WINDOWS:
            text, links, signs = (_windowed(column, size) for column in (self.chars - self.linked, self.linked, marks))
            columns += [np.log1p(text), links / (text + links + 1), np.log1p(signs)]
        return columns


def _closest(places: Rows, count: int) -> Floats:
    """Return the closest place to each of `count` lines, and the earlier one of two equally close ones."""
    lines = np.arange(count)
    after = np.minimum(np.searchsorted(places, lines), len(places) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.abs(places[before] - lines) <= np.abs(places[after] - lines)
    return np.where(nearer, places[before], places[after]).astype(np.float64)


def _signed_log(distance: Floats) -> Floats:
    return np.sign(distance) * np.log1p(np.abs(distance))


def _shifted(column: Floats, by: int) -> Floats:
    """Return the column shifted by some lines, with 0 beyond the ends."""
    found = np.zeros_like(column)
    if by > 0:
        found[by:] = column[:-by]
    else:
        found[:by] = column[-by:]
    return found


def _windowed(column: Floats, size: int) -> Floats:
    """Return the mean of a column over the lines up to `size` away."""
    sums = np.append(0.0, np.cumsum(column))
    lines = np.arange(len(column))
    start, stop = np.maximum(lines - size, 0), np.minimum(lines + size + 1, len(column))
    means: Floats = (sums[stop] - sums[start]) / (stop - start)
    return means


FEATURE_SETS: Mapping[str, tuple[str, ...]] = {
    "paper": ("R1", "R2", "R3", "R4", "R5"),
    "all": (
        *("chars", "links", "marks", "mark_count", "stop", "digits", "share", "of_longest"),
        *("line", "text_before", "unlinked_before", "from_h1", "has_h1", "from_longest", "depth"),
        *(f"is_{name}" for name in DIRECTLY_IN),
        "is_link",
        *(f"in_{name}" for name in INSIDE),
        *(f"around{k}_{what}" for k in range(1, CONTAINERS + 1) for what in ("chars", "links", "share", "line_chars")),
        *(f"next{by:+}_{what}" for by in NEIGHBOURS for what in ("chars", "links", "stop")),
        *(f"within{size}_{what}" for size in WINDOWS for what in ("chars", "links", "marks")),
    ),
}
_MEASURES: dict[str, Callable[[Page, Bools], Measured]] = {"paper": _by_the_paper, "all": _by_lines}


# The machine


KIND = "svm"
VERSION = 1
SHIPPED = "models/svm.model"
ARRAYS = {
    "centre": Spec("float32", 1),
    "scale": Spec("float32", 1),
    "vectors": Spec("float32", 2),
    "coefficients": Spec("float32", 1),
    "gamma": Spec("float64", 0),
    "offset": Spec("float64", 0),
}
MAX_VECTORS = 20_000
# The matrix product is computed in tiles of so many vectors, and of as many rows as give so many multiplications. Tiles
# fit into the cache, and numpy's BLAS does not split them among threads, which can take two hundred times as long if
# the cores are busy.
TILE_VECTORS = 256
TILE_PRODUCTS = 900_000
# Scaled features are clipped to this: no vector has an effect so far away, and every sum remains finite.
MAX_DISTANCE = 1e4
MAX_GAMMA = 1e6
MAX_WEIGHT = 1e30


@dataclass(frozen=True, eq=False)
class SvmModel:
    """A trained support vector machine: its arrays, the name of its feature set, and facts about its training."""

    features: str
    centre: Floats32
    scale: Floats32
    vectors: Floats32
    coefficients: Floats32
    gamma: float
    offset: float
    trained: Mapping[str, Any] = field(default_factory=dict)

    def margins(self, features: NDArray[np.floating[Any]]) -> Floats32:
        """Return the margin of each row of finite features. It is above 0 for text, and far from 0 if it is certain."""
        found = np.full(len(features), self.offset, dtype=np.float32)
        step = max(1, TILE_PRODUCTS // (TILE_VECTORS * len(self._expanded)))
        for start in range(0, len(features), step):
            rows = self._expanded_rows(features[start : start + step])
            for first in range(0, len(self.vectors), TILE_VECTORS):
                tile = slice(first, first + TILE_VECTORS)
                found[start : start + step] += self._kernel(rows, tile) @ self.coefficients[tile]
        return found

    def _expanded_rows(self, features: NDArray[np.floating[Any]]) -> Floats32:
        """Return (x, |x|^2, 1) for each row of features, scaled."""
        with np.errstate(over="ignore"):
            scaled = np.clip((features - self.centre) / self.scale, -MAX_DISTANCE, MAX_DISTANCE)
        rows = np.ones((len(scaled), len(self._expanded)), dtype=np.float32)
        rows[:, :-2] = scaled
        rows[:, -2] = np.einsum("ij,ij->i", scaled, scaled)
        return rows

    def _kernel(self, rows: Floats32, tile: slice) -> Floats32:
        """Return exp(-gamma |x - v|^2) of each row with each vector of a tile."""
        products: Floats32 = rows @ self._expanded[:, tile]
        # Rounding can make a squared distance a little less than 0.
        np.minimum(products, 0, out=products)
        return np.exp(products, out=products)

    @cached_property
    def _expanded(self) -> Floats32:
        """The vectors in a form whose product with (x, |x|^2, 1) is -gamma |x - v|^2: one product for all distances."""
        vectors = self.vectors.astype(np.float64)
        lengths = np.einsum("ij,ij->i", vectors, vectors)
        ones = np.ones(len(vectors))
        return np.ascontiguousarray(
            np.vstack([2 * self.gamma * vectors.T, -self.gamma * ones, -self.gamma * lengths]), dtype=np.float32
        )

    def save(self, path: str | Path, sets: Mapping[str, tuple[str, ...]] = FEATURE_SETS) -> None:
        """Write the model to a file for `load`. The same model gives the same bytes."""
        if problem := find_problem(self, sets):
            raise BadModel(f"{path}: not written: {problem}")
        arrays = {name: np.asarray(getattr(self, name), dtype=spec.dtype) for name, spec in ARRAYS.items()}
        # The file also has the names of the features, since a set with the same name may change its features.
        facts = {"features": self.features, "names": list(sets[self.features]), "trained": dict(self.trained)}
        arrayfile.write(path, KIND, VERSION, facts, arrays)

    @classmethod
    def load(cls, path: str | Path | Traversable, sets: Mapping[str, tuple[str, ...]] = FEATURE_SETS) -> SvmModel:
        """Read a model. Raise BadModel if the file is not a model, or if its arrays or features do not fit."""
        facts, arrays = arrayfile.read(path, KIND, VERSION, ARRAYS)
        features, trained = facts.get("features"), facts.get("trained")
        if not isinstance(features, str) or not isinstance(trained, dict):
            raise BadModel(f"{path}: a damaged model: it does not name its features")
        gamma, offset = float(arrays.pop("gamma")), float(arrays.pop("offset"))
        model = cls(features=features, gamma=gamma, offset=offset, trained=trained, **arrays)
        problem = find_problem(model, sets)
        if not problem and facts.get("names") != list(sets[features]):
            problem = f"it was trained when the feature set '{features}' held other features: train it again"
        if problem:
            raise BadModel(f"{path}: {problem}")
        return model


def find_problem(model: SvmModel, sets: Mapping[str, tuple[str, ...]]) -> str | None:
    """Return what is wrong with a model, or None. `margins` relies on these checks to be quick and finite."""
    if model.features not in sets:
        return f"the feature set {model.features[:40]!a} is not known: there are {', '.join(sets)}"
    width, vectors = len(sets[model.features]), model.vectors
    if any(column.shape != (width,) for column in (model.centre, model.scale)) or vectors.shape[1:] != (width,):
        return f"its arrays are not those of the {width} features of '{model.features}'"
    if not 1 <= len(vectors) <= MAX_VECTORS or model.coefficients.shape != (len(vectors),):
        return f"{len(vectors):,} vectors with {len(model.coefficients):,} coefficients (at most {MAX_VECTORS:,})"
    if not (model.scale > 0).all():
        return "a scale that is not above 0"
    if not 0 < model.gamma <= MAX_GAMMA:
        return f"gamma is {model.gamma:g}"
    if not (np.abs(vectors) <= MAX_DISTANCE).all():
        return "a vector that is too far out"
    if not (np.abs(model.coefficients) <= MAX_WEIGHT).all() or not abs(model.offset) <= MAX_WEIGHT:
        return "coefficients that are too large"
    return None


@cache
def shipped() -> SvmModel:
    """Return the shipped model; it is loaded once."""
    return SvmModel.load(resources.files("pagesieve").joinpath(SHIPPED))


# The methods

NO_TEMPLATES = Templates()
SHOWN = 60  # characters of a template in a reason


@dataclass(frozen=True, slots=True)
class SvmOptions:
    """How to select classified blocks. The values were measured on pages of Chinese news sites."""

    threshold: float = 0.0  # the margin above which a block is text
    whole_page: bool = True  # whether to measure blocks together with the blocks that the templates drop
    among: int = 100  # characters of a template that is kept among paragraphs if the machine classifies it as text
    short_edge: int = 20  # characters: shorter lines are removed at the ends
    date_edge: int = 40  # characters: shorter lines with a date are removed there, too
    refine: bool = True  # whether to apply the line-block distribution function at the end


# The rules of the paper: all templates are dropped, and all blocks above the threshold are kept.
PAPER = SvmOptions(whole_page=False, among=10**9, short_edge=0, date_edge=0, refine=False)


def template(
    page: Page, model: SvmModel, templates: Templates = NO_TEMPLATES, options: SvmOptions = SvmOptions()
) -> Selection:
    """Select the blocks that the machine classifies as text, without leaves that are templates of the site."""
    rows, comments = readable(page), comment_rows(page)
    matched = _matched(page, templates)
    left = rows & (matched < 0)
    measured = measure(model.features, page, rows if options.whole_page else left)
    margins = measured.spread(page, model.margins(measured.values))
    text = rows & ~comments & (margins > options.threshold)
    kept = text & left
    blocks = split(page)
    kept |= among_paragraphs(blocks, kept, text & ~left, options.among)
    if options.refine and kept.any():
        kept &= in_richest_stretch(blocks, kept)
    kept &= ~edges(blocks, kept, options.short_edge, options.date_edge)
    if not kept.any():
        raise NothingFound("no block of the page is taken for text")
    return Selection(blocks, kept, comments, _Reasons(blocks, kept, comments, matched, margins, templates, options))


def _matched(page: Page, templates: Templates) -> Ints:
    """Return the number of the template that each text row matches, or -1."""
    found = np.full(len(page), -1, dtype=np.int32)
    if len(templates):
        of_page = leaves(page)
        found[of_page.texts] = templates.match(of_page)[of_page.leaf_of_text]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Reasons:
    """The reasons of the decisions about blocks, written on demand."""

    blocks: Blocks
    kept: Bools
    comments: Bools
    matched: Ints
    margins: Floats32
    templates: Templates
    options: SvmOptions

    def __call__(self, block: int) -> Reason:
        first, last = self.blocks.rows_of(block)[[0, -1]].tolist()
        kept = bool(self.kept[first : last + 1].any())
        row = first + int(self.kept[first : last + 1].argmax()) if kept else first
        if self.matched[row] >= 0:
            return self._template(row, kept)
        if self.comments[row]:
            return Reason("in a section of comments", "comment")
        margin = float(self.margins[row])
        if np.isnan(margin):
            return Reason("a form control", "control")
        told, numbers = f"SVM margin {margin:+.2f}", {"margin": margin, "threshold": self.options.threshold}
        if not kept and margin > self.options.threshold:
            return Reason(f"at an end of the article or far from it, {told}", "rule", numbers)
        return Reason(told, "article" if kept else "model", numbers)

    def _template(self, row: int, kept: bool) -> Reason:
        known = self.templates[int(self.matched[row])]
        told = f"template of the site, seen on {known.frequency} pages: <{known.tag}> {cut(known.text, SHOWN)}"
        numbers = {"pages": known.frequency}
        if kept:
            return Reason(f"among the article's paragraphs, though a {told}", "article", numbers)
        return Reason(told, "template", numbers)
