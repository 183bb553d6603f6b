"""Grow forests with scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

from pagesieve.page.forest import Forest


def grow(
    values: NDArray[np.float32],
    labels: NDArray[np.intp],
    weights: NDArray[np.float64],
    names: Sequence[str],
    **options: Any,
) -> Forest:
    """Return a forest for labels 0, 1, … with a column of scores for each label, or one (for 1) if there are two."""
    # One thread sums each histogram, so that the forest does not depend on the number of threads.
    machine = HistGradientBoostingClassifier(early_stopping=False, random_state=0, **options)
    machine.fit(values, labels, sample_weight=weights)
    nodes = list[tuple[int, float, int, float]]()
    roots, kinds = [], []
    for of_round in machine._predictors:
        for number, tree in enumerate(of_round):
            roots.append(len(nodes))
            kinds.append(number)
            nodes += _nodes(tree.nodes, len(nodes), machine.learning_rate)
    features, thresholds, children, scores = zip(*nodes, strict=True)
    exact = np.array(thresholds, dtype=np.float64)
    rounded = exact.astype(np.float32)
    return Forest(
        names=tuple(names),
        feature=np.array(features, dtype=np.int16),
        # Round down to single precision: a threshold must not reach the next value.
        threshold=np.where(rounded > exact, np.nextafter(rounded, np.float32(-np.inf)), rounded).astype(np.float32),
        child=np.array(children, dtype=np.int32),
        score=np.array(scores, dtype=np.float32),
        roots=np.array(roots, dtype=np.int32),
        kind=np.array(kinds, dtype=np.int32),
        baseline=np.asarray(machine._baseline_prediction, dtype=np.float64).ravel(),
    )


def _nodes(nodes: Any, offset: int, rate: float) -> list[tuple[int, float, int, float]]:
    """Return a tree's nodes, level by level, so that the two children of a node are neighbours.

    Every node has the score that its rows would get if it were a leaf; scikit-learn has scaled only those of leaves.
    """
    found = []
    order = [0]
    for number in order:  # grows during the iteration
        node = nodes[number]
        if node["is_leaf"]:
            found.append((-1, 0.0, 0, float(node["value"])))
        else:
            scaled = rate * float(node["value"])
            found.append((int(node["feature_idx"]), float(node["num_threshold"]), offset + len(order), scaled))
            order += [int(node["left"]), int(node["right"])]
    return found
