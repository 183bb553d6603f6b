"""The responses of the service: JSON, problems (RFC 9457), and streams of lines."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import ExitStack, aclosing
from typing import Any, NamedTuple

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pagesieve.errors import (
    AddressRefused,
    FetchError,
    MissingExtra,
    NothingFound,
    PagesieveError,
    RunStopped,
    plain_line,
)
from pagesieve.text.urls import masked
from pagesieve.workers.child import Reason, Sort

PROBLEM_TYPE = "application/problem+json"
TYPES = "urn:pagesieve:problem:"  # the prefix of the types of problems
RETRY_AFTER = 1  # seconds


class Kind(NamedTuple):
    """A kind of problem: the status of the response, and its title."""

    status: int
    title: str


PROBLEMS = {
    "bad-request": Kind(400, "The request cannot be read"),
    "unauthorized": Kind(401, "The request needs a token"),
    "origin-refused": Kind(403, "Requests from other sites are refused"),
    "address-refused": Kind(403, "The address is not a public one"),
    "not-found": Kind(404, "There is nothing here"),
    "no-library": Kind(404, "The service has no site library"),
    "no-corrections": Kind(404, "The service has no folder for corrections"),
    "unknown-site": Kind(404, "The library does not know the site"),
    "method-not-allowed": Kind(405, "The method is not allowed here"),
    "request-timeout": Kind(408, "The request did not arrive in time"),
    "too-large": Kind(413, "The request is too large"),
    "unsupported-media-type": Kind(415, "The service does not read bodies of this type"),
    "misdirected": Kind(421, "The service does not answer for this host"),
    "bad-input": Kind(422, "The input cannot be used"),
    "nothing-found": Kind(422, "The page does not have the requested content"),
    "fetch-failed": Kind(422, "The address gives no page"),
    "page-too-costly": Kind(422, "The page exceeds the memory limit"),
    "busy": Kind(429, "Too many requests are waiting"),
    "failed": Kind(500, "The service failed"),
    "page-died": Kind(500, "The process that read the page died"),
    "unavailable": Kind(503, "The service cannot do this now"),
    "page-timeout": Kind(504, "The page took too long"),
}
STATUS_PROBLEMS = {400: "bad-request", 404: "not-found", 405: "method-not-allowed"}  # for errors of the framework
_REASON_PROBLEMS: dict[Sort, str] = {
    Sort.SIZE: "too-large",
    Sort.TIME: "page-timeout",
    Sort.MEMORY: "page-too-costly",
    Sort.DEATH: "page-died",
    Sort.FAILURE: "failed",
    Sort.NOTHING: "nothing-found",
    Sort.REFUSAL: "bad-input",
}
_TEMPORARY = ("busy", "unavailable")


class Problem(Exception):
    """An error response. `sort` is a key of PROBLEMS; `quotes` is true if the detail quotes a page or its server."""

    def __init__(self, sort: str, detail: str, *, quotes: bool = False, **more: Any) -> None:
        super().__init__(detail)
        self.sort, self.detail, self.quotes, self.more = sort, plain_line(masked(detail)), quotes, more

    @property
    def status(self) -> int:
        """The status of the response."""
        return PROBLEMS[self.sort].status

    @property
    def headers(self) -> dict[str, str]:
        """The headers that the status requires."""
        if self.sort == "unauthorized":
            return {"WWW-Authenticate": "Bearer"}
        if self.sort == "method-not-allowed" and "allow" in self.more:
            return {"Allow": self.more["allow"]}
        return {"Retry-After": str(RETRY_AFTER)} if self.sort in _TEMPORARY else {}

    def as_dict(self) -> dict[str, Any]:
        """Return the problem, ready for JSON."""
        title = PROBLEMS[self.sort].title
        return {"type": TYPES + self.sort, "title": title, "status": self.status, "detail": self.detail} | self.more


def reason_problem(reason: Reason) -> Problem:
    """Return the problem for the reason why a process has no answer."""
    if reason.sort is Sort.FAILURE:  # the details are only in the log, since they may quote the page
        return Problem("failed", "the page could not be read, which is an error of Pagesieve")
    facts = {"facts": reason.facts | {"text": None}} if reason.facts else {}
    detail = f"the page {reason}" if reason.sort in (Sort.TIME, Sort.MEMORY) else str(reason)
    return Problem(_REASON_PROBLEMS[reason.sort], detail, quotes=reason.sort in (Sort.NOTHING, Sort.REFUSAL), **facts)


def error_problem(error: PagesieveError) -> Problem:
    """Return the problem for an error."""
    if isinstance(error, AddressRefused):
        return Problem("address-refused", str(error), quotes=True)
    if isinstance(error, FetchError):
        more = {} if error.status is None else {"upstream_status": error.status}
        return Problem("fetch-failed", str(error), quotes=True, **more)
    if isinstance(error, NothingFound):
        return Problem("nothing-found", str(error), quotes=True)
    if isinstance(error, MissingExtra | RunStopped):
        return Problem("unavailable", str(error))
    return Problem("bad-input", str(error), quotes=True)


# Responses


def to_json(value: Any) -> bytes:
    """Return a value as JSON in UTF-8, without surrogates."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def json_response(value: Any) -> Response:
    """Return the response with a value; bytes are JSON already."""
    return Response(value if isinstance(value, bytes) else to_json(value), media_type="application/json")


def file_response(data: bytes, media_type: str, name: str) -> Response:
    """Return the response with a file to download."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type=media_type, headers=headers)


class ProblemResponse(Response):
    """The response with a problem; the log names its type."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(to_json(problem.as_dict()), problem.status, problem.headers, PROBLEM_TYPE)
        self._sort = problem.sort

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the problem."""
        scope.setdefault("state", {})["problem"] = self._sort
        await super().__call__(scope, receive, send)


class LinesResponse(Response):
    """A stream of lines, sent while the request is still arriving; Starlette's own class would read the body."""

    media_type = "application/x-ndjson"

    def __init__(self, lines: AsyncGenerator[bytes, None], resources: ExitStack) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._lines = lines
        self._resources = resources  # closed when the last line is sent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines."""
        with self._resources:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            await send({"type": "http.response.body", "body": b"", "more_body": True})  # the head, at once
            async with aclosing(self._lines) as lines:
                async for line in lines:
                    await send({"type": "http.response.body", "body": line + b"\n", "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
