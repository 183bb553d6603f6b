"""Numbers, sums of money and stars as pages write them: decimal signs, thousands, multipliers, currencies."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from pagesieve.text.patterns import pattern

_BLANKS = " \u00a0\u202f'’"  # part thousands, and nothing else
_GROUPED = rf"\d{{1,3}}(?:[{_BLANKS},.]\d{{3}})+(?!\d)"
NUMBER = rf"(?:{_GROUPED}|\d+)(?:[.,]\d+)?"  # a pattern
STARS = "★☆⭐✩✭✮✯⯨"  # that ratings are drawn with
MAX_DIGITS = 18  # of a number: longer ones are identifiers
MULTIPLIER = (  # a pattern that ignores case
    r"(?:[kmb](?![^\W_])|\s?(?:[千万萬億亿]|тыс|млн|млрд|(?:bn|mio|mln|mrd|lakhs?|lacs?|crores?|cr|millions?|millionen"
    r"|billions?|milliarden?|milliards?|trillions?)(?![^\W\d_])))"
)
_ONE = pattern(rf"([-–−]\s?)?({NUMBER})({MULTIPLIER})?", re.IGNORECASE)
_PARTED = pattern(r"\d([.,])(\d+)")
_CENTS = 2  # digits
_THREE = 3  # digits after a sign that parts thousands
_TIMES = {
    name: times
    for names, times in (
        ("k 千 тыс", 1_000),
        ("万 萬", 10_000),
        ("lakh lakhs lac lacs", 100_000),
        ("m млн mio mln million millions millionen", 1_000_000),
        ("cr crore crores", 10_000_000),
        ("億 亿", 100_000_000),
        ("b bn млрд mrd billion billions milliard milliards milliarde milliarden", 1_000_000_000),
        ("trillion trillions", 1_000_000_000_000),
    )
    for name in names.split()
}

SIGNS = "$€£¥￥₹₽₩₺₴₫฿₪₱₦₸₵₾৳"


def _named(pairs: str) -> dict[str, str]:
    """Return names by signs, of a list of both."""
    return dict(pair.split("=") for pair in pairs.split())


# Signs and words that are one currency wherever they are written; codes are their own names.
_CURRENCIES = _named(
    """€=EUR £=GBP ₹=INR ₽=RUB ₩=KRW ₺=TRY ₴=UAH ₫=VND ฿=THB ₪=ILS us$=USD ca$=CAD c$=CAD a$=AUD au$=AUD nz$=NZD
    hk$=HKD s$=SGD r$=BRL mx$=MXN nt$=TWD zł=PLN kč=CZK 円=JPY 원=KRW руб=RUB р=RUB rs=INR rmb=CNY 元=CNY ₱=PHP ₦=NGN
    ₸=KZT ₵=GHS ₾=GEL ৳=BDT грн=UAH тг=KZT лв=BGN lei=RON ft=HUF tl=TRY rm=MYR rp=IDR sfr=CHF ksh=KES s/=PEN r=ZAR đ=VND
    vnđ=VND บาท=THB euro=EUR euros=EUR ر.س=SAR د.إ=AED د.ك=KWD ج.م=EGP جنيه=EGP ש"ח=ILS ש״ח=ILS"""
)
# Those that are the currency of the country: by the end of the host's name, or the language; else the first.
_OF_PLACES = {
    "$": _named("us=USD ca=CAD au=AUD nz=NZD hk=HKD sg=SGD mx=MXN ar=ARS cl=CLP co=COP tw=TWD"),
    "¥": _named("cn=CNY jp=JPY ja=JPY"),
    "kr": _named("se=SEK no=NOK nb=NOK dk=DKK da=DKK is=ISK"),
    ":-": _named("se=SEK no=NOK nb=NOK dk=DKK da=DKK"),
}
CODES = (
    "usd eur gbp cad aud nzd chf cny rmb jpy inr rub krw sek nok dkk pln czk huf brl mxn zar hkd sgd try twd thb "
    "ils uah vnd idr myr php ron bgn isk ars clp cop aed sar egp qar kwd kes ngn pkr bdt lkr uyu kzt byn gel rsd"
)
_CLEARLY = r"(?=\s?\d{1,3}(?:[., ]\d{3}|[.,]\d\d)(?!\d))"  # an amount follows, with thousands or cents
WORDS = (
    r"kr\.?|zł|kč|元|円|원|руб\.?|р\.|rs\.?|грн\.?|тг\.?|лв\.?|lei|rm(?=\s?\d)|rp\.?(?=\s?\d)|sfr\.?|ksh\.?(?=\s?\d)"
    rf"|s/\.?{_CLEARLY}|r{_CLEARLY}|đ|vnđ|บาท|euros?|:-|ر\.س|د\.إ|د\.ك|ج\.م|جنيه|ש[\"״]ח"
    # forints, not feet; liras, not teaspoons
    r"|(?:(?<=[. ]\d{3})|(?<=[. ]\d{3}\s))(?-i:Ft)|(?:(?<=[\d,]\d\d)|(?<=[\d,]\d\d\s))(?-i:TL)"
)
_PREFIXES = "us ca c au a nz hk sg s r mx nt cl ar co gh rd u j".replace(" ", "|")  # before a dollar sign
_NAMES = CODES.replace(" ", "|")
CURRENCY = rf"(?:(?:{_NAMES}|{_PREFIXES})?\s?[{SIGNS}]|{_NAMES}|{WORDS})"  # a pattern that ignores case
_CURRENCY = pattern(
    rf"([a-z]{{0,2}}[{SIGNS}])|(?<![^\W\d_])({_NAMES})(?![^\W\d_])|((?<![^\W\d_])(?:{WORDS})(?![^\W\d_])|[元円원])",
    re.IGNORECASE,
)
_CODE = pattern(rf"(?<![^\W\d_])(?:{_NAMES.upper()})(?![^\W\d_])")
# Signs and words that are a currency by themselves, not as a part of another word.
_ALONE = rf"(?:[{SIGNS}]|(?<![^\W\d_])(?:{_NAMES}|{WORDS})(?![^\W\d_]))"

