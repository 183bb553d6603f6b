"""`pagesieve article`, and the options that it shares with `pagesieve batch`."""

import csv
import io
import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import click

from pagesieve.api import find_article
from pagesieve.article import BODIES, FORMATS, Article, ArticleOptions
from pagesieve.cli import DONE, as_text, exit_status, say, visible
from pagesieve.cli.headlines import external_titles, read_catalogues
from pagesieve.cli.sites import open_library
from pagesieve.cli.sources import (
    STANDARD_INPUT_NAME,
    Command,
    Fetching,
    Source,
    browser_option,
    declared_option,
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
    references_option,
    sites_option,
    with_fetching_options,
    with_progress,
)
from pagesieve.destinations import harmless
from pagesieve.errors import BadInput, BadOption, NothingFound
from pagesieve.fetching import PAGE_ENDINGS
from pagesieve.joining import MAX_PARTS, follow, spelling
from pagesieve.methods.registry import METHODS, MODELS, SITE_METHODS, load_model
from pagesieve.text.urls import is_url

DEFAULT_BODIES = ("text",)
CSV = "csv"
NOT_IN_CSV = ("found", "partial")  # keys of `as_dict` that are not facts
# The endings of file names, by format.
ENDINGS = {"text": ".txt", "markdown": ".md", "html": ".html", "json": ".json", "tei": ".xml", CSV: ".csv"}
MAX_NAME = 80  # bytes of a name, before its digest and ending
DIGEST = 5  # bytes: a million pages with similar names have a collision with a probability of one half
_UNSAFE = re.compile(r"[^\w.]+")
_LOCAL = "http://files.invalid/1-saved/"  # stands for the folder of a file without an address
# A piece that stays on one line, with the blanks before it: a word, or a character of a script without blanks between
# words, together with its brackets and punctuation.
_SPACELESS = "\u2e80-\u312f\u31a0-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\U00020000-\U0003ffff"
_OPENING = "“‘（〈《「『【〔〖［｛"
_CLOSING = "”’、。，．！？：；…）〉》」』】〕〗］｝ー々"
_BLANK = r"[^\S\xa0\u202f]"
_PIECE = re.compile(
    rf"(?:(?<!{_BLANK}){_BLANK}+)?[{_OPENING}]*(?:[{_SPACELESS}]|(?:[^\s{_SPACELESS}]|[\xa0\u202f])+)[{_CLOSING}]*"
)

Read = Callable[[str, str | None], Article]  # takes the name of a source and, for a file, the address of its page

model_option = declared_option(ArticleOptions, "model", metavar="FILE", type=click.Path())
_OPTIONS = (
    declared_option(ArticleOptions, "method"),
    model_option,
    *(
        declared_option(ArticleOptions, name)
        for name in ArticleOptions.__dataclass_fields__
        if name not in ("method", "model")
    ),
    sites_option,
)


