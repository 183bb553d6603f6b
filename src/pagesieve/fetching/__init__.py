"""Fetch pages from the network, through the guard.

This module decides whether a Content-Type is that of a page, and decodes the Content-Encoding of a body.
"""

import zlib
from collections.abc import Callable
from contextlib import suppress

from pagesieve.text.patterns import pattern

PAGE_ENDINGS = (".html", ".htm", ".xhtml", ".shtml", ".xht")
HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
PAGE_TYPES = HTML_TYPES | {"text/xml", "application/xml", "text/plain"}  # that are read where a URL gives them

ZSTD_WINDOW = 1 << 27  # bytes: the most that a frame may ask for

_MARKUP = pattern(rb"(?:\xef\xbb\xbf)?\s*<")


class BadBody(Exception):
    """A body cannot be decoded; the message says why."""


def media_type(content_type: str | None) -> str:
    """Return the media type of a Content-Type without parameters; empty if it has none."""
    name = (content_type or "").split(";")[0].split(",")[0].strip().lower()
    return name if "/" in name else ""


def is_page(content_type: str | None) -> bool:
    """Whether a Content-Type is possible for a page; as in browsers, one without a type is."""
    name = media_type(content_type)
    return not name or name in PAGE_TYPES


def is_markup(body: bytes) -> bool:
    """Whether a body begins like markup."""
    return _MARKUP.match(body) is not None


def unpack(raw: bytes, coding: str, limit: int, *, or_markup: bool = False) -> bytes:
    """Decode one coding of DECODERS, without ever holding more than the limit. Raises BadBody.

    With `or_markup`, return a body that is markup already unchanged: some tools decode it but keep the header.
    """
    try:
        body = DECODERS[coding](raw, limit)
    except (EOFError, ValueError, ImportError) as error:
        if or_markup and is_markup(raw):
            return raw
        raise BadBody(_failure(coding, error)) from error
    if len(body) > limit:
        raise BadBody(f"larger than {limit:,} bytes when unpacked ({coding})")
    return body


def _failure(coding: str, error: Exception) -> str:
    if isinstance(error, ImportError):
        return f"its body is in {coding}, and no decoder is installed (pip install {error.name})"
    return f"its {coding} body ends early" if isinstance(error, EOFError) else f"its body is not {coding}, as it claims"


def _by_zlib(*choices: int) -> Callable[[bytes, int], bytes]:
    """Return a decoder that tries several window settings of zlib."""

    def decode(raw: bytes, limit: int) -> bytes:
        for bits in choices:
            decoder = zlib.decompressobj(bits)
            with suppress(zlib.error):
                body = decoder.decompress(raw, limit + 1)
                if len(body) <= limit and not decoder.eof:
                    raise EOFError
                return body
        raise ValueError

    return decode


def _by_brotli(raw: bytes, limit: int) -> bytes:
    import brotli

    decoder = brotli.Decompressor()
    try:
        body = bytearray(decoder.process(raw, output_buffer_limit=limit + 1))
        while len(body) <= limit and (more := decoder.process(b"", output_buffer_limit=limit + 1)):
            body += more
    except brotli.error as error:
        raise ValueError from error
    if len(body) <= limit and not decoder.is_finished():
        raise EOFError
    return bytes(body)


def _by_zstd(raw: bytes, limit: int) -> bytes:
    import zstandard

    try:
        return zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW).stream_reader(raw).read(limit + 1)
    except zstandard.ZstdError as error:
        raise ValueError from error


# Each gives at most a byte more than the limit. EOFError: the body ends early; ValueError: it is something else.
DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _by_zlib(31),
    "x-gzip": _by_zlib(31),
    "deflate": _by_zlib(15, -15),
    "br": _by_brotli,
    "zstd": _by_zstd,
}
