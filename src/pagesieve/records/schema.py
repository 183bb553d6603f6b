"""The schema of a site's list: its columns, and what each is recognised by; a file that people may edit.

A schema is made of one page, and of several by merging those of each. `pagesieve.records.fitting` applies it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from pagesieve.errors import BadInput
from pagesieve.records.marks import CLASS, Mark, Place
from pagesieve.records.matching import match
from pagesieve.records.naming import distinct
from pagesieve.records.results import Item, Type, path_of

if TYPE_CHECKING:
    from pagesieve.records.reading import Reader
    from pagesieve.records.results import Records

VERSION = 1
FORMAT = "pagesieve_schema"  # the key of the version in a file
TYPES: tuple[str, ...] = get_args(Type)
MOST_COLUMNS = 120  # that are kept of the pages of a site
MOST = 0.5  # of the pages have a field: then it is a column,
FEW_PAGES = 4  # or fewer pages than these are known, which cannot tell
SAME_LIST = 0.5  # of the columns of the shorter one are those of the other: two pages show the same list
KEYED = 0.9  # of the records have a link: then it may tell them apart
RECURRING = 0.5  # of the records have a class: then it is one of their signature


@dataclass(frozen=True, slots=True)
class SchemaColumn:
    """A column of a schema: what it is called, and what its field is recognised by."""

    name: str
    type: Type
    mark: Mark
    listed: bool = False  # a record may have several items there
    link: str | None = None  # the name under which it gives its links
    keep: bool = True  # else its field is known, and left out
    pages: int = 1  # that it was seen on


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a list that several pages show, and how the list is found on a page."""

    columns: tuple[SchemaColumn, ...]
    region: str = ""  # a selector of the element that holds the list
    record: str = ""  # the element of a record, with the classes that recur
    key: str | None = None  # the column, or its links, that tells records apart; else all of their values do
    pages: int = 1  # that it was learnt from

    @classmethod
    def of(cls, found: Records) -> Schema:
        """Return the schema of the records of one page."""
        links = found.link_names
        columns = tuple(
            SchemaColumn(column.name, column.type, mark, column.listed, links.get(column.name))
            for column, mark in zip(found.columns, found.table.marks, strict=True)
        )
        record = signature(found.reader, found.segmentation.records)
        return cls(columns, path_of(found.region), record, _key(found.table.records, links))

    @classmethod
    def load(cls, path: str | Path) -> Schema:
        """Read a schema from a file. Raises BadInput where it is none, in one line that says why."""
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
        """Read a schema. Raises BadInput where it is none."""
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
    def kept(self) -> tuple[SchemaColumn, ...]:
        """The columns that are given."""
        return tuple(column for column in self.columns if column.keep)

    @property
    def header(self) -> list[str]:
        """The names of a row's values, in order: each column, and its links."""
        return [name for column in self.kept for name in (column.name, column.link) if name is not None]

    @property
    def link_names(self) -> dict[str, str]:
        """The names under which columns give their links, by the names of the columns."""
        return {column.name: column.link for column in self.kept if column.link is not None}

    def common(self) -> Schema:
        """Return the schema with the columns that most of its pages have; with all while there are few pages."""
        if self.pages < FEW_PAGES:
            return self
        columns = tuple(column for column in self.columns if column.pages >= MOST * self.pages)
        named = {name for column in columns for name in (column.name, column.link)}
        return replace(self, columns=columns, key=self.key if self.key in named else None)

    def shows_list_of(self, other: Schema) -> bool:
        """Whether two schemas seem to be those of the same list."""
        fewest = min(len(self.columns), len(other.columns))
        pairs = match(self._marks, other._marks)
        same = self.record == other.record
        return fewest > 0 and len(pairs) >= (SAME_LIST if same else (1 + SAME_LIST) / 2) * fewest

    def merged(self, other: Schema) -> Schema:
        """Return the schema of the pages of both: fields that are alike are one column, with this one's name."""
        pairs = match(self._marks, other._marks)
        columns = [
            _joined(column, other.columns[pairs[k]]) if k in pairs else column for k, column in enumerate(self.columns)
        ]
        own_of = {theirs: own for own, theirs in pairs.items()}
        order = list(range(len(self.columns)))
        at = 0  # where the next new column goes: behind the one that it follows on its page
        for number, column in enumerate(other.columns):
            if number in own_of:
                at = order.index(own_of[number]) + 1
            elif len(columns) < MOST_COLUMNS:
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
    """Return one schema of several of the same list. Raises BadInput where there are none."""
    found: Schema | None = None
    for schema in schemas:
        found = schema if found is None else found.merged(schema)
    if found is None:
        raise BadInput("a schema is made of pages, and there are none")
    return found


