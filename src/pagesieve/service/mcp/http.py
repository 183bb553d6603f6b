"""The MCP server over HTTP, at /mcp, with the access control, limits and log of the service.

It has no sessions: each POST is a message with its response. So you can restart it, and run several of them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from pagesieve.service import ServiceOptions
from pagesieve.service.app import bare_app
from pagesieve.service.engine import Engine
from pagesieve.service.mcp.server import Calls, create_server
from pagesieve.service.requests import read_body

PATH = "/mcp"
ROOM = 2  # times the limit of a page: JSON makes a page longer, and a tool can report that a page is too large


def create_mcp_app(options: ServiceOptions) -> FastAPI:
    """Create the application of an MCP server, with the endpoints for operators."""
    engine = Engine(options)
    server = create_server(Calls(engine), browser=options.browser)
    limit = ROOM * options.max_bytes
    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True, max_request_body_size=limit)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with engine.started(), manager.run():
            yield

    async def endpoint(request: Request) -> Response:
        """Answer a message of the Model Context Protocol."""
        return await _answer(manager, request, await read_body(request, engine, limit))  # a call takes a place

    app = bare_app(engine, lifespan=lifespan, openapi_url=None)
    app.add_api_route(PATH, endpoint, methods=["POST"])
    return app


async def _answer(manager: StreamableHTTPSessionManager, request: Request, body: bytes) -> Response:
    """Return the SDK's response to a message."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
    answer: list[Message] = []

    async def receive() -> Message:
        return messages.pop() if messages else await request.receive()

    async def send(message: Message) -> None:
        answer.append(message)

    await manager.handle_request(request.scope, receive, send)
    return _Messages(answer)


class _Messages(Response):
    """A response made of the ASGI messages that the SDK has sent."""

    def __init__(self, messages: list[Message]) -> None:
        super().__init__()
        self._messages = messages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the messages."""
        for message in self._messages:
            await send(message)
