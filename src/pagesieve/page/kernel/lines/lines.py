# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""The rules about lines and links that methods share, each in one or two passes over the rows of a page."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cython.cimports.libc.string import memcpy
from cython.cimports.pagesieve.page.kernel.common import as_column, utf8_code, utf8_width, zeros
from cython.cimports.pagesieve.page.kernel.constants import MAX_SEPARATOR_LENGTH, SPACE
from cython.cimports.pagesieve.page.kernel.page.view import PageView, measured, view_of
from cython.cimports.pagesieve.page.kernel.tags import BLOCK, IS_SEEN, KNOWN_TAGS, TAG_A, TAG_FORM, TEXT

from pagesieve.page.kernel.constants import SEPARATORS
from pagesieve.page.kernel.tags import TAG_FLAGS, TAG_ID


def find_lines_at(texts, starts, rows, found):
    """Fill in the first line at or after each row, and after the last."""
    lines = len(starts)
    line = 0
    for row in range(rows + 1):
        while line < lines and texts[starts[line]] < row:
            line += 1
        found[row] = line


def _boundaries(cells: bool) -> bytearray:
    """Mark the elements that begin and end a line; the cells of a table's row stand in one, and are marked if asked."""
    marked = bytearray(flags & BLOCK != 0 for flags in TAG_FLAGS)
    marked[TAG_ID["br"]] = True
    marked[TAG_ID["td"]] = marked[TAG_ID["th"]] = cells
    return marked


# Where lines end, and where their texts do, by element.
_LINE_ENDS = cython.declare(cython.const[cython.uchar][::1], _boundaries(cells=False))
_TEXT_ENDS = cython.declare(cython.const[cython.uchar][::1], _boundaries(cells=True))
_SEPARATORS = cython.declare(cython.const[cython.uchar][::1], SEPARATORS)


def split(page: object, hidden: cython.bint) -> tuple:
    """Return the rendered lines of a page in two arrays, and how many there are.

    The first array has the rows of their texts, and then where in those each line begins; the second the characters of
    each line, and then those in links. What an attribute hides counts if `hidden`.
    """
    view: PageView = measured(page)
    ends: cython.uchar[::1] = bytearray(view.rows + 1)
    places, sizes = zeros("q", 2 * view.rows), zeros("i", 2 * view.rows)
    texts: cython.longlong[::1] = places
    chars: cython.int[::1] = sizes
    count = 0
    line = -1
    begins = True
    for row in range(view.rows):
        if view.tag[row] < KNOWN_TAGS and _LINE_ENDS[view.tag[row]]:
            begins = True
            ends[view.end[row]] = 1
        elif ends[row]:
            begins = True
        own = view.chars[row] + view.hidden_chars[row] if hidden else view.chars[row]
        if own:
            if begins:
                line += 1
                texts[view.rows + line] = count
                begins = False
            texts[count] = row
            count += 1
            chars[line] += own
            if view.linked[row]:
                chars[view.rows + line] += own
    line += 1
    for k in range(line):
        texts[count + k] = texts[view.rows + k]
        chars[line + k] = chars[view.rows + k]
    return places[: count + line], sizes[: 2 * line], line


def has_hidden(page: Any) -> bool:
    """Whether an attribute hides a text of a page."""
    view: PageView = measured(page)
    chars: cython.pointer(cython.const[cython.int]) = cython.address(view.hidden_chars[0])
    rows: cython.int = view.rows
    row: cython.int = 0
    while row < rows and chars[row] == 0:
        row += 1
    return row < rows


def shown(page: Any, start: cython.int, stop: cython.int) -> bytes:
    """Return the text that is seen in some rows, or hidden as the first is; a space where a line or a cell ends."""
    view: PageView = measured(page)
    ends: cython.uchar[::1] = bytearray(stop - start + 1)
    found: bytes = PyBytes_FromStringAndSize(cython.NULL, view.text_at[stop] - view.text_at[start] + stop - start)
    room: cython.p_char = PyBytes_AS_STRING(found)
    size: cython.Py_ssize_t = 0
    row: cython.int
    ended = False
    for row in range(start, stop):
        if view.tag[row] < KNOWN_TAGS and _TEXT_ENDS[view.tag[row]]:
            ended = True
            ends[min(view.end[row], stop) - start] = 1
        elif ends[row - start]:
            ended = True
        if view.tag[row] == TEXT and (
            view.visibility[row] == IS_SEEN or view.visibility[row] == view.visibility[start]
        ):
            if ended:
                room[size] = SPACE
                size += 1
                ended = False
            own: cython.Py_ssize_t = view.text_at[row + 1] - view.text_at[row]
            memcpy(room + size, cython.address(view.text[0]) + view.text_at[row], own)
            size += own
    return found[:size]


