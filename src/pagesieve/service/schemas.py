"""The bodies of requests: a model for each job, whose fields are the options of the Python function."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model, model_validator

from pagesieve.article import METHOD_NAMES, ArticleOptions
from pagesieve.records.find import RecordOptions
from pagesieve.records.schema import Schema
from pagesieve.service.responses import Problem

MAX_URL = 8192  # characters
MAX_REFERENCES = 8
MAX_TITLES = 64
MAX_METHODS = len(METHOD_NAMES)
MAX_UNITS = 10_000
MAX_CORRECTED = 100  # pages to correct in one request
MAX_PAGES = 1000  # pages to learn in one request
MAX_ERRORS = 5  # errors in one problem

Url = Annotated[str, Field(min_length=1, max_length=MAX_URL)]
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One task of the service, for a page as text, as bytes with their Content-Type, or by its address alone."""

    name: str
    html: str | bytes | None = None
    url: str | None = None
    content_type: str | None = None
    browser: bool = False
    options: dict[str, Any] = field(default_factory=dict)  # ready for JSON


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PageRequest(_Body):
    """A page: its source, or the address from which to fetch it, or its source together with its address."""

    job: ClassVar[str]

    html: str | None = Field(None, description="The source of the page.")
    url: Url | None = Field(None, description="The address of the page. Without html, the page is fetched from it.")
    browser: bool = Field(False, description="Open the address in Chromium (if the service runs with --browser).")

    @model_validator(mode="after")
    def _has_a_page(self) -> Self:
        if self.html is None and self.url is None:
            raise ValueError("give html, or url to fetch the page")
        if self.html is not None and self.browser:
            raise ValueError("browser opens an address: give url without html")
        return self

    def to_job(self) -> Job:
        """Return the requested job."""
        return Job(name=self.job, html=self.html, url=self.url, browser=self.browser, options=self.options())

    def options(self) -> dict[str, Any]:
        """Return all fields except those of the page, ready for JSON."""
        return self.model_dump(mode="json", exclude=set(PageRequest.model_fields))


def with_options(options: type, *names: str) -> Callable[[type[Model]], type[Model]]:
    """Return a decorator that adds fields of a class of options to a model."""
    declared = {name: options.__dataclass_fields__[name] for name in names}  # type: ignore[attr-defined]
    fields: dict[str, Any] = {name: (one.type, _declared(one)) for name, one in declared.items()}
    module = options.__module__  # the namespace of the annotations
    return lambda model: create_model(
        model.__name__, __base__=model, __doc__=model.__doc__, __module__=module, **fields
    )


def _declared(option: Any) -> Any:
    """Return the field of a model for an option. Values that do not exist are refused by the options themselves."""
    choices = option.metadata["choices"] if option.type == "str" else ()
    extra: dict[str, Any] = {"enum": list(choices)} if choices else {}
    return Field(option.default, description=option.metadata["help"], json_schema_extra=extra or None)


NOT_SHARED = ("method", "model")  # one method is chosen for an article, and several for a report


@with_options(ArticleOptions, *(name for name in ArticleOptions.__dataclass_fields__ if name not in NOT_SHARED))
class OptionsRequest(PageRequest):
    """A page with the options of an article."""


class ArticleChoices(OptionsRequest):
    """The options that requests for an article and for its report share."""

    reference: list[str] = Field([], max_length=MAX_REFERENCES, description="The sources of other pages of the site.")
    sites: bool = Field(False, description="Use the service's site library.")


@with_options(ArticleOptions, "method")
class ArticleRequest(ArticleChoices):
    """Return the article of a page."""

    job: ClassVar[str] = "article"

    bodies: list[Literal["text", "markdown", "html"]] = Field(
        ["text", "markdown"], max_length=3, description="The formats of the body."
    )
    external: list[str] = Field([], max_length=MAX_TITLES, description="The titles that other pages give this one.")

    @model_validator(mode="after")
    def _has_options_that_exist(self) -> Self:
        ArticleOptions(method=self.method)  # type: ignore[attr-defined]
        return self


