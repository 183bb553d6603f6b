# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, infer_types=True
"""The features of the groups that recur on a page (see `groups`), which tell how much they look like records."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.libc.math import log, log1p, sqrt
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import as_column, plus, times, zeros
from cython.cimports.pagesieve.page.kernel.constants import EVERY, HEADED, PARTED, SAME_PATH, SAME_TAG, SAME_TAGS
from cython.cimports.pagesieve.page.kernel.page.view import PageView, measured
from cython.cimports.pagesieve.page.kernel.records.group_table import *

from pagesieve.page.kernel.tags import TAGS


def _roles() -> bytearray:
    """Return the roles that elements have in a record, by tag number; none for unknown names."""
    roles = {
        ROLE_HEADING: "h1 h2 h3 h4 h5 h6",
        ROLE_CONTROL: "input select option button textarea label",
        ROLE_ASIDE: "nav footer aside header",
        ROLE_INLINE: "a span b strong em i font p br",
        ROLE_ITEM: "li tr article dt",
    }
    return bytearray([*(sum(bit for bit, names in roles.items() if name in names.split()) for name in TAGS), 0])


_ROLES = cython.declare(cython.uchar[::1], _roles())


def _above() -> bytearray:
    """Return what an element says of all that is in it, by tag number."""
    sorts = {
        ABOVE_PANEL: "dialog select datalist menu",
        ABOVE_MAIN: "main",
        ABOVE_NAV: "nav footer header",
        ABOVE_ASIDE: "aside",
        ABOVE_FORM: "form fieldset",
        ABOVE_CENTER: "article",
        ABOVE_NO_LIST: "dialog select datalist menu",
    }
    return bytearray([*(sum(bit for bit, names in sorts.items() if name in names.split()) for name in TAGS), 0])


_ABOVE = cython.declare(cython.uchar[::1], _above())


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _role(tag: cython.int) -> cython.int:
    return _ROLES[tag if tag < tags.KNOWN_TAGS else tags.KNOWN_TAGS]


@cython.final
@cython.cclass
class _Rows:
    """What is known of each row of a page, and of all rows before it."""

    view: PageView
    hints: cython.const[cython.uchar][::1]  # what the class and id of each row say
    chars: cython.const[cython.int][::1]  # of each row its own characters, if they count
    texts: cython.const[cython.uint][::1]  # a digest of its own text
    before: cython.int[::1]  # what all rows before a row hold, HELD sums each
    digests: cython.ulonglong[::1]  # the sum of the digests of all rows before
    bad_above: cython.uchar[::1]  # rows of such names at or above it, MAX_HINTS at most
    good_above: cython.uchar[::1]
    above: cython.uchar[::1]  # what is said at or above it, as bits
    heading: cython.int[::1]  # the last heading with text that begins before it, or at it; 0 where there is none,
    title: cython.int[::1]  # and the last h1
    pager: cython.int[::1]  # the first list of pages that does not begin before it; 0 where there is none
    path: cython.uint[::1]  # a digest of the elements above it, and of its own
    classes: cython.const[cython.uint][::1]  # a digest of its first class
    target: cython.uint[::1]  # of each link, in order: a digest of where it leads, 0 for the page itself,
    folder: cython.uint[::1]  # and of what the addresses of a site's pages of one sort have in common

    def __init__(self, page: Any, found: dict[str, Any]) -> None:
        self.view = measured(page)
        rows = self.view.rows
        self.hints, self.chars = as_column(found["hints"]), as_column(found["chars"])
        self.texts = as_column(found["text_digest"])
        self.before = zeros("i", HELD * (rows + 1))
        self.digests = zeros("Q", rows + 1)
        self.bad_above, self.good_above, self.above = bytearray(rows), bytearray(rows), bytearray(rows)
        self.heading, self.title = zeros("i", rows + 1), zeros("i", rows + 1)
        self.pager = zeros("i", rows + 1)
        self.path, self.classes = zeros("I", rows), as_column(found["classes"])
        self.target, self.folder = zeros("I", rows + 1), zeros("I", rows + 1)
        self.read()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read(self) -> cython.void:
        """Read all rows, in order."""
        spread: cython.ulonglong = 0x9E3779B97F4A7C15  # so large that sums identify sets of texts
        bad: cython.int
        good: cython.int
        for row in range(self.view.rows):
            for k in range(HELD):
                self.before[HELD * (row + 1) + k] = self.before[HELD * row + k]
            self.count(row)
            self.digests[row + 1] = plus(self.digests[row], times(self.texts[row], spread))
            bad = self.is_bad(row)
            good = self.is_good(row)
            if row > 0:
                bad += self.bad_above[self.view.parent[row]]
                good += self.good_above[self.view.parent[row]]
            self.bad_above[row] = min(bad, MAX_HINTS)
            self.good_above[row] = min(good, MAX_HINTS)
            self.place(row)
        row = self.view.rows - 1
        while row > 0:
            self.pager[row] = row if self.hints[row] & PAGER_HINT else self.pager[row + 1]
            row -= 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def place(self, row: cython.int) -> cython.void:
        """Find what is above and before a row."""
        tag = self.view.tag[row]
        above = _ABOVE[tag if tag < tags.KNOWN_TAGS else tags.KNOWN_TAGS]
        digest: cython.ulonglong = 0
        if self.hints[row] & PANEL_HINT:
            above |= ABOVE_PANEL
        if self.hints[row] & MAIN_HINT:
            above |= ABOVE_CENTER
        if self.hints[row] & NO_LIST_HINT and self.is_small(row):
            above |= ABOVE_NO_LIST
        if row > 0:
            above |= self.above[self.view.parent[row]]
            digest = self.path[self.view.parent[row]]
            self.heading[row] = self.heading[row - 1]
            self.title[row] = self.title[row - 1]
        self.above[row] = above
        self.path[row] = cython.cast(cython.uint, plus(times(digest, 0x01000193), tag + 1))
        if _role(tag) & ROLE_HEADING and self.view.text_at[self.view.end[row]] > self.view.text_at[row]:
            self.heading[row] = row
            if tag == tags.TAG_H1:
                self.title[row] = row

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_small(self, row: cython.int) -> cython.bint:
        """Whether a row is a part of the page, not the body or most of the text, whose classes say how the page is."""
        size = self.view.text_at[self.view.end[row]] - self.view.text_at[row]
        return self.view.depth[row] > 2 and 2 * size < self.view.text_at[self.view.rows]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read_text(self, row: cython.int, sums: cython.int) -> cython.void:
        """Find a digit and the sign of a currency in the beginning of a text."""
        text: cython.const[cython.uchar][::1] = self.view.text
        begin = self.view.text_at[row]
        end = min(self.view.text_at[row + 1], begin + NUMBER_SPAN)
        number: cython.bint = False
        price: cython.bint = False
        for i in range(begin, end):
            c = text[i]
            if 0x30 <= c <= 0x39:
                number = True
            elif c == 0x24 or (
                i + 2 < end
                and (
                    (c == 0xC2 and (text[i + 1] == 0xA3 or text[i + 1] == 0xA5))  # pound, yen
                    or (c == 0xE2 and text[i + 1] == 0x82 and text[i + 2] >= 0xA0)  # euro, rouble, rupee …
                    or (c == 0xEF and text[i + 1] == 0xBF and text[i + 2] == 0xA5)  # full-width yen
                )
            ):
                price = True
        self.before[sums + HELD_NUMBERS] += number
        self.before[sums + HELD_PRICES] += number and price

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read_target(self, row: cython.int, link: cython.int) -> cython.void:
        """Digest where a link leads: the whole address, and its folder with the name of a program that is asked."""
        at = self.view.attribute(row, tags.ATTR_HREF)
        if at < 0:
            return
        values: cython.const[cython.uchar][::1] = self.view.values
        begin = self.view.value_at[at]
        end = self.view.value_at[at + 1]
        digest: cython.ulonglong = 0x811C9DC5
        folder: cython.ulonglong = 0x811C9DC5
        prime: cython.ulonglong = 0x01000193
        kept: cython.ulonglong = folder
        asked: cython.bint = False
        if begin == end or values[begin] == 0x23 or (values[begin] | 0x20) == 0x6A:  # a place in the page, a script
            return
        for i in range(begin, end):
            c = values[i]
            digest = times(digest ^ c, prime)
            if c == 0x23:  # #
                break
            if asked:
                continue
            if c == 0x3F:  # ?
                asked = True
                kept = folder
                continue
            if not 0x30 <= c <= 0x39:
                folder = times(folder ^ c, prime)
            if c == 0x2F:  # /
                kept = folder
        self.target[link] = cython.cast(cython.uint, digest) | 1
        self.folder[link] = cython.cast(cython.uint, kept) | 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count(self, row: cython.int) -> cython.void:
        """Count what a row is or holds itself."""
        sums = HELD * (row + 1)
        chars = self.chars[row]
        if chars > 0:
            self.before[sums + HELD_CHARS] += chars
            self.before[sums + HELD_TEXTS] += 1
            if not self.view.linked[row]:
                self.before[sums + HELD_FREE] += chars
                self.before[sums + HELD_LONG] += chars >= LONG_FREE_TEXT
                self.before[sums + HELD_PARAGRAPHS] += chars >= PARAGRAPH
            self.read_text(row, sums)
        if self.view.visibility[row] == tags.IS_SEEN:
            if self.begins_link(row):
                self.read_target(row, self.before[sums + HELD_LINKS])
                self.before[sums + HELD_LINKS] += 1
            self.before[sums + HELD_IMAGES] += self.view.flags(row) & tags.IMAGE != 0
        role = _role(self.view.tag[row])
        self.before[sums + HELD_HEADINGS] += role & ROLE_HEADING != 0
        self.before[sums + HELD_CONTROLS] += role & ROLE_CONTROL != 0
        self.before[sums + HELD_ITEMS] += role & ROLE_ITEM != 0
        self.before[sums + HELD_TIMES] += self.view.tag[row] == tags.TAG_TIME
        self.before[sums + HELD_PAGERS] += self.hints[row] & PAGER_HINT != 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def begins_link(self, row: cython.int) -> cython.bint:
        """Whether a row is in a link, and the row above is not."""
        return self.view.linked[row] > (self.view.linked[self.view.parent[row]] if row > 0 else 0)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_bad(self, row: cython.int) -> cython.bint:
        """Whether the names of a row are those of other things than records."""
        return self.hints[row] & BAD_HINT != 0 or _role(self.view.tag[row]) & ROLE_ASIDE != 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_good(self, row: cython.int) -> cython.bint:
        """Whether the names of a row are those of records."""
        return self.hints[row] & GOOD_HINT != 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def held(self, what: cython.int, begin: cython.int, end: cython.int) -> cython.int:
        """Return how much of something some rows hold."""
        return self.before[HELD * end + what] - self.before[HELD * begin + what]


@cython.final
@cython.cclass
class _Group:
    """What the records of one group hold, summed up."""

    rows: _Rows
    # Of each group, as `groups.find` returns them.
    kind: cython.const[cython.int][::1]
    region: cython.const[cython.int][::1]
    first: cython.const[cython.int][::1]
    lead: cython.const[cython.int][::1]
    likeness: cython.const[cython.int][::1]
    named: cython.const[cython.int][::1]
    begin: cython.const[cython.int][::1]  # of each record
    end: cython.const[cython.int][::1]
    groups: cython.int
    records: cython.int
    # The texts that records of a group have, by digest: an open hash table.
    slots: cython.int
    met: cython.ulonglong[::1]
    met_by: cython.int[::1]  # the group, from 1 on
    # Of the group that was read last: its records,
    start: cython.int
    stop: cython.int
    sums: cython.longlong[14]  # what they hold, HELD sums,
    having: cython.int[14]  # and in how many of them there is some;
    log_text: cython.double
    log_text_squares: cython.double
    log_texts: cython.double
    log_texts_squares: cython.double
    all_rows: cython.longlong
    bad: cython.int  # with names of other things, of records
    good: cython.int
    heads_with_link: cython.int  # that have a link in their first subtree
    different: cython.int  # in their texts
    shortest: cython.int  # characters
    longest: cython.int
    roots: cython.longlong  # subtrees
    parents: cython.int  # elements that records are children of,
    parent_chars: cython.longlong  # and the characters of all of them
    same_folder: cython.int  # neighbours whose first links lead to pages of one sort,
    other_target: cython.int  # to different pages,
    no_target: cython.int  # and records whose first link leads to no page
    # Groups of one shape, by digest: an open hash table, with how many there are.
    shape: cython.uint[::1]
    of_shape: cython.int[::1]
    shapes: cython.int

    def __init__(self, rows: _Rows, found: dict[str, Any]) -> None:
        self.rows = rows
        self.kind, self.region = as_column(found["kind"]), as_column(found["region"])
        self.first, self.lead = as_column(found["first"]), as_column(found["lead"])
        self.likeness, self.named = as_column(found["likeness"]), as_column(found["named"])
        self.begin, self.end = as_column(found["begin"]), as_column(found["end"])
        self.groups, self.records = len(self.first), len(self.begin)
        self.slots = 64
        while self.slots < 2 * self.records:
            self.slots *= 2
        self.met, self.met_by = zeros("Q", self.slots), zeros("i", self.slots)
        self.shapes = 64
        while self.shapes < 2 * self.groups:
            self.shapes *= 2
        self.shape, self.of_shape = zeros("I", self.shapes), zeros("i", self.shapes)
        for group in range(self.groups):
            self.of_shape[self.slot_of(group)] += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def slot_of(self, group: cython.int) -> cython.int:
        """Return the place of a group's shape in the table: the elements above its records, their class, its kind."""
        prime: cython.ulonglong = 0x01000193
        first = self.begin[self.first[group]]
        digest: cython.ulonglong = self.rows.path[first]
        digest = times(digest ^ self.rows.classes[first], prime) ^ cython.cast(cython.ulonglong, self.kind[group] + 1)
        shape = cython.cast(cython.uint, digest ^ (digest >> 17)) | 1
        slot = cython.cast(cython.int, (shape ^ (shape >> 15)) & (self.shapes - 1))
        while self.shape[slot] != 0 and self.shape[slot] != shape:
            slot = (slot + 1) & (self.shapes - 1)
        self.shape[slot] = shape
        return slot

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read(self, group: cython.int) -> cython.void:
        """Sum up what the records of a group hold."""
        self.start = self.first[group]
        self.stop = self.first[group + 1] if group + 1 < self.groups else self.records
        for k in range(HELD):
            self.sums[k] = self.having[k] = 0
        self.log_text = self.log_text_squares = self.log_texts = self.log_texts_squares = 0.0
        self.all_rows = self.bad = self.good = self.heads_with_link = self.different = 0
        self.shortest, self.longest, self.roots, self.parents, self.parent_chars = 1 << 30, 0, 0, 0, 0
        self.same_folder = self.other_target = self.no_target = 0
        for record in range(self.start, self.stop):
            self.add(record)
            self.different += self.is_new(group, record)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add(self, record: cython.int) -> cython.void:
        """Add what a record holds."""
        begin = self.begin[record]
        end = self.end[record]
        for k in range(HELD):
            held = self.rows.held(k, begin, end)
            self.sums[k] += held
            self.having[k] += held > 0
        text: cython.double = log1p(self.rows.held(HELD_CHARS, begin, end))
        texts: cython.double = log1p(self.rows.held(HELD_TEXTS, begin, end))
        self.log_text += text
        self.log_text_squares += text * text
        self.log_texts += texts
        self.log_texts_squares += texts * texts
        self.all_rows += end - begin
        self.bad += self.rows.is_bad(begin)
        self.good += self.rows.is_good(begin)
        self.heads_with_link += self.rows.held(HELD_LINKS, begin, self.rows.view.end[begin]) > 0
        chars = self.rows.held(HELD_CHARS, begin, end)
        self.shortest, self.longest = min(self.shortest, chars), max(self.longest, chars)
        row = begin
        while row < end:
            self.roots += 1
            row = self.rows.view.end[row]
        row = self.rows.view.parent[begin]
        if record == self.start or row != self.rows.view.parent[self.begin[record - 1]]:
            self.parents += 1
            self.parent_chars += self.rows.held(HELD_CHARS, row, self.rows.view.end[row])
        target = self.first_target(record, self.rows.target)
        self.no_target += target == 0
        if record > self.start and target != 0:
            self.other_target += target != self.first_target(record - 1, self.rows.target)
            self.same_folder += self.first_target(record, self.rows.folder) == self.first_target(
                record - 1, self.rows.folder
            )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def first_target(self, record: cython.int, digests: cython.uint[::1]) -> cython.uint:
        """Return the digest of the first link of a record; 0 where there is none."""
        if self.rows.held(HELD_LINKS, self.begin[record], self.end[record]) == 0:
            return 0
        return digests[self.rows.held(HELD_LINKS, 0, self.begin[record])]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_new(self, group: cython.int, record: cython.int) -> cython.bint:
        """Whether no record of the group before has the same text."""
        minus: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        digest: cython.ulonglong = plus(
            self.rows.digests[self.end[record]], times(minus, self.rows.digests[self.begin[record]])
        )
        slot = cython.cast(cython.int, (digest ^ (digest >> 32)) & (self.slots - 1))
        while self.met_by[slot] == group + 1:
            if self.met[slot] == digest:
                return False
            slot = (slot + 1) & (self.slots - 1)
        self.met_by[slot] = group + 1
        self.met[slot] = digest
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill(self, group: cython.int, values: cython.double[::1]) -> cython.void:
        """Write the features of the group that was read."""
        count: cython.double = self.stop - self.start
        region = self.region[group]
        start = self.begin[self.start]
        self.fill_text(region, count, values)
        values[GROUP_RECORDS] = log(min(count, ENOUGH_RECORDS))
        values[GROUP_ALIKE] = self.likeness[group] / 100.0
        values[GROUP_SAME_CLASS] = self.named[group] / 100.0
        values[GROUP_DISTINCT] = self.different / count
        values[GROUP_LINKS] = log1p(self.sums[HELD_LINKS] / count)
        values[GROUP_IMAGES] = log1p(self.sums[HELD_IMAGES] / count)
        values[GROUP_CONTROLS] = log1p(self.sums[HELD_CONTROLS] / count)
        values[GROUP_WITH_LINK] = self.having[HELD_LINKS] / count
        values[GROUP_WITH_IMAGE] = self.having[HELD_IMAGES] / count
        values[GROUP_WITH_HEADING] = self.having[HELD_HEADINGS] / count
        values[GROUP_WITH_LONG_TEXT] = self.having[HELD_LONG] / count
        values[GROUP_HEAD_WITH_LINK] = self.heads_with_link / count
        values[GROUP_DEPTH] = log1p(self.rows.view.depth[region])
        values[GROUP_BAD_ABOVE] = self.rows.bad_above[region]
        values[GROUP_GOOD_ABOVE] = self.rows.good_above[region]
        values[GROUP_BAD] = self.bad / count
        values[GROUP_GOOD] = self.good / count
        values[GROUP_CLOSE] = self.all_rows / count * count / (self.end[self.stop - 1] - start)
        values[GROUP_LEAD] = log1p(self.lead[group])
        values[GROUP_HEADED] = self.kind[group] == HEADED
        values[GROUP_PARTED] = self.kind[group] == PARTED
        values[GROUP_INLINE] = _role(self.rows.view.tag[start]) & ROLE_INLINE != 0
        self.fill_place(region, start, self.end[self.stop - 1], values)
        self.fill_records(count, values)
        self.fill_elements(group, values)
        values[GROUP_TWINS] = log1p(self.of_shape[self.slot_of(group)])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill_place(
        self, region: cython.int, start: cython.int, end: cython.int, values: cython.double[::1]
    ) -> cython.void:
        """Write what is known of where the group is."""
        total: cython.double = max(self.rows.held(HELD_CHARS, 0, self.rows.view.rows), 1)
        heading = self.rows.heading[max(start - 1, 0)]
        title = self.rows.title[max(start - 1, 0)]
        above = self.rows.above[region]
        values[GROUP_BEFORE] = self.rows.held(HELD_CHARS, 0, start) / total
        values[GROUP_AFTER] = self.rows.held(HELD_CHARS, end, self.rows.view.rows) / total
        values[GROUP_HEADING_GAP] = log1p(self.rows.held(HELD_CHARS, heading, start)) if heading > 0 else -1
        values[GROUP_HEADING_LEVEL] = self.rows.view.tag[heading] - tags.TAG_H1 if heading > 0 else -1
        values[GROUP_H1_GAP] = log1p(self.rows.held(HELD_CHARS, title, start)) if title > 0 else -1
        values[GROUP_H1_INSIDE] = self.rows.title[end - 1] >= start
        values[GROUP_PAGER_AFTER] = self.rows.held(HELD_PAGERS, end, self.rows.view.rows) > 0
        values[GROUP_PAGER_GAP] = (
            log1p(self.rows.held(HELD_CHARS, end, self.rows.pager[end])) if self.rows.pager[end] > 0 else -1
        )
        values[GROUP_PANEL_ABOVE] = above & ABOVE_PANEL != 0
        values[GROUP_MAIN_ABOVE] = above & ABOVE_MAIN != 0
        values[GROUP_NAV_ABOVE] = above & ABOVE_NAV != 0
        values[GROUP_ASIDE_ABOVE] = above & ABOVE_ASIDE != 0
        values[GROUP_FORM_ABOVE] = above & ABOVE_FORM != 0
        values[GROUP_CENTER_ABOVE] = above & ABOVE_CENTER != 0
        values[GROUP_PAGE_TEXT] = log1p(total)
        values[GROUP_PAGE_LINKS] = log1p(self.rows.held(HELD_LINKS, 0, self.rows.view.rows))
        values[GROUP_PAGE_LINKED] = 1 - self.rows.held(HELD_FREE, 0, self.rows.view.rows) / total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill_records(self, count: cython.double, values: cython.double[::1]) -> cython.void:
        """Write what the records hold, and where they lead."""
        pairs: cython.double = max(count - 1, 1)
        links: cython.double = max(self.sums[HELD_LINKS], 1)
        values[GROUP_COUNT] = log(count)
        values[GROUP_LINK_TEXT] = log1p((self.sums[HELD_CHARS] - self.sums[HELD_FREE]) / links)
        values[GROUP_ITEMS] = log1p(self.sums[HELD_ITEMS] / count)
        values[GROUP_WITH_NUMBER] = self.having[HELD_NUMBERS] / count
        values[GROUP_NUMBERS] = log1p(self.sums[HELD_NUMBERS] / count)
        values[GROUP_WITH_PRICE] = self.having[HELD_PRICES] / count
        values[GROUP_WITH_TIME] = self.having[HELD_TIMES] / count
        values[GROUP_WITH_PARAGRAPH] = self.having[HELD_PARAGRAPHS] / count
        values[GROUP_SHORTEST] = log1p(self.shortest)
        values[GROUP_LONGEST] = log1p(self.longest)
        values[GROUP_ROWS] = log1p(self.all_rows / count)
        values[GROUP_PARENTS] = log(self.parents)
        values[GROUP_PARENT_COVER] = self.sums[HELD_CHARS] / cython.cast(cython.double, max(self.parent_chars, 1))
        values[GROUP_ROOTS] = log1p(self.roots / count)
        values[GROUP_SAME_TARGET] = self.same_folder / pairs
        values[GROUP_OTHER_TARGET] = self.other_target / pairs
        values[GROUP_NO_TARGET] = self.no_target / count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill_elements(self, group: cython.int, values: cython.double[::1]) -> cython.void:
        """Write which elements the first record and what is around it are."""
        tag = self.rows.view.tag[self.begin[self.start]]
        around = self.rows.view.tag[self.region[group]]
        values[GROUP_LIST_ITEMS] = tag == tags.TAG_LI
        values[GROUP_TABLE_ROWS] = tag == tags.TAG_TR
        values[GROUP_ARTICLES] = tag == tags.TAG_ARTICLE
        values[GROUP_PARAGRAPHS] = tag == tags.TAG_P
        values[GROUP_ANCHORS] = tag == tags.TAG_A
        values[GROUP_BOXES] = tag == tags.TAG_DIV or tag == tags.TAG_SECTION
        values[GROUP_CELLS] = tag == tags.TAG_TD or tag == tags.TAG_TH
        values[GROUP_TEXTS_ALONE] = tag == tags.TEXT
        values[GROUP_IN_LIST] = around == tags.TAG_UL or around == tags.TAG_OL or around == tags.TAG_DL
        values[GROUP_IN_TABLE] = around == tags.TAG_TABLE or around == tags.TAG_TBODY
        values[GROUP_SAME_PATH] = self.kind[group] == SAME_PATH or self.kind[group] == SAME_TAGS
        values[GROUP_EVERY] = self.kind[group] == EVERY
        values[GROUP_TAG_GROUP] = self.kind[group] == SAME_TAG

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill_text(self, region: cython.int, count: cython.double, values: cython.double[::1]) -> cython.void:
        """Write what is known of the text of the group."""
        text: cython.double = self.sums[HELD_CHARS] / count
        around = self.rows.held(HELD_CHARS, region, self.rows.view.end[region])
        share: cython.double = count * text / max(self.rows.held(HELD_CHARS, 0, self.rows.view.rows), 1)
        values[GROUP_FREE_TEXT] = log1p(self.sums[HELD_FREE] / count)
        values[GROUP_TEXT] = log1p(text)
        values[GROUP_SHARE] = share
        values[GROUP_LOG_SHARE] = log(max(share, 1.0 / SHARE_PARTS))
        values[GROUP_COVER] = count * text / max(around, 1)
        values[GROUP_TEXTS] = log1p(self.sums[HELD_TEXTS] / count)
        values[GROUP_UNEVEN_TEXT] = _spread(self.log_text / count, self.log_text_squares / count)
        values[GROUP_UNEVEN_TEXTS] = _spread(self.log_texts / count, self.log_texts_squares / count)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _spread(mean: cython.double, squares: cython.double) -> cython.double:
    """Return the standard deviation of some numbers, given their mean and that of their squares."""
    return sqrt(max(squares - mean * mean, 0.0))


def measure(page: Any, found: dict[str, Any]) -> tuple[Any, bytearray]:
    """Return the features of the groups of a page, as `groups.find` returned them, and which of them are no lists.

    The features of a group are side by side; `group_table` has their names. What is in dialogs, pickers and notes on
    cookies is no list.
    """
    group: _Group = _Group(_Rows(page, found), found)
    values = zeros("d", group.groups * GROUP_COLUMNS)
    view: cython.double[::1] = memoryview(values)  # a part of which is no copy, uncompiled either
    no_list = bytearray(group.groups)
    k: cython.int
    for k in range(group.groups):
        group.read(k)
        group.fill(k, view[k * GROUP_COLUMNS : (k + 1) * GROUP_COLUMNS])
        no_list[k] = 1 if group.rows.above[group.region[k]] & ABOVE_NO_LIST else 0
    return values, no_list
