"""The lines of a page as numbers, as the block model sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagesieve.articles.comments import hinted_rows
from pagesieve.page import kernel
from pagesieve.page.kernel.feature_table import FIRST_NAMES, LEVELS, SECOND_NAMES, STATED_TYPES
from pagesieve.page.lines import Blocks, split
from pagesieve.page.stated import og_types, stated_texts, stated_titles
from pagesieve.page.table import Bools, Page
from pagesieve.stages import stage

FIRST_FEATURES: tuple[str, ...] = FIRST_NAMES
SECOND_FEATURES: tuple[str, ...] = SECOND_NAMES
_STATED = slice(FIRST_NAMES.index("page_is_article"), FIRST_NAMES.index("page_is_site") + 1)
# Columns of what the page states: of the line, of the page.
_BODY, _PARTS = (
    (FIRST_NAMES.index(f"said_{name}"), FIRST_NAMES.index(f"said_{name}_page")) for name in ("body", "other")
)
_SUMMARY = FIRST_NAMES.index("said_description")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class LineFeatures:
    """The lines of a page as numbers: a row of features each, the elements around them, and which are alike."""

    blocks: Blocks
    comments: Bools  # the text rows that look like readers' comments
    values: NDArray[np.float32]
    containers: NDArray[np.int32]
    groups: NDArray[np.int32]
    words: Any  # what the lines begin with, as the kernel keeps it
    lines: Any  # the lines, as the kernel keeps them
    title: int  # the line of the page's title, -1 without one

    @stage("words")
    def add_words(self, known: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        """Fill in what the words of classes, ids and the text say, given a score for each word."""
        blocks = self.blocks
        kernel.words.describe_words(blocks.page, self.containers, known, scores, self.values)
        kernel.words.describe_text(self.words, known, scores, self.values)

    @stage("features")
    def add_context(self, first: Floats) -> None:
        """Fill in the likelihoods of the first stage, from 0 to 1."""
        blocks = self.blocks
        kernel.features.describe_context(
            *(blocks.page, blocks.rows, blocks.starts, self.containers, self.groups, first, self.values)
        )


@stage("features")
def describe(page: Page, modules: Any = kernel) -> LineFeatures:
    """Return the features of the lines of a page that need no model; `modules` are those of the kernel."""
    blocks = split(page, hidden=True)
    count = len(blocks)
    values = np.zeros((count, len(SECOND_FEATURES)), dtype=np.float32)
    containers = np.zeros((count, LEVELS), dtype=np.int32)
    groups = np.zeros((count, 2), dtype=np.int32)
    comments = hinted_rows(page)
    lines = modules.features.describe(
        *(page, comments.view(np.uint8), blocks.rows, blocks.starts, values, containers, groups)
    )
    values[:, _STATED] = _stated_types(page)
    words = modules.words.LineWords(page, blocks.rows, blocks.starts)
    title = modules.evidence.tell_titles(page, lines, words, [title.encode() for title in stated_titles(page)])
    texts = stated_texts(page)
    for text, column, of_page in ((texts.body, *_BODY), (texts.parts, *_PARTS), (texts.summary, _SUMMARY, -1)):
        if text:
            modules.evidence.tell_stated(lines, words, text.encode(), column, of_page)
    modules.wholes.describe(page, lines, words, title)
    return LineFeatures(blocks, comments, values, containers, groups, words, lines, title)


def _stated_types(page: Page) -> list[bool]:
    """Return which of STATED_TYPES the page says that it is."""
    said = b" ".join(og_types(page))
    if not said:
        return [False] * len(STATED_TYPES)
    return [any(word in said for word in words) for words in STATED_TYPES.values()]
