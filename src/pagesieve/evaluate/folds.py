"""Folds for cross-validation that split sites, never pages: a template seen in training is half an answer."""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from pagesieve.errors import BadOption


def group_folds(sites: Sequence[str | None], k: int) -> list[int]:
    """Give the fold, 0 to k - 1, of each page from its site; a page without a site is a group of its own.

    All pages of a site share a fold, the folds are about equally large, and the same sites in the same order
    always give the same folds.
    """
    if k < 2:
        raise BadOption(f"cross-validation needs at least 2 folds, not {k}")
    groups = [("page", str(i)) if site is None else ("site", site) for i, site in enumerate(sites)]
    sizes = Counter(groups)
    # Largest first into the emptiest fold keeps them even; the digest mixes sites of the same size, so that
    # a fold is no run of the alphabet.
    order = sorted(sizes, key=lambda group: (-sizes[group], _digest(group)))
    filled = [0] * k
    fold_of: dict[tuple[str, str], int] = {}
    for group in order:
        fold = filled.index(min(filled))
        fold_of[group] = fold
        filled[fold] += sizes[group]
    return [fold_of[group] for group in groups]


def _digest(group: tuple[str, str]) -> str:
    return sha256("\0".join(group).encode()).hexdigest()
