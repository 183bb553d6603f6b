"""`pagesieve explain`: an HTML file that shows a page, the fate of every unit, and the reason."""

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from pagesieve.article import METHOD_NAMES
from pagesieve.cli import DONE, NOTHING_FOUND, fail, say
from pagesieve.cli.sites import open_library
from pagesieve.cli.sources import (
    Fetching,
    Source,
    find_sources,
    format_option,
    read_page,
    read_source,
    references_option,
    sites_option,
    with_fetching_options,
)
from pagesieve.errors import BadInput, BadOption, MissingExtra, RenderError
from pagesieve.methods.registry import METHODS, SITE_METHODS
from pagesieve.page.static import PageSource
from pagesieve.report import LANGUAGES, Render, Report, build_report, write_report
from pagesieve.text.urls import is_url


@click.command()
@click.argument("source", metavar="SOURCE")
@click.option("-o", "--output", metavar="FILE", type=click.Path(), help="Write to this file, not to standard output.")
@format_option("html", "json")
@click.option(
    "--method",
    "methods",
    type=click.Choice(METHOD_NAMES),
    multiple=True,
    help="How to find the article; several are shown side by side.  [default: auto]",
)
@click.option("--records", is_flag=True, help="Show the records of the page and their items; with --method, both.")
@references_option
@sites_option
@click.option("--url", help="The address of a page that is read from a file.")
@click.option(
    "--browser/--no-browser",
    default=None,
    help="Show the page as Chromium renders it, or its source.  [default: as Chromium renders it if it is installed; "
    "the source of a saved page without its style sheets]",
)
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    help="The language of the report itself.  [default: the language of the browser that shows it]",
)
@with_fetching_options
def explain(source: str, **options: Any) -> int:
    """Write a report on SOURCE, a file, a URL, or - for standard input, as one HTML file.

    The report shows the page with every unit coloured by its fate. Point at a unit, tap it, or use the arrow keys to
    see the reason and its numbers. Next to the page are the result in Markdown and the table of decisions, linked with
    each other. The report needs no network, and runs and loads nothing of the page. Letters and patterns have the same
    meaning as the colours.

    If a browser is installed, it opens URLs as for `article --browser`, and renders other sources without
    running scripts or loading anything. For a saved page with external style sheets the report therefore shows the
    source, unless --browser is given. JSON has the same content as the HTML.

    \b
    pagesieve explain page.html -o report.html
    pagesieve explain https://… -o report.html
    pagesieve explain page.html --method blocks --method lineblocks -o report.html
    pagesieve explain page.html --reference sibling.html -o report.html
    pagesieve explain results.html --records -o report.html
    """
    methods = options["methods"] or (() if options["records"] else ("auto",))
    _refuse_contradictions(methods, options)
    fetching = Fetching.of({name: value for name, value in options.items() if name != "browser"})
    page = _one(source, options["url"], fetching)
    references = [read_page(each) for each in find_sources(options["references"], None, fetching)]
    with nullcontext() if options["sites"] is None else open_library(options["sites"]) as sites:
        report = build_report(
            _read(page, options),
            methods=methods,
            records=options["records"],
            reference=references or None,
            sites=sites,
            name=page.name,
        )
    _write(report, options)
    if report.is_empty:
        return fail(f"{page.name}: nothing found: {report.views[0].failure}", NOTHING_FOUND)
    return DONE


def _refuse_contradictions(methods: tuple[str, ...], options: dict[str, Any]) -> None:
    """Refuse, before the page is read, options that contradict each other."""
    for method in SITE_METHODS if options["sites"] is None else ():
        takes_references = METHODS[method].takes_references
        if method in methods and not (takes_references and options["references"]):
            raise BadOption(f"--method {method} needs --sites{' or --reference' if takes_references else ''}")
    if options["browser"] and options["cache"]:
        raise BadOption("--cache is for pages that are fetched without a browser: leave out --browser")


def _one(name: str, url: str | None, fetching: Fetching) -> Source:
    sources = find_sources((name,), url, fetching)
    if len(sources) > 1:
        raise BadInput(f"{name}: a report is about one page, and this folder has {len(sources)}")
    return sources[0]


def _read(source: Source, options: dict[str, Any]) -> PageSource | Render:
    """Read the page: in a browser with --browser, or if one is installed and the page has its style sheets."""
    browser = options["browser"]
    if browser is False or options["cache"] is not None:
        return read_source(source)
    from pagesieve.report.build import render

    fetching = {name: options[name] for name in ("allow_private", "user_agent")}
    page = source.name if is_url(source.name) else read_source(source)
    try:
        picture = render(page, **fetching)
    except (MissingExtra, RenderError) as error:
        if browser:
            raise
        say(f"{source.name}: the report shows the source: {error}")
        return page if isinstance(page, PageSource) else read_source(source)
    if browser or not isinstance(page, PageSource) or not (count := picture.page.missing_styles):
        return picture
    sheets = "its style sheet is" if count == 1 else f"{count} style sheets are"
    say(f"{source.name}: the report shows the source, because {sheets} missing; --browser shows it as Chromium does")
    return page


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
