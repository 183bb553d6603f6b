"""The table of a page as a browser shows it: its rows, boxes, styles, and how it is saved."""

from __future__ import annotations

import copy
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from pagesieve import parse
from pagesieve.errors import BadInput
from pagesieve.fetching import chromium
from pagesieve.fetching.chromium import RenderOptions
from pagesieve.page.rendered import STYLES, RenderedPage, from_snapshot
from pagesieve.page.table import COLUMNS, Page
from tests.nonsense import pages
from tests.profiles import examples

PLACED = """<!doctype html><style>
    body { margin: 0; font: 20px/30px serif } div { position: absolute; color: rgb(1, 2, 3) }
    #under { left: 10px; top: 20px; width: 300px; height: 40px; padding: 5px 6px; background: red }
    #over { left: 0; top: 0; width: 400px; height: 100px; opacity: 0.5; font-size: 11px }
    .gone { display: none } .blank { visibility: hidden } ::marker { color: red } p::before { content: "made up" }
</style><div id=under>under</div><div id=over>over</div><p class=gone>gone</p><p class=blank>blank</p>
<p style="margin: 900px 0 0; width: 100px">words that run over some lines of the page</p>"""


def render(html: str | bytes, **options: Any) -> RenderedPage:
    return chromium.shared().render(html, "https://example.org/a", RenderOptions(**options))


def row(page: Page, name: str, value: str) -> int:
    return next(r for r in range(len(page)) if page.attribute(r, name) == value)


@pytest.fixture(scope="module")
def placed() -> RenderedPage:
    return render(PLACED)


# Rows


def rows(page: Page) -> list[object]:
    """All rows but those in templates, which a browser does not have in its tree."""
    found: list[object] = []
    at = 0
    while at < len(page):
        name = page.tag_name(at)
        text = page.text(at) if name.startswith("#") and at else ""
        found.append((name, text, page.attributes(at), int(page.depth[at])))
        at = int(page.end[at]) if name == "template" else at + 1
    return found


EXAMPLES = (
    "en/index.html en/world/index.html en/2024/05/seal-closes-pool-4181077.html zh/index.html "
    "zh/keji/2024-05/12/c_1130145794.html forum/thread-4711-1.html search/results.html shop/grid.html app/notes.html"
).split()


def test_the_rows_are_those_of_the_static_page(site: Path) -> None:
    for name in EXAMPLES:
        source = (site / name).read_bytes()
        page = render(source)
        assert page.fault() is None
        assert rows(page) == rows(parse(source)), name


@pytest.mark.parametrize(
    "html",
    [
        "",
        " \n",
        "<p>a &amp; b &lt;é汉🙂<!-- c --><br><B CLASS=x hidden>d</B>",
        "<table><tr><td>1<td>2</table><ul><li>a<li>b</ul><dl><dt>c<dd>d</dl>",
        "<svg viewBox='0 0 1 1'><linearGradient id=g /><text>t</text></svg><math><mi>x</mi></math><x-y z='1'>own</x-y>",
        "<textarea>\n a </textarea><select><option>one<option selected>two</select><input value=v><noscript><i>n</i>",
        "<b><p>mis</b>nested</p><a href=1>one<a href=2>two</a><table><b>out</b></table>",
        "<details open><summary>s</summary>body</details><video>v</video><iframe>f</iframe><object>o</object>",
        "<template><p>inside</p></template><style>p { }</style><script>1 < 2</script><title>t</title>",
        "<p hidden>x" * 5,
    ],
)
def test_markup_of_all_sorts(html: str) -> None:
    page = render("<!doctype html>" + html)
    assert page.fault() is None
    assert rows(page) == rows(parse("<!doctype html>" + html))


@given(html=pages)
@examples(25)
def test_nonsense_is_a_page_too(html: str) -> None:
    page = render(html)
    assert page.fault() is None
    assert page.size >= (0, 0)


def test_what_is_not_in_the_document_is_left_out() -> None:
    page = render(
        """<!doctype html><style>p::before { content: "made up" } q { quotes: auto }</style><p>text</p><q>quoted</q>
        <ul><li>item</ul><iframe srcdoc="<p>framed</p>"></iframe><template><p>kept aside</p></template>
        <x-y><template shadowrootmode=open><b>shadow</b><slot></slot></template>light</x-y>"""
    )
    names = {page.tag_name(r) for r in range(len(page))}
    assert not any(name.startswith("::") for name in names)
    assert [page.text(r) for r in page.rows("p")] == ["text"]
    host = int(page.rows("x-y")[0])
    assert page.text(host) == "shadowlight"
    assert page.laid_out[page.rows("b")[0]]


# Looks


def test_boxes_are_in_pixels_of_the_document(placed: RenderedPage) -> None:
    assert placed.box[row(placed, "id", "under")].tolist() == [10, 20, 312, 50]
    assert placed.box[row(placed, "id", "over")].tolist() == [0, 0, 400, 100]
    assert placed.box[0].tolist() == [0, 0, *placed.size]
    assert placed.viewport == (1366, 900)
    assert placed.size[1] > 900
    narrow = render("<!doctype html><body style='margin:0'><p>a", width=500, height=400)
    assert narrow.viewport == narrow.size == (500, 400)
    assert narrow.box[narrow.rows("p")[0]][2] == 500


