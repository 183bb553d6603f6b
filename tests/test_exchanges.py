"""Single requests over connections that are kept, from many threads, and over HTTP/2."""

import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pagesieve.errors import AddressRefused, FetchError
from pagesieve.fetching import guard, http
from pagesieve.fetching.http import Answer, Exchanges, FetchOptions, fetch
from tests import http2_server

LOCAL = FetchOptions(allow_private=True, timeout=60, retries=0, resolve=lambda host, port: ["127.0.0.1"])
BODY = b"x" * 60_000


class Handler(BaseHTTPRequestHandler):
    """Answers with what it was asked; counts connections, and can close them."""

    protocol_version = "HTTP/1.1"
    connections = 0
    counting = threading.Lock()

    def setup(self) -> None:
        super().setup()
        with Handler.counting:
            Handler.connections += 1

    def do_GET(self) -> None:
        status, headers, body = 200, {}, BODY
        if self.path == "/headers":
            body = str(self.headers).encode()
        elif self.path == "/moved":
            status, headers, body = 302, {"Location": "/elsewhere"}, b""
        elif self.path == "/tag" and self.headers["If-None-Match"] == '"1"':
            status, headers, body = 304, {"ETag": '"1"'}, b""
        elif self.path == "/feed":
            headers = {"Content-Type": "application/rss+xml"}
        elif self.path == "/latin":
            headers = {"X-Name": "é"}
        elif self.path == "/once":
            self.close_connection = True  # without saying so
        if self.command == "POST":
            body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0" if status == 304 else str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_POST = do_HEAD = do_GET

    def log_message(self, format: str, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    """Says nothing when a client hangs up."""

    def handle_error(self, request: object, client_address: object) -> None:
        pass


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture
def ask(port: int) -> Iterator[Callable[..., Answer]]:
    """Ask the server for a path, as one of its hosts."""
    Handler.connections = 0
    exchanges = Exchanges(LOCAL, each=True)

    def ask(
        path: str,
        method: str = "GET",
        headers: tuple[tuple[str, str], ...] = (),
        body: bytes | None = None,
        host: str = "a.example",
    ) -> Answer:
        return exchanges.ask(method, f"http://{host}:{port}{path}", headers, body)

    yield ask
    exchanges.close()


def test_answers_of_every_sort(ask: Callable[..., Answer]) -> None:
    assert ask("/page").body == BODY
    assert ask("/feed").named["content-type"] == "application/rss+xml"
    moved = ask("/moved")
    assert (moved.status, moved.named["location"]) == (302, "/elsewhere")
    assert ask("/tag", headers=(("If-None-Match", '"1"'),)).status == 304
    assert ask("/tag", headers=(("If-None-Match", '"2"'),)).status == 200
    assert ask("/echo", "POST", body="é".encode()).body == "é".encode()
    assert ask("/echo", "POST").body == b""
    assert ask("/page", "HEAD").body == b""
    assert ask("/latin").named["x-name"] == "é"
    assert Handler.connections == 1


def test_what_is_sent(ask: Callable[..., Answer]) -> None:
    sent = (("X-Mine", "é"), ("Connection", "close"), ("Host", "other.example"), ("Accept-Encoding", "lzma"))
    head = ask("/headers", headers=sent).body.decode("utf-8", "replace")
    assert "Host: a.example" in head
    assert "User-Agent: pagesieve" in head
    assert "Accept-Encoding: gzip, deflate" in head
    assert "X-Mine" in head
    assert "Connection" not in head
    assert "user-agent: mine\n" in ask("/headers", headers=(("user-agent", "mine"),)).body.decode()


@pytest.mark.parametrize("header", [("X", "a\r\nY: b"), ("X\r\nY", "b"), ("X", "a\0b"), ("", "x"), ("é", "x")])
def test_headers_that_cannot_be_sent(ask: Callable[..., Answer], header: tuple[str, str]) -> None:
    try:
        body = ask("/headers", headers=(header,)).body
    except FetchError as error:
        body = str(error).encode()
    assert b"\nY: b" not in body


def test_threads_keep_their_connections(ask: Callable[..., Answer]) -> None:
    with ThreadPoolExecutor(16) as pool:
        hosts = [f"{number % 5}.example" for number in range(400)]
        answers = list(pool.map(lambda host: ask("/page", host=host), hosts))
    assert {answer.body for answer in answers} == {BODY}
    assert Handler.connections <= 16 * 5


def test_connections_that_nobody_uses_are_few(ask: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MAX_IDLE", 3)
    for number in range(10):
        ask("/page", host=f"{number}.example")
    assert Handler.connections == 10
    for number in (9, 8, 7):
        ask("/page", host=f"{number}.example")
    assert Handler.connections == 10  # these were kept
    ask("/page", host="0.example")
    assert Handler.connections == 11


def test_a_connection_that_the_server_closed_is_replaced(ask: Callable[..., Answer]) -> None:
    for _ in range(5):
        assert ask("/once").body == BODY


def test_each_request_has_its_own_deadline(port: int) -> None:
    """One deadline for all has passed when the second is asked; a deadline for each has not begun."""
    url = f"http://a.example:{port}/page"
    together, each = Exchanges(replace(LOCAL, timeout=0.0)), Exchanges(LOCAL, each=True)
    with pytest.raises(FetchError, match="no complete answer within 0 s"):
        together.ask("GET", url)
    assert each.ask("GET", url).body == BODY
    together.close()
    each.close()


def test_a_silent_server_costs_only_its_own_time(ask: Callable[..., Answer]) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        closing(Exchanges(replace(LOCAL, timeout=0.3), each=True)) as x,
    ):
        for _ in range(2):
            with pytest.raises(FetchError, match=r"no complete answer within 0\.3 s"):
                x.ask("GET", f"http://a.example:{silent.getsockname()[1]}/")
    assert ask("/page").body == BODY


def test_the_guard_holds_for_each_connection(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "is_public", lambda address: address == "127.0.0.1")
    answers = iter([["127.0.0.1"], ["127.0.0.2"]])
    rebinding = replace(LOCAL, allow_private=False, resolve=lambda host, port: next(answers))
    with closing(Exchanges(rebinding, each=True)) as exchanges:
        assert exchanges.ask("GET", f"http://a.example:{port}/page").body == BODY
        assert exchanges.ask("GET", f"http://a.example:{port}/once").body == BODY
        with pytest.raises(AddressRefused):
            exchanges.ask("GET", f"http://a.example:{port}/page")


def test_bodies_are_limited(port: int) -> None:
    exchanges = Exchanges(replace(LOCAL, max_bytes=59_999), each=True)
    with pytest.raises(FetchError, match="larger than 59,999 bytes"):
        exchanges.ask("GET", f"http://a.example:{port}/page")
    exchanges.close()


# HTTP/2


@pytest.fixture(scope="module")
def http2(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that speaks HTTP/2 alone, whose certificate is trusted."""
    folder: Path = tmp_path_factory.mktemp("tls")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=site.example"]
    command += ["-addext", "subjectAltName=DNS:site.example", "-keyout", str(key), "-out", str(certificate)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("openssl cannot make a certificate here")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with pytest.MonkeyPatch.context() as patch, http2_server.serving(context) as port:
        patch.setenv("SSL_CERT_FILE", str(certificate))
        http.ssl_context.cache_clear()
        yield f"https://site.example:{port}"
    http.ssl_context.cache_clear()


def test_http2(http2: str) -> None:
    assert fetch(f"{http2}/page", LOCAL).body == http2_server.PAGE
    with closing(Exchanges(LOCAL, each=True)) as exchanges, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: exchanges.ask("GET", f"{http2}/page"), range(100)))
    assert {answer.body for answer in answers} == {http2_server.PAGE}


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/endless", "larger than 50,000 bytes"),
        ("/reset", "the connection failed"),
        ("/status", "the connection failed"),
        ("/away", "the connection failed"),
        ("/large", "the connection failed"),
        ("/garbage", "the connection failed"),
        ("/unchanged", "answered 304"),
    ],
)
def test_http2_that_is_broken(http2: str, path: str, message: str) -> None:
    with pytest.raises(FetchError, match=message) as caught:
        fetch(http2 + path, replace(LOCAL, max_bytes=50_000))
    assert "\n" not in str(caught.value)


def test_a_body_that_may_not_be_is_not_read(http2: str) -> None:
    with closing(Exchanges(replace(LOCAL, max_bytes=100), each=True)) as exchanges:
        assert exchanges.ask("GET", f"{http2}/unchanged").body == b""
        assert exchanges.ask("GET", f"{http2}/page").body == http2_server.PAGE
