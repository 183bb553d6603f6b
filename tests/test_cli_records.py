"""`pagesieve records` at the prompt."""

from __future__ import annotations

import csv
import json
import sqlite3
import subprocess
import sysconfig
from contextlib import closing
from pathlib import Path

import pytest

from tests import postgres
from tests.terminals import on_terminal

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
    done = run(page, "-f", "table")
    assert done.returncode == 0
    assert b"Chair number 5" in done.stdout
    assert done.stderr.decode() == f"pagesieve: {page}: 6 records, mode static\n"


def test_a_terminal_shows_a_table_and_a_pipe_has_csv(page: Path) -> None:
    table, piped = on_terminal([PROGRAM, "records", page], 100), run(page)
    assert "title" in table.splitlines()[0]
    assert "," not in table
    assert table == on_terminal([PROGRAM, "records", "-f", "table", page], 100)
    assert piped.stdout == run("-f", "csv", page).stdout
    assert piped.stdout.startswith(b"title,title_link,price\n")
    assert on_terminal([PROGRAM, "records", "-f", "csv", page], 100).encode() == piped.stdout
    assert run("--raw-cells", page).stdout == piped.stdout


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


def shop(first: int, *, stock: bool = True, url: str = "") -> str:
    cards = "".join(
        f'<li class=card><h3><a href="/chair/{n}">=Chair number {n} of the house</a></h3><div class=price>£{n}.50</div>'
        f"{f'<div class=stock>{n} left</div>' if stock else ''}</li>"
        for n in range(first, first + 5)
    )
    canonical = f'<link rel=canonical href="{url}">' if url else ""
    return f"{canonical}<ul id=chairs>{cards}</ul><a href='?page=2'>2</a><a href='?page=3'>3</a>"


