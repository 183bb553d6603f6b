"""The lines of a page as numbers, as the block model sees them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pagesieve.articles.comments import hinted_rows
from pagesieve.page import kernel
from pagesieve.page.kernel.feature_table import FIRST_NAMES, SECOND_NAMES, STATED_TYPES
from pagesieve.page.lines import Blocks, split
from pagesieve.page.stated import og_types, stated_texts, stated_titles
from pagesieve.page.table import Bools, Page
from pagesieve.stages import stage

if TYPE_CHECKING:
    from pagesieve.page.kernel.engine import PageLines
    from pagesieve.page.kernel.words import LineWords

FIRST_FEATURES: tuple[str, ...] = FIRST_NAMES
SECOND_FEATURES: tuple[str, ...] = SECOND_NAMES

Floats = NDArray[np.float64]


class LineFeatures:
    """The lines of a page as numbers: a row of features each, the elements around them, and which are alike."""

    def __init__(self, blocks: Blocks, comments: Bools, lines: PageLines) -> None:
        self.blocks = blocks
        self.comments = comments  # the text rows that look like readers' comments
        self.lines = lines  # as the kernel keeps them

    @property
    def title(self) -> int:
        """The line of the page's title, -1 without one."""
        return self.lines.title

    @cached_property
    def values(self) -> NDArray[np.float32]:
        """The features of each line."""
        return np.asarray(self.lines.features)[: len(self.blocks)]

    @property
    def words(self) -> LineWords:
        """What the lines begin with, as the kernel keeps it."""
        words: LineWords = self.lines.words
        return words

    @stage("words")
    def add_words(self, known: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        """Fill in what the words of classes, ids and the text say, given a score for each word."""
        self.lines.add_words(kernel.words.WordTable(known, scores))

    @stage("features")
    def add_context(self, first: Floats) -> None:
        """Fill in the likelihoods of the first stage, from 0 to 1."""
        self.lines.add_context(first)


def describe(page: Page) -> LineFeatures:
    """Return the features of the lines of a page that need no model."""
    blocks, comments = split(page, hidden=True), hinted_rows(page)
    titles = [title.encode() for title in stated_titles(page)]
    types, texts = _stated_types(page), stated_texts(page)
    return LineFeatures(blocks, comments, _read(page, blocks, comments, titles, types, texts))


@stage("features")
def _read(
    page: Page,
    blocks: Blocks,
    comments: Bools,
    titles: list[bytes],
    types: list[bool],
    texts: tuple[bytes, bytes, bytes],
) -> PageLines:
    return kernel.engine.PageLines(page, blocks.columns, comments.view(np.uint8), titles, types, texts)


def _stated_types(page: Page) -> list[bool]:
    """Return which of STATED_TYPES the page says that it is."""
    said = b" ".join(og_types(page))
    return [any(word in said for word in words) for words in STATED_TYPES.values()] if said else []
