"""Parse the responses that other tools have fetched."""

from __future__ import annotations

from pagesieve.errors import BadInput
from pagesieve.page.static import other_than_page, parse
from pagesieve.page.table import Page


def parse_response(body: str | bytes, url: str | None, content_type: str | None = None) -> Page:
    """Parse the body of a response with its Content-Type header. Raise BadInput if it is not a page."""
    if isinstance(body, bytes) and (other := other_than_page(body)):
        raise BadInput(f"not a page but {other}")
    return parse(body, url, content_type=content_type)
