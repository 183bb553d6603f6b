"""Middleware for every request: security headers, log and metrics, access control, and cancellation.

The log has a line of JSON for each request. Neither the log nor the metrics contain anything from a page.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import time
import traceback
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pagesieve.service import ServiceOptions, is_loopback
from pagesieve.service.engine import Engine
from pagesieve.service.responses import Problem, ProblemResponse
from pagesieve.text.urls import masked

OPEN = ("/", "/healthz", "/readyz", "/openapi.json")  # no token needed, nor for STATIC: they reveal nothing of a page
STATIC = "/static/"
OWN_SITES = ("same-origin", "none")  # none: the user typed the address, or opened a bookmark

# The web page may run only its own scripts and connect only to the service; a response may do nothing at all.
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types page-source"
)
_ANSWER_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}

METHODS = ("GET", "HEAD", "POST", "DELETE", "OPTIONS")
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)  # of the histogram

GONE = "gone"  # the key, in the state of a request, of the event that is set when its client disconnects

LOG = logging.getLogger("pagesieve.service")


class _Middleware:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an HTTP request, and pass all else on."""
        await (self._handle if scope["type"] == "http" else self._app)(scope, receive, send)

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        raise NotImplementedError


# Headers and access control


class SecurityHeaders(_Middleware):
    """Adds the security headers for browsers to every response."""

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_static = scope["path"].startswith(STATIC)
        is_page = is_static or scope["path"] == "/"

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                headers["Content-Security-Policy"] = _PAGE_POLICY if is_page else _ANSWER_POLICY
                headers["Cache-Control"] = "no-cache" if is_static else "no-store"  # "/" depends on who opened it
            await send(message)

        await self._app(scope, receive, sending)


class AccessControl(_Middleware):
    """Refuses requests that other sites make a browser send, and requests without the token if one is set."""

    def __init__(self, app: ASGIApp, options: ServiceOptions) -> None:
        super().__init__(app)
        self._token = options.token
        self._is_loopback = is_loopback(options.host)

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        problem = self._refusal(scope)
        await (self._app if problem is None else ProblemResponse(problem))(scope, receive, send)

    def _refusal(self, scope: Scope) -> Problem | None:
        headers, path = Headers(scope=scope), scope["path"]
        host = headers.get("host", "")
        if self._is_loopback and not is_loopback(_name(host)):
            # A site can let its own name resolve to this machine (DNS rebinding) and share the origin of the service.
            return Problem("misdirected", "the Host header does not name this machine")
        if (origin := headers.get("origin")) is not None and not _is_same(origin, host):
            return Problem("origin-refused", "the Origin header names another site")
        is_open = path in OPEN or path.startswith(STATIC)
        if not is_open and headers.get("sec-fetch-site", "none") not in OWN_SITES:
            return Problem("origin-refused", "another site has made a browser send this")
        if self._token is not None and not is_open and not self._has_token(headers.get("authorization", "")):
            return Problem("unauthorized", "send the header Authorization: Bearer TOKEN")
        return None

    def _has_token(self, authorization: str) -> bool:
        """Whether a header has the token. The comparison takes the same time for all headers."""
        assert self._token is not None
        scheme, _, token = authorization.partition(" ")
        same = hmac.compare_digest(token.strip().encode("utf-8", "replace"), self._token.encode())
        return scheme.lower() == "bearer" and same


def _name(host: str) -> str:
    """Return the name in a Host header without the port, or an empty string if the header is invalid."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_same(origin: str, host: str) -> bool:
    """Whether an origin is that of the service under the name that the client uses."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


# Log and figures


class Lines(logging.Formatter):
    """Formats a log record as a line of JSON. An exception is its type and traceback, without the message."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        line |= getattr(record, "fields", {})
        line = {name: masked(value) if isinstance(value, str) else value for name, value in line.items()}
        if record.exc_info and record.exc_info[1] is not None:
            line["exception"] = type(record.exc_info[1]).__name__
            frames = traceback.extract_tb(record.exc_info[2])
            line["at"] = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames]
        return json.dumps(line, ensure_ascii=False)


def log_to_stderr() -> None:
    """Send the logs of the service, of uvicorn and of all libraries to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(Lines())
    for name, level in (("pagesieve.service", logging.INFO), ("uvicorn", logging.WARNING), ("", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)


def address_for_log(url: str) -> str:
    """Return an address for the log, without user name, password and query, which may hold secrets."""
    try:
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.hostname or ''}{parts.path}"[:200]
    except ValueError:
        return "not a URL"


