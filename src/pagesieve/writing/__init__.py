"""Writers: the selected rows of a page as plain text, Markdown, clean HTML or TEI; each is loaded when first used."""

from importlib import import_module
from typing import TYPE_CHECKING

from pagesieve.writing.document import Document, WriterOptions, build, write_text

if TYPE_CHECKING:
    from pagesieve.writing.html import write_html
    from pagesieve.writing.images import image_names
    from pagesieve.writing.markdown import write_front_matter, write_heading, write_markdown
    from pagesieve.writing.tei import Header, write_tei

__all__ = [
    "Document",
    "Header",
    "WriterOptions",
    "build",
    "image_names",
    "write_front_matter",
    "write_heading",
    "write_html",
    "write_markdown",
    "write_tei",
    "write_text",
]

_HOMES = {
    "Header": "tei",
    "image_names": "images",
    "write_front_matter": "markdown",
    "write_heading": "markdown",
    "write_html": "html",
    "write_markdown": "markdown",
    "write_tei": "tei",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    writer: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = writer
    return writer
