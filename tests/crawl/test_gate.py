"""What may be fetched, when, and when once more: hosts, robots.txt, waits."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Headers, Response

from pagesieve.crawl import gate as gate_module
from pagesieve.crawl.gate import Gate, Refused
from pagesieve.crawl.hosts import Hosts
from pagesieve.crawl.job import SETTING
from pagesieve.crawl.options import CrawlOptions
from pagesieve.crawl.robots import LONGEST_DELAY, Robots, Rules
from pagesieve.errors import BadOption, FetchError

AGENT = "pagesieve/9.9"

# Hosts


@pytest.mark.parametrize(
    ("starts", "named", "url", "allowed"),
    [
        ("https://www.example.org/", (), "https://example.org/x", True),
        ("https://example.org/", (), "https://news.example.org/x", True),
        ("https://news.example.org/", (), "https://sport.example.org/x", True),
        ("https://example.org/", (), "https://example.com/x", False),
        ("https://example.org/", (), "https://notexample.org/x", False),
        ("https://a.co.uk/", (), "https://b.co.uk/x", False),
        ("https://example.org/", ("other.example",), "https://other.example/x", True),
        ("https://example.org/", ("other.example",), "https://other.example:8080/x", True),
        ("https://example.org/", ("WWW.Other.example",), "https://other.example/x", True),
        ("https://example.org/", ("bücher.example",), "https://xn--bcher-kva.example/x", True),
        ("https://example.org/", ("other.example:8080",), "https://other.example/x", False),
        ("https://example.org/", ("*",), "http://127.0.0.1/", True),  # which the guard refuses
        ("http://127.0.0.1:80/", (), "http://127.0.0.2/", False),
        ("http://10.0.0.1/", (), "http://11.0.0.1/", False),
        ("http://localhost/", (), "http://evil.localhost/", False),
        ("http://127.0.0.1:8000/", (), "http://127.0.0.1:8001/", False),
    ],
)
def test_hosts(starts: str, named: tuple[str, ...], url: str, allowed: bool) -> None:
    assert Hosts([starts], named).allow(url) is allowed


def test_the_site_of_an_entry_of_a_feed() -> None:
    hosts = Hosts(["https://feeds.example/"])
    assert not hosts.allow("https://blog.test/x")
    hosts.add("https://blog.test/post")
    assert hosts.allow("https://blog.test/x")


@pytest.mark.parametrize("name", ["https://example.org/", "example.org/path", "a b", "", "?x", "[::1"])
def test_what_is_no_host(name: str) -> None:
    with pytest.raises(BadOption, match="a host is a name such as"):
        Hosts([], [name])


# Robots.txt


def rules(body: bytes, status: int = 200, *, error: FetchError | None = None) -> Rules:
    async def ask(url: str) -> tuple[int, bytes]:
        if error is not None:
            raise error
        return status, body

    return asyncio.run(Robots(ask, AGENT).rules("https://a.example/x"))


@pytest.mark.parametrize(
    ("body", "path", "allowed"),
    [
        (b"", "/x", True),
        (b"User-agent: *\nDisallow: /", "/x", False),
        (b"\xef\xbb\xbfUser-agent: *\nDisallow: /", "/x", False),
        (b"user-AGENT:*\r\ndisallow:/private", "/private/x", False),
        (b"User-agent: pagesieve\nDisallow: /\n\nUser-agent: *\nAllow: /", "/x", False),
        (b"User-agent: PageSieve # us\nAllow: /\n\nUser-agent: *\nDisallow: /", "/x", True),
        (b"User-agent: other\nDisallow: /", "/x", True),
        (b"User-agent: other\nUser-agent: pagesieve\nDisallow: /", "/x", False),
        (b"User-agent: pagesieve\n\n# a remark\nUser-agent: other\nDisallow: /", "/x", False),
        (b"User-agent: other\nDisallow: /\nUser-agent: *\nDisallow: /a", "/x", True),
        (b"User-agent other\nDisallow: /\nUser-agent *\nDisallow: /a", "/a", False),
        (b"User-agent:\nDisallow: /", "/x", True),
        (b"<!doctype html><p>Disallow: /", "/x", True),
        (bytes(range(256)), "/x", True),
        (b"User-agent: *\nDisallow: /[\nDisallow: //[", "/x", True),
        (b"User-agent: *\nDisallow: /*?*sid=", "/x?a=1&sid=2", False),
    ],
)
def test_robots_txt(body: bytes, path: str, allowed: bool) -> None:
    found = rules(body).refusal(f"https://a.example{path}", AGENT)
    assert found == ("" if allowed else "forbidden by robots.txt")


def test_many_agents_and_rules_take_no_time() -> None:
    """Each rule for each agent would be a hundred million."""
    agents = b"".join(b"User-agent: a%d\n" % number for number in range(20_000))
    body = agents + b"User-agent: *\n" + b"".join(b"Disallow: /%d/\n" % number for number in range(5000))
    began = time.process_time()
    found = rules(body)
    assert time.process_time() - began < 20
    assert found.refusal("https://a.example/77/x", AGENT)
    assert not found.refusal("https://a.example/x", AGENT)


@pytest.mark.parametrize(
    ("status", "why"),
    [(404, ""), (403, ""), (302, ""), (500, "the server answered 500"), (429, "the server answered 429")],
)
def test_robots_txt_that_is_not_there(status: int, why: str) -> None:
    found = rules(b"User-agent: *\nDisallow: /", status).refusal("https://a.example/", AGENT)
    assert found == (f"robots.txt cannot be had: {why}" if why else "")


def test_robots_txt_that_cannot_be_fetched() -> None:
    found = rules(b"", error=FetchError("no connection")).refusal("https://a.example/", AGENT)
    assert found == "robots.txt cannot be had: no connection"


@pytest.mark.parametrize(
    ("asked", "delay"), [("2", 2.0), ("0.5", 0.5), ("86400", LONGEST_DELAY), ("nan", 0.0), ("-1", 0.0), ("x", 0.0)]
)
def test_the_delay_that_is_asked_for(asked: str, delay: float) -> None:
    assert rules(f"User-agent: *\nCrawl-delay: {asked}".encode()).delay(AGENT) == delay


def test_sitemaps_are_named_outside_of_groups() -> None:
    found = rules(b"User-agent: other\nSitemap: /s.xml\nDisallow: /\nSitemap: https://b.example/t.xml")
    assert found.sitemaps == ("https://a.example/s.xml", "https://b.example/t.xml")


def test_a_robots_txt_is_asked_for_once() -> None:
    asked: list[str] = []

    async def ask(url: str) -> tuple[int, bytes]:
        asked.append(url)
        await asyncio.sleep(0)
        return 200, b""

    async def many() -> None:
        robots = Robots(ask, AGENT)
        paths = ("a.example/1", "a.example/2", "a.example:81/", "b.example/")
        await asyncio.gather(*(robots.rules(f"https://{path}") for path in paths))

    asyncio.run(many())
    assert asked == [f"https://{host}/robots.txt" for host in ("a.example", "a.example:81", "b.example")]


# The gate


class Slot:
    """A slot of Scrapy's downloader."""

    delay = 0.05


