"""Records of pages in a real Chromium, from the address to the table; and what is left where there is no browser."""

from __future__ import annotations

import json
import re
import subprocess
import sysconfig
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from PIL import Image

import pagesieve
from pagesieve.cli import commands
from pagesieve.errors import BadInput, BadOption, FetchError, MissingBrowser, NothingFound, RenderError
from pagesieve.fetching import chromium
from pagesieve.fetching.chromium import RenderOptions
from pagesieve.page.rendered import RenderedPage
from pagesieve.records.find import RecordOptions, find_records
from pagesieve.records.picture import NOISE, RECORDS, REGION

PROGRAM = Path(sysconfig.get_path("scripts")) / "pagesieve"
VISUAL = RecordOptions("visual")
PAPER = RecordOptions("visual", region="paper")
BAD_RENDER = RenderOptions(allow_private=True, timeout=3, settle=0.8, quiet=0.2)
BAD = RecordOptions("visual", render=BAD_RENDER)


def results(count: int) -> str:
    hits = (
        f"<li><h3><a href=/{n}>Result number {n}</a></h3><p>What it has to say of the matter, variant {n}.</p></li>"
        for n in range(count)
    )
    return f"<!doctype html><title>Results</title><h1>Results</h1><ul>{''.join(hits)}</ul>"


def run(*args: object) -> Result:
    """The command in this process, so that all share its browser."""
    return CliRunner().invoke(commands, ["records", *map(str, args)], standalone_mode=False)


# A whole run


