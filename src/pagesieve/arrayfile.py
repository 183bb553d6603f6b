"""Files of arrays, for every model of Pagesieve: nothing in them is ever run, and nothing doubtful is loaded.

    magic    b"pagesieve model\\n"
    length   of the header, 4 bytes
    header   JSON: kind, version, facts (an object), arrays (name, dtype and shape of each, in the order of the names)
    arrays   their bytes, one after the other
    digest   SHA-256 of all before it

Numbers are little-endian, arrays in C order, JSON with sorted keys and without blanks: the same model is the same
file, to the bit. A container of our own rather than a zip of npy files, because it can be checked completely in a few
lines: nothing is compressed, so that a file can claim no more than it holds, and the sizes have to add up to the file's
own before an array is made. `head -c 1000 FILE` shows what is in it.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from pagesieve.errors import BadInput, BadModel

Arrays = dict[str, NDArray[Any]]

MAGIC = b"pagesieve model\n"
LENGTH_BYTES = 4
DIGEST_BYTES = hashlib.sha256().digest_size
MOST_BYTES = 16_000_000  # of a file
PIECE_BYTES = 1 << 16  # read at a time
MOST_HEADER_BYTES = 100_000
MOST_FACT_BYTES = 50_000
SHOWN = 40  # characters of what a file says that are repeated in a message

DTYPES = {
    "uint8": "|u1",
    "uint16": "<u2",
    "uint32": "<u4",
    "int16": "<i2",
    "int32": "<i4",
    "int64": "<i8",
    "float32": "<f4",
    "float64": "<f8",
}


@dataclass(frozen=True, slots=True)
class Spec:
    """What an array of a model has to be: one of DTYPES, and how many dimensions."""

    dtype: str
    ndim: int


def write(path: str | Path, kind: str, version: int, facts: Mapping[str, Any], arrays: Arrays) -> None:
    """Writes a model: all of it or nothing, and never one that `read` would refuse."""
    data = _packed(kind, version, facts, arrays)
    specs = {name: Spec(array.dtype.name, array.ndim) for name, array in arrays.items()}
    _unpacked(data, kind, version, specs, str(path))
    put_file(Path(path), data)


def read(
    source: str | Path | Traversable, kind: str, version: int, expected: Mapping[str, Spec]
) -> tuple[dict[str, Any], Arrays]:
    """The facts and the arrays of a model: exactly those expected, finite, and read-only. BadModel says what is wrong.

    How the shapes fit together is for the model's own loader to check.
    """
    file = Path(source) if isinstance(source, str) else source
    return _unpacked(_bytes_of(file), kind, version, expected, str(source))


def put_file(path: Path, data: bytes) -> None:
    """Writes a file under another name and renames it, so that whoever stops it leaves the old file, or none."""
    temporary = path.with_name(f".{path.name[:SHOWN]}.{secrets.token_hex(4)}.part")
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


# Writing


def _packed(kind: str, version: int, facts: Mapping[str, Any], arrays: Arrays) -> bytes:
    columns = {name: arrays[name].astype(DTYPES[arrays[name].dtype.name], order="C") for name in sorted(arrays)}
    header = _json(
        {
            "kind": kind,
            "version": version,
            "facts": dict(facts),
            "arrays": [[name, array.dtype.name, list(array.shape)] for name, array in columns.items()],
        }
    )
    parts = [MAGIC, len(header).to_bytes(LENGTH_BYTES, "little"), header, *(a.tobytes() for a in columns.values())]
    body = b"".join(parts)
    return body + hashlib.sha256(body).digest()


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


# Reading


class _Doubt(Exception):
    """What is wrong with a file."""


def _bytes_of(file: Path | Traversable) -> bytes:
    try:
        # A pipe or a device may never end.
        if not file.is_file():
            there = not isinstance(file, Path) or file.exists()
            raise BadModel(f"{file}: {'not a file' if there else 'does not exist'}")
        with file.open("rb") as stream:
            return _read_limited(stream)
    except (OSError, ValueError) as error:
        if isinstance(error, BadModel):
            raise
        raise BadModel(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _read_limited(stream: IO[bytes]) -> bytes:
    """A whole file, or as much as shows that it is too large: piece by piece, as a read takes all it might need."""
    data = bytearray()
    while len(data) <= MOST_BYTES and (piece := stream.read(PIECE_BYTES)):
        data += piece
    return bytes(data)


def _unpacked(
    data: bytes, kind: str, version: int, expected: Mapping[str, Spec], where: str
) -> tuple[dict[str, Any], Arrays]:
    try:
        header, body = _opened(data)
        _check_kind(header, kind, version)
        return _facts(header), _arrays(header, expected, body)
    except _Doubt as doubt:
        raise BadModel(f"{where}: {doubt}") from None
    except RecursionError:
        raise BadModel(f"{where}: a damaged model: its header is nested too deeply") from None


def _opened(data: bytes) -> tuple[dict[str, Any], memoryview]:
    """The header of a whole file, and the bytes of its arrays."""
    if len(data) > MOST_BYTES:
        raise _Doubt(f"too large for a model: more than {MOST_BYTES:,} bytes")
    if not data.startswith(MAGIC):
        raise _Doubt("not a model of Pagesieve")
    start, end = len(MAGIC) + LENGTH_BYTES, len(data) - DIGEST_BYTES
    if end < start or hashlib.sha256(memoryview(data)[:end]).digest() != data[end:]:
        raise _Doubt("a damaged model: cut short or changed")
    length = int.from_bytes(data[len(MAGIC) : start], "little")
    if length > min(MOST_HEADER_BYTES, end - start):
        raise _Doubt(f"a damaged model: its header would be {length:,} bytes")
    header = _parsed(data[start : start + length])
    if not isinstance(header, dict):
        raise _Doubt("a damaged model: its header is no JSON object")
    return header, memoryview(data)[start + length : end]


def _parsed(text: bytes) -> object:
    try:
        return json.loads(text.decode("ascii"), parse_constant=_no_number, parse_float=_finite)
    except ValueError as error:
        raise _Doubt("a damaged model: its header is no JSON") from error


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _check_kind(header: dict[str, Any], kind: str, version: int) -> None:
    found = header.get("kind")
    if found != kind:
        raise _Doubt(f"a model of the kind {_shown(found)}, not '{kind}'")
    found = header.get("version")
    if not _is_count(found) or found != version:
        raise _Doubt(f"a model '{kind}' of version {_shown(found)}; this Pagesieve reads version {version}")


def _facts(header: dict[str, Any]) -> dict[str, Any]:
    facts = header.get("facts")
    if not isinstance(facts, dict):
        raise _Doubt("a damaged model: its facts are no JSON object")
    if len(_json(facts)) > MOST_FACT_BYTES:
        raise _Doubt(f"its facts are longer than {MOST_FACT_BYTES:,} bytes")
    return facts


def _arrays(header: dict[str, Any], expected: Mapping[str, Spec], body: memoryview) -> Arrays:
    """The arrays. Nothing is made before every size is known and all sizes together are those of the file."""
    listed = header.get("arrays")
    if not isinstance(listed, list) or not all(isinstance(entry, list) and len(entry) == 3 for entry in listed):
        raise _Doubt("a damaged model: no list of arrays")
    _check_names([name for name, _, _ in listed], expected)
    shapes = {name: _checked_shape(name, dtype, shape, expected[name]) for name, dtype, shape in listed}
    dtypes = {name: np.dtype(DTYPES[expected[name].dtype]) for name in shapes}
    sizes = {name: math.prod(shape) * dtypes[name].itemsize for name, shape in shapes.items()}
    if sum(sizes.values()) != len(body):
        raise _Doubt(f"a damaged model: {len(body):,} bytes of arrays where its header says {sum(sizes.values()):,}")
    arrays, start = {}, 0
    for name, shape in shapes.items():
        flat = np.frombuffer(body[start : start + sizes[name]], dtype=dtypes[name])
        arrays[name] = _sound(name, flat.reshape(shape))
        start += sizes[name]
    return arrays


def _check_names(names: list[Any], expected: Mapping[str, Spec]) -> None:
    if names == sorted(expected):
        return
    for name in names:
        if not isinstance(name, str) or name not in expected:
            raise _Doubt(f"an array {_shown(name)} that no such model has")
    missing = sorted(set(expected) - set(names))
    raise _Doubt(f"the array '{missing[0]}' is missing" if missing else "arrays out of order or there twice")


def _checked_shape(name: str, dtype: Any, shape: Any, spec: Spec) -> tuple[int, ...]:
    if dtype != spec.dtype:
        raise _Doubt(f"the array '{name}' is of {_shown(dtype)}, not {spec.dtype}")
    if not isinstance(shape, list) or len(shape) != spec.ndim:
        raise _Doubt(f"the array '{name}' has the shape {_shown(shape)}, not {spec.ndim} dimensions")
    if not all(_is_count(length) and length <= MOST_BYTES for length in shape):
        raise _Doubt(f"the array '{name}' has the shape {_shown(shape)}")
    return tuple(shape)


def _sound(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """The array in the machine's own byte order, aligned and read-only."""
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise _Doubt(f"the array '{name}' holds a number that is none (NaN or infinite)")
    own = array.astype(array.dtype.newbyteorder("="))
    own.flags.writeable = False
    return own


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _shown(value: object) -> str:
    """What a file says, on one line and not too long."""
    text = ascii(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"
