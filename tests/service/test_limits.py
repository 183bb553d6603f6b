"""What a page, a body or a crowd of requests costs is limited, and harms no other request."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest

from pagesieve.errors import FetchError
from pagesieve.page.static import PageSource
from pagesieve.service import ServiceOptions, engine
from pagesieve.service.responses import Problem
from pagesieve.service.schemas import Job
from tests.service.running import HTML, LARGE, PATIENCE, Service, running
from tests.site_server import SiteServer

T = TypeVar("T")

TAKEN = "all {} places for such requests are taken; try again later"
JSON, NDJSON = "application/json", "application/x-ndjson"
# A page that is read soon, and whose source is a longer answer in JSON than the system takes for a client.
WIDE = f"<h1>Bread</h1><p>{'Rye is sown in autumn, and reaped in summer. ' * 9}<!--{chr(1) * 900_000}-->"

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="reads /proc")


@contextmanager
def begun(
    service: Service, length: int, sent: bytes = b"", path: str = "article", media: str = "text/html"
) -> Iterator[socket.socket]:
    """Send the head of a request, for an article if not said otherwise, and some of its body. Take little at a time."""
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.settimeout(PATIENCE)
        line.connect(("127.0.0.1", service.port))
        head = f"Host: localhost\r\nContent-Type: {media}\r\nContent-Length: {length}\r\n\r\n"
        line.sendall(f"POST /v1/{path} HTTP/1.1\r\n{head}".encode() + sent)
        yield line


@contextmanager
def asked(service: Service, path: str, media: str = JSON, **given: object) -> Iterator[socket.socket]:
    """Send a whole request."""
    body = json.dumps(given).encode()
    with begun(service, len(body), body, path, media) as line:
        yield line


def status(line: socket.socket) -> int:
    """Read the status of the answer."""
    return int(line.makefile("rb").readline().split()[1])


def article(service: Service, html: str) -> int:
    return service.client.post("v1/article", content=html, headers=HTML).status_code


def test_a_body_that_says_it_is_too_large_is_not_read(service: Service) -> None:
    with begun(service, 10**12) as line:
        assert status(line) == 413


def test_a_body_that_is_sent_in_chunks_is_counted(service: Service) -> None:
    made = service.client.post("v1/article", content=(b"x" * 1000 for _ in range(400)), headers=HTML)
    assert made.status_code == 413


def test_no_more_requests_than_there_are_places(page: str, site_server: SiteServer) -> None:
    slow = {"url": f"{site_server.url}shop/grid.html"}
    with running("--workers", "1", "--queue", "1", "--allow-private") as service:
        with site_server.holding(), asked(service, "article", **slow), asked(service, "article", **slow):
            service.wait_until("pagesieve_requests_accepted", 2)
            made = service.client.post("v1/article", content=page, headers=HTML)
            assert (made.status_code, made.headers["retry-after"]) == (429, "1")
            assert made.json()["detail"] == TAKEN.format(2)
            assert service.client.get("healthz").status_code == 200
        service.wait_until("pagesieve_requests_accepted", 0)
        assert article(service, page) == 200


def test_bodies_that_arrive_take_no_places(page: str) -> None:
    """However many come slowly. What they take is memory, and there is as much of it as for requests with places."""
    size = len(page.encode())
    with running("--workers", "1", "--queue", "0", "--max-bytes", str(size), "--timeout", "60") as service:
        with ExitStack() as lines:
            for _ in range(10):
                lines.enter_context(begun(service, 100))
            service.wait_until("pagesieve_bodies_arriving", 10)
            assert service.figure("pagesieve_requests_accepted") == 0
            assert article(service, page) == 200
            lines.enter_context(begun(service, 100, b"<p>Rye and salt.</p>"))
            service.wait_until("pagesieve_bodies_arriving", 11)
            wait_for(lambda: article(service, page) == 429)
        service.wait_until("pagesieve_bodies_arriving", 0)
        assert article(service, page) == 200


def test_time_is_limited(page: str) -> None:
    """A page that takes too long, requests that wait too long for it, and a body that does not come."""
    with running("--workers", "1", "--timeout", "1") as service, ThreadPoolExecutor(4) as threads:
        first = threads.submit(article, service, LARGE)
        service.wait_until("pagesieve_pages_running", 1)
        others = [threads.submit(article, service, LARGE) for _ in range(3)]
        assert article(service, page) == 200
        assert first.result() == 504
        outcomes = [other.result() for other in others]
        assert set(outcomes) <= {503, 504}
        assert 503 in outcomes
        assert article(service, page) == 200
        with begun(service, 100, b"<p>") as line:
            assert status(line) == 408


def test_memory_is_limited(page: str) -> None:
    with running("--workers", "1", "--memory", "60") as service:
        made = service.client.post("v1/article", content=LARGE, headers=HTML)
        assert (made.status_code, made.json()["type"]) == (422, "urn:pagesieve:problem:page-too-costly")
        assert article(service, page) == 200


def test_a_page_process_that_is_killed_loses_its_request_only(page: str) -> None:
    with running("--workers", "2", "--timeout", "60") as service, ThreadPoolExecutor(16) as threads:
        others = set(service.pages())
        assert len(others) == 2
        assert article(service, LARGE[:1_100_000]) == 200  # which starts a process for large pages
        (own,) = set(service.pages()) - others
        lost = threads.submit(article, service, LARGE)
        service.wait_until("pagesieve_pages_running", 1)
        time.sleep(0.3)
        asked = [threads.submit(article, service, page) for _ in range(40)]
        os.kill(own, signal.SIGKILL)
        assert lost.result() == 500
        assert [one.result() for one in asked] == [200] * 40
        assert [article(service, page) for _ in range(4)] == [200] * 4


def test_a_page_process_that_is_killed_between_requests_loses_none(page: str) -> None:
    with running("--workers", "1") as service:
        (process,) = service.pages()
        os.kill(process, signal.SIGKILL)
        wait_for(lambda: is_dead(process))
        assert article(service, page) == 200


def test_who_hangs_up_leaves_the_place_to_others() -> None:
    with running("--workers", "1", "--timeout", "60") as service:
        for waiting in (1, 2, 3):
            line = socket.create_connection(("127.0.0.1", service.port), PATIENCE)
            head = f"Host: localhost\r\nContent-Type: text/html\r\nContent-Length: {len(LARGE)}\r\n\r\n"
            line.sendall(f"POST /v1/article HTTP/1.1\r\n{head}{LARGE}".encode())
            service.wait_until("pagesieve_requests_accepted", min(waiting, 2))
            service.wait_until("pagesieve_pages_running", 1)
            if waiting > 1:
                time.sleep(0.3)
                line.close()
                service.wait_until("pagesieve_requests_accepted", 1)


def test_large_pages_leave_processes_to_others(page: str) -> None:
    """They go to others, and no more of them wait than the queue has room for."""
    with running("--workers", "1", "--queue", "8", "--timeout", "30") as service, ThreadPoolExecutor(3) as threads:
        large = [threads.submit(article, service, LARGE) for _ in range(3)]
        service.wait_until("pagesieve_requests_accepted", 3)
        service.wait_until("pagesieve_pages_running", 1)
        assert [article(service, page) for _ in range(5)] == [200] * 5
        assert article(service, LARGE) == 429
        assert not any(one.done() for one in large)
        service.process.kill()  # nobody waits for them


# Clients that stall, and clients that go


def test_long_requests_leave_places_to_others(page: str, tmp_path: Path) -> None:
    """Batches take what there is for requests of many pages, and no place of the others."""
    options = ("--workers", "1", "--queue", "7", "--timeout", "60", "--sites", str(tmp_path / "sites.db"))
    learnt = {"html": page, "url": "https://example.org/seal"}
    with running(*options) as service, ExitStack() as lines:
        for _ in range(2):
            lines.enter_context(begun(service, 100, b"", "batch", NDJSON))
        service.wait_until("pagesieve_requests_accepted", 2)
        assert service.client.post("v1/batch", content=b"", headers={"Content-Type": NDJSON}).status_code == 429
        for path, one in (("corrections/archive", {"html": CARDS, "kind": "records"}), ("sites", learnt)):
            made = service.post(f"v1/{path}", pages=[one, one])
            assert (made.status_code, made.headers["retry-after"]) == (429, "1")
            assert service.post(f"v1/{path}", pages=[one]).status_code == 200
        assert article(service, page) == 200


def test_a_batch_that_nobody_reads_is_dropped() -> None:
    line = json.dumps({"job": "explain", "html": WIDE, "source": True}).encode() + b"\n"
    with running("--workers", "1", "--timeout", "5") as service, ThreadPoolExecutor(1) as threads:
        with begun(service, 100 * len(line), b"", "batch", NDJSON) as sent:
            threads.submit(send_all, sent, line * 8)
            service.wait_until("pagesieve_requests_accepted", 1)
            service.wait_until("pagesieve_requests_accepted", 0)
        assert wait_for(lambda: logged(service, "/v1/batch"))["problem"] == "bad-request"


def send_all(line: socket.socket, data: bytes) -> None:
    with suppress(OSError):
        line.sendall(data)


def test_a_batch_that_comes_drop_by_drop_is_ended() -> None:
    """Each line comes soon enough after the one before."""
    line = b'{"job": "headline", "html": "<h1>Bread and butter</h1>"}\n'
    with running("--workers", "1", "--timeout", "1") as service:
        with begun(service, 10_000_000, b"", "batch", NDJSON) as sent:
            service.wait_until("pagesieve_requests_accepted", 1)
            until = time.monotonic() + PATIENCE
            while service.figure("pagesieve_requests_accepted"):
                assert time.monotonic() < until
                send_all(sent, line)
                time.sleep(0.2)
            answer = sent.makefile("rb").read()
        assert answer.count(b'"status":200') > 3
        assert b'"status":408' in answer
        assert b"the lines come too slowly" in answer


def test_a_batch_may_be_slow_while_it_is_worked_on(site_server: SiteServer) -> None:
    """A client that waits for each answer before it sends the next line is none that stalls."""
    site_server.latency = 1.5
    line = json.dumps({"job": "headline", "url": f"{site_server.url}shop/grid.html"}).encode() + b"\n"
    with (
        running("--workers", "1", "--timeout", "3", "--allow-private") as service,
        begun(service, 5 * len(line), b"", "batch", NDJSON) as sent,
        sent.makefile("rb") as answer,
    ):
        for _ in range(3):
            sent.sendall(line)
            while b'"line":' not in (told := answer.readline()):
                assert told
            assert b'"status":408' not in told


def test_an_answer_that_nobody_takes_is_dropped() -> None:
    with running("--workers", "1", "--timeout", "5") as service:
        before = service.figure("process_open_fds")
        with asked(service, "explain", html=WIDE, source=True) as line:
            sent = wait_for(lambda: logged(service, "/v1/explain"))["sent"]
            assert sent > 5_000_000
            service.wait_until("process_open_fds", before)
            assert len(taken(line)) < sent


def taken(line: socket.socket) -> bytes:
    """Read until the other side ends the connection."""
    parts = []
    with suppress(ConnectionError):
        while part := line.recv(1 << 20):
            parts.append(part)
    return b"".join(parts)


def test_an_answer_that_is_taken_slowly_is_whole() -> None:
    """It takes twice as long as a client that takes nothing is waited for."""
    with (
        running("--workers", "1", "--timeout", "3", "--min-rate", "100") as service,
        asked(service, "explain", html=WIDE, source=True) as line,
    ):
        slowly = b""
        for _ in range(30):
            slowly += line.recv(2000)
            time.sleep(0.2)
        (length,) = re.findall(rb"content-length: (\d+)", slowly)
        assert len(slowly + taken(line)) == slowly.index(b"\r\n\r\n") + 4 + int(length)


def test_a_head_that_does_not_come_is_not_waited_for() -> None:
    with running("--workers", "1", "--timeout", "1") as service:
        for sent in (b"", b"POST /v1/article HTTP/1.1\r\nHost: loc"):
            with socket.create_connection(("127.0.0.1", service.port), PATIENCE) as line:
                line.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                line.sendall(sent)
                assert taken(line).startswith(b"HTTP/1.1 200")
            with socket.create_connection(("127.0.0.1", service.port), PATIENCE) as line:
                line.sendall(sent)
                assert taken(line) == b""


CARDS = "<h1>Breads</h1><ul>" + "".join(f"<li><h2>Bread {n}</h2><p>Rye, and {n} g of salt.</li>" for n in range(200))


@pytest.mark.parametrize("more", [b"", b"GET "])  # which could hide that the client goes
def test_work_ends_with_its_client(leaving: Service, site_server: SiteServer, more: bytes) -> None:
    """On every endpoint."""
    page = {"url": f"{site_server.url}shop/grid.html"}
    many = {"pages": [{"html": CARDS * 8, "kind": "records"}] * 100}  # takes seconds
    bodies: dict[str, dict[str, Any]] = dict.fromkeys(("article", "explain", "records", "records/csv", "batch"), page)
    bodies |= {"sites": {"pages": [page] * 1000}, "corrections": many, "corrections/archive": many}
    before = len(leaving.log())
    with site_server.holding():
        with ExitStack() as stack:
            lines = []
            for number, (path, body) in enumerate(bodies.items(), 1):
                lines.append(stack.enter_context(asked(leaving, path, NDJSON if path == "batch" else JSON, **body)))
                lines[-1].sendall(more)
                leaving.wait_until("pagesieve_requests_accepted", number)
            time.sleep(0.3)
            for line in lines:
                line.sendall(more)
        time.sleep(SEEN)
    leaving.wait_until("pagesieve_requests_accepted", 0)
    leaving.wait_until("pagesieve_pages_running", 0)
    routes = {"/v1/records/{form}" if path == "records/csv" else f"/v1/{path}" for path in bodies}
    problems = {line["route"]: line["problem"] for line in leaving.log()[before:] if line.get("route") in routes}
    assert problems == dict.fromkeys(routes, "bad-request")
    assert article(leaving, CARDS) == 200


SEEN = 1.5  # seconds, in which a service sees that a client has gone
UNREAD = 200_000  # bytes of a body: more than the server takes of one that nobody reads, less than the system does


@pytest.mark.parametrize("sort", ["batch", "expecting", "unread"])
def test_work_ends_with_a_client_whose_body_is_not_read(leaving: Service, site_server: SiteServer, sort: str) -> None:
    """Its end is seen behind the body, too."""
    url = f"{site_server.url}shop/grid.html"
    page = json.dumps({"url": url}).encode() + b"\n"
    head, body = f"GET /v1/read/{url} HTTP/1.1\r\nHost: localhost\r\n", b""
    if sort == "batch":
        head, body = f"POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: {NDJSON}\r\n", page * 20_000
    elif sort == "expecting":
        head += "Expect: 100-continue\r\n"
    else:
        body = b"x" * UNREAD
    with site_server.holding():
        with socket.create_connection(("127.0.0.1", leaving.port), PATIENCE) as line:
            line.settimeout(1)
            send_all(line, f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body[:700_000])
            leaving.wait_until("pagesieve_requests_accepted", 1)
            line.setblocking(False)
            with suppress(BlockingIOError):
                line.recv(1 << 20)  # what is unread would make it hang up otherwise than by an end of its data
        time.sleep(SEEN)
    leaving.wait_until("pagesieve_requests_accepted", 0)
    route = "/v1/batch" if sort == "batch" else "/v1/read/{url:path}"
    assert wait_for(lambda: logged(leaving, route))["problem"] == "bad-request"


@pytest.fixture(scope="module")
def leaving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that would go on for long."""
    folder = tmp_path_factory.mktemp("leaving")
    options = ("--sites", str(folder / "sites.db"), "--corrections", str(folder / "corrections"))
    with running("--workers", "1", "--allow-private", "--timeout", "120", *options) as service:
        yield service


