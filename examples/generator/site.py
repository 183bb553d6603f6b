"""Puts the example together: every file of it, as bytes, by its path."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from . import app, forum, news_en, news_zh, search, shop, syndication
from .articles import Article, read_articles
from .pictures import badge, landscape

PICTURE_SIZE = (780, 440)
AVATAR_SIZE = 64
PRODUCT_SIZE = 290
NEIGHBOURS = {
    "zh/index.html": news_zh.NAME,
    forum.path(1): "The forum",
    search.PATH: "Search",
    shop.PATH: "The shop",
    app.PATH: "The naturalists’ notebook",
}


@dataclass(frozen=True)
class News:
    """What the two news sites have in common."""

    language: str
    articles: list[Article]
    more: list[Article]  # that only a crawl finds whole: over several pages, or built by a script
    path: Callable[[Article, int], str]
    url: Callable[[str], str]
    picture: Callable[[Article], str]
    charset: Callable[[Article], tuple[str, str]]
    detail: Callable[[Article, list[Article], int], str]
    catalogues: dict[str, str]


def build() -> dict[str, bytes]:
    """Return every file of the example by its path below examples/."""
    sites = [english(), chinese()]
    files = {f"site/{path}": content for path, content in pages(sites).items()}
    files["gold.jsonl"] = json_lines([gold(site, article) for site in sites for article in site.articles])
    files["crawl.jsonl"] = json_lines([crawled(site, article) for site in sites for article in site.more])
    files["records.jsonl"] = json_lines(records())
    return files


def english() -> News:
    """Return the English news site."""
    found, more = read_articles("en"), read_articles("en_more")
    listed = [each for each in found if each.section in ("world", "science")]
    catalogues = {
        "index.html": news_en.portal(found, NEIGHBOURS),
        "en/index.html": news_en.home(found),
        news_en.world_path(1): news_en.world(found, listed, 1),
        news_en.world_path(2): news_en.world(found, more, 2),
    }
    site = news_en
    return News("en", found, more, site.path, site.url, site.picture, site.charset, site.detail, catalogues)


def chinese() -> News:
    """Return the Chinese news site."""
    found, more = read_articles("zh"), read_articles("zh_more")
    listed = [each for each in found if each.section in ("shehui", "wenhua", "jiaoyu")]
    catalogues = {
        "zh/index.html": news_zh.home(found),
        news_zh.channel_path(1): news_zh.channel(found, listed, 1),
        news_zh.channel_path(2): news_zh.channel(found, more, 2),
    }
    site = news_zh
    return News("zh", found, more, site.path, site.url, site.picture, site.charset, site.detail, catalogues)


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
        files |= {site.picture(article): landscape(article.name, *PICTURE_SIZE) for article in everything(site)}
    for article in sites[0].more:
        if news_en.SCRIPT in article.dirt:
            files[news_en.script(article)] = news_en.write_script(article)
    encoded = {path: content.encode() + b"\n" for path, content in files.items()}
    encoded |= syndication.write_all([channel(site) for site in sites])
    return encoded | {
        path: stored(site, article, number)
        for site in sites
        for article in everything(site)
        for number, path in enumerate(paths(site, article), 1)
    }


def everything(site: News) -> list[Article]:
    """Return all articles of a site, those first that were always there."""
    return [*site.articles, *site.more]


def paths(site: News, article: Article) -> list[str]:
    """Return the pages of an article."""
    return [site.path(article, number) for number in range(1, len(article.parts) + 1)]


def channel(site: News) -> syndication.Channel:
    """Return what feeds and sitemaps say of a site: every article by its first page, and the catalogues."""
    news = sorted(everything(site), key=lambda article: article.published, reverse=True)
    title = {"en": news_en.NAME, "zh": news_zh.NAME}[site.language]
    return syndication.Channel(
        site.language, title, [(site.path(article, 1), article) for article in news], list(site.catalogues)
    )


def stored(site: News, article: Article, number: int) -> bytes:
    """Return a page of an article in the encoding it is stored in."""
    encoding = site.charset(article)[1]
    return (site.detail(article, site.articles, number) + "\n").encode(encoding)


def gold(site: News, article: Article) -> dict[str, Any]:
    """Return what an extractor should find on an article's page."""
    page = site.path(article, 1)
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


def crawled(site: News, article: Article) -> dict[str, Any]:
    """Return what a crawl should find of an article: its text joined, its pages, and whether it needs scripts."""
    pages = paths(site, article)
    return gold(site, article) | {
        "pages": pages,
        "urls": [site.url(page) for page in pages],
        "scripts": news_en.SCRIPT in article.dirt,
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
