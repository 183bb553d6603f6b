"""Compiles the kernel where that is possible; everything else is in pyproject.toml.

PAGESIEVE_BUILD=pure      do not compile: install the kernel as plain Python
PAGESIEVE_BUILD=require   a kernel that cannot be compiled is an error
Neither: compile, and where that fails install the kernel as plain Python.
"""

import os
from pathlib import Path

from setuptools import Extension, setup

SWITCH = os.environ.get("PAGESIEVE_BUILD", "")
KERNEL = Path("src/pagesieve/page/kernel")
MODULES = sorted(path.stem for path in KERNEL.glob("*.py") if path.stem not in ("__init__", "cython_shim"))


def extensions() -> list[Extension]:
    """The modules of the kernel as extensions; none where they are not to be compiled."""
    if SWITCH not in ("", "pure", "require"):
        raise SystemExit(f"PAGESIEVE_BUILD is 'pure', 'require' or empty, not {SWITCH!r}")
    if SWITCH == "pure":
        return []
    from Cython.Build import cythonize

    modules = [
        Extension(
            f"pagesieve.page.kernel.{name}",
            [str(KERNEL / f"{name}.py")],
            extra_compile_args=[] if os.name == "nt" else ["-O3"],
        )
        for name in MODULES
    ]
    built: list[Extension] = cythonize(modules, build_dir="build/cython", language_level=3)
    for extension in built:
        extension.optional = SWITCH != "require"
    return built


setup(ext_modules=extensions())
