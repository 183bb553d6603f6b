"""Fuzz targets that go wrong on purpose: python -m tests.bad_targets NAME SEED FIRST LAST FOLDER"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from tools.fuzz.bench import Bench, Run
from tools.fuzz.checks import Fault
from tools.fuzz.runner import serve
from tools.fuzz.targets import TARGETS, Target

from pagesieve.errors import NothingFound

WRONG = (3, 5)  # the cases for which something happens


class Numbers(Target):
    """A target whose cases are their numbers."""

    def case(self, name: str, seed: int, number: int) -> bytes:
        """Return the number."""
        return b"%d" % number


def doing(what: str) -> Run:
    def run(data: bytes, bench: Bench) -> None:
        if int(data) not in WRONG:
            return
        if what == "refuses":
            raise NothingFound("an answer")
        if what == "raises":
            raise Fault("three or five")
        if what == "crashes":
            os.abort()
        time.sleep(60)

    return run


BAD = {what: Numbers(doing(what)) for what in ("refuses", "raises", "crashes", "hangs")}

if __name__ == "__main__":
    TARGETS.update(BAD)
    name, seed, first, last, folder = sys.argv[1:]
    serve(name, int(seed), int(first), int(last), Path(folder))