class ExplainRequest(ArticleChoices):
    """Return the decision about every unit of a page, by one method, by several, or as records."""

    job: ClassVar[str] = "explain"

    methods: list[str] = Field(
        [], max_length=MAX_METHODS, description="The methods; each adds a view. By default auto, or none with records."
    )
    records: bool = Field(False, description="Add a view of the records.")
    source: bool = Field(False, description="Return the source of the page, too.")

    @model_validator(mode="after")
    def _has_methods_that_exist(self) -> Self:
        for method in self.methods:
            ArticleOptions(method=method)
        return self

    def options(self) -> dict[str, Any]:
        """Return all fields except those of the page, ready for JSON."""
        return super().options() | {"methods": self.methods or ([] if self.records else ["auto"])}


class CorrectRequest(PageRequest):
    """A page with a corrected result: the units of its report that belong to the result, and those that do not."""

    job: ClassVar[str] = "correct"

    html: str = Field(description="The source of the page.")
    kind: Literal["article", "records"] = "article"
    method: str = Field("auto", description="The method whose result was corrected.")
    belongs: list[int] = Field([], max_length=MAX_UNITS)
    belongs_not: list[int] = Field([], max_length=MAX_UNITS)
    sites: bool = Field(False, description="Whether the result was found with the site library.")

    @model_validator(mode="after")
    def _has_a_method_that_exists(self) -> Self:
        ArticleOptions(method=self.method)
        return self


class HeadlineRequest(PageRequest):
    """Return the headline of a page."""

    job: ClassVar[str] = "headline"

    external: list[str] = Field([], max_length=MAX_TITLES, description="The titles that other pages give this one.")


class CatalogueRequest(PageRequest):
    """Return the articles that a page links to."""

    job: ClassVar[str] = "catalogue"

    all_links: bool = Field(False, description="Include article links in menus and beside the list.")


@with_options(RecordOptions, "region", "date")
class RecordsRequest(PageRequest):
    """Return the records of a page as a table."""

    job: ClassVar[str] = "records"

    fit: dict[str, Any] | None = Field(
        None, alias="schema", description="The columns: the `schema` of an earlier response of this endpoint."
    )
    sites: bool = Field(False, description="Use the columns that the service's site library has for the list.")

    @model_validator(mode="after")
    def _has_options_that_exist(self) -> Self:
        RecordOptions(region=self.region)  # type: ignore[attr-defined]
        if self.fit is not None:
            Schema.from_json(json.dumps(self.fit))
        if self.fit is not None and self.sites:
            raise ValueError("the columns come from a schema or from a site library: give schema or sites, not both")
        return self


class LearnRequest(PageRequest):
    """A page for the site library, which finds its site by its address."""

    job: ClassVar[str] = "learn"

    url: Url


class LearnPages(_Body):
    """Pages to learn."""

    pages: list[LearnRequest] = Field(min_length=1, max_length=MAX_PAGES)


class CorrectedPages(_Body):
    """Pages with corrected results, all of one kind."""

    pages: list[CorrectRequest] = Field(min_length=1, max_length=MAX_CORRECTED)

    @model_validator(mode="after")
    def _are_of_one_kind(self) -> Self:
        if len({page.kind for page in self.pages}) > 1:
            raise ValueError("a set holds articles or records, not both: send them apart")
        return self


REQUESTS: dict[str, type[PageRequest]] = {
    model.job: model for model in (ArticleRequest, HeadlineRequest, CatalogueRequest, RecordsRequest, ExplainRequest)
}


def parse(model: type[Model], value: object) -> Model:
    """Return a value, or bytes of JSON, as a model. Raise Problem if they do not fit."""
    try:
        return model.model_validate_json(value) if isinstance(value, bytes) else model.model_validate(value)
    except ValidationError as error:
        raise _problem(error) from None


def _problem(error: ValidationError) -> Problem:
    """Return the problem for values that do not fit a model. It quotes no values, since they may be pages."""
    lines = [
        f"{'.'.join(map(str, one['loc']))}: {one['msg'].removeprefix('Value error, ')}".removeprefix(": ")
        for one in error.errors(include_url=False, include_context=False, include_input=False)[:MAX_ERRORS]
    ]
    return Problem("bad-input", "; ".join(lines))
