"""Layout similarity: the article is what a sibling page of the same site does not have.

Two pages of a site share their template. Both are cleared of what is never text; then every subtree of the page that
also stands in the sibling goes, from the outside in; what is left loses its blocks of links. It needs no training and
knows no language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pagesieve.articles.blocks import Blocks, split
from pagesieve.articles.comments import comment_rows
from pagesieve.articles.lineblocks import LineBlockOptions, block_sums, richest_stretch
from pagesieve.errors import NothingFound, Unlike
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.page.tags import TAG_ID
from pagesieve.results import Selection
from pagesieve.sites.outlines import Outline, OutlineOptions, outline, outline_rows, text_chars

# What may stand between the links of a list of links.
SEPARATORS = frozenset(" \t\r\n\f_-|[](){}<>【】（）「」«»‹›·•/,，、\u00a0\u3000")


@dataclass(frozen=True, slots=True)
class LayoutOptions:
    """When a node belongs to the template, and what goes with it."""

    alike: OutlineOptions = OutlineOptions()
    link_density: float = 0.3  # of a link's parent, above which it goes: 0.25 to 0.3 are usable
    refine: bool = False  # whether the line-block distribution function has the last word
    long_text: int = 60  # characters: so much text goes only if two references have it, where there are two
    odd: float = 0.4  # a reference that leaves less than this share of what another leaves has the same article
    least_alike: float = 0.02  # a page of whose nodes fewer stand in the reference is no sibling
    most_alike: float = 0.995  # one of whose text outside of links more stands in it has the same article


def layout(page: Page, references: Sequence[Page | Outline], options: LayoutOptions = LayoutOptions()) -> Selection:
    """What is left of a page without what stands in its references: one, or several of the same site."""
    if not references:
        raise NothingFound("no other page of the site to compare with")
    own = text_chars(page)
    rows = outline_rows(page, options.alike)
    found = outline(page, options.alike)
    others = [other if isinstance(other, Outline) else outline(other, options.alike) for other in references]
    unlinked = np.where(page.linked[rows] > 0, 0, own[rows])
    matched = _of_siblings(unlinked, [found.found_in(other) for other in others], options)
    template = np.zeros(len(page), dtype=np.bool_)
    template[rows] = _in_template(page.text_chars[rows], matched, options)
    left = (own > 0) & ~template
    links = in_blocks_of_links(page, own * left, options.link_density)
    comments = comment_rows(page)
    kept = left & ~links & ~comments
    blocks = split(page)
    if options.refine:
        kept &= _richest(blocks, kept)
    if not kept.any():
        raise Unlike("nothing is left without what stands in the reference too")
    return Selection(blocks, kept, comments, _Reasons(blocks, kept, template, links, comments, len(matched)))


def _of_siblings(chars: Ints, matched: list[Bools], options: LayoutOptions) -> list[Bools]:
    """The matches with references that are siblings: alike, and not the same article once more.

    `chars` is the text outside of links, which is what articles are made of.
    """
    shares = [float(match.mean()) if len(match) else 0.0 for match in matched]
    alike = [match for match, share in zip(matched, shares, strict=True) if share >= options.least_alike]
    if not alike:
        raise Unlike(f"the reference is no sibling: only {max(shares):.0%} of the page's nodes stand in it too")
    left = [int(chars[~match].sum()) for match in alike]
    if max(left) <= (1 - options.most_alike) * chars.sum():
        raise Unlike("the reference has the same article: next to nothing is left without what stands in it too")
    return [match for match, rest in zip(alike, left, strict=True) if rest >= options.odd * max(left)]


def _in_template(chars: Ints, matched: list[Bools], options: LayoutOptions) -> Bools:
    """Which rows belong to the template: one reference that has a subtree is enough, for a long text two."""
    votes = np.sum(matched, axis=0)
    needed = np.where(chars > options.long_text, min(2, len(matched)), 1)
    return np.asarray(votes >= needed)


def in_blocks_of_links(page: Page, chars: Ints, density: float) -> Bools:
    """The rows that go with their links, given how much text is left in each row.

    Rule 1: the parent of a link goes when more than `density` of its text is in links. Rule 2: a node that holds
    nothing but links and separators goes.
    """
    text, linked = page.below(chars), page.below(chars * page.linked)
    links = np.flatnonzero((page.tag == TAG_ID["a"]) & (page.linked > 0) & (text > 0))
    parents = np.unique(page.parent[links])
    dense = parents[linked[parents] > density * text[parents]]
    return _inside(page, np.concatenate([dense, _nothing_but_links(page, chars)]))


def _nothing_but_links(page: Page, chars: Ints) -> Ints:
    """The topmost rows whose text is all in links, but for separators."""
    outside = np.flatnonzero((chars > 0) & (page.linked == 0))
    words = [row for row in outside.tolist() if not SEPARATORS.issuperset(page.text(row))]
    marks = np.zeros(len(page), dtype=np.int32)
    marks[words] = 1
    only = (page.below(marks) == 0) & (page.below(chars * page.linked) > 0)
    only[1:] &= ~only[page.parent[1:]]
    return np.flatnonzero(only).astype(np.int32)


def _inside(page: Page, rows: Ints) -> Bools:
    """These rows and all below them, as a mask."""
    depth = np.zeros(len(page) + 1, dtype=np.int32)
    np.add.at(depth, rows, 1)
    np.add.at(depth, page.end[rows], -1)
    return np.cumsum(depth[:-1]) > 0


def _richest(blocks: Blocks, kept: Bools) -> Bools:
    """The rows of the richest stretch of lines, of those that are kept."""
    options = LineBlockOptions()
    weights = np.add.reduceat((blocks.page.chars * kept)[blocks.rows], blocks.starts).astype(np.int32)
    start, stop = richest_stretch(weights, block_sums(weights, options.lines), options)
    stretch = np.zeros(len(blocks), dtype=np.bool_)
    stretch[start:stop] = True
    return blocks.mask(stretch)


@dataclass(frozen=True, slots=True, eq=False)
class _Reasons:
    """Why a block was kept or dropped."""

    blocks: Blocks
    kept: Bools
    template: Bools
    links: Bools
    comments: Bools
    references: int

    def __call__(self, block: int) -> str:
        row = int(self.blocks.first[block])
        pages = "the reference page" if self.references == 1 else f"the {self.references} reference pages"
        if self.kept[row : int(self.blocks.last[block]) + 1].any():
            return f"not in {pages}"
        if self.template[row]:
            return f"template: stands in {pages} too"
        if self.links[row]:
            return "a block of links"
        if self.comments[row]:
            return "in a section of comments"
        if self.kept.any() and not self.template[row]:
            return "in a form, or outside the richest stretch"
        return "not text"