def inside(page: Any, wanted: Any) -> Any:
    """Mark the rows that are, or are inside, elements that `wanted` marks by their numbers."""
    view: PageView = view_of(page)
    found = bytearray(view.rows)
    marked: cython.const[cython.uchar][::1] = wanted
    rows: cython.uchar[::1] = found
    _mark_inside(view, marked, rows)
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _mark_inside(
    view: PageView, wanted: cython.const[cython.uchar][::1], found: cython.uchar[::1] | None
) -> cython.void:
    """Mark the rows that are, or are inside, elements that `wanted` marks by their numbers."""
    for row in range(1, view.rows):
        if found[view.parent[row]] or (view.tag[row] < KNOWN_TAGS and wanted[view.tag[row]]):
            found[row] = 1


def keep_rows(view, rows, begins, lines, without, comments):
    """Mark the texts of the lines that are kept, but for those inside elements that `without` marks by their numbers.

    Texts that `comments` marks are left out too. And return how many characters of them are seen, and how many are
    hidden.
    """
    apart: cython.uchar[::1] = bytearray(view.rows) if comments is None else bytearray(comments)
    found = bytearray(view.rows)
    marked: cython.uchar[::1] = found
    seen: cython.longlong = 0
    hidden: cython.longlong = 0
    line: cython.Py_ssize_t = -1
    _mark_inside(view, without, apart)
    for k in range(len(rows)):
        if line + 1 < len(begins) and begins[line + 1] == k:
            line += 1
        row = rows[k]
        if lines[line] and not apart[row]:
            marked[row] = 1
            seen += view.chars[row]
            hidden += view.hidden_chars[row]
    return found, seen, hidden


def written_rows(
    page: Any, columns: tuple[Any, Any, Any], rows: Any, without: Any, longest: cython.int, long: cython.int
) -> tuple[Any, list[int] | None]:
    """Mark those of some rows that are seen, but for those inside of elements that `without` marks, and of short forms.

    And return the lines that have some, or None where one of these is long; `columns` are the rows, the starts and the
    characters of all lines. A short form has `longest` characters at the most, a long line `long` at the least.
    """
    view: PageView = measured(page)
    texts: cython.const[cython.longlong][::1] = as_column(columns[0])
    starts: cython.const[cython.longlong][::1] = as_column(columns[1])
    chars: cython.const[cython.int][::1] = as_column(columns[2])
    marks: cython.const[cython.uchar][::1] = as_column(rows)
    left_out: cython.const[cython.uchar][::1] = without
    apart: cython.uchar[::1] = bytearray(view.rows)
    found = bytearray(view.rows)
    written: cython.uchar[::1] = found
    row: cython.int
    k: cython.Py_ssize_t
    line: cython.Py_ssize_t = -1
    last: cython.Py_ssize_t = -1
    with cython.nogil:
        _mark_inside(view, left_out, apart)
        for row in range(view.rows):
            if view.tag[row] == TAG_FORM:
                _leave_out_form(view, row, longest, apart)
            written[row] = marks[row] and view.chars[row] > 0 and not apart[row]
    asked: list[int] = []
    for k in range(len(texts)):
        if line + 1 < len(starts) and starts[line + 1] == k:
            line += 1
        if written[texts[k]] and line != last:
            last = line
            if chars[line] >= long:
                return found, None
            asked.append(line)
    return found, asked


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _leave_out_form(view: PageView, form: cython.int, longest: cython.int, apart: cython.uchar[::1]) -> cython.void:
    """Mark the rows of a form that is short."""
    chars: cython.longlong = 0
    row: cython.int
    for row in range(form, view.end[form]):
        chars += view.chars[row]
    if chars <= longest:
        for row in range(form, view.end[form]):
            apart[row] = 1


def nearest(page: Any, marked: Any) -> Any:
    """Return for each row the nearest one at or above it that is marked; 0, the document, where there is none."""
    view: PageView = view_of(page)
    marks: cython.const[cython.uchar][::1] = as_column(marked)
    found: cython.int[::1] = zeros("i", view.rows)
    for row in range(1, view.rows):
        found[row] = row if marks[row] else found[view.parent[row]]
    return found


# Blocks of links


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _separates(view: PageView, row: cython.int) -> cython.bint:
    """Whether a text is nothing but separators."""
    i = view.text_at[row]
    stop = view.text_at[row + 1]
    while i < stop:
        code = view.text[i]
        if code < 128:
            i += 1
        else:
            i, code = i + utf8_width(code), utf8_code(view.text, i, stop)
        if not _SEPARATORS[code]:
            return False
    return True


