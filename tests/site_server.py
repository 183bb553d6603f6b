"""A well-behaved HTTP/1.1 server on this machine, which serves a folder or a table of files and remembers who asked.

It answers as servers of static files do: with ETag and Last-Modified, 304 to conditional requests, index.html for a
folder. A test may change its files while it runs. Servers that misbehave are in `bad_site.py` and `test_fetching.py`.
"""

from __future__ import annotations

import hashlib
import mimetypes
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

TYPES = {
    ".xml": "application/xml",
    ".gz": "application/gzip",
    ".json": "application/feed+json",
    ".html": "text/html",  # the page itself says in which encoding
    ".txt": "text/plain; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}
PATIENCE = 60.0  # seconds, on a busy machine
FIRST_CHANGE = datetime(2024, 5, 15, 12, 0, tzinfo=UTC)  # of all files that were there from the beginning


class Asked(NamedTuple):
    """A request, and the status that it was answered with."""

    method: str
    path: str  # with its query
    status: int
    user_agent: str
    at: float  # time.monotonic()


class File(NamedTuple):
    """A file of the site."""

    body: bytes
    changed: datetime

    @property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.body).hexdigest()[:16]}"'


class SiteServer(ThreadingHTTPServer):
    """Serves files by their paths; `latency` is how many seconds it waits before each answer, `arrived` what came."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files = {path: File(body, FIRST_CHANGE) for path, body in files.items()}
        self.log: list[Asked] = []
        self.arrived: list[str] = []
        self.latency = 0.0
        self._is_open = threading.Event()
        self._is_open.set()
        self.redirects: dict[str, str] = {}  # paths, and where they lead

    @property
    def url(self) -> str:
        """The address of the site's top, with a slash at its end."""
        return f"http://127.0.0.1:{self.server_port}/"

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Answer no request before the end of a `with` statement."""
        self._is_open.clear()
        try:
            yield
        finally:
            self._is_open.set()

    def wait_for(self, count: int) -> None:
        """Wait until so many requests have arrived."""
        until = time.monotonic() + PATIENCE
        while len(self.arrived) < count:
            assert time.monotonic() < until, self.arrived
            time.sleep(0.01)

    def wait(self) -> None:
        """Wait before a request is answered."""
        self._is_open.wait(PATIENCE)
        time.sleep(self.latency)

    def put(self, path: str, body: bytes | str) -> None:
        """Add a file, or change it: its ETag and Last-Modified are new."""
        known = self.files.get(path)
        later = max(datetime.now(UTC), known.changed if known else FIRST_CHANGE)
        self.files[path] = File(body.encode() if isinstance(body, str) else body, later)

    def remove(self, path: str) -> None:
        """Take a file away: from now on it is answered with 404."""
        del self.files[path]

    def asked(self, status: int | None = None) -> list[str]:
        """Return the paths that were asked for, in order; those answered with a status only, where one is given."""
        return [one.path for one in self.log if status in (None, one.status)]

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing when a client hangs up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet
    server: SiteServer

    def do_GET(self) -> None:
        self.server.arrived.append(self.path)
        self.server.wait()
        path = unquote(self.path.partition("?")[0]).lstrip("/")
        name = f"{path}index.html" if not path or path.endswith("/") else path
        found = self.server.files.get(name)
        if path in self.server.redirects:
            self._send(301, b"", {"Location": self.server.redirects[path]})
        elif found:
            self._send_file(name, found)
        elif f"{name}/index.html" in self.server.files:
            self._send(301, b"", {"Location": f"/{path}/"})
        else:
            self._send(404, b"<p>Not found.", {"Content-Type": "text/html"})

    do_HEAD = do_GET

    def _send_file(self, name: str, found: File) -> None:
        validators = {"ETag": found.etag, "Last-Modified": format_datetime(found.changed, usegmt=True)}
        if self._is_known(found):
            self._send(304, b"", validators)
            return
        ending = Path(name).suffix
        declared = TYPES.get(ending) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        self._send(200, found.body, {"Content-Type": declared, **validators})

    def _is_known(self, found: File) -> bool:
        """Whether the client has the file as it is; the ETag decides where it names one."""
        tags = self.headers.get("If-None-Match")
        if tags:
            return tags.strip() == "*" or found.etag in [tag.strip().removeprefix("W/") for tag in tags.split(",")]
        since = self.headers.get("If-Modified-Since")
        return since is not None and found.changed.replace(microsecond=0) <= parsedate_to_datetime(since)

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.server.log.append(
            Asked(self.command, self.path, status, self.headers.get("User-Agent", ""), time.monotonic())
        )
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def files_below(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder by their paths in it."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def serving_site(files: Mapping[str, bytes] | Path) -> Iterator[SiteServer]:
    """Serve files, or those of a folder, for as long as it is wanted."""
    server = SiteServer(files_below(files) if isinstance(files, Path) else files)
    threading.Thread(target=server.serve_forever, daemon=True, kwargs={"poll_interval": 0.01}).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
