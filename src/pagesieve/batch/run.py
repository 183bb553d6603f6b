"""A run: the task for each shard, the interface of engines, and the folder in which a run begins or is resumed.

An engine runs a task on shards and reports progress; `local` and `ray` are engines.
"""

import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import fsspec
from fsspec.implementations.local import LocalFileSystem

from pagesieve.batch import BatchOptions, Item, Plan, Shard, Skipped, Stats
from pagesieve.batch.outputs import Folder, ShardFiles, planned_columns
from pagesieve.batch.pages import ask, page_child
from pagesieve.batch.signatures import SIGNATURE, Signature
from pagesieve.batch.sources import STANDARD_INPUT, plan_shards, read_shard
from pagesieve.errors import BadInput, BadOption, PagesieveError, RunStopped
from pagesieve.workers.child import Child, Reason, reason_category

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

TRIES = 3  # of a shard whose worker dies or fails; a page that fails is a reject, and no reason
INTERVAL = 0.25  # seconds between two progress reports, at least

EXTRACTED = "deduplicating"  # a folder in that of the run, until duplicates are left out

Progress = Callable[[Stats], None]
Read = Callable[[Shard, BatchOptions], Iterable[Item | Skipped]]


class Task(Protocol):
    """The task for each shard: a function that can be sent to another process. It may report its progress."""

    def __call__(self, shard: Shard, *, progress: Progress | None) -> Stats:
        """Process a shard. Raises RunStopped if all others would fail as well."""


class Watch(Protocol):
    """Receives the progress of shards from an engine."""

    def progress(self, shard: Shard, stats: Stats) -> None:
        """Take the statistics so far of a shard."""

    def finished(self, shard: Shard, stats: Stats) -> None:
        """Take the statistics of a finished shard."""

    def repeated(self, shard: Shard, why: str) -> None:
        """Take note that a shard will be repeated."""

    def given_up(self, shard: Shard, why: str) -> None:
        """Take note that a shard has failed too often, or would fail again; the others continue."""


