"""`pagesieve train`: what is refused before the long work, what is written after it, and a run on the example site."""

from __future__ import annotations

import json
import os
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pagesieve.training
from pagesieve.cli import main
from pagesieve.errors import BadInput
from pagesieve.methods.blocks import BlockModel
from pagesieve.methods.reverse import REVERSE_FEATURES
from pagesieve.methods.svm import FEATURE_SETS, SvmModel
from pagesieve.page.forest import Forest
from pagesieve.training.report import (
    Confusion,
    Fold,
    Scores,
    SetFigures,
    TrainingReport,
    Tried,
    as_markdown,
    plot,
    precision_recall,
)
from tests.labelled_sets import answer, pack, write_folder

EXAMPLES = Path(__file__).parent.parent / "examples"
PNG = b"\x89PNG\r\n\x1a\n"
FOLDS = 10

Run = Callable[..., "Done"]


@dataclass(frozen=True)
class Done:
    status: object
    out: str
    err: str


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*args: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["pagesieve", "train", *map(str, args)])
        with pytest.raises(SystemExit) as stop:
            main()
        return Done(stop.value.code, *capsys.readouterr())

    return call


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """A set of twelve pages of twelve sites."""
    return write_folder(tmp_path, "ours", [answer(f"p{n}", site=f"{n}.example") for n in range(12)])


REPORT = TrainingReport(
    features="paper",
    feature_names=FEATURE_SETS["paper"],
    sets=(SetFigures("ours|theirs\n", 12, 12, 40, 12),),
    tried=(Tried(1, 0.1, 0.8, 0.05), Tried(10, 0.1, 0.9, 0.04), Tried(10, 1, 0.7, 0.1)),
    chosen=(10, 0.1),
    confusion=Confusion(tp=9, fp=1, fn=3, tn=1227),
    folds=tuple(Fold(n, 1, 4, 0.9, 0.75, 0.82) for n in range(1, 11)),
    scores=Scores(np.array([2.0, 1.0, 1.0, -1.0, -9.0]), np.array([True, True, False, True, False])),
    vectors=2,
    size_bytes=1234,
    seconds=3.2,
)


def model() -> SvmModel:
    width = len(FEATURE_SETS["paper"])
    ones = np.ones(width, dtype=np.float32)
    return SvmModel("paper", ones, ones, np.ones((2, width), np.float32), np.ones(2, np.float32), 0.1, 0.0)


class FakeTraining(types.ModuleType):
    """Training that takes no time: it notes what it was asked for, and answers with a model made by hand."""

    def __init__(self) -> None:
        super().__init__("pagesieve.training.svm")
        self.asked: list[Any] = []

    @dataclass(frozen=True)
    class TrainingOptions:
        features: str = "all"
        seed: int = 0
        limit: int | None = None
        folds: int = FOLDS

    def train(self, sets: Any, options: Any, progress: Callable[[str, int, int], None]) -> Any:
        self.asked.append(([found.name for found in sets], options))
        for done in range(3):
            progress("blocks", done, 2)
        return types.SimpleNamespace(model=model(), report=REPORT)


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> FakeTraining:
    fake = FakeTraining()
    monkeypatch.setitem(sys.modules, "pagesieve.training.svm", fake)
    monkeypatch.setattr(pagesieve.training, "svm", fake, raising=False)  # where another test has imported it
    monkeypatch.setattr("pagesieve.cli.train.find_spec", lambda name: name)
    return fake


# What is written


def test_a_model_and_a_summary(labelled: Path, tmp_path: Path, run: Run, training: FakeTraining) -> None:
    done = run(labelled, "--method", "svm", "-o", tmp_path / "m", "--features", "paper", "--seed", 7, "--limit", 11)
    assert done.status == 0, done.err
    assert "precision 0.900  recall 0.750  F1 0.818" in done.out
    assert "1,227" in done.out
    assert done.err == f"pagesieve: {tmp_path / 'm'} written\n"
    assert SvmModel.load(tmp_path / "m").features == "paper"
    assert training.asked == [(["ours"], training.TrainingOptions("paper", 7, 11))]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "ours"]


@pytest.mark.parametrize("there", [True, False])
def test_a_report(there: bool, labelled: Path, tmp_path: Path, run: Run, training: FakeTraining) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "report"
    if there:
        folder.mkdir()
    archive = pack(labelled, tmp_path / "theirs.tar.xz")
    assert run(labelled, archive, "--method", "svm", "-o", tmp_path / "m", "--report", folder).status == 0
    assert sorted(path.name for path in folder.iterdir()) == ["report.md", "report.png"]
    assert (folder / "report.md").read_text("utf-8") == as_markdown(REPORT)
    assert training.asked == [(["ours", "theirs"], training.TrainingOptions())]


def test_the_report_as_markdown() -> None:
    text = as_markdown(REPORT)
    assert "| ours\\|theirs | 12 | 12 | 40 | 12 |" in text
    assert "| is text | 9 | 3 | recall 0.750 |" in text
    assert "| is noise | 1 | 1,227 |  |" in text
    assert "| **10** | **0.1** | **0.9000** | **0.0400** |" in text
    assert text.count("\n| **") == 1
    assert all(f"`{name}`" in text for name in FEATURE_SETS["paper"])


