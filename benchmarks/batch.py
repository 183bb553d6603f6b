"""`pagesieve batch` on many pages: python benchmarks/batch.py ../shared/data/articles/*.tar.xz --pages 20000

Makes a WARC of the labelled pages (see crawl.py) and runs the command on it with 1 and with 2 workers: pages a second,
memory of its processes while it runs, and whether results and rejects are exactly the pages of the WARC. Beside it
trafilatura, on the same shards with as many processes and none that could be killed. Then what a page costs by steps,
what each format takes, and what that comes to for a whole crawl. The tables are Markdown; `--docs docs/scale.md` puts
them there, in place of the ones that are.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from fastwarc.warc import ArchiveIterator
from timing import best

from crawl import sources_of, write_crawl
from pagesieve.batch import FORMATS, BatchOptions, Item, Plan, Shard, Stats
from pagesieve.batch.outputs import Folder, ShardFiles
from pagesieve.batch.pages import ROWS, Extractor, ask
from pagesieve.batch.run import run_shard
from pagesieve.batch.sources import read_shard
from pagesieve.errors import NothingFound
from pagesieve.evaluate.archives import find_sets
from pagesieve.workers.child import Child, Rejected

SHARDS = 32  # of the WARC
LOOK = 0.2  # seconds between two looks at the processes
MARKS = (0.1, 0.5, 1.0)  # of the pages: where memory is told
WINDOW = 0.1  # of the pages before a mark: over which it is the median
ROUNDS = 3  # of the steps, of which the best counts
STEP_PAGES = 1000  # whose steps are looked at
ROLES = ("the command", "worker", "its page process")  # by how far below the command they are
STORED_AS = "parquet"  # in the arithmetic

# What the arithmetic takes a crawl to be; docs/scale.md names it.
PRICE = 0.04  # dollars a core-hour
WARC_BYTES = 30_000  # of a page, compressed
AMOUNTS = {"a million pages": 1e6, "a segment: 30 million": 3e7, "a crawl: 3 billion": 3e9}
CORES = (100, 1000)
MACHINE = 64  # cores

MB = 1e6
OPTIONS = BatchOptions()
WRITTEN = Shard(99_999, "warc")  # has all rows, in each format
TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Crawl:
    """The WARC, and the ids that its pages have to have."""

    path: Path
    ids: list[str]

    @property
    def size(self) -> int:
        return self.path.stat().st_size


def make(folder: Path, archives: Sequence[Path], pages: int) -> Crawl:
    path = folder.resolve() / "pages.warc.gz"
    return Crawl(path, [f"{path}#{place}" for place in write_crawl(path, sources_of(find_sets(archives)), pages)])


# The command and its processes


@dataclass
class Watch:
    """What the processes of a run use, looked at again and again while it goes on."""

    root: int
    folder: Path
    pages: int
    memory: list[tuple[float, dict[str, float]]] = field(default_factory=list)  # part done; the most of each role, MB
    cpu: dict[tuple[str, int], float] = field(default_factory=dict)  # seconds of every process
    _done: dict[Path, int] = field(default_factory=dict)

    def look(self) -> None:
        most: dict[str, float] = {}
        for role, process in processes(self.root):
            try:
                most[role] = max(most.get(role, 0.0), resident(process))
                self.cpu[role, process] = cpu_seconds(process)
            except (OSError, IndexError):  # it has just ended
                continue
        self.memory.append((self._part_done(), most))

    def _part_done(self) -> float:
        for marker in self.folder.glob("part-*.stats.json"):
            if marker not in self._done:
                self._done[marker] = json.loads(marker.read_bytes())["pages"]
        return sum(self._done.values()) / self.pages

    def memory_at(self, role: str, mark: float) -> float | None:
        seen = [most[role] for done, most in self.memory if role in most and mark - WINDOW < done <= mark and done]
        return statistics.median(seen) if seen else None

    def largest(self, role: str) -> float:
        return max((most.get(role, 0.0) for _, most in self.memory), default=0.0)

    def cpu_of(self, role: str) -> float:
        return sum(seconds for (each, _), seconds in self.cpu.items() if each == role)


def processes(root: int) -> Iterator[tuple[str, int]]:
    """The command and all below it, by what they are."""
    level = [root]
    for role in ROLES:
        yield from ((role, process) for process in level)
        level = [child for process in level for child in children(process)]


def children(process: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{process}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return []


def resident(process: int) -> float:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE / MB


def cpu_seconds(process: int) -> float:
    after_name = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(after_name[11]) + int(after_name[12])) / TICK


@dataclass(frozen=True, slots=True)
class Ran:
    """A run of the command, from its start to its end."""

    workers: int
    seconds: float
    stats: dict[str, Any]
    watch: Watch

    @property
    def pace(self) -> float:
        return float(self.stats["pages"] / self.seconds)

    @property
    def megabytes(self) -> float:
        return float(self.stats["bytes"] / MB / self.seconds)


def run(crawl: Crawl, folder: Path, workers: int) -> Ran:
    command = ["batch", str(crawl.path), "-o", str(folder), "--workers", str(workers)]
    shard_size = ["--shard-size", f"{crawl.size / SHARDS / MB + 1e-6:.6f}"]
    began = time.perf_counter()
    with (
        folder.with_suffix(".log").open("wb") as log,
        subprocess.Popen([sys.executable, "-m", "pagesieve", *command, *shard_size], stderr=log) as process,
    ):
        watch = Watch(process.pid, folder, len(crawl.ids))
        while not ended(process):
            watch.look()
    seconds = time.perf_counter() - began
    if process.returncode:
        raise SystemExit(f"the run failed:\n{folder.with_suffix('.log').read_text()}")
    check(crawl, folder)
    return Ran(workers, seconds, json.loads((folder / "stats.json").read_bytes()), watch)


def ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(LOOK)
    except subprocess.TimeoutExpired:
        return False
    return True


def check(crawl: Crawl, folder: Path) -> None:
    """Every page is in the results or the rejects, once."""
    lines = (line for path in folder.glob("part-*.jsonl") for line in path.open("rb"))
    found = sorted(json.loads(line)["id"] for line in lines)
    if found != sorted(crawl.ids):
        odd = set(found) ^ set(crawl.ids)
        raise SystemExit(f"{folder}: {len(found)} ids for {len(crawl.ids)} pages; {len(odd)} differ: {sorted(odd)[:3]}")


# Trafilatura


@dataclass(frozen=True, slots=True)
class Peer:
    """A run of trafilatura, from the start of its processes to their end."""

    seconds: float
    pages: int
    bytes: int

    @property
    def pace(self) -> float:
        return self.pages / self.seconds

    @property
    def megabytes(self) -> float:
        return self.bytes / MB / self.seconds


def run_peer(shards: Sequence[Shard], folder: Path, workers: int) -> Peer:
    folder.mkdir()
    began = time.perf_counter()
    with get_context("spawn").Pool(workers) as pool:
        counts = pool.map(partial(peer_shard, folder=folder), shards, chunksize=1)
    seconds = time.perf_counter() - began
    return Peer(seconds, sum(pages for pages, _ in counts), sum(size for _, size in counts))


def peer_shard(shard: Shard, folder: Path) -> tuple[int, int]:
    """Text, title, author and date of the pages of a shard as lines of JSON; how many pages, and their bytes."""
    from trafilatura import extract

    pages = size = 0
    with (folder / f"{shard.name}.jsonl").open("w") as file:
        for item in pages_of(shard):
            assert item.data is not None
            try:
                found = extract(
                    item.data, url=item.url, output_format="json", with_metadata=True, include_comments=False
                )
            except Exception:  # a page it cannot do is still a page
                found = None
            file.write(f"{found or 'null'}\n")
            pages += 1
            size += len(item.data)
    return pages, size


def pages_of(shard: Shard) -> Iterator[Item]:
    return (item for item in read_shard(shard, OPTIONS) if isinstance(item, Item) and item.data is not None)


def first_shards(folder: Path, pages: int) -> list[Shard]:
    """The first shards of a run that have so many pages together, or all."""
    chosen: list[Shard] = []
    for shard in Plan.from_dict(json.loads((folder / "manifest.json").read_bytes())).shards:
        if pages <= 0:
            break
        chosen.append(shard)
        pages -= json.loads((folder / f"{shard.name}.stats.json").read_bytes())["pages"]
    return chosen


# Where the time goes


@dataclass(frozen=True, slots=True)
class Steps:
    """Seconds a page by step, in one worker; and what each format takes."""

    inflating: float
    reading: float  # that included
    extracting: float
    handing: float  # to the page process, and back
    writing: float
    whole: float
    formats: dict[str, tuple[float, float]]  # seconds and bytes a page

    @property
    def rest(self) -> float:
        return self.whole - self.reading - self.extracting - self.handing - self.writing


def take_steps(shards: Sequence[Shard], folder: Path) -> Steps:
    """Each step on its own, over the pages of some shards that follow each other from the first on."""
    folder.mkdir()
    items = [item for shard in shards for item in pages_of(shard)]
    extractor = Extractor(OPTIONS.as_dict())
    rows = [row for item in items if (row := row_of(extractor, item)) is not None]
    gc.collect()
    gc.freeze()  # as the page process does
    with Child(ROWS, OPTIONS.as_dict(), OPTIONS.limits) as child:
        ask(child, items[0])  # it starts
        works: dict[str, Callable[[], object]] = {
            "inflating": partial(inflate, shards),
            "reading": lambda: [drain(read_shard(shard, OPTIONS)) for shard in shards],
            "extracting": lambda: drain(row_of(extractor, item) for item in items),
            "answering": lambda: drain(ask(child, item) for item in items),
            "whole": lambda: [run_shard(shard, OPTIONS, str(folder)) for shard in shards],
            **{name: partial(write, name, rows, folder) for name in FORMATS},
        }
        times = {name: seconds / len(items) for name, seconds in by_turns(works).items()}
    sizes = {name: file_of(name, folder).stat().st_size / len(items) for name in FORMATS}
    return Steps(
        inflating=times["inflating"],
        reading=times["reading"],
        extracting=times["extracting"],
        handing=times["answering"] - times["extracting"],
        writing=times[OPTIONS.format],
        whole=times["whole"],
        formats={name: (times[name], sizes[name]) for name in FORMATS},
    )


def by_turns(works: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The best time of each, of as many rounds; what else the machine does falls on all of them alike."""
    rounds = [{name: best(work, 1) for name, work in works.items()} for _ in range(ROUNDS)]
    return {name: min(times[name] for times in rounds) for name in works}


