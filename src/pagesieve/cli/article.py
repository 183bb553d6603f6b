"""`pagesieve article`: the article of each source, in the format asked for."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import click

from pagesieve.api import find_article
from pagesieve.article import Article
from pagesieve.cli import BAD_INPUT, DONE, NOTHING_FOUND, fail, say, visible
from pagesieve.cli.headline import external_titles, read_catalogues
from pagesieve.cli.options import article_keywords, with_article_options
from pagesieve.cli.sites import open_library
from pagesieve.cli.sources import Source, find_sources, read_bytes, read_page, with_progress
from pagesieve.errors import NothingFound, PagesieveError
from pagesieve.options import FORMATS, ArticleOptions
from pagesieve.page.static import PageSource
from pagesieve.page.table import Page


@click.command(short_help="Write the article of each SOURCE: file, folder, URL, or - for standard input.")
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option("-f", "--format", type=click.Choice(FORMATS), default="text", show_default=True, help="What to write.")
@with_article_options
@click.option(
    "--reference",
    "references",
    metavar="PAGE",
    multiple=True,
    help="Another page of the same site (file or URL), to find the article by what it does not have. May be repeated.",
)
@click.option(
    "--catalogue",
    "catalogues",
    metavar="PAGE",
    multiple=True,
    help="A page that links to the article (file or URL): what it calls it is a witness of the headline. Repeatable.",
)
@click.option("--url", help="The address of a page that is read from a file, so that its links can be made absolute.")
@click.option("--why", is_flag=True, help="Say of every block why it was kept or dropped, instead of the article.")
@click.option("--allow-private", is_flag=True, help="Fetch from addresses that are not public, too.")
def article(sources: tuple[str, ...], **options: Any) -> int:
    """Write the article of each SOURCE: a file, a folder of pages, a URL, or - for standard input.

    With several sources the text of each follows a line that names it; JSON is one object a line, which names its
    source as "input".

    \b
    pagesieve article page.html
    pagesieve article -f json crawl/ > articles.jsonl
    pagesieve article --why page.html
    pagesieve article page.html --reference sibling.html
    pagesieve article https://… --sites sites.db
    pagesieve article https://… --catalogue https://…
    """
    options["article"] = ArticleOptions(**article_keywords(options))
    found = find_sources(sources, options["url"], options["allow_private"])
    options["references"] = _references(options)
    options["catalogue"] = read_catalogues(options)
    with _library(options["sites"]) as options["sites"]:
        outcomes = [_write(source, options, several=len(found) > 1) for source in with_progress(found)]
    if BAD_INPUT in outcomes:
        return BAD_INPUT
    return DONE if DONE in outcomes else NOTHING_FOUND


def _references(options: dict[str, Any]) -> list[Page]:
    """The pages to compare with."""
    sources = find_sources(options["references"], None, options["allow_private"])
    return [read_page(source) for source in sources]


def _library(name: str | None) -> AbstractContextManager[Any]:
    if name is None:
        return nullcontext()
    return open_library(name)


def _write(source: Source, options: dict[str, Any], several: bool) -> int:
    """Writes one source's result; returns its share of the exit status."""
    try:
        found = _find(source, options)
    except NothingFound as error:
        return fail(f"{source.name}: nothing found: {error}", NOTHING_FOUND)
    except PagesieveError as error:
        message = str(error)
        return fail(message if source.name in message else f"{source.name}: {message}", BAD_INPUT)
    for note in found.notes:
        say(f"{source.name}: {note}")
    if several and (options["format"] != "json" or options["why"]):
        click.echo(f"==> {visible(source.name)} <==")
    click.echo(_reasons(found) if options["why"] else _formatted(found, source, options["format"]))
    return DONE


def _find(source: Source, options: dict[str, Any]) -> Article:
    given = PageSource(*read_bytes(source))
    titles = external_titles(given.page, options["catalogue"]) if options["catalogue"] else ()
    known = {name: options[name] for name in ("references", "sites")}
    return find_article(given, options["article"], external=titles, **known)


def _formatted(found: Article, source: Source, format: str) -> str:
    if format == "json":
        # A name need not be text; JSON must be.
        name = source.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        return json.dumps({"input": name} | found.as_dict(), ensure_ascii=False)
    return str(getattr(found, format))


def _reasons(found: Article) -> str:
    """A line a block: kept or not, why, and how it begins."""
    lines = (f"{'keep' if d.kept else 'drop'}  {d.reason}  |  {d.text}" for d in found.decisions)
    return "\n".join(lines)
