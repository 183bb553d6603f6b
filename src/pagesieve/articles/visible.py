"""What readers see around the headline of a page, where bylines and dates are looked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from pagesieve.page import kernel
from pagesieve.page import lines as blocks
from pagesieve.page.kernel.tags import TAG_ID, tag_ids
from pagesieve.page.stated import text_below
from pagesieve.page.table import SEEN, Page
from pagesieve.text.whitespace import squeeze

NEAR = 150  # rows after the headline that a byline or a date stands in
NEAR_BEFORE = NEAR // 2  # rows before it
LONG_AFTER = 40  # characters that are read after a label, where there are as many
_MOST_MARKED = 24  # of each mark
_MOST_HEADINGS = 20
_MOST_PLACES = 20  # where a label stands
_MOST_ABOVE = 12  # rows above an element that are looked at
_MOST_LABEL = 300  # characters
_MOST_ROWS, _MOST_BYTES = 100, 2000  # of an element that is a byline
_LINES_BEFORE, _LINES_AFTER = 10, 14
_LONGEST_LINE = 120  # characters, blanks not counted
_BYTES_AFTER, _ROWS_AFTER = 120, 12  # that what follows a label is looked for in
_BYTES_BEFORE = 40

_H1 = TAG_ID["h1"]
_ASIDES = tag_ids("aside nav footer")
_BLANKS = re.compile(r"\s+")
_OF_OTHERS = re.compile(  # for lower case
    r"[\s_-](?:responses|respond|related|recommend|sidebar|teaser|most-read|trending|testimonial|quote|upnext"
    r"|(?:reviews?|promos?)(?=$|[\s_-]))"
)


class Visible:
    """A page around its headline. Nothing is read before it is asked for."""

    def __init__(self, page: Page, title: str) -> None:
        self.page, self.title = page, title
        self._begins_aside: dict[int, bool] = {}  # by row, as far as it was asked

    @cached_property
    def headline(self) -> int:
        """The row of the headline, or 0 where there is none."""
        page, key = self.page, squeeze(self.title)
        rows = np.flatnonzero(page.tag == _H1)[:_MOST_HEADINGS]
        seen = rows[page.visibility[rows] == SEEN].tolist()
        same = (row for row in seen if squeeze(text_below(page, row)) == key)
        titled = (row for row, _ in self.places(self.title, 0))
        return next((row for found in (same, titled, seen, rows.tolist()) for row in found), 0)

    @cached_property
    def window(self) -> tuple[int, int]:
        """The rows near the headline: the first, and one past the last."""
        return max(self.headline - NEAR_BEFORE, 0), min(self.headline + NEAR, len(self.page))

    def marked(self, marks: bytes, attributes: bytes, *, near: bool) -> list[tuple[int, int]]:
        """Return the visible rows with an attribute that contains a mark, in order, and the attribute.

        Marks are each ended by a zero, attributes are given by their numbers, a byte each.
        """
        rows = self.window if near else (0, len(self.page))
        return kernel.stated.rows_with_word(self.page, marks, attributes, *rows, _MOST_MARKED)

    def text(self, row: int) -> str:
        """Return the visible text below a row; empty where it is too long for a byline."""
        stop = int(self.page.end[row])
        if self.page.text_at[stop] - self.page.text_at[row] > _MOST_BYTES or stop - row > _MOST_ROWS:
            return ""
        return blocks.shown(self.page, row, stop)

    def distance(self, row: int) -> int:
        """Return how many rows a row is from the headline; before it, they count double."""
        return row - self.headline if row >= self.headline else 2 * (self.headline - row)

    def is_aside(self, row: int) -> bool:
        """Whether a row is not part of the article: in what readers wrote, in a list of other pages."""
        for _ in range(_MOST_ABOVE):
            if row <= self.headline < self.page.end[row]:
                return False
            begins = self._begins_aside.get(row)
            if begins is None:
                begins = int(self.page.tag[row]) in _ASIDES or is_of_others(self.label(row))
                self._begins_aside[row] = begins
            if begins:
                return True
            row = int(self.page.parent[row])
        return False

    def label(self, row: int) -> str:
        """Return the class and the id of a row."""
        return f"{self.page.attribute(row, 'class') or ''} {self.page.attribute(row, 'id') or ''}"[:_MOST_LABEL]

    def before(self, row: int) -> str:
        """Return the text before a row in the same element or the one around it, where a label stands."""
        page, start = self.page, int(self.page.text_at[row])
        above = int(page.parent[row])
        if page.text_at[above] == start:
            above = int(page.parent[above])
        return page.text_buffer[max(int(page.text_at[above]), start - _BYTES_BEFORE) : start].decode("utf-8", "replace")

    @cached_property
    def lines(self) -> list[str]:
        """The short lines around the headline: those after it, then those before it, the nearest first."""
        lines = blocks.split(self.page)
        at = int(np.searchsorted(lines.first, self.headline))
        after = range(at, min(at + _LINES_AFTER, len(lines)))
        before = range(at - 1, max(at - 1 - _LINES_BEFORE, -1), -1)
        return [lines.text(k) for k in (*after, *before) if lines.chars[k] <= _LONGEST_LINE]

    @cached_property
    def _following(self) -> bytes:
        """The visible text from the headline on: most of a page's text is scripts."""
        return kernel.stated.seen_from(self.page, self.headline)

    def places(self, label: str, start: int | None = None) -> Iterator[tuple[int, int]]:
        """Yield the visible rows with a label, from the headline on, and where in the text it ends."""
        page, mark = self.page, label.encode("utf-8", "replace")
        if not mark or (start is None and mark not in self._following):
            return
        at = page.text_buffer.find(mark, int(page.text_at[self.headline]) if start is None else start)
        for _ in range(_MOST_PLACES):
            if at < 0:
                return
            row = int(page.text_at.searchsorted(np.int32(at), side="right")) - 1
            if page.visibility[row] == SEEN:
                yield row, at + len(mark)
            at = page.text_buffer.find(mark, at + 1)

    def goes_on(self, text: str, how: re.Pattern[str]) -> bool:
        """Whether a text that stands near the headline, as it is or in capitals, is followed by what a pattern says."""
        page, (first, last) = self.page, self.window
        start, stop = int(page.text_at[first]), int(page.text_at[last])
        for mark in (text.encode("utf-8", "replace"), text.upper().encode("utf-8", "replace")):
            at = page.text_buffer.find(mark, start, stop)
            if at >= 0:
                end = at + len(mark)
                return how.match(page.text_buffer[end : end + LONG_AFTER].decode("utf-8", "ignore")) is not None
        return False

    def after(self, row: int, at: int) -> str:
        """Return the text after a place in a row, and that of the next rows where it is short."""
        page = self.page
        text = page.text_buffer[at : min(int(page.text_at[row + 1]), at + _BYTES_AFTER)].decode("utf-8", "ignore")
        for below in range(row + 1, min(row + _ROWS_AFTER, len(page))):
            if len(text) > LONG_AFTER:
                break
            if page.chars[below] > 0:
                start = int(page.text_at[below])
                text += " " + page.text_buffer[start : start + _BYTES_AFTER].decode("utf-8", "ignore")
        return _BLANKS.sub(" ", text)


def is_of_others(label: str) -> bool:
    """Whether a class or an id marks what readers wrote, or other pages."""
    label = f" {label.lower()}"
    return "comment" in label or _OF_OTHERS.search(label) is not None
