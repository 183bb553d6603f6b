"""The server: it listens, and ends on SIGTERM or Ctrl-C when all that it has taken is answered."""

from __future__ import annotations

import asyncio
import math
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from fastapi import FastAPI

from pagesieve.errors import BadInput
from pagesieve.service.app import create_app
from pagesieve.service.engine import Engine
from pagesieve.service.options import ServiceOptions
from pagesieve.service.watching import LOG, log_to_stderr

BACKLOG = 2048  # connections that wait to be accepted
KEEP_ALIVE = 5  # seconds
ARRIVING = 0.2  # seconds in which the requests of connections that were accepted are still read


def serve(options: ServiceOptions, create: Callable[[ServiceOptions], FastAPI] = create_app) -> None:
    """Run a service until it is told to end; `create` makes its application. Raises BadInput where it cannot listen."""
    listening = _listening(options)
    app = create(options)
    log_to_stderr()
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http="h11",
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


class _Server(uvicorn.Server):
    """uvicorn's server, which ends with status 0 when it is told to, and tells the engine."""

    def __init__(self, config: uvicorn.Config, engine: Engine) -> None:
        super().__init__(config)
        self._engine = engine
        self._loop: asyncio.AbstractEventLoop | None = None

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().serve(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections; uvicorn would close those whose request it has not read yet."""
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
        """Handle signals while the server runs; uvicorn would raise them again when it has ended."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _listening(options: ServiceOptions) -> socket.socket:
    """Return a socket that listens where the options say. Raises BadInput."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            options.host.strip("[]"), options.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        found = socket.socket(family, kind, protocol)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen(BACKLOG)
    except (OSError, UnicodeError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"{options.host}:{options.port}: cannot listen there: {reason}") from error
    found.set_inheritable(False)
    return found
