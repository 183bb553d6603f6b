"""The anchors of a page: the text of each link, and the date and summary next to it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from pagesieve.page.kernel.constants import IN_HEADING, IN_TEXT, IS_REPEATED, MAX_DATE_LINE_LENGTH
from pagesieve.page.lines import Blocks, split
from pagesieve.page.table import Page
from pagesieve.text.dates import date_in

WIDE = 2.5  # letters that have the content of one Chinese, Japanese or Korean character,
WIDE_BYTES = 2.4  # which takes more bytes than this


class Anchor(NamedTuple):
    """One link at one place in the page."""

    number: int  # the index among the links of the page
    row: int
    text: str  # the visible title; "" for a picture
    said: tuple[str, ...]  # its title attribute, and the alt texts of its pictures
    width: float  # the width of its text
    heading: bool  # whether it is inside a heading, or around one
    inline: bool  # whether it is in running text
    repeated: bool  # whether links to other addresses have the same text
    fragment: bool  # whether it leads to a fragment of a page


def read_anchor(links: Any, number: int) -> Anchor:
    """Read a link by its index among the links of a page."""
    row, flags, width, text, said, fragment = links.tell(number)
    stated = tuple(one.decode("utf-8", "replace") for one in said) if said else ()
    standing = (flags & IN_HEADING != 0, flags & IN_TEXT != 0, flags & IS_REPEATED != 0)
    return Anchor(number, row, text.decode("utf-8", "replace"), stated, width, *standing, fragment)


def width_of(text: str) -> float:
    """Return the width of a text: its number of letters, of which Chinese, Japanese and Korean ones count more."""
    letters = len(text)
    if text.isascii():
        return letters
    return letters * WIDE if len(text.encode("utf-8", "replace")) > letters * WIDE_BYTES else letters


# The date and the summary next to a link

_MIN_SUMMARY = 40  # width of a line
_MAX_SUMMARY_LENGTH = 400  # characters
_MAX_READ = 2000  # characters of a line


@dataclass(frozen=True, slots=True)
class Beside:
    """The date and the summary next to a link."""

    date: str | None = None
    summary: str | None = None


def beside(page: Page, items: Any, wanted: Iterable[tuple[Anchor, str]]) -> list[Beside]:
    """Return the date and summary next to each link of `wanted`, pairs of link and title; `items` is of the kernel."""
    blocks = split(page)

    @cache  # many links may have the same item
    def text(line: int) -> str:
        return blocks.text(line)[:_MAX_READ]

    found = []
    for anchor, title in wanted:
        times, dates, summaries = items.beside(anchor.number)
        date = _stated_date(page, times) or _written_date(dates, text, title)
        found.append(Beside(date, _summary(blocks, summaries, text, title)))
    return found


def _stated_date(page: Page, times: list[int]) -> str | None:
    """Return the date in the attributes of a `time` element."""
    stated = (date_in((page.attribute(row, "datetime") or "")[:10]) for row in times)
    return next((date for date in stated if date), None)


def _written_date(lines: list[int], read: Callable[[int], str], title: str) -> str | None:
    """Return the date in one of the lines that are short enough for a dateline."""
    for line in lines:
        if (text := read(line)) != title and (date := date_in(text)):
            return date
    return None


def _summary(blocks: Blocks, lines: list[int], read: Callable[[int], str], title: str) -> str | None:
    """Return the first line that is not made of links and is neither the title nor a date."""
    for line in lines:
        text = read(line).removeprefix(title).strip()
        if width_of(text) >= _MIN_SUMMARY and not (blocks.chars[line] <= MAX_DATE_LINE_LENGTH and date_in(text)):
            return _cut(text)
    return None


def _cut(text: str) -> str:
    """Cut a text after a word if it is too long."""
    if len(text) <= _MAX_SUMMARY_LENGTH:
        return text
    return text[:_MAX_SUMMARY_LENGTH].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
