"""Read and decompress the bodies of responses within a limit."""

from collections.abc import Iterable, Iterator
from contextlib import suppress

from pagesieve.errors import FetchError
from pagesieve.fetching import BadBody, unpack


def _codings() -> Iterator[str]:
    """Yield the codings to request: those that an installed module can decode within a limit."""
    yield from ("gzip", "deflate", "br")
    with suppress(ImportError):
        import zstandard  # noqa: F401

        yield "zstd"


CODINGS = tuple(_codings())
ACCEPT_ENCODING = ", ".join(CODINGS)
_SENT = frozenset({*CODINGS, "x-gzip"})  # that a server may use


def read_body(
    chunks: Iterable[bytes], content_length: str | None, content_encoding: str | None, name: str, limit: int
) -> bytes:
    """Return a decompressed body, without ever holding more than the limit, compressed or not.

    `name` names the URL in messages. Raises FetchError.
    """
    return _unpacked(_read(chunks, content_length or "", name, limit), content_encoding or "", name, limit)


def _read(chunks: Iterable[bytes], declared: str, name: str, limit: int) -> bytes:
    """Read the body as sent, and stop once it is too large."""
    if declared.isascii() and declared.isdigit() and int(declared[:20]) > limit:
        raise FetchError(f"{name}: larger than {limit:,} bytes")
    parts, size = [], 0
    for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        if size > limit:
            raise FetchError(f"{name}: larger than {limit:,} bytes")
    return b"".join(parts)


def _unpacked(raw: bytes, content_encoding: str, name: str, limit: int) -> bytes:
    coding = content_encoding.strip().lower()
    if coding in ("", "identity") or not raw:
        return raw
    if coding not in _SENT:
        raise FetchError(f"{name}: sent in a coding that was not asked for, {coding}")
    try:
        return unpack(raw, coding, limit)
    except BadBody as error:
        raise FetchError(f"{name}: {error}") from error
