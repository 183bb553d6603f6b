"""Files of arrays, for models and saved pages: npz files, in which nothing is ever run and nothing doubtful is loaded.

`facts.npy` holds the facts as JSON in bytes (kind, version, and more), `NAME.npy` an array each, little-endian and in C
order: `numpy.load(FILE)` shows them. The same arrays give the same file, to the bit. Reading trusts nothing: no more is
unpacked than the directory says and the limit allows, and no array is made whose size is not that of its bytes.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import sys
import zipfile
import zlib
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from pagesieve.errors import BadInput, BadModel

if TYPE_CHECKING:  # what is read at every start does without it
    from importlib.resources.abc import Traversable

    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[Any]]

Unpacked = dict[str, tuple[memoryview, tuple[int, ...]]]  # the numbers of arrays, as bytes, and their shapes
# How numbers are called in an npy file, and in an array of Python.
TYPES = {
    "uint8": ("|u1", "B"),
    "int16": ("<i2", "h"),
    "int32": ("<i4", "i"),
    "int64": ("<i8", "q"),
    "float32": ("<f4", "f"),
    "float64": ("<f8", "d"),
}
_ENDLESS = (0x7F, 0xFF)  # how the numbers begin that are NaN or infinite, and some that are very large

OLD_MODEL = b"pagesieve model\n"  # how the models of version 0.1.0 begin
ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What the libraries raise for a damaged file.
DAMAGE = (zipfile.BadZipFile, zlib.error, ValueError, RuntimeError, EOFError, OverflowError)
# numpy evaluates the header of an npy file as Python; the headers that it writes can be told by their pattern.
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<|]\w{1,3})', 'fortran_order': False, 'shape': \(([\d, ]{0,60})\), \} *\n",
    re.DOTALL,
)


class Spec(NamedTuple):
    """What an array has to be: its type, how many dimensions, and whether all numbers have to be finite."""

    dtype: str
    ndim: int
    finite: bool = True


class FileSort(NamedTuple):
    """What a file is called in messages, how large it may be, how it is compressed, and the error for a bad one."""

    name: str = "a model"
    limit: int = 16_000_000
    compression: int = zipfile.ZIP_STORED  # models are read at every start
    error: type[BadInput] = BadModel


MODEL = FileSort()


class _Doubt(Exception):
    """What is wrong with a file."""


def write(
    path: str | Path, kind: str, version: int, facts: Mapping[str, Any], arrays: Arrays, sort: FileSort = MODEL
) -> None:
    """Write a file: all of it or nothing, and never one of which `read` would refuse the sizes or types."""
    import numpy as np
    from numpy.lib import format as npy

    told = json.dumps({**facts, "kind": kind, "version": version}, sort_keys=True, allow_nan=False).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", sort.compression) as archive:
        for name, array in {"facts": np.frombuffer(told, dtype=np.uint8), **dict(sorted(arrays.items()))}.items():
            member = io.BytesIO()
            npy.write_array(member, array.astype(array.dtype.newbyteorder("<"), order="C"), (1, 0), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue(), sort.compression)  # without a time
    specs = {name: Spec(array.dtype.name, array.ndim, sort is MODEL) for name, array in arrays.items()}
    _checked(buffer, str(path), kind, version, specs, sort)
    put_file(Path(path), buffer.getvalue())


def read(
    source: str | Path | Traversable, kind: str, version: int, expected: Mapping[str, Spec], sort: FileSort = MODEL
) -> tuple[dict[str, Any], Arrays]:
    """Return the facts and the expected arrays of a file, which are read-only; the sort's error says what is wrong.

    How the shapes fit together is for the caller to check.
    """
    import numpy as np

    facts, found = _read(source, kind, version, expected, sort)
    arrays: Arrays = {}
    for name, (data, shape) in found.items():
        dtype = expected[name].dtype
        arrays[name] = np.frombuffer(data, TYPES[dtype][0]).reshape(shape).astype(dtype, copy=False)
    return facts, arrays


def read_columns(
    source: str | Path | Traversable, kind: str, version: int, expected: Mapping[str, Spec], sort: FileSort = MODEL
) -> tuple[dict[str, Any], dict[str, array[Any]]]:
    """Return what `read` does as arrays of Python; all are of one dimension."""
    facts, found = _read(source, kind, version, expected, sort)
    columns = {name: array(TYPES[spec.dtype][1]) for name, spec in expected.items()}
    for name, column in columns.items():
        column.frombytes(found[name][0])
        if sys.byteorder == "big":
            column.byteswap()
    return facts, columns


def _read(
    source: str | Path | Traversable, kind: str, version: int, expected: Mapping[str, Spec], sort: FileSort
) -> tuple[dict[str, Any], Unpacked]:
    file = Path(source) if isinstance(source, str) else source
    try:
        if not file.is_file():  # a pipe or a device may never end
            there = not isinstance(file, Path) or file.exists()
            raise sort.error(f"{file}: {'not a file' if there else 'does not exist'}")
        with file.open("rb") as stream:
            return _checked(stream, str(source), kind, version, expected, sort)
    except (OSError, ValueError) as error:
        if isinstance(error, BadInput):
            raise
        raise sort.error(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def put_file(path: Path, data: bytes) -> None:
    """Write a file under another name and rename it, so that an interruption leaves the old file, or none."""
    import secrets

    temporary = path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}.part")
    try:
        # Renaming onto a device would replace the device.
        if path.exists() and not path.is_file():
            raise BadInput(f"{path}: cannot be written: not a file")
        try:
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror or error}") from error


def _checked(
    stream: IO[bytes], where: str, kind: str, version: int, expected: Mapping[str, Spec], sort: FileSort
) -> tuple[dict[str, Any], Unpacked]:
    try:
        if stream.seek(0, os.SEEK_END) > sort.limit:
            raise _Doubt(f"larger than {sort.limit:,} bytes")
        stream.seek(0)
        if stream.read(len(OLD_MODEL)) == OLD_MODEL:
            raise _Doubt("of version 0.1.0, whose format is no longer read: train it again")
        with zipfile.ZipFile(stream) as archive:
            specs = {"facts": Spec("uint8", 1), **expected}
            members = _members(archive, specs, sort.limit)
            arrays = {name: _unpacked(name, archive, members[name], spec) for name, spec in specs.items()}
        return _facts(arrays.pop("facts")[0].tobytes(), kind, version), arrays
    except _Doubt as doubt:
        raise sort.error(f"{where}: not {sort.name}: {doubt}") from None
    except DAMAGE as error:
        raise sort.error(f"{where}: not {sort.name}: damaged, or another file") from error


def _members(archive: zipfile.ZipFile, specs: Mapping[str, Spec], limit: int) -> dict[str, zipfile.ZipInfo]:
    """Return the wanted members of an archive, if all are there and not too large together; others are not read."""
    members = {member.filename.removesuffix(".npy"): member for member in archive.infolist()}
    if missing := [name for name in specs if name not in members]:
        raise _Doubt(f"the array '{missing[0]}' is missing")
    if sum(members[name].file_size for name in specs) > limit:
        raise _Doubt(f"larger than {limit:,} bytes unpacked")
    return members


def _facts(told: bytes, kind: str, version: int) -> dict[str, Any]:
    facts = json.loads(told)
    json.dumps(facts, allow_nan=False)
    if not isinstance(facts, dict) or "kind" not in facts:
        raise _Doubt("its facts name no kind; files of version 0.1.0 are no longer read")
    if (found := facts.pop("kind")) != kind:
        raise _Doubt(f"of the kind {found!a:.40}, not '{kind}'")
    if (found := facts.pop("version", None)) is True or found != version:
        raise _Doubt(f"of version {found!a:.40}; this Pagesieve reads version {version}")
    return facts


def _unpacked(
    name: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo, spec: Spec
) -> tuple[memoryview, tuple[int, ...]]:
    """Return the numbers of an array, as bytes, and its shape."""
    if member.compress_type not in ZIP_METHODS:
        raise _Doubt(f"the array '{name}' is compressed in another way than zip's own")
    with archive.open(member) as stream:
        data = stream.read(member.file_size)  # without a length, a small file could unpack into a huge one
    header = _HEADER.match(data)
    if header is None or int.from_bytes(data[8:10], "little") != header.end() - 10:
        raise _Doubt(f"the array '{name}' is no plain npy file of version 1.0")
    if header[1].decode() != TYPES[spec.dtype][0]:
        raise _Doubt(f"the array '{name}' is of {header[1]!a}, not {spec.dtype}")
    shape, size = tuple(map(int, re.findall(rb"\d+", header[2]))), int(header[1][-1:])
    if len(shape) != spec.ndim or math.prod(shape) * size != len(data) - header.end():
        raise _Doubt(f"the array '{name}' has the shape {shape!a:.40}, which does not fit")
    if math.prod(filter(None, shape)) * size > sys.maxsize:  # no array can be so large, not even one of nothing
        raise OverflowError
    numbers = memoryview(data)[header.end() :]
    if spec.finite and header[1][1:2] == b"f" and not _are_finite(numbers, TYPES[spec.dtype][1], size):
        raise _Doubt(f"the array '{name}' holds a number that is NaN or infinite")
    return numbers, shape


def _are_finite(numbers: memoryview, code: str, size: int) -> bool:
    """Whether no number is NaN or infinite, given their bytes; few files have one that has to be looked at."""
    begins = numbers.tobytes()[size - 1 :: size]  # every so many bytes of a memoryview take ten times as long
    if not any(first in begins for first in _ENDLESS):
        return True
    found = array(code)
    found.frombytes(numbers)
    if sys.byteorder == "big":
        found.byteswap()
    return all(map(math.isfinite, found))
