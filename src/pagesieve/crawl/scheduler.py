"""The order of the addresses: a Scrapy scheduler whose queue is the store."""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Self

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler

from pagesieve.crawl.job import Job, job_of
from pagesieve.crawl.store import Entry
from pagesieve.errors import RunStopped

if TYPE_CHECKING:
    from pagesieve.crawl.spider import PageSpider

ENTRY = "pagesieve_entry"  # of a request, in its meta
AHEAD = 64  # addresses that are read from the store at a time
LEADING = ("feed", "sitemap")  # roles of addresses that never give a result


class StoreScheduler(BaseScheduler):
    """Hands out the addresses that wait in the store, from all hosts by turns.

    Redirected and repeated requests, which middlewares make, wait in memory: the address stays in the store until it
    has an outcome.
    """

    def __init__(self, job: Job) -> None:
        self._store, self._options = job.store, job.options
        self._spider: PageSpider
        self._requests: deque[Request] = deque()  # from middlewares
        self._ahead: dict[str, deque[Entry]] = {}  # by host
        self._has_news = True  # there may be hosts that are not in `_ahead`
        self._active: dict[int, Entry] = {}
        self._active_hosts: Counter[str] = Counter()
        self._is_broken = False  # the store cannot be read
        self.results = 0  # of this run

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the scheduler of a crawl."""
        return cls(job_of(crawler))

    def open(self, spider: Spider) -> None:
        """Take the spider, which makes the requests and reports their ends."""
        self._spider = spider  # type: ignore[assignment]
        self._spider.scheduler = self

    def has_pending_requests(self) -> bool:
        """Return whether there is a request that can be sent now."""
        return bool(self._requests) or self._next() is not None

    def enqueue_request(self, request: Request) -> bool:
        """Take a request from a middleware."""
        self._requests.append(request)
        return True

    def next_request(self) -> Request | None:
        """Return the next request; None if there is none now."""
        if self._requests:
            return self._requests.popleft()
        entry = self._next()
        if entry is None:
            return None
        entries = self._ahead.pop(entry.host)
        entries.popleft()
        self._ahead[entry.host] = entries  # last: all other hosts come before it
        self._active[entry.id] = entry
        self._active_hosts[entry.host] += 1
        return self._spider.request(entry)

    def release(self, entry: Entry, *, has_result: bool) -> None:
        """Note that an address has an outcome, which may have brought new addresses."""
        del self._active[entry.id]
        self._active_hosts[entry.host] -= 1
        self.results += has_result
        self._has_news = True

    @property
    def is_full(self) -> bool:
        """Whether the run has as many results as it should."""
        return self._options.count is not None and self.results >= self._options.count

    def _next(self) -> Entry | None:
        """Return the next address; None if there is none now, or if the store cannot be read, which ends the crawl."""
        if self.is_full or self._is_broken:
            return None
        try:
            if self._has_news:
                self._has_news = False
                for host in self._store.hosts():
                    self._ahead.setdefault(host, deque())
            free = (host for host in list(self._ahead) if self._active_hosts[host] < self._options.per_host)
            return next(filter(None, map(self._next_of, free)), None)
        except RunStopped as error:
            self._is_broken = True
            self._spider.failure = str(error)
            return None

    def _next_of(self, host: str) -> Entry | None:
        """Return the next address of a host; None if there is none, or none that may be taken now."""
        entries = self._ahead[host]
        while entries and not self._store.is_waiting(entries[0].id):
            entries.popleft()
        if not entries:
            entries.extend(self._store.take(host, AHEAD, without=self._active))
        if not entries:
            del self._ahead[host]
            return None
        return entries[0] if self._is_within_count(entries[0]) else None

    def _is_within_count(self, entry: Entry) -> bool:
        """Return whether there are not too many results even if all active addresses and this one give results."""
        if self._options.count is None or entry.role in LEADING:
            return True
        active = sum(other.role not in LEADING for other in self._active.values())
        return self.results + active < self._options.count
