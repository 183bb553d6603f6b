"""What finding records costs: python benchmarks/records.py ../shared/data/records/estuka_half.tar.xz … [--static]

Without a browser, from bytes to the records, next to lexbor's parse of the same page, by turns, in CPU time of the
thread; `--static` ends there. With one, everything after the
snapshot (the table of the page, regions and records, and their items) next to the snapshot call itself, on some pages.
And how the time grows when the number of records doubles, the page's table included.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table
from selectolax.lexbor import LexborHTMLParser
from timing import best, by_turns, compared

from pagesieve import NothingFound
from pagesieve.evaluate.archives import find_sets, read_pages, take_sample
from pagesieve.fetching.chromium import Snapshot, shared
from pagesieve.page.static import parse
from pagesieve.records.find import RecordOptions, find_static, find_visual

SHOWN = 40  # pages of a set that a browser shows
DOUBLED = [250 * 2**doubling for doubling in range(6)]
ROUNDS = 5
TURNS = 8
STEPS = ("lexbor's parse", "our table", "records", "with items")
HEAD = ("what", "ms, median", "times lexbor, all pages", "at the median page")


def main() -> None:
    static = "--static" in sys.argv
    sets = find_sets(Path(argument) for argument in sys.argv[1:] if not argument.startswith("--"))
    without = Table("set", "pages", *HEAD, title="Without a browser")
    with_one = Table("set", "pages", "snapshot ms", "records ms", "at the median", "with items", title="With one")
    for labelled in sets:
        pages = [html for _, html in read_pages(take_sample(labelled))]
        for line in compared(STEPS, list(map(unseen, pages))):
            without.add_row(labelled.name, str(len(pages)), *line)
        if not static:
            some = [html for _, html in read_pages(take_sample(labelled, SHOWN))]
            with_one.add_row(labelled.name, str(len(some)), *figures(map(seen, some)))
    Console(width=120).print(without)
    if not static:
        show_growth(with_one)


def show_growth(with_one: Table) -> None:
    growth = Table("records", *map(str, DOUBLED), "steepest", title="Milliseconds by the number of records")
    for name, make, find in GROWING:
        works = [partial(find, make(count)) for count in DOUBLED]
        turns = [[best(work, 1) for work in works] for _ in range(TURNS)]  # a busy machine slows all sizes
        times = [min(column) for column in zip(*turns, strict=True)]
        steepest = max(after / before for before, after in pairwise(times))
        growth.add_row(name, *(f"{1000 * each:.1f}" for each in times), f"{steepest:.2f}")
    for table in (with_one, growth):
        Console(width=120).print(table)


Times = tuple[float, float, float]  # what it is measured by, the records, and those with their items


def figures(measured: Iterable[Times]) -> list[str]:
    times = list(measured)
    by, records = (median(each[k] for each in times) for k in (0, 1))
    shares = [[each[k] / each[0] for each in times] for k in (1, 2)]
    return [f"{1000 * by:.2f}", f"{1000 * records:.2f}", *(f"{median(share):.2f}" for share in shares)]


def unseen(html: bytes) -> list[float]:
    return by_turns(
        (
            lambda: LexborHTMLParser(html),
            lambda: parse(html),
            lambda: finding(lambda: find_static(parse(html))),
            lambda: finding(lambda: find_static(parse(html)).to_rows()),
        ),
        ROUNDS,
    )


def seen(html: bytes) -> Times:
    shots = [shared().snapshot(html) for _ in range(ROUNDS)]
    return (
        min(shot.seconds for shot in shots),
        best(lambda: finding(lambda: find_visual(shots[0].page())), ROUNDS),
        best(lambda: finding(lambda: find_visual(shots[0].page()).to_rows()), ROUNDS),
    )


def finding(work: Callable[[], object]) -> None:
    with suppress(NothingFound):
        work()


def results(count: int) -> bytes:
    hit = "<li class=hit><h3><a href=/{0}>Result {0}</a></h3><p>What it says, variant {0}.</p><b>£{0}.50</b></li>"
    return f"<!doctype html><h1>Results</h1><ul>{''.join(map(hit.format, range(count)))}</ul>".encode()


def rows(count: int) -> bytes:
    head = "<tr><td><a href=/{0}>Result {0}</a></td><td>£{0}.50</td></tr>"
    body = "<tr><td colspan=2><img src=x.png> What it says of the matter, in a few more words, variant {0}.</td></tr>"
    return f"<!doctype html><h1>Results</h1><table>{''.join(map((head + body).format, range(count)))}</table>".encode()


def shown(count: int) -> Snapshot:
    return shared().snapshot(results(count))


GROWING: tuple[tuple[str, Callable[[int], object], Callable[..., object]], ...] = (
    ("static, a list", results, lambda page: find_static(parse(page)).to_rows()),
    ("static, two rows a record", rows, lambda page: find_static(parse(page)).to_rows()),
    ("visual, a list", shown, lambda shot: find_visual(shot.page()).to_rows()),
    ("visual, the paper's rule", shown, lambda shot: find_visual(shot.page(), RecordOptions(region="paper")).to_rows()),
)

if __name__ == "__main__":
    main()
