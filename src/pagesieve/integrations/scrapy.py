"""An item pipeline for Scrapy projects, and the page of a response: `pip install 'scrapy>=2.14'`."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import Response

from pagesieve.api import find_article, open_sites
from pagesieve.article import ArticleOptions, check_bodies
from pagesieve.crawl.learning import Learner
from pagesieve.errors import BadInput, NothingFound
from pagesieve.facts.fields import FACTS
from pagesieve.integrations.responses import parse_response
from pagesieve.page.static import PageSource
from pagesieve.page.table import Page
from pagesieve.text.urls import masked_url

if TYPE_CHECKING:
    from pagesieve.sites.library import Sites

# Names in the settings of a project
BODIES = "PAGESIEVE_BODIES"  # what articles are written as: text, markdown, html
OPTIONS = "PAGESIEVE_OPTIONS"  # a dict: options of `pagesieve.article`
SITES = "PAGESIEVE_SITES"  # a site library, which learns the pages and is used
DROP = "PAGESIEVE_DROP"  # whether items whose page holds no article are dropped

_PAGES: WeakKeyDictionary[Response, Page] = WeakKeyDictionary()


def read_page(response: Response) -> Page:
    """Return the page of a response, which all functions of Pagesieve take; callback and pipeline share one parse.

    Raises BadInput where the response is not a page.
    """
    if response not in _PAGES:
        declared = response.headers.get("Content-Type")
        content_type = declared.decode("latin-1") if declared else None
        _PAGES[response] = parse_response(response.body, response.url, content_type)
    return _PAGES[response]


class ArticlePipeline:
    """Fill items with the article of their page.

    An item has its page as `response`, which is taken out of it, or as `html` with its `url`; other items pass through.
    A dict gets all facts and the bodies of PAGESIEVE_BODIES; an item that declares its fields gets those of
    `Article.as_dict` that it declares. What the spider has set stays. `titles` of an item are what other pages call it.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._stats = crawler.stats
        self._bodies = [name.strip() for name in settings.getlist(BODIES, ["text"])]
        check_bodies(self._bodies)
        self._options = ArticleOptions(**settings.getdict(OPTIONS))
        self._drops = settings.getbool(DROP, True)
        self._library: str | None = settings.get(SITES)
        self._sites: Sites | None = None
        self._learner: Learner | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the pipeline of a crawl from its settings."""
        return cls(crawler)

    def open_spider(self) -> None:
        """Open the site library, if there is one."""
        if self._library:
            self._sites = open_sites(self._library)
            self._learner = Learner(self._sites)

    def close_spider(self) -> None:
        """Close the site library."""
        if self._sites is not None:
            self._sites.close()

    def process_item(self, item: Any) -> Any:
        """Fill an item. Raises DropItem where its page holds no article, unless such items are to be left."""
        adapter = ItemAdapter(item)
        url = _url(adapter)
        try:
            page = _take_page(adapter)
            if page is None:
                return item
            self._fill(adapter, page)
        except (NothingFound, BadInput) as error:
            self._count("without_article")
            if self._drops:
                raise DropItem(f"{masked_url(str(url))}: {error}") from error
        else:
            self._count("articles")
        return item

    def _fill(self, adapter: ItemAdapter, page: Page) -> None:
        if self._learner is not None and page.url is not None:
            self._learner.learn(page.url, page)
        titles = tuple(adapter.get("titles") or ())
        found = find_article(PageSource(page), self._options, sites=self._sites, external=titles)
        values = found.as_dict(self._bodies) | {"url": found.url}
        for name in adapter.field_names() if _is_declared(adapter) else (*FACTS, *self._bodies):
            if name in values and adapter.get(name) is None:
                adapter[name] = values[name]

    def _count(self, what: str) -> None:
        if self._stats is not None:
            self._stats.inc_value(f"pagesieve/{what}")


def _is_declared(adapter: ItemAdapter) -> bool:
    """Whether an item declares its fields, and takes no others."""
    return not isinstance(adapter.item, dict)


def _url(adapter: ItemAdapter) -> str | None:
    response = adapter.get("response")
    return response.url if isinstance(response, Response) else adapter.get("url")


def _take_page(adapter: ItemAdapter) -> Page | None:
    """Return the page of an item, without its response, which no exporter can write; None where it has no page."""
    response = adapter.get("response")
    if isinstance(response, Response):
        if isinstance(adapter.item, MutableMapping):
            del adapter["response"]
        else:
            adapter["response"] = None
        return read_page(response)
    html = adapter.get("html")
    return parse_response(html, adapter.get("url")) if isinstance(html, str | bytes) else None
