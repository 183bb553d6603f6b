"""The lines and units of a page, and what the block model knows of them and decides."""

from types import ModuleType
from typing import TYPE_CHECKING

from pagesieve.page.kernel import loaded

if TYPE_CHECKING:
    from pagesieve.page.kernel.lines import (
        deciding,
        engine,
        evidence,
        features,
        lines,
        stories,
        tables,
        trees,
        units,
        wholes,
        words,
    )


def __getattr__(name: str) -> ModuleType:
    return loaded(__name__, name)
