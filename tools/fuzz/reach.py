"""Which modules of the kernel the targets reach: PAGESIEVE_KERNEL=pure python -m tools.fuzz.reach

The kernel runs uncompiled, so that its functions can be seen as they are called, on a few pages of the example site
that are not changed. Prints a module a line, and ends as soon as all are reached.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

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


def reached() -> set[str]:
    """Return the modules of which a function is called."""
    found: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        package, _, name = str(frame.f_globals.get("__name__")).rpartition(".")
        if event == "call" and package == kernel.__name__ and frame.f_code.co_name != "<module>":
            found.add(name.removeprefix("pure_"))

    with TemporaryDirectory() as folder, Bench(Path(folder)) as bench:
        sys.setprofile(note)
        try:
            for page in PAGES:
                for name in IN_KERNEL:
                    if set(COMPILED) <= found:
                        return found
                    fault(TARGETS[name], (ROOT / page).read_bytes(), bench)
        finally:
            sys.setprofile(None)
    return found


if __name__ == "__main__":
    print("\n".join(sorted(reached())))
