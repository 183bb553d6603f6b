"""What may be fetched, when, and when once more: hosts, robots.txt, waits, redirects."""

from __future__ import annotations

import ast
import asyncio
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http import Headers, Response
from scrapy.settings import Settings, default_settings
from scrapy.signalmanager import SignalManager
from scrapy.statscollectors import MemoryStatsCollector

from pagesieve.crawl import downloader
from pagesieve.crawl.downloader import (
    MAX_DELAY,
    NO_ROBOTS,
    GuardedHandler,
    HostFilter,
    Redirect,
    RequestRefused,
    Retry,
    RobotsTxt,
    settings,
)
from pagesieve.crawl.job import CrawlOptions, Hosts
from pagesieve.crawl.scheduler import ENTRY, StoreScheduler
from pagesieve.crawl.spider import PageSpider
from pagesieve.crawl.store import State
from pagesieve.errors import BadOption, FetchError

AGENT = "pagesieve/9.9"


class Slot:
    """A slot of Scrapy's downloader."""

    delay = 0.05


class Engine:
    """Answers requests for robots.txt, and has one slot."""

    def __init__(self, robots: bytes, status: int, error: Exception | None) -> None:
        self.slot = Slot()
        self.downloader = SimpleNamespace(slots={"a.example": self.slot}, get_slot_key=lambda request: "a.example")
        self.asked: list[str] = []
        self._robots, self._status, self._error = robots, status, error

    async def download_async(self, request: Request) -> Response:
        assert request.meta[NO_ROBOTS], "robots.txt is not asked for itself"
        self.asked.append(request.url)
        await asyncio.sleep(0)
        if self._error is not None:
            raise self._error
        return Response(request.url, self._status, body=self._robots, request=request)


def crawler(body: bytes = b"", *, status: int = 200, error: Exception | None = None, **options: Any) -> Any:
    """Return a crawler of https://a.example/ that has what middlewares need."""
    job = SimpleNamespace(options=CrawlOptions(**{"user_agent": AGENT} | options), hosts=Hosts(["https://a.example/"]))
    made = SimpleNamespace(settings=Settings(settings(job.options)), engine=Engine(body, status, error))
    made.signals, made.stats = SignalManager(), MemoryStatsCollector(made)  # type: ignore[arg-type]
    made.spider = SimpleNamespace(job=job, crawler=made)
    return made


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


# robots.txt


def refusal(crawler: Any, url: str = "https://a.example/x") -> RequestRefused | None:
    """Return why the robots.txt of an address does not allow it."""
    try:
        asyncio.run(RobotsTxt.from_crawler(crawler).process_request(Request(url)))
    except RequestRefused as error:
        return error
    return None


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
    error = refusal(crawler(body), f"https://a.example{path}")
    assert str(error or "") == ("" if allowed else "forbidden by robots.txt")
    assert error is None or error.state == State.REFUSED


def test_many_agents_and_rules_take_no_time() -> None:
    """Each rule for each agent would be a hundred million."""
    agents = b"".join(b"User-agent: a%d\n" % number for number in range(20_000))
    body = agents + b"User-agent: *\n" + b"".join(b"Disallow: /%d/\n" % number for number in range(5000))
    began = time.process_time()
    assert refusal(crawler(body), "https://a.example/77/x")
    assert time.process_time() - began < 20
    assert not refusal(crawler(body), "https://a.example/x")


@pytest.mark.parametrize(
    ("status", "why"),
    [(404, ""), (403, ""), (302, ""), (500, "the server answered 500"), (429, "the server answered 429")],
)
def test_robots_txt_that_is_not_there(status: int, why: str) -> None:
    """Scrapy alone would read the body of any answer as a robots.txt."""
    error = refusal(crawler(b"User-agent: *\nDisallow: /", status=status))
    assert str(error or "") == (f"robots.txt cannot be fetched: {why}" if why else "")
    assert error is None or error.state == State.UNREACHABLE


@pytest.mark.parametrize("failure", [FetchError("no connection"), RequestRefused("more than 10 redirects")])
def test_robots_txt_that_cannot_be_fetched(failure: Exception) -> None:
    """Scrapy alone would allow everything, which RFC 9309 forbids."""
    error = refusal(crawler(error=failure))
    assert error is not None
    assert (str(error), error.state) == (f"robots.txt cannot be fetched: {failure}", State.UNREACHABLE)


