"""What the parts of one crawl share: Scrapy makes them, and hands them its settings only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pagesieve.children import Children
from pagesieve.crawl.hosts import Hosts
from pagesieve.crawl.options import CrawlOptions
from pagesieve.crawl.store import Store
from pagesieve.crawl.watching import Watch

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

SETTING = "PAGESIEVE_JOB"


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One run of a crawl."""

    options: CrawlOptions
    store: Store
    hosts: Hosts
    pages: Children  # that read the answers
    watch: Watch

    def __deepcopy__(self, _: dict[int, Any]) -> Job:
        """Return the job itself: Scrapy copies its settings."""
        return self


def job_of(crawler: Crawler) -> Job:
    """Return the job that Scrapy's parts are made for."""
    found: Job = crawler.settings[SETTING]
    return found
