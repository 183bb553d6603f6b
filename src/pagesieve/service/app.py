"""The service as an ASGI application: its endpoints, and the middleware in front of them."""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.staticfiles import StaticFiles

from pagesieve import __version__
from pagesieve.article import METHOD_NAMES
from pagesieve.errors import BadInput
from pagesieve.evaluate.archives import LabelledPage, add_pages, write_archive
from pagesieve.fetching import media_type
from pagesieve.records.schema import TYPES
from pagesieve.service import ServiceOptions, openapi
from pagesieve.service.engine import Engine, uninterrupted
from pagesieve.service.middleware import OWN_SITES, AccessControl, Figures, RequestLog, SecurityHeaders, UntilGone
from pagesieve.service.requests import NDJSON, read_job, read_lines, read_model, run_batch
from pagesieve.service.responses import (
    STATUS_PROBLEMS,
    LinesResponse,
    Problem,
    ProblemResponse,
    file_response,
    json_response,
)
from pagesieve.service.schemas import (
    REQUESTS,
    CorrectedPages,
    CorrectRequest,
    Job,
    LearnPages,
    LearnRequest,
    PageRequest,
    RecordsRequest,
)

if TYPE_CHECKING:
    from pagesieve.sites.library import Sites

STATIC = Path(__file__).with_name("static")
MARKDOWN = "text/markdown; charset=utf-8"
BROWSER = "x-pagesieve-browser"  # this header of `read` requests a browser: the query belongs to the page's address

FORMATS = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
ARCHIVE = "application/x-xz"
SETS = {"article": "articles", "records": "records"}  # the names of the sets of corrected pages

Endpoint = Callable[[Request], Awaitable[Response]]


def create_app(options: ServiceOptions) -> FastAPI:
    """Create the application of a service. Its engine, `app.state.engine`, runs as long as the application."""
    engine = Engine(options)
    app = bare_app(engine, lifespan=_lifespan, title="Pagesieve", description=openapi.DESCRIPTION)
    app.include_router(_page_routes(engine))
    app.include_router(_site_routes(engine))
    app.include_router(_web_page_routes(engine))
    app.include_router(_correction_routes(engine))
    app.add_api_route("/", _index, include_in_schema=False)
    app.mount("/static/report", StaticFiles(packages=[("pagesieve.report", "static")]))
    app.mount("/static", StaticFiles(directory=STATIC))
    app.openapi = lambda: openapi.describe(app)  # type: ignore[method-assign]
    return app


def bare_app(engine: Engine, **options: Any) -> FastAPI:
    """Create an application with all middleware, but only the endpoints for operators."""
    figures = Figures(engine)
    app = FastAPI(
        version=__version__,
        docs_url=None,  # its pages load scripts from other hosts
        redoc_url=None,
        redirect_slashes=False,
        **options,
    )
    app.state.engine = engine
    app.include_router(_operator_routes(engine, figures))
    app.add_exception_handler(Problem, _on_problem)
    app.add_exception_handler(HTTPException, _on_http_exception)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_middleware(UntilGone)
    app.add_middleware(AccessControl, options=engine.options)
    app.add_middleware(RequestLog, figures=figures)
    app.add_middleware(SecurityHeaders)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with app.state.engine.started():
        yield


async def _index(request: Request) -> Response:
    """Return the web page. If another site may have opened it, it asks the user before it fetches anything."""
    who = "own" if request.headers.get("sec-fetch-site") in OWN_SITES else "elsewhere"
    return FileResponse(STATIC / "index.html", media_type="text/html; charset=utf-8", headers={"Server-Timing": who})


async def _on_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    return ProblemResponse(error)


async def _on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    more: dict[str, Any] = {"allow": error.headers["Allow"]} if error.headers and "Allow" in error.headers else {}
    return ProblemResponse(Problem(STATUS_PROBLEMS.get(error.status_code, "bad-request"), str(error.detail), **more))


async def _on_invalid(request: Request, error: Exception) -> Response:
    return ProblemResponse(Problem("bad-input", "the path or the query has a value that cannot be used"))


# Pages


