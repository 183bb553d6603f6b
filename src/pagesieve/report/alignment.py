"""Which units of a page each line of its Markdown is made of: both are in the same order, so one walk finds them."""

from __future__ import annotations

import re
from collections.abc import Sequence

AHEAD = 60  # units that are looked at for a line
LEAST = 8  # letters of a unit that counts wherever it stands in a line, not only at its beginning

_NOT_TEXT = re.compile(r"^\s*(?:[-*+>#|\s]|\d+[.)]\s)*|\[\^[^\[\]]*\]:?|\]\([^)\s\]]*\)")  # marks, notes, addresses


def align(lines: Sequence[str], texts: Sequence[str]) -> list[tuple[int, ...]]:
    """Return for each line the numbers of the texts that it is made of; none where it is made of no text."""
    rest = [_letters(text) for text in texts]
    found: list[tuple[int, ...]] = []
    at = 0
    for line in lines:
        taken = _taken(_letters(_NOT_TEXT.sub("", line)), rest, at)
        found.append(tuple(taken))
        if taken:
            at = taken[-1] + (not rest[taken[-1]])
    return found


def _taken(line: str, rest: list[str], at: int) -> list[int]:
    """Return the texts from a place on that a line is made of, and take from `rest` what the line has of them."""
    taken: list[int] = []
    for k in range(at, min(at + AHEAD, len(rest))):
        if not line:
            break
        text = rest[k]
        place = line.find(text) if text else -1
        if place == 0 or (place > 0 and len(text) >= LEAST):
            taken.append(k)
            line, rest[k] = line[place + len(text) :], ""
        elif text.startswith(line):
            taken.append(k)
            line, rest[k] = "", text[len(line) :]
    return taken


def _letters(text: str) -> str:
    """Return the letters and digits of a text, which Markdown does not change."""
    return "".join(filter(str.isalnum, text))
