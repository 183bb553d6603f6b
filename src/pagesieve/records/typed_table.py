"""The table of some records with one type a column, as files and databases need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pagesieve.records.results import NUMBERS, Row, Type

if TYPE_CHECKING:
    from pagesieve.records.results import Records


class TypedColumn(NamedTuple):
    """A column whose values are all of its type, or None."""

    name: str
    type: Type
    listed: bool


def typed_table(found: Records) -> tuple[list[TypedColumn], list[Row]]:
    """Return the columns of a table, those of links among them, and its rows.

    A column of numbers of which nothing could be read is one of texts; if a schema says that it is of numbers, it is
    empty.
    """
    rows = found.to_rows(typed=True)
    known = {column.name: column for column in found.columns}
    columns = []
    for name in found.header:
        column = known.get(name)
        type, listed = (column.type, column.listed) if column is not None else ("text", False)
        if type in NUMBERS and any(_has_text(row[name]) for row in rows):
            if found.applied is None:
                type = "text"
            else:
                rows = [row | {name: _without_texts(row[name])} for row in rows]
        columns.append(TypedColumn(name, type, listed))
    return columns, rows


def _has_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and any(isinstance(each, str) for each in value))


def _without_texts(value: Any) -> Any:
    if isinstance(value, list):
        return [each for each in value if not isinstance(each, str)]
    return None if isinstance(value, str) else value
