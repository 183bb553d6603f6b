"""What a page states of itself: the kernel's search at both speeds, and what is read there."""

from __future__ import annotations

import pickle
import re
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagesieve
from pagesieve.page import kernel
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID, TAGS
from pagesieve.page.stated import document_title, linked_data, linked_headlines, meta, og_type
from pagesieve.page.static import parse
from pagesieve.page.table import SEEN, Page
from tests.growing import growth

SPEEDS = {name: kernel.load("stated", pure=name == "pure") for name in ("compiled", "pure")}
LINES = {name: kernel.load("lines", pure=name == "pure") for name in ("compiled", "pure")}
BOTH = pytest.mark.parametrize("stated", SPEEDS.values(), ids=SPEEDS.keys())

NAMES = bytes([ATTRIBUTE_ID["name"], ATTRIBUTE_ID["property"]])


@BOTH
@pytest.mark.parametrize(
    ("meta", "begins"),
    [
        ("name=title", True),
        ("name=TiTle", True),
        ("name=' title'", True),
        ("name=titles", True),  # whoever asks reads it
        ("name=tite", False),
        ("name=tit", False),
        ("name=''", False),
        ("name='  '", False),
        ("", False),
        ("content=title", False),
        ("name=subtitle", False),
        ("name=\u201dtitle\u201d", False),
    ],
)
def test_values_that_begin_with_a_word(stated: ModuleType, meta: str, begins: bool) -> None:
    page = parse(f"<meta {meta}><link name=title>")
    rows = stated.rows_with_value(page, TAG_ID["meta"], ATTRIBUTE_ID["name"], b"title", 10)
    assert rows == [row for row in page.rows("meta").tolist() if begins]


@BOTH
def test_of_many_elements_the_first_are_looked_at(stated: ModuleType) -> None:
    page = parse("<meta name=a>" * 3 + "<meta name=title>" * 3)
    rows = stated.rows_with_value(page, TAG_ID["meta"], ATTRIBUTE_ID["name"], b"title", 4)
    assert rows == page.rows("meta").tolist()[3:4]


@BOTH
@pytest.mark.parametrize(
    ("meta", "found"),
    [
        ("name=pubdate content=x", {b"pubdate": [b"x"]}),
        ("content=x property='Pub.Date '", {b"pubdate": [b"x"]}),
        ("name=pub-date property=pub:_date content=x", {b"pubdate": [b"x", b"x"]}),
        ("name=pubdate content=''", {}),
        ("name=pubdate", {}),
        ("name='' content=x", {b"": [b"x"]}),
        ("id=pubdate content=x", {}),
        (f"name=pubdate content={'x' * 5000}", {b"pubdate": [b"x" * 4000]}),
    ],
)
def test_facts_by_their_names(stated: ModuleType, meta: str, found: dict[bytes, list[bytes]]) -> None:
    assert stated.meta_values(parse(f"<meta {meta}><link name=pubdate content=x>"), NAMES) == found


@BOTH
def test_of_many_facts_the_first_are_looked_at(stated: ModuleType) -> None:
    page = parse("<meta name=a content=b>" * 999 + "<meta name=b content=c>" * 5)
    assert stated.meta_values(page, NAMES) == {b"a": [b"b"] * 50, b"b": [b"c"]}


@BOTH
def test_the_first_headings_that_are_visible(stated: ModuleType) -> None:
    page = parse("<h1>a</h1><h2 hidden>b</h2><div><h6>c<i>d</i></h6></div><h7>e</h7><h3>f</h3>")
    found = stated.visible_headings(page, 4)
    assert [(level, page.text_buffer[start:stop]) for _, level, _, start, stop in found] == [
        (1, b"a"),
        (6, b"cd"),
        (3, b"f"),
    ]
    assert [page.depth[row] for row, *_ in found] == [depth for _, _, depth, _, _ in found]
    assert stated.visible_headings(page, 3) == found[:2]


@BOTH
def test_the_last_text_that_is_seen_and_holds_a_word(stated: ModuleType) -> None:
    page = parse("<p>a wall<p>wal<p>the walls<script>wall</script><p hidden>wall")
    assert page.text(stated.last_row_with(page, b"wall")) == "the walls"
    assert stated.last_row_with(page, b"house") == -1


