"""How the cost of some work grows with its size."""

import ctypes
import gc
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PLAIN = 2.2  # times: no need to measure again
ATTEMPTS = 4
MOST_ATTEMPTS = 24  # where it seems to grow faster: other programs take the cache by turns, too


_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of mallopt, in glibc's <malloc.h>
_PLENTY = 32 << 20  # bytes: the most that it takes


def keep_memory() -> None:
    """Let the C library keep the memory that is freed.

    Otherwise there are sizes at which it gives all back after every call and asks for it again, page by page.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_TRIM_THRESHOLD, _PLENTY)
        mallopt(_MMAP_THRESHOLD, _PLENTY)


def least_time(work: Callable[[T], object], fresh: Callable[[], T]) -> float:
    """Return the least time that some work takes with something fresh each time, without the garbage collector."""
    times = []
    for _ in range(ATTEMPTS):
        given = fresh()
        gc.collect()
        gc.disable()
        try:
            start = time.thread_time()
            work(given)
            times.append(time.thread_time() - start)
        finally:
            gc.enable()
    return min(times)


def growth(work: Callable[[int], object], size: int, rounds: int = 4) -> float:
    """How many times longer twice the size takes, in the thread's own time.

    The best of a few rounds, and of a few attempts: what grows too fast does so every time, a busy machine does not.
    The collector is off, since what it costs depends on all that the tests have made so far.
    """
    keep_memory()
    gc.collect()
    gc.disable()
    try:
        found = float("inf")
        for _ in range(MOST_ATTEMPTS):
            found = min(found, _ratio(work, size, rounds))
            if found <= PLAIN:
                break
        return found
    finally:
        gc.enable()


def _ratio(work: Callable[[int], object], size: int, rounds: int) -> float:
    best = {size: float("inf"), 2 * size: float("inf")}
    for _ in range(rounds):
        for each in best:
            start = time.thread_time()
            work(each)
            best[each] = min(best[each], time.thread_time() - start)
    return best[2 * size] / best[size]
