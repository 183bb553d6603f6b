"""A service that is told to end answers all that it has taken, and ends well."""

from __future__ import annotations

import os
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.service.running import HTML, PATIENCE, running

REQUESTS = 60


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_all_that_was_taken_is_answered(number: signal.Signals, page: str) -> None:
    body = page.encode()
    head = "POST /v1/article HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"
    with running("--workers", "1") as service, ThreadPoolExecutor(REQUESTS) as threads:
        lines = [socket.create_connection(("127.0.0.1", service.port), PATIENCE) for _ in range(REQUESTS)]
        for k, line in enumerate(lines):
            line.sendall((head % len(body)).encode() + (body if k % 2 else body[:-100]))
        service.wait_until("pagesieve_bodies_arriving", REQUESTS // 2)
        pages = service.pages()
        service.process.send_signal(number)
        time.sleep(0.3)
        for line in lines[::2]:
            line.sendall(body[-100:])
        answers = list(threads.map(lambda line: line.makefile("rb").read(), lines))
        assert [answer[:15] for answer in answers] == [b"HTTP/1.1 200 OK"] * REQUESTS
        assert all(answer.endswith(b"}") for answer in answers)
        assert service.process.wait(PATIENCE) == 0
        assert service.log()[-1]["event"] == "ended"
        for line in lines:
            line.close()
    time.sleep(0.2)
    assert not any(is_running(process) for process in pages)


def test_it_may_be_told_before_it_is_ready() -> None:
    with running("--workers", "1", ready=False) as service:
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(PATIENCE) == 0


def test_page_processes_heed_no_sigterm(page: str) -> None:
    """Some supervisors send it to all processes."""
    with running("--workers", "1") as service:
        (before,) = service.pages()
        os.kill(before, signal.SIGTERM)
        assert service.client.post("v1/article", content=page, headers=HTML).status_code == 200
        assert service.pages() == [before]


def is_running(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
