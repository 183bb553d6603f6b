"""Train the model of page kinds on labelled pages of all sorts: articles by page type, records, catalogues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from pagesieve.errors import BadInput
from pagesieve.evaluate.archives import Gold, LabelledSet, Progress, Sample, group_folds, read_pages, read_rows, thin
from pagesieve.evaluate.report import plain_table
from pagesieve.kinds.kind import KIND_FEATURES, KINDS, Kind, is_archive, measure
from pagesieve.page.forest import Forest
from pagesieve.page.static import parse
from pagesieve.training.forests import grow

MODEL = "kind"
FOLDS = 5
# The kinds for the page types of labelled sets, and for their sorts of records.
PAGE_TYPES: dict[str, Kind] = {
    **dict.fromkeys(("article", "documentation", "product", "service"), "article"),
    **dict.fromkeys(("forum", "collection"), "records"),
    "listing": "catalogue",
}
INDEXES = ("news-index", "forum-index")
FOREST = {
    "max_iter": 120,
    "learning_rate": 0.06,
    "max_leaf_nodes": 10,
    "min_samples_leaf": 30,
    "l2_regularization": 1.0,
}


class KindPages(NamedTuple):
    """Measured pages: the set, site and features of each, its kind by number, and the result of the first rule."""

    sets: list[str]
    ids: list[str]
    sites: list[str | None]
    values: NDArray[np.float32]
    kinds: NDArray[np.intp]
    archives: NDArray[np.bool_]


class KindReport(NamedTuple):
    """The scores of the forest on unseen sites."""

    pages: KindPages
    called: NDArray[np.intp]

    def confusion(self) -> NDArray[np.int64]:
        """The number of pages by true kind (rows) and predicted kind (columns), in the order of KINDS."""
        table = np.zeros((len(KINDS), len(KINDS)), dtype=np.int64)
        np.add.at(table, (self.pages.kinds, self.called), 1)
        return table

    def f1(self) -> list[float]:
        """F1 of each kind."""
        table = self.confusion()
        return [2 * table[k, k] / max(1, table[k].sum() + table[:, k].sum()) for k in range(len(KINDS))]


def as_table(report: KindReport) -> Table:
    """Return the confusion table of pages of unseen sites, and the F1 of each kind."""
    scores = report.f1()
    title = f"macro F1 {sum(scores) / len(scores):.3f} on pages of unseen sites"
    table = plain_table(title, [""], (*(f"called {kind}" for kind in KINDS), "F1"))
    for kind, row, score in zip(KINDS, report.confusion().tolist(), scores, strict=True):
        table.add_row(f"is {kind}", *(f"{count:,}" for count in row), f"{score:.3f}")
    return table


def labelled_kinds(labelled_set: LabelledSet) -> Iterator[tuple[Gold, Kind]]:
    """Yield the pages of a set of any sort, each with its kind."""
    for where, row in read_rows(labelled_set):
        name = row.get("id")
        if not isinstance(name, str):
            raise BadInput(f"{where} has no id")
        page = Gold(id=name, text="", url=row.get("url"), site=row.get("site"))
        if "records" in row:
            yield page, "catalogue" if row.get("kind") in INDEXES else "records"
        elif "catalogues" in row:
            yield page, "article"
            for found in row["catalogues"]:
                yield Gold(id=found["id"], text="", url=found["url"], site=row.get("site")), "catalogue"
        else:
            yield page, PAGE_TYPES[row.get("page_type") or "article"]


def read_kinds(sets: Sequence[LabelledSet], limit: int | None, progress: Progress) -> KindPages:
    """Read and measure the pages of sets."""
    labelled = {each.name: {gold.id: (gold, kind) for gold, kind in labelled_kinds(each)} for each in sets}
    chosen = {name: thin(sorted(pages), limit) for name, pages in labelled.items()}
    total = sum(map(len, chosen.values()))
    found: list[tuple[Any, ...]] = []
    for each in sets:
        pages = labelled[each.name]
        for gold, html in read_pages(Sample(each, {name: pages[name][0] for name in chosen[each.name]})):
            page = parse(html, gold.url)
            values = measure(page)
            kind = KINDS.index(pages[gold.id][1])
            found.append((each.name, gold.id, gold.site, values, kind, is_archive(gold.url)))
            progress("pages", len(found), total)
    names, ids, sites, measured, kinds, archives = map(list, zip(*found, strict=True))
    return KindPages(names, ids, sites, np.stack(measured), np.array(kinds, np.intp), np.array(archives, np.bool_))


def train(sets: Sequence[LabelledSet], limit: int | None, progress: Progress) -> tuple[Forest, KindReport]:
    """Train a forest on all pages, and report the predictions by forests of the other sites."""
    pages = read_kinds(sets, limit, progress)
    if len(set(pages.kinds.tolist())) < len(KINDS):
        raise BadInput(f"these sets do not have pages of every kind: {', '.join(KINDS)}")
    fold = np.array(group_folds(pages.sites, FOLDS))
    called = np.empty(len(pages.kinds), dtype=np.intp)
    for number in range(FOLDS):
        own = fold == number
        called[own] = _grown(pages, ~own).scores(pages.values[own]).argmax(axis=1)
        progress("cross-validation", number + 1, FOLDS)
    called[pages.archives] = KINDS.index("catalogue")
    forest = _grown(pages, np.ones(len(fold), dtype=np.bool_))
    progress("model", 1, 1)
    return forest, KindReport(pages, called)


def _grown(pages: KindPages, which: NDArray[np.bool_]) -> Forest:
    """Grow a forest with the same weight for every kind."""
    kinds = pages.kinds[which]
    sizes = np.bincount(kinds, minlength=len(KINDS))
    weights = len(kinds) / np.maximum(sizes, 1)[kinds].astype(np.float64)
    return grow(pages.values[which], kinds, weights, KIND_FEATURES, **FOREST)
