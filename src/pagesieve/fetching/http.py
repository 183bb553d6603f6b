"""Fetch pages and other resources by HTTP, with limits on size, time and redirects, from checked addresses only.

Import this module in the function that fetches, not at the top of a module: httpx is slow to import.

The environment's proxies (HTTP_PROXY and the like) are not used: behind one, the address connected to
could not be checked. SSL_CERT_FILE and SSL_CERT_DIR are honoured.
"""

from __future__ import annotations

import logging
import random
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

import httpcore
import httpx

from pagesieve.errors import FetchError, PagesieveError
from pagesieve.fetching import BadBody, is_page, unpack
from pagesieve.fetching.guard import Guard, check, fault, one_line, parsed, port, shown, without_credentials
from pagesieve.fetching.options import FetchOptions as FetchOptions  # also public here
from pagesieve.fetching.retries import DEFAULT_OPTIONS as DEFAULT_RETRIES
from pagesieve.fetching.retries import retry_after_seconds, seconds_to_wait

MAX_IDLE = 64  # connections kept for further requests
KEPT_FOR = 30.0  # seconds that a connection is kept
REPEATABLE = frozenset({b"GET", b"HEAD", b"OPTIONS"})
WITHOUT_BODY = frozenset({204, 304})
# What a kept connection raises where the server has closed it meanwhile.
CLOSED_MEANWHILE = (
    httpcore.ReadError,
    httpcore.WriteError,
    httpcore.RemoteProtocolError,
    httpcore.ConnectionNotAvailable,
)

SocketOptions = Iterable[tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]]
Place = tuple[bytes, bytes, int]  # scheme, host, port


