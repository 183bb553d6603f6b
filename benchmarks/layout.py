"""What `method="layout"` costs with a site library.

    python benchmarks/layout.py ../shared/data/articles/daniel_half.tar.xz

Learns the pages of the set's large sites, then times each page next to lexbor's parse of it in the same run; then fills
a library with 100 and with 10,000 pages of one site and times a look-up.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from selectolax.lexbor import LexborHTMLParser
from timing import best

import pagesieve
from pagesieve.evaluate.archives import Sample, find_sets, read_gold, read_pages
from pagesieve.evaluate.score import learn_sets, of_known_sites
from pagesieve.methods.layout import LayoutOptions, layout

ROUNDS = 3
TRUSTED = LayoutOptions(least_alike=0.0)
MANY = 10_000
FEW = 100


def against_lexbor(paths: list[Path], folder: Path) -> None:
    sets = find_sets(paths)
    samples = of_known_sites([Sample(labelled_set, read_gold(labelled_set)) for labelled_set in sets])
    totals = dict.fromkeys(("lexbor's parse", "our table", "look-up and layout", "all, bytes to text"), 0.0)
    count = 0
    with pagesieve.open_sites(folder / "sites.db") as sites:
        learn_sets(sites, sets)
        kept = sum(site.pages for site in sites.sites())
        for sample in samples:
            for gold, html in read_pages(sample):
                totals["lexbor's parse"] += best(lambda html=html: LexborHTMLParser(html))
                totals["our table"] += best(lambda html=html: pagesieve.parse(html))
                url = str(gold.url)
                fresh = [pagesieve.parse(html, url) for _ in range(ROUNDS)]  # nothing derived yet
                totals["look-up and layout"] += best(
                    lambda fresh=fresh, url=url: compare(fresh.pop(), sites, url), ROUNDS
                )
                totals["all, bytes to text"] += best(lambda html=html, url=url: article(html, sites, url).text)
                count += 1
    size = (folder / "sites.db").stat().st_size
    print(f"{count} pages; {kept} kept in the library, {size / kept / 1024:.1f} KB per page")
    print("| what | ms per page | next to lexbor's parse |\n| --- | ---: | ---: |")
    lexbor = totals["lexbor's parse"]
    for name, seconds in totals.items():
        print(f"| {name} | {1000 * seconds / count:.3f} | {seconds / lexbor:.2f} |")


def compare(page: pagesieve.Page, sites: object, url: str) -> pagesieve.Selection:
    return layout(page, [reference.outline for reference in sites.reference(url, page)], TRUSTED)


def article(html: bytes, sites: object, url: str) -> pagesieve.Article:
    return pagesieve.article(html, url=url, method="layout", sites=sites)


def look_ups(folder: Path) -> None:
    template = "<body><nav>" + "".join(f"<a href=/{n}>Menu {n}</a>" for n in range(60)) + "</nav><p>{}</p></body>"
    page = pagesieve.parse(template.format("Today's story."), "https://example.org/news/today.html")
    times = {}
    for count in (FEW, MANY):
        with pagesieve.open_sites(folder / f"{count}.db") as sites:
            sites.learn((f"https://example.org/news/{n}.html", template.format(f"Story {n:b}.")) for n in range(count))
            sites.reference(str(page.url), page)
            times[count] = median(best(lambda sites=sites: sites.reference(str(page.url), page)) for _ in range(20))
    print(f"look-up after {FEW} pages {1000 * times[FEW]:.3f} ms, after {MANY:,} {1000 * times[MANY]:.3f} ms", end="")
    print(f" ({times[MANY] / times[FEW]:.2f} times)")


if __name__ == "__main__":
    with TemporaryDirectory() as name:
        against_lexbor([Path(path) for path in sys.argv[1:]], Path(name))
        look_ups(Path(name))
