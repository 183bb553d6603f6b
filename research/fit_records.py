"""Fits the weights by which a page's list of records is chosen: python research/fit_records.py estuka_half.tar.xz

Each page is a choice among its groups of what recurs. A group is worth the F1 of the records that it is cut into; the
scores are those under which a softmax over the groups of a page has the highest expected F1. Sites that have all that a
modern page has would teach to look at nothing else, and a few sites are not all that there are, so each page is shown
in other guises too: without classes and ids, without the elements around its records, with one sort of block only, with
a first record that is unlike the others, with headings or another box between records, with half of its records, with
its records in a grid of table cells or as pairs of table rows.

Prints the F1 of each set and guise by the weights in `records/candidates.py`, by cross-validation over sites, and
fitted to all, and the weights. Takes about ten minutes. Needs scipy.
"""

from __future__ import annotations

import argparse
import html as markup
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from multiprocessing import Pool
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from pagesieve.evaluate.archives import Gold, find_sets, group_folds, read_pages, take_sample
from pagesieve.evaluate.records import ENOUGH, LETTERS, MAX_MORE, MAX_TIMES, runs_of, words_of
from pagesieve.page.kernel.records.group_table import GROUP_NAMES
from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.records.candidates import WEIGHTS, Candidates, find_candidates, scores
from pagesieve.records.cut import cut
from pagesieve.records.fields import Reader
from pagesieve.records.results import Segmentation

Floats = NDArray[np.float64]

FOLDS = 5
PENALTY = 20.0
SCALE = 0.7  # of all points, so that they are about as large as the scores that tell whether there is a list
NEVER_BETTER = frozenset("lead uneven_text uneven_texts bad bad_above controls headed parted inline".split())
BOUNDS = [(None, 0.0) if name in NEVER_BETTER else (None, None) for name in GROUP_NAMES]
LIKELY, OTHERS = 60, 20  # groups of a page that are judged: the best by the weights that are, and some of the others
OWN_SHARE = 3.0  # how often a page as it is counts
NEARLY_BEST = 0.98  # of the worth of the best group
MIN_F1 = 0.6  # of the best group: else the page teaches nothing
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


