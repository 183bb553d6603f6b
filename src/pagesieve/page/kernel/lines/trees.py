# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Forests of decision trees: what they say of rows of features, and what moved them.

A node with a feature below 0 is a leaf; the others send a row whose feature is at most the threshold to their child,
the rest to the one after it. Children stand after their parents, or this would not end.
"""

from __future__ import annotations

from array import array
from typing import Any

import cython
from cython.cimports.libc.math import exp
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.pagesieve.page.kernel.common import as_column, room_for, zeros
from cython.cimports.pagesieve.page.kernel.constants import MAX_LEAVES
from cython.cimports.pagesieve.page.kernel.lines.vectors import FIRST_BIT, ROWS_AT_ONCE, add_trees, fetch_rows

_CACHED = cython.declare(cython.Py_ssize_t, 1 << 18)  # numbers that a core keeps at hand; others are fetched in time


class Gates:
    """Some trees, which end before the node `stop`, as the kernel takes rows through them.

    `trees` are the columns feature, threshold, child and score; `kind` is the column of scores of each tree.
    """

    def __init__(self, trees: Any, roots: Any, stop: cython.int, kind: Any) -> None:
        features: cython.const[cython.short][::1] = as_column(trees[0])
        thresholds: cython.const[cython.float][::1] = as_column(trees[1])
        children: cython.const[cython.int][::1] = as_column(trees[2])
        scores: cython.const[cython.float][::1] = as_column(trees[3])
        nodes: cython.Py_ssize_t = len(trees[0])
        below: cython.int[::1] = zeros("i", nodes)  # how many leaves a node has,
        first: cython.int[::1] = zeros("i", nodes)  # and the first of them
        own = trees[0][roots[0] : stop].tolist() if len(roots) else []
        used: array[int] = array("i", sorted({each for each in own if each >= 0}))
        place: dict[int, int] = {feature: number for number, feature in enumerate(used)}
        column: array[int] = array("i")
        limit: array[float] = array("f")
        remaining: array[int] = array("I")
        gate_at: array[int] = array("i")
        leaf: array[float] = array("f", [0.0]) * (MAX_LEAVES * len(roots))
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
                    leaf[MAX_LEAVES * tree + first[node]] = scores[node]
                    continue
                first[children[node]] = first[node]
                first[children[node] + 1] = first[node] + below[children[node]]
                column.append(place[features[node]])
                limit.append(thresholds[node])
                remaining.append(0xFFFFFFFF ^ (((one << below[children[node]]) - 1) << first[node]))
        gate_at.append(len(column))
        if not column:  # every tree is one leaf; the address of the first gate is taken
            column.append(0)
            limit.append(0.0)
            remaining.append(0xFFFFFFFF)
        self.used, self.column, self.limit, self.remaining = used, column, limit, remaining
        self.gate_at, self.leaf, self.kind = gate_at, leaf, array("i", kind)

    def add(self, values, width, rows, count, scores, kinds):
        """Go through the trees with as many rows at once as registers hold, and through those of one kind in turn."""
        size: cython.size_t = ROWS_AT_ONCE * max(1, len(self.used)) * cython.sizeof(cython.float)
        by_feature: cython.p_float = cython.cast(cython.p_float, malloc(size))
        sums = cython.declare(cython.double[32])  # ROWS_AT_ONCE
        trees: cython.int = cython.cast(cython.int, len(self.kind))
        begin: cython.Py_ssize_t = 0
        k: cython.Py_ssize_t
        taken: cython.Py_ssize_t
        together: cython.Py_ssize_t  # with those that are not there
        tree: cython.int
        end: cython.int
        if by_feature == cython.NULL:
            with cython.gil:
                raise MemoryError
        while begin < count:
            taken = min(ROWS_AT_ONCE, count - begin)
            together = 8 if taken <= 8 else 16 if taken <= 16 else ROWS_AT_ONCE
            self.take(values, width, rows + begin, taken, together, by_feature)
            if width * count > _CACHED and begin + ROWS_AT_ONCE < count:
                fetch_rows(values, width, rows + begin + taken, min(ROWS_AT_ONCE, count - begin - taken))
            end = 0
            while end < trees:
                tree = end
                while end < trees and self.kind[end] == self.kind[tree]:
                    end += 1
                for k in range(ROWS_AT_ONCE):
                    sums[k] = scores[rows[begin + k] * kinds + self.kind[tree]] if k < taken else 0
                add_trees(
                    cython.cast(cython.int, together),
                    cython.address(self.gate_at[0]),
                    cython.address(self.column[0]),
                    cython.address(self.limit[0]),
                    cython.address(self.remaining[0]),
                    cython.address(self.leaf[0]),
                    by_feature,
                    sums,
                    tree,
                    end,
                )
                for k in range(taken):
                    scores[rows[begin + k] * kinds + self.kind[tree]] = sums[k]
            begin += ROWS_AT_ONCE
        free(by_feature)
        return 0

    def take(self, values, width, rows, count, together, by_feature):
        """Write the features of some rows, one after the other; the last row stands for those that are not there."""
        row = cython.declare(cython.pointer[cython.const[cython.float]][32])  # ROWS_AT_ONCE
        at: cython.Py_ssize_t
        k: cython.Py_ssize_t
        half: cython.Py_ssize_t
        for k in range(together):
            row[k] = values + width * rows[min(k, count - 1)]
        if together == 8:
            for at in range(len(self.used)):
                for k in range(8):
                    by_feature[at * 8 + k] = row[k][self.used[at]]
            return
        for half in range(0, together, 16):  # a processor keeps the places of so many rows at hand
            for at in range(len(self.used)):
                for k in range(half, half + 16):
                    by_feature[at * together + k] = row[k][self.used[at]]


@cython.ccall
@cython.exceptval(-1, check=False)
def add_scores(
    gates: Gates,
    values: cython.const[cython.float][:, ::1],
    rows: cython.const[cython.int][::1],
    sums: cython.double[:, ::1],
) -> cython.int:
    """Add every tree's score of the rows that are chosen to `sums`, in the column of the kind that it speaks for."""
    count: cython.Py_ssize_t = rows.shape[0]
    if count:
        with cython.nogil:
            gates.add(
                cython.address(values[0, 0]),
                values.shape[1],
                cython.address(rows[0]),
                count,
                cython.address(sums[0, 0]),
                sums.shape[1],
            )
    return 0


