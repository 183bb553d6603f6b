"""The article from the data of a page: JSON-LD, scripts, when they are believed, and what they cannot do."""

from __future__ import annotations

import json
import pickle
import time
from html import escape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagesieve
from pagesieve.methods.data import MAX_DEPTH, Budget, read_data, unquoted
from pagesieve.methods.registry import AUTO, METHODS
from pagesieve.page import kernel
from tests.profiles import examples
from tests.test_cli import run

TITLE = "The ferry that crosses the bay by night"
PARAGRAPHS = [
    "Shortly after midnight, when the harbour has gone quiet, the first passengers step aboard.",
    "The captain has made the journey for thirty years. She knows each of the lights along the northern shore by name.",
    "Nobody speaks much on the way out. Some sleep on the benches below, others watch the islands slide past.",
    "Halfway across, the engine is stopped for a minute. It is an old custom, kept since a great storm.",
    "A baker from the eastern quarter brings bread that is still warm. What is left over goes to the gulls at dawn.",
    "In summer the deck is crowded until sunrise. In November there may be two people, a dog and a sack of letters.",
    "The council wanted to close the line last spring, because it costs too much. Nine hundred people objected.",
    "So the boat still leaves every night at ten past twelve. Whoever misses it waits for the tram, or walks.",
]
PLAIN = "\n\n".join(PARAGRAPHS)
MARKUP = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
NOISE = "<nav><a href=/>Home</a> <a href=/boats>Boats</a></nav><footer>All rights reserved.</footer>"
SCRIPT = '<script id="__NEXT_DATA__" type="application/json">{}</script>'


def page(data: str, shown: str = "", title: str = TITLE) -> str:
    """A page that shows little, and carries something else."""
    return f"<html><head><title>{escape(title)} | Harbour News</title></head><body>{NOISE}{shown}{data}</body></html>"


def linked(thing: Any) -> str:
    return f'<script type="application/ld+json">{json.dumps(thing)}</script>'


def article_thing(**more: Any) -> dict[str, Any]:
    return {"@type": "NewsArticle", "headline": TITLE, "articleBody": PLAIN} | more


def next_data(thing: Any) -> str:
    return SCRIPT.format(json.dumps({"props": {"pageProps": thing}}))


