"""What a page says of itself, in each of the places where pages say it."""

from __future__ import annotations

import json
import runpy
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import pagesieve
from pagesieve.batch.pages import Extractor
from pagesieve.cli.evaluate import evaluate
from pagesieve.evaluate.facts import day, is_right, surname
from pagesieve.facts.authors import names_in
from pagesieve.facts.fields import FACTS, OLDER_NAMES, Metadata
from pagesieve.facts.keywords import MAX_TAGS
from pagesieve.facts.keywords import tags as keyword_tags
from pagesieve.facts.metadata import metadata
from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.text.dates import date_in, parse_datetime
from pagesieve.writing import write_front_matter
from tests.growing import least_time
from tests.labelled_sets import answer, write_folder
from tests.nonsense import pages

TEXT = "<p>Stone came by barge from the quarry across the bay, and the wall was built in nine weeks by forty men.</p>"
URL = "https://news.example.org/harbour/wall"
HOSTILE_SECONDS = 1.0


def facts(head: str = "", byline: str = "", *, url: str | None = URL, end: str = "", lang: str = "en") -> Metadata:
    html = (
        f"<html lang={lang}><head><title>A wall by the sea</title>{head}</head><body><h1>A wall by the sea</h1>"
        f"{byline}{TEXT * 3}{end}</body></html>"
    )
    return metadata(parse(html, url))


def ld(value: Any) -> str:
    return f'<script type="application/ld+json">{value if isinstance(value, str) else json.dumps(value)}</script>'


def meta(name: str, content: str) -> str:
    return f'<meta property="{name}" content="{content}">'


def linked(name: str, value: Any) -> str:
    return ld({"@type": "Article", "author": "X", name: value})


TRAIL = ld(
    {
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"name": "Home"},
            {"item": {"name": "News"}},
            {"name": "Harbour", "item": "/x"},
            {"name": "A wall by the sea"},
        ],
    }
)


# Moments


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2024-05-17", "2024-05-17"),
        ("2024-05-17T10:30:00+02:00", "2024-05-17T10:30:00+02:00"),
        ("2024-05-17T10:30:00.123Z", "2024-05-17T10:30:00+00:00"),
        ("2024-05-17 10:30:00 +0200", "2024-05-17T10:30:00+02:00"),
        ("2024-05-17T10:30", "2024-05-17T10:30:00"),
        ("2024/5/7 8:05", "2024-05-07T08:05:00"),
        ("20240517", "2024-05-17"),
        ("2024 May 17", "2024-05-17"),
        ("2024 May 17;15(1):e33", "2024-05-17"),
        ("20240517T103000Z", "2024-05-17T10:30:00+00:00"),
        ("1715934600", "2024-05-17T08:30:00+00:00"),
        ("1715934600000", "2024-05-17T08:30:00+00:00"),
        ("Fri, 17 May 2024 10:30:00 GMT", "2024-05-17T10:30:00+00:00"),
        ("Fri, 17 May 2024 10:30:00 -0700", "2024-05-17T10:30:00-07:00"),
        ("May 17, 2024 at 3:05 p.m. EDT", "2024-05-17T15:05:00-04:00"),
        ("May 17, 2024 12:05 AM", "2024-05-17T00:05:00"),
        ("17. Mai 2024, 10:30 Uhr", "2024-05-17T10:30:00"),
        ("Publié le 17 août 2024 à 10h30", "2024-08-17T10:30:00"),
        ("17 de octubre de 2024", "2024-10-17"),
        ("17 жовтня 2024", "2024-10-17"),
        ("17 Ekim 2024", "2024-10-17"),
        ("17. července 2024", "2024-07-17"),
        ("17. června 2024", "2024-06-17"),
        ("2024年5月17日 10:30", "2024-05-17T10:30:00"),
        ("2024년 5월 17일", "2024-05-17"),
        ("17-May-2024", "2024-05-17"),
        ("2024-05-17T10:30:00-00:00", "2024-05-17T10:30:00-00:00"),
        ("2024-05-17T10:30:00+02:90", "2024-05-17T10:30:00+02:90"),
        ("2024-05-17T10:30:005Z", "2024-05-17T10:30:00"),
        ("2024-05-17T10:30:00-0700", "2024-05-17T10:30:00-07:00"),
        ("2024-05-17T23:59:60Z", "2024-05-17T23:59:59+00:00"),
        ("2024-05-17T24:00:00Z", "2024-05-17"),
        ("1970-01-02T00:00:00Z", "1970-01-02T00:00:00+00:00"),
        ("Jun 2 '12", "2012-06-02"),
        ("1970-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00", None),
        ("2024-13-40", None),
        ("3 days ago", None),
        ("yesterday", None),
        ("", None),
        ("x" * 10_000, None),
    ],
)
def test_moments(text: str, at: str | None) -> None:
    assert parse_datetime(text) == at


@pytest.mark.parametrize(
    ("month_first", "at"), [(True, "2024-05-06"), (False, "2024-06-05"), (None, None)], ids=["month", "day", "unknown"]
)
def test_which_way_a_date_is_read(month_first: bool | None, at: str | None) -> None:
    assert parse_datetime("05/06/2024", month_first=month_first) == at


DATE_PIECES = (
    *("May", "december", "Dec.", "juillet", "septembers", "abcdefghijklm", "of", "de", "del", "2024", "1999", "20211"),
    *("3", "22", "31st", "2nd", "3rd", "4th", "5er", "6.", "0", "x2021", "12:30", "'12", "2024,", ",", "on"),
)
DATE_GAPS = (" ", "  ", "-", ", ", "", ".", ". ", "\t", "\n", "\x1c", "\x0b", " - ", "/", ":", "_", "\x00")


