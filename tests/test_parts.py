"""The next page of the same article, and what is none."""

from dataclasses import dataclass

import pytest

from pagesieve.facts.next_part import next_part
from pagesieve.page.static import parse

HOST = "https://news.example.org"
STORY = "".join(
    f"<p>Paragraph {number}: the boats went down the river, and people stood on its banks and waved at the travellers"
    " who passed by on their way to the sea, as they had done for as long as anybody could remember.</p>"
    for number in range(6)
)


@dataclass(frozen=True)
class Case:
    """A page by its address and the markup around its text, and where the next page is."""

    url: str
    below: str
    wanted: str | None
    head: str = ""

    @property
    def html(self) -> str:
        return (
            f"<!DOCTYPE html><html><head><title>The long river</title>{self.head}</head><body>"
            '<nav><a href="/">Home</a> <a href="/world">World</a></nav>'
            f"<article><h1>The long river</h1>{STORY}</article>{self.below}</body></html>"
        )


def links(*pairs: tuple[str, str], name: str = "pagination") -> str:
    """Return a row of links, each given by its address and its text; without an address it is the page itself."""
    shown = (f'<a href="{href}">{text}</a>' if href else f"<span>{text}</span>" for href, text in pairs)
    return f'<div class="{name}">{" ".join(shown)}</div>'


def button(href: str, text: str, attributes: str = "") -> str:
    return f'<div class="pager"><a href="{href}" {attributes}>{text}</a></div>'


FOUND = {
    "rel=next in the head": Case("/2020/river-story/", "", "/2020/river-story/2/", '<link rel=next href="2/">'),
    "rel=next of a link": Case(
        "/2020/river-story", button("/2020/river-story?page=2", "", "rel=next"), "/2020/river-story?page=2"
    ),
    "numbers": Case(
        "/river-story/", links(("", "1"), ("/river-story/2/", "2"), ("/river-story/3/", "3")), "/river-story/2/"
    ),
    "two pages": Case("/river-story.html", links(("", "1"), ("/river-story_2.html", "2")), "/river-story_2.html"),
    "numbers in brackets": Case(
        "/a/content_489405.htm", links(("content_489405_2.htm", "[2]")), "/a/content_489405_2.htm"
    ),
    "a hyphen": Case("/NE034juu.html", links(("", "1"), ("NE034juu-2.html", "2")), "/NE034juu-2.html"),
    "the word": Case("/news/107-river", links(("/news/107-river/page-2", "2")), "/news/107-river/page-2"),
    "a folder page": Case("/news/107-river/", links(("/news/107-river/page/2/", "2")), "/news/107-river/page/2/"),
    "a file below": Case(
        "/review/long-river/", button("/review/long-river/2.html", "Next Page »"), "/review/long-river/2.html"
    ),
    "in a query": Case("/story?id=168406", links(("/story?id=168406&amp;page=2", "2")), "/story?id=168406&page=2"),
    "another name in a query": Case(
        "/river.html?id=7",
        links(("?id=7&amp;pagewanted=2", "2"), ("?id=7&amp;pagewanted=all", "All")),
        "/river.html?id=7&pagewanted=2",
    ),
    "p in a query": Case("/river-story", links(("", "1"), ("?p=2", "2"), ("?p=3", "3")), "/river-story?p=2"),
    "counted from 0": Case("/river-story", links(("", "1"), ("?page=1", "2"), ("?page=2", "3")), "/river-story?page=1"),
    "counted from 0, in a path": Case(
        "/t2020_12.html", links(("t2020_12_1.html", "2"), ("t2020_12_2.html", "3")), "/t2020_12_1.html"
    ),
    "an index": Case(
        "/2020-01/05/", links(("index_2.shtml", "2"), ("index_2.shtml", "下一页")), "/2020-01/05/index_2.shtml"
    ),
    "an index with its name": Case(
        "/2020-01/05/index.shtml", button("index_2.shtml", "下一页"), "/2020-01/05/index_2.shtml"
    ),
    "from the second page": Case(
        "/river-story/2/", links(("/river-story/", "1"), ("", "2"), ("/river-story/3/", "3")), "/river-story/3/"
    ),
    "from the second, with a button": Case(
        "/a-river_2.html", links(("a-river.html", "zurück"), ("a-river_3.html", "weiter")), "/a-river_3.html"
    ),
    "from the second, by the word": Case("/river-story?page=2", button("?page=3", "Next"), "/river-story?page=3"),
    "files that are numbers": Case("/news/25468/1.html", links(("", "1"), ("2.html", "2")), "/news/25468/2.html"),
    "another scheme": Case(
        "/river-story/",
        links(("http://news.example.org/river-story/2/", "2")),
        "http://news.example.org/river-story/2/",
    ),
    "with a heading": Case(
        "/river-story",
        button("/river-story?seite=2", "Nächste Seite: Was die Fischer am Ufer sagen"),
        "/river-story?seite=2",
    ),
    "page 2": Case("/river-story", button("/river-story/2", "Page 2"), "/river-story/2"),
    "第2页": Case("/a/123456.html", button("123456_2.html", "第2页"), "/a/123456_2.html"),
    "an image": Case(
        "/a/123456.html", button("123456_2.html", '<img src="n.gif" alt="Next page">'), "/a/123456_2.html"
    ),
    "a label": Case("/river-story", button("/river-story/2", "", 'aria-label="Next page"'), "/river-story/2"),
    "among related links": Case(
        "/river-story/", links(("/river-storm/", "Storm"), ("/river-story/2/", "2")), "/river-story/2/"
    ),
    "comments below": Case(
        "/river-story/", links(("/river-story/2/", "2")) + f'<div id="comments">{STORY}</div>', "/river-story/2/"
    ),
    "before comments' own pages": Case(
        "/river-story/",
        links(("/river-story/2/", "2")) + f'<div id="comments">{STORY}{links(("?cpage=2", "2"))}</div>',
        "/river-story/2/",
    ),
}

