"""What the support vector machine knows of each block of a page: named sets of features.

`paper` is the paper's: the blocks are body, section and div, without the blocks nested in them, and the features R1 to
R5. In `all` the blocks are the rendered lines, which never mix an article's paragraph with the line below it, and the
features are what they are made of, what is around them and what they are in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import BLOCK, IMAGE, TAG_ID, tag_ids
from pagesieve.page.lines import marked, nearest, split
from pagesieve.page.table import Bools, Ints, Page

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

PAPER_BLOCKS = "body section div"
CONTAINERS = 3  # levels of block elements around a line that are looked at
NEIGHBOURS = (1, -1)  # the line before, the line after
WINDOWS = (4, 10)  # lines on either side

# The elements that a line may be in, directly and anywhere.
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
    """The blocks of a page as numbers: the text rows, the block of each, and a row of features for each block."""

    rows: Rows
    block: Rows
    values: NDArray[np.float32]

    def spread(self, page: Page, column: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
        """Return a column of the blocks as one of the page's rows; NaN where a row is in no block."""
        found = np.full(len(page), np.nan, dtype=column.dtype)
        found[self.rows] = column[self.block]
        return found


def measure(features: str, page: Page, rows: Bools) -> Measured:
    """Measure the blocks that these text rows of a page make up, as if there were no others."""
    return _MEASURES[features](page, rows)


# The paper's features


def paper_ratios(text: Floats, link_text: Floats, links: Floats, images: Floats, page: Floats) -> Floats:
    """Return R1 to R5 of blocks, given four counts of each block, and of the page."""
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


# Lines, and what is around them


def _by_lines(page: Page, rows: Bools) -> Measured:
    lines = _Lines(page, rows)
    if not len(lines.first):
        return Measured(lines.rows, lines.line, np.zeros((0, len(FEATURE_SETS["all"])), dtype=np.float32))
    columns = [*lines.own(), *lines.place(), *lines.elements(), *lines.containers(), *lines.around()]
    return Measured(lines.rows, lines.line, np.stack(columns, axis=1).astype(np.float32))


class _Lines:
    """The rendered lines of some text rows, and their columns."""

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
        marks, digits, stops, *_ = kernel.punctuation.count(page, self.rows.astype(np.int32))
        self.chars = self._sum(page.chars[self.rows])
        self.linked = self._sum(page.chars[self.rows] * page.linked[self.rows])
        self.marks = self._sum(np.frombuffer(marks, dtype=np.int32))
        self.digits = self._sum(np.frombuffer(digits, dtype=np.int32))
        last = np.append(begins[1:], True)[: len(numbers)]
        self.stop = np.frombuffer(stops, dtype=np.uint8)[last].astype(np.float64)

    def _sum(self, column: Ints) -> Floats:
        return np.bincount(self.line, column, len(self.first)).astype(np.float64)

    def own(self) -> list[Floats]:
        """Return what a line is made of."""
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
        """Return its place by lines, by text, by text outside of links; from the headline, from the longest line."""
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
        """Return what it is in: directly, in a link, anywhere."""
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
        """Return how much text the block elements around it have, how much of it in links, and in how many lines."""
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
        """Return a column of the lines as one of the page's rows, at the first row of each line."""
        found = np.zeros(len(self.page), dtype=np.int32)
        found[self.first] = column
        return found

    def around(self) -> list[Floats]:
        """Return what the lines before and after it are."""
        chars, linked, marks, stop = np.log1p(self.chars), self.linked / (self.chars + 1), self.marks, self.stop
        columns = [_shifted(column, by) for by in NEIGHBOURS for column in (chars, linked, stop)]
        for size in WINDOWS:
            text, links, signs = (_windowed(column, size) for column in (self.chars - self.linked, self.linked, marks))
            columns += [np.log1p(text), links / (text + links + 1), np.log1p(signs)]
        return columns


def _closest(places: Rows, count: int) -> Floats:
    """Return the closest of some places to each of `count` lines, the earlier of two."""
    lines = np.arange(count)
    after = np.minimum(np.searchsorted(places, lines), len(places) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.abs(places[before] - lines) <= np.abs(places[after] - lines)
    return np.where(nearer, places[before], places[after]).astype(np.float64)


def _signed_log(distance: Floats) -> Floats:
    return np.sign(distance) * np.log1p(np.abs(distance))


def _shifted(column: Floats, by: int) -> Floats:
    """Return the column shifted by so many lines; 0 beyond the ends."""
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