@given(st.lists(st.sampled_from((*DATE_PIECES, *DATE_GAPS)), max_size=12).map("".join))
def test_dates_in_ascii_are_those_of_the_patterns(text: str) -> None:
    assert date_in(text) == date_in(f"{text} ·")  # which the patterns read


@given(st.text(max_size=60))
def test_a_moment_is_iso_8601(text: str) -> None:
    at = parse_datetime(text)
    assert at is None or datetime.fromisoformat(at)


# Names


@pytest.mark.parametrize(
    ("byline", "names"),
    [
        ("Jane Doe", ["Jane Doe"]),
        ("By Jane Doe, Staff Writer | Updated 5 May", ["Jane Doe"]),
        ("by Jane Doe and John van der Berg", ["Jane Doe", "John van der Berg"]),
        ("Written by: JANE DOE", ["Jane Doe"]),
        ("Jane Doe, MD, PhD", ["Jane Doe"]),
        ("Jane Doe (jane@example.org)", ["Jane Doe"]),
        ("Jane Doe May 5, 2024", ["Jane Doe"]),
        ("Jane Doe on 5 May 2024", ["Jane Doe"]),
        ("Von Anna Müller und Karl Groß", ["Anna Müller", "Karl Groß"]),
        ("Par Anne Dupont, journaliste", ["Anne Dupont"]),
        ("Por María Núñez", ["María Núñez"]),
        ("Автор: Иван Петров", ["Иван Петров"]),
        ("作者：王小明 李大力", ["王小明", "李大力"]),
        ("记者：王小明", ["王小明"]),
        ("The Gazette Editorial Board", ["The Gazette Editorial Board"]),
        ("seawall77", ["seawall77"]),
        ("Admin", []),
        ("site_admin", []),
        ("by admin", []),
        ("Staff", []),
        ("https://example.org/jane-doe", []),
        ("www.example.org", []),
        ("2024-05-17", []),
        ("{{author}}", []),
        ("", []),
    ],
)
def test_names(byline: str, names: list[str]) -> None:
    assert names_in(byline) == names


@pytest.mark.parametrize(
    ("classes", "author"),
    [
        ("author-name", "Jane Doe"),
        ("meta Byline", "Jane Doe"),
        ("author-bio", None),
        ("x" * 280 + "-author-name", "Jane Doe"),
        ("x" * 300 + "-author-name", None),  # no name of a class is so long
    ],
)
def test_classes_that_mark_a_byline(classes: str, author: str | None) -> None:
    assert facts(byline=f"<p class='{classes}'>Jane Doe</p>").author == author


@pytest.mark.parametrize(
    "after",
    "updated;published;posted;last;is a;was;has been;who;covers;writes;via;read more;follow;view;share;about the;"
    "see all;contact;reviewed by;edited by;photo by;photos by;aktualisiert;stand;publicado;actualizado;mis à jour;"
    "on 5 May;on Monday at;Friday at;Mon, at;am 5.;le 5;Jan 5;2024;5/6;| News;> News;(News);[News];! News;? News;"
    "// News;@news;- News;, special to the News".split(";"),
)
def test_what_ends_a_name(after: str) -> None:
    assert names_in(f"jane Doe {after}") == ["jane Doe"]


@pytest.mark.parametrize("between", [", ", "; ", " & ", "&", " / ", "/", " + ", " and ", " UND ", " et ", " y ", " i "])
def test_what_stands_between_names(between: str) -> None:
    assert names_in(f"Jane Doe{between}John Roe") == ["Jane Doe", "John Roe"]


@given(st.text(max_size=80))
def test_names_are_short_and_no_addresses(text: str) -> None:
    assert all(name.strip() and len(name) <= 60 and "://" not in name for name in names_in(text))


# Statements for machines

ARTICLE = {
    "@context": "https://schema.org",
    "@type": "NewsArticle",
    "headline": "A wall by the sea",
    "datePublished": "2024-05-17T10:30:00+02:00",
    "dateModified": "2024-05-18T09:00:00+02:00",
    "author": {"@type": "Person", "name": "Jane Doe"},
    "publisher": {"@type": "Organization", "name": "The Harbour Post"},
    "image": ["/wall.jpg"],
    "keywords": ["sea", "walls"],
    "inLanguage": "en-GB",
}


def test_linked_data() -> None:
    found = facts(ld(ARTICLE))
    assert found.author == "Jane Doe"
    assert found.date == "2024-05-17T10:30:00+02:00"
    assert found.modified == "2024-05-18T09:00:00+02:00"
    assert found.source == "The Harbour Post"
    assert found.image == "https://news.example.org/wall.jpg"
    assert found.tags == ("sea", "walls")
    assert found.found["author"] == "JSON-LD author"
    assert found.found["date"] == "JSON-LD datePublished"


