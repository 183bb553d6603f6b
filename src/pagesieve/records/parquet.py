"""Records as a Parquet file, with the types of their columns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagesieve.errors import BadInput, MissingExtra
from pagesieve.records.typed_table import TypedColumn, typed_table

if TYPE_CHECKING:
    from pagesieve.records.results import Records


class ParquetTable:
    """A Parquet file that the records of pages are written to, all with the same columns; made with the first."""

    def __init__(self, path: str | Path) -> None:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as error:
            raise MissingExtra("Parquet", "parquet") from error
        self.path = path
        self._arrow, self._parquet = pyarrow, parquet
        self._writer: Any = None

    def add(self, found: Records) -> None:
        """Write the records of a page: numbers as numbers, prices as amount and currency, several items as a list."""
        columns, rows = typed_table(found)
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
