"""Where readers' comments stand: below an element that says so in its class or id."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pagesieve.page.table import Bools, Ints, Page
from pagesieve.page.tags import ATTRIBUTE_ID, TEXT

# Whole words of a class or id that name a section of comments, not a count of them or a link to them.
_SECTION = re.compile(
    r"(?:^|[\s_-])(?:comments|commentlist|comment-?list|comment-?(?:area|section|wrap(?:per)?|box|container|thread)"
    r"|respond|reader-?comments|pinglun)(?:$|[\s_-])",
    re.IGNORECASE,
)
_NO_SECTION = re.compile(r"count|link|num|closed|button|no-comments", re.IGNORECASE)
# One of these words is in every value that _SECTION finds. To look for the rarest two letters of each in all values at
# once is twenty times faster than to look at each value.
_HINTS = ((b"comment", b"mm"), (b"respond", b"sp"), (b"pinglun", b"gl"))
_SMALL = 0x20  # the bit that makes a letter a small one
_CLASS, _ID = ATTRIBUTE_ID["class"], ATTRIBUTE_ID["id"]
MOST = 0.7  # a "section of comments" that holds more of the page's text than this is the page itself


def comment_rows(page: Page) -> Bools:
    """The text rows inside sections of comments, as a mask."""
    inside = np.zeros(len(page), dtype=np.bool_)
    limit = MOST * int(page.chars.sum())
    stop = 0
    for row in _sections(page):
        end = int(page.end[row])
        if end > stop and page.chars[row:end].sum() <= limit:
            inside[row:end] = True
            stop = end
    if stop:
        inside &= page.tag == TEXT
    return inside


def _sections(page: Page) -> Iterator[int]:
    """The rows whose class or id names a section of comments, in order."""
    found = _hinted(page)
    names = page.attribute_name[found]
    found = found[(names == _CLASS) | (names == _ID)]
    rows = page.attribute_at.searchsorted(found, side="right") - 1
    columns = (rows, page.value_at[found], page.value_at[found + 1])
    for row, start, stop in zip(*(column.tolist() for column in columns), strict=True):
        value = page.value_buffer[start:stop].decode("utf-8", "replace")
        if _SECTION.search(value) and not _NO_SECTION.search(value):
            yield row


def _hinted(page: Page) -> Ints:
    """The attributes whose values hold one of the hints, in order."""
    values = np.frombuffer(page.value_buffer, dtype=np.uint8) | np.uint8(_SMALL)
    at = np.concatenate([_places(values, word, pair) for word, pair in _HINTS])
    # Of the columns' own type, or numpy would first copy the column.
    return np.unique(page.value_at.searchsorted(at.astype(np.int32), side="right")).astype(np.int32) - 1


def _places(values: NDArray[np.uint8], word: bytes, pair: bytes) -> NDArray[np.intp]:
    """Where a word stands, found by two letters that stand together in it."""
    inside = word.index(pair)
    both = (values[inside:-1] == pair[0]) & (values[inside + 1 :] == pair[1])
    at = np.flatnonzero(both[: max(0, len(values) - len(word) + 1)])
    for offset, letter in enumerate(word):
        at = at[values[at + offset] == letter]
    return at
