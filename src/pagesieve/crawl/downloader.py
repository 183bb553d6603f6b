"""The way of a request to its server, on Scrapy's interfaces: four downloader middlewares and the download handler.

`settings` puts them into a crawl. Requests pass `HostFilter`, `RobotsTxt` and `Retry` on their way to `GuardedHandler`,
which fetches as every other fetch of Pagesieve does; responses pass `Redirect` and `Retry` on their way back. A
redirected or repeated request is a new one, and passes all of them again.
"""

from __future__ import annotations

import asyncio
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from random import random
from time import monotonic, time
from typing import Any, Self
from urllib.parse import urlsplit

from protego import Protego
from scrapy import Request
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.downloadermiddlewares.retry import RetryMiddleware
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Headers, Response
from scrapy.robotstxt import RobotParser
from scrapy.settings import default_settings
from scrapy.utils.python import global_object_name, to_unicode

from pagesieve.crawl.discovery import parse_robots, robots_sitemaps
from pagesieve.crawl.job import CrawlOptions, job_of
from pagesieve.crawl.scheduler import ENTRY
from pagesieve.crawl.store import State
from pagesieve.errors import FetchError
from pagesieve.fetching.http import ACCEPT, Answer, Exchanges
from pagesieve.fetching.options import USER_AGENT, FetchOptions, RenderOptions
from pagesieve.fetching.retries import DEFAULT_OPTIONS, STATUSES, seconds_to_wait
from pagesieve.text.urls import host_of, is_url, masked_url

START_DELAY = 0.05  # seconds between two requests to a host before its latency is known
MAX_DELAY = 30.0  # seconds between two requests that a robots.txt may ask for
MAX_REDIRECTS = 10
MAX_SHOWN = 100  # characters of an address in a reason
REDIRECTS = frozenset((301, 302, 303, 307, 308))
# The rate is a maximum, and a Crawl-delay a minimum. Older versions of Scrapy have only the second setting.
EXACT_DELAYS = (
    {"DOWNLOAD_DELAY_JITTER": 0.0}
    if hasattr(default_settings, "DOWNLOAD_DELAY_JITTER")
    else {"RANDOMIZE_DOWNLOAD_DELAY": False}
)
ACCEPT_FEEDS = ACCEPT.replace("application/xml;q=0.9", "application/xml;q=0.9,application/feed+json;q=0.9")

# In the meta of a request
RENDERED = "pagesieve_rendered"  # whether a browser renders its page; in that of a response, too
NO_ROBOTS = "dont_obey_robotstxt"  # Scrapy's own, for requests for a robots.txt


class RequestRefused(IgnoreRequest):
    """The crawl may not fetch an address. The message is the reason, and `state` becomes that of the address."""

    def __init__(self, reason: str, state: State = State.REFUSED) -> None:
        super().__init__(reason)
        self.state = state


class HostFilter:
    """Refuses requests to hosts that do not belong to the crawl, and what is neither http nor https."""

    def __init__(self, crawler: Crawler) -> None:
        self._hosts = job_of(crawler).hosts

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Let a request through. Raises RequestRefused."""
        if request.meta.get(NO_ROBOTS):  # a robots.txt may be redirected to another host
            return
        if not is_url(request.url):
            raise RequestRefused("not the address of a page: only http and https are fetched")
        if ENTRY in request.meta and request.meta[ENTRY].role == "start":
            self._hosts.add(request.url)  # to which START may have been redirected
        if not self._hosts.allow(request.url):
            raise RequestRefused("leads to another site")


# robots.txt


@dataclass(frozen=True, slots=True)
class Rules(RobotParser):
    """The rules of a robots.txt. Without any, everything is allowed."""

    parsed: Protego | None = None
    failure: str = ""  # why the file could not be fetched: then nothing is allowed
    sitemaps: tuple[str, ...] = ()

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> Self:
        """Parse a robots.txt."""
        return cls(parse_robots(robotstxt_body, crawler.settings["ROBOTSTXT_USER_AGENT"]))

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Return whether a user agent may fetch an address."""
        return not self.failure and (
            self.parsed is None or self.parsed.can_fetch(to_unicode(url), to_unicode(user_agent))
        )

    def crawl_delay(self, user_agent: str | bytes) -> float:
        """Return how many seconds a user agent should leave between two requests."""
        delay = self.parsed.crawl_delay(to_unicode(user_agent)) if self.parsed is not None else None
        return min(float(delay or 0.0), MAX_DELAY)


