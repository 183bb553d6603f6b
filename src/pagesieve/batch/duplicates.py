"""The last pass of `batch --deduplicate`: leave out pages whose text repeats that of an earlier page.

The first pass extracts the pages into a separate folder, each with a signature of its text. This pass reads the
signatures in the order of the sources. A page is a duplicate of the first page before it that was kept and has the
same text or a similar one. So duplicates depend on the sources alone, not on the engine or on the order in which
shards finish, and the original of every duplicate is in the results. Then each shard is written again, without
duplicates.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from fsspec.core import url_to_fs

from pagesieve.batch import BatchOptions, Shard, Stats
from pagesieve.batch.outputs import SIGNATURES, Folder, copy_shard
from pagesieve.batch.run import Display, Engine, Progress, Run, do_all
from pagesieve.batch.signatures import Seen, Signature
from pagesieve.batch.storage import exists, open_file

DECIDED = "decided.json"  # in the folder of the extracted pages: the duplicates are determined
REPEATS = ".repeats.jsonl"


class Repeat(NamedTuple):
    """A page that is left out, and the one whose text it repeats."""

    row: int  # of its shard's results
    id: str
    url: str | None
    duplicate_of: str
    similarity: float


def deduplicate(run: Run, engine: Engine, display: Display) -> None:
    """Write the results of a run whose pages are all extracted, without duplicates.

    Raises RunStopped where not all shards could be written.
    """
    work, shards, options = run.extracted, run.plan.shards, run.plan.options
    if len(run.folder.finished()) < len(shards):
        if not exists(f"{work.address}/{DECIDED}"):
            _decide(work, shards, options)
        task = partial(write_kept, options=options, folder=run.folder.address, work=work.address)
        do_all(shards, task, run.folder, engine, display, "written without duplicates")
    if exists(work.address):
        with run.folder.telling():
            files, root = url_to_fs(work.address)
            files.rm(root, recursive=True)


def _decide(work: Folder, shards: Sequence[Shard], options: BatchOptions) -> None:
    """Write the duplicates of each shard to a file."""
    texts = Seen(options.similarity)
    for shard in shards:
        work.write_lines(shard.name + REPEATS, _repeats(f"{work.address}/{shard.name}{SIGNATURES}", texts))
    work.write_lines(DECIDED, [{}])


def _repeats(path: str, texts: Seen) -> Iterator[Repeat]:
    for row, row_data in enumerate(_lines(path)):
        page = Signature(*row_data)
        original = texts.repeated(page)
        if original is not None:
            yield Repeat(row, page.id, page.url, original[0], round(original[1], 4))


def write_kept(shard: Shard, options: BatchOptions, folder: str, work: str, progress: Progress | None = None) -> Stats:
    """Write the results of a shard without duplicates; return its statistics."""
    place, extracted = Folder(folder), Folder(work)
    repeats = [Repeat(*line) for line in _lines(f"{work}/{shard.name}{REPEATS}")]
    stats = extracted.figures(shard)
    stats.results -= len(repeats)
    stats.duplicates = len(repeats)
    lines = [{name: value for name, value in each._asdict().items() if name != "row"} for each in repeats]
    copy_shard(extracted, place, shard, options, frozenset(each.row for each in repeats), lines)
    place.mark(shard, stats)
    if progress is not None:
        progress(stats)
    return stats


def _lines(path: str) -> Iterator[Any]:
    with open_file(path) as file:
        for line in file:
            yield json.loads(line)
