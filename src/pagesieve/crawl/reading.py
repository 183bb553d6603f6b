"""What a crawl reads from one answer of a server: the result of a page, and the addresses that it leads to.

This runs in the page process (`child`), so that no page, feed or sitemap can harm the crawl.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from pagesieve import api
from pagesieve.article import ArticleOptions
from pagesieve.articles.kind import kind as page_kind
from pagesieve.child import About, Rejected
from pagesieve.children import Children
from pagesieve.crawl.discovery import linked_feeds, what_is
from pagesieve.crawl.feeds import read_feed
from pagesieve.crawl.learning import Learner
from pagesieve.crawl.options import CrawlOptions
from pagesieve.crawl.sitemaps import read_sitemap
from pagesieve.crawl.store import Found
from pagesieve.errors import BadFeed, NothingFound
from pagesieve.headlines.catalogue import Catalogue, find_catalogue
from pagesieve.headlines.headline import find_headline
from pagesieve.headlines.judgement import is_front
from pagesieve.joining import join
from pagesieve.page.stated import base_url, canonical_url, refresh_url
from pagesieve.page.static import PageSource, parse
from pagesieve.page.table import Page
from pagesieve.records.find import find_static
from pagesieve.records.keys import record_keys
from pagesieve.records.results import Records
from pagesieve.records.schema import Schema
from pagesieve.records.typed_table import typed_table
from pagesieve.text.urls import absolute, host_of, key

Reading = dict[str, Any]
LISTS = ("start", "list")  # roles of pages that lead to others
MEASURES = ("price", "rating", "number")  # types of columns that lists of articles do not have
MOST_SECTIONS = 60  # of a front page
MOST_MOVED = 500  # characters of a page that only leads to another


class Reader:
    """Reads answers; a Maker of the page process. Library and schema are opened once."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.bodies: list[str] = options["bodies"]
        self.follow: bool = options["follow"]
        self.sites = None if options["sites"] is None else api.open_sites(options["sites"])
        self.schema = None if options["schema"] is None else Schema.load(options["schema"])
        self.learner = None if self.sites is None else Learner(self.sites)

    def answer(self, data: bytes, about: About) -> Reading:
        """Read an answer, given its url, content type, role and titles, or the parts of an article. Raises Rejected."""
        if not data.strip():
            raise Rejected("empty")
        url, role = about["url"], about.get("role", "page")
        if "sizes" in about:
            return self._joined(data, about)
        if about.get("rendered"):  # pickled by the crawl itself
            return self._page(pickle.loads(data), about)
        what = what_is(data, about.get("content_type"))
        if what == "other":
            raise Rejected(f"not a page: {about.get('content_type') or 'neither a page nor a feed'}")
        try:
            if what == "feed":
                return _of_feed(data, url)
            if what == "sitemap":
                return _of_sitemap(data, url)
        except BadFeed as error:
            raise Rejected(f"a broken {what}: {error}") from error
        if role in ("feed", "sitemap"):
            raise Rejected(f"not a {role}")
        return self._page(parse(data, url, content_type=about.get("content_type")), about)

    def _page(self, page: Page, about: About) -> Reading:
        """Read a page: its result by its kind, and where it leads to."""
        role, url = about.get("role", "page"), about["url"]
        reading: Reading = {"kind": page_kind(page), "row": None, "found": [], "canonical": _canonical(page, url)}
        reading["chars"] = int(page.text_chars[0]) if len(page) else 0  # of the page, unless there is an answer
        if reading["chars"] < MOST_MOVED and (moved := _refresh(page, url)):
            return reading | {"kind": "other", "moved": moved}
        if self.learner is not None and not about.get("warming"):
            reading |= self.learner.learn(url, page)
        is_site = role == "start" and is_front(url)
        if role in LISTS or reading["kind"] in ("catalogue", "records"):
            self._lead(reading, page, url, role)
        if reading["kind"] == "records":
            if not is_front(url):
                self._table(reading, page, about)
            if role == "page" and reading["row"] is not None:
                reading["found"] = []  # the pages that a table names are details of its own
        elif reading["kind"] != "catalogue" and not is_site and role != "list":
            self._article(reading, page, about)
        if role == "page" and reading["row"] is None and not reading["found"]:
            raise NothingFound(f"a page of kind {reading['kind']}")
        return reading

    def _lead(self, reading: Reading, page: Page, url: str, role: str) -> None:
        """Add the addresses that a list leads to: articles, its next page; on a front page also feeds and sections."""
        catalogue = find_catalogue(page, url)
        if catalogue.next_url is not None:
            reading["next"] = catalogue.next_url
        if reading["kind"] == "article" and not is_front(url):
            return
        links = catalogue.all_links if role in LISTS else catalogue.links
        reading["found"] += _described(Found(link.url, "page", link.titles) for link in links)
        if role == "start" and is_front(url):
            reading["feeds"] = list(linked_feeds(page))
            reading["sections"] = _sections(catalogue, url)

    def _article(self, reading: Reading, page: Page, about: About) -> None:
        try:
            found = api.find_article(
                PageSource(page), ArticleOptions(), sites=self.sites, external=tuple(about.get("titles", ()))
            )
        except NothingFound:
            return
        reading["row"] = found.as_dict(self.bodies) | {"url": about["url"], "fetched": about.get("fetched")}
        reading["chars"] = len(found.text)
        if self.follow:
            reading["part"] = found.next_part(about["url"])

    def _table(self, reading: Reading, page: Page, about: About) -> None:
        try:
            found = api.with_columns(find_static(page), self.schema, self.sites)
        except NothingFound as error:
            if self.schema is not None:
                reading["drift"] = [str(error)]
            return
        if _is_list_of_pages(found, reading["found"]):
            return
        columns, rows = typed_table(found)
        reading["row"] = {
            "url": page.url,
            "kind": "records",
            "title": find_headline(page),
            "fetched": about.get("fetched"),
            "columns": [column._asdict() for column in columns],
            "records": rows,
            "keys": record_keys(found),
            "notes": list(found.notes),
        }
        reading["drift"] = list(found.drift)
        reading["chars"] = sum(len(record.text) for record in found.records)

    def _joined(self, data: bytes, about: About) -> Reading:
        """Join the pages of an article, which come one after another, with their sizes and addresses."""
        at, pages = 0, []
        for size, url, content_type in zip(about["sizes"], about["urls"], about["content_types"], strict=True):
            pages.append(parse(data[at : at + size], url, content_type=content_type))
            at += size
        articles = [
            api.find_article(PageSource(page), ArticleOptions(), sites=self.sites, external=about["titles"])
            for page in pages
        ]
        joined = join(articles, parts=about["urls"])
        own = {"url": about["urls"][0], "fetched": about.get("fetched")}
        return {"kind": "article", "row": joined.as_dict(self.bodies) | own}


