# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, infer_types=True
"""The lines of a page as the block model sees them, from the table to what is kept: a few calls for a page.

`pagesieve.articles.model` says what each step is for. Nothing here makes an array of numpy: who wants one wraps what is
here (`features` and the like), which costs nothing where nobody asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import cython
from cython.cimports.pagesieve.page.kernel import feature_table as column
from cython.cimports.pagesieve.page.kernel.common import matrix
from cython.cimports.pagesieve.page.kernel.evidence import tell_stated, tell_titles
from cython.cimports.pagesieve.page.kernel.features import describe_context, describe_lines
from cython.cimports.pagesieve.page.kernel.lines import keep_rows
from cython.cimports.pagesieve.page.kernel.stories import describe_headings
from cython.cimports.pagesieve.page.kernel.trees import Gates, first_likelihoods, second_likelihoods
from cython.cimports.pagesieve.page.kernel.view import measured
from cython.cimports.pagesieve.page.kernel.wholes import describe_wholes
from cython.cimports.pagesieve.page.kernel.words import LineWords, WordTable, describe_text, describe_words

from pagesieve.page.kernel.feature_table import FIRST_NAMES, SECOND_NAMES

if TYPE_CHECKING:
    from array import array

_WIDTH = len(SECOND_NAMES)
_STATED = cython.declare(cython.int, FIRST_NAMES.index("page_is_article"))
# The columns of the texts that a page states, in the order of `tell_statements`: of the line, and of the page or -1.
_TEXTS = (
    (FIRST_NAMES.index("said_body"), FIRST_NAMES.index("said_body_page")),
    (FIRST_NAMES.index("said_other"), FIRST_NAMES.index("said_other_page")),
    (FIRST_NAMES.index("said_description"), -1),
)


class PageLines:
    """The lines of a page, and what the block model knows of each; `engine.pxd` lists the columns."""

    if TYPE_CHECKING:  # what Python reads of them
        count: int
        places: array[int]
        sizes: array[int]
        comments: bytearray
        features: Any
        around: Any
        alike: Any
        lines: Any
        words: Any
        title: int

    def __init__(
        self,
        page: Any,
        split: tuple[Any, Any, int],
        comments: Any,
        titles: list[bytes],
        types: Sequence[bool],
        texts: Sequence[bytes],
    ) -> None:
        """Describe the lines that `lines.split` gave, given the rows that look like comments and what a page states.

        That is its titles, whether it is each of STATED_TYPES, and the texts of its body, of other parts and of its
        description.
        """
        self.view = measured(page)
        self.comments = comments
        self.read_lines(split)
        self.features = matrix("f", 4, self.count, _WIDTH)
        self.around = matrix("i", 4, self.count, column.LEVELS)
        self.alike = matrix("i", 4, self.count, column.GROUP_TIMES)
        self.values, self.containers, self.groups = self.features, self.around, self.alike
        commented: cython.const[cython.uchar][::1] = comments
        self.lines = describe_lines(
            self.view, commented, self.texts, self.starts, self.values, self.containers, self.groups
        )
        self.words = LineWords()
        self.words.set_up(self.view, self.texts, self.starts)
        self.tell_statements(titles, types, texts)
        describe_wholes(self.view, self.lines, self.words, self.title)

    def read_lines(self, split):
        """Take the columns over that `lines.split` gave."""
        self.places, self.sizes, self.count = split
        places: cython.const[cython.longlong][::1] = self.places
        sizes: cython.const[cython.int][::1] = self.sizes
        at = places.shape[0] - self.count
        self.texts, self.starts = places[:at], places[at:]
        self.chars, self.linked = sizes[: self.count], sizes[self.count :]
        return 0

    def tell_statements(self, titles, types, texts):
        """Fill the columns about what the page states of itself, and find the line of its title."""
        kind: cython.int
        line: cython.int
        for kind in range(len(types)):
            if types[kind]:
                for line in range(self.count):
                    self.values[line, _STATED + kind] = 1
        self.title = tell_titles(self.view, self.lines, self.words, titles)
        for text, (own, of_page) in zip(texts, _TEXTS, strict=True):
            if text:
                tell_stated(self.lines, self.words, text, own, of_page)
        return 0

    def add_words(self, table: WordTable) -> None:
        """Fill in what the words of classes, ids and the text say."""
        describe_words(self.view, self.containers[: self.count], table, self.values)
        describe_text(self.words, table, self.values)

    def add_context(self, first: Any) -> None:
        """Fill in the likelihoods of the first stage, from 0 to 1."""
        describe_context(self.view, self.lines, self.containers, self.groups, first)

    def score(
        self, table: WordTable, first: tuple[Gates, Gates, float], second: tuple[Gates, float], limits: Sequence[float]
    ) -> Any:
        """Return how likely each line is content, by the scores of words and two forests with their baselines.

        The first forest is in two parts. The limits are those of `first_likelihoods`, and the likelihood that a line
        needs to be seen by the second forest.
        """
        self.add_words(table)
        likelihood = first_likelihoods(first[0], first[1], first[2], self.values, self.count, limits[0], limits[1])
        self.add_context(likelihood)
        second_likelihoods(second[0], second[1], self.values, likelihood, limits[2])
        return likelihood

    def headings(self, likelihood: Any, threshold: cython.double) -> tuple[array[int], array[float]]:
        """Return the headings that may begin another article, by their lines, and their features one after the other.

        `likelihood` has a number for each line, and a line is likely content from `threshold` on.
        """
        likelihoods: cython.const[cython.double][::1] = likelihood
        kept: cython.uchar[::1] = bytearray(self.count)
        first: cython.int = -1  # likely line
        line: cython.int
        for line in range(self.count):
            if likelihoods[line] >= threshold:
                kept[line] = 1
                if first < 0:
                    first = line
        if self.title >= 0:
            first = self.title
        return describe_headings(self.view, self.lines, self.groups, kept, likelihoods, first)

    def keep(self, kept: Any, without: bytes, least_hidden: cython.double) -> tuple[Any, int, int, bool]:
        """Mark the texts of the lines that are kept, but for those in elements that `without` marks by their numbers.

        Hidden texts are left out if they are less than a share of what is kept. Return the mask; how many characters of
        it are seen, and how many hidden; and whether some of it looks like comments.
        """
        rows, seen, hidden = keep_rows(self.view, self.texts, self.starts, kept, without, None)
        marked: cython.uchar[::1] = rows
        comments: cython.const[cython.uchar][::1] = self.comments
        drops: cython.bint = 0 < hidden < least_hidden * (seen + hidden)
        has_comments: cython.bint = False
        row: cython.Py_ssize_t
        for row in range(marked.shape[0]):
            if marked[row]:
                if drops and self.view.chars[row] == 0:
                    marked[row] = 0
                elif comments[row]:
                    has_comments = True
        return rows, seen, 0 if drops else hidden, has_comments
