"""Find readers' comments, which are below an element with a telling class or id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagesieve.page import kernel
from pagesieve.page.kernel.page.name_table import NAME_SECTION
from pagesieve.page.lines import CONTROLS, Blocks, as_mask, marked_tags
from pagesieve.stages import stage
from pagesieve.text.patterns import pattern

if TYPE_CHECKING:
    from pagesieve.page.table import Bools, Page

MAX_FORM_LENGTH = 600  # characters of a comment form; longer forms contain comments
LONG_LINE = 30  # characters without white space: a shorter line may be a heading, a date or a button,
_ENDS = pattern(r"[^.…][.!?。！？]$")  # unless it ends like a sentence
_CONTROLS = f"{CONTROLS} label legend nav"
MAX_SHARE = 0.7  # a "section of comments" with a larger share of the page's text is the page itself


@stage("comments")
def comment_rows(page: Page) -> Bools:
    """Return the text rows inside sections of comments, as a mask."""
    return as_mask(kernel.page.names.texts_in(page, NAME_SECTION, MAX_SHARE))


@stage("comments")
def written_rows(blocks: Blocks, marks: Any) -> Any:
    """Return the rows of sections of comments that readers wrote. Both masks have a byte for each row.

    Forms, form controls, navigation and hidden text are left out. If no line is a sentence, there are no comments.
    """
    if 1 not in marks:  # the usual case
        return marks
    columns, without = blocks.buffers(), marked_tags(_CONTROLS)
    written, lines = kernel.lines.lines.written_rows(blocks.page, columns, marks, without, MAX_FORM_LENGTH, LONG_LINE)
    has_words = lines is None or any(_ENDS.search(blocks.text(line)) for line in lines)
    return written if has_words else bytearray(len(written))