@cython.final
@cython.cclass
class _LinkBlocks:
    """What is in and below each row, and which rows go with their links."""

    chars: cython.int[::1]
    link_chars: cython.int[::1]
    words: cython.int[::1]  # texts outside of links that are more than separators
    links: cython.int[::1]
    has_link: cython.uchar[::1]  # a link with text, directly
    gone: cython.uchar[::1]

    def __init__(self, rows: int):
        self.chars = zeros("i", rows)
        self.link_chars = zeros("i", rows)
        self.words = zeros("i", rows)
        self.links = zeros("i", rows)
        self.has_link = bytearray(rows)
        self.gone = bytearray(rows)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_up(self, view: PageView, chars: cython.const[cython.int][::1]) -> cython.void:
        """Sum up what is below each row; children stand after their parents."""
        for row in range(view.rows - 1, 0, -1):
            above = view.parent[row]
            if chars[row]:
                self.chars[row] += chars[row]
                if view.linked[row]:
                    self.link_chars[row] += chars[row]
                elif chars[row] > MAX_SEPARATOR_LENGTH or not _separates(view, row):
                    self.words[row] += 1
            if view.linked[row]:
                if not view.linked[above]:
                    self.links[row] += 1
                if view.tag[row] == TAG_A and self.chars[row]:
                    self.has_link[above] = 1
            self.chars[above] += self.chars[row]
            self.link_chars[above] += self.link_chars[row]
            self.words[above] += self.words[row]
            self.links[above] += self.links[row]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def drop(self, view: PageView, density: cython.double, spared: cython.int) -> cython.void:
        """Mark the rows that go; what is inside a row that goes, goes with it."""
        for row in range(view.rows):
            linked = self.link_chars[row]
            if row and self.gone[view.parent[row]]:
                self.gone[row] = 1
            elif self.has_link[row] and linked > density * self.chars[row] and self.chars[row] - linked < spared:
                self.gone[row] = 1
            elif linked and not self.words[row]:
                self.gone[row] = self.links[row] > 1 or view.flags(row) & BLOCK != 0


def blocks_of_links(page: Any, chars: Any, density: cython.double, spared: cython.int) -> Any:
    """Mark the rows that go with their links, given how much text is left in each row.

    The parent of a link goes when more than `density` of its text is in links and less than `spared` is not. A block,
    or a node of several links, goes when its text is all in links but for separators; a lone link within a line is part
    of its sentence.
    """
    view: PageView = measured(page)
    blocks: _LinkBlocks = _LinkBlocks(view.rows)
    blocks.add_up(view, as_column(chars))
    blocks.drop(view, density, spared)
    return blocks.gone


# Stretches of lines


@cython.final
@cython.cclass
class _Stretch:
    """The richest stretch of lines so far."""

    weights: cython.const[cython.int][::1]
    lines: cython.Py_ssize_t  # that make a block
    weight: cython.longlong
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t

    def __init__(self, weights: Any, lines: int):
        self.weights = as_column(weights)
        self.lines = lines
        self.weight = -1
        self.start = self.stop = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def offer(self, start: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.void:
        """Take a stretch from its first rich line to the end of the block of its last one, if it is richer."""
        weight = 0
        stop = min(last + self.lines, len(self.weights))
        for i in range(start, stop):
            weight += self.weights[i]
        if weight > self.weight:
            self.weight = weight
            self.start = start
            self.stop = stop

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find(self, threshold: cython.longlong, gap: cython.Py_ssize_t) -> cython.void:
        """Offer all stretches."""
        count = len(self.weights)
        start = -1  # of the stretch that is open
        last = -1
        block = 0  # the weight of the block that begins here
        for i in range(min(self.lines, count)):
            block += self.weights[i]
        for i in range(count):
            if block >= threshold:
                if start >= 0 and i - last > gap:
                    self.offer(start, last)
                    start = -1
                if start < 0:
                    start = i
                last = i
            block -= self.weights[i]
            if i + self.lines < count:
                block += self.weights[i + self.lines]
        if start >= 0:
            self.offer(start, last)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def trim(self) -> cython.void:
        """Leave out lines of no weight at its ends."""
        while self.start < self.stop and not self.weights[self.start]:
            self.start += 1
        while self.stop > self.start and not self.weights[self.stop - 1]:
            self.stop -= 1


def richest_stretch(weights: Any, lines: int, threshold: int, gap: int) -> tuple[int, int]:
    """Return from which line to which the stretch with the most weight goes; an empty one where there is none.

    A line is rich where it and those after it, `lines` in all, reach the threshold. A stretch goes from a rich line to
    the end of the block of the last one; rich lines more than `gap` apart are of two stretches.
    """
    stretch: _Stretch = _Stretch(weights, lines)
    stretch.find(threshold, gap)
    stretch.trim()
    return stretch.start, stretch.stop
