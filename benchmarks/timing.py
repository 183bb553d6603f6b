"""How long something takes: the best of a few times, since what else the machine does only ever adds."""

from __future__ import annotations

import time
from collections.abc import Callable


def best(work: Callable[[], object], rounds: int = 3) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)
