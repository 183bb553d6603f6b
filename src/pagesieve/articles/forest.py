"""A forest of decision trees, used with the kernel alone; training is in `pagesieve.training`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pagesieve import arrayfile
from pagesieve.arrayfile import Spec
from pagesieve.errors import BadModel
from pagesieve.page import kernel
from pagesieve.page.kernel.constants import MOST_LEAVES
from pagesieve.stages import stage

if TYPE_CHECKING:
    from pagesieve.page.kernel.trees import Gates

VERSION = 1
ARRAYS = {
    "feature": Spec("int16", 1),
    "threshold": Spec("float32", 1),
    "child": Spec("int32", 1),
    "score": Spec("float32", 1),
    "roots": Spec("int32", 1),
    "kind": Spec("int32", 1),
    "baseline": Spec("float64", 1),
}


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees as arrays over all their nodes; `kind` is the column of scores that each tree speaks for.

    A node of a feature sends a row to `child` where the feature is at most the threshold, else to the node after that;
    one without (-1) is a leaf and gives its score. The scores of the others say what each choice is worth.
    """

    names: tuple[str, ...]  # of the features
    feature: NDArray[np.int16]
    threshold: NDArray[np.float32]
    child: NDArray[np.int32]
    score: NDArray[np.float32]
    roots: NDArray[np.int32]
    kind: NDArray[np.int32]
    baseline: NDArray[np.float64]
    trained: Mapping[str, Any] = field(default_factory=dict)
    _gated: dict[tuple[int, int], Gates] = field(default_factory=dict, init=False, repr=False)

    def scores(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the scores of each row of features, a column for each kind: the greater, the likelier."""
        found = np.empty((len(values), len(self.baseline)))
        found[:] = self.baseline
        self.add(found, values, np.arange(len(values), dtype=np.int32))
        return found

    @stage("forests")
    def add(self, scores: NDArray[np.float64], values: NDArray[np.float32], rows: NDArray[np.int32]) -> None:
        """Add to the scores of some rows what the trees say."""
        kernel.trees.add_scores(self.gates(), np.ascontiguousarray(values, dtype=np.float32), rows, scores)

    @stage("forests")
    def best(self, values: Any) -> int:
        """Return the kind that one row of features, an array of `float`, is likeliest of."""
        if len(values) != len(self.names):
            raise ValueError(f"{len(values)} features in place of {len(self.names)}")
        best: int = kernel.trees.best_kind(self.gates(), self.baseline, values)
        return best

    def gates(self, begin: int = 0, end: int | None = None) -> Gates:
        """Return some of the trees as the kernel goes through them."""
        end = len(self.roots) if end is None else min(end, len(self.roots))
        begin = min(begin, end)
        gated = self._gated.get((begin, end))
        if gated is None:
            stop = int(self.roots[end]) if end < len(self.roots) else len(self.feature)
            columns = (self.feature, self.threshold, self.child, self.score)
            gated = kernel.trees.Gates(columns, self.roots[begin:end], stop, self.kind[begin:end])
            self._gated[begin, end] = gated
        return gated

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_gated": {}}

    def moves(self, values: NDArray[np.float32], groups: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return how much each group of features changed the scores of each row, summed over the trees.

        `groups` has the number of each feature's group.
        """
        found = np.zeros((len(values), int(groups.max()) + 1))
        trees = (self.feature, self.threshold, self.child, self.score, self.roots)
        kernel.trees.add_moves(np.ascontiguousarray(values, dtype=np.float32), trees, groups, found)
        return found

    def save(self, path: str | Path, sort: str) -> None:
        """Write the forest to a file that `load` reads; the same forest gives the same bytes."""
        if problem := find_problem(self):
            raise BadModel(f"{path}: not written: {problem}")
        arrays = {name: np.asarray(getattr(self, name), dtype=spec.dtype) for name, spec in ARRAYS.items()}
        arrayfile.write(path, sort, VERSION, {"names": list(self.names), "trained": dict(self.trained)}, arrays)

    @classmethod
    def load(cls, path: str | Path | Traversable, sort: str, names: Sequence[str]) -> Forest:
        """Read a forest over these features; raise BadModel for a file that is not one, or whose arrays do not fit."""
        facts, arrays = arrayfile.read(path, sort, VERSION, ARRAYS)
        trained = facts.get("trained")
        if facts.get("names") != list(names) or not isinstance(trained, dict):
            raise BadModel(f"{path}: trained on other features than this version has: train it again")
        forest = cls(names=tuple(names), trained=trained, **arrays)
        if problem := find_problem(forest):
            raise BadModel(f"{path}: {problem}")
        return forest


def find_problem(forest: Forest) -> str | None:
    """Return what is wrong with a forest, or None: what the kernel relies on to stay within its arrays and to end."""
    nodes, width, columns = len(forest.feature), len(forest.names), len(forest.baseline)
    if any(len(column) != nodes for column in (forest.threshold, forest.child, forest.score)):
        return "columns of different lengths"
    if len(forest.roots) != len(forest.kind) or not nodes or not columns:
        return "no trees, or trees of no kind"
    if not (forest.feature >= -1).all() or not (forest.feature < width).all():
        return f"a feature that is none of {width}"
    if not len(forest.roots) or forest.roots[0] != 0 or not (forest.roots < nodes).all():
        return "a tree without a root"
    sizes = np.diff(forest.roots, append=nodes)
    if not ((sizes >= 1) & (sizes < 2 * MOST_LEAVES)).all():
        return f"a tree of no leaves, or of more than {MOST_LEAVES}"
    inner = np.flatnonzero(forest.feature >= 0)
    left = forest.child[inner]
    ends = np.repeat(forest.roots + sizes, sizes)
    if not ((left > inner) & (left < ends[inner] - 1)).all():
        return "a tree that does not end"
    if not len({*left.tolist(), *(left + 1).tolist()}) == 2 * len(inner) == nodes - len(sizes):
        return "a node of no tree, or of two"
    if not ((forest.kind >= 0) & (forest.kind < columns)).all():
        return "a tree of no kind"
    return None