def test_precision_and_recall_as_the_margin_moves() -> None:
    # Two blocks share the margin 1: they are called text together.
    precision, recall = precision_recall(REPORT.scores)
    np.testing.assert_allclose(precision, [1, 2 / 3, 3 / 4, 3 / 5])
    np.testing.assert_allclose(recall, [1 / 3, 2 / 3, 1, 1])


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"tried": REPORT.tried[:1], "chosen": (1, 0.1)},
        {"scores": Scores(np.zeros(0), np.zeros(0, dtype=bool))},
        {"scores": Scores(np.full(3, 1e9), np.zeros(3, dtype=bool)), "confusion": Confusion(0, 3, 0, 0)},
    ],
)
def test_a_picture_is_drawn_of_anything(changed: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pictures = []
    for _ in range(2):
        plot(replace(REPORT, **changed), tmp_path / "p.png")
        pictures.append((tmp_path / "p.png").read_bytes())
    assert pictures[0].startswith(PNG)
    assert pictures[0] == pictures[1]


# What is refused, in one line, before any training


def refused(done: Done, message: str) -> None:
    assert done.status == 2
    assert done.out == ""
    assert done.err.startswith("pagesieve: ")
    assert done.err.count("\n") == 1
    assert message in done.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["{set}", "-o", "{tmp}/m"],
            "Missing option '--method' / '--model'. Choose from: auto, svm, kind, reverse. Try 'pagesieve",
        ),
        (["{set}", "--method", "svm"], "Missing option '-o'"),
        (["{set}", "--model", "svm"], "Missing option '-o'"),  # its name before
        (["{set}", "--method", "forest", "-o", "{tmp}/m"], "'forest' is not"),
        (["--method", "svm", "-o", "{tmp}/m"], "Missing argument 'FOLDER...'"),
        (["{set}", "--method", "svm", "-o", "{tmp}/m", "--features", "most"], "'most' is not one of"),
        (["{set}", "--method", "svm", "-o", "{tmp}/m", "--limit", "0"], "'--limit'"),
        (["{set}", "--method", "svm", "-o", "{tmp}/m", "--seed", "-1"], "'--seed'"),
        (["{tmp}/absent", "--method", "svm", "-o", "{tmp}/m"], "absent: does not exist"),
        (["{set}/pages", "--method", "svm", "-o", "{tmp}/m"], "there is neither gold.jsonl nor a set"),
        (["{set}", "{set}", "--method", "svm", "-o", "{tmp}/m"], "two sets are named"),
        (["{set}", "--method", "svm", "-o", "{tmp}/absent/m"], "absent does not exist"),
        (["{set}", "--method", "svm", "-o", "{tmp}"], "a folder; -o names the file to write"),
        (["{set}", "--method", "svm", "-o", "/dev/null"], "/dev/null: not a file"),
        (["{set}", "--method", "svm", "-o", "{tmp}/m", "--report", "{tmp}/absent/r"], "absent does not exist"),
        (["{set}", "--method", "svm", "-o", "{tmp}/m", "--report", "{set}/gold.jsonl"], "--report names a folder"),
        (["{set}", "--method", "svm", "-o", "{tmp}/m", "--limit", "9"], "9 sites in 9 pages; 10 folds"),
    ],
)
def test_bad_usage(
    args: list[str], message: str, labelled: Path, tmp_path: Path, run: Run, training: FakeTraining
) -> None:
    done = run(*(arg.format(set=labelled, tmp=tmp_path) for arg in args))
    refused(done, message)
    assert training.asked == []
    assert [path.name for path in tmp_path.iterdir()] == ["ours"]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([answer(f"p{n}", site="one.example") for n in range(30)], "1 sites in 30 pages; 10 folds of sites need"),
        ([answer(f"p{n}", site=f"{n}.example", text=" \n") for n in range(12)], "no page of poor has a text"),
        ([answer(f"p{n}", site=None) for n in range(9)], "9 sites in 9 pages"),
    ],
)
def test_poor_sets(answers: list[Any], message: str, tmp_path: Path, run: Run, training: FakeTraining) -> None:
    folder = write_folder(tmp_path, "poor", answers)
    refused(run(folder, "--method", "svm", "-o", tmp_path / "m"), message)
    assert training.asked == []


