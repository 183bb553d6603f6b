"""How lists are cut into records: what stands at their ends, apart from the others, between them, or within one."""

from __future__ import annotations

import pytest

from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.records.find import find_static
from pagesieve.records.results import Records
from tests.test_records_static import ABOUT, DIV, FOOT, HEAD, LI, ONE_ROW, lines, link

CARD = '<div class="card {more}"><h3>{link}</h3><p>{about}</p><span class=price>{k}.50 €</span></div>'


def cards(first: int, last: int, more: str = "") -> str:
    return "".join(CARD.format(more=more, link=link(k), about=ABOUT[k], k=k) for k in range(first, last))


def two_columns() -> str:
    return f"<div class=left>{cards(0, 5)}</div><div class=right>{cards(5, 10)}</div>"


def rows_of_cards(width: int) -> str:
    return "".join(f"<div class=row>{cards(k, min(k + width, 10))}</div>" for k in range(0, 10, width))


def with_headings() -> str:
    return "".join(f"<h2>{name}</h2>{cards(k, k + 5)}" for k, name in ((0, "Monday"), (5, "Tuesday")))


PAGER = "<div class=card><a href=/2>2</a> <a href=/3>3</a></div>"
TABLE_HEAD = "<tr class=head><td>No.</td><td>Tree</td><td>What is said of it</td></tr>"
TABLE_FOOT = "<tr><td colspan=3><a href=/2>Next</a></td></tr>"
INNER = (
    "<dt>{link}</dt><dd>{about}</dd>",
    "<tr><td><b>{link}</b></td></tr><tr><td>{about}</td></tr><tr><td>No. {k} of the book</td></tr>",
)

POST = (
    '<div class="{sort}"><div class=by><img src=a.png><a href=/u/{k}>Ann</a> <time>{k} May</time></div>'
    "<div><h3>{link}</h3><p>{about}</p></div><ul><li><a href=/r/{k}>Report</a></li></ul></div>"
)


def question_and_answers() -> str:
    posts = [
        POST.format(sort="answer" if k else "question", k=k, link=link(k), about=ABOUT[k]) for k in range(len(ABOUT))
    ]
    return f"<div>{posts[0]}<div class=answers>{''.join(posts[1:])}</div></div>"


