"""`pagesieve records`: the records of each source as a table, CSV, JSON or Parquet, or in a database."""

from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import click

from pagesieve.api import with_columns
from pagesieve.cli import DONE, exit_status, say
from pagesieve.cli.record_outputs import FORMATS, chosen_format, open_output
from pagesieve.cli.sites import open_library
from pagesieve.cli.sources import (
    Fetching,
    Source,
    find_sources,
    for_each,
    raw_cells_option,
    read_source,
    sources_argument,
    with_fetching_options,
    with_progress,
)
from pagesieve.errors import BadInput, BadOption, NothingFound
from pagesieve.page.table import Page
from pagesieve.records.find import MODES, REGIONS, RecordOptions, find_records, find_visual, show
from pagesieve.records.results import TABLE, Records
from pagesieve.records.schema import Schema
from pagesieve.text.urls import is_url


@click.command()
@sources_argument
@click.option(
    "-f",
    "--format",
    type=click.Choice(FORMATS),
    help="What to write; without it, what the ending of -o says, CSV through a pipe, or else a table.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(),
    help="Write there instead of to standard output. A database (.db, .sqlite, .sqlite3, sqlite:///…, postgresql://…) "
    "gets a table of the records.",
)
@click.option("--table", metavar="NAME", help=f"The table in a database.  [default: {TABLE}]")
@raw_cells_option
@click.option(
    "--schema", metavar="FILE", type=click.Path(), help="Give every page the columns of this schema (--save-schema)."
)
@click.option(
    "--save-schema",
    metavar="FILE",
    type=click.Path(),
    help="Write the columns that were found there, as JSON that may be edited: renamed, reordered, retyped, dropped.",
)
@click.option(
    "--sites",
    metavar="DB",
    help="A site library made by `pagesieve learn`: a site's list has the same columns on each page.",
)
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
@with_fetching_options
def records(sources: tuple[str, ...], **options: Any) -> int:
    """Write the records of each SOURCE: search results, the posts of a thread, the goods of a list.

    SOURCE is a file, a folder of pages, a URL, or - for standard input. Every record is a row; its parts are columns,
    named after what the page calls them, with a second column for where links lead to. What is the same in all records,
    such as buttons and labels, is left out. The table shows as many columns as fit; CSV, Parquet and JSON have all of
    them. JSON is one object per source, with the text of each record and the mode; otherwise standard error says
    how many records were found, in which mode, and where the list goes on.

    With a schema every page has the same columns, several pages are one table, and standard error says what no longer
    fits. In a database a record is stored once: it is known by its link, or else by its values.

    \b
    pagesieve records https://…                        a table to look at
    pagesieve records results.html > results.csv       all of it
    pagesieve records -f json page.html | jq -r '.records[].items.title'
    pagesieve records page1.html page2.html --save-schema shop.json
    pagesieve records pages/ --schema shop.json -o shop.db --table chairs
    pagesieve records --mode visual --picture blocks.png https://…
    pagesieve records --all-regions page.html          the lists beside the main one, too
    """
    found = find_sources(sources, options["url"], Fetching.of(options))
    _refuse_contradictions(found, options)
    if options["schema"] is not None:
        options["schema"] = Schema.load(options["schema"])
    learnt: list[Schema] = []
    library = nullcontext() if options["sites"] is None else open_library(options["sites"])
    with library as options["sites"], closing(open_output(options)) as options["to"]:
        outcomes = [_write(source, options, learnt, several=len(found) > 1) for source in with_progress(found)]
    if learnt:
        learnt[0].common().save(options["save_schema"])
    return exit_status(outcomes)


