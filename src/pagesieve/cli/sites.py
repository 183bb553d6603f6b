"""`pagesieve sites`: what a site library knows, and forgetting it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagesieve.api import open_sites
from pagesieve.cli import DONE, NOTHING_FOUND, fail, say, visible
from pagesieve.errors import BadInput

if TYPE_CHECKING:
    from pagesieve.sites.library import Sites

SHOWN = 20  # templates
SHOWN_TEXT = 60  # characters of a template

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
    """Write one line per site: its name, the pages kept, their size, and when the newest was learnt."""
    with open_library(library) as opened:
        found = opened.sites()
    for site in found:
        click.echo(f"{site.key}\t{site.pages} pages\t{site.size / 1024:.1f} KB\t{site.newest}")
    return DONE if found else fail(f"{library}: no sites yet", NOTHING_FOUND)


@sites.command(short_help="The pages kept of a site, and its templates.")
@click.argument("site", metavar="SITE")
@_library
@click.option("--all", "everything", is_flag=True, help=f"All templates in full, not {SHOWN} of them shortened.")
def show(site: str, library: str, everything: bool) -> int:
    """Write what is known of a SITE (its host, or any URL of it).

    First the pages kept, newest first: address, nodes, when it was learnt. Then the templates, the most frequent first:
    element, the pages it was seen on, when first and last, text.
    """
    with open_library(library) as opened:
        pages, templates = opened.pages(site), opened.templates(site)
    for url, learnt, rows in pages:
        click.echo(f"{visible(url or '-')}\t{rows} nodes\t{learnt}")
    if templates:
        click.echo()
    for template in templates if everything else templates[:SHOWN]:
        text = template.text if everything else _shortened(template.text)
        seen = f"{template.frequency} pages\t{template.first_seen}\t{template.last_seen}"
        click.echo(f"{visible(template.tag)}\t{seen}\t{visible(text)}")
    if len(templates) > SHOWN and not everything:
        say(f"{len(templates) - SHOWN} more templates: --all shows them")
    return DONE if pages else fail(f"{site}: not in {library}", NOTHING_FOUND)


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN_TEXT else f"{text[: SHOWN_TEXT - 1]}…"


@sites.command(short_help="Forget a site.")
@click.argument("site", metavar="SITE")
@_library
def forget(site: str, library: str) -> int:
    """Forget a SITE (its host, or any URL of it), all its pages and its templates."""
    with open_library(library) as opened:
        gone = opened.forget(site)
    if not gone:
        return fail(f"{site}: not in {library}", NOTHING_FOUND)
    say(f"forgot {gone} pages of {site}")
    return DONE


def open_library(library: str) -> Sites:
    """Open a library that exists; reading must not create one."""
    if "://" not in library and not Path(library).exists():
        raise BadInput(f"{library}: there is no such site library; `pagesieve learn` makes one")
    return open_sites(library)
