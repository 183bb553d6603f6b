"""The outputs of a crawl: JSON lines, Parquet, CSV, a folder of Markdown, or tables of a database.

Each is written from the store in one go. So a file that exists is complete, and has each page once.
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any

from pagesieve.destinations import DATABASE, format_of, harmless
from pagesieve.errors import BadInput, BadOption, MissingExtra
from pagesieve.facts.fields import FACTS, LISTS
from pagesieve.records.outputs import TypedColumn
from pagesieve.text.urls import key, split_url
from pagesieve.writing import write_front_matter
from pagesieve.writing.markdown import write_heading

MARKDOWN = "markdown"
PAGES, RECORDS = "pages", "records"  # tables of a database
REJECTS = "rejected.jsonl"  # of a job folder
INDEX = "index.jsonl"  # of a folder of Markdown: the file of each page
MAX_NAME = 60  # characters of a file's name, before its digest
ROW_GROUP = 500  # rows of Parquet

Result = tuple[str, dict[str, Any]]  # kind and row
SEVERAL = (*LISTS, "parts", "notes")  # fields that are lists
_OWN_FILE = re.compile(r"[\w-]+-[0-9a-f]{8}\.(?:md|csv)")  # a name from `_file_name`: no other file is removed
_NO_WORD = re.compile(r"[^\w-]+")
_FIRST, _LAST = ("url", "kind", "title"), ("parts", "fetched")  # columns of pages before and after the facts
_OTHER_FILES = (".txt", ".md", ".html", ".htm", ".xml", ".tsv", ".xlsx", ".yaml", ".gz", ".zip")


def output_format(name: str) -> str:
    """Return the format of an output by its name: a folder of Markdown if the name has no ending of another format.

    Raises BadOption for the ending of a format that crawls do not write.
    """
    if name.lower().endswith(_OTHER_FILES):
        raise BadOption(f"{name}: crawls write .jsonl, .csv, .parquet, .db, or a folder, whose name has no such ending")
    return format_of(name) or MARKDOWN


def check_output(name: str, table: str | None = None) -> None:
    """Raise the error, if any, that `write` would raise after the crawl, such as that of a missing database."""
    format = output_format(name)
    if format == DATABASE:
        from pagesieve.records.results import open_table

        pages = open_table(name, table or PAGES)
        pages.check()
        pages.close()
    elif format == "parquet":
        _arrow()
    path = Path(name)
    if format != DATABASE and path.exists() and path.is_dir() != (format == MARKDOWN):
        raise BadInput(f"{name}: is {'a folder' if path.is_dir() else 'a file'} already")


def write(
    results: Iterable[Result],
    name: str,
    *,
    bodies: Sequence[str] = ("text",),
    table: str | None = None,
    raw_cells: bool = False,
) -> None:
    """Write results to an output, which replace those of an earlier run; `bodies` are those of articles.

    Raises BadInput if the output cannot be written.
    """
    format = output_format(name)
    columns = [*dict.fromkeys((*_FIRST, *FACTS, *_LAST, *bodies))]
    try:
        if format == DATABASE:
            _write_database(results, name, table or PAGES, columns)
        elif format == "json":
            _write_lines(results, Path(name))
        elif format == "csv":
            _write_csv(results, Path(name), columns, raw_cells)
        elif format == "parquet":
            _write_parquet(results, Path(name), columns)
        else:
            _write_folder(results, Path(name))
    except OSError as error:
        raise BadInput(f"{name}: cannot be written: {error.strerror or error}") from error


@contextmanager
def _replacing(path: Path, mode: str = "w", **options: Any) -> Iterator[IO[Any]]:
    """Open a new file that replaces another one when it is complete."""
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with open(temporary, mode, **options) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_rejects(rejects: Iterable[tuple[str, str]], job: Path) -> None:
    """Write the addresses without a result, and the reasons, to a file in the job folder."""
    with _replacing(job / REJECTS, encoding="utf-8", errors="replace") as file:
        for url, reason in rejects:
            file.write(json.dumps({"url": url, "reason": reason}, ensure_ascii=False) + "\n")


def _write_lines(results: Iterable[Result], path: Path) -> None:
    with _replacing(path, encoding="utf-8", errors="replace") as file:
        for _, row in results:
            fields = {name: value for name, value in row.items() if name != "keys"}  # which only databases need
            file.write(json.dumps(fields, ensure_ascii=False) + "\n")


# CSV: a file of pages, and one of all records


def _write_csv(results: Iterable[Result], path: Path, names: list[str], raw: bool) -> None:
    """Write a line for each page, and the records of all tables to a second file, whose columns are those of all."""
    records_path = path.with_name(f"{path.stem}.records{path.suffix}")
    columns: dict[str, None] = {"_page": None}
    tables: list[dict[str, Any]] = []
    with _replacing(path, encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for _, row in results:
            if row["kind"] == RECORDS:
                tables.append({"url": row["url"], "records": row["records"]})
                columns |= dict.fromkeys(column["name"] for column in row["columns"])
            writer.writerow([_cell(row.get(name), raw) for name in names])
    if not tables:
        records_path.unlink(missing_ok=True)
        return
    with _replacing(records_path, encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([_cell(name, raw) for name in columns])
        for table in tables:
            for record in table["records"]:
                values = {"_page": table["url"]} | record
                writer.writerow([_cell(values.get(name), raw) for name in columns])


def _cell(value: Any, raw: bool) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        value = "; ".join(map(str, value)) if all(isinstance(item, str) for item in value) else json.dumps(value)
    elif isinstance(value, dict):
        amount = value.get("amount")
        value = f"{amount:g} {value.get('currency') or ''}".strip() if amount is not None else json.dumps(value)
    return str(value) if raw else harmless(str(value))


# Parquet


def _arrow() -> tuple[Any, Any]:
    """Return pyarrow and its module for Parquet."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra("Parquet", "batch", "pyarrow") from error
    return pyarrow, parquet


