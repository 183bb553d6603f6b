"""A page in a browser, with its picture, for a report."""

from __future__ import annotations

from dataclasses import replace

from pagesieve.page.static import PageSource
from pagesieve.page.table import Page
from pagesieve.report.build import Render


def render(given: PageSource | str, *, allow_private: bool = False, user_agent: str | None = None) -> Render:
    """Return a page as Chromium shows it, and its picture: of a URL, opened through the guard, or of a source.

    The scripts of a source do not run, and nothing is loaded for it. Raises MissingExtra or MissingBrowser where there
    is no browser, RenderError where it fails.
    """
    from pagesieve.fetching.chromium import RenderOptions, shared

    options = RenderOptions(allow_private=allow_private, user_agent=user_agent)
    if isinstance(given, str):
        shot = shared().snapshot(None, given, options, picture=True)
    else:
        html = given.html
        assert not isinstance(html, Page)
        shot = shared().snapshot(
            bytes(html) if isinstance(html, bytearray) else html,
            given.url,
            replace(options, scripts=False),
            content_type=given.content_type,
            picture=True,
        )
    return Render(shot.page(), shot.png)
