"""Where the units of a rendered page are in its picture, and the picture itself."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

from pagesieve.errors import MissingExtra
from pagesieve.page.rendered import RenderedPage
from pagesieve.records.picture import outline
from pagesieve.report.data import Box, Picture, Unit

QUALITY = 80  # of the picture, of 100
LEAST = 2  # pixels of a box that is seen
EXTRA = "browser"


def as_picture(png: bytes) -> Picture:
    """Return the picture of a page as WebP, which takes a tenth of the space. Raises MissingExtra without Pillow."""
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingExtra("the picture of a page", EXTRA) from error
    image = Image.open(io.BytesIO(png)).convert("RGB")
    written = io.BytesIO()
    image.save(written, "WEBP", quality=QUALITY)
    return Picture(written.getvalue(), "image/webp", image.width, image.height)


def placed(page: RenderedPage, units: Sequence[Unit], picture: Picture) -> tuple[Unit, ...]:
    """Return units with their boxes in the picture; those that are not seen there have none."""
    return tuple(replace(unit, box=_box(page, unit, picture)) for unit in units)


def _box(page: RenderedPage, unit: Unit, picture: Picture) -> Box | None:
    found = outline(page, unit.rows)
    if found is None:
        return None
    left, top = max(found.left, 0.0), max(found.top, 0.0)
    right, bottom = min(found.right, float(picture.width)), min(found.bottom, float(picture.height))
    if right - left < LEAST or bottom - top < LEAST:
        return None
    return Box(left, top, right - left, bottom - top)
