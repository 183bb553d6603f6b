"""Read the rows of a region: their texts (by the kernel), links, images and looks."""

from __future__ import annotations

from functools import cached_property

from pagesieve.page import kernel
from pagesieve.page.lines import split
from pagesieve.page.stated import base_url, image_url
from pagesieve.page.table import Page
from pagesieve.text.urls import safe_url

LOOKS = ("color", "background-color", "font-size", "font-weight", "font-style")


class Reader:
    """The rows `start` to `stop` of a page, for repeated reading. Row numbers are those of the page."""

    def __init__(self, page: Page, start: int, stop: int) -> None:
        self.page, self.start, self.stop = page, start, stop
        self.rows = kernel.record_rows.RecordRows(page, start, stop, split(page).first)
        self._urls: dict[int, str] = {}

    @classmethod
    def of(cls, page: Page, records: tuple[tuple[int, ...], ...]) -> Reader:
        """Read some records, each given by its roots."""
        rows = [row for each in records for row in each]
        return cls(page, min(rows, default=0), max((int(page.end[row]) for row in rows), default=0))

    @cached_property
    def _base(self) -> str | None:
        return base_url(self.page)

    def link(self, roots: tuple[int, ...]) -> str | None:
        """Return where some rows link to: the link around them, or the first inside them."""
        for row in self.rows.anchors(roots):
            url = self._urls.get(row)
            if url is None:
                url = self._urls[row] = self._url(row)
            if url:
                return url
        return None

    def _url(self, row: int) -> str:
        """Return where a link leads; empty where that is no address, or a place in the page."""
        href = self.rows.href(row)
        return safe_url(href, self._base) if href and not href.startswith("#") else ""

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
