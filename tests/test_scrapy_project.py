"""Pagesieve in Scrapy projects: the examples of the docs, and other uses, in real crawls of the example site."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pagesieve
from tests.site_server import SiteServer

pytest.importorskip("scrapy")

ROOT = Path(__file__).parent.parent
DOCS = (ROOT / "docs" / "integrations.md").read_text("utf-8")
GOLD = [json.loads(line) for line in (ROOT / "examples" / "gold.jsonl").read_text("utf-8").splitlines()]
LISTED = re.findall(
    r'<h\d[^>]*><a href="([^"]+)"', (ROOT / "examples" / "site" / "en" / "index.html").read_text("utf-8")
)
TITLES = {row["id"]: row["title"] for row in GOLD if row["id"].removeprefix("en/") in LISTED}
PIPELINE = '"ITEM_PIPELINES": {"pagesieve.integrations.scrapy.ArticlePipeline": 100}'
SEAL = "en/2024/05/seal-closes-pool-4181077.html"


class Scraped:
    """What a crawl by Scrapy's own command brought."""

    def __init__(self, spider: str, folder: Path) -> None:
        (folder / "spider.py").write_text(spider, "utf-8")
        command = [sys.executable, "-W", "error::DeprecationWarning:pagesieve", "-m", "scrapy", "runspider"]
        done = subprocess.run(
            [*command, "spider.py", "-O", "out.jsonl"], cwd=folder, capture_output=True, text=True, timeout=120
        )
        self.log = done.stderr
        assert "Traceback" not in self.log, self.log
        lines = (folder / "out.jsonl").read_text("utf-8").splitlines()
        self.items: list[dict[str, Any]] = [json.loads(line) for line in lines]

    def count(self, what: str) -> int:
        """Return one of Scrapy's statistics."""
        found = re.search(rf"'{what}': (\d+)", self.log)
        return int(found[1]) if found else 0


def examples(heading: str) -> list[str]:
    """Return the examples of a section of the docs."""
    section = DOCS.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)


def spider(server: SiteServer, settings: str, body: str, *, before: str = "", path: str = SEAL) -> str:
    """Return the source of a spider that starts at one page; `body` is that of its callback."""
    return (
        f"import scrapy\n{before}\nclass Pages(scrapy.Spider):\n    name = 'pages'\n"
        f"    start_urls = ['{server.url}{path}']\n    custom_settings = {{{settings}}}\n"
        f"    async def parse(self, response):\n        {body}\n"
    )


def by_path(items: list[dict[str, Any]], server: SiteServer) -> dict[str, dict[str, Any]]:
    found = {item["url"].removeprefix(server.url): item for item in items}
    assert len(found) == len(items)
    return found


# The pipeline


def test_the_example_of_the_pipeline(site_server: SiteServer, tmp_path: Path) -> None:
    (example,) = examples("Scrapy")
    scraped = Scraped(example.replace("https://example.org/", f"{site_server.url}en/index.html"), tmp_path)
    found = by_path(scraped.items, site_server)
    assert {path: item["title"] for path, item in found.items()} == TITLES
    assert scraped.count("pagesieve/articles") == len(TITLES)
    seal = found[SEAL]
    html = (ROOT / "examples" / "site" / SEAL).read_bytes()
    expected = pagesieve.article(html, url=seal["url"], external=tuple(seal["titles"])).as_dict(["text"])
    assert {name: seal[name] for name in ("text", "authors", "published")} == {
        name: expected[name] for name in ("text", "authors", "published")
    }
    assert not {"response", "markdown", "found", "posts"} & set(seal)


def test_declared_items_get_what_they_declare(site_server: SiteServer, tmp_path: Path) -> None:
    before = (
        "from dataclasses import dataclass\nimport attrs\n"
        "class One(scrapy.Item):\n    response, title, kind = scrapy.Field(), scrapy.Field(), scrapy.Field()\n"
        "@dataclass\nclass Two:\n    response: object\n    title: str = 'set before'\n    html: str | None = None\n"
        "@attrs.define\nclass Three:\n    response: object\n    markdown: str | None = None\n"
    )
    body = "yield One(response=response)\n        yield Two(response)\n        yield Three(response)"
    settings = f'{PIPELINE}, "PAGESIEVE_BODIES": "text, markdown, html"'
    one, two, three = Scraped(spider(site_server, settings, body, before=before), tmp_path).items
    assert one == {"title": TITLES[SEAL], "kind": "article"}
    assert two["title"] == "set before"
    assert two["html"].startswith("<")
    assert "<nav" not in two["html"]
    assert three["markdown"].startswith("A young grey seal")


def test_html_and_url_in_place_of_a_response(site_server: SiteServer, tmp_path: Path) -> None:
    body = (
        "yield {'html': response.text, 'url': 'https://example.org/a'}\n        "
        "yield {'html': response.body, 'url': 'https://example.org/b'}\n        yield {'other': 1}"
    )
    drop_source = "def process_item(self, item):\n        return {k: v for k, v in item.items() if k != 'html'}"
    settings = f'{PIPELINE[:-1]}, WithoutSource: 200}}, "PAGESIEVE_OPTIONS": {{"favor": "recall"}}'
    source = spider(site_server, settings, body, before=f"class WithoutSource:\n    {drop_source}")
    one, two, other = Scraped(source, tmp_path).items
    assert one["url"] == "https://example.org/a"
    html = (ROOT / "examples" / "site" / SEAL).read_bytes()
    assert one["text"] == two["text"] == pagesieve.extract(html, favor="recall")
    assert other == {"other": 1}


