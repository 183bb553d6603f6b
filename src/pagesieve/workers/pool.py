"""A pool of processes on this machine: the pool outlives its workers, and no worker outlives the pool.

A worker is a new Python process that imports only what its work needs: unlike the processes of multiprocessing, it does
not run the caller's script again, and so needs no `if __name__ == "__main__"`; unlike a fork, it copies no locks of
threads. Data go to it in a file in memory that both processes have open, since large data would take many turns through
a pipe, which carries short messages. `child` talks to its processes in the same way. Not for Windows.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from types import FrameType
from typing import IO, Any, Generic, NoReturn, TypeVar

POLL_TIME = 1.0  # seconds that the pool waits for a message from a worker
END_LIMIT = 5.0  # seconds until a process that has closed its pipe is gone

_STOPPED = 128 + signal.SIGTERM  # the exit status of a worker that was told to stop
_SIGNALS = {signal.SIGINT, signal.SIGTERM}
_PR_SET_PDEATHSIG = 1  # of <sys/prctl.h>
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_START = "import sys; sys.path[:] = sys.argv[{1}:]; from {0} import main; main(*map(int, sys.argv[1:{1}]))"

J = TypeVar("J")
Tell = Callable[[Any], None]
Work = Callable[[J, Tell], Any]  # does a job, and may report its progress; it is sent to each worker once


@dataclass(frozen=True, slots=True)
class Progress(Generic[J]):
    """A worker reports how far its job is."""

    job: J
    report: Any


@dataclass(frozen=True, slots=True)
class Done(Generic[J]):
    """A worker has done a job."""

    job: J
    result: Any


@dataclass(frozen=True, slots=True)
class Lost(Generic[J]):
    """A worker has ended before its job was done."""

    job: J
    status: int  # its exit status; negative where a signal ended it
    was_begun: bool = True  # False: the worker was still doing another job
    is_orphan: bool = False  # whether the thread that started it has ended: Linux kills it then, whatever its job is

    @property
    def why(self) -> str:
        """How it ended, as the end of a sentence about the worker."""
        if self.status >= 0:
            return f"ended with status {self.status}"
        return f"was killed ({signal_name(-self.status)})"


Event = Progress[J] | Done[J] | Lost[J]


def available_cpus() -> int:
    """Return how many CPUs this process may use, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# Processes, and how data are passed to them


def start_python(
    module: str, numbers: Sequence[int], files: Sequence[int], *flags: str, stdout: int | None = None
) -> subprocess.Popen[bytes]:
    """Start a Python that calls `main` of a module with some numbers; it inherits some open files.

    It finds modules where this process does. SIGINT and SIGTERM are blocked until it calls `settle`.
    """
    start = _START.format(module, len(numbers) + 1)
    with _signals_blocked():
        return subprocess.Popen(
            [sys.executable, "-P", *flags, "-c", start, *map(str, numbers), *sys.path],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            pass_fds=files,
            env=_ONE_THREAD | os.environ,
        )


@contextmanager
def _signals_blocked() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def settle(parent: int, on_terminate: Callable[[int, FrameType | None], Any] | signal.Handlers) -> None:
    """Leave Ctrl-C to the parent process, handle SIGTERM, and on Linux end as soon as the parent ends.

    Elsewhere a process whose parent is gone ends after what it is doing.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, on_terminate)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it has ended already
        raise SystemExit(_STOPPED)


def exit_status(process: subprocess.Popen[bytes]) -> int:
    """Return the exit status of a process that has closed its pipe; negative where a signal ended it."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(END_LIMIT)
    process.kill()  # where it does not end
    return process.wait()


def signal_name(number: int) -> str:
    """Return the name of a signal, or its number where it has none, as real-time signals."""
    return {each.value: each.name for each in signal.Signals}.get(number, f"signal {number}")


