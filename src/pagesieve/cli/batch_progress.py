"""How far a batch is: a bar on a terminal, a line now and then elsewhere; and what came of it, at its end."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Self

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from pagesieve.batch.plan import Shard, Stats
from pagesieve.cli import say, visible

INTERVAL = 30.0  # seconds between two lines where nobody watches
SHOWN = 6  # of the values of a count in the summary: reasons, encodings
UNKNOWN_SIZE = 1_000_000  # bytes that a shard of unknown size counts as
MB = 1_000_000
COLUMNS = (BarColumn(30), TextColumn("{task.fields[figures]}"), TimeRemainingColumn(), TextColumn("left"))


class Display:
    """Is told how the shards of a run fare (a `Watch`), and shows it."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        self.done = 0  # shards finished
        self._finished = Stats()
        self._running: dict[int, tuple[Shard, Stats]] = {}
        self._size_finished = 0
        self._size = sum(map(_size, shards))
        console = Console(stderr=True)
        self._bars = Progress(*COLUMNS, console=console, transient=True) if console.is_terminal else None
        self._began = self._told = self._ended = time.monotonic()

    def __enter__(self) -> Self:
        self._began = self._told = time.monotonic()
        if self._bars:
            self._bars.add_task("", total=self._size, figures="")
            self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = time.monotonic()
        if self._bars:
            self._bars.stop()

    # What the engine tells

    def progress(self, shard: Shard, stats: Stats) -> None:
        """A shard has come so far."""
        self._running[shard.number] = shard, stats
        self._show()

    def finished(self, shard: Shard, stats: Stats) -> None:
        """A shard is finished."""
        self._running.pop(shard.number, None)
        self._finished.add(stats)
        self._size_finished += _size(shard)
        self.done += 1
        self._show()

    def repeated(self, shard: Shard, why: str) -> None:
        """A shard has to be run again."""
        self._running.pop(shard.number, None)
        say(f"{shard.name}: {why}; it is repeated")

    def given_up(self, shard: Shard, why: str) -> None:
        """A shard has failed too often, or would fail again."""
        self._running.pop(shard.number, None)
        say(f"{shard.name}: {why}; it is given up, and --resume tries it again ({_whereabouts(shard)})")

    # What is shown of it

    @property
    def seconds(self) -> float:
        """How long it took from the first to the last."""
        return self._ended - self._began

    @property
    def stats(self) -> Stats:
        """What was done in this run so far."""
        stats = Stats()
        stats.add(self._finished)
        for _, running in self._running.values():
            stats.add(running)
        return stats

    def _show(self) -> None:
        now = time.monotonic()
        if self._bars:
            told = figures(self.stats, now - self._began)
            self._bars.update(self._bars.task_ids[0], completed=self._size_done(), figures=told)
        elif now - self._told >= INTERVAL:
            self._told = now
            say(f"{figures(self.stats, now - self._began)}{self._remaining(now - self._began)}")

    def _remaining(self, seconds: float) -> str:
        done = self._size_done()
        return f", {done / self._size:.0%} done, {duration(seconds * (self._size / done - 1))} left" if done else ""

    def _size_done(self) -> float:
        return self._size_finished + sum(self._part(shard, stats) for shard, stats in self._running.values())

    def _part(self, shard: Shard, stats: Stats) -> float:
        """How much of a shard is done. What pages measure, as against their source, is known from finished shards."""
        if shard.names:
            return _size(shard) * min(1.0, stats.pages / len(shard.names))
        if not self._finished.bytes:
            return 0.0
        return min(_size(shard), stats.bytes * self._size_finished / self._finished.bytes)


def _size(shard: Shard) -> int:
    return shard.size or UNKNOWN_SIZE


def _whereabouts(shard: Shard) -> str:
    """Which part of the input a shard is."""
    if shard.names:
        return f"{shard.names[0]} and {len(shard.names) - 1} more" if len(shard.names) > 1 else shard.names[0]
    stop = shard.stop if shard.stop >= 0 else "the end"
    return f"{shard.path}, {'row groups' if shard.kind == 'parquet' else 'bytes'} {shard.start} to {stop}"


def figures(stats: Stats, seconds: float) -> str:
    """Pages, their pace, and how many were rejected, in a line."""
    seconds = max(seconds, 1e-3)
    pace = f"{stats.pages / seconds:,.0f} pages/s, {stats.bytes / MB / seconds:.1f} MB/s"
    return f"{stats.pages:,} pages, {pace}, {stats.rejected.total():,} rejected"


def duration(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def summary(whole: Stats, now: Stats, seconds: float, folder: str) -> None:
    """Says what became of all pages of a run; and at which pace those were done that were done `now`."""
    counts = f"{whole.pages:,} pages, {whole.results:,} results, {whole.rejected.total():,} rejected"
    say(f"{counts} ({_pace(whole, now, seconds)}), in {folder}")
    for name in ("rejected", "skipped", "encodings", "kinds", "methods"):
        if counted := getattr(whole, name):
            click.echo(f"  {name:9}  {visible(_listed(counted))}", err=True)


def _pace(whole: Stats, now: Stats, seconds: float) -> str:
    if not now.pages:
        return "nothing was left to do"
    some = f"{now.pages:,} of them in " if now.pages < whole.pages else ""
    return f"{some}{duration(seconds)}, {now.pages / max(seconds, 1e-3):,.0f} pages/s"


def _listed(counted: Counter[str]) -> str:
    listed = [f"{count:,} {value}" for value, count in counted.most_common(SHOWN)]
    if more := counted.total() - sum(count for _, count in counted.most_common(SHOWN)):
        listed.append(f"{more:,} others")
    return "; ".join(listed)
