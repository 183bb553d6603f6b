"""What SOURCE may be on the command line: a file, a folder of pages, a URL, or - for standard input."""

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
from pagesieve.fetching import PAGE_ENDINGS, other_than_page
from pagesieve.page.static import PageSource
from pagesieve.page.table import Page
from pagesieve.text.lists import entries
from pagesieve.text.urls import is_url

Command = TypeVar("Command", bound=Callable[..., Any])
Given = ParamSpec("Given")

STANDARD_INPUT = "-"
STANDARD_INPUT_NAME = "standard input"  # in messages
LOOKED_AT = 1 << 14  # bytes of what may be a list
SAME_FOR_ALL = (BadLibrary, BadModel, BadOption, MissingExtra)  # errors that every other page would have as well
MANY = 10  # pages, from which on a progress bar is shown

# Parameters that the commands have in common.
sources_argument = click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
optional_sources_argument = click.argument("sources", metavar="[SOURCE...]", nargs=-1)
from_list_option = click.option(
    "--from-list",
    metavar="FILE",
    help="A list of more sources, one a line (empty lines and those that begin with # are skipped); - for standard"
    " input.",
)
allow_private_option = click.option(
    "--allow-private", is_flag=True, help="Fetch from addresses that are not public, too."
)
browser_option = click.option(
    "--browser", is_flag=True, help="Open URLs in Chromium, for pages that their scripts write."
)
_FETCHING = (
    click.option(
        "--cache",
        metavar="FOLDER",
        type=click.Path(path_type=Path),
        help="Keep what is fetched there, and fetch again only what may have changed.",
    ),
    click.option("--user-agent", metavar="TEXT", help="What servers are told who asks.  [default: pagesieve/VERSION]"),
    allow_private_option,
)


def with_fetching_options(command: Command) -> Command:
    """Add the options for fetching to a command."""
    for option in reversed(_FETCHING):
        command = option(command)
    return command


raw_cells_option = click.option(
    "--raw-cells",
    is_flag=True,
    help="Leave cells of CSV as they are; else those that a spreadsheet program would run begin with an apostrophe.",
)


def format_option(*formats: str) -> Callable[[Command], Command]:
    """Make the option for the format of the results; the first is the default."""
    choice = click.Choice(formats)
    return click.option("-f", "--format", type=choice, default=formats[0], show_default=True, help="What to write.")


@dataclass(frozen=True, slots=True)
class Fetching:
    """How the URLs among the sources are fetched; the fields are named after the options."""

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
        """Return how a command with these options fetches."""
        return cls(**{name: options[name] for name in cls.__dataclass_fields__ if name in options})

    def fetch(self, url: str) -> PageSource:
        """Fetch the page of a URL."""
        from pagesieve.fetching.http import USER_AGENT, FetchOptions
        from pagesieve.fetching.pages import fetch_page

        agent = self.user_agent if self.user_agent is not None else USER_AGENT
        options = FetchOptions(allow_private=self.allow_private, cache=self.cache, user_agent=agent)
        return fetch_page(url, browser=self.browser, options=options)


@dataclass(frozen=True, slots=True)
class Source:
    """One page to read: its name for messages, and how to get it."""

    name: str
    read: Callable[[], PageSource]


def for_each(write: Callable[Concatenate[Source, Given], int]) -> Callable[Concatenate[Source, Given], int]:
    """Make what goes wrong with one source a line and its share of the exit status, so that the others go on.

    What would go wrong with every source is raised, and so is an output that cannot be written.
    """

    @wraps(write)
    def write_one(source: Source, /, *given: Given.args, **named: Given.kwargs) -> int:
        try:
            return write(source, *given, **named)
        except (*SAME_FOR_ALL, OSError):
            raise
        except Exception as error:
            return fail_source(source.name, error)

    return write_one


def read_source(source: Source) -> PageSource:
    """Read a source, without parsing it. Raises BadInput where it is empty or no page."""
    try:
        found = source.read()
    except OSError as error:
        raise BadInput(f"{source.name}: {error.strerror or error}") from error
    if isinstance(found.html, bytes):
        if not found.html.strip():
            raise BadInput(f"{source.name}: empty")
        if other := other_than_page(found.html):
            raise BadInput(f"{source.name}: not a page but {other}")
    return found


def read_page(source: Source) -> Page:
    """Read the page of a source."""
    return read_source(source).page


def with_progress(sources: list[Source], *, quiet: bool = False) -> Iterable[Source]:
    """Iterate over the sources, with a progress bar on standard error unless results go to the same terminal.

    `quiet` says that nothing is written to standard output.
    """
    if len(sources) < MANY or (sys.stdout.isatty() and not quiet) or not sys.stderr.isatty():
        return sources
    from rich.console import Console
    from rich.progress import track

    return track(sources, "pages", console=Console(stderr=True))


def find_sources(names: tuple[str, ...], url: str | None, fetching: Fetching) -> list[Source]:
    """Find the pages that names stand for. A folder stands for all pages below it, in the order of their names."""
    sources: list[Source] = []
    for name in names:
        sources.extend(_find(name, url, fetching))
    return sources


def listed_sources(name: str, fetching: Fetching) -> list[Source]:
    """Find the pages of a list, one a line. A line that stands for none is a source that says so when it is read."""
    if name == STANDARD_INPUT:
        data, shown = _standard_input(), STANDARD_INPUT_NAME
    else:
        data, shown = _read(Path(name)), name
    lines = entries(os.fsdecode(data))
    if not lines:
        raise BadInput(f"{shown}: no sources in this list")
    sources: list[Source] = []
    for line in lines:
        try:
            sources.extend(_find(line, None, fetching))
        except BadInput as error:
            sources.append(Source(line, partial(_raise, error)))
    return sources


def is_list(data: bytes) -> bool:
    """Whether some bytes are no page but a list of them: most lines are addresses, or files that are there."""
    if b"<" in data or b"\0" in data:
        return False
    lines = entries(os.fsdecode(data[:LOOKED_AT]))[: -1 if len(data) > LOOKED_AT else None]
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
        found = sorted(path for path in Path(name).rglob("*") if path.suffix.lower() in PAGE_ENDINGS)
        found = [path for path in found if not path.is_dir()]
        if not found:
            raise BadInput(f"{name}: no pages in this folder (no {', '.join(PAGE_ENDINGS)})")
        for path in found:
            yield _file(path, url, found=True)
    else:
        yield _file(Path(name), url)


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise BadInput("standard input is closed")
    return sys.stdin.buffer.read()


def _file(path: Path, url: str | None, *, found: bool = False) -> Source:
    """A file; one that was found in a folder and is a pipe is not read: nobody may write to it."""

    def read() -> PageSource:
        if found and path.exists() and not path.is_file():
            raise BadInput(f"{path}: not a regular file")
        return PageSource(_read(path), url)

    return Source(str(path), read)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
