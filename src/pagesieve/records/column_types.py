"""The type of a column: by its values, and where these leave it open, by its name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pagesieve.records.naming import words_of
from pagesieve.records.results import Type
from pagesieve.records.values import is_count, is_number, type_of
from pagesieve.text.dates import is_date

MOST_POINTS = 100  # of a rating
MOST_STARS = 10  # of a rating in whole numbers that is called stars

_COUNTS = frozenset(
    "answers bids comments count downloads favorites favourites followers hits likes listeners members messages "
    "notes pageviews plays points posts purchases ratings reactions readers replies retweets reviews shares sold "
    "subscribers tweets upvotes users views visits votes watchers".split()
)
_RATINGS = frozenset("rating stars score grade rated".split())
_NAMING = _COUNTS | _RATINGS
_LENGTHS = frozenset("duration length runtime playtime video laufzeit dauer durée".split())
_DATES = frozenset(
    "added birthday born created date dates datum day days due end ended fecha joined last modified post posted "
    "published since start started time updated until when".split()
)
_PAIR = re.compile(r"\d{1,2}[-/.]\d{1,2}")  # a day and a month, or a range, a size, a score
_PADDED = re.compile(r"\b0\d")
_CLOCK = re.compile(r"\d{1,3}:\d\d(?::\d\d)?")
_HOURS = 24


def column_type(texts: Sequence[str], name: str, unit: str = "") -> Type:
    """Return the type of the texts of a column, given its name, if any, and the word that stands behind all of them."""
    found: Type = type_of(texts)
    words = frozenset(words_of(name))
    if found == "date" and (_is_length(texts, words) or _are_other_pairs(texts, words)):
        return "text"
    if found in ("number", "text") and not words.isdisjoint(_NAMING):
        found = _by_name(texts, found, words) or found
    if found == "number" and unit and is_count(f"1 {unit}"):
        found = "count"
    return found


def _is_length(texts: Sequence[str], words: frozenset[str]) -> bool:
    """Whether values such as 4:46 are lengths of time, not times of day: 24 hours or more, or hours of one digit."""
    if not all(_CLOCK.fullmatch(text) for text in texts):
        return False
    hours = [text.partition(":")[0] for text in texts]
    return not words.isdisjoint(_LENGTHS) or any(len(hour) == 1 or int(hour) >= _HOURS for hour in hours)


def _are_other_pairs(texts: Sequence[str], words: frozenset[str]) -> bool:
    """Whether the dates are pairs of numbers such as 10-12 that need not be days and months: ranges, sizes, scores.

    A name tells, where there is one; without it, 5/12 and 05-12 are taken for dates.
    """
    dates = list(filter(is_date, texts))
    if not words.isdisjoint(_DATES) or not all(map(_PAIR.fullmatch, dates)):
        return False
    return bool(words) or not any("/" in text or _PADDED.search(text) for text in dates)


def _by_name(texts: Sequence[str], found: Type, words: frozenset[str]) -> Type | None:
    """Return the type that the name says, if all values allow it but for one wording, such as "No reviews"."""
    numbers = [text for text in texts if is_number(text) or is_count(text)]
    others = {text for text in texts if not is_number(text) and not is_count(text)}
    if not numbers or len(others) > 1 or any(map(str.isdigit, "".join(others))):
        return None
    whole = not any(re.search(r"\d[.,]\d{1,2}(?!\d)|%", text) for text in numbers)
    highest = max(float(digits.replace(",", "")) for digits in re.findall(r"\d[\d,]*", " ".join(numbers)))
    if whole and not words.isdisjoint(_COUNTS):
        return "count"
    if found == "number" and not words.isdisjoint(_RATINGS):
        if whole and "stars" in words and highest > MOST_STARS:
            return "count"
        return "rating" if highest <= MOST_POINTS else None
    return None
