"""Headings that begin another article than the page's own: what is known of them, and what is dropped."""

from __future__ import annotations

from itertools import cycle, islice

import numpy as np
import pytest

import pagesieve
from pagesieve.methods.decisions import decide
from pagesieve.methods.features import STORY_FEATURES, describe, first_apart
from pagesieve.page.static import parse
from pagesieve.training.auto import Headings, stories_apart

HARBOUR = (
    "The council has voted to rebuild the old harbour wall before the winter storms arrive, officials said on Monday. ",
    "Engineers found cracks along ninety metres of the stone, and the repair will take seven months, they say. ",
    "Fishing boats are to move to the northern basin until the work is done, the harbour master told reporters here. ",
    "Residents asked who will pay, and the mayor answered that half of the money comes from the national storm fund. ",
)
TRAINS = (
    "The night train to the coast will run again from April, eleven years after the last one, the railway announced. ",
    "Sleeping cars have been bought from abroad and are being refitted in the workshops, where forty people work. ",
    "Tickets go on sale in February, and the first departures are expected to be full within hours, the company said. ",
)


def paragraphs(texts: tuple[str, ...], count: int) -> str:
    return "".join(f"<p>{text * 2}</p>" for text in islice(cycle(texts), count))


def told(html: str, kept: set[int] | None = None) -> tuple[list[int], dict[str, list[float]]]:
    """The headings that may begin another article by their lines, and their features by name."""
    described = describe(parse(html))
    lines = len(described.blocks)
    marked = np.array([kept is None or line in kept for line in range(lines)])
    found, values = described.lines.headings(marked * 0.9, 0.5)
    table = np.array(values).reshape(-1, len(STORY_FEATURES))
    return list(found), {name: table[:, k].round(3).tolist() for k, name in enumerate(STORY_FEATURES)}


TWO = (
    f"<article><h1>The wall is rebuilt</h1>{paragraphs(HARBOUR, 2)}<h2>Money</h2>{paragraphs(HARBOUR, 2)}</article>"
    f"<article><h1>Night train returns</h1><p>3 May 2021</p>{paragraphs(TRAINS, 2)}</article>"
)


def test_headings_with_text_before_and_below() -> None:
    found, values = told(TWO)
    assert found == [3, 6]  # not the first, which has nothing before it
    assert values["level"] == [2, 1]
    assert values["title_level"] == [1, 1]
    assert values["same_style"] == [0, 1]
    assert values["other_article"] == [0, 1]
    assert values["dates"] == [0, 1]


def test_what_is_not_kept_does_not_count() -> None:
    assert told(TWO, kept={0, 1, 2, 4, 5})[0] == [3]  # nothing of the second article
    assert told(TWO, kept={6, 7, 8, 9})[0] == []  # nothing before it
    assert told("<p>No heading, and no article to speak of.</p>")[0] == []


@pytest.mark.parametrize("around", ["<div class=page>{}</div>", "<main>{}</main>"])
def test_the_next_article_is_dropped(around: str) -> None:
    """Without `article` elements: the second headline stands below the first article, in an element of its own."""
    first = f"<div class=story><h1>The wall is rebuilt</h1><p>By Ann Lee, 2 May 2021</p>{paragraphs(HARBOUR, 9)}</div>"
    second = f"<div class=story><h1>Night train returns</h1><p>By Bo Ek, 3 May 2021</p>{paragraphs(TRAINS, 9)}</div>"
    page = f"<title>The wall is rebuilt</title>{around.format(first + second)}"
    found = pagesieve.article(page)
    assert "storm fund" in found.text
    assert "sleeping cars" not in found.text.lower()


def test_sections_are_not_articles() -> None:
    sections = "".join(f"<h2>{name}</h2>{paragraphs(HARBOUR, 4)}" for name in ("The vote", "The cost", "The boats"))
    found = pagesieve.article(
        f"<title>The wall</title><main><h1>The wall</h1>{paragraphs(HARBOUR, 2)}{sections}</main>"
    )
    assert [name in found.text for name in ("The vote", "The cost", "The boats")] == [True] * 3


def test_the_lines_of_the_first_heading_that_begins_an_article() -> None:
    described = describe(parse(TWO + "<footer><p>All rights reserved.</p></footer>"))
    headings = [3, 6]
    assert first_apart(described, headings, [0.2, 0.3]) is None
    apart = first_apart(described, headings, [0.2, 0.9])
    assert apart is not None
    assert np.flatnonzero(apart).tolist() == [6, 7, 8, 9, 10]
    decided = decide(described.blocks, np.full(11, 0.9), 0.5, apart=apart)
    assert decided.kept.tolist() == [True] * 6 + [False] * 5
    assert decided.reason(7) == "part of another article on the page (.90)"


def test_a_forest_learns_from_the_other_folds() -> None:
    """Headings in the style of the title begin articles here; a page is judged by what the others say."""
    described = describe(parse(TWO))
    alike = STORY_FEATURES.index("same_style")
    headings = []
    for number in range(60):
        values = np.zeros((2, len(STORY_FEATURES)), dtype=np.float32)
        values[1, alike] = number % 3 > 0
        labels = np.array([0, number % 3 > 0], dtype=np.intp)
        headings.append(Headings(described, np.array([3, 6], np.int32), values, labels, np.full(2, 300.0)))
    folds = [number % 2 for number in range(60)]
    found = stories_apart(headings, folds)
    assert [apart is not None for apart in found] == [number % 3 > 0 for number in range(60)]
    unclear = [each._replace(labels=np.full(2, -1, dtype=np.intp)) for each in headings]
    assert stories_apart(unclear, folds) == [None] * 60
