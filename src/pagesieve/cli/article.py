"""`pagesieve article`: the article of each source; and the options that `pagesieve batch` shares."""

import json
from contextlib import nullcontext
from typing import Any

import click

from pagesieve.api import find_article
from pagesieve.article import BODIES, FAVORS, FORMATS, METHOD_NAMES, Article, ArticleOptions
from pagesieve.articles.methods import METHODS, MODELS, SITE_METHODS, load_model
from pagesieve.cli import DONE, as_text, exit_status, fail_source, say, visible
from pagesieve.cli.headlines import external_titles, read_catalogues
from pagesieve.cli.sites import open_library
from pagesieve.cli.sources import (
    Command,
    Source,
    allow_private_option,
    find_sources,
    format_option,
    read_bytes,
    read_page,
    sources_argument,
    with_progress,
)
from pagesieve.errors import BadOption, PagesieveError
from pagesieve.page.static import PageSource

DEFAULTS = ArticleOptions()
DEFAULT_BODIES = ("text",)
_OPTIONS = (
    click.option(
        "--method",
        type=click.Choice(METHOD_NAMES),
        default=DEFAULTS.method,
        show_default=True,
        help="How to find the article.",
    ),
    click.option("--favor", type=click.Choice(FAVORS), help="Rather miss a paragraph, or rather keep one too many."),
    click.option(
        "--model",
        metavar="FILE",
        type=click.Path(),
        help=f"A model made by `pagesieve train`, for the methods {', '.join(MODELS)}.",
    ),
    click.option("--sites", metavar="DB", help="A site library made by `pagesieve learn`: a file, or a database URL."),
    click.option("--links/--no-links", "include_links", default=False, help="Keep the links."),
    click.option("--images/--no-images", "include_images", default=False, help="Keep the images."),
    click.option(
        "--captions/--no-captions",
        "include_captions",
        default=True,
        show_default=True,
        help="Keep the captions of images.",
    ),
    click.option("--tables/--no-tables", "include_tables", default=True, show_default=True, help="Keep the tables."),
    click.option("--comments/--no-comments", "include_comments", default=False, help="Keep what readers wrote below."),
)


def _bodies(_: click.Context, __: click.Parameter, given: str | None) -> tuple[str, ...] | None:
    """Return the names in --with, each once."""
    if given is None:
        return None
    names = tuple(dict.fromkeys(name.strip() for name in given.split(",")))
    for name in names:
        if name not in BODIES:
            raise BadOption(f"--with is any of {','.join(BODIES)}, not {name!r}")
    return names


bodies_option = click.option(
    "--with",
    "bodies",
    metavar="FORMATS",
    callback=_bodies,
    help=f"What the body is written as beside its facts: any of {','.join(BODIES)}.  [default: text]",
)


def with_article_options(command: Command) -> Command:
    """Add the options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def article_keywords(given: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords of ArticleOptions; refuse, before any page is read, what would be wrong for all of them."""
    method, model = given["method"], given["model"]
    if method in SITE_METHODS and given["sites"] is None:
        takes_references = METHODS[method].takes_references and "references" in given
        if not takes_references or not given["references"]:
            other = " or --reference (another page of it)" if takes_references else ""
            raise BadOption(f"--method {method} needs --sites (a library that has learnt the site){other}")
    if model is not None:
        if method not in MODELS:
            raise BadOption(f"--model is for --method {', '.join(MODELS)}, not {method}")
        load_model(model, method)
    return {name: given[name] for name in ArticleOptions.__dataclass_fields__}


@click.command()
@sources_argument
@format_option(*FORMATS)
@bodies_option
@click.option(
    "--with-metadata",
    is_flag=True,
    help="Begin Markdown with the facts, as YAML front matter, and the headline; JSON always has them.",
)
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
    help="A page that links to the article (file or URL): its titles help to find the headline. Repeatable.",
)
@click.option("--url", help="The address of a page that is read from a file, so that its links can be made absolute.")
@click.option("--why", is_flag=True, help="Say of every block why it was kept or dropped, instead of the article.")
@allow_private_option
def article(sources: tuple[str, ...], **options: Any) -> int:
    """Write the article of each SOURCE: a file, a folder of pages, a URL, or - for standard input.

    With several sources the text of each follows a line that names it. JSON is one object per line, which names its
    source as "input".

    \b
    pagesieve article page.html
    pagesieve article -f json crawl/ > articles.jsonl
    pagesieve article -f json --with text,markdown crawl/ > articles.jsonl
    pagesieve article -f markdown --with-metadata page.html > page.md
    pagesieve article --why page.html
    pagesieve article page.html --reference sibling.html
    pagesieve article https://… --sites sites.db
    pagesieve article https://… --catalogue https://…
    """
    _refuse_contradictions(options)
    options["article"] = ArticleOptions(**article_keywords(options))
    found = find_sources(sources, options["url"], options["allow_private"])
    references = find_sources(options["references"], None, options["allow_private"])
    options["references"] = [read_page(source) for source in references]
    options["catalogue"] = read_catalogues(options)
    with nullcontext() if options["sites"] is None else open_library(options["sites"]) as options["sites"]:
        outcomes = [_write(source, options, several=len(found) > 1) for source in with_progress(found)]
    return exit_status(outcomes)


def _refuse_contradictions(options: dict[str, Any]) -> None:
    if options["bodies"] is not None and options["format"] != "json":
        raise BadOption("--with is for -f json: the other formats are the body itself")
    if options["with_metadata"] and options["format"] not in ("markdown", "json"):
        raise BadOption(f"--with-metadata is for -f markdown and json, not {options['format']}")


def _write(source: Source, options: dict[str, Any], several: bool) -> int:
    """Write the result of one source; return its share of the exit status."""
    try:
        found = _find(source, options)
    except PagesieveError as error:
        return fail_source(source.name, error)
    for note in found.notes:
        say(f"{source.name}: {note}")
    if several and (options["format"] != "json" or options["why"]):
        click.echo(f"==> {visible(source.name)} <==")
    if options["why"]:
        click.echo("\n".join(f"{'keep' if d.kept else 'drop'}  {d.reason}  |  {d.text}" for d in found.decisions))
    elif options["format"] == "json":
        facts = found.as_dict(options["bodies"] or DEFAULT_BODIES)
        click.echo(json.dumps({"input": as_text(source.name)} | facts, ensure_ascii=False))
    elif options["with_metadata"]:
        click.echo(found.as_markdown())
    else:
        click.echo(getattr(found, options["format"]))
    return DONE


def _find(source: Source, options: dict[str, Any]) -> Article:
    given = PageSource(*read_bytes(source))
    titles = external_titles(given.page, options["catalogue"]) if options["catalogue"] else ()
    known = {name: options[name] for name in ("references", "sites")}
    return find_article(given, options["article"], external=titles, **known)
