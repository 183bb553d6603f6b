"""Output of records: the typed table of files and databases, keys of records, Parquet files, tables for terminals."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pagesieve.errors import BadInput, MissingExtra
from pagesieve.records.results import NUMBERS, Column, Item, Row
from pagesieve.text.dates import parse_datetime
from pagesieve.text.types import Type
from pagesieve.text.urls import absolute, key, site_key
from pagesieve.text.whitespace import cut
from pagesieve.writing.markdown import write_text

if TYPE_CHECKING:
    from rich.table import Table

    from pagesieve.records.results import Records

TEXT_ENDING = "_text"  # of the name of the column with the texts of prices that could not be read
DIGEST_SIZE = 16  # bytes
CHANGING = frozenset(("count", "rating"))  # types of values that change while the record stays the same

# Markdown
MAX_TABLE_COLUMNS, MAX_TABLE_CELL = 6, 60  # of a table, and characters of the longest cell of a column, on average

# Tables for terminals
MIN_WIDTH, WIDE = 10, 28  # characters of a column, and of one of long texts
LONG = 24  # characters of a long text, on average
MAX_CELL = 160  # characters of a text that are shown


class TypedColumn(NamedTuple):
    """A column whose values all have its type, or are None."""

    name: str
    type: Type
    listed: bool


def typed_table(records: Records) -> tuple[list[TypedColumn], list[Row]]:
    """Return the columns of a table, including those of links, and its rows.

    A column of numbers becomes one of texts if no number could be read. If some prices could not be read, their texts
    are in a column of their own; if a schema sets the type of the column, they are left out.
    """
    rows = records.to_rows(typed=True)
    by_name = {column.name: column for column in records.columns}
    columns: list[TypedColumn] = []
    for name in records.header:
        column = by_name.get(name)
        type, listed = (column.type, column.listed) if column is not None else ("text", False)
        unread = name + TEXT_ENDING
        if type in NUMBERS and any(_texts(row[name]) not in (None, []) for row in rows):
            if records.applied is not None or unread in by_name:
                rows = [row | {name: _without_texts(row[name])} for row in rows]
            elif all(_without_texts(row[name]) in (None, []) for row in rows):
                type = "text"
            else:
                rows = [row | {name: _without_texts(row[name]), unread: _texts(row[name])} for row in rows]
                columns += TypedColumn(name, type, listed), TypedColumn(unread, "text", listed)
                continue
        columns.append(TypedColumn(name, type, listed))
    return columns, rows


def _texts(value: Any) -> Any:
    if isinstance(value, list):
        return [each for each in value if isinstance(each, str)]
    return value if isinstance(value, str) else None


def _without_texts(value: Any) -> Any:
    if isinstance(value, list):
        return [each for each in value if not isinstance(each, str)]
    return None if isinstance(value, str) else value


# Keys


def record_keys(records: Records) -> list[str]:
    """Return the key of each record, which is the same whenever its page is read again.

    It is a digest of the site, and of the link or column that the schema of the records names, or else of the values.
    """
    site = site_key(records.url) if records.url else ""
    column = records.schema.key
    rows = records.to_rows() if column is not None else []
    return [
        _digest(site, _identity(rows[number].get(column) if column is not None else None, items))
        for number, items in enumerate(records.table.records)
    ]


def _identity(value: str | None, items: Sequence[Item]) -> list[str]:
    """Return what identifies a record: the value of its key, or else all values that do not change."""
    if value:
        address = absolute(value, value)
        return ["key", key(address) if address is not None else value]
    lasting = [item for item in items if _lasts(item)] or items
    return ["values", *sorted(f"{item.value or ''} {item.link or ''}" for item in lasting)]


def _lasts(item: Item) -> bool:
    """Whether a value is still true tomorrow; "3 hours ago" is not."""
    return item.type not in CHANGING and (item.type != "date" or parse_datetime(item.value or "") is not None)


def _digest(site: str, identity: list[str]) -> str:
    return blake2b(json.dumps([site, *identity]).encode(), digest_size=DIGEST_SIZE).hexdigest()


# Parquet


class ParquetTable:
    """A Parquet file for the records of pages that all have the same columns; the first page creates it."""

    def __init__(self, path: str | Path) -> None:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as error:
            raise MissingExtra("Parquet", "batch", "pyarrow") from error
        self.path = path
        self._arrow, self._parquet = pyarrow, parquet
        self._writer: Any = None

    def add(self, records: Records) -> None:
        """Write the records of a page with typed values: prices as amount and currency, several items as a list."""
        columns, rows = typed_table(records)
        try:
            if self._writer is None:
                self._writer = self._parquet.ParquetWriter(self.path, self._schema(columns))
            self._writer.write_table(self._arrow.Table.from_pylist(rows, schema=self._writer.schema))
        except OSError as error:
            raise BadInput(f"{self.path}: cannot be written: {error.strerror or error}") from error

    def close(self) -> None:
        """Complete the file."""
        if self._writer is not None:
            self._writer.close()

    def _schema(self, columns: list[TypedColumn]) -> Any:
        arrow = self._arrow
        types = {
            "number": arrow.float64(),
            "rating": arrow.float64(),
            "count": arrow.int64(),
            "price": arrow.struct([("amount", arrow.float64()), ("currency", arrow.string())]),
        }
        fields = []
        for column in columns:
            each = types.get(column.type, arrow.string())
            fields.append((column.name, arrow.list_(each) if column.listed else each))
        return arrow.schema(fields)


# Markdown


def markdown(records: Records) -> str:
    """Return the records as Markdown, as `Records.to_markdown` describes it."""
    rows = records.to_rows()
    shown = [column.name for column in records.columns if column.type != "image"]
    shown = shown or [column.name for column in records.columns]
    links = records.link_names
    texts = {name: [row[name] for row in rows if row[name]] for name in shown}
    if len(shown) <= MAX_TABLE_COLUMNS and all(map(_is_short, texts.values())):
        lines = [_bars(write_text(name, in_cell=True) for name in shown), _bars("---" for _ in shown)]
        lines += (_bars(_linked(row, name, links, in_cell=True) for name in shown) for row in rows)
        return "\n".join(lines)
    cards = zip(records.records, rows, strict=True)
    return "\n".join(_card(row, shown, links) or f"- {write_text(record.text)}" for record, row in cards)


def _is_short(texts: list[str]) -> bool:
    """Whether texts fit in the cells of a table."""
    return sum(map(len, texts)) <= MAX_TABLE_CELL * len(texts)


def _bars(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _linked(row: Row, name: str, links: Mapping[str, str], in_cell: bool = False) -> str:
    """Return a value of a row, with its link."""
    return write_text(row[name], row.get(links.get(name, "")), in_cell) if row[name] else ""


def _card(row: Row, shown: Sequence[str], links: Mapping[str, str]) -> str:
    """Return a record as an item of a list: the first column, and below it the others with their names; or nothing."""
    lines = [f"{write_text(name)}: {_linked(row, name, links)}" for name in shown[1:] if row[name]]
    if row[shown[0]]:
        lines.insert(0, _linked(row, shown[0], links))
    return "- " + "\n  - ".join(lines) if lines else ""


# Terminals


def terminal_table(records: Records, width: int) -> Table:
    """Return the table for a terminal, as `Records.to_table` describes it."""
    from rich.table import Table
    from rich.text import Text

    columns, others = _fitting_columns(records, width)
    result = Table(show_edge=False, pad_edge=False, header_style="bold", caption_justify="left")
    result.add_column("", justify="right", style="dim", no_wrap=True)
    for column in columns:
        justify: Literal["right", "left"] = "right" if column.type in NUMBERS else "left"
        result.add_column(_plain(column.name), justify=justify, overflow="ellipsis", min_width=MIN_WIDTH // 2)
    for number, items in enumerate(records.table.records, 1):
        result.add_row(str(number), *(Text(_cell(items, column)) for column in columns))
    if others:
        result.caption = f"not shown: {', '.join(others)}"
    return result


def _fitting_columns(records: Records, width: int) -> tuple[list[Column], list[str]]:
    """Return the columns that fit, and the names of the others; images never fit."""
    texts = {column.name: list[str]() for column in records.columns}
    for item in (item for items in records.table.records for item in items):
        texts[item.name].append(item.text)
    sizes = {name: _size(name, each) for name, each in texts.items()}
    weights = {name: len(each) + len(set(each)) for name, each in texts.items()}
    ranked = sorted((column for column in records.columns if column.type != "image"), key=lambda c: -weights[c.name])
    room, taken = width - MIN_WIDTH, set[str]()
    for column in ranked:
        if sizes[column.name] <= room or not taken:
            room -= sizes[column.name]
            taken.add(column.name)
    left = [_plain(column.name) for column in records.columns if column.name not in taken]
    return [column for column in records.columns if column.name in taken], left


def _size(name: str, texts: list[str]) -> int:
    mean = sum(map(len, texts)) / len(texts) if texts else 0
    longest = max(len(name), int(mean))
    return 3 + (WIDE if mean > LONG else max(MIN_WIDTH // 2, min(longest, LONG)))


def _cell(items: tuple[Item, ...], column: Column) -> str:
    text = ", ".join(_plain(item.value or "") for item in items if item.name == column.name)
    return cut(text, MAX_CELL)


def _plain(text: str) -> str:
    """Return a text on one line, without control characters."""
    return "".join(c if c.isprintable() else " " for c in text)
