"""What a page states of itself: the kernel's search, and what is read there."""

from __future__ import annotations

import json
import pickle
import re
from html import unescape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagesieve
from pagesieve.page import kernel
from pagesieve.page.kernel.tags import ATTRIBUTE_ID
from pagesieve.page.linked import breadcrumbs, linked_data
from pagesieve.page.stated import (
    address,
    canonical_url,
    document_title,
    key_strings,
    linked_headlines,
    meta,
    og_type,
    stated_titles,
    statements,
)
from pagesieve.page.static import parse
from pagesieve.page.table import SEEN, Page
from pagesieve.text.whitespace import clean, fold
from tests.growing import growth
from tests.profiles import examples


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
def test_values_that_begin_with_a_word(meta: str, begins: bool) -> None:
    page = parse(f"<meta {meta}><link content=title><link name=title>")
    rows = kernel.page.stated.rows_with_value(page, ATTRIBUTE_ID["name"], b"title")
    assert rows == [row for row in page.rows("meta").tolist() if begins] + page.rows("link").tolist()[1:]


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("name=pubdate content=x", ["x"]),
        ("content=x property='Pub.Date '", ["x"]),
        ("name=pub-date property=pub:_date content=x", ["x", "x"]),
        ("name=pubdate content=''", []),
        ("name=pubdate", []),
        ("name='' content=x", []),
        ("name=pubdat content=x", []),
        ("name=pubdates content=x", []),
        ("id=pubdate content=x", []),
        ("name=pubdate content=' x\n &amp;amp; \xa0y\u200b '", ["x & y"]),
        (f"name=pubdate content={'x' * 5000}", ["x" * 4000]),
    ],
)
def test_facts_by_their_names(html: str, found: list[str]) -> None:
    facts = meta(parse(f"<meta {html}><link name=pubdate content=x>"))
    assert [*facts.values("no such", "pub_date", longest=4000)] == ([("pub_date", found)] if found else [])
    assert [*facts.firsts("pub_date")] == [("pub_date", text) for text in found[:1] if len(text) <= 1000]


def test_facts_may_keep_their_lines() -> None:
    facts = meta(parse("<meta name=a content='b &amp;lt;\n c'>"))
    assert [*facts.values("a", folded=False)] == [("a", ["b <\n c"])]


def test_of_many_facts_the_first_are_looked_at() -> None:
    facts = meta(parse("<meta name=a content=b>" * 999 + "<meta name=b content=c>" * 5))
    assert [*facts.values("a", "b")] == [("a", ["b"] * 50), ("b", ["c"])]


def test_rows_that_one_attribute_marks() -> None:
    page = parse("<p class=headline><p itemprop='x headline'><p itemprop=name><b id=x itemprop=headline>")
    itemprop = bytes([ATTRIBUTE_ID["itemprop"]])
    found = kernel.page.stated.rows_with_word(page, b"headline\0", itemprop, 0, len(page), 9)
    assert [page.tag_name(row) for row, _ in found] == ["p", "b"]
    assert kernel.page.stated.rows_with_word(page, b"headline\0", itemprop, 0, len(page), 1) == found[:1]


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
    found = kernel.page.stated.rows_with_word(page, words, bytes(MARKED), first, len(page), most)
    assert found == holding(page, first, len(page), most)


def test_words_of_too_many_letters_are_refused() -> None:
    page = parse("<p class=a>")
    assert kernel.page.stated.rows_with_word(page, b"b" * 63 + b"\0a\0", bytes(MARKED), 0, len(page), 9)
    with pytest.raises(ValueError, match="64 letters"):
        kernel.page.stated.rows_with_word(page, b"b" * 64 + b"\0a\0", bytes(MARKED), 0, len(page), 9)


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
    seen, hidden = (kernel.page.stated.rows_with_year(page, 0, len(page), also, 6, 20) for also in (False, True))
    assert [page.text(row) for row in seen] == [text] * is_dated
    assert [page.text(row) for row in hidden] == [text, text] * is_dated
    assert kernel.page.stated.rows_with_year(page, len(page), len(page), True, 6, 20) == []


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("a<b>b</b>c", b"abc"),
        ("a<p>b</p>c<br>d", b"a b c d"),
        ("<table><tr><td>a<td>b<tr><th>c</table>d", b" a b c d"),
        ("a<x-y>b</x-y><script>c</script><p hidden>d</p>e", b"ab e"),
    ],
)
def test_what_is_shown_of_rows(html: str, expected: bytes) -> None:
    page = parse(f"<body>{html}")
    (body,) = page.rows("body").tolist()
    assert kernel.lines.lines.shown(page, body + 1, len(page)) == expected


