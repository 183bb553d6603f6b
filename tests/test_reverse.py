"""The article without the whole tree: where it begins, how far it grows, what is left of it, and in which encodings."""

from __future__ import annotations

import json
import pickle
import re
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.parts import stands_in
from hypothesis import given

import pagesieve
from pagesieve.errors import BadInput, NothingFound
from pagesieve.evaluate.archives import find_sets, read_pages, take_sample
from pagesieve.methods.reverse import PAPER, ReverseOptions, region
from pagesieve.page.kernel.html.tape import Tape
from tests.labelled_data import ARTICLES, archive, labelled
from tests.nonsense import pages
from tests.profiles import examples

SAME_ROWS = 0.98  # the share of articles whose part is what the whole table has there

STORY = [
    "The harbour wall was finished in May, two years after the storm that had taken the old one away.",
    "Three ships came in on the first day, and the fishermen, who had not expected that, helped to unload them.",
    "“It will hold for a hundred years,” said the engineer, before she left for the next town along the coast.",
]
PARAGRAPHS = "".join(f"<p>{paragraph}</p>" for paragraph in STORY)
MENU = "".join(f"<li><a href=/{k}>Section {k} of the paper</a></li>" for k in range(20))
HTML = (
    f"<html><head><title>The wall - Harbour Post</title></head><body><ul id=menu>{MENU}</ul>"
    f"<div id=main><h1>The wall</h1><div id=text>{PARAGRAPHS}</div>"
    "<div id=related><a href=/a>Another story about a pier</a></div></div>"
    "<div id=foot>Copyright by the Harbour Post, all rights reserved, in all countries of the world.</div>"
    "</body></html>"
)


def found(html: str | bytes, **options: object) -> str:
    return pagesieve.article(html, method="reverse", **options).text  # type: ignore[arg-type]


def test_the_article_alone_is_built() -> None:
    article = pagesieve.article(HTML, method="reverse")
    assert article.text == "\n\n".join(STORY)
    assert article.method == "reverse"
    assert article.partial is not None
    assert article.partial.nodes < 0.3 * Tape(HTML.encode()).nodes(0, len(Tape(HTML.encode())))
    assert article.partial.size < article.partial.of == len(HTML.encode())
    assert json.loads(article.as_json())["partial"]["nodes"] == article.partial.nodes


def test_what_the_page_says_is_found_when_asked_for() -> None:
    article = pagesieve.article(HTML, method="reverse", url="https://example.org/x")
    assert article.title == "The wall"
    assert article.url == "https://example.org/x"
    assert pickle.loads(pickle.dumps(article)).title == "The wall"


def test_what_was_found_goes_with_a_copy() -> None:
    article = pagesieve.article(HTML, method="reverse")
    copy = pickle.loads(pickle.dumps(article))
    assert copy.text == article.text
    assert copy.decisions == article.decisions
    part = article.partial
    assert part is not None
    assert repr(copy.partial) == f"<Partial: {part.nodes} nodes, {part.size} of {len(HTML.encode())} bytes>"


def test_every_block_of_the_part_has_a_decision() -> None:
    decisions = pagesieve.article(HTML, method="reverse").decisions
    assert [d.kept for d in decisions] == [True] * 3
    assert all(re.fullmatch(r"likely to be content \(\.\d\d, \.\d\d needed\)", d.reason) for d in decisions)


PAGES = {
    "a lone giant before it": f"<div>{'We use cookies and more. ' * 8}</div>{'<i></i>' * 60}{HTML}",
    "split by line breaks": HTML.replace(PARAGRAPHS, "<br><br>".join(STORY)),
    "unclosed paragraphs": HTML.replace("</p>", ""),
    "a stray end tag before it": HTML.replace("<div id=text>", "</p></span><div id=text>"),
    "a block in a paragraph": HTML.replace("<h1>", "<p><div>x</div></p><h1>"),
    "capital letters": HTML.replace("<p>", "<P>").replace("div", "DIV"),
    "a script amid it": HTML.replace("</p><p>", "</p><script>if (a < b) document.write('<p>')</script><p>"),
    "a comment amid it": HTML.replace("</p><p>", "</p><!-- <div> --><p>"),
    "a sign of more in an attribute": HTML.replace("<div id=text>", '<div id=text title="a > b">'),
    "in a table": HTML.replace("<div id=text>", "<table><tr><td>").replace("</div><div id=related>", "</table><div>"),
}


