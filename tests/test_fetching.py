"""Fetching from a real server on this machine, and the guard that keeps it from being reached."""

import gzip
import socket
import ssl
import subprocess
import sys
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from pagesieve.errors import AddressRefused, FetchError
from pagesieve.fetching import guard, http
from pagesieve.fetching.guard import Guard, is_public
from pagesieve.fetching.http import Fetched, FetchOptions, fetch

PAGE = b"<p>a page</p>"


def zeros(megabytes: int) -> bytes:
    """Zeros in gzip, packed without ever holding them all."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(packer.compress(bytes(1 << 20)) for _ in range(megabytes)) + packer.flush()


BOMB = zeros(100)
BOMBS: dict[str, Callable[[], bytes]] = {
    "gzip": lambda: BOMB,
    "br": lambda: brotli.compress(bytes(100 << 20), quality=1),
    "zstd": lambda: zstandard.compress(bytes(100 << 20)),
}
BUSY: list[tuple[int, dict[str, str]]] = []  # answers before the page
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
RAW = {
    "nochunk": CHUNKED + b"this is no length\r\n",
    "cutchunk": CHUNKED + b"ffff\r\nshort",
    "longchunk": CHUNKED + b"5\r\ntoo long for that\r\n0\r\n\r\n",
    "hugechunk": CHUNKED + b"f" * 400 + b"\r\n",
    "lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde",
    "nolength": b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nabc",
    "minus": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc",
    "nothing": b"",
    "status": b"HTTP/1.1 9999 Odd\r\n\r\n",
    "header": b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
    "headers": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000 + b"\r\n",
    "zeros": b"HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n",
    "switch": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nabc",
    "http2": b"\0\0\0\4\0\0\0\0\0",
}
LOCATIONS = [
    *(b"mailto:x", b"javascript:1", b"tel:1", b"data:text/html,x", b"about:blank", b"urn:a:b", b"http:x", b"blob:x"),
    *(
        b"http://xn--/",
        b"https://xn--/",
        b"http://xn--a/",
        b"http://xn--\xc3\xa9/",
        b"http://\xc2\xad/",
        b"http://[v1.x]/",
    ),
    *(
        b"http://[::1",
        b"http://a b/",
        b"http://%00/",
        b"http://a:b@c:d/",
        b"http://a:-1/",
        b"http://a:0/",
        b"//[",
        b"::",
    ),
    *(b"http://\xff\xfe/", b"\x01", b"http://.", b"http://a..b/", b"http://%s/" % (b"a" * 300), b"x" * 70_000),
]
LOCAL = FetchOptions(allow_private=True, timeout=5, retries=0)


class Handler(BaseHTTPRequestHandler):
    """Answers by the path; each method named after one writes the whole answer."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        name = self.path.split("?")[0].strip("/").split("/")[0]
        getattr(self, f"get_{name or 'page'}")()

    def log_message(self, format: str, *args: object) -> None:
        pass

    def answer(self, body: bytes = PAGE, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for key, value in {"Content_Length": str(len(body)), **headers}.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def get_page(self) -> None:
        self.answer(Content_Type="text/html; charset=utf-8")

    def get_echo(self) -> None:
        self.answer(str(self.headers).encode())

    def get_to(self) -> None:
        """Redirect to whatever stands after the question mark."""
        self.answer(b"moved", 302, Location=self.path.partition("?")[2])

    def get_loop(self) -> None:
        self.answer(b"", 301, Location="/loop")

    def get_bigmove(self) -> None:
        self.answer(b"x" * 1_000_000, 301, Location="/page")

    def get_lost(self) -> None:
        self.answer(b"", 302)

    def get_missing(self) -> None:
        self.answer(b"not here", 404, Content_Type="text/html")

    def get_type(self) -> None:
        """Answer with the type after the question mark, or none."""
        kind = self.path.partition("?")[2]
        if kind:
            self.answer(Content_Type=kind)
        else:
            self.answer()

    def get_large(self) -> None:
        self.answer(b"x" * 100_000)

    def get_endless(self) -> None:
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"x" * 65536)
        except OSError:
            self.close_connection = True

    def get_gzip(self) -> None:
        self.answer(gzip.compress(PAGE), Content_Encoding="gzip")

    def get_deflate(self) -> None:
        self.answer(zlib.compress(PAGE), Content_Encoding="deflate")

    def get_rawdeflate(self) -> None:
        packer = zlib.compressobj(wbits=-15)
        self.answer(packer.compress(PAGE) + packer.flush(), Content_Encoding="deflate")

    def get_bomb(self) -> None:
        """Zeros in the coding after the question mark."""
        coding = self.path.partition("?")[2]
        self.answer(BOMBS[coding](), Content_Encoding=coding)

    def get_cut(self) -> None:
        self.answer(gzip.compress(PAGE)[:-5], Content_Encoding="gzip")

    def get_liar(self) -> None:
        self.answer(PAGE, Content_Encoding=self.path.partition("?")[2])

    def get_brotli(self) -> None:
        self.answer(brotli.compress(PAGE), Content_Encoding="br")

    def get_zstd(self) -> None:
        self.answer(zstandard.compress(PAGE), Content_Encoding="zstd")

    def get_lzma(self) -> None:
        self.answer(PAGE, Content_Encoding="lzma")

    def get_twice(self) -> None:
        self.answer(gzip.compress(gzip.compress(PAGE)), Content_Encoding="gzip, gzip")

    def get_short(self) -> None:
        self.answer(PAGE, Content_Length="1000")
        self.close_connection = True

    def get_drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        try:
            for _ in range(600):
                self.wfile.write(b"x")
                time.sleep(0.1)
        except OSError:
            self.close_connection = True

    def get_headdrip(self) -> None:
        try:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            for i in range(600):
                self.wfile.write(b"X-%d: y\r\n" % i)
                time.sleep(0.1)
        except OSError:
            self.close_connection = True

    def get_raw(self) -> None:
        """Send the answer of that name as it is."""
        self.wfile.write(RAW[self.path.partition("?")[2]])
        self.close_connection = True

    def get_location(self) -> None:
        """Redirect to one of LOCATIONS, as its bytes are."""
        location = LOCATIONS[int(self.path.partition("?")[2])]
        self.wfile.write(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: %s\r\n\r\n" % location)

    def get_busy(self) -> None:
        """Answer by the next of BUSY, and with a page when there are no more."""
        if BUSY:
            status, headers = BUSY.pop(0)
            self.answer(b"not now", status, **headers)
        else:
            self.answer()

    def get_garbage(self) -> None:
        self.wfile.write(b"this is not HTTP\r\n\r\n")
        self.close_connection = True


class Server(ThreadingHTTPServer):
    """Says nothing when a client hangs up, as most tests here make it do."""

    def handle_error(self, request: object, client_address: object) -> None:
        pass


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    """The URL of a server of our own."""
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def resolver(hosts: Mapping[str, Sequence[str]]) -> Callable[[str, int], Sequence[str]]:
    """A resolver that knows these hosts only."""

    def resolve(host: str, port: int) -> Sequence[str]:
        if host not in hosts:
            raise OSError("unknown host")
        return hosts[host]

    return resolve


@pytest.fixture
def public_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server's own address, and no other local one, pass for public."""
    monkeypatch.setattr(guard, "is_public", lambda address: address == "127.0.0.1" or is_public(address))


def test_a_page(base: str) -> None:
    assert fetch(f"{base}/page", LOCAL) == Fetched(PAGE, f"{base}/page", "text/html; charset=utf-8", 200)


def test_what_is_sent(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9/")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9/")
    head = fetch(f"{base}/echo", LOCAL).body.decode()
    assert f"Host: {base.removeprefix('http://')}" in head
    assert "User-Agent: pagesieve" in head
    assert "Accept-Encoding: gzip, deflate, br, zstd" in head


def test_credentials_are_sent_and_not_shown(base: str) -> None:
    with_password = base.replace("//", "//user:secret@")
    fetched = fetch(f"{with_password}/echo", LOCAL)
    assert b"Authorization: Basic" in fetched.body
    assert fetched.url == f"{base}/echo"
    with pytest.raises(FetchError) as caught:
        fetch(f"{with_password}/missing", LOCAL)
    assert "secret" not in str(caught.value)


OTHER = "user:hunter2@{}/?token=sesame"
SECRETIVE = [
    *(
        f"{{base}}/{name}?token=sesame"
        for name in "loop lost missing large endless cut lzma short garbage drip".split()
    ),
    *(f"{{base}}/to?{scheme}://{OTHER}" for scheme in ("ftp", "http", "https")),
    *(f"{scheme}://{OTHER}" for scheme in ("ftp", "http", "https", "file")),
    "http://user:hunter2/sesame@{}/",
    "http://user:hunter2@ {}/?token= sesame",
]


@pytest.mark.parametrize("host", ["127.0.0.1:1", "[::1", "a:99999", "a b", "", "a:0", "xn--", "%", "no.example"])
@pytest.mark.parametrize("url", SECRETIVE)
def test_no_message_shows_a_secret(base: str, caplog: pytest.LogCaptureFixture, url: str, host: str) -> None:
    caplog.set_level("INFO")
    url = url.format(host, base=base.replace("//", "//user:hunter2@"))
    options = replace(LOCAL, max_bytes=50_000, timeout=0.5, resolve=resolver({"127.0.0.1": ["127.0.0.1"]}))
    with pytest.raises(FetchError) as caught:
        fetch(url, options)
    said = f"{caught.value} {caplog.text}"
    assert not any(secret in said for secret in ("hunter2", "sesame"))


def test_redirects_are_followed(base: str) -> None:
    for path in ("/to?/page", f"/to?/to?{base}/page", "/bigmove"):
        assert fetch(base + path, replace(LOCAL, max_bytes=1000)).url == f"{base}/page"


@pytest.mark.parametrize("path", ["gzip", "deflate", "rawdeflate", "brotli", "zstd"])
def test_compressed_bodies(base: str, path: str) -> None:
    assert fetch(f"{base}/{path}", LOCAL).body == PAGE


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/loop", "more than 10 redirects"),
        ("/lost", "answered 302"),
        ("/missing", "answered 404 Not Found"),
        ("/large", "larger than 50,000 bytes"),
        ("/endless", "larger than 50,000 bytes"),
        ("/cut", "its gzip body ends early"),
        ("/liar?gzip", "not gzip, as it claims"),
        ("/liar?br", "not br, as it claims"),
        ("/liar?zstd", "not zstd, as it claims"),
        ("/lzma", "an encoding that was not requested: lzma"),
        ("/twice", "an encoding that was not requested: gzip, gzip"),
        ("/short", "the connection failed"),
        ("/garbage", "the connection failed"),
        ("/type?image/png", "not a page but image/png"),
        ("/type?application/pdf", "not a page but application/pdf"),
        ("/type?application/json;charset=utf-8", "not a page but application/json"),
        ("/to?ftp://example.com/", "not an http or https URL"),
        ("/to?file:///etc/passwd", "not an http or https URL"),
        ("/to?http://[::1/", "it redirects to something that is not a URL"),
        *((f"/raw?{name}", "the connection failed|answered 101") for name in RAW),
        ("/to?http://a:99999/", "not a URL"),
    ],
)
def test_what_cannot_be_had(base: str, path: str, message: str) -> None:
    with pytest.raises(FetchError, match=message) as caught:
        fetch(base + path, replace(LOCAL, max_bytes=50_000))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "kind", ["", "text/html", "TEXT/HTML", "application/xhtml+xml", "text/plain", "text/xml", "html"]
)
def test_types_that_may_be_pages(base: str, kind: str) -> None:
    assert fetch(f"{base}/type?{kind}", LOCAL).content_type == (kind or None)


