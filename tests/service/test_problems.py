"""Whatever is wrong with a request, the answer is a problem with the right status."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pagesieve.service import is_loopback
from pagesieve.service.responses import PROBLEMS
from tests.service.running import HTML, Service

JSON = {"Content-Type": "application/json"}
NDJSON = {"Content-Type": "application/x-ndjson"}

# method, path, headers, body; status, sort of problem
CASES: dict[str, tuple[str, str, dict[str, str], bytes, int, str]] = {
    "nothing there": ("GET", "v1/nothing", {}, b"", 404, "not-found"),
    "another method": ("GET", "v1/article", {}, b"", 405, "method-not-allowed"),
    "no type": ("POST", "v1/article", {}, b"{}", 415, "unsupported-media-type"),
    "another type": ("POST", "v1/article", {"Content-Type": "image/png"}, b"", 415, "unsupported-media-type"),
    "lines that are none": ("POST", "v1/batch", JSON, b"{}", 415, "unsupported-media-type"),
    "pages to learn as HTML": ("POST", "v1/sites", HTML, b"<p>", 415, "unsupported-media-type"),
    "no JSON": ("POST", "v1/article", JSON, b"{", 422, "bad-input"),
    "deep JSON": ("POST", "v1/article", JSON, b'{"html":' + b"[" * 50_000, 422, "bad-input"),
    "no object": ("POST", "v1/article", JSON, b"[]", 422, "bad-input"),
    "no page": ("POST", "v1/article", JSON, b"{}", 422, "bad-input"),
    "an option that is none": ("POST", "v1/article", JSON, b'{"html": "x", "colour": 1}', 422, "bad-input"),
    "the model of another": ("POST", "v1/article", JSON, b'{"html": "x", "model": "/etc/passwd"}', 422, "bad-input"),
    "a method that is none": ("POST", "v1/article", JSON, b'{"html": "x", "method": "magic"}', 422, "bad-input"),
    "a method that needs more": ("POST", "v1/article", JSON, b'{"html": "<p>x", "method": "layout"}', 422, "bad-input"),
    "half a character": ("POST", "v1/article", JSON, b'{"html": "x", "url": "\\ud800"}', 422, "bad-input"),
    "a browser for a source": ("POST", "v1/article", JSON, b'{"html": "x", "browser": true}', 422, "bad-input"),
    "a browser that is not there": (
        "POST", "v1/article", JSON, b'{"url": "https://example.org/", "browser": true}', 422, "bad-input",
    ),
    "an option in the query": ("POST", "v1/article?colour=1", HTML, b"<p>x", 422, "bad-input"),
    "a bad value in the query": ("POST", "v1/article?include_links=maybe", HTML, b"<p>x", 422, "bad-input"),
    "nothing": ("POST", "v1/article", HTML, b" ", 422, "bad-input"),
    "no page but a PDF": ("POST", "v1/article", HTML, b"%PDF-1.4 ...", 422, "bad-input"),
    "links without an address": ("POST", "v1/catalogue", HTML, b"<p>x", 422, "bad-input"),
    "no schema": ("POST", "v1/records", JSON, b'{"html": "x", "schema": {}}', 422, "bad-input"),
    "a region to be seen": ("POST", "v1/records", JSON, b'{"html": "x", "region": "paper"}', 422, "bad-input"),
    "nothing found": ("POST", "v1/article", HTML, b"<p>Too little.", 422, "nothing-found"),
    "no records": ("POST", "v1/records", HTML, b"<p>Too little.", 422, "nothing-found"),
    "no URL": ("POST", "v1/article", JSON, b'{"url": "nonsense"}', 422, "fetch-failed"),
    "another scheme": ("POST", "v1/article", JSON, b'{"url": "file:///etc/passwd"}', 422, "fetch-failed"),
    "an address of this machine": ("POST", "v1/article", JSON, b'{"url": "http://127.0.0.1/"}', 403, "address-refused"),
    "its name": ("POST", "v1/headline", JSON, b'{"url": "http://localhost:1/"}', 403, "address-refused"),
    "a private address": ("GET", "v1/read/http://10.0.0.1/", {}, b"", 403, "address-refused"),
    "of the cloud": ("GET", "v1/read/http://169.254.169.254/latest", {}, b"", 403, "address-refused"),
    "too large": ("POST", "v1/article", HTML, b"x" * 200_001, 413, "too-large"),
    "a site that is not known": ("GET", "v1/sites/unknown.example.org", {}, b"", 404, "unknown-site"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_problems(service: Service, name: str) -> None:
    method, path, headers, body, status, sort = CASES[name]
    made = service.client.request(method, path, headers=headers, content=body)
    assert (made.status_code, made.headers["content-type"]) == (status, "application/problem+json"), made.text
    problem = made.json()
    assert problem["type"] == f"urn:pagesieve:problem:{sort}"
    assert problem["status"] == status
    assert problem["title"] == PROBLEMS[sort].title
    assert problem["detail"]
    assert "\n" not in problem["detail"]
    assert made.headers["x-content-type-options"] == "nosniff"


def test_a_page_without_a_text_has_facts(service: Service) -> None:
    made = service.post(
        "v1/article", html="<title>A wall by the sea</title><meta name=author content='Ann Lee'><p>Short."
    )
    problem = made.json()
    assert (made.status_code, problem["type"]) == (422, "urn:pagesieve:problem:nothing-found")
    facts = problem["facts"]
    assert (facts["title"], facts["authors"], facts["text"]) == ("A wall by the sea", ["Ann Lee"], None)
    assert "facts" not in service.post("v1/records", html="<title>A wall</title><p>Short.").json()


def test_a_problem_quotes_no_page(service: Service) -> None:
    made = service.client.post("v1/article", headers=JSON, content=json.dumps({"html": "x", "url": ["Secret"]}))
    assert made.status_code == 422
    assert "Secret" not in made.text


def test_a_server_that_fails_is_named(fetching: Service, at: Any) -> None:
    made = fetching.post("v1/article", url=at("nothing-here"))
    assert made.status_code == 422
    assert made.json()["type"].endswith(":fetch-failed")
    assert made.json()["upstream_status"] == 404


def test_without_a_library(fetching: Service) -> None:
    for made in (
        fetching.client.get("v1/sites"),
        fetching.client.get("v1/sites/example.org"),
        fetching.client.delete("v1/sites/example.org"),
        fetching.client.post("v1/sites", json={"pages": []}),
    ):
        assert (made.status_code, made.json()["type"]) == (404, "urn:pagesieve:problem:no-library")
    assert fetching.post("v1/article", html="<p>x", sites=True).status_code == 422


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True), ("LOCALHOST.", True), ("127.9.9.9", True), ("::1", True), ("[::1]", True),
        ("0.0.0.0", False), ("::", False), ("", False), ("10.0.0.1", False), ("localhost.example.org", False),
    ],
)  # fmt: skip
def test_what_is_loopback(host: str, expected: bool) -> None:
    assert is_loopback(host) == expected
