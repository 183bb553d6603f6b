"""Reports in a real Chromium: pointing, tapping, keys and links work, and nothing of the page runs or loads."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pagesieve.page.static import PageSource
from pagesieve.report import build_report, write_report
from pagesieve.report.build import render
from tests.conftest import SITE
from tests.report.injections import MARKER, PAGE
from tests.report.test_cli_explain import explain, saved_page
from tests.report.test_report import OBSERVATORY, OTHER, SEAL

AXE = Path(sys.prefix) / "node" / "node_modules" / "axe-core" / "axe.min.js"
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
# What axe finds in a page, without the elements that it approves of, which are many.
FIND_BARRIERS = """async () => {
    const found = await axe.run({resultTypes: ["violations"]});
    return found.violations.filter(each => ["serious", "critical"].includes(each.impact))
        .map(each => [each.id, each.nodes[0].html.slice(0, 200)]);
}"""
NEAR_TOP = 60  # pixels below the edge of a panel that scrolls
MAX_PRINTED = 4_000_000  # bytes of a printed report
CARD = "(card => card.hidden ? '' : card.innerText)(document.querySelector('.card'))"
FITS = "e => e.scrollHeight <= e.clientHeight + 1 || getComputedStyle(e).overflowY == 'visible'"


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports of all sorts, by their names."""
    folder = tmp_path_factory.mktemp("reports")
    seal, grid = (SITE / SEAL).read_bytes(), (SITE / "shop/grid.html").read_bytes()
    url = "https://news.example.org/"
    written = {
        "source": write_report(build_report(seal, url)),
        "picture": write_report(build_report(render(PageSource(seal, url)))),
        "methods": write_report(build_report(seal, url, methods=["blocks", "lineblocks"])),
        "records": write_report(build_report(render(PageSource(grid, url)), methods=[], records=True)),
        "chinese": write_report(
            build_report(
                (SITE / OBSERVATORY).read_bytes(),
                reference=(SITE / "zh/keji/2024-05/12/c_1130145850.html").read_bytes(),
            ),
            "zh",
        ),
        "sibling": write_report(build_report(seal, url, reference=(SITE / OTHER).read_bytes())),
        "hostile": write_report(
            build_report(PAGE, methods=["auto", "lineblocks"], records=True, name=f"<img src=x onerror='{MARKER}'>")
        ),
        "hostile picture": write_report(build_report(render(PageSource(PAGE, url)), records=True)),
    }
    paths = {"saved": folder / "saved-report.html"}
    explain(saved_page(folder), "-o", paths["saved"])
    for number, (name, text) in enumerate(written.items()):
        paths[name] = folder / f"{number}.html"
        paths[name].write_text(text, encoding="utf-8")
    return paths


class Shown:
    """A report in a tab; what it asks for and complains of is noted."""

    def __init__(self, chromium: Any, path: Path, size: dict[str, int], fragment: str = "", **options: Any) -> None:
        self.context = chromium.new_context(viewport=size, has_touch=size is PHONE, **options)
        self.page = self.context.new_page()
        self.requests, self.complaints = list[str](), list[str]()
        self.page.on("request", lambda request: self.requests.append(request.url[:200]))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(path.as_uri() + fragment)

    def __enter__(self) -> Shown:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def card(self) -> str:
        """What the card says; empty where it is hidden."""
        return str(self.page.evaluate(CARD))

    def selected(self, where: str) -> list[str]:
        """The numbers of the units that are selected in a panel."""
        found = self.page.eval_on_selector_all(
            f"{where} .is-selected", "all => all.map(e => e.dataset.unit ?? e.dataset.units)"
        )
        return sorted(set(found))

    def focused(self) -> str:
        return str(self.page.evaluate("document.activeElement.id || document.activeElement.getAttribute('href')"))


@pytest.mark.parametrize("name", ["hostile", "hostile picture"])
def test_a_hostile_page_runs_and_loads_nothing(chromium: Any, reports: dict[str, Path], name: str) -> None:
    with Shown(chromium, reports[name], DESKTOP) as shown:
        for unit in shown.page.query_selector_all(".unit[id]"):
            unit.dispatch_event("click")
            unit.dispatch_event("mouseover")
        shown.page.wait_for_timeout(300)
        assert shown.page.evaluate("typeof window.pwned") == "undefined"
        assert shown.page.url == reports[name].as_uri()
        assert [url for url in shown.requests if not url.startswith("data:image/webp")] == [reports[name].as_uri()]
        assert shown.complaints == []
        assert len(shown.page.frames) == 1


