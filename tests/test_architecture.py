"""ARCHITECTURE.md is true: its layers are those of the imports, its files exist, and a page goes the way it says."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from pagesieve.page.kernel.modules import ROOMS

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "pagesieve"
MAX_SIZE = 10_240  # bytes
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"][0]
KERNEL = "page/kernel"
ABOVE_ALL = {"__init__.py", "__main__.py"}
# What a name in the document may be relative to.
FOLDERS = (PACKAGE, ROOT, PACKAGE / KERNEL, *(PACKAGE / KERNEL / room for room in ROOMS))


def section(heading: str) -> str:
    """Return the part of the document below a heading."""
    found = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert found, heading
    return found[1]


def layers() -> list[list[str]]:
    """Return the layers from the top down: the names in the first column of the table."""
    rows = re.findall(r"^\| (`.*?) \|", section("Layers"), re.MULTILINE)
    return [re.findall(r"`([\w/]+)`", row) for row in rows]


LAYERS = layers()


def place(path: str) -> tuple[int, str]:
    """Return the layer of a file, 0 at the top, and its name there: the longest that fits."""
    fitting = [
        (len(name), number, name)
        for number, names in enumerate(LAYERS)
        for name in names
        if path == f"{name}.py" or path.startswith(f"{name}/")
    ]
    assert fitting, f"{path} is in no layer"
    _, number, name = max(fitting)
    return number, name


@cache
def imports(path: str) -> frozenset[str]:
    """Return the files of the package that a file imports, wherever in it; a kernel module by its use too."""
    tree = ast.parse((PACKAGE / path).read_text(encoding="utf-8"))
    return frozenset(found for node in ast.walk(tree) for found in _imported(node))


def _imported(node: ast.AST) -> Iterator[str]:
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module:
        module = node.module.removeprefix("cython.cimports.")
        names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
    elif isinstance(node, ast.Attribute) and (found := re.fullmatch(r"kernel\.\w+(\.\w+)?", ast.unparse(node))):
        names = [f"pagesieve.page.{found[0]}"]
    for name in names:
        path = name.replace(".", "/").removeprefix("pagesieve/")
        if name.startswith("pagesieve.") and (PACKAGE / f"{path}.py").is_file():
            yield f"{path}.py"
        elif name.startswith("pagesieve.") and (PACKAGE / path / "__init__.py").is_file():
            yield f"{path}/__init__.py"


def sources() -> list[str]:
    return sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", [path for path in sources() if path not in ABOVE_ALL])
def test_imports_go_down(path: str) -> None:
    layer, name = place(path)
    for other in imports(path):
        below, other_name = place(other)
        assert name == other_name or below > layer, f"{path} imports {other}, which is not below it"


def test_the_linter_has_the_same_layers() -> None:
    linted = [re.findall(r"\w+", layer) for layer in LINTER["layers"]]
    assert linted == [names for names in LAYERS if names != [KERNEL]]
    assert LAYERS.index(["page"]) + 1 == LAYERS.index([KERNEL])


def test_the_document_is_short() -> None:
    assert len(TEXT.encode()) <= MAX_SIZE


def test_every_file_that_is_named_exists() -> None:
    named = {name for name in re.findall(r"`([\w./-]+)`", TEXT) if "/" in name or name.endswith((".py", ".md"))}
    assert named
    gone = [name for name in named if not any((folder / name).exists() for folder in FOLDERS)]
    assert sorted(gone) == []


@pytest.mark.parametrize("heading", ["The way of a page", "The way of an address"])
def test_the_way_is_as_it_is_written(heading: str) -> None:
    """Each file on the way is imported by one that stands before it."""
    way = list(dict.fromkeys(re.findall(r"`([\w/]+\.py)`", section(heading))))
    assert len(way) > 10
    for k, path in enumerate(way[1:], start=1):
        assert any(path in reached(before) for before in way[:k]), f"nothing before {path} imports it"


def reached(path: str) -> set[str]:
    """Return what a file imports, by way of a package or not."""
    packages = (other for other in imports(path) if other.endswith("__init__.py") and not other.startswith(KERNEL))
    return set(imports(path)).union(*map(imports, packages))
