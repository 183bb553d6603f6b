"""The functions that people call: what they take, what they give, what they refuse."""

from __future__ import annotations

import contextlib
import inspect
import json
import pickle
import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pagesieve
from pagesieve.article import ELSEWHERE, FORMATS
from pagesieve.evaluate.metrics import overlap, tokens
from pagesieve.fetching import http
from pagesieve.fetching.http import FetchOptions
from pagesieve.page.stated import address
from tests.site_server import SiteServer

LONG = "A sentence of some length, such as articles are made of, and one more clause to it."
BODY = f"<p>{LONG}</p>" * 4
PAGE = f"<title>The headline</title><h1>The headline</h1>{BODY}"

# A little below what is measured on the example site's articles. The line blocks stop at long tables of short cells.
MIN_RECALL, MIN_PRECISION = 0.89, 0.89

Gold = list[dict[str, Any]]


# What is taken


@pytest.mark.parametrize(
    "html",
    [PAGE, PAGE.encode(), bytearray(PAGE.encode()), PAGE.encode("utf-16"), pagesieve.parse(PAGE)],
    ids=["str", "bytes", "bytearray", "utf-16", "Page"],
)
def test_a_page_may_be_given_in_several_ways(html: Any) -> None:
    found = pagesieve.article(html)
    assert found.title == "The headline"
    assert found.text == "\n\n".join([LONG] * 4)


@pytest.mark.parametrize("html", [7, float("nan"), ["<p>"], Path("page.html"), object()])
def test_what_is_no_page_is_refused(html: Any) -> None:
    for function in (pagesieve.extract, pagesieve.article, pagesieve.headline, pagesieve.kind, pagesieve.parse):
        with pytest.raises(pagesieve.BadInput, match="str, bytes or Page"):
            function(html)


READERS = (pagesieve.extract, pagesieve.article, pagesieve.headline, pagesieve.kind, pagesieve.catalogue)


@pytest.mark.parametrize("function", [*READERS, pagesieve.records])
def test_without_a_page_or_an_address_there_is_nothing_to_read(function: Callable[..., Any]) -> None:
    for given in ({}, {"html": None}):
        with pytest.raises(pagesieve.BadInput, match="give a page as html, or the url of one"):
            function(**given)


@pytest.mark.parametrize(
    ("html", "message"),
    [
        ("https://example.org/a", "not its address: give https://example.org/a as url=, or to fetch()"),
        (" HTTP://example.org/a.html\n", "as url=, or to fetch()"),
        (b"https://anna:secret@example.org/a", "give https://***@example.org/a as"),
        ("page.html", "not the name of its file: give Path('page.html').read_bytes()"),
        (b"pages/a.HTM", "not the name of its file"),
    ],
)
def test_a_name_in_place_of_a_page_is_refused(html: str | bytes, message: str) -> None:
    for function in (*READERS, pagesieve.records):
        with pytest.raises(pagesieve.BadInput, match=re.escape(message)):
            function(html)
    (result,) = pagesieve.extract_many([html], workers=1)
    assert isinstance(result, pagesieve.BadInput)


@pytest.mark.parametrize(
    "html",
    [
        "https://example.org/ is where it stands",
        "https://example.org/a https://example.org/b",
        "<p>https://example.org/a",
        "<a>page.html",
        "See page.html",
        "https://example.org/" + "x" * 5000,
        "page",
        "",
    ],
)
def test_what_may_be_a_page_is_read(html: str) -> None:
    assert pagesieve.kind(html) == pagesieve.kind(html.encode())  # and no error