class Engine:
    """Answers robots.txt, and has one slot."""

    def __init__(self, robots: bytes) -> None:
        self.slot = Slot()
        self.downloader = SimpleNamespace(slots={"a.example": self.slot}, get_slot_key=lambda request: "a.example")
        self._robots = robots

    async def download_async(self, request: Request) -> Response:
        return Response(request.url, 200, body=self._robots, request=request)


def gate(text: bytes = b"", **options: Any) -> Gate:
    job = SimpleNamespace(options=CrawlOptions(**options), hosts=Hosts(["https://a.example/"]))
    return Gate(SimpleNamespace(settings={SETTING: job}, engine=Engine(text)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://b.example/", "leads to another site"),
        ("ftp://a.example/", "leads to no page: only http and https are fetched"),
        ("https://a.example/no", "forbidden by robots.txt"),
    ],
)
def test_what_is_refused(url: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        asyncio.run(gate(b"User-agent: *\nDisallow: /no").process_request(Request(url)))


def test_robots_txt_may_be_ignored() -> None:
    asyncio.run(gate(b"User-agent: *\nDisallow: /", robots=False).process_request(Request("https://a.example/")))


def test_a_delay_is_kept() -> None:
    made, request = gate(b"User-agent: *\nCrawl-delay: 4"), Request("https://a.example/x")
    asyncio.run(made.process_request(request))
    assert made._crawler.engine.slot.delay == 4.0  # type: ignore[attr-defined]
    assert request.meta["autothrottle_dont_adjust_delay"], "AutoThrottle would halve it"


class Clock:
    """A clock that goes on when somebody sleeps."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the gate."""
    clock = Clock()
    monkeypatch.setattr(gate_module, "monotonic", clock.monotonic)
    monkeypatch.setattr("pagesieve.crawl.gate.asyncio.sleep", clock.sleep)
    return clock


def answer(request: Request, status: int, **headers: str) -> Response:
    named = Headers({name.replace("_", "-"): value for name, value in headers.items()})
    return Response(request.url, status, named, request=request)


def test_a_host_that_asks_for_a_rest_gets_it(clock: Clock) -> None:
    made, request = gate(), Request("https://a.example/x")
    again = asyncio.run(made.process_response(request, answer(request, 429, Retry_After="7")))
    assert isinstance(again, Request)
    assert clock.now == 1007.0
    clock.now = 1003.0  # another request to the host, before that
    asyncio.run(made.process_request(Request("https://a.example/y")))
    assert clock.now == 1007.0


def test_a_request_is_repeated_a_few_times(clock: Clock) -> None:
    made, request = gate(), Request("https://a.example/x")
    for _ in range(2):
        found = asyncio.run(made.process_response(request, answer(request, 503)))
        assert isinstance(found, Request)
        request = found
    last = asyncio.run(made.process_response(request, answer(request, 503)))
    assert isinstance(last, Response)
    assert clock.now < 1003


@pytest.mark.parametrize(("status", "asks"), [(404, ""), (200, ""), (429, "86400"), (301, "1")])
def test_what_is_not_repeated(clock: Clock, status: int, asks: str) -> None:
    request = Request("https://a.example/x")
    given = answer(request, status, **({"Retry_After": asks} if asks else {}))
    assert asyncio.run(gate().process_response(request, given)) is given
    assert clock.now == 1000.0


def test_failed_connections_are_repeated(clock: Clock) -> None:
    made, request = gate(), Request("https://a.example/x")
    assert asyncio.run(made.process_exception(request, FetchError("x", is_temporary=True))) is not None
    assert asyncio.run(made.process_exception(request, FetchError("x"))) is None
    assert asyncio.run(made.process_exception(request, ValueError("x"))) is None
