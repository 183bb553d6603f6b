"""Layout similarity: the article is the part of a page that a sibling page of the same site does not have.

Two pages of a site share their template. The method removes nodes that are never text from both pages, and then every
subtree that both have, starting with the largest. From the rest, it removes blocks of links, short lines at the ends,
and lines that are far away. It needs no training and works for all languages.

Layout similarity recognises text that recurs on a site, but mistakes all new text for the article. The block model
recognises articles, but not text that recurs. So in the method "sharpened" the model scores the lines, and the
comparison with other pages is evidence that is added to the logarithm of the odds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from pagesieve.errors import NotASibling, NothingFound
from pagesieve.methods.blocks import BlockModel, blocks_by_model, sigmoid
from pagesieve.methods.features import LineFeatures
from pagesieve.methods.lineblocks import amid_the_article, edges, in_richest_stretch
from pagesieve.page import kernel
from pagesieve.page.lines import Blocks, split
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.selection import Reason, Selection
from pagesieve.sites.outlines import EXACT, Outline, Outlined, OutlineOptions, outline, outlined
from pagesieve.threads.comments import comment_rows


@dataclass(frozen=True, slots=True)
class LayoutOptions:
    """The limits of the template. The values were measured on 604 pages of 35 sites."""

    alike: OutlineOptions = OutlineOptions()
    link_density: float = 0.3  # share of links in a link's parent, above which it is removed: 0.25 to 0.3 are usable
    spared: int = 100  # characters: a link's parent with so much text outside of its links is kept
    long_text: int = 60  # characters: so long a text is removed only if two references have it, if there are two
    amid: float = 0.7  # a text of the template is kept if this share of its surroundings is part of the article
    amid_text: int = 100  # characters of such a text
    odd: float = 0.4  # a reference that leaves less than this share of what another one leaves has the same article
    short_edge: int = 20  # characters: shorter lines are removed at the ends
    date_edge: int = 40  # characters: shorter lines with a date are removed there, too
    least_alike: float = 0.08  # share of a page's nodes; a reference that has fewer of them is not a sibling
    most_alike: float = 0.995  # share of a page's text outside of links; a reference that has more has the same article
    refine: bool = True  # whether to apply the line-block distribution function at the end


# The rules of the paper: all attributes are compared, one reference is enough, and there are no exceptions.
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
    """The result of comparing a page with other pages of its site."""

    template: Bools  # the rows of the template
    votes: Ints  # the number of siblings that have each row
    siblings: int
    selection: Selection  # the remaining rows, the article


def layout(page: Page, references: Sequence[Page | Outline], options: LayoutOptions = LayoutOptions()) -> Selection:
    """Select the part of a page that its references, one or more pages of the same site, do not have."""
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
    """Return the rows of the template, the number of siblings that have each row, and the number of siblings.

    A subtree belongs to the template if one reference has it; a long text, if two have it.
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
    """Return the matches with references that are siblings: similar pages with another article.

    `chars` has the number of characters outside of links, of which articles consist.
    """
    shares = [np.count_nonzero(match) / max(len(match), 1) for match in matched]
    alike = [match for match, share in zip(matched, shares, strict=True) if share >= options.least_alike]
    if not alike:
        raise NotASibling(f"the reference is no sibling: only {max(shares):.0%} of the page's nodes stand in it too")
    left = [int(chars[~match].sum()) for match in alike]
    if max(left) <= (1 - options.most_alike) * chars.sum():
        raise NotASibling("the reference has the same article: next to nothing is left without what stands in it too")
    return [match for match, rest in zip(alike, left, strict=True) if rest >= options.odd * max(left)]


# Removing blocks of links after the template


