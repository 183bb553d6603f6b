"""The bodies of answers, read and unpacked within a limit."""

from collections.abc import Iterable, Iterator
from contextlib import suppress

from pagesieve.errors import FetchError
from pagesieve.fetching import BadBody, unpack


def _codings() -> Iterator[str]:
    """Yield what may be asked for: what Python unpacks, and what an installed module unpacks within a limit."""
    yield from ("gzip", "deflate")
    with suppress(ImportError):
        import brotli

        if hasattr(brotli.Decompressor, "can_accept_more_data"):  # from 1.2 on, as its limit
            yield "br"
    with suppress(ImportError):
        import zstandard  # noqa: F401

        yield "zstd"


CODINGS = tuple(_codings())
ACCEPT_ENCODING = ", ".join(CODINGS)
_SENT = frozenset({*CODINGS, "x-gzip"})  # that a server may send then


def read_body(
    chunks: Iterable[bytes], content_length: str | None, content_encoding: str | None, shown: str, limit: int
) -> bytes:
    """Return a body unpacked; neither as it was sent nor unpacked is more than the limit ever held.

    `shown` names the URL in messages. Raises FetchError.
    """
    return _unpacked(_read(chunks, content_length or "", shown, limit), content_encoding or "", shown, limit)


def _read(chunks: Iterable[bytes], declared: str, shown: str, limit: int) -> bytes:
    """Read the body as it was sent, stopping once it is too large."""
    if declared.isascii() and declared.isdigit() and int(declared[:20]) > limit:
        raise FetchError(f"{shown}: larger than {limit:,} bytes")
    parts, size = [], 0
    for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        if size > limit:
            raise FetchError(f"{shown}: larger than {limit:,} bytes")
    return b"".join(parts)


def _unpacked(raw: bytes, content_encoding: str, shown: str, limit: int) -> bytes:
    coding = content_encoding.strip().lower()
    if coding in ("", "identity") or not raw:
        return raw
    if coding not in _SENT:
        raise FetchError(f"{shown}: sent in a coding that was not asked for, {coding}")
    try:
        return unpack(raw, coding, limit)
    except BadBody as error:
        raise FetchError(f"{shown}: {error}") from error
