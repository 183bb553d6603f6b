# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, infer_types=True
"""The features of the groups that recur on a page (see `groups`), which tell how much they look like records."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.libc.math import log, log1p, sqrt
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import as_column, plus, times, zeros
from cython.cimports.pagesieve.page.kernel.constants import HEADED, PARTED
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
    }
    return bytearray([*(sum(bit for bit, names in roles.items() if name in names.split()) for name in TAGS), 0])


_ROLES = cython.declare(cython.uchar[::1], _roles())


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

    def __init__(self, page: Any, found: dict[str, Any]) -> None:
        self.view = measured(page)
        rows = self.view.rows
        self.hints, self.chars = as_column(found["hints"]), as_column(found["chars"])
        self.texts = as_column(found["text_digest"])
        self.before = zeros("i", HELD * (rows + 1))
        self.digests = zeros("Q", rows + 1)
        self.bad_above, self.good_above = bytearray(rows), bytearray(rows)
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
        if self.view.visibility[row] == tags.IS_SEEN:
            self.before[sums + HELD_LINKS] += self.begins_link(row)
            self.before[sums + HELD_IMAGES] += self.view.flags(row) & tags.IMAGE != 0
        role = _role(self.view.tag[row])
        self.before[sums + HELD_HEADINGS] += role & ROLE_HEADING != 0
        self.before[sums + HELD_CONTROLS] += role & ROLE_CONTROL != 0

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
    sums: cython.longlong[8]  # what they hold, HELD sums,
    having: cython.int[8]  # and in how many of them there is some;
    log_text: cython.double
    log_text_squares: cython.double
    log_texts: cython.double
    log_texts_squares: cython.double
    all_rows: cython.longlong
    bad: cython.int  # with names of other things, of records
    good: cython.int
    heads_with_link: cython.int  # that have a link in their first subtree
    different: cython.int  # in their texts

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
        if not cython.compiled:
            self.sums, self.having = [0] * HELD, [0] * HELD

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


def measure(page: Any, found: dict[str, Any]) -> Any:
    """Return the features of the groups of a page, those of a group side by side, as `groups.find` has found them.

    `group_table` has their names.
    """
    group: _Group = _Group(_Rows(page, found), found)
    values = zeros("d", group.groups * GROUP_COLUMNS)
    view: cython.double[::1] = memoryview(values)  # a part of which is no copy, uncompiled either
    k: cython.int
    for k in range(group.groups):
        group.read(k)
        group.fill(k, view[k * GROUP_COLUMNS : (k + 1) * GROUP_COLUMNS])
    return values
