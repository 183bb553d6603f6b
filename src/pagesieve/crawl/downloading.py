"""How Scrapy gets a page: by `fetching/http.py`, so that guard, limits and errors are those of every other fetch."""

from __future__ import annotations

import asyncio
import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import monotonic

from scrapy import Request
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.http import Headers, Response

from pagesieve.crawl.job import job_of
from pagesieve.crawl.options import CrawlOptions
from pagesieve.fetching.http import ACCEPT, USER_AGENT, Answer, Exchanges, FetchOptions

ACCEPT_FEEDS = ACCEPT.replace("application/xml;q=0.9", "application/xml;q=0.9,application/feed+json;q=0.9")


def fetch_options(options: CrawlOptions) -> FetchOptions:
    """Return the options of each fetch of a crawl."""
    return FetchOptions(
        max_bytes=options.limits.max_bytes,
        allow_private=options.allow_private,
        timeout=options.limits.timeout,
        user_agent=options.user_agent or USER_AGENT,
    )


RENDERED = "pagesieve_rendered"  # in the meta of a request: its page is to be rendered; and in that of a response


class GuardedHandler(BaseDownloadHandler):
    """Sends each request of a crawl through the guard, in a thread; redirects are handed back as they are."""

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        options = job_of(crawler).options
        self._allow_private, self._timeout = options.allow_private, options.limits.timeout
        self._agent = fetch_options(options).user_agent
        self._exchanges = Exchanges(fetch_options(options), each=True)
        self._threads = ThreadPoolExecutor(options.concurrency, "pagesieve-fetch")

    async def download_request(self, request: Request) -> Response:
        """Return the answer to a request. Raises FetchError."""
        if request.meta.get(RENDERED):
            return await self._rendered(request)
        headers = [("User-Agent", self._agent), ("Accept", ACCEPT_FEEDS)]
        headers += [
            (name.decode("latin-1"), value.decode("utf-8", "replace"))
            for name, values in request.headers.items()
            for value in values
            if name.lower() not in (b"user-agent", b"accept")
        ]
        loop = asyncio.get_running_loop()
        began = monotonic()
        answer: Answer = await loop.run_in_executor(
            self._threads, self._exchanges.ask, request.method, request.url, headers, request.body or None
        )
        request.meta["download_latency"] = monotonic() - began
        return Response(
            request.url,
            answer.status,
            Headers([(name.encode(), value.encode("utf-8", "replace")) for name, value in answer.headers]),
            answer.body,
            request=request,
        )

    async def _rendered(self, request: Request) -> Response:
        """Return a page as a browser shows it: the body is the page itself, pickled."""
        from pagesieve.fetching.chromium import RenderOptions, shared

        how = RenderOptions(allow_private=self._allow_private, timeout=self._timeout)
        render = partial(shared().render, url=request.url, options=how)
        page = await asyncio.get_running_loop().run_in_executor(self._threads, render)
        return Response(page.url or request.url, 200, body=pickle.dumps(page), request=request)

    async def close(self) -> None:
        """Close all connections."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._exchanges.close()
