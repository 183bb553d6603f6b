"""What type of value a text is: price, number, date or just text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from pagesieve.text.dates import is_date, is_plain_date

MOST = 0.8  # of a column's values: the column is of a type where as many are
LONGEST_PRICE = 32  # characters
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


def is_price(text: str) -> bool:
    """Whether a text is a sum of money, or a range of it, and nothing else."""
    return len(text) <= LONGEST_PRICE and _PRICE.fullmatch(text) is not None


def is_number(text: str) -> bool:
    """Whether a text is a number and nothing else: a count, a share, a rank."""
    return _NUMBER.fullmatch(text) is not None


ValueType = Literal["price", "date", "number", "text"]
_TESTS: tuple[tuple[ValueType, Callable[[str], bool]], ...] = (
    ("price", is_price),
    ("date", is_date),
    ("number", is_number),
)


def type_of(texts: list[str]) -> ValueType:
    """Return the type of a column by its values: what most of them are."""
    looked_at = _some(texts)
    for name, test in _TESTS:
        if sum(map(test, looked_at)) >= MOST * len(looked_at) > 0:
            return name
    return "text"


def is_one_value(texts: list[str]) -> bool:
    """Whether nearly all texts are a price or a date as a whole, so that their parts are no values of their own."""
    looked_at = _some(texts)
    whole = sum(is_price(text.rstrip(" –-")) or is_plain_date(text) for text in looked_at)
    return whole >= MOST * len(looked_at) > 0


def _some(texts: list[str]) -> list[str]:
    return texts[:: max(1, len(texts) // LOOKED_AT)]
