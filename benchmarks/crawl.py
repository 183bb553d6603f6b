"""A crawl to measure with: labelled pages in a WARC, as often as it takes, and no two of them equal.

Its records are as Common Crawl writes them: of each page a request, a response and metadata, every record a gzip member
of its own. In each round the pages of all sets come in another order, so any part of the file is like the whole.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import count, islice
from pathlib import Path
from random import Random
from urllib.parse import quote
from uuid import UUID

from pagesieve.evaluate.archives import LabelledSet, read_pages, take_sample

LEVEL = 6  # of gzip, its usual one
FIRST_DAY = date(2015, 1, 1)
DAYS = 3650  # after which dates come again
OF_URLS = "%/:=&?~#+!$,;'@()*[]"  # stay as they are

_ISO_DATE = re.compile(rb"\b\d{4}-[01]\d-[0-3]\d\b")
_HEAD = re.compile(rb"<head(?:\s[^>]*)?>", re.IGNORECASE)
_TITLE_END = re.compile(rb"</title", re.IGNORECASE)
_BODY_END = re.compile(rb"</body", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """A page that the crawl repeats."""

    url: str
    html: bytes


def sources_of(sets: Iterable[LabelledSet]) -> list[Source]:
    """All pages of the sets; one whose address nobody knows gets one."""
    return [
        Source(gold.url or f"https://{labelled.name}.invalid/{gold.id}", html)
        for labelled in sets
        for gold, html in read_pages(take_sample(labelled))
    ]


def write_crawl(path: Path, sources: Sequence[Source], pages: int) -> list[int]:
    """Writes a WARC of so many pages; gives the bytes at which their responses begin."""
    places = []
    with path.open("wb") as file:
        file.write(_member("warcinfo", 0, "", "application/warc-fields", b"software: benchmarks\r\n"))
        for number, source in enumerate(islice(_rounds(sources), pages)):
            url = _url(source.url, number)
            file.write(_member("request", number, url, "application/http; msgtype=request", _request(url)))
            places.append(file.tell())
            response = _response(changed(source.html, number))
            file.write(_member("response", number, url, "application/http; msgtype=response", response))
            file.write(_member("metadata", number, url, "application/warc-fields", b"fetchTimeMs: 100\r\n"))
    return places


def changed(html: bytes, number: int) -> bytes:
    """The page with a title, an id and dates of its own."""
    day = FIRST_DAY + timedelta(days=number % DAYS)
    html = _ISO_DATE.sub(day.isoformat().encode(), html)
    html = _before(_TITLE_END.search(html), f" ({number})".encode(), html)
    html = _after(_HEAD.search(html), f'<meta name="page-id" content="{number}">'.encode(), html)
    return _at_end(f"<p>Page {number}, seen on {day.day} {day:%B %Y}</p>\n".encode(), html)


def _before(found: re.Match[bytes] | None, text: bytes, html: bytes) -> bytes:
    return html[: found.start()] + text + html[found.start() :] if found else html


def _after(found: re.Match[bytes] | None, text: bytes, html: bytes) -> bytes:
    return html[: found.end()] + text + html[found.end() :] if found else html


def _at_end(text: bytes, html: bytes) -> bytes:
    last = None
    for last in _BODY_END.finditer(html):  # noqa: B007  # scripts may have others
        pass
    return _before(last, text, html) if last else html + text


def _rounds(sources: Sequence[Source]) -> Iterator[Source]:
    """The pages again and again, each time in another order, which is the same in every run."""
    for number in count():
        yield from Random(number).sample(sources, len(sources))


def _url(url: str, number: int) -> str:
    return f"{quote(url, safe=OF_URLS)}{'&' if '?' in url else '?'}page={number}"


def _request(url: str) -> bytes:
    return f"GET {url} HTTP/1.1\r\nUser-Agent: benchmarks\r\nAccept: text/html\r\n\r\n".encode()


def _response(body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nServer: benchmarks\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def _member(kind: str, number: int, url: str, content_type: str, content: bytes) -> bytes:
    """A record as a gzip member."""
    lines = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:uuid:{UUID(int=number, version=4)}>",
        "WARC-Date: 2024-01-01T00:00:00Z",
        *([f"WARC-Target-URI: {url}"] if url else []),
        f"Content-Type: {content_type}",
        f"Content-Length: {len(content)}",
    ]
    return gzip.compress("\r\n".join([*lines, "", ""]).encode() + content + b"\r\n\r\n", LEVEL, mtime=0)
