"""Crawls of small sites on this machine: limits of reach, pace and time, and runs that follow another."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy.http import Response

from pagesieve import open_sites
from pagesieve.crawl.job import CrawlOptions, Progress
from pagesieve.crawl.reading import Reader
from pagesieve.crawl.run import _read_again
from pagesieve.crawl.run import crawl as run_crawl
from pagesieve.crawl.spider import _reject_status
from pagesieve.crawl.store import Outcome, State, Store
from pagesieve.errors import PagesieveError
from pagesieve.fetching import chromium
from pagesieve.workers.child import Reason, Sort
from tests.crawl.crawls import crawl
from tests.crawl.hostile_site import article, catalogue, sitemap
from tests.site_server import SiteServer, serving_site


def listed(urls: list[str], more: str = "") -> bytes:
    return catalogue(((url, f"What happened in case number {url[-8:]} of all") for url in urls), more)


def stories(number: int, name: str = "story") -> dict[str, bytes]:
    return {f"{name}-{at}.html": article(f"The {name} of case number {at}") for at in range(number)}


@pytest.fixture
def two() -> Iterator[tuple[SiteServer, SiteServer]]:
    """A site, and another one that it names."""
    with serving_site(stories(6)) as other, serving_site(stories(6, "report")) as server:
        yield server, other


@pytest.mark.slow
def test_named_hosts_and_the_pages_of_a_list(two: tuple[SiteServer, SiteServer], tmp_path: Path) -> None:
    server, other = two
    with serving_site(stories(6, "foreign")) as third:
        for number in range(5):
            own = [f"{server.url}report-{number}.html"]
            away = [f"{site.url}{name}-{number}.html" for site, name in ((other, "story"), (third, "foreign"))]
            fill = [f"{server.url}report-{at}.html" for at in range(6)]
            server.put(
                f"list-{number}.html", listed([*own, *away, *fill], f"<a rel=next href=list-{number + 1}.html>next</a>")
            )
        host = other.url.removeprefix("http://").rstrip("/")
        crawled = crawl(f"{server.url}list-0.html", "--host", host, "--list-pages", 3, output=tmp_path / "out.jsonl")
        assert crawled.status == 0, crawled.said
        assert third.log == []
        assert sorted(path for path in server.asked() if "list" in path) == [f"/list-{n}.html" for n in range(3)]
        expected = {f"report-{number}.html" for number in range(6)} | {f"story-{number}.html" for number in range(3)}
        assert set(crawled.by_path()) == expected


@pytest.mark.slow
def test_rate_and_time(tmp_path: Path) -> None:
    with serving_site(stories(80)) as server:
        server.put("sitemap.xml", sitemap(server.url + name for name in list(server.files)))
        began = time.monotonic()
        crawled = crawl(f"{server.url}sitemap.xml", "--rate", 5, "--time", 4, output=tmp_path / "out.jsonl")
        assert "stopped: its time is over; the same command goes on" in crawled.said
        assert 1 < len(server.log) <= min(80, 5 * (time.monotonic() - began) + 1)


@pytest.mark.slow
def test_hosts_that_a_feed_named_are_known_after_an_interruption(
    two: tuple[SiteServer, SiteServer], tmp_path: Path
) -> None:
    server, other = two
    items = [{"id": str(at), "title": f"Case {at}", "url": f"{other.url}story-{at}.html"} for at in range(6)]
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": "Cases", "items": items}
    server.put("feed.json", json.dumps(feed))
    first = crawl(f"{server.url}feed.json", "--count", 2, output=tmp_path / "out.jsonl")
    assert len(first.rows) == 2
    second = crawl(f"{server.url}feed.json", output=tmp_path / "out.jsonl")
    assert set(second.by_path()) == {f"story-{at}.html" for at in range(6)}, second.said
    assert server.asked(200).count("/feed.json") == 1


@pytest.mark.slow
def test_redirected_pages_in_a_second_run(tmp_path: Path) -> None:
    """What they lead to is known then, by nothing but themselves."""
    with serving_site(stories(8)) as server:
        server.redirects = {f"old-{at}": f"/story-{at}.html" for at in range(8)} | {"start": "/list.html"}
        urls = [f"{server.url}old-{at}" for at in range(8)]
        server.put("list.html", listed(urls[:7]))
        output = tmp_path / "out.jsonl"
        first = crawl(f"{server.url}start", output=output)
        assert {row["title"] for row in first.rows} == {f"The story of case number {at}" for at in range(7)}
        server.put("list.html", listed(urls))
        server.put("story-3.html", article("Another story of case number 3"))
        server.remove("story-4.html")
        second = crawl(f"{server.url}start", output=output)
        cases = [f"The story of case number {at}" for at in (0, 1, 2, 5, 6, 7)]
        assert {row["title"] for row in second.rows} == {*cases, "Another story of case number 3"}, second.said


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"browser": True}, "no Chromium was found"),
        ({"hosts": ("https://b.example/",)}, "a host is a name"),
        ({"schema": "/no/such.json"}, "/no/such.json"),
    ],
)
def test_what_is_refused_before_anything_is_done(
    options: dict[str, Any], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chromium, "_candidates", lambda: iter(()))
    with pytest.raises(PagesieveError, match=why):
        run_crawl(["https://a.example/"], tmp_path / "job", CrawlOptions(**options), Progress())
    assert not (tmp_path / "job").exists()


# Outcomes


@pytest.mark.parametrize(
    ("statuses", "state"),
    [((204, 400, 403, 404, 410, 451), State.REJECTED), ((408, 425, 429, 500, 501, 503, 504, 599), State.UNREACHABLE)],
)
def test_a_server_in_trouble_says_nothing_of_its_page(statuses: tuple[int, ...], state: State) -> None:
    outcomes = [_reject_status(Response("https://a.example/x", status)) for status in statuses]
    assert [(outcome.state, outcome.reason) for outcome in outcomes] == [
        (state, f"answered {status}: https://a.example/x") for status in statuses
    ]


# Pages that are done again


class _Better:
    """Reads everything better than before, except one page."""

    async def answer(self, data: bytes, about: dict[str, Any]) -> dict[str, Any] | Reason:
        return Reason("died: SIGKILL", Sort.DEATH) if data == b"bad" else {"row": {"title": f"Better {data.decode()}"}}


def test_pages_are_done_again(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.begin([f"https://a.example/{name}" for name in ("one", "bad", "late")], {})
        for entry in store.take("a.example", 9):
            name = entry.url.rpartition("/")[2]
            body = None if name == "late" else (name.encode(), {"url": entry.url})
            store.finish(entry.id, Outcome(State.DONE, kind="article", url=entry.url, row={"title": name}, body=body))
        asyncio.run(_read_again(store, _Better()))  # type: ignore[arg-type]
        assert [row["title"] for _, row in store.rows()] == ["Better one", "bad", "late"]
        assert list(store.bodies()) == []


def test_a_first_page_is_read_better_once_its_site_is_known(articles: dict[str, bytes], tmp_path: Path) -> None:
    english = {id: body for id, body in articles.items() if id.startswith("en/")}
    library = str(tmp_path / "sites.db")
    open_sites(library).close()
    reader = Reader({"bodies": ["text"], "follow": False, "sites": library, "schema": None})
    readings: dict[str, Any] = {
        id: reader.answer(body, {"url": f"http://a.example/{id}"}) for id, body in english.items()
    }
    first, body = next(iter(english.items()))
    assert readings[first]["site_pages"] == 0
    again: Any = reader.answer(body, {"url": f"http://a.example/{first}"})
    assert again["site_pages"] >= 10
    assert again["row"]["method"] == "sharpened" != readings[first]["row"]["method"]
