"""The cache on disk: what it saves, what it must not hold, and what happens when it is damaged."""

import gzip
import logging
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pagesieve.errors import AddressRefused, BadInput, FetchError
from pagesieve.fetching.cache import FILES
from pagesieve.fetching.http import FetchOptions, fetch

PAGE = b"<p>a page</p>" * 100


class Handler(BaseHTTPRequestHandler):
    """Answers by the path, and keeps the requests that it had."""

    protocol_version = "HTTP/1.1"
    asked: list[tuple[str, str | None]]  # paths and conditions

    def do_GET(self) -> None:
        condition = self.headers["If-None-Match"]
        self.asked.append((self.path, condition))
        if condition == '"1"' and self.path != "/changed":
            self.answer(b"", 304, ETag='"1"')
        elif self.path == "/fresh":
            self.answer(PAGE, Cache_Control="max-age=1000")
        elif self.path == "/packed":
            self.answer(gzip.compress(PAGE), Cache_Control="max-age=1000", Content_Encoding="gzip")
        elif self.path == "/odd":
            self.answer(PAGE, Cache_Control="max-age=many, =, ;;", Expires="never", Age="x", Date="x", Vary=",")
        elif self.path == "/secret":
            self.answer(PAGE, Cache_Control="no-store")
        elif self.path == "/busy":
            self.answer(b"", 503)
        else:
            self.answer(PAGE, ETag='"1"')

    def answer(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response_only(status)
        for name, value in {"Content_Length": str(len(body)), "Content_Type": "text/html", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def options(tmp_path: Path) -> FetchOptions:
    Handler.asked = []
    return FetchOptions(allow_private=True, retries=0, cache=tmp_path / "cache")


def stored(options: FetchOptions) -> bytes:
    """All that the cache holds."""
    assert options.cache is not None
    return b"".join(path.read_bytes() for path in options.cache.iterdir())


@pytest.mark.parametrize(
    ("path", "conditions"),
    [
        ("/fresh", [None]),
        ("/packed", [None]),
        ("/tagged", [None, '"1"', '"1"']),
        ("/changed", [None, '"1"', '"1"']),
        ("/secret", [None, None, None]),
        ("/odd", [None, None, None]),
    ],
)
def test_what_is_asked_for_again(base: str, options: FetchOptions, path: str, conditions: list[str | None]) -> None:
    found = [fetch(base + path, options) for _ in range(3)]
    assert {(page.body, page.url, page.content_type, page.status) for page in found} == {
        (PAGE, base + path, "text/html", 200)
    }
    assert Handler.asked == [(path, condition) for condition in conditions]


def test_no_cache_without_a_folder(base: str, options: FetchOptions) -> None:
    for _ in range(2):
        fetch(f"{base}/fresh", replace(options, cache=None))
    assert len(Handler.asked) == 2


def test_failures_are_not_kept(base: str, options: FetchOptions) -> None:
    for _ in range(2):
        with pytest.raises(FetchError, match="503"):
            fetch(f"{base}/busy", options)
    assert len(Handler.asked) == 2


def test_passwords_are_not_written_down(base: str, options: FetchOptions) -> None:
    for _ in range(2):
        fetch(base.replace("//", "//user:secret@") + "/fresh", options)
    assert len(Handler.asked) == 2
    assert b"secret" not in stored(options)
    assert PAGE not in stored(options)


def test_pages_of_private_addresses_are_for_those_who_may_fetch_them(base: str, options: FetchOptions) -> None:
    assert fetch(f"{base}/fresh", options).body == PAGE
    with pytest.raises(AddressRefused):
        fetch(f"{base}/fresh", replace(options, allow_private=False))


def test_limits_hold_for_what_is_stored(base: str, options: FetchOptions) -> None:
    small = replace(options, max_bytes=len(PAGE) - 1)
    with pytest.raises(FetchError, match="larger than"):
        fetch(f"{base}/fresh", small)
    assert PAGE[:50] not in stored(options)
    assert fetch(f"{base}/fresh", options).body == PAGE
    assert PAGE[:50] in stored(options)
    for path in ("fresh", "packed"):
        fetch(f"{base}/{path}", options)
        with pytest.raises(FetchError, match="larger than"):
            fetch(f"{base}/{path}", small)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE streams SET chunk_data = x'1f8b0800'",
        "UPDATE streams SET chunk_data = 'text'",
        "UPDATE entries SET data = x'00'",
        "UPDATE entries SET chunk_count = 5",
        "UPDATE entries SET chunk_count = NULL",
        "DELETE FROM streams",
        "DROP TABLE streams",
        "DROP TABLE entries",
        "ALTER TABLE entries ADD COLUMN more TEXT",
    ],
)
@pytest.mark.parametrize("path", ["/packed", "/tagged"])
def test_a_damaged_copy_is_fetched_anew(
    base: str, options: FetchOptions, path: str, damage: str, capfd: pytest.CaptureFixture[str]
) -> None:
    fetch(base + path, options)
    assert options.cache is not None
    with sqlite3.connect(options.cache / FILES[True]) as connection:
        connection.execute(damage)
    connection.close()
    if "chunk_data" not in damage or path == "/packed":  # else what was damaged looks as if it were whole
        assert fetch(base + path, options).body == PAGE
    assert capfd.readouterr().err == ""
    assert logging.getLogger("hishel").handlers


def test_a_file_that_is_no_cache(base: str, options: FetchOptions, tmp_path: Path) -> None:
    assert options.cache is not None
    options.cache.mkdir()
    (options.cache / FILES[True]).write_bytes(b"this is no database, but long enough to be one" * 100)
    with pytest.raises(BadInput, match=r"private-pages\.db: not a cache, or damaged \(file is not a database\)"):
        fetch(f"{base}/fresh", options)
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be used as a cache: "):
        fetch(f"{base}/fresh", replace(options, cache=tmp_path / "file"))
    assert Handler.asked == []