def _page_routes(engine: Engine) -> APIRouter:
    """Return the endpoints that read pages."""
    routes = APIRouter(tags=["pages"])
    for model in REQUESTS.values():
        routes.add_api_route(
            f"/v1/{model.job}",
            _page_endpoint(engine, model),
            methods=["POST"],
            name=model.job,
            summary=model.__doc__,
            responses=openapi.PAGE_PROBLEMS | openapi.result(openapi.RESULTS[model.job]),
            openapi_extra=openapi.page_body(model),
        )

    @routes.post(
        "/v1/batch",
        responses=openapi.PAGE_PROBLEMS
        | openapi.result('{"line": 1, "id": "a", "status": 200, "result": {}}\n', NDJSON[0]),
        openapi_extra=openapi.lines_body(),
    )
    async def batch(request: Request) -> Response:
        """Process many pages, one per line of the body, and send the result of each line as soon as it is ready.

        A line is JSON with the fields of the other endpoints, `job` (article, headline, catalogue, records, explain)
        and `id`. A result has the number of its line. If a line is invalid, or its page does not have the requested
        content, its result has a `problem`; the other lines are processed.
        """
        if media_type(request.headers.get("content-type")) not in NDJSON:
            raise Problem("unsupported-media-type", f"the body is {NDJSON[0]}")
        with ExitStack() as resources:
            resources.enter_context(engine.place(long=True))  # as long as the batch lasts
            lines = run_batch(read_lines(request, engine.options.max_bytes), engine)
            return LinesResponse(lines, resources.pop_all())

    @routes.get(
        "/v1/read/{url:path}",
        responses=openapi.PAGE_PROBLEMS | openapi.result("---\ntitle: Bread\n---\n\n# Bread\n\nMix …", MARKDOWN),
        openapi_extra={"parameters": [openapi.URL_PARAMETER]},
    )
    async def read(request: Request) -> Response:
        """Fetch a page and return its article as Markdown with front matter. The query belongs to the address."""
        url = _address(request)
        request.state.address = url
        job = Job(name="read", url=url, browser=request.headers.get(BROWSER, "").lower() in ("1", "true"))
        with engine.place():
            result = json.loads(await engine.answer(job))
        return PlainTextResponse(result["markdown"], media_type=MARKDOWN)

    return routes


