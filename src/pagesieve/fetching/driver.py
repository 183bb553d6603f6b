"""What the thread that owns a browser does: it starts and ends browsers, opens tabs, and takes pages through them.

Only `fetching/chromium.py` imports this module, when a browser is wanted: it needs Playwright.
"""

from __future__ import annotations

import asyncio
import base64
import os
import re
import signal
import sys
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from playwright.async_api import Browser as PlaywrightBrowser
from playwright.async_api import BrowserContext, CDPSession, Error, Playwright, async_playwright
from playwright.async_api import Page as PlaywrightPage

from pagesieve.errors import FetchError, MissingBrowser, PagesieveError, RenderError
from pagesieve.fetching.bodies import is_page
from pagesieve.fetching.chromium import LARGEST_PICTURE, BrowserOptions, Job, Snapshot
from pagesieve.fetching.http import Answer, Exchanges, FetchOptions, shown_url, without_credentials
from pagesieve.page.rendered import QUESTION

SWITCHES = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:1",  # whatever is not paused and handed over ends here,
    "--proxy-bypass-list=<-loopback>",  # this machine's own services too
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--js-flags=--max-old-space-size=512",
    # A page that was shown gives its process to the next: half the time of opening one.
    "--disable-site-isolation-trials",
    "--disable-smooth-scrolling",
    "--hide-scrollbars",
)
NOT_OURS = ("--disable-popup-blocking",)  # Playwright's own switches that let a page do what we do not want

# What is fetched for a page: nothing of a video, of a frame, or that only reports.
WANTED = frozenset({"Document", "Stylesheet", "Image", "Font", "Script", "XHR", "Fetch", "Preflight"})
REFRESHES = re.compile(rb"http-equiv\s*=\s*[\"']?\s*refresh", re.IGNORECASE)

NO_CONTENT = Answer(204, (), b"")  # to this a browser stays where it is

ATTEMPTS = 2  # a page whose browser died may not be the one that killed it
CLOSE_LIMIT = 5.0  # seconds a tab may take to close before the whole browser is killed
LOOK_EVERY = 0.1
UNLOADED = 4  # how many times as long a page must be quiet that has not said that it has loaded
FETCHING_THREADS = 32
MOST_IDLE = 8  # tabs kept for the next pages

T = TypeVar("T")


class _Died(Exception):
    """The browser ended while it had this page."""


class _Crashed(Exception):
    """The tab ended while it had this page."""


def _came(event: asyncio.Future[None]) -> None:
    if not event.done():
        event.set_result(None)


async def _unless(event: asyncio.Future[None], error: type[Exception], work: Coroutine[Any, Any, T]) -> T:
    """The result of some work, or an error as soon as an event comes first."""
    task = asyncio.ensure_future(work)
    either: tuple[asyncio.Future[Any], ...] = (task, event)
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise error
        return task.result()
    finally:
        task.cancel()


class Owner:
    """Serves pages from one browser at a time, and starts another when that is dead or has served enough."""

    def __init__(self, executable: Path, options: BrowserOptions) -> None:
        self._executable = executable
        self._options = options
        self._slots = asyncio.Semaphore(options.at_once)
        self._starting = asyncio.Lock()
        self._chromium: _Chromium | None = None
        self._serving: set[asyncio.Task[Any]] = set()
        self._threads = ThreadPoolExecutor(FETCHING_THREADS, "pagesieve-browser-fetch")

    async def serve(self, job: Job) -> Snapshot:
        """Render a page; where its browser dies, in the next."""
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        async with self._slots:
            for _ in range(ATTEMPTS):
                chromium = await self._ready()
                with suppress(_Died):
                    return await chromium.visit(job)
            raise RenderError(f"{job.shown}: the browser died")

    async def _ready(self) -> _Chromium:
        async with self._starting:
            current = self._chromium
            if current is not None and (not current.is_alive or current.served >= self._options.restart_after):
                self._chromium = None
                await current.retire()
            if self._chromium is None:
                self._chromium = await _Chromium.start(self._executable, self._threads)
            self._chromium.served += 1
            self._chromium.active += 1
            return self._chromium

    async def close(self) -> None:
        """End the browser, and whatever is still being done with it."""
        for task in self._serving:
            task.cancel()
        if self._serving:
            await asyncio.wait(self._serving, timeout=CLOSE_LIMIT)
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._chromium is not None:
            await self._chromium.close()


