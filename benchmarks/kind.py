"""The kind of labelled pages, by sites that were not trained on: python benchmarks/kind.py ../shared/data

Sets that the shipped forest was trained on are judged by forests of their other sites, the rest by the shipped one.
`--cost` times the step instead: bytes to the kind, next to lexbor's parse of the page.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from selectolax.lexbor import LexborHTMLParser
from timing import by_turns, compared

import pagesieve
from pagesieve.evaluate.archives import find_set, read_pages, take_sample
from pagesieve.kinds.kind import KINDS, shipped
from pagesieve.training.kind import KindPages, KindReport, as_table, read_kinds, train

TRAINED = {
    "articles": ("wcxb_dev", "news424", "magic_html", "fundus_half", "readability", "zh_cwced"),
    "records": ("estuka_half",),
}
OTHERS = {"headlines": ("metahtml_half",), "records": ("vints1", "zh_half", "forum_half")}
TIMED = {
    **dict.fromkeys(("news424", "fundus_half", "wcxb_dev"), "articles"),
    **dict.fromkeys(("estuka_half", "zh_half", "forum_half", "vints1"), "records"),
}
PAGES = 100
ROUNDS = 5
# Of the sets trained on those with pages of several kinds; the others are articles and forums alone.
SCORED = ("wcxb_dev", "estuka_half", *(name for names in OTHERS.values() for name in names))


def main() -> None:
    given = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    data = Path(given[0] if given else "../shared/data")
    if "--cost" in sys.argv:
        cost(data)
        return
    trained, others = ([find_set(data / at, name) for at in sets for name in sets[at]] for sets in (TRAINED, OTHERS))
    _, seen = train(trained, None, lambda *_: None)
    unseen = judged(read_kinds(others, None, lambda *_: None))
    console = Console(width=100)
    pages, called = seen.pages, seen.called
    for name in SCORED:
        report = seen if name in pages.sets else unseen
        own = np.array(report.pages.sets) == name
        right = (report.pages.kinds == report.called)[own].mean()
        console.print(f"{name}: {own.sum()} pages, {right:.3f} right")
    console.print(as_table(together(KindReport(pages, called), unseen)))


def cost(data: Path) -> None:
    table = Table("set", "pages", "what", "ms, median", "times lexbor, all pages", "at the median page")
    for name in TIMED:
        labelled = find_set(data / TIMED[name], name)
        pages = [html for _, html in read_pages(take_sample(labelled, PAGES))]
        for line in compared(
            ("lexbor's parse", "our table", "kind"), [by_turns(_works(html), ROUNDS) for html in pages]
        ):
            table.add_row(name, str(len(pages)), *line)
    Console(width=100).print(table)


def _works(html: bytes) -> tuple[Callable[[], object], ...]:
    return lambda: LexborHTMLParser(html), lambda: pagesieve.parse(html), lambda: pagesieve.kind(html)


def judged(pages: KindPages) -> KindReport:
    called = shipped().scores(pages.values).argmax(axis=1)
    called[pages.archives] = KINDS.index("catalogue")
    return KindReport(pages, called)


def together(*reports: KindReport) -> KindReport:
    kinds, called = [], []
    for report in reports:
        own = np.isin(report.pages.sets, SCORED)
        kinds.append(report.pages.kinds[own])
        called.append(report.called[own])
    pages = reports[0].pages._replace(kinds=np.concatenate(kinds))
    return KindReport(pages, np.concatenate(called))


if __name__ == "__main__":
    main()
