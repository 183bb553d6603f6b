"""The thread that owns a browser: start and end browsers, open tabs, and render pages in them.

Only `fetching/chromium.py` imports this module, when a browser is needed, because it imports Playwright.
"""

from __future__ import annotations

import asyncio
import base64
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from playwright.async_api import Browser as PlaywrightBrowser
from playwright.async_api import BrowserContext, CDPSession, Error, Playwright, async_playwright
from playwright.async_api import Page as PlaywrightPage

from pagesieve.errors import FetchError, MissingBrowser, PagesieveError, RenderError
from pagesieve.fetching import is_page
from pagesieve.fetching.chromium import MAX_PICTURE_SIZE, BrowserOptions, Job, Snapshot
from pagesieve.fetching.guard import shown_url, without_credentials
from pagesieve.fetching.http import Answer, Exchanges, FetchOptions, check_status
from pagesieve.page.rendered import QUESTION
from pagesieve.text.urls import masked

SWITCHES = [
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
]
UNWANTED_SWITCHES = ["--disable-popup-blocking"]  # of Playwright's defaults: pages must not open windows

# The types of resources that are fetched: no media, and nothing that only reports. Frames are refused, too.
WANTED = frozenset({"Stylesheet", "Image", "Font", "Script", "XHR", "Fetch", "Preflight"})

UTF_8 = "text/html; charset=utf-8"
OTHER_MEDIA = ("Low", "VeryLow")  # how urgent a style sheet is that is for printing
BAD_REQUEST = 400  # from this status on, a response is an error
SAME_IMAGE = 3  # times that a page may ask for an image in vain
NO_IMAGE = Answer(200, (("Content-Type", "image/svg+xml"),), b'<svg xmlns="http://www.w3.org/2000/svg"/>')
NO_CONTENT = Answer(204, (), b"")  # which leaves the browser on the page that it shows

ATTEMPTS = 2  # to render a page: another page may have crashed the browser
CLOSE_LIMIT = 5.0  # seconds a tab may take to close before the whole browser is killed
FETCHING_THREADS = 32
MAX_IDLE = 8  # tabs kept for further pages

WORLD = "pagesieve"
# Functions that run in the page, in a world where its own scripts change nothing.

# Resolves in the frame in which the page is loaded and its layout has been the same for some milliseconds.
STABLE = """quiet => new Promise(resolve => {
    let before, since
    const look = now => {
        const page = document.documentElement
        const loaded = page && document.readyState === 'complete' && document.fonts.status === 'loaded'
        const found = loaded ? [page.scrollWidth, page.scrollHeight, page.getElementsByTagName('*').length].join() : ''
        if (!found || found !== before) [before, since] = [found, now]
        else if (now - since >= quiet) return resolve()
        requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
})"""
# Removes what outlives a page in its tab.
FORGET = """() => { window.name = ''; sessionStorage.clear() }"""
# Scrolls the page, and what scrolls inside it, to the end or the top; returns the height of all.
SCROLL = """down => [...document.querySelectorAll('*')].reduce((height, each) => {
    const scrolls = each.scrollHeight > each.clientHeight && /auto|scroll/.test(getComputedStyle(each).overflowY)
    if (!scrolls && each !== document.scrollingElement) return height
    each.scrollTop = down ? each.scrollHeight : 0
    return height + each.scrollHeight
}, 0)"""

T = TypeVar("T")


class _Died(Exception):
    """The browser died while it rendered this page."""


class _Crashed(Exception):
    """The tab crashed while it rendered this page."""


def _set(event: asyncio.Future[None]) -> None:
    if not event.done():
        event.set_result(None)


