"""Compiles the kernel where that is possible; everything else is in pyproject.toml.

PAGESIEVE_BUILD=pure      do not compile: install the kernel as plain Python
PAGESIEVE_BUILD=require   a kernel that cannot be compiled is an error
Neither: compile, and where that fails install the kernel as plain Python. `pagesieve --version` says which it is.
"""

import os
import runpy
import shutil
import sys
import sysconfig
import tempfile
import textwrap
from itertools import count
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.modified import newer_group

SWITCH = os.environ.get("PAGESIEVE_BUILD", "")
KERNEL = Path("src/pagesieve/page/kernel")
LISTED = runpy.run_path(str(KERNEL / "modules.py"))


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


def compiler_problem() -> str | None:
    """Return why C cannot be compiled for this Python, in one line; None where it can."""
    from distutils.ccompiler import new_compiler  # setuptools' own, which stands in for the one that Python had
    from distutils.errors import CCompilerError, DistutilsError
    from distutils.sysconfig import customize_compiler

    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder, "probe.c")
        probe.write_text("#include <Python.h>\nint main(void) { return 0; }\n")
        try:
            compiler = new_compiler()
            customize_compiler(compiler)
            include = [sysconfig.get_path("include"), sysconfig.get_path("platinclude")]
            compiler.compile([str(probe)], output_dir=folder, include_dirs=include)
        except (CCompilerError, DistutilsError, OSError) as error:
            return textwrap.shorten(str(error), 100)
    return None


def extensions() -> list[Extension]:
    """Return the modules of the kernel as extensions; none where they are not to be compiled."""
    if SWITCH not in ("", "pure", "require"):
        raise SystemExit(f"PAGESIEVE_BUILD is 'pure', 'require' or empty, not {SWITCH!r}")
    if SWITCH == "pure":
        return []
    return [
        Extension(
            f"pagesieve.page.kernel.{name}",
            [str(KERNEL / f"{name}.py")],
            extra_compile_args=[] if os.name == "nt" else ["-O3"],
            optional=SWITCH != "require",
        )
        for name in LISTED["COMPILED"]
    ]


class BuildKernel(build_ext):
    """Translates the kernel to C and compiles it, when it is built: metadata and source distributions need neither."""

    def run(self) -> None:
        """Compile; where there is no compiler, and none is required, say so in one line."""
        self.stays = bool(self.inplace or self.editable_mode)  # beside the source, where it can be taken next time
        remove_stale(LISTED["COMPILED"])
        problem = compiler_problem() if SWITCH != "require" else None
        if problem is None:
            self.translate()
        elif self.extensions:
            print(
                f"pagesieve: no C compiler works here ({problem}): the kernel is installed as plain Python, "
                "with the same results, but many times slower",
                file=sys.stderr,
            )
            self.extensions = []
        super().run()

    def translate(self) -> None:
        """Write the C files, and name them as the sources of the extensions."""
        from Cython.Build import cythonize

        changed = write_constants(LISTED["CONSTANTS"])
        stale = [module for module in self.extensions if not self.is_current(module)]
        self.done, self.stale = count(1), len(stale)
        # Cython does not see that a module uses constants which it imports with their module's name.
        translated: list[Extension] = cythonize(
            [Extension(module.name, list(module.sources)) for module in stale],
            build_dir="build/cython",
            language_level=3,
            include_path=["src"],
            force=changed,
        )
        sources = {module.name: module.sources for module in translated}
        for module in stale:
            module.sources = sources[module.name]

    def is_current(self, module: Extension) -> bool:
        """Whether what was compiled before, and stands beside the source, can be taken.

        Only times are compared. Cython would translate everything again: pip gives it a new environment each time,
        whose own declarations are newer than whatever was made before.
        """
        declared = [str(path) for path in KERNEL.glob("*.pxd")]
        built = KERNEL / Path(self.get_ext_filename(module.name)).name
        return self.stays and not newer_group(["setup.py", *module.sources, *declared], str(built))

    def build_extension(self, module: Extension) -> None:
        """Compile a module and say so, since all of them take minutes; or copy it where it is current."""
        if not self.is_current(module):
            super().build_extension(module)
            print(f"kernel: {next(self.done)} of {self.stale} compiled ({module.name.rpartition('.')[2]})", flush=True)
            return
        target = Path(self.get_ext_fullpath(module.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(KERNEL / target.name, target)


setup(
    ext_modules=extensions(),
    cmdclass={"build_ext": BuildKernel},
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
)
