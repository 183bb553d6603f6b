"""Writers: the selected rows of a page as plain text, Markdown or clean HTML."""

from pagesieve.page.writer.builder import build
from pagesieve.page.writer.direct import text_of
from pagesieve.page.writer.document import WriterOptions
from pagesieve.page.writer.html import write_html
from pagesieve.page.writer.markdown import write_markdown
from pagesieve.page.writer.text import write_text

__all__ = ["WriterOptions", "build", "text_of", "write_html", "write_markdown", "write_text"]
