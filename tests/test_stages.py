"""How long the stages of an extraction take."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import pagesieve
from pagesieve.cli.evaluate import evaluate
from pagesieve.stages import REST, Profile, stage

PAGE = "<title>The wall</title><h1>The wall</h1>" + "<p>A wall of sand needs some patience, and water. </p>" * 9


@stage("outer")
def outer(work: int) -> int:
    return inner(work) + sum(range(work))


@stage("inner")
def inner(work: int) -> int:
    return sum(range(work))


def test_a_stage_does_what_the_function_does() -> None:
    assert outer(10) == 90
    assert outer.__name__ == "outer"


def test_times_of_an_inner_stage_are_its_own() -> None:
    with Profile() as profile:
        outer(100_000)
    times = profile.nanoseconds
    assert set(times) == {REST, "outer", "inner"}
    assert times["inner"] > 0
    assert times["outer"] > 0
    before = dict(times)
    outer(100_000)
    assert times == before, "the profile has ended"


def test_a_stage_ends_with_an_error() -> None:
    @stage("fails")
    def fails() -> None:
        raise ValueError("always")

    with Profile() as profile:
        with pytest.raises(ValueError, match="always"):
            fails()
        inner(10)
    assert list(profile.nanoseconds) == [REST, "fails", "inner"]


def test_the_stages_of_an_extraction() -> None:
    with Profile() as profile:
        pagesieve.extract(PAGE)
    assert {"tree", "lines", "features", "forests", "decision", "headline", "writing"} <= set(profile.nanoseconds)
    assert "facts" not in profile.nanoseconds, "nobody asked for them"


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    folder = tmp_path / "some_set"
    (folder / "pages").mkdir(parents=True)
    golds = []
    for name in ("one", "two"):
        (folder / "pages" / f"{name}.html").write_text(PAGE)
        golds.append(json.dumps({"id": name, "url": f"https://{name}.example/a", "text": "A wall", "site": name}))
    (folder / "gold.jsonl").write_text("\n".join(golds))
    return folder


def test_the_command(labelled: Path) -> None:
    shown = CliRunner().invoke(evaluate, [str(labelled), "--profile"])
    assert shown.exit_code == 0, shown.output
    assert "some_set: 2 pages" in shown.output
    assert "forests" in shown.output
    written = CliRunner().invoke(evaluate, [str(labelled), "--profile", "--json", "-"])
    (found,) = json.loads(written.output)["profile"]
    assert found["pages"] == 2
    assert found["us_a_page"]["tree"] > 0


def test_a_profile_measures_no_accuracy(labelled: Path) -> None:
    refused = CliRunner().invoke(evaluate, [str(labelled), "--profile", "--against", "trafilatura"])
    assert refused.exit_code == 2
    assert "omit --against" in refused.output