def best_kind(gates: Gates, baseline: Any, values: cython.const[cython.float][::1]) -> int:
    """Return the kind that the trees give one row of features the highest score for; of equal ones, the first."""
    sums: cython.double[::1] = array("d", baseline)
    tree: cython.Py_ssize_t
    gate: cython.int
    kind: cython.int
    best: cython.int = 0
    left: cython.uint  # a bit for each leaf that no gate of the tree has shut out yet
    above: cython.uint
    with cython.nogil:
        for tree in range(gates.kind.shape[0]):
            left = 0xFFFFFFFF
            for gate in range(gates.gate_at[tree], gates.gate_at[tree + 1]):
                above = values[gates.used[gates.column[gate]]] > gates.limit[gate]
                left &= gates.remaining[gate] | (above - 1)
            sums[gates.kind[tree]] += gates.leaf[MAX_LEAVES * tree + FIRST_BIT(left)]
    for kind in range(1, cython.cast(cython.int, sums.shape[0])):
        if sums[kind] > sums[best]:
            best = kind
    return best


class Scoring:
    """How likely some rows of features are, from 0 to 1, by one forest after the other."""

    def set_up(self, values, count):
        """Take over the first rows of a matrix of features."""
        self.values = values
        self.count = count
        self.sums = cython.cast(
            cython.p_double, room_for(count * (cython.sizeof(cython.double) + cython.sizeof(cython.int)))
        )
        self.rows = cython.cast(cython.p_int, self.sums + count)
        self.likelihood = zeros("d", count)
        self.found = self.likelihood
        return 0

    def __dealloc__(self):
        free(self.sums)

    def add(self, gates, count):
        """Add the trees' scores of the first of the rows that are chosen."""
        if count == 0:
            return 0
        return gates.add(
            cython.address(self.values[0, 0]),
            self.values.shape[1],
            self.rows,
            count,
            self.sums,
            1,
        )

    def fill(self, gates, count):
        """Add the trees' scores of the first of the rows that are chosen, and write how likely these are."""
        self.add(gates, count)
        for k in range(count):
            row = self.rows[k]
            self.found[row] = 1 / (1 + exp(min(-self.sums[row], 40.0)))
        return 0

    def score_first(self, early, rest, baseline, least, unlikely):
        """Score the rows by a forest in two parts.

        Rows of which the early trees say less than `least` get the likelihood `unlikely`; the rest of the trees sees
        the others.
        """
        left: cython.Py_ssize_t = 0
        k: cython.int
        for k in range(self.count):
            self.rows[k] = k
            self.sums[k] = baseline
            self.found[k] = unlikely
        self.add(early, self.count)
        for k in range(self.count):
            if self.sums[k] >= least:
                self.rows[left] = k
                left += 1
        return self.fill(rest, left)

    def score_second(self, gates, baseline, least):
        """Score the rows again by a second forest, which sees only those that are as likely as `least`."""
        left: cython.Py_ssize_t = 0
        k: cython.int
        for k in range(self.count):
            self.sums[k] = baseline
            if self.found[k] >= least:
                self.rows[left] = k
                left += 1
        return self.fill(gates, left)


