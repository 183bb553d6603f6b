"""Names of columns: what the page calls them in heads of tables, properties, labels and classes.

A name must recur in most of a sample of records. So it is never a value, and the order of the records does not matter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

from pagesieve.page.kernel.tags import TAG_ID, tag_ids
from pagesieve.records.fields import CELLS, LABEL_ENDS, MUCH_MORE, Field, FieldValues, Reader, Roots, is_words
from pagesieve.text.types import words_of
from pagesieve.text.vocabulary import BY, pattern_of

T = TypeVar("T", str, int)
AUTHOR = "author"
Holders = Sequence[Sequence[int]]  # for each record some elements

RECURRING = 0.6  # of the sample have a name: else it is a value, such as the section that a class names
MAX_NAME = 32  # characters
MAX_WORDS = 2  # of a class that go into a name
CACHED_CLASSES = 4096

HEADINGS = tag_ids("h1 h2 h3 h4 h5 h6")
_NAMING_TAGS = {TAG_ID["time"]: "date", TAG_ID["img"]: "image"}
_TABLE, _TR, _TH, _THEAD = (TAG_ID[name] for name in "table tr th thead".split())
_PROPERTIES = ("itemprop", "property")
_HEADS = ("data-label", "data-title", "data-th", "data-column")  # the head of a cell, for narrow screens
_ROLES = ("data-testid", "data-test", "data-qa", "data-hook", "data-field", "data-name", "data-role", "data-component")

# Words of classes that say what an element is.
_TELLING = frozenset(
    "abstract address age album amount answer answers artist asin author availability avatar badge bedrooms bids "
    "birthday body brand breadcrumb byline calories capacity caption category channel chapter chapters citation city "
    "client collection comment comments company condition contributor cost count country coupon course cover creator "
    "currency date deadline deal deals delivery department desc description director discount distance district doi "
    "domain downloads duration edition email employer episode excerpt fee flag flair flavor followers forum freebies "
    "genre guests handle hashtag headline hits host hotel hours image ingredients institution isbn issue job journal "
    "kicker kind language length likes locality location logo maker manufacturer material members merchant mileage "
    "modified name neighborhood news notes offer offers organization origin owner pages pageviews participants patent "
    "payment percent permalink person phone photo place platform player plays playtime points postage posted poster "
    "posts price promo promotion provider pub published publisher quantity question rank rating ratings reads recipe "
    "region regular release replies reply retailer review reviews ribbon role runtime salary sale sales savings "
    "schedule school score seller series servings shares shipping shop site skill skills sku snippet source speaker "
    "specs sponsor stars state status stock store street subject subreddit subtitle summary tag tagline tags team "
    "teaser thread time timestamp title topic topics total town transmission transport updated uploader url user "
    "username variant vehicle vendor venue version video views volume vote votes warranty watchers website weight "
    "year zip".split()
)
_ALIASES = {  # other words for one thing, and short ones
    "descr": "description",
    "desc": "description",
    "heading": "title",
    "headline": "title",
    "href": "url",
    "permalink": "url",
    "qty": "quantity",
    "timestamp": "date",
    "stitle": "title",
    "jobtitle": "title",
    "thumb": "image",
    "thumbnail": "image",
    "photo": "image",
    "img": "image",
    "pubdate": "date",
    "by": "author",
    "num": "count",
    "durl": "url",
    "titel": "title",
    "titre": "title",
    "titulo": "title",
    "preis": "price",
    "prix": "price",
    "precio": "price",
    "datum": "date",
    "fecha": "date",
    "autor": "author",
    "auteur": "author",
    "beschreibung": "description",
    "bewertung": "rating",
    "bild": "image",
    "ort": "location",
}
# Elements, and words of classes, that strike out a former price.
_STRIKING_TAGS = tag_ids("s del strike")
_STRIKING = frozenset(
    "was old strike striked strikethrough struck crossed linethrough previous original compare".split()
)
_LINE_THROUGH = "line-through"
_PROPERTY = re.compile(r"(?:[\w.]+[:.])?([^\W\d_][\w-]*)")
_BY = re.compile(rf"(?:{pattern_of(BY)})\s?[:：]?", re.IGNORECASE)
_NAMES = re.compile(r"[^\W\d_]{2}|[^\W\d_\x00-\x7f]")  # two letters, or one of a script without blanks


class Namer:
    """Names the columns of one region."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._heads: dict[int, list[str]] = {}
        self._holders_of: dict[int, Holders] = {}  # by the id of a field
        present = reader.page.attribute_names(reader.start, reader.stop)
        self._properties, self._labels, self._roles = (
            [name for name in names if name in present] for names in (_PROPERTIES, _HEADS, _ROLES)
        )

    def heads(self, fields: Sequence[FieldValues]) -> list[str]:
        """Return the head of the table cell that each field is in; empty if there is none."""
        return list(map(self._head_of, fields))

    def _head_of(self, values: FieldValues) -> str:
        if not _is_in_cell(values.field) or not self._head(values.field.roots[0]):
            return ""
        return next(_recurring([[self._head(roots)] for roots in values.samples]), "")

    def names(self, fields: Sequence[FieldValues], heads: Sequence[str], least: int = 1) -> list[str]:
        """Return the name of each field: the head of its table, if any, or another; empty if the page has none.

        With fewer than `least` records, what looks like a label may be how a text begins, and is not used.
        """
        return [head or self._name(each, least) for each, head in zip(fields, heads, strict=True)]

    def _name(self, values: FieldValues, least: int) -> str:
        """Return the name of a field that is not in the head of a table."""
        holders = self._holders(values)
        label = (values.label if values.label.endswith(LABEL_ENDS) else "") or values.label_above
        return (
            self._attribute(holders, self._properties, _property)
            or self._attribute(holders, self._labels, _short)
            or _short(label) * (len(values.field.at) >= least)
            or self._by_class(holders)
            or self._by_element(holders)
        )

    def name_before(self, values: FieldValues) -> str:
        """Return a name by the words before a field: the author after "by"; empty if there are none."""
        if _BY.fullmatch(values.label):
            return AUTHOR
        return _short(values.label) if is_words(values.label) else ""

    def is_struck(self, values: FieldValues) -> bool:
        """Whether most of a sample of records strike out a field, by its elements, their classes or their styles."""
        return sum(map(self._strikes, values.samples)) >= RECURRING * len(values.samples)

    def _strikes(self, roots: Roots) -> bool:
        """Whether an element that holds nothing but these rows strikes them out."""
        rows, chars = self.reader.rows, self.reader.page.text_chars.item
        own, above = sum(map(chars, roots)), rows.parent(roots[0])
        holders = [roots[0], *_lone_descendants(self.reader, roots[0])] if len(roots) == 1 else []
        while above > self.reader.start and chars(above) <= own:
            holders.append(above)
            above = rows.parent(above)
        return any(self._is_striking(row) for row in holders if not rows.is_text(row))

    def _is_striking(self, row: int) -> bool:
        """Whether an element strikes out its content."""
        names = self.reader.rows.classes(row)
        return (
            self.reader.rows.tag(row) in _STRIKING_TAGS
            or any(_LINE_THROUGH in name or not _STRIKING.isdisjoint(words_of(name)) for name in names)
            or _LINE_THROUGH in (self.reader.page.attribute(row, "style") or "")
        )

    def _by_class(self, holders: Holders) -> str:
        classes = _recurring([[name for row in rows for name in self.reader.rows.classes(row)] for rows in holders])
        return next(filter(None, map(_from_class, classes)), "") or self._attribute(holders, self._roles, _from_class)

    def _attribute(self, holders: Holders, names: Sequence[str], read: Callable[[str], str]) -> str:
        if not names:
            return ""
        attribute = self.reader.page.attribute
        values = [[read(attribute(row, name) or "") for row in rows for name in names] for rows in holders]
        return next(_recurring(values), "")

    def _by_element(self, holders: Holders) -> str:
        for tag in _recurring([[self.reader.rows.tag(row) for row in rows] for rows in holders]):
            if tag in HEADINGS:
                return "title"
            if tag in _NAMING_TAGS:
                return _NAMING_TAGS[tag]
        return ""

    def _holders(self, values: FieldValues) -> Holders:
        """Return for a sample of records the elements that hold a field and little else, from the inside out.

        The sample decides as a whole how much else is too much: there is more next to a short title than to a long one.
        """
        holders = self._holders_of.get(id(values.field))
        if holders is None:
            holders = self._holders_of[id(values.field)] = self._find_holders(values)
        return holders

    def _find_holders(self, values: FieldValues) -> Holders:
        reader, chars = self.reader, self.reader.page.text_chars.item
        holders: list[list[int]] = []
        above: list[tuple[int, int]] = []  # for each record the next row up, and the characters of its field
        for roots in values.samples:
            roots = roots[:1] if values.field.listed else roots
            row = roots[0]
            is_element = len(roots) == 1 and not reader.rows.is_text(row)
            holders.append([] if not is_element else [*_lone_descendants(reader, row), row])
            above.append((reader.rows.parent(row), sum(map(chars, roots))))
        rows = [row for row, _ in above]
        most = MUCH_MORE * sum(own for _, own in above)
        while all(row > reader.start for row in rows) and sum(map(chars, rows)) <= most:
            for chain, row in zip(holders, rows, strict=True):
                chain.append(row)
            rows = [reader.rows.parent(row) for row in rows]
        return holders

    # Heads of tables

    def _head(self, roots: Roots) -> str:
        """Return the head of the table cell that some rows are in."""
        page = self.reader.page
        cell = roots[0]
        while cell > self.reader.start and page.tag[cell] not in CELLS:
            cell = int(page.parent[cell])
        row = int(page.parent[cell])
        table = row
        while table > 0 and page.tag[table] != _TABLE:
            table = int(page.parent[table])
        if table not in self._heads:
            self._heads[table] = self._read_heads(table)
        heads = self._heads[table]
        if not heads:
            return ""
        before = (each for each in _children(self.reader, row) if each < cell and page.tag[each] in CELLS)
        number = sum(_span(self.reader, each) for each in before)
        return _short(heads[number]) if number < len(heads) else ""

    def _read_heads(self, table: int) -> list[str]:
        page = self.reader.page
        row, end = table + 1, int(page.end[table])
        while row < end and page.tag[row] != _TR:
            row += 1
        cells = [cell for cell in _children(self.reader, row) if page.tag[cell] in CELLS] if row < end else []
        if len(cells) < 2 or (page.tag[page.parent[row]] != _THEAD and any(page.tag[cell] != _TH for cell in cells)):
            return []
        return [text for cell in cells for text in [" ".join(page.text(cell).split())] * _span(self.reader, cell)]


