"""Whether a browser shows a page well enough for its boxes to count, and whether its source holds more.

A page that lacks its style sheets is one column of links and texts, whose boxes and fonts mislead. Scripts may blank a
page, above all where what they load cannot be had. The source suffers from neither.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pagesieve.errors import NothingFound
from pagesieve.page.rendered import RenderedPage
from pagesieve.page.table import Bools, Page
from pagesieve.records.results import Segmentation
from pagesieve.records.static import segment

LEAST_SEEN = 0.5  # of the records of a list
SLACK = 0.5  # points by which the best lists of a page and of its source may differ and be the same
FEWER = 0.9  # of the text of a list: with less, and with fewer records, something is missing


@dataclass(frozen=True, slots=True)
class BestList:
    """The best list of a page by its tree alone: its score, how much text it has, and the rows of each record."""

    score: float
    chars: int
    records: tuple[tuple[int, ...], ...]

    def is_poorer_than(self, other: BestList) -> bool:
        """Whether it is a worse list, or lacks records of the other one."""
        lacks = len(self.records) < len(other.records) and self.chars < FEWER * other.chars
        return lacks or self.score < other.score - SLACK


def best_list(page: Page) -> BestList | None:
    """Return the best list of a page, or None for a page without any."""
    try:
        best = segment(page)[0]
    except NothingFound:
        return None
    rows = np.array([row for record in best.records for row in record], dtype=np.intp)
    return BestList(best.score, int(page.text_chars[rows].sum()), best.records)


def flaw(page: RenderedPage, found: Segmentation, visible: Bools) -> str | None:
    """Return what is wrong with how a page and the list found on it are shown, or None if boxes can be relied on."""
    if page.missing_styles:
        return f"{page.missing_styles} style sheet{'s' * (page.missing_styles > 1)} could not be had"
    seen = page.below(np.where(visible, page.chars, 0)) > 0
    if sum(any(seen[row] for row in record) for record in found.records) < LEAST_SEEN * len(found.records):
        return "most of the list is not to be seen"
    return None
