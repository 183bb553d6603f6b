"""The bodies of requests: read within limits of size and time, and turned into what they ask."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request

from pagesieve.fetching import HTML_TYPES, media_type
from pagesieve.service.asking import Asked, Given, PageRequest, invalid
from pagesieve.service.problems import Problem

JSON = "application/json"
NDJSON = ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/jsonlines")
PATIENCE = 4  # times the limit: so much of a body that is too large is read and dropped, so that its sender can listen

Model = TypeVar("Model", bound=BaseModel)
T = TypeVar("T")


async def read_asked(request: Request, model: type[PageRequest], limit: int, seconds: float) -> Asked:
    """Return what a request asks: JSON with the page and its options, or the page itself with options in the query."""
    kind = media_type(request.headers.get("content-type"))
    if kind in HTML_TYPES:
        data = await read_body(request, limit, seconds)
        asked = parsed(model, {**_query(request, model), "html": ""})
        given = Given(data, False, request.headers["content-type"], asked.url)
        return Asked(asked.job, given, asked.options())
    return Asked.of(await read_model(request, model, limit, seconds))


async def read_model(request: Request, model: type[Model], limit: int, seconds: float) -> Model:
    """Return the JSON of a request as a model."""
    if media_type(request.headers.get("content-type")) != JSON:
        also = f", or {' or '.join(sorted(HTML_TYPES))}" if issubclass(model, PageRequest) else ""
        raise Problem("unsupported-media-type", f"the body is {JSON}{also}")
    data = await read_body(request, limit, seconds)
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        raise invalid(error) from None


def parsed(model: type[Model], value: object) -> Model:
    """Return a value as a model. Raises Problem."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise invalid(error) from None


def _query(request: Request, model: type[PageRequest]) -> dict[str, Any]:
    """Return the options in the query of a request; one that is a list may be given several times."""
    found: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        values = request.query_params.getlist(field.alias or name)
        if values:
            found[field.alias or name] = values if isinstance(field.default, list) else values[-1]
    unknown = set(request.query_params) - set(found)
    return found | dict.fromkeys(unknown)


async def read_body(request: Request, limit: int, seconds: float) -> bytes:
    """Read the body of a request. Raises Problem where it is too large, or does not arrive in time."""
    _check_length(request, limit)
    parts, size = [], 0
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                size += len(part)
                if size <= limit:
                    parts.append(part)
                elif size > PATIENCE * limit:
                    break
    except TimeoutError as error:
        raise Problem("request-timeout", f"the body did not arrive within {seconds:g} s") from error
    except ClientDisconnect as error:
        raise Problem("bad-request", "the client hung up") from error
    if size > limit:
        raise _too_large(limit)
    return b"".join(parts)


async def unless_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return what some work gives, but give it up where the client hangs up. The body must have been read."""
    task, gone = asyncio.create_task(work), asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Problem("bad-request", "the client hung up")
        return task.result()
    finally:
        for left in (task, gone):
            left.cancel()
        await asyncio.wait({task, gone})


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _check_length(request: Request, limit: int) -> None:
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > PATIENCE * limit:
        raise _too_large(limit)


def _too_large(limit: int) -> Problem:
    return Problem("too-large", f"larger than {limit:,} bytes")


async def read_lines(request: Request, limit: int) -> AsyncIterator[bytes | None]:
    """Yield the lines of a body as they come, without their ends; None for one that is longer than the limit.

    Empty lines are skipped. The memory taken is that of one line.
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
