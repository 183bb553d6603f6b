"""Which elements of a page are worth a look for what it says of itself, at both speeds of the kernel."""

from __future__ import annotations

import math
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

import pagesieve
from pagesieve.page import kernel
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID, TAGS
from pagesieve.page.static import parse
from pagesieve.page.table import SEEN, Page
from pagesieve.text.whitespace import squeeze
from tests.growing import growth

SPEEDS = {name: kernel.load("stated", pure=name == "pure") for name in ("compiled", "pure")}
LINES = {name: kernel.load("lines", pure=name == "pure") for name in ("compiled", "pure")}
BOTH = pytest.mark.parametrize("stated", SPEEDS.values(), ids=SPEEDS.keys())

NAMES = bytes([ATTRIBUTE_ID["name"], ATTRIBUTE_ID["property"]])


@BOTH
@pytest.mark.parametrize(
    ("meta", "may_say"),
    [
        ("name=title", True),
        ("name=TiTle", True),
        ("property=' title'", True),
        ("name=titles", True),  # whoever asks reads it
        ("name=tite", False),
        ("name=tit", False),
        ("name=''", False),
        ("name='  '", False),
        ("", False),
        ("content=title", False),
        ("name=x property=site", True),
        ("name=subtitle", False),
        ("name=\u00a0title", True),  # what is beyond ASCII may be a blank
    ],
)
def test_what_may_say_a_word(stated: ModuleType, meta: str, may_say: bool) -> None:
    page = parse(f"<meta {meta}><link name=title>")
    rows = stated.saying(page, TAG_ID["meta"], NAMES, b"title\0site\0", 10)
    assert rows == [row for row in page.rows("meta").tolist() if may_say]


@BOTH
def test_of_many_elements_the_first_are_looked_at(stated: ModuleType) -> None:
    page = parse("<meta name=a>" * 3 + "<meta name=title>" * 3)
    assert stated.saying(page, TAG_ID["meta"], NAMES, b"title\0", 4) == page.rows("meta").tolist()[3:4]


@BOTH
@pytest.mark.parametrize(
    ("meta", "found"),
    [
        ("name=pubdate content=x", ["x"]),
        ("content=x property='Pub.Date '", ["x"]),
        ("name=pub-date property=pub:_date content=x", ["x", "x"]),
        ("name=pubdate content=''", [""]),
        ("name=pubdate", []),
        ("name=pubdates content=x", []),
        (f"name={'pubdate' * 20} content=x", []),
        ("name='' content=x", []),
        ("id=pubdate content=x", []),
    ],
)
def test_facts_by_their_names(stated: ModuleType, meta: str, found: list[str]) -> None:
    page = parse(f"<meta {meta}><link name=pubdate content=x>")
    facts = stated.named(page, TAG_ID["meta"], NAMES, ATTRIBUTE_ID["content"], {b"pubdate": "day"}, 10)
    assert [(name, page.value_buffer[start:stop].decode()) for name, start, stop in facts] == [
        ("day", text) for text in found
    ]


@BOTH
def test_of_many_facts_the_first_are_looked_at(stated: ModuleType) -> None:
    page = parse("<meta name=a content=b>" * 5)
    assert len(stated.named(page, TAG_ID["meta"], NAMES, ATTRIBUTE_ID["content"], {b"a": "a"}, 3)) == 3


LETTERS = st.text(st.sampled_from("abAB 1-_"), max_size=90)


def in_common(text: str, titles: list[str], share: float) -> bool:
    """The rule, said slowly."""
    key = squeeze(text)
    least = math.ceil(share * len(key))
    return not titles or any(LCSseq.similarity(key, squeeze(title)) >= least for title in titles)