def file_in_memory() -> IO[bytes]:
    """Open a file that has no name, in memory where the system can."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("pagesieve"), "wb", buffering=0)
    return tempfile.TemporaryFile(buffering=0)


def write_parts(file: int, parts: Sequence[bytes | memoryview]) -> list[int]:
    """Write some parts one after another, from the start of a file; return their sizes."""
    sizes = [len(part) for part in parts]
    for part, at in zip(parts, _places(sizes), strict=True):
        os.pwrite(file, part, at)
    return sizes


def read_parts(file: int, sizes: Sequence[int]) -> list[bytes]:
    """Read the parts that `write_parts` wrote."""
    return [os.pread(file, size, at) for size, at in zip(sizes, _places(sizes), strict=True)]


def _places(sizes: Sequence[int]) -> Iterator[int]:
    return accumulate(sizes[:-1], initial=0)


# The pool's side


@dataclass(slots=True)
class _Worker(Generic[J]):
    """A process, the pipe to it, the files of what is sent to it, and its jobs: the one it is doing, and the next."""

    process: subprocess.Popen[bytes]
    pipe: Connection
    files: list[IO[bytes]]  # by turns, since what is sent stays in its file until it is read
    jobs: deque[J] = field(default_factory=deque)
    is_ready: bool = False  # whether it has taken the work, and waits for jobs
    sent: int = 0  # how often something was
    starter: threading.Thread = field(default_factory=threading.current_thread)

    def send(self, what: Any) -> None:
        """Send the work or a job: its pickle, and its buffers, which are not copied into that."""
        file = self.files[self.sent % len(self.files)].fileno()
        self.sent += 1
        buffers: list[pickle.PickleBuffer] = []
        head = pickle.dumps(what, pickle.HIGHEST_PROTOCOL, buffer_callback=buffers.append)
        sizes = write_parts(file, [head, *(buffer.raw() for buffer in buffers)])
        with suppress(OSError):  # it is dead, which is noticed later
            self.pipe.send((file, sizes))

    def close(self) -> None:
        """Close our ends."""
        self.pipe.close()
        for file in self.files:
            file.close()


class Pool(Generic[J]):
    """Assigns jobs to its workers, and returns their outcomes.

    A worker has one job at a time, or as many as `ahead` says where they are so short that it would wait for the next.
    Workers are started when there is a job for them. One thread at a time may use a pool.
    """

    def __init__(self, work: Work[J], size: int, ahead: int = 1) -> None:
        self._work = work
        self._size = size
        self._ahead = ahead
        self._workers: list[_Worker[J]] = []

    @property
    def is_busy(self) -> bool:
        """Whether a worker has a job."""
        return any(worker.jobs for worker in self._workers)

    @property
    def has_room(self) -> bool:
        """Whether a worker may have another job, or may be started."""
        return len(self._workers) < self._size or any(len(worker.jobs) < self._ahead for worker in self._workers)

    def give(self, job: J) -> None:
        """Give a job to an idle worker, to a new one, or to the one with the fewest; there has to be room."""
        worker = min(self._workers, key=lambda worker: len(worker.jobs), default=None)
        if worker is None or (worker.jobs and len(self._workers) < self._size):
            worker = self._start()
        worker.jobs.append(job)
        if worker.is_ready:
            worker.send(job)

    def listen(self, seconds: float = POLL_TIME) -> list[Event[J]]:
        """Wait some seconds at most until a worker sends something or ends; return what has happened."""
        ready = wait([worker.pipe for worker in self._workers], seconds)
        return [event for worker in self._workers[:] if worker.pipe in ready for event in self._hear(worker)]

    def close(self, patience: float) -> None:
        """End all workers: idle ones end by themselves, the others are told to, and killed after `patience` seconds."""
        until = time.monotonic() + patience
        try:
            for worker in self._workers:
                if worker.jobs:
                    worker.process.terminate()
                worker.close()
            for worker in self._workers:
                with suppress(subprocess.TimeoutExpired):
                    worker.process.wait(max(0.0, until - time.monotonic()))
        finally:  # also when Ctrl-C is pressed again
            for worker in self._workers:
                worker.process.kill()
                worker.process.wait()
            self._workers.clear()

    def _start(self) -> _Worker[J]:
        ours, theirs = Pipe()
        with theirs, _signals_blocked():  # closed here, so that the pipe ends when the worker does
            files = [file_in_memory() for _ in range(self._ahead)]
            handles = [theirs.fileno(), *(file.fileno() for file in files)]
            process = start_python(__name__, [theirs.fileno(), os.getpid()], handles)
            worker: _Worker[J] = _Worker(process, ours, files)
            self._workers.append(worker)
        worker.send(self._work)
        return worker

    def _hear(self, worker: _Worker[J]) -> Iterator[Event[J]]:
        """Yield all that a worker has sent; where it has ended, that is the last of it."""
        try:
            while worker.pipe.poll():
                yield from self._take(worker, *worker.pipe.recv())
        except (EOFError, OSError):
            yield from self._bury(worker)

    def _take(self, worker: _Worker[J], is_done: bool, message: Any) -> Iterator[Event[J]]:
        if not worker.is_ready:  # its first message says only this
            worker.is_ready = True
            for job in worker.jobs:
                worker.send(job)
        elif is_done:
            yield Done(worker.jobs.popleft(), message)
        else:
            yield Progress(worker.jobs[0], message)

    def _bury(self, worker: _Worker[J]) -> Iterator[Event[J]]:
        """Remove a worker that has closed its pipe, and yield the jobs that are lost with it."""
        worker.close()
        status = exit_status(worker.process)
        self._workers.remove(worker)
        is_orphan = not worker.starter.is_alive()
        yield from (Lost(job, status, number == 0, is_orphan) for number, job in enumerate(worker.jobs))


# The worker's side


def main(handle: int, parent: int) -> None:
    """Do the jobs that come through a pipe, one after another, until it is closed; the first that comes is the work."""
    settle(parent, _leave)
    pipe = Connection(handle)
    tell = partial(_send_or_leave, pipe, False)
    with suppress(EOFError, OSError):  # the pool has no more jobs, or is gone
        work: Work[Any] = _receive(pipe)
        tell(None)
        while True:
            _send_or_leave(pipe, True, work(_receive(pipe), tell))


def _receive(pipe: Connection) -> Any:
    head, *buffers = read_parts(*pipe.recv())
    return pickle.loads(head, buffers=buffers)


def _send_or_leave(pipe: Connection, is_done: bool, message: Any) -> None:
    try:
        pipe.send((is_done, message))
    except OSError:  # the pool is gone
        raise SystemExit(_STOPPED) from None


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    """Unwind the worker, so that unfinished files are removed; a second signal is ignored."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit(_STOPPED)
