# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""How alike blocks are by their attributes, and the clusters they form by density (DBSCAN): not by comparing all pairs.

A block is a row of numbers. A countable attribute is compared by size; any other is a code, numbered from 0 without
gaps, and is the same or not. Each attribute has a weight, and the weights add up to 1.
"""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import cython_shim as cython

LEAF = cython.declare(cython.int, 8)  # blocks that are compared one by one
DEEPEST = cython.declare(cython.int, 48)  # splits, one below the other
SLACK = cython.declare(cython.double, 1e-9)  # bounds are trusted only so near the radius: sums are rounded


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _difference(a: cython.double, b: cython.double) -> cython.double:
    """1 minus equation (12) of two numbers: 0 where they are the same, never above 1."""
    if a == b:
        return 0.0
    if a * b <= 0.0:
        return 1.0
    return (a - b) * (a - b) / (a * a + b * b)


@cython.cclass
class _Blocks:
    """The attributes of all blocks, and a tree over them: the blocks of a node lie within its bounds."""

    values: cython.const[cython.double][::1]
    weight: cython.const[cython.double][::1]
    countable: cython.const[cython.uchar][::1]
    loose: cython.uchar[::1]  # codes that nearly every block has its own of: never worth a split
    count: cython.int
    width: cython.int
    order: cython.int[::1]  # the blocks, so that those of a node are a slice
    place: cython.int[::1]  # where each stands in it
    start: cython.int[::1]
    stop: cython.int[::1]
    child: cython.int[::1]  # the first of a node's two, the other is the next; 0 for a leaf
    low: cython.double[::1]
    high: cython.double[::1]
    nodes: cython.int
    stack: cython.int[::1]
    nearest: cython.double  # the bounds found last
    farthest: cython.double

    def __init__(self, values: Any, weight: Any, countable: Any):
        self.count, self.width = values.shape
        if cython.compiled:
            self.values = values.ravel()
            self.weight = weight
            self.countable = countable
        else:
            self.values = values.ravel().tolist()
            self.weight = weight.tolist()
            self.countable = countable.tolist()
        self.loose = array("B", bytes(self.width))

    @cython.cfunc
    @cython.exceptval(check=False)
    def distance(self, a: cython.int, b: cython.int) -> cython.double:
        """1 minus the similarity of two blocks."""
        total: cython.double = 0.0
        k: cython.int
        i: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, a) * self.width
        j: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, b) * self.width
        for k in range(self.width):
            if self.countable[k]:
                total += self.weight[k] * _difference(self.values[i + k], self.values[j + k])
            elif self.values[i + k] != self.values[j + k]:
                total += self.weight[k]
        return total

    # The tree

    @cython.cfunc
    def grow(self) -> cython.void:
        """Builds the tree: nodes are halved along the attribute that sets their blocks apart most."""
        k: cython.int
        depth_ = array("i", bytes(8 * self.count))
        depth: cython.int[::1] = depth_
        self.order = array("i", range(self.count))
        self.start = array("i", bytes(8 * self.count))
        self.stop = array("i", bytes(8 * self.count))
        self.child = array("i", bytes(8 * self.count))
        self.low = array("d", bytes(8 * self.width))
        self.high = array("d", bytes(8 * self.width))
        self.stop[0] = self.count
        self.nodes = 1
        self.measure(0, self.count, 0)
        for k in range(self.width):
            self.loose[k] = not self.countable[k] and self.high[k] + 1 > self.count // 2
        node: cython.int = 0
        while node < self.nodes:
            if self.stop[node] - self.start[node] > LEAF and depth[node] < DEEPEST and self.split(node):
                depth[self.nodes - 1] = depth[self.nodes - 2] = depth[node] + 1
            node += 1
        self.bound()

    @cython.cfunc
    def split(self, node: cython.int) -> cython.bint:
        """Halves a node where its most telling attribute lies in the middle; False where its blocks are all alike."""
        k: cython.int
        best: cython.int = -1
        cost: cython.double
        most: cython.double = 0.0
        first: cython.int = self.start[node]
        last: cython.int = self.stop[node]
        self.measure(first, last, 0)
        for k in range(self.width):
            if self.loose[k] or self.low[k] == self.high[k]:
                continue
            cost = self.weight[k] * (_difference(self.low[k], self.high[k]) if self.countable[k] else 1.0)
            if cost > most:
                most = cost
                best = k
        if best < 0:
            return False
        middle: cython.double = 0.5 * (self.low[best] + self.high[best])
        if middle >= self.high[best]:  # rounded up: nothing would be left for the second half
            middle = self.low[best]
        i: cython.int = first
        j: cython.int = last - 1
        swapped: cython.int
        while i <= j:
            if self.values[cython.cast(cython.Py_ssize_t, self.order[i]) * self.width + best] <= middle:
                i += 1
            else:
                swapped = self.order[i]
                self.order[i] = self.order[j]
                self.order[j] = swapped
                j -= 1
        self.child[node] = self.nodes
        self.start[self.nodes] = first
        self.stop[self.nodes] = self.start[self.nodes + 1] = i
        self.stop[self.nodes + 1] = last
        self.nodes += 2
        return True

    @cython.cfunc
    def measure(self, first: cython.int, last: cython.int, node: cython.int) -> cython.void:
        """Writes the least and the largest of each attribute, over a slice of the order, to a node's bounds."""
        at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * self.width
        place: cython.int
        k: cython.int
        row: cython.Py_ssize_t
        value: cython.double
        for place in range(first, last):
            row = cython.cast(cython.Py_ssize_t, self.order[place]) * self.width
            for k in range(self.width):
                value = self.values[row + k]
                if place == first or value < self.low[at + k]:
                    self.low[at + k] = value
                if place == first or value > self.high[at + k]:
                    self.high[at + k] = value

    @cython.cfunc
    def bound(self) -> cython.void:
        """The bounds of every node, from the leaves up; and where each block stands."""
        self.low = array("d", bytes(8 * self.width * self.nodes))
        self.high = array("d", bytes(8 * self.width * self.nodes))
        self.place = array("i", bytes(4 * self.count))
        self.stack = array("i", bytes(4 * (self.nodes + 1)))
        node: cython.int
        k: cython.int
        at: cython.Py_ssize_t
        one: cython.Py_ssize_t
        two: cython.Py_ssize_t
        for node in range(self.nodes - 1, -1, -1):
            if not self.child[node]:
                self.measure(self.start[node], self.stop[node], node)
                continue
            at = cython.cast(cython.Py_ssize_t, node) * self.width
            one = cython.cast(cython.Py_ssize_t, self.child[node]) * self.width
            two = one + self.width
            for k in range(self.width):
                self.low[at + k] = min(self.low[one + k], self.low[two + k])
                self.high[at + k] = max(self.high[one + k], self.high[two + k])
        for k in range(self.count):
            self.place[self.order[k]] = k

    @cython.cfunc
    @cython.exceptval(check=False)
    def reach(self, block: cython.int, node: cython.int) -> cython.void:
        """Bounds the distances between a block and those of a node: sets `nearest` and `farthest`."""
        near: cython.double = 0.0
        far: cython.double = 0.0
        one: cython.double
        two: cython.double
        value: cython.double
        low: cython.double
        high: cython.double
        k: cython.int
        row: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, block) * self.width
        at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * self.width
        for k in range(self.width):
            value = self.values[row + k]
            low = self.low[at + k]
            high = self.high[at + k]
            if not self.countable[k]:
                if value < low or value > high:
                    near += self.weight[k]
                if value != low or value != high:
                    far += self.weight[k]
                continue
            one = _difference(value, low)
            two = _difference(value, high)
            far += self.weight[k] * (one if one > two else two)
            if value < low:
                near += self.weight[k] * one
            elif value > high:
                near += self.weight[k] * two
        self.nearest = near
        self.farthest = far

    @cython.cfunc
    @cython.exceptval(check=False)
    def push_children(self, node: cython.int, block: cython.int, top: cython.int) -> cython.int:
        """Puts the children of a node on the stack, that with the block on top: the near ones are seen first."""
        one: cython.int = self.child[node]
        inside: cython.bint = self.start[one] <= self.place[block] < self.stop[one]
        self.stack[top] = one + 1 if inside else one
        self.stack[top + 1] = one if inside else one + 1
        return top + 2

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_core(self, block: cython.int, radius: cython.double, least: cython.int) -> cython.bint:
        """Whether so many blocks, itself included, lie within the radius; stops when they are found."""
        found: cython.int = 0
        top: cython.int = 1
        node: cython.int
        place: cython.int
        self.stack[0] = 0
        while top and found < least:
            top -= 1
            node = self.stack[top]
            self.reach(block, node)
            if self.nearest > radius + SLACK:
                continue
            if self.farthest <= radius - SLACK:
                found += self.stop[node] - self.start[node]
            elif self.child[node]:
                top = self.push_children(node, block, top)
            else:
                for place in range(self.start[node], self.stop[node]):
                    if self.distance(block, self.order[place]) <= radius:
                        found += 1
        return found >= least