def test_robots_txt_may_be_ignored() -> None:
    with pytest.raises(NotConfigured):
        RobotsTxt.from_crawler(crawler(b"User-agent: *\nDisallow: /", robots=False))


@pytest.mark.parametrize(
    ("asked", "delay"),
    [("2", 2.0), ("0.5", 0.5), ("86400", MAX_DELAY), ("nan", 0.05), ("-1", 0.05), ("x", 0.05), ("0.01", 0.05)],
)
def test_a_crawl_delay_is_kept(asked: str, delay: float) -> None:
    made, request = crawler(f"User-agent: *\nCrawl-delay: {asked}".encode()), Request("https://a.example/x")
    asyncio.run(RobotsTxt.from_crawler(made).process_request(request))
    assert made.engine.slot.delay == delay
    assert request.meta.get("autothrottle_dont_adjust_delay", False) == (delay > 0.05), "AutoThrottle would halve it"


def test_a_robots_txt_is_asked_for_once() -> None:
    """Each origin has one, as RFC 9309 says; Scrapy alone would take that of http for https."""
    made = crawler()

    async def many() -> None:
        robots = RobotsTxt.from_crawler(made)
        urls = ("https://a.example/1", "https://a.example/2", "https://a.example:81/", "http://a.example/")
        await asyncio.gather(*(robots.process_request(Request(url)) for url in urls))

    asyncio.run(many())
    assert made.engine.asked == [
        f"{origin}/robots.txt" for origin in ("https://a.example", "https://a.example:81", "http://a.example")
    ]


def test_a_request_for_a_robots_txt_is_not_checked() -> None:
    made, request = (
        crawler(b"User-agent: *\nDisallow: /"),
        Request("https://b.example/robots.txt", meta={NO_ROBOTS: True}),
    )
    asyncio.run(RobotsTxt.from_crawler(made).process_request(request))
    HostFilter.from_crawler(made).process_request(request)  # it may be redirected to another host
    assert made.engine.asked == []


# The hosts of requests


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://b.example/", "leads to another site"),
        ("ftp://a.example/", "not the address of a page: only http and https are fetched"),
    ],
)
def test_what_is_refused(url: str, why: str) -> None:
    with pytest.raises(RequestRefused, match=why) as caught:
        HostFilter.from_crawler(crawler()).process_request(Request(url))
    assert caught.value.state == State.REFUSED


def test_a_start_may_lead_to_another_site() -> None:
    hosts = HostFilter.from_crawler(crawler())
    hosts.process_request(Request("https://b.example/", meta={ENTRY: SimpleNamespace(role="start")}))
    hosts.process_request(Request("https://b.example/x"))


# Repeated requests


class Clock:
    """A clock that goes on when somebody sleeps."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the middlewares."""
    clock = Clock()
    monkeypatch.setattr(downloader, "monotonic", clock.monotonic)
    monkeypatch.setattr("pagesieve.crawl.downloader.asyncio.sleep", clock.sleep)
    return clock


def answer(request: Request, status: int, **headers: str) -> Response:
    named = Headers({name.replace("_", "-"): value for name, value in headers.items()})
    return Response(request.url, status, named, request=request)


def test_a_host_that_asks_for_a_rest_gets_it(clock: Clock) -> None:
    """Scrapy alone would repeat the request at once, whatever Retry-After says."""
    retry, request = Retry.from_crawler(crawler()), Request("https://a.example/x")
    again = asyncio.run(retry.process_response(request, answer(request, 429, Retry_After="7")))
    assert isinstance(again, Request)
    assert clock.now == 1007.0
    clock.now = 1003.0  # another request to the host, before that
    asyncio.run(retry.process_request(Request("https://a.example/y")))
    assert clock.now == 1007.0


def test_a_request_is_repeated_a_few_times(clock: Clock) -> None:
    made, request = crawler(), Request("https://a.example/x")
    retry = Retry.from_crawler(made)
    for _ in range(2):
        again = asyncio.run(retry.process_response(request, answer(request, 503)))
        assert isinstance(again, Request)
        request = again
    last = asyncio.run(retry.process_response(request, answer(request, 503)))
    assert isinstance(last, Response)
    assert clock.now < 1003
    assert made.stats.get_value("retry/count") == 2


