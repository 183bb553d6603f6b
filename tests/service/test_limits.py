"""What a page, a body or a crowd of requests costs is limited, and harms no other request."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import pytest

from tests.service.running import HTML, LARGE, PATIENCE, Service, running

T = TypeVar("T")

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="reads /proc")


@contextmanager
def begun(service: Service, length: int, sent: bytes = b"") -> Iterator[socket.socket]:
    """Send the head of a request for an article, and some of its body."""
    with socket.create_connection(("127.0.0.1", service.port), PATIENCE) as line:
        head = f"Host: localhost\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n"
        line.sendall(f"POST /v1/article HTTP/1.1\r\n{head}".encode() + sent)
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


def test_no_more_requests_than_there_are_places(page: str) -> None:
    with running("--workers", "1", "--queue", "1") as service:
        with begun(service, 100), begun(service, 100):
            service.wait_until("pagesieve_requests_accepted", 2)
            made = service.client.post("v1/article", content=page, headers=HTML)
            assert (made.status_code, made.headers["retry-after"]) == (429, "1")
            lines = service.client.post("v1/batch", content=b"", headers={"Content-Type": "application/x-ndjson"})
            assert lines.status_code == 429
            assert service.client.get("healthz").status_code == 200
        service.wait_until("pagesieve_requests_accepted", 0)
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


def wait_for(found: Callable[[], T]) -> T:
    """Wait until something is found."""
    until = time.monotonic() + PATIENCE
    while not (made := found()):
        assert time.monotonic() < until
        time.sleep(0.02)
    return made


def is_dead(process: int) -> bool:
    with open(f"/proc/{process}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0] == "Z"
