"""The tools for developers: the build under the sanitizers, and long runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tools import sanitize, soak
from tools.soak import Fifth

from pagesieve.errors import MissingBrowser
from pagesieve.fetching.chromium import find_browser
from pagesieve.page.kernel.modules import COMPILED


@pytest.mark.parametrize(
    ("source", "checked"),
    [
        ("# cython: boundscheck=False, wraparound=False", "# cython: boundscheck=True, wraparound=False"),
        ("@cython.boundscheck(False)", "@cython.boundscheck(True)"),
        ("# cython: initializedcheck=False", "# cython: initializedcheck=True"),
    ],
)
def test_every_check_is_switched_on(source: str, checked: str) -> None:
    assert sanitize.UNCHECKED.sub(r"\1\2True", source) == checked


def test_the_sanitizers_run_every_test_of_the_kernel() -> None:
    tests = sanitize._kernel_tests()
    assert {"tests/test_builders.py", "tests/test_partial.py", "tests/test_model.py"} <= set(tests)
    assert all((sanitize.ROOT / name).is_file() for name in tests)


@pytest.mark.slow
def test_the_sanitized_targets_reach_every_module_of_the_kernel(root: Path) -> None:
    command = [sys.executable, "-m", "tools.fuzz.reach"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    by_tests = {"roles"}  # by tests/writing/test_document.py, which the sanitizers run, too
    assert "tests/writing/test_document.py" in sanitize._kernel_tests()
    assert set(COMPILED) - set(done.stdout.split()) <= by_tests


# Long runs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["process", "--pages", "1000"], "one process: 1,000 pages"),
        (["child", "--pages", "1000"], "page process: 1,000 pages"),
        (["browser", "--browser-pages", "10"], "browser: 10 pages"),
    ],
)
def test_a_short_soak_finds_nothing_that_grows(options: list[str], told: str, root: Path) -> None:
    if "browser" in options:
        try:
            find_browser()
        except MissingBrowser as error:
            pytest.skip(str(error))
    command = [sys.executable, "-m", "tools.soak", *options]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    problems = done.stderr.splitlines()
    assert done.returncode == bool(problems)
    assert [problem for problem in problems if ": a page took " not in problem] == []  # that depends on other programs
    assert told in done.stdout


@pytest.mark.parametrize(
    ("memory", "seconds", "problems"),
    [
        (101.0, 0.0031, []),
        (140.0, 0.003, ["x: memory grew from 100 to 140 MB"]),
        (100.0, 0.006, ["x: a page took 3.00 ms at first and 6.00 ms at the end"]),
    ],
)
def test_what_grows_is_told(memory: float, seconds: float, problems: list[str]) -> None:
    first, last = Fifth([100.0], [0.003]), Fifth([memory], [seconds])
    assert soak.growth("x", [first, first, last]) == problems


def test_processes_below_this_one_are_seen() -> None:
    with subprocess.Popen(["sleep", "30"]) as sleeper:
        try:
            assert sleeper.pid in soak.descendants(os.getpid())
        finally:
            sleeper.kill()
    assert sleeper.pid not in soak.descendants(os.getpid())
