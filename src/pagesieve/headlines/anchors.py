"""The links of a page as they stand in it: where each leads, what it says, what is around it and next to it."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, BLOCK, IMAGE, TAG_ID, TAGS, tag_ids
from pagesieve.page.lines import Blocks, split
from pagesieve.page.table import SEEN, Bools, Ints, Page
from pagesieve.text.dates import date_in
from pagesieve.text.whitespace import fold

LEAST_LINE = 20  # width of the line of a card that is its title
INLINE_BEFORE = 12  # characters before a link in running text, at least
INLINE_SHARE = 0.6  # of a line in links: what has more is a list
WIDE = 2.5  # a Chinese, Japanese or Korean character says as much as this many letters,
WIDE_BYTES = 2.4  # and takes more bytes than this
MOST_TEXTS = 50  # in a link: one with more was never closed

A, BODY, HEADER = TAG_ID["a"], TAG_ID["body"], TAG_ID["header"]
HEADINGS = tag_ids("h1 h2 h3 h4 h5 h6")
_IS_HEADING = np.array([number in HEADINGS for number in range(len(TAGS) + 1)])
NAVIGATION = tag_ids("nav footer menu form select button")
# Their classes describe the article, not the element.
ITEMS = tag_ids("article li")

# Words in classes and ids, which are much the same on pages of every language.
_NAVIGATION_WORDS = frozenset(
    b"nav navi navbar navigation menu submenu breadcrumb breadcrumbs crumb crumbs footer foot topbar toolbar "
    b"pagination pager paging pagenavi login signin cookie share sharing social sharedaddy addtoany copyright skip "
    b"lang language languages blogroll linkroll tagcloud archivelist blogarchive masthead".split()
)
_LABEL_WORDS = frozenset(
    b"tag tags taglinks taglist cat cats catlinks category categories label labels author authors byline vcard "
    b"postedby meta commentlink commentlinks commentslink commentslinks kicker eyebrow rubric".split()
)
_LABELS_OF_TWO_WORDS = re.compile(rb"(?<![a-z])(?:posted-by|comments?-links?)(?![a-z])")
_WORDS = re.compile(rb"[a-z]+")
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
    chars: int  # of all that it shows, without blanks
    width: float  # of its text
    heading: bool  # in a heading, or around one
    inline: bool  # stands in running text
    rel: str
    place: Place = NOWHERE


def width_of(text: str) -> float:
    """Return how much a text says: its letters, of which Chinese, Japanese and Korean ones count more."""
    letters = len(text)
    if text.isascii():
        return letters
    return letters * WIDE if len(text.encode("utf-8", "replace")) > letters * WIDE_BYTES else letters


class _Attributes:
    """The attributes of a page by row."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._rows = np.repeat(np.arange(len(page), dtype=np.int32), np.diff(page.attribute_at))

    def of(self, name: str, marked: Bools) -> dict[int, str]:
        """Return the value of an attribute in each of the marked rows that have it, in order."""
        page = self._page
        at = np.flatnonzero(page.attribute_name == ATTRIBUTE_ID[name])
        at = at[marked[self._rows[at]]]
        spans = zip(self._rows[at].tolist(), page.value_at[at].tolist(), page.value_at[at + 1].tolist(), strict=True)
        return {row: page.value_buffer[start:end].decode("utf-8", "replace") for row, start, end in spans}


class _Places:
    """The places of a page, each found once."""

    def __init__(self) -> None:
        self._places: dict[tuple[int, int, bytes], Place] = {}
        self._names: dict[bytes, tuple[bytes, bool, bool]] = {}

    def of(self, page: Page, rows: Ints) -> list[Place]:
        """Return the places of some rows: each is that of the row above, and what the row is itself."""
        numbers, (_, *ways) = kernel.ways.find(page, rows)
        found = [NOWHERE]
        for above, tag, names in ways:
            found.append(self._place(found[above], tag, names))
        return [found[number] for number in numbers]

    def _place(self, place: Place, tag: int, names: bytes) -> Place:
        name, navigation, label = self._names.get(names) or self._read(names)
        found = self._places.get((place.number, tag, name))
        if found is None:
            # The classes of the body describe the page, those of an item what it is about.
            told = tag != BODY and tag not in ITEMS
            found = self._places[place.number, tag, name] = Place(
                number=len(self._places) + 1,
                navigation=place.navigation or tag in NAVIGATION or (navigation and told),
                label=place.label or (label and told),
                header=place.header or tag == HEADER,
            )
        return found

    def _read(self, names: bytes) -> tuple[bytes, bool, bool]:
        """Return the first name without its digits, and whether the names are those of navigation, or of labels."""
        words = names.split(None, 1)
        first = _DIGITS.sub(b"", words[0]) if words else b""
        low = names.lower()
        parts = _WORDS.findall(low)
        label = not _LABEL_WORDS.isdisjoint(parts) or _LABELS_OF_TWO_WORDS.search(low) is not None
        read = first, not _NAVIGATION_WORDS.isdisjoint(parts), label
        self._names[names] = read
        return read


