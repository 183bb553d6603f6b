"""What a headline costs, next to lexbor's parse of the same pages in the same run.

    python benchmarks/headline.py ../shared/data/headlines/metahtml_half.tar.xz

Each detail page, alone and with its first catalogue page, from text to headline; the best of several rounds.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser
from timing import best

import pagesieve
from pagesieve.evaluate.archives import find_sets, read_gold, read_named
from pagesieve.headlines.catalogue import find_catalogue


def both(detail: str, url: str, listing: str, listing_url: str) -> str:
    """The headline of a page with the help of one that links to it."""
    external = find_catalogue(pagesieve.parse(listing), listing_url).titles(url)
    return pagesieve.headline(detail, url, external)


def times(detail: str, url: str, listing: str, listing_url: str) -> dict[str, float]:
    """Seconds for one pair of pages."""
    lexbor = best(lambda: LexborHTMLParser(detail))
    return {
        "lexbor, detail": lexbor,
        "headline": best(lambda: pagesieve.headline(detail, url)),
        "lexbor, both": lexbor + best(lambda: LexborHTMLParser(listing)),
        "headline with catalogue": best(lambda: both(detail, url, listing, listing_url)),
    }


def main(path: Path) -> None:
    (labelled_set,) = find_sets([path])
    golds = read_gold(labelled_set)
    wanted = {name for gold in golds.values() for name in (gold.id, gold.catalogues[0][0])}
    pages = {name: html.decode("utf-8", "replace") for name, html in read_named(labelled_set, wanted)}
    totals: Counter[str] = Counter()
    for gold in golds.values():
        listing, listing_url = gold.catalogues[0]
        totals.update(times(pages[gold.id], gold.url or "", pages[listing], listing_url))
    for name, seconds in totals.items():
        sys.stdout.write(f"{name:26} {seconds / len(golds) * 1000:6.2f} ms per page\n")
    alone = totals["headline"] / totals["lexbor, detail"]
    together = totals["headline with catalogue"] / totals["lexbor, both"]
    sys.stdout.write(f"times lexbor's parse: {alone:.2f} alone, {together:.2f} with the catalogue page\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
