"""The kernel writes the same text as the document's writer, to the letter, or says that it cannot."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import pagesieve
from pagesieve.errors import PagesieveError
from pagesieve.page import kernel
from pagesieve.page.table import Bools, Page
from pagesieve.writing import WriterOptions, build, builder, code, direct, inline, lines, tables, write_text
from tests.nonsense import pages
from tests.test_builders import ARCHIVES, EXAMPLES, pages_of
from tests.writer.test_writer_cost import PAGES
from tests.writer.test_writer_properties import documents
from tests.writer.writing import CASES, Case, read_cases, selected

PLAIN = WriterOptions()
NO_TABLES = WriterOptions(tables=False)
PURE = kernel.load("writing", pure=True)
BOTH = pytest.mark.parametrize("module", [kernel.writing, PURE], ids=["compiled", "pure"])
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


def by_kernel(module: ModuleType, page: Page, rows: Bools, options: WriterOptions = PLAIN) -> str | None:
    text: str | None = module.text(page, rows.view(np.uint8), options.tables, code.is_gutter, inline.small)
    return text


def by_document(page: Page, rows: Bools, options: WriterOptions = PLAIN) -> str:
    return write_text(build(page, rows, options), options)


def masks(page: Page, seed: int) -> Iterator[Bools]:
    """Selections as methods make them, and some that none would make."""
    chance = np.random.default_rng(seed)
    seen = page.chars > 0
    yield seen
    yield seen & (chance.random(len(page)) < 0.6)
    yield chance.random(len(page)) < 0.7


def assert_same(page: Page, rows: Bools, options: WriterOptions = PLAIN, both: bool = True) -> bool:
    """Whether the kernel has written the page; what it wrote is what the document says."""
    found = by_kernel(kernel.writing, page, rows, options)
    if found is not None:
        assert found == by_document(page, rows, options)
    if both:
        assert by_kernel(PURE, page, rows, options) == found
    return found is not None


@pytest.mark.parametrize("case", ALL_CASES, ids=lambda case: case.name)
def test_cases_are_written_as_the_document_is(case: Case) -> None:
    page = pagesieve.parse(case.source)
    assert_same(page, selected(page))
    assert_same(page, selected(page), NO_TABLES)


def test_nearly_all_cases_are_written_by_the_kernel() -> None:
    parsed = [pagesieve.parse(case.source) for case in ALL_CASES]
    written = sum(direct.direct_text(page, selected(page)) is not None for page in parsed)
    assert written >= 0.75 * len(ALL_CASES), f"{written} of {len(ALL_CASES)}"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_the_example_site(path: Path) -> None:
    page = pagesieve.parse(path.read_bytes())
    for rows in (*masks(page, 1), *selections(page)):
        assert assert_same(page, rows)


def selections(page: Page) -> Iterator[Bools]:
    for method in METHODS:
        try:
            yield pagesieve.article(page, method=method).selection.rows
        except PagesieveError:
            continue


@settings(max_examples=400, deadline=None)
@given(shapes, seeds, st.booleans())
@example("<p>a<q><b>\u200b</b> b</q>", 0, True)
@example("<p>a <q><q>\u200b</q>b</q> c", 0, True)
@example("<p>x<sup>1 <code>y</code> 2</sup>", 0, True)
@example("<h2>x<sup>1<br>2</sup><b>3</b></h2>", 0, True)
@example("<li><ol><li>a</ol><li>b", 0, True)
@example("<ul><li>a<ul><li>b</ul></ul><ul><ul><li>c</ul><ol><li>d</ol></ul>", 0, True)
@example("<ol><li>a<li><blockquote><hr></blockquote><li>b", 0, True)
@example("<dl>x<dt>a<dd>b<p>c<dd><pre>1\n\n 2</pre></dl>", 0, True)
@example("<table><caption>x<br>y</caption><tr><td>a<td><td>b<td><tr><td><td><td>c", 0, True)
@example("<table><tr><td>a<td>b<tr><td><td><ul><li>c<li>d</ul></table>", 0, True)
@example("<p><a href=#x>#</a><a href=x>a</a><a href=y>b</a><del>c</del><ins>d</ins>", 0, True)
@example("<p><span>a</span><span>B</span><span>中</span><span>B</span>", 0, True)
def test_shapes_of_every_sort(source: str, seed: int, with_tables: bool) -> None:
    page = pagesieve.parse(source)
    for rows in masks(page, seed):
        assert_same(page, rows, replace(PLAIN, tables=with_tables))


@settings(max_examples=300, deadline=None)
@given(st.one_of(pages, documents()), seeds)
def test_nonsense_and_documents(source: str, seed: int) -> None:
    page = pagesieve.parse(source)
    for rows in masks(page, seed):
        assert_same(page, rows)


@settings(max_examples=200, deadline=None)
@given(documents(), st.binary(min_size=1, max_size=3), st.integers(0, 10**6))
def test_texts_that_are_not_utf8(source: str, junk: bytes, place: int) -> None:
    page = pagesieve.parse(source)
    at = place % (len(page.text_buffer) + 1)
    damaged = (page.text_buffer[:at] + junk + page.text_buffer[at:])[: len(page.text_buffer)]
    page = replace(page, text_buffer=damaged)
    for rows in masks(page, place):
        assert_same(page, rows)


NOT_DONE = {
    "a formula": "<p>a <math><mi>x</mi></math>",
    "a formula for MathJax": "<p>a <script type='math/tex'>x</script>",
    "ruby": "<p><ruby>漢<rt>kan</rt></ruby>",
    "cells that span": "<table><tr><td colspan=2>a<td>b<tr><td>c<td>d</table>",
    "raised words in pieces": "<p>x<sup>1<b>2</b></sup>",
}


@BOTH
@pytest.mark.parametrize("name", NOT_DONE)
def test_what_is_left_to_the_document(module: ModuleType, name: str) -> None:
    page = pagesieve.parse(NOT_DONE[name])
    rows = page.chars > 0
    assert by_kernel(module, page, rows) is None
    assert direct.text_of(page, rows) == by_document(page, rows) != ""


@pytest.mark.parametrize("options", [WriterOptions(links=True), WriterOptions(images=True)])
def test_links_and_pictures_are_left_to_the_document(options: WriterOptions) -> None:
    page = pagesieve.parse("<p>a <a href=x>b</a><img src=x alt=c>")
    assert direct.direct_text(page, page.chars > 0, options) is None
    assert direct.text_of(page, page.chars > 0, options) == by_document(page, page.chars > 0, options)


def test_an_article_is_written_by_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    article = pagesieve.article("<p>" + "A wall by the sea, and a word more. " * 20)
    monkeypatch.setattr("pagesieve.writing.direct.build", None)
    assert article.text.startswith("A wall by the sea")


def test_both_writers_have_the_same_limits() -> None:
    fast = PURE
    assert fast.DEEPEST == builder.DEEPEST
    assert fast.LONGEST_HEADING == builder.LONGEST_HEADING
    assert fast.CODE_LINES == lines.CODE_LINES
    assert (fast.PERMALINKS, fast.LONGEST_PERMALINK) == (lines._PERMALINKS, lines._LONGEST_PERMALINK)
    assert (fast.LARGEST_GRID, fast.LONG_CELL) == (tables.LARGEST_GRID, tables.LONG_CELL)
    assert (fast.MEAN_CELL, fast.HEADED) == (tables.MEAN_CELL, tables.HEADED)


# What growing and hostile pages cost

GROWTH = 10.0  # times the work for four times the page, new memory included; a quadratic writer needs sixteen
LEAST = 0.005  # seconds: shorter times say nothing
HOSTILE = {
    "a million line breaks": "<p>a" + "<br>" * 1_000_000 + "b",
    "512 levels": "<div><b>" * 256 + "x",
    "lists in lists": "<ul><li>" * 250 + "x",
    "a huge text": "<p>" + "word " * 2_000_000,
    "a huge table": "<table>" + "<tr><td>a<td>b" * 100_000,
    "a wide table": "<table><tr><td>a<td>b<tr>" + "<td>" * 100_000 + "c",
    "many tables": "<table><tr><td>a<td>b<tr><td>c<td>d</table>" * 30_000,
    "code in pieces": "<pre>" + "<span class=n>1</span> \n" * 50_000,
}


def seconds(page: Page, rows: Bools) -> float:
    times = []
    for _ in range(3):
        start = time.thread_time()
        by_kernel(kernel.writing, page, rows)
        times.append(time.thread_time() - start)
    return min(times)


@pytest.mark.parametrize("name", PAGES)
def test_time_grows_with_the_page(name: str) -> None:
    small, large = (pagesieve.parse(PAGES[name](count)) for count in (20_000, 80_000))
    before = max(seconds(small, small.chars > 0), LEAST)
    assert seconds(large, large.chars > 0) < GROWTH * before


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_take_no_longer_than_others_of_their_size(name: str) -> None:
    page = pagesieve.parse(HOSTILE[name])
    rows = page.chars > 0
    assert by_kernel(kernel.writing, page, rows) is not None
    assert seconds(page, rows) < 0.5


# The labelled pages

EACH = 10  # one page in so many


@pytest.mark.data
@pytest.mark.skipif(not ARCHIVES, reason="the labelled pages are not here")
@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.name.removesuffix(".tar.xz"))
def test_labelled_pages_are_written_as_the_document_is(archive: Path) -> None:
    tally: Counter[str] = Counter()
    for number, (_, data) in enumerate(pages_of(archive)):
        if number % EACH == 0:
            page = pagesieve.parse(data)
            for rows in selections(page):
                tally["selections"] += 1
                tally["written by the kernel"] += assert_same(page, rows, both=number % (10 * EACH) == 0)
    assert tally["written by the kernel"] >= 0.9 * tally["selections"], tally
