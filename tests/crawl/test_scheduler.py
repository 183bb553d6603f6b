"""Which address of the store comes next."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request

from pagesieve.crawl.job import CrawlOptions, Hosts
from pagesieve.crawl.scheduler import StoreScheduler
from pagesieve.crawl.store import Entry, Link, Outcome, Role, Store
from pagesieve.errors import RunStopped

STARTS = ["https://a.example/", "https://b.example/"]


class Spider:
    """Makes requests whose meta is the entry."""

    failure: str | None = None

    def request(self, entry: Entry) -> Request:
        return Request(entry.url, meta={"entry": entry})


def scheduler(folder: Path, links: list[Link], **options: Any) -> StoreScheduler:
    """Return a scheduler of a crawl whose first start has led to some addresses."""
    store = Store(folder)
    store.begin(STARTS, {})
    for host in ("a.example", "b.example"):
        store.finish(store.take(host, 1)[0].id, Outcome(links=links if host == "a.example" else ()))
    job = SimpleNamespace(options=CrawlOptions(**options), store=store, hosts=Hosts(STARTS))
    made = StoreScheduler(job)  # type: ignore[arg-type]
    made.open(Spider())  # type: ignore[arg-type]
    return made


def pages(host: str, number: int, role: Role = "page") -> list[Link]:
    return [Link(f"https://{host}/{role}{at}", role) for at in range(number)]


def handed_out(scheduler: StoreScheduler) -> list[Entry]:
    """Return all that is handed out until something comes back."""
    requests = iter(scheduler.next_request, None)
    return [request.meta["entry"] for request in requests]


def urls(entries: list[Entry]) -> list[str]:
    return [entry.url.partition("://")[2] for entry in entries]


def test_hosts_take_turns(tmp_path: Path) -> None:
    made = scheduler(tmp_path, [*pages("a.example", 3), *pages("b.example", 1), *pages("c.example", 2)])
    got = [url.partition(".")[0] for url in urls(handed_out(made))]
    assert got == ["a", "b", "c", "a", "c", "a"]


def test_no_more_of_a_host_than_may_be_asked_at_a_time(tmp_path: Path) -> None:
    made = scheduler(tmp_path, [*pages("a.example", 5), *pages("b.example", 1)], per_host=2)
    first = handed_out(made)
    assert sorted(urls(first)) == ["a.example/page0", "a.example/page1", "b.example/page0"]
    assert not made.has_pending_requests()
    (entry,) = [entry for entry in first if entry.url.endswith("a.example/page0")]
    made._store.finish(entry.id, Outcome())
    made.release(entry, has_result=False)
    assert made.has_pending_requests()
    assert urls(handed_out(made)) == ["a.example/page2"]


def test_lists_come_before_pages(tmp_path: Path) -> None:
    made = scheduler(tmp_path, [*pages("a.example", 2), *pages("a.example", 1, "list"), *pages("a.example", 1, "feed")])
    assert [entry.role for entry in handed_out(made)] == ["list", "feed", "page", "page"]


@pytest.mark.parametrize("role", ["page", "list", "start"])
def test_as_many_results_as_asked_for_and_no_more(tmp_path: Path, role: Role) -> None:
    made = scheduler(tmp_path, [*pages("a.example", 1, "sitemap"), *pages("a.example", 6, role)], count=3)
    first = handed_out(made)
    assert len(first) == 4
    for entry, has_result in zip([entry for entry in first if entry.role == role], (True, False, True), strict=True):
        made._store.finish(entry.id, Outcome())
        made.release(entry, has_result=has_result)
    assert not made.is_full
    (last,) = handed_out(made)
    made._store.finish(last.id, Outcome())
    made.release(last, has_result=True)
    assert made.is_full
    assert made.next_request() is None
    assert not made.has_pending_requests()


def test_pages_that_others_cover_are_left_out(tmp_path: Path) -> None:
    made = scheduler(tmp_path, pages("a.example", 3), per_host=1)
    (first,) = handed_out(made)
    made._store.finish(first.id, Outcome(others=["https://a.example/page1"]))
    made.release(first, has_result=True)
    assert urls(handed_out(made)) == ["a.example/page2"]


def test_repeated_requests_come_first(tmp_path: Path) -> None:
    made = scheduler(tmp_path, pages("a.example", 1))
    again = Request("https://a.example/again")
    assert made.enqueue_request(again)
    assert made.has_pending_requests()
    assert made.next_request() is again


def test_a_store_that_cannot_be_read_ends_the_crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = scheduler(tmp_path, pages("a.example", 1))

    def broken() -> list[str]:
        raise RunStopped("crawl.db: damaged")

    monkeypatch.setattr(made._store, "hosts", broken)
    assert made.next_request() is None
    assert not made.has_pending_requests()
    assert made._spider.failure == "crawl.db: damaged"
