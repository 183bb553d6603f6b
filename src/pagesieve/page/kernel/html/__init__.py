"""HTML source: its encoding, its tokens, the builders of the table, the tape, and the characters that are dropped."""

from types import ModuleType
from typing import TYPE_CHECKING

from pagesieve.page.kernel import loaded

if TYPE_CHECKING:
    from pagesieve.page.kernel.html import builders, cleaning, encodings, tape, tokenizer


def __getattr__(name: str) -> ModuleType:
    return loaded(__name__, name)
