"""The files of a batch: complete under their names or not there, the same in every format, clear about a full disk."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
import zstandard
from pyarrow import parquet

from pagesieve.batch import FORMATS, WHATS, BatchOptions, Plan, Shard, Stats, outputs, row_fields
from pagesieve.batch.outputs import Folder, ShardFiles, schema
from pagesieve.errors import BadInput, BadOption, RunStopped
from pagesieve.facts.fields import LISTS
from pagesieve.workers.child import Reason, Sort

SHARD = Shard(3, "files")

# A row of everything, and one of a page that had next to nothing.
FULL: dict[str, Any] = {
    **dict.fromkeys(row_fields("all"), "Wörter, 漢字 \u2028 \0"),
    **{name: ["A", "B"] for name in LISTS},
    "found": {"title": "h1", "author": "text"},
    "notes": [],
    "columns": [{"name": "title", "type": "text"}, {"name": "price", "type": "price"}],
    "records": [{"title": "Thing", "price": "1 EUR"}, {"title": "Other", "price": None}],
}
SPARSE: dict[str, Any] = {
    **dict.fromkeys(row_fields("all")),
    **{name: [] for name in LISTS},
    "id": "b",
    "title": "",
    "found": {},
    "notes": ["a note"],
}


def rows_for(what: str) -> list[dict[str, Any]]:
    return [{name: row[name] for name in row_fields(what)} for row in (FULL, SPARSE)]


def write(folder: str, rows: list[dict[str, Any]], options: BatchOptions) -> None:
    place = Folder(folder)
    place.prepare()
    with ShardFiles(place, SHARD, options) as files:
        for row in rows:
            files.result(row)
        files.reject("c", None, Reason("nothing found: no lines", Sort.NOTHING))
        files.finish(Stats(pages=len(rows) + 1, results=len(rows)))


def read_back(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        found: list[dict[str, Any]] = parquet.read_table(path).to_pylist(maps_as_pydicts="strict")
        return found
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    if path.suffix == ".zst":
        data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
    return [json.loads(line) for line in data.decode().split("\n")[:-1]]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("what", WHATS)
@pytest.mark.parametrize("times", [0, 1, 700], ids=["none", "few", "many"])
def test_what_is_written_is_read_back(what: str, format: str, times: int, tmp_path: Path) -> None:
    rows = rows_for(what) * times
    write(str(tmp_path), rows, BatchOptions(what=what, format=format))
    assert read_back(tmp_path / f"part-00003.{format}") == rows
    assert read_back(tmp_path / "part-00003.rejects.jsonl") == [
        {"id": "c", "url": None, "reason": "nothing found: no lines"}
    ]
    assert len(os.listdir(tmp_path)) == 3


@pytest.mark.parametrize("what", WHATS)
def test_the_schema_is_documented(what: str, root: Path) -> None:
    lines = (root / "docs" / "batch.md").read_text("utf-8").splitlines()
    types = {
        cells[1].strip(" `"): cells[2].strip(" `") for cells in (line.split("|") for line in lines) if len(cells) > 3
    }
    for field in schema(BatchOptions(what=what)):
        assert types[field.name] == re.sub("(item|element): ", "", str(field.type))  # Arrow has two names for them
        assert field.nullable == (field.name != "id")


def test_row_groups_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_for("article") * 1200
    write(str(tmp_path), rows, BatchOptions(format="parquet"))
    written = parquet.ParquetFile(tmp_path / "part-00003.parquet").metadata
    assert [written.row_group(k).num_rows for k in range(written.num_row_groups)] == [1000, 1000, 400]
    monkeypatch.setattr(outputs, "ROW_GROUP_BYTES", 1000)
    write(str(tmp_path), rows[:20], BatchOptions(format="parquet"))
    assert parquet.ParquetFile(tmp_path / "part-00003.parquet").metadata.num_row_groups > 1


@pytest.mark.parametrize("format", FORMATS)
def test_without_finish_nothing_is_left(format: str, tmp_path: Path) -> None:
    files = ShardFiles(Folder(str(tmp_path)), SHARD, BatchOptions(format=format))
    assert all(name.startswith(".part-00003.") for name in os.listdir(tmp_path))
    with files:
        files.result(rows_for("article")[0])
    assert os.listdir(tmp_path) == []


def test_a_shard_that_is_repeated_replaces_its_files(tmp_path: Path) -> None:
    for rows in (rows_for("article"), rows_for("article")[:1]):
        write(str(tmp_path), rows, BatchOptions())
    assert len(read_back(tmp_path / "part-00003.jsonl")) == 1


# The folder


@pytest.fixture(params=["plain", "file", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    folder = f"{tmp_path}/a b/out"
    return {"plain": folder, "file": f"file://{folder}", "memory": f"memory://{folder}"}[request.param]


def test_a_folder_knows_what_is_finished(place: str) -> None:
    folder = Folder(place)
    folder.prepare()
    assert folder.finished() == set()
    assert folder.load_plan() is None
    plan = Plan(("a.warc.gz",), BatchOptions(), (SHARD, Shard(4, "warc", "a.warc.gz", 0, 100)))
    folder.save_plan(plan)
    assert folder.load_plan() == plan
    write(place, rows_for("article"), BatchOptions())
    folder.mark(Shard(123456, "files"), Stats(pages=2, results=2, seconds=1.5))
    with fsspec.open(f"{place}/.part-00009.jsonl.1-ab.tmp", "wb") as file:
        file.write(b"half a li")
    assert folder.finished() == {3, 123456}
    folder.prepare()
    assert folder.sum_up() == Stats(pages=5, results=4, seconds=1.5)
    files, root = fsspec.core.url_to_fs(place)
    assert {path.rsplit("/", 1)[1] for path in files.ls(root, detail=False)} == {
        "manifest.json",
        "stats.json",
        "part-00003.jsonl",
        "part-00003.rejects.jsonl",
        "part-00003.stats.json",
        "part-123456.stats.json",
    }


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 99}', '{"version": 1, "shards": 5}', '{"version": 1}'])
def test_a_damaged_manifest_is_said_to_be(text: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(BadInput, match=r"manifest\.json"):
        Folder(str(tmp_path)).load_plan()


@pytest.mark.parametrize("path", ["nonsense://folder", "nonsense9:///x"])
def test_an_unknown_store_is_refused(path: str) -> None:
    with pytest.raises(BadInput, match="nonsense"):
        Folder(path)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("file", "file/below"):
        with pytest.raises(RunStopped, match=r"cannot be written.*(exists|directory)") as caught:
            Folder(str(tmp_path / name)).prepare()
        assert "\n" not in str(caught.value)
    with pytest.raises(RunStopped, match="cannot be written"):
        ShardFiles(Folder(str(tmp_path / "nowhere")), SHARD, BatchOptions())


# A full disk


@pytest.fixture
def full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with room for a megabyte; where mounting is not allowed, one whose files are all /dev/full."""
    mounted = tmp_path / "small"
    mounted.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(mounted)]
    try:
        allowed = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        allowed = False
    if allowed:
        yield mounted
        subprocess.run(["umount", str(mounted)], check=True)
        return
    if not os.path.exists("/dev/full"):
        pytest.skip("neither a mount nor /dev/full")
    files = fsspec.filesystem("file")
    monkeypatch.setattr(type(files), "open", lambda *_: Path("/dev/full").open("wb"))  # noqa: SIM115
    yield mounted