def logged(service: Service, route: str) -> dict[str, Any] | None:
    """Return the last line that a service has logged of requests for a route."""
    return next((line for line in reversed(service.log()) if line.get("route") == route), None)


# Those in a hurry, and those that can wait


def test_pages_of_long_requests_let_others_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many of them wait: at most those that have begun come before."""
    done: list[str] = []

    class Pages:
        def __init__(self, *given: object) -> None:
            self.count = 1

        async def answer_json(self, data: bytes, about: dict[str, Any]) -> bytes:
            await asyncio.sleep(0.001)
            done.append(data.decode())
            return b"{}"

        def close(self) -> None:
            pass

    async def ask() -> None:
        made = engine.Engine(ServiceOptions(workers=1))
        waiting = [asyncio.create_task(made.answer(Job(name="article", html=b"long"), patient=True)) for _ in range(50)]
        await asyncio.sleep(0)
        await made.answer(Job(name="article", html=b"short"))
        await asyncio.gather(*waiting)
        made.close()

    monkeypatch.setattr(engine, "Children", Pages)
    asyncio.run(ask())
    assert len(done) == 51
    assert done.index("short") <= 2


def test_fetches_of_long_requests_let_others_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a thread for others while long requests wait for servers that do not answer."""
    answered = threading.Event()

    def fetch(url: str, **_: object) -> PageSource:
        if url == "short":
            raise FetchError("not there")
        answered.wait(PATIENCE)
        raise FetchError("late")

    async def ask() -> None:
        made = engine.Engine(ServiceOptions(workers=1))
        waiting = [
            asyncio.create_task(made.answer(Job(name="article", url="long"), patient=True))
            for _ in range(2 * engine.FETCHES)
        ]
        await asyncio.sleep(0.1)
        with pytest.raises(Problem, match="not there"):
            await made.answer(Job(name="article", url="short"))
        answered.set()
        assert {str(one) for one in await asyncio.gather(*waiting, return_exceptions=True)} == {"late"}
        made.close()

    monkeypatch.setattr(engine, "fetch_page", fetch)
    asyncio.run(ask())


