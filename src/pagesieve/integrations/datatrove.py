"""An extractor for pipelines of datatrove: `pip install datatrove`."""

from __future__ import annotations

from typing import Any

from datatrove.pipeline.extractors.base import BaseExtractor

from pagesieve.api import extract


class PagesieveExtractor(BaseExtractor):
    """Replace the HTML of each document with the text of its article, and drop documents without an article.

    `timeout` is the limit for each page in seconds. The other keywords, such as `format`, are those of
    `pagesieve.extract`.
    """

    name = "Pagesieve"

    def __init__(self, timeout: float = 10, **keywords: Any) -> None:
        super().__init__(timeout)
        self.keywords = keywords

    def extract(self, text: str) -> str:
        """Return the article of a page, or an empty string if it has none."""
        return extract(text, **self.keywords) or ""
