"""The kernel is compiled, and the build says what it does; without a compiler there is one clear error."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType

import pytest

import pagesieve
from pagesieve.page import kernel
from pagesieve.page.kernel.modules import COMPILED, CONSTANTS, LIBRARY, ROOMS, SHARED

ROOT = Path(__file__).parent.parent
KERNEL = "src/pagesieve/page/kernel"
PACKAGED = ("src", "pyproject.toml", "setup.py", "README.md", "LICENSE")


def test_every_module_of_the_kernel_is_compiled_by_the_build() -> None:
    folder = Path(kernel.__file__).parent
    sources = {".".join(path.relative_to(folder).with_suffix("").parts) for path in folder.rglob("*.py")}
    inits = {"__init__", *(f"{room}.__init__" for room in ROOMS)}
    assert sources - inits - {"modules"} == {*COMPILED, *CONSTANTS}
    files = {Path(import_module(f"{kernel.__name__}.{name}").__file__ or "").name for name in COMPILED}
    assert files == {LIBRARY + EXTENSION_SUFFIXES[0]}


def test_types_are_read_from_the_same_modules() -> None:
    """What a type checker sees of the package are the modules that are loaded at run time."""
    assert typed_modules(kernel) == sorted(ROOMS)
    for room, names in ROOMS.items():
        assert typed_modules(getattr(kernel, room)) == sorted(names)


def typed_modules(package: ModuleType) -> list[str]:
    """The modules that a package imports from itself for type checkers."""
    tree = ast.parse(Path(package.__file__ or "").read_text(encoding="utf-8"))
    typed = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == package.__name__)
    return sorted(alias.name for node in typed for alias in node.names)


def test_there_is_nothing_else_in_the_kernel() -> None:
    assert not hasattr(kernel, "lines_of_last_year")
    assert not hasattr(kernel.lines, "units_of_last_year")
    assert not hasattr(kernel, "units")  # which is a module of a room


@pytest.fixture(scope="module")
def uncompiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package without what was compiled."""
    copy = tmp_path_factory.mktemp("uncompiled")
    without = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "models")
    shutil.copytree(Path(pagesieve.__file__ or "").parent, copy / "pagesieve", ignore=without)
    return copy


@pytest.mark.parametrize("has_cython", [False, True])
def test_a_kernel_that_is_not_compiled_is_an_error_of_one_line(uncompiled: Path, has_cython: bool) -> None:
    no_cython = "" if has_cython else "sys.modules['cython'] = None;"
    code = f"import sys; {no_cython} import pagesieve; pagesieve.extract('<p>a')"
    done = build(uncompiled, "-c", code, PYTHONPATH=str(uncompiled))
    last = done.stderr.splitlines()[-1]
    assert last.startswith("pagesieve.errors.MissingKernel: Pagesieve's kernel is not compiled (page/kernel/")
    done = build(uncompiled, "-m", "pagesieve", "article", "-", PYTHONPATH=str(uncompiled))
    (line,) = done.stderr.splitlines()
    assert line.startswith("pagesieve: Pagesieve's kernel is not compiled (page/kernel/")
    assert (done.returncode, done.stdout) == (2, "")


# The build


