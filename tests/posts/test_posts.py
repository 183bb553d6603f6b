"""Threads as posts: a folder of pages in the markup of the usual programs, names and dates, the thread written."""

from __future__ import annotations

import json
import pickle
from array import array
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pagesieve
from pagesieve.kinds.kind import kind
from pagesieve.methods.blocks import selected
from pagesieve.methods.decisions import decide
from pagesieve.methods.features import describe, hinted_rows
from pagesieve.page import kernel
from pagesieve.page.kernel.tags import TAG_ID
from pagesieve.page.lines import as_mask, readable
from pagesieve.page.table import Page
from pagesieve.threads.marks import name_in
from pagesieve.threads.posts import find_posts, is_thread
from pagesieve.threads.thread import Post, Posts
from tests.growing import growth

CASES = Path(__file__).parent / "cases"
NAMES = sorted(path.stem for path in CASES.glob("*.html"))
EXPECTED: dict[str, dict[str, Any]] = {
    name: json.loads((CASES / f"{name}.json").read_text(encoding="utf-8")) for name in NAMES
}
THREADS = [name for name in NAMES if EXPECTED[name].get("posts")]
MAX_RATIO = 2.3  # times that twice the page takes
FIELDS = ("author", "date", "parent", "depth", "text")

each_case = pytest.mark.parametrize("name", NAMES)
each_thread = pytest.mark.parametrize("name", THREADS)


def source(name: str) -> str:
    return (CASES / f"{name}.html").read_text(encoding="utf-8")


def article(name: str, **options: Any) -> pagesieve.Article:
    return pagesieve.article(source(name), f"https://example.org/{name}", **options)


def told(posts: tuple[Post, ...]) -> list[dict[str, Any]]:
    return [{field: getattr(post, field) for field in FIELDS} for post in posts]


def structure(name: str) -> list[dict[str, Any]]:
    """What is found of a page without a model: all that is there to be read may be part of a post."""
    page = pagesieve.parse(source(name))
    posts = find_posts(page, readable(page))
    words = [" ".join(" ".join(page.text(row).split()) for row in post.rows.tolist()) for post in posts]
    return [
        {"author": post.author, "date": post.date, "parent": post.parent, "depth": post.depth, "begins": text[:40]}
        for post, text in zip(posts, words, strict=True)
    ]


@each_case
def test_the_posts_of_a_page_whatever_a_model_keeps(name: str) -> None:
    assert structure(name) == EXPECTED[name]["structure"]


@pytest.mark.parametrize("name", [name for name in NAMES if "posts" in EXPECTED[name]])
def test_the_posts_and_comments_of_an_article(name: str) -> None:
    found = article(name)
    assert told(found.posts) == EXPECTED[name]["posts"]
    assert told(found.comments) == EXPECTED[name]["comments"]


def test_the_folder_has_threads_and_pages_that_are_none() -> None:
    assert len(NAMES) >= 12
    assert {*NAMES} - {*THREADS} >= {"article", "blog_list", "board", "wordpress_comments"}


@each_thread
def test_user_cards_signatures_and_buttons_are_out(name: str) -> None:
    text = article(name).text
    for word in ("Joined", "Registered", "Registriert", "Inscription", "Posts:", "Beiträge", "帖子", "Report", "举报"):
        assert word not in text
    for signature in ("Dig deep", "bremst", "Allotment 14b", "半日闲", "Kette rechts", "du pain.", "Slugs", "Rain is"):
        assert signature not in text


@each_thread
def test_a_rule_stands_between_posts(name: str) -> None:
    found = article(name)
    count = len(found.posts)
    assert found.text.count("\n\n---\n\n") == found.markdown.count("\n\n---\n\n") == count - 1
    assert found.html.count("\n<hr>\n") == count - 1
    for post in found.posts:
        assert post.text in found.text
        assert post.markdown in found.markdown
        assert post.html in found.html


