"""What SOURCE may be on the command line: a file, a folder of pages, a URL, or - for standard input."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from pagesieve.errors import BadInput
from pagesieve.fetching import PAGE_ENDINGS, other_than_page
from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.text.lists import entries
from pagesieve.text.urls import is_url

Command = TypeVar("Command", bound=Callable[..., Any])

STANDARD_INPUT = "-"
LOOKED_AT = 1 << 14  # bytes of what may be a list
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
class Source:
    """One page to read: its name for messages, and how to get its bytes, address and Content-Type."""

    name: str
    read: Callable[[], tuple[bytes, str | None, str | None]]


def read_bytes(source: Source) -> tuple[bytes, str | None, str | None]:
    """Read the bytes of a source, their address and type. Raises BadInput where they are empty or no page."""
    data, url, content_type = source.read()
    if not data.strip():
        raise BadInput(f"{source.name}: empty")
    if other := other_than_page(data):
        raise BadInput(f"{source.name}: not a page but {other}")
    return data, url, content_type


def read_page(source: Source) -> Page:
    """Read the page of a source."""
    data, url, content_type = read_bytes(source)
    return parse(data, url, content_type=content_type)


def with_progress(sources: list[Source], *, quiet: bool = False) -> Iterable[Source]:
    """Iterate over the sources, with a progress bar on standard error unless results go to the same terminal.

    `quiet` says that nothing is written to standard output.
    """
    if len(sources) < MANY or (sys.stdout.isatty() and not quiet) or not sys.stderr.isatty():
        return sources
    from rich.console import Console
    from rich.progress import track

    return track(sources, "pages", console=Console(stderr=True))


def find_sources(names: tuple[str, ...], url: str | None, allow_private: bool) -> list[Source]:
    """Find the pages that names stand for. A folder stands for all pages below it, in the order of their names."""
    sources: list[Source] = []
    for name in names:
        sources.extend(_find(name, url, allow_private))
    return sources


def listed_sources(name: str, allow_private: bool) -> list[Source]:
    """Find the pages of a list, one a line. A line that stands for none is a source that says so when it is read."""
    if name == STANDARD_INPUT:
        data, shown = _standard_input(), "standard input"
    else:
        data, shown = _file(Path(name), None).read()[0], name
    lines = entries(os.fsdecode(data))
    if not lines:
        raise BadInput(f"{shown}: no sources in this list")
    sources: list[Source] = []
    for line in lines:
        try:
            sources.extend(_find(line, None, allow_private))
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


def _find(name: str, url: str | None, allow_private: bool) -> Iterator[Source]:
    if name == STANDARD_INPUT:
        yield Source("standard input", lambda: (_standard_input(), url, None))
    elif is_url(name):
        yield Source(name, lambda: _fetch(name, allow_private))
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

    def read() -> tuple[bytes, str | None, str | None]:
        if found and path.exists() and not path.is_file():
            raise BadInput(f"{path}: not a regular file")
        try:
            return path.read_bytes(), url, None
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror or error}") from error

    return Source(str(path), read)


def _fetch(name: str, allow_private: bool) -> tuple[bytes, str | None, str | None]:
    from pagesieve.fetching.http import FetchOptions, fetch

    fetched = fetch(name, FetchOptions(allow_private=allow_private))
    return fetched.body, fetched.url, fetched.content_type