# Two modules: by their names the source and the declarations of each.
FEW = {
    "page.below": ("import cython\n\n\ndef half(x):\n    return x // 2\n", "cpdef int half(int x)\n"),
    "lines.above": (
        "from cython.cimports.pagesieve.page.kernel.page.below import half\n\n\ndef same(x):\n    return half(x) * 2\n",
        "",
    ),
}
BUILD_COMMAND = ("-u", "setup.py", "--quiet", "build_ext", "--inplace")


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of the sources whose kernel is two small modules, so that building it takes seconds."""
    copy = tmp_path / "sources"
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *PACKAGED]
    for name in subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((ROOT / name).read_bytes())
    listed = "LIBRARY = {!r}\nSHARED = {!r}\nCONSTANTS = {}\nROOMS = {}\nCOMPILED = {}\n"
    rooms = {room: (name,) for room, _, name in (name.partition(".") for name in FEW)}
    (copy / KERNEL / "modules.py").write_text(listed.format(LIBRARY, SHARED, CONSTANTS, rooms, tuple(FEW)))
    for name, (source, declared) in FEW.items():
        path = copy / KERNEL / name.replace(".", "/")
        path.with_suffix(".py").write_text(source)
        path.with_suffix(".pxd").write_text(declared)
    return copy


def build(sources: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=sources, capture_output=True, text=True, env={**os.environ, **environment}
    )


def wheel_of(sources: Path, **environment: str) -> list[str]:
    """The names of the files in the wheel that pip builds."""
    built = build(sources, *"-m pip wheel --no-deps --no-build-isolation -w wheels .".split(), **environment)
    assert built.returncode == 0, built.stderr[-2000:]
    (wheel,) = (sources / "wheels").glob("*.whl")
    return zipfile.ZipFile(wheel).namelist()


def compiled(names: Iterable[str]) -> list[str]:
    return [name for name in names if name.endswith((".so", ".pyd"))]


def test_without_a_compiler_the_installation_fails_and_says_why(sources: Path) -> None:
    built = build(sources, "setup.py", "build_ext", CC="/bin/false")
    assert (built.returncode, "Traceback" in built.stderr) == (1, False)
    reason, *advice = (line for line in built.stderr.splitlines() if not line.startswith("error:"))
    assert reason.startswith("pagesieve: the kernel has to be compiled, and no C compiler works here: ")
    assert "gcc python3-dev" in advice[0]
    assert "wheel" in advice[1]


def test_with_a_compiler_the_kernel_is_compiled(sources: Path) -> None:
    names = wheel_of(sources)
    assert compiled(names) == [f"pagesieve/page/kernel/{LIBRARY}{EXTENSION_SUFFIXES[0]}"]
    made = {name.rpartition(".")[2] for name in CONSTANTS}  # there
    declared = {path for path in (ROOT / KERNEL).rglob("*.pxd") if path.stem not in made}
    assert {path.relative_to(ROOT / "src").as_posix() for path in declared} <= set(names)
    assert "pagesieve/py.typed" in names


def test_a_build_says_how_far_it_is_and_compiles_what_has_changed(sources: Path) -> None:
    """The command of the Makefile: each module is named as soon as it is compiled, and only once."""
    assert " ".join(BUILD_COMMAND) in (ROOT / "Makefile").read_text("utf-8")
    assert rebuilt(sources) == {SHARED, "lines.above", "page.below"}
    assert rebuilt(sources) == set()
    change(sources, "lines/above.py", "* 2", "* 3")
    assert rebuilt(sources) == {"lines.above"}
    change(sources, "page/below.pxd", "cpdef int", "cpdef long")
    assert rebuilt(sources) == {"lines.above", "page.below"}
    os.utime(sources / KERNEL / "page/below.pxd")
    assert rebuilt(sources) == set()
    assert rebuilt(sources, CFLAGS="-O1") == {SHARED, "lines.above", "page.below"}
    done = build(
        sources, "-c", "from pagesieve.page import kernel; print(kernel.lines.above.same(5))", PYTHONPATH="src"
    )
    assert done.stdout == "6\n"  # half of it, three times


def rebuilt(sources: Path, **environment: str) -> set[str]:
    """The modules that a build compiles, by what it prints."""
    built = build(sources, *BUILD_COMMAND, **environment)
    assert built.returncode == 0, built.stderr[-2000:]
    lines = built.stdout.splitlines()
    done = [line for line in lines if line.startswith("kernel: ")]
    names = {line.rpartition("(")[2].rstrip(")") for line in done}
    assert done == [f"kernel: {k} of {len(done)} compiled ({line.rpartition('(')[2]}" for k, line in enumerate(done, 1)]
    assert lines == done
    return names


def change(sources: Path, name: str, before: str, after: str) -> None:
    path = sources / KERNEL / name
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after))


def test_a_compiled_module_that_is_not_listed_is_removed(sources: Path) -> None:
    stale = sources / KERNEL / "common.cpython-311-x86_64-linux-gnu.so"
    stale.touch()
    rebuilt(sources)
    assert not stale.exists()
