"""The way of an address through a crawl: it is asked for, its answer is read, and what came of it is written down."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, IgnoreRequest
from scrapy.http import Response
from twisted.python.failure import Failure

from pagesieve.child import shortened
from pagesieve.crawl.discovery import usual_feeds, usual_sitemaps
from pagesieve.crawl.downloading import RENDERED
from pagesieve.crawl.drift import Drift
from pagesieve.crawl.gate import Gate
from pagesieve.crawl.job import job_of
from pagesieve.crawl.learning import ENOUGH
from pagesieve.crawl.reading import Reading
from pagesieve.crawl.rendering import Rendering
from pagesieve.crawl.scheduler import ENTRY, StoreScheduler
from pagesieve.crawl.store import DONE, REJECTED, Entry, Found, Outcome, Role
from pagesieve.errors import FetchError, MissingExtra, PagesieveError, RunStopped, unforeseen
from pagesieve.fetching.retries import is_temporary
from pagesieve.headlines.judgement import is_front
from pagesieve.text.dates import day_of
from pagesieve.text.fingerprints import fingerprint
from pagesieve.text.urls import absolute, key

MOST_PARTS = 20  # pages of one article
MOST_NESTED = 4  # sitemaps inside of each other; the protocol knows but two
MOST_MOVES = 10  # pages, one after another, that only lead on
OK, NOT_MODIFIED = 200, 304


class PageSpider(Spider):
    """Takes addresses from the store and writes down what comes of them."""

    name = "pagesieve"

    def _set_crawler(self, crawler: Crawler) -> None:
        super()._set_crawler(crawler)
        job = job_of(crawler)
        self._options, self._store, self._hosts = job.options, job.store, job.hosts
        self._pages, self._watch = job.pages, job.watch
        self._drift = Drift(self._options, self._watch)
        self._rendering = Rendering(self._watch.say)
        self.stopped: str | None = None  # why the crawl could not go on

    async def start(self) -> AsyncIterator[Any]:
        """Yield nothing: the scheduler knows what waits."""
        return
        yield

    def request(self, entry: Entry) -> Request:
        """Return the request for an address; a conditional one where it was fetched before."""
        headers = {"If-None-Match": entry.etag, "If-Modified-Since": entry.modified}
        return Request(
            entry.url,
            callback=self.parse,
            errback=self.failed,
            headers={name: value for name, value in headers.items() if value},
            meta={ENTRY: entry, RENDERED: self._options.browser and self._rendering.is_always_needed(entry.url)},
            dont_filter=True,
        )

    # What comes of an address

    async def parse(self, response: Response, **_: Any) -> None:
        """Take an answer."""
        entry: Entry = response.meta[ENTRY]
        try:
            outcome = await self._outcome(entry, response)
        except (RunStopped, MissingExtra) as error:
            raise self._stopping(error) from error
        except Exception as error:  # of a mistake of ours only this page is lost
            outcome = _rejected(unforeseen(error))
        self._settle(entry, outcome)

    def failed(self, failure: Failure) -> None:
        """Take a failure: an address that was refused, or did not answer."""
        entry: Entry = failure.request.meta[ENTRY]  # type: ignore[attr-defined]
        error = failure.value
        assert error is not None
        if isinstance(error, MissingExtra):
            raise self._stopping(error) from error
        if isinstance(error, IgnoreRequest):
            reason = str(error)
        elif isinstance(error, PagesieveError):
            reason = f"cannot be fetched: {error}"
        else:
            reason = unforeseen(error)
        self._settle(entry, _rejected(reason, keeps=True))

    def _settle(self, entry: Entry, outcome: Outcome | None) -> None:
        """Write down what came of an address; None: it is as it was."""
        try:
            if outcome is None:
                self._store.unchanged(entry.id)
            else:
                self._store.finish(entry.id, outcome)
        except RunStopped as error:
            raise self._stopping(error) from error
        self._scheduler.release(entry, has_result=outcome is not None and outcome.row is not None)
        self._watch.settled(entry, outcome)
        if self._scheduler.is_full:
            raise CloseSpider("count")

    def _stopping(self, error: PagesieveError) -> CloseSpider:
        """Return what ends the crawl, since it cannot go on; what is under way waits for the next run."""
        self.stopped = str(error)
        return CloseSpider("stopped")

    @property
    def _scheduler(self) -> StoreScheduler:
        return self.crawler.engine._slot.scheduler  # type: ignore[union-attr, return-value]

    async def _outcome(self, entry: Entry, response: Response) -> Outcome | None:
        """Read an answer; None where the page is as it was."""
        if response.status == NOT_MODIFIED:
            return None
        if response.status != OK:
            keeps = is_temporary(response.status)
            return _rejected(f"answered {response.status}: {response.url}", keeps=keeps)
        url = absolute(response.url, response.url) or response.url
        if key(url) != key(entry.url) and self._store.stands_for(url, entry.id):
            return _rejected(f"the same page: {url}")
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
        reading: Reading | str = await self._pages.answer(response.body, about)
        if self._options.browser and not about["rendered"]:
            reading = await self._shown(url, about, reading)
        if isinstance(reading, str):
            return _rejected(reading)
        parts: list[str] = []
        if reading.get("part"):
            reading, parts = await self._followed(reading, response, about)
        canonical, heading = reading.get("canonical"), _heading(reading["row"])
        if canonical and heading and (duplicate := self._store.same(entry.id, canonical, heading)):
            return _rejected(f"the same page: {duplicate}")
        if self._is_old(reading.get("row")):
            return _rejected(f"older than {self._options.since}")
        self._drift.see(url, reading)
        return Outcome(
            DONE,
            kind=reading["kind"],
            url=url,
            row=reading["row"],
            found=[*await self._found(entry, url, reading)],
            others=[*parts, *([url] if key(url) != key(entry.url) else ())],
            etag=_header(response, "ETag"),
            modified=_header(response, "Last-Modified"),
            canonical=canonical,
            heading=heading,
            digest=digest,
            body=(response.body, about) if self._is_kept(reading) and not parts else None,
        )

    def _is_kept(self, reading: Reading) -> bool:
        """Whether a page is to be done again, once more of its site is known."""
        return self._options.twice and reading["row"] is not None and reading.get("known", ENOUGH) < ENOUGH

    def _is_old(self, row: dict[str, Any] | None) -> bool:
        date = (row or {}).get("date")
        return self._options.since is not None and bool(date) and day_of(str(date)) < self._options.since

    async def _shown(self, url: str, about: dict[str, Any], sent: Reading | str) -> Reading | str:
        """Render a page too, if it may need its scripts; return what is read from it as it is shown, where it does."""
        if not isinstance(sent, str) and sent["kind"] in ("feed", "sitemap"):
            return sent
        chars = 0 if isinstance(sent, str) else sent["chars"]
        if self._rendering.is_measured(url, chars) and not self._rendering.is_needed(url, chars):
            return sent
        try:
            response = await self.crawler.engine.download_async(Request(url, meta={RENDERED: True}, dont_filter=True))
        except (IgnoreRequest, FetchError):
            return sent
        shown = await self._pages.answer(response.body, about | {"rendered": True})
        if isinstance(shown, str):
            return sent
        return shown if self._rendering.measure(url, chars, shown["chars"]) else sent

    # Where it leads to

    async def _found(self, entry: Entry, url: str, reading: Reading) -> list[Found]:
        """Return the addresses that an answer leads to, as far as the crawl goes."""
        found = [_deeper(each, entry) for each in reading["found"]]
        if entry.role in ("start", "feed") and reading["kind"] == "feed":
            for each in found:
                self._hosts.add(each.url)  # what a feed names, it means
        found = [each for each in found if each.depth <= self._options.depth and not _is_too_deep(each)]
        if reading.get("moved") and entry.number < MOST_MOVES:
            if entry.role == "start":
                self._hosts.add(reading["moved"])
            found.append(Found(reading["moved"], _role(entry), entry.titles, None, entry.number + 1, entry.depth))
        if reading.get("next") and entry.number + 1 < self._options.list_pages:
            role: Role = "feed" if reading["kind"] == "feed" else "list"
            found.append(Found(reading["next"], role, number=entry.number + 1, depth=entry.depth))
        if entry.role == "start" and reading["kind"] not in ("feed", "sitemap") and is_front(url):
            found += [each async for each in self._discovered(url, reading)]
        return [each for each in found if self._hosts.allow(each.url) and not self._is_before(each)]

    async def _discovered(self, url: str, reading: Reading) -> AsyncIterator[Found]:
        """Yield the feeds, sitemaps and sections of a site; what it does not name is looked for in the usual places."""
        gate = self.crawler.get_downloader_middleware(Gate)
        assert gate is not None
        sitemaps = list((await gate.robots.rules(url)).sitemaps) if self._options.robots else []
        sitemaps = sitemaps or await self._first_there(usual_sitemaps(url))
        feeds = reading.get("feeds") or ([] if sitemaps else await self._first_there(usual_feeds(url)))
        for address in sitemaps:
            yield Found(address, "sitemap")
        for address in feeds:
            yield Found(address, "feed")
        for address in reading.get("sections", ()):
            yield Found(address, "list", depth=1)

    async def _first_there(self, places: Iterable[str]) -> list[str]:
        """Return the first of some addresses that a server has, without fetching it."""
        for place in places:
            try:
                answer = await self.crawler.engine.download_async(Request(place, method="HEAD", dont_filter=True))
            except (IgnoreRequest, PagesieveError):
                continue
            if answer.status == OK:
                return [place]
        return []

    def _is_before(self, found: Found) -> bool:
        return bool(self._options.since and found.changed and day_of(found.changed) < self._options.since)

    # Articles over several pages

    async def _followed(self, reading: Reading, response: Response, about: dict[str, Any]) -> tuple[Reading, list[str]]:
        """Fetch the other pages of an article, and join them."""
        bodies, urls, types = [response.body], [about["url"]], [about["content_type"]]
        following = reading["part"]
        while following and len(urls) < MOST_PARTS and key(following) not in {key(url) for url in urls}:
            request = Request(following, dont_filter=True)
            try:
                answer = await self.crawler.engine.download_async(request)
            except (IgnoreRequest, PagesieveError):
                break
            if answer.status != OK:
                break
            part = {"url": following, "titles": about["titles"], "content_type": _header(answer, "Content-Type")}
            next_reading = await self._pages.answer(answer.body, part)
            if isinstance(next_reading, str) or next_reading["row"] is None:
                break
            bodies.append(answer.body)
            urls.append(following)
            types.append(part["content_type"])
            following = next_reading.get("part")
        if len(urls) == 1:
            return reading, []
        given = {"sizes": [len(body) for body in bodies], "urls": urls, "content_types": types}
        joined = await self._pages.answer(b"".join(bodies), about | given)
        return (reading, []) if isinstance(joined, str) else (reading | joined, urls[1:])


def _deeper(described: dict[str, Any], entry: Entry) -> Found:
    """Return an address that an answer leads to: a link further from the START, unless it is a part of a sitemap."""
    found = Found(**{**described, "titles": tuple(described["titles"])})
    if found.role == "sitemap":
        return replace(found, depth=entry.depth, number=entry.number + (entry.role == "sitemap"))
    return replace(found, depth=entry.depth + 1)


def _is_too_deep(found: Found) -> bool:
    """Whether an address is of a sitemap inside of sitemaps that name ever new ones."""
    return found.role == "sitemap" and found.number > MOST_NESTED


def _role(entry: Entry) -> Role:
    """Return what an address is that stands for another."""
    return entry.role  # type: ignore[return-value]


def _heading(row: dict[str, Any] | None) -> str | None:
    """Return what tells a page from others that call the same address their own: its headline, or else its text."""
    said = (row or {}).get("title") or (row or {}).get("text")
    return fingerprint(said) if said else None


def _rejected(reason: str, *, keeps: bool = False) -> Outcome:
    return Outcome(REJECTED, shortened(reason), keeps=keeps)


def _header(response: Response, name: str) -> str | None:
    value = response.headers.get(name)
    return value.decode("utf-8", "replace") if value else None