def test_markdown_begins_each_post_with_author_and_date_and_text_where_asked() -> None:
    plain, told = article("xenforo"), article("xenforo", include_bylines=True)
    assert plain.markdown.startswith("**marrow_fan**, 2021-05-10T08:30:00+01:00\n\nI moved my tomato")
    assert plain.html.startswith("<p><strong>marrow_fan</strong>, 2021-05-10T08:30:00+01:00</p>\n<p>I moved")
    assert plain.text.startswith("I moved my tomato")
    assert told.text.startswith("marrow_fan, 2021-05-10T08:30:00+01:00\n\nI moved my tomato")


def test_quotations_stay_in_their_post() -> None:
    quoting = article("xenforo").posts[3]
    assert "Should I take the leaves off, or bring the pots back inside?" in quoting.text
    assert "> Should I take the leaves off" in quoting.markdown
    assert "<blockquote>" in quoting.html


@pytest.mark.parametrize("name", ["xenforo_1", "vbulletin_4"])
def test_a_post_is_no_quotation_and_what_it_quotes_is_one(name: str) -> None:
    asking, quoting, _ = article(name).posts
    assert asking.markdown.startswith("I dug in two barrows")
    assert "> Is it too late to move them?\n\nFresh manure is" in quoting.markdown
    assert quoting.html.count("<blockquote>") == 1


def test_the_author_is_that_of_the_first_post_where_the_page_names_no_other() -> None:
    found = article("vbulletin_4")
    assert (found.author, found.metadata.found["author"]) == ("marrow_fan", "first post")


def test_what_stands_before_the_first_post_stays_and_what_is_beside_says_so() -> None:
    found = article("phpbb")
    reasons = {decision.text: decision.reason for decision in found.decisions}
    assert any(reason == "in post 1 of 5" for reason in reasons.values())
    kept = [decision for decision in found.decisions if decision.kept]
    assert {decision.reason.split(" of ")[0] for decision in kept} >= {f"in post {k}" for k in range(1, 6)}


def test_a_long_quotation_stands_once() -> None:
    found = article("quoted_twice")
    assert found.text.count("Should I take the leaves off") == 2
    assert "said:" in found.posts[1].text
    assert found.posts[2].text.startswith("I had the same last spring")


def test_the_first_post_and_the_thread_have_their_own_date() -> None:
    found = article("quoted_twice")
    assert found.posts[0].date == found.date == "2021-05-10T08:30:00+01:00"


def test_dates_are_read_in_the_order_in_which_the_thread_is_shorter() -> None:
    days = [post.date[:10] for post in article("tables_without_names").posts if post.date]
    assert days == ["2019-04-03", "2019-04-04", "2019-04-04", "2019-04-05", "2019-04-08", "2019-04-09"]


def test_posts_are_the_records_of_a_page_without_names() -> None:
    for name in ("rows_of_a_table", "tables_without_names"):
        found = article(name)
        records = pagesieve.records(source(name), mode="static").records
        assert structure(name) == []
        assert len(found.posts) == len(records) == 6
        for post, record in zip(found.posts, records, strict=True):
            assert {*post.text.split()} <= {*record.text.split()}


def test_posts_are_in_the_dictionary() -> None:
    told = article("discuz").as_dict()
    assert [post["author"] for post in told["posts"]] == ["山里的茶农", "老李", "小溪流水", "山里的茶农"]
    assert {*told["posts"][0]} == {*FIELDS, "markdown"}
    assert {*article("discuz").posts[0].as_dict()} == {*FIELDS, "markdown", "html"}
    assert {*json.loads(article("discuz").as_json())["posts"][0]} == {*FIELDS}
    assert article("article").as_dict()["posts"] == []
    comments = article("wordpress_comments").as_dict()["comments"]
    assert [(post["author"], post["parent"], post["depth"]) for post in comments] == [
        ("Oskar", None, 0),
        ("Ines Walk", 0, 1),
        ("Mette", None, 0),
    ]


def test_an_article_without_a_thread_has_no_posts() -> None:
    found = article("article")
    assert found.posts == ()
    assert not found.comments
    assert str(found.comments) == ""
    assert "---" not in found.text


