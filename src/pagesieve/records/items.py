"""Items: what the records of a region hold, laid under each other as the columns of a table.

A field (see pagesieve.records.fields) whose text, look or link differs between records is dynamic: a column. One that
stays the same in all of them is static, a button or a label, and is dropped. The names of columns are taken from the
page: table heads, `itemprop`, labels, classes; else from the element.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property, lru_cache
from operator import attrgetter

from pagesieve.page.kernel.tags import TAG_ID, tag_ids
from pagesieve.page.table import Page
from pagesieve.records.fields import CELLS, LABEL_ENDS, Field, Roots, find_fields, label_above, label_of
from pagesieve.records.marks import LABEL_SIGNS, Mark, Place, itemprop_of, places_of, typical_length
from pagesieve.records.reading import Reader
from pagesieve.records.results import Column, Item, Items, Segmentation, Type
from pagesieve.records.values import type_of

FEW = 3  # records: fewer cannot tell what stays the same
LINKED = 0.5  # of a column's items are links: it is a column of links
LONGEST_PURPOSE = 20  # characters of what a link is for, such as "Report"
RARE = 0.5  # of the records have a field
LONG_TITLE = 8  # characters of a title, on average at least
NAMING = ("price", "date", "image")  # types that are a name, where the page has none

BUTTONS = tag_ids("button option select textarea")
_IMG = TAG_ID["img"]
_PARTING = frozenset("-–—|·•,;:/")
_AROUND = re.compile(r"^(?:[-–—|·•,;:/]\s+)+|(?:\s+[-–—|·•,;/])+\s*$")  # what parts a text from the next
_SIGNS = frozenset(" |,.·•‧・-–—/\\:;()[]{}<>»«›‹…*+&~_\"'")


def align(page: Page, segmentation: Segmentation, known: Collection[Place] = ()) -> Items:
    """Return the items of the records of a region, aligned in columns.

    Fields at `known` places are columns even where they say the same in all records.
    """
    records = segmentation.records
    reader = Reader.of(page, records)
    found = _joined(find_fields(reader, records), len(records))
    fields = [
        _Filled(reader, each, place, place in known) for each, place in zip(found, places_of(page, found), strict=True)
    ]
    kept = _dynamic(fields, len(records))
    return _table(reader, kept, records)


class _Filled:
    """A field with its texts and links: one of each an item."""

    def __init__(self, reader: Reader, field: Field, place: Place, known: bool) -> None:
        self.reader, self.field, self.place, self.known = reader, field, place, known
        self.at, self.rows = field.at, field.roots
        if field.listed:
            self.at = [record for record, roots in zip(field.at, field.roots, strict=True) for _ in roots]
            self.rows = [(row,) for roots in field.roots for row in roots]
        self.texts = list(map(_without_signs, reader.rows.texts_of(self.rows, field.between)))
        self.label = label = _common_label(self.texts)  # taken off what it stands before
        if label:
            self.texts = [text[len(label) :].lstrip() for text in self.texts]
        self.wordings = set(self.texts)

    @cached_property
    def links(self) -> list[str | None]:
        """The address that each item links to, or of an image its own."""
        if self.is_image:
            return [self.reader.image(self.image_row(rows)) for rows in self.rows]
        return list(map(self.reader.link, self.rows))

    @property
    def is_image(self) -> bool:
        """Whether it has no text."""
        return self.wordings == {""}

    def image_row(self, rows: Roots) -> int:
        """Return the row of the image among some rows."""
        return next(
            (row for row in range(rows[0], self.reader.rows.end(rows[-1])) if self.reader.rows.tag(row) == _IMG),
            rows[0],
        )

    @property
    def is_shown(self) -> bool:
        """Whether a browser shows any of it."""
        return any(self.reader.is_shown(row) for rows in self.rows for row in rows)

    @property
    def is_label(self) -> bool:
        """Whether it is only a label of what comes next."""
        return len(self.wordings) == 1 and self.texts[0].endswith(LABEL_ENDS)

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing: punctuation between other fields, or images without an address."""
        if self.is_image:
            return not any(self.links)
        return len(self.wordings) == 1 and not set(self.texts[0]) - _SIGNS

    def is_static(self, records: int) -> bool:
        """Whether it is there in all records and stays the same in text, look and link."""
        if len(self.wordings) > 1 or self.field.listed:
            return False
        if self.field.glue or self._is_button or self.texts[0].rstrip(" :：") == (label_above(self.field) or None):
            return True  # a button, or the label of the row that it is in
        if len(self.texts) < records or len(set(self.links)) > 1:
            return False
        return len({self.reader.look(rows[0]) for rows in self.rows}) == 1

    @property
    def _is_button(self) -> bool:
        return any(self.reader.rows.tag(row) in BUTTONS for row in self.rows[0]) or self.field.key[0] in BUTTONS


