"""Reports as data and as files: the right fate for every unit, links between the parts, nothing of the page's own."""

from __future__ import annotations

import json
import re
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from pagesieve.api import article
from pagesieve.errors import BadInput, BadOption
from pagesieve.page.static import parse
from pagesieve.report import Report, Unit, View, build, build_report, write_report
from pagesieve.report.build import align, redraw
from pagesieve.report.writer import LANGUAGES, SCRIPTS, TEXTS, static_file
from tests.conftest import ROOT, SITE
from tests.profiles import examples
from tests.report.injections import MARKER, PAGE

SEAL = "en/2024/05/seal-closes-pool-4181077.html"
OTHER = "en/2024/05/lost-radio-play-4181024.html"
OBSERVATORY = "zh/jiaoyu/2024-05/15/c_1130146240.html"
PARAGRAPH = "The council has decided to plant four hundred trees along the river before the end of the winter, it says."


def report_on(name: str, **options: Any) -> Report:
    return build_report((SITE / name).read_bytes(), f"https://news.example.org/{name}", **options)


def fates(view: View) -> str:
    """What became of the units, in order, neighbours together: `list 9, headline 1, article 5`."""
    return ", ".join(f"{fate} {len(list(same))}" for fate, same in groupby(unit.fate for unit in view.units))


# Fates


def test_fates_of_an_article() -> None:
    (view,) = report_on(SEAL).views
    assert fates(view) == GOLDEN["blocks"]


def test_fates_by_another_page_of_the_site() -> None:
    (view,) = report_on(SEAL, reference=(SITE / OTHER).read_bytes()).views
    assert view.method == "sharpened"
    assert fates(view) == GOLDEN["sharpened"]


def test_fates_by_lines() -> None:
    (view,) = report_on(OBSERVATORY, methods=["lineblocks"]).views
    assert fates(view) == GOLDEN["lineblocks"]


def test_fates_of_records() -> None:
    (view,) = report_on("search/results.html", methods=[], records=True).views
    assert fates(view) == GOLDEN["table"]
    records = [unit for unit in view.units if unit.fate == "record"]
    items = [unit for unit in view.units if unit.parent == records[0].id]
    assert {"title", "date"} <= {item.name for item in items if item.kept}
    assert "Cached copy" not in {item.text for item in items}  # in a menu that is not shown


GOLDEN = json.loads((Path(__file__).parent / "fates.json").read_text("utf-8"))


def test_articles_and_headlines_are_those_of_the_gold(gold: list[dict[str, Any]]) -> None:
    for answer in gold:
        (view,) = report_on(answer["id"]).views
        headlines = [unit.text for unit in view.units if unit.fate == "headline"]
        assert answer["title"] in headlines, answer["id"]
        kept = [unit for unit in view.units if unit.fate == "article"]
        assert kept, answer["id"]
        assert all(unit.kept for unit in kept)
        assert not any(unit.kept for unit in view.units if unit.fate != "article")


SMALL = [
    ("<nav><ul>" + "<li><a href=/a>Politics</a>" * 9 + "</ul></nav>", "list"),
    ("<footer>All rights reserved</footer>", "model"),
    ("<h1>Four hundred trees</h1>", "headline"),
    (
        f"<div id=comments class=comments><h3>2 comments</h3><div class=comment><p>{PARAGRAPH}</p></div></div>",
        "comment",
    ),
]


@pytest.mark.parametrize(("part", "fate"), SMALL, ids=[fate for _, fate in SMALL])
def test_the_fate_of_a_part(part: str, fate: str) -> None:
    html = f"<title>Four hundred trees</title>{part if 'h1' in part else ''}" + f"<p>{PARAGRAPH}</p>" * 4
    (view,) = build_report(html + ("" if "h1" in part else part)).views
    assert [unit.fate for unit in view.units if unit.fate != "article"][-1] == fate


def test_units_are_the_decisions_with_their_numbers() -> None:
    html = (SITE / SEAL).read_bytes()
    (view,) = build_report(html).views
    found = article(html)
    assert [(unit.kept, unit.reason, unit.fate) for unit in view.units] == [
        (decision.kept, decision.reason, decision.fate) for decision in found.decisions
    ]
    for unit in view.units:
        assert 0 <= unit.numbers["likelihood"] <= 1 if unit.fate != "headline" else not unit.numbers


# The parts are linked


