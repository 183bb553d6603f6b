"""What a function may cost on a hostile page: how its time grows, its time for a megabyte, and its memory."""

from __future__ import annotations

import gc
import time
import tracemalloc
from functools import cache
from html.parser import HTMLParser

from tests.growing import keep_memory
from tests.hostile.functions import call
from tests.hostile.pages import PAGES

GROWTH = 2.6  # times as long for twice the page
# Times what the standard library's parser, which is written in Python, needs for as many bytes of an ordinary list: it
# is the measure of the machine, and takes 0.17 s a megabyte where these were measured. Small pages cost more a byte.
MAX_TIME = 16
MAX_TIME_OF_MANY = 24  # where an object is made for each item, post or template of the page, each of a few bytes
OF_MANY = ("records table", "records typed", "records written", "learn", "json")
MAX_TIME_EXPLAINED = 45  # where every line of the page is explained in words
EXPLAINING = ("decisions", "report", "report of records")
MAX_MEMORY = 400  # bytes for each byte of the page: tiny elements have a row each in many tables
FIXED_MEMORY = 4_000_000  # bytes, whatever the size
SIZE = 16_000  # bytes that are doubled
DOUBLINGS = 3  # a function that is told from others at some size is measured again at twice that size
ROUNDS = 12  # at most: other programs take the cache by turns


def seconds(function: str, page: bytes) -> float:
    """Return the processor time of one call, without the garbage collector."""
    gc.disable()
    try:
        start = time.thread_time()
        call(function, page)
        return time.thread_time() - start
    finally:
        gc.enable()


def growth(name: str, function: str, size: int = SIZE, doublings: int = DOUBLINGS) -> float:
    """Return how many times longer twice the page takes, at the least of some sizes.

    What grows too fast does so at every size; a page that holds an article only from some size on does not.
    """
    keep_memory()
    found = float("inf")
    for doubling in range(doublings):
        pages = [PAGES[name](size << doubling), PAGES[name](size << doubling + 1)]
        best = [float("inf"), float("inf")]
        for _ in range(ROUNDS):
            best = [min(before, seconds(function, page)) for before, page in zip(best, pages, strict=True)]
            found = min(found, best[1] / best[0])
            if found <= GROWTH:
                return found
    return found


@cache
def _reference_page() -> str:
    return PAGES["records"](100_000).decode()


def reference() -> float:
    """Return the seconds that the standard library's parser needs for a megabyte, now."""
    page = _reference_page()
    start = time.thread_time()
    HTMLParser().feed(page)
    return (time.thread_time() - start) / len(page) * 1e6


def time_share(name: str, function: str, size: int) -> float:
    """Return the time for a page over what the standard library's parser needs for as many bytes, at its best."""
    page = PAGES[name](size)
    found = float("inf")
    for _ in range(ROUNDS):
        found = min(found, seconds(function, page) / len(page) * 1e6 / reference())
        if found <= most_time(function):
            break
    return found


def most_time(function: str) -> float:
    """Return the limit of a function's time, as a share."""
    if function in EXPLAINING:
        return MAX_TIME_EXPLAINED
    return MAX_TIME_OF_MANY if function in OF_MANY else MAX_TIME


def memory(name: str, function: str, size: int) -> tuple[int, int]:
    """Return the most bytes that Python and numpy had at once in a call, and the size of the page."""
    page = PAGES[name](size)
    tracemalloc.start()
    try:
        call(function, page)
        return tracemalloc.get_traced_memory()[1], len(page)
    finally:
        tracemalloc.stop()
