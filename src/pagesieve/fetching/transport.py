"""Connections to checked addresses, each used by one request at a time, with a deadline.

A connection is kept for the next request to the same place. Two requests never share a connection, because several
threads cannot use the HTTP/2 connections of httpcore.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import httpcore
import httpx

from pagesieve.fetching.guard import Guard
from pagesieve.fetching.urls import port

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
