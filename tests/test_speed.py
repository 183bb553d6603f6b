"""Speed as ratios, in the same run: the table next to lexbor's parse; and what an import does not load."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from pagesieve.page.static import parse, repaired

SITE = Path(__file__).parent.parent / "examples" / "site"
ROUNDS = 7
ATTEMPTS = 5


def ratio(one: Callable[[bytes], object], other: Callable[[bytes], object], pages: list[bytes], limit: float) -> float:
    """How many times longer one takes than the other, page by page, in the thread's own time.

    The best of a few attempts: what is too slow is so every time, a busy machine is not.
    """
    found = float("inf")
    gc.collect()
    gc.disable()  # what it costs depends on all that the tests have made so far
    try:
        for _ in range(ATTEMPTS):
            found = min(found, sum(best(one, page) for page in pages) / sum(best(other, page) for page in pages))
            if found <= limit:
                break
    finally:
        gc.enable()
    return found


def best(function: Callable[[bytes], object], page: bytes) -> float:
    """The best time of several."""
    times = []
    for _ in range(ROUNDS):
        start = time.thread_time()
        function(page)
        times.append(time.thread_time() - start)
    return min(times)


def test_the_table_costs_at_most_2_2_times_lexbors_parse() -> None:
    pages = [path.read_bytes() for path in sorted(SITE.rglob("*.html"))]
    assert ratio(parse, LexborHTMLParser, pages, 2.2) <= 2.2


def test_pages_that_need_repair_cost_a_bounded_multiple_too() -> None:
    pages = [path.read_bytes() + b"<p><b>x</p>y</b>" for path in sorted(SITE.rglob("*.html"))]
    assert ratio(parse, repaired, pages, 5) <= 5


RARE = {"httpx", "httpcore", "rich", "chardetng_py", "matplotlib", "sqlalchemy", "lxml"}
HEAVY = RARE | {"numpy", "selectolax", "rapidfuzz"}


def loaded(code: str, *args: str) -> set[str]:
    """Return the modules that some code has loaded in a process of its own, which has these arguments."""
    code = f"import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); {code}"
    done = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_the_import_loads_nothing_but_the_errors() -> None:
    assert {name for name in loaded("import pagesieve") if name.startswith("pagesieve")} == {
        "pagesieve",
        "pagesieve.errors",
    }
    assert not (HEAVY | {"click"}) & loaded("import pagesieve")


def test_the_help_loads_no_command() -> None:
    found = loaded("from pagesieve.__main__ import main; main()", "--help")
    assert "click" in found
    assert not HEAVY & found
    assert {name for name in found if name.startswith("pagesieve.")} == {
        "pagesieve.__main__",
        "pagesieve.cli",
        "pagesieve.errors",
    }


def test_the_first_article_loads_nothing_that_few_need() -> None:
    found = loaded("import pagesieve; pagesieve.extract('<p>' + 'A sentence of some words. ' * 20)")
    assert not (RARE | {"click"}) & found
