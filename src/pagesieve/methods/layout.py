"""Layout similarity: the article is what a sibling page of the same site does not have.

Two pages of a site share their template. What is never text is removed from both; then every subtree of the page that
the sibling has too is removed, from the outside in; what is left loses its blocks of links, the short lines at its ends
and what is far from the rest. It needs neither training nor a language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pagesieve.errors import NotASibling, NothingFound
from pagesieve.methods.lineblocks import amid_the_article, edges, in_richest_stretch
from pagesieve.page import kernel
from pagesieve.page.lines import Blocks, split
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.selection import Reason, Selection
from pagesieve.sites.outlines import EXACT, Outline, Outlined, OutlineOptions, outline, outlined
from pagesieve.threads.comments import comment_rows


@dataclass(frozen=True, slots=True)
class LayoutOptions:
    """When a node belongs to the template, and what goes with it. The values were measured on 604 pages of 35 sites."""

    alike: OutlineOptions = OutlineOptions()
    link_density: float = 0.3  # of a link's parent, above which it goes: 0.25 to 0.3 are usable
    spared: int = 100  # characters: a link's parent with as much text outside of its links stays
    long_text: int = 60  # characters: so much text goes only if two references have it, where there are two
    amid: float = 0.7  # a text of the template stays where this share of what is around it is the article's
    amid_text: int = 100  # characters of such a text
    odd: float = 0.4  # a reference that leaves less than this share of what another leaves has the same article
    short_edge: int = 20  # characters: shorter lines go from the ends of what is left
    date_edge: int = 40  # characters: shorter lines with a date go from there too
    least_alike: float = 0.08  # of a page's nodes; a reference that has fewer of them is no sibling
    most_alike: float = 0.995  # of a page's text outside of links; a reference that has more has the same article
    refine: bool = True  # whether the line-block distribution function has the last word


# As in the paper: every attribute counts, one reference decides, and nothing is spared.
PAPER = LayoutOptions(
    alike=EXACT,
    spared=10**9,
    long_text=10**9,
    amid=2.0,
    odd=0.0,
    short_edge=0,
    date_edge=0,
    least_alike=0.0,
    refine=False,
)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """What other pages of the site say of a page's rows."""

    template: Bools  # those that belong to the template
    votes: Ints  # how many of the siblings have each row too
    siblings: int
    selection: Selection  # what is left as the article


def layout(page: Page, references: Sequence[Page | Outline], options: LayoutOptions = LayoutOptions()) -> Selection:
    """Keep what is left of a page without what is in its references: one or more pages of the same site."""
    return compare(page, references, options).selection


def compare(page: Page, references: Sequence[Page | Outline], options: LayoutOptions = LayoutOptions()) -> Comparison:
    """Compare a page with its references, row by row."""
    if not references:
        raise NothingFound("no other page of the site to compare with")
    found = outlined(page, options.alike)
    own = found.chars
    template, votes, siblings = _template(page, found, references, options)
    left = (own > 0) & ~template
    links = in_blocks_of_links(page, own * left, options)
    comments = comment_rows(page)
    kept = left & ~links & ~comments
    blocks = split(page)
    kept |= amid_the_article(blocks, kept, template & ~comments, options.amid, options.amid_text)
    kept &= ~edges(blocks, kept, options.short_edge, options.date_edge)
    if options.refine and kept.any():
        kept &= in_richest_stretch(blocks, kept)
    if not kept.any():
        raise NotASibling("nothing is left without what stands in the reference too")
    reasons = _Reasons(blocks, kept, left, template, links, comments, len(references))
    return Comparison(template, votes, siblings, Selection(blocks, kept, comments, reasons))


# The template


def _template(
    page: Page, found: Outlined, references: Sequence[Page | Outline], options: LayoutOptions
) -> tuple[Bools, Ints, int]:
    """Return the rows that belong to the template, how many siblings have each row, and the number of siblings.

    One reference that has a subtree is enough, for a long text two.
    """
    rows = found.rows
    others = (other if isinstance(other, Outline) else outline(other, options.alike) for other in references)
    unlinked = np.where(page.linked[rows] > 0, 0, found.chars[rows])
    matched = _of_siblings(unlinked, [found.outline.found_in(other) for other in others], options)
    needed = np.where(page.text_chars[rows] > options.long_text, min(2, len(matched)), 1)
    votes = np.zeros(len(page), dtype=np.int32)
    for match in matched:
        votes[rows] += match
    template = np.zeros(len(page), dtype=np.bool_)
    template[rows] = votes[rows] >= needed
    return template, votes, len(matched)


def _of_siblings(chars: Ints, matched: list[Bools], options: LayoutOptions) -> list[Bools]:
    """Return the matches with references that are siblings: similar pages, but not the same article.

    `chars` is the text outside of links, of which articles are made.
    """
    shares = [np.count_nonzero(match) / max(len(match), 1) for match in matched]
    alike = [match for match, share in zip(matched, shares, strict=True) if share >= options.least_alike]
    if not alike:
        raise NotASibling(f"the reference is no sibling: only {max(shares):.0%} of the page's nodes stand in it too")
    left = [int(chars[~match].sum()) for match in alike]
    if max(left) <= (1 - options.most_alike) * chars.sum():
        raise NotASibling("the reference has the same article: next to nothing is left without what stands in it too")
    return [match for match, rest in zip(alike, left, strict=True) if rest >= options.odd * max(left)]


# What goes when the template is gone


def in_blocks_of_links(page: Page, chars: Ints, options: LayoutOptions) -> Bools:
    """Return the rows to drop as blocks of links, given how much text is left in each row.

    Rule 1: the parent of a link goes when more than `link_density` of its text is in links, and little is not. Rule 2:
    a node that has nothing but links and separators goes.
    """
    gone = kernel.lines.lines.blocks_of_links(page, chars, options.link_density, options.spared)
    return np.frombuffer(gone, dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class _Reasons:
    """Why a block was kept or dropped; the text is made on demand."""

    blocks: Blocks
    kept: Bools
    left: Bools
    template: Bools
    links: Bools
    comments: Bools
    references: int

    def __call__(self, block: int) -> Reason:
        first, last = self.blocks.rows_of(block)[[0, -1]].tolist()
        pages = "the reference page" if self.references == 1 else f"the {self.references} reference pages"
        if self.kept[first : last + 1].any():
            told = f"amid the article, though in {pages} too" if self.template[first] else f"not in {pages}"
            return Reason(told, "article")
        if self.comments[first]:
            return Reason("in a section of comments", "comment")
        if self.template[first]:
            return Reason(f"template: stands in {pages} too", "sibling")
        if self.links[first]:
            return Reason("a block of links", "list")
        if self.left[first]:
            return Reason("a short line at an end, or far from the article", "rule")
        return Reason("in a form", "control")
