"""The engine of a service: it fetches pages through the guard and gives jobs to page processes, within limits."""

from __future__ import annotations

import asyncio
import logging
import pickle
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from pagesieve import api
from pagesieve.errors import PagesieveError
from pagesieve.fetching.options import USER_AGENT, FetchOptions
from pagesieve.fetching.pages import fetch_page
from pagesieve.page.static import PageSource
from pagesieve.page.table import Page
from pagesieve.service import ServiceOptions
from pagesieve.service.jobs import MAKER
from pagesieve.service.responses import Problem, error_problem, reason_problem
from pagesieve.service.schemas import Job
from pagesieve.workers.child import About, Children, Reason

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pagesieve.sites.library import Sites

FETCHES = 32  # at a time
LARGE = 1_000_000  # bytes from which pages have separate processes, so that small pages need not wait for them
LARGE_SHARE = 4  # one in so many requests of the queue may be for a large page
LONG_SHARE = 4  # for so many places there is one for a request of many pages
PATIENT_SHARE = 2  # one in so many simultaneous fetches may be for requests of many pages
LARGE_NICE = 10  # the niceness of the processes for large pages
STARTS = 3  # attempts to start a process before the request fails
LATE = 2.0  # seconds beyond the time limit after which a fetch is abandoned

LOG = logging.getLogger(__name__)

T = TypeVar("T")


class _Room:
    """A limited resource that requests share: a number of places, or of bytes."""

    def __init__(self, size: int, message: str) -> None:
        self._size, self._message = size, message
        self.taken = 0

    def take(self, amount: int) -> None:
        """Take an amount of the resource. Raise Problem if less is left."""
        if self.taken + amount > self._size:
            raise Problem("busy", f"{self._message}; try again later")
        self.taken += amount


def _places(count: int) -> _Room:
    places = "the one place for such requests is" if count == 1 else f"all {count} places for such requests are"
    return _Room(count, f"{places} taken")


class _Lane:
    """Page processes, and the requests that wait for one of them."""

    def __init__(self, options: ServiceOptions, count: int, nice: int) -> None:
        self._pages = Children(MAKER, {"sites": options.sites, "nice": nice}, options.limits, count)
        self._turns = asyncio.Semaphore(count)
        self._patient = asyncio.Semaphore(count)  # at most so many patient jobs are ahead of another job
        self.waiting = 0
        self.running = 0

    async def start(self) -> None:
        """Start all processes."""
        about = {"warming": True, "url": "https://pagesieve.invalid/"}
        await asyncio.gather(*(self._pages.answer(b"<p>", about) for _ in range(self._pages.count)))

    @asynccontextmanager
    async def turn(self, seconds: float, patient: bool) -> AsyncIterator[None]:
        """Wait for a process: up to `seconds`, or without a limit if `patient`.

        Only so many patient jobs as there are processes wait in the same line as other jobs.
        """
        async with self._patient if patient else nullcontext():
            self.waiting += 1
            try:
                async with asyncio.timeout(None if patient else seconds):
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

    async def answer(self, data: bytes, about: About) -> bytes | Reason:
        """Return the answer of a process for a page. Start a process again if it is killed while it starts."""
        for _ in range(STARTS):
            try:
                return await uninterrupted(self._pages.answer_json(data, about))
            except ChildProcessError:
                continue
            except PagesieveError as error:
                raise error_problem(error) from error
        raise Problem("unavailable", "the process that reads pages does not start")

    def close(self) -> None:
        """End the processes."""
        self._pages.close()