@pytest.mark.parametrize("name", sorted(PAGES))
def test_pages(name: str) -> None:
    text = " ".join(found(PAGES[name]).split())
    assert all(paragraph in text for paragraph in STORY)
    assert "Section 3" not in text
    assert "cookies" not in text


def test_links_inside_are_left_out() -> None:
    links = MENU[: MENU.index("<li><a href=/8")]
    paragraphs = [f"{paragraph} {STORY[0]}" for paragraph in STORY]
    between = f"<ul>{links}</ul>"
    html = f"<body><div>{between.join(f'<p>{paragraph}</p>' for paragraph in paragraphs)}</div></body>"
    assert found(html) == "\n\n".join(paragraphs)


@pytest.mark.parametrize("html", ["", "<p>short</p>", f"<ul>{MENU}</ul>", "<script>var a = 1;</script>"])
def test_a_page_without_a_long_text(html: str) -> None:
    with pytest.raises(NothingFound):
        found(html)


def test_the_rule_of_the_paper() -> None:
    two = f"<div><p>{STORY[0]}</p><p>{STORY[1]}</p></div>"
    far = f"<div><p>{STORY[2][:60]}</p></div><ul><li>x</li></ul>"
    tape = Tape(f"<body><section>{two}{far}</section><footer><a href=x>y</a></footer></body>".encode())
    # The two longest texts stand in one div; the div beside it is similar, so the section is taken, and nothing is
    # similar to that.
    assert region(tape, PAPER).source.startswith(b"<section>")
    assert region(tape, replace(PAPER, similar=1.01)).source == two.encode()


def test_growth_stops_where_little_is_gained() -> None:
    tape = Tape(HTML.encode())
    assert region(tape).source.startswith(b"<div id=text>")
    assert len(region(tape, ReverseOptions(gain=1.01)).source) > len(region(tape).source)


def test_favor_moves_how_far_it_grows() -> None:
    html = HTML.replace("<div id=text>", f"<div id=lead><p>{STORY[0]}</p><p>{STORY[1]}</p></div><div id=text>")
    sizes = [len(found(html, favor=favor)) for favor in ("precision", None, "recall")]
    assert sizes == sorted(sizes)


CHINESE = (
    "港口的新堤在五月完工，距离那场把旧堤卷走的风暴已经两年。第一天就有三艘船进港，渔民们都没有想到，纷纷前来帮忙卸货。"
)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "gb18030", "big5hkscs", "utf-16", "shift_jis", "iso2022_jp"]
)
def test_encodings(encoding: str) -> None:
    said = (
        "港の新しい堤防は五月に完成した。嵐が古い堤防を流してから二年になる。" * 2
        if "jp" in encoding or "jis" in encoding
        else CHINESE
    )
    if encoding == "big5hkscs":
        said = "港口的新堤在五月完工，距離那場把舊堤捲走的風暴已經兩年。漁民們都沒有想到，紛紛前來幫忙卸貨。"
    label = encoding.removesuffix("-sig").replace("_", "-").replace("iso2022", "iso-2022").replace("hkscs", "")
    html = f'<meta charset="{label}"><ul>{MENU}</ul><div>' + f"<p>{said}</p>" * 3 + "</div>"
    assert found(html.encode(encoding)).startswith(said)


def test_a_page_that_was_parsed_is_refused() -> None:
    with pytest.raises(BadInput, match="source"):
        pagesieve.article(pagesieve.parse(HTML), method="reverse")


def test_the_articles_of_the_example_site(articles: dict[str, bytes], gold: list[dict[str, str]]) -> None:
    for answer in gold:
        article = pagesieve.article(articles[answer["id"]], method="reverse")
        assert max(answer["text"].splitlines(), key=len)[:40] in article.text, answer["id"]


@given(pages)
@examples(100)
def test_no_page_crashes(html: str) -> None:
    try:
        article = pagesieve.article(html, method="reverse")
    except (NothingFound, BadInput):  # the latter for the name of a file, which may be drawn
        return
    assert article.text
    assert isinstance(article.title, str)


@pytest.mark.parametrize("path", labelled(archive(ARTICLES, name) for name in ("news424", "fundus_half")))
def test_the_part_is_what_the_whole_table_has_there(path: Path) -> None:
    same = []
    for each in find_sets([path]):
        for _, html in read_pages(take_sample(each, 60)):
            try:
                same.append(stands_in(pagesieve.article(html, method="reverse").page, pagesieve.parse(html)))
            except NothingFound:
                continue
    assert sum(same) >= SAME_ROWS * len(same)