class RobotsTxt(RobotsTxtMiddleware):
    """Obeys robots.txt by RFC 9309: one file for each origin; if a server fails to send it, nothing may be fetched."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._agent: str = crawler.settings["ROBOTSTXT_USER_AGENT"]
        self._rules: dict[str, asyncio.Task[Rules]] = {}  # by origin

    async def process_request(self, request: Request) -> None:  # type: ignore[override]
        """Let a request through once the robots.txt of its origin is there. Raises RequestRefused."""
        try:
            await super().process_request(request)
        except IgnoreRequest as error:
            if isinstance(error, RequestRefused):
                raise
            raise RequestRefused("forbidden by robots.txt") from error

    async def robot_parser(self, request: Request) -> RobotParser:
        """Return the rules for a request. Raises RequestRefused if there are none because its server failed."""
        rules = await self.rules(request.url)
        if rules.failure:
            raise RequestRefused(rules.failure, State.UNREACHABLE)
        if delay := rules.crawl_delay(self._agent):
            self._slow_down(request, delay)
        return rules

    async def rules(self, url: str) -> Rules:
        """Return the rules of the origin of an address, from a file that is fetched once."""
        parts = urlsplit(url)
        place = f"{parts.scheme}://{parts.netloc}/robots.txt"
        if place not in self._rules:
            self._rules[place] = asyncio.ensure_future(self._fetch(place))
        return await asyncio.shield(self._rules[place])

    async def _fetch(self, place: str) -> Rules:
        """Fetch a robots.txt. Like any request, this one passes all middlewares."""
        request = Request(place, meta={NO_ROBOTS: True})
        assert self.crawler.engine is not None
        try:
            response = await self.crawler.engine.download_async(request)
        except (FetchError, IgnoreRequest) as error:
            return Rules(failure=f"robots.txt cannot be fetched: {error}")
        if response.status >= 500 or response.status == 429:
            return Rules(failure=f"robots.txt cannot be fetched: the server answered {response.status}")
        if response.status != 200:
            return Rules()
        rules = Rules.from_crawler(self.crawler, response.body)
        return replace(rules, sitemaps=robots_sitemaps(response.body, place))

    def _slow_down(self, request: Request, delay: float) -> None:
        """Keep a delay between the requests to a host."""
        assert self.crawler.engine is not None
        downloader = self.crawler.engine.downloader
        slot = downloader.slots.get(downloader.get_slot_key(request))
        if slot is not None and slot.delay < delay:
            slot.delay = delay
        if slot is None or slot.delay <= delay:  # or AutoThrottle halves it with each response
            request.meta["autothrottle_dont_adjust_delay"] = True


# Repeated and redirected requests


class Retry(RetryMiddleware):
    """Repeats requests after a while, as every fetch does, and leaves a host alone for as long as its server asks."""

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self._rests: dict[str, float] = {}  # when a host may be asked again, by `monotonic`

    async def process_request(self, request: Request) -> None:
        """Wait until the host of a request may be asked."""
        host = host_of(request.url)
        while (rest := self._rests.get(host, 0.0) - monotonic()) > 0:
            await asyncio.sleep(rest)

    async def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Return a response, or the request again if the server could not answer it now."""
        header = response.headers.get("Retry-After")
        is_time = await self._wait(request, response.status, header.decode("latin-1") if header else None)
        return super().process_response(request, response) if is_time else response

    async def process_exception(self, request: Request, exception: Exception) -> Any:  # type: ignore[override]
        """Return a request again if its connection failed."""
        return super().process_exception(request, exception) if await self._wait(request, exception) else None

    async def _wait(self, request: Request, outcome: int | Exception, retry_after: str | None = None) -> bool:
        """Wait before a request is repeated; return False if it should not be."""
        attempt = request.meta.get("retry_times", 0) + 1
        seconds = seconds_to_wait(attempt, outcome, retry_after, now=time(), chance=random())
        if seconds is None:
            return False
        if retry_after is not None:
            host = host_of(request.url)
            self._rests[host] = max(self._rests.get(host, 0.0), monotonic() + seconds)
        await asyncio.sleep(seconds)
        return True


class Redirect(RedirectMiddleware):
    """Follows redirects, and gives the reason if one leads nowhere."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Return a response, or the request that a redirect leads to. Raises RequestRefused."""
        try:
            result: Request | Response = super().process_response(request, response)
        except IgnoreRequest as error:
            raise RequestRefused(f"more than {self.max_redirect_times} redirects") from error
        except (ValueError, LookupError) as error:  # UnicodeError is a ValueError
            raise RequestRefused(_dead_end(response)) from error
        if result is response and response.status in REDIRECTS:
            raise RequestRefused(_dead_end(response))
        return result


