"""A record of a WARC to a page: what HTTP says of it, and its body without the codings it was sent in."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

from pagesieve.batch.plan import Item, Skipped
from pagesieve.batch.storage import EXTRA
from pagesieve.batch.streams import Damaged
from pagesieve.batch.warc import HEAD_BYTES, Record
from pagesieve.errors import MissingExtra
from pagesieve.page.filetypes import other_than_page

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
DOUBTFUL_TYPES = frozenset({"text/xml", "application/xml", "application/octet-stream", "unknown/unknown"})
BEGINNING = 1024  # bytes: where a page of a doubtful type must have its <html
WINDOW_BITS = {"gzip": (31,), "x-gzip": (31,), "deflate": (15, -15)}
ZSTD_WINDOW = 1 << 27  # bytes: what a frame may ask for
LONGEST_TYPE = 60  # characters

_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+")
_KIND = re.compile(r"[a-z-]{1,20}")
_CHUNK = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*<")


@cache
def archive_iterator() -> Any:
    """fastwarc's reader, which MissingExtra stands for where it is not installed."""
    try:
        from fastwarc.warc import ArchiveIterator
    except ImportError as error:
        raise MissingExtra("batches", EXTRA) from error
    return ArchiveIterator


def page_of(record: Record, item_id: str, max_bytes: int) -> Item | Skipped:
    """The page that a record holds, or why it holds none; a record that is damaged is an item with the reason."""
    if not record.head:
        return Item(item_id, None, None, fault=record.fault)
    try:
        parsed = _parsed(record)
    except Damaged as damage:
        return Item(item_id, None, None, fault=str(damage))
    kind = (parsed.headers.get("WARC-Type") or "").strip().lower()
    if kind not in ("response", "resource"):
        return Skipped(f"{kind if _KIND.fullmatch(kind) else 'unknown'} record")
    url = parsed.headers.get("WARC-Target-URI", "").strip("<> \t") or None
    if record.fault:
        return Item(item_id, url, None, fault=record.fault)
    try:
        return _page(record, parsed, item_id, url, max_bytes)
    except Damaged as damage:
        return Item(item_id, url, None, fault=str(damage))


def _parsed(record: Record) -> Any:
    """The headers of a record, of HTTP too once they are asked for."""
    reader = archive_iterator()
    try:
        return next(reader(io.BytesIO(record.head + record.content[:HEAD_BYTES]), parse_http=False))
    except Exception as error:  # fastwarc's have no class in common
        raise Damaged("its WARC head cannot be read") from error


def _page(record: Record, parsed: Any, item_id: str, url: str | None, max_bytes: int) -> Item | Skipped:
    content_type, codings, chunked = parsed.headers.get("Content-Type"), "", False
    if (content_type or "").lower().startswith("application/http") or record.content.startswith(b"HTTP/"):
        http = _http(parsed)
        if http.status_code != 200:
            return Skipped(f"status {http.status_code}")
        content_type, codings = http.get("Content-Type"), http.get("Content-Encoding", "")
        chunked = "chunked" in http.get("Transfer-Encoding", "").lower()
    if other := _other_type(content_type):
        return Skipped(f"not a page: {other}")
    if record.length > max_bytes + HEAD_BYTES:
        raise _too_large(max_bytes)
    body = record.content[record.length - parsed.content_length :]  # fastwarc has taken HTTP's head off the length
    body = _unpacked(_dechunked(body) if chunked else body, codings, max_bytes)
    if len(body) > max_bytes:
        raise _too_large(max_bytes)
    if other := other_than_page(body) or _doubtful(content_type, body):
        return Skipped(f"not a page: {other}")
    if not body or body.isspace():
        raise Damaged("empty")
    return Item(item_id, url, body, content_type)


def _http(parsed: Any) -> Any:
    """The head of an HTTP response."""
    try:
        parsed.parse_http(quirks_mode=True)
    except Exception as error:  # as above
        raise Damaged("its HTTP head cannot be read") from error
    if parsed.http_headers is None or not 100 <= (parsed.http_headers.status_code or 0) <= 999:
        raise Damaged("its HTTP head cannot be read")
    return parsed.http_headers


