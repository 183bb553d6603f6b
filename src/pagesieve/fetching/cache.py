"""An optional cache of pages on disk, following RFC 9111, between the client and the guarded connections.

A fresh page comes from the cache. A stale one is requested with conditions (If-None-Match, If-Modified-Since), so that
the server can answer that it has not changed. If a copy in the cache cannot be read, the page is fetched again.
"""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import hishel
import hishel.httpx
import httpcore
import httpx

from pagesieve.errors import BadInput, FetchError, PagesieveError

# Pages from private addresses have a separate file: other users of the cache may not fetch them.
FILES = {False: "pages.db", True: "private-pages.db"}
MAX_BYTES = 1 << 30  # of a file; above it, the least recently used pages are removed

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
    """The copy of a page in the cache cannot be used."""


def check_cache(folder: Path) -> None:
    """Create the folder of a cache if it does not exist. Raises BadInput if it cannot be used."""
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
    """A transport that answers requests from the cache if possible, and otherwise by another transport.

    A body of more than `max_bytes` is not stored, nor are requests with a name and password.
    """

    def __init__(self, below: httpx.BaseTransport, folder: Path, max_bytes: int, allow_private: bool) -> None:
        check_cache(folder)
        self._below = below
        storage = hishel.SqliteStorage(
            database_path=folder / FILES[allow_private], max_stream_size=max_bytes, max_size=MAX_BYTES
        )
        options = hishel.CacheOptions(shared=False)
        self._cached = hishel.httpx.CacheTransport(below, storage, rfc=options)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request. Raises UnusableCopy, here or while the body is read, if the cache fails."""
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