def _write_parquet(results: Iterable[Result], path: Path, columns: list[str]) -> None:
    arrow, parquet = _arrow()
    text = arrow.string()
    types = dict.fromkeys(SEVERAL, arrow.list_(text))
    names = (*columns, "method", "encoding", "notes")
    schema = arrow.schema([(name, types.get(name, text)) for name in (*names, "columns", "records")])
    with _replacing(path, "wb") as file, parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        rows: list[dict[str, Any]] = []
        for _, row in results:
            as_text = {
                name: json.dumps(row[name], ensure_ascii=False) for name in ("columns", "records") if name in row
            }
            rows.append({name: row.get(name) for name in names} | as_text)
            if len(rows) == ROW_GROUP:
                writer.write_table(arrow.Table.from_pylist(rows, schema=schema))
                rows = []
        writer.write_table(arrow.Table.from_pylist(rows, schema=schema))


# A folder of Markdown


def _write_folder(results: Iterable[Result], folder: Path) -> None:
    """Write a document for each article and a CSV file for each table, and remove files of pages that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    before = _index(folder)
    names: set[str] = set()
    with _replacing(folder / INDEX, encoding="utf-8", errors="replace") as index:
        for _, row in results:
            is_table = row["kind"] == RECORDS
            name = _file_name(row["url"], ".csv" if is_table else ".md")
            names.add(name)
            with _replacing(folder / name, encoding="utf-8", errors="replace", newline="") as file:
                _write_table(row, file) if is_table else file.write(_document(row))
            about = {"file": name, "url": row["url"], "kind": row["kind"], "title": row.get("title")}
            index.write(json.dumps(about, ensure_ascii=False) + "\n")
    for name in before - names:
        (folder / name).unlink(missing_ok=True)


def _index(folder: Path) -> set[str]:
    """Return the names of the files of an earlier run; none if its index cannot be read."""
    try:
        lines = (folder / INDEX).read_text("utf-8").split("\n")  # titles may have other line separators
        names = {json.loads(line)["file"] for line in lines if line}
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    return {name for name in names if isinstance(name, str) and _OWN_FILE.fullmatch(name)}


def _file_name(url: str, ending: str) -> str:
    """Return the name of the file for a page: the end of its path, and a digest of its address."""
    path = split_url(url).path.strip("/")
    word = _NO_WORD.sub("-", re.sub(r"\.\w{1,5}$", "", path.rpartition("/")[2])).strip("-")[:MAX_NAME]
    return f"{word or 'index'}-{blake2b(key(url).encode(), digest_size=4).hexdigest()}{ending}"


def _document(row: dict[str, Any]) -> str:
    facts = {name: row.get(name) for name in FACTS} | {"url": row["url"]}
    if len(row.get("parts") or ()) > 1:
        facts["parts"] = row["parts"]
    head = [write_front_matter(facts), write_heading([row.get("title") or ""], 1) if row.get("title") else ""]
    return "\n\n".join(part for part in (*head, row.get("markdown") or row.get("text") or "") if part) + "\n"


def _write_table(row: dict[str, Any], file: IO[str]) -> None:
    names = [column["name"] for column in row["columns"]]
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([_cell(name, False) for name in names])
    writer.writerows([_cell(record.get(name), False) for name in names] for record in row["records"])


# Databases


def _write_database(results: Iterable[Result], name: str, table: str, fields: list[str]) -> None:
    """Write pages to one table and records to another; rows with the same key are updated."""
    from pagesieve.records.results import open_table

    pages, records = open_table(name, table), open_table(name, RECORDS if table == PAGES else f"{table}_records")
    try:
        for _, row in results:
            if row["kind"] == RECORDS:
                columns = [TypedColumn(**column) for column in row["columns"]]
                records.add_rows(columns, row["records"], row["keys"], row["url"])
            columns = [TypedColumn(field, "text", field in SEVERAL) for field in fields]
            values = {field: row.get(field) for field in fields}
            row_key = blake2b(key(row["url"]).encode(), digest_size=16).hexdigest()
            pages.add_rows(columns, [values], [row_key], row["url"])
    finally:
        pages.close()
        records.close()
