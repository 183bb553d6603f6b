"""Pages rendered by Chromium, controlled by Playwright, for any number of pages and threads.

A browser belongs to one thread, which serves all others. It has no network: names do not resolve in it and its proxy
does not exist. Each request is intercepted, and either fetched by `fetching/http.py` through the guard or refused.
HTML that the caller passes is rendered without fetching anything and, by default, without running its scripts.

Import this module in the function that renders a page, not at the top of a module: it is slow to import.
"""

from __future__ import annotations

import asyncio
import atexit
import importlib
import os
import shutil
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urldefrag, urlsplit

from pagesieve.errors import BadInput, FetchError, MissingBrowser, MissingExtra
from pagesieve.fetching.guard import SCHEMES, shown_url
from pagesieve.fetching.options import RenderOptions as RenderOptions  # also public here
from pagesieve.page.rendered import RenderedPage, from_snapshot
from pagesieve.page.static import decode

if TYPE_CHECKING:
    from pagesieve.fetching.driver import Owner

EXTRA = "browser"
NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "microsoft-edge")
PLACES = (
    "/usr/lib/chromium/chromium",
    "/opt/google/chrome/chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Google/Chrome/Application/chrome.exe",
)
# Where Playwright keeps its own browsers on Linux, macOS and Windows; the newest has the largest number.
PLAYWRIGHT_FOLDERS = (".cache/ms-playwright", "Library/Caches/ms-playwright", "AppData/Local/ms-playwright")
PLAYWRIGHT_PROGRAMS = ("chrome-*/chrome", "chrome-*/*.app/Contents/MacOS/*", "chrome-*/chrome.exe")

T = TypeVar("T")


# Jobs and their results

BLANK_URL = "http://page.invalid/"  # the address of HTML that has none
MAX_PICTURE_SIZE = (4_000, 16_000)  # pixels; the browser paints no higher one


@dataclass(frozen=True, slots=True)
class BrowserOptions:
    """Options of the browser itself."""

    executable: str | Path | None = None  # None: find one
    restart_after: int = 300  # pages: a browser's memory only grows
    at_once: int = 2  # pages


DEFAULT_OPTIONS = RenderOptions()
DEFAULT_BROWSER = BrowserOptions()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A page as the browser describes it, and the duration of that call."""

    raw: dict[str, Any]
    url: str | None
    viewport: tuple[float, float]
    encoding: tuple[str, str]
    notes: tuple[str, ...]
    source: tuple[bytes, str | None]  # the document before its scripts ran, and its content type
    missing_styles: int  # style sheets for this screen that could not be had
    seconds: float
    png: bytes  # the picture, no larger than MAX_PICTURE_SIZE; empty if none was asked for

    def page(self) -> RenderedPage:
        """Turn the snapshot into a table."""
        encoding, why = self.encoding
        return from_snapshot(
            self.raw,
            self.url,
            viewport=self.viewport,
            encoding=encoding,
            encoding_why=why,
            notes=self.notes,
            missing_styles=self.missing_styles,
        )


@dataclass(frozen=True, slots=True)
class Job:
    """A page to render: its address in the browser, and its HTML if the caller passed it."""

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
    def quiet(self) -> float:
        """The time without changes; 0 for HTML that the caller passed, since nothing is fetched for it."""
        return self.options.quiet if self.html is None else 0.0

    @property
    def shown(self) -> str:
        """The name of the page in messages."""
        return shown_url(self.url) if self.url else "the page"


def make_job(
    html: str | bytes | Path | None, url: str | None, options: RenderOptions, content_type: str | None, picture: bool
) -> Job:
    """Return a job for HTML, a file, or a URL. Raises BadInput or FetchError if it is not valid."""
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
    """Return the address at which HTML is shown: its own, if that is an http or https URL."""
    return urldefrag(url).url if url and _is_web(url) else BLANK_URL


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme.lower() in SCHEMES and bool(parts.hostname)
    except ValueError:
        return False


def find_browser() -> Path:
    """Return the Chromium or Chrome of this machine: on the path, in the usual places, or Playwright's own.

    Raises MissingBrowser if there is none.
    """
    for path in _candidates():
        if path.is_file() and os.access(path, os.X_OK):
            return path
    raise MissingBrowser("no Chromium was found")


def _candidates() -> Iterator[Path]:
    yield from (Path(found) for name in NAMES if (found := shutil.which(name)))
    yield from map(Path, PLACES)
    named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH", "0")
    folders = [Path(named)] if named != "0" else [Path.home() / folder for folder in PLAYWRIGHT_FOLDERS]
    for folder in folders:
        for release in sorted(folder.glob("chromium-*"), key=_release, reverse=True):
            for program in PLAYWRIGHT_PROGRAMS:
                yield from release.glob(program)


def _release(folder: Path) -> int:
    number = folder.name.rpartition("-")[2]
    return int(number) if number.isdigit() else 0


class Browser:
    """A browser and the thread that owns it. Any thread may use it. Close it, or use it in a `with` statement."""

    def __init__(self, options: BrowserOptions = DEFAULT_BROWSER) -> None:
        driver = _driver()
        self._process = os.getpid()  # a fork has this object, but not the thread
        executable = Path(options.executable) if options.executable else find_browser()
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(driver.overheard)
        self._owner: Owner = driver.Owner(executable, options)
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="pagesieve-browser")
        self._thread.start()

    def render(
        self,
        html: str | bytes | Path | None = None,
        url: str | None = None,
        options: RenderOptions = DEFAULT_OPTIONS,
        *,
        content_type: str | None = None,
    ) -> RenderedPage:
        """Render HTML (or a file) with `url` as its address, or the page of the URL.

        Raises FetchError if a URL gives no page, and RenderError where it is not shown within its time.
        """
        return self.snapshot(html, url, options, content_type=content_type).page()

    def snapshot(
        self,
        html: str | bytes | Path | None = None,
        url: str | None = None,
        options: RenderOptions = DEFAULT_OPTIONS,
        *,
        content_type: str | None = None,
        picture: bool = False,
    ) -> Snapshot:
        """Return the DOM snapshot of the page and, on request, a picture of the same moment."""
        return self._call(self._owner.serve(make_job(html, url, options, content_type, picture)))

    def close(self) -> None:
        """End the browser and its thread; calls that wait for a page raise BadInput."""
        if self._loop.is_closed() or self._process != os.getpid():
            return
        with suppress(Exception):
            self._call(self._owner.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the owning thread, and wait for its result."""
        if self._loop.is_closed():
            work.close()
            raise BadInput("this browser was closed")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except CancelledError:
            raise BadInput("this browser was closed") from None
        except BaseException:
            future.cancel()
            raise


def _driver() -> ModuleType:
    """Import the module that needs Playwright. Raises MissingExtra if it is not installed."""
    try:
        return importlib.import_module("pagesieve.fetching.driver")
    except ModuleNotFoundError as error:
        raise MissingExtra("rendering a page", EXTRA) from error


_shared: dict[int, Browser] = {}  # by process: a fork may not use its parent's
_sharing = threading.Lock()


def shared() -> Browser:
    """Return the browser of this process, which starts on first use and closes at its end."""
    with _sharing:
        browser = _shared.get(os.getpid())
        if browser is None:
            browser = _shared[os.getpid()] = Browser()
            atexit.register(browser.close)
        return browser
