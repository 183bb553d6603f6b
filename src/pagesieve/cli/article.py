"""`pagesieve article`: the article of each source; and the options that `pagesieve batch` shares."""

import csv
import io
import json
import re
import shutil
import sys
from contextlib import nullcontext
from typing import Any

import click

from pagesieve.api import find_article
from pagesieve.article import BODIES, FAVORS, FORMATS, METHOD_NAMES, Article, ArticleOptions
from pagesieve.articles.methods import METHODS, MODELS, SITE_METHODS, load_model
from pagesieve.cli import DONE, as_text, exit_status, say, visible
from pagesieve.cli.files import PageFiles
from pagesieve.cli.following import follow_source
from pagesieve.cli.headlines import external_titles, read_catalogues
from pagesieve.cli.sites import open_library
from pagesieve.cli.sources import (
    Command,
    Fetching,
    Source,
    browser_option,
    find_sources,
    for_each,
    format_option,
    from_list_option,
    is_list,
    listed_sources,
    optional_sources_argument,
    raw_cells_option,
    read_page,
    read_source,
    with_fetching_options,
    with_progress,
)
from pagesieve.errors import BadInput, BadOption, NothingFound
from pagesieve.joining import MOST_PARTS, spelling
from pagesieve.text.cells import harmless

DEFAULTS = ArticleOptions()
DEFAULT_BODIES = ("text",)
CSV = "csv"
NOT_IN_CSV = ("found", "partial")  # of `as_dict`: about the facts, not facts
# What the name of a file ends with, by what is in it.
ENDINGS = {"text": ".txt", "markdown": ".md", "html": ".html", "json": ".json", "tei": ".xml", CSV: ".csv"}
# What a line is not broken in, with the blanks before it: a word, or a character of a script that writes none between
# words, with the brackets and marks that belong to it.
_UNPARTED = "\u2e80-\u312f\u31a0-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\U00020000-\U0003ffff"
_OPENING = "“‘（〈《「『【〔〖［｛"
_CLOSING = "”’、。，．！？：；…）〉》」』】〕〗］｝ー々"
_BLANK = r"[^\S\xa0\u202f]"
_PIECE = re.compile(
    rf"(?:(?<!{_BLANK}){_BLANK}+)?[{_OPENING}]*(?:[{_UNPARTED}]|(?:[^\s{_UNPARTED}]|[\xa0\u202f])+)[{_CLOSING}]*"
)
model_option = click.option(
    "--model",
    metavar="FILE",
    type=click.Path(),
    help=f"A model made by `pagesieve train`, for the methods {', '.join(MODELS)}.",
)
_OPTIONS = (
    click.option(
        "--method",
        type=click.Choice(METHOD_NAMES),
        default=DEFAULTS.method,
        show_default=True,
        help="How to find the article.",
    ),
    click.option("--favor", type=click.Choice(FAVORS), help="Rather miss a paragraph, or rather keep one too many."),
    model_option,
    click.option("--sites", metavar="DB", help="A site library made by `pagesieve learn`: a file, or a database URL."),
    click.option("--links/--no-links", "include_links", default=False, help="Keep the links."),
    click.option("--images/--no-images", "include_images", default=False, help="Keep the images."),
    click.option(
        "--captions/--no-captions",
        "include_captions",
        default=None,
        help="Keep the captions of images, or leave them out.  [default: in every format but plain text]",
    ),
    click.option("--tables/--no-tables", "include_tables", default=True, show_default=True, help="Keep the tables."),
    click.option("--comments/--no-comments", "include_comments", default=False, help="Keep what readers wrote below."),
    click.option(
        "--bylines/--no-bylines",
        "include_bylines",
        default=False,
        help="Begin each post of a thread with its author and date in plain text too.",
    ),
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


def check_model(model: str | None, method: str) -> None:
    """Refuse a file that is no model, or not one for the method."""
    if model is not None:
        if method not in MODELS:
            raise BadOption(f"--model is for --method {', '.join(MODELS)}, not {method}")
        load_model(model, method)


def article_keywords(given: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords of ArticleOptions; refuse, before any page is read, what would be wrong for all of them."""
    method = given["method"]
    if method in SITE_METHODS and given["sites"] is None:
        takes_references = METHODS[method].takes_references and "references" in given
        if not takes_references or not given["references"]:
            other = " or --reference (another page of it)" if takes_references else ""
            raise BadOption(f"--method {method} needs --sites (a library that has learnt the site){other}")
    check_model(given["model"], method)
    return {name: given[name] for name in ArticleOptions.__dataclass_fields__}


@click.command()
@optional_sources_argument
@from_list_option
@format_option(*FORMATS, CSV)
@bodies_option
@raw_cells_option
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    help="Write one file a page to this folder, and its name to standard output. Pages that have theirs are skipped.",
)
@click.option("--overwrite", is_flag=True, help="With -o: write the files again that are there already.")
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
@click.option(
    "--follow",
    is_flag=True,
    help="Read the other pages of an article too, and join them: by its links to a next page, of the same host or, for"
    " a file, in the same folder.",
)
@click.option(
    "--max-parts",
    metavar="N",
    type=click.IntRange(min=1),
    help=f"With --follow: the most pages that an article is read from.  [default: {MOST_PARTS}]",
)
@click.option("--why", is_flag=True, help="Say of every block why it was kept or dropped, instead of the article.")
@browser_option
@with_fetching_options
def article(sources: tuple[str, ...], **options: Any) -> int:
    """Write the article of each SOURCE: a file, a folder of pages, a URL, or - for standard input.

    With --follow, a SOURCE that is a later page of another one is part of its article, and not written again.

    With several sources the text of each follows a line that names it. JSON is one object per line, and CSV one row,
    which names its source as "input". TEI is an XML document with the facts in its header, valid as TEI Lite.

    With -o, every page has a file of its own, whose name is made of the name or address of its source, and is the same
    each time. A file is there when it is complete: a command that was interrupted goes on where it was.

    \b
    pagesieve article page.html
    pagesieve article -f json crawl/ > articles.jsonl
    pagesieve article -f json --with text,markdown crawl/ > articles.jsonl
    pagesieve article -f markdown --with-metadata page.html > page.md
    pagesieve article -f markdown -o articles/ crawl/
    pagesieve article -f tei -o corpus/ --from-list urls.txt
    pagesieve article -f csv crawl/ > articles.csv
    pagesieve article --why page.html
    pagesieve article page.html --reference sibling.html
    pagesieve article https://… --sites sites.db
    pagesieve article https://… --catalogue https://…
    pagesieve article --follow https://…
    pagesieve article --browser https://…
    """
    _refuse_contradictions(sources, options)
    options["article"] = ArticleOptions(**article_keywords(options))
    fetching = Fetching.of(options)
    found = find_sources(sources, options["url"], fetching)
    if options["from_list"] is not None:
        found += listed_sources(options["from_list"], fetching)
    if options["format"] == "tei" and len(found) > 1 and options["output"] is None:
        raise BadOption("-f tei writes an XML document for each page: name a folder for them with -o")
    references = find_sources(options["references"], None, fetching)
    options["references"] = [read_page(source) for source in references]
    options["catalogue"] = read_catalogues(options["catalogues"], fetching)
    options["fetching"] = fetching
    options["joined"] = set()  # the pages that were joined to one before
    if options["follow"]:  # the first page of an article has the shortest name, and comes before its others
        found.sort(key=lambda source: (len(source.name), source.name))
    results = _Printed(options, several=len(found) > 1) if options["output"] is None else _Filed(options)
    with nullcontext() if options["sites"] is None else open_library(options["sites"]) as options["sites"]:
        outcomes = [_write(source, options, results) for source in with_progress(found)]
    results.sum_up()
    return exit_status(outcomes)


def _refuse_contradictions(sources: tuple[str, ...], options: dict[str, Any]) -> None:
    if not sources and options["from_list"] is None:
        raise click.UsageError("Missing argument 'SOURCE...'.", click.get_current_context())
    if options["bodies"] is not None and options["format"] not in ("json", CSV):
        raise BadOption("--with is for -f json and csv: the other formats are the body itself")
    if options["with_metadata"] and options["format"] not in ("markdown", "json"):
        raise BadOption(f"--with-metadata is for -f markdown and json, not {options['format']}")
    if options["raw_cells"] and options["format"] != CSV:
        raise BadOption("--raw-cells is for -f csv")
    if options["overwrite"] and options["output"] is None:
        raise BadOption("--overwrite is for -o: name the folder of the files")
    if options["max_parts"] is not None and not options["follow"]:
        raise BadOption("--max-parts is for --follow: without it, an article is read from one page")
    if options["why"] and options["output"] is not None:
        raise BadOption("--why is to be read at once: leave out -o")


class _Printed:
    """Results on standard output, one after the other."""

    def __init__(self, options: dict[str, Any], several: bool) -> None:
        self._options = options
        self._is_named = several and (options["format"] not in ("json", CSV) or options["why"])
        self._has_header = False
        # Others than people rely on plain text being the body alone.
        self._has_reader = options["format"] == "text" and not options["why"] and sys.stdout.isatty()

    def has(self, source: Source) -> bool:
        """Whether a source has its result already."""
        return False

    def write(self, source: Source, found: Article) -> None:
        """Write the article of a source."""
        if self._is_named:
            click.echo(f"==> {visible(source.name)} <==")
        text = _text(source, found, self._options, has_header=self._has_header)
        click.echo(_for_reader(found.title, text) if self._has_reader else text)
        self._has_header = True

    def write_facts(self, source: Source, facts: dict[str, Any]) -> None:
        """Write the facts of a source without an article as JSON, if that is asked for."""
        if self._options["format"] == "json" and not self._options["why"]:
            bodies = dict.fromkeys(self._options["bodies"] or DEFAULT_BODIES)
            click.echo(json.dumps({"input": as_text(source.name)} | facts | bodies, ensure_ascii=False))

    def sum_up(self) -> None:
        """Say nothing: the results can be seen."""


class _Filed:
    """Results in files of their own."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self._files = PageFiles(options["output"], ENDINGS[options["format"]], overwrite=options["overwrite"])

    def has(self, source: Source) -> bool:
        """Whether a source has its file already."""
        return self._files.has(source.name)

    def write(self, source: Source, found: Article) -> None:
        """Write the article of a source, and the name of its file."""
        text = _text(source, found, self._options, has_header=False)
        click.echo(self._files.write(source.name, f"{text}\n"))

    def write_facts(self, source: Source, facts: dict[str, Any]) -> None:
        """Write nothing: a source without a file is tried again."""

    def sum_up(self) -> None:
        """Say how many files were written, and how many were there."""
        files = self._files
        kept = f", {files.kept} were there already (--overwrite writes them again)" if files.kept else ""
        say(f"{files.written} file{'' if files.written == 1 else 's'} written to {files.folder}{kept}")


@for_each
def _write(source: Source, options: dict[str, Any], results: _Printed | _Filed) -> int:
    """Write the result of one source, unless it is there; return its share of the exit status."""
    if results.has(source) or spelling(source.name) in options["joined"]:
        return DONE
    try:
        found = _find(source, options)
    except NothingFound as error:
        results.write_facts(source, error.facts)
        raise
    for note in found.notes:
        say(f"{source.name}: {note}")
    results.write(source, found)
    return DONE


def _text(source: Source, found: Article, options: dict[str, Any], *, has_header: bool) -> str:
    """Return an article as it was asked for; `has_header` says whether the header of the CSV was written before."""
    if options["why"]:
        return "\n".join(f"{'keep' if d.kept else 'drop'}  {d.reason}  |  {d.text}" for d in found.decisions)
    if options["format"] in ("json", CSV):
        facts = {"input": as_text(source.name)} | found.as_dict(options["bodies"] or DEFAULT_BODIES)
        if options["format"] == CSV:
            return _row(facts, has_header, options["raw_cells"])
        return json.dumps(facts, ensure_ascii=False)
    return found.as_markdown() if options["with_metadata"] else str(getattr(found, options["format"]))


def _for_reader(title: str, text: str) -> str:
    """Return the headline and the text as a person reads them on a terminal: with lines that end between words."""
    width = shutil.get_terminal_size().columns
    return "\n".join(wrapped(line, width) for line in [*([title, ""] if title else []), *text.split("\n")])


def wrapped(line: str, width: int) -> str:
    """Break a line between words, or between Chinese or Japanese characters; its lines are indented as it is.

    A word that is wider than the terminal is left whole, for the terminal to break: it can be copied then.
    """
    from rich.cells import cell_len

    line = line.rstrip()
    if cell_len(line) <= width:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    lines, used = [""], 0
    for piece in _PIECE.findall(line):
        size = cell_len(piece)
        if used + size > width and lines[-1].strip():
            piece = indent + piece.lstrip()
            lines.append("")
            used, size = 0, cell_len(piece)
        lines[-1] += piece
        used += size
    return "\n".join(lines)


def _row(facts: dict[str, Any], has_header: bool, raw_cells: bool) -> str:
    """Return facts as a row of CSV, after the header unless there is one."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    as_cell = str if raw_cells else harmless
    cells = {name: as_cell(_cell(value)) for name, value in facts.items() if name not in NOT_IN_CSV}
    if not has_header:
        writer.writerow(cells)
    writer.writerow(cells.values())
    return buffer.getvalue().removesuffix("\n")


def _cell(value: object) -> str:
    """Return a value as one cell: the texts of a list with semicolons between them, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "; ".join(value)
    return json.dumps(value, ensure_ascii=False)


def _find(source: Source, options: dict[str, Any]) -> Article:
    """Find the article of a source, with its other pages if asked."""
    first = _find_on_page(source, options)
    if not options["follow"]:
        return first

    def read(name: str, url: str | None) -> Article:
        options["joined"].add(spelling(name))
        (part,) = find_sources((name,), url, options["fetching"])
        return _find_on_page(part, options | {"catalogue": None})

    return follow_source(first, source.name, options["url"], read, options["max_parts"] or MOST_PARTS)


def _find_on_page(source: Source, options: dict[str, Any]) -> Article:
    given = read_source(source)
    if isinstance(given.html, bytes) and is_list(given.html):
        raise BadInput(f"{source.name}: a list of pages, not a page: read it with --from-list")
    titles = external_titles(given.page, options["catalogue"]) if options["catalogue"] else ()
    known = {name: options[name] for name in ("references", "sites")}
    return find_article(given, options["article"], external=titles, **known)
