"""The files of a crawl's results: their names, what is in their cells, and that nothing stale is left."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from pagesieve.crawl.outputs import INDEX, _file_name, write
from pagesieve.errors import BadInput

HOME = "https://a.example/"


def article(name: str, **more: Any) -> tuple[str, dict[str, Any]]:
    row = {"url": HOME + name, "kind": "article", "title": f"Title of {name}", "text": f"Text of {name}.", **more}
    return "article", row


def table(name: str, *cells: str, column: str = "name") -> tuple[str, dict[str, Any]]:
    row = {
        "url": HOME + name, "kind": "records", "title": "A table", "notes": [],
        "columns": [{"name": column, "type": "text", "listed": False}],
        "records": [{column: cell} for cell in cells], "keys": list(map(str, range(len(cells)))),
    }  # fmt: skip
    return "records", row


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("url", "begins", "ends"),
    [
        ("https://a.example/2024/a-story.html", "a-story-", ".md"),
        ("https://a.example/", "index-", ".md"),
        ("https://a.example/a?id=1", "a-", ".md"),
        ("https://a.example/..%2F..%2Fetc%2Fpasswd", "2F-2Fetc-2Fpasswd-", ".md"),
        ("https://a.example/" + "x" * 1500, "x" * 60 + "-", ".md"),
        ("https://a.example/%00", "00-", ".md"),
        ("https://a.example/汉字" * 1, "汉字-", ".csv"),
    ],
)
def test_names_of_files(url: str, begins: str, ends: str) -> None:
    name = _file_name(url, ends)
    assert name.startswith(begins)
    assert name.endswith(ends)
    assert "/" not in name
    assert len(name.encode()) < 250


def test_pages_of_one_name_have_files_of_their_own() -> None:
    names = {_file_name(f"https://a.example/{folder}/index.html?p={n}", ".md") for folder in "abc" for n in range(9)}
    assert len(names) == 27


# CSV


def test_cells_are_harmless(tmp_path: Path) -> None:
    evil = "=HYPERLINK(1)"
    results = [article("a", title=evil, text="@x"), table("t", evil, "-2", "+1 really", column="=name")]
    write(results, str(tmp_path / "out.csv"))
    page, _ = rows_of(tmp_path / "out.csv")
    assert (page["title"], page["text"]) == (f"'{evil}", "'@x")
    records = rows_of(tmp_path / "out.records.csv")
    assert [record["'=name"] for record in records] == [f"'{evil}", "-2", "'+1 really"]
    write(results, str(tmp_path / "out.csv"), raw_cells=True)
    assert rows_of(tmp_path / "out.csv")[0]["title"] == evil
    assert rows_of(tmp_path / "out.records.csv")[0]["=name"] == evil


def test_the_second_file_goes_with_the_last_table(tmp_path: Path) -> None:
    write([table("t", "x")], str(tmp_path / "out.csv"))
    assert (tmp_path / "out.records.csv").exists()
    write([article("a")], str(tmp_path / "out.csv"))
    assert not (tmp_path / "out.records.csv").exists()


def test_nothing_found_is_a_file_all_the_same(tmp_path: Path) -> None:
    for name in ("out.jsonl", "out.csv", "out.parquet"):
        write([], str(tmp_path / name))
        assert (tmp_path / name).exists()


# A folder of Markdown


def test_stale_files_are_removed_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write([article("a"), article("b", title="Two\u2028lines"), table("t", "=x")], str(folder))
    names = {path.name for path in folder.iterdir()}
    assert len(names) == 4
    (table_file,) = [name for name in names if name.endswith(".csv")]
    assert (folder / table_file).read_text() == "name\n'=x\n"
    (folder / "notes.md").write_text("of somebody else")
    write([article("b")], str(folder))
    left = {path.name for path in folder.iterdir()}
    assert left == {"notes.md", INDEX, _file_name(HOME + "b", ".md")}


@pytest.mark.parametrize("named", ["../kept.md", "kept.md", "..", "/etc/passwd", 7, None])
def test_an_index_of_somebody_else_removes_nothing(tmp_path: Path, named: object) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (tmp_path / "kept.md").write_text("kept")
    (folder / "kept.md").write_text("kept")
    (folder / INDEX).write_text(json.dumps({"file": named}) + "\n")
    write([article("a")], str(folder))
    assert (tmp_path / "kept.md").exists()
    assert (folder / "kept.md").exists()


# Files that are replaced


def test_a_file_is_replaced_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    write([article("a")], str(path))
    before = path.read_bytes()

    def failing() -> Any:
        yield article("b")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(failing(), str(path))
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["out.jsonl"]


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out.parquet", "out"])
def test_an_output_that_cannot_be_written(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be written"):
        write([article("a")], str(tmp_path / "file" / name))


# Databases


def test_two_crawls_in_one_database(tmp_path: Path) -> None:
    name = str(tmp_path / "out.db")
    write([article("a"), article("b"), table("t", "x", "y")], name)
    write([article("b", title="Changed"), article("c")], name)
    write([article("d")], name, table="other")
    with sqlite3.connect(name) as database:
        pages = dict(database.execute("SELECT url, title FROM pages WHERE kind = 'article'"))
        (records,) = database.execute("SELECT count(*) FROM records").fetchone()
        (others,) = database.execute("SELECT count(*) FROM other").fetchone()
    assert pages == {HOME + "a": "Title of a", HOME + "b": "Changed", HOME + "c": "Title of c"}
    assert (records, others) == (2, 1)