def _bodies(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """Return the names in --with, each once."""
    if value is None:
        return None
    names = tuple(dict.fromkeys(name.strip() for name in value.split(",")))
    for name in names:
        if name not in BODIES:
            raise BadOption(f"--with is any of {','.join(BODIES)}, not {name!r}")
    return names


bodies_option = click.option(
    "--with",
    "bodies",
    metavar="FORMATS",
    callback=_bodies,
    help=f"The formats of the body, besides the facts: any of {','.join(BODIES)}.  [default: text]",
)


def with_article_options(command: Command) -> Command:
    """Add the options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check_model(model: str | None, method: str) -> None:
    """Raise BadInput if a file is not a model, BadOption if the method takes no model."""
    if model is not None:
        if method not in MODELS:
            raise BadOption(f"--model is for --method {', '.join(MODELS)}, not {method}")
        load_model(model, method)


def article_keywords(options: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords of ArticleOptions. Raises BadOption before any page is read if they fit no page."""
    method = options["method"]
    if method in SITE_METHODS and options["sites"] is None:
        takes_references = METHODS[method].takes_references and "references" in options
        if not takes_references or not options["references"]:
            other = " or --reference (another page of it)" if takes_references else ""
            raise BadOption(f"--method {method} needs --sites (a library that has learnt the site){other}")
    check_model(options["model"], method)
    return {name: options[name] for name in ArticleOptions.__dataclass_fields__}


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
    help="Write a file for each page to this folder, and its name to standard output. Skip pages whose file exists.",
)
@click.option("--overwrite", is_flag=True, help="With -o: overwrite files that exist already.")
@click.option(
    "--with-metadata",
    is_flag=True,
    help="Begin Markdown with the facts, as YAML front matter, and the headline; JSON always has them.",
)
@with_article_options
@references_option
@click.option(
    "--catalogue",
    "catalogues",
    metavar="PAGE",
    multiple=True,
    help="A page that links to the article (file or URL): its titles help to find the headline. May be repeated.",
)
@click.option("--url", help="The address of a page that is read from a file, to make its links absolute.")
@click.option(
    "--follow",
    is_flag=True,
    help="Join the pages of an article over several pages: follow its links to a next page on the same host or, for a"
    " file, in the same folder.",
)
@click.option(
    "--max-parts",
    metavar="N",
    type=click.IntRange(min=1),
    help=f"With --follow: the highest number of pages of an article.  [default: {MAX_PARTS}]",
)
@click.option("--why", is_flag=True, help="Instead of the article, write every block and why it was kept or dropped.")
@browser_option
@with_fetching_options
def article(sources: tuple[str, ...], **options: Any) -> int:
    """Write the article of each SOURCE: a file, a folder of pages, a URL, or - for standard input.

    With --follow, a SOURCE that is a later page of another source is joined to it and not written again.

    With several sources, a line with the name of the source precedes each text. JSON is one object per line and CSV one
    row per page; "input" names the source. TEI is an XML document with the facts in its header, valid as TEI Lite.

    With -o, the command writes a file for each page. The name of the file depends only on the name or address of the
    source. A file appears when it is complete, so the same command continues an interrupted one.

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
    pages = find_sources(sources, options["url"], fetching)
    if options["from_list"] is not None:
        pages += listed_sources(options["from_list"], fetching)
    if options["format"] == "tei" and len(pages) > 1 and options["output"] is None:
        raise BadOption("-f tei writes an XML document for each page: name a folder for them with -o")
    references = find_sources(options["references"], None, fetching)
    options["references"] = [read_page(source) for source in references]
    options["catalogue"] = read_catalogues(options["catalogues"], fetching)
    options["fetching"] = fetching
    options["joined"] = set()  # the pages that were joined to an earlier one
    if options["follow"]:  # the first page of an article has the shortest name; read it before the others
        pages.sort(key=lambda source: (len(source.name), source.name))
    results = _Output(options, several=len(pages) > 1) if options["output"] is None else _Folder(options)
    with nullcontext() if options["sites"] is None else open_library(options["sites"]) as options["sites"]:
        outcomes = [_write(source, options, results) for source in with_progress(pages)]
    results.sum_up()
    return exit_status(outcomes)


def _refuse_contradictions(sources: tuple[str, ...], options: dict[str, Any]) -> None:
    if not sources and options["from_list"] is None:
        raise click.UsageError("Missing argument 'SOURCE...'.", click.get_current_context())
    if options["bodies"] is not None and options["format"] not in ("json", CSV):
        raise BadOption("--with is for -f json and csv: the other formats write only the body")
    if options["with_metadata"] and options["format"] not in ("markdown", "json"):
        raise BadOption(f"--with-metadata is for -f markdown and json, not {options['format']}")
    if options["raw_cells"] and options["format"] != CSV:
        raise BadOption("--raw-cells is for -f csv")
    if options["overwrite"] and options["output"] is None:
        raise BadOption("--overwrite is for -o: name the folder of the files")
    if options["max_parts"] is not None and not options["follow"]:
        raise BadOption("--max-parts is for --follow: without it, an article has one page")
    if options["why"] and options["output"] is not None:
        raise BadOption("--why writes to standard output: leave out -o")


class _Output:
    """Results on standard output, one after the other."""

    def __init__(self, options: dict[str, Any], several: bool) -> None:
        self._options = options
        self._is_named = several and (options["format"] not in ("json", CSV) or options["why"])
        self._has_header = False
        # Programs rely on plain text without a headline.
        self._has_reader = options["format"] == "text" and not options["why"] and sys.stdout.isatty()

    def has(self, source: Source) -> bool:
        """Whether a source has its result already."""
        return False

    def write(self, source: Source, article: Article) -> None:
        """Write the article of a source."""
        if self._is_named:
            click.echo(f"==> {visible(source.name)} <==")
        text = _text(source, article, self._options, has_header=self._has_header)
        click.echo(_for_reader(article.title, text) if self._has_reader else text)
        self._has_header = True

    def write_facts(self, source: Source, facts: dict[str, Any]) -> None:
        """Write the facts of a source without an article, if the format is JSON."""
        if self._options["format"] == "json" and not self._options["why"]:
            bodies = dict.fromkeys(self._options["bodies"] or DEFAULT_BODIES)
            click.echo(json.dumps({"input": as_text(source.name)} | facts | bodies, ensure_ascii=False))

    def sum_up(self) -> None:
        """Do nothing: the results are on standard output."""


class _Folder:
    """Results in a folder, a file for each page."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self._files = PageFiles(options["output"], ENDINGS[options["format"]], overwrite=options["overwrite"])

    def has(self, source: Source) -> bool:
        """Whether a source has its file already."""
        return self._files.has(source.name)

    def write(self, source: Source, article: Article) -> None:
        """Write the article of a source to its file, and print the name of the file."""
        text = _text(source, article, self._options, has_header=False)
        click.echo(self._files.write(source.name, f"{text}\n"))

    def write_facts(self, source: Source, facts: dict[str, Any]) -> None:
        """Write nothing, so that a later run tries the source again."""

    def sum_up(self) -> None:
        """Print how many files were written, and how many existed."""
        files = self._files
        existing = f", {files.existing} existed already (--overwrite writes them again)" if files.existing else ""
        say(f"{files.count} file{'' if files.count == 1 else 's'} written to {files.folder}{existing}")


