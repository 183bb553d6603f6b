"""What the web page asks besides the other endpoints: corrected pages, tables as files, what the service can do."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pagesieve
from pagesieve.cli import main
from pagesieve.evaluate.archives import find_sets, read_gold, read_pages, take_sample
from tests.service.running import Service, running
from tests.service.tide_pages import MARK, is_wanted, tide_page

URL = "https://tides.example.org/1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("corrections") / "new"


@pytest.fixture(scope="module")
def saving(folder: Path) -> Iterator[Service]:
    with running("--workers", "1", "--corrections", str(folder)) as found:
        yield found


def corrected(service: Service, page: str) -> dict[str, Any]:
    """Return the page with what a reader would correct."""
    units = service.post("v1/explain", html=page).json()["views"][0]["units"]
    wrong = [unit for unit in units if unit["kept"] != is_wanted(unit["text"])]
    ids = {value: [unit["id"] for unit in wrong if unit["kept"] is not value] for value in (True, False)}
    assert wrong
    return {"html": page, "url": URL, "belongs": ids[True], "belongs_not": ids[False]}


def test_a_correction_is_saved(saving: Service, folder: Path) -> None:
    page = tide_page(0)
    made = saving.post("v1/corrections", pages=[corrected(saving, page)])
    assert made.json() == {"set": "articles", "saved": 1, "pages": 1}
    (found,) = find_sets([folder])
    ((gold, html),) = read_pages(take_sample(found))
    assert html.decode("utf-8-sig") == page
    assert (gold.url, gold.site, gold.lang, gold.title) == (URL, "tides.example.org", "en", "Tides at Skarn")
    lines = gold.text.split("\n\n")
    assert len(lines) == 8
    assert all(map(is_wanted, lines))


def test_both_sorts_of_corrections(saving: Service, tmp_path: Path) -> None:
    """What did not belong can be made to belong, in the order of the page."""
    page = "<h1>Bread</h1><p>" + "Mix flour and water, and wait for a day. " * 5 + "<ul><li><a href=/>Menu</a></ul>"
    units = saving.post("v1/explain", html=page).json()["views"][0]["units"]
    menu = next(unit["id"] for unit in units if unit["text"] == "Menu")
    made = saving.post("v1/corrections/archive", pages=[{"html": page, "belongs": [menu]}])
    assert made.headers["content-disposition"] == 'attachment; filename="articles.tar.xz"'
    (tmp_path / "articles.tar.xz").write_bytes(made.content)
    (gold,) = read_gold(find_sets([tmp_path])[0]).values()
    assert gold.text.startswith(pagesieve.article(page).text)
    assert gold.text.endswith("Menu")
    assert gold.site is None


def test_records_are_a_set_of_their_own(saving: Service, folder: Path, site: Path) -> None:
    page = (site / "shop/grid.html").read_text("utf-8")
    units = saving.post("v1/explain", html=page, records=True).json()["views"][0]["units"]
    records = [unit["id"] for unit in units if unit["fate"] == "record"]
    asked = {"html": page, "kind": "records", "belongs_not": records[:2]}
    assert saving.post("v1/corrections", pages=[asked]).json() == {"set": "records", "saved": 1, "pages": 1}
    found = next(each for each in find_sets([folder]) if each.name == "records")
    sample = take_sample(found)
    assert sample.is_of_records
    (gold,) = sample.golds.values()
    assert len(gold.records) == len(records) - 2 == 22
    assert all(record.fields for record in gold.records)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"belongs": [99]}, "no unit 99"),
        ({"belongs": [-1]}, "no unit -1"),
        ({"belongs": [1], "belongs_not": [1]}, "both"),
        ({"method": "none"}, "method is one of"),
        ({"kind": "records", "belongs": [10_000]}, "no"),
        ({"belongs_not": list(range(12))}, "nothing to learn"),
        ({"html": None}, "string"),
    ],
)
def test_corrections_that_cannot_be(saving: Service, folder: Path, given: dict[str, Any], why: str) -> None:
    before = sorted(folder.rglob("*"))
    made = saving.post("v1/corrections", pages=[{"html": tide_page(1)} | given])
    assert made.status_code == 422
    assert why in made.json()["detail"]
    assert sorted(folder.rglob("*")) == before


def test_one_request_is_about_one_kind(saving: Service) -> None:
    page = {"html": tide_page(1)}
    made = saving.post("v1/corrections", pages=[page, page | {"kind": "records"}])
    assert "send them apart" in made.json()["detail"]


def test_a_service_without_a_folder_says_so(service: Service) -> None:
    made = service.post("v1/corrections", pages=[{"html": tide_page(1)}])
    assert (made.status_code, made.json()["type"]) == (404, "urn:pagesieve:problem:no-corrections")


def test_a_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    with running("--workers", "1", "--corrections", str(tmp_path / "new")) as found:
        (tmp_path / "new").rmdir()
        (tmp_path / "new").write_text("a file now")
        made = found.post("v1/corrections", pages=[{"html": tide_page(1)}])
    assert made.status_code == 503
    assert "cannot be saved" in made.json()["detail"]


def test_a_folder_that_cannot_be_is_refused_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("sys.argv", ["pagesieve", "serve", "--corrections", str(tmp_path / "file" / "folder")])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code != 0
    assert "cannot be made" in capsys.readouterr().err


def test_tables_as_files(service: Service, site: Path, tmp_path: Path) -> None:
    page = (site / "shop/grid.html").read_text("utf-8")
    rows = list(csv.DictReader(io.StringIO(service.post("v1/records/csv", html=page).content.decode("utf-8-sig"))))
    assert len(rows) == 24
    assert rows[0]["brand"] == "Fernhill"
    schema = service.post("v1/records", html=page).json()["schema"]
    schema["columns"] = [column | {"keep": column["name"] == "brand"} for column in schema["columns"]]
    schema["key"] = None
    made = service.post("v1/records/parquet", html=page, schema=schema)
    assert made.headers["content-type"] == "application/vnd.apache.parquet"
    parquet = pytest.importorskip("pyarrow.parquet")
    assert parquet.read_table(io.BytesIO(made.content)).column_names == ["brand"]
    assert service.post("v1/records/xls", html=page).status_code == 422


def test_what_the_service_can_do(service: Service, saving: Service) -> None:
    about = [each.client.get("v1/about").json() for each in (service, saving)]
    assert [(each["sites"], each["corrections"], each["browser"]) for each in about] == [
        (True, False, False),
        (False, True, False),
    ]
    assert about[0]["max_bytes"] == 200_000
    assert MARK not in json.dumps(about)