def test_lines_of_the_result_know_their_units() -> None:
    for name in (SEAL, OBSERVATORY):
        (view,) = report_on(name).views
        linked = {number for line in view.result for number in line.units}
        kept = {unit.id for unit in view.units if unit.kept}
        assert kept <= linked
        assert linked - kept <= {unit.id for unit in view.units if unit.fate == "headline"}


ALIGNED = [
    (["# A title", "", "One two three."], ["A title", "One two three."], [(0,), (), (1,)]),
    (["| one | two |", "| --- | --- |", "| 3 | four |"], ["one", "two", "3", "four"], [(0, 1), (), (2, 3)]),
    (["- first", "- **second**"], ["first", "dropped from the text", "second"], [(0,), (2,)]),
    (["1. first", "2. second"], ["first", "second"], [(0,), (1,)]),
    (["one", "two"], ["one two"], [(0,), (0,)]),
    (["nothing of this"], ["else"], [()]),
    (["A claim.[^1]", "", "[^1]: The source."], ["A claim.1", "The source."], [(0,), (), (1,)]),
]


@pytest.mark.parametrize(("lines", "texts", "expected"), ALIGNED)
def test_alignment(lines: list[str], texts: list[str], expected: list[tuple[int, ...]]) -> None:
    assert align(lines, texts) == expected


@given(st.lists(st.text(max_size=12), max_size=8), st.lists(st.text(max_size=12), max_size=8))
def test_alignment_is_in_order(lines: list[str], texts: list[str]) -> None:
    numbers = [number for each in align(lines, texts) for number in each]
    assert numbers == sorted(numbers)
    assert all(0 <= number < len(texts) for number in numbers)


def test_every_link_leads_to_something() -> None:
    for name, options in ((SEAL, {"methods": ["blocks", "lineblocks"]}), ("search/results.html", {"records": True})):
        tree = LexborHTMLParser(write_report(report_on(name, **options)))
        names = [node.attributes["id"] for node in tree.css("[id]")]
        assert len(names) == len(set(names))
        targets = {(node.attributes["href"] or "")[1:] for node in tree.css("a[href]")}
        assert targets <= set(names)


# The file


def test_a_report_is_data() -> None:
    report = report_on(SEAL, methods=["auto", "lineblocks"], records=True)
    known = json.loads(json.dumps(report.as_dict()))
    assert [view["asked"] for view in known["views"]] == ["auto", "lineblocks", "table"]
    assert known["title"] == "Seal in the lido closes the slow lane"
    unit = next(unit for unit in known["views"][0]["units"] if unit["kept"])
    assert unit.keys() == set(Unit.__dataclass_fields__)


def test_of_very_many_units_the_first_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "MAX_UNITS", 30)
    report = build_report((SITE / "shop/grid.html").read_bytes(), records=True)
    article_view, table = report.views
    assert [len(view.units) for view in report.views] == [30, 30]
    assert article_view.notes[-1].startswith("the first 30 of ")
    assert re.fullmatch(r"the first \d of 24 records are shown", table.notes[-1])
    assert len(table.result) == 2 + 24
    tree = LexborHTMLParser(write_report(report))
    names = {node.attributes["id"] for node in tree.css("[id]")}
    assert {(node.attributes["href"] or "")[1:] for node in tree.css("a[href]")} <= names


def test_a_part_of_the_page_has_rows_of_its_own() -> None:
    report = report_on(SEAL, methods=["blocks", "reverse"])
    assert [view.has_own_page for view in report.views] == [False, True]
    tree = LexborHTMLParser(write_report(report))
    assert all(node.attributes["data-rows"] for node in tree.css("#v0 tbody tr"))
    assert not any(node.attributes["data-rows"] for node in tree.css("#v1 tbody tr"))


def test_a_method_that_finds_nothing_says_so() -> None:
    report = build_report("<p>Too little.</p>", methods=["auto", "lineblocks"])
    assert report.is_empty
    assert "Nothing found: " in write_report(report)


def test_what_is_given_is_checked() -> None:
    with pytest.raises(BadOption):
        build_report(PARAGRAPH, methods=["guess"])
    with pytest.raises(BadInput):
        build_report(PARAGRAPH, methods=[])
    with pytest.raises(BadOption):
        write_report(build_report(PARAGRAPH), "la")