# What may be an amount: digits with signs between them, and what makes it one that can be read for certain.
_RUN = rf"(?:(?<!\w)[.,])?\d+(?:[{_BLANKS},.]\d+)*"
_CERTAIN = pattern(
    rf"\d{{1,3}}([{_BLANKS},.])\d{{3}}(?:\1\d{{3}})*(?:(?!\1)[.,]\d{{1,2}})?"
    r"|\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d{1,2})?|0[.,]\d+|\d+(?:[.,]\d{1,2})?|[.,]\d{1,2}"
)
_SPACED = pattern(r"(?<=\d)(?: ([.,]) (?=\d\d(?!\d))|(\.) (?=\d\d\Z))")  # the sign of decimals in an element of its own
_DIVIDED = pattern(rf"(?<![\d.,{SIGNS}])(?<![{SIGNS}]\s)(\d+)([{SIGNS}])(\d\d)(?![\d.,])")  # 19€97
_SPACED_OUT = pattern(r"\d{1,3}(?: \d{3})+")  # thousands, or two numbers
_COLON = pattern(r"(?<![\d:])(\d+):(\d\d)(?=\s?kr\b)")  # 59:90 kr
_POINT_AND_DASH = pattern(r"(?<![\d.])(\d{1,3})\.(\d{3})(?=,[-–—])")  # 1.299,- has thousands
_CLOSED = pattern(r"(?<![€\d.,])(\d[\d.,]*[.,]\d\d\s?€)(?=\d)")  # 9,49€6,64€
_UNUSUAL = pattern(rf"[．，:]|\d[{SIGNS}]|\d\s€\d|\d [.,]|\. \d|,[-–—]")  # texts that the patterns above may match
_UNREAD = pattern(  # a price of several things, a sum in cents, a number with a word for thousands in it
    rf"\d\s?(?:for|für|pour|por|per|voor|för|за|za|x|×|/)\s?(?:{CURRENCY})|\d\s?(?:p(?!&)|ct|cts|cents?|mil)\b|¢|\d[万萬億亿]\d"
    r"|\d\s(?:for|für|pour|por|за|za)\s\d|^[-−–]\s",
    re.IGNORECASE,
)
_THOUSAND_OR_THOUSANDTHS = pattern(r"\A[^$£¥￥]*(?<![\d.,])[1-9]\d{0,2}\.\d{3}(?![\d.,])[^$£¥￥]*\Z")
_COMMA = pattern(r"\d{1,3},\d{3}")
_POINTED = pattern(r"\d{1,3}\.\d{3}")  # thousands, or thousandths as fuel has them
_WITH_POINTS = frozenset("us gb uk ie au nz en".split())  # places where a point does not group digits
_WITH_COMMAS = frozenset(  # places where a comma does not group digits
    "de at fr be nl it es pt br pl cz cs sk hu ro bg hr si rs gr el tr ru ua uk se sv no nb nn dk da fi ee et lv lt id "
    "vn vi ar cl co".split()
)
_OTHER_DOLLARS = pattern(r"(?<![a-z])\$(?!.*\b[A-Z]{3}\b)", re.IGNORECASE)  # may be pesos, whose thousands have points
_THOUSAND = 1_000
_RAISED = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹")
_BESIDE = rf"(?:(?:(?<![^\W\d_])(?:{_NAMES}|{_PREFIXES})\s?)?[{SIGNS}]|{_ALONE})"
_BEHIND = r"(?:zł|kč|[元円원đ₽₴₸]|руб\.?|грн\.?|лв\.?|lei|บาท|ر\.س|د\.إ|د\.ك|ج\.م|جنيه)"  # never before an amount
_SUM = pattern(
    rf"(?P<before>{_BESIDE}\s?)?(?P<run>{_RUN})(?P<times>{MULTIPLIER})?(?P<after>\s?(?:{_BEHIND}|{_BESIDE}(?!\d)))?"
    rf"(?:\s?(?:[-–—~]|to|bis|à)\s?(?P<first>{_BESIDE}\s?)?{_RUN}{MULTIPLIER}?(?P<last>\s?{_BESIDE}(?!\d))?)?",
    re.IGNORECASE,
)
PLAIN_PRICE = pattern(r"[$£€]\s?(\d{1,3}(?:,\d{3})*\.\d\d|\d{1,9})")  # the form of most prices
_HUNDREDTHS = pattern(r"(\d+(?:[.,]\d{3}(?!\d))*)(?:[.,](\d{1,2})(?!\d))?")
_MINUS = ("-", "−")
_WIDE = str.maketrans("．，", ".,")
_LEADING = tuple("$£¥￥₹")  # signs that stand before their amount, unless they touch the one before

