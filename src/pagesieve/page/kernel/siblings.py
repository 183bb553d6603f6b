# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""What siblings of one element name hold together: how much text, how much of it in links, how many images."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import as_column, zeros
from cython.cimports.pagesieve.page.kernel.view import PageView, measured


class _Sums:
    """What stands before each row of a page: characters to be read, those in links, images, links."""

    def __init__(self, view: PageView, readable: Any) -> None:
        self.view, self.readable = view, as_column(readable)
        self.chars, self.linked = zeros("i", view.rows + 1), zeros("i", view.rows + 1)
        self.images, self.links = zeros("i", view.rows + 1), zeros("i", view.rows + 1)

    def read(self):
        """Sum up the rows, in order."""
        for row in range(self.view.rows):
            chars = self.view.chars[row] if self.readable[row] else 0
            linked: cython.bint = self.view.linked[row] != 0
            begins: cython.bint = linked and (row == 0 or not self.view.linked[self.view.parent[row]])
            self.chars[row + 1] = self.chars[row] + chars
            self.linked[row + 1] = self.linked[row] + (chars if linked else 0)
            self.images[row + 1] = self.images[row] + (self.view.flags(row) & tags.IMAGE != 0)
            self.links[row + 1] = self.links[row] + begins


class _Siblings:
    """What the children of one row hold, by their element names."""

    def __init__(self, sums: _Sums, names: int, long: int) -> None:
        self.sums, self.long = sums, long
        self.parent = 0
        self.owner, self.size, self.met = (zeros("i", names) for _ in range(3))
        self.images, self.links, self.wordy = (zeros("i", names) for _ in range(3))
        self.chars, self.linked, self.squares = (zeros("d", names) for _ in range(3))

    def read(self, parent):
        """Add up the children of a row that are seen and have text to be read."""
        view: PageView = self.sums.view
        self.parent = parent
        self.count = 0
        child = parent + 1
        while child < view.end[parent]:
            if view.tag[child] != tags.TEXT and view.visibility[child] == tags.IS_SEEN:
                self.add(child, view.tag[child], view.end[child])
            child = view.end[child]

    def add(self, row, tag, end):
        """Add a child to those of its name."""
        chars = self.sums.chars[end] - self.sums.chars[row]
        linked = self.sums.linked[end] - self.sums.linked[row]
        if chars == 0:
            return
        if self.owner[tag] != self.parent + 1:
            self.owner[tag] = self.parent + 1
            self.met[self.count] = tag
            self.count += 1
            self.size[tag] = self.images[tag] = self.links[tag] = self.wordy[tag] = 0
            self.chars[tag] = self.linked[tag] = self.squares[tag] = 0.0
        self.size[tag] += 1
        self.chars[tag] += chars
        self.linked[tag] += linked
        self.squares[tag] += cython.cast(cython.double, chars) * chars
        self.images[tag] += self.sums.images[end] > self.sums.images[row]
        self.links[tag] += self.sums.links[end] > self.sums.links[row]
        self.wordy[tag] += chars - linked >= self.long

    def told(self, tag):
        """Return what was added up for a name."""
        counts = (self.parent, tag, self.size[tag])
        texts = (self.chars[tag], self.squares[tag], self.linked[tag])
        having = (self.images[tag], self.links[tag], self.wordy[tag])
        return tuple(counts) + tuple(texts) + tuple(having)


def alike(page: Any, readable: Any, least: int, long: int) -> list[tuple[float, ...]]:
    """Return groups of at least so many siblings of one name that are seen and have text that `readable` marks.

    Of each: the row above, the element name, how many there are, their characters, the sum of the squares of those, the
    characters in links; and how many have an image, a link, or so many characters outside links that they are `long`.
    """
    view: PageView = measured(page)
    sums: _Sums = _Sums(view, readable)
    sums.read()
    found: _Siblings = _Siblings(sums, tags.KNOWN_TAGS + len(page.more_tags), long)
    groups: list[tuple[float, ...]] = []
    row: cython.int
    k: cython.int
    for row in range(view.rows):
        if sums.chars[view.end[row]] == sums.chars[row]:
            continue
        found.read(row)
        for k in range(found.count):
            tag = found.met[k]
            if found.size[tag] >= least:
                groups.append(found.told(tag))
    groups.sort()
    return groups
