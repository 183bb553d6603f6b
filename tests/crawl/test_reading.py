"""What a crawl reads from one answer: results, and where it leads to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pagesieve.crawl.reading import Reader
from tests.crawl.hostile_site import article

SITE = Path(__file__).parents[2] / "examples" / "site"
OPTIONS: dict[str, Any] = {"bodies": ["text"], "follow": True, "sites": None, "schema": None}


def read(path: str, **about: Any) -> Any:
    url = f"https://news.example.org/{path}"
    return Reader(OPTIONS).answer((SITE / path).read_bytes(), {"url": url, "fetched": "2026-01-02", **about})


@pytest.mark.parametrize("path", ["en/index.html", "en/world/index.html"])
@pytest.mark.parametrize("role", ["start", "list", "page"])
def test_a_list_of_articles_is_no_table_however_it_was_found(path: str, role: str) -> None:
    reading = read(path, role=role)
    assert reading["row"] is None
    assert len(reading["links"]) >= 5


@pytest.mark.parametrize("role", ["start", "page"])
def test_a_table_of_products(role: str) -> None:
    reading = read("shop/grid.html", role=role)
    assert reading["row"]["kind"] == "records"
    assert reading["row"]["fetched"] == "2026-01-02"
    assert len(reading["row"]["records"]) == 24
    assert role != "page" or reading["links"] == []


def test_an_article_says_when_it_was_fetched() -> None:
    reading = read("en/2024/05/seal-closes-pool-4181077.html", titles=["Seal closes slow lane"])
    assert reading["row"]["fetched"] == "2026-01-02"
    assert reading["row"]["url"] == "https://news.example.org/en/2024/05/seal-closes-pool-4181077.html"


# Pages that go on by themselves

URL = "https://a.example/news/old"


@pytest.mark.parametrize(
    ("content", "moved"),
    [
        ("0; url=/new", "https://a.example/new"),
        ("0;URL='/new'", "https://a.example/new"),
        ("5, url = new", "https://a.example/news/new"),
        ("0; https://b.example/x", "https://b.example/x"),
        ("0; url=" + URL, None),
        ("0; url=" + URL + "#top", None),
        ("300", None),
        ("", None),
        ("0; url=", None),
        ("0; url=javascript:alert(1)", None),
        ("0; url=data:text/html,x", None),
        ("0; url=http://[", None),
        (" " * 1_000_000, None),
    ],
)
def test_pages_that_go_on_by_themselves(content: str, moved: str | None) -> None:
    page = f'<title>Moved</title><meta http-equiv="Refresh" content="{content}"><p>This page has moved.'.encode()
    assert Reader(OPTIONS).answer(page, {"url": URL, "role": "start"}).get("moved") == moved


def test_a_page_with_a_text_of_its_own_stays() -> None:
    head = '<meta http-equiv=refresh content="600; url=/elsewhere">'
    reading: Any = Reader(OPTIONS).answer(article("A story that is read", head), {"url": URL})
    assert "moved" not in reading
    assert reading["row"]["title"] == "A story that is read"