@pytest.mark.parametrize(
    ("function", "name", "message"),
    [
        ("extract", "output_format", "did you mean extract(…, format=…)?"),
        ("article", "output_format", "did you mean extract(…, format=…)?"),
        ("article", "format", "did you mean extract(…, format=…)?"),
        ("extract", "include_formatting", "did you mean extract(…, format='markdown')?"),
        ("extract_many", "favor_precision", "did you mean favor='precision'?"),
        ("extract", "favor_recall", "did you mean favor='recall'?"),
        ("extract", "no_fallback", "did you mean method='reverse', the fastest?"),
        ("extract", "with_metadata", "did you mean article(…).metadata, or"),
        ("extract", "target_language", "did you mean article(…).language, or"),
        ("article", "keep_article_html", "did you mean article(…).html?"),
        ("article", "input_html", "did you mean 'html'?"),
        ("article", "browser", "did you mean article(fetch(url, browser=True))?"),
        ("article", "options", "did you mean article(fetch(url, options=…))?"),
        ("extract", "include_link", "did you mean 'include_links'?"),
        ("extract", "links", "did you mean 'include_links'?"),
        ("article", "favour", "did you mean 'favor'?"),
        ("extract_many", "worker", "did you mean 'workers'?"),
        ("headline", "externals", "did you mean 'external'?"),
        ("catalogue", "link", "'link'; it has html, url"),
        ("kind", "ur", "did you mean 'url'?"),
        ("records", "format", "'format'; it has html, url, mode"),
        ("records", "regions", "did you mean 'region'?"),
        ("fetch", "browsers", "did you mean 'browser'?"),
        ("open_sites", "life", "did you mean 'template_life'?"),
        ("article", "as_article", "'as_article'; it has html, url, reference"),
    ],
)
def test_an_unknown_option_names_the_one_that_was_meant(function: str, name: str, message: str) -> None:
    with pytest.raises(pagesieve.UnknownOption, match=re.escape(message)) as raised:
        getattr(pagesieve, function)(PAGE, **{name: 1})
    assert str(raised.value).startswith(f"{function}() has no option {name!r}")
    assert isinstance(raised.value, TypeError)
    assert isinstance(raised.value, pagesieve.BadOption)


def test_what_stands_for_the_options_of_others_is_there() -> None:
    assert not set(ELSEWHERE) & set(inspect.signature(pagesieve.article).parameters)
    named = {name for meant in ELSEWHERE.values() for name in re.findall(r"(\w+)=|^'(\w+)'", meant) for name in name}
    functions = (pagesieve.article, pagesieve.extract, pagesieve.fetch)
    assert named - {""} <= {name for function in functions for name in inspect.signature(function).parameters}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("external", None),
        ("external", "A title"),
        ("external", [7]),
        ("external", (title for title in ["A title"])),  # can be read but once
        ("reference", 7),
        ("reference", [7]),
        ("sites", "sites.db"),
        ("sites", Path("sites.db")),
    ],
)
def test_what_is_given_wrongly_is_refused(option: str, value: Any) -> None:
    with pytest.raises(pagesieve.BadInput):
        pagesieve.article("<p>" + "A text of some length. " * 9, **{option: value})


@pytest.mark.parametrize("url", [7, b"https://example.org/", "https://example.org/\udcff"])
def test_what_is_no_url_is_refused(url: Any) -> None:
    with pytest.raises(pagesieve.BadInput, match="url is"):
        pagesieve.article(PAGE, url)


@pytest.mark.parametrize(
    ("start", "name"),
    [
        (b"%PDF-1.7\n", "a PDF"),
        (b"\x89PNG\r\n\x1a\n\0\0", "PNG"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "JPEG"),
        (b"GIF89a\x01\0", "GIF"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "RIFF"),
        (b"PK\x03\x04\x14\0", "zip"),
        (b"\x1f\x8b\x08\0", "gzip"),
    ],
)
def test_other_files_are_named(start: bytes, name: str) -> None:
    with pytest.raises(pagesieve.BadInput, match=name):
        pagesieve.extract(start + PAGE.encode())


def test_a_text_that_begins_like_another_file_is_a_text() -> None:
    assert pagesieve.extract("%PDF-1.7 " + PAGE) is not None
    assert pagesieve.extract(b"RIFF is a format. " + PAGE.encode()) is not None


# What is given


@pytest.mark.parametrize("format", ["text", "markdown", "html", "json"])
def test_extract_gives_what_the_article_has(format: Any) -> None:
    found, extracted = pagesieve.article(PAGE), pagesieve.extract(PAGE, format=format)
    assert extracted == (found.as_json() if format == "json" else getattr(found, format))


@pytest.mark.parametrize("bodies", [(), ("text",), ("html", "text", "markdown")])
def test_json_is_that_of_the_dictionary(bodies: tuple[str, ...]) -> None:
    found = pagesieve.article(PAGE.replace("<p>", '<p>A "wall", \\ and more. '))
    assert found.as_json(bodies) == json.dumps(found.as_dict(bodies), ensure_ascii=False)


