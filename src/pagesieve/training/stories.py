"""Train the forest over headings, which finds those that begin another article.

It is trained on likelihoods from a model of other sites, as in its later use. Pages that are not a single article have
no such headings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagesieve.kinds.kind import kind
from pagesieve.methods.blocks import sigmoid
from pagesieve.methods.features import LineFeatures
from pagesieve.methods.stories import STORY_FEATURES, first_apart, story_headings
from pagesieve.page.forest import ARRAYS, Forest
from pagesieve.page.lines import as_mask
from pagesieve.page.table import Bools
from pagesieve.training.forests import grow

# A section belongs to another article if hardly any of its words are in the gold, and those of the
# last lines before it are.
FOREST = {
    "max_iter": 80,
    "learning_rate": 0.08,
    "max_leaf_nodes": 10,
    "min_samples_leaf": 12,
    "l2_regularization": 3.0,
    "max_features": 0.4,
}
HARDLY, MOSTLY = 0.2, 0.6
LINES_BEFORE = 6
MAX_WORDS = 300  # of a section; longer ones do not count more

Floats = NDArray[np.float64]


class Headings(NamedTuple):
    """The headings of a page that may begin another article, with their features and labels.

    `labels` is 1 if the section below is hardly in the gold although the text before is, 0 if it is mostly in the gold,
    and -1 if neither is clear. `words` is the number of words of the section that are likely content.
    """

    described: LineFeatures
    lines: NDArray[np.int32]
    values: NDArray[np.float32]
    labels: NDArray[np.intp]
    words: Floats


def label_headings(
    described: LineFeatures, likelihood: Floats, threshold: float, words: Floats, hits: Floats
) -> Headings:
    """Label the headings of a page, from the likelihoods of its lines and the number of gold words of each line."""
    likely = likelihood >= threshold
    lines, values = story_headings(described, likelihood, threshold)
    if kind(described.blocks.page) != "article":
        lines, values = lines[:0], values[:0]
    labels, sizes = np.full(len(lines), -1, dtype=np.intp), np.zeros(len(lines))
    for k, line in enumerate(lines.tolist()):
        stop = int(lines[k + 1]) if k + 1 < len(lines) else len(likely)
        below, before = np.flatnonzero(likely[line:stop]) + line, np.flatnonzero(likely[:line])[-LINES_BEFORE:]
        share, own = (hits[which].sum() / max(words[which].sum(), 1) for which in (below, before))
        sizes[k] = words[below].sum()
        if share > MOSTLY or (share < HARDLY and own > MOSTLY):
            labels[k] = share < HARDLY
    return Headings(described, lines, values, labels, sizes)


def grow_stories(headings: Sequence[Headings]) -> Forest:
    """Grow the forest, or return a forest that finds no headings if there is no training data."""
    values = np.concatenate([each.values for each in headings])
    labels = np.concatenate([each.labels for each in headings])
    words = np.minimum(np.concatenate([each.words for each in headings]), MAX_WORDS)
    weights = words * np.where(labels == 1, 2.0, 1.0) / 100
    known = (labels >= 0) & (weights > 0)
    if len(set(labels[known].tolist())) < 2:
        return no_stories()
    return grow(values[known], labels[known], weights[known], STORY_FEATURES, **FOREST)


def no_stories() -> Forest:
    """Return a forest of one leaf, for which no heading begins another article."""
    leaf = {name: np.zeros(1, dtype=spec.dtype) for name, spec in ARRAYS.items()}
    leaf |= {"feature": np.full(1, -1, dtype=np.int16), "baseline": np.full(1, -20.0)}
    return Forest(STORY_FEATURES, **leaf)  # type: ignore[arg-type]


def stories_apart(headings: Sequence[Headings], fold: Sequence[int]) -> list[Bools | None]:
    """Return for each page the lines of another article, by a forest that has not seen the fold of the page."""
    numbers = np.array(fold)
    found: list[Bools | None] = [None] * len(headings)
    for number in sorted(set(fold)):
        forest = grow_stories([headings[k] for k in np.flatnonzero(numbers != number).tolist()])
        for k in np.flatnonzero(numbers == number).tolist():
            each = headings[k]
            likelihood = sigmoid(forest.scores(each.values)[:, 0])
            apart = first_apart(each.described, each.lines.tolist(), likelihood.tolist())
            found[k] = None if apart is None else as_mask(apart)
    return found
