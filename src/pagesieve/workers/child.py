"""A process that reads one page at a time and can be killed, so that a page can only harm itself.

Limits of time and memory also have to hold inside compiled code, where Python's signal handlers do not run. So another
process, a child, reads the page. The bytes of the page, its details and the answer are in a file in memory; a socket
only carries sizes. The output of the child is read as bytes or JSON, and never unpickled. The caller (`Child`) waits up
to the time limit, then kills the child; the child (`main`) limits its own memory, and ends with its caller. The answers
come from a class that the caller names, a `Maker`.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import json
import os
import re
import socket
import struct
import subprocess
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from signal import SIG_IGN
from typing import Any, NamedTuple, Protocol

from pagesieve.errors import BadLibrary, BadOption, NothingFound, PagesieveError, RunStopped, unforeseen
from pagesieve.options import option
from pagesieve.text.urls import masked
from pagesieve.text.whitespace import cut
from pagesieve.workers.pool import (
    available_cpus,
    exit_status,
    file_in_memory,
    read_parts,
    settle,
    signal_name,
    start_python,
    write_parts,
)

MB = 1 << 20
MAX_RESULT = 64 * MB  # bytes of a page's JSON: rows of records can be far larger than their page
MAX_REASON = 200  # characters
MAX_TIMEOUT = 86_400.0  # seconds: a day
START_LIMIT = 120.0  # seconds until a child is ready, on a busy machine
WORN = 0.5  # of the memory limit: a child that keeps more than this after a page is replaced

_REQUEST = struct.Struct("!QQ")  # the numbers of bytes of the details of a page, and of the page
_REPLY = struct.Struct("!B?Q")  # the kind of the reply, whether it is the last, and its number of bytes
_ANSWER, _REASON, _STOP = range(3)  # kinds of replies: an answer, a reason for a page, a reason for all pages
_SURROGATE = re.compile("[\ud800-\udfff]")  # UTF-8 cannot encode them

About = Mapping[str, Any]  # the details of a page besides its bytes, ready for JSON


class Sort(StrEnum):
    """The kinds of reasons for a page without an answer: an exceeded limit, a failure, the end of its process."""

    SIZE = "size"
    TIME = "time"
    MEMORY = "memory"
    DEATH = "death"
    FAILURE = "failure"
    NOTHING = "nothing"
    REFUSAL = "refusal"


class Reason(str):
    """The reason why a page has no answer, in one line. `sort` is the exceeded limit, or the kind of failure.

    `facts` has the facts that a page without an article states.
    """

    sort: Sort
    facts: dict[str, Any]

    def __new__(cls, text: str, sort: Sort | str, facts: dict[str, Any] | None = None) -> Reason:
        """Create a reason from its text."""
        reason = super().__new__(cls, text)
        reason.sort, reason.facts = Sort(sort), facts or {}
        return reason

    def __getnewargs__(self) -> tuple[str, Sort, dict[str, Any]]:  # type: ignore[override]
        """Return the arguments for a copy in another process."""
        return str(self), self.sort, self.facts


def reason_category(reason: str) -> str:
    """Return the part of a reason that is the same for all pages with reasons of its kind, up to the first colon."""
    return reason.split(": ", 1)[0]


class Rejected(Exception):
    """A page has no answer; the message is the reason."""


class Maker(Protocol):
    """Makes the answers of a child. It is created with the options, a dict that was transferred as JSON."""

    def answer(self, data: bytes, about: About) -> dict[str, Any]:
        """Return the answer for a page, ready for JSON. Raise NothingFound or Rejected if there is none.

        The first page is made by the child itself, with `warming` in `about`: nothing of it may be stored.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a page."""

    timeout: float = option(30.0, "the time limit of a page")  # seconds
    memory: int = option(1024, "the memory limit of a page")  # MB
    max_bytes: int = option(20_000_000, "the size limit of a page")

    def __post_init__(self) -> None:
        for name in ("memory", "max_bytes"):
            if getattr(self, name) <= 0:
                raise BadOption(f"{name} must be more than 0, not {getattr(self, name)}")
        check_timeout(self.timeout)


def check_timeout(timeout: float) -> None:
    """Raise BadOption if a number of seconds is not a valid time limit."""
    if not 0 < timeout <= MAX_TIMEOUT:  # also excludes nan
        raise BadOption(f"timeout must be more than 0 and at most {MAX_TIMEOUT:.0f}, not {timeout}")


def shortened(reason: str) -> str:
    """Return a reason as one short line, without the secrets of addresses."""
    return cut(_SURROGATE.sub("\ufffd", masked(" ".join(reason.split()))), MAX_REASON)


class _Reply(NamedTuple):
    kind: int
    body: bytes  # JSON
    is_last: bool = False  # whether the process ends after it


# The caller's side


class Child:
    """The process that reads the pages of a caller. It starts with the first page, and again after it was killed."""

    def __init__(self, maker: str, options: Mapping[str, Any], limits: Limits) -> None:
        self.maker = maker  # MODULE:CLASS of the Maker
        self.options = options  # the options of the Maker
        self.limits = limits
        self._process: subprocess.Popen[bytes] | None = None  # None: not started yet, or killed
        self._socket: socket.socket | None = None
        self._file = file_in_memory()

    @property
    def pid(self) -> int | None:
        """The id of the process, or None if it is not running."""
        return None if self._process is None else self._process.pid

    def answer(self, data: bytes, about: About) -> dict[str, Any] | Reason:
        """Return the answer for a page, or why there is none. Raises RunStopped where the page is not the cause."""
        answer = self.answer_json(data, about)
        return answer if isinstance(answer, Reason) else json.loads(answer)

    def answer_json(self, data: bytes, about: About) -> bytes | Reason:
        """Return the answer for a page as JSON, or else as `answer` does."""
        if len(data) > self.limits.max_bytes:
            return Reason(f"larger than {self.limits.max_bytes} bytes", Sort.SIZE)
        try:
            reply = self._ask(json.dumps(about).encode(), data)
        except TimeoutError:
            self.close()
            return Reason(f"took longer than {self.limits.timeout:g} s", Sort.TIME)
        except ChildProcessError:  # it does not start, which is not the page's fault
            raise
        except (OSError, EOFError):
            return Reason(f"died: {self._cause_of_death()[1]}", Sort.DEATH)
        except (ValueError, struct.error) as error:
            self.close()
            return Reason(shortened(f"failed: {error}"), Sort.FAILURE)
        except BaseException:  # the answer would be taken for the next page's
            self.close()
            raise
        if reply.is_last:
            self.close()
        if reply.kind == _STOP:
            raise RunStopped(json.loads(reply.body))
        return reply.body if reply.kind == _ANSWER else Reason(**json.loads(reply.body))

    def _ask(self, about: bytes, data: bytes) -> _Reply:
        """Return the reply for a page. If the process died before it read the request, repeat it in a new process.

        The system shows this: a socket that is closed with unread data is reset, others are not.
        """
        file, limit = self._file.fileno(), self.limits.timeout
        try:
            return _exchange(self._ready(), file, (about, data), limit)
        except (BrokenPipeError, ConnectionResetError):
            self.close()
            return _exchange(self._ready(), file, (about, data), limit)

    def _ready(self) -> socket.socket:
        """Return the socket to a running process."""
        if self._process is not None and self._process.poll() is not None:
            self.close()  # the process died without a page
        return self._socket or self._start()

    def _start(self) -> socket.socket:
        self._socket, theirs = socket.socketpair()
        files = (theirs.fileno(), self._file.fileno())
        with theirs:
            flags = ("-W", "ignore")
            self._process = start_python(__name__, (*files, os.getpid()), files, *flags, stdout=subprocess.DEVNULL)
        about = json.dumps([self.maker, self.options, self.limits.memory]).encode()
        try:
            reply = _exchange(self._socket, files[1], (about, b""), START_LIMIT)
        except TimeoutError as error:
            self.close()
            raise RunStopped("the page process does not start: it does not answer") from error
        except (OSError, EOFError, ValueError, struct.error) as error:
            status, cause = self._cause_of_death()
            # A signal killed it, perhaps for lack of memory: the next attempt may succeed.
            kind = ChildProcessError if status < 0 else RunStopped
            raise kind(f"the page process does not start: it died: {cause}") from error
        if reply.is_last:
            self.close()
            raise RunStopped(json.loads(reply.body))
        return self._socket

    def _cause_of_death(self) -> tuple[int, str]:
        """Return the exit status of a process that has closed its socket, as a number and in words."""
        assert self._process is not None
        status = exit_status(self._process)
        self.close()
        return status, signal_name(-status) if status < 0 else f"exit status {status}"

    def close(self) -> None:
        """Kill the process; the next page starts another one."""
        process, line, self._process, self._socket = self._process, self._socket, None, None
        if line is not None:
            line.close()
        if process is not None:
            process.kill()
            process.wait()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._file.close()

    def __del__(self) -> None:
        self.__exit__()


def _exchange(line: socket.socket, file: int, parts: tuple[bytes, bytes], limit: float) -> _Reply:
    """Send `parts`, the details of a page and the page, and return the reply.

    Raise TimeoutError after `limit` seconds, EOFError or OSError if the other side has died, and ValueError or
    struct.error if the reply is invalid.
    """
    line.settimeout(limit)
    line.sendall(_REQUEST.pack(*write_parts(file, parts)))
    kind, is_last, size = _REPLY.unpack(_received(line, _REPLY.size))
    if size > MAX_RESULT:
        raise ValueError(f"an answer of {size} bytes")
    return _Reply(kind, read_parts(file, [size])[0], is_last)


def _received(line: socket.socket, size: int) -> bytes:
    """Receive a message, which is short enough to arrive at once. Raise EOFError if the other side has closed."""
    if message := line.recv(size):
        return message
    raise EOFError


# One child for each thread: it reads one page at a time, and on Linux it dies with the thread that started it.
_THREAD = threading.local()


def thread_child(maker: str, options: Mapping[str, Any], limits: Limits) -> Child:
    """Return the child of this thread for these arguments. It is reused: its start costs as much as many pages."""
    child: Child | None = getattr(_THREAD, "child", None)
    if child is None or (child.maker, child.options, child.limits) != (maker, options, limits):
        if child is not None:
            child.close()
        child = _THREAD.child = Child(maker, options, limits)
    return child


class Children:
    """Several children for an asynchronous program; a thread waits for each of them.

    `count` is their number, by default one for each CPU. A child starts with its first page.
    """

    def __init__(self, maker: str, options: Mapping[str, Any], limits: Limits, count: int | None = None) -> None:
        self._child = maker, options, limits
        self.count = count or available_cpus()
        self._threads = ThreadPoolExecutor(self.count, "pagesieve-page")

    async def answer(self, data: bytes, about: About) -> dict[str, Any] | Reason:
        """Return the answer for a page, or why there is none. Raises RunStopped where the page is not the cause."""
        run = asyncio.get_running_loop().run_in_executor
        return await run(self._threads, lambda: thread_child(*self._child).answer(data, about))

    async def answer_json(self, data: bytes, about: About) -> bytes | Reason:
        """Return the answer for a page as JSON, or else as `answer` does."""
        run = asyncio.get_running_loop().run_in_executor
        return await run(self._threads, lambda: thread_child(*self._child).answer_json(data, about))

    def close(self) -> None:
        """End the threads, and with them the processes."""
        self._threads.shutdown(cancel_futures=True)


# The child's side


def main(handle: int, file: int, parent: int) -> None:
    """Answer the pages that are announced through a socket, until it is closed.

    Ignore Ctrl-C and SIGTERM, which may be sent to all processes of a service: the caller ends the child after its
    page.
    """
    settle(parent, SIG_IGN)
    with contextlib.suppress(EOFError, OSError):  # the caller has ended
        _serve(socket.socket(fileno=handle), file)


def _serve(line: socket.socket, file: int) -> None:
    """Receive the options, report whether they are valid, and answer one page after another."""
    name, options, megabytes = json.loads(read_parts(file, _REQUEST.unpack(_received(line, _REQUEST.size)))[0])
    try:
        maker = _warmed(name, options)
    except PagesieveError as error:
        _send(line, file, _Reply(_STOP, _encoded(shortened(str(error))), is_last=True))
        return
    gc.freeze()  # imported objects remain, so the collector can skip them
    memory = _Memory(megabytes)
    _send(line, file, _Reply(_ANSWER, b"{}"))
    is_last = False
    while not is_last:
        reply = _reply(maker, file, _REQUEST.unpack(_received(line, _REQUEST.size)), megabytes)
        is_last = reply.is_last or memory.is_worn()
        _send(line, file, reply._replace(is_last=is_last))


def _send(line: socket.socket, file: int, reply: _Reply) -> None:
    line.sendall(_REPLY.pack(reply.kind, reply.is_last, *write_parts(file, [reply.body])))


def _warmed(name: str, options: dict[str, Any]) -> Maker:
    """Return a Maker that has already made an answer, so that everything that it needs is loaded."""
    module, _, kind = name.partition(":")
    maker: Maker = getattr(importlib.import_module(module), kind)(options)
    item = "<li><h2><a href='/{0}'>Title {0}</a></h2><p>By A. Author, 1 May 2020. Some words about number {0}.</p></li>"
    text = "<p>A sentence that is long enough to be a line of an article, and has a comma, and goes on. Another.</p>"
    items = "".join(item.format(number) for number in range(10))
    page = f"<!doctype html><title>Title</title><h1>Title</h1><ul>{items}</ul><article>{text * 10}</article>"
    with contextlib.suppress(NothingFound, Rejected):
        maker.answer(page.encode(), {"url": "https://pagesieve.invalid/title", "warming": True})
    return maker


def _reply(maker: Maker, file: int, sizes: Sequence[int], megabytes: int) -> _Reply:
    """Return the reply for a page, even if it fails. The reply is the last one if the page used up the memory."""
    try:
        reply = _made(maker, *read_parts(file, sizes))
    except MemoryError:
        return _no(f"needs more than {megabytes} MB", Sort.MEMORY)._replace(is_last=True)
    if len(reply.body) > MAX_RESULT:
        return _no(f"result larger than {MAX_RESULT // MB} MB", Sort.MEMORY)
    return reply


def _made(maker: Maker, about: bytes, data: bytes) -> _Reply:
    """Return the answer for a page, or why there is none. Raises MemoryError only."""
    try:
        try:
            return _Reply(_ANSWER, _encoded(maker.answer(data, json.loads(about))))
        except NothingFound as error:
            return _no(f"nothing found: {error}", Sort.NOTHING, error.facts)  # reading the facts may fail as well
    except MemoryError:
        raise
    except Rejected as error:
        return _no(str(error), Sort.REFUSAL)
    except BadLibrary as error:  # every other page would fail as well
        return _Reply(_STOP, _encoded(shortened(str(error))))
    except Exception as error:
        return _no(unforeseen(error), Sort.FAILURE)


def _no(text: str, sort: Sort, facts: dict[str, Any] | None = None) -> _Reply:
    """Return the reply with a reason: the arguments of a Reason."""
    return _Reply(_REASON, _encoded({"text": shortened(text), "sort": sort} | ({"facts": facts} if facts else {})))


def _encoded(value: object) -> bytes:
    """Return a value as JSON in UTF-8, without surrogates."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text).encode()


class _Memory:
    """Limits the memory of the process to its current size plus the memory of a page, if the system supports this."""

    def __init__(self, megabytes: int) -> None:
        self._max = megabytes * MB
        try:
            import resource

            self._statm = os.open("/proc/self/statm", os.O_RDONLY)
        except (ImportError, OSError):
            self._statm = -1
            return
        self._base = self._size()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = self._base + self._max
        resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))

    def _size(self) -> int:
        return int(os.pread(self._statm, 64, 0).split()[0]) * os.sysconf("SC_PAGESIZE")

    def is_worn(self) -> bool:
        """Whether the process uses so much memory after a page that too little is left for the next one."""
        return self._statm >= 0 and self._size() - self._base > WORN * self._max
