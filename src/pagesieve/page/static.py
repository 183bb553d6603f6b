"""Parse static HTML: directly if its structure is certain, otherwise after lexbor has repaired it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pagesieve.errors import BadInput
from pagesieve.page import kernel
from pagesieve.page.decode import as_utf8
from pagesieve.page.keeping import lazy
from pagesieve.page.table import Page
from pagesieve.stages import stage
from pagesieve.text.urls import masked_url

# Browsers stop nesting at about 512 levels; parsers need minutes for much deeper pages.
DEPTH_LIMIT, FORMATTING_LIMIT, ATTRIBUTE_LIMIT, OPTION_LIMIT = kernel.html.builders.LIMITS
SIZE_LIMIT = 1 << 30  # the table counts in 32 bits
BYTES = (bytes, bytearray, memoryview)  # a tuple: isinstance is faster with it than with a union
NEVER_CLOSED = "never closed"  # the beginning of the note about elements that would have contained the rest of a page


def parse(
    html: str | bytes | bytearray | memoryview | Page, url: str | None = None, *, content_type: str | None = None
) -> Page:
    """Parse a page into a table of nodes. `content_type` is the value of the HTTP header, if there was one.

    Any bytes can be parsed; nonsense gives a page with little content. A Page is returned unchanged.
    """
    if isinstance(html, BYTES):
        source, encoding, why = as_utf8(bytes(html), content_type)
    elif isinstance(html, str):
        source, encoding, why = html.encode("utf-8", "replace"), "utf-8", "text"
    elif isinstance(html, Page):
        return html
    else:
        raise BadInput(f"a page is str, bytes or Page, not {type(html).__name__}")
    return built(source, url, encoding, why)


class PageSource:
    """The source of a page, with its address and its Content-Type header; it is parsed on first access."""

    def __init__(self, html: str | bytes | Page, url: str | None = None, content_type: str | None = None) -> None:
        if url is not None:
            check_url(url)
        self.html, self.url, self.content_type = html, url, content_type

    @lazy
    def page(self) -> Page:
        """The whole page. If the source is a Page already, it gets the address of this object."""
        if isinstance(self.html, Page) and self.url not in (None, self.html.url):
            return replace(self.html, url=self.url)
        return parse(self.html, self.url, content_type=self.content_type)


def check_url(url: object) -> None:
    """Raise BadInput if an address is neither a str nor None."""
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
    """Build the page of a source in UTF-8. `encoding` was its encoding, and `why` is the reason for it."""
    if len(source) > SIZE_LIMIT:
        raise BadInput(f"a page of {len(source):,} bytes; {SIZE_LIMIT:,} is the most")
    columns = kernel.html.builders.from_source(source)
    if isinstance(columns, str):  # the reason why the structure of the source is not certain
        source, notes = within_limits(source)
        columns = kernel.html.builders.from_serialised(repaired(source))
    else:
        notes = _unclosed(columns.unclosed) if columns.unclosed else ()
    return Page.of_columns(columns, url, encoding, why, notes)


def within_limits(source: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return a page within the limits of a parser, and notes on the changes.

    Elements that are nested too deeply are left out. A text element that is never closed gets an end tag before the
    next tag.
    """
    edits = kernel.html.builders.edits(source, *kernel.html.builders.LIMITS)
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


def _unclosed(names: Sequence[str]) -> tuple[str, ...]:
    """Return the note about elements that would contain the rest of the page in a browser."""
    if not names:
        return ()
    listed = ", ".join(f"<{name}>" for name in dict.fromkeys(names))
    return (f"{NEVER_CLOSED}, so read as if closed before the next tag: {listed}",)


def repaired(source: bytes) -> bytes:
    """Return the page as the parser understands it, with all tags written out."""
    from selectolax.lexbor import LexborHTMLParser  # most pages do not need it

    return (LexborHTMLParser(source).html or "").encode("utf-8", "replace")