@pytest.mark.parametrize("path", ["drip", "headdrip"])
def test_a_slow_drip_does_not_outlast_the_limit(base: str, path: str) -> None:
    start = time.monotonic()
    with pytest.raises(FetchError, match=r"no complete answer within 0\.5 s"):
        fetch(f"{base}/{path}", replace(LOCAL, timeout=0.5))
    assert time.monotonic() - start < 50  # of the sixty that the server takes


def test_a_slow_resolver_does_not_outlast_the_limit() -> None:
    asked, answer = threading.Event(), threading.Event()

    def slow(host: str, port: int) -> list[str]:
        asked.set()
        answer.wait(60)
        return ["127.0.0.1"]

    with pytest.raises(FetchError, match="resolver did not answer in time"):
        fetch("http://example.com/", replace(LOCAL, timeout=0.2, resolve=slow))
    assert asked.is_set()
    assert not answer.is_set()  # and nobody has waited for it
    answer.set()


@pytest.mark.parametrize("coding", BOMBS)
def test_a_bomb_does_not_fill_the_memory(base: str, monkeypatch: pytest.MonkeyPatch, coding: str) -> None:
    bomb = BOMBS[coding]()
    assert len(bomb) < 1_000_000
    monkeypatch.setitem(BOMBS, coding, lambda: bomb)
    tracemalloc.start()
    with pytest.raises(FetchError, match="larger than 1,000,000 bytes when unpacked"):
        fetch(f"{base}/bomb?{coding}", replace(LOCAL, max_bytes=1_000_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


@pytest.mark.parametrize("number", range(len(LOCATIONS)), ids=lambda number: ascii(LOCATIONS[number][:30]))
def test_redirects_to_what_is_no_page(base: str, number: int) -> None:
    with pytest.raises(FetchError) as caught:
        fetch(f"{base}/location?{number}", replace(LOCAL, resolve=resolver({"127.0.0.1": ["127.0.0.1"]})))
    assert "\n" not in str(caught.value)
    assert not caught.value.is_temporary


@given(st.binary(max_size=60))
def test_whatever_a_server_sends_is_an_error_of_ours(base: str, sent: bytes) -> None:
    RAW["any"] = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: %s\r\n\r\n" % sent
    RAW["head"] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n%s\r\n\r\n" % sent
    RAW["all"] = sent
    options = replace(LOCAL, resolve=resolver({"127.0.0.1": ["127.0.0.1"]}), max_redirects=1)
    for name in ("any", "head", "all"):
        with suppress(FetchError):
            fetch(f"{base}/raw?{name}", options)


# Asking again


@pytest.fixture
def waits() -> Iterator[list[float]]:
    """The seconds that were waited between attempts, without waiting."""
    yield []
    BUSY.clear()


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_a_server_that_is_busy_is_asked_again(base: str, waits: list[float], status: int) -> None:
    BUSY.extend([(status, {}), (status, {})])
    assert fetch(f"{base}/busy", replace(LOCAL, retries=2, wait=waits.append)).body == PAGE
    assert 0.25 <= waits[0] <= 0.5 <= waits[1] <= 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 501])
