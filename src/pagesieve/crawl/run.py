"""A whole crawl: Scrapy with the store, the guard and the page processes; afterwards pages are done again, if asked."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagesieve import api
from pagesieve.crawl.hosts import Hosts
from pagesieve.crawl.options import CrawlOptions
from pagesieve.crawl.store import Store
from pagesieve.crawl.watching import Watch
from pagesieve.errors import BadInput, MissingExtra, RunStopped
from pagesieve.records.schema import Schema
from pagesieve.text.urls import absolute, is_url

if TYPE_CHECKING:
    from pagesieve.children import Children
    from pagesieve.crawl.job import Job

START_DELAY = 0.05  # seconds between two requests to a host, before its speed is known
MODULES = "pagesieve.crawl"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run of a crawl ended."""

    begun: str  # `new`, `resumed` or `again`
    why: str  # `finished`, or what ended it: `count`, `seconds`, `interrupted`

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to do: the next run looks for what has changed."""
        return self.why == "finished"


def crawl(starts: Sequence[str], job: Path, options: CrawlOptions, watch: Watch) -> Ended:
    """Crawl from some addresses, or go on with a crawl; the results are in the store of the job folder.

    Runs once in a process, and in its main thread: Scrapy's reactor cannot be started again. Raises RunStopped where
    the crawl cannot go on, BadInput where an address is none, and MissingBrowser where one is asked for and missing.
    """
    try:
        import scrapy  # noqa: F401
    except ImportError as error:
        raise MissingExtra("a crawl", "crawl") from error
    from pagesieve.crawl.job import Job
    from pagesieve.crawl.reading import reading_children

    addresses = [_start(start) for start in starts]
    hosts = Hosts(addresses, options.hosts)
    if options.browser:
        from pagesieve.fetching.chromium import find_browser

        find_browser()  # a crawl that lacks one should not begin
    if options.schema is not None:
        Schema.load(options.schema)  # refused before anything is fetched
    if options.sites is not None:
        api.open_sites(options.sites).close()  # made if new, refused if it is no library
    with Store(job) as store:
        begun = store.begin(addresses, _kept(options))
        for host in store.hosts():  # of a run before, which feeds have named
            hosts.add(f"https://{host}/")
        pages = reading_children(options)
        try:
            why = _run(Job(options, store, hosts, pages, watch))
            if why == "finished" and options.twice:
                asyncio.run(_again(store, pages))
        finally:
            pages.close()
        if why == "finished":
            store.end()
    return Ended(begun, why)


def _start(start: str) -> str:
    """Return the address of a START; a host alone is a site. Raises BadInput."""
    given = start if "://" in start else f"https://{start}"
    address = absolute(given, given)
    if address is None or not is_url(address):
        raise BadInput(f"{start}: not the address of a page, a feed, a sitemap or a site")
    return address


def _kept(options: CrawlOptions) -> dict[str, Any]:
    """Return the options that may not change when a crawl goes on: its results would be of two sorts."""
    names = ("depth", "hosts", "bodies", "follow", "schema")
    given = options.as_dict()
    return {name: given[name] for name in names}


def _run(job: Job) -> str:
    """Run Scrapy until all is done or the run is to end; return why it ended."""
    from scrapy import signals
    from scrapy.crawler import AsyncCrawlerProcess

    from pagesieve.crawl.job import SETTING
    from pagesieve.crawl.spider import PageSpider

    _keep_quiet()
    process = AsyncCrawlerProcess(_settings(job.options) | {SETTING: job})
    crawler = process.create_crawler(PageSpider)
    reasons: list[str] = []

    def closed(reason: str) -> None:
        reasons.append(reason)

    crawler.signals.connect(closed, signals.spider_closed)
    process.crawl(crawler)
    with _own_signals():
        process.start()
    spider = crawler.spider
    if isinstance(spider, PageSpider) and spider.stopped is not None:
        raise RunStopped(spider.stopped)
    ends = {"closespider_timeout": "seconds", "shutdown": "interrupted"}
    why = reasons[0] if reasons else "interrupted"
    return ends.get(why, why)


@contextmanager
def _own_signals() -> Iterator[None]:
    """Undo what Scrapy does to signals: its handlers would swallow an interruption of what comes afterwards."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _keep_quiet() -> None:
    """Drop the messages of Scrapy's parts: what a person should know, the crawl says."""
    for name in ("scrapy", "twisted", "asyncio"):
        logger = logging.getLogger(name)
        logger.propagate = False
        logger.addHandler(logging.NullHandler())


def _settings(options: CrawlOptions) -> dict[str, Any]:
    """Return Scrapy's settings: of its own parts only those that do not fetch, and no console or server."""
    return {
        "LOG_ENABLED": False,
        "LOG_INSTALL_ROOT_HANDLER": False,
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
        "SCHEDULER": f"{MODULES}.scheduler.StoreScheduler",
        "DOWNLOAD_HANDLERS_BASE": {},
        "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), f"{MODULES}.downloading.GuardedHandler"),
        "DOWNLOADER_MIDDLEWARES_BASE": {},
        "DOWNLOADER_MIDDLEWARES": {
            f"{MODULES}.gate.Gate": 500,
            f"{MODULES}.redirects.Redirects": 600,
            "scrapy.downloadermiddlewares.cookies.CookiesMiddleware": 700,
        },
        "SPIDER_MIDDLEWARES_BASE": {"scrapy.spidermiddlewares.referer.RefererMiddleware": 700},  # which redirects need
        "EXTENSIONS_BASE": {},
        "EXTENSIONS": {
            "scrapy.extensions.closespider.CloseSpider": 0,
            **({"scrapy.extensions.throttle.AutoThrottle": 0} if options.throttle else {}),
        },
        "CLOSESPIDER_TIMEOUT": options.seconds or 0,
        "CONCURRENT_REQUESTS": options.concurrency,
        "CONCURRENT_ITEMS": 1,  # there are none: what is read goes to the store
        "CONCURRENT_REQUESTS_PER_DOMAIN": options.per_host,
        "DOWNLOAD_DELAY": 1 / options.rate if options.rate else 0.0,
        "DOWNLOAD_DELAY_JITTER": 0.0,  # a rate is one at most
        "AUTOTHROTTLE_ENABLED": options.throttle,
        "AUTOTHROTTLE_START_DELAY": START_DELAY,
        "AUTOTHROTTLE_TARGET_CONCURRENCY": float(options.per_host),
        "REDIRECT_MAX_TIMES": 10,
        "DOWNLOAD_TIMEOUT": options.limits.timeout,
    }


async def _again(store: Store, pages: Children) -> None:
    """Do the first pages of each site again, with what was learnt from those after them."""
    for body in store.bodies():
        reading = await pages.answer(body.data, body.about)
        store.replace(body.id, None if isinstance(reading, str) else reading["row"])
