"""Files and folders by path: local files, or those of a store that fsspec supports (s3://…)."""

import errno
import glob
import io
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, NoReturn

from pagesieve.errors import BadInput, MissingExtra, PagesieveError

EXTRA = "batch"
FETCHED = 4 << 20  # bytes that are asked of a remote store at a time
BUFFER = 1 << 18  # bytes held of an open file
GZIP = b"\x1f\x8b\x08"  # how a compressed file begins
SEARCHED = 1 << 16  # bytes searched at a time

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_WILD = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class Stored:
    """A file that was found, and its size in bytes."""

    path: str
    size: int


def is_remote(path: str) -> bool:
    """Whether a path is one of fsspec's, as s3://… is."""
    return bool(_SCHEME.match(path))


@contextmanager
def explained(path: str) -> Iterator[None]:
    """Convert any error in reading a path to BadInput; the libraries of stores have different errors."""
    try:
        yield
    except PagesieveError:
        raise
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or _line(error) or 'cannot be read'}") from error
    except Exception as error:
        if not is_remote(path):
            raise
        raise BadInput(f"{path}: {_line(error)}") from error


def open_file(path: str) -> BinaryIO:
    """Open a file for reading at any place of it."""
    if is_remote(path):
        system, inner = _filesystem(path)
        return io.BufferedReader(system.open(inner, "rb", block_size=FETCHED), BUFFER)
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(errno.EINVAL, "not a regular file", path)
    return open(path, "rb", buffering=BUFFER)


def find_file(path: str) -> Stored | None:
    """Find the file at a path; None if it is a folder. Raises BadInput if there is nothing."""
    system, inner = _filesystem(path)
    with explained(path):
        info = system.info(inner)
    return None if info["type"] == "directory" else Stored(path, info["size"] or 0)


def exists(path: str) -> bool:
    """Whether there is a file or folder of this name."""
    system, inner = _filesystem(path)
    with explained(path):
        return bool(system.exists(inner))


def files_below(folder: str) -> list[Stored]:
    """List all files in a folder and the folders in it, in the order of their names."""
    if is_remote(folder):
        system, inner = _filesystem(folder)
        with explained(folder):
            return _remote(system, system.find(inner, detail=True))
    with explained(folder):
        paths = [os.path.join(at, name) for at, _, names in os.walk(folder, onerror=_raised) for name in names]
    return _local(paths)


def matching(pattern: str) -> list[Stored]:
    """List the files whose names a pattern matches, in the order of their names."""
    if is_remote(pattern):
        system, inner = _filesystem(pattern)
        with explained(pattern):
            return _remote(system, system.glob(inner, detail=True))
    return _local(glob.glob(pattern, recursive=True))


def is_pattern(path: str) -> bool:
    """Whether a path is a pattern: it has a wildcard, and no file has exactly this name."""
    return bool(_WILD.search(path)) and not exists(path)


def same_place(path: str) -> str:
    """Return a key that is equal for all spellings of a path."""
    system, inner = _filesystem(path)
    return str(system.unstrip_protocol(inner))


def _filesystem(path: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
        from fsspec.implementations.local import LocalFileSystem
    except ImportError as error:
        raise MissingExtra("batches", EXTRA) from error
    if not is_remote(path):
        return LocalFileSystem(), os.path.abspath(path)
    try:
        system, inner = url_to_fs(path)
    except ImportError as error:  # of the store's own library
        if path.startswith("s3"):
            raise MissingExtra("batches", EXTRA) from error
        raise BadInput(f"{path}: {_line(error)}") from error
    except ValueError as error:
        raise BadInput(f"{path}: {_line(error)}") from error
    return system, inner


def _remote(system: Any, info: dict[str, dict[str, Any]]) -> list[Stored]:
    return [
        Stored(system.unstrip_protocol(name), about["size"] or 0)
        for name, about in sorted(info.items())
        if about["type"] == "file"
    ]


def _local(paths: list[str]) -> list[Stored]:
    """Return files by path, including broken links and pipes, so that reading one of them raises an error."""
    sizes = ((path, os.path.getsize(path) if os.path.isfile(path) else 0) for path in sorted(paths))
    return [Stored(path, size) for path, size in sizes if not os.path.isdir(path)]


def _raised(error: OSError) -> NoReturn:
    """Raise an error that names the unreadable folder; skipping it would silently lose its pages."""
    raise BadInput(f"{error.filename}: {error.strerror}") from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def read_at(file: BinaryIO, offset: int, length: int) -> bytes:
    """Read as many bytes from `offset` on, or fewer at the end of the file."""
    file.seek(offset)
    return file.read(length)


def find(file: BinaryIO, mark: bytes, start: int) -> int | None:
    """Return the next position of `mark`, of two bytes or more, at or after `start`."""
    file.seek(start)
    held = b""
    while block := file.read(SEARCHED):
        held += block
        position = held.find(mark)
        if position >= 0:
            return start + position
        start += max(0, len(held) - len(mark) + 1)
        held = held[1 - len(mark) :]  # it may lie across the end of the block
    return None
