"""What a page says of itself: headline, author, date, source, language."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from pagesieve.articles.blocks import shown
from pagesieve.page.table import SEEN, Page
from pagesieve.page.tags import TAG_ID
from pagesieve.page.writer.inline import fold

_TITLES = ("og:title", "twitter:title")
_AUTHORS = ("author", "article:author", "dc.creator", "parsely-author")
_DATES = ("article:published_time", "datepublished", "pubdate", "publishdate", "dc.date", "date")
_SOURCES = ("og:site_name", "application-name")
_OTHERS = ("og:locale",)
_WANTED = frozenset(_TITLES + _AUTHORS + _DATES + _SOURCES + _OTHERS)
_MOST_META = 1000  # of each sort; a page with more of them is up to something
_MOST_HEADING_ROWS = 1000  # in an h1; one with more was never closed
_PARTING = re.compile(r"\s*(?:--+|[-_|–—·•:：»«]|::)\s*")
_MOST_PARTS = 20
_MOST_LOOKS = 20  # at the texts that hold a word of a title
_LEAST_PART = 0.4  # of a title: a shorter part is rather the site's name
LONGEST_FACT = 1000  # characters: what is longer is no name, date or headline


@dataclass(frozen=True, slots=True)
class Metadata:
    """The facts found; None (or an empty title) where the page does not say."""

    title: str
    author: str | None
    date: str | None
    source: str | None
    language: str | None
    canonical: str | None


def metadata(page: Page) -> Metadata:
    """The facts that a page states in its head, and its headline."""
    named = _named(page)
    return Metadata(
        title=_title(page, named),
        author=_author(named),
        date=_first(named, _DATES),
        source=_first(named, _SOURCES),
        language=_language(page, named),
        canonical=canonical_url(page),
    )


def _rows(page: Page, tag: str) -> list[int]:
    rows: list[int] = np.flatnonzero(page.tag == TAG_ID[tag])[:_MOST_META].tolist()
    return rows


def _named(page: Page) -> dict[str, str]:
    """The `meta` elements of the names wanted here, the first of each name."""
    found: dict[str, str] = {}
    for row in _rows(page, "meta"):
        attributes = page.attributes(row)
        name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or ""
        name = name.strip().lower()
        if name in _WANTED and name not in found:
            content = fold(attributes.get("content", ""))
            if 0 < len(content) <= LONGEST_FACT:
                found[name] = content
    return found


def _first(named: dict[str, str], names: tuple[str, ...]) -> str | None:
    return next((named[name] for name in names if name in named), None)


def _author(named: dict[str, str]) -> str | None:
    """The first author that is a name; many pages give the address of a profile."""
    names = (named[name] for name in _AUTHORS if name in named)
    return next((name for name in names if "://" not in name), None)


def _title(page: Page, named: dict[str, str]) -> str:
    """The headline: an h1 that the head's title holds too, what of that title is shown, the only h1, that title."""
    headings = _headings(page)
    stated = _first(named, _TITLES) or _document_title(page)
    repeated = [heading for heading in headings if heading.casefold() in stated.casefold()]
    if repeated:
        return max(repeated, key=len)
    only = headings[0] if len(headings) == 1 else ""
    return _shown_part(page, stated) or only or stated or next(iter(headings), "")


def _shown_part(page: Page, stated: str) -> str | None:
    """The longest part of a title, before or after a sign that parts it, that stands in the page by itself.

    Sites add their name and more to the headline.
    """
    marks = list(_PARTING.finditer(stated))[:_MOST_PARTS]
    parts = {stated, *(stated[: mark.start()] for mark in marks), *(stated[mark.end() :] for mark in marks)}
    long_enough = [part for part in parts if len(part) >= len(stated) * _LEAST_PART]
    return next((part for part in sorted(long_enough, key=len, reverse=True) if _stands(page, part)), None)


def _stands(page: Page, part: str) -> bool:
    """Whether a text that is seen says just this."""
    word = max(part.split(), key=len, default="").encode()
    at = page.text_buffer.find(word) if word else -1
    for _ in range(_MOST_LOOKS):
        if at < 0:
            return False
        row = int(page.text_at.searchsorted(np.int32(at), side="right")) - 1
        if page.chars[row] and fold(page.text(row)) == part:
            return True
        at = page.text_buffer.find(word, int(page.text_at[row + 1]))
    return False


def _headings(page: Page) -> list[str]:
    """The texts of the h1 elements that are seen, each once."""
    spans = [(row, int(page.end[row])) for row in _rows(page, "h1") if page.state[row] == SEEN]
    texts = [shown(page, *span) for span in spans if span[1] - span[0] <= _MOST_HEADING_ROWS]
    return list(dict.fromkeys(text for text in texts if 0 < len(text) <= LONGEST_FACT))


def _document_title(page: Page) -> str:
    titles = (fold(page.text(row)) for row in _rows(page, "title"))
    return next((title[:LONGEST_FACT] for title in titles if title), "")


def _language(page: Page, named: dict[str, str]) -> str | None:
    for row in _rows(page, "html")[:1]:
        language = (page.attribute(row, "lang") or page.attribute(row, "xml:lang") or "").strip()
        if language:
            return language
    return named.get("og:locale")


def canonical_url(page: Page) -> str | None:
    """The address that a page names as its own."""
    for row in _rows(page, "link"):
        if (page.attribute(row, "rel") or "").strip().lower() == "canonical":
            return (page.attribute(row, "href") or "").strip() or None
    return None
