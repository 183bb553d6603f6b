"""Which kernel runs, and how the build chooses it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

import pagesieve
from pagesieve.page import kernel
from pagesieve.page.kernel.modules import COMPILED, CONSTANTS, INLINE

ROOT = Path(__file__).parent.parent
KERNEL = "src/pagesieve/page/kernel"
PACKAGED = ("src", "pyproject.toml", "setup.py", "README.md", "LICENSE")


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, **environment}
    )
    return done.stdout.strip()


def test_the_kernel_under_test_is_the_compiled_one() -> None:
    assert pagesieve.KERNEL == "compiled"


def test_the_environment_chooses_the_pure_kernel() -> None:
    code = "import pagesieve; print(pagesieve.KERNEL, pagesieve.parse('<p>a&amp;b').text(0))"
    assert run(code, PAGESIEVE_KERNEL="pure") == "pure a&b"
    assert run(code, PAGESIEVE_KERNEL="") == "compiled a&b"


def test_the_version_says_which_kernel_runs() -> None:
    code = "from pagesieve.cli import main; main()"
    command = [sys.executable, "-c", code, "--version"]
    for choice, name in (("pure", "pure"), ("", "compiled")):
        env = {**os.environ, "PAGESIEVE_KERNEL": choice}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
        assert done.stdout.strip() == f"pagesieve {pagesieve.__version__} ({name} kernel)"


def test_the_pure_kernel_runs_without_cython() -> None:
    code = (
        "import sys; sys.modules['cython'] = None; import pagesieve;"
        "print(pagesieve.KERNEL, pagesieve.article('<p>' + 'word ' * 60).text[:9])"
    )
    assert run(code, PAGESIEVE_KERNEL="pure") == "pure word word"


def test_compiled_modules_are_reached_through_their_package_alone() -> None:
    """Uncompiled, a module that is imported by its own name would be another one, and would need Cython."""
    package = Path(pagesieve.__file__ or "").parent
    for path in package.rglob("*.py"):
        if path.parent != package / "page" / "kernel":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for_types = {id(node) for test in ast.walk(tree) if is_for_types(test) for node in ast.walk(test)}
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and id(node) not in for_types:
                    assert node.module not in {f"{kernel.__name__}.{name}" for name in COMPILED}, path


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def test_loading_the_sources_leaves_the_compiled_modules_in_use() -> None:
    code = (
        "from pagesieve.page import kernel; from pagesieve.page.kernel.modules import COMPILED, CONSTANTS;"
        "before = [getattr(kernel, name) for name in COMPILED]; kernel.load('lines', True);"
        "print(before == [getattr(kernel, name) for name in COMPILED])"
    )
    assert run(code) == "True"


def test_every_module_of_the_kernel_is_compiled_by_the_build() -> None:
    sources = {path.stem for path in Path(kernel.__file__).parent.glob("*.py")}
    assert sources - {"__init__", "cython_shim", "modules"} == {*COMPILED, *CONSTANTS, *INLINE}


def test_types_are_read_from_the_same_modules() -> None:
    """What a type checker sees of the package are the modules that are loaded at run time."""
    tree = ast.parse(Path(kernel.__file__).read_text(encoding="utf-8"))
    typed = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == kernel.__name__)
    assert sorted(alias.name for node in typed for alias in node.names) == sorted(COMPILED)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of the sources whose kernel is one module, so that building it takes seconds."""
    copy = tmp_path / "sources"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *PACKAGED]
    for name in subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((ROOT / name).read_bytes())
    (copy / KERNEL / "modules.py").write_text(f"CONSTANTS = {CONSTANTS}\nCOMPILED = {COMPILED[:1]}\n")
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


def test_without_a_compiler_the_installation_succeeds_uncompiled(sources: Path) -> None:
    built = build(sources, "setup.py", "build_ext", CC="/bin/false", PAGESIEVE_BUILD="")
    (line,) = (line for line in built.stderr.splitlines() if "pagesieve:" in line)
    assert line.startswith("pagesieve: no C compiler works here (")
    names = wheel_of(sources, CC="/bin/false", PAGESIEVE_BUILD="")
    assert compiled(names) == []
    assert {f"pagesieve/page/kernel/{name}.py" for name in COMPILED} <= set(names)
    assert "pagesieve/py.typed" in names


def test_with_a_compiler_the_kernel_is_compiled(sources: Path) -> None:
    names = wheel_of(sources, PAGESIEVE_BUILD="require")
    assert len(compiled(names)) == 1
    declared = {path for path in (ROOT / KERNEL).glob("*.pxd") if path.stem not in CONSTANTS}  # these are made there
    assert {path.relative_to(ROOT / "src").as_posix() for path in declared} <= set(names)


def test_a_build_says_how_far_it_is_and_takes_what_is_current(sources: Path) -> None:
    """The command of the Makefile: each module is named as soon as it is compiled, and only once."""
    command = ("-u", "setup.py", "--quiet", "build_ext", "--inplace")
    first, second = (build(sources, *command, PAGESIEVE_BUILD="require") for _ in range(2))
    assert (first.returncode, second.returncode) == (0, 0), first.stderr[-2000:] + second.stderr[-2000:]
    translated, done = first.stdout.splitlines()
    assert translated.startswith("[1/1] Cythonizing")
    assert done == f"kernel: 1 of 1 compiled ({COMPILED[0]})"
    assert second.stdout == ""
    assert " ".join(command) in (ROOT / "Makefile").read_text("utf-8")


def test_a_switch_makes_a_failed_compilation_an_error(sources: Path) -> None:
    assert build(sources, "setup.py", "build_ext", CC="/bin/false", PAGESIEVE_BUILD="require").returncode != 0


def test_a_switch_forbids_compilation(sources: Path) -> None:
    assert build(sources, "setup.py", "build", PAGESIEVE_BUILD="pure").returncode == 0
    built = [path.name for path in (sources / "build").rglob("*")]
    assert f"{COMPILED[0]}.py" in built
    assert compiled(built) == []


def test_a_wrong_switch_is_refused(sources: Path) -> None:
    built = build(sources, "setup.py", "build", PAGESIEVE_BUILD="maybe")
    assert (built.returncode, built.stdout) == (1, "")
    assert "PAGESIEVE_BUILD" in built.stderr


def test_a_compiled_module_that_is_not_listed_is_removed(sources: Path) -> None:
    stale = sources / KERNEL / "common.cpython-311-x86_64-linux-gnu.so"
    stale.touch()
    built = build(sources, "setup.py", "build_ext", "--inplace", CC="/bin/false", PAGESIEVE_BUILD="")
    assert built.returncode == 0, built.stderr[-2000:]
    assert not stale.exists()
