"""Several articles on one page: which of them are not the page's own.

Below an article, many pages show the next ones, or the beginnings of others, each in an element of its own. The one
that holds the headline of the page is the page's; on pages that are made of many (threads, lists, homes), all are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pagesieve.articles.kind import kind
from pagesieve.articles.line_features import Floats, LineFeatures
from pagesieve.headlines.headline import find_headline
from pagesieve.page.kernel.feature_table import FIRST_NAMES, STORY_NAMES
from pagesieve.page.kernel.unit_table import UNIT_SECTION, UNIT_STORY
from pagesieve.page.lines import Blocks
from pagesieve.page.stated import address, stated_titles
from pagesieve.page.table import Bools, Page
from pagesieve.page.units import Units
from pagesieve.stages import stage
from pagesieve.text.urls import split_url
from pagesieve.text.whitespace import squeeze

STORY_FEATURES: tuple[str, ...] = STORY_NAMES
# The share of the page that the smallest element with a line and the beginning of the text holds.
_HOME_AROUND = FIRST_NAMES.index("home_around")
STORY_LIKELIHOOD = 0.75  # from which a heading begins another article
LEAST_TEXT = 100  # characters that are likely content, for an article to be the page's own
LEAST_OTHERS = 2  # articles: a single one may be a part of the page's own
LEAST_HEADLINE = 12  # bytes: a shorter one may stand in any article
MORE_THAN_HEADLINE = 1.5  # times as long as the headline may be the line that holds it
MOST_LINES = 200  # that may hold the headline
OPENING = 4  # lines at the beginning of an article, where its heading stands

Mask = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class _Story:
    """An article element: its number among the units, its lines, and how many characters are likely content."""

    unit: int
    first: int
    end: int
    text: int

    def holds(self, lines: list[int]) -> bool:
        """Whether one of some lines is in it."""
        return any(self.first <= line < self.end for line in lines)


@stage("the next article")
def other_stories(blocks: Blocks, units: Units, likely: Bools) -> Mask:
    """Mark the units that are articles other than the page's own, given which lines are likely content."""
    others = np.zeros(len(units), dtype=np.uint8)
    stories = _outermost(blocks, units, likely)
    if sum(story.text > 0 for story in stories) < 2 or _is_home(address(blocks.page)):
        return others
    found = _next_to_headline(units, stories, _headline_lines(blocks))
    if len(found) >= LEAST_OTHERS and kind(blocks.page) == "article":
        others[[story.unit for story in found]] = 1
    return others


@stage("the next article")
def story_headings(
    described: LineFeatures, likelihood: Floats, threshold: float
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return the headings of a page that may begin another article, by their lines, and the features of each."""
    found, told = described.lines.headings(likelihood, threshold)
    return np.array(found, dtype=np.int32), np.frombuffer(told, dtype=np.float32).reshape(-1, len(STORY_FEATURES))


def first_apart(described: LineFeatures, headings: NDArray[np.int32], likelihood: Floats) -> Bools | None:
    """Return the lines of the first article that one of the headings begins, given how likely each does; or None.

    The article has the lines from its heading on that are no closer to the page's own text than the heading is. Pages
    that are no single article have no other ones.
    """
    begins = likelihood >= STORY_LIKELIHOOD
    if not begins.any() or kind(described.blocks.page) != "article":
        return None
    heading = int(headings[begins.argmax()])
    around = described.values[:, _HOME_AROUND]
    apart: Bools = around >= around[heading] - 1e-6
    apart[:heading] = False
    return apart


def _outermost(blocks: Blocks, units: Units, likely: Bools) -> list[_Story]:
    """Return the articles that are not inside of another, if they are enough."""
    found, last = list[_Story](), -1
    numbers = np.flatnonzero(units.kind == UNIT_STORY)
    if len(numbers) <= LEAST_OTHERS:
        return found
    places = (column[numbers].tolist() for column in (units.line, units.line_end))
    for unit, first, end in zip(numbers.tolist(), *places, strict=True):
        if first >= last:
            text = int(blocks.chars[first:end][likely[first:end]].sum())
            found.append(_Story(unit, first, end, text))
            last = end
    return found if len(found) > LEAST_OTHERS else []


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
    titles = map(squeeze, stated_titles(page))
    return any(key in title or (len(title) >= LEAST_HEADLINE and title in key) for title in titles)


def _next_to_headline(units: Units, stories: list[_Story], places: list[int]) -> list[_Story]:
    """Return the articles other than the first one at or after the headline; none where that has another heading."""
    after = [story for story in stories if places and story.text >= LEAST_TEXT and story.end > places[0]]
    if not after:
        return []
    if after[0].holds(places):
        return [story for story in stories if not story.holds(places) or story.text < LEAST_TEXT]
    return [] if _is_headed(units, after[0]) else [story for story in stories if _is_headed(units, story)]


def _is_headed(units: Units, story: _Story) -> bool:
    """Whether a heading is among the first lines of an article."""
    near = (units.line >= story.first) & (units.line < min(story.end, story.first + OPENING))
    return bool((near & (units.kind == UNIT_SECTION)).any())