class _Chromium:
    """One running browser."""

    def __init__(
        self, playwright: Playwright, browser: PlaywrightBrowser, process: int, threads: ThreadPoolExecutor
    ) -> None:
        self._playwright = playwright
        self._browser = browser
        self._process = process
        self._threads = threads
        self._idle: list[_Tab] = []
        self._death: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        browser.on("disconnected", lambda _: _came(self._death))
        self._retired = False
        self.served = 0
        self.active = 0

    @classmethod
    async def start(cls, executable: Path, threads: ThreadPoolExecutor) -> _Chromium:
        playwright = await async_playwright().start()
        try:
            browser = await playwright.chromium.launch(
                executable_path=executable,
                args=list(SWITCHES),
                ignore_default_args=list(NOT_OURS),
                chromium_sandbox=not _is_root(),
                handle_sigint=False,
            )
            session = await browser.new_browser_cdp_session()
            processes = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
        except BaseException as error:
            await playwright.stop()
            if isinstance(error, Error):
                raise MissingBrowser(f"{executable} does not start ({_line(error)})") from error
            raise
        process = next(found["id"] for found in processes if found["type"] == "browser")
        return cls(playwright, browser, int(process), threads)

    @property
    def is_alive(self) -> bool:
        return not self._death.done()

    async def visit(self, job: Job) -> Snapshot:
        """Render one page in a tab; whatever happens to it, the tab is gone or clean afterwards."""
        tab: _Tab | None = None
        try:
            async with asyncio.timeout(job.options.timeout):
                tab = await _unless(self._death, _Died, self._tab(job))
                visit = _Visit(tab, job, self._threads).run()
                found = await _unless(self._death, _Died, _unless(tab.crash, _Crashed, visit))
            await self._release(tab, job)
            return found
        except Exception as error:
            explained = self._explained(error, tab, job)
            await self._abandon(tab)
            if explained is error:
                raise
            raise explained from error
        except BaseException:  # whoever asked has gone
            await self._abandon(tab)
            raise
        finally:
            self.active -= 1
            if self._retired and self.active == 0:
                await self.close()

    def _explained(self, error: Exception, tab: _Tab | None, job: Job) -> Exception:
        """Turn what went wrong into one line that names the page."""
        if not self.is_alive:
            return _Died()
        if isinstance(error, TimeoutError):
            return RenderError(f"{job.shown}: not shown within {job.options.timeout:g} s")
        if tab is not None and tab.crash.done():
            return RenderError(f"{job.shown}: the page crashed its tab")
        if not isinstance(error, Error | _Crashed):
            return error
        return RenderError(f"{job.shown}: the browser cannot show it ({_line(error)})")

    async def _tab(self, job: Job) -> _Tab:
        size = job.options.width, job.options.height
        self._idle = [tab for tab in self._idle if not tab.crash.done()]
        for tab in self._idle if not job.scripts else ():
            if tab.size == size:
                self._idle.remove(tab)
                return tab
        return await _Tab.open(self._browser, size, job.scripts)

    async def _release(self, tab: _Tab, job: Job) -> None:
        """Keep the tab for the next page if this one can have left nothing in it, and will not go on by itself."""
        if job.scripts or job.html is None or REFRESHES.search(job.html) or len(self._idle) >= MOST_IDLE:
            await self._abandon(tab)
        else:
            self._idle.append(tab)

    async def _abandon(self, tab: _Tab | None) -> None:
        """Close a tab; a browser that cannot open one, or cannot close it within the limit, is killed."""
        if not self.is_alive:
            return
        try:
            async with asyncio.timeout(CLOSE_LIMIT):
                if tab is None:
                    raise TimeoutError
                await tab.context.close()
        except (TimeoutError, Error):
            self._kill()

    def _kill(self) -> None:
        with suppress(OSError):
            os.kill(self._process, getattr(signal, "SIGKILL", signal.SIGTERM))

    async def retire(self) -> None:
        """Close, once the last page is done."""
        self._retired = True
        if self.active == 0:
            await self.close()

    async def close(self) -> None:
        try:
            async with asyncio.timeout(CLOSE_LIMIT):
                await self._browser.close()
        except (TimeoutError, Error):
            self._kill()
        with suppress(Exception):
            await self._playwright.stop()


