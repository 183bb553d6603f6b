"""Extract the article of a web page, or its records as a table."""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from pagesieve.errors import (
    AddressRefused,
    BadInput,
    BadLibrary,
    BadModel,
    BadOption,
    FetchError,
    MissingBrowser,
    MissingExtra,
    NotASibling,
    NothingFound,
    PagesieveError,
    RenderError,
    UnknownOption,
)

if TYPE_CHECKING:
    from pagesieve.api import article, catalogue, extract, fetch, headline, kind, open_sites, records
    from pagesieve.article import Article
    from pagesieve.headlines.catalogue import Catalogue, Link
    from pagesieve.joining import follow, join
    from pagesieve.page.static import parse
    from pagesieve.page.table import Node, Page
    from pagesieve.records.results import Column, Item, Record, Records
    from pagesieve.records.schema import Schema
    from pagesieve.selection import Decision, Selection
    from pagesieve.threads.thread import Post
    from pagesieve.workers.many import extract_many

__version__ = "0.2.0"
KERNEL = "compiled"  # there is no other any more; scripts ask which one runs

__all__ = [
    "KERNEL",
    "AddressRefused",
    "Article",
    "BadInput",
    "BadLibrary",
    "BadModel",
    "BadOption",
    "Catalogue",
    "Column",
    "Decision",
    "FetchError",
    "Item",
    "Link",
    "MissingBrowser",
    "MissingExtra",
    "Node",
    "NotASibling",
    "NothingFound",
    "Page",
    "PagesieveError",
    "Post",
    "Record",
    "Records",
    "RenderError",
    "Schema",
    "Selection",
    "UnknownOption",
    "article",
    "catalogue",
    "extract",
    "extract_many",
    "fetch",
    "follow",
    "headline",
    "join",
    "kind",
    "open_sites",
    "parse",
    "records",
]

# The modules of the names that are loaded on first access; the errors above cost next to nothing.
_HOMES = {
    "pagesieve.api": "article catalogue extract fetch headline kind open_sites records",
    "pagesieve.article": "Article",
    "pagesieve.threads.thread": "Post",
    "pagesieve.headlines.catalogue": "Catalogue Link",
    "pagesieve.joining": "follow join",
    "pagesieve.workers.many": "extract_many",
    "pagesieve.page.static": "parse",
    "pagesieve.page.table": "Node Page",
    "pagesieve.records.results": "Column Item Record Records",
    "pagesieve.records.schema": "Schema",
    "pagesieve.selection": "Decision Selection",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}


class _Package(ModuleType):
    """The package as an object that loads a public name on first access."""

    def __getattr__(self, name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found: object = getattr(import_module(_HOME[name]), name)
        setattr(self, name, found)
        return found

    def __setattr__(self, name: str, value: object) -> None:
        # Python puts a module that was imported into its package; `article` and `records` stay functions all the same.
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*__all__, *(name for name in super().__dir__() if name.startswith("__"))})


sys.modules[__name__].__class__ = _Package
