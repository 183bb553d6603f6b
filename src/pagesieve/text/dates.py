"""Parse dates and times that pages write for machines and for readers, in the most common languages.

The results are in ISO 8601 form: a day, with time and offset from UTC if the text gives them.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from pagesieve.text.patterns import pattern

YEAR = r"(?:19|20)\d\d"  # a pattern
MAX_TEXT = 200  # characters: a longer text is not a date

# How the names of the months begin, a line a month; ends differ by case and abbreviation.
_MONTHS = (
    "jan ene gen янв січ sty oca jän ian ledna tammi ιαν",
    "feb fév fev фев лют lut şub února helmi φεβ",
    "mar mär mrt maart мар бер březn maali már μαρ",
    "apr abr avr апр кві kwi nis dubna huhti ápr απρ",
    "may mai mei maj mag мая май тра květn touko máj maí μαΐ μαϊ",
    "jun juin giu июн чер cze haz iun červn kesäk jún ιουν",
    "jul juil lug июл лип lip tem iul červe heinä júl ιουλ",
    "aug ago aoû aout авг сер sie ağu srpna eloku agu ágú αυγ",
    "sep set сен вер wrz eyl září syysk σεπ",
    "oct okt out ott окт жов paź eki října lokak οκτ",
    "nov ноя лис lis kas noi marra nóv νοε",
    "dec dez déc dic des дек гру gru ara prosi joulu δεκ",
)
_MONTH_OF = {start: number for number, starts in enumerate(_MONTHS, 1) for start in starts.split()}
_NAME = r"([^\W\d_]{3,12})"
_NUMBERS = pattern(rf"(?<!\d)({YEAR})\s?(?:[-/.]|年|년)\s?(\d{{1,2}})\s?(?:[-/.]|月|월)\s?(\d{{1,2}})(?!\d)")
_BETWEEN = pattern(r"[-/.年년]")  # numbers, one of these at the least
_DAY_FIRST = pattern(rf"(?<!\d)(\d{{1,2}})([./-])(\d{{1,2}})\2({YEAR})(?!\d)")
_DAY_MONTH = pattern(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|er|º|\.)?[\s-]+(?:de\s+|of\s+)?{_NAME}\.?,?[\s-]+(?:de\s+|del\s+)?({YEAR})(?!\d)"
)
_YEAR_MONTH = pattern(rf"(?<!\d)({YEAR}),?[\s-]{_NAME}\.?[\s-](\d{{1,2}})(?![\d:])")
_MONTH_FIRST = frozenset(("com", "org", "net", "us", "gov", "edu", "info", "mil", "co", "io"))
_DAY_OR_MONTH = pattern(rf"(?<!\d)(\d{{1,2}})[/-](\d{{1,2}})[/-]{YEAR}")  # 5/6/2024
_SHORT_YEAR = pattern(r"(?<=[\s,])['’](\d\d)(?!\d)")  # Jun 2 '12
_THIS_CENTURY = 70  # short years below are of 2000 and after
_MONTH_DAY = pattern(rf"(?<![^\W\d_]){_NAME}\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:,|\s)\s*({YEAR})(?!\d)")


def date_in(text: str, *, month_first: bool | None = None) -> str | None:
    """Return the first complete date in a text; None if there is none, or if it is ambiguous.

    `month_first` says how to read 5/6/2024, if known.
    """
    text = _SHORT_YEAR.sub(_full_year, text) if "'" in text or "’" in text else text
    if "20" not in text and "19" not in text:
        return None  # no year
    if _BETWEEN.search(text):
        match = _NUMBERS.search(text)
        if match:
            return _iso(*match.groups())
        match = _DAY_FIRST.search(text)
        if match:
            return _two_ways(match[1], match[2], match[3], match[4], month_first)
    return _with_named_month(text)


# The forms of dates with the name of a month, and the groups that are their year, month and day.
_NAMED_MONTHS = ((_DAY_MONTH, (3, 2, 1)), (_MONTH_DAY, (3, 1, 2)), (_YEAR_MONTH, (1, 2, 3)))


def _with_named_month(text: str) -> str | None:
    for form, groups in _NAMED_MONTHS:
        for found in form.finditer(text):
            year, name, day = found.group(*groups)
            month = month_of(name)
            if month and (at := _iso(year, month, day)):
                return at
    return None


def _full_year(match: re.Match[str]) -> str:
    return ("20" if int(match[1]) < _THIS_CENTURY else "19") + match[1]


def _two_ways(first: str, sign: str, second: str, year: str, month_first: bool | None) -> str | None:
    """Read day and month in either order. With dots the day is first; otherwise only one order may be a valid date."""
    if sign == "." or int(first) > len(_MONTHS) or first == second:
        return _iso(year, second, first)
    if int(second) > len(_MONTHS) or month_first:
        return _iso(year, first, second)
    return None if month_first is None else _iso(year, second, first)


def writes_month_first(language: str, host: str) -> bool | None:
    """Whether a page writes the month before the day, judged by its language and host; None if neither decides."""
    language = (language or "en").lower().replace("_", "-")
    if language == "en" and not host:
        return None
    return language == "en-us" or (language == "en" and host.rpartition(".")[2] in _MONTH_FIRST)


def has_month_first(texts: Iterable[str]) -> bool | None:
    """Whether dates have the month before the day, judged by the first unambiguous one."""
    for text in texts:
        match = _DAY_OR_MONTH.search(text)
        if match and max(int(match[1]), int(match[2])) > len(_MONTHS):
            return int(match[2]) > len(_MONTHS)
    return None


def month_of(name: str) -> int:
    """Return the number of a month by its name in one of many languages, or 0."""
    name = name.lower()
    return _MONTH_OF.get(name[:5]) or _MONTH_OF.get(name[:4]) or _MONTH_OF.get(name[:3]) or 0


def _iso(year: str, month: str | int, day: str) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


# Days with their time

_EARLIEST, _LATEST = 1900, 2099  # years
_NEVER = frozenset(("1970-01-01", "1900-01-01", "2000-00-00"))  # what programs write for an unknown date
_MILLISECONDS = 13  # digits of a Unix time that counts them
_MIDDAY = 12
_MAX_HOURS, _MAX_MINUTES, _MAX_SECONDS = 23, 59, 60
_ISO = pattern(
    r"[^\d]{0,3}(\d{4})([-/.]?)(\d{1,2})\2(\d{1,2})"
    r"(?:(?:\s*T\s*|[\s,]+)(\d{1,2}):?(\d{2})(?::?(\d{2})(?:[.,]\d+)?)?\s*([AaPp]\.?[Mm])?\s*"
    r"(Z|[A-Z]{2,4}|[-+]\d{2}:?\d{2}|[-+]\d{2}\b)?)?"
    r"(?!\d)"
)
_ISO_LENGTH = len("2024-05-17T10:30:00")
_UNIX = pattern(r"\d{10}(?:\d{3})?")
_UNIX_YEAR = 1970  # in which the time of computers begins
_CLOCK = pattern(
    r"(?<![\d:.])(\d{1,2})(?::|h|時|时|시\s?|(?=\s?[AaPp]\.?[Mm]\b))(\d{2})?(?:分|분)?(?::(\d{2}))?(?:[.,]\d+)?"
    r"\s?([AaPp]\.?[Mm]\b)?\.?\s*(Z\b|[A-Z]{3,4}\b|(?:GMT|UTC)?\s?[-+]\d{2}:?\d{2})?"
)
_IN_CLOCKS = pattern("[:hmM時时시]")  # one of these at the least
_UTC = "+00:00"
# Only the names that mean one offset the world over.
_OFFSETS = dict(
    name.split("=")
    for name in """Z=+00:00 GMT=+00:00 UTC=+00:00 EDT=-04:00 EST=-05:00 CDT=-05:00 MDT=-06:00 MST=-07:00 PDT=-07:00
    PST=-08:00 CET=+01:00 CEST=+02:00 EET=+02:00 EEST=+03:00 MSK=+03:00 WIB=+07:00 JST=+09:00 KST=+09:00 AEST=+10:00
    AEDT=+11:00""".split()
)
_OFFSET = pattern(r"([-+])(\d{2}):?(\d{2})?$")
_FURTHEST_WEST, _FURTHEST_EAST = timedelta(hours=12), timedelta(hours=14)  # offsets from UTC
_OFFSET_STEP = timedelta(minutes=15)


def parse_datetime(text: str, *, month_first: bool | None = None) -> str | None:
    """Return the first complete date in a text, with its time and offset if it has them, or None.

    `month_first` says how to read 5/6/2024; with None it is not read.
    """
    text = text.strip()
    if not text or len(text) > MAX_TEXT or not _may_hold_date(text):
        return None
    if at := _iso_datetime(text):
        return at
    match = None if text[:4].isalpha() else _ISO.match(text)
    if match:
        return _joined(_day(match[1], match[3], match[4]), *match.group(5, 6, 7, 8, 9))
    if text.isdigit() and _UNIX.fullmatch(text):
        return _unix(int(text), len(text) == _MILLISECONDS)
    day = date_in(text, month_first=month_first)
    return with_time(day, text) if day and _is_stated(day) else None


def _may_hold_date(text: str) -> bool:
    """Whether a text has a year, in full or after an apostrophe, or may be a Unix time. A quick test for most texts."""
    return "20" in text or "19" in text or "'" in text or "’" in text or text.isdigit()


def _iso_datetime(text: str) -> str | None:
    """Return the date of a text in the usual form of ISO 8601, as most dates for machines are."""
    if text[10:11] != "T":
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    date = at.isoformat(timespec="seconds")
    zone, stated = date[_ISO_LENGTH:], text[_ISO_LENGTH:]
    is_utc = zone == _UTC and (stated == "Z" or (stated[:1] == "." and stated[-1:] == "Z" and stated[1:-1].isdigit()))
    is_same = text.startswith(date[:_ISO_LENGTH]) and (zone == stated or is_utc)
    return date if is_same and _EARLIEST < at.year <= _LATEST and at.year != _UNIX_YEAR else None


def with_time(day: str, text: str) -> str:
    """Return a day with the time of day in a text, and its offset, if the text has one."""
    if not _IN_CLOCKS.search(text):
        return day
    clock = next((one for one in _CLOCK.finditer(text) if one[2] or one[4]), None)
    return (_joined(day, *clock.groups()) or day) if clock else day


def day_of(at: str) -> str:
    """Return the day of a date and time."""
    return at[:10]


def has_time(at: str) -> bool:
    """Whether a date has a time."""
    return len(at) > len(day_of(at))


def days_between(one: str, two: str) -> int:
    """Return the number of days between two dates."""
    return abs((date.fromisoformat(day_of(one)) - date.fromisoformat(day_of(two))).days)


def same_instant(local: str, at: str) -> bool:
    """Whether `local` may be the local time of an instant in UTC, although the two are on different days."""
    if not at.endswith(_UTC) or days_between(local, at) != 1:
        return False
    stated = datetime.fromisoformat(at).replace(tzinfo=None)
    if not has_time(local):
        begins = datetime.fromisoformat(local)
        return stated - _FURTHEST_WEST < begins + timedelta(days=1) and begins <= stated + _FURTHEST_EAST
    ahead = datetime.fromisoformat(local).replace(tzinfo=None, second=0) - stated.replace(second=0)
    return -_FURTHEST_WEST <= ahead <= _FURTHEST_EAST and not ahead % _OFFSET_STEP


def swap_day_month(at: str) -> str:
    """Return a date with day and month swapped."""
    year, month, number = day_of(at).split("-")
    return f"{year}-{number}-{month}"


def _unix(seconds: int, is_milliseconds: bool) -> str | None:
    at = datetime.fromtimestamp(seconds // 1000 if is_milliseconds else seconds, UTC)
    return at.isoformat() if at.year <= _LATEST else None


def _day(year: str, month: str, day: str) -> str | None:
    day_text = _iso(year, month, day)
    return day_text if day_text and _is_stated(day_text) else None


def _is_stated(day: str) -> bool:
    """Whether a day is one that pages state, and not what a program writes for an unknown date."""
    return _EARLIEST <= int(day[:4]) <= _LATEST and day not in _NEVER


def _joined(
    day: str | None, hour: str | None, minute: str | None, second: str | None, half: str | None, zone: str | None
) -> str | None:
    """Return the day, with the time if there is a valid one."""
    if day is None or hour is None:
        return day
    hours, minutes, seconds = int(hour), int(minute or 0), int(second or 0)
    if half:
        hours = hours % _MIDDAY + (_MIDDAY if half[0] in "pP" else 0)
    if hours > _MAX_HOURS or minutes > _MAX_MINUTES or seconds > _MAX_SECONDS:
        return day
    return f"{day}T{hours:02}:{minutes:02}:{min(seconds, _MAX_MINUTES):02}{_offset(zone)}"


def _offset(zone: str | None) -> str:
    if not zone:
        return ""
    offset = _OFFSET.search(zone)
    return f"{offset[1]}{offset[2]}:{offset[3] or '00'}" if offset else _OFFSETS.get(zone, "")


# Dates relative to another: "3 hours ago", "yesterday, 10:15", "5 May", "5月3日"


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
_DAY_MONTH_ONLY = pattern(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|º|\.)?[\s-]+(?:de\s+|of\s+)?([^\W\d_]{3,12})", re.IGNORECASE
)
_MONTH_DAY_ONLY = pattern(r"(?<![^\W\d_])([^\W\d_]{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?![\d:])", re.IGNORECASE)
_NUMBERS_ONLY = pattern(r"(?<![\d:])(\d{1,2})\s?[-/月월]\s?(\d{1,2})(?![\d:])")


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
    year, month = divmod(day.year * 12 + day.month - 1 - count, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _without_year(text: str, on: date) -> date | None:
    """Return the last day before a date, or the day after it, that has the day and month of a text."""
    for match in _DAY_MONTH_ONLY.finditer(text):
        if month := month_of(match[2]):
            return _last(month, int(match[1]), on)
    for match in _MONTH_DAY_ONLY.finditer(text):
        if month := month_of(match[1]):
            return _last(month, int(match[2]), on)
    numbers = _NUMBERS_ONLY.search(text)
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
