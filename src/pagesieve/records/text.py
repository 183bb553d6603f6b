"""Method `records`: the text of a page whose records are what a reader came for, record by record."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from pagesieve.page.lines import Blocks, split
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.records.results import Segmentation
from pagesieve.records.static import segment
from pagesieve.selection import Selection

FEW = 3  # records: fewer cannot tell what stays the same
OUTSIDE = -1  # of every record


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
