"""Train the support vector machine on labelled pages.

The kernel is the RBF; the vectors are a fixed number of blocks drawn from the sample (a reduced support vector
machine), so that the size and speed of the model do not depend on the number of pages. Cost and gamma come from
cross-validation between sites, and so does the margin above which a block is text: the sample is balanced, pages are
not. One thread per fold and fixed seeds make the training reproducible to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.kernel_approximation import Nystroem
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from pagesieve.errors import BadInput
from pagesieve.evaluate.archives import LabelledSet, Progress, group_folds, read_samples
from pagesieve.evaluate.metrics import label
from pagesieve.methods.svm import FEATURE_SETS, SvmModel, measure
from pagesieve.page.lines import readable
from pagesieve.page.static import parse
from pagesieve.page.table import Bools
from pagesieve.training.report import Confusion, Fold, Scores, SetFigures, TrainingReport, Tried

COSTS = (0.1, 1.0, 10.0)
GAMMAS = (0.03, 0.1, 0.3, 1.0, 3.0)  # times one over the number of features
SEARCH_SHARE = 0.3  # of the sample and of the vectors, in the search for parameters
# The weight of recall in the choice of the threshold: the later steps (the ends, the richest stretch of lines) only
# remove blocks.
BETA = 1.5
# Without pages that are not articles, the machine is better on news.
PAGE_TYPES = (None, "article", "documentation")

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """The options of a training."""

    features: str = "all"
    folds: int = 10
    seed: int = 0
    most_blocks: int = 40_000
    most_vectors: int = 400
    limit: int | None = None  # pages of a set


class Trained(NamedTuple):
    """A model, and the report of its training."""

    model: SvmModel
    report: TrainingReport


class _Blocks(NamedTuple):
    """Blocks of many pages: their features, whether each is text, and the page of each."""

    values: Floats
    text: Bools
    page: NDArray[np.intp]

    def chosen(self, which: NDArray[Any]) -> _Blocks:
        return _Blocks(self.values[which], self.text[which], self.page[which])


class _Pages(NamedTuple):
    """The pages of the blocks."""

    sets: list[str]
    sites: list[str | None]


def train(sets: Sequence[LabelledSet], options: TrainingOptions, progress: Progress) -> Trained:
    """Train a model on labelled pages; call `progress` with (stage, done, total)."""
    start = perf_counter()
    pages, blocks = _read(sets, options, progress)
    if blocks.text.all() or not blocks.text.any():
        raise BadInput("no block of these pages is noise, or none is text: there is nothing to tell apart")
    fold_of_page = np.array(group_folds(pages.sites, options.folds))
    fold = fold_of_page[blocks.page]
    search = replace(
        options,
        most_blocks=round(options.most_blocks * SEARCH_SHARE),
        most_vectors=round(options.most_vectors * SEARCH_SHARE),
    )
    tried, (cost, gamma) = _search(blocks, fold, search, progress)
    margins = np.empty(len(blocks.text), dtype=np.float32)
    judged = _judged(blocks, fold, [(cost, gamma)], options)
    for k, (_, number, found) in enumerate(judged):
        margins[fold == number] = found
        progress("cross-validation", k + 1, options.folds)
    threshold = _best_threshold(margins, blocks.text)
    model = _fit(blocks, cost, gamma, options)
    model = replace(model, offset=model.offset - threshold)
    progress("model", 1, 1)
    margins -= np.float32(threshold)
    report = TrainingReport(
        features=options.features,
        feature_names=FEATURE_SETS[options.features],
        sets=_set_figures(sets, pages, blocks),
        tried=tuple(tried),
        chosen=(cost, gamma),
        confusion=_confusion(margins, blocks.text),
        folds=tuple(_fold_figures(margins, blocks, fold, pages, fold_of_page)),
        scores=Scores(margins, blocks.text),
        vectors=len(model.vectors),
        size_bytes=sum(array.nbytes for array in (model.vectors, model.coefficients, model.centre, model.scale)),
        seconds=perf_counter() - start,
    )
    whole = report.confusion
    trained = {
        "sets": {of_set.name: of_set.pages for of_set in report.sets},
        "cost": cost,
        "gamma": gamma,
        "precision": round(whole.precision, 4),
        "recall": round(whole.recall, 4),
        "f1": round(whole.f1, 4),
    }
    return Trained(replace(model, trained=trained), report)


# Reading


def _read(sets: Sequence[LabelledSet], options: TrainingOptions, progress: Progress) -> tuple[_Pages, _Blocks]:
    """Return the labelled blocks of all pages, without those that have no words."""
    pages = _Pages([], [])
    found: list[_Blocks] = []
    for set_name, gold, html in read_samples(sets, options.limit, progress):
        if gold.page_type not in PAGE_TYPES or not gold.text.strip():
            continue
        page = parse(html, gold.url)
        measured = measure(options.features, page, readable(page))
        text, known = label(page, measured.rows, gold, html).of_blocks(measured.block, len(measured.values))
        number = np.full(int(known.sum()), len(pages.sets), dtype=np.intp)
        found.append(_Blocks(measured.values[known], text[known], number))
        pages.sets.append(set_name)
        pages.sites.append(gold.site)
    if not found:
        raise BadInput("no page of these sets is an article with a gold text")
    return pages, _Blocks(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


# Fitting


def _fit(blocks: _Blocks, cost: float, gamma: float, options: TrainingOptions) -> SvmModel:
    """Fit a model to a balanced sample of the blocks."""
    sample = blocks.chosen(_balanced(blocks, options))
    centre = sample.values.mean(axis=0, dtype=np.float64)
    scale = np.maximum(sample.values.std(axis=0, dtype=np.float64), 1e-6)
    scaled = (sample.values - centre) / scale
    width = gamma / scaled.shape[1]
    with threadpool_limits(1):
        count = min(options.most_vectors, len(scaled))
        basis = Nystroem(gamma=width, n_components=count, random_state=options.seed).fit(scaled)
        machine = LinearSVC(C=cost, dual=False, random_state=options.seed).fit(basis.transform(scaled), sample.text)
    return SvmModel(
        features=options.features,
        centre=centre.astype(np.float32),
        scale=scale.astype(np.float32),
        vectors=basis.components_.astype(np.float32),
        coefficients=(basis.normalization_.T @ machine.coef_[0]).astype(np.float32),
        gamma=width,
        offset=float(machine.intercept_[0]),
    )


def _balanced(blocks: _Blocks, options: TrainingOptions) -> NDArray[np.intp]:
    """Return a sample with as many blocks of text as of noise, in which pages with many blocks have less weight."""
    random = np.random.default_rng(options.seed)
    sizes = np.bincount(blocks.page)
    weights = 1 / np.sqrt(sizes[blocks.page])
    kinds = [np.flatnonzero(blocks.text), np.flatnonzero(~blocks.text)]
    count = min(options.most_blocks // 2, *map(len, kinds))
    drawn = [random.choice(kind, count, replace=False, p=weights[kind] / weights[kind].sum()) for kind in kinds]
    return np.sort(np.concatenate(drawn))


Pair = tuple[float, float]  # cost and gamma


def _judged(
    blocks: _Blocks, fold: NDArray[Any], pairs: Sequence[Pair], options: TrainingOptions
) -> Iterator[tuple[Pair, int, Floats]]:
    """Yield for each pair of parameters and each fold the margins of its blocks by a model of the other folds."""
    tasks = [(pair, number) for pair in pairs for number in range(options.folds)]
    judge = delayed(_judge)
    margins = Parallel(n_jobs=-1, return_as="generator")(
        judge(blocks.chosen(fold != number), blocks.values[fold == number], *pair, options) for pair, number in tasks
    )
    for (pair, number), found in zip(tasks, margins, strict=True):
        yield pair, number, found


def _judge(others: _Blocks, own: Floats, cost: float, gamma: float, options: TrainingOptions) -> Floats:
    with threadpool_limits(1):
        return _fit(others, cost, gamma, options).margins(own)


def _search(
    blocks: _Blocks, fold: NDArray[Any], options: TrainingOptions, progress: Progress
) -> tuple[list[Tried], Pair]:
    """Return every pair of parameters with its F1 over the folds, and the best pair."""
    part = _thinned(blocks, options)
    blocks, fold = blocks.chosen(part), fold[part]
    pairs = [(cost, gamma) for cost in COSTS for gamma in GAMMAS]
    total = len(pairs) * options.folds
    margins: dict[Pair, Floats] = {pair: np.empty(len(blocks.text), dtype=np.float32) for pair in pairs}
    for done, (pair, number, found) in enumerate(_judged(blocks, fold, pairs, options)):
        margins[pair][fold == number] = found
        progress("parameters", done + 1, total)
    tried = []
    for (cost, gamma), found in margins.items():
        called = found - np.float32(_best_threshold(found, blocks.text))
        of_folds = [_confusion(called[fold == k], blocks.text[fold == k]).f1 for k in range(options.folds)]
        tried.append(Tried(cost, gamma, _confusion(called, blocks.text).f1, float(np.std(of_folds))))
    best = max(tried, key=lambda pair: pair.f1)
    return tried, (best.cost, best.gamma)


def _thinned(blocks: _Blocks, options: TrainingOptions) -> NDArray[np.intp]:
    """Return the blocks of a sample of the pages, large enough for choosing parameters."""
    pages = int(blocks.page.max()) + 1
    step = max(1, round(len(blocks.text) / (4 * options.most_blocks)))
    return np.flatnonzero(np.isin(blocks.page, np.arange(0, pages, step)))


def _best_threshold(margins: Floats, text: Bools) -> float:
    """Return the margin with the highest F-beta."""
    order = np.argsort(-margins, kind="stable")
    hits = np.cumsum(text[order])
    score = hits / (np.arange(1, len(order) + 1) + BETA**2 * text.sum())
    best = int(score.argmax())
    beyond = margins[order[min(best + 1, len(order) - 1)]]
    return float(margins[order[best]] + beyond) / 2


# Figures


def _confusion(margins: Floats, text: Bools) -> Confusion:
    called = margins > 0
    cells = (called & text, called & ~text, ~called & text, ~called & ~text)
    return Confusion(*(int(np.count_nonzero(cell)) for cell in cells))


def _fold_figures(
    margins: Floats, blocks: _Blocks, fold: NDArray[Any], pages: _Pages, fold_of_page: NDArray[Any]
) -> Iterator[Fold]:
    for number in sorted(set(fold_of_page.tolist())):
        own = fold == number
        found = _confusion(margins[own], blocks.text[own])
        sites = len({(site, None if site else k) for k, site in enumerate(pages.sites) if fold_of_page[k] == number})
        yield Fold(number + 1, sites, int(own.sum()), found.precision, found.recall, found.f1)


def _set_figures(sets: Sequence[LabelledSet], pages: _Pages, blocks: _Blocks) -> tuple[SetFigures, ...]:
    figures = []
    for name in (labelled_set.name for labelled_set in sets):
        own = [k for k, of_set in enumerate(pages.sets) if of_set == name]
        in_set = np.isin(blocks.page, own)
        sites = {pages.sites[k] or k for k in own}
        text = int(np.count_nonzero(blocks.text[in_set]))
        figures.append(SetFigures(name, len(own), len(sites), int(in_set.sum()), text))
    return tuple(figures)
