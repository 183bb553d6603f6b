"""Names for columns, taken from the page: table heads, `itemprop`, labels, classes; else from the element."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from pagesieve.page.kernel.tags import TAG_ID, tag_ids
from pagesieve.records.fields import CELLS, LABEL_ENDS, Field, label_above
from pagesieve.records.reading import Reader

LONGEST_NAME = 32  # characters
MOST_WORDS = 3  # of a class that go into a name
LEAST_LETTERS = 3  # of a word
MUCH_MORE = 1.3  # times a field's text: an element with more holds other things too, and its class is not the field's

HEADINGS = tag_ids("h1 h2 h3 h4 h5 h6")
_TABLE, _TR, _TH, _THEAD, _TIME, _IMG = (TAG_ID[name] for name in "table tr th thead time img".split())

# Words of classes that tell what something is.
_TELLING = frozenset(
    "abstract address age amount answer answers area artist asin author availability badge bids body brand byline "
    "category channel chapter city comment comments company condition count country creator currency date "
    "deadline delivery department desc description director discount distance domain duration edition email "
    "episode excerpt format forum genre headline hits host image isbn job journal kind language length likes "
    "location manufacturer material member message model modified name news notes num number offer organization "
    "pages phone place platform player plays playtime points postage posted poster price product provider pub "
    "published publisher quantity question rank rating region release replies reply review reviews role runtime "
    "salary sale save score seller shipping shop site sku snippet source stars state stats status stock store "
    "subject subtitle summary tag tagline tags team teaser thread time timestamp title topic topics total url "
    "user username vendor venue version video views vote votes website year".split()
)
# Words of classes that tell where something stands or how it looks, not what it is.
_PLAIN = frozenset(
    "active after align and aside before below black block blue body bold border bottom box btn button card cell "
    "center cfx child clear clearfix clickable clr col color colour cols column columns cont container content "
    "css dark data default desktop div elem element ellipsis even expanded field first fit fix fixed fl flex "
    "float font for fr full gray green grey grid group hidden hide holder horizontal hover icon info inline inner "
    "item items label large last layout left level light line lines link links list listing lists main margin max "
    "media medium middle min mobile module more new none normal now nowrap odd one outer padding page panel part "
    "post primary product pull record red result results right row rows search secondary section select single "
    "size sm small span sprite standard sub tab table tail text the thumb top tpl truncate two txt type ui unit "
    "value var vertical visible white widget width wrap wrapper xs".split()
)
_PROPERTY = re.compile(r"[^\W\d_][\w.-]*")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")
_VOWEL = re.compile(r"[aeiouy]|[^\x00-\x7f]", re.IGNORECASE)


class Namer:
    """Names the columns of one region."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._heads: dict[int, list[str]] = {}

    def name(self, field: Field, label: str) -> str:
        """Return what the page calls a field; empty where it says nothing."""
        rows = list(self._rows(field))
        return (
            self._head(field)
            or self._property(rows)
            or _short((label if label.endswith(LABEL_ENDS) else "") or label_above(field))
            or self._by_class(rows, _says_what)
            or self._by_element(rows)
        )

    def vague_name(self, field: Field, before: str) -> str:
        """Return a name from the classes of a field, or else the word before it."""
        return self._by_class(list(self._rows(field)), _tells) or _short(before)

    def _by_class(self, rows: Iterable[int], tells: Callable[[str], bool]) -> str:
        names = (_from_class(name, tells) for row in rows for name in self.reader.classes(row))
        return next(filter(None, names), "")

    def _rows(self, field: Field) -> Iterator[int]:
        """Return the elements that hold a field and little else, from the inside out."""
        reader, roots = self.reader, field.roots[0]
        roots = roots[:1] if field.listed else roots
        row, most = roots[0], MUCH_MORE * sum(int(reader.page.text_chars[root]) for root in roots)
        if reader.is_text(row) or len(roots) > 1:
            row = reader.parent(row)
        else:
            yield from _lone_descendants(reader, row)
        while row > reader.start and reader.page.text_chars[row] <= most:
            yield row
            row = reader.parent(row)

    def _property(self, rows: Iterable[int]) -> str:
        for row in rows:
            value = self.reader.page.attribute(row, "itemprop")
            if value and (found := _PROPERTY.match(value)):
                return found[0]
        return ""

    def _by_element(self, rows: Iterable[int]) -> str:
        for row in rows:
            tag = self.reader.tag(row)
            if tag in HEADINGS:
                return "title"
            if tag == _TIME:
                return "date"
            if tag == _IMG:
                return "image"
        return ""

    # Heads of tables

    def _head(self, field: Field) -> str:
        """Return what the table's head says of the cell that a field is in."""
        place: Field | None = field
        while place is not None and place.key[0] not in CELLS:
            place = place.above
        if place is None:
            return ""
        cell = place.roots[0][0]
        row = self.reader.parent(cell)
        heads = self._heads_of(self._table(row))
        number = self._column(row, cell)
        return _short(heads[number]) if number < len(heads) else ""

    def _table(self, row: int) -> int:
        page = self.reader.page
        while row > 0 and page.tag[row] != _TABLE:
            row = int(page.parent[row])
        return row

    def _heads_of(self, table: int) -> list[str]:
        if table not in self._heads:
            self._heads[table] = self._read_heads(table)
        return self._heads[table]

    def _read_heads(self, table: int) -> list[str]:
        page = self.reader.page
        row, end = table + 1, int(page.end[table])
        while row < end and page.tag[row] != _TR:
            row += 1
        if row >= end:
            return []
        cells = [cell for cell in _children(self.reader, row) if page.tag[cell] in CELLS]
        if page.tag[page.parent[row]] != _THEAD and any(page.tag[cell] != _TH for cell in cells):
            return []
        if len(cells) < 2:
            return []
        return [text for cell in cells for text in [" ".join(page.text(cell).split())] * _span(self.reader, cell)]

    def _column(self, row: int, cell: int) -> int:
        before = (each for each in _children(self.reader, row) if each < cell and self.reader.page.tag[each] in CELLS)
        return sum(_span(self.reader, each) for each in before)


