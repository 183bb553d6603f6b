"""What type of value a text is: price, rating, number, count, date or just text."""

import re
from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

from pagesieve.text.dates import is_date, is_plain_date
from pagesieve.text.numbers import CURRENCY, NUMBER, SIGNS, STARS, price_in

T = TypeVar("T")

MOST = 0.8  # of a column's values: the column is of a type where as many are
LONGEST_PRICE = 32  # characters
LONGEST_COUNT = 64  # characters of a number with what it counts, or of a rating
LEAST_STEM = 4  # letters that singular and plural share
LOOKED_AT = 200  # values of a column, evenly spread, that its type is told by

_WHOLE = r"(?:\d{1,2}(?:,\d\d)+,\d{3}|\d{1,3}(?:[ ,.'’]\d{3})*|\d+)"
_AMOUNT = rf"(?:{_WHOLE}(?:\s?[.,]\s?(?:\d{{1,2}}|-|–))?|[.,]\d\d)"
_RANGE = rf"(?:\s?(?:-|–|to)\s?{CURRENCY}?\s?{_AMOUNT})?"
_PRICE = re.compile(
    rf"(?:(?:from|ab):?\s)?(?:{CURRENCY}\s?{_AMOUNT}{_RANGE}|{_AMOUNT}\s?{CURRENCY})(?:\s?(?:/|per\s)?\s?\w{{0,10}}\.?)?",
    re.IGNORECASE,
)
# A price with words around it that pages set there: what it was, what it is for.
_PRICED = re.compile(
    rf"(?:\+\s?|(?:from|ab|was|now|sale|reg\.?|regular|orig\.?|original|list|only|rrp|msrp|save|your\schoice|special|"
    rf"statt|nur|jetzt|uvp|desde|dès|à\spartir\sde)(?:\sprice)?:?\s)?{CURRENCY}\s?{_AMOUNT}{_RANGE}"
    rf"(?:\s?(?:/|per\s|an?\s|pro\s|je\s)?\s?\w{{0,12}}\.?|\s?\(\w+\))",
    re.IGNORECASE,
)
_ARTICLE_NUMBER = re.compile(r"(?:KR|RS)\d")  # no crowns or rupees
_DIGIT = re.compile(r"\d")
_SUM = re.compile(rf"[{SIGNS}]\s?\d|\d\s?[{SIGNS}]")
_FREE = re.compile(r"(?:free|gratis|kostenlos|gratuit|0)(?:\s\w+)?", re.IGNORECASE)
_NUMBER = re.compile(rf"[(#+\-–−~]?\s?{NUMBER}\s?[%km+)]?", re.IGNORECASE)
_RATING = re.compile(
    rf"(?:[{STARS}]\s?)*(\d{{1,3}}(?:[.,]\d{{1,2}})?)\s?(?:/|out\sof|of|von|sur|de|из)\s?(5|10|100)(?:[.,]0)?(?:\s?[^\W\d]+)?"
    rf"|[{STARS}]{{3,10}}|(\d(?:[.,]\d{{1,2}})?)\s?(?:stars?|sterne?n?|étoiles?|estrellas?|[{STARS}])",
    re.IGNORECASE,
)
# How the names of what pages count begin.
_COUNTED = (
    "view repl comment review rating vote like answer result post item point bid sold download play follower member "
    "topic share user people read click reaction subscriber visit order purchase left in\\sstock kommentar antwort "
    "aufruf bewertung beitr commentaire vue avis réponse message comentario vista opini respuesta voto commenti "
    "visualizza recension opmerking reactie ответ просмотр отзыв коммент сообщен голос 回复 回覆 评论 評論 浏览 查看 "
    "阅读 点击 人 条 條 个 個 次 件 票 赞 篇 レビュー 回 件 댓글 조회 page note photo image video song track "
    "episode chapter word colou?r watching offer propert seiten bilder foto página"
)
_COUNT = re.compile(
    rf"\(\s?{NUMBER}\s?\)|\(?{NUMBER}\+?\s?[kmb万]?\+?\s?(?:[^\W\d]\w*\s)?(?:{'|'.join(_COUNTED.split())})[^\W\d_]*\)?",
    re.IGNORECASE,
)
_UNIT = re.compile(rf"\(?{NUMBER}\+?[kmb]?\+?\s([^\W\d_]+)\)?", re.IGNORECASE)


def is_price(text: str) -> bool:
    """Whether a text is a sum of money, or a range of it, and nothing else."""
    return len(text) <= LONGEST_PRICE and _PRICE.fullmatch(text) is not None and not _ARTICLE_NUMBER.match(text)


def is_uncertain_price(text: str) -> bool:
    """Whether a text has a sum of money that cannot be read for certain, and little else."""
    return len(text) <= LONGEST_PRICE and _SUM.search(text) is not None and price_in(text) is None


def is_priced(text: str) -> bool:
    """Whether a text is a sum of money with words around it, such as "Was $5" or "$14 an hour", or says free."""
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    if len(text) > LONGEST_PRICE or _ARTICLE_NUMBER.match(text):
        return False
    return (_PRICED.fullmatch(text) or _FREE.fullmatch(text)) is not None


def is_number(text: str) -> bool:
    """Whether a text is a number and nothing else: a count, a share, a rank."""
    return len(text) <= LONGEST_PRICE and _NUMBER.fullmatch(text) is not None


def is_rating(text: str) -> bool:
    """Whether a text is a rating out of 5, 10 or 100, or a row of stars."""
    found = _RATING.fullmatch(text) if len(text) <= LONGEST_COUNT else None
    return found is not None and (not found[2] or float(found[1].replace(",", ".")) <= int(found[2]))


def is_count(text: str) -> bool:
    """Whether a text says how many there are of something: "12 replies", "(3,451)"."""
    return len(text) <= LONGEST_COUNT and _COUNT.fullmatch(text) is not None


def counted_in(texts: Sequence[str]) -> str:
    """Return what nearly all texts count, in the longest of its forms: "replies" of "1 reply" and "12 replies"."""
    looked_at = _some(texts)
    found = [word[1] for text in looked_at if len(text) <= LONGEST_COUNT and (word := _UNIT.fullmatch(text))]
    stems = {word.casefold()[:LEAST_STEM] for word in found}
    if len(stems) != 1 or len(found) < MOST * len(looked_at):
        return ""
    return max(found, key=lambda word: (len(word), word))


ValueType = Literal["price", "rating", "count", "number", "date", "text"]
# In this order: 4.5 is no date, and 3/5 is none where all are out of 5.
_TESTS: dict[ValueType, Callable[[str], bool]] = {
    "price": is_price,
    "rating": is_rating,
    "count": is_count,
    "number": is_number,
    "date": is_date,
}


def type_of(texts: Sequence[str]) -> ValueType:
    """Return the type of a column by its values: what most of them are."""
    looked_at = _some(texts)
    found: ValueType = next((name for name, test in _TESTS.items() if _are_most(looked_at, test)), "text")
    if found == "text" and _are_most(looked_at, is_money):
        return "price" if any(_DIGIT.search(text) for text in looked_at) else found
    return found


def is_money(text: str) -> bool:
    """Whether a text is a sum of money, with or without words around it."""
    return is_price(text) or is_priced(text)


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
