"""`pagesieve learn` and `pagesieve sites`: add pages to a site library, show its content, remove sites."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pagesieve.api import open_sites
from pagesieve.cli import BAD_INPUT, DONE, NOTHING_FOUND, CommandGroup, fail, fail_source, say, visible
from pagesieve.cli.sources import (
    Fetching,
    Source,
    find_sources,
    read_page,
    sources_argument,
    with_fetching_options,
    with_progress,
)
from pagesieve.errors import BadInput
from pagesieve.page.table import Page
from pagesieve.text.urls import site_key

if TYPE_CHECKING:
    from pagesieve.sites.library import Sites

SHOWN = 20  # templates
SHOWN_TEXT = 60  # characters of a template

_library = click.option(
    "--sites", "library", metavar="DB", required=True, help="The site library: a file, or a database URL."
)


@click.command()
@sources_argument
@_library
@click.option("--url", help="The address of pages from files; the address of their site is enough.")
@with_fetching_options
def learn(sources: tuple[str, ...], library: str, url: str | None, **options: Any) -> int:
    """Learn the pages of a site: each SOURCE is a file, a folder of pages, a URL, or - for standard input.

    The site of pages from files is the site of --url, never a site that a page names (link rel=canonical): no page can
    change the knowledge of another site. Learning a page twice changes nothing. The library keeps the newest pages of
    each site, its templates (texts that recur on many of its pages), and the columns of its lists of records.

    \b
    pagesieve learn https://example.org/news/4710 https://example.org/news/4711 --sites sites.db
    pagesieve learn crawl/example.org/ --url https://example.org/ --sites sites.db
    pagesieve article https://example.org/news/4711 --sites sites.db
    pagesieve records https://example.org/search?q=chair --sites sites.db
    """
    pages = find_sources(sources, url, Fetching.of(options))
    failures: list[str] = []
    with open_sites(library) as opened:
        new = opened.learn(_pages(pages, failures))
    say(f"{new} new pages of {len(pages)} in {library}")
    return BAD_INPUT if failures else DONE


def _pages(sources: list[Source], failures: list[str]) -> Iterator[tuple[str, Page]]:
    """Yield the pages with their addresses; report and skip those that cannot be read."""
    for source in with_progress(sources, quiet=True):
        try:
            page = read_page(source)
            yield _address(page, source), page
        except Exception as error:
            fail_source(source.name, error)
            failures.append(source.name)


def _address(page: Page, source: Source) -> str:
    """Return the address of the source; the address that a page states must not choose the site."""
    if not page.url or not site_key(page.url):
        raise BadInput(f"{source.name}: the site is not known: give --url (the address of the site is enough)")
    return page.url


@click.group(cls=CommandGroup)
def sites() -> None:
    """List, show or forget the sites of a site library.

    \b
    pagesieve sites list --sites sites.db
    pagesieve sites show example.org --sites sites.db
    pagesieve sites forget example.org --sites sites.db
    """


@sites.command("list", short_help="List all sites.")
@_library
def list_sites(library: str) -> int:
    """Write one line per site: its name, number of pages, their size, and the time when the newest was learnt."""
    with open_library(library) as opened:
        summaries = opened.sites()
    for site in summaries:
        click.echo(f"{site.key}\t{site.pages} pages\t{site.size / 1024:.1f} KB\t{site.newest}")
    return DONE if summaries else fail(f"{library}: no sites yet", NOTHING_FOUND)


@sites.command(short_help="Show the pages, templates and lists of records of a site.")
@click.argument("site", metavar="SITE")
@_library
@click.option(
    "--all", "everything", is_flag=True, help=f"Show all templates in full, instead of {SHOWN} shortened ones."
)
def show(site: str, library: str, everything: bool) -> int:
    """Write the pages, templates and lists of a SITE (its host, or any URL of it).

    First the pages, newest first: address, nodes, time of learning. Then the templates, the most frequent first:
    element, number of pages, first and last time seen, text. Then the lists of records: the element of a record, number
    of pages, columns.
    """
    with open_library(library) as opened:
        pages, templates, lists = opened.pages(site), opened.templates(site), opened.lists(site)
    for url, learnt, rows in pages:
        click.echo(f"{visible(url or '-')}\t{rows} nodes\t{learnt}")
    if templates:
        click.echo()
    for template in templates if everything else templates[:SHOWN]:
        is_whole = everything or len(template.text) <= SHOWN_TEXT
        text = template.text if is_whole else f"{template.text[: SHOWN_TEXT - 1]}…"
        frequency = f"{template.frequency} pages\t{template.first_seen}\t{template.last_seen}"
        click.echo(f"{visible(template.tag)}\t{frequency}\t{visible(text)}")
    if lists:
        click.echo()
    for schema in lists:
        click.echo(f"{visible(schema.record)}\t{schema.pages} pages\t{visible(', '.join(schema.header))}")
    if len(templates) > SHOWN and not everything:
        say(f"{len(templates) - SHOWN} more templates: --all shows them")
    return DONE if pages else fail(f"{site}: not in {library}", NOTHING_FOUND)


@sites.command(short_help="Forget a site.")
@click.argument("site", metavar="SITE")
@_library
def forget(site: str, library: str) -> int:
    """Remove a SITE (its host, or any URL of it) with its pages, templates and lists from the library."""
    with open_library(library) as opened:
        count = opened.forget(site)
    if not count:
        return fail(f"{site}: not in {library}", NOTHING_FOUND)
    say(f"forgot {count} pages of {site}")
    return DONE


def open_library(library: str) -> Sites:
    """Open a site library. Raises BadInput if the file does not exist: reading must not create one."""
    if "://" not in library and not Path(library).exists():
        raise BadInput(f"{library}: there is no such site library; `pagesieve learn` creates one")
    return open_sites(library)
