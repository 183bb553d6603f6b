"""A run in its folder, whichever engine does it: begun, or taken up again."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial

import fsspec
from fsspec.implementations.local import LocalFileSystem

from pagesieve.batch.engine import Task
from pagesieve.batch.outputs import Folder
from pagesieve.batch.plan import BatchOptions, Plan, Shard
from pagesieve.batch.shard import run_shard
from pagesieve.batch.sources import STANDARD_INPUT, plan_shards
from pagesieve.errors import BadInput, BadOption, BatchStopped

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Run:
    """A run that may go on: its plan, its folder, and the shards that are left to do."""

    plan: Plan
    folder: Folder
    left: tuple[Shard, ...]
    resumed: bool

    @property
    def done(self) -> int:
        """How many shards were finished before."""
        return len(self.plan.shards) - len(self.left)

    @property
    def extraction(self) -> Task:
        """What is done with its shards."""
        return partial(run_shard, options=self.plan.options, folder=self.folder.address)


@contextmanager
def running(
    sources: Sequence[str], options: BatchOptions, folder: str, *, shard_bytes: int, resume: bool = False
) -> Iterator[Run]:
    """A run that is begun in a folder or, with `resume`, taken up there; nobody else can meanwhile.

    BadOption where the folder holds a run that is not to be taken up, or one of other sources or options.
    """
    place = Folder(folder)
    plan, resumed = place.load_plan(), True
    if plan is None:
        plan, resumed = Plan(tuple(sources), options, tuple(plan_shards(sources, shard_bytes=shard_bytes))), False
    elif resume:
        plan.check_same(sources, options)
        plan = replace(plan, options=options)  # with the password, which is not written down
        _check_unchanged(plan)
    else:
        raise BadOption(f"{folder}: holds a run already: --resume goes on with it, or take another folder")
    with _alone(place):
        place.prepare()
        done = place.finished()
        if not resumed:
            if done:
                raise BadInput(f"{folder}: holds results, but no manifest that says of what; take another folder")
            place.save_plan(plan)
        try:
            yield Run(plan, place, tuple(shard for shard in plan.shards if shard.number not in done), resumed)
        finally:
            with suppress(BatchStopped):  # what a worker that was killed has left is in nobody's way
                place.prepare()


@contextmanager
def _alone(place: Folder) -> Iterator[None]:
    """Keeps other runs out of a folder of this machine: they would remove what this one is writing."""
    files, root = fsspec.core.url_to_fs(place.path)
    if fcntl is None or not isinstance(files, LocalFileSystem):
        yield
        return
    with place.telling():
        os.makedirs(root, exist_ok=True)
        folder = os.open(root, os.O_RDONLY)
    try:
        _lock(folder, place.path)
        yield
    finally:
        os.close(folder)


def _lock(folder: int, name: str) -> None:
    """Locks an open folder, until it is closed or this process ends."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BadInput(f"{name}: another run is going on in it") from None
    except OSError:  # of a network that knows no locks
        return


# Whether the sources are still what they were


def _check_unchanged(plan: Plan) -> None:
    """BadInput where a source has changed since the plan was made: shards would be cut in the wrong places."""
    sources, shards = plan.sources, plan.shards
    if STANDARD_INPUT in sources:  # it was read once; of what it named, files with many pages are looked at
        shards = tuple(shard for shard in shards if shard.path)
        sources = tuple(dict.fromkeys(shard.path for shard in shards))
    then, now = _extents(shards), _extents(plan_shards(sources) if sources else ())
    for name in sorted(then.keys() | now.keys()):
        if then.get(name) != now.get(name):
            raise BadInput(f"--resume: {name} {_change(then.get(name), now.get(name))} since the run was begun")


def _extents(shards: Iterable[Shard]) -> dict[str, int]:
    """What there is to read, and its size; the same, however it is cut into shards."""
    extents: Counter[str] = Counter()
    for shard in shards:
        extents.update(dict.fromkeys(shard.names, 0))
        extents[shard.path or f"what is in {shard.kind}"] += shard.size
    return dict(extents)


def _change(then: int | None, now: int | None) -> str:
    if then is None:
        return "has come"
    return "has gone" if now is None else f"has changed (it had {then} bytes, and now {now})"
