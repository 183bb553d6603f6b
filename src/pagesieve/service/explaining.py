"""Why a page gives what it gives: its report, with every unit of it."""

from __future__ import annotations

from typing import Any

from pagesieve.article import ArticleOptions
from pagesieve.errors import NothingFound
from pagesieve.page.decode import decode
from pagesieve.page.static import PageSource
from pagesieve.page.table import Page
from pagesieve.report import build_report
from pagesieve.sites.library import Sites


def explained(source: PageSource, options: dict[str, Any], sites: Sites | None) -> dict[str, Any]:
    """Return the report of a page, ready for JSON; with its source, where that is asked. Raises NothingFound."""
    given = dict(options)
    with_source = given.pop("source")
    chosen = {name: given.pop(name) for name in ("methods", "records", "reference")}
    library = sites if given.pop("sites") else None
    report = build_report(source, sites=library, options=ArticleOptions(**given), **chosen)
    if report.is_empty:
        raise NothingFound(report.views[0].failure)
    return report.as_dict() | ({"source": source_text(source)} if with_source else {})


def source_text(source: PageSource) -> str | None:
    """Return the source of a page as text; None where a browser gave the page."""
    html = source.html
    if isinstance(html, Page):
        return None
    return html if isinstance(html, str) else decode(html, source.content_type).text