@pytest.mark.parametrize("drops", [True, False])
def test_pages_without_an_article(drops: bool, site_server: SiteServer, tmp_path: Path) -> None:
    site_server.put("empty.html", "<p>Too little.")
    site_server.put("paper.pdf", b"%PDF-1.7 and so on")
    body = (
        "yield {'response': response, 'id': 1}\n        "
        "yield response.follow('/paper.pdf', callback=lambda response: iter([{'response': response, 'id': 2}]))"
    )
    scraped = Scraped(spider(site_server, f'{PIPELINE}, "PAGESIEVE_DROP": {drops}', body, path="empty.html"), tmp_path)
    assert sorted(item["id"] for item in scraped.items) == ([] if drops else [1, 2])
    assert scraped.count("pagesieve/without_article") == 2
    assert ("not a page but a PDF" in scraped.log) == drops


def test_a_site_library_learns_and_is_used(site_server: SiteServer, tmp_path: Path) -> None:
    (example,) = examples("Scrapy")
    setting = f'{{"PAGESIEVE_SITES": "{tmp_path}/sites.db", "ITEM_PIPELINES"'
    example = example.replace("https://example.org/", f"{site_server.url}en/index.html")
    Scraped(example.replace('{"ITEM_PIPELINES"', setting), tmp_path)
    with pagesieve.open_sites(tmp_path / "sites.db") as sites:
        assert [site.pages for site in sites.sites()] == [len(TITLES)]


def test_a_page_is_parsed_once() -> None:
    from scrapy.http import HtmlResponse

    from pagesieve.integrations.scrapy import read_page

    head = {"Content-Type": "text/html; charset=windows-1251"}
    response = HtmlResponse("https://example.org/", body="<p>Привет".encode("cp1251"), headers=head)
    assert read_page(response) is read_page(response)
    assert read_page(response).encoding == "cp1251"
    assert read_page(response).url == response.url
    assert read_page(response.replace(body=b"<p>x")) is not read_page(response)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"PAGESIEVE_BODIES": "text,pdf"}, "'pdf'"),
        ({"PAGESIEVE_OPTIONS": {"method": "guess"}}, "method is one of"),
    ],
)
def test_bad_settings_are_refused_at_the_start(settings: dict[str, Any], why: str) -> None:
    from scrapy.utils.test import get_crawler

    from pagesieve.integrations.scrapy import ArticlePipeline

    with pytest.raises(pagesieve.BadOption, match=why):
        ArticlePipeline.from_crawler(get_crawler(settings_dict=settings))


# The page object


def test_the_examples_of_the_page_object(site_server: SiteServer, tmp_path: Path) -> None:
    pytest.importorskip("scrapy_poet")
    first, second = examples("scrapy-poet and web-poet")
    first = first.replace("https://example.org/", f"{site_server.url}en/index.html")
    items = by_path(Scraped(first, tmp_path).items, site_server)
    assert {path: item["title"] for path, item in items.items()} == TITLES
    seal = items[SEAL]
    assert {"authors", "published", "text", "markdown"} <= set(seal)
    callback = "async def parse(self, response, page: StoryPage):\n        yield await page.to_item()"
    settings = '"ADDONS": {"scrapy_poet.Addon": 300}'
    source = spider(site_server, settings, "", before=second)
    (story,) = Scraped(re.sub(r"async def parse\(.*", callback, source, flags=re.DOTALL), tmp_path).items
    assert story == {"title": seal["title"], "text": story["text"], "words": len(story["text"].split())}
    assert story["text"].startswith("A young grey seal")


async def _items_of(body: bytes, **headers: str) -> dict[str, Any]:
    from web_poet import HttpResponse

    from pagesieve.integrations.web_poet import ArticlePage

    page = ArticlePage(HttpResponse("https://example.org/a", body, headers=headers))
    return await page.to_item()


def test_fields_are_all_facts_and_two_bodies() -> None:
    pytest.importorskip("web_poet")
    import asyncio

    from web_poet.fields import get_fields_dict

    from pagesieve.facts.fields import FACTS
    from pagesieve.integrations.web_poet import ArticlePage

    assert set(get_fields_dict(ArticlePage)) == {*FACTS, "text", "markdown"}
    paragraph = "<p>Тесто месят, складывают и ждут, пока оно не подойдёт; потом его пекут до коричневой корки.</p>"
    body = f"<title>Хлеб</title><article><h1>Хлеб</h1>{paragraph * 5}</article>".encode("cp1251")
    item = asyncio.run(_items_of(body, **{"Content-Type": "text/html; charset=windows-1251"}))
    assert (item["title"], item["url"]) == ("Хлеб", "https://example.org/a")
    assert item["text"].startswith("Тесто месят")
    with pytest.raises(pagesieve.NothingFound):
        asyncio.run(_items_of(b"<p>Nothing."))
    with pytest.raises(pagesieve.BadInput, match="PDF"):
        asyncio.run(_items_of(b"%PDF-1.7 and so on"))
