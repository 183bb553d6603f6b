"""The answers of the service: JSON, problems, and lines that are sent as they are made."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import ExitStack, aclosing
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pagesieve.service.problems import MEDIA_TYPE, Problem


def written(value: Any) -> bytes:
    """Write a value as JSON in UTF-8."""
    return encoded(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def encoded(text: str) -> bytes:
    """Encode JSON in UTF-8, which has no halves of characters."""
    return text.encode("utf-8", "replace")


def json_response(value: Any) -> Response:
    """Return the answer that a value is; one that is bytes is JSON already."""
    return Response(value if isinstance(value, bytes) else written(value), media_type="application/json")


class ProblemResponse(Response):
    """The answer to a request that has a problem, which the log names."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(written(problem.as_dict()), problem.status, problem.headers, MEDIA_TYPE)
        self._sort = problem.sort

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        scope.setdefault("state", {})["problem"] = self._sort
        await super().__call__(scope, receive, send)


def problem_response(problem: Problem) -> Response:
    """Return the answer that a problem is."""
    return ProblemResponse(problem)


class LinesResponse(Response):
    """Lines of JSON, sent while the request is still being received: Starlette's own would read its body."""

    media_type = "application/x-ndjson"

    def __init__(self, lines: AsyncGenerator[bytes, None], held: ExitStack) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._lines = lines
        self._held = held  # closed when the last line is sent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines."""
        with self._held:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            await send({"type": "http.response.body", "body": b"", "more_body": True})  # the head, at once
            async with aclosing(self._lines) as lines:
                async for line in lines:
                    await send({"type": "http.response.body", "body": line + b"\n", "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
