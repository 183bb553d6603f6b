"""What SOURCE may be on the command line: a file, a folder of pages, a URL, or - for standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pagesieve.errors import BadInput
from pagesieve.fetching.bodies import PAGE_ENDINGS, other_than_page
from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.text.urls import is_url

MANY = 10  # pages: where as many are to come, somebody who watches wants to know how far they are


@dataclass(frozen=True, slots=True)
class Source:
    """One page to read: its name for messages, and how to get its bytes, address and Content-Type."""

    name: str
    read: Callable[[], tuple[bytes, str | None, str | None]]


def read_bytes(source: Source) -> tuple[bytes, str | None, str | None]:
    """The bytes behind a source, their address and type; what is empty or no page at all is BadInput."""
    data, url, content_type = source.read()
    if not data.strip():
        raise BadInput(f"{source.name}: empty")
    if other := other_than_page(data):
        raise BadInput(f"{source.name}: not a page but {other}")
    return data, url, content_type


def read_page(source: Source) -> Page:
    """The page behind a source, with its address."""
    data, url, content_type = read_bytes(source)
    return parse(data, url, content_type=content_type)


def with_progress(sources: list[Source], *, quiet: bool = False) -> Iterable[Source]:
    """The sources, with a bar on standard error where somebody watches and the results go elsewhere.

    `quiet` says that nothing goes to standard output, so the bar is in nobody's way.
    """
    if len(sources) < MANY or (sys.stdout.isatty() and not quiet) or not sys.stderr.isatty():
        return sources
    from rich.console import Console
    from rich.progress import track

    return track(sources, "pages", console=Console(stderr=True))


def find_sources(names: tuple[str, ...], url: str | None, allow_private: bool) -> list[Source]:
    """The pages behind the names given. A folder stands for all pages below it, in the order of their names."""
    sources: list[Source] = []
    for name in names:
        sources.extend(_find(name, url, allow_private))
    return sources


def _find(name: str, url: str | None, allow_private: bool) -> Iterator[Source]:
    if name == "-":
        yield Source("standard input", lambda: (_standard_input(), url, None))
    elif is_url(name):
        yield Source(name, lambda: _fetch(name, allow_private))
    elif not name:
        raise BadInput("a source without a name")
    elif "://" in name:
        raise BadInput(f"{name}: only http and https are fetched")
    elif os.path.isdir(name):
        found = sorted(path for path in Path(name).rglob("*") if path.suffix.lower() in PAGE_ENDINGS and path.is_file())
        if not found:
            raise BadInput(f"{name}: no pages in this folder (no {', '.join(PAGE_ENDINGS)})")
        for path in found:
            yield _file(path, url)
    else:
        yield _file(Path(name), url)


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise BadInput("standard input is closed")
    return sys.stdin.buffer.read()


def _file(path: Path, url: str | None) -> Source:
    def read() -> tuple[bytes, str | None, str | None]:
        try:
            return path.read_bytes(), url, None
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror or error}") from error

    return Source(str(path), read)


def _fetch(name: str, allow_private: bool) -> tuple[bytes, str | None, str | None]:
    from pagesieve.fetching.http import FetchOptions, fetch

    fetched = fetch(name, FetchOptions(allow_private=allow_private))
    return fetched.body, fetched.url, fetched.content_type
