"""Every function on every hostile page: within its limits of growth, time and memory.

Each page is tried with a few of the functions, in turn; `python benchmarks/growth.py --hostile` tries all of them.
"""

from __future__ import annotations

import pytest

from tests.hostile.functions import FUNCTIONS
from tests.hostile.limits import FIXED_MEMORY, GROWTH, MAX_MEMORY, growth, memory, most_time, time_share
from tests.hostile.pages import PAGES

# Those that were worst once.
WORST = [
    ("a <select> of many options", "layout"),
    ("unclosed <b><i><u> in paragraphs", "records table"),
    ("unclosed <b><i><u> in paragraphs", "markdown"),
    ("line breaks", "records"),
    ("terms of one list", "records"),
    ("nested definitions", "records"),
    ("elements of other names", "records"),
    ("captions and heads", "records"),
    ("footnotes", "markdown"),
    ("footnotes", "text"),
    ("nested tables", "decisions"),
    ("terms of one list", "decisions"),
    ("lists of nested lists", "decisions"),
    ("elements of other names", "report"),
]
LARGE = 100_000  # bytes: what is quadratic takes longer than all the rest there
_NAMES = tuple(FUNCTIONS)


def in_turn(step: int) -> list[tuple[str, str]]:
    """Pair every page with a function, and neighbours with other ones."""
    return [(page, _NAMES[(number * step + step) % len(_NAMES)]) for number, page in enumerate(PAGES)]


def pages_of(function: str, pairs: list[tuple[str, str]]) -> list[str]:
    """Return the pages that a function is paired with."""
    return list(dict.fromkeys(page for page, other in pairs if other == function))


@pytest.mark.parametrize("function", sorted({function for _, function in WORST}))
def test_what_was_worst_grows_with_the_page(function: str) -> None:
    rates = {page: growth(page, function, LARGE, 2) for page in pages_of(function, WORST)}
    assert {page: rate for page, rate in rates.items() if rate > GROWTH} == {}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_twice_the_page_takes_about_twice_the_time(function: str) -> None:
    rates = {page: growth(page, function) for page in pages_of(function, in_turn(5))}
    assert {page: rate for page, rate in rates.items() if rate > GROWTH} == {}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_time(function: str) -> None:
    shares = {page: time_share(page, function, 16_000) for page in pages_of(function, [*WORST, *in_turn(7)])}
    assert {page: share for page, share in shares.items() if share > most_time(function)} == {}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_memory(function: str) -> None:
    peaks = {page: memory(page, function, 8_000) for page in pages_of(function, in_turn(11))}
    assert {page: peak for page, (peak, size) in peaks.items() if peak > MAX_MEMORY * size + FIXED_MEMORY} == {}
