"""Score records on sets of pages whose golds have the words of every record, and some also the words of its fields.

On a page without a list, the right answer is none. A record is found if at least 80 % of its words are in one record of
the output, which has at most three times its words and 40 more; each output record counts once. The region is found if
it holds 80 % of the page's records, a field if an item of the right record has 80 % of its words, and the field 80 % of
the item's.

Some answers were taken from a page's source with nothing between two elements, so that words are glued together that
are separate on the page. "Glued" figures apply the same rule to runs of characters instead of words, ignoring blanks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from time import perf_counter
from typing import Any

from rich.table import Table

from pagesieve.errors import MissingExtra, NothingFound
from pagesieve.evaluate.archives import Gold, GoldRecord, Sample, read_pages
from pagesieve.evaluate.metrics import tokens
from pagesieve.evaluate.report import ScoredSet, collect, plain, plain_table, rates
from pagesieve.page.static import parse
from pagesieve.records.find import RecordOptions, find_static, find_visual, show
from pagesieve.records.results import Item, Records

METHOD = "records"  # its name in the file of floors, before that of the mode
ENOUGH = 0.8  # of the words
MAX_TIMES, MAX_MORE = 3, 40  # how much longer than its gold a record may be, in words
RUN = 3  # characters of a run; two to five were tried, see docs/methods/records.md
LETTERS = 5  # characters of a word, for MAX_MORE

Words = Counter[str]  # or runs


@dataclass(frozen=True, slots=True)
class RecordScore:
    """The score of one mode on one page."""

    mode: str
    gold: Gold
    records: int  # of the gold; of a page without a list, none is the right answer
    found: int  # records in the output,
    right: int  # and those of them that are of the gold
    right_glued: int  # by runs of characters
    region_found: bool
    region_glued: bool
    fields: int  # of the gold's records that were found,
    fields_right: int  # and those of them that are an item
    fields_all: int  # of all records of the gold
    ms: float
    error: str | None = None

    @property
    def precision(self) -> float:
        """The share of right records among those in the output."""
        return self.right / self.found if self.found else float(not self.records)

    @property
    def recall(self) -> float:
        """The share of found records among those of the gold."""
        return self.right / self.records if self.records else float(not self.found)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return f1_of(self.right, self.found, self.records)

    @property
    def f1_glued(self) -> float:
        """F1 by runs of characters."""
        return f1_of(self.right_glued, self.found, self.records)


def f1_of(right: int, found: int, records: int) -> float:
    """Return the F1 of some outputs, given the number of the right ones, of all of them and of the gold."""
    return 2 * right / (found + records) if found + records else 1.0


@dataclass(frozen=True, slots=True)
class RecordFigures:
    """The means over the pages of a set; of fields, the shares over all of them."""

    precision: float
    recall: float
    f1: float
    f1_glued: float
    region_found: float
    region_glued: float
    items_found: float | None  # of the fields of records that were found
    items_all: float | None  # of all fields
    answered: float
    ms: float
    none_right: float | None = None  # of the pages without a list, those that are said to have none


class RecordSet(ScoredSet[RecordScore]):
    """The scores of every mode on one set of records."""

    @property
    def figures(self) -> dict[str, RecordFigures]:
        """The figures of each mode."""
        return {mode: _figures(scores) for mode, scores in collect(self.scores, lambda score: score.mode).items()}


Finder = Callable[[bytes, str | None], tuple[Records, float]]


def run_records(sample: Sample, modes: Sequence[str] | None = None) -> RecordSet:
    """Score the modes on every page of a set of records; by default, the modes that this machine can run."""
    scores: list[RecordScore] = []
    finders = {mode: FINDERS[mode] for mode in (available_modes() if modes is None else modes)}
    for gold, html in read_pages(sample):
        scores += [score(mode, gold, html, finder) for mode, finder in finders.items()]
    return RecordSet(sample.labelled_set.name, scores)


def available_modes() -> tuple[str, ...]:
    """Return the modes that this machine can run: visual only if a browser is installed."""
    from pagesieve.fetching.chromium import shared

    try:
        shared()
    except MissingExtra:
        return ("static",)
    return ("static", "visual")


def _find_static(html: bytes, url: str | None) -> tuple[Records, float]:
    start = perf_counter()
    table = find_static(parse(html, url))
    return table, perf_counter() - start


def _find_visual(html: bytes, url: str | None) -> tuple[Records, float]:
    """Find the records in a browser; measure the time from its snapshot on."""
    shot = show(html, url, RecordOptions("visual"))
    start = perf_counter()
    table = find_visual(shot.page(), source=parse(html, url))
    return table, perf_counter() - start


FINDERS: Mapping[str, Finder] = {"static": _find_static, "visual": _find_visual}


def score(mode: str, gold: Gold, html: bytes, finder: Finder) -> RecordScore:
    """Score one mode on one page; a page where it fails has no records."""
    table, seconds, error = None, 0.0, None
    try:
        table, seconds = finder(html, gold.url if (gold.url or "").startswith("http") else None)
    except NothingFound:
        pass
    except Exception as problem:  # a page that breaks the method is a page without records
        error = f"{type(problem).__name__}: {problem}".splitlines()[0]
    texts = [record.text for record in table.records] if table is not None else []
    golds = gold.records
    answers = [record.text for record in golds]
    pairs = match(list(map(words_of, answers)), list(map(words_of, texts)))
    fields = [(golds[right], table.records[given]) for right, given in pairs.items() if table is not None]
    right = [fields_right(record, output.items) for record, output in fields]
    return RecordScore(
        mode=mode,
        gold=gold,
        records=len(golds),
        found=len(texts),
        right=len(pairs),
        right_glued=len(match(list(map(runs_of, answers)), list(map(runs_of, texts)), LETTERS * MAX_MORE)),
        region_found=holds(table, golds, words_of),
        region_glued=holds(table, golds, runs_of),
        fields=sum(total for total, _ in right),
        fields_right=sum(hits for _, hits in right),
        fields_all=sum(len(_fields(record)) for record in golds),
        ms=seconds * 1000,
        error=error,
    )


def words_of(text: str) -> Words:
    """The words of a text."""
    return Counter(tokens(text))


def runs_of(text: str) -> Words:
    """The runs of characters of a text without its blanks; one that is shorter is a run."""
    glued = "".join(tokens(text))
    return Counter(glued[k : k + RUN] for k in range(max(len(glued) - RUN + 1, min(len(glued), 1))))


def match(golds: Sequence[Words], outputs: Sequence[Words], most_more: int = MAX_MORE) -> dict[int, int]:
    """Return the pairs of output and gold records that match, best matches first; each is in one pair at most."""
    sizes = [words.total() for words in outputs]
    pairs = []
    for g, gold in enumerate(golds):
        size = gold.total()
        for o, output in enumerate(outputs):
            if size and sizes[o] <= MAX_TIMES * size + most_more:
                common = (gold & output).total()
                if common >= ENOUGH * size:
                    pairs.append((-2 * common / (size + sizes[o]), g, o))
    found: dict[int, int] = {}
    taken: set[int] = set()
    for _, g, o in sorted(pairs):
        if g not in found and o not in taken:
            found[g] = o
            taken.add(o)
    return found


def holds(records: Records | None, golds: Sequence[GoldRecord], counted: Callable[[str], Words]) -> bool:
    """Whether the range of the page from its first record to its last holds most words of the gold, each word once.

    Of a page without a list, whether there are no records.
    """
    if records is None or not golds:
        return (records is None) == (not golds)
    rows = records.reader.rows
    there = counted(" ".join(map(rows.own, rows.text_rows())))
    held = 0
    for record in golds:
        words = counted(record.text)
        common = words & there
        if common.total() >= ENOUGH * words.total():
            held += 1
            there -= common
    return held >= ENOUGH * len(golds)


def _fields(record: GoldRecord) -> list[Words]:
    return [words for field in record.fields if (words := words_of(field))]


def fields_right(record: GoldRecord, items: Sequence[Item]) -> tuple[int, int]:
    """Return the number of fields of a record, and how many of them match one of some items."""
    fields = _fields(record)
    if not fields:
        return 0, 0
    texts = {text for item in items for text in (item.text, item.value, item.link) if text}
    outputs = list(map(words_of, texts))
    return len(fields), sum(any(is_same(field, output) for output in outputs) for field in fields)


def is_same(field: Words, item: Words) -> bool:
    """Whether two texts have most of their words in common."""
    common = (field & item).total()
    return common >= ENOUGH * max(field.total(), item.total())


_MEANS = ("precision", "recall", "f1", "f1_glued", "region_found", "region_glued", "ms")


def _figures(scores: Sequence[RecordScore]) -> RecordFigures:
    fields, of_all = sum(each.fields for each in scores), sum(each.fields_all for each in scores)
    hits = sum(each.fields_right for each in scores)
    listless = [each for each in scores if not each.records]
    return RecordFigures(
        **{name: fmean(getattr(each, name) for each in scores) for name in _MEANS},
        items_found=hits / fields if fields else None,
        items_all=hits / of_all if of_all else None,
        answered=fmean(each.found > 0 for each in scores),
        none_right=fmean(not each.found for each in listless) if listless else None,
    )


def floored(sets: Sequence[RecordSet]) -> dict[str, dict[str, RecordFigures]]:
    """The figures that floors hold for: by method, which names the mode, and set."""
    modes = dict.fromkeys(mode for each in sets for mode in each.figures)
    return {f"{METHOD} {mode}": {each.name: each.figures[mode] for each in sets} for mode in modes}


COLUMNS = {
    "prec": "precision",
    "rec": "recall",
    "F1": "f1",
    "F1 glued": "f1_glued",
    "region": "region_found",
    "glued": "region_glued",
    "items": "items_found",
    "of all": "items_all",
    "found": "answered",
    "none": "none_right",
}


def record_table(of: RecordSet) -> Table:
    """Return the table of a set, with a row for each mode."""
    table = plain_table(of.title, ["mode"], (*COLUMNS, "ms"))
    for mode, figures in of.figures.items():
        table.add_row(mode, *rates(getattr(figures, name) for name in COLUMNS.values()), f"{figures.ms:.1f}")
    return table


def record_json(of: RecordSet, with_pages: bool) -> dict[str, Any]:
    """Return the scores of a set as plain values, each page's only `with_pages`."""
    report: dict[str, Any] = {"set": of.name, "pages": of.pages, "sites": of.sites, "modes": plain("mode", of.figures)}
    report["errors"] = [
        {"id": each.gold.id, "mode": each.mode, "error": each.error} for each in of.scores if each.error
    ]
    return report | ({"rows": [_row(each) for each in of.scores]} if with_pages else {})


def _row(score: RecordScore) -> dict[str, Any]:
    row = {"id": score.gold.id, "site": score.gold.site, "mode": score.mode, "records": score.records}
    names = (
        *("found", "right", "right_glued", "precision", "recall", "f1", "f1_glued"),
        *("region_found", "region_glued", "fields", "fields_right", "ms"),
    )
    return row | {name: getattr(score, name) for name in names}