NEXT = (
    "Next page", "Next", "Nächste Seite", "Weiter", "Page suivante", "Suivant", "Siguiente", "Página siguiente",
    "Próxima página", "Pagina successiva", "Avanti", "Volgende pagina", "Nästa sida", "Næste side", "Neste side",
    "Następna strona", "Další strana", "Следующая страница", "Дальше", "Наступна сторінка", "Sonraki sayfa",
    "Επόμενη σελίδα", "下一页", "下一頁", "下页", "次のページ", "次へ", "다음 페이지", "التالي", "הבא",
    "ถัดไป", "›", "»", "→",
)  # fmt: skip

NONE = {
    "the next post": Case("/river-story/", "", None, '<link rel=next title="Sea" href="/sea-story/">'),
    "the next post of the same name": Case("/river-story/", button("/river-story-2/", "Next post", "rel=next"), None),
    "the next post by its title": Case(
        "/river-story/", button("/river-story-2/", "The long river again »", "rel=next"), None
    ),
    "the next number": Case("/news/1234.html", button("/news/1235.html", "Next", "rel=next"), None),
    "the next small number": Case("/news/post-5.html", button("/news/post-6.html", "Next »", "rel=next"), None),
    "the next file": Case("/blog/entry_5.html", button("/blog/entry_6.html", "Next", "rel=next"), None),
    "the next post of a query": Case("/?p=12", button("/?p=13", "Next", "rel=next"), None),
    "older posts": Case("/river-story/", button("/river-story/page/2/", "« Older posts"), None),
    "the next photo": Case("/river-story/", button("/river-story/2/", "Next photo"), None),
    "a gallery": Case("/river-story/", links(("/river-story/2/", "2"), name="gallery-nav"), None),
    "slides": Case("/river-story-25839173", button("?slide=2", "Next"), None),
    "comments": Case("/river-story/", links(("/river-story/comment-page-2/#comments", "2")), None),
    "comments in a query": Case("/river-story/", links(("?cpage=2", "2")), None),
    "comments by their place": Case("/river-story", f'<div id="comments">{STORY}{links(("?page=1", "2"))}</div>', None),
    "below the comments": Case("/river-story", f'<div id="comments">{STORY}</div>{links(("?page=2", "2"))}', None),
    "an anchor of the comments": Case("/river-story", links(("?page=2#comments", "2")), None),
    "a category": Case("/category/rivers/", links(("/category/rivers/page/2/", "2")), None),
    "a tag": Case("/tag/long-river/", "", None, '<link rel=next href="/tag/long-river/page/2/">'),
    "a list of one word": Case("/rivers", links(("/rivers?page=2", "2")), None),
    "a blog": Case("/blog/page/3", button("/blog/page/4", "Next page"), None),
    "the front page": Case("/", links(("/page/2/", "2")), None),
    "a month": Case("/2020/05/", links(("/2020/06/", "6")), None),
    "another host": Case("/river-story/", links(("https://other.example.com/river-story/2/", "2")), None),
    "another article": Case("/river-story/", links(("/sea-story/2/", "2")), None),
    "the page before": Case("/river-story/3", links(("/river-story/2", "2"), ("/river-story", "1")), None),
    "the page before, next only by the address": Case(
        "/river-story", links(("/river-story?page=2", "2")), None, '<link rel=prev href="/river-story?page=2">'
    ),
    "not the one after": Case("/river-story/", links(("/river-story/3/", "3"), ("/river-story/9/", "Last")), None),
    "a wrong number": Case("/river-story/", links(("/river-story/2/", "7")), None),
    "all on one page": Case("/river-story/", links(("/river-story/?view=all", "Single page")), None),
    "print": Case("/river-story/", links(("/river-story/?print=1", "Print")), None),
    "a script": Case("/river-story/", links(("javascript:page(2)", "2")), None),
    "a fragment": Case("/river-story/", links(("#2", "2")), None),
    "a list of articles": Case(
        "/river-story/", links(("/river-story/?p=2", "2"), name="article-list-pagination"), None
    ),
    "a thread": Case("/forum/river-story.4711/", links(("/forum/river-story.4711/page-2", "2")), None),
    "nothing": Case("/river-story/", "", None),
}


