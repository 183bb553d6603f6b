"""`pagesieve sites`: what a site library knows, and forgetting it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagesieve.api import open_sites
from pagesieve.cli import DONE, NOTHING_FOUND, fail, say
from pagesieve.errors import BadInput

if TYPE_CHECKING:
    from pagesieve.sites.library import Sites

_library = click.option(
    "--sites", "library", metavar="DB", required=True, help="The site library: a file, or a database URL."
)


@click.group(short_help="List, show or forget what a site library knows.")
def sites() -> None:
    """List, show or forget what a site library knows.

    \b
    pagesieve sites list --sites sites.db
    pagesieve sites show example.org --sites sites.db
    pagesieve sites forget example.org --sites sites.db
    """


@sites.command("list", short_help="All sites: pages kept, size, when the newest was learnt.")
@_library
def list_sites(library: str) -> int:
    """Write a line a site: its name, the pages kept, their size, and when the newest was learnt."""
    with open_library(library) as opened:
        found = opened.sites()
    for site in found:
        click.echo(f"{site.key}\t{site.pages} pages\t{site.size / 1024:.1f} KB\t{site.newest}")
    return DONE if found else fail(f"{library}: no sites yet", NOTHING_FOUND)


@sites.command(short_help="The pages kept of a site.")
@click.argument("site", metavar="SITE")
@_library
def show(site: str, library: str) -> int:
    """Write the pages kept of a SITE (its host, or any URL of it), newest first: address, nodes, when it was learnt."""
    with open_library(library) as opened:
        found = opened.pages(site)
    for url, learnt, rows in found:
        click.echo(f"{url or '-'}\t{rows} nodes\t{learnt}")
    return DONE if found else fail(f"{site}: not in {library}", NOTHING_FOUND)


@sites.command(short_help="Forget a site.")
@click.argument("site", metavar="SITE")
@_library
def forget(site: str, library: str) -> int:
    """Forget a SITE (its host, or any URL of it) and all its pages."""
    with open_library(library) as opened:
        gone = opened.forget(site)
    if not gone:
        return fail(f"{site}: not in {library}", NOTHING_FOUND)
    say(f"forgot {gone} pages of {site}")
    return DONE


def open_library(library: str) -> Sites:
    """Opens a library that exists: to read one that is not there must not make it."""
    if "://" not in library and not Path(library).exists():
        raise BadInput(f"{library}: there is no such site library; `pagesieve learn` makes one")
    return open_sites(library)
