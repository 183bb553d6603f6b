"""Find the visible dates of publication and change: in `time` elements, marked elements, lines, and after labels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from pagesieve.facts.visible import DATE_LABELS, ENGLISH_DATE_LABELS, LONG_AFTER, NEAR, REMEMBERED, Visible, Words
from pagesieve.page.kernel.page.cache import lazy
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID
from pagesieve.text.dates import YEAR, day_of, parse_datetime
from pagesieve.text.patterns import pattern

Dated = tuple[str, bool]  # a date, and whether it is the date of a change
TIME, MARK, TEXT = "time element", "class of an element", "text"  # the places of dates

_MAX_TIMES = 60
_MIN_DATE, _MAX_DATE = 6, 100  # bytes of a text with little more than a date
_MAX_LETTERS = 30  # in such a text
_MAX_WORDS, _WORDS_OF_DATE = 5, 2  # in a dateline, and in a date alone; names of months are words, "a.m." is not
_LONG_TEXT = 150  # characters of a text that is too long for a byline
_WORD = pattern(r"[^\W\d_]{2,}")
_TIME = TAG_ID["time"]
_MARKED = bytes([ATTRIBUTE_ID["class"], ATTRIBUTE_ID["id"]])
_MARKS = Words("date", "time", "publish", "Date", "posted")
# For lower case: a pattern that ignores case is many times slower.
_DATE_MARK = pattern(r"date|time|publish|posted")
_NO_DATE_MARK = pattern(
    r"update|modif|reading|read-?time|timeline|comment|event|timer|candidate|countdown|duration|today"
)
_CHANGED = pattern(
    r"updat|modif|revis|edited|aktualis|geändert|mis(?:e)? à jour|actualiz|atualiz|aggiorn|bijgewerkt|обновл|изменен"
    r"|güncel|更新|수정|diperbarui|oppdatert|uppdaterad|opdateret"
)
_FIRST_PUBLISHED = pattern(r"(?:originally|first) (?:published|posted)")
_YEAR = pattern(YEAR)
_NO_DATE_LINE = pattern(
    r"©|copyright|\(c\)|all rights|last (?:post|reply|visit)|joined|member since|founded|registered"
)


class _Time(NamedTuple):
    """A `time` element with a date."""

    is_near: bool  # near the headline, and in the article
    is_before: bool  # it precedes the headline
    at: str
    changed: bool
    is_shown: bool  # its text shows the date; it may also be "two days ago"


class SeenDates:
    """The dates that a page shows. Each place is read on first use."""

    def __init__(self, visible: Visible, language: str, month_first: bool | None) -> None:
        self.visible, self.language, self.month_first = visible, language, month_first
        self._known: dict[str, str | None] = {}  # the date in each text, since many texts occur several times

    def times(self, *, near: bool) -> Iterator[Dated]:
        """Yield the dates of `time` elements near the headline, those after it first, or the first of the others."""
        if near:
            yield from ((one.at, one.changed) for one in self._near_times if one.is_near)
        else:
            found = self._times(self._time_rows)
            yield from _beginning([(one.at, one.changed) for one in found if not one.is_near])

    @lazy
    def _time_rows(self) -> list[int]:
        """The first `time` elements."""
        return self.visible.rows.rows_of(_TIME, _MAX_TIMES)

    @lazy
    def _near_times(self) -> list[_Time]:
        return self._times([row for row in self._time_rows if self.visible.distance(row) <= NEAR])

    def _times(self, rows: list[int]) -> list[_Time]:
        """Return the elements of `rows` with a date, those before the headline last."""
        page, visible = self.visible.page, self.visible
        found = []
        for row in rows:
            text = visible.text_below(row)
            read = self._date(text)
            at = self._date(page.attribute(row, "datetime") or "") or read
            if at:
                changed = _is_change(text, visible.before(row)) or _is_change(page.attribute(row, "class") or "")
                is_near = visible.distance(row) <= NEAR and not visible.is_aside(row)
                found.append(_Time(is_near, row < visible.headline, at, changed, read is not None))
        found.sort(key=lambda one: one.is_before)
        return found

    def marked(self) -> Iterator[Dated]:
        """Yield the dates in elements marked by class or id near the headline, or the first of the others."""
        return iter(self._near_marks or _beginning(self._marked(near=False)))

    @lazy
    def _near_marks(self) -> list[Dated]:
        return self._marked(near=True)

    def _marked(self, *, near: bool) -> list[Dated]:
        visible, found = self.visible, []
        rows = [row for row, _ in visible.marked(_MARKS, _MARKED, near=near)]
        for row, following in zip_longest(rows, rows[1:], fillvalue=len(visible.page)):
            label = visible.label(row).lower()
            if _marks_date(label):
                text = visible.text_below(row)
                if following < visible.rows.end(row) and len(_YEAR.findall(text)) > 1:
                    continue  # the marked elements inside distinguish its dates
                at = self._date(text)
                if at and (not near or visible.distance(row) <= NEAR) and not visible.is_aside(row):
                    found.append((at, _is_change(text, visible.before(row)) or _is_change(label)))
        return found

    @lazy
    def datelines(self) -> list[tuple[str, bool, str]]:
        """The texts near the headline with little more than a date, and their places, the most certain places first."""
        found = [(one.at, one.changed, TIME) for one in self._near_times if one.is_near and one.is_shown]
        found += [(*one, MARK) for one in self._near_marks]
        return found + [(at, changed, TEXT) for at, changed, is_lone in self.texts if is_lone]

    @lazy
    def texts(self) -> list[tuple[str, bool, bool]]:
        """The dates in short texts near the headline, whether each is a change, and whether there is little more."""
        visible, found = self.visible, []
        dated = self._dated_texts(*visible.window, hidden=False)
        dated.sort(key=lambda one: one[0] if one[0] >= visible.headline else len(visible.page) - one[0])
        for row, text in dated:
            is_short = len(text) <= _MAX_LETTERS or sum(map(str.isalpha, text)) <= _MAX_LETTERS
            at = self._date(text) if is_short else None
            if at and not _NO_DATE_LINE.search(f"{(before := visible.before(row))} {text}".lower()):
                is_lone = len(_WORD.findall(text)) <= _MAX_WORDS and not self._is_within(row)
                found.append((at, _is_change(text, before), is_lone))
        return found

    def _is_within(self, row: int) -> bool:
        """Whether a row comes after the beginning of the article's text."""
        return self.visible.rows.longest(self.visible.headline, row) > _LONG_TEXT

    def lone(self) -> Iterator[Dated]:
        """Yield the date of all texts that are just a date, if they agree; hidden texts count, too."""
        visible = self.visible
        page = visible.page
        found: list[Dated] = []
        for row, text in self._dated_texts(0, len(page), hidden=True, most=_MAX_TIMES):
            at = self._date(text) if len(_WORD.findall(text)) <= _WORDS_OF_DATE else None
            if at and not _NO_DATE_LINE.search((before := visible.before(row)).lower()) and not visible.is_aside(row):
                if found and day_of(at) != day_of(found[0][0]):
                    return
                found.append((at, _is_change(text, before)))
        yield from found[:1]

    def _dated_texts(self, first: int, stop: int, *, hidden: bool, most: int | None = None) -> list[tuple[int, str]]:
        """Return the first short text rows in a range that contain a year; hidden ones only if `hidden` is true."""
        page = self.visible.page
        rows = self.visible.rows.with_year(first, stop, hidden, _MIN_DATE, _MAX_DATE)
        return [(row, page.text(row)) for row in rows[:most]]

    def lines(self) -> Iterator[Dated]:
        """Yield the dates in the lines around the headline."""
        for text in self.visible.lines:
            at = self._date(text)
            if at and not _NO_DATE_LINE.search(text.lower()):
                yield at, _is_change(text)

    def labelled(self) -> Iterator[Dated]:
        """Yield the dates after a label, anywhere below the headline."""
        groups = [ENGLISH_DATE_LABELS, *filter(None, [DATE_LABELS.get(self.language[:2].lower())])]
        for changed in (False, True):
            for label in (label for group in groups for label in group[changed]):
                for row, at in self.visible.places(label):
                    found = self._date(self.visible.after(row, at)[:LONG_AFTER])
                    if found:
                        yield found, changed

    def _date(self, text: str) -> str | None:
        if text not in self._known:
            self._known[text] = parse_datetime(text, month_first=self.month_first)
        return self._known[text]


@lru_cache(REMEMBERED)
def _marks_date(label: str) -> bool:
    """Whether a class and an id mark a date of publication or change."""
    return _DATE_MARK.search(label) is not None and _NO_DATE_MARK.search(label) is None


def _beginning(found: list[Dated]) -> list[Dated]:
    """Return dates of one day unchanged, the first of ascending dates, as in a thread, and otherwise none."""
    days = [day_of(at) for at, _ in found]
    if len({*days}) == 1:
        return found
    return found[:1] if days == sorted(days) else []


def _is_change(text: str, before: str = "") -> bool:
    """Whether a text, or the text before it, says that its first date is the date of a change."""
    text = text.lower()
    said = _CHANGED.search(text)
    if said is None or _FIRST_PUBLISHED.search(text):
        # If the text before has a date itself, the words before that date refer to it.
        return bool(before) and _CHANGED.search(_YEAR.split(before)[-1].lower()) is not None
    first = _YEAR.search(text)
    return not (first and first.start() < said.start() and _YEAR.search(text, said.end()))