@pytest.mark.parametrize(("module", "args"), [("sklearn", []), ("matplotlib", ["--report", "r"])])
def test_a_missing_extra(
    module: str, args: list[str], labelled: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # The other one counts as installed.
    monkeypatch.setattr("pagesieve.cli.train.find_spec", lambda name: None if name == module else name)
    refused(run(labelled, "--method", "svm", "-o", "m", *args), "pip install 'scikit-learn")


# What goes wrong on the way


def test_an_error_of_the_training(labelled: Path, tmp_path: Path, run: Run, training: FakeTraining) -> None:
    def fail(*_: Any) -> None:
        raise BadInput("ours: no block of any page is text")

    training.train = fail  # type: ignore[method-assign, assignment]
    refused(run(labelled, "--method", "svm", "-o", tmp_path / "m"), "no block of any page is text")


@pytest.mark.parametrize("when", ["training", "writing"])
def test_an_interrupt_leaves_no_half_file(
    when: str, labelled: Path, tmp_path: Path, run: Run, training: FakeTraining, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    if when == "training":
        training.train = stop  # type: ignore[method-assign, assignment]
    else:
        monkeypatch.setattr(os, "fsync", stop)
    done = run(labelled, "--method", "svm", "-o", tmp_path / "m")
    assert (done.status, done.out, done.err) == (130, "", "pagesieve: interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["ours"]


def test_progress_is_shown_where_somebody_watches(
    labelled: Path, tmp_path: Path, run: Run, training: FakeTraining, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    done = run(labelled, "--method", "svm", "-o", tmp_path / "m")
    assert done.status == 0
    assert "2/2" in done.err


# The real thing


@pytest.fixture
def example_set(tmp_path: Path) -> Path:
    """The articles of the example site as a set, dealt out to twelve sites."""
    folder = tmp_path / "example"
    (folder / "pages").mkdir(parents=True)
    lines = []
    for number, line in enumerate((EXAMPLES / "gold.jsonl").read_text("utf-8").splitlines()):
        row = json.loads(line)
        (folder / "pages" / f"{number}.html").write_bytes((EXAMPLES / "site" / row["id"]).read_bytes())
        lines.append(json.dumps({**row, "id": str(number), "site": f"{number % 12}.example"}))
    (folder / "gold.jsonl").write_text("\n".join(lines), "utf-8")
    return folder


def test_training_on_the_example_site(example_set: Path, tmp_path: Path, run: Run) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    files = []
    for name in ("first", "second"):
        done = run(example_set, "--method", "svm", "-o", tmp_path / name, "--report", tmp_path / "report")
        assert done.status == 0, done.err
        assert done.err == f"pagesieve: {tmp_path / name} written\n"
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1]
    trained = SvmModel.load(tmp_path / "first")
    assert trained.features == "all"
    assert f"{len(trained.vectors):,} vectors of {len(FEATURE_SETS['all'])} features" in done.out
    report = (tmp_path / "report" / "report.md").read_text("utf-8")
    assert "| example | 25 | 12 |" in report
    assert (tmp_path / "report" / "report.png").read_bytes().startswith(PNG)


def train_briefly(monkeypatch: pytest.MonkeyPatch, *, folds: int) -> None:
    """Let the training of the default take few folds, and forests of few trees."""
    auto = pytest.importorskip("pagesieve.training.auto")
    monkeypatch.setattr(auto, "FOLDS", folds)
    monkeypatch.setitem(auto.FOREST, "max_iter", 3)


def test_training_the_default_on_the_example_site(
    example_set: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_briefly(monkeypatch, folds=2)
    done = run(example_set, "--method", "auto", "-o", tmp_path / "model", "--report", tmp_path / "report")
    assert done.status == 0, done.err
    assert "example" in done.out
    trained = BlockModel.load(tmp_path / "model")
    assert trained.trained == {"pages": 25, "sets": {"example": 25}}
    assert trained.thresholds.tolist() == sorted(trained.thresholds.tolist(), reverse=True)
    report = (tmp_path / "report" / "report.md").read_text("utf-8")
    assert "## The worst 30 pages" in report
    assert "| example | 25 |" in report
    assert "## Worth of more pages" in report


def test_training_the_shipped_model_on_the_example_site(
    example_set: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_briefly(monkeypatch, folds=5)  # with fewer, a fold has too few pages to compose others from them
    from research import train

    for name in ("first", "second"):
        monkeypatch.setattr("sys.argv", ["train", "auto", str(example_set), "-o", str(tmp_path / name)])
        train.main()
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    trained = BlockModel.load(tmp_path / "first").trained
    composed = trained["sets"]["composed"]
    assert trained == {"pages": 25 + composed, "sets": {"example": 25, "composed": composed}}
    assert composed


def test_training_the_forest_of_reverse(
    example_set: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(pytest.importorskip("pagesieve.training.reverse").FOREST, "max_iter", 8)
    done = run(example_set, "--method", "reverse", "-o", tmp_path / "reverse")
    assert done.status == 0, done.err
    assert "example" in done.out
    forest = Forest.load(tmp_path / "reverse", "reverse", REVERSE_FEATURES)
    assert 0 < forest.trained["threshold"] < 1
    assert forest.trained["pages"] > 20
    assert run(example_set, "--method", "reverse", "-o", tmp_path / "x", "--seed", "3").status == 2


@pytest.mark.parametrize("option", [["--seed", "1"], ["--features", "paper"]])
def test_options_that_mean_nothing_to_the_default(
    option: list[str], example_set: Path, tmp_path: Path, run: Run
) -> None:
    refused(
        run(example_set, "--method", "auto", "-o", tmp_path / "m", *option), f"{option[0]} is not for --method auto"
    )
