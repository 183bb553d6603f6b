"""Crawls for tests: the command line in a process of its own, as people run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIMIT = 300  # seconds, on a busy machine


@dataclass(frozen=True)
class Crawled:
    """What a crawl did."""

    status: int
    said: str  # on standard error
    output: Path

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of an output of JSON lines."""
        return [json.loads(line) for line in self.output.read_text("utf-8").splitlines()]

    def by_path(self) -> dict[str, dict[str, Any]]:
        """The rows by the path of their address; each address once."""
        found = {path_of(row["url"]): row for row in self.rows}
        assert len(found) == len(self.rows), "a page twice"
        return found


def path_of(url: str) -> str:
    """Return the path of an address, without its first slash."""
    return url.partition("://")[2].partition("/")[2]


def command(*given: object) -> list[str]:
    """Return the command of a crawl of servers of this machine, which need not be spared; one process reads pages."""
    workers = () if "--workers" in given else ("--workers", "1")
    return [sys.executable, "-m", "pagesieve", "crawl", *map(str, given), *workers, "--allow-private", "--no-throttle"]


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a crawl."""
    return {**os.environ, "PYTHONUNBUFFERED": "1", **(more or {})}


def crawl(*given: object, output: Path, more: Mapping[str, str] | None = None) -> Crawled:
    """Run a crawl to its end; `more` are variables of its environment."""
    done = subprocess.run(
        command(*given, "-o", output), capture_output=True, text=True, timeout=LIMIT, env=environment(more), check=False
    )
    return Crawled(done.returncode, done.stderr, output)
