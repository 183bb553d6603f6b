"""Are the units of a page kept whole? Lists, tables, headings and recipes, decided by lines and by units.

    python benchmarks/units.py ../shared/data/articles/kinds_own.tar.xz [--every 5] [--model FILE]

A list, data table or definition list of four lines or more whose lines are all the gold's is torn if some of them are
kept and others are not. A header row counts where half of the rest of its table is kept, a heading where half of its
section is, both if they are the gold's. Of a page of a recipe, the largest list or table that is all the gold's counts,
mostly the ingredients. Precision, recall and F1 are of words, by line.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagesieve.errors import NothingFound
from pagesieve.evaluate.archives import Gold, LabelledSet, find_sets, read_rows, read_samples
from pagesieve.evaluate.metrics import MIN_SHARE, label_lines
from pagesieve.methods.blocks import BlockModel, page_threshold, selected, shipped
from pagesieve.methods.decisions import decide
from pagesieve.page.kernel.lines import unit_table
from pagesieve.page.lines import Units
from pagesieve.page.static import parse

LISTS = (unit_table.UNIT_LIST, unit_table.UNIT_TABLE, unit_table.UNIT_DEFINITIONS)
MIN_LINES = 4
MOSTLY = 0.5
HOWS = ("lines", "units")

Bools = NDArray[np.bool_]
Figures = dict[str, list[float]]


class Labelled(NamedTuple):
    """A page by its lines: which are the gold's, which count, and what became of them."""

    units: Units
    text: Bools
    known: Bools
    kept: Bools
    chars: NDArray[Any]


def whole_units(page: Labelled) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Yield the lists and tables of enough lines that are the gold's as a whole, each with the lines that count."""
    for unit in np.flatnonzero(np.isin(page.units.kind, LISTS)).tolist():
        first, end = page.units.line[unit], page.units.line_end[unit]
        lines = first + np.flatnonzero(page.known[first:end])
        if len(lines) >= MIN_LINES and page.text[lines].all():
            yield unit, lines


def count(page: Labelled, is_recipe: bool, counts: Counter[str]) -> None:
    """Count what is whole and what is torn."""
    for _, lines in whole_units(page):
        counts["units"] += 1
        counts["torn"] += bool(page.kept[lines].any() and not page.kept[lines].all())
    for unit in range(len(page.units)):
        kind, first, end = page.units.kind[unit], page.units.line[unit], page.units.line_end[unit]
        if kind == unit_table.UNIT_ROW and page.units.level[unit]:
            table = page.units.parent[unit]
            rest = np.r_[page.units.line[table] : first, end : page.units.line_end[table]].astype(np.intp)
            _follow("header rows", page, slice(first, end), rest, counts)
        elif kind == unit_table.UNIT_SECTION:
            head = page.units.head_end[unit]
            _follow("headings", page, slice(first, head), np.arange(head, end), counts)
    if is_recipe and (largest := max((lines for _, lines in whole_units(page)), key=len, default=None)) is not None:
        counts["recipes"] += 1
        counts["recipes kept"] += bool(page.kept[largest].all())


def _follow(name: str, page: Labelled, head: slice, rest: NDArray[np.intp], counts: Counter[str]) -> None:
    """Count a heading or header row of which the rest is mostly kept, and whether it is kept too."""
    held, taken = page.chars[rest].sum(), page.chars[rest[page.kept[rest]]].sum()
    if page.text[head].any() and taken >= MOSTLY * held > 0:
        counts[name] += 1
        counts[f"{name} kept"] += bool(page.kept[head].any())


def measure(
    html: bytes, gold: Gold, model: BlockModel, is_recipe: bool, counts: dict[str, Counter[str]], figures: Figures
) -> None:
    """Count the units of a page that are whole, and score its text, decided by lines and by units."""
    described, likelihood = model.score_lines(parse(html, gold.url))
    blocks = described.blocks
    if not len(blocks):
        return
    words, hits, wanted = label_lines(blocks, gold, html)
    threshold = page_threshold(likelihood, model.threshold(None))
    by_units = decide(blocks, likelihood, threshold)
    by_lines = replace(by_units, marks=np.asarray(likelihood) >= threshold)
    for how, decided in zip(HOWS, (by_lines, by_units), strict=True):
        try:
            kept = selected(described, decided).kept
        except NothingFound:
            kept = np.zeros(len(blocks), dtype=np.bool_)
        seen = blocks.any(blocks.page.chars > 0)
        text = (hits >= MIN_SHARE * np.maximum(words, 1)) & (words > 0)
        count(Labelled(decided.units, text, (words > 0) & seen, kept, blocks.chars), is_recipe, counts[how])
        precision = float(hits[kept].sum() / words[kept].sum()) if words[kept].any() else float(not wanted)
        recall = min(1.0, float(hits[kept].sum() / wanted)) if wanted else 1.0
        both = precision + recall
        for name, figure in zip(
            ("p", "r", "f"), (precision, recall, 2 * precision * recall / both if both else 0.0), strict=True
        ):
            figures[f"{how} {name}"].append(figure)


def _share(counts: Counter[str], part: str, whole: str) -> str:
    return f"{counts[part] / counts[whole]:.1%} of {counts[whole]:,}" if counts[whole] else "-"


def show(name: str, counts: dict[str, Counter[str]], figures: Figures) -> None:
    """Print a line for what lines decided, and one for what units decided."""
    for how in HOWS:
        found = counts[how]
        cells = [
            _share(found, "torn", "units"),
            _share(found, "header rows kept", "header rows"),
            _share(found, "headings kept", "headings"),
            _share(found, "recipes kept", "recipes"),
            *(f"{np.mean(figures[f'{how} {each}']):.4f}" for each in "prf"),
        ]
        print(f"| {name} | {how} | {' | '.join(cells)} |", flush=True)


def measure_set(labelled: LabelledSet, model: BlockModel, every: int) -> tuple[dict[str, Counter[str]], Figures]:
    """Count and score every n-th page of a set."""
    recipes = {str(row["id"]) for _, row in read_rows(labelled) if row.get("subtype") == "recipe"}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    figures: Figures = defaultdict(list)
    for k, (_, gold, html) in enumerate(read_samples([labelled], None, lambda *_: None)):
        if k % every == 0:
            measure(html, gold, model, gold.id in recipes, counts, figures)
    return counts, figures


def count_units(sets: Sequence[LabelledSet], every: int) -> dict[str, Counter[str]]:
    """Count what is whole and what is torn on every n-th page of some sets, with the shipped model."""
    total: dict[str, Counter[str]] = defaultdict(Counter)
    for labelled in sets:
        for how, counts in measure_set(labelled, shipped(), every)[0].items():
            total[how].update(counts)
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sets", type=Path, nargs="+")
    parser.add_argument("--every", type=int, default=1, help="take every n-th page")
    parser.add_argument("--model", type=Path, help="a block model; the shipped one if not given")
    options = parser.parse_args()
    model = BlockModel.load(options.model) if options.model else shipped()
    print("| set | decided by | torn | header rows | headings | recipes | precision | recall | F1 |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    total: dict[str, Counter[str]] = defaultdict(Counter)
    means: Figures = defaultdict(list)
    for labelled in find_sets(options.sets):
        counts, figures = measure_set(labelled, model, options.every)
        show(labelled.name, counts, figures)
        for how in HOWS:
            total[how].update(counts[how])
        for key, values in figures.items():
            means[key].append(float(np.mean(values)))
    show("all", total, means)


if __name__ == "__main__":
    main()
