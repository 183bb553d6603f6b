"""Find the headline of a page, on which its visible texts, its stated titles and a catalogue page agree.

The kernel collects candidates (headings, visible lines with words of a stated title, stated titles and their parts,
external titles), compares them with the stated titles, and selects the best one. The rule `paper` is that of the paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pagesieve.page import kernel
from pagesieve.page.kernel.constants import MAX_FACT_LENGTH
from pagesieve.page.kernel.page.cache import kept
from pagesieve.page.kernel.tags import TAG_ID
from pagesieve.page.lines import marks_inside
from pagesieve.page.stated import address, document_title
from pagesieve.page.table import Page
from pagesieve.selection import Reason, Selection
from pagesieve.stages import stage
from pagesieve.text.whitespace import fold

RULES = ("default", "paper")

# The weight of each sign, fitted by research/fit_headline.py. No training set has external titles, so their weight is
# set to about that of the address.
WEIGHTS = {
    "h1": 2.3,
    "h2": 1.5,
    "line": 0.5,
    "visible": -5.4,
    "visible and like the title": 4.3,
    "like the title": -1.2,
    "visible and inside a stated title": 2.2,
    "visible and a long part of a title": 1.3,
    "the whole title": -1.4,
    "end of the title": -1.8,
    "more than the title": -2.2,
    "like a declared title": 1.7,
    "like the address": 3.6,
    "the only h1": 0.8,
    "like the site's name": -0.4,
    "linked": -1.0,
    "aside": -1.2,
    "alike": -0.9,
    "before the text": 1.7,
    "leads home": -1.9,
    "itemprop": 1.3,
    "like an external title": 4.0,
    "an external title": 1.0,
}

_WEIGHTS = tuple(WEIGHTS.values())

_MAX_OF_PAPER = 1000  # headings; the paper has no limit
_MAX_EXTERNAL = 20
_H1, _H6 = TAG_ID["h1"], TAG_ID["h6"]
_HEADINGS = "h1 h2 h3 h4 h5 h6"
_HEADLINE = Reason("the headline", "headline")


class HeadlineOptions(NamedTuple):
    """The rule that selects the headline: `default` or `paper`."""

    rule: str = "default"


DEFAULT = HeadlineOptions()


@stage("headline")
def find_headline(page: Page, external: Iterable[str] = (), options: HeadlineOptions = DEFAULT) -> str:
    """Return the headline of a page with blanks folded, or an empty string. `external` has titles from other pages."""
    titles = _external_titles(external) if external else []
    # Rules of style sheets are ignored: some themes hide the headline with one because a picture shows it.
    page = page.showing(marks_inside(page, _HEADINGS), rules=False)
    if options.rule == "paper":
        return _paper_headline(page, titles)
    return _best_headline(page, titles) if titles else _own_headline(page)


@kept
def _own_headline(page: Page) -> str:
    """Return the headline without external titles."""
    plain: str = kernel.page.headline.plain_headline(page)
    return plain or _best_headline(page, ())


def _external_titles(given: Iterable[str]) -> list[str]:
    """Return the first distinct external titles, with blanks folded."""
    folded = (fold(title.encode("utf-8", "replace").decode()) for title in given)
    return list(dict.fromkeys(title for title in folded if 0 < len(title) <= MAX_FACT_LENGTH))[:_MAX_EXTERNAL]


def _paper_headline(page: Page, external: Sequence[str]) -> str:
    """Return the external title or heading that is most similar to `<title>`."""
    import numpy as np

    rows = np.flatnonzero((page.tag >= _H1) & (page.tag <= _H6))[:_MAX_OF_PAPER].tolist()
    headings = [fold(page.text(row))[:MAX_FACT_LENGTH] for row in rows]
    candidates = [*external, *(heading for heading in headings if heading)]
    title = document_title(page) or next(iter(external), "")
    return max(candidates, key=kernel.page.headline.Pattern(title).similarity, default="")


def _best_headline(page: Page, external: Sequence[str]) -> str:
    """Return the candidate with the most signs of a headline."""
    witnesses = kernel.page.headline.witnesses_of(page, external, address(page) or "")
    best: str = kernel.page.headline.best(page, witnesses, _WEIGHTS)
    return best


@stage("the headline in the body")
def without_headline(selection: Selection, title: str) -> Selection:
    """Drop the blocks that only repeat the headline, unless nothing else is kept.

    Blocks with the headline that were dropped before get the fate `headline`, too.
    """
    blocks = selection.blocks
    found = kernel.page.headline.repeating_lines(blocks.page, *blocks.buffers(), selection.row_marks, title)
    return selection.without(frozenset(found), _HEADLINE) if found else selection
