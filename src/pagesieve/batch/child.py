"""A process that does one page at a time, and can be killed: whatever a page does, only that page is lost.

Limits of time and memory have to hold inside compiled code too, where Python's signal handlers do not run. So a page
goes to another process: its bytes in a file in memory (a large page would take many turns through a socket), the rest
over a socket, as lengths and JSON; the reply is a length and JSON. The worker (`Child`) waits as long as a page may
take, then kills the child; the child (`main`) has a limit to its memory, and dies with its worker.
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
from typing import Any, Protocol

from pagesieve.batch import BatchOptions, Item
from pagesieve.errors import BadLibrary, BatchStopped, NothingFound, PagesieveError
from pagesieve.processes import ONE_THREAD, die_with_parent, file_in_memory

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

# The child finds modules where its worker does, and inherits nothing else.
_START = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); sys.path[:] = sys.argv[2:]; "
    "from pagesieve.batch.child import main; main(int(sys.argv[1]))"
)

ROWS = "pagesieve.batch.pages:Extractor"

Reply = dict[str, Any]


class Maker(Protocol):
    """Makes the replies of a child from pages."""

    options: BatchOptions

    def row(self, data: bytes, url: str | None, content_type: str | None) -> dict[str, Any]:
        """Make a row of a page. Raises NothingFound, NotAPage or LeftOut where there is none to make."""


# The worker's side


class Child:
    """The process that processes the pages of a worker; started for the first page, and again after it was killed."""

    def __init__(self, options: BatchOptions, maker: str = ROWS) -> None:
        self.options = options
        self.maker = maker  # of the answers: MODULE:CLASS of a Maker
        self._process: subprocess.Popen[bytes] | None = None  # None: not started yet, or killed
        self._line: socket.socket | None = None
        self._page = file_in_memory()

    @property
    def pid(self) -> int | None:
        """The id of the process; None where none runs."""
        return None if self._process is None else self._process.pid

    def answer(self, item: Item) -> dict[str, Any] | str:
        """Return the row of a page, or why there is none. Raises BatchStopped where the page is not the cause."""
        if item.data is None or item.fault is not None:
            return shortened(item.fault or "no bytes")
        if len(item.data) > self.options.max_bytes:
            return f"larger than {self.options.max_bytes} bytes"
        head = json.dumps([item.url, item.content_type]).encode()
        line = self._ready()
        self._page.seek(0)
        self._page.write(item.data)
        try:
            reply, last = _exchange(line, head, len(item.data), self.options.timeout)
        except TimeoutError:
            self.close()
            return f"took longer than {self.options.timeout:g} s"
        except (OSError, EOFError):
            return f"died: {_cause(self._ended())}"
        except ValueError as error:
            self.close()
            return shortened(f"failed: {error}")
        except BaseException:  # the answer would be taken for the next page's
            self.close()
            raise
        if last:
            self.close()
        if "stop" in reply:
            raise BatchStopped(reply["stop"])
        return reply["row"] if "row" in reply else reply["reject"]  # type: ignore[no-any-return]

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
        head = json.dumps([self.maker, self.options.as_dict()]).encode()
        try:
            reply, last = _exchange(ours, head, 0, START_LIMIT)
        except (OSError, EOFError, ValueError) as error:
            if isinstance(error, TimeoutError):
                self.close()
                raise BatchStopped("the page process does not start: it does not answer") from error
            status = self._ended()
            # Killed by a signal, perhaps for lack of memory: next time it may start.
            sort = ChildProcessError if status < 0 else BatchStopped
            raise sort(f"the page process does not start: it died: {_cause(status)}") from error
        if last:
            self.close()
            raise BatchStopped(reply["stop"])

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


def thread_child(options: BatchOptions, maker: str = ROWS) -> Child:
    """Return the child of this thread, kept from shard to shard: starting one costs as much as many pages."""
    child: Child | None = getattr(_THREAD, "child", None)
    if child is None or (child.options, child.maker) != (options, maker):
        if child is not None:
            child.close()
        child = _THREAD.child = Child(options, maker)
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
    """Write a reason as one short line."""
    line = _SURROGATE.sub("\ufffd", " ".join(reason.split()))
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"


# The child's side


def main(page: int) -> None:
    """Do pages as they come in the file `page` and over standard input, a socket, until that is closed."""
    die_with_parent()
    with contextlib.suppress(EOFError, OSError):  # the worker has gone
        _serve(socket.socket(fileno=0), page)


def _serve(line: socket.socket, page: int) -> None:
    """Take the options, say whether they are valid, and answer one page after another."""
    head, _ = _request(line)
    name, given = json.loads(head)
    options = BatchOptions(**given)
    try:
        maker = _warmed(name, options)
    except PagesieveError as error:
        _send(line, _encoded({"stop": shortened(str(error))}), last=True)
        return
    gc.freeze()  # what was imported stays, and need not be collected
    memory = _Memory(options.memory)
    _send(line, _encoded({}), last=False)
    last = False
    while not last:
        reply, exhausted = _answer(maker, page, *_request(line))
        last = exhausted or memory.is_worn()
        _send(line, reply, last)


def _warmed(name: str, options: BatchOptions) -> Maker:
    """Return a Maker that has made a row already, so that everything it needs is imported and read."""
    module, _, kind = name.partition(":")
    maker: Maker = getattr(importlib.import_module(module), kind)(options)
    item = "<li><h2><a href='/{0}'>Title {0}</a></h2><p>By A. Author, 1 May 2020. Some words about number {0}.</p></li>"
    text = "<p>A sentence that is long enough to be a line of an article, and has a comma, and goes on. Another.</p>"
    items = "".join(item.format(number) for number in range(10))
    page = f"<!doctype html><title>Title</title><h1>Title</h1><ul>{items}</ul><article>{text * 10}</article>"
    from pagesieve.batch.pages import LeftOut

    with contextlib.suppress(NothingFound, LeftOut):
        maker.row(page.encode(), "https://pagesieve.invalid/title", None)
    return maker


def _answer(maker: Maker, page: int, head: bytes, size: int) -> tuple[bytes, bool]:
    """Return the reply to a page, whatever goes wrong with it; and whether it used up the memory."""
    try:
        reply = _encoded(_reply(maker, head, os.pread(page, size, 0)))
        is_small = len(reply) <= MOST_RESULT
        return reply if is_small else _encoded({"reject": f"result larger than {MOST_RESULT // MB} MB"}), False
    except MemoryError:
        return _encoded({"reject": f"needs more than {maker.options.memory} MB"}), True


def _reply(maker: Maker, head: bytes, data: bytes) -> Reply:
    """Return the row of a page, or why there is none. Raises MemoryError only."""
    from pagesieve.batch.pages import LeftOut, NotAPage

    url, content_type = json.loads(head)
    try:
        return {"row": maker.row(data, url, content_type)}
    except MemoryError:
        raise
    except NothingFound as error:
        return {"reject": shortened(f"nothing found: {error}")}
    except NotAPage as error:
        return {"reject": shortened(f"not a page: {error}")}
    except LeftOut as error:
        return {"reject": shortened(str(error))}
    except BadLibrary as error:  # every other page would fail as well
        return {"stop": shortened(str(error))}
    except Exception as error:
        return {"reject": shortened(f"failed: {type(error).__name__}: {error}")}


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
