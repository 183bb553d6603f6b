"""How long `pagesieve.extract` holds the GIL: python benchmarks/gil.py ../shared/data/articles/*.tar.xz --limit 40

CPU time of the thread, so that it is true on a busy machine. Two threads cannot be faster than one by more than 1 / the
share of the time for which the GIL is held. A library that is loaded before Python records the times between the calls
that give the GIL away and take it back; it needs a C compiler, Linux, and a Python whose `libpython` is shared.

What two threads would reach is simulated from these times: each runs them in order, and one that has to wait for the
GIL takes it a while after it is given away (`--wake`, in microseconds), if the other has not taken it back by then.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

LIBRARY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

enum { MOST = 1 << 20 };
static void *(*give_away)(void);
static void (*take_back)(void *);
static __thread long long since;
static float times[2 * MOST];  /* nanoseconds with the GIL, and then without it */
static int count;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void record(void) {
    long long time = now();
    if (count < 2 * MOST) times[count++] = time - since;
    since = time;
}

void *PyEval_SaveThread(void) {
    if (!give_away) give_away = dlsym(RTLD_NEXT, "PyEval_SaveThread");
    record();
    return give_away();
}

void PyEval_RestoreThread(void *state) {
    if (!take_back) take_back = dlsym(RTLD_NEXT, "PyEval_RestoreThread");
    record();
    take_back(state);
}

void start(void) { count = 0; since = now(); }
int recorded(void) { return count; }
float *recorded_times(void) { return times; }
"""
LOADED = "PAGESIEVE_GIL_LIBRARY"  # the environment variable that names the library once it is loaded


def run_with_library() -> int:
    """Compile the library and run this script again with it."""
    if not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        sys.exit("this Python is one file with its libpython, whose calls cannot be replaced: use another")
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "gil.c"), Path(folder, "gil.so")
        source.write_text(LIBRARY)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        environment = os.environ | {"LD_PRELOAD": str(library), LOADED: str(library)}
        return subprocess.run([sys.executable, *sys.argv], env=environment).returncode


@dataclass(frozen=True, slots=True)
class Times:
    """The seconds of some pages, and each time with the GIL and without it, in order."""

    seconds: float
    pages: int
    held: list[float]
    free: list[float]

    @property
    def share(self) -> float:
        """The share of the time for which the GIL is held."""
        return 1 - sum(self.free) / self.seconds


def measure(pages: list[bytes], method: str, rounds: int) -> Times:
    import pagesieve

    library = ctypes.PyDLL(os.environ[LOADED])  # whose calls keep the GIL
    library.recorded_times.restype = ctypes.POINTER(ctypes.c_float)
    for html in pages:
        pagesieve.extract(html, method=method)
    library.start()
    began = time.thread_time()
    for _ in range(rounds):
        for html in pages:
            pagesieve.extract(html, method=method)
    seconds = time.thread_time() - began
    times = [each / 1e9 for each in library.recorded_times()[: library.recorded() // 2 * 2]]
    return Times(seconds, rounds * len(pages), times[0::2], times[1::2])


def two_threads(times: Times, wake: float) -> float:
    """Simulate two threads, of which one begins in the middle; return how many times as fast as one they are."""
    count = len(times.held)
    at, asks, end = (
        [0, count // 2],
        [0.0, 0.0],
        0.0,
    )  # where each thread is, when it asks for the GIL; when that is free
    for _ in range(2 * count):
        takes = [asked if asked >= end else end + wake for asked in asks]
        one = takes.index(min(takes))
        place = at[one] % count
        end = takes[one] + times.held[place]
        asks[one] = end + times.free[place]
        at[one] += 1
    return 2 * (sum(times.held) + sum(times.free)) / max(asks)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("archive", type=Path, nargs="+")
    arguments.add_argument("--limit", type=int, default=40, help="pages a set, at most")
    arguments.add_argument("--methods", nargs="+", default=["auto", "reverse"])
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--wake", type=float, default=20, help="microseconds until a thread that waits goes on")
    given = arguments.parse_args()
    if LOADED not in os.environ:
        sys.exit(run_with_library())
    from pagesieve.evaluate.archives import find_sets, read_pages, take_sample

    table = Table("set", "method", "a page", "GIL held", "given away", "two threads", "at most")
    for labelled in find_sets(given.archive):
        pages = [html for _, html in read_pages(take_sample(labelled, given.limit))]
        for method in given.methods:
            times = measure(pages, method, given.rounds)
            ratios = two_threads(times, given.wake / 1e6), min(2.0, 1 / times.share)
            table.add_row(
                *(labelled.name, method, f"{1e3 * times.seconds / times.pages:.2f} ms", f"{times.share:.0%}"),
                *(f"{len(times.held) / times.pages:.0f}", *(f"{ratio:.2f}" for ratio in ratios)),
            )
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
