"""All of `pagesieve.extract` next to peers: python benchmarks/extract.py ../shared/data/articles [--limit N]

Bytes in, text out: ours with `auto` as text, as Markdown and as JSON with all facts, and with `reverse`; resiliparse's
main content (with its own detection of the encoding), turbohtml's main text, trafilatura. Every page of the nine sets
of SETS, and all their pages below 20 KB apart, in CPU time of the thread, by turns, best of three rounds. Then, in a
new process, a first run: every page once, in shuffled order, so that nothing is won by remembering.

    --save           write the ratios to benchmarks/extract.json, which the gate compares with
    --gate           exit with status 1 where text / resiliparse is above .9, or more than .03 above extract.json, on
                     any set
    --memory 20000   extract so many pages, the same ones again and again, and print how much memory is resident
    --kept 1000      keep so many articles, and print how much memory each takes next to its page
    --growth         double a page made like an article, from 100 KB to 12.8 MB
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, islice, pairwise
from pathlib import Path
from statistics import median

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding
from rich.console import Console
from rich.table import Table
from timing import by_turns
from trafilatura import extract

import pagesieve
from pagesieve.evaluate.archives import LabelledSet, find_sets, read_pages, take_sample

SETS = (
    *("news424", "fundus_half", "wcxb_dev", "zh_cwced", "magic_html", "daniel_own"),
    *("world_news", "blogs_own", "kinds_own"),
)
SMALL, SMALL_BYTES = "below 20 KB", 20_000  # the pages of all sets that are smaller
SLOW_EVERY = 10  # pages: trafilatura is asked for so many only
MARKS = (1_000, 5_000, 10_000, 20_000)  # pages after which memory is looked at
SIZES = [100_000 * 2**doubling for doubling in range(8)]
SENTENCE = "A house was built of stone and of wood by the people who came from the other side of the river. "
SAVED = Path(__file__).with_suffix(".json")
MAX_RATIO, MAX_RISE = 0.9, 0.03  # text / resiliparse: what the gate allows at most, and more than what is saved
PEER = "resiliparse"


def by_resiliparse(html: bytes) -> str:
    return str(extract_plain_text(bytes_to_str(html, detect_encoding(html)), main_content=True))


def by_turbohtml(html: bytes) -> str:
    import turbohtml

    return str(turbohtml.parse(html).main_text())


WORKERS: dict[str, Callable[[bytes], object]] = {
    "text": pagesieve.extract,
    "Markdown": partial(pagesieve.extract, format="markdown"),
    "JSON": partial(pagesieve.extract, format="json"),
    "reverse": partial(pagesieve.extract, method="reverse"),
    PEER: by_resiliparse,
    "turbohtml": by_turbohtml,
    "trafilatura": extract,
}
# The ratios that are shown: of the times of one to those of another.
RATIOS = {
    "text / resiliparse": ("text", PEER),
    "reverse / resiliparse": ("reverse", PEER),
    "turbohtml / resiliparse": ("turbohtml", PEER),
    "Markdown / text": ("Markdown", "text"),
    "JSON / text": ("JSON", "text"),
    "trafilatura / text": ("trafilatura", "text"),
}


@dataclass
class Times:
    """The times of each worker on some pages, by the number of the page."""

    of: dict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    pages: int = 0

    def add(self, html: bytes, rounds: int, names: tuple[str, ...] = tuple(WORKERS)) -> None:
        used = [name for name in names if name != "trafilatura" or self.pages % SLOW_EVERY == 0]
        for name, seconds in zip(used, by_turns([partial(WORKERS[name], html) for name in used], rounds), strict=True):
            self.of[name][self.pages] = seconds
        self.pages += 1

    def ratio(self, one: str, other: str) -> tuple[float, float]:
        """How many times as long one takes as the other: in sum, and at the median page."""
        both = self.of[one].keys() & self.of[other].keys()
        times, others = [self.of[one][page] for page in both], [self.of[other][page] for page in both]
        return sum(times) / sum(others), median(a / b for a, b in zip(times, others, strict=True))


def sets_of(folder: Path) -> list[LabelledSet]:
    """The sets of SETS, from a folder of archives."""
    found = {labelled.name: labelled for labelled in find_sets(sorted(folder.glob("*.tar.xz")))}
    return [found[name] for name in SETS if name in found]


def pages_of(sets: list[LabelledSet], limit: int | None) -> Iterator[tuple[str, bytes]]:
    for labelled in sets:
        for _, html in read_pages(take_sample(labelled, limit)):
            yield labelled.name, html


def compare(sets: list[LabelledSet], limit: int | None, names: tuple[str, ...], rounds: int = 3) -> dict[str, Times]:
    """All by turns on every page; the pages below 20 KB are also a group of their own."""
    warm_up()
    groups: dict[str, Times] = defaultdict(Times)
    for name, html in pages_of(sets, limit):
        for group in (name, SMALL) if len(html) < SMALL_BYTES else (name,):
            groups[group].add(html, rounds, names)
    return dict(groups)


def first_run(sets: list[LabelledSet], limit: int | None) -> dict[str, float]:
    """Text / resiliparse over pages that this process has never seen, each once, in shuffled order."""
    warm_up()
    pages = [*pages_of(sets, limit)]
    random.Random(31).shuffle(pages)
    groups: dict[str, Times] = defaultdict(Times)
    for name, html in pages:
        groups[name].add(html, 1, ("text", PEER))
    return {name: times.ratio("text", PEER)[0] for name, times in groups.items()}


def warm_up() -> None:
    """Load the models of all, which no page should pay for."""
    for work in WORKERS.values():
        work(article(5_000))


def in_new_process(folder: Path, limit: int | None) -> dict[str, float]:
    command = [sys.executable, __file__, str(folder), "--first", *(["--limit", str(limit)] if limit else [])]
    ratios: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return ratios


def show(groups: dict[str, Times], first: dict[str, float]) -> Table:
    names = [name for name in RATIOS if all(each in next(iter(groups.values())).of for each in RATIOS[name])]
    table = Table("set", "pages", "text, ms", *names, "first run")
    for name, times in groups.items():
        ratios = [times.ratio(*RATIOS[each]) for each in names]
        cells = [f"{in_sum:.2f} ({at_median:.2f})" for in_sum, at_median in ratios]
        mean = 1000 * sum(times.of["text"].values()) / times.pages
        table.add_row(name, str(times.pages), f"{mean:.2f}", *cells, f"{first[name]:.2f}" if name in first else "")
    table.caption = "in sum (at the median page); first run: text / resiliparse, each page once, in a new process"
    return table


def save(groups: dict[str, Times], first: dict[str, float]) -> None:
    figures = {
        name: {
            "pages": times.pages,
            **{each: [round(ratio, 3) for ratio in times.ratio(*pair)] for each, pair in RATIOS.items()},
            **({"first run": round(first[name], 3)} if name in first else {}),
        }
        for name, times in groups.items()
    }
    SAVED.write_text(json.dumps(figures, indent=1) + "\n")


def failures(groups: dict[str, Times]) -> list[str]:
    """What the gate has against the ratios."""
    saved = json.loads(SAVED.read_text())
    found = []
    for name, times in groups.items():
        ratio = times.ratio("text", PEER)[0]
        reached = saved[name]["text / resiliparse"][0] if name in saved else MAX_RATIO
        if ratio > min(MAX_RATIO, reached + MAX_RISE):
            found.append(f"{name}: text / resiliparse is {ratio:.2f}; at most {min(MAX_RATIO, reached + MAX_RISE):.2f}")
    return found


# Memory and growth


def resident() -> float:
    """The memory that this process has, in megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def memory(pages: list[bytes], count: int) -> Table:
    """What is resident after more and more pages, the same ones again and again."""
    table = Table("pages", "resident", title=f"{len(pages)} pages, {sum(map(len, pages)) / 1e6:.0f} MB of them held")
    table.add_row("0", f"{resident():.0f} MB")
    for done, html in enumerate(islice(cycle(pages), count), 1):
        pagesieve.extract(html)
        if done in MARKS or done == count:
            gc.collect()
            table.add_row(f"{done:,}", f"{resident():.0f} MB")
    return table


