# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""What the lines of a page are like, all together: how long, how much of them in links, which may be titles."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel.common import as_column


class _Chunk:
    """The text between two borders: that of the chunk at hand, and the most of any."""

    def __init__(self) -> None:
        self.text = self.most = 0

    def add(self, text, border):
        """Add the text of a line, which is a border or not."""
        self.text = text if border else self.text + text
        self.most = max(self.most, self.text)


class LineSums:
    """The sums over all lines; the fields are in the `.pxd`."""

    def __init__(self, long: int, title: int) -> None:
        self.long, self.title = long, title
        self.lines = self.chars = self.linked = self.longest = 0
        self.long_lines = self.long_chars = self.very_long_lines = self.very_long_chars = 0
        self.run = self.longest_run = 0
        self.link_lines = self.link_line_chars = self.short_link_lines = 0
        self.headings = self.linked_headings = self.titles = self.title_chars = 0
        self.between_titles, self.between_headings = _Chunk(), _Chunk()
        self.numbers: list[int] = []

    def read(self, columns: tuple[Any, Any, Any], heading: Any, chrome: Any) -> None:
        """Read the lines of a page: their first rows, characters, and those in links; and where rows stand."""
        first: cython.const[cython.longlong][::1] = as_column(columns[0])
        chars: cython.const[cython.int][::1] = as_column(columns[1])
        linked: cython.const[cython.int][::1] = as_column(columns[2])
        in_heading: cython.const[cython.uchar][::1] = as_column(heading)
        in_chrome: cython.const[cython.uchar][::1] = as_column(chrome)
        k: cython.int
        self.lines = len(first)
        for k in range(self.lines):
            self.add_text(chars[k], linked[k])
            self.add_title(chars[k], linked[k], in_heading[first[k]], in_chrome[first[k]])
            if chars[k] <= 3 and linked[k] > 0:
                self.numbers.append(k)

    def add_text(self, chars, linked):
        """Add the text of a line."""
        own = chars - linked
        self.chars += chars
        self.linked += linked
        self.longest = max(self.longest, own)
        if own >= self.long:
            self.long_lines += 1
            self.long_chars += own
        if own >= 2.5 * self.long:
            self.very_long_lines += 1
            self.very_long_chars += own
        self.run = self.run + 1 if own >= 0.75 * self.long else 0
        self.longest_run = max(self.longest_run, self.run)
        if linked >= 0.9 * chars:
            if chars >= self.title:
                self.link_lines += 1
                self.link_line_chars += chars
            else:
                self.short_link_lines += 1

    def add_title(self, chars, linked, heading, chrome):
        """Add a line that may be the title of an article: a link, or a heading."""
        links: cython.bint = linked >= 0.8 * chars
        headed: cython.bint = heading and links and chars >= self.title // 2
        titled: cython.bint = links and chars >= self.title and not chrome
        self.headings += heading != 0
        self.linked_headings += headed
        if titled:
            self.titles += 1
            self.title_chars += chars
        self.between_titles.add(chars - linked, titled)
        self.between_headings.add(chars - linked, headed)

    def most_between(self) -> tuple[int, int]:
        """Return the most text between two titles, and between two headings that are links."""
        return self.between_titles.most, self.between_headings.most
