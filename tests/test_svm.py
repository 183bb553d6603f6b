"""The support vector machine: its margins are scikit-learn's, and a file that does not fit is refused."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pagesieve import arrayfile
from pagesieve.errors import BadModel
from pagesieve.methods import svm
from pagesieve.methods.svm import ARRAYS, KIND, MAX_DISTANCE, MAX_VECTORS, VERSION, SvmModel

SETS = {"three": ("length", "links", "images"), "two": ("length", "links")}


def f32(*values: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.array(values, dtype=np.float32)


SMALL = SvmModel(
    features="three",
    centre=f32(0.5, 0, -1),
    scale=f32(1, 2, 0.5),
    vectors=f32([0, 0, 0], [1, -1, 2]),
    coefficients=f32(1.5, -0.5),
    gamma=0.25,
    offset=-0.125,
    trained={"sets": ["ours"], "f1": 0.9},
)


# Margins


def test_margins_by_hand() -> None:
    # Scaled: the first vector itself, then (1, 1, 2): at 6 from the first, at 4 from the second.
    rows = np.array([[0.5, 0, -1], [1.5, 2, 0]])
    second = 1.5 * np.exp(-0.25 * 6) - 0.5 * np.exp(-0.25 * 4) - 0.125
    expected = [1.5 - 0.5 * np.exp(-0.25 * 6) - 0.125, second]
    np.testing.assert_allclose(SMALL.margins(rows), expected, rtol=1e-6)


@pytest.mark.parametrize(("gamma", "cost"), [(0.01, 1), (0.3, 10), (4.0, 100)])
def test_margins_are_those_of_scikit_learn(gamma: float, cost: float) -> None:
    sklearn_svm = pytest.importorskip("sklearn.svm")
    random = np.random.default_rng(7)
    rows = random.gamma(1.0, 3.0, size=(400, 9))
    labels = rows[:, 0] * rows[:, 1] > rows[:, 2] ** 2
    centre, scale = rows.mean(axis=0), rows.std(axis=0)
    machine = sklearn_svm.SVC(C=cost, gamma=gamma).fit((rows - centre) / scale, labels)
    model = SvmModel(
        features="nine",
        centre=centre.astype(np.float32),
        scale=scale.astype(np.float32),
        vectors=machine.support_vectors_.astype(np.float32),
        coefficients=machine.dual_coef_[0].astype(np.float32),
        gamma=gamma,
        offset=float(machine.intercept_[0]),
    )
    others = random.gamma(1.0, 3.0, size=(3000, 9))
    expected = machine.decision_function((others - centre) / scale)
    np.testing.assert_allclose(model.margins(others), expected, atol=1e-5 * np.abs(model.coefficients).sum())
    assert ((model.margins(others) > 0) == (expected > 0)).mean() > 0.999


def test_no_blocks_have_no_margins() -> None:
    found = SMALL.margins(np.zeros((0, 3)))
    assert found.shape == (0,)
    assert found.dtype == np.float32


def test_many_blocks_take_little_memory() -> None:
    random = np.random.default_rng(1)
    model = SvmModel(
        features="thirty",
        centre=np.zeros(30, dtype=np.float32),
        scale=np.ones(30, dtype=np.float32),
        vectors=random.normal(size=(500, 30)).astype(np.float32),
        coefficients=random.normal(size=500).astype(np.float32),
        gamma=0.05,
        offset=0.5,
    )
    rows = random.normal(size=(100_000, 30)).astype(np.float32)
    tracemalloc.start()
    try:
        found = model.margins(rows)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000
    step = svm.TILE_PRODUCTS // (svm.TILE_VECTORS * 32)
    some = [0, 1, step - 1, step, step + 1, 99_999]
    # Each row alone, as the definition has it: no chunk is left out or mixed up.
    distances = ((rows[some, None] - model.vectors[None]).astype(np.float64) ** 2).sum(axis=2)
    expected = np.exp(-0.05 * distances) @ model.coefficients + 0.5
    np.testing.assert_allclose(found[some], expected, atol=1e-4)


@given(
    arrays.arrays(np.float32, (5, 3), elements=st.floats(width=32, allow_nan=False, allow_infinity=False)),
    st.sampled_from([1e-30, 0.25, 1e6]),
)
def test_margins_are_finite_whatever_the_features(rows: Any, gamma: float) -> None:
    far = f32([MAX_DISTANCE, -MAX_DISTANCE, MAX_DISTANCE], [0, 0, 0])
    model = replace(SMALL, gamma=gamma, vectors=far, scale=f32(1e-38, 1, 3e38), coefficients=f32(1e30, -1e30))
    assert np.isfinite(model.margins(rows)).all()


# Saving and loading


def test_a_saved_model_is_the_same(tmp_path: Path) -> None:
    SMALL.save(tmp_path / "a", SETS)
    found = SvmModel.load(tmp_path / "a", SETS)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(found, name), getattr(SMALL, name))
    assert (found.features, found.trained) == (SMALL.features, SMALL.trained)
    rows = np.random.default_rng(3).normal(size=(50, 3))
    np.testing.assert_array_equal(found.margins(rows), SMALL.margins(rows))
    found.save(tmp_path / "b", SETS)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


MISFITS: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown set": ({"features": "four\n"}, r"'four\n' is not known: there are three, two"),
    "a set of another width": ({"features": "two"}, "the 2 features of 'two'"),
    "a short centre": ({"centre": f32(0, 0)}, "the 3 features of 'three'"),
    "a long scale": ({"scale": f32(1, 1, 1, 1)}, "the 3 features"),
    "narrow vectors": ({"vectors": f32([0, 0], [1, 1])}, "the 3 features"),
    "no vectors": ({"vectors": np.zeros((0, 3), np.float32), "coefficients": f32()}, "0 vectors"),
    "a coefficient too few": ({"coefficients": f32(1)}, "2 vectors with 1 coefficients"),
    "too many vectors": (
        {
            "vectors": np.zeros((MAX_VECTORS + 1, 3), np.float32),
            "coefficients": np.zeros(MAX_VECTORS + 1, np.float32),
        },
        "20,001 vectors",
    ),
    "a scale of 0": ({"scale": f32(1, 0, 1)}, "not above 0"),
    "a scale below 0": ({"scale": f32(1, 1, -1)}, "not above 0"),
    "gamma of 0": ({"gamma": 0.0}, "gamma is 0"),
    "gamma below 0": ({"gamma": -1.0}, "gamma is -1"),
    "a huge gamma": ({"gamma": 1e300}, "gamma is 1e+300"),
    "a vector far out": ({"vectors": f32([0, 0, 0], [0, 0, 3e38])}, "too far out"),
    "a huge coefficient": ({"coefficients": f32(3e38, 1)}, "too large"),
    "a huge offset": ({"offset": -1e300}, "too large"),
}


@pytest.mark.parametrize("name", MISFITS)
def test_a_model_that_does_not_fit_is_neither_written_nor_read(name: str, tmp_path: Path) -> None:
    changed, message = MISFITS[name]
    model = replace(SMALL, **changed)
    with pytest.raises(BadModel) as caught:
        model.save(tmp_path / "saved", SETS)
    assert message in str(caught.value)
    assert not (tmp_path / "saved").exists()
    facts = {"features": model.features, "names": list(SETS["three"]), "trained": {}}
    columns = {name: np.asarray(getattr(model, name), dtype=spec.dtype) for name, spec in ARRAYS.items()}
    arrayfile.write(tmp_path / "forged", KIND, VERSION, facts, columns)
    with pytest.raises(BadModel) as caught:
        SvmModel.load(tmp_path / "forged", SETS)
    assert str(caught.value).startswith(f"{tmp_path / 'forged'}: ")
    assert message in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({}, "does not name its features"),
        ({"features": ["three"], "trained": {}}, "does not name its features"),
        ({"features": "three", "trained": 7}, "does not name its features"),
        ({"features": "three", "trained": {}}, "held other features"),
        ({"features": "three", "names": ["length", "images", "links"], "trained": {}}, "held other features"),
    ],
)
def test_facts_that_do_not_fit(facts: dict[str, Any], message: str, tmp_path: Path) -> None:
    columns = {name: np.asarray(getattr(SMALL, name), dtype=spec.dtype) for name, spec in ARRAYS.items()}
    arrayfile.write(tmp_path / "m", KIND, VERSION, facts, columns)
    with pytest.raises(BadModel, match=message):
        SvmModel.load(tmp_path / "m", SETS)


def test_a_model_of_another_version(tmp_path: Path) -> None:
    columns = {name: np.asarray(getattr(SMALL, name), dtype=spec.dtype) for name, spec in ARRAYS.items()}
    arrayfile.write(tmp_path / "m", KIND, VERSION + 1, {}, columns)
    with pytest.raises(BadModel, match=f"version {VERSION + 1}; this Pagesieve reads version {VERSION}"):
        SvmModel.load(tmp_path / "m", SETS)


# The one that comes with Pagesieve


@pytest.mark.skipif(not (Path(svm.__file__).parents[1] / svm.SHIPPED).exists(), reason="no model is shipped yet")
def test_the_shipped_model() -> None:
    model = svm.shipped()
    assert model is svm.shipped()
    path = Path(svm.__file__).parents[1] / svm.SHIPPED
    assert path.stat().st_size < 1_000_000
    assert path.with_suffix(".md").exists(), "its card"
    assert np.isfinite(model.margins(np.zeros((3, len(model.centre))))).all()