def kept(pages: list[bytes], count: int) -> Table:
    """What articles take whose text was read, next to their pages; and the most that one extraction takes."""
    warm_up()
    pages = [html for html in pages if pagesieve.extract(html) is not None][:count]
    gc.collect()
    before, articles = resident(), []
    for html in pages:
        articles.append(pagesieve.article(html))
        _ = articles[-1].text
    size = sum(map(len, pages)) / 1e6
    taken = resident() - before
    table = Table("articles", "their pages", "kept", "next to the pages")
    table.add_row(str(len(articles)), f"{size:.0f} MB", f"{taken:.0f} MB", f"{taken / size:.2f}")
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
    rounds = [[seconds(page) for page in pages] for _ in range(3)]
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
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("folder", type=Path, nargs="?", help="of the archives of the sets")
    arguments.add_argument("--limit", type=int, help="pages a set, at most")
    arguments.add_argument("--save", action="store_true", help=f"write the ratios to {SAVED.name}")
    arguments.add_argument("--gate", action="store_true", help=f"fail where text is slower than {SAVED.name} allows")
    arguments.add_argument("--first", action="store_true", help="print the ratios of a first run alone, as JSON")
    arguments.add_argument("--memory", type=int, metavar="N", help="memory over so many extracts, in place of times")
    arguments.add_argument("--kept", type=int, metavar="N", help="memory of so many articles, in place of times")
    arguments.add_argument("--growth", action="store_true", help="larger and larger pages, in place of the sets")
    given = arguments.parse_args()
    console = Console(width=170)
    if given.growth:
        console.print(growth())
        return
    sets = sets_of(given.folder)
    if given.first:
        print(json.dumps(first_run(sets, given.limit)))
    elif given.memory or given.kept:
        pages = [html for _, html in pages_of(sets, given.limit)]
        console.print(memory(pages, given.memory) if given.memory else kept(pages, given.kept))
    elif given.gate:
        groups = compare(sets, given.limit, ("text", PEER))
        console.print(show(groups, {}))
        if found := failures(groups):
            sys.exit("\n".join(found))
    else:
        groups, first = compare(sets, given.limit, tuple(WORKERS)), in_new_process(given.folder, given.limit)
        console.print(show(groups, first))
        if given.save:
            save(groups, first)


if __name__ == "__main__":
    main()
