"""Check quickly whether a page shows only a part of its data, before `pagesieve.methods.data` reads them."""

from __future__ import annotations

from json.encoder import encode_basestring_ascii

from pagesieve.page import kernel
from pagesieve.page.table import Page
from pagesieve.selection import Selection
from pagesieve.stages import stage

MUCH = 2_000  # characters: a page that shows so much is not a teaser
NOTICE = 400  # characters: less may be a notice in place of the article
PROBE = 40  # characters of the page that are searched in scripts, at most
MIN_BYTES = 400  # of a script with an article
ARTICLE_BODY = b'"articleBody"'


@stage("data in scripts")
def fuller_data(page: Page, found: Selection) -> Selection | None:
    """Return the article in the data of a page if the page shows only a part of it, or a notice; otherwise None."""
    visible, longest = kernel.page.stated.longest_shown(page, found.row_marks)
    if visible >= MUCH:
        return None
    words = _spellings(kernel.page.stated.longest_plain(page.text(longest))[:PROBE])
    spans = kernel.page.stated.scripts_with(page, words, MIN_BYTES)
    may_be_notice = visible < NOTICE and ARTICLE_BODY in page.text_buffer
    if not spans and not may_be_notice:
        return None
    from pagesieve.methods.data import goes_on, hidden_data

    if not may_be_notice and not goes_on(page, spans, words, visible):
        return None
    return hidden_data(page, found, words, visible)


def _spellings(words: str) -> list[bytes]:
    """Return the spellings of words in data: unchanged, and with all characters but ASCII escaped."""
    if words.isascii() and words.isprintable():
        return [words.encode()]
    return [words.encode(), encode_basestring_ascii(words)[1:-1].encode()]