def essence(content_type: str | None) -> str:
    """A Content-Type without its parameters; empty where it says nothing."""
    found = (content_type or "").split(";")[0].split(",")[0].strip().lower()
    return found if "/" in found else ""


def _other_type(content_type: str | None) -> str | None:
    """The type that says that this is no page; None where it is HTML, or says too little."""
    given = essence(content_type)
    if not given or given in HTML_TYPES or given in DOUBTFUL_TYPES:
        return None
    return given if len(given) <= LONGEST_TYPE and _TYPE.fullmatch(given) else "a type that is none"


def _doubtful(content_type: str | None, body: bytes) -> str | None:
    given = essence(content_type)
    return given if given in DOUBTFUL_TYPES and b"<html" not in body[:BEGINNING].lower() else None


def _dechunked(raw: bytes) -> bytes:
    """The body without the frames of its chunks; as it is where a tool took them away and left the header."""
    pieces: list[bytes] = []
    at = 0
    while found := _CHUNK.match(raw, at):
        size, start = int(found[1], 16), found.end()
        if size == 0:
            return b"".join(pieces)
        at = start + size
        pieces.append(raw[start:at])
        end = raw[at : at + 2]
        if not end.startswith((b"\r\n", b"\n")):
            break
        at += 2 if end == b"\r\n" else 1
    if len(pieces) < 2 and _MARKUP.match(raw):
        return raw
    raise Damaged("its chunked body ends early")


def _unpacked(raw: bytes, codings: str, limit: int) -> bytes:
    """Undoes a Content-Encoding, without ever holding more than the limit. One nobody knows is none, as in browsers."""
    for coding in reversed([name.strip().lower() for name in codings.split(",")]):
        unpack = _unpackers().get(coding)
        if unpack is not None and raw:
            raw = _undone(raw, coding, unpack, limit)
    return raw


def _undone(raw: bytes, coding: str, unpack: Callable[[bytes, int], bytes], limit: int) -> bytes:
    try:
        body = unpack(raw, limit)
    except Damaged:
        if _MARKUP.match(raw):  # a tool unpacked it and left the header
            return raw
        raise
    if len(body) > limit:
        raise Damaged(f"larger than {limit:,} bytes when unpacked ({coding})")
    return body


@cache
def _unpackers() -> dict[str, Callable[[bytes, int], bytes]]:
    """How each coding is undone: up to a byte more than the limit, or Damaged."""
    zlibs = {coding: _by_zlib(coding, bits) for coding, bits in WINDOW_BITS.items()}
    return {**zlibs, "br": _by_brotli, "zstd": _by_zstd}


def _by_zlib(coding: str, choices: tuple[int, ...]) -> Callable[[bytes, int], bytes]:
    def unpack(raw: bytes, limit: int) -> bytes:
        for bits in choices:
            unpacker = zlib.decompressobj(bits)
            try:
                body = unpacker.decompress(raw, limit + 1)
            except zlib.error:
                continue
            if len(body) <= limit and not unpacker.eof:
                raise Damaged(f"its {coding} body ends early")
            return body
        raise Damaged(f"its body is not {coding}, as it claims")

    return unpack


def _by_brotli(raw: bytes, limit: int) -> bytes:
    try:
        import brotli
    except ImportError as error:
        raise Damaged("its body is in br, and no decoder is installed (pip install brotli)") from error
    unpacker = brotli.Decompressor()
    try:
        body = bytearray(unpacker.process(raw, output_buffer_limit=limit + 1))
        while len(body) <= limit and (more := unpacker.process(b"", output_buffer_limit=limit + 1)):
            body += more
    except brotli.error as error:
        raise Damaged("its body is not br, as it claims") from error
    if len(body) <= limit and not unpacker.is_finished():
        raise Damaged("its br body ends early")
    return bytes(body)


def _by_zstd(raw: bytes, limit: int) -> bytes:
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtra("batches", EXTRA) from error
    try:
        return zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW).stream_reader(raw).read(limit + 1)
    except zstandard.ZstdError as error:
        raise Damaged("its body is not zstd, as it claims") from error


def _too_large(limit: int) -> Damaged:
    return Damaged(f"larger than {limit:,} bytes")
