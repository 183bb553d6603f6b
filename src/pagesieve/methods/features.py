"""The features of the lines of a page, for the block model, and of the headings that may begin other articles.

Below an article, many pages show the next ones, or the beginnings of others, each in an element of its own. The main
article is the one with the headline of the page. On pages that consist of many articles (threads, lists, front pages),
all of them are the content.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from pagesieve.headlines.headline import find_headline
from pagesieve.page import kernel
from pagesieve.page.kernel.lines.feature_table import FIRST_NAMES, SECOND_NAMES, STORY_NAMES
from pagesieve.page.kernel.lines.unit_table import (
    UNIT_COLUMNS,
    UNIT_KIND,
    UNIT_LINE,
    UNIT_LINE_END,
    UNIT_SECTION,
    UNIT_STORY,
)
from pagesieve.page.kernel.page.name_table import NAME_COMMENT
from pagesieve.page.lines import Blocks, as_mask, split
from pagesieve.page.stated import address, key_strings, stated_titles
from pagesieve.stages import stage
from pagesieve.text.urls import split_url
from pagesieve.text.whitespace import squeeze
from pagesieve.threads.comments import MAX_SHARE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pagesieve.page.kernel.lines.engine import PageLines
    from pagesieve.page.kernel.lines.words import LineWords
    from pagesieve.page.table import Bools, Page

    Floats = NDArray[np.float64]
    from pagesieve.page.kernel.lines.trees import Gates


FIRST_FEATURES: tuple[str, ...] = FIRST_NAMES
SECOND_FEATURES: tuple[str, ...] = SECOND_NAMES


class LineFeatures:
    """The features of the lines of a page, the elements around them, and groups of similar lines."""

    def __init__(self, blocks: Blocks, lines: PageLines) -> None:
        self.blocks = blocks
        self.lines = lines  # in the kernel

    @cached_property
    def comments(self) -> Bools:
        """The text rows that look like readers' comments."""
        return as_mask(self.lines.comments)

    @property
    def title(self) -> int:
        """The line of the page's title, or -1 if there is none."""
        return self.lines.title

    @cached_property
    def values(self) -> NDArray[np.float32]:
        """The features of each line."""
        import numpy as np

        return np.asarray(self.lines.features)[: len(self.blocks)]

    @property
    def words(self) -> LineWords:
        """The first words of the lines, in the kernel's format."""
        words: LineWords = self.lines.words
        return words

    @stage("words")
    def add_words(self, known: Any, scores: Any) -> None:
        """Add the features of the words in classes, ids and the text, by a score for each word."""
        self.lines.add_words(kernel.lines.words.WordTable(known, scores))

    @stage("features")
    def add_context(self, first: Any) -> None:
        """Add the features of the likelihoods of the first stage, from 0 to 1."""
        self.lines.add_context(first)


@stage("features")
def describe(page: Page) -> LineFeatures:
    """Return the features of the lines of a page that need no model."""
    blocks = split(page, hidden=True)
    return LineFeatures(blocks, kernel.lines.engine.PageLines(page, blocks.columns, hinted_rows(page), key_strings))


@stage("comments")
def hinted_rows(page: Page) -> bytearray:
    """Return a mask, with a byte for each row, of the text rows below elements whose class or id hints at comments."""
    found: bytearray = kernel.page.names.texts_in(page, NAME_COMMENT, MAX_SHARE)
    return found


STORY_FEATURES: tuple[str, ...] = STORY_NAMES
STORY_LIKELIHOOD = 0.75  # the likelihood from which a heading begins another article
MIN_TEXT = 100  # characters of likely content of the main article
MIN_OTHERS = 2  # other articles: a single one may be a part of the main article
MIN_HEADLINE = 12  # bytes: any article may contain a shorter headline
MORE_THAN_HEADLINE = 1.5  # the maximum length of the line with the headline, in lengths of the headline
MAX_LINES = 200  # that may contain the headline
OPENING = 4  # lines at the beginning of an article in which its heading is


class _Story(NamedTuple):
    """An article element: its number among the units, its lines, and its characters of likely content."""

    unit: int
    first: int
    end: int
    text: int

    def holds(self, lines: list[int]) -> bool:
        """Whether it contains one of the lines."""
        return any(self.first <= line < self.end for line in lines)


