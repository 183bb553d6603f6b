"""A page from static HTML: read from its source where that is sure, else repaired by lexbor first."""

from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np
from selectolax.lexbor import LexborHTMLParser

from pagesieve.errors import BadInput
from pagesieve.page import kernel
from pagesieve.page.cleaning import cleaned
from pagesieve.page.decode import decode, why_utf8
from pagesieve.page.table import COLUMNS, Page
from pagesieve.stages import stage
from pagesieve.text.urls import masked_url

# Browsers stop nesting at about 512 levels; parsers need minutes for what is far beyond.
DEPTH_LIMIT = 512
FORMATTING_LIMIT = 16  # unclosed: each is opened again in every paragraph that follows
ATTRIBUTE_LIMIT = 512
OPTION_LIMIT = 2000  # of a page: for each one the parser looks through all that its select holds
SIZE_LIMIT = 1 << 30  # the table counts in 32 bits
NEVER_CLOSED = "never closed"  # begins the note of elements that would have swallowed the rest of a page

_columns_of = attrgetter(*COLUMNS)


def parse(
    html: str | bytes | bytearray | memoryview | Page, url: str | None = None, *, content_type: str | None = None
) -> Page:
    """Parse a page into a table of nodes. `content_type` is the HTTP header's, where there was one.

    Whatever the bytes are, there is a page: nonsense gives one with little in it. A Page is returned as it is.
    """
    if isinstance(html, Page):
        return html
    if isinstance(html, str):
        source, encoding, why = html.encode("utf-8", "replace"), "utf-8", "text"
    elif isinstance(html, bytes | bytearray | memoryview):
        source, encoding, why = _as_utf8(bytes(html), content_type)
    else:
        raise BadInput(f"a page is str, bytes or Page, not {type(html).__name__}")
    return built(source, url, encoding, why)


@dataclass(frozen=True)
class PageSource:
    """A page as it was given, with its address and the Content-Type header; parsed when it is first asked for."""

    html: str | bytes | Page
    url: str | None = None
    content_type: str | None = None

    def __post_init__(self) -> None:
        check_url(self.url)

    @cached_property
    def page(self) -> Page:
        """The whole page. One that was parsed before takes the address that is given now."""
        if isinstance(self.html, Page) and self.url not in (None, self.html.url):
            return replace(self.html, url=self.url)
        return parse(self.html, self.url, content_type=self.content_type)


def check_url(url: object) -> None:
    """Raise BadInput where an address is no text."""
    if url is None:
        return
    if not isinstance(url, str):
        raise BadInput(f"url is a str, not {type(url).__name__}")
    try:
        url.encode()
    except UnicodeEncodeError as error:
        raise BadInput(f"url is not text: {masked_url(url)!r}") from error


@stage("tree")
def built(source: bytes, url: str | None, encoding: str, why: str) -> Page:
    """Build the page of a source in UTF-8, given what its encoding was and how that is known."""
    if len(source) > SIZE_LIMIT:
        raise BadInput(f"a page of {len(source):,} bytes; {SIZE_LIMIT:,} is the most")
    columns, notes = _columns(source)
    return from_columns(columns, url=url, encoding=encoding, encoding_why=why, notes=notes)


def from_columns(columns: Any, **facts: Any) -> Page:
    """Make a page of what a builder of the kernel made, and of what is known besides."""
    arrays = [np.frombuffer(column, np.int32) for column in _columns_of(columns)]
    for array in arrays:
        array.flags.writeable = False
    table: dict[str, Any] = dict(zip(COLUMNS, arrays, strict=True))
    return Page(
        **cleaned(table | {"text_buffer": columns.text, "value_buffer": columns.values}),
        more_tags=columns.more_tags,
        more_attributes=columns.more_attributes,
        **facts,
    )


@stage("encoding")
def _as_utf8(data: bytes, content_type: str | None) -> tuple[bytes, str, str]:
    """Return the page's bytes as UTF-8, the encoding they were in, and why."""
    if why := why_utf8(data):
        return data, "utf-8", why
    decoded = decode(data, content_type)
    return decoded.text.encode("utf-8", "replace"), decoded.encoding, decoded.why


def _columns(source: bytes) -> tuple[Any, tuple[str, ...]]:
    """Return the columns of a page, read from its source where that is sure, else by the parser; and any notes."""
    columns = kernel.builders.from_source(source)
    if not isinstance(columns, str):
        return columns, _unclosed(columns.unclosed)
    source, notes = within_limits(source)
    return kernel.builders.from_serialised(repaired(source)), notes


def within_limits(source: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return a page as a parser can read it, and notes of what that took.

    What nests too deep is left out, and an element of text that is never closed gets an end tag before the next tag.
    """
    edits = kernel.builders.edits(source, DEPTH_LIMIT, FORMATTING_LIMIT, ATTRIBUTE_LIMIT, OPTION_LIMIT)
    if not edits:
        return source, ()
    pieces, at = list[bytes](), 0
    for start, end, instead in edits:
        pieces += source[at:start], instead
        at = end
    ends = [instead.decode()[2:-1] for _, _, instead in edits if instead]
    return b"".join((*pieces, source[at:])), (*_left_out(len(edits) - len(ends)), *_unclosed(ends))


def _left_out(count: int) -> tuple[str, ...]:
    return (f"{count} tags beyond the limits of nesting, attributes and options were left out",) if count else ()


def _unclosed(names: list[str]) -> tuple[str, ...]:
    """Return the note of elements that a browser would let swallow the rest of the page."""
    if not names:
        return ()
    listed = ", ".join(f"<{name}>" for name in dict.fromkeys(names))
    return (f"{NEVER_CLOSED}, so read as if closed before the next tag: {listed}",)


def repaired(source: bytes) -> bytes:
    """Return the page as the parser understands it, every tag written out."""
    return (LexborHTMLParser(source).html or "").encode("utf-8", "replace")
