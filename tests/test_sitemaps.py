"""Sitemaps: of pages, of news, of sitemaps, in gzip, in plain text, and feeds that serve as one."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagesieve.crawl import feeds
from pagesieve.crawl.feeds import Sitemap, SitemapEntry, read_sitemap
from pagesieve.errors import BadFeed
from pagesieve.text.urls import absolute
from tests.test_feeds import ATOM, PIECES, RSS_2

URL = "https://a.example/maps/sitemap.xml"
SPACES = (
    'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" '
    'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" '
    'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
)
PAGES = f"""<?xml version="1.0" encoding="UTF-8"?><?xml-stylesheet href="/x.xsl"?><!-- made by hand -->
<urlset {SPACES}>
<url><loc>https://a.example/1?a=1&amp;b=2</loc><lastmod>2024-05-06</lastmod><priority>0.5</priority>
<xhtml:link rel="alternate" hreflang="de" href="https://a.example/de/1"/>
<image:image><image:loc>/1.jpg</image:loc><image:title>A picture</image:title></image:image></url>
<url><loc>
 /2 </loc><lastmod>2024-05-06T07:40:00+02:00</lastmod></url>
<url><loc>https://a.example/1?a=1&amp;b=2#again</loc></url>
<url><loc>mailto:x@a.example</loc></url><url><loc/></url><url><lastmod>2024-05-06</lastmod></url></urlset>"""
NEWS = f"""<urlset {SPACES}><url><loc>/n</loc><news:news><news:publication><news:name>The Courier</news:name>
<news:language>en</news:language></news:publication><news:publication_date>2024-05-06T07:40:00Z</news:publication_date>
<news:title>Fish &amp;amp; chips</news:title></news:news></url></urlset>"""
INDEX = f"""<sitemapindex {SPACES}><sitemap><loc>/maps/1.xml.gz</loc><lastmod>2024-05-06</lastmod></sitemap>
<sitemap><loc>2.xml</loc></sitemap></sitemapindex>"""

PLAIN = Sitemap(URL, (SitemapEntry("https://a.example/1"), SitemapEntry("https://a.example/2")))
READ = {
    "pages": (
        PAGES,
        Sitemap(
            URL,
            (
                SitemapEntry("https://a.example/1?a=1&b=2", "2024-05-06"),
                SitemapEntry("https://a.example/2", "2024-05-06T07:40:00+02:00"),
            ),
        ),
    ),
    "news": (
        NEWS,
        Sitemap(URL, (SitemapEntry("https://a.example/n", None, "Fish & chips", "2024-05-06T07:40:00+00:00"),)),
    ),
    "news without declarations": (
        "<urlset><url><loc>/n</loc><news:news><news:title>T</news:title></news:news></url></urlset>",
        Sitemap(URL, (SitemapEntry("https://a.example/n", None, "T"),)),
    ),
    "index": (
        INDEX,
        Sitemap(
            URL,
            (),
            (
                SitemapEntry("https://a.example/maps/1.xml.gz", "2024-05-06"),
                SitemapEntry("https://a.example/maps/2.xml"),
            ),
        ),
    ),
    "text": ("https://a.example/1\r\nhttps://a.example/2\r\n\r\nnothing\nhttps://a.example/1\n", PLAIN),
    "text with a mark": ("\ufeffhttps://a.example/1\nHTTPS://a.example/2", PLAIN),
    "no namespace": ("<urlset><url><loc>/1</loc></url><url><loc>/2</loc></url></urlset>", PLAIN),
    "prefixed": ("<s:urlset xmlns:s='x'><s:url><s:loc>/1</s:loc></s:url><s:url><s:loc>/2</s:loc></s:url>", PLAIN),
    "empty": (f"<urlset {SPACES}/>", Sitemap(URL)),
    "RSS": (
        RSS_2,
        Sitemap(
            URL,
            (
                SitemapEntry("https://a.example/1", "2024-05-06T07:40:00+02:00", "First", "2024-05-06T07:40:00+02:00"),
                SitemapEntry("https://a.example/2", None, "Second"),
            ),
        ),
    ),
}


@pytest.mark.parametrize(("text", "sitemap"), READ.values(), ids=READ)
def test_sitemaps(text: str, sitemap: Sitemap) -> None:
    assert read_sitemap(text.encode(), URL) == sitemap
    assert read_sitemap(gzip.compress(text.encode()), URL) == sitemap


def test_entries_of_atom_have_the_date_of_their_last_change() -> None:
    pages = read_sitemap(ATOM.encode(), URL).pages
    assert pages[0].lastmod == "2024-05-07T07:40:00+00:00"
    assert pages[0].date == "2024-05-06T07:40:00+00:00"


def test_only_so_many_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "MAX_URLS", 3)
    for count, is_cut in ((3, False), (4, True)):
        urls = "".join(f"<url><loc>/{n}</loc></url>" for n in range(count))
        found = read_sitemap(f"<urlset>{urls}</urlset>".encode(), URL)
        assert ([page.url[-2:] for page in found.pages], found.is_cut) == (["/0", "/1", "/2"], is_cut)


def test_the_sitemaps_of_the_example_site(site: Path) -> None:
    top = "http://127.0.0.1:8000/"
    index = read_sitemap((site / "sitemap_index.xml").read_bytes(), top + "sitemap_index.xml")
    read = [read_sitemap((site / one.url.removeprefix(top)).read_bytes(), one.url) for one in index.sitemaps]
    named = {page.url.removeprefix(top) for sitemap in read for page in sitemap.pages}
    pages = {path.relative_to(site).as_posix() for top in ("en", "zh") for path in (site / top).rglob("*.html")}
    later = {page for page in pages if page.endswith(("4181130-2.html", "4181130-3.html", "390_2.html", "390_3.html"))}
    assert named == pages - later | {"index.html"}
    assert len(index.sitemaps) == 3
    assert all(page.title and page.date for page in read[2].pages)


NO_SITEMAPS = {
    b"": "not XML",
    b"hello https://a.example/": "not a sitemap but text",
    b"<!doctype html><p>Not found": "not a sitemap but a page",
    b"<opml/>": "not a sitemap but <opml>",
    b"{}": "not a sitemap but text",
    b"<rss></rss>": "no channel",
    b"\x1f\x8b\x08": "ends early",
    b"PK\x03\x04": "a zip file",
}


@pytest.mark.parametrize(("body", "why"), NO_SITEMAPS.items())
def test_what_is_no_sitemap_is_one_clear_line(body: bytes, why: str) -> None:
    with pytest.raises(BadFeed) as raised:
        read_sitemap(body, URL)
    assert str(raised.value).startswith(f"{URL}: ")
    assert why in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


def test_what_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "MAX_BYTES", 100_000)
    body = b"<urlset>" + b" " * 200_000
    for one in (body, gzip.compress(body)):
        with pytest.raises(BadFeed, match="larger than 100,000 bytes"):
            read_sitemap(one, URL)


def sitemap_or_line(body: bytes) -> Sitemap | str:
    try:
        return read_sitemap(body, URL)
    except BadFeed as error:
        return str(error)


@given(st.lists(PIECES, max_size=25).map(lambda pieces: "".join(pieces).encode("utf-8", "surrogatepass")) | st.binary())
def test_anything_is_a_sitemap_or_none(body: bytes) -> None:
    for one in (body, gzip.compress(body)):
        found = sitemap_or_line(one)
        if isinstance(found, str):
            assert len(found.splitlines()) == 1
        else:
            assert all(absolute(page.url, page.url) == page.url for page in (*found.pages, *found.sitemaps))
