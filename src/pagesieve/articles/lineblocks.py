"""The line-block distribution function: the article is where long lines stand together.

The characters of each rendered line are counted; a block is K lines in a row; the stretch of lines with the most text
whose blocks reach the threshold is the article. It needs neither a tree nor a site nor a language.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pagesieve.articles.comments import comment_rows
from pagesieve.errors import BadOption, NothingFound
from pagesieve.page import kernel
from pagesieve.page.lines import split
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.selection import Selection


@dataclass(frozen=True, slots=True)
class LineBlockOptions:
    """How many lines make a block, how much text makes it rich, how far apart rich blocks of one stretch may begin.

    K = 3 and 86 characters are the published values. Measured over seven sets of pages, counting the text outside
    links is worth two points of F1 and stepping over short lines (sub-headings, captions) three more.
    """

    lines: int = 3
    threshold: int = 86
    gap: int = 4

    def __post_init__(self) -> None:
        if min(self.lines, self.threshold, self.gap) < 1:
            raise BadOption(f"lines, threshold and gap must be at least 1: {self}")


def lineblocks(page: Page, options: LineBlockOptions = LineBlockOptions()) -> Selection:
    """Keep the stretch of lines with the most text."""
    blocks = split(page)
    comments = comment_rows(page)
    in_comments = comments[blocks.first]
    weights = blocks.chars - blocks.link_chars
    weights[in_comments] = 0
    sums = block_sums(weights, options.lines)
    start, stop = richest_stretch(weights, options)
    if start == stop:
        raise NothingFound(f"no {options.lines} lines in a row hold {options.threshold} characters outside of links")
    kept = np.zeros(len(blocks), dtype=np.bool_)
    kept[start:stop] = ~in_comments[start:stop]
    return Selection(blocks, blocks.mask(kept), comments, _Reasons(kept, in_comments, weights, sums, options))


def block_sums(weights: Ints, lines: int) -> Ints:
    """Return how much text the block that begins at each line has: `lines` lines, fewer at the end."""
    before = np.zeros(len(weights) + lines, dtype=np.int32)
    np.cumsum(weights, out=before[1 : len(weights) + 1])
    before[len(weights) + 1 :] = before[len(weights)]
    return before[lines:] - before[: len(weights)]


def richest_stretch(weights: Ints, options: LineBlockOptions) -> tuple[int, int]:
    """Return the first line of the richest stretch and the line after it; equal where no block is rich enough."""
    start, stop = kernel.lines.richest_stretch(weights, options.lines, options.threshold, options.gap)
    return start, stop


@dataclass(frozen=True, slots=True, eq=False)
class _Reasons:
    """Why a block was kept or dropped; the text is made on demand."""

    kept: Bools
    in_comments: Bools
    weights: Ints
    sums: Ints
    options: LineBlockOptions

    def __call__(self, block: int) -> str:
        total, lines = self.sums[block], self.options.lines
        if self.kept[block]:
            return f"in the richest stretch: {total} characters in {lines} lines"
        if self.in_comments[block]:
            return "in a section of comments"
        if self.weights[block] == 0:
            return "nothing but links"
        if total < self.options.threshold:
            return f"only {total} characters in {lines} lines, under {self.options.threshold}"
        return f"outside the richest stretch, though {total} characters stand in {lines} lines"