READER = f"{Reader.__module__}:{Reader.__name__}"


def reading_children(options: CrawlOptions) -> Children:
    """Return the page processes of a crawl."""
    reader = {
        "bodies": list(options.bodies),
        "follow": options.follow,
        "sites": options.sites,
        "schema": options.schema,
    }
    return Children(READER, reader, options.limits, options.workers)


def _is_list_of_pages(found: Records, links: list[dict[str, Any]]) -> bool:
    """Whether the records are the pages that the crawl goes on to, and say nothing of them that these would not."""
    followed = {link["url"] for link in links}
    if not followed or any(column.type in MEASURES for column in found.columns):
        return False
    home = host_of(found.url or "")
    linked = [{item.link for item in record.items if item.link} for record in found.records]
    leading = [links & followed for links in linked if any(host_of(link) == home for link in links)]
    return 2 * sum(map(bool, leading)) >= len(leading)


def _of_feed(data: bytes, url: str) -> Reading:
    feed = read_feed(data, url)
    found = (
        Found(entry.url, "page", (entry.title,) if entry.title else (), entry.updated or entry.date)
        for entry in feed.entries
    )
    return {"kind": "feed", "row": None, "found": _described(found), "next": feed.next_url}


def _of_sitemap(data: bytes, url: str) -> Reading:
    sitemap = read_sitemap(data, url)
    pages = (
        Found(page.url, "page", (page.title,) if page.title else (), page.lastmod or page.date)
        for page in sitemap.pages
    )
    others = (Found(other.url, "sitemap", (), other.lastmod) for other in sitemap.sitemaps)
    return {"kind": "sitemap", "row": None, "found": _described((*pages, *others))}


def _described(found: Iterable[Found]) -> list[dict[str, Any]]:
    return [asdict(each) for each in found]


def _canonical(page: Page, url: str) -> str | None:
    """Return the address that a page calls its own, where it is another one of the same host."""
    stated = canonical_url(page)
    address = absolute(stated, url) if stated else None
    if address is None or address == url or is_front(address) or host_of(address) != host_of(url):
        return None
    return address


def _refresh(page: Page, url: str) -> str | None:
    """Return the address that a page goes on to by itself, where it is another one."""
    stated = refresh_url(page)
    address = absolute(stated, base_url(page) or url) if stated else None
    return None if address is None or key(address) == key(url) else address


def _sections(catalogue: Catalogue, url: str) -> list[str]:
    """Return the addresses of a front page that may be lists of articles as well."""
    home = host_of(url)
    return [address for address in catalogue.other_links if host_of(address) == home][:MOST_SECTIONS]