def test_what_is_hidden_as_the_first_row_is_is_shown() -> None:
    page = parse("<p hidden>a<b>b</b><p>c")
    row = page.rows("p").tolist()[0]
    assert kernel.lines.lines.shown(page, row, int(page.end[row])) == b" ab"


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
    assert linked_data(page, "").strings("author") == ["Jo Ash"] * is_linked


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


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("<title> A\n wall </title>", "A wall"),
        ("<title></title><title>A</title>", "A"),
        ("<title>&amp;nbsp;</title><title>\u200b</title><title>壁</title><title>b</title>", "壁"),
        ("<svg><title>A drawing</title></svg><title>A wall</title>", "A drawing"),
        ("<title>" + "x" * 2000 + "</title>", "x" * 1000),
        ("<title>A &amp;amp; B</title>", "A & B"),
        ("", ""),
    ],
)
def test_the_title_of_a_document(head: str, title: str) -> None:
    assert document_title(parse(head)) == title


@pytest.mark.parametrize(
    ("head", "own"),
    [
        ("<link rel=canonical href=' https://e.org/a '>", "https://e.org/a"),
        ("<link rel=' Canonical ' href=/a><base href=https://e.org/b/>", "https://e.org/a"),
        ("<link rel=canonicals href=https://e.org/a>", None),
        ("<link rel=canonical><link rel=canonical href=https://e.org/a>", None),
        ("<link rel=canonical href=/a><meta property=og:url content=//e.org/b>", "https://e.org/b"),
        ("<base><base href=''><base href=https://e.org/c/><meta property=og:url content=d>", "https://e.org/c/d"),
        ("<link rel=canonical href=javascript:a>", None),
    ],
)
def test_the_address_that_a_page_names(head: str, own: str | None) -> None:
    assert address(parse(head)) == own
    assert address(parse(head, url="https://e.org/given")) == "https://e.org/given"


def test_statements_are_found_once_for_a_page_and_its_variants() -> None:
    page = parse("<title>A</title><p hidden>b<p style='display:none'>c<p>d")
    assert statements(page.unveiled) is statements(page)
    assert statements(page.changed(url="https://e.org/")) is not statements(page)
    assert canonical_url(page.unveiled) is None


# The kernel against the same said by regular expressions

PARTING = re.compile(
    r"(?=[\s|｜¦_»«›‹•·:-])(?:(?<!\s)\s+[-–—:~/<>→•·]+\s+|(?:(?<!\s)\s+)?(?:[|｜¦_»«›‹•·]|--+|::+)+\s*)"
)


@given(st.text(st.sampled_from("ab  \t\xa0|｜_»•·:-–—~/<→"), max_size=30))
def test_what_parts_titles(title: str) -> None:
    assert kernel.page.stated.partings(title) == [found.span() for found in PARTING.finditer(title)]
    whole = fold(title)
    parts = [whole, max(PARTING.split(whole), key=len)]
    page = parse(f"<meta property=og:title content='{whole}'>")
    assert stated_titles(page) == [part for part in dict.fromkeys(parts) if part]


UNSEEN = "\x00\x7f\xad\u200b\ufeff"
BLANKS = "  \t\n\r\x0b\x0c\x1c\x85\xa0\u1680\u2003\u2028\u202f\u205f\u3000"


@given(st.text(st.sampled_from(f"ab\u2019é壁😀{UNSEEN}{BLANKS}")))
def test_blanks_are_folded(text: str) -> None:
    assert kernel.page.stated.folded(text.encode()) == fold(text)


STRINGS = st.text(st.sampled_from('ab é壁😀"\\/\b\f\n\r\t\x00\xad\u200b\ud800\udc00&amp;<'), max_size=40)


@given(STRINGS, st.booleans(), st.sampled_from(["", " ", "\n", "\xa0"]))
def test_strings_of_data_are_read_as_by_a_parser(text: str, in_ascii: bool, blank: str) -> None:
    value = json.dumps(text, ensure_ascii=in_ascii).encode("utf-8", "replace").decode().replace("<", "\\u003c")
    script = f'{{"articleBody"{blank}:{blank}{value}, "headline": {value}}}'
    page = parse(f'<script type="application/ld+json">{script}</script>')
    read = json.loads(value).encode("utf-8", "replace").decode()
    assert statements(page).texts(key_strings)[0].decode() == clean(unescape(read))
    assert linked_headlines(page) == [title for title in [kernel.page.stated.readable(clean(read))] if title]


