"""How the cost of some work grows with its size."""

import ctypes
import gc
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PLAIN = 2.2  # times: no need to measure again
ATTEMPTS = 4
ROUNDS = 4  # of an attempt
MAX_ATTEMPTS = 24  # where it seems to grow faster: other programs take the cache by turns, too


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


def growth(work: Callable[[int], object], size: int, doublings: int = 1) -> float:
    """Return how many times longer twice the size takes, in the thread's own time, at the least of some doublings.

    It is measured until it grows no faster than it should: what grows too fast does so every time and at every size; a
    busy machine does not, nor do data that outgrow the processor's cache at some size. The collector is off, since what
    it costs depends on all that the tests have made so far.
    """
    keep_memory()
    gc.collect()
    gc.disable()
    try:
        work(size)  # which may load what is needed
        lowest = float("inf")
        for attempt in range(MAX_ATTEMPTS):
            lowest = min(lowest, _ratio(work, size << attempt % doublings))
            if lowest <= PLAIN:
                break
        return lowest
    finally:
        gc.enable()


def _ratio(work: Callable[[int], object], size: int) -> float:
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for number, each in enumerate((size, 2 * size)):
            start = time.thread_time()
            work(each)
            best[number] = min(best[number], time.thread_time() - start)
        if best[1] <= PLAIN * best[0]:
            break
    return best[1] / best[0]
