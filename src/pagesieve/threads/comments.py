"""Find readers' comments: below an element that says so in its class or id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagesieve.page import kernel
from pagesieve.page.kernel.page.name_table import NAME_COMMENT, NAME_SECTION
from pagesieve.page.lines import CONTROLS, Blocks, as_mask, marked_tags
from pagesieve.stages import stage
from pagesieve.text.patterns import pattern

if TYPE_CHECKING:
    from pagesieve.page.table import Bools, Page

MAX_FORM_LENGTH = 600  # characters of a form to write a comment with; longer ones hold comments
LONG_LINE = 30  # characters without white space: less may be a heading, a date, a button,
_ENDS = pattern(r"[^.…][.!?。！？]$")  # unless it ends as sentences do
_CONTROLS = f"{CONTROLS} label legend nav"
MAX_SHARE = 0.7  # a "section of comments" that holds more of the page's text than this is the page itself


@stage("comments")
def comment_rows(page: Page) -> Bools:
    """Return the text rows inside sections of comments, as a mask."""
    return as_mask(kernel.page.names.texts_in(page, NAME_SECTION, MAX_SHARE))


@stage("comments")
def hinted_rows(page: Page) -> bytearray:
    """Return the text rows inside what a word of a class or id hints to be a comment or several: a byte a row."""
    found: bytearray = kernel.page.names.texts_in(page, NAME_COMMENT, MAX_SHARE)
    return found


@stage("comments")
def written_rows(blocks: Blocks, marks: Any) -> Any:
    """Mark those of the text rows inside sections of comments that readers wrote; none where no line is a sentence.

    Forms, form controls, navigation and what is hidden are left out. Rows are marked by a byte each.
    """
    if 1 not in marks:  # as on most pages
        return marks
    columns, without = blocks.buffers(), marked_tags(_CONTROLS)
    written, lines = kernel.lines.lines.written_rows(blocks.page, columns, marks, without, MAX_FORM_LENGTH, LONG_LINE)
    has_words = lines is None or any(_ENDS.search(blocks.text(line)) for line in lines)
    return written if has_words else bytearray(len(written))
