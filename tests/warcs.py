"""WARC files for tests, made by hand: so that they can also be wrong."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Mapping

HTML = "text/html; charset=utf-8"


def record(kind: str, content: bytes, *, url: str = "", content_type: str = "", length: int | None = None) -> bytes:
    """One record, not compressed; `length` is what its head says, where that is not the truth."""
    head = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>",
        "WARC-Date: 2024-01-01T00:00:00Z",
        *([f"WARC-Target-URI: {url}"] if url else []),
        *([f"Content-Type: {content_type}"] if content_type else []),
        f"Content-Length: {len(content) if length is None else length}",
    ]
    return "\r\n".join([*head, "", ""]).encode() + content + b"\r\n\r\n"


def http(body: bytes, content_type: str | None = HTML, status: str = "200 OK", **headers: str) -> bytes:
    """An HTTP response; the names of more headers with _ for -."""
    given: Mapping[str, str | None] = {"Content-Type": content_type, **headers}
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in given.items() if value is not None]
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode() + body


def response(url: str, body: bytes, content_type: str | None = HTML, status: str = "200 OK", **headers: str) -> bytes:
    """A record of an HTTP response."""
    content = http(body, content_type, status, **headers)
    return record("response", content, url=url, content_type="application/http; msgtype=response")


def page(number: int, size: int = 0) -> bytes:
    """A page of our own, of a size that is at least its text's."""
    text = f"<html><title>Page {number}</title><p>This is the text of page {number}.</p>".encode()
    return text + b"<!--" + b"x" * max(0, size - len(text) - 7) + b"-->"


def member(data: bytes) -> bytes:
    """A gzip member."""
    return gzip.compress(data, mtime=0)


def stored(data: bytes) -> bytes:
    """A gzip member in which the bytes lie as they are."""
    packer = zlib.compressobj(0, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


def packed(records: Iterable[bytes]) -> bytes:
    """A WARC.gz, with a member for each record."""
    return b"".join(member(each) for each in records)


def chunked(body: bytes, size: int = 100) -> bytes:
    """A body as HTTP sends it in chunks."""
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(f"{len(part):x}\r\n".encode() + part + b"\r\n" for part in parts) + b"0\r\n\r\n"


def some(count: int = 6) -> list[bytes]:
    """What a crawler writes: an info record, then request, response and metadata of each page."""
    records = [record("warcinfo", b"software: tests\r\n", content_type="application/warc-fields")]
    for number in range(count):
        url = f"http://example.com/{number}"
        records.append(record("request", b"GET / HTTP/1.1\r\n\r\n", url=url, content_type="application/http"))
        records.append(response(url, page(number)))
        records.append(record("metadata", b"fetchTimeMs: 1\r\n", url=url))
    return records