def test_a_server_that_refuses_is_not_asked_again(base: str, waits: list[float], status: int) -> None:
    BUSY.append((status, {"Retry_After": "1"}))
    with pytest.raises(FetchError, match=f"answered {status}") as caught:
        fetch(f"{base}/busy", replace(LOCAL, retries=2, wait=waits.append))
    assert caught.value.status == status
    assert waits == []


def test_retry_after_is_waited_for(base: str, waits: list[float]) -> None:
    BUSY.append((429, {"Retry_After": "7"}))
    assert fetch(f"{base}/busy", replace(LOCAL, retries=1, wait=waits.append)).body == PAGE
    assert waits == [7]


def test_retry_after_beyond_the_limit(base: str, waits: list[float]) -> None:
    BUSY.append((429, {"Retry_After": "3600"}))
    with pytest.raises(FetchError, match="answered 429 Too Many Requests, and asks to wait 3,600 s; 60 s is the most"):
        fetch(f"{base}/busy", replace(LOCAL, retries=2, wait=waits.append))
    assert waits == []


def test_a_server_that_stays_busy(base: str, waits: list[float]) -> None:
    BUSY.extend([(503, {})] * 3)
    with pytest.raises(FetchError, match=r"answered 503 Service Unavailable$"):
        fetch(f"{base}/busy", replace(LOCAL, retries=2, wait=waits.append))
    assert len(waits) == 2


