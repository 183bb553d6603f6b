"""The files of a batch: results and rejects of a shard, the marker that it is finished, and the statistics.

A file is written under a temporary name and renamed when it is complete; the marker (the shard's statistics) comes
last. So a shard with a marker is complete, and one without is repeated. All paths are fsspec's.
"""

from __future__ import annotations

import base64
import contextlib
import errno
import gzip
import io
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import IO, TYPE_CHECKING, Any, BinaryIO

from pagesieve.batch import BatchOptions, Plan, Shard, Stats
from pagesieve.batch.sources import PAGE_FIELDS, parquet_schema, read_shard
from pagesieve.batch.storage import explained, is_remote, open_file
from pagesieve.errors import BadInput, MissingExtra, RunStopped
from pagesieve.facts.fields import LISTS
from pagesieve.workers.child import Reason

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


MANIFEST, TOTAL = "manifest.json", "stats.json"
# What the names of these files end with, after the shard's.
REJECTS, DUPLICATES, SIGNATURES, MARKER = ".rejects.jsonl", ".duplicates.jsonl", ".signatures.jsonl", ".stats.json"
TEMPORARY = ".tmp"
BUFFER = 1 << 17  # bytes written at a time
ROW_GROUP = 1000  # rows of Parquet
ROW_GROUP_BYTES = 32 << 20  # of JSON that they would be
MARKERS = 1000  # read at a time

_FULL = (errno.ENOSPC, errno.EDQUOT)
_MARKER = re.compile(r"part-(\d+)" + re.escape(MARKER))

Row = Mapping[str, Any]
NONE: Row = {}


class Folder:
    """The output folder of a batch. Errors with its files are raised as RunStopped, in one line."""

    def __init__(self, path: str) -> None:
        if not path:
            raise BadInput("a folder without a name")
        self.path = path
        try:
            from fsspec.core import url_to_fs
        except ImportError as error:
            raise MissingExtra("a batch", "batch") from error
        try:
            self._files, self._root = url_to_fs(path)
        except (ImportError, ValueError) as error:  # a store that fsspec does not know, or has no package for
            raise BadInput(f"{path}: {error}") from error

    @property
    def address(self) -> str:
        """The absolute path, for processes with any working directory."""
        return self.path if is_remote(self.path) else str(self._root)

    def prepare(self) -> None:
        """Create the folder, and remove unfinished files of an interrupted run."""
        with self.telling(), _reaching():
            self._files.makedirs(self._root, exist_ok=True)
            for name in self._names():
                if name.endswith(TEMPORARY):
                    self._files.rm_file(self._at(name))

    def finished(self) -> set[int]:
        """The numbers of the shards that are finished."""
        with self.telling():
            return {int(found[1]) for name in self._names() if (found := _MARKER.fullmatch(name))}

    def save_plan(self, plan: Plan) -> None:
        """Write the manifest."""
        self._write_json(MANIFEST, plan.as_dict())

    def load_plan(self) -> Plan | None:
        """Read the manifest; None if there is none. Raises BadInput if it is damaged."""
        where = f"{self.path}: {MANIFEST}"
        with self.telling(), _reaching():
            try:
                text = self._files.cat_file(self._at(MANIFEST))
            except FileNotFoundError:
                return None
        try:
            return Plan.from_dict(json.loads(text))
        except BadInput as error:
            raise BadInput(f"{where}: {error}") from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BadInput(f"{where} is damaged: {type(error).__name__}: {error}") from error

    def mark(self, shard: Shard, stats: Stats) -> None:
        """Write the marker of a shard that is finished."""
        self._write_json(shard.name + MARKER, stats.as_dict())

    def figures(self, shard: Shard) -> Stats:
        """Read the figures of a shard that is finished."""
        with self.telling(), _reaching():
            return Stats.from_dict(json.loads(self._files.cat_file(self._at(shard.name + MARKER))))

    def write_lines(self, name: str, lines: Iterable[Any]) -> None:
        """Write a file with a line of JSON for each of some values."""
        with contextlib.closing(self.open_temporary(name)) as file:
            for line in lines:
                with self.telling():
                    file.stream.write(json.dumps(line).encode() + b"\n")
            with self.telling():
                file.complete()
                file.rename()

    def sum_up(self) -> Stats:
        """Add up the statistics of all finished shards, and write them to a file."""
        total = Stats()
        with self.telling():
            names = sorted(name for name in self._names() if _MARKER.fullmatch(name))
            for k in range(0, len(names), MARKERS):
                texts = self._files.cat([self._at(name) for name in names[k : k + MARKERS]])
                for path in sorted(texts):
                    total.add(Stats.from_dict(json.loads(texts[path])))
        self._write_json(TOTAL, total.as_dict())
        return total

    def open_temporary(self, name: str) -> Temporary:
        """Open a file for writing, which gets its name when it is complete."""
        # Hidden, so that it is not taken for a result.
        temporary = f".{name}.{os.getpid()}-{secrets.token_hex(4)}{TEMPORARY}"
        with self.telling():
            return Temporary(self._files, self._at(temporary), self._at(name))

    @contextlib.contextmanager
    def telling(self) -> Iterator[None]:
        """Convert errors with the files to RunStopped, in one line."""
        try:
            yield
        except OSError as error:
            if error.errno in _FULL:
                raise RunStopped(
                    f"{self.path}: the disk is full; free some space and continue with --resume"
                ) from error
            reason = " ".join((error.strerror or str(error) or type(error).__name__).split())
            raise RunStopped(f"{self.path}: cannot be written or read: {reason}") from error

    def _write_json(self, name: str, value: Mapping[str, Any]) -> None:
        with self.telling(), contextlib.closing(self.open_temporary(name)) as file:
            file.stream.write(json.dumps(value, indent=1).encode() + b"\n")
            file.complete()
            file.rename()

    def _names(self) -> list[str]:
        self._files.invalidate_cache()  # others write here too
        try:
            return [path.rsplit("/", 1)[-1] for path in self._files.ls(self._root, detail=False)]
        except FileNotFoundError:  # an object store has no folders, only names that begin alike
            return []

    def _at(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}"


