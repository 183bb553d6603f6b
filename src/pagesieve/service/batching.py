"""Batches: a line of JSON for each page in, a line for each out, in the same order and as soon as they are there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from typing import Any

from starlette.requests import ClientDisconnect

from pagesieve.service.answers import encoded, written
from pagesieve.service.asking import REQUESTS, Asked
from pagesieve.service.bodies import parsed
from pagesieve.service.engine import Engine
from pagesieve.service.problems import Problem

AHEAD = 2  # pages of a batch for each process that are fetched or wait: a process need not wait for the next

_Pending = asyncio.Queue["asyncio.Task[bytes] | bytes | None"]  # a page; the last line; the end


async def run_batch(lines: AsyncIterator[bytes | None], engine: Engine) -> AsyncGenerator[bytes, None]:
    """Yield a line for each that comes: its number, its id if it had one, and its result or problem.

    Where no line comes in time, or the service is about to end, the last line says so, and has no number.
    """
    pending: _Pending = asyncio.Queue(AHEAD * engine.options.workers)
    taking = asyncio.create_task(_take(lines, engine, pending))
    try:
        while (one := await pending.get()) is not None:
            yield one if isinstance(one, bytes) else await one
    finally:
        taking.cancel()
        while not pending.empty():
            if isinstance(left := pending.get_nowait(), asyncio.Task):
                left.cancel()


async def _take(lines: AsyncIterator[bytes | None], engine: Engine, pending: _Pending) -> None:
    """Begin with each line that comes, as long as there is room."""
    number = 0
    try:
        async for line in _until_end(lines, engine):
            number += 1
            await pending.put(asyncio.create_task(_answered(line, number, engine)))
    except Problem as problem:
        await pending.put(_refused({}, problem))
    except ClientDisconnect:
        pass
    await pending.put(None)


async def _until_end(lines: AsyncIterator[bytes | None], engine: Engine) -> AsyncIterator[bytes | None]:
    """Yield lines as they come. Raises Problem where none comes in time, or the service is about to end."""
    seconds = engine.options.timeout
    ending = asyncio.create_task(engine.draining.wait())
    coming: asyncio.Task[bytes | str | None] | None = None
    try:
        while True:
            coming = asyncio.create_task(_next(lines))
            await asyncio.wait({coming, ending}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                line = coming.result()
                if isinstance(line, str):
                    return
                yield line
            elif ending.done():
                raise Problem("unavailable", "the service ends: send the lines that have no answer again")
            else:
                raise Problem("request-timeout", f"no line came within {seconds:g} s")
    finally:
        for task in filter(None, (ending, coming)):
            task.cancel()
            with suppress(asyncio.CancelledError, ClientDisconnect):
                await task


async def _next(lines: AsyncIterator[bytes | None]) -> bytes | str | None:
    """Return the next line; a str where there is none."""
    return await anext(lines, "")


async def _answered(line: bytes | None, number: int, engine: Engine) -> bytes:
    """Return what is said of a line, whatever it is."""
    known: dict[str, Any] = {"line": number}
    try:
        if line is None:
            raise Problem("too-large", f"the line is larger than {engine.options.max_bytes:,} bytes")
        result = await engine.answer_json(_asked(line, known), patient=True)
        return b'%s,"status":200,"result":%s}' % (written(known)[:-1], encoded(result))
    except Problem as problem:
        return _refused(known, problem)


def _asked(line: bytes, known: dict[str, Any]) -> Asked:
    """Return what a line asks; add its id to what is known of it."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise Problem("bad-input", "the line is not JSON") from None
    if not isinstance(value, dict):
        raise Problem("bad-input", "the line is not a JSON object")
    if isinstance(name := value.pop("id", None), str | int):
        known["id"] = name
    job = value.pop("job", "article")
    if not isinstance(job, str) or job not in REQUESTS:
        raise Problem("bad-input", f"job is one of {', '.join(REQUESTS)}")
    return Asked.of(parsed(REQUESTS[job], value))


def _refused(known: dict[str, Any], problem: Problem) -> bytes:
    return written({**known, "status": problem.status, "problem": problem.as_dict()})
