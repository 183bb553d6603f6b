# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, infer_types=True
"""The lines of a page as the block model sees them, from the table to what is kept: a few calls for a page.

`pagesieve.methods.blocks` says what each step is for. Nothing here makes an array of numpy: who wants one wraps what is
here (`features` and the like), which costs nothing where nobody asks.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import cython
from cython.cimports.libc.math import exp
from cython.cimports.pagesieve.page.kernel.common import matrix, zeros
from cython.cimports.pagesieve.page.kernel.lines import feature_table as column
from cython.cimports.pagesieve.page.kernel.lines.deciding import Rules, decide
from cython.cimports.pagesieve.page.kernel.lines.evidence import Stated, Titles
from cython.cimports.pagesieve.page.kernel.lines.features import Context, Lines
from cython.cimports.pagesieve.page.kernel.lines.lines import keep_rows, split
from cython.cimports.pagesieve.page.kernel.lines.stories import describe_headings
from cython.cimports.pagesieve.page.kernel.lines.trees import Gates, Scoring, page_threshold
from cython.cimports.pagesieve.page.kernel.lines.wholes import Wholes
from cython.cimports.pagesieve.page.kernel.lines.words import LineWords, Scores, WordTable
from cython.cimports.pagesieve.page.kernel.page.name_table import NAME_SECTION
from cython.cimports.pagesieve.page.kernel.page.names import texts_in
from cython.cimports.pagesieve.page.kernel.page.stated import Statements, statements
from cython.cimports.pagesieve.page.kernel.page.view import PageView, measured
from cython.cimports.pagesieve.page.kernel.pool import pooled_matrix

from pagesieve.page.kernel.lines.feature_table import FIRST_NAMES, SECOND_NAMES, STATED_TYPES

_WIDTH = len(SECOND_NAMES)
_STATED = cython.declare(cython.int, FIRST_NAMES.index("page_is_article"))
_TYPES = cython.declare(tuple, tuple(STATED_TYPES.values()))


@cython.final
@cython.cclass
class PageLines:
    """The lines of a page, and what the block model knows of each."""

    view: PageView
    # What `lines.split` gave, and as columns.
    places = cython.declare(object, visibility="readonly")  # type: array[int]
    sizes = cython.declare(object, visibility="readonly")  # type: array[int]
    count = cython.declare(cython.int, visibility="readonly")  # type: int
    texts: cython.const[cython.longlong][::1]
    starts: cython.const[cython.longlong][::1]
    chars: cython.const[cython.int][::1]
    linked: cython.const[cython.int][::1]
    comments = cython.declare(object, visibility="readonly")  # type: bytearray  # a byte a row: 1 for texts that look like readers' comments
    # Matrices, a row a line: the features, the block elements around it from the inside out, the numbers of its groups.
    features = cython.declare(object, visibility="readonly")  # type: Any
    around = cython.declare(object, visibility="readonly")  # type: Any
    alike = cython.declare(object, visibility="readonly")  # type: Any
    values: cython.float[:, ::1]
    containers: cython.int[:, ::1]
    groups: cython.int[:, ::1]
    lines = cython.declare(Lines, visibility="readonly")  # type: Any
    words = cython.declare(LineWords, visibility="readonly")  # type: Any
    title = cython.declare(cython.int, visibility="readonly")  # type: int  # the line of the page's title, -1 without one

    def __init__(
        self,
        page: Any,
        split: tuple[Any, Any, int],
        comments: Any,
        read_key: Callable[[str, str], Iterable[str]],
    ) -> None:
        """Describe the lines that `lines.split` gave, given the rows that look like comments.

        `read_key` is that of `Statements.texts`.
        """
        self.view = measured(page)
        self.comments = comments
        self.read_lines(split)
        self.features = pooled_matrix(self.count, _WIDTH)
        self.around = matrix("i", 4, self.count, column.LEVELS)
        self.alike = matrix("i", 4, self.count, column.GROUP_TIMES)
        self.values, self.containers, self.groups = self.features, self.around, self.alike
        commented: cython.const[cython.uchar][::1] = comments
        self.lines, self.words = Lines(), LineWords()
        self.lines.set_up(self.view, self.texts, self.starts, self.values)
        self.words.set_up(self.view, self.texts, self.starts)
        statement: Statements = statements(page)
        titles: Titles = Titles([title.encode() for title in statement.titles])
        stated: Stated = Stated()
        stated.set_up(statement.texts(read_key))
        wholes: Wholes = Wholes()
        with cython.nogil:
            self.lines.describe(self.view, commented, self.containers, self.groups)
            self.words.read_all(self.view)
            self.title = titles.describe(self.view, self.lines, self.words)
            stated.describe(self.lines, self.words)
            wholes.describe(self.view, self.lines, self.words, self.title)
        self.tell_types(statement)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read_lines(self, split: object) -> cython.int:
        """Take the columns over that `lines.split` gave."""
        self.places, self.sizes, self.count = split
        places: cython.const[cython.longlong][::1] = self.places
        sizes: cython.const[cython.int][::1] = self.sizes
        at = places.shape[0] - self.count
        self.texts, self.starts = places[:at], places[at:]
        self.chars, self.linked = sizes[: self.count], sizes[self.count :]
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def tell_types(self, stated: Statements) -> cython.int:
        """Fill the columns about what sort of page it states to be."""
        kind: cython.int
        line: cython.int
        types: list = stated.types
        if types:
            said = b" ".join(types)
            for kind in range(len(_TYPES)):
                for word in _TYPES[kind]:
                    if word in said:
                        for line in range(self.count):
                            self.values[line, _STATED + kind] = 1
                        break
        return 0

    def add_words(self, table: WordTable) -> None:
        """Fill in what the words of classes, ids and the text say."""
        scores: Scores = Scores()
        scores.set_up(self.view)
        with cython.nogil:
            scores.describe(self.view, self.containers, table, self.words, self.values)

    def add_context(self, first: Any) -> None:
        """Fill in the likelihoods of the first stage, from 0 to 1."""
        context: Context = Context()
        context.set_up(first, self.values)
        with cython.nogil:
            context.describe(self.view, self.lines, self.containers, self.groups)

    def score(
        self, table: WordTable, first: tuple[Gates, Gates, float], second: tuple[Gates, float], limits: Sequence[float]
    ) -> Any:
        """Return how likely each line is content, by the scores of words and two forests with their baselines.

        The first forest is in two parts. The limits are those of `Scoring.score_first`, and the likelihood that a line
        needs to be seen by the second forest.
        """
        scores: Scores = Scores()
        scores.set_up(self.view)
        scoring: Scoring = Scoring()
        scoring.set_up(self.values, self.count)
        context: Context = Context()
        context.set_up(scoring.found, self.values)
        early: Gates = first[0]
        rest: Gates = first[1]
        final: Gates = second[0]
        baseline: cython.double = first[2]
        final_baseline: cython.double = second[1]
        least: cython.double = limits[0]
        unlikely: cython.double = limits[1]
        sure: cython.double = limits[2]
        with cython.nogil:
            scores.describe(self.view, self.containers, table, self.words, self.values)
            scoring.score_first(early, rest, baseline, least, unlikely)
            context.describe(self.view, self.lines, self.containers, self.groups)
            scoring.score_second(final, final_baseline, sure)
        return scoring.likelihood

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

    def next_article(
        self, gates: Gates, baseline: cython.double, likelihood: Any, threshold: cython.double, least: cython.double
    ) -> int:
        """Return the first heading that begins another article, by a forest, from a likelihood on; -1 without one."""
        found, told = self.headings(likelihood, threshold)
        lines: cython.const[cython.int][::1] = found
        if not len(lines):
            return -1
        rows: cython.const[cython.float][::1] = told
        numbers: cython.int[::1] = zeros("i", len(lines))
        scores: cython.double[::1] = zeros("d", len(lines))
        k: cython.int
        for k in range(lines.shape[0]):
            numbers[k] = k
            scores[k] = baseline
        gates.add(
            cython.address(rows[0]),
            column.STORY_WIDTH,
            cython.address(numbers[0]),
            lines.shape[0],
            cython.address(scores[0]),
            1,
        )
        for k in range(lines.shape[0]):
            if 1 / (1 + exp(min(-scores[k], 40.0))) >= least:
                return lines[k]
        return -1

    def apart(self, heading: cython.int) -> Any:
        """Mark the lines from a heading on that are no closer to the beginning of the page's text than it is."""
        found = bytearray(self.count)
        marked: cython.uchar[::1] = found
        line: cython.int
        most: cython.float = self.values[heading, column.HOME_AROUND] - cython.cast(cython.float, 1e-6)
        for line in range(heading, self.count):
            marked[line] = self.values[line, column.HOME_AROUND] >= most
        return found

    def keep(self, kept: Any, without: bytes, least_hidden: cython.double) -> tuple[Any, Any, int, int, bool]:
        """Mark the texts of the lines that are kept, but for those in elements that `without` marks by their numbers.

        Hidden texts are left out if they are less than a share of what is kept. Return the mask; that of the comments
        that are not kept; how many characters are kept that are seen, and how many hidden; and whether some of what is
        kept looks like comments.
        """
        rows, seen, hidden = keep_rows(self.view, self.texts, self.starts, kept, without, None)
        marked: cython.uchar[::1] = rows
        comments: cython.const[cython.uchar][::1] = self.comments
        left = bytearray(self.comments)
        others: cython.uchar[::1] = left
        drops: cython.bint = 0 < hidden < least_hidden * (seen + hidden)
        has_comments: cython.bint = False
        row: cython.Py_ssize_t
        for row in range(marked.shape[0]):
            if marked[row]:
                if drops and self.view.chars[row] == 0:
                    marked[row] = 0
                elif comments[row]:
                    others[row] = 0
                    has_comments = True
        return rows, left, seen, 0 if drops else hidden, has_comments


