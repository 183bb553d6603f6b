"""Points in time as pages write them, for machines and for readers, brought into the one form of ISO 8601."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from pagesieve.text.dates import date_in

LONGEST = 200  # characters: what is longer is no date
EARLIEST, LATEST = 1900, 2099  # years
_NEVER = frozenset(("1970-01-01", "1900-01-01", "2000-00-00"))  # what programs write where nothing is known
_MILLISECONDS = 13  # digits of a Unix time that counts them
_MIDDAY = 12
_MOST_HOURS, _MOST_MINUTES, _MOST_SECONDS = 23, 59, 60

_ISO = re.compile(
    r"[^\d]{0,3}(\d{4})([-/.]?)(\d{1,2})\2(\d{1,2})"
    r"(?:(?:\s*T\s*|[\s,]+)(\d{1,2}):?(\d{2})(?::?(\d{2})(?:[.,]\d+)?)?\s*([AaPp]\.?[Mm])?\s*"
    r"(Z|[A-Z]{2,4}|[-+]\d{2}:?\d{2}|[-+]\d{2}\b)?)?"
    r"(?!\d)"
)
_UNIX = re.compile(r"\d{10}(?:\d{3})?")
_CLOCK = re.compile(
    r"(?<![\d:.])(\d{1,2})(?::|h|時|时|시\s?|(?=\s?[AaPp]\.?[Mm]\b))(\d{2})?(?:分|분)?(?::(\d{2}))?(?:[.,]\d+)?"
    r"\s?([AaPp]\.?[Mm]\b)?\.?\s*(Z\b|[A-Z]{3,4}\b|(?:GMT|UTC)?\s?[-+]\d{2}:?\d{2})?"
)
# Only those that mean one zone the world over.
_ZONES = {
    name: offset
    for offset, names in {
        "+00:00": "Z GMT UTC",
        "-04:00": "EDT",
        "-05:00": "EST CDT",
        "-06:00": "MDT",
        "-07:00": "MST PDT",
        "-08:00": "PST",
        "+01:00": "CET",
        "+02:00": "CEST EET",
        "+03:00": "EEST MSK",
        "+07:00": "WIB",
        "+09:00": "JST KST",
        "+10:00": "AEST",
        "+11:00": "AEDT",
    }.items()
    for name in names.split()
}
_UTC = "+00:00"
_FURTHEST_WEST, _FURTHEST_EAST = timedelta(hours=12), timedelta(hours=14)  # zones from there
_ZONE_STEP = timedelta(minutes=15)
_OFFSET = re.compile(r"([-+])(\d{2}):?(\d{2})?$")


def moment(text: str, *, month_first: bool | None = None) -> str | None:
    """The first date that a text names in full, with its time and zone where they are given; None where there is none.

    `month_first` says which way 5/6/2024 is read; None leaves it unread.
    """
    text = text.strip()
    if not text or len(text) > LONGEST:
        return None
    found = _ISO.match(text)
    if found:
        return _joined(_day(found[1], found[3], found[4]), *found.group(5, 6, 7, 8, 9))
    if _UNIX.fullmatch(text):
        return _unix(int(text), len(text) == _MILLISECONDS)
    day = date_in(text, month_first=month_first)
    if day is None or _day(*day.split("-")) is None:
        return None
    clock = next((one for one in _CLOCK.finditer(text) if one[2] or one[4]), None)
    return _joined(day, *clock.groups()) if clock else day


def day_of(at: str) -> str:
    """The day of a moment."""
    return at[:10]


def has_time(at: str) -> bool:
    """Whether a moment is more than a day."""
    return len(at) > len(day_of(at))


def days_between(one: str, two: str) -> int:
    """How many days lie between the days of two moments."""
    return abs((date.fromisoformat(day_of(one)) - date.fromisoformat(day_of(two))).days)


def same_elsewhere(shown: str, at: str) -> bool:
    """Whether a moment can be what clocks of some place show at another one, which is stated in UTC, a day off."""
    if not at.endswith(_UTC) or days_between(shown, at) != 1:
        return False
    stated = datetime.fromisoformat(at).replace(tzinfo=None)
    if not has_time(shown):
        begins = datetime.fromisoformat(shown)
        return stated - _FURTHEST_WEST < begins + timedelta(days=1) and begins <= stated + _FURTHEST_EAST
    ahead = datetime.fromisoformat(shown).replace(tzinfo=None, second=0) - stated.replace(second=0)
    return -_FURTHEST_WEST <= ahead <= _FURTHEST_EAST and not ahead % _ZONE_STEP


def turned(day: str) -> str:
    """A day with its month and its number exchanged, as it is where it was read the wrong way round."""
    year, month, number = day_of(day).split("-")
    return f"{year}-{number}-{month}"


def _unix(seconds: int, is_milliseconds: bool) -> str | None:
    at = datetime.fromtimestamp(seconds // 1000 if is_milliseconds else seconds, UTC)
    return at.isoformat() if at.year <= LATEST else None


def _day(year: str, month: str, day: str) -> str | None:
    try:
        found = date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
    return found if EARLIEST <= int(year) <= LATEST and found not in _NEVER else None


def _joined(
    day: str | None, hour: str | None, minute: str | None, second: str | None, half: str | None, zone: str | None
) -> str | None:
    """The day, and the time where there is one; a time that no clock shows is left away."""
    if day is None or hour is None:
        return day
    hours, minutes, seconds = int(hour), int(minute or 0), int(second or 0)
    if half:
        hours = hours % _MIDDAY + (_MIDDAY if half[0] in "pP" else 0)
    if hours > _MOST_HOURS or minutes > _MOST_MINUTES or seconds > _MOST_SECONDS:
        return day
    return f"{day}T{hours:02}:{minutes:02}:{min(seconds, _MOST_MINUTES):02}{_zone(zone)}"


def _zone(name: str | None) -> str:
    if not name:
        return ""
    offset = _OFFSET.search(name)
    return f"{offset[1]}{offset[2]}:{offset[3] or '00'}" if offset else _ZONES.get(name, "")
