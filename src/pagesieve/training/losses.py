"""Divide the loss of the model by cause: kept words that the gold does not have, and dropped words that it has.

The loss of a page (1 - F1) is divided among the causes in proportion to its wrong words.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pagesieve.methods.features import LineFeatures
from pagesieve.page.kernel.lines.unit_table import UNIT_DEFINITIONS, UNIT_LIST, UNIT_SECTION, UNIT_TABLE
from pagesieve.page.table import Bools
from pagesieve.page.units import Units, units_of

LONG = 80  # characters: a longer line is a text
NOT_THERE = "dropped: not on the page as the gold has it"

Floats = NDArray[np.float64]


def divide_loss(
    described: LineFeatures, words: Floats, hits: Floats, wanted: int, kept: Bools, loss: float
) -> dict[str, float]:
    """Return the parts of a page's loss by cause, from the kept lines and the number of gold words of each line."""
    wrong, missed = np.where(kept, words - hits, 0.0), np.where(kept, 0.0, hits)
    found = dict[str, float]()
    for begin, lost in (("kept", wrong), ("dropped", missed)):
        for cause, marked in _causes(described, hits, begin == "kept"):
            found[f"{begin}: {cause}"] = float(lost[marked].sum())
    found[NOT_THERE] = max(0.0, wanted - float(hits.sum()))
    total = sum(found.values())
    return {cause: loss * lost / total for cause, lost in found.items() if lost} if total else {}


def _causes(described: LineFeatures, hits: Floats, is_kept: bool) -> Iterator[tuple[str, Bools]]:
    """Yield a mask of the lines of each cause; each line has one cause."""
    blocks, units = described.blocks, units_of(described.blocks)
    left = np.ones(len(blocks), dtype=np.bool_)
    gold = np.flatnonzero(hits)
    below = np.arange(len(blocks)) > (gold[-1] if len(gold) else -1)
    long = blocks.chars >= LONG
    comments: Bools = np.logical_or.reduceat(described.comments[blocks.rows], blocks.starts)
    causes = [
        ("comments", comments),
        ("lists and tables", _lines_of(units, len(blocks), UNIT_LIST, UNIT_TABLE, UNIT_DEFINITIONS)),
        ("headings", _headings(units, len(blocks))),
    ]
    if is_kept:
        causes += [("texts below the article", long & below), ("short lines below the article", below)]
    causes += [("texts", long), ("short lines", ~long)]
    for cause, marked in causes:
        yield cause, marked & left
        left &= ~marked


def _lines_of(units: Units, lines: int, *kinds: int) -> Bools:
    """Return a mask of the lines in units of some kinds."""
    steps = np.zeros(lines + 1, dtype=np.int64)
    chosen = np.isin(units.kind, kinds)
    np.add.at(steps, units.line[chosen], 1)
    np.add.at(steps, units.line_end[chosen], -1)
    marked: Bools = np.cumsum(steps[:-1]) > 0
    return marked


def _headings(units: Units, lines: int) -> Bools:
    marked = np.zeros(lines, dtype=np.bool_)
    for k in np.flatnonzero(units.kind == UNIT_SECTION).tolist():
        marked[units.line[k] : units.head_end[k]] = True
    return marked
