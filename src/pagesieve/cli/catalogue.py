"""`pagesieve catalogue`: the article links of each source, as a table or as JSON."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

import click

from pagesieve.api import catalogue as find_catalogue
from pagesieve.cli import DONE, NOTHING_FOUND, as_text, exit_status, fail, fail_source, visible
from pagesieve.cli.sources import Source, find_sources, read_page, with_progress
from pagesieve.errors import PagesieveError
from pagesieve.headlines.catalogue import Catalogue, Link

FORMATS = ("table", "json", "jsonl")
DATE_WIDTH = 10


@click.command(short_help="List the articles that each SOURCE links to: file, folder, URL, or - for standard input.")
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option("-f", "--format", type=click.Choice(FORMATS), default="table", show_default=True, help="What to write.")
@click.option("--url", help="The address of a page that is read from a file, which its links are relative to.")
@click.option("--allow-private", is_flag=True, help="Fetch from addresses that are not public, too.")
def catalogue(sources: tuple[str, ...], **options: Any) -> int:
    """List the articles that each SOURCE links to: a file, a folder of pages, a URL, or - for standard input.

    Menus, tags, authors, buttons and the pages of a longer list are left out; where the list goes on, standard error
    says so. A table has one line per article: date, title, URL; separated by tabs where it is not on a terminal. JSON
    is one object per source, with all titles, summaries, and the next page; jsonl is one object per article.

    \b
    pagesieve catalogue https://…
    pagesieve catalogue -f json index.html --url https://…
    pagesieve catalogue -f jsonl https://… | jq -r .url
    """
    found = find_sources(sources, options["url"], options["allow_private"])
    outcomes = [_write(source, options["format"], several=len(found) > 1) for source in with_progress(found)]
    return exit_status(outcomes)


def _write(source: Source, format: str, several: bool) -> int:
    """Write the links of one source; return its share of the exit status."""
    try:
        page = read_page(source)
        found = find_catalogue(page, page.url)
        links = found.links
    except PagesieveError as error:
        return fail_source(source.name, error)
    if not links:
        return fail(f"{source.name}: nothing found: no links to articles", NOTHING_FOUND)
    name = as_text(source.name)
    if format == "json":
        click.echo(json.dumps({"input": name} | _as_dict(found), ensure_ascii=False))
    elif format == "jsonl":
        for link in links:
            click.echo(json.dumps({"input": name} | asdict(link), ensure_ascii=False))
    else:
        if several:
            click.echo(f"==> {visible(source.name)} <==")
        _write_table(found)
    return DONE


def _as_dict(found: Catalogue) -> dict[str, Any]:
    return {
        "url": found.url,
        "next_url": found.next_url,
        "pages": found.pages,
        "links": [asdict(link) for link in found.links],
    }


def _write_table(found: Catalogue) -> None:
    """Write the links: a table on a terminal, else lines separated by tabs."""
    if not sys.stdout.isatty():
        for link in found.links:
            click.echo("\t".join((link.date or "", visible(link.title), link.url)))
    else:
        _show_table(found.links)
    if found.next_url:
        click.echo(f"pagesieve: the list goes on: {found.next_url}", err=True)


def _show_table(links: tuple[Link, ...]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, style="dim", min_width=DATE_WIDTH)
    table.add_column(overflow="fold")
    for link in links:
        # Texts of pages may look like markup. The URL has a line of its own, to be copied from.
        table.add_row(link.date or "", Text(f"{visible(link.title)}\n").append(link.url, style="dim"))
    Console().print(table)
