"""What the web page needs besides the other endpoints: what the service can do, tables as files, and corrections."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from fastapi import APIRouter, Request
from starlette.responses import Response

from pagesieve import __version__
from pagesieve.article import METHOD_NAMES
from pagesieve.errors import BadInput
from pagesieve.evaluate.saving import LabelledPage, add_pages, write_archive
from pagesieve.records.schema import TYPES
from pagesieve.service import describing
from pagesieve.service.answers import json_response
from pagesieve.service.asking import Asked, CorrectedPages, CorrectRequest, RecordsRequest
from pagesieve.service.bodies import read_asked, read_model
from pagesieve.service.engine import Engine, whole
from pagesieve.service.problems import Problem

FORMATS = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
ARCHIVE = "application/x-xz"
SETS = {"article": "articles", "records": "records"}  # what the sets of corrected pages are called


def web_page_routes(engine: Engine) -> APIRouter:
    """Return the endpoints."""
    routes = APIRouter()
    options = engine.options

    @routes.get("/v1/about", tags=["operation"], responses=describing.problems() | describing.result({"sites": True}))
    async def about() -> Response:
        """Say what the service was started with, and can do: its methods, its limits, its library."""
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
        responses=describing.PAGE_PROBLEMS | describing.result("title,price\n", *FORMATS.values()),
        openapi_extra=describing.page_body(RecordsRequest),
    )
    async def table(request: Request, form: Literal["csv", "parquet"]) -> Response:
        """Give the records of a page as a file: CSV or Parquet."""
        asked = await read_asked(request, RecordsRequest, engine)
        with engine.place():
            made = await engine.answer(Asked("table", asked.given, asked.options | {"format": form}))
        return _file(b64decode(made["data"]), FORMATS[form], f"records.{form}")

    _add_corrections(routes, engine)
    return routes


def _add_corrections(routes: APIRouter, engine: Engine) -> None:
    """Add the endpoints for corrections."""
    options, saving = engine.options, asyncio.Lock()
    body = describing.json_body(CorrectedPages, describing.CORRECT_EXAMPLE)

    @asynccontextmanager
    async def labelled(request: Request) -> AsyncIterator[tuple[str, list[LabelledPage]]]:
        asked = await read_model(request, CorrectedPages, engine)
        long = len(asked.pages) > 1
        with engine.place(long=long):
            yield SETS[asked.pages[0].kind], [await _labelled(engine, page, patient=long) for page in asked.pages]

    @routes.post(
        "/v1/corrections",
        tags=["corrections"],
        responses=describing.PAGE_PROBLEMS
        | describing.problems("no-corrections")
        | describing.result({"set": "articles", "saved": 1, "pages": 12}),
        openapi_extra=body,
    )
    async def save(request: Request) -> Response:
        """Save pages with their corrected answers in the folder that the service was started with."""
        if options.corrections is None:
            raise Problem("no-corrections", "start the service with --corrections to save corrections")
        async with labelled(request) as (name, pages), saving:
            count = await whole(asyncio.to_thread(_saved, Path(options.corrections) / name, pages))
        return json_response({"set": name, "saved": len(pages), "pages": count})

    @routes.post(
        "/v1/corrections/archive",
        tags=["corrections"],
        responses=describing.PAGE_PROBLEMS | describing.result("", ARCHIVE),
        openapi_extra=body,
    )
    async def archive(request: Request) -> Response:
        """Give pages with their corrected answers as an archive, which `pagesieve train` and `evaluate` read."""
        async with labelled(request) as (name, pages):
            data = await whole(asyncio.to_thread(write_archive, name, pages))
        return _file(data, ARCHIVE, f"{name}.tar.xz")


async def _labelled(engine: Engine, page: CorrectRequest, *, patient: bool) -> LabelledPage:
    return LabelledPage(page.html, await engine.answer(Asked.of(page), patient=patient))


def _saved(folder: Path, pages: Sequence[LabelledPage]) -> int:
    try:
        return add_pages(folder, pages)
    except BadInput as error:
        raise Problem("unavailable", f"the corrections cannot be saved: {error}") from error


def _file(data: bytes, media: str, name: str) -> Response:
    return Response(data, media_type=media, headers={"Content-Disposition": f'attachment; filename="{name}"'})
