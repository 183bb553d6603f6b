"""Reading dates as people write them, in the languages that most pages are in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

MOST_MONTHS = 12

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
_STARTS = (5, 4, 3)  # letters
_NUMBERS = re.compile(r"(?<!\d)((?:19|20)\d\d)\s?(?:[-/.]|年|년)\s?(\d{1,2})\s?(?:[-/.]|月|월)\s?(\d{1,2})(?!\d)")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})([./-])(\d{1,2})\2((?:19|20)\d\d)(?!\d)")
_DAY_MONTH = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|º|\.)?[\s-]+(?:de\s+|of\s+)?([^\W\d_]{3,12})\.?,?[\s-]+(?:de\s+|del\s+)?((?:19|20)\d\d)"
    r"(?!\d)"
)
_YEAR_MONTH = re.compile(r"(?<!\d)((?:19|20)\d\d),?[\s-]([^\W\d_]{3,12})\.?[\s-](\d{1,2})(?![\d:])")
_MONTH_DAY = re.compile(r"(?<![^\W\d_])([^\W\d_]{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,|\s)\s*((?:19|20)\d\d)(?!\d)")


def date_in(text: str, *, month_first: bool | None = None) -> str | None:
    """The first date that a text names in full, as ISO writes it; None where there is none, or it has two readings.

    `month_first` says which of the two readings of 5/6/2024 is right, where that is known.
    """
    if "20" not in text and "19" not in text:
        return None  # no year
    found = _NUMBERS.search(text)
    if found:
        return _iso(*found.groups())
    found = _DAY_FIRST.search(text)
    if found:
        return _two_ways(found[1], found[2], found[3], found[4], month_first)
    return next(filter(None, _named(text)), None)


def _named(text: str) -> Iterator[str | None]:
    """The days of a text whose month has a name."""
    yield from (_iso(found[3], _month(found[2]), found[1]) for found in _DAY_MONTH.finditer(text))
    yield from (_iso(found[3], _month(found[1]), found[2]) for found in _MONTH_DAY.finditer(text))
    yield from (_iso(found[1], _month(found[2]), found[3]) for found in _YEAR_MONTH.finditer(text))


def _two_ways(first: str, sign: str, second: str, year: str, month_first: bool | None) -> str | None:
    """Day and month, or month and day. Between dots the day comes first; else only where no month can be so high."""
    if sign == "." or int(first) > MOST_MONTHS or first == second:
        return _iso(year, second, first)
    if int(second) > MOST_MONTHS or month_first:
        return _iso(year, first, second)
    return None if month_first is None else _iso(year, second, first)


def _month(name: str) -> str:
    name = name.lower()
    return str(next((_MONTH_OF[name[:size]] for size in _STARTS if name[:size] in _MONTH_OF), 0))


def _iso(year: str, month: str, day: str) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
