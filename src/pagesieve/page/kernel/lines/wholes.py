# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, infer_types=True
"""What the block model knows of the wholes that a line is part of: a list, a table, an article, what has the title."""

from __future__ import annotations

import cython
from cython.cimports.libc.stdlib import free
from cython.cimports.libc.string import memset
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import room_for, zeros
from cython.cimports.pagesieve.page.kernel.lines import feature_table as column
from cython.cimports.pagesieve.page.kernel.lines.features import Lines, heading_level
from cython.cimports.pagesieve.page.kernel.lines.words import LineWords
from cython.cimports.pagesieve.page.kernel.page.view import PageView

_SLOTS = cython.declare(cython.longlong, 512)  # of a hash set of HOME_WORDS words: a power of two, mostly empty


class Vocabulary:
    """The words that some lines begin with, from one on: a hash set of their digests."""

    def __init__(self) -> None:
        self.known = zeros("q", _SLOTS)

    def read(self, words, line):
        """Read the words from a line on."""
        stop = min(words.at[words.lines], words.at[line] + column.HOME_WORDS)
        for k in range(words.at[line], stop):
            self.known[self.slot(words.digests[k])] = words.digests[k]

    def slot(self, digest):
        """Return where a digest stands, or would."""
        slot = digest & _SLOTS - 1
        while self.known[slot] and self.known[slot] != digest:
            slot = (slot + 1) & _SLOTS - 1
        return slot

    def has(self, digest):
        """Whether a word is among them."""
        return self.known[self.slot(digest)] != 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _tell_size(lines: Lines, line: cython.int, whole: cython.int, at: cython.int) -> cython.void:
    """Fill three columns: how many lines a whole has, how much of it is links, how long its lines are."""
    own = lines.sum_chars[whole]
    count = lines.sum_lines[whole]
    lines.values[line, at] = count
    lines.values[line, at + 1] = lines.sum_links[whole] / (own + 1.0)
    lines.values[line, at + 2] = own / (count + 1.0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _place(lines: Lines, line: cython.int, whole: cython.int) -> cython.double:
    """Return where in a whole a line stands, from 0 to 1."""
    return (line - lines.lines_at[whole]) / (lines.sum_lines[whole] + 1.0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_around(view: PageView, row: cython.int, found: cython.p_int) -> cython.void:
    """Find the smallest element with each row and a given one."""
    while row > 0:
        found[row] = row
        row = view.parent[row]
    for row in range(1, view.rows):
        if not found[row]:
            found[row] = found[view.parent[row]]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _home(view: PageView, lines: Lines, title: cython.int) -> cython.int:
    """Return the line that the text of the page begins with: the first long one from the title on; -1 without one."""
    for line in range(max(title, 0), lines.lines):
        if (
            lines.chars[line] >= column.LONG_LINE
            and 4 * lines.link_chars[line] < lines.chars[line]
            and view.visibility[lines.first[line]] == tags.IS_SEEN
        ):
            return line
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _tell_topics(view: PageView, lines: Lines, words: LineWords, home: cython.int, known: Vocabulary) -> cython.void:
    """Fill in how much of each section is in words that the text of the page begins with."""
    start = 0
    for line in range(lines.lines + 1):
        if line == lines.lines or (line and heading_level(view, lines, line)):
            count = 0
            found = 0
            for k in range(words.at[start], words.at[line]):
                count += 1
                found += known.has(words.digests[k])
            for k in range(start, line):
                lines.values[k, column.HOME_TOPIC] = found / (count + 1.0)
                lines.values[k, column.HOME_FROM] = k - home
            start = line


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _tell_headings(view: PageView, lines: Lines, title: cython.int, step: cython.int) -> cython.void:
    """Fill in how far lines are from the title, in one direction, and what is between; below 0 before it."""
    level = heading_level(view, lines, title)
    if not level:
        level = 1
    headings = 0
    higher = 0
    same = 0
    dates = 0
    line = title
    while 0 <= line < lines.lines:
        own = heading_level(view, lines, line)
        if own and line != title:
            headings += step
            if own <= level:
                higher += step
            if lines.styles[lines.first[line]] == lines.styles[lines.first[title]]:
                same += step
        if lines.values[line, column.OWN_DATES] > 0 and lines.chars[line] < column.SHORT_LINE:
            dates += step
        lines.values[line, column.TITLE_FOUND] = 1
        lines.values[line, column.TITLE_DATES] = dates
        lines.values[line, column.TITLE_FROM] = line - title
        lines.values[line, column.TITLE_HEADINGS] = headings
        lines.values[line, column.TITLE_HIGHER] = higher
        lines.values[line, column.TITLE_SAME] = same
        line += step


class Wholes:
    """By row: the innermost list, table, table row and article that it is in, 0 without one; and what those hold."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()

    def make_columns(self, rows):
        """Make room for the columns, in one piece."""
        size: cython.size_t = rows * (13 * cython.sizeof(cython.int) + 1)
        self.list_of = cython.cast(cython.p_int, room_for(size))
        memset(self.list_of, 0, size)
        self.table_of, self.row_of, self.article_of = (
            self.list_of + rows,
            self.list_of + 2 * rows,
            self.list_of + 3 * rows,
        )
        self.list_depth, self.table_depth = self.list_of + 4 * rows, self.list_of + 5 * rows
        self.items, self.table_rows = self.list_of + 6 * rows, self.list_of + 7 * rows
        self.cells, self.columns = self.list_of + 8 * rows, self.list_of + 9 * rows
        self.with_title, self.with_home = self.list_of + 10 * rows, self.list_of + 11 * rows
        self.number = self.list_of + 12 * rows
        self.header = cython.cast(cython.p_uchar, self.number + rows)
        self.articles = self.largest = 0
        return 0

    def __dealloc__(self):
        free(self.list_of)

    # The elements

    def read(self, view, lines):
        """Find what each row is part of."""
        for row in range(1, view.rows):
            above = view.parent[row]
            self.list_of[row] = self.list_of[above]
            self.table_of[row] = self.table_of[above]
            self.row_of[row] = self.row_of[above]
            self.article_of[row] = self.article_of[above]
            self.list_depth[row] = self.list_depth[above]
            self.table_depth[row] = self.table_depth[above]
            self.header[row] = self.header[above]
            if view.tag[row] >= tags.FIRST_ELEMENT and view.text_at[view.end[row]] > view.text_at[row]:
                self.read_element(view, lines, row)

    def read_element(self, view, lines, row):
        """Read an element with text: it may be a whole, or a part of one."""
        tag = view.tag[row]
        if tag == tags.TAG_UL or tag == tags.TAG_OL or tag == tags.TAG_DL or tag == tags.TAG_MENU:
            self.list_of[row] = row
            self.list_depth[row] += 1
        elif tag == tags.TAG_LI or tag == tags.TAG_DT or tag == tags.TAG_DD:
            self.items[self.list_of[row]] += 1
        elif tag == tags.TAG_TABLE:
            self.table_of[row] = row
            self.row_of[row] = 0
            self.header[row] = False
            self.table_depth[row] += 1
        elif tag == tags.TAG_TR:
            self.row_of[row] = row
            self.table_rows[self.table_of[row]] += 1
        elif tag == tags.TAG_TD or tag == tags.TAG_TH:
            self.read_cell(row, tag == tags.TAG_TH)
        elif tag == tags.TAG_THEAD:
            self.header[row] = True
        if tag == tags.TAG_ARTICLE or lines.enters_article(view, row):
            self.article_of[row] = row
            self.number[row] = self.articles
            self.articles += 1
            self.largest = max(self.largest, lines.sum_chars[row])

    def read_cell(self, row, is_header):
        """Read a cell of a table."""
        table = self.table_of[row]
        line = self.row_of[row]
        if is_header:
            self.header[row] = True
        self.cells[line] += 1
        self.columns[table] = max(self.columns[table], self.cells[line])

    # What is told of the lines

    def tell_list(self, lines, line, row):
        """Fill in what the list is that a line is in."""
        whole = self.list_of[row]
        if whole:
            _tell_size(lines, line, whole, column.LIST_LINES)
            lines.values[line, column.LIST_ITEMS] = self.items[whole]
            lines.values[line, column.LIST_PLACE] = _place(lines, line, whole)
            lines.values[line, column.LIST_DEPTH] = self.list_depth[row]

    def tell_table(self, lines, line, row):
        """Fill in what the table is that a line is in."""
        whole = self.table_of[row]
        if whole:
            _tell_size(lines, line, whole, column.TABLE_LINES)
            lines.values[line, column.TABLE_ROWS] = self.table_rows[whole]
            lines.values[line, column.TABLE_COLUMNS] = self.columns[whole]
            lines.values[line, column.TABLE_HEADER] = self.header[row]
            lines.values[line, column.TABLE_PLACE] = _place(lines, line, whole)
            lines.values[line, column.TABLE_DEPTH] = self.table_depth[row]

    def tell_article(self, lines, line, row):
        """Fill in what the article is that a line is in."""
        whole = self.article_of[row]
        own = lines.sum_chars[whole] if whole else 0
        lines.values[line, column.ARTICLE_COUNT] = self.articles
        lines.values[line, column.ARTICLE_AT] = self.number[whole] if whole else -1
        lines.values[line, column.ARTICLE_SHARE] = own / (lines.total + 1.0)
        lines.values[line, column.ARTICLE_OF_LARGEST] = own / (self.largest + 1.0)
        lines.values[line, column.ARTICLE_TITLE] = (self.with_title[whole] == whole) if whole else -1

    def tell_wholes(self, lines):
        """Fill in what each line is part of."""
        for line in range(lines.lines):
            row = lines.first[line]
            self.tell_list(lines, line, row)
            self.tell_table(lines, line, row)
            self.tell_article(lines, line, row)
            lines.values[line, column.TITLE_AROUND] = lines.sum_chars[self.with_title[row]] / (lines.total + 1.0)
            lines.values[line, column.HOME_AROUND] = lines.sum_chars[self.with_home[row]] / (lines.total + 1.0)

    def describe(self, view, lines, words, title):
        """Fill the columns about wholes, given the line of the page's title, -1 without one."""
        if not lines.lines:
            return 0
        self.make_columns(view.rows)
        home = _home(view, lines, title)
        self.read(view, lines)
        if title >= 0:
            _find_around(view, lines.first[title], self.with_title)
            _tell_headings(view, lines, title, 1)
            _tell_headings(view, lines, title, -1)
        if home >= 0:
            _find_around(view, lines.first[home], self.with_home)
            self.vocabulary.read(words, home)
            _tell_topics(view, lines, words, home, self.vocabulary)
        self.tell_wholes(lines)
        return 0
