"""Feeds and sitemaps: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, JSON Feed; sitemaps and indexes in XML or plain text.

`read_feed` and `read_sitemap` return absolute, normal http and https URLs only, each once, and plain text. Whatever the
bytes are, they return a result or raise BadFeed. Whether a sitemap may name pages of other hosts, and that none is
read twice, is up to the crawl.

`scrapy.utils.sitemap` does not do for this: it gives the text of direct children only, and so neither title nor date of
news; it has no limits of size and number, resolves no relative URL, knows neither plain text nor feeds, fails with
StopIteration on an empty body, and takes the name of the root for the type, whatever it is.

lxml parses XML piece by piece, without a DTD, without the network and with libxml2's own limits of depth and length. No
reference to an entity reaches lxml: those of HTML and of XML are resolved first, and all others become text. So an
entity that a document declares is never expanded, neither in text nor in attributes. Slightly broken documents are
repaired, and hostile ones do no harm.
"""

import html
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from typing import Any, TypeVar

from pagesieve.errors import BadFeed, MissingExtra
from pagesieve.fetching import BadBody, unpack
from pagesieve.fetching.guard import shown_url
from pagesieve.page.static import decode, other_than_page
from pagesieve.text.dates import parse_datetime
from pagesieve.text.urls import absolute, is_url
from pagesieve.text.whitespace import fold

try:
    from lxml import etree
except ImportError as error:
    raise MissingExtra("reading feeds and sitemaps", "crawl") from error

MAX_BYTES = 50 * 1024 * 1024  # bytes, unpacked: the limit of the sitemaps protocol
MAX_ELEMENTS = 2_000_000  # of a document: a full sitemap that names each page in 20 languages has 1.2 million
MAX_PARTS = 200_000  # of a document: four times the entries of a full sitemap
MAX_NESTED = 200_000  # elements of one entry
MAX_REPAIRS = 1_000_000  # references that XML does not know, and stray characters
GZIP = b"\x1f\x8b"

Element = Any  # lxml has no types

_DOUBTFUL = re.compile(
    r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)"  # these stay as they are
    r"|&(?!(?:amp|lt|gt|quot|apos);)(?:(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,31});)?"
    r"|<(?![A-Za-z_/!?])",
    re.DOTALL,
)
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_PAGE = re.compile(r"<(?:!doctype\s+)?html\b", re.IGNORECASE)
_BEGINNING = 1000  # characters
_MAX_NAME = 40
_CONTAINER = "channel"  # of RSS: its children are parts, like those of the root


def read_text(body: bytes, url: str) -> str:
    """Unpack and decode a body, by its content. Raises BadFeed if it is too large, or not text."""
    if body.startswith(GZIP):
        try:
            body = unpack(body, "gzip", MAX_BYTES)
        except BadBody as error:
            raise BadFeed(f"{shown_url(url)}: {error}") from error
    if len(body) > MAX_BYTES:
        raise BadFeed(f"{shown_url(url)}: larger than {MAX_BYTES:,} bytes")
    other = other_than_page(body)
    if other:
        raise BadFeed(f"{shown_url(url)}: neither a feed nor a sitemap but {other}")
    return decode(body).text


def read_parts(text: str, url: str) -> Iterator[Element]:
    """Yield the root element when it begins, then each child of the root, or of its channel, when it ends.

    A part is emptied before the next one is yielded. Raises BadFeed if there is no element, or too many.
    """
    events = etree.iterparse(
        BytesIO(_well_formed(text, url).encode()),
        events=("start", "end"),
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
    )
    try:
        yield from _parts(events, url)
    except etree.XMLSyntaxError as error:
        raise BadFeed(f"{shown_url(url)}: not XML") from error


def _parts(events: Iterator[tuple[str, Element]], url: str) -> Iterator[Element]:
    depth = count = nested = parts = 0
    for event, element in events:
        if event == "start":
            depth, count, nested = depth + 1, count + 1, nested + 1
            if count > MAX_ELEMENTS or nested > MAX_NESTED or parts > MAX_PARTS:
                raise BadFeed(f"{shown_url(url)}: too many elements")
            if depth == 1:
                yield element
            continue
        parent = element.getparent()
        if depth == 2 or (depth == 3 and local_name(parent) == _CONTAINER):
            yield element
            _free(element, parent)
            nested, parts = 0, parts + 1
        depth -= 1


