"""Plain text straight from the rows: what most readers want, and what the kernel writes at once."""

from __future__ import annotations

import numpy as np

from pagesieve.page import kernel
from pagesieve.page.table import Bools, Page
from pagesieve.writing.builder import build
from pagesieve.writing.code import is_gutter
from pagesieve.writing.document import WriterOptions
from pagesieve.writing.inline import small
from pagesieve.writing.text import write_text


def text_of(page: Page, rows: Bools, options: WriterOptions = WriterOptions()) -> str:
    """The text rows that `rows` marks as plain text: written by the kernel where it can, else by way of a document."""
    text = direct_text(page, rows, options)
    return write_text(build(page, rows, options), options) if text is None else text


def direct_text(page: Page, rows: Bools, options: WriterOptions = WriterOptions()) -> str | None:
    """What the kernel writes; None where it would not do justice to the page, or links or pictures are wanted."""
    if options.links or options.images:
        return None
    marked = np.ascontiguousarray(rows).view(np.uint8)
    written: str | None = kernel.writing.text(page, marked, options.tables, is_gutter, small)
    return written
