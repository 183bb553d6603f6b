"""What records cost in a browser: python benchmarks/browser.py ../shared/data/records/{estuka_half,vints1}.tar.xz

From a page's bytes to its records, its scripts run and all that it asks for refused: the median and the 95th percentile
of the seconds of a page, and how many pages are done in a second, with one tab and with four. With one tab also where
the time goes, at the median: the browser (navigation, scripts, layout), its call for the snapshot, the table of the
page, and the records. `--every N` takes one page in N.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from pagesieve import NothingFound
from pagesieve.evaluate.archives import find_sets, read_pages, take_sample
from pagesieve.fetching.chromium import Browser, BrowserOptions, RenderOptions
from pagesieve.page.static import parse
from pagesieve.records.find import find_visual

TABS = (1, 4)
RENDER = RenderOptions(scripts=True)
WARM = "<p>A first page, with which the browser starts.</p>"


class Times(NamedTuple):
    """The seconds of one page."""

    shown: float
    snapshot: float
    table: float
    records: float

    @property
    def all(self) -> float:
        return sum(self)


def timed(browser: Browser, html: bytes) -> Times:
    start = perf_counter()
    shot = browser.snapshot(html, None, RENDER)
    taken = perf_counter()
    page = shot.page()
    made = perf_counter()
    with suppress(NothingFound):
        find_visual(page, source=parse(html))
    return Times(taken - start - shot.seconds, shot.seconds, made - taken, perf_counter() - made)


def measured(pages: Sequence[bytes], tabs: int) -> tuple[list[Times], float]:
    """Return the times of all pages, and the seconds from the first to the last."""
    with Browser(BrowserOptions(at_once=tabs)) as browser, ThreadPoolExecutor(tabs) as pool:
        list(pool.map(lambda _: browser.snapshot(WARM, None, RENDER), range(tabs)))
        start = perf_counter()
        times = list(pool.map(partial(timed, browser), pages))
        return times, perf_counter() - start


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("sets", nargs="+", type=Path)
    arguments.add_argument("--every", type=int, default=1)
    given = arguments.parse_args()
    totals = Table("set", "pages", "tabs", "median s", "95th percentile", "pages per second", title="Bytes to records")
    parts = Table("set", *Times._fields, title="Where a page's time goes, ms at the median")
    for labelled in find_sets(given.sets):
        pages = [html for _, html in read_pages(take_sample(labelled))][:: given.every]
        for tabs in TABS:
            times, wall = measured(pages, tabs)
            seconds = [each.all for each in times]
            figures = (median(seconds), quantiles(seconds, n=20)[-1], len(pages) / wall)
            totals.add_row(labelled.name, str(len(pages)), str(tabs), *(f"{figure:.2f}" for figure in figures))
            if tabs == 1:
                parts.add_row(labelled.name, *(f"{1000 * median(column):.0f}" for column in zip(*times, strict=True)))
    for table in (totals, parts):
        Console(width=120).print(table)


if __name__ == "__main__":
    main()
