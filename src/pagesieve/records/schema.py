"""The schema of a site's list: its columns and their marks; a file that people may edit.

A schema is made from one page, or merged from those of several. Applied to a page, it gives the records of every page
the same columns, and reports what no longer fits.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from pagesieve.errors import BadInput, NothingFound
from pagesieve.records.columns import align
from pagesieve.records.fields import CLASS
from pagesieve.records.names import distinct
from pagesieve.records.results import Column, Item, Items, Mark, Place, path_of
from pagesieve.text.types import Type

if TYPE_CHECKING:
    from pagesieve.page.table import Page
    from pagesieve.records.fields import Reader
    from pagesieve.records.results import Records, Segmentation

VERSION = 1
FORMAT = "pagesieve_schema"  # the key of the version in a file
TYPES: tuple[str, ...] = get_args(Type)
MAX_COLUMNS = 120  # of the pages of a site
MIN_PAGES = 0.5  # of the pages have a field that is a column,
FEW_PAGES = 4  # unless the schema has fewer pages than these
SAME_LIST = 0.5  # of the columns of the shorter schema are in the other: both are of the same list
MIN_KEYS = 0.9  # of the records have a link that identifies them
RECURRING = 0.5  # of the records have a class that is part of their signature

# How well a schema fits a page
FITS = 0.2  # of its columns are in the best region
FITS_OTHER = 0.5  # or in another region
RECORD, REGION = 0.2, 0.1  # added if the records, and the elements around them, are like those of the schema

# The likeness of two marks: from ALIKE on they are of the same field.
ALIKE = 0.6
PATH, VALUE_TYPE, LENGTH, NAME = 0.6, 0.15, 0.1, 0.15  # the most that each adds
SAME_LABEL, ONE_LABEL = 0.3, -0.1
SAME_PROPERTY, OTHER_PROPERTY = 0.2, -0.3
SAME_NUMBER = 0.1
SAME_PLACE = 2.0  # if place, type and label are the same: more than all others together
NUMERIC = frozenset(("number", "count", "rating", "price"))
WORDED = frozenset(("text", "link"))
CACHED_PATHS = 1 << 14  # pairs of paths, and of steps
MAX_COMPARED = 200  # fields of a page; lists have 10 to 80


@dataclass(frozen=True, slots=True)
class SchemaColumn:
    """A column of a schema: its name and type, and the mark of its field."""

    name: str
    type: Type
    mark: Mark
    listed: bool = False  # a record may have several items there
    link: str | None = None  # the name under which it gives its links
    keep: bool = True  # else its field is recognised and left out
    pages: int = 1  # that have it


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a list that several pages show, and how to find the list on a page."""

    columns: tuple[SchemaColumn, ...]
    region: str = ""  # a selector of the element that holds the list
    record: str = ""  # the element of a record, with the classes that recur
    key: str | None = None  # the column, or the name of its links, that identifies a record; else all values do
    pages: int = 1  # that it is made from

    @classmethod
    def of(cls, records: Records) -> Schema:
        """Return the schema of the records of one page."""
        links = records.link_names
        columns = tuple(
            SchemaColumn(column.name, column.type, mark, column.listed, links.get(column.name))
            for column, mark in zip(records.columns, records.table.marks, strict=True)
        )
        record = signature(records.reader, records.segmentation.records)
        return cls(columns, path_of(records.region), record, _key(records.table.records, links))

    @classmethod
    def load(cls, path: str | Path) -> Schema:
        """Read a schema from a file. Raises BadInput with a reason in one line if it is not a schema."""
        try:
            text = Path(path).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            raise BadInput(f"{path}: {reason or 'not a schema: not text in UTF-8'}") from error
        try:
            return cls.from_json(text)
        except BadInput as error:
            raise BadInput(f"{path}: {error}") from error

    def save(self, path: str | Path) -> None:
        """Write the schema to a file, as JSON with a line for each column."""
        try:
            Path(path).write_text(self.to_json(), "utf-8")
        except OSError as error:
            raise BadInput(f"{path}: cannot be written: {error.strerror or error}") from error

    @classmethod
    def from_json(cls, text: str) -> Schema:
        """Read a schema. Raises BadInput if it is not one."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadInput(f"not a schema: not JSON ({error})".replace("\n", " ")) from error
        return _schema(value)

    def to_json(self) -> str:
        """Return the schema as JSON, with a line for each column."""
        head = {FORMAT: VERSION, "region": self.region, "record": self.record, "key": self.key, "pages": self.pages}
        lines = [f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items()]
        columns = ",\n".join(f"    {json.dumps(_as_dict(column), ensure_ascii=False)}" for column in self.columns)
        lines.append('  "columns": [\n' + columns + "\n  ]")
        return "{\n" + ",\n".join(lines) + "\n}\n"

    @property
    def selected(self) -> tuple[SchemaColumn, ...]:
        """The columns that are not left out."""
        return tuple(column for column in self.columns if column.keep)

    @property
    def header(self) -> list[str]:
        """The names of a row's values, in order: each column, and its links."""
        return [name for column in self.selected for name in (column.name, column.link) if name is not None]

    @property
    def link_names(self) -> dict[str, str]:
        """The names of the links of columns, by the names of the columns."""
        return {column.name: column.link for column in self.selected if column.link is not None}

    def common(self) -> Schema:
        """Return the schema with the columns that most of its pages have; all columns if there are few pages."""
        if self.pages < FEW_PAGES:
            return self
        columns = tuple(column for column in self.columns if column.pages >= MIN_PAGES * self.pages)
        named = {name for column in columns for name in (column.name, column.link)}
        return replace(self, columns=columns, key=self.key if self.key in named else None)

    def shows_list_of(self, other: Schema) -> bool:
        """Whether two schemas seem to be of the same list."""
        fewest = min(len(self.columns), len(other.columns))
        pairs = match(self._marks, other._marks)
        same = self.record == other.record
        return fewest > 0 and len(pairs) >= (SAME_LIST if same else (1 + SAME_LIST) / 2) * fewest

    def merged(self, other: Schema) -> Schema:
        """Return the schema of the pages of both: alike fields are one column, with the name in this schema."""
        pairs = match(self._marks, other._marks)
        columns = [
            _joined(column, other.columns[pairs[k]]) if k in pairs else column for k, column in enumerate(self.columns)
        ]
        own_of = {theirs: own for own, theirs in pairs.items()}
        order = list(range(len(self.columns)))
        at = 0  # the place of the next new column: after the one that it follows on its page
        for number, column in enumerate(other.columns):
            if number in own_of:
                at = order.index(own_of[number]) + 1
            elif len(columns) < MAX_COLUMNS:
                order.insert(at, len(columns))
                at += 1
                columns.append(column)
        renamed = _renamed([columns[k] for k in order], [k < len(self.columns) for k in order])
        key = self.key if self.key is not None and other.key in _keys_of(other, pairs, self) else None
        return replace(self, columns=tuple(renamed), key=key, pages=self.pages + other.pages)

    @property
    def _marks(self) -> tuple[Mark, ...]:
        return tuple(column.mark for column in self.columns)