def found(case: Case) -> str | None:
    url = HOST + case.url
    return next_part(parse(case.html, url), url)


@pytest.mark.parametrize("name", FOUND)
def test_the_next_page_is_found(name: str) -> None:
    wanted = FOUND[name].wanted or ""
    assert found(FOUND[name]) == (wanted if "://" in wanted else HOST + wanted)


@pytest.mark.parametrize("name", NONE)
def test_another_page_is_not_the_next(name: str) -> None:
    assert found(NONE[name]) is None


@pytest.mark.parametrize("said", NEXT)
def test_buttons_in_many_languages(said: str) -> None:
    assert found(Case("/a/123456.html", button("123456_2.html", said), None)) == f"{HOST}/a/123456_2.html"


def test_a_page_that_lists_articles_has_no_next_part() -> None:
    items = "".join(
        f'<li><h3><a href="/story-{n}-of-rivers">Story {n} of rivers and lakes</a></h3></li>' for n in range(40)
    )
    html = f"<title>Rivers</title><ul>{items}</ul>{links(('?page=2', '2'), ('?page=2', 'Next page'))}"
    url = f"{HOST}/all-about-rivers"
    assert next_part(parse(html, url), url) is None


def test_pages_that_cannot_be_read_are_passed_over() -> None:
    below = links(("", "1"), *((f"/river-story/{number}/", str(number)) for number in range(2, 6)))
    page = parse(Case("/river-story/", below, None).html)
    addresses = [next_part(page, f"{HOST}/river-story/", skip) for skip in range(5)]
    assert addresses == [*(f"{HOST}/river-story/{number}/" for number in range(2, 6)), None]


@pytest.mark.parametrize("url", ["", "river.html", "mailto:a@example.org", "http://[::"])
def test_without_an_address_there_is_none(url: str) -> None:
    assert next_part(parse(Case("/", links(("river_2.html", "2")), None).html), url) is None
