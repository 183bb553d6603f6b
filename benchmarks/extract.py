"""All of `pagesieve.extract` next to peers: python benchmarks/extract.py ../shared/data/articles/*.tar.xz

Bytes in, text out, by turns on the same pages: ours with `auto`, with all facts as JSON, and with `reverse`,
resiliparse's main content (with its own detection of the encoding), trafilatura. `--memory 20000` extracts as many
pages instead, the same ones again and again, and prints how much memory is resident; `--growth` doubles a page made
like an article, from 100 KB to 12.8 MB.
"""

from __future__ import annotations

import argparse
import gc
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, islice, pairwise
from pathlib import Path

import numpy as np
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding
from rich.console import Console
from rich.table import Table
from timing import best
from trafilatura import extract

import pagesieve
from pagesieve.evaluate.archives import LabelledSet, find_sets, read_pages, take_sample

ROUNDS = 3  # of which the best counts
SLOW_EVERY = 5  # pages: trafilatura is asked for so many only
MARKS = (1_000, 5_000, 10_000, 20_000)  # pages after which memory is looked at
SIZES = [100_000 * 2**doubling for doubling in range(8)]
SENTENCE = "A house was built of stone and of wood by the people who came from the other side of the river. "


def by_resiliparse(html: bytes) -> str:
    return str(extract_plain_text(bytes_to_str(html, detect_encoding(html)), main_content=True))


WORKERS: dict[str, Callable[[bytes], object]] = {
    "ours": pagesieve.extract,
    "JSON": partial(pagesieve.extract, format="json"),
    "reverse": partial(pagesieve.extract, method="reverse"),
    "resiliparse": by_resiliparse,
    "trafilatura": extract,
}


@dataclass
class Measured:
    """What was measured on some pages, page by page."""

    pages: int = 0
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, html: bytes) -> None:
        is_slow_turn = self.pages % SLOW_EVERY == 0
        works = {name: work for name, work in WORKERS.items() if is_slow_turn or name != "trafilatura"}
        times = by_turns([partial(work, html) for work in works.values()])
        for name, each in zip(works, times, strict=True):
            self.times[name].append(each)
        if is_slow_turn:
            for name in ("ours", "reverse"):
                self.times[f"{name} beside it"].append(self.times[name][-1])
        self.pages += 1

    def row(self, name: str) -> list[str]:
        ratios = (
            *(("ours", "resiliparse"), ("JSON", "ours"), ("resiliparse", "reverse")),
            *(("trafilatura", "ours beside it"), ("trafilatura", "reverse beside it")),
        )
        return [
            *(name, str(self.pages)),
            *(f"{1000 * np.mean(self.times[each]):.2f}" for each in WORKERS),
            *(self.ratio(one, other) for one, other in ratios),
        ]

    def ratio(self, one: str, other: str) -> str:
        """How many times as long one takes as the other: in sum, and at the median of a page."""
        times, others = np.array(self.times[one]), np.array(self.times[other])
        return f"{times.sum() / others.sum():.2f} ({np.median(times / others):.2f})"


def by_turns(works: Sequence[Callable[[], object]]) -> list[float]:
    """The best time of each, of as many rounds."""
    rounds = [[best(work, 1) for work in works] for _ in range(ROUNDS)]
    return [min(times) for times in zip(*rounds, strict=True)]


def compare(sets: list[LabelledSet], limit: int | None) -> Table:
    """All by turns on every page of the sets; ratios in sum, and at the median of a page."""
    table = Table(
        *("set", "pages", *(f"{name}, ms" for name in WORKERS), "ours / resiliparse", "JSON / ours"),
        *("resiliparse / reverse", "trafilatura / ours", "trafilatura / reverse"),
    )
    everything = Measured()
    for labelled in sets:
        measured = Measured()
        for html in pages_of([labelled], limit):
            measured.add(html)
        table.add_row(*measured.row(labelled.name))
        everything.pages += measured.pages
        for name, times in measured.times.items():
            everything.times[name] += times
    table.add_row(*everything.row("all"))
    return table


def pages_of(sets: list[LabelledSet], limit: int | None) -> Iterator[bytes]:
    for labelled in sets:
        for _, html in read_pages(take_sample(labelled, limit)):
            yield html


def resident() -> float:
    """The memory that this process has, in megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def memory(sets: list[LabelledSet], limit: int | None, count: int) -> Table:
    """What is resident after more and more pages, the same ones again and again."""
    pages = list(pages_of(sets, limit))
    table = Table("pages", "resident", title=f"{len(pages)} pages, {sum(map(len, pages)) / 1e6:.0f} MB of them held")
    table.add_row("0", f"{resident():.0f} MB")
    for done, html in enumerate(islice(cycle(pages), count), 1):
        pagesieve.extract(html)
        if done in MARKS or done == count:
            gc.collect()
            table.add_row(f"{done:,}", f"{resident():.0f} MB")
    return table


def article(size: int) -> bytes:
    """A page of about a size that is made like an article: navigation, a headline, paragraphs, some lists, a footer."""
    links = "".join(f'<li><a href="/section/{k}">Section {k}</a></li>' for k in range(20))
    head = f"<title>How a house was built - The Paper</title><nav><ul>{links}</ul></nav><h1>How a house was built</h1>"
    parts = []
    length = 0
    while length < size:
        items = "".join(f"<li>{SENTENCE}</li>" for _ in range(3)) if len(parts) % 8 == 7 else ""
        part = f'<p class="text">{SENTENCE * 4}<a href="/x{len(parts)}">More</a></p>' + (items and f"<ul>{items}</ul>")
        parts.append(part)
        length += len(part)
    return f"<html><body>{head}<article>{''.join(parts)}</article><footer>{links}</footer></body></html>".encode()


def growth() -> Table:
    """Seconds of the processor for larger and larger articles, by turns."""
    pages = [article(size) for size in SIZES]
    rounds = [[seconds(page) for page in pages] for _ in range(ROUNDS)]
    times = [min(column) for column in zip(*rounds, strict=True)]
    table = Table(*(f"{size / 1e6:g} MB" for size in SIZES), "a doubling", "at most", title="seconds")
    ratios = [after / before for before, after in pairwise(times)]
    whole = (times[-1] / times[0]) ** (1 / len(ratios))
    table.add_row(*(f"{value:.4f}" for value in times), f"{whole:.2f}", f"{max(ratios):.2f}")
    return table


def seconds(page: bytes) -> float:
    gc.collect()
    start = time.process_time()
    pagesieve.extract(page)
    return time.process_time() - start


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("archive", type=Path, nargs="*")
    arguments.add_argument("--limit", type=int, help="pages a set, at most")
    arguments.add_argument("--memory", type=int, metavar="N", help="memory over so many extracts, in place of times")
    arguments.add_argument("--growth", action="store_true", help="larger and larger pages, in place of the sets")
    given = arguments.parse_args()
    sets = find_sets(given.archive)
    if given.growth:
        table = growth()
    elif given.memory:
        table = memory(sets, given.limit, given.memory)
    else:
        table = compare(sets, given.limit)
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
