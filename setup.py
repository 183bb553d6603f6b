"""Compiles the kernel; everything else is in pyproject.toml.

A C compiler and the headers of Python are needed. `CFLAGS` in the environment stands in place of `FLAGS`. The modules
are linked into one library, with one copy of what Cython needs for memoryviews. What was compiled in place is compiled
again when its source, a declaration that it uses, Cython, the compiler or its flags change.
"""

import hashlib
import os
import re
import runpy
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from itertools import count
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

PACKAGE = "pagesieve.page.kernel"
KERNEL = Path("src/pagesieve/page/kernel")
TRANSLATED = Path("build/cython")  # the C files
BUILT = Path("build/kernel")  # what was compiled in place: object files, and digests of what they were compiled from
LISTED = runpy.run_path(str(KERNEL / "modules.py"))
LIBRARY, SHARED = LISTED["LIBRARY"], LISTED["SHARED"]
MODULES = (SHARED, *LISTED["COMPILED"])
FLAGS = [] if os.name == "nt" or "CFLAGS" in os.environ else ["-O3", "-g0"]
NO_COMPILER = """pagesieve: the kernel has to be compiled, and no C compiler works here: {problem}
Install one with the headers of Python (apt-get install gcc python3-dev, dnf install gcc python3-devel,
xcode-select --install, or the Build Tools for Visual Studio), or install a wheel of Pagesieve."""


def file_of(name: str, suffix: str) -> Path:
    """Return a file of a module of the kernel, which is named with its room."""
    return KERNEL / (name.replace(".", "/") + suffix)


def write_constants() -> None:
    """Write a `.pxd` beside each module of constants: its whole numbers as a C enum."""
    for name in LISTED["CONSTANTS"]:
        values = runpy.run_path(str(file_of(name, ".py")))
        numbers = [f"    {key} = {value}" for key, value in values.items() if key.isupper() and type(value) is int]
        file_of(name, ".pxd").write_text(
            "\n".join(["# Written by setup.py from the module beside it.", "cdef enum:", *numbers, ""])
        )


def remove_stale() -> None:
    """Remove what an older build has compiled in place."""
    for path in (*KERNEL.glob("*.so"), *KERNEL.glob("*.pyd")):
        if path.name.partition(".")[0] != LIBRARY:
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


def declarations(path: Path) -> set[Path]:
    """Return the `.pxd` files that a file of the kernel imports."""
    imports = re.findall(rf"\b{re.escape(PACKAGE)}\.?([\w.]*) c?import (.*)", path.read_text("utf-8"))
    names = {f"{room}.{word}".strip(".") for room, words in imports for word in ["", *re.findall(r"\w+", words)]}
    return {other for name in names if (other := file_of(name, ".pxd")).exists()}


def digest(name: str) -> str:
    """Return a digest of all that a module of the kernel is compiled from, and how."""
    files, new = set(), {file_of(name, ".py"), file_of(name, ".pxd")}
    while new := {path for path in new - files if path.exists()}:
        files |= new
        new = {other for path in new for other in declarations(path)}
    how = [FLAGS, os.environ.get("CC"), os.environ.get("CFLAGS"), version("cython")]
    found = hashlib.sha256(repr(how).encode())
    for path in sorted(files):
        found.update(path.name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def translate(name: str) -> None:
    """Write the C file of a module."""
    from Cython.Build import cythonize

    # Cython looks for declarations there too: those of a tree that is installed are none of this one.
    sys.path[:] = [path for path in sys.path if not Path(path, "pagesieve").is_dir()]
    shared = f"{PACKAGE}.{SHARED}"
    if name == SHARED:
        c_file(name).parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "cython", f"--generate-shared={c_file(name)}", "--module-name", shared]
        subprocess.run(command, check=True)
        return
    cythonize(
        [Extension(f"{PACKAGE}.{name}", [str(file_of(name, ".py"))])],
        build_dir=str(TRANSLATED),
        language_level=3,
        include_path=["src"],
        compiler_directives={"show_performance_hints": False},
        shared_utility_qualified_name=shared,
        force=True,
        quiet=True,
    )


def c_file(name: str) -> Path:
    """Return the C file of a module."""
    return TRANSLATED / file_of(name, ".c")


class BuildKernel(build_ext):
    """Translates the kernel to C and compiles it, when it is built: metadata and source distributions need neither."""

    def run(self) -> None:
        """Write what is compiled besides the sources, then compile and link."""
        self.stays = bool(self.inplace or self.editable_mode)
        python = str(sysconfig.get_config_var("EXT_SUFFIX")).split(".")[-2]
        self.objects = BUILT / python if self.stays else Path(self.build_temp)
        self.force = True  # what is current is known by digests, not by times
        remove_stale()
        write_constants()
        super().run()

    def build_extensions(self) -> None:
        """Compile what is not compiled yet, and link it; end with a few lines of advice where that is not possible."""
        digests = {name: digest(name) for name in MODULES}
        stale = {name: found for name, found in digests.items() if not self.is_current(name, found)}
        if stale and (problem := compiler_problem()):
            raise SystemExit(NO_COMPILER.format(problem=problem))
        self.objects.mkdir(parents=True, exist_ok=True)
        self.compile(stale)
        for library in self.extensions:
            library.sources, library.extra_objects = [], [str(self.object_file(name)) for name in MODULES]
            self.build_extension(library)

    def compile(self, digests: dict[str, str]) -> None:
        """Translate modules one by one, and compile them meanwhile; say so, since all of them take a minute."""
        done = count(1)

        def compile_one(name: str) -> None:
            self.compiler.compile([str(c_file(name))], output_dir=str(self.objects), extra_postargs=FLAGS)
            self.record(name).write_text(digests[name])
            print(f"kernel: {next(done)} of {len(digests)} compiled ({name})", flush=True)

        with ThreadPoolExecutor(self.parallel or 1) as pool:
            tasks = []
            for name in digests:
                translate(name)
                tasks.append(pool.submit(compile_one, name))
            for task in tasks:
                task.result()

    def is_current(self, name: str, found: str) -> bool:
        """Whether what was compiled in place can be taken: it was made of the same files in the same way."""
        # A wheel may be for an older system than the one that something was compiled in place on.
        is_there = self.stays and self.object_file(name).exists() and self.record(name).exists()
        return is_there and self.record(name).read_text() == found

    def record(self, name: str) -> Path:
        """Return the file that says what a module was compiled from."""
        return self.objects / f"{name}.digest"

    def object_file(self, name: str) -> Path:
        """Return the object file of a module."""
        return (self.objects / c_file(name)).with_suffix(self.compiler.obj_extension)

    def get_export_symbols(self, library: Extension) -> list[str]:
        """Return what Python looks for in the library: a function for each module."""
        return [f"PyInit_{name.rpartition('.')[2]}" for name in MODULES]


setup(
    ext_modules=[Extension(f"{PACKAGE}.{LIBRARY}", [str(file_of(name, ".py")) for name in LISTED["COMPILED"]])],
    cmdclass={"build_ext": BuildKernel},
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
)