# The lines of a part of a page, as `reverse` sees them


def describe_part(page: Any, split: tuple[Any, Any, int], comments: Any, width: cython.int) -> Any:
    """Return the first `width` features of the lines that `lines.split` gave, a row a line.

    `comments` marks the rows that look like readers' comments.
    """
    places: cython.const[cython.longlong][::1] = split[0]
    commented: cython.const[cython.uchar][::1] = comments
    count: cython.Py_ssize_t = split[2]
    at = places.shape[0] - count
    values = matrix("f", 4, count, width)
    around: cython.int[:, ::1] = matrix("i", 4, count, column.LEVELS)
    groups: cython.int[:, ::1] = matrix("i", 4, count, column.GROUP_TIMES)
    view: PageView = measured(page)
    lines: Lines = Lines()
    lines.set_up(view, places[:at], places[at:], values)
    with cython.nogil:
        lines.describe(view, commented, around, groups)
    return values


@cython.final
@cython.cclass
class PartLines:
    """The lines of a part of a page, and which of them `reverse` keeps."""

    columns = cython.declare(tuple, visibility="readonly")  # type: tuple[Any, Any, int]  # as `lines.split` gave them
    comments = cython.declare(object, visibility="readonly")  # type: bytearray  # a byte a row: 1 for readers' comments
    likelihood = cython.declare(object, visibility="readonly")  # type: array[float]
    threshold = cython.declare(cython.double, visibility="readonly")  # type: float
    decided = cython.declare(object, visibility="readonly")  # type: Any  # what `decide` returned; None without a forest
    rows = cython.declare(object, visibility="readonly")  # type: bytearray  # a byte a row: 1 for texts that are kept
    seen = cython.declare(cython.longlong, visibility="readonly")  # type: int  # characters that are kept

    def __init__(
        self,
        page: Any,
        forest: tuple[Gates, int, float] | None,
        limits: tuple[float, float, float],
        rules: Rules,
        without: bytes,
        most_comments: float,
    ) -> None:
        """Find and judge the lines of a part: by a forest over so many features with its baseline, or keep all.

        `limits` are those of `trees.page_threshold`. Sections of comments, with at
        most a share of the text, and what is in elements that `without` marks by their numbers are left out.
        """
        self.columns = split(page, False)
        self.comments = texts_in(page, NAME_SECTION, most_comments)
        kept = bytearray(b"\1") * self.columns[2]
        if forest is None or not self.columns[2]:
            self.likelihood = array("d", [1.0]) * self.columns[2]
        else:
            scoring: Scoring = Scoring()
            scoring.set_up(describe_part(page, self.columns, self.comments, forest[1]), self.columns[2])
            gates: Gates = forest[0]
            baseline: cython.double = forest[2]
            with cython.nogil:
                scoring.score_second(gates, baseline, 0.0)
            self.likelihood = scoring.likelihood
            self.threshold = page_threshold(self.likelihood, limits[0], limits[1], limits[2])
            self.decided = decide(page, self.columns, self.likelihood, self.threshold, None, rules)
            kept = self.decided[1]
        places: cython.const[cython.longlong][::1] = self.columns[0]
        at = places.shape[0] - cython.cast(cython.Py_ssize_t, self.columns[2])
        self.rows, self.seen, _ = keep_rows(measured(page), places[:at], places[at:], kept, without, self.comments)
