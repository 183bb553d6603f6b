"""Marks, by which a field is recognised on other pages of its site: its place in a record, the sort of its values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log2
from typing import TYPE_CHECKING

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import KNOWN_TAGS, TAGS

if TYPE_CHECKING:
    from pagesieve.page.table import Page
    from pagesieve.records.fields import Field
    from pagesieve.text.types import Type

LINE = "line"  # the element of a line of several elements
LABEL_SIGNS = " :："  # not part of a label
CLASS = "."  # before a class in a step of a path
CACHED_PATHS = 1 << 14  # pairs of paths, and of steps
MAX_COMPARED = 200  # fields of a page; lists have 10 to 80

# The likeness of two marks: from ALIKE on they are of the same field.
ALIKE = 0.6
PATH, VALUE_TYPE, LENGTH, NAME = 0.6, 0.15, 0.1, 0.15  # the most that each adds
SAME_LABEL, ONE_LABEL = 0.3, -0.1
SAME_PROPERTY, OTHER_PROPERTY = 0.2, -0.3
SAME_NUMBER = 0.1
SAME_PLACE = 2.0  # if place, type and label are the same: more than all others together
NUMERIC = frozenset(("number", "count", "rating", "price"))
WORDED = frozenset(("text", "link"))

_LABEL = re.compile(r"^((?:[^\[]|\[\d+\])*+)\[.*\]")  # in a step of a path


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a field in its record."""

    path: tuple[str, ...]  # the elements down to it, with the classes that recur: "div.info", "td[2]", "li[Size]"
    number: int = 1  # among the fields with this path, in document order


@dataclass(frozen=True, slots=True)
class Mark:
    """The properties by which a field is recognised."""

    place: Place
    name: str  # on the page
    type: Type
    label: str = ""  # before its values, without a colon
    itemprop: str = ""  # of the innermost element around it that has one
    length: int = 0  # characters of a value, at the median

    @property
    def identity(self) -> tuple[Place, Type, str]:
        """The properties of a field that stay the same unless the site or its values change."""
        return self.place, self.type, self.label


def places_of(page: Page, fields: Iterable[Field]) -> list[Place]:
    """Return the place of each field, given all fields of some records in document order."""
    counts = Counter[tuple[str, ...]]()
    paths: dict[Field, tuple[str, ...]] = {}
    places = []
    for field in fields:
        path = _path(page, field, paths)
        counts[path] += 1
        places.append(Place(path, counts[path]))
    return places


def unlabelled(place: Place) -> Place:
    """Return a place without the labels of its steps; the numbers of cells stay."""
    return Place(tuple(_LABEL.sub(r"\1", step) for step in place.path))


