"""Extract one page of a batch: a row with the article, the records, the headline, or all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagesieve import api
from pagesieve.batch import BatchOptions, Item, plain_language
from pagesieve.batch.signatures import SIGNATURE, sign
from pagesieve.errors import NothingFound
from pagesieve.headlines.headline import find_headline
from pagesieve.kinds.kind import kind
from pagesieve.page.stated import address
from pagesieve.page.static import PageSource, other_than_page
from pagesieve.page.table import Page
from pagesieve.records.find import find_static
from pagesieve.text.types import words
from pagesieve.workers.child import About, Child, Reason, Rejected, Sort, shortened, thread_child

if TYPE_CHECKING:
    from pagesieve.article import Article
    from pagesieve.records.results import Records

Row = dict[str, Any]


def page_child(options: BatchOptions, maker: str = "") -> Child:
    """Return the child process of this thread that makes rows (or other results, by another maker) from pages."""
    return thread_child(maker or ROWS, options.as_dict(), options.limits)


def ask(child: Child, item: Item) -> Row | Reason:
    """Return a child's result for a page, or the reason for none. Raises RunStopped if the page is not the cause."""
    if item.data is None or item.fault is not None:
        return Reason(shortened(item.fault or "no bytes"), Sort.REFUSAL)
    return child.answer(item.data, {"url": item.url, "content_type": item.content_type})


def check_is_page(data: bytes) -> None:
    """Raise Rejected if some bytes are not a page."""
    if other := other_than_page(data):
        raise Rejected(f"not a page: {other}")


class Extractor:
    """Makes rows from pages. Opens the model and the site library once."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = BatchOptions(**options)
        self.sites = None if self.options.sites is None else api.open_sites(self.options.sites)
        makers = {"article": self._article, "records": self._records, "headline": self._headline, "all": self._all}
        self._make = makers[self.options.what]

    def answer(self, data: bytes, about: About) -> Row:
        """Return the row of a page without its id, and with its signature if needed.

        Raises NothingFound if the row would be empty, and Rejected if it is not a page, or if a filter rejects it.
        """
        if not data.strip():
            raise NothingFound("the page is empty")
        check_is_page(data)
        found = self._make(PageSource(data, about.get("url"), about.get("content_type")))
        _check_asked_for(found, self.options)
        row = {name: found[name] for name in self.options.fields if name != "id"}
        if self.options.deduplicate:
            row[SIGNATURE] = sign(found["fingerprint"], found.get("text"), self.options.similarity)
        return row

    def _article(self, source: PageSource) -> Row:
        return _of_article(api.find_article(source, self.options, sites=self.sites), self.options)

    def _records(self, source: PageSource) -> Row:
        return _of_page(source.page) | _of_records(find_static(source.page))

    def _headline(self, source: PageSource) -> Row:
        title = find_headline(source.page)
        if not title:
            raise NothingFound("no headline")
        return _of_page(source.page) | {"title": title}

    def _all(self, source: PageSource) -> Row:
        """Return the row for `what="all"`: the fields of an article, of records or of a headline; others are None."""
        page = source.page
        row = dict.fromkeys(self.options.fields) | {"kind": kind(page)}
        missing = []
        try:
            row |= self._article(source)
        except NothingFound as error:
            row |= {name: value for name, value in error.facts.items() if name in row}
            missing.append(str(error))
        try:
            row |= _of_records(find_static(page))
        except NothingFound as error:
            missing.append(str(error))
        if len(missing) == 2 and not row["title"]:
            raise NothingFound("; ".join(missing))
        return row


ROWS = f"{Extractor.__module__}:{Extractor.__name__}"


def _check_asked_for(row: Row, options: BatchOptions) -> None:
    """Raise Rejected if an article is not in one of the chosen languages, or too short."""
    if options.languages:
        language = row["language"]
        if not language:
            raise Rejected("no language: neither the page nor the detector gives one")
        if not any(f"{plain_language(language)}-".startswith(f"{code}-") for code in options.languages):
            raise Rejected(f"another language: {language}")
    if options.min_words:
        count = len(words(row.get("text") or ""))
        if count < options.min_words:
            raise Rejected(f"too short: {count} words")


def _of_page(page: Page) -> Row:
    """Return the fields that every page has."""
    return {"url": address(page), "encoding": page.encoding, "notes": list(page.notes)}


def _of_article(article: Article, options: BatchOptions) -> Row:
    """Return the fields of `Article.as_dict`, without costly ones that the options do not request."""
    return {
        **article.metadata.as_dict(),
        "found": dict(article.metadata.found),
        "text": article.text,  # which the facts needed already
        **{name: getattr(article, name) for name in options.bodies},
        "comments": str(article.comments) if options.include_comments else None,
        "method": article.method,
        "encoding": article.encoding,
        "notes": list(article.notes),
    }


def _of_records(table: Records) -> Row:
    rows = table.to_rows()
    if not rows:
        raise NothingFound("no records")
    return {
        "columns": [{"name": column.name, "type": column.type} for column in table.columns],
        "records": rows,
    }