def _without_signs(text: str) -> str:
    """Return a text without the signs at its ends that part it from the next; few have any."""
    return _AROUND.sub("", text) if text and (text[0] in _PARTING or text[-1] in _PARTING) else text


def _joined(fields: list[Field], records: int) -> list[Field]:
    """Join fields that are alike and that no record has both of."""
    found: list[Field] = []
    open_fields: dict[object, tuple[Field, set[int]]] = {}
    for each in fields:
        alike = _alike(each, records)
        known = open_fields.get(alike)
        if alike is not None and known is not None and known[1].isdisjoint(each.at):
            _join(known[0], each)
            known[1].update(each.at)
        else:
            open_fields[alike] = each, set(each.at)
            found.append(each)
    return found


def _alike(field: Field, records: int) -> object:
    """Return the key by which fields are alike: element and classes; of rare ones without, the elements around them."""
    if field.listed:
        return None
    if field.key[1] or field.key[0] == _IMG:
        return field.key
    if len(field.at) > RARE * records or field.above is None or field.above.above is None:
        return None
    return field.key, field.above.key[0], field.above.above.key[0]


def _join(into: Field, other: Field) -> None:
    pairs = sorted((*zip(into.at, into.roots, strict=True), *zip(other.at, other.roots, strict=True)))
    into.at, into.roots = [record for record, _ in pairs], [roots for _, roots in pairs]


def _dynamic(fields: list[_Filled], records: int) -> list[_Filled]:
    """Return the fields that change; all of them where the records are too few to tell, or all the same."""
    spoken = [each for each in fields if not each.is_empty]
    if records < FEW:
        return _without_copies(spoken)
    kept = []
    label = ""
    for each in spoken:
        static = not each.known and (each.is_label or each.is_static(records))
        if not static:
            each.label = each.label or label
            kept.append(each)
        label = each.texts[0] if static and (each.is_label or each.field.glue) else ""
    return _without_copies(kept or spoken)


def _without_copies(fields: list[_Filled]) -> list[_Filled]:
    """Drop fields that say in every record what another one says, as on pages written for several screens.

    The one that is shown stays, or else the first.
    """
    said: set[tuple[int, str, str | None]] = set()
    kept = set()
    for number, each in sorted(enumerate(fields), key=lambda pair: not pair[1].is_shown):
        told = set(zip(each.at, each.texts, each.links, strict=True))
        if told <= said and not each.known:
            continue
        said |= told
        said.update((record, text, None) for record, text in zip(each.at, each.texts, strict=True))
        kept.add(number)
    return [each for number, each in enumerate(fields) if number in kept]


def _table(reader: Reader, fields: list[_Filled], records: tuple[Roots, ...]) -> Items:
    types = [_type(each) for each in fields]
    names = _names(reader, fields, types, len(records))
    items: list[list[Item]] = [[] for _ in records]
    for each, name, type in zip(fields, names, types, strict=True):
        for record, text, rows, link in zip(each.at, each.texts, each.rows, each.links, strict=True):
            if type == "image":
                rows = (each.image_row(rows),)
                text = (reader.page.attribute(rows[0], "alt") or "").strip()
            elif not text:  # an image where others have words
                continue
            if each.label:
                text = f"{each.label} {text}"
            items[record].append(Item(name, type, text, link, rows, each.label))
    columns = (Column(name, type, each.field.listed) for each, name, type in zip(fields, names, types, strict=True))
    ordered = tuple(tuple(sorted(each, key=attrgetter("rows"))) for each in items)
    return Items(tuple(columns), ordered, tuple(map(_mark, fields, names, types)))


def _mark(field: _Filled, name: str, type: Type) -> Mark:
    label = (field.label or label_above(field.field)).strip(LABEL_SIGNS)
    itemprop = itemprop_of(field.reader.page, field.field)
    return Mark(field.place, name, type, label, itemprop, typical_length(field.texts))


