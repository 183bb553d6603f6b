"""What several tests share: the repository, the example site and its gold."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from pagesieve.errors import MissingBrowser
from pagesieve.fetching.chromium import find_browser
from pagesieve.workers.pool import available_cpus
from tests import postgres, profiles
from tests.bad_site import serving
from tests.site_server import SiteServer, serving_site

# The tests run on every core already: more threads inside them only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Shells start what runs in the background with SIGINT ignored, and programs that the tests interrupt would be so, too.
signal.signal(signal.SIGINT, signal.default_int_handler)
settings.load_profile(profiles.CI)

# What is started once for all tests that need it, which one worker runs: by their fixtures, or parameters of these.
GROUPS = {
    "browser": {"chromium"},
    "postgresql": {"postgresql"},
    "service": {"service", "fetching"},
}
ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "examples" / "site"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Let `-n auto` start one worker more than there are cores: many tests wait for a browser or another process."""
    return available_cpus() + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests that share a server into one group (`--dist loadgroup`)."""
    for item in items:
        if isinstance(item, pytest.Function):
            parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
            needs = {*item.fixturenames, *(each for each in parameters if isinstance(each, str))}
            group = next((name for name, fixtures in GROUPS.items() if fixtures & needs), None)
            if group is not None:
                item.add_marker(pytest.mark.xdist_group(group))


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
def postgresql() -> Iterator[str]:
    """A PostgreSQL server, by its URL without the name of a database."""
    programs = postgres.programs()
    if programs is None:
        pytest.skip("no PostgreSQL is installed (Debian: apt install postgresql)")
    with postgres.running(programs) as url:
        yield url


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A Chromium that tests open tabs in: one for each module, since no event loop can be started beside it."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright: pip install '.[browser]'")
    try:
        program = find_browser()
    except MissingBrowser as error:
        pytest.skip(str(error))
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=str(program), args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def at() -> Iterator[Callable[[str], str]]:
    """The addresses of the pages of `tests/bad_site.py`, by their names."""
    with serving() as server:
        yield lambda path: f"http://127.0.0.1:{server.server_port}/{path}"


@pytest.fixture
def site_server(site: Path) -> Iterator[SiteServer]:
    """The example site, served on this machine."""
    with serving_site(site) as server:
        yield server


@pytest.fixture(scope="module")
def s3() -> Iterator[None]:
    """A store that speaks S3, for this process and those that it starts."""
    server_module, s3fs = pytest.importorskip("moto.server"), pytest.importorskip("s3fs")
    server = server_module.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    s3fs.S3FileSystem.clear_instance_cache()  # it would still know the server of another module
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "somebody")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        yield
    s3fs.S3FileSystem.clear_instance_cache()
    server.stop()