@for_each
def _write(source: Source, options: dict[str, Any], results: _Output | _Folder) -> int:
    """Write the result of one source, unless it exists; return its exit status."""
    if results.has(source) or spelling(source.name) in options["joined"]:
        return DONE
    try:
        article = _find(source, options)
    except NothingFound as error:
        results.write_facts(source, error.facts)
        raise
    for note in article.notes:
        say(f"{source.name}: {note}")
    results.write(source, article)
    return DONE


def _text(source: Source, article: Article, options: dict[str, Any], *, has_header: bool) -> str:
    """Return an article in the requested format; `has_header` says that the header of the CSV was written before."""
    if options["why"]:
        return "\n".join(f"{'keep' if d.kept else 'drop'}  {d.reason}  |  {d.text}" for d in article.decisions)
    if options["format"] in ("json", CSV):
        facts = {"input": as_text(source.name)} | article.as_dict(options["bodies"] or DEFAULT_BODIES)
        if options["format"] == CSV:
            return _row(facts, has_header, options["raw_cells"])
        return json.dumps(facts, ensure_ascii=False)
    return article.as_markdown() if options["with_metadata"] else str(getattr(article, options["format"]))


def _for_reader(title: str, text: str) -> str:
    """Return the headline and the text for a terminal, with lines broken between words."""
    width = shutil.get_terminal_size().columns
    return "\n".join(wrapped(line, width) for line in [*([title, ""] if title else []), *text.split("\n")])


def wrapped(line: str, width: int) -> str:
    """Break a line between words, or between Chinese or Japanese characters; keep its indentation.

    A word wider than the terminal stays whole. The terminal breaks it, so that it can still be copied.
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
    """Return facts as a row of CSV, preceded by the header unless it was written before."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    as_cell = str if raw_cells else harmless
    cells = {name: as_cell(_cell(value)) for name, value in facts.items() if name not in NOT_IN_CSV}
    if not has_header:
        writer.writerow(cells)
    writer.writerow(cells.values())
    return buffer.getvalue().removesuffix("\n")


