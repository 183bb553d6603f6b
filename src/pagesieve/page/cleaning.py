"""Remove invisible characters from the texts and values of a page, before its table is built.

The builders of the kernel do the same (`pagesieve.page.kernel.html.cleaning`). So methods and writers only get visible
characters.
"""

from typing import Any

from pagesieve.page import kernel
from pagesieve.page.table import frozen


def cleaned(table: dict[str, Any]) -> dict[str, Any]:
    """Return the columns and buffers of a page with cleaned values, and cleaned texts except scripts and styles."""
    text_at, value_at = table["text_at"].copy(), table["value_at"].copy()
    text = kernel.html.cleaning.texts(table["tag"], table["parent"], text_at, table["text_buffer"])
    values = kernel.html.cleaning.values(value_at, table["value_buffer"])
    return table | {
        "text_at": frozen(text_at),
        "text_buffer": text,
        "value_at": frozen(value_at),
        "value_buffer": values,
    }