def test_a_connection_that_fails_is_tried_again(base: str, waits: list[float]) -> None:
    with pytest.raises(FetchError, match="disconnected without sending"):
        fetch(f"{base}/raw?nothing", replace(LOCAL, retries=2, wait=waits.append))
    assert len(waits) == 2


@pytest.mark.parametrize("url", ["http://a b/", "ftp://a/", "http://a.example/"])
def test_what_stays_as_it_is_is_not_tried_again(waits: list[float], url: str) -> None:
    options = FetchOptions(retries=2, wait=waits.append, resolve=resolver({"a.example": ["127.0.0.1"]}))
    with pytest.raises(FetchError):
        fetch(url, options)
    assert waits == []


def test_nobody_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(FetchError, match=r"no connection \(Connection refused\)"):
        fetch(f"http://127.0.0.1:{port}/", LOCAL)


def test_the_next_address_is_tried(base: str) -> None:
    port = base.rpartition(":")[2]
    options = replace(LOCAL, resolve=resolver({"site.example": ["127.0.0.2", "127.0.0.1"]}))
    assert fetch(f"http://site.example:{port}/page", options).body == PAGE


def test_a_host_without_address() -> None:
    with pytest.raises(FetchError, match=r"no-such-host\.invalid: no address found"):
        fetch("http://no-such-host.invalid/", replace(LOCAL, resolve=resolver({})))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "//example.com/",
        "http://",
        "http:///path",
        "http://a b/",
        "http://[::1/",
        "http://a:99999/",
        "http://a:b/",
        "http://%31/",
        "http://ex\ud800.com/",
        "http://a\nb/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,x",
    ],
)
def test_bad_urls(url: str) -> None:
    with pytest.raises(FetchError, match=r"not a URL|not an http or https URL") as caught:
        fetch(url, replace(LOCAL, resolve=resolver({})))
    assert "\n" not in str(caught.value)


