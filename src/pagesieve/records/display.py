"""The table of some records as it is shown at the prompt."""

from __future__ import annotations

from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

from pagesieve.records.results import Column, Item, Records

NARROW, WIDE = 10, 28  # characters that a column takes at least; one of long texts
LONG = 24  # characters of a text, on average, that make its column a wide one
LONGEST = 160  # characters of a text that are shown
NUMBERS = ("number", "price")


def table(found: Records, width: int) -> Table:
    """As many columns as fit, the fullest first to stay, in the order of the page; the rest is named below."""
    shown, left = _chosen(found, width)
    result = Table(show_edge=False, pad_edge=False, header_style="bold", caption_justify="left")
    result.add_column("", justify="right", style="dim", no_wrap=True)
    for column in shown:
        justify: JustifyMethod = "right" if column.type in NUMBERS else "left"
        result.add_column(_plain(column.name), justify=justify, overflow="ellipsis", min_width=NARROW // 2)
    for number, items in enumerate(found.table.records, 1):
        result.add_row(str(number), *(_cell(items, column) for column in shown))
    if left:
        result.caption = f"not shown: {', '.join(left)}"
    return result


def _chosen(found: Records, width: int) -> tuple[list[Column], list[str]]:
    """The columns for which there is room, and the names of the others. Addresses of images are for files."""
    sizes = {column.name: _size(found, column) for column in found.columns}
    ranked = sorted((column for column in found.columns if column.type != "image"), key=lambda c: -_weight(found, c))
    room, taken = width - NARROW, set[str]()
    for column in ranked:
        if sizes[column.name] <= room or not taken:
            room -= sizes[column.name]
            taken.add(column.name)
    left = [_plain(column.name) for column in found.columns if column.name not in taken]
    return [column for column in found.columns if column.name in taken], left


def _texts(found: Records, column: Column) -> list[str]:
    return [item.text for items in found.table.records for item in items if item.name == column.name]


def _size(found: Records, column: Column) -> int:
    texts = _texts(found, column)
    mean = sum(map(len, texts)) / len(texts) if texts else 0
    longest = max(len(column.name), int(mean))
    return 3 + (WIDE if mean > LONG else max(NARROW // 2, min(longest, LONG)))


def _weight(found: Records, column: Column) -> float:
    """How much a column tells: in how many records it has something, and how often that differs."""
    texts = _texts(found, column)
    return len(texts) + len(set(texts))


def _cell(items: tuple[Item, ...], column: Column) -> Text:
    text = ", ".join(_plain(item.value or "") for item in items if item.name == column.name)
    return Text(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…")


def _plain(text: str) -> str:
    """A text on one line, without what a terminal would take for an order."""
    return "".join(c if c.isprintable() else " " for c in text)
