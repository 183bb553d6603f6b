"""The way of an address through a crawl: its request, its response, what a page process reads, and the outcome."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider, IgnoreRequest
from scrapy.http import Response
from twisted.python.failure import Failure

from pagesieve.crawl.discovery import usual_feeds, usual_sitemaps
from pagesieve.crawl.downloader import RENDERED, RequestRefused, RobotsTxt
from pagesieve.crawl.job import Job
from pagesieve.crawl.reading import ENOUGH, Drift, Reading, read
from pagesieve.crawl.scheduler import ENTRY, StoreScheduler
from pagesieve.crawl.store import Entry, Link, Outcome, Role, State
from pagesieve.errors import FetchError, MissingExtra, PagesieveError, RunStopped, unforeseen
from pagesieve.fetching.retries import is_temporary
from pagesieve.headlines.links import is_front
from pagesieve.joining import MAX_PARTS
from pagesieve.text.dates import day_of
from pagesieve.text.urls import absolute, key, site_key
from pagesieve.text.whitespace import fingerprint
from pagesieve.workers.child import Reason, Sort, shortened

MAX_NESTED = 4  # sitemaps inside of each other; the protocol has two
MAX_MOVES = 10  # pages, one after another, that only lead to the next one
OK, NOT_MODIFIED, SERVER_ERROR = 200, 304, 500


class PageSpider(Spider):
    """Makes the request of an address, and writes its outcome to the store."""

    name = "pagesieve"
    scheduler: StoreScheduler

    def __init__(self, job: Job) -> None:
        super().__init__()
        self.job = job
        self._options, self._store = job.options, job.store
        self._drift = Drift(job.options, job.watcher.say)
        self._rendering = Rendering(job.watcher.say)
        self.failure: str | None = None  # why the crawl cannot go on

    async def start(self) -> AsyncIterator[Any]:
        """Yield nothing: the scheduler has the addresses."""
        return
        yield

    def request(self, entry: Entry) -> Request:
        """Return the request of an address, a conditional one if an earlier run has fetched it."""
        headers = {"If-None-Match": entry.etag, "If-Modified-Since": entry.modified}
        return Request(
            entry.url,
            callback=self.parse,
            errback=self.fail,
            headers={name: value for name, value in headers.items() if value},
            meta={ENTRY: entry, RENDERED: self._options.browser and self._rendering.is_always_needed(entry.url)},
        )

    # Outcomes

    async def parse(self, response: Response, **_: Any) -> None:
        """Take a response."""
        entry: Entry = response.meta[ENTRY]
        try:
            outcome = await self._outcome(entry, response)
        except (RunStopped, MissingExtra) as error:
            raise self._stop(error) from error
        except Exception as error:  # a bug must not end the whole crawl
            outcome = _reject(unforeseen(error))
        self._settle(entry, outcome)

    def fail(self, failure: Failure) -> None:
        """Take the error of a request that was refused or had no response."""
        entry: Entry = failure.request.meta[ENTRY]  # type: ignore[attr-defined]
        error = failure.value
        assert error is not None
        if isinstance(error, MissingExtra):
            raise self._stop(error) from error
        if isinstance(error, IgnoreRequest):
            state = error.state if isinstance(error, RequestRefused) else State.REFUSED
            outcome = _reject(str(error), state)
        elif isinstance(error, PagesieveError):
            outcome = _reject(f"cannot be fetched: {error}", State.UNREACHABLE)
        else:
            outcome = _reject(unforeseen(error), State.UNREACHABLE)
        self._settle(entry, outcome)

    def _settle(self, entry: Entry, outcome: Outcome | None) -> None:
        """Write an outcome, None if the page has not changed. Raises CloseSpider if the crawl is to end."""
        try:
            if outcome is None:
                self._store.mark_unchanged(entry.id)
            else:
                self._store.finish(entry.id, outcome)
        except RunStopped as error:
            raise self._stop(error) from error
        self.scheduler.release(entry, has_result=outcome is not None and outcome.row is not None)
        self.job.watcher.settle(entry, outcome)
        if self.scheduler.is_full:
            raise CloseSpider("count")

    def _stop(self, error: PagesieveError) -> CloseSpider:
        """Return the exception that ends a crawl that cannot go on; addresses without an outcome still wait."""
        self.failure = str(error)
        return CloseSpider("failure")

    async def _outcome(self, entry: Entry, response: Response) -> Outcome | None:
        """Return the outcome of a response, None if the page has not changed."""
        if response.status == NOT_MODIFIED:
            return None
        if response.status != OK:
            return _reject_status(response)
        url = absolute(response.url, response.url) or response.url
        if key(url) != key(entry.url) and self._store.stands_for(url, entry.id):
            return _reject(f"the same page: {url}")
        about = {
            "url": url,
            "role": entry.role,
            "titles": entry.titles,
            "content_type": _header(response, "Content-Type"),
            "rendered": bool(response.meta.get(RENDERED)),
            "fetched": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        digest = blake2b(response.body, digest_size=16).hexdigest()
        if digest == entry.digest:
            return None
        reading = await read(self.job.pages, response.body, about)
        if self._options.browser and not about["rendered"]:
            reading = await self._rendered(url, about, reading)
        if isinstance(reading, Reason):
            is_harm = reading.sort in (Sort.TIME, Sort.MEMORY, Sort.DEATH)
            return _reject(reading, State.UNREADABLE if is_harm else State.REJECTED)
        parts: list[str] = []
        if reading.get("part"):
            reading, parts = await self._join_parts(reading, response, about)
        canonical, heading = reading.get("canonical"), _heading(reading["row"])
        if canonical and heading and (duplicate := self._store.same(entry.id, canonical, heading)):
            return _reject(f"the same page: {duplicate}")
        date = (reading["row"] or {}).get("date")
        if self._options.since is not None and date and day_of(str(date)) < self._options.since:
            return _reject(f"older than {self._options.since}")
        self._drift.check(url, reading)
        return Outcome(
            State.DONE,
            kind=reading["kind"],
            url=url,
            row=reading["row"],
            links=await self._links(entry, url, reading),
            others=[*parts, *([url] if key(url) != key(entry.url) else ())],
            etag=_header(response, "ETag"),
            modified=_header(response, "Last-Modified"),
            canonical=canonical,
            heading=heading,
            digest=digest,
            body=(response.body, about) if self._is_read_again(reading) and not parts else None,
        )

    def _is_read_again(self, reading: Reading) -> bool:
        """Return whether a page is to be read again at the end, when more of its site has been learnt."""
        return self._options.twice and reading["row"] is not None and reading.get("site_pages", ENOUGH) < ENOUGH

    async def _rendered(self, url: str, about: dict[str, Any], reading: Reading | Reason) -> Reading | Reason:
        """Render a page that may need its scripts. Return the reading of the rendered page if it does need them."""
        if not isinstance(reading, Reason) and reading["kind"] in ("feed", "sitemap"):
            return reading
        chars = 0 if isinstance(reading, Reason) else reading["chars"]
        if self._rendering.is_measured(url, chars) and not self._rendering.is_needed(url, chars):
            return reading
        response = await self._fetch(Request(url, meta={RENDERED: True}))
        if response is None:
            return reading
        rendered = await read(self.job.pages, response.body, about | {"rendered": True})
        if isinstance(rendered, Reason):
            return reading
        return rendered if self._rendering.measure(url, chars, rendered["chars"]) else reading

    async def _fetch(self, request: Request) -> Response | None:
        """Fetch an address that is not in the store; return None if it cannot be fetched."""
        assert self.crawler.engine is not None
        try:
            return await self.crawler.engine.download_async(request)
        except (IgnoreRequest, FetchError):
            return None

    # Links

    async def _links(self, entry: Entry, url: str, reading: Reading) -> list[Link]:
        """Return the links of a page, a feed or a sitemap that the crawl follows."""
        hosts = self.job.hosts
        links = [_link(fields, entry) for fields in reading["links"]]
        if entry.role in ("start", "feed") and reading["kind"] == "feed":
            for link in links:
                hosts.add(link.url)  # a feed may name pages of any site
        links = [link for link in links if link.depth <= self._options.depth and not _is_nested_too_deep(link)]
        if reading.get("moved") and entry.number < MAX_MOVES:
            if entry.role == "start":
                hosts.add(reading["moved"])
            role: Role = entry.role  # type: ignore[assignment]
            links.append(Link(reading["moved"], role, entry.titles, None, entry.number + 1, entry.depth))
        if (next_url := reading.get("next")) and entry.number + 1 < self._options.list_pages:
            role = "feed" if reading["kind"] == "feed" else "list"
            links.append(Link(next_url, role, number=entry.number + 1, depth=entry.depth))
        if entry.role == "start" and reading["kind"] not in ("feed", "sitemap") and is_front(url):
            links += [link async for link in self._discover(url, reading)]
        return [link for link in links if hosts.allow(link.url) and not self._is_too_old(link)]

    async def _discover(self, url: str, reading: Reading) -> AsyncIterator[Link]:
        """Yield the feeds, sitemaps and sections of a site, from the usual places if the site does not name them."""
        robots = self.crawler.get_downloader_middleware(RobotsTxt)  # None with --ignore-robots
        sitemaps = list((await robots.rules(url)).sitemaps) if robots is not None else []
        sitemaps = sitemaps or await self._first_existing(usual_sitemaps(url))
        feeds = reading.get("feeds") or ([] if sitemaps else await self._first_existing(usual_feeds(url)))
        for address in sitemaps:
            yield Link(address, "sitemap")
        for address in feeds:
            yield Link(address, "feed")
        for address in reading.get("sections", ()):
            yield Link(address, "list", depth=1)

    async def _first_existing(self, places: Iterable[str]) -> list[str]:
        """Return the first of some addresses that exists, by HEAD requests."""
        for place in places:
            response = await self._fetch(Request(place, method="HEAD"))
            if response is not None and response.status == OK:
                return [place]
        return []

    def _is_too_old(self, link: Link) -> bool:
        return bool(self._options.since and link.changed and day_of(link.changed) < self._options.since)

    # Articles over several pages

    async def _join_parts(
        self, reading: Reading, response: Response, about: dict[str, Any]
    ) -> tuple[Reading, list[str]]:
        """Fetch the later pages of an article; return the joined article and the addresses of these pages."""
        bodies, urls, types = [response.body], [about["url"]], [about["content_type"]]
        next_url = reading["part"]
        while next_url and len(urls) < MAX_PARTS and key(next_url) not in {key(url) for url in urls}:
            next_response = await self._fetch(Request(next_url))
            if next_response is None or next_response.status != OK:
                break
            content_type = _header(next_response, "Content-Type")
            part = {"url": next_url, "titles": about["titles"], "content_type": content_type}
            next_reading = await read(self.job.pages, next_response.body, part)
            if isinstance(next_reading, Reason) or next_reading["row"] is None:
                break
            bodies.append(next_response.body)
            urls.append(next_url)
            types.append(content_type)
            next_url = next_reading.get("part")
        if len(urls) == 1:
            return reading, []
        pages = {"sizes": [len(body) for body in bodies], "urls": urls, "content_types": types}
        joined = await read(self.job.pages, b"".join(bodies), about | pages)
        return (reading, []) if isinstance(joined, Reason) else (reading | joined, urls[1:])


def _link(fields: dict[str, Any], entry: Entry) -> Link:
    """Return a link from its fields: deeper than its page by one, unless it is a sitemap."""
    link = Link(**{**fields, "titles": tuple(fields["titles"])})
    if link.role == "sitemap":
        return replace(link, depth=entry.depth, number=entry.number + (entry.role == "sitemap"))
    return replace(link, depth=entry.depth + 1)


def _is_nested_too_deep(link: Link) -> bool:
    """Return whether a link leads to a sitemap inside of sitemaps that always name further ones."""
    return link.role == "sitemap" and link.number > MAX_NESTED


def _heading(row: dict[str, Any] | None) -> str | None:
    """Return a digest of the headline of a page, or else of its text, which no other page has."""
    text = (row or {}).get("title") or (row or {}).get("text")
    return fingerprint(text) if text else None


def _reject(reason: str, state: State = State.REJECTED) -> Outcome:
    return Outcome(state, shortened(reason))


def _reject_status(response: Response) -> Outcome:
    is_trouble = is_temporary(response.status) or response.status >= SERVER_ERROR
    return _reject(f"answered {response.status}: {response.url}", State.UNREACHABLE if is_trouble else State.REJECTED)


def _header(response: Response, name: str) -> str | None:
    value = response.headers.get(name)
    return value.decode("utf-8", "replace") if value else None


# Pages that need a browser

MEASURED = 3  # pages of a sort
MIN_FACTOR = 2.0  # a page needs its scripts if they multiply its text by this
MIN_GAIN = 200  # and add so many characters
SHORT = 600  # characters: pages of a site with less text are a sort of their own


class Rendering:
    """Decides which pages need a browser: it measures the text of the first pages of a sort before and after scripts.

    The sorts are, for each site, the pages that are sent with little text and all others.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._votes: dict[tuple[str, bool], list[bool]] = {}

    def is_measured(self, url: str, sent: int) -> bool:
        """Return whether enough pages of a sort were measured, given the characters that a page was sent with."""
        return len(self._votes.get((site_key(url), sent < SHORT), ())) >= MEASURED

    def is_needed(self, url: str, sent: int) -> bool:
        """Return whether pages of a sort need a browser: most of those that were measured do."""
        votes = self._votes.get((site_key(url), sent < SHORT), [])
        return self.is_measured(url, sent) and 2 * sum(votes) > len(votes)

    def is_always_needed(self, url: str) -> bool:
        """Return whether all pages of a site so far were sent with little text, and need a browser."""
        return self.is_needed(url, 0) and not self._votes.get((site_key(url), False))

    def measure(self, url: str, sent: int, rendered: int) -> bool:
        """Take the characters of a page before and after its scripts; return whether it needs them."""
        is_needed = rendered >= MIN_FACTOR * sent and rendered - sent >= MIN_GAIN
        votes = self._votes.setdefault((site_key(url), sent < SHORT), [])
        votes.append(is_needed)
        if len(votes) == MEASURED and self.is_needed(url, sent):
            sort = "pages with little text" if sent < SHORT else "pages"
            self._say(f"{site_key(url)}: its {sort} need scripts, and are rendered")
        return is_needed
