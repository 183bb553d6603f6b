"""A whole crawl: Scrapy with the store, the guard and the page processes."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any

from pagesieve import api
from pagesieve.crawl.job import CrawlOptions, Hosts, Job, Watcher
from pagesieve.crawl.store import Store
from pagesieve.errors import BadInput, MissingExtra, RunStopped
from pagesieve.records.schema import Schema
from pagesieve.text.urls import absolute, is_url
from pagesieve.workers.child import Children, Reason

FIXED = ("depth", "hosts", "bodies", "follow", "schema")  # options that decide what the results are


class End(StrEnum):
    """Why a run ended, by Scrapy's reasons for the end of a spider."""

    FINISHED = "finished"  # nothing is left to do: the next run looks for changes
    COUNT = "count"
    TIME = "closespider_timeout"
    INTERRUPTED = "shutdown"


def crawl(starts: Sequence[str], folder: Path, options: CrawlOptions, watcher: Watcher) -> End:
    """Crawl from some addresses, or resume a crawl; the results are in the store of the job folder.

    A process can do this once, in its main thread: Scrapy's reactor cannot be started again. Raises BadInput if one of
    the starts is not an address, MissingBrowser if there is no browser for `options.browser`, and RunStopped if the
    crawl cannot go on.
    """
    try:
        import scrapy  # noqa: F401
    except ImportError as error:
        raise MissingExtra("a crawl", "crawl") from error
    from pagesieve.crawl.reading import reading_children

    addresses = [_start_address(start) for start in starts]
    hosts = Hosts(addresses, options.hosts)
    if options.browser:
        from pagesieve.fetching.chromium import find_browser

        find_browser()
    if options.schema is not None:
        Schema.load(options.schema)
    if options.sites is not None:
        api.open_sites(options.sites).close()
    # All options are good, so the job folder may be made
    with Store(folder) as store:
        store.begin(addresses, {name: getattr(options, name) for name in FIXED})
        for host in store.hosts():  # of an interrupted run, whose feeds may have named other hosts
            hosts.add(f"https://{host}/")
        pages = reading_children(options)
        try:
            end = _run(Job(options, store, hosts, pages, watcher))
            if end == End.FINISHED and options.twice:
                asyncio.run(_read_again(store, pages))
        finally:
            pages.close()
        if end == End.FINISHED:
            store.end()
    return end


def _start_address(start: str) -> str:
    """Return the address of a START, which may be a host alone. Raises BadInput."""
    url = start if "://" in start else f"https://{start}"
    address = absolute(url, url)
    if address is None or not is_url(address):
        raise BadInput(f"{start}: not the address of a page, a feed, a sitemap or a site")
    return address


def _run(job: Job) -> End:
    """Run Scrapy until nothing is left to do, or a limit is reached."""
    from scrapy.crawler import AsyncCrawlerProcess

    from pagesieve.crawl.spider import PageSpider

    process = AsyncCrawlerProcess(_settings(job.options))
    crawler = process.create_crawler(PageSpider)
    process.crawl(crawler, job=job)
    with _restored_signals():
        process.start()
    if isinstance(crawler.spider, PageSpider) and crawler.spider.failure is not None:
        raise RunStopped(crawler.spider.failure)
    assert crawler.stats is not None
    reason = crawler.stats.get_value("finish_reason")  # None after a second Ctrl-C
    return End(reason) if reason in tuple(End) else End.INTERRUPTED


@contextmanager
def _restored_signals() -> Iterator[None]:
    """Restore the signal handlers that Scrapy replaces: its own would ignore Ctrl-C after the crawl."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _settings(options: CrawlOptions) -> dict[str, Any]:
    """Return Scrapy's settings."""
    from pagesieve.crawl import downloader
    from pagesieve.crawl.scheduler import StoreScheduler

    return {
        "LOG_ENABLED": False,  # what the user should know goes to the watcher
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "SCHEDULER": StoreScheduler,
        "HTTPERROR_ALLOW_ALL": True,  # the spider writes an outcome for each status
        "CLOSESPIDER_TIMEOUT": options.seconds or 0,
        **downloader.settings(options),
    }


async def _read_again(store: Store, pages: Children) -> None:
    """Read the first pages of each site again, with what was learnt from those after them."""
    for body in store.bodies():
        reading = await pages.answer(body.data, body.about)
        store.replace(body.id, None if isinstance(reading, Reason) else reading["row"])
