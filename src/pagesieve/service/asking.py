"""What a request may ask for: a model for each job, whose fields are the options of the Python function."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pagesieve.article import METHOD_NAMES, ArticleOptions
from pagesieve.records.find import REGIONS, RecordOptions
from pagesieve.records.schema import Schema
from pagesieve.service.problems import Problem

LONGEST_URL = 8192  # characters
MOST_REFERENCES = 8
MOST_TITLES = 64
MOST_METHODS = len(METHOD_NAMES)
MOST_UNITS = 10_000
MOST_CORRECTED = 100  # pages that one request corrects
MOST_PAGES = 1000  # that are learnt by one request
SHOWN_ERRORS = 5

Url = Annotated[str, Field(min_length=1, max_length=LONGEST_URL)]


@dataclass(frozen=True, slots=True)
class Given:
    """A page as it came: bytes with the Content-Type that they had, or text, or only an address to fetch it from."""

    data: bytes | None = None
    is_text: bool = False
    content_type: str | None = None
    url: str | None = None
    browser: bool = False


class PageRequest(BaseModel):
    """A page: its source, or the address to fetch it from. With both, the address says where the source is from."""

    model_config = ConfigDict(extra="forbid")
    job: ClassVar[str]

    html: str | None = Field(None, description="The source of the page.")
    url: Url | None = Field(None, description="Its address; it is fetched from there where there is no html.")
    browser: bool = Field(False, description="Open the address in Chromium (where the service runs with --browser).")

    @model_validator(mode="after")
    def _has_a_page(self) -> Self:
        if self.html is None and self.url is None:
            raise ValueError("give html, or url to fetch it from")
        if self.html is not None and self.browser:
            raise ValueError("browser opens an address: give url without html")
        return self

    @property
    def given(self) -> Given:
        """The page."""
        data = None if self.html is None else self.html.encode()
        return Given(data, data is not None, None, self.url, self.browser)

    def options(self) -> dict[str, Any]:
        """Return what else is asked, ready for JSON."""
        return self.model_dump(mode="json", exclude=set(PageRequest.model_fields))


class ArticleChoices(PageRequest):
    """What can be chosen of an article, whatever is asked of it."""

    favor: Literal["precision", "recall"] | None = None
    include_comments: bool = False
    include_tables: bool = True
    include_links: bool = False
    include_images: bool = False
    include_bylines: bool = False
    include_captions: bool | None = Field(
        None, description="Write captions of images in every format, in none, or (null) in all but plain text."
    )
    reference: list[str] = Field([], max_length=MOST_REFERENCES, description="Sources of other pages of the site.")
    sites: bool = Field(False, description="Use what the service's site library knows of the site.")


class ArticleRequest(ArticleChoices):
    """Ask for the article of a page."""

    job: ClassVar[str] = "article"

    method: str = Field("auto", json_schema_extra={"enum": list(METHOD_NAMES)})
    bodies: list[Literal["text", "markdown", "html"]] = Field(
        ["text", "markdown"], max_length=3, description="What the body is written as."
    )
    external: list[str] = Field([], max_length=MOST_TITLES, description="What other pages call this one.")

    @model_validator(mode="after")
    def _has_options_that_exist(self) -> Self:
        ArticleOptions(method=self.method, favor=self.favor)
        return self


class ExplainRequest(ArticleChoices):
    """Ask what became of every unit of a page, and why: by one method, by several, or as records."""

    job: ClassVar[str] = "explain"

    methods: list[str] = Field(
        [], max_length=MOST_METHODS, description="Names of methods, each a view; auto where there are no records."
    )
    records: bool = Field(False, description="Give the records as one more view.")
    source: bool = Field(False, description="Give the source of the page, too.")

    @model_validator(mode="after")
    def _has_methods_that_exist(self) -> Self:
        for method in self.methods:
            ArticleOptions(method=method, favor=self.favor)
        return self

    def options(self) -> dict[str, Any]:
        """Return what else is asked, ready for JSON."""
        return super().options() | {"methods": self.methods or ([] if self.records else ["auto"])}


class CorrectRequest(PageRequest):
    """A page whose answer was corrected: the units of its report that belong to the answer, or do not."""

    job: ClassVar[str] = "correct"

    html: str = Field(description="The source of the page.")
    kind: Literal["article", "records"] = "article"
    method: str = Field("auto", description="The method whose answer was corrected.")
    belongs: list[int] = Field([], max_length=MOST_UNITS)
    belongs_not: list[int] = Field([], max_length=MOST_UNITS)
    sites: bool = Field(False, description="The site library was used.")

    @model_validator(mode="after")
    def _has_a_method_that_exists(self) -> Self:
        ArticleOptions(method=self.method)
        return self


class HeadlineRequest(PageRequest):
    """Ask for the headline of a page."""

    job: ClassVar[str] = "headline"

    external: list[str] = Field([], max_length=MOST_TITLES, description="What other pages call this one.")


class CatalogueRequest(PageRequest):
    """Ask for the articles that a page links to."""

    job: ClassVar[str] = "catalogue"

    all_links: bool = Field(False, description="Also those in menus and beside the list.")


class RecordsRequest(PageRequest):
    """Ask for the records of a page as a table."""

    job: ClassVar[str] = "records"

    region: str = Field("best", json_schema_extra={"enum": list(REGIONS)})
    date: datetime | None = Field(None, description="When the page was read, which '3 hours ago' counts from.")
    fit: dict[str, Any] | None = Field(
        None, alias="schema", description="The columns, as an answer of this endpoint has them in `schema`."
    )
    sites: bool = Field(False, description="Use the columns that the service's site library knows of the list.")

    @model_validator(mode="after")
    def _has_options_that_exist(self) -> Self:
        RecordOptions(region=self.region)
        if self.fit is not None:
            Schema.from_json(json.dumps(self.fit))
        if self.fit is not None and self.sites:
            raise ValueError("columns are those of a schema or those of a site: give schema or sites, not both")
        return self


class LearnRequest(PageRequest):
    """A page for the site library; it is known by its address."""

    job: ClassVar[str] = "learn"

    url: Url


class LearnPages(BaseModel):
    """Pages of sites, to be learnt."""

    model_config = ConfigDict(extra="forbid")

    pages: list[LearnRequest] = Field(min_length=1, max_length=MOST_PAGES)


class CorrectedPages(BaseModel):
    """Pages whose answers were corrected, all of one kind."""

    model_config = ConfigDict(extra="forbid")

    pages: list[CorrectRequest] = Field(min_length=1, max_length=MOST_CORRECTED)

    @model_validator(mode="after")
    def _are_of_one_kind(self) -> Self:
        if len({page.kind for page in self.pages}) > 1:
            raise ValueError("a set holds articles or records: send them apart")
        return self


REQUESTS: dict[str, type[PageRequest]] = {
    model.job: model for model in (ArticleRequest, HeadlineRequest, CatalogueRequest, RecordsRequest, ExplainRequest)
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One page and what is asked of it."""

    job: str
    given: Given
    options: dict[str, Any]

    @classmethod
    def of(cls, request: PageRequest) -> Asked:
        """Return what a request asks."""
        return cls(request.job, request.given, request.options())


def invalid(error: ValidationError) -> Problem:
    """Return the problem of values that do not fit a model; it quotes none of them, since they may be pages."""
    found = [
        {"at": ".".join(map(str, one["loc"])), "why": one["msg"].removeprefix("Value error, ")}
        for one in error.errors(include_url=False, include_context=False, include_input=False)[:SHOWN_ERRORS]
    ]
    return Problem("bad-input", "; ".join(f"{one['at']}: {one['why']}".removeprefix(": ") for one in found))
