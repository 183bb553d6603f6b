"""Items: what the records of a region hold, laid under each other as the columns of a table.

A field (see pagesieve.records.fields) whose text, look or link differs between records is dynamic: a column. One that
stays the same in all of them is static, a button or a label, and is dropped; a label gives its column the name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from pagesieve.page.kernel.tags import TAG_ID, tag_ids
from pagesieve.page.table import Page
from pagesieve.records.fields import LABEL_ENDS, Field, Roots, find_fields, label_above, label_of
from pagesieve.records.names import Namer, distinct
from pagesieve.records.reading import Reader
from pagesieve.records.results import Column, Item, Items, Segmentation, Type
from pagesieve.text.values import type_of

FEW = 3  # records: fewer cannot tell what stays the same
LINKED = 0.5  # of a column's items are links: it is a column of links
LONGEST_PURPOSE = 20  # characters of what a link is for, such as "Report"
RARE = 0.5  # of the records have a field
LONG_TITLE = 8  # characters of a title, on average at least
NAMING = ("price", "date", "image")  # types that are a name, where the page has none

BUTTONS = tag_ids("button option select textarea")
_IMG = TAG_ID["img"]
_AROUND = re.compile(r"^(?:[-–—|·•,;:/]\s+)+|(?:\s+[-–—|·•,;/])+\s*$")  # what parts a text from the next
_SIGNS = frozenset(" |,.·•‧・-–—/\\:;()[]{}<>»«›‹…*+&~_\"'")


def align(page: Page, segmentation: Segmentation) -> Items:
    """Return the items of the records of a region, aligned in columns."""
    records = segmentation.records
    reader = Reader.of(page, records)
    fields = [_Filled(reader, each) for each in _joined(find_fields(reader, records), len(records))]
    kept = _dynamic(fields, len(records))
    return _table(reader, kept, records)


@dataclass(eq=False)
class _Filled:
    """A field with its texts and links."""

    reader: Reader
    field: Field

    def __post_init__(self) -> None:
        reader, found = self.reader, self.field
        self.label = ""  # what stands before every text
        self.parts: list[tuple[int, str, Roots]] = []  # record, text, rows: one an item
        for record, roots in zip(found.at, found.roots, strict=True):
            for rows in ((row,) for row in roots) if found.listed else (roots,):
                text = _AROUND.sub("", reader.text(rows, found.between))
                self.parts.append((record, text, rows))
        self._part_with_label()

    def _part_with_label(self) -> None:
        """Take off a label that every text begins with."""
        label = _common_label(self.texts)
        if label:
            self.label = label
            self.parts = [(record, text[len(label) :].lstrip(), rows) for record, text, rows in self.parts]

    @property
    def texts(self) -> list[str]:
        return [text for _, text, _ in self.parts]

    @cached_property
    def links(self) -> list[str | None]:
        """The address that each item links to, or of an image its own."""
        if self.is_image:
            return [self.reader.image(self.image_row(rows)) for _, _, rows in self.parts]
        return [self.reader.link(rows, self.reader.start) for _, _, rows in self.parts]

    @cached_property
    def is_image(self) -> bool:
        return not any(self.texts)

    def image_row(self, rows: Roots) -> int:
        """Return the row of the image among some rows."""
        return next((row for row in range(rows[0], self.reader.end(rows[-1])) if self.reader.tag(row) == _IMG), rows[0])

    @property
    def is_shown(self) -> bool:
        """Whether a browser shows any of it."""
        return any(self.reader.is_shown(row) for _, _, rows in self.parts for row in rows)

    @property
    def is_label(self) -> bool:
        """Whether it is only a label of what comes next."""
        return len(set(self.texts)) == 1 and self.texts[0].endswith(LABEL_ENDS)

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing: punctuation between other fields, or images without an address."""
        if self.is_image:
            return not any(self.links)
        return len(set(self.texts)) == 1 and not set(self.texts[0]) - _SIGNS

    def is_static(self, records: int) -> bool:
        """Whether it is there in all records and stays the same in text, look and link."""
        if len(set(self.texts)) > 1 or self.field.listed:
            return False
        if self.field.glue or self._is_button or self._is_term:
            return True
        if len(self.parts) < records or len(set(self.links)) > 1:
            return False
        return len({self.reader.look(rows[0]) for _, _, rows in self.parts}) == 1

    @property
    def _is_term(self) -> bool:
        """Whether it is the label of the row that it is in."""
        label = label_above(self.field)
        return bool(label) and self.texts[0].rstrip(" :：") == label

    @property
    def _is_button(self) -> bool:
        return any(self.reader.tag(row) in BUTTONS for row in self.parts[0][2]) or self.field.key[0] in BUTTONS


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
        static = each.is_label or each.is_static(records)
        if not static:
            each.label = each.label or label
            kept.append(each)
        label = each.texts[0] if static and (each.is_label or each.field.glue) else ""
    return _without_copies(kept or spoken)


def _without_copies(fields: list[_Filled]) -> list[_Filled]:
    """Drop fields that say in every record what another one says, as on pages written for several screens.

    The one that is shown stays, or else the first.
    """
    said: dict[int, set[tuple[str, str | None]]] = {}
    kept = set()
    for number, each in sorted(enumerate(fields), key=lambda pair: not pair[1].is_shown):
        pairs = [(record, (text, link)) for (record, text, _), link in zip(each.parts, each.links, strict=True)]
        if all(pair in said.get(record, ()) for record, pair in pairs):
            continue
        for record, (text, link) in pairs:
            said.setdefault(record, set()).update(((text, link), (text, None)))
        kept.add(number)
    return [each for number, each in enumerate(fields) if number in kept]


def _table(reader: Reader, fields: list[_Filled], records: tuple[Roots, ...]) -> Items:
    types = [_type(each) for each in fields]
    names = _names(reader, fields, types, len(records))
    items: list[list[Item]] = [[] for _ in records]
    for each, name, type in zip(fields, names, types, strict=True):
        for (record, text, rows), link in zip(each.parts, each.links, strict=True):
            if type == "image":
                rows = (each.image_row(rows),)
                text = (reader.page.attribute(rows[0], "alt") or "").strip()
            elif not text:  # an image where others have words
                continue
            items[record].append(Item(name, type, f"{each.label} {text}".lstrip(), link, rows, each.label))
    columns = (Column(name, type, each.field.listed) for each, name, type in zip(fields, names, types, strict=True))
    return Items(tuple(columns), tuple(tuple(sorted(each, key=lambda item: item.rows)) for each in items))


def _type(field: _Filled) -> Type:
    if field.is_image:
        return "image"
    found = type_of(field.texts)
    linked = sum(link is not None for link in field.links)
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
