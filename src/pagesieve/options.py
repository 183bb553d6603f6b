"""The options of an article, listed once for the functions, the batch and the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, get_args

from pagesieve.articles.methods import METHODS, MODELS, Model
from pagesieve.errors import BadOption
from pagesieve.page.table import Page
from pagesieve.writing import WriterOptions

if TYPE_CHECKING:
    from pagesieve.sites.library import Sites

Html = str | bytes | bytearray | Page
Format = Literal["text", "markdown", "html", "json"]
Favor = Literal["precision", "recall"]

FORMATS: tuple[str, ...] = get_args(Format)
FAVORS: tuple[str, ...] = get_args(Favor)
METHOD_NAMES = ("auto", *METHODS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleOptions:
    """What to take for the article of a page, and what to write of it."""

    method: str = "auto"
    model: str | Path | Model | None = None
    favor: str | None = None
    include_comments: bool = False
    include_tables: bool = True
    include_links: bool = False
    include_images: bool = False

    def __post_init__(self) -> None:
        check("method", self.method, METHOD_NAMES)
        if self.favor is not None:
            check("favor", self.favor, FAVORS)
        if self.model is not None and self.method not in MODELS:
            raise BadOption(f"model: {', '.join(MODELS)} take one, not {self.method}")

    @property
    def writer(self) -> WriterOptions:
        """The part of them that is about writing."""
        return WriterOptions(links=self.include_links, images=self.include_images, tables=self.include_tables)


class OptionKeywords(TypedDict, total=False):
    """The fields of ArticleOptions as keywords, for type checkers and editors."""

    method: str
    model: str | Path | Model | None
    favor: Favor | None
    include_comments: bool
    include_tables: bool
    include_links: bool
    include_images: bool


class ArticleKeywords(OptionKeywords, total=False):
    """All keywords of `article`."""

    reference: Html | Sequence[Html] | None
    sites: Sites | None
    external: Sequence[str]


def check(option: str, value: object, known: Sequence[str]) -> None:
    """Raise BadOption where an option has a value that does not exist."""
    if value not in known:
        raise BadOption(f"{option} is one of {', '.join(known)}, not {value!r}")
