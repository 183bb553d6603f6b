"""Records as a Parquet file, with the types of their columns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagesieve.errors import BadInput, MissingExtra

if TYPE_CHECKING:
    from pagesieve.records.results import Records


def write_parquet(found: Records, path: str | Path) -> None:
    """Write the table of some records: numbers as numbers, prices as amount and currency, several items as a list."""
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra("Parquet", "parquet") from error
    rows = found.to_rows(typed=True)
    types = {
        "number": arrow.float64(),
        "rating": arrow.float64(),
        "count": arrow.int64(),
        "price": arrow.struct([("amount", arrow.float64()), ("currency", arrow.string())]),
    }
    known = {column.name: (column.type, column.listed) for column in found.columns}
    fields = []
    for name in found.header:
        type, listed = known.get(name, ("text", False))
        each = types.get(type, arrow.string())
        if any(_is_text(row[name]) for row in rows):  # of which nothing could be read
            each = arrow.string()
        fields.append((name, arrow.list_(each) if listed else each))
    try:
        parquet.write_table(arrow.Table.from_pylist(rows, schema=arrow.schema(fields)), path)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror or error}") from error


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and any(isinstance(each, str) for each in value))