def merge(schemas: Iterable[Schema]) -> Schema:
    """Return one schema of several of the same list. Raises BadInput if there are none."""
    remaining = iter(schemas)
    first = next(remaining, None)
    if first is None:
        raise BadInput("a schema is made of pages, and there are none")
    return reduce(Schema.merged, remaining, first)


def signature(reader: Reader, records: Sequence[tuple[int, ...]]) -> str:
    """Return the element that most records begin with, and the classes that many of these elements have."""
    rows = [roots[0] for roots in records if roots]
    names = Counter(reader.page.tag_name(row) for row in rows)
    classes = Counter(name for row in rows for name in set(reader.rows.classes(row)))
    recurring = sorted(name for name, count in classes.items() if count >= RECURRING * len(rows))
    return CLASS.join([*(name for name, _ in names.most_common(1)), *recurring])


def _key(records: Sequence[Sequence[Item]], links: Mapping[str, str]) -> str | None:
    """Return the name of the first links that identify all records."""
    for column, name in links.items():
        addresses = [item.link for items in records for item in items if item.name == column and item.link]
        if len(set(addresses)) == len(addresses) >= MIN_KEYS * len(records) > 1:
            return name
    return None


def _joined(column: SchemaColumn, other: SchemaColumn) -> SchemaColumn:
    """Return one column for two that are the same field."""
    listed, link = column.listed or other.listed, column.link or other.link
    return replace(column, listed=listed, link=link, pages=column.pages + other.pages)


