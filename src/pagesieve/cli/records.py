"""`pagesieve records`: the records of each source as a table, CSV, JSON or Parquet, or in a database."""

from __future__ import annotations

import json
import sys
from contextlib import closing, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import click

from pagesieve.api import with_columns
from pagesieve.cli import DONE, as_text, exit_status, say, visible
from pagesieve.cli.sites import open_library
from pagesieve.cli.sources import (
    Fetching,
    Source,
    declared_option,
    find_sources,
    for_each,
    raw_cells_option,
    read_source,
    sources_argument,
    with_fetching_options,
    with_progress,
)
from pagesieve.destinations import DATABASE, DATABASE_ENDINGS, format_of
from pagesieve.errors import BadInput, BadOption, NothingFound
from pagesieve.fetching.options import RenderOptions
from pagesieve.page.table import Page
from pagesieve.records.find import RecordOptions, find_records, find_visual, show
from pagesieve.records.results import TABLE, Records, open_table
from pagesieve.records.schema import Schema
from pagesieve.text.urls import is_url
from pagesieve.writing.markdown import write_text

if TYPE_CHECKING:
    from pagesieve.records.database import DatabaseTable
    from pagesieve.records.outputs import ParquetTable

FORMATS = ("table", "markdown", "csv", "json", "parquet")
PIPE_COLUMNS = 120  # characters of a table that is not written to a terminal


@click.command()
@sources_argument
@click.option(
    "-f",
    "--format",
    type=click.Choice(FORMATS),
    help="The format of the results.  [default: by the ending of -o; CSV into a pipe; otherwise a table]",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(),
    help="Write to this file, not to standard output. In a database (.db, .sqlite, .sqlite3, sqlite:///…, "
    "postgresql://…), the records are stored in a table.",
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
    help="Write the columns of the page to this JSON file, to edit them: rename, reorder, retype or drop columns.",
)
@click.option(
    "--sites",
    metavar="DB",
    help="A site library made by `pagesieve learn`: it gives a site's list the same columns on each page.",
)
@declared_option(RecordOptions, "mode")
@declared_option(RecordOptions, "region")
@click.option("--all-regions", is_flag=True, help="Write every list of the page, the best first.")
@click.option(
    "--picture",
    metavar="FILE.png",
    type=click.Path(),
    help="Draw region, records, items and noise over a picture of the page (mode visual).",
)
@declared_option(RenderOptions, "scroll", type=click.IntRange(min=0))
@click.option("--url", help="The address of a page that is read from a file, to make its links absolute.")
@with_fetching_options
def records(sources: tuple[str, ...], **options: Any) -> int:
    """Write the records of each SOURCE: search results, the posts of a thread, the goods of a list.

    SOURCE is a file, a folder of pages, a URL, or - for standard input. Every record is a row, and its parts are
    columns with the names that the page gives them. Links have a second column with the address. Parts that are the
    same in all records, such as buttons and labels, are left out. The table shows as many columns as fit; CSV, Parquet
    and JSON have all of them. JSON is one object per source, with the text of each record and the mode. For other
    formats, standard error has the number of records, the mode, and the address of the next page.

    With a schema, every page has the same columns, several pages become one table, and standard error says what no
    longer fits. A database stores each record once; the link of a record identifies it, or else its values.

    \b
    pagesieve records https://…                        a table on the terminal
    pagesieve records results.html > results.csv       all columns
    pagesieve records -f json page.html | jq -r '.records[].items.title'
    pagesieve records page1.html page2.html --save-schema shop.json
    pagesieve records pages/ --schema shop.json -o shop.db --table chairs
    pagesieve records --mode visual --picture blocks.png https://…
    pagesieve records --all-regions page.html          the other lists, too
    """
    pages = find_sources(sources, options["url"], Fetching.of(options))
    _check_options(pages, options)
    if options["schema"] is not None:
        options["schema"] = Schema.load(options["schema"])
    learnt: list[Schema] = []
    library = nullcontext() if options["sites"] is None else open_library(options["sites"])
    with library as options["sites"], closing(_open_output(options)) as options["to"]:
        outcomes = [_write(source, options, learnt, several=len(pages) > 1) for source in with_progress(pages)]
    if learnt:
        learnt[0].common().save(options["save_schema"])
    return exit_status(outcomes)


