"""Pages rendered by Chromium, controlled by Playwright, for any number of pages and threads.

A browser belongs to one thread of its own, which serves all others. It has no network: names do not resolve in it and
its proxy does not exist, so each request is intercepted, fetched by `fetching/http.py` through the guard, and answered
or refused. Given HTML is rendered without fetching anything and, unless asked for, without running its scripts.

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
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from pagesieve.errors import BadInput, MissingBrowser, MissingExtra
from pagesieve.fetching.rendering import (
    DEFAULT_BROWSER,
    DEFAULT_OPTIONS,
    BrowserOptions,
    RenderOptions,
    Snapshot,
    make_job,
)
from pagesieve.page.rendered import RenderedPage

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


# Finding a browser


def find_browser() -> Path:
    """Find the Chromium or Chrome of this machine: on the path, in the usual places, or Playwright's own.

    Raises MissingBrowser where there is none.
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


# For all threads


class Browser:
    """A browser and the thread that owns it. Any thread may ask it for pages; close it, or use it in a `with`."""

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
        """Render a page: of HTML (or a file of it) with `url` as its address, or else of the URL.

        Raises FetchError where a URL gives no page, and RenderError where it is not shown within its time.
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
        """Take the DOM snapshot of the page and, if asked for, a picture of the same moment."""
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
        """Run something in the owning thread, and wait for its result."""
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
    """Import the module that needs Playwright. Raises MissingExtra where it is not installed."""
    try:
        return importlib.import_module("pagesieve.fetching.driver")
    except ModuleNotFoundError as error:
        raise MissingExtra("rendering a page", EXTRA) from error


_shared: dict[int, Browser] = {}  # by process: a fork may not use its parent's
_sharing = threading.Lock()


def shared() -> Browser:
    """Return the browser of this process, started when first asked for and closed at its end."""
    with _sharing:
        browser = _shared.get(os.getpid())
        if browser is None:
            browser = _shared[os.getpid()] = Browser()
            atexit.register(browser.close)
        return browser
