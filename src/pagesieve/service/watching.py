"""What operators see: a line of JSON for each request, and figures for Prometheus. Neither has anything of a page."""

from __future__ import annotations

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
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pagesieve.service.answers import problem_response
from pagesieve.service.engine import Engine
from pagesieve.service.problems import Problem
from pagesieve.text.urls import masked

METHODS = ("GET", "HEAD", "POST", "DELETE", "OPTIONS")
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)  # of the histogram

LOG = logging.getLogger("pagesieve.service")


class Lines(logging.Formatter):
    """Writes what is logged as a line of JSON. Of an exception it has the type and the places, not the message."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
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
    """Send the logs of the service, of the server below it and of all libraries to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(Lines())
    for name, level in (("pagesieve.service", logging.INFO), ("uvicorn", logging.WARNING), ("", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)


def shown_address(url: str) -> str:
    """Return an address for the log: without its query, which may hold secrets, and without a name and password."""
    try:
        found = urlsplit(url)
        return f"{found.scheme}://{found.hostname or ''}{found.path}"[:200]
    except ValueError:
        return "not a URL"


class Figures:
    """The figures of a service."""

    def __init__(self, engine: Engine) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        labels = ("route", "method", "status")
        self.requests = Counter("pagesieve_requests", "Requests answered.", labels, registry=registry)
        self.seconds = Histogram(
            "pagesieve_request_seconds", "How long they took.", ("route",), buckets=SECONDS, registry=registry
        )
        self.problems = Counter("pagesieve_problems", "Requests with a problem, by sort.", ("sort",), registry=registry)
        accepted = Gauge("pagesieve_requests_accepted", "Requests that have a place.", registry=registry)
        accepted.set_function(lambda: engine.accepted)
        arriving = Gauge("pagesieve_bodies_arriving", "Bodies of requests that are arriving.", registry=registry)
        arriving.set_function(lambda: engine.arriving.count)
        running = Gauge("pagesieve_pages_running", "Pages that are read now.", registry=registry)
        running.set_function(lambda: engine.running)
        workers = Gauge("pagesieve_workers", "Processes that read pages.", registry=registry)
        workers.set(engine.options.workers)


class Watch:
    """Logs and counts every request, gives it an id, and answers where the service fails."""

    def __init__(self, app: ASGIApp, figures: Figures) -> None:
        self._app, self._figures = app, figures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        seen = _Seen(scope)

        async def receiving() -> Message:
            message = await receive()
            seen.received += len(message.get("body", b""))
            return message

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen.status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = seen.id
            seen.sent += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receiving, sending)
        except Exception:
            LOG.exception("failure", extra={"fields": {"id": seen.id}})
            if seen.status == 0:
                problem = Problem("failed", f"an error of Pagesieve; the log has it as {seen.id}")
                await problem_response(problem)(scope, receive, sending)
        finally:
            self._note(seen)
        return None

    def _note(self, seen: _Seen) -> None:
        scope, seconds = seen.scope, time.perf_counter() - seen.began
        method = scope["method"] if scope["method"] in METHODS else "other"
        state = scope.get("state", {})
        self._figures.requests.labels(seen.route, method, seen.status).inc()
        self._figures.seconds.labels(seen.route).observe(seconds)
        fields = {"id": seen.id, "method": method, "route": seen.route, "status": seen.status}
        fields |= {"ms": round(1000 * seconds, 1), "received": seen.received, "sent": seen.sent}
        if "problem" in state:
            self._figures.problems.labels(state["problem"]).inc()
            fields["problem"] = state["problem"]
        if state.get("address"):
            fields["address"] = shown_address(state["address"])
        LOG.info("request", extra={"fields": fields})


class _Seen:
    """What is seen of a request."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.id = uuid.uuid4().hex
        self.began = time.perf_counter()
        self.status = self.received = self.sent = 0

    @property
    def route(self) -> str:
        """The pattern of the address, which has nothing of what was asked."""
        return str(getattr(self.scope.get("route"), "path", "other"))