PERSON = {"@type": "Person", "@id": "#jane", "name": "Jane Doe"}
SHAPES = {
    "a list": [ARTICLE],
    "a graph": {"@graph": [{"@type": "WebPage", "name": "Home"}, {**ARTICLE, "author": {"@id": "#jane"}}, PERSON]},
    "what a page is about": {"@type": "WebPage", "mainEntity": ARTICLE},
    "several types": {**ARTICLE, "@type": ["Thing", "BlogPosting"]},
    "an author as text": {**ARTICLE, "author": "By Jane Doe"},
    "authors as a list": {**ARTICLE, "author": [{"@type": "Person", "name": "Jane Doe"}]},
    "an escaped name": {**ARTICLE, "author": {"@type": "Person", "name": "Jane&nbsp;Doe"}},
    "an organisation too": {**ARTICLE, "author": [{"@type": "Organization", "name": "Acme"}, PERSON]},
    "a comma too many": json.dumps(ARTICLE)[:-1] + ",}",
    "more after it": json.dumps(ARTICLE) + ";</p>",
    "in a comment": "<!--\n" + json.dumps(ARTICLE) + "\n-->",
    "in CDATA": "//<![CDATA[\n" + json.dumps(ARTICLE) + "\n//]]>",
    "comments in it": json.dumps(ARTICLE).replace('"headline"', '/* a */ "headline"').replace("}", "} // b\n", 1),
    "semicolons after it": json.dumps(ARTICLE) + " ;;\n",
    "several in a row": json.dumps({"@type": "WebSite", "name": "the author"}) + "\n" + json.dumps(ARTICLE),
    "several with commas": json.dumps({"@type": "WebSite", "name": "the author"}) + "," + json.dumps(ARTICLE),
    "assigned": "window.article = " + json.dumps(ARTICLE) + ";",
    "it breaks off": json.dumps(ARTICLE)[:-1] + ', "image": {"url": "a',
    "control characters": "\x01" + json.dumps({**ARTICLE, "description": "DESC"}).replace("DESC", "a\tb\x02c"),
    "an escape that is none": json.dumps({**ARTICLE, "description": "DESC"}).replace("DESC", r"a \x b"),
    "escaped": json.dumps(ARTICLE).replace('"', "&quot;"),
    "a line break in a text": json.dumps({**ARTICLE, "description": "DESC"}).replace("DESC", "two\nlines"),
    "broken": json.dumps({"description": "QUOTE", **ARTICLE}).replace("QUOTE", 'a "quoted" word'),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_of_linked_data(shape: str) -> None:
    found = facts(ld(SHAPES[shape]))
    assert (found.author, found.date) == ("Jane Doe", "2024-05-17T10:30:00+02:00")


def test_of_several_articles_the_one_with_the_headline_counts() -> None:
    other = {**ARTICLE, "headline": "Gulls", "author": "Ann Gull", "datePublished": "2020-01-02"}
    assert facts(ld([other, ARTICLE])).author == "Jane Doe"


def test_what_a_page_only_shows_does_not_count() -> None:
    product = {
        "@type": "Product",
        "review": {"author": "Rita Buyer", "datePublished": "2020-01-02"},
        "author": "Acme Doe",
    }
    assert facts(ld(product)).author is None
    assert facts(ld({"@type": "ItemList", "itemListElement": [ARTICLE]})).date is None


@pytest.mark.parametrize(
    ("name", "content", "date"),
    [
        ("article:published_time", "2024-05-17T10:30:00Z", "2024-05-17T10:30:00+00:00"),
        ("parsely-pub-date", "2024-05-17", "2024-05-17"),
        ("DC.date.issued", "2024-05-17", "2024-05-17"),
        ("publish_date", "17 May 2024", "2024-05-17"),
        ("PublishDate", "5/17/2024", "2024-05-17"),
        ("citation_publication_date", "2024/05/17", "2024-05-17"),
        ("weibo:article:create_at", "2024-05-17 10:30:00", "2024-05-17T10:30:00"),
        ("og:updated_time", "1715934600", "2024-05-17T08:30:00+00:00"),
    ],
)
def test_dates_in_meta_elements(name: str, content: str, date: str) -> None:
    found = facts(meta(name, content))
    assert found.date == date
    assert found.found["date"].startswith("meta ")


def test_other_meta_elements() -> None:
    found = facts(
        meta("og:site_name", "The &amp;quot;Post&amp;quot;")
        + meta("og:image", "//img.example.org/a.jpg")
        + meta("citation_author", "Doe, Jane")
        + meta("keywords", "sea, walls;  stone ,sea")
        + '<link rel="canonical" href="https://example.org/wall">'
    )
    assert found.source == 'The "Post"'
    assert found.image == "https://img.example.org/a.jpg"
    assert found.tags == ("sea", "walls", "stone")
    assert found.canonical == "https://example.org/wall"
    assert found.language == "en"
    assert found.found["source"] == "meta og:site_name"


def test_a_profile_is_no_author() -> None:
    assert facts(meta("article:author", "https://facebook.com/harbourpost")).author is None


def test_the_label_of_a_card() -> None:
    assert facts(meta("twitter:label1", "Written by") + meta("twitter:data1", "Jane Doe")).author == "Jane Doe"
    assert facts(meta("twitter:label1", "Reading time") + meta("twitter:data1", "Five Minutes")).author is None


def test_microdata() -> None:
    found = facts(
        byline='<div itemscope itemtype="https://schema.org/Article"><span itemprop="author" itemscope>'
        '<a itemprop="name">Jane Doe</a></span> '
        '<abbr itemprop="datePublished" title="2024-05-17T10:30:00Z">10:30</abbr></div>'
    )
    assert (found.author, found.date) == ("Jane Doe", "2024-05-17T10:30:00+00:00")


def test_names_of_properties_in_any_case_and_several() -> None:
    assert facts(byline='<b itemprop="name  Author">Jane Doe</b>').found["authors"] == "microdata author"
    assert facts(byline='<b itemprop="authority">Jane Doe</b>').author is None


def test_microdata_of_readers_do_not_count() -> None:
    review = '<div itemscope itemtype="https://schema.org/Review"><i itemprop="author">Rita Buyer</i></div>'
    assert facts(end=review).author is None


# What readers see


@pytest.mark.parametrize(
    ("how", "is_found"),
    [("class=x", True), ("class=y", True), ("style='font-size:0'", False), ("hidden", False)],
)
def test_what_rules_hide_a_script_may_show(how: str, is_found: bool) -> None:
    sheet = "<style>.x{display:none}.y{font-size:0}</style>"
    assert (facts(sheet, f"<div {how}><p class=byline>By Jane Doe</p></div>").author is not None) is is_found


@pytest.mark.parametrize(
    "byline",
    [
        '<p><a rel="author" href="/jane">Jane Doe</a></p>',
        '<p class="byline">By Jane Doe, May 17, 2024</p>',
        '<div class="post-meta"><span class="author-name">Jane Doe</span></div>',
        '<p>By <a href="/people/jane">Jane Doe</a> | 5 min read</p>',
        "<p>Von Jane Doe</p>",
        "<p>Por: Jane Doe</p>",
        "<p>Text: Jane Doe</p>",
    ],
)
def test_bylines(byline: str) -> None:
    assert facts(byline=byline).author == "Jane Doe"


@pytest.mark.parametrize(
    "byline",
    [
        "<p>By the way, nothing else happened.</p>",
        '<p class="byline">By admin</p>',
        '<div class="comments"><span class="author">Rita Reader</span></div>',
        '<aside class="related"><span class="author-name">Ann Gull</span></aside>',
        '<p class="author">Subscribe to our newsletter</p>',
    ],
)
def test_nobody_is_invented(byline: str) -> None:
    assert facts(byline=byline).author is None


@pytest.mark.parametrize(("count", "author"), [(10, None), (50, "Jane Doe")])
def test_only_the_beginning_of_a_long_class_counts(count: int, author: str | None) -> None:
    byline = f'<div class="{"theme " * count}sidebar"><p><a rel="author" href="/jane">Jane Doe</a></p></div>'
    assert facts(byline=byline).author == author


def test_a_list_of_bylines_is_none() -> None:
    cards = "".join(f'<li><span class="author">Ann {name}</span></li>' for name in ("Gull", "Tern", "Auk", "Skua"))
    filler = "<p>Some more words of the page.</p>" * 200
    assert facts(end=f"{filler}<ul>{cards}</ul>").author is None


def test_a_person_goes_before_the_site_and_its_desks() -> None:
    head = ld({**ARTICLE, "author": {"@type": "Organization", "name": "The Harbour Post"}})
    assert facts(head, '<p class="byline">By Jane Doe</p>').author == "Jane Doe"
    assert facts(head).author == "The Harbour Post"
    assert facts(meta("author", "Newsroom Staff"), '<p class="byline">By Jane Doe</p>').author == "Jane Doe"


@pytest.mark.parametrize(
    "byline",
    [
        '<time datetime="2024-05-17">May 17</time>',
        "<time>17 May 2024</time>",
        '<span class="post-date">May 17, 2024</span>',
        "<p>Published on May 17, 2024</p>",
        "<p>05/17/2024</p>",
        "<p>© 1999 Jane Doe</p><p>17.05.2024</p>",
    ],
)
def test_visible_dates(byline: str) -> None:
    assert facts(byline=byline).date == "2024-05-17"


def test_a_change_is_not_the_publication() -> None:
    found = facts(byline="<p>Updated May 19, 2024</p><p>Published May 17, 2024</p>")
    assert (found.date, found.modified) == ("2024-05-17", "2024-05-19")


def test_the_date_of_a_change_stands_in_for_another() -> None:
    assert facts(byline="<p>Last updated: May 17, 2024</p>").date == "2024-05-17"


def test_the_date_in_the_address() -> None:
    found = facts(url="https://example.org/2024/05/17/wall")
    assert (found.date, found.found["date"]) == ("2024-05-17", "URL")
    assert facts(url="https://example.org/20240517-wall").date == "2024-05-17"
    assert facts(url="https://example.org/2024/05/wall").date is None


def test_a_page_that_was_built_later() -> None:
    built = "2025-01-01T00:00:00Z"
    head = ld({"@type": "Article", "datePublished": built, "dateModified": built})
    assert facts(head, "<p>May 17, 2024</p>").date == "2024-05-17"
    assert facts(head, "<p>May 17, 2024</p><p>January 1, 2025</p>").date == "2025-01-01T00:00:00+00:00"


STATED = "2024-05-17T22:30:00Z"
REBUILT = ld({"@type": "Article", "datePublished": "2019-02-03", "dateModified": "2024-06-20"})


@pytest.mark.parametrize(
    ("byline", "date"),
    [
        ('<p class="date">May 18, 2024</p>', "2024-05-18"),
        ('<time datetime="2024-05-18T00:30:00+02:00">May 18</time>', "2024-05-17T22:30:00+00:00"),  # reads as no date
        ('<time datetime="2024-05-18T00:30:00+02:00">May 18, 2024</time>', "2024-05-18T00:30:00+02:00"),
        ("<p>Published May 18, 2024 at 8:30 a.m.</p>", "2024-05-18T08:30:00"),
        ("<p>May 18, 2024 at 8:41 a.m.</p>", "2024-05-17T22:30:00+00:00"),  # no zone is 11 minutes off
        ("<p>May 18, 2024</p>", "2024-05-17T22:30:00+00:00"),  # not marked, and no time to compare
        ('<p class="date">May 19, 2024</p>', "2024-05-17T22:30:00+00:00"),
    ],
)
def test_the_day_is_that_of_the_page_where_utc_is_stated(byline: str, date: str) -> None:
    assert facts(ld({"@type": "Article", "datePublished": STATED}), byline).date == date


@pytest.mark.parametrize(
    ("byline", "date"),
    [
        ('<span class="posted-on">May 17, 2024</span>', "2024-05-17"),
        ("<time>17 May 2024</time>", "2024-05-17"),
        ('<span class="posted-on">June 20, 2024</span>', "2024-06-20"),
        # Not that of publication: it says so, is a correction, is today, is read the wrong way, is one of several.
        ('<span class="posted-on">Updated May 17, 2024</span>', "2019-02-03"),
        ("<time>Last updated: 17 May 2024</time>", "2019-02-03"),
        ("<p>May 17, 2024</p>", "2019-02-03"),
        ('<span class="posted-on">February 5, 2019</span>', "2019-02-03"),
        ('<span class="date">July 1, 2024</span>', "2019-02-03"),
        ('<span class="date">02.03.2019</span>', "2019-02-03"),
        ('<span class="date">May 17, 2024</span><span class="date">May 18, 2024</span>', "2019-02-03"),
        ('<span class="date">May 17, 2018</span>', "2018-05-17"),
        ("<p>May 17, 2018</p>", "2018-05-17"),
        (f"<p>{'The men of the quarry were there. ' * 6}</p><p>May 17, 2018</p>", "2019-02-03"),
        ("<p>The old wall fell on May 17, 2018</p>", "2019-02-03"),
        ("<p>Born: May 17, 2018</p><p>Died: May 18, 2018</p>", "2019-02-03"),
    ],
)
def test_a_page_that_shows_another_date_than_it_states(byline: str, date: str) -> None:
    assert facts(REBUILT, byline).date == date


def test_nothing_is_changed_before_it_is_published() -> None:
    head = ld({"@type": "Article", "datePublished": "2024-05-19", "dateModified": "2024-05-19"})
    assert facts(head, "<p>Page updated: May 17, 2024</p>").date == "2024-05-17"


@pytest.mark.parametrize(
    ("byline", "date", "modified"),
    [
        ('<p class="date">May 17, 2024. <i>Updated: May 19, 2024</i></p>', "2024-05-17", "2024-05-19"),
        ("<p>May 17, 2024</p><p>Updated: May 19, 2024</p>", "2024-05-17", "2024-05-19"),
        (
            '<div class="date-box"><b class="date">May 17, 2024</b><b class="date new">Updated: May 19, 2024</b></div>',
            *("2024-05-17", "2024-05-19"),
        ),
        ('<p class="date">Originally published on May 17, 2024, since updated</p>', "2024-05-17", None),
        ("<p>Joined: <span>June 1, 2012</span></p><p>May 17, 2024</p>", "2024-05-17", None),
    ],
)
def test_which_date_a_word_is_said_of(byline: str, date: str, modified: str | None) -> None:
    found = facts(byline=byline)
    assert (found.date, found.modified) == (date, modified)


FAR = "<ul>" + "<li>one<li>two" * 60 + "</ul>"


@pytest.mark.parametrize(
    ("end", "date"),
    [
        # A thread begins with its first post; a list of other pages begins with the newest.
        ("<b class=date>May 17, 2024, 09:30</b><p>x<b class=date>May 18, 2024, 10:00</b>", "2024-05-17T09:30:00"),
        ("<time>17 May 2024</time><p>x<time>18 May 2024</time>", "2024-05-17"),
        ("<time>18 May 2024</time><p>x<time>17 May 2024</time>", None),
        ("<p>Jane Doe<p>May 17, 2024", "2024-05-17"),
        ("<p>Jane Doe<p>May 17, 2024<p>May 18, 2024", None),
        ("<p>It fell on May 17, 2024", None),
        ("<p hidden>May 17, 2024</p>", "2024-05-17"),
        ("<p>Post time: 05-17-2024</p>", "2024-05-17"),
        ("<aside><p>May 17, 2024</aside>", None),
    ],
)
def test_dates_far_from_the_headline(end: str, date: str | None) -> None:
    assert facts(end=FAR + end).date == date


def test_today_is_not_when_a_page_was_published() -> None:
    assert facts(byline="<p>May 17, 2024</p>", end=f'{FAR}<p id="todays-date">June 1, 2024</p>').date == "2024-05-17"


def test_the_video_of_an_article_is_not_the_article() -> None:
    video = {"@type": "VideoObject", "headline": "A wall by the sea", "datePublished": "2024-05-15"}
    article = {"@type": "NewsArticle", "headline": "A wall by the sea", "datePublished": "2024-05-17"}
    assert facts(ld(video) + ld(article)).date == "2024-05-17"
    assert facts(ld(video)).date == "2024-05-15"


CHINESE = "<p>石料由驳船从海湾对岸的采石场运来，四十名工人用了九个星期筑成了这道海堤。</p>" * 3


@pytest.mark.parametrize(
    ("body", "author", "source"),
    [
        ("<p>作者：王小明　来源：港口日报　2024-05-17</p>" + CHINESE, "王小明", "港口日报"),
        ("<p>2024年5月17日 来源：港口日报</p>" + CHINESE + "<p>责任编辑：李大力</p>", "李大力", "港口日报"),
        ("<p>2024年5月17日</p>" + CHINESE + "<p>（记者 王小明 李大力）</p>", "王小明, 李大力", None),
    ],
)
def test_chinese_pages(body: str, author: str, source: str | None) -> None:
    found = metadata(parse(f"<html><title>海边的墙</title><body><h1>海边的墙</h1>{body}"))
    assert (found.author, found.source, (found.date or "")[:10]) == (author, source, "2024-05-17")


# All of it


def test_a_page_that_says_nothing() -> None:
    found = metadata(parse("<p>Nothing"))
    assert found == Metadata()


def test_an_article_has_its_facts() -> None:
    found = pagesieve.article(f"<html>{ld(ARTICLE)}<h1>A wall by the sea</h1>{TEXT * 4}", URL)
    assert found.metadata.authors == ("Jane Doe",)
    assert found.as_dict()["found"]["author"] == "JSON-LD author"
    assert found.as_dict()["tags"] == ["sea", "walls"]


def test_json_and_rows_have_the_same_facts(root: Path) -> None:
    html = f"<html>{ld(ARTICLE)}<h1>A wall by the sea</h1>{TEXT * 4}"
    found = pagesieve.article(html, URL).as_dict(["text", "html"])
    row = Extractor({"bodies": ("text", "html")}).answer(html.encode(), {"url": URL})
    assert list(found)[: len(FACTS)] == list(row)[: len(FACTS)] == list(FACTS)
    assert {name: row[name] for name in (*FACTS, "found", "text", "html")} == {
        name: found[name] for name in (*FACTS, "found", "text", "html")
    }
    assert "markdown" not in row
    for older, name in OLDER_NAMES.items():
        assert found[older] == (", ".join(found[name]) if name == "authors" else found[name])


@pytest.mark.parametrize("name", ["metadata.md", "batch.md", "api.md"])
def test_the_tables_of_the_docs_are_as_in_the_code(name: str, root: Path) -> None:
    made = runpy.run_path(str(root / "docs" / "make_facts.py"))["document"]
    text = (root / "docs" / name).read_text(encoding="utf-8")
    assert made(name, text) == text, "run python docs/make_facts.py"


# The facts that are only stated


@pytest.mark.parametrize(
    ("head", "name", "value", "where"),
    [
        (
            meta("description", "Stone &amp;amp; sea &lt;b&gt;here&lt;/b&gt;"),
            "description",
            "Stone & sea here",
            "meta description",
        ),
        (meta("og:description", "Stone."), "description", "Stone.", "meta og:description"),
        (
            meta("description", "{{ page.summary }}") + meta("og:description", "It."),
            "description",
            "It.",
            "meta og:description",
        ),
        (
            ld({"@type": "Article", "author": "X", "description": "Stone."}),
            "description",
            "Stone.",
            "JSON-LD description",
        ),
        ('<link rel=canonical href="/a">', "canonical", "https://news.example.org/a", "link canonical"),
        ('<link rel=canonical href="https://e.org/a b">', "canonical", "https://e.org/a%20b", "link canonical"),
        ('<link rel=canonical href="javascript:a">', "canonical", None, None),
        (meta("og:image", "/a.png"), "image", "https://news.example.org/a.png", "meta og:image"),
        (meta("og:url", "//e.org/a"), "canonical", "https://e.org/a", "meta og:url"),
        (meta("article:section", "Arts, Books"), "categories", ("Arts, Books",), "meta article:section"),
        (
            ld({"@type": "Article", "author": "X", "articleSection": ["A", "B", "A"]}),
            "categories",
            ("A", "B"),
            "JSON-LD articleSection",
        ),
        (TRAIL, "categories", ("News", "Harbour"), "JSON-LD BreadcrumbList"),
        ('<link rel=license href="/by/4.0">', "license", "https://news.example.org/by/4.0", "link license"),
        ('<a rel="license nofollow" href="https://cc.org/by">CC</a>', "license", "https://cc.org/by", "a license"),
        (meta("dcterms.license", "CC BY 4.0"), "license", "CC BY 4.0", "meta dcterms.license"),
        (meta("DC.rights", "Copyright by us"), "license", None, None),
        (meta("DC.rights", "CC-BY 4.0"), "license", "CC-BY 4.0", "meta DC.rights"),
        (
            ld({"@type": "Article", "author": "X", "license": "https://cc.org/by"}),
            "license",
            "https://cc.org/by",
            "JSON-LD license",
        ),
        (meta("og:type", "article"), "page_type", "article", "meta og:type"),
        (ld({"@type": ["NewsArticle", "Report"], "author": "X"}), "page_type", "NewsArticle", "JSON-LD @type"),
        ("", "hostname", "news.example.org", "given"),
        ("", "url", URL, "given"),
        ("", "title", "A wall by the sea", "h1"),
    ],
)
def test_stated_facts(head: str, name: str, value: object, where: str | None) -> None:
    found = facts(head)
    assert (getattr(found, name) or None, found.found.get(name)) == (value, where)


@pytest.mark.parametrize(
    ("stated", "tags"),
    [
        (["sea, walls; stone、sea"], ["sea", "walls", "stone"]),
        (["Sea", "sea", "#walls", "--stone", "", "two_words"], ["Sea", "walls", "stone", "two words"]),
        (
            [
                "26157981-b4f7-4929-adc1-e860c6f03636",
                "18153161",
                "wfid24920828",
                "Tf07941c5937b4170a152736c05d9ecb0",
                "a",
            ],
            ["a"],
        ),
        (
            [
                "content-type: Feature",
                "locale: US",
                "type_news",
                "@mobile",
                "_evergreen",
                "Lite:true",
                "path:news",
                "x",
            ],
            ["x"],
        ),
        (
            ["tag:Fear", "Category: Phones", "subject:crime", "topic/boats", "Race/Ethnicity"],
            ["Fear", "Phones", "crime", "boats", "Race/Ethnicity"],
        ),
        (["Rogue One: A Story", "2024", "AfD", "C++", ".NET"], ["Rogue One: A Story", "2024", "AfD", "C++", ".NET"]),
        (["Doe, Jane", "Mergers and more", "Harbours", "Sea"], ["Doe, Jane", "Mergers and more", "Harbours", "Sea"]),
        (["a, b", "c, d", "e"], ["a", "b", "c", "d", "e"]),
        (
            ["Cannes Messen Duisburg Investition Städtebau"],
            ["Cannes", "Messen", "Duisburg", "Investition", "Städtebau"],
        ),
        (["深空探测 探月工程 航天技术"], ["深空探测", "探月工程", "航天技术"]),
        (["china coronavirus president xi jinping wuhan"], []),
        (["how to protect the walls of a town by the sea from every tide that comes, sea"], ["sea"]),
        (["“sea”", 'the "old" sea', "<b>walls</b>"], ["sea", 'the "old" sea', "walls"]),
        (["A wall that was built by the sea"], []),
        (["harbour, wall, that, was, built, by, the, sea"], ["harbour"]),
    ],
)
def test_tags(stated: list[str], tags: list[str]) -> None:
    assert list(keyword_tags(stated, "A wall that was built by the sea")) == tags


@pytest.mark.parametrize(
    ("head", "byline", "authors"),
    [
        (meta("author", "Jane Doe&#10;Fairbanks"), "", ["Jane Doe"]),
        (meta("author", "Jane Doe&#10;John Smith"), "", ["Jane Doe", "John Smith"]),
        (ld({"@type": "Article", "author": {"@type": "Person", "name": "Jane Doe\nStaff"}}), "", ["Jane Doe"]),
        (
            meta("citation_author", "Doe, Jane") + meta("citation_author", "de Jong, Jan P."),
            "",
            ["Jane Doe", "Jan P. de Jong"],
        ),
        (
            meta("author", "Jane Doe"),
            "<p class=byline>By JANE DOE, Ann Li and John Smith</p>",
            ["Jane Doe", "Ann Li", "John Smith"],
        ),
        (meta("author", "Jane Doe"), "<p class=byline>By Jane Doe, Master Gardener</p>", ["Jane Doe"]),
        (
            "",
            "<a class=author>Jane Doe</a>, <a class=author>John Smith</a> and <a class=author>Ann Li</a>",
            ["Jane Doe", "John Smith", "Ann Li"],
        ),
        (meta("author", "Download our new app FREE"), "", []),
        (meta("author", "A Wall by the Sea"), "", []),
        (meta("author", "The Harbour Post") + meta("og:site_name", "The Harbour Post"), "", []),
        (meta("author", "Jane Doe") + meta("og:site_name", "Jane Doe"), "", ["Jane Doe"]),
        (meta("author", "news.example.org"), "", []),
        (ld({"@type": "Article", "author": {"@type": "Organization", "name": "Accruent"}}), "", []),
        (ld({"@type": "Article", "author": {"@type": "Organization", "name": "Harbour Desk"}}), "", ["Harbour Desk"]),
        ("", "<p class=byline>earphones, amps</p>", []),
        ("", "<p class=byline>ByJane Doe</p>", ["Jane Doe"]),
        ("", "<p class=byline><b>By</b><b>by JANE DOE and John Smith</b></p>", ["Jane Doe", "John Smith"]),
        ("", '<a href="/people/jane-doe">Jane Doe</a>', ["Jane Doe"]),
        ("", '<a href="/staff/12">Collectibles</a>', []),
    ],
)
def test_who_is_an_author(head: str, byline: str, authors: list[str]) -> None:
    assert list(facts(head, byline).authors) == authors


def test_a_page_without_an_address_has_the_one_it_names() -> None:
    found = facts('<link rel=canonical href="https://www.example.org/a">', url=None)
    assert (found.url, found.hostname, found.canonical) == (
        "https://www.example.org/a",
        "example.org",
        "https://www.example.org/a",
    )


def test_an_address_is_absolute() -> None:
    head = '<link rel=canonical href="a.html">'
    assert facts(head, url=None).url is None
    assert facts('<link rel=canonical href="//e.org/a">', url=None).url == "https://e.org/a"
    assert facts(head, url=None).canonical == "a.html"
    assert facts(head + meta("og:url", "https://e.org/a"), url=None).url == "https://e.org/a"
    assert facts(head + '<base href="https://e.org/b/">', url=None).url == "https://e.org/b/a.html"
    assert facts(head + '<base href="//[::1">', url=None).url is None
    assert facts('<base href="//[::1"><link rel=canonical href="https://e.org/a">', url=None).url == "https://e.org/a"


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("http://", None),
        ("https:///a", None),
        ("https://{{ page.url }}", None),
        ("https://{{ site }}/a", None),
        ("https://./a", None),
        ("https://name:word@e.org/a", "https://e.org/a"),
        ("//name:word@e.org/a", "https://e.org/a"),
        ("https://e.org:8080/@name", "https://e.org:8080/@name"),
        ("HTTPS://bücher-東京.example?a", "HTTPS://bücher-東京.example?a"),
        ("http://[::1]/a", "http://[::1]/a"),
    ],
)
def test_an_address_has_a_host_and_no_password(href: str, url: str | None) -> None:
    head = f'<link rel=canonical href="{href}">'
    assert (facts(head, url=None).url, facts(head, url=None).canonical) == (url, url)
    assert pagesieve.article(f"{head}<p>{'A wall by the sea. ' * 30}</p>").url == url


