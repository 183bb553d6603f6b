"""The visible text around the headline of a page, in which bylines and dates are searched."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pagesieve.page import kernel
from pagesieve.page.kernel.constants import LAST_SOFT
from pagesieve.page.kernel.page.cache import lazy
from pagesieve.page.kernel.tags import KNOWN_TAGS, TAG_ID, tag_ids
from pagesieve.page.styles import (
    ARIA_HIDDEN,
    CLIPPED,
    FOR_SCREEN_READERS,
    NO_SIZE,
    OFF_SCREEN,
    OPACITY,
    RULE_DISPLAY,
    RULE_VISIBILITY,
    WAYS,
)
from pagesieve.page.table import Page
from pagesieve.text.patterns import pattern
from pagesieve.text.whitespace import squeeze

NEAR = 150  # rows after the headline in which bylines and dates are searched
NEAR_BEFORE = NEAR // 2  # rows before the headline
REMEMBERED = 1024  # classes and labels for which regular expressions are tried once
MAX_LABEL = kernel.page.facts.MAX_LABEL  # characters of those that are remembered
LONG_AFTER = 40  # characters that are read after a label
_MAX_MARKED = 24  # of each mark
_MAX_HEADINGS = 20
_MAX_PLACES = 20  # of a label
_MAX_ABOVE = 12  # ancestors of an element that are checked
_MAX_ROWS, _MAX_BYTES = 100, 2000  # of a byline
_MAX_BELOW = 400  # bytes of a name or a date
_LINES_BEFORE, _LINES_AFTER = 10, 14
_MAX_LINE_LENGTH = 120  # characters without blanks
_BYTES_AFTER, _ROWS_AFTER = 120, 12  # in which the text after a label is searched
_BYTES_BEFORE = 40

_H1 = TAG_ID["h1"]
_ASIDES = bytes(number in tag_ids("aside nav footer") for number in range(KNOWN_TAGS))
_BLANKS = pattern(r"\s+")
_OF_OTHERS = pattern(  # for lower case
    r"[\s_-](?:responses|respond|related|recommend|sidebar|teaser|most-read|trending|testimonial|quote|upnext"
    r"|(?:reviews?|promos?)(?=$|[\s_-]))"
)
# The beginnings of words that mark comments or other pages. Without any of them, the pattern is not tried.
_STEMS = ("comm", "resp", "rela", "reco", "sideb", "teas", "most-r", "trend", "testi", "quot", "upne", "revi", "prom")

# Labels such as "Author:" are often for screen readers only, and dates are often in boxes that a script shows.
_SHOWN_WAYS = (FOR_SCREEN_READERS, ARIA_HIDDEN, RULE_DISPLAY, RULE_VISIBILITY, OPACITY, OFF_SCREEN, CLIPPED, NO_SIZE)
_COUNT_AS_SHOWN = bytes(way in _SHOWN_WAYS for way in range(len(WAYS)))

# Labels of authors, reporters, editors and sources in Chinese, Japanese and Korean.
AUTHOR_LABELS = ("作者", "撰文", "執筆", "글쓴이")
REPORTER_LABELS = ("记者", "記者", "执笔", "通讯员")
EDITOR_LABELS = ("责任编辑", "責任編輯", "责编", "責編", "编辑", "編輯")
SOURCE_LABELS = ("来源", "來源", "出处", "稿源", "출처")
# Labels of dates and of changes, by language; English labels occur on pages of all languages.
ENGLISH_DATE_LABELS = (("Published", "Posted on", "Post time"), ("Last updated", "Updated"))
DATE_LABELS = {
    "de": (("Veröffentlicht", "Erstellt"), ("Aktualisiert",)),
    "fr": (("Publié",), ("Mis à jour",)),
    "es": (("Publicado",), ("Actualizado",)),
    "pt": (("Publicado",), ("Atualizado",)),
    "it": (("Pubblicato",), ("Aggiornato",)),
    "nl": (("Gepubliceerd",), ("Bijgewerkt",)),
    "ru": (("Опубликовано",), ("Обновлено",)),
    "zh": (("发布时间", "发表时间", "發布時間", "发布日期"), ("更新时间",)),
    "ja": (("公開日", "公開"), ("更新",)),
    "ko": (("입력", "등록"), ("수정",)),
}
_ALL_DATE_LABELS = (
    label for groups in (ENGLISH_DATE_LABELS, *DATE_LABELS.values()) for group in groups for label in group
)

Words = kernel.page.facts.Words
_LABELS = kernel.page.facts.FactLabels(
    *AUTHOR_LABELS, *REPORTER_LABELS, *EDITOR_LABELS, *SOURCE_LABELS, *_ALL_DATE_LABELS
)
_WORDS_OF_OTHERS = Words(*_STEMS, fold=True)


class Visible:
    """The surroundings of a page's headline. Each part is read on first use."""

    def __init__(self, page: Page, title: str) -> None:
        self.page, self.title = page, title

    @lazy
    def rows(self) -> kernel.page.facts.ShownRows:
        """The rows that readers may see. Rules of style sheets are ignored, since scripts show most of that text."""
        marks = self.page._marks
        ways = self.page.hidden_by if self.page.rendered else self.page._hiding.by_markup or marks.soft
        return kernel.page.facts.ShownRows(self.page, marks.by_element, ways, _COUNT_AS_SHOWN, LAST_SOFT)

    @lazy
    def headline(self) -> int:
        """The row of the headline, or 0 if there is none."""
        rows, key = self.rows, squeeze(self.title)
        headings = rows.rows_of(_H1, _MAX_HEADINGS)
        seen = [row for row in headings if rows.is_seen(row)]
        same = (row for row in seen if squeeze(self.text_below(row)) == key)
        titled = (row for row, _ in self.places(self.title, 0))
        return next((row for found in (same, titled, seen, headings) for row in found), 0)

    @lazy
    def window(self) -> tuple[int, int]:
        """The rows near the headline: the first one, and the one after the last."""
        return max(self.headline - NEAR_BEFORE, 0), min(self.headline + NEAR, len(self.page))

    def marked(self, marks: Words, attributes: bytes, *, near: bool) -> list[tuple[int, int]]:
        """Return the visible rows with an attribute that contains a mark, in order, and the attribute.

        Each byte of `attributes` is the number of an attribute.
        """
        first, stop = self.window if near else (0, len(self.page))
        return self.rows.with_words(marks, attributes, first, stop, _MAX_MARKED)

    def text(self, row: int) -> str:
        """Return the visible text below a row, or an empty string if it is too long for a byline."""
        return self.rows.shown(row, _MAX_BYTES, _MAX_ROWS)

    def text_below(self, row: int) -> str:
        """Return all text below a row, or an empty string if it is too long for a name or a date."""
        return self.rows.below(row, _MAX_BELOW)

    def distance(self, row: int) -> int:
        """Return the distance of a row from the headline in rows; rows before the headline count double."""
        return row - self.headline if row >= self.headline else 2 * (self.headline - row)

    def is_aside(self, row: int) -> bool:
        """Whether a row is not part of the article, but of comments or of a list of other pages."""
        return self.rows.is_aside(row, self.headline, _MAX_ABOVE, _ASIDES, _WORDS_OF_OTHERS, is_of_others)

    def label(self, row: int) -> str:
        """Return the class and the id of a row, up to the maximum length."""
        label: str = self.rows.label(row)
        return label

    def before(self, row: int) -> str:
        """Return the text before a row in the same or the surrounding element, which may be its label."""
        return self.rows.before(row, _BYTES_BEFORE)

    @lazy
    def lines(self) -> list[str]:
        """The short lines around the headline: those after it, then those before it, each from the nearest on."""
        return self.rows.lines(self.headline, _LINES_BEFORE, _LINES_AFTER, _MAX_LINE_LENGTH)

    @lazy
    def labels(self) -> frozenset[str]:
        """The labels in the visible text from the headline on; most of a page's text is scripts."""
        return _LABELS.found_in(self.rows.following(self.headline))

    def places(self, label: str, start: int | None = None) -> Iterator[tuple[int, int]]:
        """Yield the visible rows with a label, from the headline on, and the end of the label in the text.

        If `start`, an offset in the text, is not None, search from there, and for any text, not only for known labels.
        """
        if not label or (start is None and label not in self.labels):
            return
        page, mark = self.page, label.encode("utf-8", "replace")
        at = page.text_buffer.find(mark, self.rows.place(self.headline) if start is None else start)
        for _ in range(_MAX_PLACES):
            if at < 0:
                return
            row = self.rows.row_at(at)
            if self.rows.is_seen(row):
                yield row, at + len(mark)
            at = page.text_buffer.find(mark, at + 1)

    def goes_on(self, text: str, how: re.Pattern[str]) -> bool:
        """Whether a text near the headline, unchanged or in capitals, is followed by text that fits a pattern."""
        page, (first, last) = self.page, self.window
        start, stop = self.rows.place(first), self.rows.place(last)
        for mark in (text.encode("utf-8", "replace"), text.upper().encode("utf-8", "replace")):
            at = page.text_buffer.find(mark, start, stop)
            if at >= 0:
                end = at + len(mark)
                return how.match(page.text_buffer[end : end + LONG_AFTER].decode("utf-8", "ignore")) is not None
        return False

    def after(self, row: int, at: int) -> str:
        """Return the text after a position in a row, with the text of the next rows if it is short."""
        return _BLANKS.sub(" ", self.rows.after(row, at, _BYTES_AFTER, _ROWS_AFTER, LONG_AFTER))


def is_of_others(label: str) -> bool:
    """Whether a class or an id marks comments or links to other pages."""
    label = f" {label.lower()}"
    return "comment" in label or _OF_OTHERS.search(label) is not None
