"""What a crawl is asked for: where it may go, how fast, how long, and what becomes of a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from pagesieve.article import check_bodies
from pagesieve.child import Limits
from pagesieve.errors import BadOption
from pagesieve.text.dates import parse_datetime

DEPTH = 2
PER_HOST = 8
CONCURRENCY = 16
LIST_PAGES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlOptions:
    """The options of a crawl. Those of its reach and its results stay the same when it is resumed."""

    # Its reach
    depth: int = DEPTH  # links from a START, at most
    hosts: tuple[str, ...] = ()  # that pages are taken from, besides the sites of the STARTs
    list_pages: int = LIST_PAGES  # pages of one list, at most
    since: str | None = None  # an ISO date: older pages are left out
    robots: bool = True  # whether robots.txt is obeyed
    # Its end
    count: int | None = None  # results in one run
    seconds: float | None = None  # of one run
    # Its pace
    rate: float | None = None  # requests a second to one host, at most
    concurrency: int = CONCURRENCY  # requests at a time
    per_host: int = PER_HOST  # requests at a time to one host
    throttle: bool = True  # whether slow servers are asked more slowly
    # What becomes of a page
    bodies: tuple[str, ...] = ("text",)  # what articles are written as
    follow: bool = True  # whether articles over several pages are joined
    sites: str | None = None  # a site library, which learns the pages
    twice: bool = False  # whether pages are done again with what was learnt after them
    schema: str | None = None  # a file: the columns of the tables
    browser: bool = False  # whether sites that need scripts are rendered
    # Limits
    allow_private: bool = False
    user_agent: str | None = None
    limits: Limits = field(default_factory=Limits)
    workers: int | None = None  # processes that read pages; None: as many as there are CPUs

    def __post_init__(self) -> None:
        check_bodies(self.bodies)
        if self.depth < 0:
            raise BadOption(f"depth is 0 or more, not {self.depth}")
        for name in ("count", "seconds", "rate", "concurrency", "per_host", "list_pages", "workers"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise BadOption(f"{name} is more than 0, not {value}")
        if self.since is not None and parse_datetime(self.since) is None:
            raise BadOption(f"since is a date such as 2024-05-31, not {self.since!r}")
        if self.twice and self.sites is None:
            raise BadOption("twice is for a site library: name one with sites")

    def as_dict(self) -> dict[str, Any]:
        """Return the options, ready for JSON."""
        return {**asdict(self), "hosts": list(self.hosts), "bodies": list(self.bodies)}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Return the options that `as_dict` wrote."""
        limits = Limits(**given["limits"])
        return cls(**{**given, "hosts": tuple(given["hosts"]), "bodies": tuple(given["bodies"]), "limits": limits})
