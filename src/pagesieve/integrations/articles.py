"""The articles of files, folders and URLs, as the readers of other tools take them: a text and its facts."""

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
    """Yield the article of each source (a file, a folder of pages, a URL) and its facts, those that the page states.

    Pages that hold no article are left out; what cannot be read raises, unless `skip_failures`. The facts also have the
    source, as `input`. The other options are those of `pagesieve.article`.
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
