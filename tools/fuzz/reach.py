"""Which modules of the kernel the targets use: python -m tools.fuzz.reach

A module of the kernel is loaded when it is first used. The targets read a few pages of the example site that are not
changed. Prints a module a line, and ends as soon as all are loaded.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.fuzz.bench import Bench
from tools.fuzz.runner import ROOT, fault
from tools.fuzz.targets import IN_KERNEL, TARGETS

from pagesieve.page import kernel
from pagesieve.page.kernel.modules import COMPILED

PAGES = (
    "tests/writing/cases/furniture.txt",
    "examples/site/en/index.html",
    "examples/site/en/2024/05/ferry-returns-skarn-sound-4180231.html",  # an article with a table
    "examples/site/forum/thread-4711-1.html",
    "examples/site/shop/grid.html",
)


def loaded() -> set[str]:
    """Return the modules of the kernel that are loaded."""
    return {name for name in COMPILED if f"{kernel.__name__}.{name}" in sys.modules}


def run_targets() -> None:
    """Run the targets on the pages until every module is loaded."""
    with TemporaryDirectory() as folder, Bench(Path(folder)) as bench:
        for page in PAGES:
            for name in IN_KERNEL:
                if loaded() == set(COMPILED):
                    return
                fault(TARGETS[name], (ROOT / page).read_bytes(), bench)


if __name__ == "__main__":
    run_targets()
    print("\n".join(sorted(loaded())))
