"""Sitemaps: XML, gzip or plain text, news sitemaps, indexes of sitemaps, and feeds that serve as sitemaps.

`read_sitemap` is all that a crawl needs. What it returns has absolute, normal http and https URLs only, each once;
whatever the bytes are, it returns a Sitemap or raises BadFeed. Whether a sitemap may name pages of other hosts, and
that none is read twice, is the crawl's decision.

`scrapy.utils.sitemap` does something else: it gives the text of direct children only, and so neither title nor date of
news; it has no limits of size and number, resolves no relative URL, knows neither plain text nor feeds, fails with
StopIteration on an empty body, and takes the name of the root for the type, whatever it is.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from pagesieve.crawl.feeds import LONGEST_TITLE, read_feed
from pagesieve.crawl.markup_text import readable
from pagesieve.crawl.safe_xml import Element, described, local_name, read_parts, read_text, text_of
from pagesieve.errors import BadFeed
from pagesieve.fetching.urls import shown_url
from pagesieve.text.dates import parse_datetime
from pagesieve.text.urls import absolute, is_url

MOST_URLS = 50_000  # of one sitemap that are read: the limit of the protocol

_PAGES, _INDEX = "urlset", "sitemapindex"  # root elements
_LISTED = {_PAGES: "url", _INDEX: "sitemap"}  # what they list
_FEEDS = frozenset(("rss", "rdf", "feed"))


@dataclass(frozen=True, slots=True)
class Listed:
    """A page, or a sitemap, that a sitemap names."""

    url: str  # absolute and normal
    lastmod: str | None = None  # when it last changed, as ISO 8601
    title: str | None = None  # of news
    date: str | None = None  # when news was published


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What a sitemap names: pages, or other sitemaps."""

    url: str  # its own
    pages: tuple[Listed, ...] = ()
    sitemaps: tuple[Listed, ...] = ()
    is_cut: bool = False  # whether it names more than are read


def read_sitemap(body: bytes, url: str) -> Sitemap:
    """Read a sitemap, given its own URL; raise BadFeed, with one line, where it is none."""
    base = absolute(url, url)
    if base is None:
        raise BadFeed(f"not the address of a sitemap: {shown_url(url)!r}")
    text = read_text(body, base)
    lines = plain_urls(text)
    if lines:
        listed, is_cut = _chosen(_in_lines(lines, base))
        return Sitemap(base, listed, is_cut=is_cut)
    return _xml_sitemap(body, text, base)


def plain_urls(text: str) -> list[str]:
    """Return the lines of a plain-text sitemap; empty where a text does not begin as one."""
    return text.split() if is_url(text[:LONGEST_TITLE].lstrip("\ufeff \t\r\n")) else []


def _in_lines(lines: Iterable[str], base: str) -> Iterator[Listed]:
    found = (absolute(line, base) for line in lines if is_url(line))
    return (Listed(url) for url in found if url)


def _xml_sitemap(body: bytes, text: str, url: str) -> Sitemap:
    parts = read_parts(text, url)
    root = next(parts, None)
    name = _bare_name(root) if root is not None else ""
    if name in _FEEDS:
        feed = read_feed(body, url)
        pages = tuple(Listed(one.url, one.updated or one.date, one.title or None, one.date) for one in feed.entries)
        return Sitemap(url, pages, is_cut=feed.is_cut)
    if name not in _LISTED:
        raise BadFeed(f"{shown_url(url)}: not a sitemap but {described(root, text)}")
    listed, is_cut = _chosen(_listed(parts, _LISTED[name], url))
    return Sitemap(url, listed, is_cut=is_cut) if name == _PAGES else Sitemap(url, (), listed, is_cut)


def _listed(parts: Iterator[Element], wanted: str, base: str) -> Iterator[Listed]:
    for part in parts:
        if _bare_name(part) == wanted:
            fields = _fields(part)
            href = text_of(fields.get("loc"))
            url = absolute(href, base) if href else None
            if url:
                news = _fields(fields["news"]) if "news" in fields else {}
                title = readable(text_of(news.get("title")), LONGEST_TITLE)
                yield Listed(url, _date(fields.get("lastmod")), title or None, _date(news.get("publication_date")))


def _fields(element: Element) -> dict[str, Element]:
    """Return what an element holds by name, the first of each."""
    return {_bare_name(child): child for child in reversed(element)}


def _bare_name(element: Element) -> str:
    """Return the name of an element without any prefix: many sitemaps declare none of theirs."""
    return local_name(element).rpartition(":")[2]


def _date(element: Element | None) -> str | None:
    return parse_datetime(text_of(element))


def _chosen(found: Iterator[Listed]) -> tuple[tuple[Listed, ...], bool]:
    """Return what a sitemap names, each URL once, as much as is read; and whether there was more."""
    by_url: dict[str, Listed] = {}
    for one in islice(found, MOST_URLS):
        by_url.setdefault(one.url, one)
    return tuple(by_url.values()), next(found, None) is not None