def signature(reader: Reader, records: Sequence[tuple[int, ...]]) -> str:
    """Return the element that most records begin with, and the classes that recur there."""
    rows = [roots[0] for roots in records if roots]
    names = Counter(reader.page.tag_name(row) for row in rows)
    classes = Counter(name for row in rows for name in set(reader.rows.classes(row)))
    recurring = sorted(name for name, count in classes.items() if count >= RECURRING * len(rows))
    return CLASS.join([*(name for name, _ in names.most_common(1)), *recurring])


def _key(records: Sequence[Sequence[Item]], links: Mapping[str, str]) -> str | None:
    """Return the first links that tell all records apart."""
    for column, name in links.items():
        found = [item.link for items in records for item in items if item.name == column and item.link]
        if len(set(found)) == len(found) >= KEYED * len(records) > 1:
            return name
    return None


def _joined(column: SchemaColumn, other: SchemaColumn) -> SchemaColumn:
    """Return a column that was seen on the pages of both."""
    return replace(
        column,
        listed=column.listed or other.listed,
        link=column.link or other.link,
        pages=column.pages + other.pages,
    )


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
    """Return what another schema calls the column, or the links, that this one tells records apart by."""
    for number, column in enumerate(own.columns):
        if number in pairs and own.key in (column.name, column.link):
            theirs = other.columns[pairs[number]]
            return {theirs.link if own.key == column.link else theirs.name}
    return set()


# JSON

_HEAD = {"region": str, "record": str, "key": str | None, "pages": int}
_FIELD = {"path": list, "number": int, "name": str, "type": str, "label": str, "itemprop": str, "length": int}
_COLUMN = {"name": str, "type": str, "listed": bool, "link": str | None, "keep": bool, "pages": int, "field": dict}


def _as_dict(column: SchemaColumn) -> dict[str, Any]:
    mark = column.mark
    field = {"path": list(mark.place.path), "number": mark.place.number, "name": mark.name, "type": mark.type}
    field |= {"label": mark.label, "itemprop": mark.itemprop, "length": mark.length}
    known = {name: getattr(column, name) for name in _COLUMN if name != "field"}
    return known | {"field": field}


def _schema(value: Any) -> Schema:
    if not isinstance(value, dict) or FORMAT not in value:
        raise BadInput(f"not a schema: it has no {FORMAT!r}")
    if value[FORMAT] != VERSION:
        raise BadInput(f"a schema of version {value[FORMAT]!r:.20}, and this is for version {VERSION}")
    given = dict(value)
    del given[FORMAT]
    columns = given.pop("columns", None)
    if not isinstance(columns, list) or not columns:
        raise BadInput("a schema without columns")
    found = Schema(tuple(map(_column, columns)), **_checked(given, _HEAD, "the schema"))
    names = [name.casefold() for column in found.columns for name in (column.name, column.link) if name is not None]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise BadInput(f"two columns of one name: {twice}")
    if not found.kept:
        raise BadInput("a schema that keeps no column")
    if found.key is not None and found.key not in found.header:
        raise BadInput(f"the key {found.key!r} is no column of the schema")
    return found


def _column(value: Any) -> SchemaColumn:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str) or not value["name"].strip():
        raise BadInput("a column without a name")
    where = f"column {value['name']!r}"
    given = _checked(value, _COLUMN, where)
    field = _checked(given.pop("field", {}), _FIELD, f"the field of {where}")
    path = field.pop("path", None)
    if path is None or not all(isinstance(step, str) for step in path):
        raise BadInput(f"the field of {where} has no path of texts")
    given.setdefault("type", field.get("type", "text"))
    field = {"name": given["name"], "type": given["type"]} | field
    for type in (given["type"], field["type"]):
        if type not in TYPES:
            raise BadInput(f"{where} has an unknown type {type!r}; there are {', '.join(TYPES)}")
    place = Place(tuple(path), field.pop("number", 1))
    return SchemaColumn(mark=Mark(place, **field), **given)


def _checked(value: Any, types: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return a dict whose values have the right types, with no unknown names."""
    if not isinstance(value, dict):
        raise BadInput(f"{where} is no object")
    for name, each in value.items():
        if name not in types:
            raise BadInput(f"{where} has an unknown entry {name!r}; there are {', '.join(types)}")
        least = 1 if name == "pages" else 0
        if not isinstance(each, types[name]) or (types[name] is int and (isinstance(each, bool) or each < least)):
            raise BadInput(f"{where} has a bad {name}: {each!r:.40}")
    return value
