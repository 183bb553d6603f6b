"""When a page was published or changed, as it shows its readers: `time` elements, marked elements, lines, labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from pagesieve.articles.attributes import values_of
from pagesieve.articles.moments import day_of, moment
from pagesieve.articles.structured import text_below
from pagesieve.articles.visible import LONG_AFTER, NEAR, Visible
from pagesieve.page.table import Ints
from pagesieve.page.tags import ATTRIBUTE_ID, TAG_ID

Dated = tuple[str, bool]  # a moment, and whether it is that of a change
TIME, MARK, TEXT = "time element", "class of an element", "text"  # where it stands

_MOST_TIMES = 60
_LEAST_DATE, _MOST_DATE = 6, 100  # bytes of a text that is little more than a date
_MOST_LETTERS = 30  # in such a text
_MOST_WORDS, _WORDS_OF_DATE = 5, 2  # in a dateline, in a date alone; names of months are words, "a.m." is none
_LONG_TEXT = 150  # characters of a text that is no longer a byline
_WORD = re.compile(r"[^\W\d_]{2,}")
_TIME = TAG_ID["time"]
_CLASS, _ID, _DATETIME = (ATTRIBUTE_ID[name] for name in ("class", "id", "datetime"))
_YEAR = re.compile(rb"(?:19|20)\d\d")
_MARKS = (b"date", b"time", b"publish", b"Date", b"posted")
_DATE_MARK = re.compile(r"date|time|publish|posted", re.I)
_NO_DATE_MARK = re.compile(
    r"update|modif|reading|read-?time|timeline|comment|event|timer|candidate|countdown|duration|today", re.I
)
_CHANGED = re.compile(
    r"updat|modif|revis|edited|aktualis|geändert|mis(?:e)? à jour|actualiz|atualiz|aggiorn|bijgewerkt|обновл|изменен"
    r"|güncel|更新|수정|diperbarui|oppdatert|uppdaterad|opdateret",
    re.I,
)
_FIRST_PUBLISHED = re.compile(r"(?:originally|first) (?:published|posted)", re.I)
_DIGITS = re.compile(r"(?:19|20)\d\d")
_NO_DATE_LINE = re.compile(
    r"©|copyright|\(c\)|all rights|last (?:post|reply|visit)|joined|member since|founded|registered", re.I
)
# What says that a date follows, and what says so of a change, by language; English is on pages of all languages.
_ENGLISH = (("Published", "Posted on", "Post time"), ("Last updated", "Updated"))
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


class _Time(NamedTuple):
    """A `time` element that has a date."""

    is_near: bool  # and in the article
    is_before: bool  # before the headline
    at: str
    changed: bool
    is_read: bool  # its text is a date, not "two days ago"


class SeenDates:
    """The dates that a page shows, each place looked at when it is asked for."""

    def __init__(self, visible: Visible, language: str, month_first: bool | None) -> None:
        self.visible, self.language, self.month_first = visible, language, month_first

    def times(self, *, near: bool) -> Iterator[Dated]:
        """The `time` elements near the headline, those after it first; or of the others the one that begins them."""
        found = [(one.at, one.changed) for one in self._times if one.is_near == near]
        yield from found if near else _beginning(found)

    @cached_property
    def _times(self) -> list[_Time]:
        """The `time` elements that have a date, those before the headline last."""
        page, visible = self.visible.page, self.visible
        found = []
        for row, values in values_of(page, np.flatnonzero(page.tag == _TIME)[:_MOST_TIMES]):
            text = text_below(page, row)
            at = self._moment(values.get(_DATETIME, "")) or self._moment(text)
            if at:
                changed = _is_change(text, visible.before(row)) or _is_change(values.get(_CLASS, ""))
                is_near = visible.distance(row) <= NEAR and not visible.is_aside(row)
                found.append(_Time(is_near, row < visible.headline, at, changed, self._moment(text) is not None))
        found.sort(key=lambda one: one.is_before)
        return found

    def marked(self) -> Iterator[Dated]:
        """The dates in elements whose class or id says so: near the headline, or else the one that begins others."""
        near = self._marked(near=True)
        return iter(near or _beginning(self._marked(near=False)))

    def _marked(self, *, near: bool) -> list[Dated]:
        visible, found = self.visible, []
        rows = [row for row, _ in visible.marked(_MARKS, (_CLASS, _ID), near=near)]
        for row, following in zip_longest(rows, rows[1:], fillvalue=len(visible.page)):
            label = visible.label(row)
            if _DATE_MARK.search(label) and not _NO_DATE_MARK.search(label):
                text = text_below(visible.page, row)
                if following < visible.page.end[row] and len(_DIGITS.findall(text)) > 1:
                    continue  # what is marked inside of it says which date is which
                at = self._moment(text)
                if at and (not near or visible.distance(row) <= NEAR) and not visible.is_aside(row):
                    found.append((at, _is_change(text, visible.before(row)) or _is_change(label)))
        return found

    @property
    def shown(self) -> list[Dated]:
        """The dates in short texts near the headline, those after it first."""
        return [(at, changed) for at, changed, _ in self._texts]

    @cached_property
    def datelines(self) -> list[tuple[str, bool, str]]:
        """What stands near the headline and is a date and little more, with where; the surest places first."""
        found = [(one.at, one.changed, TIME) for one in self._times if one.is_near and one.is_read]
        found += [(*one, MARK) for one in self._marked(near=True)]
        return found + [(at, changed, TEXT) for at, changed, is_lone in self._texts if is_lone]

    @cached_property
    def _texts(self) -> list[tuple[str, bool, bool]]:
        """The dates in short texts near the headline: when, whether of a change, and whether there is little more."""
        visible, found = self.visible, []
        dated = self._dated_texts(*visible.window, visible.page.chars)
        dated.sort(key=lambda one: one[0] if one[0] >= visible.headline else len(visible.page) - one[0])
        for row, text in dated:
            at = self._moment(text) if sum(map(str.isalpha, text)) <= _MOST_LETTERS else None
            before = visible.before(row)
            if at and not _NO_DATE_LINE.search(f"{before} {text}"):
                is_lone = len(_WORD.findall(text)) <= _MOST_WORDS and not self._is_within(row)
                found.append((at, _is_change(text, before), is_lone))
        return found

    def _is_within(self, row: int) -> bool:
        """Whether a row stands below the beginning of the article's text."""
        return bool(self.visible.page.chars[self.visible.headline : row].max(initial=0) > _LONG_TEXT)

    def lone(self) -> Iterator[Dated]:
        """The one day that texts of nothing but a date name, wherever they stand, be it where a script shows it."""
        visible = self.visible
        page = visible.page
        found = []
        for row, text in self._dated_texts(0, len(page), page.chars + page.veiled)[:_MOST_TIMES]:
            at = self._moment(text) if len(_WORD.findall(text)) <= _WORDS_OF_DATE else None
            before = visible.before(row)
            if at and not _NO_DATE_LINE.search(before) and not visible.is_aside(row):
                found.append((at, _is_change(text, before)))
        if len({day_of(at) for at, _ in found}) == 1:
            yield found[0]

    def _dated_texts(self, first: int, stop: int, chars: Ints) -> list[tuple[int, str]]:
        """The short text rows among some that may hold a year; `chars` says which are seen."""
        page = self.visible.page
        offsets = page.text_at[first : stop + 1]
        sizes = np.diff(offsets)
        rows = np.flatnonzero((chars[first:stop] > 0) & (sizes >= _LEAST_DATE) & (sizes <= _MOST_DATE))
        starts, stops = offsets[rows].tolist(), offsets[rows + 1].tolist()
        texts = [page.text_buffer[start:end] for start, end in zip(starts, stops, strict=True)]
        found = [(row + first, text) for row, text in zip(rows.tolist(), texts, strict=True) if _YEAR.search(text)]
        return [(row, text.decode("utf-8", "replace")) for row, text in found]

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


def _beginning(found: list[Dated]) -> list[Dated]:
    """Some dates that say the same; or the first, where each is later than the one before: a thread's first post."""
    days = [day_of(at) for at, _ in found]
    if len({*days}) == 1:
        return found
    return found[:1] if days == sorted(days) else []


def _is_change(text: str, before: str = "") -> bool:
    """Whether a text says of the first date in it, or what stands before it says, that it is that of a change."""
    said = _CHANGED.search(text)
    if said is None or _FIRST_PUBLISHED.search(text):
        # What stands before a date that stands there is said of that one.
        return _CHANGED.search(_DIGITS.split(before)[-1]) is not None
    first = _DIGITS.search(text)
    return not (first and first.start() < said.start() and _DIGITS.search(text, said.end()))
