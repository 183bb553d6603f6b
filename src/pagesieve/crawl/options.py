"""The options of a crawl: how far it goes, how fast, how long, and how pages are read."""

from __future__ import annotations

from dataclasses import dataclass, field

from pagesieve.article import check_bodies
from pagesieve.errors import BadOption
from pagesieve.fetching.options import FetchOptions
from pagesieve.options import option, same_option
from pagesieve.text.dates import parse_datetime
from pagesieve.workers.child import Limits


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