@given(st.text())
def test_any_text_as_a_url_is_an_error_of_ours(text: str) -> None:
    options = replace(LOCAL, resolve=resolver({}))
    for url in (text, f"http://{text}", f"http://a.example/{text}"):
        with pytest.raises(FetchError):
            fetch(url, options)


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("bücher.example", "xn--bcher-kva.example"),
        ("例え.example", "xn--r8jz45g.example"),
        ("UPPER.example", "upper.example"),
    ],
)
def test_international_hosts(base: str, host: str, name: str) -> None:
    port = base.rpartition(":")[2]
    fetched = fetch(f"http://{host}:{port}/echo", replace(LOCAL, resolve=resolver({name: ["127.0.0.1"]})))
    assert f"Host: {name}:{port}".encode() in fetched.body


PRIVATE = [
    *("127.0.0.1", "127.8.8.8", "0.0.0.0", "0.1.2.3", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1"),
    *("169.254.169.254", "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.1", "192.0.0.170"),
    *("192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "192.88.99.1"),
    *("224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:0:8.8.8.8"),
    *("64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::808:808", "100::1"),
    *("2001::1", "2001:0:808:808::1", "2001:db8::1", "2002:7f00:1::1", "2002:808:808::1", "3fff::1"),
    *("fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%1", "fec0::1", "ff02::1", "4000::1"),
]
PUBLIC = [
    *("8.8.8.8", "1.1.1.1", "93.184.216.34", "172.32.0.1", "100.63.255.255", "100.128.0.1", "11.0.0.1"),
    *("2606:4700:4700::1111", "2001:4860:4860::8888", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::808:808"),
]


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)
    with pytest.raises(AddressRefused, match="--allow-private"):
        Guard(resolve=resolver({"a.example": [address]})).addresses("a.example", 80)
    assert Guard(True, resolver({"a.example": [address]})).addresses("a.example", 80) == [address]


@pytest.mark.parametrize("address", PUBLIC)
def test_addresses_that_are_public(address: str) -> None:
    assert is_public(address)


def test_only_the_public_addresses_of_a_host_are_given() -> None:
    mixed = resolver({"a.example": ["10.0.0.1", "8.8.8.8", "::1"]})
    assert Guard(resolve=mixed).addresses("a.example", 80) == ["8.8.8.8"]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "0", "[::1]", "[::ffff:127.0.0.1]"]
)
def test_this_machine_is_refused_however_it_is_written(base: str, host: str) -> None:
    port = base.rpartition(":")[2]
    with pytest.raises(AddressRefused):
        fetch(f"http://{host}:{port}/page")


