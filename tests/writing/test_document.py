"""The table of blocks: what is written of it, whatever the page; and what that costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import pagesieve
from pagesieve.errors import PagesieveError
from pagesieve.page.kernel import constants as kinds
from pagesieve.page.table import Bools, Page
from pagesieve.writing import WriterOptions, build, write_html, write_markdown, write_text
from tests.labelled_data import DATA, SUFFIX, labelled
from tests.nonsense import pages
from tests.profiles import examples
from tests.test_builders import EXAMPLES, pages_of
from tests.writing.helpers import CASES, URL, Case, read_cases, selected, write
from tests.writing.test_writer_cost import PAGES
from tests.writing.test_writer_properties import documents

PLAIN = WriterOptions()
NO_TABLES = WriterOptions(tables=False)
RARE = WriterOptions(links=True, images=True)
METHODS = ("svm", "lineblocks")
ALL_CASES = [case for path in sorted(CASES.glob("*.txt")) for case in read_cases(path)]

# What shapes a text, more of it than real pages have in one place.
NAMES = (
    "p div span b i s del ins q sup sub a ul ol li dl dt dd blockquote h2 h3 figcaption pre code table tr td th caption"
).split()
STARTS = [f"<{name}>" for name in NAMES] + [
    "<a href=/x>",
    "<a href=/y>",
    "<a href=#z>",
    "<ol start=9>",
    "<ol start=x>",
    "<li><input type=checkbox checked>",
    "<td class=gutter>",
    "<th>",
    "<table role=presentation>",
    "<p hidden>",
    "<br>",
    "<br>",
    "<hr>",
    "<img src=x alt=y>",
    "<input type=checkbox>",
]
TEXTS = [
    *(
        "a",
        "B",
        "É",
        "7",
        " ",
        "\n",
        "word ",
        " Word",
        "#",
        "¶",
        "中",
        "\u200b",
        "\u00ad",
        "&nbsp;",
        "\u3000",
        "2",
        "n",
    ),
    *("x\n y\n z", "&#x1c;", "1, 2", "−", "&amp;", "😀", "\x7f", "\u2028", "ǅ", "٣"),
]
shapes = st.lists(
    st.one_of(
        st.sampled_from(STARTS),
        st.sampled_from(TEXTS),
        st.sampled_from(NAMES).map("</{}>".format),
        st.sampled_from(TEXTS),
    ),
    max_size=40,
).map("".join)
seeds = st.integers(0, 2**32 - 1)


def masks(page: Page, seed: int) -> Iterator[Bools]:
    """Selections as methods make them, and some that none would make."""
    chance = np.random.default_rng(seed)
    seen = page.chars > 0
    yield seen
    yield seen & (chance.random(len(page)) < 0.6)
    yield chance.random(len(page)) < 0.7


def written(page: Page, rows: Bools, options: WriterOptions = PLAIN) -> str:
    """Return the text of a selection, which is sound text in every format."""
    document = build(page, rows, options)
    for writer in (write_text, write_markdown, write_html):
        assert writer(document).encode().decode() == writer(document)
    return write_text(document)


@pytest.mark.parametrize("case", ALL_CASES, ids=lambda case: case.name)
def test_cases(case: Case) -> None:
    page = pagesieve.parse(case.source, URL)
    assert written(page, selected(page), RARE) == case.expected.text
    written(page, selected(page), NO_TABLES)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_the_example_site(path: Path) -> None:
    page = pagesieve.parse(path.read_bytes())
    for rows in (*masks(page, 1), *selections(page)):
        written(page, rows)


def selections(page: Page) -> Iterator[Bools]:
    for method in METHODS:
        try:
            yield pagesieve.article(page, method=method).selection.rows
        except PagesieveError:
            continue


@examples(300)
@given(shapes, seeds, st.booleans(), st.booleans())
def test_shapes_of_every_sort(source: str, seed: int, with_tables: bool, with_rest: bool) -> None:
    page = pagesieve.parse(source)
    for rows in masks(page, seed):
        written(page, rows, WriterOptions(links=with_rest, images=with_rest, tables=with_tables))


@examples(200)
@given(st.one_of(pages, documents()), seeds)
def test_nonsense_and_documents(source: str, seed: int) -> None:
    page = pagesieve.parse(source)
    for rows in masks(page, seed):
        written(page, rows, RARE)


@examples(200)
@given(documents(), st.binary(min_size=1, max_size=3), st.integers(0, 10**6))
@example("<p>some words</p><pre>and code</pre>", b"\x01", 2)
@example("<p>some words</p><pre>and code</pre>", b"\x7f", 12)
def test_texts_that_are_not_utf8(source: str, junk: bytes, place: int) -> None:
    page = pagesieve.parse(source)
    at = place % (len(page.text_buffer) + 1)
    damaged = (page.text_buffer[:at] + junk + page.text_buffer[at:])[: len(page.text_buffer)]
    page = replace(page, text_buffer=damaged)
    for rows in masks(page, place):
        written(page, rows)


PLAIN_TEXTS = {
    "a blank before marks stands outside of them": ("<p>a <q><b>\u200b</b>b</q>", "a “b”"),
    "and of inner ones": ("<p>a <q><q>\u200b</q>b</q> c", "a “b” c"),
    "code in a superscript": ("<p>x<sup>1 <code>2</code> 3</sup>", "x¹ 2 ³"),
    "a superscript in pieces": ("<p>x<sup>1<b>2</b></sup>", "x¹²"),
    "a break in the superscript of a heading": ("<h2>x<sup>1<br>2</sup><b>3</b></h2>", "x¹ ²3"),
    "an item with nothing but a list": ("<li><ol><li>a</ol><li>b", "1. a\n2. b"),
    "lists in lists": (
        "<ul><li>a<ul><li>b</ul></ul><ul><ul><li>c</ul><ol><li>d</ol></ul>",
        "- a\n  - b\n\n- - c\n  1. d",
    ),
    "an item of a rule": ("<ol><li>a<li><blockquote><hr></blockquote><li>b", "1. a\n3. b"),
    "entries": ("<dl>x<dt>a<dd>b<p>c<dd><pre>1\n\n 2</pre></dl>", "  x\na\n  b\n  c\n  1\n\n   2"),
    "columns without text": (
        "<table><caption>x<br>y</caption><tr><td>a<td><td>b<td><tr><td>c<td><td>e<tr><td><td><td>d",
        "x\ny\na | b\nc | e\n| d",
    ),
    "cells that span": ("<table><tr><td colspan=2>a<td>b<tr><td>c<td>d<td>e</table>", "a |  | b\nc | d | e"),
    "things that touch": (
        "<p><a href=#x>#</a><a href=x>a</a><a href=y>b</a><del>c</del><ins>d</ins>",
        "a bc d",
    ),
    "words in elements of their own": ("<p><span>a</span><span>B</span><span>中</span><span>B</span>", "a B中B"),
    "sums in elements of their own": (
        "<p><span>£24.90</span><span>£29.90</span> <s>$24</s>$29 <b>20,81 €</b>21 € <i>$</i>3 <i>$</i>4",
        "£24.90 £29.90 $24 $29 20,81 € 21 € $3 $4",
    ),
    "cents in elements of their own": (
        "<p><b>$</b>19<b>97</b> <b>$</b><b>19</b><b>97</b> 20<b>17</b> $5<sup>99</sup> 1.299<b>99</b> €<p>5",
        "$19.97 $19.97 2017 $5⁹⁹ 1.299,99 €\n\n5",
    ),
    "digits behind a sum that are no cents": (
        "<p>It raised <b>$20</b><a href=#n>12</a> in all. <b>$3</b><span>50</span> people. $4<i><a href=#n>12</a></i>",
        "It raised $20 12 in all. $3 50 people. $4 12",
    ),
    "cents before a word": (
        "<p><b>$3</b><small>50</small> each <b>$3</b><i class=price-mantissa>50</i> each <b>$</b>3<i>50</i> each"
        "<p><b>$3</b><i>50</i> USD, <b>$3</b><i>50</i>, each",
        "$3.50 each $3.50 each $3.50 each\n\n$3.50 USD, $3.50, each",
    ),
    "a formula": ("<p>a <math><mi>x</mi></math>", "a x"),
    "a formula for MathJax": ("<p>a <script type='math/tex'>x</script>", "a $x$"),
    "ruby": ("<p><ruby>漢<rt>kan</rt></ruby>", "漢(kan)"),
}


@pytest.mark.parametrize("name", PLAIN_TEXTS)
def test_plain_text(name: str) -> None:
    source, expected = PLAIN_TEXTS[name]
    page = pagesieve.parse(source)
    assert written(page, page.chars > 0) == expected


def test_a_blank_before_marks_stands_outside_of_them_in_every_format() -> None:
    written = write("<p>a <b><i>\u200b</i> b</b></p><h2>c <i><s>\u200b</s> d</i></h2>")
    assert written.markdown == "a **b**\n\n## c *d*"
    assert written.html == "<p>a <strong>b</strong></p>\n<h2>c <em>d</em></h2>"


def test_columns_of_a_document() -> None:
    page = pagesieve.parse("<h2>a</h2><ol start=3><li>b<li>c <b>d</b></ol><pre>e</pre>")
    document = build(page, page.chars > 0)
    first = [kinds.DOCUMENT, kinds.HEADING, kinds.NUMBERED_LIST, kinds.ITEM, kinds.PARAGRAPH, kinds.ITEM]
    assert document.kind == [*first, kinds.PARAGRAPH, kinds.CODE_BLOCK]
    assert document.end == [8, 2, 7, 5, 5, 7, 7, 8]
    assert [*document.parts()] == [1, 2, 7]
    assert [*document.parts(2)] == [3, 5]
    assert (document.value[1], document.value[2]) == (2, 3)
    assert [document.text(block) for block in (1, 4, 6, 7)] == ["a", "b", "c d", "e"]
    assert document.run(6) == ["c ", (kinds.STRONG, "", ""), "d", (-kinds.STRONG, "", "")]


# What growing and hostile pages cost

GROWTH = 10.0  # times the work for four times the page, new memory included; a quadratic writer needs sixteen
MIN_SECONDS = 0.005  # seconds: shorter times say nothing
HOSTILE: dict[str, Callable[[int], str]] = {
    "line breaks": lambda count: "<p>a" + "<br>" * 4 * count + "b",
    "a huge text": lambda count: "<p>" + "word " * 20 * count,
    "a huge table": lambda count: "<table>" + "<tr><td>a<td>b" * count,
    "a wide table": lambda count: "<table><tr><td>a<td>b<tr>" + "<td>" * count + "c",
    "many tables": lambda count: "<table><tr><td>a<td>b<tr><td>c<td>d</table>" * (count // 3),
    "code in pieces": lambda count: "<pre>" + "<span class=n>1</span> \n" * count,
}
DEEP = {"512 levels": "<div><b>" * 256 + "x", "lists in lists": "<ul><li>" * 250 + "x"}


def seconds(page: Page, rows: Bools) -> float:
    times = []
    for _ in range(3):
        start = time.thread_time()
        write_text(build(page, rows))
        times.append(time.thread_time() - start)
    return min(times)


@pytest.mark.parametrize("make", [*PAGES.values(), *HOSTILE.values()], ids=[*PAGES, *HOSTILE])
def test_time_grows_with_the_page(make: Callable[[int], str]) -> None:
    small, large = (pagesieve.parse(make(count)) for count in (10_000, 40_000))
    before = max(seconds(small, small.chars > 0), MIN_SECONDS)
    assert seconds(large, large.chars > 0) < GROWTH * before


@pytest.mark.parametrize("name", DEEP)
def test_deep_pages_are_written(name: str) -> None:
    page = pagesieve.parse(DEEP[name])
    assert write_text(build(page, page.chars > 0)).strip() in ("x", "- x")


# The labelled pages

EACH = 100  # one page in so many


@pytest.mark.parametrize("archive", labelled(DATA.glob(f"*/*{SUFFIX}")))
def test_labelled_pages(archive: Path) -> None:
    for number, (_, data) in enumerate(pages_of(archive)):
        if number % EACH == 0:
            page = pagesieve.parse(data)
            for rows in selections(page):
                assert written(page, rows, RARE)
