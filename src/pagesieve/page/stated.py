"""What a page states of itself where nobody sees it: `meta` elements, `<title>`, JSON-LD, its own address."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from urllib.parse import unquote, urlsplit

import numpy as np

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID
from pagesieve.page.table import Page
from pagesieve.text.urls import safe_url
from pagesieve.text.whitespace import fold

LONGEST_FACT = 1000  # characters: what is longer is no name, date or headline
TITLES = ("og:title", "twitter:title", "headline")
SITE_NAMES = ("og:site_name", "application-name")

_MOST_ROWS = 1000  # of each sort; a page with more of them is up to something
_MOST_SCRIPTS = 10  # of JSON-LD
_LINKED_DATA, _CANONICAL = b"application/ld+json\0", b"canonical\0"  # as the kernel takes words
_META, _LINK, _SCRIPT = TAG_ID["meta"], TAG_ID["link"], TAG_ID["script"]
_NAMES = bytes(ATTRIBUTE_ID[name] for name in ("property", "name", "itemprop"))
_REL, _TYPE = bytes([ATTRIBUTE_ID["rel"]]), bytes([ATTRIBUTE_ID["type"]])
_HEADLINE = b'"headline"'
# A JSON string, however the rest of the script is shaped: many sites write JSON that no parser takes.
_STRING = re.compile(r'"headline"\s*:\s*("(?:[^"\\]|\\.)*")')
_DECODER = json.JSONDecoder(strict=False)
_SLUG_WORD = re.compile(r"[^\W\d_]{2,}")
_LEAST_SLUG = 2  # words; what has fewer is a section or a number


@dataclass(frozen=True, slots=True)
class Stated:
    """What a page states of itself, as far as its headline is concerned."""

    title: str  # of the document: <title>
    declared: tuple[str, ...]  # og:title, twitter:title, microdata, JSON-LD, each once
    sites: tuple[str, ...]  # names of the site: as declared, and of its host
    slug: str  # the words of the page's address


def stated(page: Page, named: dict[str, str], canonical: str | None) -> Stated:
    """What a page states, given its `meta` elements and the address that it names."""
    declared = [named[name] for name in TITLES if name in named]
    sites = [named[name] for name in SITE_NAMES if name in named]
    host, slug = _host_and_slug(page.url or canonical or "")
    return Stated(
        title=document_title(page),
        declared=tuple(dict.fromkeys([*declared, *linked_headlines(page)])),
        sites=tuple([*sites, host] if host else sites),
        slug=slug,
    )


def rows_of(page: Page, tag: str) -> list[int]:
    """The rows of an element, as many as are looked at."""
    rows: list[int] = np.flatnonzero(page.tag == TAG_ID[tag])[:_MOST_ROWS].tolist()
    return rows


def named_facts(page: Page, wanted: frozenset[str]) -> dict[str, str]:
    """The `meta` elements of the names wanted, the first of each name."""
    found: dict[str, str] = {}
    for row in kernel.stated.saying(page, _META, _NAMES, _as_words(wanted), _MOST_ROWS):
        attributes = page.attributes(row)
        name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or ""
        name = name.strip().lower()
        if name in wanted and name not in found:
            content = _unescaped(attributes.get("content", ""))
            if 0 < len(content) <= LONGEST_FACT:
                found[name] = content
    return found


@cache
def _as_words(wanted: frozenset[str]) -> bytes:
    """Words as the kernel takes them."""
    return b"".join(word.encode() + b"\0" for word in sorted(wanted))


def document_title(page: Page) -> str:
    """The text of `<title>`; a drawing may have one too, so the first that says something."""
    titles = (_unescaped(page.text(row)) for row in rows_of(page, "title"))
    return next((title[:LONGEST_FACT] for title in titles if title), "")


def canonical_url(page: Page) -> str | None:
    """The address that a page names as its own."""
    for row in kernel.stated.saying(page, _LINK, _REL, _CANONICAL, _MOST_ROWS):
        if (page.attribute(row, "rel") or "").strip().lower() == "canonical":
            return (page.attribute(row, "href") or "").strip() or None
    return None


def linked_scripts(page: Page, most: int) -> list[int]:
    """The rows of the first scripts that hold JSON-LD."""
    return kernel.stated.saying(page, _SCRIPT, _TYPE, _LINKED_DATA, _MOST_ROWS)[:most]


def linked_headlines(page: Page) -> list[str]:
    """The first `headline` of each JSON-LD script."""
    texts = (_linked_headline(page, row) for row in linked_scripts(page, _MOST_SCRIPTS))
    return [text for text in texts if 0 < len(text) <= LONGEST_FACT]


def _linked_headline(page: Page, row: int) -> str:
    first, stop = int(page.text_at[row]), int(page.text_at[page.end[row]])
    at = page.text_buffer.find(_HEADLINE, first, stop)
    if at < 0:
        return ""
    # Four bytes a character, and every one of them may be written as an escape of six.
    source = page.text_buffer[at : min(stop, at + 6 * LONGEST_FACT)].decode("utf-8", "replace")
    found = _STRING.match(source)
    try:
        text = _DECODER.decode(found[1]) if found else ""
    except ValueError:
        return ""
    # Half a surrogate pair is no text.
    return _unescaped(text.encode("utf-8", "replace").decode())


def _unescaped(text: str) -> str:
    """A text with its blanks folded, and its entities resolved: many escape a text once too often."""
    if "&" in text:
        text = html.unescape(text).encode("utf-8", "replace").decode()
    return fold(text)


def _host_and_slug(address: str) -> tuple[str, str]:
    """The name of the host less what all hosts have, and the wordiest part of the path."""
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").removeprefix("www.").rpartition(".")[0]
    except ValueError:
        return "", ""
    wordy = [(len(_SLUG_WORD.findall(part)), part) for part in unquote(parts.path[:LONGEST_FACT]).split("/")]
    words, slug = max(wordy, default=(0, ""), key=lambda pair: pair[0])
    return host, slug.rpartition(".")[0] or slug if words >= _LEAST_SLUG else ""


# Addresses: what they are relative to, and where an image keeps its own

# `src` is a placeholder where an image is loaded late.
_SOURCES = ("data-src", "data-original", "data-lazy-src", "src")
_CANDIDATE = re.compile(r"\s*([^\s,]\S*[^\s,]|[^\s,])")


def base_url(page: Page) -> str | None:
    """What the page's relative addresses are relative to."""
    for row in page.rows("base").tolist():
        href = page.attribute(row, "href")
        if href:
            return safe_url(href, page.url) or page.url
    return page.url


def image_url(page: Page, row: int, base: str | None) -> str:
    """The address of an image; empty where it has none that is safe to write."""
    return next(filter(None, (safe_url(source, base) for source in _image_sources(page, row))), "")


def _image_sources(page: Page, row: int) -> Iterator[str]:
    found = page.attributes(row)
    yield from (found[name] for name in _SOURCES if found.get(name))
    yield from _first_of_set(found)
    above = int(page.parent[row])
    if page.tag[above] == TAG_ID["picture"]:
        for before in range(above + 1, row):
            if page.tag[before] == TAG_ID["source"]:
                yield from _first_of_set(page.attributes(before))


def _first_of_set(found: dict[str, str]) -> Iterator[str]:
    for name in ("data-srcset", "srcset"):
        candidate = _CANDIDATE.match(found.get(name, ""))
        if candidate:
            yield candidate[1]
