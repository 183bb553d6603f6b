"""The leaves of a page: which elements have text of their own, and how it is joined."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.sites.templates import Leaves, leaves


def listed(found: Leaves) -> list[tuple[str, str]]:
    return [(found.tag(k), found.text(k)) for k in range(len(found))]


CASES = [
    ("<p>a<b>c</b>d</p>", [("p", "a d"), ("b", "c")]),
    ("<p> a \n\t b </p>", [("p", "a b")]),
    ("<p>a&nbsp;&nbsp;b\u3000 c</p>", [("p", "a b c")]),
    ("<p>a<br>b<br> c</p>", [("p", "a b c")]),
    ("<p>one<!-- two -->three<!-- four --> five</p>", [("p", "onethree five")]),
    ("<p>a<script>no()</script>b</p>", [("p", "a b")]),
    ("<p>a<i> </i>b</p>", [("p", "a b")]),
    ("<div><p>x</p> <p>y</p></div>", [("p", "x"), ("p", "y")]),
    ("<div>a<div>b<div>c</div>d</div>e</div>", [("div", "a e"), ("div", "b d"), ("div", "c")]),
    ("<p hidden>no</p><style>no</style><p>&nbsp;</p>", []),
    ("<p>中国<em>新闻</em>网 😀 e\u0301</p>", [("p", "中国 网 😀 e\u0301"), ("em", "新闻")]),
    ("<my-tag>own</my-tag>", [("my-tag", "own")]),
    ("", []),
]


@pytest.mark.parametrize(("html", "expected"), CASES)
def test_leaves(html: str, expected: list[tuple[str, str]]) -> None:
    found = leaves(parse(html))
    assert listed(found) == expected
    assert found.chars.tolist() == [len(text) for _, text in expected]


def test_every_text_row_knows_its_leaf() -> None:
    page = parse("<div>a<p>b<i>c</i>d</p>e <script>f</script></div> <p>g</p>")
    found = leaves(page)
    assert [page.text(row).strip() for row in found.texts] == ["a", "b", "c", "d", "e", "g"]
    assert found.leaf_of_text.tolist() == [0, 1, 2, 1, 0, 3]
    assert found.rows.tolist() == sorted(found.rows.tolist())
    assert found.rows[found.leaf_of_text].tolist() == page.parent[found.texts].tolist()


def test_digests_are_the_same_on_every_page() -> None:
    one = leaves(parse("<own-a>x</own-a><own-b>x</own-b><p>same  text</p>"))
    two = leaves(parse("<p>more</p><own-b>x</own-b><div>same text</div><p>same\ntext</p>"))
    assert one.digests[1] == two.digests[1]
    assert one.digests[2] == two.digests[3]
    assert len({*one.digests.tolist(), *two.digests.tolist()}) == 5


INLINE = st.lists(st.sampled_from(["a", "中", "😀", " ", "\u3000", "<b>x</b>", "<!--c-->", "<i>", "</i>", "<br>"]))


@given(INLINE)
def test_a_leaf_is_made_of_the_texts_directly_inside(parts: list[str]) -> None:
    page = parse(f"<div>{''.join(parts)}</div>")
    found = leaves(page)
    seen = np.flatnonzero(page.chars > 0).tolist()
    assert found.texts.tolist() == seen
    assert found.rows.tolist() == sorted(set(page.parent[seen].tolist()))
    for k, row in enumerate(found.rows):
        own = "".join(page.text(text) for text in seen if page.parent[text] == row)
        assert found.text(k).replace(" ", "") == "".join(own.split())
        assert "  " not in found.text(k)
        assert found.text(k) == found.text(k).strip()


@given(st.binary(max_size=12))
def test_bytes_that_are_no_text_are_replaced(data: bytes) -> None:
    """A saved page may hold any bytes."""
    whole = parse("<p>x</p>")
    text_at = np.where(whole.text_at > 0, len(data), 0).astype(np.int32)
    page: Page = dataclasses.replace(whole, text_buffer=data, text_at=text_at)
    found = leaves(page)
    for k in range(len(found)):
        assert found.text(k)
        assert len(found.text(k)) == found.chars[k]


def test_a_page_of_many_leaves_and_deep_ones() -> None:
    assert len(leaves(parse("<p>x</p>" * 20_000))) == 20_000
    assert len(leaves(parse("<div>a" * 400 + "</div>b" * 400))) == 401