@pytest.mark.parametrize(
    ("script", "body"),
    [
        ('{"articleBody": "a", "articleBody": ["b", {"text": "c"}, 7], "articleBody": "d"}', "a\nb\nc\nd"),
        ('{"articleBody": null, "articleBody": "a", "articleBody": true, "articleBody": 1.5}', "a"),
        (r'{"articleBody": "a", "articleBody": "\x", "articleBody": "b"}', "a"),
        (r'{"articleBody": "a\u00e", "articleBody": "b"}', ""),
        (r'{"articleBody": "\ud83d\ude00 \ud83d \ude00 \ud83d\u0041"}', "😀 ? ? ?A"),
        ('{"articleBody" "a", "articleBody": "b"}', "b"),
        ('{"articleBody": "a" "articleBody": "a" "reviewBody": "b"', "a\nb"),
        ('{"articleBody": "a\\\\"}', "a\\"),
        ('{"articleBody": "say \\"articleBody\\": \\"b\\""}', 'say "articleBody": "b"'),
        ('{"articleBody": nonsense, "articleBody": "b"}', ""),
        ('{"articleBody": "never ends', ""),
        ('{"articleBody":', ""),
    ],
)
def test_texts_of_a_key(script: str, body: str) -> None:
    page = parse(f'<script type="application/ld+json">{script}</script>')
    assert statements(page).texts(key_strings)[0].decode() == body


# Data that the page does not show

PROSE = re.compile(rb"(?: [A-Za-z\x80-\xff'-]+){5,8}|[\x80-\xff]{45,60}")
PLAIN = re.compile(r"[^\"'\\&<>/\s][^\"'\\&<>/\n]*")


PIECES = [" a", " bc-d", "'", " ", "1", "é", "壁" * 7, " it's", "\n"]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_phrases_of_a_script(text: str) -> None:
    source = text.encode()
    assert kernel.page.stated.phrases(source, 0, len(source)) == PROSE.findall(source)
    assert kernel.page.stated.phrases(source, 2, len(source) - 1) == PROSE.findall(source, 2, len(source) - 1)
    assert kernel.page.stated.phrases(source, -5, 10**9) == PROSE.findall(source)


@given(st.lists(st.text("ab", max_size=6).map(str.encode)), st.text("abc", max_size=60))
def test_phrases_in_a_text(phrases: list[bytes], text: str) -> None:
    assert kernel.page.stated.count_in(phrases, text.encode()) == sum(phrase.decode() in text for phrase in phrases)


def test_long_phrases_in_a_text() -> None:
    phrase = bytes(range(256)) * 2
    text = b"x" * 5000 + phrase + b"y" * 700
    assert (
        kernel.page.stated.count_in([phrase, phrase[1:] + b"\0", b"x" * 5000, b"x" * 5001, text, text + b"z"], text)
        == 3
    )


@given(st.text(st.sampled_from("ab \n\xa0\"'\\&<>/é"), max_size=30))
def test_what_data_write_as_it_is(text: str) -> None:
    assert kernel.page.stated.longest_plain(text) == max(PLAIN.findall(text), key=len, default="")


def test_scripts_that_hold_words() -> None:
    page = parse("<script>some words here</script><script>words</script><p>words<script>other text here</script>")
    spans = kernel.page.stated.scripts_with(page, [b"words", "wörter".encode()], 8)
    assert [page.text_buffer[start:stop] for start, stop in spans] == [b"some words here"]
    assert len(kernel.page.stated.scripts_with(page, [b""], 8)) == 2
    assert len(kernel.page.stated.scripts_with(page, [b"x"], 0)) == 1
    assert kernel.page.stated.scripts_with(page, [], 0) == []


def test_how_much_of_some_rows_is_shown() -> None:
    page = parse("<p>abc<p hidden>de fgh<p>ij<script>klmnop</script>")
    kept = np.ones(len(page), dtype=np.uint8)
    chars, row = kernel.page.stated.longest_shown(page, kept)
    assert (chars, page.text(row)) == (10, "de fgh")
    assert kernel.page.stated.longest_shown(page, kept[:0]) == (0, 0)
    assert kernel.page.stated.longest_shown(page, np.ones(len(page) + 5, dtype=np.uint8)) == (chars, row)


# JSON that no parser takes

ARTICLE = '{"@type": "NewsArticle", "headline": "A wall", "datePublished": "2024-05-06", "author": {"name": "Jo Ash"}}'
PERSON = '{"@type": "Person", "@id": "#jo", "name": "Jo Ash"}'
TRAIL = '{"@type": "BreadcrumbList", "itemListElement": [{"name": "Home"}, {"name": "Walls"}]}'


