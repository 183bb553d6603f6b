"""The catalogue step: which links are articles, what they are called, and where a list goes on."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from html import escape
from pathlib import Path
from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

import pagesieve
from pagesieve import BadInput, Catalogue, Link
from pagesieve.headlines.catalogue import _is_title
from pagesieve.headlines.links import Judgement, _Rare, list_of, page_number, read_anchor
from pagesieve.page import kernel
from pagesieve.page.kernel.constants import (
    PLACE_AROUND,
    PLACE_HEADER,
    PLACE_LABEL,
    PLACE_MAIN,
    PLACE_NAVIGATION,
    PLACE_SIDE,
    PLACE_WIDGET,
)
from pagesieve.page.lines import split
from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.text.dates import date_in
from pagesieve.text.urls import absolute, address_of, key, same_family
from pagesieve.text.whitespace import clean, fold
from tests import nonsense
from tests.profiles import examples

URL = "https://news.example.org/world/"
SCRIPT = str(Path(sys.executable).with_name("pagesieve"))
TITLES = [
    "Otters return to the weir, and anglers are not pleased",
    "The eleven-year wait for an allotment",
    "Central bank holds rates for a third month",
    "How to carry a whale down a staircase",
    "Postman crosses a continent by bicycle, delivers one letter",
    "A dog finishes the marathon, again",
]
PATHS = [f"/2024/05/story-number-{k}-418{k:04}.html" for k in range(len(TITLES))]
LIST = [f'<li><a href="{path}">{title}</a></li>' for path, title in zip(PATHS, TITLES, strict=True)]


def page(*parts: str, head: str = "", items: list[str] = LIST) -> str:
    return f"<html><head>{head}</head><body>{''.join(parts)}<ul class=list>{''.join(items)}</ul></body></html>"


def found(html: str, url: str = URL) -> Catalogue:
    return pagesieve.catalogue(html, url)


def urls(html: str, url: str = URL) -> list[str]:
    return [link.url for link in found(html, url).all_links]


ALL = [f"https://news.example.org{path}" for path in PATHS]


def item(href: str, title: str = "A story that stands in the list as the others do", more: str = "") -> str:
    return f'<li><a href="{href}">{title}</a>{more}</li>'


# The links as the kernel reads them


def judged(page: Page) -> list[object]:
    """All that the kernel finds of the links of a page."""
    blocks = split(page)
    links = kernel.page.links.Links(page, (blocks.rows, blocks.starts, blocks.chars, blocks.link_chars))
    bases = URL.rstrip("/").removesuffix("/world").encode(), URL.encode(), URL.encode()
    targets = kernel.page.targets.Targets(page, links, bases, _Rare(URL, URL))
    judge = kernel.page.targets.Judge(targets)
    numbers = range(links.count)
    kept = bytes(k % 5 != 0 for k in range(judge.count))
    items = kernel.records.main_list.Items(judge, kept)
    main = kernel.records.main_list.MainList(judge, items)
    headings = main.headings()
    return [
        [links.tell(k) for k in numbers],
        links.labels(),
        list(targets.target),
        [(targets.address_of(k), targets.links_to(k), judge.points[k], judge.outside[k]) for k in range(judge.count)],
        (judge.articles(), judge.no_articles(), judge.numbered()),
        [items.beside(k) for k in numbers if targets.target[k] >= 0 and kept[targets.target[k]]],
        (headings, main.find(len(headings) % 2 == 0, headings[::2])),
    ]


def listed(hrefs: list[str], texts: list[str]) -> str:
    """A page with a link for each address, some in headings, in navigation or in running text."""
    around = (
        "<li class='a b{}'>{}</li>",
        "<h2>{0}{1}</h2>",
        "<nav id=x{}>{}</nav>",
        "<p>Some text before it, {0} {1}.</p>",
    )
    links = [
        f'<a href="{escape(href)}" title="{escape(text)}" rel="tag x"><b>{escape(text)}</b> <div>{k % 3}</div>'
        '<img alt="&nbsp;y"></a>'
        for k, (href, text) in enumerate(zip(hrefs, texts, strict=False))
    ]
    return "".join(around[k % len(around)].format(k, link) for k, link in enumerate(links))


_NAMES = st.text("ab-_/.?=&#%2014:utm_pgetl \u00fc\u3042\u200b\x1c", max_size=14)
_STARTS = st.sampled_from(
    ["", "/", "//", "https://a.example.org/", "http://other.example/", "?", "#", " ", "../", "www."]
)
_HREFS = st.builds("".join, st.tuples(_STARTS, _NAMES))


@given(nonsense.pages)
@examples(40)
def test_the_links_of_nonsense_are_judged_alike_each_time(html: str) -> None:
    parsed = parse(html)
    assert judged(parsed) == judged(parsed)


@given(st.lists(_HREFS, max_size=12), st.lists(st.text(max_size=40), min_size=12, max_size=12))
@examples(60)
def test_any_links_are_judged_alike_each_time(hrefs: list[str], texts: list[str]) -> None:
    parsed = parse(listed(hrefs, texts))
    assert judged(parsed) == judged(parsed)


@given(st.lists(_HREFS, max_size=12))
def test_the_kernel_joins_addresses_as_urls_does(hrefs: list[str]) -> None:
    parsed = parse("".join(f'<a href="{escape(href)}">x</a><p>' for href in hrefs))
    found = Judgement(parsed, URL, URL)
    for href, target in zip(hrefs, found.targets.target, strict=True):
        address = address_of(clean(href), URL)  # as a page has it
        assert (target < 0) == (address is None)
        if address is not None:
            assert key(found.address(target)) == key(address)


@given(st.text("a \n\u00a0\u00ad\u200b\u3000\x1c\x7f\u00fc", max_size=12))
def test_what_a_link_shows_is_folded(text: str) -> None:
    parsed = parse(f'<a href=x title="{text}">y</a>')
    assert list(read_anchor(Judgement(parsed, URL, URL).links, 0).said) == [one for one in [fold(text)] if one]


PLACES = [
    ("<nav>{}</nav>", PLACE_NAVIGATION),
    ("<header>{}</header>", PLACE_HEADER),
    ("<div class='main-menu'>{}</div>", PLACE_NAVIGATION | PLACE_MAIN),
    ("<div id='SiteFooter_foot'>{}</div>", PLACE_NAVIGATION),
    ("<div class=posted-by>{}</div>", PLACE_LABEL),
    ("<div class=posted_by>{}</div>", 0),
    ("<div class=x-comments-links>{}</div>", PLACE_LABEL),
    ("<div class=comments-linksy>{}</div>", 0),
    ("<div class=navy>{}</div>", 0),
    ("<div class=tags><nav>{}</nav></div>", PLACE_LABEL | PLACE_NAVIGATION),
    ("<ul><li class=category-tags>{}</ul>", 0),  # it is about the item
    ("<ul><li class='widget popular'>{}</ul>", PLACE_WIDGET | PLACE_SIDE),
    ("<aside>{}</aside>", PLACE_SIDE),
    ("<main>{}</main>", PLACE_MAIN),
    ("<div role=complementary>{}</div>", PLACE_SIDE),
    ("<div class=most-read>{}</div>", PLACE_SIDE),
    ("<div class=most_read>{}</div>", 0),
    ("<div class=ajax-pagination>{}</div>", PLACE_NAVIGATION | PLACE_AROUND),
    ("<div id=content-sidebar-wrap>{}</div>", PLACE_SIDE | PLACE_AROUND),
]


@pytest.mark.parametrize(("html", "flags"), PLACES)
def test_places(html: str, flags: int) -> None:
    parsed = parse(html.format("<a href=x>y</a>"))
    (number,), known = kernel.page.places.find(parsed, parsed.rows("a"))
    assert known[number] == flags


def test_links_alike_but_for_digits_and_later_classes_share_a_place() -> None:
    html = "<ul class='list3 x'><li id=i1><a href=1>a</a><li id=i22><a href=2>b</a></ul>"
    html += "<ul class='list y'><li id=i><a href=3>c</a></ul><ul class=other><li id=i><a href=4>d</a></ul>"
    parsed = parse(html)
    one, two, three, other = kernel.page.places.find(parsed, parsed.rows("a"))[0]
    assert one == two == three != other


# Addresses

ADDRESSES = [
    ("a.html", "https://news.example.org/world/a.html"),
    ("/a.html", "https://news.example.org/a.html"),
    ("//other.example/a", "https://other.example/a"),
    ("../a", "https://news.example.org/a"),
    ("/a/../b/./c", "https://news.example.org/b/c"),
    ("https://news.example.org/a/../b", "https://news.example.org/b"),
    ("?id=3", "https://news.example.org/world/?id=3"),
    (" /a\n", "https://news.example.org/a"),
    ("/a\nb", "https://news.example.org/ab"),
    ("HTTP://News.Example.ORG:80/A", "http://news.example.org/A"),
    ("https://news.example.org:443/a", "https://news.example.org/a"),
    ("https://news.example.org:8443/a", "https://news.example.org:8443/a"),
    ("https://news.example.org", "https://news.example.org/"),
    ("/a#comments", "https://news.example.org/a"),
    ("/a?utm_source=x&id=3&utm_medium=y#top", "https://news.example.org/a?id=3"),
    ("/a?fbclid=1", "https://news.example.org/a"),
    ("/a?gclid=1&b=2&&_ga=3", "https://news.example.org/a?b=2"),
    ("/a;jsessionid=77?b=2", "https://news.example.org/a?b=2"),
    ("/a?ref=home", "https://news.example.org/a?ref=home"),  # it may matter: only certain ones are folded
    ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
    ("/stra\u00dfe und weg", "https://news.example.org/stra%C3%9Fe%20und%20weg"),
    ("/%e6%97%a5", "https://news.example.org/%E6%97%A5"),
    ("/日本", "https://news.example.org/%E6%97%A5%E6%9C%AC"),
    ("/100%", "https://news.example.org/100%"),
    ("https://[::1]:8080/a", "https://[::1]:8080/a"),
    ("javascript:void(0)", None),
    ("JavaScript:alert(1)", None),
    ("mailto:a@example.org", None),
    ("tel:+49301234", None),
    ("data:text/html,x", None),
    ("ftp://example.org/a", None),
    ("https://[::1/a", None),
    ("https://a b/c", None),
    ("https://news.example.org:99999/a", None),
    ("https://" + "ü" * 80 + ".example/", None),
    ("/" + "a" * 3000, None),
]


@pytest.mark.parametrize(("href", "address"), ADDRESSES)
def test_absolute(href: str, address: str | None) -> None:
    assert absolute(href, URL) == address


@pytest.mark.parametrize("address", sorted({address for _, address in ADDRESSES if address}))
def test_a_normal_url_stays_as_it_is(address: str) -> None:
    assert absolute(address, URL) == address


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("http://www.example.org/a/", "https://example.org/a"),
        ("https://example.org/%E6%97%A5", "https://example.org/日"),
        ("https://example.org/", "http://example.org"),
    ],
)
def test_spellings_of_one_url(one: str, two: str) -> None:
    assert key(one) == key(two)


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("news.example.org", "sport.example.org", True),
        ("example.org", "sport.example.org", True),
        ("example.org", "example.com", False),
        ("news.example.co.uk", "sport.example.co.uk", True),
        ("one.co.uk", "two.co.uk", False),
        ("localhost", "localhost", True),
    ],
)
def test_families_of_hosts(one: str, two: str, same: bool) -> None:
    assert same_family(one, two) is same


# Titles


def test_links_in_page_order() -> None:
    assert [(link.title, link.url) for link in found(page()).links] == list(zip(TITLES, ALL, strict=True))


def test_all_titles_of_a_url() -> None:
    several = [
        f'<a href="{PATHS[0]}"><img src=x alt="An otter on the weir at dawn"></a>',
        f'<h3><a href="{PATHS[0]}" title="Otters return">{TITLES[0]}</a></h3>',
        f'<a href="https://www.news.example.org{PATHS[0]}?utm_source=top">Otters return to the weir</a>',
        f'<a href="{PATHS[0]}#comments">12 comments</a>',
    ]
    first = found(page(f"<div>{''.join(several)}</div>")).links[0]
    assert first.url == ALL[0]
    assert first.title == TITLES[0]
    assert first.titles == (
        TITLES[0],
        "Otters return to the weir",
        "An otter on the weir at dawn",
        "Otters return",
    )
    assert found(page(f"<div>{''.join(several)}</div>")).titles(ALL[0]) == first.titles


TITLE_CASES = {
    "a heading in a card": (
        "<a href={0}><div>World</div><h3>The <b>river</b> town that moved</h3><p>A summary, much longer.</p></a>",
        "The river town that moved",
    ),
    "a card without headings": (
        "<a href={0}><div>World</div><div>The river town that moved uphill</div><div>A summary, longer still</div></a>",
        "The river town that moved uphill",
    ),
    "a line break": ("<a href={0}>The river town<br>that moved</a>", "The river town that moved"),
    "a title that is cut": (
        "<a href={0} title='The river town that moved uphill'>The river town that…</a>",
        "The river town that moved uphill",
    ),
    "a picture only": ("<a href={0}><img alt='The river town that moved'></a>", "The river town that moved"),
    "a picture's file name": (
        "<a href={0}><img alt='IMG_1234.jpg'></a><a href={0}>The river town that moved</a>",
        "The river town that moved",
    ),
    "a date that is a link": (
        "<a href={0}>The river town that moved</a><a href={0} rel=bookmark><time>March 27, 2024</time></a>",
        "The river town that moved",
    ),
    "what is hidden": (
        "<a href={0}>The river town that moved<span hidden> opens in a window</span><script>x</script></a>",
        "The river town that moved",
    ),
    "a button": ("<a href={0}>The river town that moved</a> <a href={0}>Read on</a>", "The river town that moved"),
    "Chinese": ("<a href={0}>河边小镇整体搬迁上山</a><a href={0}>阅读全文</a>", "河边小镇整体搬迁上山"),
}


@pytest.mark.parametrize("name", TITLE_CASES)
def test_the_title_of_a_link(name: str) -> None:
    markup, title = TITLE_CASES[name]
    path = "/2024/05/river-town-moves-uphill-4189999.html"
    link = found(page(f"<div>{markup.format(path)}</div>")).all_links[0]
    assert link.url.endswith(path)
    assert link.title == title
    assert link.titles[0] == title
    assert "Read on" not in link.titles
    assert "阅读全文" not in link.titles


@pytest.mark.parametrize("more", ["Read more", "Weiterlesen", "阅读全文", "المزيد", "Читать далее"])
def test_what_all_links_say_is_no_title(more: str) -> None:
    items = [item(path, title, f' <a href="{path}">{more}</a>') for path, title in zip(PATHS, TITLES, strict=True)]
    links = found(page(items=items)).links
    assert [link.titles for link in links] == [(title,) for title in TITLES]


def test_titles_of_any_spelling_and_of_links_that_are_not_kept() -> None:
    listed = found(page('<nav><a href="/about">About the paper</a></nav>'))
    assert listed.titles("http://www.news.example.org" + PATHS[1] + "#x") == (TITLES[1],)
    assert listed.titles("/about") == ("About the paper",)
    assert listed.titles("https://news.example.org/nowhere") == ()
    assert listed.titles("mailto:a@example.org") == ()


# What is left out

NOISE = {
    "navigation": '<nav><ul><li><a href="/world/africa/">Africa</a><li><a href="/sport/">Sport</a></ul></nav>',
    "a menu by its class": '<div class="main-menu"><a href="/city/">City</a><a href="/opinion/">Letters</a></div>',
    "breadcrumbs": '<div class="breadcrumbs"><a href="/">Home</a> › <a href="/world/">World</a></div>',
    "a footer": '<footer><a href="/about-us">About us and our newsroom</a><a href="/terms">Terms of use</a></footer>',
    "tags": '<div><a href="/tag/rivers-and-lakes" rel=tag>Rivers and lakes</a><a href="/tag/otters">Otters</a></div>',
    "a tag cloud": "".join(f'<a href="/thema/{word}/">{word}</a> ' for word in "otter weir river bank".split()),
    "an author": '<p class="byline">By <a href="/authors/ann-of-the-long-name">Ann of the Long Name</a></p>',
    "archives": '<ul><li><a href="/2024/04/">April 2024</a></li><li><a href="/2024/03/">March 2024</a></li></ul>',
    "a login": '<a href="/login?next=/world/">Sign in to read more of our stories</a>',
    "share": f'<a href="{PATHS[0]}?share=twitter">Share this on the network of your choice</a>',
    "share elsewhere": '<a href="https://social.example/share?u=https://news.example.org/a">Tell your friends</a>',
    "print": f'<a href="{PATHS[0]}?print=1">Print this story on good paper, please</a>',
    "feeds": '<a href="/feed.xml">All the news as a feed for your reader</a>',
    "files": '<a href="/2024/05/annual-report-of-the-paper.pdf">The annual report of the paper</a>',
    "scripts": '<a href="javascript:void(0)">Show me all of the stories of today</a>',
    "mail": '<a href="mailto:tips@example.org">Send a tip to the editors of the paper</a>',
    "the page itself": '<a href="#top">Back to the top of this very long page</a><a href="">Here</a>',
    "an advertisement": '<a href="https://ads.example.com/go?p=123456">Shoes at half their price, today only</a>',
    "a link without address": "<a>A title that leads nowhere at all</a><a href>And another of that sort</a>",
    "Japanese sections": '<ul><li><a href="/shakai/">社会</a><li><a href="/keizai/">経済</a></ul>',
}


@pytest.mark.parametrize("name", NOISE)
def test_what_is_left_out(name: str) -> None:
    assert urls(page(NOISE[name])) == ALL


def test_section_pages_below_which_articles_lie() -> None:
    """A page below which other links lead is no article, whatever its name."""
    section = '<li><a href="/long-name-of-a-section/">The long name of a section</a></li>'
    items = [item(f"/long-name-of-a-section/story-about-number-{k}", title) for k, title in enumerate(TITLES)]
    assert len(urls(page(items=[section, *items]))) == len(TITLES)


# What is taken in


def test_a_lead_that_stands_apart() -> None:
    lead = '<div class=lead><h1><a href="/2024/05/a-lead-story-4189999.html">A lead</a></h1><p>Text.</p></div>'
    assert urls(page(lead))[0].endswith("a-lead-story-4189999.html")


def test_the_same_url_once_where_it_first_stands() -> None:
    again = f'<aside><h2>Most read</h2><a href="http://www.news.example.org{PATHS[3]}?utm_source=x">A whale</a></aside>'
    links = found(page(again)).links
    assert links[0].url == "http://www.news.example.org" + PATHS[3]
    assert links[0].titles == (TITLES[3], "A whale")
    assert len(links) == len(TITLES)


def test_partners_in_the_list_and_no_others() -> None:
    partner = item("https://partner.example/2024/05/a-story-of-theirs-55512.html")
    blogroll = (
        '<div><a href="https://friends.example/2024/05/a-story-of-friends-55513.html">Our friends of old</a></div>'
    )
    assert urls(page(blogroll, items=[*LIST[:3], partner, *LIST[3:]])) == [
        *ALL[:3],
        "https://partner.example/2024/05/a-story-of-theirs-55512.html",
        *ALL[3:],
    ]


def test_a_page_that_lists_other_sites() -> None:
    items = [item(f"https://site{k}.example/2024/05/{k}/a-story-of-their-own", title) for k, title in enumerate(TITLES)]
    assert len(urls(page(items=items))) == len(TITLES)


LANGUAGES = {
    "zh": [("/shehui/2024-05/06/c_113014{}.html", "云泽老城区三年加装电梯四百一十二部 六楼老人重新下楼买菜")],
    "ja": [("/articles/2024051{}00001", "水族館のペンギンが散歩を再開、三年ぶりに市民が集まる")],
    "ar": [("/news/2024/5/{}/%D8%A7%D9%84%D8%AE%D8%A8%D8%B1", "عودة العبارة الليلية إلى الجزيرة بعد أحد عشر عاما")],
    "ru": [("/news/71930{}/", "Ночной паром вернулся на остров спустя одиннадцать лет")],
    "ko": [("/view.php?aid=20240506{}", "열한 해 만에 밤배가 섬으로 돌아왔다, 주민들 환영")],
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_lists_in_other_languages(language: str) -> None:
    ((path, title),) = LANGUAGES[language]
    items = [item(path.format(k), f"{title} {k}") for k in range(1, 8)]
    menu = '<div class="nav"><a href="/a/">新闻</a><a href="/b/">Спорт</a></div>'
    assert urls(page(menu, items=items)) == [urljoin(URL, path.format(k)) for k in range(1, 8)]


# Base, dates, summaries


@pytest.mark.parametrize(
    ("base", "address"),
    [
        ("https://cdn.example.org/x/", "https://cdn.example.org/x/2024/05/a-story-of-the-town-55512.html"),
        ("/deep/", "https://news.example.org/deep/2024/05/a-story-of-the-town-55512.html"),
        ("javascript:x", "https://news.example.org/world/2024/05/a-story-of-the-town-55512.html"),
    ],
)
def test_base(base: str, address: str) -> None:
    items = [*LIST, item("2024/05/a-story-of-the-town-55512.html")]
    listed = found(page(items=items, head=f'<base target=_blank><base href="{base}">'))
    assert listed.titles(address) == ("A story that stands in the list as the others do",)


SUMMARY = "A summary says in a sentence or two what the story is about."


def test_date_and_summary_beside_a_link() -> None:
    items = [
        f'<li><h3><a href="{path}">{title}</a></h3><time datetime="2024-05-0{k}">now</time><p>{SUMMARY} {k}</p>'
        for k, (path, title) in enumerate(zip(PATHS, TITLES, strict=True), 1)
    ]
    links = found(page(f"<p>{SUMMARY} Not this one.</p>", "<p>1 April 2023</p>", items=items)).links
    assert [link.date for link in links] == [f"2024-05-0{k}" for k in range(1, 7)]
    assert [link.summary for link in links] == [f"{SUMMARY} {k}" for k in range(1, 7)]


def test_a_link_beside_nothing() -> None:
    assert {(link.date, link.summary) for link in found(page()).links} == {(None, None)}


def test_a_date_in_the_url() -> None:
    assert found(page(items=[*LIST, item("/2024/05/06/a-story-of-the-town")])).links[-1].date == "2024-05-06"


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-05-06", "2024-05-06"),
        ("2024/5/6 10:15", "2024-05-06"),
        ("发布于 2024年5月6日", "2024-05-06"),
        ("2024년 5월 6일", "2024-05-06"),
        ("06.05.2024", "2024-05-06"),
        ("16/05/2024", "2024-05-16"),
        ("05/16/2024", "2024-05-16"),
        ("05/06/2024", None),
        ("May 6, 2024", "2024-05-06"),
        ("Posted on Monday, 6th May 2024 by Ann", "2024-05-06"),
        ("6. Mai 2024", "2024-05-06"),
        ("6 de mayo de 2024", "2024-05-06"),
        ("6 août 2024", "2024-08-06"),
        ("6 мая 2024", "2024-05-06"),
        ("30 February 2024", None),
        ("6 Foobar 2024", None),
        ("in 2024", None),
        ("120240506", None),
        ("", None),
    ],
)
def test_dates(text: str, date: str | None) -> None:
    assert date_in(text) == date


# Pagination

NEXT = {
    "a link element": ("", '<link rel=next href="?page=2">', "https://news.example.org/world/?page=2"),
    "rel": ('<a rel="nofollow next" href="/world/older">›</a>', "", "https://news.example.org/world/older"),
    "numbers": (
        '<a href="?page=1">1</a><a href="?page=2">2</a><a href="?page=3">3</a>',
        "",
        "https://news.example.org/world/?page=2",
    ),
    "folders": (
        '<a href="/world/page/9/">9</a><a href="/world/page/2/">2</a>',
        "",
        "https://news.example.org/world/page/2/",
    ),
    "files": (
        '<a href="index_2.html">2</a><a href="index_3.html">3</a>',
        "",
        "https://news.example.org/world/index_2.html",
    ),
    "entries": ('<a href="?start=20">2</a><a href="?start=40">3</a>', "", "https://news.example.org/world/?start=20"),
    "a row of numbers": (
        "<b>1</b>" + "".join(f'<a href="/w.pl?q=a&amp;seite-{k}">{k}</a>' for k in (2, 3, 4)),
        "",
        "https://news.example.org/w.pl?q=a&seite-2",
    ),
    "a later row of numbers": (
        "".join(f'<a href="/w.pl?q=a&amp;von-{k}0">{k}</a>' for k in (1, 6, 8, 9)),
        "",
        "https://news.example.org/w.pl?q=a&von-80",
    ),
    "entries on a page": ("".join(f'<a href="/w.pl?show-{k}">{k}</a>' for k in (25, 50, 100)), "", None),
    "the days of a month": ("".join(f'<a href="/w.pl?day-{k}">{k}</a>' for k in range(2, 31)), "", None),
    "the page itself": ("", '<link rel="next" href="https://news.example.org/world/">', None),
    "Chinese": ('<a href="/world/b">下一页</a>', "", "https://news.example.org/world/b"),
    "Japanese": ('<a href="/world/b">次へ</a>', "", "https://news.example.org/world/b"),
    "a sign": ('<a href="/world/b">»</a>', "", "https://news.example.org/world/b"),
    "a word": ('<a href="/world/b">Older posts</a>', "", "https://news.example.org/world/b"),
    "another list's": ('<a href="/sport/page/2/">2</a>', "", None),
    "another site's": ('<a href="https://other.example/b">next</a>', "", None),
    "none": ("", "", None),
}


@pytest.mark.parametrize("name", NEXT)
def test_the_next_page(name: str) -> None:
    markup, head, address = NEXT[name]
    listed = found(page(f"<div>{markup}</div>", head=head))
    assert listed.next_url == address
    assert (listed.next_url in listed.pages) is (address is not None)
    assert [link.url for link in listed.links] == ALL


def test_the_page_after_the_third() -> None:
    numbers = "".join(f'<a href="/world/?page={k}">{k}</a>' for k in (1, 2, 4, 5))
    listed = found(page(numbers), URL + "?page=3")
    assert listed.next_url == URL + "?page=4"
    assert listed.pages == tuple(f"{URL}?page={k}" for k in (1, 2, 4, 5))


@pytest.mark.parametrize(
    ("url", "number", "whole"),
    [
        ("https://a.example/x/page/3/", 3, "a.example/x"),
        ("https://www.a.example/x?b=1&page=3", 3, "a.example/x?b=1"),
        ("https://a.example/x/index_3.html", 3, "a.example/x"),
        ("https://a.example/x/index.html", None, "a.example/x"),
        ("https://a.example/front-page-3/", None, "a.example/front-page-3"),
        ("https://a.example/?p=12345", None, "a.example/p=12345"),
    ],
)
def test_pages_of_lists(url: str, number: int | None, whole: str) -> None:
    assert page_number(url) == number
    assert list_of(url) == whole


# The example site

EXAMPLES = {
    "en/index.html": "https://news.example.org/",
    "en/world/index.html": "https://news.example.org/world/",
    "zh/index.html": "https://xinwen.example.org/",
    "zh/shehui/index.html": "https://xinwen.example.org/shehui/",
}
ARTICLE = re.compile(r"https://(?:news\.example\.org/2024/\d\d/|xinwen\.example\.org/\w+/2024-\d\d/).*\d+\.html")


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_site(name: str, site: Path) -> None:
    """The generator gives articles URLs that nothing else has."""
    raw = (site / name).read_bytes()
    tree = LexborHTMLParser(raw.decode("gbk" if b"gb2312" in raw[:2000] else "utf-8"))
    hrefs = [urljoin(EXAMPLES[name], (node.attributes.get("href") or "").partition("#")[0]) for node in tree.css("a")]
    expected = {href for href in hrefs if ARTICLE.fullmatch(href)}
    listed = pagesieve.catalogue(raw, EXAMPLES[name])
    assert {link.url for link in listed.all_links} == expected
    assert all(listed.titles(link.url) == link.titles for link in listed.all_links)


# What is given, and how much


def test_what_may_be_given() -> None:
    html = page()
    parsed = pagesieve.parse(html, URL)
    expected = found(html).links
    assert pagesieve.catalogue(html.encode(), URL).links == expected
    assert pagesieve.catalogue(parsed).links == expected
    assert pagesieve.catalogue(page(head=f'<link rel=canonical href="{URL}">')).links == expected
    assert isinstance(expected[0], Link)


@pytest.mark.parametrize("url", [None, "", "not a url", "mailto:a@example.org", 3])
def test_a_page_without_address(url: object) -> None:
    with pytest.raises(BadInput):
        pagesieve.catalogue(page(), url)  # type: ignore[arg-type]


@pytest.mark.parametrize("html", ["", "<p>Nothing.", "<a href=x></a>", "<a href='/a/b'>x</a>", "<title>x</title>"])
def test_little_pages(html: str) -> None:
    listed = found(html)
    assert listed.links == ()
    assert listed.next_url is None


def test_a_page_of_one_link() -> None:
    assert len(urls(f'<h2><a href="{PATHS[0]}">{TITLES[0]}</a></h2>')) == 1


hrefs = st.one_of(
    st.sampled_from(
        [*PATHS, "/tag/x", "?page=2", "//", "https://[", "http://a:b/", "#", "", "\x00", "a\ud800b", "/%zz"]
    ),
    st.text(max_size=20),
)
links = st.builds(
    "<a href='{}' title='{}'>{}</a>".format,
    hrefs,
    st.text(max_size=10),
    st.one_of(st.sampled_from(TITLES), st.text(max_size=30)),
)


@given(st.lists(st.one_of(nonsense.pieces, links), max_size=25).map("".join))
def test_nonsense(html: str) -> None:
    listed = found(html)
    for link in listed.links:
        assert re.match(r"https?://[^/]+/", link.url)
        assert link.url == absolute(link.url, URL)
        assert link.title == link.titles[0] != ""
        assert listed.titles(link.url) == link.titles
    assert len({link.url for link in listed.links}) == len(listed.links)
    assert all(address.startswith("http") for address in listed.pages)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["list", "nested", "one url", "images", "one item"])
def test_time_grows_with_the_links(kind: str) -> None:
    def html(count: int) -> str:
        path = "/2024/05/a-story-{}-{}.html"
        one = {
            "list": "<li><a href='{0}'>A title that is long enough {1}</a> 6 May 2024<p>" + SUMMARY + "</p></li>",
            "nested": "<div><a href='{0}'>A title that is long enough {1}</a>",
            "one url": "<li><a href='" + PATHS[0] + "'>A title that is long enough {1}</a></li>",
            "images": "<a href='{0}'><img alt='A title that is long enough {1}'></a>",
            "one item": "<p><a href='{0}'>A title that is long enough {1}</a></p>",
        }[kind]
        links = [one.format(path.format(k, k), k) for k in range(count)]
        if kind == "one item":  # half of the links have their own, which is taken for the usual: the others share one
            alone, together = links[: count // 2 + 1], links[count // 2 + 1 :]
            links = [*(f"<div>{link}</div>" for link in alone), "<div>", "<time>now</time>" * count, "<h6>"]
            links += ["word " * count, "</h6>", *together, "</div>"]
        return "<body>" + "".join(links)

    def seconds(count: int) -> float:
        parsed = [pagesieve.parse(html(count), URL) for _ in range(3)]
        times = []
        for fresh in parsed:
            start = time.thread_time()
            listed = pagesieve.catalogue(fresh)
            assert listed.links
            assert listed.next_url is None
            times.append(time.thread_time() - start)
        return min(times)

    assert seconds(20_000) < 8 * seconds(5_000)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", False),
        ("12 comments", False),
        ("1,204 views today", False),
        ("(3) new comments", False),
        ("12 ways to say no", True),
        ("7" * 290 + " a b c", True),  # there are millions of ways to share out the digits, and it is not to try them
    ],
)
def test_a_count_is_no_title(text: str, expected: bool) -> None:
    start = time.thread_time()
    assert _is_title(text) is expected
    assert time.thread_time() - start < 1


# The command line


def run(*args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([SCRIPT, "catalogue", *args], input=stdin, capture_output=True, timeout=60, encoding="utf-8")


def test_a_table_between_tabs() -> None:
    done = run("-", "--url", URL, stdin=page('<a href="?page=2">2</a>'))
    assert done.returncode == 0
    assert done.stdout.splitlines() == [f"\t{title}\t{url}" for title, url in zip(TITLES, ALL, strict=True)]
    assert done.stderr == f"pagesieve: the list goes on: {URL}?page=2\n"


def test_json(tmp_path: Path) -> None:
    path = tmp_path / "list.html"
    path.write_text(page('<a href="?page=2">2</a>'))
    whole = json.loads(run("-f", "json", "--url", URL, str(path)).stdout)
    assert whole["input"] == str(path)
    assert whole["next_url"] == whole["pages"][0] == URL + "?page=2"
    lines = [json.loads(line) for line in run("-f", "jsonl", "--url", URL, str(path)).stdout.splitlines()]
    assert lines == [{"input": str(path)} | link for link in whole["links"]]
    assert lines[0]["titles"] == [TITLES[0]]


@pytest.mark.parametrize(
    ("args", "html", "status", "message"),
    [
        (["--url", URL], "<p>Nothing.", 1, "nothing found"),
        ([], page(), 2, "url"),
        (["--url", URL], "", 2, "empty"),
        (["--url", URL, "-f", "xml"], page(), 2, "xml"),
    ],
)
def test_exit_status(args: list[str], html: str, status: int, message: str) -> None:
    done = run("-", *args, stdin=html)
    assert done.returncode == status
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
