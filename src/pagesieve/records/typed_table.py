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


TEXT_ENDING = "_text"  # of the name of the column that has the prices which could not be read


def typed_table(found: Records) -> tuple[list[TypedColumn], list[Row]]:
    """Return the columns of a table, those of links among them, and its rows.

    A column of numbers of which nothing could be read is one of texts. Where some prices could not be read, their texts
    are in a column of their own. If a schema says that a column is of numbers, it has no texts.
    """
    rows = found.to_rows(typed=True)
    known = {column.name: column for column in found.columns}
    columns: list[TypedColumn] = []
    for name in found.header:
        column = known.get(name)
        type, listed = (column.type, column.listed) if column is not None else ("text", False)
        unread = name + TEXT_ENDING
        if type in NUMBERS and any(_has_text(row[name]) for row in rows):
            if found.applied is not None or unread in known:
                rows = [row | {name: _without_texts(row[name])} for row in rows]
            elif not any(_has_value(row[name]) for row in rows):
                type = "text"
            else:
                rows = [row | {name: _without_texts(row[name]), unread: _texts(row[name])} for row in rows]
                columns += TypedColumn(name, type, listed), TypedColumn(unread, "text", listed)
                continue
        columns.append(TypedColumn(name, type, listed))
    return columns, rows


def _has_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and any(isinstance(each, str) for each in value))


def _has_value(value: Any) -> bool:
    """Whether anything but a text is there."""
    return _without_texts(value) not in (None, [])


def _texts(value: Any) -> Any:
    if isinstance(value, list):
        return [each for each in value if isinstance(each, str)]
    return value if isinstance(value, str) else None


def _without_texts(value: Any) -> Any:
    if isinstance(value, list):
        return [each for each in value if not isinstance(each, str)]
    return None if isinstance(value, str) else value
