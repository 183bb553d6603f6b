"""A pool of processes on this machine: the pool outlives its workers, and no worker outlives the pool.

A worker is a Python of its own that imports what the work needs, and nothing of the script that began it: unlike
multiprocessing's processes it needs no `if __name__ == "__main__"`, and copies no lock of a thread as a fork does. Jobs
go to it in a file in memory, since large ones would take many turns through a pipe. Not for Windows.
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

LOOK = 1.0  # seconds that the pool waits for a message from a worker
END_LIMIT = 5.0  # seconds until a worker that has closed its pipe is gone

_STOPPED = 128 + signal.SIGTERM  # the exit status of a worker that was told to stop
_SIGNALS = {signal.SIGINT, signal.SIGTERM}
_PR_SET_PDEATHSIG = 1  # of <sys/prctl.h>

ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")  # in each process

# A worker finds modules where the pool does.
_START = "import sys; sys.path[:] = sys.argv[3:]; from pagesieve.processes import main; main(*map(int, sys.argv[1:3]))"

J = TypeVar("J")
Tell = Callable[[Any], None]
Work = Callable[[J, Tell], Any]  # does a job, and may tell how far it is; it is sent to each worker once


@dataclass(frozen=True, slots=True)
class Told(Generic[J]):
    """A worker tells something of the job that it is doing."""

    job: J
    what: Any


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
    was_begun: bool = True  # whether the worker was doing it, not another one before it
    is_orphan: bool = False  # whether the thread that started it has ended: Linux kills it then, whatever its job is

    @property
    def why(self) -> str:
        """How it ended, as the end of a sentence about the worker."""
        if self.status >= 0:
            return f"ended with status {self.status}"
        known = {known.value: known.name for known in signal.Signals}
        return f"was killed ({known.get(-self.status, -self.status)})"


Event = Told[J] | Done[J] | Lost[J]


def available_cpus() -> int:
    """Return how many CPUs this process may use, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def file_in_memory() -> IO[bytes]:
    """Open a file that has no name, in memory where the system can."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("pagesieve"), "wb", buffering=0)
    return tempfile.TemporaryFile(buffering=0)


# What is sent: an object and its buffers one after the other in a file, and their sizes through the pipe


def _write(file: int, what: Any) -> list[int]:
    """Write an object; return the sizes that `_read` needs."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(what, pickle.HIGHEST_PROTOCOL, buffer_callback=buffers.append)
    parts = [memoryview(head), *(buffer.raw() for buffer in buffers)]
    sizes = [part.nbytes for part in parts]
    for part, at in zip(parts, _places(sizes), strict=True):
        os.pwrite(file, part, at)
    return sizes


def _read(file: int, sizes: Sequence[int]) -> Any:
    """Read an object that `_write` wrote."""
    head, *buffers = (os.pread(file, size, at) for size, at in zip(sizes, _places(sizes), strict=True))
    return pickle.loads(head, buffers=buffers)


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
        """Send the work or a job."""
        file = self.files[self.sent % len(self.files)]
        self.sent += 1
        sizes = _write(file.fileno(), what)
        with suppress(OSError):  # it is dead, which is noticed later
            self.pipe.send((file.fileno(), sizes))

    def close(self) -> None:
        """Close our ends."""
        self.pipe.close()
        for file in self.files:
            file.close()


class Pool(Generic[J]):
    """Hands out jobs to its workers, and takes what comes back.

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

    def listen(self, seconds: float = LOOK) -> list[Event[J]]:
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
            worker: _Worker[J] = _Worker(_python(theirs, files), ours, files)
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

    def _take(self, worker: _Worker[J], is_done: bool, said: Any) -> Iterator[Event[J]]:
        if not worker.is_ready:  # its first message says only this
            worker.is_ready = True
            for job in worker.jobs:
                worker.send(job)
        elif is_done:
            yield Done(worker.jobs.popleft(), said)
        else:
            yield Told(worker.jobs[0], said)

    def _bury(self, worker: _Worker[J]) -> Iterator[Event[J]]:
        """Remove a worker that has closed its pipe, and yield the jobs that are lost with it."""
        worker.close()
        with suppress(subprocess.TimeoutExpired):
            worker.process.wait(END_LIMIT)
        worker.process.kill()  # where it does not end
        status = worker.process.wait()
        self._workers.remove(worker)
        is_orphan = not worker.starter.is_alive()
        yield from (Lost(job, status, number == 0, is_orphan) for number, job in enumerate(worker.jobs))


def _python(pipe: Connection, files: Sequence[IO[bytes]]) -> subprocess.Popen[bytes]:
    """Start a Python that takes jobs, given its end of the pipe and the files."""
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _START, str(pipe.fileno()), str(os.getpid()), *sys.path],
        stdin=subprocess.DEVNULL,
        pass_fds=(pipe.fileno(), *(file.fileno() for file in files)),
        env=ONE_THREAD | os.environ,
    )


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Block signals while a process starts, which inherits this, until it has its handlers."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# The worker's side


def main(handle: int, parent: int) -> None:
    """Do the jobs that come through a pipe, one after another, until it is closed; the first that comes is the work."""
    _settle(parent)
    pipe = Connection(handle)
    tell = partial(_send_or_leave, pipe, False)
    with suppress(EOFError, OSError):  # the pool has no more jobs, or is gone
        work: Work[Any] = _read(*pipe.recv())
        tell(None)
        while True:
            job = _read(*pipe.recv())
            _send_or_leave(pipe, True, work(job, tell))


def _send_or_leave(pipe: Connection, is_done: bool, what: Any) -> None:
    try:
        pipe.send((is_done, what))
    except OSError:  # the pool is gone
        raise SystemExit(_STOPPED) from None


def _settle(parent: int) -> None:
    """Leave Ctrl-C to the parent, stop when it says so, and end when it ends for whatever reason."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    die_with_parent()
    if os.getppid() != parent:  # it has ended already
        raise SystemExit(_STOPPED)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    """Unwind the worker, so that unfinished files are removed; a second signal is ignored."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit(_STOPPED)


def die_with_parent() -> None:
    """Ask Linux to kill this process when its parent is gone; elsewhere it ends after what it is doing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