class Engine:
    """Does the jobs of a service. Use it in one event loop, inside the context manager `started`."""

    def __init__(self, options: ServiceOptions) -> None:
        self.options = options
        places = options.workers + options.queue
        self._short, self._long = _places(places), _places(max(1, places // LONG_SHARE))
        self._bytes = _Room(size := places * options.max_bytes, f"requests of {size:,} bytes are arriving")
        self.arriving = 0  # the number of bodies that are being received
        self.is_ready = False  # whether the processes are started
        self.draining = asyncio.Event()  # set when the service is about to end
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
        """Start the processes while the first requests arrive, and end them after the last response."""
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
        except (PagesieveError, OSError) as error:  # every request will report it, too
            LOG.critical("not ready", extra={"fields": {"why": str(error)}})

    def drain(self) -> None:
        """Accept no more lines of batches, because the service is shutting down."""
        self.is_ready = False
        self.draining.set()

    def close(self) -> None:
        """End the processes."""
        self._lane.close()
        self._large_lane.close()
        self._fetchers.shutdown(wait=False, cancel_futures=True)
        if self._library is not None:
            self._library.close()

    @property
    def running(self) -> int:
        """The number of pages that processes are reading."""
        return self._lane.running + self._large_lane.running

    @property
    def accepted(self) -> int:
        """The number of requests that hold a place."""
        return self._short.taken + self._long.taken

    @contextmanager
    def place(self, *, long: bool = False) -> Iterator[None]:
        """Hold a place for a request. `long` requests, of many pages, have separate places.

        Raise Problem if all places are taken.
        """
        places = self._long if long else self._short
        places.take(1)
        try:
            yield
        finally:
            places.taken -= 1

    @contextmanager
    def body(self) -> Iterator[Callable[[int], None]]:
        """Reserve memory for a body. Call the yielded function with the size of each part; it may raise Problem.

        The memory is released on exit. A request takes its place only after that, so that slow clients hold no places.
        """
        sizes: list[int] = []

        def take(size: int) -> None:
            self._bytes.take(size)
            sizes.append(size)

        self.arriving += 1
        try:
            yield take
        finally:
            self.arriving -= 1
            self._bytes.taken -= sum(sizes)

    async def answer(self, job: Job, *, patient: bool = False) -> bytes:
        """Return the result of a job as JSON, unchanged from its process.

        A `patient` job waits for a process without a time limit. Problem is the only exception, whatever the page or
        its server does.
        """
        try:
            return await self._answer(job, patient)
        except Problem:
            raise
        except Exception as error:
            LOG.exception("failure", extra={"fields": {"job": job.name}})
            raise Problem("failed", "the page could not be read, which is an error of Pagesieve") from error

    async def _answer(self, job: Job, patient: bool) -> bytes:
        if (job.options.get("sites") or job.name == "learn") and self._library is None:
            raise Problem("bad-input", "the service has no site library: start it with --sites")
        data, about = await self._load(job, patient)
        about |= {"job": job.name, "options": job.options}
        size = len(data) + sum(map(len, job.options.get("reference", ())))
        lane = self._large_lane if size > LARGE else self._lane
        if lane is self._large_lane and lane.waiting >= max(1, self.options.queue // LARGE_SHARE) and not patient:
            raise Problem("busy", f"{lane.waiting} large pages are waiting; try again later")
        async with lane.turn(self.options.timeout, patient):
            answer = await lane.answer(data, about)
        if isinstance(answer, Reason):
            raise reason_problem(answer)
        return answer

    async def _load(self, job: Job, patient: bool) -> tuple[bytes, dict[str, Any]]:
        """Return the bytes of a page, fetched if the job has only its address, and the details for its process."""
        if isinstance(job.html, str):
            return job.html.encode(), {"url": job.url, "is_text": True}
        if job.html is not None:
            return job.html, {"url": job.url, "content_type": job.content_type}
        assert job.url is not None
        if job.browser and not self.options.browser:
            raise Problem("bad-input", "the service has no browser: start it with --browser")
        source = await self._fetch(job.url, job.browser, patient)
        if isinstance(source.html, Page):
            return pickle.dumps(source.html), {"url": source.url, "rendered": True}
        assert isinstance(source.html, bytes)
        return source.html, {"url": source.url, "content_type": source.content_type}

    async def _fetch(self, url: str, browser: bool, patient: bool) -> PageSource:
        """Fetch a page. A patient fetch counts as running until its thread is free, even if it is cancelled."""
        if patient:
            await self._patient_fetches.acquire()
        thread = self._fetchers.submit(fetch_page, url, browser=browser, options=self._fetching)
        fetch = asyncio.wrap_future(thread)
        fetch.add_done_callback(partial(self._free, patient))
        try:
            async with asyncio.timeout(self.options.timeout + LATE):
                return await asyncio.shield(fetch)
        except PagesieveError as error:
            raise error_problem(error) from error
        except TimeoutError as error:
            thread.cancel()
            raise Problem("fetch-failed", f"the address gave no page within {self.options.timeout:g} s") from error
        except asyncio.CancelledError:
            if not thread.cancel():  # the fetch has begun: the request keeps its place until the thread is free
                await asyncio.wait({fetch})
            raise

    def _free(self, patient: bool, fetch: asyncio.Future[PageSource]) -> None:
        if patient:
            self._patient_fetches.release()
        if not fetch.cancelled():
            fetch.exception()  # retrieve it, or asyncio warns about an abandoned fetch

    @property
    def library(self) -> Sites:
        """The site library. Raise Problem if the service has none."""
        if self._library is None:
            raise Problem("no-library", "start the service with --sites to have a site library")
        return self._library

    async def with_library(self, work: Callable[[Sites], T]) -> T:
        """Call a function with the site library, in a thread. Raise Problem if there is no library, or it fails."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._fetchers, work, self.library)
        except PagesieveError as error:
            raise error_problem(error) from error


async def uninterrupted(work: Coroutine[Any, Any, T]) -> T:
    """Wait until a coroutine is done, even if this is cancelled: its process or thread is busy until then."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise
