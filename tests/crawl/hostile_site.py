"""A server with sites that do all that a crawl may meet: what it answers depends on host and path."""

from __future__ import annotations

import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.sax.saxutils import escape

import brotli
import zstandard

from tests.crawl.driver import HANGS, KILLS
from tests.hostile_addresses import HOSTILE

HTML = "text/html; charset=utf-8"
GOOD = "good.example"
REBINDING = "rebinding.example"  # its name has another address when it is asked for again
WORDS = "harbour lantern meadow quarry violin copper orchard signal timber valley walnut zephyr candle drawer".split()


def article(title: str, head: str = "", body: str = "") -> bytes:
    """Return a page with an article of its own."""
    start = sum(title.encode())
    text = [
        f"<p>{' '.join(WORDS[(start * 7 + line * 3 + at * at) % len(WORDS)] for at in range(40)).capitalize()}, as"
        f" was said of {title} in paragraph {line}, and there was more to say than that.</p>"
        for line in range(6)
    ]
    whole = f"<!doctype html><title>{title}</title>{head}<body><article><h1>{title}</h1>{''.join(text)}</article>{body}"
    return whole.encode()


def catalogue(links: Iterable[tuple[str, str]], more: str = "") -> bytes:
    """Return a page that lists others."""
    items = "".join(
        f"<li><h3><a href='{escape(url)}'>{escape(title)}</a></h3><p>What the page has to say of it.</p></li>"
        for url, title in links
    )
    return f"<!doctype html><title>All stories</title><body><ul>{items}</ul>{more}".encode()


def sitemap(urls: Iterable[str], kind: str = "urlset") -> bytes:
    """Return a sitemap, or an index of sitemaps."""
    one = "url" if kind == "urlset" else "sitemap"
    listed = "".join(f"<{one}><loc>{escape(url)}</loc></{one}>" for url in urls)
    return (
        f'<?xml version="1.0"?><{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</{kind}>'.encode()
    )


def clean(url: str) -> str:
    """Return an address as it can stand in XML."""
    return "".join(c for c in url if c.isprintable() and not "\ud800" <= c <= "\udfff")


def _bomb(packer: Callable[[bytes], bytes]) -> bytes:
    return packer(bytes(30_000_000))


def _gzip(data: bytes) -> bytes:
    made = zlib.compressobj(9, wbits=31)
    return made.compress(data) + made.flush()


