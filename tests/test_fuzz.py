"""A short run of every fuzz target; the mutators; and the runner, with targets that crash and hang."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tools.fuzz import __main__ as program
from tools.fuzz import mutators, runner, seeds
from tools.fuzz.bench import Bench
from tools.fuzz.shrinking import shrunk
from tools.fuzz.targets import TARGETS

from tests.bad_targets import BAD, WRONG

CASES = 12  # for each target
SEED = 1


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with Bench(tmp_path_factory.mktemp("bench")) as opened:
        yield opened


@pytest.mark.parametrize("name", TARGETS)
def test_a_short_run_finds_no_fault(name: str, bench: Bench) -> None:
    target = TARGETS[name]
    for number in range(CASES):
        result = runner.fault(target, target.case(name, SEED, number), bench)
        assert not isinstance(result, tuple), f"case {number}: {result}"


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_answered(name: str, bench: Bench) -> None:
    results = [runner.fault(TARGETS[name], seed, bench) for seed in TARGETS[name].seeds()[:3]]
    assert True in results
    assert not any(isinstance(result, tuple) for result in results), results


def test_the_same_seed_gives_the_same_cases() -> None:
    for name, target in TARGETS.items():
        first, again, other = ([target.case(name, seed, number) for number in range(3)] for seed in (7, 7, 8))
        assert first == again, name
        assert first != other, name


def test_archives_are_changed_inside_of_their_members() -> None:
    rng = random.Random(1)
    changed = [mutators.archive(rng, seeds.archives()) for _ in range(40)]
    assert sum(one.startswith(b"\x1f\x8b") for one in changed) > 10
    assert len(set(changed)) > 30


# The runner


@pytest.fixture
def _bad_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "SERVE", (sys.executable, "-m", "tests.bad_targets"))
    monkeypatch.setattr(runner, "CASE_SECONDS", 2.0)
    for name, target in BAD.items():
        monkeypatch.setitem(TARGETS, name, target)


@pytest.mark.usefixtures("_bad_targets")
@pytest.mark.parametrize(
    ("name", "problems", "answered"),
    [
        ("refuses", [], 6),
        ("raises", ["Fault: three or five"], 6),
        ("crashes", ["the process died: SIGABRT"], 6),
        ("hangs", ["no answer within 2 s"], 6),
    ],
)
def test_faults_are_found_and_the_run_goes_on(name: str, problems: list[str], answered: int) -> None:
    outcome = runner.run_target(name, SEED, cases=8, until=None)
    assert (outcome.cases, outcome.answered) == (8, answered)
    assert [one.problem.partition(" (")[0] for one in outcome.found] == problems
    assert [(one.number, one.data) for one in outcome.found] == [(WRONG[0], b"3")] * len(problems)


@pytest.mark.usefixtures("_bad_targets")
def test_a_fault_is_a_line_and_a_file_to_replay(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert program.main(["raises", "refuses", "--cases", "6", "--found", str(tmp_path)]) == 1
    out, problem = capfd.readouterr()
    assert "raises: 6 cases" in out
    assert "refuses: 6 cases" in out
    assert problem.startswith("raises: Fault: three or five")
    (path,) = tmp_path.iterdir()
    assert path.read_bytes() == b"3"
    assert program.main(["--replay", str(path)]) == 1
    path.write_bytes(b"4")
    assert program.main(["--replay", str(path)]) == 0


def test_cases_are_made_smaller() -> None:
    assert shrunk(b"x" * 500 + b"<b" + b"y" * 300 + b">", lambda data: b"<b" in data and b">" in data) == b"<b>"
