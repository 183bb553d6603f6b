"""The links of a page as they stand in it: what each says, and what is next to it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from pagesieve.page.kernel.constants import IN_HEADING, IN_TEXT, IS_REPEATED
from pagesieve.page.kernel.tags import BLOCK, TAG_ID, tag_ids
from pagesieve.page.lines import Blocks, split
from pagesieve.page.table import SEEN, Page
from pagesieve.text.dates import date_in

WIDE = 2.5  # a Chinese, Japanese or Korean character says as much as this many letters,
WIDE_BYTES = 2.4  # and takes more bytes than this


class Anchor(NamedTuple):
    """One link as it stands in the page."""

    row: int
    text: str  # the title that it shows; "" for a picture
    said: tuple[str, ...]  # its title attribute, and the alt texts of its pictures
    width: float  # of its text
    heading: bool  # in a heading, or around one
    inline: bool  # stands in running text
    repeated: bool  # links that lead elsewhere show the same
    fragment: bool  # leads into the middle of a page


def read_anchor(links: Any, number: int) -> Anchor:
    """Read one of the links of a page, given its number among them."""
    row, flags, width, text, said, fragment = links.tell(number)
    return Anchor(
        row=row,
        text=text.decode("utf-8", "replace"),
        said=tuple(one.decode("utf-8", "replace") for one in said),
        width=width,
        heading=flags & IN_HEADING != 0,
        inline=flags & IN_TEXT != 0,
        repeated=flags & IS_REPEATED != 0,
        fragment=fragment,
    )


def width_of(text: str) -> float:
    """Return how much a text says: its letters, of which Chinese, Japanese and Korean ones count more."""
    letters = len(text)
    if text.isascii():
        return letters
    return letters * WIDE if len(text.encode("utf-8", "replace")) > letters * WIDE_BYTES else letters


# What stands next to a link: the date and the summary of its item

_LEAST_SUMMARY = 40  # width of a line
_LONGEST_SUMMARY = 400  # characters
_SUMMARY_LINKED = 0.5  # of a line in links: what has more is no summary
_LONGEST_DATE_LINE = 100  # characters of a line that is there for the date
_MOST_LINES = 40  # of an item that are looked at, as it may be a whole article,
_MOST_TIMES = 40  # and of its `time` elements
_MOST_READ = 2000  # characters of a line
_MOST_ABOVE = 3  # elements from a link that stands alone to its item

_TIME = TAG_ID["time"]
_ITEMS = tag_ids("article li tr section")


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
    """Return what stands next to the links wanted, each given with its title; `links` are all that lead to articles."""
    blocks, items = split(page), _items(page, links)
    times = np.flatnonzero((page.tag == _TIME) & (page.visibility == SEEN))

    @cache  # many links may have the same item
    def text(line: int) -> str:
        return blocks.text(line)[:_MOST_READ]

    wanted = list(wanted)
    around = np.array([items[link.row] for link, _ in wanted], dtype=np.intp)
    bounds = [np.searchsorted(of, edge).tolist() for of in (blocks.first, times) for edge in (around, page.end[around])]
    found = []
    for (_, title), start, stop, first_time, last_time in zip(wanted, *bounds, strict=True):
        lines = range(start, min(stop, start + _MOST_LINES))
        marked = times[first_time : min(last_time, first_time + _MOST_TIMES)].tolist()
        date = _stated_date(page, marked) or _written_date(blocks, lines, text, title)
        found.append(Beside(date, _summary(blocks, lines, text, title)))
    return found


def _items(page: Page, links: list[Standing]) -> dict[int, int]:
    """Return the row of the item around each link: the highest element without a link to another article.

    At the ends of a list that may be too high: no item reaches higher than half of those in the same place do.
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
    """Return the rows of the last link before each, and of the first after it, that lead elsewhere."""
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
    """Return the row above a row that has a depth."""
    while page.depth[row] > depth:
        row = int(page.parent[row])
    return row


def _alone(page: Page, row: int, top: int) -> int:
    """Return the item of a link that is alone in its place: the nearest element made for items, or a few blocks up."""
    above = row
    blocks = 0
    while above > top and blocks < _MOST_ABOVE:
        above = int(page.parent[above])
        if page.tag[above] in _ITEMS:
            break
        blocks += bool(page.tag_flags[above] & BLOCK)
    return above


def _stated_date(page: Page, times: list[int]) -> str | None:
    """Return the date that a `time` element states for machines."""
    stated = (date_in((page.attribute(row, "datetime") or "")[:10]) for row in times)
    return next((date for date in stated if date), None)


def _written_date(blocks: Blocks, lines: range, read: Callable[[int], str], title: str) -> str | None:
    """Return the date in a line that is short enough to be there for it."""
    for line in lines:
        if blocks.chars[line] <= _LONGEST_DATE_LINE and (text := read(line)) != title and (date := date_in(text)):
            return date
    return None


def _summary(blocks: Blocks, lines: range, read: Callable[[int], str], title: str) -> str | None:
    """Return the first line that says something besides the title, and is not made of links."""
    for line in lines:
        if blocks.link_chars[line] < _SUMMARY_LINKED * blocks.chars[line]:
            text = read(line).removeprefix(title).strip()
            about = blocks.chars[line] <= _LONGEST_DATE_LINE and date_in(text)
            if width_of(text) >= _LEAST_SUMMARY and not about:
                return _cut(text)
    return None


def _cut(text: str) -> str:
    """Cut a text after a word where it is too long."""
    if len(text) <= _LONGEST_SUMMARY:
        return text
    return text[:_LONGEST_SUMMARY].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