@cython.cclass
class _Clusters:
    """Core blocks joined to clusters: a forest over the blocks, and what is known of the nodes of their tree."""

    blocks: _Blocks
    core: cython.uchar[::1]
    above: cython.int[::1]  # the forest
    one_core: cython.int[::1]  # of each node a core block below it, -1 where there is none
    joined: cython.uchar[::1]  # nodes whose core blocks are known to be in one cluster
    radius: cython.double

    def __init__(self, blocks: _Blocks, radius: float, least: int):
        self.blocks = blocks
        self.radius = radius
        self.core = array("B", bytes(blocks.count))
        self.above = array("i", range(blocks.count))
        self.one_core = array("i", bytes(4 * blocks.nodes))
        self.joined = array("B", bytes(blocks.nodes))
        block: cython.int
        for block in range(blocks.count):
            self.core[block] = blocks.is_core(block, radius, least)
        self.note_cores()
        for block in range(blocks.count):
            if self.core[block]:
                self.join_around(block)

    @cython.cfunc
    def note_cores(self) -> cython.void:
        """Finds a core block of each node."""
        node: cython.int
        place: cython.int
        child: cython.int
        for node in range(self.blocks.nodes - 1, -1, -1):
            self.one_core[node] = -1
            child = self.blocks.child[node]
            if child:
                self.one_core[node] = max(self.one_core[child], self.one_core[child + 1])
                continue
            for place in range(self.blocks.start[node], self.blocks.stop[node]):
                if self.core[self.blocks.order[place]]:
                    self.one_core[node] = self.blocks.order[place]

    @cython.cfunc
    @cython.exceptval(check=False)
    def top_of(self, block: cython.int) -> cython.int:
        """The block that stands for a block's cluster."""
        while self.above[block] != block:
            self.above[block] = self.above[self.above[block]]
            block = self.above[block]
        return block

    @cython.cfunc
    @cython.exceptval(check=False)
    def join(self, a: cython.int, b: cython.int) -> cython.void:
        """Makes one cluster of two; the lowest block stands for it."""
        a = self.top_of(a)
        b = self.top_of(b)
        if a < b:
            self.above[b] = a
        else:
            self.above[a] = b

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_joined(self, node: cython.int) -> cython.bint:
        """Whether all core blocks of a node are known to be in one cluster; what was learned since is noted."""
        first: cython.int = self.blocks.child[node]
        child: cython.int
        if self.joined[node] or not first:
            return self.joined[node]
        for child in range(first, first + 2):
            if self.one_core[child] >= 0 and (
                not self.joined[child] or self.top_of(self.one_core[child]) != self.top_of(self.one_core[node])
            ):
                return False
        self.joined[node] = True
        return True

    @cython.cfunc
    def join_around(self, block: cython.int) -> cython.void:
        """Joins a core block with every core block within the radius that is not in its cluster yet."""
        tree: _Blocks = self.blocks
        top: cython.int = 1
        node: cython.int
        tree.stack[0] = 0
        while top:
            top -= 1
            node = tree.stack[top]
            if self.one_core[node] < 0:
                continue
            if self.is_joined(node) and self.top_of(self.one_core[node]) == self.top_of(block):
                continue
            tree.reach(block, node)
            if tree.nearest > self.radius + SLACK:
                continue
            if tree.child[node] and tree.farthest > self.radius - SLACK:
                top = tree.push_children(node, block, top)
            else:
                self.join_all(block, node)

    @cython.cfunc
    def join_all(self, block: cython.int, node: cython.int) -> cython.void:
        """Joins a core block with those of a node that are within the radius."""
        tree: _Blocks = self.blocks
        place: cython.int
        other: cython.int
        all_joined: cython.bint = True
        sure: cython.bint = tree.farthest <= self.radius - SLACK
        for place in range(tree.start[node], tree.stop[node]):
            other = tree.order[place]
            if not self.core[other] or self.top_of(other) == self.top_of(block):
                continue
            if sure or tree.distance(block, other) <= self.radius:
                self.join(block, other)
            else:
                all_joined = False
        if all_joined:
            self.joined[node] = True

    @cython.cfunc
    def first_around(self, block: cython.int) -> cython.int:
        """Of the clusters with a core block within the radius, the one whose first core block comes first; else -1."""
        tree: _Blocks = self.blocks
        best: cython.int = -1
        top: cython.int = 1
        node: cython.int
        place: cython.int
        found: cython.int
        tree.stack[0] = 0
        while top:
            top -= 1
            node = tree.stack[top]
            if self.one_core[node] < 0:
                continue
            tree.reach(block, node)
            if tree.nearest > self.radius + SLACK:
                continue
            if tree.child[node]:
                top = tree.push_children(node, block, top)
                continue
            for place in range(tree.start[node], tree.stop[node]):
                if self.core[tree.order[place]]:
                    found = self.top_of(tree.order[place])
                    if (best < 0 or found < best) and tree.distance(block, tree.order[place]) <= self.radius:
                        best = found
        return best