@given(
    headings=st.lists(LETTERS.filter(str.strip), min_size=1, max_size=5),
    titles=st.lists(LETTERS.filter(squeeze), max_size=3),
    times=st.integers(1, 5),
)
def test_headings_that_have_something_in_common_with_a_title(
    headings: list[str], titles: list[str], times: int
) -> None:
    texts = [text * times for text in headings]
    page = parse("".join(f"<h2>{text}</h2>" for text in texts))
    rows = page.rows("h2").tolist()
    keys = "".join(squeeze(title) + "\0" for title in titles).encode()
    found = {name: stated.headings(page, keys, 0.75, 1200, 100) for name, stated in SPEEDS.items()}
    assert found["compiled"] == found["pure"]
    passed = {row for row, _, _, _ in found["pure"]}
    for row, text in zip(rows, texts, strict=True):
        judged = [is_judged for each, _, _, is_judged in found["pure"] if each == row]
        assert row in passed if in_common(text, titles, 0.75) else row not in passed or judged == [False]


@BOTH
@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<h1>other</h1>", [(0, False, True)]),
        ("<h2>A wall</h2>", [(0, False, True)]),
        ("<h2>A\u00a0\u201cwall\u201d \u2013</h2>", [(0, False, True)]),  # the signs of print are no letters
        ("<h2>other</h2>", []),
        ("<h2>öther</h2>", [(0, False, False)]),
        ("<h2>!</h2>", [(0, False, False)]),
        (f"<h2>{'a' * 300}</h2>", [(0, False, False)]),
        (f"<h2>{'a' * 1300}</h2>", []),
        ("<h2></h2>", []),
        ("<h2 hidden>A wall</h2>", []),
        ("<h2>A <i>wall</i><b hidden>of</b></h2>", [(0, True, True)]),
        ("<h2>A wall</h2><h3>other</h3><h2>other</h2>", [(1, False, True)]),
        ("<h2>A wall</h2><div><h2>A wall</h2></div>", [(0, False, True), (0, False, True)]),
    ],
)
def test_headings_with_what_is_known_of_them(
    stated: ModuleType, html: str, found: list[tuple[int, bool, bool]]
) -> None:
    assert [known for _, *known in stated.headings(parse(html), b"awallofstone\0", 0.75, 1200, 100)] == [
        list(known) for known in found
    ]


@BOTH
def test_the_last_text_that_is_seen_and_holds_a_word(stated: ModuleType) -> None:
    page = parse("<p>a wall<p>wal<p>the walls<script>wall</script><p hidden>wall")
    assert page.text(stated.last_holding(page, b"wall")) == "the walls"
    assert stated.last_holding(page, b"house") == -1


@BOTH
def test_rows_that_an_attribute_marks(stated: ModuleType) -> None:
    page = parse("<p class=headline><p itemprop='x headline'><p itemprop=name><b id=x itemprop=headline>")
    found = stated.marked(page, ATTRIBUTE_ID["itemprop"], b"headline", 9)
    assert [page.tag_name(row) for row in found] == ["p", "b"]
    assert stated.marked(page, ATTRIBUTE_ID["itemprop"], b"headline", 1) == found[:1]


@BOTH
def test_rows_below_an_element(stated: ModuleType) -> None:
    page = parse("<nav><p>a</p></nav><p>b</p><odd><nav><x-y><p>c")
    wanted = bytes(name == "nav" for name in TAGS)
    assert stated.beside(page, page.rows("p").tolist(), wanted) == [True, False, True]


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
        found = stated.holding(page, words, bytes(MARKED), first, len(page), most)
        assert found == holding(page, first, len(page), most)


@BOTH
def test_words_of_too_many_letters_are_refused(stated: ModuleType) -> None:
    page = parse("<p class=a>")
    assert stated.holding(page, b"b" * 63 + b"\0a\0", bytes(MARKED), 0, len(page), 9)
    with pytest.raises(ValueError, match="64 letters"):
        stated.holding(page, b"b" * 64 + b"\0a\0", bytes(MARKED), 0, len(page), 9)


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
    seen, veiled = (stated.dated(page, 0, len(page), also, 6, 20) for also in (False, True))
    assert [page.text(row) for row in seen] == [text] * is_dated
    assert [page.text(row) for row in veiled] == [text, text] * is_dated
    assert stated.dated(page, len(page), len(page), True, 6, 20) == []


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
