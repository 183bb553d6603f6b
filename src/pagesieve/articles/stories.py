"""Several articles on one page: which of them are not the page's own.

Below an article, many pages show the next ones, or the beginnings of others, each in an element of its own. The one
that holds the headline of the page is the page's; on pages that are made of many (threads, lists, homes), all are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pagesieve.articles.kind import kind
from pagesieve.headlines.headline import find_headline
from pagesieve.page.kernel.unit_table import UNIT_SECTION, UNIT_STORY
from pagesieve.page.lines import Blocks
from pagesieve.page.stated import document_title, linked_headlines, meta
from pagesieve.page.table import Bools, Page
from pagesieve.page.units import Units
from pagesieve.text.urls import split_url
from pagesieve.text.whitespace import squeeze

LEAST_TEXT = 100  # characters that are likely content, for an article to be the page's own
LEAST_HEADLINE = 12  # bytes: a shorter one may stand in any article
MORE_THAN_HEADLINE = 1.5  # times as long as the headline may be the line that holds it
MOST_LINES = 200  # that may hold the headline
OPENING = 4  # lines at the beginning of an article, where its heading stands

Mask = NDArray[np.uint8]


def other_stories(blocks: Blocks, units: Units, likely: Bools) -> Mask:
    """Mark the units that are articles other than the page's own, given which lines are likely content."""
    others = np.zeros(len(units), dtype=np.uint8)
    stories = _outermost(units)
    text = {story: _likely_text(blocks, units, story, likely) for story in stories}
    if np.count_nonzero([*text.values()]) < 2 or _is_home(blocks.page.url):
        return others
    places = _headline_lines(blocks)
    if not places:
        return others
    own = [story for story in stories if text[story] >= LEAST_TEXT]
    found = _around_headline(units, stories, own, places) or _after_headline(units, stories, own, places)
    if found and kind(blocks.page) == "article":
        others[found] = 1
    return others


def _outermost(units: Units) -> list[int]:
    """Return the articles that are not inside of another."""
    found, end = [], -1
    for unit in np.flatnonzero(units.kind == UNIT_STORY).tolist():
        if units.line[unit] >= end:
            found.append(unit)
            end = int(units.line_end[unit])
    return found if len(found) > 1 else []


def _likely_text(blocks: Blocks, units: Units, story: int, likely: Bools) -> int:
    """Return how many characters of an article are likely content."""
    lines = slice(units.line[story], units.line_end[story])
    return int(blocks.chars[lines][likely[lines]].sum())


def _is_home(url: str | None) -> bool:
    """Whether a URL is that of a site itself."""
    parts = split_url(url or "")
    return url is not None and not parts.path.strip("/") and not parts.query


def _headline_lines(blocks: Blocks) -> list[int]:
    """Return the lines that hold the page's headline, if a title that the page states has it too."""
    page = blocks.page
    key = squeeze(find_headline(page))
    if len(key.encode()) < LEAST_HEADLINE or not _is_stated(page, key):
        return []
    # A letter may be two when its case is folded.
    near = (blocks.chars >= len(key) / 2) & (blocks.chars <= MORE_THAN_HEADLINE * len(key))
    return [line for line in np.flatnonzero(near)[:MOST_LINES].tolist() if key in squeeze(blocks.text(line))]


def _is_stated(page: Page, key: str) -> bool:
    """Whether a headline, squeezed, is in a title that the page states, or the other way round."""
    stated = [document_title(page), *(text for _, text in meta(page).firsts("og:title", "twitter:title"))]
    titles = map(squeeze, [*stated, *linked_headlines(page)])
    return any(key in title or (len(title) >= LEAST_HEADLINE and title in key) for title in titles)


def _around_headline(units: Units, stories: list[int], own: list[int], places: list[int]) -> list[int]:
    """Return the other articles where one or more hold the headline."""
    holding = [story for story in own if any(units.line[story] <= place < units.line_end[story] for place in places)]
    return [story for story in stories if story not in holding] if holding else []


def _after_headline(units: Units, stories: list[int], own: list[int], places: list[int]) -> list[int]:
    """Return the other articles where the first one after the headline has no heading of its own, and others have."""
    after = [story for story in own if units.line[story] >= places[0]]
    if not after or _is_headed(units, after[0]):
        return []
    return [story for story in stories if story != after[0] and _is_headed(units, story)]


def _is_headed(units: Units, story: int) -> bool:
    """Whether a heading is among the first lines of an article."""
    first, end = units.line[story], min(units.line_end[story], units.line[story] + OPENING)
    return bool(((units.kind == UNIT_SECTION) & (units.line >= first) & (units.line < end)).any())
