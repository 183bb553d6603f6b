"""Which address of the store comes next: Scrapy's scheduler over it."""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler

from pagesieve.crawl.job import job_of
from pagesieve.crawl.store import Entry
from pagesieve.errors import RunStopped

if TYPE_CHECKING:
    from pagesieve.crawl.spider import PageSpider

ENTRY = "pagesieve_entry"  # of a request, in its meta
AHEAD = 64  # addresses read at a time
WITHOUT_RESULT = ("feed", "sitemap")  # roles of addresses that lead to others only


class StoreScheduler(BaseScheduler):
    """Hands out the addresses that wait in the store, no more of one host than may be asked at a time.

    Requests that middlewares make, redirected or repeated ones, wait in memory: their address stays in the store until
    something has come of it.
    """

    def __init__(self, crawler: Crawler) -> None:
        job = job_of(crawler)
        self._store, self._options = job.store, job.options
        self._crawler = crawler
        self._again: deque[Request] = deque()
        self._read: dict[str, deque[Entry]] = {}  # by host
        self._is_stale = True  # there may be hosts that were not read
        self.active: dict[int, Entry] = {}
        self._is_broken = False  # the store cannot be read
        self._hosts: Counter[str] = Counter()
        self.results = 0  # of this run

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StoreScheduler:
        """Make the scheduler of a crawl."""
        return cls(crawler)

    def has_pending_requests(self) -> bool:
        """Whether there is more to do, now or after what is under way."""
        return bool(self._again) or self._next(peek=True) is not None

    def enqueue_request(self, request: Request) -> bool:
        """Take a request of a middleware."""
        self._again.append(request)
        return True

    def next_request(self) -> Request | None:
        """Return the next request; None where there is none now."""
        if self._again:
            return self._again.popleft()
        entry = self._next()
        if entry is None:
            return None
        self.active[entry.id] = entry
        self._hosts[entry.host] += 1
        spider: PageSpider = self._crawler.spider  # type: ignore[assignment]
        return spider.request(entry)

    def release(self, entry: Entry, *, has_result: bool) -> None:
        """Take back an address of which something has come, and read on: it may have led to others."""
        del self.active[entry.id]
        self._hosts[entry.host] -= 1
        self.results += has_result
        self._is_stale = True

    @property
    def is_full(self) -> bool:
        """Whether there are as many results as were asked for."""
        return self._options.count is not None and self.results >= self._options.count

    def _next(self, *, peek: bool = False) -> Entry | None:
        """Return the next address; None where there is none now, or the store cannot be read: then the crawl ends."""
        if self.is_full or self._is_broken:
            return None
        try:
            return self._by_turns(peek)
        except RunStopped as error:
            self._is_broken = True
            spider: PageSpider = self._crawler.spider  # type: ignore[assignment]
            spider.stopped = str(error)
            return None

    def _by_turns(self, peek: bool) -> Entry | None:
        """Return an address of a host that may be asked, the hosts by turns."""
        if self._is_stale:
            self._is_stale = False
            for host in self._store.hosts():
                self._read.setdefault(host, deque())
        for host in list(self._read):
            if self._hosts[host] < self._options.per_host and (entry := self._of(host)) is not None:
                if not peek:
                    waiting = self._read.pop(host)
                    waiting.popleft()
                    self._read[host] = waiting  # last: the others come before it is asked again
                return entry
        return None

    def _of(self, host: str) -> Entry | None:
        """Return the next address of a host; None where there is none, or none that is wanted now."""
        waiting = self._read[host]
        while waiting and not self._store.is_waiting(waiting[0].id):
            waiting.popleft()
        if not waiting:
            waiting.extend(self._store.take(host, AHEAD, without=self.active))
        if not waiting:
            del self._read[host]
            return None
        return waiting[0] if self._is_wanted(waiting[0]) else None

    def _is_wanted(self, entry: Entry) -> bool:
        """Whether a page would not be one too many, if all under way give results."""
        if self._options.count is None or entry.role in WITHOUT_RESULT:
            return True
        under_way = sum(active.role not in WITHOUT_RESULT for active in self.active.values())
        return self.results + under_way < self._options.count
