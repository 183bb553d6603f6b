"""The service as an ASGI application: its endpoints, and what stands before them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.staticfiles import StaticFiles

from pagesieve import __version__
from pagesieve.fetching import media_type
from pagesieve.service import describing
from pagesieve.service.answers import LinesResponse, encoded, json_response, problem_response
from pagesieve.service.asking import REQUESTS, Asked, Given, LearnPages, PageRequest
from pagesieve.service.batching import run_batch
from pagesieve.service.bodies import NDJSON, UntilGone, read_asked, read_lines, read_model
from pagesieve.service.defence import OWN_SITES, Defence, SecurityHeaders
from pagesieve.service.engine import Engine
from pagesieve.service.options import ServiceOptions
from pagesieve.service.problems import OF_STATUS, Problem
from pagesieve.service.watching import Figures, Watch
from pagesieve.service.web_page import web_page_routes

STATIC = Path(__file__).with_name("static")
MARKDOWN = "text/markdown; charset=utf-8"
BROWSER = "x-pagesieve-browser"  # the header by which `read` asks for a browser: the query belongs to the address

Endpoint = Callable[[Request], Awaitable[Response]]


def create_app(options: ServiceOptions) -> FastAPI:
    """Return the application of a service; its engine, `app.state.engine`, runs as long as the application does."""
    engine = Engine(options)
    app = bare_app(engine, lifespan=_lifespan, title="Pagesieve", description=describing.DESCRIPTION)
    app.include_router(_page_routes(engine))
    app.include_router(_site_routes(engine))
    app.include_router(web_page_routes(engine))
    app.add_api_route("/", _index, include_in_schema=False)
    app.mount("/static/report", StaticFiles(packages=[("pagesieve.report", "static")]))
    app.mount("/static", StaticFiles(directory=STATIC))
    app.openapi = lambda: describing.describe(app)  # type: ignore[method-assign]
    return app


def bare_app(engine: Engine, **given: Any) -> FastAPI:
    """Return an application with what stands before every endpoint, and with the endpoints for operators alone."""
    figures = Figures(engine)
    app = FastAPI(
        version=__version__,
        docs_url=None,  # they load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        **given,
    )
    app.state.engine = engine
    app.include_router(_operator_routes(engine, figures))
    app.add_exception_handler(Problem, _on_problem)
    app.add_exception_handler(HTTPException, _on_http_exception)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_middleware(UntilGone)
    app.add_middleware(Defence, options=engine.options)
    app.add_middleware(Watch, figures=figures)
    app.add_middleware(SecurityHeaders)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with app.state.engine.started():
        yield


async def _index(request: Request) -> Response:
    """Give the web page, and tell it whether another site may have opened it: it then asks before it fetches."""
    who = "own" if request.headers.get("sec-fetch-site") in OWN_SITES else "elsewhere"
    return FileResponse(STATIC / "index.html", media_type="text/html; charset=utf-8", headers={"Server-Timing": who})


async def _on_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    return problem_response(error)


async def _on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    more: dict[str, Any] = {"allow": error.headers["Allow"]} if error.headers and "Allow" in error.headers else {}
    return problem_response(Problem(OF_STATUS.get(error.status_code, "bad-request"), str(error.detail), **more))


async def _on_invalid(request: Request, error: Exception) -> Response:
    return problem_response(Problem("bad-input", "the path or the query has a value that cannot be used"))


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
            responses=describing.PAGE_PROBLEMS | describing.result(describing.RESULTS[model.job]),
            openapi_extra=describing.page_body(model),
        )

    async def batch(request: Request) -> Response:
        """Read the pages of a body of lines; each answer has the number of its line, and is sent when it is there.

        A line is JSON as the other endpoints take it, with `job` (article, headline, catalogue, records, explain) and
        `id`. A line that is wrong, or a page that has nothing, is an answer with a `problem`; the others go on.
        """
        if media_type(request.headers.get("content-type")) not in NDJSON:
            raise Problem("unsupported-media-type", f"the body is {NDJSON[0]}")
        with ExitStack() as held:
            held.enter_context(engine.place(long=True))  # as long as the batch lasts
            lines = run_batch(read_lines(request, engine.options.max_bytes), engine)
            return LinesResponse(lines, held.pop_all())

    async def read(request: Request) -> Response:
        """Fetch a page and give its article as Markdown, with its facts before it; the query belongs to the address."""
        url = _address(request)
        request.state.address = url
        given = Given(url=url, browser=request.headers.get(BROWSER, "").lower() in ("1", "true"))
        with engine.place():
            made = await engine.answer(Asked("read", given, {}))
        return PlainTextResponse(made["markdown"], media_type=MARKDOWN)

    routes.add_api_route(
        "/v1/batch",
        batch,
        methods=["POST"],
        responses=describing.PAGE_PROBLEMS
        | describing.result('{"line": 1, "id": "a", "status": 200, "result": {}}\n', NDJSON[0]),
        openapi_extra=describing.lines_body(),
    )
    routes.add_api_route(
        "/v1/read/{url:path}",
        read,
        methods=["GET"],
        responses=describing.PAGE_PROBLEMS | describing.result("---\ntitle: Bread\n---\n\n# Bread\n\nMix …", MARKDOWN),
        openapi_extra={"parameters": [_URL_PARAMETER]},
    )
    return routes


_URL_PARAMETER = {
    "name": "url",
    "in": "path",
    "required": True,
    "schema": {"type": "string"},
    "example": "https://example.org/bread",
}


def _page_endpoint(engine: Engine, model: type[PageRequest]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        asked = await read_asked(request, model, engine)
        if asked.given.data is None:
            request.state.address = asked.given.url
        with engine.place():
            return json_response(encoded(await engine.answer_json(asked)))

    return endpoint


def _address(request: Request) -> str:
    """Return the address behind /v1/read/ as it was sent, with its query; its escapes stay unless all is escaped."""
    raw: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    url = raw.decode("latin-1").partition("/v1/read/")[2]
    if url.lower().startswith(("http%3a", "https%3a")):
        url = unquote(url)
    scheme, colon, rest = url.partition(":/")
    if colon and scheme.lower() in ("http", "https"):
        url = f"{scheme}://{rest.lstrip('/')}"  # some clients fold the slashes
    elif "://" not in url:
        url = f"https://{url}"
    query = request.scope["query_string"].decode("latin-1")
    return f"{url}?{query}" if query else url


# Sites


def _site_routes(engine: Engine) -> APIRouter:
    """Return the endpoints of the site library."""
    routes = APIRouter(prefix="/v1/sites", tags=["sites"])
    failing = describing.problems("no-library", "unknown-site", "bad-input", "unavailable")

    @routes.get("", responses=failing | describing.result([{"key": "example.org", "pages": 12}]))
    async def list_sites() -> Response:
        """List the sites that the library knows: pages kept, size, when the newest was learnt."""
        return json_response(await engine.sites())

    @routes.post(
        "",
        responses=describing.PAGE_PROBLEMS | failing | describing.result({"new": 1, "pages": [{"new": 1}]}),
        openapi_extra=describing.json_body(LearnPages, describing.LEARN_EXAMPLE),
    )
    async def learn(request: Request) -> Response:
        """Learn pages. A page that cannot be learnt is a problem in the answer; the others are learnt."""
        _ = engine.library
        asked = await read_model(request, LearnPages, engine)
        long = len(asked.pages) > 1
        with engine.place(long=long):
            outcomes = [await _learnt(engine, Asked.of(page), patient=long) for page in asked.pages]
        return json_response({"new": sum(one.get("new", 0) for one in outcomes), "pages": outcomes})

    @routes.get("/{site}", responses=failing | describing.result({"site": "example.org", "pages": [], "templates": []}))
    async def show_site(site: str) -> Response:
        """Show what the library knows of a site: the pages kept, its templates, and its lists of records."""
        return json_response(await engine.site(site))

    @routes.delete("/{site}", responses=failing | describing.result({"forgotten": 12}))
    async def forget_site(site: str) -> Response:
        """Forget a site."""
        return json_response({"forgotten": await engine.forget(site)})

    return routes


async def _learnt(engine: Engine, asked: Asked, *, patient: bool) -> dict[str, Any]:
    try:
        return await engine.answer(asked, patient=patient)
    except Problem as problem:
        return {"new": 0, "problem": problem.as_dict()}


# Operators


def _operator_routes(engine: Engine, figures: Figures) -> APIRouter:
    """Return the endpoints for those who run the service."""
    routes = APIRouter(tags=["operation"])

    @routes.get("/healthz", responses=describing.problems() | describing.result({"status": "ok"}))
    async def healthz() -> Response:
        """Say that the service runs."""
        return json_response({"status": "ok"})

    @routes.get("/readyz", responses=describing.problems("unavailable") | describing.result({"status": "ready"}))
    async def readyz() -> Response:
        """Say whether it takes requests: its processes are started, and it is not about to end."""
        if not engine.is_ready:
            raise Problem("unavailable", "the service ends" if engine.draining.is_set() else "the service starts")
        return json_response({"status": "ready"})

    @routes.get("/metrics", responses=describing.problems() | describing.result("", CONTENT_TYPE_LATEST))
    async def metrics() -> Response:
        """Give figures for Prometheus."""
        return Response(generate_latest(figures.registry), media_type=CONTENT_TYPE_LATEST)

    return routes