@pytest.mark.parametrize(
    "script",
    [
        ARTICLE,
        f"{ARTICLE};",
        f" \n;{ARTICLE} ; ",
        f"<!-- {ARTICLE} -->",
        f"<!--\n{ARTICLE}\n//-->",
        f"<![CDATA[{ARTICLE}]]>",
        f"//<![CDATA[\n{ARTICLE}\n//]]>",
        f"/*<![CDATA[*/{ARTICLE}/*]]>*/",
        f"// it's {{ an article }}\n{ARTICLE}",
        f'/* an "article" */ {ARTICLE}',
        ARTICLE.replace('"A wall",', '"A wall", // its "title"\n'),
        ARTICLE.replace('"A wall",', '"A wall", /* its title: } */'),
        ARTICLE.replace("}}", ",},}"),
        ARTICLE.replace("}}", "}, // the last\n}"),
        ARTICLE.replace('"A wall"', '"A wall",,'),
        ARTICLE.replace("A wall", "A\twall").replace(", ", ",\x01\n"),
        ARTICLE.replace("{", '{"url": "https://e.org//a,]", "text": "a /* b",', 1),
        f"{PERSON}{ARTICLE}",
        f"{PERSON},\n{ARTICLE}",
        f"[{PERSON} {ARTICLE}]",
        f'{{"@graph": [{PERSON}, {{"name": "a "quoted" word"}}, {ARTICLE}]}}',
        f"window.data = {ARTICLE};",
        ARTICLE.replace('"', "&quot;"),
        ARTICLE[:-1],
        ARTICLE.replace("{", '{"a": "said "yes" to it", ', 1),
        ARTICLE[:-1] + ', "description": "She said "yes" to it."}',
        ARTICLE[:-1] + ', "description": "never ends',
        ARTICLE[:-1] + ', "count": 01, "a": [1, 2',
    ],
)
def test_what_can_be_read_of_broken_data(script: str) -> None:
    found = linked_data(parse(f'<script type="application/ld+json">{script}</script>'), "A wall")
    assert found.strings("datePublished")[0] == "2024-05-06"
    assert [name for value in found.values("author") for name, _ in found.names(value)][:1] == ["Jo Ash"]


@pytest.mark.parametrize(
    ("script", "titles"),
    [
        (ARTICLE[:-1] + ', "description": "She said "yes" to it."}', ["A wall"]),
        (f"{ARTICLE}{ARTICLE.replace('wall', 'gate')}", ["A wall", "A gate"]),
        ('{"headline": "A wall", "author": "Jo", "about": {"name": "Stone", "url": oops}, "text": "b"}', ["A wall"]),
        ('{"headline": "A wall" "author": "Jo"}', []),
        ("author", []),
        ('"author"', []),
        ("{author", []),
    ],
)
def test_things_of_broken_data(script: str, titles: list[str]) -> None:
    found = linked_data(parse(f'<script type="application/ld+json">{script}</script>'), "A wall")
    assert found.strings("headline") == titles


@pytest.mark.parametrize("script", [TRAIL, f"{ARTICLE};{TRAIL}", f"<!-- {TRAIL} -->", TRAIL[:-1]])
def test_breadcrumbs_of_broken_data(script: str) -> None:
    assert breadcrumbs(parse(f'<script type="application/ld+json">{script}</script>'))[:1] == ["Home"]


@examples(200)
@given(st.text(st.sampled_from('{}[]",:\\/*<!-> \nab1'), max_size=80))
def test_nonsense_is_read_as_far_as_it_goes(text: str) -> None:
    page = parse(f'<script type="application/ld+json">{text}"author": {text}</script>')
    assert isinstance(linked_data(page, "").strings("headline"), list)
    assert breadcrumbs(page) == []


OPENINGS = ['{"author":', '{"author":"', '{"author":1,', '"headline":', '"text":[', "[", '"', "\\", "/*", "//", "<!--"]


@pytest.mark.parametrize("piece", OPENINGS)
def test_broken_data_cost_little(piece: str) -> None:
    def read(size: int) -> None:
        page = parse(f'<script type="application/ld+json">"author"{piece * (size // len(piece))}</script>')
        linked_data(page, "")
        statements(page).texts(key_strings)

    assert growth(read, 100_000) < 3.5


def test_zeros_and_controls_are_counted() -> None:
    controls = bytes({*range(1, 9), *range(14, 27), *range(28, 32), 127})
    for code in range(256):
        data = b"a wall" + bytes([code]) * 9 + b" of sand" * 3
        for stop in (0, 7, 12, 16, 999):
            expected = data[:stop].count(0), sum(byte in controls for byte in data[:stop])
            assert kernel.html.encodings.count_controls(data, stop) == expected