@pytest.mark.parametrize(("status", "asks"), [(404, ""), (200, ""), (429, "86400"), (301, "1")])
def test_what_is_not_repeated(clock: Clock, status: int, asks: str) -> None:
    request = Request("https://a.example/x")
    response = answer(request, status, **({"Retry_After": asks} if asks else {}))
    assert asyncio.run(Retry.from_crawler(crawler()).process_response(request, response)) is response
    assert clock.now == 1000.0


def test_failed_connections_are_repeated(clock: Clock) -> None:
    retry, request = Retry.from_crawler(crawler()), Request("https://a.example/x")
    assert asyncio.run(retry.process_exception(request, FetchError("x", is_temporary=True))) is not None
    assert asyncio.run(retry.process_exception(request, FetchError("x"))) is None
    assert asyncio.run(retry.process_exception(request, ValueError("x"))) is None


# Settings


def test_three_middlewares_of_scrapy_are_replaced() -> None:
    """Older versions of Scrapy disable a middleware only by its name; with its class, it would run beside ours."""
    made = Settings(settings(CrawlOptions()))
    disabled = {name for name, order in made["DOWNLOADER_MIDDLEWARES"].items() if order is None}
    assert disabled <= set(made["DOWNLOADER_MIDDLEWARES_BASE"])
    assert {name.rpartition(".")[2] for name in disabled} == {
        f"{name}Middleware" for name in ("RobotsTxt", "Retry", "Redirect")
    }


def test_delays_are_not_randomized() -> None:
    """The setting has another name since Scrapy 2.19; an unknown one would be ignored."""
    made = Settings(settings(CrawlOptions(rate=2)))
    assert made.getfloat("DOWNLOAD_DELAY") == 0.5
    is_new = hasattr(default_settings, "DOWNLOAD_DELAY_JITTER")
    assert not made["DOWNLOAD_DELAY_JITTER" if is_new else "RANDOMIZE_DOWNLOAD_DELAY"]


@pytest.mark.parametrize("path", sorted(Path(downloader.__file__).parent.glob("*.py")), ids=lambda path: path.name)
def test_nothing_private_of_scrapy_is_used(path: Path) -> None:
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    attributes = [node for node in nodes if isinstance(node, ast.Attribute) and node.attr.startswith("_")]
    names = {
        ast.unparse(node) for node in attributes if not isinstance(node.value, ast.Name) or node.value.id != "self"
    }
    assert {name for name in names if not name.endswith("__")} <= {"column._asdict"}


@pytest.mark.parametrize("kind", [HostFilter, RobotsTxt, Retry, Redirect, GuardedHandler, StoreScheduler, PageSpider])
def test_nothing_private_of_scrapy_is_overridden(kind: type) -> None:
    own = {name for name in vars(kind) if name.startswith("_") and not name.endswith("__")}
    inherited = {name for base in kind.__mro__[1:] for name in vars(base)}
    assert not own & inherited - {"_abc_impl"}


# Redirects


def redirect(request: Request, status: int = 301, **headers: str) -> Request | Response:
    return Redirect.from_crawler(crawler()).process_response(request, answer(request, status, **headers))


def test_a_redirect_is_a_new_request() -> None:
    """So it passes host filter, robots.txt and guard like any other."""
    request = Request("https://a.example/x", meta={ENTRY: SimpleNamespace(role="page")})
    again = redirect(request, Location="//b.example/y")
    assert isinstance(again, Request)
    assert (again.url, again.meta[ENTRY]) == ("https://b.example/y", request.meta[ENTRY])
    with pytest.raises(RequestRefused, match="leads to another site"):
        HostFilter.from_crawler(crawler()).process_request(again)
    assert refusal(crawler(b"User-agent: *\nDisallow: /"), again.url)


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({}, "invalid redirect: no address"),
        ({"Location": "mailto:x"}, "invalid redirect: 'mailto:x'"),
        ({"Location": "http://["}, r"invalid redirect: 'http://\['"),
    ],
)
def test_redirects_to_no_page(headers: dict[str, str], why: str) -> None:
    with pytest.raises(RequestRefused, match=why):
        redirect(Request("https://a.example/x"), 301, **headers)


def test_redirects_without_an_end() -> None:
    request = Request("https://a.example/")
    for number in range(10):
        again = redirect(request, Location=f"/{number}")
        assert isinstance(again, Request)
        request = again
    with pytest.raises(RequestRefused, match="more than 10 redirects"):
        redirect(request, Location="/10")
