"""The shell sessions of a document: blocks of `console`, in which a line that begins with `$ ` is a command.

What follows a command is what it prints, on standard output and standard error together, compared as doctest does:
`...` stands for anything, and white space does not matter.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"<!-- not run: [^\n]+ -->\n\Z")
CHECKS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PATIENCE = 120  # seconds, for a command on a busy machine


class Step(NamedTuple):
    """A command, and what it prints."""

    command: str
    wanted: str


def steps_of(text: str) -> Iterator[Step]:
    """Return the commands of a document in order."""
    for kind, body in BLOCK.findall(text):
        if kind == "console":
            for session in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, _, wanted = session.partition("\n")
                yield Step(command, wanted)


def untold_blocks(text: str) -> list[str]:
    """Return the blocks of code that nothing runs and that do not say so."""
    found = []
    for block in BLOCK.finditer(text):
        kind, body = block.groups()
        runs = kind == "console" or (kind == "python" and body.startswith(">>> "))
        if kind in ("sh", "python", "console", "") and not runs and not NOT_RUN.search(text[: block.start()]):
            found.append(body)
    return found


def run_steps(text: str, folder: Path, places: Mapping[str, str]) -> None:
    """Run the commands of a document in a folder; `places` says where the addresses that it names really are."""
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": tools, "COLUMNS": "120", "NO_COLOR": "1"}
    for step in steps_of(text):
        command, wanted = step
        for named, real in places.items():
            command, wanted = command.replace(named, real), wanted.replace(named, real)
            command, wanted = command.replace(_host(named), _host(real)), wanted.replace(_host(named), _host(real))
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            check=False,
        )
        printed = done.stdout.decode("utf-8")
        problem = f"$ {step.command}\nwanted:\n{wanted}\nprinted:\n{printed}"
        assert doctest.OutputChecker().check_output(wanted, printed, CHECKS), problem
        assert done.returncode == 0, problem


def _host(address: str) -> str:
    return address.split("/")[2]
