"""The types of texts: prices, ratings, counts, numbers and dates, the type of a column, and the words of a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal, TypeVar

from pagesieve.text.dates import date_in
from pagesieve.text.numbers import CURRENCY, MULTIPLIER, NUMBER, PLAIN_PRICE, SIGNS, STARS, cents_sign, price_in
from pagesieve.text.patterns import pattern
from pagesieve.text.vocabulary import BEFORE_PRICE, COUNTED, FREE, FROM, OUT_OF, PER, UNITS, WITH_TAXES, pattern_of
from pagesieve.text.vocabulary import STARS as STAR_WORDS

T = TypeVar("T")
Type = Literal["text", "link", "image", "date", "number", "price", "rating", "count"]  # of a column
ValueType = Literal["price", "rating", "count", "number", "date", "text"]

MOST = 0.8  # of the values of a column have its type
SAMPLES = 200  # values of a column, evenly spread, that decide on its type
MAX_PRICE = 32  # characters
MAX_COUNT = 64  # characters of a number with what it counts, or of a rating
STEM = 4  # letters that singular and plural share

_WHOLE = r"(?:\d{1,2}(?:,\d\d)+,\d{3}|\d{1,3}(?:[ ,.'’]\d{3})*|\d+)"
_AMOUNT = rf"(?:{_WHOLE}(?:\s?[.,]\s?(?:\d{{1,2}}|-|–))?|[.,]\d\d)"  # a pattern, as is
_RANGE = rf"(?:\s?(?:-|–|to)\s?{CURRENCY}?\s?{_AMOUNT})?"  # what may follow an amount
_BEFORE_CURRENCY = rf"{_AMOUNT}{MULTIPLIER}?\s?(?:{CURRENCY}?\s?[-–—]\s?{_AMOUNT}\s?)?{CURRENCY}|\d+:\d\d\s?kr"
# Every sum of money matches this, and most other texts do not.
_MAY_BE_SUM = pattern(rf"(?=\D*\d).*?(?:[^\W\d_]|[{SIGNS}]|[:,][-–—])", re.DOTALL)
_PRICE = pattern(
    rf"(?:[-−]|(?:{pattern_of(FROM)}):?\s)?(?:{CURRENCY}\s?{_AMOUNT}{_RANGE}|{_BEFORE_CURRENCY})"
    rf"(?:\s?(?:/|per\s)?\s?\w{{0,10}}\.?)?|{_WHOLE},[-–—]",
    re.IGNORECASE,
)
_ARTICLE_NUMBER = pattern(r"(?:KR|RS)\d")  # no crowns or rupees
# A price with words around it that pages set there.
_PRICED = pattern(
    rf"(?:\+\s?|(?:{pattern_of(BEFORE_PRICE)})(?:\sprice)?(?:\sis)?(?:\s?:\s?|\s))?(?:{CURRENCY}\s?{_AMOUNT}{_RANGE}|{_BEFORE_CURRENCY})"
    rf"(?:\s?(?:/|{pattern_of(PER)})?\s?(?:100?\s)?[\w&]{{0,12}}\.?|\s?\(\w+\)|\s?\*|\s\(?[-−–]?\s?\d{{1,2}}\s?%\)?|\s(?:{pattern_of(WITH_TAXES)}))",
    re.IGNORECASE,
)
_DIGIT = pattern(r"\d")
_SUM = pattern(rf"[{SIGNS}]\s?\d|\d\s?[{SIGNS}]")
_FREE = pattern(rf"(?:{pattern_of(FREE)}|0)(?:\s\w+)?", re.IGNORECASE)
_NUMBER = pattern(rf"[(#+\-–−~]?\s?{NUMBER}\s?[%km+)]?", re.IGNORECASE)
_RATING = pattern(
    rf"(?:[{STARS}]\s?)*(\d{{1,3}}(?:[.,]\d{{1,2}})?)\s?(?:{pattern_of(OUT_OF)})\s?(5|10|100)(?:[.,]0)?(?:\s?[^\W\d]+)?"
    rf"|5つ星のうち\d(?:\.\d)?|[{STARS}]{{3,10}}|(\d(?:[.,]\d{{1,2}})?)\s?(?:{pattern_of(STAR_WORDS)}|[{STARS}])",
    re.IGNORECASE,
)
_WHOLE_OF = pattern(r"\d+\s?(?:/|of|de)\s?\d+", re.IGNORECASE)  # a rating, or the number of a slide
_MEASURE = pattern(rf"{NUMBER}\s?(?:{pattern_of(UNITS)})\.?", re.IGNORECASE)
_COUNT = pattern(
    rf"\(\s?{NUMBER}\s?\)|\(?{NUMBER}\+?\s?[kmb万]?\+?\s?(?:[^\W\d]\w*\s)?(?:{pattern_of(COUNTED)})[^\W\d_]*\)?",
    re.IGNORECASE,
)
_UNIT = pattern(rf"\(?{NUMBER}\+?[kmb]?\+?\s([^\W\d_]+)\)?", re.IGNORECASE)
_PARTS = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")


def is_price(text: str) -> bool:
    """Whether a text is a sum of money, or a range of it, and nothing else."""
    if len(text) > MAX_PRICE or not _MAY_BE_SUM.match(text):
        return False
    if PLAIN_PRICE.fullmatch(text):
        return True
    return _PRICE.fullmatch(text) is not None and not _is_article_number(text)


def _is_article_number(text: str) -> bool:
    """Whether a text begins like the number of an article, which may be mistaken for a sum of money."""
    return _ARTICLE_NUMBER.match(text) is not None


def is_priced(text: str) -> bool:
    """Whether a text is a sum of money with words around it, such as "Was $5" or "$14 an hour", or says free."""
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    if len(text) > MAX_PRICE or _is_article_number(text):
        return False
    return ((_MAY_BE_SUM.match(text) and _PRICED.fullmatch(text)) or _FREE.fullmatch(text)) is not None


def is_money(text: str) -> bool:
    """Whether a text is a sum of money, with or without words around it."""
    return is_price(text) or is_priced(text)


def is_uncertain_price(text: str) -> bool:
    """Whether a text is a sum of money that cannot be read for certain, with little else."""
    return len(text) <= MAX_PRICE and _SUM.search(text) is not None and price_in(text) is None


def is_number(text: str) -> bool:
    """Whether a text is a number and nothing else: a count, a share, a rank."""
    return len(text) <= MAX_PRICE and _NUMBER.fullmatch(text) is not None


def is_rating(text: str) -> bool:
    """Whether a text is a rating out of 5, 10 or 100, or a row of stars."""
    match = _RATING.fullmatch(text) if len(text) <= MAX_COUNT else None
    return match is not None and (not match[2] or float(match[1].replace(",", ".")) <= int(match[2]))


def is_value(text: str) -> bool:
    """Whether a text is a sum of money, a number with a unit or a rating, and nothing else."""
    if len(text) > MAX_PRICE or _is_article_number(text):
        return False
    if _RATING.fullmatch(text):
        return _WHOLE_OF.fullmatch(text) is None
    return (_MEASURE.fullmatch(text) or _PRICE.fullmatch(text) or _PRICED.fullmatch(text)) is not None


def is_count(text: str) -> bool:
    """Whether a text counts something: "12 replies", "(3,451)"."""
    return len(text) <= MAX_COUNT and _COUNT.fullmatch(text) is not None


# Dates

_MAX_DATE = 40  # characters: a longer text only mentions a date,
_MAX_WORD = 12  # and one of more without a digit is none
_DATE_LETTERS = 20  # with more letters, a text says more than a date
_TIME = r"\d{1,2}[:.]\d\d(?::\d\d)?(?:\s?[ap]m)?"
_SPAN = r"(?:s|m|h|d|w|mo|y|(?:sec(?:ond)?|min(?:ute)?|hour|hr|day|week|month|year)s?)\.?"
_SHORT_DATE = pattern(
    r"(?:\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?|\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]m)?"
    r"|\d{1,2}月\d{1,2}日|昨天|今天|刚刚|\d+\s?(?:秒|分钟|小时|天|周|个月|月|年)前"
    rf"|(?:(?:about|over|streamed)\s)?(?:an?|\d+)\+?\s?{_SPAN}\sago"
    r"|yesterday|today|just now|gestern|heute|hier|vor \w+ \w+|il y a \w+ \w+|hace \w+ \w+|há \w+ \w+"
    r"|\d+ \w+ (?:fa|geleden|atrás|назад)|вчера|сегодня|ayer|ieri|ontem|gisteren)"
    rf"(?:[\s,]+{_TIME})?",
    re.IGNORECASE,
)
_YEAR = pattern(r"19|20|['’]\d\d")  # what every date with a year has
_WEEKDAY = "mon|tue|wed|thu|fri|sat|sun"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_ENGLISH_DATE = pattern(
    rf"(?:(?:{_WEEKDAY})[a-z]{{0,6}},?\s)?(?:{_MONTH}\s'?\d{{1,4}}|\d{{1,2}}\.?\s{_MONTH})"
    rf"(?:,?\s'?\d{{2,4}})?(?:,?\s(?:at\s)?{_TIME}(?:\s?[a-z]{{2,4}})?)?",
    re.IGNORECASE,
)

_DAY_OF_YEAR = pattern(r"(\d{1,4})[-/.](\d{1,2})(?:[-/.](\d{1,4}))?(?![:\d])")  # or of a month, or a month of a year
_MONTHS, _LAST_DAY = 12, 31
_YEAR_DIGITS = (2, 4)


def is_date(text: str) -> bool:
    """Whether a text is a date or a time, or says how long ago something was."""
    if len(text) > _MAX_DATE or (len(text) > _MAX_WORD and not any(map(str.isdigit, text))):
        return False
    if is_plain_date(text):
        return True
    may_be_date = _YEAR.search(text) is not None and sum(map(str.isalpha, text)) <= _DATE_LETTERS
    return may_be_date and date_in(text) is not None


def is_plain_date(text: str) -> bool:
    """Whether a text is a date in one of the usual short forms, which need not have a year."""
    if len(text) > _MAX_DATE:
        return False
    if _SHORT_DATE.fullmatch(text):
        numbers = _DAY_OF_YEAR.match(text)
        return numbers is None or _are_day_and_month(*numbers.groups())
    return _ENGLISH_DATE.fullmatch(text) is not None


def _are_day_and_month(first: str, second: str, third: str | None) -> bool:
    """Whether numbers can be a day and a month, with a year before or behind them or without one, or year and month."""
    if len(first) > _YEAR_DIGITS[0]:
        first, second, third = second, third or second, first
    elif third is not None and len(third) < _YEAR_DIGITS[0]:
        first, second, third = second, third, first
    if third is not None and len(third) not in _YEAR_DIGITS:
        return False
    low, high = sorted((int(first), int(second)))
    return 1 <= low <= _MONTHS and high <= _LAST_DAY


# The type of most texts

# In this order: 4.5 is not a date, and 3/5 is not one if all texts are out of 5.
_TESTS: dict[ValueType, Callable[[str], bool]] = {
    "price": is_price,
    "rating": is_rating,
    "count": is_count,
    "number": is_number,
    "date": is_date,
}


def type_of(texts: Sequence[str]) -> ValueType:
    """Return the type that most texts of a column have."""
    texts = _sample(texts)
    type: ValueType = next((name for name, test in _TESTS.items() if _are_most(texts, len(texts), test)), "text")
    if type == "text" and _are_most(texts, len(texts), is_money) and any(map(_DIGIT.search, texts)):
        return "price"
    return type


def are_values(texts: Iterable[str], count: int, signs: str) -> bool:
    """Whether most of some texts are a price or a short date, with signs around it or without."""

    def is_price_or_date(text: str) -> bool:
        text = text.strip(signs)
        return is_price(text.rstrip(" –-")) or is_plain_date(text)

    return _are_most(texts, count, is_price_or_date)


def are_prices(lines: Sequence[Sequence[str]], least: float) -> bool:
    """Whether at least so many of some lines, and not none, have only texts that are prices."""
    return len(lines) >= least and _are_most(lines, len(lines), lambda texts: all(map(is_price, texts)), least)


def _are_most(values: Iterable[T], count: int, test: Callable[[T], bool], least: float | None = None) -> bool:
    """Whether most of some values, given with their number, pass a test; stops at the first value that decides."""
    left = count  # those that passed, or are not tested yet
    least = MOST * left if least is None else least
    for value in values:
        if not test(value):
            left -= 1
            if left < least:
                return False
    return left > 0


def _sample(texts: Sequence[str]) -> Sequence[str]:
    return texts[:: max(1, len(texts) // SAMPLES)]


def counted_in(texts: Sequence[str]) -> str:
    """Return what nearly all texts count, in the longest of its forms: "replies" of "1 reply" and "12 replies"."""
    texts = _sample(texts)
    units = [word[1] for text in texts if len(text) <= MAX_COUNT and (word := _UNIT.fullmatch(text))]
    stems = {word.casefold()[:STEM] for word in units}
    if len(stems) != 1 or len(units) < MOST * len(texts):
        return ""
    return max(units, key=lambda word: (len(word), word))


# The type of a column

MAX_POINTS = 100  # of a rating
MAX_STARS = 10  # of a rating in whole numbers that is called stars

_COUNTS = frozenset(
    "answers bids comments count downloads favorites favourites followers hits likes listeners members messages "
    "notes pageviews plays points posts purchases ratings reactions readers replies retweets reviews shares sold "
    "subscribers tweets upvotes users views visits votes watchers".split()
)
_RATINGS = frozenset("rating stars score grade rated".split())
_COUNTS_AND_RATINGS = _COUNTS | _RATINGS
_LENGTHS = frozenset("duration length runtime playtime video laufzeit dauer durée".split())
_DATES = frozenset(
    "added birthday born created date dates datum day days due end ended fecha joined last modified post posted "
    "published since start started time updated until when".split()
)
_PAIR = pattern(r"\d{1,2}[-/.]\d{1,2}")  # a day and a month, or a range, a size, a score
_PADDED = pattern(r"\b0\d")
_CLOCK = pattern(r"\d{1,3}:\d\d(?::\d\d)?")
_DAY = 24  # hours


def column_type(texts: Sequence[str], words: Collection[str] = (), unit: str = "") -> Type:
    """Return the type of a column, given its texts, the words of its name, and the word that follows all texts."""
    type: Type = type_of(texts)
    words = frozenset(words)
    if type == "date" and (_are_durations(texts, words) or _are_other_pairs(texts, words)):
        return "text"
    if type in ("number", "text") and not words.isdisjoint(_COUNTS_AND_RATINGS):
        type = _type_by_name(texts, type, words)
    return "count" if type == "number" and unit and is_count(f"1 {unit}") else type


def _are_durations(texts: Sequence[str], words: frozenset[str]) -> bool:
    """Whether values such as 4:46 are durations, not times of day: their hours are 24 or more, or have one digit."""
    if not all(_CLOCK.fullmatch(text) for text in texts):
        return False
    hours = [text.partition(":")[0] for text in texts]
    return not words.isdisjoint(_LENGTHS) or any(len(hour) == 1 or int(hour) >= _DAY for hour in hours)


def _are_other_pairs(texts: Sequence[str], words: frozenset[str]) -> bool:
    """Whether dates are pairs of numbers such as 10-12 that may be ranges, sizes or scores instead.

    The name of the column decides. Without a name, 5/12 and 05-12 are dates.
    """
    dates = list(filter(is_date, texts))
    if not words.isdisjoint(_DATES) or not all(map(_PAIR.fullmatch, dates)):
        return False
    return bool(words) or not any("/" in text or _PADDED.search(text) for text in dates)


def _type_by_name(texts: Sequence[str], type: Type, words: frozenset[str]) -> Type:
    """Return the type that the name says, if all values but one wording, such as "No reviews", allow it."""
    numbers = [text for text in texts if is_number(text) or is_count(text)]
    others = {text for text in texts if not is_number(text) and not is_count(text)}
    if not numbers or len(others) > 1 or any(map(str.isdigit, "".join(others))):
        return type
    whole = not any(re.search(r"\d[.,]\d{1,2}(?!\d)|%", text) for text in numbers)
    highest = max(float(digits.replace(",", "")) for digits in re.findall(r"\d[\d,]*", " ".join(numbers)))
    if whole and not words.isdisjoint(_COUNTS):
        return "count"
    if type == "number" and not words.isdisjoint(_RATINGS):
        if whole and "stars" in words and highest > MAX_STARS:
            return "count"
        return "rating" if highest <= MAX_POINTS else type
    return type


def words_of(name: str) -> list[str]:
    """Return the words of a name, in small letters."""
    return [word.lower() for word in _PARTS.findall(name)]


# Words, and boundaries between words without a blank


# Scripts that write no blanks between words: there every character counts as one.
_UNPARTED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_LETTERS = rf"[^\W{_UNPARTED}]+"
_WORD = pattern(rf"[{_UNPARTED}]|{_LETTERS}(?:['’]{_LETTERS})*")


def words(text: str) -> list[str]:
    """Return the words of a text: runs of letters and digits, and each character of a script without blanks."""
    return _WORD.findall(text)


# Texts of two elements that touch

_CLOSING = frozenset(")]!?%»”")
_LAST_WORD, _FIRST_WORD = pattern(r"(?<![^\W\d_])[^\W\d_]+\Z"), pattern(r"[^\W\d_]+")
_SUM_BEHIND = pattern(rf"(?<![\d.,{SIGNS}])(?<![{SIGNS}]\s)\d[\d.,]*\s?[{SIGNS}]\Z")  # and none before it
_WITH_CENTS = pattern(rf"[{SIGNS}]\s?\d[\d.,]*[.,]\d\d\Z")  # a sum with its cents,
_MORE_DIGITS = pattern(r"\d\s*\S")  # and another number; a single digit is a tenth of a cent, as in prices of fuel
_ONLY_UNPARTED = pattern(rf"[{_UNPARTED}]")
_NUMBER_IN_BRACKETS = pattern(rf"\([{SIGNS}]?\d")
_COUNTED = pattern(r"\s+[^\W\d_]")  # a word behind a number that may say what it counts
_CENTS = frozenset("cent cents decimal decimals fraction fractional mantissa".split())  # words of classes
_SHORT = 2  # letters behind a number that may be its unit or its ending: "km", "th"


def is_new_field(before: str, after: str, is_whole: bool) -> bool:
    """Whether the second of two adjacent texts of a record, one of them in a separate element, is another field.

    `is_whole`: each is in a separate element. A single letter continues the word, like drop caps and plurals, and a
    short word continues its number: "5km", "4th".
    """
    last, first = before[-1:], after[:1]
    if first == "(":
        return last.isalnum() and _NUMBER_IN_BRACKETS.match(after) is not None
    if not first.isalnum() or last in SIGNS:
        return is_new_sum(before, after)
    if _ONLY_UNPARTED.match(first) or _ONLY_UNPARTED.match(last):
        return False
    if first.isdigit():
        return last.isalpha() or (is_whole and last.isdigit()) or last in _CLOSING
    head, tail = _LAST_WORD.search(before), _FIRST_WORD.match(after)
    length = len(tail[0]) if tail else 0
    if last.isdigit():
        return length > _SHORT or (first.isupper() and length == _SHORT)
    if last in _CLOSING:
        return first.isupper() or is_whole or (last == "%" and length > _SHORT)
    if head is None or len(head[0]) == 1:
        return False
    if first.isupper():  # capitals behind capitals may be one word in several colours
        return last.islower() or after[1:2].islower()
    return is_whole and length > 1


def is_new_sum(before: str, after: str) -> bool:
    """Whether a currency between two adjacent texts belongs to one of them alone: "£5" and "£6", "now" and "$5"."""
    last, first = before[-1:], after[:1]
    if not last or not first:
        return False
    if last in SIGNS:
        return first.isdigit() and _SUM_BEHIND.search(before) is not None
    if first not in SIGNS:
        return _WITH_CENTS.search(before) is not None and _MORE_DIGITS.match(after) is not None
    rest = after[1:].lstrip()
    if last.isdigit():
        return rest[:1].isdigit()
    return (last.islower() or last in _CLOSING) and (not rest or rest[0].isdigit())


def cents_joint(before: str, behind: str, is_apart: bool, names: Collection[str], classes: Collection[str]) -> str:
    """Return what separates two digits from an adjacent amount: the decimal separator, a blank, or nothing.

    `names` and `classes` belong to the elements around the digits alone. Digits in a link are a note, not cents.
    Neither are digits that count the following word ("$3" and "50 people"), unless the page marks them as cents: small,
    by a class, or next to an amount with a separate currency (`is_apart`).
    """
    words_of_classes = {word for name in classes for word in name.lower().replace("_", "-").split("-")}
    is_named = not _CENTS.isdisjoint(words_of_classes)
    sign = cents_sign(before, behind, is_named)
    if not sign:
        return ""
    if "a" in names:
        return " "
    is_set = is_named or is_apart or "sup" in names or "small" in names
    if is_set or not _COUNTED.match(behind) or cents_sign("0", behind, False):  # "0": whether a currency is behind
        return sign
    return " "
