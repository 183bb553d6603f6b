"""`pagesieve records`: the records of each source as a table, CSV, JSON or Parquet."""

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Any

import click

from pagesieve.cli import DONE, as_text, exit_status, fail_source, say, visible
from pagesieve.cli.sources import (
    Source,
    allow_private_option,
    find_sources,
    format_option,
    read_bytes,
    sources_argument,
    with_progress,
)
from pagesieve.errors import BadInput, BadOption, NothingFound, PagesieveError
from pagesieve.records.find import MODES, REGIONS, RecordOptions, find_records, find_visual, show
from pagesieve.records.results import Records
from pagesieve.text.urls import is_url

FORMATS = ("table", "csv", "json", "parquet")
PIPE_COLUMNS = 120  # characters of a table that is not written to a terminal


@click.command()
@sources_argument
@format_option(*FORMATS)
@click.option("-o", "--output", metavar="FILE", type=click.Path(), help="Write there instead of to standard output.")
@click.option(
    "--mode",
    type=click.Choice(MODES),
    default="auto",
    show_default=True,
    help="static: without a browser. visual: as a browser shows the page. auto: static, but with a browser where there "
    "is one and the page holds no records before its scripts have run.",
)
@click.option(
    "--region",
    type=click.Choice(REGIONS),
    default="best",
    show_default=True,
    help="How to choose the part of the page that holds the records; paper: by the rule of the paper, in a browser.",
)
@click.option("--all-regions", is_flag=True, help="Write every list of the page, the best first.")
@click.option(
    "--picture",
    metavar="FILE.png",
    type=click.Path(),
    help="Draw region, records, items and noise over a picture of the page (mode visual).",
)
@click.option(
    "--scroll",
    type=click.IntRange(min=0),
    default=0,
    help="Scroll to the end this many times, as long as more is loaded, for lists that go on (in a browser).",
)
@click.option("--url", help="The address of a page that is read from a file, which its links are relative to.")
@allow_private_option
def records(sources: tuple[str, ...], **options: Any) -> int:
    """Write the records of each SOURCE: search results, the posts of a thread, the goods of a list.

    SOURCE is a file, a folder of pages, a URL, or - for standard input. Every record is a row; its parts are columns,
    named after what the page calls them, with a second column for where links lead to. What is the same in all records,
    such as buttons and labels, is left out. The table shows as many columns as fit; CSV, Parquet and JSON have all of
    them. JSON is one object per source, with the text of each record and the mode; otherwise standard error says
    how many records were found, and in which mode.

    \b
    pagesieve records https://…                        a table to look at
    pagesieve records -f csv results.html -o results.csv
    pagesieve records -f json page.html | jq -r '.records[].items.title'
    pagesieve records --mode visual --picture blocks.png https://…
    pagesieve records --all-regions page.html          the lists beside the main one, too
    """
    found = find_sources(sources, options["url"], options["allow_private"])
    _refuse_contradictions(found, options)
    with _output(options) as options["file"]:
        outcomes = [_write(source, options, several=len(found) > 1) for source in with_progress(found)]
    return exit_status(outcomes)


def _refuse_contradictions(found: list[Source], options: dict[str, Any]) -> None:
    """Refuse, before any page is read, options that contradict each other."""
    if options["region"] == "paper" or options["picture"]:
        if options["mode"] == "static":
            name = "--picture" if options["picture"] else "--region paper"
            raise BadOption(f"{name} needs a browser: leave out --mode static")
        options["mode"] = "visual"
    if options["picture"] and len(found) > 1:
        raise BadOption("--picture draws one page: give one SOURCE")
    if options["format"] == "parquet":
        if not options["output"]:
            raise BadOption("--format parquet writes a file: name it with -o")
        if len(found) > 1 or options["all_regions"]:
            raise BadOption("--format parquet writes one table: give one SOURCE, and no --all-regions")


def _output(options: dict[str, Any]) -> AbstractContextManager[IO[str] | None]:
    """Open the output file, if one is named. Parquet writes its file by itself."""
    if not options["output"] or options["format"] == "parquet":
        return nullcontext()
    try:
        return open(options["output"], "w", encoding="utf-8", errors="surrogateescape", newline="")
    except OSError as error:
        raise BadInput(f"{options['output']}: cannot be written: {error.strerror or error}") from error


def _write(source: Source, options: dict[str, Any], several: bool) -> int:
    """Write the records of one source; return its share of the exit status."""
    try:
        found = _find(source, options)
        regions = found.regions if options["all_regions"] else (found,)
        for note in found.notes:
            say(f"{source.name}: {note}")
        for part in regions:
            _write_region(part, source, options, headed=several or len(regions) > 1)
        _tell(found, source, options)
    except PagesieveError as error:
        return fail_source(source.name, error)
    return DONE


def _find(source: Source, options: dict[str, Any]) -> Records:
    from pagesieve.fetching.chromium import RenderOptions

    live = is_url(source.name)
    how = RenderOptions(scripts=True, allow_private=options["allow_private"], scroll=options["scroll"])
    wanted = RecordOptions(options["mode"], options["region"], how, live)
    opened = live and (wanted.mode == "visual" or wanted.scrolls)  # by the browser itself
    data, url, content_type = (None, source.name, None) if opened else read_bytes(source)
    if options["picture"]:
        return _find_and_draw(data, url, wanted, options["picture"])
    return find_records(data, url, wanted, content_type=content_type)


def _find_and_draw(data: bytes | None, url: str | None, wanted: RecordOptions, picture: str) -> Records:
    from pagesieve.records.picture import draw

    shot = show(data, url, wanted, picture=True)
    page = shot.page()
    try:
        found = find_visual(page, wanted)
    except NothingFound:
        _write_picture(picture, draw(shot.png, page, []))
        raise
    items = [row for record in found.records for item in record.items for row in item.rows]
    _write_picture(picture, draw(shot.png, page, found.segmentations, items))
    return found


def _write_picture(picture: str, drawn: bytes) -> None:
    try:
        Path(picture).write_bytes(drawn)
    except OSError as error:
        raise BadInput(f"{picture}: cannot be written: {error.strerror or error}") from error


def _write_region(found: Records, source: Source, options: dict[str, Any], headed: bool) -> None:
    format, file = options["format"], options["file"]
    if format == "parquet":
        found.to_parquet(options["output"])
        return
    if format == "json":
        name = as_text(source.name)
        click.echo(json.dumps({"input": name} | found.as_dict(), ensure_ascii=False), file=file)
        return
    if headed:
        click.echo(f"==> {visible(source.name)} <==", file=file)
    if format == "csv":
        click.echo(found.to_csv(), nl=False, file=file)
    else:
        _show(found, file)


def _show(found: Records, file: IO[str] | None) -> None:
    from rich.console import Console

    to = file or sys.stdout
    console = Console(file=to, width=None if to.isatty() else PIPE_COLUMNS)
    console.print(found.to_table(console.width))


def _tell(found: Records, source: Source, options: dict[str, Any]) -> None:
    """Report on standard error what was found, and how; JSON contains it."""
    if options["format"] == "json":
        return
    others = len(found.segmentations) - 1
    more = f"; {others} other list{'s' if others > 1 else ''}" if others else ""
    more += ": --all-regions" if others and not options["all_regions"] else ""
    say(f"{source.name}: {len(found)} records, mode {found.mode}{more}")
