"""The texts and values of a page without the characters that no reader sees, before the page is made of arrays.

Where a builder of the kernel makes a page, it does the same (`pagesieve.page.kernel.html.cleaning`). So all that
follows, methods and writers, reads what a reader reads.
"""

from typing import Any

from pagesieve.page import kernel
from pagesieve.page.table import frozen


def cleaned(table: dict[str, Any]) -> dict[str, Any]:
    """Return the columns and buffers of a page, its texts (but for scripts and styles) and values cleaned."""
    text_at, value_at = table["text_at"].copy(), table["value_at"].copy()
    text = kernel.html.cleaning.texts(table["tag"], table["parent"], text_at, table["text_buffer"])
    values = kernel.html.cleaning.values(value_at, table["value_buffer"])
    return table | {
        "text_at": frozen(text_at),
        "text_buffer": text,
        "value_at": frozen(value_at),
        "value_buffer": values,
    }
