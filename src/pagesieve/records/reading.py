"""Read the rows of a region: their texts, links, images and looks, from the page's columns as lists."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property

import numpy as np

from pagesieve.page.kernel.tags import ATTRIBUTE_ID, BLOCK, IMAGE, TAG_ID, TEXT
from pagesieve.page.lines import split
from pagesieve.page.stated import base_url, image_url
from pagesieve.page.table import SEEN, Bools, Page
from pagesieve.text.urls import safe_url
from pagesieve.text.whitespace import fold

LOOKS = ("color", "background-color", "font-size", "font-weight", "font-style")

_A, _BR, _CLASS, _HREF = TAG_ID["a"], TAG_ID["br"], ATTRIBUTE_ID["class"], ATTRIBUTE_ID["href"]


class Reader:
    """The rows `start` to `stop` of a page, for repeated reading. Row numbers are those of the page."""

    def __init__(self, page: Page, start: int, stop: int) -> None:
        self.page, self.start, self.stop = page, start, stop
        self._tag: list[int] = page.tag[start:stop].tolist()
        self._end: list[int] = page.end[start:stop].tolist()
        self._parent: list[int] = page.parent[start:stop].tolist()
        self._seen = _sums(page.chars[start:stop] > 0)
        self._images = _sums(((page.tag_flags[start:stop] & IMAGE) > 0) & (page.visibility[start:stop] == SEEN))
        self._cuts = _sums(((page.tag_flags[start:stop] & BLOCK) > 0) | (page.tag[start:stop] == _BR))
        self._classes: dict[bytes, tuple[str, ...]] = {}
        self._strings: dict[int, str] = {}

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
        k, end = row - self.start, self._end[row - self.start] - self.start
        return self._seen[end] > self._seen[k] or self._images[end] > self._images[k]

    def is_text(self, row: int) -> bool:
        """Whether the row is a text."""
        return self._tag[row - self.start] == TEXT

    def cuts(self, row: int) -> bool:
        """Whether a line begins or ends at the row or below it."""
        k = row - self.start
        return self._cuts[self._end[k] - self.start] > self._cuts[k]

    def children(self, row: int) -> list[int]:
        """Return the rows directly below."""
        found, child, end = [], row + 1, self.end(row)
        while child < end:
            found.append(child)
            child = self.end(child)
        return found

    def classes(self, row: int) -> tuple[str, ...]:
        """Return the classes of the row's element, in their order."""
        value = self._attribute(row, _CLASS) or b""
        if value not in self._classes:
            self._classes[value] = tuple(value.decode("utf-8", "replace").split())
        return self._classes[value]

    def _attribute(self, row: int, number: int) -> bytes | None:
        page, at = self.page, self._attribute_at
        for k in range(at[row - self.start], at[row - self.start + 1]):
            if page.attribute_name[k] == number:
                return page.value_buffer[page.value_at[k] : page.value_at[k + 1]]
        return None

    @cached_property
    def _attribute_at(self) -> list[int]:
        found: list[int] = self.page.attribute_at[self.start : self.stop + 1].tolist()
        return found

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
        return rows[bisect_left(rows, row) : bisect_left(rows, self.end(row) if stop is None else stop)]

    def own(self, row: int) -> str:
        """Return the text of a text row, blanks folded."""
        if row not in self._strings:
            self._strings[row] = fold(self._raw(row))
        return self._strings[row]

    def _raw(self, row: int) -> str:
        at = self._text_at
        return self.page.text_buffer[at[row - self.start] : at[row - self.start + 1]].decode("utf-8", "replace")

    def text(self, roots: tuple[int, ...], between: str = " ", after: int = -1) -> str:
        """Return the visible text below some rows, its lines joined by `between`; only what follows the row `after`."""
        rows, lines = self._texts
        pieces: list[str] = []
        current: list[str] = []
        line = before = -1
        for root in roots:
            first, last = bisect_left(rows, max(root, after + 1)), bisect_left(rows, self.end(root))
            for k in range(first, last):
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
            self._cuts[second - start] > self._cuts[first + 1 - start]
        )

    @cached_property
    def _base(self) -> str | None:
        return base_url(self.page)

    def link(self, roots: tuple[int, ...], above: int) -> str | None:
        """Return where some rows link to: the link around them, up to the row `above`, or the first inside them."""
        for row in self._anchors(roots, above):
            href = (self._attribute(row, _HREF) or b"").decode("utf-8", "replace").strip()
            if href and not href.startswith("#") and (url := safe_url(href, self._base)):
                return url
        return None

    def _anchors(self, roots: tuple[int, ...], above: int) -> list[int]:
        row, found = roots[0], []
        while row >= max(above, self.start):
            if self._tag[row - self.start] == _A:
                found.append(row)
            row = self._parent[row - self.start]
        for root in roots:
            first = bisect_left(self._links, root)
            found += [row for row in self._links[first : first + 1] if row < self.end(root)]
        return found

    @cached_property
    def _links(self) -> list[int]:
        return [self.start + k for k, tag in enumerate(self._tag) if tag == _A]

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


def _sums(marks: Bools) -> list[int]:
    found: list[int] = np.concatenate([[0], np.cumsum(marks)]).tolist()
    return found
