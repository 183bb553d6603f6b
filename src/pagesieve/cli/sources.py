"""The sources of a command: a file, a folder of pages, a URL, or - for standard input; and shared options."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar

import click

from pagesieve.cli import fail_source
from pagesieve.errors import BadInput, BadLibrary, BadModel, BadOption, MissingExtra
from pagesieve.fetching import PAGE_ENDINGS
from pagesieve.fetching.options import USER_AGENT, FetchOptions
from pagesieve.page.static import PageSource, other_than_page
from pagesieve.page.table import Page
from pagesieve.text.urls import entries, is_url

Command = TypeVar("Command", bound=Callable[..., Any])
Params = ParamSpec("Params")

STANDARD_INPUT = "-"
STANDARD_INPUT_NAME = "standard input"  # in messages
LIST_SAMPLE = 1 << 14  # bytes by which a list is recognised
SAME_FOR_ALL = (BadLibrary, BadModel, BadOption, MissingExtra)  # errors that every other page would raise as well
MIN_FOR_PROGRESS = 10  # pages from which a progress bar is shown


def declared_option(options: type, name: str, *names: str, **settings: Any) -> Callable[[Command], Command]:
    """Return the option of a command for a field of a class of options, which has its default and its help."""
    field = options.__dataclass_fields__[name]  # type: ignore[attr-defined]
    help, choices = field.metadata["help"], field.metadata["choices"]
    shared = {"default": field.default, "show_default": bool(field.default), "help": f"{help[0].upper()}{help[1:]}."}
    if choices:
        shared["type"] = click.Choice(choices)
    elif name.startswith("include_"):
        names = names or ("--{0}/--no-{0}".format(name.removeprefix("include_")),)
    elif field.type == "bool":
        shared["is_flag"] = True
    return click.option(*(names or (f"--{name.replace('_', '-')}",)), name, **shared | settings)


# Parameters that the commands have in common.
sources_argument = click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
optional_sources_argument = click.argument("sources", metavar="[SOURCE...]", nargs=-1)
from_list_option = click.option(
    "--from-list",
    metavar="FILE",
    help="A list of more sources, one per line (empty lines and lines that begin with # are skipped); - for standard"
    " input.",
)
references_option = click.option(
    "--reference",
    "references",
    metavar="PAGE",
    multiple=True,
    help="Another page of the same site (file or URL): text that it repeats is not the article's. May be repeated.",
)
sites_option = click.option(
    "--sites", metavar="DB", help="A site library made by `pagesieve learn`: a file, or a database URL."
)
browser_option = click.option("--browser", is_flag=True, help="Open URLs in Chromium, for pages that scripts write.")
_FETCHING = (
    declared_option(FetchOptions, "cache", metavar="FOLDER", type=click.Path(path_type=Path)),
    declared_option(FetchOptions, "user_agent", metavar="TEXT", default=None, show_default=False),
    declared_option(FetchOptions, "allow_private"),
)


def with_fetching_options(command: Command) -> Command:
    """Add the options for fetching to a command."""
    for option in reversed(_FETCHING):
        command = option(command)
    return command


raw_cells_option = click.option(
    "--raw-cells",
    is_flag=True,
    help="Write cells of CSV unchanged, without an apostrophe before those that a spreadsheet would run as a formula.",
)


def format_option(*formats: str) -> Callable[[Command], Command]:
    """Return the option for the format of the results; the first format is the default."""
    choice = click.Choice(formats)
    return click.option(
        "-f", "--format", type=choice, default=formats[0], show_default=True, help="The format of the results."
    )


@dataclass(frozen=True, slots=True)
class Fetching:
    """The options for fetching URLs; the fields have the names of the command-line options."""

    allow_private: bool = False
    cache: Path | None = None
    user_agent: str | None = None
    browser: bool = False

    def __post_init__(self) -> None:
        if self.cache is None:
            return
        if self.browser:
            raise BadOption("--cache is for pages that are fetched without a browser: leave out --browser")
        from pagesieve.fetching.cache import check_cache

        check_cache(self.cache)

    @classmethod
    def of(cls, options: dict[str, Any]) -> Fetching:
        """Return the options for fetching among the options of a command."""
        return cls(**{name: options[name] for name in cls.__dataclass_fields__ if name in options})

    def fetch(self, url: str) -> PageSource:
        """Fetch the page of a URL."""
        from pagesieve.fetching.pages import fetch_page

        agent = self.user_agent if self.user_agent is not None else USER_AGENT
        options = FetchOptions(allow_private=self.allow_private, cache=self.cache, user_agent=agent)
        return fetch_page(url, browser=self.browser, options=options)


@dataclass(frozen=True, slots=True)
class Source:
    """One page to read: its name for messages, and how to get it."""

    name: str
    read: Callable[[], PageSource]


def for_each(write: Callable[Concatenate[Source, Params], int]) -> Callable[Concatenate[Source, Params], int]:
    """Decorate a function that writes one source: report its error as a line and an exit status instead of raising it.

    Errors that would occur with every source are raised, and so are errors in writing the output.
    """

    @wraps(write)
    def write_one(source: Source, /, *args: Params.args, **kwargs: Params.kwargs) -> int:
        try:
            return write(source, *args, **kwargs)
        except (*SAME_FOR_ALL, OSError):
            raise
        except Exception as error:
            return fail_source(source.name, error)

    return write_one


def read_source(source: Source) -> PageSource:
    """Read a source, without parsing it. Raises BadInput if it is empty or not a page."""
    try:
        page = source.read()
    except OSError as error:
        raise BadInput(f"{source.name}: {error.strerror or error}") from error
    if isinstance(page.html, bytes):
        if not page.html.strip():
            raise BadInput(f"{source.name}: empty")
        if other := other_than_page(page.html):
            raise BadInput(f"{source.name}: not a page but {other}")
    return page


def read_page(source: Source) -> Page:
    """Read and parse the page of a source."""
    return read_source(source).page


def with_progress(sources: list[Source], *, quiet: bool = False) -> Iterable[Source]:
    """Iterate over the sources, with a progress bar on standard error unless results go to the same terminal.

    `quiet` says that nothing is written to standard output.
    """
    if len(sources) < MIN_FOR_PROGRESS or (sys.stdout.isatty() and not quiet) or not sys.stderr.isatty():
        return sources
    from rich.console import Console
    from rich.progress import track

    return track(sources, "pages", console=Console(stderr=True))


def find_sources(names: tuple[str, ...], url: str | None, fetching: Fetching) -> list[Source]:
    """Return the sources for some names. A folder stands for all pages below it, in the order of their names."""
    sources: list[Source] = []
    for name in names:
        sources.extend(_find(name, url, fetching))
    return sources


def listed_sources(name: str, fetching: Fetching) -> list[Source]:
    """Return the sources in a list with one per line. For a bad line, reading the source raises BadInput."""
    if name == STANDARD_INPUT:
        data, label = _standard_input(), STANDARD_INPUT_NAME
    else:
        data, label = _read(Path(name)), name
    lines = entries(os.fsdecode(data))
    if not lines:
        raise BadInput(f"{label}: no sources in this list")
    sources: list[Source] = []
    for line in lines:
        try:
            sources.extend(_find(line, None, fetching))
        except BadInput as error:
            sources.append(Source(line, partial(_raise, error)))
    return sources


def is_list(data: bytes) -> bool:
    """Whether some bytes are a list of pages instead of a page: most lines are addresses or existing files."""
    if b"<" in data or b"\0" in data:
        return False
    lines = entries(os.fsdecode(data[:LIST_SAMPLE]))[: -1 if len(data) > LIST_SAMPLE else None]
    return 2 * sum(is_url(line) or os.path.isfile(line) for line in lines) > len(lines)


def _raise(error: BadInput) -> NoReturn:
    raise error


def _find(name: str, url: str | None, fetching: Fetching) -> Iterator[Source]:
    if name == STANDARD_INPUT:
        yield Source(STANDARD_INPUT_NAME, lambda: PageSource(_standard_input(), url))
    elif is_url(name):
        yield Source(name, lambda: fetching.fetch(name))
    elif not name:
        raise BadInput("a source without a name")
    elif "://" in name:
        raise BadInput(f"{name}: only http and https are fetched")
    elif os.path.isdir(name):
        paths = sorted(path for path in Path(name).rglob("*") if path.suffix.lower() in PAGE_ENDINGS)
        paths = [path for path in paths if not path.is_dir()]
        if not paths:
            raise BadInput(f"{name}: no pages in this folder (no {', '.join(PAGE_ENDINGS)})")
        for path in paths:
            yield _file(path, url, in_folder=True)
    else:
        yield _file(Path(name), url)


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise BadInput("standard input is closed")
    return sys.stdin.buffer.read()


def _file(path: Path, url: str | None, *, in_folder: bool = False) -> Source:
    """Return the source of a file. A pipe in a folder is refused: perhaps nobody writes to it."""

    def read() -> PageSource:
        if in_folder and path.exists() and not path.is_file():
            raise BadInput(f"{path}: not a regular file")
        return PageSource(_read(path), url)

    return Source(str(path), read)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
