"""The examples of the README and the docs run, their links lead somewhere, and the site is built of them."""

from __future__ import annotations

import doctest
import importlib.util
import inspect
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

import pagesieve
from tests.service.running import running
from tests.shell_examples import run_steps, untold_blocks
from tests.site_server import serving_site
from tests.warcs import packed, response

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")])
GUIDES = [ROOT / "docs" / "tutorial.md", *sorted(ROOT.glob("docs/howto/*.md"))]
SITE, SERVICE, WARC = "http://localhost:8000/", "http://127.0.0.1:8321/", "crawl/*.warc.gz"  # as the docs call them
ELSEWHERE = re.compile(r"""<(?:script|img|iframe|link|source|video)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//[^>]*>""")


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


each_page = pytest.mark.parametrize("path", PAGES, ids=named)
each_session = pytest.mark.parametrize(
    "path", [pytest.param(path, marks=pytest.mark.slow) if path in GUIDES else path for path in PAGES], ids=named
)
each_guide = pytest.mark.parametrize("path", GUIDES, ids=named)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that looks like the repository, in which examples may write."""
    for path in ROOT.iterdir():
        if path.name != "out":
            (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextmanager
def standing(text: str, folder: Path) -> Iterator[dict[str, str]]:
    """Provide what a document speaks of: the example site, served and as a WARC; a service. Yield where they are."""
    places = {}
    if WARC in text:
        write_warc(folder / "crawl" / "example.warc.gz")
    with ExitStack() as stack:
        if SITE in text:
            places[SITE] = stack.enter_context(serving_site(ROOT / "examples" / "site")).url
        if SERVICE in text:
            pytest.importorskip("fastapi")
            places[SERVICE] = stack.enter_context(running("--workers", "1", "--allow-private")).url
        yield places


def write_warc(path: Path) -> None:
    """Write a WARC of the English articles of the example site, one of them twice."""
    pages = sorted((ROOT / "examples/site/en/2024").rglob("*.html"))
    path.parent.mkdir()
    addresses = [f"https://news.example.org/{page.relative_to(ROOT / 'examples/site/en')}" for page in pages]
    records = [response(url, page.read_bytes(), "text/html") for url, page in zip(addresses, pages, strict=True)]
    path.write_bytes(packed([*records, response("https://news.example.org/again", pages[0].read_bytes(), "text/html")]))


@each_session
def test_examples_run(path: Path, desk: Path) -> None:
    text = path.read_text("utf-8")
    if "$ curl " in text and shutil.which("curl") is None:
        pytest.skip("no curl")
    for module in " ".join(re.findall(r"<!-- needs: (.+) -->", text)).split():
        pytest.importorskip(module)
    failed, _ = doctest.testfile(str(path), module_relative=False, encoding="utf-8")
    assert failed == 0
    with standing(text, desk) as places:
        run_steps(text, desk, places)


def test_nothing_says_to_install_what_is_not_published() -> None:
    """Nothing is on PyPI yet; only how to release says what to try afterwards."""
    texts = [
        *PAGES,
        ROOT / "Makefile",
        *ROOT.glob("src/**/*.py"),
        *ROOT.glob("src/**/static/*"),
        *ROOT.glob("examples/*.py"),
    ]
    told = re.compile(r"\binstall\s+(?:-\S+\s+)*['\"]?pagesieve\b")
    assert [named(path) for path in texts if told.search(path.read_text("utf-8", "replace"))] == ["docs/releasing.md"]


@each_guide
def test_a_guide_says_which_examples_do_not_run(path: Path) -> None:
    assert untold_blocks(path.read_text("utf-8")) == []


@each_page
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if "://" not in target:
            assert (path.parent / target).exists(), target


def test_the_readme_shows_both_commands_first() -> None:
    first = re.search(r"```\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert first
    assert [line.split("#")[0].strip() for line in first[1].splitlines()] == ["make demo", "make test"]


def test_the_reference_has_every_public_name() -> None:
    described = re.findall(r"^::: ([\w.]+)", (ROOT / "docs/api.md").read_text("utf-8"), re.MULTILINE)
    assert "pagesieve.errors" in described  # all of them
    names = [name for name in pagesieve.__all__ if not hasattr(pagesieve.errors, name)]
    missing = [name for name in names if not any(path.endswith(f".{name}") for path in described)]
    assert missing == ["KERNEL"]  # a constant, which the text describes


def test_the_reference_has_the_parameters_and_an_example_of_every_function() -> None:
    text = (ROOT / "docs/api.md").read_text("utf-8")
    cells = "".join(re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE))
    described = {pkgutil.resolve_name(path) for path in re.findall(r"^::: ([\w.]+)", text, re.MULTILINE)}
    functions = [each for each in described if inspect.isfunction(each)]
    assert len(functions) > 12
    sources = [example.source for example in doctest.DocTestParser().get_examples(text)]
    for function in functions:
        assert any(f"{function.__name__}(" in source for source in sources), function
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
                assert f"`{parameter.name}`" in cells, (function, parameter)


# --- the site


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The docs as a site; a warning is an error."""
    if importlib.util.find_spec("mkdocs") is None:
        pytest.skip("no mkdocs: pip install --group docs")
    site = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(site)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    return site


def test_the_site_names_nothing_to_load_from_elsewhere(built: Path) -> None:
    pages = list(built.rglob("*.html"))
    assert len(pages) > 40
    found = {
        tag for page in pages for tag in ELSEWHERE.findall(page.read_text("utf-8")) if 'rel="canonical"' not in tag
    }
    assert found == set()
    styles = "".join(style.read_text("utf-8") for style in built.rglob("*.css"))
    assert re.findall(r"(?:url\(|@import )[\"']?(?:https?:)?//", styles) == []


def test_the_search_ranks_guides_before_the_architecture(built: Path) -> None:
    entries = json.loads((built / "search/search_index.json").read_text("utf-8"))["docs"]
    boosts = {entry["location"].partition("#")[0]: entry["boost"] for entry in entries}
    guides = {boosts[name] for name in ("tutorial.html", "tour.html", "howto/news.html")}
    others = {boosts[name] for name in ("architecture.html", "benchmarks/index.html", "changelog.html")}
    assert min(guides) > boosts["crawl.html"] >= 1000 * max(others)  # a match in a title counts 1000 times


@pytest.mark.parametrize("name", ["index.html", "tutorial.html", "api.html", "methods/index.html"])
def test_the_site_is_read_from_files_alone(built: Path, chromium: Any, name: str) -> None:
    page = chromium.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((built / name).as_uri())
    page.wait_for_load_state("networkidle")
    assert page.locator("h1").count() == 1
    assert page.evaluate("[...document.images].filter(image => !image.complete || !image.naturalWidth).length") == 0
    page.close()
    assert asked
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_the_search_works_without_a_server(built: Path, chromium: Any) -> None:
    if not (built / "assets/iframe-worker.js").exists():
        pytest.skip("npm has not installed iframe-worker")
    page = chromium.new_page()
    page.goto((built / "index.html").as_uri())
    page.locator(".md-search__input").click()
    page.locator(".md-search__input").type("reverse parsing")
    page.wait_for_selector(".md-search-result__item")
    assert page.locator(".md-search-result__item").count() > 1
    page.close()
