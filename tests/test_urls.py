"""How alike two URLs are, and which site they belong to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagesieve.text import urls
from pagesieve.text.urls import similarity, site_key
from tests.growing import growth

NEWS = "http://example.org/news/2024/a.html"

ALIKE = [
    (NEWS, NEWS, (1, 1)),
    (NEWS, "http://example.org/news/2024/b.html", (1, 1)),  # another file name
    (NEWS, "http://example.org/news/2024/", (1, 1)),  # none
    (NEWS, "http://example.org/news/2024", (1 / 2, 1)),  # 2024 is a file here
    (NEWS, "http://example.org/news/2023/a.html", (1 / 2, 1)),
    (NEWS, "http://example.org/sport/2024/a.html", (0, 1)),  # equal from the root on, or not at all
    (NEWS, "http://example.org/news/2024/05/a.html", (2 / 3, 1)),
    (NEWS, "http://example.org/", (0, 1)),
    ("http://example.org/a", "http://example.org/b", (1, 1)),  # both in the root
    ("http://example.org", "http://example.org/", (1, 1)),
    ("http://example.org", "http://example.org?id=1", (1, 0)),
    ("http://example.org//news//a", "http://example.org/news/b", (1, 1)),
    ("http://example.org/News/a", "http://example.org/news/a", (0, 1)),  # a path's case counts
    ("http://example.org/a?id=1", "http://example.org/a?id=2", (1, 0)),
    ("http://example.org/a?id=1&c=news", "http://example.org/a?id=2&c=news", (1, 1 / 2)),
    ("http://example.org/a?c=news&id=1", "http://example.org/a?id=1&c=news", (1, 1)),  # in any order
    ("http://example.org/a?id=1&c=news&l=en", "http://example.org/a?id=2&c=news&l=en", (1, 2 / 3)),
    ("http://example.org/a?c=news", "http://example.org/a?c=news&p=2&q=3&r=4", (1, 1 / 4)),
    ("http://example.org/a?x=1&x=1", "http://example.org/a?x=1", (1, 1 / 2)),  # twice is not once
    ("http://example.org/a?x=1&x=1", "http://example.org/a?x=1&x=1", (1, 1)),
    ("http://example.org/a?x=", "http://example.org/a?x", (1, 1)),
    ("http://example.org/a?x=%C3%A4", "http://example.org/a?x=ä", (1, 1)),
    ("http://example.org/a?x=1#top", "http://example.org/b?x=1#end", (1, 1)),  # fragments are no part of it
    ("http://example.org/a#/x/y/z", "http://example.org/a", (1, 1)),
    ("HTTP://EXAMPLE.org/news/a", "http://example.ORG/news/b", (1, 1)),
    ("http://example.org:80/news/a", "http://example.org/news/b", (1, 1)),
    ("https://example.org:443/news/a", "https://example.org/news/b", (1, 1)),
    ("http://example.org./news/a", "http://example.org/news/b", (1, 1)),
    ("http://me:secret@example.org/news/a", "http://example.org/news/b", (1, 1)),
    ("http://bücher.example/a/b", "http://xn--bcher-kva.example/a/c", (1, 1)),
    ("http://例え.example/a/b", "http://xn--r8jz45g.example/a/c", (1, 1)),
    ("  http://example.org/news/a\n", "http://example.org/news/b", (1, 1)),
    ("http://[2001:db8::1]/news/a", "http://[2001:DB8::1]/news/b", (1, 1)),
]

UNLIKE = [
    (NEWS, "https://example.org/news/2024/a.html"),
    (NEWS, "http://example.com/news/2024/a.html"),
    (NEWS, "http://www.example.org/news/2024/a.html"),  # another host, though the same site
    (NEWS, "http://example.org:8080/news/2024/a.html"),
    (NEWS, "/news/2024/a.html"),
    (NEWS, "example.org/news/2024/a.html"),
    (NEWS, ""),
    ("", ""),
    ("http://[", "http://["),
    ("mailto:a@example.org", "mailto:a@example.org"),
]

KEYS = [
    ("http://example.org/news/a?b=c#d", "example.org"),
    ("https://example.org", "example.org"),
    ("//example.org/a", "example.org"),
    ("HTTPS://WWW.Example.ORG/", "example.org"),
    ("http://www.example.org./", "example.org"),
    ("http://wwwx.example.org/", "wwwx.example.org"),
    ("http://news.example.org/", "news.example.org"),
    ("http://example.org:80/", "example.org"),
    ("https://www.example.org:443/", "example.org"),
    ("http://example.org:8080/", "example.org:8080"),
    ("http://example.org:99999/", "example.org"),
    ("http://me:secret@example.org:8080/", "example.org:8080"),
    ("http://Bücher.example/", "xn--bcher-kva.example"),
    ("http://my_host/a", "my_host"),
    (f"http://{'ä' * 80}.example/", f"{'ä' * 80}.example"),  # no international name, but a name
    ("http://[2001:db8::1]:8080/", "2001:db8::1:8080"),
    ("", ""),
    ("no url", ""),
    ("/news/a", ""),
    ("file:///a/b", ""),
    ("http://[", ""),
]


@pytest.mark.parametrize(("one", "two", "expected"), ALIKE)
def test_urls_of_a_host_are_alike_by_directories_then_by_query(
    one: str, two: str, expected: tuple[float, float]
) -> None:
    assert similarity(one, two) == pytest.approx(expected)
    assert similarity(two, one) == similarity(one, two)


@pytest.mark.parametrize(("one", "two"), UNLIKE)
def test_urls_of_other_schemes_and_hosts_are_not_alike(one: str, two: str) -> None:
    assert similarity(one, two) == similarity(two, one) == (0, 0)


@pytest.mark.parametrize(("url", "key"), KEYS)
def test_the_site_of_a_url(url: str, key: str) -> None:
    assert site_key(url) == key


def test_the_path_decides_and_the_query_breaks_ties() -> None:
    page = "http://example.org/news/a?id=1&c=2"
    others = [
        "http://example.org/news/b?id=2&c=2",
        "http://example.org/news/b?id=3&c=3",
        "http://example.org/a?id=1&c=2",
        "http://example.com/news/a?id=1&c=2",
    ]
    assert sorted(others, key=lambda url: similarity(page, url), reverse=True) == others


PARTS = st.lists(st.sampled_from(["a", "b", "ä", "%20", "", "x=1", "?", "&", "/", "#", ":", "@", "[", "www."]))


@given(PARTS, PARTS)
def test_any_two_strings_have_a_similarity(one: list[str], two: list[str]) -> None:
    a, b = ("http://example.org/" + "".join(parts) for parts in (one, two))
    path, query = similarity(a, b)
    assert 0 <= path <= 1
    assert 0 <= query <= 1
    assert similarity(b, a) == (path, query)
    assert similarity(a, a) in ((1, 1), (0, 0))


@given(st.text())
def test_any_string_has_a_key_or_none(text: str) -> None:
    for url in (text, f"http://{text}"):
        key = site_key(url)
        assert key == key.lower()


def test_the_cost_of_a_query_grows_with_its_length() -> None:
    def compare(size: int) -> float:
        one, two = (f"http://example.org/?{'&'.join(f'a={k + shift}' for k in range(size))}" for shift in (0, 1))
        urls._parts.cache_clear()
        return similarity(one, two)[1]

    assert compare(20_000) == pytest.approx(19_999 / 20_000)
    assert growth(compare, 5_000) < 3