def _path(page: Page, field: Field, paths: dict[Field, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the steps down to a field; `paths` has those of the fields around it."""
    way: list[Field] = []
    place: Field | None = field
    while place is not None and place.above is not None and place not in paths:
        way.append(place)
        place = place.above
    path = paths.get(place, ()) if place is not None else ()
    for each in reversed(way):
        path = paths[each] = (*path, _step(page, each))
    return path


def _step(page: Page, place: Field) -> str:
    tag, classes, label = place.key
    if tag == kernel.records.fields.LINE:
        name = LINE
    else:
        name = TAGS[tag] if tag < KNOWN_TAGS else page.tag_name(place.roots[0][0])
    label = label.strip(LABEL_SIGNS)
    return CLASS.join((f"{name}[{label}]" if label else name, *sorted(classes)))


def itemprops_of(page: Page, fields: Iterable[Field | None]) -> list[str]:
    """Return for each field the `itemprop` of the innermost element of the record around it; empty if none has one."""
    number = page.attribute_number("itemprop")
    return ["" if number is None or field is None else _itemprop_of(page, field, number) for field in fields]


def _itemprop_of(page: Page, field: Field, number: int) -> str:
    outermost: Field = field
    while outermost.above is not None:
        outermost = outermost.above
    if not field.roots:
        return ""
    top = outermost.roots[field.at[0]]
    row = field.roots[0][0]
    while row >= top[0]:
        if value := kernel.page.stated.attribute(page, row, number):
            return value.split()[0] if value.split() else ""
        row = int(page.parent[row])
    return ""


def likeness(one: Mark, other: Mark) -> float:
    """Return the likeness of two marks: from ALIKE on they are of the same field, from SAME_PLACE on certainly."""
    if one.label and other.label and one.label.casefold() != other.label.casefold():
        return 0.0
    points = PATH * path_likeness(one.place.path, other.place.path)
    points += VALUE_TYPE * _alike_types(one.type, other.type)
    points += LENGTH * _alike_lengths(one.length, other.length)
    points += NAME * (one.name == other.name and not one.name.startswith(one.type))
    if one.label or other.label:
        points += SAME_LABEL if one.label and other.label else ONE_LABEL
    if one.itemprop and other.itemprop:
        points += SAME_PROPERTY if one.itemprop == other.itemprop else OTHER_PROPERTY
    points += SAME_NUMBER * (one.place.number == other.place.number)
    return points + SAME_PLACE * (one.identity == other.identity)


def _alike_types(one: Type, other: Type) -> float:
    if one == other:
        return 1.0
    return 0.5 if {one, other} <= NUMERIC or {one, other} <= WORDED else 0.0


def _alike_lengths(one: int, other: int) -> float:
    """Return 1 for the same length, and 0 if one is four times the other."""
    return max(0.0, 1.0 - abs(log2((one + 1) / (other + 1))) / 2)


@lru_cache(CACHED_PATHS)
def path_likeness(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """Return the likeness of two paths, from 0 to 1: the share of steps that are alike, in the same order."""
    if one == other:
        return 1.0
    above = [0.0] * (len(other) + 1)
    for step in one:
        row = [0.0]
        for k, against in enumerate(other):
            row.append(max(above[k] + step_likeness(step, against), above[k + 1], row[k]))
        above = row
    return 2 * above[-1] / (len(one) + len(other))


@lru_cache(CACHED_PATHS)
def step_likeness(one: str, other: str) -> float:
    """Return the likeness of two steps, from 0 to 1: by element and classes."""
    if one == other:
        return 1.0
    (tag, *own), (other_tag, *others) = one.split(CLASS), other.split(CLASS)
    shared = len({*own} & {*others}) / len({*own} | {*others}) if own or others else 0.0
    if tag.partition("[")[0] == other_tag.partition("[")[0]:
        return 0.5 + 0.5 * shared if tag == other_tag else 0.5
    return 0.5 * shared


def match(marks: Sequence[Mark], others: Sequence[Mark]) -> dict[int, int]:
    """Map marks to others by number: the pairs that are most alike first, each mark once."""
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, own, other in alike_pairs(marks, others):
        if own not in pairs and other not in taken:
            pairs[own] = other
            taken.add(other)
    return pairs


def alike_pairs(marks: Sequence[Mark], others: Sequence[Mark]) -> list[tuple[float, int, int]]:
    """Return the likeness and the numbers of pairs of marks that are alike, the most alike first.

    Equal marks are found by a look-up. The number of other marks that are compared is limited, for hostile pages.
    """
    at = {other.identity: n for n, other in enumerate(others)}
    same = {k: at[mark.identity] for k, mark in enumerate(marks) if mark.identity in at}
    pairs = [(likeness(marks[k], others[n]), k, n) for k, n in same.items()]
    for k in [k for k in range(len(marks)) if k not in same][:MAX_COMPARED]:
        for n, other in enumerate(others[:MAX_COMPARED]):
            if (points := likeness(marks[k], other)) >= ALIKE:
                pairs.append((points, k, n))
    # Among equally alike pairs, those come first whose marks are at nearly the same place on their pages.
    return sorted(pairs, key=lambda pair: (-pair[0], abs(pair[1] - pair[2]), pair[1]))
