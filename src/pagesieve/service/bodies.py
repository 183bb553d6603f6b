"""The bodies of requests: read within limits of size and time, and turned into what they ask."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pagesieve.fetching import HTML_TYPES, media_type
from pagesieve.service.answers import problem_response
from pagesieve.service.asking import Asked, Given, PageRequest, invalid
from pagesieve.service.engine import Engine
from pagesieve.service.problems import Problem

JSON = "application/json"
NDJSON = ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/jsonlines")
PATIENCE = 4  # times the limit: so much of a body that is too large is read and dropped, so that its sender can listen
GONE = "gone"  # the name, in the state of a request, of the event that its client has hung up

Model = TypeVar("Model", bound=BaseModel)


async def read_asked(request: Request, model: type[PageRequest], engine: Engine) -> Asked:
    """Return what a request asks: JSON with the page and its options, or the page itself with options in the query."""
    kind = media_type(request.headers.get("content-type"))
    if kind in HTML_TYPES:
        data = await read_body(request, engine, engine.options.max_bytes)
        asked = parsed(model, {**_query(request, model), "html": ""})
        given = Given(data, False, request.headers["content-type"], asked.url)
        return Asked(asked.job, given, asked.options())
    return Asked.of(await read_model(request, model, engine))


async def read_model(request: Request, model: type[Model], engine: Engine) -> Model:
    """Return the JSON of a request as a model."""
    if media_type(request.headers.get("content-type")) != JSON:
        also = f", or {' or '.join(sorted(HTML_TYPES))}" if issubclass(model, PageRequest) else ""
        raise Problem("unsupported-media-type", f"the body is {JSON}{also}")
    data = await read_body(request, engine, engine.options.max_bytes)
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


async def read_body(request: Request, engine: Engine, limit: int) -> bytes:
    """Read the body of a request. Raises Problem where it is too large, does not arrive in time, or finds no room."""
    _check_length(request, limit)
    parts, size, seconds = [], 0, engine.options.timeout
    try:
        with engine.arriving.body() as take:
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
        raise _too_large(limit)
    return b"".join(parts)


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


class UntilGone:
    """Gives up the work on a request, whatever it is, when its client hangs up.

    The connection says so by an event in the state of the request: who works on a request need not read its body.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        exchange = _Exchange(receive, send, scope.get("state", {}).get(GONE) or asyncio.Event())
        work = asyncio.ensure_future(self._app(scope, exchange.receive, exchange.send))
        gone = asyncio.create_task(exchange.gone.wait())
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            if work.done() or exchange.is_answered:
                return await work
        finally:
            gone.cancel()
            if not work.done():
                work.cancel()
                await asyncio.wait({work})
        return await problem_response(Problem("bad-request", "the client hung up"))(scope, receive, send)


class _Exchange:
    """A request that is being received, and its answer."""

    def __init__(self, receive: Receive, send: Send, gone: asyncio.Event) -> None:
        self._receive, self._send = receive, send
        self.gone = gone  # set when the client has hung up
        self.is_answered = False  # whether the last part of the answer was sent

    async def receive(self) -> Message:
        """Return the next part of the body; where the client has hung up, wait to be cancelled."""
        message = await self._receive()
        if message["type"] == "http.disconnect" and not self.is_answered:
            self.gone.set()
            await asyncio.Future()
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        self.is_answered = message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)
