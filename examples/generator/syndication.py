"""The feeds, sitemaps and the robots.txt of the example site.

Their links are relative, which the formats allow or readers put up with: the site works under any host.
"""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass

from .articles import Article
from .markup import attr, lines, link, text
from .news_en import FEED as RSS
from .news_en import JSON_FEED
from .news_zh import FEED as ATOM

INDEX = "sitemap_index.xml"
PACKED = "sitemap-en.xml.gz"
PLAIN = "sitemap-zh.xml"
NEWS = "news-sitemap.xml"
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
STORED_BLOCK = 0xFFFF  # bytes of a block that is not compressed, at most
ROBOTS = f"""User-agent: *
Disallow: /en/account
Disallow: /shop/basket

Sitemap: /{INDEX}
"""


@dataclass(frozen=True)
class Channel:
    """What a news site publishes: its articles by their paths, newest first, and its catalogues."""

    language: str
    title: str
    articles: list[tuple[str, Article]]
    catalogues: list[str]


def write_all(channels: list[Channel]) -> dict[str, bytes]:
    """Return the files by their paths in the site folder."""
    english, chinese = channels
    files = {
        RSS: write_rss(english),
        JSON_FEED: write_json(english),
        ATOM: write_atom(chinese),
        PLAIN: write_sitemap(chinese),
        NEWS: write_news(channels),
        INDEX: write_index(english),
        "robots.txt": ROBOTS,
    }
    encoded = {path: content.encode() for path, content in files.items()}
    return encoded | {PACKED: packed(write_sitemap(english).encode())}


def write_rss(channel: Channel) -> str:
    """Write RSS 2.0: titles escaped or in CDATA, summaries as markup, identifiers that are no links."""
    items = []
    for number, (path, article) in enumerate(channel.articles):
        title = f"<![CDATA[{article.title}]]>" if number % 2 else text(article.title)
        items.append(
            f"<item><title>{title}</title><link>{link(RSS, path)}</link>"
            f'<guid isPermaLink="false">wexley-{article.id}</guid><pubDate>{rfc_822(article)}</pubDate>'
            f"<description>{text(f'<p>{text(article.long)}.</p>')}</description></item>"
        )
    opening = '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">'
    head = f"<title>{text(channel.title)}</title><link>index.html</link><description>News</description>"
    own = '<atom:link rel="self" type="application/rss+xml" href="feed.xml"/>'
    return lines([DECLARATION, opening, f"<channel>{head}{own}", *items, "</channel></rss>"]) + "\n"


def write_atom(channel: Channel) -> str:
    """Write Atom, its links relative to an `xml:base`."""
    entries = [
        f'<entry><title>{text(article.title)}</title><link href="{attr(link(ATOM, path))}"/>'
        f"<id>urn:x-jiangan:{article.id}</id><published>{moment(article)}</published>"
        f"<updated>{changed(article)}</updated><summary>{text(article.long)}</summary></entry>"
        for path, article in channel.articles
    ]
    opening = '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="zh" xml:base="./">'
    head = f'<title>{text(channel.title)}</title><id>urn:x-jiangan:feed</id><link rel="self" href="atom.xml"/>'
    updated = f"<updated>{changed(channel.articles[0][1])}</updated>"
    return lines([DECLARATION, opening, head + updated, *entries, "</feed>"]) + "\n"


def write_json(channel: Channel) -> str:
    """Write JSON Feed 1.1."""
    items = [
        {
            "id": article.id,
            "url": link(JSON_FEED, path),
            "title": article.title,
            "summary": article.long,
            "date_published": moment(article),
            "date_modified": changed(article),
        }
        for path, article in channel.articles
    ]
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": channel.title,
        "home_page_url": "index.html",
        "items": items,
    }
    return json.dumps(feed, ensure_ascii=False, indent=1) + "\n"


def write_sitemap(channel: Channel) -> str:
    """Write the sitemap of a news site: catalogues and articles."""
    pages = [f"<url><loc>/{path}</loc></url>" for path in channel.catalogues]
    pages += [
        f"<url><loc>/{path}</loc><lastmod>{changed(article)}</lastmod></url>" for path, article in channel.articles
    ]
    return lines([DECLARATION, f'<urlset xmlns="{SITEMAP}">', *pages, "</urlset>"]) + "\n"


def write_news(channels: list[Channel]) -> str:
    """Write the news sitemap: the newest articles of both sites."""
    items = [
        f"<url><loc>/{path}</loc><news:news><news:publication><news:name>{text(channel.title)}</news:name>"
        f"<news:language>{channel.language}</news:language></news:publication>"
        f"<news:publication_date>{moment(article)}</news:publication_date>"
        f"<news:title>{text(article.title)}</news:title></news:news></url>"
        for channel in channels
        for path, article in channel.articles[:5]
    ]
    spaces = f'xmlns="{SITEMAP}" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
    return lines([DECLARATION, f"<urlset {spaces}>", *items, "</urlset>"]) + "\n"


def write_index(channel: Channel) -> str:
    """Write the index of the sitemaps."""
    latest = changed(channel.articles[0][1])
    maps = [f"<sitemap><loc>/{path}</loc><lastmod>{latest}</lastmod></sitemap>" for path in (PACKED, PLAIN, NEWS)]
    return lines([DECLARATION, f'<sitemapindex xmlns="{SITEMAP}">', *maps, "</sitemapindex>"]) + "\n"


def packed(content: bytes) -> bytes:
    """Return content as gzip in blocks that are not compressed: what compressors write differs between versions."""
    blocks = [content[start : start + STORED_BLOCK] for start in range(0, len(content), STORED_BLOCK)]
    stored = b"".join(
        struct.pack("<BHH", number == len(blocks), len(block), len(block) ^ 0xFFFF) + block
        for number, block in enumerate(blocks, 1)
    )
    header = b"\x1f\x8b\x08" + bytes(6) + b"\xff"
    return header + stored + struct.pack("<II", zlib.crc32(content), len(content))


def moment(article: Article) -> str:
    """Return when an article was published."""
    return f"{article.published:%Y-%m-%dT%H:%M}:00Z"


def changed(article: Article) -> str:
    """Return when an article was last changed."""
    return f"{article.updated:%Y-%m-%dT%H:%M}:00Z"


def rfc_822(article: Article) -> str:
    """Return when an article was published, as RSS has it; strftime would depend on the locale."""
    days, months = "Mon Tue Wed Thu Fri Sat Sun".split(), "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    at = article.published
    return f"{days[at.weekday()]}, {at.day:02d} {months[at.month - 1]} {at.year} {at:%H:%M}:00 GMT"