CAPTION = "The wall at low tide, as it is seen from the quarry across the bay."
FIGURE = f"<figure><img src=/a.jpg alt=wall><figcaption>{CAPTION}</figcaption></figure>"
STONE = "<p>The harbour wall was built in nine weeks, with stone that came by barge from the quarry across the bay.</p>"
PICTURED = f"<article><h1>A wall</h1>{STONE * 3}{FIGURE}{STONE * 3}</article>"


@pytest.mark.parametrize(
    ("include_captions", "has_caption"),
    [
        (None, {"markdown", "html", "tei"}),
        (True, {"text", "json", "markdown", "html", "tei"}),
        (False, set()),
    ],
)
def test_captions(include_captions: bool | None, has_caption: set[str]) -> None:
    for format in FORMATS:
        options: Any = {"format": format, "include_captions": include_captions}
        assert (CAPTION in (pagesieve.extract(PICTURED, **options) or "")) is (format in has_caption)
        (written,) = pagesieve.extract_many([PICTURED], workers=1, **options)
        assert (CAPTION in str(written)) is (format in has_caption)
    found = pagesieve.article(PICTURED, include_captions=include_captions).as_dict()
    assert (CAPTION in found["text"]) is ("text" in has_caption)
    assert (CAPTION in found["markdown"]) is ("markdown" in has_caption)


def test_captions_are_left_out_of_the_text_by_default() -> None:
    assert CAPTION not in pagesieve.article(PICTURED).text
    assert pagesieve.article(PICTURED).markdown.count(CAPTION) == 1


def test_the_facts_of_a_page_without_a_text() -> None:
    html = (
        "<html lang=en><title>A wall by the sea</title><meta name=author content='Ann Lee'>"
        "<meta property=article:published_time content=2024-05-06><p>Short."
    )
    for method in ("auto", "lineblocks", "reverse"):
        with pytest.raises(pagesieve.NothingFound) as raised:
            pagesieve.article(html, "https://example.org/a", method=method)
        facts = raised.value.facts
        assert (facts["title"], facts["authors"], facts["published"]) == (
            "A wall by the sea",
            ["Ann Lee"],
            "2024-05-06",
        )
        assert (facts["url"], facts["language"], facts["kind"]) == ("https://example.org/a", "en", "other")
        assert facts["found"]["published"] == "meta article:published_time"
        assert json.dumps(facts)
        assert set(facts) < set(pagesieve.article(PAGE).as_dict())
        again = pickle.loads(pickle.dumps(raised.value))
        assert (str(again), again.facts) == (str(raised.value), facts)
    assert pagesieve.extract(html) is None
    with pytest.raises(pagesieve.NothingFound) as no_records:
        pagesieve.records(html, mode="static")
    assert no_records.value.facts == {}


@pytest.mark.parametrize("html", ["", " \n", "<", "<p>Short", b"", b"\0\0", "<script>" + LONG * 9])
def test_nothing_found(html: str | bytes) -> None:
    assert pagesieve.extract(html) is None
    with pytest.raises(pagesieve.NothingFound, match=r"^blocks: no lines of 40 characters .*; data: the page"):
        pagesieve.article(html)


def test_json_holds_the_facts_and_is_one_line(articles: dict[str, bytes], gold: Gold) -> None:
    for answer in gold:
        written = pagesieve.extract(articles[answer["id"]], answer["url"], format="json")
        assert written is not None
        assert "\n" not in written
        facts = json.loads(written)
        assert facts["url"] == answer["url"]
        assert facts["title"] == answer["title"]
        assert facts["date"][:10] == answer["date"]
        assert facts["method"] == "blocks"


def test_an_article_says_what_it_is() -> None:
    assert repr(pagesieve.article(PAGE)) == "<Article 'The headline' by blocks>"


def test_an_article_can_be_sent_to_another_process() -> None:
    found = pagesieve.article(PAGE + "<h2>The headline</h2>" + BODY, include_links=True)
    again = pickle.loads(pickle.dumps(found))
    assert (again.title, again.html, again.decisions) == (found.title, found.html, found.decisions)


def test_the_same_page_gives_the_same_article(articles: dict[str, bytes]) -> None:
    for html in articles.values():
        assert pagesieve.extract(html, format="json") == pagesieve.extract(html, format="json")