def _free(element: Element, parent: Element) -> None:
    """Free the memory of an element and of those before it."""
    element.clear()
    while element.getprevious() is not None:
        del parent[0]


def _well_formed(text: str, url: str) -> str:
    """Return a document with its references resolved, except those of XML, and with stray characters escaped."""
    start = max(text.find("<"), 0)  # some programs print their warnings first
    repaired, count = _DOUBTFUL.subn(_repair, text[start:], MAX_REPAIRS)
    if count == MAX_REPAIRS:
        raise BadFeed(f"{shown_url(url)}: too broken to be read as XML")
    return _ILLEGAL.sub("", repaired)


def _repair(match: re.Match[str]) -> str:
    text = match[0]
    if text[:2] == "<!":
        return text
    resolved = html.unescape(text)
    return text.replace("&", "&amp;") if resolved == text and text != "<" else html.escape(resolved)


def describe(root: Element | None, text: str) -> str:
    """Describe a document that is neither a feed nor a sitemap, in a few words."""
    if root is not None:
        return f"<{local_name(root)[:_MAX_NAME]}>"
    if "<" not in text:
        return "text"
    return "a page" if _PAGE.search(text, 0, _BEGINNING) else "broken XML"


def namespace(element: Element) -> str:
    """Return the namespace of an element; an empty one if it has none."""
    return _tag(element).rpartition("}")[0][1:]


def local_name(element: Element) -> str:
    """Return the name of an element in lower case, without its namespace, but with a prefix that is not declared."""
    return _tag(element).rpartition("}")[2].lower()


def _tag(element: Element) -> str:
    """Return the tag of an element; an empty one for a reference to an entity, which lxml keeps as an element."""
    return element.tag if isinstance(element.tag, str) else ""


def text_of(element: Element | None) -> str:
    """Return all text in an element; an empty one if there is no element."""
    return "" if element is None else "".join(element.itertext()).strip()


MAX_ENTRIES = 20_000  # of one feed
MAX_URLS = 50_000  # of one sitemap: the limit of the protocol
MAX_TITLE = 1000  # characters
MAX_SUMMARY = 2000
MAX_MARKUP = 20  # characters of markup for one of text

_ROOTS = {"rss": "rss", "rdf": "rss", "feed": "atom"}  # the kind of a feed by the name of its root element
_SITEMAP_ROOTS = {"urlset": "url", "sitemapindex": "sitemap"}  # and the names of the elements in them
_ENTRIES = frozenset(("item", "entry"))
_PREFIXES = {
    "http://www.w3.org/2005/Atom": "atom",
    "http://purl.org/atom/ns#": "atom",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://rssnamespace.org/feedburner/ext/1.0": "feedburner",
    "http://www.pheedo.com/namespace/pheedo": "pheedo",
}
_RSS = frozenset(
    (
        "",
        "http://purl.org/rss/1.0/",
        "http://my.netscape.com/rdf/simple/0.9/",
        "http://channel.netscape.com/rdf/simple/0.9/",
        "http://backend.userland.com/rss2",
        "http://blogs.law.harvard.edu/tech/rss",
    )
)
_XML = "{http://www.w3.org/XML/1998/namespace}"
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_BASE, _ABOUT = _XML + "base", _RDF + "about"

# The names of a field, the best first.
_ORIGINAL = ("feedburner:origlink", "pheedo:origlink")  # where the link leads over a counter
_TITLES = ("title", "atom:title", "dc:title")
_SUMMARIES = ("description", "summary", "atom:summary", "dc:description", "tagline")
_PUBLISHED = (
    "pubdate",
    "published",
    "issued",
    "dc:date",
    "dcterms:issued",
    "atom:published",
    "dcterms:created",
    "created",
)
_UPDATED = ("updated", "modified", "atom:updated", "dcterms:modified")
_SHORT_YEAR = re.compile(r"\b(\d{1,2} [A-Za-z]{3}) (\d\d)(?= \d\d?:)")  # 7 Sep 02 00:00:01, as RFC 822 has it
_VERSION = "jsonfeed.org/version/1"

_TAG = re.compile(
    r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)|</?([A-Za-z][\w:-]*)(?:\s[^<>]*|/)?>",
    re.DOTALL | re.IGNORECASE,
)
# Elements that do not separate words.
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup "
    "tt u var wbr".split()
)

