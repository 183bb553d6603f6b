# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Forests of decision trees: what they say of rows of features, and what moved them.

A node with a feature below 0 is a leaf; the others send a row whose feature is at most the threshold to their child,
the rest to the one after it. Children stand after their parents, or this would not end.
"""

from __future__ import annotations

from array import array
from typing import Any

import cython

if cython.compiled:
    from cython.cimports.libc.math import exp
else:
    from math import exp

from cython.cimports.pagesieve.page.kernel.common import as_column, zeros
from cython.cimports.pagesieve.page.kernel.constants import MOST_LEAVES


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def slot(leaves: cython.uint) -> cython.uint:
    """Return a number from 0 to 31 for the lowest bit that is set, another for each."""
    # The 32 five-bit windows of this number are all different (a de Bruijn sequence).
    lowest: cython.ulonglong = leaves & (~leaves + 1)
    return ((lowest * 0x077CB531) >> 27) & 31


def gates(trees: Any, roots: Any, stop: cython.int) -> tuple[array[Any], ...]:
    """Return some trees, which end before the node `stop`, as gates: each shuts out some leaves of its tree.

    `trees` are the columns feature, threshold, child and score. The leaves of a tree are numbered from left to right. A
    row passes the gate of a choice to the left; where it does not, it shuts out the leaves on the left. Of those that
    no gate has shut out, the first is the row's. So rows go through all gates in step, whichever way they take, which
    is what a processor does best.

    The columns are the features in use; of the gates, the place of their feature among them, the threshold, and the
    leaves that remain; where the gates of each tree begin; and the scores of its leaves, by their slots.
    """
    features: cython.const[cython.short][::1] = as_column(trees[0])
    thresholds: cython.const[cython.float][::1] = as_column(trees[1])
    children: cython.const[cython.int][::1] = as_column(trees[2])
    scores: cython.const[cython.float][::1] = as_column(trees[3])
    nodes: cython.Py_ssize_t = len(trees[0])
    below: cython.int[::1] = zeros("i", nodes)  # how many leaves a node has,
    first: cython.int[::1] = zeros("i", nodes)  # and the first of them
    used: array[int] = array("i", sorted({feature for feature in trees[0][roots[0] : stop].tolist() if feature >= 0}))
    place: dict[int, int] = {feature: number for number, feature in enumerate(used)}
    column: array[int] = array("i")
    limit: array[float] = array("f")
    remaining: array[int] = array("I")
    gate_at: array[int] = array("i")
    leaf: array[float] = array("f", [0.0]) * (MOST_LEAVES * len(roots))
    one: cython.ulonglong = 1
    node: cython.Py_ssize_t
    end: cython.Py_ssize_t
    for tree in range(len(roots)):
        end = roots[tree + 1] if tree + 1 < len(roots) else stop
        for node in range(end - 1, roots[tree] - 1, -1):
            below[node] = 1 if features[node] < 0 else below[children[node]] + below[children[node] + 1]
        gate_at.append(len(column))
        for node in range(roots[tree], end):
            if features[node] < 0:
                leaf[MOST_LEAVES * tree + slot(one << first[node])] = scores[node]
                continue
            first[children[node]] = first[node]
            first[children[node] + 1] = first[node] + below[children[node]]
            column.append(place[features[node]])
            limit.append(thresholds[node])
            remaining.append(0xFFFFFFFF ^ (((one << below[children[node]]) - 1) << first[node]))
    gate_at.append(len(column))
    return used, column, limit, remaining, gate_at, leaf


def add_scores(values: Any, chosen: Any, gated: Any, kind: Any, scores: Any) -> None:
    """Add every tree's score of the rows that are chosen to `scores`, in the column of the kind that it speaks for.

    `gated` is what `gates` gives.
    """
    of_row: cython.const[cython.float][:, ::1] = as_column(values)
    rows: cython.const[cython.int][::1] = as_column(chosen)
    used: cython.const[cython.int][::1] = gated[0]
    columns: cython.const[cython.int][::1] = gated[1]
    limits: cython.const[cython.float][::1] = gated[2]
    remaining: cython.const[cython.uint][::1] = gated[3]
    gate_at: cython.const[cython.int][::1] = gated[4]
    leaves: cython.const[cython.float][::1] = gated[5]
    kinds: cython.const[cython.int][::1] = as_column(kind)
    sums: cython.double[:, ::1] = scores
    count: cython.Py_ssize_t = len(chosen)
    step: cython.Py_ssize_t = 64  # rows at a time, so that they stay in the cache
    by_feature: cython.float[::1] = zeros("f", len(gated[0]) * step)
    left: cython.uint[::1] = zeros("I", step)
    begin: cython.Py_ssize_t = 0
    tree: cython.Py_ssize_t
    gate: cython.Py_ssize_t
    size: cython.Py_ssize_t
    at: cython.Py_ssize_t
    k: cython.Py_ssize_t
    limit: cython.float
    mask: cython.uint
    everything: cython.uint = 0xFFFFFFFF
    with cython.nogil:
        while begin < count:
            size = min(step, count - begin)
            for k in range(size):
                for at in range(len(used)):
                    by_feature[at * step + k] = of_row[rows[begin + k]][used[at]]
            for tree in range(len(kinds)):
                for k in range(size):
                    left[k] = everything
                for gate in range(gate_at[tree], gate_at[tree + 1]):
                    at, limit, mask = columns[gate] * step, limits[gate], remaining[gate]
                    for k in range(size):
                        left[k] &= mask if by_feature[at + k] > limit else everything
                for k in range(size):
                    sums[rows[begin + k], kinds[tree]] += leaves[MOST_LEAVES * tree + slot(left[k])]
            begin += step


def likely(scores: Any, least: cython.double) -> array[int]:
    """Return the rows whose first score is `least` or more."""
    of_row: cython.const[cython.double][:, ::1] = as_column(scores)
    found: array[int] = zeros("i", len(scores))
    places: cython.int[::1] = found
    count: cython.Py_ssize_t = 0
    row: cython.int
    for row in range(len(scores)):
        if of_row[row][0] >= least:
            places[count] = row
            count += 1
    return found[:count]


def set_likelihoods(scores: Any, chosen: Any, likelihoods: Any) -> None:
    """Write the likelihood, from 0 to 1, that the first score of each chosen row stands for."""
    of_row: cython.const[cython.double][:, ::1] = as_column(scores)
    rows: cython.const[cython.int][::1] = chosen
    found: cython.double[::1] = likelihoods
    k: cython.Py_ssize_t
    for k in range(len(chosen)):
        found[rows[k]] = 1 / (1 + exp(min(-of_row[rows[k]][0], 40.0)))


def add_moves(values: Any, trees: Any, groups: Any, moves: Any) -> None:
    """Add to `moves` how much each group of features changed the score of each row, on its ways through all trees.

    `trees` are the columns feature, threshold, child, score and the roots; `groups` has the group of each feature.
    """
    rows: cython.const[cython.float][:, ::1] = as_column(values)
    features: cython.const[cython.short][::1] = as_column(trees[0])
    thresholds: cython.const[cython.float][::1] = as_column(trees[1])
    children: cython.const[cython.int][::1] = as_column(trees[2])
    nodes: cython.const[cython.float][::1] = as_column(trees[3])
    starts: cython.const[cython.int][::1] = as_column(trees[4])
    group_of: cython.const[cython.int][::1] = as_column(groups)
    moved: cython.double[:, ::1] = moves
    row: cython.Py_ssize_t
    tree: cython.Py_ssize_t
    node: cython.int
    below: cython.int
    for row in range(len(values)):
        for tree in range(len(starts)):
            node = starts[tree]
            while features[node] >= 0:
                below = children[node] + (0 if rows[row][features[node]] <= thresholds[node] else 1)
                moved[row][group_of[features[node]]] += nodes[below] - nodes[node]
                node = below