def test_the_policy_refuses_what_is_not_of_the_report(chromium: Any, reports: dict[str, Path], tmp_path: Path) -> None:
    """Even markup that would get into the file could do nothing."""
    text = reports["source"].read_text("utf-8")
    attack = f"<script>{MARKER}</script><img src=x onerror='{MARKER}'><p style='color: red' id=styled>x</p>"
    path = tmp_path / "attacked.html"
    path.write_text(text.replace("<footer>", f"{attack}<footer>"), encoding="utf-8")
    with Shown(chromium, path, DESKTOP) as shown:
        assert shown.page.evaluate("typeof window.pwned") == "undefined"
        assert shown.page.evaluate("getComputedStyle(styled).color") != "rgb(255, 0, 0)"
        assert len(shown.complaints) >= 3


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("name", ["saved", "source", "picture", "methods", "records"])
def test_a_report_opens_at_the_first_kept_block(
    chromium: Any, reports: dict[str, Path], name: str, size: dict[str, int]
) -> None:
    with Shown(chromium, reports[name], size) as shown:
        views = shown.page.locator(".view").all()
        for view in views:
            for panel, kept in ((".page", ".unit[data-kept]"), (".decisions", "tr[data-kept]")):
                unit = view.locator(f"{panel} {kept}").first.bounding_box()
                frame = view.locator(f"{panel} .scroll").bounding_box()
                assert 0 <= unit["y"] - frame["y"] <= NEAR_TOP
        is_redrawn = name in ("saved", "source", "methods")
        assert shown.page.locator(".redrawn").count() == (len(views) if is_redrawn else 0)
        assert shown.page.evaluate("scrollY") == 0


def test_a_link_to_a_unit_of_a_report_leads_there(chromium: Any, reports: dict[str, Path]) -> None:
    with Shown(chromium, reports["source"], DESKTOP, "#v0-u0") as shown:
        assert shown.page.locator(".page .scroll").evaluate("e => e.scrollTop") <= NEAR_TOP


@pytest.mark.parametrize("name", ["source", "picture"])
def test_pointing_links_page_result_and_table(chromium: Any, reports: dict[str, Path], name: str) -> None:
    with Shown(chromium, reports[name], DESKTOP) as shown:
        unit = shown.page.locator(".unit[id][data-fate=article]").nth(1)
        number = unit.get_attribute("data-unit")
        unit.hover()
        assert shown.selected(".page") == shown.selected(".result") == shown.selected(".decisions") == [number]
        assert "article, kept" in shown.card()
        assert "likelihood" in shown.card()
        shown.page.locator("h1").hover()
        assert shown.card() == ""
        line = shown.page.locator(f"a.line[data-units='{number}']").first
        line.hover()
        assert shown.selected(".page") == [number]
        shown.page.locator(f"tr[data-units='{number}']").hover()
        assert shown.selected(".result") == [number]
        assert shown.complaints == []


def test_keys_move_pin_and_let_go(chromium: Any, reports: dict[str, Path]) -> None:
    with Shown(chromium, reports["source"], DESKTOP) as shown:
        keys = shown.page.keyboard
        shown.page.locator(".unit[id]").first.focus()
        keys.press("ArrowDown")
        keys.press("ArrowRight")
        assert shown.focused() == "v0-u2"
        keys.press("ArrowUp")
        assert shown.focused() == "v0-u1"
        assert shown.selected(".decisions") == ["1"]
        outline = shown.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"
        keys.press("Enter")
        shown.page.locator(".unit[id]").nth(5).hover()
        assert shown.selected(".decisions") == ["1"]
        keys.press("Tab")  # to the card's link
        keys.press("Enter")
        assert shown.focused() == "#v0-u1"
        keys.press("Escape")
        assert shown.card() == ""
        keys.press("End")
        assert shown.selected(".decisions") == [str(shown.page.locator("tbody tr").count() - 1)]


def test_the_table_leads_to_the_page(chromium: Any, reports: dict[str, Path]) -> None:
    with Shown(chromium, reports["source"], DESKTOP) as shown:
        number = shown.page.locator(".unit[id][data-fate=article]").last.get_attribute("data-unit")
        shown.page.locator(f"tr[data-units='{number}'] a").click()
        box = shown.page.locator(f"#v0-u{number}").bounding_box()
        frame = shown.page.locator(".page .scroll").bounding_box()
        assert frame["y"] <= box["y"] <= frame["y"] + frame["height"]
        assert "is-pinned" in (shown.page.locator(f"#v0-u{number}").get_attribute("class") or "")


def test_units_are_marked_with_other_methods_too(chromium: Any, reports: dict[str, Path]) -> None:
    with Shown(chromium, reports["methods"], DESKTOP) as shown:
        views = [shown.page.locator(f"#v{number}").bounding_box() for number in (0, 1)]
        assert views[0]["y"] == views[1]["y"]
        assert views[0]["x"] + views[0]["width"] <= views[1]["x"]
        shown.page.locator("#v0 .unit[data-fate=article]").first.hover()
        first, second = (shown.page.locator(f"#v{number} tr.is-selected") for number in (0, 1))
        assert first.get_attribute("data-rows") == second.get_attribute("data-rows")
        shown.page.locator("h1").hover()
        assert first.count() == second.count() == 0