def in_blocks_of_links(page: Page, chars: Ints, options: LayoutOptions) -> Bools:
    """Return the rows to drop as blocks of links. `chars` has the number of remaining characters of each row.

    Rule 1 drops the parent of a link if more than `link_density` of its text, and all but little of it, is in links.
    Rule 2 drops nodes that contain only links and separators.
    """
    gone = kernel.lines.lines.blocks_of_links(page, chars, options.link_density, options.spared)
    return np.frombuffer(gone, dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class _Reasons:
    """The reasons of the decisions about blocks, written on demand."""

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


Floats = NDArray[np.float64]

SURE = 1e-9  # the minimum distance of likelihoods from 0 and 1


@dataclass(frozen=True, slots=True)
class SiteOptions:
    """The changes of a line's log odds. The values were measured on 1,058 pages of 82 sites (docs/methods/auto.md)."""

    recurs: float = -2.0  # other pages of the site have it, too, and it is not inside the article
    aside: float = -1.0  # layout similarity drops it, other pages do not have it, and it is short:
    short: int = 80  # characters
    new: float = 0.3  # layout similarity keeps it
    amid: float = 1.5  # the same, with content before and after it:
    gap: int = 10  # lines between these, at most


def blocks_with_site(
    page: Page,
    model: BlockModel,
    references: Sequence[Page | Outline],
    favor: str | None = None,
    alike: LayoutOptions = LayoutOptions(),
    options: SiteOptions = SiteOptions(),
) -> Selection:
    """Select the content by the model and other pages of the site. Raise the same errors as `layout`."""
    compared = compare(page, references, alike)
    given = {each.name: getattr(model, each.name) for each in fields(BlockModel)}
    selection = blocks_by_model(page, _SiteModel(**given, compared=compared, options=options), favor)
    reasons = _SharpenedReasons(selection.blocks, compared, selection.reason)
    return Selection(selection.blocks, selection.rows, selection.comments, reasons, selection.parts)


@dataclass(frozen=True, eq=False, kw_only=True)
class _SiteModel(BlockModel):
    """A block model for one page that has been compared with other pages of its site."""

    compared: Comparison
    options: SiteOptions

    def score_lines(self, page: Page) -> tuple[LineFeatures, Floats]:
        """Return the lines of the page, and the likelihood of each to be content, corrected by the other pages."""
        features, found = super().score_lines(page)
        likelihood = np.asarray(found)
        blocks, options = features.blocks, self.options
        kept = _mostly(blocks, self.compared.selection.rows)
        recurs = _mostly(blocks, self.compared.template)
        aside = np.where(blocks.chars < options.short, options.aside, 0.0)
        odds = _odds(likelihood) + np.where(kept, 0.0, np.where(recurs, options.recurs, aside))
        amid = _amid(odds >= _odds(np.float64(self.threshold(None))), options.gap)
        return features, sigmoid(odds + np.where(kept, np.where(amid, options.amid, options.new), 0.0))


def _odds(likelihood: Floats | np.float64) -> Floats:
    """Return the logarithms of the odds."""
    sure = np.clip(likelihood, SURE, 1 - SURE)
    odds: Floats = np.log(sure / (1 - sure))
    return odds


def _amid(content: Bools, gap: int) -> Bools:
    """Mark the lines with content before and after them, at most `gap` lines apart."""
    lines, numbers = np.flatnonzero(content), np.arange(len(content))
    if not len(lines):
        return np.zeros(len(content), dtype=np.bool_)
    after = np.searchsorted(lines, numbers, side="right")
    before = np.searchsorted(lines, numbers, side="left") - 1
    ends = (before >= 0) & (after < len(lines))
    close: Bools = lines[np.minimum(after, len(lines) - 1)] - lines[before] <= gap
    return ends & close


def _mostly(blocks: Blocks, rows: Bools) -> Bools:
    """Mark the lines with more than half of their text in marked rows."""
    if not len(blocks):
        return np.zeros(0, dtype=np.bool_)
    own = (blocks.page.chars + blocks.page.hidden_chars)[blocks.rows]
    marked: Bools = 2 * np.add.reduceat(own * rows[blocks.rows], blocks.starts) > np.add.reduceat(own, blocks.starts)
    return marked


@dataclass(frozen=True, slots=True, eq=False)
class _SharpenedReasons:
    """The reasons of the decisions: those of the model, with the number of pages of the site that have the block."""

    blocks: Blocks
    compared: Comparison
    before: Callable[[int], Reason]

    def __call__(self, block: int) -> Reason:
        others, having = self.compared.siblings, int(self.compared.votes[self.blocks.rows_of(block)].max())
        before = self.before(block)
        numbers = {**before.numbers, "pages": having, "of": others}
        if not having:
            return Reason(f"{before.text}; on no other page of the site", before.fate, numbers)
        pages = "the other page" if others == 1 else f"{having} of {others} other pages"
        fate = before.fate if before.fate in _NOT_OF_SITE else "sibling"
        return Reason(f"{before.text}; on {pages} of the site too", fate, numbers)


_NOT_OF_SITE = ("article", "comment", "control")  # fates that other pages do not change
