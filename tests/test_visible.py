"""What readers see around the headline, as the kernel finds it, next to the same said slowly."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagesieve import parse
from pagesieve.facts.visible import Visible, is_of_others
from pagesieve.page import kernel
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID
from pagesieve.page.lines import split
from pagesieve.page.table import SEEN, Page

MARKS = ("ab", "bca", "c-")
MARKED = {ATTRIBUTE_ID[name]: name for name in ("class", "id")}
VALUES = st.text(st.sampled_from("abc-"), max_size=6)
NO_WAYS = bytes(18)


def shown(page: Page) -> kernel.page.facts.ShownRows:
    return kernel.page.facts.ShownRows(page, page._marks.by_element, page.hidden_by, NO_WAYS, 3)


def holding(page: Page, first: int, stop: int, most: int) -> list[tuple[int, int]]:
    """The rule, said slowly."""
    found: dict[int, int] = {}
    for mark in MARKS:
        rows = [(row, name) for row in range(first, stop) for name in page.attributes(row) if name in MARKED.values()]
        held = [(row, name) for row, name in rows if mark in (page.attribute(row, name) or "")]
        found |= {row: ATTRIBUTE_ID[name] for row, name in held[:most]}
    return [(row, found[row]) for row in sorted(found) if page.visibility[row] == SEEN]


@given(st.lists(st.tuples(VALUES, VALUES, VALUES, st.booleans()), max_size=6), st.integers(1, 3), st.integers(0, 4))
def test_rows_whose_attributes_hold_a_word(rows: list[tuple[str, str, str, bool]], most: int, first: int) -> None:
    page = parse(
        "".join(
            f"<p id='{one}' title='{two}' class='{three}'{' hidden' * is_hidden}>"
            for one, two, three, is_hidden in rows
        )
    )
    first = min(first, len(page))
    found = shown(page).with_words(kernel.page.facts.Words(*MARKS), bytes(MARKED), first, len(page), most)
    assert found == holding(page, first, len(page), most)


def test_words_in_either_case() -> None:
    page = parse("<p class=By><p class=bY><p class=xby><p class=b>")
    rows = shown(page)
    assert len(rows.with_words(kernel.page.facts.Words("by", fold=True), bytes(MARKED), 0, len(page), 9)) == 3
    assert len(rows.with_words(kernel.page.facts.Words("by"), bytes(MARKED), 0, len(page), 9)) == 1


TEXTS = st.text(st.sampled_from('ab"\\\n\t\x00\x1f\x7f é中\u2028😀'))
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda values: st.one_of(st.lists(values), st.lists(values).map(tuple), st.dictionaries(TEXTS, values)),
)


@given(JSON_VALUES)
def test_values_as_json(value: object) -> None:
    assert kernel.page.facts.as_json(value) == json.dumps(value, ensure_ascii=False)


def test_other_values_are_not_written_as_json() -> None:
    with pytest.raises(TypeError, match="float"):
        kernel.page.facts.as_json({"a": [0.5]})


def test_words_of_too_many_letters_are_refused() -> None:
    assert kernel.page.facts.Words("b" * 63, "a")
    with pytest.raises(ValueError, match="64 letters"):
        kernel.page.facts.Words("b" * 64, "a")


@pytest.mark.parametrize(
    ("text", "is_dated"),
    [
        ("May 2024", True),
        ("in 1999", True),
        ("2 2024x", True),
        ("May 202", False),
        ("1899 or 2100", False),
        ("19xx or 2a24", False),
        ("2024", False),
        ("2024" + "x" * 20, False),
    ],
)
def test_short_texts_with_a_year(text: str, is_dated: bool) -> None:
    page = parse(f"<p>{text}</p><p hidden>{text}</p><script>{text}</script>")
    seen, hidden = (shown(page).with_year(0, len(page), also, 6, 20) for also in (False, True))
    assert [page.text(row) for row in seen] == [text] * is_dated
    assert [page.text(row) for row in hidden] == [text, text] * is_dated
    assert shown(page).with_year(len(page), len(page), True, 6, 20) == []


def test_what_is_seen_from_a_row_on() -> None:
    page = parse("<p>a<p>b<i>c</i><script>x</script><p hidden>y</p>d<p>e<script>z</script>")
    starts = (0, page.rows("p").tolist()[1], page.rows("script").tolist()[-1])
    assert [shown(page).following(row) for row in starts] == [b"abc\0de\0", b"bc\0de\0", b""]


TREES = st.recursive(
    st.sampled_from(["a", "b ", "<br>", "<script>x</script>", "<i hidden>y</i>", "long " * 9]),
    lambda inner: st.tuples(st.sampled_from("p div b li td table".split()), st.lists(inner, max_size=4)).map(
        lambda pair: f"<{pair[0]}>{''.join(pair[1])}</{pair[0]}>"
    ),
    max_leaves=20,
)


@given(st.lists(TREES, max_size=8).map("".join), st.integers(0, 40), st.integers(0, 4), st.integers(0, 4))
def test_the_lines_around_a_row(html: str, row: int, before: int, after: int) -> None:
    page = parse(html)
    row, lines = min(row, len(page) - 1), split(page)
    at = sum(first < row for first in lines.first.tolist())
    places = [*range(at, len(lines))[:after], *range(at)[::-1][:before]]
    expected = [lines.text(k) for k in places if lines.chars[k] <= 20]
    assert [" ".join(text.split()) for text in shown(page).lines(row, before, after, 20)] == expected


def test_rows_and_places() -> None:
    page = parse("<p>one</p><p>two</p><p>three</p>")
    rows = shown(page)
    texts = [row for row in range(len(page)) if page.tag_name(row) == "#text"]
    assert [rows.row_at(place) for place in (0, 2, 3, 5, 6, 10)] == [texts[k] for k in (0, 0, 1, 1, 2, 2)]
    assert rows.rows_of(TAG_ID["p"], 2) == page.rows("p").tolist()[:2]
    assert rows.longest(0, len(page)) == 5
    assert rows.after(texts[0], 1, 5, 9, 4) == "ne twoth"  # bytes, not rows, end what is read
    assert rows.before(page.rows("p").tolist()[1], 2) == "ne"
    assert rows.below(0, 5) == ""
    assert rows.below(0, 99) == "onetwothree"


@given(st.sampled_from(["comment", "Related", "x-quote", "review", "previews", "PROMO", "respøns", "plain", "sidebar"]))
def test_what_is_aside(name: str) -> None:
    page = parse(f"<h1>A title</h1><div class='x {name}'><p>text</p></div><nav><p>text</p></nav>")
    visible = Visible(page, "A title")
    inside, last = page.rows("p").tolist()
    assert visible.is_aside(inside) == is_of_others(f"x {name} ")
    assert visible.is_aside(last)
    assert not visible.is_aside(page.rows("h1").tolist()[0])


def test_ways_that_count_as_shown() -> None:
    page = parse("<p hidden>abc</p><p aria-hidden=true>de</p><p style='font-size:0'>f</p>" + "<p>text</p>" * 9)
    assert page.hidden_by is not None
    by_all = kernel.page.facts.ShownRows(page, page._marks.by_element, page.hidden_by, bytes([1]) * 18, 3)
    for row in range(len(page)):
        assert shown(page).is_seen(row) == (page.visibility[row] == SEEN)
        assert by_all.is_seen(row) == (page._marks.by_element[0][row] == SEEN)


LABELS = ("ab", "abc", "b-", "作者", "作家", "x" * 255)


@given(st.lists(st.sampled_from([*LABELS, "a", "b", "-", "作", "者", " "]), max_size=9).map("".join))
def test_labels_in_a_text(text: str) -> None:
    assert kernel.page.facts.FactLabels(*LABELS).found_in(text.encode()) == {label for label in LABELS if label in text}


def test_labels_of_a_wrong_size_are_refused() -> None:
    for labels in (["a"], ["x" * 256], [f"{k:04}" for k in range(256)]):
        with pytest.raises(ValueError, match="labels"):
            kernel.page.facts.FactLabels(*labels)