def test_comments_of_a_thread_are_kept_where_asked_for() -> None:
    plain, rich = article("stack_exchange"), article("stack_exchange", include_comments=True)
    assert "picture of the leaves" not in plain.text
    assert rich.text == f"{plain.text}\n\n---\n\nCan you show us a picture of the leaves?"


WORDS = "The tomatoes have been outside for a week now, and nothing has happened to them so far."
ASIDE = "<nav><a href=/members/9>newest member</a></nav>"
# What a page calls comments, and whether they are the replies of a thread: a head, an opening, each of the replies.
CALLED_COMMENTS: dict[str, tuple[str, str, str, bool]] = {
    "below a post of a blog": ("", "<div class=entry-content>{}</div>", "<div class=comment-content>{}</div>", False),
    "by visitors with pages of their own": (
        "",
        "<div class=entry-content><a href=/author/ines>Ines</a> {}</div>",
        "<div class=comment-content><a href=https://oskar{}.example/~me/>Oskar</a> {}</div>",
        False,
    ),
    "by members, below an article": (
        ASIDE,
        "<div class=entry-content>By Ines. {}</div>",
        "<div class=comment-content><a href=/members/{}>Oskar</a> {}</div>",
        False,
    ),
    "by members, below one": (
        "",
        "<div class=opening><a href=/members/7>ines</a> {}</div>",
        "<div class=comment-content><a href=/members/{}>oskar</a> {}</div>",
        True,
    ),
    "made as the opening is": (
        "",
        "<div class='message post-1'>{}</div>",
        "<div class='message post-2'>{}</div>",
        True,
    ),
    "of a page that states a thread": (
        '<script type=application/ld+json>{"@type": "DiscussionForumPosting"}</script>',
        "<div class=entry-content>{}</div>",
        "<div class=comment-content>{}</div>",
        True,
    ),
    "of a page with questions": (
        '<script type=application/ld+json>{"@type": "FAQPage", "mainEntity": {"@type": "Question"}}</script>',
        "<div class=entry-content>{}</div>",
        "<div class=comment-content>{}</div>",
        False,
    ),
}


def page_with_comments(sort: str, count: int = 2) -> Page:
    head, opening, reply, _ = CALLED_COMMENTS[sort]
    replies = "".join(reply.format(*[k, WORDS][-reply.count("{}") :]) for k in range(count))
    return pagesieve.parse(
        f"<title>Tomatoes</title>{head}<h1>Tomatoes</h1>{opening.format(WORDS)}<div id=comments>{replies}</div>",
        "https://example.org/forum/thread/12",
    )


@pytest.mark.parametrize("sort", CALLED_COMMENTS)
def test_comments_are_replies_where_the_page_is_a_thread_by_its_own_structure(sort: str) -> None:
    page = page_with_comments(sort)
    replies = as_mask(hinted_rows(page)) & (page.chars > 0)
    opening = (page.chars > 0) & ~replies
    assert is_thread(page, opening, replies) == CALLED_COMMENTS[sort][-1]


def test_comments_are_not_kept_because_there_are_many_of_them() -> None:
    """Whatever the lines say, and whatever kind the page is taken for: kind says records of such pages."""
    sort = "below a post of a blog"
    described = describe(page_with_comments(sort, 40))
    every = np.ones(len(described.blocks))
    found = selected(described, decide(described.blocks, every, 0.5, lambda line, kept: ""))
    assert kind(described.blocks.page) == "records"
    assert found.rows.any()
    assert not (found.rows & described.comments).any()


