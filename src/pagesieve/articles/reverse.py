"""The article without the whole tree: from the densest text outwards, until it would take in more than the article.

The paper begins with the two longest texts and grows while a sibling is similar (`PAPER`). The default begins where
long texts stand closest together, so that a lone giant (a cookie notice, a licence) is not mistaken for the article,
and grows as long as the long text at least doubles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pagesieve.articles.comments import comment_rows
from pagesieve.articles.layout import LayoutOptions, in_blocks_of_links
from pagesieve.articles.lineblocks import edges, in_richest_stretch
from pagesieve.errors import NothingFound
from pagesieve.page.lines import Blocks, inside, readable, split
from pagesieve.page.partial import Part, Tape
from pagesieve.page.table import Bools, Page
from pagesieve.selection import Selection

_LINKS = LayoutOptions()


@dataclass(frozen=True, slots=True)
class ReverseOptions:
    """Where to begin, and how far to grow. The values were measured on news pages."""

    long_text: int = 60  # bytes of a text that counts
    window: int = 30  # tags and texts on either side, for texts that stand together
    gain: float = 2.0  # times the long text that an element must hold for it to be taken instead of one inside it
    similar: float | None = None  # the paper's rule: grow from the two longest texts while a sibling is as similar
    clean: bool = True  # whether to drop blocks of links, short lines at the ends, and what stands far off
    short_edge: int = 20  # characters: shorter lines go from the ends
    date_edge: int = 40  # characters: shorter lines with a date go from there too


PAPER = ReverseOptions(long_text=1, similar=0.8, clean=False)  # 0.7 to 0.9 is the usable range


def region(tape: Tape, options: ReverseOptions = ReverseOptions()) -> Part:
    """Return the element of a page that holds the article."""
    if options.similar is None:
        found = tape.grown(options.long_text, options.window, options.gain)
    else:
        found = _by_similarity(tape, options)
    if found is None:
        raise NothingFound("the page has no long text outside of links")
    return found


def _by_similarity(tape: Tape, options: ReverseOptions) -> Part | None:
    """Take the lowest element around the two longest texts, then its parent as long as it has a similar sibling."""
    texts = tape.longest(2)
    if not texts:
        return None
    parts = tape.around(texts[0])
    if not parts:
        return Part(tape, texts[0], texts[0] + 1)
    level = next((k for k, part in enumerate(parts) if part.first <= texts[-1] < part.stop), len(parts) - 1)
    while level + 1 < len(parts) and _has_similar_sibling(parts[level], parts[level + 1], options.similar or 1.0):
        level += 1
    return parts[level]


def _has_similar_sibling(part: Part, parent: Part, least: float) -> bool:
    tree = parent.tree
    before = Part(part.tape, parent.first, part.first).nodes
    siblings = tree.children[0]
    return before in siblings and any(
        tree.similarity(before, sibling) >= least for sibling in siblings if sibling != before
    )


def reverse(page: Page, options: ReverseOptions = ReverseOptions()) -> Selection:
    """Select from the part of a page that holds the article."""
    comments = comment_rows(page)
    blocks = split(page)
    if options.clean:
        kept, links = _cleaned(blocks, comments, options)
    else:
        kept, links = readable(page) & ~comments, np.zeros(len(page), dtype=np.bool_)
    if not kept.any():
        raise NothingFound("nothing is left of the part that holds the longest texts")
    return Selection(blocks, kept, comments, _Reasons(blocks, kept, links, comments))


def _cleaned(blocks: Blocks, comments: Bools, options: ReverseOptions) -> tuple[Bools, Bools]:
    """Drop links, the headline, what stands far off and short lines at the ends; return what is kept, and the links."""
    page = blocks.page
    left = readable(page) & ~comments
    links = in_blocks_of_links(page, np.where(left, page.chars, 0), _LINKS)
    kept = left & ~links
    body = kept & ~inside(page, "h1")
    if body.any():
        kept = body
    if kept.any():
        kept &= in_richest_stretch(blocks, kept)
        kept &= ~edges(blocks, kept, options.short_edge, options.date_edge)
    return kept, links


@dataclass(frozen=True, slots=True, eq=False)
class _Reasons:
    """Why a block was kept or dropped, worded on request."""

    blocks: Blocks
    kept: Bools
    links: Bools
    comments: Bools

    def __call__(self, block: int) -> str:
        first, last = int(self.blocks.first[block]), int(self.blocks.last[block])
        if self.kept[first : last + 1].any():
            return "in the element around the densest text"
        if self.comments[first]:
            return "in a section of comments"
        if self.links[first]:
            return "a block of links"
        return "the headline, a short line at an end, or far from the article"
