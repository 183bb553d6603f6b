"""Fit what the look of a group adds to its score: python -m research.fit_look DATA/records -s estuka_half vints1

Each page is a choice among the groups that recur on it, of which those that segment it best are right; the weights are
those of a conditional logit model. The look is fitted on top of scores of forests (`research.fit_records`) that have
not seen the page's site, because on pages that a forest has seen there is little left to add. Prints the F1 of both by
cross-validation between sites, and the weights. `--every N` renders one page in N. Needs scipy, scikit-learn and a
browser.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from multiprocessing import Pool
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from pagesieve.errors import NothingFound
from pagesieve.evaluate.archives import Gold, LabelledSet, find_sets, read_pages, take_sample
from pagesieve.evaluate.records import match, words_of
from pagesieve.evaluate.report import site_key
from pagesieve.page.rendered import RenderedPage
from pagesieve.records import visual
from pagesieve.records.find import RecordOptions, show
from pagesieve.records.regions import RegionOptions, Regions, find_candidates
from pagesieve.records.regions import scores as tree_scores
from pagesieve.records.results import Records
from pagesieve.records.visual import is_visible
from research import fit_records

Floats = NDArray[np.float64]

MAX_GROUPS = 40  # of a page, the best by their tree
ALIKE = 0.02  # in F1: groups that segment a page as well as the best
FOLDS = 5
LOOK_PENALTY = 3.0
EACH = RegionOptions(max_regions=1, max_behind=0.0)


class Choice(NamedTuple):
    """Some groups of a page: their features, by the tree and by their look, and the F1 of each."""

    site: str
    tree: Floats
    look: Floats
    f1: Floats


def choice(gold: Gold, page: RenderedPage) -> Choice | None:
    candidates = find_candidates(page)
    if not len(candidates):
        return None
    best = np.argsort(-tree_scores(candidates))[:MAX_GROUPS]
    look = visual.measured(candidates, page, is_visible(page))
    answers = [words_of(record.text) for record in gold.records]
    f1 = []
    for group in best.tolist():
        alone = np.full(len(candidates), -np.inf)
        alone[group] = 0.0
        try:
            texts = [record.text for record in Records(page, Regions(candidates, alone, EACH), "visual").records]
        except NothingFound:
            texts = []
        pairs = match(answers, list(map(words_of, texts)))
        f1.append(2 * len(pairs) / (len(answers) + len(texts)))
    columns = np.array([look[name] for name in visual.WEIGHTS]).T
    return Choice(site_key(gold), candidates.values[best], columns[best], np.array(f1))


def fitted(features: Sequence[Floats], base: Sequence[Floats], f1: Sequence[Floats], penalty: float) -> Floats:
    """Return the weights under which the right groups of each page are most likely."""
    rights = [(each >= each.max() - ALIKE) & (each > 0) for each in f1]
    used = [(x, b, r) for x, b, r in zip(features, base, rights, strict=True) if r.any() and not r.all()]
    scale = np.concatenate(features).std(axis=0) + 1e-9

    def loss(weights: Floats) -> tuple[float, Floats]:
        total, slope = penalty * float(((weights * scale) ** 2).sum()), 2 * penalty * weights * scale**2
        for x, b, right in used:
            points = b + x @ weights
            likely = np.exp(points - points.max())
            total -= float(np.log(likely[right].sum() / likely.sum()))
            slope = slope + x.T @ (likely / likely.sum() - likely * right / likely[right].sum())
        return total, slope

    found: Floats = minimize(loss, np.zeros(len(scale)), jac=True, method="L-BFGS-B").x
    return found


def unseen_trees(choices: Sequence[Choice], taught: Sequence[fit_records.Choice]) -> tuple[list[Floats], list[int]]:
    """Return the scores of each page's groups by forests that have not seen its site, and the fold of each page."""
    sites = sorted({each.site for each in choices})
    np.random.default_rng(0).shuffle(sites)
    fold = {site: number % FOLDS for number, site in enumerate(sites)}
    forests = [
        fit_records.trained([each for each in taught if fold.get(each.site) != number], 0) for number in range(FOLDS)
    ]
    folds = [fold[each.site] for each in choices]
    scores = [
        forests[number].scores(each.tree.astype(np.float32))[:, 0] for each, number in zip(choices, folds, strict=True)
    ]
    return scores, folds


def unseen_looks(choices: Sequence[Choice], folds: Sequence[int], base: Sequence[Floats]) -> list[Floats]:
    """Return the scores of each page's groups with what weights fitted on other sites add for their look."""
    weights = []
    for fold in range(FOLDS):
        used = [k for k, number in enumerate(folds) if number != fold]
        looks, f1 = [choices[k].look for k in used], [choices[k].f1 for k in used]
        weights.append(fitted(looks, [base[k] for k in used], f1, LOOK_PENALTY))
    return [b + c.look @ weights[f] for c, b, f in zip(choices, base, folds, strict=True)]


def mean_f1(choices: Sequence[Choice], points: Sequence[Floats]) -> float:
    return fmean(float(each.f1[p.argmax()]) for each, p in zip(choices, points, strict=True))


def read(sets: Sequence[LabelledSet], every: int) -> Iterator[Choice]:
    for labelled in sets:
        for gold, html in list(read_pages(take_sample(labelled)))[::every]:
            found = choice(gold, show(html, None, RecordOptions("visual")).page())
            if found is not None:
                yield found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("sets", nargs="+", type=Path, help="the sets that forests are trained on")
    arguments.add_argument("-s", "--shown", nargs="+", default=["estuka_half"], help="those of them to render")
    arguments.add_argument("--every", type=int, default=1)
    options = arguments.parse_args()
    sets = find_sets(options.sets)
    choices = list(read([each for each in sets if each.name in options.shown], options.every))
    with Pool() as pool:
        taught = [each for each in pool.imap(fit_records.choice, fit_records.read(sets)) if each is not None]
    tree, folds = unseen_trees(choices, taught)
    both = unseen_looks(choices, folds, tree)
    print(f"tree {mean_f1(choices, tree):.4f}, with look {mean_f1(choices, both):.4f}")
    weights = fitted([each.look for each in choices], tree, [each.f1 for each in choices], LOOK_PENALTY)
    for name, weight in zip(visual.WEIGHTS, weights, strict=True):
        print(f'    "{name}": {weight:.2f},')


if __name__ == "__main__":
    main()
