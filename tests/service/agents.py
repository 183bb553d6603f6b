"""Agents: the SDK's own client in a thread, so that tests may call tools one after the other, or at once."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, NamedTuple

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import CallToolResult, TextContent, Tool

from tests.service.running import PATIENCE

COMMAND = [sys.executable, "-m", "pagesieve", "mcp"]


class Agent:
    """A client that is connected to a server."""

    def __init__(self, client: Client, loop: asyncio.AbstractEventLoop) -> None:
        self._client, self._loop = client, loop

    def tools(self) -> dict[str, Tool]:
        """Return the tools that the server lists."""
        found = asyncio.run_coroutine_threadsafe(self._client.list_tools(), self._loop).result(PATIENCE)
        return {tool.name: tool for tool in found.tools}

    @property
    def instructions(self) -> str:
        """What the server says of itself."""
        return self._client.instructions or ""

    def begin(self, tool: str, *, seconds: float | None = None, **arguments: Any) -> Future[CallToolResult]:
        """Begin a call; some seconds later it is cancelled."""
        calling = self._client.call_tool(tool, arguments, read_timeout_seconds=seconds)
        return asyncio.run_coroutine_threadsafe(calling, self._loop)

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """Call a tool."""
        return self.begin(tool, **arguments).result(PATIENCE)

    def give(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that gives a result; return it as it is structured."""
        made = self.call(tool, **arguments)
        assert not made.is_error, text_of(made)
        return dict(made.structured_content)

    def fail(self, tool: str, **arguments: Any) -> str:
        """Call a tool that gives an error; return its line."""
        made = self.call(tool, **arguments)
        assert made.is_error
        assert made.structured_content is None
        line = text_of(made)
        assert "\n" not in line
        assert "Traceback" not in line
        return line


@contextmanager
def connected(client: Client) -> Iterator[Agent]:
    """Connect a client, in a thread of its own."""
    loop = asyncio.new_event_loop()
    ended = asyncio.Event()
    ready: Future[None] = Future()

    async def stay() -> None:
        try:
            async with client:
                ready.set_result(None)
                await ended.wait()
        except BaseException as error:
            if not ready.done():
                ready.set_exception(error)
            raise

    thread = threading.Thread(target=loop.run_until_complete, args=(stay(),))
    thread.start()
    try:
        ready.result(PATIENCE)
        yield Agent(client, loop)
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(PATIENCE)
        loop.close()


def on_stdio(*options: str, mode: str = "auto") -> Client:
    """Return a client that starts a server with some options of `pagesieve mcp`."""
    started = StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], *options], env=dict(os.environ))
    return Client(started, mode=mode)


def text_of(made: CallToolResult) -> str:
    """Return the text of a result."""
    (content,) = made.content
    assert isinstance(content, TextContent)
    return content.text


class Framed(NamedTuple):
    """A text in its frame, as an agent takes it apart that believes the first line alone."""

    boundary: str
    inside: str
    after: str


def unframed(text: str) -> Framed:
    """Take a text out of its frame."""
    head, _, rest = text.partition("\n")
    (boundary,) = _boundaries(head)
    opening, closing = f"<<<PAGE {boundary}\n", f"\nPAGE {boundary}>>>"
    assert rest.startswith(opening)
    inside, found, after = rest.removeprefix(opening).partition(closing)
    assert found
    return Framed(boundary, inside, after.strip())


def unframed_line(line: str) -> tuple[str, str]:
    """Take the words of others out of an error; return what the tool says, and them."""
    boundary = _boundaries(line)[0]
    before, _, rest = line.partition(f"<<<PAGE {boundary} ")
    inside, found, after = rest.partition(f" PAGE {boundary}>>>")
    assert (bool(found), after) == (True, "")
    return before, inside


def unframed_values(made: CallToolResult) -> dict[str, Any]:
    """Return the values of a structured result that stand between its marks."""
    names, values = list(made.structured_content), dict(made.structured_content)
    boundary = unframed(text_of(made)).boundary
    assert boundary in values["notice"]
    assert (values["begin"], values["end"]) == (f"<<<PAGE {boundary}", f"PAGE {boundary}>>>")
    inside = names[names.index("begin") + 1 :]
    assert inside.pop() == "end"
    own = values["notice"].rpartition("all values but ")[2].rstrip(".").split(", ")
    assert {*own} == {*names} - {*inside}  # whatever the order of the names
    assert {*own} <= {"notice", "total", "start", "next_start", "begin", "end"}
    found = {name: values[name] for name in inside}
    assert boundary not in str(found)
    return found


def _boundaries(text: str) -> list[str]:
    return re.findall(r"\b[0-9a-f]{32}\b", text)