# Does a task with shards, and returns when each of them is finished or given up. RunStopped and KeyboardInterrupt are
# raised after its workers have stopped.
Engine = Callable[[Sequence[Shard], Task, Watch], None]
Display = Callable[[Sequence[Shard]], AbstractContextManager[Watch]]  # makes the watch of some shards


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a shard: its statistics, or the reason why it has none."""

    stats: Stats | None = None
    why: str = ""
    again: bool = False  # whether it may succeed next time
    stop: bool = False  # whether the others would fail as well


def attempt(task: Task, shard: Shard, progress: Progress | None) -> Outcome:
    """Run a task on a shard in a worker of any engine; return an error as an outcome, which can be sent."""
    try:
        return Outcome(task(shard, progress=progress))
    except RunStopped as error:
        return Outcome(why=str(error), stop=True)
    except PagesieveError as error:
        return Outcome(why=str(error))
    except Exception as error:  # a store that does not answer, or a mistake of ours: the other shards go on
        return Outcome(why=f"{type(error).__name__}: {error}", again=True)


class Queue:
    """The shards of an engine that wait for a worker, and how often each has failed."""

    def __init__(self, shards: Sequence[Shard], watch: Watch) -> None:
        self.waiting = deque(shards)
        self._watch = watch
        self._failures: Counter[int] = Counter()

    def settle(self, shard: Shard, outcome: Outcome) -> None:
        """Handle the outcome of a shard. Raises RunStopped if the others would fail as well."""
        if outcome.stop:
            raise RunStopped(outcome.why)
        if outcome.stats is not None:
            self._watch.finished(shard, outcome.stats)
        else:
            self.failed(shard, outcome.why, tries=TRIES if outcome.again else 0)

    def failed(self, shard: Shard, why: str, *, tries: int = TRIES) -> None:
        """Queue a shard again, or give it up after the last attempt."""
        self._failures[shard.number] += 1
        if self._failures[shard.number] < tries:
            self._watch.repeated(shard, why)
            self.waiting.append(shard)  # last: where memory is short, there may be more of it then
        else:
            self._watch.given_up(shard, why)


class Reports:
    """Reports the progress of a task at intervals, and measures its time."""

    def __init__(self, stats: Stats, progress: Progress | None) -> None:
        self._stats, self._progress = stats, progress
        self._began = self._last = time.monotonic()

    def tell(self) -> None:
        """Report, unless the last report was just before."""
        now = time.monotonic()
        self._stats.seconds = now - self._began
        if self._progress is not None and now - self._last >= INTERVAL:
            self._last = now
            self._progress(self._stats)


def run_shard(
    shard: Shard,
    options: BatchOptions,
    folder: str,
    progress: Progress | None = None,
    *,
    columns: str = "",
    read: Read = read_shard,
) -> Stats:
    """Write a row or a reject for every page of a shard, in order; mark it as finished; return its statistics.

    `progress` gets the statistics so far at intervals, and at the end. `columns` are the input columns that are copied
    to Parquet. `read` yields the pages of the shard. Raises RunStopped if it cannot go on; then no files are left.
    """
    stats = Stats()
    reports = Reports(stats, progress)
    with ShardFiles(Folder(folder), shard, options, columns) as files:
        child = page_child(options)
        for item in read(shard, options):
            if isinstance(item, Skipped):
                stats.skipped[reason_category(item.reason)] += 1
            else:
                _do(item, child, files, stats)
                reports.tell()
        reports.tell()
        files.finish(stats)
    if progress is not None:
        progress(stats)
    return stats


def _do(item: Item, child: Child, files: ShardFiles, stats: Stats) -> None:
    """Write the result of one page, and count it."""
    item = with_text(item)
    answer = ask(child, item)
    stats.pages += 1
    stats.bytes += len(item.data or b"")
    if isinstance(answer, Reason):
        stats.rejected[reason_category(answer)] += 1
        files.reject(item.written_id, item.url, answer)
        return
    signature = answer.pop(SIGNATURE, None)
    files.result({"id": item.written_id, **answer}, item.columns)
    if signature is not None:
        files.sign(Signature(item.written_id, answer["url"], *signature))
    stats.results += 1
    for name, counter in (("encoding", stats.encodings), ("kind", stats.kinds), ("method", stats.methods)):
        if answer.get(name):
            counter[answer[name]] += 1


def with_text(item: Item) -> Item:
    """An item whose id and URL can be written: bytes of a file's name that are no text are escaped."""
    own = None if item.own_id is None else _as_text(item.own_id)
    return replace(item, id=_as_text(item.id), own_id=own, url=None if item.url is None else _as_text(item.url))


def _as_text(item: str) -> str:
    return item.encode("utf-8", "backslashreplace").decode()


@dataclass(frozen=True, slots=True)
class Run:
    """A run that can be resumed: its plan, its folder, and the shards that remain."""

    plan: Plan
    folder: Folder
    left: tuple[Shard, ...]
    resumed: bool

    @property
    def done(self) -> int:
        """The number of shards that were finished before this run."""
        return len(self.plan.shards) - len(self.left)

    @property
    def extraction(self) -> Task:
        """The task that extracts the pages of a shard."""
        options, columns = self.plan.options, self.plan.columns
        return partial(run_shard, options=options, folder=self.extracted.address, columns=columns)

    @property
    def extracted(self) -> Folder:
        """The folder of the extracted pages: the run's own, or one in it if duplicates are left out afterwards."""
        return _extracted(self.folder, self.plan.options)


def _extracted(folder: Folder, options: BatchOptions) -> Folder:
    return Folder(f"{folder.address}/{EXTRACTED}") if options.deduplicate else folder


