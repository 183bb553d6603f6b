"""Requests that are made up from the description are answered as it says, and never by a failure of the service."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn
from hypothesis import HealthCheck, Phase, given, settings

from pagesieve.errors import FetchError
from pagesieve.service import ServiceOptions, engine
from pagesieve.service.app import create_app

schemathesis = pytest.importorskip("schemathesis")
checks = pytest.importorskip("schemathesis.specs.openapi.checks")
CHECKS = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
OPERATIONS = (
    *(("POST", f"/v1/{job}") for job in ("article", "headline", "catalogue", "records", "explain", "batch", "sites")),
    *(("POST", f"/v1/{path}") for path in ("records/{form}", "corrections", "corrections/archive")),
    ("GET", "/v1/about"),
    ("GET", "/v1/read/{url}"),
    ("GET", "/v1/sites"),
    ("GET", "/v1/sites/{site}"),
    ("DELETE", "/v1/sites/{site}"),
    ("GET", "/healthz"),
    ("GET", "/metrics"),
)
EXAMPLES = 25  # of each operation, that fit it and that do not


@schemathesis.serializer("application/x-ndjson")  # type: ignore[untyped-decorator]
def lines(_: object, value: Any) -> bytes:
    """Write what is made up for a batch: texts as they are, everything else as lines of JSON."""
    made = (
        value if isinstance(value, str) else "\n".join(map(json.dumps, value if isinstance(value, list) else [value]))
    )
    return made.encode("utf-8", "replace")


def no_network(url: str, **_: object) -> Any:
    raise FetchError(f"{url}: no connection")


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The description of a service that reaches nothing."""
    library = str(tmp_path_factory.mktemp("library") / "sites.db")
    app = create_app(ServiceOptions(workers=1, sites=library))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on"))
    with pytest.MonkeyPatch.context() as patch, socket.create_server(("127.0.0.1", 0)) as listening:
        patch.setattr(engine, "fetch_page", no_network)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        yield schemathesis.openapi.from_url(f"http://127.0.0.1:{listening.getsockname()[1]}/openapi.json")
        server.should_exit = True
        thread.join()


def test_the_list_is_that_of_the_description(schema: Any) -> None:
    described = {(one.ok().method.upper(), one.ok().path) for one in schema.get_all_operations()}
    assert described == {*OPERATIONS, ("GET", "/readyz")}


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_made_up_requests(schema: Any, method: str, path: str) -> None:
    modes = schemathesis.GenerationMode
    for mode in (
        (modes.POSITIVE, modes.NEGATIVE) if method == "POST" else (modes.POSITIVE,)
    ):  # any path is a site or URL
        _try(schema[path][method].as_strategy(generation_mode=mode))


def _try(cases: Any) -> None:
    @given(case=cases)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def attempt(case: Any) -> None:
        case.call_and_validate(checks=CHECKS)

    attempt()
