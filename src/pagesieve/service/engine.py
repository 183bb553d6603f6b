"""The work of a service, whoever asks: pages are fetched through the guard, and read by processes, within limits."""

from __future__ import annotations

import asyncio
import json
import logging
import pickle
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from pagesieve import api
from pagesieve.child import About, Reason
from pagesieve.children import Children
from pagesieve.errors import PagesieveError
from pagesieve.fetching.http import USER_AGENT, FetchOptions
from pagesieve.fetching.pages import fetch_page
from pagesieve.page.static import PageSource
from pagesieve.page.table import Page
from pagesieve.service.asking import Asked, Given
from pagesieve.service.making import MAKER
from pagesieve.service.options import ServiceOptions
from pagesieve.service.problems import Problem, of_error, of_reason

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pagesieve.sites.library import Sites

FETCHES = 32  # at a time
LARGE = 1_000_000  # bytes of a page that takes long: it goes to processes of its own, so that others need not wait
LARGE_SHARE = 4  # of the queue, one in so many may be large
LONG_SHARE = 4  # for so many places there is one for a request that may last long
PATIENT_SHARE = 2  # of the fetches at a time, one in so many may be for such requests
LARGE_NICE = 10  # how much other processes are preferred to those of large pages
STARTS = 3  # of a process, until a request is given up
LATE = 2.0  # seconds after which a fetch that should have ended is given up

LOG = logging.getLogger(__name__)

T = TypeVar("T")


class _Places:
    """Places for requests."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.taken = 0

    @contextmanager
    def take(self) -> Iterator[None]:
        """Hold a place. Raises Problem where all are taken."""
        if self.taken >= self._most:
            places = "the one place" if self._most == 1 else f"all {self._most} places"
            verb = "is" if self._most == 1 else "are"
            raise Problem("busy", f"{places} for such requests {verb} taken; try again later")
        self.taken += 1
        try:
            yield
        finally:
            self.taken -= 1


class _Arriving:
    """Room for the bodies that are arriving: so many bytes, in however many bodies. One that does not come takes none.

    A request takes its place when its body is there, so that bodies that come slowly leave all places to others.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken = 0
        self.count = 0

    @contextmanager
    def body(self) -> Iterator[Callable[[int], None]]:
        """Hold room for a body; call what this gives with the size of each part. That raises Problem for lack of room.

        The room is free again in the end: the request then needs a place.
        """
        own = 0

        def take(size: int) -> None:
            nonlocal own
            if self._taken + size > self._most:
                raise Problem("busy", f"requests of {self._most:,} bytes are arriving; try again later")
            own += size
            self._taken += size

        self.count += 1
        try:
            yield take
        finally:
            self.count -= 1
            self._taken -= own


class _Lane:
    """Page processes, and the requests that wait for one of them."""

    def __init__(self, options: ServiceOptions, count: int, nice: int) -> None:
        self._pages = Children(MAKER, {"sites": options.sites, "nice": nice}, options.limits, count)
        self._turns = asyncio.Semaphore(count)
        self._patient = asyncio.Semaphore(count)  # so that whoever waits some seconds only waits for a page or two
        self.waiting = 0
        self.running = 0

    async def start(self) -> None:
        """Start all processes."""
        about = {"warming": True, "url": "https://pagesieve.invalid/"}
        await asyncio.gather(*(self._pages.answer(b"<p>", about) for _ in range(self._pages.count)))

    @asynccontextmanager
    async def turn(self, seconds: float, patient: bool) -> AsyncIterator[None]:
        """Wait for a process: some seconds at most, or with `patient` as long as it takes, behind those in a hurry."""
        async with self._patient if patient else nullcontext(), self._turn(None if patient else seconds):
            yield

    @asynccontextmanager
    async def _turn(self, seconds: float | None) -> AsyncIterator[None]:
        self.waiting += 1
        try:
            async with asyncio.timeout(seconds):
                await self._turns.acquire()
        except TimeoutError as error:
            raise Problem("unavailable", f"no process was free within {seconds:g} s") from error
        finally:
            self.waiting -= 1
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1
            self._turns.release()

    async def answer(self, data: bytes, about: About) -> dict[str, Any] | Reason:
        """Return what a process makes of a page; one that is killed while it starts is started again."""
        for _ in range(STARTS):
            try:
                return await whole(self._pages.answer(data, about))
            except ChildProcessError:
                continue
            except PagesieveError as error:
                raise of_error(error) from error
        raise Problem("unavailable", "the process that reads pages does not start")

    def close(self) -> None:
        """End the processes."""
        self._pages.close()