def dbscan(values: Any, weight: Any, countable: Any, radius: float, least: int) -> array[int]:
    """The cluster of each block, -1 for noise: numbered in the order of their first core blocks.

    A block that is no core goes to the first cluster that reaches it. Within a radius, no further: `<=`.
    """
    blocks: _Blocks = _Blocks(values, weight, countable)
    count: cython.int = blocks.count
    labels_ = array("i", [-1]) * count
    if not count:
        return labels_
    labels: cython.int[::1] = labels_
    blocks.grow()
    clusters: _Clusters = _Clusters(blocks, radius, least)
    block: cython.int
    top: cython.int
    number: cython.int = 0
    # The lowest block stands for its cluster, so that a cluster's number is known before its other blocks come.
    for block in range(count):
        if clusters.core[block]:
            top = clusters.top_of(block)
            if top == block:
                labels[block] = number
                number += 1
            else:
                labels[block] = labels[top]
    for block in range(count):
        if not clusters.core[block]:
            top = clusters.first_around(block)
            if top >= 0:
                labels[block] = labels[top]
    return labels_


def distances(values: Any, weight: Any, countable: Any) -> array[float]:
    """The distances of all pairs, a row after the other."""
    blocks: _Blocks = _Blocks(values, weight, countable)
    count: cython.int = blocks.count
    found_ = array("d", bytes(8 * count * count))
    found: cython.double[::1] = found_
    a: cython.int
    b: cython.int
    for a in range(count):
        for b in range(a):
            found[cython.cast(cython.Py_ssize_t, a) * count + b] = blocks.distance(a, b)
            found[cython.cast(cython.Py_ssize_t, b) * count + a] = found[cython.cast(cython.Py_ssize_t, a) * count + b]
    return found_