@pytest.mark.parametrize("name", ["source", "picture", "methods", "records", "chinese"])
def test_a_phone_shows_panels_below_each_other(chromium: Any, reports: dict[str, Path], name: str) -> None:
    with Shown(chromium, reports[name], PHONE) as shown:
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        tops = [shown.page.locator(f"#v0 .panel.{each}").bounding_box() for each in ("page", "result", "decisions")]
        for above, below in pairwise(tops):
            assert above["y"] + above["height"] <= below["y"]
        unit = shown.page.locator("#v0 .unit[data-kept][id]").first
        unit.tap()
        card = shown.page.locator(".card").bounding_box()
        assert card["y"] + card["height"] == pytest.approx(PHONE["height"], abs=1)
        assert shown.card()


def test_records_hold_items(chromium: Any, reports: dict[str, Path]) -> None:
    with Shown(chromium, reports["records"], DESKTOP) as shown:
        shown.page.locator(".unit[data-fate=item]").first.hover()
        assert "item (" in shown.card()
        record = shown.page.locator(".unit[data-fate=record]").first
        record.hover(position={"x": 3, "y": 100})
        assert "record 1 of 24" in shown.card()
        assert len(shown.selected(".result")) == 1


def test_colours_follow_the_reader(chromium: Any, reports: dict[str, Path]) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        with Shown(chromium, reports["source"], DESKTOP, color_scheme=scheme) as shown:
            grounds.append(shown.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(243, 244, 246)", "rgb(14, 16, 18)"]


def test_units_are_told_apart_without_colour(chromium: Any, reports: dict[str, Path]) -> None:
    look = "e => [getComputedStyle(e, '::before').content, getComputedStyle(e).borderInlineStartStyle]"
    with Shown(chromium, reports["sibling"], DESKTOP) as shown:
        looks = {
            fate: shown.page.locator(f".page .unit[id][data-fate={fate}]").first.evaluate(look)
            for fate in ("article", "headline", "sibling", "list", "model")
        }
    assert [content[1] for content, _ in looks.values()] == ["A", "H", "S", "L", "M"]
    assert [style for _, style in looks.values()] == ["solid", "dashed", "dashed", "dashed", "dashed"]


def test_the_language_is_the_browsers_unless_one_is_chosen(chromium: Any, reports: dict[str, Path]) -> None:
    for name, locale, word in (
        ("source", "zh-CN", "结果"),
        ("source", "fr-FR", "Result"),
        ("chinese", "en-GB", "结果"),
        ("source", "en-GB", "Result"),
    ):
        with Shown(chromium, reports[name], DESKTOP, locale=locale) as shown:
            assert shown.page.locator("#v0-result").inner_text() == word
            assert shown.page.evaluate("document.documentElement.lang") == ("en" if word == "Result" else "zh")


def test_a_screen_reader_hears_fate_and_reason(chromium: Any, reports: dict[str, Path]) -> None:
    with Shown(chromium, reports["picture"], DESKTOP) as shown:
        unit = shown.page.locator(".unit[data-fate=article]").first
        label = unit.get_attribute("aria-label") or ""
        assert label.startswith("article, kept. ")
        assert "A young grey seal" in label
        assert shown.page.locator(".card").get_attribute("role") == "status"


def test_everything_is_printed(chromium: Any, reports: dict[str, Path]) -> None:
    with Shown(chromium, reports["source"], DESKTOP, color_scheme="dark") as shown:
        shown.page.emulate_media(media="print")
        for panel in shown.page.query_selector_all(".scroll"):
            assert panel.evaluate(FITS)
        assert shown.page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
        assert shown.page.locator(".card").is_hidden()
        assert len(shown.page.pdf()) < MAX_PRINTED


def test_a_report_is_read_without_its_script(chromium: Any, reports: dict[str, Path]) -> None:
    with Shown(chromium, reports["source"], DESKTOP, java_script_enabled=False) as shown:
        shown.page.locator("a.line").nth(1).click()
        target = shown.page.url.split("#")[1]
        assert shown.page.locator(f"#{target} .reason").is_visible()


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed (make test does, where npm is there)")
@pytest.mark.slow
@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")], ids=["desktop", "phone"])
@pytest.mark.parametrize("name", ["source", "picture", "records", "chinese"])
def test_accessible(chromium: Any, reports: dict[str, Path], name: str, size: dict[str, int], scheme: str) -> None:
    with Shown(chromium, reports[name], size, color_scheme=scheme, bypass_csp=True) as shown:
        shown.page.locator(".unit[id]").first.focus()
        shown.page.add_script_tag(path=str(AXE))
        assert shown.page.evaluate(FIND_BARRIERS) == []
