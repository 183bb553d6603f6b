"""The links of a page as they stand in it: where each leads, what it says, and what is around it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pagesieve.page.kernel.tags import ATTRIBUTE_ID, BLOCK, IMAGE, TAG_ID, TAGS, tag_ids
from pagesieve.page.lines import Blocks, split
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.text.whitespace import fold

LEAST_LINE = 20  # width of the line of a card that is its title
INLINE_BEFORE = 12  # characters before a link in running text, at least
INLINE_SHARE = 0.6  # of a line in links: what has more is a list
WIDE = 2.5  # a Chinese, Japanese or Korean character says as much as so many letters,
WIDE_BYTES = 2.4  # and takes more bytes than this
MOST_TEXTS = 50  # in a link: one with more was never closed

A, BODY, HEADER = TAG_ID["a"], TAG_ID["body"], TAG_ID["header"]
HEADINGS = tag_ids("h1 h2 h3 h4 h5 h6")
_IS_HEADING = np.array([number in HEADINGS for number in range(len(TAGS) + 1)])
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


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the structure of a page: the same elements above, of the same classes."""

    number: int
    navigation: bool = False
    label: bool = False  # tags, sections, the author of an item
    header: bool = False


NOWHERE = Place(0)


@dataclass(slots=True)
class Anchor:
    """One link as it stands in the page."""

    row: int
    href: str
    text: str  # the title that it shows; "" for a picture
    said: tuple[str, ...]  # its title attribute, and the alt texts of its pictures
    chars: int  # all that it shows, blanks not counted
    width: float  # of its text
    heading: bool  # in a heading, or around one
    inline: bool  # stands in running text
    rel: str
    place: Place = NOWHERE


def width_of(text: str) -> float:
    """How much a text says: its letters, those of Chinese, Japanese and Korean counted more."""
    letters = len(text)
    if text.isascii():
        return letters
    return letters * WIDE if len(text.encode("utf-8", "replace")) > letters * WIDE_BYTES else letters


class _Attributes:
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

    def __init__(self, page: Page, attributes: _Attributes) -> None:
        self._buffer, self._value_at = page.value_buffer, page.value_at
        self._parent, self._tag = page.parent.tolist(), page.tag.tolist()
        self._class, self._id = attributes.column("class"), attributes.column("id")
        self._known: dict[int, Place] = {0: NOWHERE, -1: NOWHERE}
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


