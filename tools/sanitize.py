"""Run the kernel's tests and its fuzz targets with bounds checks and the address and undefined-behaviour sanitizers.

python -m tools.sanitize [--cases 200] [--tests FILE…]

The package is copied to build/sanitize, every kernel module is compiled there with all indices checked and with
-fsanitize=address,undefined, and the tests and the targets of `tools/fuzz` that run in the kernel run against that
copy; together they reach every module. Anything that is reported fails the run: a sanitizer's report, a failed test, an
index error that C code could not pass on. Needs gcc.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tools.fuzz.targets import IN_KERNEL

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "sanitize"
SANITIZE = "-fsanitize=address,undefined"
FLAGS = f"{SANITIZE} -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g -O1"
UNCHECKED = re.compile(r"\b(boundscheck|initializedcheck)(=|\()False")
# What the tests of the kernel have in common: they use its modules. The others go through it with whole pages.
USES_KERNEL = "from pagesieve.page import kernel"
WHOLE_PAGES = (
    *("tests/test_reverse.py", "tests/test_headline.py", "tests/test_metadata.py", "tests/test_lineblocks.py"),
    *("tests/test_by_units.py", "tests/test_leaves.py", "tests/test_templates.py", "tests/test_records_static.py"),
    *("tests/test_records_cutting.py", "tests/writing/test_document.py"),
)
LEFT_OUT = ("tests/test_library.py", "tests/test_decode.py")  # they are about databases and encodings
# Slow tests and the labelled pages would take hours here.
SKIPPED = "not slow and not data"

PLUGIN = """
import os, sys
from importlib import import_module

from hypothesis import settings

from pagesieve.page import kernel
from pagesieve.page.kernel.modules import COMPILED

settings.register_profile("sanitized", deadline=None)
settings.load_profile("sanitized")

def pytest_sessionstart(session):
    for name in COMPILED:
        path = import_module(f"{{kernel.__name__}}.{{name}}").__file__
        assert path.startswith({folder!r}) and path.endswith(".so"), path
    sys.unraisablehook = report

def report(problem):
    print("unraisable:", repr(problem.exc_value), problem.object, file=sys.__stderr__, flush=True)
    if isinstance(problem.exc_value, (IndexError, AttributeError, UnboundLocalError)):
        os._exit(70)
"""


def main() -> int:
    """Build, test, fuzz; return the first exit status that is not 0."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--cases", type=int, default=200, help="mutated pages for each target")
    arguments.add_argument("--tests", nargs="*", default=None, help="test files instead of the kernel's")
    given = arguments.parse_args()
    build()
    tests = _kernel_tests() if given.tests is None else given.tests
    environment = _environment()
    pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "sanitize_plugin", "-m", SKIPPED]
    steps = [[*pytest, "-n", str(os.cpu_count() or 1), *tests]] if tests else []
    steps.append(["-m", "tools.fuzz", *IN_KERNEL, "--cases", str(given.cases), "--jobs", str(os.cpu_count() or 1)])
    for step in steps:
        started = time.monotonic()
        status = subprocess.run([sys.executable, *step], cwd=ROOT, env=environment, check=False).returncode
        print(f"{' '.join(step)}: exit status {status} after {time.monotonic() - started:.0f} s", flush=True)
        if status:
            return 1
    print(f"clean: {len(tests)} test files, {len(IN_KERNEL)} targets with {given.cases:,} mutated pages each")
    return 0


def build() -> None:
    """Compile a copy of the package with every check on; a second run compiles only what has changed."""
    for path in _sources():
        target = BUILD / path.relative_to(ROOT)
        content = path.read_bytes()
        if path.suffix in (".py", ".pxd"):
            content = UNCHECKED.sub(r"\1\2True", content.decode()).encode()
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    (BUILD / "sanitize_plugin.py").write_text(PLUGIN.format(folder=str(BUILD)), encoding="utf-8")
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace", "--parallel", str(os.cpu_count() or 1)]
    flags = {"CC": "gcc", "CFLAGS": FLAGS, "LDFLAGS": SANITIZE}
    subprocess.run(command, cwd=BUILD, env=os.environ | flags, check=True)


def _sources() -> list[Path]:
    kept = [path for path in (ROOT / "src").rglob("*") if path.is_file() and path.suffix not in (".so", ".pyc")]
    copied = {path.relative_to(ROOT) for path in kept}
    for stale in (BUILD / "src").rglob("*.py"):
        if stale.relative_to(BUILD) not in copied:
            shutil.rmtree(BUILD)  # a module is gone: begin anew
            break
    return [*kept, *(ROOT / name for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"))]


def _kernel_tests() -> list[str]:
    files = sorted(path for path in (ROOT / "tests").rglob("test_*.py") if USES_KERNEL in path.read_text("utf-8"))
    found = [str(path.relative_to(ROOT)) for path in files]
    return [name for name in dict.fromkeys((*found, *WHOLE_PAGES)) if name not in LEFT_OUT]


def _environment() -> dict[str, str]:
    libraries = [
        subprocess.check_output(["gcc", f"-print-file-name={name}.so"], text=True).strip()
        for name in ("libasan", "libubsan", "libstdc++")
    ]
    return os.environ | {
        "LD_PRELOAD": " ".join(libraries),
        "PYTHONMALLOC": "malloc",  # so that the sanitizer sees the ends of Python's objects
        "PYTHONPATH": f"{BUILD / 'src'}{os.pathsep}{BUILD}",
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    }


if __name__ == "__main__":
    sys.exit(main())