@BOTH
def test_rows_that_one_attribute_marks(stated: ModuleType) -> None:
    page = parse("<p class=headline><p itemprop='x headline'><p itemprop=name><b id=x itemprop=headline>")
    itemprop = bytes([ATTRIBUTE_ID["itemprop"]])
    found = stated.rows_with_word(page, b"headline\0", itemprop, 0, len(page), 9)
    assert [page.tag_name(row) for row, _ in found] == ["p", "b"]
    assert stated.rows_with_word(page, b"headline\0", itemprop, 0, len(page), 1) == found[:1]


@BOTH
def test_rows_below_an_element(stated: ModuleType) -> None:
    page = parse("<nav><p>a</p></nav><p>b</p><odd><nav><x-y><p>c")
    wanted = bytes(name == "nav" for name in TAGS)
    assert stated.inside_any(page, page.rows("p").tolist(), wanted) == [True, False, True]


MARKS = (b"ab", b"bca", b"c-")
MARKED = {ATTRIBUTE_ID[name]: name for name in ("class", "id")}


def holding(page: Page, first: int, stop: int, most: int) -> list[tuple[int, int]]:
    """The rule, said slowly."""
    found: dict[int, int] = {}
    for mark in MARKS:
        rows = [(row, name) for row in range(first, stop) for name in page.attributes(row) if name in MARKED.values()]
        held = [(row, name) for row, name in rows if mark.decode() in (page.attribute(row, name) or "")]
        found |= {row: ATTRIBUTE_ID[name] for row, name in held[:most]}
    return [(row, found[row]) for row in sorted(found) if page.visibility[row] == SEEN]


VALUES = st.text(st.sampled_from("abc-"), max_size=6)


@given(st.lists(st.tuples(VALUES, VALUES, VALUES, st.booleans()), max_size=6), st.integers(1, 3), st.integers(0, 4))
def test_rows_whose_attributes_hold_a_word(rows: list[tuple[str, str, str, bool]], most: int, first: int) -> None:
    page = parse(
        "".join(
            f"<p id='{one}' title='{two}' class='{three}'{' hidden' * is_hidden}>"
            for one, two, three, is_hidden in rows
        )
    )
    first = min(first, len(page))
    words = b"".join(mark + b"\0" for mark in MARKS)
    for stated in SPEEDS.values():
        found = stated.rows_with_word(page, words, bytes(MARKED), first, len(page), most)
        assert found == holding(page, first, len(page), most)


@BOTH
def test_words_of_too_many_letters_are_refused(stated: ModuleType) -> None:
    page = parse("<p class=a>")
    assert stated.rows_with_word(page, b"b" * 63 + b"\0a\0", bytes(MARKED), 0, len(page), 9)
    with pytest.raises(ValueError, match="64 letters"):
        stated.rows_with_word(page, b"b" * 64 + b"\0a\0", bytes(MARKED), 0, len(page), 9)


@given(st.lists(st.tuples(*[st.text(st.sampled_from("ab07é "), max_size=5)] * 2), max_size=8))
def test_each_distinct_value_is_asked_about_once(rows: list[tuple[str, str]]) -> None:
    page = parse("".join(f"<p class='{one}' id='{two}' title=abab>" for one, two in rows))
    names = bytes([ATTRIBUTE_ID["class"], ATTRIBUTE_ID["id"]])
    values = [
        [re.sub("[0-9]+", "0", page.attribute(row, name) or "") for name in ("class", "id")] for row in range(len(page))
    ]
    for stated in SPEEDS.values():
        asked: list[str] = []

        def ask(value: str, asked: list[str] = asked) -> int:
            asked.append(value)
            return value.count("a")

        found = stated.ask_values(page, np.arange(len(page), dtype=np.int32), names, ask)
        assert [*found] == [max(value.count("a") for value in pair) for pair in values]
        assert sorted(asked) == sorted({value for pair in values for value in pair if value})


