"""Writers: the selected rows of a page as plain text, Markdown, clean HTML or TEI."""

from pagesieve.writing.document import Document, WriterOptions, build, write_text
from pagesieve.writing.front_matter import write_front_matter
from pagesieve.writing.html import write_html
from pagesieve.writing.images import image_names
from pagesieve.writing.markdown import write_heading, write_markdown
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
