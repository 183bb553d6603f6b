"""One crawl of servers that do their worst, with the guard on: what came of each of their pages."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pagesieve.text.urls import absolute
from tests.crawl.crawls import LIMIT, environment
from tests.crawl.hostile_site import GOOD, NAMES, REBINDING, Handler, serving
from tests.hostile_addresses import HOSTILE, PUBLIC_ADDRESS

ROOT = Path(__file__).parents[2]
STARTS = ("all.xml", "circle.xml", "hostile.xml", "feed.xml", "round.xml~0", "trap")
LIST_PAGES = 4

pytestmark = pytest.mark.slow


class Crawled(NamedTuple):
    """What the crawl did."""

    titles: dict[str, str]  # of the results, by their addresses
    rejects: dict[str, str]
    connected: set[str]
    asked: Counter[str]
    why: str


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """What came of the crawl, which is done once."""
    folder = tmp_path_factory.mktemp("hostile")
    with serving() as server:
        task: dict[str, Any] = {
            "names": NAMES,
            "rebinding": [REBINDING],
            "port": server.server_port,
            "job": str(folder / "job"),
            "starts": [f"http://{GOOD}/{name}" for name in STARTS],
            "options": {"hosts": ["*"], "throttle": False, "list_pages": LIST_PAGES, "workers": 1, "per_host": 14},
            "limits": {"timeout": 10, "max_bytes": 1_000_000},
        }
        (folder / "task.json").write_text(json.dumps(task), "utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "tests.crawl.driver", str(folder / "task.json")],
            capture_output=True, text=True, timeout=LIMIT, cwd=ROOT, env=environment(), check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        got = json.loads(done.stdout)
        assert got["can_be_interrupted"], "what comes after the crawl could not be"
        titles = {row["url"]: row["title"] for row in got["rows"]}
        assert len(titles) == len(got["rows"]), "a page twice"
        return Crawled(titles, got["rejects"], set(got["connected"]), Handler.asked, got["why"])


def at(path: str) -> str:
    return f"http://{GOOD}/{path}"


def test_it_ends_by_itself_and_connects_to_public_addresses_only(crawled: Crawled) -> None:
    assert crawled.why == "finished"
    assert crawled.connected == {PUBLIC_ADDRESS}


def test_no_other_page_is_lost(crawled: Crawled) -> None:
    assert {at(f"plain-{number}") for number in range(10)} <= set(crawled.titles)
    assert crawled.titles[at("plain-3")] == "Story of good.example/plain-3"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("bomb-gzip", r"cannot be fetched: .*larger than 1,000,000 bytes when unpacked \(gzip\)"),
        ("bomb-br", r"cannot be fetched: .*larger than 1,000,000 bytes when unpacked \(br\)"),
        ("bomb-zstd", r"cannot be fetched: .*larger than 1,000,000 bytes when unpacked \(zstd\)"),
        ("huge", "cannot be fetched: .*larger than 1,000,000 bytes"),
        ("endless", "cannot be fetched: .*larger than 1,000,000 bytes"),
        ("drip", "cannot be fetched: .*no complete answer within 10 s"),
        ("silence", "cannot be fetched: .*no complete answer within 10 s"),
        ("short", "cannot be fetched: .*the connection failed"),
        ("chunks", "cannot be fetched: .*the connection failed"),
        ("garbage", "cannot be fetched: .*the connection failed"),
        ("liar", "cannot be fetched: .*its body is not gzip, as it claims"),
        ("empty", "empty"),
        ("document", "not a page: application/pdf"),
        ("lost", "invalid redirect: no address"),
        ("mailto", "invalid redirect: 'mailto:x'"),
        ("javascript", "invalid redirect: 'javascript:1'"),
        ("bracket", r"invalid redirect: 'http://\['"),
        ("port-wrong", "invalid redirect: 'http://good.example:99999/'"),
        ("file", "invalid redirect: 'file:///etc/passwd'"),
        ("idna", "robots.txt cannot be fetched: .*not a URL"),
        ("private", "robots.txt cannot be fetched: .*its address 127.0.0.1 is not public"),
        ("metadata", "robots.txt cannot be fetched: .*its address 169.254.169.254 is not public"),
        ("loop", "more than 10 redirects"),
        ("error", "answered 500"),
        ("gone", "answered 410"),
        ("later", "answered 429"),
        ("kills", "died: SIGKILL"),
        ("hangs", "took longer than 10 s"),
        ("nothing.xml", "not a sitemap"),
        ("bomb.xml", "not a page"),
    ],
)
def test_reasons(crawled: Crawled, path: str, why: str) -> None:
    assert re.match(why, crawled.rejects[at(path)])
    assert at(path) not in crawled.titles


@pytest.mark.parametrize(
    ("host", "why"),
    [
        ("forbid", "forbidden by robots.txt"),
        ("marked", "forbidden by robots.txt"),  # its robots.txt begins with a byte order mark
        ("moving", "forbidden by robots.txt"),
        ("inward", "robots.txt cannot be fetched: .*its address 127.0.0.1 is not public"),
        ("endless", "robots.txt cannot be fetched: .*larger than"),
        ("silent", "robots.txt cannot be fetched: .*no complete answer"),
        ("failing", "robots.txt cannot be fetched: the server answered 500"),
        ("binary", None),
        ("huge", None),
        ("agents", None),
        ("patterns", None),
    ],
)
def test_robots_txt(crawled: Crawled, host: str, why: str | None) -> None:
    url = f"http://{host}.example/page-of-it"
    assert (url in crawled.titles) == (why is None)
    assert (crawled.asked[f"{host}.example/page-of-it"] == 1) == (why is None)
    assert why is None or re.match(why, crawled.rejects[url])


def test_a_name_that_changes_its_address(crawled: Crawled) -> None:
    assert "is not public" in crawled.rejects[f"http://{REBINDING}/page"]
    assert crawled.asked[f"{REBINDING}/robots.txt"] == 1
    assert crawled.asked[f"{REBINDING}/page"] == 0


def test_all_addresses_of_a_sitemap_and_a_feed_are_tried(crawled: Crawled) -> None:
    """The guard must have seen them: that none was connected to would be true of an empty feed too."""
    refused = {url for url, why in crawled.rejects.items() if "is not public" in why}
    assert len(refused) > 150
    tried = {absolute(url, url) for url in HOSTILE if url.isprintable()} & refused
    assert len(tried) > 70
    assert any(url.endswith("from-feed") for url in refused)


def test_what_is_only_odd_is_read(crawled: Crawled) -> None:
    assert crawled.titles[at("%E6%B1%89%E5%AD%97/%C3%BCn%C3%AFcode")]  # redirected to in UTF-8
    assert crawled.titles["http://good.example:8080/with-port"]
    assert crawled.titles["http://xn--bcher-kva.example/ein-buch"]
    assert crawled.titles[at("odd-but-good")]
    assert crawled.titles[at("busy")] == "Busy at first"
    assert crawled.titles[at("changing")] == "Something else each time, time 1"


def test_pages_that_go_on_by_themselves(crawled: Crawled) -> None:
    assert crawled.titles[at("moved-here")]
    assert at("moved") not in crawled.titles
    assert sum(path.startswith(f"{GOOD}/onward") for path in crawled.asked) == 11


def test_addresses_that_pages_call_their_own(crawled: Crawled) -> None:
    assert {at(f"mine~{number}") for number in range(1, 5)} <= set(crawled.titles), "a wrong address loses pages"
    variants = [url for url in crawled.titles if "variant" in url]
    assert len(variants) == 1
    assert sum(why.startswith("the same page") for url, why in crawled.rejects.items() if "variant" in url) == 2


def test_lists_feeds_and_sitemaps_without_an_end(crawled: Crawled) -> None:
    assert sum(path.startswith(f"{GOOD}/trap") for path in crawled.asked) == LIST_PAGES
    assert len([url for url in crawled.titles if "caught" in url]) == 8 * LIST_PAGES
    assert crawled.asked[f"{GOOD}/circle.xml"] == 1
    assert sum(path.startswith(f"{GOOD}/deeper") for path in crawled.asked) == 5
    assert crawled.asked[f"{GOOD}/round.xml~0"] == crawled.asked[f"{GOOD}/round.xml~1"] == 1
    assert {at("from-round-feed-0"), at("from-round-feed-1"), at("from-cut-sitemap")} <= set(crawled.titles)


def test_no_entity_is_expanded(crawled: Crawled) -> None:
    urls = [url for url in (*crawled.titles, *crawled.rejects) if "a11" in url]
    assert urls == [at("&a11;&f;")]
    assert not any("root:" in url or "aaaaaaaaaa" in url for url in (*crawled.titles, *crawled.rejects))


def test_nothing_that_answers_is_asked_twice(crawled: Crawled) -> None:
    again = {path for path, count in crawled.asked.items() if count > 1 and path.startswith(f"{GOOD}/")}
    again = {path for path in again if "127.0.0.1" not in path}  # the server folds the first slashes of a path
    failing = ("busy", "error", "short", "chunks", "garbage", "loop")
    assert again <= {f"{GOOD}/{path}" for path in (*failing, "robots.txt")}  # which two ports of the host have
    assert crawled.asked[f"{GOOD}/error"] == 3
    assert crawled.asked[f"{GOOD}/loop"] == 11