# Addresses


LINKED = BODY + f'<p>{LONG} <a href="/there">There</a> <img src="pic.png" alt="a picture"> {LONG}</p>' + BODY


@pytest.mark.parametrize("as_page", [False, True])
def test_the_url_makes_links_absolute(as_page: bool) -> None:
    html = pagesieve.parse(LINKED) if as_page else LINKED
    found = pagesieve.article(html, "https://example.org/a/b.html", include_links=True, include_images=True)
    assert "[There](https://example.org/there)" in found.markdown
    assert "(https://example.org/a/pic.png)" in found.markdown
    assert found.url == "https://example.org/a/b.html"


def test_a_page_keeps_the_url_it_was_parsed_with() -> None:
    page = pagesieve.parse(LINKED, "https://example.org/one")
    assert pagesieve.article(page).url == "https://example.org/one"
    assert pagesieve.article(page, "https://example.org/two").url == "https://example.org/two"
    assert page.url == "https://example.org/one"


def test_the_url_the_page_names_stands_in() -> None:
    named = f"<link rel=canonical href=https://example.org/own>{PAGE}"
    assert pagesieve.article(named).url == "https://example.org/own"
    assert pagesieve.article(named, "https://example.org/given").url == "https://example.org/given"


@pytest.mark.parametrize(
    "head",
    [
        "<link rel=canonical href=https://example.org/forum/thread/12>",
        "<link rel=canonical href=//example.org/forum/thread/12>",
        "<link rel=canonical href=thread/12><base href=https://example.org/forum/>",
        "<link rel=canonical href=12><meta property=og:url content=https://example.org/forum/thread/12>",
        "<meta property=og:url content=https://example.org/forum/thread/12>",
    ],
)
def test_the_url_the_page_names_is_as_good_as_the_same_one_given(head: str) -> None:
    page = head + LINKED
    own = pagesieve.article(page).url
    assert own == "https://example.org/forum/thread/12"
    told, given = (pagesieve.article(page, url, include_links=True, include_images=True) for url in (None, own))
    assert "[There](https://example.org/there)" in told.markdown
    for format in ("text", "markdown", "html", "tei"):
        assert getattr(told, format) == getattr(given, format)


def test_pages_of_a_site_are_the_same_with_and_without_the_url_they_name(site: Path) -> None:
    pages = [path.read_bytes() for path in sorted(site.rglob("*.html"))]
    named = {own: page for page in pages if (own := address(pagesieve.parse(page)))}
    assert len(named) > 20
    for own, page in named.items():
        assert pagesieve.kind(page) == pagesieve.kind(page, own)
        told, given = (pagesieve.extract(page, url, format="markdown", include_links=True) for url in (None, own))
        assert told == given


# Options


@pytest.mark.parametrize(
    ("option", "value", "known"),
    [
        ("format", "pdf", "text, markdown, html, json"),
        ("format", None, "text, markdown, html, json"),
        ("method", "magic", "auto, sharpened, layout, template, svm, blocks, data, reverse, records, lineblocks"),
        ("favor", "speed", "precision, recall"),
        ("favor", ["recall"], "precision, recall"),
    ],
)
def test_bad_options_name_the_good_ones(option: str, value: Any, known: str) -> None:
    with pytest.raises(pagesieve.BadOption, match=known):
        pagesieve.extract(PAGE, **{option: value})


@pytest.mark.parametrize("option", ["model"])
def test_options_of_other_methods_are_not_ignored(option: str) -> None:
    with pytest.raises(pagesieve.BadOption, match=option):
        pagesieve.article(PAGE, method="reverse", **{option: "x"})  # type: ignore[arg-type]


def test_an_option_that_does_not_exist() -> None:
    with pytest.raises(TypeError, match="include_linsk"):
        pagesieve.extract(PAGE, include_linsk=True)  # type: ignore[call-arg]


def test_links_and_images_are_kept_where_asked_for() -> None:
    plain, rich = pagesieve.article(LINKED), pagesieve.article(LINKED, include_links=True, include_images=True)
    assert "/there" not in plain.markdown + plain.html
    assert "pic.png" not in plain.markdown + plain.html
    assert "There" in plain.text
    assert "[There](/there)" in rich.markdown
    assert "![a picture](pic.png)" in rich.markdown


