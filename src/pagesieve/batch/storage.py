"""Files and folders by path: on this machine where the path is plain, by fsspec where it is s3://… or the like."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, NoReturn, cast

from pagesieve.errors import BadInput, MissingExtra, PagesieveError

EXTRA = "batch"
FETCHED = 4 << 20  # bytes that are asked of a remote store at a time
BLOCK = 1 << 18  # bytes held of an open file
PIECE = 1 << 15  # bytes handed on at a time

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
    """Makes a clear line of whatever keeps a path from being read: a store's library has errors of its own."""
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
    """The file, open for reading at any place of it."""
    system, inner = _filesystem(path)
    return cast(BinaryIO, system.open(inner, "rb", block_size=FETCHED))


def find_file(path: str) -> Stored | None:
    """The file at a path; None where it is a folder. BadInput where there is nothing."""
    system, inner = _filesystem(path)
    with explained(path):
        found = system.info(inner)
    return None if found["type"] == "directory" else Stored(path, found["size"] or 0)


def exists(path: str) -> bool:
    """Whether there is a file or folder of this name."""
    system, inner = _filesystem(path)
    with explained(path):
        return bool(system.exists(inner))


def files_below(folder: str) -> list[Stored]:
    """All files in a folder and the folders in it, in the order of their names."""
    if is_remote(folder):
        system, inner = _filesystem(folder)
        with explained(folder):
            return _remote(system, system.find(inner, detail=True))
    with explained(folder):
        paths = [os.path.join(at, name) for at, _, names in os.walk(folder, onerror=_raised) for name in names]
    return _local(paths)


def matching(pattern: str) -> list[Stored]:
    """The files whose names a pattern matches, in the order of their names."""
    if is_remote(pattern):
        system, inner = _filesystem(pattern)
        with explained(pattern):
            return _remote(system, system.glob(inner, detail=True))
    return _local(glob.glob(pattern, recursive=True))


def is_pattern(path: str) -> bool:
    """Whether a path is meant as a pattern: it has a sign of one, and no file is really called so."""
    return bool(_WILD.search(path)) and not exists(path)


def same_place(path: str) -> str:
    """What is equal for two spellings of one path."""
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


def _remote(system: Any, found: dict[str, dict[str, Any]]) -> list[Stored]:
    return [
        Stored(system.unstrip_protocol(name), about["size"] or 0)
        for name, about in sorted(found.items())
        if about["type"] == "file"
    ]


def _local(paths: list[str]) -> list[Stored]:
    return [Stored(path, os.path.getsize(path)) for path in sorted(paths) if os.path.isfile(path)]


def _raised(error: OSError) -> NoReturn:
    """Names the folder that cannot be read: to pass over it would lose its pages without a word."""
    raise BadInput(f"{error.filename}: {error.strerror}") from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


class Blocks:
    """An open file, read at any place of it with one block held in memory."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._start = 0  # of the block that is held
        self._block = b""
        self.size = file.seek(0, os.SEEK_END)

    def piece(self, offset: int) -> bytes:
        """Some bytes from `offset` on; none at the end of the file."""
        at = offset - self._load(offset)
        return self._block[at : at + PIECE]

    def pieces(self, offset: int) -> Iterator[bytes]:
        """All bytes from `offset` on, piece by piece."""
        while piece := self.piece(offset):
            yield piece
            offset += len(piece)

    def at(self, offset: int, length: int) -> bytes:
        """As many bytes from `offset` on, or fewer at the end of the file."""
        held = bytearray()
        while len(held) < length and (piece := self.piece(offset + len(held))):
            held += piece
        return bytes(held[:length])

    def find(self, mark: bytes, start: int) -> int | None:
        """Where `mark` is found next, at `start` or after it."""
        while start < self.size:
            base = self._load(start)
            found, end = self._block.find(mark, start - base), base + len(self._block)
            if found >= 0:
                return base + found
            start = max(start, end - len(mark) + 1)  # from here on it may lie across the end of the block
            across = self.at(start, 2 * len(mark) - 2).find(mark)
            if across >= 0:
                return start + across
            start = end
        return None

    def _load(self, offset: int) -> int:
        """Sees to it that the block with `offset` is held; gives where that begins."""
        if not self._start <= offset < self._start + len(self._block):
            self._start = offset // BLOCK * BLOCK
            self._file.seek(self._start)
            self._block = self._file.read(BLOCK) if self._start < self.size else b""
        return self._start
