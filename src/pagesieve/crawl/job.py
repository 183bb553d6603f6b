"""What the parts of a crawl share: its options, hosts, store, page processes, and the watcher of its progress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from pagesieve.article import check_bodies
from pagesieve.crawl.store import Entry, Outcome, Store
from pagesieve.errors import BadOption
from pagesieve.fetching.options import FetchOptions
from pagesieve.options import option, same_option
from pagesieve.text.dates import parse_datetime
from pagesieve.text.urls import absolute, host_of, same_family, split_url
from pagesieve.workers.child import Children, Limits, reason_category

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlOptions:
    """The options of a crawl. `run.FIXED` names those that have to be the same when it is resumed."""

    # Reach
    depth: int = option(2, "the maximum number of links from START to a page")
    hosts: tuple[str, ...] = option((), "another host to fetch pages from; * for any. May be repeated")
    list_pages: int = option(100, "the maximum number of pages of one list")
    since: str | None = option(None, "leave out pages from before a day such as 2024-05-31")
    robots: bool = True  # whether robots.txt is obeyed
    # End
    count: int | None = option(None, "stop after N results; the same command then goes on")
    seconds: float | None = option(None, "stop after this time")
    # Pace
    rate: float | None = option(None, "the maximum number of requests a second to one host")
    concurrency: int = option(16, "the maximum number of requests at a time")
    per_host: int = option(8, "the maximum number of requests at a time to one host")
    throttle: bool = True  # whether slow servers get fewer requests
    # Reading
    bodies: tuple[str, ...] = ("text",)  # formats of articles
    follow: bool = True  # whether articles over several pages are joined
    sites: str | None = option(None, "a site library: it learns the pages as they come, and is used for later ones")
    twice: bool = option(False, "at the end, read the first pages of each site again with the library (--sites)")
    schema: str | None = option(None, "the columns of the tables, a file from `records --save-schema`")
    browser: bool = option(False, "render pages whose text needs scripts, by a test of the first pages of each site")
    # Limits
    allow_private: bool = same_option(FetchOptions, "allow_private")
    user_agent: str | None = option(None, "the user agent, also for robots.txt; by default, pagesieve/VERSION")
    limits: Limits = field(default_factory=Limits)
    workers: int | None = option(None, "the number of processes that read pages; by default, one for each CPU")

    def __post_init__(self) -> None:
        check_bodies(self.bodies)
        if self.depth < 0:
            raise BadOption(f"depth must be 0 or more, not {self.depth}")
        for name in ("count", "seconds", "rate", "concurrency", "per_host", "list_pages", "workers"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise BadOption(f"{name} must be more than 0, not {value}")
        if self.since is not None and parse_datetime(self.since) is None:
            raise BadOption(f"since is a date such as 2024-05-31, not {self.since!r}")
        if self.twice and self.sites is None:
            raise BadOption("twice is for a site library: name one with sites")


ANY_HOST = "*"
_PLURALS = {"article": "articles", "catalogue": "catalogues", "feed": "feeds", "sitemap": "sitemaps"}


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One run of a crawl. The spider holds it; `job_of` returns it to the other components."""

    options: CrawlOptions
    store: Store
    hosts: Hosts
    pages: Children  # the processes that read pages
    watcher: Watcher


def job_of(crawler: Crawler) -> Job:
    """Return the job of a Scrapy crawler."""
    job: Job = crawler.spider.job  # type: ignore[union-attr]
    return job


class Hosts:
    """The hosts of a crawl: the sites of its STARTs with their subdomains, named hosts, and hosts that feeds name."""

    def __init__(self, starts: Iterable[str], names: Iterable[str] = ()) -> None:
        self._homes = {host_of(url) for url in starts}
        self._names = {_host(name) for name in names}

    def allow(self, url: str) -> bool:
        """Return whether the crawl may fetch an address."""
        host = host_of(url)
        if ANY_HOST in self._names or host in self._names or host in self._homes:
            return True
        bare = (split_url(url).hostname or "").removeprefix("www.")
        return bare in self._names or any(_is_same_site(host, home) for home in self._homes)

    def add(self, url: str) -> None:
        """Add the site of an address."""
        self._homes.add(host_of(url))


def _host(name: str) -> str:
    """Return the name of a host as addresses have it. Raises BadOption if it is not the name of a host."""
    if name == ANY_HOST:
        return ANY_HOST
    address = absolute(f"https://{name}/", "")
    if address is None or address.count("/") > 3 or "?" in address:
        raise BadOption(f"a host is a name such as example.org, not {name!r}")
    return host_of(address)


def _is_same_site(host: str, home: str) -> bool:
    """Return whether two hosts belong to one site. An IP address has no subdomains."""
    is_name = any(c.isalpha() for c in home.partition(":")[0]) and "." in home
    return is_name and same_family(host, home)


# Progress


class Watcher(Protocol):
    """Follows a crawl."""

    def settle(self, entry: Entry, outcome: Outcome | None) -> None:
        """Take the outcome of an address, or None if its page has not changed since the last run."""

    def say(self, message: str) -> None:
        """Take a message for the user."""


class Progress:
    """Counts the outcomes of a run, and keeps its messages."""

    def __init__(self) -> None:
        self.start = monotonic()
        self.kinds: Counter[str] = Counter()
        self.rejects: Counter[str] = Counter()
        self.unchanged = 0
        self.messages: list[str] = []

    def settle(self, entry: Entry, outcome: Outcome | None) -> None:
        """Count an outcome."""
        if outcome is None:
            self.unchanged += 1
        elif outcome.state.is_reject:
            self.rejects[reason_category(outcome.reason or "")] += 1
        else:
            self.kinds[(outcome.kind if outcome.row or outcome.links else None) or "other"] += 1

    def say(self, message: str) -> None:
        """Keep a message."""
        self.messages.append(message)

    @property
    def fetched(self) -> int:
        """How many addresses have an outcome."""
        return self.kinds.total() + self.rejects.total() + self.unchanged

    def line(self, waiting: int | None = None) -> str:
        """Return the figures of this run as one line: with the reasons of rejects, or with the number of those waiting.

        The second is for the end of a run, whose summary has the reasons on lines of their own.
        """
        seconds = monotonic() - self.start
        parts = [f"{self.fetched} fetched", f"{self.fetched / seconds:.1f} pages/s" if seconds > 0 else ""]
        parts += [] if waiting is None else [f"{waiting} waiting"]
        parts += [count_words(self.kinds, records="of records")]
        parts += [f"{self.unchanged} unchanged"] if self.unchanged else []
        parts += [f"{self.rejects.total()} rejected"] if self.rejects and waiting is not None else []
        line = ", ".join(part for part in parts if part)
        if self.rejects and waiting is None:
            reasons = ", ".join(f"{count} {reason}" for reason, count in self.rejects.most_common(5))
            line += f"; rejected: {reasons}"
        return line


def count_words(kinds: Counter[str], **names: str) -> str:
    """Return the counts of kinds in words, the highest first; `names` replaces the names of some kinds."""
    words = {kind: names.get(kind, kind if number == 1 else _PLURALS.get(kind, kind)) for kind, number in kinds.items()}
    return ", ".join(f"{number} {words[kind]}" for kind, number in kinds.most_common())
