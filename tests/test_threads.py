"""Threads: eight of them give what one gives, and they may share a page."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import pagesieve
from pagesieve.article import Article

THREADS, PAGES = 8, 1000


@pytest.fixture(scope="module")
def pages(site: Path) -> list[bytes]:
    """A thousand pages, no two alike: the example site's, each with a paragraph of its own in several ways."""
    sources = [path.read_bytes() for path in sorted(site.rglob("*.html"))]
    own = [b"<p>Paragraph %d, which no other page has.</p>" % number for number in range(PAGES)]
    return [_with(sources[number % len(sources)], own[number], number) for number in range(PAGES)]


def _with(source: bytes, paragraph: bytes, number: int) -> bytes:
    """A page with one more paragraph; every third one so that only the parser can read it."""
    if number % 3 == 0:
        paragraph = b"<b>" + paragraph + b"</b></i>"
    return source.replace(b"<p", paragraph + b"<p", 3)


def outcome(page: bytes) -> str | None:
    return pagesieve.extract(page, "https://example.org/a", format="json", include_links=True)


def test_eight_threads_give_what_one_gives(pages: list[bytes]) -> None:
    assert len(set(pages)) == PAGES
    alone = [outcome(page) for page in pages]
    assert sum(found is not None for found in alone) > PAGES / 2
    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(outcome, pages)) == alone


def test_threads_may_share_an_article(articles: dict[str, bytes]) -> None:
    """The columns and the texts are made when first asked for: here by all threads at once."""
    html = next(iter(articles.values()))
    expected = _all(pagesieve.article(html))
    for _ in range(20):
        found, barrier = pagesieve.article(html), threading.Barrier(THREADS)

        def ask(_: int, found: Article = found, barrier: threading.Barrier = barrier) -> tuple[object, ...]:
            barrier.wait()
            return _all(found)

        with ThreadPoolExecutor(THREADS) as pool:
            assert set(pool.map(ask, range(THREADS))) == {expected}


def _all(found: Article) -> tuple[object, ...]:
    page = found.page
    columns = (page.chars, page.text_chars, page.links, page.digests)
    return found.text, found.markdown, found.html, found.decisions, *(column.tobytes() for column in columns)
