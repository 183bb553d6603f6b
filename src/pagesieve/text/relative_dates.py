"""Resolve dates relative to another date: "3 hours ago", "yesterday, 10:15", "5 May", "5月3日"."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, datetime, timedelta

from pagesieve.text.dates import month_of, with_time
from pagesieve.text.patterns import pattern

_SECOND, _MINUTE, _HOUR, _DAY, _WEEK = 1, 60, 3_600, 86_400, 604_800
_MONTH, _YEAR = -1, -12  # in months, below all others
_SPANS = {  # by how their names begin
    **dict.fromkeys(
        ("mont", "monat", "mois", "mes", "mese", "mês", "mo", "maand", "мес", "个月", "個月", "か月"), _MONTH
    ),
    **dict.fromkeys(("ヶ月", "개월", "月"), _MONTH),
    **dict.fromkeys(("year", "yr", "y", "jahr", "an", "año", "ano", "jaar", "год", "лет", "г", "年", "년"), _YEAR),
    **dict.fromkeys(("sec", "sek", "s", "сек", "秒", "초"), _SECOND),
    **dict.fromkeys(("min", "m", "мин", "分", "분"), _MINUTE),
    **dict.fromkeys(("hour", "hr", "h", "stund", "std", "heure", "hora", "ora", "ore", "uur", "час"), _HOUR),
    **dict.fromkeys(("ч", "小时", "小時", "時間", "시간"), _HOUR),
    **dict.fromkeys(
        ("day", "d", "dag", "tag", "jour", "j", "día", "dia", "giorn", "дн", "ден", "天", "日", "일"), _DAY
    ),
    **dict.fromkeys(("week", "weke", "w", "woche", "semaine", "semana", "settiman", "нед", "周", "週", "주"), _WEEK),
}
_ONE = ("a", "an", "one", "ein", "einem", "einer", "un", "une", "una", "um", "uma", "een", "один", "одну")
_NUMBER = rf"(\d{{1,4}}|(?:{'|'.join(_ONE)})(?=\s))"
_UNIT = r"([^\W\d_]{1,12})\.?"
_AGO = pattern(
    rf"(?:(?:about|over|almost|streamed|posted)\s)?{_NUMBER}\+?\s?{_UNIT}\s(?:ago|geleden|fa|atrás|назад)\b"
    rf"|\b(?:vor|il\sy\sa|hace|há)\s(?:ca\.\s|environ\s|unos\s)?{_NUMBER}\s?{_UNIT}"
    rf"|(\d{{1,4}})\s?(秒钟?|分钟?|分鐘|小时|小時|時間|天|日|周|週間?|个月|個月|か月|ヶ月|月|年|초|분|시간|일|주|개월|년)\s?(?:之?前|전)",
    re.IGNORECASE,
)
_BARE = pattern(r"(\d{1,4})\s?(s|m|min|h|hr|d|w|mo|y|yr)s?", re.IGNORECASE)  # as small screens have it
_DAYS = {
    **dict.fromkeys(("today", "heute", "aujourd'hui", "hoy", "oggi", "hoje", "vandaag", "сегодня"), 0),
    **dict.fromkeys(("今天", "今日", "오늘", "just now", "now", "刚刚", "剛剛", "gerade eben"), 0),
    **dict.fromkeys(("yesterday", "gestern", "hier", "ayer", "ieri", "ontem", "gisteren", "вчера"), 1),
    **dict.fromkeys(("昨天", "昨日", "어제"), 1),
    **dict.fromkeys(("vorgestern", "avant-hier", "anteayer", "前天", "позавчера"), 2),
}
_DAY_NAME = pattern("|".join(sorted(map(re.escape, _DAYS), key=len, reverse=True)), re.IGNORECASE)
_DAY_MONTH = pattern(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|º|\.)?[\s-]+(?:de\s+|of\s+)?([^\W\d_]{3,12})", re.IGNORECASE)
_MONTH_DAY = pattern(r"(?<![^\W\d_])([^\W\d_]{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?![\d:])", re.IGNORECASE)
_NUMBERS = pattern(r"(?<![\d:])(\d{1,2})\s?[-/月월]\s?(\d{1,2})(?![\d:])")
_MONTHS = 12


def resolve_date(text: str, on: datetime) -> str | None:
    """Return the date of a text such as "3 days ago" or "5 May" on a page of a given date, or None."""
    ago = _AGO.search(text)
    if ago:
        number, unit = next((ago[k], ago[k + 1]) for k in (1, 3, 5) if ago[k])
        return _before(on, number, unit)
    bare = _BARE.fullmatch(text.strip())
    if bare:
        return _before(on, bare[1], bare[2])
    named = _DAY_NAME.search(text)
    if named:
        return with_time((on.date() - timedelta(days=_DAYS[named[0].lower()])).isoformat(), text)
    day = _without_year(text, on.date())
    return with_time(day.isoformat(), text) if day else None


def _before(on: datetime, number: str, unit: str) -> str | None:
    """Return the day, or for minutes and hours the time, a number of units earlier."""
    count = int(number) if number.isdigit() else 1
    starts = (unit.lower(), *(unit.lower()[:size] for size in range(len(unit), 1, -1)))
    span = next((_SPANS[start] for start in starts if start in _SPANS), None)
    if span is None:
        return None
    try:
        if span < 0:
            return _months_before(on.date(), -span * count).isoformat()
        at = on - timedelta(seconds=count * span)
    except (OverflowError, ValueError):
        return None
    return at.isoformat(timespec="seconds") if span < _DAY else at.date().isoformat()


def _months_before(day: date, count: int) -> date:
    """Return the same day some months earlier, or the last day of that month."""
    year, month = divmod(day.year * _MONTHS + day.month - 1 - count, _MONTHS)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _without_year(text: str, on: date) -> date | None:
    """Return the last day before a date, or the day after it, that has the day and month of a text."""
    for match in _DAY_MONTH.finditer(text):
        if month := month_of(match[2]):
            return _last(month, int(match[1]), on)
    for match in _MONTH_DAY.finditer(text):
        if month := month_of(match[1]):
            return _last(month, int(match[2]), on)
    numbers = _NUMBERS.search(text)
    if numbers and ("月" in text or "월" in text or "-" in numbers[0]):  # 5/3 may be either
        return _last(int(numbers[1]), int(numbers[2]), on)
    return None


def _last(month: int, day: int, on: date) -> date | None:
    for year in (on.year, on.year - 1, on.year - 2, on.year - 3):  # three: the 29th of February
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if found <= on + timedelta(days=1):
            return found
    return None
