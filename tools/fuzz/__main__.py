"""Fuzz targets: python -m tools.fuzz [TARGET…] [--minutes 60 | --cases N] [--seed 7] [--jobs 1] [--found FOLDER]

Without --cases each target has its share of the minutes, and where atheris is installed (`pip install atheris`) it
looks for cases by what they reach; `--engine mutators` does without. With --cases the mutators make so many for each
target, the same in every run of the same seed. A fault is one line, and a file in FOLDER that `--replay` runs again
(and `--shrink` makes smaller). The exit status is 1 where there is one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.fuzz import guided
from tools.fuzz.bench import Bench
from tools.fuzz.runner import Found, Outcome, fault, run_target, serve
from tools.fuzz.shrinking import shrunk
from tools.fuzz.targets import TARGETS

FOUND = Path("build/fuzz")


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is asked for; return 1 where a fault was found."""
    given = _parser().parse_args(arguments)
    if given.serve:
        name, seed, first, last, folder = given.serve
        serve(name, int(seed), int(first), int(last) if last else None, Path(folder))
        return 0
    if given.guide:
        guided.serve(*given.guide)
        return 0
    if given.replay or given.shrink:
        return _replay(given.replay or given.shrink, given.targets, bool(given.shrink))
    return _fuzz(given)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("targets", metavar="TARGET", nargs="*", help=f"all by default: {', '.join(TARGETS)}")
    parser.add_argument("--minutes", type=float, default=60.0, help="for all targets together")
    parser.add_argument("--cases", type=int, help="for each target, instead of minutes")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time")
    parser.add_argument("--engine", choices=("atheris", "mutators"), help="atheris where it is installed")
    parser.add_argument("--found", type=Path, default=FOUND, help="folder for the cases that find a fault")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="run a case again; its name begins with the target")
    parser.add_argument("--shrink", type=Path, metavar="FILE", help="write a smaller case that finds the same fault")
    for hidden, arguments in (("--serve", 5), ("--guide", 4)):
        parser.add_argument(hidden, nargs=arguments, help=argparse.SUPPRESS)
    return parser


def _fuzz(given: argparse.Namespace) -> int:
    names = given.targets or [*TARGETS]
    if unknown := [name for name in names if name not in TARGETS]:
        print(f"no such target: {', '.join(unknown)}; there are {', '.join(TARGETS)}", file=sys.stderr)
        return 2
    by_atheris = given.engine == "atheris" or (
        given.engine is None and given.cases is None and find_spec("atheris") is not None
    )
    seconds = given.minutes * 60 * given.jobs / len(names)

    def run(name: str) -> Outcome:
        until = None if given.cases is not None else time.monotonic() + seconds
        if by_atheris and until is not None:
            outcome = guided.run_target(name, given.seed, until, given.found)
        else:
            outcome = run_target(name, given.seed, given.cases, until)
            for one in outcome.found:
                _keep(one, given.seed, given.found)
        print(
            f"{name}: {outcome.cases:,} cases in {outcome.seconds:.0f} s, {outcome.answered:,} answered, "
            f"{len(outcome.found) or 'no'} fault{'s' * (len(outcome.found) != 1)}",
            flush=True,
        )
        return outcome

    with ThreadPoolExecutor(given.jobs) as pool:
        outcomes = list(pool.map(run, names))
    return 1 if any(outcome.found for outcome in outcomes) else 0


def _keep(found: Found, seed: int, folder: Path) -> None:
    """Write the case of a fault to a file, and a line about it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{found.target}-{seed}-{found.number}"
    path.write_bytes(found.data)
    print(f"{found.target}: {found.problem}; replay {path}", file=sys.stderr, flush=True)


def _replay(path: Path, names: Sequence[str], smaller: bool) -> int:
    """Run one case again, or make it smaller."""
    name = names[0] if names else path.name.split("-")[0]
    target, data = TARGETS[name], path.read_bytes()
    with TemporaryDirectory() as folder, Bench(Path(folder)) as bench:
        result = fault(target, data, bench)
        if not isinstance(result, tuple):
            print(f"{name}: {'answered' if result else 'refused'}, no fault")
            return 0
        print(f"{name}: {result[0]}")
        if smaller:

            def still(tried: bytes) -> bool:
                again = fault(target, tried, bench)
                return isinstance(again, tuple) and again[1] == result[1]

            small = shrunk(data, still)
            path.with_name(f"{path.name}.small").write_bytes(small)
            print(f"{len(small)} bytes instead of {len(data)}: {small[:300]!r}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
