"""What a release needs agrees: version, changelog, tag; Pythons; dependencies; workflows; the table of limits."""

from __future__ import annotations

import ast
import dataclasses
import re
import runpy
import shlex
import subprocess
import sys
import tarfile
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

import pagesieve
from pagesieve.batch import BatchOptions
from pagesieve.cli import commands
from pagesieve.crawl.job import CrawlOptions
from pagesieve.fetching.chromium import RenderOptions
from pagesieve.fetching.http import FetchOptions
from pagesieve.service import ServiceOptions
from pagesieve.workers.child import Limits

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
MAKE_LIMITS = runpy.run_path(str(ROOT / "docs" / "make_limits.py"))
OLDEST = runpy.run_path(str(ROOT / "tools" / "oldest.py"))


# The version


def headings() -> list[str]:
    return re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_newest_version_of_the_changelog_is_that_of_the_package() -> None:
    first, second, *_ = headings()
    assert first == "Unreleased"
    version, date = second.split(" ", 1)
    assert version == pagesieve.__version__
    assert re.fullmatch(r"\(20\d\d-\d\d-\d\d\)", date)


def test_a_tag_of_this_commit_is_that_of_the_version() -> None:
    listed = subprocess.run(
        ["git", "tag", "--points-at", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    for tag in re.findall(r"^v.*$", listed.stdout, re.MULTILINE):
        assert tag == f"v{pagesieve.__version__}"
        assert re.search(r"^## Unreleased\n+## ", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE), (
            "a tagged version has all entries under its own heading"
        )


def test_the_version_is_written_once() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert Version(pagesieve.__version__).release[:2] >= (0, 2)


# The supported Pythons


def test_every_list_of_pythons_is_the_same() -> None:
    prefix = "Programming Language :: Python :: 3."
    classifiers = [each for each in PROJECT["project"]["classifiers"] if each.startswith(prefix)]
    assert [each.rpartition(" ")[2] for each in classifiers] == PYTHONS
    assert PROJECT["project"]["requires-python"] == f">={PYTHONS[0]}"
    built = PROJECT["tool"]["cibuildwheel"]["build"].split()
    assert built == [f"cp{python.replace('.', '')}-*" for python in PYTHONS]
    assert jobs("ci.yml")["test"]["strategy"]["matrix"]["python"] == PYTHONS


# The dependencies


def test_the_oldest_versions_are_those_of_the_ranges() -> None:
    found = OLDEST["constraints"](("sites",))
    assert found["selectolax"] == Version("0.4")
    assert found["SQLAlchemy"] == Version("2.0")
    assert "scrapy" not in found


def test_every_requirement_has_an_oldest_version() -> None:
    extras = [name for name in PROJECT["project"]["optional-dependencies"] if name != "all"]
    for requirement in OLDEST["listed"](extras):
        assert OLDEST["lowest"](requirement), requirement


def test_a_requirement_without_an_oldest_version_is_named() -> None:
    with pytest.raises(SystemExit, match="numpy<3 names no oldest version"):
        OLDEST["lowest"](Requirement("numpy<3"))


def test_the_versions_under_test_are_allowed() -> None:
    """A bound that leaves out what the tests run with would never be noticed by them."""
    from importlib.metadata import PackageNotFoundError, version

    for requirement in OLDEST["listed"](PROJECT["project"]["optional-dependencies"]):
        try:
            installed = version(requirement.name)
        except PackageNotFoundError:
            continue
        assert requirement.specifier.contains(installed, prereleases=True), f"{requirement}: {installed}"


EXTRAS = PROJECT["project"]["optional-dependencies"]


def test_the_extras_are_those_that_users_know() -> None:
    assert list(EXTRAS) == ["browser", "sites", "train", "batch", "ray", "crawl", "serve", "integrations", "all"]
    (everything,) = EXTRAS["all"]
    assert everything == f"pagesieve[{','.join(name for name in EXTRAS if name not in ('integrations', 'all'))}]"


def test_the_docs_list_the_extras() -> None:
    text = (ROOT / "docs" / "installing.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(EXTRAS)


def test_only_extras_and_groups_that_exist_are_installed() -> None:
    """In the docs, the Makefile, the workflows, and what skipped tests say."""
    command = ["git", "grep", "-hE", r"pip.* install |\$\(PIP\)", "--", ":!CHANGELOG.md"]
    text = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    extras = {name for names in re.findall(r"'(?:\.|dist/NAME\.whl)\[([a-z,]+)\]'", text) for name in names.split(",")}
    assert {"browser", "sites", "batch", "serve"} <= extras <= set(EXTRAS)
    assert {"dev", "bench", "docs"} <= set(re.findall(r"--group ([a-z]+)", text)) <= set(PROJECT["dependency-groups"])


def test_no_dependency_depends_on_the_version_of_python() -> None:
    """Results are the same on each: the language of a page, for one."""
    texts = PROJECT["project"]["dependencies"] + [each for name in EXTRAS for each in EXTRAS[name]]
    assert not [text for text in texts if Requirement(text).marker]


@pytest.mark.parametrize("extra", [name for name in EXTRAS if name != "all"])
def test_a_missing_extra_is_a_command_that_installs_its_libraries(extra: str) -> None:
    """Named one by one: that works from an index, a checkout and a wheel, and does not compile the kernel again."""
    reason, command = str(pagesieve.MissingExtra("this", extra)).split(": ")
    assert reason == "this needs an optional part"
    assert command.startswith("pip install ")
    assert [Requirement(each) for each in shlex.split(command)[2:]] == list(map(Requirement, EXTRAS[extra]))


def test_a_missing_library_is_named_alone() -> None:
    assert str(pagesieve.MissingExtra("Parquet", "batch", "pyarrow")).endswith("part: pip install 'pyarrow>=15'")
    assert str(pagesieve.MissingExtra("this", None, "that")).endswith("part: pip install that")


def test_without_metadata_the_source_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> None:
        raise PackageNotFoundError

    monkeypatch.setattr("importlib.metadata.requires", missing)
    assert "pip install '.[browser]' (in the folder of its source)" in str(pagesieve.MissingExtra("this", "browser"))


# The workflows


def jobs(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))["jobs"]
    return found


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_run_what_there_is(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for name, job in jobs(path.name).items():
        assert job["runs-on"], name
        for step in job["steps"]:
            command = step.get("run", "")
            assert set(re.findall(r"\bmake ([a-z-]+)", command)) <= targets, command
            for file in re.findall(r"\b(?:tests|tools)/[\w/]+\.py", command):
                assert (ROOT / file).is_file(), command
            if "uses" in step:
                assert re.search(r"@(release/)?v\d", step["uses"]), step["uses"]


def test_workflows_do_what_ci_does() -> None:
    steps = re.findall(r"^make ([a-z-]+)", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)
    assert steps[-1] == "test"
    run = {step.get("run", "") for job in jobs("ci.yml").values() for step in job["steps"]}
    # The labelled pages are not in the repository.
    assert {f"make {step}" for step in steps if step != "test-data"} <= run


def test_only_the_job_that_publishes_may_write() -> None:
    for path in WORKFLOWS:
        assert yaml.safe_load(path.read_text(encoding="utf-8"))["permissions"] == {"contents": "read"}
        for name, job in jobs(path.name).items():
            assert "permissions" not in job or (path.name, name) == ("release.yml", "publish")
            assert "secrets." not in str(job), "trusted publishing needs no token"


# The source distribution


def test_the_source_distribution_is_complete_and_has_nothing_else(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (path,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    tracked = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(tracked.stdout.split()) <= names
    assert {"README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md", "setup.py", "tools/smoke.py"} <= names
    others = {
        name for name in names if name.endswith((".so", ".pyd", ".c")) or name.startswith(("tests", "benchmarks"))
    }
    assert not others


def test_what_the_smoke_test_reads_is_in_the_source_distribution() -> None:
    smoke, manifest = (ROOT / "tools" / "smoke.py").read_text("utf-8"), (ROOT / "MANIFEST.in").read_text("utf-8")
    pages = [
        node.value
        for node in ast.walk(ast.parse(smoke))
        if isinstance(node, ast.Constant) and str(node.value).endswith(".html") and "://" not in str(node.value)
    ]
    assert len(pages) == 2
    assert all(str(page) in manifest for page in pages)


# The threat model and the limits


def test_modules_and_tests_of_the_threat_model_exist() -> None:
    named = re.findall(r"`([\w/]+\.py)`", (ROOT / "docs" / "threat_model.md").read_text(encoding="utf-8"))
    assert len(named) > 30
    for name in named:
        assert any((ROOT / folder / name).is_file() for folder in ("tests", "src/pagesieve", "")), name


def test_the_table_of_limits_is_that_of_the_code() -> None:
    text = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    assert text == MAKE_LIMITS["document"](text), "run python docs/make_limits.py"


@pytest.mark.parametrize(
    ("options", "others"),
    [
        (FetchOptions, set()),
        (RenderOptions, {"width", "height"}),
        (Limits, set()),
        (CrawlOptions, {"workers"}),
        (ServiceOptions, {"port", "workers"}),
        (BatchOptions, {"min_words", "similarity"}),
    ],
)
def test_every_number_of_the_options_is_listed(options: type, others: set[str]) -> None:
    listed = {limit.place.partition(":")[2] for limits in MAKE_LIMITS["LIMITS"].values() for limit in limits}
    for field in dataclasses.fields(options):
        is_number = re.fullmatch(r"(<class ')?(int|float)('>)?( \| None)?", str(field.type)) is not None
        if is_number and field.name not in others:
            assert f"{options.__name__}.{field.name}" in listed


def test_options_that_change_limits_exist() -> None:
    for limits in MAKE_LIMITS["LIMITS"].values():
        for limit in limits:
            for option, name in re.findall(r"`(--[a-z-]+)` of `([a-z]+)`", limit.change):
                command = commands.get_command(click.Context(commands), name)
                assert command is not None
                assert option in {each for parameter in command.params for each in parameter.opts}, (option, name)
