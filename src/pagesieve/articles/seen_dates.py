"""When a page was published or changed, as it shows its readers: `time` elements, marked elements, lines, labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from pagesieve.articles.attributes import values_of
from pagesieve.articles.moments import moment
from pagesieve.articles.structured import text_below
from pagesieve.articles.visible import LONG_AFTER, NEAR, Visible
from pagesieve.page.tags import ATTRIBUTE_ID, TAG_ID

Dated = tuple[str, bool]  # a moment, and whether it is that of a change

_MOST_TIMES = 60
_LEAST_DATE, _MOST_DATE = 6, 100  # bytes of a text that is little more than a date
_MOST_LETTERS = 30  # in such a text
_TIME = TAG_ID["time"]
_CLASS, _ID, _DATETIME = (ATTRIBUTE_ID[name] for name in ("class", "id", "datetime"))
_YEAR = re.compile(rb"(?:19|20)\d\d")
_MARKS = (b"date", b"time", b"publish", b"Date", b"posted")
_DATE_MARK = re.compile(r"date|time|publish|posted", re.I)
_NO_DATE_MARK = re.compile(
    r"update|modif|reading|read-?time|timeline|comment|event|timer|candidate|countdown|duration", re.I
)
_CHANGED = re.compile(
    r"updat|modif|revis|edited|aktualis|geändert|mis(?:e)? à jour|actualiz|atualiz|aggiorn|bijgewerkt|обновл|изменен"
    r"|güncel|更新|수정|diperbarui|oppdatert|uppdaterad|opdateret",
    re.I,
)
_NO_DATE_LINE = re.compile(
    r"©|copyright|\(c\)|all rights|last (?:post|reply|visit)|joined|member since|founded|registered", re.I
)
# What says that a date follows, and what says so of a change, by language; English is on pages of all languages.
_ENGLISH = (("Published", "Posted on"), ("Last updated", "Updated"))
_LABELS = {
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


class SeenDates:
    """The dates that a page shows, each place looked at when it is asked for."""

    def __init__(self, visible: Visible, language: str, month_first: bool | None) -> None:
        self.visible, self.language, self.month_first = visible, language, month_first

    def times(self, *, near: bool) -> Iterator[Dated]:
        """The `time` elements near the headline, those after it first; or the others, if they all say the same."""
        found = [one for one in self._times if one[0] == near]
        if near or len({at for _, _, at, _ in found}) == 1:
            yield from ((at, changed) for _, _, at, changed in found)

    @cached_property
    def _times(self) -> list[tuple[bool, bool, str, bool]]:
        """Whether it is near and in the article, whether before the headline, when, and whether of a change."""
        page, visible = self.visible.page, self.visible
        found = []
        for row, values in values_of(page, np.flatnonzero(page.tag == _TIME)[:_MOST_TIMES]):
            at = self._moment(values.get(_DATETIME, "")) or self._moment(text_below(page, row))
            if at:
                changed = _is_change(f"{values.get(_CLASS, '')} {visible.before(row)}")
                is_near = visible.distance(row) <= NEAR and not visible.is_aside(row)
                found.append((is_near, row < visible.headline, at, changed))
        found.sort(key=lambda one: one[1])
        return found

    def marked(self) -> Iterator[Dated]:
        """The dates in elements whose class or id says so: near the headline, or else anywhere if there is only one."""
        near = self._marked(near=True)
        far = self._marked(near=False) if not near else []
        return iter(near or (far if len({at for at, _ in far}) == 1 else []))

    def _marked(self, *, near: bool) -> list[Dated]:
        visible, found = self.visible, []
        for row, _ in visible.marked(_MARKS, (_CLASS, _ID), near=near):
            label = visible.label(row)
            if _DATE_MARK.search(label) and not _NO_DATE_MARK.search(label):
                text = text_below(visible.page, row)
                at = self._moment(text)
                if at and (not near or visible.distance(row) <= NEAR) and not visible.is_aside(row):
                    found.append((at, _is_change(f"{text} {label} {visible.before(row)}")))
        return found

    @cached_property
    def shown(self) -> list[Dated]:
        """The dates in short texts near the headline, those after it first."""
        visible, found = self.visible, []
        dated = self._dated_texts()
        dated.sort(key=lambda one: one[0] if one[0] >= visible.headline else len(visible.page) - one[0])
        for row, source in dated:
            text = source.decode("utf-8", "replace")
            at = self._moment(text) if sum(map(str.isalpha, text)) <= _MOST_LETTERS else None
            if at and not _NO_DATE_LINE.search(text):
                found.append((at, _is_change(f"{text} {visible.before(row)}")))
        return found

    def _dated_texts(self) -> list[tuple[int, bytes]]:
        """The short text rows near the headline that may hold a year."""
        page, (first, stop) = self.visible.page, self.visible.window
        offsets = page.text_at[first : stop + 1]
        sizes = np.diff(offsets)
        rows = np.flatnonzero((page.chars[first:stop] > 0) & (sizes >= _LEAST_DATE) & (sizes <= _MOST_DATE))
        starts, stops = offsets[rows].tolist(), offsets[rows + 1].tolist()
        texts = [page.text_buffer[start:end] for start, end in zip(starts, stops, strict=True)]
        return [(row + first, text) for row, text in zip(rows.tolist(), texts, strict=True) if _YEAR.search(text)]

    def lines(self) -> Iterator[Dated]:
        """The dates in the lines around the headline."""
        for text in self.visible.lines:
            at = None if _NO_DATE_LINE.search(text) else self._moment(text)
            if at:
                yield at, _is_change(text)

    def labelled(self) -> Iterator[Dated]:
        """The dates after a word that says that one follows, wherever it stands below the headline."""
        groups = [_ENGLISH, *filter(None, [_LABELS.get(self.language[:2].lower())])]
        for changed in (False, True):
            for label in (label for group in groups for label in group[changed]):
                for row, at in self.visible.places(label):
                    found = self._moment(self.visible.after(row, at)[:LONG_AFTER])
                    if found:
                        yield found, changed

    def _moment(self, text: str) -> str | None:
        return moment(text, month_first=self.month_first)


def _is_change(text: str) -> bool:
    return _CHANGED.search(text) is not None
