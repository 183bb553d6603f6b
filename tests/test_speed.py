"""Speed as ratios, in the same run: the table next to lexbor's parse; and what an import does not load."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from pagesieve.page.static import parse, repaired

SITE = Path(__file__).parent.parent / "examples" / "site"
ROUNDS = 7


def best(function: Callable[[bytes], object], pages: list[bytes]) -> float:
    """The sum over the pages of the best time of several."""
    totals = [0.0] * len(pages)
    for number, page in enumerate(pages):
        times = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            function(page)
            times.append(time.perf_counter() - start)
        totals[number] = min(times)
    return sum(totals)


def test_the_table_costs_at_most_2_2_times_lexbors_parse() -> None:
    pages = [path.read_bytes() for path in sorted(SITE.rglob("*.html"))]
    assert best(parse, pages) <= 2.2 * best(LexborHTMLParser, pages)


def test_pages_that_need_repair_cost_a_bounded_multiple_too() -> None:
    pages = [path.read_bytes() + b"<p><b>x</p>y</b>" for path in sorted(SITE.rglob("*.html"))]
    assert best(parse, pages) <= 5 * best(repaired, pages)


def test_the_import_loads_nothing_heavy() -> None:
    code = "import sys, pagesieve; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"httpx", "httpcore", "rich", "click", "charset_normalizer", "matplotlib", "sqlalchemy", "lxml"}
    assert not heavy & set(loaded)
