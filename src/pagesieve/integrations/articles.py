"""The articles of files, folders and URLs as pairs of text and facts, for the document loaders of other tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pagesieve.api import find_article
from pagesieve.article import BODIES, ArticleOptions, check
from pagesieve.cli.sources import Fetching, find_sources, read_source
from pagesieve.errors import NothingFound, PagesieveError


def articles(
    sources: Iterable[str],
    *,
    format: str = "markdown",
    allow_private: bool = False,
    skip_failures: bool = False,
    **options: Any,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the text and the facts of each article in the sources: files, folders of pages, and URLs.

    Pages without an article are left out. A page that cannot be read raises an error, or is left out too if
    `skip_failures` is true. The facts are those that the page states, and `input`, the source. The other options are
    those of `pagesieve.article`.
    """
    check("format", format, BODIES)
    chosen = ArticleOptions(**options)
    for source in find_sources(tuple(sources), None, Fetching(allow_private)):
        try:
            found = find_article(read_source(source), chosen)
        except PagesieveError as error:
            if skip_failures or isinstance(error, NothingFound):
                continue
            raise
        facts = {name: value for name, value in found.metadata.as_dict().items() if value}
        yield str(getattr(found, format)), {"input": source.name, **facts}
