"""`pagesieve headline` and `pagesieve catalogue`: the headline of each source, and its links to articles."""

import json
import sys
from dataclasses import asdict
from typing import Any
from urllib.parse import urljoin

import click

from pagesieve import api
from pagesieve.cli import DONE, NOTHING_FOUND, as_text, exit_status, fail, say, visible
from pagesieve.cli.sources import (
    Fetching,
    Source,
    browser_option,
    find_sources,
    for_each,
    format_option,
    read_page,
    sources_argument,
    with_fetching_options,
    with_progress,
)
from pagesieve.errors import BadInput
from pagesieve.headlines.catalogue import Catalogue, Link, find_catalogue
from pagesieve.headlines.headline import RULES, HeadlineOptions, find_headline
from pagesieve.page.stated import address
from pagesieve.page.table import Page
from pagesieve.text.urls import absolute

FOLDERS_ABOVE = 8  # a page, at most, that are tried as the folder of a catalogue page without an address
DATE_WIDTH = 10


@click.command()
@sources_argument
@format_option("text", "json")
@click.option(
    "--catalogue",
    "catalogues",
    metavar="PAGE",
    multiple=True,
    help="A page that links to the sources (file or URL): its titles help to find the headline. May be repeated.",
)
@click.option(
    "--rule", type=click.Choice(RULES), default=RULES[0], show_default=True, help="How to choose the headline."
)
@click.option("--url", help="The address of a page that is read from a file, to find it in catalogue pages.")
@browser_option
@with_fetching_options
def headline(sources: tuple[str, ...], **options: Any) -> int:
    """Write the headline of each SOURCE: a file, a folder of pages, a URL, or - for standard input.

    With several sources, the name of the source and a tab precede each headline. JSON is one object per line, with
    the titles that the catalogue pages give the page.

    \b
    pagesieve headline page.html
    pagesieve headline page.html --url https://… --catalogue index.html
    pagesieve headline https://… --catalogue https://… -f json
    """
    fetching = Fetching.of(options)
    pages = find_sources(sources, options["url"], fetching)
    options["catalogue"] = read_catalogues(options["catalogues"], fetching)
    outcomes = [_write_headline(source, options, several=len(pages) > 1) for source in with_progress(pages)]
    return exit_status(outcomes)


def read_catalogues(names: tuple[str, ...], fetching: Fetching) -> list[Catalogue | Page]:
    """Read the pages of `--catalogue`; return a page without an address unread, as a `Page`."""
    sources = find_sources(names, None, fetching)
    pages = [(page, address(page)) for page in map(read_page, sources)]
    return [find_catalogue(page, own) if own else page for page, own in pages]


def external_titles(page: Page, catalogues: list[Catalogue | Page]) -> tuple[str, ...]:
    """Return the titles that catalogue pages have for a page."""
    if not catalogues:
        return ()
    url = address(page)
    if not url:
        raise BadInput("the page has no address that a catalogue page could link to: give --url")
    if absolute(url, url) is None:
        raise BadInput(f"not the address of a page: {url!r}")
    titles = tuple(dict.fromkeys(title for catalogue in catalogues for title in _titles(catalogue, url)))
    if not titles:
        say(f"no catalogue page links to {url}")
    return titles


def _titles(catalogue: Catalogue | Page, url: str) -> tuple[str, ...]:
    """Return the titles that a catalogue page has for the page of a URL.

    If the catalogue page has no address, its links are resolved against each of the folders above the page.
    """
    if isinstance(catalogue, Catalogue):
        return catalogue.titles(url)
    above = (urljoin(url, "../" * steps or ".") for steps in range(FOLDERS_ABOVE))
    attempts = (find_catalogue(catalogue, folder).titles(url) for folder in dict.fromkeys(above))
    return next((titles for titles in attempts if titles), ())


@for_each
def _write_headline(source: Source, options: dict[str, Any], several: bool) -> int:
    """Write the headline of one source; return its exit status."""
    page = read_page(source)
    titles = external_titles(page, options["catalogue"])
    text = find_headline(page, titles, HeadlineOptions(options["rule"]))
    if not text:
        return fail(f"{source.name}: nothing found: no headline", NOTHING_FOUND)
    if options["format"] == "json":
        facts = {
            "input": as_text(source.name),
            "url": address(page),
            "headline": text,
            "external": titles,
        }
        click.echo(json.dumps(facts, ensure_ascii=False))
    else:
        click.echo(f"{visible(source.name)}\t{text}" if several else text)
    return DONE


@click.command()
@sources_argument
@format_option("table", "json", "jsonl")
@click.option("--url", help="The address of a page that is read from a file, to make its links absolute.")
@click.option("--all", "all_links", is_flag=True, help="Also list articles linked in menus and side columns.")
@browser_option
@with_fetching_options
def catalogue(sources: tuple[str, ...], **options: Any) -> int:
    """List the articles that each SOURCE lists: a file, a folder of pages, a URL, or - for standard input.

    The command lists the articles in the page's own list. It leaves out articles that only menus, side columns, "Most
    read" and similar boxes link to, unless --all is given; in JSON, "main" is false for these. It never lists tags,
    authors, buttons or the pages of a longer list. If the list has a next page, a line on standard error gives it. A
    table has one line per article: date, title, URL, separated by tabs if the output is not a terminal. JSON is one
    object per source, with all titles, summaries, and the next page; jsonl is one object per article.

    \b
    pagesieve catalogue https://…
    pagesieve catalogue -f json index.html --url https://…
    pagesieve catalogue -f jsonl https://… | jq -r .url
    pagesieve catalogue --all -f jsonl https://… | jq 'select(.main | not)'
    """
    pages = find_sources(sources, options["url"], Fetching.of(options))
    outcomes = [_write_links(source, options, several=len(pages) > 1) for source in with_progress(pages)]
    return exit_status(outcomes)


@for_each
def _write_links(source: Source, options: dict[str, Any], several: bool) -> int:
    """Write the links of one source; return its exit status."""
    page = read_page(source)
    index = api.catalogue(page, page.url)
    links = index.all_links if options["all_links"] else index.links
    if not links:
        return fail(f"{source.name}: nothing found: no links to articles", NOTHING_FOUND)
    name = as_text(source.name)
    if options["format"] == "json":
        head = {"input": name, "url": index.url, "next_url": index.next_url, "pages": index.pages}
        click.echo(json.dumps(head | {"links": [asdict(link) for link in links]}, ensure_ascii=False))
    elif options["format"] == "jsonl":
        for link in links:
            click.echo(json.dumps({"input": name} | asdict(link), ensure_ascii=False))
    else:
        if several:
            click.echo(f"==> {visible(source.name)} <==")
        _write_table(links)
        if index.next_url:
            say("the list goes on", index.next_url)
    return DONE


def _write_table(links: tuple[Link, ...]) -> None:
    """Write the links: a table on a terminal, otherwise lines with tabs."""
    if sys.stdout.isatty():
        _show_table(links)
        return
    for link in links:
        click.echo("\t".join((link.date or "", visible(link.title), link.url)))


def _show_table(links: tuple[Link, ...]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, style="dim", min_width=DATE_WIDTH)
    table.add_column(overflow="fold")
    for link in links:
        # Text of a page may look like rich's markup. The URL stands on a separate line, so that it can be copied.
        table.add_row(link.date or "", Text(f"{visible(link.title)}\n").append(link.url, style="dim"))
    Console().print(table)