class Reader:
    """The links of a page, and what is derived of the page to read them, each once."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._attributes = _Attributes(page)

    @cached_property
    def hrefs(self) -> dict[int, str]:
        """The `href` of each link as the page has it, by row, in order."""
        return self._attributes.of("href", self._page.tag == A)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The title attributes that links to several pages share."""
        stated = self._attributes.of("title", self._page.tag == A)
        pairs = {(fold(text), self.hrefs[row].partition("#")[0]) for row, text in stated.items() if row in self.hrefs}
        return frozenset(text for text, count in Counter(text for text, _ in pairs).items() if count > 1)

    def read(self, links: Iterable[int]) -> list[Anchor]:
        """Read some links, given by their rows in order; their places are not filled in."""
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
        """Return the rows of some links, and of all that show as many characters as one of them, in order."""
        rows = list(self.hrefs)
        chars = self._page.text_chars[rows].tolist()
        sizes = {size for row, size in zip(rows, chars, strict=True) if row in links and size}
        return [row for row, size in zip(rows, chars, strict=True) if size in sizes or row in links]

    def place(self, anchors: list[Anchor]) -> None:
        """Fill in the place of each link in the structure of the page."""
        rows = np.array([anchor.row for anchor in anchors], dtype=np.int32)
        for anchor, place in zip(anchors, _Places().of(self._page, rows), strict=True):
            anchor.place = place

    def _marked(self, rows: Ints | NDArray[np.intp]) -> Bools:
        marked = np.zeros(len(self._page), dtype=np.bool_)
        marked[rows] = True
        return marked

    def _pictures(self, links: Ints) -> dict[int, list[str]]:
        """Return the alt texts of the pictures in each link."""
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
        """Yield each of some links, what it shows as its title, whether in a heading, and whether in running text."""
        page, blocks, ends = self._page, self._blocks, self._page.end[rows]
        first, last = np.searchsorted(blocks.rows, rows), np.searchsorted(blocks.rows, ends)
        inline = self._inline(first, last)
        heading, around, within = self._headings(rows, ends)
        # A link around a heading says what the heading says. One without block elements is one text.
        first = np.where(around, np.searchsorted(blocks.rows, heading), first)
        last = np.where(around, np.searchsorted(blocks.rows, page.end[heading]), last)
        whole = around | (self._blocks_before[ends] == self._blocks_before[rows])
        columns = (column.tolist() for column in (rows, first, last, whole, around | within, inline))
        texts, buffer = self._spans(first), page.text_buffer
        for (begin, end), row, start, stop, joined, headed, running in zip(texts, *columns, strict=True):
            if stop - start > 1:
                text = self._title(start, stop, whole=joined)
            else:
                text = fold(buffer[begin:end].decode("utf-8", "replace")) if stop > start else ""
            yield row, text, headed, running

    def _spans(self, numbers: NDArray[np.intp]) -> list[tuple[int, int]]:
        """Return where the text of each of some visible texts begins and ends, given their numbers."""
        rows, text_at = self._blocks.rows, self._page.text_at
        if not len(rows):
            return [(0, 0)] * len(numbers)
        at = rows[np.minimum(numbers, len(rows) - 1)]
        return list(zip(text_at[at].tolist(), text_at[at + 1].tolist(), strict=True))

    @cached_property
    def _blocks(self) -> Blocks:
        return split(self._page)

    @cached_property
    def _sums(self) -> NDArray[np.int64]:
        """How many characters stand before each visible text."""
        return np.concatenate([[0], np.cumsum(self._page.chars[self._blocks.rows])])

    @cached_property
    def _lines(self) -> Ints:
        """The number of the line of each text."""
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
        """Return the first heading after the start of each link, whether the link is around it, and whether in one."""
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
        """Return which links stand in running text: after some of it, on a line that is not mostly links."""
        blocks = self._blocks
        if not len(blocks):
            return np.zeros(len(first), dtype=np.bool_)
        line = np.maximum(np.searchsorted(blocks.starts, first, side="right") - 1, 0)
        before = self._sums[first] - self._sums[blocks.starts[line]]
        mixed = blocks.link_chars[line] < INLINE_SHARE * blocks.chars[line]
        found: Bools = (last > first) & (before >= INLINE_BEFORE) & mixed
        return found

    def _title(self, start: int, stop: int, *, whole: bool) -> str:
        """Return several texts as a title: all of them, or of several lines the first that says enough."""
        lines = self._joined(start, min(stop, start + MOST_TEXTS))
        if whole or len(lines) == 1:
            return " ".join(lines)
        return next((line for line in lines if width_of(line) >= LEAST_LINE), max(lines, key=len))

    def _joined(self, start: int, stop: int) -> list[str]:
        """Return some texts, joined by lines."""
        lines, text_at = [""], self._page.text_at
        rows, numbers = self._blocks.rows[start:stop].tolist(), self._lines[start:stop].tolist()
        for k, row in enumerate(rows):
            if k and numbers[k] != numbers[k - 1]:
                lines.append("")
            elif k and text_at[row] > text_at[rows[k - 1] + 1]:
                lines[-1] += " "  # a blank between two elements
            lines[-1] += self._page.text(row)
        return [fold(line) for line in lines]


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
