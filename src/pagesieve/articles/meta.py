"""The facts in a page's `meta` elements, under the many names that sites give them."""

from __future__ import annotations

import html
from collections.abc import Iterator

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID
from pagesieve.page.table import Page
from pagesieve.text.whitespace import fold

LONGEST_FACT = 1000  # characters: what is longer is no name, date or address
_LONGEST_VALUE = 4000  # bytes
_MOST_VALUES = 50  # of one name
_MOST_META = 1000  # elements; a page with more of them is up to something

# The surest first. Upper case and what stands between the words of a name do not count.
PUBLISHED = (
    *("article:published_time", "og:article:published_time", "og:published_time", "article:published"),
    *("datePublished", "parsely-pub-date", "sailthru.date", "cXenseParse:recs:publishtime"),
    *("shareaholic:article_published_time", "citation_publication_date", "citation_online_date", "citation_date"),
    *("prism.publicationDate", "DC.date.issued", "dcterms.issued", "DC.date.created", "dcterms.created", "DC.date"),
    *("dcterms.date", "DC.created", "pubdate", "publish-date", "publication_date", "published-date", "published_time"),
    *("published_at", "publishtime", "published", "w-published-date", "article_date_original"),
    *("originalpublicationdate", "rnews:datePublished", "bt:pubDate", "vr:published_time", "weibo:article:create_at"),
    *("apub:time", "mediator_published_time", "iso-8601-publish-date", "displaydate", "ptime", "cdate"),
    *("creation_date", "dateCreated", "article.created", "created", "blog-publish-time", "first-published"),
    *("date", "ms.date", "timestamp"),
)
MODIFIED = (
    *("article:modified_time", "og:article:modified_time", "og:updated_time", "article:updated_time", "dateModified"),
    *("modified-date", "dcterms.modified", "DC.date.modified", "DC.modified", "lastmod", "last-modified", "revised"),
    *("weibo:article:update_at", "shareaholic:article_modified_time", "article.updated", "modified", "modified_time"),
    *("updated", "updated_time", "moddate"),
)
AUTHORS = (
    *("author", "article:author", "og:article:author", "article:author_name", "parsely-author", "sailthru.author"),
    *("citation_author", "byl", "byline", "author_name", "authors", "DC.creator", "dcterms.creator"),
    *("cXenseParse:author", "shareaholic:article_author_name", "mediator_author", "rbauthors", "bt:author", "creator"),
    *("DC.contributor", "lp.article:author", "og:author", "dable:author", "nrbi:author"),
)
SITES = ("og:site_name", "citation_journal_title", "DC.publisher", "dcterms.publisher", "application-name")
IMAGES = (
    *("og:image", "og:image:secure_url", "og:image:url", "twitter:image", "twitter:image:src", "parsely-image-url"),
    "image",
)
TAGS = ("article:tag", "news_keywords", "keywords", "parsely-tags", "sailthru.tags", "citation_keywords", "DC.subject")
LANGUAGES = ("og:locale", "content-language", "DC.language", "language", "citation_language")
ADDRESS = "og:url"
LABELLED = (("twitter:label1", "twitter:data1"), ("twitter:label2", "twitter:data2"))  # a fact's name, and the fact

_META, _CONTENT = TAG_ID["meta"], ATTRIBUTE_ID["content"]
_NAMES = bytes(ATTRIBUTE_ID[name] for name in ("property", "name", "itemprop", "http-equiv"))
_BETWEEN_WORDS = str.maketrans("", "", " :._-")
_WANTED = {
    name.lower().translate(_BETWEEN_WORDS).encode(): name
    for names in (PUBLISHED, MODIFIED, AUTHORS, SITES, IMAGES, TAGS, LANGUAGES, (ADDRESS,), *LABELLED)
    for name in names
}


class Meta:
    """The values of the names above that a page has. They are decoded when they are asked for."""

    def __init__(self, page: Page) -> None:
        self._found: dict[str, list[bytes]] = {}
        for name, start, stop in kernel.stated.named(page, _META, _NAMES, _CONTENT, _WANTED, _MOST_META):
            values = self._found.setdefault(name, [])
            if start < stop and len(values) < _MOST_VALUES:
                values.append(page.value_buffer[start : min(stop, start + _LONGEST_VALUE)])

    def values(self, *names: str) -> Iterator[tuple[str, list[str]]]:
        """Those of some names that the page has, in their order, and the values of each, blanks folded."""
        found = self._found
        for name in [name for name in names if name in found]:
            texts = (_text(content) for content in found[name])
            yield name, [text for text in texts if text and (len(text) <= LONGEST_FACT or name in TAGS)]

    def firsts(self, *names: str) -> Iterator[tuple[str, str]]:
        """The same, with the first value of each."""
        return ((name, values[0]) for name, values in self.values(*names) if values)


def _text(content: bytes) -> str:
    text = content.decode("utf-8", "replace")
    return fold(html.unescape(text) if "&" in text else text)
