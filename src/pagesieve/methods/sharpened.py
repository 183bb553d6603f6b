"""The method "sharpened": the block model, whose likelihoods are corrected by other pages of the site.

Layout similarity recognises text that recurs on a site, but mistakes all new text for the article. The block model
recognises articles, but not text that recurs. So the model scores the lines, and the comparison with other pages is
evidence that is added to the logarithm of the odds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from pagesieve.methods.blocks import BlockModel, blocks_by_model, sigmoid
from pagesieve.methods.features import LineFeatures
from pagesieve.methods.layout import Comparison, LayoutOptions, compare
from pagesieve.page.lines import Blocks
from pagesieve.page.table import Bools, Page
from pagesieve.selection import Reason, Selection
from pagesieve.sites.outlines import Outline

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
    reasons = _Reasons(selection.blocks, compared, selection.reason)
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
class _Reasons:
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