def test_posts_are_a_tuple_with_a_text_and_can_be_pickled() -> None:
    post = Post("Ann", None, "Hello", "Hello", "<p>Hello</p>")
    posts = Posts([post], "Ann\n\nHello")
    again = pickle.loads(pickle.dumps(posts))
    assert again == posts == (post,)
    assert str(again) == str(posts) == "Ann\n\nHello"
    with pytest.raises(FrozenInstanceError):
        post.author = "Bob"  # type: ignore[misc]
    thread = pickle.loads(pickle.dumps(article("phpbb")))
    assert thread.posts == article("phpbb").posts


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ann", "Ann"),
        ("by Ann Lee", "Ann Lee"),
        ("Posted by: ann_92", "ann_92"),
        ("Ann says:", "Ann"),
        ("@ann", "ann"),
        ("作者 老李", "老李"),
        ("Reply", ""),
        ("Can I water them at noon?", ""),
        ("42", ""),
        ("#42", ""),
        ("3 May 2020", ""),
        ("", ""),
        ("…", ""),
        ("a" * 41, ""),
    ],
)
def test_names(text: str, name: str) -> None:
    assert name_in(text) == name


MARKED = """<div class=post>
<a class=username>ann</a> <time datetime=2020-05-01>x</time>
<div class=content>2 May 2020<p>short</p><div class=text>what was written</div></div>
<div class=content>more</div>
<div class=post><a class=username>bob</a><time datetime=2020-05-03>x</time>
<div class=content>an answer, longer</div></div>
<a class=username>carl</a> <i>4 May 2020</i>
</div>"""


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        ("", [("ann", "2020-05-01", "what was written", None), ("bob", "2020-05-03", "an answer, longer", 0)]),
        ("more", [("ann", "2020-05-01", "more", None), ("bob", "2020-05-03", "an answer, longer", 0)]),
    ],
)
def test_body_author_and_date_of_nested_posts(kept: str, expected: list[tuple[Any, ...]]) -> None:
    """The body is what was kept most of, or the longest inside of it without a date; author and date are the first."""
    page = pagesieve.parse(MARKED)
    rows = np.array([page.tag[row] == TAG_ID["#text"] and page.text(row) == kept for row in range(len(page))])
    posts = find_posts(page, rows)
    told = [(post.author, post.date, "".join(map(page.text, post.rows.tolist())), post.parent) for post in posts]
    assert told == expected


WORDS_IN_ROWS = "<p class=text>words of a post</p>"
# A page, and whether it may be a thread, by what is named as posts are.
MAY_BE_THREADS: dict[str, tuple[str, bool]] = {
    "two posts": (f"<div class=post>{WORDS_IN_ROWS}</div>" * 2, True),
    "one post": (f"<div class=post>{WORDS_IN_ROWS}</div>", False),
    "a post around another": (f"<div class=post><div class=post>{WORDS_IN_ROWS}</div></div>", False),
    "posts that are hidden": (f"<div class=post hidden>{WORDS_IN_ROWS}</div>" * 2, False),
    "no words": (f"<div class=card>{WORDS_IN_ROWS}</div>" * 2, False),
    "a type": (f"<div itemtype=https://schema.org/Answer>{WORDS_IN_ROWS}</div>" * 2, True),
    "links": (f"<div class=post><a href=/a>{WORDS_IN_ROWS}</a></div>" * 2, False),
    "headlines that link": (f"<div class=post><h2><a href=/a>a</a></h2>{WORDS_IN_ROWS}</div>" * 2, False),
    "headlines that link to a place": (f"<div class=post><h2><a href=#1>a</a></h2>{WORDS_IN_ROWS}</div>" * 2, True),
    "headlines that link to somebody": (f"<div class=post><h2><a href=/u/a>a</a></h2>{WORDS_IN_ROWS}</div>" * 2, True),
    "rows of texts and links to members": (f"<p><a href=/members/1>ann</a><p>{'words ' * 40}" * 3, True),
    "rows of texts and links named as members are": (
        "".join(f"<p>by <a href=/{name}>{name.title()}</a><p>{'words ' * 40}" for name in ("ann", "bob", "eve")),
        True,
    ),
    "rows of texts and links to authors": (f"<p><a href=/author/1>ann</a><p>{'words ' * 40}" * 3, False),
    "links to members in texts": (f"<p>{'words ' * 40}<a href=/members/1>ann</a>" * 3, False),
    "two links to members": (f"<p><a href=/members/1>ann</a><p>{'words ' * 40}" * 2, False),
    "elements of its own": (f"<a-comment author=a>{WORDS_IN_ROWS}</a-comment>" * 3, True),
}