LAYOUTS = {
    "siblings without a wrapper": f"<div>{lines('<h3>{link}</h3><p>{about}</p><p>No. {k} of the book</p>')}</div>",
    "terms and what is said of them": f"<dl>{lines(INNER[0])}</dl>",
    "three rows of a table each": f"<table>{lines(INNER[1])}</table>",
    "two columns": f"<div>{two_columns()}</div>",
    "grid of three": f"<div>{rows_of_cards(3)}</div>",
    "headings in between": f"<div>{with_headings()}</div>",
    "the first before the element that holds the others": f"<div>{cards(0, 1)}<div>{cards(1, 10)}</div></div>",
    "sponsored ones wrapped together": f"<div><div class=x7>{cards(0, 2)}</div>{cards(2, 10)}</div>",
    "one of another class": f"<div>{cards(0, 1, 'pinned')}{cards(1, 10)}</div>",
    "a question before its answers": question_and_answers(),
    "a table with a head": f"<table>{TABLE_HEAD}{lines(ONE_ROW)}</table>",
    "a table with a pager": f"<table>{lines(ONE_ROW)}{TABLE_FOOT}</table>",
    "a pager of the same class": f"<div>{cards(0, 10)}{PAGER}</div>",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_cut_into_its_records(layout: str) -> None:
    texts = [record.text for record in find_static(parse(HEAD + LAYOUTS[layout] + FOOT)).records]
    assert len(texts) == 10
    for text, about in zip(texts, ABOUT, strict=True):
        assert [each for each in ABOUT if each in text] == [about]


def test_several_lists_have_columns_of_their_own() -> None:
    books = "".join(f"<li><a href=/b/{k}>Book {k}</a> <em class=author>{ABOUT[k]}</em></li>" for k in range(6))
    found = find_static(parse(f"{HEAD}<div>{cards(0, 10)}</div><div><h2>Books</h2><ol>{books}</ol></div>{FOOT}"))
    assert "price" in [column.name for column in found.columns]
    (others,) = (region for region in found.regions if region.records[0].text.startswith("Book 0"))
    names = [column.name for column in others.columns]
    assert "author" in names
    assert "price" not in names


# Threads


def post(k: int, answers: str = "") -> str:
    """A post of a thread and the answers to it."""
    return (
        f'<li class="comment"><div class=by><a href=/u/{k}>Ann{k}</a> <time>{k + 1} May</time></div>'
        f"<p>{ABOUT[k]}</p>{f'<ul class=children>{answers}</ul>' if answers else ''}</li>"
    )


NESTED = f"<ol>{post(0)}{post(1, post(2, post(3)) + post(4))}{post(5)}{post(6, post(7))}{post(8)}{post(9)}</ol>"
PARENTS = [None, None, 1, 2, 1, None, None, 6, None, None]
DEPTHS = [0, 0, 1, 2, 1, 0, 0, 1, 0, 0]


def thread(html: str) -> Records:
    return find_static(parse(HEAD + html + FOOT))


def test_answers_are_records_of_their_own() -> None:
    found = thread(NESTED)
    assert [[about in record.text for about in ABOUT].index(True) for record in found.records] == list(range(10))
    assert [sum(about in record.text for about in ABOUT) for record in found.records] == [1] * 10
    assert [record.parent for record in found.records] == PARENTS
    assert [record.depth for record in found.records] == DEPTHS
    assert [row["depth"] for row in found.as_dict()["records"]] == DEPTHS


def test_posts_with_and_without_answers_have_the_same_columns() -> None:
    rows = thread(NESTED).to_rows()
    assert all(None not in row.values() for row in rows)


FLAT = {
    "a class": "<div class='comment depth-{depth}'><b>Ann{k}</b><p>{about}</p></div>",
    "an attribute": "<div class=comment data-level={depth}><b>Ann{k}</b><p>{about}</p></div>",
    "a cell": "<div class=comment><i indent={depth}></i><b>Ann{k}</b><p>{about}</p></div>",
    "a margin": "<div class=comment style='margin-left: {margin}px'><b>Ann{k}</b><p>{about}</p></div>",
}


@pytest.mark.parametrize("how", FLAT)
def test_a_stated_depth_tells_what_a_post_answers(how: str) -> None:
    posts = (FLAT[how].format(depth=DEPTHS[k], margin=24 * DEPTHS[k], k=k, about=ABOUT[k]) for k in range(10))
    found = thread(f"<div>{''.join(posts)}</div>")
    assert [record.parent for record in found.records] == PARENTS
    assert [record.depth for record in found.records] == DEPTHS


@pytest.mark.parametrize("levels", [[1, 0, 2, 0, 1, 2, 0, 1, 1, 0], [0, 2, 1, 0, 2, 1, 0, 2, 1, 0]])
def test_numbers_that_are_no_depths_tell_nothing(levels: list[int]) -> None:
    posts = (FLAT["a class"].format(depth=levels[k], k=k, about=ABOUT[k]) for k in range(10))
    assert {record.parent for record in thread(f"<div>{''.join(posts)}</div>").records} == {None}


def test_a_list_in_every_record_is_a_part_of_it() -> None:
    inner = "<ul><li>tall</li><li>green</li></ul>"
    found = thread(f"<ol>{lines(LI.replace('</li>', inner + '</li>'))}</ol>")
    assert len(found) == 10
    assert {record.parent for record in found.records} == {None}


def test_what_a_record_wraps_is_no_answer() -> None:
    """An element of the records' class that holds all of a record is the record."""
    found = thread(f"<div>{lines(DIV, 8)}{''.join(f'<div class=item>{DIV}</div>' for _ in range(2))}</div>")
    assert {record.parent for record in found.records} == {None}


def test_a_row_of_the_page_is_in_one_record_or_none() -> None:
    page: Page = parse(HEAD + NESTED.replace("</ul></li>", "</ul><p>Answer to this post</p></li>") + FOOT)
    found = find_static(page)
    rows = [row for record in found.records for root in record.rows for row in range(root, int(page.end[root]))]
    assert len(rows) == len(set(rows))
    assert [node.text for node in found.noise] == ["Answer to this post"] * 3
