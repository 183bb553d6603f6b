"""Read the rows of a region: their texts, links, images and looks, from the page's columns as lists."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pagesieve.page.kernel.tags import ATTRIBUTE_ID, BLOCK, IMAGE, TAG_ID, TEXT
from pagesieve.page.lines import nearest, split
from pagesieve.page.stated import base_url, image_url
from pagesieve.page.table import SEEN, Bools, Page
from pagesieve.text.urls import safe_url
from pagesieve.text.whitespace import fold

_WORD = re.compile(r"\w")
LOOKS = ("color", "background-color", "font-size", "font-weight", "font-style")

_A, _BR, _CLASS, _HREF = TAG_ID["a"], TAG_ID["br"], ATTRIBUTE_ID["class"], ATTRIBUTE_ID["href"]


class Reader:
    """The rows `start` to `stop` of a page, for repeated reading. Row numbers are those of the page."""

    def __init__(self, page: Page, start: int, stop: int) -> None:
        self.page, self.start, self.stop = page, start, stop
        self._tag: list[int] = page.tag[start:stop].tolist()
        self._end: list[int] = page.end[start:stop].tolist()
        self._parent: list[int] = page.parent[start:stop].tolist()
        flags, ends = page.tag_flags[start:stop], np.minimum(page.end[start:stop], stop) - start
        texts = page.chars[start:stop] > 0
        images = ((flags & IMAGE) > 0) & (page.visibility[start:stop] == SEEN)
        cuts = ((flags & BLOCK) > 0) | (page.tag[start:stop] == _BR)
        self._texts_before = _sums(texts).tolist()
        self._cuts_before: list[int] = (sums := _sums(cuts)).tolist()
        self._cuts: list[bool] = (sums[ends] > sums[:-1]).tolist()
        sums = _sums(texts | images)
        self._says: list[bool] = (sums[ends] > sums[:-1]).tolist()
        self._classes: dict[bytes, tuple[str, ...]] = {b"": ()}
        self._attributes: dict[int, dict[int, bytes]] = {}
        self._strings: dict[int, str] = {}
        self._words: dict[int, bool] = {}
        self._urls: dict[int, str] = {}

    @classmethod
    def of(cls, page: Page, records: tuple[tuple[int, ...], ...]) -> Reader:
        """Read some records, each given by its roots."""
        rows = [row for each in records for row in each]
        return cls(page, min(rows, default=0), max((int(page.end[row]) for row in rows), default=0))

    def tag(self, row: int) -> int:
        """Return the number of the row's element."""
        return self._tag[row - self.start]

    def end(self, row: int) -> int:
        """Return one past the last row below."""
        return self._end[row - self.start]

    def parent(self, row: int) -> int:
        """Return the row above."""
        return self._parent[row - self.start]

    def says(self, row: int) -> bool:
        """Whether there is a text or an image to see at the row or below it."""
        return self._says[row - self.start]

    def is_text(self, row: int) -> bool:
        """Whether the row is a text."""
        return self._tag[row - self.start] == TEXT

    def cuts(self, row: int) -> bool:
        """Whether a line begins or ends at the row or below it."""
        return self._cuts[row - self.start]

    def children(self, row: int) -> list[int]:
        """Return the rows directly below."""
        ends, start = self._end, self.start
        found, child, end = [], row + 1, ends[row - start]
        while child < end:
            found.append(child)
            child = ends[child - start]
        return found

    def classes(self, row: int) -> tuple[str, ...]:
        """Return the classes of the row's element, in their order."""
        value = self._values(_CLASS).get(row, b"")
        found = self._classes.get(value)
        if found is None:
            found = self._classes[value] = tuple(value.decode("utf-8", "replace").split())
        return found

    def _values(self, number: int) -> dict[int, bytes]:
        """Return the values of an attribute in the rows that have it."""
        if number not in self._attributes:
            self._attributes[number] = self._read_values(number)
        return self._attributes[number]

    def _read_values(self, number: int) -> dict[int, bytes]:
        page = self.page
        at = page.attribute_at[self.start : self.stop + 1]
        places = np.flatnonzero(page.attribute_name[at[0] : at[-1]] == number) + at[0] if len(at) else at
        rows = (np.searchsorted(at, places, side="right") + (self.start - 1)).tolist()
        spans = zip(page.value_at[places].tolist(), page.value_at[places + 1].tolist(), strict=True)
        return {row: page.value_buffer[start:stop] for row, (start, stop) in zip(rows, spans, strict=True)}

    @cached_property
    def _texts(self) -> tuple[list[int], list[int]]:
        """The visible text rows that are not blank, and the line that each is in."""
        rows = self.page.chars[self.start : self.stop].nonzero()[0] + self.start
        blocks = split(self.page)
        lines = np.searchsorted(blocks.first, rows, side="right")
        return rows.tolist(), lines.tolist()

    @cached_property
    def _text_at(self) -> list[int]:
        found: list[int] = self.page.text_at[self.start : self.stop + 1].tolist()
        return found

    def text_rows(self, row: int, stop: int | None = None) -> list[int]:
        """Return the text rows that are seen and not blank, from a row to the end of what is below it, or to `stop`."""
        rows, _ = self._texts
        before, end = self._texts_before, self.end(row) if stop is None else stop
        return rows[before[row - self.start] : before[end - self.start]]

    def own(self, row: int) -> str:
        """Return the text of a text row, blanks folded."""
        if row not in self._strings:
            self._strings[row] = fold(self._raw(row))
        return self._strings[row]

    def is_word(self, row: int) -> bool:
        """Whether a text row has a letter or a digit."""
        if row not in self._words:
            self._words[row] = _WORD.search(self.own(row)) is not None
        return self._words[row]

    def _raw(self, row: int) -> str:
        at = self._text_at
        return self.page.text_buffer[at[row - self.start] : at[row - self.start + 1]].decode("utf-8", "replace")

    def text(self, roots: tuple[int, ...], between: str = " ", after: int = -1) -> str:
        """Return the visible text below some rows, its lines joined by `between`; only what follows the row `after`."""
        rows, lines = self._texts
        counts, start = self._texts_before, self.start
        if len(roots) == 1 and after < 0:
            first = counts[roots[0] - start]
            if counts[self._end[roots[0] - start] - start] == first + 1:
                return self.own(rows[first])
        pieces: list[str] = []
        current: list[str] = []
        line = before = -1
        for root in roots:
            for k in range(counts[max(root, after + 1) - start], counts[self._end[root - start] - start]):
                if lines[k] != line and current:
                    pieces.append(fold("".join(current)))
                    current = []
                elif current and self._parted(before, rows[k]):
                    current.append(" ")
                line, before = lines[k], rows[k]
                current.append(self._raw(rows[k]))
        if current:
            pieces.append(fold("".join(current)))
        return between.join(piece for piece in pieces if piece)

    def _parted(self, first: int, second: int) -> bool:
        """Whether blank text, an image or the border of a cell stands between two texts of a line."""
        start = self.start
        return self._text_at[second - start] > self._text_at[first + 1 - start] or (
            self._cuts_before[second - start] > self._cuts_before[first + 1 - start]
        )

    @cached_property
    def _base(self) -> str | None:
        return base_url(self.page)

    def link(self, roots: tuple[int, ...]) -> str | None:
        """Return where some rows link to: the link around them, or the first inside them."""
        for row in self._anchors(roots):
            if row not in self._urls:
                self._urls[row] = self._url(row)
            if self._urls[row]:
                return self._urls[row]
        return None

    def _url(self, row: int) -> str:
        """Return where a link leads; empty where that is no address, or a place in the page."""
        href = self._values(_HREF).get(row, b"").decode("utf-8", "replace").strip()
        return safe_url(href, self._base) if href and not href.startswith("#") else ""

    def _anchors(self, roots: tuple[int, ...]) -> Iterator[int]:
        """Yield the links around the first of some rows, from the inside out, and then the first in each of them."""
        start, link = self.start, self._links_around[roots[0] - self.start]
        while link >= start:
            yield link
            above = self._parent[link - start]
            link = self._links_around[above - start] if above >= start else -1
        for root in roots:
            first = bisect_left(self._links, root)
            yield from (row for row in self._links[first : first + 1] if row < self.end(root))

    @cached_property
    def _links_around(self) -> list[int]:
        """The nearest link at or above each row."""
        found: list[int] = nearest(self.page, self.page.tag == _A)[self.start : self.stop].tolist()
        return found

    @cached_property
    def _links(self) -> list[int]:
        """The links, in order."""
        found: list[int] = (np.flatnonzero(self.page.tag[self.start : self.stop] == _A) + self.start).tolist()
        return found

    def image(self, row: int) -> str | None:
        """Return the address of an image, wherever the page keeps it."""
        return image_url(self.page, row, self._base) or None

    def look(self, row: int) -> tuple[int, ...]:
        """Return what the row looks like, as numbers; nothing where no browser has seen it."""
        style = getattr(self.page, "style", None)
        return () if style is None else tuple(style[row, self._look_columns].tolist())

    def is_shown(self, row: int) -> bool:
        """Whether a browser shows something of the row; where none has seen it, it may."""
        paint = getattr(self.page, "paint", None)
        return paint is None or bool((paint[row : self.end(row)] >= 0).any())

    @cached_property
    def _look_columns(self) -> list[int]:
        from pagesieve.page.rendered import STYLES

        return [STYLES.index(name) for name in LOOKS]


def _sums(marks: Bools) -> NDArray[np.intp]:
    """Return how many marks stand before each place, and before the end."""
    sums = np.zeros(len(marks) + 1, dtype=np.intp)
    np.cumsum(marks, out=sums[1:])
    return sums
