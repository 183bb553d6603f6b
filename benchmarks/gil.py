"""How long `pagesieve.extract` holds the GIL: python benchmarks/gil.py ../shared/data/articles/*.tar.xz --limit 40

CPU time of the thread, so that it is true on a busy machine. Two threads cannot be faster than one by more than 1 / the
share of the time for which the GIL is held. A library that is loaded before Python counts the time between the calls
that give the GIL away and take it back; it needs a C compiler, Linux, and a Python whose `libpython` is shared.
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
from pathlib import Path

from rich.console import Console
from rich.table import Table

LIBRARY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static void *(*give_away)(void);
static void (*take_back)(void *);
static __thread long long since, free_time, releases;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

void *PyEval_SaveThread(void) {
    if (!give_away) give_away = dlsym(RTLD_NEXT, "PyEval_SaveThread");
    void *state = give_away();
    since = now();
    return state;
}

void PyEval_RestoreThread(void *state) {
    if (!take_back) take_back = dlsym(RTLD_NEXT, "PyEval_RestoreThread");
    free_time += now() - since;
    releases++;
    take_back(state);
}

long long free_nanoseconds(void) { return free_time; }
long long times_released(void) { return releases; }
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


def measure(pages: list[bytes], method: str, rounds: int) -> tuple[float, float, float]:
    """Return the seconds of a page, the share of them without the GIL, and how often it is given away."""
    import pagesieve

    library = ctypes.CDLL(os.environ[LOADED])
    library.free_nanoseconds.restype = library.times_released.restype = ctypes.c_longlong
    for html in pages:
        pagesieve.extract(html, method=method)
    free, released, began = library.free_nanoseconds(), library.times_released(), time.thread_time()
    for _ in range(rounds):
        for html in pages:
            pagesieve.extract(html, method=method)
    seconds, count = time.thread_time() - began, rounds * len(pages)
    free_seconds = (library.free_nanoseconds() - free) / 1e9
    return seconds / count, free_seconds / seconds, (library.times_released() - released) / count


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("archive", type=Path, nargs="+")
    arguments.add_argument("--limit", type=int, default=40, help="pages a set, at most")
    arguments.add_argument("--methods", nargs="+", default=["auto", "reverse"])
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    if LOADED not in os.environ:
        sys.exit(run_with_library())
    from pagesieve.evaluate.archives import find_sets, read_pages, take_sample

    table = Table("set", "method", "a page", "GIL held", "two threads at most", "given away")
    for labelled in find_sets(given.archive):
        pages = [html for _, html in read_pages(take_sample(labelled, given.limit))]
        for method in given.methods:
            seconds, free, released = measure(pages, method, given.rounds)
            most = min(2.0, 1 / (1 - free))
            table.add_row(
                *(labelled.name, method, f"{1e3 * seconds:.2f} ms", f"{1 - free:.0%}", f"{most:.2f}", f"{released:.0f}")
            )
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