def test_languages_have_the_same_texts() -> None:
    tables = json.loads(static_file(TEXTS))
    assert set(tables) == set(LANGUAGES)
    english, chinese = tables["en"], tables["zh"]
    assert english.keys() == chinese.keys()
    for key in english:
        assert set(re.findall(r"\{\w+\}", english[key])) == set(re.findall(r"\{\w+\}", chinese[key])), key
    assert ">正文</span>" in write_report(report_on(SEAL), "zh")


# Nothing of the page's own

ELEMENTS = set("html head meta title style script body header main footer section".split())
ELEMENTS |= set("h1 h2 h3 p ul li small a div span br table thead tbody tr th td".split())
ATTRIBUTES = set("lang charset name content http-equiv id class href type dir role scope tabindex".split())


def check_harmless(html: str) -> None:
    """Check that a file has no elements and attributes but ours, and no script but ours."""
    tree = LexborHTMLParser(html)
    assert tree.root is not None
    for node in tree.root.traverse(include_text=False):
        if (node.tag or "").startswith("-") or node.tag in ("!doctype", "_comment"):
            continue
        assert node.tag in ELEMENTS, node.tag
        for name, value in node.attributes.items():
            assert name in ATTRIBUTES or name.startswith(("data-", "aria-")), name
            assert name != "href" or (value or "").startswith("#v"), value
    scripts = tree.css("script")
    assert [node.attributes.get("type") for node in scripts] == ["application/json", None]
    assert scripts[1].text() == "\n".join(map(static_file, SCRIPTS))


def test_nothing_of_a_hostile_page_is_written() -> None:
    report = build_report(PAGE, methods=["auto", "lineblocks"], records=True, name=f'"><script>{MARKER}</script>')
    assert not report.is_empty
    check_harmless(write_report(report))


MARKUP = st.lists(
    st.sampled_from(
        f"<p> </p> <div> </div> <span> <table> <tr> <td> <ul> <li> <svg> </svg> <math> <br> <pre> <a href=javascript:x>"
        f" <b onclick=x> <img src=x onerror=x> <input value=x> <select> <option> <textarea> <title> <h1> <!-- --> "
        f"<script>{MARKER.replace(' ', '')}</script> <style> </style> <template> <noscript> <iframe> \0 &lt;script&gt;"
        f" <p hidden> <frameset> <plaintext> {PARAGRAPH.replace(' ', '_')} ]]> &#0; ".split()
    )
    | st.just(PARAGRAPH)
    | st.text(max_size=8),
    max_size=30,
).map(" ".join)


@given(MARKUP)
@examples(60)
def test_any_page_gives_a_harmless_report(html: str) -> None:
    check_harmless(write_report(build_report(html, records=True)))


@pytest.mark.parametrize(("count", "words"), [(1, "1 of 1 unit kept"), (2, "2 of 2 units kept")])
def test_numbers_and_their_words_agree(count: int, words: str) -> None:
    units = tuple(Unit(number, (number,), "article", True, "", "text") for number in range(count))
    assert words in write_report(Report("page", None, (View("blocks", "blocks", units, ()),)))


@given(MARKUP)
@examples(60)
def test_the_source_is_redrawn_with_all_units(html: str) -> None:
    (view,) = build_report(html, methods=["lineblocks"]).views
    drawn = LexborHTMLParser(f"<body>{view.source}")
    marked = {int(node.attributes["data-unit"] or "") for node in drawn.css("[data-unit]")}
    assert marked == {unit.id for unit in view.units}


def test_a_record_that_is_its_only_item_is_marked_as_both() -> None:
    page = parse(f"<ul><li><b>{PARAGRAPH}</b> again</ul>")
    for row in (page.rows("li").item(), page.rows("b").item() + 1):
        units = [Unit(0, (row,), "record", True, "", ""), Unit(1, (row,), "item", True, "", "", parent=0)]
        drawn = LexborHTMLParser(redraw(page, units))
        assert [node.text() for node in drawn.css("[data-unit='0'] > [data-unit='1']")] == [page.text(row)]


def test_deep_pages_are_redrawn() -> None:
    page = parse("<div>" * 5000 + PARAGRAPH)
    row = next(row for row in range(len(page)) if page.tag_name(row) == "#text")
    drawn = redraw(page, [Unit(0, (row,), "article", True, "", PARAGRAPH)])
    assert drawn.count("<div") == drawn.count("</div>") <= 201
    assert PARAGRAPH in drawn


def test_the_static_files_are_in_the_package() -> None:
    assert '"report/static/*"' in (ROOT / "pyproject.toml").read_text("utf-8")
