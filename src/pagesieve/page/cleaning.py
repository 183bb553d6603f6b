"""The texts and values of a page without the characters that no reader sees, before the page is made.

This is where what a page says comes in, so that all that follows, methods and writers, reads what a reader reads.
"""

from typing import Any

import numpy as np

from pagesieve.page import kernel
from pagesieve.page.table import Ints, frozen
from pagesieve.text.invisible import clean


def cleaned(table: dict[str, Any]) -> dict[str, Any]:
    """Return the columns and buffers of a page, its texts (but for scripts and styles) and values cleaned."""
    texts = kernel.suspects.texts(table["tag"], table["parent"], table["text_at"], table["text_buffer"])
    values = kernel.suspects.values(table["value_at"], table["value_buffer"])
    changed: dict[str, Any] = {}
    if texts:
        changed["text_at"], changed["text_buffer"] = _replaced(table["text_at"], table["text_buffer"], texts)
    if values:
        changed["value_at"], changed["value_buffer"] = _replaced(table["value_at"], table["value_buffer"], values)
    return table | changed if changed else table


def _replaced(offsets: Ints, buffer: bytes, places: list[int]) -> tuple[Ints, bytes]:
    """Return the offsets and the buffer with some of its texts, given by their places in order, cleaned."""
    pieces, copied, longer = [], 0, np.zeros(len(offsets), dtype=np.int32)
    for k in places:
        start, stop = int(offsets[k]), int(offsets[k + 1])
        text = clean(buffer[start:stop].decode("utf-8", "replace")).encode()
        pieces += [buffer[copied:start], text]
        copied = stop
        longer[k + 1] = len(text) - (stop - start)
    pieces.append(buffer[copied:])
    return frozen(offsets + np.cumsum(longer, dtype=np.int32)), b"".join(pieces)
