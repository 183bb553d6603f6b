"""Every public function that takes a page, each as one that takes bytes and may find nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pagesieve
from pagesieve.methods.registry import METHODS
from pagesieve.report.build import build_report
from pagesieve.report.writer import write_report

URL = "https://example.org/news/"
SIBLING = b"<h1>Another headline</h1>" + b"<p>Another article of the same site, which says something else.</p>" * 9

Function = Callable[[bytes], object]


def _by(method: str) -> Function:
    return lambda page: pagesieve.extract(page, URL, method=method)


def _learn(page: bytes) -> object:
    with TemporaryDirectory() as folder, pagesieve.open_sites(Path(folder) / "sites.db") as sites:
        sites.learn([(URL, page), (URL + "other", SIBLING)])
        return sites.reference(URL, page), sites.templates(URL)


FUNCTIONS: dict[str, Function] = {
    "parse": pagesieve.parse,
    "text": lambda page: pagesieve.extract(page, URL),
    "markdown": lambda page: pagesieve.extract(page, URL, format="markdown", include_links=True, include_images=True),
    "html": lambda page: pagesieve.extract(page, URL, format="html", include_links=True, include_images=True),
    "json": lambda page: pagesieve.extract(page, URL, format="json", include_comments=True),
    "tei": lambda page: pagesieve.extract(page, URL, format="tei", include_links=True),
    "recall": lambda page: pagesieve.extract(page, URL, favor="recall", include_comments=True, include_bylines=True),
    "facts": lambda page: _facts(pagesieve.article(page, URL)),
    "decisions": lambda page: pagesieve.article(page, URL).decisions,
    "join": lambda page: pagesieve.join([pagesieve.article(page, URL), pagesieve.article(SIBLING)]).markdown,
    **{name: _by(name) for name, method in METHODS.items() if not method.needs_site and name != "blocks"},
    "records as Markdown": lambda page: pagesieve.extract(page, URL, method="records", format="markdown"),
    "layout": lambda page: pagesieve.extract(page, URL, method="layout", reference=_sibling(page)),
    "sharpened": lambda page: pagesieve.extract(page, URL, method="sharpened", reference=_sibling(page)),
    "headline": lambda page: pagesieve.headline(page, URL, ["A title of some words"]),
    "kind": lambda page: pagesieve.kind(page, URL),
    "catalogue": lambda page: pagesieve.catalogue(page, URL).links,
    "records table": lambda page: pagesieve.records(page, URL, mode="static").to_rows(),
    "records typed": lambda page: _typed(pagesieve.records(page, URL, mode="static")),
    "records written": lambda page: pagesieve.records(page, URL, mode="static").to_csv(),
    "report": lambda page: write_report(build_report(page, URL)),
    "report of records": lambda page: write_report(build_report(page, URL, methods=(), records=True)),
    "learn": _learn,
}


def _sibling(page: bytes) -> bytes:
    """Return another page of the same template."""
    return page.replace(b"words", b"other", 50) + SIBLING


def _facts(found: pagesieve.Article) -> object:
    return found.metadata, found.comments, found.posts, found.next_part()


def _typed(found: pagesieve.Records) -> object:
    return found.to_rows(typed=True), found.schema, found.next_url, found.noise


def call(name: str, page: bytes) -> object:
    """Call a function; what it does not find, and a page that it refuses, is no error."""
    with suppress(pagesieve.NothingFound, pagesieve.BadInput):
        return FUNCTIONS[name](page)
    return None