def _check_options(sources: list[Source], options: dict[str, Any]) -> None:
    """Set the format and the mode. Raises BadOption, before any page is read, if options contradict each other."""
    options["format"] = _chosen_format(options["format"], options["output"], options["table"])
    if options["region"] == "paper" or options["picture"]:
        if options["mode"] == "static":
            name = "--picture" if options["picture"] else "--region paper"
            raise BadOption(f"{name} needs a browser: leave out --mode static")
        options["mode"] = "visual"
    if options["raw_cells"] and options["format"] != "csv":
        raise BadOption("--raw-cells is for CSV")
    if options["cache"] and (options["mode"] == "visual" or options["scroll"]):
        raise BadOption("--cache is for pages that are fetched without a browser: leave out --mode visual and --scroll")
    if options["picture"] and len(sources) > 1:
        raise BadOption("--picture draws one page: give one SOURCE")
    for name, other in (("save_schema", "schema"), ("schema", "sites"), ("schema", "all_regions")):
        if options[name] is not None and options[other]:
            names = " and ".join(f"--{each.replace('_', '-')}" for each in (name, other))
            raise BadOption(f"{names} contradict each other: give one of them")
    if options["format"] == "parquet":
        if not options["output"]:
            raise BadOption("--format parquet writes a file: name it with -o")
        if (len(sources) > 1 and options["schema"] is None) or options["all_regions"]:
            raise BadOption("--format parquet writes one table: give one SOURCE or a --schema, and no --all-regions")


@for_each
def _write(source: Source, options: dict[str, Any], learnt: list[Schema], several: bool) -> int:
    """Write the records of one source; return its share of the exit status."""
    records = with_columns(_find(source, options), options["schema"], options["sites"])
    regions = records.regions if options["all_regions"] else (records,)
    for note in (*records.notes, *records.drift):
        say(f"{source.name}: {note}")
    if options["sites"] is not None and records.applied is None:
        say(f"{source.name}: no list that the library knows of this site: the columns are the page's own")
    headed = several or len(regions) > 1
    remarks = [options["to"].add(region, source.name, headed=headed) for region in regions]
    _report(records, source, options, remarks)
    if options["save_schema"] is not None:
        _learn(records, source, learnt)
    return DONE


def _learn(records: Records, source: Source, learnt: list[Schema]) -> None:
    """Merge the schema of a page into that of the pages before."""
    if learnt and not learnt[0].shows_list_of(records.schema):
        say(f"{source.name}: another list than that of the first page, and so not in the schema")
    else:
        learnt[:] = [learnt[0].merged(records.schema) if learnt else records.schema]


def _find(source: Source, options: dict[str, Any]) -> Records:
    live = is_url(source.name)
    render = RenderOptions(scripts=True, **{name: options[name] for name in ("allow_private", "scroll", "user_agent")})
    record_options = RecordOptions(options["mode"], options["region"], render, live)
    by_browser = live and (record_options.mode == "visual" or record_options.scrolls)
    page = None if by_browser else read_source(source)
    html, url = (None, source.name) if page is None else (page.html, page.url)
    if options["picture"]:
        assert not isinstance(html, Page)  # only a browser gives one, and --browser is no option here
        return _find_and_draw(html, url, record_options, options["picture"])
    return find_records(html, url, record_options, content_type=page.content_type if page else None)


def _find_and_draw(html: str | bytes | None, url: str | None, options: RecordOptions, picture: str) -> Records:
    from pagesieve.records.picture import draw

    shot = show(html, url, options, picture=True)
    page = shot.page()
    try:
        records = find_visual(page, options)
    except NothingFound:
        _write_picture(picture, draw(shot.png, page, []))
        raise
    items = [row for record in records.records for item in record.items for row in item.rows]
    _write_picture(picture, draw(shot.png, page, records.segmentations, items))
    return records


def _write_picture(picture: str, png: bytes) -> None:
    try:
        Path(picture).write_bytes(png)
    except OSError as error:
        raise BadInput(f"{picture}: cannot be written: {error.strerror or error}") from error


def _report(records: Records, source: Source, options: dict[str, Any], remarks: list[str]) -> None:
    """Report the number of records and their mode on standard error, unless the output is JSON, which has them."""
    if options["format"] == "json":
        return
    others = len(records.segmentations) - 1
    new = f" ({', '.join(remarks)})" if any(remarks) else ""
    more = f"; {others} other list{'s' if others > 1 else ''}" if others else ""
    more += ": --all-regions" if others and not options["all_regions"] else ""
    more += "; next page" if records.next_url else ""
    say(f"{source.name}: {len(records)} records{new}, mode {records.mode}{more}", records.next_url)


