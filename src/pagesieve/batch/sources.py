"""The input of a batch: split sources into shards, read the pages of a shard, and read a page by its id.

A source is a WARC (.warc, .warc.gz), a JSONL file (.jsonl, .ndjson, also .gz), a Parquet file, a list of URLs (.txt,
.urls), a URL, any other file as a page, a folder of pages, a pattern of such names, or - for a list of sources on
standard input. What is named twice is read once.

In JSONL and Parquet a page is in the first of PAGE_FIELDS that there is, its address in `url`, its Content-Type in
`content_type`, its id in `id`. All other columns are passed through.
"""

import gzip
import json
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice, pairwise
from typing import Any, BinaryIO, TypeVar

from pagesieve.batch import BatchOptions, Item, Shard, Skipped, storage, warc
from pagesieve.batch.storage import EXTRA, GZIP, Stored, explained, open_file
from pagesieve.batch.warc import archive_iterator, page_of
from pagesieve.errors import BadInput, FetchError, MissingExtra, unforeseen
from pagesieve.fetching import PAGE_ENDINGS
from pagesieve.page.static import other_than_page
from pagesieve.text.urls import entries, is_url

SHARD_BYTES = 64_000_000
SHARD_FILES = 200
SHARD_URLS = 100

ENDINGS = {
    "warc": (".warc", ".warc.gz"),
    "jsonl": (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"),
    "parquet": (".parquet", ".pq"),
    "urls": (".txt", ".urls"),
}
STANDARD_INPUT = "-"

PAGE_FIELDS = ("html", "content", "raw_html", "body")
LINE_TIMES = 3  # times the size of its page that a line may have, with escapes
LINE_MORE = 1 << 16  # bytes that it may have in addition
MAX_DEPTH = 100  # levels of lists and objects in a column: Python reads deeper ones than it can write
ROWS = 1  # of a Parquet file that are held at a time: a few bytes can stand for hundreds of megabytes in each
TEXT_TYPE = "text/html; charset=utf-8"
CHUNK = 1 << 16  # bytes passed over at a time
ANY_PAGE_FIELD = f"{', '.join(PAGE_FIELDS[:-1])} or {PAGE_FIELDS[-1]}"

T = TypeVar("T")

_PLACE = re.compile(r"(.+)#(\d+)(?:\+(\d+))?", re.DOTALL)


def plan_shards(
    sources: Sequence[str],
    *,
    shard_bytes: int = SHARD_BYTES,
    shard_files: int = SHARD_FILES,
    shard_urls: int = SHARD_URLS,
) -> list[Shard]:
    """Split all sources into numbered shards. Raises BadInput if one is missing, empty or invalid."""
    inputs = _Found()
    for source in sources:
        _find(source, inputs)
    shards = [shard for kind, stored in inputs.tables.values() for shard in CUTTERS[kind](stored, shard_bytes)]
    for files in _groups(list(inputs.files.values()), shard_files):
        names, size = tuple(file.path for file in files), sum(file.size for file in files)
        shards.append(Shard(0, "files", names=names, size=size))
    shards += [Shard(0, "urls", names=tuple(names)) for names in _groups(list(inputs.urls), shard_urls)]
    if not shards:
        raise BadInput("no pages: no source was given")
    return [replace(shard, number=number) for number, shard in enumerate(shards)]


def read_shard(shard: Shard, options: BatchOptions) -> Iterator[Item | Skipped]:
    """Yield the pages of a shard, each once and in order, with a reason if they cannot be read; and other records.

    At most one page is held. Errors of the store that a shard lies in are raised: they may be temporary.
    """
    return READERS[shard.kind](shard, options)


def read_item(item_id: str, options: BatchOptions) -> Item:
    """Read a page by its id from `read_shard`. Raises BadInput if there is no such page any more.

    This opens the file anew; a compressed JSONL file, or a WARC in one gzip member, is inflated up to the page.
    """
    place = _PLACE.fullmatch(item_id)
    kind = kind_of(place[1]) if place else None
    if is_url(item_id):
        return _fetched(item_id, options)
    if place is None or kind not in AT:
        return _file_item(item_id, options)
    with explained(place[1]):
        item = AT[kind](place[1], int(place[2]), int(place[3] or 0), options)
    if not isinstance(item, Item):
        raise BadInput(f"{item_id}: no page there")
    return item


def kind_of(path: str) -> str:
    """Return the kind of a file by its name: warc, jsonl, parquet, urls, or files for a page."""
    name = path.lower()
    return next((kind for kind, endings in ENDINGS.items() if name.endswith(endings)), "files")


@dataclass(slots=True)
class _Found:
    """The files, folders and URLs of the sources, each once."""

    tables: dict[str, tuple[str, Stored]] = field(default_factory=dict)
    files: dict[str, Stored] = field(default_factory=dict)
    urls: dict[str, None] = field(default_factory=dict)

    def add(self, stored: Stored) -> None:
        kind, place = kind_of(stored.path), storage.same_place(stored.path)
        if kind == "urls":
            self.urls.update(dict.fromkeys(_listed_urls(stored.path)))
        elif kind == "files":
            self.files.setdefault(place, stored)
        else:
            self.tables.setdefault(place, (kind, stored))


def _find(source: str, inputs: _Found) -> None:
    """Add the files or URLs of a source."""
    if source == STANDARD_INPUT:
        for line in _lines(os.fsdecode(_standard_input()), "standard input"):
            if line == STANDARD_INPUT:
                raise BadInput("standard input: - may not be a source in the list itself")
            _find(line, inputs)
    elif is_url(source):
        inputs.urls.setdefault(source)
    elif not source:
        raise BadInput("a source without a name")
    elif storage.is_pattern(source):
        _add_all(storage.matching(source), inputs, f"{source}: no file matches")
    elif (stored := storage.find_file(source)) is not None:
        _check(stored)
        inputs.add(stored)
    else:
        pages = [page for page in storage.files_below(source) if page.path.lower().endswith(PAGE_ENDINGS)]
        _add_all(pages, inputs, f"{source}: no pages in this folder (no {', '.join(PAGE_ENDINGS)})")


def _add_all(many: list[Stored], inputs: _Found, otherwise: str) -> None:
    if not many:
        raise BadInput(otherwise)
    for stored in many:
        if kind_of(stored.path) != "files":  # a page among many that cannot be read is only a reject
            _check(stored)
        inputs.add(stored)


def _check(stored: Stored) -> None:
    """Raise BadInput if a file is empty or may not be read."""
    with explained(stored.path), open_file(stored.path) as file:
        if not file.read(1):
            raise BadInput(f"{stored.path}: empty")


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise BadInput("standard input is closed")
    return sys.stdin.buffer.read()


def _lines(text: str, name: str) -> list[str]:
    """Return the entries of a list. Raises BadInput if there are none."""
    lines = entries(text)
    if not lines:
        raise BadInput(f"{name}: empty")
    return lines


def _listed_urls(path: str) -> list[str]:
    with explained(path), open_file(path) as file:
        urls = _lines(file.read().decode("utf-8", "replace"), path)
    if not any(map(is_url, urls)):
        raise BadInput(f"{path}: {urls[0][:80]!r} is not the URL of a page (http:// or https://)")
    return urls


def _groups(many: list[T], size: int) -> Iterator[list[T]]:
    return (many[start : start + size] for start in range(0, len(many), size))


def _cut_warc(stored: Stored, shard_bytes: int) -> list[Shard]:
    archive_iterator()  # before anything runs, where it is missing
    with explained(stored.path), open_file(stored.path) as file:
        if not warc.is_warc(file):
            raise BadInput(f"{stored.path}: no WARC record in it")
        places = warc.cut(file, shard_bytes)
    return [Shard(0, "warc", stored.path, start, stop, size=stop - start) for start, stop in places]


def _cut_jsonl(stored: Stored, shard_bytes: int) -> list[Shard]:
    with explained(stored.path), open_file(stored.path) as file:
        if _is_gzip(file):
            return [Shard(0, "jsonl", stored.path, size=stored.size)]
        cuts = [*range(0, stored.size, shard_bytes), stored.size]
    return [Shard(0, "jsonl", stored.path, start, stop, size=stop - start) for start, stop in pairwise(cuts)]


def _cut_parquet(stored: Stored, shard_bytes: int) -> list[Shard]:
    with explained(stored.path), open_file(stored.path) as file:
        sizes = _row_group_sizes(stored.path, file)
    shards: list[Shard] = []
    for group, size in enumerate(sizes):
        if shards and shards[-1].size + size <= shard_bytes:
            shards[-1] = replace(shards[-1], stop=group + 1, size=shards[-1].size + size)
        else:
            shards.append(Shard(0, "parquet", stored.path, group, group + 1, size=size))
    return shards


def _read_warc(shard: Shard, options: BatchOptions) -> Iterator[Item | Skipped]:
    with open_file(shard.path) as file:
        for record in warc.read_records(file, shard.start, shard.stop, options.max_bytes + warc.HEAD_BYTES):
            yield _of_record(record, _record_id(shard.path, record), options.max_bytes)


def _of_record(record: warc.Record, item_id: str, max_bytes: int) -> Item | Skipped:
    """Return the page of a record; if that fails, only this page is lost."""
    try:
        return page_of(record, item_id, max_bytes)
    except Exception as error:
        return Item(item_id, None, None, fault=unforeseen(error))


def _record_id(path: str, record: warc.Record) -> str:
    return f"{path}#{record.place}+{record.inside}" if record.inside else f"{path}#{record.place}"


def _file_item(path: str, options: BatchOptions) -> Item:
    item_id = path.encode("utf-8", "backslashreplace").decode("utf-8")  # names need not be text
    try:
        with open_file(path) as file:
            data = file.read(options.max_bytes + 1)
    except OSError as error:
        if storage.is_remote(path) and not isinstance(error, FileNotFoundError | PermissionError):
            raise
        return Item(item_id, None, None, fault=error.strerror or "cannot be read")
    return _page_item(item_id, None, data, None, options.max_bytes)


def _record_at(path: str, place: int, inside: int, options: BatchOptions) -> Item | Skipped | None:
    with open_file(path) as file:
        record = warc.read_record(file, place, inside, options.max_bytes + warc.HEAD_BYTES)
        return _of_record(record, _record_id(path, record), options.max_bytes) if record else None


def _fetched(url: str, options: BatchOptions) -> Item:
    from pagesieve.fetching.guard import shown_url
    from pagesieve.fetching.http import FetchOptions, fetch

    if not is_url(url):  # a line of a list
        return Item(_text(url) or "", None, None, fault="not the URL of a page (http:// or https://)")
    try:
        fetched = fetch(url, FetchOptions(max_bytes=options.max_bytes, allow_private=options.allow_private))
    except FetchError as error:
        return Item(url, url, None, fault=str(error).removeprefix(f"{shown_url(url)}: "))
    except Exception as error:
        return Item(url, url, None, fault=unforeseen(error))
    return _page_item(url, fetched.url, fetched.body, fetched.content_type, options.max_bytes)


def _page_item(item_id: str, url: str | None, data: bytes, content_type: str | None, max_bytes: int) -> Item:
    """Return the page that some bytes hold, or the reason why they are not a page."""
    if len(data) > max_bytes:
        fault: str | None = f"larger than {max_bytes:,} bytes"
    elif not data or data.isspace():
        fault = "empty"
    else:
        other = other_than_page(data)
        fault = f"not a page but {other}" if other else None
    return Item(item_id, url, None, None, fault) if fault else Item(item_id, url, data, content_type)


# JSONL


def _read_jsonl(shard: Shard, options: BatchOptions) -> Iterator[Item]:
    """Yield the pages of the lines that begin at the bytes of the shard, which are counted unpacked."""
    with open_file(shard.path) as file:
        lines: Any = gzip.GzipFile(fileobj=file) if _is_gzip(file) else file
        offset, why = 0, ""
        try:
            lines.seek(max(0, shard.start - 1))
            if shard.start:
                _line(lines, 0)
            while (offset := lines.tell()) < shard.stop or shard.stop < 0:
                item_id, line = f"{shard.path}#{offset}", _line(lines, options.max_bytes * LINE_TIMES + LINE_MORE)
                if line is None:
                    yield Item(item_id, None, None, fault=f"larger than {options.max_bytes:,} bytes")
                elif not line:
                    return
                elif line.strip():
                    yield _of_line(item_id, line, options.max_bytes)
        except EOFError:
            why = "the file ends within it"
        except (zlib.error, gzip.BadGzipFile):
            why = "corrupt gzip data"
        if why:
            yield Item(f"{shard.path}#{offset}", None, None, fault=f"{why}: nothing after it can be read")


def _is_gzip(file: BinaryIO) -> bool:
    """Whether a file, of which nothing has been read, is compressed."""
    is_gzip = file.read(len(GZIP)) == GZIP
    file.seek(0)
    return is_gzip


def _line(lines: Any, most: int) -> bytes | None:
    """Read the next line; None if it is longer than `most`."""
    line: bytes = lines.readline(most + 1)
    if len(line) <= most:
        return line
    while line and not line.endswith(b"\n"):
        line = lines.readline(CHUNK)
    return None


def _of_line(item_id: str, line: bytes, max_bytes: int) -> Item:
    try:
        row = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError):
        return Item(item_id, None, None, fault="not JSON")
    if not isinstance(row, dict):
        return Item(item_id, None, None, fault="not a JSON object")
    return _of_row(item_id, row, max_bytes)


