# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""The ways that lead to some rows of a page: the elements above them, each with its name, class and id."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import as_column, fnv_seed, mix, zeros
from cython.cimports.pagesieve.page.kernel.view import PageView, view_of


class _Ways:
    """The different ways of a page, numbered in the order of the page; 0 leads to the document."""

    def __init__(self, view: PageView) -> None:
        self.view = view
        self.wanted = bytearray(view.rows)
        self.of = zeros("i", view.rows)
        self.first, self.above = zeros("i", view.rows + 1), zeros("i", view.rows + 1)
        self.digests = zeros("Q", view.rows + 1)
        self.count = 1
        self.slots = 64
        while self.slots < 2 * view.rows:
            self.slots *= 2
        self.table = zeros("i", self.slots)

    def want(self, row):
        """Mark a row and those above it."""
        while row > 0 and not self.wanted[row]:
            self.wanted[row] = 1
            row = self.view.parent[row]

    def read(self):
        """Number the ways to all rows that are wanted."""
        for row in range(1, self.view.rows):
            if self.wanted[row]:
                self.of[row] = self.number(row, self.of[self.view.parent[row]])

    def number(self, row, above):
        """Return the number of the way to a row, given that of the way to the row above."""
        digest: cython.ulonglong = mix(mix(fnv_seed(), above), self.view.tag[row])
        digest = self.with_value(digest, self.view.attribute(row, tags.ATTR_CLASS))
        digest = self.with_value(digest, self.view.attribute(row, tags.ATTR_ID))
        slot = cython.cast(cython.int, digest & (self.slots - 1))
        while self.table[slot] != 0:
            if self.digests[self.table[slot]] == digest:
                return self.table[slot]
            slot = (slot + 1) & (self.slots - 1)
        self.table[slot] = self.count
        self.digests[self.count] = digest
        self.first[self.count] = row
        self.above[self.count] = above
        self.count += 1
        return self.table[slot]

    def with_value(self, digest, at):
        """Return a digest with the value of an attribute, if there is one."""
        if at >= 0:
            for k in range(self.view.value_at[at], self.view.value_at[at + 1]):
                digest = mix(digest, self.view.values[k])
        return mix(digest, tags.KNOWN_TAGS)

    def value(self, row, name, values):
        """Return the value of an attribute of a row; empty where it has none."""
        at = self.view.attribute(row, name)
        return values[self.view.value_at[at] : self.view.value_at[at + 1]] if at >= 0 else b""


def find(page: Any, rows: Any) -> tuple[list[int], list[tuple[int, int, bytes]]]:
    """Return the number of the way to each of some rows; and of each way the one above, and an element and its names.

    Two rows are on the same way where the elements above them, and they themselves, have the same names, classes and
    ids. A way has a higher number than the one above; 0 leads to the document. The names are class and id.
    """
    wanted: cython.const[cython.int][::1] = as_column(rows)
    ways: _Ways = _Ways(view_of(page))
    values: bytes = page.value_buffer
    k: cython.Py_ssize_t
    for k in range(len(wanted)):
        ways.want(wanted[k])
    ways.read()
    told = []
    for k in range(ways.count):
        row = ways.first[k]
        names = ways.value(row, tags.ATTR_CLASS, values) + b" " + ways.value(row, tags.ATTR_ID, values)
        told.append((ways.above[k], ways.view.tag[row], names))
    return [ways.of[wanted[k]] for k in range(len(wanted))], told
