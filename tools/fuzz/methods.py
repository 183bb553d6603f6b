"""Targets that ask the methods: together they reach every module of the kernel."""

from __future__ import annotations

from tools.fuzz.bench import Bench, Run
from tools.fuzz.checks import check

import pagesieve
from pagesieve.errors import PagesieveError
from pagesieve.facts.metadata import metadata
from pagesieve.page.static import parse

URL = "https://fuzz.example/news/2024/05/17/story.html"


def by_method(method: str, *, with_sites: bool = False) -> Run:
    """Return the target that finds the article by a method, and writes it; some methods need a site library."""

    def run(data: bytes, bench: Bench) -> None:
        found = pagesieve.article(data, URL, method=method, sites=bench.sites if with_sites else None)
        found.as_json()
        for written in (found.text, found.markdown, found.html):
            check(isinstance(written, str), "an article without a text")

    return run


def engine(data: bytes, bench: Bench) -> None:
    """Read three pages made of one: each article answers as it does alone, also when the others were read."""
    half = len(data) // 2
    pages = (data, data[half:], data[half:] + data[:half])
    alone = [_asked(_read(one)) for one in pages]
    kept = [_read(one) for one in pages]
    check([_asked(one) for one in reversed(kept)] == alone[::-1], "an article changes when others are read")


def _read(data: bytes) -> pagesieve.Article | None:
    try:
        return pagesieve.article(data, URL)
    except PagesieveError:
        return None


def _asked(article: pagesieve.Article | None) -> list[object]:
    if article is None:
        return []
    decisions = [(decision.text, decision.kept, decision.reason) for decision in article.decisions]
    return [article.as_json(), article.markdown, article.html, article.selection.rows.tobytes(), decisions]


def records(data: bytes, bench: Bench) -> None:
    """Find the records, with and without what is known of the site."""
    found = pagesieve.records(data, URL, mode="static")
    found.to_rows(typed=True)
    pagesieve.records(data, URL, mode="static", sites=bench.sites)


def catalogue(data: bytes, bench: Bench) -> None:
    """Find what the page lists, and where its list goes on."""
    found = pagesieve.catalogue(data, URL)
    listed = {link.url for link in found.links}
    check(listed <= {link.url for link in found.all_links}, "a link to an article that is no link of the page")
    check(not listed & {*found.other_links}, "a link is to an article and to none")
    for url in (*listed, *found.pages, found.next_url or ""):
        found.titles(url)


def headline(data: bytes, bench: Bench) -> None:
    """Find the headline."""
    pagesieve.headline(data, URL)


def kind(data: bytes, bench: Bench) -> None:
    """Tell the kind of the page."""
    pagesieve.kind(data, URL)


def facts(data: bytes, bench: Bench) -> None:
    """Find the facts, of the page with an address and of the page alone."""
    metadata(parse(data, URL)).as_dict()
    metadata(parse(data)).as_dict()
