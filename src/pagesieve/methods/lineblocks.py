"""The line-block distribution function: the article is where long lines are close together.

A block is K consecutive rendered lines. The article is the stretch of lines with the most text whose blocks have at
least the threshold of characters. The method needs no tree and no other pages, and works for all languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pagesieve.errors import BadOption, NothingFound
from pagesieve.page import kernel
from pagesieve.page.kernel.tags import BLOCK
from pagesieve.page.lines import Blocks, split
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.selection import Reason, Selection
from pagesieve.text.dates import YEAR
from pagesieve.threads.comments import comment_rows


@dataclass(frozen=True, slots=True)
class LineBlockOptions:
    """The number of lines of a block, the characters of a rich block, and the largest gap between rich blocks.

    K = 3 and 86 characters are the published values. On seven sets of pages, counting only the text outside of links
    adds two points of F1, and stepping over short lines (sub-headings, captions) three more.
    """

    lines: int = 3
    threshold: int = 86
    gap: int = 4

    def __post_init__(self) -> None:
        if min(self.lines, self.threshold, self.gap) < 1:
            raise BadOption(f"lines, threshold and gap must be at least 1: {self}")


def lineblocks(page: Page, options: LineBlockOptions = LineBlockOptions()) -> Selection:
    """Select the stretch of lines with the most text."""
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
    """Return the sum of the weights of `lines` lines from each line on, or of fewer at the end."""
    before = np.zeros(len(weights) + lines, dtype=np.int32)
    np.cumsum(weights, out=before[1 : len(weights) + 1])
    before[len(weights) + 1 :] = before[len(weights)]
    return before[lines:] - before[: len(weights)]


def richest_stretch(weights: Ints, options: LineBlockOptions) -> tuple[int, int]:
    """Return the first line of the richest stretch and the line after it; they are equal if no block is rich enough."""
    start, stop = kernel.lines.lines.richest_stretch(weights, options.lines, options.threshold, options.gap)
    return start, stop


@dataclass(frozen=True, slots=True, eq=False)
class _Reasons:
    """The reasons of the decisions about blocks, written on demand."""

    kept: Bools
    in_comments: Bools
    weights: Ints
    sums: Ints
    options: LineBlockOptions

    def __call__(self, block: int) -> Reason:
        total, lines, threshold = int(self.sums[block]), self.options.lines, self.options.threshold
        numbers = {"characters": total, "lines": lines, "threshold": threshold}
        if self.kept[block]:
            return Reason(f"in the richest stretch: {total} characters in {lines} lines", "article", numbers)
        if self.in_comments[block]:
            return Reason("in a section of comments", "comment")
        if self.weights[block] == 0:
            return Reason("nothing but links", "rule")
        if total < threshold:
            return Reason(f"only {total} characters in {lines} lines, under {threshold}", "rule", numbers)
        told = f"outside the richest stretch, though {total} characters stand in {lines} lines"
        return Reason(told, "rule", numbers)


# For other methods: restore lines among the kept ones, and drop lines at the ends or far away

# Most lines outside of the article have been dropped before, so a stretch may step over many lines.
REFINEMENT = LineBlockOptions(gap=20)

_DATE = re.compile(
    rf"{YEAR}\s*[-/.年]\s*\d{{1,2}}|\d{{1,2}}[:：]\d\d|\d{{1,2}}\s*[./-]\s*\d{{1,2}}\s*[./-]\s*(?:{YEAR}|\d\d)"
)


def amid_the_article(blocks: Blocks, kept: Bools, template: Bools, share: float, least: int) -> Bools:
    """Return the rows of template texts that are part of the article.

    They have at least `least` characters, in a container of whose text the share `share` is kept.
    """
    page, restored = blocks.page, np.zeros(len(blocks), dtype=np.bool_)
    if lines := _long_lines(blocks, kept, template, least):
        kept_chars = page.below(page.chars * kept)
        around = [_container(page, row) for row in blocks.first[lines].tolist()]
        restored[lines] = kept_chars[around] >= share * page.text_chars[around]
    return blocks.mask(restored)


def among_paragraphs(blocks: Blocks, kept: Bools, rows: Bools, least: int) -> Bools:
    """Return the rows of `rows` whose lines are long and have a container with a kept line."""
    page, restored = blocks.page, np.zeros(len(blocks), dtype=np.bool_)
    if lines := _long_lines(blocks, kept, rows, least):
        containers = {_container(page, row) for row in blocks.first[blocks.any(kept)].tolist()}
        restored[lines] = [_container(page, row) in containers for row in blocks.first[lines].tolist()]
    return blocks.mask(restored) & rows


def _long_lines(blocks: Blocks, kept: Bools, rows: Bools, least: int) -> list[int]:
    """Return the lines with rows of `rows` that are long, not mostly links, and not kept."""
    long = (blocks.chars >= least) & (4 * blocks.link_chars < blocks.chars)
    lines: list[int] = np.flatnonzero(long & blocks.any(rows) & ~blocks.any(kept)).tolist()
    return lines


def _container(page: Page, row: int) -> int:
    """Return the block element around the block element of a line."""
    for _ in range(2):
        row = int(page.parent[row])
        while row > 0 and not page.tag_flags[row] & BLOCK:
            row = int(page.parent[row])
    return row


def edges(blocks: Blocks, kept: Bools, short: int, dated: int) -> Bools:
    """Return the rows of short lines at the ends of the kept lines, or none if all lines are short.

    A line is short if it has fewer than `short` characters, or fewer than `dated` and a date.
    """
    numbers = np.flatnonzero(blocks.any(kept)).tolist()
    dropped = [*_short(blocks, numbers, short, dated), *_short(blocks, reversed(numbers), short, dated)]
    found = np.zeros(len(blocks.page), dtype=np.bool_)
    if len(dropped) < len(numbers):  # otherwise all lines are short
        for block in dropped:
            found[blocks.rows_of(block)] = True
    return found


def _short(blocks: Blocks, numbers: Iterable[int], short: int, dated: int) -> Iterable[int]:
    """Return the blocks before the first one that is not short."""
    for block in numbers:
        size = int(blocks.chars[block])
        if size >= short and not (size < dated and _DATE.search(blocks.text(block))):
            return
        yield block


def in_richest_stretch(blocks: Blocks, kept: Bools) -> Bools:
    """Return the rows of the richest stretch of kept lines, or all kept rows if no stretch is rich."""
    page = blocks.page
    own = np.where(kept & (page.linked == 0), page.chars, 0)
    start, stop = richest_stretch(np.add.reduceat(own[blocks.rows], blocks.starts, dtype=np.int32), REFINEMENT)
    if start == stop:
        return kept
    found = np.zeros(len(page), dtype=np.bool_)
    found[blocks.rows[blocks.starts[start] : blocks.starts[stop] if stop < len(blocks) else None]] = True
    return found
