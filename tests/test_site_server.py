"""The server that crawls are tested against does what servers do."""

from __future__ import annotations

import time

import httpx
import pytest

from tests.site_server import SiteServer, serving_site


@pytest.fixture
def client(site_server: SiteServer) -> httpx.Client:
    return httpx.Client(base_url=site_server.url, headers={"User-Agent": "tester/1"}, trust_env=False)


def test_it_serves_files_and_remembers_who_asked(site_server: SiteServer, client: httpx.Client) -> None:
    assert client.get("/en/index.html").content == client.get("/en/").content
    assert client.get("/en").headers["Location"] == "/en/"
    assert client.get("/nothing.html").status_code == 404
    assert client.get("/en/index.html?page=2").status_code == 200
    assert client.head("/robots.txt").content == b""
    assert [(one.method, one.path, one.status) for one in site_server.log] == [
        ("GET", "/en/index.html", 200),
        ("GET", "/en/", 200),
        ("GET", "/en", 301),
        ("GET", "/nothing.html", 404),
        ("GET", "/en/index.html?page=2", 200),
        ("HEAD", "/robots.txt", 200),
    ]
    assert {one.user_agent for one in site_server.log} == {"tester/1"}
    assert site_server.asked(404) == ["/nothing.html"]


@pytest.mark.parametrize(("header", "answer"), [("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since")])
def test_conditional_requests(site_server: SiteServer, client: httpx.Client, header: str, answer: str) -> None:
    path = "en/feed.xml"
    known = {answer: client.get(path).headers[header]}
    assert (client.get(path, headers=known).status_code, client.get(path, headers=known).content) == (304, b"")
    site_server.put(path, "changed")
    assert client.get(path, headers=known).text == "changed"
    site_server.remove(path)
    assert client.get(path, headers=known).status_code == 404


def test_a_connection_is_kept_and_answers_may_wait() -> None:
    with serving_site({"a.txt": b"a"}) as server, httpx.Client(base_url=server.url, trust_env=False) as client:
        for _ in range(3):
            assert client.get("/a.txt").http_version == "HTTP/1.1"
        server.latency = 0.05
        begun = time.monotonic()
        assert client.get("/a.txt").text == "a"
        assert time.monotonic() - begun >= 0.05
