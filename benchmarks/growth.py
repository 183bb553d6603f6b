"""How the time of `pagesieve.extract` grows with the page, from 100 KB to 12.8 MB: python benchmarks/growth.py

Prints seconds of processor time for each size, and by how much they grew with a doubling, on the whole and at most.
A ratio near 2 is proportional; 4 would be quadratic. The best of three runs counts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.table import Table

import pagesieve

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tests.test_bad_input import GROWING

SIZES = [100_000 * 2**doubling for doubling in range(8)]
ROUNDS = 3
LEAST = 0.005  # seconds: below, the clock measures other things


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
    return max(after / before for before, after in pairwise(times) if before >= LEAST)


def on_the_whole(times: list[float]) -> float:
    """The ratio that, applied at each doubling, leads from the first time that can be measured to the last."""
    telling = [value for value in times if value >= LEAST]
    return float((telling[-1] / telling[0]) ** (1 / max(1, len(telling) - 1)))


def measure(make: Callable[[int], bytes]) -> list[float]:
    """The times for all sizes."""
    return [seconds(make(size)) for size in SIZES]


def main() -> None:
    sizes = [f"{size / 1e6:g} MB" for size in SIZES]
    table = Table("page", *sizes, "a doubling", "at most", title="seconds, all of extract")
    for name, make in GROWING.items():
        times = measure(make)
        ratios = (on_the_whole(times), steepest(times))
        table.add_row(name, *(f"{value:.3f}" for value in times), *(f"{ratio:.2f}" for ratio in ratios))
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
