"""What may be fetched, and when once more: the hosts of a crawl, robots.txt, and retries. A downloader middleware."""

from __future__ import annotations

import asyncio
from random import random
from time import monotonic, time

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from pagesieve.crawl.downloading import fetch_options
from pagesieve.crawl.job import job_of
from pagesieve.crawl.robots import Robots
from pagesieve.crawl.scheduler import ENTRY
from pagesieve.errors import FetchError
from pagesieve.fetching.retries import seconds_to_wait
from pagesieve.text.urls import host_of, is_url

UNCHECKED = "pagesieve_unchecked"  # in the meta of a request: that for a robots.txt
TRIES = "pagesieve_tries"


class Refused(IgnoreRequest):
    """An address may not be fetched; the message says why."""


class Gate:
    """Lets requests through, redirected ones too, if their host and its robots.txt allow it; repeats failed ones."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        job = job_of(crawler)
        self._options, self._hosts = job.options, job.hosts
        self._agent = fetch_options(self._options).user_agent
        self.robots = Robots(self._ask, self._agent)
        self._rests: dict[str, float] = {}  # until when a host is not to be asked, on the clock of `monotonic`

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Gate:
        """Make the gate of a crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Refuse a request, or let it through once its robots.txt is read. Raises Refused."""
        await self._rest(request)
        if request.meta.get(UNCHECKED):
            return
        if not is_url(request.url):
            raise Refused("leads to no page: only http and https are fetched")
        if ENTRY in request.meta and request.meta[ENTRY].role == "start":
            self._hosts.add(request.url)  # where it has led to
        if not self._hosts.allow(request.url):
            raise Refused("leads to another site")
        if not self._options.robots:
            return
        rules = await self.robots.rules(request.url)
        if refusal := rules.refusal(request.url, self._agent):
            raise Refused(refusal)
        if delay := rules.delay(self._agent):
            self._slow_down(request, delay)

    def _slow_down(self, request: Request, delay: float) -> None:
        """Keep the delay that a robots.txt asks for."""
        downloader = self._crawler.engine.downloader
        slot = downloader.slots.get(downloader.get_slot_key(request))
        if slot is not None and slot.delay < delay:
            slot.delay = delay
        if slot is None or slot.delay <= delay:  # AutoThrottle would halve it with each answer
            request.meta["autothrottle_dont_adjust_delay"] = True

    async def _rest(self, request: Request) -> None:
        """Wait as long as a host has asked not to be asked."""
        host = host_of(request.url)
        while (left := self._rests.get(host, 0.0) - monotonic()) > 0:
            await asyncio.sleep(left)

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        """Repeat a request that a server could not answer now."""
        asked = response.headers.get("Retry-After")
        return await self._again(request, response.status, asked.decode("latin-1") if asked else None) or response

    async def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """Repeat a request whose connection failed."""
        return await self._again(request, exception)

    async def _again(
        self, request: Request, outcome: int | BaseException, retry_after: str | None = None
    ) -> Request | None:
        tries = request.meta.get(TRIES, 0) + 1
        wait = seconds_to_wait(tries, outcome, retry_after, now=time(), chance=random())
        if wait is None:
            return None
        if retry_after is not None:
            host = host_of(request.url)
            self._rests[host] = max(self._rests.get(host, 0.0), monotonic() + wait)
        await asyncio.sleep(wait)
        return request.replace(meta={**request.meta, TRIES: tries}, dont_filter=True)

    async def _ask(self, url: str) -> tuple[int, bytes]:
        """Fetch a robots.txt through the middlewares, so that redirects and retries are those of any page."""
        request = Request(url, meta={UNCHECKED: True, "dont_obey_robotstxt": True}, dont_filter=True)
        try:
            response = await self._crawler.engine.download_async(request)
        except IgnoreRequest as error:
            raise FetchError(str(error)) from error
        return response.status, response.body
