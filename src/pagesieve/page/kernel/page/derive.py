# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""What is derived from the columns of a page: the digests of its rows; its leaves."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import *
from cython.cimports.pagesieve.page.kernel.constants import SPACE
from cython.cimports.pagesieve.page.kernel.page.view import PageView, measured, view_of


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _folded(
    data: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t, digits: cython.bint
) -> cython.ulonglong:
    """Return the digest of a span with its white space folded, and without its digits unless they count.

    It is 0 where nothing is left.
    """
    digest: cython.ulonglong = fnv_seed()
    space = False
    empty = True
    for i in range(start, stop):
        c = data[i]
        if c <= SPACE and is_space(c):
            space = True
            continue
        if not digits and is_digit(c):
            continue
        if space and not empty:
            digest = fnv(digest, SPACE)
        digest = fnv(digest, c)
        space = False
        empty = False
    return 0 if empty else scatter(digest)


def digest(data: bytes) -> int:
    """Return the digest of a name or a text, white space folded."""
    return int(_folded(data, 0, len(data), True))


# Digests of subtrees


@cython.final
@cython.cclass
class _Digests:
    """The digest of each row's subtree while rows are read from the last to the first.

    A row's entry holds what its children add up to when its turn comes.
    """

    digests: cython.ulonglong[::1]
    of_tag: cython.const[cython.ulonglong][::1]
    of_attribute: cython.const[cython.ulonglong][::1]  # 0 for those that do not count
    digits: cython.bint  # whether those in texts and values count

    def __init__(self, rows: int, tag_digests: Any, attribute_digests: Any, digits: bool):
        self.digests = zeros("Q", rows)
        self.of_tag = as_column(tag_digests)
        self.of_attribute = as_column(attribute_digests)
        self.digits = digits

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add(self, view: PageView, row: cython.int) -> cython.void:
        """Set the digest of a row and add it to what its parent's children add up to; 0 does not count."""
        digest: cython.ulonglong = self.of_text(view, row) if view.tag[row] == tags.TEXT else self.of_element(view, row)
        above = view.parent[row]
        self.digests[row] = digest
        if digest != 0 and row > 0:
            self.digests[above] = plus(fnv(self.digests[above], 0), digest)  # not a plain sum: their order counts

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def of_text(self, view: PageView, row: cython.int) -> cython.ulonglong:
        """Return the digest of a text; the digits of one that has nothing else count."""
        digest: cython.ulonglong = _folded(view.text, view.text_at[row], view.text_at[row + 1], self.digits)
        if digest == 0 and not self.digits:
            digest = _folded(view.text, view.text_at[row], view.text_at[row + 1], True)
        return digest

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def of_element(self, view: PageView, row: cython.int) -> cython.ulonglong:
        """Return the digest of an element: its attributes in any order, its children in theirs."""
        digest: cython.ulonglong = plus(self.of_tag[view.tag[row]], self.digests[row])
        of_name: cython.ulonglong
        for k in range(view.attribute_at[row], view.attribute_at[row + 1]):
            of_name = self.of_attribute[view.attribute_name[k]]
            if of_name != 0:
                of_name ^= _folded(view.values, view.value_at[k], view.value_at[k + 1], self.digits)
                digest = plus(digest, scatter(of_name))
        return scatter(digest)


def digests(page: Any, tag_digests: Any, attribute_digests: Any) -> Any:
    """Return a 64-bit digest of each row's subtree: element, attributes in any order, texts and children in order.

    White space is folded; comments and blank texts do not count. A row that does not count has digest 0.
    """
    view: PageView = view_of(page)
    found: _Digests = _Digests(view.rows, tag_digests, attribute_digests, True)
    for row in range(view.rows - 1, -1, -1):
        if view.tag[row] != tags.COMMENT:
            found.add(view, row)
    return found.digests


# Outlines: what pages of a site are compared by


