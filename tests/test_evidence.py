"""What the block model knows of wholes and of a page's own statements; and what is said of its judgements."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagesieve.methods.blocks import shipped, word_table
from pagesieve.methods.explanations import GROUPS, chosen_groups, moved_groups, say_groups, telling_name
from pagesieve.methods.features import FIRST_FEATURES, describe
from pagesieve.page import kernel
from pagesieve.page.stated import key_strings, stated_titles, statements
from pagesieve.page.static import parse
from tests.profiles import examples

STONE = "Stone came by barge along the coast for three summers."
WALL = "The wall was finished in the autumn of the fourth year."


def told(html: str, name: str) -> dict[str, float]:
    """Return one feature of every line, by the line's first word."""
    described = describe(parse(html))
    column = described.values[:, FIRST_FEATURES.index(name)].tolist()
    return {described.blocks.text(k).split()[0]: round(value, 2) for k, value in enumerate(column)}


def linked(thing: Any) -> str:
    return f'<script type="application/ld+json">{json.dumps(thing)}</script>'


# Titles

TITLED = (
    "<title>A wall of stone - The Courier</title><body><ul><li>Home<li>A wall of stone</ul><p>Before</p>"
    f"<h1>A wall of stone</h1><p>Published 3 May 2024</p><p>{STONE}</p><h2>Later</h2><p>{WALL}</p>"
    "<h1>Other news</h1><p>Teaser of something else</p>"
)


def test_titles_are_stated_in_several_places() -> None:
    page = parse(
        "<title>A wall | Courier</title><meta property=og:title content='A wall of stone'>"
        + linked({"@type": "NewsArticle", "headline": "Stone by barge"})
    )
    assert stated_titles(page) == ["A wall | Courier", "A wall of stone", "Stone by barge", "Courier"]


def test_lines_are_counted_from_the_title() -> None:
    places = told(TITLED, "title_from")
    assert (places["Home"], places["Before"], places["Published"], places["Teaser"]) == (-3, -1, 1, 6)
    headings = told(TITLED, "title_headings")
    assert (headings["Stone"], headings["The"], headings["Teaser"]) == (0, 1, 2)
    higher = told(TITLED, "title_higher")
    assert (higher["The"], higher["Teaser"]) == (0, 1)
    assert told(TITLED, "title_dates")["The"] == 1
    assert set(told(TITLED, "title_found").values()) == {1}


def test_a_page_without_a_title_has_no_line_of_it() -> None:
    assert set(told(f"<p>{STONE}</p>", "title_found").values()) == {0}
    assert told(TITLED, "title_alike")["A"] == 1


# Statements


@pytest.mark.parametrize(
    ("thing", "column"),
    [
        ({"@type": "NewsArticle", "articleBody": f"Before. {STONE} After."}, "said_body"),
        ({"@graph": [{"@type": "Article", "articleBody": STONE}]}, "said_body"),
        ({"@type": "Recipe", "recipeIngredient": ["2 eggs", STONE]}, "said_other"),
        ({"@type": "Recipe", "recipeInstructions": [{"@type": "HowToStep", "text": STONE}]}, "said_other"),
        ({"mainEntity": [{"@type": "Question", "acceptedAnswer": {"text": STONE}}]}, "said_other"),
        ({"@type": "NewsArticle", "description": STONE}, "said_description"),
    ],
)
def test_lines_of_stated_texts(thing: Any, column: str) -> None:
    html = f"{linked(thing)}<p>{STONE}</p><p>{WALL}</p>"
    assert told(html, column) == {"Stone": 1, "The": 0}


def test_a_description_in_a_meta_element_is_stated() -> None:
    html = f"<meta name=description content='{STONE}'><p>{STONE}</p><p>{WALL}</p>"
    assert told(html, "said_description") == {"Stone": 1, "The": 0}


@pytest.mark.parametrize(
    "script",
    ['{"articleBody": "never ends', '{"articleBody": }', '{"articleBody": {"a": [}', '"articleBody"', "[" * 5000],
)
def test_broken_data_state_nothing(script: str) -> None:
    texts = statements(parse(f'<script type="application/ld+json">{script}</script><p>{STONE}')).texts(key_strings)
    assert texts == (b"", b"", b"")


def test_broken_data_state_what_can_be_read() -> None:
    script = f'{{"a": nonsense, "articleBody": "{STONE}", "articleBody": "{WALL}"'
    body, _, _ = statements(parse(f'<script type="application/ld+json">{script}</script><p>x')).texts(key_strings)
    assert body.decode() == f"{STONE}\n{WALL}"


@given(st.text(max_size=60), st.text(max_size=60))
@examples(80)
def test_any_text_may_be_stated(one: str, other: str) -> None:
    page = parse(f"<title>{one}</title>{linked({'articleBody': one, 'text': [other, {'name': one}]})}<p>{other}</p>")
    assert np.isfinite(describe(page).values).all()


