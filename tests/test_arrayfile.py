"""Files of arrays: the same bytes each time, and nothing doubtful is loaded."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagesieve.arrayfile import MODEL, Spec, put_file, read, write
from pagesieve.errors import BadInput, BadModel
from tests.profiles import examples

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
TOLD: dict[str, Any] = FACTS | {"kind": KIND, "version": VERSION}


def npy(array: Any, **header: Any) -> bytes:
    """An npy file of an array, whatever its header says."""
    described = {"descr": array.dtype.str, "fortran_order": False, "shape": array.shape} | header
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, described)
    return buffer.getvalue() + bytes(array.tobytes())


def container(told: object = TOLD, method: int = zipfile.ZIP_STORED, **changed: bytes | None) -> bytes:
    """A file with right checksums, whatever it says; the members changed or, with None, left out."""
    told = told if isinstance(told, bytes) else json.dumps(told, sort_keys=True).encode()
    members: dict[str, bytes | None] = {"facts": npy(np.frombuffer(told, dtype=np.uint8))}
    members |= {name: npy(ARRAYS[name]) for name in sorted(ARRAYS)}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in (members | changed).items():
            if data is not None:
                archive.writestr(zipfile.ZipInfo(f"{name}.npy"), data, method)
    return buffer.getvalue()


def with_array(name: str, dtype: object, shape: object) -> bytes:
    changed: dict[str, Any] = {name: npy(ARRAYS[name], descr=dtype, shape=shape)}
    return container(**changed)


def bomb() -> bytes:
    """A file whose directory says that a member is small, though it unpacks into a hundred times the limit."""
    data = container(method=zipfile.ZIP_DEFLATED, left=npy(np.zeros(MODEL.limit * 4, dtype=np.uint8)))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = archive.getinfo("left.npy").file_size
    return data.replace(size.to_bytes(4, "little"), (140).to_bytes(4, "little"))


def check_same(arrays: dict[str, Any]) -> None:
    assert set(arrays) == set(ARRAYS)
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
    assert good == container()
    with np.load(io.BytesIO(good), allow_pickle=False) as archive:
        assert json.loads(archive["facts"].tobytes()) == TOLD
        check_same({name: archive[name] for name in archive.files if name != "facts"})


def test_the_same_model_is_the_same_file(tmp_path: Path, good: bytes) -> None:
    swapped = {name: array.astype(array.dtype.newbyteorder(">")) for name, array in reversed(ARRAYS.items())}
    swapped["weights"] = np.asfortranarray(swapped["weights"])
    write(tmp_path / "again", KIND, VERSION, dict(reversed(FACTS.items())), swapped)
    assert (tmp_path / "again").read_bytes() == good


def test_what_would_not_be_read_is_not_written(tmp_path: Path) -> None:
    for facts, arrays in (
        ({}, {"a": np.array([np.nan])}),
        ({}, {"a": np.zeros(MODEL.limit, dtype=np.uint8)}),
    ):
        with pytest.raises(BadModel):
            write(tmp_path / "m", KIND, VERSION, facts, arrays)
    assert list(tmp_path.iterdir()) == []


# What is doubtful is not

HOSTILE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "nothing": (lambda good: b"", "another file"),
    "a page": (lambda good: b"<!doctype html><p>Not a model.", "not a model: damaged, or another file"),
    "a pickle": (lambda good: b"\x80\x04cos\nsystem\n(S'true'\ntR.", "another file"),
    "a model of version 0.1.0": (lambda good: b"pagesieve model\n" + bytes(200), "of version 0.1.0, whose format"),
    "half": (lambda good: good[: len(good) // 2], "damaged"),
    "a byte short": (lambda good: good[:-1], "damaged"),
    "a bit changed": (lambda good: _flipped(good, good.index(b"features")), "damaged"),
    "too large": (lambda good: good + bytes(MODEL.limit), "larger than 16,000,000 bytes"),
    "too large unpacked": (
        lambda good: container(
            method=zipfile.ZIP_DEFLATED,
            left=npy(np.zeros(MODEL.limit, dtype=np.uint8), descr="<i4", shape=(4_000_000,)),
        ),
        "larger than 16,000,000 bytes unpacked",
    ),
    "more than it says": (lambda good: bomb(), ""),
    "compressed otherwise": (lambda good: container(method=zipfile.ZIP_BZIP2), "compressed in another way"),
    "another kind": (lambda good: container(TOLD | {"kind": "forest"}), "of the kind 'forest', not 'toy'"),
    "no kind": (lambda good: container({}), "name no kind"),
    "a kind of many lines": (lambda good: container(TOLD | {"kind": "a\nb\x1b[2J" * 900}), r"kind 'a\nb\x1b"),
    "a later version": (lambda good: container(TOLD | {"version": 4}), "version 4; this Pagesieve reads version 3"),
    "an earlier version": (lambda good: container(TOLD | {"version": 2}), "version 2; this Pagesieve reads"),
    "a version that is no number": (lambda good: container(TOLD | {"version": True}), "version True"),
    "facts that are no JSON": (lambda good: container(b"{'kind'"), "damaged"),
    "facts that are no text": (lambda good: container(b'{"kind":"\xff"}'), "damaged"),
    "facts that are a list": (lambda good: container([1]), "name no kind"),
    "facts nested deeply": (lambda good: container(b"[" * 90_000), "damaged"),
    "an endless number": (lambda good: container(b'{"kind":' + b"9" * 9000 + b"}"), "damaged"),
    "facts with NaN": (lambda good: container(TOLD | {"a": float("nan")}), "damaged"),
    "facts beyond numbers": (lambda good: container(b'{"a":1e999}'), "damaged"),
    "facts in another type": (lambda good: container(facts=npy(np.zeros(3))), "'facts' is of"),
    "no facts": (lambda good: container(facts=None), "'facts' is missing"),
    "an array missing": (lambda good: container(bias=None), "'bias' is missing"),
    "no array": (lambda good: container(left=b"\x93NUMPY"), "no plain npy file"),
    "another header": (lambda good: container(left=_flipped(npy(ARRAYS["left"]), 8)), "no plain npy file"),
    "another version of npy": (lambda good: container(left=b"\x93NUMPY\x02\x00"), "no plain npy file"),
    "a header nested deeply": (
        lambda good: container(left=b"\x93NUMPY\x01\x00\x10\x27" + b"(" * 10_000),
        "no plain npy",
    ),
    "another type": (lambda good: with_array("left", "<i8", (3,)), "'left' is of b'<i8', not int32"),
    "another byte order": (lambda good: with_array("left", ">i4", (3,)), "no plain npy file"),
    "objects": (lambda good: with_array("left", "|O", (3,)), "is of b'|O', not"),
    "columns": (lambda good: with_array("left", [("f", "<i4")], (3,)), "no plain npy file"),
    "too many dimensions": (lambda good: with_array("left", "<i4", (1, 3)), "the shape (1, 3)"),
    "a huge shape": (lambda good: with_array("left", "<i4", (10**12,)), "the shape (1000000000000,)"),
    "a huge shape of nothing": (lambda good: with_array("empty", "<f8", (0, 10**30)), "damaged"),
    "a large shape": (lambda good: with_array("weights", "<f4", (10**6, 10**6)), "which does not fit"),
    "a shape below nothing": (lambda good: with_array("left", "<i4", (-3,)), "no plain npy file"),
    "a shape of two below nothing": (lambda good: with_array("weights", "<f4", (-2, -3)), "no plain npy file"),
    "a shape of no number": (lambda good: with_array("left", "<i4", (3.0,)), "no plain npy file"),
    "Fortran's order": (
        lambda good: container(weights=npy(ARRAYS["weights"], fortran_order=True)),
        "no plain npy file",
    ),
    "bytes too few": (lambda good: container(left=npy(ARRAYS["left"])[:-1]), "which does not fit"),
    "bytes too many": (lambda good: container(left=npy(ARRAYS["left"]) + b"\0"), "which does not fit"),
    "not a number": (lambda good: container(bias=npy(np.array(np.nan))), "'bias' holds a number that is NaN"),
    "infinite": (lambda good: container(weights=npy(np.full((2, 3), -np.inf, np.float32))), "'weights' holds"),
}


def _flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def test_arrays_that_are_not_expected_are_not_read(tmp_path: Path) -> None:
    _, arrays = load(tmp_path / "m", container(more=b"anything", again=npy(np.array([{}], dtype="O").astype("U"))))
    check_same(arrays)


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
    assert peak < 3 * min(path.stat().st_size, MODEL.limit) + 1_000_000


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


@examples(300)
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
    check_mutation(bytes(changed), True, tmp_path_factory)


@examples(300)
@given(
    name=st.sampled_from(["facts", *ARRAYS]),
    at=st.integers(0, 2**32),
    new=st.binary(min_size=1, max_size=4),
    gone=st.integers(0, 4),
)
def test_forged_checksums_help_nobody(name: str, at: int, new: bytes, gone: int, tmp_path_factory: Any) -> None:
    """A file changed by somebody who knows the format: refused, or of the right names, types and sizes."""
    member = npy(np.frombuffer(json.dumps(TOLD).encode(), dtype=np.uint8)) if name == "facts" else npy(ARRAYS[name])
    at %= len(member)
    changed: Any = {name: member[:at] + new + member[at + gone :]}
    check_mutation(container(**changed), False, tmp_path_factory)


def check_mutation(data: bytes, is_same: bool, factory: Any) -> None:
    path = factory.getbasetemp() / "mutated.model"
    tracemalloc.start()
    try:
        _, arrays = load(path, data)
    except BadModel as error:
        assert str(error).isprintable()  # noqa: PT017 - either outcome is right
    else:
        if is_same:  # what changed was not of the arrays
            check_same(arrays)
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
