"""The OpenAPI description of the service: what each endpoint takes and returns, with examples."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from pagesieve.service.responses import PROBLEM_TYPE, PROBLEMS, TYPES
from pagesieve.service.schemas import REQUESTS, CorrectedPages, LearnPages, PageRequest

_REFERENCE = "#/components/schemas/{model}"
_PAGE = (
    "<!doctype html><title>Bread</title><h1>Bread</h1>"
    "<p>Mix flour, water, salt and yeast; wait for a day, fold it three times, and bake.</p>"
)
_LIST = "<ul>" + "".join(f"<li><a href='/{n}'>Chair {n}</a> <b>{n}0 EUR</b></li>" for n in range(1, 6)) + "</ul>"
_INDEX = (
    "<ul>" + "".join(f"<li><a href='/2024/05/{n}.html'>The news number {n} today</a></li>" for n in range(6)) + "</ul>"
)
_SHOP = "https://shop.example.org/chairs"

DESCRIPTION = """Extract the article of a web page, its headline, the articles that it lists, or its records as a table.

Send a page as `html`, or send a `url` from which the service fetches it (public addresses only). The body may also be
the page itself, as `text/html`, with the options in the query. Errors are `application/problem+json` (RFC 9457)."""

EXAMPLES: dict[str, dict[str, Any]] = {
    "article": {"html": _PAGE, "url": "https://example.org/bread", "bodies": ["text", "markdown"]},
    "headline": {"html": _PAGE},
    "catalogue": {"html": _INDEX, "url": "https://news.example.org/"},
    "records": {"html": _LIST, "url": _SHOP},
    "explain": {"html": _PAGE, "methods": ["auto", "lineblocks"]},
}
RESULTS: dict[str, dict[str, Any]] = {
    "article": {"title": "Bread", "text": "Mix flour, water, salt …", "markdown": "Mix flour …", "method": "blocks"},
    "headline": {"headline": "Bread"},
    "catalogue": {"url": "https://news.example.org/", "links": [], "next_url": None, "pages": []},
    "records": {"mode": "static", "columns": [{"name": "title", "type": "text"}], "records": [], "schema": {}},
    "explain": {"title": "Bread", "views": [{"units": [{"id": 0, "fate": "article", "reason": "content (.93)"}]}]},
}
LEARN_EXAMPLE = {"pages": [{"url": "https://example.org/bread", "html": _PAGE}]}
CORRECT_EXAMPLE = {"pages": [{"html": _PAGE, "url": "https://example.org/bread", "belongs": [0]}]}
URL_PARAMETER = {"name": "url", "in": "path", "required": True, "schema": {"type": "string"}} | {
    "example": "https://example.org/bread"
}
LINE_EXAMPLE = (
    '{"id": "a", "html": "<h1>Bread</h1><p>Mix flour …"}\n{"id": "b", "job": "headline", "html": "<h1>Bread"}\n'
)


class ProblemModel(BaseModel):
    """A problem, as RFC 9457 describes it."""

    type: str
    title: str
    status: int
    detail: str


def problems(*sorts: str) -> dict[int | str, dict[str, Any]]:
    """Describe the problems of an endpoint: its own, and those that all endpoints have."""
    answers: dict[int | str, dict[str, Any]] = {}
    for sort in (*sorts, "unauthorized", "origin-refused", "misdirected", "failed"):
        status, title = PROBLEMS[sort]
        example = {"type": TYPES + sort, "title": title, "status": status, "detail": "what is wrong, and what to do"}
        content = answers.setdefault(status, {"description": title, "content": {PROBLEM_TYPE: {"examples": {}}}})[
            "content"
        ]
        content[PROBLEM_TYPE]["schema"] = {"$ref": _REFERENCE.format(model="ProblemModel")}
        content[PROBLEM_TYPE]["examples"][sort] = {"value": example}
    return answers


PAGE_PROBLEMS = problems(
    "bad-request", "address-refused", "request-timeout", "too-large", "unsupported-media-type", "bad-input",
    "nothing-found", "fetch-failed", "page-too-costly", "busy", "page-died", "unavailable", "page-timeout",
)  # fmt: skip


def result(example: Any, *media: str) -> dict[int | str, dict[str, Any]]:
    """Describe the result of an endpoint as JSON, or as other media types."""
    kind = "string" if isinstance(example, str) else "array" if isinstance(example, list) else "object"
    schema: dict[str, Any] = {"type": kind} | ({"items": {"type": "object"}} if kind == "array" else {})
    described = {"schema": schema, "example": example}
    return {200: {"description": "The result.", "content": dict.fromkeys(media or ("application/json",), described)}}


def json_body(model: type[BaseModel], example: Any) -> dict[str, Any]:
    """Describe a body of JSON."""
    described = {"schema": {"$ref": _REFERENCE.format(model=model.__name__)}, "example": example}
    return {"requestBody": {"required": True, "content": {"application/json": described}}}


def page_body(model: type[PageRequest]) -> dict[str, Any]:
    """Describe the body of a request for a page: JSON, or the page itself with the options in the query."""
    example = EXAMPLES[model.job]
    body = json_body(model, example)
    body["requestBody"]["content"]["text/html"] = {"schema": {"type": "string"}, "example": example["html"]}
    properties = model.model_json_schema()["properties"]
    body["parameters"] = [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": f"As in JSON; for bodies of text/html. {schema.pop('description', '')}".strip(),
            "schema": schema,
        }
        for name, schema in properties.items()
        if name not in ("html", "browser", "schema")
    ]
    return body


def lines_body() -> dict[str, Any]:
    """Describe the body of a batch."""
    described = {"schema": {"type": "string"}, "example": LINE_EXAMPLE}
    return {"requestBody": {"required": True, "content": {"application/x-ndjson": described}}}


def describe(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI description of a service; `app.openapi` calls this."""
    if app.openapi_schema is None:
        description = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        models: list[type[BaseModel]] = [*REQUESTS.values(), LearnPages, CorrectedPages, ProblemModel]
        _, schemas = models_json_schema([(model, "validation") for model in models], ref_template=_REFERENCE)
        components = description.setdefault("components", {})
        components["schemas"] = components.get("schemas", {}) | schemas["$defs"]
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        description["security"] = [{}, {"token": []}]
        app.openapi_schema = description
    return app.openapi_schema
