"""Pages in the lines of a JSONL file, or in the rows of a Parquet file.

A page is in the first of PAGE_FIELDS that there is, its address in `url`, its Content-Type in `content_type`.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO

from pagesieve.batch import Item
from pagesieve.batch.storage import EXTRA
from pagesieve.errors import BadInput, MissingExtra
from pagesieve.fetching.bodies import other_than_page

PAGE_FIELDS = ("html", "content", "raw_html", "body")
FIELDS = ("url", "content_type", *PAGE_FIELDS)
LINE_TIMES = 3  # times the size of its page that a line may have, with escapes
LINE_MORE = 1 << 16  # bytes that it may have in addition
ROWS = 1  # of a Parquet file that are held at a time: a few bytes can stand for hundreds of megabytes in each
GZIP = b"\x1f\x8b\x08"
CHUNK = 1 << 16  # bytes passed over at a time
NOTHING_AFTER = "nothing after it can be read"
OF_TEXT = "text/html; charset=utf-8"
NO_PAGE = f"no page in it: no text in {', '.join(PAGE_FIELDS[:-1])} or {PAGE_FIELDS[-1]}"


def page_item(item_id: str, url: str | None, data: bytes, content_type: str | None, max_bytes: int) -> Item:
    """Return a page, or the reason why these bytes are none."""
    if len(data) > max_bytes:
        fault: str | None = f"larger than {max_bytes:,} bytes"
    elif not data or data.isspace():
        fault = "empty"
    else:
        other = other_than_page(data)
        fault = f"not a page but {other}" if other else None
    return Item(item_id, url, None, None, fault) if fault else Item(item_id, url, data, content_type)


def jsonl_items(path: str, file: BinaryIO, start: int, stop: int, max_bytes: int) -> Iterator[Item]:
    """Yield the pages of the lines that begin at the bytes from `start` up to `stop`, which are counted unpacked."""
    lines: Any = gzip.GzipFile(fileobj=file) if is_gzip(file) else file
    offset = 0
    try:
        lines.seek(max(0, start - 1))
        if start:
            _line(lines, 0)
        while (offset := lines.tell()) < stop or stop < 0:
            line = _line(lines, max_bytes * LINE_TIMES + LINE_MORE)
            if line is None:
                yield Item(f"{path}#{offset}", None, None, fault=f"larger than {max_bytes:,} bytes")
            elif not line:
                return
            elif line.strip():
                yield _of_line(f"{path}#{offset}", line, max_bytes)
    except EOFError:
        yield Item(f"{path}#{offset}", None, None, fault=f"the file ends within it: {NOTHING_AFTER}")
    except (zlib.error, gzip.BadGzipFile):
        yield Item(f"{path}#{offset}", None, None, fault=f"corrupt gzip data: {NOTHING_AFTER}")


def is_gzip(file: BinaryIO) -> bool:
    """Whether a file, of which nothing has been read, is compressed."""
    found = file.read(len(GZIP)) == GZIP
    file.seek(0)
    return found


def _line(lines: Any, most: int) -> bytes | None:
    """Read the next line; None where it is longer than `most`."""
    line: bytes = lines.readline(most + 1)
    if len(line) <= most:
        return line
    while line and not line.endswith(b"\n"):
        line = lines.readline(CHUNK)
    return None


def _of_line(item_id: str, line: bytes, max_bytes: int) -> Item:
    try:
        given = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError):
        return Item(item_id, None, None, fault="not JSON")
    if not isinstance(given, dict):
        return Item(item_id, None, None, fault="not a JSON object")
    return _of_row(item_id, given, max_bytes)


def _of_row(item_id: str, row: dict[str, Any], max_bytes: int) -> Item:
    url = _text(row.get("url"))
    page = next((row[name] for name in PAGE_FIELDS if isinstance(row.get(name), str | bytes)), None)
    if page is None:
        return Item(item_id, url, None, fault=NO_PAGE)
    if isinstance(page, str):
        return page_item(item_id, url, page.encode("utf-8", "replace"), OF_TEXT, max_bytes)
    return page_item(item_id, url, page, _text(row.get("content_type")), max_bytes)


def _text(value: object) -> str | None:
    """A text that can be written; JSON may have lone surrogates in it."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) and value else None


def row_groups(path: str, file: BinaryIO) -> list[int]:
    """Return the sizes of a Parquet file's row groups. Raises BadInput where it is none, or has no pages."""
    about = _parquet(path, file)
    names = about.schema_arrow.names
    if not set(names) & set(PAGE_FIELDS):
        raise BadInput(f"{path}: no column {', '.join(PAGE_FIELDS[:-1])} or {PAGE_FIELDS[-1]}, but {', '.join(names)}")
    if not about.metadata.num_rows:
        raise BadInput(f"{path}: no rows")
    return [about.metadata.row_group(group).total_byte_size for group in range(about.num_row_groups)]


def parquet_items(path: str, file: BinaryIO, start: int, stop: int, max_bytes: int) -> Iterator[Item]:
    """Yield the pages of a Parquet file's row groups from `start` up to `stop`."""
    about = _parquet(path, file)
    sizes = [about.metadata.row_group(group).num_rows for group in range(about.num_row_groups)]
    for group in range(start, len(sizes) if stop < 0 else stop):
        first = sum(sizes[:group])
        yield from _of_group(path, about, group, range(first, first + sizes[group]), max_bytes)


def parquet_item(path: str, file: BinaryIO, row: int, max_bytes: int) -> Item | None:
    """Read the page of one row; None where there is no such row."""
    about = _parquet(path, file)
    first = 0
    for group in range(about.num_row_groups):
        size = about.metadata.row_group(group).num_rows
        if row < first + size:
            items = _of_group(path, about, group, range(first, first + size), max_bytes)
            return next(islice(items, row - first, None))
        first += size
    return None


def _of_group(path: str, about: Any, group: int, rows: range, max_bytes: int) -> Iterator[Item]:
    """Yield the pages of a row group; where it is damaged, a fault for each row that could not be read."""
    columns = [name for name in FIELDS if name in about.schema_arrow.names]
    done = 0
    try:
        for batch in about.iter_batches(batch_size=ROWS, row_groups=[group], columns=columns, use_threads=False):
            for at in range(batch.num_rows):
                yield _of_cells(f"{path}#{rows[done]}", {name: batch.column(name)[at] for name in columns}, max_bytes)
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
    """Whether an error comes from the file's content: those of its store have a number, or their own class."""
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
