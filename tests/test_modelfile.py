"""Model files: the same bytes each time, and nothing doubtful is loaded."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagesieve.arrayfile import DIGEST_BYTES, MAGIC, MOST_BYTES, Spec, put_file, read, write
from pagesieve.errors import BadInput, BadModel

KIND, VERSION = "toy", 3
ARRAYS: dict[str, Any] = {
    "weights": np.array([[1.5, -2.0, 0.25], [3.0, 4.0, 5.0]], dtype=np.float32),
    "bias": np.array(0.1),
    "left": np.array([1, 2, -3], dtype=np.int32),
    "empty": np.zeros((0, 4), dtype=np.float64),
}
EXPECTED = {
    "weights": Spec("float32", 2),
    "bias": Spec("float64", 0),
    "left": Spec("int32", 1),
    "empty": Spec("float64", 2),
}
FACTS = {"features": "paper", "notes": ["é字", 1.5, None]}
HEADER: dict[str, Any] = {
    "arrays": [
        ["bias", "float64", []],
        ["empty", "float64", [0, 4]],
        ["left", "int32", [3]],
        ["weights", "float32", [2, 3]],
    ],
    "facts": FACTS,
    "kind": KIND,
    "version": VERSION,
}


def sealed(body: bytes) -> bytes:
    return body + hashlib.sha256(body).digest()


def container(header: object, body: bytes | None = None, length: int | None = None) -> bytes:
    """A file with a right digest, whatever it says."""
    text = header if isinstance(header, bytes) else json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    if body is None:
        body = b"".join(ARRAYS[name].tobytes() for name in sorted(ARRAYS))
    return sealed(MAGIC + (len(text) if length is None else length).to_bytes(4, "little") + text + body)


def with_array(name: str, dtype: object, shape: object) -> bytes:
    arrays = [[name, dtype, shape] if entry[0] == name else entry for entry in HEADER["arrays"]]
    return container(HEADER | {"arrays": arrays})


def with_values(**changed: Any) -> bytes:
    arrays = ARRAYS | changed
    return container(HEADER, b"".join(arrays[name].tobytes() for name in sorted(arrays)))


def check_same(arrays: dict[str, Any]) -> None:
    assert list(arrays) == sorted(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert arrays[name].shape == array.shape
        assert arrays[name].tobytes() == array.tobytes()


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("good") / "toy.model"
    write(path, KIND, VERSION, FACTS, ARRAYS)
    return path.read_bytes()


def load(path: Path, data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    path.write_bytes(data)
    return read(path, KIND, VERSION, EXPECTED)


# What is written is read


def test_what_is_written_is_read(tmp_path: Path, good: bytes) -> None:
    facts, arrays = load(tmp_path / "m", good)
    assert facts == FACTS
    check_same(arrays)
    assert not any(array.flags.writeable for array in arrays.values())
    assert all(array.flags.aligned and array.dtype.isnative for array in arrays.values())


def test_the_format_is_the_one_that_is_described(good: bytes) -> None:
    assert good == container(HEADER)


def test_the_same_model_is_the_same_file(tmp_path: Path, good: bytes) -> None:
    swapped = {name: array.astype(array.dtype.newbyteorder(">")) for name, array in reversed(ARRAYS.items())}
    swapped["weights"] = np.asfortranarray(swapped["weights"])
    write(tmp_path / "again", KIND, VERSION, dict(reversed(FACTS.items())), swapped)
    assert (tmp_path / "again").read_bytes() == good


def test_what_would_not_be_read_is_not_written(tmp_path: Path) -> None:
    for facts, arrays in (
        ({}, {"a": np.array([np.nan])}),
        ({"long": "x" * 60_000}, {}),
        ({}, {"a": np.zeros(MOST_BYTES, dtype=np.uint8)}),
    ):
        with pytest.raises(BadModel):
            write(tmp_path / "m", KIND, VERSION, facts, arrays)
    assert list(tmp_path.iterdir()) == []


# What is doubtful is not

HOSTILE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "nothing": (lambda good: b"", "not a model"),
    "a page": (lambda good: b"<!doctype html><p>Not a model.", "not a model"),
    "a pickle": (lambda good: b"\x80\x04cos\nsystem\n(S'true'\ntR.", "not a model"),
    "only the magic": (lambda good: MAGIC, "cut short"),
    "half": (lambda good: good[: len(good) // 2], "cut short"),
    "a byte short": (lambda good: good[:-1], "cut short"),
    "a byte more": (lambda good: good + b"\0", "cut short"),
    "a bit changed": (lambda good: good[:-40] + bytes([good[-40] ^ 1]) + good[-39:], "changed"),
    "too large": (lambda good: good + bytes(MOST_BYTES), "too large"),
    "another kind": (lambda good: container(HEADER | {"kind": "forest"}), "of the kind 'forest', not 'toy'"),
    "no kind": (lambda good: container({}), "of the kind None"),
    "a kind of many lines": (lambda good: container(HEADER | {"kind": "a\nb\x1b[2J" * 900}), r"kind 'a\nb\x1b"),
    "a later version": (lambda good: container(HEADER | {"version": 4}), "version 4; this Pagesieve reads version 3"),
    "an earlier version": (lambda good: container(HEADER | {"version": 2}), "version 2; this Pagesieve reads"),
    "a version that is no number": (lambda good: container(HEADER | {"version": True}), "version True"),
    "a header longer than the file": (lambda good: container(HEADER, length=2**32 - 1), "4,294,967,295 bytes"),
    "a header of the whole limit": (lambda good: container(b" " * 200_000 + b"{}"), "200,002 bytes"),
    "a header that is no JSON": (lambda good: container(b"{'kind'"), "no JSON"),
    "a header that is no ASCII": (lambda good: container(b'{"kind":"\xff"}'), "no JSON"),
    "a header that is a list": (lambda good: container([1]), "no JSON object"),
    "a header nested deeply": (lambda good: container(b"[" * 90_000), "header"),
    "facts nested deeply": (
        lambda good: container(
            b'{"kind":"toy","version":3,"facts":{"a":' + b"[" * 900 + b"]" * 900 + b'},"arrays":[]}'
        ),
        "",
    ),
    "an endless number": (lambda good: container(b'{"kind":' + b"9" * 9000 + b"}"), "no JSON"),
    "facts that are a list": (lambda good: container(HEADER | {"facts": []}), "facts are no JSON object"),
    "no facts": (lambda good: container({k: v for k, v in HEADER.items() if k != "facts"}), "facts are no"),
    "facts too long": (lambda good: container(HEADER | {"facts": {"a": "b" * 60_000}}), "longer than 50,000"),
    "facts with NaN": (lambda good: container(HEADER | {"facts": {"a": float("nan")}}), "no JSON"),
    "facts beyond numbers": (lambda good: container(b'{"facts":{"a":1e999}}'), "no JSON"),
    "no arrays": (lambda good: container(HEADER | {"arrays": None}), "no list of arrays"),
    "arrays that are none": (lambda good: container(HEADER | {"arrays": [7, "weights"]}), "no list of arrays"),
    "an array missing": (lambda good: container(HEADER | {"arrays": HEADER["arrays"][1:]}), "'bias' is missing"),
    "an array too many": (
        lambda good: container(HEADER | {"arrays": [*HEADER["arrays"], ["x\n", "uint8", [0]]]}),
        r"an array 'x\n' that no such",
    ),
    "an array twice": (
        lambda good: container(HEADER | {"arrays": [*HEADER["arrays"], ["left", "int32", [0]]]}),
        "there twice",
    ),
    "a name that is no text": (lambda good: container(HEADER | {"arrays": [[{}, "int32", [0]]]}), "an array {}"),
    "another type": (lambda good: with_array("left", "int64", [3]), "'left' is of 'int64', not int32"),
    "objects": (lambda good: with_array("left", "object", [3]), "is of 'object'"),
    "a type that is no text": (lambda good: with_array("left", [["f", "O"]], [3]), "is of [['f', 'O']]"),
    "too many dimensions": (lambda good: with_array("left", "int32", [1, 3]), "not 1 dimensions"),
    "no shape": (lambda good: with_array("left", "int32", None), "the shape None"),
    "a huge shape": (lambda good: with_array("left", "int32", [10**12]), "the shape [1000000000000]"),
    "a huge shape of nothing": (lambda good: with_array("empty", "float64", [0, 10**30]), "the shape [0, 1000"),
    "a large shape": (lambda good: with_array("weights", "float32", [10**6, 10**6]), "header says 4,000,000,000,020"),
    "a shape below nothing": (lambda good: with_array("left", "int32", [-3]), "the shape [-3]"),
    "a shape of no number": (lambda good: with_array("left", "int32", [3.0]), "the shape [3.0]"),
    "a shape of truths": (lambda good: with_array("left", "int32", [True]), "the shape [True]"),
    "bytes too few": (lambda good: container(HEADER, b"\0" * 8), "8 bytes of arrays where its header says 44"),
    "bytes too many": (lambda good: container(HEADER, b"\0" * 45), "45 bytes of arrays"),
    "not a number": (lambda good: with_values(bias=np.array(np.nan)), "'bias' holds a number that is none"),
    "infinite": (lambda good: with_values(weights=np.full((2, 3), -np.inf, np.float32)), "'weights' holds"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files(name: str, good: bytes, tmp_path: Path) -> None:
    make, message = HOSTILE[name]
    path = tmp_path / "m"
    path.write_bytes(make(good))
    tracemalloc.start()
    try:
        with pytest.raises(BadModel) as caught:
            read(path, KIND, VERSION, EXPECTED)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert message in text
    assert text.isprintable()
    assert len(text) < len(str(path)) + 150
    assert peak < 3 * min(path.stat().st_size, MOST_BYTES) + 1_000_000


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, message in (
        (tmp_path / "absent", "does not exist"),
        (tmp_path, "not a file"),
        (tmp_path / "pipe", "not a file"),
        (Path("/dev/zero"), "not a file"),
    ):
        with pytest.raises(BadModel, match=message):
            read(path, KIND, VERSION, EXPECTED)


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_a_changed_file_is_refused_or_the_same(data: st.DataObject, good: bytes, tmp_path_factory: Any) -> None:
    changed = bytearray(good)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(changed)))
        match data.draw(st.sampled_from(["flip", "cut", "insert", "remove"])):
            case "flip" if at < len(changed):
                changed[at] ^= data.draw(st.integers(1, 255))
            case "cut":
                del changed[at:]
            case "insert":
                changed[at:at] = data.draw(st.binary(max_size=20))
            case _:
                del changed[at : at + data.draw(st.integers(0, 20))]
    check_mutation(bytes(changed), good, tmp_path_factory)


@settings(max_examples=300, deadline=None)
@given(at=st.integers(0, 2**32), new=st.binary(min_size=1, max_size=4), gone=st.integers(0, 4))
def test_a_forged_digest_helps_nobody(at: int, new: bytes, gone: int, good: bytes, tmp_path_factory: Any) -> None:
    """A file changed by somebody who knows the format: refused, or of the right names, types and sizes."""
    body = good[:-DIGEST_BYTES]
    at %= len(body)
    check_mutation(sealed(body[:at] + new + body[at + gone :]), None, tmp_path_factory)


def check_mutation(data: bytes, good: bytes | None, factory: Any) -> None:
    path = factory.getbasetemp() / "mutated.model"
    tracemalloc.start()
    try:
        _, arrays = load(path, data)
    except BadModel as error:
        assert str(error).isprintable()  # noqa: PT017 - either outcome is right
    else:
        assert good is None or data == good
        assert {name: Spec(array.dtype.name, array.ndim) for name, array in arrays.items()} == EXPECTED
        assert all(np.isfinite(array).all() for array in arrays.values())
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 1_000_000


# All of a file or nothing


def test_a_file_is_replaced(tmp_path: Path) -> None:
    for data in (b"old", b"new"):
        put_file(tmp_path / "f", data)
    assert (tmp_path / "f").read_bytes() == b"new"
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o666 & ~umask


@pytest.mark.parametrize("place", ["absent/f", ".", "x" * 300])
def test_a_place_that_cannot_be_written(tmp_path: Path, place: str) -> None:
    with pytest.raises(BadInput, match="cannot be written"):
        put_file(tmp_path / place, b"data")
    assert list(tmp_path.iterdir()) == []


def test_a_device_is_not_replaced() -> None:
    with pytest.raises(BadInput, match="not a file"):
        put_file(Path("/dev/null"), b"data")


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_interrupted_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    path = tmp_path / "m"
    path.write_bytes(b"old")

    def stop(_: int) -> None:
        raise error

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises((KeyboardInterrupt, BadInput)):
        put_file(path, b"new")
    assert [file.name for file in tmp_path.iterdir()] == ["m"]
    assert path.read_bytes() == b"old"


def test_reading_unpickles_nothing(good: bytes, tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(good)
    code = f"""
import pickle, sys
def refuse(*given, **named): raise SystemExit("unpickled")
pickle.load = pickle.loads = pickle.Unpickler = refuse
from pagesieve.arrayfile import Spec, read
read({str(tmp_path / "m")!r}, {KIND!r}, {VERSION}, {EXPECTED!r})
"""
    subprocess.run([sys.executable, "-c", code], check=True)
