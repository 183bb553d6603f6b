# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, infer_types=True
"""What is known of the headings of a page that may begin another article than the page's own."""

from __future__ import annotations

from array import array

import cython
from cython.cimports.pagesieve.page.kernel.common import zeros
from cython.cimports.pagesieve.page.kernel.lines import feature_table as column
from cython.cimports.pagesieve.page.kernel.lines.features import Lines, heading_level
from cython.cimports.pagesieve.page.kernel.page.view import PageView


@cython.final
@cython.cclass
class _Headings:
    """The headings of a page, and what is kept of it: running sums over the lines."""

    lines: Lines
    kept: cython.const[cython.uchar][::1]
    likelihood: cython.const[cython.double][::1]
    levels: cython.int[::1]  # of headings; 0 for other lines
    ends: cython.int[::1]  # of the sections of headings
    # Before each line: the characters, those that are kept, those weighed by likelihood, the lines that are kept.
    held: cython.double[::1]
    taken: cython.double[::1]
    likely: cython.double[::1]
    counts: cython.int[::1]

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def set_up(
        self, lines: Lines, kept: cython.const[cython.uchar][::1], likelihood: cython.const[cython.double][::1]
    ) -> cython.int:
        """Make the columns, given which lines are kept, and how likely each is."""
        size = lines.lines + 1
        self.lines = lines
        self.kept, self.likelihood = kept, likelihood
        counts: cython.int[::1] = zeros("i", 3 * size)
        self.levels, self.ends, self.counts = counts[:size], counts[size : 2 * size], counts[2 * size :]
        sums: cython.double[::1] = zeros("d", 3 * size)
        self.held, self.taken, self.likely = sums[:size], sums[size : 2 * size], sums[2 * size :]
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read(self, view: PageView) -> cython.void:
        """Find the level of each heading and the line where its section ends, and sum up what is kept."""
        for line in range(self.lines.lines):
            own = self.lines.chars[line]
            self.levels[line] = heading_level(view, self.lines, line)
            self.held[line + 1] = self.held[line] + own
            self.taken[line + 1] = self.taken[line] + (own if self.kept[line] else 0)
            self.likely[line + 1] = self.likely[line] + own * self.likelihood[line]
            self.counts[line + 1] = self.counts[line] + self.kept[line]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_of(self, line: cython.int) -> cython.int:
        """Return where the section of a heading ends: at the next one of the same or a higher level."""
        end = line + 1
        while end < self.lines.lines and not 0 < self.levels[end] <= self.levels[line]:
            end = self.ends[end] if self.levels[end] else end + 1
        return end

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_ends(self) -> cython.void:
        """Find the ends of all sections, the last first, so that each steps over those inside of it."""
        for line in range(self.lines.lines - 1, -1, -1):
            if self.levels[line]:
                self.ends[line] = self.end_of(line)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def tell(
        self,
        view: PageView,
        groups: cython.const[cython.int][:, ::1],
        line: cython.int,
        title: cython.int,
        before: cython.int,
        filled: cython.float[::1],
    ) -> cython.void:
        """Fill in what is known of a heading, given the lines of the title and of the last text that is kept before."""
        values = self.lines.values
        end = self.ends[line]
        page: cython.double = self.taken[self.lines.lines] + 1.0
        section: cython.double = self.taken[end] - self.taken[line]
        filled[column.STORY_LEVEL] = self.levels[line]
        filled[column.STORY_TITLE_LEVEL] = self.levels[title]
        filled[column.STORY_SAME_STYLE] = groups[line, 1] == groups[title, 1]
        filled[column.STORY_TITLE_AROUND] = values[line, column.TITLE_AROUND]
        filled[column.STORY_TITLE_BEFORE] = values[before, column.TITLE_AROUND]
        filled[column.STORY_HOME_AROUND] = values[line, column.HOME_AROUND]
        filled[column.STORY_HOME_BEFORE] = values[before, column.HOME_AROUND]
        filled[column.STORY_GAP_LINES] = line - before
        filled[column.STORY_GAP_CHARS] = self.held[line] - self.held[before + 1]
        filled[column.STORY_BEFORE] = self.taken[line]
        filled[column.STORY_SECTION] = section
        filled[column.STORY_BEFORE_SHARE] = self.taken[line] / page
        filled[column.STORY_SECTION_SHARE] = section / page
        filled[column.STORY_LIKELIHOOD] = self.likelihood[line]
        filled[column.STORY_SECTION_LIKELIHOOD] = (self.likely[end] - self.likely[line]) / (
            self.held[end] - self.held[line] + 1.0
        )
        filled[column.STORY_SECTION_LINES] = self.counts[end] - self.counts[line]
        filled[column.STORY_DEPTH] = view.depth[self.lines.first[line]] - view.depth[self.lines.first[before]]
        filled[column.STORY_STYLE_BEFORE] = self.alike_before(groups, line)
        self.tell_line(values, line, before, filled)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def tell_line(
        self, values: cython.float[:, ::1], line: cython.int, before: cython.int, filled: cython.float[::1]
    ) -> cython.void:
        """Fill in what the line of the heading says itself, and those beside it."""
        dates = 0
        for k in range(line, min(line + 4, self.lines.lines)):
            if values[k, column.OWN_DATES] > 0:
                dates += 1
        filled[column.STORY_DATES] = dates
        filled[column.STORY_LINKS] = values[line, column.OWN_LINKS]
        filled[column.STORY_BEFORE_TEXT] = values[max(line - 1, 0), column.TEXT_MEAN]
        filled[column.STORY_TOPIC] = values[line, column.HOME_TOPIC]
        filled[column.STORY_SAME] = values[line, column.TITLE_SAME]
        filled[column.STORY_HIGHER] = values[line, column.TITLE_HIGHER]
        filled[column.STORY_TITLE_DATES] = values[line, column.TITLE_DATES]
        filled[column.STORY_OTHER_ARTICLE] = values[line, column.ARTICLE_AT] != values[before, column.ARTICLE_AT]
        filled[column.STORY_ARTICLE_TITLE] = values[line, column.ARTICLE_TITLE]
        filled[column.STORY_ARTICLES] = values[line, column.ARTICLE_COUNT]
        filled[column.STORY_STYLE_LINES] = values[line, column.GROUP_WIDTH + column.GROUP_LINES]
        filled[column.STORY_TITLE_ALIKE] = values[line, column.TITLE_ALIKE]
        filled[column.STORY_PAGE_CHARS] = values[line, column.PAGE_CHARS]
        filled[column.STORY_AROUND1] = values[line, column.AROUND_SHARE]
        filled[column.STORY_AROUND2] = values[line, column.AROUND_WIDTH + column.AROUND_SHARE]
        filled[column.STORY_AROUND3] = values[line, 2 * column.AROUND_WIDTH + column.AROUND_SHARE]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def alike_before(self, groups: cython.const[cython.int][:, ::1], line: cython.int) -> cython.int:
        """Return how many lines of the same style are kept before a heading, at most ten."""
        found = 0
        k = line - 1
        while k >= 0 and found < 10 and line - k < 400:
            if self.kept[k] and groups[k, 1] == groups[line, 1]:
                found += 1
            k -= 1
        return found


def describe_headings(view, lines, groups, kept, likelihood, title):
    """Return the headings that may begin another article, by their lines, and their features, one after the other.

    `title` is the line of the page's title, or the first that is kept where there is none.
    """
    headings: _Headings = _Headings()
    headings.set_up(lines, kept, likelihood)
    found: array[int] = array("i")
    rows: array[float] = array("f")
    own: cython.float[::1]
    last: cython.int = -1  # kept line
    line: cython.int
    headings.read(view)
    headings.find_ends()
    for line in range(lines.lines):
        if (
            headings.levels[line]
            and line > title
            and last >= 0
            and headings.taken[line] >= column.MIN_STORY
            and headings.taken[headings.ends[line]] - headings.taken[line] >= column.MIN_STORY
        ):
            told = zeros("f", column.STORY_WIDTH)
            own = told
            headings.tell(view, groups, line, title, last, own)
            found.append(line)
            rows.extend(told)
        if headings.kept[line]:
            last = line
    return found, rows
