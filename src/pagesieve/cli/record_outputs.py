"""Where `pagesieve records` writes: the screen or a file as a table, CSV or JSON, a Parquet file, a database."""

import json
import sys
from typing import IO, Any, Protocol

import click

from pagesieve.cli import as_text, visible
from pagesieve.destinations import DATABASE, DATABASE_ENDINGS, format_of
from pagesieve.errors import BadInput, BadOption
from pagesieve.records.results import TABLE, Records, open_table

FORMATS = ("table", "csv", "json", "parquet")
PIPE_COLUMNS = 120  # characters of a table that is not written to a terminal


def chosen_format(format: str | None, output: str | None, table: str | None) -> str:
    """Return the format that was asked for: by its name, by what the output is called, or by who reads it."""
    named = format_of(output or "")
    if named == DATABASE and format is not None:
        raise BadOption(f"-o names a database, which has no format: leave out -f {format}")
    if table is not None and named != DATABASE:
        raise BadOption(f"--table is for a database: name one with -o ({', '.join(DATABASE_ENDINGS)}, postgresql://…)")
    if named == DATABASE:
        return DATABASE
    return format or named or ("csv" if output is None and not sys.stdout.isatty() else "table")


class Output(Protocol):
    """Something that the records of pages are written to."""

    def add(self, found: Records, source: str, headed: bool) -> str:
        """Write the records of a source, under its name if `headed`; return what else is to be told of them."""

    def close(self) -> None:
        """Complete what was written."""


def open_output(options: dict[str, Any]) -> Output:
    """Open what the options name. Raises BadInput where it cannot be written."""
    format, output = options["format"], options["output"]
    if format == DATABASE:
        return _Database(output, options["table"] or TABLE)
    if format == "parquet":
        return _Parquet(output)
    file = _open(output) if output else None
    if format == "json":
        return _Json(file)
    if format == "csv":
        return _Csv(file, one_table=options["schema"] is not None, harmless=not options["raw_cells"])
    return _Screen(file)


def _open(path: str) -> IO[str]:
    try:
        return open(path, "w", encoding="utf-8", errors="surrogateescape", newline="")
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror or error}") from error


class _Text:
    """Standard output, or a file."""

    def __init__(self, file: IO[str] | None) -> None:
        self.file = file

    def head(self, source: str) -> None:
        click.echo(f"==> {visible(source)} <==", file=self.file)

    def close(self) -> None:
        if self.file is not None:
            self.file.close()


class _Screen(_Text):
    def add(self, found: Records, source: str, headed: bool) -> str:
        from rich.console import Console

        if headed:
            self.head(source)
        to = self.file or sys.stdout
        console = Console(file=to, width=None if to.isatty() else PIPE_COLUMNS)
        console.print(found.to_table(console.width))
        return ""


class _Csv(_Text):
    """Tables of CSV, each under a header; one table where all have the columns of a schema."""

    def __init__(self, file: IO[str] | None, one_table: bool, harmless: bool) -> None:
        super().__init__(file)
        self._one_table, self._harmless = one_table, harmless
        self._has_header = False

    def add(self, found: Records, source: str, headed: bool) -> str:
        if headed and not self._one_table:
            self.head(source)
        header = not (self._one_table and self._has_header)
        click.echo(found.to_csv(header=header, harmless=self._harmless), nl=False, file=self.file)
        self._has_header = True
        return ""


class _Json(_Text):
    def add(self, found: Records, source: str, headed: bool) -> str:
        click.echo(json.dumps({"input": as_text(source)} | found.as_dict(), ensure_ascii=False), file=self.file)
        return ""


class _Parquet:
    def __init__(self, path: str) -> None:
        from pagesieve.records.parquet import ParquetTable

        self._table = ParquetTable(path)

    def add(self, found: Records, source: str, headed: bool) -> str:
        self._table.add(found)
        return ""

    def close(self) -> None:
        self._table.close()


class _Database:
    def __init__(self, path_or_url: str, table: str) -> None:
        self._table = open_table(path_or_url, table)

    def add(self, found: Records, source: str, headed: bool) -> str:
        return f"{self._table.add(found)} new"

    def close(self) -> None:
        self._table.close()
