"""Rendered pages without a browser: HTML in which every element says where it stands and how it looks.

`box="x y width height"` is an element's place (its parent's where it says nothing), `look="position: fixed"` its
styles, `paint="3"` its paint order. An element with `box=""` is not laid out. A text stands where its parent does.
"""

from __future__ import annotations

import numpy as np

import pagesieve
from pagesieve.page.kernel.tags import COMMENT, DOCTYPE, TAG_FLAGS, TEXT, UNSEEN
from pagesieve.page.rendered import STYLES, RenderedPage
from pagesieve.page.table import COLUMNS, Page

SIZE = (1000.0, 1000.0)
INHERITED = ("color", "font-style", "font-size", "font-weight", "font-family", "text-align", "visibility")
DEFAULTS = {
    "color": "rgb(0, 0, 0)",
    "font-size": "16px",
    "font-weight": "400",
    "display": "block",
    "position": "static",
    "float": "none",
    "overflow": "visible",
    "background-color": "rgba(0, 0, 0, 0)",
    "opacity": "1",
    "visibility": "visible",
}


def draw(html: str, size: tuple[float, float] = SIZE) -> RenderedPage:
    """The page of some HTML, laid out as it says itself."""
    page = pagesieve.parse(html)
    rows = len(page)
    box, paint = np.full((rows, 4), np.nan, dtype=np.float32), np.full(rows, -1, dtype=np.int32)
    box[0], paint[0] = (0, 0, *size), 0
    looks: list[dict[str, str]] = [DEFAULTS]
    for row in range(1, rows):
        above = int(page.parent[row])
        looks.append(_look(page, row, looks[above]))
        place = page.attribute(row, "box")
        if page.tag[row] in (COMMENT, DOCTYPE) or TAG_FLAGS[page.tag[row]] & UNSEEN or place == "" or paint[above] < 0:
            continue
        box[row] = box[above] if place is None else [float(number) for number in place.split()]
        paint[row] = int(page.attribute(row, "paint") or paint[above])
    values = sorted({value for look in looks for value in look.values()} | {""})
    style = np.array([[values.index(look.get(name, "")) for name in STYLES] for look in looks], dtype=np.int32)
    style[paint < 0] = -1
    return RenderedPage(
        **{name: getattr(page, name) for name in (*COLUMNS, "text_buffer", "value_buffer")},
        more_tags=page.more_tags,
        more_attributes=page.more_attributes,
        box=box,
        style=style,
        style_values=tuple(values),
        paint=paint,
        line_at=np.zeros(rows + 1, dtype=np.int32),
        line=np.zeros((0, 4), dtype=np.float32),
        size=size,
        viewport=size,
    )


def _look(page: Page, row: int, above: dict[str, str]) -> dict[str, str]:
    """The styles of a row: its own, those it inherits, and the defaults."""
    if page.tag[row] == TEXT:
        return above
    own = dict(part.split(":", 1) for part in (page.attribute(row, "look") or "").split(";") if ":" in part)
    inherited = {name: above[name] for name in INHERITED if name in above}
    return DEFAULTS | inherited | {name.strip(): value.strip() for name, value in own.items()}


def row_of(page: Page, name: str) -> int:
    """The row of the element with an id."""
    return next(row for row in range(len(page)) if page.attribute(row, "id") == name)


def random_page(rng: np.random.Generator) -> RenderedPage:
    """A page of boxes anywhere, one in the other, some of which cannot be seen."""
    pieces = ["<html><body>"]
    looks = ("", "position: fixed", "opacity: 0", "visibility: hidden", "overflow: hidden", "display: inline")
    opened = 0
    for _ in range(int(rng.integers(1, 40))):
        x, y, width, height = rng.integers(-50, 900, 4).tolist()
        look = looks[min(int(rng.integers(0, 14)), 5) if rng.random() < 0.4 else 0]
        pieces.append(f'<div box="{x} {y} {abs(width)} {abs(height)}" look="{look}" paint={rng.integers(1, 9)}>')
        opened += 1
        if rng.random() < 0.6:
            pieces.append("words enough")
        while opened and rng.random() < 0.5:
            pieces.append("</div>")
            opened -= 1
    return draw("".join(pieces))