POST = {"title": TITLE, "content": MARKUP}
JAVASCRIPT = (
    f"window.__NUXT__=(function(a,b){{return {{layout:a,data:[{{post:{{title:{json.dumps(TITLE)},n:1e3,ok:!0,"
    f"body:{json.dumps(MARKUP)}}}}}]}}}})('default',null)"
)
FOUND: dict[str, str] = {
    "an article": linked(article_thing()),
    "in a graph": linked({"@graph": [{"@type": "WebSite", "name": "Harbour News"}, article_thing()]}),
    "with markup": linked(article_thing(articleBody=MARKUP)),
    "with escaped markup": linked(article_thing(articleBody=escape(MARKUP))),
    "as a list": linked(article_thing(articleBody=PARAGRAPHS)),
    "no headline of its own": linked({"@type": "Article", "articleBody": PLAIN}),
    "JSON that no parser takes": linked(article_thing()).replace('"@type"', 'oops: "@type"'),
    "JSON with comments, and commas too many": linked(article_thing()).replace("{", "/* { */ {", 1).replace("}", ",};"),
    "a value after another": linked({"@type": "WebSite"}).replace("</", f"{json.dumps(article_thing())}</"),
    "the one of several that has the headline": linked(
        [article_thing(), article_thing(headline="More boats for sale", articleBody="One more boat. " * 900)]
    ),
    "a forum's post and its answers": linked(
        {"@type": "DiscussionForumPosting", "headline": TITLE, "text": PARAGRAPHS[0]}
        | {"comment": [{"@type": "Comment", "text": text} for text in PARAGRAPHS[1:]]}
    ),
    "a question": linked(
        {"@type": "QAPage", "author": "Ann", "mainEntity": {"@type": "Question", "name": TITLE,
         "text": "\n".join(PARAGRAPHS[:4]),
         "acceptedAnswer": {"@type": "Answer", "text": "\n".join(PARAGRAPHS[4:])}}}
    ),
    "a product": linked({"@type": "Product", "name": TITLE, "description": PLAIN}),
    "Next.js": next_data({"post": POST}),
    "WordPress": next_data({"post": {"title": {"rendered": TITLE}, "content": {"rendered": MARKUP}}}),
    "paragraphs": next_data({"story": {"headlines": {"basic": TITLE}, "content_elements": [
        {"type": "text", "content": text} for text in PARAGRAPHS
    ]}}),
    "rich text": next_data({"title": TITLE, "body": {"content": [
        {"nodeType": "paragraph", "content": [{"nodeType": "text", "value": text[:50]}, {"value": text[50:]}]}
        for text in PARAGRAPHS
    ]}}),
    "in quotes in JSON": next_data(
        {"title": TITLE, "draft": json.dumps({"blocks": [{"text": text} for text in PARAGRAPHS]})}
    ),
    "assigned": f"<script>window.__INITIAL_STATE__ = {json.dumps({'a': {'b': POST}})};(function(){{go()}}())</script>",
    "undefined in it": f"<script>var s = {{'user': undefined, \"post\": {json.dumps(POST)}}};</script>",
    "JSON.parse": f"<script>window.__APOLLO_STATE__=JSON.parse({json.dumps(json.dumps({'Post:1': POST}))})</script>",
    "JavaScript": f"<script>{JAVASCRIPT}</script>",
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_a_page_that_shows_nothing(name: str) -> None:
    found = pagesieve.article(page(FOUND[name]))
    assert found.method == "data"
    assert [line for line in found.text.splitlines() if line] == PARAGRAPHS
    assert found.title == TITLE
    assert all(decision.kept and "the page's" in decision.reason for decision in found.decisions)
    assert found.markdown.count("\n\n") == len(PARAGRAPHS) - 1
    assert found.html.count("<p>") == len(PARAGRAPHS)


TEASER = f"<article><h1>{TITLE}</h1><p>{PARAGRAPHS[0]}</p><p>{PARAGRAPHS[1]}</p></article>"


@pytest.mark.parametrize("data", [linked(article_thing()), next_data({"post": POST})], ids=["JSON-LD", "script"])
def test_a_page_that_shows_a_teaser(data: str) -> None:
    before = pagesieve.article(page("", TEASER))
    after = pagesieve.article(page(data, TEASER))
    assert (before.method, after.method) == ("blocks", "data")
    assert PARAGRAPHS[-1] not in before.text
    assert after.text == PLAIN
    assert "the page shows" in after.decisions[0].reason


NOTICE = "<article><p>This story is for subscribers, who can read all of it. Please sign in to go on.</p></article>"
WHOLE = f"<article><h1>{TITLE}</h1>{MARKUP}</article>"
OTHER = [" ".join(reversed(paragraph.split())) for paragraph in PARAGRAPHS]
KEPT: dict[str, tuple[str, str]] = {
    "all is shown": (WHOLE, linked(article_thing())),
    "all is shown, and data that say more": (
        WHOLE,
        linked(article_thing(articleBody=PLAIN + "\n" + "\n".join(OTHER[:-2]))),
    ),
    "another article's data": (TEASER, linked(article_thing(articleBody="\n".join(OTHER)))),
    "another article's script": (TEASER, next_data({"post": {"title": "Something else", "content": MARKUP}})),
    "a teaser in the data": (TEASER, linked(article_thing(articleBody=PARAGRAPHS[0]))),
    "a teaser that is cut off": (TEASER, linked(article_thing(articleBody=" ".join(PARAGRAPHS[:5]) + " ..."))),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_is_shown_counts(name: str) -> None:
    shown, data = KEPT[name]
    assert pagesieve.article(page(data, shown)).method == "blocks"
    assert pagesieve.extract(page(data, shown)) == pagesieve.extract(page("", shown))


def test_a_notice_in_the_place_of_the_article() -> None:
    assert pagesieve.article(page(linked(article_thing()), NOTICE)).text == PLAIN


NOTHING: dict[str, str] = {
    "two articles, neither this one": linked([article_thing(headline=f"{n} more boats for sale") for n in range(2)]),
    "no headline near": next_data({"title": TITLE, "a": {"b": {"c": {"d": {"e": {"f": {"text": MARKUP}}}}}}}),
    "somebody else's text": next_data({"title": TITLE, "author": {"name": "Ann Other", "bio": MARKUP}}),
    "no prose": next_data({"title": TITLE, "css": "a{color:red}" * 300, "key": "QUJD" * 400, "words": "red, " * 400}),
    "short": linked(article_thing(articleBody=PARAGRAPHS[0])),
    "numbers": next_data({"title": TITLE, "content": list(range(1000))}),
    "wrong types": linked({"@type": ["NewsArticle", 3], "headline": [TITLE], "articleBody": {"a": 1}, "comment": 7}),
}


@pytest.mark.parametrize("name", NOTHING)
def test_pages_whose_data_hold_no_article(name: str) -> None:
    with pytest.raises(pagesieve.NothingFound, match=r"blocks: .*; data: "):
        pagesieve.article(page(NOTHING[name]))
    with pytest.raises(pagesieve.NothingFound):
        pagesieve.article(page(NOTHING[name]), method="data")


def test_facts_come_from_the_page_that_was_given() -> None:
    html = page(linked(article_thing(author={"@type": "Person", "name": "Ann Other"}, datePublished="2024-05-06")))
    found = pagesieve.article(html, "https://example.org/ferry")
    assert (found.author, found.date, found.url) == ("Ann Other", "2024-05-06", "https://example.org/ferry")
    assert found.whole is not None
    assert json.loads(found.as_json())["method"] == "data"
    assert pickle.loads(pickle.dumps(found)).text == found.text == PLAIN


def test_options_of_the_text() -> None:
    table = "<table><tr><th>Boat<th>Year<tr><td>Gull<td>1990<tr><td>Tern<td>2001</table>"
    body = f"{MARKUP}<p>See <a href=/boats>all boats</a>.</p><img src=/gull.jpg alt='The Gull'>{table}"
    html = page(linked(article_thing(articleBody=body)))
    found = pagesieve.article(html, "https://example.org/a/b", include_links=True, include_images=True)
    assert "[all boats](https://example.org/boats)" in found.markdown
    assert "![The Gull](https://example.org/gull.jpg)" in found.markdown
    assert "| Gull | 1990 |" in found.markdown
    assert "Gull | 1990" not in (pagesieve.extract(html, include_tables=False) or "")


def test_the_headline_is_not_in_the_text_twice() -> None:
    html = page(linked(article_thing(articleBody=f"<h1>{TITLE}</h1>{MARKUP}")))
    assert pagesieve.extract(html) == PLAIN


def test_data_is_a_method_like_others() -> None:
    assert AUTO[-1] == "data"
    assert "data" in METHODS
    html = page(linked(article_thing()), WHOLE)
    assert pagesieve.article(html, method="data").method == "data"
    assert pagesieve.article(html, method="data").text == PLAIN


def test_the_command_says_so(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(page(linked(article_thing())))
    as_json = json.loads(run("article", "-f", "json", str(path)).stdout)
    assert (as_json["method"], as_json["text"]) == ("data", PLAIN)
    why = run("article", "--why", str(path)).stdout.decode()
    assert why.startswith("keep  in the page's JSON-LD (articleBody)  |  Shortly after midnight")
    assert run("article", "--method", "data", str(path)).stdout.decode() == PLAIN + "\n"


# Reading scripts


@pytest.mark.parametrize(
    ("source", "data"),
    [
        ("", []),
        ('{"a": [1, "b", {"c": null}]}', [{"a": [True, "b", {"c": None}]}]),
        ("var a = {b: 'c', d: [1, \"e\"], f: g};", [{"b": "c", "d": [True, "e"]}]),
        ("{a: {b: 1}, 'c': 'd'}", [{"a": {}, "c": "d"}]),
        ('x({"a": 1}); y = ["b"]', [{"a": True}, ["b"]]),
        ("{a: 'b'", [{"a": "b"}]),
        ("]}{a:'b'}}]", [{"a": "b"}]),
        ("{'a': 'it\\'s', \"b\": \"\\x3cp\\u003e\"}", [{"a": "it's", "b": "<p>"}]),
        ("'never closed", []),
        ("don't\n{a: 'b'}", [{"a": "b"}]),
    ],
)
def test_reading_data(source: str, data: list[Any]) -> None:
    assert read_data(source) == data


@pytest.mark.parametrize(
    ("raw", "text"),
    [("a", "a"), (r"\n\t\/", "\n\t/"), (r"\ud83d\ude00", "😀"), (r"\ud83d", "\ufffd"), ("\\", "\\"), (r"\u12", "u12")],
)
def test_texts_in_scripts(raw: str, text: str) -> None:
    assert kernel.page.stated.text_in(raw) == text


def test_data_in_quotes() -> None:
    data = [{"a": "b" * 500}]
    assert unquoted(json.dumps(data)) == [data]
    assert unquoted("%5B%7B%22a%22%3A%22" + "b" * 500 + "%22%7D%5D") == [data]
    assert unquoted("just a text " * 100) == []


@examples(200)
@given(st.text(st.sampled_from("{}[]\"':,\\\n abu0<"), max_size=200))
def test_nonsense_is_read(source: str) -> None:
    assert isinstance(read_data(source), list)
    assert isinstance(pagesieve.extract(page(f"<script>{source * 5}{TITLE}</script>")), str | None)


HOSTILE: dict[str, str] = {
    "deep lists": "[" * 1_000_000,
    "deep objects": '{"a":' * 500_000,
    "deep, and no JSON": "{a:" * 500_000,
    "nothing but closing brackets": "]}" * 1_000_000,
    "a number of a million digits": '{"a": ' + "7" * 1_000_000 + "}",
    "a million numbers": "[" + "7," * 1_000_000 + "7]",
    "texts that never end": "\"' " * 500_000,
    "backslashes": '{"a": "' + "\\" * 2_000_001,
    "keys without end": "a" * 3_000_000 + ":",
    "blanks after keys": ('"a"' + " " * 1000) * 2000,
    "almost JSON": ('{"a": [' + '"b",' * 200_000 + "oops]}") * 4,
    "almost JSON, nested": '{"a":' * 900 + '"' + "b" * 3_000_000 + '"',
    "quotes in quotes": json.dumps(json.dumps(json.dumps(json.dumps({"title": TITLE, "text": PLAIN * 50})))),
    "objects with the headline": json.dumps([{"title": TITLE, "list": ["a b. " * 20] * 5}] * 10_000),
    "fifty megabytes": json.dumps({"title": TITLE, "content": "Word by word. " * 3_600_000}),
    "many tags": json.dumps({"title": TITLE, "content": "<a \"'" * 200_000}),
    "an unclosed comment": json.dumps({"title": TITLE, "content": "<!-- a. " * 200_000}),
    "deep markup": json.dumps({"title": TITLE, "content": "<div>One two three. " * 40_000}),
    "half a surrogate pair": '{"title": "' + TITLE + '", "content": "' + "\\ud800 a word. " * 1000 + '"}',
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize(
    "form", ["<script>/* {} */ x = {}</script>", '<script type="application/ld+json">{1}</script>']
)
def test_hostile_data(name: str, form: str) -> None:
    html = page(form.format(TITLE, HOSTILE[name]))
    start = time.thread_time()
    text = pagesieve.extract(html)
    assert time.thread_time() - start < 20
    assert text is None or text.isprintable() or "\n" in text or "\ufffd" in text


@pytest.mark.parametrize("end", ["</script>", "</SCRIPT >", "<!--<script>", "-->"])
def test_ends_of_scripts_in_data(end: str) -> None:
    thing = article_thing(articleBody=PLAIN + end + PARAGRAPHS[0])
    assert isinstance(pagesieve.extract(page(linked(thing))), str | None)
    escaped = linked(thing).replace(end, end.replace("<", "\\u003c")).replace("\\u003c/script>", "</script>", 0)
    assert isinstance(pagesieve.extract(page(escaped)), str | None)


def test_what_is_nested_too_deep_is_left_out() -> None:
    data, depth = read_data("{a:" * (MAX_DEPTH + 50) + "'deep'" + "}" * (MAX_DEPTH + 50) + "{b:'flat'}"), 0
    assert data[-1] == {"b": "flat"}
    inner = data[0]
    while inner:
        inner, depth = inner.get("a"), depth + 1
    assert depth < MAX_DEPTH


def test_a_budget_ends() -> None:
    assert len(read_data("'a' " * 100, Budget(parts=10))) == 10
