"""Where a site has its feeds and sitemaps, and what the body of an answer is.

A crawl asks in this order: `what_is` the start; for a page `linked_feeds`; for its site `robots_sitemaps`, then
`usual_sitemaps`, and where none of them exists `usual_feeds`. All URLs are absolute, normal, http or https.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from protego import Protego

from pagesieve.crawl.safe_xml import GZIP, read_text
from pagesieve.crawl.sitemaps import plain_urls
from pagesieve.errors import BadFeed
from pagesieve.fetching import HTML_TYPES, media_type, other_than_page
from pagesieve.page.decode import decode
from pagesieve.page.stated import base_url
from pagesieve.page.table import Page
from pagesieve.text.urls import absolute, host_of, same_family

Kind = Literal["feed", "sitemap", "page", "other"]

FEED_TYPES = frozenset(
    ("application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml", "text/rss+xml")
)
OTHER_AGENT = "-"  # which stands for those that are not asked for
ROBOTS_BYTES = 500 * 1024  # of a robots.txt that are read, as RFC 9309 has it
MOST_FOUND = 50  # feeds of a page, and sitemaps of a robots.txt
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

_HEAD = 1 << 16  # bytes that tell what a body is
_MOST_ROWS = 5000  # links of a page that are looked at
_DOUBTED_TYPES = frozenset(("application/json", "application/xml", "text/xml"))  # of feeds and of other things
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


def what_is(body: bytes, content_type: str | None = None) -> Kind:
    """Say what a body is by its content; the Content-Type decides only where that does not tell."""
    declared = media_type(content_type)
    if body.startswith(GZIP):
        return _kind_of_packed(body, declared)
    if other_than_page(body):
        return "other"
    text = decode(body[:_HEAD]).text.lstrip("\ufeff \t\r\n")
    if text[:1] in ("{", "["):
        return "feed" if _JSON_FEED.search(body) else "other"
    return _kind_of_text(text, declared)


def _kind_of_packed(body: bytes, declared: str) -> Kind:
    """Say what a body is that is still packed: only feeds and sitemaps are read then."""
    try:
        kind = _kind_of_text(read_text(body, "")[:_HEAD], declared)
    except BadFeed:
        return "other"
    return kind if kind in ("feed", "sitemap") else "other"


def _kind_of_text(text: str, declared: str) -> Kind:
    is_html = declared in HTML_TYPES
    if not is_html and plain_urls(text):
        return "sitemap"
    found = next((one for one in _FIRST_TAG.finditer(text) if one["doctype"] or one["name"]), None)
    name = (found["name"] or "html").lower() if found else ""
    if name == "rdf":
        return "feed" if _RSS_SIGN.search(text) else "other"
    return _KINDS.get(name) or ("other" if text.startswith("<?xml") and not is_html else "page")


def linked_feeds(page: Page) -> tuple[str, ...]:
    """Return the feeds that a page names, those of comments last; where it names none, links that look like feeds."""
    if page.url is None:
        return ()
    base = base_url(page) or page.url
    return _normal(_stated_feeds(page), base) or _normal(_seen_feeds(page, base), base)


def _stated_feeds(page: Page) -> list[str]:
    """Return what `<link rel="alternate">` names with the type of a feed, and `<link rel="feed">`."""
    found: list[tuple[bool, str]] = []
    for row in page.rows("link")[:_MOST_ROWS].tolist():
        attributes = page.attributes(row)
        href, relations = attributes.get("href", ""), attributes.get("rel", "").lower().split()
        if href and _is_feed(relations, media_type(attributes.get("type")), href):
            found.append((bool(_OF_COMMENTS.search(attributes.get("title", "") + href)), href))
    return [href for _, href in sorted(found, key=lambda one: one[0])]


def _is_feed(relations: list[str], declared: str, href: str) -> bool:
    if "feed" in relations:
        return True
    if "alternate" not in relations or "stylesheet" in relations:
        return False
    return declared in FEED_TYPES or (declared in _DOUBTED_TYPES and _looks_like_feed(href))


def _seen_feeds(page: Page, base: str) -> Iterator[str]:
    """Yield links that look like feeds of the site."""
    home = host_of(absolute(base, base) or "")
    for row in page.rows("a")[:_MOST_ROWS].tolist():
        href = page.attribute(row, "href") or ""
        if _looks_like_feed(href):
            host = host_of(absolute(href, base) or "")
            if same_family(host, home) or host in _FEED_HOSTS:
                yield href


def _looks_like_feed(href: str) -> bool:
    return bool(_LOOKS_LIKE_FEED.search("/" + href.partition("#")[0]))


def robots_sitemaps(body: bytes, url: str) -> tuple[str, ...]:
    """Return the sitemaps that a robots.txt names, given its own URL."""
    rules = parse_robots(body, "")
    return () if rules is None else _normal(rules.sitemaps, url)


def parse_robots(body: bytes, agent: str) -> Protego | None:
    """Return what a robots.txt says to a user agent, and where it names sitemaps; None where it cannot be read."""
    text = "\n".join(_lines_for(agent.lower(), decode(body[:ROBOTS_BYTES]).text.lstrip("\ufeff").splitlines()))
    try:
        return Protego.parse(text)
    except ValueError:  # older versions of Protego raise it for rules such as "//["
        return None


def _lines_for(agent: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a robots.txt, the names of other agents as one.

    Protego keeps each rule for each name above it: thousands of both would take minutes.
    """
    group: set[str] = set()  # of the names just above
    for line in lines:
        named = _AGENT.match(line)
        if named is None:
            if line.partition("#")[0].strip():
                group.clear()
            yield line
            continue
        name = named[1].partition("#")[0].strip().lower()
        name = name if name == "*" or (name and name in agent) else OTHER_AGENT
        if name not in group:
            group.add(name)
            yield f"User-agent: {name}"


def robots_place(url: str) -> tuple[str, ...]:
    """Return where the robots.txt of a URL's site is."""
    return _normal(["/robots.txt"], url)


def usual_sitemaps(url: str) -> tuple[str, ...]:
    """Return where sites have their sitemaps, the most usual first."""
    return _normal((f"/{place}" for place in SITEMAP_PLACES), url)


def usual_feeds(url: str) -> tuple[str, ...]:
    """Return where sites have their feeds: in the folder of a URL, and at the top."""
    return _normal([*FEED_PLACES, *(f"/{place}" for place in FEED_PLACES)], url)


def _normal(found: Iterable[str], base: str) -> tuple[str, ...]:
    """Return addresses as normal URLs, each once, as many as are of use."""
    urls = (absolute(href, base) for href in found)
    return tuple(dict.fromkeys(url for url in urls if url))[:MOST_FOUND]
