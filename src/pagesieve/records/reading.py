"""Read the rows of a region: their texts (by the kernel), links, images and looks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID
from pagesieve.page.lines import nearest, split
from pagesieve.page.stated import base_url, image_url
from pagesieve.page.table import Page
from pagesieve.text.urls import safe_url

LOOKS = ("color", "background-color", "font-size", "font-weight", "font-style")

_A, _HREF = TAG_ID["a"], ATTRIBUTE_ID["href"]


class Reader:
    """The rows `start` to `stop` of a page, for repeated reading. Row numbers are those of the page."""

    def __init__(self, page: Page, start: int, stop: int) -> None:
        self.page, self.start, self.stop = page, start, stop
        self.rows = kernel.record_rows.RecordRows(page, start, stop, split(page).first)
        self._attributes: dict[int, dict[int, bytes]] = {}
        self._urls: dict[int, str] = {}

    @classmethod
    def of(cls, page: Page, records: tuple[tuple[int, ...], ...]) -> Reader:
        """Read some records, each given by its roots."""
        rows = [row for each in records for row in each]
        return cls(page, min(rows, default=0), max((int(page.end[row]) for row in rows), default=0))

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
            above = self.rows.parent(link)
            link = self._links_around[above - start] if above >= start else -1
        for root in roots:
            first = bisect_left(self._links, root)
            yield from (row for row in self._links[first : first + 1] if row < self.rows.end(root))

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
        return paint is None or bool((paint[row : self.rows.end(row)] >= 0).any())

    @cached_property
    def _look_columns(self) -> list[int]:
        from pagesieve.page.rendered import STYLES

        return [STYLES.index(name) for name in LOOKS]
