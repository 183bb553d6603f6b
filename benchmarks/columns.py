"""Whether columns are a schema: python benchmarks/columns.py ../shared/data/records/estuka_half.tar.xz

Without a browser and without any schema: of the sites with two pages or more, those whose pages have the same columns,
names and types; of the gold's fields, those that are an item; of the columns, those whose name is a word of the page's
markup, a label on it or a type; and of the values in `columns.tsv`, which were judged by eye, those of the right type.

`--draw` prints the sample that is to be judged, to look at; with `--pin` it writes it, with the types as they are now.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import get_args

from rich.console import Console
from rich.table import Table

from pagesieve import NothingFound
from pagesieve.evaluate.archives import Gold, GoldRecord, find_sets, read_pages, take_sample
from pagesieve.evaluate.records import is_same, match, words_of
from pagesieve.page.static import parse
from pagesieve.records.columns import BODY, HALF, OLD_PRICE, TITLE
from pagesieve.records.find import find_static
from pagesieve.records.results import Item, Record, Records, Type
from pagesieve.text.types import words_of as words_of_name

PINNED = Path(__file__).with_name("columns.tsv")
A_PAGE, SAMPLE = 2, 300  # values of a page, and of all
NEARLY_ALL = 0.8  # of a page's records have a field of the gold that says the same: a button
DIGITS = 16  # of a digest
TYPES = frozenset(get_args(Type)) | {BODY, OLD_PRICE, TITLE}

Judged = tuple[str, int, str]  # page, record, digest of the value


@dataclass(frozen=True, slots=True)
class Tabled:
    """A page with its answers and its table."""

    gold: Gold
    found: Records


def main() -> None:
    paths = [Path(argument) for argument in sys.argv[1:] if not argument.startswith("--")]
    pages = [each for labelled in find_sets(paths) for each in tabled(read_pages(take_sample(labelled)))]
    if "--draw" in sys.argv or "--pin" in sys.argv:
        draw(pages)
        return
    table = Table("what", "share", "of", title="Columns without a schema")
    for what, right, of in (*sameness(pages), *fields(pages), named(pages), *typed(pages)):
        table.add_row(what, f"{right / of:.3f}" if of else "–", str(of))
    Console(width=110).print(table)


def tabled(pages: Iterable[tuple[Gold, bytes]]) -> Iterator[Tabled]:
    for gold, html in pages:
        url = gold.url if (gold.url or "").startswith("http") else None
        try:
            yield Tabled(gold, find_static(parse(html, url)))
        except NothingFound:
            print(f"{gold.id}: no records", file=sys.stderr)


Share = tuple[str, float, int]


def sameness(pages: Sequence[Tabled]) -> Iterator[Share]:
    sites: dict[str, list[Records]] = defaultdict(list)
    for each in pages:
        sites[each.gold.site or each.gold.id].append(each.found)
    several = [found for found in sites.values() if len(found) > 1]
    same = sum(
        len({tuple((column.name, column.type) for column in each.columns) for each in site}) == 1 for site in several
    )
    main = sum(len({frozenset(main_columns(each)) for each in site}) == 1 for site in several)
    yield "sites whose pages have the same columns", same, len(several)
    yield "the same of the columns that half of the records have", main, len(several)
    yield "columns of a site that all its pages have", sum(map(common, several)), len(several)


def main_columns(found: Records) -> Iterator[tuple[str, str]]:
    for column in found.columns:
        having = sum(any(item.name == column.name for item in items) for items in found.table.records)
        if having >= HALF * len(found):
            yield column.name, column.type


def common(site: Sequence[Records]) -> float:
    columns = [{(column.name, column.type) for column in found.columns} for found in site]
    return len(set.intersection(*columns)) / len(set.union(*columns))


def fields(pages: Sequence[Tabled]) -> Iterator[Share]:
    """The gold's fields that are an item, as `pagesieve evaluate` counts; and of those that a table would have."""
    pairs = [pair for each in pages for pair in paired(each)]
    told = [[field for field in record.fields if words_of(field)] for record, _ in pairs]
    every = sum(
        len([field for field in record.fields if words_of(field)]) for each in pages for record in each.gold.records
    )
    right = [[is_item(field, output.items) for field in own] for own, (_, output) in zip(told, pairs, strict=True)]
    hits = sum(map(sum, right))
    yield "fields of the records found", hits, sum(map(len, told))
    yield "fields of all records", hits, every
    in_columns = [
        is_item(field, output.of.table.records[output.number])
        for own, (_, output) in zip(told, pairs, strict=True)
        for field in own
    ]
    yield "fields of the records found that are in a column", sum(in_columns), len(in_columns)
    buttons = {each.gold.id: constants(each.gold.records) for each in pages}
    kept = [
        hit
        for own, hits_of, (record, _), page in zip(told, right, pairs, pages_of(pages), strict=True)
        for field, hit in zip(own, hits_of, strict=True)
        if field not in buttons[page] and not field.rstrip().endswith(":") and any(map(str.isalnum, field))
    ]
    yield "the same without buttons and labels", sum(kept), len(kept)


