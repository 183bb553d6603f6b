"""Columns of the input that are copied to the results: their names there, and their types in Parquet.

Parquet needs all columns before the first row. A Parquet source has a schema. For a JSONL source, the first lines give
the columns; they are texts, with JSON for other values, and later columns go into MORE.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from pagesieve.batch import BatchOptions, Shard
from pagesieve.batch.sources import PAGE_FIELDS, parquet_schema, read_shard
from pagesieve.batch.storage import explained

if TYPE_CHECKING:
    import pyarrow

MORE = "more"  # the column of a JSON object with all that no other column was planned for
PREFIX = "input_"  # before the name of a column that the results have of their own
LOOKED_AT = 1000  # lines of a JSONL source

_SURROGATE = re.compile("[\ud800-\udfff]")  # which UTF-8 cannot encode


def passed_name(name: str, fields: Sequence[str]) -> str:
    """Return the name of a column in the results, different from all fields and other columns."""
    bare = name
    while bare.startswith(PREFIX):
        bare = bare.removeprefix(PREFIX)
    return PREFIX + name if bare in fields or bare == MORE else name


def planned_columns(shards: Sequence[Shard], options: BatchOptions) -> str:
    """Return the columns of a run's sources that are copied to Parquet, in the form that `read_columns` takes."""
    import pyarrow as arrow

    types: dict[str, Any] = {}
    sources = {shard.path: shard for shard in reversed(shards) if shard.kind in ("jsonl", "parquet")}
    for path in sorted(sources):
        with explained(path):
            for name, type in _columns_of(sources[path], options):
                name = passed_name(name, options.fields)
                types[name] = type if types.get(name, type) == type else arrow.string()
    if any(shard.kind == "jsonl" for shard in sources.values()):
        types[MORE] = arrow.string()
    schema = arrow.schema(list(types.items()))
    return base64.b64encode(schema.serialize().to_pybytes()).decode() if types else ""


def read_columns(planned: str) -> pyarrow.Schema:
    """Return the columns from the result of `planned_columns`."""
    import pyarrow as arrow

    return arrow.ipc.read_schema(arrow.py_buffer(base64.b64decode(planned))) if planned else arrow.schema([])


def _columns_of(shard: Shard, options: BatchOptions) -> Iterator[tuple[str, Any]]:
    """Yield the names and types of the columns of a source, given its first shard."""
    import pyarrow as arrow

    if shard.kind == "parquet":
        schema = parquet_schema(shard.path)
        page = next(name for name in PAGE_FIELDS if name in schema.names)
        # Another column that may hold the page is passed through where the first one is empty.
        yield from ((each.name, each.type) for each in schema if each.name not in ("id", "url", page))
        return
    names: dict[str, None] = {}
    for item, _ in zip(read_shard(shard, options), range(LOOKED_AT), strict=False):
        names.update(dict.fromkeys(getattr(item, "columns", ())))
    yield from ((name, arrow.string()) for name in names)


def as_cells(columns: Mapping[str, Any], schema: pyarrow.Schema) -> dict[str, Any]:
    """Return the passed columns of a row as Arrow takes them."""
    cells: dict[str, Any] = {}
    more = {}
    for name, value in columns.items():
        if name not in schema.names:
            more[name] = value
        else:
            is_text = str(schema.field(name).type) in ("string", "large_string")
            cells[name] = _as_text(value) if is_text and value is not None else value
    if more and MORE in schema.names:
        cells[MORE] = as_json(more)
    return cells


def _as_text(value: object) -> str:
    return _SURROGATE.sub("\ufffd", value) if isinstance(value, str) else as_json(value)


def as_json(value: object) -> str:
    """Write any value that a column can have as JSON that UTF-8 can encode."""
    return as_line(value).decode()


def as_line(value: object) -> bytes:
    """Write any value that a column can have as JSON in UTF-8."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, default=_plain)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text).encode()


def _plain(value: Any) -> str:
    """Return the JSON form of a value of another type: a date, a decimal number, bytes."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)


def _finite(value: Any) -> Any:
    """Return a value with null in place of NaN and infinity."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {str(name): _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value