class Deadline:
    """The moment by which a request must be complete. A limit on each read alone would not stop a slow server."""

    __slots__ = ("_end",)

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self, at_most: float | None = None) -> float:
        """Return the remaining seconds, at most `at_most`. Raises TimeoutError if there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("out of time")
        return left if at_most is None else min(left, at_most)


class Connections:
    """Sends requests to checked addresses, over connections that it keeps. Threads may share it."""

    def __init__(self, guard: Guard, connect_timeout: float) -> None:
        self._guard = guard
        self._timeouts = {"connect": connect_timeout}
        self._lock = threading.Lock()
        self._idle: dict[Place, list[_Connection]] = {}  # the place that was used last is the last
        self._idle_count = 0
        self._open: set[_Connection] = set()

    def send(
        self, method: bytes, url: httpx.URL, headers: list[tuple[bytes, bytes]], body: bytes, deadline: Deadline
    ) -> httpcore.Response:
        """Send a request; return the response, whose body must be read and closed by the deadline."""
        place = url.raw_scheme, url.raw_host, port(url)
        target = httpcore.URL(scheme=place[0], host=place[1], port=place[2], target=url.raw_path)
        request = httpcore.Request(
            method, target, headers=headers, content=body, extensions={"timeout": self._timeouts}
        )
        connection = self._kept(place)
        if connection is not None:
            try:
                return self._sent(connection, request, deadline)
            except CLOSED_MEANWHILE:
                if method not in REPEATABLE:
                    raise
        return self._sent(self._new(place, target.origin), request, deadline)

    def _sent(self, connection: _Connection, request: httpcore.Request, deadline: Deadline) -> httpcore.Response:
        connection.clock.deadline = deadline
        try:
            response = connection.http.handle_request(request)
        except BaseException:
            self.discard(connection)
            raise
        body = _Body(self, connection, response)
        return httpcore.Response(
            response.status, headers=response.headers, content=body, extensions=response.extensions
        )

    def _kept(self, place: Place) -> _Connection | None:
        """Take the most recently used connection to a place; close those that have expired."""
        while True:
            with self._lock:
                idle = self._idle.get(place)
                if not idle:
                    return None
                connection = idle.pop()
                self._idle_count -= 1
                if not idle:
                    del self._idle[place]
            if connection.http.is_available() and not connection.http.has_expired():
                return connection
            self.discard(connection)

    def _new(self, place: Place, origin: httpcore.Origin) -> _Connection:
        connection = _Connection(place, origin, self._guard)
        with self._lock:
            self._open.add(connection)
        return connection

    def give_back(self, connection: _Connection) -> None:
        """Keep a connection whose response was read to its end; close the oldest above the limit."""
        surplus: _Connection | None = None
        with self._lock:
            if connection not in self._open:  # closed with all others
                return
            idle = self._idle.pop(connection.place, [])
            idle.append(connection)
            self._idle[connection.place] = idle
            self._idle_count += 1
            if self._idle_count > MAX_IDLE:
                oldest = next(iter(self._idle))
                surplus = self._idle[oldest].pop(0)
                self._idle_count -= 1
                if not self._idle[oldest]:
                    del self._idle[oldest]
        if surplus is not None:
            self.discard(surplus)

    def discard(self, connection: _Connection) -> None:
        """Close a connection for good."""
        with self._lock:
            self._open.discard(connection)
        connection.http.close()

    def close(self) -> None:
        """Close all connections, including those in use; later requests open new ones."""
        with self._lock:
            closing = list(self._open)
            self._open.clear()
            self._idle.clear()
            self._idle_count = 0
        for connection in closing:
            connection.http.close()


class _Clock:
    """The deadline of the request that a connection is used for."""

    __slots__ = ("deadline",)

    def __init__(self) -> None:
        self.deadline = Deadline(0.0)


class _Connection:
    """A connection to a place, and its clock. It connects when it is first used."""

    __slots__ = ("clock", "http", "place")

    def __init__(self, place: Place, origin: httpcore.Origin, guard: Guard) -> None:
        self.place = place
        self.clock = _Clock()
        self.http = httpcore.HTTPConnection(
            origin,
            ssl_context=ssl_context() if place[0] == b"https" else None,
            keepalive_expiry=KEPT_FOR,
            http2=True,
            network_backend=_GuardedBackend(guard, self.clock),
        )


class _Body:
    """The body of a response. Closing it keeps the connection if the body was read to its end, otherwise closes it."""

    def __init__(self, connections: Connections, connection: _Connection, response: httpcore.Response) -> None:
        self._connections = connections
        self._connection = connection
        self._response = response
        self._is_read = False
        self._is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._response.iter_stream():
            if self._response.status in WITHOUT_BODY:  # over HTTP/2 a server can send one all the same
                return
            yield chunk
        self._is_read = True

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._response.close()
        if self._is_read and self._connection.http.is_idle():
            self._connections.give_back(self._connection)
        else:
            self._connections.discard(self._connection)


class _TimedStream(httpcore.NetworkStream):
    """A connection on which every step must be complete by the deadline."""

    def __init__(self, stream: httpcore.NetworkStream, clock: _Clock) -> None:
        self._stream = stream
        self._clock = clock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._clock.deadline.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._clock.deadline.left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, self._clock.deadline.left(timeout))
        return _TimedStream(secured, self._clock)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _GuardedBackend(httpcore.NetworkBackend):
    """Connects to the very addresses that the guard has checked.

    Only the connection goes by address: the Host header, and the name that TLS asks and checks the
    certificate for, remain those of the URL.
    """

    def __init__(self, guard: Guard, clock: _Clock) -> None:
        self._guard = guard
        self._clock = clock
        self._backend = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore.NetworkStream:
        failure: Exception | None = None
        deadline = self._clock.deadline
        for address in self._guard.addresses(host, port, deadline.left()):
            left = deadline.left(timeout)
            try:
                stream = self._backend.connect_tcp(address, port, left, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return _TimedStream(stream, self._clock)
        raise failure or httpcore.ConnectError("no address")


class GuardedTransport(httpx.BaseTransport):
    """Sends each request of a client, and so each hop of a redirect, through the guard."""

    def __init__(self, connections: Connections, deadline: Deadline) -> None:
        self._connections = connections
        self._deadline = deadline

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request of httpx; return the response with its body unread."""
        method, headers = request.method.encode("ascii"), request.headers.raw
        response = self._connections.send(method, request.url, headers, request.read(), self._deadline)
        return httpx.Response(
            status_code=response.status,
            headers=response.headers,
            stream=_ClientBody(response),
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Close all connections."""
        self._connections.close()


class _ClientBody(httpx.SyncByteStream):
    """The body of a response in the form that httpx needs."""

    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        yield from self._response.iter_stream()

    def close(self) -> None:
        self._response.close()


@cache
def ssl_context() -> ssl.SSLContext:
    """Return a context with the trusted certificates, which take about 20 ms to load."""
    return httpx.create_ssl_context()


ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.1"

# Headers of one connection, or of a body as it was packed.
NOT_PASSED_ON = frozenset(
    "accept-encoding connection content-encoding content-length host keep-alive proxy-connection te transfer-encoding"
    " upgrade".split()
)
WITH_BODY = frozenset({"POST", "PUT", "PATCH"})  # methods whose empty body has a length, too

T = TypeVar("T")


def _codings() -> Iterator[str]:
    """Yield the codings to request: those that an installed module can decode within a limit."""
    yield from ("gzip", "deflate", "br")
    with suppress(ImportError):
        import zstandard  # noqa: F401

        yield "zstd"


CODINGS = tuple(_codings())
ACCEPT_ENCODING = ", ".join(CODINGS)
_SENT = frozenset({*CODINGS, "x-gzip"})  # that a server may use

DEFAULT_OPTIONS = FetchOptions()


@dataclass(frozen=True, slots=True)
class Fetched:
    """The result of a fetch: the decompressed body; the URL after redirects, without credentials; its type."""

    body: bytes
    url: str
    content_type: str | None
    status: int


def fetch(url: str, options: FetchOptions = DEFAULT_OPTIONS) -> Fetched:
    """Fetch a page; retry if a connection fails or the server is temporarily unavailable.

    Raises FetchError if the page cannot be fetched within the limits, and AddressRefused if the URL,
    or one to which it redirects, leads to an address that is not public.
    """
    target = parsed(url)
    return retrying(lambda: _attempt(target, options), options)


def retrying(attempt: Callable[[], T], options: FetchOptions) -> T:
    """Return the result of an attempt; repeat it if it raises a temporary FetchError."""
    retries = replace(DEFAULT_RETRIES, retries=options.retries)
    number = 1
    while True:
        try:
            return attempt()
        except FetchError as error:
            outcome = error if error.status is None else error.status
            now, chance = time.time(), random.random()
            seconds = seconds_to_wait(number, outcome, error.retry_after, retries, now=now, chance=chance)
            if seconds is None:
                raise
        options.wait(seconds)
        number += 1


def _attempt(url: httpx.URL, options: FetchOptions) -> Fetched:
    guard = Guard(options.allow_private, options.resolve)
    guarded = GuardedTransport(Connections(guard, options.connect_timeout), Deadline(options.timeout))
    if options.cache is None:
        return _followed(url, guarded, options)
    from pagesieve.fetching.cache import CachedTransport, UnusableCopy

    try:
        return _followed(
            url, CachedTransport(guarded, options.cache, options.max_bytes, options.allow_private), options
        )
    except UnusableCopy:
        return _attempt(url, replace(options, cache=None))


_IS_OURS = ContextVar("request_is_ours", default=False)  # whether httpx logs a request of this module


def _mask(record: logging.LogRecord) -> bool:
    """Mask the address of our request in a record of httpx's log, and let the record pass."""
    if _IS_OURS.get() and isinstance(record.args, tuple):
        record.args = tuple(shown(each) if isinstance(each, httpx.URL) else each for each in record.args)
    return True


logging.getLogger("httpx").addFilter(_mask)


@contextmanager
def _masking() -> Iterator[None]:
    """Mask the addresses that httpx logs in the body of a `with` statement."""
    token = _IS_OURS.set(True)
    try:
        yield
    finally:
        _IS_OURS.reset(token)


def _followed(url: httpx.URL, transport: httpx.BaseTransport, options: FetchOptions) -> Fetched:
    """Fetch a page with a transport, and close it. Follow redirects, and check each like the URL."""
    client = httpx.Client(
        transport=transport,
        headers={"User-Agent": options.user_agent, "Accept": ACCEPT, "Accept-Encoding": ACCEPT_ENCODING},
        follow_redirects=False,  # httpx reads the bodies of redirects whole, however large
        trust_env=False,
    )
    with client, _masking():
        request = client.build_request("GET", url)
        for _ in range(options.max_redirects + 1):
            check(request.url)
            with (
                explained(request.url, options.timeout, options.connect_timeout),
                closing(client.send(request, stream=True)) as response,
            ):
                if response.next_request is None:
                    return _fetched(response, options)
                request = response.next_request
    raise FetchError(f"{shown(url)}: more than {options.max_redirects} redirects, the last to {shown(request.url)}")


def _fetched(response: httpx.Response, options: FetchOptions) -> Fetched:
    """Read a response that is not a redirect, after checking by its head that it is a page."""
    name, headers = shown(response.url), response.headers
    content_type = headers.get("Content-Type")
    check_status(name, response.status_code, response.reason_phrase, headers.get("Retry-After"))
    if not is_page(content_type):
        raise FetchError(f"{name}: not a page but {content_type}")
    body = _body(response, name, options)
    return Fetched(body, without_credentials(str(response.url)), content_type, response.status_code)


def _body(response: httpx.Response, name: str, options: FetchOptions) -> bytes:
    length, coding = response.headers.get("Content-Length"), response.headers.get("Content-Encoding")
    try:
        return read_body(response.iter_raw(), length, coding, name, options.max_bytes)
    except FetchError as error:
        if options.cache is not None:
            from pagesieve.fetching.cache import UnusableCopy, is_copy

            if is_copy(response):
                raise UnusableCopy(str(error)) from error
        raise


def check_status(name: str, status: int, phrase: str = "", retry_after: str | None = None) -> None:
    """Raise FetchError unless a status means success; `name` names the URL."""
    if 200 <= status < 300:
        return
    seconds, most = retry_after_seconds(retry_after, time.time()), DEFAULT_RETRIES.longest_retry_after
    asks = f", and asks to wait {seconds:,.0f} s; {most:g} s is the most that is waited" if seconds > most else ""
    message = f"{name}: the server answered {status} {phrase}".rstrip()
    raise FetchError(f"{message}{asks}", status=status, retry_after=retry_after)


@dataclass(frozen=True, slots=True)
class Answer:
    """The response to one request: the decompressed body, and the headers other than those of its encoding."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def named(self) -> dict[str, str]:
        """The headers by name, in lower case; the last of each."""
        return {name.lower(): value for name, value in self.headers}


class Exchanges:
    """Single requests through the guard, over persistent connections, for the page of a browser or for a crawl.

    Responses may be of any type and status. Redirects are returned; the caller follows them with another request.
    Nothing is retried and nothing is cached, but headers of conditional requests are sent unchanged. Any number of
    threads may send requests at once: each request has a separate connection, which is then kept for the next
    request to the same scheme, host and port. All requests share one deadline, `timeout` seconds from now; with
    `each`, each request has its own.
    """

    def __init__(self, options: FetchOptions = DEFAULT_OPTIONS, *, each: bool = False) -> None:
        self._options = options
        self._deadline = None if each else Deadline(options.timeout)
        guard = Guard(options.allow_private, options.resolve)
        self._connections = Connections(guard, options.connect_timeout)

    def ask(self, method: str, url: str, headers: Iterable[tuple[str, str]] = (), body: bytes | None = None) -> Answer:
        """Send one request unchanged. Raises FetchError, and AddressRefused if the guard refuses the address."""
        options, target = self._options, parsed(url)
        sent = self._headers(method, target, headers, body)
        with explained(target, options.timeout, options.connect_timeout):
            deadline = self._deadline or Deadline(options.timeout)
            response = self._connections.send(method.encode("ascii", "replace"), target, sent, body or b"", deadline)
            with closing(response):
                received = [(_text(name), _text(value)) for name, value in response.headers]
                named = {name.lower(): value for name, value in received}
                length, coding = named.get("content-length"), named.get("content-encoding")
                read = read_body(response.iter_stream(), length, coding, shown(target), options.max_bytes)
        headers_left = [(name, value) for name, value in received if name.lower() not in NOT_PASSED_ON]
        return Answer(response.status, tuple(headers_left), read)

    def _headers(
        self, method: str, url: httpx.URL, headers: Iterable[tuple[str, str]], body: bytes | None
    ) -> list[tuple[bytes, bytes]]:
        sent = [(b"Host", url.netloc), (b"Accept-Encoding", ACCEPT_ENCODING.encode())]
        is_named = False
        for name, value in headers:
            lower = name.lower()
            if lower not in NOT_PASSED_ON:
                is_named = is_named or lower == "user-agent"
                sent.append((name.encode("ascii", "replace"), value.encode("utf-8", "replace")))
        if not is_named:
            sent.append((b"User-Agent", self._options.user_agent.encode()))
        if body or method in WITH_BODY:
            sent.append((b"Content-Length", b"%d" % len(body or b"")))
        return sent

    def close(self) -> None:
        """Close all connections."""
        self._connections.close()


def _text(raw: bytes) -> str:
    """Return a name or value of a header as text: decoded as UTF-8 if valid, otherwise byte by byte."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


# Bodies


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
        raise FetchError(f"{name}: sent in an encoding that was not requested: {coding}")
    try:
        return unpack(raw, coding, limit)
    except BadBody as error:
        raise FetchError(f"{name}: {error}") from error


# Failures


@contextmanager
def explained(url: httpx.URL, timeout: float, connect_timeout: float) -> Iterator[None]:
    """Convert any exception of the client, its libraries and the system to a FetchError.

    It is temporary if a connection failed, but not after a timeout: the next attempt would take as long.
    """
    try:
        yield
    except PagesieveError:
        raise
    except httpcore.ConnectTimeout as error:
        limit = min(connect_timeout, timeout)
        raise FetchError(f"{shown(url)}: no connection within {limit:g} s", is_temporary=True) from error
    except (TimeoutError, httpcore.TimeoutException) as error:
        raise FetchError(f"{shown(url)}: no complete answer within {timeout:g} s") from error
    except (httpx.InvalidURL, httpx.ProtocolError, UnicodeError) as error:
        # These are httpx's own, which reads no other URL than that of a redirect; what is below raises httpcore's.
        raise FetchError(f"{shown(url)}: it redirects to something that is not a URL ({fault(error)})") from error
    except Exception as error:  # h2, hpack, h11, idna and ssl raise more than they say
        is_temporary = isinstance(error, httpcore.NetworkError | httpcore.RemoteProtocolError) and not _is_tls(error)
        raise FetchError(f"{shown(url)}: {_reason(error)}", is_temporary=is_temporary) from error


def _cause(error: Exception) -> object:
    return next(iter(error.args), None)  # httpcore puts the system's error there, and cuts the chain


def _is_tls(error: Exception) -> bool:
    return isinstance(_cause(error), ssl.SSLError)


def _reason(error: Exception) -> str:
    cause = _cause(error)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its TLS certificate is not valid ({cause.verify_message})"
    if isinstance(cause, ssl.SSLError):
        return f"TLS failed ({cause.reason or one_line(cause)})"
    if isinstance(error, httpcore.ConnectError):
        return f"no connection ({getattr(cause, 'strerror', None) or one_line(error)})"
    return f"the connection failed ({one_line(error)})"
