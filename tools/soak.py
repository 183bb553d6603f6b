"""Extract very many pages, and fail where memory or time per page grows, or where a browser leaves something behind.

python -m tools.soak [process] [child] [browser] [--pages 200000] [--browser-pages 1000]

Three parts, all by default: extractions in one process; the same through the page process of a batch; pages in a
browser. The pages are those of the example site and mutated ones. Each page is a little different from all before it,
so that whatever is kept by text, name or address shows. A run is cut into fifths, of which the last is compared with
the first; the exit status is 1 where it needs more.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count, cycle, islice
from pathlib import Path
from statistics import mean, median

from tools.fuzz import mutators

import pagesieve
from pagesieve.batch import BatchOptions
from pagesieve.batch.pages import ROWS
from pagesieve.errors import PagesieveError
from pagesieve.fetching.chromium import Browser, BrowserOptions, RenderOptions
from pagesieve.workers.child import Child, Limits

SITE = Path(__file__).parents[1] / "examples" / "site"
URL = "https://soak-{0}.example/news/{0}.html"
FIFTHS = 5
ROUND = 200  # pages that are extracted in turn: those of the site, and mutated ones
MAX_GROWTH = 1.1  # of memory, from the first fifth to the last,
SLACK = 16  # and MB besides, for what the allocator keeps
MAX_SLOWER = 1.25  # CPU time per page, which also depends on what else the machine does
MAX_BROWSER_GROWTH = 1.25  # of a browser's memory, which varies from one start to the next
MB = 1 << 20
TICK = os.sysconf("SC_CLK_TCK")
PAGE_SIZE = os.sysconf("SC_PAGESIZE")

Step = Callable[[int, bytes], None]


@dataclass
class Fifth:
    """What was measured in one fifth of a run, round by round."""

    memory: list[float] = field(default_factory=list)  # MB
    seconds: list[float] = field(default_factory=list)  # CPU time per page


def pages(seed: int = 7) -> list[bytes]:
    """Return the pages of a round."""
    site = [path.read_bytes() for path in sorted(SITE.rglob("*.html"))]
    rng = random.Random(seed)
    return [*site, *(mutators.page(rng, site) for _ in range(ROUND - len(site)))]


def numbered(sources: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the pages again and again, each with a number in it: in a text, an element, an attribute and a class."""
    form = b"<p class=c%d data-x%d=%d>Page %d <x-%d>ends</x-%d></p>"
    for number, source in zip(count(), cycle(sources)):
        yield number, source + form % ((number,) * 6)