def _cell(value: object) -> str:
    """Return a value as one cell: text unchanged, a list of texts joined by semicolons, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "; ".join(value)
    return json.dumps(value, ensure_ascii=False)


def _find(source: Source, options: dict[str, Any]) -> Article:
    """Find the article of a source; with --follow, join its other pages."""
    first = _find_on_page(source, options)
    if not options["follow"]:
        return first

    def read(name: str, url: str | None) -> Article:
        options["joined"].add(spelling(name))
        (part,) = find_sources((name,), url, options["fetching"])
        return _find_on_page(part, options | {"catalogue": None})

    return _follow_source(first, source.name, options["url"], read, options["max_parts"] or MAX_PARTS)


def _find_on_page(source: Source, options: dict[str, Any]) -> Article:
    page = read_source(source)
    if isinstance(page.html, bytes) and is_list(page.html):
        raise BadInput(f"{source.name}: a list of pages, not a page: read it with --from-list")
    titles = external_titles(page.page, options["catalogue"]) if options["catalogue"] else ()
    site = {name: options[name] for name in ("references", "sites")}
    return find_article(page, options["article"], external=titles, **site)


# --output: a folder with a file for each page


def file_name(source: str, ending: str) -> str:
    """Return the name of a page's file: a readable beginning and a digest of the whole name of the source."""
    if is_url(source):
        label = re.sub(r"^https?://(?:www\.)?", "", source)
        name = source
    else:
        label = os.path.basename(source)
        name = os.path.normpath(source)
    label = next((label[: -len(end)] for end in PAGE_ENDINGS if label.lower().endswith(end)), label)
    plain = _UNSAFE.sub("-", label.encode("utf-8", "replace").decode()).strip("-._")
    short = plain.encode()[:MAX_NAME].decode("utf-8", "ignore").rstrip("-._") or "page"
    digest = blake2b(name.encode("utf-8", "surrogateescape"), digest_size=DIGEST).hexdigest()
    return f"{short}-{digest}{ending}"


class PageFiles:
    """The files of a command's results. Their names are safe and depend only on the page."""

    def __init__(self, folder: str, ending: str, *, overwrite: bool) -> None:
        """Create the folder if it does not exist. Raises BadInput if that fails."""
        self.folder, self._ending, self._overwrite = Path(folder), ending, overwrite
        self.count = self.existing = 0
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"{folder}: cannot create the folder: {error.strerror or error}") from error

    def has(self, source: str) -> bool:
        """Whether the file of a page exists and is not to be overwritten."""
        exists = not self._overwrite and self._path(source).exists()
        self.existing += exists
        return exists

    def write(self, source: str, text: str) -> Path:
        """Write the file of a page under a hidden name, and rename it when it is complete; return its path."""
        path = self._path(source)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            temporary.write_text(text, encoding="utf-8", errors="replace", newline="")
            os.replace(temporary, path)
        except BaseException as error:
            with suppress(OSError):
                temporary.unlink()
            if isinstance(error, OSError):
                raise BadInput(f"{path}: cannot be written: {error.strerror or error}") from error
            raise
        self.count += 1
        return path

    def _path(self, source: str) -> Path:
        return self.folder / file_name(source, self._ending)


# --follow: the other pages of an article, fetched like the first one, or read from files next to it


def _follow_source(first: Article, name: str, url: str | None, read: Read, most: int) -> Article:
    """Return the article of a source with all its pages; `url` is the option --url, the address of a file."""
    if name == STANDARD_INPUT_NAME:
        return first
    if is_url(name):
        return follow(first, lambda address: read(address, None), most=most)
    files = _LinkedFiles(Path(name), url)
    joined = follow(
        first, lambda address: read(files.name(address), address if url else None), url=files.url, most=most
    )
    return replace(joined, parts=tuple(map(files.name, joined.parts)))


class _LinkedFiles:
    """The files in the folder of the first page, by the addresses in the links between them."""

    def __init__(self, first: Path, url: str | None) -> None:
        self._folder = first.parent
        self.url = url or _LOCAL + quote(first.name)  # of the first page
        self._prefix = self.url.partition("?")[0].rpartition("/")[0] + "/"
        self._names = {self.url: str(first)}

    def name(self, address: str) -> str:
        """Return the name of the file of an address. Raises BadInput if it is outside of the folder, or not a file."""
        if address not in self._names:
            self._names[address] = str(self._path(address))
        return self._names[address]

    def _path(self, address: str) -> Path:
        path, _, query = address.partition("?")
        name = unquote(path.removeprefix(self._prefix)) + (f"?{query}" if query else "")
        if not path.startswith(self._prefix) or "\0" in name:
            raise BadInput(f"{address}: not in the folder of the first page")
        file = self._folder / name
        if file.is_dir():
            file /= "index.html"
        if not file.resolve().is_relative_to(self._folder.resolve()):
            raise BadInput(f"{file}: not in the folder of the first page")
        if file.exists() and not file.is_file():
            raise BadInput(f"{file}: not a regular file")
        return file
