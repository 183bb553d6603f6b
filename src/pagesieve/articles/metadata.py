"""What a page says of itself: headline, author, date, source, language."""

from __future__ import annotations

from dataclasses import dataclass

from pagesieve.page.table import SEEN, Page
from pagesieve.page.writer.inline import fold

_TITLES = ("og:title", "twitter:title")
_AUTHORS = ("author", "article:author", "dc.creator", "parsely-author")
_DATES = ("article:published_time", "datepublished", "pubdate", "publishdate", "dc.date", "date")
_SOURCES = ("og:site_name", "application-name")


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
        author=_first(named, _AUTHORS),
        date=_first(named, _DATES),
        source=_first(named, _SOURCES),
        language=_language(page, named),
        canonical=_canonical(page),
    )


def _named(page: Page) -> dict[str, str]:
    """The `meta` elements by name, the first of each name."""
    found: dict[str, str] = {}
    for row in page.rows("meta").tolist():
        attributes = page.attributes(row)
        name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or ""
        content = fold(attributes.get("content", ""))
        if name and content:
            found.setdefault(name.strip().lower(), content)
    return found


def _first(named: dict[str, str], names: tuple[str, ...]) -> str | None:
    return next((named[name] for name in names if name in named), None)


def _title(page: Page, named: dict[str, str]) -> str:
    """The only h1 that is seen, or what the head gives as the title."""
    headings = [text for row in page.rows("h1").tolist() if page.state[row] == SEEN and (text := _shown(page, row))]
    if len(set(headings)) == 1:
        return headings[0]
    titles = [fold(page.text(row)) for row in page.rows("title")[:1].tolist()]
    return _first(named, _TITLES) or next(filter(None, titles), "") or next(iter(headings), "")


def _shown(page: Page, row: int) -> str:
    """The text that is seen below a row; block elements and breaks in it are blanks."""
    return fold(" ".join(page.text(inner) for inner in range(row, int(page.end[row])) if page.chars[inner]))


def _language(page: Page, named: dict[str, str]) -> str | None:
    for row in page.rows("html")[:1].tolist():
        attributes = page.attributes(row)
        language = attributes.get("lang") or attributes.get("xml:lang")
        if language and language.strip():
            return language.strip()
    return named.get("og:locale")


def _canonical(page: Page) -> str | None:
    for row in page.rows("link").tolist():
        if (page.attribute(row, "rel") or "").lower() == "canonical":
            return (page.attribute(row, "href") or "").strip() or None
    return None