def _page_endpoint(engine: Engine, model: type[PageRequest]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        job = await read_job(request, model, engine)
        if job.html is None:
            request.state.address = job.url
        with engine.place():
            return json_response(await engine.answer(job))

    return endpoint


def _address(request: Request) -> str:
    """Return the address after /v1/read/ with its query. It is unescaped only if it is escaped as a whole."""
    raw: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    url = raw.decode("latin-1").partition("/v1/read/")[2]
    if url.lower().startswith(("http%3a", "https%3a")):
        url = unquote(url)
    scheme, colon, rest = url.partition(":/")
    if colon and scheme.lower() in ("http", "https"):
        url = f"{scheme}://{rest.lstrip('/')}"  # some clients merge consecutive slashes
    elif "://" not in url:
        url = f"https://{url}"
    query = request.scope["query_string"].decode("latin-1")
    return f"{url}?{query}" if query else url


# Sites


def _site_routes(engine: Engine) -> APIRouter:
    """Return the endpoints of the site library."""
    routes = APIRouter(prefix="/v1/sites", tags=["sites"])
    failing = openapi.problems("no-library", "unknown-site", "bad-input", "unavailable")

    @routes.get("", responses=failing | openapi.result([{"key": "example.org", "pages": 12}]))
    async def list_sites() -> Response:
        """List the sites of the library, each with the number of its pages, its size, and the time of its last page."""
        return json_response(await engine.with_library(lambda sites: [asdict(site) for site in sites.sites()]))

    @routes.post(
        "",
        responses=openapi.PAGE_PROBLEMS | failing | openapi.result({"new": 1, "pages": [{"new": 1}]}),
        openapi_extra=openapi.json_body(LearnPages, openapi.LEARN_EXAMPLE),
    )
    async def learn(request: Request) -> Response:
        """Learn pages. The response has a problem for each page that cannot be learnt; all others are learnt."""
        _ = engine.library
        pages = (await read_model(request, LearnPages, engine)).pages
        long = len(pages) > 1
        with engine.place(long=long):
            results = [await _learn(engine, page, patient=long) for page in pages]
        return json_response({"new": sum(result["new"] for result in results), "pages": results})

    @routes.get("/{site}", responses=failing | openapi.result({"site": "example.org", "pages": [], "templates": []}))
    async def show_site(site: str) -> Response:
        """Return the stored pages, the templates and the lists of records of a site."""
        return json_response(await engine.with_library(lambda sites: _describe_site(sites, site)))

    @routes.delete("/{site}", responses=failing | openapi.result({"forgotten": 12}))
    async def forget_site(site: str) -> Response:
        """Delete a site from the library."""
        forgotten = await engine.with_library(lambda sites: sites.forget(site))
        if not forgotten:
            raise Problem("unknown-site", f"{site}: not in the library")
        return json_response({"forgotten": forgotten})

    return routes


def _describe_site(sites: Sites, site: str) -> dict[str, Any]:
    pages = sites.pages(site)
    if not pages:
        raise Problem("unknown-site", f"{site}: not in the library")
    return {
        "site": site,
        "pages": [{"url": url, "learnt": learnt, "nodes": nodes} for url, learnt, nodes in pages],
        "templates": [asdict(template) for template in sites.templates(site)],
        "lists": [
            {"record": schema.record, "pages": schema.pages, "columns": schema.header} for schema in sites.lists(site)
        ],
    }


async def _learn(engine: Engine, page: LearnRequest, *, patient: bool) -> dict[str, Any]:
    try:
        result: dict[str, Any] = json.loads(await engine.answer(page.to_job(), patient=patient))
        return result
    except Problem as problem:
        return {"new": 0, "problem": problem.as_dict()}


# The web page


def _web_page_routes(engine: Engine) -> APIRouter:
    """Return the endpoints for the web page: the abilities of the service, and tables as files."""
    routes, options = APIRouter(), engine.options

    @routes.get("/v1/about", tags=["operation"], responses=openapi.problems() | openapi.result({"sites": True}))
    async def about() -> Response:
        """Describe the service: its methods, its limits, and whether it has a site library."""
        return json_response(
            {
                "version": __version__,
                "methods": METHOD_NAMES,
                "types": TYPES,
                "max_bytes": options.max_bytes,
                "browser": options.browser,
                "sites": options.sites is not None,
                "corrections": options.corrections is not None,
                "parquet": find_spec("pyarrow") is not None,
            }
        )

    @routes.post(
        "/v1/records/{form}",
        tags=["pages"],
        responses=openapi.PAGE_PROBLEMS | openapi.result("title,price\n", *FORMATS.values()),
        openapi_extra=openapi.page_body(RecordsRequest),
    )
    async def table(request: Request, form: Literal["csv", "parquet"]) -> Response:
        """Return the records of a page as a CSV or Parquet file."""
        job = await read_job(request, RecordsRequest, engine)
        with engine.place():
            result = json.loads(await engine.answer(replace(job, name="table", options=job.options | {"format": form})))
        return file_response(b64decode(result["data"]), FORMATS[form], f"records.{form}")

    return routes


def _correction_routes(engine: Engine) -> APIRouter:
    """Return the endpoints for corrected results."""
    routes = APIRouter(prefix="/v1/corrections", tags=["corrections"])
    options, saving = engine.options, asyncio.Lock()
    body = openapi.json_body(CorrectedPages, openapi.CORRECT_EXAMPLE)

    @asynccontextmanager
    async def labelled(request: Request) -> AsyncIterator[tuple[str, list[LabelledPage]]]:
        pages = (await read_model(request, CorrectedPages, engine)).pages
        long = len(pages) > 1
        with engine.place(long=long):
            yield SETS[pages[0].kind], [await _correct(engine, page, patient=long) for page in pages]

    @routes.post(
        "",
        responses=openapi.PAGE_PROBLEMS
        | openapi.problems("no-corrections")
        | openapi.result({"set": "articles", "saved": 1, "pages": 12}),
        openapi_extra=body,
    )
    async def save(request: Request) -> Response:
        """Save pages with their corrected results in the folder of `--corrections`."""
        if options.corrections is None:
            raise Problem("no-corrections", "start the service with --corrections to save corrections")
        async with labelled(request) as (name, pages), saving:
            count = await uninterrupted(asyncio.to_thread(_save, Path(options.corrections) / name, pages))
        return json_response({"set": name, "saved": len(pages), "pages": count})

    @routes.post(
        "/archive",
        responses=openapi.PAGE_PROBLEMS | openapi.result("", ARCHIVE),
        openapi_extra=body,
    )
    async def archive(request: Request) -> Response:
        """Return pages with their corrected results as an archive for `pagesieve train` and `evaluate`."""
        async with labelled(request) as (name, pages):
            data = await uninterrupted(asyncio.to_thread(write_archive, name, pages))
        return file_response(data, ARCHIVE, f"{name}.tar.xz")

    return routes


async def _correct(engine: Engine, page: CorrectRequest, *, patient: bool) -> LabelledPage:
    return LabelledPage(page.html, json.loads(await engine.answer(page.to_job(), patient=patient)))


def _save(folder: Path, pages: Sequence[LabelledPage]) -> int:
    try:
        return add_pages(folder, pages)
    except BadInput as error:
        raise Problem("unavailable", f"the corrections cannot be saved: {error}") from error


# Operators


def _operator_routes(engine: Engine, figures: Figures) -> APIRouter:
    """Return the endpoints for operators."""
    routes = APIRouter(tags=["operation"])

    @routes.get("/healthz", responses=openapi.problems() | openapi.result({"status": "ok"}))
    async def healthz() -> Response:
        """Return 200 as long as the service runs."""
        return json_response({"status": "ok"})

    @routes.get("/readyz", responses=openapi.problems("unavailable") | openapi.result({"status": "ready"}))
    async def readyz() -> Response:
        """Return 200 if the service accepts requests, and 503 while it starts or shuts down."""
        if not engine.is_ready:
            raise Problem("unavailable", "the service shuts down" if engine.draining.is_set() else "the service starts")
        return json_response({"status": "ready"})

    @routes.get("/metrics", responses=openapi.problems() | openapi.result("", CONTENT_TYPE_LATEST))
    async def metrics() -> Response:
        """Return metrics for Prometheus."""
        return Response(generate_latest(figures.registry), media_type=CONTENT_TYPE_LATEST)

    return routes
