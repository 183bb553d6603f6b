"""Method `records`: the text of a page whose records are what a reader came for, record by record."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from pagesieve.articles.blocks import Blocks, split
from pagesieve.articles.comments import comment_rows
from pagesieve.articles.kind import kind
from pagesieve.articles.lineblocks import LineBlockOptions, richest_stretch
from pagesieve.errors import NothingFound
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.page.tags import tag_ids
from pagesieve.records.segmentation import Segmentation
from pagesieve.records.static import segment
from pagesieve.results import Selection

FEW = 3  # records: fewer cannot tell what stays the same
PARAGRAPHS = tag_ids("#text p")
OUTSIDE = -1  # of every record
KINDS = ("records", "catalogue")  # of pages whose text is that of their records


@dataclass(frozen=True, slots=True)
class Doubts:
    """When a page's text is not its records', though its kind says so: kinds are told wrongly one time in ten.

    Measured on wcxb_dev, magic_html, daniel_half and dragnet_train: forums, lists and collections gain ten to fifteen
    points of word F1, articles taken for lists lose less than one.
    """

    article: float = 0.3  # of the text outside of links in one stretch of lines: that is an article
    before: float = 0.2  # of it in one stretch before the first record: that is one, too
    least: float = 0.2  # of the text outside of links is the records', at least
    paragraphs: float = 0.5  # of their text outside of links, at most, is in records that are mere paragraphs
    largest: float = 0.5  # of the records' text, at most, is in one of them
    comments: float = 0.5  # of the records' text, at most, is what readers wrote below an article


@dataclass(frozen=True, slots=True)
class TextOptions:
    """How much worse than the best region another may be and still belong to the text, in scores."""

    behind: float = 1.5


def records_text(page: Page, options: TextOptions = TextOptions()) -> Selection:
    """The lines of all records, but for those that every record of its region has. Raises NothingFound."""
    blocks = split(page)
    found = segment(page)
    chosen = sorted(
        (each for each in found if each.score >= found[0].score - options.behind), key=lambda each: each.records[0]
    )
    record, static = np.full(len(blocks), OUTSIDE, dtype=np.int32), np.zeros(len(blocks), dtype=np.bool_)
    parts: list[tuple[int, ...]] = []
    for each in chosen:
        _mark(blocks, each, len(parts), record, static)
        parts += each.records
    kept = (record != OUTSIDE) & ~static
    reasons = _Reasons(record, static, len(parts))
    return Selection(blocks, blocks.mask(kept), np.zeros(len(page), dtype=np.bool_), reasons, tuple(parts))


def records_text_of_kind(page: Page, doubts: Doubts = Doubts()) -> Selection:
    """The same, but only where the records are what the page is for; for `auto`, which nobody asked for records."""
    blocks = split(page)
    weights = blocks.chars - blocks.link_chars
    whole = max(1, int(weights.sum()))
    start, stop = richest_stretch(weights, LineBlockOptions())
    stretch = int(weights[start:stop].sum())
    if stretch > doubts.article * whole:  # cheap, and true of nearly every article
        raise NothingFound("one stretch of lines holds much of the text")
    if (found := kind(page)) not in KINDS:
        raise NothingFound(f"the page is of kind {found}")
    selection = records_text(page)
    kept = selection.kept
    if stretch > doubts.before * whole and stop <= int(kept.argmax()):
        raise NothingFound("an article stands before its records")
    if weights[kept].sum() < doubts.least * whole:
        raise NothingFound("its records hold little of the text")
    reason = _doubt(page, selection, doubts)
    if reason:
        raise NothingFound(reason)
    return selection


def _doubt(page: Page, selection: Selection, doubts: Doubts) -> str:
    """Why the records, though there are some, are not what the page is for; empty where there is no doubt."""
    chars = page.chars * selection.rows
    unlinked = chars * (1 - page.linked)
    sums, words = page.below(chars), page.below(unlinked)
    if max(sum(int(sums[row]) for row in roots) for roots in selection.parts) > doubts.largest * chars.sum():
        return "one of its records holds most of their text"
    paragraphs = [row for roots in selection.parts for row in roots if page.tag[row] in PARAGRAPHS]
    if words[paragraphs].sum() > doubts.paragraphs * unlinked.sum():
        return "its records are the paragraphs of an article"
    if chars[comment_rows(page)].sum() > doubts.comments * chars.sum():
        return "its records are comments"
    return ""


def _mark(blocks: Blocks, region: Segmentation, number: int, record: Ints, static: Bools) -> None:
    """Writes the number of its record beside every line of a region, and which lines all its records have."""
    end, lines, holders = blocks.page.end, list[tuple[int, str]](), Counter[str]()
    for k, roots in enumerate(region.records):
        inside = [
            line for row in roots for line in range(*np.searchsorted(blocks.first, (row, int(end[row]))).tolist())
        ]
        record[inside] = number + k
        texts = [blocks.text(line) for line in inside]
        lines += zip(inside, texts, strict=True)
        holders.update(set(texts))
    if len(region.records) >= FEW:
        same = [line for line, text in lines if holders[text] == len(region.records)]
        static[same] = True


@dataclass(frozen=True, slots=True, eq=False)
class _Reasons:
    """Why a line was kept or dropped."""

    record: Ints
    static: Bools
    records: int

    def __call__(self, block: int) -> str:
        if self.record[block] == OUTSIDE:
            return "in no record"
        if self.static[block]:
            return "the same in all records: a button or a label"
        return f"record {self.record[block] + 1} of {self.records}"