@cython.final
@cython.cclass
class _Outline:
    """The columns of `outline`, by row of the page."""

    chars: cython.int[::1]  # of each text row outside of what is dropped
    below: cython.int[::1]  # their sums
    sizes: cython.int[::1]  # how many rows of each subtree count
    dropped: cython.uchar[::1]

    def __init__(self, rows: int):
        self.chars = zeros("i", rows)
        self.below = zeros("i", rows)
        self.sizes = zeros("i", rows)
        self.dropped = bytearray(rows)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def drop(
        self, view: PageView, chars: cython.const[cython.int][::1], dropped: cython.const[cython.uchar][::1]
    ) -> cython.void:
        """Mark what is inside elements that do not count, and set the characters of the rest."""
        for row in range(1, view.rows):
            tag = view.tag[row]
            if self.dropped[view.parent[row]] or (tag < tags.KNOWN_TAGS and dropped[tag]):
                self.dropped[row] = 1
            else:
                self.chars[row] = chars[row]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_up(self, view: PageView, digests: _Digests, kept: cython.const[cython.uchar][::1]) -> cython.void:
        """Fill the sums, the sizes and the digests of the rows that count."""
        for row in range(view.rows - 1, 0, -1):
            tag = view.tag[row]
            above = view.parent[row]
            self.below[row] += self.chars[row]
            if not self.dropped[row] and (self.below[row] > 0 or (tag < tags.KNOWN_TAGS and kept[tag])):
                self.below[above] += self.below[row]
                self.sizes[row] += 1
                self.sizes[above] += self.sizes[row]
                digests.add(view, row)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _body(view: PageView) -> cython.int:
    """Return the row of the body, or the last row where there is none."""
    row = 0
    while row < view.rows - 1 and view.tag[row] != tags.TAG_BODY:
        row += 1
    return row


def outline(
    page: Any, chars: Any, dropped: Any, kept: Any, tag_digests: Any, attribute_digests: Any, digits: cython.bint
) -> tuple[Any, Any, Any, Any]:
    """Return what a page is compared by: the body's rows that count, the digest and size of each one's subtree; and
    the characters of every row.

    Elements that `dropped` marks by their number do not count, nor does what is inside them; of the others those do
    that have text below them, or that `kept` marks. Attributes count whose own digest is not 0, digits in texts and
    values if `digits` says so. The digests are those of `digests`, folded to 32 bits.
    """
    view: PageView = view_of(page)
    made: _Digests = _Digests(view.rows, tag_digests, attribute_digests, digits)
    outline: _Outline = _Outline(view.rows)
    outline.drop(view, as_column(chars), as_column(dropped))
    outline.add_up(view, made, as_column(kept))
    body = _body(view)
    count = max(outline.sizes[body] - 1, 0) if view.tag[body] == tags.TAG_BODY else 0
    rows: cython.int[::1] = zeros("i", count)
    folded: cython.uint[::1] = zeros("I", count)
    sizes: cython.int[::1] = zeros("i", count)
    k = 0
    for row in range(body + 1, view.end[body]):
        if outline.sizes[row] > 0 and k < count:
            rows[k] = row
            folded[k] = cython.cast(cython.uint, (made.digests[row] ^ (made.digests[row] >> 32)) & 0xFFFFFFFF)
            sizes[k] = outline.sizes[row]
            k += 1
    return rows, folded, sizes, outline.chars


@cython.final
@cython.cclass
class _Subtrees:
    """The subtrees of an outline, to be found by their digests and used up."""

    digests: cython.const[cython.uint][::1]
    sizes: cython.const[cython.int][::1]
    rows: cython.int
    around: cython.int[::1]  # the row around each row, or -1
    used: cython.uchar[::1]
    # A hash table from a digest to the rows that have it, in order. A row is stored as row + 1, none as 0.
    slots: cython.uint  # a power of two
    keys: cython.uint[::1]
    first: cython.int[::1]  # of a slot's rows: the first that may not be used up
    following: cython.int[::1]  # the next row of the same digest

    def __init__(self, digests: Any, sizes: Any):
        self.rows = len(digests)
        self.digests = as_column(digests)
        self.sizes = as_column(sizes)
        self.slots = 16
        while self.slots < 2 * cython.cast(cython.uint, self.rows):
            self.slots += self.slots
        self.around = zeros("i", self.rows)
        self.used = bytearray(self.rows)
        self.keys = zeros("I", self.slots)
        self.first = zeros("i", self.slots)
        self.following = zeros("i", self.rows)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill(self) -> cython.void:
        """Fill the table, and find the row around each row."""
        above = -1
        slot: cython.uint
        for row in range(self.rows):
            while above >= 0 and above + self.sizes[above] <= row:
                above = self.around[above]
            self.around[row] = above
            above = row
        for row in range(self.rows - 1, -1, -1):
            slot = self.slot(self.digests[row])
            self.following[row] = self.first[slot]
            self.keys[slot] = self.digests[row]
            self.first[slot] = row + 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def slot(self, digest: cython.uint) -> cython.uint:
        """Return the slot of a digest, which may be free."""
        slot: cython.uint = digest & (self.slots - 1)
        while self.first[slot] and self.keys[slot] != digest:
            slot = (slot + 1) & (self.slots - 1)
        return slot

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take(self, digest: cython.uint, size: cython.int) -> cython.bint:
        """Use up the first subtree of a digest and all that is inside it; False where none of this size is left.

        What is around it has lost a part and is not what it was, so it is used up too.
        """
        slot: cython.uint = self.slot(digest)
        row = self.first[slot] - 1
        if row < 0:
            return False
        while self.used[row] and self.following[row]:
            row = self.following[row] - 1
        self.first[slot] = row + 1
        if self.used[row] or self.sizes[row] != size:
            return False
        for k in range(row, row + size):
            self.used[k] = 1
        row = self.around[row]
        while row >= 0 and not self.used[row]:
            self.used[row] = 1
            row = self.around[row]
        return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _push(
    stack: cython.int[::1], depth: cython.int, sizes: cython.const[cython.int][::1], row: cython.int, end: cython.int
) -> cython.int:
    """Put the subtrees of some rows on a stack and return how high it is then."""
    while row < end and depth < len(stack):  # all rows have room, unless subtrees do not nest
        stack[depth] = row
        depth += 1
        row += sizes[row]
    return depth


