"""The units of a page: what is one, where it begins and ends, in linear time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

from pagesieve.page import kernel
from pagesieve.page.kernel.lines.unit_table import UNIT_COLUMNS
from pagesieve.page.lines import KINDS, Units, split, units_of
from pagesieve.page.static import parse
from tests.growing import growth
from tests.nonsense import pages
from tests.profiles import examples

Found = list[tuple[str, list[str]]]

ROWS = "<tr><td>1<td>2<tr><td>3<td>4"
CASES: dict[str, tuple[str, Found]] = {
    "a list": ("<ul><li>a<li>b</ul>c", [("list", ["a", "b"])]),
    "a list in a list": (
        "<ol><li>a<menu><li>b</menu><li>c</ol>",
        [("list", ["a", "b", "c"]), ("list", ["b"])],
    ),
    "a list without text": ("<ul><li><img src=a></ul>", []),
    "a data table": (
        f"<table><thead><tr><th>A<th>B</thead>{ROWS}</table>",
        [("table", ["A B", "1 2", "3 4"]), ("row", ["A B"]), ("row", ["1 2"]), ("row", ["3 4"])],
    ),
    "a layout table": ("<table><tr><td><h1>a</h1><td>b<tr><td>c<td>d</table>", [("section", ["a", "b"])]),
    "a table for its looks": (f"<table role=presentation>{ROWS}</table>", []),
    "a table in a table": (
        f"<table><tr><td><table>{ROWS}</table></table>",
        [("table", ["1 2", "3 4"]), ("row", ["1 2"]), ("row", ["3 4"])],
    ),
    "definitions": (
        "<dl><dt>a<dt>b<dd>c<dt>d<dd>e<dd>f</dl>",
        [
            ("definition list", ["a", "b", "c", "d", "e", "f"]),
            ("definition", ["a", "b", "c"]),
            ("definition", ["d", "e", "f"]),
        ],
    ),
    "definitions in wrappers": (
        "<dl><div><dt>a<dd>b</div><div><dt>c<dd>d</div></dl>",
        [("definition list", ["a", "b", "c", "d"]), ("definition", ["a", "b"]), ("definition", ["c", "d"])],
    ),
    "a figure": ("<figure><img src=a><figcaption>a</figcaption></figure>", [("figure", ["a"])]),
    "code": ("<pre>a\nb</pre>", [("code", ["a b"])]),
    "a quotation": ("<blockquote><p>a</p><p>b</p></blockquote>", [("quotation", ["a", "b"])]),
    "a post": ('<blockquote class="twitter-tweet x"><p>a</p>— b</blockquote>', [("embedded post", ["a", "— b"])]),
    "a post in a div": ('<div class="y instagram-media">a</div>', [("embedded post", ["a"])]),
    "no post": ('<div class="twitter-tweet-button">a</div>', []),
    "an article": ("<article>a</article>", [("article", ["a"])]),
    "a label": ("<div><p>Type:</p><p>wood</p></div>", [("label and value", ["Type:", "wood"])]),
    "a label before a line break": ("<p>Type:<br>wood</p>", [("label and value", ["Type:", "wood"])]),
    "a wide label": ("<p>类型：</p><p>木</p>", [("label and value", ["类型：", "木"])]),
    "two labels": ("<p>Type:</p><p>Size:</p>", []),
    "a label elsewhere": ("<div><p>Type:</p></div><p>wood</p>", []),
    "a long label": (f"<p>{'long ' * 10}:</p><p>wood</p>", []),
}


def told(html: str) -> Found:
    page = parse(html)
    blocks = split(page, hidden=True)
    units = units_of(blocks)
    places = zip(units.kind.tolist(), units.line.tolist(), units.line_end.tolist(), strict=True)
    return [(KINDS[kind], [blocks.text(line) for line in range(first, end)]) for kind, first, end in places]


@pytest.mark.parametrize("case", CASES)
def test_what_is_a_unit(case: str) -> None:
    html, expected = CASES[case]
    assert told(html) == expected


SECTIONS: dict[str, tuple[str, Found]] = {
    "up to the next of its level": (
        "<h2>a</h2><p>b</p><h3>c</h3><p>d</p><h2>e</h2><p>f</p>",
        [("section", ["a", "b", "c", "d"]), ("section", ["c", "d"]), ("section", ["e", "f"])],
    ),
    "up to the end of its element": ("<div><h2>a</h2><p>b</p></div><p>c</p>", [("section", ["a", "b"])]),
    "around what holds nothing but the heading": (
        "<div><header><div><h2>a</h2></div></header><p>b</p></div><p>c</p>",
        [("section", ["a", "b"])],
    ),
    "ended inside of an element": (
        "<h2>a</h2><div><p>b</p><h2>c</h2><p>d</p></div><p>e</p>",
        [("section", ["a", "b"]), ("section", ["c", "d"])],
    ),
    "not in a heading": ("<h2><span>a<h3>b</h3></span></h2>", [("section", ["a", "b"])]),
}


@pytest.mark.parametrize("case", SECTIONS)
def test_where_a_section_ends(case: str) -> None:
    html, expected = SECTIONS[case]
    assert told(html) == expected


def test_what_is_said_of_a_unit() -> None:
    html = "<article><h2>a</h2><ul><li>b<li>c</ul><table><tr><th>d<th>e" + ROWS + "</table></article>"
    units = units_of(split(parse(html), hidden=True))
    assert [KINDS[kind] for kind in units.kind.tolist()] == ["article", "section", "list", "table", *["row"] * 3]
    assert units.parent.tolist() == [-1, 0, 0, 0, 3, 3, 3]
    assert units.level.tolist() == [0, 2, 2, 3, 1, 0, 0]
    assert units.head_end.tolist() == [0, 1, 1, 3, 3, 4, 5]


def test_units_are_found_once_for_each_sort_of_lines() -> None:
    page = parse("<ul><li>a<li hidden>b</ul>")
    shown, whole = split(page), split(page, hidden=True)
    assert units_of(shown).table is units_of(shown).table
    assert (units_of(shown).line_end.tolist(), units_of(whole).line_end.tolist()) == ([1], [2])


@given(pages)
@examples(100)
def test_units_nest(html: str) -> None:
    page = parse(html)
    blocks = split(page, hidden=True)
    table = np.array(kernel.lines.units.read(page, blocks.rows, blocks.starts), dtype=np.int32)
    units = Units(table.reshape(-1, UNIT_COLUMNS))
    assert (units.line < units.line_end).all()
    assert (units.line_end <= len(blocks)).all()
    assert (np.diff(units.first) >= 0).all()
    inner = np.flatnonzero(units.parent >= 0)
    assert (units.first[units.parent[inner]] <= units.first[inner]).all()


SIZE = 20_000  # so large that memory costs the same a byte for both sizes
HOSTILE: dict[str, Callable[[int], str]] = {
    "nested lists": lambda size: "<ul><li>a" * size,
    "nested tables": lambda size: "<table><tr><td>a" * size,
    "quotations in quotations": lambda size: "<blockquote>a" * size,
    "many headings": lambda size: "<div><h2>a</h2>" * size,
    "headings in headings": lambda size: "<h1><span><h6><b>a" * size,
    "headings, deeper and deeper": lambda size: "<h1>a</h1><h2>b</h2><h3>c</h3><h4>d</h4>" * size,
    "terms": lambda size: "<dl><dt>a" * size,
    "labels": lambda size: "<p><b>a:</b></p>" * size,
    "classes": lambda size: f"<div class='{'twitter-twee ' * size}'>a</div>",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_the_cost_grows_with_the_page(name: str) -> None:
    made = {size: parse(HOSTILE[name](size)) for size in (SIZE, 2 * SIZE)}
    lines = {size: split(page, hidden=True) for size, page in made.items()}
    assert growth(lambda size: kernel.lines.units.read(made[size], lines[size].rows, lines[size].starts), SIZE) < 3
