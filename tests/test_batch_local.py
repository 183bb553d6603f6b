"""The pool with real processes, some of which die, and tasks that are smaller than pages."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from pagesieve.batch import Shard, Stats, local
from pagesieve.batch.run import TRIES, Progress
from pagesieve.errors import BadInput, RunStopped
from pagesieve.workers.pool import available_cpus

PATIENCE = 60  # seconds: for what is sure to happen, on a machine that has other things to do
ROOT = Path(__file__).parent.parent

SHARDS = [Shard(number, "files") for number in range(6)]


class Watched:
    """Writes down what the engine tells, and does something at it."""

    def __init__(self, at_progress: Callable[[Shard], None] = lambda shard: None) -> None:
        self.at_progress = at_progress
        self.finished_shards: dict[int, Stats] = {}
        self.repeats: list[tuple[int, str]] = []
        self.lost: list[tuple[int, str]] = []

    def progress(self, shard: Shard, stats: Stats) -> None:
        self.at_progress(shard)

    def finished(self, shard: Shard, stats: Stats) -> None:
        assert shard.number not in self.finished_shards
        self.finished_shards[shard.number] = stats

    def repeated(self, shard: Shard, why: str) -> None:
        self.repeats.append((shard.number, why))

    def given_up(self, shard: Shard, why: str) -> None:
        self.lost.append((shard.number, why))


def wait_for(happens: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < until, "it does not happen"
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


# Tasks


def note(shard: Shard, *, folder: Path, progress: Progress | None) -> Stats:
    """Notes which process has done which shard."""
    with (folder / f"{shard.number}").open("a") as file:
        file.write(f"{os.getpid()}\n")
    return Stats(pages=shard.number)


def linger(shard: Shard, *, folder: Path, progress: Progress, until: Path | None = None) -> Stats:
    """Goes on until somebody makes a file; notes its process, and that it was unwound."""
    note(shard, folder=folder, progress=progress)
    try:
        while until is None or not until.exists():
            progress(Stats(pages=1))
            time.sleep(0.01)
    finally:
        (folder / f"{shard.number}.left").touch()
    return Stats(pages=1)


def be_stubborn(shard: Shard, *, folder: Path, progress: Progress) -> Stats:
    """Does not stop when it is told to."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    note(shard, folder=folder, progress=progress)
    progress(Stats())
    while True:
        time.sleep(1)


def die(shard: Shard, *, folder: Path, number: int, times: int, progress: Progress | None) -> Stats:
    """Kills its process, when it does shard `number` for the first times."""
    note(shard, folder=folder, progress=progress)
    if shard.number == number and len(pids(folder, number)) <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return Stats(pages=1)


def leave(shard: Shard, *, progress: Progress | None) -> Stats:
    os._exit(7)


def fail(shard: Shard, *, error: Exception, folder: Path, progress: Progress | None) -> Stats:
    note(shard, folder=folder, progress=progress)
    if shard.number == 2:
        raise error
    return Stats(pages=1)


def pids(folder: Path, number: int) -> list[int]:
    """The processes that have begun a shard."""
    file = folder / f"{number}"
    return [int(line) for line in file.read_text().splitlines()] if file.exists() else []


def all_pids(folder: Path) -> set[int]:
    return {pid for shard in SHARDS for pid in pids(folder, shard.number)}


# All goes well


@pytest.mark.parametrize("workers", [1, 3, 20])
def test_every_shard_is_done_once(tmp_path: Path, workers: int) -> None:
    watch = Watched()
    local.run(SHARDS, partial(note, folder=tmp_path), watch, workers=workers)
    assert {number: stats.pages for number, stats in watch.finished_shards.items()} == {n: n for n in range(6)}
    assert [len(pids(tmp_path, shard.number)) for shard in SHARDS] == [1] * 6
    assert len(all_pids(tmp_path)) <= min(workers, len(SHARDS))
    assert not any(map(is_running, all_pids(tmp_path)))


def test_no_shards() -> None:
    watched = Watched()
    local.run([], partial(leave), watched)
    assert watched.finished_shards == {}


def test_workers_are_as_many_as_there_are_cpus(tmp_path: Path) -> None:
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("CPUs cannot be chosen here")
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert available_cpus() == 1
    finally:
        os.sched_setaffinity(0, allowed)


def test_workers_work_at_the_same_time(tmp_path: Path) -> None:
    """Each waits for a file that is made when all have begun."""
    go = tmp_path / "go"

    def release(shard: Shard) -> None:
        if len(all_pids(tmp_path)) == 3:
            go.touch()

    watch = Watched(release)
    local.run(SHARDS[:3], partial(linger, folder=tmp_path, until=go), watch, workers=3)
    assert len(watch.finished_shards) == 3


# Workers die


