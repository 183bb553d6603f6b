"""Lines of an article that only repeat its headline."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, takewhile

import numpy as np

from pagesieve.page.kernel.tags import tag_ids
from pagesieve.page.lines import Blocks
from pagesieve.page.table import Page
from pagesieve.selection import Selection
from pagesieve.text.whitespace import fold

HEADINGS = tag_ids("h1 h2 h3 h4 h5 h6")
HEADING_DEPTH = 8  # elements between a heading and its text, at most
HEADLINE_LINES = 5  # of a headline, at most
BEGINNING = 20  # blocks at the start of an article, among which its headline may stand


def without_headline(selection: Selection, title: str) -> Selection:
    """Drop the blocks that only repeat the headline, unless nothing else is kept."""
    kept = np.flatnonzero(selection.kept).tolist()
    dropped = frozenset(kept).intersection(_headline_blocks(selection.blocks, kept, title)) if title else frozenset()
    return selection.without(dropped, "the headline") if 0 < len(dropped) < len(kept) else selection


def _headline_blocks(blocks: Blocks, kept: list[int], title: str) -> Iterator[int]:
    """Yield the blocks that are the headline: in a heading anywhere, elsewhere only before anything longer."""
    squeezed, chars = "".join(title.split()), blocks.chars
    start = max(0, kept[0] - HEADLINE_LINES)  # its first lines may have been dropped already
    beginning = takewhile(lambda k: k < kept[0] or chars[k] <= len(squeezed), range(start, len(blocks)))
    for k in islice(beginning, BEGINNING):
        yield from _spelling(blocks, range(k, min(k + HEADLINE_LINES, len(blocks))), squeezed)
    for k in np.flatnonzero(chars == len(squeezed)).tolist():
        if _in_heading(blocks.page, int(blocks.rows[blocks.starts[k]])):
            yield from _spelling(blocks, range(k, k + 1), squeezed)


def _in_heading(page: Page, row: int) -> bool:
    for _ in range(HEADING_DEPTH):
        row = int(page.parent[row])
        if row < 0 or page.tag[row] in HEADINGS:
            return row >= 0
    return False


def _spelling(blocks: Blocks, numbers: range, squeezed: str) -> list[int]:
    """Return the leading blocks that together spell a text, white space aside; none where they do not."""
    rest, taken = squeezed, list[int]()
    for k in numbers:
        # The whole line costs more to read than its first text, which tells most lines apart.
        first = blocks.rows[blocks.starts[k]]
        if blocks.chars[k] > len(rest) or not rest.startswith(_squeezed(blocks.page.text(first))):
            break
        line = _squeezed(blocks.text(k))
        if not line or not rest.startswith(line):
            break
        rest = rest[len(line) :]
        taken.append(k)
        if not rest:
            return taken
    return []


def _squeezed(text: str) -> str:
    return "".join(fold(text).split())
