"""The values of a column's texts: numbers, ISO 8601 dates, sums of money; read as the column as a whole writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pagesieve.page.stated import address, html_language, meta
from pagesieve.page.table import Page
from pagesieve.text.dates import has_month_first, parse_datetime, writes_month_first
from pagesieve.text.numbers import STARS, decimal_sign, number_in, price_in
from pagesieve.text.relative_dates import resolve_date
from pagesieve.text.urls import split_url


@dataclass(frozen=True, slots=True)
class Setting:
    """What the values of a page are read by: its date, where dollars are from, whether 5/6/2024 is the 6th of May."""

    date: datetime | None = None  # of the page
    place: str = ""  # a country, or a language
    month_first: bool | None = None


_DATES = ("date", "last-modified", "article:modified_time", "og:updated_time", "dcterms.modified", "dc.date")
_COUNTRY = 2  # letters at the end of a host's name


def setting_of(page: Page, date: datetime | None = None) -> Setting:
    """Return what the values of a page are read by; its date is the given one, or what the page states."""
    language, host = html_language(page).lower(), split_url(address(page) or "").hostname or ""
    end = host.rpartition(".")[2]
    place = end if len(end) == _COUNTRY else language.rpartition("-")[2]
    month_first = writes_month_first(language, host) if language else None
    return Setting(date or _stated_date(page), place, month_first)


def _stated_date(page: Page) -> datetime | None:
    stated = (parse_datetime(value) for _, value in meta(page).firsts(*_DATES))
    found = next(filter(None, stated), None)
    return datetime.fromisoformat(found) if found else None


_DIGIT = re.compile(r"\d")
_FULL = "★⭐✭✮✯"


def read_values(texts: Sequence[str], type: str, setting: Setting) -> list[Any]:
    """Return what the texts of a column say: numbers, ISO 8601 dates, prices with their currency; None for the unread.

    Where none can be read, as "3 hours ago" on a page without a date, they stay texts; so does a price, such as
    "$25,85000", that cannot be read for certain.
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
    return [_stars(text) if text[:1] in STARS and not _DIGIT.search(text) else _float(text, decimal) for text in texts]


def _float(text: str, decimal: str) -> float | None:
    value = number_in(text, decimal)
    return None if value is None else float(value)


def _stars(text: str) -> float | None:
    return float(sum(sign in _FULL for sign in text)) if text else None


def _prices(texts: Sequence[str], setting: Setting) -> list[Any]:
    decimal = decimal_sign(texts)
    found = [price_in(text, decimal, setting.place) for text in texts]
    return [
        price._asdict() if price else text if _DIGIT.search(text) else None
        for text, price in zip(texts, found, strict=True)
    ]


def _dates(texts: Sequence[str], setting: Setting) -> list[Any]:
    told = has_month_first(texts)
    month_first = setting.month_first if told is None else told
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
