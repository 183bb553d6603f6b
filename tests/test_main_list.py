"""The page's own list among all article links, and titles without what stands next to them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import pagesieve

URL = "https://news.example.org/world/"
FRONT = "https://news.example.org/"
SCRIPT = str(Path(sys.executable).with_name("pagesieve"))
TEXT = "Stone came by barge from the quarry across the bay, and for nine weeks nobody slept on the quay. "


def link(name: str) -> str:
    return f'<a href="/2024/05/a-story-about-{name}-41800{len(name)}.html">A long story about {name} and the sea</a>'


def links(names: str, markup: str) -> str:
    """A link for each name, in some markup."""
    return "".join(markup.format(link(name)) for name in names.split())


POSTS = "<article class=post><h2>{}</h2><p>" + TEXT + "</p></article>"
ITEMS = "<li>{}</li>"
LIST = "otters allotments whales banks"
OTHERS = "ferries tides lidos malthouses drills brewers"
MAIN = f"<div id=content>{links(LIST, POSTS)}</div>"

# What the page is made of, and the names in its own list; those of OTHERS never are.
PAGES = {
    "alone": (MAIN, LIST),
    "a column that says so": (f"{MAIN}<div class=sidebar><ul>{links(OTHERS, ITEMS)}</ul></div>", LIST),
    "an aside before it": (f"<aside><ul>{links(OTHERS, ITEMS)}</ul></aside>{MAIN}", LIST),
    "a role": (f"{MAIN}<div role=complementary><ul>{links(OTHERS, ITEMS)}</ul></div>", LIST),
    "a menu": (f"<nav><ul>{links(OTHERS, ITEMS)}</ul></nav>{MAIN}", LIST),
    "a header": (f"<header><ul>{links(OTHERS, ITEMS)}</ul></header>{MAIN}", LIST),
    "a footer": (f"{MAIN}<footer><h4>News</h4>{links(OTHERS, '<h4>{}</h4>')}</footer>", LIST),
    "a ticker": (f"<div class=news-ticker>{links(OTHERS, '<span>{}</span>')}</div>{MAIN}", LIST),
    "widgets": (f"{MAIN}<ul><li id=recent-posts-2 class=widget><ul>{links(OTHERS, ITEMS)}</ul></li></ul>", LIST),
    "one post and a long column": (
        f"<div id=content>{links('otters', POSTS)}</div><div class=widget><ul>{links(OTHERS, ITEMS)}</ul></div>",
        "otters",
    ),
    "a column that says nothing": (f"{MAIN}<div class=x><ul>{links(OTHERS, ITEMS)}</ul></div>", LIST),
    "around both": (
        f"<div id=content-sidebar-wrap>{MAIN}<div id=sidebar><ul>{links(OTHERS, ITEMS)}</ul></div></div>",
        LIST,
    ),
    "the same markup below a heading": (
        f"<div><h1>World</h1>{links(LIST, POSTS)}</div><section><h3>Most read</h3>{links(OTHERS, POSTS)}</section>",
        LIST,
    ),
    "a heading in German": (f"{MAIN}<section><h2>Meistgelesen</h2>{links(OTHERS, POSTS)}</section>", LIST),
    "a heading in Japanese": (f"{MAIN}<section><h2>人気記事</h2>{links(OTHERS, POSTS)}</section>", LIST),
    "up to the next heading": (
        f"<div><h3>Popular</h3><ul>{links(OTHERS, ITEMS)}</ul><h3>May</h3><ul>{links(LIST, ITEMS)}</ul></div>",
        LIST,
    ),
    "a lead of another make": (
        f"<div><div class=lead><h2>{link('weirs')}</h2><p>{TEXT}</p></div>{links(LIST, POSTS)}</div>",
        f"weirs {LIST}",
    ),
    "links in the text of a post": (
        f"<div>{links(LIST, POSTS)}<article class=post><h2>{link('weirs')}</h2><p>{TEXT}"
        f"{links('ferries tides', 'Also {}, ')} as we wrote.</p><ul>{links('lidos', ITEMS)}</ul></article></div>",
        f"{LIST} weirs",
    ),
    "classes of pages in a list": (
        f"<div class='posts pagination-off'>{links(LIST, POSTS)}</div><div class=related>{links(OTHERS, POSTS)}</div>",
        LIST,
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_the_pages_own_list(name: str) -> None:
    html, expected = PAGES[name]
    found = pagesieve.catalogue(f"<body>{html}</body>", URL)
    assert [one.title.split()[4] for one in found.links] == expected.split()
    assert found.links == tuple(one for one in found.all_links if one.main)
    assert all(found.titles(one.url) == one.titles for one in found.all_links)


@pytest.mark.parametrize("name", [name for name, (html, _) in PAGES.items() if "ferries" in html])
def test_the_others_are_among_all_links(name: str) -> None:
    html, expected = PAGES[name]
    found = pagesieve.catalogue(f"<body>{html}</body>", URL).all_links
    assert {one.main for one in found} == {True, False}
    assert {one.title.split()[4] for one in found if one.main} == set(expected.split())


def test_a_front_page_has_many_lists() -> None:
    """On the front page of a site all lists are its own, but for those that something says of that they are not."""
    parts = f"<ul>{links('weirs tides', ITEMS)}</ul><div><h3>Sports</h3>{links('lidos', '<p>{}</p>')}</div>"
    html = f"{MAIN}{parts}<aside>{links('drills', ITEMS)}</aside>"
    assert len(pagesieve.catalogue(html, FRONT).links) == len(LIST.split()) + 3
    assert len(pagesieve.catalogue(html, URL).links) == len(LIST.split())


def test_an_article_in_the_list_and_beside_it() -> None:
    html = f"<aside><ul>{links('otters ferries', ITEMS)}</ul></aside>{MAIN}"
    assert [one.title.split()[4] for one in pagesieve.catalogue(html, URL).links] == LIST.split()


def test_a_page_with_nothing_but_a_column() -> None:
    """What says that it is beside a list is the list, where there is no other."""
    found = pagesieve.catalogue(f"<div class=sidebar><ul>{links(LIST, ITEMS)}</ul></div>", URL)
    assert len(found.links) == len(LIST.split())


# Titles

TITLE = "How to carry a whale down a staircase"
SHOWN = {
    "a date after it": f"{TITLE} <span>July 14, 2020</span>",
    "a date before it": f"<span>14.07.2020</span> {TITLE}",
    "a date in French": f"<span>14 août 2020</span> <b>{TITLE}</b>",
    "a date in Chinese": f"<b>{TITLE}</b><i>2020年7月14日</i>",
    "a date in figures in the same text": f"{TITLE} 2020-07-14",
    "a day and its time in brackets": f"[2020-07-14 18:50] {TITLE}",
    "a time": f"<span>18:50</span> {TITLE}",
    "an age": f"<span>5mins</span> {TITLE} <em>2 hours ago</em>",
    "a reading time": f"{TITLE} <span>3 min read · 12 views</span>",
    "comments": f"{TITLE} <span>12 comments</span>",
    "comments in parentheses": f"{TITLE} <span>(12)</span>",
    "shares": f"<span>59K</span> <span>|</span> {TITLE}",
    "no picture": f"<span>No image available</span> {TITLE}",
    "a heading": f"<h3><time>July 14, 2020</time> {TITLE}</h3>",
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_title_without_what_stands_next_to_it(name: str) -> None:
    html = f"<ul>{links(LIST, ITEMS)}<li><a href='/2024/05/whale-on-the-stairs-4180011.html'>{SHOWN[name]}</a></ul>"
    assert [one.titles for one in pagesieve.catalogue(html, URL).all_links][-1] == (TITLE,)


@pytest.mark.parametrize(
    "title",
    [
        "Daily horoscope for Wednesday, June 3, 2020",
        "16.03.2020 bis 11:40 – aktuelle Meldungen",
        "Folding <b>2020</b> chairs in <b>10 minutes</b> flat",
        "<b>12</b> ways to carry a whale",
        "The image of <b>2020</b>",
        "No image of the whale was ever found",
    ],
)
def test_a_date_or_a_number_that_belongs_to_a_title(title: str) -> None:
    html = f"<ul>{links(LIST, ITEMS)}<li><a href='/2024/05/whale-on-the-stairs-4180011.html'>{title}</a></ul>"
    plain = title.replace("<b>", "").replace("</b>", "")
    assert pagesieve.catalogue(html, URL).all_links[-1].title == plain


@pytest.mark.parametrize(
    "said", ["no image", "No-Image", "NOIMAGE", "image not found", "placeholder", "Featured image", "14 July 2020"]
)
def test_what_a_picture_says_that_is_none(said: str) -> None:
    item = f"<li><a href='/2024/05/whale-4180011.html'><img alt='{said}'></a><a href='/2024/05/whale-4180011.html'>"
    html = f"<ul>{links(LIST, ITEMS)}{item}{TITLE}</a></ul>"
    assert pagesieve.catalogue(html, URL).all_links[-1].titles == (TITLE,)


@pytest.mark.parametrize("before", ["Permalink to ", "Permanent Link to ", "Permalink: "])
def test_a_permalink_is_called_by_its_title(before: str) -> None:
    item = f"<li><a href='/2024/05/whale-4180011.html' title='{before}{TITLE}'><img></a></li>"
    assert pagesieve.catalogue(f"<ul>{links(LIST, ITEMS)}{item}</ul>", URL).all_links[-1].titles == (TITLE,)


def test_two_posts_of_one_title() -> None:
    """A heading that two links share is no button; it is a title where there is no other."""
    same = "<article><h2><a href='/2024/05/notes-{}.html'>Notes from the harbour</a></h2><p>{}</p></article>"
    html = links(LIST, POSTS) + same.format(41801, TEXT) + same.format(41802, TEXT)
    assert [one.title for one in pagesieve.catalogue(html, URL).links][-2:] == ["Notes from the harbour"] * 2


# The command line


def run(*args: str, stdin: str) -> str:
    done = subprocess.run(
        [SCRIPT, "catalogue", "-", "--url", URL, *args], input=stdin, capture_output=True, timeout=60, encoding="utf-8"
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_all_on_the_command_line() -> None:
    html = f"{MAIN}<aside><ul>{links(OTHERS, ITEMS)}</ul></aside>"
    assert len(run(stdin=html).splitlines()) == len(LIST.split())
    told = [json.loads(line)["main"] for line in run("--all", "-f", "jsonl", stdin=html).splitlines()]
    assert told == [True] * len(LIST.split()) + [False] * len(OTHERS.split())
    assert [one["main"] for one in json.loads(run("-f", "json", stdin=html))["links"]] == [True] * len(LIST.split())
