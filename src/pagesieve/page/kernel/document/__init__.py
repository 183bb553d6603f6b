"""The document of a selection, and its plain text."""

from types import ModuleType
from typing import TYPE_CHECKING

from pagesieve.page.kernel import loaded

if TYPE_CHECKING:
    from pagesieve.page.kernel.document import document, plaintext, roles


def __getattr__(name: str) -> ModuleType:
    return loaded(__name__, name)