@contextlib.contextmanager
def _reaching() -> Iterator[None]:
    """Raise a store's own errors, of connection or access, as OSError."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(f"{type(error).__name__}: {error}") from error


class Temporary:
    """A file under a temporary name; closing it before it is renamed removes it."""

    def __init__(self, files: Any, path: str, name: str) -> None:
        self._files, self._path, self._name = files, path, name
        self._renamed = False
        self.stream: IO[bytes] = files.open(path, "wb")

    def complete(self) -> None:
        """Flush the file; if it is local, wait until the disk has it, in case of a power cut."""
        with contextlib.suppress(io.UnsupportedOperation):  # of a store, which has everything when it is closed
            number = self.stream.fileno()
            self.stream.flush()
            os.fsync(number)
        self.stream.close()

    def rename(self) -> None:
        """Give the file its name, replacing a file of that name."""
        self._files.mv(self._path, self._name)
        self._renamed = True

    def close(self) -> None:
        """Remove the file unless it was renamed."""
        if not self._renamed:
            with contextlib.suppress(OSError):
                self.stream.close()
            with contextlib.suppress(OSError):
                self._files.rm_file(self._path)


class ShardFiles:
    """The results and rejects of one shard, and signatures if duplicates are to be left out.

    Leaving it without `finish` removes the files.
    """

    def __init__(self, folder: Folder, shard: Shard, options: BatchOptions, columns: str = "") -> None:
        self._folder, self._shard, self._fields = folder, shard, options.fields
        with contextlib.ExitStack() as stack:
            self._files = [
                stack.enter_context(contextlib.closing(folder.open_temporary(shard.name + ending)))
                for ending in (f".{options.format}", REJECTS, *[SIGNATURES] * options.deduplicate)
            ]
            results, rejects, *signatures = (file.stream for file in self._files)
            self._results = stack.enter_context(contextlib.closing(_writer(results, options, columns)))
            self._rejects = stack.enter_context(contextlib.closing(_Lines(rejects)))
            self._signatures = [stack.enter_context(contextlib.closing(_Lines(stream))) for stream in signatures]
            self._stack = stack.pop_all()

    def result(self, row: Row, passed: Row = NONE) -> None:
        """Write a row with the copied columns of the input."""
        named = {passed_name(name, self._fields): value for name, value in passed.items()}
        with self._folder.telling():
            self._results.write(row, named)

    def reject(self, id: str, url: str | None, reason: Reason) -> None:
        """Write a reject: a page without a row, the reason, and the facts that the page states anyway."""
        row = {"id": id, "url": url, "reason": reason}
        if reason.facts:
            row |= {name: reason.facts.get(name) for name in self._fields if name not in row}
        with self._folder.telling():
            self._rejects.write(row)

    def sign(self, signature: Sequence[Any]) -> None:
        """Write the signature of the last result."""
        with self._folder.telling():
            self._signatures[0].write_value(signature)

    def finish(self, stats: Stats) -> None:
        """Complete the files, rename them, and mark the shard as finished."""
        with self._folder.telling():
            for writer in (self._results, self._rejects, *self._signatures):
                writer.complete()
            for file in self._files:
                file.complete()
            for file in self._files:
                file.rename()
        self._folder.mark(self._shard, stats)

    def __enter__(self) -> ShardFiles:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


def _writer(stream: IO[bytes], options: BatchOptions, columns: str) -> _Lines | _Table:
    """Open a writer of rows to a stream, which it leaves open; closing it without `complete` drops the unfinished."""
    return _Table(stream, options, columns) if options.format == "parquet" else _lines(stream, options)


def _lines(stream: IO[bytes], options: BatchOptions) -> _Lines:
    if options.format == "jsonl.gz":
        return _Lines(gzip.GzipFile("", "wb", fileobj=stream, mtime=0), packed=True)
    return _Lines(_zstandard(stream), packed=True) if options.format == "jsonl.zst" else _Lines(stream)


def _zstandard(stream: IO[bytes]) -> Any:
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtra("zstandard", "batch", "zstandard") from error
    return zstandard.ZstdCompressor().stream_writer(stream, closefd=False)


class _Lines:
    """Rows as lines of JSON, in UTF-8; `packed` if they go through a compressor, which has to be closed."""

    def __init__(self, stream: Any, packed: bool = False) -> None:
        self._stream, self._packed = stream, packed
        self._buffer = bytearray()

    def write(self, row: Row, passed: Row = NONE) -> None:
        self.write_value({**row, **passed})

    def write_value(self, value: object) -> None:
        self.write_line(as_line(value) + b"\n")

    def write_line(self, line: bytes) -> None:
        self._buffer += line
        if len(self._buffer) >= BUFFER:
            self._flush()

    def complete(self) -> None:
        self._flush()
        if self._packed:
            self._stream.close()

    def _flush(self) -> None:
        self._stream.write(bytes(self._buffer))
        self._buffer.clear()

    def close(self) -> None:
        if self._packed:
            with contextlib.suppress(OSError, ValueError):
                self._stream.close()


class _Table:
    """Rows as Parquet, one row group after another."""

    def __init__(self, stream: IO[bytes], options: BatchOptions, columns: str) -> None:
        try:
            from pyarrow import parquet
        except ImportError as error:
            raise MissingExtra("Parquet", "batch", "pyarrow") from error
        self._passed = read_columns(columns)
        self._schema = schema(options, self._passed)
        self._writer = parquet.ParquetWriter(stream, self._schema, compression="zstd")
        self._rows: list[dict[str, Any]] = []
        self._bytes = 0

    def write(self, row: Row, passed: Row = NONE) -> None:
        records, sources = row.get("records"), row.get("found")  # Arrow takes a map as a list of pairs
        pairs = {
            "records": records and [list(record.items()) for record in records],
            "found": None if sources is None else list(sources.items()),
        }
        self._rows.append({**row, **pairs, **as_cells(passed, self._passed)})
        self._bytes += len(as_line({**row, **passed}))
        if len(self._rows) >= ROW_GROUP or self._bytes >= ROW_GROUP_BYTES:
            self._flush()

    def complete(self) -> None:
        if self._rows:
            self._flush()
        self._writer.close()

    def _flush(self) -> None:
        import pyarrow

        self._writer.write_table(pyarrow.Table.from_pylist(self._rows, schema=self._schema), row_group_size=ROW_GROUP)
        self._rows, self._bytes = [], 0

    def close(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._writer.close()
        self._writer.is_open = False  # or it tries again, and warns, when it is collected


def copy_shard(
    work: Folder, folder: Folder, shard: Shard, options: BatchOptions, left_out: frozenset[int], lines: Sequence[Row]
) -> None:
    """Copy the files of a shard to another folder, the results without some rows; and write its duplicates."""
    results, rejects = shard.name + f".{options.format}", shard.name + REJECTS
    names = (results, rejects, shard.name + DUPLICATES)
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(contextlib.closing(folder.open_temporary(name))) for name in names]
        with folder.telling(), open_file(f"{work.address}/{results}") as source:
            copy = _copy_table if options.format == "parquet" else _copy_lines
            copy(source, files[0].stream, options, left_out)
        with folder.telling(), open_file(f"{work.address}/{rejects}") as source:
            shutil.copyfileobj(source, files[1].stream)
        with folder.telling():
            for line in lines:
                files[2].stream.write(as_line(line) + b"\n")
            for file in files:
                file.complete()
            for file in files:
                file.rename()


def _copy_lines(source: BinaryIO, stream: IO[bytes], options: BatchOptions, left_out: frozenset[int]) -> None:
    with contextlib.closing(_lines(stream, options)) as writer:
        for number, line in enumerate(_unpacked(source, options)):
            if number not in left_out:
                writer.write_line(line)
        writer.complete()


def _unpacked(source: BinaryIO, options: BatchOptions) -> Iterable[bytes]:
    """The lines of a file of results."""
    if options.format == "jsonl.gz":
        return gzip.GzipFile(fileobj=source)
    if options.format == "jsonl.zst":
        import zstandard

        return io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(source))
    return source


def _copy_table(source: BinaryIO, stream: IO[bytes], options: BatchOptions, left_out: frozenset[int]) -> None:
    import pyarrow
    from pyarrow import parquet

    table = parquet.ParquetFile(source)
    first = 0
    with parquet.ParquetWriter(stream, table.schema_arrow, compression="zstd") as writer:
        for group in range(table.num_row_groups):
            rows = table.read_row_group(group)
            mask = [number not in left_out for number in range(first, first + rows.num_rows)]
            first += rows.num_rows
            if any(mask):
                writer.write_table(rows.filter(pyarrow.array(mask)), row_group_size=ROW_GROUP)


def schema(options: BatchOptions, passed: Iterable[pyarrow.Field] = ()) -> pyarrow.Schema:
    """Return the columns of a Parquet file, including the copied ones; docs/batch.md explains them."""
    import pyarrow as arrow

    text = arrow.string()
    column = arrow.struct([arrow.field("name", text, nullable=False), arrow.field("type", text, nullable=False)])
    types = {
        **dict.fromkeys((*LISTS, "notes"), arrow.list_(text)),
        "found": arrow.map_(text, text),
        "columns": arrow.list_(column),
        "records": arrow.list_(arrow.map_(text, text)),
    }
    own = [arrow.field(name, types.get(name, text), nullable=name != "id") for name in options.fields]
    return arrow.schema([*own, *passed])