def guises(page: Page, found: Segmentation, chance: random.Random) -> Iterator[tuple[str, Changes]]:
    """The changes that make a page look otherwise, given its records; each with a name."""
    records = found.records
    yield "nameless", Changes(nameless=True)
    yield "unwrapped", Changes(nameless=True, unwrapped={found.region})
    yield "blocks", Changes(nameless=chance.random() < 0.5, block="div")
    yield "headings", Changes(before={record[0]: HEADING for record in records[::EVERY]})
    yield "box", Changes(before={chance.choice(records[1:])[0]: BOX})
    yield "first", Changes(element={records[0][0]: "section"}, left_out=set(part_of(page, records[0])))
    half = records[len(records) // 2 :]
    if len(records) >= 2 * EVERY:
        yield "half", Changes(left_out={row for record in half for row in record})

    if all(len(record) == 1 for record in records) and len({int(page.parent[row]) for (row,) in records}) == 1:
        rows = [row for (row,) in records]
        yield "grid", as_grid(page, rows, chance.choice((2, 3)))
        yield "pairs", as_pairs(page, rows)


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
    site: str
    guise: str  # "" for the page as it is
    values: Floats
    f1: Floats


def judged(
    page: Page, answers: Sequence[str], glued: bool, chance: random.Random
) -> tuple[Candidates, list[int], Floats]:
    """The groups of a page that are to be compared, and the F1 of each."""
    candidates = find_candidates(page)
    if not len(candidates):
        return candidates, [], np.empty(0)
    order = np.argsort(-scores(candidates), kind="stable").tolist()
    groups = order[:LIKELY] + chance.sample(order[LIKELY:], min(OTHERS, len(order[LIKELY:])))
    judge, reader = Judge(answers, glued), Reader(page, 0, len(page))
    return candidates, groups, np.array([judge.f1(cut(candidates, group, 0.0), reader) for group in groups])


def all_choices(given: tuple[str, Gold, bytes]) -> list[Choice]:
    return list(choices(*given))


def choices(name: str, gold: Gold, html: bytes) -> Iterator[Choice]:
    """The choices that a page is in all its guises."""
    chance, glued = random.Random(gold.id), name == GLUED
    answers = [record.text for record in gold.records]
    site = gold.site or gold.id
    page = parse(html, gold.url if (gold.url or "").startswith("http") else None)
    candidates, groups, f1 = judged(page, answers, glued, chance)
    if not groups or f1.max() < MIN_F1:
        return
    yield Choice(name, site, "", candidates.values[groups], f1)
    best = cut(candidates, groups[int(f1.argmax())], 0.0)
    right = Judge(answers, glued).matched(best, Reader(page, 0, len(page)))
    for guise, changes in guises(page, best, chance):
        gone = {k for k, number in right.items() if best.records[number][0] in changes.left_out}
        left = [text for k, text in enumerate(answers) if k not in gone]
        other = parse(written(page, changes))
        candidates, groups, f1 = judged(other, left, glued, chance)
        if groups and f1.max() >= MIN_F1:
            yield Choice(name, site, guise, candidates.values[groups], f1)


GLUED = "forum_half"  # its answers have words that are glued together


# Scores


class Fitted(NamedTuple):
    """Choices as one table."""

    values: Floats
    worth: Floats  # of each group, its F1 over that of the best of its page
    sizes: NDArray[np.int64]
    starts: NDArray[np.int64]
    times: Floats  # how often each choice counts

    @classmethod
    def of(cls, found: Sequence[Choice]) -> Fitted:
        sizes = np.array([len(one.f1) for one in found])
        times = [1.0 if one.guise else OWN_SHARE for one in found]
        worth = np.concatenate([one.f1 / max(float(one.f1.max()), 1e-9) for one in found])
        return cls(np.vstack([one.values for one in found]), worth, sizes, np.cumsum(sizes) - sizes, np.array(times))

    def expected(self, points: Floats) -> tuple[Floats, Floats]:
        """The expected worth of each choice, and how much more of it a group with more points gives."""
        likely = np.exp(points - np.repeat(np.maximum.reduceat(points, self.starts), self.sizes))
        likely /= np.repeat(np.add.reduceat(likely, self.starts), self.sizes)
        worth = np.add.reduceat(likely * self.worth, self.starts) + 1e-6
        return worth, likely * (self.worth - np.repeat(worth, self.sizes)) / np.repeat(worth, self.sizes)


def fit(found: Sequence[Choice]) -> Floats:
    """The weights under which the expected F1 is highest."""
    table = Fitted.of(found)
    spread = table.values.std(axis=0) + 1e-9
    scaled = table.values / spread

    def loss(weights: Floats) -> tuple[float, Floats]:
        expected, more = table.expected(scaled @ weights)
        total = -(table.times @ np.log(expected)) + PENALTY * (weights @ weights) / 2
        return float(total), PENALTY * weights - scaled.T @ (np.repeat(table.times, table.sizes) * more)

    weights: Floats = minimize(loss, begun(table, scaled), jac=True, method="L-BFGS-B", bounds=BOUNDS).x / spread
    return weights


def begun(table: Fitted, scaled: Floats) -> Floats:
    """The weights under which the best groups are likeliest: the expected F1 has more than one summit."""
    best = table.worth >= NEARLY_BEST

    def loss(weights: Floats) -> tuple[float, Floats]:
        points = scaled @ weights
        likely = np.exp(points - np.repeat(np.maximum.reduceat(points, table.starts), table.sizes))
        every, good = np.add.reduceat(likely, table.starts), np.add.reduceat(likely * best, table.starts) + 1e-300
        total = table.times @ (np.log(every) - np.log(good)) + PENALTY * (weights @ weights) / 2
        of_every, of_good = (np.repeat(table.times / each, table.sizes) for each in (every, good))
        return float(total), scaled.T @ (likely * (of_every - of_good * best)) + PENALTY * weights

    result: Floats = minimize(loss, np.zeros(scaled.shape[1]), jac=True, method="L-BFGS-B", bounds=BOUNDS).x
    return result


def scored(found: Sequence[Choice], weights: Floats) -> dict[str, list[float]]:
    """The F1 of the group with the most points on each page as it is, by set; of guises, over that of the best."""
    result: dict[str, list[float]] = {}
    for one in found:
        chosen = float(one.f1[int(np.argmax(one.values @ weights))])
        result.setdefault(one.guise or one.of, []).append(chosen / float(one.f1.max()) if one.guise else chosen)
    return result


def show(title: str, figures: Mapping[str, Sequence[float]]) -> None:
    print(title, *(f"{name} {fmean(values):.4f}" for name, values in figures.items()), flush=True)


def cross_validate(found: Sequence[Choice], folds: int) -> None:
    """Print what weights reach on sites that they were not fitted to."""
    fold = group_folds([one.site for one in found], folds)
    figures: dict[str, list[float]] = {}
    for number in range(folds):
        weights = fit([one for one, its in zip(found, fold, strict=True) if its != number])
        outside = [one for one, its in zip(found, fold, strict=True) if its == number]
        for name, values in scored(outside, weights).items():
            figures.setdefault(name, []).extend(values)
    show(f"sites left out, {folds} folds:", figures)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("sets", nargs="+", type=Path)
    arguments.add_argument("--folds", type=int, default=FOLDS)
    given = arguments.parse_args()
    sets = find_sets(given.sets)
    pages = [(each.name, gold, html) for each in sets for gold, html in read_pages(take_sample(each))]
    with Pool() as pool:
        found = [one for each in pool.imap(all_choices, pages) for one in each]
    show("weights that are:", scored(found, np.array([*WEIGHTS.values()])))
    cross_validate(found, given.folds)
    weights = fit(found)
    show("fitted to all:", scored(found, weights))
    for name, weight in zip(GROUP_NAMES, (SCALE * weights).tolist(), strict=True):
        print(f'    "{name}": {weight:.2f},')


if __name__ == "__main__":
    main()