async def _unless(event: asyncio.Future[None], error: type[Exception], work: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine; raise the error as soon as the event happens first."""
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
    """Renders pages in one browser at a time, and starts another after a crash or `restart_after` pages."""

    def __init__(self, executable: Path, options: BrowserOptions) -> None:
        self._executable = executable
        self._options = options
        self._slots = asyncio.Semaphore(options.at_once)
        self._starting = asyncio.Lock()
        self._chromium: _Chromium | None = None
        self._serving: set[asyncio.Task[Any]] = set()
        self._threads = ThreadPoolExecutor(FETCHING_THREADS, "pagesieve-browser-fetch")

    async def serve(self, job: Job) -> Snapshot:
        """Render a page; try once more in a new browser if the browser dies."""
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
        """Cancel the pages in progress and close the browser."""
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
        browser.on("disconnected", lambda _: _set(self._death))
        self._retired = False
        self.served = 0
        self.active = 0

    @classmethod
    async def start(cls, executable: Path, threads: ThreadPoolExecutor) -> _Chromium:
        playwright = await async_playwright().start()
        try:
            browser = await playwright.chromium.launch(
                executable_path=executable,
                args=SWITCHES,
                ignore_default_args=UNWANTED_SWITCHES,
                chromium_sandbox=sys.platform == "win32" or os.geteuid() != 0,  # root cannot use it
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
        """Render one page in a tab; afterwards the tab is closed, or clean for the next page."""
        tab: _Tab | None = None
        try:
            async with asyncio.timeout(job.options.timeout):
                tab = await _unless(self._death, _Died, self._tab(job))
                visit = _Visit(tab, job, self._threads).run()
                snapshot = await _unless(self._death, _Died, _unless(tab.crash, _Crashed, visit))
            await self._release(tab, job)
            return snapshot
        except Exception as error:
            explained = self._explained(error, tab, job)
            await self._abandon(tab)
            if explained is error:
                raise
            raise explained from error
        except BaseException:  # cancelled
            await self._abandon(tab)
            raise
        finally:
            self.active -= 1
            if self._retired and self.active == 0:
                await self.close()

    def _explained(self, error: Exception, tab: _Tab | None, job: Job) -> Exception:
        """Return an error whose message is one line that names the page."""
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
        for tab in [tab for tab in self._idle if (tab.size, tab.scripts) == (size, job.scripts)]:
            if tab in self._idle:  # nobody took it while another was wiped
                self._idle.remove(tab)
                if await tab.wiped and not tab.crash.done():
                    return tab
                await self._abandon(tab)
        return await _Tab.open(self._browser, size, job.scripts)

    async def _release(self, tab: _Tab, job: Job) -> None:
        """Keep the tab for the next HTML. It is wiped while the caller already works on the page."""
        if job.html is None or len(self._idle) >= MAX_IDLE:
            await self._abandon(tab)
        else:
            tab.wiped = asyncio.ensure_future(tab.wipe(job.address))
            self._idle.append(tab)

    async def _abandon(self, tab: _Tab | None) -> None:
        """Close a tab; kill a browser that could not open it, or does not close it within the limit."""
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
        """Close the browser as soon as its last page is done."""
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


def _line(error: Exception) -> str:
    """Return the first line of a message; Playwright appends logs."""
    return masked(str(error).strip().split("\n")[0]) or type(error).__name__


class _Tab:
    """A tab with its own profile, whose requests are all intercepted."""

    def __init__(
        self, context: BrowserContext, page: PlaywrightPage, session: CDPSession, size: tuple[int, int], scripts: bool
    ) -> None:
        self.context = context
        self.page = page
        self.session = session
        self.size = size
        self.scripts = scripts
        self.wiped: asyncio.Future[bool] = asyncio.get_running_loop().create_future()  # after its first page
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
        tab = cls(context, page, await context.new_cdp_session(page), size, scripts)
        page.on("crash", lambda _: _set(tab.crash))
        context.on("page", _close)
        tab.session.on("Fetch.requestPaused", tab._paused)
        tab.frame = (await tab.session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
        await tab.session.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        return tab

    def begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task that nobody awaits."""
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
        """Fail a request; the page stays as it is."""
        await self.send("Fetch.failRequest", {"requestId": event["requestId"], "errorReason": "Aborted"})

    async def hand_over(self, event: dict[str, Any], answer: Answer) -> None:
        """Pass the answer to a request to the browser; fail the request if the browser does not accept it."""
        response = {
            "requestId": event["requestId"],
            "responseCode": answer.status,
            "responseHeaders": [{"name": name, "value": value} for name, value in answer.headers],
            "body": base64.b64encode(answer.body).decode(),
        }
        if not await self.send("Fetch.fulfillRequest", response):
            await self.refuse(event)

    async def wipe(self, address: str) -> bool:
        """Remove the page that the tab shows and all that its scripts have stored; return whether that succeeded."""
        try:
            if self.scripts:
                await self.session.send("Emulation.setScriptExecutionDisabled", {"value": True})
                await self.ask(FORGET, None)
            await self.page.goto("about:blank", wait_until="commit", timeout=0)
            if self.scripts:
                origin = {"origin": "{0.scheme}://{0.netloc}".format(urlsplit(address)), "storageTypes": "all"}
                await self.session.send("Storage.clearDataForOrigin", origin)
                await self.session.send("Network.clearBrowserCookies")
                await self.session.send("Page.resetNavigationHistory")
                await self.session.send("Emulation.setScriptExecutionDisabled", {"value": False})
        except Error:
            return False
        return True

    async def ask(self, function: str, argument: object) -> Any:
        """Call a function in the page and return its result. Raises Error if the page is gone before it answers."""
        world = await self.session.send("Page.createIsolatedWorld", {"frameId": self.frame, "worldName": WORLD})
        call = {
            "functionDeclaration": function,
            "executionContextId": world["executionContextId"],
            "arguments": [{"value": argument}],
            "awaitPromise": True,
            "returnByValue": True,
        }
        return (await self.session.send("Runtime.callFunctionOn", call))["result"].get("value")

    async def send(self, method: str, parameters: dict[str, Any]) -> bool:
        """Send a command; return whether it succeeded: the page may have navigated away or be closed."""
        try:
            await self.session.send(method, parameters)
        except Error:
            return False
        return True


async def _close(popup: PlaywrightPage) -> None:
    with suppress(Error):
        await popup.close()


class _Visit:
    """One page in a tab: answers its requests, waits until it is complete, and takes the snapshot."""

    def __init__(self, tab: _Tab, job: Job, threads: ThreadPoolExecutor) -> None:
        self._tab = tab
        self._job = job
        self._threads = threads
        shared = ("max_bytes", "timeout", "allow_private", "resolve")
        self._exchanges = Exchanges(FetchOptions(**{name: getattr(job.options, name) for name in shared}))
        self._pending: set[asyncio.Task[None]] = set()
        self._requests = 0
        self._documents = 0
        self._is_there = False  # whether the browser has the document
        self._failure: Exception | None = None
        self._notes: list[str] = []
        self._source: tuple[bytes, str | None] = b"", None
        self._missing_styles: set[str] = set()
        self._missing_images: Counter[str] = Counter()  # how often each was asked for in vain

    async def run(self) -> Snapshot:
        self._tab.visit = self
        try:
            await self._open()
            await self._settle(self._at_rest(self._job.quiet))
            if self._job.options.scroll and self._job.scripts:
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
        encoding = raw["strings"][document["encodingName"]] if document["encodingName"] >= 0 else ""
        png = await self._picture(document["contentWidth"], document["contentHeight"]) if job.picture else b""
        return Snapshot(
            raw=raw,
            url=job.url if job.html is not None else without_credentials(self._tab.page.url),
            viewport=(float(self._tab.size[0]), float(self._tab.size[1])),
            encoding=job.encoding or (encoding.lower(), "browser"),
            notes=tuple(self._notes),
            source=self._source,
            missing_styles=len(self._missing_styles),
            seconds=seconds,
            png=png,
        )

    async def _picture(self, width: float, height: float) -> bytes:
        width, height = min(width, MAX_PICTURE_SIZE[0]), min(height, MAX_PICTURE_SIZE[1])
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        shot = await self._tab.session.send(
            "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True, "clip": clip}
        )
        return base64.b64decode(shot["data"])

    # Waiting

    async def _settle(self, rest: Coroutine[Any, Any, None]) -> None:
        """Wait until the page is complete. At the time limit, cancel its pending requests and render it as it is."""
        limit = self._job.options.settle
        try:
            async with asyncio.timeout(limit):
                await rest
        except TimeoutError:
            self._notes.append(f"taken as it stood after {limit:g} s; it had not come to rest")
            self._let_go()
            await self._idle()

    async def _at_rest(self, quiet: float) -> None:
        """Wait until no request is pending, the page has loaded with its fonts, and its layout no longer changes.

        The layout must be the same in two frames, and for `quiet` seconds. Without scripts, it cannot change once
        the page has loaded.
        """
        if not self._job.scripts:
            await self._tab.page.wait_for_load_state("load", timeout=0)
            return
        is_given = self._job.html is not None  # then every request is refused at once, and none matters
        while True:
            if not is_given:
                await self._idle()
            requests = self._requests, self._documents
            with suppress(Error):  # the page navigated, and is another one
                await self._tab.ask(STABLE, quiet * 1000)
                if is_given or (not self._pending and requests == (self._requests, self._documents)):
                    return

    async def _idle(self) -> None:
        """Wait until every request has its answer."""
        while self._pending:
            await asyncio.wait(self._pending)

    async def _scrolled(self) -> None:
        """Scroll to the end of the page while that loads more, at most `scroll` times, and back to the top."""
        before = 0.0
        for _ in range(self._job.options.scroll):
            height = await self._tab.ask(SCROLL, True)
            if height <= before:
                break
            before = height
            await self._at_rest(self._job.options.quiet)
        await self._tab.ask(SCROLL, False)
        await self._at_rest(0.0)

    def _let_go(self) -> None:
        for task in list(self._pending):
            task.cancel()

    # Answering

    def asked(self, event: dict[str, Any]) -> None:
        """Begin to answer a request of the page."""
        task = self._tab.begin(self._serve(event))
        self._pending.add(task)
        task.add_done_callback(self._pending.discard)

    async def _serve(self, event: dict[str, Any]) -> None:
        is_main = event["resourceType"] == "Document" and event["frameId"] == self._tab.frame
        try:
            answer = await (self._document(event) if is_main else self._part(event))
        except asyncio.CancelledError:  # it took too long
            answer = None
        except Exception as error:  # a page may ask for what no client can send
            answer = None
            if is_main and not self._is_there:
                is_ours = isinstance(error, PagesieveError)
                self._failure = error if is_ours else FetchError(f"{self._job.shown}: {error}")
        if answer is None and is_main and self._is_there:
            answer = NO_CONTENT
        if answer is None or answer.status >= BAD_REQUEST:
            self._failed(event["resourceType"], event["request"])
        if answer is None:
            await self._tab.refuse(event)
        else:
            await self._tab.hand_over(event, answer)

    def _failed(self, sort: str, request: dict[str, Any]) -> None:
        """Record that a resource of the page could not be fetched."""
        if sort == "Stylesheet" and request["initialPriority"] not in OTHER_MEDIA:
            self._missing_styles.add(request["url"])  # it may be asked for twice, first by the browser's look ahead
        elif sort == "Image":
            self._missing_images[request["url"]] += 1

    async def _document(self, event: dict[str, Any]) -> Answer | None:
        """Answer the request for the page itself: with the given HTML, or by fetching the URL and its redirects."""
        self._documents += 1
        if self._job.html is not None:
            if self._documents > 1:
                return None
            self._source = self._job.html, UTF_8
            return Answer(200, (("Content-Type", UTF_8),), self._job.html)
        if self._documents > self._job.options.max_redirects + 1:
            raise FetchError(f"{self._job.shown}: more than {self._job.options.max_redirects} redirects")
        answer = await self._fetched(event)
        if not (300 <= answer.status < 400 and "location" in answer.named):
            _check_page(answer, event["request"]["url"])
            self._is_there = True
            self._source = answer.body, answer.named.get("content-type")
        return answer

    async def _part(self, event: dict[str, Any]) -> Answer | None:
        """Answer the request for an image, a style sheet, data; None if it is refused.

        An image that is asked for again and again, because it is its own substitute, is at last an empty one.
        """
        self._requests += 1
        if self._missing_images[event["request"]["url"]] >= SAME_IMAGE:
            return NO_IMAGE
        is_wanted = event["resourceType"] in WANTED and self._requests <= self._job.options.max_requests
        return await self._fetched(event) if is_wanted and self._job.html is None else None

    async def _fetched(self, event: dict[str, Any]) -> Answer:
        request = event["request"]
        body = b"".join(base64.b64decode(part.get("bytes", "")) for part in request.get("postDataEntries", ()))
        named = {} if self._job.options.user_agent is None else {"User-Agent": self._job.options.user_agent}
        headers = [pair for pair in request["headers"].items() if not named or pair[0].lower() != "user-agent"]
        headers += named.items()
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, self._exchanges.ask, request["method"], request["url"], headers, body or None
        )


def _check_page(answer: Answer, url: str) -> None:
    """Raise FetchError, with the messages of `fetching/http.py`, if a browser would not show a page."""
    headers = answer.named
    check_status(shown_url(url), answer.status, retry_after=headers.get("retry-after"))
    if not is_page(headers.get("content-type")):
        raise FetchError(f"{shown_url(url)}: not a page but {headers['content-type']}")
    if headers.get("content-disposition", "").strip().lower().startswith("attachment"):
        raise FetchError(f"{shown_url(url)}: not a page but a file to download")


def overheard(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Handle exceptions that nobody awaits: ignore those of Playwright, which come from pages that were given up."""
    if not isinstance(context.get("exception"), Error):
        loop.default_exception_handler(context)
