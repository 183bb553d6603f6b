"""Records in a table of SQLite or PostgreSQL, which has the types of their columns and each record once.

This module needs SQLAlchemy, and is imported only to write such a table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import sqlalchemy as sa

from pagesieve import databases
from pagesieve.errors import BadInput
from pagesieve.records.names import distinct
from pagesieve.records.outputs import TypedColumn, record_keys, typed_table
from pagesieve.text.urls import masked_url

if TYPE_CHECKING:
    from pagesieve.records.results import Records, Row

KEY, PAGE = "_key", "_page"  # columns of every table: the key of a record, and the page that last had it
CURRENCY = "_currency"  # ends the name of the column with the currencies of prices
MAX_NAME = 63  # bytes; PostgreSQL cuts off the rest
INTEGER_LIMIT = 1 << 63  # integers of a database are smaller
MAX_KEYS = 500  # in one statement

RESULTS = databases.Purpose("database of results", BadInput)
Kind = Literal["text", "number", "integer", "json"]
Values = dict[str, Any]

_TYPES: dict[Kind, sa.types.TypeEngine[Any]] = {
    "text": sa.Text(),
    "number": sa.Float(53),
    "integer": sa.BigInteger(),
    "json": sa.JSON(none_as_null=True),
}
_KINDS: dict[str, Kind] = {"number": "number", "rating": "number", "count": "integer"}


class _Stored(NamedTuple):
    """A column of the database, with a function that returns its value of a row."""

    name: str
    kind: Kind
    read: Callable[[Row], Any]


class DatabaseTable:
    """A table for the records of pages. The first page creates it, and later pages may add columns."""

    def __init__(self, path_or_url: str, table: str) -> None:
        self.name = masked_url(path_or_url)
        if not table.strip() or len(table.encode("utf-8", "replace")) > MAX_NAME or not table.isprintable():
            raise BadInput(f"{table!r:.80}: not the name of a table: it is empty, too long or not printable")
        self.table = table
        self._engine = databases.open_engine(path_or_url, self.name, RESULTS)

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def check(self) -> None:
        """Connect to the database. Raises BadInput if that fails."""
        with databases.reading(self._engine, self.name, RESULTS) as connection:
            sa.inspect(connection).has_table(self.table)

    def add(self, records: Records) -> int:
        """Store or update the records of a page in one transaction; return how many are new."""
        columns, rows = typed_table(records)
        return self.add_rows(columns, rows, record_keys(records), records.url)

    def add_rows(
        self, columns: Sequence[TypedColumn], rows: Sequence[Row], keys: Sequence[str], url: str | None
    ) -> int:
        """Store rows of a page, each under its key, as `add` does."""
        stored = _stored(columns)
        page = _clean(url) if url else None
        keyed = {
            key: {KEY: key, PAGE: page} | {column.name: column.read(row) for column in stored}
            for key, row in zip(keys, rows, strict=True)
        }
        with databases.writing(self._engine, self.name, RESULTS) as connection:
            if connection.dialect.name == "postgresql":  # one process at a time changes the table
                lock = sa.text("SELECT pg_advisory_xact_lock(hashtext(:table))")
                connection.execute(lock, {"table": self.table})
            table, values = self._fitted(connection, stored, list(keyed.values()))
            updated = _count(connection, table, list(keyed))
            _upsert(connection, table, values)
        return len(keyed) - updated

    def _fitted(self, connection: sa.Connection, stored: list[_Stored], rows: list[Values]) -> tuple[sa.Table, Any]:
        """Return the table, extended by new columns, and the rows with values of its types."""
        inspected = sa.inspect(connection)
        if not inspected.has_table(self.table):
            table = self._table([_Stored(PAGE, "text", dict), *stored])
            table.create(connection)
            return table, rows
        there = {column["name"]: _kind(column["type"]) for column in inspected.get_columns(self.table)}
        keys = inspected.get_pk_constraint(self.table)["constrained_columns"]
        if keys != [KEY] or PAGE not in there:
            raise BadInput(f"{self.name}: the table {self.table!r} is not one of records: its key is not {KEY!r}")
        names = {_folded(name, connection): name for name in there}
        columns = {PAGE: _Stored(PAGE, "text", dict)}
        for column in stored:
            name = names.get(_folded(column.name, connection))
            if name is None:
                _add(connection, self.table, column)
            elif there[name] != column.kind:
                rows = [row | {column.name: self._converted(row[column.name], there[name], column)} for row in rows]
            columns[column.name] = column._replace(name=name or column.name, kind=there.get(name or "", column.kind))
        return self._table(columns.values()), [
            {KEY: row[KEY]} | {column.name: row[name] for name, column in columns.items()} for row in rows
        ]

    def _converted(self, value: Any, kind: Kind, column: _Stored) -> Any:
        """Return a value in the type of a column of the table. Raises BadInput if that is not possible."""
        if value is None or kind == "json":
            return value
        if kind == "text":
            return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if isinstance(value, int | float) and (kind == "number" or value == int(value)):
            return float(value) if kind == "number" else int(value)
        plural = {"number": "numbers", "integer": "whole numbers"}[kind]
        raise BadInput(
            f"{self.name}: the column {column.name!r} of the table {self.table!r} holds {plural}, not {value!r:.40}: "
            "store it in another table, or with the schema of the first pages"
        )

    def _table(self, stored: Iterable[_Stored]) -> sa.Table:
        columns = [sa.Column(column.name, _TYPES[column.kind]) for column in stored]
        return sa.Table(self.table, sa.MetaData(), sa.Column(KEY, sa.Text(), primary_key=True), *columns)


def _kind(type: sa.types.TypeEngine[Any]) -> Kind:
    """Return the kind of values of a column of a database."""
    if isinstance(type, sa.JSON):
        return "json"
    if isinstance(type, sa.Integer):
        return "integer"
    return "number" if isinstance(type, sa.Numeric | sa.Float) else "text"


def _folded(name: str, connection: sa.Connection) -> str:
    """Return a name for comparison: SQLite does not distinguish capitals."""
    return name.lower() if connection.dialect.name == "sqlite" else name


def _add(connection: sa.Connection, table: str, column: _Stored) -> None:
    type = _TYPES[column.kind].compile(connection.dialect)
    connection.execute(sa.text(f"ALTER TABLE {_quoted(table)} ADD COLUMN {_quoted(column.name)} {type}"))


def _quoted(name: str) -> str:
    """Return a name quoted for a statement of SQLAlchemy, where a colon begins a parameter."""
    return '"' + name.replace('"', '""').replace(":", r"\:") + '"'


def _count(connection: sa.Connection, table: sa.Table, keys: list[str]) -> int:
    """Return the number of keys that are stored already."""
    count = sa.select(sa.func.count()).select_from(table)
    parts = (keys[k : k + MAX_KEYS] for k in range(0, len(keys), MAX_KEYS))
    return sum(int(connection.execute(count.where(table.c[KEY].in_(part))).scalar_one()) for part in parts)


def _upsert(connection: sa.Connection, table: sa.Table, rows: list[Values]) -> None:
    statement = databases.insert(connection, table)
    changed = {column.name: statement.excluded[column.name] for column in table.columns if column.name != KEY}
    if rows:
        connection.execute(statement.on_conflict_do_update(index_elements=[KEY], set_=changed), rows)


# The columns of a database


def _stored(columns: Sequence[TypedColumn]) -> list[_Stored]:
    """Return the columns of a database for those of a table; prices have one for amounts and one for currencies."""
    stored: list[_Stored] = []
    for column in columns:
        name, get = column.name, partial(_get, column.name)
        if column.listed:
            stored.append(_Stored(name, "json", _then(_cleaned, get)))
        elif column.type == "price":
            stored.append(_Stored(name, "number", _then(_amount, get)))
            stored.append(_Stored(name + CURRENCY, "text", _then(_currency, get)))
        else:
            kind = _KINDS.get(column.type, "text")
            stored.append(_Stored(name, kind, _then({"number": _float, "integer": _int}.get(kind, _cleaned), get)))
    names = distinct([KEY, PAGE, *(_short(column.name) for column in stored)])[2:]
    return [column._replace(name=name) for column, name in zip(stored, names, strict=True)]


def _then(after: Callable[[Any], Any], first: Callable[[Row], Any]) -> Callable[[Row], Any]:
    return lambda row: after(first(row))


def _get(name: str, row: Row) -> Any:
    return row[name]


def _short(name: str) -> str:
    """Return a name that a database accepts, with room for a number at its end."""
    return _clean(name).encode()[: MAX_NAME - 4].decode(errors="ignore") or "column"


def _clean(text: str) -> str:
    """Return a text that any database accepts: without null characters and lone surrogates."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return _clean(value)
    return [_cleaned(each) for each in value] if isinstance(value, list) else value


def _float(value: Any) -> float | None:
    try:
        return None if value is None else float(value)
    except OverflowError:
        return None


def _int(value: Any) -> int | None:
    return int(value) if value is not None and abs(value) < INTEGER_LIMIT else None


def _amount(price: Any) -> float | None:
    return _float(price["amount"]) if price is not None else None


def _currency(price: Any) -> str | None:
    return price["currency"] if price is not None else None