def measured(total: int, step: Step, memory: Callable[[], float], clock: Callable[[], float], name: str) -> list[Fifth]:
    """Do the pages in fifths of whole rounds; return what each cost. The first round warms up and does not count."""
    sources = pages()
    stream = numbered(sources)
    rounds = max(1, total // FIFTHS // ROUND)
    for number, data in islice(stream, ROUND):
        step(number, data)
    fifths = []
    for fifth in range(1, FIFTHS + 1):
        found = Fifth()
        for _ in range(rounds):
            started = clock()
            for number, data in islice(stream, ROUND):
                step(number, data)
            found.seconds.append((clock() - started) / ROUND)
            found.memory.append(memory())
        fifths.append(found)
        print(
            f"{name}: {fifth * rounds * ROUND:,} pages, {mean(found.memory):.1f} MB, "
            f"{median(found.seconds) * 1000:.2f} ms of CPU time a page",
            flush=True,
        )
    return fifths


def growth(name: str, fifths: Sequence[Fifth]) -> list[str]:
    """Return what grew, a line each."""
    first, last = fifths[0], fifths[-1]
    problems = []
    if mean(last.memory) > mean(first.memory) * MAX_GROWTH + SLACK:
        problems.append(f"{name}: memory grew from {mean(first.memory):.0f} to {mean(last.memory):.0f} MB")
    if median(last.seconds) > median(first.seconds) * MAX_SLOWER:
        was, now = median(first.seconds) * 1000, median(last.seconds) * 1000
        problems.append(f"{name}: a page took {was:.2f} ms at first and {now:.2f} ms at the end")
    return problems


# The system's figures


def resident(process: int | str = "self") -> float:
    """Return the resident memory of a process in MB; 0 where it has gone."""
    with suppress(OSError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE_SIZE / MB
    return 0.0


def cpu_seconds(process: int) -> float:
    """Return the CPU time of a process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def descendants(process: int) -> list[int]:
    """Return the processes below a process that still run."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            state, parent = (path / "stat").read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                parents.setdefault(int(parent), []).append(int(path.name))
    found, open_ones = [], [process]
    while open_ones:
        below = parents.get(open_ones.pop(), [])
        found += below
        open_ones += below
    return found


def is_tab(process: int) -> bool:
    """Whether a process is a renderer of Chromium: it has one for each tab."""
    with suppress(OSError):
        return b"--type=renderer" in Path(f"/proc/{process}/cmdline").read_bytes()
    return False


# The parts


def in_process(total: int) -> list[str]:
    """Extract pages in this process."""

    def step(number: int, data: bytes) -> None:
        with suppress(PagesieveError):
            pagesieve.article(data, URL.format(number)).as_json()

    name = "one process"
    return growth(name, measured(total, step, resident, time.process_time, name))


def in_child(total: int) -> list[str]:
    """Extract pages through the page process of a batch, which must not be replaced either."""
    started: set[int] = set()
    with Child(ROWS, BatchOptions().as_dict(), Limits()) as child:

        def step(number: int, data: bytes) -> None:
            child.answer(data, {"url": URL.format(number), "content_type": None})
            if child.pid is not None:
                started.add(child.pid)

        def clock() -> float:
            return cpu_seconds(child.pid) if child.pid is not None else 0.0

        name = "page process"
        fifths = measured(total, step, lambda: resident(child.pid or 0), clock, name)
    problems = growth(name, fifths)
    return problems if len(started) == 1 else [*problems, f"{name}: {len(started)} were started instead of 1"]


def in_browser(total: int) -> list[str]:
    """Render pages, a fifth of them in each browser; count tabs and processes, and see that none is left."""
    site = [path.read_bytes() for path in sorted(SITE.rglob("*.html"))]
    each = max(1, total // FIFTHS)
    options = BrowserOptions(restart_after=each)
    before = set(descendants(os.getpid()))
    fifths: list[tuple[float, int, int]] = []
    failed = 0
    with Browser(options) as browser:
        for number, html in islice(zip(count(1), cycle(site)), each * FIFTHS):
            try:
                browser.render(html, URL.format(number), RenderOptions(scripts=True))
            except PagesieveError as error:
                failed += 1
                print(f"browser: page {number}: {error}", file=sys.stderr)
            if number % each == 0:
                running = descendants(os.getpid())
                tabs = sum(map(is_tab, running))
                fifths.append((sum(map(resident, running)), len(running), tabs))
                print(
                    f"browser: {number:,} pages, {fifths[-1][0]:.0f} MB, {len(running)} processes, {tabs} tabs",
                    flush=True,
                )
    left = _left(before)
    problems = [f"browser: {len(left)} processes are left after its end"] if left else []
    if failed:
        problems.append(f"browser: {failed} pages were not shown")
    for what, place, most in (("memory", 0, MAX_BROWSER_GROWTH), ("processes", 1, 1.0), ("tabs", 2, 1.0)):
        first, last = fifths[0][place], fifths[-1][place]
        if last > first * most + (SLACK if place == 0 else 0):
            problems.append(f"browser: {what} grew from {first:.0f} to {last:.0f}")
    return problems


def _left(before: set[int], seconds: float = 5.0) -> set[int]:
    """Return the processes that were started and still run; they have some seconds to end."""
    until = time.monotonic() + seconds
    while (left := set(descendants(os.getpid())) - before) and time.monotonic() < until:
        time.sleep(0.1)
    return left


PARTS = {"process": in_process, "child": in_child, "browser": in_browser}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts; print a line for each problem, and return 1 where there is one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all where none is named")
    parser.add_argument("--pages", type=int, default=200_000, help="extractions in a process, and through a child")
    parser.add_argument("--browser-pages", type=int, default=1000)
    given = parser.parse_args(arguments)
    problems = []
    for name in given.parts or PARTS:
        problems += PARTS[name](given.browser_pages if name == "browser" else given.pages)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
