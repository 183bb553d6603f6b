"""A batch gives a line for each line, in order, while others are still to come."""

from __future__ import annotations

import http.client
import json
import signal
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from tests.service.running import PATIENCE, Service, running

NDJSON = {"Content-Type": "application/x-ndjson"}


class Streamed:
    """A batch whose lines are sent one by one."""

    def __init__(self, service: Service) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE)
        self.connection.putrequest("POST", "/v1/batch")
        for name, value in {**NDJSON, "Transfer-Encoding": "chunked"}.items():
            self.connection.putheader(name, value)
        self.connection.endheaders()
        self.answer: http.client.HTTPResponse | None = None

    def send(self, data: bytes) -> None:
        self.connection.send(b"%x\r\n%s\r\n" % (len(data), data))

    def line(self) -> dict[str, Any]:
        self.answer = self.answer or self.connection.getresponse()
        return dict(json.loads(self.answer.readline()))

    def close(self) -> None:
        self.connection.close()


def written(*lines: object) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def batch(service: Service, body: bytes | Iterator[bytes]) -> list[dict[str, Any]]:
    made = service.client.post("v1/batch", content=body, headers=NDJSON)
    assert (made.status_code, made.headers["content-type"]) == (200, "application/x-ndjson")
    return [json.loads(line) for line in made.text.splitlines()]


def test_lines_come_in_order(service: Service, page: str) -> None:
    asked = [{"id": f"n{n}", "html": page, "job": "headline" if n % 2 else "article"} for n in range(20)]
    found = batch(service, written(*asked))
    assert [(one["line"], one["id"], one["status"]) for one in found] == [(n + 1, f"n{n}", 200) for n in range(20)]
    assert found[1]["result"] == {"headline": "Seal in the lido closes the slow lane"}
    assert found[0]["result"]["title"] == "Seal in the lido closes the slow lane"


def test_a_bad_line_is_one_problem(service: Service, page: str) -> None:
    bad = [
        b"{", b"[]", b'{"job": "magic", "html": "x"}', b'{"job": ["article"]}', b'{"html": 1}', b'{"html": "x"}',
        b"\xff", b'{"url": "http://127.0.0.1/"}', b'{"html": "' + b"x" * 200_000 + b'"}', b"[" * 100_000,
        b'{"html": "x", "id": "' + b"x" * 1001 + b'"}', b'{"html": "x", "id": 1' + b"0" * 1000 + b"}",
        b'{"html": "x", "' + b"x" * 100_000 + b'": 1}',
    ]  # fmt: skip
    good = json.dumps({"html": page, "job": "headline"}).encode()
    found = batch(service, b"\r\n\n".join(part for line in bad for part in (line, good)))
    assert [one["line"] for one in found] == list(range(1, 2 * len(bad) + 1))
    assert [one["status"] for one in found[1::2]] == [200] * len(bad)
    assert [one["status"] for one in found[::2]] == [422, 422, 422, 422, 422, 422, 422, 403, 413] + [422] * 4
    assert all(0 < len(one["problem"]["detail"]) <= 1000 for one in found[::2])
    assert not any("id" in one for one in found)


def test_nothing_in_nothing_out(service: Service) -> None:
    assert batch(service, b"") == []
    assert batch(service, b"\n \n") == []


def test_results_come_before_the_input_ends(service: Service, page: str) -> None:
    with closing(Streamed(service)) as sent:
        for number in range(3):
            sent.send(written({"id": number, "html": page, "job": "headline"}))
            assert sent.line()["id"] == number
        whole = written({"id": "cut", "html": page, "job": "headline"})
        sent.send(whole[:100])
        sent.send(whole[100:-1])
        sent.connection.send(b"0\r\n\r\n")
        assert sent.line()["id"] == "cut"
        assert sent.answer is not None
        assert sent.answer.read() == b""


def test_a_batch_that_stops_is_ended(page: str) -> None:
    with running("--workers", "1", "--timeout", "1") as service, closing(Streamed(service)) as sent:
        sent.send(written({"html": page, "job": "headline"}))
        assert sent.line()["status"] == 200
        assert sent.line() == {"status": 408, "problem": sent_problem("request-timeout", 408)}
        service.wait_until("pagesieve_requests_accepted", 0)


def sent_problem(sort: str, status: int) -> object:
    """Compare with a problem of a sort."""

    class Same:
        def __eq__(self, other: object) -> bool:
            return isinstance(other, dict) and (other["type"], other["status"]) == (
                f"urn:pagesieve:problem:{sort}",
                status,
            )

    return Same()


def test_a_client_that_hangs_up_leaves_nothing(service: Service, page: str) -> None:
    with closing(Streamed(service)) as sent:
        sent.send(written(*[{"html": page}] * 5))
        sent.line()
    service.wait_until("pagesieve_requests_accepted", 0)
    service.wait_until("pagesieve_pages_running", 0)


def test_a_batch_ends_with_the_service(page: str) -> None:
    """What was taken is answered, and the last line says that no more is."""
    with running("--workers", "1") as service, closing(Streamed(service)) as sent:
        sent.send(written(*[{"html": page, "job": "headline"}] * 3))
        assert sent.line()["line"] == 1
        service.process.send_signal(signal.SIGTERM)
        assert [sent.line()["status"] for _ in range(3)] == [200, 200, 503]
        assert service.process.wait(PATIENCE) == 0
