"""What type of value a text is: price, number, date or just text."""

import re
from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

from pagesieve.text.dates import is_date, is_plain_date

T = TypeVar("T")

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
_TESTS: dict[ValueType, Callable[[str], bool]] = {"price": is_price, "date": is_date, "number": is_number}


def type_of(texts: Sequence[str]) -> ValueType:
    """Return the type of a column by its values: what most of them are."""
    looked_at = _some(texts)
    return next((name for name, test in _TESTS.items() if _are_most(looked_at, test)), "text")


def is_one_value(things: Sequence[T], text_of: Callable[[T], str] = str) -> bool:
    """Whether the texts of nearly all things are a price or a date as a whole, so that their parts are no values."""
    return _are_most(_some(things), lambda thing: _is_value(text_of(thing)))


def _is_value(text: str) -> bool:
    return is_price(text.rstrip(" –-")) or is_plain_date(text)


def _are_most(things: Sequence[T], test: Callable[[T], bool]) -> bool:
    """Whether most things pass a test; no more are tried than it takes to know."""
    left = len(things)  # that pass, or were not tried
    least = MOST * left
    for thing in things:
        if not test(thing):
            left -= 1
            if left < least:
                return False
    return left > 0


def _some(things: Sequence[T]) -> Sequence[T]:
    return things[:: max(1, len(things) // LOOKED_AT)]
