"""Whether a browser shows a page well enough for its boxes to count, and which of two trees of it has more to give.

A page that lacks its style sheets is a column of links and texts: boxes and fonts then say where its records are not.
Scripts may blank a page, above all where what they load cannot be had. The source knows neither.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pagesieve.errors import NothingFound
from pagesieve.page.rendered import RenderedPage
from pagesieve.page.table import SEEN, Bools, Page
from pagesieve.records.results import Segmentation
from pagesieve.records.static import segment

LEAST_SHOWN = 0.5  # of the text that no attribute or element hides
SLACK = 1.0  # points by which the lists of a page and its source may differ and be the same
FEWER = 0.9  # of the text of a list: with less, and with fewer records, something is missing


def flaw(page: RenderedPage, visible: Bools) -> str | None:
    """Return what is wrong with how a page is shown, or None where its boxes can be relied on."""
    if page.missing_styles:
        sheets = "a style sheet" if page.missing_styles == 1 else f"{page.missing_styles} style sheets"
        return f"{sheets} could not be had"
    meant = int(page.chars[page.visibility == SEEN].sum())
    if page.chars[visible].sum() < LEAST_SHOWN * meant:
        return "most of its text is not to be seen"
    return None


@dataclass(frozen=True, slots=True)
class Found:
    """The best list of a tree: its score, how many records it has, and how much text."""

    score: float
    records: int
    chars: int


def best_list(page: Page) -> Found | None:
    """Return what the best list of a page is like, by its tree alone; None for a page without any."""
    try:
        best: Segmentation = segment(page)[0]
    except NothingFound:
        return None
    rows = np.array([row for record in best.records for row in record], dtype=np.intp)
    return Found(best.score, len(best.records), int(page.text_chars[rows].sum()))


def is_poorer(one: Found | None, other: Found | None) -> bool:
    """Whether one tree has less to give than another: no list, a worse one, or one with parts missing."""
    if one is None or other is None:
        return other is not None
    return one.score < other.score - SLACK or (one.records < other.records and one.chars < FEWER * other.chars)
