"""Reverse parsing next to whole parsers: python benchmarks/reverse.py ../shared/data/articles/news424.tar.xz …

Bytes in, text out, in turns on the same pages; and how much of each page was built. How often the part equals the same
rows of the whole table, and how often backwards and forwards agree on a whole page. `--figure FILE` draws the paper's
two figures, time and nodes by site, partial next to full.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from parts import stands_in
from resiliparse.extract.html2text import extract_plain_text
from rich.console import Console
from rich.table import Table
from selectolax.lexbor import LexborHTMLParser
from timing import best
from trafilatura import extract

import pagesieve
from pagesieve.evaluate.archives import Gold, find_sets, read_pages, take_sample
from pagesieve.page import kernel
from pagesieve.page.kernel.html.tape import Tape
from pagesieve.page.static import decode

SLOW_EVERY = 10  # pages: trafilatura is asked for so many only
SITES = 24  # in the figure: those with the most nodes at every so many places


@dataclass
class Measured:
    """What was measured on the pages of a set, page by page."""

    site: list[str] = field(default_factory=list)
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    nodes: list[tuple[int, int]] = field(default_factory=list)  # built, of
    same: list[bool] = field(default_factory=list)
    agree: list[bool] = field(default_factory=list)

    def add(self, gold: Gold, html: bytes) -> None:
        found = pagesieve.article(html, gold.url, method="reverse")
        assert found.partial is not None
        text = decode(html).text
        for name, work in workers(html, text).items():
            slow = name == "trafilatura"
            if not slow or len(self.site) % SLOW_EVERY == 0:
                self.times[name].append(best(work, 1 if slow else 5))
                if slow:
                    self.times["ours again"].append(self.times["ours"][-1])
        tape = Tape(text.encode("utf-8", "replace"))
        self.site.append(gold.site or "")
        self.nodes.append((found.partial.nodes, tape.nodes(0, len(tape))))
        self.same.append(stands_in(found.page, pagesieve.parse(html)))
        self.agree.append(tree(tape, kernel.html.tape.forwards) == tree(tape, kernel.html.tape.backwards))

    def row(self, name: str) -> list[str]:
        sums = {each: sum(times) for each, times in self.times.items()}
        by_page = np.array(self.times["lexbor"]) / np.array(self.times["ours"])
        return [
            name,
            str(len(self.site)),
            *(f"{1000 * sums[each] / len(self.site):.3f} ms" for each in ("lexbor", "ours")),
            f"{sums['lexbor'] / sums['ours']:.2f}",
            f"{np.median(by_page):.2f}",
            f"{sums['resiliparse'] / sums['ours']:.2f}",
            f"{sums['trafilatura'] / sums['ours again']:.0f}",
            f"{statistics.median(built / max(of, 1) for built, of in self.nodes):.0%}",
            f"{np.mean(self.same):.1%}",
            f"{np.mean(self.agree):.1%}",
        ]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("archive", type=Path, nargs="+")
    arguments.add_argument("--figure", type=Path, help="draw time and nodes by site into this file")
    given = arguments.parse_args()
    table = Table(
        *("set", "pages", "lexbor", "ours", "lexbor / ours", "of a page", "resiliparse / ours", "trafilatura / ours"),
        *("nodes", "same", "agree"),
    )
    everything = Measured()
    for labelled in find_sets(given.archive):
        measured = Measured()
        for gold, html in read_pages(take_sample(labelled)):
            try:
                measured.add(gold, html)
            except pagesieve.NothingFound:
                continue
        table.add_row(*measured.row(labelled.name))
        everything.site += measured.site
        everything.nodes += measured.nodes
        for name, times in measured.times.items():
            everything.times[name] += times
        everything.same += measured.same
        everything.agree += measured.agree
    table.add_row(*everything.row("all"))
    Console(width=140).print(table)
    if given.figure:
        draw(everything, given.figure)


def workers(html: bytes, text: str) -> dict[str, Callable[[], object]]:
    return {
        "lexbor": lambda: LexborHTMLParser(html),
        "ours": lambda: pagesieve.article(html, method="reverse").text,
        "resiliparse": lambda: extract_plain_text(text, main_content=True),
        "trafilatura": lambda: extract(text),
    }


def tree(tape: Tape, way: Callable[..., tuple[object, object]]) -> list[list[int]]:
    return [list(column) for column in way(tape, 0, len(tape))]  # type: ignore[call-overload]


def draw(measured: Measured, path: Path) -> None:
    """The paper's two figures: time and nodes of each site, of the part next to the whole."""
    by_site: dict[str, list[int]] = defaultdict(list)
    for k, site in enumerate(measured.site):
        by_site[site].append(k)
    ordered = sorted(by_site, key=lambda site: -np.mean([measured.nodes[k][1] for k in by_site[site]]))
    chosen = ordered[:: max(1, len(ordered) // SITES)][:SITES]
    places = np.arange(len(chosen))
    figure, (upper, lower) = plt.subplots(2, 1, figsize=(11, 6.4), sharex=True)
    for axes, columns, unit in (
        (upper, ("lexbor", "ours"), "milliseconds a page"),
        (lower, ("whole", "part"), "elements and texts"),
    ):
        for shift, name, colour in zip((-0.2, 0.2), columns, ("#9aa5b1", "#2f6fbb"), strict=True):
            values = [np.mean([value(measured, name, k) for k in by_site[site]]) for site in chosen]
            axes.bar(places + shift, values, 0.4, color=colour, label=LABELS[name])
        axes.set_ylabel(unit)
        axes.legend(frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    lower.set_xticks(places, chosen, rotation=60, ha="right", fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


LABELS = {
    "lexbor": "lexbor: the whole tree, no article yet",
    "ours": "reverse: bytes to article text",
    "whole": "in the page",
    "part": "built",
}


def value(measured: Measured, name: str, page: int) -> float:
    if name in ("part", "whole"):
        return measured.nodes[page][name == "whole"]
    return 1000 * measured.times[name][page]


if __name__ == "__main__":
    main()
