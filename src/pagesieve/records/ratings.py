"""Ratings that are not written: in what stands in for stars, in a class, in the width of a bar of stars."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

import numpy as np

from pagesieve.page.table import Page
from pagesieve.records.values import is_rating

LONGEST = 60  # characters of an attribute that tells a rating
LEAST_SHARE = 0.3  # of the records have one
MOST_ROWS = 6  # of a bar of stars that are looked at
LOOKED_AT = 8  # records: if none of the first has a rating, no more are looked at
FEW = 3  # records: fewer cannot tell a rating from a decoration

_TITLES = ("aria-label", "title", "alt")
_NUMBERS = ("data-rating", "data-score", "data-stars", "data-rate")
_HINT = re.compile(rb"(?i:star|rat(?:ing|ed))|\d\s?(?:/|out of|of|von|sur|de|\xd0\xb8\xd0\xb7)\s?(?:5|10|100)")
_OUT_OF = (b" of 5", b" of 10", b"/5", b"/10", b"von 5", b"sur 5", b"de 5", b"Star", b"\xd0\xb8\xd0\xb7 5")
_OF_STARS = (b"star-", b"stars", b"rating", b"rated", b"star ", b"star_")  # one is in the classes of a bar of stars
_BARE = re.compile(rb"\d{1,3}(?:[.,]\d{1,2})?")
_BEFORE = re.compile(r"(?:rat(?:ed|ing)|bewertung|bewertet|note|stars?)\s?:?\s+(?:mit\s|with\s)?", re.IGNORECASE)
_STARS = re.compile(r"(?<![a-z])(?:stars?|rating|rated?)[-_]?(\d)(?:[-_.]?(\d))?(?![\d%])", re.IGNORECASE)
_STARS_WORD = re.compile(r"(?<![a-z])(?:stars?|rating)[-_\s](?:rating\s)?(one|two|three|four|five)\b", re.IGNORECASE)
_WORDS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}
_WIDTH = re.compile(r"(?:^|[;\s])width\s*:\s*(\d{1,3}(?:\.\d+)?)%")
_NUMBER = re.compile(r"\d{1,3}(?:[.,]\d{1,2})?")
_MOST_STARS, _MOST_PERCENT = 5, 100

Told = tuple[int, str]  # the row that tells a rating, and its words
Records = tuple[tuple[int, ...], ...]


def find_ratings(page: Page, records: Records) -> list[tuple[int, Told]]:
    """Return the records with a rating in an attribute, each with the row and the rating; empty where they have none.

    A way of telling counts if it tells one rating for each of many records, and not the same for all.
    """
    if len(records) < FEW or next(_told(page, records[:LOOKED_AT]), None) is None:
        return []
    ways: dict[str, dict[int, list[Told]]] = {}
    starts = [roots[0] for roots in records]
    for row, way, words in _told(page, records):
        record = bisect_right(starts, row) - 1
        if record >= 0 and row < page.end[records[record][-1]]:
            ways.setdefault(way, {}).setdefault(record, []).append((row, words))
    for way in ("title", "number", "class", "width"):
        found = [
            (record, told[0]) for record, told in ways.get(way, {}).items() if len({each[1] for each in told}) == 1
        ]
        if len(found) >= LEAST_SHARE * len(records) and len({words for _, (_, words) in found}) > 1:
            return found
    return []


def _told(page: Page, records: Records) -> Iterator[tuple[int, str, str]]:
    """Return the rows whose attributes tell a rating, in what way, and the rating."""
    for k, name in _attributes(page, records[0][0], int(page.end[records[-1][-1]])):
        row = int(page.attribute_at.searchsorted(k, "right")) - 1
        value = page.attribute_value(k)
        if name == "class":
            yield from ((row, "class", words) for words in (_stars(value),) if words)
            yield from _widths(page, row)
        else:
            words = _title(value) if name in _TITLES else value.strip() if _NUMBER.fullmatch(value.strip()) else ""
            if words:
                yield row, "title" if name in _TITLES else "number", words


def _attributes(page: Page, start: int, stop: int) -> Iterator[tuple[int, str]]:
    """Return the attributes of some rows that may tell a rating, each with its name."""
    first, last = int(page.attribute_at[start]), int(page.attribute_at[stop])
    values = page.value_buffer[page.value_at[first] : page.value_at[last]]
    of_stars = any(word in values for word in _OF_STARS)
    if not of_stars and not any(word in values for word in _OUT_OF) and not set(_NUMBERS) & set(page.more_attributes):
        return
    names = {page.attribute_number(name): name for name in (*_TITLES, *_NUMBERS, *(("class",) if of_stars else ()))}
    short = np.diff(page.value_at[first : last + 1]) <= LONGEST
    asked = np.isin(page.attribute_name[first:last], [number for number in names if number is not None]) & short
    places = np.flatnonzero(asked) + first
    begins, ends = page.value_at[places].tolist(), page.value_at[places + 1].tolist()
    buffer = page.value_buffer
    hints = {value: _may_tell(value) for value in {buffer[begin:end] for begin, end in zip(begins, ends, strict=True)}}
    if any(hints.values()):
        for k, begin, end in zip(places.tolist(), begins, ends, strict=True):
            if hints[buffer[begin:end]]:
                yield k, names[page.attribute_name.item(k)]


def _may_tell(value: bytes) -> bool:
    return _HINT.search(value) is not None or _BARE.fullmatch(value) is not None


def _title(value: str) -> str:
    text = _BEFORE.sub("", value.strip().rstrip("."), count=1)
    return text if any(map(str.isdigit, text)) and is_rating(text) else ""


def _stars(value: str) -> str:
    found = _STARS.search(value)
    if found and int(found[1]) <= _MOST_STARS:
        return f"{found[1]}.{found[2]}" if found[2] else found[1]
    named = _STARS_WORD.search(value)
    return _WORDS[named[1].lower()] if named else ""


def _widths(page: Page, row: int) -> Iterator[tuple[int, str, str]]:
    """Return how wide a bar of stars is, or what is in it."""
    around = (page.attribute(row, "class") or "").lower()
    if page.attribute_number("style") is None or ("star" not in around and "rating" not in around):
        return
    for each in range(row, min(row + MOST_ROWS, int(page.end[row]))):
        found = _WIDTH.search(page.attribute(each, "style") or "")
        if found and float(found[1]) <= _MOST_PERCENT:
            yield each, "width", f"{found[1]}%"
            return
