"""A process that does one page at a time, and can be killed: whatever a page does, only that page is lost.

Limits of time and memory have to hold inside compiled code too, where Python's signal handlers do not run. So a page
goes to another process: its bytes in a file in memory (a large page would take many turns through a socket), the rest
over a socket, as lengths and JSON; the reply is a length and JSON. The worker (`Child`) waits as long as a page may
take, then kills the child; the child (`main`) has a limit to its memory, and dies with its worker. What the child makes
of a page is up to a class that the worker names, a `Maker`.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pagesieve.errors import BadLibrary, BadOption, NothingFound, PagesieveError, RunStopped, unforeseen
from pagesieve.processes import ONE_THREAD, die_with_parent, file_in_memory
from pagesieve.text.urls import masked
from pagesieve.text.whitespace import cut

MB = 1 << 20
MOST_RESULT = 64 * MB  # bytes of a page's JSON: rows of records can be far more than their page
LONGEST_REASON = 200  # characters
START_LIMIT = 120.0  # seconds until a child is ready, on a busy machine
END_LIMIT = 5.0  # seconds until a process that has closed its socket is gone
CHUNK = 1 << 18  # bytes read at a time
WORN = 0.5  # of the memory of a page: a child that keeps more than this between pages is replaced

_REQUEST = struct.Struct("!II")  # bytes of the head, of the page
_REPLY = struct.Struct("!?I")  # whether it is the last, bytes
_SURROGATE = re.compile("[\ud800-\udfff]")  # which UTF-8 cannot encode

# The child finds modules where its worker does, and inherits nothing else. It leaves Ctrl-C and SIGTERM to its worker,
# which ends it when the page is done: both may be sent to all processes of a service.
_START = (
    "import signal, sys; [signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)]; "
    "sys.path[:] = sys.argv[2:]; "
    "from pagesieve.child import main; main(int(sys.argv[1]))"
)

LONGEST_TIMEOUT = 86_400.0  # seconds: a day

Reply = dict[str, Any]
About = Mapping[str, Any]  # what is known of a page besides its bytes, ready for JSON
Sort = Literal["size", "time", "memory", "death", "failure", "nothing", "refusal"]


class Reason(str):
    """Why a page has no answer, in one line; `sort` is the limit that it exceeded, or what became of it.

    `facts` is what the page says of itself, where there is nothing else of it.
    """

    sort: Sort
    facts: dict[str, Any]

    def __new__(cls, text: str, sort: Sort, facts: dict[str, Any] | None = None) -> Reason:
        """Make it of its text."""
        made = super().__new__(cls, text)
        made.sort, made.facts = sort, facts or {}
        return made

    def __getnewargs__(self) -> tuple[str, Sort, dict[str, Any]]:  # type: ignore[override]
        """Return what a copy in another process is made of."""
        return str(self), self.sort, self.facts


class Rejected(Exception):
    """There is no answer for a page; the message is the reason."""


class Maker(Protocol):
    """Makes the answers of a child from pages. It is made with the options, a dict that went through JSON."""

    def answer(self, data: bytes, about: About) -> dict[str, Any]:
        """Return what is made of a page, ready for JSON. Raises NothingFound or Rejected where there is nothing.

        The first page is one that the child made itself, and `about` has `warming`: nothing of it is to be kept.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a page may cost."""

    timeout: float = 30.0  # seconds a page
    memory: int = 1024  # MB a page
    max_bytes: int = 20_000_000  # of a page

    def __post_init__(self) -> None:
        for name in ("memory", "max_bytes"):
            if getattr(self, name) <= 0:
                raise BadOption(f"{name} is more than 0, not {getattr(self, name)}")
        if not 0 < self.timeout <= LONGEST_TIMEOUT:  # nan is neither
            raise BadOption(f"timeout is more than 0 and at most {LONGEST_TIMEOUT:.0f}, not {self.timeout}")


# The worker's side


class Child:
    """The process that processes the pages of a worker; started for the first page, and again after it was killed."""

    def __init__(self, maker: str, options: Mapping[str, Any], limits: Limits) -> None:
        self.maker = maker  # of the answers: MODULE:CLASS of a Maker
        self.options = options  # that it is made with
        self.limits = limits
        self._process: subprocess.Popen[bytes] | None = None  # None: not started yet, or killed
        self._line: socket.socket | None = None
        self._page = file_in_memory()

    @property
    def pid(self) -> int | None:
        """The id of the process; None where none runs."""
        return None if self._process is None else self._process.pid

    def answer(self, data: bytes, about: About) -> dict[str, Any] | Reason:
        """Return what is made of a page, or why nothing is. Raises RunStopped where the page is not the cause."""
        if len(data) > self.limits.max_bytes:
            return Reason(f"larger than {self.limits.max_bytes} bytes", "size")
        self._page.seek(0)
        self._page.write(data)
        head = json.dumps(about).encode()
        try:
            reply, last = self._asked(head, len(data))
        except TimeoutError:
            self.close()
            return Reason(f"took longer than {self.limits.timeout:g} s", "time")
        except ChildProcessError:  # it does not start, which is not the page's fault
            raise
        except (OSError, EOFError):
            return Reason(f"died: {_cause(self._ended())}", "death")
        except ValueError as error:
            self.close()
            return Reason(shortened(f"failed: {error}"), "failure")
        except BaseException:  # the answer would be taken for the next page's
            self.close()
            raise
        if last:
            self.close()
        if "stop" in reply:
            raise RunStopped(reply["stop"])
        return reply["answer"] if "answer" in reply else Reason(reply["reject"], reply["sort"], reply.get("facts"))

    def _asked(self, head: bytes, size: int) -> tuple[Reply, bool]:
        """Exchange a request for a reply, once more in a new process where the first died before it took the request.

        The system tells: a socket that is closed with something unread is reset, one that was read to its end is not.
        """
        try:
            return _exchange(self._ready(), head, size, self.limits.timeout)
        except (BrokenPipeError, ConnectionResetError):
            self.close()
            return _exchange(self._ready(), head, size, self.limits.timeout)

    def _ready(self) -> socket.socket:
        """Return the socket to a running process."""
        if self._process is not None and self._process.poll() is not None:
            self.close()  # it died without a page
        if self._line is None:
            self._start()
        assert self._line is not None
        return self._line

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-W", "ignore", "-c", _START, str(self._page.fileno()), *sys.path],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                pass_fds=(self._page.fileno(),),
                env=ONE_THREAD | os.environ,
            )
        self._line = ours
        head = json.dumps([self.maker, self.options, self.limits.memory]).encode()
        try:
            reply, last = _exchange(ours, head, 0, START_LIMIT)
        except (OSError, EOFError, ValueError) as error:
            if isinstance(error, TimeoutError):
                self.close()
                raise RunStopped("the page process does not start: it does not answer") from error
            status = self._ended()
            # Killed by a signal, perhaps for lack of memory: next time it may start.
            sort = ChildProcessError if status < 0 else RunStopped
            raise sort(f"the page process does not start: it died: {_cause(status)}") from error
        if last:
            self.close()
            raise RunStopped(reply["stop"])

    def _ended(self) -> int:
        """Return the exit status of a process that has closed its socket; negative where a signal ended it."""
        assert self._process is not None
        try:
            status = self._process.wait(END_LIMIT)
        except subprocess.TimeoutExpired:
            status = 0
        self.close()
        return status

    def close(self) -> None:
        """End the process, whatever it is doing; the next page starts another."""
        process, line, self._process, self._line = self._process, self._line, None, None
        if line is not None:
            line.close()
        if process is not None:
            process.kill()
            process.wait()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._page.close()

    def __del__(self) -> None:
        self.__exit__()


# One child for each thread: it does one page at a time, and on Linux it dies with the thread that started it.
_THREAD = threading.local()


def thread_child(maker: str, options: Mapping[str, Any], limits: Limits) -> Child:
    """Return the child of this thread, kept while the same is asked for: starting one costs as much as many pages."""
    child: Child | None = getattr(_THREAD, "child", None)
    if child is None or (child.maker, child.options, child.limits) != (maker, options, limits):
        if child is not None:
            child.close()
        child = _THREAD.child = Child(maker, options, limits)
    return child


def _exchange(line: socket.socket, head: bytes, size: int, limit: float) -> tuple[Reply, bool]:
    """Return the reply for a page of some size, and whether it is the last. Raises TimeoutError after `limit` seconds.

    Raises EOFError or OSError where the other side has died, ValueError where what comes is no reply.
    """
    until = time.monotonic() + limit
    line.settimeout(limit)
    line.sendall(_REQUEST.pack(len(head), size) + head)
    last, length = _REPLY.unpack(_receive(line, _REPLY.size, until))
    if length > MOST_RESULT:
        raise ValueError(f"an answer of {length} bytes")
    reply: Reply = json.loads(_receive(line, length, until))
    return reply, last


def _receive(line: socket.socket, size: int, until: float) -> bytes:
    parts = []
    while size:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        line.settimeout(left)
        part = line.recv(min(size, CHUNK))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def shortened(reason: str) -> str:
    """Write a reason as one short line, without the secrets of addresses."""
    return cut(_SURROGATE.sub("\ufffd", masked(" ".join(reason.split()))), LONGEST_REASON)


# The child's side


def main(page: int) -> None:
    """Do pages as they come in the file `page` and over standard input, a socket, until that is closed."""
    die_with_parent()
    with contextlib.suppress(EOFError, OSError):  # the worker has gone
        _serve(socket.socket(fileno=0), page)


def _serve(line: socket.socket, page: int) -> None:
    """Take the options, say whether they are valid, and answer one page after another."""
    head, _ = _request(line)
    name, options, megabytes = json.loads(head)
    try:
        maker = _warmed(name, options)
    except PagesieveError as error:
        _send(line, _encoded({"stop": shortened(str(error))}), last=True)
        return
    gc.freeze()  # what was imported stays, and need not be collected
    memory = _Memory(megabytes)
    _send(line, _encoded({}), last=False)
    last = False
    while not last:
        reply, exhausted = _answer(maker, page, *_request(line), megabytes)
        last = exhausted or memory.is_worn()
        _send(line, reply, last)


def _warmed(name: str, options: dict[str, Any]) -> Maker:
    """Return a Maker that has made an answer already, so that everything it needs is imported and read."""
    module, _, kind = name.partition(":")
    maker: Maker = getattr(importlib.import_module(module), kind)(options)
    item = "<li><h2><a href='/{0}'>Title {0}</a></h2><p>By A. Author, 1 May 2020. Some words about number {0}.</p></li>"
    text = "<p>A sentence that is long enough to be a line of an article, and has a comma, and goes on. Another.</p>"
    items = "".join(item.format(number) for number in range(10))
    page = f"<!doctype html><title>Title</title><h1>Title</h1><ul>{items}</ul><article>{text * 10}</article>"
    with contextlib.suppress(NothingFound, Rejected):
        maker.answer(page.encode(), {"url": "https://pagesieve.invalid/title", "warming": True})
    return maker


def _answer(maker: Maker, page: int, head: bytes, size: int, megabytes: int) -> tuple[bytes, bool]:
    """Return the reply to a page, whatever goes wrong with it; and whether it used up the memory."""
    try:
        reply = _encoded(_reply(maker, head, os.pread(page, size, 0)))
        is_small = len(reply) <= MOST_RESULT
        return reply if is_small else _encoded(_no(f"result larger than {MOST_RESULT // MB} MB", "memory")), False
    except MemoryError:
        return _encoded(_no(f"needs more than {megabytes} MB", "memory")), True


def _reply(maker: Maker, head: bytes, data: bytes) -> Reply:
    """Return the answer for a page, or why there is none. Raises MemoryError only."""
    try:
        return _made(maker, head, data)
    except MemoryError:
        raise
    except Rejected as error:
        return _no(str(error), "refusal")
    except BadLibrary as error:  # every other page would fail as well
        return {"stop": shortened(str(error))}
    except Exception as error:
        return _no(unforeseen(error), "failure")


def _made(maker: Maker, head: bytes, data: bytes) -> Reply:
    """Return the answer for a page; where nothing is found, the facts that it states."""
    try:
        return {"answer": maker.answer(data, json.loads(head))}
    except NothingFound as error:
        return _no(f"nothing found: {error}", "nothing", error.facts)


def _no(reason: str, sort: Sort, facts: dict[str, Any] | None = None) -> Reply:
    """Return the reply that there is no answer."""
    return {"reject": shortened(reason), "sort": sort} | ({"facts": facts} if facts else {})


def _encoded(reply: Reply) -> bytes:
    """Encode a reply as JSON in UTF-8, without surrogates."""
    text = json.dumps(reply, ensure_ascii=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text).encode()


def _send(line: socket.socket, reply: bytes, last: bool) -> None:
    line.sendall(_REPLY.pack(last, len(reply)) + reply)


def _request(line: socket.socket) -> tuple[bytes, int]:
    """Receive what is known of a page, and its size."""
    head_size, size = _REQUEST.unpack(_whole(line, _REQUEST.size))
    return _whole(line, head_size), size


def _whole(line: socket.socket, size: int) -> bytes:
    data = line.recv(size, socket.MSG_WAITALL) if size else b""
    if len(data) < size:
        raise EOFError
    return data


class _Memory:
    """Limits the memory of the process to what it has now and what a page may use, where the system can tell."""

    def __init__(self, megabytes: int) -> None:
        self._most = megabytes * MB
        try:
            import resource

            self._statm = os.open("/proc/self/statm", os.O_RDONLY)
        except (ImportError, OSError):
            self._statm = -1
            return
        self._base = self._size()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = self._base + self._most
        resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))

    def _size(self) -> int:
        return int(os.pread(self._statm, 64, 0).split()[0]) * os.sysconf("SC_PAGESIZE")

    def is_worn(self) -> bool:
        """Whether so much memory is in use after a page that little is left for the next."""
        return self._statm >= 0 and self._size() - self._base > WORN * self._most


def _cause(status: int) -> str:
    """Describe an exit status."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:  # a real-time signal
        return f"signal {-status}"
