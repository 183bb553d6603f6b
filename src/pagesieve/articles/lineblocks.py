"""The line-block distribution function: the article is where long lines stand together.

Each rendered line counts its characters; a block is K lines in a row; the longest stretch of lines whose blocks
reach the threshold is the article. It needs no tree, no site and no language.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pagesieve.articles.blocks import Blocks, split
from pagesieve.articles.comments import comment_rows
from pagesieve.errors import NothingFound
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.results import Decision, Selection


@dataclass(frozen=True, slots=True)
class LineBlockOptions:
    """How many lines make a block, how much text it must have, how many poor blocks a stretch may step over.

    K = 3 and 86 characters are the published values. Measured over seven sets of pages, counting the text outside
    links is worth two points of F1 and stepping over short lines (sub-headings, captions) three more.
    """

    lines: int = 3
    threshold: int = 86
    gap: int = 4


def lineblocks(page: Page, options: LineBlockOptions = LineBlockOptions()) -> Selection:
    """The stretch of lines with the most text."""
    blocks = split(page)
    comments = comment_rows(page)
    in_comments = comments[blocks.first]
    weights = np.where(in_comments, 0, blocks.chars - blocks.link_chars)
    start, stop = _stretch(weights, options)
    if start == stop:
        raise NothingFound(f"no {options.lines} lines in a row hold {options.threshold} characters outside of links")
    kept = np.zeros(len(blocks), dtype=np.bool_)
    kept[start:stop] = ~in_comments[start:stop]
    decisions = _decisions(blocks, kept, in_comments, weights, options)
    return Selection(blocks.mask(kept), decisions, comments)


def _sums(weights: Ints, lines: int) -> Ints:
    """The text of the block of `lines` lines that begins at each line; shorter ones at the end."""
    return np.convolve(weights, np.ones(lines, dtype=np.int32))[lines - 1 :].astype(np.int32)


def _stretch(weights: Ints, options: LineBlockOptions) -> tuple[int, int]:
    """From which line to which the richest stretch goes; an empty one where no block is rich enough."""
    rich = np.flatnonzero(_sums(weights, options.lines) >= options.threshold)
    if not len(rich):
        return 0, 0
    stretches = np.split(rich, np.flatnonzero(np.diff(rich) > options.gap) + 1)
    totals = [weights[found[0] : found[-1] + options.lines].sum() for found in stretches]
    best = stretches[int(np.argmax(totals))]
    with_text = np.flatnonzero(weights[best[0] : best[-1] + options.lines]) + best[0]
    return int(with_text[0]), int(with_text[-1]) + 1


def _decisions(
    blocks: Blocks, kept: Bools, in_comments: Bools, weights: Ints, options: LineBlockOptions
) -> tuple[Decision, ...]:
    sums = _sums(weights, options.lines)
    columns = zip(blocks.first, blocks.last, kept, in_comments, sums, weights, strict=False)
    return tuple(
        Decision(int(first), int(last), bool(keep), _reason(bool(keep), bool(comment), int(total), int(own), options))
        for first, last, keep, comment, total, own in columns
    )


def _reason(kept: bool, comment: bool, total: int, own: int, options: LineBlockOptions) -> str:
    if kept:
        return f"in the richest stretch: {total} characters in {options.lines} lines"
    if comment:
        return "in a section of comments"
    if own == 0:
        return "nothing but links"
    if total < options.threshold:
        return f"only {total} characters in {options.lines} lines, under {options.threshold}"
    return f"outside the richest stretch, though {total} characters stand in {options.lines} lines"
