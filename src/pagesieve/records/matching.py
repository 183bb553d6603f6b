"""Which fields of two lists are the same, by what they are recognised by."""

from __future__ import annotations

from collections.abc import Sequence

from pagesieve.records.marks import ALIKE, Mark, likeness


def match(marks: Sequence[Mark], others: Sequence[Mark]) -> dict[int, int]:
    """Return which of some marks is which of others, by number: the most alike first, each once."""
    found: dict[int, int] = {}
    taken: set[int] = set()
    for _, own, other in ranked(marks, others):
        if own not in found and other not in taken:
            found[own] = other
            taken.add(other)
    return found


def ranked(marks: Sequence[Mark], others: Sequence[Mark]) -> list[tuple[float, int, int]]:
    """Return the pairs of marks that are alike, the most alike first: how much, and the number of each."""
    pairs = [
        (points, k, n)
        for k, mark in enumerate(marks)
        for n, other in enumerate(others)
        if (points := likeness(mark, other)) >= ALIKE
    ]
    # Of pairs that are equally alike, those first that stand at the same place among the others.
    return sorted(pairs, key=lambda pair: (-pair[0], abs(pair[1] - pair[2]), pair[1]))
