"""Feeds: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, JSON Feed 1 and 1.1.

`read_feed` is all that a crawl needs. What it returns has absolute, normal http and https URLs only, each once, and
plain text; whatever the bytes are, it returns a Feed or raises BadFeed.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pagesieve.crawl.markup_text import plain_text, readable
from pagesieve.crawl.safe_xml import Element, described, local_name, namespace, read_parts, read_text, text_of
from pagesieve.errors import BadFeed
from pagesieve.fetching.urls import shown_url
from pagesieve.text.dates import parse_datetime
from pagesieve.text.urls import absolute, is_url

MOST_ENTRIES = 20_000  # of one feed that are read
LONGEST_TITLE = 1000  # characters
LONGEST_SUMMARY = 2000

_ROOTS = {"rss": "rss", "rdf": "rss", "feed": "atom"}  # the kind of a feed by the name of its root element
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

Fields = dict[str, list[Element]]


@dataclass(frozen=True, slots=True)
class Entry:
    """A page that a feed names."""

    url: str  # absolute and normal
    title: str  # plain text; empty where the feed has none
    date: str | None = None  # of publication, as ISO 8601
    updated: str | None = None
    summary: str | None = None  # plain text, cut where it is long


@dataclass(frozen=True, slots=True)
class Feed:
    """What a feed holds."""

    url: str  # its own
    kind: str  # "rss", "atom" or "json"
    title: str
    entries: tuple[Entry, ...]  # in the feed's order; each URL once
    next_url: str | None = None  # where older entries are
    is_cut: bool = False  # whether it has more entries than are read


def read_feed(body: bytes, url: str) -> Feed:
    """Read a feed, given its own URL; raise BadFeed, with one line, where it is none."""
    base = absolute(url, url)
    if base is None:
        raise BadFeed(f"not the address of a feed: {shown_url(url)!r}")
    text = read_text(body, base)
    return _json_feed(text, base) if text.lstrip()[:1] == "{" else _xml_feed(text, base)


# XML


def _xml_feed(text: str, url: str) -> Feed:
    parts = read_parts(text, url)
    root = next(parts, None)
    kind = _ROOTS.get(local_name(root).rpartition(":")[2]) if root is not None else None
    if root is None or kind is None:
        raise BadFeed(f"{shown_url(url)}: not a feed but {described(root, text)}")
    entries, head = _entries_and_head(parts, url)
    if kind == "rss" and not entries and not head.is_channel:
        raise BadFeed(f"{shown_url(url)}: not a feed, or too broken: no channel could be read")
    chosen, is_cut = _chosen(entries)
    return Feed(url, kind, head.title, chosen, _next(head.links, url), is_cut)


@dataclass(slots=True)
class _Head:
    """What a feed says of itself."""

    title: str
    links: dict[str, str]  # URLs by their relation
    is_channel: bool


def _entries_and_head(parts: Iterator[Element], url: str) -> tuple[list[Entry], _Head]:
    entries: list[Entry] = []
    head = _Head("", {}, False)
    for part in parts:
        name = local_name(part)
        if name in _ENTRIES:
            entry = _entry(part, url)
            entries += [entry] if entry else []
            if len(entries) > MOST_ENTRIES:
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
    found = links.get("next") or links.get("prev-archive")
    return found if found and found != url else None


def _entry(element: Element, url: str) -> Entry | None:
    fields = _fields(element)
    address = next(filter(None, _addresses(element, fields, url)), None)
    if address is None:
        return None
    title, summary = _first(fields, _TITLES), _first(fields, _SUMMARIES)
    return Entry(
        address,
        _title(title) if title is not None else "",
        _date(fields, _PUBLISHED),
        _date(fields, _UPDATED),
        (_plain(summary, LONGEST_SUMMARY) or None) if summary is not None else None,
    )


def _fields(element: Element) -> Fields:
    """Return what an entry holds, by the names of the elements; what extensions hold by prefix and name."""
    found: Fields = {}
    for child in element:
        if key := _key(child):
            found.setdefault(key, []).append(child)
    return found


def _key(element: Element) -> str:
    """Return the name of a field; empty for those of extensions that are not known."""
    space, name = namespace(element), local_name(element)
    parent = element.getparent()
    if space in _RSS or (parent is not None and space == namespace(parent)):
        return name
    return f"{_PREFIXES[space]}:{name}" if space in _PREFIXES else ""


def _first(fields: Fields, names: Iterable[str]) -> Element | None:
    """Return the first field of some names that is not empty."""
    found = (one for name in names for one in fields.get(name, ()))
    return next((one for one in found if len(one) or (one.text or "").strip()), None)


def _addresses(element: Element, fields: Fields, url: str) -> Iterator[str | None]:
    """Yield where an entry may lead, the best first."""
    for name in (*_ORIGINAL, "link"):
        yield from (_absolute(text_of(link), link, url) for link in fields.get(name, ()) if link.text)
    links = [*fields.get("link", ()), *fields.get("atom:link", ())]
    alternates = [link for link in links if (link.get("rel") or "alternate").lower() == "alternate"]
    alternates.sort(key=lambda link: "html" not in (link.get("type") or "html"))
    yield from (_absolute(link.get("href"), link, url) for link in alternates)
    yield from (_permanent(one, url) for one in fields.get("guid", ()) if one.get("isPermaLink") != "false")
    yield from (_permanent(one, url) for one in fields.get("id", ()))
    yield from (_absolute(content.get("src"), content, url) for content in fields.get("content", ()))
    yield _absolute(element.get(_ABOUT), element, url)


def _permanent(element: Element, url: str) -> str | None:
    """Return the URL that an identifier is, where it is one."""
    text = text_of(element)
    return absolute(text, url) if is_url(text) else None


def _absolute(href: str | None, element: Element, url: str) -> str | None:
    href = (href or "").strip()
    return absolute(href, _base(element, url)) if href else None


def _base(element: Element, url: str) -> str:
    """Return what URLs in an element are relative to: `xml:base` of it and of those around it."""
    stated = [one.get(_BASE) for one in (element, *element.iterancestors()) if one.get(_BASE)]
    for href in reversed(stated):
        url = absolute(href, url) or url
    return url


def _title(element: Element) -> str:
    return _plain(element, LONGEST_TITLE)


def _plain(element: Element, longest: int) -> str:
    """Return the text of a field; RSS does not say whether it is markup, Atom does."""
    kind = (element.get("type") or "").lower()
    is_text = "atom" in namespace(element).lower() and kind in ("", "text", "text/plain")
    is_markup = not is_text and not len(element)
    text = text_of(element)
    return plain_text(text, longest) if is_markup else readable(text, longest)


def _date(fields: Fields, names: Iterable[str]) -> str | None:
    """Return the first date that can be read."""
    texts = (text_of(one) for name in names for one in fields.get(name, ()))
    return next(filter(None, map(_parsed_date, texts)), None)


def _parsed_date(text: str) -> str | None:
    return parse_datetime(_SHORT_YEAR.sub(r"\1 '\2", text[:LONGEST_TITLE]))


def _chosen(entries: Iterable[Entry]) -> tuple[tuple[Entry, ...], bool]:
    """Return the entries, each URL once, as many as are read; and whether there were more."""
    found = iter(entries)
    by_url: dict[str, Entry] = {}
    for entry in islice(found, MOST_ENTRIES):
        by_url.setdefault(entry.url, entry)
    return tuple(by_url.values()), next(found, None) is not None


# JSON


def _json_feed(text: str, url: str) -> Feed:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadFeed(f"{shown_url(url)}: neither XML nor JSON that can be read") from error
    items = value.get("items")
    if _VERSION not in str(value.get("version")) or not isinstance(items, list):
        raise BadFeed(f"{shown_url(url)}: JSON, but no JSON Feed")
    entries = (_json_entry(item, url) for item in items if isinstance(item, dict))
    chosen, is_cut = _chosen(entry for entry in entries if entry)
    following = _string(value, "next_url")
    next_url = absolute(following, url) if following else None
    title = readable(_string(value, "title"), LONGEST_TITLE)
    return Feed(url, "json", title, chosen, next_url if next_url != url else None, is_cut)


def _json_entry(item: dict[str, Any], url: str) -> Entry | None:
    named = (_string(item, name) for name in ("url", "external_url"))
    identifier = _string(item, "id")
    found = [*named, identifier if is_url(identifier) else ""]
    address = next(filter(None, (absolute(one, url) for one in found if one)), None)
    if address is None:
        return None
    return Entry(
        address,
        readable(_string(item, "title"), LONGEST_TITLE),
        _parsed_date(_string(item, "date_published")),
        _parsed_date(_string(item, "date_modified")),
        readable(_string(item, "summary"), LONGEST_SUMMARY) or None,
    )


def _string(value: dict[str, Any], name: str) -> str:
    """Return a string of an object, without halves of surrogate pairs; empty where it has none of that name."""
    found = value.get(name)
    return found.strip().encode("utf-8", "replace").decode() if isinstance(found, str) else ""