@pytest.mark.parametrize("format", FORMATS)
def test_a_full_disk_is_one_clear_line(format: str, full_disk: Path) -> None:
    noise = os.urandom(1 << 20).hex()
    rows = [{**rows_for("article")[0], "text": noise[k : k + 10_000]} for k in range(0, len(noise), 10_000)]
    with pytest.raises(RunStopped, match=r"the disk is full.*--resume") as caught:
        write(str(full_disk), rows, BatchOptions(format=format))
    assert "\n" not in str(caught.value)
    assert os.listdir(full_disk) == []
    assert Folder(str(full_disk)).finished() == set()


@pytest.mark.parametrize(
    ("sites", "written"),
    [
        ("postgresql://me:s3cret@host:5432/sites", "postgresql://***@host:5432/sites"),
        ("postgresql://me:a/s3cret:b@host/sites", "postgresql://***@host/sites"),
        ("postgresql://host/sites?user=me&password=s3cret&x=1", "postgresql://host/sites?user=***&password=***&x=***"),
        ("postgresql://me@host/sites", "postgresql://***@host/sites"),
        ("sites@home.db", "sites@home.db"),
        (None, None),
    ],
)
def test_passwords_are_not_written_down(sites: str | None, written: str | None, tmp_path: Path) -> None:
    plan = Plan(("a.warc",), BatchOptions(sites=sites), (SHARD,))
    Folder(str(tmp_path)).save_plan(plan)
    assert "s3cret" not in (tmp_path / "manifest.json").read_text()
    again = Folder(str(tmp_path)).load_plan()
    assert again is not None
    assert again.options.sites == written
    again.check_same(plan.sources, plan.options)
    with pytest.raises(BadOption, match="sites"):
        again.check_same(plan.sources, BatchOptions(sites="other.db"))
