"""A page from static HTML: lexbor repairs and serialises it, the kernel flattens it."""

from __future__ import annotations

from typing import Any

import numpy as np
from selectolax.lexbor import LexborHTMLParser

from pagesieve.errors import BadInput
from pagesieve.page import kernel
from pagesieve.page.decode import Decoded, decode
from pagesieve.page.table import COLUMNS, Ints, Page

# Browsers stop nesting at about 512 levels; parsers need minutes for what is far beyond.
DEPTH_LIMIT = 512
FORMATTING_LIMIT = 64
ATTRIBUTE_LIMIT = 512
SIZE_LIMIT = 1 << 30  # the table counts in 32 bits


def parse(html: str | bytes | Page, url: str | None = None, *, content_type: str | None = None) -> Page:
    """The page as a table of nodes. `content_type` is the HTTP header's, where there was one.

    Whatever the bytes are, there is a page: nonsense gives one with little in it. A Page is handed back as it is.
    """
    if isinstance(html, Page):
        return html
    if isinstance(html, str):
        decoded = Decoded(html, "utf-8", "text")
    elif isinstance(html, bytes | bytearray | memoryview):
        decoded = decode(bytes(html), content_type)
    else:
        raise BadInput(f"a page is str, bytes or Page, not {type(html).__name__}")
    source, notes = _within_limits(decoded.text.encode("utf-8", "replace"))
    return _build(source, url=url, encoding=decoded.encoding, encoding_why=decoded.why, notes=notes)


def _within_limits(source: bytes) -> tuple[bytes, tuple[str, ...]]:
    if len(source) > SIZE_LIMIT:
        raise BadInput(f"a page of {len(source):,} bytes; {SIZE_LIMIT:,} is the most")
    spans = kernel.nesting.excess(source, DEPTH_LIMIT, FORMATTING_LIMIT, ATTRIBUTE_LIMIT)
    if not spans:
        return source, ()
    starts, ends = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(source)]
    kept = b"".join(source[start:end] for start, end in zip(starts, ends, strict=True))
    return kept, (f"{len(spans)} tags beyond the limits of nesting and attributes were left out",)


def _build(source: bytes, **facts: Any) -> Page:
    serialised = LexborHTMLParser(source).html or ""
    columns = kernel.flatten.flatten(serialised.encode("utf-8", "replace"))
    table: dict[str, Any] = {name: _column(getattr(columns, name)) for name in COLUMNS}
    return Page(
        **table,
        text_buffer=columns.text,
        value_buffer=columns.values,
        more_tags=columns.more_tags,
        more_attributes=columns.more_attributes,
        **facts,
    )


def _column(numbers: Any) -> Ints:
    column: Ints = np.frombuffer(numbers, dtype=np.int32)
    column.flags.writeable = False
    return column
