"""`pagesieve learn`: put the pages of a site into a site library."""

from __future__ import annotations

from collections.abc import Iterator

import click

from pagesieve.api import open_sites
from pagesieve.cli import BAD_INPUT, DONE, fail_source, say
from pagesieve.cli.sources import Source, find_sources, read_page, with_progress
from pagesieve.errors import BadInput, PagesieveError
from pagesieve.page.stated import canonical_url
from pagesieve.page.table import Page
from pagesieve.text.urls import site_key


@click.command(short_help="Learn the pages of a site, so that its template is known.")
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option("--sites", "library", metavar="DB", required=True, help="The site library: a file, or a database URL.")
@click.option("--url", help="The address of pages that do not name their own; the site's will do.")
@click.option("--allow-private", is_flag=True, help="Fetch from addresses that are not public, too.")
def learn(sources: tuple[str, ...], library: str, url: str | None, allow_private: bool) -> int:
    """Learn the pages of a site: each SOURCE is a file, a folder of pages, a URL, or - for standard input.

    A page from a file is known by --url, or else by the address that it names as its own (link rel=canonical). Learning
    a page twice changes nothing; of each site the newest pages are kept, and its templates: the texts that recur on
    many of its pages.

    \b
    pagesieve learn crawl/example.org/ --sites sites.db
    pagesieve learn pages/ --url https://example.org/ --sites sites.db
    pagesieve article https://example.org/news/4711 --sites sites.db
    """
    found = find_sources(sources, url, allow_private)
    failed: list[str] = []
    with open_sites(library) as sites:
        new = sites.learn(_pages(found, failed))
    say(f"{new} new pages of {len(found)} in {library}")
    return BAD_INPUT if failed else DONE


def _pages(sources: list[Source], failed: list[str]) -> Iterator[tuple[str, Page]]:
    """Yield the pages with their addresses; report and skip those that cannot be learnt."""
    for source in with_progress(sources, quiet=True):
        try:
            page = read_page(source)
            yield _address(page, source), page
        except PagesieveError as error:
            fail_source(source.name, error)
            failed.append(source.name)


def _address(page: Page, source: Source) -> str:
    address = page.url or canonical_url(page)
    if not address or not site_key(address):
        raise BadInput(f"{source.name}: which site? Give --url, or a page that names its own address")
    return address
