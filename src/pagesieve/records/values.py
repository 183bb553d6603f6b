"""The values of columns: typed values, and ratings in attributes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from pagesieve.page.stated import address, html_language, meta
from pagesieve.page.table import Page
from pagesieve.text.dates import has_month_first, parse_datetime, resolve_date, writes_month_first
from pagesieve.text.numbers import STARS, decimal_sign, number_in, price_in
from pagesieve.text.types import is_rating
from pagesieve.text.urls import split_url
from pagesieve.text.vocabulary import OUT_OF, RATED, pattern_of

_MODIFIED = ("date", "last-modified", "article:modified_time", "og:updated_time", "dcterms.modified", "dc.date")
_COUNTRY = 2  # letters at the end of a host's name
_FULL = "★⭐✭✮✯"
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Setting:
    """How to read the values of a page: its date, the country of its dollars, whether 5/6/2024 is the 6th of May."""

    date: datetime | None = None  # of the page
    place: str = ""  # a country, or a language
    month_first: bool | None = None


def setting_of(page: Page, date: datetime | None = None) -> Setting:
    """Return how to read the values of a page, dated as given or as the page states."""
    language, host = html_language(page).lower(), split_url(address(page) or "").hostname or ""
    end = host.rpartition(".")[2]
    place = end if len(end) == _COUNTRY else language.rpartition("-")[2]
    month_first = writes_month_first(language, host) if language else None
    return Setting(date or _stated_date(page), place, month_first)


def _stated_date(page: Page) -> datetime | None:
    dates = (parse_datetime(value) for _, value in meta(page).firsts(*_MODIFIED))
    date = next(filter(None, dates), None)
    return datetime.fromisoformat(date) if date else None


def read_values(texts: Sequence[str], type: str, setting: Setting) -> list[Any]:
    """Return the values of the texts of a column: numbers, ISO 8601 dates, prices with their currency, or None.

    If none can be read, as "3 hours ago" on a page without a date, the texts are returned. So is the text of a price,
    such as "$25,85000", that cannot be read for certain.
    """
    reader = _READERS.get(type)
    if reader is None:
        return list(texts)
    values = reader(texts, setting)
    return values if any(value is not None for value in values) else list(texts)


def _numbers(texts: Sequence[str], _setting: Setting) -> list[Any]:
    decimal = decimal_sign(texts)
    return [number_in(text, decimal) for text in texts]


def _counts(texts: Sequence[str], setting: Setting) -> list[Any]:
    return [None if value is None else int(value) for value in _numbers(texts, setting)]


def _ratings(texts: Sequence[str], _setting: Setting) -> list[Any]:
    decimal = decimal_sign(texts)
    return [_rating(text, decimal) for text in texts]


def _rating(text: str, decimal: str) -> float | None:
    if text and text[0] in STARS and not _DIGIT.search(text):
        return float(sum(sign in _FULL for sign in text))
    value = number_in(text.rpartition("うち")[2], decimal)  # "4.3 of 5" begins with the 5 in Japanese
    return None if value is None else float(value)


def _prices(texts: Sequence[str], setting: Setting) -> list[Any]:
    decimal = decimal_sign(texts)
    prices = [price_in(text, decimal, setting.place) for text in texts]
    return [
        price._asdict() if price else text if _DIGIT.search(text) else None
        for text, price in zip(texts, prices, strict=True)
    ]


def _dates(texts: Sequence[str], setting: Setting) -> list[Any]:
    by_texts = has_month_first(texts)
    month_first = setting.month_first if by_texts is None else by_texts
    return [_date(text, setting.date, month_first) for text in texts]


def _date(text: str, on: datetime | None, month_first: bool | None) -> str | None:
    return parse_datetime(text, month_first=month_first) or (resolve_date(text, on) if on else None)


_READERS: dict[str, Callable[[Sequence[str], Setting], list[Any]]] = {
    "number": _numbers,
    "count": _counts,
    "rating": _ratings,
    "price": _prices,
    "date": _dates,
}


# Ratings in attributes: in titles, numbers, classes, the width of a bar of stars

MAX_ATTRIBUTE = 60  # characters of one with a rating
MIN_RATED = 0.3  # of the records have a rating
MAX_BAR_ROWS = 6  # of a bar of stars that are read
FIRST_RECORDS = 8  # if none of these has a rating, no more records are read
MIN_RECORDS = 3  # with fewer, a rating may be a decoration

_RATING_TITLES = ("aria-label", "title", "alt")
_RATING_NUMBERS = ("data-rating", "data-score", "data-stars", "data-rate")
_HINT = re.compile(
    rb"(?i:star|rat(?:ing|ed))|\d\s?(?:%s)\s?(?:5|10|100)" % pattern_of(OUT_OF).replace(r"\s", " ").encode()
)
_OUT_OF = (b" of 5", b" of 10", b"/5", b"/10", b"von 5", b"sur 5", b"de 5", b"Star", "из 5".encode())
_OF_STARS = (b"star-", b"stars", b"rating", b"rated", b"star ", b"star_")  # one is in the classes of a bar of stars
_BARE = re.compile(rb"\d{1,3}(?:[.,]\d{1,2})?")
_BEFORE = re.compile(rf"(?:{pattern_of(RATED)})\s?:?\s+(?:mit\s|with\s)?", re.IGNORECASE)
_STARS_DIGIT = re.compile(r"(?<![a-z])(?:stars?|rating|rated?)[-_]?(\d)(?:[-_.]?(\d))?(?![\d%])", re.IGNORECASE)
_STARS_NAMED = re.compile(r"(?<![a-z])(?:stars?|rating)[-_\s](?:rating\s)?(one|two|three|four|five)\b", re.IGNORECASE)
_DIGITS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}
_WIDTH = re.compile(r"(?:^|[;\s])width\s*:\s*(\d{1,3}(?:\.\d+)?)%")
_BARE_NUMBER = re.compile(r"\d{1,3}(?:[.,]\d{1,2})?")

Rating = tuple[int, str]  # the row with the attribute, and the words of the rating
Records = tuple[tuple[int, ...], ...]


def find_ratings(page: Page, records: Records) -> list[tuple[int, Rating]]:
    """Return the records that have a rating in an attribute, with the row and the rating; empty if there are none.

    A sort of attribute counts if it has one rating for each of many records, and not the same for all.
    """
    if len(records) < MIN_RECORDS or next(_attribute_ratings(page, records[:FIRST_RECORDS]), None) is None:
        return []
    ways: dict[str, dict[int, list[Rating]]] = {}
    starts = [roots[0] for roots in records]
    for row, way, words in _attribute_ratings(page, records):
        record = bisect_right(starts, row) - 1
        if record >= 0 and row < page.end[records[record][-1]]:
            ways.setdefault(way, {}).setdefault(record, []).append((row, words))
    for way in ("title", "number", "class", "width"):
        records_of_way = ways.get(way, {}).items()
        rated = [(record, each[0]) for record, each in records_of_way if len({words for _, words in each}) == 1]
        if len(rated) >= MIN_RATED * len(records) and len({words for _, (_, words) in rated}) > 1:
            return rated
    return []


def _attribute_ratings(page: Page, records: Records) -> Iterator[tuple[int, str, str]]:
    """Yield the rows that have a rating in an attribute, the sort of attribute, and the rating."""
    for k, name in _attributes(page, records[0][0], int(page.end[records[-1][-1]])):
        row = int(page.attribute_at.searchsorted(k, "right")) - 1
        value = page.attribute_value(k)
        if name == "class":
            yield from ((row, "class", words) for words in (_class_rating(value),) if words)
            yield from _width_rating(page, row)
        else:
            words = (
                _title_rating(value)
                if name in _RATING_TITLES
                else value.strip()
                if _BARE_NUMBER.fullmatch(value.strip())
                else ""
            )
            if words:
                yield row, "title" if name in _RATING_TITLES else "number", words


def _attributes(page: Page, start: int, stop: int) -> Iterator[tuple[int, str]]:
    """Yield the attributes of some rows that may have a rating, each with its name."""
    first, last = int(page.attribute_at[start]), int(page.attribute_at[stop])
    values = page.value_buffer[page.value_at[first] : page.value_at[last]]
    of_stars = any(word in values for word in _OF_STARS)
    if (
        not of_stars
        and not any(word in values for word in _OUT_OF)
        and not set(_RATING_NUMBERS) & set(page.more_attributes)
    ):
        return
    names = {
        page.attribute_number(name): name
        for name in (*_RATING_TITLES, *_RATING_NUMBERS, *(("class",) if of_stars else ()))
    }
    short = np.diff(page.value_at[first : last + 1]) <= MAX_ATTRIBUTE
    is_named = np.isin(page.attribute_name[first:last], [number for number in names if number is not None]) & short
    places = np.flatnonzero(is_named) + first
    begins, ends = page.value_at[places].tolist(), page.value_at[places + 1].tolist()
    buffer = page.value_buffer
    hints = {
        value: _may_be_rating(value) for value in {buffer[begin:end] for begin, end in zip(begins, ends, strict=True)}
    }
    if any(hints.values()):
        for k, begin, end in zip(places.tolist(), begins, ends, strict=True):
            if hints[buffer[begin:end]]:
                yield k, names[page.attribute_name.item(k)]


def _may_be_rating(value: bytes) -> bool:
    return _HINT.search(value) is not None or _BARE.fullmatch(value) is not None


def _title_rating(value: str) -> str:
    text = _BEFORE.sub("", value.strip().rstrip("."), count=1)
    return text if any(map(str.isdigit, text)) and is_rating(text) else ""


def _class_rating(value: str) -> str:
    stars = _STARS_DIGIT.search(value)
    if stars and int(stars[1]) <= 5:
        return f"{stars[1]}.{stars[2]}" if stars[2] else stars[1]
    named = _STARS_NAMED.search(value)
    return _DIGITS[named[1].lower()] if named else ""


def _width_rating(page: Page, row: int) -> Iterator[tuple[int, str, str]]:
    """Yield the width of a bar of stars, or of the first element in it that has one."""
    around = (page.attribute(row, "class") or "").lower()
    if page.attribute_number("style") is None or ("star" not in around and "rating" not in around):
        return
    for each in range(row, min(row + MAX_BAR_ROWS, int(page.end[row]))):
        width = _WIDTH.search(page.attribute(each, "style") or "")
        if width and float(width[1]) <= 100:
            yield each, "width", f"{width[1]}%"
            return