class Engine:
    """Does what requests ask; one for each service. Use it inside one event loop, while it is `started`."""

    def __init__(self, options: ServiceOptions) -> None:
        self.options = options
        places = options.workers + options.queue
        self._short, self._long = _Places(places), _Places(max(1, places // LONG_SHARE))
        self.arriving = _Arriving(places * options.max_bytes)
        self.is_ready = False  # whether the processes are started
        self._draining = asyncio.Event()
        self._lane = _Lane(options, options.workers, 0)
        self._large_lane = _Lane(options, max(1, options.workers // 2), LARGE_NICE)
        self._fetchers = ThreadPoolExecutor(FETCHES, "pagesieve-fetch")
        self._patient_fetches = asyncio.Semaphore(FETCHES // PATIENT_SHARE)
        self._fetching = FetchOptions(
            max_bytes=options.max_bytes,
            timeout=options.timeout,
            retries=0,
            allow_private=options.allow_private,
            user_agent=options.user_agent or USER_AGENT,
        )
        self._library: Sites | None = None if options.sites is None else api.open_sites(options.sites)

    @asynccontextmanager
    async def started(self) -> AsyncIterator[None]:
        """Start the processes beside the first requests; end them when the last is answered."""
        starting = asyncio.create_task(self._start())
        try:
            yield
        finally:
            starting.cancel()
            with suppress(asyncio.CancelledError):
                await starting
            await asyncio.to_thread(self.close)

    async def _start(self) -> None:
        try:
            await self._lane.start()
            self.is_ready = True
        except (PagesieveError, OSError) as error:  # every page will say so, too
            LOG.critical("not ready", extra={"fields": {"why": str(error)}})

    def drain(self) -> None:
        """Take no more lines of batches: the service ends when what it has taken is done."""
        self.is_ready = False
        self._draining.set()

    @property
    def draining(self) -> asyncio.Event:
        """Set when the service is about to end."""
        return self._draining

    def close(self) -> None:
        """End the processes."""
        self._lane.close()
        self._large_lane.close()
        self._fetchers.shutdown(wait=False, cancel_futures=True)
        if self._library is not None:
            self._library.close()

    @property
    def running(self) -> int:
        """How many pages are read now."""
        return self._lane.running + self._large_lane.running

    @property
    def accepted(self) -> int:
        """How many requests have a place."""
        return self._short.taken + self._long.taken

    def place(self, *, long: bool = False) -> AbstractContextManager[None]:
        """Hold a place for a request: a `long` one, of many pages, takes none of those for the others.

        Raises Problem where all are taken.
        """
        return (self._long if long else self._short).take()

    async def answer(self, asked: Asked, *, patient: bool = False) -> dict[str, Any]:
        """Return the result for a page. Raises Problem. With `patient`, wait for a process without end."""
        result: dict[str, Any] = json.loads(await self.answer_json(asked, patient=patient))
        return result

    async def answer_json(self, asked: Asked, *, patient: bool = False) -> str:
        """Return the result for a page as JSON, as its process wrote it: to read and write it again takes time.

        Raises Problem, whatever the page or its server do.
        """
        try:
            return await self._answer_json(asked, patient)
        except Problem:
            raise
        except Exception as error:
            LOG.exception("failure", extra={"fields": {"job": asked.job}})
            raise Problem("failed", "the page could not be read, which is an error of Pagesieve") from error

    async def _answer_json(self, asked: Asked, patient: bool) -> str:
        if (asked.options.get("sites") or asked.job == "learn") and self._library is None:
            raise Problem("bad-input", "the service has no site library: start it with --sites")
        data, about = await self._page(asked.given, patient)
        about |= {"job": asked.job, "options": asked.options}
        size = len(data) + sum(map(len, asked.options.get("reference", ())))
        lane = self._large_lane if size > LARGE else self._lane
        if lane is self._large_lane and lane.waiting >= max(1, self.options.queue // LARGE_SHARE) and not patient:
            raise Problem("busy", f"{lane.waiting} large pages are waiting; try again later")
        async with lane.turn(self.options.timeout, patient):
            made = await lane.answer(data, about)
        if isinstance(made, Reason):
            raise of_reason(made) from None
        if "error" in made:
            raise Problem("bad-input", made["error"], quotes=True)
        result: str = made["result"]
        return result

    async def _page(self, given: Given, patient: bool) -> tuple[bytes, dict[str, Any]]:
        """Return the bytes of a page, fetched where only its address is given, and what is known of it."""
        if given.data is not None:
            about = {"url": given.url, "is_text": given.is_text, "content_type": given.content_type}
            return given.data, about
        assert given.url is not None
        if given.browser and not self.options.browser:
            raise Problem("bad-input", "the service opens no browser: start it with --browser")
        source = await self._fetched(given.url, given.browser, patient)
        if isinstance(source.html, Page):
            return pickle.dumps(source.html), {"url": source.url, "rendered": True}
        assert isinstance(source.html, bytes)
        return source.html, {"url": source.url, "content_type": source.content_type}

    async def _fetched(self, url: str, browser: bool, patient: bool) -> PageSource:
        """Fetch a page. The share of patient fetches is given back when the thread is free, not before."""
        if patient:
            await self._patient_fetches.acquire()
        thread = self._fetchers.submit(fetch_page, url, browser=browser, options=self._fetching)
        fetch = asyncio.wrap_future(thread)
        fetch.add_done_callback(partial(self._free, patient))
        try:
            async with asyncio.timeout(self.options.timeout + LATE):
                return await asyncio.shield(fetch)
        except PagesieveError as error:
            raise of_error(error) from error
        except TimeoutError as error:
            thread.cancel()
            raise Problem("fetch-failed", f"the address gave no page within {self.options.timeout:g} s") from error
        except asyncio.CancelledError:
            if not thread.cancel():  # it has begun: the request keeps its place until the thread is free
                await asyncio.wait({fetch})
            raise

    def _free(self, patient: bool, fetch: asyncio.Future[PageSource]) -> None:
        if patient:
            self._patient_fetches.release()
        if not fetch.cancelled():
            fetch.exception()  # of a fetch that was given up nobody asks for it

    async def _in_thread(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._fetchers, work)
        except PagesieveError as error:
            raise of_error(error) from error

    # The site library

    @property
    def library(self) -> Sites:
        """The site library. Raises Problem where there is none."""
        if self._library is None:
            raise Problem("no-library", "start the service with --sites to have a site library")
        return self._library

    async def sites(self) -> list[dict[str, Any]]:
        """Return what the library has of each site."""
        library = self.library
        return [asdict(site) for site in await self._in_thread(library.sites)]

    async def site(self, site: str) -> dict[str, Any]:
        """Return what the library knows of a site."""
        library = self.library
        return await self._in_thread(lambda: _known(library, site))

    async def forget(self, site: str) -> int:
        """Forget a site; return how many pages that were."""
        library = self.library
        gone = await self._in_thread(lambda: library.forget(site))
        if not gone:
            raise Problem("unknown-site", f"{site}: not in the library")
        return gone


async def whole(work: Coroutine[Any, Any, T]) -> T:
    """Wait for some work until it is done, even where nobody needs it any more: its process is busy as long."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


def _known(library: Sites, site: str) -> dict[str, Any]:
    pages = library.pages(site)
    if not pages:
        raise Problem("unknown-site", f"{site}: not in the library")
    return {
        "site": site,
        "pages": [{"url": url, "learnt": learnt, "nodes": nodes} for url, learnt, nodes in pages],
        "templates": [asdict(template) for template in library.templates(site)],
        "lists": [
            {"record": schema.record, "pages": schema.pages, "columns": schema.header} for schema in library.lists(site)
        ],
    }
