"""Find readers' comments: below an element that says so in its class or id."""

from __future__ import annotations

import re

import numpy as np

from pagesieve.page import kernel
from pagesieve.page.kernel.name_table import NAME_COMMENT, NAME_SECTION
from pagesieve.page.lines import CONTROLS, Blocks, inside
from pagesieve.page.table import Bools, Page
from pagesieve.stages import stage

LONGEST_FORM = 600  # characters of a form to write a comment with; longer ones hold comments
LONG_LINE = 30  # characters without white space: less may be a heading, a date, a button,
_ENDS = re.compile(r"[^.…][.!?。！？]$")  # unless it ends as sentences do
_CONTROLS = f"{CONTROLS} label legend nav"
MOST = 0.7  # a "section of comments" that holds more of the page's text than this is the page itself


@stage("comments")
def comment_rows(page: Page) -> Bools:
    """Return the text rows inside sections of comments, as a mask."""
    return np.frombuffer(kernel.names.texts_in(page, NAME_SECTION, MOST), dtype=np.bool_)


@stage("comments")
def hinted_rows(page: Page) -> Bools:
    """Return the text rows inside what a word of a class or id hints to be a comment or several, as a mask."""
    return np.frombuffer(kernel.names.texts_in(page, NAME_COMMENT, MOST), dtype=np.bool_)


@stage("comments")
def written_rows(blocks: Blocks, rows: Bools) -> Bools:
    """Return those of the text rows inside sections of comments that readers wrote; none where no line is a sentence.

    Forms, form controls, navigation and what is hidden are left out.
    """
    page = blocks.page
    if not rows.any():  # as on most pages
        return rows
    written = rows & (page.chars > 0)
    if not written.any():
        return written
    written &= ~inside(page, _CONTROLS)
    for form in page.rows("form").tolist():
        if page.text_chars[form] <= LONGEST_FORM:
            written[form : page.end[form]] = False
    lines = np.flatnonzero(blocks.any(written)).tolist()
    has_words = any(blocks.chars[line] >= LONG_LINE or _ENDS.search(blocks.text(line)) for line in lines)
    return written if has_words else np.zeros_like(written)
