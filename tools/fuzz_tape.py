"""Feed mutated pages to the modules that read HTML source, compiled with bounds checks under the address sanitizer.

python tools/fuzz_tape.py FOLDER… [--bytes 10000000]

FOLDER holds pages (*.html). The kernel has to be built (its constants are read); the modules are compiled aside, in a
temporary folder. A fault ends the run with the sanitizer's report, a hang with the time limit.
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

KERNEL = Path(__file__).parents[1] / "src/pagesieve/page/kernel"
PACKAGE = "pagesieve.page.kernel"
MODULES = ("common", "tokenizer", "nesting", "builders", "tape", "matching")
SETUP = """
from setuptools import Extension, setup
from Cython.Build import cythonize
flags = ["-fsanitize=address", "-g", "-O1"]
setup(name="fuzzed", ext_modules=cythonize(
    [Extension(%r + "." + name, ["pagesieve/page/kernel/" + name + ".py"],
               extra_compile_args=flags, extra_link_args=flags) for name in %r],
    language_level=3))
"""
BITS = (
    b"< > </ <!-- --> <script </script> \" ' = <p> </p> <li> <table> <td> </table> <textarea> \x00 \xff <![CDATA[ /> "
    b"&amp; &#8217; &nGt; & <svg> </svg> <html a> <body b=c> <!doctype <select> <option> <b> </b> <template>"
).split()
LONGEST = 20_000  # bytes of one page
HANG = 3600  # seconds


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=Path, nargs="+")
    arguments.add_argument("--bytes", type=int, default=10_000_000)
    arguments.add_argument("--built", type=Path, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.built:
        sys.path.insert(0, str(given.built))
        fuzz(given.folder, given.bytes)
        return
    with tempfile.TemporaryDirectory() as name:
        built = Path(name)
        compile_checked(built)
        sanitizer = subprocess.check_output(["gcc", "-print-file-name=libasan.so"], text=True).strip()
        environment = os.environ | {"LD_PRELOAD": sanitizer, "ASAN_OPTIONS": "detect_leaks=0"}
        environment.pop("PYTHONPATH", None)
        options = ["--bytes", str(given.bytes), "--built", str(built)]
        command = [sys.executable, __file__, *map(str, given.folder), *options]
        sys.exit(subprocess.run(command, env=environment, timeout=HANG, check=False).returncode)


def compile_checked(folder: Path) -> None:
    """Compile the modules with every index checked, and the sanitizer around every access."""
    copy = folder.joinpath(*PACKAGE.split("."))
    copy.mkdir(parents=True)
    for package in (copy, *copy.parents[:2]):
        (package / "__init__.py").touch()
    for path in [*KERNEL.glob("*.pxd"), *KERNEL.glob("*.py")]:
        if path.name != "__init__.py":
            shutil.copy(path, copy)
    for module in MODULES:
        source = (copy / f"{module}.py").read_text(encoding="utf-8")
        (copy / f"{module}.py").write_text(source.replace("boundscheck=False", "boundscheck=True"), encoding="utf-8")
    (folder / "setup.py").write_text(SETUP % (PACKAGE, MODULES), encoding="utf-8")
    subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=folder, check=True)


def fuzz(folders: list[Path], most: int) -> None:
    """Feed so many bytes of mutated pages to the modules that can be imported."""
    modules = {name: importlib.import_module(f"{PACKAGE}.{name}") for name in MODULES}
    assert not any(str(module.__file__).endswith(".py") for module in modules.values())
    rng = random.Random(7)
    files = sorted(file for folder in folders for file in folder.rglob("*.html"))
    total = pages = 0
    while total < most:
        data = mutated(rng, rng.choice(files).read_bytes())
        total += len(data)
        pages += 1
        read(rng, modules, data)
    print(f"{total:,} bytes in {pages:,} pages: no fault")


def read(rng: random.Random, modules: dict[str, Any], data: bytes) -> None:
    """Read a page in every way."""
    matching, builders = modules["matching"], modules["builders"]
    modules["tokenizer"].is_utf8(data)
    modules["nesting"].excess(data, rng.randrange(1, 40), rng.randrange(1, 5), rng.randrange(1, 5))
    builders.from_source(data)
    builders.from_source(data.replace(b"\0", b""))
    builders.from_serialised(data)
    count, at, stop, tag, what = modules["tape"].scan(data)
    matching.forwards(tag, what, 0, count)
    matching.backwards(tag, what, 0, count)
    matching.grown((at, stop, tag, what, count), 30, 30, 2.0)
    if count:
        matching.around(tag, what, count, rng.randrange(count))


def mutated(rng: random.Random, source: bytes) -> bytes:
    """Return a piece of a page with some bytes added, removed and replaced."""
    start = rng.randrange(max(1, len(source) - LONGEST))
    data = bytearray(source[start : start + rng.randrange(10, LONGEST)])
    for _ in range(rng.randrange(1, 60)):
        at = rng.randrange(len(data) + 1)
        way = rng.random()
        if way < 0.4:
            data[at:at] = rng.choice(BITS)
        elif way < 0.7:
            del data[at : at + rng.randrange(1, 30)]
        elif data:
            data[at - 1] = rng.randrange(256)
    return bytes(data)


if __name__ == "__main__":
    main()