def test_the_page_that_a_script_builds_as_a_table(site: Path, at: Callable[[str], str]) -> None:
    """By its address, at the prompt, in a process of its own: nothing is in its source, so `auto` takes the browser."""
    source = (site / "app" / "notes.html").read_text(encoding="utf-8")
    notes = json.loads(re.search(r'id="store"[^>]*>(.*?)</script>', source, re.DOTALL)[1])["notes"]  # type: ignore[index]
    page = at("app/notes.html")
    done = subprocess.run(
        [PROGRAM, "records", "-f", "json", "--allow-private", page], capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    told = json.loads(done.stdout)
    assert (told["url"], told["mode"]) == (page, "visual")
    assert len(told["records"]) == len(notes) >= 10
    for record, note in zip(told["records"], notes, strict=True):
        assert note["place"] in record["text"]
        assert set(note["text"].split()[:8]) <= set(record["text"].split())


def test_the_same_from_its_file(site: Path) -> None:
    done = run(site / "app" / "notes.html", "-f", "csv")
    assert done.return_value == 0
    assert "13 records, mode visual" in done.stderr
    assert done.stdout.count("\n") > 10


def test_a_picture(site: Path, tmp_path: Path) -> None:
    file = tmp_path / "blocks.png"
    done = run(site / "shop" / "grid.html", "--picture", file)
    assert done.return_value == 0
    assert "mode visual" in done.stderr
    with Image.open(file) as image:
        colours = {colour for _, colour in image.convert("RGB").getcolors(1 << 24) or ()}
    assert {REGION, *RECORDS} <= colours
    assert run(site / "shop" / "grid.html", "--picture", tmp_path / "no" / "x.png").return_value == 2


def test_a_picture_where_nothing_is_found(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>Nothing recurs here.")
    done = run(tmp_path / "page.html", "--picture", tmp_path / "x.png")
    assert (done.return_value, "nothing found" in done.stderr) == (1, True)
    with Image.open(tmp_path / "x.png") as image:
        assert NOISE in {image.convert("RGB").getpixel((x, 14)) for x in range(400)}


# Few records and many


@pytest.mark.parametrize("options", [VISUAL, PAPER], ids=["best", "paper"])
@pytest.mark.parametrize("html", ["", " ", "<p>One text.", results(0), results(1)], ids=range(5))
def test_pages_without_a_list(html: str, options: RecordOptions) -> None:
    with pytest.raises(NothingFound):
        find_records(html, None, options)


@pytest.mark.parametrize("options", [VISUAL, PAPER], ids=["best", "paper"])
def test_five_thousand_records(options: RecordOptions) -> None:
    found = find_records(results(5000), None, options)
    assert (len(found), found.mode) == (5000, "visual")
    rows = found.to_rows()
    assert rows[4321]["title"] == "Result number 4321"


# Pages that misbehave


def test_records_of_a_page_that_never_rests(at: Callable[[str], str]) -> None:
    patient = replace(BAD, render=replace(BAD_RENDER, timeout=60))  # a busy machine may take long to show it
    found = find_records(None, at("busy"), patient)
    assert [row["title"] for row in found.to_rows()] == [f"Result number {n}" for n in range(1, 9)]
    assert found.page.notes == ("taken as it stood after 0.8 s; it had not come to rest",)


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("dialogs", NothingFound),
        ("loop", FetchError),
        ("attachment", FetchError),
        ("nowhere", FetchError),
        ("hangs", RenderError),
        ("crashes", RenderError),
    ],
)
def test_pages_that_give_none(at: Callable[[str], str], path: str, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        find_records(None, at(path), BAD)
    assert "\n" not in str(caught.value)


def test_a_page_that_cannot_be_opened_is_one_line_at_the_prompt(at: Callable[[str], str]) -> None:
    done = run("--mode", "visual", "--allow-private", at("loop"))
    assert (done.return_value, done.stdout) == (2, "")
    assert done.stderr == f"pagesieve: {at('loop')}: more than 10 redirects\n"


# Pages that show badly: never less than their source


LATER = "<p>Some text that stands there in any case, and is no list of anything.</p>"
SPOILT = {
    "blanked": (results(8) + "<script>document.body.innerHTML = ''</script>", "poorer list"),
    "list removed": (LATER + results(8) + "<script>document.querySelector('ul').remove()</script>", "poorer list"),
    "half of it removed": (
        results(8) + "<script>document.querySelectorAll('li:nth-child(2n)').forEach(li => li.remove())</script>",
        "poorer list",
    ),
    "hidden until a script that cannot be had": (
        results(8) + "<style>ul { visibility: hidden }</style><script src=show.js></script>",
        "most of the list is not to be seen",
    ),
    "a style sheet missing": ("<link rel=stylesheet href=main.css>" + results(8), "1 style sheet could not be had"),
    "two style sheets missing": (
        "<link rel=stylesheet href=a.css><style>@import 'b.css'</style>" + results(8),
        "2 style sheets could not be had",
    ),
}


@pytest.mark.parametrize(("html", "why"), SPOILT.values(), ids=SPOILT)
def test_the_source_answers_where_a_page_shows_badly(html: str, why: str) -> None:
    found = find_records(html, None, VISUAL)
    assert (found.mode, len(found)) == ("static", 8)
    assert found.to_rows() == find_records(html, None, RecordOptions("static")).to_rows()
    (note,) = found.notes
    assert note.startswith("found in the source: ")
    assert why in note
    assert found.as_dict()["notes"] == [note]
    assert found.regions[0].notes == found.notes


FINE = {
    "as it is": results(8),
    "a style sheet for printing missing": "<link rel=stylesheet media=print href=p.css>" + results(8),
    "styles of its own": "<style>li { width: 300px }</style>" + results(8),
    "more by a script": results(4)
    + """<script>document.querySelectorAll('li').forEach(li => { const more = li.cloneNode(true)
        more.querySelector('a').append(' again'); li.parentNode.append(more) })</script>""",
    "images that stand in for themselves": results(8).replace(
        "<h3>", "<img src=x.png onerror='this.src=this.src'><h3>"
    ),
}


@pytest.mark.parametrize("html", FINE.values(), ids=FINE)
def test_the_browser_answers_where_a_page_shows_well(html: str) -> None:
    found = find_records(html, None, VISUAL)
    assert (found.mode, len(found), found.notes) == ("visual", 8, ())


def test_what_scripts_write_counts_without_boxes_where_styles_are_missing() -> None:
    html = f"""<link rel=stylesheet href=main.css><div></div>
        <script>document.querySelector('div').innerHTML = `{results(8)}`</script>"""
    found = find_records(html, None, VISUAL)
    assert (found.mode, len(found)) == ("visual", 8)
    assert found.notes == ("found without boxes: 1 style sheet could not be had",)


def test_an_empty_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that the browser says of the page is of use."""
    empty = replace(chromium.shared().snapshot("<p>x"), raw={"documents": [{"nodes": {}}], "strings": []})
    monkeypatch.setattr(chromium.Browser, "snapshot", lambda *args, **more: empty)
    found = find_records(results(8), None, VISUAL)
    assert (found.mode, len(found)) == ("static", 8)
    assert "not a snapshot of a page" in found.notes[0]
    with pytest.raises(BadInput):
        find_records("<p>One text.", None, VISUAL)


def test_a_page_that_crashes_its_tab_has_its_source(at: Callable[[str], str]) -> None:
    html = results(8) + "<script>const all = []; for (;;) all.push(new Array(1e6).fill(all.length))</script>"
    found = find_records(html, None, VISUAL)
    assert (found.mode, len(found)) == ("static", 8)
    assert "crashed its tab" in found.notes[0]


def test_the_prompt_says_why(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(SPOILT["blanked"][0])
    done = run("--mode", "visual", tmp_path / "page.html", "-f", "csv")
    assert done.return_value == 0
    assert "page.html: found in the source: " in done.stderr
    assert done.stderr.endswith("8 records, mode static\n")


# Lists that go on


ON_LOOPBACK = RenderOptions(allow_private=True)


@pytest.mark.parametrize(("scroll", "records"), [(1, 20), (2, 30), (9, 40)])
@pytest.mark.parametrize("mode", ["auto", "visual"])
def test_scrolling_loads_more_records(at: Callable[[str], str], mode: str, scroll: int, records: int) -> None:
    """Four parts are all there is: with more turns than that, scrolling ends early."""
    found = pagesieve.records(None, at("goes_on"), mode, render=replace(ON_LOOPBACK, scroll=scroll))
    assert (found.mode, len(found), found.notes) == ("visual", records, ())
    assert found.to_rows()[-1]["title"] == f"Result number {records - 1}"


def test_scrolling_at_the_prompt(at: Callable[[str], str]) -> None:
    done = run("--allow-private", "--scroll", 1, at("goes_on"), "-f", "json")
    assert done.return_value == 0
    told = json.loads(done.stdout)
    assert (told["mode"], len(told["records"])) == ("visual", 20)


def test_a_list_that_scrolls_inside_the_page() -> None:
    """Given as source, and with records before anything is scrolled: the browser is used all the same."""
    html = (
        results(8).replace("<ul>", "<ul style='height: 300px; overflow-y: scroll'>")
        + """<script>
        const list = document.querySelector('ul'); list.onscroll = () => {
        if (list.children.length < 16) list.innerHTML += list.innerHTML.replaceAll('number', 'no.') }</script>"""
    )
    assert len(pagesieve.records(html)) == 8
    assert len(pagesieve.records(html, render=RenderOptions(scroll=2))) == 16


def test_scrolling_needs_a_browser() -> None:
    with pytest.raises(BadOption, match="to scroll needs a browser"):
        pagesieve.records(results(8), mode="static", render=RenderOptions(scroll=2))


# Without a browser


@pytest.fixture
def no_browser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(chromium, "_shared", {})
    monkeypatch.setattr(chromium, "PLACES", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))


@pytest.mark.usefixtures("no_browser")
def test_no_browser_is_one_line(tmp_path: Path, site: Path) -> None:
    (tmp_path / "page.html").write_text(results(8))
    assert run(tmp_path / "page.html").return_value == 0  # auto does not miss it here
    done = run("--mode", "visual", tmp_path / "page.html")
    assert isinstance(done.exception, MissingBrowser)  # the same for every source, so that it ends the command
    assert str(done.exception).startswith("no Chromium was found: install")
    done = run(site / "app" / "notes.html")
    assert done.return_value == 1
    assert "without a browser; with one there may be: no Chromium was found" in done.stderr


def test_a_saved_page_needs_none(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = (site / "search" / "results.html").read_bytes()
    shown = chromium.shared().render(source, "https://search.example.org/")
    shown.save(tmp_path / "page")
    expected = pagesieve.records(shown)
    monkeypatch.setattr(chromium, "shared", lambda: pytest.fail("a browser was asked for"))
    page = RenderedPage.load(tmp_path / "page")
    for mode in ("auto", "visual"):
        found = pagesieve.records(page, mode=mode)
        assert (found.mode, found.url) == ("visual", "https://search.example.org/")
        assert found.to_rows() == expected.to_rows()
    assert len(pagesieve.records(page, region="paper")) > 1
    assert pagesieve.records(page, mode="static").mode == "static"


@pytest.mark.parametrize("name", ["search/results.html", "shop/grid.html", "forum/thread-4711-1.html"])
def test_a_schema_holds_in_both_modes(name: str, site: Path, tmp_path: Path) -> None:
    """Saved from the page as the browser shows it, and applied to it again and to its source."""
    html, url = (site / name).read_bytes(), f"https://www.example.org/{name}"
    shown, written = (pagesieve.records(html, url, mode=mode) for mode in ("visual", "static"))
    assert (shown.mode, written.mode) == ("visual", "static")
    assert shown.columns == written.columns
    shown.schema.save(tmp_path / "schema.json")
    schema = pagesieve.Schema.load(tmp_path / "schema.json")
    for mode, rows in (("visual", shown.to_rows()), ("static", written.to_rows())):
        fitted = pagesieve.records(html, url, mode=mode, schema=schema)
        assert (fitted.mode, fitted.drift, fitted.to_rows()) == (mode, (), rows)


def test_a_schema_of_one_page_holds_on_the_next_in_the_browser(site: Path, tmp_path: Path) -> None:
    first, second = (site / "forum" / f"thread-4711-{number}.html" for number in (1, 2))
    saved = tmp_path / "forum.json"
    done = run("--mode", "visual", first, "--save-schema", saved, "-f", "json")
    assert done.exit_code == 0
    fitted = run("--mode", "visual", second, "--schema", saved, "-f", "json")
    assert json.loads(fitted.stdout)["columns"] == json.loads(done.stdout)["columns"]
