# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Forests of decision trees: what they say of rows of features, and what moved them.

A node with a feature below 0 is a leaf; the others send a row whose feature is at most the threshold to their child,
the rest to the one after it. Children stand after their parents, or this would not end.
"""

from __future__ import annotations

from array import array
from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel.common import as_column, zeros


def depths(feature: Any, child: Any, roots: Any) -> array[int]:
    """Return how many choices the longest way through each tree has."""
    features: cython.const[cython.short][::1] = as_column(feature)
    children: cython.const[cython.int][::1] = as_column(child)
    levels: cython.int[::1] = zeros("i", len(features))
    found: array[int] = array("i")
    for tree in range(len(roots)):
        deepest: cython.int = 0
        stop: cython.int = roots[tree + 1] if tree + 1 < len(roots) else len(features)
        for node in range(roots[tree], stop):
            deepest = max(deepest, levels[node])
            if features[node] >= 0:
                levels[children[node]] = levels[children[node] + 1] = levels[node] + 1
        found.append(deepest)
    return found


def add_scores(values: Any, chosen: Any, trees: Any, roots: Any, kind: Any, deepest: Any, scores: Any) -> None:
    """Add every tree's score of the rows that are chosen to `scores`, in the column of the kind that it speaks for.

    `trees` are the columns feature, threshold, child and score; a leaf is a choice between itself and nothing, so that
    the rows go through a tree in step, without a jump that the processor could only guess.
    """
    of_row: cython.const[cython.float][:, ::1] = as_column(values)
    rows: cython.const[cython.int][::1] = as_column(chosen)
    features: cython.const[cython.short][::1] = as_column(trees[0])
    thresholds: cython.const[cython.float][::1] = as_column(trees[1])
    children: cython.const[cython.int][::1] = as_column(trees[2])
    leaves: cython.const[cython.float][::1] = as_column(trees[3])
    starts: cython.const[cython.int][::1] = as_column(roots)
    kinds: cython.const[cython.int][::1] = as_column(kind)
    levels: cython.const[cython.int][::1] = as_column(deepest)
    sums: cython.double[:, ::1] = scores
    count: cython.Py_ssize_t = len(chosen)
    step: cython.Py_ssize_t = 128  # rows at a time, tree by tree, so that they and the tree's nodes stay in the cache
    at: cython.int[::1] = zeros("i", step)
    first: cython.Py_ssize_t = 0
    tree: cython.Py_ssize_t
    size: cython.Py_ssize_t
    k: cython.Py_ssize_t
    node: cython.int
    with cython.nogil:
        while first < count:
            size = min(step, count - first)
            for tree in range(len(starts)):
                for k in range(size):
                    at[k] = starts[tree]
                for _ in range(levels[tree]):
                    for k in range(size):
                        node = at[k]
                        at[k] = children[node] + (of_row[rows[first + k]][features[node]] > thresholds[node])
                for k in range(size):
                    sums[rows[first + k], kinds[tree]] += leaves[at[k]]
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
