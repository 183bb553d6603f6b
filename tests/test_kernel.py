"""Which kernel runs, and how the build chooses it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import pagesieve
from pagesieve.page import kernel
from pagesieve.page.kernel.modules import COMPILED, CONSTANTS, INLINE

ROOT = Path(__file__).parent.parent


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


def test_every_module_of_the_kernel_is_compiled_by_the_build() -> None:
    sources = {path.stem for path in Path(kernel.__file__).parent.glob("*.py")}
    assert sources - {"__init__", "cython_shim", "modules"} == {*COMPILED, *CONSTANTS, *INLINE}


def build_wheel(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Builds a wheel from a copy of the sources, as pip does."""
    copy = folder / "sources"
    subprocess.run(["git", "clone", "--quiet", "--local", str(ROOT), str(copy)], check=True)
    tracked = subprocess.run(["git", "ls-files", "-mo", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    for name in tracked.stdout.split("\n"):
        if name and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((ROOT / name).read_bytes())
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(copy)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})


def compiled_files(folder: Path) -> list[str]:
    (wheel,) = folder.glob("*.whl")
    return [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith((".so", ".pyd"))]


@pytest.mark.slow
def test_without_a_compiler_the_installation_succeeds_uncompiled(tmp_path: Path) -> None:
    built = build_wheel(tmp_path, CC="/bin/false", PAGESIEVE_BUILD="")
    assert built.returncode == 0, built.stderr[-2000:]
    assert compiled_files(tmp_path) == []
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert all(f"pagesieve/page/kernel/{name}.py" in names for name in COMPILED)
    assert "pagesieve/py.typed" in names


@pytest.mark.slow
def test_a_switch_makes_a_failed_compilation_an_error(tmp_path: Path) -> None:
    built = build_wheel(tmp_path, CC="/bin/false", PAGESIEVE_BUILD="require")
    assert built.returncode != 0


@pytest.mark.slow
def test_a_switch_forbids_compilation(tmp_path: Path) -> None:
    built = build_wheel(tmp_path, PAGESIEVE_BUILD="pure")
    assert built.returncode == 0, built.stderr[-2000:]
    assert compiled_files(tmp_path) == []


@pytest.mark.slow
def test_with_a_compiler_the_kernel_is_compiled(tmp_path: Path) -> None:
    built = build_wheel(tmp_path, PAGESIEVE_BUILD="require")
    assert built.returncode == 0, built.stderr[-2000:]
    assert len(compiled_files(tmp_path)) == len(COMPILED)
