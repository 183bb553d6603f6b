"""Extract the article of a web page, or its records as a table."""

from pagesieve.api import article, catalogue, extract, headline, kind, open_sites, records
from pagesieve.article import Article
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
)
from pagesieve.headlines.catalogue import Catalogue, Link
from pagesieve.many import extract_many
from pagesieve.page.kernel import KERNEL
from pagesieve.page.static import parse
from pagesieve.page.table import Node, Page
from pagesieve.records.results import Column, Item, Record, Records
from pagesieve.selection import Decision, Selection

__version__ = "0.1.0"

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
    "Record",
    "Records",
    "RenderError",
    "Selection",
    "article",
    "catalogue",
    "extract",
    "extract_many",
    "headline",
    "kind",
    "open_sites",
    "parse",
    "records",
]