def _dead_end(response: Response) -> str:
    location = response.headers.get("Location")
    where = ascii(masked_url(location.decode("utf-8", "replace"))[:MAX_SHOWN]) if location else "no address"
    return f"invalid redirect: {where}"


# The download handler


def fetch_options(options: CrawlOptions) -> FetchOptions:
    """Return the options of the fetches of a crawl."""
    return FetchOptions(
        max_bytes=options.limits.max_bytes,
        allow_private=options.allow_private,
        timeout=options.limits.timeout,
        user_agent=options.user_agent or USER_AGENT,
    )


class GuardedHandler(BaseDownloadHandler):
    """Sends requests through the guard, each in a thread, and returns responses as they are, redirects too."""

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        options = job_of(crawler).options
        self._allow_private, self._timeout = options.allow_private, options.limits.timeout
        self._exchanges = Exchanges(fetch_options(options), each=True)
        self._threads = ThreadPoolExecutor(options.concurrency, "pagesieve-fetch")

    async def download_request(self, request: Request) -> Response:
        """Return the response to a request. Raises FetchError."""
        if request.meta.get(RENDERED):
            return await self._render(request)
        headers = [
            (name.decode("latin-1"), value.decode("utf-8", "replace"))
            for name, values in request.headers.items()
            for value in values
        ]
        start = monotonic()
        answer: Answer = await asyncio.get_running_loop().run_in_executor(
            self._threads, self._exchanges.ask, request.method, request.url, headers, request.body or None
        )
        request.meta["download_latency"] = monotonic() - start  # for AutoThrottle
        return Response(
            request.url,
            answer.status,
            Headers([(name.encode(), value.encode("utf-8", "replace")) for name, value in answer.headers]),
            answer.body,
            request=request,
        )

    async def _render(self, request: Request) -> Response:
        """Return a page as a browser shows it: the body is the pickled page."""
        from pagesieve.fetching.chromium import shared

        options = RenderOptions(allow_private=self._allow_private, timeout=self._timeout)
        render = partial(shared().render, url=request.url, options=options)
        page = await asyncio.get_running_loop().run_in_executor(self._threads, render)
        return Response(page.url or request.url, 200, body=pickle.dumps(page), request=request)

    async def close(self) -> None:
        """Close all connections."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._exchanges.close()


# Settings


def settings(options: CrawlOptions) -> dict[str, Any]:
    """Return Scrapy's settings for all requests of a crawl."""
    agent = fetch_options(options).user_agent
    return {
        "DOWNLOAD_HANDLERS": {
            **dict.fromkeys(("http", "https"), GuardedHandler),
            **dict.fromkeys(("data", "file", "ftp", "s3")),
        },
        "DOWNLOADER_MIDDLEWARES": {  # subclasses replace three of Scrapy's
            HostFilter: 60,
            **dict.fromkeys(map(global_object_name, (RobotsTxtMiddleware, RetryMiddleware, RedirectMiddleware))),
            RobotsTxt: 100,
            Retry: 550,
            Redirect: 600,
        },
        "DEFAULT_REQUEST_HEADERS": {"Accept": ACCEPT_FEEDS},
        "USER_AGENT": agent,
        "ROBOTSTXT_OBEY": options.robots,
        "ROBOTSTXT_USER_AGENT": agent,
        "RETRY_TIMES": DEFAULT_OPTIONS.retries,
        "RETRY_HTTP_CODES": sorted(STATUSES),
        "RETRY_EXCEPTIONS": [FetchError],
        "REDIRECT_MAX_TIMES": MAX_REDIRECTS,
        "METAREFRESH_ENABLED": False,  # only page processes parse pages
        "HTTPPROXY_ENABLED": False,  # behind a proxy, the guard could not check the address of a server
        "DOWNLOAD_TIMEOUT": options.limits.timeout,
        "CONCURRENT_REQUESTS": options.concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": options.per_host,
        "DOWNLOAD_DELAY": 1 / options.rate if options.rate else 0.0,
        **EXACT_DELAYS,
        "AUTOTHROTTLE_ENABLED": options.throttle,
        "AUTOTHROTTLE_START_DELAY": START_DELAY,
        "AUTOTHROTTLE_TARGET_CONCURRENCY": float(options.per_host),
    }
