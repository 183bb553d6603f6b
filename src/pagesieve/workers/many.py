"""Extract many pages with several processes or threads, and yield the results in order."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, field
from pickle import PickleBuffer
from typing import TYPE_CHECKING, Any, Unpack

from pagesieve.api import check_sites, checked_titles, extract, parsed_references, with_named_options
from pagesieve.article import FORMATS, ArticleKeywords, ArticleOptions, Format, Html, check
from pagesieve.errors import BadInput, BadLibrary, BadOption, PagesieveError, unforeseen
from pagesieve.methods.registry import load_model
from pagesieve.page.table import Page
from pagesieve.text.urls import masked

if TYPE_CHECKING:
    from pagesieve.sites.library import Sites
    from pagesieve.workers.pool import Event, Lost, Pool, Tell

CHUNK_BYTES = 1 << 21  # of the pages in one job of a worker, since each exchange has a cost
CHUNK_PAGES = 16
READ_TIME = 0.05  # seconds after which a chunk is sent although it is not full
QUEUED = 2  # chunks of a worker: the current one and the next, so that it never waits
AHEAD = 3  # chunks per worker that may be read before the next result is available
THREAD_NAME = "pagesieve-extract"  # the beginning of the names of threads
THREAD_PAGES = 8  # pages per thread that may be read before the next result is available
TRIES = 2  # attempts at a page whose worker is killed, since the page need not be the cause

PageInput = Html | tuple[Html, str | None]
Result = str | PagesieveError | None


@with_named_options(ArticleKeywords.__annotations__)
def extract_many(
    pages: Iterable[PageInput],
    *,
    workers: int | None = None,
    threads: bool = False,
    format: Format = "text",
    **as_article: Unpack[ArticleKeywords],
) -> Generator[Result, None, None]:
    """Call `extract` for each page, on all CPUs, and yield the results in the order of the pages.

    A page is str, bytes or a Page, or a pair of one of these and its URL. `pages` is read only a little ahead of the
    results, so it may be endless. `workers` is the number of processes: None for one on each available CPU, 1 to use
    the calling process. If `threads` is true, the workers are threads of this process, which start at once and share
    its memory; a page that crashes the interpreter, or needs too much memory, then ends the calling process. The other
    options are those of `extract`, for all pages; an invalid one raises an error at the call.

    The result is None if the page has no article. If `extract` would raise an error, the result is that error, so that
    one page does not end the run. Closing the generator, or an exception in it, ends the processes at once; a thread
    ends after its current page.
    """
    check("format", format, FORMATS)
    if isinstance(pages, str | bytes | bytearray | Page) or not isinstance(pages, Iterable):
        raise BadInput(f"pages is an iterable of pages, not {type(pages).__name__}")
    work = _Work(format, _for_all(**as_article))
    count = _count(workers, pages, threads)
    if count == 1:
        return _one_by_one(pages, work)
    return _by_threads(pages, work, count) if threads else _by_workers(pages, work, count)


def _for_all(
    *,
    reference: Html | Sequence[Html] | None = None,
    sites: Sites | None = None,
    external: Sequence[str] = (),
    **options: Any,
) -> dict[str, Any]:
    """Return the keywords of `extract`, with references parsed. Raise the errors that all pages would have."""
    chosen = ArticleOptions(**options)
    load_model(chosen.model, chosen.method)
    check_sites(sites)
    return {
        **options,
        "reference": parsed_references(reference) or None,
        "sites": sites,
        "external": checked_titles(external),
    }


def _count(workers: int | None, pages: Iterable[PageInput], threads: bool) -> int:
    """Return the number of workers, at most the number of pages if that is known."""
    from pagesieve.workers.pool import available_cpus

    if workers is None:
        workers = available_cpus()
    elif not isinstance(workers, int) or workers < 1:
        raise BadOption(f"workers is a number from 1 on, or None, not {workers!r}")
    if sys.platform == "win32" and not threads:  # where the pool of processes does not run
        return 1
    return max(1, min(workers, len(pages))) if isinstance(pages, Sized) else workers


# The work on a page, here or in a worker


@dataclass(frozen=True, slots=True)
class _Source:
    """A page in the form in which it is sent to a worker, or the error of an invalid page."""

    html: Html = ""
    url: str | None = None
    error: BadInput | None = None

    @property
    def size(self) -> int:
        """Return the approximate number of bytes."""
        return len(self.html.text_buffer) if isinstance(self.html, Page) else len(self.html)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle bytes as a buffer, which is not copied."""
        html = PickleBuffer(self.html) if isinstance(self.html, bytes) else self.html
        return _Source, (html, self.url, self.error)


def _source(page: PageInput) -> _Source:
    """Return the source of the caller's page, without types that only the caller's process has."""
    html, url = page if isinstance(page, tuple) and len(page) == 2 else (page, None)
    if isinstance(html, bytes | bytearray | memoryview):
        html = bytes(html)
    elif isinstance(html, str):
        html = str(html)
    elif not isinstance(html, Page):
        return _Source(error=BadInput(f"a page is str, bytes or Page, not {type(html).__name__}"))
    if url is not None and not isinstance(url, str):
        return _Source(error=BadInput(f"url is a str, not {type(url).__name__}"))
    return _Source(html, None if url is None else str(url))


@dataclass(frozen=True, slots=True)
class _Work:
    """The data that each worker gets once: the options, with the reference pages and the model."""

    format: Format
    keywords: dict[str, Any]

    def __call__(self, chunk: _Chunk, tell: Tell) -> list[Result]:
        """Return the results of the pages of a chunk."""
        return [self.result(source) for source in chunk.pages]

    def result(self, source: _Source) -> Result:
        """Return the result of a page. Errors are results, and are never raised."""
        if source.error is not None:
            return source.error
        try:
            return extract(source.html, source.url, format=self.format, **self.keywords)
        except PagesieveError as error:
            return error.with_traceback(None)  # a traceback would keep the page in memory
        except Exception as error:  # a bug, or too little memory for the page
            return PagesieveError(masked(unforeseen(error)))


