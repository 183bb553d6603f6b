"""How long something takes: the best of a few times, since what else the machine does only ever adds."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median


def best(work: Callable[[], object], rounds: int = 3) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def by_turns(works: Sequence[Callable[[], object]], rounds: int = 3) -> list[float]:
    """Time some works in turn, in CPU time of the thread; return the best of the rounds for each."""
    times = [float("inf")] * len(works)
    for _ in range(rounds):
        for number, work in enumerate(works):
            start = time.thread_time()
            work()
            times[number] = min(times[number], time.thread_time() - start)
    return times


def compared(names: Sequence[str], times: Sequence[Sequence[float]]) -> list[list[str]]:
    """Return a line for each of some works, given the times of all on each page.

    Name, milliseconds at the median, and how many times the first of them: over all pages, and at the median page.
    """
    columns = [[each[k] for each in times] for k in range(len(names))]
    first = columns[0]
    lines = []
    for name, column in zip(names, columns, strict=True):
        at_median = median(one / two for one, two in zip(column, first, strict=True))
        share = sum(column) / sum(first)
        lines.append([name, f"{1000 * median(column):.2f}", f"{share:.2f}", f"{at_median:.2f}"])
    return lines
