"""Compiles the kernel where that is possible; everything else is in pyproject.toml.

PAGESIEVE_BUILD=pure      do not compile: install the kernel as plain Python
PAGESIEVE_BUILD=require   a kernel that cannot be compiled is an error
Neither: compile, and where that fails install the kernel as plain Python.
"""

import os
import runpy
from pathlib import Path

from setuptools import Extension, setup

SWITCH = os.environ.get("PAGESIEVE_BUILD", "")
KERNEL = Path("src/pagesieve/page/kernel")


def write_constants(names: tuple[str, ...]) -> bool:
    """Write a `.pxd` beside each module of constants: its whole numbers as a C enum. Return whether one has changed."""
    changed = False
    for name in names:
        values = runpy.run_path(str(KERNEL / f"{name}.py"))
        numbers = [f"    {key} = {value}" for key, value in values.items() if key.isupper() and type(value) is int]
        declared = "\n".join(["# Written by setup.py from the module beside it.", "cdef enum:", *numbers, ""])
        path = KERNEL / f"{name}.pxd"
        if not path.exists() or path.read_text() != declared:  # a newer file would have everything compiled again
            path.write_text(declared)
            changed = True
    return changed


def remove_stale(names: tuple[str, ...]) -> None:
    """Remove compiled modules that are no longer listed: they would hide a source file of their name, or go without."""
    for path in (*KERNEL.glob("*.so"), *KERNEL.glob("*.pyd")):
        if path.name.partition(".")[0] not in names:
            path.unlink()


def extensions() -> list[Extension]:
    """Return the modules of the kernel as extensions; none where they are not to be compiled."""
    if SWITCH not in ("", "pure", "require"):
        raise SystemExit(f"PAGESIEVE_BUILD is 'pure', 'require' or empty, not {SWITCH!r}")
    if SWITCH == "pure":
        return []
    from Cython.Build import cythonize

    listed = runpy.run_path(str(KERNEL / "modules.py"))
    changed = write_constants(listed["CONSTANTS"])
    remove_stale(listed["COMPILED"])
    modules = [
        Extension(
            f"pagesieve.page.kernel.{name}",
            [str(KERNEL / f"{name}.py")],
            extra_compile_args=[] if os.name == "nt" else ["-O3"],
        )
        for name in listed["COMPILED"]
    ]
    # Cython does not see that a module uses constants which it imports with their module's name.
    built: list[Extension] = cythonize(
        modules, build_dir="build/cython", language_level=3, include_path=["src"], force=changed
    )
    for extension in built:
        extension.optional = SWITCH != "require"
    return built


setup(ext_modules=extensions(), options={"build_ext": {"parallel": os.cpu_count() or 1}})
