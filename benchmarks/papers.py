"""What two papers' own rules give: python benchmarks/papers.py ../shared/data/articles

Layout similarity (`PAPER`: one reference, nothing spared, no statistics) on the pages of daniel_half whose site has
five pages or more, each next to the following page of its site; reverse parsing (`PAPER`: the two longest texts,
growing while siblings are similar, nothing cleaned) on news424 and fundus_half. Words of the kept lines against the
gold.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import pagesieve
from pagesieve.errors import NothingFound
from pagesieve.evaluate.archives import Gold, find_set, read_pages, take_sample
from pagesieve.evaluate.peers import Extracted
from pagesieve.evaluate.score import Answer, Score
from pagesieve.methods.layout import PAPER as LAYOUT
from pagesieve.methods.layout import layout
from pagesieve.methods.reverse import PAPER as REVERSE
from pagesieve.methods.reverse import region, reverse
from pagesieve.page.partial import parse_part
from pagesieve.page.static import PageSource
from pagesieve.selection import Selection

MIN_PAGES = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, help="the folder with the sets of articles")
    folder = parser.parse_args().data
    table = Table("paper's rule", "pages", "precision", "recall", "F1")
    by_language = defaultdict(list)
    for gold, score in by_layout(folder):
        by_language[gold.lang or ""].append(score)
    everything = [score for scores in by_language.values() for score in scores]
    for language, scores in [*sorted(by_language.items()), ("all", everything)]:
        table.add_row(f"layout, {language}", *figures(scores))
    for name in ("news424", "fundus_half"):
        table.add_row(f"reverse, {name}", *figures(list(by_reverse(folder, name))))
    Console().print(table)


def by_layout(folder: Path) -> Iterator[tuple[Gold, Score]]:
    """Score each page of the larger sites next to the following page of its site."""
    sites = defaultdict(list)
    for gold, html in read_pages(take_sample(find_set(folder, "daniel_half"))):
        sites[gold.site].append((gold, html))
    for pages in (pages for pages in sites.values() if len(pages) >= MIN_PAGES):
        for (gold, html), (_, other) in zip(pages, [*pages[1:], pages[0]], strict=True):
            yield gold, score(gold, html, partial(beside, other=other))


def by_reverse(folder: Path, name: str) -> Iterator[Score]:
    """Score each page of a set by the part that the two longest texts lead to."""

    def select(html: bytes) -> Selection:
        page, _ = parse_part(PageSource(html), partial(region, options=REVERSE))
        return reverse(page, REVERSE)

    for gold, html in read_pages(take_sample(find_set(folder, name))):
        yield score(gold, html, select)


def beside(html: bytes, other: bytes) -> Selection:
    """What another page of the site does not have."""
    return layout(pagesieve.parse(html), [pagesieve.parse(other)], LAYOUT)


def score(gold: Gold, html: bytes, select: Callable[[bytes], Selection]) -> Score:
    """Score the words of the lines that are kept."""
    try:
        found = select(html)
        text = "\n".join(found.blocks.text(int(block)) for block in np.flatnonzero(found.kept))
    except NothingFound:
        text = ""
    return Answer(gold, html).score(Extracted(text), gives_titles=False)


def figures(scores: Sequence[Score]) -> list[str]:
    """The number of pages, and means over them."""
    means = [np.mean([getattr(each, name) for each in scores]) for name in ("precision", "recall", "f1")]
    return [str(len(scores)), *(f"{mean:.3f}" for mean in means)]


if __name__ == "__main__":
    main()
