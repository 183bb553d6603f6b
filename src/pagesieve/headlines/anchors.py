"""The links of a page as they stand in it: where each leads, what it says, and what is around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pagesieve.articles.blocks import Blocks, split
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.page.tags import ATTRIBUTE_ID, BLOCK, IMAGE, TAG_ID, tag_ids
from pagesieve.page.writer.inline import fold

LEAST_LINE = 20  # width of the line of a card that is its title
INLINE_BEFORE = 12  # characters before a link in running text, at least
INLINE_SHARE = 0.6  # of a line in links: what has more is a list
WIDE = 2.5  # a Chinese, Japanese or Korean character says as much as so many letters,
WIDE_BYTES = 2.4  # and takes more bytes than this
MOST_TEXTS = 50  # in a link: one with more was never closed

A, BODY, HEADER = TAG_ID["a"], TAG_ID["body"], TAG_ID["header"]
HEADINGS = tag_ids("h1 h2 h3 h4 h5 h6")
NAVIGATION = tag_ids("nav footer menu form select button")
# Their classes tell of the article, not of what they are.
ITEMS = tag_ids("article li")

# Words in the classes and ids of elements, which are much the same in every language.
_NAVIGATION_WORDS = re.compile(
    rb"(?<![a-z])(?:nav|navi|navbar|navigation|menu|submenu|breadcrumbs?|crumbs?|footer|foot|topbar|toolbar|pagination|"
    rb"pager|paging|pagenavi|login|signin|cookie|share|sharing|social|sharedaddy|addtoany|copyright|skip|lang|"
    rb"languages?|blogroll|linkroll|tagcloud|archivelist|blogarchive|masthead)(?![a-z])",
    re.IGNORECASE,
)
_LABEL_WORDS = re.compile(
    rb"(?<![a-z])(?:tags?|tag-?links|taglist|cats?|cat-?links|category|categories|labels?|authors?|byline|vcard|"
    rb"posted-?by|meta|comments?-?links?|kicker|eyebrow|rubric)(?![a-z])",
    re.IGNORECASE,
)
_DIGITS = re.compile(rb"\d+")


@dataclass(slots=True)
class Place:
    """A place in the structure of a page: the same elements above, of the same classes."""

    number: int
    navigation: bool = False
    label: bool = False  # tags, sections, the author of an item
    heading: bool = False
    header: bool = False


@dataclass(slots=True)
class Anchor:
    """One link as it stands in the page."""

    row: int
    href: str
    place: Place
    text: str  # the title that it shows; "" for a picture
    said: tuple[str, ...]  # its title attribute, and the alt texts of its pictures
    chars: int  # all that it shows, blanks not counted
    width: float  # of its text
    heading: bool  # in a heading, or around one
    inline: bool  # stands in running text
    rel: str


def width_of(text: str) -> float:
    """How much a text says: its letters, those of Chinese, Japanese and Korean counted more."""
    letters = len(text)
    if text.isascii():
        return letters
    return letters * WIDE if len(text.encode("utf-8", "replace")) > letters * WIDE_BYTES else letters


class Attributes:
    """The attributes of a page by row, for the few names that are asked for."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._rows = np.repeat(np.arange(len(page), dtype=np.int32), np.diff(page.attribute_at))

    def of(self, name: str, marked: Bools) -> dict[int, str]:
        """The value of an attribute in each of the rows marked that have it, in order."""
        page = self._page
        at = np.flatnonzero(page.attribute_name == ATTRIBUTE_ID[name])
        at = at[marked[self._rows[at]]]
        spans = zip(self._rows[at].tolist(), page.value_at[at].tolist(), page.value_at[at + 1].tolist(), strict=True)
        return {row: page.value_buffer[start:end].decode("utf-8", "replace") for row, start, end in spans}

    def column(self, name: str) -> Ints:
        """Where in the table of attributes that of each row stands, or -1."""
        at = np.flatnonzero(self._page.attribute_name == ATTRIBUTE_ID[name]).astype(np.int32)
        column = np.full(len(self._page), -1, dtype=np.int32)
        column[self._rows[at]] = at
        return column


class _Places:
    """The places of a page's rows, each found once."""

    def __init__(self, page: Page, attributes: Attributes) -> None:
        self._buffer, self._value_at = page.value_buffer, page.value_at
        self._parent, self._tag = page.parent.tolist(), page.tag.tolist()
        self._class, self._id = attributes.column("class"), attributes.column("id")
        self._known: dict[int, Place] = {0: Place(0), -1: Place(0)}
        self._places: dict[tuple[int, int, bytes], Place] = {}
        self._names: dict[bytes, tuple[bytes, bool, bool]] = {}

    def of(self, row: int) -> Place:
        """The place of a row: that of its parent, and what it is itself."""
        above, known = [], self._known
        while row not in known:
            above.append(row)
            row = self._parent[row]
        place = known[row]
        for row in reversed(above):
            place = known[row] = self._below(place, row)
        return place

    def _below(self, place: Place, row: int) -> Place:
        tag = self._tag[row]
        names = self._value(self._class, row) + b" " + self._value(self._id, row)
        name, navigation, label = self._names.get(names) or self._read(names)
        found = self._places.get((place.number, tag, name))
        if found is None:
            # The classes of the body say what sort of page it is, those of an item what it is about.
            told = tag != BODY and tag not in ITEMS
            found = self._places[place.number, tag, name] = Place(
                number=len(self._places) + 1,
                navigation=place.navigation or tag in NAVIGATION or (navigation and told),
                label=place.label or (label and told),
                heading=place.heading or tag in HEADINGS,
                header=place.header or tag == HEADER,
            )
        return found

    def _read(self, names: bytes) -> tuple[bytes, bool, bool]:
        """The first name without its digits, and whether they tell of navigation, or of labels."""
        words = names.split(None, 1)
        first = _DIGITS.sub(b"", words[0]) if words else b""
        read = first, bool(_NAVIGATION_WORDS.search(names)), bool(_LABEL_WORDS.search(names))
        self._names[names] = read
        return read

    def _value(self, column: Ints, row: int) -> bytes:
        at = column[row]
        return self._buffer[self._value_at[at] : self._value_at[at + 1]] if at >= 0 else b""