@pytest.mark.parametrize("sort", MAY_BE_THREADS)
def test_what_may_be_a_thread(sort: str) -> None:
    html, may_be = MAY_BE_THREADS[sort]
    page = pagesieve.parse(html)
    kept = page.chars > 0
    first = kernel.page.posts.may_be_thread(page, kept.view(np.uint8))
    assert first == (int(kept.argmax()) if may_be else -1)
    assert kernel.page.posts.may_be_thread(page, np.zeros(len(page), dtype=np.uint8)) == -1


@pytest.mark.parametrize("wrong", [(0, 99), (-1, 1), (2, 1)])
def test_rows_that_a_page_does_not_have_are_an_error(wrong: tuple[int, int]) -> None:
    page = pagesieve.parse("<div class=post>words")
    with pytest.raises(IndexError, match="rows"):
        kernel.page.posts.Finder(page, np.ones(len(page), dtype=np.uint8), *wrong, {}, array("i"), None)
    with pytest.raises(IndexError, match="rows"):
        kernel.page.posts.Finder(page, np.ones(1, dtype=np.uint8), 0, 1, {}, array("i"), None)


class NoYears:
    """Reads no texts."""

    def years(self, first: int, stop: int) -> list[int]:
        return []


@pytest.mark.parametrize("row", [-1, 0, 3, 99])
def test_records_outside_of_the_rows_are_an_error(row: int) -> None:
    page = pagesieve.parse("<div class=post>words")
    marks = np.ones(len(page), dtype=np.uint8)
    finder = kernel.page.posts.Finder(page, marks, 1, 3, {}, array("i"), NoYears(), False)
    assert finder.posts_in([]) == []
    with pytest.raises(IndexError, match="row"):
        finder.posts_in([[1], [row]])


@pytest.mark.parametrize("row", [-1, 99])
def test_the_author_of_another_page_is_an_error(row: int) -> None:
    page = pagesieve.parse("<p>words")
    finder = kernel.page.posts.Finder(page, np.ones(len(page), dtype=np.uint8), 0, len(page), {}, array("i"), NoYears())
    assert finder.posts() == []
    assert finder.opening(1) is None
    with pytest.raises(IndexError, match="row"):
        finder.opening(row)


NESTED = "<div class=post><a href=/users/1>ann</a> <time datetime=2020-01-02>x</time><div class=text>words {}</div>"
HOSTILE: dict[str, Callable[[int], str]] = {
    "nested posts": lambda size: "".join(NESTED.format(k) for k in range(size // 100)),
    "many links in nested posts": lambda size: "<div class=post>" * 500 + "<a href=/u/a>ann</a> " * (size // 20),
    "posts in a row": lambda size: "".join(NESTED.format(k) + "</div>" for k in range(size // 110)),
    "elements around nested posts": lambda size: "".join(
        f"<div class=comment-box>{NESTED.format(k)}</div>" for k in range(size // 140)
    ),
    "posts of which nothing was kept": lambda size: "".join(
        NESTED.format(k) + "</div><div class=post>" * 3 + "<a href=/users/2>bob</a></div></div></div>"
        for k in range(size // 180)
    ),
    "posts without bodies": lambda size: "".join(
        f"<div class=post><p>1/{k % 28 + 1}/2020 words of a text" for k in range(size // 60)
    ),
}


@pytest.mark.parametrize("sort", HOSTILE)
def test_hostile_threads_are_read(sort: str) -> None:
    pages = {size: pagesieve.parse(HOSTILE[sort](size)) for size in (100_000, 200_000)}

    def find(size: int) -> int:
        return len(find_posts(pages[size], readable(pages[size])))

    assert find(100_000) <= 1000
    assert growth(find, 100_000) < MAX_RATIO
