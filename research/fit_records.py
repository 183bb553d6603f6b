"""Train the forest that chooses a page's list of records: python -m research.fit_records DATA/records -o lists.model

Each page is a choice among the groups that recur on it. A group is worth the F1 of the records that it is cut into; the
forest is trained to tell that from the group's features, the pages without a list among the others. Each page with a
list is also shown in other guises: its list alone, without classes and ids, without the elements around its records,
with one sort of block only, with a first record that is unlike the others, with headings or another box between
records, with half of its records, with its records in a grid of table cells or as pairs of table rows, and without its
list. They keep the forest from relying on what only elaborate pages have.

Prints for each set, with the sites of each of five folds left out, the F1 of the chosen groups, of the best ones and of
the right ones ("recall": the share of pages where a group has .8), and for several thresholds the share of the pages
without a list that are said to have none and the F1 that remains. Three seeds, in about ten minutes on two cores.
Needs scikit-learn.
"""

from __future__ import annotations

import argparse
import html as markup
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from multiprocessing import Pool
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagesieve.evaluate.archives import Gold, LabelledSet, Sample, find_sets, read_pages, read_rows
from pagesieve.evaluate.records import ENOUGH, LETTERS, MAX_MORE, MAX_TIMES, runs_of, words_of
from pagesieve.page.forest import Forest
from pagesieve.page.kernel.records.group_table import GROUP_NAMES
from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.records.fields import Reader
from pagesieve.records.regions import Candidates, cut, find_candidates
from pagesieve.records.results import Segmentation
from pagesieve.training.forests import grow

Floats = NDArray[np.float64]

FOREST = {
    "max_iter": 150,
    "learning_rate": 0.06,
    "max_leaf_nodes": 15,
    "min_samples_leaf": 20,
    "l2_regularization": 1.0,
}
FOLDS, SEEDS = 5, 3
LARGE, OTHERS, RIGHT = 45, 30, 20  # groups of a page to learn from: those with the most text, others, and right ones
GUISES = 3  # of a page, the list alone among them
GUISE_SHARE, LISTLESS_SHARE = 0.2, 0.05  # how much a guise counts, of a page as it is; and one without its list
MIN_F1 = 0.6  # of a right group; without one, a page has no guises
THRESHOLDS = (-2.0, -1.5, -1.0, -0.5, 0.0)
VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
UNWRITTEN = frozenset(("script", "style", "noscript", "template"))
BLOCKS = "li ul ol dl dt dd article section main p h1 h2 h3 h4 h5 h6".split()
HEADING = "<h2>Further results, by date</h2>"
BOX = '<div><b>See also</b><p>What others have <a href="/other">looked for</a></p><a href="/all">All of them</a></div>'
EVERY = 4  # records between two headings


# Guises


@dataclass
class Changes:
    """What is written otherwise than it stands in a page; keys are rows."""

    nameless: bool = False
    block: str = ""  # the one element that stands for all blocks
    unwrapped: set[int] = field(default_factory=set)
    left_out: set[int] = field(default_factory=set)
    before: dict[int, str] = field(default_factory=dict)
    element: dict[int, str] = field(default_factory=dict)
    around: dict[int, list[tuple[int, str]]] = field(default_factory=dict)  # elements from a row to where they end

    def wrap(self, begin: int, end: int, *names: str) -> None:
        """Put elements around some rows, the outermost first."""
        self.around.setdefault(begin, []).extend((end, name) for name in names)


def written(page: Page, changes: Changes) -> str:
    """The source of a page with some changes."""
    parts: list[str] = []
    open_: list[tuple[int, str]] = []
    row = 1
    while row < len(page):
        while open_ and open_[-1][0] <= row:
            parts.append(open_.pop()[1])
        parts.append(changes.before.get(row, ""))
        for end, name in changes.around.get(row, ()):
            parts.append(f"<{name}>")
            open_.append((end, f"</{name}>"))
        name = page.tag_name(row)
        if row in changes.left_out or name in UNWRITTEN:
            row = int(page.end[row])
            continue
        if name == "#text":
            parts.append(markup.escape(page.text(row), quote=False))
        elif not name.startswith("#") and row not in changes.unwrapped:
            name = changes.element.get(row, changes.block if changes.block and name in BLOCKS else name)
            parts.append(f"<{name}{attributes(page, row, changes.nameless or row in changes.element)}>")
            if name not in VOID:
                open_.append((int(page.end[row]), f"</{name}>"))
        row += 1
    return "".join(parts + [end for _, end in reversed(open_)])


