"""The MCP server on standard input and output: it ends when the input ends, or on SIGTERM or Ctrl-C.

In each case the calls that it has taken are answered first. A second signal ends it at once.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from mcp.server.stdio import stdio_server

from pagesieve.errors import BadInput
from pagesieve.service.engine import Engine
from pagesieve.service.mcp.calls import Calls
from pagesieve.service.mcp.server import create_server
from pagesieve.service.options import ServiceOptions
from pagesieve.service.watching import LOG, log_to_stderr

if TYPE_CHECKING:
    import anyio

STANDARD_INPUT = 0


def serve_stdio(options: ServiceOptions) -> None:
    """Serve the client on standard input and output until it goes. Raises BadInput where there is none."""
    lines = _Lines(_taken_input())
    log_to_stderr()
    LOG.info("listening", extra={"fields": {"on": "standard input", "workers": options.workers}})
    try:
        asyncio.run(_serve(options, lines))
    except* OSError:
        LOG.warning("the client has gone")
    LOG.info("ended")


async def _serve(options: ServiceOptions, lines: _Lines) -> None:
    engine = Engine(options)
    calls = Calls(engine)
    server = create_server(calls, browser=options.browser)
    lines.start(calls)
    _end_on_signals(lines)
    stdin = cast("anyio.AsyncFile[str]", lines)
    async with engine.started(), stdio_server(stdin) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def _end_on_signals(lines: _Lines) -> None:
    loop = asyncio.get_running_loop()

    def end() -> None:
        lines.end()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end)


def _taken_input() -> int:
    """Take standard input away from everything else in this process, and from its children."""
    try:
        taken = os.dup(STANDARD_INPUT)
    except OSError as error:
        raise BadInput("standard input is closed: an MCP client starts this command itself") from error
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, STANDARD_INPUT)
    os.close(nothing)
    return taken


class _Lines:
    """The lines of the input, as the SDK reads them; its own reader could not be told to end while it waits."""

    def __init__(self, source: int) -> None:
        self._source = source
        self._lines: asyncio.Queue[bytes] = asyncio.Queue()  # the end is an empty one
        self._calls: Calls | None = None

    def start(self, calls: Calls) -> None:
        """Begin to read; when the lines end, all calls are answered."""
        self._calls = calls
        # A daemon: it may wait for a line that never comes.
        threading.Thread(target=self._read, args=(asyncio.get_running_loop(),), daemon=True).start()

    def end(self) -> None:
        """Take no more lines."""
        self._lines.put_nowait(b"")

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        with suppress(RuntimeError):  # the loop is closed
            with suppress(OSError), open(self._source, "rb") as lines:
                for line in lines:
                    loop.call_soon_threadsafe(self._lines.put_nowait, line)
            loop.call_soon_threadsafe(self.end)

    def __aiter__(self) -> _Lines:
        return self

    async def __anext__(self) -> str:
        assert self._calls is not None
        line = await self._lines.get()
        if not line:
            await self._calls.settle()
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")