def _lone_descendants(reader: Reader, row: int) -> list[int]:
    """Return the elements below that are only children, the innermost first."""
    found: list[int] = []
    while True:
        inside = [child for child in reader.children(row) if reader.says(child)]
        if len(inside) != 1 or reader.is_text(inside[0]):
            return found[::-1]
        row = inside[0]
        found.append(row)


def _children(reader: Reader, row: int) -> Iterator[int]:
    page = reader.page
    child, end = row + 1, int(page.end[row])
    while child < end:
        yield child
        child = int(page.end[child])


def _span(reader: Reader, cell: int) -> int:
    value = reader.page.attribute(cell, "colspan") or ""
    return min(int(value), 100) if value.isascii() and value.isdigit() and int(value) else 1


def _short(text: str) -> str:
    text = text.strip(" :：")
    return text if len(text) <= LONGEST_NAME else ""


def _from_class(name: str, tells: Callable[[str], bool]) -> str:
    """Return what a class says an element is; empty where it only says how it looks."""
    for part in (name.rpartition("__")[2].partition("--")[0], name):
        words = [word.lower() for word in _PARTS.findall(part)]
        if any(tells(word) for word in words):
            return "_".join([word for word in words if _tells(word) or tells(word)][-MOST_WORDS:])
    return ""


def _says_what(word: str) -> bool:
    return word in _TELLING


def _tells(word: str) -> bool:
    return (
        (len(word) >= LEAST_LETTERS or not word.isascii())
        and word not in _PLAIN
        and not word.isdigit()
        and _VOWEL.search(word) is not None
    )


def distinct(names: list[str]) -> list[str]:
    """Make names distinct: add a number to each that occurred before."""
    taken: set[str] = set()
    counts: dict[str, int] = {}
    found = []
    for name in names:
        given = name
        while given.casefold() in taken:
            counts[name] = counts.get(name, 1) + 1
            given = f"{name}_{counts[name]}"
        taken.add(given.casefold())
        found.append(given)
    return found
