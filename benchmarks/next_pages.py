"""Whether `next_url` is right: python benchmarks/next_pages.py ../shared/data/records/*.tar.xz

Of the pages whose address is known or stated, without a browser: those whose next page is right. What is right was
judged by eye from the links of each page and is pinned in `next_pages.tsv`: digests of addresses, "-" where no link
leads to a next page. `--list` prints what is wrong or missed.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from rich.console import Console
from rich.table import Table

from pagesieve import NothingFound
from pagesieve.evaluate.archives import find_sets, read_pages, take_sample
from pagesieve.page.stated import canonical_url
from pagesieve.page.static import parse
from pagesieve.records.find import find_static

PINNED = Path(__file__).with_name("next_pages.tsv")
NONE = "-"
DIGITS = 16  # of a digest


def main() -> None:
    paths = [Path(argument) for argument in sys.argv[1:] if not argument.startswith("--")]
    judged = dict(line.split("\t") for line in PINNED.read_text().splitlines()[1:])
    outcomes = Counter[str]()
    for page, found in found_pages(paths):
        outcome = judge(judged[page], found)
        outcomes[outcome] += 1
        if "--list" in sys.argv and outcome in ("wrong", "missed"):
            print(page, outcome, found or NONE, sep="\t")
    given = outcomes["right"] + outcomes["wrong"]
    there = sum(answer != NONE for answer in judged.values())
    table = Table("what", "share", "of", title="Next pages")
    table.add_row("addresses given that are right", f"{outcomes['right'] / given:.3f}", str(given))
    table.add_row("next pages that are found", f"{outcomes['right'] / there:.3f}", str(there))
    table.add_row("pages judged", "", str(outcomes.total()))
    Console(width=100).print(table)


def found_pages(paths: list[Path]) -> Iterator[tuple[str, str | None]]:
    """The pages with an address, and what is found on each."""
    for labelled in find_sets(paths):
        for gold, html in read_pages(take_sample(labelled)):
            page = parse(html, gold.url if (gold.url or "").startswith("http") else None)
            try:
                found = find_static(page)
            except NothingFound:
                continue
            if found.url or canonical_url(page):
                yield gold.id, found.next_url


def judge(answer: str, found: str | None) -> str:
    if found is None:
        return "none" if answer == NONE else "missed"
    return "right" if digest(found) == answer else "wrong"


def digest(address: str) -> str:
    return sha256(address.encode()).hexdigest()[:DIGITS]


if __name__ == "__main__":
    main()
