"""An extractor for pipelines of datatrove: `pip install datatrove`."""

from __future__ import annotations

from typing import Any

from datatrove.pipeline.extractors.base import BaseExtractor

from pagesieve.api import extract


class PagesieveExtractor(BaseExtractor):
    """Replace the HTML of each document with its article; documents without one are dropped.

    `timeout` is in seconds a page. The other keywords are those of `pagesieve.extract`, `format` among them.
    """

    name = "Pagesieve"

    def __init__(self, timeout: float = 10, **keywords: Any) -> None:
        super().__init__(timeout)
        self.keywords = keywords

    def extract(self, text: str) -> str:
        """Return the article of a page; empty where there is none."""
        return extract(text, **self.keywords) or ""
