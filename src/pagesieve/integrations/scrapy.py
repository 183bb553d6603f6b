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
from pagesieve.crawl.reading import Learner
from pagesieve.errors import BadInput, NothingFound
from pagesieve.facts.fields import FACTS
from pagesieve.integrations.responses import parse_response
from pagesieve.page.static import PageSource
from pagesieve.page.table import Page
from pagesieve.text.urls import masked_url

if TYPE_CHECKING:
    from pagesieve.sites.library import Sites

# The settings of a project
BODIES = "PAGESIEVE_BODIES"  # the formats of the body: text, markdown, html
OPTIONS = "PAGESIEVE_OPTIONS"  # a dict of options of `pagesieve.article`
SITES = "PAGESIEVE_SITES"  # a site library, which learns each page and then helps to extract it
DROP = "PAGESIEVE_DROP"  # whether to drop items whose page has no article

_PAGES: WeakKeyDictionary[Response, Page] = WeakKeyDictionary()


def read_page(response: Response) -> Page:
    """Return the page of a response, for all functions of Pagesieve. A response is parsed once.

    Raise BadInput if the response is not a page.
    """
    if response not in _PAGES:
        declared = response.headers.get("Content-Type")
        content_type = declared.decode("latin-1") if declared else None
        _PAGES[response] = parse_response(response.body, response.url, content_type)
    return _PAGES[response]


class ArticlePipeline:
    """Add the article of its page to each item.

    The page is the `response` of the item, which the pipeline removes, or its `html` with its `url`. Other items pass
    through unchanged. A dict gets all facts, and the body in the formats of PAGESIEVE_BODIES. An item that declares its
    fields gets those values of `Article.as_dict` for which it has a field. Values that the spider has set are kept.
    `titles` of an item are the titles that other pages give its page.
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
        """Create the pipeline from the settings of a crawl."""
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
        """Add the article to an item. Raise DropItem if its page has no article and PAGESIEVE_DROP is true."""
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
    """Whether an item declares its fields and accepts no others."""
    return not isinstance(adapter.item, dict)


def _url(adapter: ItemAdapter) -> str | None:
    response = adapter.get("response")
    return response.url if isinstance(response, Response) else adapter.get("url")


def _take_page(adapter: ItemAdapter) -> Page | None:
    """Return the page of an item, or None; remove its response, which no exporter can write."""
    response = adapter.get("response")
    if isinstance(response, Response):
        if isinstance(adapter.item, MutableMapping):
            del adapter["response"]
        else:
            adapter["response"] = None
        return read_page(response)
    html = adapter.get("html")
    return parse_response(html, adapter.get("url")) if isinstance(html, str | bytes) else None
