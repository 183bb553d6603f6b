"""What a crawl reads from a response: the result of a page, and its links.

This runs in a page process (`workers.child`), so that no page, feed or sitemap can harm the crawl.
"""

from __future__ import annotations

import pickle
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple, Required, TypedDict, cast

import numpy as np

from pagesieve import api
from pagesieve.article import ArticleOptions
from pagesieve.crawl.discovery import body_kind, linked_feeds
from pagesieve.crawl.feeds import read_feed, read_sitemap
from pagesieve.crawl.job import CrawlOptions
from pagesieve.crawl.store import Link
from pagesieve.errors import BadFeed, NothingFound
from pagesieve.headlines.catalogue import Catalogue, find_catalogue
from pagesieve.headlines.headline import find_headline
from pagesieve.headlines.links import is_front
from pagesieve.joining import join
from pagesieve.kinds.kind import kind as page_kind
from pagesieve.page.stated import base_url, canonical_url, refresh_url
from pagesieve.page.static import PageSource, parse
from pagesieve.page.table import Page
from pagesieve.records.find import find_static
from pagesieve.records.outputs import record_keys, typed_table
from pagesieve.records.results import Records
from pagesieve.records.schema import Schema
from pagesieve.sites.templates import Templates, leaves
from pagesieve.text.urls import absolute, host_of, key, site_key
from pagesieve.workers.child import About, Children, Reason, Rejected

if TYPE_CHECKING:
    from pagesieve.sites.library import Sites


ENOUGH = 8  # pages of a site after which more pages hardly change what the library knows of it
ALL = 32  # the first pages of a site that are learnt; after them
EVERY = 16  # one of so many is
UNLIKE = 0.15  # a page with a smaller share of its site's templates does not look like the site
LAST = 5  # pages of a site that must all be unlike it


class Familiarity(TypedDict, total=False):
    """What a site library knows about the site of a page; empty without a library."""

    site_pages: int  # of the site
    fit: float | None  # the share of the site's templates that is on the page; None if there were few pages


class Learner:
    """Learns pages of sites as they come."""

    def __init__(self, sites: Sites) -> None:
        self._sites = sites
        self._pages: Counter[str] = Counter()
        self._snapshots: dict[str, _Snapshot] = {}  # by site, from its first page here

    def learn(self, url: str, page: Page) -> Familiarity:
        """Learn a page if it is one of those to be learnt; return what the library knows of its site.

        The templates are those from before the run, since the library learns a new design at once.
        """
        site = site_key(url)
        self._pages[site] += 1
        if self._pages[site] > ALL and self._pages[site] % EVERY:
            return {"site_pages": ALL, "fit": None}
        pages = len(self._sites.pages(url))
        if site not in self._snapshots or pages < self._snapshots[site].pages:  # the library forgot the site
            templates = self._sites.templates(url) if pages >= ENOUGH else None
            self._snapshots[site] = _Snapshot(pages, templates or None)
        fit = _fit(self._snapshots[site].templates, page)
        self._sites.learn([(url, page)])
        return {"site_pages": pages, "fit": fit}


class _Snapshot(NamedTuple):
    """What the library knew of a site before the run."""

    pages: int
    templates: Templates | None  # None if there were few pages


def _fit(templates: Templates | None, page: Page) -> float | None:
    if templates is None:
        return None
    weights = np.array([template.frequency for template in templates], dtype=np.float64)
    matches = templates.match(leaves(page))
    rows = np.unique(matches[matches >= 0])
    return float(weights[rows].sum() / weights.sum())


class Drift:
    """Notices that a site looks different, or that its lists no longer fit their schema, and says so once.

    A site that looks different is deleted from the library, which then learns it anew.
    """

    def __init__(self, options: CrawlOptions, say: Callable[[str], None]) -> None:
        self._options, self._say = options, say
        self._fits: dict[str, deque[float]] = {}
        self._notes: set[str] = set()

    def check(self, url: str, reading: Mapping[str, Any]) -> None:
        """Take what was read from a page."""
        site = site_key(url)
        fit = reading.get("fit")
        if fit is not None:
            fits = self._fits.setdefault(site, deque(maxlen=LAST))
            fits.append(fit)
            if len(fits) == LAST and max(fits) < UNLIKE:
                self._forget(site)
        for note in reading.get("drift", ()):
            if note not in self._notes:
                self._notes.add(note)
                self._say(f"{site}: {note}")

    def _forget(self, site: str) -> None:
        assert self._options.sites is not None
        del self._fits[site]
        with api.open_sites(self._options.sites) as sites:
            count = sites.forget(site)
        self._say(f"{site}: looks different from what was learnt; {count} pages of it are forgotten")