def drain(many: Iterable[object]) -> None:
    for _ in many:
        pass


def row_of(extractor: Extractor, item: Item) -> dict[str, Any] | None:
    assert item.data is not None
    try:
        return {"id": item.id, **extractor.answer(item.data, {"url": item.url, "content_type": item.content_type})}
    except (NothingFound, Rejected):
        return None


def inflate(shards: Sequence[Shard]) -> None:
    """What fastwarc takes for the same bytes, without a look at them."""
    with open(shards[0].path, "rb") as file:
        for record in ArchiveIterator(file, parse_http=False):
            if record.stream_pos >= shards[-1].stop:
                return
            record.reader.consume()


def write(name: str, rows: Sequence[dict[str, Any]], folder: Path) -> None:
    """All rows in a format."""
    with ShardFiles(Folder(str(folder)), WRITTEN, replace(OPTIONS, format=name)) as files:
        for row in rows:
            files.result(row)
        files.finish(Stats())


def file_of(name: str, folder: Path) -> Path:
    return folder / f"{WRITTEN.name}.{name}"


# Tables


def table(*rows: Sequence[str]) -> str:
    """Markdown, of which the first row is the head."""
    lines = [rows[0], ["---"] + ["---:"] * (len(rows[0]) - 1), *rows[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def pace_table(crawl: Crawl, runs: Sequence[Ran], peers: Sequence[Peer]) -> str:
    head = ("workers", "pages/s", "MB/s of pages", "MB/s of WARC", "next to the first")
    beside = ("trafilatura, pages/s", "its pages", "ours / its, by pages", "by bytes")
    rows = [
        [
            str(ran.workers),
            f"{ran.pace:.0f}",
            f"{ran.megabytes:.1f}",
            f"{crawl.size / MB / ran.seconds:.1f}",
            f"{ran.pace / runs[0].pace:.2f}",
            f"{peer.pace:.1f}",
            f"{peer.pages:,}",
            f"{ran.pace / peer.pace:.1f}",
            f"{ran.megabytes / peer.megabytes:.1f}",
        ]
        for ran, peer in zip(runs, peers, strict=True)
    ]
    return table(head + beside, *rows)


def memory_table(runs: Sequence[Ran]) -> str:
    rows = [
        [
            f"{role}, {ran.workers} worker{'s' if ran.workers > 1 else ''}",
            *(megabytes(ran.watch.memory_at(role, mark)) for mark in MARKS),
            megabytes(ran.watch.largest(role)),
            f"{1000 * ran.watch.cpu_of(role) / ran.stats['pages']:.2f} ms",
        ]
        for ran in runs
        for role in ROLES
    ]
    return table(("process", *(f"at {mark * 100:.0f} %" for mark in MARKS), "largest", "CPU per page"), *rows)


def megabytes(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f} MB"


def step_table(steps: Steps) -> str:
    named = {
        "reading: WARC, gzip, HTTP": steps.reading,
        "of it gzip alone (fastwarc)": steps.inflating,
        "extraction": steps.extracting,
        "to the page process and back": steps.handing,
        f"writing ({OPTIONS.format})": steps.writing,
        "what is left": steps.rest,
        "all": steps.whole,
    }
    rows = [[name, f"{1000 * each:.3f}", f"{each / steps.whole * 100:.1f} %"] for name, each in named.items()]
    return table(("step", "ms per page", "share"), *rows)


def format_table(steps: Steps) -> str:
    rows = [
        [f"`{name}`", f"{1000 * seconds:.3f}", f"{size / 1000:.2f}"] for name, (seconds, size) in steps.formats.items()
    ]
    return table(("format", "ms per page", "KB per page"), *rows)


def cost_table(ran: Ran, steps: Steps) -> str:
    """What many pages take, by the run with the most workers."""
    columns = {}
    for name, pages in AMOUNTS.items():
        hours = pages * ran.workers / ran.pace / 3600
        columns[name] = [
            f"{hours:,.1f}",
            *(duration(hours / cores) for cores in CORES),
            f"{hours * PRICE:,.2f} $",
            volume(pages * WARC_BYTES),
            volume(pages * steps.formats[STORED_AS][1]),
        ]
    titles = [
        "core-hours",
        *(f"time on {cores:,} cores" for cores in CORES),
        f"price at {PRICE} $ per core-hour",
        "WARC to read",
        f"results to write (`{STORED_AS}`)",
    ]
    return table(("", *columns), *zip(titles, *columns.values(), strict=True))


def network_table(ran: Ran, steps: Steps) -> str:
    """What goes over the network while so many cores work."""
    rows = []
    for cores in (1, MACHINE, *CORES):
        pages = cores * ran.pace / ran.workers
        sizes = (WARC_BYTES, steps.formats[STORED_AS][1])
        rows.append([f"{cores:,}", f"{pages:,.0f}", *(f"{8e-9 * size * pages:.2f} Gbit/s" for size in sizes)])
    return table(("cores", "pages/s", "WARC in", f"results out (`{STORED_AS}`)"), *rows)


def duration(hours: float) -> str:
    if hours < 1:
        return f"{hours * 60:.1f} min"
    return f"{hours:.1f} h" if hours < 48 else f"{hours / 24:.1f} days"


def volume(size: float) -> str:
    return f"{size / 1e12:,.1f} TB" if size >= 1e12 else f"{size / 1e9:,.1f} GB"


def what_was_read(crawl: Crawl, ran: Ran) -> str:
    stats = ran.stats
    return table(
        ("the WARC", ""),
        ("pages", f"{stats['pages']:,}"),
        ("results", f"{stats['results']:,}"),
        ("rejects", f"{stats['pages'] - stats['results']:,}"),
        ("other records", f"{sum(stats['skipped'].values()):,}"),
        ("shards", str(len(list(ran.watch.folder.glob("part-*.stats.json"))))),
        ("compressed", f"{crawl.size / MB:,.0f} MB"),
        ("a page, compressed", f"{crawl.size / stats['pages'] / 1000:.1f} KB"),
        ("a page", f"{stats['bytes'] / stats['pages'] / 1000:.1f} KB"),
    )


def put(path: Path, tables: dict[str, str]) -> None:
    """Replaces the tables of a page: each stands between its name and an end, both in comments."""
    text = path.read_text("utf-8")
    for name, each in tables.items():
        place = re.compile(rf"(<!-- figures: {name} -->\n).*?(\n<!-- end -->)", re.DOTALL)
        text, times = place.subn(lambda found, each=each: found[1] + each + found[2], text)
        if times != 1:
            raise SystemExit(f"{path}: {times} places for the table {name}")
    path.write_text(text, "utf-8")


@contextmanager
def place_for(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        keep.mkdir(parents=True)
        yield keep
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("archive", type=Path, nargs="+")
    arguments.add_argument("--pages", type=int, default=20_000, help="of the WARC")
    arguments.add_argument("--peer-pages", type=int, metavar="N", help="for trafilatura, in whole shards; else all")
    arguments.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    arguments.add_argument("--rounds", type=int, default=1, help="of which the fastest counts; they take turns")
    arguments.add_argument("--keep", type=Path, metavar="FOLDER", help="a new one, to leave the WARC and results in")
    arguments.add_argument("--docs", type=Path, metavar="FILE", help="put the tables there")
    given = arguments.parse_args()
    with place_for(given.keep) as folder:
        tables = measure(given, folder)
    for name, each in tables.items():
        print(f"\n{name}\n\n{each}")
    if given.docs:
        put(given.docs, tables)


def measure(given: argparse.Namespace, folder: Path) -> dict[str, str]:
    crawl = make(folder, given.archive, given.pages)
    rounds = []
    for number in range(given.rounds):
        (place := folder / f"round-{number}").mkdir()
        rounds.append([run_both(crawl, place, workers, given.peer_pages) for workers in given.workers])
    runs, peers = zip(*(fastest(turns) for turns in zip(*rounds, strict=True)), strict=True)
    steps = take_steps(first_shards(runs[0].watch.folder, min(STEP_PAGES, given.pages)), folder / "steps")
    widest = max(runs, key=lambda ran: ran.workers)
    return {
        "input": what_was_read(crawl, runs[0]),
        "pace": pace_table(crawl, runs, peers),
        "memory": memory_table(runs),
        "steps": step_table(steps),
        "formats": format_table(steps),
        "cost": cost_table(widest, steps),
        "network": network_table(widest, steps),
    }


def run_both(crawl: Crawl, folder: Path, workers: int, peer_pages: int | None) -> tuple[Ran, Peer]:
    """Ours and trafilatura, one after the other: so the machine is much the same for both."""
    ran = run(crawl, folder / f"ours-{workers}", workers)
    shards = first_shards(ran.watch.folder, peer_pages or len(crawl.ids))
    return ran, run_peer(shards, folder / f"peer-{workers}", workers)


def fastest(turns: Sequence[tuple[Ran, Peer]]) -> tuple[Ran, Peer]:
    """The fastest of ours, and the fastest of trafilatura's."""
    runs, peers = zip(*turns, strict=True)
    return min(runs, key=lambda ran: ran.seconds), min(peers, key=lambda peer: peer.seconds)


if __name__ == "__main__":
    main()
