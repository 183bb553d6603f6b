"""Forests of decision trees, evaluated by the kernel; training is in `pagesieve.training`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagesieve import arrayfile
from pagesieve.arrayfile import Spec
from pagesieve.errors import BadModel
from pagesieve.page import kernel
from pagesieve.stages import stage

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    import numpy as np
    from numpy.typing import NDArray

    from pagesieve.page.kernel.lines.trees import Gates

Column = Any  # an array of numbers: of Python if read from a file, of numpy if trained

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
    """Trees as arrays over all their nodes. `kind` is the column of scores to which each tree contributes.

    A node with a feature sends a row to `child` if the feature is at most the threshold, otherwise to the node after
    `child`. A node without a feature (-1) is a leaf, with a score. The scores of inner nodes show the effect of each
    branch.
    """

    names: tuple[str, ...]  # the names of the features
    feature: Column
    threshold: Column
    child: Column
    score: Column
    roots: Column
    kind: Column
    baseline: Column
    trained: Mapping[str, Any] = field(default_factory=dict)
    _gated: dict[tuple[int, int], Gates] = field(default_factory=dict, init=False, repr=False)

    def scores(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the scores of each row of features, a column for each kind; the likeliest kind has the largest."""
        import numpy as np

        found = np.empty((len(values), len(self.baseline)))
        found[:] = self.baseline
        self.add(found, values, np.arange(len(values), dtype=np.int32))
        return found

    @stage("forests")
    def add(self, scores: NDArray[np.float64], values: NDArray[np.float32], rows: NDArray[np.int32]) -> None:
        """Add the scores of the trees to the scores of some rows."""
        import numpy as np

        kernel.lines.trees.add_scores(self.gates(), np.ascontiguousarray(values, dtype=np.float32), rows, scores)

    @stage("forests")
    def best(self, values: Any) -> int:
        """Return the likeliest kind for one row of features, an array of `float`."""
        if len(values) != len(self.names):
            raise ValueError(f"{len(values)} features in place of {len(self.names)}")
        best: int = kernel.lines.trees.best_kind(self.gates(), self.baseline, values)
        return best

    def gates(self, begin: int = 0, end: int | None = None) -> Gates:
        """Return some of the trees in the kernel's format."""
        end = len(self.roots) if end is None else min(end, len(self.roots))
        begin = min(begin, end)
        gated = self._gated.get((begin, end))
        if gated is None:
            stop = int(self.roots[end]) if end < len(self.roots) else len(self.feature)
            columns = (self.feature, self.threshold, self.child, self.score)
            gated = kernel.lines.trees.Gates(columns, self.roots[begin:end], stop, self.kind[begin:end])
            self._gated[begin, end] = gated
        return gated

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_gated": {}}

    def moves(self, values: NDArray[np.float32], groups: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the contribution of each group of features to the scores of each row, summed over the trees.

        `groups` has the number of each feature's group.
        """
        import numpy as np

        found = np.zeros((len(values), int(groups.max()) + 1))
        trees = (self.feature, self.threshold, self.child, self.score, self.roots)
        kernel.lines.trees.add_moves(np.ascontiguousarray(values, dtype=np.float32), trees, groups, found)
        return found

    def save(self, path: str | Path, sort: str) -> None:
        """Write the forest to a file for `load`. The same forest gives the same bytes."""
        if problem := find_problem(self):
            raise BadModel(f"{path}: not written: {problem}")
        import numpy as np

        arrays = {name: np.asarray(getattr(self, name), dtype=spec.dtype) for name, spec in ARRAYS.items()}
        arrayfile.write(path, sort, VERSION, {"names": list(self.names), "trained": dict(self.trained)}, arrays)

    @classmethod
    def load(cls, path: str | Path | Traversable, sort: str, names: Sequence[str]) -> Forest:
        """Read a forest over the given features. Raise BadModel if the file is not one, or if its arrays do not fit."""
        facts, arrays = arrayfile.read_columns(path, sort, VERSION, ARRAYS)
        trained = facts.get("trained")
        if facts.get("names") != list(names) or not isinstance(trained, dict):
            raise BadModel(f"{path}: trained on other features than this version has: train it again")
        forest = cls(names=tuple(names), trained=trained, **arrays)
        if problem := find_problem(forest):
            raise BadModel(f"{path}: {problem}")
        return forest


def find_problem(forest: Forest) -> str | None:
    """Return what is wrong with a forest, or None. The kernel relies on these checks to stay in arrays and to end."""
    columns = (forest.feature, forest.threshold, forest.child, forest.score)
    nodes, width, kinds = len(forest.feature), len(forest.names), len(forest.baseline)
    if any(len(column) != nodes for column in columns):
        return "columns of different lengths"
    if len(forest.roots) != len(forest.kind) or not nodes or not kinds:
        return "no trees, or trees of no kind"
    problem: str | None = kernel.lines.trees.fault(columns, forest.roots, forest.kind, width, kinds)
    return problem
