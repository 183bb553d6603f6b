"""What a page says of itself: headline, author, date, source, language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pagesieve.headlines.headline import best_headline, external_titles
from pagesieve.headlines.stated import SITE_NAMES, TITLES, canonical_url, named_facts, rows_of, stated
from pagesieve.page.table import Page

_AUTHORS = ("author", "article:author", "dc.creator", "parsely-author")
_DATES = ("article:published_time", "datepublished", "pubdate", "publishdate", "dc.date", "date")
_OTHERS = ("og:locale",)
_WANTED = frozenset(TITLES + _AUTHORS + _DATES + SITE_NAMES + _OTHERS)


@dataclass(frozen=True, slots=True)
class Metadata:
    """The facts found; None (or an empty title) where the page does not say."""

    title: str
    author: str | None
    date: str | None
    source: str | None
    language: str | None
    canonical: str | None


def metadata(page: Page, external: Iterable[str] = ()) -> Metadata:
    """The facts that a page states in its head, and its headline; `external` is what other pages call it."""
    named = named_facts(page, _WANTED)
    canonical = canonical_url(page)
    return Metadata(
        title=best_headline(page, stated(page, named, canonical), external_titles(external)),
        author=_author(named),
        date=_first(named, _DATES),
        source=_first(named, SITE_NAMES),
        language=_language(page, named),
        canonical=canonical,
    )


def _first(named: dict[str, str], names: tuple[str, ...]) -> str | None:
    return next((named[name] for name in names if name in named), None)


def _author(named: dict[str, str]) -> str | None:
    """The first author that is a name; many pages give the address of a profile."""
    names = (named[name] for name in _AUTHORS if name in named)
    return next((name for name in names if "://" not in name), None)


def _language(page: Page, named: dict[str, str]) -> str | None:
    for row in rows_of(page, "html")[:1]:
        language = (page.attribute(row, "lang") or page.attribute(row, "xml:lang") or "").strip()
        if language:
            return language
    return named.get("og:locale")