@stage("the next article")
def other_stories(blocks: Blocks, units: array[int], likelihood: Sequence[float], threshold: float) -> bytearray:
    """Mark the units that are other articles, by the likelihoods of the lines and the threshold.

    `units` is the kernel's table.
    """
    others = bytearray(len(units) // UNIT_COLUMNS)
    stories = _outermost(blocks, units, likelihood, threshold)
    if sum(story.text > 0 for story in stories) < 2 or _is_home(address(blocks.page)):
        return others
    found = _next_to_headline(units, stories, _headline_lines(blocks))
    if len(found) >= MIN_OTHERS and _is_article(blocks.page):
        for story in found:
            others[story.unit] = 1
    return others


def _is_article(page: Page) -> bool:
    """Whether the kind of a page is article. Few pages need this check."""
    from pagesieve.kinds.kind import kind

    return kind(page) == "article"


@stage("the next article")
def story_headings(
    described: LineFeatures, likelihood: Any, threshold: float
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return the lines of the headings that may begin another article, and the features of each."""
    import numpy as np

    found, told = described.lines.headings(likelihood, threshold)
    return np.array(found, dtype=np.int32), np.frombuffer(told, dtype=np.float32).reshape(-1, len(STORY_FEATURES))


def first_apart(described: LineFeatures, headings: Iterable[int], likelihood: Iterable[float]) -> bytearray | None:
    """Return the lines of the first article that a heading begins, by the likelihoods of the headings, or None."""
    begins = (line for line, own in zip(headings, likelihood, strict=True) if own >= STORY_LIKELIHOOD)
    return _lines_apart(described, next(begins, -1))


@stage("the next article")
def story_apart(
    described: LineFeatures, forest: tuple[Gates, float], likelihood: Any, threshold: float
) -> bytearray | None:
    """Return the lines of another article than the page's own, by a forest over its headings; None without one.

    The forest is given by its gates and its baseline, as the kernel reads it.
    """
    return _lines_apart(described, described.lines.next_article(*forest, likelihood, threshold, STORY_LIKELIHOOD))


def _lines_apart(described: LineFeatures, heading: int) -> bytearray | None:
    """Return the lines of the article that a heading begins, or None; heading -1 means none.

    The article has the lines from its heading on that are no closer to the main text than the heading. Pages that are
    not a single article have no other articles.
    """
    if heading < 0 or not _is_article(described.blocks.page):
        return None
    apart: bytearray = described.lines.apart(heading)
    return apart


def _outermost(blocks: Blocks, units: array[int], likelihood: Sequence[float], threshold: float) -> list[_Story]:
    """Return the articles that are not inside another one, if there are enough of them."""
    found, last, chars = list[_Story](), -1, blocks.columns[1]
    for unit, kind in enumerate(units[UNIT_KIND::UNIT_COLUMNS]):
        at = unit * UNIT_COLUMNS
        if kind == UNIT_STORY and units[at + UNIT_LINE] >= last:
            first, last = units[at + UNIT_LINE], units[at + UNIT_LINE_END]
            text = sum(chars[line] for line in range(first, last) if likelihood[line] >= threshold)
            found.append(_Story(unit, first, last, text))
    return found if len(found) > MIN_OTHERS else []


def _is_home(url: str | None) -> bool:
    """Whether a URL is that of a home page."""
    parts = split_url(url or "")
    return url is not None and not parts.path.strip("/") and not parts.query


def _headline_lines(blocks: Blocks) -> list[int]:
    """Return the lines with the page's headline, if a stated title has it, too."""

    page, chars = blocks.page, blocks.columns[1]
    key = squeeze(find_headline(page))
    if len(key.encode()) < MIN_HEADLINE or not _is_stated(page, key):
        return []
    # Case folding can make two letters of one.
    near = [line for line in range(len(blocks)) if len(key) / 2 <= chars[line] <= MORE_THAN_HEADLINE * len(key)]
    return [line for line in near[:MAX_LINES] if key in squeeze(blocks.text(line))]


def _is_stated(page: Page, key: str) -> bool:
    """Whether a stated title contains the squeezed headline, or the other way round."""
    titles = map(squeeze, stated_titles(page))
    return any(key in title or (len(title) >= MIN_HEADLINE and title in key) for title in titles)


def _next_to_headline(units: array[int], stories: list[_Story], places: list[int]) -> list[_Story]:
    """Return the articles except the first one at or after the headline, or none if that one has another heading."""
    after = [story for story in stories if places and story.text >= MIN_TEXT and story.end > places[0]]
    if not after:
        return []
    if after[0].holds(places):
        return [story for story in stories if not story.holds(places) or story.text < MIN_TEXT]
    return [] if _is_headed(units, after[0]) else [story for story in stories if _is_headed(units, story)]


def _is_headed(units: array[int], story: _Story) -> bool:
    """Whether a heading is among the first lines of an article."""
    lines = range(story.first, min(story.end, story.first + OPENING))
    pairs = zip(units[UNIT_KIND::UNIT_COLUMNS], units[UNIT_LINE::UNIT_COLUMNS], strict=True)
    return any(kind == UNIT_SECTION and line in lines for kind, line in pairs)
