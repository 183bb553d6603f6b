"""`pagesieve article`: the article of each source, in the format asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import click

from pagesieve.api import FAVORS, FORMATS, METHODS
from pagesieve.api import article as find_article
from pagesieve.cli.sources import Source, find_sources
from pagesieve.errors import BadInput, NothingFound, PagesieveError
from pagesieve.page.static import parse
from pagesieve.results import Article

NOTHING_FOUND, BAD_INPUT = 1, 2


@click.command()
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option("-f", "--format", type=click.Choice(FORMATS), default="text", show_default=True, help="What to write.")
@click.option(
    "--method",
    type=click.Choice(("auto", *METHODS)),
    default="auto",
    show_default=True,
    help="How to find the article.",
)
@click.option("--favor", type=click.Choice(FAVORS), help="Rather miss a paragraph, or rather keep one too many.")
@click.option("--url", help="The address of a page that is read from a file, so that its links can be made absolute.")
@click.option("--links/--no-links", default=False, help="Keep the links (Markdown and HTML).")
@click.option("--images/--no-images", default=False, help="Keep the images.")
@click.option("--tables/--no-tables", default=True, show_default=True, help="Keep the tables.")
@click.option("--comments/--no-comments", default=False, help="Keep what readers wrote below.")
@click.option("--why", is_flag=True, help="Say of every block why it was kept or dropped, instead of the article.")
@click.option("--allow-private", is_flag=True, help="Fetch from addresses that are not public, too.")
def article(sources: tuple[str, ...], **options: Any) -> int:
    """Write the article of each SOURCE: a file, a folder of pages, a URL, or - for standard input.

    With several sources the text of each follows a line that names it; JSON is one object a line.

    \b
    pagesieve article page.html
    pagesieve article -f json crawl/ > articles.jsonl
    pagesieve article --why page.html
    """
    found = find_sources(sources, options["url"], options["allow_private"])
    outcomes = [_write(source, options, several=len(found) > 1) for source in _with_progress(found)]
    if BAD_INPUT in outcomes:
        return BAD_INPUT
    return 0 if 0 in outcomes else NOTHING_FOUND


def _with_progress(sources: list[Source]) -> Iterable[Source]:
    """The sources, with a bar on standard error where somebody watches and the results go elsewhere."""
    if len(sources) < 10 or sys.stdout.isatty() or not sys.stderr.isatty():
        return sources
    from rich.console import Console
    from rich.progress import track

    return track(sources, "pages", console=Console(stderr=True))


def _write(source: Source, options: dict[str, Any], several: bool) -> int:
    """Writes one source's result; returns its share of the exit status."""
    try:
        found = _find(source, options)
    except NothingFound as error:
        click.echo(f"pagesieve: {source.name}: nothing found: {error}", err=True)
        return NOTHING_FOUND
    except PagesieveError as error:
        message = str(error)
        named = message if source.name in message else f"{source.name}: {message}"
        click.echo(f"pagesieve: {named}", err=True)
        return BAD_INPUT
    for note in found.notes:
        click.echo(f"pagesieve: {source.name}: {note}", err=True)
    if several and (options["format"] != "json" or options["why"]):
        click.echo(f"==> {source.name} <==")
    click.echo(_reasons(found) if options["why"] else _formatted(found, options["format"]))
    return 0


def _find(source: Source, options: dict[str, Any]) -> Article:
    data, url, content_type = source.read()
    if not data.strip():
        raise BadInput(f"{source.name}: empty")
    return find_article(
        parse(data, url, content_type=content_type),
        method=options["method"],
        favor=options["favor"],
        include_comments=options["comments"],
        include_tables=options["tables"],
        include_links=options["links"],
        include_images=options["images"],
    )


def _formatted(found: Article, format: str) -> str:
    return found.as_json() if format == "json" else str(getattr(found, format))


def _reasons(found: Article) -> str:
    """A line a block: kept or not, why, and how it begins."""
    lines = (f"{'keep' if d.kept else 'drop'}  {d.reason}  |  {d.text}" for d in found.decisions)
    return "\n".join(lines)
