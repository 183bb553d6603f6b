"""What sort of value a text is: price, number, date or just text."""

from __future__ import annotations

import re
from collections.abc import Callable

from pagesieve.records.results import Type
from pagesieve.text.dates import date_in

MOST = 0.8  # of a column's values are of a type: the column is
LONGEST_DATE = 40  # characters: a longer text only mentions a date
DATE_LETTERS = 20  # and one with more letters says more than a date
LONGEST_PRICE = 32
LOOKED_AT = 200  # values of a column, evenly spread, that its type is told by

_SIGNS = "$€£¥￥₹₽₩₺₴₫฿₪"
_CODES = "usd eur gbp cad aud nzd chf cny rmb jpy inr rub krw sek nok dkk pln czk huf brl mxn zar hkd sgd try"
_WORDS = r"kr|zł|kč|元|円|원|руб\.?|rs\.?"
_CURRENCY = rf"(?:[a-z]{{0,3}}\s?[{_SIGNS}]|{_CODES.replace(' ', '|')}|{_WORDS})"
_AMOUNT = r"(?:\d{1,3}(?:[ ,.'’]\d{3})*|\d+)(?:\s?[.,]\s?(?:\d{1,2}|-|–))?"
_RANGE = rf"(?:\s?(?:-|–|to)\s?{_CURRENCY}?\s?{_AMOUNT})?"
_PRICE = re.compile(
    rf"(?:(?:from|ab):?\s)?(?:{_CURRENCY}\s?{_AMOUNT}{_RANGE}|{_AMOUNT}\s?{_CURRENCY})(?:\s?(?:/|per\s)?\s?\w{{0,10}}\.?)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[(#+\-–~]?\s?(?:\d{1,3}(?:[ ,.'’]\d{3})+|\d+)(?:[.,]\d+)?\s?[%km+)]?", re.IGNORECASE)
_CLOCK = r"\d{1,2}[:.]\d\d(?::\d\d)?(?:\s?[ap]m)?"
_SPAN = r"(?:s|m|h|d|w|mo|y|(?:sec(?:ond)?|min(?:ute)?|hour|hr|day|week|month|year)s?)\.?"
_SHORT_DATE = re.compile(
    r"(?:\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?|\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]m)?"
    r"|\d{1,2}月\d{1,2}日|昨天|今天|刚刚|\d+\s?(?:秒|分钟|小时|天|周|个月|月|年)前"
    rf"|(?:(?:about|over|streamed)\s)?(?:an?|\d+)\+?\s?{_SPAN}\sago"
    r"|yesterday|today|just now|gestern|heute|hier|vor \w+ \w+|il y a \w+ \w+|hace \w+ \w+)"
    rf"(?:[\s,]+{_CLOCK})?",
    re.IGNORECASE,
)
_DAY = "mon|tue|wed|thu|fri|sat|sun"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_MONTH_DAY = re.compile(
    rf"(?:(?:{_DAY})[a-z]{{0,6}},?\s)?(?:{_MONTH}\s'?\d{{1,4}}|\d{{1,2}}\.?\s{_MONTH})"
    rf"(?:,?\s'?\d{{2,4}})?(?:,?\s(?:at\s)?{_CLOCK}(?:\s?[a-z]{{2,4}})?)?",
    re.IGNORECASE,
)


def is_price(text: str) -> bool:
    """Whether a text is a sum of money, or a range of it, and nothing else."""
    return len(text) <= LONGEST_PRICE and _PRICE.fullmatch(text) is not None


def is_number(text: str) -> bool:
    """Whether a text is a number and nothing else: a count, a share, a rank."""
    return _NUMBER.fullmatch(text) is not None


def is_date(text: str) -> bool:
    """Whether a text is a date or a time, or says how long ago something was."""
    if len(text) > LONGEST_DATE or (not any(c.isdigit() for c in text) and len(text) > 12):
        return False
    return _is_plain_date(text) or (sum(map(str.isalpha, text)) <= DATE_LETTERS and date_in(text) is not None)


_TESTS: tuple[tuple[Type, Callable[[str], bool]], ...] = (
    ("price", is_price),
    ("date", is_date),
    ("number", is_number),
)


def type_of(texts: list[str]) -> Type:
    """The type of a column by its values: what most of them are."""
    looked_at = texts[:: max(1, len(texts) // LOOKED_AT)]
    for name, test in _TESTS:
        if sum(map(test, looked_at)) >= MOST * len(looked_at) > 0:
            return name
    return "text"


def is_one_value(texts: list[str]) -> bool:
    """Whether nearly all texts are a price or a date as a whole, so that their parts are none of their own."""
    looked_at = texts[:: max(1, len(texts) // LOOKED_AT)]
    whole = sum(is_price(text.rstrip(" –-")) or _is_plain_date(text) for text in looked_at)
    return whole >= MOST * len(looked_at) > 0


def _is_plain_date(text: str) -> bool:
    return len(text) <= LONGEST_DATE and bool(_SHORT_DATE.fullmatch(text) or _MONTH_DAY.fullmatch(text))
