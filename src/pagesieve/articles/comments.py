"""Where readers' comments stand: below an element that says so in its class or id."""

from __future__ import annotations

import re

import numpy as np

from pagesieve.page.table import Bools, Page
from pagesieve.page.tags import ATTRIBUTE_ID, TEXT

# Whole words of a class or id that name a section of comments, not a count of them or a link to them.
_SECTION = re.compile(
    r"(?:^|[\s_-])(?:comments|commentlist|comment-?list|comment-?(?:area|section|wrap(?:per)?|box|container|thread)"
    r"|disqus_thread|respond|reader-?comments|pinglun|评论)(?:$|[\s_-])",
    re.IGNORECASE,
)
_NO_SECTION = re.compile(r"count|link|num|closed|button|no-comments", re.IGNORECASE)
MOST = 0.7  # a "section of comments" that holds more of the page's text than this is the page itself


def comment_rows(page: Page) -> Bools:
    """The text rows inside sections of comments, as a mask."""
    inside = np.zeros(len(page) + 1, dtype=np.int32)
    for row in _sections(page):
        inside[row] += 1
        inside[page.end[row]] -= 1
    mask: Bools = (np.cumsum(inside[:-1]) > 0) & (page.tag == TEXT)
    return mask


def _sections(page: Page) -> list[int]:
    wanted = np.isin(page.attribute_name, (ATTRIBUTE_ID["class"], ATTRIBUTE_ID["id"]))
    sections, limit = [], MOST * page.text_chars[0]
    for k in np.flatnonzero(wanted).tolist():
        value = page.value_buffer[page.value_at[k] : page.value_at[k + 1]].decode("utf-8", "replace")
        if _SECTION.search(value) and not _NO_SECTION.search(value):
            row = int(np.searchsorted(page.attribute_at, k, side="right")) - 1
            if page.text_chars[row] <= limit:
                sections.append(row)
    return sections
