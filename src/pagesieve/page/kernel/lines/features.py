# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, infer_types=True
"""What the block model knows of each line of a page, in a few passes over the rows and one over the text.

`feature_table` has the columns. Trees do not care for logarithms, so counts are counts here.
"""

from __future__ import annotations

from array import array

import cython
from cython.cimports.libc.stdlib import free
from cython.cimports.libc.string import memset
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import fnv_seed, is_space, mix, room_for
from cython.cimports.pagesieve.page.kernel.constants import SPACE, UPPER_A, UPPER_Z
from cython.cimports.pagesieve.page.kernel.lines import feature_table as column
from cython.cimports.pagesieve.page.kernel.lines.lines import find_lines_at
from cython.cimports.pagesieve.page.kernel.page.attributes import labels_of
from cython.cimports.pagesieve.page.kernel.page.punctuation import CharCounter
from cython.cimports.pagesieve.page.kernel.page.view import PageView

from pagesieve.page.kernel.lines.feature_table import AROUND_SORTS, DIRECTLY, INLINE, INSIDE, ROLES
from pagesieve.page.kernel.tags import TAGS


def _numbered(groups: tuple[str, ...]) -> array[int]:
    """Return by element the number of the group it is named in, from 1; 0 for none."""
    return array("i", [next((k for k, names in enumerate(groups, 1) if tag in names.split()), 0) for tag in TAGS])


def _bits(groups: tuple[str, ...]) -> array[int]:
    """Return by element a bit for each of the groups it is named in."""
    return array("i", [sum(1 << k for k, names in enumerate(groups) if tag in names.split()) for tag in TAGS])


