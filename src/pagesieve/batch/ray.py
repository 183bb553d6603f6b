"""An engine that runs shards as tasks on a Ray cluster. Tasks may be lost with their machine; few wait at a time.

Paths must mean the same on every machine: an object store, or a folder that all machines mount. Ray's own messages stay
in its logs.
"""

import logging
import os
import re
import signal
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from importlib import import_module
from typing import Any

from pagesieve.batch import Shard, Stats
from pagesieve.batch.run import TRIES, Outcome, Queue, Task, Watch, attempt
from pagesieve.errors import BadInput, MissingExtra, RunStopped
from pagesieve.workers.pool import available_cpus

IN_FLIGHT = 2  # tasks a CPU: one that works, and one that is there when it ends
TRIES_OF_LOST = 10  # of a shard whose machine was lost: the shard is not the cause
LOOK = 0.5  # seconds after which the driver asks how far the shards are
TELL = 1.0  # seconds between two reports of a task: there may be thousands
ANSWER = 10.0  # seconds until a cluster must have answered
PATIENCE = 5.0  # seconds for tasks to tidy up when they are told to stop
STORE_BYTES = 100_000_000  # of the object store of a Ray of our own: only figures go through it

# Why a shard has no outcome, by Ray's error.
ENDINGS = {
    "NodeDiedError": "its machine was lost",
    "LocalRayletDiedError": "its machine was lost",
    "ObjectLostError": "its machine was lost",
    "WorkerCrashedError": "its worker was killed",
    "OutOfMemoryError": "its worker was killed: its machine has no memory left",
}

_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # or it warns that this is going to be the default
}


def run(
    shards: Sequence[Shard], task: Task, watch: Watch, *, workers: int | None = None, address: str | None = None
) -> None:
    """Run `task` on all shards, each as a Ray task of one CPU, and report progress to `watch`.

    Use the cluster that this process is connected to, or else the one at `address`; without an address, start Ray on
    this machine. Run at most `workers` shards at a time, if given. A shard whose worker or machine is lost is
    repeated. RunStopped, if no shard could go on, and KeyboardInterrupt are raised after the tasks have stopped.
    """
    if not shards:
        return
    # Ray reports every lost worker on standard output.
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), _connected(address, workers) as ray:
        driver = _Driver(ray, shards, task, watch, workers)
        try:
            driver.run()
        finally:
            driver.close()


@contextmanager
def _connected(address: str | None, workers: int | None) -> Iterator[Any]:
    """Connect Ray to a cluster, or to one of our own that ends with this."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    try:
        ray = import_module("ray")
    except ImportError as error:
        raise MissingExtra("--engine ray", "ray") from error
    if ray.is_initialized():
        yield ray
        return
    handler = signal.getsignal(signal.SIGTERM)
    try:
        _start(ray, address, workers)
        signal.signal(signal.SIGTERM, handler)  # Ray has put its own there
        yield ray
    finally:
        ray.shutdown()
        signal.signal(signal.SIGTERM, handler)


def _start(ray: Any, address: str | None, workers: int | None) -> None:
    """Connect to a cluster, or start one. Raises BadInput if that is not possible."""
    own = {"num_cpus": workers or available_cpus(), "object_store_memory": STORE_BYTES, "include_dashboard": False}
    if address:
        _check_answers(address)
    try:
        # Without "local", Ray would take any cluster that it finds.
        settings = {"address": address} if address else {"address": "local", **own}
        ray.init(log_to_driver=False, logging_level=logging.CRITICAL, **settings)
    except (OSError, RuntimeError, ValueError) as error:
        raise BadInput(f"--engine ray: {_line(error)}") from error


def _check_answers(address: str) -> None:
    """Raise BadInput if nothing answers at an address; Ray itself would retry for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not port.isdigit():  # "auto"
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), ANSWER).close()
    except (OSError, OverflowError) as error:
        raise BadInput(f"--address {address}: no Ray cluster answers there: {_line(error)}") from error


