"""Labels for training and for measuring: which texts of a labelled page are its article.

A line is of the article when most of its words are aligned with the gold. What only repeats the headline is neither
text nor noise: some sets count it in, others do not, and it is found by other means.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pagesieve.evaluate.alignment import matched
from pagesieve.evaluate.archives import Gold
from pagesieve.evaluate.headlines import headlines_of
from pagesieve.evaluate.metrics import body_tokens, tokens
from pagesieve.page.leaves import leaves
from pagesieve.page.table import Bools, Page

LEAST_SHARE = 0.5  # of a block's words in the gold, for it to be text


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Of each text row of a page that was asked for: its words, none for a headline, and how many are the gold's."""

    words: NDArray[np.int64]
    hits: NDArray[np.int64]

    def of_blocks(self, block: NDArray[np.intp], count: int) -> tuple[Bools, Bools]:
        """Of each block, given the block of each row: whether it is text, and whether there is anything to tell."""
        words = np.bincount(block, self.words, count)
        hits = np.bincount(block, self.hits, count)
        return hits >= LEAST_SHARE * np.maximum(words, 1), words > 0


def label(page: Page, rows: NDArray[np.intp], gold: Gold, html: bytes) -> Labels:
    """The labels of some text rows of a page, given its gold and its source."""
    headlines = [tokens(headline) for headline in headlines_of(gold, html)]
    texts = [page.text(row) for row in rows.tolist()]
    words, hits = matched(texts, body_tokens(gold.text, headlines))
    known = {tuple(headline) for headline in headlines if headline}
    for k in np.flatnonzero((hits < words) & (words <= max(map(len, known), default=0))).tolist():
        if tuple(tokens(texts[k])) in known:
            words[k] = hits[k] = 0
    return Labels(words, hits)


@dataclass(frozen=True, slots=True)
class LeafCounts:
    """Leaves of a page by what they are and what became of them: text is the positive class."""

    tp: int
    fp: int
    fn: int


def count_leaves(page: Page, kept: Bools, gold: Gold, html: bytes) -> LeafCounts:
    """Compare what was kept of a page, a mask over its rows, with its gold, leaf by leaf.

    A leaf is kept where some of its text is; one without a word, or that only repeats the headline, does not count.
    """
    found = leaves(page)
    of_text = found.leaf_of_text.astype(np.intp)
    text, known = label(page, found.texts.astype(np.intp), gold, html).of_blocks(of_text, len(found))
    called = np.bincount(of_text, kept[found.texts], len(found)) > 0
    cells = (called & text & known, called & ~text & known, ~called & text & known)
    return LeafCounts(*(int(np.count_nonzero(cell)) for cell in cells))
