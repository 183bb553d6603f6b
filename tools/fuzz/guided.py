"""The same targets under atheris, which keeps the cases that reach something new and goes on from them.

It sees what the Python code reaches, not what the kernel does. The mutators of a target stand beside those of
libFuzzer, which know nothing of formats. atheris ends at the first fault: each target has a process, which is started
again until its time is over.
"""

from __future__ import annotations

import gc
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType

from tools.fuzz.bench import Bench
from tools.fuzz.runner import CASE_SECONDS, ROOT, Found, Outcome, fault
from tools.fuzz.targets import TARGETS

OWN_SHARE = 0.5  # of the cases that our mutators make
MAX_SEEDS = 64
_COUNT = re.compile(rb"stat::number_of_executed_units:\s*(\d+)|^#(\d+)\s", re.MULTILINE)


def run_target(name: str, seed: int, until: float, found: Path) -> Outcome:
    """Run a target until a time of the monotonic clock; the cases of its faults are files in a folder."""
    found.mkdir(parents=True, exist_ok=True)
    outcome, started, places = Outcome(), time.monotonic(), set[str]()
    while (left := int(until - time.monotonic())) > 0:
        command = [sys.executable, "-m", "tools.fuzz", "--guide", name, str(seed + len(places)), str(left), str(found)]
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
        counts = [int(one or other) for one, other in _COUNT.findall(done.stderr)]
        outcome.cases += max(counts, default=0)
        outcome.answered = outcome.cases
        if done.returncode == 0:
            break
        problem = _problem(done.stderr)
        if problem in places or not counts:  # the same again, or it does not start
            print(f"{name}: {problem}", file=sys.stderr, flush=True)
            break
        places.add(problem)
        outcome.found.append(Found(name, outcome.cases, b"", problem, problem))
        print(f"{name}: {problem}; the case is in {found}", file=sys.stderr, flush=True)
    outcome.seconds = time.monotonic() - started
    return outcome


def _problem(output: bytes) -> str:
    """Return the line of the output that says what went wrong."""
    lines = output.decode("utf-8", "replace").splitlines()
    told = [line for line in lines if re.match(r"(\w+\.)*\w+(Error|Fault|Exception)\b|==\d+==ERROR", line)]
    return told[-1] if told else (lines or ["no output"])[-1]


def serve(name: str, seed: str, seconds: str, found: str) -> None:
    """Run a target under atheris; it ends the process."""
    import atheris

    target = TARGETS[name]
    seeds = target.seeds()[:MAX_SEEDS]
    rng = random.Random(f"{name}/{seed}")
    folder = TemporaryDirectory()
    bench = Bench(Path(folder.name))
    corpus = Path(folder.name) / "corpus"
    corpus.mkdir()
    for number, data in enumerate(seeds):
        (corpus / str(number)).write_bytes(data)

    def one_input(data: bytes) -> None:
        result = fault(target, data, bench)
        if isinstance(result, tuple):
            raise RuntimeError(result[0])

    def mutate(data: bytes, most: int, _: int) -> bytes:
        if rng.random() < OWN_SHARE:
            return target.mutate(rng, [data, *seeds] if data else seeds)[:most]
        changed: bytes = atheris.Mutate(data, most)
        return changed

    options = [f"-seed={abs(hash(seed)) % 2**31}", f"-max_total_time={seconds}", f"-timeout={CASE_SECONDS:.0f}"]
    options += [f"-artifact_prefix={found}/{name}-", "-print_final_stats=1", "-max_len=100000", "-rss_limit_mb=2048"]
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and str(function.__module__).startswith("pagesieve"):
            atheris.instrument_func(function)
    atheris.Setup(["fuzz", *options, str(corpus)], one_input, custom_mutator=mutate)
    atheris.Fuzz()
