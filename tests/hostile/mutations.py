"""Small pages that nobody would write: parts of real and hostile ones, cut, mixed and spoilt, the same in each run."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tests.hostile.damage import damaged
from tests.hostile.pages import PAGES
from tests.nonsense import ATTRIBUTES, MARKUP, NAMES, TEXTS

SITE = Path(__file__).parents[2] / "examples" / "site"
MAX_PART = 3000  # bytes of a part of a page


@cache
def _sources() -> Sequence[bytes]:
    """Return the pages of the example site and a small one of each hostile sort."""
    own = [path.read_bytes() for path in sorted(SITE.rglob("*.html"))]
    return [*own, *(make(300) for make in PAGES.values())]


def mutant(seed: int) -> bytes:
    """Return a page made by chance from parts of others."""
    chance = random.Random(seed)
    page = b"".join(_part(chance) for _ in range(chance.choice((1, 1, 2, 3))))
    for _ in range(chance.choice((0, 1, 3, 10))):
        at = chance.randrange(len(page) + 1)
        page = page[:at] + _piece(chance) + page[at + chance.choice((0, 0, 5, 50)) :]
    return damaged(page, seed) if page and chance.random() < 0.3 else page


def _part(chance: random.Random) -> bytes:
    page = chance.choice(_sources())
    start = chance.choice((0, chance.randrange(len(page) + 1)))
    return page[start : start + chance.randrange(1, MAX_PART)]


def _piece(chance: random.Random) -> bytes:
    name, attribute = chance.choice(NAMES), chance.choice(ATTRIBUTES)
    pieces = (f"<{name}{attribute}>", f"</{name}>", chance.choice(TEXTS), chance.choice(MARKUP), f"<{name} ")
    return chance.choice(pieces).encode("utf-8", "surrogatepass") * chance.choice((1, 1, 1, 4, 40))