_BEFORE_CENTS = pattern(
    rf"(?:(?P<sign>{_ALONE})\s?|(?<![\w.,]))(?P<whole>\d{{1,3}}(?:[{_BLANKS},.]\d{{3}})*|\d+)\Z", re.IGNORECASE
)
_AFTER_CENTS = pattern(rf"\s?{_ALONE}(?!\s?\d)", re.IGNORECASE)


class Price(NamedTuple):
    """A sum of money; of a range, the lower end."""

    amount: int | float
    currency: str | None  # the code in ISO 4217; None if not known


def decimal_sign(texts: Iterable[str]) -> str:
    """Return the decimal separator of some numbers in the same format: a point or a comma."""
    certain, likely = {".": 0, ",": 0}, {".": 0, ",": 0}
    for text in texts:
        parted = _PARTED.findall(text)
        if not parted:
            continue
        sign, digits = parted[-1]
        other = "," if sign == "." else "."
        if len(digits) != _THREE or any(each != sign for each, _ in parted):
            certain[sign] += 1  # 1,234.5 or 3.50
        else:
            likely[other] += 1  # 1.234: so the other one does, if any
    points = certain if certain["."] != certain[","] else likely
    return "," if points[","] > points["."] else "."


def number_in(text: str, decimal: str = ".") -> int | float | None:
    """Return the first number of a text, an int if it is whole; None if there is none, or if it is too long."""
    match = _ONE.search(text)
    if match is None:
        return None
    value = _value(match[2], match[3], decimal)
    return -value if match[1] and value is not None else value


def _value(digits: str, multiplier: str | None, decimal: str) -> int | float | None:
    """Return the value of digits with separators; `decimal` decides about ambiguous ones such as 1.234."""
    digits = "".join(c for c in digits if c not in _BLANKS)
    point = _point_of(digits, decimal)
    digits = "".join("." if c == point else c for c in digits if c == point or c not in ".,")
    if len(digits) > MAX_DIGITS:
        return None
    times = _TIMES.get((multiplier or "").strip().lower(), 1)
    value = float(digits) * times if point else int(digits) * times
    if value >= 10**MAX_DIGITS:
        return None
    return int(value) if times > 1 and float(value).is_integer() else value


def _point_of(digits: str, decimal: str) -> str:
    """Return the decimal separator of a number, or an empty string if it is whole."""
    signs = [c for c in digits if c in ".,"]
    if not signs or (len(signs) > 1 and signs.count(signs[-1]) > 1):
        return ""
    sign = signs[-1]
    head, _, tail = digits.rpartition(sign)
    if len(signs) > 1 or len(tail) != _THREE or len(head) > _THREE or head == "0":
        return sign
    return sign if sign == decimal else ""


def numbers_in(text: str) -> set[str]:
    """Return the numbers of a text in hundredths, as digits, so that different ways to write a number are equal."""
    numbers = (match.groups("") for match in _HUNDREDTHS.finditer(text))
    return {"".join(filter(str.isdigit, whole)) + part.ljust(_CENTS, "0") for whole, part in numbers}


