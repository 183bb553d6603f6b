"""What several tests share: the repository, the example site and its gold."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import postgres
from tests.bad_site import serving

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "examples" / "site"


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the example site."""
    return SITE


@pytest.fixture(scope="session")
def gold() -> list[dict[str, Any]]:
    """What the articles of the example site say."""
    lines = (ROOT / "examples" / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def articles(site: Path, gold: list[dict[str, Any]]) -> dict[str, bytes]:
    """The bytes of the example site's articles, by their ids in the gold."""
    return {answer["id"]: (site / answer["id"]).read_bytes() for answer in gold}


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """A PostgreSQL server, by its URL without the name of a database."""
    programs = postgres.programs()
    if programs is None:
        pytest.skip("no PostgreSQL is installed (Debian: apt install postgresql)")
    with postgres.running(programs) as url:
        yield url


@pytest.fixture(scope="session")
def at() -> Iterator[Callable[[str], str]]:
    """The addresses of the pages of `tests/bad_site.py`, by their names."""
    with serving() as server:
        yield lambda path: f"http://127.0.0.1:{server.server_port}/{path}"
