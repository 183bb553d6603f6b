"""Mutated pages through the tape and the matchers, compiled with bounds checks under the address sanitizer.

python tools/fuzz_tape.py FOLDER… [--bytes 10000000]

FOLDER holds pages (*.html). The two kernel modules are compiled aside, into a temporary folder; a fault ends the run
with the sanitizer's report, a hang with the time limit.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

KERNEL = Path(__file__).parents[1] / "src/pagesieve/page/kernel"
MODULES = ("tape", "matching")
SETUP = """
from setuptools import Extension, setup
from Cython.Build import cythonize
flags = ["-fsanitize=address", "-g", "-O1"]
setup(name="fuzzed", ext_modules=cythonize(
    [Extension(name, [name + ".py"], extra_compile_args=flags, extra_link_args=flags) for name in %r],
    language_level=3))
"""
BITS = (
    b"< > </ <!-- --> <script </script> \" ' = <p> </p> <li> <table> <td> </table> <textarea> \x00 \xff <![CDATA[ />"
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
        fuzz(given.built, given.folder, given.bytes)
        return
    with tempfile.TemporaryDirectory() as name:
        built = Path(name)
        compile_checked(built)
        sanitizer = subprocess.check_output(["gcc", "-print-file-name=libasan.so"], text=True).strip()
        environment = os.environ | {"LD_PRELOAD": sanitizer, "ASAN_OPTIONS": "detect_leaks=0"}
        command = [
            sys.executable,
            __file__,
            *map(str, given.folder),
            "--bytes",
            str(given.bytes),
            "--built",
            str(built),
        ]
        sys.exit(subprocess.run(command, env=environment, timeout=HANG, check=False).returncode)


def compile_checked(folder: Path) -> None:
    """The modules with every index checked, and the sanitizer around every access."""
    for module in MODULES:
        source = (KERNEL / f"{module}.py").read_text(encoding="utf-8")
        (folder / f"{module}.py").write_text(source.replace("boundscheck=False", "boundscheck=True"), encoding="utf-8")
    (folder / "setup.py").write_text(SETUP % (MODULES,), encoding="utf-8")
    subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=folder, check=True)


def fuzz(built: Path, folders: list[Path], most: int) -> None:
    sys.path.insert(0, str(built))
    import matching
    import tape

    assert not tape.__file__.endswith(".py")
    rng = random.Random(7)
    files = sorted(file for folder in folders for file in folder.rglob("*.html"))
    total = pages = 0
    while total < most:
        data = mutated(rng, rng.choice(files).read_bytes())
        total += len(data)
        pages += 1
        count, at, stop, tag, what = tape.scan(data)
        matching.forwards(tag, what, 0, count)
        matching.backwards(tag, what, 0, count)
        matching.grown((at, stop, tag, what, count), 30, 30, 2.0)
        if count:
            matching.around(tag, what, count, rng.randrange(count))
    print(f"{total:,} bytes in {pages:,} pages: no fault")


def mutated(rng: random.Random, source: bytes) -> bytes:
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
