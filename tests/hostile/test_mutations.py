"""No function raises anything but the errors of the project, whatever the page."""

from __future__ import annotations

import random

import pytest

import pagesieve
from tests.hostile.functions import FUNCTIONS, call
from tests.hostile.mutations import mutant
from tests.hostile.pages import PAGES

SEEDS = 150
SOME = 4  # functions that are tried on each

HIDDEN_RECORDS = (
    b"><style>.menu__item{font-size:.9</style><li class=menu__item><ul class=''><li><a>one</ul></a><ul class>Arci></ul>"
    b"<li class=menu__item><ul class><li><a>s</a></li>hecatThepostclosed,thepaymentswenton,and"
)
# What once raised something else.
RAISED = [
    ("records", b"<h1 >s<a >.o(<a>whereourplatformvendoristakingstepstolimit"),
    ("records as Markdown", b"<h1 >s<a >.o(<a>whereourplatformvendoristakingstepstolimit"),
    ("records table", HIDDEN_RECORDS),
]


@pytest.mark.parametrize(("function", "page"), RAISED)
def test_what_once_raised_something_else(function: str, page: bytes) -> None:
    call(function, page)


@pytest.mark.parametrize("part", range(5))
def test_mutants(part: int) -> None:
    for seed in range(part, SEEDS, 5):
        page = mutant(seed)
        for function in random.Random(seed).sample(sorted(FUNCTIONS), SOME):
            try:
                call(function, page)
            except Exception as error:
                raise AssertionError(f"mutant({seed}), {function}: {error!r}") from error


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_any_size_is_a_page(name: str) -> None:
    make = PAGES[name]
    assert 3000 <= len(make(3000)) <= 12_000
    for size in (0, 1, 50):
        assert pagesieve.parse(make(size)).fault() is None
