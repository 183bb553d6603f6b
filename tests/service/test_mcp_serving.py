"""The server for agents refuses what the service refuses, writes messages alone to standard output, and ends well."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

mcp = pytest.importorskip("mcp")

import httpx2  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402

from pagesieve.service.mcp import server  # noqa: E402
from pagesieve.service.mcp.server import Frame  # noqa: E402
from pagesieve.service.mcp.tools import PageRecordsTool, ReadPageTool  # noqa: E402
from pagesieve.service.schemas import Job  # noqa: E402
from tests.service.agents import COMMAND, connected, on_stdio, unframed  # noqa: E402
from tests.service.running import PATIENCE, Service, children_of, running  # noqa: E402
from tests.service.test_shutdown import is_running  # noqa: E402
from tests.site_server import SiteServer  # noqa: E402

TOKEN = "a-token-of-many-characters"
CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": CLIENT}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
JSON = {"Accept": "application/json, text/event-stream"}


def call(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def lines(*messages: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


# The frame and the parts


@given(st.text(), st.none() | st.text())
def test_the_frame_holds_any_text(text: str, url: str | None) -> None:
    made = Frame(text).around(text, url, "The end.")
    assert unframed(made)[1:] == (text, "The end.")
    assert made.partition("\n<<<PAGE")[0].count("\n") == 0


@given(st.text(max_size=50), st.integers(1, 20))
def test_parts_are_the_whole(text: str, length: int) -> None:
    parts, start = [], 0
    while start is not None:
        shown = ReadPageTool.model_validate({"html": "", "start": start, "length": length}).output({"markdown": text})
        result = shown.result.model_dump()
        assert len(shown.text) <= length
        parts.append(shown.text)
        start = result["next_start"]
    assert "".join(parts) == text


def test_long_values_are_cut() -> None:
    name = "n" * 10_000
    items = {name: "x" * 10_000, "b": ["y" * 10_000], "c": {"amount": 2.5, "currency": "EUR"}, "d": None}
    columns = [{"name": one, "type": "text"} for one in items]
    made = {"records": [{"items": items}], "columns": columns, "next_url": "https://example.org/2"}
    shown = PageRecordsTool.model_validate({"html": "", "count": 10}).output(made)
    assert len(shown.text) < 7_000
    result = shown.result.model_dump()
    assert [column["name"] for column in result["columns"]] == list(result["rows"][0])
    assert shown.text.endswith(",2.5 EUR,\nnext page: https://example.org/2\n")


def test_results_are_kept_for_a_while() -> None:
    now = 0.0
    cache = server.ResultCache(lambda: now)
    jobs = [Job(name="read", url=f"https://example.org/{number}") for number in range(40)]
    for job in jobs:
        cache.put(job, {"markdown": job.url})
    assert cache.get(jobs[0]) is None
    assert cache.get(jobs[-1]) == {"markdown": jobs[-1].url}
    assert cache.get(Job(name="read", url=jobs[-1].url, options={"favor": "recall"})) is None
    cache.put(jobs[0], {"markdown": "x" * server.MAX_CACHED_CHARS})
    assert cache.get(jobs[-1]) is None
    cache.put(jobs[1], {"markdown": ""})
    now = server.CACHE_SECONDS + 1
    assert cache.get(jobs[1]) is None


# Standard input and output


def test_private_addresses_are_refused(site_server: SiteServer) -> None:
    with connected(on_stdio("--workers", "1", mode="legacy")) as agent:
        for url in (site_server.url, "http://localhost/", "http://169.254.169.254/latest/meta-data"):
            assert agent.fail("read_page", url=url).startswith("The address is not a public one: Words of others")
    assert site_server.asked() == []


def test_the_input_ends() -> None:
    """What was asked before is answered. Standard output has messages alone, standard error lines of JSON."""
    page = "<h1>Bread and butter</h1><p>Some words."
    sent = lines(HELLO, READY, call(2, "page_headline", html=page), call(3, "page_headline", html=page))
    done = subprocess.run([*COMMAND, "--workers", "1"], input=sent, capture_output=True, timeout=PATIENCE)
    assert done.returncode == 0
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert sorted(answers) == [1, 2, 3]
    assert answers[3]["result"]["structuredContent"]["headline"] == "Bread and butter"
    log = [json.loads(line) for line in done.stderr.splitlines()]
    assert [line["event"] for line in log] == ["listening", "call", "call", "ended"]
    assert b"Bread" not in done.stderr


def test_nothing_is_asked() -> None:
    for sent in (b"", b"no JSON\n", b"\xff\xfe\n"):
        done = subprocess.run([*COMMAND, "--workers", "1"], input=sent, capture_output=True, timeout=PATIENCE)
        assert done.returncode == 0
        assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="reads /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it(number: signal.Signals, site_server: SiteServer) -> None:
    """Calls that were taken are answered, also those that wait for another server."""
    command = [*COMMAND, "--workers", "1", "--allow-private"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:  # type: ignore[call-overload]
        process.stdin.write(lines(HELLO, READY, call(2, "page_headline", html="<h1>Bread and butter</h1>")))
        process.stdin.flush()
        assert [json.loads(process.stdout.readline())["id"] for _ in range(2)] == [1, 2]
        pages = children_of(process.pid)
        with site_server.holding():
            process.stdin.write(lines(call(3, "page_headline", url=f"{site_server.url}shop/grid.html")))
            process.stdin.flush()
            site_server.wait_for(1)
            process.send_signal(number)
            time.sleep(0.5)
        answer = json.loads(process.stdout.readline())
        assert (answer["id"], answer["result"]["isError"]) == (3, False)
        assert process.wait(PATIENCE) == 0
        assert process.stdout.read() == b""
        assert b"Traceback" not in process.stderr.read()
    assert pages
    assert not any(is_running(page) for page in pages)


def test_a_client_that_goes_without_a_word() -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*COMMAND, "--workers", "1"], **pipes) as process:  # type: ignore[call-overload]
        process.stdout.close()
        process.stdin.write(lines(HELLO))
        process.stdin.flush()
        assert process.wait(PATIENCE) == 0
        assert b"Traceback" not in process.stderr.read()


def refused(*options: str, code: str | None = None, prepare: Callable[[], None] | None = None) -> str:
    """Start a server that must not start; return what it says."""
    environment = {name: value for name, value in os.environ.items() if name != "PAGESIEVE_TOKEN"}
    command = [sys.executable, *(("-m", "pagesieve") if code is None else ("-c", code)), "mcp", *options]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, timeout=PATIENCE, preexec_fn=prepare
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize("http", [(), ("--http",)])
def test_without_the_sdk_there_is_one_line(http: tuple[str, ...]) -> None:
    code = "import sys; sys.modules['mcp'] = None; from pagesieve.__main__ import main; main()"
    assert "pip install 'fastapi" in refused(*http, code=code)


def test_what_cannot_be_started_says_why() -> None:
    assert "add --http" in refused("--port", "1")
    assert "set a token" in refused("--http", "--host", "0.0.0.0")
    assert "does not exist" in refused("--sites", "/dev/null/sites.db")
    assert "standard input is closed" in refused(prepare=lambda: os.close(0))


# HTTP


@pytest.fixture(scope="module")
def guarded() -> Iterator[Service]:
    """A server with a token, which listens on all addresses."""
    with running("--workers", "1", "--host", "0.0.0.0", token=TOKEN, command=("mcp", "--http")) as service:
        yield service


@pytest.fixture(scope="module")
def local() -> Iterator[Service]:
    """A server for this machine alone."""
    options = ("--workers", "1", "--max-bytes", "1000")
    with running(*options, command=("mcp", "--http")) as service:
        yield service


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_with_the_token(guarded: Service, mode: str) -> None:
    async def names() -> list[str]:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http:
            address = f"http://127.0.0.1:{guarded.port}/mcp"
            async with mcp.Client(streamable_http_client(address, http_client=http), mode=mode) as client:
                return [tool.name for tool in (await client.list_tools()).tools]

    assert "read_page" in asyncio.run(names())
    assert TOKEN not in guarded.stderr.read_text("utf-8")


def test_without_the_token_nothing_is_told(guarded: Service) -> None:
    for authorization in ("", "Bearer wrong", f"Basic {TOKEN}"):
        made = guarded.client.post("mcp", json=HELLO, headers=JSON | {"Authorization": authorization})
        assert (made.status_code, made.headers["www-authenticate"]) == (401, "Bearer")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:1"}, 200),
        ({"Host": "example.org"}, 421),
        ({"Origin": "https://example.org"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
    ],
    ids=str,
)
def test_who_may_ask(local: Service, headers: dict[str, str], status: int) -> None:
    assert local.client.post("mcp", json=HELLO, headers=JSON | headers).status_code == status


def test_what_is_no_message(local: Service) -> None:
    for method in ("GET", "DELETE"):
        made = local.client.request(method, "mcp", headers=JSON)
        assert (made.status_code, made.headers["allow"]) == (405, "POST")
    body = b"x" * 3000
    assert (
        local.client.post("mcp", content=body, headers=JSON | {"Content-Type": "application/json"}).status_code == 413
    )
    made = local.client.post("mcp", content=b"{", headers=JSON | {"Content-Type": "application/json"})
    assert made.status_code == 400
    assert local.client.get("v1/sites").status_code == 404
    assert local.client.get("healthz").status_code == 200


def test_calls_are_logged_without_their_pages(local: Service) -> None:
    made = local.client.post("mcp", json=call(1, "page_headline", html="<h1>Bread and butter</h1>"), headers=JSON)
    assert made.json()["result"]["structuredContent"]["headline"] == "Bread and butter"
    assert local.line(made)["route"] == "/mcp"
    assert any(line["event"] == "call" and line["tool"] == "page_headline" for line in local.log())
    assert "Bread" not in local.stderr.read_text("utf-8")


def test_a_client_that_hangs_up_gives_its_place_back(site_server: SiteServer) -> None:
    """When the thread that fetches for it is free."""
    with running("--workers", "1", "--allow-private", command=("mcp", "--http")) as service:
        asking = call(1, "page_headline", url=f"{site_server.url}shop/grid.html")
        with site_server.holding():
            with pytest.raises(httpx.ReadTimeout):
                service.client.post("mcp", json=asking, headers=JSON, timeout=1)
            time.sleep(1.5)  # until the service sees that the client has gone
        service.wait_until('pagesieve_problems_total{sort="bad-request"}', 1)
        service.wait_until("pagesieve_requests_accepted", 0)
