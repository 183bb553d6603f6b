# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""The groups that recur on a page: alike siblings, runs of siblings, elements on the same path.

Every such group is a candidate for the records of the page. A record is a run of rows: one subtree, or several that
follow each other below one parent.
"""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import as_column, is_digit, is_letter, zeros
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.page.view import PageView, measured
from cython.cimports.pagesieve.page.kernel.records.group_table import NO_LIST_HINT, NO_LIST_ROLE

from pagesieve.page.kernel.tags import TAGS


def _roles() -> bytearray:
    """Return the roles of each element that is known by number, and none for the others."""
    roles = {
        TRANSPARENT: "b strong em i u font mark big small wbr",
        DIVIDES: "br hr",
        MUTE: "textarea select datalist",
    }
    return bytearray([*(sum(bit for bit, names in roles.items() if name in names.split()) for name in TAGS), 0])


_ROLES = cython.declare(cython.uchar[::1], _roles())


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _role(tag: cython.int) -> cython.int:
    return _ROLES[tag if tag < tags.KNOWN_TAGS else tags.KNOWN_TAGS]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _seed() -> cython.ulonglong:
    """Return the digest of nothing."""
    return 0x811C9DC5


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _mix(digest: cython.ulonglong, value: cython.ulonglong) -> cython.ulonglong:
    """Mix a value into a digest of 32 bits."""
    low: cython.ulonglong = 0xFFFFFFFF
    digest = ((digest ^ value) * 0x01000193) & low
    return digest ^ (digest >> 15)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _bits(x: cython.ulonglong) -> cython.int:
    """Return how many bits are set."""
    pairs: cython.ulonglong = 0x5555555555555555
    fours: cython.ulonglong = 0x3333333333333333
    eights: cython.ulonglong = 0x0F0F0F0F0F0F0F0F
    x = x - ((x >> 1) & pairs)
    x = (x & fours) + ((x >> 2) & fours)
    x = (x + (x >> 4)) & eights
    x = x + (x >> 8)
    x = x + (x >> 16)
    return cython.cast(cython.int, (x + (x >> 32)) & 127)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_data(text: cython.const[cython.uchar][::1], i: cython.int, stop: cython.int) -> cython.bint:
    """Whether a text is meant for a script: it begins like an object or a list of objects of JSON."""
    while i < stop and (text[i] <= SPACE or text[i] == LEFT_BRACKET):
        i += 1
    if i == stop or text[i] != LEFT_BRACE:
        return False
    i += 1
    while i < stop and text[i] <= SPACE:
        i += 1
    return i < stop and text[i] == QUOTATION_MARK


@cython.final
@cython.cclass
class _Hints:
    """Words and the bits they stand for, in an open hash table by digest."""

    words: cython.uint[::1]  # 0 where a slot is free
    bits: cython.uchar[::1]

    def __init__(self, hints: dict[int, int]) -> None:
        words, bits = zeros("I", WORD_SLOTS), bytearray(WORD_SLOTS)
        for digest, bit in hints.items():
            slot = digest % WORD_SLOTS
            while words[slot]:
                slot = (slot + 1) % WORD_SLOTS
            words[slot], bits[slot] = digest, bit
        self.words, self.bits = words, bits

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def of_word(self, digest: cython.ulonglong) -> cython.int:
        """Return the bits of a word; 0 if it is none of the hints."""
        found = 0
        slot = cython.cast(cython.int, digest & (WORD_SLOTS - 1))
        while self.words[slot] != 0:
            if self.words[slot] == digest:
                found |= self.bits[slot]
            slot = (slot + 1) & (WORD_SLOTS - 1)
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def of_value(self, values: cython.const[cython.uchar][::1], start: cython.int, stop: cython.int) -> cython.int:
        """Return the bits of the words in a value: runs of letters, which a capital after a small letter ends."""
        found = 0
        digest: cython.ulonglong = _seed()
        small: cython.bint = False
        for i in range(start, stop + 1):
            c = values[i] if i < stop else SPACE
            if digest != _seed() and (not is_letter(c) or (small and c < LOWER_A)):
                found |= self.of_word(digest)
                digest = _seed()
            small = is_letter(c) and c >= LOWER_A
            if is_letter(c):
                digest = _mix(digest, c | 0x20)
        return found


def word_digest(word: str) -> int:
    """Return the digest by which a word of small letters is known among the hints."""
    digest: cython.ulonglong = _seed()
    c: cython.int
    for c in word.encode():
        digest = _mix(digest, c)
    return int(digest)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _first_name(values: cython.const[cython.uchar][::1], start: cython.int, stop: cython.int) -> cython.ulonglong:
    """Return a digest of the first of the names in a value, without its digits; 0 where there is none."""
    digest: cython.ulonglong = _seed()
    for i in range(start, stop):
        if values[i] <= SPACE:
            if digest != _seed():
                break
        elif not is_digit(values[i]):
            digest = _mix(digest, values[i])
    return 0 if digest == _seed() else digest


@cython.final
@cython.cclass
class _Rows:
    """What is known of each row of a page."""

    view: PageView
    own: cython.int[::1]  # its own characters; none in form controls, and none that are data for scripts
    before: cython.int[::1]  # the characters before it, and before the end
    seen: cython.uchar[::1]  # NOTHING, CONTENT, DIVIDER or EMPTY
    sketch: cython.ulonglong[::1]  # the set of tag paths below it, WORDS words each
    above: cython.int[::1]  # the nearest row, at or above, that is part of paths
    classes: cython.uint[::1]  # a digest of its first class, without digits
    hints: cython.uchar[::1]  # the bits of the words in its class and id
    texts: cython.uint[::1]  # a digest of its own text

    def __init__(self, page: Any, hints: dict[int, int]) -> None:
        self.view = measured(page)
        rows = self.view.rows
        self.own, self.above = zeros("i", rows), zeros("i", rows)
        self.before = zeros("i", rows + 1)
        self.seen, self.hints = bytearray(rows), bytearray(rows)
        self.sketch = zeros("Q", WORDS * rows)
        self.classes, self.texts = zeros("I", rows), zeros("I", rows)
        self.count_characters(bytearray(rows))
        self.see()
        self.draw()
        self.read_names(_Hints(hints))

    @cython.cfunc
    @cython.exceptval(check=False)
    def count_characters(self, silent: cython.uchar[::1]) -> cython.void:
        """Find the characters of each row that count."""
        view: PageView = self.view
        for row in range(1, view.rows):
            silent[row] = silent[view.parent[row]] or _role(view.tag[row]) & MUTE != 0
            if view.chars[row] > 0 and not silent[row]:
                if not _is_data(view.text, view.text_at[row], view.text_at[row + 1]):
                    self.own[row] = view.chars[row]
            self.before[row + 1] = self.before[row] + self.own[row]

    @cython.cfunc
    @cython.exceptval(check=False)
    def see(self) -> cython.void:
        """Find what a reader sees of each row."""
        view: PageView = self.view
        for row in range(view.rows - 1, 0, -1):
            tag = view.tag[row]
            if view.visibility[row] != 0:
                continue
            if tag == tags.TEXT:
                self.seen[row] = CONTENT if self.own[row] > 0 else NOTHING
            elif _role(tag) & DIVIDES:
                self.seen[row] = DIVIDER
            elif view.flags(row) & tags.IMAGE:
                self.seen[row] = CONTENT
            elif self.seen[row] == NOTHING and tag != tags.COMMENT:
                self.seen[row] = EMPTY
            if self.seen[row] == CONTENT:
                self.seen[view.parent[row]] = CONTENT

    @cython.cfunc
    @cython.exceptval(check=False)
    def draw(self) -> cython.void:
        """Draw the sketches: the tag paths below each row, as bits.

        Elements that only change the look of letters are not part of paths: a word of the search is bold in one record
        and absent in the next. Paths are digested from below, so that none has to be stored.
        """
        view: PageView = self.view
        digest: cython.ulonglong
        one: cython.ulonglong = 1
        for row in range(1, view.rows):
            if _role(view.tag[row]) & TRANSPARENT:
                self.above[row] = self.above[view.parent[row]]
                continue
            self.above[row] = up = row
            if self.seen[row] != CONTENT:
                continue
            digest = _seed()
            for _ in range(REACH):
                digest = _mix(digest, view.tag[up])
                self.sketch[up * WORDS + cython.cast(cython.int, (digest >> 6) & (WORDS - 1))] |= one << (digest & 63)
                up = self.above[view.parent[up]]
                if up <= 0:
                    break

    @cython.cfunc
    @cython.exceptval(check=False)
    def read_names(self, hints: _Hints) -> cython.void:
        """Read the classes and ids of elements, and digest the texts."""
        view: PageView = self.view
        for row in range(1, view.rows):
            if view.tag[row] == tags.TEXT:
                self.digest_text(row)
                continue
            for k in range(view.attribute_at[row], view.attribute_at[row + 1]):
                if view.attribute_name[k] == tags.ATTR_CLASS:
                    self.classes[row] = cython.cast(
                        cython.uint, _first_name(view.values, view.value_at[k], view.value_at[k + 1])
                    )
                if (
                    view.attribute_name[k] == tags.ATTR_CLASS
                    or view.attribute_name[k] == tags.ATTR_ID
                    or view.attribute_name[k] == tags.ATTR_ROLE
                ):
                    bits = hints.of_value(view.values, view.value_at[k], view.value_at[k + 1])
                    if view.attribute_name[k] == tags.ATTR_ROLE and bits & NO_LIST_ROLE:
                        bits |= NO_LIST_HINT
                    self.hints[row] |= bits & ~NO_LIST_ROLE

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def digest_text(self, row: cython.int) -> cython.void:
        """Digest the beginning of a text, without its white space."""
        digest: cython.ulonglong = _seed()
        start = self.view.text_at[row]
        for i in range(start, min(self.view.text_at[row + 1], start + TEXT_SPAN)):
            if self.view.text[i] > SPACE:
                digest = _mix(digest, self.view.text[i])
        self.texts[row] = cython.cast(cython.uint, digest)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def chars(self, row: cython.int) -> cython.int:
        """Return the characters at a row and below it."""
        return self.before[self.view.end[row]] - self.before[row]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_around_blocks(self, row: cython.int) -> cython.bint:
        """Whether a row is an element that only changes the look of letters, but holds blocks."""
        child = row + 1
        if not _role(self.view.tag[row]) & TRANSPARENT:
            return False
        while child < self.view.end[row]:
            if self.view.flags(child) & tags.BLOCK:
                return True
            child = self.view.end[child]
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def alike(self, a: cython.int, b: cython.int) -> cython.int:
        """Return the share of the paths of two subtrees that both have, in hundredths."""
        both = 0
        either = 0
        x: cython.ulonglong
        y: cython.ulonglong
        for k in range(WORDS):
            x = self.sketch[a * WORDS + k]
            y = self.sketch[b * WORDS + k]
            both += _bits(x & y)
            either += _bits(x | y)
        return 100 * both // either if either > 0 else 100


@cython.cfunc
def _twice(column: cython.int[::1]) -> cython.int[::1]:
    """Return a column with room for as many numbers again."""
    larger: cython.int[::1] = zeros("i", 2 * len(column))
    larger[: len(column)] = column
    return larger


@cython.final
@cython.cclass
class _Groups:
    """The groups that were found. The records of a group are in order and do not overlap."""

    rows: _Rows
    kind: cython.int[::1]  # of each group: how it was found,
    region: cython.int[::1]  # the row that holds its records,
    first: cython.int[::1]  # the number of its first record,
    lead: cython.int[::1]  # and the number of children of the region before that
    begin: cython.int[::1]  # of each record: its first row,
    end: cython.int[::1]  # and the row after its last
    groups: cython.int
    records: cython.int
    room: cython.int  # for groups, and for records
    least: cython.int  # characters that a group has

    def __init__(self, rows: _Rows) -> None:
        self.rows = rows
        self.room = ROOM * (rows.view.rows + 1)
        self.kind, self.region, self.first = (zeros("i", self.room) for _ in range(3))
        self.lead, self.begin, self.end = (zeros("i", self.room) for _ in range(3))
        self.groups = self.records = 0
        self.least = max(rows.before[rows.view.rows] // MIN_PART, MIN_GROUP_CHARS)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def open(self, kind: cython.int, region: cython.int, lead: cython.int) -> cython.void:
        """Begin a group."""
        self.kind[self.groups] = kind
        self.region[self.groups] = region
        self.lead[self.groups] = lead
        self.first[self.groups] = self.records

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add(self, begin: cython.int, end: cython.int) -> cython.void:
        """Add a record to the group."""
        if self.records == self.room:
            self.grow()
        self.begin[self.records] = begin
        self.end[self.records] = end
        self.records += 1

    @cython.cfunc
    @cython.with_gil
    @cython.exceptval(check=False)
    def grow(self) -> cython.void:
        """Make room for twice as many; there are fewer groups than records."""
        self.kind, self.region, self.first = _twice(self.kind), _twice(self.region), _twice(self.first)
        self.lead, self.begin, self.end = _twice(self.lead), _twice(self.begin), _twice(self.end)
        self.room *= 2

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def close(self) -> cython.void:
        """End a group; drop one of fewer than two records, or of little text."""
        first = self.first[self.groups]
        held = 0
        for i in range(first, self.records):
            held += self.rows.before[self.end[i]] - self.rows.before[self.begin[i]]
        if self.records - first < 2 or held < self.least:
            self.records = first
        else:
            self.groups += 1

    def likeness(self) -> tuple[array[int], array[int]]:
        """Return how alike neighbouring records of each group are, in hundredths: their paths, their classes."""
        alike, named = zeros("i", self.groups), zeros("i", self.groups)
        g: cython.int
        i: cython.int
        last: cython.int
        total: cython.longlong
        same: cython.longlong
        for g in range(self.groups):
            last = self.first[g + 1] if g + 1 < self.groups else self.records
            total = same = 0
            for i in range(self.first[g] + 1, last):
                total += self.rows.alike(self.begin[i - 1], self.begin[i])
                same += 100 * (self.rows.classes[self.begin[i - 1]] == self.rows.classes[self.begin[i]])
            alike[g] = total // max(last - self.first[g] - 1, 1)
            named[g] = same // max(last - self.first[g] - 1, 1)
        return alike, named


@cython.final
@cython.cclass
class _Children:
    """The children of one row, labelled by what they have in common, and the groups that they make."""

    rows: _Rows
    into: _Groups
    region: cython.int
    count: cython.int
    child: cython.int[::1]
    label: cython.int[::1]  # of each child the number of the leader that it goes with, or -1
    shape: cython.int[::1]  # the labels by likeness
    labels: cython.int
    leader: cython.int[::1]  # the first child of each label,
    size: cython.int[::1]  # and how many children have it
    known: cython.int[::1]  # labels that were met, one on

    def __init__(self, rows: _Rows, into: _Groups) -> None:
        self.rows, self.into = rows, into
        self.child, self.label, self.shape = (zeros("i", rows.view.rows) for _ in range(3))
        self.leader, self.size, self.known = (zeros("i", LEADERS + 1) for _ in range(3))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def collect(self, region: cython.int) -> cython.void:
        """Find all groups of the children of a row."""
        self.gather(region)
        if self.count < 2:
            return
        self.by_tag()
        self.label_by_shape(ENOUGH)
        self.shape[: self.count] = self.label[: self.count]
        self.by_label(ALIKE)
        self.label_by_class()
        if self.differs():
            self.by_label(SAME_CLASS)
        self.label_by_shape(NEARLY_ALL)
        if self.differs():
            self.by_label(HEADED)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def gather(self, region: cython.int) -> cython.void:
        """List the children of a row that can be parts of records.

        An empty element is one if it could hold something: a cell, not an anchor or a form control. Of an element that
        only changes the look of letters but holds blocks, as where it was never closed, the children are.
        """
        child = region + 1
        end: cython.const[cython.int][::1] = self.rows.view.end
        self.region = region
        self.count = 0
        while child < end[region]:
            if self.rows.is_around_blocks(child):
                child += 1
                continue
            if self.rows.seen[child] != NOTHING and (self.rows.seen[child] != EMPTY or end[child] > child + 1):
                self.child[self.count] = child
                self.count += 1
            child = end[child]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def label_by_shape(self, enough: cython.int) -> cython.void:
        """Label each child by the leader that it is most like; it becomes one if it is like none."""
        self.labels = 0
        for i in range(self.count):
            best = most = -1
            for k in range(self.labels):
                share = self.likeness(self.leader[k], self.child[i])
                if share > most:
                    most = share
                    best = k
            self.set_label(i, best if most >= enough else self.labels)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def likeness(self, leader: cython.int, child: cython.int) -> cython.int:
        """Return how alike two children are, in hundredths; -1 if their element names differ."""
        tag: cython.const[cython.int][::1] = self.rows.view.tag
        if tag[leader] != tag[child]:
            return -1
        if tag[child] == tags.TEXT or self.rows.seen[child] == DIVIDER:
            return 100
        same_class: cython.bint = (
            self.rows.classes[child] != 0 and self.rows.classes[leader] == self.rows.classes[child]
        )
        return self.rows.alike(leader, child) + (CLASS_SHARE if same_class else 0)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def label_by_class(self) -> cython.void:
        """Label each child by the first child of its element name and class."""
        tag: cython.const[cython.int][::1] = self.rows.view.tag
        self.labels = 0
        for i in range(self.count):
            child = self.child[i]
            k = 0
            while k < self.labels and (
                tag[self.leader[k]] != tag[child] or self.rows.classes[self.leader[k]] != self.rows.classes[child]
            ):
                k += 1
            self.set_label(i, k)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def set_label(self, i: cython.int, label: cython.int) -> cython.void:
        """Label a child; with a new label it is the leader of that, or has none where there are enough."""
        if label == LEADERS:
            label = -1
        elif label == self.labels:
            self.leader[label] = self.child[i]
            self.size[label] = 1
            self.labels += 1
        else:
            self.size[label] += 1
        self.label[i] = label

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def differs(self) -> cython.bint:
        """Whether the labels are not those by likeness."""
        for i in range(self.count):
            if self.label[i] != self.shape[i]:
                return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def by_label(self, kind: cython.int) -> cython.void:
        """Add the groups that labels make: runs that begin with one; unless HEADED, also children, and runs between."""
        for k in range(self.labels):
            if self.rows.seen[self.leader[k]] != CONTENT:
                if kind != HEADED:
                    self.parted(k)
                continue
            if self.size[k] >= 2:
                if self.rows.view.tag[self.leader[k]] != tags.TEXT and kind != HEADED:
                    self.singles(kind, k)
                if self.size[k] < self.count and not self.alternates(k) and (kind != HEADED or self.is_regular(k)):
                    self.headed(k)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def first(self, label: cython.int) -> cython.int:
        """Return the number of the first child of a label."""
        i = 0
        while self.label[i] != label:
            i += 1
        return i

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add(self, first: cython.int, last: cython.int) -> cython.void:
        """Add the children from one to another as a record."""
        self.into.add(self.child[first], self.rows.view.end[self.child[last]])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def singles(self, kind: cython.int, label: cython.int) -> cython.void:
        """Add the children of one label, each as a record."""
        self.into.open(kind, self.region, self.first(label))
        for i in range(self.count):
            if self.label[i] == label:
                self.add(i, i)
        self.into.close()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_regular(self, head: cython.int) -> cython.bint:
        """Whether four in five runs between children of a label are as long as the one before."""
        last = -1
        before = 0
        runs = 0
        equal: cython.int = 0
        for i in range(self.count):
            if self.label[i] != head:
                continue
            if before > 0:
                runs += 1
                equal += i - last == before
            if last >= 0:
                before = i - last
            last = i
        return runs > 0 and 5 * equal >= 4 * runs

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def longest_run(self, head: cython.int) -> cython.int:
        """Return the length of the longest run from one child of a label to the next."""
        last = -1
        longest = 1
        for i in range(self.count):
            if self.label[i] == head:
                if last >= 0 and i - last > longest:
                    longest = i - last
                last = i
        return longest

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def headed(self, head: cython.int) -> cython.void:
        """Add the runs that begin with a child of one label. The last is not longer than others, nor of new parts."""
        start = self.first(head)
        last = start
        longest = self.longest_run(head)
        if longest == 1:
            return
        self.into.open(HEADED, self.region, start)
        for i in range(start + 1, self.count):
            if self.label[i] == head:
                self.add(last, i - 1)
                last = i
        for i in range(LEADERS + 1):
            self.known[i] = 0
        for i in range(start, last):
            self.known[self.label[i] + 1] = 1
        i = last + 1
        while i < self.count and i - last < longest and self.known[self.label[i] + 1]:
            i += 1
        self.add(last, i - 1)
        self.into.close()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def parted(self, divider: cython.int) -> cython.void:
        """Add the runs between children of one label; of line breaks, between two of them in a row."""
        start = -1  # of the run
        stop = -1  # the last of its children that is no divider
        doubled: cython.bint = self.rows.view.tag[self.leader[divider]] == tags.TAG_BR
        self.into.open(PARTED, self.region, 0)
        for i in range(self.count):
            if self.label[i] != divider:
                if start < 0:
                    start = i
                stop = i
            elif start >= 0 and (not doubled or i - stop >= 2):
                self.add(start, stop)
                start = -1
        if start >= 0:
            self.add(start, stop)
        self.into.close()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def alternates(self, head: cython.int) -> cython.bint:
        """Whether the children of a label take turns with alike ones of their length: odd and even rows of a list."""
        shape = -1
        heads: cython.longlong = 0
        others: cython.longlong = 0
        in_heads: cython.longlong = 0
        in_others: cython.longlong = 0
        for i in range(self.count):
            if self.label[i] == head:
                shape = self.shape[i]
                heads += 1
                in_heads += self.rows.chars(self.child[i])
        for i in range(self.count):
            if self.label[i] != head and self.shape[i] == shape and shape >= 0:
                others += 1
                in_others += self.rows.chars(self.child[i])
        in_heads *= others
        in_others *= heads
        return 2 * others >= heads and in_others <= 2 * in_heads and in_heads <= 2 * in_others

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def by_tag(self) -> cython.void:
        """Add the children of the commonest element name with content, and all children where none is bare text."""
        common = self.common_tag()
        bare: cython.bint = False
        mixed: cython.bint = False
        if common < 0:
            return
        self.into.open(SAME_TAG, self.region, 0)
        for i in range(self.count):
            tag = self.rows.view.tag[self.child[i]]
            bare = bare or tag == tags.TEXT
            if self.rows.seen[self.child[i]] == CONTENT:
                mixed = mixed or tag != common
                if tag == common:
                    self.add(i, i)
        self.into.close()
        if mixed and not bare:
            self.into.open(EVERY, self.region, 0)
            for i in range(self.count):
                if self.rows.chars(self.child[i]) > 0:
                    self.add(i, i)
            self.into.close()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def common_tag(self) -> cython.int:
        """Return the element name of more than half of the children with content, else one of theirs, else -1."""
        votes = 0
        common = -1
        for i in range(self.count):
            tag = self.rows.view.tag[self.child[i]]
            if self.rows.seen[self.child[i]] == CONTENT and tag != tags.TEXT:
                if votes == 0:
                    common = tag
                votes += 1 if tag == common else -1
        return common


@cython.final
@cython.cclass
class _Paths:
    """The elements on the same path, where they have several parents: rows of several lists, cells of a grid."""

    rows: _Rows
    into: _Groups
    path: cython.uint[::1]  # a digest of each row's path of element names,
    key: cython.uint[::1]  # and what rows are grouped by
    slots: cython.int
    head: cython.int[::1]  # of each slot the first row of a key
    last: cython.int[::1]  # of each first row the last of its key
    following: cython.int[::1]  # the next row of the same key

    def __init__(self, rows: _Rows, into: _Groups) -> None:
        self.rows, self.into = rows, into
        self.path, self.key = (zeros("I", rows.view.rows) for _ in range(2))
        self.last, self.following = (zeros("i", rows.view.rows) for _ in range(2))
        self.slots = 64
        while self.slots < 2 * rows.view.rows:
            self.slots *= 2
        self.head = zeros("i", self.slots)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def collect(self) -> cython.void:
        """Find all groups of elements on the same path."""
        digest: cython.ulonglong
        for row in range(1, self.rows.view.rows):
            digest = _mix(self.path[self.rows.view.parent[row]], self.rows.view.tag[row])
            self.path[row] = cython.cast(cython.uint, _mix(digest, 0x01000193))
            self.key[row] = cython.cast(cython.uint, _mix(self.path[row], self.rows.classes[row]))
        self.chain()
        self.add_groups(SAME_PATH)
        for row in range(1, self.rows.view.rows):
            self.key[row] = self.path[row]
        self.chain()
        self.add_groups(SAME_TAGS)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def chain(self) -> cython.void:
        """Chain the elements with content that have the same key."""
        for slot in range(self.slots):
            self.head[slot] = 0
        for row in range(1, self.rows.view.rows):
            self.following[row] = self.last[row] = 0
            if self.rows.seen[row] != CONTENT or self.rows.view.tag[row] == tags.TEXT:
                continue
            slot = cython.cast(cython.int, self.key[row] & (self.slots - 1))
            while self.head[slot] != 0 and self.key[self.head[slot]] != self.key[row]:
                slot = (slot + 1) & (self.slots - 1)
            if self.head[slot] == 0:
                self.head[slot] = row
            else:
                self.following[self.last[self.head[slot]]] = row
            self.last[self.head[slot]] = row

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_groups(self, kind: cython.int) -> cython.void:
        """Add each chain of rows with more than one parent."""
        parent: cython.const[cython.int][::1] = self.rows.view.parent
        end: cython.const[cython.int][::1] = self.rows.view.end
        for row in range(1, self.rows.view.rows):
            if self.last[row] == 0 or self.following[row] == 0 or parent[self.last[row]] == parent[row]:
                continue
            region = parent[row]
            while end[region] < end[self.last[row]]:
                region = parent[region]
            self.into.open(kind, region, 0)
            member = row
            while member != 0:
                self.into.add(member, end[member])
                member = self.following[member]
            self.into.close()


def find(page: Any, hints: dict[int, int]) -> dict[str, Any]:
    """Return the groups of a page, and what is known of its rows, as columns by name.

    Of groups: `kind`, `region`, `first`, `lead`, `likeness`, `named`; of records: `begin`, `end`; of rows: `hints`,
    `text_digest`, `chars`, `chars_before`, `sketch`, `classes`. `hints` gives bits to words, by their `word_digest`.
    """
    rows: _Rows = _Rows(page, hints)
    groups: _Groups = _Groups(rows)
    children: _Children = _Children(rows, groups)
    row: cython.int
    for row in range(rows.view.rows):
        if rows.seen[row] == CONTENT and rows.view.tag[row] != tags.TEXT and not rows.is_around_blocks(row):
            children.collect(row)
    paths: _Paths = _Paths(rows, groups)
    paths.collect()
    likeness, named = groups.likeness()
    of_groups = {"kind": groups.kind, "region": groups.region, "first": groups.first, "lead": groups.lead}
    return {
        **{name: column[: groups.groups] for name, column in of_groups.items()},
        "likeness": likeness,
        "named": named,
        "begin": groups.begin[: groups.records],
        "end": groups.end[: groups.records],
        "hints": rows.hints,
        "text_digest": rows.texts,
        "chars": rows.own,
        "chars_before": rows.before,
        "sketch": rows.sketch,
        "classes": rows.classes,
    }


def common_shares(page: Any, sketch: Any, begin: Any, end: Any) -> Any:
    """Return how much each record has of the tag paths that half of the records have, in hundredths.

    The sketches are those of `find`; `begin` and `end` are the rows of the records.
    """
    view: PageView = measured(page)
    rows: cython.const[cython.ulonglong][::1] = as_column(sketch)
    begins: cython.const[cython.int][::1] = as_column(begin)
    ends: cython.const[cython.int][::1] = as_column(end)
    count = len(begins)
    has: cython.uchar[::1] = bytearray(count * PATHS)
    having: cython.int[::1] = zeros("i", PATHS)
    shares = zeros("i", count)
    found: cython.int[::1] = shares
    for k in range(count):
        row = begins[k]
        while row < ends[k]:
            _mark_paths(rows, row, has, k * PATHS)
            row = view.end[row]
        for bit in range(PATHS):
            having[bit] += has[k * PATHS + bit]
    _share(has, having, found)
    return shares


# Tag paths of records, PATHS bytes each: 1 where the record has the path.
@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _mark_paths(
    sketch: cython.const[cython.ulonglong][::1], row: cython.int, has: cython.uchar[::1], at: cython.Py_ssize_t
) -> cython.void:
    """Mark the tag paths below a row."""
    for word in range(WORDS):
        left = sketch[row * WORDS + word]
        bit = at + 64 * word
        while left:
            if left & 1:
                has[bit] = 1
            left >>= 1
            bit += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _share(
    has: cython.const[cython.uchar][::1], having: cython.const[cython.int][::1], shares: cython.int[::1]
) -> cython.void:
    """Fill in the share of each record of the paths that half of the records have; all of them where there are none."""
    count = len(shares)
    common: cython.int = 0
    own: cython.int
    for bit in range(PATHS):
        if 2 * having[bit] >= count:
            common += 1
    for k in range(count):
        own = 0
        for bit in range(PATHS):
            if has[k * PATHS + bit] and 2 * having[bit] >= count:
                own += 1
        shares[k] = 100 * own // common if common else 100
