"""Which fields of two lists are the same, by what they are recognised by."""

from __future__ import annotations

from collections.abc import Sequence

from pagesieve.records.marks import ALIKE, Mark, likeness

COMPARED = 200  # fields of a page; lists have 10 to 80


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
    """Return the pairs of marks that are alike, the most alike first: how much, and the number of each.

    Marks that are the same are found at once; of the others only so many are compared, that hostile pages cost little.
    """
    at = {other.identity: n for n, other in enumerate(others)}
    same = {k: at[mark.identity] for k, mark in enumerate(marks) if mark.identity in at}
    pairs = [(likeness(marks[k], others[n]), k, n) for k, n in same.items()]
    for k in [k for k in range(len(marks)) if k not in same][:COMPARED]:
        for n, other in enumerate(others[:COMPARED]):
            if (points := likeness(marks[k], other)) >= ALIKE:
                pairs.append((points, k, n))
    # Of pairs that are equally alike, those first that stand at the same place among the others.
    return sorted(pairs, key=lambda pair: (-pair[0], abs(pair[1] - pair[2]), pair[1]))
