"""The features of the lines of a page, for the block model."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from pagesieve.page import kernel
from pagesieve.page.kernel.lines.feature_table import FIRST_NAMES, SECOND_NAMES
from pagesieve.page.kernel.page.name_table import NAME_COMMENT
from pagesieve.page.lines import Blocks, as_mask, split
from pagesieve.page.stated import key_strings
from pagesieve.stages import stage
from pagesieve.threads.comments import MAX_SHARE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pagesieve.page.kernel.lines.engine import PageLines
    from pagesieve.page.kernel.lines.words import LineWords
    from pagesieve.page.table import Bools, Page

    Floats = NDArray[np.float64]

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
