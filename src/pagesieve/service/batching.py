"""Batches: a line of JSON for each page in, a line for each out, in the same order and as soon as they are there."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Set
from contextlib import suppress
from typing import Any

from pagesieve.service.answers import encoded, written
from pagesieve.service.asking import REQUESTS, Asked
from pagesieve.service.bodies import parsed
from pagesieve.service.engine import Engine
from pagesieve.service.problems import Problem

LONGEST_ID = 1000  # characters
AHEAD = 2  # pages of a batch for each process that are fetched or wait: a process need not wait for the next

_TOO_SLOW = (
    "the lines come too slowly: the service waits {0.timeout:g} s for them in all, and a second longer for each"
    " {0.min_rate:,} bytes that arrive"
)

_Work = asyncio.Task[bytes]
_Pending = asyncio.Queue[_Work | bytes | None]  # a page; the last line; the end


async def run_batch(lines: AsyncIterator[bytes | None], engine: Engine) -> AsyncGenerator[bytes, None]:
    """Yield a line for each that comes: its number, its id if it had one, and its result or problem.

    Where lines come too slowly, or the service is about to end, the last line says so, and has no number.
    """
    pending: _Pending = asyncio.Queue(AHEAD * engine.options.workers)
    working = set[_Work]()
    taking = asyncio.create_task(_take(lines, engine, pending, working))
    try:
        while (one := await pending.get()) is not None:
            yield one if isinstance(one, bytes) else await one
    finally:
        for task in (left := (taking, *working)):
            task.cancel()
        await asyncio.wait(left)


async def _take(lines: AsyncIterator[bytes | None], engine: Engine, pending: _Pending, working: set[_Work]) -> None:
    """Begin with each line that comes, as long as there is room."""
    number = 0
    try:
        async for line in _until_end(lines, engine, working):
            number += 1
            work = asyncio.create_task(_answered(line, number, engine))
            working.add(work)
            work.add_done_callback(working.discard)
            await pending.put(work)
    except Problem as problem:
        await pending.put(_refused({}, problem))
    await pending.put(None)


async def _until_end(
    lines: AsyncIterator[bytes | None], engine: Engine, working: Set[_Work]
) -> AsyncIterator[bytes | None]:
    """Yield lines as they come. Raises Problem where they come too slowly, or the service is about to end."""
    options = engine.options
    ending = asyncio.create_task(engine.draining.wait())
    coming: asyncio.Task[bytes | str | None] | None = None
    left = options.timeout  # seconds that the next lines may be waited for
    try:
        while True:
            coming = asyncio.create_task(_next(lines))
            left -= await _waited({coming, ending}, working, left)
            if coming.done():
                line = coming.result()
                if isinstance(line, str):
                    return
                size = options.max_bytes if line is None else len(line)
                left = min(options.timeout, left + size / options.min_rate)
                yield line
            elif ending.done():
                raise Problem("unavailable", "the service ends: send the lines that have no answer again")
            else:
                raise Problem("request-timeout", _TOO_SLOW.format(options))
    finally:
        for task in filter(None, (ending, coming)):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def _waited(any_of: set[asyncio.Task[Any]], working: Set[_Work], most: float) -> float:
    """Wait for any of some tasks; return how many seconds, of `most`, it took while there was no work to do."""
    while working and not any(task.done() for task in any_of):
        await asyncio.wait({*any_of, *working}, return_when=asyncio.FIRST_COMPLETED)
    began = time.monotonic()
    await asyncio.wait(any_of, timeout=most, return_when=asyncio.FIRST_COMPLETED)
    return time.monotonic() - began


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
        if len(str(name)) > LONGEST_ID:
            raise Problem("bad-input", f"id is longer than {LONGEST_ID:,} characters")
        known["id"] = name
    job = value.pop("job", "article")
    if not isinstance(job, str) or job not in REQUESTS:
        raise Problem("bad-input", f"job is one of {', '.join(REQUESTS)}")
    return Asked.of(parsed(REQUESTS[job], value))


def _refused(known: dict[str, Any], problem: Problem) -> bytes:
    return written({**known, "status": problem.status, "problem": problem.as_dict()})