def _renamed(columns: list[SchemaColumn], is_old: list[bool]) -> list[SchemaColumn]:
    """Return columns with distinct names; old ones keep theirs."""
    order = sorted(range(len(columns)), key=lambda k: not is_old[k])
    names = distinct([columns[k].name for k in order])
    named = {k: replace(columns[k], name=name) for k, name in zip(order, names, strict=True)}
    taken = {name.casefold() for name in names}
    for k in order:
        link = named[k].link
        if link is not None and link.casefold() in taken:
            link = distinct([*taken, f"{named[k].name}_link"])[-1]
        if link is not None:
            taken.add(link.casefold())
        named[k] = replace(named[k], link=link)
    return [named[k] for k in range(len(columns))]


def _keys_of(other: Schema, pairs: dict[int, int], own: Schema) -> set[str | None]:
    """Return the names in another schema of the column, or of the links, that identify records in this one."""
    for number, column in enumerate(own.columns):
        if number in pairs and own.key in (column.name, column.link):
            theirs = other.columns[pairs[number]]
            return {theirs.link if own.key == column.link else theirs.name}
    return set()


# The likeness of marks


def likeness(one: Mark, other: Mark) -> float:
    """Return the likeness of two marks: from ALIKE on they are of the same field, from SAME_PLACE on certainly."""
    if one.label and other.label and one.label.casefold() != other.label.casefold():
        return 0.0
    points = PATH * path_likeness(one.place.path, other.place.path)
    points += VALUE_TYPE * _alike_types(one.type, other.type)
    points += LENGTH * _alike_lengths(one.length, other.length)
    points += NAME * (one.name == other.name and not one.name.startswith(one.type))
    if one.label or other.label:
        points += SAME_LABEL if one.label and other.label else ONE_LABEL
    if one.itemprop and other.itemprop:
        points += SAME_PROPERTY if one.itemprop == other.itemprop else OTHER_PROPERTY
    points += SAME_NUMBER * (one.place.number == other.place.number)
    return points + SAME_PLACE * (one.identity == other.identity)


def _alike_types(one: Type, other: Type) -> float:
    if one == other:
        return 1.0
    return 0.5 if {one, other} <= NUMERIC or {one, other} <= WORDED else 0.0


def _alike_lengths(one: int, other: int) -> float:
    """Return 1 for the same length, and 0 if one is four times the other."""
    return max(0.0, 1.0 - abs(log2((one + 1) / (other + 1))) / 2)