_LENGTHS = cython.declare(cython.int, 4096)  # of texts that are told apart by it, a power of two
_FIRST_LABEL = cython.declare(cython.int, 1 << 16)  # added to the number of a class: no element has such a number
# By element.
_DIRECTLY = cython.declare(cython.const[cython.int][::1], _numbered(DIRECTLY))
_INLINE = cython.declare(cython.const[cython.int][::1], _numbered(INLINE))
_INSIDE = cython.declare(cython.const[cython.int][::1], _bits(tuple(INSIDE.values())))
_SORT = cython.declare(cython.const[cython.int][::1], _numbered(AROUND_SORTS))
_IMAGE = cython.declare(cython.const[cython.int][::1], _numbered(("img picture svg",)))
_CONTROL = cython.declare(cython.const[cython.int][::1], _numbered(("input select button textarea option",)))
_HEADING = cython.declare(cython.const[cython.int][::1], _numbered(("h1", "h2", "h3", "h4", "h5", "h6")))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _of_element(table: cython.const[cython.int][::1], tag: cython.int) -> cython.int:
    """Return what a table says of an element; 0 for one that is not known by number."""
    return table[tag] if tag < tags.KNOWN_TAGS else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _word_digest(
    values: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.ulonglong:
    """Return the digest of a word, whatever its letter case and the white space around it."""
    digest: cython.ulonglong = fnv_seed()
    while start < stop and is_space(values[start]):
        start += 1
    while stop > start and is_space(values[stop - 1]):
        stop -= 1
    for i in range(start, stop):
        digest = mix(digest, values[i] | 0x20 if UPPER_A <= values[i] <= UPPER_Z else values[i])
    return digest


# By role: its digest, and the bit of what it stands for.
_ROLES = cython.declare(
    cython.const[cython.ulonglong][::1], array("Q", [_word_digest(role, 0, len(role)) for role in ROLES])
)
_ROLE_BITS = cython.declare(
    cython.const[cython.int][::1], array("i", [1 << [*INSIDE].index(name) for name in ROLES.values()])
)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _role_bits(role: cython.ulonglong) -> cython.int:
    """Return the bit of what a role, by its digest, stands for; 0 for the other roles."""
    for k in range(len(_ROLES)):
        if _ROLES[k] == role:
            return _ROLE_BITS[k]
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _in_h1(view: PageView, row: cython.int) -> cython.bint:
    """Whether a text is in a headline, up to four elements up."""
    for _ in range(4):
        row = view.parent[row]
        if row <= 0:
            return False
        if view.tag[row] == tags.TAG_H1:
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _from_h1(line: cython.int, before: cython.int, after: cython.int) -> cython.float:
    """Return how far the closest headline is, in lines: above 0 after it, below 0 before it; 0 without one."""
    if before < 0 and after < 0:
        return 0
    if before < 0 or (after >= 0 and after - line < line - before):
        return line - after
    return line - before


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _slots(count: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the size of a hash table for so many digests."""
    slots: cython.Py_ssize_t = 64
    while slots < 2 * count:
        slots *= 2
    return slots


class Lines:
    """The lines of a page while they are described."""

    def set_up(self, view, texts, starts, values):
        """Make the columns, given the text rows of the lines, hidden ones too, and where in them each line begins.

        `values` is for the features.
        """
        self.labels = labels_of(view)
        self.values = values
        self.texts, self.starts = texts, starts
        self.lines = starts.shape[0]
        self.counter = CharCounter()
        self.total = self.unlinked = self.longest = self.richest = 0
        return 0

    def __dealloc__(self):
        free(self.memory)

    def make_columns(self, rows):
        """Make room for the columns, in one piece."""
        size: cython.Py_ssize_t = self.lines
        longs: cython.Py_ssize_t = 2 * rows + size
        sums: cython.Py_ssize_t = 6 * rows + 4 * size  # which begin with 0
        ints: cython.Py_ssize_t = sums + 3 * rows + 1 + _slots(rows) + 5 * rows
        self.memory = room_for(longs * cython.sizeof(cython.ulonglong) + ints * cython.sizeof(cython.int) + size)
        self.paths = cython.cast(cython.pointer(cython.ulonglong), self.memory)
        self.styles, self.digests = self.paths + rows, self.paths + 2 * rows
        self.sum_chars = cython.cast(cython.p_int, self.paths + longs)
        self.sum_links, self.sum_lines = self.sum_chars + rows, self.sum_chars + 2 * rows
        self.sum_paragraphs, self.sum_images = self.sum_chars + 3 * rows, self.sum_chars + 4 * rows
        self.sum_controls, self.first = self.sum_chars + 5 * rows, self.sum_chars + 6 * rows
        self.chars, self.link_chars, self.marks = self.first + size, self.first + 2 * size, self.first + 3 * size
        self.block = self.sum_chars + sums
        self.within, self.lines_at = self.block + rows, self.block + 2 * rows
        self.room = self.lines_at + rows + 1
        self.stops = cython.cast(cython.p_uchar, self.sum_chars + ints)
        memset(self.sum_chars, 0, sums * cython.sizeof(cython.int))
        self.paths[0] = self.styles[0] = self.block[0] = self.within[0] = 0
        find_lines_at(self.texts, self.starts, rows, self.lines_at)
        return 0

    # The elements

    def read_elements(self, view):
        """Find what each row is inside of, and the digests of what is above it."""
        for row in range(1, view.rows):
            above = view.parent[row]
            self.block[row] = self.block[above]
            self.within[row] = self.within[above]
            self.paths[row] = self.paths[above]
            self.styles[row] = self.styles[above]
            if view.tag[row] >= tags.FIRST_ELEMENT:
                self.read_element(view, row)

    def read_element(self, view, row):
        """Add what an element is to what the one above it says."""
        tag = view.tag[row]
        style: cython.ulonglong = mix(self.styles[row], tag)
        if tag < tags.KNOWN_TAGS:
            self.within[row] |= _INSIDE[tag]
            self.sum_images[row] = _IMAGE[tag]
            self.sum_controls[row] = _CONTROL[tag]
            if view.flags(row) & tags.BLOCK:
                self.block[row] = row
        for k in range(view.attribute_at[row], view.attribute_at[row + 1]):
            if view.attribute_name[k] == tags.ATTR_CLASS and view.value_at[k] < view.value_at[k + 1]:
                style = mix(style, _FIRST_LABEL + self.labels.number[k])
            elif view.attribute_name[k] == tags.ATTR_ROLE:
                self.within[row] |= _role_bits(_word_digest(view.values, view.value_at[k], view.value_at[k + 1]))
        self.paths[row] = mix(self.paths[row], tag)
        self.styles[row] = style

    def enters_article(self, view, row):
        """Whether an element is inside of an article and the one above it is not."""
        return bool(self.within[row] & ~self.within[view.parent[row]] & column.ARTICLE_BIT)

    def add_up(self, view):
        """Sum up what is below each row; each line is at its first row so far."""
        for row in range(view.rows - 1, 0, -1):
            above = view.parent[row]
            self.sum_chars[above] += self.sum_chars[row]
            self.sum_links[above] += self.sum_links[row]
            self.sum_lines[above] += self.sum_lines[row]
            self.sum_paragraphs[above] += self.sum_paragraphs[row]
            self.sum_images[above] += self.sum_images[row]
            self.sum_controls[above] += self.sum_controls[row]

    # What a line is made of

    def read(self, view, line):
        """Read a line: what it holds, and what it adds to the element it stands in."""
        start = self.starts[line]
        stop = self.starts[line + 1] if line + 1 < self.lines else len(self.texts)
        first = self.texts[start]
        size = 0
        links = 0
        link_count = 0
        self.counter.clear()
        for k in range(start, stop):
            row = self.texts[k]
            own = view.chars[row] + view.hidden_chars[row]
            size += own
            if view.linked[row]:
                links += own
                if k == start or view.parent[row] != view.parent[self.texts[k - 1]]:
                    link_count += 1
            self.counter.read(view.text, view.text_at[row], view.text_at[row + 1])
        self.first[line] = first
        self.chars[line] = size
        self.link_chars[line] = links
        self.marks[line] = self.counter.marks
        self.stops[line] = self.counter.ended
        self.sum_chars[first] += size
        self.sum_links[first] += links
        self.sum_lines[first] += 1
        if view.tag[self.block[first]] == tags.TAG_P:
            self.sum_paragraphs[first] += size
        self.values[line, column.OWN_LINK_COUNT] = link_count
        self.values[line, column.OWN_TEXTS] = stop - start
        self.values[line, column.OWN_HIDDEN] = view.visibility[first] != tags.IS_SEEN
        self.tell_own(line)

    def tell_own(self, line):
        """Fill in what the line that was just read is made of."""
        values: cython.float[:, ::1] = self.values
        size: cython.double = self.chars[line]
        values[line, column.OWN_CHARS] = size
        values[line, column.OWN_LINKS] = self.link_chars[line] / (size + 1.0)
        values[line, column.OWN_WORDS] = self.counter.words
        values[line, column.OWN_MARKS] = self.counter.marks / (size + 1.0)
        values[line, column.OWN_MARK_COUNT] = self.counter.marks
        values[line, column.OWN_STOP] = self.counter.ended
        values[line, column.OWN_DIGITS] = self.counter.digits / (size + 1.0)
        values[line, column.OWN_CAPITALS] = self.counter.capitals / (self.counter.letters + 1.0)
        values[line, column.OWN_IDEOGRAPHS] = self.counter.ideographs / (size + 1.0)
        values[line, column.OWN_DATES] = self.counter.dates
        values[line, column.OWN_PRICES] = self.counter.prices
        values[line, column.OWN_WORD_SIZE] = size / (self.counter.words + 1.0)

    # Where it stands

    def measure_page(self):
        """Sum up the lines, and find the longest."""
        most = 0
        for line in range(self.lines):
            own = self.chars[line] - self.link_chars[line]
            self.total += self.chars[line]
            self.unlinked += own
            self.longest = max(self.longest, self.chars[line])
            if own > most:
                most = own
                self.richest = line

    def tell_place(self):
        """Fill in where each line stands in the text of the page."""
        values: cython.float[:, ::1] = self.values
        before = 0
        unlinked_before = 0
        for line in range(self.lines):
            own = self.chars[line] - self.link_chars[line]
            values[line, column.PLACE_SHARE] = self.chars[line] / (self.total + 1.0)
            values[line, column.PLACE_OF_LONGEST] = self.chars[line] / (self.longest + 1.0)
            values[line, column.PLACE_LINE] = line / (self.lines + 0.0)
            values[line, column.PLACE_BEFORE] = before / (self.total + 1.0)
            values[line, column.PLACE_UNLINKED_BEFORE] = (unlinked_before + own / 2.0) / (self.unlinked + 1.0)
            values[line, column.PLACE_FROM_LONGEST] = line - self.richest
            before += self.chars[line]
            unlinked_before += own

    def tell_headings(self, view):
        """Fill in how deep each line stands, and how far from the headline and the heading before it."""
        values: cython.float[:, ::1] = self.values
        heading = -1  # the last one's line, and its level
        level = 0
        last_h1 = -1
        next_h1 = self.next_h1(view, 0)
        has_h1: cython.bint = next_h1 >= 0
        for line in range(self.lines):
            own = heading_level(view, self, line)
            if own:
                heading = line
                level = own
            if next_h1 == line:
                last_h1 = line
                next_h1 = self.next_h1(view, line + 1)
            values[line, column.PLACE_FROM_H1] = _from_h1(line, last_h1, next_h1)
            values[line, column.PLACE_HAS_H1] = has_h1
            values[line, column.PLACE_DEPTH] = view.depth[self.first[line]]
            values[line, column.PLACE_FROM_HEADING] = line - heading if heading >= 0 else -1
            values[line, column.PLACE_HEADING_LEVEL] = level
            values[line, column.PLACE_HEADING_LINKS] = values[heading, column.OWN_LINKS] if heading >= 0 else -1

    def next_h1(self, view, line):
        """Return the next line in a headline, from this one on; -1 without one."""
        while line < self.lines:
            if _in_h1(view, self.first[line]):
                return line
            line += 1
        return -1

    def tell_page(self, comments):
        """Fill in what the page is made of, beside each of its lines; and which of them look like comments."""
        values: cython.float[:, ::1] = self.values
        all_chars: cython.double = self.total + 1.0
        in_main = 0
        in_article = 0
        long_lines = 0
        in_comments = 0
        for line in range(self.lines):
            size = self.chars[line]
            if self.within[self.first[line]] & column.MAIN_BIT:
                in_main += size
            if self.within[self.first[line]] & column.ARTICLE_BIT:
                in_article += size
            if size >= column.LONG_LINE and 4 * self.link_chars[line] < size:
                long_lines += size
            if comments[self.first[line]]:
                in_comments += size
        for line in range(self.lines):
            values[line, column.PAGE_LINES] = self.lines
            values[line, column.PAGE_CHARS] = self.total
            values[line, column.PAGE_LINKS] = (self.total - self.unlinked) / all_chars
            values[line, column.PAGE_PARAGRAPHS] = self.sum_paragraphs[0] / all_chars
            values[line, column.PAGE_IN_MAIN] = in_main / all_chars
            values[line, column.PAGE_IN_ARTICLE] = in_article / all_chars
            values[line, column.PAGE_LONG] = long_lines / all_chars
            values[line, column.COMMENTS_IN_COMMENTS] = comments[self.first[line]]
            values[line, column.COMMENTS_PAGE_IN_COMMENTS] = in_comments / all_chars

    # What it stands in

    def tell_elements(self, view):
        """Fill in what each line is in: directly, in which inline element, and anywhere."""
        values: cython.float[:, ::1] = self.values
        for line in range(self.lines):
            first = self.first[line]
            own = _of_element(_DIRECTLY, view.tag[self.block[first]])
            for k in range(column.IS_TIMES):
                values[line, column.IS + k] = own == k + 1
            own = _of_element(_INLINE, view.tag[view.parent[first]])
            for k in range(column.IN_INLINE_TIMES):
                values[line, column.IN_INLINE + k] = own == k + 1
            for k in range(column.IN_TIMES):
                values[line, column.IN + k] = (self.within[first] >> k) & 1

    def tell_containers(self, view, containers):
        """Fill in the block elements around each line, from the inside out, and what they hold."""
        values: cython.float[:, ::1] = self.values
        for line in range(self.lines):
            row = self.block[self.first[line]]
            for level in range(column.LEVELS):
                at = level * column.AROUND_WIDTH
                containers[line, level] = row
                own = self.sum_chars[row]
                count = self.sum_lines[row]
                values[line, at + column.AROUND_CHARS] = own
                values[line, at + column.AROUND_LINKS] = self.sum_links[row] / (own + 1.0)
                values[line, at + column.AROUND_SHARE] = own / (self.total + 1.0)
                values[line, at + column.AROUND_LINE_CHARS] = own / (count + 1.0)
                values[line, at + column.AROUND_LINES] = count
                values[line, at + column.AROUND_PARAGRAPHS] = self.sum_paragraphs[row] / (own + 1.0)
                values[line, at + column.AROUND_PLACE] = (line - self.lines_at[row]) / (count + 0.0) if count else 0.0
                values[line, at + column.AROUND_SORT] = _of_element(_SORT, view.tag[row])
                values[line, at + column.AROUND_IMAGES] = self.sum_images[row]
                values[line, at + column.AROUND_CONTROLS] = self.sum_controls[row]
                row = self.block[view.parent[row]] if row > 0 else 0

    # What is beside it

    def tell_neighbours(self, view):
        """Fill in the lines just before and after each one."""
        for line in range(self.lines):
            at = 0
            for by in range(-column.SHIFTS, column.SHIFTS + 1):
                if by:
                    self.tell_neighbour(view, line, line + by, at)
                    at += column.NEXT_WIDTH

    def tell_neighbour(self, view, line, other, at):
        """Fill in one of the lines before or after."""
        values: cython.float[:, ::1] = self.values
        if not 0 <= other < self.lines:  # the other three columns stay 0
            values[line, at + column.NEXT_CHARS] = -1
            values[line, at + column.NEXT_LINKS] = -1
            return
        values[line, at + column.NEXT_CHARS] = self.chars[other]
        values[line, at + column.NEXT_LINKS] = self.link_chars[other] / (self.chars[other] + 1.0)
        values[line, at + column.NEXT_STOP] = self.stops[other]
        values[line, at + column.NEXT_DEPTH] = view.depth[self.first[other]] - view.depth[self.first[line]]
        values[line, at + column.NEXT_PATH] = self.paths[self.first[other]] == self.paths[self.first[line]]

    def tell_window(self, size, at):
        """Fill in the text outside of links, the share in links and the marks of up to `size` lines on either side."""
        values: cython.float[:, ::1] = self.values
        text = 0
        links = 0
        marks = 0
        held: cython.double = 0
        for line in range(-size, self.lines):
            enters = line + size
            leaves = line - size - 1
            if enters < self.lines:
                text += self.chars[enters] - self.link_chars[enters]
                links += self.link_chars[enters]
                marks += self.marks[enters]
                held += 1
            if leaves >= 0:
                text -= self.chars[leaves] - self.link_chars[leaves]
                links -= self.link_chars[leaves]
                marks -= self.marks[leaves]
                held -= 1
            if line >= 0:
                values[line, at + column.WITHIN_CHARS] = text / held
                values[line, at + column.WITHIN_LINKS] = links / (text + links + 1.0)
                values[line, at + column.WITHIN_MARKS] = marks / held

    # What is like it

    def number(self, digests, count):
        """Number equal digests alike, in the order of their first. Three sums of each follow, which are 0.

        They hold until the next call.
        """
        slots = _slots(count)
        table: cython.p_int = cython.address(self.room[0])  # the group of a slot, plus 1
        first: cython.p_int = table + slots  # of each group
        group: cython.p_int = first + count
        memset(table, 0, slots * cython.sizeof(cython.int))
        memset(group + count, 0, 3 * count * cython.sizeof(cython.int))
        found = 0
        for k in range(count):
            slot = cython.cast(cython.Py_ssize_t, digests[k] & cython.cast(cython.ulonglong, slots - 1))
            while table[slot] and digests[first[table[slot] - 1]] != digests[k]:
                slot = (slot + 1) & (slots - 1)
            if not table[slot]:
                first[found] = k
                found += 1
                table[slot] = found
            group[k] = table[slot] - 1
        return group

    def tell_group(self, digests, groups, which):
        """Fill in how many lines there are of the same digest, and how much they hold."""
        values: cython.float[:, ::1] = self.values
        at = which * column.GROUP_WIDTH
        for line in range(self.lines):
            self.digests[line] = digests[self.first[line]]
        group = self.number(cython.address(self.digests[0]), self.lines)
        size: cython.p_int = group + self.lines
        held: cython.p_int = size + self.lines
        links: cython.p_int = held + self.lines
        for line in range(self.lines):
            k = group[line]
            groups[line, which] = k
            size[k] += 1
            held[k] += self.chars[line]
            links[k] += self.link_chars[line]
        for line in range(self.lines):
            k = group[line]
            values[line, at + column.GROUP_LINES] = size[k]
            values[line, at + column.GROUP_SHARE] = held[k] / (self.total + 1.0)
            values[line, at + column.GROUP_LINE_CHARS] = held[k] / (size[k] + 0.0)
            values[line, at + column.GROUP_LINKS] = links[k] / (held[k] + 1.0)

    def tell_same(self, view):
        """Fill in how many lines begin with the same text, and how many of them stand before each one."""
        lengths = cython.declare(cython.uchar[4096])  # how many texts have one, 2 at most
        digest: cython.ulonglong
        memset(lengths, 0, _LENGTHS)
        for line in range(self.lines):
            length = self.length(view, line)
            lengths[length] += lengths[length] < 2
        for line in range(self.lines):
            digest = fnv_seed()
            if lengths[self.length(view, line)] == 1:  # no other text is as long
                digest = mix(digest, cython.cast(cython.ulonglong, line) << 32)
            else:
                for i in range(view.text_at[self.first[line]], view.text_at[self.first[line] + 1]):
                    if view.text[i] > SPACE:
                        digest = mix(digest, view.text[i])
            self.digests[line] = digest
        group = self.number(cython.address(self.digests[0]), self.lines)
        size: cython.p_int = group + self.lines
        for line in range(self.lines):
            self.values[line, column.SAME_BEFORE] = size[group[line]]
            size[group[line]] += 1
        for line in range(self.lines):
            self.values[line, column.SAME_TEXT] = size[group[line]]

    def length(self, view, line):
        """Return how many characters the first text of a line has, by a few of the bits."""
        return (view.chars[self.first[line]] + view.hidden_chars[self.first[line]]) & (_LENGTHS - 1)

    def tell_alike(self, view, containers):
        """Fill in how many elements there are like those around each line, and how much of the text they hold."""
        group = self.number(cython.address(self.styles[0]), view.rows)
        count: cython.p_int = group + view.rows
        held: cython.p_int = count + view.rows
        for row in range(1, view.rows):
            if view.tag[row] >= tags.FIRST_ELEMENT and self.sum_chars[row]:
                count[group[row]] += 1
                held[group[row]] += self.sum_chars[row]
        for line in range(self.lines):
            for level in range(column.LEVELS):
                row = containers[line, level]
                if row:  # else the two columns stay 0
                    at = level * column.ALIKE_WIDTH
                    self.values[line, at + column.ALIKE_COUNT] = count[group[row]]
                    self.values[line, at + column.ALIKE_SHARE] = held[group[row]] / (self.total + 1.0)

    def describe(self, view, commented, around, groups):
        """Fill a row of the features a line, its block elements from the inside out, and the numbers of its groups.

        `commented` marks the rows that look like readers' comments. There are two groups: lines of one path stand in
        the same elements; of one style, in elements of the same classes too. They are numbered by their first line.
        """
        self.make_columns(view.rows)
        if not self.lines:
            return 0
        memset(cython.address(self.values[0, 0]), 0, self.lines * self.values.shape[1] * cython.sizeof(cython.float))
        self.read_elements(view)
        for line in range(self.lines):
            self.read(view, line)
        self.add_up(view)
        self.measure_page()
        self.tell_place()
        self.tell_headings(view)
        self.tell_page(commented)
        self.tell_elements(view)
        self.tell_containers(view, around)
        self.tell_neighbours(view)
        self.tell_window(column.NEAR, 0)
        self.tell_window(column.FAR, column.WITHIN_WIDTH)
        self.tell_group(self.paths, groups, 0)
        self.tell_group(self.styles, groups, 1)
        self.tell_same(view)
        self.tell_alike(view, around)
        return 0


def heading_level(view, lines, line):
    """Return the level of the heading that a line is; 0 for other lines."""
    return _of_element(_HEADING, view.tag[lines.block[lines.first[line]]])


# What the first stage said of the lines around


class Context:
    """The first stage's answers, from 0 to 1, and their sums weighted by how long the lines are."""

    def set_up(self, first, values):
        """Take over where the answers will be, and the features."""
        self.values, self.first = values, first
        self.lines = first.shape[0]
        return 0

    def __dealloc__(self):
        free(self.weight)

    def make_columns(self):
        """Make room for the sums, in one piece."""
        size: cython.size_t = (4 * self.lines + 2) * cython.sizeof(cython.double)
        self.weight = cython.cast(cython.p_double, room_for(size))
        self.yes = self.weight + self.lines + 1
        self.of_groups = self.yes + self.lines + 1
        self.weight[0] = self.yes[0] = 0
        return 0

    def add_up(self):
        """Sum up the answers."""
        for line in range(self.lines):
            self.weight[line + 1] = self.weight[line] + self.size(line)
            self.yes[line + 1] = self.yes[line] + self.size(line) * self.first[line]

    def size(self, line):
        """Return how long a line is."""
        return float(self.values[line, column.OWN_CHARS])

    def near(self, line, by):
        """Return the mean of the lines up to so many away."""
        low = max(0, line - by)
        high = min(self.lines, line + by + 1)
        return (self.yes[high] - self.yes[low]) / (self.weight[high] - self.weight[low] + 1)

    def tell_near(self):
        """Fill in what was said of each line, and of the lines near it."""
        values: cython.float[:, ::1] = self.values
        for line in range(self.lines):
            values[line, column.FIRST] = self.first[line]
            at = column.FIRST_NEXT
            for by in range(-column.FIRST_SHIFTS, column.FIRST_SHIFTS + 1):
                if by:
                    values[line, at] = self.first[line + by] if 0 <= line + by < self.lines else -1
                    at += 1
            values[line, column.FIRST_WITHIN] = self.near(line, column.FIRST_NEAR)
            values[line, column.FIRST_WITHIN + 1] = self.near(line, column.FIRST_FAR)

    def tell_around(self, view, containers, lines_at):
        """Fill in what was said of the other lines in the elements around each one."""
        own: cython.double
        for line in range(self.lines):
            own = self.size(line)
            for level in range(column.LEVELS):
                low = lines_at[containers[line, level]]
                high = lines_at[view.end[containers[line, level]]]
                self.values[line, column.FIRST_AROUND + level] = (
                    self.yes[high] - self.yes[low] - own * self.first[line]
                ) / (self.weight[high] - self.weight[low] - own + 1)

    def tell_groups(self, groups, which):
        """Fill in what was said of the other lines of the same group."""
        if self.lines == 0:
            return
        weight: cython.pointer(cython.double) = cython.address(self.of_groups[0])
        yes: cython.pointer(cython.double) = weight + self.lines
        own: cython.double
        memset(weight, 0, 2 * self.lines * cython.sizeof(cython.double))
        for line in range(self.lines):
            weight[groups[line, which]] += self.size(line)
            yes[groups[line, which]] += self.size(line) * self.first[line]
        for line in range(self.lines):
            k = groups[line, which]
            own = self.size(line)
            self.values[line, column.FIRST_GROUP + which] = (yes[k] - own * self.first[line]) / (weight[k] - own + 1)

    def tell_page(self):
        """Fill in what was said of the page: the most, the mean, the shares before and after, the next line kept."""
        values: cython.float[:, ::1] = self.values
        all_yes: cython.double = self.yes[self.lines]
        most: cython.double = 0
        kept = -1  # the last line that the first stage would keep
        for line in range(self.lines):
            most = max(most, self.first[line])
        for line in range(self.lines):
            values[line, column.FIRST_OF_MOST] = most
            values[line, column.FIRST_OF_PAGE] = all_yes / (self.weight[self.lines] + 1)
            values[line, column.FIRST_OF_BEFORE] = self.yes[line] / (all_yes + 1)
            values[line, column.FIRST_OF_AFTER] = (all_yes - self.yes[line + 1]) / (all_yes + 1)
            values[line, column.FIRST_OF_UP] = line - kept if kept >= 0 else -1
            if self.first[line] >= 0.5:
                kept = line
        kept = -1
        for line in range(self.lines - 1, -1, -1):
            values[line, column.FIRST_OF_DOWN] = kept - line if kept >= 0 else -1
            if self.first[line] >= 0.5:
                kept = line

    def describe(self, view, lines, containers, groups):
        """Fill the columns about the first stage's answers: of the lines near, around, alike, and all."""
        self.make_columns()
        self.add_up()
        for which in range(column.GROUP_TIMES):
            self.tell_groups(groups, which)
        self.tell_near()
        self.tell_around(view, containers, lines.lines_at)
        self.tell_page()
        return 0
