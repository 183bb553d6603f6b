"""Regions, records, their items and the noise among them, drawn over the picture of a page."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pagesieve.errors import MissingExtra
from pagesieve.page.rendered import Floats, RenderedPage
from pagesieve.records.results import Segmentation

if TYPE_CHECKING:
    from PIL import Image as images
    from PIL import ImageDraw as drawing
    from PIL import ImageFont as fonts

EXTRA = "browser"

Colour = tuple[int, int, int]
REGION: Colour = (25, 90, 200)
RECORDS: tuple[Colour, Colour] = ((20, 140, 70), (110, 60, 170))  # by turns, to distinguish neighbours
ITEM: Colour = (225, 120, 0)
NOISE: Colour = (205, 30, 40)
PAPER: Colour = (255, 255, 255)

TINT = 38  # of 255: how strongly a record is filled
KEY_HEIGHT = 28  # of the strip above the picture, which explains the colours
FONT_SIZE = 14
PADDING = 4  # around a label's words
REGION_LINE, OTHER_LINE, RECORD_LINE, ITEM_LINE = 4, 2, 2, 1


class Box(NamedTuple):
    """A rectangle of the page by its edges, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def grown(self, by: float) -> Box:
        """Return the same, larger on every side."""
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)


def outline(page: RenderedPage, rows: Iterable[int]) -> Box | None:
    """Return the rectangle around the subtrees of some rows as they are shown, or None where nothing of them is.

    A row without a size of its own (its children float, or it is only a wrapper) is as large as what is in it.
    """
    parts = [part for row in rows if (part := _extent(page, row)) is not None]
    if not parts:
        return None
    lefts, tops, rights, bottoms = zip(*parts, strict=True)
    return Box(min(lefts), min(tops), max(rights), max(bottoms))


def _extent(page: RenderedPage, row: int) -> Box | None:
    sized = _sized(page.box[row : row + 1])
    if not len(sized) and not len(sized := _sized(page.box[row : page.end[row]])):
        return None
    left, top = sized[:, :2].min(axis=0)
    right, bottom = (sized[:, :2] + sized[:, 2:]).max(axis=0)
    return Box(float(left), float(top), float(right), float(bottom))


def _sized(boxes: Floats) -> Floats:
    return boxes[(boxes[:, 2] > 0) & (boxes[:, 3] > 0)]  # NaN is not more than 0


def draw(png: bytes, page: RenderedPage, regions: Sequence[Segmentation], items: Iterable[int] = ()) -> bytes:
    """Draw regions over the picture of a page (PNG): the best one with its records, the others as an outline."""
    canvas = _Canvas(png)
    items = list(items)
    for other in regions[1:]:
        canvas.frame(outline(page, [other.region]), REGION, OTHER_LINE)
    if regions:
        canvas.region(page, regions[0], items)
    canvas.key(regions[0] if regions else None, len(items), max(len(regions) - 1, 0))
    return canvas.png()


class _Canvas:
    """The picture while it is drawn on."""

    def __init__(self, png: bytes) -> None:
        try:
            from PIL import Image, ImageDraw, ImageFont
        except ImportError as error:
            raise MissingExtra("drawing the picture", EXTRA) from error
        shot = Image.open(io.BytesIO(png)).convert("RGB")
        self._image: images.Image = Image.new("RGB", (shot.width, shot.height + KEY_HEIGHT), PAPER)
        self._image.paste(shot, (0, KEY_HEIGHT))
        self._draw: drawing.ImageDraw = ImageDraw.Draw(self._image, "RGBA")
        self._font: fonts.FreeTypeFont | fonts.ImageFont = ImageFont.load_default(FONT_SIZE)

    def region(self, page: RenderedPage, best: Segmentation, items: list[int]) -> None:
        """Draw a region with its records, items and noise."""
        for row in best.noise:
            self.cross(outline(page, [row]))
        for number, rows in enumerate(best.records, 1):
            self.record(outline(page, rows), number)
        for row in items:
            item = outline(page, [row])
            self.frame(item and item.grown(ITEM_LINE), ITEM, ITEM_LINE)  # around the text, not over it
        region = outline(page, [best.region])
        self.frame(region and region.grown(REGION_LINE + ITEM_LINE), REGION, REGION_LINE)

    def record(self, box: Box | None, number: int) -> None:
        """Draw a record with its number at the right, away from the beginning of the text."""
        if box is None:
            return
        colour, words = RECORDS[number % 2], str(number)
        self.frame(box.grown(RECORD_LINE - 1), colour, RECORD_LINE, TINT)
        at = self._place(box)
        self.label(at._replace(left=max(at.left, at.right - self._width(words))), words, colour)

    def frame(self, box: Box | None, colour: Colour, line: int, tint: int = 0) -> None:
        """Draw a rectangle of the page, filled if `tint` is not 0."""
        if box is not None:
            fill = (*colour, tint) if tint else None
            self._draw.rectangle(self._place(box), fill=fill, outline=(*colour, 255), width=line)

    def cross(self, box: Box | None) -> None:
        """Cross a rectangle of the page out."""
        if box is not None:
            left, top, right, bottom = self._place(box)
            self.frame(box, NOISE, RECORD_LINE, TINT)
            self._draw.line((left, top, right, bottom), fill=NOISE, width=RECORD_LINE)
            self._draw.line((left, bottom, right, top), fill=NOISE, width=RECORD_LINE)

    def label(self, at: Box, words: str, colour: Colour) -> float:
        """Write words on a patch of colour; return its right edge."""
        left, top = at.left, at.top
        right = left + self._width(words)
        self._draw.rectangle((left, top, right, top + FONT_SIZE + 6), fill=colour)
        self._draw.text((left + PADDING, top + 1), words, fill=PAPER, font=self._font)
        return right

    def _width(self, words: str) -> float:
        return self._draw.textlength(words, font=self._font) + 2 * PADDING

    def key(self, best: Segmentation | None, items: int, others: int) -> None:
        """Explain the colours in the strip at the top, with the number of each."""
        more = f" and {others} more (thin)" if others else ""
        entries = [
            (f"region{more}" if best else "no region found", REGION),
            (f"{len(best.records) if best else 0} records", RECORDS[1]),
            (f"{items} items", ITEM),
            (f"{len(best.noise) if best else 0} noise", NOISE),
        ]
        left = 4.0
        for words, colour in entries:
            left = 8 + self.label(Box(left, 4, 0, 0), words, colour)

    def _place(self, box: Box) -> Box:
        """Return where a rectangle of the page is on the canvas, its edges inside the picture."""
        width, height = self._image.size
        left, right = (min(max(edge, 0), width - 1) for edge in (box.left, box.right))
        top, bottom = (min(max(edge + KEY_HEIGHT, KEY_HEIGHT), height - 1) for edge in (box.top, box.bottom))
        return Box(left, top, right, bottom)

    def png(self) -> bytes:
        """Return the picture as PNG."""
        buffer = io.BytesIO()
        self._image.save(buffer, "PNG")
        return buffer.getvalue()