def first_likelihoods(
    early: Gates,
    rest: Gates,
    baseline: cython.double,
    values: Any,
    count: cython.Py_ssize_t,
    least: cython.double,
    unlikely: cython.double,
) -> Any:
    """Return how likely each of the first rows is by `Scoring.score_first`."""
    scoring: Scoring = Scoring()
    scoring.set_up(values, count)
    with cython.nogil:
        scoring.score_first(early, rest, baseline, least, unlikely)
    return scoring.likelihood


def page_threshold(
    likelihood: Any, threshold: cython.double, share: cython.double, least: cython.double
) -> cython.double:
    """Return the likelihood from which the lines of a page are kept: the threshold, or less where all are unlikely.

    It is then a share of the highest one, but not below `least`.
    """
    most: cython.double = 0
    k: cython.Py_ssize_t
    for k in range(likelihood.shape[0]):
        most = max(most, likelihood[k])
    return min(threshold, max(least, share * most))


def fault(columns: Any, roots: Any, kinds: Any, width: cython.int, count: cython.int) -> str | None:
    """Return what is wrong with trees over `width` features and `count` kinds, or None.

    It is what all of this relies on to stay within its arrays and to end. `columns` are as long as each other.
    """
    features: cython.const[cython.short][::1] = as_column(columns[0])
    children: cython.const[cython.int][::1] = as_column(columns[2])
    starts: cython.const[cython.int][::1] = as_column(roots)
    kind: cython.const[cython.int][::1] = as_column(kinds)
    nodes: cython.Py_ssize_t = len(columns[0])
    above: cython.uchar[::1] = bytearray(nodes)  # whether a node is the child of another
    node: cython.Py_ssize_t
    end: cython.Py_ssize_t
    tree: cython.Py_ssize_t
    for node in range(nodes):
        if not -1 <= features[node] < width:
            return f"a feature that is none of {width}"
    if not len(starts) or starts[0] != 0:
        return "a tree without a root"
    for tree in range(len(starts)):
        if starts[tree] >= nodes:
            return "a tree without a root"
    for tree in range(len(starts)):
        end = starts[tree + 1] if tree + 1 < len(starts) else nodes
        if not 1 <= end - starts[tree] < 2 * MAX_LEAVES:
            return f"a tree of no leaves, or of more than {MAX_LEAVES}"
        for node in range(starts[tree], end):
            if features[node] < 0:
                continue
            if not node < children[node] < end - 1:
                return "a tree that does not end"
            if above[children[node]] or above[children[node] + 1]:
                return "a node of no tree, or of two"
            above[children[node]] = above[children[node] + 1] = 1
        for node in range(starts[tree] + 1, end):
            if not above[node]:
                return "a node of no tree, or of two"
    for tree in range(len(kind)):
        if not 0 <= kind[tree] < count:
            return "a tree of no kind"
    return None


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