# Wholes


def test_lists_and_tables() -> None:
    cells = "<tr><th>Year<th>Stone<tr><td><p>1900<td><p>4 tons"
    html = f"<ul><li>one<li>two<ul><li>three</ul></ul><table>{cells}</table><p>plain</p>"
    items = told(html, "list_items")
    assert [items[name] for name in ("one", "two", "three", "Year", "plain")] == [2, 2, 1, 0, 0]
    assert told(html, "list_depth")["three"] == 2
    assert told(html, "table_rows")["Year"] == told(html, "table_columns")["1900"] == 2
    assert (told(html, "table_header")["Year"], told(html, "table_header")["1900"]) == (1, 0)
    assert told(html, "table_rows")["plain"] == 0


def test_articles() -> None:
    html = (
        f"<title>Stone</title><article><h1>Stone</h1><p>{WALL}</p></article>"
        f"<div role=article><h2>Next</h2><p>{STONE * 4}</p></div><p>outside</p>"
    )
    assert told(html, "article_count") == dict.fromkeys(["Stone", "The", "Next", "outside"], 2)
    found = [described_value(html, name) for name in ("article_at", "article_title")]
    assert found == [[0, 0, 1, 1, -1], [1, 1, 0, 0, -1]]


def described_value(html: str, name: str) -> list[float]:
    values: list[float] = describe(parse(html)).values[:, FIRST_FEATURES.index(name)].tolist()
    return values


def test_headings_that_are_links() -> None:
    html = f"<h2>Own</h2><p>{WALL}</p><h3><a href=x>Next story</a></h3><p>{STONE}</p>"
    links = told(html, "heading_links")
    assert links["The"] == 0
    assert links["Stone"] > 0.8


# Reasons


def test_moves_add_up_to_the_score() -> None:
    model = shipped()
    described, found = model.score_lines(parse(TITLED))
    likelihood = np.asarray(found)
    scores = np.log(likelihood / (1 - likelihood))
    own = np.arange(len(model.second.names), dtype=np.int32)
    by_feature = model.second.moves(described.values, own)
    roots = np.asarray(model.second.score)[model.second.roots].sum()
    assert by_feature.sum(axis=1) + model.second.baseline[0] + roots == pytest.approx(scores, abs=1e-3)
    by_group = moved_groups(model.first, model.second, described.values)
    assert by_group.sum(axis=1) == pytest.approx(by_feature.sum(axis=1), abs=1e-3)


def test_moves_are_those_of_the_way_through_each_tree() -> None:
    model = shipped()
    described, _ = model.score_lines(parse(TITLED))
    forest, groups = model.second, np.arange(len(model.second.names), dtype=np.int32)
    trees = (forest.feature, forest.threshold, forest.child, forest.score, forest.roots)
    moves, expected = (np.zeros((len(described.values), len(groups))) for _ in range(2))
    kernel.lines.trees.add_moves(described.values, trees, groups, moves)
    for row, values in enumerate(described.values):
        for node in forest.roots:
            while (feature := forest.feature[node]) >= 0:
                below = forest.child[node] + int(values[feature] > forest.threshold[node])
                expected[row, feature] += forest.score[below] - forest.score[node]
                node = below
    assert moves == pytest.approx(expected, abs=1e-4)  # single precision or double
    assert moves.any()


def test_what_moved_most_is_said_first() -> None:
    moves = dict.fromkeys(GROUPS, 0.0) | {"links": -2.0, "element": -1.0, "repeats": -0.5, "wording": -0.4}
    moves["length"] = 3.0
    line = np.array([list(moves.values())])
    assert chosen_groups(line, kept=False) == [["links", "element", "repeats"]]
    assert chosen_groups(line, kept=True) == [["length"]]


def test_groups_in_words() -> None:
    values = dict.fromkeys((*FIRST_FEATURES, "first"), 0.0) | {"links": 0.9, "in_nav": 1.0, "style_lines": 12.0}
    expected = "mostly links, in a navigation, one of 12 lines alike"
    assert say_groups(["links", "element", "repeats"], values, False, None) == expected
    assert say_groups(["length"], values, True, None) == "a long text"
    assert say_groups(["names"], values, False, "related") == "in an element called related"
    assert say_groups(["names"], values, False, None) == ""


def test_the_name_that_says_most() -> None:
    page = parse("<div class='relatedPosts box'><div id=entry-content><p>text</p></div></div>")
    scores = {"related": -3.0, "posts": 0.5, "entry": 2.0}
    table = word_table({kernel.lines.words.class_word(word.encode()): score for word, score in scores.items()})
    words = kernel.lines.words.WordTable(*table)
    row = int(page.rows("p")[0])
    assert telling_name(page, row, words, True) == "entry"
    assert telling_name(page, row, words, False) == "related"
    assert telling_name(parse("<p>x"), 3, words, False) is None