def test_a_worker_is_killed_and_its_shard_repeated(tmp_path: Path) -> None:
    """By somebody else, in the middle of a shard."""
    killed: list[int] = []

    def kill(shard: Shard) -> None:
        if not killed:
            killed.append(shard.number)
            os.kill(pids(tmp_path, shard.number)[-1], signal.SIGKILL)
        else:
            (tmp_path / "go").touch()

    watch = Watched(kill)
    local.run(SHARDS, partial(linger, folder=tmp_path, until=tmp_path / "go"), watch, workers=2)
    assert sorted(watch.finished_shards) == list(range(6))
    assert watch.repeats == [(killed[0], "its worker was killed (SIGKILL)")]
    assert [len(pids(tmp_path, shard.number)) for shard in SHARDS] == [1 + (n == killed[0]) for n in range(6)]


@pytest.mark.parametrize("times", [1, 2])
def test_a_shard_is_repeated_as_often_as_is_allowed(tmp_path: Path, times: int) -> None:
    watch = Watched()
    local.run(SHARDS, partial(die, folder=tmp_path, number=3, times=times), watch, workers=2)
    assert sorted(watch.finished_shards) == list(range(6))
    assert watch.repeats == [(3, "its worker was killed (SIGKILL)")] * times


def test_a_shard_that_always_kills_is_given_up_and_the_others_go_on(tmp_path: Path) -> None:
    watch = Watched()
    local.run(SHARDS, partial(die, folder=tmp_path, number=3, times=99), watch, workers=2)
    assert sorted(watch.finished_shards) == [0, 1, 2, 4, 5]
    assert len(pids(tmp_path, 3)) == TRIES
    assert watch.lost == [(3, "its worker was killed (SIGKILL)")]


def test_a_worker_that_ends_by_itself() -> None:
    watch = Watched()
    local.run(SHARDS[:1], leave, watch, workers=1)
    assert watch.lost == [(0, "its worker ended with status 7")]


@pytest.mark.parametrize(
    ("error", "tries", "why"),
    [
        (BadInput("crawl.parquet: no Parquet file"), 1, "crawl.parquet: no Parquet file"),
        (ConnectionError("no answer"), TRIES, "ConnectionError: no answer"),
        (KeyError("mistake"), TRIES, "KeyError: 'mistake'"),
    ],
)
def test_a_shard_that_fails(tmp_path: Path, error: Exception, tries: int, why: str) -> None:
    watch = Watched()
    local.run(SHARDS, partial(fail, error=error, folder=tmp_path), watch, workers=2)
    assert sorted(watch.finished_shards) == [0, 1, 3, 4, 5]
    assert len(pids(tmp_path, 2)) == tries
    assert watch.lost == [(2, why)]


# The run is stopped


def test_what_would_stop_every_shard_stops_the_run(tmp_path: Path) -> None:
    task = partial(fail, error=RunStopped("out: the disk is full"), folder=tmp_path)
    with pytest.raises(RunStopped, match="out: the disk is full"):
        local.run(SHARDS, task, Watched(), workers=1)
    assert not any(map(is_running, all_pids(tmp_path)))
    assert pids(tmp_path, 3) == []


def interrupt_when_busy(folder: Path, workers: int) -> Callable[[Shard], None]:
    def interrupt(shard: Shard) -> None:
        if len(all_pids(folder)) == workers:
            raise KeyboardInterrupt

    return interrupt


def test_workers_are_unwound_when_the_run_is_interrupted(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        local.run(SHARDS, partial(linger, folder=tmp_path), Watched(interrupt_when_busy(tmp_path, 2)), workers=2)
    assert not any(map(is_running, all_pids(tmp_path)))
    assert {path.name for path in tmp_path.glob("*.left")} == {"0.left", "1.left"}


def test_workers_that_do_not_stop_are_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "PATIENCE", 0.2)
    with pytest.raises(KeyboardInterrupt):
        local.run(SHARDS, partial(be_stubborn, folder=tmp_path), Watched(interrupt_when_busy(tmp_path, 2)), workers=2)
    assert not any(map(is_running, all_pids(tmp_path)))


def test_who_interrupts_twice_does_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "PATIENCE", 10 * PATIENCE)

    def interrupt(shard: Shard) -> None:
        if len(all_pids(tmp_path)) == 2:
            # The second comes while the pool waits for its workers: a little later, from another thread.
            threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
            raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        local.run(SHARDS, partial(be_stubborn, folder=tmp_path), Watched(interrupt), workers=2)
    assert time.monotonic() - began < PATIENCE
    assert not any(map(is_running, all_pids(tmp_path)))


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_no_worker_outlives_a_parent_that_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys; from functools import partial; from pathlib import Path; from tests import test_batch_local as t\n"
        "t.local.run(t.SHARDS, partial(t.linger, folder=Path(sys.argv[1])), t.Watched(), workers=2)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, start_new_session=True)
    try:
        wait_for(lambda: len(all_pids(tmp_path)) == 2)
        workers = all_pids(tmp_path)
        assert all(map(is_running, workers))
    finally:
        parent.kill()
        parent.wait()
    wait_for(lambda: not any(map(is_running, workers)))