def test_tables_are_left_out_where_asked_for() -> None:
    table = "<table><tr><th>Year<th>Grain</tr>" + "<tr><td>1990<td>barley of the north</tr>" * 3 + "</table>"
    html = BODY + table + BODY
    assert "barley" in pagesieve.article(html).text
    without = pagesieve.article(html, include_tables=False)
    assert "barley" not in without.text + without.markdown + without.html
    assert LONG in without.text


def test_comments_are_kept_where_asked_for() -> None:
    html = f"{BODY}<div id=comments><p>What a reader wrote.</p></div>"
    plain, rich = pagesieve.article(html), pagesieve.article(html, include_comments=True)
    assert str(plain.comments) == str(rich.comments) == "What a reader wrote."
    assert "reader" not in plain.text
    assert rich.text.endswith("What a reader wrote.")


def scores(articles: dict[str, bytes], gold: Gold, **options: Any) -> tuple[float, float]:
    """The mean precision and recall of the words of the articles."""
    texts = {answer["id"]: pagesieve.article(articles[answer["id"]], **options).text for answer in gold}
    found = [overlap(Counter(tokens(each["text"])), Counter(tokens(texts[each["id"]]))) for each in gold]
    return float(np.mean([one.precision for one in found])), float(np.mean([one.recall for one in found]))


def test_the_articles_of_the_example_site_are_found(articles: dict[str, bytes], gold: Gold) -> None:
    precision, recall = scores(articles, gold)
    assert recall >= MIN_RECALL
    assert precision >= MIN_PRECISION


def test_favor_moves_the_right_way(articles: dict[str, bytes], gold: Gold) -> None:
    precision, recall = scores(articles, gold)
    precise, _ = scores(articles, gold, favor="precision")
    _, recalled = scores(articles, gold, favor="recall")
    assert precise >= precision
    assert recalled >= recall


def test_favor_changes_what_is_kept() -> None:
    aside = "<p>.</p>" * 8 + "<p>Some words aside, of sixty letters or so, neither few nor many.</p>"
    assert pagesieve.extract(aside, method="lineblocks") is None
    assert pagesieve.extract(aside, method="lineblocks", favor="recall") is not None


# Decisions


def test_every_block_is_decided_once_and_for_a_reason(site: Path) -> None:
    for path in sorted(site.rglob("*.html")):
        try:
            found = pagesieve.article(path.read_bytes())
        except pagesieve.NothingFound:
            continue
        decisions, page = found.decisions, found.page
        spans = [(decision.first, decision.last) for decision in decisions]
        assert spans == sorted(spans)
        assert all(last < first for (_, last), (first, _) in pairwise(spans))
        covered = np.zeros(len(page), dtype=np.bool_)
        for first, last in spans:
            covered[first : last + 1] = True
        assert (page.chars[~covered] == 0).all()
        assert all(decision.reason and decision.text for decision in decisions)
        kept = sorted(row for d in decisions if d.kept for row in range(d.first, d.last + 1) if page.chars[row])
        assert kept == np.flatnonzero(found.selection.rows).tolist()


def test_a_decision_shows_how_its_block_begins() -> None:
    decisions = pagesieve.article(f"<p>Short<p>{LONG * 3}<p>{LONG}").decisions
    assert [d.text for d in decisions] == ["Short", LONG[:79] + "…", LONG[:79] + "…"]


# The headline


@pytest.mark.parametrize(
    "html",
    [
        f"<h1>The headline</h1>{BODY}",
        f"<h1>The <em>head</em>line</h1>{BODY}",
        f"<h1>The<br>headline</h1>{BODY}",
        f"<h1><div>The</div> <div>headline</div></h1>{BODY}",
        f"<title>The headline | The Site</title><h1>The Site</h1><h1>The headline</h1>{BODY}",
        f"<title>The headline - The Site</title><div>The headline</div>{BODY}",
        f"<title>The headline_News_The Site</title><div><b>The headline</b></div><p>5 May</p>{BODY}",
        f"<title>The Site: The headline</title><h2>The headline</h2>{BODY}",
        f"<meta property=og:title content='The headline'><p>Sport</p><h2>The headline</h2>{BODY}",
        f"<h1>The headline</h1><p>{LONG}</p><h2>The headline</h2>{BODY}",
        f"<h1>The headline <script>var x</script></h1>{BODY}",
    ],
)
def test_the_headline_is_the_title_and_not_in_the_text(html: str) -> None:
    found = pagesieve.article(html)
    assert found.title == "The headline"
    assert "headline" not in found.text
    assert LONG in found.text


