"""How the cost of some work grows with its size."""

import time
from collections.abc import Callable


def growth(work: Callable[[int], object], size: int, rounds: int = 5) -> float:
    """How many times longer twice the size takes: the best of a few rounds, in the thread's own time."""
    best = {size: float("inf"), 2 * size: float("inf")}
    for _ in range(rounds):
        for each in best:
            start = time.thread_time()
            work(each)
            best[each] = min(best[each], time.thread_time() - start)
    return best[2 * size] / best[size]
