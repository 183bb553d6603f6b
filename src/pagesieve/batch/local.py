"""An engine of processes on this machine: the pool outlives its workers, and no worker outlives the pool."""

import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import FrameType
from typing import NoReturn

from pagesieve.batch import Shard, Stats
from pagesieve.batch.child import die_with_parent
from pagesieve.batch.run import Outcome, Queue, Task, Watch, attempt

LOOK = 1.0  # seconds that the parent waits for a message from a worker
PATIENCE = 5.0  # seconds that workers have to tidy up when they are told to stop

_STOPPED = 128 + signal.SIGTERM  # the exit status of a worker that was told to stop
_SIGNALS = {signal.SIGINT, signal.SIGTERM}


def available_cpus() -> int:
    """The CPUs that this process may use, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run(shards: Sequence[Shard], task: Task, watch: Watch, *, workers: int | None = None) -> None:
    """Do `task` with all shards, each in one of `workers` processes; `watch` is told what becomes of them.

    A shard whose worker dies is repeated, and given up after `TRIES`. BatchStopped, where no shard could go on, and
    KeyboardInterrupt are raised after the workers have stopped and removed their unfinished files.
    """
    pool = _Pool(shards, task, watch, min(workers or available_cpus(), len(shards)))
    try:
        pool.run()
    finally:
        pool.close()


@dataclass(slots=True)
class _Worker:
    """A process, the pipe to it, and the shard it is doing."""

    process: SpawnProcess
    pipe: Connection
    shard: Shard | None = None


class _Pool:
    """Hands out one shard at a time, so that a worker that dies loses only one, and takes what comes back."""

    def __init__(self, shards: Sequence[Shard], task: Task, watch: Watch, size: int) -> None:
        self._queue = Queue(shards, watch)
        self._task = task
        self._watch = watch
        self._size = size
        self._workers: list[_Worker] = []

    def run(self) -> None:
        """Return when every shard is finished or given up."""
        while self._queue.waiting or any(worker.shard for worker in self._workers):
            self._hand_out()
            self._listen()

    def close(self) -> None:
        """End all workers: idle ones end by themselves, the others are told to, and killed if they do not."""
        until = time.monotonic() + PATIENCE
        try:
            for worker in self._workers:
                if worker.shard:
                    worker.process.terminate()
                worker.pipe.close()
            for worker in self._workers:
                worker.process.join(max(0.0, until - time.monotonic()))
        finally:  # also when Ctrl-C is pressed again
            for worker in self._workers:
                worker.process.kill()
                worker.process.join()

    def _hand_out(self) -> None:
        while self._queue.waiting and (worker := self._idle()):
            worker.shard = self._queue.waiting.popleft()
            with suppress(OSError):  # it is dead, which is noticed later
                worker.pipe.send(worker.shard)

    def _idle(self) -> _Worker | None:
        """An idle worker; a new one where there may be more of them."""
        for worker in self._workers:
            if worker.shard is None:
                return worker
        return self._start() if len(self._workers) < self._size else None

    def _start(self) -> _Worker:
        ours, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(target=_work, args=(theirs, self._task, os.getpid()))
        with _signals_blocked():
            process.start()
            worker = _Worker(process, ours)
            self._workers.append(worker)
        theirs.close()  # so that the pipe ends when the worker does
        return worker

    def _listen(self) -> None:
        """Wait until a worker sends something or ends."""
        ready = wait([end for worker in self._workers for end in (worker.pipe, worker.process.sentinel)], LOOK)
        for worker in self._workers[:]:
            if worker.pipe in ready or worker.process.sentinel in ready:
                self._hear(worker)

    def _hear(self, worker: _Worker) -> None:
        """Take all that a worker has sent; where it has ended, that is the last of it."""
        ended = worker.process.exitcode is not None
        while (said := _next(worker.pipe)) is not None:
            self._take(worker, said)
        if ended or worker.pipe.closed:
            self._bury(worker)

    def _take(self, worker: _Worker, said: Stats | Outcome) -> None:
        shard = worker.shard
        assert shard is not None, "a worker sends only about the shard that it was given"
        if isinstance(said, Stats):
            self._watch.progress(shard, said)
        else:
            worker.shard = None
            self._queue.settle(shard, said)

    def _bury(self, worker: _Worker) -> None:
        """Remove a worker that has ended, and repeat the shard it was doing."""
        worker.pipe.close()
        worker.process.join(PATIENCE)
        worker.process.kill()  # where it has closed its end of the pipe but does not end
        worker.process.join()
        self._workers.remove(worker)
        if worker.shard is not None:
            self._queue.failed(worker.shard, f"its worker {_ending(worker.process.exitcode)}")


_SPAWN = get_context("spawn")  # a fork would copy the locks of the parent's threads in any state


def _next(pipe: Connection) -> Stats | Outcome | None:
    """The next message of a worker; None where there is none. The pipe is closed where none will follow."""
    try:
        said: Stats | Outcome | None = pipe.recv() if pipe.poll() else None
    except (EOFError, OSError):
        pipe.close()
        return None
    return said


def _ending(exitcode: int | None) -> str:
    if exitcode is None or exitcode >= 0:
        return f"ended with status {exitcode}"
    known = {known.value: known.name for known in signal.Signals}
    return f"was killed ({known.get(-exitcode, -exitcode)})"


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Block signals while a process starts, which inherits this, until it has its handlers."""
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # or the first start would do it, and let signals through again
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def _work(pipe: Connection, task: Task, parent: int) -> None:
    """Do the shards that come through the pipe, one after another, until it is closed."""
    _settle(parent)
    with suppress(EOFError, OSError):  # the parent is gone, or has no more shards
        while True:
            shard = pipe.recv()
            pipe.send(attempt(task, shard, partial(_tell, pipe)))


def _tell(pipe: Connection, stats: Stats) -> None:
    """Tell the parent how far a shard is."""
    try:
        pipe.send(stats)
    except OSError:  # the parent is gone
        raise SystemExit(_STOPPED) from None


def _settle(parent: int) -> None:
    """Leave Ctrl-C to the parent, stop when it says so, and end when it ends for whatever reason."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    die_with_parent()
    if os.getppid() != parent:  # it has ended already
        raise SystemExit(_STOPPED)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    """Unwind the worker, so that unfinished files are removed; a second signal is ignored."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit(_STOPPED)