def _is_in_cell(field: Field) -> bool:
    place: Field | None = field
    while place is not None and place.key[0] not in CELLS:
        place = place.above
    return place is not None


def _recurring(values: Sequence[Sequence[T]]) -> Iterator[T]:
    """Yield the values that most of some records have, in order."""
    if all(of_record == values[0] for of_record in values):
        yield from filter(None, values[0] if values else ())
        return
    counts = Counter(each for of_record in values for each in set(of_record))
    least = RECURRING * len(values)
    for each in dict.fromkeys(each for of_record in values for each in of_record):
        if each and counts[each] >= least:
            yield each


def _lone_descendants(reader: Reader, row: int) -> list[int]:
    """Return the elements below that are only children, the innermost first."""
    descendants: list[int] = []
    while True:
        inside = [child for child in reader.rows.children(row) if reader.rows.shows(child)]
        if len(inside) != 1 or reader.rows.is_text(inside[0]):
            return descendants[::-1]
        row = inside[0]
        descendants.append(row)


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
    return text if len(text) <= MAX_NAME and _NAMES.search(text) else ""


def _property(value: str) -> str:
    match = _PROPERTY.match(value)
    return match[1] if match else ""


@lru_cache(CACHED_CLASSES)
def _from_class(name: str) -> str:
    """Return the name in a class: its words that say what an element is; empty if there is none."""
    for part in (name.rpartition("__")[2].partition("--")[0], name):
        words = [_ALIASES.get(word, word) for word in words_of(part)]
        if telling := list(dict.fromkeys(word for word in words if word in _TELLING)):
            return "_".join(telling[-MAX_WORDS:])
    return ""


def distinct(names: list[str]) -> list[str]:
    """Make names distinct: add a number to each that occurred before."""
    unique: dict[str, str] = {}
    counts: dict[str, int] = {}
    for name in names:
        numbered = name
        while numbered.casefold() in unique:
            counts[name] = counts.get(name, 1) + 1
            numbered = f"{name}_{counts[name]}"
        unique[numbered.casefold()] = numbered
    return list(unique.values())
