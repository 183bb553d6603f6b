"""A document loader for LangChain: `pip install langchain-core`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

from pagesieve.integrations.articles import articles


class PagesieveLoader(BaseLoader):
    """Load the articles of files, folders and URLs, with their facts as metadata.

    The keywords are those of `pagesieve.integrations.articles.articles`.
    """

    def __init__(self, sources: Iterable[str], **keywords: Any) -> None:
        self.sources = [sources] if isinstance(sources, str) else list(sources)
        self.keywords = keywords

    def lazy_load(self) -> Iterator[Document]:
        """Yield a document for each article."""
        for text, facts in articles(self.sources, **self.keywords):
            yield Document(page_content=text, metadata=facts)
