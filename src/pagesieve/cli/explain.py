"""`pagesieve explain`: one HTML file that shows a page, what became of every unit of it, and why."""

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from pagesieve.article import METHOD_NAMES
from pagesieve.articles.methods import METHODS, SITE_METHODS
from pagesieve.cli import DONE, NOTHING_FOUND, fail, say
from pagesieve.cli.sites import open_library
from pagesieve.cli.sources import (
    Fetching,
    Source,
    find_sources,
    format_option,
    read_page,
    read_source,
    with_fetching_options,
)
from pagesieve.errors import BadInput, BadOption, MissingExtra, RenderError
from pagesieve.page.static import PageSource
from pagesieve.report import LANGUAGES, Render, Report, build_report, write_report
from pagesieve.text.urls import is_url


@click.command()
@click.argument("source", metavar="SOURCE")
@click.option("-o", "--output", metavar="FILE", type=click.Path(), help="Write there instead of to standard output.")
@format_option("html", "json")
@click.option(
    "--method",
    "methods",
    type=click.Choice(METHOD_NAMES),
    multiple=True,
    help="How to find the article; several are shown side by side.  [default: auto]",
)
@click.option("--records", is_flag=True, help="Show the records of the page and their items; with --method, both.")
@click.option(
    "--reference",
    "references",
    metavar="PAGE",
    multiple=True,
    help="Another page of the same site (file or URL), to find the article by what it does not have. May be repeated.",
)
@click.option("--sites", metavar="DB", help="A site library made by `pagesieve learn`: a file, or a database URL.")
@click.option("--url", help="The address of a page that is read from a file.")
@click.option(
    "--browser/--no-browser",
    default=None,
    help="Show the page as Chromium renders it, or its source.  [default: as Chromium renders it, where there is one; "
    "its source, where a saved page lacks style sheets]",
)
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    help="The language of the report itself.  [default: that of the browser that shows it]",
)
@with_fetching_options
def explain(source: str, **options: Any) -> int:
    """Write a report on SOURCE, a file, a URL, or - for standard input, as one HTML file.

    It shows the page with every unit coloured by what became of it; the reason and its numbers by pointing, tapping or
    the arrow keys; beside it the result in Markdown and the table of decisions, each linked with the others. It needs
    no network, and runs and loads nothing of the page. Letters and patterns say the same as the colours.

    Where there is a browser, URLs are opened in it as `article --browser` does, and other sources are rendered without
    running their scripts or loading anything. A saved page that asks for style sheets is therefore shown by its source,
    unless --browser is given. JSON has the same content as the file.

    \b
    pagesieve explain page.html -o report.html
    pagesieve explain https://… -o report.html
    pagesieve explain page.html --method blocks --method lineblocks -o report.html
    pagesieve explain page.html --reference sibling.html -o report.html
    pagesieve explain results.html --records -o report.html
    """
    methods = options["methods"] or (() if options["records"] else ("auto",))
    _refuse_contradictions(methods, options)
    fetching = Fetching.of({name: given for name, given in options.items() if name != "browser"})
    (found,) = _one(source, options["url"], fetching)
    references = [read_page(each) for each in find_sources(options["references"], None, fetching)]
    with nullcontext() if options["sites"] is None else open_library(options["sites"]) as sites:
        report = build_report(
            _read(found, options),
            methods=methods,
            records=options["records"],
            reference=references or None,
            sites=sites,
            name=found.name,
        )
    _write(report, options)
    if report.is_empty:
        return fail(f"{found.name}: nothing found: {report.views[0].failure}", NOTHING_FOUND)
    return DONE


def _refuse_contradictions(methods: tuple[str, ...], options: dict[str, Any]) -> None:
    """Refuse, before the page is read, options that contradict each other."""
    for method in SITE_METHODS if options["sites"] is None else ():
        takes_references = METHODS[method].takes_references
        if method in methods and not (takes_references and options["references"]):
            raise BadOption(f"--method {method} needs --sites{' or --reference' if takes_references else ''}")
    if options["browser"] and options["cache"]:
        raise BadOption("--cache is for pages that are fetched without a browser: leave out --browser")


def _one(name: str, url: str | None, fetching: Fetching) -> list[Source]:
    found = find_sources((name,), url, fetching)
    if len(found) > 1:
        raise BadInput(f"{name}: a report is about one page, and this folder has {len(found)}")
    return found


def _read(source: Source, options: dict[str, Any]) -> PageSource | Render:
    """Read the page, in a browser if asked, or if there is one and it has the style sheets of the page."""
    wanted = options["browser"]
    if wanted is False or options["cache"] is not None:
        return read_source(source)
    from pagesieve.report.rendering import render

    known = {name: options[name] for name in ("allow_private", "user_agent")}
    given = source.name if is_url(source.name) else read_source(source)
    try:
        shown = render(given, **known)
    except (MissingExtra, RenderError) as error:
        if wanted:
            raise
        say(f"{source.name}: shown by its source: {error}")
        return given if isinstance(given, PageSource) else read_source(source)
    if wanted or not isinstance(given, PageSource) or not (count := shown.page.missing_styles):
        return shown
    sheets = "its style sheet is" if count == 1 else f"{count} style sheets are"
    say(f"{source.name}: shown by its source, because {sheets} missing; --browser shows it as Chromium does")
    return given


def _write(report: Report, options: dict[str, Any]) -> None:
    if options["format"] == "json":
        text = json.dumps(report.as_dict(), ensure_ascii=False) + "\n"
    else:
        text = write_report(report, options["language"])
    if options["output"] is None:
        click.echo(text, nl=False)
        return
    try:
        Path(options["output"]).write_text(text, encoding="utf-8", errors="replace", newline="")
    except OSError as error:
        raise BadInput(f"{options['output']}: cannot be written: {error.strerror or error}") from error