def attributes(page: Page, row: int, nameless: bool) -> str:
    kept = {
        name: value
        for name, value in page.attributes(row).items()
        if name.replace("-", "").isalnum() and not (nameless and name in ("class", "id"))
    }
    return "".join(f' {name}="{markup.escape(value)}"' for name, value in kept.items())


def guises(page: Page, found: Segmentation, chance: random.Random) -> Iterator[Changes]:
    """The changes that make a page look otherwise, given its records; the first leaves the list alone."""
    records = found.records
    yield alone(page, records, chance)
    yield Changes(nameless=True)
    yield Changes(nameless=True, unwrapped={found.region})
    yield Changes(nameless=chance.random() < 0.5, block="div")
    yield Changes(before={record[0]: HEADING for record in records[::EVERY]})
    yield Changes(before={chance.choice(records[1:])[0]: BOX})
    yield Changes(element={records[0][0]: "section"}, left_out=set(part_of(page, records[0])))
    half = records[len(records) // 2 :]
    if len(records) >= 2 * EVERY:
        yield Changes(left_out={row for record in half for row in record})

    if all(len(record) == 1 for record in records) and len({int(page.parent[row]) for (row,) in records}) == 1:
        rows = [row for (row,) in records]
        yield as_grid(page, rows, chance.choice((2, 3)))
        yield as_pairs(page, rows)


def alone(page: Page, records: Sequence[tuple[int, ...]], chance: random.Random) -> Changes:
    """The records without the rest of the page, or the first few of them."""
    if chance.random() < 0.5:
        records = records[: chance.choice((3, 4, 5, 8))]
    changes = Changes(nameless=chance.random() < 0.5)
    roots = {row for record in records for row in record}
    around = {above for row in roots for above in rows_above(page, row)}
    row = 1
    while row < len(page):
        if row in around:
            row += 1
            continue
        if row not in roots:
            changes.left_out.add(row)
        row = int(page.end[row])
    return changes


def rows_above(page: Page, row: int) -> Iterator[int]:
    """The rows of the elements around a row, from the innermost on."""
    while row > 0:
        row = int(page.parent[row])
        yield row


def as_grid(page: Page, rows: Sequence[int], columns: int) -> Changes:
    """The records as cells of a table, and nothing else where they stand."""
    changes = only(page, rows)
    for k in range(0, len(rows), columns):
        line = rows[k : k + columns]
        changes.wrap(line[0], int(page.end[line[-1]]), "tr")
        for row in line:
            changes.wrap(row, int(page.end[row]), "td")
    return changes


def as_pairs(page: Page, rows: Sequence[int]) -> Changes:
    """Each record as two rows of a table: its first part with text, and all others."""
    changes = only(page, rows)
    for row in rows:
        parts = [node.row for node in page.node(row).children if page.text_chars[node.row] > 0]
        ends = int(page.end[row])
        first = int(page.end[parts[0]]) if len(parts) > 1 else ends
        changes.wrap(row, first, "tr", "td")
        if first < ends:
            changes.wrap(first, ends, "tr", "td")
        changes.unwrapped.add(row)
    return changes


def only(page: Page, rows: Sequence[int]) -> Changes:
    """A table of records that have no class, without what stands between them."""
    changes = Changes(nameless=True, element=dict.fromkeys(rows, "div"))
    changes.wrap(rows[0], int(page.end[rows[-1]]), "table")
    for before, after in pairwise(rows):
        row = int(page.end[before])
        while row < after:
            changes.left_out.add(row)
            row = int(page.end[row])
    return changes


def part_of(page: Page, record: tuple[int, ...]) -> list[int]:
    """The smallest part of a record that is an element with some of its text."""
    children = [node.row for root in record for node in page.node(root).children if page.text_chars[node.row] > 0]
    children = [row for row in children if not page.tag_name(row).startswith("#")]
    return sorted(children, key=lambda row: int(page.text_chars[row]))[:1] if len(children) > 1 else []


# Choices


class Judge:
    """Scores many segmentations of one page; a record is compared with the answers once."""

    def __init__(self, answers: Sequence[str], glued: bool) -> None:
        self.counted, self.more = (runs_of, LETTERS * MAX_MORE) if glued else (words_of, MAX_MORE)
        golds = list(map(self.counted, answers))
        self.number = {word: k for k, word in enumerate(dict.fromkeys(word for gold in golds for word in gold))}
        self.golds = np.zeros((len(golds), len(self.number)), dtype=np.int16)
        for k, gold in enumerate(golds):
            for word, times in gold.items():
                self.golds[k, self.number[word]] = times
        self.sizes = self.golds.sum(axis=1)
        self.known: dict[tuple[int, ...], list[tuple[float, int]]] = {}

    def pairs(self, record: tuple[int, ...], reader: Reader) -> list[tuple[float, int]]:
        """The answers that a record may be, each with how unlike it is."""
        if record not in self.known:
            counts = self.counted(reader.rows.text(record, "\n"))
            words = [(self.number[word], times) for word, times in counts.items() if word in self.number]
            numbers, times = np.array(words, dtype=np.int64).reshape(-1, 2).T
            common = np.minimum(self.golds[:, numbers], times).sum(axis=1)
            size = counts.total()
            may = (common >= ENOUGH * self.sizes) & (size <= MAX_TIMES * self.sizes + self.more) & (self.sizes > 0)
            self.known[record] = [
                (-2 * float(common[g]) / (float(self.sizes[g]) + size), int(g)) for g in np.flatnonzero(may)
            ]
        return self.known[record]

    def matched(self, found: Segmentation, reader: Reader) -> dict[int, int]:
        """The answers that were found, each with the number of its record."""
        pairs = [(unlike, g, o) for o, each in enumerate(found.records) for unlike, g in self.pairs(each, reader)]
        result: dict[int, int] = {}
        for _, g, o in sorted(pairs):
            if g not in result and o not in result.values():
                result[g] = o
        return result

    def f1(self, found: Segmentation, reader: Reader) -> float:
        return 2 * len(self.matched(found, reader)) / (len(found.records) + len(self.golds))


class Choice(NamedTuple):
    """The groups of a page with their features, and the F1 of each."""

    of: str  # the set
    kind: str
    site: str
    has_list: bool
    values: Floats
    f1: Floats
    guises: list[Guise]


class Guise(NamedTuple):
    """Some groups of a page that is changed, how much they count, and the F1 of each."""

    share: float
    values: Floats
    f1: Floats


class Labelled(NamedTuple):
    """A page to read, with what is known of it."""

    of: LabelledSet
    gold: Mapping[str, Any]
    html: bytes


def read(sets: Sequence[LabelledSet]) -> Iterator[Labelled]:
    """The pages of some sets, those without a list among them."""
    for each in sets:
        golds = {gold["id"]: gold for _, gold in read_rows(each)}
        pages = {name: Gold(id=name, text="", records=()) for name in golds}
        for page, html in read_pages(Sample(each, pages)):
            yield Labelled(each, golds[page.id], html)


def judged(candidates: Candidates, answers: Sequence[str], glued: bool, groups: Sequence[int]) -> Floats:
    """The F1 of some groups of a page; 0 for the others."""
    f1 = np.zeros(len(candidates))
    if answers:
        page = candidates.page
        judge, reader = Judge(answers, glued), Reader(page, 0, len(page))
        known: dict[tuple[int, bytes, bytes], float] = {}
        for group in groups:
            begin, end = candidates.spans(group)
            key = (int(candidates.region[group]), begin.tobytes(), end.tobytes())
            if key not in known:
                segmentation = cut(candidates, group, 0.0)
                known[key] = judge.f1(segmentation, reader) if segmentation.records else 0.0
            f1[group] = known[key]
    return f1


def choice(labelled: Labelled) -> Choice | None:
    """The choice that a page is, and those that its guises are."""
    gold = labelled.gold
    chance, glued = random.Random(gold["id"]), labelled.of.name == GLUED
    answers = [record["text"] for record in gold["records"]]
    url = gold.get("url")
    page = parse(labelled.html, url if (url or "").startswith("http") else None)
    candidates = find_candidates(page)
    if not len(candidates):
        return None
    f1 = judged(candidates, answers, glued, range(len(candidates)))
    site = gold.get("site") or gold["id"]
    guises = list(disguised(page, answers, glued, candidates, f1, chance)) if f1.max() >= MIN_F1 else []
    return Choice(labelled.of.name, gold.get("kind") or "", site, bool(answers), candidates.values, f1, guises)


def disguised(
    page: Page, answers: Sequence[str], glued: bool, candidates: Candidates, f1: Floats, chance: random.Random
) -> Iterator[Guise]:
    """The guises of a page. Without its list, it has none."""
    best = cut(candidates, int(f1.argmax()), 0.0)
    right = Judge(answers, glued).matched(best, Reader(page, 0, len(page)))
    first, *others = guises(page, best, chance)
    numbers = np.random.default_rng(chance.randrange(1 << 30))
    for changes in (first, *chance.sample(others, min(GUISES - 1, len(others)))):
        there = {k for k, number in right.items() if not is_left_out(page, best.records[number][0], changes)}
        elsewhere = set() if changes is first else set(range(len(answers))) - set(right)
        left = [answers[k] for k in sorted(there | elsewhere)]
        groups = find_candidates(parse(written(page, changes)))
        some = taught(groups.values, np.zeros(len(groups)), numbers)
        worth = judged(groups, left, glued, some.tolist())
        if len(groups) and worth.max() >= MIN_F1:
            yield Guise(GUISE_SHARE, groups.values[some], worth[some])
    if len(right) == len(answers):
        without = Changes(left_out={row for record in best.records for row in record})
        groups = find_candidates(parse(written(page, without)))
        some = taught(groups.values, np.zeros(len(groups)), numbers)
        if len(some):
            yield Guise(LISTLESS_SHARE, groups.values[some], np.zeros(len(some)))


def is_left_out(page: Page, row: int, changes: Changes) -> bool:
    """Whether a row is not written."""
    return row in changes.left_out or any(above in changes.left_out for above in rows_above(page, row))


GLUED = "forum_half"  # its answers have words that are glued together


# Forests


class Table(NamedTuple):
    """Groups to learn from."""

    values: NDArray[np.float32]
    f1: Floats
    weights: Floats

    @classmethod
    def of(cls, choices: Sequence[Choice], seed: int) -> Table:
        """Some groups of each page and of its guises; pages count by the square root of how many groups they have."""
        chance = np.random.default_rng(seed)
        rows: list[Guise] = []
        for each in choices:
            some = taught(each.values, each.f1, chance)
            rows += [Guise(1.0, each.values[some], each.f1[some]), *each.guises]
        weights = [np.full(len(each.f1), each.share / np.sqrt(len(each.f1))) for each in rows]
        values = np.vstack([each.values for each in rows]).astype(np.float32)
        return cls(values, np.concatenate([each.f1 for each in rows]), np.concatenate(weights))


def taught(values: Floats, f1: Floats, chance: np.random.Generator) -> NDArray[np.intp]:
    """The groups of a page to learn from."""
    order = np.argsort(-values[:, GROUP_NAMES.index("share")], kind="stable")
    others = chance.permutation(order[LARGE:])[:OTHERS]
    right = np.setdiff1d(np.flatnonzero(f1 >= MIN_F1), np.concatenate([order[:LARGE], others]))
    return np.concatenate([order[:LARGE], others, right[:RIGHT]])


def trained(choices: Sequence[Choice], seed: int) -> Forest:
    """A forest that tells the F1 of a group: each is a hit as often as its F1 says, and else a miss."""
    table = Table.of(choices, seed)
    hit = table.f1 > 0
    values = np.vstack([table.values, table.values[hit]])
    labels = np.concatenate([np.zeros(len(hit)), np.ones(hit.sum())]).astype(np.intp)
    weights = np.concatenate([table.weights * (1 - table.f1), (table.weights * table.f1)[hit]])
    counts = weights > 0
    return grow(values[counts], labels[counts], weights[counts] / weights[counts].mean(), GROUP_NAMES, **FOREST)


class Answer(NamedTuple):
    """The group that a forest chose on a page: its score, its F1, and the F1 of the best group."""

    choice: Choice
    score: float
    f1: float
    best: float


def answers_of_others(choices: Sequence[Choice], seed: int) -> list[Answer]:
    """The answers of forests that have not seen the page's site."""
    sites = [each.site for each in choices]
    order = sorted(set(sites))
    random.Random(seed).shuffle(order)
    fold = [order.index(site) % FOLDS for site in sites]
    answers: list[Answer] = []
    for number in range(FOLDS):
        forest = trained([each for each, its in zip(choices, fold, strict=True) if its != number], seed)
        answers += [answer(forest, each) for each, its in zip(choices, fold, strict=True) if its == number]
    return answers


def answer(forest: Forest, each: Choice) -> Answer:
    scores = forest.scores(each.values.astype(np.float32))[:, 0]
    chosen = int(scores.argmax())
    return Answer(each, float(scores[chosen]), float(each.f1[chosen]), float(each.f1.max()))


def show(answers: Sequence[Answer]) -> None:
    """Print the figures of each set, and of lists_own by kind."""
    groups: dict[str, list[Answer]] = {}
    for each in answers:
        if each.choice.has_list:
            for name in {each.choice.of, f"{each.choice.of} {each.choice.kind}"}:
                groups.setdefault(name, []).append(each)
    print(f"{'sites left out':28} {'pages':>6} {'chosen':>7} {'best':>7} {'recall':>7}")
    for name, own in sorted(groups.items()):
        recall = fmean(each.best >= ENOUGH for each in own)
        chosen, best = fmean(each.f1 for each in own), fmean(each.best for each in own)
        print(f"{name:28} {len(own) // SEEDS:6} {chosen:7.3f} {best:7.3f} {recall:7.3f}")
    without = [each for each in answers if not each.choice.has_list]
    print(f"{'threshold':>10} {'none right':>11}  F1 that remains")
    for threshold in THRESHOLDS if without else ():
        right = fmean(each.score < threshold for each in without)
        remains = {
            name: fmean(each.f1 if each.score >= threshold else 0.0 for each in own)
            for name, own in sorted(groups.items())
            if " " not in name
        }
        print(f"{threshold:10.1f} {right:11.3f} ", *(f"{name} {f1:.3f}" for name, f1 in remains.items()))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("sets", nargs="+", type=Path)
    arguments.add_argument("-o", "--output", type=Path, help="write the forest of all pages to this file")
    arguments.add_argument("--no-figures", action="store_true", help="do not cross-validate")
    options = arguments.parse_args()
    sets = find_sets(options.sets)
    with Pool() as pool:
        choices = [each for each in pool.imap(choice, read(sets), chunksize=4) if each is not None]
    print(f"{len(choices)} pages, {sum(len(each.f1) for each in choices):,} groups", flush=True)
    if options.output:
        forest = replace(trained(choices, 0), trained={"sets": [each.name for each in sets], "pages": len(choices)})
        forest.save(options.output, "lists")
    if not options.no_figures:
        show([each for seed in range(SEEDS) for each in answers_of_others(choices, seed)])


if __name__ == "__main__":
    main()
