"""Growing forests with scikit-learn's gradient boosting, and turning them into arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

from pagesieve.articles.forest import Forest


def grow(
    values: NDArray[np.float32],
    labels: NDArray[np.intp],
    weights: NDArray[np.float64],
    names: Sequence[str],
    **options: Any,
) -> Forest:
    """A forest for labels 0, 1, …: one column of scores a label, or one alone (for 1) where there are two."""
    # Each histogram is summed by one thread, so that the same forest comes of any number of them.
    machine = HistGradientBoostingClassifier(early_stopping=False, random_state=0, **options)
    machine.fit(values, labels, sample_weight=weights)
    return _as_arrays(machine, tuple(names))


def _as_arrays(machine: Any, names: tuple[str, ...]) -> Forest:
    features, thresholds, children, scores = list[int](), list[float](), list[int](), list[float]()
    roots, kinds = [], []
    for of_round in machine._predictors:
        for kind, tree in enumerate(of_round):
            roots.append(len(features))
            kinds.append(kind)
            for feature, threshold, child, score in _nodes(tree.nodes, len(features)):
                features.append(feature)
                thresholds.append(threshold)
                children.append(child)
                scores.append(score)
    return Forest(
        names=names,
        feature=np.array(features, dtype=np.int16),
        threshold=_not_above(np.array(thresholds, dtype=np.float64)),
        child=np.array(children, dtype=np.int32),
        score=np.array(scores, dtype=np.float32),
        roots=np.array(roots, dtype=np.int32),
        kind=np.array(kinds, dtype=np.int32),
        baseline=np.asarray(machine._baseline_prediction, dtype=np.float64).ravel(),
    )


def _nodes(nodes: Any, offset: int) -> list[tuple[int, float, int, float]]:
    """A tree's nodes, level by level, so that the two children of a node stand side by side."""
    found = []
    order = [0]
    for number in order:  # grows while it is gone through
        node = nodes[number]
        if node["is_leaf"]:
            found.append((-1, 0.0, 0, float(node["value"])))
        else:
            found.append((int(node["feature_idx"]), float(node["num_threshold"]), offset + len(order), 0.0))
            order += [int(node["left"]), int(node["right"])]
    return found


def _not_above(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """The closest single-precision numbers that are not above: a threshold must not reach the next value."""
    rounded = values.astype(np.float32)
    return np.where(rounded > values, np.nextafter(rounded, np.float32(-np.inf)), rounded).astype(np.float32)