def matches(digests: Any, sizes: Any, other_digests: Any, other_sizes: Any) -> Any:
    """Mark the rows of one outline that stand in another too, subtree by subtree.

    An outline is a forest in document order: a digest a row, and how many rows its subtree has. Subtrees are looked for
    from the outside in; each of the other outline is used once.
    """
    digest: cython.const[cython.uint][::1] = as_column(digests)
    size: cython.const[cython.int][::1] = as_column(sizes)
    rows = len(digests)
    others: _Subtrees = _Subtrees(other_digests, other_sizes)
    marked: cython.uchar[::1] = bytearray(rows)
    stack: cython.int[::1] = zeros("i", rows)
    depth = _push(stack, 0, size, 0, rows)
    others.fill()
    while depth > 0:
        depth -= 1
        row = stack[depth]
        if others.take(digest[row], size[row]):
            for k in range(row, row + size[row]):
                marked[k] = 1
        else:
            depth = _push(stack, depth, size, row + 1, row + size[row])
    return marked


# Leaves: the elements with text directly inside them, and that text with its white space folded


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _code(text: cython.const[cython.uchar][::1], at: cython.int, stop: cython.int) -> cython.int:
    """Return the character beyond ASCII that begins at a byte, or -1 where the bytes are not UTF-8."""
    first: cython.int = text[at]
    size: cython.int = utf8_width(first)
    c: cython.int = first & (0x7F >> size)
    if first < 0xC2 or first > 0xF4 or at + size > stop:
        return -1
    for k in range(1, size):
        if text[at + k] & 0xC0 != 0x80:
            return -1
        c = (c << 6) | (text[at + k] & 0x3F)
    return -1 if c > 0x10FFFF or 0xD800 <= c <= 0xDFFF else c


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _leaf_digest(
    codes: cython.const[cython.uint][::1], start: cython.int, stop: cython.int, tag: cython.ulonglong
) -> cython.ulonglong:
    """Return the digest of a text and of the name of its element, which is given as a digest."""
    digest: cython.ulonglong = fnv_seed()
    for i in range(start, stop):
        digest = fnv(digest, codes[i])
    return scatter(scatter(digest) ^ tag)


