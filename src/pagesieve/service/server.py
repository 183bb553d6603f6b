"""The server: uvicorn with deadlines for clients. On SIGTERM or Ctrl-C it answers all accepted requests, then ends."""

from __future__ import annotations

import asyncio
import fcntl
import math
import select
import signal
import socket
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import Any, cast

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from pagesieve.errors import BadInput
from pagesieve.service import ServiceOptions
from pagesieve.service.app import create_app
from pagesieve.service.engine import Engine
from pagesieve.service.middleware import GONE, LOG, log_to_stderr

BACKLOG = 2048  # connections that wait to be accepted
KEEP_ALIVE = 5  # seconds
ARRIVING = 0.2  # seconds of a shutdown in which requests on accepted connections are still read
CHECK_TIME = 0.5  # seconds between checks that the client is still connected, while nothing is read from it

# The states of a connection whose client has disconnected, even if data from it waits to be read.
HANG_UP = select.POLLHUP | select.POLLERR | getattr(select, "POLLRDHUP", 0)


def serve(options: ServiceOptions, create: Callable[[ServiceOptions], FastAPI] = create_app) -> None:
    """Run a service until a signal ends it. `create` makes its application. Raise BadInput if it cannot listen."""
    listening = _listen(options)
    app = create(options)
    log_to_stderr()
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http=cast("Any", partial(_Connection, options)),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=math.ceil(options.grace),
    )
    host, port = listening.getsockname()[:2]
    name = f"[{host}]" if ":" in host else host
    LOG.info("listening", extra={"fields": {"url": f"http://{name}:{port}/", "workers": options.workers}})
    _Server(config, app.state.engine).run([listening])
    LOG.info("ended")


class _Connection(H11Protocol):
    """A connection that closes if its client does not send the head of a request, or receive the response, in time.

    When the connection is lost, it sets an event in the state of its requests.
    """

    def __init__(self, options: ServiceOptions, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._seconds, self._rate = options.timeout, options.min_rate
        self._head: asyncio.TimerHandle | None = None  # the deadline of the next head
        self._progress: asyncio.TimerHandle | None = None  # the deadline for receiving more of the response
        self._check: asyncio.TimerHandle | None = None  # the next check that the client is connected
        self._gone = asyncio.Event()
        self.app_state = {**self.app_state, GONE: self._gone}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.set_write_buffer_limits(0)  # so that `pause_writing` is called whenever the client lags behind
        self._expect_head()
        self._expect_client()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in filter(None, (self._head, self._progress, self._check)):
            timer.cancel()
        super().connection_lost(exc)
        self._gone.set()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Process data, but drop data that arrives during a request, since it would hide that the client disconnects.

        In that case, the connection is closed after the response.
        """
        if self.conn.their_state in (h11.DONE, h11.MUST_CLOSE):
            self.cycle.keep_alive = False
        else:
            super().data_received(data)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect_progress()

    def resume_writing(self) -> None:
        if self._progress is not None:
            self._progress.cancel()
        super().resume_writing()

    def _expect_head(self) -> None:
        if self._head is not None:
            self._head.cancel()
        self._head = self.loop.call_later(self._seconds, self._check_head)

    def _check_head(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            return  # the head has arrived
        if self.transport.get_write_buffer_size():
            self._expect_head()  # the client is still receiving the previous response
        else:
            self.transport.abort()

    def _expect_client(self) -> None:
        self._check = self.loop.call_later(CHECK_TIME, self._check_client)

    def _check_client(self) -> None:
        """Close the connection if the client has disconnected. While data is read, the transport does this itself."""
        if not self.transport.is_reading() and not self.transport.is_closing():
            poll = select.poll()
            poll.register(self.transport.get_extra_info("socket").fileno(), HANG_UP)
            if poll.poll(0):
                return self.transport.abort()
        return self._expect_client()

    def _expect_progress(self) -> None:
        self._progress = self.loop.call_later(self._seconds, self._check_progress, self._unsent())

    def _check_progress(self, before: int) -> None:
        if before - self._unsent() < self._seconds * self._rate:
            self.transport.abort()
        else:
            self._expect_progress()

    def _unsent(self) -> int:
        """Return the number of bytes that the client has yet to receive, with those in the system's buffer if known."""
        unsent = self.transport.get_write_buffer_size()
        with suppress(OSError):
            held = fcntl.ioctl(self.transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4))
            unsent += int.from_bytes(held, sys.byteorder)
        return unsent


class _Server(uvicorn.Server):
    """uvicorn's server, except that a signal drains the engine and ends the server with status 0."""

    def __init__(self, config: uvicorn.Config, engine: Engine) -> None:
        super().__init__(config)
        self._engine = engine
        self._loop: asyncio.AbstractEventLoop | None = None

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().serve(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, but read the requests of accepted ones, which uvicorn would close."""
        for server in self.servers:
            server.close()
        await asyncio.sleep(ARRIVING)
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._engine.drain)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals while the server runs. uvicorn itself would raise them again afterwards."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _listen(options: ServiceOptions) -> socket.socket:
    """Return a socket that listens on the host and port of the options. Raise BadInput if that fails."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            options.host.strip("[]"), options.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
    except (OSError, UnicodeError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"{options.host}:{options.port}: cannot listen there: {reason}") from error
    listening.set_inheritable(False)
    return listening
