"""`pagesieve headline`: the headline of each source, with the help of pages that link to it."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urljoin

import click

from pagesieve.cli import DONE, NOTHING_FOUND, as_text, exit_status, fail, fail_source, say, visible
from pagesieve.cli.sources import Source, find_sources, read_page, with_progress
from pagesieve.errors import BadInput, PagesieveError
from pagesieve.headlines.catalogue import Catalogue, find_catalogue
from pagesieve.headlines.headline import RULES, HeadlineOptions, find_headline
from pagesieve.page.stated import canonical_url
from pagesieve.page.table import Page
from pagesieve.text.urls import absolute

FORMATS = ("text", "json")
FOLDERS_ABOVE = 8  # a page, at most: where a catalogue page without an address may lie


@click.command(short_help="Write the headline of each SOURCE: file, folder, URL, or - for standard input.")
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option("-f", "--format", type=click.Choice(FORMATS), default="text", show_default=True, help="What to write.")
@click.option(
    "--catalogue",
    "catalogues",
    metavar="PAGE",
    multiple=True,
    help="A page that links to the sources (file or URL): its titles for them help. May be repeated.",
)
@click.option(
    "--rule", type=click.Choice(RULES), default=RULES[0], show_default=True, help="How to choose the headline."
)
@click.option("--url", help="The address of a page that is read from a file, by which a catalogue page knows it.")
@click.option("--allow-private", is_flag=True, help="Fetch from addresses that are not public, too.")
def headline(sources: tuple[str, ...], **options: Any) -> int:
    """Write the headline of each SOURCE: a file, a folder of pages, a URL, or - for standard input.

    With several sources each headline follows the name of its source and a tab. JSON is one object per line, with
    the external titles that the catalogue pages have for it.

    \b
    pagesieve headline page.html
    pagesieve headline page.html --url https://… --catalogue index.html
    pagesieve headline https://… --catalogue https://… -f json
    """
    found = find_sources(sources, options["url"], options["allow_private"])
    options["catalogue"] = read_catalogues(options)
    outcomes = [_write(source, options, several=len(found) > 1) for source in with_progress(found)]
    return exit_status(outcomes)


def read_catalogues(options: dict[str, Any]) -> list[Catalogue | Page]:
    """Read the pages given by `--catalogue`; one without an address is returned as a page."""
    sources = find_sources(options["catalogues"], None, options["allow_private"])
    pages = [(page, page.url or canonical_url(page)) for page in map(read_page, sources)]
    return [find_catalogue(page, address) if address else page for page, address in pages]


def external_titles(page: Page, catalogues: list[Catalogue | Page]) -> tuple[str, ...]:
    """Return the titles that catalogue pages have for a page."""
    if not catalogues:
        return ()
    url = page.url or canonical_url(page)
    if not url:
        raise BadInput("the page names no address, by which a catalogue page links to it: give --url")
    if absolute(url, url) is None:
        raise BadInput(f"not the address of a page: {url!r}")
    titles = tuple(dict.fromkeys(title for catalogue in catalogues for title in _titles(catalogue, url)))
    if not titles:
        say(f"no catalogue page links to {url}")
    return titles


def _titles(catalogue: Catalogue | Page, url: str) -> tuple[str, ...]:
    """Return the titles that a catalogue page has for the page of a URL.

    A file names no address; its links are tried as if it lay in each of the folders above that page.
    """
    if isinstance(catalogue, Catalogue):
        return catalogue.titles(url)
    above = (urljoin(url, "../" * steps or ".") for steps in range(FOLDERS_ABOVE))
    found = (find_catalogue(catalogue, folder).titles(url) for folder in dict.fromkeys(above))
    return next((titles for titles in found if titles), ())


def _write(source: Source, options: dict[str, Any], several: bool) -> int:
    """Write the headline of one source; return its share of the exit status."""
    try:
        page = read_page(source)
        titles = external_titles(page, options["catalogue"])
    except PagesieveError as error:
        return fail_source(source.name, error)
    found = find_headline(page, titles, HeadlineOptions(options["rule"]))
    if not found:
        return fail(f"{source.name}: nothing found: no headline", NOTHING_FOUND)
    if options["format"] == "json":
        facts = {
            "input": as_text(source.name),
            "url": page.url or canonical_url(page),
            "headline": found,
            "external": titles,
        }
        click.echo(json.dumps(facts, ensure_ascii=False))
    else:
        click.echo(f"{visible(source.name)}\t{found}" if several else found)
    return DONE
