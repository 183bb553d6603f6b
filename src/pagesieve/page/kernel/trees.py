# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""A forest of decision trees: the sum of what its trees say of each row of features."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import cython_shim as cython

ROWS = cython.declare(cython.int, 128)  # at a time


def add_scores(
    values_: Any, feature_: Any, threshold_: Any, child_: Any, score_: Any, roots_: Any, kind_: Any, scores_: Any
) -> None:
    """Adds every tree's score of every row to `scores_`, in the column of the kind that the tree speaks for.

    A node with a feature below 0 is a leaf and has a score; the others send a row whose feature is at most the
    threshold to their child, the rest to the one after it. Children stand after their parents, or this would not end.
    """
    values: cython.const[cython.float][:, ::1] = values_ if cython.compiled else values_.tolist()
    feature: cython.const[cython.short][::1] = feature_ if cython.compiled else feature_.tolist()
    threshold: cython.const[cython.float][::1] = threshold_ if cython.compiled else threshold_.tolist()
    child: cython.const[cython.int][::1] = child_ if cython.compiled else child_.tolist()
    score: cython.const[cython.float][::1] = score_ if cython.compiled else score_.tolist()
    roots: cython.const[cython.int][::1] = roots_ if cython.compiled else roots_.tolist()
    kind: cython.const[cython.int][::1] = kind_ if cython.compiled else kind_.tolist()
    scores: cython.double[:, ::1] = scores_
    rows: cython.Py_ssize_t = scores_.shape[0]
    trees: cython.Py_ssize_t = len(roots)
    tree: cython.Py_ssize_t
    row: cython.Py_ssize_t
    node: cython.int
    column: cython.int
    # Some rows at a time, and tree by tree: so that these rows, and the tree's nodes, stay in the cache.
    first: cython.Py_ssize_t
    for first in range(0, rows, ROWS):
        for tree in range(trees):
            column = kind[tree]
            for row in range(first, min(first + ROWS, rows)):
                node = roots[tree]
                while feature[node] >= 0:
                    node = child[node] if values[row][feature[node]] <= threshold[node] else child[node] + 1
                scores[row, column] += score[node]
