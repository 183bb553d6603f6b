"""What a worker does with a shard, whichever engine it works for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from pagesieve.batch.child import Child, kept
from pagesieve.batch.outputs import Folder, ShardFiles
from pagesieve.batch.plan import BatchOptions, Item, Shard, Skipped, Stats
from pagesieve.batch.sources import read_shard

Read = Callable[[Shard, BatchOptions], Iterable[Item | Skipped]]

PROGRESS = 0.25  # seconds between two reports, at least


def run_shard(
    shard: Shard,
    options: BatchOptions,
    folder: str,
    progress: Callable[[Stats], None] | None = None,
    *,
    read: Read = read_shard,
) -> Stats:
    """Makes a row or a reject of every page of a shard, in its order, and marks it as finished; gives its figures.

    `progress` is told now and then what the figures of the shard are so far, and at the end. `read` gives the pages of
    the shard. BatchStopped where it cannot go on; then nothing is left.
    """
    began = reported = time.monotonic()
    stats = Stats()
    with ShardFiles(Folder(folder), shard, options) as files:
        for item in read(shard, options):
            if isinstance(item, Skipped):
                stats.skipped[_sort(item.reason)] += 1
                continue
            _do(item, kept(options), files, stats)
            now = time.monotonic()
            if progress is not None and now - reported >= PROGRESS:
                stats.seconds, reported = now - began, now
                progress(stats)
        stats.seconds = time.monotonic() - began
        files.finish(stats)
    if progress is not None:
        progress(stats)
    return stats


def _do(item: Item, child: Child, files: ShardFiles, stats: Stats) -> None:
    """Writes what comes of one page, and counts it."""
    id, url = as_text(item.id), None if item.url is None else as_text(item.url)
    answer = child.answer(Item(id, url, item.data, item.content_type, item.fault))
    stats.pages += 1
    stats.bytes += len(item.data or b"")
    if isinstance(answer, str):
        stats.rejected[_sort(answer)] += 1
        files.reject(id, url, answer)
    else:
        files.result({"id": id, **answer})
        _count(answer, stats)


def _count(row: dict[str, Any], stats: Stats) -> None:
    stats.results += 1
    for name, counter in (("encoding", stats.encodings), ("kind", stats.kinds), ("method", stats.methods)):
        if row.get(name):
            counter[row[name]] += 1


def _sort(reason: str) -> str:
    """What a reason is counted as."""
    return reason.split(": ", 1)[0]


def as_text(given: str) -> str:
    """An address or a name that can be written: bytes of a file's name that are no text stay apart from each other."""
    return given.encode("utf-8", "backslashreplace").decode()
