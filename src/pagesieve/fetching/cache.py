"""An optional cache of pages on disk, as RFC 9111 describes it: between the client and the guarded connections.

A page is answered from the cache as long as the server has said that it stays as it is, and else asked for with the
conditions (If-None-Match, If-Modified-Since) that let the server answer that it still is. What the cache holds never
keeps a page from being fetched: a copy that cannot be read is fetched anew.
"""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpcore
import httpx

from pagesieve.errors import BadInput, FetchError, MissingExtra, PagesieveError

try:
    import hishel
    import hishel.httpx
except ImportError as error:
    raise MissingExtra("a cache", "cache") from error

# What was fetched from private addresses is not for those who may not fetch from there.
FILES = {False: "pages.db", True: "private-pages.db"}
MOST_BYTES = 1 << 30  # of a file; the pages that were not used for longest make room

# What connections raise; whatever else is raised, the cache raises.
_OF_CONNECTIONS = (
    PagesieveError,
    OSError,
    httpx.HTTPError,
    httpcore.ConnectionNotAvailable,
    httpcore.ProtocolError,
    httpcore.TimeoutException,
    httpcore.NetworkError,
)

logging.getLogger("hishel").addHandler(logging.NullHandler())  # it logs what it ignores, with tracebacks


class UnusableCopy(FetchError):
    """What the cache holds of a page cannot be used."""


def check_cache(folder: Path) -> None:
    """Make the folder of a cache where there is none. Raises BadInput where it cannot be used."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in FILES.values():
            with closing(sqlite3.connect(folder / name)) as connection:
                connection.execute("PRAGMA user_version").fetchone()
    except OSError as error:
        raise BadInput(f"{folder}: cannot be used as a cache: {error.strerror or error}") from error
    except sqlite3.Error as error:
        raise BadInput(
            f"{folder / name}: not a cache, or damaged ({error}): remove it, or name another folder"
        ) from error


class CachedTransport(httpx.BaseTransport):
    """Answers requests from the cache where that is allowed, and else by another transport.

    A body of more than `max_bytes` is not stored, nor are requests with a name and password.
    """

    def __init__(self, below: httpx.BaseTransport, folder: Path, max_bytes: int, allow_private: bool) -> None:
        check_cache(folder)
        self._below = below
        storage = hishel.SqliteStorage(
            database_path=folder / FILES[allow_private], max_stream_size=max_bytes, max_size=MOST_BYTES
        )
        options = hishel.CacheOptions(shared=False)
        self._cached = hishel.httpx.CacheTransport(below, storage, rfc=options)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request. Raises UnusableCopy, here or while the body is read, where the cache fails."""
        if "Authorization" in request.headers:
            return self._below.handle_request(request)
        with _doubted():
            response = self._cached.handle_request(request)
        response.stream = _Body(response.stream)
        return response

    def close(self) -> None:
        """Close the cache and all connections."""
        self._cached.close()


def is_copy(response: httpx.Response) -> bool:
    """Whether the body of a response comes from the cache."""
    return bool(response.extensions.get("caching", {}).get("from_cache"))


@contextmanager
def _doubted() -> Iterator[None]:
    try:
        yield
    except _OF_CONNECTIONS:
        raise
    except Exception as error:
        raise UnusableCopy(f"the cache failed ({error})") from error


class _Body(httpx.SyncByteStream):
    """A body that may come from the cache."""

    def __init__(self, stream: httpx.SyncByteStream | httpx.AsyncByteStream) -> None:
        assert isinstance(stream, httpx.SyncByteStream)
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        with _doubted():
            for chunk in self._stream:
                if not isinstance(chunk, bytes):
                    raise TypeError(f"a body of {type(chunk).__name__}")
                yield chunk

    def close(self) -> None:
        with _doubted():
            self._stream.close()
