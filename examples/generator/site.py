"""Puts the example together: every file of it, as bytes, by its path."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from . import app, forum, news_en, news_zh, search, shop
from .articles import Article, read_articles
from .pictures import badge, landscape

PICTURE_SIZE = (780, 440)
AVATAR_SIZE = 64
PRODUCT_SIZE = 290


@dataclass(frozen=True)
class News:
    """What the two news sites have in common."""

    language: str
    articles: list[Article]
    path: Callable[[Article], str]
    url: Callable[[str], str]
    picture: Callable[[Article], str]
    charset: Callable[[Article], tuple[str, str]]
    detail: Callable[[Article, list[Article]], str]
    catalogues: dict[str, str]


def build() -> dict[str, bytes]:
    """Return every file of the example by its path below examples/."""
    sites = [english(), chinese()]
    files = {f"site/{path}": content for path, content in pages(sites).items()}
    files["gold.jsonl"] = json_lines([gold(site, article) for site in sites for article in site.articles])
    files["records.jsonl"] = json_lines(records())
    return files


def english() -> News:
    """Return the English news site."""
    found = read_articles("en")
    catalogues = {"en/index.html": news_en.home(found), "en/world/index.html": news_en.world(found)}
    return News("en", found, news_en.path, news_en.url, news_en.picture, news_en.charset, news_en.detail, catalogues)


def chinese() -> News:
    """Return the Chinese news site."""
    found = read_articles("zh")
    catalogues = {"zh/index.html": news_zh.home(found), "zh/shehui/index.html": news_zh.channel(found)}
    return News("zh", found, news_zh.path, news_zh.url, news_zh.picture, news_zh.charset, news_zh.detail, catalogues)


def pages(sites: list[News]) -> dict[str, bytes]:
    """Return the files of the site folder."""
    files = {search.PATH: search.write_page(), shop.PATH: shop.write_page(), app.PATH: app.write_page()}
    files |= {forum.path(page): forum.write_page(page) for page in range(1, len(forum.pages()) + 1)}
    files |= {
        f"{forum.TOP}/img/{forum.avatar(post.user)}": badge(post.user.name, AVATAR_SIZE) for post in forum.read_posts()
    }
    files |= {shop.picture(product): badge(product.name, PRODUCT_SIZE) for product in shop.PRODUCTS}
    for site in sites:
        files |= site.catalogues
        files |= {site.picture(article): landscape(article.name, *PICTURE_SIZE) for article in site.articles}
    encoded = {path: content.encode() + b"\n" for path, content in files.items()}
    return encoded | {site.path(article): stored(site, article) for site in sites for article in site.articles}


def stored(site: News, article: Article) -> bytes:
    """Return an article's page in the encoding it is stored in."""
    encoding = site.charset(article)[1]
    return (site.detail(article, site.articles) + "\n").encode(encoding)


def gold(site: News, article: Article) -> dict[str, Any]:
    """Return what an extractor should find on an article's page."""
    page = site.path(article)
    url = site.url(page)
    return {
        "id": page,
        "url": url,
        "site": urlsplit(url).hostname,
        "lang": site.language,
        "title": article.title,
        "text": article.text,
        "date": f"{article.published:%Y-%m-%d}",
        "author": article.author,
    }


def records() -> list[dict[str, Any]]:
    """Return what an extractor should find on the pages of records."""
    found = [
        record_page(forum.path(number), forum.url(number), "forum", [forum.fields(post) for post in posts])
        for number, posts in enumerate(forum.pages(), 1)
    ]
    found.append(record_page(search.PATH, search.URL, "search", [search.fields(hit) for hit in search.HITS]))
    found.append(record_page(shop.PATH, shop.URL, "product", [shop.fields(product) for product in shop.PRODUCTS]))
    return found


def record_page(path: str, url: str, kind: str, items: list[dict[str, str]]) -> dict[str, Any]:
    """Return one line of the records' gold."""
    found = [{"text": " ".join(fields.values()), "fields": fields} for fields in items]
    return {
        "id": path,
        "url": url,
        "site": urlsplit(url).hostname,
        "kind": kind,
        "lang": "en",
        "n_records": len(found),
        "records": found,
    }


def json_lines(rows: list[dict[str, Any]]) -> bytes:
    """Return rows as JSON, one a line."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
