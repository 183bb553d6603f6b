"""A reader for LlamaIndex: `pip install llama-index-core`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from llama_index.core import Document
from llama_index.core.readers.base import BaseReader

from pagesieve.integrations.articles import articles


class PagesieveReader(BaseReader):
    """Read the articles of files, folders and URLs, with their facts as metadata.

    The keywords are those of `pagesieve.integrations.articles.articles`.
    """

    def __init__(self, **keywords: Any) -> None:
        self.keywords = keywords

    def lazy_load_data(self, sources: Iterable[str]) -> Iterator[Document]:
        """Yield a document for each article, with the name of the source as its id."""
        names = [sources] if isinstance(sources, str) else list(sources)
        for text, facts in articles(names, **self.keywords):
            yield Document(text=text, metadata=facts, id_=facts["input"])
