"""What stands next to a link in a list: the date and the summary of its item."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from pagesieve.headlines.anchors import width_of
from pagesieve.page.kernel.tags import BLOCK, TAG_ID, tag_ids
from pagesieve.page.lines import Blocks, split
from pagesieve.page.table import SEEN, Page
from pagesieve.text.dates import date_in

LEAST_SUMMARY = 40  # width of a line
LONGEST_SUMMARY = 400  # characters
SUMMARY_LINKED = 0.5  # of a line in links: what has more is no summary
LONGEST_DATE_LINE = 100  # characters of a line that is there for the date
MOST_LINES = 40  # of an item that are looked at: it may be a whole article,
MOST_TIMES = 40  # and so many of its times
MOST_READ = 2000  # characters of a line
MOST_ABOVE = 3  # elements from a link that stands alone to its item

TIME = TAG_ID["time"]
ITEMS = tag_ids("article li tr section")


class Standing(NamedTuple):
    """A link to an article: its row, where it leads, and the number of its place."""

    row: int
    url: str
    place: int


@dataclass(frozen=True, slots=True)
class Beside:
    """What was found next to a link."""

    date: str | None = None
    summary: str | None = None


def beside(page: Page, links: list[Standing], wanted: Iterable[tuple[Standing, str]]) -> list[Beside]:
    """What stands next to the links wanted, each given with its title; `links` are all that lead to articles."""
    blocks, items = split(page), _items(page, links)
    first, ends = blocks.first, page.end
    times = np.flatnonzero((page.tag == TIME) & (page.visibility == SEEN))

    # Of all links, many may have the same item.
    @cache
    def text(line: int) -> str:
        return blocks.text(line)[:MOST_READ]

    found = []
    for link, title in wanted:
        item = items[link.row]
        start, stop = np.searchsorted(first, (item, ends[item])).tolist()
        lines = range(start, min(stop, start + MOST_LINES))
        marked = times[slice(*np.searchsorted(times, (item, ends[item])).tolist())][:MOST_TIMES].tolist()
        date = _stated(page, marked) or _written(blocks, lines, text, title)
        found.append(Beside(date, _summary(blocks, lines, text, title)))
    return found


def _items(page: Page, links: list[Standing]) -> dict[int, int]:
    """The row of the item around each link: as far up as no other article's link stands in it.

    At the ends of a list that may be too far: no item reaches higher than half of those in the same place do.
    """
    tops = [_top(page, link, *bounds) for link, bounds in zip(links, _bounds(links, len(page)), strict=True)]
    depths: dict[int, list[int]] = {}
    for link, top in zip(links, tops, strict=True):
        depths.setdefault(link.place, []).append(int(page.depth[top]))
    usual = {place: sorted(there)[len(there) // 2] for place, there in depths.items() if len(there) > 1}
    return {
        link.row: _at(page, link.row, usual[link.place]) if link.place in usual else _alone(page, link.row, top)
        for link, top in zip(links, tops, strict=True)
    }


def _bounds(links: list[Standing], rows: int) -> list[tuple[int, int]]:
    """The rows of the last link before each, and of the first after it, that lead elsewhere."""
    before, after = [0] * len(links), [rows] * len(links)
    for k in range(1, len(links)):
        before[k] = before[k - 1] if links[k].url == links[k - 1].url else links[k - 1].row
    for k in range(len(links) - 2, -1, -1):
        after[k] = after[k + 1] if links[k].url == links[k + 1].url else links[k + 1].row
    return list(zip(before, after, strict=True))


def _top(page: Page, link: Standing, before: int, after: int) -> int:
    row = link.row
    while (above := int(page.parent[row])) > before and page.end[above] <= after:
        row = above
    return row


def _at(page: Page, row: int, depth: int) -> int:
    """The row above a row that is so deep in the page."""
    while page.depth[row] > depth:
        row = int(page.parent[row])
    return row


def _alone(page: Page, row: int, top: int) -> int:
    """The item of a link that has none like it: the nearest element made for one, or a few blocks up."""
    above = row
    blocks = 0
    while above > top and blocks < MOST_ABOVE:
        above = int(page.parent[above])
        if page.tag[above] in ITEMS:
            break
        blocks += bool(page.tag_flags[above] & BLOCK)
    return above


def _stated(page: Page, times: list[int]) -> str | None:
    """The date that a `time` element states for machines."""
    stated = (date_in((page.attribute(row, "datetime") or "")[:10]) for row in times)
    return next((date for date in stated if date), None)


def _written(blocks: Blocks, lines: range, read: Callable[[int], str], title: str) -> str | None:
    """The date in a line that is short enough to be there for it."""
    for line in lines:
        if blocks.chars[line] <= LONGEST_DATE_LINE and (text := read(line)) != title and (date := date_in(text)):
            return date
    return None


def _summary(blocks: Blocks, lines: range, read: Callable[[int], str], title: str) -> str | None:
    """The first line that says something besides the title, and is not made of links."""
    for line in lines:
        if blocks.link_chars[line] < SUMMARY_LINKED * blocks.chars[line]:
            text = read(line).removeprefix(title).strip()
            about = blocks.chars[line] <= LONGEST_DATE_LINE and date_in(text)
            if width_of(text) >= LEAST_SUMMARY and not about:
                return _cut(text)
    return None


def _cut(text: str) -> str:
    """A text, cut after a word where it is too long."""
    if len(text) <= LONGEST_SUMMARY:
        return text
    return text[:LONGEST_SUMMARY].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
