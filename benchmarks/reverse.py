"""Reverse parsing next to whole parsers: python benchmarks/reverse.py ../shared/data/articles/news424.tar.xz …

Bytes in, text out, in turns on the same pages; and how much of each page was built. How often the part equals the same
rows of the whole table, and how often backwards and forwards agree on a whole page.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from resiliparse.extract.html2text import extract_plain_text
from rich.console import Console
from rich.table import Table
from selectolax.lexbor import LexborHTMLParser
from timing import best
from trafilatura import extract

import pagesieve
from pagesieve.evaluate.archives import find_sets, read_pages, take_sample
from pagesieve.page import kernel
from pagesieve.page.decode import decode
from pagesieve.page.partial import scan
from pagesieve.page.table import Page

SLOW_EVERY = 10  # pages: trafilatura is asked for so many only


def main() -> None:
    console = Console(width=120)
    table = Table(
        "set",
        "pages",
        "lexbor",
        "ours",
        "lexbor / ours",
        "resiliparse / ours",
        "trafilatura / ours",
        "nodes",
        "same",
        "agree",
    )
    for labelled in find_sets([Path(name) for name in sys.argv[1:]]):
        times: dict[str, list[float]] = {
            "lexbor": [],
            "ours": [],
            "resiliparse": [],
            "trafilatura": [],
            "ours again": [],
        }
        shares, same, agree = [], [], []
        for number, (gold, html) in enumerate(read_pages(take_sample(labelled))):
            try:
                found = pagesieve.article(html, gold.url, method="reverse")
            except pagesieve.NothingFound:
                continue
            text = decode(html).text
            for name, work in workers(html, text).items():
                if name != "trafilatura" or number % SLOW_EVERY == 0:
                    times[name].append(best(work))
                    if name == "trafilatura":
                        times["ours again"].append(times["ours"][-1])
            tape = scan(text.encode("utf-8", "replace"))
            assert found.partial is not None
            shares.append(found.partial.nodes / max(1, sum(what != 3 for what in tape.what[: tape.count])))
            same.append(stands_in(found.page, pagesieve.parse(html)))
            ways = (kernel.matching.forwards, kernel.matching.backwards)
            trees = [way(tape.tag, tape.what, 0, tape.count) for way in ways]
            agree.append(trees[0] == trees[1])
        totals = {name: sum(found) for name, found in times.items()}
        table.add_row(
            labelled.name,
            str(len(shares)),
            *(f"{1000 * totals[name] / len(shares):.3f} ms" for name in ("lexbor", "ours")),
            f"{totals['lexbor'] / totals['ours']:.2f}",
            f"{totals['resiliparse'] / totals['ours']:.2f}",
            f"{totals['trafilatura'] / totals['ours again']:.0f}",
            f"{statistics.median(shares):.0%}",
            *(f"{np.mean(found):.0%}" for found in (same, agree)),
        )
    console.print(table)


def workers(html: bytes, text: str) -> dict[str, Callable[[], object]]:
    return {
        "lexbor": lambda: LexborHTMLParser(html),
        "ours": lambda: pagesieve.article(html, method="reverse").text,
        "resiliparse": lambda: extract_plain_text(text, main_content=True),
        "trafilatura": lambda: extract(text),
    }


def stands_in(part: Page, whole: Page) -> bool:
    """Whether the rows of a part stand in the whole table: the same elements and texts, one after the other."""
    body = next((row for row in range(len(part)) if part.tag_name(row) == "body"), 0)
    wanted = [
        (part.tag_name(row), part.text(row) if part.tag_name(row) == "#text" else "")
        for row in range(body + 1, len(part))
    ]
    first = next((text for name, text in wanted if len(text.strip()) > 20), "")
    rows = [
        (whole.tag_name(row), whole.text(row) if whole.tag_name(row) == "#text" else "") for row in range(len(whole))
    ]
    offset = next((k for k, (_, text) in enumerate(wanted) if text == first), 0)
    starts = [k - offset for k, (_, text) in enumerate(rows) if text == first and k >= offset]
    return any(rows[start : start + len(wanted)] == wanted for start in starts)


if __name__ == "__main__":
    main()