LIST_ROLES = ("start", "list")  # of pages that are read as lists
MEASURES = ("price", "rating", "number")  # types of columns that lists of articles do not have
MAX_SECTIONS = 60  # of a front page
MAX_MOVED = 500  # characters of a page that only leads to another


class Reading(Familiarity, total=False):
    """What is read from a response: the result of a page, and where it leads."""

    kind: Required[str]  # of the page; or feed, or sitemap
    row: Required[dict[str, Any] | None]  # the result
    chars: int  # of the page, or of its result
    canonical: str | None  # the canonical address, where it is another one of the host
    links: list[dict[str, Any]]  # the fields of Link
    next: str | None  # the next page of a list
    part: str | None  # the next page of an article
    moved: str  # where the page goes on by itself
    feeds: list[str]  # that a front page names
    sections: list[str]  # links of a front page that may lead to lists
    drift: list[str]  # how a list no longer fits its schema


class Reader:
    """Reads responses; a Maker of the page process. Library and schema are opened once."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.bodies: list[str] = options["bodies"]
        self.follow: bool = options["follow"]
        self.sites = None if options["sites"] is None else api.open_sites(options["sites"])
        self.schema = None if options["schema"] is None else Schema.load(options["schema"])
        self.learner = None if self.sites is None else Learner(self.sites)

    def answer(self, data: bytes, about: About) -> Reading:
        """Read a response, or the pages of an article one after another. Raises Rejected.

        `about` has the url, content type, role and titles of a response, and the sizes and urls of several pages.
        """
        if not data.strip():
            raise Rejected("empty")
        url, role = about["url"], about.get("role", "page")
        if "sizes" in about:
            return self._read_parts(data, about)
        if about.get("rendered"):  # the crawl itself has pickled it
            return self._read_page(pickle.loads(data), about)
        kind = body_kind(data, about.get("content_type"))
        if kind == "other":
            raise Rejected(f"not a page: {about.get('content_type') or 'neither a page nor a feed'}")
        try:
            if kind == "feed":
                return _read_feed(data, url)
            if kind == "sitemap":
                return _read_sitemap(data, url)
        except BadFeed as error:
            raise Rejected(f"a broken {kind}: {error}") from error
        if role in ("feed", "sitemap"):
            raise Rejected(f"not a {role}")
        return self._read_page(parse(data, url, content_type=about.get("content_type")), about)

    def _read_page(self, page: Page, about: About) -> Reading:
        """Read the result and the links of a page."""
        role, url = about.get("role", "page"), about["url"]
        reading: Reading = {"kind": page_kind(page), "row": None, "links": [], "canonical": _canonical(page, url)}
        reading["chars"] = int(page.text_chars[0]) if len(page) else 0  # of the page, unless it has a result
        if reading["chars"] < MAX_MOVED and (moved := _refresh(page, url)):
            return reading | {"kind": "other", "moved": moved}
        if self.learner is not None and not about.get("warming"):
            reading = {**reading, **self.learner.learn(url, page)}
        is_site = role == "start" and is_front(url)
        if role in LIST_ROLES or reading["kind"] in ("catalogue", "records"):
            self._add_links(reading, page, url, role)
        if reading["kind"] == "records":
            if not is_front(url):
                self._add_table(reading, page, about)
            if role == "page" and reading["row"] is not None:
                reading["links"] = []  # the pages that a table names are details of its own
        elif reading["kind"] != "catalogue" and not is_site and role != "list":
            self._add_article(reading, page, about)
        if role == "page" and reading["row"] is None and not reading["links"]:
            raise NothingFound(f"a page of kind {reading['kind']}")
        return reading

    def _add_links(self, reading: Reading, page: Page, url: str, role: str) -> None:
        """Add the links of a list: its articles and its next page; those of a front page to feeds and sections, too."""
        catalogue = find_catalogue(page, url)
        if catalogue.next_url is not None:
            reading["next"] = catalogue.next_url
        if reading["kind"] == "article" and not is_front(url):
            return
        links = catalogue.all_links if role in LIST_ROLES else catalogue.links
        reading["links"] += _fields(Link(link.url, "page", link.titles) for link in links)
        if role == "start" and is_front(url):
            reading["feeds"] = list(linked_feeds(page))
            reading["sections"] = _sections(catalogue, url)

    def _add_article(self, reading: Reading, page: Page, about: About) -> None:
        try:
            article = api.find_article(
                PageSource(page), ArticleOptions(), sites=self.sites, external=tuple(about.get("titles", ()))
            )
        except NothingFound:
            return
        reading["row"] = article.as_dict(self.bodies) | {"url": about["url"], "fetched": about.get("fetched")}
        reading["chars"] = len(article.text)
        if self.follow:
            reading["part"] = article.next_part(about["url"])

    def _add_table(self, reading: Reading, page: Page, about: About) -> None:
        try:
            records = api.with_columns(find_static(page), self.schema, self.sites)
        except NothingFound as error:
            if self.schema is not None:
                reading["drift"] = [str(error)]
            return
        if _is_list_of_pages(records, reading["links"]):
            return
        columns, rows = typed_table(records)
        reading["row"] = {
            "url": page.url,
            "kind": "records",
            "title": find_headline(page),
            "fetched": about.get("fetched"),
            "columns": [column._asdict() for column in columns],
            "records": rows,
            "keys": record_keys(records),
            "notes": list(records.notes),
        }
        reading["drift"] = list(records.drift)
        reading["chars"] = sum(len(record.text) for record in records.records)

    def _read_parts(self, data: bytes, about: About) -> Reading:
        """Join the pages of an article, which follow one another in `data`."""
        start, pages = 0, []
        for size, url, content_type in zip(about["sizes"], about["urls"], about["content_types"], strict=True):
            pages.append(parse(data[start : start + size], url, content_type=content_type))
            start += size
        articles = [
            api.find_article(PageSource(page), ArticleOptions(), sites=self.sites, external=about["titles"])
            for page in pages
        ]
        article = join(articles, parts=about["urls"])
        facts = {"url": about["urls"][0], "fetched": about.get("fetched")}
        return {"kind": "article", "row": article.as_dict(self.bodies) | facts}


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


async def read(children: Children, data: bytes, about: About) -> Reading | Reason:
    """Return what a page process reads from a response, or the reason for nothing. Raises RunStopped."""
    return cast("Reading | Reason", await children.answer(data, about))


def _is_list_of_pages(records: Records, links: list[dict[str, Any]]) -> bool:
    """Return whether records are links that the crawl follows, without facts that the pages would not have."""
    followed = {link["url"] for link in links}
    if not followed or any(column.type in MEASURES for column in records.columns):
        return False
    home = host_of(records.url or "")
    linked = [{item.link for item in record.items if item.link} for record in records.records]
    leading = [links & followed for links in linked if any(host_of(link) == home for link in links)]
    return 2 * sum(map(bool, leading)) >= len(leading)


def _read_feed(data: bytes, url: str) -> Reading:
    feed = read_feed(data, url)
    links = (
        Link(entry.url, "page", (entry.title,) if entry.title else (), entry.updated or entry.date)
        for entry in feed.entries
    )
    return {"kind": "feed", "row": None, "links": _fields(links), "next": feed.next_url}


def _read_sitemap(data: bytes, url: str) -> Reading:
    sitemap = read_sitemap(data, url)
    pages = (
        Link(page.url, "page", (page.title,) if page.title else (), page.lastmod or page.date) for page in sitemap.pages
    )
    others = (Link(other.url, "sitemap", (), other.lastmod) for other in sitemap.sitemaps)
    return {"kind": "sitemap", "row": None, "links": _fields((*pages, *others))}


def _fields(links: Iterable[Link]) -> list[dict[str, Any]]:
    return [asdict(link) for link in links]


def _canonical(page: Page, url: str) -> str | None:
    """Return the canonical address of a page, if it is another one of the same host."""
    href = canonical_url(page)
    address = absolute(href, url) if href else None
    if address is None or address == url or is_front(address) or host_of(address) != host_of(url):
        return None
    return address


def _refresh(page: Page, url: str) -> str | None:
    """Return the address to which a page forwards its readers, if it is another one."""
    href = refresh_url(page)
    address = absolute(href, base_url(page) or url) if href else None
    return None if address is None or key(address) == key(url) else address


def _sections(catalogue: Catalogue, url: str) -> list[str]:
    """Return links of a front page that may lead to lists of articles."""
    home = host_of(url)
    return [address for address in catalogue.other_links if host_of(address) == home][:MAX_SECTIONS]
