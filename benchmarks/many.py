"""`pagesieve.extract_many`: python benchmarks/many.py ../shared/data/articles/*.tar.xz --limit 40

Wall time of the same pages with one worker (this process), with several, and with threads, by turns, the best of the
rounds: `--workers 2 4 --threads 2 4`. It is taken from the first result to the last; the start of the workers stands
beside it. Wall time is only true on an idle machine. So the load is printed, the part of the time for which the
processes or threads that extract were ready and had no CPU, and what the time would be without that part. Threads that
wait for the GIL are not ready. `benchmarks/gil.py` says how long it is held, on a busy machine too.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from pathlib import Path

from rich.console import Console
from rich.table import Table

import pagesieve
from pagesieve.evaluate.archives import find_sets, read_pages, take_sample

TASKS = Path("/proc/self/task")


@dataclass(frozen=True, slots=True)
class Ran:
    """The seconds until the first result, from there to the last, and for which there was no CPU, of these."""

    start: float
    seconds: float
    waited: float

    @property
    def undisturbed(self) -> float:
        return self.seconds - self.waited


def run(results: Iterator[object], pages: int) -> Ran:
    began, threads = time.perf_counter(), set(TASKS.iterdir())
    next(results)
    extracting = extractors(threads)
    first, before = time.perf_counter(), waited(extracting)
    for _ in islice(results, pages - 2):  # workers end with the last
        pass
    ran = Ran(first - began, time.perf_counter() - first, (waited(extracting) - before) / len(extracting))
    next(results)
    return ran


def extractors(before: set[Path]) -> list[Path]:
    """Return what extracts: the processes below this one, or its threads that were not there before, else itself."""
    tasks = set(TASKS.iterdir())
    processes = [Path("/proc", child) for task in tasks for child in (task / "children").read_text().split()]
    return processes or [*tasks - before] or [Path("/proc/self")]


def waited(tasks: list[Path]) -> float:
    """Return for how many seconds these were ready to run, and did not."""
    return sum(int((task / "schedstat").read_text().split()[1]) for task in tasks) / 1e9


def measure(pages: list[bytes], workers: list[int], threads: list[int], rounds: int, method: str) -> Table:
    many = partial(pagesieve.extract_many, pages, method=method)
    ways = {
        "1 worker": partial(many, workers=1),
        **{f"{count} workers": partial(many, workers=count) for count in workers},
        **{f"{count} threads": partial(many, workers=count, threads=True) for count in threads},
    }
    ran: dict[str, list[Ran]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            ran[name].append(run(way(), len(pages)))
    table = Table("", "first after", "then", "next to one", "no CPU", "without that", "next to one")
    size = sum(map(len, pages)) / len(pages) / 1e3
    table.title = f"{len(pages):,} pages of {size:.0f} KB, best of {rounds}, load {os.getloadavg()[0]:.1f}"
    one = min(each.seconds for each in ran["1 worker"])
    one_undisturbed = min(each.undisturbed for each in ran["1 worker"])
    for name, each in ran.items():
        best, calmest = min(each, key=lambda one: one.seconds), min(each, key=lambda one: one.undisturbed)
        wall = (f"{best.start:.2f} s", f"{best.seconds:.2f} s", f"{one / best.seconds:.2f}")
        part = f"{calmest.waited / calmest.seconds:.0%}"
        table.add_row(name, *wall, part, f"{calmest.undisturbed:.2f} s", f"{one_undisturbed / calmest.undisturbed:.2f}")
    return table


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("archive", type=Path, nargs="+")
    arguments.add_argument("--limit", type=int, default=40, help="pages a set, at most")
    arguments.add_argument("--pages", type=int, default=2000, help="in all, the same ones again and again")
    arguments.add_argument("--workers", type=int, nargs="*", default=[2], help="numbers of processes")
    arguments.add_argument("--threads", type=int, nargs="*", default=[2], help="numbers of threads")
    arguments.add_argument("--method", default="auto")
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    read = [html for each in find_sets(given.archive) for _, html in read_pages(take_sample(each, given.limit))]
    pages = list(islice(cycle(read), given.pages))
    Console(width=120).print(measure(pages, given.workers, given.threads, given.rounds, given.method))


if __name__ == "__main__":
    main()
