"""Find readers' comments: below an element that says so in its class or id."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import TEXT
from pagesieve.page.lines import CONTROLS, Blocks, inside
from pagesieve.page.table import Bools, Page
from pagesieve.stages import stage

# Whole words of a class or id that name a section of comments, not a count of them or a link to them.
_SECTION = re.compile(
    r"(?:^|[\s_-])(?:comments|commentlist|comment-?list|comment-?(?:area|section|wrap(?:per)?|box|container|thread)"
    r"|respond|reader-?comments|pinglun)(?:$|[\s_-])",
    re.IGNORECASE,
)
_NO_SECTION = re.compile(r"count|link|num|closed|button|no-comments", re.IGNORECASE)
# Words that name one comment or what is around some, among others of a class or id: a hint for a model, no proof.
_HINT = re.compile(
    r"(?:^|[_-])(?:comments?|comment-?(?:list|area|section|wrap(?:per)?|box|container|thread|body|text|content|entry|item)"
    r"|respond|responses?|pinglun)(?:$|[_-])",
    re.IGNORECASE,
)
_NO_HINT = re.compile(r"count|link|num|closed|button|no-comments|form", re.IGNORECASE)
LONGEST_FORM = 600  # characters of a form to write a comment with; longer ones hold comments
LONG_LINE = 30  # characters without white space: less may be a heading, a date, a button,
_ENDS = re.compile(r"[^.…][.!?。！？]$")  # unless it ends as sentences do
_CODE = "pre code"
_CONTROLS = f"{CONTROLS} label legend nav"
MOST = 0.7  # a "section of comments" that holds more of the page's text than this is the page itself


def comment_rows(page: Page) -> Bools:
    """Return the text rows inside sections of comments, as a mask."""
    return _texts_inside(page, _names_a_section)


@stage("comments")
def hinted_rows(page: Page) -> Bools:
    """Return the text rows inside what a word of a class or id hints to be a comment or several, as a mask."""
    return _texts_inside(page, _names_a_comment)


@stage("comments")
def written_rows(blocks: Blocks, rows: Bools) -> Bools:
    """Return those of the text rows inside sections of comments that readers wrote; none where no line is a sentence.

    Forms, form controls, navigation and what is hidden are left out.
    """
    page = blocks.page
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


def _texts_inside(page: Page, names: Callable[[str], bool]) -> Bools:
    found = np.zeros(len(page), dtype=np.bool_)
    stop = 0
    named = [row for row, k in kernel.lines.hinted(page) if names(page.attribute_value(k))]
    if not named:
        return found
    most = MOST * int(page.chars.sum())
    code = inside(page, _CODE)  # highlighters name the comments in it so
    for row in named:
        end = int(page.end[row])
        if end > stop and not code[row] and page.chars[row:end].sum() <= most:
            found[row:end] = True
            stop = end
    if stop:
        found &= page.tag == TEXT
    return found


def _names_a_section(value: str) -> bool:
    return bool(_SECTION.search(value)) and not _NO_SECTION.search(value)


def _names_a_comment(value: str) -> bool:
    return any(_HINT.search(word) and not _NO_HINT.search(word) for word in value.split())
