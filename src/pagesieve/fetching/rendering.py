"""What a browser is asked for, and what it gives: options, a page to render, and the snapshot of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urlsplit

from pagesieve.errors import BadInput, FetchError
from pagesieve.fetching.guard import Resolver, system_addresses
from pagesieve.fetching.http import SCHEMES, shown_url
from pagesieve.page.decode import decode
from pagesieve.page.rendered import RenderedPage, from_snapshot

BLANK_URL = "http://page.invalid/"  # the address of HTML that has none
LARGEST_PICTURE = (4_000, 16_000)  # pixels; the browser paints no higher one


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """How a page is rendered. Seconds are for one page."""

    width: int = 1366
    height: int = 900
    timeout: float = 30.0  # for everything; then the page is given up
    settle: float = 10.0  # to load and come to rest; then the page is taken as it is
    quiet: float = 0.5  # without a request, after which a page has loaded
    scripts: bool | None = None  # whether they run; None: for a URL, not for given HTML
    scroll: int = 0  # how often at most to scroll to the end, as long as more is loaded
    max_bytes: int = 16 * 1024 * 1024  # of one answer
    max_requests: int = 1000
    max_redirects: int = 10
    allow_private: bool = False
    resolve: Resolver = system_addresses


@dataclass(frozen=True, slots=True)
class BrowserOptions:
    """How the browser itself is run."""

    executable: str | Path | None = None  # None: find one
    restart_after: int = 300  # pages: a browser's memory only grows
    at_once: int = 2  # pages


DEFAULT_OPTIONS = RenderOptions()
DEFAULT_BROWSER = BrowserOptions()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A page as the browser describes it, and how long that one call took."""

    raw: dict[str, Any]
    url: str | None
    viewport: tuple[float, float]
    encoding: tuple[str, str]
    notes: tuple[str, ...]
    seconds: float
    png: bytes  # the picture, no larger than LARGEST_PICTURE; empty where none was asked for

    def page(self) -> RenderedPage:
        """Turn the snapshot into a table."""
        encoding, why = self.encoding
        return from_snapshot(
            self.raw, self.url, viewport=self.viewport, encoding=encoding, encoding_why=why, notes=self.notes
        )


@dataclass(frozen=True, slots=True)
class Job:
    """A page to render, ready for the browser: its address there, and its HTML where that was given."""

    address: str
    html: bytes | None
    url: str | None  # as it was given
    options: RenderOptions
    encoding: tuple[str, str] | None
    picture: bool

    @property
    def scripts(self) -> bool:
        """Whether the page's scripts run."""
        return self.html is None if self.options.scripts is None else self.options.scripts

    @property
    def shown(self) -> str:
        """What the page is called in a message."""
        return shown_url(self.url) if self.url else "the page"


def make_job(
    html: str | bytes | Path | None, url: str | None, options: RenderOptions, content_type: str | None, picture: bool
) -> Job:
    """Prepare HTML, a file of it, or else a URL for the browser. Raises BadInput or FetchError where that cannot be."""
    if isinstance(html, Path):
        path = html
        try:
            html = path.read_bytes()
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror}") from error
    if html is None:
        if url is None:
            raise BadInput("nothing to render: neither HTML nor a URL was given")
        if not _is_web(url):
            raise FetchError(f"{shown_url(url)}: not an http or https URL")
        return Job(url, None, url, options, None, picture)
    if isinstance(html, str):
        return Job(_address(url), html.encode("utf-8", "replace"), url, options, ("utf-8", "text"), picture)
    decoded = decode(bytes(html), content_type)
    source = decoded.text.encode("utf-8", "replace")
    return Job(_address(url), source, url, options, (decoded.encoding, decoded.why), picture)


def _address(url: str | None) -> str:
    """Where given HTML is shown: at its own address, if that is one of the web."""
    return urldefrag(url).url if url and _is_web(url) else BLANK_URL


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme.lower() in SCHEMES and bool(parts.hostname)
    except ValueError:
        return False