@pytest.mark.parametrize("patient", [False, True])
def test_a_fetch_keeps_its_place_until_its_thread_is_free(monkeypatch: pytest.MonkeyPatch, patient: bool) -> None:
    """Also where its client has gone: clients that come and go take no more threads than there are places."""
    answered, fetches = threading.Event(), list[str]()

    def fetch(url: str, **_: object) -> PageSource:
        fetches.append(url)
        answered.wait(PATIENCE)
        raise FetchError("late")

    async def read(made: engine.Engine) -> None:
        with made.place(long=patient):
            await made.answer(Job(name="article", url="slow"), patient=patient)

    async def ask() -> None:
        made = engine.Engine(ServiceOptions(workers=1, queue=3 if not patient else 1000))
        most = engine.FETCHES // engine.PATIENT_SHARE if patient else 4
        clients = [asyncio.create_task(read(made)) for _ in range(most)]
        while len(fetches) < most:
            await asyncio.sleep(0.01)
        for client in clients:
            client.cancel()
        await asyncio.sleep(0.05)
        assert made.accepted == most
        later = asyncio.create_task(read(made))
        await asyncio.sleep(0.05)
        assert len(fetches) == most
        answered.set()
        await asyncio.wait({*clients, later})
        assert [client.cancelled() for client in clients] == [True] * most
        assert str(later.exception()) == ("late" if patient else TAKEN.format(4))
        assert made.accepted == 0
        made.close()

    monkeypatch.setattr(engine, "fetch_page", fetch)
    asyncio.run(ask())


def wait_for(found: Callable[[], T | None]) -> T:
    """Wait until something is found."""
    until = time.monotonic() + PATIENCE
    while not (made := found()):
        assert time.monotonic() < until
        time.sleep(0.02)
    return made


def is_dead(process: int) -> bool:
    with open(f"/proc/{process}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0] == "Z"
