# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""Read the units of a page: the tables, lists, figures, quotations, sections and the like, in one pass over its rows.

Units that are elements, and the groups of a definition list, nest; a section may end inside of an element, where a
heading stands that ends it, so sections are around nothing. `unit_table` has the kinds and the columns.
"""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel.common import as_column, is_space, zeros
from cython.cimports.pagesieve.page.kernel.constants import CELLS_HEADED, CELLS_LAYOUT, COLON
from cython.cimports.pagesieve.page.kernel.html.tokenizer import int_room
from cython.cimports.pagesieve.page.kernel.lines.lines import find_lines_at
from cython.cimports.pagesieve.page.kernel.lines.tables import cells_of, has_data
from cython.cimports.pagesieve.page.kernel.lines.unit_table import *
from cython.cimports.pagesieve.page.kernel.page.attributes import Labels, labels_of
from cython.cimports.pagesieve.page.kernel.page.view import PageView, measured
from cython.cimports.pagesieve.page.kernel.tags import (
    ATTR_CLASS,
    BLOCK,
    KNOWN_TAGS,
    TAG_DD,
    TAG_DT,
    TAG_H1,
    TAG_H6,
    TAG_LI,
    TAG_TABLE,
    TAG_TH,
    TAG_THEAD,
    TAG_TR,
    TEXT,
)

from pagesieve.page.kernel.lines.unit_table import UNIT_COLUMNS as _COLUMNS
from pagesieve.page.kernel.tags import TAGS

# The elements that are units by themselves.
_NAMES = {
    UNIT_LIST: "ul ol menu dir",
    UNIT_DEFINITIONS: "dl",
    UNIT_FIGURE: "figure",
    UNIT_CODE: "pre listing xmp",
    UNIT_QUOTATION: "blockquote",
    UNIT_STORY: "article",
}
_PARTS = "table tr dt h1 h2 h3 h4 h5 h6"  # elements that are units, or parts of some, where other things are true too
_KIND = cython.declare(
    cython.const[cython.uchar][::1],
    bytes(next((kind for kind, names in _NAMES.items() if tag in names.split()), 0) for tag in TAGS),
)
# Elements that hold embedded posts, where their class says so.
_MAY_BE_POST = cython.declare(
    cython.const[cython.uchar][::1], bytes(tag in ("blockquote", "div", "section", "article", "figure") for tag in TAGS)
)
_MAY_BE_UNIT = cython.declare(
    cython.const[cython.uchar][::1],
    bytes(_KIND[tag] or _MAY_BE_POST[tag] or name in _PARTS.split() for tag, name in enumerate(TAGS)),
)
# What the classes of embedded posts are, or begin with; by their first letters in a table of bytes.
POSTS = (
    b"twitter-tweet twitter-video instagram-media fb-post fb-video mastodon-embed bluesky-embed tiktok-embed "
    b"reddit-card reddit-embed-bq text-post-media telegram-post vk-post twitter-quote EmbeddedTweet embedded-tweet"
).split()
_POSTS = cython.declare(cython.const[cython.uchar][::1], b"\0".join(POSTS) + b"\0")
_POST_LETTERS = cython.declare(
    cython.const[cython.uchar][::1], bytes(any(post[0] == byte for post in POSTS) for byte in range(256))
)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_up(view: PageView, found: cython.int[::1]) -> cython.void:
    """Fill in how many characters stand before each row, and after the last."""
    found[0] = 0
    for row in range(view.rows):
        found[row + 1] = found[row] + view.chars[row] + view.hidden_chars[row]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_named_post(
    values: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.bint:
    """Whether a word of a class is one of those of embedded posts."""
    at = 0
    while at < len(_POSTS):
        k = 0
        while _POSTS[at + k] and start + k < stop and values[start + k] == _POSTS[at + k]:
            k += 1
        if not _POSTS[at + k] and start + k == stop:
            return True
        while _POSTS[at]:
            at += 1
        at += 1
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_post(view: PageView, k: cython.int) -> cython.bint:
    """Whether a class, by its place among the attributes, says that an element is an embedded post."""
    at = view.value_at[k]
    stop = view.value_at[k + 1]
    while at < stop:
        start = at
        while at < stop and not is_space(view.values[at]):
            at += 1
        if at > start and _POST_LETTERS[view.values[start]] and _is_named_post(view.values, start, at):
            return True
        at += 1
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count_candidates(view: PageView) -> cython.int:
    """Return how many elements may be units."""
    found = 1
    for row in range(view.rows):
        if view.tag[row] < KNOWN_TAGS and _MAY_BE_UNIT[view.tag[row]]:
            found += 1
    return found


@cython.final
@cython.cclass
class _Units:
    """The table of units while it is filled, and what is open."""

    view: PageView
    texts: cython.const[cython.longlong][::1]  # the text rows of all lines
    starts: cython.const[cython.longlong][::1]  # where in them each line begins
    lines_at: cython.int[::1]  # by row: the first line at or after it
    sums: cython.int[::1]  # by row: the characters before it
    numbers: object  # the table, UNIT_COLUMNS numbers a unit
    table: cython.int[::1]
    count: cython.int
    # Stacks of the units that are open: those that are elements or groups, and sections.
    open: cython.int[::1]
    sections: cython.int[::1]
    depth: cython.int
    section_depth: cython.int
    labels: Labels
    posts: cython.uchar[::1]  # by label: 2 where it is the class of an embedded post, 1 where not, 0 if not read
    described: cython.bint  # whether the group on top of the stack has a description yet

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def set_up(
        self, view: PageView, texts: cython.const[cython.longlong][::1], starts: cython.const[cython.longlong][::1]
    ) -> cython.int:
        """Make the table, given the text rows of the lines and where in them each line begins."""
        self.view = view
        self.texts = texts
        self.starts = starts
        self.lines_at, self.sums = int_room(view.rows + 1), int_room(view.rows + 1)
        most = _count_candidates(view) + starts.shape[0]
        self.numbers = zeros("i", most * _COLUMNS)
        self.table = self.numbers
        stacks: cython.int[::1] = int_room(2 * most)
        self.open, self.sections = stacks[:most], stacks[most:]
        self.labels = labels_of(view)
        self.posts = bytearray(self.labels.count)
        self.count = self.depth = self.section_depth = 0
        self.described = False
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def get(self, unit: cython.int, column: cython.int) -> cython.int:
        """Return one number of a unit."""
        return self.table[unit * UNIT_COLUMNS + column]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def put(self, unit: cython.int, column: cython.int, value: cython.int) -> cython.void:
        """Set one number of a unit."""
        self.table[unit * UNIT_COLUMNS + column] = value

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add(self, kind: cython.int, row: cython.int, end: cython.int) -> cython.int:
        """Add a unit of some rows, inside of what is open; return its number."""
        unit = self.count
        self.count += 1
        self.put(unit, UNIT_KIND, kind)
        self.put(unit, UNIT_FIRST, row)
        self.put(unit, UNIT_LINE, self.lines_at[row])
        self.put(unit, UNIT_HEAD_END, self.lines_at[row])
        self.put(unit, UNIT_PARENT, self.open[self.depth - 1] if self.depth else -1)
        self.finish(unit, end)
        return unit

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def finish(self, unit: cython.int, end: cython.int) -> cython.void:
        """Say where a unit ends."""
        self.put(unit, UNIT_END, end)
        self.put(unit, UNIT_LINE_END, self.lines_at[end])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_in(self, kind: cython.int) -> cython.bint:
        """Whether the innermost unit that is open is of a kind."""
        return self.depth > 0 and self.get(self.open[self.depth - 1], UNIT_KIND) == kind

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def close(self, row: cython.int) -> cython.void:
        """Close what has ended before a row."""
        while self.depth and self.get(self.open[self.depth - 1], UNIT_END) <= row:
            self.depth -= 1

    # What a row is

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def kind_of(self, row: cython.int) -> cython.int:
        """Return the kind of unit that an element is by itself, or 0."""
        if self.view.tag[row] >= KNOWN_TAGS:
            return 0
        if _MAY_BE_POST[self.view.tag[row]] and self.is_post(row):
            return UNIT_POST
        if self.view.tag[row] == TAG_TABLE and self.is_data_table(row):
            return UNIT_TABLE
        return _KIND[self.view.tag[row]]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_post(self, row: cython.int) -> cython.bint:
        """Whether the class of a row says that it is an embedded post; each is read once."""
        k = self.view.attribute(row, ATTR_CLASS)
        if k < 0:
            return False
        label = self.labels.number[k]
        if not self.posts[label]:
            self.posts[label] = 2 if _is_post(self.view, k) else 1
        return self.posts[label] == 2

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_data_table(self, row: cython.int) -> cython.bint:
        """Whether a table is read by rows and columns."""
        cells = cells_of(self.view, row)
        return cells != CELLS_LAYOUT and has_data(self.view, self.sums, row, cells == CELLS_HEADED)

    # Parts of tables and lists

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_part(self, kind: cython.int) -> cython.bint:
        """Count a part of the unit that is open, if it is of that kind; return whether it is."""
        if not self.is_in(kind):
            return False
        unit = self.open[self.depth - 1]
        self.put(unit, UNIT_LEVEL, self.get(unit, UNIT_LEVEL) + 1)
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def open_row(self, row: cython.int) -> cython.void:
        """Open the row of a data table."""
        if self.count_part(UNIT_TABLE):
            unit = self.add(UNIT_ROW, row, self.view.end[row])
            self.put(unit, UNIT_LEVEL, self.is_header(row))
            self.open[self.depth] = unit
            self.depth += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_header(self, row: cython.int) -> cython.bint:
        """Whether the row of a table says what its columns are: in a head, or header cells alone."""
        if self.view.tag[self.view.parent[row]] == TAG_THEAD:
            return True
        cell = row + 1
        found = False
        while cell < self.view.end[row]:
            if self.sums[self.view.end[cell]] > self.sums[cell]:
                if self.view.tag[cell] != TAG_TH:
                    return False
                found = True
            cell = self.view.end[cell]
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def open_group(self, term: cython.int) -> cython.void:
        """Open the group of a term, unless it is one more term of a group that has no description yet."""
        if self.is_in(UNIT_GROUP):
            unit = self.open[self.depth - 1]
            if not self.described:
                self.put(unit, UNIT_HEAD_END, self.lines_at[self.view.end[term]])
                return
            self.finish(unit, term)
            self.depth -= 1
        if self.count_part(UNIT_DEFINITIONS):
            unit = self.add(UNIT_GROUP, term, self.view.end[self.view.parent[term]])
            self.put(unit, UNIT_HEAD_END, self.lines_at[self.view.end[term]])
            self.open[self.depth] = unit
            self.depth += 1
            self.described = False

    # Sections

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def wrapper(self, heading: cython.int) -> cython.int:
        """Return the outermost element that holds nothing but a heading."""
        row = heading
        above = self.view.parent[row]
        while above > 0 and self.has_same_lines(above, heading):
            row = above
            above = self.view.parent[row]
        return row

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_same_lines(self, row: cython.int, other: cython.int) -> cython.bint:
        """Whether two rows have the same lines."""
        return (
            self.lines_at[row] == self.lines_at[other]
            and self.lines_at[self.view.end[row]] == self.lines_at[self.view.end[other]]
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def open_section(self, heading: cython.int, level: cython.int) -> cython.void:
        """Open the section of a heading; it ends with the element around it, unless another heading comes first."""
        row = self.wrapper(heading)
        self.end_sections(row, level)
        unit = self.add(UNIT_SECTION, heading, self.view.end[self.view.parent[row]])
        self.put(unit, UNIT_LEVEL, level)
        self.put(unit, UNIT_HEAD_END, self.lines_at[self.view.end[heading]])
        self.sections[self.section_depth] = unit
        self.section_depth += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_sections(self, row: cython.int, level: cython.int) -> cython.void:
        """End the sections that a heading of this level ends, and forget those that have ended before it."""
        while self.section_depth:
            unit = self.sections[self.section_depth - 1]
            if self.get(unit, UNIT_END) > row:
                if self.get(unit, UNIT_LEVEL) < level:
                    return
                self.finish(unit, row)
            self.section_depth -= 1

    # Labels and their values

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def open_pair(self, line: cython.int) -> cython.void:
        """Add the pair of a line and the next one, if the first is a label, and they are in or below one element."""
        if line + 1 >= len(self.starts) or not self.is_label(line) or self.is_label(line + 1):
            return
        label = self.block(self.texts[self.starts[line]])
        value = self.block(self.texts[self.starts[line + 1]])
        last = self.last_text(line + 1)
        if (label == value or self.view.parent[label] == self.view.parent[value]) and (
            self.sums[last + 1] - self.sums[self.texts[self.starts[line + 1]]] <= MAX_VALUE_LENGTH
        ):
            unit = self.add(UNIT_PAIR, self.texts[self.starts[line]], last + 1)
            self.put(unit, UNIT_HEAD_END, line + 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def last_text(self, line: cython.int) -> cython.int:
        """Return the last text row of a line."""
        return self.texts[(self.starts[line + 1] if line + 1 < len(self.starts) else len(self.texts)) - 1]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_label(self, line: cython.int) -> cython.bint:
        """Whether a line is short and ends with a colon, of ASCII or of full width."""
        last = self.last_text(line)
        at = self.view.text_at[last + 1]
        if self.sums[last + 1] - self.sums[self.texts[self.starts[line]]] > MAX_LABEL_LENGTH:
            return False
        while at > self.view.text_at[last] and is_space(self.view.text[at - 1]):
            at -= 1
        if at - 1 >= self.view.text_at[last] and self.view.text[at - 1] == COLON:
            return True
        return (
            at - 3 >= self.view.text_at[last]
            and self.view.text[at - 3] == 0xEF
            and self.view.text[at - 2] == 0xBC
            and self.view.text[at - 1] == 0x9A
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def block(self, row: cython.int) -> cython.int:
        """Return the nearest block element around a row, a few levels up."""
        for _ in range(MAX_BLOCK_LEVELS):
            if row <= 0 or self.view.flags(row) & BLOCK:
                break
            row = self.view.parent[row]
        return row

    # All of it

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read_row(self, row: cython.int) -> cython.void:
        """Open what an element with lines is."""
        tag = self.view.tag[row]
        if tag == TAG_TR:
            self.open_row(row)
        elif tag == TAG_DT:
            self.open_group(row)
        elif tag == TAG_DD:
            self.described = True
        elif tag == TAG_LI:
            self.count_part(UNIT_LIST)
        elif TAG_H1 <= tag <= TAG_H6:
            self.open_section(row, tag - TAG_H1 + 1)
        else:
            kind = self.kind_of(row)
            if kind:
                self.open[self.depth] = self.add(kind, row, self.view.end[row])
                self.depth += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read(self) -> cython.void:
        """Read the units of the page."""
        find_lines_at(self.texts, self.starts, self.view.rows, cython.address(self.lines_at[0]))
        _add_up(self.view, self.sums)
        heading = 0  # where the last heading ends: there are no headings in headings
        for row in range(1, self.view.rows):
            self.close(row)
            if self.view.tag[row] == TEXT and self.lines_at[row] < self.lines_at[row + 1]:
                self.open_pair(self.lines_at[row])
            if self.view.tag[row] >= KNOWN_TAGS or self.lines_at[row] == self.lines_at[self.view.end[row]]:
                continue
            if TAG_H1 <= self.view.tag[row] <= TAG_H6:
                if row < heading:
                    continue
                heading = self.view.end[row]
            self.read_row(row)


def read_units(view, texts, starts):
    """Return the table of the units of a page, given its lines: UNIT_COLUMNS numbers a unit, in document order."""
    units: _Units = _Units()
    units.set_up(view, texts, starts)
    with cython.nogil:
        units.read()
    return units.numbers[: units.count * _COLUMNS]


def read(page: Any, texts: Any, starts: Any) -> Any:
    """Do what `read_units` does, for a page and arrays."""
    return read_units(measured(page), as_column(texts), as_column(starts))