def test_a_line_that_repeats_the_headline_far_down_stays() -> None:
    verse = f"<p>{LONG}</p><p>Let it snow</p>" * 3
    assert pagesieve.article(f"<h1>Let it snow</h1>{verse}{BODY}").text.count("Let it snow") == 3


def test_an_article_that_is_all_headline_keeps_it() -> None:
    found = pagesieve.article(f"<h1>{LONG} {LONG}</h1>")
    assert found.text == f"{LONG} {LONG}"


def test_the_headlines_of_the_example_site(articles: dict[str, bytes], gold: Gold) -> None:
    for answer in gold:
        found = pagesieve.article(articles[answer["id"]])
        assert found.title == answer["title"]
        assert answer["title"] not in found.text.splitlines()


# The other facts


@pytest.mark.parametrize(
    ("head", "field", "expected"),
    [
        ('<meta name="author" content=" Ann  Lee ">', "author", "Ann Lee"),
        ('<meta property="article:author" content="https://example.org/ann">', "author", None),
        ('<meta name="author" content="">', "author", None),
        (f'<meta name="author" content="{"x" * 5000}">', "author", None),
        ('<meta property="article:published_time" content="2024-05-01">', "date", "2024-05-01"),
        ('<meta itemprop="datePublished" content="2024-05-01">', "date", "2024-05-01"),
        ('<meta property="og:site_name" content="The Site">', "source", "The Site"),
        ('<html lang="en-au">', "language", "en-AU"),
        ('<html xml:lang="en">', "language", "en"),
        ('<meta property="og:locale" content="en_GB">', "language", "en-GB"),
        ("", "author", None),
        ("", "date", None),
        ("", "source", None),
        ("", "language", "en"),
        ("", "url", None),
        ("", "title", ""),
    ],
)
def test_facts(head: str, field: str, expected: str | None) -> None:
    assert getattr(pagesieve.article(head + BODY), field) == expected


def test_paragraphs_of_a_joiner_alone_are_not_written() -> None:
    family = "A family of sentences, \U0001f468\u200d\U0001f469\u200d\U0001f467, closes what is written here."
    found = pagesieve.article(f"<p>{LONG}</p><p>\u200d</p><p>{LONG}</p><p>\u200c</p><p>{family}</p>")
    assert found.text == "\n\n".join([LONG, LONG, family])
    assert found.markdown == found.text
    assert found.html.count("<p>") == 3


FORM = "<form><h3>Leave a reply</h3><p>Your email address will not be published.</p><label>Name</label></form>"
HIDDEN = (
    "<p style='display: none'>A trap for robots that fill in whatever they find. <script>set('value', 1);</script></p>"
)
REMARK = "I was there that day, and it was even colder than you say it was."


@pytest.mark.parametrize(
    ("section", "comments"),
    [
        (f"<h3>2 comments</h3><p>{REMARK}</p><p>So was I.</p>{FORM}{HIDDEN}", f"2 comments\n\n{REMARK}\n\nSo was I."),
        (f"<h3>Loading comments</h3>{FORM}{HIDDEN}", ""),
        (f"<form>{f'<p>{REMARK}</p>' * 12}</form>", "\n\n".join([REMARK] * 12)),
        (f"<p>{REMARK}</p><button>Reply to this remark, which was made by a reader</button>", REMARK),
    ],
)
def test_comments_are_what_readers_wrote(section: str, comments: str) -> None:
    page = f"<article>{f'<p>{LONG}</p>' * 12}</article><div class=comments>{section}</div>"
    found = pagesieve.article(page)
    assert str(found.comments) == comments
    assert bool(found.comments) == bool(comments)
    assert found.text == "\n\n".join([LONG] * 12)
    assert pagesieve.extract(page, include_comments=True) == f"{found.text}\n\n{comments}".strip()


def test_a_script_in_a_hidden_element_is_never_written() -> None:
    hidden = f"<div style='display: none'>{f'<p>{LONG}</p>' * 9}<p><script>{LONG}; go()</script></p></div>"
    assert pagesieve.extract(f"<main>{hidden}</main>") == "\n\n".join([LONG] * 9)


