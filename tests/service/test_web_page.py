"""The web page in a real Chromium, at the width of a desk and of a phone: every path that a person may take."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import pagesieve
from pagesieve.evaluate.archives import find_sets, read_pages, take_sample
from pagesieve.records.schema import Schema
from tests.conftest import ROOT, SITE
from tests.report.injections import LIST, MARKER, PAGE
from tests.report.test_report import OTHER
from tests.report.test_report_browser import AXE, FIND_BARRIERS
from tests.service.running import Service, running
from tests.service.tabs import DROP, SIZES, Held, Tab
from tests.service.tide_pages import COUNT, MARK, is_wanted, tide_page
from tests.site_server import SiteServer

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install '.[browser]'")

SEAL = SITE / "en/2024/05/seal-closes-pool-4181077.html"
GRID = SITE / "shop/grid.html"
STATIC = ROOT / "src/pagesieve/service/static"
TITLE = "Seal in the lido closes the slow lane"
REFUSED = "Failed to load resource"  # what Chromium says of each answer that is a problem
both_sizes = pytest.mark.parametrize("size", SIZES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("web")


@pytest.fixture(scope="module")
def web(folder: Path) -> Iterator[Service]:
    """A service that can do everything."""
    options = ("--sites", str(folder / "sites.db"), "--corrections", str(folder / "corrections"))
    with running("--workers", "1", "--allow-private", *options) as found:
        yield found


# Reading


@both_sizes
def test_an_address(chromium: Any, web: Service, site_server: SiteServer, size: str) -> None:
    with Tab(chromium, web, size) as tab:
        tab.read(f"{site_server.url}en/2024/05/{SEAL.name}")
        assert tab.text("#result-title") == TITLE
        assert "Hannah Prowse" in tab.text(".facts-of-page")
        tab.status(TITLE)
        assert tab.page.evaluate("document.activeElement.id") == "result"
        assert tab.page.locator("#v0 .unit[data-fate=article]").count() >= 5
        assert "A young grey seal" in tab.text("#v0 .result")
        assert "likelihood" in tab.text("#v0 .decisions")
        assert tab.fits()
        assert tab.complaints == []
        assert {url.split("/")[2] for url in tab.requests} == {web.url.split("/")[2]}


@both_sizes
def test_a_file_is_dropped(chromium: Any, web: Service, size: str) -> None:
    with Tab(chromium, web, size) as tab:
        tab.drop(SEAL.name, SEAL.read_text("utf-8"))
        assert tab.text("#result-title") == TITLE
        assert tab.text("#chosen-name") == SEAL.name
        assert tab.text("#address-label").startswith("Address that the file is from")
        tab.page.locator("#remove-file").click()
        assert tab.text("#address-label") == "Address of a page"
        assert tab.fits()


def test_an_address_is_dropped(chromium: Any, web: Service, site_server: SiteServer) -> None:
    with Tab(chromium, web) as tab:
        tab.drop("", f"{site_server.url}en/2024/05/{SEAL.name}")
        assert tab.text("#result-title") == TITLE


def test_a_file_in_another_encoding(chromium: Any, web: Service, tmp_path: Path) -> None:
    path = tmp_path / "weather.html"
    text = "台风“海燕”昨夜在东海岸登陆，沿海三个城市的学校今天停课，渡轮全部停航，渔船已经回港避风。"
    path.write_bytes(f'<meta charset="gbk"><title>台风登陆</title><h1>台风登陆</h1><p>{text * 3}</p>'.encode("gbk"))
    with Tab(chromium, web) as tab:
        tab.choose_file(path)
        assert text in tab.text("#v0 .result")


@both_sizes
def test_units_page_result_and_table_are_linked(chromium: Any, web: Service, size: str) -> None:
    with Tab(chromium, web, size) as tab:
        tab.choose_file(SEAL)
        unit = tab.unit("Staff believe")
        unit.tap() if size == "phone" else unit.hover()
        assert "article, kept" in tab.text("#card")
        number = unit.get_attribute("data-unit")
        selected = tab.page.eval_on_selector_all(
            ".is-selected", "all => all.map(e => e.dataset.unit ?? e.dataset.units)"
        )
        assert set(selected) == {number}
        assert len(selected) >= 3


def test_everything_by_keys(chromium: Any, web: Service, site_server: SiteServer) -> None:
    """From the address to a correction without a mouse."""
    with Tab(chromium, web) as tab:
        keys = tab.page.keyboard
        for _ in range(10):
            keys.press("Tab")
            if tab.page.evaluate("document.activeElement.id") == "address":
                break
        keys.type(f"{site_server.url}en/2024/05/{SEAL.name}")
        keys.press("Enter")
        tab.wait()
        tab.page.locator(".toggle").focus()
        keys.press("Space")
        tab.page.locator(".page .unit[id]").first.focus()
        keys.press("End")
        keys.press("Home")
        keys.press("ArrowDown")
        before = tab.page.evaluate("'kept' in document.activeElement.dataset")
        keys.press("Space")
        assert tab.page.evaluate("'kept' in document.activeElement.dataset") is not before
        assert tab.text(".correct-more").count("1 corrected")
        assert "kept" in str(tab.page.evaluate("document.activeElement.getAttribute('aria-label')"))
        keys.press("Escape")
        assert tab.page.locator("#card").is_hidden()


def test_a_page_that_its_script_writes(chromium: Any, site_server: SiteServer) -> None:
    url = f"{site_server.url}en/2024/05/harbour-bells-by-radio-4181152.html"
    with running("--workers", "1", "--allow-private", "--browser") as found, Tab(chromium, found) as tab:
        tab.page.locator("#browser").check()
        tab.read(url)
        assert tab.page.locator("#v0 .unit[data-kept]").count() > 2
        assert "cannot be corrected here" in tab.text(".correct")
        assert json.loads(tab.download(".download-json")[1])["text"]


def test_a_page_that_is_no_article_says_so(chromium: Any, web: Service, tmp_path: Path) -> None:
    lost = tmp_path / "lost.html"
    text = "There is nothing at this address, or the page has moved to another one since it was linked."
    lost.write_text(f"<title>Page not found</title><h1>Page not found</h1><p>{text}</p>")
    with Tab(chromium, web) as tab:
        tab.choose_file(lost)
        assert tab.text(".instead") == "This page reports an error; it is not an article."
        assert "other" in tab.text(".facts-of-page")
        tab.choose_file(SEAL)
        assert tab.page.locator(".instead").count() == 0


# Records and methods


@both_sizes
def test_records(chromium: Any, web: Service, size: str) -> None:
    with Tab(chromium, web, size) as tab:
        tab.choose("records")
        tab.choose_file(GRID)
        assert tab.text("#result-title") == "grid.html"
        assert tab.page.locator("table.records tbody tr").count() == 24
        assert "Fernhill" in tab.text("table.records tbody tr >> nth=0")
        assert "24 records" in tab.text(".facts-of-page")
        assert tab.page.locator(".unit[data-fate=record]").count() >= 24
        assert tab.page.locator(".view").count() == 1
        assert tab.fits()
        assert tab.complaints == []


@both_sizes
def test_methods_are_compared(chromium: Any, web: Service, size: str) -> None:
    with Tab(chromium, web, size) as tab:
        assert tab.page.locator("#methods").is_hidden()
        tab.choose("compare")
        tab.page.locator("#methods input[value=svm]").check()
        tab.choose_file(SEAL)
        assert tab.page.locator(".view > h3").all_inner_texts() == [
            "Method: auto",
            "Method: svm",
            "Method: lineblocks",
        ]
        boxes = [tab.page.locator(f"#v{k}").bounding_box() for k in range(3)]
        are_beside = boxes[0]["y"] == boxes[1]["y"] == boxes[2]["y"]
        assert are_beside is (size == "desktop")
        tab.page.locator("#v0 .unit[data-fate=article]").first.dispatch_event("click")
        assert tab.page.locator("#v2 tr.is-selected").count() == 1
        assert tab.fits()


# Copying and downloads


@both_sizes
def test_an_article_is_copied_and_downloaded(chromium: Any, web: Service, size: str) -> None:
    with Tab(chromium, web, size, permissions=["clipboard-read", "clipboard-write"]) as tab:
        tab.choose_file(SEAL)
        expected = pagesieve.article(SEAL.read_bytes())
        markdown = f"# {TITLE}\n\n{expected.markdown}"
        tab.page.locator(".copy-markdown").click()
        tab.outcome(".copy-markdown", "Copied")
        assert tab.page.evaluate("navigator.clipboard.readText()").strip() == markdown.strip()
        name, data = tab.download(".download-markdown")
        assert (name, data.decode().strip()) == ("seal-closes-pool-4181077.md", markdown.strip())
        tab.outcome(".download-markdown", f"{name} was downloaded")
        name, data = tab.download(".download-json")
        tab.outcome(".download-json", name)
        assert name == "seal-closes-pool-4181077.json"
        assert json.loads(data)["text"] == expected.text
        assert tab.page.locator(".download-csv").count() == 0


@both_sizes
def test_what_failed_is_said_beside_the_button(chromium: Any, web: Service, size: str) -> None:
    with Tab(chromium, web, size) as tab:
        tab.choose_file(SEAL)
        tab.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject() }")
        tab.page.locator(".copy-json").click()
        tab.outcome(".copy-json", "did not let the text be copied")
        tab.page.locator(".learn").click()
        tab.outcome(".learn", "A page is learnt by its address")
        assert tab.text(".tools .outcome >> nth=0") == ""  # only what was done last is said
        for text in tab.page.locator(".page .unit[data-kept]").all_inner_texts():
            tab.correct(text[:40])
        tab.page.locator(".correct .main").click()
        tab.outcome(".correct .main", "there is nothing to learn from it")
        assert tab.page.locator("#problem").is_hidden()
        assert tab.fits()


@both_sizes
def test_records_are_downloaded(chromium: Any, web: Service, size: str) -> None:
    with Tab(chromium, web, size) as tab:
        tab.choose("records")
        tab.choose_file(GRID)
        expected = pagesieve.records(GRID.read_bytes(), mode="static")
        _, data = tab.download(".download-csv")
        assert data.decode("utf-8-sig") == expected.to_csv()
        _, data = tab.download(".download-json")
        assert [record["items"] for record in json.loads(data)["records"]] == json.loads(
            json.dumps(expected.to_rows(typed=True))
        )
        _, data = tab.download(".download-markdown")
        lines = data.decode().strip().split("\n")
        assert lines[0] == f"| {' | '.join(expected.header)} |"
        assert len(lines) == 26
        name, data = tab.download(".download-parquet")
        parquet = pytest.importorskip("pyarrow.parquet")
        assert name == "grid.parquet"
        assert parquet.read_table(io.BytesIO(data)).num_rows == 24
        tab.outcome(".download-parquet", name)


# Corrections


@both_sizes
def test_a_correction_is_saved(chromium: Any, web: Service, folder: Path, size: str) -> None:
    page = SEAL.read_text("utf-8").replace("slow lane", f"slow lane ({size})")
    with Tab(chromium, web, size) as tab:
        tab.page.fill("#address", "https://news.example.org/seal")
        tab.drop("seal.html", page)
        tab.page.locator(".toggle").click()
        tab.unit("Staff believe").click()
        assert tab.page.locator(".line.is-out").count() == 1
        tab.unit("Independent since 1887").click()
        assert tab.text(".line.is-added") == "Independent since 1887"
        box = tab.page.locator("tr", has_text="The Wexley Courier").locator("input").first
        box.check()
        box.uncheck()
        assert tab.text(".correct-more").count("2 corrected")
        tab.page.locator(".correct .main").click()
        tab.outcome(".correct .main", "labelled page")
        assert tab.complaints == []
    found = next(each for each in find_sets([folder / "corrections"]) if each.name == "articles")
    golds = {html.decode("utf-8-sig"): gold for gold, html in read_pages(take_sample(found))}
    gold = golds[page]
    assert gold.site == "news.example.org"
    assert "Staff believe" not in gold.text
    assert gold.text.startswith("Independent since 1887\n\nA young grey seal")


@both_sizes
def test_corrections_are_downloaded_together(chromium: Any, web: Service, tmp_path: Path, size: str) -> None:
    with Tab(chromium, web, size) as tab:
        for number in range(2):
            tab.drop(f"{number}.html", tide_page(number))
            tab.page.locator(".toggle").click()
            tab.unit("The harbour office").click()
            name, data = tab.download(".labelled")
            tab.outcome(".labelled", name)
        assert tab.text(".labelled") == "Download 2 labelled pages"
    assert name == "articles.tar.xz"
    (tmp_path / name).write_bytes(data)
    golds = [gold for gold, _ in read_pages(take_sample(find_sets([tmp_path])[0]))]
    assert len(golds) == 2
    assert all(gold.text.startswith(MARK) for gold in golds)


@both_sizes
def test_a_card_and_the_table_say_who_corrected(chromium: Any, web: Service, size: str) -> None:
    with Tab(chromium, web, size) as tab:
        tab.choose_file(SEAL)
        tab.correct("Staff believe")
        assert tab.text("#card").startswith("dropped by you\n\nBefore: article, kept – amid likely lines")
        assert (tab.unit("Staff believe").get_attribute("aria-label") or "").startswith(
            "dropped by you. Before: article"
        )
        row = tab.page.locator("tr.is-corrected")
        assert "dropped by you" in row.inner_text()
        row.locator("input").check()
        assert tab.text("#card").startswith("article, kept\n")
        assert row.count() == 0
        tab.correct("Independent since 1887")
        assert tab.text("#card").startswith("kept by you\n")


LEAVING = {
    "read": lambda tab: tab.page.locator("#read").click(),
    "file": lambda tab: tab.page.set_input_files("#file", GRID),
    "drop": lambda tab: tab.page.evaluate(DROP, ["b.html", tide_page(1)]),
    "back": lambda tab: tab.page.go_back(),
    "undo": lambda tab: tab.page.locator(".undo").click(),
}


@pytest.mark.parametrize("how", LEAVING)
def test_corrections_are_not_lost_without_a_question(
    chromium: Any, web: Service, site_server: SiteServer, how: str
) -> None:
    with Tab(chromium, web) as tab:
        tab.read(f"{site_server.url}en/2024/05/{Path(OTHER).name}")
        tab.read(f"{site_server.url}en/2024/05/{SEAL.name}")
        tab.correct("Staff believe")
        address = tab.page.url
        LEAVING[how](tab)
        assert "1 correction" in tab.answer("Cancel")
        assert tab.page.locator(".line.is-out").count() == 1
        assert tab.text(".correct-more").count("1 corrected")
        assert tab.page.url == address
        LEAVING[how](tab)
        tab.answer("Undo all" if how == "undo" else "Do not save")
        tab.page.wait_for_function("() => !document.querySelector('.line.is-out')")


@pytest.mark.parametrize("how", ["save", "labelled"])
def test_corrections_that_are_saved_are_not_asked_about(chromium: Any, web: Service, how: str) -> None:
    with Tab(chromium, web) as tab:
        tab.choose_file(SEAL)
        tab.correct("Staff believe")
        button = ".correct .main" if how == "save" else ".labelled"
        tab.page.locator(button).click()
        tab.outcome(button, "labelled page" if how == "save" else "articles.tar.xz")
        assert "1 corrected, saved" in tab.text(".correct-more")
        tab.choose_file(SEAL)
        assert tab.page.locator("dialog[open], .line.is-out").count() == 0
        tab.correct("Staff believe")
        assert "saved" not in tab.text(".correct-more .faint")


@pytest.mark.parametrize("how", ["reload", "close"])
def test_the_browser_asks_before_corrections_are_lost(chromium: Any, web: Service, how: str) -> None:
    with Tab(chromium, web) as tab:
        tab.choose_file(SEAL)
        tab.correct("Staff believe")
        with tab.page.expect_event("dialog") as asked:
            if how == "reload":
                tab.page.evaluate("() => { setTimeout(() => location.reload()) }")
            else:
                tab.page.close(run_before_unload=True)
        assert asked.value.type == "beforeunload"
        asked.value.dismiss()
        assert tab.page.locator(".line.is-out").count() == 1
        tab.page.locator(".undo").click()
        tab.answer("Undo all")
        tab.page.once("dialog", lambda _: pytest.fail("there is nothing to lose"))
        tab.reload()


# Reloads and links


@both_sizes
@pytest.mark.parametrize(
    ("mode", "path"),
    [("article", f"en/2024/05/{SEAL.name}"), ("records", "shop/grid.html"), ("compare", f"en/2024/05/{SEAL.name}")],
)
def test_a_reload_or_a_link_shows_the_same(
    chromium: Any, web: Service, site_server: SiteServer, size: str, mode: str, path: str
) -> None:
    with Tab(chromium, web, size) as tab:
        tab.choose(mode)
        if mode == "compare":
            tab.page.locator("#methods input[value=svm]").check()
        tab.read(site_server.url + path)
        before = _shown(tab)
        tab.reload()
        assert _shown(tab) == before
        with Tab(chromium, web, size) as other:
            other.open(tab.page.url)
            other.wait()
            assert _shown(other) == before
        assert tab.complaints == []


def _shown(tab: Tab) -> list[str]:
    """Return what was asked, and the result."""
    asked = tab.page.locator("[name=mode]:checked").input_value(), tab.page.locator("#address").input_value()
    return [*asked, *tab.page.locator("#result h3, #result .result").all_inner_texts()]


def test_a_reload_shows_a_file_again(chromium: Any, web: Service, tmp_path: Path) -> None:
    path = tmp_path / "weather page.html"
    text = "台风“海燕”昨夜在东海岸登陆，沿海三个城市的学校今天停课，渡轮全部停航，渔船已经回港避风。"
    path.write_bytes(f'<meta charset="gbk"><title>台风登陆</title><h1>台风登陆</h1><p>{text * 3}</p>'.encode("gbk"))
    with Tab(chromium, web) as tab:
        tab.page.fill("#address", "https://me:secret@news.example.org/weather")
        tab.choose_file(path)
        assert "secret" not in tab.page.url
        assert "news.example.org" in tab.page.url
        tab.page.fill("#address", "https://news.example.org/weather")
        tab.choose_file(path)
        assert "kept in this tab until it is closed" in tab.text(".facts-of-page")
        before = _shown(tab)
        tab.reload()
        assert _shown(tab) == before
        assert text in tab.text("#v0 .result")
        assert tab.text("#chosen-name") == path.name
        with Tab(chromium, web) as other:
            other.open(tab.page.url)
            other.page.wait_for_selector("#problem:not([hidden])")
            assert f"{path.name} is a file that this tab does not keep" in other.text("#problem")


FILL = """() => {
  for (let size = 2 ** 24; size > 2 ** 10; size /= 2) {
    try { sessionStorage.setItem(size, "x".repeat(size)) } catch {}
  }
}"""  # what a tab can keep


def test_a_file_that_is_too_large_to_be_kept(chromium: Any, web: Service) -> None:
    with Tab(chromium, web) as tab:
        tab.page.evaluate(FILL)
        tab.choose_file(SEAL)
        assert tab.text("#result-title") == TITLE
        assert "too large to be kept in this tab" in tab.text(".facts-of-page")
        tab.reload()
        assert "choose it again" in tab.text("#problem")


def test_a_reload_keeps_the_result_behind_the_library(chromium: Any, web: Service) -> None:
    with Tab(chromium, web) as tab:
        tab.choose_file(SEAL)
        address = tab.page.url
        tab.page.locator(".skip").focus()
        tab.page.keyboard.press("Enter")
        tab.page.wait_for_function("() => document.activeElement.id === 'main'")
        tab.page.wait_for_url(address)  # a link within the page is no place of its own
        tab.page.locator("#to-sites").click()
        tab.page.wait_for_selector("#sites-title")
        tab.page.locator("#to-page").click()
        assert tab.text("#result-title") == TITLE
        tab.page.locator("#to-sites").click()
        tab.page.reload()
        tab.page.wait_for_selector("#sites-title")
        tab.page.locator("#to-page").click()
        tab.wait()
        assert tab.text("#result-title") == TITLE


def test_back_shows_the_page_before(chromium: Any, web: Service, site_server: SiteServer) -> None:
    with Tab(chromium, web) as tab:
        tab.read(f"{site_server.url}en/2024/05/{SEAL.name}")
        tab.choose("records")
        tab.read(f"{site_server.url}shop/grid.html")
        tab.page.go_back()
        tab.page.wait_for_function("title => document.getElementById('result-title')?.innerText === title", arg=TITLE)
        assert tab.page.locator("[name=mode]:checked").input_value() == "article"


@pytest.mark.parametrize("slow", ["lost.html", "shop/grid.html"], ids=["failure", "result"])
def test_an_answer_that_comes_late_is_not_shown(
    chromium: Any, web: Service, site_server: SiteServer, slow: str
) -> None:
    with Tab(chromium, web) as tab:
        held = Held(tab, "**/v1/explain", slow)
        for path in (slow, f"en/2024/05/{SEAL.name}"):
            fragment = urlencode({"url": site_server.url + path, "find": "article"})
            tab.page.evaluate("fragment => { location.hash = fragment }", fragment)
            held.wait()
        tab.status(TITLE)
        held.release()
        assert tab.text("#result-title") == TITLE
        assert tab.page.locator("#problem").is_hidden()
        tab.status(TITLE)
        assert SEAL.name in tab.page.url


def test_a_link_of_another_site_fetches_nothing_unasked(chromium: Any, web: Service, site_server: SiteServer) -> None:
    address = f"{site_server.url}en/2024/05/{SEAL.name}"
    with Tab(chromium, web) as tab:
        tab.page.goto(site_server.url)
        target = f"{web.url}#{urlencode({'url': address, 'find': 'article'})}"
        tab.page.evaluate("target => { location.href = target }", target)
        tab.page.wait_for_selector("dialog[open]")
        assert not any("/v1/explain" in url for url in tab.requests)
        assert address in tab.answer("Cancel")
        assert tab.page.locator("#address").input_value() == address
        tab.page.go_back()
        tab.context.new_page().goto(web.url)  # the answer to the reader's own visit is not taken for this one
        tab.page.evaluate("() => { setTimeout(() => history.forward()) }")
        tab.page.wait_for_selector("dialog[open]", timeout=10_000)
        assert address in tab.answer("Cancel")
        assert not any("/v1/explain" in url for url in tab.requests)
        tab.page.locator("#read").click()
        tab.wait()
        assert tab.text("#result-title") == TITLE


def test_records_are_corrected(chromium: Any, web: Service, folder: Path) -> None:
    with Tab(chromium, web) as tab:
        tab.choose("records")
        tab.choose_file(GRID)
        tab.page.locator(".toggle").click()
        tab.page.locator("table.records tbody tr").nth(2).locator("td").nth(4).click()
        assert tab.text(".correct-more").count("1 corrected")
        tab.page.locator(".correct .main").click()
        tab.outcome(".correct .main", "labelled page")
    found = next(each for each in find_sets([folder / "corrections"]) if each.name == "records")
    (gold,) = take_sample(found).golds.values()
    assert len(gold.records) == 23
    assert not any("Bypass secateurs No. 8" in record.text for record in gold.records)


def test_corrections_are_undone(chromium: Any, web: Service) -> None:
    with Tab(chromium, web) as tab:
        tab.choose_file(SEAL)
        before = tab.page.locator(".page").inner_html()
        tab.page.locator(".toggle").click()
        tab.unit("Staff believe").click()
        tab.page.get_by_role("button", name="Undo all").click()
        tab.answer("Undo all")
        assert tab.text(".correct-more").count("0 corrected")
        assert tab.page.locator(".is-out, .is-corrected").count() == 0
        tab.page.keyboard.press("Escape")
        marks = re.compile(r' (data-kept|aria-label|class|tabindex)(="[^"]*")?')
        assert marks.sub("", tab.page.locator(".page").inner_html()) == marks.sub("", before)


@pytest.mark.slow
def test_corrections_change_the_answer(chromium: Any, tmp_path: Path) -> None:
    """Made in the web page, and trained on, they change what is extracted of a page that was not among them."""
    corrections, model, page = tmp_path / "corrections", tmp_path / "ours.model", tmp_path / "last.html"
    with running("--workers", "1", "--corrections", str(corrections)) as web, Tab(chromium, web) as tab:
        for number in range(COUNT - 1):
            tab.page.fill("#address", f"https://tides{number}.example/")
            tab.drop(f"{number}.html", tide_page(number))
            tab.page.locator(".toggle").click()
            for text in tab.page.locator(".page .unit[data-kept]").all_inner_texts():
                if not is_wanted(text):
                    tab.unit(text[:40]).click()
            tab.page.locator(".correct .main").click()
            tab.outcome(".correct .main", f"has {number + 1} labelled")
    page.write_text(tide_page(COUNT - 1), encoding="utf-8")

    def run(*arguments: object) -> str:
        command = [sys.executable, "-m", "pagesieve", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    before = run("article", "--method", "svm", page)
    run("train", corrections, "--method", "svm", "--features", "paper", "-o", model)
    after = run("article", "--method", "svm", "--model", model, page)
    assert "harbour office" in before
    assert after.strip().split("\n\n") == [line for line in before.strip().split("\n\n") if is_wanted(line)]
    figures = json.loads(run("evaluate", corrections, "--method", "svm", "--json", "-"))
    assert str(COUNT - 1) in json.dumps(figures)


# Columns


@both_sizes
def test_columns_are_edited_and_applied(chromium: Any, web: Service, tmp_path: Path, size: str) -> None:
    with Tab(chromium, web, size) as tab:
        tab.choose("records")
        tab.choose_file(GRID)
        tab.page.locator(".schema summary").click()
        tab.page.get_by_label("Name of title", exact=True).fill("product")
        tab.page.get_by_label("Name of the links of title").fill("address")
        tab.page.get_by_label("Keep image", exact=True).uncheck()
        tab.page.get_by_label("Type of price", exact=True).select_option("text")
        assert tab.fits()
        name, data = tab.download(".download-schema")
        tab.outcome(".download-schema", name)
        tab.page.get_by_role("button", name="Apply to the table").click()
        tab.outcome(".schema .apply", "columns of the schema")
        header = tab.page.locator("table.records th").evaluate_all("all => all.map(e => e.firstChild.textContent)")
        assert {"product", "address", "price"} <= set(header)
        assert not {"title", "title_link", "image"} & set(header)
        assert tab.page.locator("table.records tbody tr").count() == 24
        _, table = tab.download(".download-csv")
        assert csv.DictReader(io.StringIO(table.decode("utf-8-sig"))).fieldnames == header[1:]
        tab.page.get_by_role("button", name="Start again").click()
        tab.page.wait_for_function("() => document.querySelector('table.records').innerText.includes('title_link')")
        assert tab.complaints == []
    (tmp_path / "schema.json").write_bytes(data)
    schema = Schema.load(tmp_path / "schema.json")
    found = pagesieve.records(GRID.read_bytes(), mode="static", schema=schema)
    assert found.header == header[1:]
    assert found.schema.key == "address"
    assert next(column.type for column in found.columns if column.name == "price") == "text"


def test_a_bad_name_is_said_in_words(chromium: Any, web: Service) -> None:
    with Tab(chromium, web) as tab:
        tab.choose("records")
        tab.choose_file(GRID)
        tab.page.locator(".schema summary").click()
        tab.page.get_by_label("Name of brand").fill("stock")
        tab.page.get_by_role("button", name="Apply to the table").click()
        tab.outcome(".schema .apply", "two columns of one name")


@pytest.mark.parametrize("name", ["product", "stock"], ids=["applied", "refused"])
def test_columns_that_are_applied_late_change_no_other_result(chromium: Any, web: Service, name: str) -> None:
    with Tab(chromium, web) as tab:
        tab.choose("records")
        tab.choose_file(GRID)
        tab.page.locator(".schema summary").click()
        tab.page.get_by_label("Name of brand").fill(name)
        held = Held(tab, "**/v1/records", name)
        tab.page.get_by_role("button", name="Apply to the table").click()
        held.wait()
        tab.choose("article")
        tab.choose_file(SEAL)
        tab.download(".download-json")
        tab.outcome(".download-json", "was downloaded")
        before = tab.page.locator("#result").inner_html()
        held.release()
        assert tab.page.locator("#result").inner_html() == before
        assert tab.page.locator("#problem").is_hidden()
        assert all(told.startswith(REFUSED) for told in tab.complaints)


def test_a_fault_of_the_page_itself_is_said_beside_the_button(chromium: Any, web: Service) -> None:
    with Tab(chromium, web) as tab:
        tab.choose_file(SEAL)
        tab.page.evaluate("() => { URL.createObjectURL = () => { throw new TypeError('no such thing') } }")
        tab.page.locator(".download-json").click()
        tab.outcome(".download-json", "The service failed at this page.")
        assert any("no such thing" in told for told in tab.complaints)


# Sites


@both_sizes
def test_sites_are_learnt_shown_and_forgotten(chromium: Any, web: Service, size: str) -> None:
    site = f"{size}.example.org"
    pages = [{"url": f"https://{site}/{path.name}", "html": path.read_text("utf-8")} for path in SEAL.parent.glob("b*")]
    web.post("v1/sites", pages=pages)
    with Tab(chromium, web, size) as tab:
        tab.page.fill("#address", f"https://{site}/seal")
        tab.choose_file(SEAL)
        tab.page.locator(".learn").click()
        tab.outcome(".learn", "1 new page.")
        tab.page.locator("#to-sites").click()
        row = tab.page.locator(f"tr[data-site='{site}']")
        row.wait_for()
        assert str(len(pages) + 1) in row.inner_text()
        row.locator(".show").click()
        tab.page.wait_for_selector(".known")
        assert f"https://{site}/seal" in tab.text(".known")
        assert row.locator(".show").get_attribute("aria-expanded") == "true"
        assert tab.fits()
        row.locator(".forget").click()
        assert tab.page.locator("dialog .main").count() == 0
        assert tab.page.evaluate("document.activeElement.value") == "no"
        assert f"Forget {site}" in tab.answer("Cancel")
        assert row.count() == 1
        row.locator(".forget").click()
        tab.page.locator("#confirm-yes").click()
        tab.status(f"{site} is forgotten")
        assert row.count() == 0
        assert tab.complaints == []
    assert site not in web.client.get("v1/sites").text


def test_the_library_is_used(chromium: Any, web: Service) -> None:
    pages = [
        {"url": f"https://used.example/{path.name}", "html": path.read_text("utf-8", errors="replace")}
        for path in SEAL.parent.glob("*")
    ]
    web.post("v1/sites", pages=pages)
    with Tab(chromium, web) as tab:
        tab.page.fill("#address", "https://used.example/seal")
        tab.page.locator("#use-sites").check()
        tab.choose_file(SEAL)
        assert tab.page.locator(".unit[data-fate=sibling], .unit[data-fate=template]").count() > 20
    web.client.delete("v1/sites/used.example")


def test_a_service_without_a_library_has_no_such_section(chromium: Any, fetching: Service) -> None:
    with Tab(chromium, fetching) as tab:
        assert tab.page.locator("#to-sites").is_hidden()
        assert tab.page.locator("#with-sites").is_hidden()


# Languages and colours


@both_sizes
def test_chinese(chromium: Any, web: Service, size: str) -> None:
    with Tab(chromium, web, size, locale="zh-CN") as tab:
        assert tab.text("#read") == "读取网页"
        assert tab.page.evaluate("document.documentElement.lang") == "zh"
        tab.choose_file(SEAL)
        tab.page.locator(".toggle").click()
        tab.unit("Staff believe").click()
        assert "已更正 1 处" in tab.text(".correct-more")
        tab.page.locator("#language").click()
        assert tab.text("#read") == "Read the page"
        assert "1 corrected" in tab.text(".correct-more")  # what was corrected stays
        assert "dropped by you" in tab.text("tr.is-corrected")
        tab.reload()
        assert tab.text("#read") == "Read the page"


@pytest.mark.parametrize(
    ("key", "values", "one", "many"),
    [
        ("rows", {"count": 1}, "1 record", "2 records"),
        ("saved", {"pages": 1, "set": "s"}, "has 1 labelled page now", "has 2 labelled pages now"),
        ("download_labelled", {"count": 1}, "Download 1 labelled page", "Download 2 labelled pages"),
        ("forget_sure", {"pages": 1, "site": "s"}, "(1 page)", "(2 pages)"),
        ("forgotten", {"pages": 1, "site": "s"}, "(1 page)", "(2 pages)"),
        ("seen_on", {"count": 1}, "on 1 page", "on 2 pages"),
        ("learnt", {"count": 1}, "1 new page.", "2 new pages."),
        ("counts", {"kept": 1, "all": 1}, "1 of 1 unit kept", "2 of 2 units kept"),
        ("undo_sure", {"count": 1}, "1 correction that is", "2 corrections that are"),
        ("lose_corrections", {"count": 1}, "1 correction of this page is", "2 corrections of this page are"),
    ],
)
def test_numbers_and_their_words_agree(
    chromium: Any, web: Service, key: str, values: dict[str, object], one: str, many: str
) -> None:
    with Tab(chromium, web) as tab:
        say = "async ([key, values]) => (await import('/static/dom.js')).t(key, values)"
        more = {name: 2 if value == 1 else value for name, value in values.items()}
        texts = [tab.page.evaluate(say, [key, each]) for each in (values, more)]
    assert re.search(rf"{re.escape(one)}(?!\w)", texts[0]), texts[0]
    assert many in texts[1]


def test_both_languages_have_all_texts() -> None:
    tables = json.loads((STATIC / "texts.json").read_text("utf-8"))
    report = json.loads((ROOT / "src/pagesieve/report/static/texts.json").read_text("utf-8"))
    assert tables["en"].keys() == tables["zh"].keys()
    for key in tables["en"]:
        places = [set(re.findall(r"\{(\w+)\}", tables[name][key])) for name in ("en", "zh")]
        assert places[0] == places[1], key
    written = "".join(path.read_text("utf-8") for path in sorted(STATIC.glob("*.js")))
    used = set(re.findall(r'(?:\bt: |\bt\(|say\(|showWords\(|prose\(|question\(|return \[)"([\w.-]+)"', written))
    used |= {f"problem.{sort}" for sort in re.findall(r'new Problem\("([\w-]+)"', written)}
    used |= set(re.findall(r'data-t(?:-label)?="([\w.-]+)"', (STATIC / "index.html").read_text("utf-8")))
    assert used - tables["en"].keys() - report["en"].keys() == set()


def test_colours_follow_the_reader(chromium: Any, web: Service) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        with Tab(chromium, web, color_scheme=scheme) as tab:
            grounds.append(tab.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(243, 244, 246)", "rgb(14, 16, 18)"]


# What goes wrong


@both_sizes
def test_a_refused_address(chromium: Any, service: Service, size: str) -> None:
    with Tab(chromium, service, size) as tab:
        tab.read("http://127.0.0.1:1/secret")
        assert "only public addresses are fetched" in tab.text("#problem")
        assert tab.page.locator("#result").is_hidden()
        assert all(told.startswith(REFUSED) for told in tab.complaints)


@both_sizes
@pytest.mark.parametrize(("mode", "words"), [("article", "No article"), ("records", "No records")])
def test_nothing_found(chromium: Any, web: Service, size: str, mode: str, words: str) -> None:
    with Tab(chromium, web, size) as tab:
        tab.choose(mode)
        tab.drop("empty.html", "<title>Nothing</title><p>Hm")
        assert words in tab.text("#problem")
        assert tab.page.locator(".tools").count() == 0


@both_sizes
def test_a_file_that_is_too_large(chromium: Any, service: Service, size: str) -> None:
    with Tab(chromium, service, size) as tab:
        before = len(tab.requests)
        tab.drop("large.html", "<p>" + "word " * 60_000)
        assert "large.html has 0.3 MB; this service takes 0.2 MB at most." in tab.text("#problem")
        assert len(tab.requests) == before  # it is not even sent


def test_an_address_that_gives_too_much(chromium: Any, site_server: SiteServer) -> None:
    with running("--workers", "1", "--allow-private", "--max-bytes", "2000") as small, Tab(chromium, small) as tab:
        tab.read(f"{site_server.url}en/2024/05/{SEAL.name}")
        assert "2,000 bytes" in tab.text("#problem") or "too large" in tab.text("#problem")


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"\x89PNG\r\n\x1a\n" + bytes(100), "not a page but"), (b" ", "the page is empty")],
    ids=["image", "empty"],
)
def test_a_file_that_is_no_page(chromium: Any, web: Service, tmp_path: Path, data: bytes, words: str) -> None:
    (tmp_path / "file.html").write_bytes(data)
    with Tab(chromium, web) as tab:
        tab.choose_file(tmp_path / "file.html")
        assert words in tab.text("#problem")


def test_nothing_given_and_no_method(chromium: Any, web: Service) -> None:
    with Tab(chromium, web) as tab:
        tab.page.locator("#read").click()
        assert "Give the address of a page, or a file." in tab.text("#problem")
        tab.page.fill("#address", "example.org")
        tab.choose("compare")
        while (chosen := tab.page.locator("#methods input:checked")).count():
            chosen.first.uncheck()
        tab.page.locator("#read").click()
        assert "at least one method" in tab.text("#problem")


def test_a_service_that_is_gone(chromium: Any) -> None:
    with running("--workers", "1") as found, Tab(chromium, found) as tab:
        found.process.kill()
        found.process.wait()
        tab.drop("a.html", "<p>a")
        assert "Does it still run?" in tab.text("#problem")


def test_a_token(chromium: Any) -> None:
    with running("--workers", "1", token="a-token-of-some-length") as found, Tab(chromium, found) as tab:
        assert "needs a token" in tab.text("#problem")
        tab.page.fill("#token", "another")
        tab.page.keyboard.press("Enter")
        tab.page.wait_for_function("() => document.getElementById('problem').innerText.includes('wrong')")
        tab.page.fill("#token", "a-token-of-some-length")
        tab.page.keyboard.press("Enter")
        tab.page.wait_for_selector("#problem", state="hidden")
        tab.drop(SEAL.name, SEAL.read_text("utf-8"))
        assert tab.text("#result-title") == TITLE


# Hostile pages


@both_sizes
@pytest.mark.parametrize("mode", ["article", "records", "compare"])
def test_a_hostile_page_runs_and_loads_nothing(chromium: Any, web: Service, size: str, mode: str) -> None:
    with Tab(chromium, web, size) as tab:
        tab.choose(mode)
        tab.drop(f"<img src=x onerror='{MARKER}'>.html", LIST if mode == "records" else PAGE)
        for unit in tab.page.query_selector_all(".unit[id]"):
            unit.dispatch_event("click")
            unit.dispatch_event("pointerover")
        if tab.page.locator(".toggle").count():
            tab.page.locator(".toggle").first.click()
            tab.page.locator(".page .unit[id]").first.dispatch_event("click")
        tab.page.wait_for_timeout(300)
        assert tab.page.evaluate("typeof window.pwned") == "undefined"
        assert tab.page.url.split("#")[0] == web.url
        assert {url.split("/")[2] for url in tab.requests} == {web.url.split("/")[2]}
        assert len(tab.page.frames) == 1
        assert tab.complaints == []
        foreign = "all => all.filter(e => !['DIV', 'SPAN', 'BR'].includes(e.tagName)).length"
        assert tab.page.eval_on_selector_all(".redrawn *", foreign) == 0


def test_an_answer_that_is_hostile_itself_is_not_believed(chromium: Any, web: Service) -> None:
    """Even if markup of a page got into the answer of the service, nothing of it would be shown or run."""
    attack = (
        f"<img src=x onerror='{MARKER}'><script>{MARKER}</script><div onclick='{MARKER}' style='color:red' id=body>"
    )

    def answer(route: Any) -> None:
        found = route.fetch()
        value = found.json()
        value["views"][0]["source"] = attack + value["views"][0]["source"]
        route.fulfill(response=found, json=value)

    with Tab(chromium, web) as tab:
        tab.page.route("**/v1/explain*", answer)
        tab.choose_file(SEAL)
        assert tab.page.locator(".redrawn img, .redrawn script, .redrawn [onclick], .redrawn [style]").count() == 0
        assert tab.page.evaluate("typeof window.pwned") == "undefined"
        assert tab.text("#result-title") == TITLE


def test_the_policy_refuses_markup(chromium: Any, web: Service) -> None:
    with Tab(chromium, web) as tab:
        refused = "() => { try { document.body.innerHTML += '<p>'; return false } catch { return true } }"
        assert tab.page.evaluate(refused)
        tab.page.evaluate(
            "document.body.append(Object.assign(document.createElement('img'), {src: 'http://a.invalid/'}))"
        )
        tab.page.wait_for_timeout(100)
        assert any("Content Security Policy" in told for told in tab.complaints)


# Accessibility


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed (make test does, where npm is there)")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "scheme", "locale"),
    [("desktop", "light", "en-GB"), ("phone", "dark", "zh-CN"), ("phone", "light", "en-GB")],
)
@pytest.mark.parametrize("what", ["start", "article", "records", "compare", "sites", "problem", "question"])
def test_accessible(chromium: Any, web: Service, what: str, size: str, scheme: str, locale: str) -> None:
    web.post("v1/sites", pages=[{"url": "https://axe.example.org/", "html": SEAL.read_text("utf-8")}])
    with Tab(chromium, web, size, color_scheme=scheme, locale=locale, bypass_csp=True) as tab:
        _bring_about(tab, what)
        tab.page.add_script_tag(path=str(AXE))
        assert tab.page.evaluate(FIND_BARRIERS) == []


def _bring_about(tab: Tab, what: str) -> None:
    """Show a state of the web page."""
    if what in ("article", "records", "compare"):
        tab.choose(what)
        tab.choose_file(GRID if what == "records" else SEAL)
        tab.page.locator(".toggle").first.click()
        tab.page.locator(".page .unit[id]").first.click()
        tab.page.locator(".schema summary").click() if what == "records" else None
        tab.page.locator(".download-json").click()
        tab.page.wait_for_selector(".outcome > span")
    elif what == "question":
        tab.choose_file(SEAL)
        tab.correct("Staff believe")
        tab.page.locator(".undo").click()
    elif what == "sites":
        tab.page.locator("#to-sites").click()
        tab.page.locator("[data-site='axe.example.org'] .show").click()
        tab.page.wait_for_selector(".known")
    elif what == "problem":
        tab.page.locator("#read").click()
