"""Nothing that fetches connects to an address that is not public, however it is written."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpcore
import pytest

from pagesieve.errors import AddressRefused, FetchError
from pagesieve.fetching import chromium
from pagesieve.fetching.chromium import RenderOptions
from pagesieve.fetching.guard import is_public
from pagesieve.fetching.http import Exchanges, FetchOptions, fetch
from tests.hostile_addresses import AMBIGUOUS, HOSTILE, NOT_FETCHED, PRIVATE, PUBLIC_ADDRESS, PUBLIC_HOST, resolve

CAREFUL = FetchOptions(resolve=resolve, retries=0)
NO_URL = "not a URL|not an http or https URL"


def by_fetch(url: str) -> None:
    fetch(url, CAREFUL)


def by_exchange(url: str) -> None:
    exchanges = Exchanges(CAREFUL, each=True)
    try:
        exchanges.ask("GET", url)
    finally:
        exchanges.close()


class Inner(BaseHTTPRequestHandler):
    """Redirects to whatever stands in its own list, or gives the page."""

    protocol_version = "HTTP/1.1"
    page = b""
    location = ""

    def do_GET(self) -> None:
        is_redirect = self.path == "/to"
        self.send_response(302 if is_redirect else 200)
        if is_redirect:
            self.send_header("Location", self.location.encode("utf-8", "replace").decode("latin-1"))
        body = b"" if is_redirect else self.page
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a server of our own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Inner)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture
def connected(port: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that were connected to. The public one leads to the server, all others to nothing."""
    addresses: list[str] = []
    really = httpcore.SyncBackend.connect_tcp

    def connect(self: httpcore.SyncBackend, host: str, at: int, *rest: Any, **named: Any) -> httpcore.NetworkStream:
        addresses.append(host)
        if host != PUBLIC_ADDRESS or at == 443:
            raise httpcore.ConnectError("nobody there")
        return really(self, "127.0.0.1", port, *rest, **named)

    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", connect)
    return addresses


def test_the_table_is_large() -> None:
    assert len(set(HOSTILE)) == len(HOSTILE) >= 100


@pytest.mark.parametrize("ask", [by_fetch, by_exchange])
@pytest.mark.parametrize("url", PRIVATE, ids=ascii)
def test_private_addresses(connected: list[str], url: str, ask: Callable[[str], None]) -> None:
    with pytest.raises(FetchError, match=f"its address .* is not public|{NO_URL}") as caught:
        ask(url)
    assert "\n" not in str(caught.value)
    assert connected == []


@pytest.mark.parametrize("ask", [by_fetch, by_exchange])
@pytest.mark.parametrize("url", NOT_FETCHED, ids=lambda url: ascii(url)[:60])
def test_what_is_no_url_of_a_page(connected: list[str], url: str, ask: Callable[[str], None]) -> None:
    with pytest.raises(FetchError, match=NO_URL) as caught:
        ask(url)
    assert "\n" not in str(caught.value)
    assert connected == []


@pytest.mark.parametrize("ask", [by_fetch, by_exchange])
@pytest.mark.parametrize("url", AMBIGUOUS, ids=ascii)
def test_what_parsers_disagree_on(connected: list[str], url: str, ask: Callable[[str], None]) -> None:
    with suppress(FetchError):
        ask(url)
    assert all(map(is_public, connected))


def test_most_of_them_get_as_far_as_the_guard(connected: list[str]) -> None:
    """The table is about the guard: it must not be that a parser refuses all of them."""
    refused = 0
    for url in PRIVATE:
        try:
            by_fetch(url)
        except AddressRefused:
            refused += 1
        except FetchError:
            pass
    assert refused >= 100


@pytest.mark.parametrize("url", [url for url in HOSTILE if url.isprintable() and len(url) < 1000], ids=ascii)
def test_redirects_to_them(connected: list[str], monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setattr(Inner, "location", url)
    with suppress(FetchError):
        fetch(f"http://{PUBLIC_HOST}/to", CAREFUL)
    assert connected
    assert all(map(is_public, connected))


def test_a_browser_asks_for_all_of_them(connected: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A page tries every way to reach each: by script, as an image, as a style sheet and as a frame."""
    urls = json.dumps([url for url in HOSTILE if len(url) < 1000])
    monkeypatch.setattr(
        Inner,
        "page",
        b"""<p>tried</p><script>
        const add = (tag, name, url) => { const it = document.createElement(tag); if (tag === 'link')
            it.rel = 'stylesheet'; try { it[name] = url } catch {} document.body.append(it) }
        for (const url of %s) {
            try { fetch(url, {mode: 'no-cors'}).catch(() => 0) } catch {}
            add('img', 'src', url); add('link', 'href', url); add('iframe', 'src', url)
        }</script>"""
        % urls.encode(),
    )
    options = RenderOptions(resolve=resolve, timeout=120, settle=60, max_requests=10_000)
    page = chromium.shared().render(None, f"http://{PUBLIC_HOST}/", options)
    assert "tried" in str(page.text(0))
    assert len(connected) > 1  # some of those that parsers disagree on are public
    assert all(map(is_public, connected))


@pytest.mark.parametrize("url", PRIVATE[::12], ids=ascii)
def test_a_browser_opens_none_of_them(connected: list[str], url: str) -> None:
    with pytest.raises(FetchError):
        chromium.shared().render(None, url, RenderOptions(resolve=resolve, timeout=120))
    assert connected == []