def _is_root() -> bool:
    """Whether we are root, as whom Chromium runs only without its sandbox."""
    return sys.platform != "win32" and os.geteuid() == 0


def _line(error: Exception) -> str:
    """The first line of a message: Playwright's go on with logs."""
    return str(error).strip().split("\n")[0] or type(error).__name__


class _Tab:
    """One tab with a profile of its own, whose requests all come to us."""

    def __init__(self, context: BrowserContext, page: PlaywrightPage, session: CDPSession, size: tuple[int, int]):
        self.context = context
        self.page = page
        self.session = session
        self.size = size
        self.frame = ""
        self.visit: _Visit | None = None
        self.crash: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    async def open(cls, browser: PlaywrightBrowser, size: tuple[int, int], scripts: bool) -> _Tab:
        context = await browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            java_script_enabled=scripts,
            service_workers="block",
            accept_downloads=False,
            reduced_motion="reduce",
        )
        page = await context.new_page()
        tab = cls(context, page, await context.new_cdp_session(page), size)
        page.on("crash", lambda _: _came(tab.crash))
        context.on("page", _close)
        tab.session.on("Fetch.requestPaused", tab._paused)
        tab.frame = (await tab.session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
        await tab.session.send("Performance.enable")
        await tab.session.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        return tab

    def begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start something that nobody waits for."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _paused(self, event: dict[str, Any]) -> None:
        if self.visit is None:
            self.begin(self.refuse(event))
        else:
            self.visit.asked(event)

    async def refuse(self, event: dict[str, Any]) -> None:
        """Let a request fail in a way that leaves the page where it is."""
        await self.send("Fetch.failRequest", {"requestId": event["requestId"], "errorReason": "Aborted"})

    async def hand_over(self, event: dict[str, Any], answer: Answer) -> None:
        """Give the browser the answer to a request; one that it does not take is refused."""
        headers = [{"name": name, "value": value} for name, value in answer.headers]
        given = await self.send(
            "Fetch.fulfillRequest",
            {
                "requestId": event["requestId"],
                "responseCode": answer.status,
                "responseHeaders": headers,
                "body": base64.b64encode(answer.body).decode(),
            },
        )
        if not given:
            await self.refuse(event)

    async def send(self, method: str, parameters: dict[str, Any]) -> bool:
        """Send a command whose answer does not matter: the page may have gone on, or be gone."""
        try:
            await self.session.send(method, parameters)
        except Error:
            return False
        return True


async def _close(popup: PlaywrightPage) -> None:
    with suppress(Error):
        await popup.close()


class _Visit:
    """One page in a tab: it answers what the page asks for, waits for its rest, and takes the snapshot."""

    def __init__(self, tab: _Tab, job: Job, threads: ThreadPoolExecutor) -> None:
        self._tab = tab
        self._job = job
        self._threads = threads
        options = job.options
        self._exchanges = Exchanges(
            FetchOptions(
                max_bytes=options.max_bytes,
                timeout=options.timeout,
                allow_private=options.allow_private,
                resolve=options.resolve,
            )
        )
        self._pending: set[asyncio.Task[None]] = set()
        self._last = 0.0  # when something was asked for or answered
        self._requests = 0
        self._documents = 0
        self._is_there = False  # whether a document was handed over
        self._failure: Exception | None = None
        self._notes: list[str] = []

    async def run(self) -> Snapshot:
        self._tab.visit = self
        try:
            await self._open()
            await self._settle(self._at_rest())
            if self._job.options.scroll:
                await self._settle(self._scrolled())
            return await self._snapshot()
        finally:
            self._tab.visit = None
            self._let_go()
            self._exchanges.close()

    async def _open(self) -> None:
        try:
            await self._tab.page.goto(self._job.address, wait_until="commit", timeout=0)
        except Error:
            if self._failure is not None:
                raise self._failure from None
            raise

    async def _snapshot(self) -> Snapshot:
        job, session = self._job, self._tab.session
        begin = time.perf_counter()
        raw = await session.send("DOMSnapshot.captureSnapshot", QUESTION)
        seconds = time.perf_counter() - begin
        document = raw["documents"][0]
        png = await self._picture(document["contentWidth"], document["contentHeight"]) if job.picture else b""
        return Snapshot(
            raw=raw,
            url=job.url if job.html is not None else without_credentials(self._tab.page.url),
            viewport=(float(self._tab.size[0]), float(self._tab.size[1])),
            encoding=job.encoding or (_string(raw, document["encodingName"]).lower(), "browser"),
            notes=tuple(self._notes),
            seconds=seconds,
            png=png,
        )

    async def _picture(self, width: float, height: float) -> bytes:
        width, height = min(width, LARGEST_PICTURE[0]), min(height, LARGEST_PICTURE[1])
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        shot = await self._tab.session.send(
            "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True, "clip": clip}
        )
        return base64.b64decode(shot["data"])

    # Waiting

    async def _settle(self, rest: Coroutine[Any, Any, None]) -> None:
        """Wait for the page to rest; at the limit, whatever it still waits for fails, so that it can be shown."""
        limit = self._job.options.settle
        try:
            async with asyncio.timeout(limit):
                await rest
        except TimeoutError:
            self._notes.append(f"taken as it stood after {limit:g} s; it had not come to rest")
            self._let_go()
            await asyncio.sleep(2 * LOOK_EVERY)

    async def _at_rest(self) -> None:
        """Wait until the page has loaded and, where its scripts run, asks for nothing more and stays as it is."""
        loaded = asyncio.ensure_future(self._tab.page.wait_for_load_state("load", timeout=0))
        try:
            if self._job.scripts:
                await self._still(loaded)
            else:
                await loaded
        finally:
            loaded.cancel()

    async def _still(self, loaded: asyncio.Future[None]) -> None:
        """Wait until two looks at the page, with the network quiet, show the same."""
        before: tuple[float, ...] | None = None
        while True:
            await asyncio.sleep(LOOK_EVERY)
            # A page that was kept from going elsewhere never says that it has loaded.
            enough = self._job.options.quiet * (1 if loaded.done() else UNLOADED)
            if self._pending or time.monotonic() - self._last < enough:
                before = None
                continue
            look = await self._look()
            if look == before:
                return
            before = look

    async def _look(self) -> tuple[float, ...]:
        """What changes with the page: how many nodes it has, how large it is."""
        session = self._tab.session
        metrics = (await session.send("Performance.getMetrics"))["metrics"]
        nodes = next((metric["value"] for metric in metrics if metric["name"] == "Nodes"), 0)
        return nodes, *await self._size()

    async def _size(self) -> tuple[float, float]:
        size = (await self._tab.session.send("Page.getLayoutMetrics"))["cssContentSize"]
        return size["width"], size["height"]

    async def _scrolled(self) -> None:
        """Go to the page's end as long as it grows, as often as was wished, and back to its top."""
        height = 0.0
        for _ in range(self._job.options.scroll):
            before, (_, height) = height, await self._size()
            if height <= before:
                break
            await self._tab.page.mouse.wheel(0, height)
            self._last = time.monotonic()
            await self._at_rest()
        await self._tab.page.mouse.wheel(0, -2 * height)
        await asyncio.sleep(LOOK_EVERY)

    def _let_go(self) -> None:
        for task in list(self._pending):
            task.cancel()

    # Answering

    def asked(self, event: dict[str, Any]) -> None:
        """Begin to answer a request of the page."""
        task = self._tab.begin(self._serve(event))
        self._pending.add(task)
        task.add_done_callback(self._answered)
        self._last = time.monotonic()

    def _answered(self, task: asyncio.Task[None]) -> None:
        self._pending.discard(task)
        self._last = time.monotonic()

    async def _serve(self, event: dict[str, Any]) -> None:
        is_main = event["resourceType"] == "Document" and event["frameId"] == self._tab.frame
        try:
            answer = await (self._document(event) if is_main else self._part(event))
        except asyncio.CancelledError:  # it took too long
            answer = None
        except Exception as error:  # a page may ask for what no client can send
            answer = None
            if is_main and not self._is_there:
                self._failure = (
                    error if isinstance(error, PagesieveError) else FetchError(f"{self._job.shown}: {error}")
                )
        if answer is None and is_main and self._is_there:
            answer = NO_CONTENT
        if answer is None:
            await self._tab.refuse(event)
        else:
            await self._tab.hand_over(event, answer)

    async def _document(self, event: dict[str, Any]) -> Answer | None:
        """The page itself: what was given, or what its URL and those it leads to give."""
        self._documents += 1
        if self._job.html is not None:
            if self._documents > 1:
                return None
            return Answer(200, (("Content-Type", "text/html; charset=utf-8"),), self._job.html)
        if self._documents > self._job.options.max_redirects + 1:
            raise FetchError(f"{self._job.shown}: more than {self._job.options.max_redirects} redirects")
        answer = await self._fetched(event)
        if not _leads_on(answer):
            _check_page(answer, event["request"]["url"])
            self._is_there = True
        return answer

    async def _part(self, event: dict[str, Any]) -> Answer | None:
        """Something the page asks for: an image, a style sheet, data."""
        self._requests += 1
        kind = event["resourceType"]
        if self._job.html is not None or kind not in WANTED or kind == "Document":
            return None
        if self._requests > self._job.options.max_requests:
            return None
        return await self._fetched(event)

    async def _fetched(self, event: dict[str, Any]) -> Answer:
        request = event["request"]
        body = b"".join(base64.b64decode(part.get("bytes", "")) for part in request.get("postDataEntries", ()))
        headers = list(request["headers"].items())
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, self._exchanges.ask, request["method"], request["url"], headers, body or None
        )


def _leads_on(answer: Answer) -> bool:
    return 300 <= answer.status < 400 and any(name.lower() == "location" for name, _ in answer.headers)


def _check_page(answer: Answer, url: str) -> None:
    """Refuse an answer that a browser would not show as a page, with the words of `fetching/http.py`."""
    headers = {name.lower(): value for name, value in answer.headers}
    if not 200 <= answer.status < 300:
        raise FetchError(f"{shown_url(url)}: the server answered {answer.status}")
    if not is_page(headers.get("content-type")):
        raise FetchError(f"{shown_url(url)}: not a page but {headers['content-type']}")
    if headers.get("content-disposition", "").strip().lower().startswith("attachment"):
        raise FetchError(f"{shown_url(url)}: not a page but a file to download")


def _string(raw: dict[str, Any], at: int) -> str:
    return str(raw["strings"][at]) if at >= 0 else ""


def overheard(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Say nothing of calls that nobody waits for any longer: those of a page that was given up."""
    if not isinstance(context.get("exception"), Error):
        loop.default_exception_handler(context)
