# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Forests of decision trees: what they say of rows of features, and what moved them.

A node with a feature below 0 is a leaf; the others send a row whose feature is at most the threshold to their child,
the rest to the one after it. Children stand after their parents, or this would not end.
"""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel.common import as_column


def add_scores(
    values: Any, feature: Any, threshold: Any, child: Any, score: Any, roots: Any, kind: Any, scores: Any
) -> None:
    """Add every tree's score of every row to `scores`, in the column of the kind that the tree speaks for."""
    of_row: cython.const[cython.float][:, ::1] = as_column(values)
    features: cython.const[cython.short][::1] = as_column(feature)
    thresholds: cython.const[cython.float][::1] = as_column(threshold)
    children: cython.const[cython.int][::1] = as_column(child)
    leaves: cython.const[cython.float][::1] = as_column(score)
    starts: cython.const[cython.int][::1] = as_column(roots)
    kinds: cython.const[cython.int][::1] = as_column(kind)
    sums: cython.double[:, ::1] = scores
    rows: cython.Py_ssize_t = len(scores)
    step: cython.Py_ssize_t = 128  # rows at a time, tree by tree, so that they and the tree's nodes stay in the cache
    first: cython.Py_ssize_t = 0
    tree: cython.Py_ssize_t
    row: cython.Py_ssize_t
    node: cython.int
    with cython.nogil:
        while first < rows:
            for tree in range(len(starts)):
                for row in range(first, min(first + step, rows)):
                    node = starts[tree]
                    while features[node] >= 0:
                        if of_row[row][features[node]] <= thresholds[node]:
                            node = children[node]
                        else:
                            node = children[node] + 1
                    sums[row, kinds[tree]] += leaves[node]
            first += step


def add_moves(values: Any, feature: Any, threshold: Any, child: Any, score: Any, roots: Any, moves: Any) -> None:
    """Add to `moves` how much each feature of a row changed its score, on its ways through all trees."""
    of_row: cython.const[cython.float][::1] = as_column(values)
    features: cython.const[cython.short][::1] = as_column(feature)
    thresholds: cython.const[cython.float][::1] = as_column(threshold)
    children: cython.const[cython.int][::1] = as_column(child)
    nodes: cython.const[cython.float][::1] = as_column(score)
    starts: cython.const[cython.int][::1] = as_column(roots)
    moved: cython.double[::1] = moves
    tree: cython.Py_ssize_t
    node: cython.int
    below: cython.int
    for tree in range(len(starts)):
        node = starts[tree]
        while features[node] >= 0:
            below = children[node] if of_row[features[node]] <= thresholds[node] else children[node] + 1
            moved[features[node]] += nodes[below] - nodes[node]
            node = below
