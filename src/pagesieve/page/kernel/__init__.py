"""The kernel: the loops that see every byte or every row, compiled from Python with Cython's types.

It has a room for each task. A module is a `.py` file that the build compiles, with a `.pxd` beside it where other
modules use its C functions. One library has them all, and a module is loaded when it is first used: `from
pagesieve.page import kernel`, then `kernel.lines.units`.
"""

import sys
from importlib import import_module
from importlib.machinery import ExtensionFileLoader, ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from types import ModuleType
from typing import TYPE_CHECKING

from pagesieve.errors import MissingKernel
from pagesieve.page.kernel.modules import COMPILED, LIBRARY, ROOMS, SHARED

if TYPE_CHECKING:
    from pagesieve.page.kernel import document, html, lines, page, records


_MESSAGE = (
    "Pagesieve's kernel is not compiled (page/kernel/{}): install a wheel of Pagesieve, or a C compiler with the "
    "headers of Python (apt-get install gcc python3-dev) and then Pagesieve again (pip install .)"
)


class _Library:
    """Finds the modules of the kernel in the library that has them all."""

    def __init__(self) -> None:
        spec = PathFinder.find_spec(f"{__name__}.{LIBRARY}", __path__)
        if spec is None or spec.origin is None:
            # An error where the kernel is imported, not at the first page.
            raise MissingKernel(_MESSAGE.format(LIBRARY))
        self.path = spec.origin
        self.names = {f"{__name__}.{name}" for name in (SHARED, *COMPILED)}

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return where a module is; None for one that is not of the kernel."""
        if name not in self.names:
            return None
        return spec_from_file_location(name, self.path, loader=ExtensionFileLoader(name, self.path))


sys.meta_path.insert(0, _Library())


def loaded(package: str, name: str) -> ModuleType:
    """Return a room of the kernel, or a module of a room, loaded when it is asked for."""
    if name not in (ROOMS if package == __name__ else ROOMS[package.rpartition(".")[2]]):
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return import_module(f"{package}.{name}")


def __getattr__(name: str) -> ModuleType:
    return loaded(__name__, name)
