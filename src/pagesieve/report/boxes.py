"""The boxes of units in the picture of a rendered page, and the picture itself."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

from pagesieve.errors import MissingExtra
from pagesieve.page.rendered import RenderedPage
from pagesieve.records.picture import outline
from pagesieve.report.data import Box, Picture, Unit

QUALITY = 80  # of the picture, of 100
MIN_SIDE = 2  # pixels of a box that is seen
EXTRA = "browser"


def as_picture(png: bytes) -> Picture:
    """Return the picture of a page as WebP, which takes a tenth of the space. Raises MissingExtra without Pillow."""
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingExtra("the picture of a page", EXTRA) from error
    image = Image.open(io.BytesIO(png)).convert("RGB")
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", quality=QUALITY)
    return Picture(buffer.getvalue(), "image/webp", image.width, image.height)


def placed(page: RenderedPage, units: Sequence[Unit], picture: Picture) -> tuple[Unit, ...]:
    """Return units with their boxes in the picture; units that it does not show have none."""
    return tuple(replace(unit, box=_box(page, unit, picture)) for unit in units)


def _box(page: RenderedPage, unit: Unit, picture: Picture) -> Box | None:
    box = outline(page, unit.rows)
    if box is None:
        return None
    left, top = max(box.left, 0.0), max(box.top, 0.0)
    right, bottom = min(box.right, float(picture.width)), min(box.bottom, float(picture.height))
    if right - left < MIN_SIDE or bottom - top < MIN_SIDE:
        return None
    return Box(left, top, right - left, bottom - top)