@cython.final
@cython.cclass
class _Leaves:
    """The leaves of one page while they are collected."""

    view: PageView
    leaves: cython.int
    texts: cython.int
    number: cython.int[::1]  # of each row: how many texts are directly inside, then its number among the leaves
    rows: cython.int[::1]  # of each leaf its element
    ends: cython.int[::1]  # of each leaf where its texts end in `order`
    order: cython.int[::1]  # the text rows, leaf by leaf
    text_rows: cython.int[::1]  # the text rows as they stand on the page,
    leaf_of: cython.int[::1]  # and the leaf of each
    codes: cython.uint[::1]  # the characters of all leaves
    written: cython.int  # characters so far

    def __init__(self, view: PageView) -> None:
        self.view = view
        self.number = zeros("i", view.rows)
        self.codes = zeros("I", self.count())
        self.rows = zeros("i", self.leaves)
        self.ends = zeros("i", self.leaves + 1)
        self.order = zeros("i", self.texts)
        self.text_rows = zeros("i", self.texts)
        self.leaf_of = zeros("i", self.texts)
        self.written = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count(self) -> cython.int:
        """Count the texts of each row and the leaves; return the characters that there may be at most."""
        chars: cython.const[cython.int][::1] = self.view.chars
        parent: cython.const[cython.int][::1] = self.view.parent
        most: cython.int = 0
        self.leaves = self.texts = 0
        for row in range(1, self.view.rows):
            if chars[row] > 0:
                self.leaves += self.number[parent[row]] == 0
                self.number[parent[row]] += 1
                self.texts += 1
                most += self.view.text_at[row + 1] - self.view.text_at[row] + 1
        return most

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sort(self) -> cython.void:
        """Number the leaves, and sort the text rows by their leaf."""
        chars: cython.const[cython.int][::1] = self.view.chars
        parent: cython.const[cython.int][::1] = self.view.parent
        leaf: cython.int = 0
        at: cython.int = 0
        for row in range(self.view.rows):
            if self.number[row] > 0:
                self.rows[leaf] = row
                self.ends[leaf] = at
                at += self.number[row]
                self.number[row] = leaf
                leaf += 1
        at = 0
        for row in range(1, self.view.rows):
            if chars[row] > 0:
                leaf = self.number[parent[row]]
                self.text_rows[at] = row
                self.leaf_of[at] = leaf
                self.order[self.ends[leaf]] = row
                self.ends[leaf] += 1  # from where the leaf's texts begin to where they end
                at += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def write(self, leaf: cython.int) -> cython.void:
        """Write the text of a leaf: that of its rows, with a space where another element stands between two."""
        start: cython.int = self.written
        blank: cython.bint = False
        before: cython.int = -1
        for k in range(self.ends[leaf - 1] if leaf > 0 else 0, self.ends[leaf]):
            if before >= 0 and self.is_parted(before, self.order[k]):
                blank = True
            before = self.order[k]
            blank = self.fold(before, start, blank)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_parted(self, first: cython.int, second: cython.int) -> cython.bint:
        """Whether anything but comments stands between two rows."""
        first += 1
        while first < second and self.view.tag[first] == tags.COMMENT:
            first += 1
        return first < second

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fold(self, row: cython.int, start: cython.int, blank: cython.bint) -> cython.bint:
        """Write the text of a row with its white space folded; return whether it ends with white space."""
        text: cython.const[cython.uchar][::1] = self.view.text
        written: cython.int = self.written
        i: cython.int = self.view.text_at[row]
        stop: cython.int = self.view.text_at[row + 1]
        while i < stop:
            c = text[i]
            size = 1
            if c >= 0x80:
                c = _code(text, i, stop)
                if c < 0:
                    c = 0xFFFD  # the replacement character
                else:
                    size = utf8_width(text[i])
            i += size
            if c <= SPACE or is_wide_space(c):
                blank = True
                continue
            if blank and written > start:
                self.codes[written] = SPACE
                written += 1
            self.codes[written] = c
            written += 1
            blank = False
        self.written = written
        return blank


def leaves(page: Any, tag_digests: Any) -> tuple[Any, ...]:
    """Return the visible text rows, the leaf of each; the leaves' rows, digests, offsets and characters.

    A leaf's text is that of its text rows, each run of white space (control characters, no-break and wide spaces too)
    made one space, none at the ends; and a space where another element stands between two of them. There may be more
    characters than the last offset says. `tag_digests` has the digest of the name of each tag number.
    """
    view: PageView = measured(page)
    of_tag: cython.const[cython.ulonglong][::1] = as_column(tag_digests)
    found: _Leaves = _Leaves(view)
    found.sort()
    at_ = zeros("i", found.leaves + 1)
    digests_ = zeros("Q", found.leaves)
    at: cython.int[::1] = at_
    digests: cython.ulonglong[::1] = digests_
    for leaf in range(found.leaves):
        found.write(leaf)
        at[leaf + 1] = found.written
        digests[leaf] = _leaf_digest(found.codes, at[leaf], at[leaf + 1], of_tag[view.tag[found.rows[leaf]]])
    return found.text_rows, found.leaf_of, found.rows, digests_, at_, found.codes


def leaf_digests(codes_: Any, at_: Any, tag_digests: Any) -> Any:
    """Return the digests of some texts, as `leaves` has them; `tag_digests` has that of each text's element."""
    codes: cython.const[cython.uint][::1] = as_column(codes_)
    at: cython.const[cython.int][::1] = as_column(at_)
    of_tag: cython.const[cython.ulonglong][::1] = as_column(tag_digests)
    texts: cython.int = len(at_) - 1
    found_ = zeros("Q", texts)
    found: cython.ulonglong[::1] = found_
    for k in range(texts):
        found[k] = _leaf_digest(codes, at[k], at[k + 1], of_tag[k])
    return found_
