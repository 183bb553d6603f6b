"""The kernel: the loops that see every byte or every row, in Cython's pure Python mode.

Each module is an ordinary typed `.py` file, with a `.pxd` beside it where others use it. The build compiles it where a
C compiler is there; it also runs uncompiled, with the same results. `PAGESIEVE_KERNEL=pure` in the environment chooses
the uncompiled files.
"""

import importlib
import importlib.util
import os
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from pagesieve.page.kernel.modules import COMPILED, CONSTANTS, INLINE

if TYPE_CHECKING:
    from pagesieve.page.kernel import (
        addresses,
        builders,
        deciding,
        derive,
        digests,
        document,
        evidence,
        features,
        group_features,
        items,
        line_sums,
        lines,
        links,
        main_list,
        places,
        plaintext,
        posts,
        punctuation,
        record_cuts,
        record_fields,
        record_rows,
        recurring,
        roles,
        siblings,
        stated,
        stories,
        style_sheets,
        suspects,
        tables,
        tape,
        targets,
        tokenizer,
        trees,
        units,
        view,
        wholes,
        words,
    )


def load(name: str, pure: bool) -> ModuleType:
    """Return one module of the kernel: the source file itself if `pure`, else the one that is in use."""
    return _sources()[name] if pure else _loaded[name]


@cache
def _sources() -> dict[str, ModuleType]:
    """Return all modules uncompiled; where Cython is not installed, `import cython` finds the shim in them."""
    is_installed = importlib.util.find_spec("cython") is not None
    if not is_installed:
        sys.modules["cython"] = importlib.import_module(f"{__name__}.cython_shim")
    for name in (*CONSTANTS, *INLINE):
        _offer(name, importlib.import_module(f"{__name__}.{name}"))
    try:
        return {name: _offer(name, _source(name)) for name in COMPILED}
    finally:
        if not is_installed:
            del sys.modules["cython"]


def _offer(name: str, module: ModuleType) -> ModuleType:
    """Let `from cython.cimports… import` find a module uncompiled, as the compiler finds its declarations."""
    package = f"cython.cimports.{__name__}"
    setattr(sys.modules.setdefault(package, ModuleType(package)), name, module)
    sys.modules[f"{package}.{name}"] = module
    return module


def _source(name: str) -> ModuleType:
    """Return the source file of a module, run as it is."""
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"{__name__}.pure_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _is_compiled(name: str) -> bool:
    spec = importlib.util.find_spec(f"{__name__}.{name}")
    return spec is not None and not str(spec.origin).endswith(".py")


# Compiled modules call each other's C functions, so it is all of them or none.
KERNEL = "compiled" if os.environ.get("PAGESIEVE_KERNEL") != "pure" and all(map(_is_compiled, COMPILED)) else "pure"
_loaded = (
    {name: importlib.import_module(f"{__name__}.{name}") for name in COMPILED} if KERNEL == "compiled" else _sources()
)
globals().update(_loaded)
