"""A page object for web-poet, which scrapy-poet injects into callbacks: `pip install scrapy-poet`."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

from web_poet import WebPage, field
from web_poet.fields import FieldsMixin

from pagesieve import api
from pagesieve.article import Article, ArticleKeywords
from pagesieve.facts.fields import FACTS, MEANINGS
from pagesieve.integrations.responses import parse_response


def _fact(name: str) -> Any:
    """Return a web-poet field that reads a fact of the article."""

    def read(page: ArticlePage) -> Any:
        return page.facts[name]

    read.__name__, read.__doc__ = name, MEANINGS[name]
    return field(read)


_FactFields: Any = type("_FactFields", (FieldsMixin,), {name: _fact(name) for name in FACTS})


class ArticlePage(_FactFields, WebPage[dict[str, Any]]):
    """A page with an article. Its fields are the facts of the article, `text` and `markdown`.

    `to_item` returns a dict. A subclass may return another item (`Returns[Item], skip_nonitem_fields=True`), replace
    fields and add others. The page is parsed once for all fields. They raise NothingFound if it has no article.
    """

    options: ClassVar[ArticleKeywords] = {}  # options of `pagesieve.article`; a subclass may change them

    @cached_property
    def article(self) -> Article:
        """The article, for all that has no field: `html`, `posts`, `comments`, `decisions`, `next_part()`."""
        content_type = self.response.headers.get("Content-Type")
        page = parse_response(bytes(self.response.body), str(self.response.url), content_type)
        return api.article(page, **self.options)

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The facts of the article by name."""
        return self.article.metadata.as_dict() | {"url": self.article.url}

    @field
    def text(self) -> str:
        """The body as plain text."""
        return self.article.text

    @field
    def markdown(self) -> str:
        """The body as Markdown."""
        return self.article.markdown
