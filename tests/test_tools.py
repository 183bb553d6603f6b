"""The tools for developers: the fuzzer of the kernel, and the build under the sanitizers."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tools import fuzz_kernel, sanitize

from pagesieve.errors import NothingFound


def test_the_fuzzer_finds_no_fault(root: Path) -> None:
    command = [sys.executable, "tools/fuzz_kernel.py", "--pages", "20"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "20 pages" in done.stdout
    assert "no fault" in done.stdout


def test_the_same_seed_gives_the_same_pages() -> None:
    sources = [b"<p>one</p>" * 9, b"<ul><li>two</ul>" * 9]
    first, again, other = (list(fuzz_kernel._mutated(sources, seed, 20)) for seed in (7, 7, 8))
    assert first == again
    assert first != other
    assert len(set(first)) > 15


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (IndexError("Out of bounds on buffer access (axis 0)"), "IndexError: Out of bounds on buffer access (axis 0)"),
        (NothingFound("no article"), None),
        (None, None),
    ],
)
def test_only_errors_of_our_own_are_answers(error: Exception | None, problem: str | None) -> None:
    def entry(data: bytes) -> None:
        if error is not None:
            raise error

    answers = Counter[str]()
    assert fuzz_kernel._try(entry, b"<p>", answers, "entry") == problem
    assert answers["entry"] == (error is None)


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
