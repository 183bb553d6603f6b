"""Finding a gold text in the texts of a page, and what that makes of blocks and leaves."""

from __future__ import annotations

import numpy as np
import pytest

from pagesieve.evaluate.archives import Gold
from pagesieve.evaluate.metrics import LeafCounts, count_leaves, label, matched, tokens
from pagesieve.methods.svm import measure
from pagesieve.page.lines import readable
from pagesieve.page.static import parse

STORY = "The harbour wall was finished in May. Three ships came in on the first day. Nobody had expected that."


@pytest.mark.parametrize(
    ("texts", "gold", "hits"),
    [
        (["Menu", STORY, "Imprint"], STORY, [0, 19, 0]),
        # in pieces, with something between them
        (
            ["The harbour wall was finished in May.", "Advertisement", "Three ships came in on the first day."],
            STORY,
            [7, 0, 8],
        ),
        # the article's words in a menu before it stay the menu's
        (["May", "ships", "Nobody", STORY], STORY, [0, 0, 0, 19]),
        # a gold in another order than the page
        (
            ["Three ships came in on the first day.", "The harbour wall was finished in May."],
            "The harbour wall was finished in May. Three ships came in on the first day.",
            [8, 7],
        ),
        # Chinese goes by characters
        (["首页", "他说今天的天气很好", "联系我们"], "他说今天的天气很好", [0, 9, 0]),
        ([], STORY, []),
        (["nothing of it"], "", [0]),
    ],
)
def test_matched(texts: list[str], gold: str, hits: list[int]) -> None:
    words, found = matched(texts, tokens(gold))
    assert found.tolist() == hits
    assert (found <= words).all()


def test_a_page_of_many_words_is_matched_by_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagesieve.evaluate.metrics.MAX_CELLS", 10)
    assert matched(["Menu and more of the site", STORY], tokens(STORY))[1].tolist() == [0, 19]


HTML = (
    f"<title>The wall</title><h1>The wall</h1><div><a href=x>Home</a></div><p>{STORY}</p><p>Copyright by <b>us</b></p>"
)
GOLD = Gold(id="a", text=f"The wall\n{STORY}", title="The wall")


def test_lines_are_labelled_and_the_headline_is_of_no_account() -> None:
    page = parse(HTML)
    measured = measure("all", page, readable(page))
    text, known = label(page, measured.rows, GOLD, HTML.encode()).of_blocks(measured.block, len(measured.values))
    assert text[known].tolist() == [False, True, False]
    assert known.tolist() == [False, True, True, True]


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        ([], LeafCounts(tp=0, fp=0, fn=1)),
        ([STORY], LeafCounts(tp=1, fp=0, fn=0)),
        (["The wall", STORY, "us"], LeafCounts(tp=1, fp=1, fn=0)),
        (["Home", "Copyright by", "us"], LeafCounts(tp=0, fp=3, fn=1)),
    ],
)
def test_leaves_are_counted(kept: list[str], expected: LeafCounts) -> None:
    page = parse(HTML)
    rows = np.array(
        [page.chars[row] > 0 and page.text(row).strip() in kept for row in range(len(page))], dtype=np.bool_
    )
    assert count_leaves(page, rows, GOLD, HTML.encode()) == expected