def test_rows_that_are_not_laid_out(placed: RenderedPage) -> None:
    gone, blank = row(placed, "class", "gone"), row(placed, "class", "blank")
    for r in (gone, gone + 1, int(placed.rows("head")[0])):
        assert np.isnan(placed.box[r]).all()
        assert placed.paint[r] == -1
        assert not placed.laid_out[r]
        assert placed.style_of(r, "color") is None
    assert placed.laid_out[blank]
    assert placed.style_of(blank, "visibility") == "hidden"
    folded = [r for r in range(len(placed)) if placed.tag_name(r) == "#text" and not placed.text(r).strip()]
    assert folded
    assert not placed.laid_out[folded].any()


def test_styles(placed: RenderedPage) -> None:
    under, over = row(placed, "id", "under"), row(placed, "id", "over")
    expected = {"padding": "5px 6px", "color": "rgb(1, 2, 3)", "font-size": "20px", "position": "absolute"}
    assert {name: placed.style_of(under, name) for name in expected} == expected
    assert placed.style_of(under + 1, "color") == "rgb(1, 2, 3)"  # a text has its parent's
    assert placed.style_of(over, "opacity") == "0.5"
    assert placed.pixels("font-size")[[under, over]].tolist() == [20, 11]
    assert placed.pixels("opacity")[over] == 0.5
    assert np.isnan(placed.pixels("display")[over])
    assert np.isnan(placed.pixels("font-size")[row(placed, "class", "gone")])
    assert (placed.style[placed.laid_out][1:] >= 0).all()
    with pytest.raises(BadInput, match="the style 'colour' is not kept; those that are: color"):
        placed.style_of(under, "colour")


def test_what_is_painted_over_another_has_a_larger_number(placed: RenderedPage) -> None:
    body, under, over = int(placed.rows("body")[0]), row(placed, "id", "under"), row(placed, "id", "over")
    assert placed.paint[body] < placed.paint[under] < placed.paint[over]


def test_the_lines_of_a_text(placed: RenderedPage) -> None:
    text = int(placed.rows("p")[2]) + 1
    lines = placed.line[placed.line_at[text] : placed.line_at[text + 1]]
    assert len(lines) > 2
    assert (np.diff(lines[:, 1]) > 0).all()
    assert lines[:, 2].max() <= 100
    under = row(placed, "id", "under") + 1
    assert placed.line_at[under + 1] - placed.line_at[under] == 1


@pytest.mark.parametrize(
    ("html", "size"),
    [
        ("", 16),
        ("<p>plain", 16),
        ("<h1>A title</h1><p style='font-size:13px'>" + "text " * 20, 13),
        ("<p style='font-size:9px;display:none'>" + "unseen " * 20 + "<p>seen", 16),
    ],
)
def test_the_base_font_size_is_that_of_most_text(html: str, size: float) -> None:
    assert render(html).base_font_size == size


def test_many_records() -> None:
    html = "<!doctype html><ul>" + "".join(f"<li><a href=/{n}>name {n}</a> <b>{n}</b></li>" for n in range(5000))
    page = render(html)
    items = page.rows("li")
    assert len(items) == 5000
    assert page.fault() is None
    assert (np.diff(page.box[items, 1]) > 0).all()


# A page like any other


def test_a_rendered_page_is_accepted_wherever_a_page_is(placed: RenderedPage) -> None:
    assert parse(placed) is placed
    assert repr(placed) == f"<RenderedPage of {len(placed)} rows from https://example.org/a>"
    assert placed.url == "https://example.org/a"
    with pytest.raises(ValueError, match="read-only"):
        placed.box[0] = 0


def test_saving_and_loading_is_the_identity(placed: RenderedPage, tmp_path: Path) -> None:
    placed.save(tmp_path / "page")
    loaded = RenderedPage.load(tmp_path / "page")
    for name in (*COLUMNS, "box", "style", "paint", "line_at", "line"):
        assert np.array_equal(getattr(loaded, name), getattr(placed, name), equal_nan=name == "box"), name
    for name in ("text_buffer", "value_buffer", "style_values", "size", "viewport", "url", "encoding", "notes"):
        assert getattr(loaded, name) == getattr(placed, name), name
    assert Page.load(tmp_path / "page").text_buffer == placed.text_buffer


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("box", np.zeros((3, 4), np.float32)),
        ("style", "out of range"),
        ("paint", "all -1"),
        ("line_at", np.array([1], np.int32)),
        ("style", np.zeros(3, np.float64)),
    ],
)
def test_a_damaged_file_is_refused(placed: RenderedPage, tmp_path: Path, name: str, value: Any) -> None:
    damaged = copy.copy(placed)
    if isinstance(value, str):
        value = np.full_like(getattr(placed, name), 10**6 if value == "out of range" else -1)
    object.__setattr__(damaged, name, value)
    damaged.save(tmp_path / "page")
    with pytest.raises(BadInput, match="page"):
        RenderedPage.load(tmp_path / "page")


def test_a_static_page_is_no_rendered_one(tmp_path: Path) -> None:
    parse("<p>static").save(tmp_path / "page")
    with pytest.raises(BadInput, match="not a saved page of a browser"):
        RenderedPage.load(tmp_path / "page")


@pytest.mark.parametrize("snapshot", [{}, {"documents": []}, {"documents": [{"nodes": {}}], "strings": []}])
def test_what_is_no_snapshot(snapshot: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="not a snapshot of a page"):
        from_snapshot(snapshot)


def test_the_table_takes_a_small_part_of_the_snapshots_time(site: Path) -> None:
    shares = []
    for name in EXAMPLES[:6]:
        shot = chromium.shared().snapshot((site / name).read_bytes())
        begin = time.thread_time()
        shot.page()
        shares.append((time.thread_time() - begin) / shot.seconds)
    assert statistics.median(shares) < 0.25


def test_the_styles_are_asked_for_once() -> None:
    assert len(set(STYLES)) == len(STYLES)