def price_in(text: str, decimal: str = ".", place: str = "") -> Price | None:
    """Return the sum of money in a text; None if there is none or if it is not certain.

    Of a range, return the lower end. Two different sums are not certain, nor are digits with separators that no number
    has. `place` is the country or language that decides which dollar it is.
    """
    plain = PLAIN_PRICE.fullmatch(text)
    if plain is not None:
        digits = plain[1].replace(",", "")
        return Price(float(digits) if "." in digits else int(digits), _currency_in(text, place))
    text = _in_usual_form(text) if _UNUSUAL.search(text) else text
    if _UNREAD.search(text) or _has_vague_point(text, decimal, place):
        return None
    amounts = set(_amounts(text, decimal))
    amount = amounts.pop() if len(amounts) == 1 else None
    if amount is None:
        return None
    is_other = place not in _OF_PLACES["$"] and _OTHER_DOLLARS.search(text) is not None and _POINTED.search(text)
    return Price(amount, None if is_other and amount >= _THOUSAND else _currency_in(text, place))


def _in_usual_form(text: str) -> str:
    """Return a text with its sums of money in the form that most pages use."""
    text = _DIVIDED.sub(r"\1.\3\2", _SPACED.sub(r"\1\2", text.translate(_WIDE)))
    return _CLOSED.sub(r"\1 ", _POINT_AND_DASH.sub(r"\1\2", _COLON.sub(r"\1.\2", text)))


def _has_vague_point(text: str, decimal: str, place: str) -> bool:
    """Whether three digits after a point or a comma may be thousands or thousandths."""
    if decimal == ",":
        return place in _WITH_POINTS and _POINTED.fullmatch(text.strip(" $£")) is not None
    if place not in _WITH_POINTS and _THOUSAND_OR_THOUSANDTHS.search(text):
        return True
    return place in _WITH_COMMAS and _COMMA.fullmatch(text.strip(" €")) is not None


def _amounts(text: str, decimal: str) -> list[int | float | None]:
    """Return the amounts in a text, None for uncertain ones: those next to a currency, or all if none is."""
    sums: list[tuple[int | float | None, bool]] = []
    open_end = -1  # of a currency behind an amount that could be one before the next as well,
    parted = False  # or that may part it from its cents
    for match in _SUM.finditer(text):
        is_money = any(match[name] for name in ("before", "after", "first", "last"))
        touches = open_end >= 0 and not text[open_end : match.start()].strip()
        is_money = is_money or (touches and (not parted or len(match["run"]) == _CENTS))
        sums.append((_amount(match, text, decimal), is_money))
        after = match["last"] or match["after"] or ""
        is_leading = after[:1].isspace() and (after.endswith(_LEADING) or match["before"] is not None)
        parted = not is_leading and bool(after) and match["run"].isdigit()
        open_end = match.end() if is_leading or parted else -1
    return [amount for amount, is_money in sums if is_money] or [amount for amount, _ in sums]


def _amount(match: re.Match[str], text: str, decimal: str) -> int | float | None:
    behind = text[match.end("run") : match.end("run") + 1]
    if not _CERTAIN.fullmatch(match["run"]) or behind in _RAISED:
        return None
    if _SPACED_OUT.fullmatch(match["run"]) and match["before"]:  # "$19" and "189 reviews"
        sign = match["before"].strip()[-1:]
        if sign in _LEADING or text[match.end() :].lstrip()[:1].isalpha():
            return None
    value = _value(match["run"], match["times"], decimal)
    return -value if value and text[: match.start()] in _MINUS else value


def cents_sign(before: str, behind: str, is_named: bool) -> str:
    """Return the sign that parts two digits in an element of their own from the amount before them; empty for none.

    They are cents where a currency stands before the amount or behind them, or where the page calls them so.
    """
    match = _BEFORE_CENTS.search(before)
    if match is None or not (match["sign"] or is_named or _AFTER_CENTS.match(behind)):
        return ""
    return "," if "." in match["whole"] else "."


def _currency_in(text: str, place: str) -> str | None:
    code = _CODE.search(text)
    if code is not None:  # $5 CAD
        return "CNY" if code[0] == "RMB" else code[0]
    match = _CURRENCY.search(text)
    if match is None:
        return None
    name = match[0].lower().rstrip(".").replace("￥", "¥")
    if match[2]:
        return "CNY" if name == "rmb" else name.upper()
    if name in _CURRENCIES:
        return _CURRENCIES[name]
    places = _OF_PLACES.get(name) or _OF_PLACES.get(name[-1:])
    if places is None:
        return _CURRENCIES.get(name[-1:])
    return places.get(place) or next(iter(places.values()))
