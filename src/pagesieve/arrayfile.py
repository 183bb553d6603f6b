"""Files of arrays, for models and saved pages: npz files, in which nothing is ever run and nothing doubtful is loaded.

`facts.npy` holds the facts as JSON in bytes (kind, version, and more), `NAME.npy` an array each, little-endian and in C
order: `numpy.load(FILE)` shows them. The same arrays give the same file, to the bit. Reading trusts nothing: no more is
unpacked than the directory says and the limit allows, and no array is made whose size is not that of its bytes.
"""

import io
import json
import math
import os
import re
import secrets
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from pagesieve.errors import BadInput, BadModel

Arrays = dict[str, NDArray[Any]]

OLD_MODEL = b"pagesieve model\n"  # how the models of version 0.1.0 begin
ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What the libraries raise for a damaged file.
DAMAGE = (zipfile.BadZipFile, zlib.error, ValueError, RuntimeError, EOFError, OverflowError)
# numpy evaluates the header of an npy file as Python; the headers that it writes can be told by their pattern.
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<|]\w{1,3})', 'fortran_order': False, 'shape': \(([\d, ]{0,60})\), \} *\n",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Spec:
    """What an array has to be: its type, how many dimensions, and whether all numbers have to be finite."""

    dtype: str
    ndim: int
    finite: bool = True


@dataclass(frozen=True, slots=True)
class FileSort:
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
) -> tuple[dict[str, Any], Arrays]:
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
        return _facts(arrays.pop("facts").tobytes(), kind, version), arrays
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


def _unpacked(name: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo, spec: Spec) -> NDArray[Any]:
    """Return an array, read-only and in the machine's own byte order."""
    if member.compress_type not in ZIP_METHODS:
        raise _Doubt(f"the array '{name}' is compressed in another way than zip's own")
    with archive.open(member) as stream:
        data = stream.read(member.file_size)  # without a length, a small file could unpack into a huge one
    header = _HEADER.match(data)
    if header is None or int.from_bytes(data[8:10], "little") != header.end() - 10:
        raise _Doubt(f"the array '{name}' is no plain npy file of version 1.0")
    dtype = np.dtype(
        np.dtype(spec.dtype).newbyteorder("<").str
    )  # as a name: "native" where it is, also to a memoryview
    if header[1].decode() != dtype.str:
        raise _Doubt(f"the array '{name}' is of {header[1]!a}, not {spec.dtype}")
    shape = tuple(map(int, re.findall(rb"\d+", header[2])))
    if len(shape) != spec.ndim or math.prod(shape) * dtype.itemsize != len(data) - header.end():
        raise _Doubt(f"the array '{name}' has the shape {shape!a:.40}, which does not fit")
    array = np.frombuffer(data, dtype, offset=header.end()).reshape(shape)
    if spec.finite and dtype.kind == "f" and not np.isfinite(array).all():
        raise _Doubt(f"the array '{name}' holds a number that is NaN or infinite")
    return array.astype(spec.dtype, copy=False)