Fields = dict[str, list[Element]]


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """A page that a feed names."""

    url: str  # absolute and normal
    title: str  # plain text; empty if the feed has none
    date: str | None = None  # of publication, as ISO 8601
    updated: str | None = None
    summary: str | None = None  # plain text, cut if it is long


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed."""

    url: str  # its own
    kind: str  # "rss", "atom" or "json"
    title: str
    entries: tuple[FeedEntry, ...]  # in the feed's order; each URL once
    next_url: str | None = None  # where older entries are
    is_cut: bool = False  # whether it has more entries than MAX_ENTRIES


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """A page, or a sitemap, that a sitemap names."""

    url: str  # absolute and normal
    lastmod: str | None = None  # when it last changed, as ISO 8601
    title: str | None = None  # of news
    date: str | None = None  # when news was published


@dataclass(frozen=True, slots=True)
class Sitemap:
    """A sitemap, or an index of sitemaps."""

    url: str  # its own
    pages: tuple[SitemapEntry, ...] = ()
    sitemaps: tuple[SitemapEntry, ...] = ()
    is_cut: bool = False  # whether it names more than MAX_URLS


Item = TypeVar("Item", FeedEntry, SitemapEntry)


# Feeds


def read_feed(body: bytes, url: str) -> Feed:
    """Read a feed from its body and its own URL. Raises BadFeed, with one line, if it is not a feed."""
    base = absolute(url, url)
    if base is None:
        raise BadFeed(f"not the address of a feed: {shown_url(url)!r}")
    text = read_text(body, base)
    return _json_feed(text, base) if text.lstrip()[:1] == "{" else _xml_feed(text, base)


def _xml_feed(text: str, url: str) -> Feed:
    parts = read_parts(text, url)
    root = next(parts, None)
    kind = _ROOTS.get(local_name(root).rpartition(":")[2]) if root is not None else None
    if root is None or kind is None:
        raise BadFeed(f"{shown_url(url)}: not a feed but {describe(root, text)}")
    entries, head = _entries_and_head(parts, url)
    if kind == "rss" and not entries and not head.is_channel:
        raise BadFeed(f"{shown_url(url)}: not a feed, or too broken: no channel could be read")
    unique, is_cut = _unique(entries, MAX_ENTRIES)
    return Feed(url, kind, head.title, unique, _next(head.links, url), is_cut)


@dataclass(slots=True)
class _Head:
    """The facts of a feed itself."""

    title: str
    links: dict[str, str]  # URLs by their relation
    is_channel: bool


def _entries_and_head(parts: Iterator[Element], url: str) -> tuple[list[FeedEntry], _Head]:
    entries: list[FeedEntry] = []
    head = _Head("", {}, False)
    for part in parts:
        name = local_name(part)
        if name in _ENTRIES:
            entry = _entry(part, url)
            entries += [entry] if entry else []
            if len(entries) > MAX_ENTRIES:
                break
        elif name == "link" and part.get("href"):
            href = absolute(part.get("href"), _base(part, url))
            head.links.setdefault((part.get("rel") or "alternate").lower(), href or "")
        elif name == "title" and not head.title and _key(part):
            head.title = _title(part)
        head.is_channel |= name == "channel" or local_name(part.getparent()) == "channel"
    return entries, head


def _next(links: dict[str, str], url: str) -> str | None:
    """Return where older entries are, by RFC 5005: the next page, or the archive before this one."""
    next_url = links.get("next") or links.get("prev-archive")
    return next_url if next_url and next_url != url else None


def _entry(element: Element, url: str) -> FeedEntry | None:
    fields = _fields(element)
    address = next(filter(None, _addresses(element, fields, url)), None)
    if address is None:
        return None
    title, summary = _first(fields, _TITLES), _first(fields, _SUMMARIES)
    return FeedEntry(
        address,
        _title(title) if title is not None else "",
        _date(fields, _PUBLISHED),
        _date(fields, _UPDATED),
        (_plain(summary, MAX_SUMMARY) or None) if summary is not None else None,
    )


def _fields(element: Element) -> Fields:
    """Return the elements of an entry by their names; those of extensions by prefix and name."""
    fields: Fields = {}
    for child in element:
        if key := _key(child):
            fields.setdefault(key, []).append(child)
    return fields


def _key(element: Element) -> str:
    """Return the name of a field; an empty one if it belongs to an extension that is not read."""
    space, name = namespace(element), local_name(element)
    parent = element.getparent()
    if space in _RSS or (parent is not None and space == namespace(parent)):
        return name
    return f"{_PREFIXES[space]}:{name}" if space in _PREFIXES else ""


def _first(fields: Fields, names: Iterable[str]) -> Element | None:
    """Return the first field with one of some names that is not empty."""
    elements = (element for name in names for element in fields.get(name, ()))
    return next((element for element in elements if len(element) or (element.text or "").strip()), None)


def _addresses(element: Element, fields: Fields, url: str) -> Iterator[str | None]:
    """Yield the addresses that an entry may lead to, the best first."""
    for name in (*_ORIGINAL, "link"):
        yield from (_absolute(text_of(link), link, url) for link in fields.get(name, ()) if link.text)
    links = [*fields.get("link", ()), *fields.get("atom:link", ())]
    alternates = [link for link in links if (link.get("rel") or "alternate").lower() == "alternate"]
    alternates.sort(key=lambda link: "html" not in (link.get("type") or "html"))
    yield from (_absolute(link.get("href"), link, url) for link in alternates)
    yield from (_permanent(guid, url) for guid in fields.get("guid", ()) if guid.get("isPermaLink") != "false")
    yield from (_permanent(identifier, url) for identifier in fields.get("id", ()))
    yield from (_absolute(content.get("src"), content, url) for content in fields.get("content", ()))
    yield _absolute(element.get(_ABOUT), element, url)


def _permanent(element: Element, url: str) -> str | None:
    """Return an identifier if it is a URL."""
    text = text_of(element)
    return absolute(text, url) if is_url(text) else None


def _absolute(href: str | None, element: Element, url: str) -> str | None:
    href = (href or "").strip()
    return absolute(href, _base(element, url)) if href else None


def _base(element: Element, url: str) -> str:
    """Return the base of the URLs in an element, by its `xml:base` and those of its ancestors."""
    bases = [part.get(_BASE) for part in (element, *element.iterancestors()) if part.get(_BASE)]
    for href in reversed(bases):
        url = absolute(href, url) or url
    return url


def _title(element: Element) -> str:
    return _plain(element, MAX_TITLE)


def _plain(element: Element, max_chars: int) -> str:
    """Return the text of a field. Atom says whether it is markup, RSS does not."""
    kind = (element.get("type") or "").lower()
    is_text = "atom" in namespace(element).lower() and kind in ("", "text", "text/plain")
    is_markup = not is_text and not len(element)
    text = text_of(element)
    return plain_text(text, max_chars) if is_markup else unescape(text, max_chars)


def _date(fields: Fields, names: Iterable[str]) -> str | None:
    """Return the first date that can be parsed."""
    texts = (text_of(element) for name in names for element in fields.get(name, ()))
    return next(filter(None, map(_parse_date, texts)), None)


def _parse_date(text: str) -> str | None:
    return parse_datetime(_SHORT_YEAR.sub(r"\1 '\2", text[:MAX_TITLE]))


def _unique(items: Iterable[Item], limit: int) -> tuple[tuple[Item, ...], bool]:
    """Return entries, or pages of a sitemap, each URL once, up to a limit; and whether there were more."""
    iterator = iter(items)
    by_url: dict[str, Item] = {}
    for item in islice(iterator, limit):
        by_url.setdefault(item.url, item)
    return tuple(by_url.values()), next(iterator, None) is not None


def _json_feed(text: str, url: str) -> Feed:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadFeed(f"{shown_url(url)}: neither XML nor JSON that can be read") from error
    items = value.get("items")
    if _VERSION not in str(value.get("version")) or not isinstance(items, list):
        raise BadFeed(f"{shown_url(url)}: JSON, but not a JSON Feed")
    entries = (_json_entry(item, url) for item in items if isinstance(item, dict))
    unique, is_cut = _unique((entry for entry in entries if entry), MAX_ENTRIES)
    next_href = _string(value, "next_url")
    next_url = absolute(next_href, url) if next_href else None
    title = unescape(_string(value, "title"), MAX_TITLE)
    return Feed(url, "json", title, unique, next_url if next_url != url else None, is_cut)


def _json_entry(item: dict[str, Any], url: str) -> FeedEntry | None:
    identifier = _string(item, "id")
    hrefs = [_string(item, "url"), _string(item, "external_url"), identifier if is_url(identifier) else ""]
    address = next(filter(None, (absolute(href, url) for href in hrefs if href)), None)
    if address is None:
        return None
    return FeedEntry(
        address,
        unescape(_string(item, "title"), MAX_TITLE),
        _parse_date(_string(item, "date_published")),
        _parse_date(_string(item, "date_modified")),
        unescape(_string(item, "summary"), MAX_SUMMARY) or None,
    )


def _string(value: dict[str, Any], name: str) -> str:
    """Return a string of an object, without halves of surrogate pairs; an empty one if there is none of that name."""
    text = value.get(name)
    return text.strip().encode("utf-8", "replace").decode() if isinstance(text, str) else ""


# Sitemaps


def read_sitemap(body: bytes, url: str) -> Sitemap:
    """Read a sitemap from its body and its own URL. Raises BadFeed, with one line, if it is not a sitemap."""
    base = absolute(url, url)
    if base is None:
        raise BadFeed(f"not the address of a sitemap: {shown_url(url)!r}")
    text = read_text(body, base)
    lines = plain_urls(text)
    if lines:
        urls = (absolute(line, base) for line in lines if is_url(line))
        pages, is_cut = _unique((SitemapEntry(url) for url in urls if url), MAX_URLS)
        return Sitemap(base, pages, is_cut=is_cut)
    return _xml_sitemap(body, text, base)


def plain_urls(text: str) -> list[str]:
    """Return the lines of a plain-text sitemap; none if a text does not begin with a URL."""
    return text.split() if is_url(text[:MAX_TITLE].lstrip("\ufeff \t\r\n")) else []


def _xml_sitemap(body: bytes, text: str, url: str) -> Sitemap:
    parts = read_parts(text, url)
    root = next(parts, None)
    name = _bare_name(root) if root is not None else ""
    if name in _ROOTS:  # a feed that serves as a sitemap
        feed = read_feed(body, url)
        pages = tuple(
            SitemapEntry(entry.url, entry.updated or entry.date, entry.title or None, entry.date)
            for entry in feed.entries
        )
        return Sitemap(url, pages, is_cut=feed.is_cut)
    if name not in _SITEMAP_ROOTS:
        raise BadFeed(f"{shown_url(url)}: not a sitemap but {describe(root, text)}")
    entries, is_cut = _unique(_sitemap_entries(parts, _SITEMAP_ROOTS[name], url), MAX_URLS)
    return Sitemap(url, entries, is_cut=is_cut) if name == "urlset" else Sitemap(url, (), entries, is_cut)


def _sitemap_entries(parts: Iterator[Element], name: str, base: str) -> Iterator[SitemapEntry]:
    for part in parts:
        if _bare_name(part) == name:
            fields = _first_fields(part)
            href = text_of(fields.get("loc"))
            url = absolute(href, base) if href else None
            if url:
                news = _first_fields(fields["news"]) if "news" in fields else {}
                title = unescape(text_of(news.get("title")), MAX_TITLE)
                changed, published = text_of(fields.get("lastmod")), text_of(news.get("publication_date"))
                yield SitemapEntry(url, parse_datetime(changed), title or None, parse_datetime(published))


def _first_fields(element: Element) -> dict[str, Element]:
    """Return the elements in an element by their names, the first of each."""
    return {_bare_name(child): child for child in reversed(element)}


def _bare_name(element: Element) -> str:
    """Return the name of an element without any prefix: many sitemaps do not declare theirs."""
    return local_name(element).rpartition(":")[2]


# Text


def plain_text(markup: str, max_chars: int) -> str:
    """Return the text of markup, with its white space folded, cut between words if it is too long."""
    markup = markup[: max_chars * MAX_MARKUP]
    return unescape(_TAG.sub(_gap, markup) if "<" in markup else markup, max_chars)


def _gap(tag: re.Match[str]) -> str:
    return "" if tag[2] and tag[2].lower() in _INLINE else " "


def unescape(text: str, max_chars: int) -> str:
    """Return a text with its references resolved, since many sites escape once too often; cut if it is too long."""
    text = text[: max_chars * MAX_MARKUP]
    text = fold(html.unescape(text) if "&" in text else text)
    if len(text) <= max_chars:
        return text
    return text[:max_chars].rpartition(" ")[0] or text[:max_chars]
