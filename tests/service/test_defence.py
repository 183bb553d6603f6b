"""Nobody but this machine, or who has the token, is answered; and no page of another site."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.service.running import Service, running

TOKEN = "a-token-of-many-characters"


@pytest.fixture(scope="module")
def guarded() -> Iterator[Service]:
    """A service with a token, which listens on all addresses."""
    with running("--workers", "1", "--host", "0.0.0.0", token=TOKEN) as service:
        yield service


def refused(*options: str, token: str | None = None) -> str:
    """Start a service that must not start; return what it says."""
    environment = {name: value for name, value in os.environ.items() if name != "PAGESIEVE_TOKEN"}
    environment |= {} if token is None else {"PAGESIEVE_TOKEN": token}
    command = [sys.executable, "-m", "pagesieve", "serve", *options]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])
def test_without_a_token_it_listens_here_only(host: str) -> None:
    assert "set a token" in refused("--host", host)


def test_a_token_is_long() -> None:
    assert "at least 16" in refused("--token", "short")
    assert "at least 16" in refused(token="with a space in it")


def test_what_cannot_be_started_says_why(service: Service) -> None:
    assert "cannot listen there" in refused("--port", str(service.port))
    assert "does not exist" in refused("--sites", "/dev/null/sites.db")


@pytest.mark.parametrize(
    "authorization",
    ["", TOKEN, f"Basic {TOKEN}", "Bearer", "Bearer wrong", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", "é"],
)
def test_without_the_token_nothing_is_told(guarded: Service, authorization: str) -> None:
    headers = {"Authorization": authorization.encode("latin-1")}
    for method, path in (
        ("POST", "v1/article"),
        ("GET", "v1/read/x"),
        ("GET", "v1/sites"),
        ("GET", "metrics"),
        ("GET", "x"),
    ):
        made = guarded.client.request(method, path, headers=headers)  # type: ignore[arg-type]
        assert (made.status_code, made.headers["www-authenticate"]) == (401, "Bearer")
    for path in ("", "healthz", "readyz", "openapi.json", "static/style.css"):
        assert guarded.client.get(path, headers=headers).status_code == 200  # type: ignore[arg-type]


def test_with_the_token(guarded: Service, page: str) -> None:
    assert guarded.post("v1/headline", html=page).status_code == 200
    assert guarded.post("v1/headline", {"Host": "pagesieve.example.org"}, html=page).status_code == 200
    assert TOKEN not in guarded.stderr.read_text("utf-8")


@pytest.mark.parametrize("host", ["example.org", "127.0.0.1.example.org", "localhost.example.org:80", "10.0.0.1", "["])
def test_another_host_is_refused(service: Service, host: str) -> None:
    """A name that leads here is a name all the same: DNS can be rebound."""
    for path in ("healthz", "v1/sites", ""):
        assert service.client.get(path, headers={"Host": host}).status_code in (400, 421)


@pytest.mark.parametrize("host", ["localhost", "localhost:1", "127.0.0.1", "[::1]:8000"])
def test_this_machine_by_any_name(service: Service, host: str) -> None:
    assert service.client.get("v1/sites", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://example.org"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Origin": "http://["},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
    ids=str,
)
def test_other_sites_are_refused(service: Service, page: str, headers: dict[str, str]) -> None:
    made = service.client.post("v1/headline", content=json.dumps({"html": page}), headers=headers)
    assert (made.status_code, made.json()["type"]) == (403, "urn:pagesieve:problem:origin-refused")
    assert service.client.delete("v1/sites/x", headers=headers).status_code == 403
    assert service.client.options("v1/headline", headers=headers).status_code == 403
    assert "access-control-allow-origin" not in made.headers


def test_its_own_page_is_answered(service: Service, page: str) -> None:
    headers = {"Origin": service.url.rstrip("/"), "Sec-Fetch-Site": "same-origin"}
    assert service.post("v1/headline", headers, html=page).status_code == 200