def pages_of(pages: Sequence[Tabled]) -> Iterator[str]:
    for each in pages:
        for _ in paired(each):
            yield each.gold.id


def paired(page: Tabled) -> list[tuple[GoldRecord, Record]]:
    golds, records = page.gold.records, page.found.records
    found = match([words_of(record.text) for record in golds], [words_of(record.text) for record in records])
    return [(golds[gold], records[given]) for gold, given in found.items()]


def is_item(field: str, items: Sequence[Item]) -> bool:
    words = words_of(field)
    texts = {text for item in items for text in (item.text, item.value, item.link) if text}
    return any(is_same(words, words_of(text)) for text in texts)


def constants(records: Sequence[GoldRecord]) -> set[str]:
    counts: dict[str, int] = defaultdict(int)
    for record in records:
        for field in set(record.fields):
            counts[field] += 1
    return {field for field, count in counts.items() if count >= NEARLY_ALL * len(records) > 1}


def named(pages: Sequence[Tabled]) -> Share:
    right = [
        is_word(column.name, own) for each in pages for own in [vocabulary(each.found)] for column in each.found.columns
    ]
    return "columns named by a word of the page or a type", sum(right), len(right)


def is_word(name: str, vocabulary: set[str]) -> bool:
    plain = name.rpartition("_")[0] if name.rpartition("_")[2].isdigit() else name
    return plain in TYPES or set(words_of_name(plain)) <= vocabulary


def vocabulary(found: Records) -> set[str]:
    """The words of the attributes of elements, and of texts that are no value: labels, heads, units."""
    page = found.page
    words = set(words_of_name(" ".join(page.attribute_value(k) for k in range(len(page.attribute_name)))))
    values = {item.value for items in found.table.records for item in items}
    texts = {" ".join(page.text(row).split()) for row in page.rows("#text").tolist()}
    labels = {item.label for items in found.table.records for item in items}
    units = {
        item.value.partition(" ")[2]
        for items in found.table.records
        for item in items
        if item.type == "count" and item.value
    }
    return words | {word for text in (texts - values) | labels | units for word in words_of_name(text)}


def typed(pages: Sequence[Tabled]) -> Iterator[Share]:
    """The judged values that are of the right type; where lists are cut otherwise, the record has another number."""
    judged = read_judged()
    found: dict[Judged, str] = {}
    elsewhere: dict[tuple[str, str], str] = {}
    for each in pages:
        for key, item in values(each):
            found.setdefault(key, item.type)
            elsewhere.setdefault((key[0], key[2]), item.type)
    types = [found.get(key) or elsewhere.get((key[0], key[2])) for key in judged]
    right = sum(given == type for given, type in zip(types, judged.values(), strict=True))
    yield "values judged by eye that are of the right type", right, len(judged)
    yield "and that are still a value", len(types) - types.count(None), len(judged)


def values(page: Tabled) -> Iterator[tuple[Judged, Item]]:
    for number, items in enumerate(page.found.table.records):
        for item in items:
            if item.value:
                yield (page.gold.id, number, sha256(item.value.encode()).hexdigest()[:DIGITS]), item


def read_judged() -> dict[Judged, str]:
    lines = [line.split("\t") for line in PINNED.read_text().splitlines()[1:]]
    return {(page, int(record), digest): type for page, record, digest, type in lines}


def draw(pages: Sequence[Tabled]) -> None:
    """Show the values with the lowest digests, a few of each page; pin them where asked."""
    drawn: list[tuple[str, Judged, Item]] = []
    for each in pages:
        ordered = sorted(
            (sha256("|".join(map(str, key)).encode()).hexdigest(), key, item) for key, item in values(each)
        )
        drawn += ordered[:A_PAGE]
    drawn = sorted(sorted(drawn)[:SAMPLE], key=lambda one: one[1])
    for number, (_, (page, record, _), item) in enumerate(drawn):
        print(
            number,
            page,
            record,
            item.name,
            item.type,
            "linked" if item.link else "",
            repr((item.value or "")[:60]),
            sep="\t",
        )
    if "--pin" in sys.argv:
        lines = ("\t".join((*map(str, key), item.type)) for _, key, item in drawn)
        PINNED.write_text("\n".join(("page\trecord\tdigest\ttype", *lines, "")))


if __name__ == "__main__":
    main()
