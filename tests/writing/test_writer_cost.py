"""Time and memory grow with the page, whatever it nests or claims."""

import time
import tracemalloc
from collections.abc import Callable

import pytest

import pagesieve
from pagesieve.page.table import Page
from pagesieve.writing import build, write_html, write_markdown, write_text
from tests.growing import growth
from tests.writing.helpers import EVERYTHING

SIZE = 10_000
GROWTH = 3.0  # for twice the page; quadratic would be 4

PAGES: dict[str, Callable[[int], str]] = {
    "paragraphs": lambda n: "<p>word word</p>" * n,
    "inline elements": lambda n: "<p>" + "<b>a</b> <i>b</i><span>c</span>" * (n // 3),
    "one text in many pieces": lambda n: "<p>" + "a<span>b</span>" * (n // 2),
    "breaks": lambda n: "<p>" + "a<br>" * n,
    "links": lambda n: "<p>" + "<a href=x>a</a><a href=y>b</a>" * (n // 2),
    "emphasis that touches": lambda n: "<p>" + "<b>a</b><i>b</i><s>c</s>" * (n // 3),
    "items": lambda n: "<ul>" + "<li>a" * n,
    "items outside of lists": lambda n: "<li>a" * n,
    "dropped items": lambda n: "<ol>" + "<li><b></b>" * n + "<li>a",
    "lists in lists": lambda n: "<ul>" + "<ul><li>a</ul>" * n,
    "rows": lambda n: "<table>" + "<tr><td>a<td>b" * n,
    "cells": lambda n: "<table><tr><td>a<td>b<tr>" + "<td>a" * n,
    "tables": lambda n: "<table><tr><td>a<td>b<tr><td>c<td>d</table>" * (n // 4),
    "code": lambda n: "<pre>" + "<span>a</span> \n" * n,
    "labels of code": lambda n: "<p>js<pre>a\nb</pre>" * (n // 2),
    "labels in code": lambda n: "<pre>" + "<b>" * 400 + "go" + "</b>" * 400 + "<code>a</code>\n" * n,
    "signs": lambda n: "<p>" + "*_`[~" * n,
    "formulas": lambda n: "<p>a" + "<math><mi>x</mi></math><i aria-hidden=true>x</i>" * (n // 2),
    "rules": lambda n: "<p>a" + "<hr>" * n + "<p>b",
    "pictures": lambda n: "<p>a" + "<img src=x><img src=y>" * (n // 2),
    "deep": lambda n: ("<ul><li><blockquote><b><a href=x>" * 100 + "x" + "</ul>") * (n // 500),
    "deep tables": lambda n: ("<table><tr><td>" * 120 + "x" + "</table>" * 120) * (n // 360),
    "never closed": lambda n: "<div><b><i>x" * (n // 3),
}


def write_all(page: Page) -> None:
    document = build(page, page.chars > 0, EVERYTHING)
    for writer in (write_text, write_markdown, write_html):
        writer(document)


@pytest.mark.parametrize("name", PAGES)
def test_time_grows_with_the_page(name: str) -> None:
    pages = {size: pagesieve.parse(PAGES[name](size)) for size in (SIZE, 2 * SIZE)}
    assert growth(lambda size: write_all(pages[size]), SIZE) < GROWTH


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("<p>word</p>" * 100_000, id="100,000 paragraphs"),
        pytest.param("<p>" + "<b>a</b> <i>b</i>" * 50_000, id="100,000 elements in a paragraph"),
        pytest.param("<table>" + "<tr><td>a<td>b<td>c" * 20_000, id="20,000 rows"),
        pytest.param("<table>" + ("<tr>" + "<td colspan=1000>a" * 1000) * 50, id="wide cells"),
        pytest.param("<table>" + ("<tr>" + "<td colspan=1000 rowspan=65534>a" * 200) * 200, id="wide and tall cells"),
        pytest.param("<table>" + "".join(f"<tr><td colspan={n % 999 + 1}>a<td>b" for n in range(5000)), id="uneven"),
        *(
            pytest.param(f"<{tag}>" * 600 + "x", id=f"600 levels of {tag}")
            for tag in (
                "ul",
                "li",
                "ol",
                "blockquote",
                "b",
                "a href=x",
                "table",
                "dl",
                "q",
                "pre",
                "div",
                "sup",
                "ruby",
            )
        ),
        pytest.param("<ul><li>" * 300 + "x", id="300 levels of lists"),
        pytest.param("<table><tr><td>a<td>" * 200 + "x", id="200 levels of tables"),
    ],
)
def test_large_pages_are_written_within_seconds(source: str) -> None:
    page = pagesieve.parse(source)
    start = time.thread_time()
    write_all(page)
    assert time.thread_time() - start < 10


def test_memory_of_cells_that_claim_the_world() -> None:
    """A thousand cells of a thousand columns in each of a thousand rows: what is written is what is there."""
    page = pagesieve.parse("<table>" + ("<tr>" + "<td colspan=1000 rowspan=3>a" * 100) * 100)
    rows = page.chars > 0
    tracemalloc.start()
    document = build(page, rows, EVERYTHING)
    written = [writer(document) for writer in (write_text, write_markdown, write_html)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000_000
    assert all(len(text) < 1_000_000 for text in written)
    assert written[0].count("a") == 10_000