def _checked(result: Result) -> Result:
    """Return a result, or raise it if it is an error that all other pages would have, too."""
    if isinstance(result, BadLibrary):
        raise result
    return result


class _Pages:
    """The pages of the caller, read one by one. An error of the iterable is raised after the results before it."""

    def __init__(self, pages: Iterable[PageInput]) -> None:
        self._pages: Iterator[PageInput] = iter(pages)
        self.error: Exception | None = None

    def read(self) -> _Source | None:
        """Return the next page, or None after the last one."""
        try:
            return _source(next(self._pages))
        except StopIteration:
            return None
        except Exception as error:
            self._pages, self.error = iter(()), error
            return None

    def end(self) -> None:
        """Raise the error that ended the iterable, if there was one."""
        if self.error is not None:
            raise self.error


# One process, or several threads


def _one_by_one(pages: Iterable[PageInput], work: _Work) -> Generator[Result, None, None]:
    for page in pages:
        yield _checked(work.result(_source(page)))


def _by_threads(pages: Iterable[PageInput], work: _Work, workers: int) -> Generator[Result, None, None]:
    from concurrent.futures import Future, ThreadPoolExecutor

    sources, pending = _Pages(pages), deque[Future[Result]]()
    pool = ThreadPoolExecutor(workers, thread_name_prefix=THREAD_NAME)
    try:
        for source in iter(sources.read, None):
            pending.append(pool.submit(work.result, source))
            while pending and (pending[0].done() or len(pending) >= THREAD_PAGES * workers):
                yield _checked(pending.popleft().result())
        while pending:
            yield _checked(pending.popleft().result())
    finally:
        pool.shutdown(cancel_futures=True)
    sources.end()


# Several processes


@dataclass(slots=True, eq=False)
class _Chunk:
    """Consecutive pages that are sent to a worker together, and their results."""

    pages: list[_Source]
    tries: int = 0
    results: list[Result] | None = field(default=None)


def _by_workers(pages: Iterable[PageInput], work: _Work, workers: int) -> Generator[Result, None, None]:
    from pagesieve.workers.pool import Pool

    pool: Pool[_Chunk] = Pool(work, workers, QUEUED)
    try:
        yield from _Run(pages, pool, workers).results()
    finally:
        pool.close(patience=0.0)


class _Run:
    """Sends pages to a pool in chunks, and sorts the results."""

    def __init__(self, pages: Iterable[PageInput], pool: Pool[_Chunk], workers: int) -> None:
        self._pages = _Pages(pages)
        self._pool = pool
        self._workers = workers
        self._read = 0  # the number of chunks so far
        self._begun: list[_Chunk] = []  # the chunks that were read but not yielded, in order
        self._again: deque[_Chunk] = deque()  # those of them whose worker was killed

    def results(self) -> Iterator[Result]:
        """Yield the results in order; then raise the error of the pages, if there was one."""
        self._feed()
        while self._begun:
            self._listen()
            self._feed()
            if self._begun[0].results is not None:
                yield from map(_checked, self._begun.pop(0).results or ())
                self._feed()
        self._pages.end()

    def _feed(self) -> None:
        """Send chunks to idle workers, without waiting long for pages, since there may be results."""
        until = time.monotonic() + READ_TIME
        while self._pool.has_room and (chunk := self._next(until)) is not None:
            self._pool.give(chunk)
            if time.monotonic() > until:
                return

    def _next(self, until: float) -> _Chunk | None:
        """Return the next chunk to process, or None."""
        if self._again:
            return self._again.popleft()
        if len(self._begun) >= AHEAD * self._workers:
            return None
        # The first chunks are small, so that the first result comes soon.
        pages = self._read_pages(min(CHUNK_PAGES, 1 << self._read // self._workers), until)
        if not pages:
            return None
        self._read += 1
        self._begun.append(_Chunk(pages))
        return self._begun[-1]

    def _read_pages(self, count: int, until: float) -> list[_Source]:
        """Return the next pages, or an empty list after the last one."""
        pages: list[_Source] = []
        size = 0
        while len(pages) < count and size < CHUNK_BYTES and (page := self._pages.read()) is not None:
            pages.append(page)
            size += page.size
            if time.monotonic() > until:
                break
        return pages

    def _listen(self) -> None:
        """Receive the messages of workers, and wait for them if there is nothing to yield."""
        is_waiting = self._begun[0].results is None
        for event in self._pool.listen() if is_waiting else self._pool.listen(0.0):
            self._take(event)

    def _take(self, event: Event[_Chunk]) -> None:
        from pagesieve.workers.pool import Done, Lost

        if isinstance(event, Done):
            event.job.results = event.result
        elif isinstance(event, Lost):
            self._repeat(event)

    def _repeat(self, lost: Lost[_Chunk]) -> None:
        """Repeat the pages of a killed worker, one by one; a page that kills its worker again fails."""
        if lost.status >= 0:  # not the fault of a page: the worker cannot start, or cannot send
            raise PagesieveError(f"a worker {lost.why}")
        if not lost.was_begun:
            self._again.append(lost.job)
            return
        chunk, tries = lost.job, lost.job.tries + (not lost.is_orphan)
        if len(chunk.pages) == 1 and tries == TRIES:
            chunk.results = [PagesieveError(f"died: its worker {lost.why}")]
            return
        alone = [_Chunk([source], tries) for source in chunk.pages]
        at = self._begun.index(chunk)
        self._begun[at : at + 1] = alone
        self._again.extend(alone)
