"""A support vector machine that tells text blocks from others, with numpy alone.

    margin(x) = sum over i of coefficients[i] * exp(-gamma * |x - vectors[i]|^2) + offset

It is above 0 for text. Features are centred and scaled first; the vectors are stored centred and scaled. Training is in
`pagesieve.training.svm`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagesieve import arrayfile
from pagesieve.arrayfile import Spec
from pagesieve.articles.features import FEATURE_SETS
from pagesieve.errors import BadModel

Floats = NDArray[np.float32]

KIND = "svm"
VERSION = 1
SHIPPED = "models/svm.model"
ARRAYS = {
    "centre": Spec("float32", 1),
    "scale": Spec("float32", 1),
    "vectors": Spec("float32", 2),
    "coefficients": Spec("float32", 1),
    "gamma": Spec("float64", 0),
    "offset": Spec("float64", 0),
}
MOST_VECTORS = 20_000
# The matrix product is done in tiles: this many vectors, by as many rows as make this many multiplications. They stay
# in the cache, and numpy's BLAS does not split them among threads, which can take two hundred times as long where the
# cores are busy.
TILE_VECTORS = 256
TILE_PRODUCTS = 900_000
# Scaled features are clipped here: no vector counts so far out, and every sum stays finite.
FARTHEST = 1e4
MOST_GAMMA = 1e6
MOST_WEIGHT = 1e30


@dataclass(frozen=True, eq=False)
class SvmModel:
    """A trained machine: its arrays, the name of its feature set, and facts about the training."""

    features: str
    centre: Floats
    scale: Floats
    vectors: Floats
    coefficients: Floats
    gamma: float
    offset: float
    trained: Mapping[str, Any] = field(default_factory=dict)

    def margins(self, features: NDArray[np.floating[Any]]) -> Floats:
        """Return the margin of each row of finite features: above 0 for text, and farther from 0 the surer it is."""
        found = np.full(len(features), self.offset, dtype=np.float32)
        step = max(1, TILE_PRODUCTS // (TILE_VECTORS * len(self._expanded)))
        for start in range(0, len(features), step):
            rows = self._rows(features[start : start + step])
            for first in range(0, len(self.vectors), TILE_VECTORS):
                tile = slice(first, first + TILE_VECTORS)
                found[start : start + step] += self._kernel(rows, tile) @ self.coefficients[tile]
        return found

    def _rows(self, features: NDArray[np.floating[Any]]) -> Floats:
        """Return (x, |x|^2, 1) for each row of features, scaled."""
        with np.errstate(over="ignore"):
            scaled = np.clip((features - self.centre) / self.scale, -FARTHEST, FARTHEST)
        rows = np.ones((len(scaled), len(self._expanded)), dtype=np.float32)
        rows[:, :-2] = scaled
        rows[:, -2] = np.einsum("ij,ij->i", scaled, scaled)
        return rows

    def _kernel(self, rows: Floats, tile: slice) -> Floats:
        """Return exp(-gamma |x - v|^2) of each row with each vector of a tile."""
        kernel: Floats = rows @ self._expanded[:, tile]
        # Rounding can make a squared distance a little less than 0.
        np.minimum(kernel, 0, out=kernel)
        return np.exp(kernel, out=kernel)

    @cached_property
    def _expanded(self) -> Floats:
        """The vectors such that (x, |x|^2, 1) times them is -gamma |x - v|^2: one product for all distances."""
        vectors = self.vectors.astype(np.float64)
        lengths = np.einsum("ij,ij->i", vectors, vectors)
        ones = np.ones(len(vectors))
        return np.ascontiguousarray(
            np.vstack([2 * self.gamma * vectors.T, -self.gamma * ones, -self.gamma * lengths]), dtype=np.float32
        )

    def save(self, path: str | Path, sets: Mapping[str, tuple[str, ...]] = FEATURE_SETS) -> None:
        """Write the model to a file that `load` reads; the same model gives the same bytes."""
        if problem := find_problem(self, sets):
            raise BadModel(f"{path}: not written: {problem}")
        arrays = {name: np.asarray(getattr(self, name), dtype=spec.dtype) for name, spec in ARRAYS.items()}
        # The names are kept too: a set that changes its features is another set, even under the same name.
        facts = {"features": self.features, "names": list(sets[self.features]), "trained": dict(self.trained)}
        arrayfile.write(path, KIND, VERSION, facts, arrays)

    @classmethod
    def load(cls, path: str | Path | Traversable, sets: Mapping[str, tuple[str, ...]] = FEATURE_SETS) -> SvmModel:
        """Read a model; raise BadModel for a file that is not one, or whose arrays or features do not fit."""
        facts, arrays = arrayfile.read(path, KIND, VERSION, ARRAYS)
        features, trained = facts.get("features"), facts.get("trained")
        if not isinstance(features, str) or not isinstance(trained, dict):
            raise BadModel(f"{path}: a damaged model: it does not name its features")
        gamma, offset = float(arrays.pop("gamma")), float(arrays.pop("offset"))
        model = cls(features=features, gamma=gamma, offset=offset, trained=trained, **arrays)
        problem = find_problem(model, sets)
        if not problem and facts.get("names") != list(sets[features]):
            problem = f"it was trained when the feature set '{features}' held other features: train it again"
        if problem:
            raise BadModel(f"{path}: {problem}")
        return model


def find_problem(model: SvmModel, sets: Mapping[str, tuple[str, ...]]) -> str | None:
    """Return what is wrong with a model, or None: what `margins` relies on to be quick and finite."""
    if model.features not in sets:
        return f"the feature set {model.features[:40]!a} is not known: there are {', '.join(sets)}"
    width, vectors = len(sets[model.features]), model.vectors
    if any(column.shape != (width,) for column in (model.centre, model.scale)) or vectors.shape[1:] != (width,):
        return f"its arrays are not those of the {width} features of '{model.features}'"
    if not 1 <= len(vectors) <= MOST_VECTORS or model.coefficients.shape != (len(vectors),):
        return f"{len(vectors):,} vectors with {len(model.coefficients):,} coefficients (at most {MOST_VECTORS:,})"
    if not (model.scale > 0).all():
        return "a scale that is not above 0"
    if not 0 < model.gamma <= MOST_GAMMA:
        return f"gamma is {model.gamma:g}"
    if not (np.abs(vectors) <= FARTHEST).all():
        return "a vector that is too far out"
    if not (np.abs(model.coefficients) <= MOST_WEIGHT).all() or not abs(model.offset) <= MOST_WEIGHT:
        return "coefficients that are too large"
    return None


@cache
def shipped() -> SvmModel:
    """Return the model that comes with Pagesieve, read once."""
    return SvmModel.load(resources.files("pagesieve").joinpath(SHIPPED))