class _Driver:
    """Submits shards as CPUs become free, and waits for their outcomes."""

    def __init__(self, ray: Any, shards: Sequence[Shard], task: Task, watch: Watch, workers: int | None) -> None:
        self._ray = ray
        self._queue = Queue(shards, watch)
        self._watch = watch
        self._workers = workers
        self._running: dict[Any, Shard] = {}  # by the reference to what comes of them
        self._task = ray.put(task)
        self._board = ray.remote(num_cpus=0, max_restarts=-1)(_Board).remote()
        # Ray's own retries are neither counted nor reported, and endless when memory is short: so they are ours.
        self._do = ray.remote(num_cpus=1, max_retries=0)(_do)
        self._asked = time.monotonic()
        self._heard = self._board.take.remote()

    def run(self) -> None:
        """Return when every shard is finished or given up."""
        while self._queue.waiting or self._running:
            self._hand_out()
            done, _ = self._ray.wait(list(self._running), timeout=LOOK)
            for reference in done:
                self._take(self._running.pop(reference), self._outcome(reference))
            self._ask()

    def close(self) -> None:
        """Stop all tasks; kill those that do not stop."""
        try:
            self._cancel(force=False)
            if self._running:
                done, _ = self._ray.wait(list(self._running), num_returns=len(self._running), timeout=PATIENCE)
                for reference in done:
                    del self._running[reference]
        finally:  # also when Ctrl-C is pressed again
            self._cancel(force=True)

    def _cancel(self, *, force: bool) -> None:
        for reference in self._running:
            with suppress(self._ray.exceptions.RayError):
                self._ray.cancel(reference, force=force)

    def _hand_out(self) -> None:
        # A cluster may grow and shrink.
        most = self._workers or IN_FLIGHT * max(1, int(self._ray.cluster_resources().get("CPU", 0)))
        while self._queue.waiting and len(self._running) < most:
            shard = self._queue.waiting.popleft()
            self._running[self._do.remote(self._task, shard, os.getcwd(), self._board)] = shard

    def _outcome(self, reference: Any) -> Outcome | Exception:
        try:
            outcome: Outcome = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            return error  # type: ignore[no-any-return]
        return outcome

    def _take(self, shard: Shard, came: Outcome | Exception) -> None:
        if isinstance(came, self._ray.exceptions.RayTaskError):  # no error of a task: they are outcomes
            raise RunStopped(
                f"the cluster cannot process shards; do all machines have the same version of Pagesieve? {_line(came)}"
            )
        if isinstance(came, Exception):
            errors = self._ray.exceptions
            lost = isinstance(came, errors.NodeDiedError | errors.LocalRayletDiedError | errors.ObjectLostError)
            why = ENDINGS.get(type(came).__name__) or f"{type(came).__name__}: {_line(came)}"
            self._queue.failed(shard, why, tries=TRIES_OF_LOST if lost else TRIES)
        else:
            self._queue.settle(shard, came)

    def _ask(self) -> None:
        """Read the progress of the shards at intervals. If the machine that has it is lost, another one starts anew."""
        now = time.monotonic()
        answered, _ = self._ray.wait([self._heard], timeout=0)
        if not answered or now - self._asked < LOOK:
            return
        running = {shard.number: shard for shard in self._running.values()}
        with suppress(self._ray.exceptions.RayError):
            for number, stats in self._ray.get(self._heard).items():
                if number in running:
                    self._watch.progress(running[number], stats)
        self._asked, self._heard = now, self._board.take.remote()


def _line(error: Exception) -> str:
    """The last line of an error: Ray's have a traceback before it, and colours."""
    lines = _COLOUR.sub("", str(error)).strip().splitlines() or [type(error).__name__]
    return lines[-1].strip()[:200]


class _Board:
    """Holds the progress of the shards: the tasks write it, the driver reads it."""

    def __init__(self) -> None:
        self._figures: dict[int, Stats] = {}

    def tell(self, number: int, stats: Stats) -> None:
        self._figures[number] = stats

    def take(self) -> dict[int, Stats]:
        figures, self._figures = self._figures, {}
        return figures


def _do(task: Task, shard: Shard, folder: str, board: Any) -> Outcome:
    """Process a shard, in the folder in which the run was begun if the machine has it, since paths may be relative."""
    with suppress(OSError):
        os.chdir(folder)
    reported = float("-inf")

    def tell(stats: Stats) -> None:
        nonlocal reported
        if time.monotonic() - reported >= TELL:
            reported = time.monotonic()
            board.tell.remote(shard.number, stats)

    return attempt(task, shard, tell)
