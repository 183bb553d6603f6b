"""Where a site has its feeds and sitemaps, and what a body is."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagesieve.crawl.discovery import (
    body_kind,
    linked_feeds,
    robots_sitemaps,
    usual_feeds,
    usual_sitemaps,
)
from pagesieve.page.static import parse
from pagesieve.text.urls import absolute
from tests.test_feeds import PIECES, WHOLE
from tests.test_sitemaps import INDEX, NEWS, PAGES

URL = "https://a.example/blog/index.html"
RSS = "application/rss+xml"

# --- what a body is

XML = "<?xml version='1.0'?>"
KINDS: dict[str, list[bytes | str]] = {
    "feed": [
        *(text for text, _ in WHOLE.values()),
        f"{XML}<!-- <html> --><rss>",
        f"{XML}<!DOCTYPE rss [<!ENTITY a 'x'>]><rss>",
        "\ufeff \n<rss>",
        "<atom:feed xmlns:atom='http://www.w3.org/2005/Atom'>",
        '{"items": [], "version": "https:\\/\\/jsonfeed.org\\/version\\/1"}',
        gzip.compress(b"<rss>", mtime=0),
        "<rss>".encode("utf-16"),
    ],
    "sitemap": [
        PAGES,
        NEWS,
        INDEX,
        gzip.compress(INDEX.encode(), mtime=0),
        "https://a.example/\nhttps://a.example/2\n",
    ],
    "page": [
        "<!DOCTYPE html><p>x",
        "<!-- x --><html>",
        f"{XML}<!DOCTYPE html PUBLIC 'x' 'y'><html xmlns='http://www.w3.org/1999/xhtml'>",
        "<p>What is <code>&lt;rss&gt;</code>?",
        "<html><body><rss><urlset>",
        "plain words",
        "",
    ],
    "other": [
        f"{XML}<opml>",
        f"{XML}<svg xmlns='http://www.w3.org/2000/svg'>",
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>",
        '{"items": []}',
        "[1, 2]",
        "%PDF-1.4",
        b"\x89PNG\r\n\x1a\n",
        gzip.compress(b"<!doctype html><p>x", mtime=0),
        b"\x1f\x8bnonsense",
    ],
}


@pytest.mark.parametrize(("kind", "body"), [(kind, body) for kind, bodies in KINDS.items() for body in bodies])
def test_what_a_body_is(kind: str, body: bytes | str) -> None:
    assert body_kind(body.encode() if isinstance(body, str) else body) == kind


@pytest.mark.parametrize(
    ("body", "content_type", "kind"),
    [
        (b"<rss>", "text/html; charset=utf-8", "feed"),
        (b"<!doctype html>", "application/rss+xml", "page"),
        (b"https://a.example/ is a site", "text/html", "page"),
        (b"<?xml version='1.0'?><div>", "application/xhtml+xml", "page"),
        (b"<?xml version='1.0'?><div>", "application/xml", "other"),
    ],
)
def test_the_type_decides_only_where_the_content_does_not(body: bytes, content_type: str, kind: str) -> None:
    assert body_kind(body, content_type) == kind


def test_the_example_site_is_what_it_is(site: Path) -> None:
    kinds = {".html": "page", ".gz": "sitemap", ".json": "feed", ".txt": "page"}
    by_name = {"feed.xml": "feed", "atom.xml": "feed"}
    files = [path for path in site.rglob("*") if path.suffix in (".html", ".gz", ".json", ".xml", ".txt")]
    assert len(files) > 40
    for path in files:
        assert body_kind(path.read_bytes()) == by_name.get(path.name, kinds.get(path.suffix, "sitemap")), path


@given(st.binary(max_size=200) | st.lists(PIECES).map(lambda all: "".join(all).encode("utf-8", "surrogatepass")))
def test_anything_is_something(body: bytes) -> None:
    for one in (body, gzip.compress(body, mtime=0)):
        assert body_kind(one) in ("feed", "sitemap", "page", "other")


# --- the feeds that a page names


def feeds_of(html: str, url: str | None = URL) -> list[str]:
    return [feed.removeprefix("https://a.example") for feed in linked_feeds(parse(html, url))]


FEEDS = {
    f'<link rel=alternate type={RSS} href="/feed">': ["/feed"],
    f'<link rel="Alternate nofollow" type="{RSS.upper()}; charset=utf-8" href="feed">': ["/blog/feed"],
    '<link rel=alternate type=application/atom+xml href="?feed=atom">': ["/blog/index.html?feed=atom"],
    '<link rel=alternate type=application/feed+json href="/f">': ["/f"],
    '<link rel=feed href="/f">': ["/f"],
    f'<base href="/base/"><link rel=alternate type={RSS} href="f">': ["/base/f"],
    f'<link rel=alternate type={RSS} href="/comments/feed"><link rel=alternate type={RSS} href="/feed">': [
        "/feed",
        "/comments/feed",
    ],
    f'<link rel=alternate type={RSS} href="/f"><link rel=alternate type={RSS} href="/f#x">': ["/f"],
    f'<body><link rel=alternate type={RSS} href="/f"><a href="/rss">': ["/f"],
    '<link rel=alternate type=application/json href="/wp-json/wp/v2/posts/1">': [],
    '<link rel=alternate type=application/json href="/feed.json">': ["/feed.json"],
    '<link rel=alternate type=application/json+oembed href="/oembed?format=json">': [],
    f'<link rel=alternate type={RSS} href="javascript:x">': [],
    f'<link rel=alternate type={RSS} href="file:///etc/passwd">': [],
    f'<link rel=alternate type={RSS} href="">': [],
    f'<link rel=stylesheet type={RSS} href="/x">': [],
    '<link rel=alternate hreflang=de href="/de/">': [],
    '<a href="/rss">RSS</a>': ["/rss"],
    '<a href="/feed/">RSS</a><a href="/tag/feed/">': ["/feed/", "/tag/feed/"],
    '<a href="/blog/atom.xml">': ["/blog/atom.xml"],
    '<a href="index.rdf">': ["/blog/index.rdf"],
    '<a href="/news.rss#x">': ["/news.rss"],
    '<a href="/?feed=rss2">': ["/?feed=rss2"],
    '<a href="https://feeds.feedburner.com/x/rss">': ["https://feeds.feedburner.com/x/rss"],
    '<a href="https://b.example.net/rss">': [],
    '<a href="/feedback">': [],
    '<a href="/feeding-birds.html">': [],
    '<a href="/rss-explained.html">': [],
    '<a href="/index.html">': [],
}


@pytest.mark.parametrize(("html", "feeds"), FEEDS.items())
def test_the_feeds_that_a_page_names(html: str, feeds: list[str]) -> None:
    assert feeds_of(html) == feeds


def test_a_page_without_an_address_names_none() -> None:
    assert feeds_of(f'<link rel=alternate type={RSS} href="/feed">', None) == []


def test_the_feeds_of_the_example_site(site: Path) -> None:
    for page, feeds in (
        ("index.html", ["en/feed.xml", "en/feed.json"]),
        ("en/world/index-2.html", ["en/feed.xml", "en/feed.json"]),
        ("zh/shehui/index.html", ["zh/atom.xml"]),
    ):
        top = "http://127.0.0.1:8000/"
        found = linked_feeds(parse((site / page).read_bytes(), top + page))
        assert [feed.removeprefix(top) for feed in found] == feeds


# --- the places of a site

ROBOTS = "https://a.example/robots.txt"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"Sitemap: https://a.example/s.xml", ["https://a.example/s.xml"]),
        (b"User-agent: *\nDisallow: /\nSITEMAP:/s.xml\r\nsitemap: /t.xml # x", ["/s.xml", "/t.xml"]),
        ("\ufeffSitemap: /s.xml".encode(), ["/s.xml"]),
        ("Sitemap: /s.xml".encode("utf-16"), ["/s.xml"]),
        (b"Sitemap: /s.xml\nSitemap: /s.xml", ["/s.xml"]),
        (b"Sitemap: https://b.example/s.xml", ["https://b.example/s.xml"]),  # which the protocol allows
        (b"Sitemap: file:///etc/passwd\nSitemap: javascript:x\nSitemap: http://[\nSitemap: /s.xml", ["/s.xml"]),
        (b"<!doctype html><p>Not found", []),
        (b"", []),
        (b"\0\xff\xfe" * 50, []),
        (b"Sitemap:", []),
        (b"Allow: /\n" * 200_000 + b"Sitemap: /late.xml", []),  # beyond what is read
    ],
)
def test_the_sitemaps_that_a_robots_txt_names(body: bytes, found: list[str]) -> None:
    assert list(robots_sitemaps(body, ROBOTS)) == [str(absolute(one, ROBOTS)) for one in found]


@given(st.binary(max_size=200) | st.lists(st.sampled_from(["Sitemap:", "\n", " ", "http://[", "/x", "\0", "é"])).map(
    lambda words: "".join(words).encode()
))  # fmt: skip
def test_any_robots_txt_is_read(body: bytes) -> None:
    assert all(absolute(url, url) == url for url in robots_sitemaps(body, ROBOTS))


def test_the_usual_places() -> None:
    assert usual_sitemaps(URL)[:2] == ("https://a.example/sitemap.xml", "https://a.example/sitemap_index.xml")
    assert usual_feeds(URL)[:2] == ("https://a.example/blog/feed", "https://a.example/blog/feed.xml")
    assert "https://a.example/feed" in usual_feeds(URL)
    assert len(usual_feeds("https://a.example/")) == len(set(usual_feeds("https://a.example/"))) == 7
    assert usual_sitemaps("file:///etc/") == usual_feeds("nothing") == ()