URL = "https://shop.example.org/chairs"


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A folder with three pages of a shop, the last without the stock."""
    folder = tmp_path / "pages"
    folder.mkdir()
    for number, stock in enumerate((True, True, False), 1):
        (folder / f"{number}.html").write_text(shop(10 * number, stock=stock))
    return folder


@pytest.fixture
def schema(pages: Path, tmp_path: Path) -> Path:
    file = tmp_path / "shop.json"
    done = run(pages / "1.html", "--url", URL, "--save-schema", file)
    assert done.returncode == 0
    return file


def test_a_schema_is_written_edited_and_applied(pages: Path, schema: Path) -> None:
    value = json.loads(schema.read_text())
    assert [column["name"] for column in value["columns"]] == ["title", "price", "stock"]
    value["columns"] = value["columns"][::-1]
    value["columns"][0]["name"] = "left"
    schema.write_text(json.dumps(value))
    done = run(pages, "--schema", schema, "-f", "csv", "--url", URL)
    assert done.returncode == 0
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "left,price,title,title_link"  # one header
    assert lines[1] == "10 left,£10.50,'=Chair number 10 of the house,https://shop.example.org/chair/10"
    assert lines[-1] == ",£34.50,'=Chair number 34 of the house,https://shop.example.org/chair/34"
    assert len(lines) == 16
    told = done.stderr.decode().splitlines()
    assert told[-2:] == [
        f"pagesieve: {pages / '3.html'}: columns not found: left",
        f"pagesieve: {pages / '3.html'}: 5 records, mode static; next page: {URL}?page=2",
    ]
    assert len(told) == 4


def test_raw_cells(pages: Path) -> None:
    assert b"\n=Chair" in run(pages / "1.html", "-f", "csv", "--raw-cells").stdout
    assert b"\n'=Chair" in run(pages / "1.html", "-f", "csv").stdout


def test_a_schema_of_several_pages(pages: Path, tmp_path: Path) -> None:
    (tmp_path / "list.html").write_text(PAGE.replace("<li>", "<li><b>of</b> ").replace("</li>", "<u>wood</u></li>"))
    done = run(pages / "3.html", pages / "1.html", "--save-schema", tmp_path / "all.json", "-f", "json")
    assert (done.returncode, done.stderr) == (0, b"")
    value = json.loads((tmp_path / "all.json").read_text())
    assert [(column["name"], column["pages"]) for column in value["columns"]] == [
        ("title", 2),
        ("price", 2),
        ("stock", 1),
    ]


def test_one_parquet_file_of_several_pages(pages: Path, schema: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert run(pages, "--schema", schema, "-o", tmp_path / "t.parquet").returncode == 0
    table = parquet.read_table(tmp_path / "t.parquet")
    assert table.num_rows == 15
    assert table.column("stock").to_pylist()[:6] == [10, 11, 12, 13, 14, 20]
    assert table.column("stock").to_pylist()[-1] is None
    assert table.column("price")[0].as_py() == {"amount": 10.5, "currency": "GBP"}


def test_a_database(pages: Path, tmp_path: Path) -> None:
    file = tmp_path / "results.db"
    done = run(pages, "-o", file, "--table", "chairs", "--url", URL)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b": 5 records (5 new), mode static" in done.stderr
    assert b": 5 records (0 new), mode static" in run(pages, "-o", file, "--table", "chairs", "--url", URL).stderr
    with closing(sqlite3.connect(file)) as connection:
        rows = connection.execute("SELECT title, price, price_currency, stock FROM chairs ORDER BY price").fetchall()
    assert len(rows) == 15
    assert rows[0] == ("=Chair number 10 of the house", 10.5, "GBP", 10)
    assert rows[-1][-1] is None


def test_postgresql(pages: Path, postgresql: str) -> None:
    with postgres.new_database(postgresql) as url:
        assert run(pages, "-o", url).returncode == 0
        again = run(pages, "-o", url)
        assert (again.returncode, again.stderr.count(b"(0 new)")) == (0, 3)
        refused = run(pages / "1.html", "-o", url + "x")
        assert refused.returncode == 2
        assert postgres.PASSWORD.encode() not in refused.stderr
        assert refused.stderr.count(b"\n") == 1


@pytest.mark.parametrize(("name", "begin"), [("x.csv", b"title,"), ("x.json", b'{"input"'), ("x.txt", b"  ")])
def test_the_ending_of_the_output_chooses_the_format(pages: Path, tmp_path: Path, name: str, begin: bytes) -> None:
    assert run(pages / "1.html", "-o", tmp_path / name).returncode == 0
    assert (tmp_path / name).read_bytes().startswith(begin)


def test_the_columns_of_a_site(pages: Path, tmp_path: Path) -> None:
    library = tmp_path / "sites.db"
    learn: list[str | Path] = [PROGRAM, "learn", pages, "--url", URL, "--sites", library]
    assert subprocess.run(learn, capture_output=True, timeout=60, check=False).returncode == 0
    done = run("-f", "csv", pages / "3.html", "--sites", library, "--url", f"{URL}?page=9")
    assert done.stdout.decode().splitlines()[0] == "title,title_link,price,stock"
    other = run("-f", "csv", pages / "3.html", "--sites", library, "--url", "https://other.example.org/")
    assert (other.returncode, other.stdout.decode().splitlines()[0]) == (0, "title,title_link,price")
    assert "no list that the library knows of this site: the columns are the page's own" in other.stderr.decode()


def test_where_the_list_goes_on(pages: Path) -> None:
    told = json.loads(run("-f", "json", pages / "1.html", "--url", URL).stdout)
    assert told["next_url"] == f"{URL}?page=2"


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
        (["--schema", "{missing}", "{page}"], 2, "No such file"),
        (["--schema", "{page}", "{page}"], 2, "not a schema: not JSON"),
        (["--schema", "{schema}", "{page}"], 1, "nothing found: the schema fits no list of this page"),
        (["--schema", "{schema}", "--save-schema", "x", "{page}"], 2, "--save-schema and --schema contradict"),
        (["--schema", "{schema}", "--sites", "x", "{page}"], 2, "--schema and --sites contradict"),
        (["--schema", "{schema}", "--all-regions", "{page}"], 2, "--schema and --all-regions contradict"),
        (["--sites", "{missing}", "{page}"], 2, "there is no such site library"),
        (["--table", "t", "{page}"], 2, "--table is for a database"),
        (["-o", "x.db", "-f", "csv", "{page}"], 2, "leave out -f csv"),
        (["-o", "{folder}/missing/x.db", "{page}"], 2, "does not exist"),
        (["-o", "mysql://me@host/x", "--table", "t", "{page}"], 2, "--table is for a database"),
        (["-f", "table", "--raw-cells", "{page}"], 2, "--raw-cells is for CSV"),
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
        "schema": folder / "schema.json",
    }
    mark = {"path": ["dl", "dd.weight"], "label": "Weight", "type": "number"}
    schema = {"pagesieve_schema": 1, "columns": [{"name": "weight", "type": "number", "field": mark}]}
    (folder / "schema.json").write_text(json.dumps(schema))
    done = run(*(arg.format(**names) for arg in args))
    assert (done.returncode, done.stdout) == (status, b"")
    assert message in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
