"""Run targets in child processes, which are replaced after a crash or a case that does not end.

A child makes its cases itself, writes each to a file before it begins with it, and tells its number. Where it dies or
hangs, its parent takes the case from that file and starts another child behind it.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tools.fuzz.bench import Bench
from tools.fuzz.checks import Fault
from tools.fuzz.targets import TARGETS, Target

from pagesieve.errors import PagesieveError

ROOT = Path(__file__).parents[2]
SERVE = (sys.executable, "-m", "tools.fuzz", "--serve")  # starts a child, with the arguments of `serve`
CASE_SECONDS = 20.0  # after which a case hangs: most take milliseconds, on a busy machine some more
START_SECONDS = 300.0  # until a child begins its first case: under a sanitizer, making the seeds takes long
MAX_LINE_LENGTH = 160
CURRENT = "current"  # the file with the case that runs


@dataclass(frozen=True, slots=True)
class Found:
    """A fault: the target, the number of its case and the case, what happened, and what the same fault is known by."""

    target: str
    number: int
    data: bytes
    problem: str
    place: str


@dataclass
class Outcome:
    """What became of the cases of a target."""

    cases: int = 0
    answered: int = 0  # by something other than an error of our own
    found: list[Found] = field(default_factory=list)
    seconds: float = 0.0


def fault(run: Target, data: bytes, bench: Bench) -> tuple[str, str] | bool:
    """Run a case: whether it was answered, or what went wrong and where."""
    unraised: list[str] = []
    sys.unraisablehook = lambda problem: unraised.append(f"{problem.exc_value!r} in {problem.object!r}")
    try:
        run.run(data, bench)
        answered = True
    except PagesieveError:
        answered = False
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        place = next((f"{Path(one.filename).name}:{one.lineno}" for one in reversed(frames)), "")
        known_by = str(error).partition(":")[0] if isinstance(error, Fault) else place
        return f"{type(error).__name__}: {error} ({place})", f"{type(error).__name__} {known_by}"
    return ("".join(unraised), unraised[0][:MAX_LINE_LENGTH]) if unraised else answered


# The child


def serve(name: str, seed: int, first: int, last: int | None, cases: Path) -> None:
    """Run the cases from one number to before another; a line of JSON on standard output for each begin and fault.

    The case that runs, and each that finds a fault, is a file in the folder `cases`.
    """
    target = TARGETS[name]
    with TemporaryDirectory() as folder, Bench(Path(folder)) as bench:
        for number in count(first) if last is None else range(first, last):
            data = target.case(name, seed, number)
            (cases / CURRENT).write_bytes(data)
            _say(begin=number)
            result = fault(target, data, bench)
            if isinstance(result, tuple):
                (cases / str(number)).write_bytes(data)
                _say(number=number, problem=result[0], place=result[1])
            elif result:
                _say(answered=number)
    _say(end=True)


def _say(**told: object) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


# The parent


def run_target(name: str, seed: int, cases: int | None, until: float | None) -> Outcome:
    """Run the cases of a target: so many, or until a time of the monotonic clock."""
    outcome = Outcome()
    started = time.monotonic()
    places: set[str] = set()
    first = 0
    while (cases is None or first < cases) and (until is None or time.monotonic() < until):
        with TemporaryDirectory() as folder:
            for one in _attended(name, seed, (first, cases), until, outcome, Path(folder)):
                if one.place not in places:  # many cases find the same fault
                    places.add(one.place)
                    outcome.found.append(one)
        first = outcome.cases
    outcome.seconds = time.monotonic() - started
    return outcome


def _attended(
    name: str, seed: int, numbers: tuple[int, int | None], until: float | None, outcome: Outcome, folder: Path
) -> Iterator[Found]:
    """Start a child and yield what it finds, until it ends, dies, hangs, or the time is over."""
    first, last = numbers
    command = [*SERVE, name, str(seed), str(first), str(last or ""), str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, env=_environment()) as child:
        assert child.stdout is not None
        lines = _Lines(child.stdout.fileno())
        number, limit = None, START_SECONDS
        told: dict[str, Any] = {}
        while not {"end", "died", "hangs", "over"} & told.keys():
            told = _told(lines, limit, until)
            if "begin" in told:
                number, limit = told["begin"], CASE_SECONDS
                outcome.cases = number + 1
            elif "answered" in told:
                outcome.answered += 1
            elif "problem" in told:
                data = (folder / str(told["number"])).read_bytes()
                yield Found(name, told["number"], data, told["problem"], told["place"])
        if "end" not in told:
            child.kill()
        status = child.wait()
    if "died" in told or "hangs" in told:
        if number is None:
            raise RuntimeError(f"{name}: the process does not start")
        problem = f"the process died: {_cause(status)}" if "died" in told else f"no answer within {CASE_SECONDS:.0f} s"
        yield Found(name, number, (folder / CURRENT).read_bytes(), problem, next(iter(told)))


def _told(lines: _Lines, limit: float, until: float | None) -> dict[str, Any]:
    """Return what a child says next; or that it died, hangs, or that the time is over."""
    left = limit if until is None else min(limit, until - time.monotonic())
    line = lines.next(left) if left > 0 else None
    if line:
        said: dict[str, Any] = json.loads(line)
        return said
    if line is not None:
        return {"died": True}
    return {"over": True} if until is not None and time.monotonic() >= until else {"hangs": True}


def _environment() -> dict[str, str]:
    return os.environ | {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}


def _cause(status: int) -> str:
    return signal.Signals(-status).name if -status in {*signal.Signals} else f"exit status {status}"


class _Lines:
    """The lines of a pipe, each waited for no longer than a limit."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._held = b""

    def next(self, seconds: float) -> bytes | None:
        """Return the next line; empty where the pipe is closed, None where none came."""
        until = time.monotonic() + seconds
        while b"\n" not in self._held:
            ready, _, _ = select.select([self._file], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                return None
            piece = os.read(self._file, 1 << 16)
            if not piece:
                return b""
            self._held += piece
        line, _, self._held = self._held.partition(b"\n")
        return line
