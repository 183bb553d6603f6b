"""Which record of a thread answers which: by the records that stand in others, or by the depth that elements state."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pagesieve.page.table import Page
from pagesieve.records.results import Segmentation

NEAR = 8  # rows from the beginning of a record where its depth is stated
DEPTH_ATTRIBUTES = ("data-depth", "data-level", "data-indent", "aria-level", "indent")
DEPTH_CLASS = re.compile(r"(?:^|[\s_-])(?:depth|level|lvl|indent|nested)[_-]?(\d{1,3})(?=$|[\s_-])", re.IGNORECASE)
INDENTED = re.compile(r"(?:margin|padding)-left:\s*(\d{1,4})", re.IGNORECASE)
NOT_STATED = -1


def parents(page: Page, found: Segmentation) -> tuple[int | None, ...]:
    """Return for each record the number of the record that it answers, None where it answers none."""
    if found.answers:
        return _by_place(found)
    for stated in _stated(page, found).values():
        depths = _ranks(stated)
        if _is_thread(depths):
            return _by_depth(depths)
    return (None,) * len(found.records)


def depths(parents: Sequence[int | None]) -> tuple[int, ...]:
    """Return how many records stand above each, given the number of the one right above."""
    found: list[int] = []
    for above in parents:
        found.append(0 if above is None else found[above] + 1)
    return tuple(found)


def _by_place(found: Segmentation) -> tuple[int | None, ...]:
    """Return the record around each; where that one is no record any more, the one around it."""
    numbers = {record[0]: number for number, record in enumerate(found.records)}
    result: list[int | None] = []
    for record in found.records:
        row = found.answers.get(record[0])
        while row is not None and row not in numbers:
            row = found.answers.get(row)
        result.append(None if row is None else numbers[row])
    return tuple(result)


def _stated(page: Page, found: Segmentation) -> dict[str, list[int]]:
    """Return the depths of all records by what states them; NOT_STATED where a record has none of a sort."""
    stated: dict[str, list[int]] = {}
    for number, record in enumerate(found.records):
        for row in range(record[0], min(record[0] + NEAR, int(page.end[record[-1]]))):
            for name, depth in _depths_of(page.attributes(row)):
                column = stated.setdefault(name, [NOT_STATED] * len(found.records))
                column[number] = max(column[number], depth)
    return stated


def _depths_of(attributes: dict[str, str]) -> Iterator[tuple[str, int]]:
    """Yield what the attributes of an element say of how deep it stands, each with what says it."""
    for name in DEPTH_ATTRIBUTES:
        if attributes.get(name, "").isdecimal():
            yield name, int(attributes[name])
    for name, pattern in (("class", DEPTH_CLASS), ("style", INDENTED)):
        match = pattern.search(attributes.get(name, ""))
        if match:
            yield name, int(match[1])


def _ranks(numbers: list[int]) -> list[int]:
    """Return for each number how many different ones are smaller."""
    rank = {number: k for k, number in enumerate(sorted(set(numbers)))}
    return [rank[number] for number in numbers]


def _is_thread(depths: list[int]) -> bool:
    """Whether some depths are those of a thread: it begins with the least, and an answer is one deeper at most."""
    return depths[0] == 0 < max(depths) and all(after <= before + 1 for before, after in pairwise(depths))


def _by_depth(depths: list[int]) -> tuple[int | None, ...]:
    """Return for each record the last before it that is one less deep."""
    last: dict[int, int] = {}
    result: list[int | None] = []
    for number, depth in enumerate(depths):
        result.append(last.get(depth - 1))
        last[depth] = number
    return tuple(result)
