"""Ratings that are not written: in what stands in for stars, in a class, in the width of a bar of stars."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from pagesieve.page.table import Page
from pagesieve.records.values import is_rating

LONGEST = 60  # characters of an attribute that tells a rating
LEAST_SHARE = 0.3  # of the records have one
FEW = 3  # records: fewer cannot tell a rating from a decoration

_TITLES = ("aria-label", "title", "alt")
_NUMBERS = ("data-rating", "data-score", "data-stars", "data-rate")
_ASKED = (b"star", b"rating", b"rated")  # one of them is somewhere in the values of a page with such a class or bar
_BEFORE = re.compile(r"(?:rat(?:ed|ing)|bewertung|bewertet|note|puntuación|stars?)\s?:?\s+(?:mit\s|with\s)?", re.IGNORECASE)
_STARS_CLASS = re.compile(r"(?<![a-z])(?:stars?|rating|rated?)[-_]?(\d)(?:[-_.]?(\d))?(?![\d%])", re.IGNORECASE)
_STARS_WORD = re.compile(r"(?<![a-z])(?:stars?|rating)[-_\s](?:rating\s)?(one|two|three|four|five)\b", re.IGNORECASE)
_WORDS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}
_WIDTH = re.compile(r"(?:^|[;\s])width\s*:\s*(\d{1,3}(?:\.\d+)?)%")
_NUMBER = re.compile(r"\d{1,3}(?:[.,]\d{1,2})?")
_MOST_STARS, _MOST_PERCENT = 5, 100

Told = tuple[int, str]  # the row that tells a rating, and its words


def find_ratings(page: Page, records: tuple[tuple[int, ...], ...]) -> list[tuple[int, Told]]:
    """Return the records with a rating in an attribute, each with the row and the rating; empty where they have none."""
    if len(records) < FEW:
        return []
    for told in _ways(page, records):
        found = [(number, each[0]) for number, each in enumerate(told) if len({words for _, words in each}) == 1]
        if len(found) >= LEAST_SHARE * len(records) and any(words != found[0][1][1] for _, (_, words) in found):
            return found
    return []


def _ways(page: Page, records: tuple[tuple[int, ...], ...]) -> Iterator[list[list[Told]]]:
    """Return what each record tells, for each way of telling."""
    ways: list[tuple[Iterable[str], Callable[[int, str], str]]] = [
        (_TITLES, lambda _, value: _title(value)),
        (_NUMBERS, lambda _, value: value.strip() if _NUMBER.fullmatch(value.strip()) else ""),
    ]
    if any(word in page.value_buffer for word in _ASKED):
        ways += [(("class",), lambda _, value: _stars(value)), (("style",), lambda row, value: _width(page, row, value))]
    for names, read in ways:
        numbers = {number for name in names if (number := page.attribute_number(name)) is not None}
        if numbers:
            yield [list(_told(page, roots, numbers, read)) for roots in records]


def _told(page: Page, roots: tuple[int, ...], numbers: set[int], read: Callable[[int, str], str]) -> Iterator[Told]:
    for root in roots:
        first, last = page.attribute_at.item(root), page.attribute_at.item(page.end.item(root))
        for k, name in enumerate(page.attribute_name[first:last].tolist(), first):
            if name in numbers and page.value_at.item(k + 1) - page.value_at.item(k) <= LONGEST:
                row = int(page.attribute_at.searchsorted(k, "right")) - 1
                words = read(row, page.attribute_value(k))
                if words:
                    yield row, words


def _title(value: str) -> str:
    text = _BEFORE.sub("", value.strip().rstrip("."), count=1) if value else ""
    return text if any(map(str.isdigit, text)) and is_rating(text) else ""


def _stars(value: str) -> str:
    found = _STARS_CLASS.search(value)
    if found and int(found[1]) <= _MOST_STARS:
        return f"{found[1]}.{found[2]}" if found[2] else found[1]
    named = _STARS_WORD.search(value)
    return _WORDS[named[1].lower()] if named else ""


def _width(page: Page, row: int, value: str) -> str:
    found = _WIDTH.search(value)
    if found is None or float(found[1]) > _MOST_PERCENT:
        return ""
    around = f"{page.attribute(row, 'class') or ''} {page.attribute(int(page.parent[row]), 'class') or ''}".lower()
    return f"{found[1]}%" if "star" in around or "rating" in around else ""
