"""Read the bodies of requests within limits of size and time, and process the lines of batches."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Set
from contextlib import suppress
from dataclasses import replace
from typing import Any

from starlette.requests import Request

from pagesieve.fetching import HTML_TYPES, media_type
from pagesieve.service.engine import Engine
from pagesieve.service.responses import Problem, to_json
from pagesieve.service.schemas import REQUESTS, Job, Model, PageRequest, parse

JSON = "application/json"
NDJSON = ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/jsonlines")
PATIENCE = 4  # times the limit: so much of a too large body is read and dropped, so that the client gets the response
MAX_ID = 1000  # characters
AHEAD = 2  # pages of a batch, for each process, that are being fetched or wait, so that no process is idle


async def read_job(request: Request, model: type[PageRequest], engine: Engine) -> Job:
    """Return the job of a request: JSON with page and options, or the page itself with the options in the query."""
    if media_type(request.headers.get("content-type")) not in HTML_TYPES:
        return (await read_model(request, model, engine)).to_job()
    data = await read_body(request, engine, engine.options.max_bytes)
    job = parse(model, {**_query(request, model), "html": ""}).to_job()
    return replace(job, html=data, content_type=request.headers["content-type"])


async def read_model(request: Request, model: type[Model], engine: Engine) -> Model:
    """Return the JSON of a request as a model."""
    if media_type(request.headers.get("content-type")) != JSON:
        also = f", or {' or '.join(sorted(HTML_TYPES))}" if issubclass(model, PageRequest) else ""
        raise Problem("unsupported-media-type", f"the body is {JSON}{also}")
    return parse(model, await read_body(request, engine, engine.options.max_bytes))


def _query(request: Request, model: type[PageRequest]) -> dict[str, Any]:
    """Return the options in the query of a request; repeated names make a list."""
    options: dict[str, Any] = dict.fromkeys(request.query_params)  # the model refuses unknown options
    for name, field in model.model_fields.items():
        if values := request.query_params.getlist(field.alias or name):
            options[field.alias or name] = values if isinstance(field.default, list) else values[-1]
    return options


async def read_body(request: Request, engine: Engine, limit: int) -> bytes:
    """Read the body of a request. Raise Problem if it is too large or too slow, or if there is no room for it."""
    too_large = Problem("too-large", f"larger than {limit:,} bytes")
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > PATIENCE * limit:
        raise too_large
    parts, size, seconds = [], 0, engine.options.timeout
    try:
        with engine.body() as take:
            async with asyncio.timeout(seconds):
                async for part in request.stream():
                    size += len(part)
                    if size <= limit:
                        take(len(part))
                        parts.append(part)
                    elif size > PATIENCE * limit:
                        break
    except TimeoutError as error:
        raise Problem("request-timeout", f"the body did not arrive within {seconds:g} s") from error
    if size > limit:
        raise too_large
    return b"".join(parts)


async def read_lines(request: Request, limit: int) -> AsyncIterator[bytes | None]:
    """Yield the lines of a body as they arrive, without line ends, and None for a line longer than the limit.

    Skip empty lines. Hold no more than one line in memory.
    """
    rest, is_long = bytearray(), False
    async for part in request.stream():
        *ended, last = part.split(b"\n")
        for piece in ended:
            rest += piece
            if is_long or len(rest) > limit:
                yield None
            elif line := bytes(rest).strip():
                yield line
            rest, is_long = bytearray(), False
        rest += last
        if len(rest) > limit:
            rest, is_long = bytearray(), True
    if is_long:
        yield None
    elif line := bytes(rest).strip():
        yield line


# Batches


_TOO_SLOW = (
    "the lines come too slowly: the service waits {0.timeout:g} s for them in total, and a second longer for each"
    " {0.min_rate:,} bytes that arrive"
)

_Work = asyncio.Task[bytes]
_Pending = asyncio.Queue[_Work | bytes | None]  # a page; the last line; the end


async def run_batch(lines: AsyncIterator[bytes | None], engine: Engine) -> AsyncGenerator[bytes, None]:
    """Yield a response for each line: its number, its id if it has one, and its result or problem.

    If the lines come too slowly, or the service shuts down, the last response says so and has no number.
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
    """Start to process each line that arrives, as long as there is room."""
    number = 0
    try:
        async for line in _until_end(lines, engine, working):
            number += 1
            work = asyncio.create_task(_answer(line, number, engine))
            working.add(work)
            work.add_done_callback(working.discard)
            await pending.put(work)
    except Problem as problem:
        await pending.put(_refusal({}, problem))
    await pending.put(None)


async def _until_end(
    lines: AsyncIterator[bytes | None], engine: Engine, working: Set[_Work]
) -> AsyncIterator[bytes | None]:
    """Yield lines as they arrive. Raise Problem if they come too slowly, or if the service shuts down."""
    options = engine.options
    ending = asyncio.create_task(engine.draining.wait())
    upcoming: asyncio.Task[bytes | str | None] | None = None
    left = options.timeout  # seconds that remain for the next lines
    try:
        while True:
            upcoming = asyncio.create_task(_next(lines))
            left -= await _wait({upcoming, ending}, working, left)
            if upcoming.done():
                line = upcoming.result()
                if isinstance(line, str):
                    return
                size = options.max_bytes if line is None else len(line)
                left = min(options.timeout, left + size / options.min_rate)
                yield line
            elif ending.done():
                raise Problem("unavailable", "the service shuts down: send the lines without a response again")
            else:
                raise Problem("request-timeout", _TOO_SLOW.format(options))
    finally:
        for task in filter(None, (ending, upcoming)):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def _wait(any_of: set[asyncio.Task[Any]], working: Set[_Work], seconds: float) -> float:
    """Wait for any of some tasks, and return how many seconds passed while there was no work to do."""
    while working and not any(task.done() for task in any_of):
        await asyncio.wait({*any_of, *working}, return_when=asyncio.FIRST_COMPLETED)
    began = time.monotonic()
    await asyncio.wait(any_of, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    return time.monotonic() - began


async def _next(lines: AsyncIterator[bytes | None]) -> bytes | str | None:
    """Return the next line, or a str after the last one."""
    return await anext(lines, "")


async def _answer(line: bytes | None, number: int, engine: Engine) -> bytes:
    """Return the response to a line, even an invalid one: JSON with the number of the line, and its id if any."""
    answer: dict[str, Any] = {"line": number}
    try:
        if line is None:
            raise Problem("too-large", f"the line is larger than {engine.options.max_bytes:,} bytes")
        value = _parse_line(line)
        if isinstance(value.get("id"), str | int):
            if len(str(value["id"])) > MAX_ID:
                raise Problem("bad-input", f"id is longer than {MAX_ID:,} characters")
            answer["id"] = value["id"]
        result = await engine.answer(_line_job(value), patient=True)
        return b'%s,"status":200,"result":%s}' % (to_json(answer)[:-1], result)
    except Problem as problem:
        return _refusal(answer, problem)


def _parse_line(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise Problem("bad-input", "the line is not JSON") from None
    if not isinstance(value, dict):
        raise Problem("bad-input", "the line is not a JSON object")
    return value


def _line_job(value: dict[str, Any]) -> Job:
    name = value.get("job", "article")
    if not isinstance(name, str) or name not in REQUESTS:
        raise Problem("bad-input", f"job is one of {', '.join(REQUESTS)}")
    return parse(REQUESTS[name], {key: value[key] for key in value if key not in ("id", "job")}).to_job()


def _refusal(answer: dict[str, Any], problem: Problem) -> bytes:
    return to_json({**answer, "status": problem.status, "problem": problem.as_dict()})