def _type(field: _Filled) -> Type:
    if field.is_image:
        return "image"
    found = type_of(field.texts)
    linked = len(field.links) - field.links.count(None)
    return "link" if found == "text" and linked > LINKED * len(field.links) else found


def _names(reader: Reader, fields: list[_Filled], types: list[Type], records: int) -> list[str]:
    namer = Namer(reader)
    names = [namer.name(each.field, each.label) for each in fields]
    for number, (each, type) in enumerate(zip(fields, types, strict=True)):
        if not names[number]:
            title = "title" not in names and type == "link" and _is_title(each, records)
            plain = type if type in NAMING else _short_constant(each.texts)
            names[number] = "title" if title else plain or namer.vague_name(each.field, each.label) or type
    return distinct(names)


def _short_constant(texts: list[str]) -> str:
    """Return the text of a column that is always the same, such as the purpose of its links; no number."""
    text = texts[0] if len(texts) > 1 == len(set(texts)) else ""
    return text if len(text) <= LONGEST_PURPOSE and not any(map(str.isdigit, text)) else ""


def _is_title(field: _Filled, records: int) -> bool:
    """Whether a column of links could be the titles of the records."""
    texts = field.texts
    return len(texts) >= LINKED * records and sum(map(len, texts)) >= LONG_TITLE * len(texts)


def _common_label(texts: list[str]) -> str:
    """Return the label that all texts begin with, if each goes on after it."""
    label = label_of(texts[0]) if texts else ""
    return label if label and all(text.startswith(label) and len(text) > len(label) for text in texts) else ""


# Names of columns

LONGEST_NAME = 32  # characters
MOST_WORDS = 3  # of a class that go into a name
LEAST_LETTERS = 3  # of a word
MOST_CLASSES = 4096  # that are remembered, with what they say
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
            or self._by_class(rows, vague=False)
            or self._by_element(rows)
        )

    def vague_name(self, field: Field, before: str) -> str:
        """Return a name from the classes of a field, or else the word before it."""
        return self._by_class(self._rows(field), vague=True) or _short(before)

    def _by_class(self, rows: Iterable[int], vague: bool) -> str:
        names = (_from_class(name, vague) for row in rows for name in self.reader.rows.classes(row))
        return next(filter(None, names), "")

    def _rows(self, field: Field) -> Iterator[int]:
        """Return the elements that hold a field and little else, from the inside out."""
        reader, roots = self.reader, field.roots[0]
        roots = roots[:1] if field.listed else roots
        row, most = roots[0], MUCH_MORE * sum(int(reader.page.text_chars[root]) for root in roots)
        if reader.rows.is_text(row) or len(roots) > 1:
            row = reader.rows.parent(row)
        else:
            yield from _lone_descendants(reader, row)
        while row > reader.start and reader.page.text_chars[row] <= most:
            yield row
            row = reader.rows.parent(row)

    def _property(self, rows: Iterable[int]) -> str:
        for row in rows:
            value = self.reader.page.attribute(row, "itemprop")
            if value and (found := _PROPERTY.match(value)):
                return found[0]
        return ""

    def _by_element(self, rows: Iterable[int]) -> str:
        for row in rows:
            tag = self.reader.rows.tag(row)
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
        row = self.reader.rows.parent(cell)
        table = row
        while table > 0 and self.reader.page.tag[table] != _TABLE:
            table = int(self.reader.page.parent[table])
        if table not in self._heads:
            self._heads[table] = self._read_heads(table)
        heads = self._heads[table]
        before = (each for each in _children(self.reader, row) if each < cell and self.reader.page.tag[each] in CELLS)
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


def _lone_descendants(reader: Reader, row: int) -> list[int]:
    """Return the elements below that are only children, the innermost first."""
    found: list[int] = []
    while True:
        inside = [child for child in reader.rows.children(row) if reader.rows.says(child)]
        if len(inside) != 1 or reader.rows.is_text(inside[0]):
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


@lru_cache(MOST_CLASSES)
def _from_class(name: str, vague: bool) -> str:
    """Return what a class says an element is, in vague words too where asked; empty where it says how it looks."""
    tells = _tells if vague else _TELLING.__contains__
    for part in (name.rpartition("__")[2].partition("--")[0], name):
        words = [word.lower() for word in _PARTS.findall(part)]
        if any(tells(word) for word in words):
            return "_".join([word for word in words if _tells(word) or tells(word)][-MOST_WORDS:])
    return ""


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
