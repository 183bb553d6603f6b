"""Which pages of a crawl need a browser."""

from __future__ import annotations

import pytest

from pagesieve.crawl.spider import MEASURED, MIN_GAIN, SHORT, Rendering

HOME = "https://a.example/"
SHORT_TEXT, LONG_TEXT = SHORT - 1, 10 * SHORT


def measured(sent: int, *shown: int) -> tuple[Rendering, list[str]]:
    said: list[str] = []
    rendering = Rendering(said.append)
    for number, chars in enumerate(shown):
        rendering.measure(f"{HOME}{number}", sent, chars)
    return rendering, said


@pytest.mark.parametrize(
    ("sent", "shown", "needs"),
    [
        (0, 5000, True),
        (0, MIN_GAIN - 1, False),
        (100, 299, False),  # little more
        (100, 300, True),
        (5000, 9999, False),  # less than twice
        (5000, 10_000, True),
        (5000, 0, False),
    ],
)
def test_one_page(sent: int, shown: int, needs: bool) -> None:
    assert Rendering(lambda message: None).measure(HOME, sent, shown) is needs


def test_most_pages_of_a_sort_decide() -> None:
    rendering, said = measured(SHORT_TEXT, 5000, SHORT_TEXT, 5000)
    assert rendering.is_measured(HOME, 0)
    assert rendering.is_needed(HOME, 0)
    assert not rendering.is_measured(HOME, LONG_TEXT), "pages with much text are a sort of their own"
    assert said == ["a.example: its pages with little text need scripts, and are rendered"]


def test_a_site_that_needs_none() -> None:
    rendering, said = measured(SHORT_TEXT, 5000, SHORT_TEXT, SHORT_TEXT)
    assert rendering.is_measured(HOME, 0)
    assert not rendering.is_needed(HOME, 0)
    assert said == []


def test_too_few_pages_decide_nothing() -> None:
    rendering, said = measured(SHORT_TEXT, *[5000] * (MEASURED - 1))
    assert not rendering.is_measured(HOME, 0)
    assert not rendering.is_needed(HOME, 0)
    assert said == []


def test_a_site_of_scripts_is_rendered_at_once() -> None:
    rendering, _ = measured(SHORT_TEXT, *[5000] * MEASURED)
    assert rendering.is_always_needed(HOME)
    assert not rendering.is_always_needed("https://b.example/")
    rendering.measure(HOME, LONG_TEXT, LONG_TEXT)
    assert not rendering.is_always_needed(HOME), "some of its pages are sent with their text"