class Figures:
    """The metrics of a service."""

    def __init__(self, engine: Engine) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        labels = ("route", "method", "status")
        self.requests = Counter("pagesieve_requests", "Requests answered.", labels, registry=registry)
        self.seconds = Histogram(
            "pagesieve_request_seconds", "How long they took.", ("route",), buckets=SECONDS, registry=registry
        )
        self.problems = Counter("pagesieve_problems", "Requests with a problem, by sort.", ("sort",), registry=registry)
        for name, text, value in (
            ("pagesieve_requests_accepted", "Requests that have a place.", lambda: engine.accepted),
            ("pagesieve_bodies_arriving", "Bodies of requests that are arriving.", lambda: engine.arriving),
            ("pagesieve_pages_running", "Pages that are read now.", lambda: engine.running),
            ("pagesieve_workers", "Processes that read pages.", lambda: engine.options.workers),
        ):
            Gauge(name, text, registry=registry).set_function(value)


class RequestLog(_Middleware):
    """Logs and counts every request, gives it an id, and sends a response if the service fails."""

    def __init__(self, app: ASGIApp, figures: Figures) -> None:
        super().__init__(app)
        self._figures = figures

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = _Exchange(scope)

        async def receiving() -> Message:
            message = await receive()
            exchange.received += len(message.get("body", b""))
            return message

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                exchange.status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = exchange.id
            exchange.sent += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receiving, sending)
        except Exception:
            LOG.exception("failure", extra={"fields": {"id": exchange.id}})
            if exchange.status == 0:
                problem = Problem("failed", f"an error of Pagesieve; the log has it as {exchange.id}")
                await ProblemResponse(problem)(scope, receive, sending)
        finally:
            self._log(exchange)

    def _log(self, exchange: _Exchange) -> None:
        scope, seconds = exchange.scope, time.perf_counter() - exchange.began
        method = scope["method"] if scope["method"] in METHODS else "other"
        state = scope.get("state", {})
        self._figures.requests.labels(exchange.route, method, exchange.status).inc()
        self._figures.seconds.labels(exchange.route).observe(seconds)
        fields = {"id": exchange.id, "method": method, "route": exchange.route, "status": exchange.status}
        fields |= {"ms": round(1000 * seconds, 1), "received": exchange.received, "sent": exchange.sent}
        if "problem" in state:
            self._figures.problems.labels(state["problem"]).inc()
            fields["problem"] = state["problem"]
        if state.get("address"):
            fields["address"] = address_for_log(state["address"])
        LOG.info("request", extra={"fields": fields})


class _Exchange:
    """A request and its response, for the log."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.id = uuid.uuid4().hex
        self.began = time.perf_counter()
        self.status = self.received = self.sent = 0

    @property
    def route(self) -> str:
        """The pattern of the route, which has no part of the requested address."""
        return str(getattr(self.scope.get("route"), "path", "other"))


# The end of the client


class UntilGone(_Middleware):
    """Cancels the work on a request when its client disconnects.

    The connection sets an event in the state of the request, which works even while nothing reads the body.
    """

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = _Connection(receive, send, scope.get("state", {}).get(GONE) or asyncio.Event())
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
        return await ProblemResponse(Problem("bad-request", "the client hung up"))(scope, receive, send)


class _Connection:
    """The channels of a request and its response."""

    def __init__(self, receive: Receive, send: Send, gone: asyncio.Event) -> None:
        self._receive, self._send = receive, send
        self.gone = gone  # set when the client has disconnected
        self.is_answered = False  # whether the last part of the response was sent

    async def receive(self) -> Message:
        """Return the next part of the body. If the client has disconnected, wait for cancellation."""
        message = await self._receive()
        if message["type"] == "http.disconnect" and not self.is_answered:
            self.gone.set()
            await asyncio.Future()
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the response."""
        self.is_answered = message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)
