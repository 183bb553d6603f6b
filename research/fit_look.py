"""Fits what the look of a group adds to the score of its tree: python research/fit_look.py estuka_half.tar.xz

Each page is a choice among the groups that recur on it, of which those that segment it best are right; the weights are
those of a conditional logit model. The look is fitted on top of scores of the tree whose weights were fitted without
the page's site, in ten folds, because on pages that the weights of the tree have seen there is little left to add.
Prints the F1 of both by cross-validation between sites, for several ways to make folds, and the weights, brought to the
scale of the shipped ones of the tree. `--every N` takes one page in N. Needs scipy and a browser.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from pagesieve.evaluate.archives import Gold, find_sets, read_pages, take_sample
from pagesieve.evaluate.records import match, words_of
from pagesieve.evaluate.report import site_key
from pagesieve.page.rendered import RenderedPage
from pagesieve.records import visual
from pagesieve.records.candidates import find_candidates
from pagesieve.records.candidates import scores as tree_scores
from pagesieve.records.find import RecordOptions, show
from pagesieve.records.regions import RegionOptions, Regions
from pagesieve.records.results import Records
from pagesieve.records.visual import is_visible

Floats = NDArray[np.float64]

MAX_GROUPS = 40  # groups of a page, the best by their tree
ALIKE = 0.02  # in F1: groups that segment a page as well as the best
FOLDS = 10
SPLITS = 4  # ways to make folds
TREE_PENALTY, LOOK_PENALTY = 3.0, 3.0
EACH = RegionOptions(max_regions=1, max_behind=0.0)


class Choice(NamedTuple):
    """The groups of a page: their features, their shipped scores, and the F1 of each."""

    site: str
    tree: Floats
    look: Floats
    shipped: Floats
    f1: Floats


def choice(gold: Gold, page: RenderedPage) -> Choice | None:
    candidates = find_candidates(page)
    if not len(candidates):
        return None
    shipped = tree_scores(candidates)
    best = np.argsort(-shipped)[:MAX_GROUPS]
    look = visual.measured(candidates, page, is_visible(page))
    answers = [words_of(record.text) for record in gold.records]
    f1 = []
    for group in best.tolist():
        alone = np.full(len(candidates), -np.inf)
        alone[group] = 0.0
        texts = [record.text for record in Records(page, Regions(candidates, alone, EACH), "visual").records]
        pairs = match(answers, list(map(words_of, texts)))
        f1.append(2 * len(pairs) / (len(answers) + len(texts)))
    columns = np.array([look[name] for name in visual.WEIGHTS]).T
    return Choice(site_key(gold), candidates.values[best], columns[best], shipped[best], np.array(f1))


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


def folds_of(choices: Sequence[Choice], split: int) -> list[int]:
    sites = sorted({each.site for each in choices})
    np.random.default_rng(split).shuffle(sites)
    return [sites.index(each.site) % FOLDS for each in choices]


def unseen(choices: Sequence[Choice], folds: Sequence[int], base: Sequence[Floats] | None) -> list[Floats]:
    """Return the scores of each page's groups by weights fitted on other sites: of the tree, or of the look on top."""
    name, penalty = ("tree", TREE_PENALTY) if base is None else ("look", LOOK_PENALTY)
    under = [np.zeros(len(each.f1)) for each in choices] if base is None else base
    weights = []
    for fold in range(FOLDS):
        used = [k for k, number in enumerate(folds) if number != fold]
        features, f1 = [getattr(choices[k], name) for k in used], [choices[k].f1 for k in used]
        weights.append(fitted(features, [under[k] for k in used], f1, penalty))
    return [b + getattr(c, name) @ weights[f] for c, b, f in zip(choices, under, folds, strict=True)]


def mean_f1(choices: Sequence[Choice], points: Sequence[Floats]) -> float:
    return fmean(float(each.f1[p.argmax()]) for each, p in zip(choices, points, strict=True))


def read(sets: Sequence[Path], every: int) -> Iterator[Choice]:
    for labelled in find_sets(sets):
        for gold, html in list(read_pages(take_sample(labelled)))[::every]:
            found = choice(gold, show(html, None, RecordOptions("visual")).page())
            if found is not None:
                yield found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("sets", nargs="+", type=Path)
    arguments.add_argument("--every", type=int, default=1)
    given = arguments.parse_args()
    choices = list(read(given.sets, given.every))
    all_weights = []
    for split in range(SPLITS):
        folds = folds_of(choices, split)
        tree = unseen(choices, folds, None)
        both = unseen(choices, folds, tree)
        print(f"split {split}: tree {mean_f1(choices, tree):.4f}, with look {mean_f1(choices, both):.4f}")
        scale = median(each.shipped.std() / max(p.std(), 1e-9) for each, p in zip(choices, tree, strict=True))
        weights = fitted([each.look for each in choices], tree, [each.f1 for each in choices], LOOK_PENALTY)
        all_weights.append(scale * weights)
    for name, weight in zip(visual.WEIGHTS, np.mean(all_weights, axis=0), strict=True):
        print(f'    "{name}": {weight:.2f},')


if __name__ == "__main__":
    main()
