"""How far the columns of a list stay: python benchmarks/schemas.py ../shared/data/records/estuka_half.tar.xz

Of the sites with two pages or more: on how many all pages have the same columns, the page's own, those learnt from the
first half of the pages and applied to the others, and those learnt from all pages. Also those learnt for each page from
all others, where each page counts as a site: they differ between the pages. Next to it the share of the learnt columns
that were found on a page, of its fields that are none, and of the fields of the answers that are items, before and
after; of these also the share in columns, since what has no column stays among a record's items.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from pagesieve import NothingFound, Records
from pagesieve.evaluate.archives import Gold, find_sets, read_pages, take_sample
from pagesieve.evaluate.records import fields_right, match, words_of
from pagesieve.page.static import parse
from pagesieve.records.find import find_static
from pagesieve.records.schema import Schema, apply

Page = tuple[Gold, Records]
Hits = npt.NDArray[np.int_]
Case = tuple[list[Page], Page]  # the pages that the columns are learnt from, and the one that they are applied to

HEAD = (
    *("learnt from", "sites", "same columns", "fitting pages", "columns found", "new fields"),
    *("right before", "after", "in columns before", "after"),
)


def main() -> None:
    for labelled in find_sets(map(Path, sys.argv[1:])):
        sites: dict[str, list[Page]] = defaultdict(list)
        for gold, html in read_pages(take_sample(labelled)):
            try:
                url = gold.url if (gold.url or "").startswith("http") else None
                sites[gold.site or ""].append((gold, find_static(parse(html, url))))
            except NothingFound:
                continue
        several = [pages for site, pages in sites.items() if site and len(pages) > 1]
        table = Table(*HEAD, title=labelled.name)
        same = sum(len({tuple(found.header) for _, found in pages}) == 1 for pages in several)
        table.add_row("each page alone", str(len(several)), share(same, len(several)))
        table.add_row("one half", *measured([halves(pages) for pages in several]))
        table.add_row("the other pages", *measured([[case] for pages in several for case in others(pages)]))
        table.add_row("all pages", *measured([[(pages, page) for page in pages] for pages in several]))
        Console(width=160).print(table)


def halves(pages: list[Page]) -> list[Case]:
    half = len(pages) // 2
    return [(pages[:half], page) for page in pages[half:]]


def others(pages: list[Page]) -> list[Case]:
    return [([other for other in pages if other is not page], page) for page in pages]


def measured(sites: Sequence[list[Case]]) -> list[str]:
    same = fitting = total = columns = missing = own = unknown = fields = 0
    before, after = np.zeros(2, int), np.zeros(2, int)  # as items, and as items in columns
    for cases in sites:
        fits, headers = True, set()
        for learnt_from, (gold, found) in cases:
            total += 1
            count, right = scored(gold, found)
            fields, before = fields + count, before + right
            try:
                applied = apply(found, learnt(records.schema for _, records in learnt_from))
            except NothingFound:  # a site library leaves the page its own columns
                fits, after = False, after + right
                continue
            headers.add(tuple(applied.header))
            told = applied.fitted
            fitting, after = fitting + 1, after + scored(gold, applied)[1]
            columns, missing = columns + len(applied.columns), missing + len(told.missing)
            own, unknown = own + len(found.columns), unknown + len(told.unknown)
        same += fits and len(headers) == 1
    shares = ((same, len(sites)), (fitting, total), (columns - missing, columns), (unknown, own))
    rights = ((int(hits[k]), fields) for k in range(2) for hits in (before, after))
    return [str(len(sites)), *(share(*each) for each in (*shares, *rights))]


def learnt(schemas: Iterable[Schema]) -> list[Schema]:
    """The lists of some pages, merged as a site library does it."""
    found: list[Schema] = []
    for schema in schemas:
        at = next((k for k, known in enumerate(found) if known.shows_list_of(schema)), None)
        if at is None:
            found.append(schema)
        else:
            found[at] = found[at].merged(schema)
    return [schema.common() for schema in found]


def scored(gold: Gold, found: Records) -> tuple[int, Hits]:
    """How many fields the records that were found have, and how many of them are items, and items in columns."""
    texts = [words_of(record.text) for record in found.records]
    pairs = match([words_of(record.text) for record in gold.records], texts)
    right = np.zeros(2, int)
    fields = 0
    for answer, given in pairs.items():
        of_table = found.table.records[given]
        (total, as_items), (_, in_columns) = (
            fields_right(gold.records[answer], items) for items in (found.records[given].items, of_table)
        )
        fields, right = fields + total, right + np.array((as_items, in_columns))
    return fields, right


def share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "–"


if __name__ == "__main__":
    main()
