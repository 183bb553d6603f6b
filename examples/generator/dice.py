"""Repeatable accidents: tokens, counts and choices that differ from page to page but never from run to run."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A stream of choices fixed by its seed. Built on SHA-256, so every Python version throws the same."""

    def __init__(self, *seed: object) -> None:
        self._seed = "/".join(str(part) for part in seed)
        self._thrown = 0

    def _throw(self) -> str:
        self._thrown += 1
        return hashlib.sha256(f"{self._seed}#{self._thrown}".encode()).hexdigest()

    def token(self, length: int = 8) -> str:
        """Return hexadecimal digits, at most 64 of them."""
        return self._throw()[:length]

    def number(self, low: int, high: int) -> int:
        """Return a number between the two, both included."""
        return low + int(self._throw(), 16) % (high - low + 1)

    def pick(self, things: Sequence[T]) -> T:
        """Return one of the things."""
        return things[self.number(0, len(things) - 1)]

    def sample(self, things: Sequence[T], count: int) -> list[T]:
        """Return count different things, in a new order."""
        left = list(things)
        return [left.pop(self.number(0, len(left) - 1)) for _ in range(min(count, len(left)))]
