"""Reading dates as people write them, in the languages that most pages are in."""

from __future__ import annotations

import re
from datetime import date

MOST_MONTHS = 12

# How the names of the months begin, a line a month; ends differ by case and abbreviation.
_MONTHS = (
    "jan ene gen янв sty oca jän",
    "feb fév fev фев lut şub",
    "mar mär mrt мар",
    "apr abr avr апр kwi nis",
    "may mai mei maj mag мая май",
    "jun juin giu июн cze haz",
    "jul juil lug июл lip tem",
    "aug ago aoû авг sie ağu",
    "sep set сен wrz eyl",
    "oct okt out ott окт paź eki",
    "nov ноя lis kas",
    "dec dez déc dic дек gru ara",
)
_MONTH_OF = {start: number for number, starts in enumerate(_MONTHS, 1) for start in starts.split()}
_NUMBERS = re.compile(r"(?<!\d)((?:19|20)\d\d)\s?(?:[-/.]|年|년)\s?(\d{1,2})\s?(?:[-/.]|月|월)\s?(\d{1,2})(?!\d)")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})([./-])(\d{1,2})\2((?:19|20)\d\d)(?!\d)")
_DAY_MONTH = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|º|\.)?\s+(?:de\s+|of\s+)?([^\W\d_]{3,12})\.?,?\s+(?:de\s+)?((?:19|20)\d\d)"
)
_MONTH_DAY = re.compile(r"(?<!\w)([^\W\d_]{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+((?:19|20)\d\d)")


def date_in(text: str) -> str | None:
    """The first date that a text names in full, as ISO writes it; None where there is none, or it has two readings."""
    found = _NUMBERS.search(text)
    if found:
        return _iso(*found.groups())
    found = _DAY_FIRST.search(text)
    if found:
        return _two_ways(*found.groups())
    found = _DAY_MONTH.search(text)
    if found:
        return _iso(found[3], _month(found[2]), found[1])
    found = _MONTH_DAY.search(text)
    return _iso(found[3], _month(found[1]), found[2]) if found else None


def _two_ways(first: str, sign: str, second: str, year: str) -> str | None:
    """Day and month, or month and day. Between dots the day comes first; else only where no month can be so high."""
    if sign == "." or int(first) > MOST_MONTHS or first == second:
        return _iso(year, second, first)
    return _iso(year, first, second) if int(second) > MOST_MONTHS else None


def _month(name: str) -> str:
    name = name.lower()
    number = _MONTH_OF.get(name[:4]) or _MONTH_OF.get(name[:3])
    return str(number or 0)


def _iso(year: str, month: str, day: str) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
