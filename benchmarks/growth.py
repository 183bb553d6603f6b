"""How the time of `pagesieve.extract` grows with the page, from 100 KB to 12.8 MB: python benchmarks/growth.py

Prints seconds of processor time for each size, and by how much they grew with a doubling, on the whole and at most.
A ratio near 2 is proportional; 4 would be quadratic. The best of three runs counts.

With --hostile: every public function on every hostile page of the tests, at 64 KB and 128 KB; prints the worst by time
for a megabyte and by growth, and how many are beyond the limits. It takes some ten minutes on one core; --workers uses
several. --page and --function name some of them alone, by parts of their names. --output writes all of them as JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from multiprocessing import Pool
from pathlib import Path

from rich.console import Console
from rich.table import Table

import pagesieve

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tests.hostile.functions import FUNCTIONS
from tests.hostile.limits import GROWTH, growth
from tests.hostile.limits import seconds as seconds_of
from tests.hostile.pages import PAGES
from tests.test_bad_input import GROWING

SIZES = [100_000 * 2**doubling for doubling in range(8)]
ROUNDS = 3
MIN_SECONDS = 0.005  # seconds: below, the clock measures other things


def seconds(page: bytes) -> float:
    """The best time of several."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        pagesieve.extract(page)
        times.append(time.process_time() - start)
    return min(times)


def steepest(times: list[float]) -> float:
    """The largest ratio of a time to that of half the page."""
    return max(after / before for before, after in pairwise(times) if before >= MIN_SECONDS)


def on_the_whole(times: list[float]) -> float:
    """The ratio that, applied at each doubling, leads from the first time that can be measured to the last."""
    telling = [value for value in times if value >= MIN_SECONDS]
    return float((telling[-1] / telling[0]) ** (1 / max(1, len(telling) - 1)))


def measure(make: Callable[[int], bytes]) -> list[float]:
    """The times for all sizes."""
    return [seconds(make(size)) for size in SIZES]


HOSTILE_SIZE = 64_000  # bytes that are doubled
MAX_SECONDS = 1.0  # a megabyte
WORST = 30  # that are shown


def measure_hostile(page: str, function_part: str) -> list[tuple[float, float, str, str]]:
    """Seconds a megabyte and growth of the functions on a hostile page."""
    html, found = PAGES[page](2 * HOSTILE_SIZE), []
    for function in (name for name in FUNCTIONS if function_part in name):
        best = min(seconds_of(function, html) for _ in range(2))
        ratio = growth(page, function, HOSTILE_SIZE) if best >= MIN_SECONDS else 2.0
        found.append((best / len(html) * 1e6, ratio, page, function))
    return found


def hostile(page_part: str, function_part: str, workers: int, output: Path | None) -> None:
    """Print the worst of all functions on all hostile pages."""
    tasks = [(name, function_part) for name in PAGES if page_part in name]
    with Pool(workers) as pool:
        found = [row for rows in pool.starmap(measure_hostile, tasks, chunksize=1) for row in rows]
    slow, steep = [row for row in found if row[0] > MAX_SECONDS], [row for row in found if row[1] > GROWTH]
    orders = {
        "the slowest": sorted(found, reverse=True),
        "the steepest": sorted(found, key=lambda row: row[1], reverse=True),
    }
    for title, rows in orders.items():
        table = Table("page", "function", "s a MB", "a doubling", title=title)
        for per_megabyte, ratio, page, function in rows[:WORST]:
            table.add_row(page, function, f"{per_megabyte:.2f}", f"{ratio:.2f}")
        Console(width=140).print(table)
    if output is not None:
        output.write_text("".join(json.dumps(row) + "\n" for row in orders["the slowest"]), encoding="utf-8")
    print(f"{len(found)} measured: {len(slow)} take more than {MAX_SECONDS:g} s a MB, {len(steep)} grow over {GROWTH}")


def main() -> None:
    parser = argparse.ArgumentParser(description="How the time grows with the page.")
    parser.add_argument("--hostile", action="store_true", help="every function on every hostile page")
    parser.add_argument("--page", default="", help="a part of the names of hostile pages")
    parser.add_argument("--function", default="", help="a part of the names of functions")
    parser.add_argument("--workers", type=int, default=1, help="processes that measure hostile pages")
    parser.add_argument("--output", type=Path, help="a file for the figures of all hostile pages, a line of JSON each")
    given = parser.parse_args()
    if given.hostile:
        hostile(given.page, given.function, given.workers, given.output)
        return
    sizes = [f"{size / 1e6:g} MB" for size in SIZES]
    table = Table("page", *sizes, "a doubling", "at most", title="seconds, all of extract")
    for name, make in GROWING.items():
        times = measure(make)
        ratios = (on_the_whole(times), steepest(times))
        table.add_row(name, *(f"{value:.3f}" for value in times), *(f"{ratio:.2f}" for ratio in ratios))
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