@pytest.mark.usefixtures("public_server")
def test_a_redirect_to_a_private_address_is_refused(base: str) -> None:
    port = base.rpartition(":")[2]
    hosts = {"127.0.0.1": ["127.0.0.1"], "inside.example": ["127.0.0.2"], "site.example": ["127.0.0.1"]}
    options = FetchOptions(resolve=resolver(hosts))
    assert fetch(f"{base}/to?http://site.example:{port}/page", options).body == PAGE
    with pytest.raises(AddressRefused, match=r"inside.example: its address 127\.0\.0\.2"):
        fetch(f"{base}/to?http://inside.example:{port}/page", options)


@pytest.mark.usefixtures("public_server")
def test_a_name_that_changes_its_address_gains_nothing(base: str) -> None:
    port = base.rpartition(":")[2]
    answers = [["127.0.0.1"], ["127.0.0.2"], ["127.0.0.2"]]
    asked = []

    def rebinding(host: str, port: int) -> list[str]:
        asked.append(host)
        return answers[len(asked) - 1]

    options = FetchOptions(resolve=rebinding)
    assert fetch(f"http://site.example:{port}/page", options).body == PAGE
    assert len(asked) == 1  # what was checked is what was connected to
    with pytest.raises(AddressRefused):
        fetch(f"http://site.example:{port}/page", options)


def test_tls_to_a_server_without_it(base: str) -> None:
    with pytest.raises(FetchError, match="TLS failed"):
        fetch(base.replace("http:", "https:") + "/page", LOCAL)


@pytest.fixture
def tls_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A TLS server for site.example, whose certificate is trusted for the length of a test."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=site.example"]
    command += ["-addext", "subjectAltName=DNS:site.example", "-keyout", str(key), "-out", str(certificate)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("openssl cannot make a certificate here")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = Server(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    http.ssl_context.cache_clear()
    yield server.server_port
    http.ssl_context.cache_clear()
    server.shutdown()
    server.server_close()


def test_tls_checks_the_name_and_not_the_address(tls_port: int) -> None:
    options = replace(LOCAL, resolve=resolver({"site.example": ["127.0.0.1"], "other.example": ["127.0.0.1"]}))
    assert fetch(f"https://site.example:{tls_port}/page", options).body == PAGE
    with pytest.raises(FetchError, match="its TLS certificate is not valid"):
        fetch(f"https://other.example:{tls_port}/page", options)


def test_the_guard_does_not_import_httpx() -> None:
    code = "import sys, pagesieve.fetching.guard; assert not {'httpx', 'httpcore'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
