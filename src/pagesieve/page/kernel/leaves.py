# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""The leaves of a page: the elements with text directly inside them, and that text with its white space folded."""

from __future__ import annotations

from array import array
from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel.common import as_column, fnv, fnv_seed, is_wide_space, scatter, utf8_width
from cython.cimports.pagesieve.page.kernel.constants import SPACE
from cython.cimports.pagesieve.page.kernel.tags import COMMENT
from cython.cimports.pagesieve.page.kernel.view import PageView, measured

from pagesieve.page.kernel.common import zeros


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _code(text: cython.const[cython.uchar][::1], at: cython.int, stop: cython.int) -> cython.int:
    """Return the character beyond ASCII that begins at a byte, or -1 where the bytes are not UTF-8."""
    first: cython.int = text[at]
    size: cython.int = utf8_width(first)
    c: cython.int = first & (0x7F >> size)
    k: cython.int
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
def _digest(
    codes: cython.const[cython.uint][::1], start: cython.int, stop: cython.int, tag: cython.ulonglong
) -> cython.ulonglong:
    """Return the digest of a text and of the name of its element, which is given as a digest."""
    digest: cython.ulonglong = fnv_seed()
    i: cython.int
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
        row: cython.int
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
        row: cython.int
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
        k: cython.int
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
        while first < second and self.view.tag[first] == COMMENT:
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
        c: cython.int
        size: cython.int
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
    leaf: cython.int
    for leaf in range(found.leaves):
        found.write(leaf)
        at[leaf + 1] = found.written
        digests[leaf] = _digest(found.codes, at[leaf], at[leaf + 1], of_tag[view.tag[found.rows[leaf]]])
    return found.text_rows, found.leaf_of, found.rows, digests_, at_, found.codes


def digests(codes_: Any, at_: Any, tag_digests: Any) -> array[int]:
    """Return the digests of some texts, as `leaves` has them; `tag_digests` has that of each text's element."""
    codes: cython.const[cython.uint][::1] = as_column(codes_)
    at: cython.const[cython.int][::1] = as_column(at_)
    of_tag: cython.const[cython.ulonglong][::1] = as_column(tag_digests)
    texts: cython.int = len(at_) - 1
    found_ = zeros("Q", texts)
    found: cython.ulonglong[::1] = found_
    k: cython.int
    for k in range(texts):
        found[k] = _digest(codes, at[k], at[k + 1], of_tag[k])
    return found_
