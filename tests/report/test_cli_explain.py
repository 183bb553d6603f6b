"""`pagesieve explain`: what is written where, and which options contradict each other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pagesieve.cli import commands
from pagesieve.errors import AddressRefused, BadInput, BadOption, MissingBrowser
from pagesieve.fetching import chromium
from tests.conftest import SITE
from tests.report.test_report import OTHER, PARAGRAPH, SEAL
from tests.site_server import SiteServer


def explain(*args: str | Path, given: str | None = None) -> tuple[int, str]:
    """Run the command; return its status and what it wrote to standard output."""
    done = CliRunner().invoke(commands, ["explain", *map(str, args)], input=given, standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return int(done.return_value), done.stdout


def saved_page(folder: Path) -> Path:
    """Write a page as browsers save it, whose style sheet stays behind; return its file."""
    path = folder / "saved.html"
    text = (SITE / SEAL).read_text("utf-8")
    path.write_text(text.replace("</head>", '<link rel="stylesheet" href="saved_files/main.css"></head>', 1), "utf-8")
    return path


def test_a_file_is_written(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    assert explain(SITE / SEAL, "--no-browser", "-o", target) == (0, "")
    assert target.read_text("utf-8").startswith("<!doctype html>")


def test_standard_input_and_output() -> None:
    status, out = explain("-", "--no-browser", "--language", "zh", given=f"<p>{PARAGRAPH}</p>" * 4)
    assert status == 0
    assert '<html lang="zh"' in out


def test_json_has_the_views_that_were_asked_for() -> None:
    options = ("--method", "sharpened", "--method", "blocks", "--records", "--reference", SITE / OTHER)
    status, out = explain(SITE / SEAL, "--no-browser", "-f", "json", *options)
    assert status == 0
    assert [view["asked"] for view in json.loads(out)["views"]] == ["sharpened", "blocks", "table"]


def test_records_alone() -> None:
    _, out = explain(SITE / "search/results.html", "--no-browser", "--records", "-f", "json")
    assert [view["asked"] for view in json.loads(out)["views"]] == ["table"]


def test_a_browser_is_used_where_there_is_one() -> None:
    pytest.importorskip("playwright")
    _, out = explain(SITE / SEAL, "-f", "json")
    report = json.loads(out)
    assert report["picture"]["url"].startswith("data:image/webp;base64,")
    kept = [unit for unit in report["views"][0]["units"] if unit["kept"]]
    assert all(unit["box"]["width"] > 100 for unit in kept)


def test_without_a_browser_the_source_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise MissingBrowser("no Chromium was found")

    monkeypatch.setattr(chromium, "shared", missing)
    _, out = explain(SITE / SEAL, "-f", "json")
    report = json.loads(out)
    assert report["picture"] is None
    assert report["views"][0]["source"]
    with pytest.raises(MissingBrowser):
        explain(SITE / SEAL, "--browser")


@pytest.mark.parametrize(("options", "is_redrawn"), [((), True), (("--browser",), False)], ids=["default", "browser"])
def test_a_saved_page_without_its_style_sheets_is_redrawn(
    tmp_path: Path, options: tuple[str, ...], is_redrawn: bool
) -> None:
    pytest.importorskip("playwright")
    report = json.loads(explain(saved_page(tmp_path), "-f", "json", *options)[1])
    assert (report["picture"] is None) is is_redrawn
    assert bool(report["views"][0]["source"]) is is_redrawn


@pytest.mark.parametrize("how", ["--browser", "--no-browser"])
def test_a_url_is_fetched_through_the_guard(site_server: SiteServer, how: str) -> None:
    url = site_server.url + SEAL
    _, out = explain(url, how, "--allow-private", "-f", "json")
    report = json.loads(out)
    assert (report["url"], report["title"]) == (url, "Seal in the lido closes the slow lane")
    assert (report["picture"] is not None) == (how == "--browser")
    with pytest.raises(AddressRefused):
        explain(url, how)


def test_nothing_found_is_a_status_and_a_report() -> None:
    status, out = explain("-", "--no-browser", given="<p>Too little.</p>")
    assert status == 1
    assert "Nothing found" in out


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        (["--method", "template"], BadOption, "--method template needs --sites"),
        (["--method", "sharpened"], BadOption, "needs --sites or --reference"),
        (["--browser", "--cache", "cache"], BadOption, "--cache"),
        (["-o", "/nowhere/report.html", "--no-browser"], BadInput, "cannot be written"),
    ],
)
def test_bad_options(args: list[str], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        explain(SITE / SEAL, *args)


def test_a_folder_is_no_page() -> None:
    with pytest.raises(BadInput, match="one page"):
        explain(SITE / "en", "--no-browser")