# Fetching


def test_a_page_is_fetched(at: Callable[[str], str]) -> None:
    options = FetchOptions(allow_private=True)
    page = pagesieve.fetch(at("to?/app/notes.html"), options=options)
    assert page.url == at("app/notes.html")
    shown = pagesieve.fetch(at("to?/app/notes.html"), browser=True, options=options)
    assert shown.url == page.url
    assert len(shown) > 2 * len(page)  # its script has run
    assert pagesieve.article(shown).url == page.url
    assert pagesieve.records(shown).mode == "visual"


@pytest.fixture
def nearby(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages of this machine be fetched without being asked for."""
    monkeypatch.setattr(http, "DEFAULT_OPTIONS", FetchOptions(allow_private=True, wait=lambda _: None))


@pytest.mark.usefixtures("nearby")
def test_a_page_that_is_left_out_is_fetched(at: Callable[[str], str]) -> None:
    url = at("to?/app/notes.html")
    page = pagesieve.fetch(url)
    for function in (pagesieve.extract, pagesieve.headline, pagesieve.kind):
        assert function(url=url) == function(page)
    assert pagesieve.article(url=url).url == at("app/notes.html")
    assert pagesieve.catalogue(url=url).url == at("app/notes.html")
    assert pagesieve.article(url=url, method="reverse").url == at("app/notes.html")


@pytest.mark.parametrize("function", READERS)
def test_a_page_that_is_left_out_is_refused_as_fetch_does(
    at: Callable[[str], str], function: Callable[..., Any], request: pytest.FixtureRequest
) -> None:
    with pytest.raises(pagesieve.AddressRefused, match="not public"):
        function(url=at("plain"))
    with pytest.raises(pagesieve.BadInput, match="url is a str"):
        function(url=7)
    with pytest.raises(pagesieve.FetchError, match="not an http or https URL"):
        function(url="ftp://example.org/")
    request.getfixturevalue("nearby")
    for path, message in (("missing", "answered 404"), ("zip", "not a page but"), ("loop", "redirects")):
        with pytest.raises(pagesieve.FetchError, match=message):
            function(url=at(path))


@pytest.mark.usefixtures("nearby")
def test_a_page_that_is_given_is_never_fetched(site_server: SiteServer) -> None:
    url = f"{site_server.url}en/index.html"
    page = next(path for path in site_server.files if path.startswith("en/2024"))
    for html in (site_server.files[page].body, "", b"", pagesieve.parse(PAGE)):
        for function in (*READERS, pagesieve.records):
            with contextlib.suppress(pagesieve.NothingFound):
                function(html, url)
    assert list(pagesieve.extract_many([(PAGE, url)], workers=1)) == [pagesieve.extract(PAGE, url)]
    assert site_server.asked() == []
    assert pagesieve.headline(url=url) is not None
    assert site_server.asked() == ["/en/index.html"]


@pytest.mark.parametrize("browser", [False, True])
def test_what_is_not_fetched(at: Callable[[str], str], browser: bool) -> None:
    with pytest.raises(pagesieve.AddressRefused, match="not public"):
        pagesieve.fetch(at("plain"), browser=browser)
    waits: list[float] = []
    options = FetchOptions(allow_private=True, wait=waits.append)
    for path, message in (
        ("missing", "answered 404"),
        ("zip", "not a page but application/zip"),
        ("loop", "redirects"),
    ):
        with pytest.raises(pagesieve.FetchError, match=message):
            pagesieve.fetch(at(path), browser=browser, options=options)
    assert waits == []
    with pytest.raises(pagesieve.FetchError, match="answered 503"):
        pagesieve.fetch(at("busy_server"), browser=browser, options=options)
    assert len(waits) == 2
    for url in (None, 7, b"http://a/", "http://\udc80/"):
        with pytest.raises(pagesieve.BadInput, match="url"):
            pagesieve.fetch(url, browser=browser)  # type: ignore[arg-type]


def test_a_browser_has_no_cache(tmp_path: Path) -> None:
    with pytest.raises(pagesieve.BadOption, match="without a browser"):
        pagesieve.fetch("http://a.example/", browser=True, options=FetchOptions(cache=tmp_path))