def _of_row(item_id: str, row: dict[str, Any], max_bytes: int) -> Item:
    url = _text(row.get("url"))
    if fault := _fault(row):
        return Item(item_id, url, None, fault=fault)
    column = next((name for name in PAGE_FIELDS if isinstance(row.get(name), str | bytes)), None)
    if column is None:
        item = Item(item_id, url, None, fault=f"no page in it: no text in {ANY_PAGE_FIELD}")
    elif isinstance(page := row[column], str):
        item = _page_item(item_id, url, page.encode("utf-8", "replace"), TEXT_TYPE, max_bytes)
    else:
        item = _page_item(item_id, url, page, _text(row.get("content_type")), max_bytes)
    passed = {name: value for name, value in row.items() if name not in ("id", "url", column)}
    return replace(item, own_id=_own_id(row.get("id")), columns=passed)


def _fault(row: dict[str, Any]) -> str | None:
    """Return why the columns of a row cannot be written in every format; None if they can."""
    for name in row:
        if name and _text(name) != name:
            return f"a column name with half of a character: {name!a:.40}"
    within: list[Any] = [row]
    for _ in range(MAX_DEPTH + 1):
        within = [part for value in within for part in _parts(value) if isinstance(part, dict | list)]
    return f"a column of more than {MAX_DEPTH} levels" if within else None


