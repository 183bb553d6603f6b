"""What a crawl writes: the columns that were asked for, and nothing that could only fail after the crawl."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from pagesieve.crawl.outputs import check_output, output_format, write, write_rejects
from pagesieve.errors import BadInput, BadOption

PAGE: dict[str, Any] = {
    "url": "https://example.org/a",
    "kind": "article",
    "title": "=A",
    "tags": ["one", "two"],
    "fetched": "2026-01-02T03:04:05+00:00",
    "text": "A text.",
    "markdown": "A *text*.",
}


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("news.jsonl", "json"),
        ("news.CSV", "csv"),
        ("news.parquet", "parquet"),
        ("news.db", "database"),
        ("postgresql://host/news", "database"),
        ("news", "markdown"),
        ("news/", "markdown"),
        ("www.example.org", "markdown"),
    ],
)
def test_the_name_says_the_format(name: str, format: str) -> None:
    assert output_format(name) == format


@pytest.mark.parametrize("name", ["news.txt", "news.md", "pages.HTML", "news.jsonl.gz", "news.xlsx"])
def test_other_sorts_of_files_are_refused(name: str) -> None:
    with pytest.raises(BadOption, match="a folder"):
        output_format(name)


def test_outputs_are_refused_before_the_crawl(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "other.db").write_text("no database at all, but a text")
    for name in ("folder.csv", "file", "other.db"):
        with pytest.raises(BadInput):
            check_output(str(tmp_path / name))
    for name in ("new", "new.csv", "new.jsonl", "new.parquet", "new.db"):
        check_output(str(tmp_path / name))


def test_columns_are_those_of_the_bodies(tmp_path: Path) -> None:
    write([("article", PAGE)], str(tmp_path / "out.csv"), bodies=("markdown",))
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert list(row)[:3] == ["url", "kind", "title"]
    assert list(row)[-3:] == ["parts", "fetched", "markdown"]
    assert (row["title"], row["tags"], row["fetched"]) == ("'=A", "one; two", PAGE["fetched"])


def test_no_results_are_a_table_without_rows(tmp_path: Path) -> None:
    write([], str(tmp_path / "out.csv"))
    assert (tmp_path / "out.csv").read_text("utf-8").startswith("url,kind,title,")


def test_rejects_are_written_to_the_job_folder(tmp_path: Path) -> None:
    write_rejects([("https://example.org/b", "answered 404")], tmp_path)
    assert json.loads((tmp_path / "rejected.jsonl").read_text("utf-8")) == {
        "url": "https://example.org/b",
        "reason": "answered 404",
    }