# Outputs


def _chosen_format(format: str | None, output: str | None, table: str | None) -> str:
    """Return the format by its option, by the name of the output, or by whether a terminal reads it."""
    by_name = format_of(output or "")
    if by_name == DATABASE and format is not None:
        raise BadOption(f"-o names a database, which has no format: leave out -f {format}")
    if table is not None and by_name != DATABASE:
        raise BadOption(f"--table is for a database: name one with -o ({', '.join(DATABASE_ENDINGS)}, postgresql://…)")
    if by_name == DATABASE:
        return DATABASE
    return format or by_name or ("csv" if output is None and not sys.stdout.isatty() else "table")


class _Output(Protocol):
    """An output of the records of pages."""

    def add(self, records: Records, source: str, headed: bool) -> str:
        """Write the records of a source, below its name if `headed`; return a remark about them, or nothing."""

    def close(self) -> None:
        """Complete the output."""


def _open_output(options: dict[str, Any]) -> _Output:
    """Open the output that the options name. Raises BadInput if it cannot be written."""
    format, output = options["format"], options["output"]
    if format == DATABASE:
        return _Table(open_table(output, options["table"] or TABLE))
    if format == "parquet":
        from pagesieve.records.outputs import ParquetTable

        return _Table(ParquetTable(output))
    file = _open(output) if output else None
    if format == "json":
        return _Json(file)
    if format == "csv":
        return _Csv(file, one_table=options["schema"] is not None, harmless=not options["raw_cells"])
    return _Markdown(file) if format == "markdown" else _Screen(file)


def _open(path: str) -> IO[str]:
    try:
        return open(path, "w", encoding="utf-8", errors="surrogateescape", newline="")
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror or error}") from error


class _Text:
    """Standard output, or a file."""

    def __init__(self, file: IO[str] | None) -> None:
        self.file = file

    def head(self, source: str, records: Records) -> None:
        """Write the name of the source and of the list; other lists than the best have a line of their own."""
        name = f": {records.name}" if records.number and records.name else ""
        click.echo(f"==> {visible(source + name)} <==", file=self.file)

    def close(self) -> None:
        if self.file is not None:
            self.file.close()


class _Screen(_Text):
    def add(self, records: Records, source: str, headed: bool) -> str:
        from rich.console import Console

        if headed:
            self.head(source, records)
        to = self.file or sys.stdout
        console = Console(file=to, width=None if to.isatty() else PIPE_COLUMNS)
        console.print(records.to_table(console.width))
        return ""


class _Markdown(_Text):
    """Each region as a table or a list of cards, below its name."""

    def add(self, records: Records, source: str, headed: bool) -> str:
        if headed:
            click.echo(f"# {write_text(records.name or as_text(source))}\n", file=self.file)
        click.echo(f"{records.to_markdown()}\n" if headed else records.to_markdown(), file=self.file)
        return ""


class _Csv(_Text):
    """Tables of CSV, each with a header; one table if all pages have the columns of a schema."""

    def __init__(self, file: IO[str] | None, one_table: bool, harmless: bool) -> None:
        super().__init__(file)
        self._one_table, self._harmless = one_table, harmless
        self._has_header = False

    def add(self, records: Records, source: str, headed: bool) -> str:
        if headed and not self._one_table:
            self.head(source, records)
        header = not (self._one_table and self._has_header)
        click.echo(records.to_csv(header=header, harmless=self._harmless), nl=False, file=self.file)
        self._has_header = True
        return ""


class _Json(_Text):
    def add(self, records: Records, source: str, headed: bool) -> str:
        click.echo(json.dumps({"input": as_text(source)} | records.as_dict(), ensure_ascii=False), file=self.file)
        return ""


class _Table:
    """A Parquet file, or a table in a database."""

    def __init__(self, table: ParquetTable | DatabaseTable) -> None:
        self._table = table

    def add(self, records: Records, source: str, headed: bool) -> str:
        new = self._table.add(records)
        return "" if new is None else f"{new} new"

    def close(self) -> None:
        self._table.close()
