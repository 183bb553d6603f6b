"""Pages composed of labelled pages: the article is found, things are put in, and the labels stay."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from research import furniture
from research.apart import AFTER, AMID, BEFORE, BELOW, END, INSIDE, Article, Dress, Paragraph, take_apart
from research.compose import MIXED, TWO_ARTICLES, Page, Recipe, compose, keeps_labels
from selectolax.lexbor import LexborHTMLParser

from pagesieve.evaluate.archives import Gold
from pagesieve.evaluate.metrics import tokens
from pagesieve.page.lines import split
from pagesieve.page.static import decode, parse

NOTHING = Recipe(0, 0, 0, 0, 0, 0)


def story(number: int, lang: str = "en") -> Page:
    """Give a page of a site of its own; no two have a run of words in common."""
    texts = [" ".join(f"word{number}x{part}x{word}" for word in range(30)) + "." for part in range(4)]
    title = f"Headline of story{number} today"
    inner = "".join(f'<p class="para">{text}</p>' for text in texts)
    html = (
        f"<html><head><meta charset=iso-8859-1><title>{title} | Site</title></head><body><nav>Menü {number}</nav>"
        f'<main><article class="post p{number}"><h1>{title}</h1><div class="by">By Someone</div>'
        f'<div class="text">{inner}</div></article><aside>Old stories</aside></main>'
        f"<footer>Imprint</footer></body></html>"
    )
    gold = Gold(f"p{number}", "\n".join(texts), site=f"s{number}.example", lang=lang, title=title, author="A. Writer")
    return gold, html.encode("iso-8859-1")


PAGES = [story(number) for number in range(6)]


def lines(html: bytes) -> list[str]:
    blocks = split(parse(html))
    return [blocks.text(k) for k in range(len(blocks))]


def test_the_article_of_a_page_is_found() -> None:
    host, article = take_apart(*PAGES[0]) or pytest.fail("not taken apart")
    assert host.places == (BEFORE, AMID, AMID, AMID, INSIDE, BELOW, AFTER, END)
    assert host.dress == Dress(('<article class="post p0">', '<div class="text">'), "<h1>", '<p class="para">')
    assert article.headline == "Headline of story0 today"
    assert [each.text for each in article.paragraphs] == PAGES[0][0].text.splitlines()
    assert article.whole is not None
    assert article.whole.startswith('<article class="post p0"><h1>')


def test_a_page_is_filled_at_its_places_and_says_that_it_is_utf8() -> None:
    host, _ = take_apart(*PAGES[0]) or pytest.fail("not taken apart")
    inserts = {number: f"<p>{name} {number}</p>" for number, name in enumerate(host.places)}
    found = lines(host.filled(inserts).encode())
    first = found.index("before 0")
    assert found[:first] == ["Menü 0"]
    assert found[first + 1 : first + 3] == ["Headline of story0 today", "By Someone"]
    assert [text for text in found[first:] if text.split()[0] in host.places] == [
        f"{name} {number}" for number, name in enumerate(host.places)
    ]
    assert found[-3:] == ["Old stories", "end 7", "Imprint"]
    filled = host.filled({})
    assert [node.attributes for node in LexborHTMLParser(filled).css("meta")] == [{"charset": "utf-8"}]
    assert lines(filled.encode()) == lines(PAGES[0][1])


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("Too short to say anything.", b"<p>Too short to say anything.</p>"),
        (PAGES[0][0].text, PAGES[1][1]),  # the gold of another page
        (PAGES[0][0].text, b""),
        (PAGES[0][0].text, f"<p>{PAGES[0][0].text}</p>".encode()),  # a single paragraph
    ],
)
def test_pages_without_a_clear_article_are_left_alone(text: str, html: bytes) -> None:
    assert take_apart(Gold("x", text), html) is None


@pytest.mark.parametrize(
    ("before", "after", "places"),
    [
        # in a layout table nothing may stand between the cells, but in them
        ("<table><tr><td>", "</td></tr></table>", {BEFORE, BELOW, AFTER, END, AMID, INSIDE}),
        ("", "", {AMID, INSIDE}),  # no element but the page's body holds the article
        ("<ul><li>", "</li></ul>", {BEFORE, BELOW, AFTER, END, AMID, INSIDE}),
    ],
)
def test_nothing_is_put_where_a_parser_would_move_it(before: str, after: str, places: set[str]) -> None:
    texts = PAGES[0][0].text.splitlines()
    html = f"<body>{before}{''.join(f'<p>{text}</p>' for text in texts)}{after}</body>".encode()
    host, _ = take_apart(PAGES[0][0], html) or pytest.fail("not taken apart")
    assert set(host.places) == places
    for number, name in enumerate(host.places):
        filled = host.filled({number: "<div>put in</div>"}).encode()
        assert keeps_labels((host.gold, html), (host.gold, filled))
        at = lines(filled).index("put in")
        assert at == {BEFORE: 0}.get(name, at if name == AMID else len(texts))


@pytest.mark.parametrize(
    "recipe",
    [
        TWO_ARTICLES,
        replace(NOTHING, teasers_before=1),
        replace(NOTHING, teasers_after=1),
        replace(NOTHING, links=1),
        replace(NOTHING, comments=1),
        MIXED,
    ],
)
def test_composed_pages_keep_their_article_and_have_parts_of_others(recipe: Recipe) -> None:
    by_id = {gold.id: (gold, html) for gold, html in PAGES}
    composed = list(compose(PAGES, 8, 3, recipe))
    assert len(composed) == 8
    for gold, html in composed:
        first, *others = gold.id.split("+")
        assert others
        assert first not in others
        assert gold == replace(by_id[first][0], id=gold.id)
        assert decode(html).encoding in ("utf-8", "ascii")
        assert keeps_labels(by_id[first], (gold, html))
        text = "\n".join(lines(html))
        for other in others:
            assert str(by_id[other][0].title) in text or any(line in text for line in by_id[other][0].text.splitlines())


def test_two_articles_are_both_there_in_full() -> None:
    by_id = {gold.id: (gold, html) for gold, html in PAGES}
    for gold, html in compose(PAGES, 10, 5, TWO_ARTICLES):
        first, second = (by_id[name][0] for name in gold.id.split("+"))
        found = lines(html)
        places = [
            found.index(line) for line in (*first.text.splitlines(), str(second.title), *second.text.splitlines())
        ]
        assert places == sorted(places)


def test_the_same_seed_gives_the_same_pages() -> None:
    one, again, other = (list(compose(PAGES, 6, seed)) for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_parts_come_from_other_sites_and_the_same_language() -> None:
    pages = [(replace(gold, site="one.example"), html) for gold, html in PAGES[:3]]
    assert list(compose(pages, 3, 1)) == []
    many = [story(number, "de" if number < 14 else "fr") for number in range(10, 18)]
    language = {gold.id: gold.lang for gold, _ in many}
    for gold, _ in compose(many, 10, 1):
        assert {language[name] for name in gold.id.split("+")} == {gold.lang}


def test_only_articles_are_composed() -> None:
    assert list(compose([(replace(gold, page_type="forum"), html) for gold, html in PAGES], 3, 1)) == []


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ("<p>{0}</p><p>{1}</p>", True),
        ("<p>{0}</p><p>{1}</p><p>What others wrote of it</p>", True),
        ("<p>{0}</p>", False),
        ("<p>{0}{1}</p>", False),  # glued
        ("", False),
    ],
)
def test_labels_are_compared(html: str, kept: bool) -> None:
    gold = Gold("x", "The wall by the sea was finished in May at last.\nThree ships came in on the very first day.")
    texts = gold.text.splitlines()
    first = (gold, "<p>{}</p><p>{}</p>".format(*texts).encode())
    assert keeps_labels(first, (gold, html.format(*texts).encode())) == kept


ARTICLE = Article(
    Gold("x", "", lang="de", author="O. Meyer", date="2024-05-01"),
    "Ein <Wort>",
    None,
    (
        Paragraph("p", "Ein <b>Satz</b>. Noch einer! Und drei.", "Ein Satz. Noch einer! Und drei."),
        Paragraph("li", "eins", "eins"),
        Paragraph("li", "zwei", "zwei"),
    ),
)


@pytest.mark.parametrize("seed", range(12))
def test_furniture_is_well_formed(seed: int) -> None:
    dress = Dress(('<div class="a">', "<section>"), "<h1>", "<p>")
    for html in (
        furniture.next_article(ARTICLE, dress, "de", Random(seed)),
        furniture.teasers([ARTICLE] * 3, "de", Random(seed)),
        furniture.short_teasers([ARTICLE] * 3, "de", Random(seed)),
        furniture.links([ARTICLE] * (1 + seed % 3), "xx", Random(seed)),
        furniture.comments([ARTICLE] * 2, None, Random(seed)),
    ):
        body = LexborHTMLParser(html).body
        assert body is not None
        assert body.inner_html == html
        assert tokens(body.text())


def test_an_article_wears_the_dress_of_another() -> None:
    html = furniture.next_article(ARTICLE, Dress(('<div class="a">', "<main>"), None, '<p class="b">'), "de", Random(1))
    assert '<p class="b">Ein <b>Satz</b>.' in html
    assert "<ul><li>eins</li><li>zwei</li></ul></main></div>" in html
    assert "Von O. Meyer | <time>2024-05-01</time>" in html
    assert "Ein &lt;Wort&gt;" in html


def test_every_language_has_every_label() -> None:
    assert {frozenset(labels) for labels in furniture.LABELS.values()} == {frozenset(furniture.LABELS["en"])}
    assert furniture.say("by", "de-AT", Random(0)) == "Von"
