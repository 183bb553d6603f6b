"""The services that several tests ask."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.running import Service, running

pytest.importorskip("fastapi")


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service as it is started without options, but for a site library."""
    library = tmp_path_factory.mktemp("library") / "sites.db"
    with running("--workers", "1", "--sites", str(library), "--max-bytes", "200000") as found:
        yield found


@pytest.fixture(scope="session")
def fetching() -> Iterator[Service]:
    """A service that fetches from this machine, too."""
    with running("--workers", "1", "--allow-private", "--timeout", "5") as found:
        yield found


@pytest.fixture(scope="session")
def page(site: Path) -> str:
    """An article of the example site."""
    return (site / "en/2024/05/seal-closes-pool-4181077.html").read_text("utf-8")
