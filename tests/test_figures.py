"""The charts and tables of the docs: drawn from what was measured, and as it was measured."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from docs import make_way

from pagesieve.evaluate.floors import read_floors

ROOT = Path(__file__).parent.parent
IMAGES = sorted([*ROOT.glob("docs/images/*"), *ROOT.glob("docs/methods/pictures/*")])
MAX_BYTES = 150_000
MEASURED = {
    "versions": {"pagesieve": "1", "trafilatura": "2", "resiliparse": "3", "readability": "4", "justext": "5"},
    "unseen": {
        "omnivore": {
            "auto": {"pages": 10, "f1": 0.9},
            "trafilatura": {"pages": 10, "f1": 0.91},
            "resiliparse": {"pages": 10, "f1": 0.5},
            "readability": {"pages": 10, "f1": 0.91},
            "justext": {"pages": 10, "f1": 0.1},
        },
    },
    "cross_validated": {
        "news424": {
            name: {"pages": 5, "f1": f1}
            for name, f1 in [
                ("auto", 1.0),
                ("trafilatura", 0.25),
                ("resiliparse", 0.5),
                ("readability", 0.75),
                ("justext", 0.0),
            ]
        },
    },
    "speed": {
        name: {"times": times}
        for name, times in [
            ("auto", 1.0),
            ("trafilatura", 8.04),
            ("resiliparse", 0.64),
            ("readability", 12.3),
            ("justext", 5),
        ]
    },
}


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("figures")


@pytest.mark.parametrize("name", ["README.md", "benchmarks/README.md"])
def test_the_tables_are_as_measured(figures: ModuleType, name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert figures.with_tables(text) == text, "run python benchmarks/figures.py"
    blocks = {block for _, block, _ in figures.BLOCK.findall(text)}
    assert blocks == ({"claim", "peers"} if name == "README.md" else {*figures.WRITERS} - {"claim"})


def test_the_table_marks_the_best_and_keeps_what_was_trained_on_apart(figures: ModuleType) -> None:
    assert figures.table(MEASURED)[2:] == [
        "| omnivore (long blog posts) | .900 | **.910** | .500 | **.910** | .100 |",
        "| news424 (news) † | **1.000** | .250 | .500 | .750 | .000 |",
        "| mean of 1 sets † | **1.000** | .250 | .500 | .750 | .000 |",
        "| CPU time | 1× | 8× | 0.64× | 12× | 5× |",
    ]


def test_every_result_has_a_command_whose_script_exists_and_a_place_in_a_table(figures: ModuleType) -> None:
    names = [path.stem for path in (ROOT / "benchmarks/results").iterdir()]
    assert sorted(names) == sorted([*figures.ACCURACY, *figures.SPEED, *figures.SCALE, *figures.TABLES])
    scripts = {path.name for folder in ("benchmarks", "research", "tests") for path in (ROOT / folder).glob("*.py")}
    for name in names:
        result = figures.read_result(f"results/{name}")
        assert set(result) <= {"title", "command", "measures", "table", "data"}
        for script in re.findall(r"(\w+\.py)\b|-m \w+\.(\w+)", result["command"]):
            assert (script[0] or f"{script[1]}.py") in scripts, result["command"]


@pytest.mark.parametrize(
    ("measure", "cells"),
    [
        ({"measured": 2.5, "at_most": 2.50, "form": "{:.2f} s"}, ("≤ 2.5 s", "2.50 s", "yes")),
        ({"measured": 0.8994, "at_least": 0.9, "form": "{:.4f}"}, ("≥ 0.9", "0.8994", "**no**")),
        ({"measured": 0.955, "at_least": 0.9, "form": "f1"}, ("≥ .9", ".955", "yes")),
        ({"measured": 12, "at_least": 10, "form": "{:d}"}, ("≥ 10", "12", "yes")),
        ({"measured": {"a": 1, "b": 3, "c": 2}, "at_most": 2}, ("≤ 2", "a 1, b 3, c 2", "**no**, by 1 of 3")),
        ({"measured": "1, 9 MB", "target": "flat", "reached": False}, ("flat", "1, 9 MB", "**no**")),
        ({"measured": "1, 2 MB", "target": "flat", "reached": "nearly"}, ("flat", "1, 2 MB", "nearly")),
        ({"measured": 7}, ("", "7", "")),
    ],
)
def test_a_table_says_whether_a_target_is_reached(
    figures: ModuleType, measure: dict[str, Any], cells: tuple[str, ...]
) -> None:
    assert figures.measure_cells({"what": "x", **measure}) == ("x", *cells)


def test_the_ratios_are_counted_by_their_targets(figures: ModuleType) -> None:
    sets = {"a": {"x": [0.7, 0.9]}, "b": {"x": [1.0, 0.5]}}
    assert figures.reached_by(sets, "x", ("≤", 0.8)) == "1 of 2"
    assert figures.reached_by(sets, "x", ("≥", 0.7)) == "2 of 2"
    assert figures.reached_by(sets, "x", ("≤", 0.5)) == "**none of 2**"


def test_a_mean_is_over_pages(figures: ModuleType) -> None:
    sets = {"a": {"x": {"pages": 1, "f1": 1.0}}, "b": {"x": {"pages": 3, "f1": 0.0}}}
    assert figures.mean_f1(sets, "x") == 0.25


def test_what_was_trained_on_is_not_measured_as_unseen(figures: ModuleType) -> None:
    measured, floors = figures.read_result(), read_floors(ROOT / "benchmarks/floors.json").of("auto")
    assert set(measured["cross_validated"]) == set(floors.trained_on)
    assert set(measured["unseen"]) == set(floors.sets)
    assert not set(floors.trained_on) & set(floors.sets)


def test_the_figures_have_nothing_of_pages() -> None:
    text = (ROOT / "benchmarks/peers.json").read_text("utf-8")
    assert set(json.loads(text)) == {"versions", "unseen", "cross_validated", "speed"}
    assert "http" not in text
    assert len(text) < 20_000


def test_the_charts_are_of_the_card_and_the_list_of_errors(figures: ModuleType) -> None:
    assert figures.learning_curve() == [(0.25, 0.912), (0.5, 0.921), (1.0, 0.925)]
    losses = figures.losses()
    assert losses[0] == ("kept: lists and tables", 0.0105)
    assert sum(lost for _, lost in losses) == pytest.approx(0.0735)


def test_the_charts_can_be_drawn_anew(figures: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "IMAGES", tmp_path)
    figures.save(figures.draw_accuracy(figures.read_result()), "accuracy_speed")
    figures.save(figures.draw_curve(figures.learning_curve()), "learning_curve")
    figures.save(figures.draw_losses(figures.losses()), "losses")
    assert all(path.read_text("utf-8").startswith("<?xml") for path in tmp_path.iterdir())
    assert len(list(tmp_path.iterdir())) == 3


def test_the_way_of_a_page_is_as_its_script_draws_it() -> None:
    assert make_way.FILE.read_text("utf-8") == make_way.picture()
    for _, _, files in [*make_way.STEPS, *make_way.RECORDS]:
        for name in files.split():
            path = ROOT / "src" / "pagesieve" / name
            assert path.exists() or path.with_suffix(".py").exists(), name


@pytest.mark.parametrize("path", IMAGES, ids=lambda path: path.name)
def test_pictures_are_small(path: Path) -> None:
    assert path.stat().st_size < MAX_BYTES
