"""What readers see around the headline of a page, where bylines and dates are looked for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pagesieve.page import kernel
from pagesieve.page.keeping import lazy
from pagesieve.page.kernel.constants import LAST_SOFT
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
from pagesieve.text.whitespace import fold, squeeze

NEAR = 150  # rows after the headline that a byline or a date stands in
NEAR_BEFORE = NEAR // 2  # rows before it
LONG_AFTER = 40  # characters that are read after a label, where there are as many
_MAX_MARKED = 24  # of each mark
_MAX_HEADINGS = 20
_MAX_PLACES = 20  # where a label stands
_MAX_ABOVE = 12  # rows above an element that are looked at
_MAX_ROWS, _MAX_BYTES = 100, 2000  # of an element that is a byline
_MAX_BELOW = 400  # bytes of a name or a date
_LINES_BEFORE, _LINES_AFTER = 10, 14
_MAX_LINE_LENGTH = 120  # characters, blanks not counted
_BYTES_AFTER, _ROWS_AFTER = 120, 12  # that what follows a label is looked for in
_BYTES_BEFORE = 40

_H1 = TAG_ID["h1"]
_ASIDES = bytes(number in tag_ids("aside nav footer") for number in range(KNOWN_TAGS))
_BLANKS = pattern(r"\s+")
_OF_OTHERS = pattern(  # for lower case
    r"[\s_-](?:responses|respond|related|recommend|sidebar|teaser|most-read|trending|testimonial|quote|upnext"
    r"|(?:reviews?|promos?)(?=$|[\s_-]))"
)
# How the words begin that mark what readers wrote, or other pages: where none of them is, the pattern is not asked.
_STEMS = ("comm", "resp", "rela", "reco", "sideb", "teas", "most-r", "trend", "testi", "quot", "upne", "revi", "prom")

# Labels such as "Author:" are often for screen readers only, and dates are often in boxes that a script shows.
_SHOWN_WAYS = (FOR_SCREEN_READERS, ARIA_HIDDEN, RULE_DISPLAY, RULE_VISIBILITY, OPACITY, OFF_SCREEN, CLIPPED, NO_SIZE)
_COUNT_AS_SHOWN = bytes(way in _SHOWN_WAYS for way in range(len(WAYS)))

# Labels that a fact follows, in Chinese, Japanese and Korean: of authors, reporters, editors and sources.
AUTHOR_LABELS = ("作者", "撰文", "執筆", "글쓴이")
REPORTER_LABELS = ("记者", "記者", "执笔", "通讯员")
EDITOR_LABELS = ("责任编辑", "責任編輯", "责编", "責編", "编辑", "編輯")
SOURCE_LABELS = ("来源", "來源", "出处", "稿源", "출처")
# Labels of dates, and of those of a change, by language; English is on pages of all languages.
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
    """A page around its headline. Nothing is read before it is asked for."""

    def __init__(self, page: Page, title: str) -> None:
        self.page, self.title = page, title

    @lazy
    def rows(self) -> kernel.page.facts.ShownRows:
        """The rows that readers see, or may see: by what elements say, for most of what rules hide scripts show."""
        marks = self.page._marks
        ways = self.page.hidden_by if self.page.rendered else self.page._hiding.by_markup or marks.soft
        return kernel.page.facts.ShownRows(self.page, marks.by_element, ways, _COUNT_AS_SHOWN, LAST_SOFT)

    @lazy
    def headline(self) -> int:
        """The row of the headline, or 0 where there is none."""
        rows, key = self.rows, squeeze(self.title)
        headings = rows.rows_of(_H1, _MAX_HEADINGS)
        seen = [row for row in headings if rows.is_seen(row)]
        same = (row for row in seen if squeeze(self.text_below(row)) == key)
        titled = (row for row, _ in self.places(self.title, 0))
        return next((row for found in (same, titled, seen, headings) for row in found), 0)

    @lazy
    def window(self) -> tuple[int, int]:
        """The rows near the headline: the first, and one past the last."""
        return max(self.headline - NEAR_BEFORE, 0), min(self.headline + NEAR, len(self.page))

    def marked(self, marks: Words, attributes: bytes, *, near: bool) -> list[tuple[int, int]]:
        """Return the visible rows with an attribute that contains a mark, in order, and the attribute.

        Attributes are given by their numbers, a byte each.
        """
        first, stop = self.window if near else (0, len(self.page))
        return self.rows.with_words(marks, attributes, first, stop, _MAX_MARKED)

    def text(self, row: int) -> str:
        """Return the visible text below a row; empty where it is too long for a byline."""
        return fold(self.rows.shown(row, _MAX_BYTES, _MAX_ROWS))

    def text_below(self, row: int) -> str:
        """Return all text below a row; empty where it is too long for a name or a date."""
        return fold(self.rows.below(row, _MAX_BELOW))

    def distance(self, row: int) -> int:
        """Return how many rows a row is from the headline; before it, they count double."""
        return row - self.headline if row >= self.headline else 2 * (self.headline - row)

    def is_aside(self, row: int) -> bool:
        """Whether a row is not part of the article: in what readers wrote, in a list of other pages."""
        return self.rows.is_aside(row, self.headline, _MAX_ABOVE, _ASIDES, _WORDS_OF_OTHERS, is_of_others)

    def label(self, row: int) -> str:
        """Return the class and the id of a row, as far as they are read."""
        label: str = self.rows.label(row)
        return label

    def before(self, row: int) -> str:
        """Return the text before a row in the same element or the one around it, where a label stands."""
        return self.rows.before(row, _BYTES_BEFORE)

    @lazy
    def lines(self) -> list[str]:
        """The short lines around the headline: those after it, then those before it, the nearest first."""
        return [fold(text) for text in self.rows.lines(self.headline, _LINES_BEFORE, _LINES_AFTER, _MAX_LINE_LENGTH)]

    @lazy
    def labels(self) -> frozenset[str]:
        """The labels that stand in the visible text from the headline on: most of a page's text is scripts."""
        return _LABELS.found_in(self.rows.following(self.headline))

    def places(self, label: str, start: int | None = None) -> Iterator[tuple[int, int]]:
        """Yield the visible rows with a label, from the headline on, and where in the text it ends.

        With `start`, those with any text, from that place on.
        """
        if not label or (start is None and label not in self.labels):
            return
        page, mark = self.page, label.encode("utf-8", "replace")
        at = page.text_buffer.find(mark, int(page.text_at[self.headline]) if start is None else start)
        for _ in range(_MAX_PLACES):
            if at < 0:
                return
            row = self.rows.row_at(at)
            if self.rows.is_seen(row):
                yield row, at + len(mark)
            at = page.text_buffer.find(mark, at + 1)

    def goes_on(self, text: str, how: re.Pattern[str]) -> bool:
        """Whether a text that stands near the headline, as it is or in capitals, is followed by what a pattern says."""
        page, (first, last) = self.page, self.window
        start, stop = int(page.text_at[first]), int(page.text_at[last])
        for mark in (text.encode("utf-8", "replace"), text.upper().encode("utf-8", "replace")):
            at = page.text_buffer.find(mark, start, stop)
            if at >= 0:
                end = at + len(mark)
                return how.match(page.text_buffer[end : end + LONG_AFTER].decode("utf-8", "ignore")) is not None
        return False

    def after(self, row: int, at: int) -> str:
        """Return the text after a place in a row, and that of the next rows where it is short."""
        return _BLANKS.sub(" ", self.rows.after(row, at, _BYTES_AFTER, _ROWS_AFTER, LONG_AFTER))


def is_of_others(label: str) -> bool:
    """Whether a class or an id marks what readers wrote, or other pages."""
    label = f" {label.lower()}"
    return "comment" in label or _OF_OTHERS.search(label) is not None