@lru_cache(CACHED_PATHS)
def path_likeness(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """Return the likeness of two paths, from 0 to 1: the share of steps that are alike, in the same order."""
    if one == other:
        return 1.0
    above = [0.0] * (len(other) + 1)
    for step in one:
        row = [0.0]
        for k, against in enumerate(other):
            row.append(max(above[k] + step_likeness(step, against), above[k + 1], row[k]))
        above = row
    return 2 * above[-1] / (len(one) + len(other))


@lru_cache(CACHED_PATHS)
def step_likeness(one: str, other: str) -> float:
    """Return the likeness of two steps, from 0 to 1: by element and classes."""
    if one == other:
        return 1.0
    (tag, *own), (other_tag, *others) = one.split(CLASS), other.split(CLASS)
    shared = len({*own} & {*others}) / len({*own} | {*others}) if own or others else 0.0
    if tag.partition("[")[0] == other_tag.partition("[")[0]:
        return 0.5 + 0.5 * shared if tag == other_tag else 0.5
    return 0.5 * shared


def match(marks: Sequence[Mark], others: Sequence[Mark]) -> dict[int, int]:
    """Map marks to others by number: the pairs that are most alike first, each mark once."""
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, own, other in alike_pairs(marks, others):
        if own not in pairs and other not in taken:
            pairs[own] = other
            taken.add(other)
    return pairs


def alike_pairs(marks: Sequence[Mark], others: Sequence[Mark]) -> list[tuple[float, int, int]]:
    """Return the likeness and the numbers of pairs of marks that are alike, the most alike first.

    Equal marks are found by a look-up. The number of other marks that are compared is limited, for hostile pages.
    """
    at = {other.identity: n for n, other in enumerate(others)}
    same = {k: at[mark.identity] for k, mark in enumerate(marks) if mark.identity in at}
    pairs = [(likeness(marks[k], others[n]), k, n) for k, n in same.items()]
    for k in [k for k in range(len(marks)) if k not in same][:MAX_COMPARED]:
        for n, other in enumerate(others[:MAX_COMPARED]):
            if (points := likeness(marks[k], other)) >= ALIKE:
                pairs.append((points, k, n))
    # Among equally alike pairs, those come first whose marks are at nearly the same place on their pages.
    return sorted(pairs, key=lambda pair: (-pair[0], abs(pair[1] - pair[2]), pair[1]))


# Applying a schema


@dataclass(frozen=True, slots=True)
class Fitted:
    """The table of some records in the columns of a schema."""

    items: Items
    missing: tuple[str, ...]  # columns that the page does not have
    unknown: tuple[str, ...]  # columns of the page that the schema does not have

    @property
    def drift(self) -> tuple[str, ...]:
        """What no longer fits, in words."""
        parts = (("columns not found", self.missing), ("fields not in the schema", self.unknown))
        return tuple(f"{part}: {', '.join(names)}" for part, names in parts if names)


def fit(page: Page, segmentation: Segmentation, schema: Schema) -> Fitted:
    """Return the items of the records of a region in the columns of a schema."""
    table = align(page, segmentation, {column.mark.place for column in schema.columns})
    matches = _matching_columns(table, schema)
    rows = tuple(_row(items, matches) for items in table.records)
    others = tuple(
        (*rest, *_unmatched(items, row)) for items, row, rest in zip(table.records, rows, table.others, strict=True)
    )
    names = {column.name for column in matches.values()}
    columns = tuple(Column(column.name, column.type, column.listed) for column in schema.selected)
    marks = tuple(column.mark for column in schema.selected)
    return Fitted(
        Items(columns, rows, marks, others),
        tuple(column.name for column in schema.selected if column.name not in names),
        tuple(column.name for column in table.columns if column.name not in matches),
    )


def _matching_columns(table: Items, schema: Schema) -> dict[str, SchemaColumn]:
    """Map the names of columns of a page to columns of a schema; several to one if no record has both."""
    at: dict[str, set[int]] = {column.name: set() for column in table.columns}
    for number, items in enumerate(table.records):
        for item in items:
            at[item.name].add(number)
    names: dict[str, SchemaColumn] = {}
    records: dict[int, set[int]] = {}  # that have an item, by the number of the schema's column
    for _, own, number in alike_pairs(table.marks, [column.mark for column in schema.columns]):
        name = table.columns[own].name
        if name not in names and records.get(number, set()).isdisjoint(at[name]):
            names[name] = schema.columns[number]
            records[number] = records.get(number, set()) | at[name]
    return names


def _row(items: Sequence[Item], columns: dict[str, SchemaColumn]) -> tuple[Item, ...]:
    """Return the items of a record that are in columns of the schema; only the first unless the column is listed."""
    row: list[Item] = []
    taken: set[str] = set()
    for item in items:
        column = columns.get(item.name)
        if column is not None and column.keep and (column.listed or column.name not in taken):
            taken.add(column.name)
            row.append(item._replace(name=column.name, type=column.type))
    return tuple(row)


def _unmatched(items: Sequence[Item], row: Sequence[Item]) -> Sequence[Item]:
    """Return the items of a record that are in no column of the schema."""
    taken = {(item.rows, item.text) for item in row}
    return [item for item in items if (item.rows, item.text) not in taken]


def apply(records: Records, schemas: Sequence[Schema]) -> Records:
    """Return the records of the region that fits one of some schemas best, in the columns of that schema.

    Raises NothingFound if no region of the page fits any.
    """
    best: tuple[float, Records, Schema] | None = None
    for region in records.regions:
        least = FITS if region.number == records.number else FITS_OTHER
        for schema in schemas:
            points = _points(region, schema, least)
            if points > (best[0] if best else 0.0):
                best = points, region, schema
        if best is not None and best[0] >= FITS_OTHER:
            break
    if best is None:
        raise NothingFound("the schema fits no list of this page")
    _, region, schema = best
    return replace(region, applied=schema)


def _points(region: Records, schema: Schema, least: float) -> float:
    """Return how well a region fits a schema; 0 if it has less than the least share of the columns."""
    pairs = match(region.table.marks, [column.mark for column in schema.columns])
    total = sum(column.pages for column in schema.columns)
    share = sum(schema.columns[number].pages for number in pairs.values()) / total
    if share < least:
        return 0.0
    alike = step_likeness(signature(region.reader, region.segmentation.records), schema.record)
    around = path_likeness(tuple(path_of(region.region).split(" > ")), tuple(schema.region.split(" > ")))
    return share + RECORD * alike + REGION * around


# JSON

_HEAD = {"region": str, "record": str, "key": str | None, "pages": int}
_FIELD = {"path": list, "number": int, "name": str, "type": str, "label": str, "itemprop": str, "length": int}
_COLUMN = {"name": str, "type": str, "listed": bool, "link": str | None, "keep": bool, "pages": int, "field": dict}


def _as_dict(column: SchemaColumn) -> dict[str, Any]:
    mark = column.mark
    field = {"path": list(mark.place.path), "number": mark.place.number, "name": mark.name, "type": mark.type}
    field |= {"label": mark.label, "itemprop": mark.itemprop, "length": mark.length}
    return {name: getattr(column, name) for name in _COLUMN if name != "field"} | {"field": field}


def _schema(value: Any) -> Schema:
    if not isinstance(value, dict) or FORMAT not in value:
        raise BadInput(f"not a schema: it has no {FORMAT!r}")
    if value[FORMAT] != VERSION:
        raise BadInput(f"a schema of version {value[FORMAT]!r:.20}, and this is for version {VERSION}")
    columns = value.get("columns")
    if not isinstance(columns, list) or not columns:
        raise BadInput("a schema without columns")
    head = {name: entry for name, entry in value.items() if name not in (FORMAT, "columns")}
    schema = Schema(tuple(map(_column, columns)), **_checked(head, _HEAD, "the schema"))
    names = [name.casefold() for column in schema.columns for name in (column.name, column.link) if name is not None]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise BadInput(f"two columns of one name: {twice}")
    if not schema.selected:
        raise BadInput("a schema that keeps no column")
    if schema.key is not None and schema.key not in schema.header:
        raise BadInput(f"the key {schema.key!r} is no column of the schema")
    return schema


def _column(value: Any) -> SchemaColumn:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str) or not value["name"].strip():
        raise BadInput("a column without a name")
    where = f"column {value['name']!r}"
    entries = {name: entry for name, entry in _checked(value, _COLUMN, where).items() if name != "field"}
    field = _checked(value.get("field", {}), _FIELD, f"the field of {where}")
    path = field.get("path")
    if path is None or not all(isinstance(step, str) for step in path):
        raise BadInput(f"the field of {where} has no path of texts")
    entries.setdefault("type", field.get("type", "text"))
    mark = {"name": entries["name"], "type": entries["type"]} | field
    for type in (entries["type"], mark["type"]):
        if type not in TYPES:
            raise BadInput(f"{where} has an unknown type {type!r}; there are {', '.join(TYPES)}")
    place = Place(tuple(path), mark.pop("number", 1))
    del mark["path"]
    return SchemaColumn(mark=Mark(place, **mark), **entries)


def _checked(value: Any, types: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return a value if it is a dict without unknown names whose values have the right types."""
    if not isinstance(value, dict):
        raise BadInput(f"{where} is no object")
    for name, each in value.items():
        if name not in types:
            raise BadInput(f"{where} has an unknown entry {name!r}; there are {', '.join(types)}")
        least = 1 if name == "pages" else 0
        if not isinstance(each, types[name]) or (types[name] is int and (isinstance(each, bool) or each < least)):
            raise BadInput(f"{where} has a bad {name}: {each!r:.40}")
    return value