class Reader:
    """Reads the links of a page; what it derives of the page, it derives once."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._attributes = _Attributes(page)

    @cached_property
    def hrefs(self) -> dict[int, str]:
        """Where the links lead, by their rows, in order, as the page has it."""
        return self._attributes.of("href", self._page.tag == A)

    @cached_property
    def labels(self) -> frozenset[str]:
        """What the title attributes of links to several pages say."""
        stated = self._attributes.of("title", self._page.tag == A)
        pairs = {(fold(text), self.hrefs[row].partition("#")[0]) for row, text in stated.items() if row in self.hrefs}
        return frozenset(text for text, count in Counter(text for text, _ in pairs).items() if count > 1)

    def read(self, links: Iterable[int]) -> list[Anchor]:
        """Some links, given by their rows in order; without their places."""
        rows = np.fromiter(links, dtype=np.int32)
        marked = self._marked(rows)
        titles, rels = self._attributes.of("title", marked), self._attributes.of("rel", marked)
        pictures = self._pictures(rows)
        chars = self._page.text_chars[rows].tolist()
        found = []
        for size, (row, text, heading, inline) in zip(chars, self._texts(rows), strict=True):
            said = [titles[row]] if row in titles else []
            if row in pictures:
                said += pictures[row]
            found.append(
                Anchor(
                    row=row,
                    href=self.hrefs[row],
                    text=text,
                    said=tuple(folded for one in said if (folded := fold(one))) if said else (),
                    chars=size,
                    width=width_of(text),
                    heading=heading,
                    inline=inline,
                    rel=rels[row].lower() if row in rels else "",
                )
            )
        return found

    def as_long_as(self, links: frozenset[int]) -> list[int]:
        """The rows of some links, and of all that show as many characters as one of them, in order."""
        rows = list(self.hrefs)
        chars = self._page.text_chars[rows].tolist()
        sizes = {size for row, size in zip(rows, chars, strict=True) if row in links and size}
        return [row for row, size in zip(rows, chars, strict=True) if size in sizes or row in links]

    def place(self, anchors: list[Anchor]) -> None:
        """Says of each link where in the structure of the page it stands."""
        places = _Places(self._page, self._attributes)
        for anchor in anchors:
            anchor.place = places.of(anchor.row)

    def _marked(self, rows: Ints | NDArray[np.intp]) -> Bools:
        marked = np.zeros(len(self._page), dtype=np.bool_)
        marked[rows] = True
        return marked

    def _pictures(self, links: Ints) -> dict[int, list[str]]:
        """The alt texts of the pictures in each link."""
        found: dict[int, list[str]] = {}
        pictures = np.flatnonzero(self._page.tag_flags & IMAGE)
        if not len(pictures) or not len(links):
            return found
        around = links[np.maximum(np.searchsorted(links, pictures, side="right") - 1, 0)]
        inside = (around < pictures) & (pictures < self._page.end[around])
        alts = self._attributes.of("alt", self._marked(pictures[inside]))
        for row, link in zip(pictures[inside].tolist(), around[inside].tolist(), strict=True):
            if row in alts:
                found.setdefault(link, []).append(alts[row])
        return found

    def _texts(self, rows: Ints) -> Iterator[tuple[int, str, bool, bool]]:
        """Each of some links: what it shows as its title, whether that is a heading, whether it is in running text."""
        page, blocks, ends = self._page, self._blocks, self._page.end[rows]
        first, last = np.searchsorted(blocks.rows, rows), np.searchsorted(blocks.rows, ends)
        inline = self._inline(first, last)
        heading, around, within = self._headings(rows, ends)
        # A link around a heading says what the heading says. One without blocks is one text, whatever lines it has.
        first = np.where(around, np.searchsorted(blocks.rows, heading), first)
        last = np.where(around, np.searchsorted(blocks.rows, page.end[heading]), last)
        whole = around | (self._blocks_before[ends] == self._blocks_before[rows])
        columns = (column.tolist() for column in (rows, first, last, whole, around | within, inline))
        for row, start, stop, joined, headed, running in zip(*columns, strict=True):
            yield row, self._title(start, stop, whole=joined), headed, running

    @cached_property
    def _blocks(self) -> Blocks:
        return split(self._page)

    @cached_property
    def _sums(self) -> NDArray[np.int64]:
        """The characters before each text that is seen."""
        return np.concatenate([[0], np.cumsum(self._page.chars[self._blocks.rows])])

    @cached_property
    def _lines(self) -> Ints:
        """The number of the line that each text stands in."""
        begins = np.zeros(len(self._blocks.rows), dtype=np.int32)
        begins[self._blocks.starts] = 1
        return np.cumsum(begins, dtype=np.int32)

    @cached_property
    def _blocks_before(self) -> NDArray[np.int64]:
        """How many block elements begin before each row."""
        return np.concatenate([[0], np.cumsum((self._page.tag_flags & BLOCK) > 0)])

    @cached_property
    def _heading_rows(self) -> NDArray[np.intp]:
        return np.flatnonzero(_IS_HEADING[np.minimum(self._page.tag, len(TAGS))])

    def _headings(self, rows: Ints, ends: Ints) -> tuple[NDArray[np.intp], Bools, Bools]:
        """The first heading after each link's start; whether the link is around it; whether it stands in one itself."""
        headings = self._heading_rows
        if not len(headings):
            none = np.zeros(len(rows), dtype=np.bool_)
            return np.zeros(len(rows), dtype=np.intp), none, none
        at = np.searchsorted(headings, rows)
        after, before = headings[np.minimum(at, len(headings) - 1)], headings[np.maximum(at - 1, 0)]
        around: Bools = (after > rows) & (after < ends)
        within: Bools = (before < rows) & (rows < self._page.end[before])
        return after, around, within

    def _inline(self, first: NDArray[np.intp], last: NDArray[np.intp]) -> Bools:
        """Which links stand in running text: their line says something before them, and much of it in no link."""
        blocks = self._blocks
        if not len(blocks):
            return np.zeros(len(first), dtype=np.bool_)
        line = np.maximum(np.searchsorted(blocks.starts, first, side="right") - 1, 0)
        before = self._sums[first] - self._sums[blocks.starts[line]]
        mixed = blocks.link_chars[line] < INLINE_SHARE * blocks.chars[line]
        found: Bools = (last > first) & (before >= INLINE_BEFORE) & mixed
        return found

    def _title(self, start: int, stop: int, *, whole: bool) -> str:
        """What some texts say as a title: all, or of several lines the first that says enough."""
        if stop - start <= 1:
            return fold(self._page.text(self._blocks.rows[start])) if stop > start else ""
        lines = self._joined(start, min(stop, start + MOST_TEXTS))
        if whole or len(lines) == 1:
            return " ".join(lines)
        return next((line for line in lines if width_of(line) >= LEAST_LINE), max(lines, key=len))

    def _joined(self, start: int, stop: int) -> list[str]:
        """The lines that some texts stand in."""
        lines, text_at = [""], self._page.text_at
        rows, numbers = self._blocks.rows[start:stop].tolist(), self._lines[start:stop].tolist()
        for k, row in enumerate(rows):
            if k and numbers[k] != numbers[k - 1]:
                lines.append("")
            elif k and text_at[row] > text_at[rows[k - 1] + 1]:
                lines[-1] += " "  # a blank between two elements
            lines[-1] += self._page.text(row)
        return [fold(line) for line in lines]
