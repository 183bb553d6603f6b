"""The kernel: the loops that see every byte or every row, in Cython's pure Python mode.

Each module is an ordinary typed `.py` file. The build compiles it where a C compiler is there; it also runs
uncompiled, with the same results. `PAGESIEVE_KERNEL=pure` in the environment chooses the uncompiled files.
"""

import importlib
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

MODULES = (
    "builders",
    "clustering",
    "derive",
    "features",
    "leaves",
    "lines",
    "matching",
    "nesting",
    "recurring",
    "punctuation",
    "stated",
    "tape",
    "trees",
    "writing",
)


def load(name: str, pure: bool) -> ModuleType:
    """One module of the kernel: the source file itself if `pure`, else the compiled one where there is one."""
    if not pure:
        return importlib.import_module(f"{__name__}.{name}")
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"{__name__}.pure_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _is_compiled(module: ModuleType) -> bool:
    return not str(module.__file__).endswith(".py")


if TYPE_CHECKING:
    from pagesieve.page.kernel import (
        builders,
        clustering,
        derive,
        features,
        leaves,
        lines,
        matching,
        nesting,
        punctuation,
        recurring,
        stated,
        tape,
        trees,
        writing,
    )

_pure = os.environ.get("PAGESIEVE_KERNEL", "") == "pure"
_loaded = {name: load(name, _pure) for name in MODULES}
globals().update(_loaded)
KERNEL = "compiled" if all(map(_is_compiled, _loaded.values())) else "pure"
