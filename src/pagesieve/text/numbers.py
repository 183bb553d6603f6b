"""Numbers, sums of money and stars as pages write them: decimal signs, thousands, multipliers, currencies."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_DIGITS = r"\d{1,3}(?:[ \u00a0\u202f,.'’]\d{3})+(?!\d)|\d+"
NUMBER = rf"(?:{_DIGITS})(?:[.,]\d+)?"  # a pattern
STARS = "★☆⭐✩✭✮✯⯨"  # that ratings are drawn with
_ONE = re.compile(rf"([-–−]\s?)?({NUMBER})((?:[kmb](?![^\W_])|\s?(?:[千万萬億亿]|тыс|млн|mio)))?", re.IGNORECASE)
_PARTED = re.compile(r"\d([.,])(\d+)")
_THREE = 3  # digits after a sign that parts thousands
_TIMES = {
    name: times
    for names, times in (
        ("k 千 тыс", 1_000),
        ("万 萬", 10_000),
        ("m млн mio", 1_000_000),
        ("億 亿", 100_000_000),
        ("b", 1_000_000_000),
    )
    for name in names.split()
}

SIGNS = "$€£¥￥₹₽₩₺₴₫฿₪"


def _named(pairs: str) -> dict[str, str]:
    """Return names by signs, of a list of both."""
    return dict(pair.split("=") for pair in pairs.split())


# Signs and words that are one currency wherever they are written; codes are their own names.
_CURRENCIES = _named(
    """€=EUR £=GBP ₹=INR ₽=RUB ₩=KRW ₺=TRY ₴=UAH ₫=VND ฿=THB ₪=ILS us$=USD ca$=CAD c$=CAD a$=AUD au$=AUD nz$=NZD
    hk$=HKD s$=SGD r$=BRL mx$=MXN nt$=TWD zł=PLN kč=CZK 円=JPY 원=KRW руб=RUB rs=INR rmb=CNY 元=CNY"""
)
# Those that are the currency of the country: by the end of the host's name, or the language; else the first.
_OF_PLACES = {
    "$": _named("us=USD ca=CAD au=AUD nz=NZD hk=HKD sg=SGD mx=MXN ar=ARS cl=CLP co=COP tw=TWD"),
    "¥": _named("cn=CNY jp=JPY ja=JPY"),
    "kr": _named("se=SEK no=NOK nb=NOK dk=DKK da=DKK is=ISK"),
}
CODES = (
    "usd eur gbp cad aud nzd chf cny rmb jpy inr rub krw sek nok dkk pln czk huf brl mxn zar hkd sgd try twd thb "
    "ils uah vnd idr myr php ron bgn isk ars clp cop"
)
WORDS = r"kr|zł|kč|元|円|원|руб\.?|rs\.?"
CURRENCY = rf"(?:[a-z]{{0,3}}\s?[{SIGNS}]|{CODES.replace(' ', '|')}|{WORDS})"  # a pattern that ignores case
_CURRENCY = re.compile(rf"([a-z]{{0,2}}[{SIGNS}])|\b({CODES.replace(' ', '|')})\b|({WORDS})", re.IGNORECASE)


class Price(NamedTuple):
    """A sum of money; of a range, where it begins."""

    amount: int | float
    currency: str | None  # by its code in ISO 4217; None where the page does not tell


def decimal_sign(texts: Iterable[str]) -> str:
    """Return the sign that parts off decimals in some numbers that are written alike: a point or a comma."""
    points = {".": 0, ",": 0}
    for text in texts:
        parted = _PARTED.findall(text)
        if not parted:
            continue
        sign, digits = parted[-1]
        other = "," if sign == "." else "."
        if len(digits) != _THREE or any(each != sign for each, _ in parted):
            points[sign] += 1  # 1,234.5 or 3.50
        else:
            points[other] += 1  # 1.234: so the other one does, if any
    return "," if points[","] > points["."] else "."


def number_in(text: str, decimal: str = ".") -> int | float | None:
    """Return the first number of a text, whole where it is written so; None where there is none."""
    found = _ONE.search(text)
    if found is None:
        return None
    grouping = "." if decimal == "," else ","
    digits = re.sub(r"[ \u00a0\u202f'’]", "", found[2]).replace(grouping, "")
    if digits.count(decimal) > 1:  # thousands after all
        digits = digits.replace(decimal, "")
    times = _TIMES.get((found[3] or "").strip().lower(), 1)
    value = float(digits.replace(decimal, ".")) * times
    if found[1]:
        value = -value
    whole = decimal not in digits or (times > 1 and value.is_integer())
    return int(value) if whole else value


def price_in(text: str, decimal: str = ".", place: str = "") -> Price | None:
    """Return the sum of money that a text names; `place` is the country or language that says which dollar it is."""
    amount = number_in(text.replace("–", " ").replace("-", " "), decimal)
    if amount is None:
        return None
    return Price(amount, _currency_in(text, place))


def _currency_in(text: str, place: str) -> str | None:
    found = _CURRENCY.search(text)
    if found is None:
        return None
    name = found[0].lower().rstrip(".").replace("￥", "¥")
    if found[2]:
        return "CNY" if name == "rmb" else name.upper()
    if name in _CURRENCIES:
        return _CURRENCIES[name]
    places = _OF_PLACES.get(name) or _OF_PLACES.get(name[-1:])
    if places is None:
        return _CURRENCIES.get(name[-1:])
    return places.get(place) or next(iter(places.values()))