def read_anchors(page: Page, attributes: Attributes, hrefs: dict[int, str]) -> list[Anchor]:
    """Some links of a page, given by their rows and where they lead, in order."""
    marked = np.zeros(len(page), dtype=np.bool_)
    rows = np.fromiter(hrefs, dtype=np.int32, count=len(hrefs))
    marked[rows] = True
    titles, rels = attributes.of("title", marked), attributes.of("rel", marked)
    pictures = _pictures(page, attributes, rows)
    places = _Places(page, attributes)
    chars = page.text_chars[rows].tolist()
    found = []
    for size, (row, text, in_heading, inline) in zip(chars, _texts(page, rows), strict=True):
        place = places.of(row)
        said = [titles[row]] if row in titles else []
        if row in pictures:
            said += pictures[row]
        found.append(
            Anchor(
                row=row,
                href=hrefs[row],
                place=place,
                text=text,
                said=tuple(folded for one in said if (folded := fold(one))) if said else (),
                chars=size,
                width=width_of(text),
                heading=in_heading or place.heading,
                inline=inline,
                rel=rels[row].lower() if row in rels else "",
            )
        )
    return found


def _pictures(page: Page, attributes: Attributes, links: Ints) -> dict[int, list[str]]:
    """The alt texts of the pictures in each link."""
    found: dict[int, list[str]] = {}
    alts = attributes.of("alt", (page.sort & IMAGE) > 0)
    if not alts or not len(links):
        return found
    rows = np.fromiter(alts, dtype=np.int32, count=len(alts))
    around = links[np.maximum(np.searchsorted(links, rows, side="right") - 1, 0)]
    inside = (around < rows) & (rows < page.end[around])
    for row, link in zip(rows[inside].tolist(), around[inside].tolist(), strict=True):
        found.setdefault(link, []).append(alts[row])
    return found


def _texts(page: Page, rows: Ints) -> Iterator[tuple[int, str, bool, bool]]:
    """Each of some links with what it shows as its title, whether it is around a heading, whether in running text."""
    blocks = split(page)
    ends = page.end[rows]
    first, last = np.searchsorted(blocks.rows, rows), np.searchsorted(blocks.rows, ends)
    inline = _inline(blocks, first, last)
    headings = np.flatnonzero(np.isin(page.tag, list(HEADINGS)))
    heading = np.append(headings, len(page) - 1)[np.searchsorted(headings, rows)]
    around = (heading < ends) & (heading > rows)
    # A link around a heading says what the heading says.
    first = np.where(around, np.searchsorted(blocks.rows, heading), first)
    last = np.where(around, np.searchsorted(blocks.rows, page.end[heading]), last)
    # So does one without blocks: its lines are those of one text.
    blocks_before = np.concatenate([[0], np.cumsum((page.sort & BLOCK) > 0)])
    whole = around | (blocks_before[ends] == blocks_before[rows])
    shown = _Shown.of(blocks)
    columns = (column.tolist() for column in (rows, first, last, whole, around, inline))
    for row, start, stop, joined, headed, running in zip(*columns, strict=True):
        yield row, shown.title(start, stop, whole=joined), headed, running


def _inline(blocks: Blocks, first: NDArray[np.intp], last: NDArray[np.intp]) -> Bools:
    """Which links stand in running text: something is said before them in their line, and much of it in no link."""
    if not len(blocks):
        return np.zeros(len(first), dtype=np.bool_)
    line = np.maximum(np.searchsorted(blocks.starts, first, side="right") - 1, 0)
    sums = np.concatenate([[0], np.cumsum(blocks.page.chars[blocks.rows])])
    before = sums[first] - sums[blocks.starts[line]]
    mixed = blocks.link_chars[line] < INLINE_SHARE * blocks.chars[line]
    found: Bools = (last > first) & (before >= INLINE_BEFORE) & mixed
    return found


@dataclass(slots=True)
class _Shown:
    """The texts that are seen, and the line that each stands in."""

    page: Page
    rows: list[int]
    lines: list[int]

    @classmethod
    def of(cls, blocks: Blocks) -> _Shown:
        begins = np.zeros(len(blocks.rows), dtype=np.int32)
        begins[blocks.starts] = 1
        return cls(blocks.page, blocks.rows.tolist(), np.cumsum(begins).tolist())

    def title(self, start: int, stop: int, *, whole: bool) -> str:
        """What some texts say as a title: all, or of several lines the first that says enough."""
        if stop - start <= 1:
            return fold(self.page.text(self.rows[start])) if stop > start else ""
        lines = self._joined(start, min(stop, start + MOST_TEXTS))
        if whole or len(lines) == 1:
            return " ".join(lines)
        return next((line for line in lines if width_of(line) >= LEAST_LINE), max(lines, key=len))

    def _joined(self, start: int, stop: int) -> list[str]:
        lines = [""]
        text_at = self.page.text_at
        for k in range(start, stop):
            row = self.rows[k]
            if k > start and self.lines[k] != self.lines[k - 1]:
                lines.append("")
            elif k > start and text_at[row] > text_at[self.rows[k - 1] + 1]:
                lines[-1] += " "  # a blank between two elements
            lines[-1] += self.page.text(row)
        return [fold(line) for line in lines]
