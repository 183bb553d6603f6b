"""Calls of the tools: each asks the engine of the service, and ends in a result or in one line that says why not."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from mcp.types import CallToolResult, TextContent

from pagesieve.child import shortened
from pagesieve.service.answers import encoded
from pagesieve.service.asking import Asked
from pagesieve.service.bodies import parsed
from pagesieve.service.engine import Engine
from pagesieve.service.mcp.framing import Frame
from pagesieve.service.mcp.keeping import Kept
from pagesieve.service.mcp.results import Made, Part, Shown
from pagesieve.service.mcp.tools import TOOLS, PageTool
from pagesieve.service.problems import PROBLEMS, Problem
from pagesieve.service.watching import LOG, shown_address

SETTLING = 0.1  # seconds until a message that was read is a call, and until an answer is written


class Calls:
    """Does what agents call for. A call that is cancelled gives its place back, at the latest when its page is read."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._kept = Kept()
        self._running: set[asyncio.Task[Made]] = set()

    async def answer(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        """Return the result of a tool, or the error that it ends in."""
        began, fields = time.perf_counter(), {"tool": name}
        try:
            return _told(await self._shown(name, arguments, fields), arguments.get("url"))
        except Problem as problem:
            fields["problem"] = problem.sort
            return _failed(problem)
        except Exception:
            LOG.exception("failure", extra={"fields": {"tool": name}})
            fields["problem"] = "failed"
            return _failed(Problem("failed", "an error of Pagesieve; its log has more"))
        finally:
            ms = round(1000 * (time.perf_counter() - began), 1)
            LOG.info("call", extra={"fields": fields | {"ms": ms}})

    async def settle(self) -> None:
        """Wait until all calls are answered."""
        await asyncio.sleep(SETTLING)
        while self._running:
            await asyncio.wait(self._running)
            await asyncio.sleep(SETTLING)

    async def _shown(self, name: str, arguments: dict[str, Any], fields: dict[str, Any]) -> Shown:
        tool = parsed(TOOLS[name], arguments)
        asked = tool.asked(self._engine.options.sites is not None)
        if asked.given.data is None and asked.given.url is not None:
            fields["address"] = shown_address(asked.given.url)
        made = self._kept.get(asked) if tool.is_continued else None
        if made is None:
            made = await self._made(asked)
        return self._kept_shown(tool, asked, made)

    def _kept_shown(self, tool: PageTool, asked: Asked, made: Made) -> Shown:
        """Show what was made, and keep it as long as there is more of it."""
        shown = tool.show(made)
        if isinstance(shown.result, Part) and shown.result.next_start is not None:
            self._kept.put(asked, made)
        return shown

    async def _made(self, asked: Asked) -> Made:
        task = asyncio.create_task(self._ask(asked))
        self._running.add(task)
        task.add_done_callback(self._done)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()  # once: the SDK would cancel it again and again, and it may have to wait for its process
            raise

    def _done(self, task: asyncio.Task[Made]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # of a call that was cancelled nobody asks for it

    async def _ask(self, asked: Asked) -> Made:
        limit = self._engine.options.max_bytes
        if asked.given.data is not None and len(asked.given.data) > limit:
            raise Problem("too-large", f"html is larger than {limit:,} bytes")
        with self._engine.place():
            made: Made = json.loads(encoded(await self._engine.answer_json(asked)))
        return made


def _told(shown: Shown, url: str | None) -> CallToolResult:
    after = ""
    if isinstance(shown.result, Part):
        part = shown.result
        after = f"This part begins at {part.start} of {part.total}. "
        after += "It is the last." if part.next_start is None else f"Call again with start={part.next_start} to go on."
    own, values = shown.result.split()
    frame = Frame(shown.text, json.dumps(values, ensure_ascii=False))
    text = TextContent(text=frame.around(shown.text, url, after))
    return CallToolResult(content=[text], structured_content=frame.around_values(own, values))


def _failed(problem: Problem) -> CallToolResult:
    detail = shortened(problem.detail)
    line = f"{PROBLEMS[problem.sort].title}: {Frame(detail).around_line(detail) if problem.quotes else detail}"
    return CallToolResult(content=[TextContent(text=line)], is_error=True)