def _parts(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _own_id(value: object) -> str | None:
    """The id that a row has, as text."""
    if value is None or value == "":
        return None
    return _text(value) if isinstance(value, str) else json.dumps(value, default=str)


def _text(value: object) -> str | None:
    """A text that can be written; JSON may have lone surrogates in it."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) and value else None


# Parquet


def _row_group_sizes(path: str, file: BinaryIO) -> list[int]:
    """Return the sizes of the row groups of a file. Raises BadInput if it is not Parquet, or has no pages."""
    about = _parquet(path, file)
    names = about.schema_arrow.names
    if not set(names) & set(PAGE_FIELDS):
        raise BadInput(f"{path}: no column {ANY_PAGE_FIELD}, but {', '.join(names)}")
    if not about.metadata.num_rows:
        raise BadInput(f"{path}: no rows")
    return [about.metadata.row_group(group).total_byte_size for group in range(about.num_row_groups)]


def parquet_schema(path: str) -> Any:
    """Return the columns of a Parquet file."""
    with explained(path), open_file(path) as file:
        return _parquet(path, file).schema_arrow


def _read_parquet(shard: Shard, options: BatchOptions) -> Iterator[Item]:
    with open_file(shard.path) as file:
        about = _parquet(shard.path, file)
        groups = list(enumerate(_row_numbers(about)))
        for group, rows in groups[shard.start : None if shard.stop < 0 else shard.stop]:
            yield from _of_group(shard.path, about, group, rows, options.max_bytes)


def _row_at(path: str, row: int, _: int, options: BatchOptions) -> Item | None:
    with open_file(path) as file:
        about = _parquet(path, file)
        for group, rows in enumerate(_row_numbers(about)):
            if row in rows:
                return next(islice(_of_group(path, about, group, rows, options.max_bytes), row - rows.start, None))
    return None


def _row_numbers(about: Any) -> list[range]:
    """Return the numbers of the rows of each row group."""
    sizes = (about.metadata.row_group(group).num_rows for group in range(about.num_row_groups))
    return [range(*ends) for ends in pairwise(accumulate(sizes, initial=0))]


def _of_group(path: str, about: Any, group: int, rows: range, max_bytes: int) -> Iterator[Item]:
    """Yield the pages of a row group, and the reason for each row that is too damaged to be read."""
    done = 0
    try:
        for batch in about.iter_batches(batch_size=ROWS, row_groups=[group], use_threads=False):
            names = batch.schema.names
            for at in range(batch.num_rows):
                cells = {name: batch.column(number)[at] for number, name in enumerate(names)}
                yield _of_cells(f"{path}#{rows[done]}", cells, max_bytes)
                done += 1
    except Exception as error:
        if not _is_damage(error):
            raise
        yield from (Item(f"{path}#{row}", None, None, fault="a corrupt row group") for row in rows[done:])


def _of_cells(item_id: str, cells: dict[str, Any], max_bytes: int) -> Item:
    if any(_size(cell) > max_bytes for cell in cells.values()):
        return Item(item_id, None, None, fault=f"larger than {max_bytes:,} bytes")
    try:
        return _of_row(item_id, {name: cell.as_py() for name, cell in cells.items()}, max_bytes)
    except UnicodeDecodeError:
        return Item(item_id, None, None, fault="a column of text that is not UTF-8")


def _size(cell: Any) -> int:
    """Bytes of a text or binary cell, without a copy; 0 of any other."""
    buffer = cell.as_buffer() if hasattr(cell, "as_buffer") else None
    return 0 if buffer is None else int(buffer.size)


def _is_damage(error: Exception) -> bool:
    """Whether the content of a file caused an error. Errors of its store have a number, or a class of their own."""
    import pyarrow

    return isinstance(error, pyarrow.ArrowException) or (type(error) is OSError and error.errno is None)


def _parquet(path: str, file: BinaryIO) -> Any:
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise MissingExtra("batches", EXTRA) from error
    try:
        return ParquetFile(file)
    except pyarrow.ArrowInvalid as error:
        raise BadInput(f"{path}: not a Parquet file, or one that is damaged") from error


# By the kind of a source

CUTTERS: dict[str, Callable[[Stored, int], list[Shard]]] = {
    "warc": _cut_warc,
    "jsonl": _cut_jsonl,
    "parquet": _cut_parquet,
}
READERS: dict[str, Callable[[Shard, BatchOptions], Iterator[Item | Skipped]]] = {
    "warc": _read_warc,
    "jsonl": _read_jsonl,
    "parquet": _read_parquet,
    "files": lambda shard, options: (_file_item(name, options) for name in shard.names),
    "urls": lambda shard, options: (_fetched(name, options) for name in shard.names),
}
AT: dict[str, Callable[[str, int, int, BatchOptions], Item | Skipped | None]] = {
    "warc": _record_at,
    "jsonl": lambda path, at, _, options: next(_read_jsonl(Shard(0, "jsonl", path, at, at + 1), options), None),
    "parquet": _row_at,
}
