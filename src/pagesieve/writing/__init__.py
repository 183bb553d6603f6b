"""Writers: the selected rows of a page as plain text, Markdown or clean HTML."""

from pagesieve.writing.builder import build
from pagesieve.writing.direct import text_of
from pagesieve.writing.document import WriterOptions
from pagesieve.writing.html import write_html
from pagesieve.writing.markdown import write_markdown
from pagesieve.writing.text import write_text

__all__ = ["WriterOptions", "build", "text_of", "write_html", "write_markdown", "write_text"]
