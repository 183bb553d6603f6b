"""Every function costs twice as much for twice the page, whatever the page is made of."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache

import pytest

import pagesieve
from tests.bad_pages import WORDS, numbered
from tests.growing import growth

MAX_RATIO = 2.3
SIZE, DOUBLINGS = 1500, 2  # parts
URL = "https://example.org/news/"
TITLE = b"<a href=/news/a-title-of-some-words-%d>A title of some words %d</a>"

# A page of some size. Those that are quick have more parts, since small tables cost less than their share. Hostile ones
# are made so that something on them never ends or never recurs, or is looked for again and again.
PAGES: dict[str, Callable[[int], bytes]] = {
    "a list": lambda size: b"<ul>" + _twice(b"<li class=hit><h3>" + TITLE + b"</h3><p>It says more.</p>", size),
    "two rows a record": lambda size: (
        b"<table>" + _twice(b"<tr><td>" + TITLE + b"</td><td>1.50</td></tr><tr><td colspan=2>More.</td></tr>", size)
    ),
    "other classes and ids": lambda size: _twice(b"<div class=c%d id=i%d><p>Words of it.</div>", size),
    "links in running text": lambda size: b"<p>" + _twice(b"words of a text " + TITLE, size),
    "links that are never closed": lambda size: _twice(b"<a href=/%d><div>Title %d", size),
    "the same link": lambda size: b"<p><a href=/news/the-same-title-of-many>The same title of many</a>" * size,
    "links to parts of one page": lambda size: _twice(b"<p><a href='?a=%d#%d'>A part of the page</a>", size),
    "a link of many texts": lambda size: b"<a href=/a-title-of-words>" + numbered(b"<b>word %d</b><br>", size),
    "many links in one item": lambda size: b"<li>" + _twice(TITLE + b"<time>2020-02-02</time>", size),
    "nested lists": lambda size: (b"<ul><li>" + WORDS) * size,
    "nested blocks": lambda size: (b"<div>" + WORDS) * size,
    "nested tables": lambda size: (b"<table><tr><td>" + WORDS) * 4 * size,
    "alike siblings": lambda size: (b"<p>" + WORDS) * size,
    "siblings of many names": lambda size: numbered(b"<x-%d>words<hr>", size),
    "texts without an end": lambda size: b"<title>words<p>words<textarea><style><b>" * size,
    "labels": lambda size: b"<ul>" + numbered(b"<li><p>Label: value<p>Other: value<p>Price: %d.50", 3 * size),
    "terms": lambda size: numbered(b"<dl><dt>Term<dd>value %d<dt>Other<dd>value</dl>", size),
    "line breaks": lambda size: b"<div>" + b"words<br><br>" * size,
    "words without an end": lambda size: b"<p>" + b"word" * 20 * size,
    "digits without an end": lambda size: (
        b"<ul>" + b"".join(b"<li><b>Name %d of it</b> <i>%d%s</i>" % (n, n, b"7" * (6 * size)) for n in range(5))
    ),
    "prices in pieces without an end": lambda size: (
        b"<div>" + (b"<li>" + b"<span>$</span>19<span>97</span>" * (size // 10)) * 6 + b"</div>"
    ),
    "signs without an end": lambda size: b"<ul>" + (b"<li><b>A name of it</b> <i>-a" + b" -" * size + b" x</i>") * 5,
    "one class of many words": lambda size: b"<p class='" + b"tag-cat " * 10 * size + b"'>" + WORDS * 3,
    "schema.org": lambda size: numbered(b"<p itemtype=schema.org/Thing%d>", 60 * size) + WORDS * 3,
}
WORK: dict[str, Callable[[bytes], object]] = {
    "text": lambda page: pagesieve.extract(page, URL),
    "markdown": lambda page: pagesieve.extract(page, URL, format="markdown", include_links=True),
    "json": lambda page: pagesieve.extract(page, URL, format="json"),
    "reverse": lambda page: pagesieve.extract(page, URL, method="reverse"),
    "headline": lambda page: pagesieve.headline(page, URL),
    "records": lambda page: pagesieve.records(page, URL, mode="static").to_rows(),
    "kind": lambda page: pagesieve.kind(page, URL),
    "catalogue": lambda page: pagesieve.catalogue(page, URL).links,
}


def _twice(form: bytes, count: int) -> bytes:
    """Fill a form that has room for each number twice."""
    return b"".join(form % (number, number) for number in range(count))


@pytest.mark.parametrize("work", WORK)
def test_twice_the_page_takes_twice_the_time(work: str) -> None:
    rates = {name: rate(WORK[work], make) for name, make in PAGES.items()}
    assert {name: times for name, times in rates.items() if times >= MAX_RATIO} == {}


def rate(work: Callable[[bytes], object], make: Callable[[int], bytes]) -> float:
    """Return how many times longer twice the page takes."""
    page = cache(make)

    def do(size: int) -> None:
        with suppress(pagesieve.NothingFound):
            work(page(size))

    for doubling in range(DOUBLINGS + 1):
        page(SIZE << doubling)
    return growth(do, SIZE, DOUBLINGS)
