"""Small pages and what becomes of them, by the files in `cases`; and the options."""

import numpy as np
import pytest

import pagesieve
from pagesieve.writing import WriterOptions, build, write_markdown, write_text
from tests.writing.helpers import CASES, URL, Case, read_cases, write

FILES = sorted(CASES.glob("*.txt"))


@pytest.mark.parametrize("case", [pytest.param(c, id=f"{f.stem}: {c.name}") for f in FILES for c in read_cases(f)])
def test_case(case: Case) -> None:
    assert write(case.source) == case.expected


def test_cases_are_read_whole() -> None:
    marked = sum(path.read_text(encoding="utf-8").count("\n=== ") for path in FILES)
    assert marked == sum(len(read_cases(path)) for path in FILES) > 100


LINKED = '<p>a <a href="x y">b</a> <img src="c.png" alt="d"> e</p>'


@pytest.mark.parametrize(
    ("url", "options", "expected"),
    [
        (URL, WriterOptions(), "a b e"),
        (URL, WriterOptions(links=True), "a [b](https://example.org/dir/x%20y) e"),
        (None, WriterOptions(links=True), "a [b](x%20y) e"),
        (URL, WriterOptions(images=True), "a b ![d](https://example.org/dir/c.png) e"),
        (None, WriterOptions(images=True), "a b ![d](c.png) e"),
    ],
)
def test_options(url: str | None, options: WriterOptions, expected: str) -> None:
    assert write(LINKED, url, options).markdown == expected


def test_tables_can_be_left_out() -> None:
    page = "<p>a</p><table><tr><th>b<th>c<tr><td>1<td>2</table><table><tr><td>layout</table><p>d</p>"
    assert write(page, options=WriterOptions(tables=False)).text == "a\n\nlayout\n\nd"


def test_nothing_selected_is_nothing_written() -> None:
    page = pagesieve.parse("<p>a</p><hr><img src=x><ul><li>b</ul>")
    document = build(page, np.zeros(len(page), dtype=np.bool_), WriterOptions(images=True))
    assert len(document) == 0
    assert write_text(document) == write_markdown(document) == ""


def test_scripts_are_never_written_even_when_selected() -> None:
    page = pagesieve.parse("<title>t</title><p>a<script>b()</script></p><style>c{}</style>")
    assert write_text(build(page, np.ones(len(page), dtype=np.bool_))) == "a"


def test_pictures_stand_where_at_least_half_of_the_text_is_kept() -> None:
    page = pagesieve.parse("<div><img src=a.png>long text that is kept</div><div><img src=b.png>dropped</div>")
    rows = np.array([page.tag_name(row) == "#text" and "kept" in page.text(row) for row in range(len(page))])
    options = WriterOptions(images=True)
    assert write_markdown(build(page, rows, options)) == "![](a.png) long text that is kept"


def test_pictures_stand_where_their_figure_does_though_its_caption_is_dropped() -> None:
    figure = "<figure><div><img src={0}.png></div><figcaption>by somebody</figcaption></figure>"
    page = pagesieve.parse(
        f"<main><div>{figure.format('a')}</div><p>long text that is kept</p></main>"
        f"<aside><p>text that is dropped</p>{figure.format('b')}</aside>"
    )
    rows = np.array([page.tag_name(row) == "#text" and "kept" in page.text(row) for row in range(len(page))])
    options = WriterOptions(images=True)
    assert write_markdown(build(page, rows, options)) == "![](a.png)\n\nlong text that is kept"


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        ("<h2><img src=a.png></h2><p>b</p>", "![](https://example.org/dir/a.png)\n\nb"),
        ("<h2><img src=a.png> b</h2>", "## ![](https://example.org/dir/a.png) b"),
        ("<h2><code>a</code></h2>", "## `a`"),
    ],
)
def test_headings_have_words(source: str, markdown: str) -> None:
    assert write(source).markdown == markdown


@pytest.mark.parametrize(
    ("first", "is_head"),
    [
        ("<td><b>a</b><td><strong>b</strong>", True),
        ("<td><p><b>a</b></p><td><th>b", True),
        ("<td><b>a</b><td>b", False),
        ("<td><b>a</b> c<td><b>b</b>", False),
        ("<td><b>a</b> c <b>d</b><td><b>b</b>", False),
        ("<td>a<td>b", False),
    ],
)
def test_a_first_row_in_bold_is_the_head_of_a_table(first: str, is_head: bool) -> None:
    written = write(f"<table><tr>{first}<tr><td>1<td>2<tr><td>3<td>4</table>").markdown
    assert written.startswith("|  |  |") != is_head


def test_a_picture_is_written_once_but_in_tables() -> None:
    again = "<p>{0} <img src=a.png alt=yes></p>"
    cell = "<tr><td>{0}<td>1 <img src=a.png alt=yes>"
    source = again.format("b") + again.format("c") + f"<table>{cell.format('d')}{cell.format('e')}</table>"
    assert write(source).text == (
        "b ![yes](https://example.org/dir/a.png)\n\nc\n\n"
        "d | 1 ![yes](https://example.org/dir/a.png)\ne | 1 ![yes](https://example.org/dir/a.png)"
    )


def test_captions_can_be_left_out_and_need_no_images() -> None:
    page = (
        "<figure><img src=a.png><figcaption>b</figcaption></figure>"
        "<div><img src=c.png><p class=image-caption>d</p></div><p>e</p>"
    )
    assert write(page, options=WriterOptions()).markdown == "*b*\n\n*d*\n\ne"
    assert write(page, options=WriterOptions(captions=False)).text == "e"


def test_captions_are_left_out_of_plain_text_unless_they_are_most_of_it() -> None:
    figure = "<figure><img src=a.png><figcaption>{}</figcaption></figure>"
    options = WriterOptions(captions_in_text=False)
    article = write(
        f"<p>words of a text</p><ul><li>item<li>{figure.format('one')}</ul>{figure.format('two')}", options=options
    )
    assert article.text == "words of a text\n\n- item"
    assert article.markdown == "words of a text\n\n- item\n- *one*\n\n*two*"
    gallery = write(f"<p>Walls</p>{figure.format('A wall by the sea')}{figure.format('Another')}", options=options)
    assert gallery.text == "Walls\n\nA wall by the sea\n\nAnother"
    assert write(figure.format("a wall"), options=options).text == "a wall"
