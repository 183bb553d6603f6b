"""`pagesieve records` at the prompt."""

from __future__ import annotations

import csv
import json
import subprocess
import sysconfig
from pathlib import Path

import pytest

PROGRAM = Path(sysconfig.get_path("scripts")) / "pagesieve"
PAGE = (
    "<ul>"
    + "".join(f'<li><a href="/{n}">Chair number {n}</a> <i class=price>£{n}.50</i></li>' for n in range(6))
    + "</ul>"
)


def run(*args: str | Path, input: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([PROGRAM, "records", *args], input=input, capture_output=True, timeout=60, check=False)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "list.html"
    file.write_text(PAGE)
    return file


def test_a_table(page: Path) -> None:
    done = run(page)
    assert done.returncode == 0
    assert b"Chair number 5" in done.stdout
    assert done.stderr.decode() == f"pagesieve: {page}: 6 records, mode static\n"


def test_csv_from_standard_input_to_a_file(tmp_path: Path) -> None:
    done = run("-f", "csv", "-", "--url", "https://shop.example.org/", "-o", tmp_path / "out.csv", input=PAGE.encode())
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr == b"pagesieve: standard input: 6 records, mode static\n"
    with open(tmp_path / "out.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows[2] == {"title": "Chair number 2", "title_link": "https://shop.example.org/2", "price": "£2.50"}


def test_json_is_an_object_a_source(page: Path) -> None:
    (page.parent / "other.html").write_text(PAGE)
    done = run("-f", "json", page.parent)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [Path(each["input"]).name for each in told] == ["list.html", "other.html"]
    assert told[0]["records"][1]["items"]["price"] == {"amount": 1.5, "currency": "GBP"}


def test_several_tables_are_headed(page: Path) -> None:
    done = run("-f", "csv", page, page)
    assert done.stdout.decode().count(f"==> {page} <==") == 2


def test_all_regions(page: Path) -> None:
    page.write_text(PAGE + "<h2>Others</h2>" + PAGE.replace("Chair", "Table").replace("ul>", "ol>"))
    assert b"Table" in run("--all-regions", "-f", "csv", page).stdout


def test_parquet(page: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert run("-f", "parquet", page, "-o", page.parent / "t.parquet").returncode == 0
    assert parquet.read_table(page.parent / "t.parquet").num_rows == 6


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (["--mode", "static", "{nothing}"], 1, "nothing found"),
        (["{empty}"], 2, "empty"),
        (["{missing}"], 2, "No such file"),
        (["-f", "parquet", "{page}"], 2, "name it with -o"),
        (["-f", "parquet", "{page}", "{page}", "-o", "x"], 2, "one table"),
        (["--mode", "static", "--region", "paper", "{page}"], 2, "--region paper needs a browser"),
        (["--mode", "static", "--picture", "x.png", "{page}"], 2, "--picture needs a browser"),
        (["--picture", "x.png", "{page}", "{page}"], 2, "one SOURCE"),
        (["-o", "{folder}/missing/x", "{page}"], 2, "cannot be written"),
        (["--mode", "magic", "{page}"], 2, "'auto', 'visual', 'static'"),
    ],
)
def test_errors_are_one_line(page: Path, args: list[str], status: int, message: str) -> None:
    folder = page.parent
    (folder / "nothing.html").write_text("<p>Nothing recurs here.</p>")
    (folder / "empty.html").write_text("")
    names = {name: folder / f"{name}.html" for name in ("nothing", "empty", "missing")} | {
        "page": page,
        "folder": folder,
    }
    done = run(*(arg.format(**names) for arg in args))
    assert (done.returncode, done.stdout) == (status, b"")
    assert message in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