def _refuse_contradictions(found: list[Source], options: dict[str, Any]) -> None:
    """Refuse, before any page is read, options that contradict each other."""
    options["format"] = chosen_format(options["format"], options["output"], options["table"])
    if options["region"] == "paper" or options["picture"]:
        if options["mode"] == "static":
            name = "--picture" if options["picture"] else "--region paper"
            raise BadOption(f"{name} needs a browser: leave out --mode static")
        options["mode"] = "visual"
    if options["raw_cells"] and options["format"] != "csv":
        raise BadOption("--raw-cells is for CSV")
    if options["cache"] and (options["mode"] == "visual" or options["scroll"]):
        raise BadOption("--cache is for pages that are fetched without a browser: leave out --mode visual and --scroll")
    if options["picture"] and len(found) > 1:
        raise BadOption("--picture draws one page: give one SOURCE")
    for name, other in (("save_schema", "schema"), ("schema", "sites"), ("schema", "all_regions")):
        if options[name] is not None and options[other]:
            shown = " and ".join(f"--{each.replace('_', '-')}" for each in (name, other))
            raise BadOption(f"{shown} contradict each other: give one of them")
    if options["format"] == "parquet":
        if not options["output"]:
            raise BadOption("--format parquet writes a file: name it with -o")
        if (len(found) > 1 and options["schema"] is None) or options["all_regions"]:
            raise BadOption("--format parquet writes one table: give one SOURCE or a --schema, and no --all-regions")


@for_each
def _write(source: Source, options: dict[str, Any], learnt: list[Schema], several: bool) -> int:
    """Write the records of one source; return its share of the exit status."""
    found = with_columns(_find(source, options), options["schema"], options["sites"])
    regions = found.regions if options["all_regions"] else (found,)
    for note in (*found.notes, *found.drift):
        say(f"{source.name}: {note}")
    if options["sites"] is not None and found.applied is None:
        say(f"{source.name}: no list that the library knows of this site: the columns are the page's own")
    told = [options["to"].add(part, source.name, headed=several or len(regions) > 1) for part in regions]
    _tell(found, source, options, told)
    if options["save_schema"] is not None:
        _learn(found, source, learnt)
    return DONE


def _learn(found: Records, source: Source, learnt: list[Schema]) -> None:
    """Merge the schema of a page into that of the pages before."""
    if learnt and not learnt[0].shows_list_of(found.schema):
        say(f"{source.name}: another list than that of the first page, and so not in the schema")
    else:
        learnt[:] = [learnt[0].merged(found.schema) if learnt else found.schema]


def _find(source: Source, options: dict[str, Any]) -> Records:
    from pagesieve.fetching.chromium import RenderOptions

    live = is_url(source.name)
    chosen = {name: options[name] for name in ("allow_private", "scroll", "user_agent")}
    how = RenderOptions(scripts=True, **chosen)
    wanted = RecordOptions(options["mode"], options["region"], how, live)
    opened = live and (wanted.mode == "visual" or wanted.scrolls)  # by the browser itself
    given = None if opened else read_source(source)
    html, url = (None, source.name) if given is None else (given.html, given.url)
    if options["picture"]:
        assert not isinstance(html, Page)  # only a browser gives one, and --browser is no option here
        return _find_and_draw(html, url, wanted, options["picture"])
    return find_records(html, url, wanted, content_type=given.content_type if given else None)


def _find_and_draw(html: str | bytes | None, url: str | None, wanted: RecordOptions, picture: str) -> Records:
    from pagesieve.records.picture import draw

    shot = show(html, url, wanted, picture=True)
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


def _tell(found: Records, source: Source, options: dict[str, Any], told: list[str]) -> None:
    """Report on standard error what was found, and how; JSON contains it."""
    if options["format"] == "json":
        return
    others = len(found.segmentations) - 1
    new = f" ({', '.join(told)})" if any(told) else ""
    more = f"; {others} other list{'s' if others > 1 else ''}" if others else ""
    more += ": --all-regions" if others and not options["all_regions"] else ""
    more += "; next page" if found.next_url else ""
    say(f"{source.name}: {len(found)} records{new}, mode {found.mode}{more}", found.next_url)