def do_all(shards: Sequence[Shard], task: Task, folder: Folder, engine: Engine, display: Display, what: str) -> None:
    """Finish a pass in which all shards must succeed. Raises RunStopped if some fail."""
    folder.prepare()
    done = folder.finished()
    left = [shard for shard in shards if shard.number not in done]
    if not left:
        return
    with display(left) as watch:
        engine(left, task, watch)
    if lost := {shard.number for shard in shards} - folder.finished():
        raise RunStopped(f"{len(lost)} of {len(shards)} shards could not be {what}; --resume tries them again")


@contextmanager
def running(
    sources: Sequence[str], options: BatchOptions, folder: str, *, shard_bytes: int, resume: bool = False
) -> Iterator[Run]:
    """Begin a run in a folder or, with `resume`, continue the one in it. The folder is locked meanwhile.

    Raises BadOption if the folder holds a run and `resume` is not set, or a run of other sources or options.
    """
    place = Folder(folder)
    plan, resumed = place.load_plan(), True
    if plan is None:
        plan, resumed = _planned(sources, options, shard_bytes), False
    elif resume:
        plan.check_same(sources, options)
        plan = replace(plan, options=options)  # with the password, which is not written down
        _check_unchanged(plan)
    else:
        raise BadOption(f"{folder}: holds a run already: continue it with --resume, or choose another folder")
    with _alone(place):
        place.prepare()
        done = place.finished()
        if options.deduplicate and len(done) < len(plan.shards):
            extracted = _extracted(place, options)
            extracted.prepare()
            done |= extracted.finished()
        if not resumed:
            if done:
                raise BadInput(f"{folder}: holds results, but no manifest; choose another folder")
            place.save_plan(plan)
        try:
            yield Run(plan, place, tuple(shard for shard in plan.shards if shard.number not in done), resumed)
        finally:
            with suppress(RunStopped):  # what a killed worker has left behind does no harm
                place.prepare()


def _planned(sources: Sequence[str], options: BatchOptions, shard_bytes: int) -> Plan:
    shards = tuple(plan_shards(sources, shard_bytes=shard_bytes))
    columns = planned_columns(shards, options) if options.format == "parquet" else ""
    return Plan(tuple(sources), options, shards, columns)


@contextmanager
def _alone(place: Folder) -> Iterator[None]:
    """Keep other runs out of a local folder: they would remove what this one is writing."""
    files, root = fsspec.core.url_to_fs(place.path)
    if fcntl is None or not isinstance(files, LocalFileSystem):
        yield
        return
    with place.telling():
        os.makedirs(root, exist_ok=True)
        folder = os.open(root, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)  # until it is closed, or this process ends
        except BlockingIOError:
            raise BadInput(f"{place.path}: another run is using this folder") from None
        except OSError:  # a network file system without locks
            pass
        yield
    finally:
        os.close(folder)


def _check_unchanged(plan: Plan) -> None:
    """Raise BadInput if a source has changed since the plan was made: shards would be cut in the wrong places."""
    sources, shards = plan.sources, plan.shards
    if STANDARD_INPUT in sources:  # it can be read only once; of what it named, check the files with many pages
        shards = tuple(shard for shard in shards if shard.path)
        sources = tuple(dict.fromkeys(shard.path for shard in shards))
    then, now = _extents(shards), _extents(plan_shards(sources) if sources else ())
    for name in sorted(then.keys() | now.keys()):
        if then.get(name) != now.get(name):
            raise BadInput(f"--resume: {name} {_change(then.get(name), now.get(name))} since the run was begun")


def _extents(shards: Iterable[Shard]) -> dict[str, int]:
    """Return the files to read and their sizes, independent of the shards."""
    extents: Counter[str] = Counter()
    for shard in shards:
        extents.update(dict.fromkeys(shard.names, 0))
        extents[shard.path or f"what is in {shard.kind}"] += shard.size
    return dict(extents)


def _change(then: int | None, now: int | None) -> str:
    if then is None:
        return "is new"
    return "is gone" if now is None else f"has changed (it had {then} bytes, and has {now} now)"
