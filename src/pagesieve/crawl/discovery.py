"""Where a site has its feeds and sitemaps, what robots.txt says, and what sort of document a body is.

A crawl calls `body_kind` for a START; `linked_feeds` for a page; for its site `robots_sitemaps`, then `usual_sitemaps`,
and `usual_feeds` if none of them exists. All URLs are absolute, normal, http or https.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from protego import Protego

from pagesieve.crawl.feeds import GZIP, plain_urls, read_text
from pagesieve.errors import BadFeed
from pagesieve.fetching import HTML_TYPES, media_type
from pagesieve.page.stated import base_url
from pagesieve.page.static import decode, other_than_page
from pagesieve.page.table import Page
from pagesieve.text.urls import absolute, host_of, same_family

Kind = Literal["feed", "sitemap", "page", "other"]

FEED_TYPES = frozenset(
    ("application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml", "text/rss+xml")
)
OTHER_AGENT = "-"  # stands for all agents but one
ROBOTS_BYTES = 500 * 1024  # of a robots.txt are read, by RFC 9309
MAX_LINKS = 50  # feeds of a page, and sitemaps of a robots.txt
SITEMAP_PLACES = (
    "sitemap.xml",
    "sitemap_index.xml",
    "sitemap-index.xml",
    "wp-sitemap.xml",
    "sitemap.xml.gz",
    "news-sitemap.xml",
    "sitemap.txt",
)
FEED_PLACES = ("feed", "feed.xml", "rss.xml", "atom.xml", "rss", "index.xml", "feed.json")

_HEAD = 1 << 16  # bytes of a body that decide what it is
_MAX_ROWS = 5000  # links of a page that are checked
_DOUBTFUL_TYPES = frozenset(("application/json", "application/xml", "text/xml"))  # of feeds and of other things
_AGENT = re.compile(r"\s*user[- ]?agent\b\s*:?(.*)", re.IGNORECASE)
_LOOKS_LIKE_FEED = re.compile(
    r"/(?:feed|rss|atom)s?/?$|/[\w.-]*(?:feed|rss|atom)[\w-]*\.(?:xml|rdf|json)$|/index\.(?:xml|rdf)$|\.(?:rss|atom)$"
    r"|[?&](?:feed=|format=(?:rss|atom|feed)|type=(?:rss|atom))",
    re.IGNORECASE,
)
_OF_COMMENTS = re.compile(r"comment", re.IGNORECASE)
_FEED_HOSTS = ("feeds.feedburner.com", "feedburner.com", "feeds.feedblitz.com")  # that serve feeds of others
_FIRST_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<doctype>!doctype\s+html\b)|<(?:[\w-]+:)?(?P<name>[A-Za-z][\w-]*)",
    re.DOTALL | re.IGNORECASE,
)
_RSS_SIGN = re.compile(r"purl\.org/rss/|netscape\.com/rdf/", re.IGNORECASE)
_JSON_FEED = re.compile(rb"jsonfeed\.org\\?/version")
_KINDS: dict[str, Kind] = {
    "rss": "feed",
    "feed": "feed",
    "urlset": "sitemap",
    "sitemapindex": "sitemap",
    "html": "page",
}


def body_kind(body: bytes, content_type: str | None = None) -> Kind:
    """Return the kind of a body, by its content; by the Content-Type only if the content does not decide it."""
    declared = media_type(content_type)
    if body.startswith(GZIP):
        return _packed_kind(body, declared)
    if other_than_page(body):
        return "other"
    text = decode(body[:_HEAD]).text.lstrip("\ufeff \t\r\n")
    if text[:1] in ("{", "["):
        return "feed" if _JSON_FEED.search(body) else "other"
    return _text_kind(text, declared)


def _packed_kind(body: bytes, declared: str) -> Kind:
    """Return the kind of a compressed body, which can only be a feed or a sitemap."""
    try:
        kind = _text_kind(read_text(body, "")[:_HEAD], declared)
    except BadFeed:
        return "other"
    return kind if kind in ("feed", "sitemap") else "other"


def _text_kind(text: str, declared: str) -> Kind:
    is_html = declared in HTML_TYPES
    if not is_html and plain_urls(text):
        return "sitemap"
    tag = next((tag for tag in _FIRST_TAG.finditer(text) if tag["doctype"] or tag["name"]), None)
    name = (tag["name"] or "html").lower() if tag else ""
    if name == "rdf":
        return "feed" if _RSS_SIGN.search(text) else "other"
    return _KINDS.get(name) or ("other" if text.startswith("<?xml") and not is_html else "page")


def linked_feeds(page: Page) -> tuple[str, ...]:
    """Return the feeds that a page declares, those of comments last; if there are none, links that look like feeds."""
    if page.url is None:
        return ()
    base = base_url(page) or page.url
    return _normal(_declared_feeds(page), base) or _normal(_likely_feeds(page, base), base)


def _declared_feeds(page: Page) -> list[str]:
    """Return the addresses in `<link rel="alternate">` with the type of a feed, and in `<link rel="feed">`."""
    feeds: list[tuple[bool, str]] = []
    for row in page.rows("link")[:_MAX_ROWS].tolist():
        attributes = page.attributes(row)
        href, relations = attributes.get("href", ""), attributes.get("rel", "").lower().split()
        if href and _is_feed(relations, media_type(attributes.get("type")), href):
            feeds.append((bool(_OF_COMMENTS.search(attributes.get("title", "") + href)), href))
    return [href for _, href in sorted(feeds, key=lambda feed: feed[0])]


def _is_feed(relations: list[str], declared: str, href: str) -> bool:
    if "feed" in relations:
        return True
    if "alternate" not in relations or "stylesheet" in relations:
        return False
    return declared in FEED_TYPES or (declared in _DOUBTFUL_TYPES and _looks_like_feed(href))


def _likely_feeds(page: Page, base: str) -> Iterator[str]:
    """Yield links that look like feeds of the site."""
    home = host_of(absolute(base, base) or "")
    for row in page.rows("a")[:_MAX_ROWS].tolist():
        href = page.attribute(row, "href") or ""
        if _looks_like_feed(href):
            host = host_of(absolute(href, base) or "")
            if same_family(host, home) or host in _FEED_HOSTS:
                yield href


def _looks_like_feed(href: str) -> bool:
    return bool(_LOOKS_LIKE_FEED.search("/" + href.partition("#")[0]))


def robots_sitemaps(body: bytes, url: str) -> tuple[str, ...]:
    """Return the sitemaps that the robots.txt at a URL names."""
    rules = parse_robots(body, "")
    return () if rules is None else _normal(rules.sitemaps, url)


def parse_robots(body: bytes, agent: str) -> Protego | None:
    """Return the rules of a robots.txt for a user agent, and its sitemaps; None if it cannot be parsed."""
    text = "\n".join(_lines_for(agent.lower(), decode(body[:ROBOTS_BYTES]).text.lstrip("\ufeff").splitlines()))
    try:
        return Protego.parse(text)
    except ValueError:  # older versions of Protego raise it for rules such as "//["
        return None


def _lines_for(agent: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a robots.txt, with one name for all other agents.

    Protego stores each rule for each name above it: thousands of both would take minutes.
    """
    group: set[str] = set()  # names on the lines just above
    for line in lines:
        match = _AGENT.match(line)
        if match is None:
            if line.partition("#")[0].strip():
                group.clear()
            yield line
            continue
        name = match[1].partition("#")[0].strip().lower()
        name = name if name == "*" or (name and name in agent) else OTHER_AGENT
        if name not in group:
            group.add(name)
            yield f"User-agent: {name}"


def usual_sitemaps(url: str) -> tuple[str, ...]:
    """Return the usual addresses of sitemaps on the site of a URL, the most usual first."""
    return _normal((f"/{place}" for place in SITEMAP_PLACES), url)


def usual_feeds(url: str) -> tuple[str, ...]:
    """Return the usual addresses of feeds: in the folder of a URL, and at the top of its site."""
    return _normal([*FEED_PLACES, *(f"/{place}" for place in FEED_PLACES)], url)


def _normal(hrefs: Iterable[str], base: str) -> tuple[str, ...]:
    """Return addresses as normal URLs, each once, up to MAX_LINKS."""
    urls = (absolute(href, base) for href in hrefs)
    return tuple(dict.fromkeys(url for url in urls if url))[:MAX_LINKS]