@BOTH
def test_what_is_asked_about_is_part_of_the_page(stated: ModuleType) -> None:
    page = parse("<p class=" + "a1" * 4000 + ">")
    name = bytes([ATTRIBUTE_ID["class"]])
    (found,) = stated.ask_values(page, page.rows("p"), name, len)
    assert found == 4000
    assert [*stated.ask_values(page, page.rows("table"), name, len)] == []
    for row in (-1, len(page)):
        with pytest.raises(IndexError, match=f"row {row} of"):
            stated.ask_values(page, np.array([row], dtype=np.int32), name, len)
    with pytest.raises(ZeroDivisionError):
        stated.ask_values(page, page.rows("p"), name, lambda value: 1 // 0)


@BOTH
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
def test_short_texts_with_a_year(stated: ModuleType, text: str, is_dated: bool) -> None:
    page = parse(f"<p>{text}</p><p hidden>{text}</p><script>{text}</script>")
    seen, hidden = (stated.rows_with_year(page, 0, len(page), also, 6, 20) for also in (False, True))
    assert [page.text(row) for row in seen] == [text] * is_dated
    assert [page.text(row) for row in hidden] == [text, text] * is_dated
    assert stated.rows_with_year(page, len(page), len(page), True, 6, 20) == []


@BOTH
def test_what_is_seen_from_a_row_on(stated: ModuleType) -> None:
    page = parse("<p>a<p>b<i>c</i><script>x</script><p hidden>y</p>d<p>e<script>z</script>")
    texts = [stated.seen_from(page, row) for row in (0, page.rows("p").tolist()[1], page.rows("script").tolist()[-1])]
    assert texts == [b"abc\0de\0", b"bc\0de\0", b""]


@pytest.mark.parametrize("lines", LINES.values(), ids=LINES.keys())
@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("a<b>b</b>c", b"abc"),
        ("a<p>b</p>c<br>d", b"a b c d"),
        ("<table><tr><td>a<td>b<tr><th>c</table>d", b" a b c d"),
        ("a<x-y>b</x-y><script>c</script><p hidden>d</p>e", b"ab e"),
    ],
)
def test_what_is_shown_of_rows(lines: ModuleType, html: str, expected: bytes) -> None:
    page = parse(f"<body>{html}")
    (body,) = page.rows("body").tolist()
    assert lines.shown(page, body + 1, len(page)) == expected


@pytest.mark.parametrize("lines", LINES.values(), ids=LINES.keys())
def test_what_is_hidden_as_the_first_row_is_is_shown(lines: ModuleType) -> None:
    page = parse("<p hidden>a<b>b</b><p>c")
    row = page.rows("p").tolist()[0]
    assert lines.shown(page, row, int(page.end[row])) == b" ab"


CLASSES = st.lists(
    st.sampled_from(["comment", "RESPOND", "pinglun", "comm", "ent", "n", "t", "pin", "-", " "]), max_size=6
)


@given(st.lists(CLASSES, max_size=4))
def test_hints_of_comments_are_found_wherever_they_stand(classes: list[list[str]]) -> None:
    values = ["".join(words) for words in classes]
    page = parse("<body>" + "".join(f'<p class="{value}">' for value in values))
    rows = page.rows("p").tolist()
    expected = [
        row
        for row, value in zip(rows, values, strict=True)
        if any(hint in value.lower() for hint in ("comment", "respond", "pinglun"))
    ]
    for lines in LINES.values():
        assert [row for row, _ in lines.hinted(page)] == expected


def test_a_title_of_one_long_word_costs_little() -> None:
    title = f"<title>{'a' * 900}b</title><h1>x</h1>"
    pages = {size: parse(title + "<p>" + "a" * size) for size in (200_000, 400_000)}
    assert growth(lambda size: pagesieve.headline(pages[size]), 200_000) < 3.0


# What is read


def linked(type: str) -> Page:
    return parse(f"""<script type='{type}'>{{"@type": "Article", "headline": "A wall", "author": "Jo Ash"}}</script>""")


@pytest.mark.parametrize(
    ("type", "is_linked"),
    [
        ("application/ld+json", True),
        (" Application/LD+JSON; charset=utf-8", True),
        ("application/json", False),
        ("ld+json", False),
        ("\u201dtext/javascript\u201d", False),  # a script, though its type is quoted twice
    ],
)
def test_which_scripts_are_linked_data(type: str, is_linked: bool) -> None:
    page = linked(type)
    assert linked_headlines(page) == ["A wall"] * is_linked
    assert list(linked_data(page, "").strings("author")) == ["Jo Ash"] * is_linked


def test_what_was_read_is_kept_with_the_page() -> None:
    page = linked("application/ld+json")
    assert linked_data(page, "a").things is linked_data(page, "b").things
    assert meta(page) is meta(page)


def test_a_page_that_was_read_can_be_pickled() -> None:
    page = linked("application/ld+json")
    title = document_title(page)
    linked_data(page, title)
    again = pickle.loads(pickle.dumps(page))
    assert (document_title(again), len(again)) == (title, len(page))


def test_the_type_of_a_page_is_a_property() -> None:
    assert og_type(parse("<meta name=og:type content=website><meta property=OG:type content=Article>")) == "article"
    assert og_type(parse("<meta name=og:type content=website>")) == ""