def test_equal_texts_have_equal_fingerprints() -> None:
    found = [pagesieve.article(f"<h1>{title}</h1>{text * 4}") for title, text in (("A", TEXT), ("B", TEXT.upper()))]
    assert len({each.metadata.fingerprint for each in found}) == 1
    other = pagesieve.article(f"<h1>A</h1>{TEXT * 4}<p>And one more line of the same length as the others have.</p>")
    assert other.metadata.fingerprint != found[0].metadata.fingerprint


# Front matter


@given(st.text(), st.lists(st.text()))
def test_front_matter_is_yaml(text: str, texts: list[str]) -> None:
    written = write_front_matter({"title": text, "none": None, "tags": tuple(texts)})
    assert written.startswith("---\n")
    assert written.endswith("\n---")
    whole = {"title": _valid(text), "tags": [_valid(each) for each in texts]}
    assert (yaml.safe_load(written[4:-4]) or {}) == {name: value for name, value in whole.items() if value}


def _valid(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def test_a_whole_document() -> None:
    found = pagesieve.article(f'<title>Yes: *no* # "x"</title><h1>Yes: *no* # "x"</h1>{TEXT * 4}')
    written = found.as_markdown()
    assert yaml.safe_load(written.split("---\n")[1])["title"] == 'Yes: *no* # "x"'
    assert written.endswith(f'---\n\n# Yes: \\*no\\* # "x"\n\n{found.markdown}')


HOSTILE = {
    "long linked data": ld('{"@type": "Article", "author": "' + "x" * 2_000_000 + '"}'),
    "deep linked data": ld('{"a":' * 100_000),
    "deep lists": ld("[" * 200_000 + "]" * 200_000),
    "many things": ld([{"@type": "Article", "author": {"name": f"Jane {k}"}} for k in range(20_000)]),
    "a half surrogate": ld('{"@type": "Article", "author": "Jane \\ud800 Doe", "datePublished": "\\ud800"}'),
    "wrong types": ld('{"@type": {"a": 1}, "author": [[1]], "datePublished": {"x": []}, "image": [], "keywords": 7}'),
    "many keywords": meta("keywords", "a, " * 1_000_000),
    "many elements": meta("article:tag", "sea") * 50_000,
    "many bylines": '<a class="author byline">By Jane</a>' * 30_000,
    "many times": "<time>May 17, 2024</time>" * 30_000,
    "a long class": f'<p class="{"author " * 200_000}">Jane Doe</p>',
    "many labels": "<p>Published Updated 作者： 记者 </p>" * 30_000,
    "a long byline": f"<p>By {'Jane ' * 200_000}</p>",
    "blanks": f"<p class=byline>{' ' * 500_000}By{' ' * 500_000}</p>",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_pages_cost_little(what: str) -> None:
    source = f"<html><title>A wall</title>{HOSTILE[what]}<h1>A wall</h1>{HOSTILE[what]}"

    def fresh() -> Page:
        page = parse(source, URL)
        assert page.chars is not None  # what every method needs anyhow is not counted
        return page

    assert least_time(metadata, fresh) < HOSTILE_SECONDS
    found = metadata(fresh())
    assert len(found.tags) <= MAX_TAGS
    assert json.dumps([found.author, found.tags], ensure_ascii=False).encode()


@given(pages)
def test_nonsense(html: str) -> None:
    found = metadata(parse(html, URL))
    assert found.date is None or datetime.fromisoformat(found.date)
    assert set(found.found) <= set(FACTS)
    assert all(getattr(found, name) for name in found.found)


# The measure


def test_right_facts() -> None:
    assert day("2024-5-7 10:30") == "2024-05-07"
    assert day("May 2024") is None
    assert surname("By Jane Doe, MD and John Smith") == "doe"
    assert surname("José Núñez") == "nunez"
    assert is_right("Jane Doe", "Dr. Jane Doe, John Smith")
    assert is_right(None, None)
    assert not is_right(None, "Jane Doe")
    assert not is_right("Jane Doe", None)


def test_facts_are_evaluated(tmp_path: Path) -> None:
    rows = [answer("a", date="2024-05-17", author="Jane Doe"), answer("b", date="2024-05-18"), answer("c")]
    folder = write_folder(tmp_path, "walls", rows)
    (folder / "pages" / "a.html").write_text(f"<h1>A wall</h1><p class=byline>By Ann Doe, May 17, 2024</p>{TEXT * 3}")
    (folder / "pages" / "b.html").write_text(f"<h1>A wall</h1><p class=byline>By Ann Doe, May 17, 2024</p>{TEXT * 3}")
    told = CliRunner().invoke(evaluate, [str(folder), "--json", "-", "--pages"])
    assert told.exit_code == 0
    found = json.loads(told.stdout)["facts"][0]
    assert (found["date_right"], found["author_found"], found["author_unlabelled"]) == (0.5, 1.0, 0.5)
    assert found["rows"][0]["found"]["author"] == "class of an element"
    assert "facts" in CliRunner().invoke(evaluate, [str(folder)]).stdout


HEAD = meta("description", "Of stone.") + meta("keywords", "sea, stone, 8ae9ab2d-fe1b-4230-acb8-a59b52877682")


def test_facts_of_peers_are_evaluated(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, "walls", [answer("a", author="Jane Doe and Ann Li", lang="en", title="A wall")])
    byline = '<p class="byline">By Jane Doe and Ann Li</p>'
    page = f"<html lang=en><title>A wall</title>{HEAD}<h1>A wall</h1>{byline}{TEXT * 3}"
    (folder / "pages" / "a.html").write_text(page)
    told = CliRunner().invoke(evaluate, [str(folder), "--against", "trafilatura", "--json", "-"])
    found = json.loads(told.stdout)["facts"][0]
    names = (
        "title_f1",
        "author_right",
        "author_other",
        "authors_f1",
        "description_right",
        "tags_sound",
        "language_right",
    )
    assert [found[name] for name in names] == [1, 1, 0, 1, 1, 1, 1]
    (peer,) = found["peers"]
    assert peer["peer"] == "trafilatura"
    assert peer["title_f1"] == 1
    assert peer["tags_sound"] < 1