BOMBS = {
    "gzip": _bomb(_gzip),
    "br": _bomb(lambda data: brotli.compress(data, quality=3)),
    "zstd": _bomb(lambda data: zstandard.ZstdCompressor().compress(data)),
}
LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE u [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY a%d "%s">' % (i, (b"&a%d;" % (i - 1) if i else b"&a;") * 10) for i in range(12))
    + b'<!ENTITY f SYSTEM "file:///etc/passwd">]><urlset><url><loc>http://good.example/&a11;&f;</loc></url></urlset>'
)
REDIRECTS = {
    "mailto": "mailto:x",
    "javascript": "javascript:1",
    "idna": "http://xn--/",
    "bracket": "http://[",
    "port-wrong": "http://good.example:99999/",
    "private": "http://127.0.0.1:6379/secret",
    "metadata": "http://169.254.169.254/latest/meta-data/",
    "loop": "/loop",
    "unicode-redirect": "/汉字/ünïcode",
    "file": "file:///etc/passwd",
}
ROBOTS = {
    "forbid.example": b"User-agent: *\nDisallow: /\n",
    "marked.example": b"\xef\xbb\xbfUser-agent: *\nDisallow: /\n",
    "binary.example": bytes(range(256)) * 8,
    "huge.example": b"User-agent: *\nDisallow: /no\n" + b"# nothing\n" * 60_000,
    "endless.example": b"#" * 3_000_000,
    "agents.example": b"".join(b"User-agent: a%d\n" % i for i in range(20_000)) + b"Disallow: /\n" * 5000,
    "patterns.example": b"User-agent: *\nDisallow: /" + b"a*" * 60 + b"b$\n",
}
NAMES = [
    GOOD, *ROBOTS, "silent.example", "failing.example", "moving.example", "inward.example", "xn--bcher-kva.example",
    "feeds.example",
]  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    """Answers by the host and the path."""

    protocol_version = "HTTP/1.1"
    asked: Counter[str]

    def do_GET(self) -> None:
        host = self.headers["Host"].partition(":")[0]
        path, _, query = self.path.partition("?")
        self.asked[f"{host}{self.path}"] += 1
        if path == "/robots.txt":
            self.robots(host)
            return
        name, _, number = path.strip("/").partition("~")
        found = getattr(self, f"get_{name.replace('-', '_').replace('.', '_')}", None)
        if found is not None:
            found(int(number or 0), query)
        elif name in REDIRECTS:
            self.answer(b"", 302, Location=REDIRECTS[name].encode().decode("latin-1"))
        elif name in ("bomb-gzip", "bomb-br", "bomb-zstd"):
            coding = name.partition("-")[2]
            self.answer(BOMBS[coding], Content_Encoding=coding)
        else:
            self.answer(article(f"Story of {host}{path}"))

    def log_message(self, format: str, *args: object) -> None:
        pass

    def answer(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for key, value in {"Content_Type": HTML, "Content_Length": str(len(body)), **headers}.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def robots(self, host: str) -> None:
        if host == "silent.example":
            self.wait()
        elif host == "failing.example":
            self.answer(b"", 500)
        elif host == "moving.example":
            self.answer(b"", 301, Location="http://forbid.example/robots.txt")
        elif host == "inward.example":
            self.answer(b"", 301, Location="http://127.0.0.1/robots.txt")
        elif host in ROBOTS:
            self.answer(ROBOTS[host], Content_Type="text/plain")
        elif host == REBINDING:
            self.answer(b"", 404, Connection="close")
            self.close_connection = True
        else:
            self.answer(b"", 404)

    def wait(self) -> None:
        """Say nothing until the other side gives up."""
        self.connection.settimeout(120)
        with suppress(OSError):
            self.connection.recv(1)
        self.close_connection = True

    # Bodies

    def get_huge(self, number: int, query: str) -> None:
        self.answer(b"x" * 5_000_000)

    def get_endless(self, number: int, query: str) -> None:
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        while True:
            self.wfile.write(b"<p>word " * 4096)

    def get_drip(self, number: int, query: str) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        for _ in range(100_000):
            self.wfile.write(b"x")
            self.wfile.flush()
            time.sleep(0.2)

    def get_silence(self, number: int, query: str) -> None:
        self.wait()

    def get_short(self, number: int, query: str) -> None:
        self.answer(b"<p>cut", Content_Length="1000")
        self.close_connection = True

    def get_chunks(self, number: int, query: str) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"5\r\n<p>ab\r\nzz\r\nnonsense\r\n")
        self.close_connection = True

    def get_garbage(self, number: int, query: str) -> None:
        self.wfile.write(b"this is not HTTP\r\n\r\n")
        self.close_connection = True

    def get_liar(self, number: int, query: str) -> None:
        self.answer(b"<p>not packed", Content_Encoding="gzip")

    def get_empty(self, number: int, query: str) -> None:
        self.answer(b" \n ")

    def get_document(self, number: int, query: str) -> None:
        self.answer(b"%PDF-1.7 " + b"x" * 100, Content_Type="application/pdf")

    # Statuses

    def get_lost(self, number: int, query: str) -> None:
        self.answer(b"", 302)

    def get_error(self, number: int, query: str) -> None:
        self.answer(b"<p>no", 500)

    def get_gone(self, number: int, query: str) -> None:
        self.answer(b"<p>no", 410)

    def get_busy(self, number: int, query: str) -> None:
        if self.asked[f"{GOOD}{self.path}"] == 1:
            self.answer(b"", 429, Retry_After="1")
        else:
            self.answer(article("Busy at first"))

    def get_later(self, number: int, query: str) -> None:
        self.answer(b"", 429, Retry_After="86400")

    # Pages

    def get_kills(self, number: int, query: str) -> None:
        self.answer(article("Page that kills") + KILLS)

    def get_hangs(self, number: int, query: str) -> None:
        self.answer(article("Page that hangs") + HANGS)

    def get_moved(self, number: int, query: str) -> None:
        self.answer(b"<meta http-equiv='Refresh' content=\"0; URL='/moved-here'\"><p>This page has moved.")

    def get_onward(self, number: int, query: str) -> None:
        self.answer(b"<meta http-equiv=refresh content='0;url=/onward~%d'><p>On." % (number + 1))

    def get_mine(self, number: int, query: str) -> None:
        """One of many pages that all call one address their own, although they differ."""
        self.answer(article(f"Page number {number} of many", "<link rel=canonical href=/mine~0>"))

    def get_variant(self, number: int, query: str) -> None:
        self.answer(article("One page of many addresses", "<link rel=canonical href=/variant>"))

    def get_changing(self, number: int, query: str) -> None:
        count = self.asked[f"{GOOD}{self.path}"]
        self.answer(article(f"Something else each time, time {count}"))

    def get_odd(self, number: int, query: str) -> None:
        """A list of links that lead nowhere, and one that does."""
        odd = [
            "mailto:a@b", "tel:1", "data:text/html,x", "javascript:void(0)", "ftp://good.example/x", "http://",
            "http://[", "http://good.example:x/", "about:blank", "#", "//", "http://a b/", "\\\\x", "/" + "x" * 3000,
        ]  # fmt: skip
        titles = ((url, f"Odd link number {at} of the list") for at, url in enumerate([*odd, "/odd-but-good"]))
        self.answer(catalogue(titles))

    def get_trap(self, number: int, query: str) -> None:
        """A list that never ends."""
        links = ((f"/caught-{number}-{at}", f"Caught on page {number} as number {at} of them") for at in range(8))
        self.answer(catalogue(links, f"<a rel=next href='/trap~{number + 1}'>next</a>"))

    # Feeds and sitemaps

    def xml(self, body: bytes) -> None:
        self.answer(body, Content_Type="application/xml")

    def get_all_xml(self, number: int, query: str) -> None:
        self.xml(sitemap(paths()))

    def get_circle_xml(self, number: int, query: str) -> None:
        names = ["circle.xml", "circle.xml", "deeper.xml~0", "laughs.xml", "cut.xml", "nothing.xml", "bomb.xml"]
        self.xml(sitemap([f"http://{GOOD}/{name}" for name in names], "sitemapindex"))

    def get_deeper_xml(self, number: int, query: str) -> None:
        self.xml(sitemap([f"http://{GOOD}/deeper.xml~{number + 1}"], "sitemapindex"))

    def get_laughs_xml(self, number: int, query: str) -> None:
        self.xml(LAUGHS)

    def get_cut_xml(self, number: int, query: str) -> None:
        self.xml(sitemap([f"http://{GOOD}/from-cut-sitemap", f"http://{GOOD}/lost"])[:-60])

    def get_nothing_xml(self, number: int, query: str) -> None:
        self.answer(b"<!doctype html><p>Not here")

    def get_bomb_xml(self, number: int, query: str) -> None:
        self.answer(BOMBS["gzip"], Content_Type="application/gzip")

    def get_hostile_xml(self, number: int, query: str) -> None:
        self.xml(sitemap([clean(url) for url in HOSTILE]))

    def get_feed_xml(self, number: int, query: str) -> None:
        items = "".join(f"<item><title>T</title><link>{escape(clean(url))}from-feed</link></item>" for url in HOSTILE)
        self.xml(f"<?xml version='1.0'?><rss version='2.0'><channel><title>F</title>{items}</channel></rss>".encode())

    def get_round_xml(self, number: int, query: str) -> None:
        """A feed whose next page is the page before."""
        other = "round.xml~1" if number == 0 else "round.xml~0"
        entry = f"<entry><title>Round</title><link href='http://{GOOD}/from-round-feed-{number}'/></entry>"
        self.xml(
            f"<feed xmlns='http://www.w3.org/2005/Atom'><title>F</title><link rel='next' href='/{other}'/>{entry}"
            "</feed>".encode()
        )


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing when a client hangs up."""


@contextmanager
def serving() -> Iterator[_Server]:
    """The server, for as long as it is wanted."""
    Handler.asked = Counter()
    server = _Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True, kwargs={"poll_interval": 0.05}).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def paths() -> list[str]:
    """Return the addresses of all that is not named by something else."""
    names = [
        *REDIRECTS, "bomb-gzip", "bomb-br", "bomb-zstd", "huge", "endless", "drip", "silence", "short", "chunks",
        "garbage", "liar", "empty", "document", "lost", "error", "gone", "busy", "later", "kills", "hangs", "moved",
        "onward~0", "changing", "odd", "variant?x=1", "variant?x=2", "variant?x=3",
        *(f"mine~{number}" for number in range(1, 5)), *(f"plain-{number}" for number in range(10)),
    ]  # fmt: skip
    hosts = (name for name in NAMES if name != GOOD)
    other = [f"http://{GOOD}:8080/with-port", "http://bücher.example/ein-buch", f"http://{REBINDING}/page"]
    return [*(f"http://{GOOD}/{name}" for name in names), *(f"http://{host}/page-of-it" for host in hosts), *other]
